//! Runs compiled code. A machine is scratch memory only: one per thread, used again and again; once
//! its stack has grown to what the code needs it allocates nothing.

mod double;
mod host;
mod pointer;
mod rare;
mod run;
mod trail;

use super::channel::ChannelCode;
use super::discrete::Discrete;
use super::dnf::Dnf;
use super::error::RunError;
use super::facts::{ClockUpdate, Effects, Facts};
use super::programs::{ClockCode, ConditionId, DoubleId, IntId, PredicateId, Programs, UpdateId};
use model::network::{ChannelId, ClockId, LocationId, ProcessId};

pub use host::Values;
pub use trail::Alike;

pub struct Machine {
    stack: Vec<i32>,
    calls: Vec<Frame>,
    steps: u64,
}

/// Where to go on after a call.
#[derive(Clone, Copy)]
struct Frame {
    pc: u32,
    base: u32,
    process: u32,
}

/// Instructions of one run, about: loops and calls are what is counted.
const STEPS: u64 = 100_000_000;

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}

impl Machine {
    pub fn new() -> Machine {
        Machine { stack: Vec::new(), calls: Vec::new(), steps: STEPS }
    }

    /// How many instructions a run may take before it counts as endless.
    pub fn with_step_limit(mut self, steps: u64) -> Machine {
        self.steps = steps;
        self
    }

    /// `false` when an integer part is false. Otherwise the condition is the conjunction of the
    /// facts, which are added to what is already there.
    #[inline]
    pub fn condition(
        &mut self,
        programs: &Programs<'_>,
        id: ConditionId,
        process: ProcessId,
        select: &[i32],
        state: &Discrete,
        facts: &mut Facts,
    ) -> Result<bool, RunError> {
        self.select(select);
        let host = &mut host::Condition { ints: &state.ints, facts };
        Ok(self.run(programs, id.start, process, &state.locations, host)? != 0)
    }

    /// As [`Machine::condition`]. When it is false, the answer comes with the other processes of
    /// the template that it is also for in this state, if they are known.
    pub fn condition_alike(
        &mut self,
        programs: &Programs<'_>,
        id: ConditionId,
        process: ProcessId,
        select: &[i32],
        state: &Discrete,
        facts: &mut Facts,
    ) -> Result<(bool, Option<Alike>), RunError> {
        self.select(select);
        let condition = host::Condition { ints: &state.ints, facts };
        let host = &mut host::Followed { condition, trail: trail::Trail::new() };
        let holds = self.run(programs, id.start, process, &state.locations, host)? != 0;
        Ok((holds, host.trail.alike().filter(|_| !holds)))
    }

    /// Integers are written at once, from left to right; clock assignments are added in their
    /// order. After an error the state is of no use.
    #[inline]
    pub fn update(
        &mut self,
        programs: &Programs<'_>,
        id: UpdateId,
        process: ProcessId,
        select: &[i32],
        state: &mut Discrete,
        resets: &mut Vec<ClockUpdate>,
    ) -> Result<(), RunError> {
        self.select(select);
        let host = &mut host::Update { ints: &mut state.ints, resets };
        self.run(programs, id.start, process, &state.locations, host).map(|_| ())
    }

    /// As [`Machine::update`], noting every cell that is written, also before an error.
    #[inline]
    pub fn update_noting(
        &mut self,
        programs: &Programs<'_>,
        id: UpdateId,
        process: ProcessId,
        select: &[i32],
        state: &mut Discrete,
        effects: &mut Effects,
    ) -> Result<(), RunError> {
        self.select(select);
        let Effects { resets, written } = effects;
        let host = &mut host::NotedUpdate { ints: &mut state.ints, resets, written };
        self.run(programs, id.start, process, &state.locations, host).map(|_| ())
    }

    #[inline]
    pub fn int(
        &mut self,
        programs: &Programs<'_>,
        id: IntId,
        process: ProcessId,
        select: &[i32],
        state: &Discrete,
    ) -> Result<i32, RunError> {
        self.select(select);
        self.run(programs, id.start, process, &state.locations, &mut host::Value { ints: &state.ints })
    }

    #[inline]
    pub fn channel(
        &mut self,
        programs: &Programs<'_>,
        code: ChannelCode,
        process: ProcessId,
        select: &[i32],
        state: &Discrete,
    ) -> Result<ChannelId, RunError> {
        if let Some(channel) = code.constant {
            return Ok(channel);
        }
        self.select(select);
        let host = &mut host::Value { ints: &state.ints };
        let channel = self.run(programs, code.start, process, &state.locations, host)?;
        Ok(ChannelId::new(channel as usize))
    }

