//! Random walks over pairs of concrete states: violations found without storing anything.
//!
//! Kiviriga, Larsen and Nyman, "Randomized refinement checking of timed I/O automata" (SETTA 2020). A walk holds one pair. In every pair
//! the delay rule is a comparison of the longest delays of both sides, with strictness. Then a step of the left side is
//! drawn among those that are possible now or after a delay, a delay within its window, and the right side has to follow.
//!
//! - `ret`: every step alike. `rcf`: first an action, every action with a step alike, then one of its steps. Actions that
//!   no component offers where it is are left out beforehand, which does not change the distribution.
//! - Added to the paper: inputs that only the right side knows, and outputs that only the left side knows.
//!
//! Time is counted in ticks of 2^-20 of a unit; clocks are kept as the moment at which they were 0. The components of a composition that
//! neither have a deadline nor offer an output where they are are not looked at, so that a step costs what is going on, not the number
//! of components. A seed and the number of a walk give the walk: a violation is walked again to be written down, and
//! the walk with the smallest number wins, whatever the number of threads.

use crate::refinement::{Broken, PairStep, Violation};
use crate::run::Times;
use crate::world::{Node, NodeId, Step, World};
use semantics::concrete::Window;
use semantics::random::Random;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use walk::delay::{DelayChoice, Distribution};
use walk::depth::Depth;
use zones::Constraint;

const TICKS: i64 = 1 << 20;
/// Beyond every moment of a walk.
const NEVER: i64 = i64::MAX / 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Random enabled transition.
    Transition,
    /// Random channel first.
    Channel,
}

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub choice: Choice,
    pub delays: DelayChoice,
    pub depth: Depth,
    pub seed: u64,
    pub threads: usize,
    /// So many walks, no more.
    pub walks: Option<u64>,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Totals {
    pub walks: u64,
    pub steps: u64,
}

#[derive(Debug)]
pub enum Walked {
    Violated(Box<(Violation, Times)>),
    /// An evaluation of a component fails: leaf and error.
    Failed(u32, u32),
    /// Nothing was found.
    Nothing,
}

/// What does not change from walk to walk.
struct Plan<'w, 'n> {
    world: &'w World<'n>,
    left: NodeId,
    right: NodeId,
    /// The operands of the composition on the left, or the one system there is.
    children: Vec<NodeId>,
    /// Per slot the child it belongs to; `NONE` for the right side.
    owner: Vec<u32>,
    /// Inputs of the left side, and those that only the right one has.
    inputs: Vec<u32>,
    /// How long to wait at most where nothing ends.
    horizon: i64,
}

const NONE: u32 = u32::MAX;

impl<'w, 'n> Plan<'w, 'n> {
    fn new(world: &'w World<'n>, left: NodeId, right: NodeId) -> Plan<'w, 'n> {
        let children = match &world.nodes[left.0 as usize] {
            Node::Compose { children, .. } => children.clone(),
            _ => vec![left],
        };
        let mut owner = vec![NONE; world.slots];
        for (n, child) in children.iter().enumerate() {
            world.slots_of(*child).into_iter().for_each(|slot| owner[slot as usize] = n as u32);
        }
        let largest = |component: &std::sync::Arc<crate::component::Component>| {
            component.states.iter().flat_map(|state| state.maximal.iter().copied()).max().unwrap_or(0)
        };
        let constant = world.components.iter().map(largest).max().unwrap_or(0).max(0);
        // Inputs of the right side are all that the left one has, and perhaps more.
        let inputs = world.alphabet(right).inputs.clone();
        Plan { world, left, right, children, owner, inputs, horizon: (i64::from(constant) + 1) * TICKS }
    }
}

/// The current pair.
struct Walk<'p, 'w, 'n> {
    plan: &'p Plan<'w, 'n>,
    now: i64,
    slots: Vec<u32>,
    /// Per clock of the world the moment at which it was 0.
    zero: Vec<i64>,
    /// Children with a deadline or an output, and where each stands in the list.
    lively: Vec<u32>,
    position: Vec<u32>,
    candidates: Vec<u32>,
    scratch: Vec<Constraint>,
}

/// How a step of a walk ended.
enum Next {
    Stepped,
    /// No step is possible any more, or none can break a rule.
    Dead,
    Violated(Broken, i64),
    Failed(u32, u32),
}

