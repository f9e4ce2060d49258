//! Discrete states as a few words: locations and integers bit by bit, by how many values each can have.
//!
//! Meta variables are no part of the identity of a state and are left out.

use crate::code::Discrete;
use model::network::{LocationId, Network};

#[derive(Debug)]
pub struct Packing {
    locations: Vec<Field>,
    ints: Vec<(u32, i32, Field)>,
    words: usize,
    initial: Vec<i32>,
}

/// Bits `shift .. shift + bits` of a word; a field does not cross words.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Packing {
    pub fn new(network: &Network) -> Packing {
        let mut next = Next { word: 0, used: 0 };
        let locations = network
            .processes
            .iter()
            .map(|process| next.field(bits(network.template(process.template).locations.len() as u64)))
            .collect();
        let ints = network
            .ints
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.meta)
            .map(|(n, cell)| (n as u32, cell.range.lo, next.field(bits(cell.range.count()))))
            .collect();
        let words = next.word as usize + usize::from(next.used > 0);
        Packing {
            locations,
            ints,
            words: words.max(1),
            initial: network.ints.iter().map(|cell| cell.initial).collect(),
        }
    }

    /// Words of a packed state.
    pub fn words(&self) -> usize {
        self.words
    }

    pub fn pack(&self, state: &Discrete, words: &mut [u64]) {
        words.fill(0);
        for (field, location) in self.locations.iter().zip(&state.locations) {
            words[field.word as usize] |= (location.index() as u64) << field.shift;
        }
        for (cell, lo, field) in &self.ints {
            let value = i64::from(state.ints[*cell as usize]) - i64::from(*lo);
            words[field.word as usize] |= (value as u64 & field.mask) << field.shift;
        }
    }

    pub fn unpack(&self, words: &[u64], state: &mut Discrete) {
        state.locations.clear();
        state.locations.extend(self.locations.iter().map(|field| LocationId::new(field.read(words) as usize)));
        // Meta variables start anew with every transition.
        state.ints.clone_from(&self.initial);
        for (cell, lo, field) in &self.ints {
            state.ints[*cell as usize] = (field.read(words) as i64 + i64::from(*lo)) as i32;
        }
    }
}

impl Field {
    fn read(self, words: &[u64]) -> u64 {
        words[self.word as usize] >> self.shift & self.mask
    }
}

struct Next {
    word: u32,
    used: u32,
}

impl Next {
    fn field(&mut self, bits: u32) -> Field {
        if self.used + bits > 64 {
            self.word += 1;
            self.used = 0;
        }
        let field = Field { word: self.word, shift: self.used.min(63), mask: (1 << bits) - 1 };
        self.used += bits;
        field
    }
}

/// Bits that tell so many values apart; at most 32.
fn bits(values: u64) -> u32 {
    64 - values.saturating_sub(1).leading_zeros()
}
