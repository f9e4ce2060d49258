//! Seeds looked at on as many threads as there are cores, because one test alone has one thread.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is seen of each seed, in the order of the seeds. They are taken up in that order as well. A panic goes on here.
pub fn side_by_side<T: Send>(seeds: Range<u64>, look: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        taken.take_while(|seed| *seed < seeds.end).map(|seed| (seed, look(seed))).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut seen = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.flat_map(|seen| seen.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect::<Vec<_>>()
    });
    seen.sort_unstable_by_key(|(seed, _)| *seed);
    seen.into_iter().map(|(_, what)| what).collect()
}
