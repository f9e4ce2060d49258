//! Exact times for a path of pairs.
//!
//! The moments of the steps are the unknowns; a clock is the moment at which it is looked at minus
//! the moment of its last reset plus the value it was set to. So every guard, every invariant and
//! the broken rule at the end bound a difference of two moments, and longest paths (Bellman and
//! Ford, the constraints taken forwards and backwards in turn) give the earliest solution. Of an
//! invariant only the moments count at which its component comes and goes, since what bounds a
//! clock from above holds before if it holds then.
//!
//! Moments are counted in ticks, and `< c` is `<= c` minus one tick. That loses nothing with more
//! ticks to a unit than there are moments, since no cycle has as many strict constraints as a unit
//! has ticks. Fewer ticks are tried first: people like whole numbers.

use crate::refinement::Broken;
use crate::world::{NodeId, Step, World, moved};
use zones::{Bound, Constraint};

/// Ticks per unit of the model's time that are tried first.
const ROUND: [i64; 4] = [1, 2, 4, 10];
/// How often the constraints are gone through for each of these.
const PASSES: u64 = 100;
/// Beyond every moment.
const LATEST: i64 = i64::MAX / 4;

/// The moments of the steps of a path, and that at which the rule is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Times {
    /// One per step.
    pub steps: Vec<i64>,
    pub end: i64,
    /// Ticks per unit of the constants in the world.
    pub ticks: i64,
    /// Model time per such unit.
    pub unit: u32,
}

/// `moment[left] - moment[right] <= bound + offset`.
struct Difference {
    left: u32,
    right: u32,
    bound: Bound,
    offset: i32,
}

/// What a path demands of its moments, step by step. Moment 0 is the start, moment n the n-th step.
pub struct Timing<'w, 'n> {
    world: &'w World<'n>,
    sides: [NodeId; 2],
    /// Without quotients the leaves that take part in a step are the only ones that it concerns.
    flat: bool,
    slots: Vec<u32>,
    /// Per clock the moment of its last reset, and the value it got.
    since: Vec<(u32, i32)>,
    differences: Vec<Difference>,
    steps: u32,
}

impl<'w, 'n> Timing<'w, 'n> {
    pub fn new(world: &'w World<'n>, left: NodeId, right: NodeId) -> Timing<'w, 'n> {
        let sides = [left, right];
        let mut timing = Timing {
            world,
            sides,
            flat: sides.iter().all(|side| world.is_flat(*side)),
            slots: world.initial(),
            since: world.initial_values().iter().map(|value| (0, *value)).collect(),
            differences: Vec::new(),
            steps: 0,
        };
        timing.hold(&sides, 0);
        timing
    }

    fn constrain(&mut self, at: u32, one: &Constraint) {
        // A clock is the moment minus that of its reset plus its value then; clock 0 was reset to 0
        // at this moment.
        let since = |clock: u32| (clock as usize).checked_sub(1).map_or((at, 0), |clock| self.since[clock]);
        let ((left, value), (right, other)) = (since(one.left), since(one.right));
        if one.left != one.right {
            self.differences.push(Difference { left: right, right: left, bound: one.bound, offset: other - value });
        }
    }

    /// The invariants of systems hold at a moment.
    fn hold(&mut self, systems: &[NodeId], at: u32) {
        let mut invariant = Vec::new();
        systems.iter().for_each(|system| self.world.invariant(*system, &self.slots, &mut invariant));
        invariant.iter().for_each(|one| self.constrain(at, one));
    }

    /// The invariants that a step concerns hold at a moment.
    fn hold_around(&mut self, parts: [Option<&Step>; 2], at: u32) {
        if !self.flat {
            let sides = self.sides;
            return self.hold(&sides, at);
        }
        let world = self.world;
        for (leaf, _) in parts.into_iter().flatten().flat_map(|part| &part.taken) {
            let base = world.leaves[*leaf as usize].clocks;
            for one in &world.local(*leaf, &self.slots).invariant {
                self.constrain(at, &moved(*one, base));
            }
        }
    }

    /// A later moment.
    fn next(&mut self) -> u32 {
        let (left, right) = (self.steps, self.steps + 1);
        self.differences.push(Difference { left, right, bound: Bound::LE_ZERO, offset: 0 });
        self.steps = right;
        right
    }

    /// The next step of the path.
    pub fn step(&mut self, left: Option<&Step>, right: Option<&Step>) {
        let at = self.next();
        let parts = [left, right];
        self.hold_around(parts, at);
        for part in parts.into_iter().flatten() {
            part.guard.iter().for_each(|one| self.constrain(at, one));
        }
        for part in parts.into_iter().flatten() {
            for (clock, value) in &part.resets {
                self.since[*clock as usize - 1] = (at, *value);
            }
            for (slot, value) in &part.changes {
                self.slots[*slot as usize] = *value;
            }
        }
        self.hold_around(parts, at);
    }

