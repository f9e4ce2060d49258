//! What is nowhere has a certificate that `certify` accepts, and no certificate that was tampered with is.
//!
//! A changed certificate may still be one, so the changes are such that it cannot be: a state is left out that an explicit
//! run reaches, or a goal is asked about that such a run meets.

use crate::compare::{Failure, Subject, asked, failure, patient};
use crate::draft::Draft;
use crate::explicit::Explicit;
use crate::random::Random;
use certify::zone::Bound;
use certify::{Certificate, Literal, check_certificate};
use engine::options::Options;
use engine::report::{Answer, Evidence};
use model::network::ClockId;

/// Asks a query that was answered with a proof again, for the certificate.
pub fn hold(
    draft: &Draft,
    subject: &Subject,
    truth: &Explicit,
    index: usize,
    before: &Answer,
    random: &mut Random,
) -> Result<(), Failure> {
    let Some(goal) = asked(&subject.queries[index], subject.network()).literal else { return Ok(()) };
    let search = (*random.pick(&["auto", "bfs", "dfs", "rdfs", "drs"])).parse().expect("a search");
    let options = Options { certify: true, keep_certificate: true, search, ..patient() };
    let Some(answer) = subject.answer(index, &options) else { return Ok(()) };
    let text = || format!("{} by {}: {:?}", answer.query, options.search, answer.reason);
    if answer.internal {
        return failure("a refused certificate", text());
    }
    if answer.verdict != before.verdict {
        let cut = answer.reason.as_ref().is_some_and(|reason| reason.contains("limit"));
        return if cut { Ok(()) } else { failure("two searches differ", text()) };
    }
    let Some(json) = answer.certificate.as_ref().filter(|_| answer.evidence == Evidence::Certificate) else {
        let excused = answer.reason.as_ref().is_some_and(|reason| {
            reason.contains("cut off")
                || reason.contains("are not certified") && draft.may_lack_certificates()
                || reason.contains("clocks are compared with each other") && draft.traits.diagonal
        });
        return if excused { Ok(()) } else { failure("no certificate", text()) };
    };
    let network = subject.network();
    let certificate = match Certificate::from_json(network, json) {
        Ok(certificate) => certificate,
        Err(refusal) => return failure("a certificate that cannot be read", refusal.text),
    };
    let refused = |name: &str, changed: &Certificate, goal: Literal| match check_certificate(network, changed, goal) {
        Ok(()) => failure(format!("an accepted certificate {name}"), text()),
        Err(_) => Ok(()),
    };
    if check_certificate(network, &certificate, goal).is_err() {
        return failure("a refused certificate", text());
    }
    let node = random.pick(&truth.nodes);
    let mut without = certificate.clone();
    without.entries.retain(|entry| entry.discrete != node.discrete);
    refused("without a reachable discrete state", &without, goal)?;
    if let Some(smaller) = without_clocks(&certificate, truth, random) {
        refused("without a reachable state", &smaller, goal)?;
    }
    for (query, found) in subject.queries.iter().zip(&truth.found) {
        if let (Some(met), false) = (asked(query, network).literal, found.is_empty()) {
            refused("of another goal", &certificate, met)?;
        }
    }
    Ok(())
}

/// The certificate without the states in which some clock has the value that it has in a reachable one, or more, or less.
fn without_clocks(certificate: &Certificate, truth: &Explicit, random: &mut Random) -> Option<Certificate> {
    let node = random.pick(&truth.nodes);
    let clock = random.below(node.clocks.len());
    let ticks = *node.clocks.get(clock)?;
    if ticks % truth.ticks != 0 || truth.cap.is_some_and(|cap| ticks >= cap) {
        return None;
    }
    let (value, more) = (ticks / truth.ticks, random.one_in(2));
    let mut smaller = certificate.clone();
    for zone in smaller.entries.iter_mut().filter(|entry| entry.discrete == node.discrete).flat_map(|e| &mut e.zones) {
        // Clocks that are not listed are free.
        let rows = zone.clocks.len() + 1;
        let row = 1 + zone.clocks.iter().position(|one| *one == ClockId::new(clock))?;
        let (at, bound) = match more {
            true => (row * rows, Bound::Below(value)),
            false => (row, Bound::Below(-value)),
        };
        zone.bounds[at] = zone.bounds[at].min(bound);
    }
    Some(smaller)
}
