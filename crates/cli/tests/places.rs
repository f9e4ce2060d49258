//! A mistake in a file is shown with its place, whatever bytes stand there.

mod common;

use common::{directory, stderr, zonewalk};

/// Bytes that are no text, or text that is not ASCII.
const PIECES: &[&[u8]] = &[
    b"\xff",
    b"\xc3",
    b"\xf0\x9f",
    b"\0",
    "é".as_bytes(),
    "😀".as_bytes(),
    "\u{feff}".as_bytes(),
    b"\r",
    b"\xc3\n\xa9",
];

/// Sound texts into which the pieces are put.
const FILES: &[(&str, &str)] = &[
    ("x.aut", "des (0, 1, 2)\n(0, a, 1)\n"),
    ("x.csv", "run,expression,time,value\n0,x,0,1\n"),
    ("x.json", "{\"schema\": \"zonewalk.trace/1\",\n \"steps\": []}"),
    ("x.xta", "process P() { state A; init A; }\nP1 = P();\nsystem P1;\n"),
    ("x.q", "E<> P1.A\n"),
    ("x.xml", "<nta><template><name>P</name></template><system>system P;</system></nta>"),
];

fn commands(name: &str) -> Vec<Vec<&str>> {
    match name {
        "x.aut" => vec![vec!["check", "x.aut", "-q", "E<> deadlock"]],
        "x.csv" => vec![vec!["plot", "x.csv", "--out", "x.svg"]],
        "x.json" => vec![vec!["replay", "m.xta", "x.json"]],
        "x.q" => vec![vec!["check", "m.xta", "x.q"], vec!["check", "g.aut", "x.q"]],
        _ => vec![vec!["check", name, "-q", "E<> P1.A"], vec!["info", name]],
    }
}

#[test]
fn a_file_that_is_not_utf8_is_bad_input_with_a_place() {
    let here = directory("not-utf8", FILES);
    std::fs::write(here.join("x.aut"), b"des (0, 1, 2)\n(0, \xe9\xff, 1)\n").expect("a file");
    let output = zonewalk(&here, &["check", "x.aut", "-q", "E<> deadlock"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("the text is not UTF-8") && said.contains("x.aut:2:5"), "{said}");
}

#[test]
fn a_file_of_one_character_is_bad_input_with_a_place() {
    let here = directory("one-character", FILES);
    std::fs::write(here.join("m.xta"), FILES[3].1).expect("a file");
    for name in ["x.aut", "x.csv", "x.json"] {
        std::fs::write(here.join(name), "é").expect("a file");
        for words in commands(name) {
            let output = zonewalk(&here, &words);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
            assert!(said.contains(&format!("{name}:1:1")), "{words:?}: {said}");
        }
    }
}

#[test]
fn any_bytes_anywhere_end_in_a_status_and_no_panic() {
    let here = directory("any-bytes", FILES);
    std::fs::write(here.join("m.xta"), FILES[3].1).expect("a file");
    std::fs::write(here.join("g.aut"), FILES[0].1).expect("a file");
    for (name, text) in FILES {
        for piece in PIECES {
            for at in [0, 1, text.len() / 3, text.len() / 2, text.len() - 2, text.len()] {
                let bytes = [&text.as_bytes()[..at], piece, &text.as_bytes()[at..]].concat();
                std::fs::write(here.join(name), &bytes).expect("a file");
                for words in commands(name) {
                    let output = zonewalk(&here, &words);
                    let said = stderr(&output);
                    let known = output.status.code().is_some_and(|status| status <= 4);
                    assert!(known && !said.contains("panicked"), "{words:?}, {piece:?} at {at}: {said}");
                }
            }
        }
    }
}
