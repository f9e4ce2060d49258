//! Who can take part in a synchronisation: for every channel the edges that may receive on it, send on it, or share it.
//!
//! A list does not change while a model runs: whether a process is where the edge starts, and whether its guard holds, is
//! looked at when somebody asks. So a process that listens on a thousand channels costs nothing when it moves.

use model::network::{Expr, LocationId, ProcessId};
use model::syntax::ast::Direction;
use semantics::structure::{Structure, channels_of};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partner {
    pub process: u32,
    pub location: LocationId,
    pub expanded: u32,
    /// The channel depends on the state and has to be compared.
    pub varies: bool,
    /// Its guard takes long, and many processes have it: an answer is kept for those that are alike.
    pub asks_alike: bool,
}

/// Lists by channel, in the order of the processes.
#[derive(Default, Debug)]
pub(crate) struct Partners {
    list: Vec<Partner>,
    starts: Vec<u32>,
}

/// More entries than this are not kept.
const MOST: usize = 1 << 24;

impl Partners {
    /// `None` when there are too many.
    pub fn new(structure: &Structure, direction: Direction) -> Option<Partners> {
        let network = structure.network;
        let mut found: Vec<(u32, Partner)> = Vec::new();
        for (n, process) in network.processes.iter().enumerate() {
            let template = network.template(process.template);
            for l in 0..template.locations.len() {
                let location = LocationId::new(l);
                let code = structure.location(n, location);
                let edges = match direction {
                    Direction::Send => &code.sending,
                    Direction::Receive => &code.receiving,
                    Direction::Csp => &code.csp,
                };
                for expanded in edges {
                    let partner = |varies| Partner {
                        process: n as u32,
                        location,
                        expanded: *expanded,
                        varies,
                        asks_alike: false,
                    };
                    if let Some(channel) = structure.known_channel(n, *expanded) {
                        found.push((channel, partner(false)));
                        continue;
                    }
                    let edge = template.edge(template.expanded[*expanded as usize].edge);
                    let Some(sync) = &edge.sync else { continue };
                    let channels = channels_of(network, process, &sync.channel);
                    found.extend(channels.into_iter().map(|channel| (channel as u32, partner(true))));
                    if found.len() > MOST {
                        return None;
                    }
                }
            }
        }
        found.sort_by_key(|(channel, partner)| (*channel, partner.process));
        let mut starts = vec![0; network.channels.len() + 1];
        for (channel, _) in &found {
            if let Some(start) = starts.get_mut(*channel as usize + 1) {
                *start += 1;
            }
        }
        for n in 1..starts.len() {
            starts[n] += starts[n - 1];
        }
        mark_alike(structure, &mut found);
        Some(Partners { list: found.into_iter().map(|(_, partner)| partner).collect(), starts })
    }

    pub fn bytes(&self) -> usize {
        size_of_val(self.list.as_slice()) + size_of_val(self.starts.as_slice())
    }

    #[inline]
    pub fn of(&self, channel: u32) -> &[Partner] {
        let (start, end) = (self.starts[channel as usize], self.starts[channel as usize + 1]);
        &self.list[start as usize..end as usize]
    }

    /// For every process of the list the most ways in which it can take part, from one location, and whether clocks have
    /// a say in it.
    pub fn most(&self, structure: &Structure, channel: u32) -> Most {
        let mut most = Most::default();
        let list = self.of(channel);
        let mut at = 0;
        while at < list.len() {
            let process = list[at].process;
            let end = at + list[at..].iter().take_while(|partner| partner.process == process).count();
            let mut locations: Vec<(LocationId, u64)> = Vec::new();
            let mut timed = false;
            for partner in &list[at..end] {
                let (edge, _) = structure.expanded(process as usize, partner.expanded);
                let ways = edge.branches.len() as u64;
                match locations.iter_mut().find(|(location, _)| *location == partner.location) {
                    Some((_, count)) => *count += ways,
                    None => locations.push((partner.location, ways)),
                }
                timed |= guard_has_clocks(structure, process, partner.expanded);
            }
            let ways = locations.iter().map(|(_, count)| *count).max().unwrap_or(0);
            most.sum += ways;
            if ways != 1 || timed {
                most.several.push((process, ways, timed));
            }
            most.ones.extend((ways == 1 && !timed).then_some(process));
            at = end;
        }
        most
    }
}

/// The most ways in which the processes of a list can take part.
#[derive(Default)]
pub struct Most {
    /// Of all of them.
    sum: u64,
    /// Those with one way, which clocks have no say in, in order; and the others.
    ones: Vec<u32>,
    several: Vec<(u32, u64, bool)>,
}

impl Most {
    fn others(&self, but: u32) -> impl Iterator<Item = &(u32, u64, bool)> {
        self.several.iter().filter(move |(process, ..)| *process != but)
    }

    /// How many pairs there are with one of the others.
    pub fn sum(&self, but: u32) -> u64 {
        let own = self.several.iter().find(|(process, ..)| *process == but).map(|(_, ways, _)| *ways);
        self.sum - own.unwrap_or_else(|| u64::from(self.ones.binary_search(&but).is_ok()))
    }

    /// How many combinations of all others there are.
    pub fn product(&self, but: u32) -> u64 {
        self.others(but).fold(1, |product: u64, (_, ways, _)| product.saturating_mul((*ways).max(1)))
    }

    /// Whether each of the others has some way.
    pub fn all_can(&self, but: u32) -> bool {
        self.others(but).all(|(_, ways, _)| *ways > 0)
    }

    /// The ways of those that clocks have a say in.
    pub fn timed(&self, but: u32) -> u64 {
        self.others(but).filter(|(.., timed)| *timed).map(|(_, ways, _)| *ways).sum()
    }
}

/// Fewer are asked one by one.
const CROWD: usize = 8;

/// Finds the edges with calls or loops in their guards that many processes have on one channel.
fn mark_alike(structure: &Structure, found: &mut [(u32, Partner)]) {
    let network = structure.network;
    let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
    let id = |partner: &Partner| structure.edge_id(partner.process as usize, partner.expanded);
    for (channel, partner) in found.iter() {
        *counts.entry((*channel, id(partner))).or_default() += 1;
    }
    let mut long: HashMap<u32, bool> = HashMap::new();
    for (channel, partner) in found {
        if counts.get(&(*channel, id(partner))).is_some_and(|count| *count >= CROWD) {
            partner.asks_alike = *long.entry(id(partner)).or_insert_with(|| {
                let template = network.template_of(ProcessId::new(partner.process as usize));
                let mut found = false;
                if let Some(guard) = template.edge(template.expanded[partner.expanded as usize].edge).guard {
                    network.code.walk(guard, &mut |_, expr| {
                        found |= matches!(expr, Expr::Call { .. } | Expr::Quantified { .. });
                    });
                }
                found
            });
        }
    }
}

pub(crate) fn guard_has_clocks(structure: &Structure, process: u32, expanded: u32) -> bool {
    let template = structure.network.template_of(ProcessId::new(process as usize));
    let guard = template.edge(template.expanded[expanded as usize].edge).guard;
    let mut found = false;
    if let Some(guard) = guard {
        structure.network.code.walk(guard, &mut |_, expr| {
            found |= matches!(expr, Expr::ClockConstraint(_));
        });
    }
    found
}
