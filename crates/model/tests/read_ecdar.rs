//! ECDAR's projects: what is read, and what is said about projects that are wrong.

use model::load::{Loaded, load};
use std::path::{Path, PathBuf};

const GOOD: &str = r#"{"name": "A", "declarations": "clock x;",
 "locations": [{"id": "L0", "type": "INITIAL", "urgency": "NORMAL", "invariant": "x<=5"},
               {"id": "L1", "type": "NORMAL", "urgency": "URGENT", "invariant": ""},
               {"id": "U0", "type": "UNIVERSAL", "urgency": "NORMAL", "invariant": ""}],
 "edges": [{"sourceLocation": "L0", "targetLocation": "L1", "status": "INPUT", "sync": "a", "guard": "x<3", "update": "x=0", "select": ""},
           {"sourceLocation": "L1", "targetLocation": "U0", "status": "OUTPUT", "sync": "out 1", "guard": "", "update": "", "select": ""},
           {"sourceLocation": "U0", "targetLocation": "U0", "status": "OUTPUT", "sync": "*"}]}"#;

/// A project of one component, in a folder of its own.
fn project(name: &str, component: &str, others: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ecdar").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("Components")).expect("a folder");
    std::fs::write(folder.join("Components/A.json"), component).expect("a file");
    for (file, text) in others {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    folder
}

/// A name, the text of the component, the code and some words of the message, line and column.
type Row = (&'static str, String, &'static str, &'static str, (usize, usize));

fn message(loaded: &Loaded) -> (String, String, usize, usize) {
    let error = loaded.diagnostics.iter().find(|one| one.is_error()).expect("an error");
    let place = error.span.map(|span| loaded.sources.line_column(span.file, span.start));
    let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
    (error.code.0.to_owned(), error.message.clone(), line, column)
}

#[test]
fn a_component_becomes_a_process() {
    let queries = r#"[{"query": "refinement: A <= A", "comment": "itself"}, {"query": ""}]"#;
    let loaded = load(&project("good", GOOD, &[("Queries.json", queries)]), &[]);
    let model = loaded.model.expect("a model");
    let network = model.network();
    assert_eq!(network.processes.len(), 1);
    let template = &network.templates[0];
    assert_eq!(template.locations.len(), 3);
    // The universal location loops on both actions.
    assert_eq!(template.edges.len(), 4);
    assert_eq!((network.io[0].inputs.len(), network.io[0].outputs.len()), (1, 1));
    let queries: Vec<(&str, &str)> = model.queries.iter().map(|q| (q.text.as_str(), q.comment.as_str())).collect();
    assert_eq!(queries, [("refinement: A <= A", "itself")]);
}

/// Each case of a guard is an edge of its own.
#[test]
fn guards_offer_choices() {
    for (guard, edges) in [("x<3", 4), ("x<3 || x>4", 5), ("x!=3 && x!=4", 6), ("!(x<3 && x>1)", 5)] {
        let loaded = load(&project("choices", &GOOD.replacen("x<3", guard, 1), &[]), &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{guard}"));
        assert_eq!(model.network().templates[0].edges.len(), edges, "{guard}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let with = |from: &str, to: &str| GOOD.replacen(from, to, 1);
    #[rustfmt::skip]
    let rows: &[Row] = &[
        ("empty", String::new(), "E0014", "expected a value, found the end of the file", (1, 1)),
        ("cut", GOOD[..40].to_owned(), "E0014", "found the end of the file", (1, 41)),
        ("trailing", format!("{GOOD} x"), "E0014", "goes on after its value", (7, 96)),
        ("escape", with("clock x;", "clock \\q;"), "E0014", "no escape sequence", (1, 39)),
        ("deep", "[".repeat(1000), "E0014", "nested deeper than 64 levels", (1, 66)),
        ("nameless", with("\"name\": \"A\"", "\"name\": \"\""), "E0015", "a component without a name", (1, 1)),
        ("badname", with("\"name\": \"A\"", "\"name\": \"A B\""), "E0015", "`A B` cannot be the name", (1, 11)),
        ("noinit", with("INITIAL", "NORMAL"), "E0012", "`A` has no initial location", (1, 11)),
        ("twoinit", with("\"NORMAL\", \"urgency\": \"URGENT\"", "\"INITIAL\", \"urgency\": \"URGENT\""), "E0403", "two initial locations", (3, 24)),
        ("dangling", with("\"targetLocation\": \"L1\"", "\"targetLocation\": \"L7\""), "E0013", "has the id `L7`", (5, 56)),
        ("status", with("INPUT", "BOTH"), "E0015", "has the status `INPUT` or `OUTPUT`", (5, 71)),
        ("noaction", with("\"sync\": \"a\"", "\"sync\": \"\""), "E0015", "an edge without an action", (5, 12)),
        ("number", with("\"x<3\"", "3"), "E0015", "the field `guard` has to be text in quotes", (5, 102)),
        ("object", with("[{\"id\": \"L0\"", "{}, \"more\": [{\"id\": \"L0\""), "E0015", "the field `locations` has to be a list", (2, 15)),
        ("element", with("[{\"id\": \"L0\"", "[7, {\"id\": \"L0\""), "E0015", "expected an object", (2, 16)),
        ("twice", with("\"update\"", "\"guard\""), "E0014", "the field `guard` is given twice", (5, 110)),
        ("type", with("UNIVERSAL", "UNIVERSE"), "E0015", "a location has no type `UNIVERSE`: expected one of NORMAL, INITIAL", (4, 38)),
        ("urgency", with("URGENT", "urgent"), "E0015", "a location has no urgency `urgent`", (3, 59)),
        ("any", with("\"sync\": \"a\"", "\"sync\": \"*\""), "E0015", "`*` is for universal and inconsistent locations", (5, 89)),
        ("guard", with("x<3", "x<"), "E0104", "expected an expression", (5, 105)),
        ("unknown", with("x<3", "x\\u003cy"), "E0201", "y", (5, 110)),
    ];
    for (name, text, code, words, place) in rows {
        let (found_code, found, line, column) = message(&load(&project(name, text, &[]), &[]));
        assert!(found_code == *code && found.contains(words), "{name}: {found_code} {found}");
        assert_eq!((line, column), *place, "{name}: {found}");
    }
}

#[test]
fn other_files_of_a_project_are_checked_as_well() {
    let rows = [
        ("Queries.json", "{}", "expected a list of queries", (1, 1)),
        ("Queries.json", "[{\"query\": \"\"}, \"refinement: A <= A\"]", "expected an object", (1, 17)),
        ("Queries.json", "[{\"query\": 5}]", "the field `query` has to be text", (1, 12)),
        ("Queries.json", "[{\"query\": ", "expected a value, found the end of the file", (1, 12)),
        ("SystemDeclarations.json", "{\"declarations\": [\"system A;\"]}", "`declarations` has to be text", (1, 18)),
        ("SystemDeclarations.json", "null", "expected an object", (1, 1)),
        ("GlobalDeclarations.json", "{\"declarations\": true}", "`declarations` has to be text", (1, 18)),
        ("GlobalDeclarations.json", "{\"declarations\": \"int 1;\"}", "expected", (1, 23)),
    ];
    for (n, (file, text, words, place)) in rows.into_iter().enumerate() {
        let (_, found, line, column) = message(&load(&project(&format!("other-{n}"), GOOD, &[(file, text)]), &[]));
        assert!(found.contains(words), "{file} {text}: {found}");
        assert_eq!((line, column), place, "{file} {text}: {found}");
    }
    let nothing = [("Queries.json", "[{\"query\": null}]"), ("GlobalDeclarations.json", "{\"declarations\": null}")];
    assert!(load(&project("nothing", GOOD, &nothing), &[]).model.is_some());
}

#[test]
fn folders_that_are_no_projects_are_refused() {
    let folder = project("none", GOOD, &[]);
    let inside = message(&load(&folder.join("Components/A.json"), &[]));
    assert!(inside.0 == "E0001" && inside.1.contains("a project of ECDAR is read as a whole"), "{inside:?}");
    let missing = message(&load(&folder.join("Components"), &[]));
    assert!(missing.0 == "E0001" && missing.1.contains("no ECDAR project"), "{missing:?}");
    std::fs::remove_file(folder.join("Components/A.json")).expect("removed");
    let empty = message(&load(&folder, &[]));
    assert!(empty.0 == "E0001" && empty.1.contains("has no components"), "{empty:?}");
}

/// Whatever stands in the files, reading ends with a model or with errors.
#[test]
fn a_component_cut_off_or_damaged_anywhere() {
    for at in (0..GOOD.len()).step_by(7).filter(|at| GOOD.is_char_boundary(*at)) {
        let loaded = load(&project("cut-off", &GOOD[..at], &[]), &[]);
        assert!(loaded.model.is_none() && loaded.diagnostics.has_errors(), "{at}");
        let mut damaged = GOOD.to_owned();
        damaged.replace_range(at..at + 1, ["\"", "{", "]", "\\", "\0", "é"][at % 6]);
        let loaded = load(&project("damaged", &damaged, &[]), &[]);
        assert!(loaded.model.is_some() || loaded.diagnostics.has_errors(), "{at}");
    }
}
