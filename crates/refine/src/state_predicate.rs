//! Predicates over the states of a system, as reachability queries write them, with their names
//! looked up.

use crate::error::{GoOn, holding};
use crate::world::{NodeId, Slots, World};
use model::syntax::system_state::{Component, Predicate, Relation};
use std::collections::BTreeMap;
use zones::{Bound, Constraint};

/// Cases of a predicate in one state.
const CASES: usize = 1 << 12;

/// What a name behind a component stands for.
enum Member {
    Location(usize),
    Clock(u32),
    /// An index into the integers of a local state.
    Int(usize),
}

/// A predicate over the leaves of one system, names resolved.
pub struct Resolved<'w, 'n> {
    world: &'w World<'n>,
    leaves: Vec<u32>,
    predicate: Predicate,
}

impl<'w, 'n> Resolved<'w, 'n> {
    /// Looks up all names.
    pub fn new(world: &'w World<'n>, system: NodeId, predicate: Predicate) -> Result<Resolved<'w, 'n>, String> {
        let resolved = Resolved { world, leaves: world.leaves_of(system), predicate };
        resolved.check(&resolved.predicate)?;
        Ok(resolved)
    }

    fn check(&self, predicate: &Predicate) -> Result<(), String> {
        match predicate {
            Predicate::Truth(_) => Ok(()),
            Predicate::At { component, location } => match self.member(component, location)? {
                (_, Member::Location(_)) => Ok(()),
                _ => Err(format!("`{location}` is not a location of `{}`", component.name)),
            },
            Predicate::Compare { component, variable, .. } => match self.member(component, variable)? {
                (_, Member::Location(_)) => Err(format!("the location `{variable}` is compared with a number")),
                _ => Ok(()),
            },
            Predicate::Not(inner) => self.check(inner),
            Predicate::All(parts) | Predicate::Any(parts) => parts.iter().try_for_each(|part| self.check(part)),
        }
    }

