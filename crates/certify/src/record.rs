//! A replayed run with names, written down while it is replayed: no state but the last is kept.

use crate::claim::{Claim, check_watched};
use crate::course::Course;
use crate::error::Refusal;
use crate::replay::{Watch, walk};
use crate::run::{Run, Step};
use crate::semantics::Semantics;
use crate::state::State;
use crate::trace::{Names, Trace, TraceStep};
use model::deep_stack::on_deep_stack;
use model::network::Network;

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub trace: Trace,
    pub changes: Changes,
    pub last: State,
}

/// Which integers each step changed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Changes {
    /// Cells and their new values, those of one step after those of the step before.
    cells: Vec<(u32, i32)>,
    /// For each step where its cells end.
    ends: Vec<usize>,
}

impl Changes {
    /// The integer cells that a step changed and their new values; none for a step that failed.
    pub fn of(&self, step: usize) -> &[(u32, i32)] {
        let end = |step: usize| self.ends.get(step).copied();
        let from = step.checked_sub(1).map_or(Some(0), end);
        from.zip(end(step)).and_then(|(from, to)| self.cells.get(from..to)).unwrap_or_default()
    }

    /// All cells that some step changed.
    pub fn cells(&self) -> impl Iterator<Item = u32> {
        self.cells.iter().map(|(cell, _)| *cell)
    }
}

/// Replays a run, checks what it is said to show, and writes it down.
pub fn record(network: &Network, run: &Run, claim: Option<Claim>) -> Result<Record, Refusal> {
    on_deep_stack(|| {
        let semantics = Semantics::new(network);
        let mut writer = Writer::new(&semantics, run);
        let last = check_watched(&semantics, run, claim, &mut writer)?;
        Ok(writer.finished(last))
    })
}

/// Writes a run down whose last step may fail, and which says nothing about how it ends. A step that fails has no changes.
pub fn record_failing(network: &Network, run: &Run) -> Result<Record, Refusal> {
    on_deep_stack(|| {
        let semantics = Semantics::new(network);
        let mut writer = Writer::new(&semantics, run);
        let mut course = Course::new(&semantics)?;
        // Where it stops does not matter: what is left is written as it would begin there.
        let _ = walk(&semantics, run, &[], &mut course, &mut writer);
        for step in run.steps.iter().skip(writer.steps.len()) {
            writer.write(step, &course);
        }
        let last = course.state()?;
        Ok(writer.finished(last))
    })
}

struct Writer<'a> {
    semantics: &'a Semantics<'a>,
    run: &'a Run,
    names: Names<'a>,
    steps: Vec<TraceStep>,
    changes: Changes,
}

impl<'a> Writer<'a> {
    fn new(semantics: &'a Semantics<'a>, run: &'a Run) -> Writer<'a> {
        let (names, steps) = (Names::new(semantics.network()), Vec::with_capacity(run.steps.len()));
        Writer { semantics, run, names, steps, changes: Changes::default() }
    }

    fn write(&mut self, step: &Step, course: &Course) {
        let semantics = self.semantics;
        let channel = step
            .moves
            .first()
            .and_then(|one| semantics.offer(course.discrete(), one.process, one.edge, &one.select).channel)
            .map(|(channel, _)| channel);
        self.steps.push(TraceStep::new(&mut self.names, step, course.now(), channel));
    }

    fn finished(self, last: State) -> Record {
        Record { trace: Trace::new(self.run, self.steps), changes: self.changes, last }
    }
}

impl Watch for Writer<'_> {
    fn delayed(&mut self, n: usize, course: &Course) -> Result<(), Refusal> {
        if let Some(step) = self.run.steps.get(n) {
            self.write(step, course);
        }
        Ok(())
    }

    fn acted(&mut self, _: usize, course: &Course) -> Result<(), Refusal> {
        self.changes.cells.extend(course.changed().iter().map(|(cell, value)| (*cell as u32, *value)));
        self.changes.ends.push(self.changes.cells.len());
        Ok(())
    }
}
