//! What samples say about a probability or a mean: intervals that contain it with the confidence
//! asked for.
//!
//! Probabilities: the interval of Clopper and Pearson (1934), which is exact: for `k` of `n` it
//! holds all probabilities under which neither `k` or fewer nor `k` or more hits are rarer than
//! half of alpha. Without a number of runs the sample grows until no end of the interval is farther
//! than epsilon from the share of hits, the rule of UPPAAL 5: with alpha and epsilon at 0.05 that
//! is 72 runs when all agree and 404 in the worst case. UPPAAL 4.1 stopped at half the width and
//! used a one-sided limit when all runs agree (29 runs); we follow the newer rule. Means: Student's
//! interval.

use super::special::{beta_distribution, beta_quantile, student_quantile};

/// The interval of Clopper and Pearson for `hits` of `runs`, with confidence `1 - alpha`.
pub fn clopper_pearson(hits: u64, runs: u64, alpha: f64) -> (f64, f64) {
    let (k, n) = (hits as f64, runs as f64);
    let tail = alpha / 2.0;
    let lo = match hits {
        0 => 0.0,
        _ if hits >= runs => tail.powf(1.0 / n),
        _ => beta_quantile(tail, k, n - k + 1.0),
    };
    let hi = match hits {
        _ if runs == 0 || hits >= runs => 1.0,
        0 => -(tail.ln() / n).exp_m1(),
        _ => beta_quantile(1.0 - tail, k + 1.0, n - k),
    };
    (lo, hi)
}

/// Whether both ends of the interval are within epsilon of the share of hits.
pub fn is_precise(hits: u64, runs: u64, alpha: f64, epsilon: f64) -> bool {
    if runs == 0 {
        return false;
    }
    let (k, n) = (hits as f64, runs as f64);
    // Far from it there is no need to compute: one standard error alone is too wide.
    let p = (k + 1.0) / (n + 2.0);
    if (p * (1.0 - p) / n).sqrt() > epsilon {
        return false;
    }
    let share = k / n;
    let above = hits >= runs || beta_distribution(share + epsilon, k + 1.0, n - k) >= 1.0 - alpha / 2.0;
    let below = hits == 0 || beta_distribution(share - epsilon, k, n - k + 1.0) <= alpha / 2.0;
    above && below
}

/// Runs after which a share is within epsilon of its probability with confidence `1 - alpha`
/// (Chernoff and Hoeffding).
pub fn enough_runs(alpha: f64, epsilon: f64) -> u64 {
    ((2.0 / alpha).ln() / (2.0 * epsilon * epsilon)).ceil().max(1.0) as u64
}

/// Mean and spread of values, one after the other (Welford 1962).
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Mean {
    pub count: u64,
    pub mean: f64,
    squares: f64,
}

impl Mean {
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    /// The standard deviation of the values; 0 for fewer than two.
    pub fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { (self.squares / (self.count - 1) as f64).sqrt() }
    }

    /// Half the width of Student's interval; infinite for fewer than two values.
    pub fn half_width(&self, alpha: f64) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        let n = self.count as f64;
        student_quantile(1.0 - alpha / 2.0, n - 1.0) * self.deviation() / n.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored results of UPPAAL 5 and 4.1.
    #[test]
    fn intervals_are_those_of_uppaal() {
        let table = [
            (0, 72, 0.05, 0.0, 0.049_944_1),
            (72, 72, 0.05, 0.950_056, 1.0),
            (224, 404, 0.05, 0.504_503_3, 0.603_604_7),
            (1, 54, 0.05, 0.000_468_738, 0.098_915_2),
            (169, 394, 0.05, 0.379_491, 0.479_453),
            (528, 528, 0.01, 0.990_015, 1.0),
            (2_994_167, 4_000_000, 0.05, 0.748_116, 0.748_967),
        ];
        for (hits, runs, alpha, lo, hi) in table {
            let found = clopper_pearson(hits, runs, alpha);
            assert!((found.0 - lo).abs() < 2e-6 && (found.1 - hi).abs() < 2e-6, "{hits}/{runs}: {found:?}");
        }
        let (lo, hi) = clopper_pearson(0, 4_000_000, 0.05);
        assert!(lo == 0.0 && (hi - 9.222_19e-7).abs() < 1e-12, "{hi}");
    }

    #[test]
    fn sampling_stops_where_uppaal_stops() {
        for (hits, runs) in [(0, 72), (72, 72), (1, 89), (2, 101), (224, 404)] {
            assert!(is_precise(hits, runs, 0.05, 0.05), "{hits}/{runs}");
            let before = if hits == runs { (hits - 1, runs - 1) } else { (hits, runs - 1) };
            assert!(!is_precise(before.0, before.1, 0.05, 0.05), "{before:?}");
        }
        assert!(is_precise(528, 528, 0.01, 0.01) && !is_precise(527, 527, 0.01, 0.01));
        assert_eq!(enough_runs(0.05, 0.05), 738);
    }

    #[test]
    fn means_have_students_interval() {
        let mut mean = Mean::default();
        [4.0, 6.0, 8.0, 10.0, 12.0].into_iter().for_each(|value| mean.add(value));
        assert_eq!((mean.mean, mean.deviation()), (8.0, 10f64.sqrt()));
        // t(0.975, 4) is 2.776445.
        assert!((mean.half_width(0.05) - 2.776_445_1 * 2f64.sqrt()).abs() < 1e-6);
        assert_eq!(Mean { count: 1, ..Mean::default() }.half_width(0.05), f64::INFINITY);
    }
}
