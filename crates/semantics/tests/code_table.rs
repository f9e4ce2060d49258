//! Small models: what conditions, updates, channels and predicates come to.

mod support;

use model::check::QueryKind;
use model::load::query_text;
use model::network::{ClockId, ExprId, LocationId, Network, ProcessId, Relation};
use model::source::Sources;
use semantics::code::{ClockBound, ClockUpdate, Discrete, Dnf, Facts, Machine, Programs, range_of};
use support::load;

const HEAD: &str = "const int N = 3; typedef int[0,N-1] id_t; int i = 2; int[0,7] a[3] = {5, 1, 6}; bool done;
typedef struct { int u; int[0,9] v[2]; clock c; } S; S s; clock x, y, xs[3]; chan go, to[3]; meta int scratch;
int twice(int p) { return 2 * p; }
void reset(clock &k, int v) { k = v; }";

fn model(labels: &str) -> String {
    format!(
        "{HEAD} process P(const id_t me, int &r, clock &cx, chan &ch) {{ int l = 4; clock lx; state A, B; init A; trans
         A -> B {{ {labels} }}; }}
         P1 = P(1, i, y, go); P2 = P(2, i, xs[2], to[1]); system P1, P2;"
    )
}

fn bound(plus: Option<usize>, minus: Option<usize>, relation: Relation, bound: i32) -> ClockBound {
    ClockBound { plus: plus.map(ClockId::new), minus: minus.map(ClockId::new), relation, bound }
}

/// The clocks: s.c, x, y, xs[0..3], then lx of each process.
const X: Option<usize> = Some(1);
const Y: Option<usize> = Some(2);
const XS: usize = 3;
const LX: usize = 6;

fn facts(network: &Network, guard: ExprId, process: usize, select: &[i32]) -> (bool, Facts) {
    let mut programs = Programs::new(network);
    let id = programs.condition(guard);
    let mut facts = Facts::default();
    let state = Discrete::initial(network);
    let process = ProcessId::new(process);
    let holds = Machine::new().condition(&programs, id, process, select, &state, &mut facts).unwrap();
    (holds, facts)
}

#[test]
fn conditions() {
    use Relation::*;
    let lx = |process: usize| Some(LX + process);
    type Row<'a> = (&'a str, usize, Option<Vec<ClockBound>>);
    let table: &[Row<'_>] = &[
        ("x <= 5 && i == me", 0, None),
        ("x <= 5 && i == me", 1, Some(vec![bound(X, None, Le, 5)])),
        ("lx < a[me] + i", 0, Some(vec![bound(lx(0), None, Lt, 3)])),
        ("lx < a[me] + i", 1, Some(vec![bound(lx(1), None, Lt, 8)])),
        ("x - y >= twice(l)", 0, Some(vec![bound(X, Y, Ge, 8)])),
        ("x + 2 <= y", 0, Some(vec![bound(X, Y, Le, -2)])),
        ("7 > x", 0, Some(vec![bound(None, X, Gt, -7)])),
        ("cx == r", 0, Some(vec![bound(Y, None, Eq, 2)])),
        ("cx == r", 1, Some(vec![bound(Some(XS + 2), None, Eq, 2)])),
        ("done || x > 1", 0, Some(vec![bound(X, None, Gt, 1)])),
        ("!done || x > 1", 0, Some(vec![])),
        ("x > twice(1) || !done", 0, Some(vec![])),
        ("x > twice(1) || done", 0, Some(vec![bound(X, None, Gt, 2)])),
        ("(i == 2 && x > a[1]) || i == 3", 0, Some(vec![bound(X, None, Gt, 1)])),
        ("(i == 9 && x > a[i]) || i == 3", 0, None),
        ("i == 2 ? x > 1 : y > 1", 0, Some(vec![bound(X, None, Gt, 1)])),
        (
            "forall (q : id_t) xs[q] <= a[q]",
            0,
            Some((0..3).map(|q| bound(Some(XS + q), None, Le, [5, 1, 6][q])).collect()),
        ),
        (
            "forall (q : id_t) (q == me || xs[q] > 0)",
            1,
            Some(vec![bound(Some(XS), None, Gt, 0), bound(Some(XS + 1), None, Gt, 0)]),
        ),
        ("s.c < sum (q : id_t) a[q]", 0, Some(vec![bound(Some(0), None, Lt, 12)])),
    ];
    for (guard, process, expected) in table {
        let model = load(&model(&format!("guard {guard};")));
        let network = model.network();
        let (holds, facts) = facts(network, network.templates[0].edges[0].guard.unwrap(), *process, &[]);
        assert_eq!(holds.then_some(facts.bounds), *expected, "{guard} in process {process}");
    }
}

