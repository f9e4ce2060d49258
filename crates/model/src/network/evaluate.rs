//! Evaluation before the system runs: constants, sizes, initial values, and the invariants of the initial state.
//!
//! A plain tree walk. It reads constants always, constants of a process as far as they are known, and the state only when
//! one is given. Steps are counted, so that an initialiser with an endless loop ends in an error.

use super::arithmetic::{double_binary, double_builtin, int_binary};
use super::code::*;
use super::types::{Extent, Type};
use super::{Constants, ExprId, Process, Reference, ReferenceStore};
use crate::limits;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Quantifier};

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Int(i32),
    Double(f64),
    /// A struct or an array: its cells in order.
    Cells {
        ints: Vec<i32>,
        doubles: Vec<f64>,
    },
    Void,
}

impl Value {
    /// Its integer and its double cells.
    pub fn cells(self) -> (Vec<i32>, Vec<f64>) {
        match self {
            Value::Int(value) => (vec![value], Vec::new()),
            Value::Double(value) => (Vec::new(), vec![value]),
            Value::Cells { ints, doubles } => (ints, doubles),
            Value::Void => (Vec::new(), Vec::new()),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum EvalError {
    /// Reads something that exists only while the system runs.
    NotConstant(Span),
    /// Depends on a template parameter that has no value yet, or on a foreign function.
    Unknown,
    /// Division by zero, index out of range and the like.
    Failed(Span, String),
}

type Result<T> = std::result::Result<T, EvalError>;

/// Value parameters and constants of a process: known or not, and which parameters each cell depends on, as a bit set.
#[derive(Clone, Default, Debug)]
pub struct LocalConstants {
    pub ints: Vec<Option<i32>>,
    pub doubles: Vec<Option<f64>>,
    pub int_origins: Vec<u64>,
    pub double_origins: Vec<u64>,
    /// Reference parameters that nothing can change, so that they have a value once they are bound.
    pub constant_references: Vec<u32>,
}

/// The initial state, for evaluating invariants in it.
#[derive(Clone, Copy)]
pub struct StateView<'a> {
    pub ints: &'a [i32],
    pub doubles: &'a [f64],
    pub clocks: &'a [super::Clock],
    pub process: &'a Process,
}

pub struct Evaluator<'a> {
    pub code: &'a Code,
    pub constants: &'a Constants,
    pub local: &'a LocalConstants,
    pub references: &'a [Reference],
    pub state: Option<StateView<'a>>,
    frames: Vec<Frame>,
    steps: u64,
    allowed: u64,
    /// What is being evaluated, to point at when the steps run out.
    last: Option<ExprId>,
    /// The parameters that were read on the way, known or not.
    pub origins: u64,
}

/// A cell without a value belongs to a select or quantifier variable that nothing has bound yet.
#[derive(Default)]
struct Frame {
    ints: Vec<Option<i32>>,
    doubles: Vec<f64>,
    references: Vec<Cell>,
}

/// Where a place leads after its indices are evaluated.
#[derive(Clone)]
struct Cell {
    store: Store,
    offset: Extent,
}

#[derive(Clone)]
enum Store {
    State,
    Constants,
    LocalConstants,
    Frame(usize),
    Value(Box<Value>),
}

enum Flow {
    Next,
    Return(Value),
}

impl<'a> Evaluator<'a> {
    pub fn new(code: &'a Code, constants: &'a Constants, local: &'a LocalConstants, frame: Extent) -> Evaluator<'a> {
        Evaluator {
            code,
            constants,
            local,
            references: &[],
            state: None,
            frames: vec![Frame::new(frame)],
            steps: 0,
            allowed: limits::EVALUATION_STEPS,
            last: None,
            origins: 0,
        }
    }

    /// Limits the steps that an evaluation may take before it counts as endless.
    pub fn with_steps(self, allowed: u64) -> Evaluator<'a> {
        Evaluator { allowed, ..self }
    }

