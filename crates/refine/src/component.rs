//! Components: a process of the network as a timed I/O automaton without code.
//!
//! The integers of a component are its own, so the component is unfolded over them before anything is asked: a local state
//! is a location with the values of the integers, and its edges have guards, resets and targets with all expressions
//! evaluated. What functions, selects, parameters and channel arrays say is thereby gone, and operators and rules work on constraints
//! alone. Unfolding does not look at clocks; an evaluation that fails stays as an edge that fails when it is taken.
//!
//! A component is input-enabled: where no edge of an input is possible, the input is ignored. In an urgent local state
//! no time passes: entering it resets a clock that must stay at 0. Per local state the largest constant that each clock is
//! compared with from there on is known (as in [`zones::ClockBounds`], M bounds); a clock without one is not active.
//!
//! Constants are divided by their greatest common divisor, which changes the unit of time and nothing else; a model in
//! nanoseconds fits into zones that way.

use crate::error::Unfit;
use semantics::Direction;
use semantics::code::{ClockBound, Discrete, Effects, Facts, Machine, RunError};
use semantics::network::{Base, ClockInitial, LocationId, LocationKind, Network, ProcessId, Relation};
use semantics::reads::reads_in;
use semantics::structure::Structure;
use semantics::transitions::Move;
use std::collections::{HashMap, HashSet};
use zones::{Bound, ClockBounds, Constraint, Federation, Zone};

/// Beyond so many local states a component is not unfolded.
const LOCAL_STATES: usize = 1 << 18;
/// Beyond so many edges neither.
const LOCAL_EDGES: usize = 1 << 22;

/// `clock ≺ constant` or `constant ≺ clock`; clocks of a component count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limit {
    pub clock: u32,
    pub upper: bool,
    pub constant: i32,
    pub strict: bool,
}

#[derive(Debug)]
pub struct Component {
    pub process: ProcessId,
    pub name: String,
    /// Channels, ascending.
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
    /// How many clocks it has, that of urgency included.
    pub clocks: usize,
    pub initial_values: Vec<i32>,
    pub states: Vec<LocalState>,
    pub errors: Vec<RunError>,
}

#[derive(Debug)]
pub struct LocalState {
    pub location: LocationId,
    pub ints: Box<[i32]>,
    pub invariant: Vec<Constraint>,
    /// Ascending by action.
    pub outputs: Vec<LocalEdge>,
    /// Ascending by action; ignored inputs are edges of their own.
    pub inputs: Vec<LocalEdge>,
    /// Per clock of the component the largest constant, or [`ClockBounds::NONE`].
    pub maximal: Box<[i32]>,
    /// A guard or the invariant cannot be evaluated: being here is an error of the model.
    pub error: Option<u32>,
    /// From here on everything is allowed at any time, whatever happens: no rule can be broken on the right side.
    pub permissive: bool,
}

#[derive(Clone, Debug)]
pub struct LocalEdge {
    pub action: u32,
    /// The guard, and the target's invariant before the resets.
    pub allowed: Vec<Constraint>,
    pub resets: Vec<(u32, i32)>,
    pub target: Target,
    pub origin: Option<Origin>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    State(u32),
    /// An evaluation fails: the index of the error.
    Error(u32),
}

/// The edge of the template; an ignored input has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub expanded: u32,
    pub branch: u32,
}

impl LocalState {
    /// The edges of one action.
    pub fn edges(list: &[LocalEdge], action: u32) -> &[LocalEdge] {
        let start = list.partition_point(|edge| edge.action < action);
        let end = list.partition_point(|edge| edge.action <= action);
        &list[start..end]
    }
}

/// A component whose constants are as written.
pub struct Unfolding {
    process: ProcessId,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    clocks: usize,
    initial_values: Vec<i32>,
    states: Vec<RawState>,
    errors: Vec<RunError>,
}

struct RawState {
    location: LocationId,
    ints: Box<[i32]>,
    invariant: Vec<Limit>,
    urgent: bool,
    edges: Vec<RawEdge>,
    error: Option<u32>,
}

struct RawEdge {
    action: u32,
    output: bool,
    guard: Vec<Limit>,
    resets: Vec<(u32, i32)>,
    target: Target,
    origin: Origin,
}

