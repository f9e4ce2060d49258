//! The inputs and outputs of a component: those that are declared, and those of its edges.

use crate::component::action_name;
use crate::error::Unfit;
use crate::unfold::{LOCAL_EDGES, RawEdge, Unfolder};
use model::network::Base;
use model::syntax::ast::Direction;
use semantics::reads::reads_in;
use std::collections::HashSet;

impl Unfolder<'_, '_, '_> {
    /// The declared inputs and outputs and those of edges. Without a declaration an index that
    /// depends on integers stands for every value it can have.
    pub(crate) fn alphabet(&self) -> Result<(Vec<u32>, Vec<u32>), Unfit> {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let process = self.process.index() as u32;
        let mut declared = None;
        for signature in self.structure.network.io.iter().filter(|io| io.processes.contains(&process)) {
            declared = Some(signature.span);
            inputs.extend(signature.inputs.iter().map(|channel| channel.index() as u32));
            outputs.extend(signature.outputs.iter().map(|channel| channel.index() as u32));
        }
        let mut seen = HashSet::new();
        for edge in self.states.iter().flat_map(|state| &state.edges) {
            let list = if edge.output { &mut outputs } else { &mut inputs };
            list.push(edge.action);
            if declared.is_none() && seen.insert(edge.origin.expanded) {
                self.alike(edge, list);
            }
        }
        // Edges that no local state can take have actions as well.
        let template = self.structure.network.template_of(self.process);
        for (n, expanded) in (0..).zip(&template.expanded) {
            let sync = template.edge(expanded.edge).sync.as_ref().map(|sync| sync.direction);
            match (sync, self.structure.known_channel(self.process.index(), n)) {
                (Some(Direction::Send), Some(action)) => outputs.push(action),
                (Some(Direction::Receive), Some(action)) => inputs.push(action),
                _ => {}
            }
        }
        for list in [&mut inputs, &mut outputs] {
            list.sort_unstable();
            list.dedup();
        }
        if let Some(both) = inputs.iter().find(|action| outputs.binary_search(action).is_ok()) {
            let name = action_name(self.structure.network, *both);
            let template = self.structure.network.template_of(self.process);
            let unfit = self.unfit(format!("`{name}` is both an input and an output of it"));
            return Err(unfit.at(declared.or(template.locations.first().map(|location| location.span))));
        }
        Ok((inputs, outputs))
    }

    /// The other channels that an edge could synchronise over if the integers had other values: an
    /// index that depends on them stands for the whole range of its array.
    fn alike(&self, edge: &RawEdge, out: &mut Vec<u32>) {
        let network = self.structure.network;
        let template = network.template_of(self.process);
        let Some(expanded) = template.expanded.get(edge.origin.expanded as usize) else { return };
        let Some(sync) = &template.edge(expanded.edge).sync else { return };
        let mut channels = vec![edge.action];
        for index in &sync.channel.indices {
            let read = reads_in(network, self.process, template.select_values(*expanded), index.value);
            let stride = index.stride.channels;
            if stride == 0
                || read.ints.is_empty() && !read.everything
                || channels.len() > LOCAL_EDGES / index.len as usize
            {
                continue;
            }
            // Where in its range the index is: the place of the whole begins at a multiple of the
            // outer strides.
            let whole = stride * index.len;
            let first = match sync.channel.base {
                Base::Global => sync.channel.offset.channels,
                _ => return,
            };
            channels = channels
                .iter()
                .flat_map(|channel| {
                    let inner = (channel - first) % whole;
                    let start = channel - inner + inner % stride;
                    (0..index.len).map(move |n| start + n * stride)
                })
                .collect();
        }
        out.extend(channels);
    }
}
