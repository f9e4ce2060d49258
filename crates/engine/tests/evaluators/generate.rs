//! Random code that writes while it computes: one body, in as many surroundings as there are ways to reach a variable.
//!
//! The body works on the same names everywhere. They are local variables of a function whose value is a constant, variables
//! of a template, parameters of a template that stand for global variables, and parameters of a function. What the body
//! computes must not depend on that, nor on who computes it. The values of indices and assignments mostly fit.

use search::random::Random;

/// The variables of a body; `=` stands before initial values that only variables have.
const VARIABLES: [(&str, &str, &str); 12] = [
    ("int", "i", " = 2"),
    ("int", "j", ""),
    ("int[-8,8]", "n", " = 1"),
    ("bool", "b", ""),
    ("int", "a[4]", " = {3, 1, 0, 2}"),
    ("int", "m[2][3]", ""),
    ("int[0,3]", "q[3]", " = {1, 2, 0}"),
    ("S", "s", ""),
    ("S", "sa[2]", ""),
    ("W", "t", ""),
    ("double", "d", " = 0.5"),
    ("double", "z[3]", " = {0.25, 1.5, -2.0}"),
];

/// What a body leaves behind, as one number.
const DIGEST: &str = "i + 3 * j + 5 * n + 7 * b + 11 * a[0] + 13 * a[1] + 17 * a[2] + 19 * a[3] + 23 * m[0][0] + 29 * m[0][1] \
    + 31 * m[0][2] + 37 * m[1][0] + 41 * m[1][1] + 43 * m[1][2] + 47 * q[0] + 53 * q[1] + 59 * q[2] + 61 * s.u + 67 * s.v[0] \
    + 71 * s.v[1] + 73 * s.w + 79 * sa[0].u + 83 * sa[0].v[0] + 89 * sa[0].v[1] + 97 * sa[0].w + 101 * sa[1].u \
    + 103 * sa[1].v[0] + 107 * sa[1].v[1] + 109 * sa[1].w + 113 * t.u + 127 * t.v[0] + 131 * t.v[1] + 137 * t.w";

/// Doubles as well, for those who know them.
const REAL_DIGEST: &str =
    "d + 3.0 * s.z + 5.0 * sa[0].z + 7.0 * sa[1].z + 11.0 * t.z + 13.0 * z[0] + 17.0 * z[1] + 19.0 * z[2]";

const TYPES: &str = "typedef struct { int[-90,900] u; int v[2]; bool w; double z; } S;
typedef struct { int[-90,900] u; int v[2]; bool w; double z; } W;
int y0, y1, y2, y3, y4; double z0;
";

