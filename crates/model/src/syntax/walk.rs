//! Visiting every expression of a syntax tree.

use super::ast::*;

/// Calls `visit` for every expression of a template, also inside functions and labels.
pub fn template(template: &Template, visit: &mut dyn FnMut(&Expr)) {
    for declaration in &template.declarations {
        match declaration {
            Declaration::Variables(variables) => self::variables(variables, visit),
            Declaration::Function(function) => block(&function.body, visit),
            Declaration::Typedef { .. } => {}
        }
    }
    for location in &template.locations {
        location.invariant.iter().for_each(|invariant| expr(invariant, visit));
    }
    for edge in &template.edges {
        edge.guard.iter().chain(&edge.update).chain(&edge.weight).for_each(|part| expr(part, visit));
        edge.sync.iter().for_each(|sync| expr(&sync.channel, visit));
    }
}

fn variables(variables: &Variables, visit: &mut dyn FnMut(&Expr)) {
    for declarator in &variables.declarators {
        declarator.initialiser.iter().for_each(|initialiser| self::initialiser(initialiser, visit));
    }
}

fn initialiser(initialiser: &Initialiser, visit: &mut dyn FnMut(&Expr)) {
    match initialiser {
        Initialiser::Expr(value) => expr(value, visit),
        Initialiser::List { fields, .. } => fields.iter().for_each(|(_, part)| self::initialiser(part, visit)),
    }
}

fn block(block: &Block, visit: &mut dyn FnMut(&Expr)) {
    for declaration in &block.declarations {
        if let LocalDeclaration::Variables(variables) = declaration {
            self::variables(variables, visit);
        }
    }
    block.statements.iter().for_each(|part| statement(part, visit));
}

fn statement(part: &Statement, visit: &mut dyn FnMut(&Expr)) {
    match &part.kind {
        StatementKind::Empty | StatementKind::Return(None) => {}
        StatementKind::Block(inner) => block(inner, visit),
        StatementKind::Expr(list) => list.iter().for_each(|value| expr(value, visit)),
        StatementKind::For { init, condition, step, body } => {
            init.iter().chain(condition).chain(step).for_each(|value| expr(value, visit));
            statement(body, visit);
        }
        StatementKind::ForEach { body, .. } => statement(body, visit),
        StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
            condition.iter().for_each(|value| expr(value, visit));
            statement(body, visit);
        }
        StatementKind::If { arms, otherwise } => {
            for (condition, body) in arms {
                condition.iter().for_each(|value| expr(value, visit));
                statement(body, visit);
            }
            otherwise.iter().for_each(|body| statement(body, visit));
        }
        StatementKind::Return(Some(value)) | StatementKind::Assert(value) => expr(value, visit),
    }
}

/// Calls `visit` for an expression and every expression below it.
pub fn expr(root: &Expr, visit: &mut dyn FnMut(&Expr)) {
    let mut waiting = vec![root];
    while let Some(part) = waiting.pop() {
        visit(part);
        match &part.kind {
            ExprKind::Int(_)
            | ExprKind::Double(_)
            | ExprKind::Bool(_)
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::Deadlock
            | ExprKind::Exit
            | ExprKind::NumberOf(_)
            | ExprKind::Error => {}
            ExprKind::Call { callee, arguments } => {
                waiting.push(callee);
                waiting.extend(arguments);
            }
            ExprKind::Spawn { arguments, .. } => waiting.extend(arguments),
            ExprKind::Index { base, index } => waiting.extend([&**base, &**index]),
            ExprKind::Member { base: operand, .. }
            | ExprKind::Rate(operand)
            | ExprKind::Unary { operand, .. }
            | ExprKind::Step { operand, .. }
            | ExprKind::Quantified { body: operand, .. } => waiting.push(operand),
            ExprKind::Binary { left, right, .. } => waiting.extend([&**left, &**right]),
            ExprKind::Conditional { condition, then, otherwise } => {
                waiting.extend([&**condition, &**then, &**otherwise]);
            }
            ExprKind::Assign { target, value, .. } => waiting.extend([&**target, &**value]),
        }
    }
}
