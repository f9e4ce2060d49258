//! Queries.

use super::super::query::*;
use super::list;
use std::fmt::{Display, Formatter, Result};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.kind.fmt(f)?;
        match &self.under {
            Some(strategy) => write!(f, " under {strategy}"),
            None => Ok(()),
        }
    }
}

impl Display for QueryKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            QueryKind::Path { quantifier, predicate } => write!(f, "{quantifier} {predicate}"),
            QueryKind::LeadsTo { from, to } => write!(f, "{from} --> {to}"),
            QueryKind::Extremum { kind, predicate, expressions } => {
                f.write_str(match kind {
                    Extremum::Sup => "sup",
                    Extremum::Inf => "inf",
                    Extremum::Bounds => "bounds",
                })?;
                if let Some(predicate) = predicate {
                    write!(f, "{{{predicate}}}")?;
                }
                f.write_str(": ")?;
                list(f, expressions)
            }
            QueryKind::Buchi(predicate) => write!(f, "buchi: {predicate}"),
            QueryKind::Probability(probability) => probability.fmt(f),
            QueryKind::ProbabilityTest { probability, at_least, bound, .. } => {
                write!(f, "{probability} {} {bound:?}", if *at_least { ">=" } else { "<=" })
            }
            QueryKind::ProbabilityComparison { left, right } => write!(f, "{left} >= {right}"),
            QueryKind::Expected { bound, kind, expression } => {
                write!(f, "E{bound}({}: {expression})", if *kind == Extremum::Inf { "min" } else { "max" })
            }
            QueryKind::Simulate { bound, expressions, filter } => {
                write!(f, "simulate {bound} {{")?;
                list(f, expressions)?;
                f.write_str("}")?;
                match filter {
                    Some((Some(count), predicate)) => write!(f, " : {count} : {predicate}"),
                    Some((None, predicate)) => write!(f, " : {predicate}"),
                    None => Ok(()),
                }
            }
            QueryKind::Mitl(formula) => write!(f, "Pr {formula}"),
            QueryKind::Refinement { left, right } => write!(f, "refinement: {left} <= {right}"),
            QueryKind::SystemCheck { check, system, save_as } => {
                write!(f, "{check}: {system}")?;
                save_as.as_ref().map_or(Ok(()), |name| write!(f, " save-as {name}"))
            }
            QueryKind::SystemReachability { system, start, goal } => {
                write!(f, "reachability: {system}")?;
                if let Some((state, _)) = start {
                    write!(f, " @ {state}")?;
                }
                write!(f, " -> {}", goal.0)
            }
            QueryKind::Unsupported { what } => write!(f, "{what} ..."),
        }
    }
}

impl Display for PathQuantifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            PathQuantifier::ExistsEventually => "E<>",
            PathQuantifier::AlwaysGlobally => "A[]",
            PathQuantifier::ExistsGlobally => "E[]",
            PathQuantifier::AlwaysEventually => "A<>",
        })
    }
}

impl Display for Probability {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "Pr{}(", self.bound)?;
        match &self.path {
            RunPath::Eventually(predicate) => write!(f, "<> {predicate})"),
            RunPath::Globally(predicate) => write!(f, "[] {predicate})"),
            RunPath::Until(hold, goal) => write!(f, "{hold} U {goal})"),
        }
    }
}

impl Display for RunBound {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.measure {
            RunMeasure::Time => write!(f, "[<={}", self.limit)?,
            RunMeasure::Steps => write!(f, "[#<={}", self.limit)?,
            RunMeasure::Clock(clock) => write!(f, "[{clock}<={}", self.limit)?,
        }
        match &self.runs {
            Some(runs) => write!(f, "; {runs}]"),
            None => f.write_str("]"),
        }
    }
}

impl Display for SystemCheck {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            SystemCheck::Consistency => "consistency",
            SystemCheck::Determinism => "determinism",
            SystemCheck::Specification => "specification",
            SystemCheck::Implementation => "implementation",
            SystemCheck::Prune => "prune",
            SystemCheck::GetComponent => "get-component",
        })
    }
}

impl Display for SystemExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_system(f, self, 0)
    }
}

/// The quotient binds least, the conjunction most.
fn write_system(f: &mut Formatter<'_>, system: &SystemExpr, level: u8) -> Result {
    let (own, symbol, left, right) = match system {
        SystemExpr::Component { name, arguments, instance } => {
            name.fmt(f)?;
            if !arguments.is_empty() {
                f.write_str("(")?;
                list(f, arguments)?;
                f.write_str(")")?;
            }
            return instance.as_ref().map_or(Ok(()), |mark| write!(f, "[{mark}]"));
        }
        SystemExpr::Quotient(left, right) => (0, "//", left, right),
        SystemExpr::Compose(left, right) => (1, "||", left, right),
        SystemExpr::Conjoin(left, right) => (2, "&&", left, right),
    };
    if own < level {
        f.write_str("(")?;
    }
    write_system(f, left, own)?;
    write!(f, " {symbol} ")?;
    write_system(f, right, own + 1)?;
    if own < level { f.write_str(")") } else { Ok(()) }
}
