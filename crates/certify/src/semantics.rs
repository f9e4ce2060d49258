//! What a network does, state by state: invariants, rates of clocks, delays.
//!
//! Everything discrete is evaluated at once; what depends on clocks stays a [`Formula`], so that the same rules decide
//! about one moment, about all moments of a delay, and about a zone.

use crate::error::{ErrorKind, EvalError, Reason, Refusal};
use crate::formula::{Formula, parts};
use crate::interpreter::Interpreter;
use crate::line::{Interval, Line, first_stretch};
use crate::rational::{Rational, integer};
use crate::special_edges::SpecialEdges;
use crate::state::{Discrete, State};
use model::network::*;
use model::syntax::ast::Direction;
use num_traits::{Signed, Zero};

pub(crate) type Result<T> = std::result::Result<T, EvalError>;

/// The rules of one network.
pub struct Semantics<'n> {
    pub(crate) network: &'n Network,
    /// For each channel the processes that synchronise on it all together; empty where edges have `!` and `?`.
    pub(crate) together: Vec<Vec<ProcessId>>,
    pub(crate) has_priorities: bool,
    pub(crate) special: SpecialEdges,
    /// The cells of meta variables with their initial values.
    pub(crate) meta: Vec<(usize, i32)>,
}

impl<'n> Semantics<'n> {
    pub fn new(network: &'n Network) -> Semantics<'n> {
        let levels = || network.channels.iter().map(|channel| channel.priority);
        let has_priorities =
            network.has_process_priorities() || levels().any(|level| level != network.default_priority);
        let meta = network.ints.iter().enumerate().filter(|(_, cell)| cell.meta).map(|(n, cell)| (n, cell.initial));
        let (special, meta) = (SpecialEdges::new(network), meta.collect());
        let mut semantics = Semantics { network, together: Vec::new(), has_priorities, special, meta };
        semantics.together = semantics.participants();
        semantics
    }

    pub fn network(&self) -> &'n Network {
        self.network
    }

    pub(crate) fn processes(&self) -> impl Iterator<Item = ProcessId> + use<> {
        (0..self.network.processes.len()).map(ProcessId::new)
    }

    /// The state before anything has happened, whether or not its invariants hold.
    pub(crate) fn start(&self) -> Result<State> {
        let network = self.network;
        let clock = |clock: &Clock| match clock.initial {
            _ if clock.hybrid => Ok(Rational::zero()),
            ClockInitial::Int(value) if value < 0 => {
                Err(EvalError::new(ErrorKind::NegativeClock, None, "a clock begins with a negative value"))
            }
            ClockInitial::Int(value) => Ok(integer(i64::from(value))),
            ClockInitial::Double(0.0) => Ok(Rational::zero()),
            ClockInitial::Double(_) => {
                Err(EvalError::new(ErrorKind::Unsupported, None, "a clock begins with a floating-point value"))
            }
        };
        Ok(State {
            discrete: Discrete {
                locations: self.processes().map(|process| network.template_of(process).initial).collect(),
                ints: network.ints.iter().map(|cell| cell.initial).collect(),
            },
            clocks: network.clocks.iter().map(clock).collect::<Result<_>>()?,
            time: Rational::zero(),
        })
    }

    /// The initial state; there is none when it breaks an invariant.
    pub fn initial(&self) -> std::result::Result<State, Refusal> {
        let state = self.start()?;
        for process in self.processes() {
            if !Line::moment(&state.clocks).holds(&self.invariant_of(&state.discrete, process))? {
                let text =
                    format!("the initial state breaks the invariant of {}", self.place(&state.discrete, process));
                return Err(Refusal::new(Reason::NoInitialState, text));
            }
        }
        Ok(state)
    }

