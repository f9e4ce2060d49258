//! Strongly connected components on the fly, as Couvreur's algorithm needs them (Gaiser & Schwoon 2009). The
//! depth-first search numbers the states in the order of visiting. States whose component is not finished are
//! *current*; their components form a stack of roots, each with the marks collected in it. A step to a current
//! state closes a cycle: the components above it melt into one. When the search leaves a root, its component
//! is finished and closed.
//! Cost: 4 bytes a state, 4 more while it is current, 16 a component of current states; every operation is
//! constant time, amortised.

use crate::lasso::Marks;
use crate::per_state::{PerState, StateId, push_tight, table_bytes};

/// Where a state is in the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Unseen,
    /// In an unfinished component; with its number in the order of visiting.
    Current(u32),
    Closed,
}

/// The root of a component of current states: all current states from its number to the next root's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    pub number: u32,
    pub marks: Marks,
}

const UNSEEN: u32 = 0;
const CLOSED: u32 = u32::MAX;

/// The components of a depth-first search in progress.
#[derive(Debug, Clone)]
pub struct Components {
    numbers: PerState<u32>,
    last: u32,
    current: Vec<StateId>,
    roots: Vec<Root>,
    left: Vec<StateId>,
}

impl Default for Components {
    fn default() -> Self {
        let numbers = PerState::new(UNSEEN);
        Self { numbers, last: UNSEEN, current: Vec::new(), roots: Vec::new(), left: Vec::new() }
    }
}

impl Components {
    pub fn place(&self, id: StateId) -> Place {
        match self.numbers.at(id) {
            UNSEEN => Place::Unseen,
            CLOSED => Place::Closed,
            number => Place::Current(number),
        }
    }

    /// Whether a state is in the last component, whose root has this number.
    pub fn is_within(&self, id: StateId, root: u32) -> bool {
        matches!(self.place(id), Place::Current(number) if number >= root)
    }

    /// The search enters an unseen state: a component of its own.
    pub fn enter(&mut self, id: StateId, marks: Marks) {
        self.last += 1;
        self.numbers.set(id, self.last);
        push_tight(&mut self.roots, Root { number: self.last, marks });
        push_tight(&mut self.current, id);
    }

    /// An unseen state that the search does not enter.
    pub fn close(&mut self, id: StateId) {
        self.numbers.set(id, CLOSED);
    }

    /// A step led to the current state with this number: everything since is one component, which is returned.
    pub fn merge(&mut self, number: u32) -> Option<Root> {
        let mut marks = Marks::NONE;
        while let Some(root) = self.roots.pop() {
            marks = marks.with(root.marks);
            if root.number <= number {
                let merged = Root { number: root.number, marks };
                self.roots.push(merged);
                return Some(merged);
            }
        }
        None
    }

    /// The search leaves a state. If it is a root its component is closed; the members are returned.
    pub fn leave(&mut self, id: StateId) -> &[StateId] {
        self.left.clear();
        let number = self.numbers.at(id);
        if self.roots.last().is_some_and(|root| root.number == number) {
            self.roots.pop();
            while let Some(member) = self.current.pop() {
                self.numbers.set(member, CLOSED);
                self.left.push(member);
                if member == id {
                    break;
                }
            }
        }
        &self.left
    }

    pub fn bytes(&self) -> usize {
        self.numbers.bytes() + table_bytes(&self.current) + table_bytes(&self.roots) + table_bytes(&self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_melts_components_and_their_marks() {
        let mut components = Components::default();
        let [a, b, c] = [0, 1, 2].map(StateId::from_raw);
        for (id, mark) in [(a, 1), (b, 2), (c, 4)] {
            components.enter(id, Marks(mark));
        }
        assert_eq!(components.place(b), Place::Current(2));
        assert_eq!(components.merge(2), Some(Root { number: 2, marks: Marks(6) }));
        assert!(components.is_within(c, 2) && !components.is_within(a, 2));
        assert!(components.leave(c).is_empty());
        assert_eq!(components.leave(b), [c, b]);
        assert_eq!((components.place(c), components.place(a)), (Place::Closed, Place::Current(1)));
        assert_eq!(components.leave(a), [a]);
    }
}
