//! Pairs of states of two systems, as a transition system of `search`.
//!
//! A state is a discrete pair with a zone over the active clocks of both sides. Its successors are
//! what both sides do together, and what one of them does alone that the other does not know. A
//! broken rule is a state as well: one with [`Pair::broken`], which is what the search looks for.
//! It has a key of its own and no successors.
//!
//! The delay rule is checked when a zone is entered, the initial one included:
//! `E↑ ∧ Inv_S ⊆ Inv_T`, exact and with strictness, because `E ⊆ Inv_S ∧ Inv_T` and invariants are
//! conjunctions. (Reveaal does not check the initial pair, and needs `↓`, because it lets zones in
//! that violate Inv_T.) The action rules are differences of a zone and a union of guards, by
//! splitting.
//!
//! One pair covers another if it breaks a rule whenever the other does (`simulation.rs`). Where the
//! stored zones themselves have to be a relation, each is extrapolated by the same bounds, within
//! both invariants, time passes in what that adds, and zones of a pair cover one that lies within
//! all of them together: more are stored then. What extrapolation adds is simulated by what was
//! there, so it breaks no rule that is not broken anyway, and a zone that includes all successors
//! needs no simulation to say so. Pairs whose right side allows everything from then on are left
//! out: no rule can be broken there.
//!
//! A broken rule stands at the end of a path of steps (`refinement.rs`); `run.rs` finds exact times
//! for it.

use crate::error::Open;
use crate::frame::Active;
use crate::local_levels::LocalLevels;
use crate::refinement::{Broken, PairStep, Violation};
use crate::run::{Times, Timing};
use crate::simulation::Simulation;
use crate::world::{NodeId, Slots, Step, World};
use crate::zone_state::ZoneState;
use search::system::{TransitionSystem, Visit, VisitInitial};
use std::ops::ControlFlow;
use zones::{AluTest, Bound, Constraint, Source, Zone};

/// When a zone need not be explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// A known one breaks a rule whenever it does: the fewest are stored.
    Simulation,
    /// It lies within known ones: what is stored in the end is a refinement relation.
    Inclusion,
}

/// A state of both sides, or a rule that is broken.
#[derive(Clone, Default)]
pub struct Pair {
    pub state: ZoneState,
    pub broken: Option<Broken>,
    /// The zone as it is stored.
    pub(crate) bounds: Vec<Bound>,
    /// Whether a stored zone simulates this one.
    pub(crate) test: AluTest,
}

/// Which of the steps of an action; [`Label::NONE`] for a side that does not take part, or that
/// cannot follow.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Label {
    pub action: u32,
    pub left: u32,
    pub right: u32,
    /// It leads to a broken rule.
    pub breaks: bool,
}

impl Label {
    pub const NONE: u32 = u32::MAX;

    fn breaking(self) -> Label {
        Label { breaks: true, ..self }
    }
}

/// What is worked with while successors are made.
#[derive(Default)]
pub struct Scratch {
    target: Pair,
    active: Active,
    left: Vec<Constraint>,
    right: Vec<Constraint>,
    resets: Vec<(u32, i32)>,
    sources: Vec<Source>,
    /// The first that failed. What else there is is looked at nevertheless.
    failure: Option<Open>,
}

/// Two systems, of which the left one is to refine the right one.
pub struct Pairs<'w, 'n> {
    pub(crate) world: &'w World<'n>,
    left: NodeId,
    right: NodeId,
    pub(crate) simulation: Simulation,
    pub(crate) comparison: Comparison,
    /// The left side can refuse no input.
    enabled: bool,
    pub(crate) levels: LocalLevels,
}

/// An action of a pair, and who leads.
struct Act<'a> {
    action: u32,
    output: bool,
    leading: Vec<Step>,
    /// Steps of the side that answers with their guards in the frame of the pair; `None` if it does
    /// not know the action.
    following: Option<Vec<(Step, Vec<Constraint>)>>,
    from: &'a Pair,
}

impl Act<'_> {
    fn label(&self, lead: usize, follow: Option<usize>) -> Label {
        let (lead, follow) = (lead as u32, follow.map_or(Label::NONE, |follow| follow as u32));
        let (left, right) = if self.output { (lead, follow) } else { (follow, lead) };
        Label { action: self.action, left, right, breaks: false }
    }

    /// The rule that is broken where the leading step is possible and of every answer the
    /// constraint that is chosen does not hold.
    fn broken(&self, lead: &Step, followers: &[(Step, Vec<Constraint>)], choice: &[usize]) -> Broken {
        let mut place = lead.guard.clone();
        for ((step, _), broken) in followers.iter().zip(choice) {
            place.extend_from_slice(&step.guard[..*broken]);
            place.push(step.guard[*broken].negated());
        }
        match self.output {
            true => Broken::Output { action: self.action, left: lead.clone(), place },
            false => Broken::Input { action: self.action, right: lead.clone(), place },
        }
    }
}

