//! The table of searches.
//!
//! A row says what a search is called, when to take it, and for each kind of question that it suits how it is made and which
//! options mean something then ([`Way`]). A family of searches is a file with its rows and its options; the list below
//! holds all rows, and nothing else knows their names. Engines look at how a search is made, never at what it is called.

pub mod auto;
pub mod deep_random;
pub mod directed;
pub mod highway;
pub mod orders;
pub mod random;
pub mod strategies;
pub mod walks;

use crate::nearest::nearest;
use crate::options::row::Lists;
use crate::questions::Subject;
use directed::Flavour;
use orders::{Loop, Order};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use strategies::Own;
use walk::strategy::Strategy;

/// All searches, in the order of the help.
pub static SEARCHES: [&SearchRow; 19] = [
    &auto::AUTO,
    &orders::DIVE,
    &orders::RANK,
    &orders::BFS,
    &orders::DFS,
    &orders::RDFS,
    &random::RANDOM,
    &deep_random::DRS,
    &highway::HIGHWAY,
    &highway::HIGHWAY_APPROX,
    &directed::GBFS,
    &directed::ASTAR,
    &directed::UT,
    &directed::UA,
    &walks::SEM,
    &walks::RET,
    &walks::RCF,
    &walks::RLC,
    &walks::RLC_A,
];

/// One row of the table.
pub struct SearchRow {
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// When to take it, in a sentence.
    pub when: &'static str,
    /// Whether it can show that there is nothing.
    pub proves: bool,
    pub ways: Ways,
}

/// How a search answers each kind of question, as far as it does.
pub struct Ways {
    /// Is a state reachable? Of models, and, unless it walks, of explicit graphs.
    pub states: Option<Way<States>>,
    pub infinite_runs: Option<Way<InfiniteRuns>>,
    pub extremes: Option<Way<OrderOf>>,
    /// Refinement: pairs of states of two systems.
    pub pairs: Option<Way<Refinements>>,
    /// Is a state of a timed I/O system reachable?
    pub systems: Option<Way<Symbolic>>,
}

/// How a search is made for a kind of question, and the options that mean something then.
pub struct Way<M> {
    pub make: M,
    pub options: Lists,
}

/// An order of the one loop.
pub type OrderOf = fn(&Loop) -> Order;

/// How states are looked for.
pub enum States {
    /// Several searches side by side; alone, in this order.
    Portfolio(OrderOf),
    Loop(OrderOf),
    /// A loop of its own.
    Own(Own),
    Directed(Flavour),
    Walks(Strategy),
}

/// How infinite runs are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InfiniteRuns {
    /// By strongly connected components, depth first.
    Components,
    /// The same, for the order says nothing about cycles: the user is told.
    ComponentsAllTheSame,
    DeepRandom,
}

/// How refinements are decided: what is looked at are pairs of states.
pub enum Refinements {
    /// The one loop in this order, and walks beside it once that takes a while.
    Both(OrderOf),
    Symbolic(Symbolic),
    Walks(refine::walks::Choice),
}

/// How states of timed I/O systems are looked for, single ones or pairs.
pub enum Symbolic {
    Loop(OrderOf),
    /// A loop of its own.
    Own(Own),
}

impl Symbolic {
    /// The loop of its own, if it has one.
    pub fn own(&self) -> Option<&Own> {
        match self {
            Symbolic::Loop(_) => None,
            Symbolic::Own(own) => Some(own),
        }
    }
}

impl Ways {
    /// To be filled in.
    pub const NONE: Ways = Ways { states: None, infinite_runs: None, extremes: None, pairs: None, systems: None };

    /// Simulations answer every question about states.
    const fn simulating(own: Own, options: Lists) -> Ways {
        Ways {
            states: Some(Way { make: States::Own(own), options }),
            pairs: Some(Way { make: Refinements::Symbolic(Symbolic::Own(own)), options }),
            systems: Some(Way { make: Symbolic::Own(own), options }),
            ..Ways::NONE
        }
    }

