//! `highway` and `highway-approx`: breadth first with few states of each level ([`search::highway`]).

use super::strategies::{COMPARE, Of, Own, RESTARTS, Setting, for_every_system, not_met};
use super::{SearchRow, Ways};
use crate::options::common::EXTENT;
use crate::options::row::{Group, Lists, OptionRow, Value};
use search::goal::Goal;
use search::highway::Highway;
use search::lanes::Selection;
use search::system::Covering;
use std::num::NonZeroUsize;

pub static HIGHWAY: SearchRow = SearchRow {
    name: "highway",
    help: "Breadth first with a random few states of each level, drawn uniformly; proves nothing",
    when: "Take it for short runs in graphs that are too wide for bfs.",
    proves: false,
    ways: Ways::simulating(IDEAL, LANES),
};

pub static HIGHWAY_APPROX: SearchRow = SearchRow {
    name: "highway-approx",
    help: "As highway, drawn as the paper approximates it",
    when: "Take it to compare with the paper.",
    proves: false,
    ways: Ways::simulating(APPROXIMATE, LANES),
};

pub static WIDTH: OptionRow = OptionRow {
    name: "width",
    value: Value::Integer {
        least: 1,
        most: u32::MAX as u64,
        set: |options, width| {
            let width = usize::try_from(width).ok().and_then(NonZeroUsize::new);
            width.into_iter().for_each(|width| options.strategies.width = width);
        },
    },
    word: "N",
    default: Some("32"),
    group: Group::Strategies,
    is_common: false,
    help: "Highway: how many states of each level are kept",
};

const IDEAL: Own = for_every_system!(ideal, simulates: true, nothing: not_met);
const APPROXIMATE: Own = for_every_system!(approximate, simulates: true, nothing: not_met);
const LANES: Lists = &[EXTENT, &[&WIDTH, &RESTARTS, &COMPARE]];

fn ideal<'a, T: Covering<State: Clone>, G: Goal<T> + 'a>(system: &'a T, goal: G, setting: Setting) -> Of<'a, T> {
    make(system, goal, Selection::Ideal, setting)
}

fn approximate<'a, T: Covering<State: Clone>, G: Goal<T> + 'a>(system: &'a T, goal: G, setting: Setting) -> Of<'a, T> {
    make(system, goal, Selection::Approximate, setting)
}

fn make<'a, T: Covering<State: Clone>, G: Goal<T> + 'a>(
    system: &'a T,
    goal: G,
    selection: Selection,
    setting: Setting,
) -> Of<'a, T> {
    let (simulations, limits) = setting.simulations();
    let (width, seed) = (setting.options.strategies.width, setting.options.seed);
    let search = Highway::new(system, goal, selection, width, seed).simulating(simulations);
    Box::new(search.limited(limits, setting.cancel))
}
