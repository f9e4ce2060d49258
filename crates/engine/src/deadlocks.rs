//! The search for deadlocks, in two attempts.
//!
//! Lower and upper bounds make the fewest states, and do not keep deadlocks: a zone that they widened may hold a valuation
//! that is stuck though no reachable one is. But the widened zones hold every reachable valuation. So where none of theirs is
//! stuck there is no deadlock, and this is proved with as few states as a question about locations takes (Fischer's
//! protocol: a twentieth). Where one is stuck, its path is followed exactly: either it ends in a deadlock, and a run shows it,
//! or the bounds were too coarse for this model and the search begins again with those that keep deadlocks (Extra⁺_M). The
//! first attempt then was for nothing.
//!
//! For predicates that deadlocks help to hold; `E<> not deadlock and ...` needs the exact ones at once.

use crate::fastest::both;
use crate::options::Options;
use crate::reachability::{Exploration, Explored, Outcome, Reached};
use model::network::{Expr, ExprId, Network};
use semantics::zone_graph::Abstraction;

pub(crate) fn mentioned(network: &Network, predicate: ExprId) -> bool {
    let mut found = false;
    network.code.walk(predicate, &mut |_, expr| found |= matches!(expr, Expr::Deadlock));
    found
}

/// Whether a predicate mentions deadlocks, and only as something that helps it to hold.
pub(crate) fn wants(network: &Network, predicate: ExprId) -> bool {
    let mut open = vec![(predicate, true)];
    while let Some((id, positive)) = open.pop() {
        match network.code.expr(id) {
            Expr::Deadlock if !positive => return false,
            Expr::Deadlock => {}
            Expr::Not(operand) => open.push((*operand, !positive)),
            Expr::And(left, right) | Expr::Or(left, right) => open.extend([(*left, positive), (*right, positive)]),
            Expr::Quantified { body, .. } => open.push((*body, positive)),
            _ if mentioned(network, id) => return false,
            _ => {}
        }
    }
    mentioned(network, predicate)
}

/// Looks for deadlocks; `explore` is one search under the bounds and within the limits that it is given.
pub(crate) fn reach(
    how: Exploration,
    options: &Options,
    explore: &mut dyn FnMut(Exploration, &Options) -> Explored,
) -> Reached {
    let coarse = Exploration { abstraction: Some(Abstraction::LowerUpper), ..how };
    let before = match explore(coarse, options) {
        Explored::Reached(reached) => return *reached,
        Explored::Spurious(statistics) => statistics,
    };
    let time_limit = options.time_limit.map(|limit| limit.saturating_sub(before.elapsed));
    let options = Options { time_limit, ..options.clone() };
    let exact = Exploration { abstraction: Some(Abstraction::Maximal), ..how };
    match explore(exact, &options) {
        Explored::Reached(reached) => Reached { statistics: both(&before, &reached.statistics), ..*reached },
        Explored::Spurious(statistics) => Reached {
            statistics: both(&before, &statistics),
            ..Reached::without_search(Outcome::Internal("a deadlock of the zone graph has no run".to_owned()))
        },
    }
}
