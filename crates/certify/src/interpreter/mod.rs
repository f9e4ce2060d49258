//! A plain tree walk over the network's code: integers, structs and arrays, references, functions.
//!
//! Doubles have no value here. Exact analysis leaves floating point out, so a double is [`Value::Real`], whatever it is, and
//! is computed for what it writes on the way only (see [`real`]); a decision that depends on one is an error. Clocks are not
//! read as values: conditions on them come out of [`Interpreter::condition`] as formulas.

mod arithmetic;
mod condition;
mod effect;
mod place;
mod real;
mod statement;

use crate::error::{ErrorKind, EvalError};
use crate::state::{ClockMap, Discrete};
use arithmetic::{integer_operation, is_comparison};
use model::network::*;
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};
use place::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

pub(crate) type Result<T> = std::result::Result<T, EvalError>;

/// Steps of one evaluation; a function that takes more is taken to be endless.
const STEPS: u64 = 10_000_000;
/// Calls inside each other.
const CALLS: usize = 256;
/// Cells of the state that are noted as read.
const NOTED: usize = 256;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Int(i32),
    /// The integer cells of a struct or an array.
    Cells {
        ints: Rc<[i32]>,
        /// Whether it has parts that are doubles.
        real: bool,
    },
    /// A double.
    Real,
    Void,
}

/// The integer cells of the state.
enum Ints<'a> {
    /// No state: only constants can be read.
    Absent,
    Read(&'a [i32]),
    Write(&'a mut [i32]),
}

/// What an evaluation has read of the state: with the same values there it would come out the same.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reads {
    pub cells: BTreeSet<u32>,
    /// More than these cells: locations, or more cells than are worth noting.
    pub too_much: bool,
}

impl Reads {
    fn note(&mut self, from: u32, cells: u32) {
        if self.too_much || self.cells.len() + cells as usize > NOTED {
            self.too_much = true;
        } else {
            self.cells.extend(from..from + cells);
        }
    }
}

/// Cells of a function or label.
#[derive(Default)]
struct Frame {
    ints: Vec<i32>,
    references: Vec<Cell>,
}

pub(crate) struct Interpreter<'a> {
    network: &'a Network,
    locations: &'a [LocationId],
    ints: Ints<'a>,
    clocks: Option<&'a mut ClockMap>,
    process: Option<ProcessId>,
    frames: Vec<Frame>,
    steps: u64,
    /// Where somebody wants to know.
    reads: Option<Reads>,
}

impl<'a> Interpreter<'a> {
    /// Evaluates conditions of a process in a state; `None` for queries.
    pub(crate) fn reading(network: &'a Network, discrete: &'a Discrete, process: Option<ProcessId>) -> Self {
        Interpreter::with(network, &discrete.locations, Ints::Read(&discrete.ints), None, process)
    }

    /// Evaluates what depends on constants only.
    pub(crate) fn constant(network: &'a Network, process: Option<ProcessId>) -> Self {
        Interpreter::with(network, &[], Ints::Absent, None, process)
    }

    /// Runs updates.
    pub(crate) fn writing(
        network: &'a Network,
        locations: &'a [LocationId],
        ints: &'a mut [i32],
        clocks: &'a mut ClockMap,
    ) -> Self {
        Interpreter::with(network, locations, Ints::Write(ints), Some(clocks), None)
    }

    fn with(
        network: &'a Network,
        locations: &'a [LocationId],
        ints: Ints<'a>,
        clocks: Option<&'a mut ClockMap>,
        process: Option<ProcessId>,
    ) -> Self {
        let mut interpreter =
            Interpreter { network, locations, ints, clocks, process, frames: Vec::new(), steps: 0, reads: None };
        interpreter.label(process, &[]);
        interpreter
    }

    /// Begins a label of a process with the values of its select variables.
    pub(crate) fn label(&mut self, process: Option<ProcessId>, select: &[i32]) {
        self.process = process;
        let mut ints = select.to_vec();
        ints.resize(select.len().max(self.network.frame.ints as usize), 0);
        self.frames = vec![Frame { ints, references: Vec::new() }];
    }

    /// Takes notes of what is read from now on.
    pub(crate) fn noting_reads(mut self) -> Self {
        self.reads = Some(Reads::default());
        self
    }

