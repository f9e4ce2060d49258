//! Which edges are taken together, and what they do: each row states one rule about actions.

mod common;

use common::{Row, check};

const PLAIN: &str = "chan c, d; int i; process P() { state a, b; init a;
    trans a -> b {guard i == 0; assign i = 1;}, a -> b {guard i == 5;}, b -> a {sync c!;}, a -> a {sync c!;}, a -> a {sync d!;}; }
    process Q() { state a; init a; trans a -> a {sync c?;}, a -> a {}, a -> a {sync c!;}; }
    process R() { state a; init a; trans a -> a {sync c?;}; } system P, Q, R;";
const SELECT: &str =
    "int i; process P() { state a; init a; trans a -> a {select k : int[1,3]; guard k != 2; assign i = k;},
    a -> a {guard i == 3;}; } system P;";
const CHANNELS: &str =
    "chan c[3]; int i; process P() { state a; init a; trans a -> a {sync c[i]!; assign i = i + 1;}; }
    process Q() { state a; init a; trans a -> a {select k : int[0,2]; sync c[k]?; assign i = i + k;}; } system P, Q;";
const BROADCAST: &str = "broadcast chan c; int n; clock x;
    process S() { state a; init a; trans a -> a {sync c!; assign n = 1;}; }
    process T() { state a, b; init a; trans a -> b {sync c?; assign n = n * 2;}, a -> a {sync c?; assign n = n * 3;}; }
    process U() { state a, b {x <= 5}; init a; trans a -> b {guard x >= 2; sync c?; assign n = n + 10;}; }
    process V() { state a, b; init a; trans a -> b {guard n == 12;}, a -> b {guard n == 2;}; } system S, T, U, V;";
const ORDER: &str =
    "broadcast chan c; int n; process S() { state a; init a; trans a -> a {sync c!; assign n = n * 10 + 9;}; }
    process T(const int[1,2] k) { state a, b; init a; trans a -> b {sync c?; assign n = n * 10 + k;}; }
    process V() { state a; init a; trans a -> a {guard n == 912;}; } system T, S, V;";
const SENDER_FIRST: &str = "chan c; int n; process R() { state a, b; init a; trans a -> b {sync c?; assign n = n * 2;}, b -> b {guard n == 6;}; }
    process S() { state a, b; init a; trans a -> b {sync c!; assign n = 3;}; } system R, S;";
const GUARDS_FIRST: &str = "chan c; int n; process S() { state a, b; init a; trans a -> b {sync c!; assign n = 1;}; }
    process R() { state a, b; init a; trans a -> b {guard n == 0; sync c?;}; } system S, R;";
const HOOKS: &str = "chan c; int n = 1; before_update { n = n * 10 + 1 } after_update { n = n * 10 + 4 }
    process S() { state a, b; init a; trans a -> b {sync c!; assign n = n * 10 + 2;}; }
    process R() { state a, b {n == 11234}; init a; trans a -> b {sync c?; assign n = n * 10 + 3;}; } system S, R;";
const COMMITTED: &str = "chan c; process P() { state a, b; commit a; init a; trans a -> b {}, a -> b {sync c?;}; }
    process Q() { state a; init a; trans a -> a {}, a -> a {sync c!;}; } system P, Q;";
const URGENT: &str = "process P() { state a, b; urgent a; init a; trans a -> b {}; }
    process Q() { state a; init a; trans a -> a {}; } system P, Q;";
const BRANCHES: &str = "int n = 1; process P() { state a, b, c; branchpoint f; init a; trans a -> f {assign n = n + 1;},
    f -> b {assign n = n * 5; probability 0;}, f -> c {probability 1;}, b -> b {guard n == 10;}, c -> c {guard n == 2;}; } system P;";
const BROADCAST_INVARIANT: &str = "broadcast chan c; clock x; process S() { state a; init a; trans a -> a {sync c!;}; }
    process T() { state a, b {x <= 1}; init a; trans a -> b {sync c?;}; } system S, T;";
const LEVELS: &str = "chan priority low < default < high; chan low, high; clock x; int g;
    process P() { state a; init a; trans a -> a {sync low!;}, a -> a {}, a -> a {guard x >= 2; sync high!;}; }
    process Q() { state a, b {g == 0}; init a; trans a -> a {sync low?;}, a -> a {sync high?;}, a -> b {assign g = 1;}; }
    system P, Q;";
const BLOCKED_HIGH: &str = "chan priority default < high; chan high; clock x;
    process P() { state a, b {x >= 3}; init a; trans a -> a {}, a -> b {sync high!;}; }
    process Q() { state a; init a; trans a -> a {sync high?;}; } system P, Q;";
