//! Runs have the distribution that the stochastic semantics gives them, on models whose
//! probabilities can be computed by hand. Seeds are fixed, so each test gives the same result every
//! time.

use model::check::{QueryKind, ResolvedProbability};
use model::load::{load_bytes, query_text};
use sampling::estimate::{clopper_pearson, is_precise};
use sampling::run::{Ending, Settings};
use sampling::sampler::{Question, Sample, Sampler};
use sampling::system::System;

/// A model, a query and its probability.
struct Known {
    name: &'static str,
    model: &'static str,
    query: &'static str,
    probability: fn() -> f64,
}

const KNOWN: &[Known] = &[
    Known {
        name: "uniform",
        model: "clock x; process P() { state A { x <= 10 }, B; init A; trans A -> B { }; } system P;",
        query: "Pr[<=4](<> P.B)",
        probability: || 0.4,
    },
    Known {
        name: "uniform from the guard on",
        model: "clock x; process P() { state A { x <= 10 }, B; init A; trans A -> B { guard x >= 2; }; } system P;",
        query: "Pr[<=4](<> P.B)",
        probability: || 0.25,
    },
    Known {
        name: "exponential",
        model: "process P() { state A { ; 2 }, B; init A; trans A -> B { }; } system P;",
        query: "Pr[<=1](<> P.B)",
        probability: || 1.0 - (-2f64).exp(),
    },
    Known {
        name: "exponential from the guard on, rate 1 by default",
        model: "clock x; process P() { state A, B; init A; trans A -> B { guard x >= 2; }; } system P;",
        query: "Pr[<=3](<> P.B)",
        probability: || 1.0 - (-1f64).exp(),
    },
    Known {
        name: "a race of exponential delays",
        model: "int w = 0;
            process P(const int id, const int r) { state A { ; r : 2 }, B; init A;
              trans A -> B { guard w == 0; assign w = id; }; }
            P1 = P(1, 1); P2 = P(2, 3); system P1, P2;",
        query: "Pr[<=1000](<> w == 1)",
        probability: || 0.25,
    },
    Known {
        name: "a race of uniform delays",
        model: "int w = 0;
            process P(const int id, const int d) { clock x; state A { x <= d }, B; init A;
              trans A -> B { assign w = w == 0 ? id : w; }; }
            P1 = P(1, 1); P2 = P(2, 2); system P1, P2;",
        query: "Pr[<=10](<> w == 1)",
        probability: || 0.75,
    },
    Known {
        name: "delays that are drawn again keep their distribution",
        model: "int[0,1] n = 0; clock x, y;
            process P() { state A { x <= 10 }, B; init A; trans A -> B { guard n >= 0; }; }
            process T() { state A { y <= 1 }; init A; trans A -> A { guard y >= 1; assign y = 0, n = 1 - n; }; }
            system P, T;",
        query: "Pr[<=4](<> P.B)",
        probability: || 0.4,
    },
    Known {
        name: "weights of branches",
        model: "process P() { state A, B, C, D; branchpoint b; init A;
            trans A -> b { }, b -> B { probability 1; }, b -> C { probability 2; }, b -> D { probability 5; }; } system P;",
        query: "Pr[#<=1](<> P.C)",
        probability: || 0.25,
    },
    Known {
        name: "weights that are doubles and change",
        model: "double w = 0.5; process P() { state I, A, B, C; branchpoint b; init I;
            trans I -> A { assign w = w * 3; }, A -> b { }, b -> B { probability w; }, b -> C { probability 3.5; }; }
            system P;",
        query: "Pr[#<=2](<> P.B)",
        probability: || 0.3,
    },
    Known {
        name: "one of several edges, selects counted apart",
        model: "int v = -1; process P() { state A, B; init A;
            trans A -> B { select i : int[0,3]; assign v = i; }, A -> B { assign v = 7; }; } system P;",
        query: "Pr[#<=1](<> v == 7)",
        probability: || 0.2,
    },
    Known {
        name: "broadcast reaches those who can receive",
        model: "broadcast chan c; clock x, y;
            process S() { state A { x <= 10 }, B; init A; trans A -> B { sync c!; }; }
            process R() { state A, B; init A; trans A -> B { guard y >= 7; sync c?; }; }
            system S, R;",
        query: "Pr[<=20](<> R.B)",
        probability: || 0.3,
    },
    Known {
        name: "a receiver with two edges takes either",
        model: "broadcast chan c;
            process S() { state A, B; init A; trans A -> B { sync c!; }; }
            process R() { state A, B, C; init A; trans A -> B { sync c?; }, A -> C { sync c?; }; }
            system S, R;",
        query: "Pr[#<=1](<> R.B)",
        probability: || 0.5,
    },
    Known {
        // Half of the runs reset x after U[2,4] and wait U[0,6]; the others wait what is left of 6.
        name: "conditional resets",
        model: "clock x; process P() { state A { x <= 4 }, B { x <= 6 }, C; init A;
            trans A -> B { guard x >= 2; assign x = 0; }, A -> B { guard x < 2; }, B -> C { }; } system P;",
        query: "Pr[<=5](<> P.C)",
        probability: || 0.5 / 3.0 + 0.5 * (1.0 - 0.5 * 1.5f64.ln()),
    },
    Known {
        name: "a clock that runs twice as fast",
        model: "clock x; process P() { state A { x' == 2 && x <= 10 }, B; init A; trans A -> B { }; } system P;",
        query: "Pr[<=2](<> P.B)",
        probability: || 0.4,
    },
    Known {
        name: "a clock bounds the run",
        model: "clock x, c; process P() { state A { c' == 3 && x <= 10 }, B; init A; trans A -> B { }; } system P;",
        query: "Pr[c<=12](<> P.B)",
        probability: || 0.4,
    },
    Known {
        name: "doubles and random numbers decide",
        model: "double d = 0.0; process P() { state I, A, B, C; commit A; init I;
            trans I -> A { assign d = random(2.0); }, A -> B { guard d < 0.6; }, A -> C { guard d >= 0.6; }; } system P;",
        query: "Pr[#<=2](<> P.B)",
        probability: || 0.3,
    },
    Known {
        name: "a predicate is tested during the delay",
        model: "clock x; process P() { state A { x <= 10 }, B; init A; trans A -> B { assign x = 0; }; } system P;",
        query: "Pr[<=10](<> P.A && x > 7)",
        probability: || 0.3,
    },
    Known {
        name: "globally",
        model: "clock x; process P() { state A { x <= 10 }, B; init A; trans A -> B { assign x = 0; }; } system P;",
        query: "Pr[<=10]([] !(P.A && x >= 7))",
        probability: || 0.7,
    },
    Known {
        name: "until",
        model: "clock x, t; process P() { state A { x <= 10 }, B; init A; trans A -> B { }; } system P;",
        query: "Pr[<=10](P.A U t >= 6)",
        probability: || 0.4,
    },
    Known {
        name: "a draw between two windows is drawn again",
        model: "clock x; process P() { state A { x <= 10 }, B, C; init A;
            trans A -> B { guard x <= 2; }, A -> C { guard x >= 8; }; } system P;",
        query: "Pr[<=10](<> P.B)",
        probability: || 0.2,
    },
    Known {
        name: "urgent locations take no time, committed ones go first",
        model: "clock x; int w = 0;
            process P() { state A, B; urgent A; init A; trans A -> B { assign w = 1; }; }
            process Q() { state A, B, C; commit A; init A; trans A -> B { guard w == 0; }, A -> C { guard w == 1; }; }
            system P, Q;",
        query: "Pr[<=1](<> x == 0 && w == 1 && Q.B)",
        probability: || 1.0,
    },
    Known {
        name: "an urgent channel ends the delay when its guard holds",
        model: "urgent broadcast chan u; clock x; process P() { state A, B; init A;
            trans A -> B { guard x >= 3; sync u!; }; } system P;",
        query: "Pr[<=4](<> P.B && x == 3)",
        probability: || 1.0,
    },
    Known {
        name: "what leads into a violated invariant does not happen",
        model: "clock x; process P() { state A, B { x <= 0 }, C; init A;
            trans A -> B { guard x >= 1; }, A -> C { guard x >= 1; }; } system P;",
        query: "Pr[<=100](<> P.C)",
        probability: || 1.0,
    },
    Known {
        // y' = 2y grows from 1 to e^2, which is 7.389.
        name: "rates that change",
        model: "clock x; hybrid clock y = 1.0; process P() { state A { y' == 2.0 * y && x <= 1 }, B { y' == 0 }; init A;
            trans A -> B { guard x >= 1; }; } system P;",
        query: "Pr[<=2](<> P.B && y >= 7.388 && y <= 7.39)",
        probability: || 1.0,
    },
    Known {
        name: "rates that change between many steps",
        model: "clock x; hybrid clock y = 1.0; process P() { state A { y' == 2.0 * y && x <= 1 }, B { y' == 0 }; init A;
            trans A -> B { guard x >= 1; }; }
            process Q() { state A { ; 500 }; init A; trans A -> A { }; } system P, Q;",
        query: "Pr[<=2](<> P.B && y >= 7.388 && y <= 7.39)",
        probability: || 1.0,
    },
    Known {
        name: "an urgent guard that is no line is looked at in small steps",
        model: "urgent broadcast chan u; clock x; process P() { state A, B; init A;
            trans A -> B { guard x * x >= 9.0; sync u!; }; } system P;",
        query: "Pr[<=4](<> P.B && x >= 3 && x <= 3.02)",
        probability: || 1.0,
    },
    Known {
        // It falls for the root of 20/9.81, and rises and falls for as long after it has lost half
        // of its speed.
        name: "a ball bounces",
        model: "clock x; hybrid clock p = 10.0, v = 0.0; int n = 0; urgent broadcast chan b;
            process P() { state A { p' == v && v' == -9.81 }; init A;
              trans A -> A { guard p == 0 && v < 0; sync b!; assign n = n + 1, v = -0.5 * v; }; } system P;",
        query: "Pr[<=3](<> n == 2 && x >= 2.8555 && x <= 2.8559)",
        probability: || 1.0,
    },
    Known {
        // Two decays of very different speed: 0.01 is ten times longer than the faster one takes.
        name: "rates that change fast",
        model: "clock x; hybrid clock y = 1.0, z = 1.0; process P() { state A { y' == -1000.0 * y && z' == -1.0 * z && x <= 1 },
            B { y' == 0 && z' == 0 }; init A; trans A -> B { guard x >= 1; }; } system P;",
        query: "Pr[<=2;1](<> P.B && fabs(y) < 0.001 && z >= 0.3678 && z <= 0.3679)",
        probability: || 1.0,
    },
];

