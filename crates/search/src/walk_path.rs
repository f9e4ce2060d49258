//! The path of a walk that looks for lassos: its states with their positions, and where each wanted mark was seen last. So a step
//! back to the path is told from any other, and whether it closes a cycle with all marks, in constant time.
//! Cost: 4 bytes for each state of the graph, 4 for each on the path.

use crate::lasso::Marks;
use crate::per_state::{PerState, StateId, push_tight, table_bytes};

/// A path from the root of the tree of visits to the end of the walk.
#[derive(Debug)]
pub(crate) struct WalkPath {
    states: Vec<StateId>,
    /// Per state on the path: its position plus one.
    positions: PerState<u32>,
    /// Per wanted mark: its bit, and one more than the last position at which it was seen.
    last_seen: Vec<(Marks, u32)>,
}

impl WalkPath {
    pub fn new(wanted: Marks) -> Self {
        let bits = (0..u64::BITS).map(|bit| Marks(1 << bit)).filter(|bit| wanted.meets(*bit));
        Self { states: Vec::new(), positions: PerState::new(0), last_seen: bits.map(|bit| (bit, 0)).collect() }
    }

    pub fn clear(&mut self) {
        for state in self.states.drain(..) {
            self.positions.set(state, 0);
        }
        self.last_seen.iter_mut().for_each(|(_, seen)| *seen = 0);
    }

    /// The path goes on to a state with these marks.
    pub fn lengthen(&mut self, id: StateId, marks: Marks) {
        push_tight(&mut self.states, id);
        let position = self.states.len() as u32;
        self.positions.set(id, position);
        for (bit, seen) in &mut self.last_seen {
            if marks.meets(*bit) {
                *seen = position;
            }
        }
    }

    /// Whether a step from the end to this state closes a cycle with all wanted marks.
    pub fn closes(&self, to: StateId) -> bool {
        let position = self.positions.at(to);
        position > 0 && self.last_seen.iter().all(|(_, seen)| *seen >= position)
    }

    /// The states behind one on the path.
    pub fn after(&self, id: StateId) -> &[StateId] {
        self.states.get(self.positions.at(id) as usize..).unwrap_or_default()
    }

    pub fn bytes(&self) -> usize {
        table_bytes(&self.states) + self.positions.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_back_to_where_all_marks_lie_behind_close_a_cycle() {
        let mut path = WalkPath::new(Marks(3));
        for (raw, marks) in [(5, 1), (2, 0), (7, 2), (1, 1), (4, 0)] {
            path.lengthen(StateId::from_raw(raw), Marks(marks));
        }
        let closing: Vec<u32> = (0..9).filter(|raw| path.closes(StateId::from_raw(*raw))).collect();
        assert_eq!(closing, [2, 5, 7]);
        assert_eq!(path.after(StateId::from_raw(7)), [1, 4].map(StateId::from_raw));
        path.clear();
        assert!(!path.closes(StateId::from_raw(5)));
    }
}
