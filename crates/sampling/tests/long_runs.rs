//! Clocks of sampled runs are as good after 10^10 time units as they are at the start.
//!
//! Every model here compares clocks with bounds that they reach exactly, at moments that are no
//! integers, all along a run of more than 10^10 units. A clock that is off by more than the
//! tolerance of 10^-9 ends the run in a time-lock, and each model measures how far its clocks are
//! off.

use model::check::QueryKind;
use model::load::{load_bytes, query_text};
use sampling::run::{Ending, Settings};
use sampling::sampler::{Question, Sample, Sampler};
use sampling::system::System;

/// The samples of an `E[..](max: ..)`.
fn samples(model: &str, query: &str, runs: u64) -> Vec<Sample> {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let Some(model) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    let query = model.query(&query_text(&mut sources, "query", query));
    let Some(asked) = &query.query else { panic!("{:?}", query.diagnostics) };
    let QueryKind::Expected { bound, kind, number, expression } = &asked.kind else { panic!("{:?}", asked.kind) };
    let system = System::new(&asked.network);
    let mut sampler = Sampler::new(&system, Settings { step: 0.01 }, 1, 1);
    let question = Question::Extremum { bound, kind: *kind, number: *number, expression: *expression };
    let round = sampler.round(question, 0..runs, &|| false);
    round.into_iter().map(|sample| sample.unwrap_or_else(|failure| panic!("{failure}"))).collect()
}

/// A task with a period, a random start and a job of a random length that another task interrupts:
/// its stopwatch reaches the length of the job exactly when it is done. `error` is how far
/// stopwatch and period are off at worst.
const TASKS: &str = "
clock now; double error = 0.0; int busy = 0;
double worse(double old, double by) { return fmax(old, fabs(by)); }
process Task() {
  clock x, sub; bool run = true;
  state Start { x <= 1 }, Work { sub' == (busy == 0 ? 1 : 0) && sub <= 1200 && x <= 1000000 }, Rest { x <= 1000000 };
  init Start;
  trans Start -> Work { assign x = 0, sub = 0; },
    Work -> Rest { guard sub >= 1200; assign error = worse(error, sub - 1200.0); },
    Rest -> Work { guard x >= 1000000; assign error = worse(error, x - 1000000.0), x = 0, sub = 0; };
}
process Interrupt() {
  clock y;
  state Away { y <= 700 }, Here { y <= 13 }, Long { y <= 999000 };
  init Away;
  trans Away -> Here { assign busy = 1, y = 0; }, Here -> Long { assign busy = 0, y = 0; },
    Long -> Away { guard y >= 990000; assign y = 0; };
}
system Task, Interrupt;";

#[test]
fn stopwatches_and_periods_reach_their_bounds() {
    // About five steps in a period of a million units.
    let runs = samples(TASKS, "E[#<=60000](max: now)", 2);
    for run in &runs {
        assert_eq!((run.ending, run.steps), (Ending::Bound, 60_000), "{} time units", run.value);
        assert!(run.value > 1e10, "{}", run.value);
    }
    for run in samples(TASKS, "E[#<=60000](max: error)", 2) {
        assert_eq!(run.ending, Ending::Bound);
        // One unit in the last place of 10^6 is 10^-10.
        assert!(run.value <= 1e-12, "off by {}", run.value);
    }
}

#[test]
fn clocks_that_are_never_reset_keep_their_distances() {
    // `late` starts at a random moment; the two stay apart by that much, and a guard looks at it on
    // every round.
    let model = "clock all, late, x, now; double apart = 0.0, error = 0.0;
        process P() {
          state Start { x <= 3 }, Go { x <= 2000000000 };
          init Start;
          trans Start -> Go { assign late = 0, apart = all - late, x = 0; },
            Go -> Go { guard x >= 2000000000 && all - late <= apart && all - late >= apart;
              assign error = fmax(error, fabs((all - late) - apart)), x = 0; };
        } system P;";
    for (what, least, most) in [("error", 0.0, 1e-15), ("now", 1e10, 1e12)] {
        let runs = samples(model, &format!("E[#<=200](max: {what})"), 20);
        for run in &runs {
            assert_eq!((run.ending, run.steps), (Ending::Bound, 200), "{what} {}", run.value);
            assert!(least <= run.value && run.value <= most, "{what} {}", run.value);
        }
    }
}

#[test]
fn integers_stay_integers() {
    // Everything is known: a step every 7 units, and two clocks at other rates.
    let model = "clock x, now, half, twice;
        process P() { state A { x <= 7 && twice' == 2 && half' == 0.5 }; init A;
          trans A -> A { guard x == 7; assign x = 0; }; } system P;";
    for (expression, value) in [("now", 7.0), ("half", 3.5), ("twice", 14.0), ("now - half - half", 0.0)] {
        let steps = 300_000;
        let runs = samples(model, &format!("E[#<={steps}](max: {expression})"), 1);
        let expected = if value == 0.0 { 0.0 } else { value * f64::from(steps) };
        assert_eq!((runs[0].ending, runs[0].value), (Ending::Bound, expected), "{expression}");
    }
    let far = "clock x, now; process P() { state A { x <= 2000000001 }; init A;
          trans A -> A { guard x == 2000000001; assign x = 0; }; } system P;";
    assert_eq!(samples(far, "E[#<=100000](max: now)", 1)[0].value, 2_000_000_001.0 * 100_000.0);
}

#[test]
fn delays_have_their_distribution_late_in_a_run() {
    // The last delay of each run is uniform on [0, 1] after more than 10^10 units.
    let model = "clock x, now; int n = 0; double last = 0.0;
        process P() { state A { x <= 1000000007 }, B { x <= 1 }, C; init A;
          trans A -> A { guard x >= 1000000006 && n < 11; assign x = 0, n++; },
            A -> B { guard n >= 11; assign x = 0; }, B -> C { assign last = x; }; } system P;";
    let ends = samples(model, "E[#<=13](max: now)", 10);
    assert!(ends.iter().all(|run| run.ending == Ending::Bound && run.steps == 13 && run.value > 1e10));
    let runs = samples(model, "E[#<=13](max: last)", 4_000);
    for tenth in 0..10 {
        let lowest = f64::from(tenth) / 10.0;
        let share = runs.iter().filter(|run| (lowest..lowest + 0.1).contains(&run.value)).count();
        // 400 expected with a deviation of 19; five of them.
        assert!((305..=495).contains(&share), "{share} of 4000 between {lowest} and {}", lowest + 0.1);
    }
}
