//! Which integer cells code of a process may read and write.

use crate::code::range_of;
use model::network::{Argument, Base, Expr, ExprId, Network, Place, ProcessId, ReferenceStore};
use std::ops::Range;

/// The cells that a place may stand for when a process runs the code, with what lies between them. Nothing for what is no
/// part of the state; `None` when it is not known.
fn cells_of(network: &Network, process: ProcessId, place: &Place) -> Option<Range<u32>> {
    let owner = network.process(process);
    let base = match &place.base {
        Base::Global => 0,
        Base::Local => owner.state.ints,
        Base::Parameter(n) => match owner.references.get(*n as usize) {
            Some(reference) if reference.store == ReferenceStore::State => reference.offset.ints,
            _ => return Some(0..0),
        },
        // A reference parameter of a function counts where the reference is made.
        Base::Constant | Base::LocalConstant | Base::Frame | Base::FrameReference(_) | Base::Value(_) => {
            return Some(0..0);
        }
        Base::Member(..) => return None,
    };
    let (mut start, mut len) = (base + place.offset.ints, place.ty.extent().ints);
    for index in &place.indices {
        let (lo, hi) = range_of(network, index.value, process);
        let last = i64::from(index.len) - 1;
        let (lo, hi) = (lo - i64::from(index.lo), hi - i64::from(index.lo));
        let (lo, hi) = (lo.clamp(0, last.max(0)), hi.clamp(0, last.max(0)));
        start += lo as u32 * index.stride.ints;
        len += (hi - lo) as u32 * index.stride.ints;
    }
    Some(start..start + len)
}

/// The cells that expressions may write, functions included.
pub fn written(network: &Network, process: ProcessId, exprs: &[ExprId]) -> Vec<Range<u32>> {
    let mut cells = Vec::new();
    let mut add = |place: &Place| match cells_of(network, process, place) {
        Some(range) if range.is_empty() => {}
        Some(range) => cells.push(range),
        None => cells.push(0..network.ints.len() as u32),
    };
    for expr in exprs {
        network.code.walk(*expr, &mut |_, expr| match expr {
            Expr::Assign { target, .. } | Expr::Step { target, .. } => add(target),
            Expr::Call { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Reference(place) = argument {
                        add(place);
                    }
                }
            }
            _ => {}
        });
    }
    cells
}

/// The cells on which the value of an expression depends. `None` when it depends on more than the integers of the state:
/// on select variables, or on other processes.
pub fn read(network: &Network, process: ProcessId, expr: ExprId) -> Option<Vec<Range<u32>>> {
    let (mut cells, mut known) = (Vec::new(), true);
    network.code.walk_outside_functions(vec![expr], &mut |_, expr| {
        known &= match expr {
            Expr::Read(place) => !matches!(place.base, Base::Frame | Base::FrameReference(_)),
            Expr::Call { process, arguments, .. } => {
                let is_framed = |argument: &Argument| match argument {
                    Argument::Reference(place) => matches!(place.base, Base::Frame | Base::FrameReference(_)),
                    Argument::Value(_) => false,
                };
                process.is_none() && !arguments.iter().any(is_framed)
            }
            _ => true,
        };
    });
    network.code.walk(expr, &mut |_, expr| {
        let mut add = |place: &Place| match cells_of(network, process, place) {
            Some(range) if range.is_empty() => {}
            Some(range) => cells.push(range),
            None => known = false,
        };
        match expr {
            Expr::Read(place) => add(place),
            Expr::Call { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Reference(place) = argument {
                        add(place);
                    }
                }
            }
            // What is assigned in a function is its own.
            Expr::Assign { target, .. } | Expr::Step { target, .. } => add(target),
            Expr::LocationIs { .. } | Expr::LocationOf { .. } | Expr::ClockValue(_) | Expr::Deadlock => known = false,
            _ => {}
        }
    });
    known.then_some(cells)
}

/// Whether two lists of cells have one in common.
pub fn meet(a: &[Range<u32>], b: &[Range<u32>]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.start < b.end && b.start < a.end))
}
