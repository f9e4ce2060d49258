//! Certificates as JSON: `zonewalk.certificate/1`.
//!
//! ```json
//! {"schema": "zonewalk.certificate/1", "processes": ["P", "Q"], "clocks": ["x", "y"], "ints": 1,
//!  "states": [{"locations": [0, 1], "ints": [3], "zones": [{"clocks": [1], "bounds": [1, 1, null, 1]}]}]}
//! ```
//! Locations are counted within their template, clocks within the network; the names only serve to notice that a
//! certificate belongs to another model. A bound `<= n` is written 2n + 1, `< n` is 2n, and none is `null`.

use crate::certificate::{Certificate, Entry, LARGEST_BOUND, StoredZone};
use crate::error::{Reason, Refusal};
use crate::state::Discrete;
use crate::zone::Bound;
use model::network::{ClockId, LocationId, Network};
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "zonewalk.certificate/1";

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    processes: Vec<String>,
    clocks: Vec<String>,
    ints: usize,
    states: Vec<StateRecord>,
}

#[derive(Serialize, Deserialize)]
struct StateRecord {
    locations: Vec<u32>,
    ints: Vec<i32>,
    zones: Vec<ZoneRecord>,
}

#[derive(Serialize, Deserialize)]
struct ZoneRecord {
    clocks: Vec<u32>,
    bounds: Vec<Option<i64>>,
}

fn clock_names(network: &Network) -> Vec<String> {
    (0..network.clocks.len()).map(|clock| network.clock_name(ClockId::new(clock))).collect()
}

impl Certificate {
    /// The text of a file.
    pub fn to_json(&self, network: &Network) -> Result<String, Refusal> {
        let zone = |zone: &StoredZone| ZoneRecord {
            clocks: zone.clocks.iter().map(|clock| clock.index() as u32).collect(),
            bounds: zone.bounds.iter().map(|bound| encode(*bound)).collect(),
        };
        let state = |entry: &Entry| StateRecord {
            locations: entry.discrete.locations.iter().map(|location| location.index() as u32).collect(),
            ints: entry.discrete.ints.clone(),
            zones: entry.zones.iter().map(zone).collect(),
        };
        let document = Document {
            schema: SCHEMA.to_owned(),
            processes: network.processes.iter().map(|process| process.name.clone()).collect(),
            clocks: clock_names(network),
            ints: network.ints.len(),
            states: self.entries.iter().map(state).collect(),
        };
        serde_json::to_string(&document).map_err(|error| Refusal::new(Reason::Malformed, error.to_string()))
    }

    /// Reads the text of a file that belongs to this network.
    pub fn from_json(network: &Network, text: &str) -> Result<Certificate, Refusal> {
        let malformed = |text: String| Refusal::new(Reason::Malformed, text);
        let document: Document =
            serde_json::from_str(text).map_err(|error| malformed(format!("this is no certificate: {error}")))?;
        if document.schema != SCHEMA {
            return Err(malformed(format!("the schema is `{}`, not `{SCHEMA}`", document.schema)));
        }
        let same = document.processes.iter().eq(network.processes.iter().map(|process| &process.name))
            && document.clocks == clock_names(network)
            && document.ints == network.ints.len();
        if !same {
            return Err(malformed("the certificate belongs to another model".to_owned()));
        }
        let zone = |record: ZoneRecord| {
            let bounds = record.bounds.into_iter().map(decode).collect::<Option<Vec<_>>>();
            Ok(StoredZone {
                clocks: record.clocks.into_iter().map(|clock| ClockId::new(clock as usize)).collect(),
                bounds: bounds.ok_or_else(|| malformed("a zone with a bound that is too large".to_owned()))?,
            })
        };
        let entry = |record: StateRecord| {
            let locations = record.locations.into_iter().map(|location| LocationId::new(location as usize)).collect();
            Ok(Entry {
                discrete: Discrete { locations, ints: record.ints },
                zones: record.zones.into_iter().map(zone).collect::<Result<_, Refusal>>()?,
            })
        };
        Ok(Certificate { entries: document.states.into_iter().map(entry).collect::<Result<_, Refusal>>()? })
    }
}

pub(crate) fn encode(bound: Bound) -> Option<i64> {
    match bound {
        Bound::Infinite => None,
        Bound::AtMost(n) => Some(n.saturating_mul(2).saturating_add(1)),
        Bound::Below(n) => Some(n.saturating_mul(2)),
    }
}

/// `None` for a number that is too large.
pub(crate) fn decode(number: Option<i64>) -> Option<Bound> {
    let Some(number) = number else { return Some(Bound::Infinite) };
    let n = number.div_euclid(2);
    if n.abs() >= LARGEST_BOUND {
        return None;
    }
    Some(if number.rem_euclid(2) == 1 { Bound::AtMost(n) } else { Bound::Below(n) })
}