struct Unfolder<'s, 'n> {
    structure: &'s Structure<'n>,
    machine: Machine,
    process: ProcessId,
    ints: std::ops::Range<usize>,
    clocks: std::ops::Range<usize>,
    scratch: Discrete,
    index: HashMap<(LocationId, Box<[i32]>), u32>,
    states: Vec<RawState>,
    errors: Vec<RunError>,
    edges: usize,
}

/// Unfolds a process.
pub fn unfold(structure: &Structure<'_>, process: ProcessId) -> Result<Unfolding, Unfit> {
    let network = structure.network;
    let own = network.process(process);
    let template = network.template_of(process);
    let end = own.state + template.state;
    let mut unfolder = Unfolder {
        structure,
        machine: Machine::new(),
        process,
        ints: own.state.ints as usize..end.ints as usize,
        clocks: own.state.clocks as usize..end.clocks as usize,
        scratch: Discrete::initial(network),
        index: HashMap::new(),
        states: Vec::new(),
        errors: Vec::new(),
        edges: 0,
    };
    unfolder.intern(template.initial)?;
    let mut at = 0;
    while at < unfolder.states.len() {
        unfolder.expand(at)?;
        at += 1;
    }
    let urgent = unfolder.states.iter().any(|state| state.urgent);
    let mut clocks = unfolder.clocks.len();
    if urgent {
        clocks += 1;
        unfolder.stop_time(clocks as u32);
    }
    let mut initial_values = Vec::with_capacity(clocks);
    for clock in unfolder.clocks.clone() {
        match network.clocks[clock].initial {
            ClockInitial::Int(value) => initial_values.push(value),
            ClockInitial::Double(_) => return Err(Unfit::component(network, process, "a clock starts at a fraction")),
        }
    }
    initial_values.resize(clocks, 0);
    let (inputs, outputs) = unfolder.alphabet()?;
    let Unfolder { states, errors, .. } = unfolder;
    Ok(Unfolding { process, inputs, outputs, clocks, initial_values, states, errors })
}

impl Unfolder<'_, '_> {
    fn unfit(&self, reason: impl Into<String>) -> Unfit {
        Unfit::component(self.structure.network, self.process, reason)
    }

    /// The local state that the scratch state shows.
    fn intern(&mut self, location: LocationId) -> Result<u32, Unfit> {
        let ints: Box<[i32]> = self.scratch.ints[self.ints.clone()].into();
        if let Some(known) = self.index.get(&(location, ints.clone())) {
            return Ok(*known);
        }
        if self.states.len() == LOCAL_STATES || self.edges > LOCAL_EDGES {
            return Err(self.unfit("its integers have too many values"));
        }
        let id = self.states.len() as u32;
        self.index.insert((location, ints.clone()), id);
        self.states.push(RawState {
            location,
            ints,
            invariant: Vec::new(),
            urgent: false,
            edges: Vec::new(),
            error: None,
        });
        Ok(id)
    }

    fn show(&mut self, at: usize) {
        let state = &self.states[at];
        self.scratch.locations[self.process.index()] = state.location;
        self.scratch.ints[self.ints.clone()].copy_from_slice(&state.ints);
    }

    fn fails(&mut self, error: RunError) -> u32 {
        self.errors.push(error);
        self.errors.len() as u32 - 1
    }

    fn expand(&mut self, at: usize) -> Result<(), Unfit> {
        let structure = self.structure;
        let process = self.process.index();
        let location = self.states[at].location;
        let code = structure.location(process, location);
        self.show(at);
        let mut facts = Facts::default();
        if let Some(invariant) = code.invariant {
            let programs = &structure.programs;
            match self.machine.condition(programs, invariant, self.process, &[], &self.scratch, &mut facts) {
                Ok(true) => {}
                Ok(false) => {
                    // No valuation meets it. Clock 0 is always 0.
                    let never = Limit { clock: 0, upper: true, constant: 0, strict: true };
                    self.states[at].invariant.push(never);
                }
                Err(error) => self.states[at].error = Some(self.fails(error)),
            }
        }
        let limits = self.limits(&facts)?;
        self.states[at].invariant.extend(limits);
        self.states[at].urgent = code.kind != LocationKind::Normal;
        if code.kind == LocationKind::Committed {
            return Err(self.unfit("committed locations have no meaning in timed I/O automata"));
        }
        if !code.internal.is_empty() {
            return Err(self.unfit("an edge without an action: timed I/O automata have inputs and outputs only"));
        }
        if !code.csp.is_empty() {
            return Err(self.unfit("an action without `?` or `!`"));
        }
        for (list, output) in [(&code.sending, true), (&code.receiving, false)] {
            for &expanded in list {
                self.edge(at, expanded, output)?;
            }
        }
        Ok(())
    }

