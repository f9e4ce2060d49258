//! Every kind of statistical answer against numbers that are computed by hand.
//!
//! Risks are 10^-6 for each answer: an interval has a confidence of 1 - 10^-6, a test of a hypothesis and a comparison are
//! wrong that often. With less than a hundred answers a right engine fails once in 10,000 choices of the seed, and the seeds
//! are fixed, so it passes always or never. An interval must be short as well: a number that is off by twice the given width
//! is outside for certain. That intervals with a confidence of 95 % contain the number in 95 % of all cases is tested where
//! samples are made (`intervals_have_their_confidence` of `walk`).

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::options::statistics::StatisticalOptions;
use engine::report::{Answer, Verdict};

const RISK: f64 = 1e-6;

fn ask(model: &str, query: &str, seed: u64) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let queries = [parsed.query(&query_text(&mut sources, "query", query))];
    assert!(queries[0].query.is_some(), "{query}: {:?}", queries[0].diagnostics);
    let statistics = StatisticalOptions { alpha: RISK, beta: RISK, ..StatisticalOptions::default() };
    let options = Options { seed, statistics, ..Options::default() };
    check("m.xta", &sources, &queries, &options, &mut Watch::none(), &mut |_| {}).results.remove(0)
}

/// One delay, uniform on [0, 10]; `x` stands still after it.
const UNIFORM: &str =
    "clock x, now; process P() { state A { x <= 10 }, B { x' == 0 }; init A; trans A -> B { }; } system P;";

