//! A network compiled for one query: its code, what clocks are compared with, how states are packed.
//!
//! All engines that work on the query share it. Code is added while it is made and never afterwards,
//! so threads need no lock. It costs a pass over all templates for the code and one over all processes
//! for the bounds; a graph that is made of it costs nothing.

use crate::clock_bounds::{ClockBounds, ClockUse, QueryBounds};
use crate::packing::Packing;
use crate::structure::Structure;
use crate::zone_graph::{Abstraction, ZoneGraph};
use model::network::Network;
use std::sync::Arc;

#[derive(Clone)]
pub struct Compiled<'n> {
    pub structure: Arc<Structure<'n>>,
    pub(crate) packing: Arc<Packing>,
    pub(crate) bounds: Arc<ClockBounds>,
    /// Bounds that the query adds in every state.
    pub(crate) everywhere: Vec<ClockUse>,
}

impl<'n> Compiled<'n> {
    /// `query` is what the query compares clocks with, see [`ClockBounds::of_predicate`]; `more` compiles
    /// what else is wanted, such as the query's predicate.
    pub fn new<T>(
        network: &'n Network,
        query: QueryBounds,
        more: impl FnOnce(&mut Structure<'n>) -> T,
    ) -> (Compiled<'n>, T) {
        let mut structure = Structure::new(network);
        let mut bounds = ClockBounds::new(network, &query, structure.has_priorities);
        bounds.compile(&mut structure.programs);
        let made = more(&mut structure);
        let (packing, everywhere) = (Packing::new(network), query.uses);
        (Compiled { structure: structure.into(), packing: packing.into(), bounds: bounds.into(), everywhere }, made)
    }

    pub fn network(&self) -> &'n Network {
        self.structure.network
    }

    /// The zone graph under an abstraction.
    pub fn graph(&self, abstraction: Abstraction) -> ZoneGraph<'n> {
        ZoneGraph::of(self.clone(), abstraction)
    }
}
