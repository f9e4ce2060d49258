//! The same language by a plain tree walk over the network, written without looking at the compiler: the judge of the
//! differential tests and the rival of the benchmarks.
//!
//! Clocks have a value here, in half units, so that a condition over clocks is true or false.

use model::network::*;
use model::syntax::ast::{BinaryOp, Quantifier};
use semantics::code::{ClockUpdate, Discrete, RunErrorKind};
use std::rc::Rc;

pub type Result<T> = std::result::Result<T, RunErrorKind>;

pub struct Naive<'a> {
    pub network: &'a Network,
    pub process: usize,
    pub state: Discrete,
    /// Twice the value of each clock.
    pub clocks: Vec<i64>,
    pub deadlock: bool,
    pub resets: Vec<ClockUpdate>,
    frames: Vec<Frame>,
}

#[derive(Default)]
struct Frame {
    cells: Vec<i32>,
    references: Vec<Option<Cell>>,
}

#[derive(Clone)]
struct Cell {
    store: Store,
    offset: Extent,
}

#[derive(Clone)]
enum Store {
    State,
    Constants,
    Frame(usize),
    Value(Rc<Vec<i32>>),
}

enum Flow {
    Next,
    Return(Vec<i32>),
}

impl<'a> Naive<'a> {
    pub fn new(network: &'a Network, process: ProcessId, select: &[i32], state: &Discrete) -> Naive<'a> {
        let mut cells = vec![0; network.frame.ints as usize];
        cells[..select.len()].copy_from_slice(select);
        Naive {
            network,
            process: process.index(),
            state: state.clone(),
            clocks: vec![0; network.clocks.len()],
            deadlock: false,
            resets: Vec::new(),
            frames: vec![Frame { cells, references: Vec::new() }],
        }
    }

    pub fn set_select(&mut self, select: &[i32]) {
        self.frames[0].cells[..select.len()].copy_from_slice(select);
    }

    pub fn int(&mut self, id: ExprId) -> Result<i32> {
        Ok(self.value(id)?.first().copied().unwrap_or(0))
    }

    pub fn truth(&mut self, id: ExprId) -> Result<bool> {
        Ok(self.int(id)? != 0)
    }

    pub fn update(&mut self, exprs: &[ExprId]) -> Result<()> {
        exprs.iter().try_for_each(|id| self.value(*id).map(|_| ()))
    }

    pub fn channel(&mut self, place: &Place) -> Result<usize> {
        Ok(self.find(place)?.offset.channels as usize)
    }

    fn value(&mut self, id: ExprId) -> Result<Vec<i32>> {
        let one = |value: i32| Ok(vec![value]);
        match self.network.code.expr(id) {
            Expr::Int(value) => one(*value),
            Expr::Double(_) | Expr::ClockValue(_) => Ok(Vec::new()),
            Expr::ToDouble(operand) | Expr::Negate(Number::Double, operand) => {
                self.value(*operand)?;
                Ok(Vec::new())
            }
            Expr::Read(place) => {
                let cell = self.find(place)?;
                self.load(&cell, place.ty.extent().ints)
            }
            Expr::Negate(Number::Int, operand) => one(self.int(*operand)?.wrapping_neg()),
            Expr::Not(operand) => one(i32::from(!self.truth(*operand)?)),
            Expr::And(left, right) => one(i32::from(self.truth(*left)? && self.truth(*right)?)),
            Expr::Or(left, right) => one(i32::from(self.truth(*left)? || self.truth(*right)?)),
            Expr::Binary { op, left, right, .. } => {
                let left = self.int(*left)?;
                let right = self.int(*right)?;
                one(binary(*op, left, right)?)
            }
            Expr::SameValue { left, right } => {
                let left = self.value(*left)?;
                one(i32::from(left == self.value(*right)?))
            }
            Expr::Conditional { condition, then, otherwise } => {
                if self.truth(*condition)? {
                    self.value(*then)
                } else {
                    self.value(*otherwise)
                }
            }
            Expr::ClockConstraint(constraint) => {
                let plus = self.clock_value(constraint.plus.as_ref())?;
                let minus = self.clock_value(constraint.minus.as_ref())?;
                let bound = 2 * i64::from(self.int(constraint.bound)?);
                one(i32::from(holds(plus - minus, constraint.relation, bound)))
            }
            Expr::Rate { .. } => one(1),
            Expr::Assign { target, op, value } => {
                let mut new = self.value(*value)?;
                let cell = self.find(target)?;
                if let Some(op) = op {
                    let old = self.load(&cell, 1)?[0];
                    new = vec![binary(*op, old, new[0])?];
                }
                self.store(&cell, &target.ty, new)
            }
            Expr::Step { target, delta, postfix } => {
                let cell = self.find(target)?;
                let old = self.load(&cell, 1)?[0];
                let new = self.store(&cell, &target.ty, vec![old.wrapping_add(*delta)])?;
                if *postfix { one(old) } else { Ok(new) }
            }
            Expr::SetClock { target, source, offset } => {
                let offset = self.int(*offset)?;
                let source = match source {
                    Some(place) => Some(self.clock(place)?),
                    None => None,
                };
                let target = self.clock(target)?;
                if source.is_none() && offset < 0 {
                    return Err(RunErrorKind::NegativeClock { value: offset });
                }
                self.resets.push(ClockUpdate { target, source, offset });
                Ok(Vec::new())
            }
            Expr::Sequence(first, second) => {
                self.value(*first)?;
                self.value(*second)
            }
            Expr::Call { function, process, arguments } => self.call(*function, process.as_ref(), arguments),
            Expr::Builtin { function: Builtin::Abs, arguments } => one(self.int(arguments[0])?.wrapping_abs()),
            Expr::Builtin { arguments, .. } => {
                arguments.iter().try_for_each(|id| self.value(*id).map(|_| ()))?;
                Ok(Vec::new())
            }
            Expr::Quantified { quantifier, slot, range, body, .. } => {
                let mut sum = 0i32;
                for value in range.lo..=range.hi {
                    self.frame().cells[*slot as usize] = value;
                    match quantifier {
                        Quantifier::Forall if !self.truth(*body)? => return one(0),
                        Quantifier::Exists if self.truth(*body)? => return one(1),
                        Quantifier::Sum => sum = sum.wrapping_add(self.int(*body)?),
                        _ => {}
                    }
                }
                match quantifier {
                    Quantifier::Forall => one(1),
                    Quantifier::Exists => one(0),
                    _ => one(sum),
                }
            }
            Expr::LocationIs { process, location } => {
                let process = self.process(process)?;
                one(i32::from(self.state.locations[process] == *location))
            }
            Expr::LocationOf { process } => {
                let process = self.process(process)?;
                one(self.state.locations[process].index() as i32)
            }
            Expr::Deadlock => one(i32::from(self.deadlock)),
            Expr::Unsupported(what) => Err(RunErrorKind::Unsupported(what)),
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap()
    }

    fn process(&mut self, process: &ProcessRef) -> Result<usize> {
        let mut number = process.first.index() as i64;
        for index in &process.indices {
            let at = checked_index(self.int(index.value)?, index.range.lo, index.range.count() as u32)?;
            number += i64::from(at) * i64::from(index.stride);
        }
        Ok(number as usize)
    }

    fn find(&mut self, place: &Place) -> Result<Cell> {
        let network = self.network;
        let own = self.process;
        let bound = |process: usize, n: u32| {
            let reference = network.processes[process].references[n as usize];
            let store = match reference.store {
                ReferenceStore::State => Store::State,
                ReferenceStore::Constants => Store::Constants,
            };
            Cell { store, offset: reference.offset }
        };
        let start = Extent::default();
        let mut cell = match &place.base {
            Base::Global => Cell { store: Store::State, offset: start },
            Base::Constant => Cell { store: Store::Constants, offset: start },
            Base::Local => Cell { store: Store::State, offset: network.processes[own].state },
            Base::LocalConstant => Cell { store: Store::Constants, offset: network.processes[own].constants },
            Base::Parameter(n) => bound(own, *n),
            Base::Frame => Cell { store: Store::Frame(self.frames.len() - 1), offset: start },
            Base::FrameReference(n) => self.frame().references[*n as usize].clone().unwrap(),
            Base::Member(process, member) => {
                let process = self.process(process)?;
                match member {
                    MemberBase::Local => Cell { store: Store::State, offset: network.processes[process].state },
                    MemberBase::LocalConstant => {
                        Cell { store: Store::Constants, offset: network.processes[process].constants }
                    }
                    MemberBase::Parameter(n) => bound(process, *n),
                }
            }
            Base::Value(id) => Cell { store: Store::Value(Rc::new(self.value(*id)?)), offset: start },
        };
        cell.offset = cell.offset + place.offset;
        for index in &place.indices {
            let at = checked_index(self.int(index.value)?, index.lo, index.len)?;
            cell.offset = cell.offset + index.stride.times(u64::from(at)).unwrap();
        }
        Ok(cell)
    }

    fn clock(&mut self, place: &Place) -> Result<ClockId> {
        Ok(ClockId::new(self.find(place)?.offset.clocks as usize))
    }

    fn clock_value(&mut self, place: Option<&Place>) -> Result<i64> {
        let Some(place) = place else { return Ok(0) };
        let clock = self.clock(place)?;
        Ok(self.clocks[clock.index()])
    }

    fn load(&mut self, cell: &Cell, len: u32) -> Result<Vec<i32>> {
        let (at, len) = (cell.offset.ints as usize, len as usize);
        let cells: &[i32] = match &cell.store {
            Store::State => &self.state.ints,
            Store::Constants => &self.network.constants.ints,
            Store::Frame(level) => &self.frames[*level].cells,
            Store::Value(value) => value,
        };
        Ok(cells[at..at + len].to_vec())
    }

    fn store(&mut self, cell: &Cell, ty: &Type, value: Vec<i32>) -> Result<Vec<i32>> {
        let value = fit(value, ty)?;
        let at = cell.offset.ints as usize;
        match &cell.store {
            Store::State => {
                for (n, value) in value.iter().enumerate() {
                    fit_range(*value, self.network.ints[at + n].range)?;
                }
                self.state.ints[at..at + value.len()].copy_from_slice(&value);
            }
            Store::Frame(level) => self.frames[*level].cells[at..at + value.len()].copy_from_slice(&value),
            Store::Constants | Store::Value(_) => unreachable!("the checker lets nobody write constants"),
        }
        Ok(value)
    }

    fn call(&mut self, id: FunctionId, process: Option<&ProcessRef>, arguments: &[Argument]) -> Result<Vec<i32>> {
        let function = self.network.code.function(id);
        let process = match process {
            Some(process) => self.process(process)?,
            None => self.process,
        };
        let mut frame = Frame {
            cells: vec![0; function.frame.ints as usize],
            references: vec![None; function.references as usize],
        };
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match (parameter.passing, argument) {
                (Passing::Value(offset), Argument::Value(id)) => {
                    let value = fit(self.value(*id)?, &parameter.ty)?;
                    frame.cells[offset.ints as usize..][..value.len()].copy_from_slice(&value);
                }
                (Passing::Reference(n), Argument::Reference(place)) => {
                    frame.references[n as usize] = Some(self.find(place)?);
                }
                (Passing::Reference(n), Argument::Value(id)) => {
                    let value = fit(self.value(*id)?, &parameter.ty)?;
                    let cell = Cell { store: Store::Value(Rc::new(value)), offset: Extent::default() };
                    frame.references[n as usize] = Some(cell);
                }
                (Passing::Value(_), Argument::Reference(_)) => unreachable!(),
            }
        }
        self.frames.push(frame);
        let caller = std::mem::replace(&mut self.process, process);
        let result = self.body(&function.body);
        self.process = caller;
        self.frames.pop();
        match result? {
            Flow::Return(value) => fit(value, &function.result),
            Flow::Next => Ok(Vec::new()),
        }
    }

    fn body(&mut self, statements: &[Statement]) -> Result<Flow> {
        for statement in statements {
            if let Flow::Return(value) = self.statement(statement)? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow> {
        macro_rules! run {
            ($body:expr) => {
                if let Flow::Return(value) = self.statement($body)? {
                    return Ok(Flow::Return(value));
                }
            };
        }
        match statement {
            Statement::Expr(id) => {
                self.value(*id)?;
            }
            Statement::Local { place, values } => {
                let mut at = place.offset.ints as usize;
                let frame = self.frame();
                place.ty.for_each_int(&mut |range| {
                    frame.cells[at] = if range.contains(0) { 0 } else { range.lo };
                    at += 1;
                });
                for (target, id) in values {
                    let value = self.value(*id)?;
                    let cell = self.find(target)?;
                    self.store(&cell, &target.ty, value)?;
                }
            }
            Statement::Block(statements) => return self.body(statements),
            Statement::While { condition, body } => {
                while self.truth(*condition)? {
                    run!(body);
                }
            }
            Statement::DoWhile { body, condition } => loop {
                run!(body);
                if !self.truth(*condition)? {
                    break;
                }
            },
            Statement::For { init, condition, step, body } => {
                self.update(init)?;
                while self.truth(*condition)? {
                    run!(body);
                    self.update(step)?;
                }
            }
            Statement::ForEach { slot, range, body } => {
                for value in range.lo..=range.hi {
                    self.frame().cells[*slot as usize] = value;
                    run!(body);
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
            Statement::Return(None) => return Ok(Flow::Return(Vec::new())),
            Statement::Return(Some(id)) => return Ok(Flow::Return(self.value(*id)?)),
            Statement::Assert(id) => {
                if !self.truth(*id)? {
                    return Err(RunErrorKind::AssertionFailed);
                }
            }
        }
        Ok(Flow::Next)
    }
}

/// Whether a clock difference, doubled like the bound, is in a relation to it.
pub fn holds(difference: i64, relation: Relation, bound: i64) -> bool {
    match relation {
        Relation::Lt => difference < bound,
        Relation::Le => difference <= bound,
        Relation::Eq => difference == bound,
        Relation::Ne => difference != bound,
        Relation::Ge => difference >= bound,
        Relation::Gt => difference > bound,
    }
}

fn checked_index(value: i32, lo: i32, len: u32) -> Result<u32> {
    let at = i64::from(value) - i64::from(lo);
    if at < 0 || at >= i64::from(len) { Err(RunErrorKind::Index { value, lo, len }) } else { Ok(at as u32) }
}

fn fit_range(value: i32, range: Range) -> Result<()> {
    if value < range.lo || value > range.hi { Err(RunErrorKind::OutOfRange { value, range }) } else { Ok(()) }
}

fn fit(mut value: Vec<i32>, ty: &Type) -> Result<Vec<i32>> {
    if *ty == Type::Bool {
        return Ok(vec![i32::from(value[0] != 0)]);
    }
    if ty.extent().ints == 0 {
        value.clear();
        return Ok(value);
    }
    let mut ranges = Vec::new();
    ty.for_each_int(&mut |range| ranges.push(range));
    value.iter().zip(ranges).try_for_each(|(value, range)| fit_range(*value, range))?;
    Ok(value)
}

fn binary(op: BinaryOp, a: i32, b: i32) -> Result<i32> {
    use BinaryOp::*;
    let wide = (i64::from(a), i64::from(b));
    let truth = |value: bool| i64::from(value);
    let wrapped = match op {
        Or => truth(a != 0 || b != 0),
        And => truth(a != 0 && b != 0),
        Imply => truth(a == 0 || b != 0),
        Xor => truth((a != 0) ^ (b != 0)),
        BitOr => wide.0 | wide.1,
        BitXor => wide.0 ^ wide.1,
        BitAnd => wide.0 & wide.1,
        Eq => truth(a == b),
        Ne => truth(a != b),
        Lt => truth(a < b),
        Le => truth(a <= b),
        Ge => truth(a >= b),
        Gt => truth(a > b),
        Min => wide.0.min(wide.1),
        Max => wide.0.max(wide.1),
        Add => wide.0 + wide.1,
        Sub => wide.0 - wide.1,
        Mul => wide.0 * wide.1,
        Div | Mod if b == 0 => return Err(RunErrorKind::DivisionByZero),
        Div => wide.0 / wide.1,
        Mod => wide.0 % wide.1,
        ShiftLeft | ShiftRight if b < 0 => return Err(RunErrorKind::NegativeShift { by: b }),
        ShiftLeft => (0..b.min(40)).fold(wide.0, |value, _| i64::from((value * 2) as i32)),
        ShiftRight => (0..b.min(40)).fold(wide.0, |value, _| value.div_euclid(2)),
        Power if b < 0 => return Err(RunErrorKind::NegativeExponent { exponent: b }),
        Power => return Ok((0..b).fold(1i32, |value, _| value.wrapping_mul(a))),
    };
    Ok(wrapped as i32)
}
