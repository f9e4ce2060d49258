//! Random walks over concrete states ([`walk`]): the published strategies, and what they have in common.

use super::{Refinements, SearchRow, States, Way, Ways};
use crate::options::common::{MAX_DEPTH, PREFERENCE};
use crate::options::row::{Choices, Group, Lists, OptionRow, Rows, Value};
use refine::walks::Choice;
use walk::delay::DelayChoice;
use walk::depth::Depth;
use walk::guide::Guide;
use walk::strategy::Strategy;

pub static SEM: SearchRow = SearchRow {
    name: "sem",
    help: "Random walks: a delay first, then a transition that is possible then; of refinements, the stochastic semantics",
    when: "Take it to compare with the papers.",
    proves: false,
    ways: Ways {
        pairs: Some(Way { make: Refinements::Walks(Choice::Race), options: &[&[&MAX_DEPTH, &WALKS, &DEPTH]] }),
        ..walking(Strategy::Sem)
    },
};

pub static RET: SearchRow = SearchRow {
    name: "ret",
    help: "Random walks: any transition that is possible now or later, each alike",
    when: "Take it where the states are too many for memory.",
    proves: false,
    ways: Ways {
        pairs: Some(Way { make: Refinements::Walks(Choice::Transition), options: &[PAIR_MANNER] }),
        ..walking(Strategy::Ret)
    },
};

pub static RCF: SearchRow = SearchRow {
    name: "rcf",
    help: "Random walks: a channel first",
    when: "Take it where channels have very different numbers of partners, and for refinements.",
    proves: false,
    ways: Ways {
        pairs: Some(Way { make: Refinements::Walks(Choice::Channel), options: &[PAIR_MANNER] }),
        ..walking(Strategy::Rcf)
    },
};

pub static RLC: SearchRow = SearchRow {
    name: "rlc",
    help: "Random walks: what this walk took least often",
    when: "Take it where walks go round in circles.",
    proves: false,
    ways: walking(Strategy::Rlc),
};

pub static RLC_A: SearchRow = SearchRow {
    name: "rlc-a",
    help: "Random walks: what all walks took least often",
    when: "Take it where walks come to the same states again and again.",
    proves: false,
    ways: walking(Strategy::RlcA),
};

/// Walks find states.
const fn walking(strategy: Strategy) -> Ways {
    Ways { states: Some(Way { make: States::Walks(strategy), options: OF_WALKS }), ..Ways::NONE }
}

const OF_WALKS: Lists = &[&[&MAX_DEPTH], PREFERENCE, MANNER, GUIDANCE];

/// A row about random walks.
const fn row(
    name: &'static str,
    value: Value,
    word: &'static str,
    default: Option<&'static str>,
    help: &'static str,
) -> OptionRow {
    OptionRow { name, value, word, default, group: Group::Walks, is_common: false, help }
}

/// When walks act.
pub static DELAYS: Choices<DelayChoice> = Choices {
    named: &[
        ("uniform", DelayChoice::Uniform),
        ("predefined", DelayChoice::Predefined),
        ("changing", DelayChoice::Changing),
        ("habits", DelayChoice::Habits),
        ("mixed", DelayChoice::Mixed),
    ],
    set: |options, delays| options.delays = delays,
};

pub static DELAY: OptionRow = row(
    "delay",
    Value::Choice(&DELAYS),
    "NAME",
    Some("changing"),
    "When a walk takes a step: any moment, the ends of its window 40 % each, eleven mixtures in turn, every process always \
     early or always late for a while, or that in every second walk (in place of the default in `auto` where clocks can stop)",
);

/// How walks become longer.
pub static DEPTHS: Choices<Depth> = Choices {
    named: &[("doubling", Depth::DOUBLING), ("luby", Depth::Luby { unit: 16 })],
    set: |options, depth| options.depth = depth,
};

pub static DEPTH: OptionRow = row(
    "depth",
    Value::Choice(&DEPTHS),
    "NAME",
    Some("doubling"),
    "How long walks may become, where --max-depth does not say",
);

pub static WALKS: OptionRow = row(
    "walks",
    Value::Integer { least: 1, most: u64::MAX, set: |options, walks| options.walks = Some(walks) },
    "N",
    None,
    "Stop a query after this many walks; drs: walks from the initial state before others [default: 1]",
);

/// What walks remember.
pub static GUIDES: Choices<Guide> = Choices {
    named: &[
        ("none", Guide::None),
        ("bias", Guide::Bias),
        ("archive", Guide::Archive),
        ("split", Guide::Split),
        ("mutate", Guide::Mutate),
    ],
    set: |options, guide| options.guide = guide,
};

pub static GUIDE: OptionRow = row(
    "guide",
    Value::Choice(&GUIDES),
    "NAME",
    Some("none"),
    "What walks remember: a leaning towards the goal, an archive of states, the best states of each generation, a good walk \
     to change",
);

pub static LEVEL: OptionRow = row(
    "level",
    Value::Expression,
    "EXPR",
    None,
    "An integer expression that is greater where the goal is nearer, for --guide archive, split (then the default) and mutate",
);

/// How walks are made.
pub const MANNER: Rows = &[&WALKS, &DELAY, &DEPTH];
pub const GUIDANCE: Rows = &[&GUIDE, &LEVEL];
pub const PAIR_MANNER: Rows = &[&MAX_DEPTH, &WALKS, &DELAY, &DEPTH];

/// What walks went by, if by anything.
pub fn guide_name(guide: Guide) -> Option<&'static str> {
    GUIDES.name(guide).filter(|_| guide != Guide::None)
}
