//! A predicate taken apart into what distances and relaxed plans can count: locations of processes, ranges of cells, and
//! conditions over integers, joined by "and" and "or".
//!
//! Negations are pushed down to the leaves, quantifiers over small ranges written out with their variables bound, what no
//! state can change is decided. Clock constraints, `deadlock` and what mixes locations with numbers are [`Formula::Unknown`],
//! which may hold anywhere. So where the formula is false the predicate is false: it is a necessary condition that ignores time.
//!
//! The size is limited, whatever a query says: beyond [`PARTS`] leaves and [`DEPTH`] alternations everything is unknown.

use crate::reads::{constant, reads_in, single_cell_in};
use model::network::{Expr, ExprId, LocationId, Network, Number, Process, ProcessId, ProcessRef};
use model::syntax::ast::{BinaryOp, Quantifier};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    And(Vec<Formula>),
    Or(Vec<Formula>),
    /// The process is in the location, or is not.
    At {
        process: u32,
        location: LocationId,
        holds: bool,
    },
    /// The cell's value lies between the two, both included.
    Cell {
        cell: u32,
        lo: i64,
        hi: i64,
    },
    /// An expression over integers alone is true, or false; `frame` has the values of bound variables.
    Condition {
        expr: ExprId,
        frame: Box<[i32]>,
        holds: bool,
    },
    Unknown,
}

/// More leaves are not looked at.
pub const PARTS: usize = 1 << 16;
const DEPTH: u32 = 64;

impl Formula {
    pub const TRUE: Formula = Formula::And(Vec::new());
    pub const FALSE: Formula = Formula::Or(Vec::new());

    fn truth(holds: bool) -> Formula {
        if holds { Formula::TRUE } else { Formula::FALSE }
    }

    /// The parts of a conjunction; a formula that is none is its only part.
    pub fn conjuncts(&self) -> &[Formula] {
        match self {
            Formula::And(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}

/// A predicate of a query.
pub fn of_predicate(network: &Network, predicate: ExprId) -> Formula {
    of_condition(network, ProcessId::new(0), &[], predicate)
}

/// A condition that a process evaluates; `frame` has the values of its select variables.
pub fn of_condition(network: &Network, process: ProcessId, frame: &[i32], condition: ExprId) -> Formula {
    let Some(owner) = network.processes.get(process.index()) else { return Formula::Unknown };
    let mut taker = Taker { network, process, owner, frame: frame.to_vec(), parts: 0 };
    taker.take(condition, true, DEPTH)
}

struct Taker<'n> {
    network: &'n Network,
    process: ProcessId,
    owner: &'n Process,
    frame: Vec<i32>,
    parts: usize,
}

impl Taker<'_> {
    fn take(&mut self, id: ExprId, wanted: bool, depth: u32) -> Formula {
        let Some(depth) = depth.checked_sub(1) else { return Formula::Unknown };
        self.parts += 1;
        if self.parts > PARTS {
            return Formula::Unknown;
        }
        match self.network.code.expr(id) {
            Expr::Not(operand) => self.take(*operand, !wanted, depth),
            Expr::And(..) => self.chain(id, wanted, depth, true),
            Expr::Or(..) => self.chain(id, wanted, depth, false),
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                self.quantified(*slot, (range.lo, range.hi), *body, wanted, depth, true)
            }
            Expr::Quantified { quantifier: Quantifier::Exists, slot, range, body, .. } => {
                self.quantified(*slot, (range.lo, range.hi), *body, wanted, depth, false)
            }
            Expr::LocationIs { process, location } => match self.process(process) {
                Some(process) => Formula::At { process, location: *location, holds: wanted },
                None => Formula::Unknown,
            },
            Expr::ClockConstraint(_) | Expr::Deadlock | Expr::Unsupported(_) => Formula::Unknown,
            _ => self.leaf(id, wanted),
        }
    }

    /// A chain of "and" (or of "or") without recursion along it.
    fn chain(&mut self, id: ExprId, wanted: bool, depth: u32, conjunction: bool) -> Formula {
        let (mut parts, mut waiting) = (Vec::new(), vec![id]);
        while let Some(id) = waiting.pop() {
            match self.network.code.expr(id) {
                Expr::And(left, right) if conjunction => waiting.extend([*right, *left]),
                Expr::Or(left, right) if !conjunction => waiting.extend([*right, *left]),
                _ => parts.push(self.take(id, wanted, depth)),
            }
        }
        joined(parts, conjunction == wanted)
    }

    fn quantified(
        &mut self,
        slot: u32,
        (lo, hi): (i32, i32),
        body: ExprId,
        wanted: bool,
        depth: u32,
        conjunction: bool,
    ) -> Formula {
        let slot = slot as usize;
        if self.frame.len() <= slot {
            self.frame.resize(slot + 1, 0);
        }
        let before = self.frame[slot];
        let mut parts = Vec::new();
        for value in lo..=hi {
            self.frame[slot] = value;
            parts.push(self.take(body, wanted, depth));
            if self.parts > PARTS {
                parts.push(Formula::Unknown);
                break;
            }
        }
        self.frame[slot] = before;
        joined(parts, conjunction == wanted)
    }