/// What a body may use.
struct Scope {
    ints: Vec<&'static str>,
    arrays: Vec<(&'static str, usize)>,
    structs: Vec<&'static str>,
    doubles: Vec<&'static str>,
    /// Variables of loops; nothing assigns to them.
    loops: Vec<String>,
}

pub struct Generator {
    random: Random,
    scope: Scope,
    names: usize,
    counters: usize,
    /// Functions that a body may call by now.
    functions: usize,
}

/// The parts of a model around the constants that may be computed from it.
pub struct Draft {
    declarations: String,
    processes: String,
}

/// The same body as a constant, with other updates, and with doubles.
pub const CONSTANTS: [(&str, &str); 3] =
    [("C", "const int C = constant();\n"), ("L", "const int L = listed();\n"), ("R", "const double R = real();\n")];

impl Draft {
    pub fn with(&self, constants: &[&str]) -> String {
        format!("{}{}{}", self.declarations, constants.concat(), self.processes)
    }
}

pub fn model(seed: u64) -> Draft {
    let scope =
        Scope { ints: Vec::new(), arrays: Vec::new(), structs: Vec::new(), doubles: Vec::new(), loops: Vec::new() };
    let mut generator = Generator { random: Random::new(seed), scope, names: 0, counters: 0, functions: 0 };
    let mut shared = TYPES.to_owned();
    shared += &generator.functions();
    let body = generator.main_body();
    let updates: Vec<String> = (0..3).map(|_| generator.effect(3)).collect();
    let variables = |prefix: &str| -> String {
        VARIABLES.iter().map(|(ty, name, value)| format!("{ty} {prefix}{name}{value}; ")).collect()
    };
    let parameters: Vec<String> = VARIABLES.iter().map(|(ty, name, _)| format!("{ty} &{name}")).collect();
    let globals: Vec<String> =
        VARIABLES.iter().map(|(_, name, _)| format!("g{}", name.split('[').next().unwrap_or(name))).collect();
    let (parameters, arguments, own) = (parameters.join(", "), globals.join(", "), variables(""));
    shared += &format!("{}\n", variables("g"));
    shared += &format!("int constant() {{\n{own}\n{body}return {DIGEST};\n}}\n");
    shared += &format!("double real() {{\n{own}\n{body}return {REAL_DIGEST};\n}}\n");
    let steps: String = updates.iter().map(|update| format!("{update};\n")).collect();
    shared += &format!("int listed() {{\n{own}\n{steps}return {DIGEST};\n}}\n");
    shared += &format!("int given({parameters}) {{\n{body}return {DIGEST};\n}}\n");
    let edge = |update: &str| format!("state A; init A; trans A -> A {{ assign {update}; }};\n}}\n");
    let processes = format!(
        "process Constant() {{\n{}process Given() {{\n{}\
         process Own() {{\n{own}\nint run() {{\n{body}return {DIGEST};\n}}\n{}\
         process Bound({parameters}) {{\nint run() {{\n{body}return {DIGEST};\n}}\n{}\
         process Label() {{\n{own}\n{}\
         process Real() {{\n{}\
         TheBound = Bound({arguments});\nsystem Constant, Given, Own, TheBound, Label, Real;\n",
        edge("y0 = constant()"),
        edge(&format!("y1 = given({arguments})")),
        edge("y2 = run()"),
        edge("y3 = run()"),
        edge(&format!("{}, y4 = {DIGEST}", updates.join(", "))),
        edge("z0 = real()"),
    );
    Draft { declarations: shared, processes }
}

impl Generator {
    /// Functions that every body may call: some written down, one drawn.
    fn functions(&mut self) -> String {
        let mut text = "int bump(int &x, int by) { x += by; return x++; }
int both(const int &x, int &y) { y--; return x * 3 + y; }
int[0,60] small(int k) { return k; }
bool odd(int &x) { return x++ % 2; }
int look(const S &e, S &f) { f.v[0]++; f.u += 2; return e.u * 5 + e.v[0] + e.w; }
int within(const int[-50,50] &x, const bool &c) { return x + c; }
S made(int k, S e) { e.u += k; e.v[1] = k % 7; e.w = k; return e; }
void swap(S &e, S &f) { S h = e; e = f; f = h; }
int last(int k[4], int at) { k[3] = k[at]++; return k[3] - k[at]; }
void shift(int &k[4]) { int h = k[0]; k[0] = k[1]; k[1] = k[2]; k[2] = k[3]; k[3] = h; }
W tight(S e) { return e; }
double half(int &x) { x--; return x / 2.0; }
double bend(double &x, const double &y) { double h = x; x = y * 0.5 + 1.0; return h - x * y; }
double among(double w[3], int at, double &x) { w[2] = w[0] + x; x = w[1]; return w[abs(at % 3)]; }
"
        .to_owned();
        self.functions = 12;
        self.scope = Scope {
            ints: vec!["p", "k", "r"],
            arrays: vec![("c", 4)],
            structs: vec!["e", "f"],
            doubles: vec!["h"],
            loops: Vec::new(),
        };
        let body = self.body(3);
        text += &format!(
            "int drawn(int &p, int k, int &c[4], S &e) {{\nint r; S f = e; double h;\n{body}return p + k * 3 + r + f.u + f.v[0];\n}}\n"
        );
        self.functions = 13;
        text
    }

    fn main_body(&mut self) -> String {
        self.scope = Scope {
            ints: vec!["i", "j", "n", "b"],
            arrays: vec![("a", 4), ("m[0]", 3), ("m[1]", 3), ("q", 3)],
            structs: vec!["s", "t", "sa[0]"],
            doubles: vec!["d"],
            loops: Vec::new(),
        };
        let statements = 3 + self.random.index(4);
        self.body(statements)
    }

    fn body(&mut self, statements: usize) -> String {
        self.counters = 0;
        let text: String = (0..statements).map(|_| self.statement(2)).collect();
        let counters: String = (0..self.counters).map(|n| format!("int loop{n}; ")).collect();
        format!("{counters}\n{text}")
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.index(n)
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.random.index(list.len())].clone()
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn counter(&mut self) -> String {
        self.counters += 1;
        format!("loop{}", self.counters - 1)
    }

