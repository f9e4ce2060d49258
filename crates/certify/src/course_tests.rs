//! The short way against the plain one, on random networks: after every delay and step a course is in the state that the
//! plain rules lead to, and where they refuse something it is refused for the same reason.

use crate::course::Course;
use crate::error::Refusal;
use crate::formula::Formula;
use crate::line::Interval;
use crate::rational::{Rational, integer};
use crate::run::Move;
use crate::semantics::Semantics;
use crate::state::{Discrete, State};
use crate::transition::receivers;
use model::load::load_bytes;
use model::network::{EdgeId, Network, ProcessId};
use model::syntax::ast::Direction;

/// Xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const GLOBALS: &str = "clock t, s, w[3]; int[0,3] i; int run; int a[4] = {1, 3, 5, 7}; bool done; meta int m = 2;
    urgent chan u; broadcast chan b; chan c, d[3]; urgent broadcast chan ub; urgent chan v[3]; broadcast chan e[3];
    int lim(int k) { int n = 0; for (j : int[0,3]) n += a[j]; return n > k ? 4 : 2; }
    int big[260]; int total() { int n = 2; for (j : int[0,259]) n += big[j]; return n; }
";
const INVARIANTS: [&str; 29] = [
    "",
    "",
    "",
    "",
    "x <= 3",
    "x <= total()",
    "x <= a[i]",
    "x <= lim(16)",
    "t <= 20 + i",
    "done || x <= 2",
    "y' == 0",
    "y' == run && x <= 5",
    "s' == 2",
    "s' == 3",
    "s' == 0 && y <= 6",
    "x - y < 4",
    "w[i] <= 9 && x <= 6",
    "forall (k : int[0,2]) w[k] <= 12 + k",
    "forall (k : int[0,2]) w[k]' == (i == k ? 0 : 1) && w[k] <= 8 + a[k]",
    "x <= 6 && forall (k : int[0,2]) (forall (l : int[0,1]) w[k] <= a[i + l] + 6) && y <= 7",
    "x <= 4 && y >= 0",
    "x < 5 && a[i + run] >= 0",
    "s <= 9",
    "s < 14 && x <= 5",
    "t' == 0",
    "t' == run",
    "t <= 8 && s <= 11",
    "x <= total()",
    "x < total() && s <= 11",
];
const GUARDS: [&str; 12] = [
    "",
    "",
    "",
    "x >= 1",
    "x > 2",
    "i < 2",
    "y >= 1 && x <= 3",
    "!done",
    "s > t",
    "a[i] > 2",
    "x == 2",
    "x > 0 && t >= 1",
];
const SYNCS: [&str; 20] = [
    "", "", "", "", "u!", "u?", "b!", "b?", "b?", "c!", "c?", "d[i]!", "d[id]?", "ub!", "ub?", "v[i]!", "v[id]?",
    "e[id]!", "e[i]?", "e[0]?",
];
const UPDATES: [&str; 19] = [
    "",
    "x = 0",
    "y = 0",
    "x = 0, i = (i + 1) % 4",
    "run = 1 - run, big[258] = 3 - big[258]",
    "run = (run + 1) % 3",
    "a[i] = (a[i] + 2) % 8",
    "y = x",
    "y = x + 1",
    "y = x - 1",
    "done = !done, big[258] = 3 - big[258]",
    "w[i % 3] = 0",
    "s = 0, big[258] = 3 - big[258]",
    "t = 0, s = 3",
    "i = 0, run = 0, big[258] = 3 - big[258]",
    "m = i, i = m",
    "s = 10",
    "t = 7, w[1] = 11",
    "big[258] = 3 - big[258]",
];

fn network_text(random: &mut Random) -> String {
    let mut text = GLOBALS.to_owned();
    let templates = 1 + random.below(3);
    for template in 0..templates {
        let locations = 1 + random.below(3);
        let state = |random: &mut Random, location: usize| match random.one(&INVARIANTS) {
            "" => format!("l{location}"),
            invariant => format!("l{location} {{{invariant}}}"),
        };
        let states: Vec<String> = (0..locations).map(|location| state(random, location)).collect();
        let kind = match random.below(8) {
            0 => "urgent l0;",
            1 => "commit l0;",
            _ => "",
        };
        let mut edges = Vec::new();
        for _ in 0..1 + random.below(5) {
            let mut labels = String::new();
            let sync = random.one(&SYNCS);
            for (key, value) in [("guard", random.one(&GUARDS)), ("sync", sync), ("assign", random.one(&UPDATES))] {
                if !value.is_empty() {
                    labels.push_str(&format!("{key} {value};"));
                }
            }
            edges.push(format!("l{} -> l{} {{{labels}}}", random.below(locations), random.below(locations)));
        }
        text.push_str(&format!(
            "process T{template}(const int[0,{}] id) {{ clock x, y; state {}; {kind} init l{}; trans {}; }}\n",
            random.below(3),
            states.join(", "),
            random.below(locations),
            edges.join(", ")
        ));
    }
    let names: Vec<String> = (0..templates).map(|template| format!("T{template}")).collect();
    let order = if random.below(3) == 0 { " < " } else { ", " };
    text.push_str(&format!("system {};", names.join(order)));
    text
}

