//! Refinement by exhaustive search over pairs of states.
//!
//! `S <= T` holds if a relation of pairs contains the initial one and in each of its pairs: what T may receive S may receive, what S may
//! output T may output, and T may wait as long as S (definition of Goorden and others 2023). An action that only one side knows
//! is made by that side alone: an input of T, or an output of S. Both sides are deterministic, so the pair after an action is given,
//! and the relation can only be the set of reachable pairs: the search looks for one that breaks a rule.
//!
//! A node is a discrete pair with a zone over the active clocks of both sides. The delay rule is checked when a zone is entered, the
//! initial one included: `E↑ ∧ Inv_S ⊆ Inv_T`, exact and with strictness, because `E ⊆ Inv_S ∧ Inv_T` and invariants are
//! conjunctions. (Reveaal does not check the initial pair, and needs `↓`, because it lets zones in that violate Inv_T.) The
//! action rules are differences of a zone and a union of guards, by splitting.
//!
//! A zone is not explored if one that is known simulates it (`simulation.rs`). Where the stored zones themselves have to be a relation,
//! each is extrapolated by the same bounds, within both invariants, time passes in what that adds, and one that the zones of its pair cover
//! together is not explored: more are stored then. What extrapolation adds is simulated by what was there, so it breaks no rule that is not broken
//! anyway, and a zone that includes all successors needs no simulation to say so. Pairs whose right side allows everything from then on are not explored: no rule can be broken there.
//! A broken rule stands at the end of a path of steps; `run.rs` finds exact times for it.

use crate::frame::Frame;
use crate::simulation::Simulation;
use crate::world::{NodeId, Slots, Step, World};
use std::collections::{HashMap, VecDeque};
use zones::{AluTest, Bound, Constraint, Federation, Source, Zone, ZoneRef};

/// Beyond so many zones their union is not asked whether it covers a zone.
const UNION: usize = 24;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    BreadthFirst,
    DepthFirst,
}

/// When a zone need not be explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// A known one breaks a rule whenever it does: the fewest are stored.
    Simulation,
    /// It lies within known ones: what is stored in the end is a refinement relation.
    Inclusion,
}

/// An action of both sides, or of one.
#[derive(Clone, Debug)]
pub struct PairStep {
    pub action: u32,
    pub output: bool,
    pub left: Option<Step>,
    pub right: Option<Step>,
}

/// Which rule a pair breaks, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// The left side outputs what the right one cannot.
    Output { action: u32, left: Step, place: Vec<Constraint> },
    /// The right side receives what the left one cannot.
    Input { action: u32, right: Step, place: Vec<Constraint> },
    /// The left side may wait longer: up to where the constraint on the right side is broken.
    Delay { limit: Constraint },
}

/// The steps that lead to a pair that breaks a rule.
#[derive(Clone, Debug)]
pub struct Violation {
    pub path: Vec<PairStep>,
    pub broken: Broken,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Refines,
    Violated(Box<Violation>),
    /// An evaluation of a component fails: leaf and error.
    Failed(u32, u32),
    /// A bound left the range that zones have.
    Overflow,
    Stopped,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub explored: u64,
    pub stored: u64,
    pub bytes: u64,
}

/// One discrete pair with the zones found for it.
struct Pair {
    slots: Box<[u32]>,
    frame: Frame,
    /// Nodes that are not covered.
    nodes: Vec<u32>,
    /// The right side allows everything from here on.
    permissive: bool,
}

struct Node {
    pair: u32,
    /// As [`Zone::store`] writes it.
    zone: Box<[Bound]>,
    parent: u32,
    made_by: Made,
    covered: bool,
}

/// A node that is being explored.
struct Place<'p> {
    node: u32,
    zone: &'p Zone,
    slots: &'p Slots,
}

/// Which of the steps of an action; `NONE` for a side that does not take part.
#[derive(Clone, Copy)]
struct Made {
    action: u32,
    left: u32,
    right: u32,
}

const NONE: u32 = u32::MAX;

pub struct Refinement<'w, 'n> {
    world: &'w World<'n>,
    left: NodeId,
    right: NodeId,
    order: Order,
    simulation: Simulation,
    comparison: Comparison,
    /// The left side can refuse no input: it has no quotient.
    enabled: bool,
    index: HashMap<Box<[u32]>, u32>,
    pairs: Vec<Pair>,
    nodes: Vec<Node>,
    waiting: VecDeque<u32>,
    pub counts: Counts,
    sources: Vec<Source>,
    test: AluTest,
}

