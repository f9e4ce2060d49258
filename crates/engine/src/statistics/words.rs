//! What a study says in words and short numbers.

use crate::report::Statistics;
use model::check::ResolvedMeasure;

pub(super) fn axis(measure: &ResolvedMeasure) -> &'static str {
    match measure {
        ResolvedMeasure::Time => "time",
        ResolvedMeasure::Steps => "steps",
        ResolvedMeasure::Clock(_) => "clock",
    }
}

pub(super) fn axis_of_curves(measure: &ResolvedMeasure) -> &'static str {
    match measure {
        ResolvedMeasure::Time | ResolvedMeasure::Steps => "time",
        ResolvedMeasure::Clock(_) => "clock",
    }
}

/// What the reader should know about how runs ended.
pub(super) fn remark(numbers: &Statistics) -> Option<String> {
    let mut parts = Vec::new();
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            let runs = if count == 1 { "run" } else { "runs" };
            parts.push(format!("{count} {runs} {what}"));
        }
    };
    add(numbers.time_locks, "ended in a time-lock");
    add(numbers.zeno, "made endless steps in no time");
    // That nothing happens at all is worth a word; that little happens within the bound is not.
    if numbers.without_steps == numbers.runs {
        add(numbers.without_steps, "made no step");
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Why most of the samples show nothing: their runs stopped where time stops, before they came to their bound.
pub(super) fn stopped_short(numbers: &Statistics, samples: u64) -> Option<String> {
    let short = numbers.time_locks + numbers.zeno;
    if short * 2 <= samples {
        return None;
    }
    let (what, why) = if numbers.time_locks >= numbers.zeno {
        (
            "a time-lock",
            "an invariant ends there and no edge can be taken: look for it with `simulate`, or with `E<> deadlock`",
        )
    } else {
        (
            "endless steps in no time",
            "a loop takes no time: look for it with `simulate`, and give it a guard on a clock that it resets",
        )
    };
    Some(format!("most runs end before their bound, in {what}, so they say nothing about it; {why}"))
}

/// Six significant digits, as people expect from UPPAAL.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-5..15).contains(&exponent) {
        let text = format!("{value:.5e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        return format!("{digits}e{power}");
    }
    let decimals = (5 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        let table = [
            (0.0, "0"),
            (1.0, "1"),
            (0.049_944_12, "0.0499441"),
            (9.222_19e-7, "9.22219e-7"),
            (86.8939, "86.8939"),
            (123_456_789.0, "123456789"),
            (-0.25, "-0.25"),
            (95.0, "95"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in table {
            assert_eq!(short(value), text);
        }
    }
}
