//! The discrete part of a state: where the processes are and what the integer variables hold.

use model::network::{LocationId, Network};

/// Locations by process, integers by cell of the network. Doubles and hybrid clocks are no part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Discrete {
    pub locations: Vec<LocationId>,
    pub ints: Vec<i32>,
}

impl Discrete {
    pub fn initial(network: &Network) -> Discrete {
        Discrete {
            locations: network.processes.iter().map(|process| network.template(process.template).initial).collect(),
            ints: network.ints.iter().map(|cell| cell.initial).collect(),
        }
    }
}
