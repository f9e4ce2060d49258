//! Options that would mean nothing are refused before anything runs.
//!
//! An option that is given has an effect on a question if every question takes it ([`common::ALWAYS`]), if the row of the
//! question lists it, or if the search does for questions of that kind. With several questions an option is refused only if it
//! has an effect on none of them. A question that the search cannot answer is an error of its own; options of that search are
//! not refused beside it. Two options that contradict each other are refused whatever is asked.
//!
//! [`common::ALWAYS`]: super::common::ALWAYS

use super::common::{ALWAYS, CERTIFICATE, CERTIFY, FASTEST, MAX_DEPTH, SEARCH, SHORTEST};
use super::row::{Lists, OptionRow};
use super::{Options, Preference};
use crate::questions::{QUESTIONS, QuestionRow, Subject};
use crate::searches::auto::PREFERRING;
use crate::searches::strategies::COMPARE;
use crate::searches::walks::{DEPTH, GUIDE, LEVEL};
use crate::searches::{SEARCHES, Search, SearchRow, directed};
use std::fmt;

/// An option as somebody gave it.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    pub row: &'static OptionRow,
    pub text: String,
}

/// An option that is refused, and why: a sentence that says what would fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub option: &'static str,
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`--{}` {}", self.option, self.reason)
    }
}

/// Two options that cannot both hold; of the second only some values, if any are named.
struct Exclusion {
    one: &'static OptionRow,
    other: &'static OptionRow,
    values: &'static [&'static str],
    why: &'static str,
}

const fn excludes(one: &'static OptionRow, other: &'static OptionRow, why: &'static str) -> Exclusion {
    Exclusion { one, other, values: &[], why }
}

/// Guides that begin again from states they keep.
const KEEPING: &[&str] = &["archive", "split", "mutate"];

static EXCLUSIONS: [Exclusion; 7] = [
    excludes(&SHORTEST, &FASTEST, "a run has the fewest steps or takes the least time; leave one of them out"),
    excludes(&MAX_DEPTH, &DEPTH, "it fixes how long walks become; leave one of them out"),
    excludes(
        &SHORTEST,
        &LEVEL,
        "walks that begin again from states they keep end at the first run; leave one of them out",
    ),
    excludes(
        &FASTEST,
        &LEVEL,
        "walks that begin again from states they keep end at the first run; leave one of them out",
    ),
    Exclusion {
        one: &SHORTEST,
        other: &GUIDE,
        values: KEEPING,
        why: "walks that begin again from states they keep end at the first run; `--guide bias` would fit",
    },
    Exclusion {
        one: &FASTEST,
        other: &GUIDE,
        values: KEEPING,
        why: "walks that begin again from states they keep end at the first run; `--guide bias` would fit",
    },
    Exclusion {
        one: &LEVEL,
        other: &GUIDE,
        values: &["bias"],
        why: "a leaning goes by distances of its own; `--guide archive`, `split` or `mutate` would fit",
    },
];

/// What an explicit graph cannot make anything of: it has no clocks, no certificates, and distances that cost nothing.
const NOT_OF_GRAPHS: [&OptionRow; 5] = [&CERTIFY, &CERTIFICATE, &FASTEST, &COMPARE, &directed::CACHE_HEURISTIC];

