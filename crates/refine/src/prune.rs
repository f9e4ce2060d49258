//! Adversarial pruning: a system without the states from which it cannot keep its environment from
//! inconsistent ones.
//!
//! What is left are the good states of the game for consistency (see
//! [`consistency`](crate::consistency)): no step and no delay leaves them. A set of good valuations
//! may have holes and corners, an invariant is a conjunction here, so a location is split: copies
//! have only upper bounds as invariants, one copy for each way in which delays leave the good set.
//! Of a good set `G` and the upper bounds `U` of one of its zones, the copy is for the valuations
//! from which time may pass exactly as long as `U` holds:
//!
//! ```text
//! G ∩ U  \  (U \ G)↓  \  Predt(G \ U, ¬G)
//! ```
//! Every delay within `G` ends in some zone of `G`, so the copies cover `G`. Edges lead into the
//! copy whose valuations they reach; their guards may compare clocks with each other. The result
//! has the implementations of the system (Goorden and others 2023), all its states are consistent,
//! and it refines the system.

use crate::consistency::Game;
use crate::error::{GoOn, Open, holding};
use crate::explicit::{Automaton, ExplicitEdge, ExplicitLocation, Graph, Taken};
use crate::world::{NodeId, World};
use std::collections::HashMap;
use zones::{Bound, Constraint, Federation, Zone};

/// A part of the good valuations of a state.
struct Copy {
    /// Upper bounds of clocks, by rows.
    upper: Vec<Constraint>,
    inside: Federation,
}

#[derive(Debug)]
pub enum Pruned {
    Automaton(Automaton),
    /// Nothing is left.
    Inconsistent,
}

/// The pruned system.
pub fn prune(world: &World<'_>, system: NodeId, go_on: &mut GoOn<'_>) -> Result<Pruned, Open> {
    let game = Game::solve(world, system, go_on)?;
    let graph = Graph::new(world, system, game.states.iter().map(|state| state.slots.clone()));
    let held = game.bytes() + 2 * graph.bytes();
    let mut good: Vec<Option<Federation>> = vec![None; graph.states.len()];
    for (n, state) in game.states.iter().enumerate() {
        if !go_on(&holding(held)) {
            return Err(Open::Stopped);
        }
        if let Some(at) = graph.find(&state.slots) {
            good[at].get_or_insert_with(|| game.good(n, &graph.clocks));
        }
    }
    let mut copies = Vec::with_capacity(good.len());
    for federation in good {
        if !go_on(&holding(held)) {
            return Err(Open::Stopped);
        }
        copies.push(federation.as_ref().map_or(Vec::new(), copies_of));
    }
    let pruner = Pruner { graph, copies, locations: Vec::new(), index: HashMap::new() };
    pruner.automaton(&mut |done| go_on(&holding(held + done.bytes))).ok_or(Open::Stopped)
}

/// The zone of upper bounds.
fn upper_zone(dim: usize, upper: &[Constraint]) -> Federation {
    let mut zone = Zone::universal(dim);
    if zone.constrain_all(upper) { Federation::from(zone) } else { Federation::empty(dim) }
}

fn copies_of(good: &Federation) -> Vec<Copy> {
    let dim = good.dim();
    let mut bad = Federation::universal(dim);
    bad.subtract(good);
    let mut left = good.clone();
    let mut copies: Vec<Copy> = Vec::new();
    for zone in good.zones() {
        let bounds = (1..dim).map(|row| (row, zone.upper(row))).filter(|(_, bound)| !bound.is_infinite());
        let upper: Vec<Constraint> = bounds.map(|(row, bound)| Constraint::upper(row, bound)).collect();
        if copies.iter().any(|copy| copy.upper == upper) {
            continue;
        }
        let below = upper_zone(dim, &upper);
        let mut inside = left.clone();
        inside.intersect(&below);
        let mut short = below.clone();
        short.subtract(good);
        short.down();
        inside.subtract(&short);
        let mut beyond = good.clone();
        beyond.subtract(&below);
        inside.subtract(&beyond.predt(&bad));
        inside.reduce();
        if !inside.is_empty() {
            left.subtract(&inside);
            copies.push(Copy { upper, inside });
        }
    }
    copies
}

