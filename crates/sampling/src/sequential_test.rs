//! Tests that stop as soon as the samples say enough: Wald's sequential probability ratio test
//! (1945).
//!
//! `Pr >= theta` is tested as `p >= theta + upper` against `p <= theta - lower`; in between either
//! answer is right. The test errs with at most alpha when the first holds and with at most beta
//! when the second does. Two probabilities are compared by Wald's double dichotomies: of pairs of
//! runs only those count that differ, and among them the share in which the left one holds is
//! tested; with odds `u0` and `u1` around 1 as what need not be told apart.

/// Which hypothesis the samples speak for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The probability is at least as large as asked.
    AtLeast,
    /// It is smaller.
    Less,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SequentialTest {
    hit: f64,
    miss: f64,
    /// Log of the likelihood of "less" over that of "at least".
    ratio: f64,
    at_least: f64,
    less: f64,
}

impl SequentialTest {
    /// Tells `p >= high` from `p <= low`; the first is rejected wrongly with at most alpha, the
    /// second with at most beta.
    pub fn new(low: f64, high: f64, alpha: f64, beta: f64) -> SequentialTest {
        let (low, high) = (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0));
        SequentialTest {
            hit: low.ln() - high.ln(),
            miss: (1.0 - low).ln() - (1.0 - high).ln(),
            ratio: 0.0,
            at_least: (beta / (1.0 - alpha)).ln(),
            less: ((1.0 - beta) / alpha).ln(),
        }
    }

    /// The test of `p >= theta` with a region of indifference around it.
    pub fn around(theta: f64, lower: f64, upper: f64, alpha: f64, beta: f64) -> SequentialTest {
        SequentialTest::new(theta - lower, theta + upper, alpha, beta)
    }

    /// The test of `left >= right` on pairs that differ.
    pub fn of_odds(u0: f64, u1: f64, alpha: f64, beta: f64) -> SequentialTest {
        SequentialTest::new(u0 / (1.0 + u0), u1 / (1.0 + u1), alpha, beta)
    }

    /// One more sample; the decision when there is one.
    pub fn see(&mut self, hit: bool) -> Option<Decision> {
        self.ratio += if hit { self.hit } else { self.miss };
        if self.ratio <= self.at_least {
            Some(Decision::AtLeast)
        } else if self.ratio >= self.less {
            Some(Decision::Less)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::uniform;
    use search::random::Random;

    /// Over many tests the wrong answers are as rare as they have to be.
    #[test]
    fn errors_are_bounded() {
        for (p, right) in [(0.55, Decision::AtLeast), (0.45, Decision::Less), (0.9, Decision::AtLeast)] {
            let mut wrong = 0;
            for seed in 0..1_000 {
                let mut random = Random::of_run(3, seed);
                let mut test = SequentialTest::around(0.5, 0.05, 0.05, 0.05, 0.05);
                let decision = loop {
                    if let Some(decision) = test.see(uniform(&mut random) < p) {
                        break decision;
                    }
                };
                wrong += u32::from(decision != right);
            }
            assert!(wrong <= 60, "{p}: {wrong} of 1000");
        }
    }

    #[test]
    fn certain_events_decide_at_once() {
        let mut test = SequentialTest::around(0.995, 0.01, 0.01, 0.05, 0.05);
        assert_eq!(test.see(false), Some(Decision::Less), "at least 1 does not allow a miss");
        let mut test = SequentialTest::around(0.005, 0.01, 0.01, 0.05, 0.05);
        assert_eq!(test.see(true), Some(Decision::AtLeast), "at most 0 does not allow a hit");
    }
}