    pub(crate) fn location(&self, discrete: &Discrete, process: ProcessId) -> &'n Location {
        self.network.template_of(process).location(discrete.locations[process.index()])
    }

    /// `Train(3).Cross`
    pub(crate) fn place(&self, discrete: &Discrete, process: ProcessId) -> String {
        format!("{}.{}", self.network.process(process).name, self.location(discrete, process).name)
    }

    pub(crate) fn invariant_of(&self, discrete: &Discrete, process: ProcessId) -> Formula {
        match self.location(discrete, process).invariant {
            Some(invariant) => Interpreter::reading(self.network, discrete, Some(process)).condition(invariant),
            None => Formula::True,
        }
    }

    /// The invariants of all processes together.
    pub(crate) fn invariant(&self, discrete: &Discrete) -> Formula {
        Formula::all(self.processes().map(|process| self.invariant_of(discrete, process)))
    }

    /// How fast each clock runs: 1, or what the invariants say; a clock that some process stops stands still.
    pub fn rates(&self, discrete: &Discrete) -> Result<Vec<i64>> {
        let mut rates: Vec<Option<i64>> = vec![None; self.network.clocks.len()];
        collect_rates(&self.invariant(discrete), &mut rates)?;
        Ok(rates.into_iter().map(|rate| rate.unwrap_or(1)).collect())
    }

    /// The process that keeps time from passing, if any.
    pub(crate) fn stops_time(&self, discrete: &Discrete) -> Option<(ProcessId, LocationKind)> {
        self.processes()
            .map(|process| (process, self.location(discrete, process).kind))
            .find(|(_, kind)| *kind != LocationKind::Normal)
    }

    /// Delays that are possible: from 0 to an end without gaps.
    pub fn delays(&self, state: &State) -> Result<Interval> {
        let now = Interval::point(Rational::zero());
        if self.stops_time(&state.discrete).is_some() {
            return Ok(now);
        }
        let rates = self.rates(&state.discrete)?;
        let line = Line::new(&state.clocks, &rates);
        let inside = parts(&line, &self.invariant(&state.discrete), true, &Interval::future())?;
        self.until_urgent(&line, &state.discrete, first_stretch(inside).unwrap_or(now))
    }

    /// A delay may end at the very moment when an urgent synchronisation becomes possible, and not later.
    pub(crate) fn until_urgent(&self, line: &Line, discrete: &Discrete, mut allowed: Interval) -> Result<Interval> {
        for urgent in parts(line, &self.urgent(discrete), true, &allowed)? {
            allowed = allowed.below(urgent.from, false).unwrap_or_else(|| Interval::point(Rational::zero()));
        }
        Ok(allowed)
    }

    /// The state after a delay, or why the delay is not possible.
    pub fn delay(&self, state: &State, delay: &Rational) -> std::result::Result<State, Refusal> {
        if delay.is_negative() {
            return Err(Refusal::new(Reason::NegativeDelay, format!("a delay of {delay}")));
        }
        if !delay.is_zero() && !self.delays(state)?.contains(delay) {
            return Err(self.why_not(state, delay)?);
        }
        let rates = if delay.is_zero() { vec![0; state.clocks.len()] } else { self.rates(&state.discrete)? };
        Ok(state.after_delay(delay, &rates)?)
    }

    fn why_not(&self, state: &State, delay: &Rational) -> Result<Refusal> {
        let discrete = &state.discrete;
        if let Some((process, kind)) = self.stops_time(discrete) {
            let (reason, word) = match kind {
                LocationKind::Urgent => (Reason::UrgentLocation, "urgent"),
                _ => (Reason::CommittedLocation, "committed"),
            };
            let text = format!("time cannot pass: {} is {word}", self.place(discrete, process));
            return Ok(Refusal::new(reason, text));
        }
        let rates = self.rates(discrete)?;
        let line = Line::new(&state.clocks, &rates);
        for process in self.processes() {
            let broken = parts(&line, &self.invariant_of(discrete, process), false, &Interval::until(*delay))?;
            if !broken.is_empty() {
                let place = self.place(discrete, process);
                let text = format!("the invariant of {place} does not hold during a delay of {delay}");
                return Ok(Refusal::new(Reason::DelayInvariant, text));
            }
        }
        let text = format!("a synchronisation on an urgent channel is possible before {delay} time units have passed");
        Ok(Refusal::new(Reason::UrgentChannel, text))
    }

    /// For each channel that is used without `!` and `?`: the processes whose I/O declaration lists it, or where there is
    /// no such declaration, the processes with an edge that may synchronise on it.
    fn participants(&self) -> Vec<Vec<ProcessId>> {
        let mut declared = vec![Vec::new(); self.network.channels.len()];
        let mut found = declared.clone();
        let insert = |list: &mut [Vec<ProcessId>], channel: ChannelId, process: ProcessId| {
            if let Some(list) = list.get_mut(channel.index())
                && !list.contains(&process)
            {
                list.push(process);
            }
        };
        for signature in &self.network.io {
            for process in signature.processes.clone() {
                for channel in &signature.shared {
                    insert(&mut declared, *channel, ProcessId::new(process as usize));
                }
            }
        }
        for process in self.processes() {
            for channel in self.channels_used(process) {
                insert(&mut found, channel, process);
            }
        }
        for (declared, found) in declared.iter_mut().zip(found) {
            if declared.is_empty() {
                *declared = found;
            }
            declared.sort();
        }
        declared
    }

    /// Channels that edges without `!` and `?` of a process may name; an index that depends on the state may be any.
    fn channels_used(&self, process: ProcessId) -> Vec<ChannelId> {
        let template = self.network.template_of(process);
        let mut used = Vec::new();
        for expanded in &template.expanded {
            let Some(sync) = template.edge(expanded.edge).sync.as_ref() else { continue };
            if sync.direction != Direction::Csp {
                continue;
            }
            let mut interpreter = Interpreter::constant(self.network, Some(process));
            interpreter.label(Some(process), template.select_values(*expanded));
            let base = Place { indices: Vec::new(), ..sync.channel.clone() };
            let Ok(first) = interpreter.channel(&base, sync.span) else { continue };
            let mut channels = vec![first.index()];
            for index in &sync.channel.indices {
                let stride = index.stride.channels as usize;
                let steps: Vec<usize> = match interpreter.int(index.value) {
                    Ok(value) => usize::try_from(i64::from(value) - i64::from(index.lo)).into_iter().collect(),
                    Err(_) => (0..index.len as usize).collect(),
                };
                channels = channels.iter().flat_map(|at| steps.iter().map(move |step| at + step * stride)).collect();
            }
            used.extend(channels.into_iter().map(ChannelId::new));
        }
        used
    }
}

