//! Predicates over the states of a system, as reachability queries write them: `A.L1 && (B[2].x < 3 || !A.L2)`.
//!
//! A component's locations, clocks and integers are named behind its own name; the mark of an instance is written as in the
//! system.

use crate::world::{NodeId, Slots, World};
use std::collections::BTreeMap;
use zones::{Bound, Constraint};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Predicate {
    Truth(bool),
    /// `A.L1`
    At {
        component: Component,
        location: String,
    },
    /// `A.x <= 3`
    Compare {
        component: Component,
        variable: String,
        relation: Relation,
        constant: i32,
    },
    Not(Box<Predicate>),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
}

/// `A`, `A[1]`, `Node(3)`, `Node(3)[1]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    name: String,
    instance: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Lt,
    Le,
    Eq,
    Ge,
    Gt,
    Ne,
}

/// Nesting of parentheses and `!`.
const DEPTH: usize = 100;
/// Cases of a predicate in one state.
const CASES: usize = 1 << 12;

/// Reads a predicate; the error says what is wrong.
pub fn parse(text: &str) -> Result<Predicate, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let predicate = parser.any(0)?;
    match parser.peek() {
        None => Ok(predicate),
        Some(token) => Err(format!("expected `&&`, `||` or the end of the state, found `{token}`")),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if ["&&", "||", "<=", ">=", "==", "!="].iter().any(|symbol| rest.starts_with(symbol)) {
            2
        } else if "<>=!().[],-".contains(first) {
            1
        } else {
            return Err(format!("`{first}` has no meaning in a state"));
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token.to_owned());
        rest = after.trim_start();
    }
    Ok(tokens)
}

