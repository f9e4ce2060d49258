//! `random`: random simulations, the baseline of the papers ([`search::random_simulation`]).

use super::strategies::{Of, RESTARTS, Setting, for_every_system, not_met};
use super::{SearchRow, States, Way, Ways};
use crate::options::common::EXTENT;
use search::goal::Goal;
use search::random_simulation::RandomSimulation;
use search::system::Covering;

pub static RANDOM: SearchRow = SearchRow {
    name: "random",
    help: "One random simulation after the other: the baseline, which proves nothing",
    when: "Take it to compare with.",
    proves: false,
    ways: Ways {
        states: Some(Way {
            make: States::Own(for_every_system!(make, simulates: true, nothing: not_met)),
            options: &[EXTENT, &[&RESTARTS]],
        }),
        ..Ways::NONE
    },
};

fn make<'a, T: Covering<State: Clone>, G: Goal<T> + 'a>(system: &'a T, goal: G, setting: Setting) -> Of<'a, T> {
    let (simulations, limits) = setting.simulations();
    let search = RandomSimulation::new(system, goal, setting.options.seed).simulating(simulations);
    Box::new(search.limited(limits, setting.cancel))
}
