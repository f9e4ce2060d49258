//! Steps per second of `ret`, in one run: beside a walker written for Fischer's protocol alone, which is the practical
//! limit, and on models of growing size, where a step should cost what it changes.
//!
//! `cargo bench -p zonewalk-walk --bench steps`

use model::load::load_bytes;
use search::random::Random;
use semantics::structure::Structure;
use std::time::{Duration, Instant};
use walk::delay::{Distribution, PREDEFINED};
use walk::strategy::{Chooser, Strategy};
use walk::tables::{Tables, prepare};
use walk::walker::Walker;

/// How long each measurement takes.
const SPAN: Duration = Duration::from_millis(600);

/// A walk starts again after this many steps.
const DEPTH: u64 = 1 << 14;

/// A model of a size.
type Model = fn(usize) -> String;

fn main() {
    println!("Fischer's protocol           specialised    engine    engine / specialised");
    for n in [10, 50, 500] {
        let special = specialised(n);
        let general = engine(&fischer(n), DEPTH);
        println!("N = {n:<5} M steps/s             {special:9.2} {general:9.2} {:9.2}", general / special);
    }
    let models: [(&str, Model, u64); 3] = [
        ("train gate", |n| train_gate(n, SHIFTING), 4),
        ("with a ring buffer", |n| train_gate(n, RING), 4),
        ("Milner's scheduler", milner, 4),
    ];
    for (name, model, depth) in models {
        let mut least = None;
        for n in [100, 500, 2000] {
            let nanoseconds = 1000.0 / engine(&model(n), depth * n as u64);
            let base = *least.get_or_insert(nanoseconds);
            println!(
                "{name:<20} N = {n:<5} {nanoseconds:9.0} ns a step, {:5.2} times that of N = 100",
                nanoseconds / base
            );
        }
    }
}

/// Millions of steps per second on a model.
fn engine(text: &str, depth: u64) -> f64 {
    let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let Some(model) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    let mut structure = Structure::new(model.network());
    let preparation = prepare(&mut structure);
    let tables = Tables::new(&structure, &preparation, 0).expect("small enough");
    let mut walker = Walker::new(&tables).expect("no error").expect("invariants hold");
    let mut chooser = Chooser::new(Strategy::Ret, &walker);
    let (mut steps, mut walk, started) = (0u64, 0, Instant::now());
    while started.elapsed() < SPAN {
        let mut random = Random::of_run(1, walk);
        walk += 1;
        walker.restart();
        for _ in 0..depth {
            match chooser.choose(&mut walker, &mut PREDEFINED.into(), &mut random) {
                Ok(Some(moment)) => walker.take(moment).expect("no error"),
                _ => break,
            }
            steps += 1;
        }
    }
    steps as f64 / started.elapsed().as_secs_f64() / 1e6
}

fn fischer(n: usize) -> String {
    let names: Vec<String> = (1..=n).map(|pid| format!("P{pid}")).collect();
    let made: Vec<String> = (1..=n).map(|pid| format!("P{pid} = P({pid});")).collect();
    format!(
        "const int k = 2; int[0,{n}] id;
        process P(const int pid) {{ clock x; state A, req {{ x <= k }}, wait, cs; init A;
        trans A -> req {{ guard id == 0; assign x = 0; }}, req -> wait {{ guard x <= k; assign x = 0, id = pid; }},
        wait -> cs {{ guard x > k && id == pid; }}, wait -> req {{ guard id == 0; assign x = 0; }},
        cs -> A {{ assign id = 0; }}; }}
        {} system {};",
        made.join(" "),
        names.join(", ")
    )
}

/// The queue of the published model: all trains move up when the first one leaves.
const SHIFTING: &str = "void enqueue(id_t element) { list[len] = element; len = len + 1; }
    void dequeue() { int i = 0; len = len - 1; while (i < len) { list[i] = list[i + 1]; i = i + 1; } list[i] = 0; }
    id_t front() { return list[0]; }
    id_t tail() { return list[len - 1]; }";

/// The same queue without work in proportion to its length, which leaves what the engine does.
const RING: &str = "int[0,N] head;
    void enqueue(id_t element) { list[(head + len) % (N + 1)] = element; len = len + 1; }
    void dequeue() { list[head] = 0; head = (head + 1) % (N + 1); len = len - 1; }
    id_t front() { return list[head]; }
    id_t tail() { return list[(head + len - 1) % (N + 1)]; }";

