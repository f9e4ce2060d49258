//! Questions to the engine about one model.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};
use model::load::{Loaded, Model, query_text};
use model::source::Sources;
use std::collections::BTreeMap;

pub struct Asked {
    model: Model,
    sources: Sources,
    /// Shown when something fails.
    pub text: String,
    known: BTreeMap<String, Option<bool>>,
    pub queries: usize,
}

impl Asked {
    pub fn new(loaded: Loaded, text: &str) -> Asked {
        let messages: Vec<String> = loaded.diagnostics.iter().map(|one| one.message.clone()).collect();
        let model = loaded.model.unwrap_or_else(|| panic!("{messages:?}\n{text}"));
        Asked { model, sources: loaded.sources, text: text.to_owned(), known: BTreeMap::new(), queries: 0 }
    }

    pub fn answer(&mut self, query: &str, options: &Options) -> Answer {
        let queries = [self.model.query(&query_text(&mut self.sources, "query", query))];
        self.queries += 1;
        let mut answers = check("systems", &self.sources, &queries, options, &mut Watch::none(), &mut |_| {}).results;
        let answer = answers.remove(0);
        assert!(!answer.internal, "{query}: {:?}\n{}", answer.reason, self.text);
        answer
    }

    /// Whether a refinement holds; `None` if a precondition of it fails, or the operands do not fit.
    pub fn refines(&mut self, left: &str, right: &str) -> Option<bool> {
        let query = format!("refinement: {left} <= {right}");
        if let Some(known) = self.known.get(&query) {
            return *known;
        }
        let answer = self.answer(&query, &Options { search: "bfs".parse().expect("a search"), ..Options::default() });
        let verdict = match (answer.verdict, answer.failure) {
            (Verdict::Satisfied, _) => Some(true),
            (Verdict::Violated, Some("output" | "input" | "delay")) => {
                assert!(answer.refinement.is_some(), "{query}: no counter-example\n{}", self.text);
                Some(false)
            }
            (Verdict::Violated, _) | (Verdict::Error, _) => None,
            other => panic!("{query}: {other:?} {:?}\n{}", answer.reason, self.text),
        };
        self.known.insert(query, verdict);
        verdict
    }

    /// The same where it does not hold if the right side has no implementation: then it has none that the left one could be.
    pub fn implements(&mut self, left: &str, right: &str) -> Option<bool> {
        let holds = self.refines(left, right);
        holds.or_else(|| (!self.is_inconsistent(left) && self.is_inconsistent(right)).then_some(false))
    }

    /// Whether a system is inconsistent although its components are consistent.
    pub fn is_inconsistent(&mut self, system: &str) -> bool {
        let answer = self.answer(&format!("consistency: {system}"), &Options::default());
        answer.failure == Some("inconsistent")
    }

    /// Whether walks find a violation.
    pub fn walks_find(&mut self, left: &str, right: &str, options: &Options) -> bool {
        let query = format!("refinement: {left} <= {right}");
        let answer = self.answer(&query, options);
        assert!(matches!(answer.verdict, Verdict::Violated | Verdict::Unknown), "{query}: {:?}", answer.reason);
        answer.verdict == Verdict::Violated
    }

    /// Whether a refinement holds, by another order of the search; `None`: by one that proves nothing, nothing was found.
    pub fn refines_by(&mut self, left: &str, right: &str, search: &str, seed: u64) -> Option<bool> {
        let query = format!("refinement: {left} <= {right}");
        let answer =
            self.answer(&query, &Options { search: search.parse().expect("a search"), seed, ..Options::default() });
        assert_eq!(answer.search.as_deref(), Some(search), "{query}");
        match answer.verdict {
            Verdict::Satisfied => Some(true),
            Verdict::Violated => Some(false),
            Verdict::Unknown => None,
            Verdict::Error => panic!("{query} by {search}: {:?}\n{}", answer.reason, self.text),
        }
    }

    /// Whether a refinement holds when zones are compared by inclusion: the proof is then a relation that the checker accepts.
    pub fn has_relation(&mut self, left: &str, right: &str) -> bool {
        let query = format!("refinement: {left} <= {right}");
        let answer = self
            .answer(&query, &Options { search: "dfs".parse().expect("a search"), certify: true, ..Options::default() });
        if answer.verdict == Verdict::Satisfied {
            assert_eq!(answer.evidence, Evidence::Certificate, "{query}: {:?}\n{}", answer.reason, self.text);
        }
        answer.verdict == Verdict::Satisfied
    }
}
