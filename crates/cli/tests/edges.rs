//! The crates of this workspace know of each other only what the architecture allows.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Which crates of ours a crate may use. A new crate needs a row here, and `ARCHITECTURE.md` says what lives in it.
const MAY_USE: &[(&str, &[&str])] = &[
    ("allowance", &[]),
    ("zones", &[]),
    ("search", &["allowance"]),
    ("model", &["allowance"]),
    ("semantics", &["allowance", "model", "zones", "search"]),
    ("walk", &["allowance", "model", "search", "semantics"]),
    ("sampling", &["model", "search", "semantics"]),
    ("heuristics", &["allowance", "model", "semantics", "search"]),
    ("refine", &["allowance", "model", "semantics", "search", "zones", "walk"]),
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
    let ours = crates();
    for (name, package) in &ours {
        let Some((_, allowed)) = MAY_USE.iter().find(|(row, _)| row == name) else {
            panic!("`{name}` has no row in the table of allowed edges");
        };
        // Dependencies of tests and build scripts count as well: a test that knows too much is a hidden edge.
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            if let Some((used, _)) = ours.iter().find(|(_, one)| one["name"] == dependency["name"]) {
                assert!(allowed.contains(&used.as_str()), "`{name}` must not use `{used}`; it may use {allowed:?}");
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

/// Whether each crate builds alone. Cargo builds a crate with the features that all crates built with it ask for, so one
/// that forgets to ask for a feature of a dependency builds as long as another one asks. Nothing has to be built to find that
/// out: Cargo tells which features a crate and its dependencies have alone, and which they have in the whole workspace. Where
/// both are the same for all crates, the same is built, and `.ci/run` builds the workspace. Where they differ, `.ci/run`
/// builds the crate alone. What the packages of others ask of each other is theirs to get right.
#[test]
fn each_crate_has_the_same_features_alone_or_is_built_alone() {
    let steps =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/run")).expect("the steps of CI");
    // Without what only tests and benchmarks need, and with it.
    for (edges, whole, one) in [
        ("normal,build", "cargo build --release --workspace\n", "cargo check --package NAME\n"),
        (
            "normal,build,dev",
            "cargo clippy --workspace --all-targets -- -D warnings\n",
            "cargo clippy --package NAME --all-targets -- -D warnings\n",
        ),
    ] {
        assert!(steps.contains(&format!("step {whole}")), "`.ci/run` does not say `{whole}`");
        let together = features(&["--workspace"], edges);
        for (_, package) in crates() {
            let name = text(&package["name"]);
            let alone = features(&["--package", name, "--depth", "1"], edges);
            assert!(alone.iter().any(|(package, _)| package.starts_with(&format!("{name} v"))), "`{name}`: {alone:?}");
            let differ: Vec<_> = alone.difference(&together).collect();
            let step = one.replace("NAME", name);
            let built = steps.contains(&format!("step {step}"));
            assert!(
                differ.is_empty() || built,
                "`.ci/run` needs `{step}`: `{name}` has other features alone: {differ:?}"
            );
        }
    }
}

/// The packages that are built, each with its features.
fn features(which: &[&str], edges: &str) -> BTreeSet<(String, BTreeSet<String>)> {
    let format = ["--prefix", "none", "--no-dedupe", "--format", "{p}|{f}", "--edges", edges];
    let output = cargo().args(["tree", "--offline"]).args(which).args(format).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let packages = lines.lines().filter_map(|line| line.split_once('|'));
    // What is called `default` switches nothing on itself; the features that it asks for stand beside it.
    let named = |features: &str| features.split(',').filter(|one| *one != "default").map(str::to_owned).collect();
    packages.map(|(package, features)| (package.to_owned(), named(features))).collect()
}

fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// The crates of this workspace, called as their directories are, with what Cargo says about their packages.
fn crates() -> Vec<(String, Value)> {
    let output = cargo().args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).output();
    let metadata: Value =
        serde_json::from_slice(&output.expect("cargo runs").stdout).expect("cargo describes the workspace as JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let directory = |package: &Value| {
        let manifest = Path::new(text(&package["manifest_path"]));
        manifest.parent().and_then(Path::file_name).and_then(|name| name.to_str()).expect("a directory").to_owned()
    };
    packages.map(|package| (directory(package), package.clone())).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