    fn statement(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.below(if depth == 0 { 7 } else { 13 }) {
            0..=3 => format!("{};\n", self.assignment(3)),
            4 => format!("{};\n", self.aggregate_assignment(2)),
            5 => format!("{};\n", self.real_assignment()),
            6 => format!("{};\n", self.effect(3)),
            7 => {
                let condition = self.expr(2);
                let (yes, no) = (self.statement(d), self.statement(d));
                format!("if ({condition}) {{ {yes} }} else {{ {no} }}\n")
            }
            8 => {
                let name = self.name("each");
                self.scope.loops.push(name.clone());
                let body = self.statement(d);
                self.scope.loops.pop();
                format!("for ({name} : int[0,2]) {{ {body} }}\n")
            }
            9 => {
                let counter = self.counter();
                let (first, body) = (self.effect(1), self.statement(d));
                format!("for ({first}, {counter} = 0; {counter} < 3; {counter}++) {{ {body} }}\n")
            }
            10 => {
                let counter = self.counter();
                let (condition, body) = (self.expr(2), self.statement(d));
                format!("while ({counter}++ < 3 && {condition}) {{ {body} }}\n")
            }
            11 => {
                let counter = self.counter();
                let body = self.statement(d);
                format!("do {{ {body} }} while (++{counter} < 3);\n")
            }
            _ => {
                let name = self.name("new");
                let (value, other) = (self.expr(2), self.structure(1));
                let (first, inside, target) = (self.place(0), self.expr(1), self.place(1));
                format!(
                    "{{ int {name} = {first}; S copy{name}; {name} += {value}; copy{name} = {other}; \
                     {target} = ({name} + {inside} + copy{name}.v[1]) % 4; }}\n"
                )
            }
        }
    }

    /// An expression that changes something.
    fn effect(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.below(8) {
            0 => self.stepped(d),
            1 => self.twice(d),
            2 => format!("bump({}, {})", self.plain(d), self.expr(d)),
            3 => format!("{} ? {} : {}", self.expr(d), self.assignment(d), self.stepped(d)),
            4 if depth > 1 => self.aggregate_assignment(d),
            5 if depth > 1 => self.real_assignment(),
            _ => self.assignment(depth),
        }
    }

    fn stepped(&mut self, depth: usize) -> String {
        let place = self.number_place(depth);
        match self.below(4) {
            0 => format!("({place}++)"),
            1 => format!("({place}--)"),
            2 => format!("(++{place})"),
            _ => format!("(--{place})"),
        }
    }

    /// An assignment to what an assignment leads to.
    fn twice(&mut self, depth: usize) -> String {
        let (place, value, outer) = (self.number_place(depth), self.assigned(depth), self.assigned(depth));
        match self.below(3) {
            0 => format!("(({place} = {value}) += {outer})"),
            1 => format!("(++({place} += {value}))"),
            _ => format!("((++{place}) -= {outer})"),
        }
    }

    fn index(&mut self, len: usize, depth: usize) -> String {
        match self.below(9) {
            0 if depth > 0 => self.expr(depth - 1),
            1..=4 if depth > 0 => format!("abs({} % {len})", self.expr(depth - 1)),
            5 if len >= 3 && !self.scope.loops.is_empty() => self.looped(),
            6 if depth > 0 => format!("abs({}++ % {len})", self.plain(0)),
            _ => self.below(len).to_string(),
        }
    }

    fn looped(&mut self) -> String {
        let loops = self.scope.loops.clone();
        self.pick(&loops)
    }

    /// An integer or a truth value that can be assigned.
    fn place(&mut self, depth: usize) -> String {
        match self.below(7) {
            0..=1 => {
                let ints = self.scope.ints.clone();
                self.pick(&ints).to_owned()
            }
            2..=3 => {
                let arrays = self.scope.arrays.clone();
                let (name, len) = self.pick(&arrays);
                format!("{name}[{}]", self.index(len, depth))
            }
            4 => format!("{}.u", self.variable_struct(depth)),
            5 => format!("{}.v[{}]", self.variable_struct(depth), self.index(2, depth)),
            _ => format!("{}.w", self.variable_struct(depth)),
        }
    }

