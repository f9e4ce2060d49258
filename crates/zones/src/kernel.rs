//! The loops in which the time goes: one pivot of a closure, and comparing two runs of bounds.
//!
//! Written as plain loops over arrays whose length is a constant (the padded row), so that the compiler unrolls and
//! vectorises them; on x86-64 a second copy is compiled for AVX2 and chosen at run time. A pivot costs `dim * stride`
//! steps of one `and`, one addition and one minimum. Infinity costs nothing inside the loop: the pivot row and the column are
//! lifted to a value so large that no sum with it can win the minimum against a stored infinity.
//!
//! No 32-bit sum can wrap: the loop runs only if all finite operands are below `2^28` in magnitude; otherwise an exact
//! 64-bit loop takes over and reports sums that are not admissible.

use crate::bound::{Bound, INFINITE, SMALLEST, add_raw};

/// Finite operands up to this magnitude have an admissible sum.
const SAFE: i32 = (1 << 28) - 1;
/// Stands for infinity inside a pivot: `LIFTED - SAFE >= INFINITE`, and `LIFTED + LIFTED` does not wrap.
const LIFTED: i32 = (1 << 30) - 1;

/// Entries of a padded row: a multiple of the vector length, so that loops have no tail.
#[inline]
pub(crate) const fn stride_for(dim: usize) -> usize {
    if dim <= 4 { 4 } else { dim.next_multiple_of(8) }
}

/// Whether sums stayed admissible; if not, the sums were relaxed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Range {
    Kept,
    Left,
}

/// For every entry: `D[a][b] := min(D[a][b], D[a][column] + extra + D[row][b])`.
///
/// That is the incremental closure of a closed matrix in which `D[column][row]` becomes `extra`. Row `row` and column
/// `column` do not change themselves as long as no negative cycle arises.
#[inline]
pub(crate) fn tighten(cells: &mut [Bound], stride: usize, column: usize, extra: Bound, row: usize) -> Range {
    pivot::<true>(cells, stride, column, extra, row)
}

/// For every entry: `D[a][b] := min(D[a][b], D[a][k] + D[k][b])`, one step of Floyd and Warshall.
#[inline]
pub(crate) fn close_through(cells: &mut [Bound], stride: usize, k: usize) -> Range {
    pivot::<false>(cells, stride, k, Bound::LE_ZERO, k)
}

/// `CLOSED` says that the matrix was closed before, which allows to skip rows.
#[inline]
fn pivot<const CLOSED: bool>(cells: &mut [Bound], stride: usize, column: usize, extra: Bound, row: usize) -> Range {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, just asked.
        #[allow(unsafe_code)]
        return unsafe { pivot_avx2::<CLOSED>(cells, stride, column, extra, row) };
    }
    pivot_any::<CLOSED>(cells, stride, column, extra, row)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pivot_avx2<const CLOSED: bool>(
    cells: &mut [Bound],
    stride: usize,
    column: usize,
    extra: Bound,
    row: usize,
) -> Range {
    pivot_any::<CLOSED>(cells, stride, column, extra, row)
}

#[inline(always)]
fn pivot_any<const CLOSED: bool>(cells: &mut [Bound], stride: usize, column: usize, extra: Bound, row: usize) -> Range {
    match stride {
        4 => pivot_rows::<4, CLOSED>(cells, column, extra, row),
        8 => pivot_rows::<8, CLOSED>(cells, column, extra, row),
        16 => pivot_rows::<16, CLOSED>(cells, column, extra, row),
        24 => pivot_rows::<24, CLOSED>(cells, column, extra, row),
        32 => pivot_rows::<32, CLOSED>(cells, column, extra, row),
        40 => pivot_rows::<40, CLOSED>(cells, column, extra, row),
        _ => pivot_wide::<CLOSED>(cells, stride, column, extra, row),
    }
}

/// The raw value lifted out of reach if it is infinite.
#[inline(always)]
fn lift(raw: i32) -> i32 {
    if raw == INFINITE { LIFTED } else { raw }
}

/// Whether a finite value is too large for the 32-bit loop.
#[inline(always)]
fn is_large(raw: i32, lifted: i32) -> bool {
    (raw.wrapping_add(SAFE) as u32 > 2 * SAFE as u32) & (lifted != LIFTED)
}

#[inline(always)]
fn pivot_rows<const S: usize, const CLOSED: bool>(
    cells: &mut [Bound],
    column: usize,
    extra: Bound,
    row: usize,
) -> Range {
    let (rows, _) = cells.as_chunks_mut::<S>();
    let dim = rows.len().min(S);
    let mut through = [0; S];
    let mut large = false;
    for (lifted, bound) in through.iter_mut().zip(&rows[row]) {
        *lifted = lift(bound.0);
        large |= is_large(bound.0, *lifted);
    }
    let mut prefix = [LIFTED; S];
    for (sum, cells) in prefix.iter_mut().zip(rows[..dim].iter()) {
        let first = cells[column].0;
        *sum = if first == INFINITE { LIFTED } else { add_raw(first, extra.0) };
        large |= is_large(*sum, *sum);
    }
    if large {
        return pivot_exact(rows.as_flattened_mut(), S, column, extra, row);
    }
    for (cells, &sum) in rows[..dim].iter_mut().zip(&prefix) {
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
    let mut large = false;
    let mut through = Vec::with_capacity(stride);
    for bound in &cells[row * stride..][..stride] {
        through.push(lift(bound.0));
        large |= is_large(bound.0, lift(bound.0));
    }
    for cells in cells.chunks_exact(stride) {
        let first = cells[column].0;
        large |= first != INFINITE && is_large(add_raw(first, extra.0), 0);
    }
    if large {
        return pivot_exact(cells, stride, column, extra, row);
    }
    for cells in cells.chunks_exact_mut(stride) {
        let first = cells[column].0;
        if first == INFINITE {
            continue;
        }
        let sum = add_raw(first, extra.0);
        if CLOSED && sum >= cells[row].0 {
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

/// Whether every bound of `left` is at most its partner in `right`. Stops at the first block that fails.
#[inline]
pub(crate) fn all_le(left: &[Bound], right: &[Bound]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, just asked.
        #[allow(unsafe_code)]
        return unsafe { all_le_avx2(left, right) };
    }
    all_le_any(left, right)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn all_le_avx2(left: &[Bound], right: &[Bound]) -> bool {
    all_le_any(left, right)
}

#[inline(always)]
fn all_le_any(left: &[Bound], right: &[Bound]) -> bool {
    const BLOCK: usize = 16;
    let len = left.len().min(right.len());
    let (left, right) = (&left[..len], &right[..len]);
    let (left_blocks, left_rest) = left.as_chunks::<BLOCK>();
    let (right_blocks, right_rest) = right.as_chunks::<BLOCK>();
    for (a, b) in left_blocks.iter().zip(right_blocks) {
        if !block_le(a, b) {
            return false;
        }
    }
    if len >= BLOCK {
        // The rest once more with what precedes it, as one full block.
        let (a, b) = (left.last_chunk::<BLOCK>(), right.last_chunk::<BLOCK>());
        return a.zip(b).is_none_or(|(a, b)| block_le(a, b));
    }
    left_rest.iter().zip(right_rest).all(|(a, b)| a.0 <= b.0)
}

#[inline(always)]
fn block_le<const N: usize>(a: &[Bound; N], b: &[Bound; N]) -> bool {
    let mut above = 0;
    for (a, b) in a.iter().zip(b) {
        above |= i32::from(a.0 > b.0);
    }
    above == 0
}
