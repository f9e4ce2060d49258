//! What must hold together for a condition to hold: the sides of `&&`, and the instances of `forall`.
//!
//! An invariant such as `forall (i : id_t) job[i]' == runs[i]` speaks about every process, and a step changes a few cells that it
//! reads. Its clauses are evaluated one by one, so that only those are looked at again that read one of them.

use model::network::{Expr, ExprId, Network};
use model::syntax::ast::Quantifier;

/// A part of a condition, with the values of the quantified variables around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Clause {
    pub expr: ExprId,
    /// Slots and their values.
    pub bound: Vec<(u32, i32)>,
}

/// A condition with more clauses is taken as one.
const MOST: usize = 4096;

/// The clauses of a condition, in the order of its evaluation.
pub(crate) fn clauses(network: &Network, condition: Option<ExprId>) -> Vec<Clause> {
    let mut found = Vec::new();
    let Some(condition) = condition else { return found };
    if add(network, condition, &mut Vec::new(), &mut found) {
        return found;
    }
    vec![Clause { expr: condition, bound: Vec::new() }]
}

/// Adds the clauses of an expression; `false` where there are too many.
fn add(network: &Network, expr: ExprId, bound: &mut Vec<(u32, i32)>, found: &mut Vec<Clause>) -> bool {
    match network.code.expr(expr) {
        Expr::And(left, right) => add(network, *left, bound, found) && add(network, *right, bound, found),
        Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
            (range.lo..=range.hi).all(|value| {
                bound.push((*slot, value));
                let fits = add(network, *body, bound, found);
                bound.pop();
                fits
            })
        }
        _ => {
            found.push(Clause { expr, bound: bound.clone() });
            found.len() <= MOST
        }
    }
}