    fn edge(&mut self, at: usize, expanded: u32, output: bool) -> Result<(), Unfit> {
        let structure = self.structure;
        let process = self.process.index();
        let (edge, select) = structure.expanded(process, expanded);
        self.show(at);
        let mut facts = Facts::default();
        let holds = match edge.guard {
            Some(guard) => {
                let programs = &structure.programs;
                self.machine.condition(programs, guard, self.process, select, &self.scratch, &mut facts)
            }
            None => Ok(true),
        };
        let channel = match (structure.known_channel(process, expanded), edge.channel) {
            (Some(channel), _) => Ok(channel),
            (None, Some(code)) => self
                .machine
                .channel(&structure.programs, code, self.process, select, &self.scratch)
                .map(|channel| channel.index() as u32),
            (None, None) => return Ok(()),
        };
        let action = match (holds, channel) {
            (Ok(false), _) => return Ok(()),
            (Ok(true), Ok(action)) => action,
            (Err(error), _) | (_, Err(error)) => {
                self.states[at].error = Some(self.fails(error));
                return Ok(());
            }
        };
        let guard = self.limits(&facts)?;
        if output && structure.network.channels[action as usize].kind.urgent {
            if !guard.is_empty() {
                return Err(self.unfit("a clock guard on an output over an urgent channel"));
            }
            self.states[at].urgent = true;
        }
        for branch in 0..edge.branches.len() as u32 {
            self.show(at);
            let mut effects = Effects::default();
            let moves = [Move { process: process as u32, expanded, branch }];
            let acted = structure.act_noting(&mut self.machine, &moves, &mut self.scratch, &mut effects);
            let foreign = effects.written.iter().map(|(cell, _)| *cell as usize).find(|cell| !self.ints.contains(cell));
            let target = match acted {
                Ok(()) => Target::State(self.intern(self.scratch.locations[process])?),
                Err(error) => Target::Error(self.fails(error)),
            };
            if foreign.is_some() {
                return Err(self.unfit("it changes a global variable: components share nothing but actions"));
            }
            let mut resets: Vec<(u32, i32)> = Vec::new();
            for update in &effects.resets {
                let clock = self.own_clock(update.target.index())?;
                if update.source.is_some() {
                    return Err(self.unfit("a clock is set to another clock"));
                }
                resets.retain(|(other, _)| *other != clock);
                resets.push((clock, update.offset));
            }
            let origin = Origin { expanded, branch };
            self.edges += 1;
            self.states[at].edges.push(RawEdge { action, output, guard: guard.clone(), resets, target, origin });
        }
        Ok(())
    }

    fn own_clock(&self, clock: usize) -> Result<u32, Unfit> {
        if !self.clocks.contains(&clock) {
            return Err(self.unfit("it uses a global clock: components share nothing but actions"));
        }
        Ok((clock - self.clocks.start) as u32 + 1)
    }

    fn limits(&self, facts: &Facts) -> Result<Vec<Limit>, Unfit> {
        if !facts.rates.is_empty() {
            return Err(self.unfit("clocks that stop"));
        }
        let mut limits = Vec::new();
        for ClockBound { plus, minus, relation, bound } in &facts.bounds {
            let (clock, sign) = match (plus, minus) {
                (Some(clock), None) => (clock, 1),
                (None, Some(clock)) => (clock, -1),
                (None, None) => return Err(self.unfit("a comparison without a clock")),
                (Some(_), Some(_)) => return Err(self.unfit("clocks are compared with each other")),
            };
            let clock = self.own_clock(clock.index())?;
            let Some(constant) = bound.checked_mul(sign) else {
                return Err(self.unfit("a constant is too large"));
            };
            let mut push = |upper: bool, strict: bool| {
                limits.push(Limit { clock, upper: upper == (sign == 1), constant, strict });
            };
            match relation {
                Relation::Lt => push(true, true),
                Relation::Le => push(true, false),
                Relation::Ge => push(false, false),
                Relation::Gt => push(false, true),
                Relation::Eq => {
                    push(true, false);
                    push(false, false);
                }
                Relation::Ne => return Err(self.unfit("`!=` between a clock and a number")),
            }
        }
        Ok(limits)
    }

