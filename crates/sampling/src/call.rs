//! Calls of functions and the statements in them.

use super::failure::Result;
use super::machine::Machine;
use super::place::{Cell, Store};
use model::network::{Argument, Expr, ExprId, Extent, Function, Passing, Place, Statement, Type};

/// The result of a function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Returned {
    Nothing,
    Int(i32),
    Double(f64),
    /// A struct or an array, on the stack of frames.
    Cells(Cell, Extent),
}

impl Returned {
    pub fn int(self) -> i32 {
        match self {
            Returned::Int(value) => value,
            Returned::Double(value) => value as i32,
            Returned::Nothing | Returned::Cells(..) => 0,
        }
    }

    pub fn double(self) -> f64 {
        match self {
            Returned::Int(value) => f64::from(value),
            Returned::Double(value) => value,
            Returned::Nothing | Returned::Cells(..) => 0.0,
        }
    }
}

enum Flow {
    Next,
    Return(Returned),
}

/// Bytes of the thread's stack after which no further call is made; threads that sample have twice as much.
const STACK: usize = super::sampler::STACK / 2;

impl<'n> Machine<'n> {
    pub(super) fn call(&mut self, id: ExprId) -> Result<Returned> {
        let code = self.code();
        let Expr::Call { function, process, arguments } = code.expr(id) else {
            return self.failed(id, "no call");
        };
        let marker = 0u8;
        if self.bottom.abs_diff(std::ptr::from_ref(&marker) as usize) > STACK {
            return self.failed(id, "calls are nested too deeply");
        }
        self.tick(id)?;
        let function = code.function(*function);
        let owner = match process {
            Some(process) => self.process_index(process, id)?,
            None => self.process,
        };
        let top = self.frames.top();
        let references = self.frames.references.len();
        // The new frame stands above what the arguments need while they are computed.
        let frame = self.arguments(id, function, arguments)?;
        let before = (self.frames.base, self.frames.first_reference, self.process);
        (self.frames.base, self.frames.first_reference, self.process) = (frame, references, owner);
        let result = self.body(id, function);
        (self.frames.base, self.frames.first_reference, self.process) = before;
        self.frames.references.truncate(references);
        let result = result?;
        match result {
            Returned::Cells(cell, extent) => self.lower(cell, extent, top, id),
            other => {
                self.frames.release(top);
                Ok(other)
            }
        }
    }

    /// Moves the cells of a result down to where the frame of its function began.
    fn lower(&mut self, cell: Cell, extent: Extent, top: Extent, id: ExprId) -> Result<Returned> {
        let (ints, doubles) = self.cells_of(cell, extent, id)?;
        self.frames.release(top);
        Ok(Returned::Cells(self.push(ints, doubles), extent))
    }

    /// A copy of a value on the stack of frames, for when what follows may change the original.
    pub(super) fn snapshot(&mut self, cell: Cell, extent: Extent, id: ExprId) -> Result<Cell> {
        let (ints, doubles) = self.cells_of(cell, extent, id)?;
        Ok(self.push(ints, doubles))
    }

    fn cells_of(&self, cell: Cell, extent: Extent, id: ExprId) -> Result<(Vec<i32>, Vec<f64>)> {
        let ints = (0..extent.ints).map(|n| self.load_int(cell, n, id)).collect::<Result<Vec<i32>>>()?;
        let doubles = (0..extent.doubles).map(|n| self.load_double(cell, n, id)).collect::<Result<Vec<f64>>>()?;
        Ok((ints, doubles))
    }

    fn push(&mut self, ints: Vec<i32>, doubles: Vec<f64>) -> Cell {
        let cell = Cell { store: Store::Frames, offset: self.frames.top() };
        self.frames.ints.extend(ints);
        self.frames.doubles.extend(doubles);
        cell
    }