/// Events at rate 2, counted; `c` runs three times as fast as time.
const EVENTS: &str = "clock now, c; int n = 0;
process P() { state A { c' == 3 ; 2 }; init A; trans A -> A { assign n++; }; } system P;";

/// One of two exponential delays of rates 1 and 3 comes first, and stops the other.
const RACE: &str = "int first = 0; broadcast chan stop;
process P(const int id, const int r) { state A { ; r }, B; init A;
  trans A -> B { sync stop!; assign first = id; }, A -> B { sync stop?; }; }
P1 = P(1, 1); P2 = P(2, 3); system P1, P2;";

/// A walk on -3..3 that goes up twice as often as down and ends at either end.
const GAMBLER: &str = "int at = 0;
process P() { state Go, Up, Down; branchpoint b; init Go;
  trans Go -> b { guard at > -3 && at < 3; }, b -> Go { assign at++; probability 2; }, b -> Go { assign at--; probability 1; },
    Go -> Up { guard at == 3; }, Go -> Down { guard at == -3; }; }
system P;";

/// Work of a length uniform on [2, 4] that is interrupted for 3 units at a moment uniform on [0, 1].
const STOPWATCH: &str = "clock work, gone, now; int run = 1;
process Job() { state Busy { work' == run && work <= 4 }, Done { now' == 0 && work' == 0 }; init Busy; trans Busy -> Done { guard work >= 2; }; }
process Other() { state Wait { gone <= 1 }, In { gone <= 3 }, Out; init Wait;
  trans Wait -> In { assign run = 0, gone = 0; }, In -> Out { guard gone >= 3; assign run = 1; }; }
system Job, Other;";

#[test]
fn estimates_contain_the_probability() {
    let exponential = |rate: f64| 1.0 - (-rate).exp();
    // Twice the odds of up: the gambler's ruin from the middle of six steps.
    let up = (1.0 - 0.5f64.powi(3)) / (1.0 - 0.5f64.powi(6));
    // Three events or more within a time of mean 4.
    let three = 1.0 - (-4f64).exp() * (1.0 + 4.0 + 8.0);
    let table = [
        (UNIFORM, "Pr[<=4;20000](<> P.B)", 0.4),
        (UNIFORM, "Pr[<=4;20000]([] P.A)", 0.6),
        (UNIFORM, "Pr[<=10;20000](<> P.A && x > 7)", 0.3),
        (UNIFORM, "Pr[<=9;20000](P.A U P.B)", 0.9),
        (UNIFORM, "Pr[<=10;20000]((P.A && x < 4) U P.B)", 0.4),
        (UNIFORM, "Pr[<=20;20000]([] x <= 2.5)", 0.25),
        (UNIFORM, "Pr[x<=6;20000](<> P.B)", 0.6),
        (UNIFORM, "Pr[now<=6;20000](<> P.B)", 0.6),
        (UNIFORM, "Pr[#<=1;20000](<> P.B && x >= 9)", 0.1),
        (EVENTS, "Pr[<=2;20000](<> n >= 3)", three),
        (EVENTS, "Pr[c<=6;20000](<> n >= 3)", three),
        (EVENTS, "Pr[c<=6;20000]([] n < 3)", 1.0 - three),
        (EVENTS, "Pr[#<=1;20000](<> n == 1 && now <= 0.25)", exponential(0.5)),
        (RACE, "Pr[<=100;20000](<> first == 1)", 0.25),
        (RACE, "Pr[<=0.25*4;20000](<> first > 0)", exponential(4.0)),
        (RACE, "Pr[#<=1;20000](<> first == 2)", 0.75),
        (GAMBLER, "Pr[#<=400;20000](<> P.Up)", up),
        (GAMBLER, "Pr[#<=400;20000]([] at > -3)", up),
        (GAMBLER, "Pr[#<=3;20000](<> at == 3)", 8.0 / 27.0),
        // The job goes on after the interruption from where it was: 3 units later than alone.
        (STOPWATCH, "Pr[<=6;20000](<> Job.Done)", 0.5),
        (STOPWATCH, "Pr[work<=3;20000](<> Job.Done)", 0.5),
    ];
    for (n, (model, query, probability)) in table.into_iter().enumerate() {
        let query = query.replace("0.25*4", "1");
        let answer = ask(model, &query, n as u64);
        assert_eq!(answer.verdict, Verdict::Satisfied, "{query}: {:?}", answer.reason);
        let [lo, hi] = answer.statistics.and_then(|numbers| numbers.interval).expect("an interval");
        assert!(lo <= probability && probability <= hi, "{query}: [{lo}, {hi}], not {probability}");
        assert!(hi - lo < 0.04, "{query}: [{lo}, {hi}] says little");
        // As many runs as it takes.
        let free = query.replace(";20000", "");
        let [lo, hi] =
            ask(model, &free, n as u64).statistics.and_then(|numbers| numbers.interval).expect("an interval");
        assert!(lo <= probability && probability <= hi, "{free}: [{lo}, {hi}], not {probability}");
        assert!(hi - lo <= 0.1 + 1e-9, "{free}: [{lo}, {hi}] is not as precise as was asked for");
    }
}

#[test]
fn means_are_the_expected_values() {
    // The mean of the larger of two uniform delays on [0, 1] is 2/3, of the smaller one 1/3.
    let two = "clock x, y; int done = 0;
        process P(clock &k) { state A { k <= 1 }, B { k' == 0 }; init A; trans A -> B { assign done++; }; }
        P1 = P(x); P2 = P(y); system P1, P2;";
    let table = [
        (UNIFORM, "E[<=50;10000](max: x)", 5.0, 0.4),
        (UNIFORM, "E[<=50;10000](min: 10 - x)", 5.0, 0.4),
        (UNIFORM, "E[<=4;10000](max: x)", 0.4 * 2.0 + 0.6 * 4.0, 0.2),
        (UNIFORM, "E[#<=1;10000](max: 3 * x + 1)", 16.0, 1.2),
        (EVENTS, "E[<=10;10000](max: n)", 20.0, 0.6),
        (EVENTS, "E[c<=30;10000](max: n)", 20.0, 0.6),
        (EVENTS, "E[#<=9;10000](max: now)", 4.5, 0.2),
        (EVENTS, "E[#<=9;10000](max: c)", 13.5, 0.6),
        (EVENTS, "E[<=10;10000](min: -n)", -20.0, 0.6),
        (two, "E[<=5;10000](max: x > y ? x : y)", 2.0 / 3.0, 0.04),
        (two, "E[<=5;10000](min: done)", 0.0, 1e-9),
        (two, "E[#<=1;10000](max: x)", 1.0 / 3.0, 0.04),
        (STOPWATCH, "E[<=50;10000](max: now)", 6.0, 0.1),
        (STOPWATCH, "E[<=50;10000](max: work)", 3.0, 0.1),
    ];
    for (n, (model, query, mean, width)) in table.into_iter().enumerate() {
        let answer = ask(model, query, 100 + n as u64);
        assert_eq!(answer.verdict, Verdict::Satisfied, "{query}: {:?}", answer.reason);
        let [lo, hi] = answer.statistics.and_then(|numbers| numbers.interval).expect("an interval");
        assert!(lo <= mean && mean <= hi, "{query}: [{lo}, {hi}], not {mean}");
        assert!(hi - lo <= width, "{query}: [{lo}, {hi}] says little");
    }
}

#[test]
fn hypotheses_and_comparisons_are_decided_rightly() {
    use Verdict::{Satisfied, Violated};
    let table = [
        (UNIFORM, "Pr[<=4](<> P.B) >= 0.36", Satisfied),
        (UNIFORM, "Pr[<=4](<> P.B) >= 0.44", Violated),
        (UNIFORM, "Pr[<=4](<> P.B) <= 0.44", Satisfied),
        (UNIFORM, "Pr[<=4](<> P.B) <= 0.36", Violated),
        (UNIFORM, "Pr[<=4]([] P.A) >= 0.56", Satisfied),
        (UNIFORM, "Pr[<=4]([] P.A) >= 0.64", Violated),
        (UNIFORM, "Pr[x<=4](<> P.B) >= 0.36", Satisfied),
        (EVENTS, "Pr[c<=6](<> n >= 3) >= 0.72", Satisfied),
        (EVENTS, "Pr[c<=6](<> n >= 3) >= 0.80", Violated),
        (RACE, "Pr[#<=1](<> first == 1) <= 0.29", Satisfied),
        (RACE, "Pr[#<=1](<> first == 1) <= 0.21", Violated),
        (GAMBLER, "Pr[#<=400](<> P.Up) >= 0.85", Satisfied),
        (GAMBLER, "Pr[#<=400](<> P.Up) >= 0.93", Violated),
        (STOPWATCH, "Pr[<=6](<> Job.Done) >= 0.46", Satisfied),
        (STOPWATCH, "Pr[<=6](<> Job.Done) >= 0.54", Violated),
        (UNIFORM, "Pr[<=5](<> P.B) >= Pr[<=4](<> P.B)", Satisfied),
        (UNIFORM, "Pr[<=4](<> P.B) >= Pr[<=5](<> P.B)", Violated),
        (UNIFORM, "Pr[<=4]([] P.A) >= Pr[x<=5]([] P.A)", Satisfied),
        (RACE, "Pr[#<=1](<> first == 2) >= Pr[#<=1](<> first == 1)", Satisfied),
        (RACE, "Pr[#<=1](<> first == 1) >= Pr[#<=1](<> first == 2)", Violated),
        (GAMBLER, "Pr[#<=400](<> P.Up) >= Pr[#<=400](<> P.Down)", Satisfied),
        (GAMBLER, "Pr[#<=400](<> P.Down) >= Pr[#<=400](<> P.Up)", Violated),
        (STOPWATCH, "Pr[<=6](<> Job.Done) >= Pr[<=5](<> Job.Done)", Satisfied),
    ];
    for (n, (model, query, verdict)) in table.into_iter().enumerate() {
        let answer = ask(model, query, 200 + n as u64);
        assert_eq!(answer.verdict, verdict, "{query}: {:?} {:?}", answer.value, answer.reason);
    }
}

#[test]
fn shares_and_ends_of_simulated_runs_are_right() {
    for (model, query, probability) in [
        (UNIFORM, "simulate [<=10;20000] { x } : 1000000 : P.B && x < 3", 0.3),
        (EVENTS, "simulate [#<=2;20000] { n } : 1000000 : n == 2 && now <= 1", 1.0 - 3.0 * (-2f64).exp()),
        (RACE, "simulate [<=50;20000] { first } : 1000000 : first == 1", 0.25),
    ] {
        let answer = ask(model, query, 300);
        let [lo, hi] = answer.statistics.and_then(|numbers| numbers.interval).expect("an interval");
        assert!(lo <= probability && probability <= hi && hi - lo < 0.04, "{query}: [{lo}, {hi}], not {probability}");
    }
    // A curve is the clock itself: it rises to where the delay ends, and stays there.
    let answer = ask(UNIFORM, "simulate [<=12;200] { x }", 301);
    let curves = answer.curves.expect("curves").series;
    assert_eq!(curves.len(), 200);
    let mut total = 0.0;
    for curve in curves {
        let (end, top) = curve.points.last().copied().expect("points");
        assert_eq!(end, 12.0);
        assert!(curve.points.iter().all(|(at, x)| (x - at.min(top)).abs() < 1e-9), "{:?}", curve.points);
        total += top;
    }
    // 200 delays of mean 5 and deviation 2.9: five deviations of their mean are 1.02.
    assert!((total / 200.0 - 5.0).abs() < 1.02, "{total}");
}