const PROCESS_LEVELS: &str = "chan c; process P() { state a; init a; trans a -> a {}, a -> a {sync c!;}; }
    process Q() { state a, b; init a; trans a -> b {}, a -> a {sync c?;}, b -> b {guard false;}; } system P < Q;";
const CSP: &str = "chan c, d; int n; process P() { state a; init a; trans a -> a {sync c; assign n = 2;}, a -> a {}; }
    process Q() { state a; init a; trans a -> a {sync c; assign n = n * 5;}, a -> a {sync d;}; }
    process R() { state a, b; init a; trans a -> b {}, b -> b {guard n == 10;}, b -> b {sync d;}; } system P, Q, R;";
const CSP_IO: &str = "chan c; process P() { state a; init a; trans a -> a {sync c;}; }
    process Q() { state a; init a; trans a -> a {sync c;}; }
    process R() { state a; init a; trans a -> a {sync c;}; }
    system P, Q, R; IO P { c } IO Q { c }";
const META: &str = "chan c; meta int m = 4; int n; process S() { state a; init a; trans a -> a {sync c!; assign m = m + 1;}, a -> a {guard m == 4;},
    a -> a {guard n == 5;}; } process R() { state a; init a; trans a -> a {sync c?; assign n = m;}; } system S, R;";

