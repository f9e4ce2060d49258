//! The zone graph of a network: states are a discrete part and a zone over the clocks active there.
//!
//! A step intersects the zone with the guard, runs the updates, moves to the clocks that are active in the target
//! (resets, new and dropped clocks in one pass), intersects with the target's invariants and lets time pass where it may
//! (Bengtsson, Yi 2004; Daws, Yovine 1996 for active clocks). Zones are stored as they are reached; what keeps the graph
//! finite is the comparison of stored zones, by simulation (Herbreteau, Srivathsan, Walukiewicz 2012) or by inclusion after
//! extrapolation, as [`Abstraction`] says.
//!
//! Comparisons of clocks with each other make extrapolation unsound (Bouyer 2003). With them zones stay as they are, and stored
//! ones are compared by a simulation that knows these comparisons (Gastin, Mukherjee, Srivathsan 2018). Where even that does
//! not end, as with comparisons that copies shift without end, zones are compared by inclusion alone.
//!
//! What is only approximated, always from above: the passing of time with stopped clocks, and while an urgent
//! synchronisation waits for a clock guard. [`ZoneGraph::approximates`] tells whether that can happen.
//!
//! A step allocates nothing once its buffers have grown.

use crate::clock_bounds::{ClockBounds, ClockUse, DIVERGED, QueryBounds};
use crate::code::{ClockBound, ClockUpdate, Discrete, Dnf, Facts, Machine, PredicateId, RunError, RunErrorKind};
use crate::concretise::bounds_of;
use crate::packing::Packing;
use crate::precondition::without;
use crate::structure::{Structure, marks};
use crate::transitions::{Enumerator, Transitions};
use model::network::{ExprId, LocationId, Network, ProcessId, Relation};
use search::system::{self, Covering, TransitionSystem, Visit, VisitInitial};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use zones::{Bound, Constraint, Packed, Source, Zone};

/// What makes the zone graph finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// Zones are compared by the simulation that lower and upper bounds allow. For reachability.
    Simulation,
    /// Extra⁺_LU, then inclusion. For reachability; the stored zones are a certificate.
    LowerUpper,
    /// Extra⁺_M, then inclusion. Keeps deadlocks and infinite runs.
    Maximal,
    /// Inclusion of the zones as they are; need not end.
    None,
}

pub struct ZoneGraph<'n> {
    pub structure: Structure<'n>,
    packing: Packing,
    bounds: ClockBounds,
    /// Bounds that a query adds in every state.
    everywhere: Vec<ClockUse>,
    abstraction: Abstraction,
    approximates: bool,
    /// Some number was too large for zones.
    too_large: AtomicBool,
    /// A predicate that runs must not leave, at no moment: it counts as an invariant.
    within: Option<PredicateId>,
    /// There is one clock more than the network has, which is never set: the time since the start.
    has_time: bool,
    /// Some state was left out because the predicate is not convex there.
    left_out: AtomicBool,
}

/// The exact end of a path.
pub struct Followed {
    pub state: State,
    /// For each step what holds when it is taken beside its guard: where priorities cut a zone in pieces, the piece.
    pub further: Vec<Vec<ClockBound>>,
}

/// A symbolic state.
#[derive(Clone)]
pub struct State {
    pub discrete: Discrete,
    /// The discrete part, packed.
    words: Vec<u64>,
    /// What each process adds to the work.
    marks: Vec<u8>,
    /// The clocks of the zone: clock `clocks[i]` of the network is clock `i + 1` of the zone.
    pub clocks: Vec<u32>,
    pub zone: Zone,
    bounds: zones::ClockBounds,
    /// The zone as it is stored and compared.
    packed: Packed,
    /// The comparisons between clocks of the zone, and their opposites.
    cuts: Vec<Constraint>,
    /// Which clocks have been seen while the active ones are collected.
    seen: Vec<bool>,
}

