//! The state of a run and the machine that runs register code on it: integers, doubles and clocks.
//!
//! A [`Machine`] is entered for a process and the select values of a label; then the codes of that
//! label run. What they change is logged, so that a transition can be taken back.

use super::builtins::builtin;
use super::condition::{Amount, Condition, Parts};
use super::failure::{Failure, Result};
use model::network::{Builtin, ChannelId, ClockInitial, LocationId, Network, ProcessId};
use model::source::Span;
use search::random::Random;
use semantics::code::{self, ChannelCode, ClockCode, DoubleId, IntId, Programs, UpdateId};
use semantics::precise::{Precise, compare};

/// Where everybody is and what every variable holds.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub locations: Vec<LocationId>,
    pub ints: Vec<i32>,
    pub doubles: Vec<f64>,
    pub clocks: Vec<Precise>,
}

impl State {
    pub fn initial(network: &Network) -> State {
        State {
            locations: network.processes.iter().map(|process| network.template(process.template).initial).collect(),
            ints: network.ints.iter().map(|cell| cell.initial).collect(),
            doubles: network.doubles.clone(),
            clocks: network
                .clocks
                .iter()
                .map(|clock| match clock.initial {
                    ClockInitial::Int(value) => Precise::from(f64::from(value)),
                    ClockInitial::Double(value) => Precise::from(value),
                })
                .collect(),
        }
    }

    pub fn copy_from(&mut self, other: &State) {
        self.locations.copy_from_slice(&other.locations);
        self.ints.copy_from_slice(&other.ints);
        self.doubles.copy_from_slice(&other.doubles);
        self.clocks.copy_from_slice(&other.clocks);
    }
}

/// What a cell of the state held before it was changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Change {
    Int(u32, i32),
    Double(u32, f64),
    Clock(u32, Precise),
    Location(u32, LocationId),
}

/// Values of quantified variables that one condition may be looked at for.
const STEPS: u64 = 1 << 25;

pub struct Machine<'n> {
    pub network: &'n Network,
    pub state: State,
    pub random: Random,
    /// What was changed since the log was last emptied.
    pub log: Vec<Change>,
    /// Whose code runs.
    pub process: usize,
    /// The select values of the label at hand.
    select: &'n [i32],
    /// The same with quantified variables behind them, where there are some.
    frame: Vec<i32>,
    quantified: bool,
    steps: u64,
    machine: code::Machine,
}

/// The values of a state, for the code that runs on it.
struct Values<'a> {
    ints: &'a mut [i32],
    doubles: &'a mut [f64],
    clocks: &'a mut [Precise],
    log: &'a mut Vec<Change>,
    random: &'a mut Random,
}

impl code::Values for Values<'_> {
    #[inline]
    fn ints(&self) -> &[i32] {
        self.ints
    }

    #[inline]
    fn set_int(&mut self, at: usize, value: i32) {
        let old = std::mem::replace(&mut self.ints[at], value);
        if old != value {
            self.log.push(Change::Int(at as u32, old));
        }
    }

    fn double(&self, at: usize) -> f64 {
        self.doubles[at]
    }

    fn set_double(&mut self, at: usize, value: f64) {
        let old = std::mem::replace(&mut self.doubles[at], value);
        if old != value {
            self.log.push(Change::Double(at as u32, old));
        }
    }

    fn clock(&self, at: usize) -> Precise {
        self.clocks[at]
    }

    fn set_clock(&mut self, at: usize, value: Precise) {
        let old = std::mem::replace(&mut self.clocks[at], value);
        self.log.push(Change::Clock(at as u32, old));
    }

    fn builtin(&mut self, function: Builtin, arguments: [f64; 3]) -> Option<f64> {
        builtin(self.random, function, arguments)
    }
}

/// Runs one kind of code on the state.
macro_rules! run {
    ($self:ident, $kind:ident, $programs:expr, $code:expr) => {{
        let State { locations, ints, doubles, clocks } = &mut $self.state;
        let mut values = Values { ints, doubles, clocks, log: &mut $self.log, random: &mut $self.random };
        let process = ProcessId::new($self.process);
        let frame = if $self.quantified { &$self.frame[..] } else { $self.select };
        Ok($self.machine.$kind($programs, $code, process, frame, locations, &mut values)?)
    }};
}

