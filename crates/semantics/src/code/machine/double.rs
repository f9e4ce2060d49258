//! Instructions on doubles, moments and clocks that have values. Out of the interpreter loop, as
//! all rare ones are: the code of the exact engines has none of them.

use super::host::{Host, Values};
use super::pointer::{READ_ONLY, Store, split};
use crate::code::error::RunErrorKind;
use crate::code::op::{CONSTANTS, Member, NONE, Op, Reg};
use crate::code::programs::{Context, Programs};
use crate::precise::{Precise, compare};
use model::network::arithmetic::double_binary;
use model::network::{Relation, Value};

const NONE_SUCH: RunErrorKind = RunErrorKind::Unsupported("an instruction that is none");

#[inline]
pub(super) fn get(stack: &[i32], at: usize) -> f64 {
    f64::from_bits(u64::from(stack[at] as u32) | u64::from(stack[at + 1] as u32) << 32)
}

#[inline]
fn put(stack: &mut [i32], at: usize, value: f64) {
    let bits = value.to_bits();
    (stack[at], stack[at + 1]) = (bits as i32, (bits >> 32) as i32);
}

fn get_precise(stack: &[i32], at: usize) -> Precise {
    Precise::from_parts((get(stack, at), get(stack, at + 2)))
}

fn put_precise(stack: &mut [i32], at: usize, value: Precise) {
    let (high, low) = value.parts();
    put(stack, at, high);
    put(stack, at + 2, low);
}

/// The double that a pointer leads to; pointers count cells.
fn load(programs: &Programs<'_>, values: &dyn Values, stack: &[i32], pointer: i32) -> f64 {
    let (store, at) = split(pointer);
    match store {
        Store::State => values.double(at / 2),
        Store::Constants => programs.network.constants.doubles[at / 2],
        Store::Stack => get(stack, at),
    }
}

fn store(values: &mut dyn Values, stack: &mut [i32], pointer: i32, value: f64) -> Result<(), RunErrorKind> {
    let (store, at) = split(pointer);
    match store {
        Store::State => values.set_double(at / 2, value),
        Store::Constants => return Err(READ_ONLY),
        Store::Stack => put(stack, at, value),
    }
    Ok(())
}

fn holds(left: f64, relation: Relation, right: f64) -> bool {
    match relation {
        Relation::Lt => left < right,
        Relation::Le => left <= right,
        Relation::Eq => left == right,
        Relation::Ne => left != right,
        Relation::Ge => left >= right,
        Relation::Gt => left > right,
    }
}

