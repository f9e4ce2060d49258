//! Instructions that the interpreter loop hands on: pointers, whole structs and arrays, members of processes, general
//! clock constraints, cases. Kept apart so that the loop stays small enough for its variables to live in registers.

use super::double;
use super::host::Host;
use super::pointer;
use crate::code::error::RunErrorKind;
use crate::code::facts::{ClockBound, ClockUpdate};
use crate::code::op::{CONSTANTS, Member, NONE, Op, Reg, STACK};
use crate::code::programs::{Context, Programs};
use model::network::{ClockId, LocationId};

#[inline(never)]
pub(super) fn run<H: Host>(
    op: &Op,
    programs: &Programs<'_>,
    context: &Context,
    locations: &[LocationId],
    stack: &mut [i32],
    base: usize,
    host: &mut H,
) -> Result<(), RunErrorKind> {
    macro_rules! get {
        ($reg:expr) => {
            stack[base + $reg as usize]
        };
    }
    macro_rules! put {
        ($reg:expr, $value:expr) => {{
            let value = $value;
            stack[base + $reg as usize] = value;
        }};
    }
    match *op {
        Op::LoadPointer { d, p, at } => put!(d, pointer::load(programs, host, stack, get!(p) + at as i32)),
        Op::PointerAt { d, p, i, at, len } => {
            let pointer = get!(p) + element(get!(i), at, len)?;
            put!(d, pointer::load(programs, host, stack, pointer));
        }
        Op::StorePointer { s, p, at } => {
            let (pointer, value) = (get!(p) + at as i32, get!(s));
            pointer::store(programs, host, stack, pointer, value)?;
        }
        Op::StorePointerAt { s, p, i, at, len } => {
            let (pointer, value) = (get!(p) + element(get!(i), at, len)?, get!(s));
            pointer::store(programs, host, stack, pointer, value)?;
        }
        Op::AddressLocalConstant { d, at } => put!(d, (CONSTANTS | (context.constants + at)) as i32),
        Op::AddressParameter { d, n, at } => put!(d, programs.binding(context, n).ints + at as i32),
        Op::AddressFrame { d, at } => put!(d, (STACK | (base as u32 + at)) as i32),
        Op::AddressMember { d, p, member, n, at } => {
            let other = programs.context(get!(p) as usize);
            let first = match member {
                Member::Local => other.ints as i32,
                Member::LocalConstant => (CONSTANTS | other.constants) as i32,
                Member::Parameter => programs.binding(other, n).ints,
            };
            put!(d, first + at as i32);
        }
        Op::LocationOf { d, p } => put!(d, locations[get!(p) as usize].index() as i32),

        Op::Copy { d, s, len } => {
            let (to, from) = (get!(d), get!(s));
            pointer::copy(programs, host, stack, to, from, len as usize)?;
        }
        Op::CheckCells { p, layout } => {
            let ranges = &programs.tables.layouts[layout as usize];
            let values = pointer::cells(programs, host, stack, get!(p), ranges.len());
            values.iter().zip(ranges).try_for_each(|(value, range)| pointer::check(*range, *value))?;
        }
        Op::Same { d, a, b, len } => {
            let same = pointer::same(programs, host, stack, get!(a), get!(b), len as usize);
            put!(d, i32::from(same));
        }
        Op::Fill { at, len, value } => stack[base + at as usize..][..len as usize].fill(value),

        Op::ClockParameter { d, n, at } => put!(d, (programs.binding(context, n).clocks + at) as i32),
        Op::ClockMember { d, p, member, n, at } => {
            let other = programs.context(get!(p) as usize);
            let first = match member {
                Member::Parameter => programs.binding(other, n).clocks,
                Member::Local | Member::LocalConstant => other.clocks,
            };
            put!(d, (first + at) as i32);
        }
        Op::ChannelLocal { d, at } => put!(d, (context.channels + at) as i32),
        Op::ChannelParameter { d, n, at } => put!(d, (programs.binding(context, n).channels + at) as i32),
        Op::Bound { relation, plus, minus, bound } => {
            let clock = |reg: Reg| (reg != NONE).then(|| ClockId::new(get!(reg) as usize));
            host.bound(ClockBound { plus: clock(plus), minus: clock(minus), relation, bound: get!(bound) });
        }
        Op::Rate { clock, rate } => host.rate(ClockId::new(get!(clock) as usize), get!(rate)),
        Op::MarkFacts { d } => {
            let (bounds, rates) = host.facts();
            put!(d, bounds as i32);
            put!(d + 1, rates as i32);
        }
        Op::DropFacts { a } => host.drop_facts(get!(a) as usize, get!(a + 1) as usize),
        Op::SetClock { target, source, offset } => {
            let offset = get!(offset);
            let source = (source != NONE).then(|| ClockId::new(get!(source) as usize));
            if source.is_none() && offset < 0 {
                return Err(RunErrorKind::NegativeClock { value: offset });
            }
            host.set_clock(ClockUpdate { target: ClockId::new(get!(target) as usize), source, offset });
        }

        Op::CasesTruth { truth } => host.cases().into_iter().for_each(|cases| cases.push_truth(truth)),
        Op::CasesDeadlock { positive } => host.cases().into_iter().for_each(|cases| cases.push_deadlock(positive)),
        Op::CasesAnd if !host.cases().is_none_or(|cases| cases.and()) => return Err(RunErrorKind::TooManyCases),
        Op::CasesAnd => {}
        Op::CasesOr => host.cases().into_iter().for_each(|cases| cases.or()),

        _ => return double::run(op, programs, context, stack, base, host),
    }
    Ok(())
}

fn element(index: i32, at: u32, len: u32) -> Result<i32, RunErrorKind> {
    if index as u32 >= len {
        return Err(RunErrorKind::Index { value: index, lo: 0, len });
    }
    Ok(index + at as i32)
}
