//! From the store of an exhaustive search to a certificate: its zones are an inductive set that has nothing in common with
//! the goal, if they were compared by inclusion. `certify` checks it before anybody relies on it.

use certify::certificate::{Entry, StoredZone};
use certify::zone::Bound;
use certify::{Certificate, Discrete, ErrorKind, Literal, Reason, Refusal};
use model::network::{ClockId, Network};
use search::strategy::Strategy;
use semantics::zone_graph::State;
use std::collections::BTreeMap;

/// What the check says.
pub enum Certified {
    Accepted(Certificate),
    /// The checker cannot evaluate something that the engine can, or a limit was reached.
    Unchecked(String),
    /// A bug: the search and the checker disagree.
    Refused(Refusal),
}

/// The stored states of a search as a certificate, checked.
pub fn certified<S: Strategy<State = State> + ?Sized>(
    network: &Network,
    search: &mut S,
    goal: Literal,
    go_on: &mut (dyn FnMut() -> bool + Send),
) -> Certified {
    let mut zones: BTreeMap<Discrete, Vec<StoredZone>> = BTreeMap::new();
    search.each_stored(&mut |state| {
        let discrete = Discrete { locations: state.discrete.locations.clone(), ints: state.discrete.ints.clone() };
        zones.entry(discrete).or_default().push(stored_zone(state));
    });
    let entries = zones.into_iter().map(|(discrete, zones)| Entry { discrete, zones }).collect();
    let certificate = Certificate { entries };
    match certify::check_certificate_while(network, &certificate, goal, go_on) {
        Ok(true) => Certified::Accepted(certificate),
        Ok(false) => Certified::Unchecked("its check was cut off".to_owned()),
        Err(refusal) => match &refusal.reason {
            Reason::ModelError(error) if matches!(error.kind, ErrorKind::Unsupported | ErrorKind::NotAvailable) => {
                Certified::Unchecked(format!("the checker cannot evaluate it: {}", refusal.text))
            }
            _ => Certified::Refused(refusal),
        },
    }
}

fn stored_zone(state: &State) -> StoredZone {
    let dim = state.zone.dim();
    StoredZone {
        clocks: state.clocks.iter().map(|clock| ClockId::new(*clock as usize)).collect(),
        bounds: (0..dim * dim).map(|at| bound(state.zone.at(at / dim, at % dim), 1)).collect(),
    }
}

/// A bound of the engines, whose constants count `unit` each.
pub(crate) fn bound(bound: zones::Bound, unit: u32) -> Bound {
    match i64::from(bound.constant()) * i64::from(unit) {
        _ if bound.is_infinite() => Bound::Infinite,
        n if bound.is_strict() => Bound::Below(n),
        n => Bound::AtMost(n),
    }
}