impl Default for State {
    fn default() -> State {
        State {
            discrete: Discrete { locations: Vec::new(), ints: Vec::new() },
            words: Vec::new(),
            marks: Vec::new(),
            clocks: Vec::new(),
            zone: Zone::zero(1),
            bounds: zones::ClockBounds::default(),
            packed: Packed::new(),
            cuts: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl State {
    /// Takes over the discrete part of another state.
    pub(crate) fn set_discrete(&mut self, from: &State) {
        self.discrete.locations.clone_from(&from.discrete.locations);
        self.discrete.ints.clone_from(&from.discrete.ints);
        self.words.clone_from(&from.words);
        self.marks.clone_from(&from.marks);
    }
}

/// Buffers of one search.
pub struct Scratch {
    enumerator: Enumerator,
    pub transitions: Transitions,
    urgent: Transitions,
    machine: Machine,
    pub(crate) facts: Facts,
    pub(crate) updates: Vec<ClockUpdate>,
    dnf: Dnf,
    /// Position of each network clock in the source zone; 0 when it is not there.
    pub(crate) index: Vec<u32>,
    /// The clocks that have a position there.
    entered: Vec<u32>,
    /// The same while clocks of the target are collected.
    target_index: Vec<u32>,
    sources: Vec<Source>,
    constraints: Vec<Constraint>,
    stopped: Vec<bool>,
    lower: Vec<i32>,
    upper: Vec<i32>,
    pub(crate) values: Vec<(u32, ClockValue)>,
    /// Clocks that are lowered, by how much: where one is smaller there is an error.
    lowered: Vec<(u32, i32)>,
    pub(crate) target: State,
    /// The zone of the source after the guard.
    guarded: Zone,
    /// Zones are left as they are, for following one path exactly.
    exact: bool,
}

/// What a clock holds after the updates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClockValue {
    Constant(i32),
    /// The value that a clock had before, and what is added.
    Old(u32, i32),
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            enumerator: Enumerator::new(),
            transitions: Transitions::new(),
            urgent: Transitions::new(),
            machine: Machine::default(),
            facts: Facts::default(),
            updates: Vec::new(),
            dnf: Dnf::default(),
            index: Vec::new(),
            entered: Vec::new(),
            target_index: Vec::new(),
            sources: Vec::new(),
            constraints: Vec::new(),
            stopped: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            values: Vec::new(),
            lowered: Vec::new(),
            target: State::default(),
            guarded: Zone::zero(1),
            exact: false,
        }
    }
}

impl<'n> ZoneGraph<'n> {
    /// Compiles a query predicate.
    pub fn predicate(&mut self, predicate: ExprId) -> PredicateId {
        self.structure.programs.predicate(predicate)
    }