struct Parser<'t> {
    tokens: &'t [String],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    fn expected(&self, what: &str) -> String {
        match self.peek() {
            Some(found) => format!("expected {what}, found `{found}`"),
            None => format!("expected {what} at the end of the state"),
        }
    }

    fn word(&mut self, what: &str) -> Result<String, String> {
        match self.peek() {
            Some(word) if word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                let word = word.to_owned();
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn any(&mut self, depth: usize) -> Result<Predicate, String> {
        let mut parts = vec![self.all(depth)?];
        while self.eat("||") {
            parts.push(self.all(depth)?);
        }
        Ok(Predicate::Any(parts))
    }

    fn all(&mut self, depth: usize) -> Result<Predicate, String> {
        let mut parts = vec![self.one(depth)?];
        while self.eat("&&") {
            parts.push(self.one(depth)?);
        }
        Ok(Predicate::All(parts))
    }

    fn one(&mut self, depth: usize) -> Result<Predicate, String> {
        if depth > DEPTH {
            return Err("the state is nested too deeply".to_owned());
        }
        if self.eat("!") {
            return Ok(Predicate::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.eat("(") {
            let inside = self.any(depth + 1)?;
            self.expect(")")?;
            return Ok(inside);
        }
        if self.eat("true") {
            return Ok(Predicate::Truth(true));
        }
        if self.eat("false") {
            return Ok(Predicate::Truth(false));
        }
        let mut name = self.word("a component")?;
        if self.eat("(") {
            let mut arguments = vec![self.argument()?];
            while self.eat(",") {
                arguments.push(self.argument()?);
            }
            self.expect(")")?;
            name = format!("{name}({})", arguments.join(","));
        }
        let mut instance = None;
        if self.eat("[") {
            instance = Some(self.word("the mark of an instance")?);
            self.expect("]")?;
        }
        let component = Component { name, instance };
        self.expect(".")?;
        let member = self.word("a location, a clock or a variable")?;
        let relation = match self.peek() {
            Some("<") => Relation::Lt,
            Some("<=") => Relation::Le,
            Some("==" | "=") => Relation::Eq,
            Some(">=") => Relation::Ge,
            Some(">") => Relation::Gt,
            Some("!=") => Relation::Ne,
            _ => return Ok(Predicate::At { component, location: member }),
        };
        self.at += 1;
        let number = self.argument()?;
        let constant = number.parse::<i32>().map_err(|_| format!("`{number}` is no integer"))?;
        Ok(Predicate::Compare { component, variable: member, relation, constant })
    }

    /// A number, perhaps negative.
    fn argument(&mut self) -> Result<String, String> {
        let sign = if self.eat("-") { "-" } else { "" };
        Ok(format!("{sign}{}", self.word("a number")?))
    }
}

impl Predicate {
    /// The constants, for the unit of time.
    pub fn constants(&self, out: &mut Vec<i32>) {
        match self {
            Predicate::Compare { constant, .. } => out.push(*constant),
            Predicate::Not(inner) => inner.constants(out),
            Predicate::All(parts) | Predicate::Any(parts) => parts.iter().for_each(|part| part.constants(out)),
            Predicate::Truth(_) | Predicate::At { .. } => {}
        }
    }
}

/// What a name behind a component stands for.
enum Member {
    Location(usize),
    Clock(u32),
    /// An index into the integers of a local state.
    Int(usize),
}

/// A predicate over the leaves of one system, names resolved.
pub struct Resolved<'w, 'n> {
    world: &'w World<'n>,
    leaves: Vec<u32>,
    predicate: Predicate,
}

impl<'w, 'n> Resolved<'w, 'n> {
    /// Looks up all names.
    pub fn new(world: &'w World<'n>, system: NodeId, predicate: Predicate) -> Result<Resolved<'w, 'n>, String> {
        let resolved = Resolved { world, leaves: world.leaves_of(system), predicate };
        resolved.check(&resolved.predicate)?;
        Ok(resolved)
    }

    fn check(&self, predicate: &Predicate) -> Result<(), String> {
        match predicate {
            Predicate::Truth(_) => Ok(()),
            Predicate::At { component, location } => match self.member(component, location)? {
                (_, Member::Location(_)) => Ok(()),
                _ => Err(format!("`{location}` is not a location of `{}`", component.name)),
            },
            Predicate::Compare { component, variable, .. } => match self.member(component, variable)? {
                (_, Member::Location(_)) => Err(format!("the location `{variable}` is compared with a number")),
                _ => Ok(()),
            },
            Predicate::Not(inner) => self.check(inner),
            Predicate::All(parts) | Predicate::Any(parts) => parts.iter().try_for_each(|part| self.check(part)),
        }
    }

    fn leaf(&self, component: &Component) -> Result<u32, String> {
        let fits = |leaf: &&u32| {
            self.world.component_of(**leaf).name == component.name
                && (component.instance.is_none() || self.world.leaves[**leaf as usize].instance == component.instance)
        };
        let found: Vec<u32> = self.leaves.iter().filter(fits).copied().collect();
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(format!("the system has no component `{}`", component.name)),
            _ => Err(format!("which `{}`? Tell the instances apart: `{}[1]`", component.name, component.name)),
        }
    }

    fn member(&self, component: &Component, name: &str) -> Result<(u32, Member), String> {
        let leaf = self.leaf(component)?;
        let process = self.world.component_of(leaf).process;
        let template = self.world.network.template_of(process);
        if let Some(location) = template.locations.iter().position(|location| &*location.name == name) {
            return Ok((leaf, Member::Location(location)));
        }
        let Some(variable) = template.variables.iter().find(|variable| &*variable.name == name) else {
            return Err(format!("`{}` has no location, clock or variable `{name}`", component.name));
        };
        let extent = variable.ty.extent();
        match (extent.clocks, extent.ints) {
            (1, 0) => Ok((leaf, Member::Clock(self.world.leaves[leaf as usize].clocks + 1 + variable.offset.clocks))),
            (0, 1) => Ok((leaf, Member::Int(variable.offset.ints as usize))),
            _ => Err(format!("`{name}` is neither a clock nor an integer")),
        }
    }

    /// The clocks that it compares, with the largest constants.
    pub fn watched(&self) -> Vec<(u32, i32)> {
        let mut watched = Vec::new();
        let mut waiting = vec![&self.predicate];
        while let Some(next) = waiting.pop() {
            match next {
                Predicate::Compare { component, variable, constant, .. } => {
                    if let Ok((_, Member::Clock(clock))) = self.member(component, variable) {
                        watched.push((clock, (constant / self.world.unit as i32).max(0)));
                    }
                }
                Predicate::Not(inner) => waiting.push(inner),
                Predicate::All(parts) | Predicate::Any(parts) => waiting.extend(parts),
                Predicate::Truth(_) | Predicate::At { .. } => {}
            }
        }
        // A state to start from must fit what local states know about differences of clocks.
        for (n, leaf) in self.world.leaves.iter().enumerate() {
            let mut largest: BTreeMap<u32, i32> = BTreeMap::new();
            for one in self.world.component_of(n as u32).states.iter().flat_map(|state| &state.differences) {
                for clock in [one.left, one.right] {
                    let entry = largest.entry(clock + leaf.clocks).or_default();
                    *entry = (*entry).max(one.bound.constant().abs());
                }
            }
            watched.extend(largest);
        }
        watched
    }

    /// The valuations for which it holds in a discrete state, as conjunctions; `None` if there are too many.
    pub fn cases(&self, slots: &Slots) -> Option<Vec<Vec<Constraint>>> {
        self.cases_of(&self.predicate, slots, true)
    }

    /// The discrete states that it speaks about, each with conjunctions over clocks: every combination of local states that
    /// the components have; `None` if there are too many.
    #[allow(clippy::type_complexity)]
    pub fn starts(&self) -> Option<Vec<(Vec<u32>, Vec<Vec<Constraint>>)>> {
        let mut partial = vec![self.world.initial()];
        for (n, leaf) in self.leaves.iter().enumerate() {
            let slot = self.world.leaves[*leaf as usize].slot as usize;
            let mut next = Vec::new();
            for slots in &partial {
                for local in 0..self.world.component_of(*leaf).states.len() as u32 {
                    let mut slots = slots.clone();
                    slots[slot] = local;
                    if self.truth(&self.predicate, &slots, &self.leaves[..=n]) != Some(false) {
                        next.push(slots);
                    }
                }
                if next.len() > CASES {
                    return None;
                }
            }
            partial = next;
        }
        let mut starts = Vec::new();
        for slots in partial {
            let differences: Vec<Constraint> =
                self.leaves.iter().flat_map(|leaf| self.world.differences(*leaf, &slots)).collect();
            let mut cases = self.cases(&slots)?;
            cases.iter_mut().for_each(|case| case.extend_from_slice(&differences));
            if !cases.is_empty() {
                starts.push((slots, cases));
            }
        }
        Some(starts)
    }

    /// Whether it holds, as far as the local states of some leaves tell.
    fn truth(&self, predicate: &Predicate, slots: &Slots, known: &[u32]) -> Option<bool> {
        match predicate {
            Predicate::Truth(value) => Some(*value),
            Predicate::At { component, location: name } | Predicate::Compare { component, variable: name, .. } => {
                match self.member(component, name) {
                    Ok((_, Member::Clock(_))) => None,
                    Ok((leaf, _)) if !known.contains(&leaf) => None,
                    _ => self.cases_of(predicate, slots, true).map(|cases| !cases.is_empty()),
                }
            }
            Predicate::Not(inner) => self.truth(inner, slots, known).map(|holds| !holds),
            Predicate::All(parts) | Predicate::Any(parts) => {
                let decides = matches!(predicate, Predicate::Any(_));
                let parts: Vec<Option<bool>> = parts.iter().map(|part| self.truth(part, slots, known)).collect();
                match parts.contains(&Some(decides)) {
                    true => Some(decides),
                    false => parts.iter().all(Option::is_some).then_some(!decides),
                }
            }
        }
    }

    fn cases_of(&self, predicate: &Predicate, slots: &Slots, positive: bool) -> Option<Vec<Vec<Constraint>>> {
        let truth = |holds: bool| if holds == positive { vec![Vec::new()] } else { Vec::new() };
        Some(match predicate {
            Predicate::Truth(value) => truth(*value),
            Predicate::At { component, location } => match self.member(component, location) {
                Ok((leaf, Member::Location(location))) => {
                    truth(self.world.local(leaf, slots).location.index() == location)
                }
                _ => Vec::new(),
            },
            Predicate::Compare { component, variable, relation, constant } => match self.member(component, variable) {
                Ok((leaf, Member::Int(at))) => {
                    let value = self.world.local(leaf, slots).ints.get(at).copied().unwrap_or(0);
                    truth(relation.holds(value, *constant))
                }
                Ok((_, Member::Clock(clock))) => {
                    relation.cases(clock as usize, constant / self.world.unit as i32, positive)
                }
                _ => Vec::new(),
            },
            Predicate::Not(inner) => self.cases_of(inner, slots, !positive)?,
            Predicate::All(parts) if positive => self.product(parts, slots, true)?,
            Predicate::Any(parts) if !positive => self.product(parts, slots, false)?,
            Predicate::All(parts) | Predicate::Any(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.cases_of(part, slots, positive)?);
                    if all.len() > CASES {
                        return None;
                    }
                }
                all
            }
        })
    }

    fn product(&self, parts: &[Predicate], slots: &Slots, positive: bool) -> Option<Vec<Vec<Constraint>>> {
        let mut product: Vec<Vec<Constraint>> = vec![Vec::new()];
        for part in parts {
            let cases = self.cases_of(part, slots, positive)?;
            if product.len() * cases.len() > CASES {
                return None;
            }
            product = product.iter().flat_map(|one| cases.iter().map(|other| [&one[..], other].concat())).collect();
        }
        Some(product)
    }
}