#[test]
fn invariants_with_rates() {
    let text =
        "clock x, xs[2]; int run = 1; hybrid clock h; process P() { clock lx; state A { x <= 5 && x' == run - 1 &&
        (forall (q : int[0,1]) xs[q]' == q) && h' == 2.5 && lx' == 0 }; init A; } system P;";
    let model = load(text);
    let network = model.network();
    let (holds, facts) = facts(network, network.templates[0].locations[0].invariant.unwrap(), 0, &[]);
    assert!(holds);
    let rates: Vec<(usize, i32)> = facts.rates.iter().map(|(clock, rate)| (clock.index(), *rate)).collect();
    let lx = network.processes[0].state.clocks as usize;
    assert_eq!(rates, [(0, 0), (1, 0), (2, 1), (lx, 0)]);
    assert_eq!(facts.bounds, [bound(Some(0), None, Relation::Le, 5)]);
}

#[test]
fn updates() {
    let set = |target: usize, source: Option<usize>, offset: i32| ClockUpdate {
        target: ClockId::new(target),
        source: source.map(ClockId::new),
        offset,
    };
    type Row<'a> = (&'a str, &'a [(&'a str, i32)], &'a [ClockUpdate]);
    let table: &[Row<'_>] = &[
        ("i = me, x = 0", &[("i", 2)], &[set(1, None, 0)]),
        ("r = 7, l = i + 1", &[("i", 7), ("l", 8)], &[]),
        ("a[sel] = i, i = a[0]", &[("a0", 5), ("a1", 2), ("i", 5)], &[]),
        ("s.v[1] = 3, s.u = s.v[1]++ + s.v[1]", &[("s.u", 7), ("s.v1", 4)], &[]),
        ("lx = y + i, xs[sel] = 1", &[], &[set(LX + 1, Y, 2), set(XS + 1, None, 1)]),
        (
            "reset(cx, i), reset(s.c, 0), reset(xs[sel], l)",
            &[],
            &[set(XS + 2, None, 2), set(0, None, 0), set(XS + 1, None, 4)],
        ),
        ("done = 5, i = done", &[("done", 1), ("i", 1)], &[]),
        ("i += i += 1", &[("i", 6)], &[]),
        ("i = i++ + ++i", &[("i", 6)], &[]),
        ("i = (l = 3) + (l = 5) * l", &[("i", 28)], &[]),
        ("scratch = 9, i = scratch", &[("i", 9)], &[]),
    ];
    for (update, cells, clocks) in table {
        let model = load(&model(&format!("select sel : int[1,1]; assign {update};")));
        let network = model.network();
        let mut programs = Programs::new(network);
        let id = programs.update(&network.templates[0].edges[0].update);
        let mut state = Discrete::initial(network);
        let mut resets = Vec::new();
        Machine::new().update(&programs, id, ProcessId::new(1), &[1], &mut state, &mut resets).unwrap();
        for (name, value) in *cells {
            let at = match *name {
                "i" => 0,
                "a0" => 1,
                "a1" => 2,
                "done" => 4,
                "s.u" => 5,
                "s.v1" => 7,
                _ => network.processes[1].state.ints as usize,
            };
            assert_eq!(state.ints[at], *value, "{update}: {name}");
        }
        assert_eq!(resets, *clocks, "{update}");
    }
}

#[test]
fn channels() {
    // The channels: go, to[0..3].
    let table: &[(&str, bool, [usize; 2])] = &[
        ("go!", true, [0, 0]),
        ("to[2]?", true, [3, 3]),
        ("to[me]!", true, [2, 3]),
        ("to[sel]!", true, [2, 2]),
        ("ch!", true, [0, 2]),
        ("to[i]!", false, [3, 3]),
        ("to[l - 4]!", false, [1, 1]),
        ("to[twice(me) - me]!", true, [2, 3]),
        ("to[r]!", false, [3, 3]),
    ];
    for (sync, fixed, expected) in table {
        let model = load(&model(&format!("select sel : int[1,1]; sync {sync};")));
        let network = model.network();
        let mut programs = Programs::new(network);
        let code = programs.channel(&network.templates[0].edges[0].sync.as_ref().unwrap().channel);
        assert_eq!(code.fixed, *fixed, "{sync}");
        let state = Discrete::initial(network);
        for (process, channel) in expected.iter().enumerate() {
            let found = Machine::new().channel(&programs, code, ProcessId::new(process), &[1], &state);
            assert_eq!(found.unwrap().index(), *channel, "{sync} in process {process}");
        }
    }
}

