//! Models that are made to break limits: a table of them, and generators by kind.
//!
//! Every generator takes one number, the size. What a size makes large is told in the table's third column; the sizes are such
//! that the work is far beyond one second or 200 MB, or that nearly all of the time goes into a part without steps of its own.

mod broadcasts;
mod functions;
mod graphs;
mod questions;
mod sizes;
mod zones;

/// One model that is to be kept within limits.
pub struct Row {
    pub name: &'static str,
    /// Makes the text of the model.
    pub generate: fn(u32) -> String,
    pub size: u32,
    /// The ending of the model's file, which says how it is read.
    pub ending: &'static str,
    /// The model is too large to be read, which has to be said in time as well.
    pub is_refused: bool,
    /// What is asked, each in a command of its own.
    pub asks: &'static [Ask],
}

/// A query, and options that go with it.
pub struct Ask {
    pub query: &'static str,
    pub options: &'static [&'static str],
}

/// A query without options.
const fn ask(query: &'static str) -> Ask {
    Ask { query, options: &[] }
}

/// A query with options.
const fn with(query: &'static str, options: &'static [&'static str]) -> Ask {
    Ask { query, options }
}

const fn row(name: &'static str, generate: fn(u32) -> String, size: u32, asks: &'static [Ask]) -> Row {
    Row { name, generate, size, ending: "xta", is_refused: false, asks }
}

/// A model that is too large to be read.
const fn refused(name: &'static str, generate: fn(u32) -> String, size: u32, asks: &'static [Ask]) -> Row {
    Row { name, generate, size, ending: "xta", is_refused: true, asks }
}

/// All models, kind by kind.
pub fn all() -> impl Iterator<Item = &'static Row> {
    [broadcasts::ROWS, sizes::ROWS, functions::ROWS, zones::ROWS, questions::ROWS, graphs::ROWS].into_iter().flatten()
}

/// `each(3, |i| ..)`: the parts for 0, 1 and 2 with commas between them.
fn each(count: u32, part: impl Fn(u32) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::all;
    use engine::model::load::{load_bytes, query_text};
    use std::collections::BTreeSet;

    #[test]
    fn there_are_sixty_models_with_names_of_their_own() {
        let names: BTreeSet<&str> = all().map(|row| row.name).collect();
        assert_eq!(names.len(), all().count());
        assert!(names.len() >= 60, "{}", names.len());
        assert!(all().all(|row| !row.asks.is_empty()));
    }

    /// What is no model breaks no limits. Those of small sizes are read here; the measurement itself notices the others.
    #[test]
    fn models_and_queries_are_right() {
        for row in all().filter(|row| row.ending == "xta" && !row.is_refused && row.size <= 100) {
            let loaded = load_bytes("model.xta", (row.generate)(row.size).as_bytes(), &[]);
            let mut sources = loaded.sources;
            let model = loaded.model.unwrap_or_else(|| panic!("{}: {:?}", row.name, loaded.diagnostics));
            for ask in row.asks {
                let query = model.query(&query_text(&mut sources, "query", ask.query));
                assert!(query.query.is_some(), "{} {}: {:?}", row.name, ask.query, query.diagnostics);
            }
        }
    }
}
