//! What a walk knows without looking is what looking at everything would say: after every step the possible transitions
//! and their windows are those of the concrete semantics computed from scratch.

use model::load::{load, load_bytes};
use model::network::Network;
use search::random::Random;
use semantics::concrete::System;
use semantics::structure::Structure;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walk::audit::Shadow;
use walk::delay::DelayChoice;
use walk::strategy::{Chooser, Strategy};
use walk::tables::{Tables, prepare};
use walk::walker::Walker;

/// From scratch some models take very long.
const WHILE: Duration = Duration::from_secs(2);

/// Bytes of a model of the corpus.
const LARGEST: u64 = 1 << 20;

/// Walks and compares for a while; the number of steps made.
fn compare(name: &str, network: &Network, walks: u64, depth: u64, time: Duration) -> u64 {
    let mut structure = Structure::new(network);
    let preparation = prepare(&mut structure);
    let Ok(tables) = Tables::new(&structure, &preparation, 0) else { return 0 };
    let Ok(Some(mut shadow)) = Shadow::new(System::new(&structure)) else { return 0 };
    let Ok(Some(mut walker)) = Walker::new(&tables) else { return 0 };
    let initial = shadow.state.clone();
    let mut chooser = Chooser::new(Strategy::Ret, &walker);
    let mut steps = 0;
    let started = std::time::Instant::now();
    for walk in 0..walks {
        let mut random = Random::of_run(7, walk);
        let mut delays = DelayChoice::Changing.begin(walk);
        walker.restart();
        shadow.state = initial.clone();
        for _ in 0..depth {
            if started.elapsed() >= time {
                return steps;
            }
            let Ok(difference) = shadow.difference(&mut walker) else { break };
            assert_eq!(difference, None, "{name}: after {steps} steps, in walk {walk}");
            let Ok(Some(moment)) = chooser.choose(&mut walker, &mut delays, &mut random) else { break };
            let followed = shadow.take(&walker, moment);
            if walker.take(moment).is_err() || followed.is_err() {
                break;
            }
            steps += 1;
        }
    }
    steps
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

#[test]
fn on_the_models_of_this_repository() {
    let mut steps = 0;
    for entry in std::fs::read_dir(models()).expect("models") {
        let path = entry.expect("an entry").path();
        if !path.extension().is_some_and(|extension| extension == "xml" || extension == "xta") {
            continue;
        }
        let loaded = load(&path, &[]);
        let model = loaded.model.expect("it loads");
        steps += compare(&path.display().to_string(), model.network(), 40, 60, WHILE);
    }
    assert!(steps > 5_000, "{steps} steps");
}

/// With the corpus, all its models that walks can run: `ZONEWALK_CORPUS=... cargo test --release -p zonewalk-walk -- --ignored`, some
/// minutes.
#[test]
#[ignore = "needs the corpus"]
fn on_the_corpus() {
    let corpus = std::env::var("ZONEWALK_CORPUS").expect("ZONEWALK_CORPUS says where the corpus is");
    let (mut waiting, mut steps, mut files) = (vec![PathBuf::from(corpus)], 0, 0);
    let mut slowest = (Duration::ZERO, PathBuf::new());
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
            continue;
        }
        if !path.extension().is_some_and(|extension| ["xml", "xta", "ta"].iter().any(|known| extension == *known)) {
            continue;
        }
        // What takes longer to read than to walk on says nothing more.
        if std::fs::metadata(&path).is_ok_and(|file| file.len() > LARGEST) {
            continue;
        }
        let Some(model) = load(&path, &[]).model else { continue };
        if model.network().processes.len() > 60 || !model.network().doubles.is_empty() {
            continue;
        }
        let started = std::time::Instant::now();
        let made = compare(&path.display().to_string(), model.network(), 4, 50, WHILE / 8);
        slowest = slowest.max((started.elapsed(), path));
        files += u64::from(made > 0);
        steps += made;
    }
    eprintln!("{steps} steps on {files} models; {:?} on {}", slowest.0, slowest.1.display());
}

