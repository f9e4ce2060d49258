//! The conjunction `A && B`: what is an implementation of both. Common actions are taken together,
//! the others alone. Conjunctions of conjunctions are one: the operator is associative.

use super::joint::Joint;
use super::{Made, Operand, Operator, chain};
use crate::alphabet::Alphabet;
use crate::step::Step;
use crate::world::{NodeId, Slots, World};
use model::check::SystemExpr;

#[derive(Debug)]
struct Conjunction(Joint);

pub(super) fn operands(expression: &SystemExpr) -> Option<Vec<Operand<'_>>> {
    chain(expression, |expression| match expression {
        SystemExpr::Conjoin(left, right) => Some(vec![Operand::System(left), Operand::System(right)]),
        _ => None,
    })
}

pub(super) fn make(world: &mut World<'_>, operands: Vec<NodeId>) -> Made {
    let alphabets: Vec<&Alphabet> = operands.iter().map(|operand| world.alphabet(*operand)).collect();
    let alphabet = Alphabet::conjoin(&alphabets, &|action| world.action_name(action))?;
    Ok((Box::new(Conjunction(Joint::new(world, operands))), alphabet))
}

impl Operator for Conjunction {
    fn sign(&self) -> &'static str {
        "&&"
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
}
