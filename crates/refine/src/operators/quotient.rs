//! The quotient `T \\ S`: the most general system that composed with S refines T.
//!
//! The ten rules of definition 19 of Goorden and others (2023; see `alphabet.rs`), which correct
//! those of 2010. In a pair of locations time always may pass; that T's invariant is broken while
//! S's still holds is said by the new input, which leads into the inconsistent mode, where no time
//! passes and nothing is output. Where S has left its own invariant, or an output of S comes that S
//! cannot make, everything is allowed: the universal mode.
//!
//! One rule is added, so that the quotient takes every input, as a specification has to: an input
//! of T that T refuses, because it has left its invariant, leads into the inconsistent mode as
//! well. The new input leads there from the same states, so no X that goes on by itself tells the
//! difference; without it S || X could not be asked whether it refines T where S is a quotient.
//!
//! Rule 4 (`¬Inv_S` on any action leads to the universal mode) leaves out the new input, for which
//! rule 7 says that nothing happens: the two are equivalent there, and so every action has one step
//! per valuation.
//!
//! The new input is one action for all quotients, on both sides and nested. The paper asks for one
//! that neither operand knows; with a name per quotient `Q <= Q` would have no meaning for a
//! quotient Q, and `(T \\ R) \\ S` would know more actions than `T \\ (R || S)`, which has the same
//! implementations. So an operand may know it, as an input, because it has quotients of its own. It
//! says to all of them at once that time has come that is not allowed:
//!
//! - where rule 6 does not hold and S is within its invariant, the operands that know it make it,
//!   as they make any input;
//! - a dividend that does not know it ignores it. Otherwise it would be an output of `T \\ S`
//!   wherever S knows it, which then would decide itself when S notices.
//!
//! Every system that knows it can make it within its invariant, so every quotient can make it
//! always. That S || X refines T iff X refines `T \\ S` is as true of it as of any input of T:
//! where T has left its invariant X has already lost by rule 6, elsewhere all move alike.

use super::{Made, Mode, Operand, Operator, Own};
use crate::alphabet::Alphabet;
use crate::step::Step;
use crate::world::{NodeId, Slots, World};
use model::check::SystemExpr;
use zones::{Bound, Constraint};

/// Modes, as a slot holds them.
const PAIR: u32 = 0;
const UNIVERSAL: u32 = 1;
const INCONSISTENT: u32 = 2;

#[derive(Debug)]
struct Quotient {
    /// The dividend and the divisor.
    operands: [NodeId; 2],
    /// The slot of its mode, and the clock that runs while it is inconsistent.
    own: Own,
}

pub(super) fn operands(expression: &SystemExpr) -> Option<Vec<Operand<'_>>> {
    match expression {
        SystemExpr::Quotient(whole, part) => Some(vec![Operand::System(whole), Operand::System(part)]),
        _ => None,
    }
}

pub(super) fn make(world: &mut World<'_>, operands: Vec<NodeId>) -> Made {
    let [whole, part] = operands[..] else {
        return Err(crate::error::Unfit::Combination("a quotient has two operands".to_owned()));
    };
    let name = |action| world.action_name(action);
    let alphabet = Alphabet::quotient(world.alphabet(whole), world.alphabet(part), world.fresh, &name)?;
    Ok((Box::new(Quotient { operands: [whole, part], own: world.own() }), alphabet))
}

/// Disjoint conjunctions whose union is the complement of that of the given conjunctions.
fn complement(world: &World<'_>, conjunctions: &[&[Constraint]]) -> Vec<Vec<Constraint>> {
    let mut pieces: Vec<Vec<Constraint>> = vec![Vec::new()];
    for conjunction in conjunctions {
        let mut next = Vec::new();
        for piece in &pieces {
            if world.is_too_many(next.len()) {
                return Vec::new();
            }
            for (n, constraint) in conjunction.iter().enumerate() {
                let mut smaller = piece.clone();
                smaller.extend_from_slice(&conjunction[..n]);
                smaller.push(constraint.negated());
                if is_possible(&smaller) {
                    next.push(smaller);
                }
            }
        }
        pieces = next;
    }
    pieces
}

/// Whether no two constraints of a conjunction contradict each other, and no clock is negative.
fn is_possible(conjunction: &[Constraint]) -> bool {
    conjunction.iter().enumerate().all(|(n, one)| {
        let negative = one.right == 0 && one.left != 0 && one.bound < Bound::LE_ZERO;
        let contradicts = |other: &Constraint| {
            one.left == other.right && one.right == other.left && one.bound + other.bound < Bound::LE_ZERO
        };
        !negative && !conjunction[..n].iter().any(contradicts)
    })
}

