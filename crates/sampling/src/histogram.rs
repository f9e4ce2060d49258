//! Where values lie: how many in each of equally wide buckets.

#[derive(Clone, PartialEq, Debug)]
pub struct Histogram {
    /// Where the first bucket starts.
    pub start: f64,
    pub width: f64,
    pub counts: Vec<u64>,
}

const MOST: usize = 100;

impl Histogram {
    /// As many buckets as the root of the number of values, at most a hundred; infinite values stay
    /// out. `None` when there are no values.
    pub fn of(values: &[f64]) -> Option<Histogram> {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (count, lo, hi) = finite().fold((0usize, f64::INFINITY, f64::NEG_INFINITY), |(n, lo, hi), value| {
            (n + 1, lo.min(value), hi.max(value))
        });
        if count == 0 {
            return None;
        }
        if lo == hi {
            return Some(Histogram { start: lo, width: 0.0, counts: vec![count as u64] });
        }
        let buckets = ((count as f64).sqrt().ceil() as usize).clamp(1, MOST);
        let width = (hi - lo) / buckets as f64;
        let mut counts = vec![0; buckets];
        for value in finite() {
            let at = (((value - lo) / width) as usize).min(buckets - 1);
            counts[at] += 1;
        }
        Some(Histogram { start: lo, width, counts })
    }

    /// The end of each bucket with the number of values up to there.
    pub fn cumulative(&self) -> Vec<(f64, u64)> {
        let mut sum = 0;
        let add = |(n, count): (usize, &u64)| {
            sum += count;
            (self.start + self.width * (n + 1) as f64, sum)
        };
        self.counts.iter().enumerate().map(add).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_bucket() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let histogram = Histogram::of(&values).expect("values");
        assert_eq!(histogram.counts, [10; 10]);
        assert_eq!(histogram.cumulative().last().map(|(_, count)| *count), Some(100));
        assert_eq!(Histogram::of(&[2.0, 2.0]), Some(Histogram { start: 2.0, width: 0.0, counts: vec![2] }));
        assert_eq!(Histogram::of(&[f64::INFINITY]), None);
    }
}
