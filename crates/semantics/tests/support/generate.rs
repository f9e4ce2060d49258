//! Random models: every kind of variable, function, statement and condition, well typed by construction. Most indices and
//! assigned values are made to fit, some are not.

use super::random::Random;

pub struct Generator {
    random: Random,
    /// Whether expressions may write.
    effects: bool,
    /// Binders of quantifiers, selects and loops; their values lie between 0 and 2.
    binders: Vec<String>,
    /// Local variables of the function at hand: integers that can be assigned, arrays of three.
    locals: Vec<String>,
    arrays: Vec<String>,
    structs: Vec<String>,
    in_template: bool,
    /// Functions that exist by now.
    functions: usize,
    names: usize,
}

const GLOBALS: &str = "const int N = 3; const int K[4] = {2, -1, 7, 0};
typedef int[2,4] odd_t; typedef struct { int[0,9] u; int v[3]; bool w; } S;
int[-5,12] g; int h; int other; bool b; int[0,3] a[4]; int m[2][3]; int o[odd_t]; S s; S t; S sa[2];
meta int tmp; clock x, y; clock z[3]; chan c[4];
";

/// A model with two processes of a template with all kinds of parameters and a set of three processes.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    random.next();
    let mut generator = Generator {
        random,
        effects: false,
        binders: Vec::new(),
        locals: Vec::new(),
        arrays: Vec::new(),
        structs: Vec::new(),
        in_template: false,
        functions: 0,
        names: 0,
    };
    generator.whole()
}

/// A query predicate for [`model`].
pub fn predicate(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        effects: false,
        binders: Vec::new(),
        locals: Vec::new(),
        arrays: Vec::new(),
        structs: Vec::new(),
        in_template: false,
        functions: 4,
        names: 0,
    };
    generator.predicate(4)
}

