//! Under-approximation refinement (Heusner, Wehrle, Pommerening & Helmert, ICAPS 2014; for timed automata Grimm 2017; docs/algorithms.md §3.6).
//!
//! Few of a network's transitions are on a run to the goal. The search begins with those of a relaxed plan of the initial state
//! alone. When the states it explores lead to nothing better (the *refinement guard*), or nothing waits any more, it permits
//! those of the relaxed plans of explored states, the most promising states first, each state once. Where these plans have
//! nothing new and nothing waits, all transitions that are applicable in the most promising states not asked yet are
//! permitted. So in the end all are, and the search is complete.
//!
//! The printed algorithm is corrected as docs/algorithms.md §3.6 lists: plans are those of explored states, not of waiting ones; the test for
//! known states is of the child; the next larger estimate is the next one that occurs; and what waits for a transition is found
//! for *every* state in which it is applicable. For that each explored state is entered under the operators that were applicable
//! and not permitted; permitting an operator takes up exactly its entries. The original scans all of them after every
//! refinement, which is quadratic where refinements are many (97,934 on average in Grimm's hardest family).
//!
//! With a *plateau guard* of N the search refines only after more than N states in a row that led to nothing better; 0 is the
//! basic algorithm. "Better" is a permitted successor with a smaller estimate than the state explored.
//!
//! Why "nowhere" is right: every pair of an explored state and an operator applicable in it was either sketched or stands in
//! the operator's list, and the search ends only when all lists are empty. An explored state that a later one covers may be
//! dropped from the lists: the later one has entries of its own.
//!
//! A refinement may have to make thousands of plans, and whoever calls has something else to do: it makes some at a time.
//!
//! Cost: 8 bytes an entry, one relaxed plan for each explored state that a refinement reaches.

use super::{Directed, Expansion, LAST};
use crate::directed::queue::Entry;
use crate::directed::useless_transitions::seems_useless;
use crate::guidance::{Guidance, Operator};
use search::best_first::Value;
use search::goal::Goal;
use search::heuristic::Estimate;
use search::per_state::StateId;
use search::system::{Covering, Deferred};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Which operators are permitted, and what waits for the others.
#[derive(Debug, Clone)]
pub struct Refinement<L> {
    guard: u64,
    /// States in a row that led to nothing better.
    plateau: u64,
    permitted: Vec<bool>,
    count: u64,
    refinements: u64,
    /// By operator the steps that wait for it.
    blocked: Vec<Vec<(StateId, L)>>,
    entries: usize,
    /// Steps whose operators have just been permitted.
    freed: Vec<(StateId, L, Operator)>,
    /// Explored states by estimate: those whose relaxed plan was not used yet, and all with steps that wait.
    unused: BTreeMap<u32, Vec<StateId>>,
    waiting: BTreeMap<u32, Vec<StateId>>,
    /// A refinement by relaxed plans is under way: states whose plans are still to be made, and the operators of those that were.
    is_planning: bool,
    promising: Vec<StateId>,
    planned: Vec<Operator>,
    /// The plans of all explored states were used, and nothing was permitted since.
    is_fruitless: bool,
}

/// Plans made, or steps taken up, before others have their turn.
const AT_A_TIME: usize = 16;

impl<L: Copy> Refinement<L> {
    pub fn new(guard: u64) -> Self {
        Self {
            guard,
            plateau: 0,
            permitted: Vec::new(),
            count: 0,
            refinements: 0,
            blocked: Vec::new(),
            entries: 0,
            freed: Vec::new(),
            unused: BTreeMap::new(),
            waiting: BTreeMap::new(),
            is_planning: false,
            promising: Vec::new(),
            planned: Vec::new(),
            is_fruitless: false,
        }
    }

    #[inline]
    pub fn permits(&self, operator: Operator) -> bool {
        self.permitted.get(operator as usize).copied().unwrap_or(false)
    }

    /// Notes a step that waits for its operator.
    pub fn block(&mut self, operator: Operator, id: StateId, label: L) {
        let index = operator as usize;
        if self.blocked.len() <= index {
            self.blocked.resize_with(index + 1, Vec::new);
        }
        self.blocked[index].push((id, label));
        self.entries += 1;
    }

    /// Permits an operator; what waited for it.
    fn permit(&mut self, operator: Operator) -> Vec<(StateId, L)> {
        let index = operator as usize;
        if self.permitted.len() <= index {
            self.permitted.resize(index + 1, false);
        }
        self.permitted[index] = true;
        self.count += 1;
        let freed = self.blocked.get_mut(index).map(std::mem::take).unwrap_or_default();
        self.entries -= freed.len();
        freed
    }

    /// Permits operators; what waited for them is to be released. `false`: all were permitted.
    fn permit_all(&mut self, mut operators: Vec<Operator>) -> bool {
        operators.sort_unstable();
        operators.dedup();
        operators.retain(|operator| !self.permits(*operator));
        self.is_fruitless &= operators.is_empty();
        for operator in &operators {
            let freed = self.permit(*operator);
            self.freed.extend(freed.into_iter().map(|(id, label)| (id, label, *operator)));
        }
        // The last one is released first.
        self.freed.sort_by_key(|(id, ..)| std::cmp::Reverse(*id));
        !operators.is_empty()
    }