#[test]
fn actions() {
    check(&[
        Row("an edge without synchronisation is taken alone", PLAIN, "0: P.0", "ok"),
        Row("a step takes some edge", PLAIN, "0:", "NoMove"),
        Row("the guard must hold", PLAIN, "0: P.1", "GuardFalse"),
        Row("the process must be where the edge begins", PLAIN, "0: P.2 + Q.0", "WrongSource"),
        Row("there is no edge of that number", PLAIN, "0: P.9", "UnknownEdge"),
        Row("there is no process of that name", PLAIN, "0: Z.0", "UnknownProcess"),
        Row("edges without synchronisation are not joined", PLAIN, "0: P.0 + Q.1", "NotInternal"),
        Row("nor joined to a synchronisation", PLAIN, "0: P.3 + Q.1", "NotInternal"),
        Row("a sender and a receiver go together", PLAIN, "0: P.3 + Q.0", "ok"),
        Row("in any order of writing", PLAIN, "0: Q.0 + P.3", "ok"),
        Row("a sender alone does not", PLAIN, "0: P.3", "NotAPair"),
        Row("a receiver alone does not", PLAIN, "0: Q.0", "NotAPair"),
        Row("two receivers do not", PLAIN, "0: P.3 + Q.0 + R.0", "NotAPair"),
        Row("two senders do not", PLAIN, "0: P.3 + Q.2", "NotAPair"),
        Row("a process does not synchronise with itself", PLAIN, "0: Q.0 + Q.2", "MovesTwice"),
        Row("both must name one channel", PLAIN, "0: P.4 + Q.0", "DifferentChannels"),
        Row("a select value chooses the edge", SELECT, "0: P.0[3]; 0: P.1", "ok"),
        Row("the guard sees the select value", SELECT, "0: P.0[2]", "GuardFalse"),
        Row("a select value stays in its range", SELECT, "0: P.0[4]", "SelectValues"),
        Row("a select needs a value", SELECT, "0: P.0", "SelectValues"),
        Row("channel indices are those of the source state", CHANNELS, "0: P.0 + Q.0[0]; 0: P.0 + Q.0[1]", "ok"),
        Row("different elements are different channels", CHANNELS, "0: P.0 + Q.0[1]", "DifferentChannels"),
        Row(
            "a channel index outside the array is an error of the model",
            CHANNELS,
            "0: P.0 + Q.0[0]; 0: P.0 + Q.0[1]; 0: P.0 + Q.0[2]",
            "ModelError(Index)",
        ),
        Row("a broadcast takes every process that can receive", BROADCAST, "0: S.0 + T.0", "ok"),
        Row("none of them is left out", BROADCAST, "0: S.0", "MissingParticipant"),
        Row("one whose clock guard holds is not left out", BROADCAST, "2: S.0 + T.0", "MissingParticipant"),
        Row("one whose clock guard does not hold stays out", BROADCAST, "1: S.0 + T.0 + U.0", "GuardFalse"),
        Row("one of several receiving edges is taken", BROADCAST, "0: S.0 + T.1; 0: S.0 + T.0; 0: V.1", "ok"),
        Row("updates of all receivers run", BROADCAST, "2: S.0 + T.0 + U.0; 0: V.0", "ok"),
        Row("a broadcast has one sender", BROADCAST, "0: T.0", "NotOneSender"),
        Row(
            "without receivers a broadcast is sent all the same",
            BROADCAST,
            "2: S.0 + T.0 + U.0; 0: S.0; 0: S.0",
            "ok",
        ),
        Row(
            "the sender's update runs first, then receivers in process order",
            ORDER,
            "0: T(2).0 + T(1).0 + S.0; 0: V.0",
            "ok",
        ),
        Row(
            "the sender's update runs before the receiver's whatever the process order",
            SENDER_FIRST,
            "0: R.0 + S.0; 0: R.1",
            "ok",
        ),
        Row("guards are evaluated before any update", GUARDS_FIRST, "0: S.0 + R.0", "ok"),
        Row("before_update runs first and after_update last", HOOKS, "0: S.0 + R.0", "ok"),
        Row("a committed process moves first", COMMITTED, "0: Q.0", "CommittedFirst"),
        Row("by itself", COMMITTED, "0: P.0; 0: Q.0", "ok"),
        Row("or as the receiver of another", COMMITTED, "0: Q.1 + P.1", "ok"),
        Row("an urgent location gives no priority", URGENT, "0: Q.0; 0: P.0", "ok"),
        Row("the edge's update runs before the branch's", BRANCHES, "0: P.0/0; 0: P.1", "ok"),
        Row("a branch of weight 0 can be taken", BRANCHES, "0: P.0/0", "ok"),
        Row("each branch leads to its target", BRANCHES, "0: P.0/1; 0: P.2", "ok"),
        Row("there is no third branch", BRANCHES, "0: P.0/2", "UnknownBranch"),
        Row(
            "a receiver's invariant forbids the whole broadcast",
            BROADCAST_INVARIANT,
            "2: S.0 + T.0",
            "TargetInvariant",
        ),
        Row("and the receiver cannot be dropped", BROADCAST_INVARIANT, "2: S.0", "MissingParticipant"),
        Row(
            "a lower channel waits for an internal edge of the default level",
            LEVELS,
            "0: P.0 + Q.0",
            "HigherPriority",
        ),
        Row("an internal edge goes when nothing higher is possible", LEVELS, "0: P.1", "ok"),
        Row("and waits when something higher is", LEVELS, "2: P.1", "HigherPriority"),
        Row("the highest goes", LEVELS, "2: P.2 + Q.1", "ok"),
        Row("priorities do not stop time", LEVELS, "7: P.2 + Q.1", "ok"),
        Row("a transition whose target breaks an invariant has no say", BLOCKED_HIGH, "2: P.0", "ok"),
        Row("it has when its target is allowed", BLOCKED_HIGH, "3: P.0", "HigherPriority"),
        Row("a process of higher priority goes first", PROCESS_LEVELS, "0: P.0", "HigherPriority"),
        Row("a synchronisation has the highest priority of its processes", PROCESS_LEVELS, "0: P.1 + Q.1", "ok"),
        Row("afterwards the lower process goes", PROCESS_LEVELS, "0: Q.0; 0: P.0", "ok"),
        Row(
            "without marks all processes with the channel go together, in process order",
            CSP,
            "0: Q.0 + P.0; 0: R.0; 0: R.1",
            "ok",
        ),
        Row("without marks nobody stays out", CSP, "0: P.0", "MissingParticipant"),
        Row("who uses the channel elsewhere blocks it", CSP, "0: Q.1", "MissingParticipant"),
        Row("until it is ready", CSP, "0: R.0; 0: Q.1 + R.2", "ok"),
        Row("an I/O declaration says who takes part", CSP_IO, "0: P.0 + Q.0", "ok"),
        Row("and who does not", CSP_IO, "0: P.0 + Q.0 + R.0", "ExtraParticipant"),
        Row("a receiver reads what the sender wrote to a meta variable", META, "0: S.0 + R.0; 0: S.2", "ok"),
        Row(
            "the next transition begins with its initial value",
            META,
            "0: S.0 + R.0; 0: S.0 + R.0; 0: S.2; 0: S.1",
            "ok",
        ),
    ]);
}

const ERRORS: &str = "int[0,3] i; int a[2]; bool b; int[0,3] f(int[0,2] k) { return k + i; }
    process P() { state s; init s; trans
    s -> s {assign i = i + 5 - 5;}, s -> s {assign i = 4;}, s -> s {assign i++;}, s -> s {assign a[i] = 1;},
    s -> s {assign a[0] = 1 / i;}, s -> s {assign a[0] = 1 << (i - 1);}, s -> s {guard a[i] == 0;},
    s -> s {guard i < 2 && a[i] == 0;}, s -> s {assign a[0] = f(3);}, s -> s {assign a[0] = f(2);}, s -> s {assign b = 7;},
    s -> s {guard b == 1;}, s -> s {assign i -= 1;}; } system P;";