fn train_gate(n: usize, queue: &str) -> String {
    let names: Vec<String> = (0..n).map(|id| format!("T{id}")).collect();
    let made: Vec<String> = (0..n).map(|id| format!("T{id} = Train({id});")).collect();
    format!(
        "const int N = {n}; typedef int[0,N-1] id_t; chan appr[N], stop[N], leave[N]; urgent chan go[N];
        id_t list[N+1]; int[0,N] len;
        {queue}
        process Train(const id_t id) {{ clock x; state Safe, Appr {{ x <= 20 }}, Stop, Start {{ x <= 15 }}, Cross {{ x <= 5 }};
        init Safe; trans Safe -> Appr {{ sync appr[id]!; assign x = 0; }}, Appr -> Stop {{ guard x <= 10; sync stop[id]?; }},
        Appr -> Cross {{ guard x >= 10; assign x = 0; }}, Cross -> Safe {{ guard x >= 3; sync leave[id]!; }},
        Stop -> Start {{ sync go[id]?; assign x = 0; }}, Start -> Cross {{ guard x >= 7; assign x = 0; }}; }}
        process Gate() {{ state Free, Occ, C; commit C; init Free;
        trans Free -> Occ {{ guard len > 0; sync go[front()]!; }},
        Free -> Occ {{ select e : id_t; guard len == 0; sync appr[e]?; assign enqueue(e); }},
        Occ -> Free {{ select e : id_t; guard e == front(); sync leave[e]?; assign dequeue(); }},
        Occ -> C {{ select e : id_t; sync appr[e]?; assign enqueue(e); }}, C -> Occ {{ sync stop[tail()]!; }}; }}
        {} system Gate, {};",
        made.join(" "),
        names.join(", ")
    )
}

fn milner(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|id| format!("N{id}")).collect();
    let made: Vec<String> = (0..n).map(|id| format!("N{id} = Node({id}, {});", i32::from(id == 0))).collect();
    format!(
        "const int N = {n}; const int D = 30; const int d = 4; typedef int[0,N-1] id_t;
        broadcast chan rec[N], w[N];
        process Node(const id_t id, const int first) {{ clock x, y;
        state Start, Idle, Both {{ x <= D }}, Work {{ x <= D }}, Pass {{ x <= D }}; urgent Start; init Start;
        trans Start -> Both {{ guard first == 1; }}, Start -> Idle {{ guard first == 0; }},
        Idle -> Both {{ sync rec[id]?; assign x = 0, y = 0; }}, Both -> Pass {{ sync w[id]!; }},
        Both -> Work {{ guard y > d; sync rec[(id + 1) % N]!; }}, Pass -> Idle {{ guard y > d; sync rec[(id + 1) % N]!; }},
        Work -> Idle {{ sync w[id]!; }}; }}
        process Watcher() {{ clock z; state A; init A; trans A -> A {{ select e : id_t; sync w[e]?; }},
        A -> A {{ select e : id_t; sync rec[e]?; assign z = 0; }}; }}
        {} system Watcher, {};",
        made.join(" "),
        names.join(", ")
    )
}

const UNIT: i64 = 1 << 20;
const FOREVER: i64 = 1 << 62;

/// The same walks on the same protocol, for it alone: arrays, and a look at all processes in every step.
fn specialised(n: usize) -> f64 {
    let (mut steps, mut walk, started) = (0u64, 0, Instant::now());
    let mut fischer = Fischer { at: vec![0; n], since: vec![0; n], id: 0, now: 0 };
    while started.elapsed() < SPAN {
        let mut random = Random::of_run(1, walk);
        walk += 1;
        fischer.at.fill(0);
        fischer.since.fill(0);
        (fischer.id, fischer.now) = (0, 0);
        for _ in 0..DEPTH {
            if !fischer.step(PREDEFINED, &mut random) {
                break;
            }
            steps += 1;
        }
    }
    steps as f64 / started.elapsed().as_secs_f64() / 1e6
}

struct Fischer {
    /// 0 idle, 1 request, 2 wait, 3 critical.
    at: Vec<u8>,
    since: Vec<i64>,
    /// Processes count from 1.
    id: usize,
    now: i64,
}

const K: i64 = 2 * UNIT;

impl Fischer {
    fn step(&mut self, delays: Distribution, random: &mut Random) -> bool {
        let requests = self.at.iter().zip(&self.since).filter(|(at, _)| **at == 1);
        let until = requests.map(|(_, since)| since + K).min().unwrap_or(FOREVER);
        let free = self.id == 0;
        let enters = |n: usize, since: i64| self.id == n + 1 && since + K < until;
        let ways = |n: usize, at: u8, since: i64| match at {
            0 => u32::from(free),
            1 | 3 => 1,
            _ => u32::from(free) + u32::from(enters(n, since)),
        };
        let all = || self.at.iter().zip(&self.since).enumerate();
        let total: u32 = all().map(|(n, (at, since))| ways(n, *at, *since)).sum();
        if total == 0 {
            return false;
        }
        let mut drawn = random.below(u64::from(total)) as u32;
        let mut chosen = 0;
        for (n, (at, since)) in all() {
            let here = ways(n, *at, *since);
            if drawn < here {
                chosen = n;
                break;
            }
            drawn -= here;
        }
        let from = match self.at[chosen] {
            2 if !free => self.now.max(self.since[chosen] + K + 1),
            _ => self.now,
        };
        let to = until.min(from.max(self.now + 3 * UNIT));
        self.now = delays.draw(semantics::concrete::Window { from, to }, random);
        match self.at[chosen] {
            0 => (self.at[chosen], self.since[chosen]) = (1, self.now),
            1 => {
                (self.at[chosen], self.since[chosen]) = (2, self.now);
                self.id = chosen + 1;
            }
            2 if free => (self.at[chosen], self.since[chosen]) = (1, self.now),
            2 => self.at[chosen] = 3,
            _ => {
                self.at[chosen] = 0;
                self.id = 0;
            }
        }
        true
    }
}