    /// Urgent states get an invariant on a clock that every edge into them resets.
    fn stop_time(&mut self, clock: u32) {
        let urgent: Vec<bool> = self.states.iter().map(|state| state.urgent).collect();
        for state in &mut self.states {
            if state.urgent {
                state.invariant.push(Limit { clock, upper: true, constant: 0, strict: false });
            }
            for edge in &mut state.edges {
                if let Target::State(target) = edge.target
                    && urgent[target as usize]
                {
                    edge.resets.push((clock, 0));
                }
            }
        }
    }

    /// The declared inputs and outputs and those of edges. Without a declaration an index that depends on integers stands for
    /// every value it can have.
    fn alphabet(&self) -> Result<(Vec<u32>, Vec<u32>), Unfit> {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let process = self.process.index() as u32;
        let mut declared = false;
        for signature in self.structure.network.io.iter().filter(|io| io.processes.contains(&process)) {
            declared = true;
            inputs.extend(signature.inputs.iter().map(|channel| channel.index() as u32));
            outputs.extend(signature.outputs.iter().map(|channel| channel.index() as u32));
        }
        let mut seen = HashSet::new();
        for edge in self.states.iter().flat_map(|state| &state.edges) {
            let list = if edge.output { &mut outputs } else { &mut inputs };
            list.push(edge.action);
            if !declared && seen.insert(edge.origin.expanded) {
                self.alike(edge, list);
            }
        }
        // Edges that no local state can take have actions as well.
        let template = self.structure.network.template_of(self.process);
        for (n, expanded) in (0..).zip(&template.expanded) {
            let sync = template.edge(expanded.edge).sync.as_ref().map(|sync| sync.direction);
            match (sync, self.structure.known_channel(self.process.index(), n)) {
                (Some(Direction::Send), Some(action)) => outputs.push(action),
                (Some(Direction::Receive), Some(action)) => inputs.push(action),
                _ => {}
            }
        }
        for list in [&mut inputs, &mut outputs] {
            list.sort_unstable();
            list.dedup();
        }
        if let Some(both) = inputs.iter().find(|action| outputs.binary_search(action).is_ok()) {
            let name = action_name(self.structure.network, *both);
            return Err(self.unfit(format!("`{name}` is both an input and an output of it")));
        }
        Ok((inputs, outputs))
    }
}

impl Unfolder<'_, '_> {
    /// The other channels that an edge could synchronise over if the integers had other values: an index that depends
    /// on them stands for the whole range of its array.
    fn alike(&self, edge: &RawEdge, out: &mut Vec<u32>) {
        let network = self.structure.network;
        let template = network.template_of(self.process);
        let Some(expanded) = template.expanded.get(edge.origin.expanded as usize) else { return };
        let Some(sync) = &template.edge(expanded.edge).sync else { return };
        let mut channels = vec![edge.action];
        for index in &sync.channel.indices {
            let read = reads_in(network, self.process, template.select_values(*expanded), index.value);
            let stride = index.stride.channels;
            if stride == 0
                || read.ints.is_empty() && !read.everything
                || channels.len() > LOCAL_EDGES / index.len as usize
            {
                continue;
            }
            // Where in its range the index is: the place of the whole begins at a multiple of the outer strides.
            let whole = stride * index.len;
            let first = match sync.channel.base {
                Base::Global => sync.channel.offset.channels,
                _ => return,
            };
            channels = channels
                .iter()
                .flat_map(|channel| {
                    let inner = (channel - first) % whole;
                    let start = channel - inner + inner % stride;
                    (0..index.len).map(move |n| start + n * stride)
                })
                .collect();
        }
        out.extend(channels);
    }
}

pub fn action_name(network: &Network, action: u32) -> String {
    network.channel_name(semantics::network::ChannelId::new(action as usize))
}

impl Unfolding {
    /// The greatest common divisor of its constants and the one given.
    pub fn divisor(&self, mut divisor: u32) -> u32 {
        let mut take = |constant: i32| divisor = gcd(divisor, constant.unsigned_abs());
        for state in &self.states {
            state.invariant.iter().for_each(|limit| take(limit.constant));
            for edge in &state.edges {
                edge.guard.iter().for_each(|limit| take(limit.constant));
                edge.resets.iter().for_each(|(_, value)| take(*value));
            }
        }
        self.initial_values.iter().for_each(|value| take(*value));
        divisor
    }

