//! The edges that processes may take in the current state, kept from step to step.
//!
//! The guard of an edge with its discrete part evaluated is the same formula as before unless its process moved or an
//! integer that its evaluation read has changed, as with [`crate::invariants`]; so after a step only the edges of the processes
//! concerned are evaluated. What an evaluation read is noted for ever: too many may be evaluated again, never too few.

use crate::formula::Formula;
use crate::interpreter::{Interpreter, Reads};
use crate::invariants::noted;
use crate::semantics::Semantics;
use crate::state::Discrete;
use crate::transition::Offer;
use model::network::ProcessId;
use std::collections::BTreeSet;

pub(crate) struct Offers {
    /// For each process.
    of: Vec<Vec<Offer>>,
    /// Integer cells with the processes whose edges depend on them.
    readers: BTreeSet<(u32, ProcessId)>,
    /// Processes whose edges depend on more than is noted.
    restless: BTreeSet<ProcessId>,
}

impl Offers {
    pub(crate) fn new(semantics: &Semantics, discrete: &Discrete) -> Offers {
        let of = vec![Vec::new(); semantics.network.processes.len()];
        let mut offers = Offers { of, readers: BTreeSet::new(), restless: BTreeSet::new() };
        semantics.processes().for_each(|process| offers.evaluate(semantics, discrete, process));
        offers
    }

    /// Those of each process, as [`Semantics::all_offers`] has them.
    pub(crate) fn all(&self) -> &[Vec<Offer>] {
        &self.of
    }

    /// Processes have moved and cells have changed.
    pub(crate) fn follow(
        &mut self,
        semantics: &Semantics,
        discrete: &Discrete,
        moved: impl Iterator<Item = ProcessId>,
        cells: &[(usize, i32)],
    ) {
        let mut concerned: BTreeSet<ProcessId> = moved.chain(self.restless.iter().copied()).collect();
        for (cell, _) in cells {
            concerned.extend(noted(&self.readers, *cell as u32, ProcessId::new(0)));
        }
        concerned.into_iter().for_each(|process| self.evaluate(semantics, discrete, process));
    }

    fn evaluate(&mut self, semantics: &Semantics, discrete: &Discrete, process: ProcessId) {
        let template = semantics.network.template_of(process);
        let Some(offers) = self.of.get_mut(process.index()) else { return };
        offers.clear();
        for expanded in template.leaving(discrete.locations[process.index()]) {
            let mut interpreter = Interpreter::reading(semantics.network, discrete, Some(process)).noting_reads();
            let select = template.select_values(*expanded);
            let offer = semantics.offer_by(&mut interpreter, process, expanded.edge, select);
            if offer.guard != Formula::False {
                offers.push(offer);
            }
            let Reads { cells, too_much } = interpreter.into_reads();
            self.readers.extend(cells.into_iter().map(|cell| (cell, process)));
            if too_much {
                self.restless.insert(process);
            }
        }
    }
}
