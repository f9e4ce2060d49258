//! What is known of expressions before anything runs: whether their value may change while time passes, and whether they
//! set rates of clocks.

use semantics::network::{Code, Expr, ExprId};
use semantics::syntax::Quantifier;

#[derive(Debug)]
pub struct Facts {
    timed: Vec<bool>,
    rates: Vec<bool>,
    only_rates: Vec<bool>,
}

impl Facts {
    pub fn new(code: &Code) -> Facts {
        let none = vec![false; code.len()];
        let mut facts = Facts { timed: none.clone(), rates: none.clone(), only_rates: none };
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
        expr.children(&mut |child| {
            // What the rate of a clock is may change while time passes; that there is one does not.
            timed |= self.timed(child) && !is_rate;
            rates |= self.has_rates(child);
        });
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

    /// Whether it sets the rate of a clock.
    pub fn has_rates(&self, id: ExprId) -> bool {
        self.rates.get(id.index()).copied().unwrap_or(false)
    }
}
