//! Components that are written are read back as they are.

use model::load::{Loaded, load, load_bytes};
use model::write::{ActionKind, Component, Edge, Location};
use std::path::Path;

fn component(press: &str) -> Component {
    let edge = |from, to, action: &str, kind, guard: &str, update: &[(&str, i64)]| Edge {
        from,
        to,
        action: action.to_owned(),
        kind,
        guard: guard.to_owned(),
        update: update.iter().map(|(clock, value)| ((*clock).to_owned(), *value)).collect(),
    };
    Component {
        name: "Lamp".to_owned(),
        clocks: vec![("x".to_owned(), 0), ("y".to_owned(), 3)],
        locations: vec![
            Location { name: "Off".to_owned(), invariant: String::new() },
            Location { name: "On".to_owned(), invariant: "x < 5 && y - x <= 2".to_owned() },
        ],
        initial: 0,
        edges: vec![
            edge(0, 1, press, ActionKind::Input, "x >= 2 && y < 9", &[("x", 0), ("y", 4)]),
            edge(1, 0, "out", ActionKind::Output, "", &[]),
        ],
        inputs: vec![press.to_owned(), "spare".to_owned()],
        outputs: vec!["out".to_owned(), "never".to_owned()],
    }
}

/// The edges of its template, and the numbers of its inputs and outputs.
fn counts(loaded: Loaded, locations: [&str; 2]) -> (usize, usize, usize) {
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let model = loaded.model.unwrap_or_else(|| panic!("{messages:?}"));
    let network = model.network();
    let template = &network.templates[0];
    assert_eq!(network.processes.len(), 1);
    assert_eq!(template.locations.iter().map(|one| &*one.name).collect::<Vec<_>>(), locations);
    assert_eq!(template.state.clocks, 2);
    (template.edges.len(), network.io[0].inputs.len(), network.io[0].outputs.len())
}

#[test]
fn a_model_is_read_back() {
    assert_eq!(counts(load_bytes("lamp.xml", component("press").uppaal().as_bytes(), &[]), ["Off", "On"]), (2, 2, 2));
}

#[test]
fn an_element_of_a_channel_array_declares_the_array() {
    let lamp = component("press[2][1]");
    assert!(lamp.uppaal().contains("broadcast chan never, out, press[3][2], spare;"), "{}", lamp.uppaal());
    assert_eq!(counts(load_bytes("lamp.xml", lamp.uppaal().as_bytes(), &[]), ["Off", "On"]), (2, 2, 2));
    assert_eq!(lamp.ecdar(), None, "ECDAR has no arrays");
}

/// In a project actions that no edge has are known from an edge that changes nothing, and locations are called by their ids.
#[test]
fn a_file_of_a_project_is_read_back() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("write_components");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("Components")).expect("a folder");
    let text = component("press").ecdar().expect("a component");
    std::fs::write(folder.join("Components/Lamp.json"), &text).expect("a file");
    assert_eq!(counts(load(&folder, &[]), ["L0", "L1"]), (4, 2, 2), "{text}");
}
