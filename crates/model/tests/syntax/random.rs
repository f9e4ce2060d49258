//! Random trees survive printing and parsing; random text survives every entry point. Seeded, so failures repeat.

use crate::{expression_in, text};
use model::diagnostic::Diagnostics;
use model::source::{Sources, Span, Text};
use model::syntax;
use model::syntax::ast::*;

/// Xorshift, as small as a generator can be.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound
    }

    fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }
}

struct Trees {
    random: Random,
    span: Span,
}

const BINARY: &[BinaryOp] = &[
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Imply,
    BinaryOp::And,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::BitAnd,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Ge,
    BinaryOp::Gt,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::Power,
];

const ASSIGN: &[Option<BinaryOp>] = &[
    None,
    Some(BinaryOp::Add),
    Some(BinaryOp::Sub),
    Some(BinaryOp::Mul),
    Some(BinaryOp::Div),
    Some(BinaryOp::Mod),
    Some(BinaryOp::BitAnd),
    Some(BinaryOp::BitOr),
    Some(BinaryOp::BitXor),
    Some(BinaryOp::ShiftLeft),
    Some(BinaryOp::ShiftRight),
];

impl Trees {
    fn ident(&mut self) -> Ident {
        let name = self.random.pick(&["a", "b", "x", "A", "E", "sup", "P", "exit", "string", "foreach", "_id5", "e1"]);
        Ident { name: name.into(), span: self.span }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        let kind = if depth == 0 { self.leaf() } else { self.node(depth - 1) };
        Expr { kind, span: self.span }
    }

    fn boxed(&mut self, depth: usize) -> Box<Expr> {
        Box::new(self.expr(depth))
    }

    fn leaf(&mut self) -> ExprKind {
        match self.random.below(6) {
            0 => ExprKind::Int(self.random.pick(&[0, 1, 7, i32::MAX, i32::MIN])),
            1 => ExprKind::Double(self.random.pick(&[0.5, 1.0, 1e300, 1e-7, 123.456])),
            2 => ExprKind::Bool(self.random.below(2) == 0),
            _ => ExprKind::Name(self.ident()),
        }
    }

    fn list(&mut self, depth: usize) -> Vec<Expr> {
        (0..1 + self.random.below(3)).map(|_| self.expr(depth)).collect()
    }

    fn node(&mut self, depth: usize) -> ExprKind {
        match self.random.below(16) {
            0 => self.leaf(),
            1 => ExprKind::Call { callee: self.boxed(depth), arguments: self.list(depth) },
            2 => ExprKind::Index { base: self.boxed(depth), index: self.boxed(depth) },
            3 => ExprKind::Member { base: self.boxed(depth), member: self.ident() },
            4 => ExprKind::Rate(self.boxed(depth)),
            5 => {
                let op = self.random.pick(&[UnaryOp::Not, UnaryOp::Minus, UnaryOp::Plus]);
                ExprKind::Unary { op, operand: self.boxed(depth) }
            }
            6 => {
                let op = self.random.pick(&[StepOp::Increment, StepOp::Decrement]);
                ExprKind::Step { op, fix: self.random.pick(&[Fix::Prefix, Fix::Postfix]), operand: self.boxed(depth) }
            }
            7 => {
                let [condition, then, otherwise] = [(); 3].map(|()| self.boxed(depth));
                ExprKind::Conditional { condition, then, otherwise }
            }
            8 => {
                let op = self.random.pick(ASSIGN);
                ExprKind::Assign { op, target: self.boxed(depth), value: self.boxed(depth) }
            }
            9 => {
                let quantifier =
                    self.random.pick(&[Quantifier::Forall, Quantifier::Exists, Quantifier::Sum, Quantifier::Foreach]);
                ExprKind::Quantified { quantifier, variable: self.ident(), ty: self.ty(depth), body: self.boxed(depth) }
            }
            10 => ExprKind::Spawn { template: self.ident(), arguments: self.list(depth) },
            _ => {
                let op = self.random.pick(BINARY);
                ExprKind::Binary { op, left: self.boxed(depth), right: self.boxed(depth) }
            }
        }
    }

    fn ty(&mut self, depth: usize) -> Type {
        let base = match self.random.below(3) {
            0 => BaseType::Int(Some(Box::new((self.expr(depth), self.expr(depth))))),
            1 => BaseType::Scalar(self.boxed(depth)),
            _ => BaseType::Named(Ident { name: "T".into(), span: self.span }),
        };
        Type { prefix: Prefix::default(), base, span: self.span }
    }
}