    /// What has been read since notes were taken.
    pub(crate) fn into_reads(self) -> Reads {
        self.reads.unwrap_or_default()
    }

    fn error<T>(&self, kind: ErrorKind, id: ExprId, text: impl Into<String>) -> Result<T> {
        Err(EvalError::new(kind, Some(self.network.code.span(id)), text))
    }

    fn tick(&mut self, steps: u64, span: Span) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > STEPS {
            return Err(EvalError::new(ErrorKind::Endless, Some(span), "the evaluation does not come to an end"));
        }
        Ok(())
    }

    pub(crate) fn int(&mut self, id: ExprId) -> Result<i32> {
        match self.value(id)? {
            Value::Int(value) => Ok(value),
            Value::Real => self.error(ErrorKind::Unsupported, id, "floating point decides what the system does"),
            Value::Cells { .. } | Value::Void => self.error(ErrorKind::NoValue, id, "no number"),
        }
    }

    fn truth(&mut self, id: ExprId) -> Result<bool> {
        Ok(self.int(id)? != 0)
    }

    pub(crate) fn value(&mut self, id: ExprId) -> Result<Value> {
        let network = self.network;
        let span = network.code.span(id);
        self.tick(1, span)?;
        Ok(match network.code.expr(id) {
            Expr::Int(value) => Value::Int(*value),
            _ if self.is_real(id) => {
                self.real(id)?;
                Value::Real
            }
            Expr::Double(_) | Expr::ClockValue(_) | Expr::ToDouble(_) | Expr::Negate(Number::Double, _) => Value::Real,
            Expr::Read(place) => {
                let cell = self.resolve(place, span)?;
                self.load(&cell, &place.ty, span)?
            }
            Expr::Negate(Number::Int, operand) => Value::Int(self.int(*operand)?.wrapping_neg()),
            Expr::Not(operand) => Value::Int(i32::from(!self.truth(*operand)?)),
            Expr::And(left, right) => Value::Int(i32::from(self.truth(*left)? && self.truth(*right)?)),
            Expr::Or(left, right) => Value::Int(i32::from(self.truth(*left)? || self.truth(*right)?)),
            Expr::Binary { op, number: Number::Int, left, right } => {
                let (left, right) = (self.int(*left)?, self.int(*right)?);
                Value::Int(integer_operation(*op, left, right, span)?)
            }
            Expr::Binary { number: Number::Double, .. } => {
                return self.error(ErrorKind::Unsupported, id, "a comparison of floating-point numbers");
            }
            Expr::SameValue { left, right } => {
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                if [&left, &right].iter().any(|value| matches!(value, Value::Real | Value::Cells { real: true, .. })) {
                    return self.error(ErrorKind::Unsupported, id, "a comparison of floating-point numbers");
                }
                Value::Int(i32::from(left == right))
            }
            Expr::Conditional { condition, then, otherwise } => {
                let chosen = if self.truth(*condition)? { then } else { otherwise };
                self.value(*chosen)?
            }
            Expr::Assign { target, op, value } => self.assign(id, target, *op, *value)?,
            Expr::SetClock { target, source, offset } => self.set_clock(id, target, source.as_ref(), *offset)?,
            Expr::Step { target, delta, postfix } => {
                let cell = self.resolve(target, span)?;
                let Value::Int(old) = self.load(&cell, &target.ty, span)? else {
                    return self.error(ErrorKind::NoValue, id, "no number");
                };
                let new = old.wrapping_add(*delta);
                self.store(&cell, &target.ty, Value::Int(new), span)?;
                Value::Int(if *postfix { old } else { new })
            }
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                self.value(*second)?
            }
            Expr::Call { function, process, arguments } => self.call(id, *function, process.as_ref(), arguments)?,
            Expr::Builtin { function, arguments } => self.builtin(id, *function, arguments)?,
            Expr::Quantified { quantifier, number, slot, range, body } => {
                self.quantified(*quantifier, *number, *slot, *range, *body)?
            }
            Expr::LocationIs { process, location } => {
                Value::Int(i32::from(self.location_of(process, span)? == *location))
            }
            Expr::LocationOf { process } => Value::Int(self.location_of(process, span)?.index() as i32),
            Expr::ClockConstraint(_) | Expr::Rate { .. } | Expr::Deadlock => {
                return self.error(ErrorKind::Unsupported, id, "a condition on clocks is used as a number");
            }
            Expr::Unsupported(what) => return self.error(ErrorKind::Unsupported, id, *what),
        })
    }

    fn set_clock(&mut self, id: ExprId, target: &Place, source: Option<&Place>, offset: ExprId) -> Result<Value> {
        if matches!(target.ty, Type::Clock { hybrid: true }) {
            self.effects(offset)?;
            source.map_or(Ok(()), |place| self.place_effects(place))?;
            self.place_effects(target)?;
            return Ok(Value::Void);
        }
        let span = self.network.code.span(id);
        let offset = self.int(offset)?;
        let source = match source {
            Some(Place { ty: Type::Clock { hybrid: true }, .. }) => {
                return self.error(ErrorKind::Unsupported, id, "a clock is set to the value of a hybrid clock");
            }
            Some(place) => Some(self.clock(place, span)?),
            None => None,
        };
        let target = self.clock(target, span)?;
        match &mut self.clocks {
            Some(clocks) => clocks.assign(target, source, offset, span)?,
            None => return self.error(ErrorKind::NotAvailable, id, "a condition sets a clock"),
        }
        Ok(Value::Void)
    }

    fn location_of(&mut self, process: &ProcessRef, span: Span) -> Result<LocationId> {
        let process = self.process_of(process)?;
        if let Some(reads) = &mut self.reads {
            reads.too_much = true;
        }
        let found = self.locations.get(process.index()).copied();
        found.ok_or_else(|| EvalError::new(ErrorKind::NotAvailable, Some(span), "no location is known here"))
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        number: Number,
        slot: u32,
        range: Range,
        body: ExprId,
    ) -> Result<Value> {
        let mut sum = 0i32;
        for value in range.lo..=range.hi {
            self.set_slot(slot, value);
            match (quantifier, number) {
                (Quantifier::Forall, _) if !self.truth(body)? => return Ok(Value::Int(0)),
                (Quantifier::Exists, _) if self.truth(body)? => return Ok(Value::Int(1)),
                (Quantifier::Forall | Quantifier::Exists, _) => {}
                (_, Number::Int) => sum = sum.wrapping_add(self.int(body)?),
                // Bodies write nothing, and the sum has no value here.
                (_, Number::Double) => {}
            }
        }
        Ok(match (quantifier, number) {
            (Quantifier::Forall, _) => Value::Int(1),
            (Quantifier::Exists, _) => Value::Int(0),
            (_, Number::Int) => Value::Int(sum),
            (_, Number::Double) => Value::Real,
        })
    }

    /// The value first, then the place it goes to.
    fn assign(&mut self, id: ExprId, target: &Place, op: Option<BinaryOp>, value: ExprId) -> Result<Value> {
        let span = self.network.code.span(id);
        match target.ty {
            Type::Double | Type::Clock { hybrid: true } => {
                self.effects(value)?;
                self.place_effects(target)?;
                return Ok(if target.ty == Type::Double { Value::Real } else { Value::Void });
            }
            Type::Clock { hybrid: false } => {
                return self.error(ErrorKind::Unsupported, id, "a clock is set to a floating-point number");
            }
            _ => {}
        }
        let mut value = self.value(value)?;
        let cell = self.resolve(target, span)?;
        if let Some(op) = op {
            let (Value::Int(left), Value::Int(right)) = (self.load(&cell, &target.ty, span)?, &value) else {
                return self.error(ErrorKind::NoValue, id, "no number");
            };
            value = Value::Int(integer_operation(op, left, *right, span)?);
        }
        self.store(&cell, &target.ty, value, span)?;
        self.load(&cell, &target.ty, span)
    }

    fn builtin(&mut self, id: ExprId, function: Builtin, arguments: &[ExprId]) -> Result<Value> {
        if let (Builtin::Abs, [argument]) = (function, arguments) {
            return Ok(Value::Int(self.int(*argument)?.wrapping_abs()));
        }
        self.error(ErrorKind::Unsupported, id, "floating point decides what the system does")
    }
}
