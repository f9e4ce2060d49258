//! One run: components race, the one with the least delay acts.
//!
//! Semantics (David, Larsen, Legay, Mikučionis, Wang 2011, and the manual of UPPAAL). In a state every component draws a
//! delay: uniform on `[d, D]` when its invariant bounds time by `D`, where `d` is the first moment at which one of its
//! outputs (internal or sending edges) is enabled; `d` plus an exponential delay of the location's rate otherwise, rate 1
//! when none is given. A component without an output to come draws no delay of its own: it waits until its invariant ends.
//! The least delay wins, ties are broken uniformly, the winner takes one of its enabled outputs, each equally likely, and a
//! branch by weight; every process that can receive does. A winner that draws a moment between its windows does nothing, and
//! draws again.
//!
//! How this differs from the text books. A delay is drawn again only when something it depends on changed: what is left of
//! a uniform or an exponential delay is distributed as a new one, so the distribution of runs is the same and a step costs
//! what it changes. An urgent channel ends the delay at the first moment at which a sender is enabled. Where time cannot
//! pass (urgent locations, ended invariants) and the winner has nothing to do, all components that can act are equally likely.
//! A transition into a state that violates an invariant does not exist; another is drawn. Rates of clocks that are no
//! constants are held for the length of a step, at most [`Settings::step`] (Euler's method).
//!
//! Time-locks and Zeno behaviour end a run with an [`Ending`] that says so; what the observer has seen until then is what it
//! goes by. A step costs a scan of the drawn moments, the components that have to draw again, and one addition per clock.

use super::builtins::{exponential, uniform};
use super::failure::Result;
use super::interval::{Interval, NEAR};
use super::machine::{Machine, State};
use super::place::Change;
use super::system::System;
use semantics::Direction;
use semantics::model::check::{ResolvedBound, ResolvedMeasure};
use semantics::network::{ExpandedEdge, Expr, ExprId, LocationKind, Place, Range, Type};
use semantics::random::Random;
use semantics::syntax::Quantifier;

/// How a run came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The bound was reached.
    Bound,
    /// The observer knows enough.
    Decided,
    /// Nothing will happen any more, and nothing bounds the run.
    Idle,
    /// Time cannot pass, and nobody can act.
    TimeLock,
    /// Very many steps within no time.
    Zeno,
    /// Somebody wants it to end.
    Stopped,
}

/// Looks at a run as it is made.
pub trait Observer {
    /// The state now and for a delay of `length`; whether the run can end.
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: f64) -> Result<bool>;

    /// Whether the run has to be looked at in small steps of time.
    fn wants_small_steps(&self) -> bool {
        false
    }
}

/// A state of a run, at the start of a stretch of delay.
pub struct Moment<'m, 'n> {
    pub machine: &'m mut Machine<'n>,
    pub rates: &'m [f64],
    pub now: f64,
    pub steps: u64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The length of a step of Euler's method, in time units.
    pub step: f64,
}

/// Steps without time passing after which a run counts as Zeno.
const STILL: u32 = 100_000;
/// Steps between two looks at whether the run is to end.
const BETWEEN_LOOKS: u32 = 1_024;

pub struct Runner<'s> {
    system: &'s System<'s>,
    settings: Settings,
    pub machine: Machine<'s>,
    initial: State,
    now: f64,
    steps: u64,
    rates: Vec<f64>,
    /// The rates that each process sets, and whether they change while time passes.
    set_by: Vec<Rates>,
    /// Whether some rate changes while time passes.
    curved: bool,
    /// The moment a component has drawn.
    at: Vec<f64>,
    /// The moment beyond which a component lets no time pass.
    deadline: Vec<f64>,
    /// Components whose windows cannot be computed, only looked at.
    unclear: Vec<bool>,
    dirty: Vec<bool>,
    waiting: Vec<u32>,
    committed: Vec<u32>,
    new_rates: Vec<Option<f64>>,
    enabled: Vec<ExpandedEdge>,
    heard: Vec<ExpandedEdge>,
    moves: Vec<Move>,
}

#[derive(Clone, Default, Debug)]
struct Rates {
    list: Vec<(u32, f64)>,
    curved: bool,
}

/// What one process does in a transition.
#[derive(Clone, Copy, Debug)]
struct Move {
    process: u32,
    edge: ExpandedEdge,
    branch: u32,
}

