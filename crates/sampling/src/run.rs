//! One run: components race, the one with the least delay acts.
//!
//! Semantics (David, Larsen, Legay, Mikučionis, Wang 2011, and the manual of UPPAAL). In a state
//! every component draws a delay: uniform on `[d, D]` when its invariant bounds time by `D`, where
//! `d` is the first moment at which one of its outputs (internal or sending edges) is enabled; `d`
//! plus an exponential delay of the location's rate otherwise, rate 1 when none is given. A
//! component without an output to come draws no delay of its own: it waits until its invariant
//! ends. The least delay wins, ties are broken uniformly, the winner takes one of its enabled
//! outputs, each equally likely, and a branch by weight; every process that can receive does. A
//! winner that draws a moment between its windows does nothing, and draws again.
//!
//! How this differs from the text books. A delay is drawn again only when something it depends on
//! changed: what is left of a uniform or an exponential delay is distributed as a new one, so the
//! distribution of runs is the same and a step costs what it changes. An urgent channel ends the
//! delay at the first moment at which a sender is enabled. Where time cannot pass (urgent
//! locations, ended invariants) and the winner has nothing to do, all components that can act are
//! equally likely. A transition into a state that violates an invariant does not exist; another is
//! drawn. Rates of clocks that are no constants are integrated in small steps (see
//! [`super::rates`]).
//!
//! Time-locks and Zeno behaviour end a run with an [`Ending`] that says so; what the observer has
//! seen until then is what it goes by. A step costs the components that have to draw again, for each
//! of them a path through the tournament of drawn moments (see [`super::race`]), and one addition
//! per clock.

use super::builtins::{exponential, uniform};
use super::condition::Condition;
use super::failure::Result;
use super::fire::Move;
use super::interval::Interval;
use super::machine::{Machine, State};
use super::question::{Bound, Measure};
use super::race::Race;
use super::rates::Rates;
use super::system::{LocationRate, System};
use super::window::Flow;
use model::network::{ExpandedEdge, LocationKind};
use search::random::Random;
use semantics::code::Programs;
use semantics::precise::NEAR;
use semantics::precise::Precise;

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
    /// Very many steps, and the clock that bounds the run came no closer to its bound.
    Endless,
    /// Somebody wants it to end.
    Stopped,
}

/// Looks at a run as it is made.
pub trait Observer {
    /// The state now and for a delay of `length`; whether the run can end.
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: Precise) -> Result<bool>;

    /// Whether the run has to be looked at in small steps of time.
    fn wants_small_steps(&self) -> bool {
        false
    }
}

/// A state of a run, at the start of a stretch of delay.
pub struct Moment<'m, 'n> {
    pub machine: &'m mut Machine<'n>,
    /// The code of what is observed.
    pub programs: &'m Programs<'n>,
    pub rates: &'m [f64],
    pub now: Precise,
    pub steps: u64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The longest step when rates of clocks change while time passes, in time units.
    pub step: f64,
}

/// Steps without time passing after which a run counts as Zeno.
const STILL: u32 = 100_000;
/// Delays without a step after which a run that no time bounds counts as idle.
const WITHOUT_STEP: u64 = 1 << 20;
/// Delays in which the clock of a bound comes no closer to it after which a run counts as endless.
pub const NO_CLOSER: u32 = 1 << 18;
/// How often an event and the slopes of clocks until then are adjusted to each other.
const ADJUSTMENTS: u32 = 8;
/// Steps between two looks at whether the run is to end.
const BETWEEN_LOOKS: u32 = 1_024;

