//! What a guard, an invariant or a predicate may read, found before anything runs.
//!
//! Resolved for one process: an element with a constant index is one cell, one with an index that is only known in a
//! state is the whole array. What functions read counts for those who call them; what is passed by reference counts as read
//! where it is passed.

use crate::code::ClockBound;
use model::network::{
    Argument, Base, ClockConstraint, ClockId, Code, Expr, ExprId, Index, MemberBase, Network, Number, Place, Process,
    ProcessId, ProcessRef, ReferenceStore,
};
use model::syntax::ast::BinaryOp;
use std::ops::Range;

/// Stretches of integer cells and of clocks.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Reads {
    pub ints: Vec<Range<u32>>,
    pub clocks: Vec<Range<u32>>,
    /// It may read anything, locations included.
    pub everything: bool,
    frame: Vec<i32>,
}

/// Deeper expressions are not constants.
const DEPTH: u32 = 16;

/// What evaluating an expression in a process may read.
pub fn reads(network: &Network, process: ProcessId, expr: ExprId) -> Reads {
    reads_in(network, process, &[], expr)
}

/// The same where the first cells of the frame are known.
pub fn reads_in(network: &Network, process: ProcessId, frame: &[i32], expr: ExprId) -> Reads {
    let mut calls = false;
    network.code.walk(expr, &mut |_, expr| calls |= matches!(expr, Expr::Call { .. }));
    // A function has a frame of its own.
    let frame = if calls { &[] } else { frame };
    let mut reads = Reads { frame: frame.to_vec(), ..Reads::default() };
    let owner = network.process(process);
    network.code.walk(expr, &mut |_, expr| match expr {
        Expr::Read(place) | Expr::ClockValue(place) | Expr::Step { target: place, .. } => {
            reads.add(network, owner, place);
        }
        Expr::Assign { target, .. } => reads.add(network, owner, target),
        Expr::ClockConstraint(constraint) => {
            constraint.plus.iter().chain(&constraint.minus).for_each(|place| reads.add(network, owner, place));
        }
        Expr::Rate { clock, .. } => reads.add(network, owner, clock),
        Expr::Call { process, arguments, .. } => {
            reads.everything |= process.is_some();
            for argument in arguments {
                if let Argument::Reference(place) = argument {
                    reads.add(network, owner, place);
                }
            }
        }
        Expr::LocationIs { .. } | Expr::LocationOf { .. } | Expr::Deadlock | Expr::Unsupported(_) => {
            reads.everything = true;
        }
        _ => {}
    });
    reads
}

/// What evaluating an expression may read, and what it may write, apart: what is only written does not count as read.
pub struct Accesses {
    pub reads: Reads,
    pub writes: Reads,
}

/// The same as [`reads_in`] for code that writes.
pub fn accesses(network: &Network, process: ProcessId, frame: &[i32], expr: ExprId) -> Accesses {
    let mut calls = false;
    network.code.walk(expr, &mut |_, expr| calls |= matches!(expr, Expr::Call { .. }));
    let frame = if calls { &[] } else { frame };
    let empty = || Reads { frame: frame.to_vec(), ..Reads::default() };
    let (mut reads, mut writes) = (empty(), empty());
    let owner = network.process(process);
    network.code.walk(expr, &mut |_, expr| match expr {
        Expr::Read(place) => reads.add(network, owner, place),
        Expr::Assign { target, op, .. } => {
            writes.add(network, owner, target);
            if op.is_some() {
                reads.add(network, owner, target);
            }
        }
        Expr::Step { target, .. } => {
            writes.add(network, owner, target);
            reads.add(network, owner, target);
        }
        Expr::Call { process, arguments, .. } => {
            reads.everything |= process.is_some();
            writes.everything |= process.is_some();
            for argument in arguments {
                if let Argument::Reference(place) = argument {
                    reads.add(network, owner, place);
                    writes.add(network, owner, place);
                }
            }
        }
        Expr::LocationIs { .. } | Expr::LocationOf { .. } | Expr::Deadlock => reads.everything = true,
        Expr::Unsupported(_) => {
            reads.everything = true;
            writes.everything = true;
        }
        _ => {}
    });
    Accesses { reads, writes }
}

impl Reads {
    fn add(&mut self, network: &Network, process: &Process, place: &Place) {
        let (ints, clocks) = match &place.base {
            Base::Global => (0, 0),
            Base::Local => (process.state.ints, process.state.clocks),
            Base::Parameter(n) => match process.references.get(*n as usize) {
                Some(reference) if reference.store == ReferenceStore::State => {
                    (reference.offset.ints, reference.offset.clocks)
                }
                _ => return,
            },
            Base::Constant | Base::LocalConstant | Base::Frame | Base::FrameReference(_) | Base::Value(_) => return,
            Base::Member(member, base) => match self.member(network, process, member, *base) {
                Some(Some(start)) => start,
                Some(None) => return,
                None => {
                    self.everything = true;
                    return;
                }
            },
        };
        let extent = place.ty.extent();
        let mut int = ints + place.offset.ints..ints + place.offset.ints + extent.ints;
        let mut clock = clocks + place.offset.clocks..clocks + place.offset.clocks + extent.clocks;
        for index in &place.indices {
            let known = known_index(network, process, &self.frame, index);
            let (first, more) = known.map_or((0, index.len.saturating_sub(1)), |n| (n, 0));
            for (range, stride) in [(&mut int, index.stride.ints), (&mut clock, index.stride.clocks)] {
                if range.end > range.start {
                    range.start = range.start.saturating_add(first.saturating_mul(stride));
                    range.end = range.end.saturating_add((first + more).saturating_mul(stride));
                }
            }
        }
        if !int.is_empty() {
            self.ints.push(int);
        }
        if !clock.is_empty() {
            self.clocks.push(clock);
        }
    }