    /// How many steps were taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn int(&mut self, id: ExprId) -> Result<i32> {
        match self.value(id)? {
            Value::Int(value) => Ok(value),
            Value::Double(value) => Ok(value as i32),
            Value::Cells { .. } | Value::Void => Err(self.failed(id, "no number")),
        }
    }

    fn double(&mut self, id: ExprId) -> Result<f64> {
        match self.value(id)? {
            Value::Int(value) => Ok(f64::from(value)),
            Value::Double(value) => Ok(value),
            Value::Cells { .. } | Value::Void => Err(self.failed(id, "no number")),
        }
    }

    fn truth(&mut self, id: ExprId) -> Result<bool> {
        Ok(match self.value(id)? {
            Value::Double(value) => value != 0.0,
            Value::Int(value) => value != 0,
            Value::Cells { .. } | Value::Void => false,
        })
    }

    fn failed(&self, id: ExprId, reason: &str) -> EvalError {
        EvalError::Failed(self.code.span(id), reason.to_owned())
    }

    fn tick(&mut self, steps: u64) -> Result<()> {
        self.steps += steps;
        match self.last {
            Some(id) if self.steps > self.allowed => {
                Err(self.failed(id, "it takes too long to compute, perhaps forever"))
            }
            _ => Ok(()),
        }
    }

    pub fn value(&mut self, id: ExprId) -> Result<Value> {
        self.last = Some(id);
        self.tick(1)?;
        let code = self.code;
        Ok(match code.expr(id) {
            Expr::Int(value) => Value::Int(*value),
            Expr::Double(value) => Value::Double(*value),
            Expr::Read(place) => {
                let cell = self.resolve(place, id)?;
                self.load(&cell, &place.ty, id)?
            }
            Expr::ToDouble(operand) => Value::Double(self.double(*operand)?),
            Expr::Negate(Number::Int, operand) => Value::Int(self.int(*operand)?.wrapping_neg()),
            Expr::Negate(Number::Double, operand) => Value::Double(-self.double(*operand)?),
            Expr::Not(operand) => Value::Int(i32::from(!self.truth(*operand)?)),
            Expr::And(left, right) => Value::Int(i32::from(self.truth(*left)? && self.truth(*right)?)),
            Expr::Or(left, right) => Value::Int(i32::from(self.truth(*left)? || self.truth(*right)?)),
            Expr::Binary { op, number: Number::Int, left, right } => {
                let (left, right) = (self.int(*left)?, self.int(*right)?);
                Value::Int(int_binary(*op, left, right).map_err(|reason| self.failed(id, reason))?)
            }
            Expr::Binary { op, number: Number::Double, left, right } => {
                let (left, right) = (self.double(*left)?, self.double(*right)?);
                double_binary(*op, left, right)
                    .ok_or_else(|| self.failed(id, "an operator that doubles do not have"))?
            }
            Expr::SameValue { left, right } => Value::Int(i32::from(self.value(*left)? == self.value(*right)?)),
            Expr::Conditional { condition, then, otherwise } => {
                if self.truth(*condition)? {
                    self.value(*then)?
                } else {
                    self.value(*otherwise)?
                }
            }
            Expr::ClockConstraint(constraint) => {
                let plus = self.clock(constraint.plus.as_ref(), id)?;
                let minus = self.clock(constraint.minus.as_ref(), id)?;
                let bound = f64::from(self.int(constraint.bound)?);
                let difference = plus - minus;
                Value::Int(i32::from(match constraint.relation {
                    Relation::Lt => difference < bound,
                    Relation::Le => difference <= bound,
                    Relation::Eq => difference == bound,
                    Relation::Ne => difference != bound,
                    Relation::Ge => difference >= bound,
                    Relation::Gt => difference > bound,
                }))
            }
            Expr::ClockValue(place) => Value::Double(self.clock(Some(place), id)?),
            // A rate constrains no state.
            Expr::Rate { .. } => Value::Int(1),
            Expr::Assign { target, op, value } => self.assign(id, target, *op, *value)?,
            Expr::Step { target, delta, postfix } => {
                let cell = self.resolve(target, id)?;
                let Value::Int(old) = self.load(&cell, &target.ty, id)? else {
                    return Err(self.failed(id, "no number"));
                };
                let new = old.wrapping_add(*delta);
                self.store(&cell, &target.ty, Value::Int(new), id)?;
                Value::Int(if *postfix { old } else { new })
            }
            Expr::Sequence(first, second) => {
                self.value(*first)?;
                self.value(*second)?
            }
            Expr::Call { function, process: None, arguments } => self.call(id, code.function(*function), arguments)?,
            Expr::Builtin { function, arguments } => self.builtin(id, *function, arguments)?,
            Expr::Quantified { quantifier, number, slot, range, body } => {
                self.quantified(*quantifier, *number, *slot, *range, *body)?
            }
            Expr::Unsupported(_) => return Err(EvalError::Unknown),
            Expr::SetClock { .. }
            | Expr::Call { process: Some(_), .. }
            | Expr::LocationIs { .. }
            | Expr::LocationOf { .. }
            | Expr::Deadlock => return Err(EvalError::NotConstant(code.span(id))),
        })
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        number: Number,
        slot: u32,
        range: super::Range,
        body: ExprId,
    ) -> Result<Value> {
        let mut sum = 0i32;
        let mut double_sum = 0.0;
        for value in range.lo..=range.hi {
            self.tick(1)?;
            self.set_slot(slot, value);
            match quantifier {
                Quantifier::Forall if !self.truth(body)? => return Ok(Value::Int(0)),
                Quantifier::Exists if self.truth(body)? => return Ok(Value::Int(1)),
                Quantifier::Forall | Quantifier::Exists => {}
                Quantifier::Sum | Quantifier::Foreach if number == Number::Int => {
                    sum = sum.wrapping_add(self.int(body)?)
                }
                Quantifier::Sum | Quantifier::Foreach => double_sum += self.double(body)?,
            }
        }
        Ok(match (quantifier, number) {
            (Quantifier::Forall, _) => Value::Int(1),
            (Quantifier::Exists, _) => Value::Int(0),
            (_, Number::Int) => Value::Int(sum),
            (_, Number::Double) => Value::Double(double_sum),
        })
    }

