//! Computes expressions in a state: integers, doubles and the values of clocks.
//!
//! A plain walk over the trees of the network's code. The register code of the exact engines has no floating-point numbers;
//! here every clock is one. Three entries, [`Machine::int`], [`Machine::double`] and [`Machine::truth`], keep values out of
//! boxes; whole structs and arrays are cells on the stack of frames.
//!
//! Comparisons that clocks take part in allow for rounding (see [`tolerance`]): a clock that was to reach 5 counts as 5.
//! Steps are counted, so that an endless loop in a function ends in a failure. Each call looks how much of the thread's
//! stack is left; within one function the recursion is bounded by the limits on the height of expressions.

use super::builtins;
use super::facts::Facts;
use super::failure::{Failure, Result};
use super::interval::tolerance;
use super::place::{Cell, Change, Frames};
use super::precise::Precise;
use model::network::arithmetic::{double_binary, int_binary};
use model::network::{
    BuiltinResult, ClockInitial, Code, Expr, ExprId, Extent, Network, Number, Place, ProcessRef, Range, Relation, Type,
    Value,
};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};
use search::random::Random;

/// Where everybody is and what every variable holds.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub locations: Vec<u32>,
    pub ints: Vec<i32>,
    pub doubles: Vec<f64>,
    pub clocks: Vec<Precise>,
}

impl State {
    pub fn initial(network: &Network) -> State {
        let location = |process: usize| {
            let template = &network.templates[network.processes[process].template.index()];
            template.initial.index() as u32
        };
        State {
            locations: (0..network.processes.len()).map(location).collect(),
            ints: network.ints.iter().map(|cell| cell.initial).collect(),
            doubles: network.doubles.clone(),
            clocks: network
                .clocks
                .iter()
                .map(|clock| match clock.initial {
                    ClockInitial::Int(value) => Precise::from(f64::from(value)),
                    ClockInitial::Double(value) => Precise::from(value),
                })
                .collect(),
        }
    }

    pub fn copy_from(&mut self, other: &State) {
        self.locations.copy_from_slice(&other.locations);
        self.ints.copy_from_slice(&other.ints);
        self.doubles.copy_from_slice(&other.doubles);
        self.clocks.copy_from_slice(&other.clocks);
    }
}

/// Loop rounds and calls that one transition may take.
const STEPS: u64 = 1 << 25;

pub struct Machine<'n> {
    pub network: &'n Network,
    pub facts: &'n Facts,
    pub state: State,
    pub random: Random,
    /// What was changed since the log was last emptied.
    pub log: Vec<Change>,
    /// Whose code runs.
    pub process: usize,
    pub(super) frames: Frames,
    pub(super) steps: u64,
    pub(super) bottom: usize,
}

