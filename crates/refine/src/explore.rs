//! What one system can reach when its environment sends any input at any time, as a transition
//! system of `search`: a discrete state with a zone in which time has passed, extrapolated by M
//! bounds and compared by inclusion. Being where a component cannot be evaluated is an error of the
//! model.
//!
//! What is looked for is a goal of the search, which is asked of every state when it is stored.
//! What else has to know all that is reached takes it from the store ([`reached`]).

use crate::error::{GoOn, Open};
use crate::frame::{Active, Frame};
use crate::local_levels::LocalLevels;
use crate::world::{NodeId, Slots, Step, World};
use crate::zone_state::{ZoneState, read_key, stored, words_of, write_key};
use search::frontier::Fifo;
use search::goal::{Goal, state_goal};
use search::per_state::StateId;
use search::search::{Search, Stop};
use search::strategy::Strategy;
use search::system::{Covering, Levelled, Relation, TransitionSystem, Visit, VisitInitial};
use std::collections::HashMap;
use std::sync::OnceLock;
use zones::{Bound, Constraint, Source, Zone};

/// A discrete state with the zones found for it, time having passed in them.
#[derive(Clone, Debug)]
pub struct Reached {
    pub slots: Box<[u32]>,
    pub frame: Frame,
    pub zones: Vec<Zone>,
}

/// Whether the initial valuation meets the invariant of the initial state.
pub fn starts(world: &World<'_>, system: NodeId) -> bool {
    let slots = world.initial();
    let mut invariant = Vec::new();
    world.invariant(system, &slots, &mut invariant);
    let frame = Frame::new(world, &[system], &slots);
    let never = |one: &&Constraint| one.left == 0 && one.right == 0;
    !invariant.iter().any(|one| never(&one)) && frame.start(world).constrain_all(&frame.constraints(&invariant))
}

/// Where an exploration begins, and which clocks it keeps although the system does not need them.
#[derive(Clone, Debug)]
pub struct Start<'s> {
    pub slots: Vec<u32>,
    /// Conjunctions over the clocks; `None` for the values that clocks have at the start.
    pub clocks: Option<&'s [Vec<Constraint>]>,
    pub watched: &'s [(u32, i32)],
}

/// One system as a transition system.
pub struct Exploration<'s, 'n> {
    world: &'s World<'n>,
    system: NodeId,
    start: Start<'s>,
    levels: OnceLock<LocalLevels>,
}

/// Which step of which action.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Label {
    pub action: u32,
    pub step: u32,
}

#[derive(Default)]
pub struct Scratch {
    target: ZoneState,
    active: Active,
    invariant: Vec<Constraint>,
    sources: Vec<Source>,
}

impl<'s, 'n> Exploration<'s, 'n> {
    pub fn new(world: &'s World<'n>, system: NodeId, start: Start<'s>) -> Exploration<'s, 'n> {
        Exploration { world, system, start, levels: OnceLock::new() }
    }

    /// From the initial state of the system.
    pub fn initial(world: &'s World<'n>, system: NodeId) -> Exploration<'s, 'n> {
        Exploration::new(world, system, Start { slots: world.initial(), clocks: None, watched: &[] })
    }

    /// The steps that labels from the start stand for.
    pub fn path(&self, labels: &[Label]) -> Vec<(u32, Step)> {
        let mut slots = self.start.slots.clone();
        let mut path = Vec::with_capacity(labels.len());
        for Label { action, step } in labels {
            let steps = self.world.steps(self.system, &slots, *action);
            let Some(step) = steps.into_iter().nth(*step as usize) else { break };
            step.changes.iter().for_each(|(slot, value)| slots[*slot as usize] = *value);
            path.push((*action, step));
        }
        path
    }

    /// Breadth-first search for a state in which a predicate holds.
    pub fn search<'e, P: FnMut(&ZoneState) -> bool>(
        &'e self,
        holds: P,
    ) -> Search<'e, Exploration<'s, 'n>, impl Goal<Exploration<'s, 'n>> + use<'e, 's, 'n, P>, Fifo> {
        Search::new(self, state_goal(holds), Fifo::default())
    }

    fn frame(&self, slots: &Slots, active: &mut Active, frame: &mut Frame) {
        active.watch(self.world, &[self.system], slots, self.start.watched);
        frame.set(active);
    }

    /// Lets time pass; `false` if the zone does not meet the invariant.
    fn enter(&self, scratch: &mut Scratch) -> Result<bool, Open> {
        let Scratch { target, invariant, .. } = scratch;
        invariant.clear();
        self.world.invariant(self.system, &target.slots, invariant);
        if !target.zone.delay_within(&target.frame.constraints(invariant)) {
            return Ok(false);
        }
        target.frame.extrapolate(&mut target.zone);
        if target.zone.overflowed() {
            return Err(Open::Overflow);
        }
        match self.world.error(&target.slots) {
            Some((leaf, error)) => Err(Open::Failed(leaf, error)),
            None => Ok(true),
        }
    }

    /// Takes a step; `false` if it is not possible.
    fn take(&self, scratch: &mut Scratch, from: &ZoneState, step: &Step) -> Result<bool, Open> {
        let Scratch { target, active, sources, .. } = scratch;
        target.zone.copy_from(&from.zone);
        if !target.zone.constrain_all(&from.frame.constraints(&step.guard)) {
            return Ok(false);
        }
        if let Some((leaf, error)) = step.error {
            return Err(Open::Failed(leaf, error));
        }
        target.follow(&from.slots, &step.changes);
        self.frame(&target.slots, active, &mut target.frame);
        target.frame.receive(&mut target.zone, &from.frame, &step.resets, sources);
        self.enter(scratch)
    }
}

