//! What kind of question a query is, by how it begins: for queries that may be damaged, or whose model is not read.

use engine::options::effect::{Given, refusals};
use engine::options::{self, Options};
use engine::questions::{QuestionRow, extremes, graphs, infinite_runs, samples, states, systems};
use engine::searches::{SEARCHES, Search};

/// How queries begin. Longer beginnings come before those that they begin with.
const BEGINNINGS: [(&str, &QuestionRow); 18] = [
    ("E[<", &samples::EXPECTED),
    ("E[#", &samples::EXPECTED),
    ("Pr", &samples::PROBABILITY),
    ("simulate", &samples::SIMULATE),
    ("E<>", &states::EXISTS_EVENTUALLY),
    ("A[]", &states::ALWAYS_GLOBALLY),
    ("sup", &extremes::SUP),
    ("inf", &extremes::INF),
    ("bounds", &extremes::BOUNDS),
    ("refinement:", &systems::REFINEMENT),
    ("consistency:", &systems::CONSISTENCY),
    ("determinism:", &systems::DETERMINISM),
    ("specification:", &systems::SPECIFICATION),
    ("implementation:", &systems::IMPLEMENTATION),
    ("prune:", &systems::PRUNE),
    ("get-component:", &systems::GET_COMPONENT),
    ("reachability:", &systems::REACHABILITY),
    ("buchi:", &infinite_runs::BUCHI),
];

/// The row of a query about a model or a graph of this name. What begins like nothing else is about infinite runs.
pub fn of(model: &str, query: &str) -> &'static QuestionRow {
    if model.ends_with(".aut") {
        return &graphs::GRAPH;
    }
    let query = query.trim_start();
    let row = BEGINNINGS.iter().find(|(beginning, _)| query.starts_with(beginning)).map(|(_, row)| *row);
    row.unwrap_or(&infinite_runs::LEADS_TO)
}

/// The searches that answer a question and take these options, of the form `--name value`.
pub fn searches(question: &'static QuestionRow, words: &[&str]) -> Vec<Search> {
    let given = given(words);
    let takes = |search: &Search| {
        let mut chosen = Options { search: *search, ..Options::default() };
        given.iter().for_each(|one| drop(one.row.set(&mut chosen, &one.text)));
        refusals(&given, &chosen, &[question]).is_empty()
    };
    let suits = |search: &Search| match question.subject.has_searches() {
        true => search.suits(question.subject),
        false => *search == Search::default(),
    };
    SEARCHES.iter().map(|row| Search::from(*row)).filter(suits).filter(takes).collect()
}

fn given(words: &[&str]) -> Vec<Given> {
    let mut given = Vec::new();
    let mut words = words.iter();
    while let Some(row) = words.next().and_then(|word| options::named(word.strip_prefix("--")?)) {
        let text = if row.is_switch() { String::new() } else { words.next().map_or("", |word| word).to_owned() };
        given.push(Given { row, text });
    }
    given
}

#[cfg(test)]
mod tests {
    use super::{of, searches};
    use engine::questions::QUESTIONS;

    #[test]
    fn forms_are_told_by_their_beginnings() {
        for row in QUESTIONS {
            let known = of(if row.form.contains("label") { "g.aut" } else { "m.xta" }, row.form);
            assert_eq!(known.subject, row.subject, "{}", row.form);
        }
    }

    #[test]
    fn options_leave_the_searches_that_take_them() {
        let names = |query, words: &[&str]| -> Vec<String> {
            searches(of("m.xta", query), words).iter().map(ToString::to_string).collect()
        };
        assert_eq!(names("E<> p", &["--heuristic", "hL", "--preferred"]), ["gbfs", "astar", "ut", "ua"]);
        assert_eq!(names("refinement: A <= B", &["--certify"]), ["auto", "dive", "rank", "bfs", "dfs", "rdfs", "drs"]);
        assert_eq!(names("Pr[<=9](<> p)", &["--epsilon", "0.1"]), ["auto"]);
    }
}
