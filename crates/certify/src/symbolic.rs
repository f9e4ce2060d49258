//! Steps on zones: what becomes of a set of clock values by an action and by waiting.

use crate::error::{ErrorKind, EvalError, Reason, Refusal};
use crate::formula::{Formula, parts};
use crate::semantics::{Result, Semantics};
use crate::state::Discrete;
use crate::transition::Transition;
use crate::zone::{Bound, Zone, Zones};

/// Symbolic steps on the network's zones.
pub(crate) struct Steps<'n> {
    pub semantics: Semantics<'n>,
}

impl Steps<'_> {
    /// The initial states, and what becomes of them by waiting.
    pub(crate) fn initial(&self) -> std::result::Result<(Discrete, Vec<Zone>), Refusal> {
        let state = self.semantics.initial()?;
        let mut zone = Zone::all(state.clocks.len());
        for (clock, value) in state.clocks.iter().enumerate() {
            let value = i64::try_from(value.to_integer()).unwrap_or(i64::MAX);
            for (i, j, n) in [(clock + 1, 0, value), (0, clock + 1, -value)] {
                zone = match zone.with(i, j, Bound::AtMost(n))? {
                    Some(zone) => zone,
                    None => return Err(Refusal::new(Reason::NoInitialState, "the clocks have no initial values")),
                };
            }
        }
        let zones = self.waited(&state.discrete, zone)?;
        Ok((state.discrete, zones))
    }

    /// What becomes of a zone by one of these transitions, the ones of its discrete state, and a delay.
    pub(crate) fn successors(&self, transitions: &[Transition], zone: &Zone) -> Result<Vec<(Discrete, Zone)>> {
        let mut found = Vec::new();
        for transition in transitions {
            for part in parts(&Zones::default(), &transition.exists, true, zone)? {
                let (target, clocks) = transition.effect.as_ref().map_err(EvalError::clone)?;
                let waited = self.waited(target, part.updated(clocks)?)?;
                found.extend(waited.into_iter().map(|zone| (target.clone(), zone)));
            }
        }
        Ok(found)
    }

    /// A zone within the invariant, and what becomes of it by waiting.
    fn waited(&self, discrete: &Discrete, zone: Zone) -> Result<Vec<Zone>> {
        if self.semantics.stops_time(discrete).is_some() {
            return Ok(vec![zone]);
        }
        let stopped = self.stopped(discrete)?;
        let invariant = self.semantics.invariant(discrete);
        let urgent = self.semantics.urgent(discrete);
        let space = Zones::default();
        // Values where an urgent synchronisation is possible at once stay as they are.
        let mut result = parts(&space, &urgent, true, &zone)?;
        for part in parts(&space, &urgent, false, &zone)? {
            result.extend(parts(&space, &invariant, true, &part.delayed(&stopped))?);
        }
        Ok(result)
    }

    fn stopped(&self, discrete: &Discrete) -> Result<Vec<bool>> {
        let rates = self.semantics.rates(discrete)?;
        let stands = |rate: &i64| match rate {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(EvalError::new(ErrorKind::Unsupported, None, "zones know running and stopped clocks only")),
        };
        rates.iter().map(stands).collect()
    }

    /// The condition that some action is possible now or after a delay, for values of a zone.
    pub(crate) fn actions(&self, discrete: &Discrete, zone: &Zone) -> Result<Formula> {
        let unsupported = |text: &str| Err(EvalError::new(ErrorKind::Unsupported, None, text));
        let urgent = self.semantics.urgent(discrete);
        let waits = self.semantics.stops_time(discrete).is_none() && urgent != Formula::True;
        if waits && urgent != Formula::False {
            return unsupported("deadlocks with clock guards on urgent synchronisations are not certified");
        }
        if waits && self.stopped(discrete)?.contains(&true) {
            return unsupported("deadlocks with stopwatches are not certified");
        }
        let space = Zones::default();
        let reached = if waits { zone.delayed(&vec![false; zone.clocks()]) } else { zone.clone() };
        let invariant = self.semantics.invariant(discrete);
        let mut possible = Vec::new();
        let inside = parts(&space, &invariant, true, &reached)?;
        if inside.len() > 1 {
            return unsupported("deadlocks with an invariant in several parts are not certified");
        }
        for inside in inside {
            for transition in self.semantics.transitions_of_any_priority(discrete) {
                for part in parts(&space, &transition.exists, true, &inside)? {
                    let from = if waits { part.before_delay()? } else { Some(part) };
                    possible.extend(from.map(|zone| zone.formula()));
                }
            }
        }
        Ok(Formula::any(possible))
    }
}
