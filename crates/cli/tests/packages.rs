//! What the packages of this workspace are called, which of them can be published, and what goes into those.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The directory of each crate, the name of its package, and whether it is published.
const PACKAGES: &[(&str, &str, bool)] = &[
    ("allowance", "zonewalk-allowance", true),
    ("certify", "zonewalk-certify", false),
    ("cli", "cli", false),
    ("engine", "engine", false),
    ("heuristics", "zonewalk-heuristics", false),
    ("model", "zonewalk-model", true),
    ("refine", "zonewalk-refine", false),
    ("sampling", "zonewalk-sampling", false),
    ("search", "zonewalk-search", false),
    ("semantics", "zonewalk-semantics", false),
    ("walk", "zonewalk-walk", false),
    ("xtask", "xtask", false),
    ("zones", "zonewalk-zones", true),
];

#[test]
fn packages_are_called_and_published_as_the_table_says() {
    let metadata = metadata();
    let mut found: Vec<_> =
        packages(&metadata).map(|one| (directory(one), text(&one["name"]), is_published(one))).collect();
    found.sort_unstable();
    assert_eq!(found, PACKAGES);
}

/// A package registry shows these, and refuses packages without some of them.
#[test]
fn each_package_says_what_it_is() {
    for package in packages(&metadata()) {
        let name = text(&package["name"]);
        for field in ["description", "license", "readme", "rust_version"] {
            assert!(package[field].is_string(), "`{name}` has no {field}");
        }
        for field in ["keywords", "categories"] {
            let count = package[field].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&count), "`{name}` has {count} {field}");
        }
        let readme = Path::new(text(&package["manifest_path"])).with_file_name(text(&package["readme"]));
        let readme = std::fs::read_to_string(readme).expect("a README");
        assert!(readme.starts_with(&format!("# {name}\n")), "the README of `{name}` has another title");
        assert_eq!(readme.contains("```rust\n"), is_published(package), "an example in the README of `{name}`");
    }
}

/// A package is found in a registry by name and version, and by then its path is gone.
#[test]
fn published_packages_use_published_packages_with_their_versions() {
    let metadata = metadata();
    for package in packages(&metadata).filter(|one| is_published(one)) {
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let Some(used) = packages(&metadata).find(|one| one["name"] == dependency["name"]) else { continue };
            let (name, used_name) = (text(&package["name"]), text(&used["name"]));
            assert!(is_published(used), "`{name}` uses `{used_name}`, which is not published");
            let wanted = format!("^{}", text(&used["version"]));
            assert_eq!(text(&dependency["req"]), wanted, "`{name}` uses `{used_name}`");
        }
    }
}

#[test]
fn published_packages_hold_their_sources_and_what_a_registry_shows() {
    for (directory, package, _) in PACKAGES.iter().filter(|(_, _, published)| *published) {
        let output = cargo(&["package", "--list", "--offline", "--allow-dirty", "--package", package]);
        let listed: BTreeSet<&str> = output.lines().collect();
        for file in ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"] {
            assert!(listed.contains(file), "`{package}` lacks {file}");
        }
        let made = ["Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"];
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(directory);
        for file in listed.iter().filter(|file| !made.contains(*file)) {
            assert!(source.join(file).is_file(), "`{package}` lists {file}");
            let expected =
                file.starts_with("src/") || file.starts_with("LICENSE") || ["Cargo.toml", "README.md"].contains(file);
            assert!(expected, "`{package}` need not hold {file}");
        }
    }
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo writes text")
}

fn metadata() -> Value {
    let written = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    serde_json::from_str(&written).expect("cargo describes the workspace as JSON")
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().expect("packages").iter()
}

fn directory(package: &Value) -> &str {
    let manifest = Path::new(text(&package["manifest_path"]));
    manifest.parent().and_then(Path::file_name).and_then(|name| name.to_str()).expect("a directory with a name")
}

/// Without `publish` a package may be published anywhere; `publish = false` is the empty list of registries.
fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
