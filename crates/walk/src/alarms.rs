//! Which edges may sleep, and which of them a clock wakes (see [`crate::sleepers`]).
//!
//! An edge may sleep if a look at the clocks of its guard tells when it can be taken at the earliest, and if it is looked at
//! again whenever that may have changed: all its cells are watched, or it has none, and few edges share its clocks.

use crate::tables::{EdgeTable, Fixed, FixedBounds};
use model::network::ProcessId;
use semantics::reads::{Reads, reads_in};
use semantics::structure::Structure;

/// Setting a clock that more edges ask for would take too long.
const MOST: usize = 64;

/// Whether a guard reads so little that it can be looked at again whenever something of it changes.
pub(crate) fn is_narrow(reads: &Reads) -> bool {
    let cells = reads.ints.iter().chain(&reads.clocks).map(ExactSizeIterator::len).sum::<usize>();
    !reads.everything && cells <= MOST
}

#[derive(Default, Debug)]
pub(crate) struct Alarms {
    /// By clock, stretches of the list.
    starts: Vec<u32>,
    list: Vec<u32>,
    may_sleep: Vec<bool>,
}

impl Alarms {
    /// `guards` are those of all edges of all processes, in their order.
    pub fn new(structure: &Structure, edges: &[EdgeTable], guards: &[Fixed], fixed: &FixedBounds) -> Alarms {
        let network = structure.network;
        let mut asked: Vec<(u32, u32)> = Vec::new();
        let mut actor = 0;
        for n in 0..network.processes.len() {
            let template = network.template_of(ProcessId::new(n));
            for (x, expanded) in template.expanded.iter().enumerate() {
                let table = &edges[structure.edge_id(n, x as u32) as usize];
                let guard = template.edge(expanded.edge).guard;
                match (guards[actor as usize], guard) {
                    (_, None) => {}
                    _ if !table.acts => {}
                    (Fixed::Bounds(start, end), _) => {
                        for bound in fixed.of((start, end)) {
                            let clocks = bound.plus.into_iter().chain(bound.minus);
                            asked.extend(clocks.map(|clock| (clock.index() as u32, actor)));
                        }
                    }
                    (Fixed::No, Some(guard)) if table.is_watched() => {
                        let found = reads_in(network, ProcessId::new(n), template.select_values(*expanded), guard);
                        if is_narrow(&found) {
                            asked.extend(found.clocks.into_iter().flatten().map(|clock| (clock, actor)));
                        }
                    }
                    _ => {}
                }
                actor += 1;
            }
        }
        asked.sort_unstable();
        asked.dedup();
        let mut may_sleep = vec![false; actor as usize];
        asked.iter().for_each(|(_, actor)| may_sleep[*actor as usize] = true);
        // Nobody sleeps who would have to be woken by a clock that wakes too many.
        for group in asked.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > MOST) {
            group.iter().for_each(|(_, actor)| may_sleep[*actor as usize] = false);
        }
        asked.retain(|(_, actor)| may_sleep[*actor as usize]);
        let mut starts = vec![0; network.clocks.len() + 1];
        asked.iter().for_each(|(clock, _)| starts[*clock as usize + 1] += 1);
        for n in 1..starts.len() {
            starts[n] += starts[n - 1];
        }
        Alarms { starts, list: asked.into_iter().map(|(_, actor)| actor).collect(), may_sleep }
    }

    #[inline]
    pub fn may_sleep(&self, actor: u32) -> bool {
        self.may_sleep[actor as usize]
    }

    /// The edges that look at a clock and may sleep.
    #[inline]
    pub fn of(&self, clock: u32) -> &[u32] {
        &self.list[self.starts[clock as usize] as usize..self.starts[clock as usize + 1] as usize]
    }
}
