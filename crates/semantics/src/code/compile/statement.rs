//! Bodies of functions.

use super::{Compile, Compiler, Operand};
use crate::code::error::RunErrorKind;
use crate::code::op::Op;
use crate::code::traits::{Kind, kind_of};
use model::network::{ExprId, Function, Place, Statement, Type};
use model::source::Span;

impl<'n> Compiler<'_, 'n> {
    pub(super) fn function_body(&mut self, function: &'n Function) -> Compile<()> {
        self.function = Some(function);
        if self.has_values() && function.result.is_aggregate() {
            // Its integers and its doubles come to the start of the frame one after the other.
            let cells = self.cells_for(function.result.extent());
            self.next = self.next.max(cells);
            self.tables.window = self.tables.window.max(self.next);
        }
        self.statements(&function.body)?;
        self.emit(Op::Return);
        Ok(())
    }

    fn statements(&mut self, statements: &[Statement]) -> Compile<()> {
        statements.iter().try_for_each(|statement| self.scoped(|compiler| compiler.statement(statement)))
    }

    fn statement(&mut self, statement: &Statement) -> Compile<()> {
        match statement {
            Statement::Expr(id) => self.effect(*id),
            Statement::Local { place, values } => self.local(place, values),
            Statement::Block(statements) => self.statements(statements),
            Statement::While { condition, body } => {
                let (again, end) = (self.label(), self.label());
                self.place(again);
                self.branch(*condition, end, false)?;
                self.statement(body)?;
                self.back(again.0, *condition);
                self.place(end);
                Ok(())
            }
            Statement::DoWhile { body, condition } => {
                let (again, end) = (self.label(), self.label());
                self.place(again);
                self.statement(body)?;
                self.branch(*condition, end, false)?;
                self.back(again.0, *condition);
                self.place(end);
                Ok(())
            }
            Statement::For { init, condition, step, body } => {
                init.iter().try_for_each(|id| self.effect(*id))?;
                let (again, end) = (self.label(), self.label());
                self.place(again);
                self.branch(*condition, end, false)?;
                self.statement(body)?;
                step.iter().try_for_each(|id| self.effect(*id))?;
                self.back(again.0, *condition);
                self.place(end);
                Ok(())
            }
            Statement::ForEach { slot, range, body } => {
                let first = self.first_span(body);
                let Some(span) = first else { return Ok(()) };
                self.counted(*slot, *range, span, |compiler| compiler.statement(body))
            }
            Statement::If { arms, otherwise } => {
                let end = self.label();
                for (n, (condition, body)) in arms.iter().enumerate() {
                    let next = self.label();
                    self.branch(*condition, next, false)?;
                    self.statement(body)?;
                    if n + 1 < arms.len() || otherwise.is_some() {
                        self.emit(Op::Jump { to: end.0 });
                    }
                    self.place(next);
                }
                if let Some(body) = otherwise {
                    self.statement(body)?;
                }
                self.place(end);
                Ok(())
            }
            Statement::Return(None) => {
                self.emit(Op::Return);
                Ok(())
            }
            Statement::Return(Some(value)) => self.returned(*value),
            Statement::Assert(condition) => {
                let end = self.label();
                self.branch(*condition, end, true)?;
                self.fail(RunErrorKind::AssertionFailed, self.span(*condition));
                self.place(end);
                Ok(())
            }
        }
    }

    fn back(&mut self, to: u32, condition: ExprId) {
        let span = self.span(condition);
        self.emit_at(span, Op::Back { to });
    }

    /// A place to point at when a loop over a range uses up the steps; `None` when there is nothing to do.
    fn first_span(&self, body: &Statement) -> Option<Span> {
        let mut first = None;
        body.exprs(&mut |id| first = first.or(Some(id)));
        first.map(|id| self.span(id)).or(self.function.map(|function| function.span))
    }

    /// Default values, then the initialisers in order.
    fn local(&mut self, place: &Place, values: &[(Place, ExprId)]) -> Compile<()> {
        let whole = values.len() == 1 && values[0].0.offset == place.offset && values[0].0.ty == place.ty;
        if !whole {
            let mut at = self.cells + place.offset.ints;
            let mut run: Option<(u32, u32, i32)> = None;
            let ops = &mut self.tables.ops;
            let mut end = |run: Option<(u32, u32, i32)>| {
                if let Some((at, len, value)) = run {
                    ops.push(Op::Fill { at, len, value });
                }
            };
            place.ty.for_each_int(&mut |range| {
                let value = if range.contains(0) { 0 } else { range.lo };
                run = match run {
                    Some((start, len, same)) if same == value => Some((start, len + 1, value)),
                    other => {
                        end(other);
                        Some((at, 1, value))
                    }
                };
                at += 1;
            });
            end(run);
            if self.has_values() && place.ty.extent().doubles > 0 {
                let at = u32::from(self.double_cell(place.offset.doubles));
                self.emit(Op::Fill { at, len: 2 * place.ty.extent().doubles, value: 0 });
            }
        }
        for (target, value) in values {
            let span = self.span(*value);
            self.scoped(|compiler| match kind_of(&target.ty) {
                Kind::Int => compiler.assign_int(target, None, *value, None, span).map(|_| ()),
                Kind::Cells => compiler.assign_cells(target, *value, span).map(|_| ()),
                Kind::Double if compiler.has_values() => {
                    let d = compiler.block(2, span)?;
                    compiler.assign_double(target, *value, d, span).map(|_| ())
                }
                Kind::Double | Kind::Void => compiler.effect_if_writes(*value),
            })?;
        }
        Ok(())
    }

    fn returned(&mut self, value: ExprId) -> Compile<()> {
        let span = self.span(value);
        let result = self.function.map_or(&Type::Void, |function| &function.result);
        match kind_of(result) {
            Kind::Int => {
                let t = self.temporary(span)?;
                let operand = self.int(value, t)?;
                let fitting = self.fitting(operand, result, self.value_range(value), t, span);
                let a = match fitting {
                    Operand::Reg(a) => a,
                    fitting => self.in_register(fitting, t),
                };
                self.emit(Op::ReturnValue { a });
            }
            Kind::Cells => {
                let s = self.cells(value)?;
                let d = self.frame_pair(0, result.extent().ints, span)?;
                self.copy(d, s, result, self.type_of(value), span);
                self.emit(Op::Return);
            }
            Kind::Double if self.has_values() => {
                let t = self.block(2, span)?;
                let a = self.double(value, t)?;
                self.emit(Op::DoubleMove { d: 0, a });
                self.emit(Op::Return);
            }
            Kind::Void if self.has_values() => {
                self.effect(value)?;
                self.emit(Op::Return);
            }
            Kind::Double | Kind::Void => {
                self.effect_if_writes(value)?;
                self.emit(Op::Return);
            }
        }
        Ok(())
    }
}
