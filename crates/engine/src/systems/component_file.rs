//! Components that `get-component:` and `prune:` make, as files.
//!
//! As UPPAAL's XML: a model of its own with the channels, one template and its `IO` declaration. As ECDAR's JSON: one file for the folder
//! `Components` of a project, which has no `IO` declaration of the component to say what its actions are; those that no edge has get one that changes
//! nothing. Clocks are called after the component and its clock, locations after those of the components.

use super::Question;
use crate::report::{Answer, Evidence, Verdict};
use model::check::SystemExpr;
use model::network::ClockId;
use model::syntax::ast::Syntax;
use model::syntax::query::SystemCheck;
use refine::explicit::{Automaton, ExplicitEdge, explicit};
use refine::explore::Explored;
use refine::prune::{Pruned, prune};
use refine::world::{NEW_INPUT, Node, NodeId, Starts, World};
use semantics::structure::Structure;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use zones::{Bound, Constraint};

/// A component as text.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct ComponentFile {
    pub name: String,
    /// A model in UPPAAL's XML.
    pub xml: String,
    /// A component of an ECDAR project; there is none if its actions are elements of channel arrays.
    #[serde(skip)]
    pub ecdar: Option<String>,
}

impl Question<'_, '_, '_> {
    /// Answers `get-component:` and `prune:`.
    pub(super) fn component(
        &mut self,
        answer: &mut Answer,
        structure: &Structure<'_>,
        check: SystemCheck,
        system: &SystemExpr,
        name: Option<&str>,
    ) {
        let (world, root) = match self.world(structure, &[system], &[], Starts::Initial) {
            Ok((world, roots)) => (world, roots[0]),
            Err(unfit) => return self.refuse(answer, &unfit),
        };
        answer.search = Some("bfs".to_owned());
        // The game of pruning is about deterministic systems.
        if check == SystemCheck::Prune && !self.is_deterministic(answer, &world, root) {
            return;
        }
        let mut go_on = |bytes| self.goes_on_with(bytes);
        let built = match check {
            SystemCheck::Prune => match prune(&world, root, &mut go_on) {
                Explored::Found(Pruned::Automaton(automaton)) => Explored::Found(automaton),
                Explored::Found(Pruned::Inconsistent) => {
                    self.is_consistent(answer, &world, root);
                    return;
                }
                Explored::All(_) | Explored::Stopped => Explored::Stopped,
                Explored::NoStart => Explored::NoStart,
                Explored::Failed(leaf, error) => Explored::Failed(leaf, error),
                Explored::Overflow => Explored::Overflow,
            },
            _ => explicit(&world, root, &mut go_on),
        };
        match built {
            Explored::Found(automaton) => {
                answer.verdict = Verdict::Satisfied;
                answer.evidence = Evidence::Exhaustive;
                answer.component = Some(written(&world, root, &automaton, name));
            }
            Explored::NoStart => self.no_start(answer, &world, root),
            Explored::Failed(leaf, error) => self.model_error(answer, &world, leaf, error),
            Explored::Overflow => answer.reason = Some("a bound is too large for zones".to_owned()),
            Explored::All(_) | Explored::Stopped => answer.reason = Some(self.stopped()),
        }
    }
}

/// Names, each given once.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A name made of letters, digits and `_` that nobody has.
    fn fresh(&mut self, wanted: &str) -> String {
        let mut name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        while name.contains("__") {
            name = name.replace("__", "_");
        }
        name.truncate(60);
        let mut name = name.trim_end_matches('_').to_owned();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'n');
        }
        let mut unique = name.clone();
        let mut n = 2;
        while !model::syntax::is_name(&unique, Syntax::New) || !self.taken.insert(unique.clone()) {
            unique = format!("{name}_{n}");
            n += 1;
        }
        unique
    }
}

/// An automaton with all its names.
struct Written<'w, 'n> {
    world: &'w World<'n>,
    automaton: &'w Automaton,
    name: String,
    clocks: BTreeMap<u32, String>,
    locations: Vec<String>,
    actions: BTreeMap<u32, String>,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
}

