//! Compiled code against the naive tree walk of the tests, on labels as models have them.
//!
//! `cargo bench -p zonewalk-semantics --bench code`

#[path = "../tests/support/mod.rs"]
mod support;

use divan::{Bencher, black_box};
use model::load::Model;
use model::network::ProcessId;
use semantics::code::{Discrete, Facts, Machine, Programs};
use support::naive::Naive;

fn main() {
    divan::main();
}

const TEXT: &str = "const int N = 20; typedef int[0,N-1] id_t; int[0,N] id; int[0,1] req[N]; int list[N]; int[0,N] len;
clock gx;
int largest() { int i; int best = -1; for (i = 0; i < N; i++) { if (list[i] > best) best = list[i]; } return best; }
process P(const int[0,N] pid) { clock x; int[0,N] n; state A; init A; trans
 A -> A { guard x <= 5 && id == pid; },
 A -> A { guard forall (j : id_t) (req[j] == 0 || j == pid); },
 A -> A { guard n < 3 && id != 2 && gx > 4 && x <= 5; },
 A -> A { assign x = 0, id = pid; },
 A -> A { assign n = largest() + 1; },
 A -> A { assign n = (n + 1) % N, req[pid] = 1; };
}
process Gate() { int[0,N-1] queue[N+1];
 void enqueue(id_t element) { queue[len++] = element; }
 void dequeue() { int i = 0; len -= 1; while (i < len) { queue[i] = queue[i + 1]; i++; } queue[i] = 0; }
 state A; init A; trans
 A -> A { assign dequeue(); }, A -> A { assign enqueue(3), len = len - 1; };
}
P1 = P(0); G = Gate(); system P1, G;";

#[derive(Clone, Copy, Debug)]
enum Label {
    Simple,
    Quantified,
    Conjunction,
    Reset,
    Loop,
    Step,
    Dequeue,
    Enqueue,
}

use Label::*;

const GUARDS: [Label; 3] = [Simple, Quantified, Conjunction];
const UPDATES: [Label; 5] = [Reset, Loop, Step, Dequeue, Enqueue];

impl Label {
    fn place(self) -> (usize, usize) {
        match self {
            Simple => (0, 0),
            Quantified => (0, 1),
            Conjunction => (0, 2),
            Reset => (0, 3),
            Loop => (0, 4),
            Step => (0, 5),
            Dequeue => (1, 0),
            Enqueue => (1, 1),
        }
    }
}

fn setting() -> (Model, Discrete) {
    let model = support::load(TEXT);
    let mut state = Discrete::initial(model.network());
    // Ten trains wait.
    let len = model.network().globals.iter().find(|variable| &*variable.name == "len").unwrap();
    state.ints[len.offset.ints as usize] = 10;
    (model, state)
}

#[divan::bench(args = GUARDS)]
fn guard_compiled(bencher: Bencher, label: Label) {
    let (model, state) = setting();
    let network = model.network();
    let (template, edge) = label.place();
    let mut programs = Programs::new(network);
    let id = programs.condition(network.templates[template].edges[edge].guard.unwrap());
    let (mut machine, mut facts) = (Machine::new(), Facts::default());
    bencher.bench_local(|| {
        facts.clear();
        machine.condition(&programs, id, ProcessId::new(template), &[], black_box(&state), &mut facts).unwrap()
    });
}

#[divan::bench(args = GUARDS)]
fn guard_tree_walk(bencher: Bencher, label: Label) {
    let (model, state) = setting();
    let network = model.network();
    let (template, edge) = label.place();
    let guard = network.templates[template].edges[edge].guard.unwrap();
    let mut naive = Naive::new(network, ProcessId::new(template), &[], &state);
    bencher.bench_local(|| black_box(&mut naive).truth(guard).unwrap());
}

#[divan::bench(args = UPDATES)]
fn update_compiled(bencher: Bencher, label: Label) {
    let (model, state) = setting();
    let network = model.network();
    let (template, edge) = label.place();
    let mut programs = Programs::new(network);
    let id = programs.update(&network.templates[template].edges[edge].update);
    let (mut machine, mut resets, mut after) = (Machine::new(), Vec::new(), state.clone());
    bencher.bench_local(|| {
        resets.clear();
        after.ints.copy_from_slice(&state.ints);
        machine.update(&programs, id, ProcessId::new(template), &[], black_box(&mut after), &mut resets).unwrap();
    });
}

#[divan::bench(args = UPDATES)]
fn update_tree_walk(bencher: Bencher, label: Label) {
    let (model, state) = setting();
    let network = model.network();
    let (template, edge) = label.place();
    let mut naive = Naive::new(network, ProcessId::new(template), &[], &state);
    bencher.bench_local(|| {
        naive.resets.clear();
        naive.state.ints.copy_from_slice(&state.ints);
        black_box(&mut naive).update(&network.templates[template].edges[edge].update).unwrap();
    });
}