fn probability(query: &QueryKind) -> &ResolvedProbability {
    match query {
        QueryKind::Probability(probability) => probability,
        other => panic!("{other:?}"),
    }
}

/// Samples of a model, as many as asked for.
fn samples(model: &str, query: &str, seed: u64, runs: u64, threads: usize) -> Vec<Sample> {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let Some(model) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    let written = query_text(&mut sources, "query", query);
    let query = model.query(&written);
    let Some(asked) = &query.query else { panic!("{:?}", query.diagnostics) };
    let ResolvedProbability { bound, path } = probability(&asked.kind);
    let system = System::new(&asked.network);
    let mut sampler = Sampler::new(&system, Settings { step: 0.01 }, seed, threads);
    let round = sampler.round(Question::Path { bound, path }, 0..runs, &|| false);
    round.into_iter().map(|sample| sample.unwrap_or_else(|failure| panic!("{failure}"))).collect()
}

#[test]
fn shares_are_the_probabilities() {
    for known in KNOWN {
        let p = (known.probability)();
        // What is certain is seen at once.
        let runs = if p == 1.0 { 100 } else { 20_000 };
        let hits = samples(known.model, known.query, 5, runs, 1).iter().filter(|sample| sample.holds).count();
        // A right share lies outside once in a million times.
        let (lo, hi) =
            if p == 1.0 { (hits as f64 / runs as f64, 1.0) } else { clopper_pearson(hits as u64, runs, 1e-6) };
        assert!(lo <= p && p <= hi && (p < 1.0 || lo == 1.0), "{}: {hits} of {runs}, not {p}", known.name);
    }
}

