//! The hash of stored words: one 64x64 -> 128 bit multiplication per word, folded (as in wyhash). It is seedless,
//! so that runs repeat; tables keyed by it hold states of one model, not input chosen against it.
//! Cost: about 1 ns a word; measured searches are bound by memory, not by this.

use std::hash::{Hash, Hasher};

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Hashes units of a payload; integer slices arrive here as bytes and are taken eight at a time.
#[derive(Debug, Default)]
pub struct FoldHasher {
    state: u64,
}

impl Hasher for FoldHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(last) ^ ((rest.len() as u64) << 56));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.state = fold(self.state ^ word ^ 0xa076_1d64_78bd_642f, MULTIPLIER);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        fold(self.state, 0xe703_7ed1_a0b4_28db)
    }
}

/// The 32 bits by which tables find words.
#[inline]
pub fn hash_words(words: &[u64]) -> u32 {
    let mut hasher = FoldHasher::default();
    for &word in words {
        hasher.write_u64(word);
    }
    (hasher.finish() >> 32) as u32
}

/// The same for a key id and a payload.
#[inline]
pub fn hash_payload<U: Hash>(key: u32, units: &[U]) -> u32 {
    let mut hasher = FoldHasher { state: u64::from(key) };
    units.hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

/// A random number per state: for a seed drawn at random, those of different states are independent for all practical
/// purposes, and equal states have equal ones.
#[inline]
pub fn rank_state<U: Hash>(seed: u64, key: &[u64], units: &[U]) -> u64 {
    let mut hasher = FoldHasher { state: seed };
    for &word in key {
        hasher.write_u64(word);
    }
    units.hash(&mut hasher);
    fold(hasher.finish() ^ seed.rotate_left(32), MULTIPLIER)
}

/// Spreads a kept hash over the 64 bits that the table wants (low bits: place, high bits: tag).
#[inline]
pub const fn spread(hash: u32) -> u64 {
    (hash as u64).wrapping_mul(MULTIPLIER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn neighbouring_keys_rarely_collide() {
        let hashes: HashSet<u32> = (0..100_000u64).map(|n| hash_words(&[n & 0xff, n >> 8, 0, 0])).collect();
        assert!(hashes.len() > 99_990, "{}", hashes.len());
    }

    #[test]
    fn a_payload_and_its_zero_padded_twin_differ() {
        assert_ne!(hash_payload(0, &[1u8, 2, 3]), hash_payload(0, &[1u8, 2, 3, 0]));
        assert_ne!(hash_payload(0, &[1i32]), hash_payload(1, &[1i32]));
    }
}