    /// `query` is what the query compares clocks with, see [`ClockBounds::of_predicate`].
    pub fn new(network: &'n Network, abstraction: Abstraction, query: QueryBounds) -> ZoneGraph<'n> {
        let structure = Structure::new(network);
        let bounds = ClockBounds::new(network, &query, structure.has_priorities);
        ZoneGraph {
            packing: Packing::new(network),
            abstraction: if bounds.diverges { Abstraction::None } else { abstraction },
            bounds,
            everywhere: query.uses,
            approximates: has_rates(network) || structure.has_guarded_urgency(),
            too_large: AtomicBool::new(false),
            within: None,
            has_time: false,
            left_out: AtomicBool::new(false),
            structure,
        }
    }

    /// Cuts the graph down to runs on which a predicate holds at every moment. States where it is a disjunction of clock
    /// constraints are left out, and [`ZoneGraph::left_out`] says so.
    pub fn stay_within(&mut self, predicate: PredicateId) {
        self.within = Some(predicate);
    }

    pub fn within(&self) -> Option<PredicateId> {
        self.within
    }

    pub fn left_out(&self) -> bool {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Adds the bounds of the predicate to stay within to `scratch.facts`. `false` when it does not hold at all.
    fn within_facts(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        let Some(predicate) = self.within else { return Ok(true) };
        let Scratch { machine, facts, target, dnf, .. } = scratch;
        dnf.clear();
        machine.predicate(&self.structure.programs, predicate, &target.discrete, dnf)?;
        if dnf.is_true() {
            return Ok(true);
        }
        let mut cases = dnf.iter();
        let (first, more) = (cases.next(), cases.next().is_some());
        let Some(case) = first else { return Ok(false) };
        if more || case.deadlock.is_some() || case.bounds.iter().any(|bound| bound.relation == Relation::Ne) {
            self.left_out.store(true, Ordering::Relaxed);
            return Ok(false);
        }
        facts.bounds.extend_from_slice(case.bounds);
        Ok(true)
    }

    /// Whether the predicate to stay within constrains clocks in a discrete state.
    pub fn within_has_bounds(&self, scratch: &mut Scratch, state: &State) -> Result<bool, RunError> {
        let Some(predicate) = self.within else { return Ok(false) };
        scratch.dnf.clear();
        scratch.machine.predicate(&self.structure.programs, predicate, &state.discrete, &mut scratch.dnf)?;
        Ok(!scratch.dnf.is_true())
    }

    /// The largest constant that a clock is compared with anywhere; `None` when it is compared with none.
    pub fn largest_constant(&self, clock: u32) -> Option<i32> {
        let everywhere = self.everywhere.iter().filter(|usage| usage.clock == clock);
        everywhere
            .chain(self.bounds.all().filter(|usage| usage.clock == clock))
            .filter_map(|u| u.lower.max(u.upper))
            .max()
    }

    /// Adds a clock that is never set, the time since the start, and gives its number. Its lower bounds are kept up to the
    /// limit; a state that is reached earlier covers one that is reached later.
    pub fn measure_time(&mut self, limit: i32) -> u32 {
        let clock = self.network().clocks.len() as u32;
        self.has_time = true;
        self.everywhere.push(ClockUse { clock, lower: None, upper: Some(limit) });
        clock
    }

    /// The clocks of the network, and the time since the start when it is measured.
    pub(crate) fn clock_count(&self) -> usize {
        self.network().clocks.len() + usize::from(self.has_time)
    }

    /// Whether the graph may have more than the network: stopwatches, and urgent synchronisations with clock guards.
    pub fn approximates(&self) -> bool {
        self.approximates
    }

    /// Whether some number was too large for zones so far. Nothing that was found out then is proved.
    pub fn too_large(&self) -> bool {
        self.too_large.load(Ordering::Relaxed)
    }

    fn note_too_large(&self) {
        self.too_large.store(true, Ordering::Relaxed);
    }

    /// As [`push_constraints`], watching the size of the number.
    pub(crate) fn constrain(&self, bound: &ClockBound, index: &[u32], out: &mut Vec<Constraint>) {
        if i64::from(bound.bound).abs() > DIVERGED {
            self.note_too_large();
        }
        push_constraints(bound, index, out);
    }

    /// Whether stored zones are compared knowing the comparisons between clocks.
    fn knows_cuts(&self) -> bool {
        self.abstraction != Abstraction::None && !self.bounds.cuts.is_empty()
    }

    pub fn network(&self) -> &'n Network {
        self.structure.network
    }

    /// The bounds within which states are compared by simulation.
    fn simulation<'s>(&self, state: &'s State) -> Option<&'s zones::ClockBounds> {
        (self.abstraction == Abstraction::Simulation).then_some(&state.bounds)
    }

    /// The clocks active in a discrete state, with their bounds.
    fn activate(&self, scratch: &mut Scratch) {
        let Scratch { target, target_index, lower, upper, .. } = scratch;
        target_index.resize(self.clock_count(), 0);
        target.clocks.clear();
        lower.clear();
        upper.clear();
        let none = zones::ClockBounds::NONE;
        let mut add = |usage: &ClockUse, clocks: &mut Vec<u32>| {
            let at = &mut target_index[usage.clock as usize];
            let (low, high) = (usage.lower.unwrap_or(none), usage.upper.unwrap_or(none));
            let (low, high) =
                if self.abstraction == Abstraction::Maximal { (low.max(high), low.max(high)) } else { (low, high) };
            if *at == 0 {
                clocks.push(usage.clock);
                *at = clocks.len() as u32;
                lower.push(low);
                upper.push(high);
            } else {
                let n = *at as usize - 1;
                lower[n] = lower[n].max(low);
                upper[n] = upper[n].max(high);
            }
        };
        for usage in &self.everywhere {
            add(usage, &mut target.clocks);
        }
        for process in marks::with(&target.marks, marks::CLOCKS) {
            for usage in self.bounds.at(process, target.discrete.locations[process].index()) {
                add(usage, &mut target.clocks);
            }
        }
        for clock in &target.clocks {
            target_index[*clock as usize] = 0;
        }
        target.bounds.set(lower, upper);
    }

    /// Evaluates the invariants of the target into `scratch.facts`. `false` when an integer part does not hold.
    pub(crate) fn invariant_facts(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        let Scratch { machine, facts, target, .. } = scratch;
        facts.clear();
        let structure = &self.structure;
        for process in marks::with(&target.marks, marks::INVARIANT) {
            let location = target.discrete.locations[process];
            let Some(invariant) = structure.location(process, location).invariant else { continue };
            let id = ProcessId::new(process);
            if !machine.condition(&structure.programs, invariant, id, &[], &target.discrete, facts)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts the invariants of the target into `constraints`, and which of its clocks stand still into `stopped`.
    /// `false` when an integer invariant does not hold.
    fn invariants(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        if !self.invariant_facts(scratch)? || !self.within_facts(scratch)? {
            return Ok(false);
        }
        let Scratch { facts, target, constraints, stopped, target_index, .. } = scratch;
        constraints.clear();
        for (n, clock) in target.clocks.iter().enumerate() {
            target_index[*clock as usize] = n as u32 + 1;
        }
        for bound in &facts.bounds {
            self.constrain(bound, target_index, constraints);
        }
        stopped.clear();
        stopped.resize(target.clocks.len() + 1, false);
        for (clock, rate) in &facts.rates {
            let n = target_index[clock.index()] as usize;
            if *rate == 0 && n > 0 {
                stopped[n] = true;
            }
        }
        for clock in &target.clocks {
            target_index[*clock as usize] = 0;
        }
        Ok(true)
    }

    /// Whether time can pass in the target.
    pub(crate) fn time_passes(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        let Scratch { enumerator, urgent, target, .. } = scratch;
        let structure = &self.structure;
        if marks::any(&target.marks, marks::NO_DELAY) {
            return Ok(false);
        }
        if !marks::any(&target.marks, marks::URGENT_EDGE) {
            return Ok(true);
        }
        Ok(enumerator.urgent(structure, &target.discrete, urgent)? != Some(true))
    }

    /// Intersects the target with its invariants and lets time pass. `false` when nothing is left.
    fn settle(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        if !self.invariants(scratch)? {
            return Ok(false);
        }
        if !scratch.target.zone.constrain_all(&scratch.constraints) {
            return Ok(false);
        }
        if self.time_passes(scratch)? {
            let Scratch { target, constraints, stopped, .. } = scratch;
            if stopped.contains(&true) {
                target.zone.up_stopped(stopped);
                if !target.zone.constrain_all(constraints) {
                    return Ok(false);
                }
            } else if !target.zone.delay_within(constraints) {
                return Ok(false);
            }
        }
        let Scratch { target: State { zone, clocks, bounds, packed, cuts, .. }, target_index, .. } = scratch;
        if zone.overflowed() {
            self.note_too_large();
        }
        let mut abstraction = if scratch.exact { Abstraction::None } else { self.abstraction };
        if self.knows_cuts() {
            abstraction = Abstraction::None;
            self.cut(clocks, target_index, cuts);
        }
        match abstraction {
            Abstraction::LowerUpper | Abstraction::Simulation => zone.extrapolate_lu_plus(bounds),
            Abstraction::Maximal => zone.extrapolate_m_plus(bounds),
            Abstraction::None => {}
        }
        packed.set(zone);
        Ok(true)
    }

    /// The comparisons between clocks of a zone, and their opposites.
    fn cut(&self, clocks: &[u32], index: &mut [u32], cuts: &mut Vec<Constraint>) {
        cuts.clear();
        for (n, clock) in clocks.iter().enumerate() {
            index[*clock as usize] = n as u32 + 1;
        }
        for cut in &self.bounds.cuts {
            let (left, right) = (index[cut.plus as usize], index[cut.minus as usize]);
            if left > 0 && right > 0 {
                let bound = if cut.strict { Bound::lt(cut.constant) } else { Bound::le(cut.constant) };
                let constraint = Constraint { left, right, bound };
                cuts.extend([constraint, constraint.negated()]);
            }
        }
        for clock in clocks {
            index[*clock as usize] = 0;
        }
    }

    /// Whether the simulation that knows the comparisons between clocks covers a zone by another; `by` is the state for whose
    /// location both are.
    fn simulated(&self, zone: &Zone, other: &Zone, by: &State) -> bool {
        zone.is_simulated_by(other, &by.bounds, &by.cuts)
    }

    /// Makes the source's clocks known to `scratch.index`.
    pub(crate) fn enter(&self, scratch: &mut Scratch, from: &State) {
        let Scratch { index, entered, .. } = scratch;
        index.resize(self.clock_count(), 0);
        for clock in entered.drain(..) {
            index[clock as usize] = 0;
        }
        for (n, clock) in from.clocks.iter().enumerate() {
            index[*clock as usize] = n as u32 + 1;
        }
        entered.extend_from_slice(&from.clocks);
    }

    /// Runs the updates of a transition on the target's discrete part, which starts as the source's.
    pub(crate) fn update(&self, scratch: &mut Scratch, from: &State, index: usize) -> Result<(), RunError> {
        let Scratch { machine, transitions, updates, target, .. } = scratch;
        let moves = transitions.moves(index);
        target.set_discrete(from);
        updates.clear();
        self.structure.act(machine, moves, &mut target.discrete, updates)?;
        self.packing.set_changed(&mut target.words, &from.discrete.ints, &target.discrete.ints);
        for process in moves.iter().map(|one| one.process as usize) {
            let location = target.discrete.locations[process];
            self.packing.set_location(&mut target.words, process, location);
            target.marks[process] = self.marks_at(process, location);
        }
        Ok(())
    }

    fn marks_at(&self, process: usize, location: LocationId) -> u8 {
        let has_clocks = !self.bounds.at(process, location.index()).is_empty();
        self.structure.location(process, location).marks | if has_clocks { marks::CLOCKS } else { 0 }
    }

    /// Fills in the marks of a state whose locations are known.
    fn mark(&self, state: &mut State) {
        state.marks.clear();
        let locations = state.discrete.locations.iter().enumerate();
        state.marks.extend(locations.map(|(process, location)| self.marks_at(process, *location)));
    }

    /// What each assigned clock holds after the updates of a transition that is taken from `scratch.guarded`.
    pub(crate) fn assigned(&self, scratch: &mut Scratch, index: usize) -> Result<(), RunError> {
        let Scratch { updates, values, lowered, transitions, guarded, index: source_index, .. } = scratch;
        values.clear();
        lowered.clear();
        for update in updates.iter() {
            let target = update.target.index() as u32;
            let value = match update.source {
                None => ClockValue::Constant(update.offset),
                Some(source) => {
                    let source = source.index() as u32;
                    let current = values.iter().find(|(clock, _)| *clock == source).map(|(_, value)| *value);
                    match current.unwrap_or(ClockValue::Old(source, 0)) {
                        ClockValue::Constant(value) => ClockValue::Constant(value.saturating_add(update.offset)),
                        ClockValue::Old(clock, offset) => ClockValue::Old(clock, offset.saturating_add(update.offset)),
                    }
                }
            };
            match value {
                ClockValue::Constant(value) if value < 0 => return Err(self.negative(transitions, index, value)),
                ClockValue::Old(clock, offset) if offset < 0 => lowered.push((clock, offset)),
                _ => {}
            }
            match values.iter_mut().find(|(clock, _)| *clock == target) {
                Some((_, known)) => *known = value,
                None => values.push((target, value)),
            }
        }
        for (clock, offset) in lowered {
            let n = source_index[*clock as usize] as usize;
            if n > 0 && guarded.lower(n) > Bound::le(self.settable(*offset)) {
                return Err(self.negative(transitions, index, *offset));
            }
        }
        Ok(())
    }

    /// The error of a transition that sets a clock to a negative value.
    fn negative(&self, transitions: &Transitions, index: usize, value: i32) -> RunError {
        let first = transitions.moves(index)[0];
        let process = ProcessId::new(first.process as usize);
        let template = self.network().template_of(process);
        let edge = template.edge(template.expanded[first.expanded as usize].edge);
        RunError { kind: RunErrorKind::NegativeClock { value }, span: edge.span, process }
    }

    /// A number that a clock is set to, as far as zones can hold it.
    fn settable(&self, value: i32) -> i32 {
        if i64::from(value).abs() > DIVERGED {
            self.note_too_large();
        }
        value.clamp(-(DIVERGED as i32), DIVERGED as i32)
    }

    /// Takes a transition from `scratch.guarded`, the source's zone within the guard. `false`: there is no successor.
    fn take(&self, scratch: &mut Scratch, from: &State, index: usize) -> Result<bool, RunError> {
        self.update(scratch, from, index)?;
        self.activate(scratch);
        self.assigned(scratch, index)?;
        let Scratch { target, sources, values, index: source_index, guarded, .. } = scratch;
        sources.clear();
        let mut shifts = false;
        for clock in &target.clocks {
            let value = values.iter().find(|(assigned, _)| assigned == clock).map(|(_, value)| *value);
            sources.push(match value.unwrap_or(ClockValue::Old(*clock, 0)) {
                ClockValue::Constant(value) => Source::Value(self.settable(value)),
                ClockValue::Old(old, offset) => {
                    shifts |= offset != 0;
                    match source_index[old as usize] {
                        0 => Source::Free,
                        n => Source::Keep(n),
                    }
                }
            });
        }
        target.zone.copy_from(guarded);
        target.zone.remap(sources);
        if shifts {
            for (n, clock) in target.clocks.iter().enumerate() {
                let value = values.iter().find(|(assigned, _)| assigned == clock).map(|(_, value)| *value);
                if let Some(ClockValue::Old(_, offset)) = value
                    && offset != 0
                    && !target.zone.shift(n + 1, self.settable(offset))
                {
                    return Ok(false);
                }
            }
        }
        self.settle(scratch)
    }

    /// Intersects the source's zone with the guard of a transition, into `scratch.guarded`.
    pub(crate) fn guard(&self, scratch: &mut Scratch, from: &State, index: usize) -> bool {
        let Scratch { transitions, guarded, constraints, index: source_index, .. } = scratch;
        guarded.copy_from(&from.zone);
        constraints.clear();
        for bound in transitions.bounds(index) {
            self.constrain(bound, source_index, constraints);
        }
        guarded.constrain_all(constraints)
    }

    /// Successors where transitions of higher priority block others: each guard without the preconditions of those.
    fn successors_by_priority(
        &self,
        scratch: &mut Scratch,
        from: &State,
        visit: &mut Visit<'_, Self>,
    ) -> Result<(), RunError> {
        let preconditions = self.preconditions(scratch, from)?;
        for index in 0..preconditions.len() {
            for piece in self.pieces(scratch, from, index, &preconditions) {
                scratch.guarded.copy_from(&piece);
                if self.take(scratch, from, index)?
                    && let ControlFlow::Break(()) = visit(index as u32, &scratch.target)
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The priority and the precondition of each transition.
    fn preconditions(&self, scratch: &mut Scratch, from: &State) -> Result<Vec<Precondition>, RunError> {
        (0..scratch.transitions.len())
            .map(|index| Ok((scratch.transitions.get(index).priority, self.precondition(scratch, from, index)?)))
            .collect()
    }

    /// Where a transition's guard holds and no transition of higher priority exists.
    fn pieces(&self, scratch: &mut Scratch, from: &State, index: usize, preconditions: &[Precondition]) -> Vec<Zone> {
        if !self.guard(scratch, from, index) {
            return Vec::new();
        }
        let own = preconditions[index].0;
        let mut pieces = vec![scratch.guarded.clone()];
        for (_, blocker) in preconditions.iter().filter(|(priority, _)| *priority > own) {
            let Some(blocker) = blocker else { continue };
            let whole = std::mem::take(&mut pieces);
            whole.into_iter().for_each(|zone| without(zone, blocker, &mut pieces));
        }
        pieces
    }

    /// The exact states at the end of a path. There may be several where priorities cut a zone in pieces, and none where
    /// the path exists only by approximation.
    pub fn follow(&self, labels: &[u32]) -> Result<Vec<Followed>, RunError> {
        let mut scratch = Scratch { exact: true, ..Scratch::default() };
        let mut ends = Vec::new();
        self.initial(&mut scratch, &mut |state| {
            ends.push(Followed { state: state.clone(), further: Vec::new() });
            ControlFlow::Continue(())
        })?;
        for label in labels {
            let mut next = Vec::new();
            for end in &ends {
                self.follow_one(&mut scratch, end, *label as usize, &mut next)?;
            }
            ends = next;
        }
        Ok(ends)
    }

    fn follow_one(
        &self,
        scratch: &mut Scratch,
        end: &Followed,
        index: usize,
        next: &mut Vec<Followed>,
    ) -> Result<(), RunError> {
        let from = &end.state;
        self.enumerate(scratch, &from.discrete)?;
        self.enter(scratch, from);
        if index >= scratch.transitions.len() {
            return Ok(());
        }
        if !self.structure.has_priorities {
            if self.guard(scratch, from, index) && self.take(scratch, from, index)? {
                next.push(Followed { state: scratch.target.clone(), further: Vec::new() });
            }
            return Ok(());
        }
        let preconditions = self.preconditions(scratch, from)?;
        for piece in self.pieces(scratch, from, index, &preconditions) {
            scratch.guarded.copy_from(&piece);
            if self.take(scratch, from, index)? {
                let further = end.further.iter().cloned().chain([bounds_of(&from.clocks, &piece)]).collect();
                next.push(Followed { state: scratch.target.clone(), further });
            }
        }
        Ok(())
    }

    /// All transitions of a state by integers, into `scratch.transitions`.
    pub fn enumerate(&self, scratch: &mut Scratch, from: &Discrete) -> Result<(), RunError> {
        let Scratch { enumerator, transitions, .. } = scratch;
        enumerator.all(&self.structure, from, transitions)
    }
}

impl TransitionSystem for ZoneGraph<'_> {
    type State = State;
    /// The position among the transitions of the discrete state.
    type Label = u32;
    type Scratch = Scratch;
    type Error = RunError;

    fn initial(&self, scratch: &mut Scratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), RunError> {
        scratch.target.discrete = Discrete::initial(self.network());
        scratch.target.words.resize(self.packing.words(), 0);
        self.packing.pack(&scratch.target.discrete, &mut scratch.target.words);
        self.mark(&mut scratch.target);
        self.activate(scratch);
        let clocks = &self.network().clocks;
        let Scratch { target, sources, .. } = scratch;
        sources.clear();
        sources.extend(target.clocks.iter().map(
            |clock| match clocks.get(*clock as usize).map(|clock| clock.initial) {
                Some(model::network::ClockInitial::Int(value)) => Source::Value(self.settable(value.max(0))),
                Some(model::network::ClockInitial::Double(_)) => Source::Free,
                None => Source::Value(0),
            },
        ));
        target.zone.set_zero(1);
        target.zone.remap(sources);
        if self.settle(scratch)? {
            let _ = visit(&scratch.target);
        }
        Ok(())
    }

    fn successors(&self, scratch: &mut Scratch, from: &State, visit: &mut Visit<'_, Self>) -> Result<(), RunError> {
        self.enumerate(scratch, &from.discrete)?;
        self.enter(scratch, from);
        if self.structure.has_priorities {
            return self.successors_by_priority(scratch, from, visit);
        }
        for index in 0..scratch.transitions.len() {
            if self.guard(scratch, from, index)
                && self.take(scratch, from, index)?
                && let ControlFlow::Break(()) = visit(index as u32, &scratch.target)
            {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Covering for ZoneGraph<'_> {
    type Unit = i16;

    fn key_words(&self) -> usize {
        self.packing.words()
    }

    fn key(&self, state: &State, words: &mut [u64]) {
        words.copy_from_slice(&state.words);
    }

    fn pack(&self, state: &State, units: &mut Vec<i16>) {
        units.extend_from_slice(state.packed.units());
    }

    fn unpack(&self, key: &[u64], payload: &[i16], state: &mut State) {
        self.packing.unpack(key, &mut state.discrete);
        state.words.clear();
        state.words.extend_from_slice(key);
        self.mark(state);
        let State { discrete, marks, clocks, seen, .. } = state;
        clocks.clear();
        seen.resize(self.clock_count(), false);
        let mut add = |usage: &ClockUse| {
            if !std::mem::replace(&mut seen[usage.clock as usize], true) {
                clocks.push(usage.clock);
            }
        };
        self.everywhere.iter().for_each(&mut add);
        for process in marks::with(marks, marks::CLOCKS) {
            self.bounds.at(process, discrete.locations[process].index()).iter().for_each(&mut add);
        }
        for clock in clocks.iter() {
            seen[*clock as usize] = false;
        }
        state.zone.unpack(state.clocks.len() + 1, payload);
    }

    fn relate(&self, stored: &[i16], new: &State) -> system::Relation {
        if self.knows_cuts() {
            let mut other = Zone::zero(1);
            other.unpack(new.clocks.len() + 1, stored);
            return if self.simulated(&new.zone, &other, new) {
                system::Relation::Covers
            } else if self.simulated(&other, &new.zone, new) {
                system::Relation::Covered
            } else {
                system::Relation::Neither
            };
        }
        if new.packed.is_covered_by(stored, self.simulation(new)) {
            system::Relation::Covers
        } else if self.is_covered(stored, new) {
            system::Relation::Covered
        } else {
            system::Relation::Neither
        }
    }

    fn is_covered(&self, stored: &[i16], new: &State) -> bool {
        if self.knows_cuts() {
            let mut other = Zone::zero(1);
            other.unpack(new.clocks.len() + 1, stored);
            return self.simulated(&other, &new.zone, new);
        }
        new.packed.covers(stored, self.simulation(new))
    }
}

/// Channel and process priority, and the constraints under which a transition exists.
type Precondition = ((u32, u32), Option<Vec<Constraint>>);

/// A clock bound as constraints on a zone whose clocks stand where `index` says. A clock that is not there is not
/// constrained: it is inactive, so nothing depends on it.
pub(crate) fn push_constraints(bound: &ClockBound, index: &[u32], out: &mut Vec<Constraint>) {
    let at = |clock: Option<model::network::ClockId>| {
        clock.map_or(Some(0), |clock| Some(index[clock.index()]).filter(|n| *n > 0))
    };
    let (Some(plus), Some(minus)) = (at(bound.plus), at(bound.minus)) else { return };
    let mut push = |left: u32, right: u32, constant: i32, strict: bool| {
        let bound = if strict { Bound::try_lt(constant) } else { Bound::try_le(constant) };
        if left == right {
            // `x - x` is 0: the constraint holds always or never.
            if constant < 0 || strict && constant == 0 {
                out.push(Constraint { left: left.max(1), right: 0, bound: Bound::LT_ZERO });
            }
            return;
        }
        // Beyond what a bound can hold: larger than every value, or smaller.
        let limit = Bound::MAX_CONSTANT;
        let bound = bound.unwrap_or(if constant > 0 { Bound::le(limit) } else { Bound::le(-limit) });
        out.push(Constraint { left, right, bound });
    };
    let constant = bound.bound;
    match bound.relation {
        Relation::Lt => push(plus, minus, constant, true),
        Relation::Le => push(plus, minus, constant, false),
        Relation::Ge => push(minus, plus, constant.saturating_neg(), false),
        Relation::Gt => push(minus, plus, constant.saturating_neg(), true),
        Relation::Eq => {
            push(plus, minus, constant, false);
            push(minus, plus, constant.saturating_neg(), false);
        }
        // Only in predicates, which split it.
        Relation::Ne => {}
    }
}

/// Whether some invariant sets the rate of a clock.
fn has_rates(network: &Network) -> bool {
    let mut found = false;
    for location in network.templates.iter().flat_map(|template| &template.locations) {
        let Some(invariant) = location.invariant else { continue };
        network.code.walk(invariant, &mut |_, expr| found |= matches!(expr, model::network::Expr::Rate { .. }));
    }
    found
}
