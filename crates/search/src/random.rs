//! The generator behind every random choice: xoshiro256++ (Blackman & Vigna 2018), seeded by splitmix64, with
//! bounded draws by Lemire's multiplication (2019). Our own, so that a seed means the same run in every version.
//! Cost: 1-2 ns a draw.

/// A stream of random numbers, determined by its seed.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

fn splitmix(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut seed = seed;
        Self { state: [(); 4].map(|()| splitmix(&mut seed)) }
    }

    /// The stream of run number `run` under `seed`: independent of the other runs and of how many there are.
    pub fn of_run(seed: u64, run: u64) -> Self {
        let mut mixed = run;
        Self::new(seed ^ splitmix(&mut mixed))
    }

    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number below `bound`, each equally likely; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// An index below `length`.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Brings `items` into a random order, each order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // First outputs of the reference implementation for the state 1, 2, 3, 4.
        let mut random = Random { state: [1, 2, 3, 4] };
        assert_eq!([(); 3].map(|()| random.next_u64()), [41943041, 58720359, 3588806011781223]);
    }

    #[test]
    fn bounded_draws_are_uniform() {
        let mut random = Random::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[random.index(7)] += 1;
        }
        // Six degrees of freedom: 22.5 is exceeded with probability 0.001.
        let chi: f64 = counts.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 22.5, "{counts:?}");
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn runs_of_one_seed_differ_and_repeat() {
        assert_eq!(Random::of_run(5, 2).next_u64(), Random::of_run(5, 2).next_u64());
        assert_ne!(Random::of_run(5, 2).next_u64(), Random::of_run(5, 3).next_u64());
    }
}
