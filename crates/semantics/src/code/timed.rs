//! What is known of expressions over clocks that have values: whether what they compute may change
//! while time passes, and whether they set rates of clocks.

use model::network::{Code, Expr, ExprId};
use model::syntax::ast::Quantifier;

#[derive(Clone, Default, Debug)]
pub struct Timed {
    timed: Vec<bool>,
    rates: Vec<bool>,
    only_rates: Vec<bool>,
}

impl Timed {
    pub fn new(code: &Code) -> Timed {
        let none = vec![false; code.len()];
        let mut found = Timed { timed: none.clone(), rates: none.clone(), only_rates: none };
        let mut functions = vec![false; code.functions.len()];
        // What a function does reaches its callers after as many rounds as calls are nested.
        loop {
            for n in 0..code.len() {
                found.look_at(code, n, &functions);
            }
            let mut changed = false;
            for (function, timed) in code.functions.iter().zip(&mut functions) {
                if !*timed && function.exprs().into_iter().any(|id| found.timed(id)) {
                    *timed = true;
                    changed = true;
                }
            }
            if !changed {
                return found;
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
