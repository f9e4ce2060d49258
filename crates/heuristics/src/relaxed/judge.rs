//! Tests of guards and of the goal over sets of values.

use super::explore::{Relaxation, TestState, WIDE};
use super::task::TestKind;
use crate::network::conditions::Truth;
use model::network::ProcessId;
use semantics::code::range_within;

impl Relaxation<'_> {
    /// Evaluates a test over the values that are new to it.
    pub(super) fn try_test(&mut self, test: u32) -> bool {
        let first = self.supports.len() as u32;
        let satisfied = match &self.task.tests[test as usize].kind {
            TestKind::Cell { cell, ranges } => {
                let (cell, ranges, at) = (*cell, *ranges, self.task.tests[test as usize].counters as usize);
                self.try_cell(cell, ranges, at)
            }
            TestKind::Run { .. } => self.try_run(test),
        };
        if satisfied {
            let support = (first, self.supports.len() as u32);
            self.tests[test as usize] = TestState { stamp: self.stamp, satisfied, support };
        }
        satisfied
    }

    pub(super) fn try_cell(&mut self, cell: u32, ranges: [(i64, i64); 2], at: usize) -> bool {
        let inside = |value: i32| ranges.iter().any(|(lo, hi)| *lo <= i64::from(value) && i64::from(value) <= *hi);
        let known = &self.cells[cell as usize];
        if known.stamp != self.stamp {
            // Nobody has written it: there is the value of the state.
            self.counters[at] = 1;
            return inside(self.state.ints[cell as usize]);
        }
        let seen = self.counters[at];
        let found = (seen..known.visible).find(|n| inside(known.values[*n as usize]));
        self.counters[at] = known.visible;
        let range = || {
            let range = self.task.network.ints[cell as usize].range;
            (i64::from(range.lo), i64::from(range.hi))
        };
        let meets = |(lo, hi)| ranges.iter().any(|(low, high)| low <= high && *low <= hi && lo <= *high);
        match (found, known.wide_visible && meets(range())) {
            (Some(0), _) => true,
            (Some(n), _) => {
                self.supports.push((cell, n));
                true
            }
            (None, true) => {
                self.supports.push((cell, WIDE));
                true
            }
            (None, false) => false,
        }
    }

    pub(super) fn try_run(&mut self, test: u32) -> bool {
        // Taken out and put back: it is asked of states of the same relaxation.
        let nothing = TestKind::Cell { cell: 0, ranges: [(1, 0); 2] };
        let kind = std::mem::replace(&mut self.task.tests[test as usize].kind, nothing);
        let satisfied = self.try_condition(test, &kind);
        self.task.tests[test as usize].kind = kind;
        satisfied
    }

    fn try_condition(&mut self, test: u32, kind: &TestKind) -> bool {
        let TestKind::Run { id, expr, process, ref frame, holds } = *kind else { return false };
        let counters = self.task.tests[test as usize].counters as usize;
        let cells = std::mem::take(&mut self.task.tests[test as usize].cells);
        let owner = ProcessId::new(process as usize);
        let judge = |relaxation: &mut Self| {
            let Relaxation { task, state, .. } = relaxation;
            match task.conditions.truth(id, owner, frame, state) {
                Truth::Known(truth) => truth == holds,
                Truth::Fails => false,
                Truth::Unknown => true,
            }
        };
        let satisfied = if cells.is_empty() {
            judge(self)
        } else if self.limits(&cells, false) {
            let mut support: Vec<u32> = Vec::new();
            let found = self.combinations(&cells, counters, &mut |relaxation, chosen| {
                let holds = judge(relaxation);
                if holds {
                    support.extend_from_slice(chosen);
                }
                holds
            });
            self.supports.extend(cells.iter().copied().zip(support).filter(|(_, n)| *n > 0));
            found
        } else {
            // Too many combinations: is it possible at all, by intervals?
            let bounds = |cell: usize| {
                let declared = self.task.network.ints[cell].range;
                let known = &self.cells[cell];
                let own = i64::from(self.state.ints[cell]);
                match () {
                    () if known.stamp != self.stamp => (own, own),
                    () if known.wide_visible => (i64::from(declared.lo), i64::from(declared.hi)),
                    () => {
                        let values = known.values[..known.visible as usize].iter().map(|value| i64::from(*value));
                        values.fold((own, own), |(lo, hi), value| (lo.min(value), hi.max(value)))
                    }
                }
            };
            let (lo, hi) = range_within(self.task.network, expr, owner, &bounds);
            let possible = if holds { (lo, hi) != (0, 0) } else { lo <= 0 && 0 <= hi };
            if possible {
                for cell in &cells {
                    let known = &self.cells[*cell as usize];
                    if known.wide_visible {
                        self.supports.push((*cell, WIDE));
                    }
                }
            }
            possible
        };
        self.task.tests[test as usize].cells = cells;
        satisfied
    }

    /// Evaluates a test for the first time.
    pub(super) fn start_test(&mut self, test: u32) -> bool {
        let counters = self.task.tests[test as usize].counters as usize;
        let count = self.task.tests[test as usize].cells.len();
        self.counters[counters..counters + count].fill(0);
        self.tests[test as usize] = TestState { stamp: self.stamp, satisfied: false, support: (0, 0) };
        self.try_test(test)
    }
}