/// Of a thousand intervals with confidence 95 % about 950 contain the probability: with a fixed
/// number of runs, and with as many as it takes to be precise.
#[test]
fn intervals_have_their_confidence() {
    const EACH: usize = 1_000;
    for known in KNOWN.iter().filter(|known| COVERED.contains(&known.name)) {
        let p = (known.probability)();
        let samples = samples(known.model, known.query, 1, 1_000 * EACH as u64, 2);
        let covers = |hits: usize, runs: usize| {
            let (lo, hi) = clopper_pearson(hits as u64, runs as u64, 0.05);
            lo <= p && p <= hi
        };
        let fixed = |group: &&[Sample]| covers(group.iter().filter(|sample| sample.holds).count(), EACH);
        let precise = |group: &&[Sample]| {
            let mut hits = 0;
            let stop = group.iter().position(|sample| {
                hits += usize::from(sample.holds);
                is_precise(hits as u64, sample.run % EACH as u64 + 1, 0.05, 0.05)
            });
            covers(hits, stop.expect("404 runs are enough") + 1)
        };
        let fixed = samples.chunks(EACH).filter(fixed).count();
        let precise = samples.chunks(EACH).filter(precise).count();
        println!("{}: {fixed} of 1000 intervals of {EACH} runs, {precise} of 1000 that stop when precise", known.name);
        assert!((935..=965).contains(&fixed), "{}: {fixed} of 1000", known.name);
        assert!((935..=965).contains(&precise), "{}: {precise} of 1000", known.name);
    }
}