impl<'w, 'n> Refinement<'w, 'n> {
    pub fn new(
        world: &'w World<'n>,
        left: NodeId,
        right: NodeId,
        order: Order,
        comparison: Comparison,
    ) -> Refinement<'w, 'n> {
        Refinement {
            simulation: Simulation::new(world, left, right),
            comparison,
            world,
            left,
            right,
            order,
            enabled: !world.has_quotient(left),
            index: HashMap::new(),
            pairs: Vec::new(),
            nodes: Vec::new(),
            waiting: VecDeque::new(),
            counts: Counts::default(),
            sources: Vec::new(),
            test: AluTest::new(),
        }
    }

    /// All discrete pairs with the zones that are stored for them.
    pub fn each_pair(&self, visit: &mut dyn FnMut(&Slots, &Frame, &[Zone])) {
        for pair in &self.pairs {
            let zone = |node: &u32| ZoneRef::from_stored(pair.frame.dim(), &self.nodes[*node as usize].zone).to_zone();
            let zones: Vec<Zone> = pair.nodes.iter().map(zone).collect();
            visit(&pair.slots, &pair.frame, &zones);
        }
    }

    /// Searches until a rule is broken, nothing is left, or `go_on` says no. After that it can go on.
    pub fn run(&mut self, go_on: &mut dyn FnMut(&Counts) -> bool) -> Outcome {
        if self.pairs.is_empty() {
            let pair = self.pair(&self.world.initial());
            let zone = self.pairs[pair as usize].frame.start(self.world);
            if let Some(outcome) = self.enter(pair, zone, NONE, Made { action: NONE, left: NONE, right: NONE }) {
                return outcome;
            }
        }
        loop {
            let next = match self.order {
                Order::BreadthFirst => self.waiting.pop_front(),
                Order::DepthFirst => self.waiting.pop_back(),
            };
            let Some(node) = next else { return Outcome::Refines };
            if self.nodes[node as usize].covered {
                continue;
            }
            match self.expand(node, go_on) {
                None => {}
                // What it led to is known by then.
                Some(Outcome::Stopped) => {
                    match self.order {
                        Order::BreadthFirst => self.waiting.push_front(node),
                        Order::DepthFirst => self.waiting.push_back(node),
                    }
                    return Outcome::Stopped;
                }
                Some(outcome) => return outcome,
            }
        }
    }

    fn simulates(&self) -> bool {
        self.comparison == Comparison::Simulation
    }

    fn pair(&mut self, slots: &Slots) -> u32 {
        if let Some(known) = self.index.get(slots) {
            return *known;
        }
        let id = self.pairs.len() as u32;
        let slots: Box<[u32]> = slots.into();
        let frame = self.simulation.frame(self.world, &slots);
        self.counts.bytes += 2 * (slots.len() as u64 * 4) + 200 + 32 * frame.dim() as u64;
        self.index.insert(slots.clone(), id);
        let permissive = self.simulates() && self.enabled && self.world.is_permissive(self.right, &slots);
        self.pairs.push(Pair { slots, frame, nodes: Vec::new(), permissive });
        id
    }

