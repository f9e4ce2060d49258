//! Relations as JSON: `zonewalk.relation/1`.
//!
//! ```json
//! {"schema": "zonewalk.relation/1", "components": ["A", "S"], "quotients": 0, "clocks": ["A.x", "S.z"],
//!  "pairs": [{"locations": [0, 1], "ints": [[3], []], "modes": [],
//!             "zones": [{"clocks": [0, 1], "bounds": [1, 1, 1, null, 1, 1, null, 1, 1]}]}]}
//! ```
//! Components are listed as they occur in the query, the left side first; clocks are those of the components in this order
//! (`A.urgent` runs since the last move of a component that may be urgent), then one for each quotient. The lists also serve to notice that
//! a relation belongs to another query. Locations are counted within their template, zones number the clocks of the list, and clocks that
//! a zone does not list are free. A bound `<= n` is written 2n + 1, `< n` is 2n, and none is `null`. The mode of a quotient is 0 for a
//! pair of states, 1 when it is universal, 2 when it is inconsistent.

use super::pair_states::PairStates;
use super::relation::{Local, Mode, PairClock, PairZone, Related, Relation};
use super::systems::Systems;
use crate::certificate_file::{decode, encode};
use crate::error::{Reason, Refusal};
use model::check::SystemExpr;
use model::network::{LocationId, Network};
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "zonewalk.relation/1";

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    components: Vec<String>,
    quotients: usize,
    clocks: Vec<String>,
    pairs: Vec<PairRecord>,
}

#[derive(Serialize, Deserialize)]
struct PairRecord {
    locations: Vec<u32>,
    ints: Vec<Vec<i32>>,
    modes: Vec<u8>,
    zones: Vec<ZoneRecord>,
}

#[derive(Serialize, Deserialize)]
struct ZoneRecord {
    clocks: Vec<u32>,
    bounds: Vec<Option<i64>>,
}

/// What a query has, by which its relations are recognised.
struct Lists {
    components: Vec<String>,
    quotients: usize,
    clocks: Vec<PairClock>,
    clock_names: Vec<String>,
}

fn lists(network: &Network, left: &SystemExpr, right: &SystemExpr) -> Lists {
    let (systems, _, _) = Systems::of(network, left, right);
    let clocks = PairStates::new(network, &systems).clocks;
    let process = |leaf: usize| systems.leaves[leaf];
    let name = |clock: &PairClock| match *clock {
        PairClock::Component { leaf, clock } => {
            let first = network.process(process(leaf)).state.clocks as usize;
            network.clock_name(model::network::ClockId::new(first + clock))
        }
        PairClock::Urgency(leaf) => format!("{}.urgent", network.process(process(leaf)).name),
        PairClock::Quotient(number) => format!("quotient({})", number + 1),
    };
    Lists {
        components: systems.leaves.iter().map(|process| network.process(*process).name.clone()).collect(),
        quotients: systems.quotients,
        clock_names: clocks.iter().map(name).collect(),
        clocks,
    }
}

impl Relation {
    /// The text of a file.
    pub fn to_json(&self, network: &Network, left: &SystemExpr, right: &SystemExpr) -> Result<String, Refusal> {
        let malformed = |text: String| Refusal::new(Reason::Malformed, text);
        let lists = lists(network, left, right);
        let number = |clock: &PairClock| lists.clocks.iter().position(|one| one == clock).map(|n| n as u32);
        let zone = |zone: &PairZone| {
            let clocks = zone.clocks.iter().map(number).collect::<Option<Vec<u32>>>();
            let clocks = clocks.ok_or_else(|| malformed("a clock that the query does not have".to_owned()))?;
            Ok(ZoneRecord { clocks, bounds: zone.bounds.iter().map(|bound| encode(*bound)).collect() })
        };
        let pair = |pair: &Related| {
            Ok(PairRecord {
                locations: pair.components.iter().map(|local| local.location.index() as u32).collect(),
                ints: pair.components.iter().map(|local| local.ints.clone()).collect(),
                modes: pair.modes.iter().map(|mode| *mode as u8).collect(),
                zones: pair.zones.iter().map(zone).collect::<Result<_, Refusal>>()?,
            })
        };
        let pairs = self.pairs.iter().map(pair).collect::<Result<_, Refusal>>()?;
        let Lists { components, quotients, clock_names: clocks, .. } = lists;
        let document = Document { schema: SCHEMA.to_owned(), components, quotients, clocks, pairs };
        serde_json::to_string(&document).map_err(|error| malformed(error.to_string()))
    }

    /// Reads the text of a file that belongs to this query.
    pub fn from_json(
        network: &Network,
        left: &SystemExpr,
        right: &SystemExpr,
        text: &str,
    ) -> Result<Relation, Refusal> {
        let malformed = |text: &str| Refusal::new(Reason::Malformed, text);
        let document: Document =
            serde_json::from_str(text).map_err(|error| malformed(&format!("this is no relation: {error}")))?;
        if document.schema != SCHEMA {
            return Err(malformed(&format!("the schema is `{}`, not `{SCHEMA}`", document.schema)));
        }
        let lists = lists(network, left, right);
        let same = document.components == lists.components
            && document.clocks == lists.clock_names
            && document.quotients == lists.quotients;
        if !same {
            return Err(malformed("the relation belongs to another query, or to another model"));
        }
        let zone = |record: ZoneRecord| {
            let clock = |n: u32| lists.clocks.get(n as usize).copied();
            let clocks = record.clocks.into_iter().map(clock).collect::<Option<Vec<_>>>();
            let bounds = record.bounds.into_iter().map(decode).collect::<Option<Vec<_>>>();
            Ok(PairZone {
                clocks: clocks.ok_or_else(|| malformed("a zone with a clock that there is not"))?,
                bounds: bounds.ok_or_else(|| malformed("a zone with a bound that is too large"))?,
            })
        };
        let pair = |record: PairRecord| {
            if record.locations.len() != record.ints.len() {
                return Err(malformed("a pair whose locations and integers do not belong together"));
            }
            let local =
                |(location, ints): (u32, Vec<i32>)| Local { location: LocationId::new(location as usize), ints };
            let mode = |mode: u8| [Mode::Pair, Mode::Universal, Mode::Inconsistent].get(usize::from(mode)).copied();
            let modes = record.modes.into_iter().map(mode).collect::<Option<Vec<_>>>();
            Ok(Related {
                components: record.locations.into_iter().zip(record.ints).map(local).collect(),
                modes: modes.ok_or_else(|| malformed("a mode that quotients do not have"))?,
                zones: record.zones.into_iter().map(zone).collect::<Result<_, Refusal>>()?,
            })
        };
        Ok(Relation { pairs: document.pairs.into_iter().map(pair).collect::<Result<_, Refusal>>()? })
    }
}
