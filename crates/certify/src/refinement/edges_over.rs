//! The edges of a location by channel: a specification may have thousands, and a step asks for those of one action.

use crate::interpreter::Interpreter;
use crate::semantics::Semantics;
use crate::state::Discrete;
use crate::transition::Offer;
use model::network::*;
use std::collections::BTreeMap;

/// Locations with fewer edges are not sorted.
const MANY: usize = 32;

/// The edges of a location, by their places in the list of those that leave it.
#[derive(Default)]
struct Sorted {
    by_channel: BTreeMap<usize, Vec<usize>>,
    /// The channel depends on the state.
    varying: Vec<usize>,
}

/// Per process and location what is known.
#[derive(Default)]
pub(super) struct EdgesOver {
    known: BTreeMap<(usize, usize), Sorted>,
}

impl EdgesOver {
    /// At least the edges of a process over a channel that leave its location and whose guard is not false already.
    pub fn offers(
        &mut self,
        semantics: &Semantics<'_>,
        discrete: &Discrete,
        process: ProcessId,
        channel: ChannelId,
    ) -> Vec<Offer> {
        let template = semantics.network().template_of(process);
        let location = discrete.locations[process.index()];
        let leaving = template.leaving(location);
        if leaving.len() < MANY {
            return semantics.offers(discrete, process);
        }
        let place = (process.index(), location.index());
        let sorted = self.known.entry(place).or_insert_with(|| sort(semantics.network(), process, location));
        let numbers = sorted.by_channel.get(&channel.index()).into_iter().flatten().chain(&sorted.varying);
        let offers = numbers.map(|n| {
            let expanded = leaving[*n];
            semantics.offer(discrete, process, expanded.edge, template.select_values(expanded))
        });
        offers.filter(|offer| offer.guard != crate::formula::Formula::False).collect()
    }
}

fn sort(network: &Network, process: ProcessId, location: LocationId) -> Sorted {
    let template = network.template_of(process);
    let mut sorted = Sorted::default();
    for (n, expanded) in template.leaving(location).iter().enumerate() {
        let Some(sync) = &template.edge(expanded.edge).sync else { continue };
        let mut interpreter = Interpreter::constant(network, Some(process));
        interpreter.label(Some(process), template.select_values(*expanded));
        match interpreter.channel(&sync.channel, sync.span) {
            Ok(channel) => sorted.by_channel.entry(channel.index()).or_default().push(n),
            Err(_) => sorted.varying.push(n),
        }
    }
    sorted
}
