//! How each state was reached: parent and label per state, and the path of labels they spell.
//! Cost: 4 bytes and a label per state. Traces hold for dead states too.

use crate::collection::Renaming;
use crate::per_state::{PerState, StateId};

/// The tree of first visits.
#[derive(Debug, Clone)]
pub struct Steps<L> {
    parents: PerState<u32>,
    labels: PerState<L>,
}

impl<L: Copy + Default> Default for Steps<L> {
    fn default() -> Self {
        Self { parents: PerState::new(StateId::NONE), labels: PerState::new(L::default()) }
    }
}

impl<L: Copy + Default> Steps<L> {
    /// Records that `id` was reached from `from`; initial states have no `from`.
    #[inline]
    pub fn record(&mut self, id: StateId, from: Option<(StateId, L)>) {
        let (parent, label) = from.map_or((StateId::NONE, L::default()), |(parent, label)| (parent.raw(), label));
        self.parents.set(id, parent);
        self.labels.set(id, label);
    }

    /// The step that led to `id`; `None` for an initial state.
    pub fn last(&self, id: StateId) -> Option<(StateId, L)> {
        let parent = self.parents.at(id);
        (parent != StateId::NONE).then(|| (StateId::from_raw(parent), self.labels.at(id)))
    }

    /// The labels from an initial state to `id`.
    pub fn path(&self, id: StateId) -> Vec<L> {
        let mut labels = Vec::new();
        let mut cursor = id;
        while let Some((parent, label)) = self.last(cursor) {
            labels.push(label);
            cursor = parent;
        }
        labels.reverse();
        labels
    }

    /// The states on the way, from the initial state to `id`.
    pub fn states(&self, id: StateId) -> Vec<StateId> {
        let mut states = vec![id];
        let mut cursor = id;
        while let Some((parent, _)) = self.last(cursor) {
            states.push(parent);
            cursor = parent;
        }
        states.reverse();
        states
    }

    pub(crate) fn rename(&mut self, renaming: &Renaming) {
        self.labels.rename(renaming);
        self.parents.rename(renaming);
        for parent in self.parents.entries_mut() {
            *parent = renaming.raw(*parent);
        }
    }

    pub fn clear(&mut self) {
        self.parents.clear();
        self.labels.clear();
    }

    pub fn bytes(&self) -> usize {
        self.parents.bytes() + self.labels.bytes()
    }
}
