//! Functions and their statements.

use super::place::{Cell, Store, fitting};
use super::{CALLS, Frame, Interpreter, Result, Value};
use crate::error::ErrorKind;
use model::network::*;
use std::rc::Rc;

/// What comes after a statement.
enum Flow {
    Next,
    Return(Value),
}

impl Interpreter<'_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        function: FunctionId,
        process: Option<&ProcessRef>,
        arguments: &[Argument],
    ) -> Result<Value> {
        let span = self.network.code.span(id);
        let function = self.network.code.function(function);
        if self.frames.len() > CALLS {
            return self.error(ErrorKind::Endless, id, "functions call each other without end");
        }
        // Whose variables the function works on is decided where it is called.
        let callee = match process {
            Some(process) => Some(self.process_of(process)?),
            None => self.process,
        };
        let nowhere = Cell { store: Store::Value(Rc::from([])), offset: Extent::default() };
        let mut references = vec![nowhere; function.references as usize];
        let mut values = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match (parameter.passing, argument) {
                (Passing::Reference(n), argument) => {
                    let cell = match argument {
                        Argument::Reference(place) => self.resolve(place, span)?,
                        Argument::Value(value) if parameter.ty == Type::Double => {
                            self.effects(*value)?;
                            Cell { store: Store::Value(Rc::from([])), offset: Extent::default() }
                        }
                        Argument::Value(value) => {
                            let given = self.value(*value)?;
                            let ints = match fitting(given, &parameter.ty, span)? {
                                Value::Int(value) => [value].into(),
                                Value::Cells { ints, .. } => ints,
                                Value::Real | Value::Void => Rc::from([]),
                            };
                            Cell { store: Store::Value(ints), offset: Extent::default() }
                        }
                    };
                    if let Some(reference) = references.get_mut(n as usize) {
                        *reference = cell;
                    }
                }
                (Passing::Value(_), Argument::Value(value)) if parameter.ty == Type::Double => self.effects(*value)?,
                (Passing::Value(offset), Argument::Value(value)) => {
                    let value = self.value(*value)?;
                    values.push((offset, &parameter.ty, value));
                }
                (Passing::Value(offset), Argument::Reference(place)) => {
                    let cell = self.resolve(place, span)?;
                    let value = self.load(&cell, &place.ty, span)?;
                    values.push((offset, &parameter.ty, value));
                }
            }
        }
        let caller = std::mem::replace(&mut self.process, callee);
        self.frames.push(Frame { ints: vec![0; function.frame.ints as usize], references });
        let result = self.body(id, function, values);
        self.frames.pop();
        self.process = caller;
        result
    }

    fn body(&mut self, id: ExprId, function: &Function, values: Vec<(Extent, &Type, Value)>) -> Result<Value> {
        let span = self.network.code.span(id);
        let level = self.frames.len() - 1;
        for (offset, ty, value) in values {
            self.store(&Cell { store: Store::Frame(level), offset }, ty, value, span)?;
        }
        for statement in &function.body {
            if let Flow::Return(value) = self.statement(statement, function)? {
                return fitting(value, &function.result, span);
            }
        }
        match function.result {
            Type::Void => Ok(Value::Void),
            _ => self.error(ErrorKind::NoValue, id, format!("`{}` ends without a value", function.name)),
        }
    }

    fn statement(&mut self, statement: &Statement, function: &Function) -> Result<Flow> {
        match statement {
            Statement::Expr(expr) => {
                self.effect(*expr)?;
            }
            Statement::Local { place, values } => {
                self.set_to_default(place);
                values.iter().try_for_each(|(target, value)| self.initialise(target, *value))?;
            }
            Statement::Block(statements) => {
                for statement in statements {
                    if let Flow::Return(value) = self.statement(statement, function)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::While { condition, body } => {
                while self.truth(*condition)? {
                    if let Flow::Return(value) = self.statement(body, function)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::DoWhile { body, condition } => loop {
                if let Flow::Return(value) = self.statement(body, function)? {
                    return Ok(Flow::Return(value));
                }
                if !self.truth(*condition)? {
                    break;
                }
            },
            Statement::For { init, condition, step, body } => {
                for expr in init {
                    self.effect(*expr)?;
                }
                while self.truth(*condition)? {
                    if let Flow::Return(value) = self.statement(body, function)? {
                        return Ok(Flow::Return(value));
                    }
                    for expr in step {
                        self.effect(*expr)?;
                    }
                }
            }
            Statement::ForEach { slot, range, body } => {
                for value in range.lo..=range.hi {
                    self.set_slot(*slot, value);
                    if let Flow::Return(value) = self.statement(body, function)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::If { arms, otherwise } => {
                for (condition, body) in arms {
                    if self.truth(*condition)? {
                        return self.statement(body, function);
                    }
                }
                if let Some(body) = otherwise {
                    return self.statement(body, function);
                }
            }
            Statement::Return(None) => return Ok(Flow::Return(Value::Void)),
            Statement::Return(Some(expr)) if function.result == Type::Double => {
                self.effects(*expr)?;
                return Ok(Flow::Return(Value::Real));
            }
            Statement::Return(Some(expr)) => return Ok(Flow::Return(self.value(*expr)?)),
            Statement::Assert(condition) => {
                if !self.truth(*condition)? {
                    return self.error(ErrorKind::Assertion, *condition, "the assertion does not hold");
                }
            }
        }
        Ok(Flow::Next)
    }

    /// Gives a part of a local variable its value.
    fn initialise(&mut self, target: &Place, value: ExprId) -> Result<()> {
        let span = self.network.code.span(value);
        if target.ty == Type::Double {
            return self.effects(value);
        }
        let content = self.value(value)?;
        let cell = self.resolve(target, span)?;
        self.store(&cell, &target.ty, content, span)
    }

    /// 0, or the least value where 0 is outside the range.
    fn set_to_default(&mut self, place: &Place) {
        let Some(frame) = self.frames.last_mut() else { return };
        let mut cells = frame.ints.iter_mut().skip(place.offset.ints as usize);
        place.ty.for_each_int(&mut |range| {
            if let Some(cell) = cells.next() {
                *cell = if range.contains(0) { 0 } else { range.lo };
            }
        });
    }
}
