//! What `README.md` shows is what the program prints.

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