/// What is wrong with the options that were given, for these questions.
pub fn refusals(given: &[Given], options: &Options, questions: &[&'static QuestionRow]) -> Vec<Refusal> {
    let excluded = EXCLUSIONS.iter().filter_map(|exclusion| exclusion.refusal(given));
    let supported: Vec<&QuestionRow> =
        questions.iter().copied().filter(|question| question.subject != Subject::Unsupported).collect();
    let has_none = |one: &&Given| {
        !supported.is_empty() && !supported.iter().any(|question| has_effect(one.row, options, question))
    };
    let idle = given
        .iter()
        .filter(has_none)
        .map(|one| Refusal { option: one.row.name, reason: without_effect(one.row, options.search, &supported) });
    excluded.chain(idle).collect()
}

impl Exclusion {
    fn refusal(&self, given: &[Given]) -> Option<Refusal> {
        given.iter().find(|one| one.row == self.one)?;
        let other = given.iter().find(|one| one.row == self.other)?;
        if !self.values.is_empty() && !self.values.contains(&other.text.as_str()) {
            return None;
        }
        let value = if self.values.is_empty() { String::new() } else { format!(" {}", other.text) };
        let reason = format!("excludes `--{}{value}`: {}", self.other.name, self.why);
        Some(Refusal { option: self.one.name, reason })
    }
}

/// Whether an option changes anything about how a question is answered.
pub fn has_effect(row: &OptionRow, options: &Options, question: &QuestionRow) -> bool {
    if *row == SEARCH {
        return question.subject.has_searches() || options.search == Search::default();
    }
    if ALWAYS.contains(&row) || lists(question.options, row) {
        return true;
    }
    if !question.subject.has_searches() {
        return false;
    }
    // What a search is told that cannot answer the question is not the mistake.
    if !options.search.suits(question.subject) {
        return options.search.ways.options().any(|list| list.contains(&row));
    }
    let is_alone = options.preference != Preference::Any && options.search.is_portfolio();
    match question.subject {
        Subject::States if is_alone => lists(PREFERRING, row),
        subject => takes(&options.search, row, subject),
    }
}

/// Whether an option may have an effect on a question, by whichever search.
pub fn is_for(row: &OptionRow, question: &QuestionRow) -> bool {
    let mut searches = SEARCHES.iter();
    ALWAYS.contains(&row) || lists(question.options, row) || searches.any(|search| takes(search, row, question.subject))
}

fn lists(lists: Lists, row: &OptionRow) -> bool {
    lists.iter().flat_map(|list| list.iter()).any(|one| *one == row)
}

/// Whether an option means something to a search for such questions.
fn takes(search: &SearchRow, row: &OptionRow, subject: Subject) -> bool {
    match (subject, search.ways.options_for(subject)) {
        (Subject::GraphStates, _) if NOT_OF_GRAPHS.contains(&row) => false,
        // There is one search of a graph.
        (Subject::GraphStates, Some(_)) if search.is_portfolio() => lists(PREFERRING, row),
        (_, options) => options.is_some_and(|options| lists(options, row)),
    }
}

/// Why an option means nothing here, and where it would.
fn without_effect(row: &OptionRow, search: Search, questions: &[&'static QuestionRow]) -> String {
    let asked = names(questions.iter().map(|question| question.name), "and");
    if *row == SEARCH {
        return format!("has no effect on {asked}: there is one way to answer that; leave it out");
    }
    let takers = |subject: Subject| SEARCHES.iter().filter(move |search| takes(search, row, subject));
    let fitting: Vec<&str> = SEARCHES
        .iter()
        .filter(|one| questions.iter().any(|question| takes(one, row, question.subject)))
        .map(|one| one.name)
        .collect();
    if !fitting.is_empty() {
        let fitting = names(fitting.into_iter(), "or");
        return format!("has no effect on {asked} with `--search {search}`; it is for `--search` {fitting}");
    }
    let is_taken = |question: &&&QuestionRow| lists(question.options, row) || takers(question.subject).count() > 0;
    // Queries about graphs look the same.
    let forms = QUESTIONS.iter().filter(|question| question.subject != Subject::GraphStates).filter(is_taken);
    let searches = SEARCHES.iter().filter(|search| search.ways.options().any(|list| list.contains(&row)));
    let by = match names(searches.map(|search| search.name), "or") {
        none if none.is_empty() => none,
        some => format!(", with `--search` {some}"),
    };
    format!("has no effect on {asked}; it is for {}{by}", names(forms.map(|question| question.name), "and"))
}

/// What is said of a question that a search does not suit.
pub fn unsuited(search: Search, question: &QuestionRow) -> String {
    let suited = SEARCHES.iter().filter(|search| search.suits(question.subject)).map(|search| search.name);
    format!("`--search {search}` is not for {}: {} would fit", question.name, names(suited, "or"))
}

/// `a`, `a or b`, `a, b or c`; each name once.
fn names(list: impl Iterator<Item = &'static str>, word: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    list.for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} {word} {last}", others.join(", ")),
    }
}