    /// An integer variable: `++` works on it.
    fn number_place(&mut self, depth: usize) -> String {
        loop {
            let place = self.place(depth);
            if place != "b" && !place.ends_with(".w") {
                return place;
            }
        }
    }

    /// A variable of the type `int`, for references.
    fn plain(&mut self, depth: usize) -> String {
        let main = self.scope.ints.contains(&"j");
        match self.below(4) {
            0 if main => "i".to_owned(),
            1 if main => format!("m[{}][{}]", self.index(2, depth), self.index(3, depth)),
            2 => format!("{}.v[{}]", self.plain_struct(depth), self.index(2, depth)),
            _ if main => format!("a[{}]", self.index(4, depth)),
            _ => format!("c[{}]", self.index(4, depth)),
        }
    }

    /// A variable of the type `S`.
    fn plain_struct(&mut self, depth: usize) -> String {
        match (self.scope.ints.contains(&"j"), self.below(3)) {
            (true, 0) => "s".to_owned(),
            (true, _) => format!("sa[{}]", self.index(2, depth)),
            (false, 0) => "e".to_owned(),
            (false, _) => "f".to_owned(),
        }
    }

    fn variable_struct(&mut self, depth: usize) -> String {
        if self.scope.structs.contains(&"t") && self.below(5) == 0 { "t".to_owned() } else { self.plain_struct(depth) }
    }

    /// A whole struct, perhaps computed.
    fn structure(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.variable_struct(0);
        }
        let d = depth - 1;
        match self.below(7) {
            0 => format!("made({}, {})", self.expr(d), self.structure(d)),
            1 => format!("({} ? {} : {})", self.expr(d), self.plain_struct(d), self.plain_struct(d)),
            2 => format!("({} = {})", self.variable_struct(depth), self.structure(d)),
            3 => format!("tight({})", self.structure(d)),
            _ => self.variable_struct(depth),
        }
    }

    fn assigned(&mut self, depth: usize) -> String {
        match self.below(5) {
            0 => self.expr(depth),
            _ => format!("abs({} % 4)", self.expr(depth)),
        }
    }

    fn assignment(&mut self, depth: usize) -> String {
        let (place, value) = (self.place(depth.min(2)), self.assigned(depth.saturating_sub(1)));
        let op = self.pick(&["=", "=", "=", "+=", "+=", "-=", "*=", "|=", "^=", "&=", "%=", "/=", "<<=", ">>="]);
        match op {
            "%=" | "/=" => format!("{place} {op} (abs({value}) + 1)"),
            "<<=" | ">>=" => format!("{place} {op} (({value}) & 3)"),
            _ => format!("{place} {op} {value}"),
        }
    }

    fn aggregate_assignment(&mut self, depth: usize) -> String {
        match self.below(6) {
            0 => format!("swap({}, {})", self.plain_struct(1), self.plain_struct(1)),
            1 if self.scope.ints.contains(&"j") => format!("m[{}] = m[{}]", self.index(2, depth), self.index(2, depth)),
            2 => format!("shift({})", if self.scope.ints.contains(&"j") { "a" } else { "c" }),
            _ => format!("{} = {}", self.variable_struct(depth), self.structure(depth)),
        }
    }

    /// Exact engines leave doubles out, but not what is written on the way to them.
    fn real_assignment(&mut self) -> String {
        let doubles = self.scope.doubles.clone();
        let target = match self.below(4) {
            0 => format!("{}.z", self.plain_struct(0)),
            1 if self.scope.ints.contains(&"j") => "sa[abs(j++ % 2)].z".to_owned(),
            2 => self.real_place(),
            _ => self.pick(&doubles).to_owned(),
        };
        format!("{target} = {}", self.real(2))
    }

    /// A double that can be referred to. Its index is in range: an exact engine would not notice.
    fn real_place(&mut self) -> String {
        match (self.scope.ints.contains(&"j"), self.below(3)) {
            (true, 0) => "z[abs(i++ % 3)]".to_owned(),
            (true, 1) => "z[abs((j += 2) % 3)]".to_owned(),
            (true, _) => "d".to_owned(),
            (false, _) => "h".to_owned(),
        }
    }