    /// The clock that a place of a query stands for in this state.
    pub fn clock(&mut self, programs: &Programs<'_>, code: ClockCode, state: &Discrete) -> Result<ClockId, RunError> {
        let host = &mut host::Value { ints: &state.ints };
        let clock = self.run(programs, code.start, ProcessId::new(0), &state.locations, host)?;
        Ok(ClockId::new(clock as usize))
    }

    /// The cases in which a predicate holds in some valuation of the clocks; what is in `dnf` is
    /// replaced.
    pub fn predicate(
        &mut self,
        programs: &Programs<'_>,
        id: PredicateId,
        state: &Discrete,
        dnf: &mut Dnf,
    ) -> Result<(), RunError> {
        dnf.clear();
        if programs.is_discrete(id) {
            let truth = self.truth(programs, id, state)?;
            dnf.push_truth(truth);
            return Ok(());
        }
        let host = &mut host::Cases { ints: &state.ints, cases: dnf };
        self.run(programs, id.start, ProcessId::new(0), &state.locations, host).map(|_| ())
    }

    /// The truth of a predicate without clocks; for one with clocks whether its discrete part
    /// allows it to hold.
    pub fn truth(&mut self, programs: &Programs<'_>, id: PredicateId, state: &Discrete) -> Result<bool, RunError> {
        if !programs.is_discrete(id) {
            let mut dnf = Dnf::default();
            self.predicate(programs, id, state, &mut dnf)?;
            return Ok(!dnf.is_false());
        }
        let host = &mut host::Value { ints: &state.ints };
        Ok(self.run(programs, id.start, ProcessId::new(0), &state.locations, host)? != 0)
    }

    /// An integer, or the truth of a condition, where clocks and doubles have values. `frame` is
    /// what the first cells of the label's frame hold.
    #[inline]
    pub fn int_with(
        &mut self,
        programs: &Programs<'_>,
        id: IntId,
        process: ProcessId,
        frame: &[i32],
        locations: &[LocationId],
        values: &mut impl Values,
    ) -> Result<i32, RunError> {
        self.select(frame);
        self.run(programs, id.start, process, locations, &mut host::Everything { values })
    }

    #[inline]
    pub fn double_with(
        &mut self,
        programs: &Programs<'_>,
        id: DoubleId,
        process: ProcessId,
        frame: &[i32],
        locations: &[LocationId],
        values: &mut impl Values,
    ) -> Result<f64, RunError> {
        self.select(frame);
        self.run(programs, id.start, process, locations, &mut host::Everything { values })?;
        Ok(double::get(&self.stack, 0))
    }

    /// Integers, doubles and clocks are written at once, from left to right.
    #[inline]
    pub fn update_with(
        &mut self,
        programs: &Programs<'_>,
        id: UpdateId,
        process: ProcessId,
        frame: &[i32],
        locations: &[LocationId],
        values: &mut impl Values,
    ) -> Result<(), RunError> {
        self.select(frame);
        self.run(programs, id.start, process, locations, &mut host::Everything { values }).map(|_| ())
    }

    #[inline]
    pub fn channel_with(
        &mut self,
        programs: &Programs<'_>,
        code: ChannelCode,
        process: ProcessId,
        frame: &[i32],
        locations: &[LocationId],
        values: &mut impl Values,
    ) -> Result<ChannelId, RunError> {
        if let Some(channel) = code.constant {
            return Ok(channel);
        }
        self.select(frame);
        let channel = self.run(programs, code.start, process, locations, &mut host::Everything { values })?;
        Ok(ChannelId::new(channel as usize))
    }

    #[inline]
    pub fn clock_with(
        &mut self,
        programs: &Programs<'_>,
        code: ClockCode,
        process: ProcessId,
        frame: &[i32],
        locations: &[LocationId],
        values: &mut impl Values,
    ) -> Result<ClockId, RunError> {
        self.select(frame);
        let clock = self.run(programs, code.start, process, locations, &mut host::Everything { values })?;
        Ok(ClockId::new(clock as usize))
    }

    /// Select values are the first cells of a label's frame.
    #[inline]
    fn select(&mut self, select: &[i32]) {
        if self.stack.len() < select.len() {
            self.stack.resize(select.len(), 0);
        }
        self.stack[..select.len()].copy_from_slice(select);
    }
}
