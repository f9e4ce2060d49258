//! What is cited of the description of the algorithms is there, and the files that it names exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// In two parts, so that this file cites nothing.
const NAME: &str = concat!("algorithms", ".md");

#[test]
fn cited_sections_exist() {
    let document = document();
    let sections = sections(&document);
    let mut missing: Vec<String> = Vec::new();
    let mut cite = |place: &Path, section: &str| {
        if !sections.contains(section) {
            missing.push(format!("{}: §{section}", place.display()));
        }
    };
    numbers(&document).for_each(|section| cite(Path::new(NAME), section));
    let mut cited = 0;
    for file in files(&root()) {
        let is_code = file.extension().is_some_and(|ending| ending == "rs");
        let text = std::fs::read_to_string(&file).expect("source files and documents are text");
        for (line, rest) in text.lines().flat_map(|line| line.split(NAME).skip(1).map(move |rest| (line, rest))) {
            let list = rest.split([')', ';']).next().unwrap_or_default();
            assert!(!is_code || list.starts_with(" §"), "{}: no section is cited: {line}", file.display());
            if list.starts_with(" §") {
                numbers(list).for_each(|section| cite(&file, section));
                cited += 1;
            }
        }
    }
    assert!(missing.is_empty(), "{NAME} has no such sections:\n{}", missing.join("\n"));
    assert!(cited > 0, "nothing is cited");
}

#[test]
fn sections_are_numbered_in_order() {
    let (mut chapter, mut section) = (0, 0);
    for heading in document().lines().filter(|line| line.starts_with("##")) {
        if heading.starts_with("## ") {
            (chapter, section) = (chapter + 1, 0);
            assert!(heading.starts_with(&format!("## {chapter} ")), "{heading}");
        } else {
            section += 1;
            assert!(heading.starts_with(&format!("### {chapter}.{section} ")), "{heading}");
        }
    }
}

#[test]
fn named_files_exist() {
    let document = document();
    let spans = document.split('`').skip(1).step_by(2);
    let mut named = 0;
    for span in spans.filter(|span| span.starts_with("crates/") || span.starts_with("docs/")) {
        // `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
        let (before, rest) = span.split_once('{').unwrap_or((span, "}"));
        let (choices, after) = rest.split_once('}').expect("a brace is closed");
        for choice in choices.split(',') {
            let file = root().join(format!("{before}{choice}{after}"));
            assert!(file.is_file(), "there is no {}", file.display());
            named += 1;
        }
    }
    assert!(named > 0, "no file is named");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    std::fs::read_to_string(root().join("docs").join(NAME)).expect("the description of the algorithms")
}

/// The numbers of all headings.
fn sections(document: &str) -> BTreeSet<&str> {
    let headings = document.lines().filter_map(|line| line.strip_prefix("## ").or(line.strip_prefix("### ")));
    headings.filter_map(|heading| heading.split(' ').next()).collect()
}

/// The numbers behind section marks.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split('§').skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest[..end].trim_end_matches('.')
    })
}

/// All code of the crates, and the documents.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf(), root.join("docs"), root.join("crates")];
    while let Some(folder) = folders.pop() {
        let is_crate = folder.starts_with(root.join("crates"));
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let ending = entry.extension().and_then(|ending| ending.to_str());
            match ending {
                _ if entry.is_dir() && is_crate => folders.push(entry),
                Some("md") => files.push(entry),
                Some("rs") if is_crate => files.push(entry),
                _ => {}
            }
        }
    }
    files
}
