//! Pointers: one number for a cell of the state, of the constants or of the stack.

use super::host::Host;
use crate::code::error::RunErrorKind;
use crate::code::op::{CONSTANTS, STACK, STORE_MASK};
use crate::code::programs::Programs;
use model::network::Range;

pub(super) const READ_ONLY: RunErrorKind = RunErrorKind::Unsupported("a variable is written where nothing may change");

#[derive(Clone, Copy)]
pub(super) enum Store {
    State,
    Constants,
    Stack,
}

pub(super) fn split(pointer: i32) -> (Store, usize) {
    let pointer = pointer as u32;
    let at = (pointer & !STORE_MASK) as usize;
    match pointer & STORE_MASK {
        CONSTANTS => (Store::Constants, at),
        STACK => (Store::Stack, at),
        _ => (Store::State, at),
    }
}

#[inline]
pub(super) fn load(programs: &Programs<'_>, host: &impl Host, stack: &[i32], pointer: i32) -> i32 {
    let (store, at) = split(pointer);
    match store {
        Store::State => host.ints()[at],
        Store::Constants => programs.network.constants.ints[at],
        Store::Stack => stack[at],
    }
}

/// Stores a value that fits the type of the reference; a variable of the state may have a smaller range.
#[inline]
pub(super) fn store(
    programs: &Programs<'_>,
    host: &mut impl Host,
    stack: &mut [i32],
    pointer: i32,
    value: i32,
) -> Result<(), RunErrorKind> {
    let (store, at) = split(pointer);
    match store {
        Store::State => {
            check(programs.network.ints[at].range, value)?;
            if !host.write(at, value) {
                return Err(READ_ONLY);
            }
        }
        Store::Constants => return Err(READ_ONLY),
        Store::Stack => stack[at] = value,
    }
    Ok(())
}

#[inline]
pub(super) fn check(range: Range, value: i32) -> Result<(), RunErrorKind> {
    if range.contains(value) { Ok(()) } else { Err(RunErrorKind::OutOfRange { value, range }) }
}

/// Copies cells; the two stretches are the same or apart, except within the stack.
pub(super) fn copy(
    programs: &Programs<'_>,
    host: &mut impl Host,
    stack: &mut [i32],
    to: i32,
    from: i32,
    len: usize,
) -> Result<(), RunErrorKind> {
    let ((target, at), (source, start)) = (split(to), split(from));
    match (target, source) {
        (Store::Stack, Store::Stack) => stack.copy_within(start..start + len, at),
        (Store::Stack, Store::State) => stack[at..at + len].copy_from_slice(&host.ints()[start..start + len]),
        (Store::Stack, Store::Constants) => {
            stack[at..at + len].copy_from_slice(&programs.network.constants.ints[start..start + len]);
        }
        _ => {
            for n in 0..len as i32 {
                let value = load(programs, host, stack, from + n);
                store(programs, host, stack, to + n, value)?;
            }
        }
    }
    Ok(())
}

pub(super) fn same(programs: &Programs<'_>, host: &impl Host, stack: &[i32], a: i32, b: i32, len: usize) -> bool {
    cells(programs, host, stack, a, len) == cells(programs, host, stack, b, len)
}

pub(super) fn cells<'a>(
    programs: &'a Programs<'_>,
    host: &'a impl Host,
    stack: &'a [i32],
    pointer: i32,
    len: usize,
) -> &'a [i32] {
    let (store, at) = split(pointer);
    match store {
        Store::State => &host.ints()[at..at + len],
        Store::Constants => &programs.network.constants.ints[at..at + len],
        Store::Stack => &stack[at..at + len],
    }
}