impl<'n> Machine<'n> {
    pub fn new(network: &'n Network, facts: &'n Facts) -> Machine<'n> {
        Machine {
            network,
            facts,
            state: State::initial(network),
            random: Random::new(0),
            log: Vec::new(),
            process: 0,
            frames: Frames::new(network.frame),
            steps: 0,
            bottom: 0,
        }
    }

    /// Before code of a process runs: its name, the values of its select variables, and a new count of steps.
    pub fn enter(&mut self, process: usize, select: &[i32]) {
        let marker = 0u8;
        self.bottom = std::ptr::from_ref(&marker) as usize;
        self.process = process;
        self.steps = 0;
        self.frames.reset(self.network.frame);
        for (slot, value) in select.iter().enumerate() {
            self.frames.set_slot(slot as u32, *value);
        }
    }

    pub(super) fn code(&self) -> &'n Code {
        &self.network.code
    }

    pub(super) fn failed<T>(&self, id: ExprId, reason: impl Into<String>) -> Result<T> {
        self.failed_at(self.code().span(id), reason)
    }

    pub(super) fn failed_at<T>(&self, span: Span, reason: impl Into<String>) -> Result<T> {
        Err(Box::new(Failure { reason: reason.into(), span }))
    }

    pub(super) fn tick(&mut self, id: ExprId) -> Result<()> {
        self.steps += 1;
        if self.steps > STEPS { self.failed(id, "the computation does not come to an end") } else { Ok(()) }
    }

    pub fn truth(&mut self, id: ExprId) -> Result<bool> {
        // There may be many, and they constrain nothing.
        if self.facts.only_rates(id) {
            return Ok(true);
        }
        match self.code().expr(id) {
            Expr::And(left, right) => Ok(self.truth(*left)? && self.truth(*right)?),
            Expr::Or(left, right) => Ok(self.truth(*left)? || self.truth(*right)?),
            Expr::Not(operand) => Ok(!self.truth(*operand)?),
            Expr::Double(value) => Ok(*value != 0.0),
            _ => Ok(self.int(id)? != 0),
        }
    }

    pub fn int(&mut self, id: ExprId) -> Result<i32> {
        let code = self.code();
        Ok(match code.expr(id) {
            Expr::Int(value) => *value,
            Expr::Read(place) => match place.ty {
                Type::Double => self.double(id)? as i32,
                _ => {
                    let cell = self.resolve(place, id)?;
                    self.load_int(cell, 0, id)?
                }
            },
            Expr::Negate(Number::Int, operand) => self.int(*operand)?.wrapping_neg(),
            Expr::Not(_) | Expr::And(..) | Expr::Or(..) => i32::from(self.truth(id)?),
            Expr::Binary { op, number: Number::Int, left, right } => {
                let (left, right) = (self.int(*left)?, self.int(*right)?);
                match int_binary(*op, left, right) {
                    Ok(value) => value,
                    Err(reason) => return self.failed(id, reason),
                }
            }
            Expr::Binary { op, number: Number::Double, left, right } => {
                let timed = self.facts.timed(id);
                match relation(*op) {
                    Some(relation) if timed => {
                        let left = self.precise(*left)?;
                        i32::from(compare(left, relation, self.precise(*right)?))
                    }
                    _ => match double_binary(*op, self.double(*left)?, self.double(*right)?) {
                        Some(Value::Int(value)) => value,
                        Some(Value::Double(value)) => value as i32,
                        _ => return self.failed(id, "an operator that doubles do not have"),
                    },
                }
            }
            Expr::SameValue { left, right } => i32::from(self.same(*left, *right, id)?),
            Expr::Conditional { condition, then, otherwise } => {
                if self.truth(*condition)? {
                    self.int(*then)?
                } else {
                    self.int(*otherwise)?
                }
            }
            Expr::ClockConstraint(constraint) => {
                let plus = constraint.plus.as_ref().map_or(Ok(Precise::ZERO), |place| self.clock_value(place, id))?;
                let minus = constraint.minus.as_ref().map_or(Ok(Precise::ZERO), |place| self.clock_value(place, id))?;
                let bound = f64::from(self.int(constraint.bound)?);
                i32::from(compare(plus - minus, constraint.relation, Precise::from(bound)))
            }
            // A rate constrains no state.
            Expr::Rate { .. } => 1,
            Expr::Assign { target, .. } if matches!(target.ty, Type::Double | Type::Clock { .. }) => {
                self.double(id)? as i32
            }
            Expr::Assign { target, op, value } if target.ty.is_discrete() => {
                let value = self.int(*value)?;
                let cell = self.resolve(target, id)?;
                let value = match op {
                    None => value,
                    Some(op) => {
                        let old = self.load_int(cell, 0, id)?;
                        match int_binary(*op, old, value) {
                            Ok(value) => value,
                            Err(reason) => return self.failed(id, reason),
                        }
                    }
                };
                self.store_int(cell, &target.ty, value, id)?
            }
            Expr::Assign { target, value, .. } => {
                self.assign_aggregate(target, *value, id)?;
                0
            }
            Expr::SetClock { target, source, offset } => {
                let offset = f64::from(self.int(*offset)?);
                let start = source.as_ref().map_or(Ok(Precise::ZERO), |place| self.clock_value(place, id))?;
                let cell = self.resolve(target, id)?;
                self.store_clock(cell, start + offset, id)?;
                0
            }
            Expr::Step { target, delta, postfix } => {
                let cell = self.resolve(target, id)?;
                let old = self.load_int(cell, 0, id)?;
                let new = self.store_int(cell, &target.ty, old.wrapping_add(*delta), id)?;
                if *postfix { old } else { new }
            }
            Expr::Sequence(first, second) => {
                self.int(*first)?;
                self.int(*second)?
            }
            Expr::Call { .. } => self.call(id)?.int(),
            Expr::Builtin { function, arguments } => match function.result() {
                BuiltinResult::Double => self.double(id)? as i32,
                BuiltinResult::Int | BuiltinResult::Bool => builtins::int(self, id, *function, arguments)?,
            },
            Expr::Quantified { quantifier, number: Number::Int, slot, range, body } => {
                self.quantified(*quantifier, *slot, *range, *body)?
            }
            Expr::Quantified {
                quantifier: quantifier @ (Quantifier::Forall | Quantifier::Exists),
                slot,
                range,
                body,
                ..
            } => self.quantified(*quantifier, *slot, *range, *body)?,
            Expr::LocationIs { process, location } => {
                let process = self.process_index(process, id)?;
                i32::from(self.state.locations.get(process).copied() == Some(location.index() as u32))
            }
            Expr::LocationOf { process } => {
                let process = self.process_index(process, id)?;
                self.state.locations.get(process).copied().unwrap_or(0) as i32
            }
            Expr::Deadlock => return self.failed(id, "statistics do not know `deadlock`"),
            Expr::Unsupported(what) => return self.failed(id, format!("{what} cannot be computed")),
            Expr::Double(_)
            | Expr::ClockValue(_)
            | Expr::ToDouble(_)
            | Expr::Negate(Number::Double, _)
            | Expr::Quantified { number: Number::Double, .. } => self.double(id)? as i32,
        })
    }

    pub fn double(&mut self, id: ExprId) -> Result<f64> {
        let code = self.code();
        Ok(match code.expr(id) {
            Expr::Double(value) => *value,
            Expr::ToDouble(operand) => f64::from(self.int(*operand)?),
            Expr::ClockValue(place) => self.clock_value(place, id)?.value(),
            Expr::Read(place) if place.ty == Type::Double => {
                let cell = self.resolve(place, id)?;
                self.load_double(cell, 0, id)?
            }
            Expr::Read(place) if matches!(place.ty, Type::Clock { .. }) => self.clock_value(place, id)?.value(),
            Expr::Negate(Number::Double, operand) => -self.double(*operand)?,
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. } if self.facts.timed(id) => self.precise(id)?.value(),
            Expr::Binary { op, number: Number::Double, left, right } if relation(*op).is_none() => {
                let (left, right) = (self.double(*left)?, self.double(*right)?);
                match double_binary(*op, left, right) {
                    Some(Value::Double(value)) => value,
                    Some(Value::Int(value)) => f64::from(value),
                    _ => return self.failed(id, "an operator that doubles do not have"),
                }
            }
            Expr::Conditional { condition, then, otherwise } => {
                if self.truth(*condition)? {
                    self.double(*then)?
                } else {
                    self.double(*otherwise)?
                }
            }
            Expr::Assign { target, value, op: None } if target.ty == Type::Double => {
                let value = self.double(*value)?;
                let cell = self.resolve(target, id)?;
                self.store_double(cell, value, id)?;
                value
            }
            Expr::Assign { target, value, op: None } if matches!(target.ty, Type::Clock { .. }) => {
                let value = self.double(*value)?;
                let cell = self.resolve(target, id)?;
                self.store_clock(cell, Precise::from(value), id)?;
                value
            }
            Expr::Sequence(first, second) => {
                self.int(*first)?;
                self.double(*second)?
            }
            Expr::Call { .. } => self.call(id)?.double(),
            Expr::Builtin { function, arguments } if function.result() == BuiltinResult::Double => {
                builtins::double(self, id, *function, arguments)?
            }
            Expr::Quantified {
                quantifier: Quantifier::Sum | Quantifier::Foreach,
                number: Number::Double,
                slot,
                range,
                body,
            } => {
                let mut sum = 0.0;
                for value in range.lo..=range.hi {
                    self.tick(*body)?;
                    self.frames.set_slot(*slot, value);
                    sum += self.double(*body)?;
                }
                sum
            }
            _ => f64::from(self.int(id)?),
        })
    }

    /// A number of either kind.
    pub fn number(&mut self, number: Number, id: ExprId) -> Result<f64> {
        match number {
            Number::Int => Ok(f64::from(self.int(id)?)),
            Number::Double => self.double(id),
        }
    }

    /// Runs an expression for what it changes.
    pub fn run(&mut self, id: ExprId) -> Result<()> {
        match self.code().expr(id) {
            // Its result is of no interest, whatever its type.
            Expr::Call { .. } => self.call(id).map(|_| ()),
            Expr::Sequence(first, second) => {
                self.run(*first)?;
                self.run(*second)
            }
            Expr::Conditional { condition, then, otherwise } => {
                let chosen = if self.truth(*condition)? { *then } else { *otherwise };
                self.run(chosen)
            }
            _ => self.int(id).map(|_| ()),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, slot: u32, range: Range, body: ExprId) -> Result<i32> {
        let mut sum = 0i32;
        for value in range.lo..=range.hi {
            self.tick(body)?;
            self.frames.set_slot(slot, value);
            match quantifier {
                Quantifier::Forall if !self.truth(body)? => return Ok(0),
                Quantifier::Exists if self.truth(body)? => return Ok(1),
                Quantifier::Forall | Quantifier::Exists => {}
                Quantifier::Sum | Quantifier::Foreach => sum = sum.wrapping_add(self.int(body)?),
            }
        }
        Ok(if quantifier == Quantifier::Forall { 1 } else { sum })
    }

    fn same(&mut self, left: ExprId, right: ExprId, id: ExprId) -> Result<bool> {
        let (mut first, extent) = self.aggregate(left)?;
        if self.facts.writes(right) {
            first = self.snapshot(first, extent, id)?;
        }
        let (left, (right, _)) = (first, self.aggregate(right)?);
        for n in 0..extent.ints {
            if self.load_int(left, n, id)? != self.load_int(right, n, id)? {
                return Ok(false);
            }
        }
        for n in 0..extent.doubles {
            if self.load_double(left, n, id)? != self.load_double(right, n, id)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Where the cells of a struct or an array are.
    pub(super) fn aggregate(&mut self, id: ExprId) -> Result<(Cell, Extent)> {
        let code = self.code();
        match code.expr(id) {
            Expr::Read(place) => Ok((self.resolve(place, id)?, place.ty.extent())),
            Expr::Conditional { condition, then, otherwise } => {
                let chosen = if self.truth(*condition)? { *then } else { *otherwise };
                self.aggregate(chosen)
            }
            Expr::Sequence(first, second) => {
                self.run(*first)?;
                self.aggregate(*second)
            }
            Expr::Assign { target, value, .. } => Ok((self.assign_aggregate(target, *value, id)?, target.ty.extent())),
            Expr::Call { .. } => match self.call(id)? {
                super::call::Returned::Cells(cell, extent) => Ok((cell, extent)),
                _ => self.failed(id, "no struct or array"),
            },
            _ => self.failed(id, "no struct or array"),
        }
    }

    /// Copies a struct or an array: the value first, then the place it goes to. Gives that place, which is found once.
    fn assign_aggregate(&mut self, target: &Place, value: ExprId, id: ExprId) -> Result<Cell> {
        let (mut source, extent) = self.aggregate(value)?;
        if self.facts.place_writes(target) {
            source = self.snapshot(source, extent, id)?;
        }
        let cell = self.resolve(target, id)?;
        self.copy(source, cell, &target.ty, id)?;
        Ok(cell)
    }

    pub(super) fn process_index(&mut self, process: &ProcessRef, id: ExprId) -> Result<usize> {
        let mut at = process.first.index() as u64;
        for index in &process.indices {
            let value = self.int(index.value)?;
            if !index.range.contains(value) {
                return self.failed(index.value, format!("the index {value} is outside the range {}", index.range));
            }
            at += (i64::from(value) - i64::from(index.range.lo)) as u64 * u64::from(index.stride);
        }
        match usize::try_from(at) {
            Ok(at) if at < self.network.processes.len() => Ok(at),
            _ => self.failed(id, "there is no such process"),
        }
    }
}

/// Compares two computed numbers, equal ones up to rounding.
pub fn compare(left: Precise, relation: Relation, right: Precise) -> bool {
    let (near, over) = (tolerance(left.value(), right.value()), (left - right).value());
    match relation {
        Relation::Lt => over < -near,
        Relation::Le => over <= near,
        Relation::Eq => over.abs() <= near,
        Relation::Ne => over.abs() > near,
        Relation::Ge => over >= -near,
        Relation::Gt => over > near,
    }
}

/// The operators that compare.
pub fn relation(op: BinaryOp) -> Option<Relation> {
    Some(match op {
        BinaryOp::Lt => Relation::Lt,
        BinaryOp::Le => Relation::Le,
        BinaryOp::Eq => Relation::Eq,
        BinaryOp::Ne => Relation::Ne,
        BinaryOp::Ge => Relation::Ge,
        BinaryOp::Gt => Relation::Gt,
        _ => return None,
    })
}
