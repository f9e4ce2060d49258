//! Names and what they stand for. One name space per scope; inner names hide outer ones.

use crate::network::{Builtin, FunctionId, LocationId, Place, Type};
use crate::shared::Shared;
use crate::source::Span;
use crate::syntax::ast::Name;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    Variable(Variable),
    Type(TypeSymbol),
    Function(FunctionId),
    Builtin(Builtin),
    /// A function of a shared library: known, never run.
    Foreign(Foreign),
    /// An index into the checker's table of templates.
    Template(usize),
    /// An index into the checker's table of instances.
    Instance(usize),
    Location(LocationId),
    /// An index into the network's process sets.
    Processes(usize),
    /// A location that leads nowhere by itself, and names kept only so that they are not used twice.
    Branchpoint(usize),
    /// A scenario of `sat:` queries, or an instance of one.
    LiveSequenceChart,
    /// Its declaration has an error that is reported: nothing more is said about its uses.
    Broken,
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub place: Place,
    /// Cannot be assigned to: constants, select and loop variables.
    pub constant: bool,
    /// The ranges in its type are written without names, so that they are the same in every variant of the model.
    pub fixed_range: bool,
}

impl Variable {
    pub fn new(place: Place, constant: bool) -> Variable {
        Variable { place, constant, fixed_range: false }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct TypeSymbol {
    pub ty: Type,
    pub constant: bool,
    pub meta: bool,
    pub fixed_range: bool,
    /// The template parameters that its sizes depend on, as a bit set.
    pub origins: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    pub result: Type,
    pub arity: usize,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub symbol: Symbol,
    /// `None` for what the language predeclares.
    pub span: Option<Span>,
    /// Something names it; also told by queries, which share the scopes of their model.
    pub used: AtomicBool,
    /// Position among the global declarations: a template sees only what stands before it.
    pub order: usize,
}

impl Entry {
    pub fn new(symbol: Symbol, span: Option<Span>, order: usize) -> Entry {
        Entry { symbol, span, used: AtomicBool::new(false), order }
    }

    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    pub fn mark_used(&self) {
        self.used.store(true, Ordering::Relaxed);
    }
}

impl Clone for Entry {
    fn clone(&self) -> Entry {
        let Entry { symbol, span, order, .. } = self;
        Entry { symbol: symbol.clone(), span: *span, used: AtomicBool::new(self.is_used()), order: *order }
    }
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Scope {
    entries: HashMap<Name, Entry>,
    /// In the order declared, so that warnings come out the same each time.
    names: Vec<Name>,
}

impl Scope {
    /// The earlier entry when the name is taken.
    pub fn declare(&mut self, name: &Name, entry: Entry) -> Option<&Entry> {
        if self.entries.contains_key(name) {
            return self.entries.get(name);
        }
        self.names.push(name.clone());
        self.entries.insert(name.clone(), entry);
        None
    }

    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Entry> {
        self.entries.get_mut(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Entry)> {
        self.names.iter().filter_map(|name| self.entries.get(name).map(|entry| (name, entry)))
    }
}

/// The scopes in force, outermost first: predeclared, global, template, function, blocks and binders.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scopes {
    stack: Vec<Shared<Scope>>,
    /// Global entries from this position on are not visible yet.
    pub horizon: usize,
}

/// Positions in the stack of the two scopes that are always there.
pub(crate) const PREDECLARED: usize = 0;
pub(crate) const GLOBAL: usize = 1;

impl Scopes {
    pub fn new() -> Scopes {
        Scopes { stack: vec![Shared::default(), Shared::default()], horizon: usize::MAX }
    }

    pub fn push(&mut self) {
        self.stack.push(Shared::default());
    }

    pub fn pop(&mut self) -> Scope {
        self.stack.pop().unwrap_or_default().into_inner()
    }

    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    pub fn at(&mut self, level: usize) -> Option<&mut Scope> {
        self.stack.get_mut(level).map(|scope| &mut **scope)
    }

    pub fn innermost(&mut self) -> Option<&mut Scope> {
        self.stack.last_mut().map(|scope| &mut **scope)
    }

    pub fn global(&self) -> Option<&Scope> {
        self.stack.get(GLOBAL).map(|scope| &**scope)
    }

    /// Finds a name and marks it as used.
    pub fn resolve(&self, name: &str) -> Option<&Entry> {
        let (_, entry) = self
            .stack
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(level, scope)| scope.get(name).map(|entry| (level, entry)))
            .find(|(level, entry)| *level != GLOBAL || entry.order < self.horizon)?;
        entry.mark_used();
        Some(entry)
    }

    /// What a name declared in the innermost scope would hide: a name of the user's in an outer scope.
    pub fn hidden_by(&self, name: &str) -> Option<Span> {
        let outer = &self.stack[..self.stack.len().saturating_sub(1)];
        let (_, entry) = outer
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(level, scope)| scope.get(name).map(|entry| (level, entry)))
            .find(|(level, entry)| *level != GLOBAL || entry.order < self.horizon)?;
        entry.span
    }

    /// The visible name most like a misspelt one, if any is close.
    pub fn similar(&self, name: &str) -> Option<Name> {
        let names = self.stack.iter().enumerate().flat_map(|(level, scope)| {
            scope.iter().filter(move |(_, entry)| level != GLOBAL || entry.order < self.horizon)
        });
        closest(name, names.map(|(name, _)| name)).cloned()
    }
}

/// The name most like a misspelt one, if any is close enough to be meant.
pub(crate) fn closest<'a>(name: &str, names: impl Iterator<Item = &'a Name>) -> Option<&'a Name> {
    let allowed = match name.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let candidates = names.filter(|other| other.len().abs_diff(name.len()) <= 2);
    let (distance, best) =
        candidates.map(|other| (edit_distance(name, other), other)).min_by_key(|(d, other)| (*d, other.len()))?;
    (distance <= allowed || best.eq_ignore_ascii_case(name)).then_some(best)
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(row[j] + 1).min(last[j + 1] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