impl TransitionSystem for Exploration<'_, '_> {
    type State = ZoneState;
    type Label = Label;
    type Scratch = Scratch;
    type Error = Open;

    fn initial(&self, scratch: &mut Scratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), Open> {
        let Scratch { target, active, .. } = scratch;
        target.follow(&self.start.slots, []);
        self.frame(&target.slots, active, &mut target.frame);
        let zones: Vec<Zone> = match self.start.clocks {
            None => vec![target.frame.start(self.world)],
            Some(cases) => cases.iter().filter_map(|case| target.frame.where_all(case)).collect(),
        };
        for zone in zones {
            scratch.target.zone = zone;
            if self.enter(scratch)? && visit(&scratch.target).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn successors(&self, scratch: &mut Scratch, from: &ZoneState, visit: &mut Visit<'_, Self>) -> Result<(), Open> {
        let mut failure = None;
        for action in self.world.actions(self.system, &from.slots) {
            for (n, step) in (0..).zip(self.world.steps(self.system, &from.slots, action)) {
                match self.take(scratch, from, &step) {
                    Ok(true) => {
                        if visit(Label { action, step: n }, &scratch.target).is_break() {
                            return Ok(());
                        }
                    }
                    Ok(false) => {}
                    Err(open) => failure = failure.or(Some(open)),
                }
            }
            if self.world.is_to_stop() {
                return Err(Open::Stopped);
            }
        }
        failure.map_or(Ok(()), Err)
    }
}

impl Covering for Exploration<'_, '_> {
    type Unit = Bound;

    fn key_words(&self) -> usize {
        words_of(self.world.slots)
    }

    fn key(&self, state: &ZoneState, words: &mut [u64]) {
        write_key(&state.slots, words);
    }

    fn pack(&self, state: &ZoneState, units: &mut Vec<Bound>) {
        state.zone.store(units);
    }

    fn unpack(&self, key: &[u64], payload: &[Bound], state: &mut ZoneState) {
        read_key(key, self.world.slots, &mut state.slots);
        self.frame(&state.slots, &mut Active::default(), &mut state.frame);
        state.zone.load(stored(&state.frame, payload));
    }

    fn relate(&self, known: &[Bound], new: &ZoneState) -> Relation {
        if new.zone.is_subset_of(stored(&new.frame, known)) {
            Relation::Covers
        } else if self.is_covered(known, new) {
            Relation::Covered
        } else {
            Relation::Neither
        }
    }

    fn is_covered(&self, known: &[Bound], new: &ZoneState) -> bool {
        new.zone.is_superset_of(stored(&new.frame, known))
    }
}

impl Levelled for Exploration<'_, '_> {
    fn level(&self, state: &ZoneState) -> u32 {
        self.levels.get_or_init(|| LocalLevels::new(self.world)).of(self.world, &state.slots)
    }

    fn is_largest(&self, state: &ZoneState) -> bool {
        state.is_largest()
    }
}

/// Steps until something is found; `None`: everything was visited, and nothing is.
pub fn drive<S: Strategy<Error = Open>>(search: &mut S, go_on: &mut GoOn<'_>) -> Result<Option<StateId>, Open> {
    loop {
        if !go_on(&search.statistics()) {
            return Err(Open::Stopped);
        }
        match search.step() {
            None => {}
            Some(Stop::Found(id)) => return Ok(Some(id)),
            Some(Stop::Exhausted { proof: true }) => return Ok(None),
            Some(Stop::Failed { error, .. }) => return Err(error),
            Some(Stop::Exhausted { proof: false } | Stop::OutOfBudget(_) | Stop::Cancelled) => {
                return Err(Open::Stopped);
            }
        }
    }
}

/// Whether a state is reachable in which a predicate holds.
pub fn reaches(
    world: &World<'_>,
    system: NodeId,
    go_on: &mut GoOn<'_>,
    holds: impl FnMut(&ZoneState) -> bool,
) -> Result<bool, Open> {
    if !starts(world, system) {
        return Err(Open::NoStart);
    }
    let exploration = Exploration::initial(world, system);
    Ok(drive(&mut exploration.search(holds), go_on)?.is_some())
}

/// All discrete states that are reachable from the initial one, which comes first, with all their
/// zones. `look` sees every zone that is stored.
pub fn reached(
    world: &World<'_>,
    system: NodeId,
    go_on: &mut GoOn<'_>,
    mut look: impl FnMut(&ZoneState),
) -> Result<Vec<Reached>, Open> {
    if !starts(world, system) {
        return Err(Open::NoStart);
    }
    let exploration = Exploration::initial(world, system);
    let mut search = exploration.search(|state| {
        look(state);
        false
    });
    drive(&mut search, go_on)?;
    let initial = world.initial();
    let frame = Frame::new(world, &[system], &initial);
    let mut index: HashMap<Vec<u32>, usize> = HashMap::from([(initial.clone(), 0)]);
    let mut all = vec![Reached { slots: initial.into(), frame, zones: Vec::new() }];
    search.each_stored(&mut |state| {
        let at = *index.entry(state.slots.clone()).or_insert_with(|| {
            let (slots, frame) = (state.slots.clone().into(), state.frame.clone());
            all.push(Reached { slots, frame, zones: Vec::new() });
            all.len() - 1
        });
        all[at].zones.push(state.zone.clone());
    });
    Ok(all)
}

/// About what a stored zone takes.
pub(crate) fn bytes_of(zone: &Zone) -> u64 {
    64 + 4 * (zone.dim() * zone.dim().next_multiple_of(8)) as u64
}