    /// The value first, then the place it goes to, which is found once: looking for it may change things.
    fn assign(&mut self, id: ExprId, target: &Place, op: Option<BinaryOp>, value: ExprId) -> Result<Value> {
        let value = match op {
            None => self.value(value)?,
            Some(_) => Value::Int(self.int(value)?),
        };
        let cell = self.resolve(target, id)?;
        let value = match (op, value) {
            (Some(op), Value::Int(right)) => {
                let Value::Int(left) = self.load(&cell, &target.ty, id)? else {
                    return Err(self.failed(id, "no number"));
                };
                Value::Int(int_binary(op, left, right).map_err(|reason| self.failed(id, reason))?)
            }
            (_, value) => value,
        };
        self.store(&cell, &target.ty, value, id)?;
        self.load(&cell, &target.ty, id)
    }

    fn clock(&mut self, place: Option<&Place>, id: ExprId) -> Result<f64> {
        let Some(place) = place else { return Ok(0.0) };
        let cell = self.resolve(place, id)?;
        let (Store::State, Some(state)) = (&cell.store, self.state) else {
            return Err(EvalError::NotConstant(self.code.span(id)));
        };
        match state.clocks.get(cell.offset.clocks as usize).map(|clock| clock.initial) {
            Some(super::ClockInitial::Int(value)) => Ok(f64::from(value)),
            Some(super::ClockInitial::Double(value)) => Ok(value),
            None => Err(self.failed(id, "no such clock")),
        }
    }

    fn set_slot(&mut self, slot: u32, value: i32) {
        if let Some(frame) = self.frames.last_mut() {
            let slot = slot as usize;
            if frame.ints.len() <= slot {
                frame.ints.resize(slot + 1, None);
            }
            frame.ints[slot] = Some(value);
        }
    }

