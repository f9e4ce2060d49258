//! When time may pass: each row states one rule about delays, clocks and their rates.

mod common;

use common::{Row, check};

const ROOM: &str = "clock x; process P() { state a {x <= 5}, b; init a; trans a -> b {guard x >= 2;}; } system P;";
const STRICT: &str = "clock x; process P() { state a {x < 5}, b; init a; trans a -> b {}; } system P;";
const LOWER: &str = "clock x, y; process P() { state a, b {y >= 3}, c; init a;
    trans a -> b {assign y = 3;}, b -> c {}; } process Q() { state q; init q; trans q -> q {assign y = 0;}; } system P, Q;";
const URGENT: &str = "process P() { state a, b; urgent a; init a; trans a -> b {}; } system P;";
const COMMITTED: &str = "process P() { state a, b; commit a; init a; trans a -> b {}; } system P;";
const PAIR: &str = "urgent chan c; int g; process P() { state a, b; init a; trans a -> b {sync c!;}; }
    process Q() { state a, b; init a; trans a -> b {guard g == 0; sync c?;}; }
    process R() { state a; init a; trans a -> a {assign g = 1 - g;}; } system P, Q, R;";
const ALONE: &str = "urgent chan c; process P() { state a, b; init a; trans a -> b {sync c!;}; } system P;";
const URGENT_BROADCAST: &str = "urgent broadcast chan c; clock x;
    process P() { state a, b {x >= 1}; init a; trans a -> b {sync c!;}; } system P;";
const CLOCKED: &str =
    "urgent chan c; clock x; process P() { state a, b; init a; trans a -> b {guard x >= 3; sync c!;}; }
    process Q() { state a; init a; trans a -> a {sync c?;}; } system P, Q;";
const CLOCKED_STRICT: &str =
    "urgent chan c; clock x; process P() { state a, b; init a; trans a -> b {guard x > 3; sync c!;}; }
    process Q() { state a; init a; trans a -> a {sync c?;}; } system P, Q;";
const CLOCKED_EXPIRED: &str =
    "urgent chan c; clock x, y; process P() { state a, b; init a; trans a -> b {guard x < 3 && y >= 1; sync c!;}; }
    process Q() { state a; init a; trans a -> a {sync c?;}; }
    process R() { state a; init a; trans a -> a {assign y = 0;}; } system P, Q, R;";
const STOPWATCH: &str =
    "clock x, t; process P() { state a {x' == 0}, b; init a; trans a -> b {guard t >= 4 && x == 1;}; }
    process Q() { state off, on; init off; trans off -> on {}; } system P, Q;";
const GATED: &str =
    "clock x; bool run; process P() { state a {x' == run && x <= 2}; init a; trans a -> a {assign run = !run;}; }
    system P;";
const FAST: &str =
    "clock x; process P() { state a {x' == 3 && x <= 6}, b; init a; trans a -> b {guard x == 6;}; } system P;";
const TWO_RATES: &str =
    "clock x; process P(const int r) { state a {x' == r}; init a; } Q = P(0); R = P(1); system Q, R;";
const OR: &str = "clock x; bool done; process P() { state a {done || x <= 1}; init a; trans a -> a {assign done = true;}; } system P;";
const DIAGONAL: &str =
    "clock x, y; process P() { state a, b {x - y < 2}; init a; trans a -> b {assign y = 0;}; } system P;";
const FORALL: &str = "clock x[3]; process P() { state a {forall (i : int[0,2]) x[i] <= 2 + i}; init a; trans a -> a {assign x[0] = 0;}; } system P;";
const COPY: &str = "clock x, y; process P() { state a, b, c; init a; trans a -> b {assign x = 0;}, b -> c {guard x == 4; assign y = 9;},
    a -> c {assign x = y + 3;}, c -> c {guard x - y == 3;}, c -> c {guard x == 4 && y == 1;}; } system P;";
const NEGATIVE: &str = "clock x, y; process P() { state a; init a; trans a -> a {assign x = y - 2;}, a -> a {guard x == 1; assign y = 7;}; } system P;";

