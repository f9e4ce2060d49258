//! Names for the transitions of broadcasts whose receivers have clock guards.
//!
//! A state may have very many of them by its integers, one for each way in which the clocks choose who receives, and few by
//! its clocks: they are not listed all to be counted. Each is instead known by what chooses it (the sender, what each process
//! does that could receive, and the branches), and what chooses is numbered when it is first seen. The numbers are good for all
//! states of one network, in the order in which they came up; a [`Path`] takes them from one structure of it to another.

use crate::structure::Structure;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Labels of transitions from the initial state on.
#[derive(Clone)]
pub struct Path {
    pub labels: Vec<u32>,
    combinations: Arc<Combinations>,
}

impl Structure<'_> {
    /// The labels were given out by this structure.
    pub fn path(&self, labels: Vec<u32>) -> Path {
        Path { labels, combinations: Arc::clone(&self.combinations) }
    }

    /// From now on labels mean what they mean in the path.
    pub fn read_labels_of(&mut self, path: &Path) {
        self.combinations = Arc::clone(&path.combinations);
    }
}

#[derive(Default)]
pub(crate) struct Combinations(Mutex<Known>);

#[derive(Default)]
struct Known {
    numbers: HashMap<Box<[u32]>, u32>,
    keys: Vec<Box<[u32]>>,
}

/// Labels from here on are combinations.
const FIRST: u32 = 1 << 31;

impl Combinations {
    pub(crate) fn is_label(label: u32) -> bool {
        label >= FIRST
    }

    pub(crate) fn label(&self, key: &[u32]) -> u32 {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known.numbers.get(key) {
            return FIRST + number;
        }
        let number = known.keys.len() as u32;
        known.keys.push(key.into());
        known.numbers.insert(key.into(), number);
        FIRST + number
    }

    /// What a label stands for.
    pub(crate) fn key(&self, label: u32) -> Option<Vec<u32>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.keys.get(label.checked_sub(FIRST)? as usize).map(|key| key.to_vec())
    }
}