    fn resolve(&mut self, place: &Place, id: ExprId) -> Result<Cell> {
        let not_constant = || EvalError::NotConstant(self.code.span(id));
        let mut cell = match &place.base {
            Base::Global => Cell { store: Store::State, offset: Extent::default() },
            Base::Constant => Cell { store: Store::Constants, offset: Extent::default() },
            Base::Local => {
                let state = self.state.ok_or_else(not_constant)?;
                Cell { store: Store::State, offset: state.process.state }
            }
            Base::LocalConstant => Cell { store: Store::LocalConstants, offset: Extent::default() },
            Base::Parameter(n) => {
                if self.references.is_empty() && self.local.constant_references.contains(n) {
                    return Err(EvalError::Unknown);
                }
                let reference = self.references.get(*n as usize).ok_or_else(not_constant)?;
                let store = match reference.store {
                    ReferenceStore::State => Store::State,
                    ReferenceStore::Constants => Store::Constants,
                };
                Cell { store, offset: reference.offset }
            }
            Base::Frame => Cell { store: Store::Frame(self.frames.len() - 1), offset: Extent::default() },
            Base::FrameReference(n) => self
                .frames
                .last()
                .and_then(|frame| frame.references.get(*n as usize).cloned())
                .ok_or_else(not_constant)?,
            Base::Member(..) => return Err(not_constant()),
            Base::Value(value) => {
                Cell { store: Store::Value(Box::new(self.value(*value)?)), offset: Extent::default() }
            }
        };
        cell.offset = cell.offset + place.offset;
        for index in &place.indices {
            let value = self.int(index.value)?;
            let at = i64::from(value) - i64::from(index.lo);
            if at < 0 || at >= i64::from(index.len) {
                let last = i64::from(index.lo) + i64::from(index.len) - 1;
                let reason = format!("the index {value} is outside {}..{last}", index.lo);
                return Err(EvalError::Failed(self.code.span(index.value), reason));
            }
            cell.offset = cell.offset + index.stride.times(at as u64).unwrap_or_default();
        }
        Ok(cell)
    }

    fn load(&mut self, cell: &Cell, ty: &Type, id: ExprId) -> Result<Value> {
        match ty {
            Type::Struct(_) | Type::Array(_) => {}
            Type::Double => return self.load_double(cell, 0, id).map(Value::Double),
            _ => return self.load_int(cell, 0, id).map(Value::Int),
        }
        let extent = ty.extent();
        self.tick(extent.cells())?;
        let ints = (0..extent.ints).map(|n| self.load_int(cell, n, id)).collect::<Result<Vec<_>>>()?;
        let doubles = (0..extent.doubles).map(|n| self.load_double(cell, n, id)).collect::<Result<Vec<_>>>()?;
        Ok(Value::Cells { ints, doubles })
    }

    fn load_int(&mut self, cell: &Cell, n: u32, id: ExprId) -> Result<i32> {
        let at = (cell.offset.ints + n) as usize;
        let value = match &cell.store {
            Store::State => match self.state {
                Some(state) => state.ints.get(at).copied(),
                None => return Err(EvalError::NotConstant(self.code.span(id))),
            },
            Store::Constants => self.constants.ints.get(at).copied(),
            Store::LocalConstants => {
                self.origins |= self.local.int_origins.get(at).copied().unwrap_or(0);
                return self.local.ints.get(at).copied().flatten().ok_or(EvalError::Unknown);
            }
            Store::Frame(level) => match self.frames.get(*level).and_then(|frame| frame.ints.get(at).copied()) {
                Some(Some(value)) => Some(value),
                _ => return Err(EvalError::NotConstant(self.code.span(id))),
            },
            Store::Value(value) => match &**value {
                Value::Cells { ints, .. } => ints.get(at).copied(),
                Value::Int(value) => Some(*value),
                Value::Double(_) | Value::Void => None,
            },
        };
        value.ok_or_else(|| self.failed(id, "no value"))
    }

