//! The composition `A || B`: an output of one is an input of all others that know it, and stays an
//! output. Compositions of compositions are one: the operator is associative.

use super::joint::Joint;
use super::{Made, Operand, Operator, chain};
use crate::alphabet::Alphabet;
use crate::step::Step;
use crate::world::{NodeId, Slots, World};
use model::check::SystemExpr;
use model::network::ProcessId;

#[derive(Debug)]
struct Composition(Joint);

pub(super) fn operands(expression: &SystemExpr) -> Option<Vec<Operand<'_>>> {
    chain(expression, |expression| match expression {
        SystemExpr::Compose(left, right) => Some(vec![Operand::System(left), Operand::System(right)]),
        SystemExpr::All { first, len } => {
            let processes = first.index()..first.index() + *len as usize;
            Some(processes.map(|process| Operand::Process(ProcessId::new(process))).collect())
        }
        _ => None,
    })
}

pub(super) fn make(world: &mut World<'_>, operands: Vec<NodeId>) -> Made {
    let alphabets: Vec<&Alphabet> = operands.iter().map(|operand| world.alphabet(*operand)).collect();
    let alphabet = Alphabet::compose(&alphabets, &|action| world.action_name(action))?;
    Ok((Box::new(Composition(Joint::new(world, operands))), alphabet))
}

impl Operator for Composition {
    fn sign(&self) -> &'static str {
        "||"
    }

    fn operands(&self) -> &[NodeId] {
        &self.0.operands
    }

    fn steps(&self, world: &World<'_>, _: NodeId, slots: &Slots, action: u32) -> Vec<Step> {
        self.0.steps(world, slots, action)
    }

    fn is_flat(&self) -> bool {
        true
    }

    fn keeps_consistency(&self) -> bool {
        true
    }
}