    /// The process that is meant, where no state decides it.
    fn process(&self, process: &ProcessRef) -> Option<u32> {
        let mut number = process.first.index() as i64;
        for index in &process.indices {
            let value = constant(self.network, self.owner, &self.frame, index.value)?;
            number += (i64::from(value) - i64::from(index.range.lo)) * i64::from(index.stride);
        }
        u32::try_from(number).ok().filter(|number| (*number as usize) < self.network.processes.len())
    }

    fn leaf(&self, id: ExprId, wanted: bool) -> Formula {
        if let Some(value) = constant(self.network, self.owner, &self.frame, id) {
            return Formula::truth((value != 0) == wanted);
        }
        if let Expr::Binary { op, number: Number::Int, left, right } = self.network.code.expr(id)
            && let Some(compared) = self.compared(*op, *left, *right, wanted)
        {
            return compared;
        }
        if let Some(cell) = single_cell_in(self.network, self.owner, &self.frame, id) {
            let outside = |lo: i64, hi: i64| Formula::Cell { cell, lo, hi };
            return match wanted {
                true => joined(vec![outside(1, i64::MAX), outside(i64::MIN, -1)], false),
                false => outside(0, 0),
            };
        }
        let reads = reads_in(self.network, self.process, &self.frame, id);
        let mut timed = reads.everything || !reads.clocks.is_empty();
        self.network.code.walk(id, &mut |_, expr| {
            timed |= matches!(
                expr,
                Expr::ClockConstraint(_)
                    | Expr::ClockValue(_)
                    | Expr::Rate { .. }
                    | Expr::Deadlock
                    | Expr::Unsupported(_)
            );
        });
        if timed {
            return Formula::Unknown;
        }
        Formula::Condition { expr: id, frame: self.frame.clone().into(), holds: wanted }
    }

    /// A cell compared with a number, or two numbers.
    fn compared(&self, op: BinaryOp, left: ExprId, right: ExprId, wanted: bool) -> Option<Formula> {
        let (network, owner, frame) = (self.network, self.owner, self.frame.as_slice());
        let known = |id: ExprId| constant(network, owner, frame, id).map(i64::from);
        let op = if wanted { op } else { opposite(op)? };
        if let (Some(left), Some(right)) = (known(left), known(right)) {
            return Some(Formula::truth(match op {
                BinaryOp::Eq => left == right,
                BinaryOp::Ne => left != right,
                BinaryOp::Lt => left < right,
                BinaryOp::Le => left <= right,
                BinaryOp::Ge => left >= right,
                BinaryOp::Gt => left > right,
                _ => return None,
            }));
        }
        let cell = |id: ExprId| single_cell_in(network, owner, frame, id);
        let (cell, value, op) = match (cell(left), cell(right)) {
            (Some(cell), None) => (cell, known(right)?, op),
            (None, Some(cell)) => (cell, known(left)?, mirrored(op)),
            _ => return None,
        };
        let within = |lo: i64, hi: i64| Formula::Cell { cell, lo, hi };
        Some(match op {
            BinaryOp::Eq => within(value, value),
            BinaryOp::Ne => Formula::Or(vec![within(i64::MIN, value - 1), within(value + 1, i64::MAX)]),
            BinaryOp::Ge => within(value, i64::MAX),
            BinaryOp::Gt => within(value + 1, i64::MAX),
            BinaryOp::Le => within(i64::MIN, value),
            BinaryOp::Lt => within(i64::MIN, value - 1),
            _ => return None,
        })
    }
}

/// A conjunction or disjunction, without parts that decide nothing, and flat.
fn joined(parts: Vec<Formula>, conjunction: bool) -> Formula {
    let (neutral, absorbing) =
        if conjunction { (Formula::TRUE, Formula::FALSE) } else { (Formula::FALSE, Formula::TRUE) };
    let mut kept = Vec::new();
    for part in parts {
        match part {
            part if part == absorbing => return absorbing,
            part if part == neutral => {}
            Formula::And(inner) if conjunction => kept.extend(inner),
            Formula::Or(inner) if !conjunction => kept.extend(inner),
            // Beside something unknown an alternative says nothing.
            Formula::Unknown if !conjunction => return Formula::Unknown,
            Formula::Unknown => {}
            part => kept.push(part),
        }
    }
    match (kept.len(), conjunction) {
        (1, _) => kept.swap_remove(0),
        (_, true) => Formula::And(kept),
        (_, false) => Formula::Or(kept),
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        _ => return None,
    })
}
