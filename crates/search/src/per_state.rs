//! Names of stored states and tables beside the store. A state is stored once; whatever else is known of it
//! (its parent, its depth, a heuristic value) is an entry of a `PerState` table under the state's id, so that a
//! search pays only for what it uses.

use crate::collection::Renaming;

/// Names a stored state. Ids are given in the order of storing, from 0. A search that goes on may give its states other ids in
/// the same order (see [`collection`](crate::collection)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);

impl StateId {
    /// The number of ids there are; the largest `u32` is kept for "none" in packed tables.
    pub const COUNT: usize = u32::MAX as usize;
    pub(crate) const NONE: u32 = u32::MAX;

    pub const fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    pub const fn raw(self) -> u32 {
        self.0
    }

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Appends with a growth of an eighth instead of doubling: big tables are moved by remapping pages, so growing
/// more often is cheap, and the memory reserved but not used stays below an eighth.
pub(crate) fn push_tight<T>(table: &mut Vec<T>, value: T) {
    reserve_tight(table, 1);
    table.push(value);
}

/// Makes room for `more` elements under the same policy.
pub(crate) fn reserve_tight<T>(table: &mut Vec<T>, more: usize) {
    if table.capacity() - table.len() < more {
        table.reserve_exact(more.max(table.len() / 8).max(64));
    }
}

/// The bytes a table holds, used or reserved.
pub(crate) fn table_bytes<T>(table: &Vec<T>) -> usize {
    table.capacity() * size_of::<T>()
}

/// Gives back reserved memory that growing by an eighth would not have reserved.
pub(crate) fn release_slack<T>(table: &mut Vec<T>) {
    let wanted = table.len() + (table.len() / 8).max(64);
    if table.capacity() > wanted {
        table.shrink_to(wanted);
    }
}

/// A table with one entry per state id. Entries that were never set read as the default given at creation.
#[derive(Debug, Clone)]
pub struct PerState<T> {
    entries: Vec<T>,
    default: T,
}

impl<T: Copy> PerState<T> {
    pub const fn new(default: T) -> Self {
        Self { entries: Vec::new(), default }
    }

    #[inline]
    pub fn at(&self, id: StateId) -> T {
        self.entries.get(id.index()).copied().unwrap_or(self.default)
    }

    #[inline]
    pub fn set(&mut self, id: StateId, value: T) {
        let index = id.index();
        if index >= self.entries.len() {
            let missing = index + 1 - self.entries.len();
            reserve_tight(&mut self.entries, missing);
            self.entries.resize(index + 1, self.default);
        }
        self.entries[index] = value;
    }

    /// Takes out the entries of states that are given up.
    pub(crate) fn rename(&mut self, renaming: &Renaming) {
        let mut kept = 0;
        for old in 0..self.entries.len() {
            if renaming.of(StateId::from_raw(old as u32)).is_some() {
                self.entries[kept] = self.entries[old];
                kept += 1;
            }
        }
        self.entries.truncate(kept);
        release_slack(&mut self.entries);
    }

    pub(crate) fn entries_mut(&mut self) -> &mut [T] {
        &mut self.entries
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn bytes(&self) -> usize {
        table_bytes(&self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_entries_read_as_the_default() {
        let mut table = PerState::new(7u32);
        table.set(StateId::from_raw(3), 1);
        assert_eq!([0, 3, 9].map(|raw| table.at(StateId::from_raw(raw))), [7, 1, 7]);
    }

    #[test]
    fn tables_reserve_at_most_an_eighth() {
        let mut table = PerState::new(0u32);
        for raw in 0..100_000 {
            table.set(StateId::from_raw(raw), raw);
        }
        assert!(table.bytes() <= 450_000 + 256, "{}", table.bytes());
    }
}