const COVERED: [&str; 5] = [
    "uniform",
    "a race of exponential delays",
    "weights of branches",
    "broadcast reaches those who can receive",
    "conditional resets",
];

#[test]
fn samples_do_not_depend_on_threads() {
    for known in KNOWN {
        let one = samples(known.model, known.query, 3, 200, 1);
        assert_eq!(one, samples(known.model, known.query, 3, 200, 2), "{}", known.name);
    }
}

#[test]
fn runs_that_cannot_go_on_say_so() {
    let table = [
        ("clock x; process P() { state A { x <= 3 }; init A; } system P;", Ending::TimeLock),
        ("clock x; process P() { state A; urgent A; init A; } system P;", Ending::TimeLock),
        ("process P() { state A; commit A; init A; } system P;", Ending::TimeLock),
        ("process P() { state A; urgent A; init A; trans A -> A { }; } system P;", Ending::Zeno),
        ("process P() { state A; commit A; init A; trans A -> A { }; } system P;", Ending::Zeno),
        ("process P() { state A; init A; } system P;", Ending::Bound),
    ];
    for (model, ending) in table {
        let samples = samples(model, "Pr[<=10](<> !P.A)", 1, 3, 1);
        assert!(samples.iter().all(|sample| sample.ending == ending && !sample.holds), "{model}: {samples:?}");
    }
    let idle = samples("process P() { state A; init A; } system P;", "Pr[#<=10](<> !P.A)", 1, 2, 1);
    assert!(idle.iter().all(|sample| sample.ending == Ending::Idle && sample.steps == 0));
    // It draws delays for ever, because nobody knows that its guard never holds.
    let never = "clock x; process P() { state A; init A; trans A -> A { guard sin(x) > 2.0; }; } system P;";
    let idle = samples(never, "Pr[#<=10](<> !P.A)", 1, 1, 1);
    assert_eq!((idle[0].ending, idle[0].steps), (Ending::Idle, 0));
}