pub struct Runner<'s> {
    pub(super) system: &'s System<'s>,
    pub(super) settings: Settings,
    pub machine: Machine<'s>,
    pub(super) initial: State,
    pub(super) now: Precise,
    pub(super) steps: u64,
    pub(super) rates: Vec<f64>,
    /// The rates that each process sets, and whether they change while time passes.
    pub(super) set_by: Vec<Rates>,
    /// Whether some rate changes while time passes.
    pub(super) curved: bool,
    /// The moment a component has drawn.
    pub(super) at: Race,
    /// The moment beyond which a component lets no time pass.
    pub(super) deadline: Vec<Precise>,
    /// Components whose windows cannot be computed, only looked at.
    pub(super) unclear: Vec<bool>,
    /// How many.
    pub(super) all_unclear: usize,
    pub(super) dirty: Vec<bool>,
    pub(super) waiting: Vec<u32>,
    /// How many of those that wait to draw have had their invariants checked and their rates
    /// collected in this state.
    pub(super) checked: usize,
    /// Those among them that the transition at hand has changed.
    pub(super) touched: Vec<u32>,
    pub(super) committed: Vec<u32>,
    pub(super) new_rates: Vec<Option<f64>>,
    /// No rates have been set in this run.
    pub(super) rates_are_new: bool,
    /// Whose rates are looked for, and those of the one at hand.
    pub(super) asked: Vec<u32>,
    pub(super) collected: Rates,
    /// Rates and clocks at the start of a step.
    pub(super) first_rates: Vec<f64>,
    pub(super) start: Vec<Precise>,
    pub(super) enabled: Vec<ExpandedEdge>,
    pub(super) heard: Vec<ExpandedEdge>,
    pub(super) moves: Vec<Move>,
    pub(super) candidates: Vec<u32>,
    pub(super) weights: Vec<f64>,
}