/// Small models, one for each feature that walks treat in a way of their own.
#[test]
fn on_one_model_per_feature() {
    let features: &[(&str, &str)] = &[
        (
            "gates",
            "int id; const int k = 2;
             process P(const int pid) { clock x; state A, req { x <= k }, wait, cs; init A;
             trans A -> req { guard id == 0; assign x = 0; }, req -> wait { guard x <= k; assign x = 0, id = pid; },
             wait -> cs { guard x > k && id == pid; }, wait -> req { guard id == 0; assign x = 0; },
             cs -> A { assign id = 0; }; }
             P1 = P(1); P2 = P(2); P3 = P(3); P4 = P(4); P5 = P(5); P6 = P(6); P7 = P(7); P8 = P(8); P9 = P(9);
             system P1, P2, P3, P4, P5, P6, P7, P8, P9;",
        ),
        (
            "broadcast with clock guards",
            "broadcast chan c; clock x;
             process S() { state A; init A; trans A -> A { guard x >= 1; sync c!; assign x = 0; }; }
             process R() { clock y; state A, B; init A;
             trans A -> B { guard y >= 2; sync c?; assign y = 0; }, A -> A { guard y <= 4; sync c?; },
             B -> A { guard y < 3; sync c?; }, B -> A { guard y > 5; }; }
             R1 = R(); R2 = R(); system S, R1, R2;",
        ),
        (
            "urgent channels, committed locations, select",
            "urgent chan go; chan c[4]; int n;
             process P() { clock x; state A { x <= 3 }, B, C; commit C; init A;
             trans A -> B { guard x >= 1; assign x = 0; }, B -> C { sync go!; },
             C -> A { select i : int[0,3]; sync c[i]!; assign x = 0, n = i; }; }
             process Q() { clock y; state A, B, C; urgent B; init A;
             trans A -> B { sync go?; }, B -> C { }, C -> A { select i : int[0,3]; guard i >= n; sync c[i]?; },
             A -> A { select i : int[0,3]; sync c[i]?; }, B -> A { select i : int[0,3]; sync c[i]?; assign y = 0; }; }
             P1 = P(); P2 = P(); Q1 = Q(); Q2 = Q(); system P1, P2, Q1, Q2;",
        ),
        (
            "stopwatches and shared clocks",
            "int[0,1] run[2]; clock job[2]; clock t;
             process T(const int[0,1] i) { state Wait, Run { job[i]' == run[i] && job[i] <= 5 }, Done; init Wait;
             trans Wait -> Run { assign job[i] = 0, run[i] = 1; }, Run -> Done { guard job[i] >= 3; assign run[i] = 0; },
             Done -> Wait { guard t >= 2; assign t = 0; }; }
             process Pre() { state A { t <= 4 }; init A;
             trans A -> A { select i : int[0,1]; guard t >= 1; assign run[i] = 1 - run[i], t = 0; }; }
             T0 = T(0); T1 = T(1); system T0, T1, Pre;",
        ),
        (
            "rates of an array, the first element among them",
            "clock job[3]; clock wait[3]; bool runs[3]; int[0,2] now;
             process Rates() { state A { forall (i : int[0,2]) job[i]' == runs[i] && forall (i : int[0,2]) wait[i]' == !runs[i] };
             init A; }
             process Switch() { clock x; state A { x <= 3 }; init A;
             trans A -> A { select i : int[0,2]; guard x >= 1; assign runs[now] = 0, now = i, runs[now] = 1, x = 0; }; }
             process User(const int id) { state A, B; init A;
             trans A -> B { guard job[id] >= 2; assign job[id] = 0; }, B -> A { guard wait[id] >= 2; assign wait[id] = 0; }; }
             U0 = User(0); U1 = User(1); U2 = User(2); system Rates, Switch, U0, U1, U2;",
        ),
        (
            "priorities",
            "chan a, b; chan priority a < default < b; clock x;
             process P() { state A; init A; trans A -> A { guard x >= 1; sync a!; assign x = 0; },
             A -> A { guard x >= 2 && x <= 3; sync b!; }, A -> A { guard x <= 5; }; }
             process Q() { state A; init A; trans A -> A { sync a?; }, A -> A { sync b?; assign x = 0; }; }
             system P < Q;",
        ),
        (
            "many that ask the same about themselves",
            "bool used[9]; chan send, drop; int n;
             process S() { clock x; state A { x <= 5 }; init A;
             trans A -> A { guard x >= 1; sync send!; assign x = 0; }, A -> A { sync drop!; }; }
             process M(const int[0,8] id) { clock y;
             bool first() { int i = 0; while (i < id) { if (!used[i]) return false; i++; } return true; }
             bool last() { return forall (i : int[0,8]) i <= id || !used[i]; }
             state A, B { y <= 9 }; init A;
             trans A -> B { guard first(); sync send?; assign used[id] = true, y = 0; },
             B -> A { guard last() && y >= 2; sync drop?; assign used[id] = false; },
             B -> A { guard y >= 5; assign used[id] = false; }; }
             M0 = M(0); M1 = M(1); M2 = M(2); M3 = M(3); M4 = M(4); M5 = M(5); M6 = M(6); M7 = M(7); M8 = M(8);
             system S, M0, M1, M2, M3, M4, M5, M6, M7, M8;",
        ),
        (
            "edges that sleep: periods, deadlines, suspension",
            "int[0,3] wait[3]; bool run[3]; clock job[3]; broadcast chan tick; bool late;
             process T(const int[0,2] id, const int period, const int deadline) { clock x; int[0,2] n; clock s;
             state Idle { x <= period }, Work { job[id]' == run[id] && job[id] <= 3 }, Pause { s <= wait[id] }, Late; init Idle;
             trans Idle -> Work { guard x == period; sync tick!; assign x = 0, job[id] = 0, run[id] = true; },
             Idle -> Work { guard x == period; sync tick?; assign x = 0, job[id] = 0, run[id] = true; },
             Work -> Pause { guard run[id] && job[id] >= wait[id]; assign s = 0, n = (n + 1) % 3; },
             Work -> Late { guard x > deadline; assign late = true; },
             Late -> Idle { assign x = 0; },
             Pause -> Idle { guard s == wait[id]; }; }
             process Switch() { clock z; state A { z <= 2 }; init A;
             trans A -> A { select i : int[0,2], v : int[0,3]; guard z >= 1; assign run[i] = !run[i], wait[i] = v, z = 0; },
             A -> A { select i : int[0,2]; guard z > 0; assign wait[i] = i; }; }
             T0 = T(0, 7, 5); T1 = T(1, 11, 9); T2 = T(2, 4, 3); system T0, T1, T2, Switch;",
        ),
        (
            "clocks that others set wake edges",
            "clock t, u; int[0,1] r;
             process P() { state A, B; init A; trans A -> B { guard t <= 2; }, A -> A { guard t >= 30; }, B -> A { guard t > 1 && t < 3; },
             B -> B { guard u >= 2 * r + 3 && u <= 8; }, A -> A { guard u == 4; }; }
             process Q() { clock z; state A { z <= 4 && u' == r }; init A; trans A -> A { guard z >= 1; assign z = 0, t = 0; },
             A -> A { guard z >= 2; assign z = 0, t = 29; }, A -> A { guard z == 4; assign z = 0, r = 1 - r; },
             A -> A { guard z >= 3; assign z = 0, u = 0; }; }
             P1 = P(); P2 = P(); system P1, P2, Q;",
        ),
        (
            "target invariants and copies of clocks",
            "clock x, y; int[0,3] n;
             process P() { state A { x <= 4 }, B { y <= 3 && x - y <= 2 }, C { x <= n }; init A;
             trans A -> B { }, A -> B { assign y = x; }, B -> C { assign x = 0; }, B -> C { },
             C -> A { assign x = 1; }, C -> A { assign y = 0, x = y; }, A -> A { select i : int[0,3]; assign n = i; }; }
             process Q() { state A; init A; trans A -> A { guard x > 1; assign n = (n + 1) % 4; }; }
             system P, Q;",
        ),
    ];
    for (name, text) in features {
        let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
        let Some(model) = loaded.model else { panic!("{name}: {:?}", loaded.diagnostics) };
        let steps = compare(name, model.network(), 200, 40, WHILE);
        assert!(steps > 1_000, "{name}: {steps} steps");
    }
}