    /// Puts the arguments into a new frame, and gives where it starts.
    fn arguments(&mut self, id: ExprId, function: &'n Function, arguments: &[Argument]) -> Result<Extent> {
        let frame = self.frames.top();
        self.frames.ints.resize((frame.ints + function.frame.ints) as usize, 0);
        self.frames.doubles.resize((frame.doubles + function.frame.doubles) as usize, 0.0);
        let mut references =
            vec![Cell { store: Store::Constants, offset: Extent::default() }; function.references as usize];
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match (parameter.passing, argument) {
                (Passing::Reference(n), argument) => {
                    let cell = match argument {
                        Argument::Reference(place) => self.resolve(place, id)?,
                        Argument::Value(value) => self.temporary(*value, &parameter.ty)?,
                    };
                    if let Some(reference) = references.get_mut(n as usize) {
                        *reference = cell;
                    }
                }
                (Passing::Value(offset), Argument::Value(value)) => {
                    let target = Cell { store: Store::Frames, offset: frame + offset };
                    self.initialise(target, &parameter.ty, *value)?;
                }
                (Passing::Value(_), Argument::Reference(_)) => return self.failed(id, "a reference for a value"),
            }
        }
        self.frames.references.extend(references);
        Ok(frame)
    }

    /// A value of its own for a reference that cannot be changed.
    fn temporary(&mut self, value: ExprId, ty: &Type) -> Result<Cell> {
        let (cell, extent) = (Cell { store: Store::Frames, offset: self.frames.top() }, ty.extent());
        self.frames.ints.resize((cell.offset.ints + extent.ints) as usize, 0);
        self.frames.doubles.resize((cell.offset.doubles + extent.doubles) as usize, 0.0);
        self.initialise(cell, ty, value)?;
        Ok(cell)
    }

    fn initialise(&mut self, target: Cell, ty: &Type, value: ExprId) -> Result<()> {
        match ty {
            Type::Double => {
                let value_of = self.double(value)?;
                self.store_double(target, value_of, value)
            }
            _ if ty.is_aggregate() => {
                let (source, _) = self.aggregate(value)?;
                self.copy(source, target, ty, value)
            }
            _ => {
                let value_of = self.int(value)?;
                self.store_int(target, ty, value_of, value).map(|_| ())
            }
        }
    }

    fn body(&mut self, id: ExprId, function: &'n Function) -> Result<Returned> {
        for statement in &function.body {
            if let Flow::Return(value) = self.statement(statement, function)? {
                if let (Returned::Int(value), Type::Int(range)) = (value, &function.result)
                    && !range.contains(value)
                {
                    return self.failed(id, format!("the value {value} is outside the range {range}"));
                }
                return Ok(value);
            }
        }
        Ok(Returned::Nothing)
    }

    /// Runs an expression and gives back the stack that it used.
    fn run_and_release(&mut self, id: ExprId) -> Result<()> {
        let top = self.frames.top();
        self.run(id)?;
        self.frames.release(top);
        Ok(())
    }

    fn test(&mut self, id: ExprId) -> Result<bool> {
        let top = self.frames.top();
        let holds = self.truth(id)?;
        self.frames.release(top);
        Ok(holds)
    }

    fn statement(&mut self, statement: &'n Statement, function: &'n Function) -> Result<Flow> {
        match statement {
            Statement::Expr(expr) => self.run_and_release(*expr)?,
            Statement::Local { place, values } => {
                self.default_value(place);
                for (target, value) in values {
                    let top = self.frames.top();
                    let cell = self.resolve(target, *value)?;
                    self.initialise(cell, &target.ty, *value)?;
                    self.frames.release(top);
                }
            }
            Statement::Block(statements) => {
                for statement in statements {
                    if let Flow::Return(value) = self.statement(statement, function)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::While { condition, body } => {
                while self.test(*condition)? {
                    self.tick(*condition)?;
                    if let Flow::Return(value) = self.statement(body, function)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::DoWhile { body, condition } => loop {
                self.tick(*condition)?;
                if let Flow::Return(value) = self.statement(body, function)? {
                    return Ok(Flow::Return(value));
                }
                if !self.test(*condition)? {
                    break;
                }
            },
            Statement::For { init, condition, step, body } => {
                for expr in init {
                    self.run_and_release(*expr)?;
                }
                while self.test(*condition)? {
                    self.tick(*condition)?;
                    if let Flow::Return(value) = self.statement(body, function)? {
                        return Ok(Flow::Return(value));
                    }
                    for expr in step {
                        self.run_and_release(*expr)?;
                    }
                }
            }
            Statement::ForEach { slot, range, body } => {
                for value in range.lo..=range.hi {
                    self.frames.set_slot(*slot, value);
                    if let Flow::Return(value) = self.statement(body, function)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::If { arms, otherwise } => {
                for (condition, body) in arms {
                    if self.test(*condition)? {
                        return self.statement(body, function);
                    }
                }
                if let Some(body) = otherwise {
                    return self.statement(body, function);
                }
            }
            Statement::Return(None) => return Ok(Flow::Return(Returned::Nothing)),
            Statement::Return(Some(expr)) => {
                return Ok(Flow::Return(match &function.result {
                    Type::Double => Returned::Double(self.double(*expr)?),
                    Type::Void => {
                        self.run(*expr)?;
                        Returned::Nothing
                    }
                    Type::Bool => Returned::Int(i32::from(self.truth(*expr)?)),
                    ty if ty.is_aggregate() => {
                        let (cell, extent) = self.aggregate(*expr)?;
                        Returned::Cells(cell, extent)
                    }
                    _ => Returned::Int(self.int(*expr)?),
                }));
            }
            Statement::Assert(condition) => {
                if !self.test(*condition)? {
                    return self.failed(*condition, "the assertion does not hold");
                }
            }
        }
        Ok(Flow::Next)
    }

    /// A local variable comes to life.
    fn default_value(&mut self, place: &Place) {
        let mut at = (self.frames.base.ints + place.offset.ints) as usize;
        let ints = &mut self.frames.ints;
        match &place.ty {
            Type::Bool => drop(ints.get_mut(at).map(|cell| *cell = 0)),
            ty => ty.for_each_int(&mut |range| {
                if let Some(cell) = ints.get_mut(at) {
                    *cell = if range.contains(0) { 0 } else { range.lo };
                }
                at += 1;
            }),
        }
        let at = (self.frames.base.doubles + place.offset.doubles) as usize;
        let len = place.ty.extent().doubles as usize;
        if let Some(cells) = self.frames.doubles.get_mut(at..at + len) {
            cells.fill(0.0);
        }
    }
}