impl<'s> Runner<'s> {
    pub fn new(system: &'s System<'s>, settings: Settings) -> Runner<'s> {
        let processes = system.network.processes.len();
        Runner {
            system,
            settings,
            machine: Machine::new(system.network),
            initial: State::initial(system.network),
            now: Precise::ZERO,
            steps: 0,
            rates: vec![1.0; system.network.clocks.len()],
            set_by: vec![Rates::default(); if system.rated.is_empty() { 0 } else { processes }],
            curved: false,
            at: Race::new(processes),
            deadline: vec![Precise::ZERO; processes],
            unclear: vec![false; processes],
            all_unclear: 0,
            dirty: vec![false; processes],
            waiting: Vec::new(),
            checked: 0,
            touched: Vec::new(),
            committed: Vec::new(),
            new_rates: Vec::new(),
            rates_are_new: true,
            asked: Vec::new(),
            collected: Rates::default(),
            first_rates: Vec::new(),
            start: Vec::new(),
            enabled: Vec::new(),
            heard: Vec::new(),
            moves: Vec::new(),
            candidates: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Steps of the last run.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn now(&self) -> f64 {
        self.now.value()
    }

    fn restart(&mut self, random: Random) -> Result<()> {
        self.machine.state.copy_from(&self.initial);
        self.machine.log.clear();
        self.machine.random = random;
        (self.now, self.steps) = (Precise::ZERO, 0);
        self.rates.fill(1.0);
        self.dirty.fill(true);
        self.unclear.fill(false);
        self.all_unclear = 0;
        (self.rates_are_new, self.curved) = (true, false);
        self.waiting.clear();
        self.checked = 0;
        self.waiting.extend(0..self.at.len() as u32);
        self.committed.clear();
        for process in 0..self.at.len() {
            self.at.set(process, Precise::ZERO);
            if self.kind(process) == LocationKind::Committed {
                self.committed.push(process as u32);
            }
        }
        self.set_rates(0)
    }

    /// Makes a run with the given stream of random numbers.
    pub fn run(
        &mut self,
        random: Random,
        programs: &Programs<'s>,
        bound: &Bound,
        observer: &mut impl Observer,
        stop: &dyn Fn() -> bool,
    ) -> Result<Ending> {
        self.restart(random)?;
        let steps_allowed = match bound.measure {
            Measure::Steps => bound.limit.max(0) as u64,
            _ => u64::MAX,
        };
        let (mut still, mut since, mut looks) = (0u32, self.now, 0u32);
        let (mut delays, mut last_step) = (0u64, 0u64);
        let (mut least_room, mut no_closer) = (Precise::INFINITY, 0u32);
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
            (delays, last_step) = if self.steps == last_step { (delays + 1, last_step) } else { (0, self.steps) };
            if delays > WITHOUT_STEP && !matches!(bound.measure, Measure::Time) {
                return Ok(Ending::Idle);
            }
            if self.steps >= steps_allowed {
                let decided = self.observe(programs, observer, Precise::ZERO)?;
                return Ok(if decided { Ending::Decided } else { Ending::Bound });
            }
            if !self.committed.is_empty() {
                if self.observe(programs, observer, Precise::ZERO)? {
                    return Ok(Ending::Decided);
                }
                if !self.act_committed()? {
                    return Ok(Ending::TimeLock);
                }
                continue;
            }
            let room = self.room(programs, bound)?;
            if matches!(bound.measure, Measure::Clock(_)) {
                (least_room, no_closer) = if room < least_room { (room, 0) } else { (least_room, no_closer + 1) };
                if no_closer > NO_CLOSER {
                    return Ok(Ending::Endless);
                }
            }
            let step = if observer.wants_small_steps() { Precise::from(self.settings.step) } else { Precise::INFINITY };
            let (next, length) = self.next_stretch(room.min(step))?;
            if !length.is_finite() {
                let decided = self.observe(programs, observer, Precise::INFINITY)?;
                return Ok(if decided { Ending::Decided } else { Ending::Idle });
            }
            if self.observe(programs, observer, length)? {
                return Ok(Ending::Decided);
            }
            self.pass(length);
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

    /// The next moment at which a component is due, and for how long time passes before that and
    /// before the limit.
    ///
    /// Slopes of clocks are those of a step of some length, and what is due depends on them. An
    /// event that ends the step earlier has slopes of its own, which move the event a little, so
    /// the two are adjusted to each other.
    fn next_stretch(&mut self, limit: Precise) -> Result<(Precise, Precise)> {
        let mut bent = if self.curved { self.bend()? } else { f64::INFINITY };
        let longest = bent;
        for round in 0.. {
            self.draw_again()?;
            let next = self.at.first();
            let step = if self.all_unclear > 0 { self.settings.step } else { f64::INFINITY };
            let length = (next - self.now).min(limit).min(Precise::from(step.min(longest))).max(Precise::ZERO);
            let short = length.value();
            let fits = !self.curved || short <= 0.0 || (short - bent).abs() <= 1e-6 * bent;
            if fits || round >= ADJUSTMENTS {
                return Ok((next, length));
            }
            self.bend_to(short)?;
            bent = short;
        }
        Ok((Precise::INFINITY, Precise::ZERO))
    }

    fn observe(&mut self, programs: &Programs<'s>, observer: &mut impl Observer, length: Precise) -> Result<bool> {
        self.machine.enter(0, &[]);
        let (rates, now, steps) = (&self.rates, self.now, self.steps);
        let mut moment = Moment { machine: &mut self.machine, programs, rates, now, steps };
        observer.stretch(&mut moment, length)
    }

    /// The delay until the bound is reached.
    fn room(&mut self, programs: &Programs<'s>, bound: &Bound) -> Result<Precise> {
        let limit = Precise::from(f64::from(bound.limit));
        Ok(match &bound.measure {
            Measure::Time => (limit - self.now).max(Precise::ZERO),
            Measure::Steps => Precise::INFINITY,
            Measure::Clock(clock) => {
                self.machine.enter(0, &[]);
                let clock = self.machine.clock(programs, *clock)?;
                let (value, rate) = (self.machine.state.clocks[clock], self.rates[clock]);
                if value > limit + -NEAR {
                    Precise::ZERO
                } else if rate > 0.0 {
                    (limit - value) / rate
                } else {
                    Precise::INFINITY
                }
            }
        })
    }

    fn pass(&mut self, length: Precise) {
        if length > Precise::ZERO {
            for (clock, rate) in self.machine.state.clocks.iter_mut().zip(&self.rates) {
                if *rate != 0.0 {
                    *clock += length * *rate;
                }
            }
            self.now += length;
        }
        if self.all_unclear == 0 {
            return;
        }
        for process in 0..self.unclear.len() {
            if self.unclear[process] {
                self.mark(process as u32);
            }
        }
    }

    pub(super) fn kind(&self, process: usize) -> LocationKind {
        self.system.local(process, self.machine.state.locations[process]).kind
    }

    pub(super) fn mark(&mut self, process: u32) {
        if !std::mem::replace(&mut self.dirty[process as usize], true) {
            self.waiting.push(process);
        }
    }

    fn draw_again(&mut self) -> Result<()> {
        self.checked = 0;
        while let Some(process) = self.waiting.pop() {
            self.dirty[process as usize] = false;
            self.draw(process as usize)?;
        }
        Ok(())
    }

    fn set_unclear(&mut self, process: usize, unclear: bool) {
        let before = std::mem::replace(&mut self.unclear[process], unclear);
        self.all_unclear = self.all_unclear + usize::from(unclear) - usize::from(before);
    }

    /// Draws the moment at which a component acts, if no other does before.
    fn draw(&mut self, process: usize) -> Result<()> {
        let system = self.system;
        let local = system.local(process, self.machine.state.locations[process]);
        self.set_unclear(process, false);
        let limit = match (local.kind, &local.invariant) {
            (LocationKind::Urgent | LocationKind::Committed, _) => Precise::ZERO,
            (_, None) => Precise::INFINITY,
            (_, Some(invariant)) => self.allowed(process, invariant)?,
        };
        let (mut first, mut urgent) = (Precise::INFINITY, Precise::INFINITY);
        for edge in &local.outputs {
            let action = system.action(process, *edge);
            let moment = match &action.guard {
                None => Some(Precise::ZERO),
                Some(guard) => {
                    self.machine.enter(process, system.select(process, *edge));
                    self.first_moment(process, guard, action.urgent, limit)?
                }
            };
            if let Some(moment) = moment {
                first = first.min(moment);
                if action.urgent {
                    urgent = urgent.min(moment);
                }
            }
        }
        let delay = if !first.is_finite() {
            limit
        } else if limit.is_finite() {
            first + (limit - first).max(Precise::ZERO) * uniform(&mut self.machine.random)
        } else {
            let rate = self.rate(process, local.rate)?;
            if rate > 0.0 { first + exponential(&mut self.machine.random) / rate } else { Precise::INFINITY }
        };
        self.deadline[process] = self.now + limit.min(urgent);
        self.at.set(process, (self.now + delay).min(self.deadline[process]));
        Ok(())
    }

    /// The first delay up to a limit at which a guard holds.
    fn first_moment(
        &mut self,
        process: usize,
        guard: &Condition,
        is_urgent: bool,
        limit: Precise,
    ) -> Result<Option<Precise>> {
        let flow = Flow { programs: &self.system.programs, rates: &self.rates };
        if let Some(interval) = self.machine.convex(&guard.parts, flow)? {
            return Ok(interval.first_within(limit));
        }
        if let Some(set) = self.machine.window(&guard.parts, flow)? {
            return Ok(set.first_within(limit));
        }
        // Perhaps at once; whoever is due looks again.
        if !is_urgent {
            return Ok(Some(Precise::ZERO));
        }
        self.set_unclear(process, true);
        Ok(self.machine.truth(&self.system.programs, guard.truth)?.then_some(Precise::ZERO))
    }

    /// How long the invariant of a component lets time pass.
    fn allowed(&mut self, process: usize, invariant: &Condition) -> Result<Precise> {
        self.machine.enter(process, &[]);
        let flow = Flow { programs: &self.system.programs, rates: &self.rates };
        let from_now = |interval: &Interval| interval.holds_at(Precise::ZERO).then(|| interval.hi.max(Precise::ZERO));
        if let Some(interval) = self.machine.convex(&invariant.parts, flow)? {
            return Ok(from_now(&interval).unwrap_or(Precise::ZERO));
        }
        if let Some(set) = self.machine.window(&invariant.parts, flow)? {
            return Ok(set.intervals().iter().find_map(from_now).unwrap_or(Precise::ZERO));
        }
        self.set_unclear(process, true);
        let holds = self.machine.truth(&self.system.programs, invariant.truth)?;
        Ok(if holds { Precise::INFINITY } else { Precise::ZERO })
    }

    fn rate(&mut self, process: usize, rate: Option<LocationRate>) -> Result<f64> {
        let Some(LocationRate { rate, divisor, span }) = rate else { return Ok(1.0) };
        let programs = &self.system.programs;
        self.machine.enter(process, &[]);
        let mut value = self.machine.amount(programs, rate)?;
        if let Some(divisor) = divisor {
            value /= self.machine.amount(programs, divisor)?;
        }
        if value >= 0.0 { Ok(value) } else { self.machine.failed(span, format!("{value} is no exponential rate")) }
    }
}
