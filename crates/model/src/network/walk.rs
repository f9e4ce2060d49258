//! Visiting every expression that an expression may evaluate, into the functions it calls.

use super::code::*;
use super::ids::{ExprId, FunctionId};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

impl Code {
    /// Calls `visit` for the expression and everything below it, each once: expressions share parts.
    pub fn walk(&self, root: ExprId, visit: &mut dyn FnMut(ExprId, &Expr)) {
        self.walk_beyond(vec![root], &mut HashSet::new(), visit);
    }

    /// The same for several expressions, and leaving out functions that were `entered` before.
    pub fn walk_beyond(
        &self,
        roots: Vec<ExprId>,
        entered: &mut HashSet<FunctionId>,
        visit: &mut dyn FnMut(ExprId, &Expr),
    ) {
        self.walk_below(roots, visit, &mut |function, waiting| {
            if entered.insert(function) {
                waiting.extend(self.function(function).exprs());
            }
        });
    }

    /// The same without looking into the functions that are called.
    pub fn walk_outside_functions(&self, roots: Vec<ExprId>, visit: &mut dyn FnMut(ExprId, &Expr)) {
        self.walk_below(roots, visit, &mut |_, _| {});
    }

    fn walk_below(
        &self,
        roots: Vec<ExprId>,
        visit: &mut dyn FnMut(ExprId, &Expr),
        enter: &mut dyn FnMut(FunctionId, &mut Vec<ExprId>),
    ) {
        let mut waiting = roots;
        let mut visited: HashSet<ExprId, BuildHasherDefault<ByNumber>> = HashSet::default();
        while let Some(id) = waiting.pop() {
            if !visited.insert(id) {
                continue;
            }
            let expr = self.expr(id);
            visit(id, expr);
            expr.children(&mut |child| waiting.push(child));
            if let Expr::Call { function, .. } = expr {
                enter(*function, &mut waiting);
            }
        }
    }
}

/// Hashes what is told apart by one number. Models are walked through often before anything is searched, and nobody chooses the
/// numbers of expressions to make them collide.
#[derive(Default)]
struct ByNumber(u64);

impl Hasher for ByNumber {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Function {
    /// The expressions directly in its statements.
    pub fn exprs(&self) -> Vec<ExprId> {
        let mut list = Vec::new();
        self.body.iter().for_each(|statement| statement.exprs(&mut |id| list.push(id)));
        list
    }
}

impl Expr {
    /// The expressions directly below this one, in the order of evaluation.
    pub fn children(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            Expr::Int(_) | Expr::Double(_) | Expr::Deadlock | Expr::Unsupported(_) => {}
            Expr::Read(place) | Expr::ClockValue(place) | Expr::Step { target: place, .. } => place.exprs(visit),
            Expr::ToDouble(operand) | Expr::Negate(_, operand) | Expr::Not(operand) => visit(*operand),
            Expr::And(left, right)
            | Expr::Or(left, right)
            | Expr::Sequence(left, right)
            | Expr::Binary { left, right, .. }
            | Expr::SameValue { left, right } => {
                visit(*left);
                visit(*right);
            }
            Expr::Conditional { condition, then, otherwise } => {
                visit(*condition);
                visit(*then);
                visit(*otherwise);
            }
            Expr::ClockConstraint(constraint) => {
                constraint.plus.iter().chain(&constraint.minus).for_each(|place| place.exprs(visit));
                visit(constraint.bound);
            }
            Expr::Rate { clock, rate, .. } => {
                clock.exprs(visit);
                visit(*rate);
            }
            Expr::Assign { target, value, .. } => {
                visit(*value);
                target.exprs(visit);
            }
            Expr::SetClock { target, source, offset } => {
                visit(*offset);
                source.iter().for_each(|place| place.exprs(visit));
                target.exprs(visit);
            }
            Expr::Call { process, arguments, .. } => {
                process.iter().for_each(|process| process.exprs(visit));
                for argument in arguments {
                    match argument {
                        Argument::Value(value) => visit(*value),
                        Argument::Reference(place) => place.exprs(visit),
                    }
                }
            }
            Expr::Builtin { arguments, .. } => arguments.iter().for_each(|argument| visit(*argument)),
            Expr::Quantified { body, .. } => visit(*body),
            Expr::LocationIs { process, .. } | Expr::LocationOf { process } => process.exprs(visit),
        }
    }
}

impl Place {
    /// The expressions that say where the place is.
    pub fn exprs(&self, visit: &mut dyn FnMut(ExprId)) {
        match &self.base {
            Base::Member(process, _) => process.exprs(visit),
            Base::Value(value) => visit(*value),
            _ => {}
        }
        self.indices.iter().for_each(|index| visit(index.value));
    }
}

impl ProcessRef {
    pub fn exprs(&self, visit: &mut dyn FnMut(ExprId)) {
        self.indices.iter().for_each(|index| visit(index.value));
    }
}

impl Statement {
    /// The expressions directly in this statement and in the statements it contains.
    pub fn exprs(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            Statement::Expr(id) | Statement::Assert(id) | Statement::Return(Some(id)) => visit(*id),
            Statement::Return(None) => {}
            Statement::Local { values, .. } => {
                for (place, value) in values {
                    place.exprs(visit);
                    visit(*value);
                }
            }
            Statement::Block(statements) => statements.iter().for_each(|statement| statement.exprs(visit)),
            Statement::While { condition, body } | Statement::DoWhile { body, condition } => {
                visit(*condition);
                body.exprs(visit);
            }
            Statement::For { init, condition, step, body } => {
                init.iter().chain(step).for_each(|id| visit(*id));
                visit(*condition);
                body.exprs(visit);
            }
            Statement::ForEach { body, .. } => body.exprs(visit),
            Statement::If { arms, otherwise } => {
                for (condition, body) in arms {
                    visit(*condition);
                    body.exprs(visit);
                }
                otherwise.iter().for_each(|body| body.exprs(visit));
            }
        }
    }
}
