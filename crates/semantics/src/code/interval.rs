//! Which values an integer expression can have: intervals over the declared ranges of variables.
//!
//! Needed for the largest constant a clock is compared with in `x <= a[i] + f(j)`. Constants count with their values,
//! array elements with the cells that the index can reach, function calls with the declared type of the result. What may
//! wrap around has the full range. Expressions higher than [`DEPTH`] are not looked into.

use model::network::{
    Base, Builtin, Expr, ExprId, Network, Number, Place, Process, ProcessId, Range, ReferenceStore, Type,
};
use model::syntax::ast::{BinaryOp, Quantifier};

const DEPTH: u32 = 200;
/// Cells that are looked at one by one before the declared type has to do.
const CELLS: u64 = 1 << 12;
const FULL: Interval = (i32::MIN as i64, i32::MAX as i64);

type Interval = (i64, i64);

/// A lower and an upper bound of the value of an expression in every state, whatever the select values are.
///
/// The values of local variables of the process are its own: `process` decides about its parameters and constants.
pub fn range_of(network: &Network, expr: ExprId, process: ProcessId) -> (i64, i64) {
    let declared = |cell: usize| network.ints.get(cell).map_or(FULL, |cell| of_range(cell.range));
    range_within(network, expr, process, &declared)
}

/// The same where less is known to be possible: `cells` has bounds of the value of each cell of the state.
pub fn range_within(
    network: &Network,
    expr: ExprId,
    process: ProcessId,
    cells: &dyn Fn(usize) -> (i64, i64),
) -> (i64, i64) {
    Ranges { network, process: network.processes.get(process.index()), cells }.of(expr, DEPTH)
}

struct Ranges<'a> {
    network: &'a Network,
    process: Option<&'a Process>,
    cells: &'a dyn Fn(usize) -> Interval,
}

impl Ranges<'_> {
    fn of(&self, id: ExprId, depth: u32) -> Interval {
        let Some(below) = depth.checked_sub(1) else { return FULL };
        let of = |id: ExprId| self.of(id, below);
        within(match self.network.code.expr(id) {
            Expr::Int(value) => exactly(*value),
            Expr::Read(place) => self.place(place, below),
            Expr::Negate(Number::Int, operand) => {
                let (lo, hi) = of(*operand);
                (-hi, -lo)
            }
            Expr::Not(operand) => match of(*operand) {
                (0, 0) => (1, 1),
                (lo, hi) if lo > 0 || hi < 0 => (0, 0),
                _ => (0, 1),
            },
            Expr::And(..)
            | Expr::Or(..)
            | Expr::SameValue { .. }
            | Expr::LocationIs { .. }
            | Expr::ClockConstraint(_)
            | Expr::Quantified { quantifier: Quantifier::Forall | Quantifier::Exists, .. } => (0, 1),
            Expr::Binary { op, number: Number::Int, left, right } => binary(*op, of(*left), of(*right)),
            Expr::Binary { number: Number::Double, .. } => (0, 1),
            Expr::Conditional { condition, then, otherwise } => match of(*condition) {
                (0, 0) => of(*otherwise),
                (lo, hi) if lo > 0 || hi < 0 => of(*then),
                _ => hull(of(*then), of(*otherwise)),
            },
            Expr::Assign { target, .. } | Expr::Step { target, postfix: true, .. } => of_type(&target.ty),
            Expr::Step { target, .. } => of_type(&target.ty),
            Expr::Sequence(_, second) => of(*second),
            Expr::Call { function, .. } => of_type(&self.network.code.function(*function).result),
            Expr::Builtin { function: Builtin::Abs, arguments } if arguments.len() == 1 => match of(arguments[0]) {
                (lo, hi) if lo >= 0 => (lo, hi),
                (lo, hi) if hi <= 0 => (-hi, -lo),
                (lo, hi) => (0, hi.max(-lo)),
            },
            Expr::Quantified { quantifier: Quantifier::Sum, number: Number::Int, range, body, .. } => {
                let (lo, hi) = of(*body);
                let count = range.count() as i64;
                (lo.saturating_mul(count), hi.saturating_mul(count))
            }
            Expr::LocationOf { .. } => {
                let most = self.network.templates.iter().map(|template| template.locations.len()).max();
                (0, most.unwrap_or(1) as i64 - 1)
            }
            _ => FULL,
        })
    }

    /// The values that the cells of a place can hold.
    fn place(&self, place: &Place, depth: u32) -> Interval {
        let declared = of_type(&place.ty);
        let Some((constants, first)) = self.base(place) else { return declared };
        let mut cells = vec![u64::from(first) + u64::from(place.offset.ints)];
        for index in &place.indices {
            let (lo, hi) = self.of(index.value, depth);
            let (lo, hi) = (lo.max(i64::from(index.lo)), hi.min(i64::from(index.lo) + i64::from(index.len) - 1));
            if lo > hi || (hi - lo + 1) as u64 * cells.len() as u64 > CELLS {
                return declared;
            }
            let stride = u64::from(index.stride.ints);
            let steps = (lo - i64::from(index.lo)) as u64..=(hi - i64::from(index.lo)) as u64;
            cells = cells.iter().flat_map(|cell| steps.clone().map(move |step| cell + step * stride)).collect();
        }
        let values = cells.iter().map(|cell| {
            let cell = *cell as usize;
            if constants {
                self.network.constants.ints.get(cell).map_or(FULL, |value| exactly(*value))
            } else {
                (self.cells)(cell)
            }
        });
        match values.reduce(hull) {
            Some((lo, hi)) if constants => (lo, hi),
            Some((lo, hi)) => (lo.max(declared.0), hi.min(declared.1)),
            None => declared,
        }
    }

    /// Whether a place is among the constants, and where its base is.
    fn base(&self, place: &Place) -> Option<(bool, u32)> {
        match place.base {
            Base::Global => Some((false, 0)),
            Base::Constant => Some((true, 0)),
            Base::Local => Some((false, self.process?.state.ints)),
            Base::LocalConstant => Some((true, self.process?.constants.ints)),
            Base::Parameter(n) => {
                let reference = self.process?.references.get(n as usize)?;
                Some((reference.store == ReferenceStore::Constants, reference.offset.ints))
            }
            Base::Frame | Base::FrameReference(_) | Base::Member(..) | Base::Value(_) => None,
        }
    }
}