    /// Where the variables of another process start; `Some(None)` when they are constants, `None` when only a state
    /// tells which process is meant.
    fn member(
        &self,
        network: &Network,
        process: &Process,
        member: &ProcessRef,
        base: MemberBase,
    ) -> Option<Option<(u32, u32)>> {
        let mut number = member.first.index() as i64;
        for index in &member.indices {
            let value = constant(network, process, &self.frame, index.value)?;
            number += (i64::from(value) - i64::from(index.range.lo)) * i64::from(index.stride);
        }
        let other = network.processes.get(usize::try_from(number).ok()?)?;
        Some(match base {
            MemberBase::Local => Some((other.state.ints, other.state.clocks)),
            MemberBase::LocalConstant => None,
            MemberBase::Parameter(n) => {
                let reference = other.references.get(n as usize)?;
                (reference.store == ReferenceStore::State).then_some((reference.offset.ints, reference.offset.clocks))
            }
        })
    }

    /// Whether it reads no integers.
    pub fn is_constant(&self) -> bool {
        self.ints.is_empty() && !self.everything
    }
}

fn known_index(network: &Network, process: &Process, frame: &[i32], index: &Index) -> Option<u32> {
    let value = i64::from(constant(network, process, frame, index.value)?) - i64::from(index.lo);
    u32::try_from(value).ok().filter(|n| *n < index.len)
}

/// The value of an expression that no state can change; `select` are the first cells of its frame, as far as they are
/// known.
pub fn constant(network: &Network, process: &Process, select: &[i32], expr: ExprId) -> Option<i32> {
    value(network, process, select, expr, DEPTH)
}

fn value(network: &Network, process: &Process, select: &[i32], expr: ExprId, depth: u32) -> Option<i32> {
    let depth = depth.checked_sub(1)?;
    let of = |expr: ExprId| value(network, process, select, expr, depth);
    match network.code.expr(expr) {
        Expr::Int(value) => Some(*value),
        Expr::Negate(Number::Int, operand) => of(*operand)?.checked_neg(),
        Expr::Binary { op, number: Number::Int, left, right } => {
            let (left, right) = (of(*left)?, of(*right)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => left.checked_mul(right),
                BinaryOp::Mod => left.checked_rem(right),
                _ => None,
            }
        }
        Expr::Read(place) => {
            let first = match &place.base {
                Base::Constant => 0,
                Base::LocalConstant => process.constants.ints,
                Base::Parameter(n) => {
                    let reference = process.references.get(*n as usize)?;
                    (reference.store == ReferenceStore::Constants).then_some(reference.offset.ints)?
                }
                Base::Frame if place.indices.is_empty() => {
                    return select.get(place.offset.ints as usize).copied();
                }
                _ => return None,
            };
            let mut at = u64::from(first) + u64::from(place.offset.ints);
            for index in &place.indices {
                let n = i64::from(of(index.value)?) - i64::from(index.lo);
                let n = u64::try_from(n).ok().filter(|n| *n < u64::from(index.len))?;
                at += n * u64::from(index.stride.ints);
            }
            network.constants.ints.get(usize::try_from(at).ok()?).copied()
        }
        _ => None,
    }
}

/// The parts of a conjunction, from left to right.
pub fn conjuncts(code: &Code, expr: ExprId) -> Vec<ExprId> {
    let (mut parts, mut waiting) = (Vec::new(), vec![expr]);
    while let Some(id) = waiting.pop() {
        match code.expr(id) {
            Expr::And(left, right) => waiting.extend([*right, *left]),
            _ => parts.push(id),
        }
    }
    parts
}

/// A clock constraint that is the same in every state.
pub fn fixed_bound(
    network: &Network,
    process: &Process,
    select: &[i32],
    constraint: &ClockConstraint,
) -> Option<ClockBound> {
    let clock = |place: &Option<Place>| match place {
        None => Some(None),
        Some(place) => {
            let mut reads = Reads { frame: select.to_vec(), ..Reads::default() };
            reads.add(network, process, place);
            match reads.clocks.as_slice() {
                [range] if range.len() == 1 && !reads.everything => Some(Some(ClockId::new(range.start as usize))),
                _ => None,
            }
        }
    };
    Some(ClockBound {
        plus: clock(&constraint.plus)?,
        minus: clock(&constraint.minus)?,
        relation: constraint.relation,
        bound: constant(network, process, select, constraint.bound)?,
    })
}

/// The one cell that an expression reads, if that is all it does.
pub fn single_cell(network: &Network, process: &Process, expr: ExprId) -> Option<u32> {
    single_cell_in(network, process, &[], expr)
}

/// The same where the first cells of the frame are known.
pub fn single_cell_in(network: &Network, process: &Process, frame: &[i32], expr: ExprId) -> Option<u32> {
    let Expr::Read(place) = network.code.expr(expr) else { return None };
    let mut reads = Reads { frame: frame.to_vec(), ..Reads::default() };
    reads.add(network, process, place);
    match reads.ints.as_slice() {
        [range] if range.len() == 1 && reads.clocks.is_empty() && !reads.everything => Some(range.start),
        _ => None,
    }
}