    fn load_double(&mut self, cell: &Cell, n: u32, id: ExprId) -> Result<f64> {
        let at = (cell.offset.doubles + n) as usize;
        let value = match &cell.store {
            Store::State => match self.state {
                Some(state) => state.doubles.get(at).copied(),
                None => return Err(EvalError::NotConstant(self.code.span(id))),
            },
            Store::Constants => self.constants.doubles.get(at).copied(),
            Store::LocalConstants => {
                self.origins |= self.local.double_origins.get(at).copied().unwrap_or(0);
                return self.local.doubles.get(at).copied().flatten().ok_or(EvalError::Unknown);
            }
            Store::Frame(level) => self.frames.get(*level).and_then(|frame| frame.doubles.get(at).copied()),
            Store::Value(value) => match &**value {
                Value::Cells { doubles, .. } => doubles.get(at).copied(),
                Value::Double(value) => Some(*value),
                Value::Int(_) | Value::Void => None,
            },
        };
        value.ok_or_else(|| self.failed(id, "no value"))
    }

    /// Only cells of frames can be written before the system runs.
    fn store(&mut self, cell: &Cell, ty: &Type, value: Value, id: ExprId) -> Result<()> {
        let span = self.code.span(id);
        let value = fit(value, ty).map_err(|reason| EvalError::Failed(span, reason))?;
        let Store::Frame(level) = cell.store else { return Err(EvalError::NotConstant(span)) };
        let Some(frame) = self.frames.get_mut(level) else { return Err(EvalError::NotConstant(span)) };
        if let Value::Int(value) = value {
            if let Some(cell) = frame.ints.get_mut(cell.offset.ints as usize) {
                *cell = Some(value);
            }
            return Ok(());
        }
        let (ints, doubles) = value.cells();
        let at = cell.offset.ints as usize;
        for (cell, value) in frame.ints.iter_mut().skip(at).zip(ints) {
            *cell = Some(value);
        }
        let at = cell.offset.doubles as usize;
        if let Some(target) = frame.doubles.get_mut(at..at + doubles.len()) {
            target.copy_from_slice(&doubles);
        }
        Ok(())
    }