/// When an urgent synchronisation is possible, from all edges of all processes.
fn urgent(semantics: &Semantics, discrete: &Discrete) -> Formula {
    let all = semantics.all_offers(discrete);
    let mut possible = Vec::new();
    for offer in all.iter().flatten() {
        let Some((channel, Direction::Send)) = offer.channel else { continue };
        let kind = semantics.network.channels[channel.index()].kind;
        if kind.urgent && kind.broadcast {
            possible.push(offer.guard.clone());
        } else if kind.urgent {
            let together = receivers(&all, channel, offer.process);
            possible.extend(together.map(|other| Formula::all([offer.guard.clone(), other.guard.clone()])));
        }
    }
    Formula::any(possible)
}

/// A delay and an action that the plain rules allow.
fn choice(semantics: &Semantics, random: &mut Random, state: &State) -> Option<(Rational, Vec<Move>)> {
    let allowed = semantics.delays(state).ok()?;
    let transitions = semantics.transitions(&state.discrete);
    let mut choices: Vec<(Interval, &Vec<Move>)> = Vec::new();
    for transition in &transitions {
        let moments = semantics.moments_of(state, transition, &allowed).ok()?;
        choices.extend(moments.into_iter().map(|moments| (moments, &transition.moves)));
    }
    let (moments, moves) = choices.get(random.below(choices.len()))?;
    let length = moments.to.map_or(integer(7), |to| to - moments.from);
    let parts = 1 + random.below(4);
    let at = moments.from + length * Rational::new(random.below(parts + 1) as i128, parts as i128);
    let at = if moments.contains(&at) { at } else { moments.from + length / integer(2) };
    Some((at, moves.to_vec()))
}

/// Something that is most likely not allowed: any edges, a delay that is a little too long, or a transition at a moment when
/// its target may be closed.
fn nonsense(semantics: &Semantics, random: &mut Random, state: &State) -> (Rational, Vec<Move>) {
    let network = semantics.network;
    let moves = (0..1 + random.below(2)).map(|_| {
        let process = ProcessId::new(random.below(network.processes.len()));
        let edge = EdgeId::new(random.below(network.template_of(process).edges.len()));
        Move { process, edge, select: Vec::new(), branch: 0 }
    });
    let moves: Vec<Move> = moves.collect();
    let some = Rational::new(random.below(12) as i128, 1 + random.below(3) as i128);
    match random.below(3) {
        0 => (some, moves),
        1 => {
            let longest = semantics.delays(state).ok().and_then(|allowed| allowed.to);
            (longest.map_or(some, |longest| longest + Rational::new(random.below(2) as i128, 3)), moves)
        }
        _ => {
            let transitions = semantics.transitions(&state.discrete);
            let chosen = transitions.get(random.below(transitions.len()));
            (integer(0), chosen.map_or(moves, |transition| transition.moves.clone()))
        }
    }
}

fn compare<T>(plain: Result<State, Refusal>, quick: Result<T, Refusal>, course: &Course, seen: &str) -> Option<State> {
    match (plain, quick) {
        (Ok(state), Ok(_)) => {
            assert_eq!(course.state().unwrap(), state, "{seen}");
            Some(state)
        }
        (Err(plain), Err(quick)) => {
            assert_eq!(plain, quick, "{seen}");
            None
        }
        (plain, quick) => panic!("plain {plain:?}, quick {:?}\n{seen}", quick.err()),
    }
}

/// Walks through one network; how many steps were taken, and whether it ended with a refusal.
fn walk(network: &Network, random: &mut Random, text: &str) -> (usize, bool) {
    let semantics = Semantics::new(network);
    let (mut course, mut state) = match (Course::new(&semantics), semantics.initial()) {
        (Ok(course), Ok(state)) => (course, state),
        (course, state) => {
            assert_eq!(course.err(), state.err(), "{text}");
            return (0, true);
        }
    };
    let length = random.below(16);
    let mut path = String::new();
    for n in 0..=length {
        assert_eq!(semantics.urgent(&state.discrete), urgent(&semantics, &state.discrete), "{text}");
        let valid = if n == length { None } else { choice(&semantics, random, &state) };
        let (delay, moves) = valid.unwrap_or_else(|| nonsense(&semantics, random, &state));
        path.push_str(&format!("{delay}: {moves:?}\n"));
        let seen = || format!("{text}\n{path}");
        let Some(delayed) = compare(semantics.delay(&state, &delay), course.delay(&delay), &course, &seen()) else {
            return (n, true);
        };
        let changed = |next: &State| -> Vec<(usize, i32)> {
            let pairs = delayed.discrete.ints.iter().zip(&next.discrete.ints).enumerate();
            pairs.filter(|(_, (old, new))| old != new).map(|(cell, (_, new))| (cell, *new)).collect()
        };
        let Some(next) = compare(semantics.step(&delayed, &moves), course.step(&moves), &course, &seen()) else {
            return (n, true);
        };
        assert_eq!(course.changed(), changed(&next), "{}", seen());
        state = next;
    }
    (length + 1, false)
}

#[test]
fn the_short_way_is_the_plain_way() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut networks, mut steps, mut refused) = (0, 0, 0);
    for _ in 0..400 {
        let text = network_text(&mut random);
        let Some(model) = load_bytes("random.xta", text.as_bytes(), &[]).model else { continue };
        networks += 1;
        for _ in 0..6 {
            let (taken, ended) = walk(model.network(), &mut random, &text);
            steps += taken;
            refused += usize::from(ended);
        }
    }
    assert!(networks > 350 && steps > 4_000 && refused > 800, "{networks} {steps} {refused}");
}