impl<'p, 'w, 'n> Walk<'p, 'w, 'n> {
    fn new(plan: &'p Plan<'w, 'n>) -> Walk<'p, 'w, 'n> {
        let mut walk = Walk {
            plan,
            now: 0,
            slots: Vec::new(),
            zero: Vec::new(),
            lively: Vec::new(),
            position: vec![NONE; plan.children.len()],
            candidates: Vec::new(),
            scratch: Vec::new(),
        };
        walk.restart();
        walk
    }

    fn restart(&mut self) {
        let world = self.plan.world;
        self.now = 0;
        self.slots = world.initial();
        self.zero = std::iter::once(0).chain(world.initial_values().iter().map(|v| -i64::from(*v) * TICKS)).collect();
        for child in 0..self.plan.children.len() as u32 {
            self.notice(child);
        }
    }

    /// Puts a child into the list of lively ones, or takes it out.
    fn notice(&mut self, child: u32) {
        let node = self.plan.children[child as usize];
        let is_lively = match &self.plan.world.nodes[node.0 as usize] {
            Node::Leaf(leaf) => {
                let local = self.plan.world.local(*leaf, &self.slots);
                !local.outputs.is_empty() || !local.invariant.is_empty() || local.error.is_some()
            }
            _ => true,
        };
        let at = self.position[child as usize];
        if is_lively && at == NONE {
            self.position[child as usize] = self.lively.len() as u32;
            self.lively.push(child);
        } else if !is_lively && at != NONE {
            self.lively.swap_remove(at as usize);
            if let Some(moved) = self.lively.get(at as usize) {
                self.position[*moved as usize] = at;
            }
            self.position[child as usize] = NONE;
        }
    }

    /// The moments from now on at which a conjunction holds; empty if `from` is later than `to`.
    fn window(&self, conjunction: &[Constraint]) -> (i64, i64) {
        let (mut from, mut to) = (self.now, NEVER);
        for one in conjunction {
            let constant = i64::from(one.bound.constant()) * TICKS;
            let strict = i64::from(one.bound.is_strict());
            if one.right == 0 {
                to = to.min(self.zero[one.left as usize] + constant - strict);
            } else {
                from = from.max(self.zero[one.right as usize] - constant + strict);
            }
        }
        (from, to)
    }

    /// The last moment that the left side can wait for.
    fn left_deadline(&mut self) -> i64 {
        let mut invariant = std::mem::take(&mut self.scratch);
        invariant.clear();
        for child in &self.lively {
            self.plan.world.invariant(self.plan.children[*child as usize], &self.slots, &mut invariant);
        }
        let (_, to) = self.window(&invariant);
        self.scratch = invariant;
        to
    }

    /// The constraint of the right side that ends its waiting first, and when.
    fn right_deadline(&mut self) -> (i64, Option<Constraint>) {
        let mut invariant = std::mem::take(&mut self.scratch);
        invariant.clear();
        self.plan.world.invariant(self.plan.right, &self.slots, &mut invariant);
        let mut first = (NEVER, None);
        for one in &invariant {
            let (_, to) = self.window(&[*one]);
            if to < first.0 {
                first = (to, Some(*one));
            }
        }
        self.scratch = invariant;
        first
    }

    /// Checks the delay rule, then makes a step.
    fn step(
        &mut self,
        choice: Choice,
        delays: Distribution,
        random: &mut Random,
        record: &mut Option<Vec<(PairStep, i64)>>,
    ) -> Next {
        let world = self.plan.world;
        if let Some((leaf, error)) = world.error(&self.slots) {
            return Next::Failed(leaf, error);
        }
        if world.is_permissive(self.plan.right, &self.slots) {
            return Next::Dead;
        }
        let deadline = self.left_deadline();
        let (end, limit) = self.right_deadline();
        if let (true, Some(limit)) = (end < deadline, limit) {
            // The earliest moment that the right side does not allow.
            return Next::Violated(Broken::Delay { limit }, end + 1);
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for child in &self.lively {
            world.possible_outputs(self.plan.children[*child as usize], &self.slots, &mut candidates);
        }
        candidates.dedup();
        let drawn = self.draw(choice, &mut candidates, deadline, random);
        self.candidates = candidates;
        let Some((action, lead, window)) = drawn else { return Next::Dead };
        self.now = delays.draw(window, random);
        if let Some((leaf, error)) = lead.error {
            return Next::Failed(leaf, error);
        }
        let output = world.alphabet(self.plan.left).has_output(action);
        let mut pair = PairStep { action, output, left: None, right: None };
        let left_leads = world.alphabet(self.plan.left).knows(action);
        if left_leads {
            if world.alphabet(self.plan.right).knows(action) {
                match self.enabled(self.plan.right, action) {
                    Some(follow) => pair.right = Some(follow),
                    None if output => {
                        let place = Vec::new();
                        return Next::Violated(Broken::Output { action, left: lead, place }, self.now);
                    }
                    // The right side refuses an input, which quotients may: nothing is demanded then.
                    None => return Next::Stepped,
                }
            }
            pair.left = Some(lead);
        } else {
            pair.right = Some(lead);
        }
        let failed = pair.right.as_ref().and_then(|step| step.error);
        if let Some((leaf, error)) = failed {
            return Next::Failed(leaf, error);
        }
        for part in pair.left.iter().chain(&pair.right) {
            for (clock, value) in &part.resets {
                self.zero[*clock as usize] = self.now - i64::from(*value) * TICKS;
            }
            for (slot, value) in &part.changes {
                self.slots[*slot as usize] = *value;
            }
        }
        for (slot, _) in pair.left.iter().flat_map(|part| &part.changes) {
            let child = self.plan.owner[*slot as usize];
            if child != NONE {
                self.notice(child);
            }
        }
        if let Some(record) = record {
            record.push((pair, self.now));
        }
        Next::Stepped
    }

    /// A step of the system that is possible right now.
    fn enabled(&self, system: NodeId, action: u32) -> Option<Step> {
        let steps = self.plan.world.steps(system, &self.slots, action);
        steps.into_iter().find(|step| {
            let (from, to) = self.window(&step.guard);
            from == self.now && self.now <= to
        })
    }

    /// The steps of an action that are possible before the deadline.
    fn possible(&self, action: u32, deadline: i64, out: &mut Vec<(u32, Step, Window)>) {
        let world = self.plan.world;
        let system = if world.alphabet(self.plan.left).knows(action) { self.plan.left } else { self.plan.right };
        for step in world.steps(system, &self.slots, action) {
            let (from, to) = self.window(&step.guard);
            let to = to.min(deadline);
            if from <= to {
                let to = if to == NEVER { from + self.plan.horizon } else { to };
                out.push((action, step, Window { from, to }));
            }
        }
    }

    fn draw(
        &self,
        choice: Choice,
        outputs: &mut Vec<u32>,
        deadline: i64,
        random: &mut Random,
    ) -> Option<(u32, Step, Window)> {
        let mut found = Vec::new();
        if choice == Choice::Transition {
            for action in outputs.iter().chain(&self.plan.inputs) {
                self.possible(*action, deadline, &mut found);
            }
        } else {
            outputs.extend_from_slice(&self.plan.inputs);
            while found.is_empty() && !outputs.is_empty() {
                let action = outputs.swap_remove(random.index(outputs.len()));
                self.possible(action, deadline, &mut found);
            }
        }
        (!found.is_empty()).then(|| found.swap_remove(random.index(found.len())))
    }
}

/// Walks until a violation is found, the walks are used up, or `stop` is set.
pub fn hunt(
    world: &World<'_>,
    left: NodeId,
    right: NodeId,
    settings: &Settings,
    stop: &AtomicBool,
    totals: &mut Totals,
) -> Walked {
    let plan = Plan::new(world, left, right);
    let (next, best) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let (walks, steps) = (AtomicU64::new(0), AtomicU64::new(0));
    let last = settings.walks.unwrap_or(u64::MAX);
    std::thread::scope(|scope| {
        let worker = || {
            let mut walk = Walk::new(&plan);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= last || number >= best.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed) {
                    return;
                }
                let is_over = || number >= best.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
                let (made, end) = one(&mut walk, settings, number, &is_over, &mut None);
                walks.fetch_add(1, Ordering::Relaxed);
                steps.fetch_add(made, Ordering::Relaxed);
                if matches!(end, Next::Violated(..) | Next::Failed(..)) {
                    best.fetch_min(number, Ordering::Relaxed);
                }
            }
        };
        for _ in 1..settings.threads.max(1) {
            scope.spawn(worker);
        }
        worker();
    });
    *totals = Totals { walks: walks.into_inner(), steps: steps.into_inner() };
    let best = best.into_inner();
    if best == u64::MAX {
        return Walked::Nothing;
    }
    let mut record = Some(Vec::new());
    let (_, end) = one(&mut Walk::new(&plan), settings, best, &|| false, &mut record);
    let (path, moments): (Vec<PairStep>, Vec<i64>) = record.unwrap_or_default().into_iter().unzip();
    match end {
        Next::Violated(broken, end) => {
            let times = Times { steps: moments, end, ticks: TICKS, unit: world.unit };
            Walked::Violated(Box::new((Violation { path, broken }, times)))
        }
        Next::Failed(leaf, error) => Walked::Failed(leaf, error),
        Next::Stepped | Next::Dead => Walked::Nothing,
    }
}

/// One walk: the steps made, and how it ended.
fn one(
    walk: &mut Walk<'_, '_, '_>,
    settings: &Settings,
    number: u64,
    is_over: &dyn Fn() -> bool,
    record: &mut Option<Vec<(PairStep, i64)>>,
) -> (u64, Next) {
    let mut random = Random::of_run(settings.seed, number);
    let delays = settings.delays.of_walk(number);
    let depth = settings.depth.of_walk(number);
    walk.restart();
    for made in 0..depth {
        // Clocks are differences of moments; a walk that comes near the end of time starts again.
        if walk.now > NEVER / 2 || made % 256 == 255 && is_over() {
            return (made, Next::Dead);
        }
        match walk.step(settings.choice, delays, &mut random, record) {
            Next::Stepped => {}
            end => return (made, end),
        }
    }
    (depth, Next::Stepped)
}
