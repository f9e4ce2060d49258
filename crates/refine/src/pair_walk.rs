//! The current pair of a walk, and one step of it.
//!
//! Without quotients an action is made by all leaves that know it, whatever the operators, each
//! with one of its edges. So a step touches these leaves and nothing else: clocks are kept as the
//! moment at which they were 0, every leaf's deadline is known until it moves, and leaves of the
//! left side that neither have a deadline nor offer an output where they are are not looked at. A
//! step costs what is going on, not the number of components, and asks for no memory once its
//! buffers have grown. Where several edges of a leaf are possible within the window, and next to
//! quotients, the steps are those of [`crate::world::World::steps`].

use crate::component::{LocalEdge, LocalState, Target};
use crate::pair_steps::Found;
use crate::refinement::{Broken, PairStep};
use crate::run::Timing;
use crate::walk_plan::{Part, Plan};
use crate::walks::{Choice, NEVER, TICKS};
use crate::world::Step;
use search::random::Random;
use semantics::concrete::Window;
use walk::delay::Delays;
use zones::Constraint;

const NONE: u32 = u32::MAX;

/// An edge of a leaf: the place in the list of its outputs or inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    pub part: Part,
    pub edge: u32,
}

/// The current pair.
pub(crate) struct Walk<'p, 'w, 'n> {
    pub plan: &'p Plan<'w, 'n>,
    pub now: i64,
    /// Late steps give way.
    pub yields: bool,
    pub slots: Vec<u32>,
    /// Per clock of the world the moment at which it was 0.
    zero: Vec<i64>,
    /// Per leaf its local state, without quotients.
    locals: Vec<&'w LocalState>,
    /// Per leaf the last moment it can wait for.
    pub deadlines: Vec<i64>,
    /// Leaves of the left side with a deadline or an output, and where each stands in the list.
    pub lively: Vec<u32>,
    position: Vec<u32>,
    /// How many leaves of the right side can cut no delay any more.
    calm: usize,
    /// When to look again whether anything can be broken.
    look: u64,
    steps: u64,
    candidates: Vec<u32>,
    pub found: Vec<Found>,
    pub picks: Vec<Pick>,
    scratch: Vec<Constraint>,
}

/// How a step of a walk ended.
pub(crate) enum Next {
    Stepped,
    /// No step is possible any more, or none can break a rule.
    Dead,
    Violated(Broken, i64),
    Failed(u32, u32),
}

/// What a walk did.
pub(crate) struct Recorder<'w, 'n> {
    pub timing: Timing<'w, 'n>,
    /// One per step.
    pub actions: Vec<u32>,
    pub moments: Vec<i64>,
}

impl Recorder<'_, '_> {
    fn note(&mut self, action: u32, left: Option<&Step>, right: Option<&Step>, now: i64) {
        self.timing.step(left, right);
        self.actions.push(action);
        self.moments.push(now);
    }
}

/// Where a walk is written down, if it is.
pub(crate) type Record<'w, 'n> = Option<Recorder<'w, 'n>>;

