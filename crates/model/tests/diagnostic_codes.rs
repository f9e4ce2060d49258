//! The list of codes in the documentation is the one of the program.

use model::diagnostic::{Code, Severity};
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../../docs/diagnostics.md");

#[test]
fn the_documented_codes_are_up_to_date() {
    let expected = document();
    assert!(DOCUMENT == expected, "docs/diagnostics.md should be:\n\n{expected}");
}

#[test]
fn a_code_has_one_meaning() {
    let codes: BTreeSet<Code> = Code::ALL.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes.len(), Code::ALL.len());
}

fn document() -> String {
    let mut text = String::from(INTRODUCTION);
    for (title, severity) in [("Errors", Severity::Error), ("Warnings", Severity::Warning)] {
        text += &format!("\n## {title}\n\n| code | meaning |\n| --- | --- |\n");
        for (code, meaning) in Code::ALL.iter().filter(|(code, _)| code.severity() == severity) {
            text += &format!("| {} | {meaning} |\n", code.0);
        }
    }
    text
}

const INTRODUCTION: &str = "\
# Diagnostics

Every message about a model or a query has a code. An error keeps a model from loading or a query from being answered. A warning points at something that is legal but
surely unintended.

A test compares this file with the program's own table and prints what the file should be.
";