impl<'w, 'n> Pairs<'w, 'n> {
    pub fn new(world: &'w World<'n>, left: NodeId, right: NodeId, comparison: Comparison) -> Pairs<'w, 'n> {
        Pairs {
            simulation: Simulation::new(world, left, right),
            comparison,
            world,
            left,
            right,
            enabled: world.is_flat(left),
            levels: LocalLevels::new(world),
        }
    }

    pub fn world(&self) -> &'w World<'n> {
        self.world
    }

    pub fn left(&self) -> NodeId {
        self.left
    }

    /// The earliest times at which a violation happens; `None` if it does not.
    pub fn times(&self, violation: &Violation) -> Option<Times> {
        let mut timing = Timing::new(self.world, self.left, self.right);
        violation.path.iter().for_each(|step| timing.step(step.left.as_ref(), step.right.as_ref()));
        timing.times(&violation.broken, u64::MAX)
    }

    /// The step of a label out of a discrete pair.
    pub(crate) fn step(&self, slots: &Slots, label: Label) -> PairStep {
        let of = |system: NodeId, n: u32| self.world.steps(system, slots, label.action).into_iter().nth(n as usize);
        let output = self.world.alphabet(self.left).has_output(label.action);
        PairStep { action: label.action, output, left: of(self.left, label.left), right: of(self.right, label.right) }
    }

    /// Lets time pass in a zone that meets both invariants; `false` if nothing needs to be looked
    /// at from there on.
    fn enter(&self, scratch: &mut Scratch) -> Result<bool, Open> {
        let Scratch { target: Pair { state, broken, bounds, test }, left, right, .. } = scratch;
        let ZoneState { slots, frame, zone } = state;
        let world = self.world;
        if self.enabled && self.comparison == Comparison::Simulation && world.is_permissive(self.right, slots) {
            return Ok(false);
        }
        left.clear();
        right.clear();
        world.invariant(self.left, slots, left);
        world.invariant(self.right, slots, right);
        let (own, limits) = (frame.constraints(left), frame.constraints(right));
        let mut possible = zone.delay_within(&own);
        let cuts = |zone: &Zone| limits.iter().position(|limit| zone.admits(limit.negated()));
        let mut cut = cuts(zone);
        if cut.is_none() && self.comparison == Comparison::Inclusion {
            zone.extrapolate_lu_plus(frame.bounds());
            possible &= zone.constrain_all(&own) && zone.constrain_all(&limits) && zone.delay_within(&own);
            cut = cuts(zone);
        }
        debug_assert!(possible, "a zone meets the invariants when it is entered");
        *broken = cut.map(|n| Broken::Delay { limit: right[n] });
        if broken.is_none() && zone.overflowed() {
            return Err(Open::Overflow);
        }
        if self.comparison == Comparison::Simulation {
            test.prepare(zone, frame.bounds());
        }
        bounds.clear();
        zone.store(bounds);
        Ok(true)
    }

