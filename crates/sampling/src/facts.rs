//! What is known of expressions before anything runs: whether their value may change while time passes, whether they set
//! rates of clocks, and whether they write anything.

use model::network::{Argument, Code, Expr, ExprId, FunctionParameter, Place};
use model::syntax::ast::Quantifier;

#[derive(Debug)]
pub struct Facts {
    timed: Vec<bool>,
    rates: Vec<bool>,
    only_rates: Vec<bool>,
    writes: Vec<bool>,
}

impl Facts {
    pub fn new(code: &Code) -> Facts {
        let none = vec![false; code.len()];
        let mut facts = Facts { timed: none.clone(), rates: none.clone(), only_rates: none.clone(), writes: none };
        let mut functions = vec![false; code.functions.len()];
        // What a function does reaches its callers after as many rounds as calls are nested.
        loop {
            for n in 0..code.len() {
                facts.look_at(code, n, &functions);
            }
            let mut changed = false;
            for (function, timed) in code.functions.iter().zip(&mut functions) {
                if !*timed && function.exprs().into_iter().any(|id| facts.timed(id)) {
                    *timed = true;
                    changed = true;
                }
            }
            if !changed {
                return facts;
            }
        }
    }

    fn look_at(&mut self, code: &Code, n: usize, functions: &[bool]) {
        let expr = code.expr(ExprId::new(n));
        let mut timed = match expr {
            Expr::ClockConstraint(_) | Expr::ClockValue(_) => true,
            Expr::Call { function, .. } => functions.get(function.index()).copied().unwrap_or(false),
            _ => false,
        };
        let mut rates = matches!(expr, Expr::Rate { .. });
        let is_rate = rates;
        let mut writes = match expr {
            Expr::Assign { .. } | Expr::Step { .. } | Expr::SetClock { .. } => true,
            Expr::Call { function, arguments, .. } => {
                let function = code.function(*function);
                let by_reference = |(parameter, argument): (&FunctionParameter, &Argument)| {
                    matches!(argument, Argument::Reference(_)) && !parameter.constant
                };
                function.writes || function.parameters.iter().zip(arguments).any(by_reference)
            }
            _ => false,
        };
        expr.children(&mut |child| {
            // What the rate of a clock is may change while time passes; that there is one does not.
            timed |= self.timed(child) && !is_rate;
            rates |= self.has_rates(child);
            writes |= self.writes(child);
        });
        self.writes[n] = writes;
        self.timed[n] = timed;
        self.rates[n] = rates;
        self.only_rates[n] = match expr {
            Expr::Rate { .. } => true,
            Expr::And(left, right) => self.only_rates(*left) && self.only_rates(*right),
            Expr::Quantified { quantifier: Quantifier::Forall, body, .. } => self.only_rates(*body),
            _ => false,
        };
    }

    /// Whether the value may change while time passes.
    #[inline]
    pub fn timed(&self, id: ExprId) -> bool {
        self.timed.get(id.index()).copied().unwrap_or(true)
    }

    /// Whether it sets rates of clocks and is no condition besides.
    #[inline]
    pub fn only_rates(&self, id: ExprId) -> bool {
        self.only_rates.get(id.index()).copied().unwrap_or(false)
    }

    /// Whether computing it may change a variable.
    pub fn writes(&self, id: ExprId) -> bool {
        self.writes.get(id.index()).copied().unwrap_or(true)
    }

    /// Whether finding the place may change a variable.
    pub fn place_writes(&self, place: &Place) -> bool {
        let mut writes = false;
        place.exprs(&mut |id| writes |= self.writes(id));
        writes
    }

    /// Whether it sets the rate of a clock.
    pub fn has_rates(&self, id: ExprId) -> bool {
        self.rates.get(id.index()).copied().unwrap_or(false)
    }
}
