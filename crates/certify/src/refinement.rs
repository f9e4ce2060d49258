//! Replays counter-examples of refinements: `S <= T` does not hold, and here is why.
//!
//! Both sides are deterministic, so delays and actions say everything: what each component does follows, and is found here by the
//! rules of timed I/O systems on concrete states. A component moves along the one edge that is possible, or ignores an input; a composition moves
//! all that know the action; so does a conjunction; a quotient follows its ten rules. At the end the rule that
//! is said to be broken must be broken: an output of the left side that the right side knows and cannot make, an input of the
//! right side that the left one knows and refuses, or a delay of the left side that the right one does not allow.
//!
//! Components that occur twice have two states: a copy of the network holds one state of each process.

use crate::error::{Reason, Refusal};
use crate::formula::parts;
use crate::interpreter::Interpreter;
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
use std::collections::{BTreeMap, BTreeSet};

/// An action of the model, or the new input of a quotient: the n-th of the query, from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    Channel(ChannelId),
    New(usize),
}

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
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PairMoves {
    pub left: Vec<TraceEdge>,
    pub right: Vec<TraceEdge>,
}

type Result<T> = std::result::Result<T, Refusal>;
type Actions = BTreeSet<Action>;
/// What clocks are set to.
type Values = Vec<(ClockId, Rational)>;

struct System {
    kind: Kind,
    inputs: Actions,
    outputs: Actions,
}

