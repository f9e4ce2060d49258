//! Processes of text models: locations, edges and the labels on them.

use super::super::ast::*;
use super::super::keywords::Vocabulary;
use super::super::operators::CONDITIONAL;
use super::{End, Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};
use std::collections::HashMap;

/// The sections of a process in the order they must have.
const SECTIONS: &[&str] = &["state", "branchpoint", "commit", "urgent", "init", "trans"];
/// The clauses of an edge in the order they must have.
const CLAUSES: &[&str] = &["select", "guard", "sync", "assign", "probability"];

/// `commit` and `urgent` may alternate.
fn section_rank(word: &str) -> Option<usize> {
    let word = if word == "urgent" { "commit" } else { word };
    SECTIONS.iter().position(|section| *section == word)
}

impl Parser<'_> {
    /// Whether the declarations of a process end here.
    pub(super) fn at_process_section(&self) -> bool {
        match self.word() {
            "urgent" => !matches!(self.word_ahead(1), "chan" | "broadcast") && !self.is_name_ahead(2),
            "branchpoint" => self.vocabulary == Vocabulary::New,
            word => section_rank(word).is_some(),
        }
    }

    /// `process P(int i) { ... }`
    pub(super) fn process(&mut self) -> Parse<Template> {
        let start = self.here();
        self.advance();
        let name = self.identifier("the name of the process")?;
        let parameters = if self.is("(") {
            self.parenthesised_parameters()?
        } else {
            if self.vocabulary == Vocabulary::New {
                let error = Diagnostic::new(
                    Code::SYNTAX,
                    self.here(),
                    format!("the process `{}` has no parameter list", name.name),
                );
                self.remark(error.help(format!("write `process {}()`", name.name)));
            }
            Vec::new()
        };
        self.expect("{", "before the body of the process")?;
        let braces = self.braces;
        let mut template = Template {
            name,
            parameters,
            declarations: self.template_declarations(),
            locations: Vec::new(),
            branchpoints: Vec::new(),
            init: None,
            edges: Vec::new(),
            span: start,
        };
        let is_empty = self.is("}");
        self.sections(&mut template, braces);
        self.expect("}", "after the body of the process")?;
        template.span = self.since(start);
        if template.init.is_none() && !is_empty && !self.stopped {
            let message = format!("the process `{}` has no initial location", template.name.name);
            self.remark(
                Diagnostic::new(Code::MISSING_INIT, template.name.span, message).help("write `init` and its name"),
            );
        }
        Ok(template)
    }

    fn sections(&mut self, template: &mut Template, braces: u32) {
        let mut rank = 0;
        while !(self.is("}") || self.at_end()) {
            let before = self.at;
            let section = self.word();
            if let Some(own) = section_rank(section) {
                if own < rank {
                    let message = format!("`{section}` must come earlier in the process");
                    let help = "the order is state, branchpoint, commit and urgent, init, trans";
                    self.remark(Diagnostic::new(Code::SYNTAX, self.here(), message).help(help));
                }
                rank = rank.max(own);
            }
            if self.section(template, section).is_err() {
                self.recover(braces, End::Semicolon);
                if self.braces < braces || matches!(self.word(), "process" | "system") {
                    return;
                }
                if self.at == before {
                    self.advance();
                }
            }
        }
    }

    fn section(&mut self, template: &mut Template, section: &str) -> Parse<()> {
        if section_rank(section).is_none() {
            return Err(self.expected("`state`, `commit`, `urgent`, `init`, `trans` or `}`"));
        }
        self.advance();
        match section {
            "state" => {
                self.state(template)?;
                while self.eat(",") {
                    self.state(template)?;
                }
            }
            "branchpoint" => template.branchpoints.extend(self.names("the name of a branchpoint")?),
            "commit" | "urgent" => {
                let names = self.names("the name of a location")?;
                self.mark(template, names, section);
            }
            "init" => template.init = Some(self.identifier("the name of the initial location")?),
            _ => return self.edges(template),
        }
        self.expect_semicolon(&format!("after the `{section}` section"))
    }

    fn names(&mut self, what: &str) -> Parse<Vec<Ident>> {
        let mut names = vec![self.identifier(what)?];
        while self.eat(",") {
            names.push(self.identifier(what)?);
        }
        Ok(names)
    }

    /// Marks locations as committed or urgent.
    fn mark(&mut self, template: &mut Template, names: Vec<Ident>, section: &str) {
        let indices: HashMap<Name, usize> = template
            .locations
            .iter()
            .enumerate()
            .map(|(index, location)| (location.name.name.clone(), index))
            .collect();
        for name in names {
            match indices.get(&name.name).and_then(|index| template.locations.get_mut(*index)) {
                Some(location) if section == "commit" => location.committed = true,
                Some(location) => location.urgent = true,
                None => {
                    let message = format!("the process has no location `{}`", name.name);
                    self.remark(
                        Diagnostic::new(Code::UNKNOWN_NAME, name.span, message).label("not declared after `state`"),
                    );
                }
            }
        }
    }

    /// `A`, `A { x <= 5 }`, `A { x <= 5; 3 : 2 }`, `A { ; 3 }`
    fn state(&mut self, template: &mut Template) -> Parse<()> {
        let name = self.identifier("the name of a location")?;
        let start = name.span;
        let (mut invariant, mut rate) = (None, None);
        if self.eat("{")
            && let Err(failed) = self.state_labels(&mut invariant, &mut rate)
        {
            // The location is there all the same, and so are those after it.
            while !(self.at_end() || self.is("}") || self.at_section_word()) {
                self.advance();
            }
            if !self.eat("}") {
                return Err(failed);
            }
        }
        let span = self.since(start);
        let (anonymous, urgent, committed) = (false, false, false);
        template.locations.push(Location {
            name,
            anonymous,
            invariant,
            rate,
            urgent,
            committed,
            inconsistent: false,
            span,
        });
        Ok(())
    }

    fn state_labels(&mut self, invariant: &mut Option<Expr>, rate: &mut Option<(Expr, Option<Expr>)>) -> Parse<()> {
        if !(self.is(";") || self.is("}")) {
            *invariant = Some(self.condition_label()?);
        }
        if self.eat(";") && !self.is("}") {
            *rate = Some(self.rate()?);
        }
        self.expect("}", "after the invariant")
    }

    /// `3` or `3 : 2`
    pub fn rate(&mut self) -> Parse<(Expr, Option<Expr>)> {
        let rate = self.expression()?;
        let denominator = if self.eat(":") { Some(self.expression()?) } else { None };
        Ok((rate, denominator))
    }

    /// A guard or an invariant. The old syntax joins conditions with commas.
    pub fn condition_label(&mut self) -> Parse<Expr> {
        let condition = if self.vocabulary == Vocabulary::Old { self.comma_conjunction()? } else { self.expression()? };
        if self.is(",") {
            return Err(self.comma_in_condition());
        }
        Ok(condition)
    }

    fn comma_in_condition(&mut self) -> Failed {
        let error = Diagnostic::new(Code::SYNTAX, self.here(), "conditions are joined by `&&`, not by a comma");
        self.error(error.label("expected `&&`").help("write `&&`; a comma joins conditions in the old syntax only"))
    }

    fn edges(&mut self, template: &mut Template) -> Parse<()> {
        let braces = self.braces;
        loop {
            if self.edge(template).is_err() {
                self.recover(braces, End::Brace);
                if self.stopped || self.braces < braces {
                    return Err(Failed);
                }
            }
            if self.eat(",") {
                continue;
            }
            return self.expect_semicolon("after the last edge");
        }
    }

    /// `A -> B { guard x > 1; sync a!; assign x = 0; }`
    fn edge(&mut self, template: &mut Template) -> Parse<()> {
        let start = self.here();
        let named = !(self.is("->") || self.is("-u->"));
        let source = if named {
            self.identifier("the source of an edge")?
        } else if let Some(previous) = template.edges.last() {
            previous.source.clone()
        } else {
            return Err(self.expected("the source of the first edge"));
        };
        let controllable = !self.is("-u->");
        if !self.eat("-u->") {
            self.expect("->", "between source and target of the edge")?;
        }
        let target = self.identifier("the target of the edge")?;
        let (select, update) = (Vec::new(), Vec::new());
        let (guard, sync, weight) = (None, None, None);
        let mut edge = Edge { source, target, select, guard, sync, update, weight, controllable, span: start };
        self.expect("{", "before the labels of the edge")?;
        self.clauses(&mut edge);
        let closed = self.expect("}", "after the labels of the edge");
        edge.span = self.since(start);
        template.edges.push(edge);
        closed
    }

    fn clauses(&mut self, edge: &mut Edge) {
        let braces = self.braces;
        let mut rank = 0;
        while !(self.is("}") || self.at_end()) {
            let clause = self.word();
            let Some(own) = CLAUSES.iter().position(|word| *word == clause) else {
                self.expected("`select`, `guard`, `sync`, `assign`, `probability` or `}`");
                self.advance();
                self.recover(braces, End::Semicolon);
                if self.braces < braces || self.at_section_word() {
                    return;
                }
                continue;
            };
            if own < rank {
                let message = format!("`{clause}` must come before `{}`", CLAUSES.get(rank - 1).unwrap_or(&"it"));
                let help = "the order is select, guard, sync, assign, probability, each at most once";
                self.remark(Diagnostic::new(Code::SYNTAX, self.here(), message).help(help));
            }
            rank = rank.max(own + 1);
            self.advance();
            if self.clause(edge, clause).is_err() {
                self.recover(braces, End::Semicolon);
                if self.braces < braces || self.at_section_word() {
                    return;
                }
            }
        }
    }

    fn clause(&mut self, edge: &mut Edge, clause: &str) -> Parse<()> {
        match clause {
            "select" => edge.select = self.bindings()?,
            "guard" => edge.guard = Some(self.condition_label()?),
            "sync" => edge.sync = Some(self.sync()?),
            "assign" => edge.update = self.updates()?,
            _ => edge.weight = Some(self.expression()?),
        }
        self.expect_semicolon(&format!("after the `{clause}` clause"))
    }

    /// `a!`, `a[i]?`, or `a` in CSP style.
    pub fn sync(&mut self) -> Parse<Sync> {
        let channel = self.expression_above(CONDITIONAL + 1)?;
        let start = channel.span;
        let direction = if self.eat("!") {
            Direction::Send
        } else if self.eat("?") {
            Direction::Receive
        } else {
            Direction::Csp
        };
        Ok(Sync { channel, direction, span: self.since(start) })
    }

    /// `x = 0, i++`
    pub fn updates(&mut self) -> Parse<Vec<Expr>> {
        self.expression_list()
    }
}
