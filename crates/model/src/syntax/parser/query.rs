//! Queries: the symbolic ones, the statistical ones, and those that are recognised but answered by no engine.

use super::super::ast::*;
use super::super::operators::RELATION;
use super::super::query::*;
use super::super::token::TokenKind;
use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};

impl Parser<'_> {
    /// A whole query, up to the end of the text.
    pub fn query(&mut self) -> Parse<Query> {
        let start = self.here();
        if let Some(what) = self.unsupported() {
            self.skip_rest();
            return Ok(Query { kind: QueryKind::Unsupported { what }, under: None, span: self.since(start) });
        }
        let mut under = None;
        let kind = self.query_kind(&mut under)?;
        self.under(&mut under)?;
        self.expect_end("the query")?;
        Ok(Query { kind, under, span: self.since(start) })
    }

    fn skip_rest(&mut self) {
        while !self.at_end() {
            self.advance();
        }
    }

    /// `under S`
    fn under(&mut self, under: &mut Option<Ident>) -> Parse<()> {
        if self.eat_word("under") {
            let strategy = self.identifier("the name of a strategy")?;
            under.get_or_insert(strategy);
        }
        Ok(())
    }

    /// Forms of UPPAAL's other tools.
    fn unsupported(&self) -> Option<&'static str> {
        let colon = |n| self.is_ahead(n, ":");
        let path_first = matches!(self.token().kind, TokenKind::Symbol("E<>")) as usize;
        match self.word_ahead(path_first) {
            "control" if colon(path_first + 1) => return Some("control"),
            "control_t" if self.is_ahead(path_first + 1, "*") => return Some("control_t*"),
            _ => {}
        }
        let call = self.is_ahead(1, "(") || self.is_ahead(1, "[") || self.is_ahead(1, "{");
        match self.word() {
            "strategy" if self.is_name_ahead(1) && (self.is_ahead(2, "=") || self.is_ahead(2, ":=")) => {
                Some("strategy")
            }
            "saveStrategy" if call => Some("saveStrategy"),
            "loadStrategy" if call => Some("loadStrategy"),
            "minE" if call => Some("minE"),
            "maxE" if call => Some("maxE"),
            "minPr" if call => Some("minPr"),
            "maxPr" if call => Some("maxPr"),
            "Pmax" if call => Some("Pmax"),
            "imitate" if call => Some("imitate"),
            "sat" if colon(1) => Some("sat"),
            "simulation" if colon(1) => Some("simulation"),
            "A" if self.is_ahead(1, "[") && self.has_until() => Some("A[ p U q ]"),
            _ if self.is("{") => Some("control under partial observation"),
            _ => None,
        }
    }

    /// Whether `A[ p U q ]` or `A[ p W q ]` starts here, and not an array named `A`.
    fn has_until(&self) -> bool {
        let tokens = self.tokens.get(self.at + 2..).unwrap_or_default();
        let mut depth = 0u32;
        for token in tokens {
            match token.kind {
                TokenKind::Symbol("(" | "[" | "{") => depth += 1,
                TokenKind::Symbol(")" | "]" | "}") if depth == 0 => return false,
                TokenKind::Symbol(")" | "]" | "}") => depth -= 1,
                TokenKind::Word if depth == 0 && matches!(self.spelling(*token), "U" | "W") => return true,
                _ => {}
            }
        }
        false
    }

    fn query_kind(&mut self, under: &mut Option<Ident>) -> Parse<QueryKind> {
        if let TokenKind::Symbol(symbol) = self.token().kind
            && let Some(quantifier) = path_quantifier(symbol)
        {
            self.advance();
            return Ok(QueryKind::Path { quantifier, predicate: self.expression()? });
        }
        let colon = self.is_ahead(1, ":");
        match self.word() {
            "sup" if colon || self.is_ahead(1, "{") => self.extremum(Extremum::Sup),
            "inf" if colon || self.is_ahead(1, "{") => self.extremum(Extremum::Inf),
            "bounds" if colon || self.is_ahead(1, "{") => self.extremum(Extremum::Bounds),
            "buchi" if colon => {
                self.advance();
                self.advance();
                Ok(QueryKind::Buchi(self.expression()?))
            }
            "Pr" if self.is_ahead(1, "[") => self.probability_query(under),
            "Pr" if self.is_ahead(1, "(") => self.mitl(),
            "E" if self.is_ahead(1, "[") && self.is_expected_value() => self.expected_value(),
            "simulate" if !self.is_ahead(1, ".") => self.simulate(),
            _ => match self.system_query_kind() {
                Some(query) => query,
                None => self.leads_to(),
            },
        }
    }

    /// `p --> q`, or no query at all.
    fn leads_to(&mut self) -> Parse<QueryKind> {
        let start = self.here();
        if matches!(self.word(), "A" | "E") && (self.is_ahead(1, "[]") || self.is_ahead(1, "<>")) {
            let [letter, symbol] = [self.token(), self.ahead(1)].map(|token| self.spelling(token));
            let error = Diagnostic::new(Code::QUERY, start, format!("`{letter} {symbol}` is written without a blank"));
            return Err(self.error(error.help(format!("write `{letter}{symbol}`"))));
        }
        let from = self.expression()?;
        if self.eat("-->") {
            return Ok(QueryKind::LeadsTo { from, to: self.expression()? });
        }
        if !self.at_end() {
            return Err(self.expected("an operator or `-->`"));
        }
        Err(self.no_query(Diagnostic::new(Code::QUERY, from.span, "this is an expression, not a query")))
    }

    fn no_query(&mut self, error: Diagnostic) -> Failed {
        self.error(error.help("start with `E<>`, `A[]`, `E[]` or `A<>`, or write `p --> q`"))
    }

    /// `sup{p}: e, f`
    fn extremum(&mut self, kind: Extremum) -> Parse<QueryKind> {
        self.advance();
        let mut predicate = None;
        if self.eat("{") {
            predicate = Some(self.expression()?);
            self.expect("}", "after the condition")?;
        }
        self.expect(":", "before the expressions")?;
        Ok(QueryKind::Extremum { kind, predicate, expressions: self.expression_list()? })
    }

    fn probability_query(&mut self, under: &mut Option<Ident>) -> Parse<QueryKind> {
        let probability = self.probability()?;
        self.under(under)?;
        let at_least = self.is(">=") || self.is("=>");
        if !(at_least || self.is("<=") || self.is("=<")) {
            // Early statistical versions ended an estimation with a question mark.
            self.eat("?");
            return Ok(QueryKind::Probability(probability));
        }
        self.advance();
        if self.word() == "Pr" {
            let other = self.probability()?;
            let (left, right) = if at_least { (probability, other) } else { (other, probability) };
            return Ok(QueryKind::ProbabilityComparison { left, right });
        }
        let bound_span = self.here();
        let bound = match self.token().kind {
            TokenKind::Double(value) => value,
            TokenKind::Int(value) => value as f64,
            _ => return Err(self.expected("a probability such as `0.5`, or `Pr`")),
        };
        self.advance();
        Ok(QueryKind::ProbabilityTest { probability, at_least, bound, bound_span })
    }

    /// `Pr[<=T](<> p)`
    fn probability(&mut self) -> Parse<Probability> {
        self.advance();
        let bound = self.run_bound()?;
        self.expect("(", "after the bound")?;
        let path = if self.eat("<>") {
            RunPath::Eventually(self.expression()?)
        } else if self.eat("[]") {
            RunPath::Globally(self.expression()?)
        } else {
            let hold = self.expression()?;
            if !self.eat_word("U") {
                return Err(self.expected("`U`, as in `Pr[<=T](p U q)`"));
            }
            RunPath::Until(hold, self.expression()?)
        };
        self.expect(")", "after the property of the run")?;
        Ok(Probability { bound, path })
    }

    /// `[<=T; N]`, `[#<=T]`, `[x<=T]`
    fn run_bound(&mut self) -> Parse<RunBound> {
        self.expect("[", "before the bound of the runs")?;
        let measure = if self.is("<=") {
            RunMeasure::Time
        } else if self.eat("#") {
            RunMeasure::Steps
        } else {
            RunMeasure::Clock(self.expression_above(RELATION + 1)?)
        };
        self.expect("<=", "in the bound of the runs")?;
        let limit = self.expression()?;
        let runs = if self.eat(";") { Some(self.expression()?) } else { None };
        self.expect("]", "after the bound of the runs")?;
        Ok(RunBound { measure, limit, runs })
    }

    /// Whether the `E[` here goes on with `...](max: `, and is not an array named `E`.
    fn is_expected_value(&self) -> bool {
        let mut depth = 0u32;
        for n in 1..self.tokens.len() - self.at {
            match self.ahead(n).kind {
                TokenKind::Symbol("(" | "[" | "{") => depth += 1,
                TokenKind::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                let extremum = matches!(self.word_ahead(n + 2), "min" | "max") && self.is_ahead(n + 3, ":");
                return self.is_ahead(2, "<=") || self.is_ahead(2, "#") || extremum;
            }
        }
        true
    }

    /// `E[<=T; N](max: e)`
    fn expected_value(&mut self) -> Parse<QueryKind> {
        self.advance();
        let bound = self.run_bound()?;
        self.expect("(", "after the bound")?;
        let kind = match self.word() {
            "max" => Extremum::Sup,
            "min" => Extremum::Inf,
            _ => return Err(self.expected("`max:` or `min:`")),
        };
        self.advance();
        self.expect(":", "before the expression")?;
        let expression = self.expression()?;
        self.expect(")", "after the expression")?;
        Ok(QueryKind::Expected { bound, kind, expression })
    }

    /// `simulate [<=T; N] {e, f} : n : p`, and `simulate N [<=T] {e}` as written before 2018.
    fn simulate(&mut self) -> Parse<QueryKind> {
        self.advance();
        let early_runs = match self.token().kind {
            TokenKind::Int(_) => Some(self.leading_count()?),
            TokenKind::Word if self.is_ahead(1, "[") => Some(self.leading_count()?),
            _ => None,
        };
        let mut bound = self.run_bound()?;
        bound.runs = bound.runs.or(early_runs);
        self.expect("{", "before the expressions")?;
        let expressions = self.expression_list()?;
        self.expect("}", "after the expressions")?;
        let mut filter = None;
        if self.eat(":") {
            let first = self.expression()?;
            filter = Some(if self.eat(":") { (Some(first), self.expression()?) } else { (None, first) });
        }
        Ok(QueryKind::Simulate { bound, expressions, filter })
    }

    /// A number or a constant, without the bracket that follows it.
    fn leading_count(&mut self) -> Parse<Expr> {
        let span = self.here();
        let kind = match self.token().kind {
            TokenKind::Int(value) => ExprKind::Int(i32::try_from(value).unwrap_or(i32::MAX)),
            _ => return Ok(Expr { kind: ExprKind::Name(self.identifier("the number of runs")?), span }),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    /// `Pr (<>[0,10] p)`: kept as text, without the `Pr`.
    fn mitl(&mut self) -> Parse<QueryKind> {
        self.advance();
        let start = self.token().start as usize;
        let mut depth = 0u32;
        loop {
            match self.token().kind {
                TokenKind::Symbol("(" | "[") => depth += 1,
                TokenKind::Symbol("[]" | "<>") => {}
                TokenKind::Symbol(")" | "]") if depth == 0 => return Err(self.expected("the end of the query")),
                TokenKind::Symbol(")" | "]") => depth -= 1,
                TokenKind::Word if self.word() == "under" => break,
                TokenKind::End => break,
                _ => {}
            }
            self.advance();
        }
        if depth > 0 {
            return Err(self.expected("`)`"));
        }
        let end = self.tokens.get(self.at.saturating_sub(1)).map_or(start, |last| last.end as usize);
        Ok(QueryKind::Mitl(self.text.as_str().get(start..end).unwrap_or_default().to_owned()))
    }
}

fn path_quantifier(symbol: &str) -> Option<PathQuantifier> {
    match symbol {
        "E<>" => Some(PathQuantifier::ExistsEventually),
        "A[]" => Some(PathQuantifier::AlwaysGlobally),
        "E[]" => Some(PathQuantifier::ExistsGlobally),
        "A<>" => Some(PathQuantifier::AlwaysEventually),
        _ => None,
    }
}
