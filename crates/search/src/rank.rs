//! The rank order of Herbreteau & Tran, "Improving search order for reachability testing in timed automata"
//! (FORMATS 2015, arXiv 1506.07000), with topological levels: what exhaustive search goes by, with dives in
//! between or without (docs/algorithms.md §2.2, [`dives`](crate::dives)).
//!
//! A small state that is explored before a larger one of the same key is a mistake: all that follows from it is
//! explored again. Two remedies are joined. States are taken up in the order of their topological level, so that
//! large states arrive before they are needed. And when a new state B strictly covers an explored state A, B gets
//! a rank above that of every waiting state in the tree below A; the highest rank goes first, so B's successors
//! overtake A's and cover them while they still wait. The order is (rank falling, level rising, oldest first).
//! States that nothing can strictly cover go before all others.
//!
//! The waiting states below A are *not* deleted, although that is tempting. Let A lead to a by resetting what
//! makes B larger, so that B leads to the same a. If a is passed and its waiting successor m is deleted, B's
//! successor is dropped, being covered by a, and m is never explored. Only deleting passed states as well would
//! be sound, and that repeats their work; lower rank is enough (the test `deleting_waiting_descendants...`
//! keeps the example).
//!
//! Cost: 12 bytes a state for the tree, 12 bytes a waiting state, O(log n) a push or pop. Ranking walks the tree
//! below A, but branches in which nothing waits are cut off at the first visit, as nothing can grow there again.

use crate::collection::Renaming;
use crate::frontier::{Frontier, Open};
use crate::heuristic::Levels;
use crate::per_state::{PerState, StateId, release_slack};
use crate::random::Random;
use crate::store::Status;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = StateId::NONE;
const TOP_RANK: u32 = (1 << 30) - 1;
/// Draws until one that waits is found, most often one or two.
const TRIES: usize = 8;

/// What the tree knows of a state.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Two bits of phase, thirty of rank.
    phase_and_rank: u32,
    first_child: u32,
    next_sibling: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Absent,
    Done,
    Expanding,
    Waiting,
}

impl Node {
    const ABSENT: Self = Self { phase_and_rank: 0, first_child: NONE, next_sibling: NONE };

    const fn new(rank: u32, next_sibling: u32) -> Self {
        Self { phase_and_rank: (Phase::Waiting as u32) << 30 | rank, first_child: NONE, next_sibling }
    }

    const fn phase(self) -> Phase {
        match self.phase_and_rank >> 30 {
            0 => Phase::Absent,
            1 => Phase::Done,
            2 => Phase::Expanding,
            _ => Phase::Waiting,
        }
    }

    const fn rank(self) -> u32 {
        self.phase_and_rank & TOP_RANK
    }

    const fn in_phase(self, phase: Phase) -> Self {
        Self { phase_and_rank: self.rank() | (phase as u32) << 30, ..self }
    }
}

/// One level of the walk below a state.
#[derive(Debug, Clone, Copy)]
struct Visit {
    node: StateId,
    /// The child to look at next, and the last one that was kept.
    child: u32,
    kept: u32,
}

/// Rank order. To be used with the heuristic [`Levels`]; under one that always says 0 it is first come, first
/// served, since 0 marks the largest states.
#[derive(Debug, Clone)]
pub struct Ranked {
    heap: BinaryHeap<Reverse<(u32, u32, StateId)>>,
    tree: PerState<Node>,
    /// The rank that the next pushed state has earned by covering.
    earned: u32,
    walk: Vec<Visit>,
    /// At most so many entries of the heap do not wait because they were taken out of turn.
    stale: usize,
}

impl Default for Ranked {
    fn default() -> Self {
        let tree = PerState::new(Node::ABSENT);
        Self { heap: BinaryHeap::new(), tree, earned: 0, walk: Vec::new(), stale: 0 }
    }
}

impl Ranked {
    /// The highest rank that waits below `root`. Branches without waiting states are taken out of the tree.
    fn highest_waiting_below(&mut self, root: StateId) -> Option<u32> {
        let mut highest = None;
        self.walk.clear();
        self.walk.push(Visit { node: root, child: self.tree.at(root).first_child, kept: NONE });
        while let Some(&Visit { node, child, .. }) = self.walk.last() {
            if child == NONE {
                self.walk.pop();
                let open = self.tree.at(node).phase() != Phase::Done || self.tree.at(node).first_child != NONE;
                self.settle(node, open);
                continue;
            }
            let id = StateId::from_raw(child);
            let entry = self.tree.at(id);
            if entry.phase() == Phase::Waiting {
                // What is the largest of its key cannot be overtaken.
                highest = highest.max(Some(entry.rank()).filter(|&rank| rank != TOP_RANK));
                self.settle(id, true);
            } else {
                self.walk.push(Visit { node: id, child: entry.first_child, kept: NONE });
            }
        }
        highest
    }

