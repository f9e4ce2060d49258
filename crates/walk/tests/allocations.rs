//! A step allocates nothing: once the buffers have grown, walks go on and start again without asking for memory.

// A counting allocator must be unsafe code; it adds to a counter and hands everything to the system's allocator.
#![allow(unsafe_code)]

use model::load::{load, load_bytes};
use model::network::Network;
use search::random::Random;
use semantics::structure::Structure;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use walk::delay::DelayChoice;
use walk::strategy::{Chooser, Strategy};
use walk::tables::{Tables, prepare};
use walk::walker::Walker;

struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all methods only count and forward their arguments unchanged to `System`, which meets the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.with(|asked| asked.set(asked.get() + 1));
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.with(|asked| asked.set(asked.get() + 1));
        // SAFETY: the caller's promises are passed on, and `place` came from `System`.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: `place` came from `System` with this layout.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const STEPS: u64 = 20_000;
const DEPTH: u64 = 500;

/// How often memory is asked for in so many steps, after as many to warm up.
fn asked(network: &Network, strategy: Strategy) -> Option<u64> {
    let mut structure = Structure::new(network);
    let preparation = prepare(&mut structure);
    let tables = Tables::new(&structure, &preparation, 0).ok()?;
    let mut walker = Walker::new(&tables).ok()??;
    let mut chooser = Chooser::new(strategy, &walker);
    let mut before = 0;
    // The same walks twice: what they need is there the second time.
    for _ in 0..2 {
        before = ASKED.with(Cell::get);
        let mut steps = 0;
        for walk in 0..STEPS {
            let mut random = Random::of_run(3, walk);
            let choice = if walk % 2 == 0 { DelayChoice::Changing } else { DelayChoice::Habits };
            let mut delays = choice.begin(walk);
            walker.restart();
            chooser.begin();
            for _ in 0..DEPTH {
                match chooser.choose(&mut walker, &mut delays, &mut random) {
                    Ok(Some(moment)) if walker.take(moment).is_ok() => steps += 1,
                    _ => break,
                }
            }
            if steps >= STEPS {
                break;
            }
        }
    }
    Some(ASKED.with(Cell::get) - before)
}

const ALL: [Strategy; 5] = [Strategy::Ret, Strategy::Sem, Strategy::Rcf, Strategy::Rlc, Strategy::RlcA];

const FEATURES: &[(&str, &str)] = &[
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
        "priorities",
        "chan a, b; chan priority a < default < b; clock x;
         process P() { state A; init A; trans A -> A { guard x >= 1; sync a!; assign x = 0; },
         A -> A { guard x >= 2 && x <= 3; sync b!; }, A -> A { guard x <= 5; }; }
         process Q() { state A; init A; trans A -> A { sync a?; }, A -> A { sync b?; assign x = 0; }; }
         system P < Q;",
    ),
    (
        "urgent channels with clock guards",
        "urgent chan go; urgent broadcast chan all; clock x;
         process P() { clock y; state A, B { y <= 5 }; init A; trans A -> B { guard y >= 2; sync go!; assign y = 0; },
         B -> A { guard y > 1; assign y = 0; }, B -> A { guard y >= 4; sync all!; assign x = 0; }; }
         process Q() { state A; init A; trans A -> A { guard x > 3; sync go?; assign x = 0; }, A -> A { sync all?; },
         A -> A { guard x >= 1; assign x = 0; }; }
         P1 = P(); P2 = P(); system P1, P2, Q;",
    ),
    (
        "stopwatches, functions, committed locations",
        "bool run[3]; clock job[3]; urgent chan go; int n;
         int next(int i) { int k = i; while (k < 7 && !run[k % 3]) k++; return k % 3; }
         process T(const int[0,2] id) { clock x; state Idle { x <= 4 + id }, Work { job[id]' == run[id] && job[id] <= 3 }, Go; commit Go;
         init Idle; trans Idle -> Go { guard x >= 2; assign run[id] = true, n = next(id); },
         Go -> Work { assign job[id] = 0; }, Work -> Idle { guard job[id] >= 2 && run[id]; assign run[(n + 3) % 3] = false, x = 0; }, Idle -> Idle { guard n == id; sync go!; assign n = -1; },
         Work -> Idle { guard x > 30; assign x = 0; }; }
         process L() { state A; init A; trans A -> A { sync go?; }; }
         T0 = T(0); T1 = T(1); T2 = T(2); system T0, T1, T2, L;",
    ),
];

#[test]
fn steps_ask_for_no_memory() {
    for (name, text) in FEATURES {
        let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
        let Some(model) = loaded.model else { panic!("{name}: {:?}", loaded.diagnostics) };
        for strategy in ALL {
            assert_eq!(asked(model.network(), strategy), Some(0), "{name}, {strategy:?}");
        }
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for entry in std::fs::read_dir(models).expect("models") {
        let path = entry.expect("an entry").path();
        if !path.extension().is_some_and(|extension| extension == "xml" || extension == "xta") {
            continue;
        }
        let model = load(&path, &[]).model.expect("it loads");
        if let Some(asked) = asked(model.network(), Strategy::Ret) {
            assert_eq!(asked, 0, "{}", path.display());
        }
    }
}
