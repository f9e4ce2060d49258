//! What runs show: endings, deadlocks, and predicates at every moment of a delay.

mod common;

use common::{Row, check, claim, model};

const LOOP: &str = "clock x, t; int n; process P() { state a {x <= 3}, b; init a; trans a -> a {guard x >= 1; assign x = 0;}, a -> b {},
    a -> a {guard x == 3; assign x = 0, n = (n + 1) % 2;}; } system P;";
const GROWING: &str = "clock x, t; process P() { state a {x <= 1}, b; init a; trans a -> a {guard x == 1; assign x = 0;}, a -> b {guard t <= 4;}; } system P;";
const DIAGONALS: &str = "clock x, t; process P() { state a {x <= 1}, b; init a; trans a -> a {guard x == 1; assign x = 0;}, a -> b {guard t - x > 4;}; } system P;";
const SIDES: &str = "clock x, y; process P() { state a, b, c; init a; trans a -> b {assign x = 0;}, b -> c {assign y = 0;}, c -> a {},
    a -> b {assign y = 0;}, b -> c {assign x = 0;}, c -> c {guard x - y >= 3;}, c -> c {guard x - y <= -3;}; } system P;";
const SET: &str =
    "clock x, y; process P() { state a, b; init a; trans a -> a {assign x = 0;}, a -> b {guard y - x > 3;},
    a -> b {assign x = 2;}; } system P;";
const STILL: &str =
    "clock x, y; process P() { state a, b {x' == 0}; init a; trans a -> a {assign x = 0;}, a -> b {guard y - x > 3;},
    a -> b {}; } system P;";
const ENDS: &str = "clock x; process P() { state idle, bounded {x <= 5}, strict {x < 5}, lock {x <= 0}, late {x <= 5}; urgent idle; init idle; trans
    idle -> bounded {assign x = 0;}, idle -> strict {assign x = 0;}, idle -> lock {assign x = 0;}, idle -> late {assign x = 0;},
    late -> idle {guard x == 4;}; } system P;";
const FREE: &str = "clock x; process P() { state a; init a; } system P;";

#[test]
fn endings() {
    check(&[
        Row("a run closes where it comes back to the same state", LOOP, "1: P.0; 1: P.0 @lasso 1", "ok"),
        Row("clocks that nothing compares do not matter", LOOP, "2: P.0; 1: P.0 @lasso 0", "ok"),
        Row("other clocks do", LOOP, "1: P.0; 1: P.0; 1/2 @lasso 0", "NotALasso"),
        Row("locations matter", LOOP, "1: P.0; 1: P.1 @lasso 0", "NotALasso"),
        Row("variables matter", LOOP, "3: P.2 @lasso 0", "NotALasso"),
        Row("they may come back later", LOOP, "3: P.2; 3: P.2 @lasso 0", "ok"),
        Row("a loop has a step", LOOP, "1: P.0 @lasso 1", "NotALasso"),
        Row("a clock below its largest bound matters", GROWING, "1: P.0; 1: P.0 @lasso 0", "NotALasso"),
        Row("above it does not", GROWING, "1: P.0; 1: P.0; 1: P.0; 1: P.0; 1: P.0; 1: P.0 @lasso 5", "ok"),
        Row(
            "a difference below its largest bound matters",
            DIAGONALS,
            "1: P.0; 1: P.0; 1: P.0; 1: P.0; 1: P.0; 1: P.0 @lasso 4",
            "NotALasso",
        ),
        Row("above it does not", DIAGONALS, "1: P.0; 1: P.0; 1: P.0; 1: P.0; 1: P.0; 1: P.0 @lasso 5", "ok"),
        Row("on the same side", SIDES, "1: P.0; 4: P.1; 4: P.2; 5: P.0; 5: P.1; 4: P.2 @lasso 3", "ok"),
        Row("and not on the other", SIDES, "1: P.0; 4: P.1; 4: P.2; 5: P.3; 5: P.4; 4: P.2 @lasso 3", "NotALasso"),
        Row("a clock that may be set to more matters longer", SET, "5: P.0; 1: P.0 @lasso 1", "NotALasso"),
        Row("up to the sum", SET, "6: P.0; 1: P.0 @lasso 1", "ok"),
        Row("where clocks can stand still every difference matters", STILL, "5: P.0; 1: P.0 @lasso 1", "NotALasso"),
        Row("time passes for ever without a bound", FREE, "@idle", "ok"),
        Row("not with one", ENDS, "0: P.0 @idle", "NotIdle"),
        Row("not in an urgent location", ENDS, "@idle", "NotIdle"),
        Row("no action now or later: stuck", ENDS, "0: P.0; 5 @stuck", "ok"),
        Row("stuck before the remaining delay is over", ENDS, "0: P.0 @stuck", "ok"),
        Row("stuck under a strict bound", ENDS, "0: P.1 @stuck", "ok"),
        Row("stuck where time is locked", ENDS, "0: P.2 @stuck", "ok"),
        Row("an action that comes later counts", ENDS, "0: P.3; 3 @stuck", "NotStuck"),
        Row("once it is over it does not", ENDS, "0: P.3; 9/2 @stuck", "ok"),
        Row("idle for ever without any action is stuck too", FREE, "@stuck", "ok"),
    ]);
}