fn written(world: &World<'_>, system: NodeId, automaton: &Automaton, name: Option<&str>) -> ComponentFile {
    let alphabet = world.alphabet(system);
    let mut names = Names::default();
    let mut actions = BTreeMap::new();
    for &action in alphabet.inputs.iter().chain(&alphabet.outputs) {
        let own = world.action_name(action);
        names.taken.insert(own.split('[').next().unwrap_or_default().to_owned());
        actions.insert(action, own);
    }
    // The new input of quotients is a channel as well.
    if let Some(name) = actions.get_mut(&world.fresh)
        && !world.is_channel(world.fresh)
        && world.network.globals.iter().any(|global| *global.name == **name)
    {
        *name = names.fresh(NEW_INPUT);
    }
    let name = match name {
        Some(name) => name.to_owned(),
        None => names.fresh(&world.title(system)),
    };
    names.taken.insert(name.clone());
    let mut used: HashSet<u32> = HashSet::new();
    let constraints = automaton.locations.iter().flat_map(|location| &location.invariant);
    let constraints = constraints.chain(automaton.edges.iter().flat_map(|edge| &edge.guard));
    constraints.for_each(|one| used.extend([one.left, one.right]));
    let mut clocks = BTreeMap::new();
    for clock in automaton.clocks.iter().filter(|clock| used.contains(clock)) {
        clocks.insert(*clock, names.fresh(&clock_name(world, *clock)));
    }
    // ECDAR's name of inconsistent locations: those that are written are as their invariants and edges say.
    let mut places = Names { taken: HashSet::from(["inc".to_owned()]) };
    let locations =
        automaton.locations.iter().map(|location| places.fresh(&place(world, system, &location.slots))).collect();
    let written = Written {
        world,
        automaton,
        name: name.clone(),
        clocks,
        locations,
        actions,
        inputs: alphabet.inputs.clone(),
        outputs: alphabet.outputs.clone(),
    };
    ComponentFile { name, xml: written.xml(), ecdar: written.ecdar() }
}

fn clock_name(world: &World<'_>, clock: u32) -> String {
    for (n, leaf) in world.leaves.iter().enumerate() {
        let component = world.component_of(n as u32);
        let Some(own) = clock.checked_sub(leaf.clocks + 1).filter(|own| (*own as usize) < component.clocks) else {
            continue;
        };
        let template = world.network.template_of(component.process);
        if own >= template.state.clocks {
            return format!("{}_urgent", world.leaf_name(n as u32));
        }
        let first = world.network.process(component.process).state.clocks;
        let name = world.network.clock_name(ClockId::new((first + own) as usize));
        let short = name.rsplit('.').next().filter(|_| world.leaves.len() == 1).map(str::to_owned);
        return short.unwrap_or(name);
    }
    "quotient".to_owned()
}

/// What a location is called: the locations of the components with their integers.
fn place(world: &World<'_>, system: NodeId, slots: &[u32]) -> String {
    let mut parts = Vec::new();
    let mut waiting = vec![system];
    while let Some(node) = waiting.pop() {
        match &world.nodes[node.0 as usize] {
            Node::Leaf(leaf) => {
                let local = world.local(*leaf, slots);
                let template = world.network.template_of(world.component_of(*leaf).process);
                let ints: String = local.ints.iter().map(|value| format!("_{value}")).collect();
                parts.push(format!("{}{ints}", template.location(local.location).name));
            }
            Node::Compose { children, .. } | Node::Conjoin { children, .. } => {
                waiting.extend(children.iter().rev());
            }
            Node::Quotient(quotient) => match slots[quotient.mode as usize] {
                0 => waiting.extend([quotient.part, quotient.whole]),
                1 => parts.push("Universal".to_owned()),
                _ => parts.push("Inconsistent".to_owned()),
            },
        }
    }
    parts.join("_")
}

