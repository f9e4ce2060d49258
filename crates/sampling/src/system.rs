//! What is known of a network before runs are made: edges by location, who may hear a channel, what
//! a component's delay depends on.

use super::condition::{Amount, Compiler, Condition};
use super::rates::RatesOf;
use model::network::{
    Base, Branch, Edge, ExpandedEdge, Expr, ExprId, Location, LocationId, LocationKind, Network, Process, ProcessId,
    ReferenceStore, Template, Type,
};
use model::source::Span;
use model::syntax::ast::Direction;
use semantics::code::{ChannelCode, Programs, UpdateId};
use semantics::reads::{constant, reads};
use std::ops::Range;

/// Shared by all threads.
pub struct System<'n> {
    pub network: &'n Network,
    /// The code of all labels.
    pub programs: Programs<'n>,
    /// For each template and location.
    locations: Vec<Vec<Local>>,
    /// For each template and edge.
    edges: Vec<Vec<Action>>,
    /// Run before and after the updates of every transition.
    pub before: Option<UpdateId>,
    pub after: Option<UpdateId>,
    /// For each channel the processes that may receive on it, in order.
    pub listeners: Vec<Vec<u32>>,
    pub watch: Watch,
    /// Integer cells that return to their initial values after every transition.
    pub meta: Vec<u32>,
    /// The processes in whose templates some location sets the rate of a clock, and of each process
    /// whether it is one.
    pub rated: Vec<u32>,
    pub is_rated: Vec<bool>,
}

/// One location.
#[derive(Debug)]
pub struct Local {
    pub kind: LocationKind,
    pub invariant: Option<Condition>,
    /// What the invariant says about rates of clocks.
    pub rates: Option<RatesOf>,
    pub rate: Option<LocationRate>,
    /// Edges without a channel and edges that send.
    pub outputs: Vec<ExpandedEdge>,
    pub inputs: Vec<ExpandedEdge>,
}

/// The rate of the exponential delay of a location, over a divisor if there is one.
#[derive(Clone, Copy, Debug)]
pub struct LocationRate {
    pub rate: Amount,
    pub divisor: Option<Amount>,
    pub span: Span,
}

/// The labels of one edge.
#[derive(Debug)]
pub struct Action {
    pub guard: Option<Condition>,
    /// The channel, and whether it sends.
    pub channel: Option<ChannelCode>,
    pub sends: bool,
    /// Whether the channel is urgent.
    pub urgent: bool,
    pub update: Option<UpdateId>,
    pub branches: Vec<Choice>,
    pub span: Span,
}

/// One branch of an edge.
#[derive(Debug)]
pub struct Choice {
    pub update: Option<UpdateId>,
    /// `None` is 1.
    pub weight: Option<(Amount, Span)>,
}

impl<'n> System<'n> {
    pub fn new(network: &'n Network) -> System<'n> {
        let mut programs = Programs::with_doubles(network);
        let mut compiler = Compiler { network, programs: &mut programs };
        let locations: Vec<Vec<Local>> =
            network.templates.iter().map(|template| compiler.locations(template)).collect();
        let edges = network.templates.iter().map(|template| compiler.edges(template)).collect();
        let (before, after) = (compiler.update(&network.before_update), compiler.update(&network.after_update));
        let is_rated =
            |process: &Process| locations[process.template.index()].iter().any(|local| local.rates.is_some());
        let is_rated: Vec<bool> = network.processes.iter().map(is_rated).collect();
        System {
            network,
            listeners: listeners(network, &locations),
            watch: Watch::new(network),
            meta: (0..network.ints.len()).filter(|n| network.ints[*n].meta).map(|n| n as u32).collect(),
            rated: (0..network.processes.len()).filter(|n| is_rated[*n]).map(|n| n as u32).collect(),
            is_rated,
            before,
            after,
            programs,
            locations,
            edges,
        }
    }

    #[inline]
    pub fn local(&self, process: usize, location: LocationId) -> &Local {
        &self.locations[self.network.processes[process].template.index()][location.index()]
    }

    #[inline]
    pub fn action(&self, process: usize, edge: ExpandedEdge) -> &Action {
        &self.edges[self.network.processes[process].template.index()][edge.edge.index()]
    }

    /// The values of the select variables of an edge.
    #[inline]
    pub fn select(&self, process: usize, edge: ExpandedEdge) -> &'n [i32] {
        self.network.template(self.network.processes[process].template).select_values(edge)
    }
}

impl Compiler<'_, '_> {
    fn locations(&mut self, template: &Template) -> Vec<Local> {
        let local = |(n, location): (usize, &Location)| {
            let leaving = template.leaving(LocationId::new(n));
            let receives = |edge: &&ExpandedEdge| {
                let sync = template.edge(edge.edge).sync.as_ref();
                sync.is_some_and(|sync| sync.direction == Direction::Receive)
            };
            let sets_rates = |id: &ExprId| self.facts(|timed| timed.has_rates(*id));
            let with_rates = location.invariant.filter(sets_rates);
            Local {
                kind: location.kind,
                invariant: location.invariant.map(|invariant| self.condition(invariant)),
                rates: with_rates.map(|invariant| self.rates(invariant)),
                rate: location.rate.map(|(rate, divisor)| LocationRate {
                    rate: self.amount(rate),
                    divisor: divisor.map(|divisor| self.amount(divisor)),
                    span: self.network.code.span(rate),
                }),
                outputs: leaving.iter().filter(|edge| !receives(edge)).copied().collect(),
                inputs: leaving.iter().filter(receives).copied().collect(),
            }
        };
        template.locations.iter().enumerate().map(local).collect()
    }

    fn edges(&mut self, template: &Template) -> Vec<Action> {
        let action = |edge: &Edge| Action {
            guard: edge.guard.map(|guard| self.condition(guard)),
            channel: edge.sync.as_ref().map(|sync| self.programs.channel(&sync.channel)),
            sends: edge.sync.as_ref().is_some_and(|sync| sync.direction == Direction::Send),
            urgent: edge
                .sync
                .as_ref()
                .is_some_and(|sync| matches!(sync.channel.ty, Type::Channel(kind) if kind.urgent)),
            update: self.update(&edge.update),
            branches: edge.branches.iter().map(|branch| self.choice(branch)).collect(),
            span: edge.span,
        };
        template.edges.iter().map(action).collect()
    }

    fn choice(&mut self, branch: &Branch) -> Choice {
        let weight = branch.weight.map(|weight| (self.amount(weight), self.network.code.span(weight)));
        Choice { update: self.update(&branch.update), weight }
    }

    fn update(&mut self, exprs: &[ExprId]) -> Option<UpdateId> {
        (!exprs.is_empty()).then(|| self.programs.update(exprs))
    }
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
/// A delay that was drawn stays valid as long as nothing that the component's window depends on
/// changes: uniform and exponential delays that have not yet ended are, given that, distributed as
/// newly drawn ones.
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
