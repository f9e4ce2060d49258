//! Edges that matter to processes that take no part: those whose channel may be urgent or a broadcast, because time waits
//! for the one and nobody who can hear the other stays out. Most edges of most models are not among them.
//!
//! The channel of such an edge is noted where it follows from constants and select values alone. Where it depends on the
//! state the edge counts as one that may name any channel.

use crate::interpreter::Interpreter;
use model::network::*;
use model::syntax::ast::Direction;

pub(crate) struct SpecialEdge {
    pub expanded: ExpandedEdge,
    pub direction: Direction,
    /// `None`: it depends on the state, or cannot be evaluated.
    pub channel: Option<ChannelId>,
}

#[derive(Default)]
pub(crate) struct SpecialEdges {
    /// For each process and each location of it; empty when the network has no special channel.
    leaving: Vec<Vec<Vec<SpecialEdge>>>,
}

impl SpecialEdges {
    pub(crate) fn new(network: &Network) -> SpecialEdges {
        if network.channels.iter().all(|channel| channel.kind == ChannelKind::default()) {
            return SpecialEdges::default();
        }
        let of_process = |process| {
            let template = network.template_of(process);
            let locations = (0..template.locations.len()).map(LocationId::new);
            locations.map(|location| special(network, process, template.leaving(location))).collect()
        };
        SpecialEdges { leaving: (0..network.processes.len()).map(ProcessId::new).map(of_process).collect() }
    }

    pub(crate) fn leaving(&self, process: ProcessId, location: LocationId) -> &[SpecialEdge] {
        let found = self.leaving.get(process.index()).and_then(|locations| locations.get(location.index()));
        found.map_or(&[], Vec::as_slice)
    }
}

fn special(network: &Network, process: ProcessId, leaving: &[ExpandedEdge]) -> Vec<SpecialEdge> {
    let template = network.template_of(process);
    let mut found = Vec::new();
    for expanded in leaving {
        let Some(sync) = &template.edge(expanded.edge).sync else { continue };
        let mut interpreter = Interpreter::constant(network, Some(process));
        interpreter.label(Some(process), template.select_values(*expanded));
        let channel = interpreter.channel(&sync.channel, sync.span).ok();
        let plain = channel.is_some_and(|channel| network.channels[channel.index()].kind == ChannelKind::default());
        if !plain {
            found.push(SpecialEdge { expanded: *expanded, direction: sync.direction, channel });
        }
    }
    found
}
