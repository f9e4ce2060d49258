//! The options of a run: the table of them, and the settings that they make.
//!
//! A row stands in the file of what it belongs to: those of a family of searches beside that family in [`crate::searches`],
//! those of every run and those about evidence in [`common`], those of statistics in [`statistics`], those of timed I/O
//! systems in [`systems`]. The table is what the searches and the questions refer to ([`all`]), so there is no list of
//! options to keep. What an option has no effect on is refused before anything runs ([`effect`]).

pub mod common;
pub mod effect;
pub mod row;
pub mod statistics;
pub mod systems;

use crate::questions::QUESTIONS;
use crate::searches::directed::DirectedOptions;
use crate::searches::strategies::StrategyOptions;
use crate::searches::{SEARCHES, Search};
use heuristics::network::Kind;
use model::network::ExprId;
use row::{Choose, OptionRow};
use statistics::StatisticalOptions;
use std::time::Duration;
use walk::delay::DelayChoice;
use walk::depth::Depth;
use walk::guide::Guide;

/// The options of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    pub search: Search,
    /// What a directed search goes by; by default what suits it.
    pub heuristic: Option<Kind>,
    pub directed: DirectedOptions,
    pub seed: u64,
    pub threads: Option<usize>,
    pub time_limit: Option<Duration>,
    pub memory_limit: Option<u64>,
    pub max_depth: Option<u64>,
    pub delays: DelayChoice,
    pub depth: Depth,
    pub guide: Guide,
    /// What tells guided walks how near the goal is; an expression of the model's network.
    pub level: Option<ExprId>,
    /// How many random walks there may be.
    pub walks: Option<u64>,
    pub strategies: StrategyOptions,
    pub preference: Preference,
    pub statistics: StatisticalOptions,
    pub certify: bool,
    /// Keep the certificate in the answer.
    pub keep_certificate: bool,
    pub trace: TraceForm,
}

/// Which run to look for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Preference {
    #[default]
    Any,
    Shortest,
    Fastest,
}

/// How a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TraceForm {
    #[default]
    Text,
    Json,
    None,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            search: Search::default(),
            heuristic: None,
            directed: DirectedOptions::default(),
            seed: 1,
            threads: None,
            time_limit: None,
            memory_limit: None,
            max_depth: None,
            delays: DelayChoice::default(),
            depth: Depth::default(),
            guide: Guide::default(),
            level: None,
            walks: None,
            strategies: StrategyOptions::default(),
            preference: Preference::Any,
            statistics: StatisticalOptions::default(),
            certify: false,
            keep_certificate: false,
            trace: TraceForm::Text,
        }
    }
}

/// All rows, each once: those of every run, those of searches, those of questions, group by group.
pub fn all() -> Vec<&'static OptionRow> {
    let of_searches = SEARCHES.iter().flat_map(|search| search.ways.options());
    let of_questions = QUESTIONS.iter().flat_map(|question| question.options.iter().copied());
    let mut rows: Vec<&'static OptionRow> = Vec::new();
    for row in common::ALWAYS.iter().copied().chain(of_searches.chain(of_questions).flatten().copied()) {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| row.group);
    rows
}

/// The row of a name.
pub fn named(name: &str) -> Option<&'static OptionRow> {
    all().into_iter().find(|row| row.name == name)
}

/// The searches, to choose one.
pub(crate) struct SearchChoice;

impl Choose for SearchChoice {
    fn names(&self) -> Vec<&'static str> {
        SEARCHES.iter().map(|search| search.name).collect()
    }

    fn choose(&self, options: &mut Options, name: &str) -> bool {
        let search = Search::named(name);
        search.into_iter().for_each(|search| options.search = search);
        search.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, all, named};

    /// The help says what holds when an option is not given.
    #[test]
    fn defaults_are_what_the_rows_say() {
        for row in all() {
            let Some(default) = row.default else { continue };
            let mut options = Options::default();
            row.set(&mut options, default).unwrap_or_else(|error| panic!("--{}: {error}", row.name));
            assert_eq!(options, Options::default(), "--{} {default}", row.name);
        }
    }

    #[test]
    fn rows_have_names_of_their_own_and_say_what_their_values_are() {
        for row in all() {
            assert_eq!(named(row.name), Some(row));
            assert_eq!(row.word.is_empty(), row.is_switch(), "--{}", row.name);
            assert!(row.help.len() > 10 && !row.help.ends_with('.'), "--{}: {}", row.name, row.help);
        }
    }

    #[test]
    fn what_is_no_value_is_refused_with_what_would_fit() {
        let wrong = [
            ("search", "bsf", "is `bfs` meant?"),
            ("heuristic", "h2", "one of null, dL, dU, hL, hU; is `hL` meant?"),
            ("width", "0", "a number from 1 to 4294967295"),
            ("exploration", "1", "from 0 up to, but not including, 1"),
            ("time-limit", "soon", "500ms"),
            ("memory-limit", "much", "500M"),
            ("alpha", "1", "between 0 and 1"),
            ("u0", "0", "greater than 0"),
        ];
        for (name, text, fits) in wrong {
            let said = named(name).expect("a row").set(&mut Options::default(), text).expect_err(name);
            assert!(said.contains(fits) && said.contains(text), "--{name} {text}: {said}");
        }
    }
}