    /// The options of all ways; a row may be among them several times.
    pub fn options(&self) -> impl Iterator<Item = &'static [&'static crate::options::row::OptionRow]> + use<> {
        let lists = [
            self.states.as_ref().map(|way| way.options),
            self.infinite_runs.as_ref().map(|way| way.options),
            self.extremes.as_ref().map(|way| way.options),
            self.pairs.as_ref().map(|way| way.options),
            self.systems.as_ref().map(|way| way.options),
        ];
        lists.into_iter().flatten().flatten().copied()
    }

    /// The options that mean something for a kind of question; `None` if the search does not suit it.
    pub fn options_for(&self, subject: Subject) -> Option<Lists> {
        match subject {
            Subject::States => self.states.as_ref().map(|way| way.options),
            Subject::GraphStates => {
                self.states.as_ref().filter(|way| !matches!(way.make, States::Walks(_))).map(|way| way.options)
            }
            Subject::InfiniteRuns => self.infinite_runs.as_ref().map(|way| way.options),
            Subject::Extremes => self.extremes.as_ref().map(|way| way.options),
            Subject::Pairs => self.pairs.as_ref().map(|way| way.options),
            Subject::SystemStates => self.systems.as_ref().map(|way| way.options),
            Subject::Samples | Subject::System | Subject::Unsupported => None,
        }
    }
}

impl SearchRow {
    /// Whether it answers questions of a kind.
    pub fn suits(&self, subject: Subject) -> bool {
        self.ways.options_for(subject).is_some()
    }

    /// How it walks, if it does.
    pub fn walking(&self) -> Option<Strategy> {
        match self.ways.states.as_ref().map(|way| &way.make) {
            Some(States::Walks(strategy)) => Some(*strategy),
            _ => None,
        }
    }

    /// Whether it is several searches side by side.
    pub fn is_portfolio(&self) -> bool {
        matches!(self.ways.states, Some(Way { make: States::Portfolio(_), .. }))
    }
}

/// A search of the table.
#[derive(Clone, Copy)]
pub struct Search(&'static SearchRow);

impl Search {
    pub fn named(name: &str) -> Option<Search> {
        SEARCHES.iter().find(|row| row.name == name).map(|row| Search(row))
    }

    /// What the table says about it.
    pub fn row(self) -> &'static SearchRow {
        self.0
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Search> {
        SEARCHES.iter().map(|row| Search(row))
    }
}

impl From<&'static SearchRow> for Search {
    fn from(row: &'static SearchRow) -> Search {
        Search(row)
    }
}

impl FromStr for Search {
    type Err = String;

    /// The error has the nearest known name.
    fn from_str(name: &str) -> Result<Search, String> {
        let names: Vec<&'static str> = SEARCHES.iter().map(|row| row.name).collect();
        let near = || nearest(name, &names).map_or(String::new(), |near| format!("; is `{near}` meant?"));
        Search::named(name).ok_or_else(|| format!("there is no search `{name}`{}", near()))
    }
}

impl Default for Search {
    fn default() -> Search {
        Search(&auto::AUTO)
    }
}

impl Deref for Search {
    type Target = SearchRow;

    fn deref(&self) -> &SearchRow {
        self.0
    }
}

impl PartialEq for Search {
    fn eq(&self, other: &Search) -> bool {
        self.name == other.name
    }
}

impl Eq for Search {}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::{SEARCHES, Search};

    #[test]
    fn searches_have_names_of_their_own_and_say_when_to_take_them() {
        for row in SEARCHES {
            assert_eq!(Search::named(row.name).map(|search| search.name), Some(row.name));
            assert!(!row.help.ends_with('.') && row.when.ends_with('.'), "{}", row.name);
            assert_eq!(SEARCHES.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
        }
    }

    #[test]
    fn an_unknown_search_is_an_error_with_the_nearest_name() {
        assert_eq!("rdfs".parse::<Search>().map(|search| search.name), Ok("rdfs"));
        for (name, near) in [("bsf", "`bfs`"), ("higway", "`highway`"), ("rlca", "`rlc")] {
            let error = name.parse::<Search>().expect_err(name);
            assert!(error.contains(name) && error.contains(near), "{error}");
        }
        let error = "uppaal".parse::<Search>().expect_err("no search");
        assert_eq!(error, "there is no search `uppaal`");
    }
}
