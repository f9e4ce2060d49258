//! The crates of this workspace know of each other only what the architecture allows.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Which crates of ours a crate may use. A new crate needs a row here, and `ARCHITECTURE.md` says what lives in it.
const MAY_USE: &[(&str, &[&str])] = &[
    ("allowance", &[]),
    ("zones", &[]),
    ("search", &["allowance"]),
    ("model", &["allowance"]),
    ("semantics", &["allowance", "model", "zones", "search"]),
    ("walk", &["allowance", "semantics"]),
    ("sampling", &["model", "search", "semantics"]),
    ("heuristics", &["allowance", "semantics", "search"]),
    ("refine", &["allowance", "semantics", "search", "zones", "walk"]),
    ("certify", &["allowance", "model"]),
    (
        "engine",
        &["allowance", "zones", "search", "model", "semantics", "walk", "sampling", "heuristics", "refine", "certify"],
    ),
    ("cli", &["allowance", "engine"]),
    ("xtask", &["engine", "search"]),
];

#[test]
fn crates_use_only_what_the_architecture_allows() {
    let metadata = metadata();
    let ours = crates(&metadata);
    for package in metadata["packages"].as_array().expect("packages") {
        let name = text(&package["name"]);
        let Some((_, allowed)) = MAY_USE.iter().find(|(row, _)| *row == name) else {
            panic!("`{name}` has no row in the table of allowed edges");
        };
        // Dependencies of tests and build scripts count as well: a test that knows too much is a hidden edge.
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let used = text(&dependency["name"]);
            if ours.contains(&used) {
                assert!(allowed.contains(&used), "`{name}` must not use `{used}`; it may use {allowed:?}");
            }
        }
    }
}

#[test]
fn the_table_of_allowed_edges_has_no_cycle() {
    for (at, (name, allowed)) in MAY_USE.iter().enumerate() {
        for used in *allowed {
            let row = MAY_USE.iter().position(|(row, _)| row == used);
            assert!(row.is_some_and(|row| row < at), "`{name}` may use `{used}`, which does not stand above it");
        }
    }
}

/// Cargo builds a crate with the features that all crates built with it ask for. Alone it has only its own. Nothing is
/// optimised, because nothing is run.
#[test]
fn each_crate_builds_alone() {
    let metadata = metadata();
    let target = PathBuf::from(text(&metadata["target_directory"])).join("alone");
    for name in crates(&metadata) {
        for targets in [&[][..], &["--all-targets"]] {
            let check = cargo()
                .args(["check", "--offline", "--quiet", "--config", "profile.dev.package.'*'.opt-level=0", "-p", name])
                .args(targets)
                .arg("--target-dir")
                .arg(&target)
                .output();
            let output = check.expect("cargo runs");
            let messages = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "`{name}` does not build alone {targets:?}:\n{messages}");
        }
    }
}

fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn metadata() -> Value {
    let output = cargo().args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).output();
    serde_json::from_slice(&output.expect("cargo runs").stdout).expect("cargo describes the workspace as JSON")
}

fn crates(metadata: &Value) -> Vec<&str> {
    metadata["packages"].as_array().expect("packages").iter().map(|package| text(&package["name"])).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
