//! Operators over systems: each is a file of its own that implements [`Operator`], and a row of
//! `KINDS`.
//!
//! An operator is asked like a system: under which conjunction time may pass, which clocks matter,
//! which steps an action has. It answers from what its operands answer. What most operators have in
//! common is what the trait says by itself.

mod composition;
mod conjunction;
mod joint;
mod quotient;

use crate::alphabet::Alphabet;
use crate::error::Unfit;
use crate::step::Step;
use crate::world::{NodeId, Slots, World};
use model::check::SystemExpr;
use model::network::ProcessId;
use std::fmt;
use zones::Constraint;

/// What an operator has to be able to do.
pub trait Operator: fmt::Debug + Send + Sync {
    /// How it is written between its operands.
    fn sign(&self) -> &'static str;

    /// From left to right as it is written.
    fn operands(&self) -> &[NodeId];

    /// The steps of an action of its alphabet.
    fn steps(&self, world: &World<'_>, node: NodeId, slots: &Slots, action: u32) -> Vec<Step>;

    /// Whether it is nothing but leaves that act together, each within its invariant and with all
    /// its inputs. Then a constraint counts in one direction only (`simulation.rs`), no input is
    /// refused, and walks may ask the leaves instead of the operator.
    fn is_flat(&self) -> bool {
        false
    }

    /// Whether what it makes of consistent systems is consistent.
    fn keeps_consistency(&self) -> bool {
        false
    }

    /// The slot and the clock that it has beside those of its operands.
    fn own(&self) -> Option<Own> {
        None
    }

    /// Whether its operands still matter, if they may cease to.
    fn mode(&self, slots: &Slots) -> Option<Mode> {
        let _ = slots;
        None
    }

    /// Whether its operands no longer matter.
    fn has_left(&self, slots: &Slots) -> bool {
        self.mode(slots).is_some_and(|mode| mode != Mode::Operands)
    }

    /// The conjunction under which time may pass.
    fn invariant(&self, world: &World<'_>, slots: &Slots, out: &mut Vec<Constraint>) {
        self.operands().iter().for_each(|operand| world.invariant(*operand, slots, out));
    }

    /// Clocks that matter from here on, with their largest constants.
    fn active(&self, world: &World<'_>, slots: &Slots, out: &mut Vec<(u32, i32)>) {
        self.operands().iter().for_each(|operand| world.active(*operand, slots, out));
    }

    /// Whether everything is allowed from here on.
    fn is_permissive(&self, world: &World<'_>, slots: &Slots) -> bool {
        self.operands().iter().all(|operand| world.is_permissive(*operand, slots))
    }

    /// Outputs that some valuation may allow; perhaps some twice, perhaps some that none does.
    fn possible_outputs(&self, world: &World<'_>, node: NodeId, slots: &Slots, out: &mut Vec<u32>) {
        let _ = node;
        self.operands().iter().for_each(|operand| world.possible_outputs(*operand, slots, out));
    }
}

/// What an operator may have for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Own {
    pub slot: u32,
    pub clock: u32,
}

/// What an operator goes by whose operands may cease to matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Its operands.
    Operands,
    /// Everything is allowed.
    Universal,
    /// No time passes, and nothing is output.
    Inconsistent,
}

/// An operand of an expression.
pub(crate) enum Operand<'e> {
    System(&'e SystemExpr),
    /// One of a set of processes.
    Process(ProcessId),
}

/// A new operator with its alphabet.
type Made = Result<(Box<dyn Operator>, Alphabet), Unfit>;

/// A kind of operator.
pub(crate) struct Kind {
    /// The operands of an expression of this kind; `None` for others. A chain of an associative
    /// operator is one expression.
    operands: for<'e> fn(&'e SystemExpr) -> Option<Vec<Operand<'e>>>,
    pub make: fn(&mut World<'_>, Vec<NodeId>) -> Made,
}

/// All operators.
const KINDS: [Kind; 3] = [
    Kind { operands: composition::operands, make: composition::make },
    Kind { operands: conjunction::operands, make: conjunction::make },
    Kind { operands: quotient::operands, make: quotient::make },
];

/// The kind of an expression that is no component, and its operands.
pub(crate) fn kind(expression: &SystemExpr) -> Result<(&'static Kind, Vec<Operand<'_>>), Unfit> {
    let found = KINDS.iter().find_map(|kind| Some((kind, (kind.operands)(expression)?)));
    found.ok_or_else(|| Unfit::Combination("an operator that is not known here".to_owned()))
}

/// The operands of a chain of one associative operator; `split` gives those of one expression.
fn chain<'e>(
    expression: &'e SystemExpr,
    split: fn(&'e SystemExpr) -> Option<Vec<Operand<'e>>>,
) -> Option<Vec<Operand<'e>>> {
    let (mut chain, mut waiting) = (Vec::new(), split(expression)?);
    waiting.reverse();
    while let Some(next) = waiting.pop() {
        match next {
            Operand::System(system) => match split(system) {
                Some(operands) => waiting.extend(operands.into_iter().rev()),
                None => chain.push(next),
            },
            Operand::Process(_) => chain.push(next),
        }
    }
    Some(chain)
}
