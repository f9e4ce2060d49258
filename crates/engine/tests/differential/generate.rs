//! Random small networks in which the features of the language meet.

use crate::draft::{Draft, Edge, Kind, Location, Process, Traits};
use crate::labels::{Scope, Style};
use crate::queries::queries;
use crate::random::Random;

/// The network of a seed.
pub fn generate(seed: u64) -> Draft {
    let mut random = Random::new(seed);
    let mut maker = Maker::new(&mut random);
    maker.declare();
    for n in 0..1 + maker.random.below(3) {
        maker.process(n);
    }
    maker.priorities();
    maker.participants();
    let Maker { mut draft, scope, style, .. } = maker;
    draft.traits = style.traits();
    draft.queries = queries(&mut random, &draft, &scope, &style);
    draft
}

struct Channel {
    text: String,
    broadcast: bool,
    urgent: bool,
}

struct Maker<'r> {
    random: &'r mut Random,
    draft: Draft,
    scope: Scope,
    style: Style,
    channels: Vec<Channel>,
}

impl<'r> Maker<'r> {
    fn new(random: &'r mut Random) -> Maker<'r> {
        let style = Style::new(random);
        let draft = Draft { scale: 1, traits: Traits::default(), ..Draft::default() };
        Maker { random, draft, scope: Scope::default(), style, channels: Vec::new() }
    }

    fn global(&mut self, line: &str) {
        self.draft.globals.push(line.to_owned());
    }

    fn declare(&mut self) {
        for name in ["x", "y"].iter().take(1 + self.random.below(2)) {
            let start = if self.random.one_in(12) { " = 2*K" } else { "" };
            self.global(&format!("clock {name}{start};"));
            self.scope.clocks.push((*name).to_owned());
        }
        if self.random.one_in(6) {
            self.global("clock xs[2];");
            self.scope.clocks.push("xs[0]".to_owned());
            self.scope.clocks.push("xs[1]".to_owned());
        }
        match self.random.below(12) {
            0 => {
                self.global("struct { clock c; int[0,1] k; } sc;");
                self.scope.clocks.push("sc.c".to_owned());
                self.scope.ints.push(("sc.k".to_owned(), 1));
            }
            1 => {
                self.global("struct { int[0,1] k; clock c[2]; } sa[2];");
                self.scope.clocks.push("sa[1].c[0]".to_owned());
                self.scope.ints.push(("sa[0].k".to_owned(), 1));
            }
            _ => {}
        }
        for name in ["i", "j"].iter().take(self.random.below(3)) {
            let hi = 1 + self.random.below(3);
            self.global(&format!("int[0,{hi}] {name};"));
            self.scope.ints.push(((*name).to_owned(), hi));
        }
        if self.random.one_in(4) {
            self.global("int[0,3] a[2] = { 1, 2 };");
            let index = self.scope.ints.iter().find(|(_, hi)| *hi == 1).map_or("1", |(name, _)| name).to_owned();
            self.scope.ints.push((format!("a[{index}]"), 3));
            self.scope.array = true;
            if index != "1" && self.scope.clocks.iter().any(|clock| clock == "xs[0]") {
                self.scope.clocks.push(format!("xs[{index}]"));
            }
        }
        if self.random.one_in(6) {
            self.global("struct { int[0,2] p; bool q; } s;");
            self.scope.ints.push(("s.p".to_owned(), 2));
            self.scope.bools.push("s.q".to_owned());
        }
        if self.random.one_in(3) {
            self.global("bool b;");
            self.scope.bools.push("b".to_owned());
        }
        if self.random.one_in(8) {
            self.global("meta int[0,3] m = 1;");
            self.scope.meta = true;
        }
        if self.random.one_in(8) {
            self.global("typedef scalar[2] id_t;");
            self.global("id_t who;");
            self.scope.scalar = true;
        }
        self.functions();
        if self.random.one_in(10) {
            let update = self.scope.update(self.random, &self.style);
            let word = *self.random.pick(&["before_update", "after_update"]);
            self.global(&format!("{word} {{ {update} }}"));
        }
        self.declare_channels();
    }

    fn functions(&mut self) {
        let clock = self.scope.clocks[0].clone();
        let last = self.scope.clocks[self.scope.clocks.len() - 1].clone();
        if let Some((name, hi)) = self.scope.ints.first().cloned() {
            let cases = [
                format!("void f() {{ for (k : int[0,1]) {{ {name} = ({name} + k) % {}; }} {clock} = 0; }}", hi + 1),
                format!("void f() {{ if ({name} > 0) {{ {clock} = 0; }} else {{ {name} = 1; }} }}"),
                format!("void f() {{ int n = 0; while (n < 2) {{ n++; if (n == {name}) return; }} {last} = 0; }}"),
                format!("void f() {{ if ({name} == 1) {clock} = 1*K; {last} = 0; }}"),
            ];
            if self.random.one_in(3) {
                let text = self.random.pick(&cases).clone();
                self.global(&text);
                self.scope.calls.push("f()".to_owned());
            }
            if self.style.copies && self.random.one_in(2) {
                self.global(&format!("void g() {{ if ({name} == 0) {{ {clock} = {last}; }} }}"));
                self.scope.calls.push("g()".to_owned());
            }
            if self.random.one_in(5) {
                self.global(&format!("int[0,3] h(int[0,3] n) {{ return (n + 1) % {}; }}", hi + 1));
                self.scope.bounds.push(format!("h({name})*K"));
            }
        }
        if self.random.one_in(8) {
            self.global("void rs(clock &c) { c = 0; }");
            for clock in self.scope.clocks.clone() {
                self.scope.calls.push(format!("rs({clock})"));
            }
        }
    }

    fn declare_channels(&mut self) {
        let cases = [
            ("chan c0;", "c0", false, false),
            ("chan c0;", "c0", false, false),
            ("broadcast chan c1;", "c1", true, false),
            ("urgent chan c2;", "c2", false, true),
            ("urgent broadcast chan c3;", "c3", true, true),
            ("chan c4[2];", "c4[1]", false, false),
            ("broadcast chan c5[2];", "c5[0]", true, false),
        ];
        for _ in 0..self.random.below(3) {
            let (line, text, broadcast, urgent) = *self.random.pick(&cases);
            if self.draft.globals.iter().any(|known| known == line) || self.style.together && broadcast {
                continue;
            }
            self.global(line);
            let mut text = text.to_owned();
            if text == "c4[1]" {
                let index = self.scope.ints.iter().find(|(name, hi)| *hi == 1 && !name.contains('['));
                text = index.map_or(text, |(name, _)| format!("c4[{name}]"));
            }
            self.style.urgent |= urgent;
            self.style.broadcast |= broadcast;
            self.channels.push(Channel { text, broadcast, urgent });
        }
    }

    fn process(&mut self, n: usize) {
        let mut process = Process { name: format!("P{n}"), ..Process::default() };
        let mut scope = self.scope.clone();
        if self.random.one_in(3) {
            process.locals.push("clock z;".to_owned());
            scope.clocks.push("z".to_owned());
        }
        if self.random.one_in(5) {
            process.locals.push("int[0,2] v;".to_owned());
            scope.ints.push(("v".to_owned(), 2));
        }
        match self.random.below(12) {
            0 => {
                process.parameters.extend(["clock &r".to_owned(), "const int n".to_owned()]);
                process.arguments.extend([self.scope.clocks[0].clone(), "2".to_owned()]);
                scope.clocks.push("r".to_owned());
                scope.bounds.push("n*K".to_owned());
            }
            1 => {
                process.parameters.push("const int[0,1] id".to_owned());
                scope.bounds.push("(id + 1)*K".to_owned());
                scope.discrete.push("id == 0".to_owned());
            }
            _ => {}
        }
        let count = 2 + self.random.below(3);
        for l in 0..count {
            let kind = match self.random.below(10) {
                0 => Kind::Committed,
                1 => Kind::Urgent,
                _ => Kind::Normal,
            };
            let mut invariant = Vec::new();
            if self.random.one_in(3) {
                invariant.push(scope.invariant(self.random, &mut self.style));
            }
            if self.style.stopwatches && self.random.one_in(3) {
                invariant.push(scope.rate(self.random));
            }
            process.locations.push(Location { name: format!("L{l}"), kind, invariant });
        }
        let mut to = count;
        if self.random.one_in(12) {
            let kind = Kind::Branchpoint;
            process.locations.push(Location { name: "B".to_owned(), kind, invariant: Vec::new() });
            to += 1;
            for _ in 0..2 {
                let update = self.updates(&scope);
                let to = process.locations[self.random.below(count)].name.clone();
                process.edges.push(Edge { from: "B".to_owned(), to, update, ..Edge::default() });
            }
        }
        for _ in 0..count + self.random.below(4) {
            let from = process.locations[self.random.below(count)].name.clone();
            let to = process.locations[self.random.below(to)].name.clone();
            process.edges.push(self.edge(&scope, from, to));
        }
        self.draft.processes.push(process);
    }

    fn edge(&mut self, scope: &Scope, from: String, to: String) -> Edge {
        let mut edge = Edge { from, to, ..Edge::default() };
        let mut scope = scope.clone();
        if self.random.one_in(8) {
            edge.select.push("k : int[0,1]".to_owned());
            scope.bounds.push("k*K".to_owned());
            scope.discrete.push("k == 1".to_owned());
            scope.values.push("k".to_owned());
        }
        if self.scope.scalar && self.random.one_in(3) {
            edge.select.push("w : id_t".to_owned());
            match self.random.below(2) {
                0 => edge.guard.push("who == w".to_owned()),
                _ => edge.update.push("who = w".to_owned()),
            }
        }
        let mut receives = false;
        let mut urgent = false;
        if !self.channels.is_empty() && self.random.below(5) < 3 {
            let channel = self.random.pick(&self.channels);
            receives = self.random.one_in(2);
            urgent = channel.urgent;
            let mark = match (self.style.together, receives) {
                (true, _) => "",
                (_, true) => "?",
                (_, false) => "!",
            };
            edge.sync = Some(format!("{}{mark}", channel.text));
            receives &= channel.broadcast;
        }
        let timed = self.random.below(3) < 2;
        if timed && (!urgent || self.random.one_in(8)) {
            edge.guard.push(scope.clock_guard(self.random, &mut self.style));
            self.style.guarded_urgent |= urgent;
            self.style.guarded_receivers |= receives;
            if self.random.one_in(4) {
                edge.guard.push(scope.clock_guard(self.random, &mut self.style));
            }
        }
        if self.random.one_in(3)
            && let Some(guard) = scope.discrete_guard(self.random, &self.style)
        {
            edge.guard.push(guard);
        }
        edge.update.extend(self.updates(&scope));
        edge
    }

    fn updates(&mut self, scope: &Scope) -> Vec<String> {
        let count = *self.random.pick(&[0, 1, 1, 2, 3]);
        (0..count).map(|_| scope.update(self.random, &self.style)).collect()
    }

    /// Lists of who takes part in a channel, also of processes without an edge for it, which then block it.
    fn participants(&mut self) {
        if !self.style.together || self.random.one_in(2) {
            return;
        }
        for process in &self.draft.processes {
            let channels = self.channels.iter().filter(|_| self.random.below(4) < 3);
            let names: Vec<&str> = channels.map(|channel| channel.text.split('[').next().unwrap_or_default()).collect();
            if !names.is_empty() && process.parameters.is_empty() {
                self.draft.io.push(format!("IO {} {{ {} }}", process.name, names.join(", ")));
            }
        }
    }

    fn priorities(&mut self) {
        if self.random.one_in(8)
            && let Some(channel) = self.channels.first()
        {
            let name = channel.text.split('[').next().unwrap_or_default().to_owned();
            let line = match self.random.below(2) {
                0 => format!("chan priority {name} < default;"),
                _ => format!("chan priority default < {name};"),
            };
            self.global(&line);
            self.style.priorities = true;
        }
        if self.random.one_in(8) {
            for process in self.draft.processes.iter_mut().skip(1) {
                process.above = self.random.one_in(2);
                self.style.priorities |= process.above;
            }
        }
    }
}
