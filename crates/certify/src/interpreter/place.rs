//! Where variables are: places with their indices evaluated, reading and writing of cells, declared ranges.

use super::{Interpreter, Ints, Result, Value};
use crate::error::{ErrorKind, EvalError};
use model::network::*;
use model::source::Span;
use std::rc::Rc;

/// A place after its indices are evaluated.
#[derive(Clone)]
pub(super) struct Cell {
    pub store: Store,
    pub offset: Extent,
}

#[derive(Clone)]
pub(super) enum Store {
    State,
    Constants,
    /// A frame, counted from the outermost.
    Frame(usize),
    /// The integer cells of a value that belongs to no variable.
    Value(Rc<[i32]>),
}

impl Interpreter<'_> {
    pub(super) fn resolve(&mut self, place: &Place, span: Span) -> Result<Cell> {
        let mut cell = self.base(&place.base, span)?;
        cell.offset = cell.offset + place.offset;
        for index in &place.indices {
            let value = self.int(index.value)?;
            let at = i64::from(value) - i64::from(index.lo);
            if at < 0 || at >= i64::from(index.len) {
                let last = i64::from(index.lo) + i64::from(index.len) - 1;
                let text = format!("the index {value} is outside {}..{last}", index.lo);
                return Err(EvalError::new(ErrorKind::Index, Some(self.network.code.span(index.value)), text));
            }
            let skipped = index.stride.times(at as u64);
            cell.offset = cell.offset + skipped.ok_or_else(|| missing(span))?;
        }
        Ok(cell)
    }

    fn base(&mut self, base: &Base, span: Span) -> Result<Cell> {
        let here = |store| Cell { store, offset: Extent::default() };
        Ok(match base {
            Base::Global => here(Store::State),
            Base::Constant => here(Store::Constants),
            Base::Local => Cell { store: Store::State, offset: self.own_process(span)?.state },
            Base::LocalConstant => Cell { store: Store::Constants, offset: self.own_process(span)?.constants },
            Base::Parameter(n) => reference(self.own_process(span)?, *n, span)?,
            Base::Frame => here(Store::Frame(self.frames.len().saturating_sub(1))),
            Base::FrameReference(n) => {
                let frame = self.frames.last();
                frame.and_then(|frame| frame.references.get(*n as usize)).cloned().ok_or_else(|| missing(span))?
            }
            Base::Member(process, member) => {
                let id = self.process_of(process)?;
                let process = self.network.processes.get(id.index()).ok_or_else(|| missing(span))?;
                match member {
                    MemberBase::Local => Cell { store: Store::State, offset: process.state },
                    MemberBase::LocalConstant => Cell { store: Store::Constants, offset: process.constants },
                    MemberBase::Parameter(n) => reference(process, *n, span)?,
                }
            }
            Base::Value(value) => match self.value(*value)? {
                Value::Cells { ints, .. } => here(Store::Value(ints)),
                _ => return Err(missing(span)),
            },
        })
    }

    fn own_process(&self, span: Span) -> Result<&Process> {
        self.process.and_then(|id| self.network.processes.get(id.index())).ok_or_else(|| missing(span))
    }

    /// The process that an expression names.
    pub(super) fn process_of(&mut self, process: &ProcessRef) -> Result<ProcessId> {
        let mut at = process.first.index();
        for index in &process.indices {
            let value = self.int(index.value)?;
            if !index.range.contains(value) {
                let text = format!("there is no process with the argument {value}: it runs over {}", index.range);
                return Err(EvalError::new(ErrorKind::Index, Some(self.network.code.span(index.value)), text));
            }
            at += (i64::from(value) - i64::from(index.range.lo)) as usize * index.stride as usize;
        }
        Ok(ProcessId::new(at))
    }

    pub(crate) fn clock(&mut self, place: &Place, span: Span) -> Result<ClockId> {
        let cell = self.resolve(place, span)?;
        let at = cell.offset.clocks as usize;
        match cell.store {
            Store::State if at < self.network.clocks.len() => Ok(ClockId::new(at)),
            _ => Err(missing(span)),
        }
    }

    pub(crate) fn channel(&mut self, place: &Place, span: Span) -> Result<ChannelId> {
        let cell = self.resolve(place, span)?;
        let at = cell.offset.channels as usize;
        match cell.store {
            Store::State if at < self.network.channels.len() => Ok(ChannelId::new(at)),
            _ => Err(missing(span)),
        }
    }

    /// Gives quantified variables their values.
    pub(crate) fn bind(&mut self, bound: &[(u32, i32)]) {
        bound.iter().for_each(|(slot, value)| self.set_slot(*slot, *value));
    }

    pub(super) fn set_slot(&mut self, slot: u32, value: i32) {
        if let Some(frame) = self.frames.last_mut() {
            let slot = slot as usize;
            if frame.ints.len() <= slot {
                frame.ints.resize(slot + 1, 0);
            }
            frame.ints[slot] = value;
        }
    }

    fn ints_of<'b>(&'b self, store: &'b Store) -> Option<&'b [i32]> {
        match store {
            Store::State => match &self.ints {
                Ints::Absent => None,
                Ints::Read(ints) => Some(ints),
                Ints::Write(ints) => Some(ints),
            },
            Store::Constants => Some(&self.network.constants.ints),
            Store::Frame(level) => self.frames.get(*level).map(|frame| &frame.ints[..]),
            Store::Value(ints) => Some(ints),
        }
    }

    pub(super) fn load(&mut self, cell: &Cell, ty: &Type, span: Span) -> Result<Value> {
        let extent = ty.extent();
        self.tick(extent.cells(), span)?;
        if *ty == Type::Double {
            return Ok(Value::Real);
        }
        if extent.clocks > 0 || extent.channels > 0 {
            return Err(EvalError::new(ErrorKind::Unsupported, Some(span), "a clock or a channel is used as a value"));
        }
        if let (Store::State, Some(reads)) = (&cell.store, &mut self.reads) {
            reads.note(cell.offset.ints, extent.ints);
        }
        let from = cell.offset.ints as usize;
        let ints = self.ints_of(&cell.store).and_then(|ints| ints.get(from..from + extent.ints as usize));
        let ints = ints.ok_or_else(|| missing(span))?;
        match ints {
            [value] if !ty.is_aggregate() => Ok(Value::Int(*value)),
            _ => Ok(Value::Cells { ints: ints.into(), real: extent.doubles > 0 }),
        }
    }

    /// Writes a value that has been checked against the declared type.
    pub(super) fn store(&mut self, cell: &Cell, ty: &Type, value: Value, span: Span) -> Result<()> {
        self.tick(ty.extent().cells(), span)?;
        let ints = match fitting(value, ty, span)? {
            Value::Int(value) => [value].into(),
            Value::Cells { ints, .. } => ints,
            Value::Real | Value::Void => return Ok(()),
        };
        let cells = match cell.store {
            Store::State => match &mut self.ints {
                Ints::Write(cells) => Some(&mut **cells),
                Ints::Absent | Ints::Read(_) => None,
            },
            Store::Frame(level) => self.frames.get_mut(level).map(|frame| &mut frame.ints[..]),
            Store::Constants | Store::Value(_) => None,
        };
        let from = cell.offset.ints as usize;
        match cells.and_then(|cells| cells.get_mut(from..from + ints.len())) {
            Some(cells) => cells.copy_from_slice(&ints),
            None => return Err(EvalError::new(ErrorKind::NotAvailable, Some(span), "this cannot be changed here")),
        }
        Ok(())
    }
}

