//! Discrete states as a few words: locations and integers bit by bit, by how many values each can have.
//!
//! Meta variables are no part of the identity of a state and are left out; so are cells that no code writes, such as
//! the program that a model of a processor runs. A successor differs from its source in few places: only these are
//! packed anew.

use crate::code::Discrete;
use model::network::{Argument, Base, Expr, ExprId, LocationId, Network, Place, ReferenceStore};

#[derive(Debug)]
pub struct Packing {
    locations: Vec<Field>,
    /// For every cell its smallest value and its field.
    ints: Vec<(i32, Field)>,
    /// What has bits, in the order of the words, and where each word's share starts; one more entry at the end.
    packed: Vec<Packed>,
    starts: Vec<u32>,
    words: usize,
    initial: Vec<i32>,
}

#[derive(Clone, Copy, Debug)]
enum Packed {
    Location(u32),
    Int(u32),
}

/// Bits `shift .. shift + bits` of a word; a field does not cross words. One without bits has the mask 0.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Packing {
    pub fn new(network: &Network) -> Packing {
        let mut next = Next { word: 0, used: 0 };
        let locations: Vec<Field> = network
            .processes
            .iter()
            .map(|process| next.field(bits(network.template(process.template).locations.len() as u64)))
            .collect();
        let written = written(network);
        let ints: Vec<(i32, Field)> = network
            .ints
            .iter()
            .zip(&written)
            .map(|(cell, written)| {
                let bits = if *written && !cell.meta { bits(cell.range.count()) } else { 0 };
                (cell.range.lo, next.field(bits))
            })
            .collect();
        let words = (next.word as usize + usize::from(next.used > 0)).max(1);
        let mut starts = vec![0; words + 1];
        let all = (0..).map(Packed::Location).zip(&locations);
        let all = all.chain((0..).map(Packed::Int).zip(ints.iter().map(|(_, field)| field)));
        let packed = all
            .filter(|(_, field)| field.mask != 0)
            .map(|(one, field)| {
                starts[field.word as usize + 1] += 1;
                one
            })
            .collect();
        (0..words).for_each(|word| starts[word + 1] += starts[word]);
        Packing {
            locations,
            ints,
            packed,
            starts,
            words,
            initial: network.ints.iter().map(|cell| cell.initial).collect(),
        }
    }

    /// Words of a packed state.
    pub fn words(&self) -> usize {
        self.words
    }

    pub fn pack(&self, state: &Discrete, words: &mut [u64]) {
        words.fill(0);
        for (process, location) in state.locations.iter().enumerate() {
            self.set_location(words, process, *location);
        }
        for (cell, value) in state.ints.iter().enumerate() {
            self.set_int(words, cell, *value);
        }
    }

    #[inline]
    pub fn set_location(&self, words: &mut [u64], process: usize, location: LocationId) {
        self.locations[process].write(words, location.index() as u64);
    }

    #[inline]
    pub fn set_int(&self, words: &mut [u64], cell: usize, value: i32) {
        let (lo, field) = self.ints[cell];
        field.write(words, (i64::from(value) - i64::from(lo)) as u64);
    }

    /// Makes a location what it is in another packed state. What shares its word becomes that, too.
    #[inline]
    pub fn restore_location(&self, words: &mut [u64], from: &[u64], process: usize) {
        let word = self.locations[process].word as usize;
        words[word] = from[word];
    }

    /// The same for an integer.
    #[inline]
    pub fn restore_int(&self, words: &mut [u64], from: &[u64], cell: usize) {
        let word = self.ints[cell].1.word as usize;
        words[word] = from[word];
    }

    /// Makes `state` and `words`, which are the same state or both empty, the state packed in `key`. Only words in which
    /// they differ are unpacked: a search that goes deep seldom moves far between two states that it takes up.
    pub fn unpack(&self, key: &[u64], words: &mut Vec<u64>, state: &mut Discrete) {
        if words.len() != key.len() {
            state.locations.clear();
            state.locations.resize(self.locations.len(), LocationId::new(0));
            // Meta variables start anew with every transition, and what has no bits never changes.
            state.ints.clone_from(&self.initial);
            words.clear();
            words.resize(key.len(), 0);
            (0..key.len()).for_each(|word| self.unpack_word(word, key[word], state));
        } else {
            for (word, (old, new)) in words.iter().zip(key).enumerate() {
                if old != new {
                    self.unpack_word(word, *new, state);
                }
            }
        }
        words.copy_from_slice(key);
    }

    fn unpack_word(&self, word: usize, bits: u64, state: &mut Discrete) {
        for one in &self.packed[self.starts[word] as usize..self.starts[word + 1] as usize] {
            match *one {
                Packed::Location(process) => {
                    let field = self.locations[process as usize];
                    state.locations[process as usize] = LocationId::new(field.of(bits) as usize);
                }
                Packed::Int(cell) => {
                    let (lo, field) = self.ints[cell as usize];
                    state.ints[cell as usize] = (field.of(bits) as i64 + i64::from(lo)) as i32;
                }
            }
        }
    }
}

impl Field {
    #[inline]
    fn of(self, word: u64) -> u64 {
        word >> self.shift & self.mask
    }

    #[inline]
    fn write(self, words: &mut [u64], value: u64) {
        let word = &mut words[self.word as usize];
        *word = *word & !(self.mask << self.shift) | (value & self.mask) << self.shift;
    }
}

struct Next {
    word: u32,
    used: u32,
}

impl Next {
    fn field(&mut self, bits: u32) -> Field {
        if bits == 0 {
            return Field { word: 0, shift: 0, mask: 0 };
        }
        if self.used + bits > 64 {
            self.word += 1;
            self.used = 0;
        }
        let field = Field { word: self.word, shift: self.used, mask: (1 << bits) - 1 };
        self.used += bits;
        field
    }
}

/// Bits that tell so many values apart; at most 32.
fn bits(values: u64) -> u32 {
    64 - values.saturating_sub(1).leading_zeros()
}

/// Which integer cells some code may write. Code of a template counts for every process, a reference that is passed
/// on as written.
pub fn written(network: &Network) -> Vec<bool> {
    let mut written = vec![false; network.ints.len()];
    for n in 0..network.code.len() {
        match network.code.expr(ExprId::new(n)) {
            Expr::Assign { target, .. } | Expr::Step { target, .. } => write(network, target, &mut written),
            Expr::Call { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Reference(place) = argument {
                        write(network, place, &mut written);
                    }
                }
            }
            _ => {}
        }
    }
    written
}

/// Marks the cells that a place may stand for, with what lies between them.
fn write(network: &Network, place: &Place, written: &mut [bool]) {
    let start = place.offset.ints;
    let indexed: u32 = place.indices.iter().map(|index| index.len.saturating_sub(1) * index.stride.ints).sum();
    let len = indexed + place.ty.extent().ints;
    let mut mark = |base: u32| {
        let start = (base + start) as usize;
        let end = start.saturating_add(len as usize).min(written.len());
        written[start.min(end)..end].fill(true);
    };
    match &place.base {
        Base::Global => mark(0),
        Base::Local => network.processes.iter().for_each(|process| mark(process.state.ints)),
        Base::Parameter(n) => {
            for process in &network.processes {
                if let Some(reference) = process.references.get(*n as usize)
                    && reference.store == ReferenceStore::State
                {
                    mark(reference.offset.ints);
                }
            }
        }
        // Of other processes only queries speak; the rest is no state, or was counted where the reference was made.
        Base::Member(..)
        | Base::Frame
        | Base::FrameReference(_)
        | Base::Constant
        | Base::LocalConstant
        | Base::Value(_) => {}
    }
}