impl Operator for Quotient {
    fn sign(&self) -> &'static str {
        r"\\"
    }

    fn operands(&self) -> &[NodeId] {
        &self.operands
    }

    fn own(&self) -> Option<Own> {
        Some(self.own)
    }

    fn mode(&self, slots: &Slots) -> Option<Mode> {
        Some(match slots[self.own.slot as usize] {
            PAIR => Mode::Operands,
            UNIVERSAL => Mode::Universal,
            _ => Mode::Inconsistent,
        })
    }

    fn invariant(&self, _: &World<'_>, slots: &Slots, out: &mut Vec<Constraint>) {
        if slots[self.own.slot as usize] == INCONSISTENT {
            out.push(self.now());
        }
    }

    fn active(&self, world: &World<'_>, slots: &Slots, out: &mut Vec<(u32, i32)>) {
        match slots[self.own.slot as usize] {
            PAIR => self.operands.iter().for_each(|operand| world.active(*operand, slots, out)),
            INCONSISTENT => out.push((self.own.clock, 0)),
            _ => {}
        }
    }

    fn is_permissive(&self, _: &World<'_>, slots: &Slots) -> bool {
        slots[self.own.slot as usize] == UNIVERSAL
    }

    fn possible_outputs(&self, world: &World<'_>, node: NodeId, _: &Slots, out: &mut Vec<u32>) {
        out.extend(&world.alphabet(node).outputs);
    }

    fn steps(&self, world: &World<'_>, node: NodeId, slots: &Slots, action: u32) -> Vec<Step> {
        match slots[self.own.slot as usize] {
            PAIR => self.pair_steps(world, slots, action),
            // Rule 9.
            UNIVERSAL => vec![Step::default()],
            // Rule 10.
            _ if world.alphabet(node).has_input(action) => vec![Step::default().only_where(&[self.now()])],
            _ => Vec::new(),
        }
    }
}

impl Quotient {
    /// No time has passed in the inconsistent mode.
    fn now(&self) -> Constraint {
        Constraint::upper(self.own.clock as usize, Bound::LE_ZERO)
    }

    fn pair_steps(&self, world: &World<'_>, slots: &Slots, action: u32) -> Vec<Step> {
        let [whole, part] = self.operands;
        let (mut whole_invariant, mut part_invariant) = (Vec::new(), Vec::new());
        world.invariant(whole, slots, &mut whole_invariant);
        world.invariant(part, slots, &mut part_invariant);
        let outside_part = complement(world, &[&part_invariant]);
        let mut steps = Vec::new();
        if action == world.fresh {
            // Rule 6.
            for outside in complement(world, &[&whole_invariant]) {
                steps.push(self.fall().only_where(&outside).only_where(&part_invariant));
            }
            // Rule 7, and what the operands do that have quotients.
            let mut inside = vec![Step::default().only_where(&whole_invariant).only_where(&part_invariant)];
            for operand in [whole, part].into_iter().filter(|one| world.alphabet(*one).knows(action)) {
                let own = world.steps(operand, slots, action);
                inside = world.combined(&inside, &own);
            }
            steps.extend(inside);
            steps.extend(outside_part.iter().map(|outside| Step::default().only_where(outside)));
            return steps;
        }
        let (whole_knows, part_knows) = (world.alphabet(whole).knows(action), world.alphabet(part).knows(action));
        let whole_steps = if whole_knows { world.steps(whole, slots, action) } else { Vec::new() };
        let part_steps = if part_knows { world.steps(part, slots, action) } else { Vec::new() };
        match (whole_knows, part_knows) {
            // Rule 1.
            (true, true) => {
                let both = world.combined(&part_steps, &whole_steps);
                steps.extend(both.iter().map(|step| step.only_where(&part_invariant)));
            }
            // Rule 2.
            (false, _) => steps.extend(part_steps.iter().map(|part| part.only_where(&part_invariant))),
            // Rule 8.
            (true, false) => steps.extend(whole_steps.iter().map(|whole| whole.only_where(&part_invariant))),
        }
        if world.alphabet(whole).has_input(action) && !whole_invariant.is_empty() {
            // Outside of its invariant T may refuse an input.
            let whole_guards: Vec<&[Constraint]> = whole_steps.iter().map(|step| step.guard.as_slice()).collect();
            for cannot in complement(world, &whole_guards) {
                steps.push(self.fall().only_where(&cannot).only_where(&part_invariant));
            }
        }
        let part_guards: Vec<&[Constraint]> = part_steps.iter().map(|step| step.guard.as_slice()).collect();
        if world.alphabet(part).has_output(action) {
            // Rule 3.
            for cannot in complement(world, &part_guards) {
                steps.push(self.free().only_where(&cannot).only_where(&part_invariant));
            }
            // Rule 5.
            if world.alphabet(whole).has_output(action) {
                let whole_guards: Vec<&[Constraint]> = whole_steps.iter().map(|step| step.guard.as_slice()).collect();
                for cannot in complement(world, &whole_guards) {
                    for part in &part_steps {
                        steps.push(self.fall().only_where(&part.guard).only_where(&cannot).only_where(&part_invariant));
                    }
                }
            }
        }
        // Rule 4.
        steps.extend(outside_part.iter().map(|outside| self.free().only_where(outside)));
        steps
    }

    /// Into the universal mode.
    fn free(&self) -> Step {
        Step { changes: vec![(self.own.slot, UNIVERSAL)], ..Step::default() }
    }

    /// Into the inconsistent mode.
    fn fall(&self) -> Step {
        Step { changes: vec![(self.own.slot, INCONSISTENT)], resets: vec![(self.own.clock, 0)], ..Step::default() }
    }
}