impl Generator {
    fn whole(&mut self) -> String {
        let mut text = GLOBALS.to_owned();
        text += &self.function("int f0(int p, int[-9,30] q, bool r)", &["p", "q"], &[], &[], false, true);
        self.functions = 1;
        text += &self.function("bool f1(S e, int k[3], const int &p)", &["e.u"], &["k"], &["e"], false, true);
        self.functions = 2;
        text += &self.function("S f2(int k)", &["k"], &[], &[], false, false);
        self.functions = 3;
        text += &self.function("int[-20,90] f3(const S &e, int k)", &["k"], &[], &[], false, true);
        self.functions = 4;
        text += &self.function("int w0(int &p, S &e, int k)", &["p", "k", "e.u"], &[], &["e"], true, true);
        self.functions = 5;
        text += &self.function("void w1(int &p, clock &k, int n)", &["p"], &[], &[], true, true);
        self.functions = 6;
        self.in_template = true;
        text += "process P(const int[0,3] id, int &ref, clock &cx, S &sr) {\nint[0,9] l; int la[3]; const int C = id * 2 + 1; clock lx;\n";
        text += &self.function("int lf(int k)", &["k"], &[], &[], true, true);
        self.functions = 7;
        text += "state A, B, D; init A; trans\n";
        let edges = 4;
        for edge in 0..edges {
            self.binders = vec!["sel".to_owned()];
            let guard = self.condition(3);
            let index = self.index(4);
            self.effects = true;
            let update: Vec<String> = (0..3).map(|_| self.update()).collect();
            self.effects = false;
            self.binders.clear();
            let target = ["A", "B", "D"][edge % 3];
            text += &format!(
                "A -> {target} {{ select sel : int[0,2]; guard {guard}; sync c[{index}]!; assign {}; }}{}\n",
                update.join(", "),
                if edge + 1 == edges { ";" } else { "," }
            );
        }
        text += "}\nprocess Q(const int[0,2] qid) { int[0,4] l; clock qx; state A, B; init A; trans A -> B { }; }\n";
        text += "P0 = P(1, h, x, s); P1 = P(3, other, z[1], t); system P0, P1, Q;\n";
        text
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn index(&mut self, len: usize) -> String {
        match self.random.below(12) {
            0 => self.expr(2),
            1..=4 => format!("abs({}) % {len}", self.expr(1)),
            5..=8 if len >= 3 && !self.binders.is_empty() => self.binder(),
            _ => self.random.below(len).to_string(),
        }
    }

    /// Which process of the set; a constant must be one of them.
    fn member(&mut self) -> String {
        match self.random.below(6) {
            0 => "g".to_owned(),
            1..=2 if !self.binders.is_empty() => self.binder(),
            3 => self.random.below(3).to_string(),
            _ => "abs(h) % 3".to_owned(),
        }
    }

    fn binder(&mut self) -> String {
        let n = self.random.below(self.binders.len());
        self.binders[n].clone()
    }

    fn structure(&mut self) -> String {
        match self.random.below(8) {
            0..=1 => "s".to_owned(),
            2 => "t".to_owned(),
            3 => format!("sa[{}]", self.index(2)),
            4 if self.in_template => "sr".to_owned(),
            _ if !self.structs.is_empty() => {
                let n = self.random.below(self.structs.len());
                self.structs[n].clone()
            }
            _ => "s".to_owned(),
        }
    }

    /// An integer variable that can be assigned.
    fn place(&mut self) -> String {
        match self.random.below(14) {
            0 => "g".to_owned(),
            1 => "h".to_owned(),
            2 => "b".to_owned(),
            3 => format!("a[{}]", self.index(4)),
            4 => format!("m[{}][{}]", self.index(2), self.index(3)),
            5 => format!("o[2 + {}]", self.index(3)),
            6 => format!("{}.u", self.structure()),
            7 => format!("{}.v[{}]", self.structure(), self.index(3)),
            8 => format!("{}.w", self.structure()),
            9 if self.in_template => "l".to_owned(),
            10 if self.in_template => "ref".to_owned(),
            11 if self.in_template => format!("la[{}]", self.index(3)),
            9..=11 if !self.arrays.is_empty() => {
                let n = self.random.below(self.arrays.len());
                format!("{}[{}]", self.arrays[n].clone(), self.index(3))
            }
            _ if !self.locals.is_empty() => {
                let n = self.random.below(self.locals.len());
                self.locals[n].clone()
            }
            _ => "g".to_owned(),
        }
    }

    /// An integer variable that `++` works on.
    fn counter(&mut self) -> String {
        loop {
            let place = self.place();
            if place != "b" && !place.ends_with(".w") {
                return place;
            }
        }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(10) {
            0..=2 => self.random.between(-3, 9).to_string(),
            3 => ["2147483647", "65536", "N", "true", "32767"][self.random.below(5)].to_owned(),
            4 => format!("K[{}]", self.index(4)),
            5 if self.in_template => ["id", "C"][self.random.below(2)].to_owned(),
            6..=7 if !self.binders.is_empty() => self.binder(),
            _ => self.place(),
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(6) {
            return self.leaf();
        }
        let d = depth - 1;
        match self.random.below(24) {
            0..=3 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^", "<?", ">?"]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            4 => format!("({} / ({} | 1))", self.expr(d), self.expr(d)),
            5 => format!("({} % ({} | 1))", self.expr(d), self.expr(d)),
            6 => {
                let op = self.random.pick(&["<<", ">>"]);
                format!("({} {op} ({} & 7))", self.expr(d), self.expr(d))
            }
            7 if self.random.one_in(6) => {
                let op = self.random.pick(&["/", "%", "<<", ">>"]);
                format!("({} {op} {})", self.expr(d), self.leaf())
            }
            7..=9 => self.comparison(d),
            10..=11 => {
                let op = self.random.pick(&["&&", "||", "imply", "xor"]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            12 => format!("!{}", self.leaf_in_brackets(d)),
            13 => format!("-{}", self.leaf_in_brackets(d)),
            14 => format!("({} ? {} : {})", self.expr(d), self.expr(d), self.expr(d)),
            15 => {
                let word = self.random.pick(&["forall", "exists", "sum"]);
                self.bound(|generator, name| format!("({word} ({name} : int[0,2]) {})", generator.expr(d)))
            }
            16 => format!("abs({})", self.expr(d)),
            17 => {
                let (left, right) = (self.structure(), self.structure());
                let op = self.random.pick(&["==", "!="]);
                format!("({left} {op} {right})")
            }
            18..=19 if self.functions > 0 => self.call(d),
            20 if self.effects => self.assignment(d),
            21 if self.effects => {
                let place = self.counter();
                let form = self.random.below(4);
                match form {
                    0 => format!("({place}++)"),
                    1 => format!("({place}--)"),
                    2 => format!("(++{place})"),
                    _ => format!("(--{place})"),
                }
            }
            22 if self.effects && self.functions > 4 => self.writing_call(d),
            _ => self.leaf(),
        }
    }

    fn leaf_in_brackets(&mut self, depth: usize) -> String {
        format!("({})", self.expr(depth))
    }

    fn comparison(&mut self, depth: usize) -> String {
        let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        format!("({} {op} {})", self.expr(depth), self.expr(depth))
    }

    /// Something with a fresh binder, free of effects.
    fn bound(&mut self, make: impl FnOnce(&mut Self, &str) -> String) -> String {
        let name = self.name("q");
        let effects = std::mem::replace(&mut self.effects, false);
        self.binders.push(name.clone());
        let text = make(self, &name);
        self.binders.pop();
        self.effects = effects;
        text
    }

    fn call(&mut self, depth: usize) -> String {
        match self.random.below(self.functions.min(4)) {
            0 => format!("f0({}, {} % 9, {})", self.expr(depth), self.expr(depth), self.expr(depth)),
            1 => {
                let (structure, array) = (self.structure(), self.structure());
                format!("f1({structure}, {array}.v, {} + 0)", self.expr(depth))
            }
            2 => {
                let field = self.random.pick(&["u", "w", "v[2]"]);
                format!("f2({}).{field}", self.expr(depth))
            }
            _ if self.functions == 7 && self.effects && self.random.one_in(2) => format!("lf({})", self.expr(depth)),
            _ => {
                let structure =
                    if self.random.one_in(2) { self.structure() } else { format!("f2({})", self.expr(depth)) };
                format!("f3({structure}, {})", self.expr(depth))
            }
        }
    }

    fn writing_call(&mut self, depth: usize) -> String {
        let target = self.plain_int();
        format!("w0({target}, {}, {})", self.structure(), self.expr(depth))
    }

    /// A variable of type `int` without a range.
    fn plain_int(&mut self) -> String {
        match self.random.below(5) {
            0 => "h".to_owned(),
            1 => format!("m[{}][{}]", self.index(2), self.index(3)),
            2 => format!("{}.v[{}]", self.structure(), self.index(3)),
            3 if self.in_template => "ref".to_owned(),
            _ => format!("o[2 + {}]", self.index(3)),
        }
    }

    fn assignment(&mut self, depth: usize) -> String {
        let place = self.place();
        let value = match self.random.below(4) {
            0 => self.expr(depth),
            _ => format!("abs({} % 4)", self.expr(depth)),
        };
        let op = match self.random.below(8) {
            0 => "+=",
            1 => "-=",
            2 => "|=",
            3 => "*=",
            _ => "=",
        };
        format!("({place} {op} {value})")
    }

    fn clock(&mut self) -> String {
        match self.random.below(6) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            2 if self.in_template => "lx".to_owned(),
            3 if self.in_template => "cx".to_owned(),
            _ => format!("z[{}]", self.index(3)),
        }
    }

    fn update(&mut self) -> String {
        match self.random.below(9) {
            0 => format!("{} = abs({}) % 20", self.clock(), self.expr(2)),
            1 => format!("{} = {}", self.clock(), self.expr(1)),
            2 => format!("{} = {} + {}", self.clock(), self.clock(), self.expr(1)),
            3 => format!("{} = 0", self.clock()),
            4 => format!("{} = {}", self.structure(), self.structure()),
            5 => format!("{} = f2({})", self.structure(), self.expr(1)),
            6 if self.functions > 5 => format!("w1({}, {}, {})", self.plain_int(), self.clock(), self.expr(1)),
            _ => self.assignment(3),
        }
    }

    fn atom(&mut self, relations: &[&str], depth: usize) -> String {
        let relation = relations[self.random.below(relations.len())].to_owned();
        let bound = self.expr(depth.min(2));
        match self.random.below(5) {
            0 => format!("{} - {} {relation} {bound}", self.clock(), self.clock()),
            1 => format!("{bound} {relation} {}", self.clock()),
            2 => format!("{} + {} {relation} {}", self.clock(), self.leaf(), self.clock()),
            3 => format!("{} {relation} {}", self.clock(), self.random.between(0, 9)),
            _ => format!("{} {relation} {bound}", self.clock()),
        }
    }

    /// Something that may stand in a guard.
    fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom(&["<", "<=", ">", ">=", "=="], 1);
        }
        let d = depth - 1;
        match self.random.below(10) {
            0..=2 => format!("({}) && ({})", self.condition(d), self.condition(d)),
            3 => format!("({}) || ({})", self.expr(2), self.condition(d)),
            4 => format!("({}) || ({})", self.condition(d), self.expr(2)),
            5 => format!("({}) imply ({})", self.expr(2), self.condition(d)),
            6 => self.bound(|generator, name| format!("(forall ({name} : int[0,2]) ({}))", generator.condition(d))),
            7 => format!("(({}) ? ({}) : ({}))", self.expr(2), self.condition(d), self.condition(d)),
            8 => format!("({})", self.expr(3)),
            _ => self.atom(&["<", "<=", ">", ">=", "=="], 2),
        }
    }

    fn predicate(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(8) {
            return match self.random.below(10) {
                0 => "deadlock".to_owned(),
                1 => "P0.B".to_owned(),
                2 => format!("Q({}).A", self.member()),
                3 => format!("P1.lx < {}", self.random.between(0, 9)),
                4 => format!("Q({}).qx >= P0.l", self.member()),
                5 => format!("P1.cx != P0.id + {}", self.random.between(0, 9)),
                6 => format!("P0.location == Q({}).l", self.member()),
                7 => "P1.sr.u > P1.ref".to_owned(),
                _ => self.atom(&["<", "<=", ">", ">=", "==", "!="], 1),
            };
        }
        let d = depth - 1;
        match self.random.below(9) {
            0..=1 => format!("(({}) && ({}))", self.predicate(d), self.predicate(d)),
            2..=3 => format!("(({}) || ({}))", self.predicate(d), self.predicate(d)),
            4 => format!("(!({}))", self.predicate(d)),
            5 => format!("(({}) imply ({}))", self.predicate(d), self.predicate(d)),
            6 => {
                let word = self.random.pick(&["forall", "exists"]);
                self.bound(|generator, name| {
                    format!("({word} ({name} : int[0,2]) ({}))", generator.predicate(d.min(2)))
                })
            }
            7 if d < 3 => format!("(({}) xor ({}))", self.predicate(d), self.predicate(d)),
            _ => format!("({})", self.expr(2)),
        }
    }

    fn function(
        &mut self,
        head: &str,
        locals: &[&str],
        arrays: &[&str],
        structs: &[&str],
        effects: bool,
        number: bool,
    ) -> String {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        self.locals = owned(locals);
        self.arrays = owned(arrays);
        self.structs = owned(structs);
        // A function without effects outside may still change its own variables: keep to them.
        let mut text = format!("{head} {{\n");
        let name = self.name("i");
        text += &format!("int {name} = {};\n", self.expr(2));
        self.locals.push(name);
        let name = self.name("v");
        text += &format!("int {name}[3] = {{{}, {}, 3}};\n", self.expr(1), self.expr(1));
        self.arrays.push(name);
        let name = self.name("e");
        text += &format!("S {name} = {};\n", self.structure());
        self.structs.push(name.clone());
        let counter = self.name("n");
        text += &format!("int {counter};\n");
        self.effects = effects;
        for _ in 0..3 {
            text += &self.statement(2, effects, &counter);
        }
        if head.contains("clock &k") {
            text += &format!("k = {};\n", self.expr(1));
        }
        if number && !head.starts_with("void") {
            let value = self.expr(2);
            text += &if head.starts_with("bool") {
                format!("return {value};\n")
            } else {
                format!("return {value} % 50;\n")
            };
        } else if !number {
            text += &format!("{name}.u = abs({}) % 10;\nreturn {name};\n", self.expr(2));
        }
        self.effects = false;
        self.locals.clear();
        self.arrays.clear();
        self.structs.clear();
        text + "}\n"
    }

    /// A statement; without effects outside only local variables are assigned.
    fn statement(&mut self, depth: usize, effects: bool, counter: &str) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 3 } else { 9 }) {
            0..=2 => {
                let text = if effects { self.assignment(2) } else { self.local_assignment() };
                format!("{text};\n")
            }
            3 => {
                let condition = self.expr(2);
                let (yes, no) = (self.statement(d, effects, counter), self.statement(d, effects, counter));
                format!("if ({condition}) {{ {yes} }} else {{ {no} }}\n")
            }
            4 => {
                let name = self.name("j");
                self.binders.push(name.clone());
                let body = self.statement(d, effects, counter);
                self.binders.pop();
                format!("for ({name} : int[0,2]) {{ {body} }}\n")
            }
            5 if d > 0 => {
                let body = self.statement(0, effects, counter);
                format!("for ({counter} = 0; {counter} < 4; {counter}++) {{ {body} }}\n")
            }
            6 if d > 0 => {
                let (condition, body) = (self.expr(1), self.statement(0, effects, counter));
                format!("{counter} = 0; while ({counter} < 3 && {condition}) {{ {body} {counter}++; }}\n")
            }
            7 if d > 0 => {
                let body = self.statement(0, effects, counter);
                format!("{counter} = 0; do {{ {body} }} while (++{counter} < 2);\n")
            }
            _ => {
                let condition = self.expr(1);
                let body = if effects { self.assignment(1) } else { self.local_assignment() };
                format!("if ({condition}) {body};\n")
            }
        }
    }

    fn local_assignment(&mut self) -> String {
        let value = self.expr(2);
        match self.random.below(5) {
            0 => {
                let (n, at) = (self.random.below(self.arrays.len()), self.index(3));
                format!("{}[{at}] = {value} % 100", self.arrays[n].clone())
            }
            1 => {
                let n = self.structs.len() - 1;
                let from = self.structure();
                format!("{} = {from}", self.structs[n].clone())
            }
            2 => {
                let n = self.structs.len() - 1;
                let at = self.index(3);
                format!("{}.v[{at}] += {value} % 100", self.structs[n].clone())
            }
            3 => {
                let n = self.locals.len() - 1;
                format!("{}++", self.locals[n].clone())
            }
            _ => {
                let n = self.locals.len() - 1;
                format!("{} = {value} % 1000", self.locals[n].clone())
            }
        }
    }
}