pub(crate) fn collect_rates(formula: &Formula, rates: &mut [Option<i64>]) -> Result<()> {
    let unsupported = |text: &str| Err(EvalError::new(ErrorKind::Unsupported, None, text));
    match formula {
        Formula::Rate(clock, rate) => {
            let Some(known) = rates.get_mut(clock.index()) else { return unsupported("no such clock") };
            let rate = i64::from(*rate);
            if rate < 0 {
                return unsupported("a clock that runs backwards");
            }
            *known = match *known {
                Some(other) if other != rate && other != 0 && rate != 0 => {
                    return unsupported("two processes give a clock different rates");
                }
                Some(other) => Some(other.min(rate)),
                None => Some(rate),
            };
            Ok(())
        }
        Formula::And(list) => list.iter().try_for_each(|part| collect_rates(part, rates)),
        Formula::Or(_) | Formula::Not(_) if mentions_rate(formula) => {
            unsupported("a clock rate that depends on the clocks")
        }
        _ => Ok(()),
    }
}

pub(crate) fn mentions_rate(formula: &Formula) -> bool {
    match formula {
        Formula::Rate(..) => true,
        Formula::And(list) | Formula::Or(list) => list.iter().any(mentions_rate),
        Formula::Not(inner) => mentions_rate(inner),
        _ => false,
    }
}
