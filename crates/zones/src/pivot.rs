//! The loop in which the time goes: one pivot of a closure.
//!
//! Written as plain loops over rows whose length is a constant, see `vector.rs`. A pivot costs `dim * stride`
//! steps of one `and`, one addition and one minimum. Infinity costs nothing inside the loop: the pivot row and the column are
//! lifted to a value so large that no sum with it can win the minimum against a stored infinity.
//!
//! No 32-bit sum can wrap: the loop runs only if all finite operands are below `2^27` in magnitude, so that sums of three are admissible;
//! otherwise an exact 64-bit loop takes over and reports sums that are not.

use crate::bound::{Bound, INFINITE, SMALLEST, add_raw};
use crate::vector::by_stride;

/// Bits that are set in the [`magnitude`] of finite operands of `2^27` and more. Infinity has neither.
const LARGE: i32 = 0b11 << 27;
/// Stands for infinity inside a pivot: added to a sum of two operands it is above `INFINITE`, twice it does not wrap.
const LIFTED: i32 = (1 << 30) - 1;

/// Whether sums stayed admissible; if not, the sums were relaxed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Range {
    Kept,
    Left,
}

by_stride! {
    /// For every entry: `D[a][b] := min(D[a][b], D[a][column] + extra + D[row][b])`.
    ///
    /// That is the incremental closure of a closed matrix in which `D[column][row]` becomes `extra`. Row `row` and column
    /// `column` do not change themselves as long as no negative cycle arises.
    fn tighten = tighten_rows, tighten_wide (cells: &mut [Bound], column: usize, extra: Bound, row: usize) -> Range
}

by_stride! {
    /// Floyd and Warshall's algorithm for a matrix that is known not to be empty: a zone some of whose bounds were relaxed.
    fn close_relaxed = close_rows, close_wide (cells: &mut [Bound]) -> Range
}

by_stride! {
    /// For every entry: `D[a][b] := min(D[a][b], D[a][k] + D[k][b])`, one step of Floyd and Warshall.
    fn close_through = through_rows, through_wide (cells: &mut [Bound], k: usize) -> Range
}

#[inline(always)]
fn tighten_rows<const S: usize>(cells: &mut [Bound], column: usize, extra: Bound, row: usize) -> Range {
    pivot_rows::<S, true>(cells, column, extra, row)
}

fn tighten_wide(stride: usize, cells: &mut [Bound], column: usize, extra: Bound, row: usize) -> Range {
    pivot_wide::<true>(cells, stride, column, extra, row)
}

#[inline(always)]
fn through_rows<const S: usize>(cells: &mut [Bound], k: usize) -> Range {
    pivot_rows::<S, false>(cells, k, Bound::LE_ZERO, k)
}

fn through_wide(stride: usize, cells: &mut [Bound], k: usize) -> Range {
    pivot_wide::<false>(cells, stride, k, Bound::LE_ZERO, k)
}

#[inline(always)]
fn close_rows<const S: usize>(cells: &mut [Bound]) -> Range {
    let mut range = Range::Kept;
    for k in 0..cells.len() / S {
        if leads_on(&cells[k * S..][..S]) {
            range = range.and(pivot_rows::<S, false>(cells, k, Bound::LE_ZERO, k));
        }
    }
    range
}

fn close_wide(stride: usize, cells: &mut [Bound]) -> Range {
    let mut range = Range::Kept;
    for k in 0..cells.len() / stride {
        if leads_on(&cells[k * stride..][..stride]) {
            range = range.and(pivot_wide::<false>(cells, stride, k, Bound::LE_ZERO, k));
        }
    }
    range
}

/// Whether a row has a finite bound besides the diagonal; if not, no path leads through its clock.
#[inline(always)]
fn leads_on(row: &[Bound]) -> bool {
    row.iter().map(|bound| i32::from(bound.0 != INFINITE)).sum::<i32>() > 1
}

impl Range {
    fn and(self, other: Range) -> Range {
        if self == Range::Left { self } else { other }
    }
}

/// The raw value lifted out of reach if it is infinite.
#[inline(always)]
fn lift(raw: i32) -> i32 {
    if raw == INFINITE { LIFTED } else { raw }
}

