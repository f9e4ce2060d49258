//! Random timed I/O automata as data, and their text.
//!
//! Guards of one action in one location exclude each other, so a component is deterministic, and where an invariant ends the waiting there is
//! an output that can always be made, so it is consistent. A variant of a component differs in a detail or two: refinements between the
//! two hold about as often as they do not.

use search::random::Random;
use std::fmt::Write;

pub const ACTIONS: [&str; 5] = ["i", "o", "p", "q", "r"];
pub const I: usize = 0;
pub const O: usize = 1;
pub const P: usize = 2;
pub const Q: usize = 3;
pub const R: usize = 4;

/// `clock <= constant`, or with the other relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    pub clock: usize,
    pub upper: bool,
    pub constant: i32,
    pub strict: bool,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub action: usize,
    pub guard: Vec<Bound>,
    pub resets: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Component {
    pub name: String,
    pub clocks: usize,
    /// Per location.
    pub invariants: Vec<Vec<Bound>>,
    pub edges: Vec<Edge>,
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
}

/// What may occur in a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// Strict ones as well, and on inputs.
    Any,
    /// None that is strict or whose complement matters: one edge per action, and inputs at any time, since ignoring one elsewhere
    /// would be an edge with a strict bound.
    Closed,
}

pub fn component(name: &str, inputs: &[usize], outputs: &[usize], bounds: Bounds, random: &mut Random) -> Component {
    let locations = 1 + random.index(3);
    let clocks = 1 + random.index(2);
    let mut invariants = Vec::new();
    let mut edges = Vec::new();
    for from in 0..locations {
        let mut escape = None;
        let mut invariant = Vec::new();
        if random.index(2) == 0 {
            let strict = bounds == Bounds::Any && random.index(4) == 0;
            invariant.push(Bound {
                clock: random.index(clocks),
                upper: true,
                constant: 1 + random.index(3) as i32,
                strict,
            });
            let action = outputs[random.index(outputs.len())];
            escape = Some(action);
            edges.push(Edge { from, to: random.index(locations), action, guard: Vec::new(), resets: all(clocks) });
        }
        invariants.push(invariant);
        for &action in inputs.iter().chain(outputs) {
            if escape == Some(action) {
                continue;
            }
            let guarded = bounds == Bounds::Any || outputs.contains(&action);
            for guard in guards(clocks, bounds, guarded, random) {
                // Ignoring an input where the target's invariant fails would be a strict bound, too.
                let resets = match bounds == Bounds::Closed && !guarded {
                    true => all(clocks),
                    false => (0..clocks).filter(|_| random.index(2) == 0).collect(),
                };
                edges.push(Edge { from, to: random.index(locations), action, guard, resets });
            }
        }
    }
    let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
    Component { name: name.to_owned(), clocks, invariants, edges, inputs, outputs }
}

fn all(clocks: usize) -> Vec<usize> {
    (0..clocks).collect()
}

/// The guards of the edges of an action: they exclude each other.
fn guards(clocks: usize, bounds: Bounds, guarded: bool, random: &mut Random) -> Vec<Vec<Bound>> {
    let clock = random.index(clocks);
    let constant = random.index(4) as i32;
    let strict = bounds == Bounds::Any && random.index(3) == 0;
    let one = |upper: bool, constant: i32, strict: bool| Bound { clock, upper, constant, strict };
    let shapes = match (guarded, bounds) {
        (false, _) => 2,
        // What lies between two edges would be an open interval.
        (true, Bounds::Closed) => 5,
        (true, Bounds::Any) => 7,
    };
    match random.index(shapes) {
        0 => Vec::new(),
        1 => vec![Vec::new()],
        2 => vec![vec![one(false, constant, strict)]],
        3 => vec![vec![one(true, constant + 1, strict)]],
        4 => vec![vec![one(false, constant, strict), one(true, constant + 1, false)]],
        5 => vec![vec![one(true, constant, strict)], vec![one(false, constant, !strict)]],
        _ => vec![vec![one(true, constant, false)], vec![one(false, constant + 1, strict)]],
    }
}

