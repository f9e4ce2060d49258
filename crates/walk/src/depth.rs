//! How long a walk may become before it starts again.
//!
//! Doubling is the schedule of "Randomized Reachability Analysis in Uppaal" (FMICS 2021): a cycle of delay distributions with
//! at most 16 steps, the next one with 32, up to 2^18. The paper stays there, and makes eleven walks of each smaller depth in all. A
//! goal near the start that these missed is then looked for by walks that spend nearly all of their steps far behind it: in the
//! CSMA/CD models one short walk in about a hundred meets the goal, and what a longer one does later adds nothing.
//!
//! Here shorter walks come again. After each of the paper's cycles come those with 16, 32, ... steps, up to an eighth of its depth, which
//! takes a quarter of its steps; and behind 2^18 the next cycle has 16 steps again. A goal that takes at least 2^16 steps loses a fifth
//! of the steps to the one and an eighth to the other.

use crate::delay::CYCLE;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Steps of the first walks; twice as many after every cycle of delay distributions, up to `last`, then from the first
    /// again; shorter walks in between.
    Doubling {
        first: u64,
        last: u64,
    },
    Fixed(u64),
    /// 1, 1, 2, 1, 1, 2, 4, ... times the unit: within a logarithmic factor of the best depth, whatever it is (Luby,
    /// Sinclair, Zuckerman: "Optimal speedup of Las Vegas algorithms", 1993).
    Luby {
        unit: u64,
    },
}

impl Depth {
    /// The default.
    pub const DOUBLING: Depth = Depth::Doubling { first: 1 << 4, last: 1 << 18 };
}

impl Default for Depth {
    fn default() -> Depth {
        Depth::DOUBLING
    }
}

impl Depth {
    pub fn of_walk(self, walk: u64) -> u64 {
        match self {
            Depth::Doubling { first, last } => {
                let rounds = 1 + u64::from((last / first.max(1)).max(1).ilog2());
                first.saturating_mul(1 << doublings(rounds, walk / CYCLE.len() as u64)).min(last)
            }
            Depth::Fixed(steps) => steps,
            Depth::Luby { unit } => unit.saturating_mul(luby(walk + 1)),
        }
    }
}

/// By how many doublings a cycle differs from the first: 0, 1, 2, 3, (0), 4, (0, 1), 5, (0, 1, 2), ... in so many rounds.
fn doublings(rounds: u64, cycle: u64) -> u64 {
    let between = |round: u64| round.saturating_sub(2);
    let mut left = cycle % (0..rounds).map(|round| 1 + between(round)).sum::<u64>().max(1);
    for round in 0..rounds {
        match left.checked_sub(1) {
            None => return round,
            Some(short) if short < between(round) => return short,
            Some(short) => left = short - between(round),
        }
    }
    0
}

/// Term `n` of Luby's sequence, from 1 on.
fn luby(mut n: u64) -> u64 {
    loop {
        // The greatest 2^k - 1 that is at most n.
        let power = (n + 1).ilog2();
        let block = (1u64 << power) - 1;
        if n == block {
            return 1 << (power - 1);
        }
        n -= block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_get_longer_as_published() {
        let cycles: Vec<u64> = (0..95).map(|cycle| Depth::default().of_walk(11 * cycle)).collect();
        assert_eq!(cycles[..17], [16, 32, 64, 128, 16, 256, 16, 32, 512, 16, 32, 64, 1024, 16, 32, 64, 128]);
        assert_eq!(cycles[80..82], [1 << 18, 16]);
        assert_eq!(cycles[92..], [1 << 15, 16, 32]);
        let mut longest = 0;
        let growing: Vec<u64> = cycles
            .into_iter()
            .filter(|depth| {
                *depth > longest && {
                    longest = *depth;
                    true
                }
            })
            .collect();
        assert_eq!(growing, (4..=18).map(|power| 1 << power).collect::<Vec<u64>>());
        assert_eq!([10, 11].map(|walk| Depth::default().of_walk(walk)), [16, 32]);
        let luby = Depth::Luby { unit: 1 };
        let expected = [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1];
        assert_eq!((0..16).map(|walk| luby.of_walk(walk)).collect::<Vec<_>>(), expected);
    }
}