impl Written<'_, '_> {
    fn constraint(&self, one: &Constraint) -> String {
        let constant = i64::from(one.bound.constant()) * i64::from(self.world.unit);
        let strict = one.bound.is_strict();
        let clock = |clock: u32| self.clocks.get(&clock).map_or("", String::as_str);
        match (one.left, one.right) {
            // Clock 0 below 0: nothing meets it.
            (0, 0) => "false".to_owned(),
            (left, 0) => format!("{} {} {constant}", clock(left), if strict { "<" } else { "<=" }),
            (0, right) => format!("{} {} {}", clock(right), if strict { ">" } else { ">=" }, -constant),
            (left, right) => {
                format!("{} - {} {} {constant}", clock(left), clock(right), if strict { "<" } else { "<=" })
            }
        }
    }

    /// `x == 3` where both bounds are the same.
    fn conjunction(&self, list: &[Constraint]) -> String {
        let mut parts = Vec::new();
        for (n, one) in list.iter().enumerate() {
            let opposite = |other: &Constraint| {
                other.left == one.right
                    && other.right == one.left
                    && one.left != one.right
                    && one.bound + other.bound == Bound::LE_ZERO
            };
            if list[..n].iter().any(opposite) {
                continue;
            }
            let text = self.constraint(one);
            parts.push(match list[n + 1..].iter().any(opposite) {
                true => text.replacen("<=", "==", 1).replacen(">=", "==", 1),
                false => text,
            });
        }
        parts.join(" && ")
    }

    fn update(&self, edge: &ExplicitEdge) -> String {
        let resets: BTreeMap<u32, i32> = edge.resets.iter().copied().collect();
        let reset = |(clock, value): (&u32, &i32)| {
            let value = i64::from(*value) * i64::from(self.world.unit);
            self.clocks.get(clock).map(|name| format!("{name} = {value}"))
        };
        resets.iter().filter_map(reset).collect::<Vec<_>>().join(", ")
    }

    /// `clock x, y = 3;`
    fn clock_declaration(&self) -> String {
        let values = self.world.initial_values();
        let declared = |(clock, name): (&u32, &String)| match values[*clock as usize - 1] {
            0 => name.clone(),
            value => format!("{name} = {}", i64::from(value) * i64::from(self.world.unit)),
        };
        let names: Vec<String> = self.clocks.iter().map(declared).collect();
        if names.is_empty() { String::new() } else { format!("clock {};", names.join(", ")) }
    }

    /// The channels, arrays large enough for the indices that occur.
    fn channels(&self) -> String {
        let mut sizes: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for name in self.actions.values() {
            let mut parts = name.split('[');
            let entry = sizes.entry(parts.next().unwrap_or_default()).or_default();
            for (n, index) in parts.enumerate() {
                let index: u64 = index.trim_end_matches(']').parse().unwrap_or(0);
                if n == entry.len() {
                    entry.push(0);
                }
                entry[n] = entry[n].max(index + 1);
            }
        }
        let array = |(name, sizes): (&&str, &Vec<u64>)| {
            format!("{name}{}", sizes.iter().map(|size| format!("[{size}]")).collect::<String>())
        };
        let names: Vec<String> = sizes.iter().map(array).collect();
        if names.is_empty() { String::new() } else { format!("broadcast chan {};", names.join(", ")) }
    }