    /// All that can happen by one action.
    fn act(&self, scratch: &mut Scratch, act: &Act<'_>, visit: &mut Visit<'_, Self>) -> ControlFlow<()> {
        let frame = &act.from.state.frame;
        for (n, lead) in act.leading.iter().enumerate() {
            let mut led = act.from.state.zone.clone();
            if !led.constrain_all(&frame.constraints(&lead.guard)) {
                continue;
            }
            if let Some((leaf, error)) = lead.error {
                scratch.failure.get_or_insert(Open::Failed(leaf, error));
                continue;
            }
            let Some(followers) = &act.following else {
                self.go(scratch, act, (n, None), led, visit)?;
                continue;
            };
            if let Some(choice) = uncovered(&led, followers) {
                scratch.target.clone_from(act.from);
                scratch.target.broken = Some(act.broken(lead, followers, &choice));
                visit(act.label(n, None).breaking(), &scratch.target)?;
            }
            for (m, (follow, guard)) in followers.iter().enumerate() {
                let mut both = led.clone();
                if !both.constrain_all(guard) {
                    continue;
                }
                match follow.error {
                    Some((leaf, error)) => _ = scratch.failure.get_or_insert(Open::Failed(leaf, error)),
                    None => self.go(scratch, act, (n, Some((m, follow))), both, visit)?,
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Into the next pair.
    fn go(
        &self,
        scratch: &mut Scratch,
        act: &Act<'_>,
        (n, follow): (usize, Option<(usize, &Step)>),
        zone: Zone,
        visit: &mut Visit<'_, Self>,
    ) -> ControlFlow<()> {
        let parts = || act.leading.get(n).into_iter().chain(follow.map(|(_, follow)| follow));
        let from = &act.from.state;
        let Scratch { target, active, resets, sources, .. } = scratch;
        let state = &mut target.state;
        state.follow(&from.slots, parts().flat_map(|step| &step.changes));
        self.simulation.frame(self.world, &state.slots, active, &mut state.frame);
        resets.clear();
        resets.extend(parts().flat_map(|step| &step.resets));
        state.zone = zone;
        state.frame.receive(&mut state.zone, &from.frame, resets, sources);
        match self.enter(scratch) {
            Ok(true) => {
                let label = act.label(n, follow.map(|(m, _)| m));
                let label = if scratch.target.broken.is_some() { label.breaking() } else { label };
                visit(label, &scratch.target)
            }
            Ok(false) => ControlFlow::Continue(()),
            Err(open) => {
                scratch.failure.get_or_insert(open);
                ControlFlow::Continue(())
            }
        }
    }

    /// One side leads; the other must be able to follow wherever it can, and both end in the next
    /// pair.
    fn led<'a>(&self, from: &'a Pair, action: u32, output: bool) -> Act<'a> {
        let (leader, follower) = if output { (self.left, self.right) } else { (self.right, self.left) };
        let slots = &from.state.slots;
        let leading = self.world.steps(leader, slots, action);
        let knows = !leading.is_empty() && self.world.alphabet(follower).knows(action);
        let following = knows.then(|| {
            let steps = self.world.steps(follower, slots, action).into_iter();
            steps
                .map(|step| {
                    let guard = from.state.frame.constraints(&step.guard);
                    (step, guard)
                })
                .collect()
        });
        Act { action, output, leading, following, from }
    }
}

impl TransitionSystem for Pairs<'_, '_> {
    type State = Pair;
    type Label = Label;
    type Scratch = Scratch;
    type Error = Open;

    fn initial(&self, scratch: &mut Scratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), Open> {
        let Scratch { target, active, .. } = scratch;
        let state = &mut target.state;
        state.follow(&self.world.initial(), []);
        self.simulation.frame(self.world, &state.slots, active, &mut state.frame);
        state.zone = state.frame.start(self.world);
        if self.enter(scratch)? {
            let _ = visit(&scratch.target);
        }
        Ok(())
    }

    fn successors(&self, scratch: &mut Scratch, from: &Pair, visit: &mut Visit<'_, Self>) -> Result<(), Open> {
        if from.broken.is_some() {
            return Ok(());
        }
        let (world, slots) = (self.world, &from.state.slots);
        if let Some((leaf, error)) = world.error(slots) {
            return Err(Open::Failed(leaf, error));
        }
        scratch.failure = None;
        let outputs = world.outputs(self.left, slots).into_iter().map(|action| (action, true));
        let inputs = world.alphabet(self.right).inputs.iter().map(|action| (*action, false));
        for (action, output) in outputs.chain(inputs) {
            if self.act(scratch, &self.led(from, action, output), visit).is_break() {
                return Ok(());
            }
            if world.is_to_stop() {
                return Err(Open::Stopped);
            }
        }
        scratch.failure.take().map_or(Ok(()), Err)
    }
}

/// A part of the zone in which none of the guards holds: per guard which constraint is broken while
/// those before it hold. `None` if there is no such part.
fn uncovered(zone: &Zone, guards: &[(Step, Vec<Constraint>)]) -> Option<Vec<usize>> {
    let Some(((_, first), rest)) = guards.split_first() else { return Some(Vec::new()) };
    let mut inside = zone.clone();
    for (n, constraint) in first.iter().enumerate() {
        let mut outside = inside.clone();
        if outside.constrain_all(&[constraint.negated()])
            && let Some(mut choice) = uncovered(&outside, rest)
        {
            choice.insert(0, n);
            return Some(choice);
        }
        if !inside.constrain_all(&[*constraint]) {
            return None;
        }
    }
    None
}