    /// From now on the operators of relaxed plans are to be permitted.
    fn refine(&mut self) {
        self.refinements += 1;
        self.is_planning = true;
    }

    /// How many operators are permitted.
    pub fn permitted(&self) -> u64 {
        self.count
    }

    /// How often more were asked for.
    pub fn refinements(&self) -> u64 {
        self.refinements
    }

    pub fn bytes(&self) -> usize {
        self.entries * size_of::<(StateId, L)>() + self.blocked.len() * size_of::<Vec<L>>() + self.permitted.len()
    }
}

impl<T: Covering + Deferred, G: Goal<T>, H: Guidance<T>> Directed<'_, T, G, H> {
    /// A state was explored: it may be time to refine.
    pub(super) fn explored(&mut self, expansion: &Expansion) {
        let Some(refinement) = &mut self.refinement else { return };
        refinement.is_fruitless = false;
        refinement.unused.entry(expansion.estimate).or_default().push(expansion.id);
        refinement.waiting.entry(expansion.estimate).or_default().push(expansion.id);
        if expansion.improved {
            refinement.plateau = 0;
            return;
        }
        refinement.plateau += 1;
        if refinement.plateau > refinement.guard || refinement.count == 0 {
            refinement.plateau = 0;
            refinement.refine();
        }
    }

    /// Nothing waits: some steps towards permitting more, if there is more. `false`: everything has been seen.
    pub(super) fn widen(&mut self) -> bool {
        let Some(refinement) = self.refinement.as_mut().filter(|refinement| refinement.entries > 0) else {
            return false;
        };
        if refinement.is_fruitless {
            self.permit_applicable();
        } else {
            refinement.refine();
        }
        true
    }

    /// Some steps towards permitting the operators of the relaxed plans of the most promising states. `false`: no refinement is
    /// under way.
    pub(super) fn plan_some(&mut self) -> bool {
        let Some(refinement) = self.refinement.as_mut().filter(|refinement| refinement.is_planning) else {
            return false;
        };
        if refinement.promising.is_empty() {
            let Some((_, states)) = refinement.unused.pop_first() else {
                (refinement.is_planning, refinement.is_fruitless) = (false, true);
                return true;
            };
            refinement.promising = states;
            refinement.promising.reverse();
        }
        for _ in 0..AT_A_TIME {
            let Some(id) = refinement.promising.pop() else { break };
            if self.store.load(self.system, id, &mut self.current) {
                self.guidance.plan(self.system, &self.current, &mut refinement.planned);
            }
        }
        if refinement.promising.is_empty() {
            let planned = std::mem::take(&mut refinement.planned);
            refinement.is_planning = !refinement.permit_all(planned);
        }
        true
    }

    /// Permits all operators that are applicable in the most promising states that have not been asked yet.
    fn permit_applicable(&mut self) {
        let Self { system, scratch, current, guidance, store, refinement, .. } = self;
        let Some(refinement) = refinement else { return };
        let mut new = Vec::new();
        match refinement.waiting.pop_first() {
            Some((_, states)) => {
                for id in states {
                    if !store.load(*system, id, current) {
                        continue;
                    }
                    // The state was sketched before: what fails has failed.
                    let _ = system.sketches(scratch, current, |label, sketch| {
                        new.push(guidance.operator(system, label, sketch));
                        ControlFlow::Continue(())
                    });
                }
            }
            // States that were taken up twice may have left entries behind.
            None => new.extend((0..).zip(&refinement.blocked).find(|(_, left)| !left.is_empty()).map(|(n, _)| n)),
        }
        refinement.permit_all(new);
    }

    /// Makes some of the steps wait whose operators have been permitted. `false`: none is left.
    pub(super) fn release(&mut self) -> bool {
        let has_freed = |refinement: &Refinement<T::Label>| !refinement.freed.is_empty();
        let mut entered = None;
        for n in 0..AT_A_TIME {
            if !self.refinement.as_ref().is_some_and(has_freed) {
                return n > 0;
            }
            let Self { system, scratch, current, guidance, store, queue, settings, depths, .. } = self;
            let Some((id, label, operator)) = self.refinement.as_mut().and_then(|refinement| refinement.freed.pop())
            else {
                break;
            };
            if entered.is_none_or(|(last, _)| last != id) {
                if !store.load(*system, id, current) {
                    continue;
                }
                let here = match guidance.enter(system, current) {
                    Estimate::Value(here) => here,
                    Estimate::DeadEnd { .. } => u32::MAX,
                };
                entered = Some((id, here));
            }
            let here = entered.map_or(u32::MAX, |(_, here)| here);
            let depth = depths.at(id).saturating_add(1);
            let result = system.sketch(scratch, current, label, |label, sketch| {
                let estimate = match guidance.estimate(system, sketch) {
                    Estimate::Value(estimate) => estimate,
                    Estimate::DeadEnd { .. } => LAST,
                };
                let mut value = match settings.value {
                    Value::Greedy => estimate,
                    Value::Total => estimate.saturating_add(depth),
                };
                if settings.useless && seems_useless(*system, guidance, current, operator, (here, estimate)) {
                    value = value.saturating_add(depth);
                }
                queue.push(value, Entry { parent: id.raw(), label, estimate }, true);
                ControlFlow::Continue(())
            });
            if let Err(error) = result {
                self.fails(Some(id), error);
            }
        }
        true
    }
}
