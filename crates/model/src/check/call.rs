//! Calls of functions: the model's own, built-in and foreign ones.

use super::Checker;
use super::operator::Operand;
use super::scope::{Foreign, Symbol};
use super::typed::{Kind, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{
    Argument, Builtin, BuiltinResult, Expr, FunctionId, FunctionParameter, Passing, ProcessRef, Range, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind};

impl Checker {
    pub(super) fn call(&mut self, callee: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Typed {
        let name = match &callee.kind {
            ExprKind::Name(name) => name,
            ExprKind::Member { base, member } => return self.member_call(base, member, arguments, span),
            _ => {
                self.error(Code::TYPE, callee.span, "only a function can be called");
                return Typed::error(span);
            }
        };
        let symbol = self.scopes.resolve(&name.name).map(|entry| entry.symbol.clone());
        let is_itself = self.context.function.as_ref().is_some_and(|function| function.name == name.name);
        match symbol {
            _ if is_itself && !matches!(symbol, Some(Symbol::Variable(_))) => {
                let message = format!("the function `{}` calls itself, and recursion is not allowed", name.name);
                self.report(Diagnostic::new(Code::RECURSION, callee.span, message).help("use a loop"));
                Typed::error(span)
            }
            Some(Symbol::Broken) => Typed::error(span),
            Some(Symbol::Function(id)) => self.call_function(id, None, arguments, span),
            Some(Symbol::Builtin(builtin)) => self.call_builtin(builtin, arguments, span),
            Some(Symbol::Foreign(foreign)) => self.call_foreign(&foreign, arguments, span),
            Some(Symbol::Processes(set)) => self.process_of_set(set, arguments, span),
            Some(_) => {
                self.error(Code::NOT_A_VALUE, callee.span, format!("`{}` is not a function", name.name));
                Typed::error(span)
            }
            None => {
                let message = format!("there is no function `{}`", name.name);
                self.report_unknown(Code::UNKNOWN_NAME, name, message);
                Typed::error(span)
            }
        }
    }

    /// `P.f(1)` in a query: the function works on the variables of that process.
    fn member_call(&mut self, base: &ast::Expr, member: &ast::Ident, arguments: &[ast::Expr], span: Span) -> Typed {
        let typed = self.expr(base);
        let (process, template) = match typed.kind {
            Kind::Process(process, template) => (process, template),
            Kind::Error => return Typed::error(span),
            other => {
                self.error(Code::TYPE, base.span, format!("{other} has no functions"));
                return Typed::error(span);
            }
        };
        match self.member_symbol(template, &member.name) {
            Some(Symbol::Function(id)) => self.call_function(id, Some(process), arguments, span),
            _ => {
                let name = &self.network.templates[template.index()].name;
                let message = format!("`{name}` has no function `{}`", member.name);
                self.error(Code::NO_MEMBER, member.span, message);
                Typed::error(span)
            }
        }
    }

    pub(super) fn call_function(
        &mut self,
        id: FunctionId,
        process: Option<ProcessRef>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Typed {
        let function = self.network.code.function(id);
        let (parameters, result) = (function.parameters.clone(), function.result.clone());
        let mut writes = function.writes;
        let name = function.name.clone();
        if let Some(context) = &mut self.context.function {
            context.writes |= function.writes;
            context.is_local |= function.is_local;
        }
        if !self.right_number(&name, parameters.len(), arguments, span) {
            return Typed::error(span);
        }
        let mut code = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let typed = self.expr(argument);
            writes |= typed.writes;
            if typed.is_error() {
                continue;
            }
            let Some((argument, written)) = self.argument(parameter, &typed) else { continue };
            writes |= written;
            code.push(argument);
        }
        if code.len() != parameters.len() {
            return Typed::error(span);
        }
        let id = self.code(Expr::Call { function: id, process, arguments: code }, span);
        match result {
            Type::Void => Typed { kind: Kind::Void(id), span, writes },
            ty => Typed::value(ty, id, span).writing(writes),
        }
    }

    pub(super) fn right_number(&mut self, name: &str, wanted: usize, arguments: &[ast::Expr], span: Span) -> bool {
        if arguments.len() == wanted {
            return true;
        }
        let plural = if wanted == 1 { "argument" } else { "arguments" };
        let given = match arguments.len() {
            0 => "none is given".to_owned(),
            1 => "1 is given".to_owned(),
            n => format!("{n} are given"),
        };
        let message = format!("`{name}` takes {wanted} {plural}, and {given}");
        self.error(Code::ARGUMENTS, span, message);
        false
    }

    /// One argument, and whether the call may change a variable through it; `None` when it does not fit (reported).
    fn argument(&mut self, parameter: &FunctionParameter, typed: &Typed) -> Option<(Argument, bool)> {
        if let Passing::Value(_) = parameter.passing {
            let value = match &parameter.ty {
                Type::Bool | Type::Int(_) => self.integral(typed).map(|(_, id)| id),
                Type::Double => {
                    let operand = self.operand(typed);
                    operand.map(|operand| self.double_of(operand, typed.span))
                }
                ty => {
                    let ty = ty.clone();
                    self.value(typed).filter(|(found, _)| self.equivalent(&ty, found)).map(|(_, id)| id)
                }
            };
            if value.is_none() {
                self.report_argument(parameter, typed);
            }
            return value.map(|id| (Argument::Value(id), false));
        }
        let constant = parameter.constant;
        match &typed.kind {
            Kind::Place { place, constant: fixed } if constant || !fixed || self.make_changeable(place) => {
                if !self.equivalent(&parameter.ty, &place.ty) {
                    let message = format!(
                        "a variable of type `{}` cannot be passed for the reference parameter `{} &{}`",
                        place.ty, parameter.ty, parameter.name
                    );
                    let help = "behind a reference the type must be the same, with the same range";
                    self.report(Diagnostic::new(Code::ARGUMENTS, typed.span, message).help(help));
                    return None;
                }
                if !constant {
                    self.note_write(place);
                }
                Some((Argument::Reference(place.clone()), !constant))
            }
            Kind::Value(ty, id) if constant && self.fits(&parameter.ty, ty) => Some((Argument::Value(*id), false)),
            _ => {
                let message = format!(
                    "the parameter `{}` is a reference and needs a variable that can be changed",
                    parameter.name
                );
                self.report(Diagnostic::new(Code::ARGUMENTS, typed.span, message));
                None
            }
        }
    }

    /// Whether a value of a type can be assigned to a variable of another.
    pub(super) fn fits(&self, target: &Type, value: &Type) -> bool {
        target.is_integral() && value.is_integral()
            || *target == Type::Double && value.is_integral()
            || self.equivalent(target, value)
    }

    fn report_argument(&mut self, parameter: &FunctionParameter, typed: &Typed) {
        let message = format!("{} does not fit the parameter `{} {}`", typed.kind, parameter.ty, parameter.name);
        self.error(Code::ARGUMENTS, typed.span, message);
    }

    fn call_builtin(&mut self, builtin: Builtin, arguments: &[ast::Expr], span: Span) -> Typed {
        if !self.right_number(builtin.name(), builtin.arity(), arguments, span) {
            return Typed::error(span);
        }
        let mut code = Vec::new();
        let mut writes = false;
        for argument in arguments {
            let typed = self.expr(argument);
            writes |= typed.writes;
            if typed.is_error() {
                return Typed::error(span);
            }
            let operand = match self.operand(&typed) {
                Some(Operand::Int(id)) if builtin == Builtin::Abs => Some(id),
                Some(_) if builtin == Builtin::Abs => None,
                Some(operand) => Some(self.double_of(operand, typed.span)),
                None => None,
            };
            let Some(operand) = operand else {
                let message = format!("`{}` does not work on {}", builtin.name(), typed.kind);
                let mut diagnostic = Diagnostic::new(Code::ARGUMENTS, typed.span, message);
                if builtin == Builtin::Abs {
                    diagnostic = diagnostic.help("`fabs` is the absolute value of a double");
                }
                self.report(diagnostic);
                return Typed::error(span);
            };
            code.push(operand);
        }
        let id = self.code(Expr::Builtin { function: builtin, arguments: code }, span);
        let ty = match builtin.result() {
            BuiltinResult::Int => Type::Int(Range::FULL),
            BuiltinResult::Double => Type::Double,
            BuiltinResult::Bool => Type::Bool,
        };
        Typed::value(ty, id, span).writing(writes)
    }

    fn call_foreign(&mut self, foreign: &Foreign, arguments: &[ast::Expr], span: Span) -> Typed {
        if !self.right_number("the foreign function", foreign.arity, arguments, span) {
            return Typed::error(span);
        }
        let mut writes = false;
        for argument in arguments {
            writes |= self.expr(argument).writes;
        }
        let typed = self.unsupported("a function of a shared library", foreign.result.clone(), span);
        match (&foreign.result, typed.kind) {
            (Type::Void, Kind::Value(_, id)) => Typed { kind: Kind::Void(id), span, writes: true },
            (_, kind) => Typed { kind, span, writes },
        }
    }
}