    /// Lets time pass in a zone that meets both invariants; stores it unless it is known.
    fn enter(&mut self, pair: u32, mut zone: Zone, parent: u32, made_by: Made) -> Option<Outcome> {
        let Pair { slots, frame, permissive, .. } = &self.pairs[pair as usize];
        if *permissive {
            return None;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.world.invariant(self.left, slots, &mut left);
        self.world.invariant(self.right, slots, &mut right);
        let (left, limits) = (frame.constraints(&left), frame.constraints(&right));
        let mut possible = zone.delay_within(&left);
        let cuts = |zone: &Zone| limits.iter().position(|limit| zone.admits(limit.negated()));
        let mut cut = cuts(&zone);
        if cut.is_none() && self.comparison == Comparison::Inclusion {
            zone.extrapolate_lu_plus(frame.bounds());
            possible &= zone.constrain_all(&left) && zone.constrain_all(&limits) && zone.delay_within(&left);
            cut = cuts(&zone);
        }
        debug_assert!(possible, "a zone meets the invariants when it is entered");
        if let Some(n) = cut {
            return Some(self.violated(parent, made_by, Broken::Delay { limit: right[n] }));
        }
        if zone.overflowed() {
            return Some(Outcome::Overflow);
        }
        if self.is_covered(pair, &zone) {
            return None;
        }
        let id = self.nodes.len() as u32;
        let mut stored = Vec::with_capacity(zone.dim() * zone.dim());
        zone.store(&mut stored);
        self.cover(pair, &zone, &stored);
        self.pairs[pair as usize].nodes.push(id);
        self.counts.stored += 1;
        self.counts.bytes += 64 + 4 * stored.len() as u64;
        self.nodes.push(Node { pair, zone: stored.into(), parent, made_by, covered: false });
        self.waiting.push_back(id);
        None
    }

    fn is_covered(&mut self, pair: u32, zone: &Zone) -> bool {
        let Pair { frame, nodes, .. } = &self.pairs[pair as usize];
        let zones = || nodes.iter().map(|other| ZoneRef::from_stored(frame.dim(), &self.nodes[*other as usize].zone));
        if self.simulates() {
            self.test.prepare(zone, frame.bounds());
            return zones().any(|other| self.test.is_covered_by(other));
        }
        if zones().any(|other| zone.is_subset_of(other)) {
            return true;
        }
        if !(2..=UNION).contains(&nodes.len()) {
            return false;
        }
        let mut rest = Federation::from(zone.clone());
        zones().any(|other| {
            rest.subtract_zone(&other.to_zone());
            rest.is_empty()
        })
    }

    /// Nodes of the pair that a new zone covers are not explored any more.
    fn cover(&mut self, pair: u32, zone: &Zone, stored: &[Bound]) {
        let Pair { frame, nodes, .. } = &mut self.pairs[pair as usize];
        let new = ZoneRef::from_stored(frame.dim(), stored);
        let simulates = self.comparison == Comparison::Simulation;
        nodes.retain(|other| {
            let other = &mut self.nodes[*other as usize];
            let known = ZoneRef::from_stored(frame.dim(), &other.zone);
            other.covered |= match simulates {
                true => known.is_subset_alu(new, frame.bounds()),
                false => zone.is_superset_of(known),
            };
            !other.covered
        });
    }

    fn expand(&mut self, node: u32, go_on: &mut dyn FnMut(&Counts) -> bool) -> Option<Outcome> {
        if !go_on(&self.counts) {
            return Some(Outcome::Stopped);
        }
        self.counts.explored += 1;
        let world = self.world;
        let Node { pair, zone, .. } = &self.nodes[node as usize];
        let zone = ZoneRef::from_stored(self.pairs[*pair as usize].frame.dim(), zone).to_zone();
        let pair = *pair;
        let slots = self.pairs[pair as usize].slots.clone();
        if let Some((leaf, error)) = world.error(&slots) {
            return Some(Outcome::Failed(leaf, error));
        }
        let at = Place { node, zone: &zone, slots: &slots };
        let mut outputs = Vec::new();
        world.possible_outputs(self.left, &slots, &mut outputs);
        outputs.sort_unstable();
        outputs.dedup();
        for action in outputs {
            let left = world.steps(self.left, &slots, action);
            if left.is_empty() {
                continue;
            }
            let right = self.follow(self.right, &slots, action);
            if let Some(outcome) = self.act(&at, action, true, &left, &right) {
                return Some(outcome);
            }
            if !go_on(&self.counts) {
                return Some(Outcome::Stopped);
            }
        }
        for &action in &world.alphabet(self.right).inputs {
            let right = world.steps(self.right, &slots, action);
            let left = self.follow(self.left, &slots, action);
            if let Some(outcome) = self.act(&at, action, false, &right, &left) {
                return Some(outcome);
            }
            if !go_on(&self.counts) {
                return Some(Outcome::Stopped);
            }
        }
        None
    }

    /// The steps of the side that answers; `None` if it does not know the action.
    fn follow(&self, system: NodeId, slots: &Slots, action: u32) -> Option<Vec<Step>> {
        self.world.alphabet(system).knows(action).then(|| self.world.steps(system, slots, action))
    }

    /// One side leads; the other must be able to follow wherever it can, and both end in the next pair.
    fn act(
        &mut self,
        at: &Place<'_>,
        action: u32,
        output: bool,
        leading: &[Step],
        following: &Option<Vec<Step>>,
    ) -> Option<Outcome> {
        for (n, lead) in leading.iter().enumerate() {
            let frame = &self.pairs[self.nodes[at.node as usize].pair as usize].frame;
            let mut led = at.zone.clone();
            if !led.constrain_all(&frame.constraints(&lead.guard)) {
                continue;
            }
            if let Some((leaf, error)) = lead.error {
                return Some(Outcome::Failed(leaf, error));
            }
            let Some(followers) = following else {
                let made = self.made(action, output, n as u32, NONE);
                if let Some(outcome) = self.go(at, led, lead, &Step::default(), made) {
                    return Some(outcome);
                }
                continue;
            };
            let guards: Vec<Vec<Constraint>> = followers.iter().map(|step| frame.constraints(&step.guard)).collect();
            if let Some(choice) = uncovered(&led, &guards) {
                let mut place = lead.guard.clone();
                for (step, broken) in followers.iter().zip(choice) {
                    place.extend_from_slice(&step.guard[..broken]);
                    place.push(step.guard[broken].negated());
                }
                let broken = match output {
                    true => Broken::Output { action, left: lead.clone(), place },
                    false => Broken::Input { action, right: lead.clone(), place },
                };
                return Some(self.violated_at(at.node, broken));
            }
            for (m, (follow, guard)) in followers.iter().zip(&guards).enumerate() {
                let mut both = led.clone();
                if !both.constrain_all(guard) {
                    continue;
                }
                if let Some((leaf, error)) = follow.error {
                    return Some(Outcome::Failed(leaf, error));
                }
                let made = self.made(action, output, n as u32, m as u32);
                if let Some(outcome) = self.go(at, both, lead, follow, made) {
                    return Some(outcome);
                }
            }
        }
        None
    }

    fn made(&self, action: u32, output: bool, lead: u32, follow: u32) -> Made {
        let (left, right) = if output { (lead, follow) } else { (follow, lead) };
        Made { action, left, right }
    }

    fn go(&mut self, at: &Place<'_>, mut zone: Zone, lead: &Step, follow: &Step, made: Made) -> Option<Outcome> {
        let mut next = at.slots.to_vec();
        for (slot, value) in lead.changes.iter().chain(&follow.changes) {
            next[*slot as usize] = *value;
        }
        let pair = self.pair(&next);
        let resets: Vec<(u32, i32)> = lead.resets.iter().chain(&follow.resets).copied().collect();
        let from = &self.pairs[self.nodes[at.node as usize].pair as usize].frame;
        self.pairs[pair as usize].frame.receive(&mut zone, from, &resets, &mut self.sources);
        self.enter(pair, zone, at.node, made)
    }

    fn violated_at(&self, node: u32, broken: Broken) -> Outcome {
        Outcome::Violated(Box::new(Violation { path: self.path(node), broken }))
    }

    fn violated(&self, parent: u32, made: Made, broken: Broken) -> Outcome {
        let mut path = self.path(parent);
        if parent != NONE {
            path.push(self.step(parent, made));
        }
        Outcome::Violated(Box::new(Violation { path, broken }))
    }

    fn path(&self, mut node: u32) -> Vec<PairStep> {
        let mut path = Vec::new();
        while node != NONE && self.nodes[node as usize].parent != NONE {
            let Node { parent, made_by, .. } = self.nodes[node as usize];
            path.push(self.step(parent, made_by));
            node = parent;
        }
        path.reverse();
        path
    }

    /// The step that leads on from a node.
    fn step(&self, node: u32, made: Made) -> PairStep {
        let slots = &self.pairs[self.nodes[node as usize].pair as usize].slots;
        let of = |system: NodeId, n: u32| {
            (n != NONE).then(|| self.world.steps(system, slots, made.action).swap_remove(n as usize))
        };
        let output = self.world.alphabet(self.left).has_output(made.action);
        PairStep { action: made.action, output, left: of(self.left, made.left), right: of(self.right, made.right) }
    }
}

/// A part of the zone in which none of the conjunctions holds: per conjunction which constraint is broken while those before it
/// hold. `None` if there is no such part.
fn uncovered(zone: &Zone, conjunctions: &[Vec<Constraint>]) -> Option<Vec<usize>> {
    let Some((first, rest)) = conjunctions.split_first() else { return Some(Vec::new()) };
    let mut inside = zone.clone();
    for (n, constraint) in first.iter().enumerate() {
        let mut outside = inside.clone();
        if outside.constrain_all(&[constraint.negated()])
            && let Some(mut choice) = uncovered(&outside, rest)
        {
            choice.insert(0, n);
            return Some(choice);
        }
        if !inside.constrain_all(&[*constraint]) {
            return None;
        }
    }
    None
}
