//! What a transition does: updates in their order, and whether the state they lead to may be entered.

use crate::formula::Formula;
use crate::interpreter::Interpreter;
use crate::run::Move;
use crate::semantics::{Result, Semantics};
use crate::state::{ClockMap, Discrete};

impl Semantics<'_> {
    /// Runs the updates: `before_update`, the moves in the order given (each edge's update, then its branch's), and
    /// `after_update`. Meta variables begin every transition with their initial values.
    pub(crate) fn fire(&self, discrete: &Discrete, moves: &[Move]) -> Result<(Discrete, ClockMap)> {
        let mut target = discrete.clone();
        let clocks = self.fire_into(&mut target, discrete, moves)?;
        Ok((target, clocks))
    }

    /// As [`Semantics::fire`], on a copy of the discrete state that is there already.
    pub(crate) fn fire_into(&self, target: &mut Discrete, discrete: &Discrete, moves: &[Move]) -> Result<ClockMap> {
        let network = self.network;
        let mut clocks = ClockMap::unchanged(network);
        self.reset_meta(&mut target.ints);
        // Code of updates cannot name locations; what queries call can, and sees the source.
        let mut interpreter = Interpreter::writing(network, &discrete.locations, &mut target.ints, &mut clocks);
        for expr in &network.before_update {
            interpreter.label(None, &[]);
            interpreter.effect(*expr)?;
        }
        for step in moves {
            let edge = network.template_of(step.process).edge(step.edge);
            interpreter.label(Some(step.process), &step.select);
            for expr in &edge.update {
                interpreter.effect(*expr)?;
            }
            let Some(branch) = edge.branches.get(step.branch) else { continue };
            interpreter.label(Some(step.process), &branch.select);
            for expr in &branch.update {
                interpreter.effect(*expr)?;
            }
            target.locations[step.process.index()] = branch.target;
        }
        for expr in &network.after_update {
            interpreter.label(None, &[]);
            interpreter.effect(*expr)?;
        }
        self.reset_meta(&mut target.ints);
        Ok(clocks)
    }

    fn reset_meta(&self, ints: &mut [i32]) {
        for (cell, initial) in &self.meta {
            if let Some(value) = ints.get_mut(*cell) {
                *value = *initial;
            }
        }
    }

    /// The condition, before the updates, that they are well defined and lead into the target's invariants.
    pub(crate) fn allows(&self, target: &Discrete, clocks: &ClockMap) -> Formula {
        let defined = clocks
            .demands()
            .iter()
            .map(|(atom, error)| Formula::any([Formula::atom(*atom), Formula::Error(error.clone())]));
        Formula::all(defined.chain([self.invariant(target).before(clocks)]))
    }
}