impl<'p, 'w, 'n> Walk<'p, 'w, 'n> {
    pub fn new(plan: &'p Plan<'w, 'n>) -> Walk<'p, 'w, 'n> {
        let leaves = plan.world.leaves.len();
        Walk {
            plan,
            now: 0,
            yields: false,
            slots: Vec::new(),
            zero: Vec::new(),
            locals: Vec::new(),
            deadlines: vec![NEVER; leaves],
            lively: Vec::new(),
            position: vec![NONE; leaves],
            calm: 0,
            look: 0,
            steps: 0,
            candidates: Vec::new(),
            found: Vec::new(),
            picks: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub fn restart(&mut self) {
        let world = self.plan.world;
        (self.now, self.steps, self.look) = (0, 0, 0);
        self.slots.clear();
        self.slots.resize(world.slots, 0);
        self.zero.clear();
        self.zero.push(0);
        self.zero.extend(world.initial_values().iter().map(|value| -i64::from(*value) * TICKS));
        if !self.plan.flat {
            return;
        }
        self.calm = 0;
        let plan = self.plan;
        self.locals.clear();
        self.locals.extend((0..world.leaves.len() as u32).map(|leaf| world.local(leaf, &self.slots)));
        plan.left_leaves.iter().for_each(|leaf| self.notice(*leaf, true));
        for &leaf in &plan.right_leaves {
            self.notice(leaf, false);
            self.calm += usize::from(plan.prospects.is_calm(world, leaf, &self.slots));
        }
    }

    pub fn local(&self, leaf: u32) -> &'w LocalState {
        self.locals[leaf as usize]
    }

    /// Brings what is known of a leaf up to date.
    fn notice(&mut self, leaf: u32, left: bool) {
        let local = self.plan.world.local(leaf, &self.slots);
        self.locals[leaf as usize] = local;
        self.deadlines[leaf as usize] = self.window(leaf, &local.invariant).to;
        if !left {
            return;
        }
        let is_lively = !local.outputs.is_empty() || !local.invariant.is_empty() || local.error.is_some();
        let at = self.position[leaf as usize];
        if is_lively && at == NONE {
            self.position[leaf as usize] = self.lively.len() as u32;
            self.lively.push(leaf);
        } else if !is_lively && at != NONE {
            self.lively.swap_remove(at as usize);
            if let Some(moved) = self.lively.get(at as usize) {
                self.position[*moved as usize] = at;
            }
            self.position[leaf as usize] = NONE;
        }
    }

    /// The moments from now on at which a conjunction over the clocks after `base` holds; empty if
    /// `from` is later than `to`.
    pub fn moments(&self, base: u32, conjunction: &[Constraint]) -> Window {
        let mut window = Window { from: self.now, to: NEVER };
        for one in conjunction {
            let constant = i64::from(one.bound.constant()) * TICKS;
            let strict = i64::from(one.bound.is_strict());
            let zero = |clock: u32| if clock == 0 { self.now } else { self.zero[(clock + base) as usize] };
            if one.right == 0 {
                window.to = window.to.min(zero(one.left) + constant - strict);
            } else {
                window.from = window.from.max(zero(one.right) - constant + strict);
            }
        }
        window
    }

    /// The same over the clocks of a leaf.
    pub fn window(&self, leaf: u32, conjunction: &[Constraint]) -> Window {
        self.moments(self.plan.world.leaves[leaf as usize].clocks, conjunction)
    }

    /// The last moment that the left side can wait for.
    pub fn left_deadline(&mut self) -> i64 {
        if self.plan.flat {
            return self.lively.iter().map(|leaf| self.deadlines[*leaf as usize]).min().unwrap_or(NEVER);
        }
        let mut invariant = std::mem::take(&mut self.scratch);
        invariant.clear();
        self.plan.world.invariant(self.plan.left, &self.slots, &mut invariant);
        let to = self.moments(0, &invariant).to;
        self.scratch = invariant;
        to
    }

    /// The last moment that the right side can wait for.
    pub fn right_deadline(&mut self) -> i64 {
        if self.plan.flat {
            let deadlines = self.plan.right_leaves.iter().map(|leaf| self.deadlines[*leaf as usize]);
            return deadlines.min().unwrap_or(NEVER);
        }
        self.right_limit().0
    }

    /// The constraint of the right side that ends its waiting first, and when.
    fn right_limit(&self) -> (i64, Option<Constraint>) {
        let mut invariant = Vec::new();
        self.plan.world.invariant(self.plan.right, &self.slots, &mut invariant);
        let ends = invariant.iter().map(|one| (self.moments(0, &[*one]).to, Some(*one)));
        ends.min_by_key(|(end, _)| *end).unwrap_or((NEVER, None))
    }

    /// The right side does not wait until here.
    pub fn cut(&self) -> Next {
        match self.right_limit() {
            (end, Some(limit)) => Next::Violated(Broken::Delay { limit }, end + 1),
            (_, None) => Next::Dead,
        }
    }

    /// What ends a walk before a step is looked for.
    pub fn over(&mut self) -> Option<Next> {
        let Plan { world, right, right_leaves, prospects, flat, .. } = self.plan;
        if let Some((leaf, error)) = world.error(&self.slots) {
            return Some(Next::Failed(leaf, error));
        }
        // What allows everything ends no waiting.
        if !*flat || self.calm == right_leaves.len() {
            if world.is_permissive(*right, &self.slots) {
                return Some(Next::Dead);
            }
            if *flat && self.steps >= self.look {
                if prospects.are_none(self.plan, &self.slots) {
                    return Some(Next::Dead);
                }
                self.look = self.steps * 2 + 64;
            }
        }
        self.steps += 1;
        None
    }

    /// Checks the delay rule, then makes a step.
    pub fn step(
        &mut self,
        choice: Choice,
        delays: &mut Delays,
        random: &mut Random,
        record: &mut Record<'_, '_>,
    ) -> Next {
        if let Some(end) = self.over() {
            return end;
        }
        let world = self.plan.world;
        let deadline = self.left_deadline();
        if self.right_deadline() < deadline {
            return self.cut();
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        if self.plan.flat {
            let outputs = |leaf: &u32| self.local(*leaf).outputs.iter().map(|edge| edge.action);
            candidates.extend(self.lively.iter().flat_map(outputs));
        } else {
            world.possible_outputs(self.plan.left, &self.slots, &mut candidates);
        }
        if self.plan.shared || !self.plan.flat {
            candidates.sort_unstable();
        }
        candidates.dedup();
        let found = self.draw(choice, &mut candidates, deadline, delays, random);
        self.candidates = candidates;
        let Some(found) = found else { return Next::Dead };
        self.now = delays.draw(found.action, found.window, random);
        match found.step {
            Some(step) => self.make(found.action, *step, record),
            None => {
                self.picks.copy_within(found.picks.clone(), 0);
                self.picks.truncate(found.picks.len());
                self.pick(found.action, record)
            }
        }
    }

    /// Whether the left side takes part in an action, and so leads.
    pub fn left_leads(&self, action: u32) -> bool {
        match self.plan.flat {
            true => !self.plan.left_parts.of(action).is_empty(),
            false => self.plan.world.alphabet(self.plan.left).knows(action),
        }
    }

    /// The picked edges of the leading side happen now, and the other side follows.
    pub fn pick(&mut self, action: u32, record: &mut Record<'_, '_>) -> Next {
        let plan = self.plan;
        if let Some(failed) = self.failure(0) {
            return failed;
        }
        let leads = self.left_leads(action);
        let leading = self.picks.len();
        if leads && !self.pick_now(plan.right_parts.of(action), action) {
            if plan.world.alphabet(plan.left).has_output(action) {
                let left = self.step_of(0..leading);
                return Next::Violated(Broken::Output { action, left, place: Vec::new() }, self.now);
            }
            // The right side refuses an input: nothing is demanded then.
            return Next::Stepped;
        }
        if let Some(failed) = self.failure(leading) {
            return failed;
        }
        if let Some(record) = record {
            let led = self.step_of(0..leading);
            let followed = self.step_of(leading..self.picks.len());
            match leads {
                true => record.note(action, Some(&led), Some(&followed), self.now),
                false => record.note(action, None, Some(&led), self.now),
            }
        }
        for n in 0..self.picks.len() {
            let Pick { part, edge } = self.picks[n];
            self.take(part, edge, leads && n < leading);
        }
        Next::Stepped
    }

    pub fn edge(&self, pick: Pick) -> &'w LocalEdge {
        let local = self.local(pick.part.leaf);
        let list = if pick.part.output { &local.outputs } else { &local.inputs };
        &list[pick.edge as usize]
    }

    /// An evaluation that fails on one of the picked edges.
    fn failure(&self, from: usize) -> Option<Next> {
        if !self.plan.fallible {
            return None;
        }
        self.picks[from..].iter().find_map(|pick| match self.edge(*pick).target {
            Target::Error(error) => Some(Next::Failed(pick.part.leaf, error)),
            Target::State(_) => None,
        })
    }

    fn step_of(&self, picks: std::ops::Range<usize>) -> Step {
        self.picks[picks]
            .iter()
            .fold(Step::default(), |step, pick| step.with(&self.plan.world.leaf_step(pick.part.leaf, self.edge(*pick))))
    }

    fn take(&mut self, part: Part, edge: u32, left: bool) {
        let edge = self.edge(Pick { part, edge });
        let place = &self.plan.world.leaves[part.leaf as usize];
        for (clock, value) in &edge.resets {
            self.zero[(clock + place.clocks) as usize] = self.now - i64::from(*value) * TICKS;
        }
        let (world, prospects) = (self.plan.world, &self.plan.prospects);
        if !left {
            self.calm -= usize::from(prospects.is_calm(world, part.leaf, &self.slots));
        }
        if let Target::State(target) = edge.target {
            self.slots[place.slot as usize] = target;
        }
        if !left {
            self.calm += usize::from(prospects.is_calm(world, part.leaf, &self.slots));
        }
        self.notice(part.leaf, left);
    }

    /// A step that the world made happens now, and the other side follows.
    fn make(&mut self, action: u32, lead: Step, record: &mut Record<'_, '_>) -> Next {
        if let Some((leaf, error)) = lead.error {
            return Next::Failed(leaf, error);
        }
        let Plan { world, left, right, .. } = self.plan;
        let output = world.alphabet(*left).has_output(action);
        let mut pair = PairStep { action, output, left: None, right: None };
        if self.left_leads(action) {
            if world.alphabet(*right).knows(action) {
                let is_now = |step: &Step| {
                    let window = self.moments(0, &step.guard);
                    window.from == self.now && self.now <= window.to
                };
                match world.steps(*right, &self.slots, action).into_iter().find(is_now) {
                    Some(follow) => pair.right = Some(follow),
                    None if output => {
                        return Next::Violated(Broken::Output { action, left: lead, place: Vec::new() }, self.now);
                    }
                    None => return Next::Stepped,
                }
            }
            pair.left = Some(lead);
        } else {
            pair.right = Some(lead);
        }
        if let Some((leaf, error)) = pair.right.as_ref().and_then(|step| step.error) {
            return Next::Failed(leaf, error);
        }
        self.apply(&pair);
        if let Some(record) = record {
            record.note(action, pair.left.as_ref(), pair.right.as_ref(), self.now);
        }
        Next::Stepped
    }

    fn apply(&mut self, pair: &PairStep) {
        let Plan { world, flat, prospects, .. } = self.plan;
        for part in pair.left.iter().chain(&pair.right) {
            for (clock, value) in &part.resets {
                self.zero[*clock as usize] = self.now - i64::from(*value) * TICKS;
            }
            if !*flat {
                part.changes.iter().for_each(|(slot, value)| self.slots[*slot as usize] = *value);
            }
        }
        if !*flat {
            return;
        }
        for (step, left) in [(&pair.left, true), (&pair.right, false)] {
            let taken = step.iter().flat_map(|step| &step.taken);
            for (leaf, (slot, value)) in taken.map(|(leaf, _)| *leaf).zip(step.iter().flat_map(|step| &step.changes)) {
                if !left {
                    self.calm -= usize::from(prospects.is_calm(world, leaf, &self.slots));
                }
                self.slots[*slot as usize] = *value;
                if !left {
                    self.calm += usize::from(prospects.is_calm(world, leaf, &self.slots));
                }
                self.notice(leaf, left);
            }
        }
    }
}