    /// The component in units of `divisor`.
    pub fn component(&self, network: &Network, divisor: u32) -> Result<Component, Unfit> {
        let too_large = || Unfit::component(network, self.process, "a constant is too large for zones");
        let scaled = |constant: i32| -> Result<i32, Unfit> {
            let scaled = i64::from(constant) / i64::from(divisor.max(1));
            // Room for sums of a few.
            if Bound::is_admissible(scaled * 4) { Ok(scaled as i32) } else { Err(too_large()) }
        };
        let constraints = |limits: &[Limit]| -> Result<Vec<Constraint>, Unfit> {
            limits.iter().map(|limit| Ok(constraint(limit, scaled(limit.constant)?))).collect()
        };
        let initial_values = self.initial_values.iter().map(|value| scaled(*value)).collect::<Result<_, _>>()?;
        let mut states = Vec::with_capacity(self.states.len());
        for raw in &self.states {
            states.push(LocalState {
                location: raw.location,
                ints: raw.ints.clone(),
                invariant: constraints(&raw.invariant)?,
                outputs: Vec::new(),
                inputs: Vec::new(),
                maximal: vec![ClockBounds::NONE; self.clocks].into(),
                error: raw.error,
                permissive: false,
            });
        }
        for (at, raw) in self.states.iter().enumerate() {
            for edge in &raw.edges {
                let reset = |(clock, value): &(u32, i32)| Ok((*clock, scaled(*value)?));
                let resets: Vec<(u32, i32)> = edge.resets.iter().map(reset).collect::<Result<_, _>>()?;
                let mut allowed = constraints(&edge.guard)?;
                if let Target::State(target) = edge.target {
                    let Some(before) = before_resets(&states[target as usize].invariant, &resets) else { continue };
                    for constraint in before {
                        if !allowed.contains(&constraint) {
                            allowed.push(constraint);
                        }
                    }
                }
                let state = &mut states[at];
                let list = if edge.output { &mut state.outputs } else { &mut state.inputs };
                let (action, target, origin) = (edge.action, edge.target, Some(edge.origin));
                list.push(LocalEdge { action, allowed, resets, target, origin });
            }
        }
        for (at, state) in states.iter_mut().enumerate() {
            state.outputs.sort_by_key(|edge| edge.action);
            state.inputs.sort_by_key(|edge| edge.action);
            self.ignore_inputs(state, at as u32);
        }
        find_maximal(&mut states);
        find_permissive(&mut states, &self.outputs);
        Ok(Component {
            process: self.process,
            name: network.process(self.process).name.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            clocks: self.clocks,
            initial_values,
            states,
            errors: self.errors.clone(),
        })
    }

    /// Adds loops where an input is not possible.
    fn ignore_inputs(&self, state: &mut LocalState, at: u32) {
        let mut all = Vec::with_capacity(state.inputs.len() + self.inputs.len());
        for &action in &self.inputs {
            let own = LocalState::edges(&state.inputs, action);
            all.extend_from_slice(own);
            if own.iter().any(|edge| edge.allowed.is_empty()) {
                continue;
            }
            for allowed in remainder(self.clocks + 1, &state.invariant, own) {
                all.push(LocalEdge { action, allowed, resets: Vec::new(), target: Target::State(at), origin: None });
            }
        }
        state.inputs = all;
    }
}

/// The valuations of an invariant that no edge allows, as disjoint conjunctions.
fn remainder(dim: usize, invariant: &[Constraint], edges: &[LocalEdge]) -> Vec<Vec<Constraint>> {
    if edges.is_empty() {
        // A loop like any other: what it leads to must meet the invariant, which a quotient may have left.
        return vec![invariant.to_vec()];
    }
    let mut whole = Zone::universal(dim);
    if !whole.constrain_all(invariant) {
        return Vec::new();
    }
    let mut rest = Federation::from(whole);
    for edge in edges {
        let mut zone = Zone::universal(dim);
        if zone.constrain_all(&edge.allowed) {
            rest.subtract_zone(&zone);
        }
    }
    rest.zones().iter().map(box_of).collect()
}