#[inline(never)]
pub(super) fn run<H: Host>(
    op: &Op,
    programs: &Programs<'_>,
    context: &Context,
    stack: &mut [i32],
    base: usize,
    host: &mut H,
) -> Result<(), RunErrorKind> {
    let Some(values) = host.values() else { return Err(NONE_SUCH) };
    let cell = |reg: Reg| base + reg as usize;
    macro_rules! int {
        ($reg:expr) => {
            stack[cell($reg)]
        };
    }
    macro_rules! double {
        ($reg:expr) => {
            get(stack, cell($reg))
        };
    }
    macro_rules! precise {
        ($reg:expr) => {
            get_precise(stack, cell($reg))
        };
    }
    match *op {
        Op::DoubleImm { d, n } => put(stack, cell(d), programs.tables.doubles[n as usize]),
        Op::DoubleMove { d, a } => stack.copy_within(cell(a)..cell(a) + 2, cell(d)),
        Op::DoubleOf { d, int } => put(stack, cell(d), f64::from(int!(int))),
        Op::IntOf { d, a } => int!(d) = double!(a) as i32,
        Op::LoadDouble { d, p } => {
            let value = load(programs, values, stack, int!(p));
            put(stack, cell(d), value);
        }
        Op::LoadStateDouble { d, at } => put(stack, cell(d), values.double(at as usize)),
        Op::StoreDouble { s, p } => store(values, stack, int!(p), double!(s))?,
        Op::StoreStateDouble { s, at } => values.set_double(at as usize, double!(s)),
        Op::DoubleLocal { d, at } => int!(d) = (context.doubles + at) as i32,
        Op::DoubleLocalConstant { d, at } => int!(d) = (CONSTANTS | (context.constant_doubles + at)) as i32,
        Op::DoubleParameter { d, n, at } => int!(d) = programs.binding(context, n).doubles + at as i32,
        Op::DoubleMember { d, p, member, n, at } => {
            let other = programs.context(int!(p) as usize);
            let first = match member {
                Member::Local => other.doubles as i32,
                Member::LocalConstant => (CONSTANTS | other.constant_doubles) as i32,
                Member::Parameter => programs.binding(other, n).doubles,
            };
            int!(d) = first + at as i32;
        }
        Op::DoubleNegate { d, a } => put(stack, cell(d), -double!(a)),
        Op::DoubleBinary { op, d, a, b } => match double_binary(op, double!(a), double!(b)) {
            Some(Value::Double(value)) => put(stack, cell(d), value),
            Some(Value::Int(value)) => put(stack, cell(d), f64::from(value)),
            _ => return Err(RunErrorKind::Unsupported("an operator that doubles do not have")),
        },
        Op::DoubleTest { relation, d, a, b } => int!(d) = i32::from(holds(double!(a), relation, double!(b))),
        Op::DoubleBuiltin { function, d, a } => {
            let arguments = [double!(a), double!(a + 2), double!(a + 4)];
            let value = values.builtin(function, arguments).ok_or(RunErrorKind::Undefined(function))?;
            put(stack, cell(d), value);
        }
        Op::IntBuiltin { function, d, a } => {
            let arguments = [double!(a), double!(a + 2), double!(a + 4)];
            int!(d) = values.builtin(function, arguments).ok_or(RunErrorKind::Undefined(function))? as i32;
        }
        Op::CopyDoubles { d, s, len } => {
            let (to, from) = (int!(d), int!(s));
            match (split(to), split(from)) {
                ((Store::Stack, to), (Store::Stack, from)) => stack.copy_within(from..from + 2 * len as usize, to),
                _ => {
                    for n in 0..len as i32 {
                        let value = load(programs, values, stack, from + 2 * n);
                        store(values, stack, to + 2 * n, value)?;
                    }
                }
            }
        }
        Op::SameDoubles { d, a, b, len } => {
            let (left, right) = (int!(a), int!(b));
            let at = |pointer: i32, n: i32| load(programs, values, stack, pointer + 2 * n);
            if !(0..len as i32).all(|n| at(left, n) == at(right, n)) {
                int!(d) = 0;
            }
        }
        Op::ClockDouble { d, clock } => put(stack, cell(d), values.clock(int!(clock) as usize).value()),
        Op::ClockPrecise { d, clock } => put_precise(stack, cell(d), values.clock(int!(clock) as usize)),
        Op::PreciseOf { d, a } => put_precise(stack, cell(d), Precise::from(double!(a))),
        Op::DoubleOfPrecise { d, a } => put(stack, cell(d), precise!(a).value()),
        Op::PreciseNegate { d, a } => put_precise(stack, cell(d), -precise!(a)),
        Op::PreciseAdd { d, a, b } => put_precise(stack, cell(d), precise!(a) + precise!(b)),
        Op::PreciseSub { d, a, b } => put_precise(stack, cell(d), precise!(a) - precise!(b)),
        Op::PreciseAddDouble { d, a, b } => put_precise(stack, cell(d), precise!(a) + double!(b)),
        Op::PreciseMul { d, a, b } => put_precise(stack, cell(d), precise!(a) * double!(b)),
        Op::PreciseDiv { d, a, b } => put_precise(stack, cell(d), precise!(a) / double!(b)),
        Op::PreciseTest { relation, d, a, b } => {
            int!(d) = i32::from(compare(precise!(a), relation, precise!(b)));
        }
        Op::ClockTest { relation, d, plus, minus, bound } => {
            let of = |reg: Reg| {
                if reg == NONE { Precise::ZERO } else { values.clock(stack[cell(reg)] as usize) }
            };
            let difference = of(plus) - of(minus);
            int!(d) = i32::from(compare(difference, relation, Precise::from(f64::from(int!(bound)))));
        }
        Op::PutClock { clock, a } => values.set_clock(int!(clock) as usize, precise!(a)),
        _ => return Err(NONE_SUCH),
    }
    Ok(())
}
