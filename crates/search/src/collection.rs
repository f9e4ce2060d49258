//! Dead states that nothing needs any more give their ids back: a mark-and-compact collection of the tree of steps.
//!
//! Where large states arrive late, most stored states die: of 31,529 states of the FDDI ring with 12 stations 647 are alive at
//! the end. A dead state has no payload, but its id still has an entry in every table. It is needed only for the
//! traces of live states below it in the tree of steps. So the search marks the live states, what its owner remembers and all
//! states above them; the others are taken out of the tables, and the rest is numbered anew without gaps. The
//! order of the ids stays, and so does every order of exploration that goes by them.
//!
//! A collection costs one pass over all tables. It comes when a sixteenth of the ids have died since the last one, so each
//! death pays for sixteen entries, whatever is found. What died since then is still there, and with it the dead above it.

use crate::per_state::StateId;

/// Whether that many deaths since the last collection are worth one, among so many ids.
pub(crate) const fn is_due(deaths: usize, ids: usize) -> bool {
    deaths > ids / 16
}

/// New names of the states that stay, in the old order.
#[derive(Debug, Clone)]
pub struct Renaming {
    names: Vec<u32>,
    kept: usize,
}

impl Renaming {
    /// Of `ids` states the roots and all above them stay.
    pub(crate) fn of_trees(
        ids: usize,
        roots: impl Iterator<Item = StateId>,
        parent: impl Fn(StateId) -> Option<StateId>,
    ) -> Self {
        let mut names = vec![StateId::NONE; ids];
        for root in roots {
            let mut cursor = Some(root);
            while let Some(id) = cursor
                && names[id.index()] == StateId::NONE
            {
                names[id.index()] = 0;
                cursor = parent(id);
            }
        }
        let mut kept = 0;
        for name in names.iter_mut().filter(|name| **name != StateId::NONE) {
            *name = kept;
            kept += 1;
        }
        Self { names, kept: kept as usize }
    }

    /// The new name; `None` for a state that is given up.
    #[inline]
    pub fn of(&self, id: StateId) -> Option<StateId> {
        self.names.get(id.index()).filter(|name| **name != StateId::NONE).map(|name| StateId::from_raw(*name))
    }

    /// The same for entries of packed tables; "none" keeps its name.
    #[inline]
    pub(crate) fn raw(&self, raw: u32) -> u32 {
        self.names.get(raw as usize).copied().unwrap_or(StateId::NONE)
    }

    /// Renames in place; `false` if the state is given up. For `retain_mut`.
    #[inline]
    pub fn apply(&self, id: &mut StateId) -> bool {
        self.of(*id).map(|name| *id = name).is_some()
    }

    /// Whether every state keeps its name.
    pub(crate) fn is_identity(&self) -> bool {
        self.kept == self.names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_and_what_is_above_them_stay_in_order() {
        // 0 - 1 - 3, 0 - 2 - 4, 2 - 5
        let parents = [None, Some(0), Some(0), Some(1), Some(2), Some(2)];
        let parent = |id: StateId| parents[id.index()].map(StateId::from_raw);
        let renaming = |roots: &[u32]| {
            let renaming = Renaming::of_trees(6, roots.iter().map(|root| StateId::from_raw(*root)), parent);
            let names =
                (0..6).map(|raw| renaming.of(StateId::from_raw(raw)).map_or(9, StateId::raw)).collect::<Vec<_>>();
            (names, renaming.is_identity())
        };
        assert_eq!(renaming(&[5]), (vec![0, 9, 1, 9, 9, 2], false));
        assert_eq!(renaming(&[3, 1, 4]), (vec![0, 1, 2, 3, 4, 9], false));
        assert_eq!(renaming(&[5, 4, 3]), (vec![0, 1, 2, 3, 4, 5], true));
        assert_eq!(renaming(&[]), (vec![9; 6], false));
    }
}