/// The bits of the value, or of the value below its negation.
#[inline(always)]
fn magnitude(raw: i32) -> i32 {
    raw ^ (raw >> 31)
}

/// The sum of a bound that may be infinite and a finite one, lifted.
#[inline(always)]
fn lifted_sum(first: i32, extra: i32) -> i32 {
    if first == INFINITE { LIFTED } else { add_raw(first, extra) }
}

#[inline(always)]
fn pivot_rows<const S: usize, const CLOSED: bool>(
    cells: &mut [Bound],
    column: usize,
    extra: Bound,
    row: usize,
) -> Range {
    assert!(column < S);
    let (rows, _) = cells.as_chunks_mut::<S>();
    let mut through = [0; S];
    let mut bits = [0; S];
    for ((lifted, bits), bound) in through.iter_mut().zip(&mut bits).zip(&rows[row]) {
        *lifted = lift(bound.0);
        *bits = magnitude(bound.0);
    }
    let mut seen = bits.iter().fold(magnitude(extra.0), |seen, bits| seen | bits);
    for cells in rows.iter() {
        seen |= magnitude(cells[column].0);
    }
    if seen & LARGE != 0 {
        return pivot_exact(rows.as_flattened_mut(), S, column, extra, row);
    }
    for cells in rows.iter_mut() {
        let sum = lifted_sum(cells[column].0, extra.0);
        // D[a][b] <= D[a][row] + D[row][b] holds already, so a prefix that is no better than D[a][row] changes nothing.
        if S >= 16 && (if CLOSED { sum >= cells[row].0 } else { sum == LIFTED }) {
            continue;
        }
        let (mask, base) = (sum | -2, sum & -2);
        for (cell, &last) in cells.iter_mut().zip(&through) {
            cell.0 = cell.0.min((last & mask) + base);
        }
    }
    Range::Kept
}

/// The same for rows of any length.
#[inline(always)]
fn pivot_wide<const CLOSED: bool>(
    cells: &mut [Bound],
    stride: usize,
    column: usize,
    extra: Bound,
    row: usize,
) -> Range {
    let through: Vec<i32> = cells[row * stride..][..stride].iter().map(|bound| lift(bound.0)).collect();
    let row_bits = cells[row * stride..][..stride].iter().map(|bound| magnitude(bound.0));
    let column_bits = cells.iter().skip(column).step_by(stride).map(|bound| magnitude(bound.0));
    let seen = row_bits.chain(column_bits).fold(magnitude(extra.0), |seen, bits| seen | bits);
    if seen & LARGE != 0 {
        return pivot_exact(cells, stride, column, extra, row);
    }
    for cells in cells.chunks_exact_mut(stride) {
        let sum = lifted_sum(cells[column].0, extra.0);
        if sum == LIFTED || (CLOSED && sum >= cells[row].0) {
            continue;
        }
        let (mask, base) = (sum | -2, sum & -2);
        for (cell, &last) in cells.iter_mut().zip(&through) {
            cell.0 = cell.0.min((last & mask) + base);
        }
    }
    Range::Kept
}

/// The same in 64 bits, for constants near the limit. Inadmissible sums that matter are relaxed and reported.
#[cold]
#[inline(never)]
fn pivot_exact(cells: &mut [Bound], stride: usize, column: usize, extra: Bound, row: usize) -> Range {
    let mut range = Range::Kept;
    let through: Vec<Bound> = cells[row * stride..][..stride].to_vec();
    for cells in cells.chunks_exact_mut(stride) {
        let first = cells[column];
        if first.is_infinite() {
            continue;
        }
        let weak = i64::from(first.0 & extra.0 & 1);
        let prefix = i64::from(first.constant()) + i64::from(extra.constant());
        for (cell, last) in cells.iter_mut().zip(&through) {
            if last.is_infinite() {
                continue;
            }
            let sum = 2 * (prefix + i64::from(last.constant())) + (weak & i64::from(last.0));
            if sum >= i64::from(cell.0) && !(cell.is_infinite() && sum >= i64::from(INFINITE)) {
                continue;
            }
            if sum < i64::from(SMALLEST) || sum >= i64::from(INFINITE) {
                range = Range::Left;
            }
            cell.0 = sum.clamp(i64::from(SMALLEST), i64::from(INFINITE)) as i32;
        }
    }
    range
}
