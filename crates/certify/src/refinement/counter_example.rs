//! Replays counter-examples of refinements: `S <= T` does not hold, and here is why.
//!
//! Both sides are deterministic, so delays and actions say everything: what each component does follows, and is found here by the
//! rules of timed I/O systems on concrete states. A component moves along the one edge that is possible, or ignores an input; a composition moves
//! all that know the action; so does a conjunction; a quotient follows its ten rules. At the end the rule that
//! is said to be broken must be broken: an output of the left side that the right side knows and cannot make, an input of the
//! right side that the left one knows and refuses, or a delay of the left side that the right one does not allow.
//!
//! Components that occur twice have two states: a copy of the network holds one state of each process.

use super::edges_over::EdgesOver;
use super::pair_trace::ActionKind;
use super::systems::{Action, Kind, System, Systems};
use crate::error::{Reason, Refusal};
use crate::formula::parts;
use crate::line::{Interval, Line};
use crate::rational::{Rational, add, subtract};
use crate::run::Move;
use crate::semantics::Semantics;
use crate::state::{Discrete, State};
use crate::trace::TraceEdge;
use model::check::SystemExpr;
use model::network::*;
use model::syntax::ast::{Direction, Name};
use num_traits::{Signed, Zero};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The left side outputs what the right one cannot.
    Output(Action),
    /// The left side refuses an input of the right one.
    Input(Action),
    /// The left side waits longer than the right one may.
    Delay,
}

/// Delays and actions of both sides, and the rule that is broken after a last delay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterExample {
    pub steps: Vec<(Rational, Action)>,
    pub final_delay: Rational,
    pub broken: Rule,
}

/// What the edges of one step are, side by side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairMoves {
    pub kind: ActionKind,
    pub left: Vec<TraceEdge>,
    pub right: Vec<TraceEdge>,
}

pub(super) type Result<T> = std::result::Result<T, Refusal>;
/// What clocks are set to.
pub(super) type Values = Vec<(ClockId, Rational)>;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mode {
    Pair,
    Universal,
    Inconsistent(Rational),
}

/// One occurrence of a component.
struct Leaf {
    copy: usize,
    process: ProcessId,
    /// When its location was entered.
    entered: Rational,
}

pub(super) enum Change {
    Move { leaf: usize, step: Move, target: Discrete, clocks: Values },
    Mode(usize, Mode),
}

pub(super) struct Pair<'n> {
    semantics: Semantics<'n>,
    leaves: Vec<Leaf>,
    /// Clocks of a copy are brought up to date when a component is looked at.
    copies: Vec<State>,
    /// Per copy and clock the moment at which it was 0.
    zero: Vec<Vec<Rational>>,
    modes: Vec<Mode>,
    now: Rational,
    rates: Vec<i64>,
    urgent_channels: bool,
    edges_over: EdgesOver,
    new_input: Action,
    /// Where a component can go several ways: the edges that a run takes in the next step. Sides of a refinement are deterministic and have none.
    pub(super) chosen: Vec<TraceEdge>,
}

/// Replays a counter-example. The edges of each step, or why it shows nothing.
pub fn replay_refinement(
    network: &Network,
    left: &SystemExpr,
    right: &SystemExpr,
    example: &CounterExample,
) -> Result<Vec<PairMoves>> {
    let (systems, left, right) = Systems::of(network, left, right);
    let mut pair = Pair::new(network, &systems)?;
    for side in [&left, &right] {
        if !pair.holds(side)? {
            return Err(Refusal::new(Reason::NoInitialState, "a side has no initial state"));
        }
    }
    let mut moves = Vec::with_capacity(example.steps.len());
    for (n, (delay, action)) in example.steps.iter().enumerate() {
        moves.push(pair.step(&left, &right, delay, *action).map_err(|refusal| refusal.at(n))?);
    }
    pair.broken(&left, &right, example)?;
    Ok(moves)
}

