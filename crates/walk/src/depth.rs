//! How long a walk may become before it starts again.

use crate::delay::CYCLE;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Steps of the first walks; twice as many after every cycle of delay distributions, up to `last`.
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
                let doubled = (walk / CYCLE.len() as u64).min(63) as u32;
                first
                    .checked_shl(doubled)
                    .filter(|depth| depth >> doubled == first)
                    .map_or(last, |depth| depth.min(last))
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
            [0, 10, 11, 22, 11 * 14, 11 * 15, u64::MAX].map(|walk| doubling.of_walk(walk)),
            [16, 16, 32, 64, 1 << 18, 1 << 18, 1 << 18]
        );
        let luby = Depth::Luby { unit: 1 };
        let expected = [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1];
        assert_eq!((0..16).map(|walk| luby.of_walk(walk)).collect::<Vec<_>>(), expected);
    }
}
