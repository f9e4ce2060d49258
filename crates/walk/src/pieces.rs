//! Invariants in pieces that are evaluated one by one.
//!
//! An invariant is a conjunction, and `forall` is one as well: `forall (i : task_t) job[i]' == runs[i]` is a piece for every task.
//! When a cell changes, only the pieces that read it are looked at again.

use model::network::{Argument, Base, Code, Expr, ExprId, LocationId, Place};
use model::syntax::ast::Quantifier;
use semantics::code::ConditionId;
use semantics::structure::Structure;
use std::collections::{HashMap, HashSet};

/// A part of the invariant of a location, compiled.
#[derive(Clone, Debug)]
pub(crate) struct PieceCode {
    pub expr: ExprId,
    pub condition: ConditionId,
    /// The first cells of its frame: the variables of the quantifiers around it.
    pub frame: Vec<i32>,
    /// It compares clocks; otherwise it is about integers and rates only.
    pub bounds: bool,
}

/// By template and location.
pub(crate) type Pieces = HashMap<(usize, usize), Vec<PieceCode>>;

/// An invariant with more pieces stays whole.
const MOST: usize = 1 << 12;
const DEPTH: u32 = 64;

pub(crate) fn find(structure: &mut Structure) -> Pieces {
    let network = structure.network;
    let mut pieces = Pieces::new();
    let mut compiled: HashMap<ExprId, ConditionId> = HashMap::new();
    for (t, template) in network.templates.iter().enumerate() {
        for (l, location) in template.locations.iter().enumerate() {
            let Some(invariant) = location.invariant else { continue };
            let mut parts = Vec::new();
            if !split(structure, invariant, &mut Vec::new(), DEPTH, &mut parts) {
                parts = vec![(invariant, Vec::new())];
            }
            let mut list = Vec::with_capacity(parts.len());
            // Quantifiers inside of each other repeat what does not depend on the outer one.
            let mut seen: HashSet<(ExprId, Vec<i32>)> = HashSet::new();
            parts.retain_mut(|(expr, frame)| {
                forget_unread(&network.code, *expr, frame);
                seen.insert((*expr, frame.clone()))
            });
            // Those that can end the waiting come first.
            parts.sort_by_key(|(expr, _)| !bounds_clocks(&network.code, *expr));
            for (expr, frame) in parts {
                let condition = *compiled.entry(expr).or_insert_with(|| structure.programs.condition(expr));
                list.push(PieceCode { expr, condition, frame, bounds: bounds_clocks(&network.code, expr) });
            }
            pieces.insert((t, LocationId::new(l).index()), list);
        }
    }
    pieces
}

fn bounds_clocks(code: &Code, expr: ExprId) -> bool {
    let mut found = false;
    code.walk(expr, &mut |_, expr| found |= matches!(expr, Expr::ClockConstraint(_)));
    found
}

/// Cells of the frame that an expression does not read become 0, and those after the last one that it reads are left out, so
/// that equal pieces look equal.
fn forget_unread(code: &Code, expr: ExprId, frame: &mut Vec<i32>) {
    let mut read = vec![false; frame.len()];
    let mut note = |place: &Place| {
        if place.base == Base::Frame {
            let start = place.offset.ints as usize;
            // An element or a part of it: whatever stands from there on.
            let end = if place.indices.is_empty() { start + place.ty.extent().ints as usize } else { read.len() };
            read.iter_mut().take(end).skip(start).for_each(|cell| *cell = true);
        }
    };
    code.walk_outside_functions(vec![expr], &mut |_, expr| match expr {
        Expr::Read(place) => note(place),
        Expr::Call { arguments, .. } => arguments.iter().for_each(|argument| {
            if let Argument::Reference(place) = argument {
                note(place);
            }
        }),
        _ => {}
    });
    frame.truncate(read.iter().rposition(|read| *read).map_or(0, |last| last + 1));
    frame.iter_mut().zip(read).filter(|(_, read)| !read).for_each(|(cell, _)| *cell = 0);
}

/// `false` when there are too many parts.
fn split(
    structure: &Structure,
    expr: ExprId,
    frame: &mut Vec<i32>,
    depth: u32,
    parts: &mut Vec<(ExprId, Vec<i32>)>,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match structure.network.code.expr(expr) {
        Expr::And(left, right) => {
            split(structure, *left, frame, depth, parts) && split(structure, *right, frame, depth, parts)
        }
        Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
            let slot = *slot as usize;
            let len = frame.len();
            frame.resize(len.max(slot + 1), 0);
            let done = (range.lo..=range.hi).all(|value| {
                frame[slot] = value;
                split(structure, *body, frame, depth, parts)
            });
            frame.truncate(len.max(slot));
            done
        }
        _ => {
            parts.push((expr, frame.clone()));
            parts.len() <= MOST
        }
    }
}
