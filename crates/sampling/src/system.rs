//! What is known of a network before runs are made: edges by location, who may hear a channel, what a component's delay
//! depends on.

use super::facts::Facts;
use model::network::{
    Base, ExpandedEdge, Expr, ExprId, LocationKind, Network, Process, ProcessId, ReferenceStore, Type,
};
use model::syntax::ast::Direction;
use model::syntax::ast::Quantifier;
use semantics::reads::{constant, reads};
use std::ops::Range;

/// Shared by all threads.
#[derive(Debug)]
pub struct System<'n> {
    pub network: &'n Network,
    pub facts: Facts,
    /// For each template and location.
    locations: Vec<Vec<Local>>,
    /// For each channel the processes that may receive on it, in order.
    pub listeners: Vec<Vec<u32>>,
    pub watch: Watch,
    /// Integer cells that return to their initial values after every transition.
    pub meta: Vec<u32>,
    /// The processes in whose templates some location sets the rate of a clock.
    pub rated: Vec<u32>,
}

/// One location.
#[derive(Debug)]
pub struct Local {
    pub kind: LocationKind,
    pub invariant: Option<ExprId>,
    /// Whether the invariant sets the rate of a clock.
    pub has_rates: bool,
    /// All rates it sets, when they stand in conjunctions and quantifiers only.
    pub rates: Option<Vec<RateOf>>,
    pub rate: Option<(ExprId, Option<ExprId>)>,
    /// Edges without a channel and edges that send.
    pub outputs: Vec<ExpandedEdge>,
    pub inputs: Vec<ExpandedEdge>,
}

/// The rate of a clock, for all values of the variables it mentions. `forall (i) x[i]' == a[i] && forall (j) y[j]' == b[j]`
/// is a quantifier within a quantifier, but each rate mentions one variable alone.
#[derive(Clone, Debug)]
pub struct RateOf {
    pub rate: ExprId,
    pub variables: Vec<(u32, model::network::Range)>,
}

