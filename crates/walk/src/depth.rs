//! How long a walk may become before it starts again.
//!
//! Doubling is the schedule of "Randomized Reachability Analysis in Uppaal" (FMICS 2021): a cycle of delay distributions with
//! at most 16 steps, the next one with 32, up to 2^18. The paper stays there. Here the next cycle has 16 steps again, because a goal
//! near the start that the first walks missed would else be looked for by walks that spend nearly all of their steps far behind it (in
//! the CSMA/CD models one short walk in about a hundred meets the goal, and what a longer one does later adds nothing). A goal that
//! takes at least 2^16 steps loses an eighth of the steps by this.

use crate::delay::CYCLE;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Steps of the first walks; twice as many after every cycle of delay distributions, up to `last`, then from the first
    /// again.
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

impl Default for Depth {
    fn default() -> Depth {
        Depth::Doubling { first: 1 << 4, last: 1 << 18 }
    }
}

impl Depth {
    pub fn of_walk(self, walk: u64) -> u64 {
        match self {
            Depth::Doubling { first, last } => {
                let rounds = 1 + u64::from((last / first.max(1)).max(1).ilog2());
                let doubled = walk / CYCLE.len() as u64 % rounds;
                (first << doubled).min(last)
            }
            Depth::Fixed(steps) => steps,
            Depth::Luby { unit } => unit.saturating_mul(luby(walk + 1)),
        }
    }
}

/// Term `n` of the sequence, from 1 on.
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
        let doubling = Depth::default();
        assert_eq!(
            [0, 10, 11, 22, 11 * 14, 11 * 15 - 1, 11 * 15, 11 * 16].map(|walk| doubling.of_walk(walk)),
            [16, 16, 32, 64, 1 << 18, 1 << 18, 16, 32]
        );
        let luby = Depth::Luby { unit: 1 };
        let expected = [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1];
        assert_eq!((0..16).map(|walk| luby.of_walk(walk)).collect::<Vec<_>>(), expected);
    }
}
