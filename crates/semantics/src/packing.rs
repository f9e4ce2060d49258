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
    /// The cells that have bits.
    packed: Vec<u32>,
    words: usize,
    initial: Vec<i32>,
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
        let locations = network
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
        let packed = (0..ints.len() as u32).filter(|n| ints[*n as usize].1.mask != 0).collect();
        let words = next.word as usize + usize::from(next.used > 0);
        Packing {
            locations,
            ints,
            packed,
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
        for (process, location) in state.locations.iter().enumerate() {
            self.set_location(words, process, *location);
        }
        for cell in &self.packed {
            self.set_int(words, *cell as usize, state.ints[*cell as usize]);
        }
    }

    #[inline]
    pub fn set_location(&self, words: &mut [u64], process: usize, location: LocationId) {
        self.locations[process].write(words, location.index() as u64);
    }

    /// Packs the integers in which two states differ.
    #[inline]
    pub fn set_changed(&self, words: &mut [u64], old: &[i32], new: &[i32]) {
        const BLOCK: usize = 16;
        for (n, (old, new)) in old.chunks(BLOCK).zip(new.chunks(BLOCK)).enumerate() {
            if old == new {
                continue;
            }
            for (k, (old, new)) in old.iter().zip(new).enumerate() {
                if old != new {
                    self.set_int(words, n * BLOCK + k, *new);
                }
            }
        }
    }

    #[inline]
    fn set_int(&self, words: &mut [u64], cell: usize, value: i32) {
        let (lo, field) = self.ints[cell];
        field.write(words, (i64::from(value) - i64::from(lo)) as u64);
    }

    pub fn unpack(&self, words: &[u64], state: &mut Discrete) {
        state.locations.clear();
        state.locations.extend(self.locations.iter().map(|field| LocationId::new(field.read(words) as usize)));
        // Meta variables start anew with every transition.
        state.ints.clone_from(&self.initial);
        for cell in &self.packed {
            let (lo, field) = self.ints[*cell as usize];
            state.ints[*cell as usize] = (field.read(words) as i64 + i64::from(lo)) as i32;
        }
    }
}

impl Field {
    #[inline]
    fn read(self, words: &[u64]) -> u64 {
        words[self.word as usize] >> self.shift & self.mask
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
fn written(network: &Network) -> Vec<bool> {
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