    /// Where the right side cannot follow an output, seen from the last step of a run: at the
    /// moments given, and the output at the end.
    pub(crate) fn place(&self, action: u32, left: &Step, moments: &[i64], end: i64, ticks: i64) -> Vec<Constraint> {
        let moment = |n: u32| (n as usize).checked_sub(1).map_or(0, |n| moments[n]);
        let value = |clock: u32| {
            let since = (clock as usize).checked_sub(1).map(|clock| self.since[clock]);
            since.map_or(0, |(reset, value)| end - moment(reset) + i64::from(value) * ticks)
        };
        let is_broken = |one: &&Constraint| {
            let bound = i64::from(one.bound.constant()) * ticks - i64::from(one.bound.is_strict());
            value(one.left) - value(one.right) > bound
        };
        let mut place = left.guard.clone();
        for step in self.world.steps(self.sides[1], &self.slots, action) {
            place.extend(step.guard.iter().find(is_broken).map(|one| one.negated()));
        }
        place
    }

    /// The earliest times at which the rule is broken after these steps; `None` if it is not, or if
    /// more than so much work would not find them.
    pub fn times(mut self, broken: &Broken, work: u64) -> Option<Times> {
        let (sides, last) = (self.sides, self.steps);
        self.hold(&sides, last);
        let end = self.next();
        match broken {
            Broken::Output { place, .. } | Broken::Input { place, .. } => {
                self.hold(&sides, end);
                place.iter().for_each(|one| self.constrain(end, one));
            }
            Broken::Delay { limit } => {
                self.hold(&sides[..1], end);
                self.constrain(end, &limit.negated());
            }
        }
        let (ticks, mut moments) = self.solved(work)?;
        let end = moments.pop()?;
        moments.remove(0);
        Some(Times { steps: moments, end, ticks, unit: self.world.unit })
    }

    /// The ticks of a unit of time, and the earliest moments.
    fn solved(&self, work: u64) -> Option<(i64, Vec<i64>)> {
        let most = work / self.differences.len().max(1) as u64;
        let moments = u64::from(self.steps) + 1;
        let exact = (moments as i64 + 1, moments + 1);
        let mut attempts = ROUND.iter().map(|ticks| (*ticks * i64::from(self.world.unit), PASSES)).chain([exact]);
        attempts.find_map(|(ticks, passes)| Some((ticks, self.solve(ticks, passes.min(most))?)))
    }

    /// The earliest moments, the first being 0.
    fn solve(&self, ticks: i64, passes: u64) -> Option<Vec<i64>> {
        let mut moments = vec![0i64; self.steps as usize + 1];
        // left - right <= bound, so right >= left - bound.
        let raise = |moments: &mut [i64], one: &Difference| {
            let bound = (i64::from(one.bound.constant()) + i64::from(one.offset)) * ticks;
            let least = moments[one.left as usize] - bound + i64::from(one.bound.is_strict());
            let least = least.min(LATEST + 1);
            let right = &mut moments[one.right as usize];
            let is_later = *right < least;
            *right = (*right).max(least);
            is_later
        };
        for pass in 0..passes {
            let mut changed = false;
            let mut go = |one: &Difference| changed |= raise(&mut moments, one);
            match pass % 2 {
                0 => self.differences.iter().for_each(&mut go),
                _ => self.differences.iter().rev().for_each(&mut go),
            }
            if moments[0] > 0 || moments.iter().any(|moment| *moment > LATEST) {
                return None;
            }
            if !changed {
                return Some(moments);
            }
        }
        None
    }
}

/// A run to a state of one system, in ticks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The values of the clocks 1, 2, ... at the start.
    pub clocks: Vec<i64>,
    /// The moments of the steps, and that of the arrival.
    pub times: Times,
}

/// The earliest times at which a system that starts in a discrete state and makes these steps is
/// where the conjunction `goal` holds; `None` if it is nowhere. With a conjunction for the start
/// its clocks may have any values there, otherwise they have those of the model.
pub fn arrival(
    world: &World<'_>,
    system: NodeId,
    (slots, start): (&[u32], Option<&[Constraint]>),
    path: &[(u32, Step)],
    goal: &[Constraint],
) -> Option<Arrival> {
    let sides = [system; 2];
    let initial = world.initial_values();
    // Where values are to be found, the last resets were at moments of their own, before the start.
    let first = start.map_or(0, |_| initial.len() as u32 + 1);
    let since = match start {
        Some(_) => (1..first).map(|moment| (moment, 0)).collect(),
        None => initial.iter().map(|value| (0, *value)).collect(),
    };
    let before = |moment| Difference { left: moment, right: first, bound: Bound::LE_ZERO, offset: 0 };
    let mut timing = Timing {
        world,
        sides,
        flat: world.is_flat(system),
        slots: slots.to_vec(),
        since,
        differences: (1..first).map(before).collect(),
        steps: first,
    };
    timing.hold(&sides, first);
    start.into_iter().flatten().for_each(|one| timing.constrain(first, one));
    let resets = timing.since.clone();
    path.iter().for_each(|(_, step)| timing.step(Some(step), None));
    let last = timing.steps;
    timing.hold(&sides, last);
    let end = timing.next();
    timing.hold(&sides, end);
    goal.iter().for_each(|one| timing.constrain(end, one));
    let (ticks, moments) = timing.solved(u64::MAX)?;
    let begun = moments[first as usize];
    let value = |(moment, value): &(u32, i32)| begun - moments[*moment as usize] + i64::from(*value) * ticks;
    let clocks = resets.iter().map(value).collect();
    let mut steps: Vec<i64> = moments[first as usize + 1..].iter().map(|moment| moment - begun).collect();
    let end = steps.pop()?;
    Some(Arrival { clocks, times: Times { steps, end, ticks, unit: world.unit } })
}
