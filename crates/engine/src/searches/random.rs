//! `random`: random simulations, the baseline of the papers ([`search::random_simulation`]).

use super::strategies::{Of, Own, RESTARTS, Setting, for_every_system, not_met};
use super::{SearchRow, Ways};
use crate::options::common::EXTENT;
use crate::options::row::Lists;
use search::goal::Goal;
use search::random_simulation::RandomSimulation;
use search::system::Covering;

pub static RANDOM: SearchRow = SearchRow {
    name: "random",
    help: "One random simulation after the other: the baseline, which proves nothing",
    when: "Take it to compare with.",
    proves: false,
    ways: Ways::simulating(OWN, OPTIONS),
};

const OWN: Own = for_every_system!(make, simulates: true, nothing: not_met);
const OPTIONS: Lists = &[EXTENT, &[&RESTARTS]];

fn make<'a, T: Covering<State: Clone>, G: Goal<T> + 'a>(system: &'a T, goal: G, setting: Setting) -> Of<'a, T> {
    let (simulations, limits) = setting.simulations();
    let search = RandomSimulation::new(system, goal, setting.options.seed).simulating(simulations);
    Box::new(search.limited(limits, setting.cancel))
}