#[test]
fn predicates() {
    use Relation::*;
    type Cases = Vec<(Vec<ClockBound>, Option<bool>)>;
    let table: Vec<(&str, Cases)> = vec![
        ("P1.A && i == 2", vec![(vec![], None)]),
        ("P1.B", vec![]),
        ("not P2.B imply x < 3", vec![(vec![bound(X, None, Lt, 3)], None)]),
        (
            "x < 3 || P2.lx != 2",
            vec![(vec![bound(X, None, Lt, 3)], None), (vec![bound(Some(LX + 1), None, Ne, 2)], None)],
        ),
        ("!(x == 3 && y > 1)", vec![(vec![bound(X, None, Ne, 3)], None), (vec![bound(Y, None, Le, 1)], None)]),
        (
            "x < 3 && (y < 1 || y > 2)",
            vec![
                (vec![bound(X, None, Lt, 3), bound(Y, None, Lt, 1)], None),
                (vec![bound(X, None, Lt, 3), bound(Y, None, Gt, 2)], None),
            ],
        ),
        ("deadlock && P1.A", vec![(vec![], Some(true))]),
        ("not deadlock", vec![(vec![], Some(false))]),
        ("deadlock && not deadlock", vec![]),
        ("deadlock || P1.A", vec![(vec![], None)]),
        (
            "exists (q : id_t) (q != 1 && xs[q] > P1.l)",
            vec![(vec![bound(Some(XS), None, Gt, 4)], None), (vec![bound(Some(XS + 2), None, Gt, 4)], None)],
        ),
        ("x > 1 xor P1.A", vec![(vec![bound(X, None, Le, 1)], None)]),
        ("P1.location == 0 && P2.me == 2 && P2.r == i", vec![(vec![], None)]),
    ];
    let model = load(&model(""));
    let mut sources = Sources::new();
    for (text, expected) in table {
        let loaded = model.query(&query_text(&mut sources, "query", &format!("E<> {text}")));
        let Some(query) = loaded.query else { panic!("{text}: {:?}", loaded.diagnostics) };
        let (QueryKind::Path { predicate, .. }, network) = (query.kind, &query.network) else { panic!("{text}") };
        let mut programs = Programs::new(network);
        let id = programs.predicate(predicate);
        let state = Discrete::initial(network);
        let mut dnf = Dnf::default();
        let mut machine = Machine::new();
        machine.predicate(&programs, id, &state, &mut dnf).unwrap();
        let found: Cases = dnf.iter().map(|case| (case.bounds.to_vec(), case.deadlock)).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(programs.is_discrete(id), !text.contains(['x', 'y']) && !text.contains("deadlock"), "{text}");
        if programs.is_discrete(id) {
            assert_eq!(machine.truth(&programs, id, &state), Ok(dnf.is_true()), "{text}");
        }
    }
}

#[test]
fn locations_are_read_from_the_state() {
    let model = load(&model(""));
    let mut sources = Sources::new();
    let loaded = model.query(&query_text(&mut sources, "query", "E<> P2.B && !P1.B"));
    let query = loaded.query.expect("it resolves");
    let (QueryKind::Path { predicate, .. }, network) = (query.kind, &query.network) else { panic!() };
    let mut programs = Programs::new(network);
    let id = programs.predicate(predicate);
    let mut state = Discrete::initial(network);
    assert_eq!(Machine::new().truth(&programs, id, &state), Ok(false));
    state.locations[1] = LocationId::new(1);
    assert_eq!(Machine::new().truth(&programs, id, &state), Ok(true));
}

#[test]
fn ranges_of_expressions() {
    let table: &[(&str, usize, (i64, i64))] = &[
        ("3", 0, (3, 3)),
        ("me * 10 + 1", 1, (21, 21)),
        ("a[q]", 0, (0, 7)),
        ("K[q]", 0, (2, 9)),
        ("K[me]", 1, (9, 9)),
        ("K[q] + a[me]", 0, (2, 16)),
        ("a[0] - a[1]", 0, (-7, 7)),
        ("-a[0]", 0, (-7, 0)),
        ("a[0] * -2", 0, (-14, 0)),
        ("i % 5", 0, (-4, 4)),
        ("a[0] / 2", 0, (0, 3)),
        ("done ? 4 : a[1]", 0, (0, 7)),
        ("limit(i)", 0, (3, 8)),
        ("i * i", 0, (-1_073_709_056, 1_073_741_824)),
        ("i * i * i", 0, (i64::from(i32::MIN), i64::from(i32::MAX))),
        ("sum (p : id_t) a[p]", 0, (0, 21)),
        ("a[0] <? 3", 0, (0, 3)),
        ("i & 15", 0, (0, 15)),
        ("done + 1", 0, (1, 2)),
    ];
    for (expr, process, expected) in table {
        let text = "const int K[3] = {2, 4, 9}; typedef int[0,2] id_t; int i; int[0,7] a[3]; bool done; clock x;
            int[3,8] limit(int p) { return 5; }
            process P(const id_t me) { state A; init A; trans A -> A { select q : id_t; guard x < (EXPR); }; }
            P0 = P(0); P1 = P(2); system P0, P1;";
        let model = load(&text.replace("EXPR", expr));
        let network = model.network();
        let guard = network.templates[0].edges[0].guard.unwrap();
        let model::network::Expr::ClockConstraint(constraint) = network.code.expr(guard) else { panic!() };
        assert_eq!(range_of(network, constraint.bound, ProcessId::new(*process)), *expected, "{expr}");
    }
}