#[test]
fn printed_expressions_parse_back_to_the_same_tree() {
    let span = Text::plain(Sources::new().add("test", String::new()), 0, "").span(0..0);
    let mut trees = Trees { random: Random(0x9e37_79b9_7f4a_7c15), span };
    for round in 0..20_000 {
        let expr = trees.expr(round % 6);
        let printed = expr.to_string();
        match expression_in(&printed, Syntax::New) {
            Ok(parsed) => assert_eq!(parsed, expr, "{printed}"),
            Err(errors) => panic!("{printed}: {errors:?}"),
        }
    }
}

/// Sends a text through everything that reads text.
fn read_all(source: &str, syntax: Syntax) {
    let text = &text(source);
    let readers: &[&dyn Fn(&mut Diagnostics)] = &[
        &|diagnostics| drop(syntax::text_model(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::declarations(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::template_declarations(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::parameters(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::expression(text, syntax, diagnostics).map(|expr| expr.to_string())),
        &|diagnostics| drop(syntax::rate(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::updates(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::sync(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::select(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::system(text, syntax, diagnostics)),
        &|diagnostics| drop(syntax::query(text, diagnostics).map(|query| query.to_string())),
        &|diagnostics| {
            let queries = syntax::query_file(text, diagnostics);
            queries.iter().for_each(|query| drop(syntax::query(&query.text, diagnostics)));
        },
    ];
    for read in readers {
        let mut diagnostics = Diagnostics::new();
        read(&mut diagnostics);
        for diagnostic in diagnostics.iter() {
            let span = diagnostic.span.expect("every mistake has a place");
            assert!(span.start <= span.end && span.end as usize <= source.len(), "{source:?}: {diagnostic:?}");
        }
    }
    syntax::has_old_only_constructs(text);
}

/// Both syntaxes in turn.
fn syntax_of(round: usize) -> Syntax {
    if round.is_multiple_of(2) { Syntax::New } else { Syntax::Old }
}

const WORDS: &str = "const int bool clock chan urgent broadcast meta typedef struct scalar void double string hybrid process state \
    branchpoint commit init trans select guard sync assign probability system progress gantt query IO import dynamic before_update \
    after_update priority default for while do if else return assert forall exists sum foreach spawn exit numOf true false not and \
    or xor imply deadlock sup inf bounds Pr E A simulate control strategy under buchi refinement consistency reachability get save \
    as component U max min a b x P T 0 1 7 2147483648 99999999999 1.5 1e3 \"s\" \" ( ) [ ] { } , ; : . ' # ? ! + - * / % ** & && | \
    || ^ < <= << <<= <? > >= >> >>= >? = == := += -= ++ -- -> -u-> --> != =< => A[] E<> A<> E[] [] <> @ \\ \\\\ // /* */ é ≤ \n";

#[test]
fn random_tokens_never_panic() {
    let words: Vec<&str> = WORDS.split(' ').filter(|word| !word.is_empty()).collect();
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..10_000 {
        let length = 1 + random.below(3 + round % 40);
        let source: Vec<&str> = (0..length).map(|_| random.pick(&words)).collect();
        read_all(&source.join(random.pick(&[" ", "", "\n"])), syntax_of(round));
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random(0xfeed_beef_cafe_f00d);
    for round in 0..10_000 {
        let length = random.below(4 + round % 60);
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8 & random.pick(&[0x7f, 0xff])).collect();
        read_all(&String::from_utf8_lossy(&bytes), syntax_of(round));
    }
}

#[test]
fn damaged_models_never_panic() {
    let model = "const int N = 4; typedef struct { int a; bool b[N]; } S; int f(int i) { int k = 0; for (j : int[0,3]) { k += j; } \
                 return k > 2 ? i : -k; } process P(const int i, clock &x) { state A { x <= 5 }, B; commit B; init A; trans A -> B \
                 { select k : int[0,3]; guard x > k; sync c[i]!; assign x = 0, f(k); }, -> A { }; } Q = P(1, y); system Q; \
                 progress { N; } query { sup{Q.A}: x }";
    let mut random = Random(0x0dd0_ba11_0dd0_ba11);
    for round in 0..1_000 {
        let mut bytes = model.replace(' ', random.pick(&[" ", "\n"])).into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len().max(1));
            match random.below(3) {
                _ if bytes.is_empty() => {}
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = random.pick(b"(){}[];:,.=<>!?-+*/ \n"),
                _ => bytes.truncate(at.max(1)),
            }
        }
        read_all(&String::from_utf8_lossy(&bytes), syntax_of(round));
    }
}