    fn leaf(&self, component: &Component) -> Result<u32, String> {
        let fits = |leaf: &&u32| {
            self.world.component_of(**leaf).name == component.name
                && (component.instance.is_none() || self.world.leaves[**leaf as usize].instance == component.instance)
        };
        let found: Vec<u32> = self.leaves.iter().filter(fits).copied().collect();
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(format!("the system has no component `{}`", component.name)),
            _ => Err(format!("which `{}`? Tell the instances apart: `{}[1]`", component.name, component.name)),
        }
    }

    fn member(&self, component: &Component, name: &str) -> Result<(u32, Member), String> {
        let leaf = self.leaf(component)?;
        let process = self.world.component_of(leaf).process;
        let template = self.world.network.template_of(process);
        if let Some(location) = template.locations.iter().position(|location| &*location.name == name) {
            return Ok((leaf, Member::Location(location)));
        }
        let Some(variable) = template.variables.iter().find(|variable| &*variable.name == name) else {
            return Err(format!("`{}` has no location, clock or variable `{name}`", component.name));
        };
        let extent = variable.ty.extent();
        match (extent.clocks, extent.ints) {
            (1, 0) => Ok((leaf, Member::Clock(self.world.leaves[leaf as usize].clocks + 1 + variable.offset.clocks))),
            (0, 1) => Ok((leaf, Member::Int(variable.offset.ints as usize))),
            _ => Err(format!("`{name}` is neither a clock nor an integer")),
        }
    }

    /// The clocks that it compares, with the largest constants.
    pub fn watched(&self) -> Vec<(u32, i32)> {
        let mut watched = Vec::new();
        let mut waiting = vec![&self.predicate];
        while let Some(next) = waiting.pop() {
            match next {
                Predicate::Compare { component, variable, constant, .. } => {
                    if let Ok((_, Member::Clock(clock))) = self.member(component, variable) {
                        watched.push((clock, (constant / self.world.unit as i32).max(0)));
                    }
                }
                Predicate::Not(inner) => waiting.push(inner),
                Predicate::All(parts) | Predicate::Any(parts) => waiting.extend(parts),
                Predicate::Truth(_) | Predicate::At { .. } => {}
            }
        }
        // A state to start from must fit what local states know about differences of clocks.
        for (n, leaf) in self.world.leaves.iter().enumerate() {
            let mut largest: BTreeMap<u32, i32> = BTreeMap::new();
            for one in self.world.component_of(n as u32).states.iter().flat_map(|state| &state.differences) {
                for clock in [one.left, one.right] {
                    let entry = largest.entry(clock + leaf.clocks).or_default();
                    *entry = (*entry).max(one.bound.constant().abs());
                }
            }
            watched.extend(largest);
        }
        watched
    }

    /// The valuations for which it holds in a discrete state, as conjunctions; `None` if there are
    /// too many.
    pub fn cases(&self, slots: &Slots) -> Option<Vec<Vec<Constraint>>> {
        self.cases_of(&self.predicate, slots, true)
    }

    /// The discrete states that it speaks about, each with conjunctions over clocks: every
    /// combination of local states that the components have; `None` if there are too many, or if
    /// `go_on` says no.
    #[allow(clippy::type_complexity)]
    pub fn starts(&self, go_on: &mut GoOn<'_>) -> Option<Vec<(Vec<u32>, Vec<Vec<Constraint>>)>> {
        let mut partial = vec![self.world.initial()];
        for (n, leaf) in self.leaves.iter().enumerate() {
            let slot = self.world.leaves[*leaf as usize].slot as usize;
            let mut next = Vec::new();
            for slots in &partial {
                if !go_on(&holding((partial.len() + next.len()) as u64 * (32 + 4 * slots.len() as u64))) {
                    return None;
                }
                for local in 0..self.world.component_of(*leaf).states.len() as u32 {
                    let mut slots = slots.clone();
                    slots[slot] = local;
                    if self.truth(&self.predicate, &slots, &self.leaves[..=n]) != Some(false) {
                        next.push(slots);
                    }
                }
                if next.len() > CASES {
                    return None;
                }
            }
            partial = next;
        }
        let mut starts = Vec::new();
        for slots in partial {
            if !go_on(&holding(starts.len() as u64 * 1_000)) {
                return None;
            }
            let differences: Vec<Constraint> =
                self.leaves.iter().flat_map(|leaf| self.world.differences(*leaf, &slots)).collect();
            let mut cases = self.cases(&slots)?;
            cases.iter_mut().for_each(|case| case.extend_from_slice(&differences));
            if !cases.is_empty() {
                starts.push((slots, cases));
            }
        }
        Some(starts)
    }

    /// Whether it holds, as far as the local states of some leaves tell.
    fn truth(&self, predicate: &Predicate, slots: &Slots, known: &[u32]) -> Option<bool> {
        match predicate {
            Predicate::Truth(value) => Some(*value),
            Predicate::At { component, location: name } | Predicate::Compare { component, variable: name, .. } => {
                match self.member(component, name) {
                    Ok((_, Member::Clock(_))) => None,
                    Ok((leaf, _)) if !known.contains(&leaf) => None,
                    _ => self.cases_of(predicate, slots, true).map(|cases| !cases.is_empty()),
                }
            }
            Predicate::Not(inner) => self.truth(inner, slots, known).map(|holds| !holds),
            Predicate::All(parts) | Predicate::Any(parts) => {
                let decides = matches!(predicate, Predicate::Any(_));
                let parts: Vec<Option<bool>> = parts.iter().map(|part| self.truth(part, slots, known)).collect();
                match parts.contains(&Some(decides)) {
                    true => Some(decides),
                    false => parts.iter().all(Option::is_some).then_some(!decides),
                }
            }
        }
    }

    fn cases_of(&self, predicate: &Predicate, slots: &Slots, positive: bool) -> Option<Vec<Vec<Constraint>>> {
        let truth = |holds: bool| if holds == positive { vec![Vec::new()] } else { Vec::new() };
        Some(match predicate {
            Predicate::Truth(value) => truth(*value),
            Predicate::At { component, location } => match self.member(component, location) {
                Ok((leaf, Member::Location(location))) => {
                    truth(self.world.local(leaf, slots).location.index() == location)
                }
                _ => Vec::new(),
            },
            Predicate::Compare { component, variable, relation, constant } => match self.member(component, variable) {
                Ok((leaf, Member::Int(at))) => {
                    let value = self.world.local(leaf, slots).ints.get(at).copied().unwrap_or(0);
                    truth(relation.holds(value, *constant))
                }
                Ok((_, Member::Clock(clock))) => {
                    comparison(*relation, clock as usize, constant / self.world.unit as i32, positive)
                }
                _ => Vec::new(),
            },
            Predicate::Not(inner) => self.cases_of(inner, slots, !positive)?,
            Predicate::All(parts) if positive => self.product(parts, slots, true)?,
            Predicate::Any(parts) if !positive => self.product(parts, slots, false)?,
            Predicate::All(parts) | Predicate::Any(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.cases_of(part, slots, positive)?);
                    if all.len() > CASES {
                        return None;
                    }
                }
                all
            }
        })
    }

    fn product(&self, parts: &[Predicate], slots: &Slots, positive: bool) -> Option<Vec<Vec<Constraint>>> {
        let mut product: Vec<Vec<Constraint>> = vec![Vec::new()];
        for part in parts {
            let cases = self.cases_of(part, slots, positive)?;
            if product.len() * cases.len() > CASES {
                return None;
            }
            product = product.iter().flat_map(|one| cases.iter().map(|other| [&one[..], other].concat())).collect();
        }
        Some(product)
    }
}

/// The conjunctions of constraints that say that a clock compares so with a constant, or that it
/// does not.
fn comparison(relation: Relation, clock: usize, constant: i32, positive: bool) -> Vec<Vec<Constraint>> {
    let upper = |bound| Constraint::new(clock, 0, bound);
    let lower = |bound| Constraint::new(0, clock, bound);
    let (le, lt) = (upper(Bound::le(constant)), upper(Bound::lt(constant)));
    let (ge, gt) = (lower(Bound::le(-constant)), lower(Bound::lt(-constant)));
    match (relation, positive) {
        (Relation::Lt, true) | (Relation::Ge, false) => vec![vec![lt]],
        (Relation::Le, true) | (Relation::Gt, false) => vec![vec![le]],
        (Relation::Ge, true) | (Relation::Lt, false) => vec![vec![ge]],
        (Relation::Gt, true) | (Relation::Le, false) => vec![vec![gt]],
        (Relation::Eq, true) | (Relation::Ne, false) => vec![vec![le, ge]],
        (Relation::Eq, false) | (Relation::Ne, true) => vec![vec![lt], vec![gt]],
    }
}
