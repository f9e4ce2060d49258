//! How a walk chooses its next transition and when to take it.
//!
//! - `ret`, random enabled transition: every transition that is possible now or later alike, then a moment of its window. Where
//!   habits race (`delay`), one of those that come first.
//! - `sem`, the semantics' own way: a delay first, every moment at which something is possible alike, then one of the
//!   transitions that are possible at it. Windows of a single moment count only where there are no others.
//! - `rcf`, random channel first: a channel among those on which something is possible (internal transitions are one of
//!   them), then a transition on it, then a moment.
//! - `rlc`, random least coverage: a transition whose beginning edge this walk has taken least often.
//! - `rlc-a`, the same with the counts of all walks so far.
//!
//! From Kiviriga, Larsen, Nyman: "Randomized Refinement Checking of Timed I/O Automata" (SETTA 2020), which has `ret` and
//! `rcf`, and "Randomized Reachability Analysis in Uppaal" (FMICS 2021). The papers leave open what a window without an end is;
//! here it ends where every clock has passed the largest constant of the model. `ret` costs what a step changes; the others, and
//! races where time passes, list all possible transitions.

use crate::delay::Delays;
use crate::guide::bias::Bias;
use crate::pool::NONE;
use crate::walker::{Ticket, Walker};
use search::random::Random;
use semantics::code::RunError;
use semantics::concrete::Window;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    Sem,
    Ret,
    Rcf,
    Rlc,
    RlcA,
}

/// The memory of a strategy.
pub struct Chooser {
    pub strategy: Strategy,
    /// How often each edge has begun a transition.
    counts: Vec<u64>,
    candidates: Vec<(Ticket, Window)>,
    kept: Vec<(Ticket, Window)>,
    /// The channel of each candidate, and each channel once.
    channels: Vec<u32>,
    distinct: Vec<u32>,
    bias: Option<Bias>,
}

impl Chooser {
    pub fn new(strategy: Strategy, walker: &Walker) -> Chooser {
        let counted = matches!(strategy, Strategy::Rlc | Strategy::RlcA);
        Chooser {
            strategy,
            counts: if counted { vec![0; walker.tables.edge_count()] } else { Vec::new() },
            candidates: Vec::new(),
            kept: Vec::new(),
            channels: Vec::new(),
            distinct: Vec::new(),
            bias: None,
        }
    }

    /// Leans towards the goal where transitions would be drawn alike.
    pub fn biased(mut self, bias: Option<Bias>) -> Chooser {
        self.bias = bias;
        self
    }

    /// A walk begins.
    pub fn begin(&mut self) {
        if self.strategy == Strategy::Rlc {
            self.counts.fill(0);
        }
    }

    /// Chooses a transition, leaves it tried, and says when it is to be taken. `None` when nothing is possible any more.
    #[inline]
    pub fn choose(
        &mut self,
        walker: &mut Walker,
        delays: &mut Delays,
        random: &mut Random,
    ) -> Result<Option<i64>, RunError> {
        let races = delays.begin_step(random);
        if races && self.strategy == Strategy::Ret && self.bias.is_none() {
            return self.earliest(walker, delays, random);
        }
        let window = match self.strategy {
            Strategy::Ret => match &self.bias {
                None => walker.draw(random)?,
                Some(bias) => bias.draw(walker, random)?,
            },
            Strategy::Sem => return self.delay_first(walker, random),
            Strategy::Rcf => self.channel_first(walker, random)?,
            Strategy::Rlc | Strategy::RlcA => self.least_covered(walker, random)?,
        };
        let mover = walker.moves().first().map_or(0, |first| first.process);
        Ok(window.map(|window| delays.moment(mover, bounded(walker, window), random)))
    }