const FUNCTIONS: &str = "typedef struct { int a; int b[2]; } S; S s, t; int r; int q[3] = {5, 6, 7};
    void swap(int &x, int &y) { int z = x; x = y; y = z; }
    int total(int v[3]) { int all = 0; for (k : int[0,2]) all += v[k]; return all; }
    int fac(int n) { int p = 1; while (n > 1) { p *= n; n--; } return p; }
    void copy(S &x, const S &y) { x = y; x.b[1]++; }
    void forever() { while (true) { r = 1; } }
    process P(int &ref, const int c) { int own = c; state l; init l; trans
    l -> l {assign swap(q[0], q[2]), r = q[0];}, l -> l {guard r == 7;}, l -> l {assign r = total(q);}, l -> l {guard r == 18;},
    l -> l {assign r = fac(5);}, l -> l {guard r == 120;}, l -> l {assign s.b[1] = 3, copy(t, s);}, l -> l {guard t.b[1] == 4 && s != t;},
    l -> l {assign forever();}, l -> l {assign ref = own + c;}, l -> l {guard r == 4;},
    l -> l {guard exists (k : int[0,2]) q[k] == 6 and forall (k : int[0,2]) q[k] > 4;}, l -> l {guard (sum (k : int[0,2]) q[k]) == 18;},
    l -> l {assign r = 3, r = r > 2 ? r * 2 : 0, r += r;}, l -> l {guard r == 12;}; } X = P(r, 2); system X;";

const FLOATING: &str = "double d = 0.5; hybrid clock h; int i; clock x;
    process P() { state a; init a; trans a -> a {assign d = d * 2.0 + i, h = 3, i = 1;}, a -> a {guard i == 1;}, a -> a {guard d > 1.0;}; } system P;";
const SCALARS: &str = "typedef scalar[3] id_t; id_t last; bool seen[id_t];
    process P(const id_t me) { state a, b; init a; trans a -> b {guard !seen[me]; assign seen[me] = true, last = me;}, b -> b {guard last == me;}; } system P;";

#[test]
fn evaluation() {
    check(&[
        Row("only the assigned value is checked against the range", ERRORS, "0: P.0", "ok"),
        Row("a value outside the range is an error", ERRORS, "0: P.1", "ModelError(OutOfRange)"),
        Row("++ is checked like an assignment", ERRORS, "0: P.2; 0: P.2; 0: P.2; 0: P.2", "ModelError(OutOfRange)"),
        Row("-= is checked like an assignment", ERRORS, "0: P.12", "ModelError(OutOfRange)"),
        Row("an index outside the array is an error", ERRORS, "0: P.2; 0: P.2; 0: P.3", "ModelError(Index)"),
        Row("a division by zero is an error", ERRORS, "0: P.4", "ModelError(Division)"),
        Row("a shift by a negative number is an error", ERRORS, "0: P.5", "ModelError(NegativeOperand)"),
        Row("an error in a guard is an error, not false", ERRORS, "0: P.2; 0: P.2; 0: P.6", "ModelError(Index)"),
        Row("what a conjunction does not reach is no error", ERRORS, "0: P.2; 0: P.2; 0: P.7", "GuardFalse"),
        Row("arguments are checked against their range", ERRORS, "0: P.8", "ModelError(OutOfRange)"),
        Row(
            "returned values are checked against their range",
            ERRORS,
            "0: P.9; 0: P.2; 0: P.9; 0: P.2; 0: P.9",
            "ModelError(OutOfRange)",
        ),
        Row("a truth value is 0 or 1", ERRORS, "0: P.10; 0: P.11", "ok"),
        Row("references change what they are bound to", FUNCTIONS, "0: X.0; 0: X.1", "ok"),
        Row("arrays are passed by value", FUNCTIONS, "0: X.2; 0: X.3", "ok"),
        Row("a function changes its own copy of an argument", FUNCTIONS, "0: X.4; 0: X.5", "ok"),
        Row("structs are copied and compared as a whole", FUNCTIONS, "0: X.6; 0: X.7", "ok"),
        Row("an endless loop is an error", FUNCTIONS, "0: X.8", "ModelError(Endless)"),
        Row("parameters of a process", FUNCTIONS, "0: X.9; 0: X.10", "ok"),
        Row("quantifiers go through their range", FUNCTIONS, "0: X.11; 0: X.12", "ok"),
        Row("assignments are seen by the next", FUNCTIONS, "0: X.13; 0: X.14", "ok"),
        Row("floating point is left out", FLOATING, "0: P.0; 0: P.1", "ok"),
        Row("unless it decides something", FLOATING, "0: P.2", "ModelError(Unsupported)"),
        Row("scalars are values and indices", SCALARS, "0: P(2).0; 0: P(2).1; 0: P(0).0; 0: P(0).1", "ok"),
        Row("a scalar is one of its set", SCALARS, "0: P(2).0; 0: P(1).0; 0: P(2).1", "GuardFalse"),
    ]);
}