fn missing(span: Span) -> EvalError {
    EvalError::new(ErrorKind::NotAvailable, Some(span), "this has no value here")
}

fn reference(process: &Process, n: u32, span: Span) -> Result<Cell> {
    let reference = process.references.get(n as usize).ok_or_else(|| missing(span))?;
    let store = match reference.store {
        ReferenceStore::State => Store::State,
        ReferenceStore::Constants => Store::Constants,
    };
    Ok(Cell { store, offset: reference.offset })
}

/// A value as a variable of the type holds it. Values outside the declared range are errors.
pub(super) fn fitting(value: Value, ty: &Type, span: Span) -> Result<Value> {
    let outside = |value: i32, range: Range| {
        EvalError::new(ErrorKind::OutOfRange, Some(span), format!("the value {value} is outside the range {range}"))
    };
    match (ty, value) {
        (Type::Bool, Value::Int(value)) => Ok(Value::Int(i32::from(value != 0))),
        (Type::Int(_) | Type::Scalar(_), Value::Int(value)) if !ty.range().contains(value) => {
            Err(outside(value, ty.range()))
        }
        (Type::Double, _) => Ok(Value::Real),
        (Type::Struct(_) | Type::Array(_), Value::Cells { ints, real }) => {
            let mut cells = ints.iter();
            let mut wrong = None;
            ty.for_each_int(&mut |range| {
                if let Some(value) = cells.next().filter(|value| !range.contains(**value)) {
                    wrong.get_or_insert_with(|| outside(*value, range));
                }
            });
            wrong.map_or(Ok(Value::Cells { ints, real }), Err)
        }
        (Type::Int(_) | Type::Scalar(_) | Type::Bool, Value::Real) => {
            Err(EvalError::new(ErrorKind::Unsupported, Some(span), "floating point decides what the system does"))
        }
        (_, value) => Ok(value),
    }
}