const WINDOW: &str = "clock x; int n; process P() { state a {x <= 5}, b; init a; trans a -> b {guard x > 2 && x < 4; assign n = 1;}; } system P;";
const BLOCKED: &str =
    "clock x, y; process P() { state a {x <= 5}, b {y <= 2}; init a; trans a -> b {guard x >= 3;}; } system P;";
const URGENT: &str = "urgent chan c; clock x; process P() { state a, b {x >= 2}; init a; trans a -> b {sync c!;}; }
    process Q() { state a; init a; trans a -> a {sync c?;}; } system P, Q;";
const HANDSHAKE: &str = "clock x; process P() { state idle, ask {x <= 4}, done; init idle; trans idle -> ask {assign x = 0;}, ask -> done {guard x >= 2;},
    done -> idle {}, ask -> ask {guard x == 4; assign x = 0;}; } system P;";

#[test]
fn claims() {
    let rows: &[(&str, &str, &str, &str, &str)] = &[
        ("the last state counts", WINDOW, "E<> P.b", "3: P.0", "ok"),
        ("after the final delay", WINDOW, "E<> x == 5", "5", "ok"),
        ("and nothing before it", WINDOW, "E<> x == 4", "5", "ClaimFalse"),
        ("a violation ends in a bad state", WINDOW, "A[] not P.b", "3: P.0", "ok"),
        ("members and integers", WINDOW, "E<> n == 1 && P.b && x > 2", "3: P.0", "ok"),
        ("an action later is no deadlock", WINDOW, "E<> deadlock", "1", "ClaimFalse"),
        ("an action now is no deadlock", WINDOW, "E<> deadlock", "3", "ClaimFalse"),
        ("an open bound is outside", WINDOW, "E<> deadlock", "4", "ok"),
        ("no edge is a deadlock", WINDOW, "E<> deadlock && n == 1", "3: P.0", "ok"),
        ("a target that breaks an invariant is no action", BLOCKED, "E<> deadlock", "0", "ok"),
        ("urgency without a target is a deadlock", URGENT, "E<> deadlock", "0", "ok"),
        ("always: an open run shows nothing", WINDOW, "E[] P.a", "3", "OpenEnd"),
        ("always: a stuck run", WINDOW, "E[] P.a", "5 @stuck", "ok"),
        ("always: the middle of a delay counts", WINDOW, "E[] (x < 1 || x > 2)", "5 @stuck", "ClaimFalse"),
        ("always: a single moment counts", WINDOW, "E[] x != 3", "5 @stuck", "ClaimFalse"),
        ("always: touching intervals leave no gap", WINDOW, "E[] (x < 2 || x >= 2)", "5 @stuck", "ok"),
        ("always: an open gap of one moment is seen", WINDOW, "E[] (x < 2 || x > 2)", "5 @stuck", "ClaimFalse"),
        ("always: the remaining delay counts", WINDOW, "E[] x < 5", "9/2 @stuck", "ClaimFalse"),
        ("always: idling for ever counts", FREE, "E[] x < 100", "@idle", "ClaimFalse"),
        ("inevitable: idling for ever refutes it", FREE, "A<> x < 0", "@idle", "ok"),
        ("inevitable: a lasso refutes it", HANDSHAKE, "A<> P.done", "0: P.0; 4: P.3 @lasso 1", "ok"),
        (
            "inevitable: not if it happens on the way",
            HANDSHAKE,
            "A<> P.done",
            "0: P.0; 2: P.1; 0: P.2; 0: P.0; 4: P.3 @lasso 4",
            "ClaimFalse",
        ),
        ("answer: it never comes", HANDSHAKE, "P.ask --> P.done", "0: P.0; 4: P.3 @lasso 1", "ok"),
        (
            "answer: earlier ones do not count",
            HANDSHAKE,
            "P.ask --> P.done",
            "0: P.0; 2: P.1; 0: P.2; 0: P.0; 4: P.3 @lasso 4",
            "ok",
        ),
        (
            "answer: not if it comes in the loop",
            HANDSHAKE,
            "P.ask --> P.done",
            "0: P.0; 2: P.1; 0: P.2; 0: P.0; 2: P.1; 0: P.2 @lasso 3",
            "ClaimFalse",
        ),
        ("answer: nobody asked", HANDSHAKE, "P.ask --> P.done", "@idle", "ClaimFalse"),
        ("answer: asked in the middle of a delay", FREE, "x > 3 && x < 4 --> x > 9", "5 @stuck", "ClaimFalse"),
        ("answer: asked and never answered while idle", FREE, "x > 3 && x < 4 --> x < 2", "5 @idle", "ok"),
        ("answer: asked before the last answer", FREE, "x < 2 --> x < 3", "5 @idle", "ClaimFalse"),
        ("answer: asked at the moment of the answer", FREE, "x <= 3 --> x >= 3", "@idle", "ClaimFalse"),
        (
            "infinitely often: in the loop",
            HANDSHAKE,
            "buchi: P.done",
            "0: P.0; 2: P.1; 0: P.2; 0: P.0; 2: P.1; 0: P.2 @lasso 3",
            "ok",
        ),
        ("infinitely often: not before the loop", HANDSHAKE, "buchi: P.idle", "0: P.0; 4: P.3 @lasso 1", "ClaimFalse"),
        ("infinitely often: time must pass", LOOP, "buchi: P.a", "1: P.0; 1 @idle", "NotIdle"),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(statement, text, query, steps, expected)| {
            let found = claim(&model(text), query, steps);
            (found != *expected).then(|| format!("{statement}: {found}, not {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const ARRAY: &str = "int[0,9] n; int a[3] = {4, 5, 6}; process T(const int[0,2] id) { clock x; int own = id; bool big(int v) { return own > v; }
    state l, m; init l; trans l -> m {guard x >= id; assign own = own + a[n], n = n + 4;}; } system T;";

#[test]
fn predicates_name_processes_and_their_parts() {
    let rows = [
        ("E<> forall (i : int[0,2]) T(i).x >= 2 && T(i).l", "2", "ok"),
        ("E<> exists (i : int[0,2]) T(i).m", "2", "ClaimFalse"),
        ("E<> (sum (i : int[0,2]) T(i).l) == 3 && T(1).own == 1", "2", "ok"),
        ("E<> a[T(2).own] == 6", "2", "ok"),
        ("E<> T(0).x - T(1).x == 0 && T(0).id == 0", "2", "ok"),
        ("E<> not (T(0).x < 2) imply false", "1", "ok"),
        ("E<> a[n + 3] == 0", "2", "ModelError(Index)"),
        ("E<> T(0).m && 1 / n == 0", "0: T(0).0", "ok"),
    ];
    for (query, steps, expected) in rows {
        assert_eq!(claim(&model(ARRAY), query, steps), expected, "{query}");
    }
}

#[test]
fn runs_that_lead_to_an_error_of_the_model() {
    let (predicates, network) = common::predicates(&model(ARRAY), "E<> a[n + 3] == 0");
    let (bad, network) = (predicates[0], &network);
    let rows = [
        ("0: T(0).0; 1: T(1).0", None, "ok"),
        ("0: T(0).0; 1: T(1).0; 0: T(2).0", None, "ModelError(Index)"),
        ("0: T(0).0", None, "ClaimFalse"),
        ("0: T(1).0", None, "GuardFalse"),
        ("0: T(0).0", Some(bad), "ok"),
    ];
    for (steps, predicate, expected) in rows {
        let found = certify::check_failure(network, &common::run(network, steps), predicate);
        assert_eq!(common::word(found), expected, "{steps}");
    }
}