/// The same component with a detail or two changed.
pub fn variant(of: &Component, name: &str, bounds: Bounds, random: &mut Random) -> Component {
    let mut changed = Component { name: name.to_owned(), ..of.clone() };
    for _ in 0..random.index(3) {
        let Component { edges, invariants, outputs, clocks, .. } = &mut changed;
        let at = random.index(edges.len().max(1));
        let is_alone = |edges: &[Edge]| {
            edges.get(at).is_some_and(|edge| {
                edges.iter().filter(|other| other.from == edge.from && other.action == edge.action).count() == 1
                    && (bounds == Bounds::Any || outputs.contains(&edge.action))
            })
        };
        match random.index(6) {
            0 => {
                let location = random.index(invariants.len());
                if let Some(one) = invariants[location].first_mut() {
                    one.constant = (one.constant + random.index(3) as i32 - 1).max(1);
                }
            }
            1 => {
                let location = random.index(invariants.len());
                invariants[location].clear();
            }
            2 if is_alone(edges) && !edges[at].guard.is_empty() => {
                let one = &mut edges[at].guard[0];
                one.constant = (one.constant + random.index(3) as i32 - 1).max(0);
            }
            3 if is_alone(edges) => {
                let clock = random.index(*clocks);
                let upper = random.index(2) == 0;
                edges[at].guard.push(Bound { clock, upper, constant: 1 + random.index(3) as i32, strict: false });
            }
            4 if is_alone(edges) => edges[at].to = random.index(invariants.len()),
            5 if is_alone(edges) => {
                edges.swap_remove(at);
            }
            _ => {}
        }
    }
    changed
}

/// The model with these components.
pub fn text(components: &[&Component]) -> String {
    let mut text = format!("broadcast chan {};\n", ACTIONS.join(", "));
    let bound = |one: &Bound| {
        let relation = match (one.upper, one.strict) {
            (true, false) => "<=",
            (true, true) => "<",
            (false, false) => ">=",
            (false, true) => ">",
        };
        format!("x{} {relation} {}", one.clock, one.constant)
    };
    let conjunction = |list: &[Bound]| list.iter().map(bound).collect::<Vec<_>>().join(" && ");
    for component in components {
        let clocks: Vec<String> = (0..component.clocks).map(|clock| format!("x{clock}")).collect();
        let _ = write!(text, "process {}() {{\n clock {};\n state ", component.name, clocks.join(", "));
        let states: Vec<String> = (0..)
            .zip(&component.invariants)
            .map(|(n, invariant)| match invariant.is_empty() {
                true => format!("L{n}"),
                false => format!("L{n} {{ {} }}", conjunction(invariant)),
            })
            .collect();
        let _ = write!(text, "{};\n init L0;\n", states.join(", "));
        let edges: Vec<String> = component
            .edges
            .iter()
            .map(|edge| {
                let mark = if component.outputs.contains(&edge.action) { '!' } else { '?' };
                let guard = match edge.guard.is_empty() {
                    true => String::new(),
                    false => format!(" guard {};", conjunction(&edge.guard)),
                };
                let resets: Vec<String> = edge.resets.iter().map(|clock| format!("x{clock} = 0")).collect();
                let resets = match resets.is_empty() {
                    true => String::new(),
                    false => format!(" assign {};", resets.join(", ")),
                };
                format!("L{} -> L{} {{{guard} sync {}{mark};{resets} }}", edge.from, edge.to, ACTIONS[edge.action])
            })
            .collect();
        if !edges.is_empty() {
            let _ = writeln!(text, " trans {};", edges.join(",\n  "));
        }
        text += "}\n";
    }
    let names: Vec<&str> = components.iter().map(|component| component.name.as_str()).collect();
    let _ = writeln!(text, "system {};", names.join(", "));
    for component in components {
        let inputs = component.inputs.iter().map(|action| format!("{}?", ACTIONS[*action]));
        let outputs = component.outputs.iter().map(|action| format!("{}!", ACTIONS[*action]));
        let actions: Vec<String> = inputs.chain(outputs).collect();
        let _ = writeln!(text, "IO {} {{ {} }}", component.name, actions.join(", "));
    }
    text
}
