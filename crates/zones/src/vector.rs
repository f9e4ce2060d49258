//! How loops get vectorised: rows of constant length, compiled a second time for AVX2.
//!
//! A working zone pads its rows to [`stride_for`] its dimension. Loops over a row are written for arrays of that length as a
//! constant, so that the compiler unrolls and vectorises them without a tail; `by_stride!` makes one function that picks the
//! instance, and on x86-64 picks at run time between a copy compiled for AVX2 and one for every processor. Rows
//! of more than 40 entries share one instance with a length known at run time.

use crate::bound::Bound;

/// Entries of a padded row.
#[inline]
pub(crate) const fn stride_for(dim: usize) -> usize {
    if dim <= 4 { 4 } else { dim.next_multiple_of(8) }
}

/// Defines `name(stride, args...)` from `fixed::<STRIDE>(args...)` and, for long rows, `wide(stride, args...)`.
macro_rules! by_stride {
    ($(#[$doc:meta])* fn $name:ident = $fixed:ident, $wide:ident ($($arg:ident: $type:ty),*) -> $result:ty) => {
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name(stride: usize, $($arg: $type),*) -> $result {
            #[inline(always)]
            fn any(stride: usize, $($arg: $type),*) -> $result {
                match stride {
                    4 => $fixed::<4>($($arg),*),
                    8 => $fixed::<8>($($arg),*),
                    16 => $fixed::<16>($($arg),*),
                    24 => $fixed::<24>($($arg),*),
                    32 => $fixed::<32>($($arg),*),
                    40 => $fixed::<40>($($arg),*),
                    _ => $wide(stride, $($arg),*),
                }
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2(stride: usize, $($arg: $type),*) -> $result {
                any(stride, $($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2, just asked.
                #[allow(unsafe_code)]
                return unsafe { avx2(stride, $($arg),*) };
            }
            any(stride, $($arg),*)
        }
    };
}
pub(crate) use by_stride;

/// Defines `name(args...)` that runs `any(args...)` compiled for AVX2 where the processor has it.
macro_rules! on_avx2 {
    ($(#[$doc:meta])* fn $name:ident = $any:ident ($($arg:ident: $type:ty),*) -> $result:ty) => {
        $(#[$doc])*
        #[inline]
        fn $name($($arg: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($arg: $type),*) -> $result {
                $any($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2, just asked.
                #[allow(unsafe_code)]
                return unsafe { avx2($($arg),*) };
            }
            $any($($arg),*)
        }
    };
}
pub(crate) use on_avx2;

by_stride! {
    /// Copies rows without padding into padded rows.
    fn load_rows = load_fixed, load_wide (cells: &mut [Bound], dim: usize, tight: &[Bound]) -> ()
}

by_stride! {
    /// Copies padded rows into rows without padding.
    fn store_rows = store_fixed, store_wide (cells: &[Bound], dim: usize, tight: &mut [Bound]) -> ()
}

#[inline(always)]
fn load_fixed<const S: usize>(cells: &mut [Bound], dim: usize, tight: &[Bound]) {
    for (i, row) in cells.as_chunks_mut::<S>().0.iter_mut().enumerate() {
        let rest = &tight[i * dim..];
        if let Some(from) = rest.first_chunk::<S>() {
            // The whole row in one go, with the start of the next one in place of the padding.
            for (k, (cell, &bound)) in row.iter_mut().zip(from).enumerate() {
                *cell = if k < dim { bound } else { Bound::INFINITY };
            }
        } else {
            row[..dim].copy_from_slice(&rest[..dim]);
        }
    }
}

fn load_wide(stride: usize, cells: &mut [Bound], dim: usize, tight: &[Bound]) {
    for (row, from) in cells.chunks_exact_mut(stride).zip(tight.chunks_exact(dim)) {
        row[..dim].copy_from_slice(from);
    }
}

#[inline(always)]
fn store_fixed<const S: usize>(cells: &[Bound], dim: usize, tight: &mut [Bound]) {
    for (i, row) in cells.as_chunks::<S>().0.iter().enumerate() {
        store_row(row, &mut tight[i * dim..]);
    }
}

/// Writes a row with its padding to the front of `tight`. The padding lands where the next row goes; behind the last
/// row there must be room for it.
#[inline(always)]
pub(crate) fn store_row<const S: usize>(row: &[Bound; S], tight: &mut [Bound]) {
    tight[..S].copy_from_slice(row);
}

fn store_wide(stride: usize, cells: &[Bound], dim: usize, tight: &mut [Bound]) {
    for (row, to) in cells.chunks_exact(stride).zip(tight.chunks_exact_mut(dim)) {
        to.copy_from_slice(&row[..dim]);
    }
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
