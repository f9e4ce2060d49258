//! Components that `get-component:` and `prune:` make: what their clocks, locations and actions are
//! called, and their constraints as text. [`model::write`] makes files of that. Clocks are called
//! after the component and its clock, locations after those of the components.

use super::Question;
use crate::report::{Answer, Evidence, Verdict};
use crate::searches::orders::BFS;
use model::check::SystemExpr;
use model::network::ClockId;
use model::syntax::query::SystemCheck;
use model::write::{ActionKind, Component, Edge, Location, Names};
use refine::explicit::{Automaton, ExplicitEdge, explicit};
use refine::operators::Mode;
use refine::prune::{Pruned, prune};
use refine::world::{NEW_INPUT, Node, NodeId, Starts, World};
use semantics::structure::Structure;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use zones::{Bound, Constraint};

/// A component as text.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct ComponentFile {
    pub name: String,
    /// A model in UPPAAL's XML.
    pub xml: String,
    /// A component of an ECDAR project; there is none if its actions are elements of channel
    /// arrays.
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
        answer.search = Some(BFS.name.to_owned());
        // The game of pruning is about deterministic systems.
        if check == SystemCheck::Prune && !self.is_deterministic(answer, &world, root) {
            return;
        }
        let built = match check {
            SystemCheck::Prune => match prune(&world, root, &mut |done| self.goes_on(done)) {
                Ok(Pruned::Automaton(automaton)) => Ok(automaton),
                Ok(Pruned::Inconsistent) => {
                    self.is_consistent(answer, &world, root);
                    return;
                }
                Err(open) => Err(open),
            },
            _ => explicit(&world, root, &mut |done| self.goes_on(done)),
        };
        match built {
            Ok(automaton) => {
                answer.verdict = Verdict::Satisfied;
                answer.evidence = Evidence::Exhaustive;
                answer.component = Some(written(&world, root, &automaton, name));
            }
            Err(open) => self.open(answer, &world, root, open),
        }
    }
}

/// An automaton with the names of its clocks.
struct Written<'w, 'n> {
    world: &'w World<'n>,
    automaton: &'w Automaton,
    clocks: BTreeMap<u32, String>,
}

fn written(world: &World<'_>, system: NodeId, automaton: &Automaton, name: Option<&str>) -> ComponentFile {
    let alphabet = world.alphabet(system);
    let mut names = Names::default();
    let mut actions = BTreeMap::new();
    for &action in alphabet.inputs.iter().chain(&alphabet.outputs) {
        let own = world.action_name(action);
        names.take(own.split('[').next().unwrap_or_default());
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
    names.take(&name);
    let mut used: HashSet<u32> = HashSet::new();
    let constraints = automaton.locations.iter().flat_map(|location| &location.invariant);
    let constraints = constraints.chain(automaton.edges.iter().flat_map(|edge| &edge.guard));
    constraints.for_each(|one| used.extend([one.left, one.right]));
    let mut clocks = BTreeMap::new();
    for clock in automaton.clocks.iter().filter(|clock| used.contains(clock)) {
        clocks.insert(*clock, names.fresh(&clock_name(world, *clock)));
    }
    // ECDAR's name of inconsistent locations: those that are written are as their invariants and
    // edges say.
    let mut places = Names::default();
    places.take("inc");
    let locations =
        automaton.locations.iter().map(|location| places.fresh(&place(world, system, &location.slots))).collect();
    let named = |ids: &[u32]| ids.iter().map(|action| actions[action].clone()).collect();
    let written = Written { world, automaton, clocks };
    let component = Component {
        name: name.clone(),
        clocks: written.clocks_with_values(),
        locations: written.locations(locations),
        initial: automaton.initial,
        edges: automaton.edges.iter().map(|edge| written.edge(edge, &actions[&edge.action])).collect(),
        inputs: named(&alphabet.inputs),
        outputs: named(&alphabet.outputs),
    };
    ComponentFile { name, xml: component.uppaal(), ecdar: component.ecdar() }
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
        match world.node(node) {
            Node::Leaf(leaf) => {
                let local = world.local(*leaf, slots);
                let template = world.network.template_of(world.component_of(*leaf).process);
                let ints: String = local.ints.iter().map(|value| format!("_{value}")).collect();
                parts.push(format!("{}{ints}", template.location(local.location).name));
            }
            Node::Operator(operator) => match operator.mode(slots) {
                None | Some(Mode::Operands) => waiting.extend(operator.operands().iter().rev()),
                Some(Mode::Universal) => parts.push("Universal".to_owned()),
                Some(Mode::Inconsistent) => parts.push("Inconsistent".to_owned()),
            },
        }
    }
    parts.join("_")
}

impl Written<'_, '_> {
    fn constraint(&self, one: &Constraint) -> String {
        let constant = self.units(one.bound.constant());
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

    fn clocks_with_values(&self) -> Vec<(String, i64)> {
        let values = self.world.initial_values();
        let valued = |(clock, name): (&u32, &String)| (name.clone(), self.units(values[*clock as usize - 1]));
        self.clocks.iter().map(valued).collect()
    }

    fn locations(&self, names: Vec<String>) -> Vec<Location> {
        let invariants = self.automaton.locations.iter().map(|location| self.conjunction(&location.invariant));
        names.into_iter().zip(invariants).map(|(name, invariant)| Location { name, invariant }).collect()
    }

    fn edge(&self, edge: &ExplicitEdge, action: &str) -> Edge {
        let resets: BTreeMap<u32, i32> = edge.resets.iter().copied().collect();
        let reset = |(clock, value): (&u32, &i32)| Some((self.clocks.get(clock)?.clone(), self.units(*value)));
        Edge {
            from: edge.from,
            to: edge.to,
            action: action.to_owned(),
            kind: if edge.output { ActionKind::Output } else { ActionKind::Input },
            guard: self.conjunction(&edge.guard),
            update: resets.iter().filter_map(reset).collect(),
        }
    }

    fn units(&self, value: i32) -> i64 {
        i64::from(value) * i64::from(self.world.unit)
    }
}