#[test]
fn delays() {
    check(&[
        Row("time may pass up to the bound of an invariant", ROOM, "5: P.0", "ok"),
        Row("and not beyond it", ROOM, "11/2: P.0", "DelayInvariant"),
        Row("a run may end with a delay", ROOM, "5", "ok"),
        Row("a final delay obeys the invariant too", ROOM, "6", "DelayInvariant"),
        Row("delays are never negative", ROOM, "-1: P.0", "NegativeDelay"),
        Row("fractions are exact", ROOM, "1/3: P.0", "GuardFalse"),
        Row("a guard's bound is inside", ROOM, "2: P.0", "ok"),
        Row("a strict bound is not reached", STRICT, "5", "DelayInvariant"),
        Row("a strict bound is approached", STRICT, "49999999999/10000000000", "ok"),
        Row("a lower bound in an invariant holds on entry", LOWER, "0: P.0; 1", "ok"),
        Row("a lower bound in an invariant is never broken by a step", LOWER, "0: P.0; 1: Q.0", "TargetInvariant"),
        Row("no time in an urgent location", URGENT, "1: P.0", "UrgentLocation"),
        Row("a delay of 0 is no delay", URGENT, "0: P.0; 7", "ok"),
        Row("no time in a committed location", COMMITTED, "1/1000: P.0", "CommittedLocation"),
        Row("no time while an urgent synchronisation is possible", PAIR, "1: P.0 + Q.0", "UrgentChannel"),
        Row("time passes when the receiver's guard is false", PAIR, "0: R.0; 5: R.0; 0: P.0 + Q.0", "ok"),
        Row("an urgent sender without a receiver does not stop time", ALONE, "3", "ok"),
        Row(
            "an urgent broadcast needs no receiver to stop time, and its target's invariant does not matter",
            URGENT_BROADCAST,
            "1",
            "UrgentChannel",
        ),
        Row("a delay may end when a clock guard enables an urgent synchronisation", CLOCKED, "3: P.0 + Q.0", "ok"),
        Row("and not go on after that", CLOCKED, "4: P.0 + Q.0", "UrgentChannel"),
        Row("with a strict guard the delay ends at its bound", CLOCKED_STRICT, "3", "ok"),
        Row("and never inside the guard", CLOCKED_STRICT, "31/10: P.0 + Q.0", "UrgentChannel"),
        Row(
            "an urgent guard that opens and closes in the middle of a delay is not jumped over",
            CLOCKED_EXPIRED,
            "4",
            "UrgentChannel",
        ),
        Row("what closes before it opens does not stop time", CLOCKED_EXPIRED, "1: R.0; 1: R.0; 1: R.0; 9", "ok"),
        Row("a stopped clock stands still", STOPWATCH, "4: P.0", "GuardFalse"),
        Row("a clock whose rate is an expression runs when that is 1", GATED, "5: P.0; 2: P.0; 9", "ok"),
        Row("and counts against its invariant only then", GATED, "5: P.0; 3: P.0", "DelayInvariant"),
        Row("an integer rate counts so many times", FAST, "2: P.0", "ok"),
        Row("an integer rate reaches a bound sooner", FAST, "3", "DelayInvariant"),
        Row("a clock stands still when some process stops it", TWO_RATES, "3", "ok"),
        Row("a discrete condition switches a bound off", OR, "1: P.0; 100", "ok"),
        Row("and on", OR, "2", "DelayInvariant"),
        Row("a difference does not change by waiting", DIAGONAL, "1: P.0; 100", "ok"),
        Row("a difference is tested on entry", DIAGONAL, "2: P.0", "TargetInvariant"),
        Row("quantified bounds hold for every clock", FORALL, "2: P.0; 1", "ok"),
        Row("the tightest of them counts", FORALL, "2: P.0; 3/2", "DelayInvariant"),
        Row("a clock can be set to any number", COPY, "1: P.0; 4: P.1", "ok"),
        Row("a clock can be set to another plus a number", COPY, "1: P.2; 5: P.3; 0: P.3", "ok"),
        Row("and then has exactly that value", COPY, "1: P.2; 0: P.4", "ok"),
        Row("later it has another", COPY, "1: P.2; 1: P.4", "GuardFalse"),
        Row("a copied clock may not become negative", NEGATIVE, "1: P.0", "ModelError(NegativeClock)"),
        Row("it may become 0 or more", NEGATIVE, "3: P.0; 0: P.1", "ok"),
    ]);
}
