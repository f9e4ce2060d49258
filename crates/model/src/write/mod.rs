//! Timed I/O components as files: a model in UPPAAL's XML, or a file for the folder `Components` of an ECDAR project.
//!
//! What is written has the texts of guards, invariants and updates as the language has them. It is the inverse of
//! [`crate::read`]: a component that is read back is the one that was written.

mod ecdar;
mod json;
mod names;
mod uppaal;

pub use names::Names;

/// A component with all its names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    pub name: String,
    /// The clocks, each with the value that it starts with.
    pub clocks: Vec<(String, i64)>,
    pub locations: Vec<Location>,
    /// The index of the initial location.
    pub initial: usize,
    pub edges: Vec<Edge>,
    /// Channels, or elements of channel arrays as `press[1]`.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub name: String,
    /// Empty if it always holds.
    pub invariant: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Indices of locations.
    pub from: usize,
    pub to: usize,
    pub action: String,
    pub kind: ActionKind,
    /// Empty if it always holds.
    pub guard: String,
    /// Clocks with the values that they get.
    pub update: Vec<(String, i64)>,
}

/// Whether an edge takes an action or makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    Input,
    Output,
}

impl Component {
    /// `clock x, y = 3;`
    fn clock_declaration(&self) -> String {
        let declared = |(name, value): &(String, i64)| match value {
            0 => name.clone(),
            value => format!("{name} = {value}"),
        };
        let names: Vec<String> = self.clocks.iter().map(declared).collect();
        if names.is_empty() { String::new() } else { format!("clock {};", names.join(", ")) }
    }
}

impl Edge {
    /// `x = 0, y = 3`
    fn assignments(&self) -> String {
        let assigned: Vec<String> = self.update.iter().map(|(clock, value)| format!("{clock} = {value}")).collect();
        assigned.join(", ")
    }
}

/// Where a location is drawn.
fn position(n: usize) -> (usize, usize) {
    (150 + 250 * (n % 6), 150 + 200 * (n / 6))
}