fn shows_nothing(text: &str) -> Refusal {
    Refusal::new(Reason::ClaimFalse, text)
}

impl<'n> Pair<'n> {
    pub(super) fn new(network: &'n Network, systems: &Systems<'_>) -> Result<Pair<'n>> {
        let mut pair = Pair {
            semantics: Semantics::new(network),
            leaves: Vec::new(),
            copies: Vec::new(),
            zero: Vec::new(),
            modes: vec![Mode::Pair; systems.quotients],
            now: Rational::zero(),
            rates: vec![1; network.clocks.len()],
            urgent_channels: network.channels.iter().any(|channel| channel.kind.urgent),
            edges_over: EdgesOver::default(),
            new_input: systems.new_input,
            chosen: Vec::new(),
        };
        systems.leaves.iter().try_for_each(|process| pair.leaf(*process))?;
        Ok(pair)
    }

    /// Puts a component into a state.
    pub(super) fn put(&mut self, leaf: usize, location: LocationId, ints: &[i32], clocks: &[Rational]) -> Result<()> {
        let network = self.semantics.network();
        let Leaf { copy, process, .. } = self.leaves[leaf];
        let own = network.process(process).state;
        let discrete = &mut self.copies[copy].discrete;
        discrete.locations[process.index()] = location;
        discrete.ints[own.ints as usize..][..ints.len()].copy_from_slice(ints);
        for (zero, value) in self.zero[copy][own.clocks as usize..].iter_mut().zip(clocks) {
            *zero = subtract(&self.now, value)?;
        }
        Ok(())
    }

    pub(super) fn location(&self, leaf: usize) -> LocationId {
        let Leaf { copy, process, .. } = self.leaves[leaf];
        self.copies[copy].discrete.locations[process.index()]
    }

    /// The value of a clock of a component, counted from its first.
    pub(super) fn clock(&mut self, leaf: usize, clock: usize) -> Result<Rational> {
        self.look_at(leaf)?;
        let Leaf { copy, process, .. } = self.leaves[leaf];
        let first = self.semantics.network().process(process).state.clocks as usize;
        Ok(self.copies[copy].clocks[first + clock])
    }

    /// The value of an integer of a component, counted from its first.
    pub(super) fn int(&self, leaf: usize, cell: usize) -> i32 {
        let Leaf { copy, process, .. } = self.leaves[leaf];
        let first = self.semantics.network().process(process).state.ints as usize;
        self.copies[copy].discrete.ints[first + cell]
    }

    /// One occurrence of a component, in a copy of the network of its own if it occurs more than once.
    fn leaf(&mut self, process: ProcessId) -> Result<()> {
        let copy = self.leaves.iter().filter(|leaf| leaf.process == process).count();
        if copy == self.copies.len() {
            let start = self.semantics.start()?;
            let zero = start.clocks.iter().map(|clock| subtract(&Rational::zero(), clock));
            self.zero.push(zero.collect::<std::result::Result<_, _>>()?);
            self.copies.push(start);
        }
        self.leaves.push(Leaf { copy, process, entered: Rational::zero() });
        Ok(())
    }

    /// Brings the clocks of a component up to date.
    fn look_at(&mut self, leaf: usize) -> Result<()> {
        let network = self.semantics.network();
        let Leaf { copy, process, .. } = self.leaves[leaf];
        let start = network.process(process).state.clocks as usize;
        let end = start + network.template_of(process).state.clocks as usize;
        for clock in start..end {
            self.copies[copy].clocks[clock] = subtract(&self.now, &self.zero[copy][clock])?;
        }
        Ok(())
    }

    /// Whether the invariants of a system hold now; in an urgent location, whether no time has passed.
    pub(super) fn holds(&mut self, system: &System) -> Result<bool> {
        match &system.kind {
            Kind::Leaf(leaf) => {
                self.look_at(*leaf)?;
                let Leaf { copy, process, entered } = self.leaves[*leaf];
                let State { discrete, clocks, .. } = &self.copies[copy];
                let urgent = self.is_urgent(*leaf)?;
                let invariant = self.semantics.invariant_of(discrete, process);
                Ok(Line::moment(clocks).holds(&invariant)? && (!urgent || entered == self.now))
            }
            Kind::Together(parts, _) => {
                for part in parts {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Kind::Quotient { number, .. } => Ok(match self.modes[*number] {
                Mode::Inconsistent(since) => since == self.now,
                _ => true,
            }),
        }
    }

    /// Whether time cannot pass: an urgent location, or an output over an urgent channel.
    fn is_urgent(&self, leaf: usize) -> Result<bool> {
        let Leaf { copy, process, .. } = self.leaves[leaf];
        let State { discrete, clocks, .. } = &self.copies[copy];
        let location = self.semantics.location(discrete, process);
        if location.kind != LocationKind::Normal || location.inconsistent {
            return Ok(true);
        }
        if !self.urgent_channels {
            return Ok(false);
        }
        for offer in self.semantics.offers(discrete, process) {
            if let Some((channel, Direction::Send)) = offer.channel
                && self.semantics.network().channels[channel.index()].kind.urgent
                && Line::moment(clocks).holds(&offer.guard)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a system may wait for so long.
    fn may_wait(&mut self, system: &System, delay: &Rational) -> Result<bool> {
        match &system.kind {
            _ if delay.is_zero() => Ok(true),
            Kind::Leaf(leaf) => {
                let Leaf { copy, process, .. } = self.leaves[*leaf];
                let location = self.semantics.location(&self.copies[copy].discrete, process);
                let is_free = location.kind == LocationKind::Normal && location.invariant.is_none();
                if is_free && !location.inconsistent && !self.urgent_channels {
                    return Ok(true);
                }
                self.look_at(*leaf)?;
                if self.is_urgent(*leaf)? {
                    return Ok(false);
                }
                let invariant = self.semantics.invariant_of(&self.copies[copy].discrete, process);
                let line = Line::new(&self.copies[copy].clocks, &self.rates);
                Ok(parts(&line, &invariant, false, &Interval::until(*delay))?.is_empty())
            }
            Kind::Together(parts, _) => {
                for part in parts {
                    if !self.may_wait(part, delay)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Kind::Quotient { number, .. } => Ok(!matches!(self.modes[*number], Mode::Inconsistent(_))),
        }
    }

    /// What an action does now; `None` if it is not possible.
    pub(super) fn successor(&mut self, system: &System, action: Action) -> Result<Option<Vec<Change>>> {
        match &system.kind {
            Kind::Leaf(leaf) => self.component(*leaf, system, action),
            Kind::Together(parts, who) => {
                let mut changes = Vec::new();
                for part in who.get(&action).into_iter().flatten() {
                    match self.successor(&parts[*part], action)? {
                        Some(more) => changes.extend(more),
                        None => return Ok(None),
                    }
                }
                Ok(Some(changes))
            }
            Kind::Quotient { whole, part, number } => self.quotient(system, whole, part, *number, action),
        }
    }

    fn component(&mut self, leaf: usize, system: &System, action: Action) -> Result<Option<Vec<Change>>> {
        let Action::Channel(channel) = action else { return Ok(None) };
        self.look_at(leaf)?;
        let network = self.semantics.network();
        let Leaf { copy, process, .. } = self.leaves[leaf];
        let output = system.outputs.contains(&action);
        let direction = if output { Direction::Send } else { Direction::Receive };
        let State { discrete, clocks, .. } = &self.copies[copy];
        let now = Line::moment(clocks);
        let mut found: Vec<(Move, Discrete, Values)> = Vec::new();
        let offers = match self.semantics.location(discrete, process).inconsistent {
            true => Vec::new(),
            false => self.edges_over.offers(&self.semantics, discrete, process, channel),
        };
        for offer in offers {
            if offer.channel != Some((channel, direction)) || !now.holds(&offer.guard)? {
                continue;
            }
            for branch in 0..network.template_of(process).edge(offer.edge).branches.len() {
                let step = Move { process, edge: offer.edge, select: offer.select.clone(), branch };
                let (target, map) = self.semantics.fire(discrete, std::slice::from_ref(&step))?;
                if !now.holds(&self.semantics.invariant_of(&target, process).before(&map))? {
                    continue;
                }
                let mut changed = Vec::new();
                for (clock, (source, offset)) in map.changes() {
                    let base = source.map_or(Rational::zero(), |source| clocks[source.index()]);
                    changed.push((clock, add(&base, &Rational::from_integer(offset.into()))?));
                }
                found.push((step, target, changed));
            }
        }
        let alike = |(_, target, clocks): &(Move, Discrete, Values)| (target, clocks) == (&found[0].1, &found[0].2);
        if found.iter().all(alike) {
            found.truncate(1);
        }
        if found.len() > 1 {
            let is_chosen = |(step, ..): &(Move, Discrete, Values), edge: &TraceEdge| {
                *edge.process == *network.process(process).name
                    && (edge.edge, &edge.select, edge.branch) == (step.edge.index(), &step.select, step.branch)
            };
            let chosen = self.chosen.iter().position(|edge| found.iter().any(|one| is_chosen(one, edge)));
            let Some(edge) = chosen.map(|n| self.chosen.remove(n)) else {
                return Err(shows_nothing("a component can go two ways"));
            };
            found.retain(|one| is_chosen(one, &edge));
        }
        match found.pop() {
            Some((step, target, clocks)) => Ok(Some(vec![Change::Move { leaf, step, target, clocks }])),
            // An input that is not possible is ignored.
            None if !output && self.holds(system)? => Ok(Some(Vec::new())),
            None => Ok(None),
        }
    }

    fn quotient(
        &mut self,
        system: &System,
        whole: &System,
        part: &System,
        number: usize,
        action: Action,
    ) -> Result<Option<Vec<Change>>> {
        let to = |mode| Ok(Some(vec![Change::Mode(number, mode)]));
        match self.modes[number] {
            Mode::Universal => return Ok(Some(Vec::new())),
            Mode::Inconsistent(since) => {
                let possible = system.inputs.contains(&action) && since == self.now;
                return Ok(possible.then(Vec::new));
            }
            Mode::Pair => {}
        }
        let inside = self.holds(part)?;
        let is_new = action == self.new_input;
        if !inside {
            return if is_new { Ok(Some(Vec::new())) } else { to(Mode::Universal) };
        }
        if is_new && !self.holds(whole)? {
            return to(Mode::Inconsistent(self.now));
        }
        if is_new && !part.knows(action) && !whole.knows(action) {
            return Ok(Some(Vec::new()));
        }
        let of_part = if part.knows(action) { self.successor(part, action)? } else { None };
        let of_whole = if whole.knows(action) { self.successor(whole, action)? } else { None };
        match (part.knows(action), whole.knows(action), of_part, of_whole) {
            // An input that comes when the dividend has left its invariant.
            (_, true, _, None) if whole.inputs.contains(&action) => to(Mode::Inconsistent(self.now)),
            (true, _, None, _) if part.outputs.contains(&action) => to(Mode::Universal),
            (true, true, Some(mut changes), Some(more)) => {
                changes.extend(more);
                Ok(Some(changes))
            }
            (true, true, Some(_), None) if part.outputs.contains(&action) && whole.outputs.contains(&action) => {
                to(Mode::Inconsistent(self.now))
            }
            (true, false, changes, _) | (false, true, _, changes) => Ok(changes),
            _ => Ok(None),
        }
    }

    pub(super) fn apply(&mut self, changes: Vec<Change>) -> Result<Vec<TraceEdge>> {
        let network = self.semantics.network();
        let mut edges = Vec::with_capacity(changes.len());
        for change in changes {
            match change {
                Change::Mode(number, mode) => self.modes[number] = mode,
                Change::Move { leaf, step, target, clocks } => {
                    let Leaf { copy, process, entered } = &mut self.leaves[leaf];
                    *entered = self.now;
                    let template = network.template_of(*process);
                    let from = &template.location(self.copies[*copy].discrete.locations[process.index()]).name;
                    let to = &template.location(target.locations[process.index()]).name;
                    edges.push(TraceEdge {
                        process: Name::from(network.process(*process).name.as_str()),
                        from: from.clone(),
                        to: to.clone(),
                        edge: step.edge.index(),
                        select: step.select,
                        branch: step.branch,
                    });
                    // Only what belongs to the component: others of the same copy may move in the same step.
                    let own = network.process(*process).state;
                    let cells = own.ints as usize..(own + template.state).ints as usize;
                    let discrete = &mut self.copies[*copy].discrete;
                    discrete.locations[process.index()] = target.locations[process.index()];
                    discrete.ints[cells.clone()].copy_from_slice(&target.ints[cells]);
                    for (clock, value) in clocks {
                        self.zero[*copy][clock.index()] = subtract(&self.now, &value)?;
                    }
                }
            }
        }
        Ok(edges)
    }

    pub(super) fn wait(&mut self, systems: &[&System], delay: &Rational) -> Result<()> {
        if delay.is_negative() {
            return Err(Refusal::new(Reason::NegativeDelay, format!("a delay of {delay}")));
        }
        for system in systems {
            if !self.may_wait(system, delay)? {
                return Err(Refusal::new(Reason::DelayInvariant, format!("a delay of {delay} is not possible")));
            }
        }
        self.now = add(&self.now, delay)?;
        Ok(())
    }

    fn step(&mut self, left: &System, right: &System, delay: &Rational, action: Action) -> Result<PairMoves> {
        self.wait(&[left, right], delay)?;
        let leads = left.outputs.contains(&action) || right.inputs.contains(&action);
        let mut both = [None, None];
        for (side, changes) in [left, right].into_iter().zip(&mut both) {
            if side.knows(action) {
                *changes = self.successor(side, action)?;
                if changes.is_none() {
                    return Err(Refusal::new(Reason::GuardFalse, "a side cannot make the action"));
                }
            }
        }
        if !leads {
            return Err(Refusal::new(
                Reason::NoMove,
                "neither an output of the left side nor an input of the right one",
            ));
        }
        let [of_left, of_right] = both;
        Ok(PairMoves {
            kind: if left.outputs.contains(&action) { ActionKind::Output } else { ActionKind::Input },
            left: self.apply(of_left.unwrap_or_default())?,
            right: self.apply(of_right.unwrap_or_default())?,
        })
    }

    /// Whether the rule is broken at the end.
    fn broken(&mut self, left: &System, right: &System, example: &CounterExample) -> Result<()> {
        let delay = &example.final_delay;
        match &example.broken {
            Rule::Delay => {
                if delay.is_negative() || !self.may_wait(left, delay)? {
                    return Err(shows_nothing("the left side may not wait so long"));
                }
                if self.may_wait(right, delay)? {
                    return Err(shows_nothing("the right side may wait as long"));
                }
            }
            Rule::Output(action) | Rule::Input(action) => {
                self.wait(&[left, right], delay)?;
                let output = matches!(example.broken, Rule::Output(_));
                let (leads, follows) = if output { (left, right) } else { (right, left) };
                let fits = if output { left.outputs.contains(action) } else { right.inputs.contains(action) };
                if !fits || !follows.knows(*action) || self.successor(leads, *action)?.is_none() {
                    return Err(shows_nothing("the action is not made"));
                }
                if self.successor(follows, *action)?.is_some() {
                    return Err(shows_nothing("the other side follows"));
                }
            }
        }
        Ok(())
    }
}