    fn xml(&self) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' \
             'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>\n",
        );
        // Writing to a string cannot fail.
        let _ = self.write_xml(&mut out);
        out
    }

    fn write_xml(&self, out: &mut String) -> std::fmt::Result {
        let Automaton { locations, initial, edges, .. } = self.automaton;
        writeln!(out, "<nta>\n<declaration>{}</declaration>", escaped(&self.channels()))?;
        let clocks = self.clock_declaration();
        writeln!(out, "<template>\n<name>{}</name>\n<declaration>{}</declaration>", self.name, escaped(&clocks))?;
        for (n, location) in locations.iter().enumerate() {
            let (x, y) = position(n);
            write!(out, "<location id=\"id{n}\" x=\"{x}\" y=\"{y}\"><name>{}</name>", self.locations[n])?;
            if !location.invariant.is_empty() {
                let text = escaped(&self.conjunction(&location.invariant));
                write!(out, "<label kind=\"invariant\">{text}</label>")?;
            }
            writeln!(out, "</location>")?;
        }
        writeln!(out, "<init ref=\"id{initial}\"/>")?;
        for edge in edges {
            let mark = if edge.output { '!' } else { '?' };
            let sync = format!("{}{mark}", self.actions[&edge.action]);
            write!(out, "<transition><source ref=\"id{}\"/><target ref=\"id{}\"/>", edge.from, edge.to)?;
            let (guard, update) = (self.conjunction(&edge.guard), self.update(edge));
            for (kind, text) in [("guard", guard), ("synchronisation", sync), ("assignment", update)] {
                if !text.is_empty() {
                    write!(out, "<label kind=\"{kind}\">{}</label>", escaped(&text))?;
                }
            }
            writeln!(out, "</transition>")?;
        }
        let inputs = self.inputs.iter().map(|action| format!("{}?", self.actions[action]));
        let outputs = self.outputs.iter().map(|action| format!("{}!", self.actions[action]));
        let actions: Vec<String> = inputs.chain(outputs).collect();
        let name = &self.name;
        writeln!(out, "</template>\n<system>system {name};\nIO {name} {{ {} }}</system>", actions.join(", "))?;
        writeln!(out, "</nta>")
    }

    fn ecdar(&self) -> Option<String> {
        if self.actions.values().any(|name| name.contains('[')) {
            return None;
        }
        let Automaton { locations, initial, edges, .. } = self.automaton;
        let places = locations.iter().enumerate().map(|(n, location)| {
            let (x, y) = position(n);
            serde_json::json!({
                "id": format!("L{n}"), "nickname": self.locations[n], "invariant": self.conjunction(&location.invariant),
                "type": if n == *initial { "INITIAL" } else { "NORMAL" }, "urgency": "NORMAL", "x": x, "y": y, "color": "9",
                "nicknameX": 30, "nicknameY": -10, "invariantX": 30, "invariantY": 10,
            })
        });
        let edge = |n: usize, (from, to): (usize, usize), action: u32, output: bool, guard: String, update: String| {
            serde_json::json!({
                "id": format!("E{n}"), "group": "", "sourceLocation": format!("L{from}"), "targetLocation": format!("L{to}"),
                "status": if output { "OUTPUT" } else { "INPUT" }, "select": "", "guard": guard, "update": update,
                "sync": self.actions[&action], "isLocked": false, "nails": [],
            })
        };
        let mut list: Vec<serde_json::Value> = Vec::new();
        for one in edges {
            let (guard, update) = (self.conjunction(&one.guard), self.update(one));
            list.push(edge(list.len(), (one.from, one.to), one.action, one.output, guard, update));
        }
        let known: HashSet<u32> = edges.iter().map(|edge| edge.action).collect();
        let ends = (*initial, *initial);
        for action in self.inputs.iter().filter(|action| !known.contains(action)) {
            list.push(edge(list.len(), ends, *action, false, String::new(), String::new()));
        }
        for action in self.outputs.iter().filter(|action| !known.contains(action)) {
            list.push(edge(list.len(), ends, *action, true, "false".to_owned(), String::new()));
        }
        let document = serde_json::json!({
            "name": self.name, "declarations": self.clock_declaration(), "locations": places.collect::<Vec<_>>(),
            "edges": list, "description": "", "x": 5, "y": 5, "width": 1200, "height": 800, "color": "9",
            "includeInPeriodicCheck": false,
        });
        serde_json::to_string_pretty(&document).ok()
    }
}

/// Where a location is drawn.
fn position(n: usize) -> (usize, usize) {
    (150 + 250 * (n % 6), 150 + 200 * (n / 6))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