impl<'n> System<'n> {
    pub fn new(network: &'n Network) -> System<'n> {
        let facts = Facts::new(&network.code);
        let locations: Vec<Vec<Local>> = network
            .templates
            .iter()
            .map(|template| {
                let local = |(n, location): (usize, &model::network::Location)| {
                    let leaving = template.leaving(model::network::LocationId::new(n));
                    let receives = |edge: &&ExpandedEdge| {
                        let sync = template.edge(edge.edge).sync.as_ref();
                        sync.is_some_and(|sync| sync.direction == Direction::Receive)
                    };
                    Local {
                        kind: location.kind,
                        invariant: location.invariant,
                        has_rates: location.invariant.is_some_and(|invariant| facts.has_rates(invariant)),
                        rates: location.invariant.and_then(|invariant| rates(network, &facts, invariant)),
                        rate: location.rate,
                        outputs: leaving.iter().filter(|edge| !receives(edge)).copied().collect(),
                        inputs: leaving.iter().filter(receives).copied().collect(),
                    }
                };
                template.locations.iter().enumerate().map(local).collect()
            })
            .collect();
        let is_rated = |process: &Process| locations[process.template.index()].iter().any(|local| local.has_rates);
        let rated =
            (0..network.processes.len()).filter(|n| is_rated(&network.processes[*n])).map(|n| n as u32).collect();
        System {
            network,
            listeners: listeners(network, &locations),
            watch: Watch::new(network),
            meta: (0..network.ints.len()).filter(|n| network.ints[*n].meta).map(|n| n as u32).collect(),
            rated,
            facts,
            locations,
        }
    }

    #[inline]
    pub fn local(&self, process: usize, location: u32) -> &Local {
        &self.locations[self.network.processes[process].template.index()][location as usize]
    }
}

/// `None` when a rate depends on more than quantified variables.
fn rates(network: &Network, facts: &Facts, invariant: ExprId) -> Option<Vec<RateOf>> {
    let code = &network.code;
    let mut found = Vec::new();
    let mut waiting = vec![(invariant, Vec::new())];
    while let Some((id, variables)) = waiting.pop() {
        match code.expr(id) {
            _ if !facts.has_rates(id) => {}
            Expr::And(left, right) => {
                waiting.push((*right, variables.clone()));
                waiting.push((*left, variables));
            }
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                let mut variables = variables;
                variables.push((*slot, *range));
                waiting.push((*body, variables));
            }
            Expr::Rate { .. } => {
                let mut mentioned = Vec::new();
                code.walk_outside_functions(vec![id], &mut |_, expr| {
                    if let Expr::Read(place) = expr
                        && place.base == Base::Frame
                    {
                        mentioned.push(place.offset.ints);
                    }
                });
                let variables = variables.into_iter().filter(|(slot, _)| mentioned.contains(slot)).collect();
                found.push(RateOf { rate: id, variables });
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Who may receive on a channel. An index that only a state knows may be any.
fn listeners(network: &Network, locations: &[Vec<Local>]) -> Vec<Vec<u32>> {
    let mut listeners = vec![Vec::new(); network.channels.len()];
    for (n, process) in network.processes.iter().enumerate() {
        let template = network.template(process.template);
        for edge in locations[process.template.index()].iter().flat_map(|local| &local.inputs) {
            let Some(sync) = &template.edge(edge.edge).sync else { continue };
            let select = template.select_values(*edge);
            let place = &sync.channel;
            let base = match &place.base {
                Base::Local => process.state.channels,
                Base::Parameter(n) => {
                    process.references.get(*n as usize).map_or(0, |reference| match reference.store {
                        ReferenceStore::State | ReferenceStore::Constants => reference.offset.channels,
                    })
                }
                _ => 0,
            };
            let mut range = base + place.offset.channels..base + place.offset.channels + 1;
            for index in &place.indices {
                let known = constant(network, process, select, index.value)
                    .and_then(|value| u32::try_from(i64::from(value) - i64::from(index.lo)).ok())
                    .filter(|at| *at < index.len);
                let (first, more) = known.map_or((0, index.len.saturating_sub(1)), |at| (at, 0));
                range.start += first * index.stride.channels;
                range.end += (first + more) * index.stride.channels;
            }
            for channel in range {
                if let Some(list) = listeners.get_mut(channel as usize)
                    && list.last() != Some(&(n as u32))
                {
                    list.push(n as u32);
                }
            }
        }
    }
    listeners
}

/// Which processes have to draw a new delay when a cell changes.
///
/// A delay that was drawn stays valid as long as nothing that the component's window depends on changes: uniform and
/// exponential delays that have not yet ended are, given that, distributed as newly drawn ones.
#[derive(Default, Debug)]
pub struct Watch {
    ints: Vec<Vec<u32>>,
    clocks: Vec<Vec<u32>>,
    /// Long stretches of integer cells are kept once, not for each cell.
    wide: Vec<(Range<u32>, u32)>,
    /// Processes that read some double.
    pub doubles: Vec<u32>,
    /// Processes that may read anything.
    pub everything: Vec<u32>,
}

/// Stretches longer than this are wide.
const LONG: usize = 64;

impl Watch {
    fn new(network: &Network) -> Watch {
        let mut watch = Watch {
            ints: vec![Vec::new(); network.ints.len()],
            clocks: vec![Vec::new(); network.clocks.len()],
            ..Watch::default()
        };
        for (n, process) in network.processes.iter().enumerate() {
            let template = network.template(process.template);
            let invariants = template.locations.iter().flat_map(|location| {
                location.invariant.into_iter().chain(location.rate.iter().flat_map(|(r, q)| [Some(*r), *q]).flatten())
            });
            let guards = template.edges.iter().filter_map(|edge| edge.guard);
            for expr in invariants.chain(guards) {
                watch.add(network, n, expr);
            }
        }
        watch.doubles.dedup();
        watch.everything.dedup();
        watch.wide.sort_by_key(|(range, process)| (range.start, range.end, *process));
        watch.wide.dedup();
        watch
    }

    fn add(&mut self, network: &Network, process: usize, expr: ExprId) {
        let found = reads(network, ProcessId::new(process), expr);
        let process = process as u32;
        if found.everything {
            self.everything.push(process);
        }
        for range in found.ints {
            if range.len() > LONG {
                self.wide.push((range, process));
                continue;
            }
            for cell in range {
                enlist(&mut self.ints, cell, process);
            }
        }
        for range in found.clocks {
            for cell in range {
                enlist(&mut self.clocks, cell, process);
            }
        }
        let mut doubles = false;
        network.code.walk(expr, &mut |_, expr| {
            if let Expr::Read(place) = expr {
                let kept = matches!(
                    place.base,
                    Base::Global | Base::Local | Base::Parameter(_) | Base::FrameReference(_) | Base::Member(..)
                );
                doubles |= kept && place.ty.contains(&|part| *part == Type::Double);
            }
        });
        if doubles {
            self.doubles.push(process);
        }
    }

    pub fn of_int(&self, cell: u32, visit: &mut impl FnMut(u32)) {
        if let Some(list) = self.ints.get(cell as usize) {
            list.iter().for_each(|process| visit(*process));
        }
        self.wide.iter().filter(|(range, _)| range.contains(&cell)).for_each(|(_, process)| visit(*process));
    }

    pub fn of_clock(&self, cell: u32) -> &[u32] {
        self.clocks.get(cell as usize).map_or(&[], Vec::as_slice)
    }
}

fn enlist(lists: &mut [Vec<u32>], cell: u32, process: u32) {
    if let Some(list) = lists.get_mut(cell as usize)
        && list.last() != Some(&process)
    {
        list.push(process);
    }
}
