//! Random walks over pairs of concrete states: violations found without storing anything.
//!
//! Kiviriga, Larsen and Nyman, "Randomized refinement checking of timed I/O automata" (SETTA 2020).
//! A walk holds one pair. In every pair the delay rule is a comparison of the longest delays of
//! both sides, with strictness. Then a step of the left side is drawn among those that are possible
//! now or after a delay, a delay within its window, and the right side has to follow.
//!
//! - `ret`: every step alike. `rcf`: first an action, every action with a step alike, then one of
//!   its steps. Actions that no component offers where it is are left out beforehand, which does
//!   not change the distribution.
//! - `sem`: the stochastic semantics, see `sampling.rs`.
//! - Added to the paper: inputs that only the right side knows, and outputs that only the left side
//!   knows. A walk that has nothing left to find starts again (`prospects.rs`). In every second
//!   cycle of walks late steps give way (`pair_steps.rs`).
//!
//! Time is counted in ticks of 2^-20 of a unit. How a step is made is in `pair_walk.rs`; nothing
//! but the current pair is kept. A seed and the number of a walk give the walk: a violation is
//! walked again to be written down, and the walk with the smallest number wins, whatever the number
//! of threads. What is written down are its actions and what they demand of their moments, so that
//! the same run is shown with the earliest times (`run.rs`).

use crate::pair_walk::{Next, Record, Recorder, Walk};
use crate::refinement::Broken;
use crate::run::{Times, Timing};
use crate::walk_plan::Plan;
use crate::world::{NodeId, World};
use search::random::Random;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use walk::delay::DelayChoice;
use walk::depth::Depth;

pub(crate) const TICKS: i64 = 1 << 20;
/// Beyond every moment of a walk.
pub(crate) const NEVER: i64 = i64::MAX / 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Random enabled transition.
    Transition,
    /// Random channel first.
    Channel,
    /// The race of the stochastic semantics; not for quotients.
    Race,
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

/// How much is done for the earliest times of a violation.
const RETIMING: u64 = 1 << 28;

/// A violation that a walk found.
#[derive(Debug)]
pub struct Finding {
    /// One per step.
    pub actions: Vec<u32>,
    pub broken: Broken,
    /// The earliest times at which the same steps break the rule, unless finding them takes too
    /// long.
    pub earliest: Option<Times>,
    /// The times of the walk.
    pub walked: Times,
}

#[derive(Debug)]
pub enum Walked {
    Violated(Box<Finding>),
    /// An evaluation of a component fails: leaf and error.
    Failed(u32, u32),
    /// Nothing was found.
    Nothing,
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
    let timing = Timing::new(world, left, right);
    let mut record = Some(Recorder { timing, actions: Vec::new(), moments: Vec::new() });
    let (_, end) = one(&mut Walk::new(&plan), settings, best, &|| false, &mut record);
    let Some(Recorder { timing, actions, moments }) = record else { return Walked::Nothing };
    match end {
        Next::Violated(mut broken, end) => {
            if let Broken::Output { action, left, place } = &mut broken {
                *place = timing.place(*action, left, &moments, end, TICKS);
            }
            let earliest = timing.times(&broken, RETIMING);
            let walked = Times { steps: moments, end, ticks: TICKS, unit: world.unit };
            Walked::Violated(Box::new(Finding { actions, broken, earliest, walked }))
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
    record: &mut Record<'_, '_>,
) -> (u64, Next) {
    let mut random = Random::of_run(settings.seed, number);
    let mut delays = settings.delays.begin(number);
    let depth = settings.depth.of_walk(number);
    walk.restart();
    walk.yields = settings.delays.gives_way(number);
    for made in 0..depth {
        // Clocks are differences of moments; a walk that comes near the end of time starts again.
        if walk.now > NEVER / 2 || made % 256 == 255 && is_over() {
            return (made, Next::Dead);
        }
        let next = match settings.choice {
            Choice::Race => walk.race(&mut random, record),
            choice => walk.step(choice, &mut delays, &mut random, record),
        };
        match next {
            Next::Stepped => {}
            end => return (made, end),
        }
    }
    (depth, Next::Stepped)
}