    /// The walk is through with `child` of its last state: keep it in the list of children, or take it out.
    fn settle(&mut self, child: StateId, open: bool) {
        let Some(visit) = self.walk.last_mut() else { return };
        let next = self.tree.at(child).next_sibling;
        visit.child = next;
        if open {
            visit.kept = child.raw();
        } else if visit.kept == NONE {
            let node = visit.node;
            self.tree.set(node, Node { first_child: next, ..self.tree.at(node) });
        } else {
            let kept = StateId::from_raw(visit.kept);
            self.tree.set(kept, Node { next_sibling: next, ..self.tree.at(kept) });
        }
    }

    /// A state is expanded out of turn.
    pub(crate) fn take(&mut self, id: StateId) {
        self.expand(id);
        self.stale += 1;
        if self.stale * 2 > self.heap.len() {
            self.stale = 0;
            let mut entries = std::mem::take(&mut self.heap).into_vec();
            entries.retain(|Reverse((_, _, id))| self.waits(*id));
            self.heap = entries.into();
        }
    }

    fn expand(&mut self, id: StateId) {
        // What was covered while it waited is done and stays so.
        if self.waits(id) {
            self.enter(id, Phase::Expanding);
        }
    }

    pub(crate) fn waits(&self, id: StateId) -> bool {
        self.tree.at(id).phase() == Phase::Waiting
    }

    /// A state that waits, each equally likely; `None` if it is not soon found.
    pub(crate) fn any(&self, random: &mut Random) -> Option<StateId> {
        let entries = self.heap.as_slice();
        (0..TRIES).find_map(|_| {
            let Reverse((_, _, id)) = *entries.get(random.index(entries.len()))?;
            self.waits(id).then_some(id)
        })
    }

    fn enter(&mut self, id: StateId, phase: Phase) {
        self.tree.set(id, self.tree.at(id).in_phase(phase));
    }
}

/// The new name of `id`, or of the first sibling after it that stays; the next siblings have new names.
fn successor(nodes: &[Node], renaming: &Renaming, id: u32) -> u32 {
    match renaming.raw(id) {
        NONE => nodes.get(id as usize).map_or(NONE, |node| node.next_sibling),
        name => name,
    }
}

impl Frontier for Ranked {
    fn covers(&mut self, _: StateId, old: StateId, was: Status) {
        // The place of a waiting state is taken over; the successors of a passed one are to be overtaken.
        let earned = match was {
            Status::Waiting => Some(self.tree.at(old).rank()),
            _ => self.highest_waiting_below(old).map(|rank| rank + 1),
        };
        self.earned = self.earned.max(earned.unwrap_or(0)).min(TOP_RANK - 1);
        if was == Status::Waiting {
            self.enter(old, Phase::Done);
        }
    }

    fn push(&mut self, open: Open) {
        let earned = std::mem::take(&mut self.earned);
        let rank = if open.estimate == Levels::LARGEST { TOP_RANK } else { earned };
        let known = self.tree.at(open.id);
        if known.phase() == Phase::Absent {
            let mut sibling = NONE;
            if let Some(parent) = open.parent {
                let entry = self.tree.at(parent);
                sibling = entry.first_child;
                self.tree.set(parent, Node { first_child: open.id.raw(), ..entry });
            }
            self.tree.set(open.id, Node::new(rank, sibling));
        } else {
            // Waits again after a depth limit; its links stand.
            self.tree.set(open.id, Node { phase_and_rank: Node::new(rank, NONE).phase_and_rank, ..known });
        }
        if self.heap.len() == self.heap.capacity() {
            // By an eighth instead of doubling, as the tables beside it.
            self.heap.reserve_exact((self.heap.len() / 8).max(64));
        }
        self.heap.push(Reverse((TOP_RANK - rank, open.estimate, open.id)));
    }

    fn pop(&mut self) -> Option<StateId> {
        let Reverse((_, _, id)) = self.heap.pop()?;
        self.expand(id);
        Some(id)
    }

    fn close(&mut self, parent: Option<StateId>) {
        if let Some(parent) = parent {
            self.enter(parent, Phase::Done);
        }
    }

    fn rename(&mut self, renaming: &Renaming) {
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.retain_mut(|Reverse((_, _, id))| renaming.apply(id));
        release_slack(&mut entries);
        self.heap = entries.into();
        // Nothing waits below a state that is given up: it leaves its list of siblings. A next sibling is older, so
        // that its own next one has its new name already; a child is younger, so all siblings are renamed before.
        let nodes = self.tree.entries_mut();
        for id in 0..nodes.len() {
            let next = nodes[id].next_sibling;
            debug_assert!(next == NONE || (next as usize) < id);
            nodes[id].next_sibling = successor(nodes, renaming, next);
        }
        for id in 0..nodes.len() {
            nodes[id].first_child = successor(nodes, renaming, nodes[id].first_child);
        }
        self.tree.rename(renaming);
    }

    fn clear(&mut self) {
        self.heap.clear();
        self.stale = 0;
        self.tree.clear();
        self.earned = 0;
    }

    fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<(u32, u32, StateId)>() + self.tree.bytes()
    }
}
