//! A network in the form in which it is made, changed and shrunk: labels are text, everything around them is data.
//!
//! Every constant that time is compared with is written as a multiple of the constant `K`, so that scaling time is
//! changing one number.

use std::fmt;

#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The value of `K`.
    pub scale: i64,
    pub globals: Vec<String>,
    pub processes: Vec<Process>,
    /// Lines behind the list of processes: who takes part in which channel.
    pub io: Vec<String>,
    pub queries: Vec<String>,
    pub traits: Traits,
}

/// What the checks must know about a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    /// Nothing but weak comparisons of single clocks, none of them negated by the semantics: whole numbers of time units show
    /// everything discrete that can happen.
    pub closed: bool,
    /// Clocks are compared with each other.
    pub diagonal: bool,
    /// An engine may give up: it only approximates what this network does.
    pub approximated: bool,
    /// The order of processes matters, as that in which several receivers of one signal act.
    pub ordered: bool,
    /// Something may run out of its range.
    pub errors: bool,
    /// Clocks may become less without becoming constant.
    pub lowers: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Process {
    pub name: String,
    /// Parameters, and the arguments of the one instance; without arguments every value of the parameters is one.
    pub parameters: Vec<String>,
    pub arguments: Vec<String>,
    pub locals: Vec<String>,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    /// Whether its priority is higher than that of the process before it.
    pub above: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    #[default]
    Normal,
    Urgent,
    Committed,
    Branchpoint,
}

#[derive(Clone, Debug, Default)]
pub struct Location {
    pub name: String,
    pub kind: Kind,
    pub invariant: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub select: Vec<String>,
    pub guard: Vec<String>,
    pub sync: Option<String>,
    pub update: Vec<String>,
}

impl Process {
    /// The name of the process, or of its first instance.
    pub fn instance(&self) -> String {
        match (self.parameters.is_empty(), self.arguments.is_empty()) {
            (true, _) => self.name.clone(),
            (false, true) => format!("{}(0)", self.name),
            (false, false) => format!("I{}", self.name),
        }
    }

    fn of(&self, kind: Kind) -> Vec<&str> {
        self.locations.iter().filter(|location| location.kind == kind).map(|location| location.name.as_str()).collect()
    }
}

impl Draft {
    /// Deadlocks are not certified where an invariant is a disjunction of clock constraints, or time is approximated.
    pub fn may_lack_certificates(&self) -> bool {
        let mut invariants = self.processes.iter().flat_map(|process| &process.locations).flat_map(|l| &l.invariant);
        self.traits.approximated || invariants.any(|invariant| invariant.contains("||"))
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "const int K = {};", self.scale)?;
        for line in &self.globals {
            writeln!(f, "{line}")?;
        }
        self.processes.iter().try_for_each(|process| write!(f, "{process}"))?;
        for process in self.processes.iter().filter(|process| !process.arguments.is_empty()) {
            writeln!(f, "{} = {}({});", process.instance(), process.name, process.arguments.join(", "))?;
        }
        write!(f, "system")?;
        for (n, process) in self.processes.iter().enumerate() {
            let separator = match (n, process.above) {
                (0, _) => " ",
                (_, true) => " < ",
                _ => ", ",
            };
            let name = if process.arguments.is_empty() { process.name.clone() } else { process.instance() };
            write!(f, "{separator}{name}")?;
        }
        writeln!(f, ";")?;
        self.io.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "process {}({}) {{", self.name, self.parameters.join(", "))?;
        for line in &self.locals {
            writeln!(f, "  {line}")?;
        }
        let places = self.locations.iter().filter(|location| location.kind != Kind::Branchpoint);
        let places: Vec<String> = places
            .map(|location| match location.invariant.is_empty() {
                true => location.name.clone(),
                false => format!("{} {{ {} }}", location.name, location.invariant.join(" && ")),
            })
            .collect();
        writeln!(f, "  state {};", places.join(", "))?;
        for (word, kind) in [("branchpoint", Kind::Branchpoint), ("commit", Kind::Committed), ("urgent", Kind::Urgent)]
        {
            let names = self.of(kind);
            if !names.is_empty() {
                writeln!(f, "  {word} {};", names.join(", "))?;
            }
        }
        writeln!(f, "  init {};", self.locations.first().map_or("", |location| &location.name))?;
        if !self.edges.is_empty() {
            let edges: Vec<String> = self.edges.iter().map(|edge| format!("    {}", self.shown(edge))).collect();
            writeln!(f, "  trans\n{};", edges.join(",\n"))?;
        }
        writeln!(f, "}}")
    }
}

impl Process {
    fn shown(&self, edge: &Edge) -> String {
        let mut text = format!("{} -> {} {{", edge.from, edge.to);
        let mut clause = |word: &str, content: &str| {
            if !content.is_empty() {
                text += &format!(" {word} {content};");
            }
        };
        clause("select", &edge.select.join(", "));
        clause("guard", &edge.guard.join(" && "));
        clause("sync", edge.sync.as_deref().unwrap_or(""));
        clause("assign", &edge.update.join(", "));
        if self.of(Kind::Branchpoint).contains(&edge.from.as_str()) {
            clause("probability", "1");
        }
        text + " }"
    }
}