impl Relation {
    fn holds(self, value: i32, constant: i32) -> bool {
        match self {
            Relation::Lt => value < constant,
            Relation::Le => value <= constant,
            Relation::Eq => value == constant,
            Relation::Ge => value >= constant,
            Relation::Gt => value > constant,
            Relation::Ne => value != constant,
        }
    }

    fn cases(self, clock: usize, constant: i32, positive: bool) -> Vec<Vec<Constraint>> {
        let upper = |bound| Constraint::new(clock, 0, bound);
        let lower = |bound| Constraint::new(0, clock, bound);
        let (le, lt) = (upper(Bound::le(constant)), upper(Bound::lt(constant)));
        let (ge, gt) = (lower(Bound::le(-constant)), lower(Bound::lt(-constant)));
        match (self, positive) {
            (Relation::Lt, true) | (Relation::Ge, false) => vec![vec![lt]],
            (Relation::Le, true) | (Relation::Gt, false) => vec![vec![le]],
            (Relation::Ge, true) | (Relation::Lt, false) => vec![vec![ge]],
            (Relation::Gt, true) | (Relation::Le, false) => vec![vec![gt]],
            (Relation::Eq, true) | (Relation::Ne, false) => vec![vec![le, ge]],
            (Relation::Eq, false) | (Relation::Ne, true) => vec![vec![lt], vec![gt]],
        }
    }
}
