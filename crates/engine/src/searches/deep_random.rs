//! `drs`: deep random search ([`search::deep_random`]), also for infinite runs ([`search::deep_lassos`]).

use super::strategies::{COMPARE, Of, Own, Setting, StrategyOptions, for_every_system};
use super::walks::WALKS;
use super::{InfiniteRuns, Refinements, SearchRow, States, Symbolic, Way, Ways};
use crate::options::Options;
use crate::options::common::{EXTENT, PROOF};
use crate::options::row::{Choices, Group, OptionRow, Rows, Value};
use search::deep_random::{DeepRandom, Fringe, Settings};
use search::goal::Goal;
use search::statistics::Statistics;
use search::system::Covering;
use std::num::NonZeroU32;

pub static DRS: SearchRow = SearchRow {
    name: "drs",
    help: "Deep random search: random walks to states that were never seen; sees every state in the end, so it proves, too",
    when: "Take it where errors lie deep, or where infinite runs do.",
    proves: true,
    ways: Ways {
        states: Some(Way { make: States::Own(OWN), options: &[EXTENT, PROOF, DEEP, &[&COMPARE]] }),
        infinite_runs: Some(Way { make: InfiniteRuns::DeepRandom, options: &[EXTENT, DEEP] }),
        pairs: Some(Way {
            make: Refinements::Symbolic(Symbolic::Own(OWN)),
            options: &[EXTENT, PROOF, DEEP, &[&COMPARE]],
        }),
        systems: Some(Way { make: Symbolic::Own(OWN), options: &[EXTENT, DEEP, &[&COMPARE]] }),
        ..Ways::NONE
    },
};

const OWN: Own = for_every_system!(make, simulates: false, nothing: nothing);

/// A row about deep random search.
const fn row(
    name: &'static str,
    value: Value,
    word: &'static str,
    default: Option<&'static str>,
    help: &'static str,
) -> OptionRow {
    OptionRow { name, value, word, default, group: Group::Strategies, is_common: false, help }
}

pub static CUTOFF: OptionRow = row(
    "cutoff",
    Value::Integer {
        least: 0,
        most: u32::MAX as u64,
        set: |options, depth| options.strategies.cutoff = u32::try_from(depth).ok(),
    },
    "N",
    None,
    "Drs: look no deeper than this many steps",
);

pub static INCREMENT: OptionRow = row(
    "increment",
    Value::Integer {
        least: 1,
        most: u32::MAX as u64,
        set: |options, depth| options.strategies.increment = u32::try_from(depth).ok().and_then(NonZeroU32::new),
    },
    "N",
    None,
    "Drs: first look this deep, then deeper by as much again; 1 finds the shortest runs [default: no steps]",
);

/// What waits.
pub static FRINGES: Choices<Fringe> = Choices {
    named: &[("nodes", Fringe::Nodes), ("children", Fringe::Children)],
    set: |options, fringe| options.strategies.fringe = fringe,
};

pub static FRINGE: OptionRow = row(
    "fringe",
    Value::Choice(&FRINGES),
    "NAME",
    Some("nodes"),
    "Drs: what waits, states with successors that were not taken or these successors",
);

const DEEP: Rows = &[&WALKS, &CUTOFF, &INCREMENT, &FRINGE];

fn make<'a, T: Covering<State: Clone>, G: Goal<T> + 'a>(system: &'a T, goal: G, setting: Setting) -> Of<'a, T> {
    let search = DeepRandom::new(system, goal, settings(setting.options), setting.options.seed);
    Box::new(search.limited(setting.limits, setting.cancel))
}

/// The parameters of deep random search.
pub fn settings(options: &Options) -> Settings {
    let depth = options.max_depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
    let StrategyOptions { cutoff, increment, fringe, .. } = options.strategies;
    let cutoff = [cutoff, depth].into_iter().flatten().min();
    Settings { walks: options.walks.unwrap_or(1), cutoff, increment, fringe }
}

fn nothing(options: &Options, _: &Statistics) -> String {
    match settings(options).cutoff {
        Some(depth) => format!("there is none up to depth {depth}, and more states lie deeper"),
        None => "the search was cut off".to_owned(),
    }
}