    /// A transition with the earliest moment, each of these alike. One that happens at once has it, so most steps need no list.
    fn earliest(&mut self, walker: &mut Walker, delays: &Delays, random: &mut Random) -> Result<Option<i64>, RunError> {
        let Some(window) = walker.draw(random)? else { return Ok(None) };
        let mover = walker.moves().first().map_or(0, |first| first.process);
        let moment = delays.moment(mover, bounded(walker, window), random);
        if moment <= walker.now() {
            return Ok(Some(moment));
        }
        walker.retract();
        walker.candidates(&mut self.candidates)?;
        let mut earliest = i64::MAX;
        self.kept.clear();
        for (ticket, window) in &self.candidates {
            let moment = delays.moment(walker.mover(*ticket), bounded(walker, *window), random);
            if moment < earliest {
                earliest = moment;
                self.kept.clear();
            }
            if moment == earliest {
                self.kept.push((*ticket, *window));
            }
        }
        if self.kept.is_empty() {
            return Ok(None);
        }
        let (ticket, _) = self.kept[random.index(self.kept.len())];
        Ok(walker.attempt(ticket)?.map(|_| earliest))
    }

    fn least_covered(&mut self, walker: &mut Walker, random: &mut Random) -> Result<Option<Window>, RunError> {
        walker.candidates(&mut self.candidates)?;
        let count = |ticket: Ticket| self.counts[walker.beginning(ticket)];
        let Some(least) = self.candidates.iter().map(|(ticket, _)| count(*ticket)).min() else { return Ok(None) };
        self.kept.clear();
        self.kept.extend(self.candidates.iter().filter(|(ticket, _)| count(*ticket) == least));
        let (ticket, window) = self.kept[random.index(self.kept.len())];
        self.counts[walker.beginning(ticket)] += 1;
        Ok(walker.attempt(ticket)?.map(|whole| whole.meet(window)))
    }

    fn channel_first(&mut self, walker: &mut Walker, random: &mut Random) -> Result<Option<Window>, RunError> {
        walker.candidates(&mut self.candidates)?;
        self.channels.clear();
        for (ticket, _) in &self.candidates {
            // One that cannot be evaluated fails when it is tried.
            self.channels.push(walker.channel_of_ticket(*ticket).unwrap_or(NONE));
        }
        self.distinct.clone_from(&self.channels);
        self.distinct.sort_unstable();
        self.distinct.dedup();
        if self.distinct.is_empty() {
            return Ok(None);
        }
        let channel = self.distinct[random.index(self.distinct.len())];
        self.kept.clear();
        let of_channel = self.candidates.iter().zip(&self.channels).filter(|(_, other)| **other == channel);
        self.kept.extend(of_channel.map(|(candidate, _)| *candidate));
        let (ticket, window) = self.kept[random.index(self.kept.len())];
        Ok(walker.attempt(ticket)?.map(|whole| whole.meet(window)))
    }

    fn delay_first(&mut self, walker: &mut Walker, random: &mut Random) -> Result<Option<i64>, RunError> {
        walker.candidates(&mut self.candidates)?;
        if self.candidates.is_empty() {
            return Ok(None);
        }
        self.candidates.iter_mut().for_each(|(_, window)| *window = bounded(walker, *window));
        self.kept.clone_from(&self.candidates);
        self.kept.sort_unstable_by_key(|(_, window)| *window);
        // The union, as windows that are apart.
        let mut last = 0;
        for n in 1..self.kept.len() {
            let window = self.kept[n].1;
            if window.from <= self.kept[last].1.to {
                self.kept[last].1.to = self.kept[last].1.to.max(window.to);
            } else {
                last += 1;
                self.kept[last].1 = window;
            }
        }
        self.kept.truncate(last + 1);
        let length: i64 = self.kept.iter().map(|(_, window)| window.to - window.from).sum();
        let moment = if length == 0 {
            self.kept[random.index(self.kept.len())].1.from
        } else {
            // Ticks stand for what lies between them and the next one: a window has as many as it is long.
            let mut drawn = random.below(length as u64) as i64;
            let mut moment = self.kept[0].1.from;
            for (_, window) in &self.kept {
                let here = window.to - window.from;
                if drawn < here {
                    moment = window.from + drawn;
                    break;
                }
                drawn -= here;
            }
            moment
        };
        self.kept.clear();
        self.kept.extend(self.candidates.iter().filter(|(_, window)| window.contains(moment)));
        let (ticket, _) = self.kept[random.index(self.kept.len())];
        Ok(walker.attempt(ticket)?.map(|_| moment))
    }
}

/// A window without an end is cut where nothing changes any more.
#[inline]
pub fn bounded(walker: &Walker, window: Window) -> Window {
    let end = window.from.max(walker.now() + walker.tables.horizon);
    Window { to: window.to.min(end), ..window }
}