impl<'n> Machine<'n> {
    pub fn new(network: &'n Network) -> Machine<'n> {
        Machine {
            network,
            state: State::initial(network),
            random: Random::new(0),
            log: Vec::new(),
            process: 0,
            select: &[],
            frame: Vec::new(),
            quantified: false,
            steps: 0,
            machine: code::Machine::new(),
        }
    }

    /// Before code of a process runs: whose it is, and the values of its select variables.
    #[inline]
    pub fn enter(&mut self, process: usize, select: &'n [i32]) {
        (self.process, self.select, self.quantified, self.steps) = (process, select, false, 0);
    }

    /// Gives a quantified variable a value.
    pub(super) fn set_slot(&mut self, slot: u32, value: i32) {
        if !self.quantified {
            self.quantified = true;
            self.frame.clear();
            self.frame.extend_from_slice(self.select);
        }
        let at = slot as usize;
        if self.frame.len() <= at {
            self.frame.resize(at + 1, 0);
        }
        self.frame[at] = value;
    }

    pub(super) fn failed<T>(&self, span: Span, reason: impl Into<String>) -> Result<T> {
        Err(Box::new(Failure { reason: reason.into(), span }))
    }

    /// Counts the values of quantified variables.
    pub(super) fn tick(&mut self, span: Span) -> Result<()> {
        self.steps += 1;
        if self.steps > STEPS { self.failed(span, "the computation does not come to an end") } else { Ok(()) }
    }

    #[inline]
    pub fn truth(&mut self, programs: &Programs<'_>, code: IntId) -> Result<bool> {
        self.int(programs, code).map(|value| value != 0)
    }

    #[inline]
    pub fn int(&mut self, programs: &Programs<'_>, code: IntId) -> Result<i32> {
        run!(self, int_with, programs, code)
    }

    /// Whether a condition holds now.
    #[inline]
    pub fn holds(&mut self, programs: &Programs<'_>, condition: &Condition) -> Result<bool> {
        if condition.is_plain {
            self.holds_plainly(programs, &condition.parts)
        } else {
            self.truth(programs, condition.truth)
        }
    }

    fn holds_plainly(&mut self, programs: &Programs<'_>, parts: &Parts) -> Result<bool> {
        match parts {
            Parts::Fixed(truth) => self.truth(programs, *truth),
            Parts::And(left, right) => Ok(self.holds_plainly(programs, left)? && self.holds_plainly(programs, right)?),
            Parts::Clocks { plus, minus, relation, bound } => {
                let plus = self.clock_value(programs, *plus)?;
                let minus = self.clock_value(programs, *minus)?;
                let bound = self.amount(programs, *bound)?;
                Ok(compare(plus - minus, *relation, Precise::from(bound)))
            }
            // The others are not plain.
            _ => Ok(false),
        }
    }

    fn clock_value(&mut self, programs: &Programs<'_>, clock: Option<ClockOf>) -> Result<Precise> {
        let Some(clock) = clock else { return Ok(Precise::ZERO) };
        let clock = self.clock(programs, clock)?;
        Ok(self.state.clocks[clock])
    }

    /// A number as it is now.
    #[inline]
    pub fn amount(&mut self, programs: &Programs<'_>, amount: Amount) -> Result<f64> {
        match amount {
            Amount::Constant(value) => Ok(value),
            Amount::Cell(at) => Ok(f64::from(self.state.ints[at as usize])),
            Amount::Code(code) => self.double(programs, code),
        }
    }

    #[inline]
    pub fn double(&mut self, programs: &Programs<'_>, code: DoubleId) -> Result<f64> {
        run!(self, double_with, programs, code)
    }

    #[inline]
    pub fn update(&mut self, programs: &Programs<'_>, code: UpdateId) -> Result<()> {
        run!(self, update_with, programs, code)
    }

    #[inline]
    pub fn channel(&mut self, programs: &Programs<'_>, code: ChannelCode) -> Result<ChannelId> {
        run!(self, channel_with, programs, code)
    }

    /// The number of a clock.
    #[inline]
    pub fn clock(&mut self, programs: &Programs<'_>, clock: ClockOf) -> Result<usize> {
        match clock {
            ClockOf::Global(at) => Ok(at as usize),
            ClockOf::Local(at) => Ok((self.network.processes[self.process].state.clocks + at) as usize),
            ClockOf::Code(code) => {
                let clock: Result<model::network::ClockId> = run!(self, clock_with, programs, code);
                Ok(clock?.index())
            }
        }
    }

    /// Takes back what the log says was changed, from the end to `from`.
    pub fn undo(&mut self, from: usize) {
        while self.log.len() > from {
            match self.log.pop() {
                Some(Change::Int(at, old)) => self.state.ints[at as usize] = old,
                Some(Change::Double(at, old)) => self.state.doubles[at as usize] = old,
                Some(Change::Clock(at, old)) => self.state.clocks[at as usize] = old,
                Some(Change::Location(at, old)) => self.state.locations[at as usize] = old,
                None => {}
            }
        }
    }
}

/// Which clock a place means.
#[derive(Clone, Copy, Debug)]
pub enum ClockOf {
    Global(u32),
    /// Counted from the first clock of the process.
    Local(u32),
    Code(ClockCode),
}
