//! Combinations of values: selects and free parameters run through a product of ranges, the first one outermost.

use crate::network::Range;

/// How many combinations there are; `None` beyond 64 bits.
pub(super) fn combination_count(ranges: &[Range]) -> Option<u64> {
    ranges.iter().try_fold(1u64, |product, range| product.checked_mul(range.count()))
}

/// The n-th combination.
pub(super) fn combination(ranges: &[Range], n: u64) -> Vec<i32> {
    let mut rest = n;
    let mut values: Vec<i32> = ranges
        .iter()
        .rev()
        .map(|range| {
            let size = range.count().max(1);
            let value = i64::from(range.lo) + (rest % size) as i64;
            rest /= size;
            value as i32
        })
        .collect();
    values.reverse();
    values
}