    fn call(&mut self, id: ExprId, function: &'a Function, arguments: &[Argument]) -> Result<Value> {
        let mut frame = Frame::new(function.frame);
        frame.references =
            vec![Cell { store: Store::Constants, offset: Extent::default() }; function.references as usize];
        let mut values = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match (parameter.passing, argument) {
                (Passing::Reference(n), Argument::Reference(place)) => {
                    let cell = self.resolve(place, id)?;
                    if let Some(reference) = frame.references.get_mut(n as usize) {
                        *reference = cell;
                    }
                }
                (Passing::Reference(n), Argument::Value(value)) => {
                    let span = self.code.span(*value);
                    let value =
                        fit(self.value(*value)?, &parameter.ty).map_err(|reason| EvalError::Failed(span, reason))?;
                    if let Some(reference) = frame.references.get_mut(n as usize) {
                        *reference = Cell { store: Store::Value(Box::new(value)), offset: Extent::default() };
                    }
                }
                (Passing::Value(offset), Argument::Value(value)) => {
                    values.push((offset, &parameter.ty, self.value(*value)?));
                }
                (Passing::Value(_), Argument::Reference(_)) => return Err(self.failed(id, "a reference for a value")),
            }
        }
        self.frames.push(frame);
        let level = self.frames.len() - 1;
        let result = (|| {
            for (offset, ty, value) in values {
                self.store(&Cell { store: Store::Frame(level), offset }, ty, value, id)?;
            }
            for statement in &function.body {
                if let Flow::Return(value) = self.statement(statement)? {
                    return fit(value, &function.result)
                        .map_err(|reason| EvalError::Failed(self.code.span(id), reason));
                }
            }
            Ok(Value::Void)
        })();
        self.frames.pop();
        result
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<Flow> {
        match statement {
            Statement::Expr(expr) => {
                self.value(*expr)?;
            }
            Statement::Local { place, values } => {
                self.default_value(place);
                for (target, value) in values {
                    let cell = self.resolve(target, *value)?;
                    let content = self.value(*value)?;
                    self.store(&cell, &target.ty, content, *value)?;
                }
            }
            Statement::Block(statements) => {
                for statement in statements {
                    if let Flow::Return(value) = self.statement(statement)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::While { condition, body } => {
                while self.truth(*condition)? {
                    if let Flow::Return(value) = self.statement(body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::DoWhile { body, condition } => loop {
                if let Flow::Return(value) = self.statement(body)? {
                    return Ok(Flow::Return(value));
                }
                if !self.truth(*condition)? {
                    break;
                }
            },
            Statement::For { init, condition, step, body } => {
                for expr in init {
                    self.value(*expr)?;
                }
                while self.truth(*condition)? {
                    if let Flow::Return(value) = self.statement(body)? {
                        return Ok(Flow::Return(value));
                    }
                    for expr in step {
                        self.value(*expr)?;
                    }
                }
            }
            Statement::ForEach { slot, range, body } => {
                for value in range.lo..=range.hi {
                    self.tick(1)?;
                    self.set_slot(*slot, value);
                    if let Flow::Return(value) = self.statement(body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::If { arms, otherwise } => {
                for (condition, body) in arms {
                    if self.truth(*condition)? {
                        return self.statement(body);
                    }
                }
                if let Some(body) = otherwise {
                    return self.statement(body);
                }
            }
            Statement::Return(None) => return Ok(Flow::Return(Value::Void)),
            Statement::Return(Some(expr)) => return Ok(Flow::Return(self.value(*expr)?)),
            Statement::Assert(condition) => {
                if !self.truth(*condition)? {
                    return Err(self.failed(*condition, "the assertion does not hold"));
                }
            }
        }
        Ok(Flow::Next)
    }

    fn default_value(&mut self, place: &Place) {
        let Some(frame) = self.frames.last_mut() else { return };
        let mut at = place.offset.ints as usize;
        place.ty.for_each_int(&mut |range| {
            if let Some(cell) = frame.ints.get_mut(at) {
                *cell = Some(if range.contains(0) { 0 } else { range.lo });
            }
            at += 1;
        });
        let at = place.offset.doubles as usize;
        let len = place.ty.extent().doubles as usize;
        if let Some(cells) = frame.doubles.get_mut(at..at + len) {
            cells.fill(0.0);
        }
    }

    fn builtin(&mut self, id: ExprId, function: Builtin, arguments: &[ExprId]) -> Result<Value> {
        if function.is_random() {
            return Err(EvalError::NotConstant(self.code.span(id)));
        }
        if let (Builtin::Abs, [argument]) = (function, arguments) {
            return Ok(Value::Int(self.int(*argument)?.wrapping_abs()));
        }
        let values = arguments.iter().map(|argument| self.double(*argument)).collect::<Result<Vec<_>>>()?;
        double_builtin(function, &values).ok_or_else(|| self.failed(id, "cannot be computed before the system runs"))
    }
}

impl Frame {
    fn new(extent: Extent) -> Frame {
        Frame {
            ints: vec![None; extent.ints as usize],
            doubles: vec![0.0; extent.doubles as usize],
            references: Vec::new(),
        }
    }
}

/// A value as a variable of the type holds it, or why it does not fit.
pub(crate) fn fit(value: Value, ty: &Type) -> std::result::Result<Value, String> {
    match (ty, value) {
        (Type::Bool, Value::Int(value)) => Ok(Value::Int(i32::from(value != 0))),
        (Type::Int(range), Value::Int(value)) if !range.contains(value) => {
            Err(format!("the value {value} is outside the range {range}"))
        }
        (Type::Double, Value::Int(value)) => Ok(Value::Double(f64::from(value))),
        (Type::Struct(_) | Type::Array(_), Value::Cells { ints, doubles }) => {
            let mut at = 0;
            let mut wrong = None;
            ty.for_each_int(&mut |range| {
                if let Some(value) = ints.get(at).copied().filter(|value| !range.contains(*value)) {
                    wrong.get_or_insert_with(|| format!("the value {value} is outside the range {range}"));
                }
                at += 1;
            });
            wrong.map_or(Ok(Value::Cells { ints, doubles }), Err)
        }
        (_, value) => Ok(value),
    }
}
