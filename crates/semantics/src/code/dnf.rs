//! Predicates over clocks as a disjunction of conjunctions.
//!
//! All conjunctions share one vector of bounds, so that a `Dnf` that is reused allocates nothing. While a predicate is
//! evaluated the same vectors hold a stack of values, each a run of conjunctions; `&&` replaces the top two by their
//! product, `||` joins them. The product of n disjunctions of k cases has k^n cases: there is a limit.

use super::facts::ClockBound;

/// Beyond this a predicate is given up.
const MOST_CASES: usize = 1 << 18;

/// No conjunction: false. A conjunction of nothing: true.
#[derive(Clone, Default, Debug)]
pub struct Dnf {
    bounds: Vec<ClockBound>,
    cases: Vec<Case>,
    /// Where each value of the stack starts in `cases`.
    values: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    start: u32,
    end: u32,
    deadlock: Option<bool>,
}

/// One conjunction: all bounds hold, and the state is a deadlock (or none) if that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conjunction<'a> {
    pub bounds: &'a [ClockBound],
    pub deadlock: Option<bool>,
}

impl Case {
    fn is_true(self) -> bool {
        self.start == self.end && self.deadlock.is_none()
    }
}

impl Dnf {
    pub fn clear(&mut self) {
        self.bounds.clear();
        self.cases.clear();
        self.values.clear();
    }

    pub fn is_false(&self) -> bool {
        self.cases.is_empty()
    }

    /// Whether it holds whatever the clocks are, as far as that can be seen.
    pub fn is_true(&self) -> bool {
        self.cases.iter().any(|case| case.is_true())
    }

    pub fn len(&self) -> usize {
        self.cases.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Conjunction<'_>> {
        self.cases.iter().map(|case| Conjunction {
            bounds: &self.bounds[case.start as usize..case.end as usize],
            deadlock: case.deadlock,
        })
    }

    pub(super) fn push_truth(&mut self, truth: bool) {
        self.values.push(self.cases.len() as u32);
        if truth {
            self.push_case(None);
        }
    }

    pub(super) fn push_deadlock(&mut self, positive: bool) {
        self.values.push(self.cases.len() as u32);
        self.push_case(Some(positive));
    }

    pub(super) fn push_bound(&mut self, bound: ClockBound) {
        self.values.push(self.cases.len() as u32);
        self.bounds.push(bound);
        self.push_case(None);
        if let Some(case) = self.cases.last_mut() {
            case.start -= 1;
        }
    }

    /// A case without bounds.
    fn push_case(&mut self, deadlock: Option<bool>) {
        let at = self.bounds.len() as u32;
        self.cases.push(Case { start: at, end: at, deadlock });
    }

    fn top(&self) -> &[Case] {
        &self.cases[self.values.last().map_or(0, |start| *start as usize)..]
    }

    pub(super) fn top_is_false(&self) -> bool {
        self.top().is_empty()
    }

    pub(super) fn top_is_true(&self) -> bool {
        self.top().iter().any(|case| case.is_true())
    }

    /// Joins the top two values.
    pub(super) fn or(&mut self) {
        let certain = self.top_is_true();
        self.values.pop();
        if certain && let Some(start) = self.values.last() {
            self.cases.truncate(*start as usize);
            self.push_case(None);
        }
    }

    /// The product of the top two values; `false` when it has too many cases.
    #[must_use]
    pub(super) fn and(&mut self) -> bool {
        let Some(middle) = self.values.pop() else { return true };
        let first = self.values.last().map_or(0, |start| *start as usize);
        let (middle, end) = (middle as usize, self.cases.len());
        if (middle - first).saturating_mul(end - middle) > MOST_CASES || self.bounds.len() > MOST_CASES << 4 {
            return false;
        }
        for left in first..middle {
            for right in middle..end {
                let (a, b) = (self.cases[left], self.cases[right]);
                let deadlock = match (a.deadlock, b.deadlock) {
                    (Some(a), Some(b)) if a != b => continue,
                    (a, b) => a.or(b),
                };
                let (start, stop) = if a.start == a.end {
                    (b.start, b.end)
                } else if b.start == b.end {
                    (a.start, a.end)
                } else {
                    let start = self.bounds.len() as u32;
                    self.bounds.extend_from_within(a.start as usize..a.end as usize);
                    self.bounds.extend_from_within(b.start as usize..b.end as usize);
                    (start, self.bounds.len() as u32)
                };
                self.cases.push(Case { start, end: stop, deadlock });
            }
        }
        self.cases.drain(first..end);
        true
    }
}
