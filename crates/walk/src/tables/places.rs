//! What is known of each process in each location: the pieces of its invariant, and the gates whose channels it listens on.

use super::{FixedBounds, Gate, On, Piece, Preparation, TooLarge};
use crate::partners::{Partner, Partners};
use model::network::LocationId;
use semantics::structure::Structure;

pub(super) struct Places {
    /// Where the locations of each process start in the lists.
    pub first_location: Vec<u32>,
    /// A stretch of `listened` for each location.
    pub listens: Vec<(u32, u32)>,
    pub listened: Vec<u32>,
    /// Where the pieces of each location start; at the end, how many there are.
    pub starts: Vec<u32>,
    pub pieces: Vec<Piece>,
}

impl Places {
    pub fn new(
        structure: &Structure,
        preparation: &Preparation,
        receivers: &Partners,
        gates: &[Gate],
        fixed: &mut FixedBounds,
    ) -> Result<Places, TooLarge> {
        let network = structure.network;
        let (mut first_location, mut listens, mut listened) = (Vec::new(), Vec::new(), Vec::new());
        let (mut starts, mut pieces): (Vec<u32>, Vec<Piece>) = (Vec::new(), Vec::new());
        for (n, process) in network.processes.iter().enumerate() {
            first_location.push(listens.len() as u32);
            if allowance::is_over() {
                return Err(TooLarge);
            }
            for l in 0..network.template(process.template).locations.len() {
                starts.push(pieces.len() as u32);
                for code in preparation.pieces.get(&(process.template.index(), l)).into_iter().flatten() {
                    let fixed = fixed.add(structure, n, &code.frame, &[code.expr]);
                    pieces.push(Piece {
                        process: n as u32,
                        location: LocationId::new(l),
                        condition: code.condition,
                        frame: code.frame.clone(),
                        fixed,
                        bounds: code.bounds,
                    });
                }
                let start = listened.len() as u32;
                for (g, gate) in gates.iter().enumerate() {
                    let On::Channel(channel) = gate.on else { continue };
                    let here = |one: &&Partner| one.process == n as u32 && one.location == LocationId::new(l);
                    if receivers.of(channel).iter().any(|one| here(&one)) {
                        listened.push(g as u32);
                    }
                }
                listens.push((start, listened.len() as u32));
            }
        }
        starts.push(pieces.len() as u32);
        Ok(Places { first_location, listens, listened, starts, pieces })
    }
}
