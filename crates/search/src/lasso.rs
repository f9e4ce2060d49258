//! Lassos: a path to a state and a cycle back to it, or a path to where a run may end. And the search for a cycle
//! within a strongly connected set of states that visits every mark: breadth-first from mark to mark, then
//! back to the start. Cost: at most one breadth-first search of the set per mark, plus one.

use crate::per_state::StateId;
use std::collections::{HashMap, VecDeque};

/// A set of acceptance marks, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Marks(pub u64);

impl Marks {
    pub const NONE: Self = Self(0);

    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub const fn contains(self, other: Self) -> bool {
        other.without(self).0 == 0
    }

    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A run that goes on for ever, or ends where it may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lasso<L> {
    /// From an initial state to the start of the cycle, or to the end.
    pub prefix: Vec<L>,
    /// Back to its start; empty if the run ends.
    pub cycle: Vec<L>,
}

/// One step inside a set of states: its label, target and the target's marks.
pub type Inner<L> = (L, StateId, Marks);

/// A cycle from `start` back to it that visits all of `wanted`, or `None` if there is none. `steps` appends
/// the steps of a state that stay within the set.
pub fn cycle_through<L: Copy>(
    start: StateId,
    wanted: Marks,
    mut steps: impl FnMut(StateId, &mut Vec<Inner<L>>),
) -> Option<Vec<L>> {
    let mut cycle = Vec::new();
    let mut missing = wanted;
    let mut at = start;
    while missing != Marks::NONE {
        let (path, end) = shortest(at, |_, marks| marks.meets(missing), &mut steps)?;
        for (label, marks) in path {
            cycle.push(label);
            missing = missing.without(marks);
        }
        at = end;
    }
    if at != start || cycle.is_empty() {
        let (path, _) = shortest(at, |state, _| state == start, &mut steps)?;
        cycle.extend(path.into_iter().map(|(label, _)| label));
    }
    Some(cycle)
}

/// Labels and marks of a path, and its end.
type Path<L> = (Vec<(L, Marks)>, StateId);

/// A shortest path of at least one step to a state that is `wanted`.
fn shortest<L: Copy>(
    from: StateId,
    wanted: impl Fn(StateId, Marks) -> bool,
    steps: &mut impl FnMut(StateId, &mut Vec<Inner<L>>),
) -> Option<Path<L>> {
    let mut reached: HashMap<StateId, (StateId, L, Marks)> = HashMap::new();
    let mut queue = VecDeque::from([from]);
    let mut successors = Vec::new();
    while let Some(state) = queue.pop_front() {
        successors.clear();
        steps(state, &mut successors);
        for &(label, to, marks) in &successors {
            if wanted(to, marks) {
                let mut path = vec![(label, marks)];
                let mut cursor = state;
                while cursor != from
                    && let Some(&(parent, label, marks)) = reached.get(&cursor)
                {
                    path.push((label, marks));
                    cursor = parent;
                }
                path.reverse();
                return Some((path, to));
            }
            if to != from && !reached.contains_key(&to) {
                reached.insert(to, (state, label, marks));
                queue.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(edges: &[(u32, u32)], marks: &[u64], wanted: u64) -> Option<Vec<(u32, u32)>> {
        let steps = |state: StateId, out: &mut Vec<Inner<(u32, u32)>>| {
            let from = edges.iter().filter(|(from, _)| *from == state.raw());
            out.extend(from.map(|&(from, to)| ((from, to), StateId::from_raw(to), Marks(marks[to as usize]))));
        };
        cycle_through(StateId::from_raw(0), Marks(wanted), steps)
    }

    #[test]
    fn a_cycle_collects_all_marks_and_returns() {
        let edges = [(0, 1), (1, 0), (0, 2), (2, 0)];
        assert_eq!(cycle(&edges, &[0, 1, 2], 3), Some(vec![(0, 1), (1, 0), (0, 2), (2, 0)]));
        assert_eq!(cycle(&edges, &[0, 1, 2], 1), Some(vec![(0, 1), (1, 0)]));
        assert_eq!(cycle(&edges, &[1, 0, 0], 1), Some(vec![(0, 1), (1, 0)]));
        assert_eq!(cycle(&edges, &[0, 1, 2], 4), None);
        assert_eq!(cycle(&[(0, 0)], &[0], 0), Some(vec![(0, 0)]));
        assert_eq!(cycle(&[(0, 1)], &[0, 1], 1), None);
    }
}
