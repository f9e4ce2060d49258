//! The recipes of `CONTRIBUTING.md` name files and tests that exist.

use std::path::{Path, PathBuf};

#[test]
fn what_recipes_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let recipes = std::fs::read_to_string(root.join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let mut code = String::new();
    collect(&root.join("crates"), &mut code);
    let (mut files, mut tests) = (0, 0);
    for span in recipes.split('`').skip(1).step_by(2) {
        if span.starts_with("crates/") || span.starts_with("docs/") || span.starts_with(".ci/") {
            assert!(root.join(span).exists(), "there is no {span}");
            files += 1;
        }
        let is_word = span.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_word && span.matches('_').count() > 2 {
            assert!(code.contains(&format!("fn {span}(")), "there is no test `{span}`");
            tests += 1;
        }
    }
    assert!(files > 20 && tests > 5, "{files} files, {tests} tests");
}

/// All code of a folder.
fn collect(folder: &Path, code: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path: PathBuf = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, code);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            code.push_str(&std::fs::read_to_string(&path).expect("a source file"));
        }
    }
}
