//! The memory that a search says it holds is the memory it holds, and it is little beside the payloads.

// A counting allocator must be unsafe code; it adds to a counter and hands everything to the system's allocator.
#![allow(unsafe_code)]

mod toys;

use search::frontier::{Fifo, Frontier, Lifo};
use search::goal::state_goal;
use search::heuristic::Levels;
use search::lasso::Marks;
use search::liveness::{Liveness, Outcome};
use search::rank::Ranked;
use search::runs::Infinitely;
use search::search::{Search, Stop};
use search::system::{Covering, Levelled, Relation, TransitionSystem, Visit, VisitInitial};
use std::alloc::{GlobalAlloc, Layout, System};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: both methods only count and forward their arguments unchanged to `System`, which meets the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `place` came from `alloc` above with this layout, so from `System`.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SIDE: u64 = 40;
const PAYLOAD: usize = 100;

/// Three counters in a key of 32 bytes, with a payload of 400; the worst case of one state per key.
struct Counters;

impl TransitionSystem for Counters {
    type State = [u64; 4];
    type Label = (u32, u32);
    type Scratch = ();
    type Error = Infallible;

    fn initial(&self, (): &mut (), visit: &mut VisitInitial<'_, Self>) -> Result<(), Infallible> {
        let _ = visit(&[0; 4]);
        Ok(())
    }

    fn successors(&self, (): &mut (), from: &[u64; 4], visit: &mut Visit<'_, Self>) -> Result<(), Infallible> {
        for counter in 0..3 {
            let mut to = *from;
            to[counter] = (to[counter] + 1) % SIDE;
            if visit((counter as u32, 1), &to).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Covering for Counters {
    type Unit = i32;

    fn key_words(&self) -> usize {
        4
    }

    fn key(&self, state: &[u64; 4], words: &mut [u64]) {
        words.copy_from_slice(state);
    }

    fn pack(&self, state: &[u64; 4], units: &mut Vec<i32>) {
        units.extend([state[0] as i32; PAYLOAD]);
    }

    fn unpack(&self, key: &[u64], payload: &[i32], state: &mut [u64; 4]) {
        state.copy_from_slice(key);
        assert_eq!((payload.len(), payload[0]), (PAYLOAD, key[0] as i32));
    }

    fn relate(&self, _: &[i32], _: &[u64; 4]) -> Relation {
        Relation::Covers
    }
}

impl Levelled for Counters {
    fn level(&self, state: &[u64; 4]) -> u32 {
        state.iter().sum::<u64>() as u32
    }
}

const STATES: usize = (SIDE * SIDE * SIDE) as usize;

fn assert_close(name: &str, said: usize, held: usize) {
    let difference = said.abs_diff(held);
    assert!(difference * 50 <= held, "{name}: said {said}, held {held}");
}

fn explore(name: &str, frontier: impl Frontier) {
    let before = HELD.load(Ordering::Relaxed);
    let goal = state_goal(|_: &[u64; 4]| false);
    let mut search = Search::with_heuristic(&Counters, goal, frontier, Levels);
    assert_eq!(search.run(), Stop::Exhausted { proof: true });
    let held = HELD.load(Ordering::Relaxed) - before;
    let statistics = search.statistics();
    assert_eq!(statistics.stored as usize, STATES);
    assert_close(name, statistics.bytes as usize, held);
    let beyond = (statistics.peak_bytes as usize - search.store().payload_bytes()) / STATES;
    println!("{name}: {beyond} bytes a state beyond its payload");
    assert!(beyond <= 150, "{name}: {beyond} bytes a state beyond its payload");
}

// One test: the counter is shared by all threads of this program.
#[test]
fn memory_is_accounted_for_and_small() {
    explore("breadth-first", Fifo::default());
    explore("depth-first", Lifo::default());
    explore("ranked", Ranked::default());
    let before = HELD.load(Ordering::Relaxed);
    let mut search = Liveness::new(&Counters, Infinitely { wanted: Marks(1), marks: |_: &[u64; 4]| Marks::NONE });
    assert_eq!(search.run(), Outcome::Exhausted { proof: true });
    assert_close("liveness", search.bytes(), HELD.load(Ordering::Relaxed) - before);
    println!("liveness: {} bytes a state beyond its payload", search.bytes() / STATES - 400);
}
