//! Components: a process of the network as a timed I/O automaton without code.
//!
//! A component is input-enabled: where no edge of an input is possible, the input is ignored. Per
//! local state the largest constant that each clock is compared with from there on is known (as in
//! [`zones::ClockBounds`], M bounds); a clock without one is not active.
//!
//! Constants are divided by their greatest common divisor, which changes the unit of time and
//! nothing else; a model in nanoseconds fits into zones that way.

use crate::diagonals::Diagonal;
use crate::error::Unfit;
use crate::local_analysis::{find_maximal, find_permissive, knows_its_clocks};
use crate::unfold::{Limit, Unfolding};
use model::network::{LocationId, Network, ProcessId};
use semantics::code::RunError;
use zones::{Bound, ClockBounds, Constraint, Zone};

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
    /// What is known about differences of its clocks.
    pub differences: Vec<Constraint>,
    /// Ascending by action.
    pub outputs: Vec<LocalEdge>,
    /// Ascending by action; ignored inputs are edges of their own.
    pub inputs: Vec<LocalEdge>,
    /// Per clock of the component the largest constant, or [`ClockBounds::NONE`].
    pub maximal: Box<[i32]>,
    /// A guard or the invariant cannot be evaluated: being here is an error of the model.
    pub error: Option<u32>,
    /// From here on everything is allowed at any time, whatever happens: no rule can be broken on
    /// the right side.
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

pub fn action_name(network: &Network, action: u32) -> String {
    network.channel_name(model::network::ChannelId::new(action as usize))
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
        self.diagonals.iter().for_each(|diagonal| take(diagonal.constant));
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
            let difference = |(one, holds): (&Diagonal, &bool)| {
                let constant = scaled(one.constant)?;
                let bound = if one.strict { Bound::lt(constant) } else { Bound::le(constant) };
                let constraint = Constraint::new(one.left as usize, one.right as usize, bound);
                Ok(if *holds { constraint } else { constraint.negated() })
            };
            states.push(LocalState {
                differences: tightest(self.diagonals.iter().zip(&raw.bits).map(difference))?,
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
            state.outputs.shrink_to_fit();
            state.inputs.shrink_to_fit();
        }
        find_maximal(&mut states);
        find_permissive(&mut states, &self.outputs);
        let is_active = |at: usize, clock: u32| states[at].maximal[clock as usize - 1] != ClockBounds::NONE;
        if !knows_its_clocks(&states, &is_active) {
            return Err(Unfit::component(
                network,
                self.process,
                "internal error: a clock that is compared is not active",
            ));
        }
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

/// The constraints that say the most, one for each ordered pair of clocks.
fn tightest(all: impl Iterator<Item = Result<Constraint, Unfit>>) -> Result<Vec<Constraint>, Unfit> {
    let mut tightest: Vec<Constraint> = Vec::new();
    for one in all {
        let one = one?;
        match tightest.iter_mut().find(|known| (known.left, known.right) == (one.left, one.right)) {
            Some(known) => known.bound = known.bound.min(one.bound),
            None => tightest.push(one),
        }
    }
    Ok(tightest)
}

/// The valuations of an invariant that no edge allows, as disjoint conjunctions.
fn remainder(dim: usize, invariant: &[Constraint], edges: &[LocalEdge]) -> Vec<Vec<Constraint>> {
    if edges.is_empty() {
        // A loop like any other: what it leads to must meet the invariant, which a quotient may
        // have left.
        return vec![invariant.to_vec()];
    }
    let mut whole = Zone::universal(dim);
    if !whole.constrain_all(invariant) {
        return Vec::new();
    }
    let mut rest = vec![whole];
    for edge in edges {
        rest = rest.into_iter().flat_map(|zone| without(zone, &edge.allowed)).collect();
    }
    rest.iter().map(box_of).collect()
}

/// What a box without a conjunction of limits leaves, in boxes. (Subtraction of zones may cut along
/// differences of clocks: where `x == 1 && y == 2` is taken away, along `y - x == 1`.)
fn without(mut zone: Zone, conjunction: &[Constraint]) -> Vec<Zone> {
    let mut rest = Vec::new();
    for constraint in conjunction {
        let mut outside = zone.clone();
        if outside.constrain_all(&[constraint.negated()]) {
            rest.push(outside);
        }
        if !zone.constrain_all(&[*constraint]) {
            break;
        }
    }
    rest
}

/// The constraints of a zone in which no difference of clocks is bounded on its own: what is left
/// of a box after boxes were taken away.
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

pub fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