/// Operands, indices and arguments are taken before what follows changes them.
#[test]
fn order_of_evaluation_in_functions() {
    let table: &[(&str, i32)] = &[
        ("return k + (k = 7);", 9),
        ("return k + k++ + k;", 7),
        ("return (k < (k = 7)) + 10 * k;", 71),
        ("return k - bump(k) * 10 + k;", -25),
        ("a[k] = k = 1; return a[1];", 1),
        ("a[(k = 1)] = k; return a[1] + 10 * a[2];", 2),
        ("a[2] = 5; return a[k] + 10 * (a[k = 0] = 3) + k;", 35),
        ("m[k][k = 0] = 4; return m[2][0];", 4),
        ("m[r][r = 0] = 4; return m[2][0];", 4),
        ("k = k++; return k;", 2),
        ("k = ++k + k++; return k;", 6),
        ("k += k++ + k; return k;", 8),
        ("k = k == 2 ? k + 3 : (k = 9); return k;", 5),
        ("k = sum (j : int[0,2]) (k + j); return k;", 9),
        ("k = forall (j : int[0,2]) k > j - 1; return k;", 1),
        ("return add(k, k = 5, k);", 255),
        ("return add(k++, k++, k);", 234),
        ("return add(add(1, k, 2), k, add(k, 3, k)) % 100000;", 12452),
        ("s.u = 1; t.u = 2; s = t; t.u = 3; return 10 * s.u + t.u;", 23),
        ("s.u = 4; return same(s, change(s)) + 10 * s.u;", 90),
        ("s.u = 4; return (s == change(s)) + 10 * s.u;", 91),
        ("return make(k).u * 10 + make(k + 1).w[1];", 24),
        ("return swap(k, a[0]) * 100 + k * 10 + a[0];", 102),
        ("for (k = 0; k < 3; k++) { int z; z += k; a[k] = z; } return a[0] + a[1] + a[2];", 3),
        ("while (true) { if (k > 5) return k; k++; } return 0;", 6),
        ("do { k--; } while (k > -3); return k;", -3),
        ("for (j : int[0,2]) { if (a[j] == 0) a[j] = j + 1; } return a[0] + a[1] + a[2];", 6),
        ("for (j : int[0,2]) { if (g[j] == 0) a[j] = j + 1; } return a[0] + a[1] + a[2];", 4),
        ("return 10 * (forall (j : int[0,2]) g[j] == 0) + (exists (j : int[0,2]) g[j] == 4);", 1),
        ("return 10 * (forall (j : int[0,2]) g[j] != 5) + (exists (j : int[0,2]) g[j] != 0 && j == 1);", 11),
    ];
    for (body, expected) in table {
        let text = format!(
            "typedef struct {{ int u; int w[2]; }} S; int g[3] = {{0, 4, 0}};
             int bump(int &p) {{ p++; return p; }}
             int add(int p, int q, int r) {{ return 100 * p + 10 * q + r; }}
             S change(S &p) {{ S q; q = p; p.u = 9; return q; }}
             bool same(S &p, S q) {{ return p == q; }}
             S make(int p) {{ S q; q.u = p; q.w[1] = p + 1; return q; }}
             int swap(int &p, int &q) {{ int old = p; p = q; q = old; return p + q - 1; }}
             int f() {{ int k = 2; int[0,2] r = 2; int a[3]; int m[3][3]; S s, t; {body} }}
             process P() {{ int i; state A; init A; trans A -> A {{ assign i = f(); }}; }} system P;"
        );
        let model = load(&text);
        let network = model.network();
        let mut programs = Programs::new(network);
        let update = &network.templates[0].edges[0].update;
        let id = programs.update(update);
        let mut state = Discrete::initial(network);
        Machine::new().update(&programs, id, ProcessId::new(0), &[], &mut state, &mut Vec::new()).unwrap();
        let mut naive = support::naive::Naive::new(network, ProcessId::new(0), &[], &Discrete::initial(network));
        naive.update(update).unwrap();
        assert_eq!(naive.state, state, "{body}");
        assert_eq!(state.ints.last(), Some(expected), "{body}");
    }
}
