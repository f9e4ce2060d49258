//! Whether a walk can still find anything where it is.
//!
//! Once no location that the right side can reach has an invariant, it cuts no delay, and a rule
//! can only be broken by an output that it does not always allow. Which outputs the left side can
//! still make is asked of a relaxed world: no clocks, and every leaf may be in all local states at
//! once that edges with possible actions lead to. It has more behaviour, so what it cannot do is
//! impossible; a walk that has nothing left to find starts again instead of going on for the rest
//! of its steps. One question costs the edges of all local states, so it is not asked after every
//! step.

use crate::component::{Component, LocalState, Target};
use crate::walk_plan::Plan;
use crate::world::{Slots, World};

/// Beyond so many local states of all leaves the question is too long.
const LOCAL_STATES: usize = 1 << 16;

pub(crate) struct Prospects {
    /// Per component of the right side the local states from which no invariant is reached.
    calm: Vec<Vec<bool>>,
    /// Nothing is asked.
    are_unknown: bool,
}

impl Prospects {
    pub fn new(world: &World<'_>, right: &[u32]) -> Prospects {
        let mut calm = vec![Vec::new(); world.components.len()];
        let fallible = world.components.iter().any(|component| !component.errors.is_empty());
        let states: usize = (0..world.leaves.len() as u32).map(|leaf| world.component_of(leaf).states.len()).sum();
        for leaf in right {
            let component = world.leaves[*leaf as usize].component as usize;
            if calm[component].is_empty() {
                calm[component] = calm_states(&world.components[component]);
            }
        }
        Prospects { calm, are_unknown: fallible || states > LOCAL_STATES }
    }

    /// Whether a leaf of the right side ends no waiting any more.
    pub fn is_calm(&self, world: &World<'_>, leaf: u32, slots: &Slots) -> bool {
        let place = &world.leaves[leaf as usize];
        self.calm[place.component as usize].get(slots[place.slot as usize] as usize).is_some_and(|calm| *calm)
    }

    /// Whether no rule can be broken any more, all leaves of the right side being calm.
    pub fn are_none(&self, plan: &Plan<'_, '_>, slots: &Slots) -> bool {
        if self.are_unknown {
            return false;
        }
        let mut relaxed = Relaxed::new(plan, slots);
        relaxed.explore();
        let world = plan.world;
        let outputs = relaxed.actions.iter().filter(|action| world.alphabet(plan.left).has_output(**action));
        outputs.into_iter().all(|action| {
            plan.right_parts.of(*action).iter().filter(|part| part.output).all(|part| {
                let component = world.component_of(part.leaf);
                let always = |state: &LocalState| {
                    LocalState::edges(&state.outputs, *action).iter().any(|edge| edge.allowed.is_empty())
                };
                relaxed.reached[part.leaf as usize].iter().all(|state| always(&component.states[*state as usize]))
            })
        })
    }
}

/// The greatest set of states without invariants that is not left.
fn calm_states(component: &Component) -> Vec<bool> {
    let mut coming: Vec<Vec<u32>> = vec![Vec::new(); component.states.len()];
    let mut calm: Vec<bool> = component.states.iter().map(|state| state.invariant.is_empty()).collect();
    for (at, state) in (0..).zip(&component.states) {
        for edge in state.outputs.iter().chain(&state.inputs) {
            if let Target::State(target) = edge.target {
                coming[target as usize].push(at);
            }
        }
    }
    let mut lost: Vec<u32> = (0..).zip(&calm).filter(|(_, calm)| !**calm).map(|(at, _)| at).collect();
    while let Some(target) = lost.pop() {
        for &at in &coming[target as usize] {
            if std::mem::replace(&mut calm[at as usize], false) {
                lost.push(at);
            }
        }
    }
    calm
}

struct Relaxed<'p, 'w, 'n> {
    plan: &'p Plan<'w, 'n>,
    /// Per leaf the local states it may be in, and whether each is known.
    reached: Vec<Vec<u32>>,
    known: Vec<Vec<bool>>,
    /// Actions that may happen, and whether each is known.
    actions: Vec<u32>,
    possible: Vec<bool>,
    waiting: Vec<(u32, u32)>,
}

impl<'p, 'w, 'n> Relaxed<'p, 'w, 'n> {
    fn new(plan: &'p Plan<'w, 'n>, slots: &Slots) -> Relaxed<'p, 'w, 'n> {
        let world = plan.world;
        let leaves = world.leaves.len();
        let mut relaxed = Relaxed {
            plan,
            reached: vec![Vec::new(); leaves],
            known: (0..leaves as u32).map(|leaf| vec![false; world.component_of(leaf).states.len()]).collect(),
            actions: Vec::new(),
            possible: vec![false; world.network.channels.len() + 1],
            waiting: Vec::new(),
        };
        plan.inputs.iter().for_each(|action| relaxed.happens(*action));
        for (leaf, place) in (0..).zip(&world.leaves) {
            relaxed.reach(leaf, slots[place.slot as usize]);
        }
        relaxed
    }

    fn reach(&mut self, leaf: u32, state: u32) {
        if !std::mem::replace(&mut self.known[leaf as usize][state as usize], true) {
            self.reached[leaf as usize].push(state);
            self.waiting.push((leaf, state));
        }
    }

    fn happens(&mut self, action: u32) {
        if !std::mem::replace(&mut self.possible[action as usize], true) {
            self.actions.push(action);
        }
    }

    fn explore(&mut self) {
        let plan = self.plan;
        let mut handled = 0;
        loop {
            if let Some((leaf, state)) = self.waiting.pop() {
                let local = &plan.world.component_of(leaf).states[state as usize];
                for edge in &local.outputs {
                    if !plan.left_parts.of(edge.action).iter().any(|part| part.output && part.leaf == leaf) {
                        continue;
                    }
                    self.happens(edge.action);
                }
                for edge in local.outputs.iter().chain(&local.inputs) {
                    if let (true, Target::State(target)) = (self.possible[edge.action as usize], edge.target) {
                        self.reach(leaf, target);
                    }
                }
            } else if let Some(&action) = self.actions.get(handled) {
                handled += 1;
                for part in plan.left_parts.of(action).iter().chain(plan.right_parts.of(action)) {
                    for n in 0..self.reached[part.leaf as usize].len() {
                        let state = self.reached[part.leaf as usize][n];
                        let local = &plan.world.component_of(part.leaf).states[state as usize];
                        let list = if part.output { &local.outputs } else { &local.inputs };
                        for edge in LocalState::edges(list, action) {
                            if let Target::State(target) = edge.target {
                                self.reach(part.leaf, target);
                            }
                        }
                    }
                }
            } else {
                return;
            }
        }
    }
}