fn exactly(value: i32) -> Interval {
    (i64::from(value), i64::from(value))
}

fn of_range(range: Range) -> Interval {
    (i64::from(range.lo), i64::from(range.hi))
}

fn of_type(ty: &Type) -> Interval {
    of_range(ty.range())
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// What does not fit into 32 bits wraps around: anything may come out.
fn within(interval: Interval) -> Interval {
    if interval.0 >= FULL.0 && interval.1 <= FULL.1 { interval } else { FULL }
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    use BinaryOp::*;
    let corners = |f: &dyn Fn(i64, i64) -> i64| {
        let values = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (*values.iter().min().unwrap_or(&FULL.0), *values.iter().max().unwrap_or(&FULL.1))
    };
    match op {
        Eq if a.1 < b.0 || b.1 < a.0 => (0, 0),
        Ne if a.1 < b.0 || b.1 < a.0 => (1, 1),
        Lt => (i64::from(a.1 < b.0), i64::from(a.0 < b.1)),
        Le => (i64::from(a.1 <= b.0), i64::from(a.0 <= b.1)),
        Ge => (i64::from(a.0 >= b.1), i64::from(a.1 >= b.0)),
        Gt => (i64::from(a.0 > b.1), i64::from(a.1 > b.0)),
        Or | Imply | And | Xor | Eq | Ne => (0, 1),
        Add => (a.0 + b.0, a.1 + b.1),
        Sub => (a.0 - b.1, a.1 - b.0),
        Mul => corners(&|x, y| x.saturating_mul(y)),
        Min => (a.0.min(b.0), a.1.min(b.1)),
        Max => (a.0.max(b.0), a.1.max(b.1)),
        Div if b.0 > 0 || b.1 < 0 => corners(&|x, y| x / y),
        // The quotient is no larger than the dividend.
        Div => {
            let most = a.0.abs().max(a.1.abs());
            (-most, most)
        }
        // The sign is the dividend's; the size is below both the divisor's and the dividend's.
        Mod => {
            let most = (b.0.abs().max(b.1.abs()) - 1).max(0);
            (if a.0 < 0 { a.0.max(-most) } else { 0 }, if a.1 > 0 { a.1.min(most) } else { 0 })
        }
        BitAnd if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        BitAnd if a.0 >= 0 => (0, a.1),
        BitAnd if b.0 >= 0 => (0, b.1),
        BitOr | BitXor if a.0 >= 0 && b.0 >= 0 => (0, (a.1.max(b.1) as u64 + 1).next_power_of_two() as i64 - 1),
        ShiftRight if b.0 >= 0 => corners(&|x, y| x >> y.min(31)),
        ShiftLeft if b.0 >= 0 && b.1 <= 31 => corners(&|x, y| x << y),
        ShiftLeft | ShiftRight | BitAnd | BitOr | BitXor | Power => FULL,
    }
}