struct Pruner<'w, 'n> {
    graph: Graph<'w, 'n>,
    copies: Vec<Vec<Copy>>,
    /// State and copy of the locations that are reached.
    locations: Vec<(usize, usize)>,
    index: HashMap<(usize, usize), usize>,
}

impl Pruner<'_, '_> {
    /// `None` if `go_on` says no.
    fn automaton(mut self, go_on: &mut GoOn<'_>) -> Option<Pruned> {
        let world = self.graph.world;
        let values = world.initial_values();
        let mut start = Zone::zero(self.graph.clocks.len() + 1);
        for (row, clock) in (1..).zip(&self.graph.clocks) {
            start.reset(row, values[*clock as usize - 1]);
        }
        let first = self.graph.find(&world.initial()).unwrap_or(0);
        let Some(copy) = self.copies[first].iter().position(|copy| copy.inside.includes(&start)) else {
            return Some(Pruned::Inconsistent);
        };
        let initial = self.location((first, copy));
        let mut edges = Vec::new();
        let mut at = 0;
        while at < self.locations.len() {
            self.leave(at, &mut edges, go_on)?;
            at += 1;
        }
        let clock = |row: u32| row.checked_sub(1).map_or(0, |n| self.graph.clocks[n as usize]);
        let location = |(state, copy): &(usize, usize)| {
            let upper = self.copies[*state][*copy].upper.iter();
            let invariant = upper.map(|one| Constraint { left: clock(one.left), right: clock(one.right), ..*one });
            ExplicitLocation { slots: self.graph.states[*state].clone(), invariant: invariant.collect() }
        };
        let locations = self.locations.iter().map(location).collect();
        Some(Pruned::Automaton(Automaton { clocks: self.graph.clocks.clone(), locations, initial, edges }))
    }

    fn location(&mut self, key: (usize, usize)) -> usize {
        *self.index.entry(key).or_insert_with(|| {
            self.locations.push(key);
            self.locations.len() - 1
        })
    }

    /// The edges of a location; `None` if `go_on` says no.
    fn leave(&mut self, from: usize, edges: &mut Vec<ExplicitEdge>, go_on: &mut GoOn<'_>) -> Option<()> {
        let (state, copy) = self.locations[from];
        let slots = self.graph.states[state].clone();
        let dim = self.graph.clocks.len() + 1;
        for Taken { action, output, step, to } in self.graph.taken(&slots) {
            if !output && to == state && step.resets.is_empty() {
                continue;
            }
            for target in 0..self.copies[to].len() {
                if !go_on(&holding(self.locations.len() as u64 * 1_000 + edges.len() as u64 * 2_000)) {
                    return None;
                }
                let mut before = self.copies[to][target].inside.clone();
                for (clock, value) in &step.resets {
                    let row = self.graph.row(*clock) as usize;
                    before.constrain(Constraint::upper(row, Bound::le(*value)));
                    before.constrain(Constraint::at_least(row, *value));
                    before.free(row);
                }
                step.guard.iter().for_each(|one| before.constrain(self.graph.on_rows(*one)));
                let inside = &self.copies[state][copy].inside;
                // All valuations of the location are inside, which guards need not repeat.
                let context = match inside.zones() {
                    [one] => one.clone(),
                    _ => match upper_zone(dim, &self.copies[state][copy].upper).zones() {
                        [one] => one.clone(),
                        _ => continue,
                    },
                };
                before.intersect(inside);
                before.reduce();
                let guards: Vec<Vec<Constraint>> = before
                    .zones()
                    .iter()
                    .filter_map(|zone| self.graph.needed(&context, &self.graph.described(zone)))
                    .collect();
                for guard in guards {
                    let to = self.location((to, target));
                    edges.push(ExplicitEdge { from, to, action, output, guard, resets: step.resets.clone() });
                }
            }
        }
        Some(())
    }
}