enum Kind {
    Leaf(usize),
    /// Composition and conjunction move alike; their alphabets differ. With the operands that know an action.
    Together(Vec<System>, BTreeMap<Action, Vec<usize>>),
    Quotient {
        whole: Box<System>,
        part: Box<System>,
        number: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
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

enum Change {
    Move { leaf: usize, step: Move, target: Discrete, clocks: Values },
    Mode(usize, Mode),
}

struct Pair<'n> {
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
}

/// Replays a counter-example. The edges of each step, or why it shows nothing.
pub fn replay_refinement(
    network: &Network,
    left: &SystemExpr,
    right: &SystemExpr,
    example: &CounterExample,
) -> Result<Vec<PairMoves>> {
    let mut pair = Pair {
        semantics: Semantics::new(network),
        leaves: Vec::new(),
        copies: Vec::new(),
        zero: Vec::new(),
        modes: Vec::new(),
        now: Rational::zero(),
        rates: vec![1; network.clocks.len()],
        urgent_channels: network.channels.iter().any(|channel| channel.kind.urgent),
    };
    let (left, right) = (pair.system(left)?, pair.system(right)?);
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
    fn system(&mut self, expression: &SystemExpr) -> Result<System> {
        Ok(match expression {
            SystemExpr::Component { process, .. } => self.leaf(*process)?,
            SystemExpr::Compose(..) | SystemExpr::All { .. } => {
                let parts = self.operands(expression, true)?;
                let outputs: Actions = parts.iter().flat_map(|part| part.outputs.iter().copied()).collect();
                let inputs = parts.iter().flat_map(|part| &part.inputs).filter(|action| !outputs.contains(action));
                System { inputs: inputs.copied().collect(), outputs, kind: together(parts) }
            }
            SystemExpr::Conjoin(..) => {
                let parts = self.operands(expression, false)?;
                System {
                    inputs: parts.iter().flat_map(|part| part.inputs.iter().copied()).collect(),
                    outputs: parts.iter().flat_map(|part| part.outputs.iter().copied()).collect(),
                    kind: together(parts),
                }
            }
            SystemExpr::Quotient(whole, part) => {
                let (whole, part) = (self.system(whole)?, self.system(part)?);
                let number = self.modes.len();
                self.modes.push(Mode::Pair);
                let inputs = whole.inputs.union(&part.outputs).copied().chain([Action::New(number)]).collect();
                let own = whole.outputs.difference(&part.outputs).copied();
                let outputs = own.chain(part.inputs.difference(&whole.inputs).copied()).collect();
                let (whole, part) = (Box::new(whole), Box::new(part));
                System { inputs, outputs, kind: Kind::Quotient { whole, part, number } }
            }
        })
    }

    /// The operands of a chain of compositions, or of conjunctions.
    fn operands(&mut self, expression: &SystemExpr, composed: bool) -> Result<Vec<System>> {
        let mut parts = Vec::new();
        let mut waiting = vec![expression];
        while let Some(next) = waiting.pop() {
            match next {
                SystemExpr::Compose(left, right) if composed => waiting.extend([&**right, &**left]),
                SystemExpr::Conjoin(left, right) if !composed => waiting.extend([&**right, &**left]),
                SystemExpr::All { first, len } if composed => {
                    for process in first.index()..first.index() + *len as usize {
                        parts.push(self.leaf(ProcessId::new(process))?);
                    }
                }
                operand => parts.push(self.system(operand)?),
            }
        }
        Ok(parts)
    }

    fn leaf(&mut self, process: ProcessId) -> Result<System> {
        let copy = self.leaves.iter().filter(|leaf| leaf.process == process).count();
        if copy == self.copies.len() {
            let start = self.semantics.start()?;
            let zero = start.clocks.iter().map(|clock| subtract(&Rational::zero(), clock));
            self.zero.push(zero.collect::<std::result::Result<_, _>>()?);
            self.copies.push(start);
        }
        self.leaves.push(Leaf { copy, process, entered: Rational::zero() });
        let (inputs, outputs) = self.alphabet(process);
        Ok(System { kind: Kind::Leaf(self.leaves.len() - 1), inputs, outputs })
    }

    /// What is declared, and the channels of edges; without a declaration an index that depends on the state may be any.
    fn alphabet(&self, process: ProcessId) -> (Actions, Actions) {
        let network = self.semantics.network();
        let (mut inputs, mut outputs) = (Actions::new(), Actions::new());
        let mut declared = false;
        for signature in network.io.iter().filter(|io| io.processes.contains(&(process.index() as u32))) {
            declared = true;
            inputs.extend(signature.inputs.iter().map(|channel| Action::Channel(*channel)));
            outputs.extend(signature.outputs.iter().map(|channel| Action::Channel(*channel)));
        }
        let template = network.template_of(process);
        for expanded in &template.expanded {
            let Some(sync) = template.edge(expanded.edge).sync.as_ref() else { continue };
            let mut interpreter = Interpreter::constant(network, Some(process));
            interpreter.label(Some(process), template.select_values(*expanded));
            let base = Place { indices: Vec::new(), ..sync.channel.clone() };
            let Ok(first) = interpreter.channel(&base, sync.span) else { continue };
            let mut channels = vec![first.index()];
            for index in &sync.channel.indices {
                let steps: Vec<usize> = match interpreter.int(index.value) {
                    Ok(value) => usize::try_from(i64::from(value) - i64::from(index.lo)).into_iter().collect(),
                    Err(_) if declared => Vec::new(),
                    Err(_) => (0..index.len as usize).collect(),
                };
                let stride = index.stride.channels as usize;
                channels = channels.iter().flat_map(|at| steps.iter().map(move |step| at + step * stride)).collect();
            }
            let list = if sync.direction == Direction::Send { &mut outputs } else { &mut inputs };
            list.extend(channels.into_iter().map(|channel| Action::Channel(ChannelId::new(channel))));
        }
        (inputs, outputs)
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
    fn holds(&mut self, system: &System) -> Result<bool> {
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
        if self.semantics.location(discrete, process).kind != LocationKind::Normal {
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
                if is_free && !self.urgent_channels {
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
    fn successor(&mut self, system: &System, action: Action) -> Result<Option<Vec<Change>>> {
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
        let mut found: Option<(Move, Discrete, Values)> = None;
        for offer in self.semantics.offers(discrete, process) {
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
                match &found {
                    Some((_, known, resets)) if *known == target && *resets == changed => {}
                    Some(_) => return Err(shows_nothing("a component can go two ways")),
                    None => found = Some((step, target, changed)),
                }
            }
        }
        match found {
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
        if action == Action::New(number) {
            return match inside && !self.holds(whole)? {
                true => to(Mode::Inconsistent(self.now)),
                false => Ok(Some(Vec::new())),
            };
        }
        if !inside {
            return to(Mode::Universal);
        }
        let of_part = if part.knows(action) { self.successor(part, action)? } else { None };
        let of_whole = if whole.knows(action) { self.successor(whole, action)? } else { None };
        match (part.knows(action), whole.knows(action), of_part, of_whole) {
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

    fn apply(&mut self, changes: Vec<Change>) -> Result<Vec<TraceEdge>> {
        let network = self.semantics.network();
        let mut edges = Vec::new();
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

    fn wait(&mut self, left: &System, right: &System, delay: &Rational) -> Result<()> {
        if delay.is_negative() {
            return Err(Refusal::new(Reason::NegativeDelay, format!("a delay of {delay}")));
        }
        if !self.may_wait(left, delay)? || !self.may_wait(right, delay)? {
            return Err(Refusal::new(Reason::DelayInvariant, format!("a delay of {delay} is not possible")));
        }
        self.now = add(&self.now, delay)?;
        Ok(())
    }

    fn step(&mut self, left: &System, right: &System, delay: &Rational, action: Action) -> Result<PairMoves> {
        self.wait(left, right, delay)?;
        let leads = left.outputs.contains(&action) || right.inputs.contains(&action);
        let mut moves = PairMoves::default();
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
        moves.left = self.apply(of_left.unwrap_or_default())?;
        moves.right = self.apply(of_right.unwrap_or_default())?;
        Ok(moves)
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
                self.wait(left, right, delay)?;
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

fn together(parts: Vec<System>) -> Kind {
    let mut who: BTreeMap<Action, Vec<usize>> = BTreeMap::new();
    for (n, part) in parts.iter().enumerate() {
        part.inputs.iter().chain(&part.outputs).for_each(|action| who.entry(*action).or_default().push(n));
    }
    Kind::Together(parts, who)
}

impl System {
    fn knows(&self, action: Action) -> bool {
        self.inputs.contains(&action) || self.outputs.contains(&action)
    }
}

/// The counter-example as JSON: `zonewalk.refinement/1`.
#[derive(Clone, PartialEq, Eq, serde::Serialize, Debug)]
pub struct PairTrace {
    pub schema: &'static str,
    pub steps: Vec<PairTraceStep>,
    pub final_delay: String,
    /// `output`, `input` or `delay`.
    pub broken: &'static str,
    /// The action that one side makes and the other does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

#[derive(Clone, PartialEq, Eq, serde::Serialize, Debug)]
pub struct PairTraceStep {
    pub delay: String,
    pub time: String,
    pub action: String,
    /// `output` of the left side, or `input` of the right one.
    pub kind: &'static str,
    /// Edges of the components of each side; one that ignores an input has none.
    pub left: Vec<TraceEdge>,
    pub right: Vec<TraceEdge>,
}

impl CounterExample {
    /// With names, and the edges that a replay found.
    pub fn to_trace(&self, network: &Network, moves: Vec<PairMoves>, is_output: &dyn Fn(Action) -> bool) -> PairTrace {
        let mut names: BTreeMap<Action, String> = BTreeMap::new();
        let mut name = |action: Action| {
            let text = || match action {
                Action::Channel(channel) => network.channel_name(channel),
                Action::New(_) => "i_new".to_owned(),
            };
            names.entry(action).or_insert_with(text).clone()
        };
        let mut time = Rational::zero();
        let mut steps = Vec::with_capacity(moves.len());
        for ((delay, action), PairMoves { left, right }) in self.steps.iter().zip(moves) {
            time += delay;
            steps.push(PairTraceStep {
                delay: delay.to_string(),
                time: time.to_string(),
                action: name(*action),
                kind: if is_output(*action) { "output" } else { "input" },
                left,
                right,
            });
        }
        let (broken, action) = match self.broken {
            Rule::Output(action) => ("output", Some(name(action))),
            Rule::Input(action) => ("input", Some(name(action))),
            Rule::Delay => ("delay", None),
        };
        PairTrace { schema: "zonewalk.refinement/1", steps, final_delay: self.final_delay.to_string(), broken, action }
    }
}
