//! Guards with choices: the edges that one becomes exclude each other and are possible exactly where it holds.

use model::load::load_bytes;
use model::network::{ClockConstraint, Expr, ExprId, Network, Place, Relation};

/// A model of timed I/O automata with one edge.
fn model(guard: &str) -> String {
    format!(
        "broadcast chan o; const int C = 2; process A(const int p) {{ clock x, y; int i = 1; bool b; int a[2];
         state S, T; init S; trans S -> T {{ guard {guard}; sync o!; }}; }} B = A(3); system B; IO B {{ o! }}"
    )
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

enum Condition {
    /// The first clock, the second if there is one, an operator, and the constant as a number or by its name.
    Clock(usize, Option<usize>, &'static str, i32, String),
    Int(bool, &'static str),
    Not(Box<Condition>),
    Two(&'static str, Box<Condition>, Box<Condition>),
}

const CLOCKS: [&str; 2] = ["x", "y"];
const OPERATORS: [&str; 6] = ["<", "<=", "==", "!=", ">=", ">"];

fn condition(random: &mut Random, depth: u32) -> Condition {
    if depth > 0 && random.below(4) > 0 {
        let mut inner = || Box::new(condition(random, depth - 1));
        let (left, right) = (inner(), inner());
        return match random.below(9) {
            0..4 => Condition::Two("||", left, right),
            4..7 => Condition::Two("&&", left, right),
            7 => Condition::Two("imply", left, right),
            _ => Condition::Not(left),
        };
    }
    if random.below(8) == 0 {
        return [Condition::Int(true, "i == 1"), Condition::Int(false, "b")]
            .into_iter()
            .nth(random.below(2) as usize)
            .expect("two");
    }
    let first = random.below(2) as usize;
    let second = (random.below(5) == 0).then_some(1 - first);
    let operator = OPERATORS[random.below(6) as usize];
    match random.below(6) {
        0 => Condition::Clock(first, second, operator, 2, "C".to_owned()),
        1 => Condition::Clock(first, second, operator, 3, "p".to_owned()),
        2 => Condition::Clock(first, second, operator, 1, "i".to_owned()),
        _ => {
            let constant = random.below(5) as i32;
            Condition::Clock(first, second, operator, constant, constant.to_string())
        }
    }
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Condition::Clock(first, None, operator, _, constant) => format!("{} {operator} {constant}", CLOCKS[*first]),
            Condition::Clock(first, Some(second), operator, _, constant) => {
                format!("{} - {} {operator} {constant}", CLOCKS[*first], CLOCKS[*second])
            }
            Condition::Int(_, text) => (*text).to_owned(),
            Condition::Not(inner) => format!("!({})", inner.text()),
            Condition::Two(operator, left, right) => format!("({}) {operator} ({})", left.text(), right.text()),
        }
    }

    /// Clocks in halves of a unit.
    fn holds(&self, clocks: [i32; 2]) -> bool {
        match self {
            Condition::Clock(first, second, operator, constant, _) => {
                let difference = clocks[*first] - second.map_or(0, |second| clocks[second]);
                let n = OPERATORS.iter().position(|one| one == operator).expect("an operator");
                let relation = [Relation::Lt, Relation::Le, Relation::Eq, Relation::Ne, Relation::Ge, Relation::Gt][n];
                compare(relation, difference, 2 * constant)
            }
            Condition::Int(holds, _) => *holds,
            Condition::Not(inner) => !inner.holds(clocks),
            Condition::Two("||", left, right) => left.holds(clocks) || right.holds(clocks),
            Condition::Two("&&", left, right) => left.holds(clocks) && right.holds(clocks),
            Condition::Two(_, left, right) => !left.holds(clocks) || right.holds(clocks),
        }
    }
}

fn compare(relation: Relation, left: i32, right: i32) -> bool {
    match relation {
        Relation::Lt => left < right,
        Relation::Le => left <= right,
        Relation::Eq => left == right,
        Relation::Ne => left != right,
        Relation::Ge => left >= right,
        Relation::Gt => left > right,
    }
}

/// The value of code in which `i` is 1, `p` is 3 and all else is 0; clocks in halves of a unit.
fn value(network: &Network, id: ExprId, clocks: [i32; 2]) -> i32 {
    let of = |id: ExprId| value(network, id, clocks);
    let clock = |place: &Option<Place>| place.as_ref().map_or(0, |place| clocks[place.offset.clocks as usize]);
    match network.code.expr(id) {
        Expr::Int(value) => *value,
        Expr::Read(place) => match place.base {
            model::network::Base::Constant => 2,
            model::network::Base::LocalConstant => 3,
            _ => i32::from(place.offset.ints == 0),
        },
        Expr::And(left, right) => i32::from(of(*left) != 0 && of(*right) != 0),
        Expr::Or(left, right) => i32::from(of(*left) != 0 || of(*right) != 0),
        Expr::Not(inner) => i32::from(of(*inner) == 0),
        Expr::Binary { left, right, .. } => i32::from(of(*left) == of(*right)),
        Expr::ClockConstraint(ClockConstraint { plus, minus, relation, bound }) => {
            i32::from(compare(*relation, clock(plus) - clock(minus), 2 * of(*bound)))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn cases_exclude_each_other_and_cover_the_guard() {
    let mut random = Random(7);
    let (mut most, mut refused) = (0, 0);
    for _ in 0..3_000 {
        let condition = condition(&mut random, 4);
        let text = condition.text();
        let loaded = load_bytes("guards.xta", model(&text).as_bytes(), &[]);
        let messages: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
        let Some(model) = loaded.model else {
            assert_eq!(messages, ["the choices of this guard have too many cases"], "{text}");
            refused += 1;
            continue;
        };
        let network = model.network();
        let edges = &network.template_of(model::network::ProcessId::new(0)).edges;
        most = most.max(edges.len());
        for point in 0..144 {
            let clocks = [point % 12, point / 12];
            let possible = edges.iter().filter(|edge| edge.guard.is_none_or(|id| value(network, id, clocks) != 0));
            let expected = usize::from(condition.holds(clocks));
            assert_eq!(possible.count(), expected, "{text} where x, y = {clocks:?} / 2");
        }
    }
    assert!(most > 10 && refused < 10, "{most} {refused}");
}

/// How many edges one becomes; `None` if it is refused.
fn edges(guard: &str) -> Option<usize> {
    let loaded = load_bytes("guards.xta", model(guard).as_bytes(), &[]);
    Some(loaded.model?.network().templates.last()?.edges.len())
}

#[test]
fn few_edges_are_made() {
    let points = |count: usize| (0..count).map(|n| format!("x == {n}")).collect::<Vec<_>>().join(" || ");
    let holes = |count: usize| (0..count).map(|n| format!("x != {n}")).collect::<Vec<_>>().join(" && ");
    let unknown =
        |count: usize| (0..count).map(|n| format!("x <= a[{}] + {n}", n % 2)).collect::<Vec<_>>().join(" || ");
    let rows = [
        ("x <= 2".to_owned(), Some(1)),
        ("x <= 2 || x >= 8".to_owned(), Some(2)),
        ("x <= 2 || x <= 8".to_owned(), Some(2)),
        ("x != 5".to_owned(), Some(2)),
        ("x != 0".to_owned(), Some(1)),
        ("!(x < 5)".to_owned(), Some(1)),
        ("x <= 5 imply b".to_owned(), Some(2)),
        ("x < 0 || x < -3".to_owned(), Some(1)),
        ("(b || i > 1) && (x < 1 || y > 2)".to_owned(), Some(2)),
        ("x <= p || x > p".to_owned(), Some(2)),
        (points(64), Some(64)),
        (holes(64), Some(64)),
        (unknown(20), Some(20)),
        (points(400), None),
        ("exists (k : int[0,1]) x > a[k]".to_owned(), None),
        ("x <= 1.5 || x >= 8".to_owned(), None),
    ];
    for (guard, expected) in rows {
        assert_eq!(edges(&guard), expected, "{guard}");
    }
}
