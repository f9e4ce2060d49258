//! A component as ECDAR's JSON: one file for the folder `Components` of a project. It has no `IO` declaration of the
//! component to say what its actions are; those that no edge has get one that changes nothing.

use super::json::Json;
use super::{ActionKind, Component, Edge, position};

impl Component {
    /// A component of an ECDAR project; `None` if an action is an element of a channel array, which ECDAR has not.
    pub fn ecdar(&self) -> Option<String> {
        if self.inputs.iter().chain(&self.outputs).any(|name| name.contains('[')) {
            return None;
        }
        let unused = |action: &&String| self.edges.iter().all(|edge| edge.action != **action);
        let ignored = self.inputs.iter().filter(unused).map(|action| self.loops(action, ActionKind::Input, ""));
        let never_made =
            self.outputs.iter().filter(unused).map(|action| self.loops(action, ActionKind::Output, "false"));
        let edges = self.edges.iter().cloned().chain(ignored).chain(never_made);
        let document = Json::object([
            ("name", Json::text(&self.name)),
            ("declarations", Json::text(&self.clock_declaration())),
            ("locations", Json::List((0..self.locations.len()).map(|n| self.location(n)).collect())),
            ("edges", Json::List(edges.enumerate().map(|(n, edge)| written(n, &edge)).collect())),
            ("description", Json::text("")),
            ("x", Json::Number(5)),
            ("y", Json::Number(5)),
            ("width", Json::Number(1200)),
            ("height", Json::Number(800)),
            ("color", Json::text("9")),
            ("includeInPeriodicCheck", Json::Bool(false)),
        ]);
        Some(document.to_string())
    }

    /// An edge that stays where the component starts.
    fn loops(&self, action: &str, kind: ActionKind, guard: &str) -> Edge {
        let (from, to, guard) = (self.initial, self.initial, guard.to_owned());
        Edge { from, to, action: action.to_owned(), kind, guard, update: Vec::new() }
    }

    fn location(&self, n: usize) -> Json {
        let location = &self.locations[n];
        let (x, y) = position(n);
        Json::object([
            ("id", Json::Text(format!("L{n}"))),
            ("nickname", Json::text(&location.name)),
            ("invariant", Json::text(&location.invariant)),
            ("type", Json::text(if n == self.initial { "INITIAL" } else { "NORMAL" })),
            ("urgency", Json::text("NORMAL")),
            ("x", Json::Number(x as i64)),
            ("y", Json::Number(y as i64)),
            ("color", Json::text("9")),
            ("nicknameX", Json::Number(30)),
            ("nicknameY", Json::Number(-10)),
            ("invariantX", Json::Number(30)),
            ("invariantY", Json::Number(10)),
        ])
    }
}

fn written(n: usize, edge: &Edge) -> Json {
    Json::object([
        ("id", Json::Text(format!("E{n}"))),
        ("group", Json::text("")),
        ("sourceLocation", Json::Text(format!("L{}", edge.from))),
        ("targetLocation", Json::Text(format!("L{}", edge.to))),
        ("status", Json::text(if edge.kind == ActionKind::Output { "OUTPUT" } else { "INPUT" })),
        ("select", Json::text("")),
        ("guard", Json::text(&edge.guard)),
        ("update", Json::Text(edge.assignments())),
        ("sync", Json::text(&edge.action)),
        ("isLocked", Json::Bool(false)),
        ("nails", Json::List(Vec::new())),
    ])
}