/// The constraints of a zone in which no difference of clocks is bounded on its own: what is left of a box after boxes
/// were taken away.
fn box_of(zone: &Zone) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for clock in 1..zone.dim() {
        if !zone.upper(clock).is_infinite() {
            constraints.push(Constraint::new(clock, 0, zone.upper(clock)));
        }
        if zone.lower(clock) < Bound::LE_ZERO {
            constraints.push(Constraint::new(0, clock, zone.lower(clock)));
        }
    }
    constraints
}

fn constraint(limit: &Limit, constant: i32) -> Constraint {
    let bound = |constant: i32| if limit.strict { Bound::lt(constant) } else { Bound::le(constant) };
    match limit.upper {
        true => Constraint::new(limit.clock as usize, 0, bound(constant)),
        false => Constraint::new(0, limit.clock as usize, bound(-constant)),
    }
}

/// What must hold before resets so that the constraints hold after them; `None` if nothing does.
pub fn before_resets(constraints: &[Constraint], resets: &[(u32, i32)]) -> Option<Vec<Constraint>> {
    let mut before = Vec::new();
    for constraint in constraints {
        let clock = constraint.left.max(constraint.right);
        let value = resets.iter().find(|(reset, _)| *reset == clock).map(|(_, value)| *value);
        let value = if clock == 0 { Some(0) } else { value };
        match value {
            None => before.push(*constraint),
            Some(value) => {
                let value = if constraint.left == clock { value } else { -value };
                if Bound::le(value) > constraint.bound {
                    return None;
                }
            }
        }
    }
    Some(before)
}

/// The largest set of states without invariants in which every output is always possible and every action leads into the set.
fn find_permissive(states: &mut [LocalState], outputs: &[u32]) {
    for state in states.iter_mut() {
        let always =
            |action: &u32| LocalState::edges(&state.outputs, *action).iter().any(|edge| edge.allowed.is_empty());
        state.permissive = state.invariant.is_empty() && state.error.is_none() && outputs.iter().all(always);
    }
    loop {
        let stays = |state: &LocalState| {
            let inside = |edge: &LocalEdge| match edge.target {
                Target::State(target) => states[target as usize].permissive,
                Target::Error(_) => false,
            };
            state.outputs.iter().chain(&state.inputs).all(inside)
        };
        let lost: Vec<usize> = (0..states.len()).filter(|n| states[*n].permissive && !stays(&states[*n])).collect();
        if lost.is_empty() {
            return;
        }
        lost.into_iter().for_each(|n| states[n].permissive = false);
    }
}

/// The largest constants, backwards along the edges that do not reset.
fn find_maximal(states: &mut [LocalState]) {
    let mut coming: Vec<Vec<(u32, u32, bool)>> = vec![Vec::new(); states.len()];
    for (at, state) in states.iter_mut().enumerate() {
        let mut maximal = std::mem::take(&mut state.maximal);
        let guards = state.outputs.iter().chain(&state.inputs).flat_map(|edge| &edge.allowed);
        for constraint in state.invariant.iter().chain(guards) {
            let clock = constraint.left.max(constraint.right);
            if clock > 0 {
                let own = &mut maximal[clock as usize - 1];
                *own = (*own).max(constraint.bound.constant().abs());
            }
        }
        state.maximal = maximal;
        for (list, output) in [(&state.outputs, true), (&state.inputs, false)] {
            for (n, edge) in list.iter().enumerate() {
                if let Target::State(target) = edge.target
                    && target as usize != at
                {
                    coming[target as usize].push((at as u32, n as u32, output));
                }
            }
        }
    }
    let mut work: Vec<u32> = (0..states.len() as u32).collect();
    while let Some(target) = work.pop() {
        let below = states[target as usize].maximal.clone();
        for &(at, n, output) in &coming[target as usize] {
            let state = &mut states[at as usize];
            let edge = if output { &state.outputs[n as usize] } else { &state.inputs[n as usize] };
            let mut changed = false;
            for (clock, constant) in (1..).zip(&below) {
                let own = &mut state.maximal[clock as usize - 1];
                if *constant > *own && !edge.resets.iter().any(|(reset, _)| *reset == clock) {
                    *own = *constant;
                    changed = true;
                }
            }
            if changed {
                work.push(at);
            }
        }
    }
}

pub fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