impl<'s> Runner<'s> {
    pub fn new(system: &'s System<'s>, settings: Settings) -> Runner<'s> {
        let processes = system.network.processes.len();
        Runner {
            system,
            settings,
            machine: Machine::new(system.network, &system.facts),
            initial: State::initial(system.network),
            now: 0.0,
            steps: 0,
            rates: vec![1.0; system.network.clocks.len()],
            set_by: vec![Rates::default(); if system.rated.is_empty() { 0 } else { processes }],
            curved: false,
            at: vec![0.0; processes],
            deadline: vec![0.0; processes],
            unclear: vec![false; processes],
            dirty: vec![false; processes],
            waiting: Vec::new(),
            committed: Vec::new(),
            new_rates: Vec::new(),
            enabled: Vec::new(),
            heard: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Steps of the last run.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn now(&self) -> f64 {
        self.now
    }

    fn restart(&mut self, random: Random) -> Result<()> {
        self.machine.state.copy_from(&self.initial);
        self.machine.log.clear();
        self.machine.random = random;
        (self.now, self.steps) = (0.0, 0);
        self.rates.fill(1.0);
        self.dirty.fill(true);
        self.unclear.fill(false);
        self.waiting.clear();
        self.waiting.extend(0..self.at.len() as u32);
        self.committed.clear();
        for process in 0..self.at.len() {
            if self.kind(process) == LocationKind::Committed {
                self.committed.push(process as u32);
            }
        }
        self.set_rates()
    }

    /// Makes a run with the given stream of random numbers.
    pub fn run(
        &mut self,
        random: Random,
        bound: &ResolvedBound,
        observer: &mut impl Observer,
        stop: &dyn Fn() -> bool,
    ) -> Result<Ending> {
        self.restart(random)?;
        let steps_allowed = match bound.measure {
            ResolvedMeasure::Steps => bound.limit.max(0) as u64,
            _ => u64::MAX,
        };
        let (mut still, mut since, mut looks) = (0u32, self.now, 0u32);
        loop {
            looks += 1;
            if looks >= BETWEEN_LOOKS {
                looks = 0;
                if stop() {
                    return Ok(Ending::Stopped);
                }
            }
            if self.now > since + NEAR {
                (still, since) = (0, self.now);
            }
            still += 1;
            if still > STILL && steps_allowed == u64::MAX {
                return Ok(Ending::Zeno);
            }
            if self.steps >= steps_allowed {
                let decided = self.observe(observer, 0.0)?;
                return Ok(if decided { Ending::Decided } else { Ending::Bound });
            }
            if !self.committed.is_empty() {
                if self.observe(observer, 0.0)? {
                    return Ok(Ending::Decided);
                }
                if !self.act_committed()? {
                    return Ok(Ending::TimeLock);
                }
                continue;
            }
            self.draw_again()?;
            let next = self.at.iter().copied().fold(f64::INFINITY, f64::min);
            let room = self.room(bound)?;
            let small = self.curved || self.unclear.contains(&true) || observer.wants_small_steps();
            let step = if small { self.settings.step } else { f64::INFINITY };
            let length = (next - self.now).min(room).min(step).max(0.0);
            if length == f64::INFINITY {
                let decided = self.observe(observer, f64::INFINITY)?;
                return Ok(if decided { Ending::Decided } else { Ending::Idle });
            }
            if self.observe(observer, length)? {
                return Ok(Ending::Decided);
            }
            self.pass(length, next)?;
            if next > self.now + NEAR {
                if room <= length + NEAR {
                    return Ok(Ending::Bound);
                }
                continue;
            }
            if !self.act_first()? {
                return Ok(Ending::TimeLock);
            }
        }
    }

    fn observe(&mut self, observer: &mut impl Observer, length: f64) -> Result<bool> {
        self.machine.enter(0, &[]);
        let mut moment = Moment { machine: &mut self.machine, rates: &self.rates, now: self.now, steps: self.steps };
        observer.stretch(&mut moment, length)
    }

    /// The delay until the bound is reached.
    fn room(&mut self, bound: &ResolvedBound) -> Result<f64> {
        let limit = f64::from(bound.limit);
        Ok(match &bound.measure {
            ResolvedMeasure::Time => (limit - self.now).max(0.0),
            ResolvedMeasure::Steps => f64::INFINITY,
            ResolvedMeasure::Clock(place) => {
                let clock = self.bound_clock(place)?;
                let (value, rate) = (self.machine.state.clocks[clock], self.rates[clock]);
                if value > limit - NEAR {
                    0.0
                } else if rate > 0.0 {
                    (limit - value) / rate
                } else {
                    f64::INFINITY
                }
            }
        })
    }

    fn bound_clock(&mut self, place: &Place) -> Result<usize> {
        self.machine.enter(0, &[]);
        self.machine.clock_index(place, ExprId::new(0))
    }

    fn pass(&mut self, length: f64, next: f64) -> Result<()> {
        if length > 0.0 {
            for (clock, rate) in self.machine.state.clocks.iter_mut().zip(&self.rates) {
                *clock += rate * length;
            }
            let end = self.now + length;
            self.now = if (next - end).abs() <= NEAR { next } else { end };
        }
        if self.curved {
            self.set_rates()?;
        }
        for process in 0..self.unclear.len() {
            if self.unclear[process] {
                self.mark(process as u32);
            }
        }
        Ok(())
    }

    fn kind(&self, process: usize) -> LocationKind {
        self.system.local(process, self.machine.state.locations[process]).kind
    }

    fn mark(&mut self, process: u32) {
        if !std::mem::replace(&mut self.dirty[process as usize], true) {
            self.waiting.push(process);
        }
    }

    fn draw_again(&mut self) -> Result<()> {
        while let Some(process) = self.waiting.pop() {
            self.dirty[process as usize] = false;
            self.draw(process as usize)?;
        }
        Ok(())
    }

    /// Draws the moment at which a component acts, if no other does before.
    fn draw(&mut self, process: usize) -> Result<()> {
        let local = self.system.local(process, self.machine.state.locations[process]);
        self.unclear[process] = false;
        self.machine.enter(process, &[]);
        let limit = match (local.kind, local.invariant) {
            (LocationKind::Urgent | LocationKind::Committed, _) => 0.0,
            (_, None) => f64::INFINITY,
            (_, Some(invariant)) => self.allowed(process, invariant)?,
        };
        let (mut first, mut urgent) = (f64::INFINITY, f64::INFINITY);
        let template = self.system.network.template(self.system.network.processes[process].template);
        for edge in &local.outputs {
            let is_urgent = template
                .edge(edge.edge)
                .sync
                .as_ref()
                .is_some_and(|sync| matches!(sync.channel.ty, Type::Channel(kind) if kind.urgent));
            let moment = match template.edge(edge.edge).guard {
                None => Some(0.0),
                Some(guard) => {
                    self.machine.enter(process, template.select_values(*edge));
                    match self.machine.convex(guard, &self.rates)? {
                        Some(interval) => interval.first_within(limit),
                        None => match self.machine.window(guard, &self.rates)? {
                            Some(set) => set.first_within(limit),
                            // Perhaps at once; whoever is due looks again.
                            None if !is_urgent => Some(0.0),
                            None => {
                                self.unclear[process] = true;
                                self.machine.truth(guard)?.then_some(0.0)
                            }
                        },
                    }
                }
            };
            if let Some(moment) = moment {
                first = first.min(moment);
                if is_urgent {
                    urgent = urgent.min(moment);
                }
            }
        }
        let delay = if first == f64::INFINITY {
            limit
        } else if limit < f64::INFINITY {
            first + (limit - first).max(0.0) * uniform(&mut self.machine.random)
        } else {
            let rate = self.rate(process, local.rate)?;
            if rate > 0.0 { first + exponential(&mut self.machine.random) / rate } else { f64::INFINITY }
        };
        self.deadline[process] = self.now + limit.min(urgent);
        self.at[process] = (self.now + delay).min(self.deadline[process]);
        Ok(())
    }

    /// How long the invariant of a component lets time pass.
    fn allowed(&mut self, process: usize, invariant: ExprId) -> Result<f64> {
        let from_now = |interval: &Interval| interval.holds_at(0.0).then(|| interval.hi.max(0.0));
        if let Some(interval) = self.machine.convex(invariant, &self.rates)? {
            return Ok(from_now(&interval).unwrap_or(0.0));
        }
        if let Some(set) = self.machine.window(invariant, &self.rates)? {
            return Ok(set.intervals().iter().find_map(from_now).unwrap_or(0.0));
        }
        self.unclear[process] = true;
        Ok(if self.machine.truth(invariant)? { f64::INFINITY } else { 0.0 })
    }

    fn rate(&mut self, process: usize, rate: Option<(ExprId, Option<ExprId>)>) -> Result<f64> {
        let Some((rate, divisor)) = rate else { return Ok(1.0) };
        self.machine.enter(process, &[]);
        let mut value = self.machine.double(rate)?;
        if let Some(divisor) = divisor {
            value /= self.machine.double(divisor)?;
        }
        if value >= 0.0 { Ok(value) } else { self.machine.failed(rate, format!("{value} is no exponential rate")) }
    }

    /// Sets all rates as the invariants of the present locations say; a clock that is stopped by any of them stands.
    fn set_rates(&mut self) -> Result<()> {
        let system = self.system;
        let mut changed = false;
        for process in &system.rated {
            let process = *process as usize;
            // What a process sets depends on what its delay depends on.
            if !self.dirty[process] && !self.set_by[process].curved {
                continue;
            }
            changed = true;
            let mut rates = std::mem::take(&mut self.set_by[process]);
            rates.list.clear();
            rates.curved = false;
            let local = system.local(process, self.machine.state.locations[process]);
            if let (true, Some(invariant)) = (local.has_rates, local.invariant) {
                self.machine.enter(process, &[]);
                match &local.rates {
                    Some(list) => {
                        for one in list {
                            self.collect_all(one.rate, &one.variables, &mut rates)?;
                        }
                    }
                    None => self.collect_rates(invariant, &mut rates)?,
                }
            }
            self.set_by[process] = rates;
        }
        if !changed {
            return Ok(());
        }
        let mut new = std::mem::take(&mut self.new_rates);
        new.clear();
        new.resize(self.rates.len(), None);
        self.curved = false;
        for process in &system.rated {
            let rates = &self.set_by[*process as usize];
            self.curved |= rates.curved;
            for (clock, rate) in &rates.list {
                let slot = &mut new[*clock as usize];
                if *slot != Some(0.0) {
                    *slot = Some(*rate);
                }
            }
        }
        for (clock, rate) in new.iter().enumerate() {
            let rate = rate.unwrap_or(1.0);
            if rate != self.rates[clock] {
                self.rates[clock] = rate;
                system.watch.of_clock(clock as u32).iter().for_each(|process| self.mark(*process));
                system.watch.everything.iter().for_each(|process| self.mark(*process));
            }
        }
        self.new_rates = new;
        Ok(())
    }

    /// One rate for all values of some variables.
    fn collect_all(&mut self, rate: ExprId, variables: &[(u32, Range)], rates: &mut Rates) -> Result<()> {
        let Some(((slot, range), rest)) = variables.split_first() else { return self.collect_rates(rate, rates) };
        for value in range.lo..=range.hi {
            self.machine.tick(rate)?;
            self.machine.frames.set_slot(*slot, value);
            self.collect_all(rate, rest, rates)?;
        }
        Ok(())
    }

    fn collect_rates(&mut self, id: ExprId, rates: &mut Rates) -> Result<()> {
        let facts = &self.system.facts;
        if !facts.has_rates(id) {
            return Ok(());
        }
        match self.system.network.code.expr(id) {
            Expr::And(left, right) => {
                self.collect_rates(*left, rates)?;
                self.collect_rates(*right, rates)
            }
            Expr::Or(left, right) => {
                if !facts.has_rates(*left) && self.machine.truth(*left)? {
                    return Ok(());
                }
                self.collect_rates(*left, rates)?;
                self.collect_rates(*right, rates)
            }
            Expr::Conditional { condition, then, otherwise } => {
                let chosen = if self.machine.truth(*condition)? { *then } else { *otherwise };
                self.collect_rates(chosen, rates)
            }
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                for value in range.lo..=range.hi {
                    self.machine.tick(*body)?;
                    self.machine.frames.set_slot(*slot, value);
                    self.collect_rates(*body, rates)?;
                }
                Ok(())
            }
            Expr::Rate { clock, number, rate } => {
                let at = self.machine.clock_index(clock, id)?;
                let value = self.machine.number(*number, *rate)?;
                if !value.is_finite() {
                    return self.machine.failed(*rate, format!("{value} is no rate of a clock"));
                }
                rates.curved |= facts.timed(*rate);
                rates.list.push((at as u32, value));
                Ok(())
            }
            _ => self.machine.failed(id, "the rate of a clock stands where it cannot be found"),
        }
    }