    fn real(&mut self, depth: usize) -> String {
        let doubles = self.scope.doubles.clone();
        if depth == 0 {
            return self.pick(&doubles).to_owned();
        }
        let d = depth - 1;
        match self.below(10) {
            7 => format!("bend({}, {})", self.real_place(), self.real(d)),
            8 if self.scope.ints.contains(&"j") => {
                format!("among(z, {}, {})", self.part(), self.real_place())
            }
            9 => self.real_place(),
            0 => format!("({} + {})", self.real(d), self.part()),
            1 => format!("({} * 0.5 - {})", self.real(d), self.real(d)),
            2 => format!("({} ? {} : {})", self.part(), self.real(d), self.real(d)),
            3 => format!("fabs({})", self.real(d)),
            4 => format!("half({})", self.plain(1)),
            5 => format!("{}.z", self.plain_struct(0)),
            _ => "1.25".to_owned(),
        }
    }

    /// An integer in a double: one that writes, or one that cannot fail, for nobody notices in an exact engine.
    fn part(&mut self) -> String {
        if self.below(2) == 0 {
            let ints = self.scope.ints.clone();
            return self.pick(&ints).to_owned();
        }
        match self.below(3) {
            0 => self.stepped(1),
            1 => format!("({})", self.assignment(1)),
            _ => format!("bump({}, {})", self.plain(1), self.expr(1)),
        }
    }

    fn leaf(&mut self) -> String {
        match self.below(6) {
            0..=1 => self.below(7).to_string(),
            2 => self.pick(&["-3", "true", "65536", "false", "2147483647"]).to_owned(),
            3 if !self.scope.loops.is_empty() => self.looped(),
            _ => self.place(1),
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(7) == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.below(22) {
            0..=2 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^", "<?", ">?"]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            3 => {
                let op = self.pick(&["/", "%"]);
                format!("({} {op} ({} | 1))", self.expr(d), self.expr(d))
            }
            4 => {
                let op = self.pick(&["<", "<=", "==", "!=", ">=", ">"]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            5..=7 => {
                let op = self.pick(&["&&", "||", "imply", "xor"]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            8..=9 => format!("({} ? {} : {})", self.expr(d), self.expr(d), self.expr(d)),
            10 => format!("!({})", self.expr(d)),
            11 => format!("abs({})", self.expr(d)),
            12..=14 => format!("({})", self.assignment(d)),
            15..=16 => self.stepped(d),
            17 => self.twice(d),
            18 => {
                let op = self.pick(&["==", "!="]);
                let (left, right) = (self.pick(&[["m[0]", "m[1]"], ["q", "q"]]), self.below(2));
                if self.scope.ints.contains(&"j") {
                    format!("({} {op} {})", left[right], left[1 - right])
                } else {
                    self.leaf()
                }
            }
            19 => {
                let name = self.name("v");
                let word = self.pick(&["forall", "exists", "sum"]);
                format!("({word} ({name} : int[0,2]) {name} * {} % 3)", self.below(4))
            }
            _ => self.call(d),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        match self.below(self.functions) {
            0 => format!("bump({}, {})", self.plain(depth), self.expr(depth)),
            1 if self.below(2) == 0 => format!("both({0}, {0})", self.plain(0)),
            1 => format!("both({}, {})", self.plain(depth), self.plain(depth)),
            2 => format!("small(abs({} % {}))", self.expr(depth), self.pick(&[7, 7, 7, 99])),
            3 => format!("odd({})", self.plain(depth)),
            4 => format!("look({}, {})", self.structure_of_s(depth), self.plain_struct(depth)),
            5 => format!("within({} % 40, {} && true)", self.expr(depth), self.expr(depth)),
            6 => format!("made({}, {}).v[{}]", self.expr(depth), self.structure(depth), self.index(2, depth)),
            7 => format!("last({}, {})", if self.scope.ints.contains(&"j") { "a" } else { "c" }, self.index(4, depth)),
            8 => format!("tight({}).u", self.structure(depth)),
            12 if self.scope.ints.contains(&"j") => {
                format!("drawn({}, {}, a, {})", self.plain(depth), self.expr(depth), self.plain_struct(depth))
            }
            _ => format!("bump({}, {})", self.plain(0), self.expr(depth)),
        }
    }

    /// A value of the type `S`, for a constant reference: a variable, or a value of its own.
    fn structure_of_s(&mut self, depth: usize) -> String {
        match self.below(3) {
            0 => self.plain_struct(depth),
            1 => format!("made({}, {})", self.expr(depth), self.plain_struct(depth)),
            _ => format!("({} = {})", self.plain_struct(depth), self.plain_struct(depth)),
        }
    }
}
