//! What `README.md` shows is what the program prints.

use engine::options;
use engine::options::common::SEARCH;
use engine::questions::QUESTIONS;
use engine::searches::SEARCHES;
use std::path::Path;
use std::process::Command;

#[test]
fn every_console_block_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let blocks: Vec<&str> = readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty(), "there is no console block");
    for block in blocks {
        for run in block.split("$ ").skip(1) {
            let (line, expected) = run.split_once('\n').expect("a command on a line of its own");
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words[0], "zonewalk", "{line}");
            let output = Command::new(env!("CARGO_BIN_EXE_zonewalk")).args(&words[1..]).current_dir(&root).output();
            let output = output.expect("zonewalk runs");
            let printed = [output.stdout, output.stderr].concat();
            assert_eq!(String::from_utf8_lossy(&printed).trim_end(), expected.trim_end(), "$ {line}");
        }
    }
}

/// The tables of searches and of options in `README.md` are those of the program. `UPDATE_README=1 cargo test -p cli --test readme`
/// writes them anew.
#[test]
fn tables_are_those_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md");
    let (mut written, mut shown) = (String::new(), Vec::new());
    let mut rest = readme.as_str();
    while let Some((before, after)) = rest.split_once("<!-- table: ") {
        let (title, after) = after.split_once(" -->\n").expect("the name of a table");
        let (_, after) = after.split_once("<!-- end -->").expect("the end of a table");
        written += &format!("{before}<!-- table: {title} -->\n\n{}\n<!-- end -->", table(title, &mut shown));
        rest = after;
    }
    written += rest;
    for row in options::all() {
        assert!(shown.contains(&row.name), "--{} is in no table", row.name);
    }
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, &written).expect("README.md is written");
    } else {
        assert!(written == readme, "run `UPDATE_README=1 cargo test -p cli --test readme`");
    }
}

/// The table of a title: the searches, or the options of some groups.
fn table(title: &str, shown: &mut Vec<&'static str>) -> String {
    if title == "searches" {
        return searches();
    }
    let mut text = "| option | default | |\n| --- | --- | --- |\n".to_owned();
    let before = text.len();
    for row in options::all().into_iter().filter(|row| title.contains(row.group.heading())) {
        let word = if row.is_switch() { String::new() } else { format!(" {}", row.word) };
        let default = row.default.map_or(String::new(), |default| format!("`{default}`"));
        let names: Vec<String> = row.value.names().iter().map(|name| format!("`{name}`")).collect();
        let names = match names.is_empty() || *row == SEARCH {
            true => String::new(),
            false => format!(": {}", names.join(", ")),
        };
        text += &format!("| `--{}{word}` | {default} | {}{names} |\n", row.name, row.help);
        shown.push(row.name);
    }
    assert!(text.len() > before, "there are no options `{title}`");
    text
}

fn searches() -> String {
    let mut text = "| search | | proves | answers |\n| --- | --- | --- | --- |\n".to_owned();
    for search in SEARCHES {
        let answered = QUESTIONS.iter().filter(|question| search.suits(question.subject));
        let mut subjects: Vec<&str> = answered.map(|question| question.subject.title()).collect();
        subjects.dedup();
        let proves = if search.proves { "yes" } else { "no" };
        let answers = subjects.join(", ");
        text += &format!("| `{}` | {}. {} | {proves} | {answers} |\n", search.name, search.help, search.when);
    }
    text
}