    /// One of those that are due acts, or somebody else when time cannot pass; `false` when nobody can.
    fn act_first(&mut self) -> Result<bool> {
        let due = |at: &f64| *at <= self.now + NEAR;
        let count = self.at.iter().filter(|at| due(at)).count();
        let chosen = self.machine.random.index(count);
        let winner = self.at.iter().enumerate().filter(|(_, at)| due(at)).nth(chosen).map_or(0, |(n, _)| n);
        if self.act(winner)? {
            return Ok(true);
        }
        self.mark(winner as u32);
        if self.deadline.iter().all(|deadline| *deadline > self.now + NEAR) {
            return Ok(true);
        }
        let all: Vec<u32> = (0..self.at.len() as u32).collect();
        self.act_one_of(all)
    }

    fn act_committed(&mut self) -> Result<bool> {
        if self.act_one_of(self.committed.clone())? {
            return Ok(true);
        }
        // A committed process may also take part as a receiver.
        let all: Vec<u32> = (0..self.at.len() as u32).filter(|n| !self.committed.contains(n)).collect();
        self.act_one_of(all)
    }

    /// One of these components acts, those that can equally likely; `false` when none can.
    fn act_one_of(&mut self, mut components: Vec<u32>) -> Result<bool> {
        while !components.is_empty() {
            let chosen = components.swap_remove(self.machine.random.index(components.len()));
            if self.act(chosen as usize)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A component takes one of its enabled outputs, each equally likely; `false` when it has none.
    fn act(&mut self, process: usize) -> Result<bool> {
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        let local = self.system.local(process, self.machine.state.locations[process]);
        for edge in &local.outputs {
            if self.holds(process, *edge)? {
                enabled.push(*edge);
            }
        }
        let mut acted = false;
        while !enabled.is_empty() && !acted {
            let edge = enabled.swap_remove(self.machine.random.index(enabled.len()));
            acted = self.fire(process, edge)?;
        }
        self.enabled = enabled;
        Ok(acted)
    }

    fn holds(&mut self, process: usize, edge: ExpandedEdge) -> Result<bool> {
        let template = self.system.network.template(self.system.network.processes[process].template);
        match template.edge(edge.edge).guard {
            None => Ok(true),
            Some(guard) => {
                self.machine.enter(process, template.select_values(edge));
                self.machine.truth(guard)
            }
        }
    }

    /// Takes a transition; `false`, and nothing has changed, when the state it leads to violates an invariant or when
    /// somebody else is committed.
    fn fire(&mut self, process: usize, edge: ExpandedEdge) -> Result<bool> {
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        let fired = self.fire_with(process, edge, &mut moves);
        self.moves = moves;
        fired
    }

    fn fire_with(&mut self, process: usize, edge: ExpandedEdge, moves: &mut Vec<Move>) -> Result<bool> {
        moves.push(Move { process: process as u32, edge, branch: 0 });
        self.listen(process, edge, moves)?;
        let leaves_committed = |one: &Move| self.committed.contains(&one.process);
        if !self.committed.is_empty() && !moves.iter().any(leaves_committed) {
            return Ok(false);
        }
        for one in moves.iter_mut() {
            one.branch = self.branch(one.process as usize, one.edge)?;
        }
        self.machine.log.clear();
        self.change(moves)?;
        if !self.settle(moves)? {
            self.machine.undo(0);
            return Ok(false);
        }
        self.steps += 1;
        self.committed.retain(|process| !moves.iter().any(|one| one.process == *process));
        for one in moves.iter() {
            self.mark(one.process);
            if self.kind(one.process as usize) == LocationKind::Committed {
                self.committed.push(one.process);
            }
        }
        self.set_rates()?;
        Ok(true)
    }

    /// Adds what every other process that can receive does.
    fn listen(&mut self, process: usize, edge: ExpandedEdge, moves: &mut Vec<Move>) -> Result<()> {
        let network = self.system.network;
        let template = network.template(network.processes[process].template);
        let Some(sync) = template.edge(edge.edge).sync.as_ref().filter(|sync| sync.direction == Direction::Send) else {
            return Ok(());
        };
        self.machine.enter(process, template.select_values(edge));
        let channel = self.channel(&sync.channel)?;
        let Some(listeners) = self.system.listeners.get(channel) else { return Ok(()) };
        let mut heard = std::mem::take(&mut self.heard);
        for listener in listeners.iter().filter(|listener| **listener as usize != process) {
            let listener = *listener as usize;
            let template = network.template(network.processes[listener].template);
            let local = self.system.local(listener, self.machine.state.locations[listener]);
            heard.clear();
            for input in &local.inputs {
                let Some(sync) = &template.edge(input.edge).sync else { continue };
                self.machine.enter(listener, template.select_values(*input));
                // A guard that does not hold protects the index of its channel.
                if self.holds(listener, *input)? && self.channel(&sync.channel)? == channel {
                    heard.push(*input);
                }
            }
            if !heard.is_empty() {
                let edge = heard[self.machine.random.index(heard.len())];
                moves.push(Move { process: listener as u32, edge, branch: 0 });
            }
        }
        self.heard = heard;
        Ok(())
    }

    fn channel(&mut self, place: &Place) -> Result<usize> {
        let id = place.indices.first().map_or(ExprId::new(0), |index| index.value);
        self.machine.channel_index(place, id)
    }

    /// Draws a branch by weight.
    fn branch(&mut self, process: usize, edge: ExpandedEdge) -> Result<u32> {
        let network = self.system.network;
        let template = network.template(network.processes[process].template);
        let branches = &template.edge(edge.edge).branches;
        if branches.len() <= 1 {
            return Ok(0);
        }
        let mut weights = Vec::with_capacity(branches.len());
        let mut total = 0.0;
        for branch in branches {
            let weight = match branch.weight {
                None => 1.0,
                Some(weight) => {
                    self.machine.enter(process, &branch.select);
                    let value = self.machine.double(weight)?;
                    if !(value >= 0.0 && value.is_finite()) {
                        return self.machine.failed(weight, format!("{value} is no weight of a branch"));
                    }
                    value
                }
            };
            total += weight;
            weights.push(weight);
        }
        if total <= 0.0 {
            return self.machine.failed_at(template.edge(edge.edge).span, "no branch has a positive weight");
        }
        let mut drawn = uniform(&mut self.machine.random) * total;
        let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
        for (n, weight) in weights.iter().enumerate() {
            if drawn < *weight {
                return Ok(n as u32);
            }
            drawn -= weight;
        }
        Ok(last as u32)
    }

    /// Runs the updates: the sender's, then those of the receivers in the order of the processes.
    fn change(&mut self, moves: &[Move]) -> Result<()> {
        let network = self.system.network;
        self.machine.enter(0, &[]);
        for update in &network.before_update {
            self.machine.run(*update)?;
        }
        for one in moves {
            let process = one.process as usize;
            let template = network.template(network.processes[process].template);
            let edge = template.edge(one.edge.edge);
            self.machine.enter(process, template.select_values(one.edge));
            for update in &edge.update {
                self.machine.run(*update)?;
            }
            let branch = &edge.branches[one.branch as usize];
            self.machine.enter(process, &branch.select);
            for update in &branch.update {
                self.machine.run(*update)?;
            }
            let old = std::mem::replace(&mut self.machine.state.locations[process], branch.target.index() as u32);
            self.machine.log.push(Change::Location(one.process, old));
        }
        self.machine.enter(0, &[]);
        for update in &network.after_update {
            self.machine.run(*update)?;
        }
        for cell in &self.system.meta {
            let value = network.ints[*cell as usize].initial;
            let old = std::mem::replace(&mut self.machine.state.ints[*cell as usize], value);
            if old != value {
                self.machine.log.push(Change::Int(*cell, old));
            }
        }
        Ok(())
    }

    /// Marks what depends on the changes; whether the invariants hold.
    fn settle(&mut self, moves: &[Move]) -> Result<bool> {
        let system = self.system;
        let log = std::mem::take(&mut self.machine.log);
        for change in &log {
            match change {
                Change::Int(cell, _) => system.watch.of_int(*cell, &mut |process| self.mark(process)),
                Change::Clock(cell, _) => {
                    system.watch.of_clock(*cell).iter().for_each(|process| self.mark(*process));
                }
                Change::Double(..) => system.watch.doubles.iter().for_each(|process| self.mark(*process)),
                Change::Location(..) => {}
            }
        }
        system.watch.everything.iter().for_each(|process| self.mark(*process));
        moves.iter().for_each(|one| self.mark(one.process));
        self.machine.log = log;
        for n in 0..self.waiting.len() {
            let process = self.waiting[n] as usize;
            let local = system.local(process, self.machine.state.locations[process]);
            if let Some(invariant) = local.invariant {
                self.machine.enter(process, &[]);
                if !self.machine.truth(invariant)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
