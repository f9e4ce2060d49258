//! Where values are kept: the state, the constants, and a stack of frames for functions and labels.

use super::failure::Result;
use super::machine::Machine;
use super::precise::Precise;
use model::network::{Base, ExprId, Extent, MemberBase, Place, Reference, ReferenceStore, Type};

/// Where a place leads after its indices are evaluated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cell {
    pub store: Store,
    pub offset: Extent,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Store {
    State,
    Constants,
    Frames,
}

/// What a cell of the state held before it was changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Change {
    Int(u32, i32),
    Double(u32, f64),
    Clock(u32, Precise),
    Location(u32, u32),
}

/// The cells of all frames, one after the other; those on top belong to the code that runs.
#[derive(Debug)]
pub struct Frames {
    pub ints: Vec<i32>,
    pub doubles: Vec<f64>,
    pub references: Vec<Cell>,
    /// Where the frame on top starts.
    pub base: Extent,
    pub first_reference: usize,
}

impl Frames {
    pub fn new(extent: Extent) -> Frames {
        Frames {
            ints: vec![0; extent.ints as usize],
            doubles: vec![0.0; extent.doubles as usize],
            references: Vec::new(),
            base: Extent::default(),
            first_reference: 0,
        }
    }

    /// One frame for a label.
    pub fn reset(&mut self, extent: Extent) {
        self.ints.resize(extent.ints as usize, 0);
        self.doubles.resize(extent.doubles as usize, 0.0);
        self.references.clear();
        self.base = Extent::default();
        self.first_reference = 0;
    }

    pub fn set_slot(&mut self, slot: u32, value: i32) {
        let at = (self.base.ints + slot) as usize;
        if self.ints.len() <= at {
            self.ints.resize(at + 1, 0);
        }
        self.ints[at] = value;
    }

    /// The end of what is used.
    pub fn top(&self) -> Extent {
        Extent { ints: self.ints.len() as u32, doubles: self.doubles.len() as u32, ..Extent::default() }
    }

    /// Gives back what was used since.
    pub fn release(&mut self, top: Extent) {
        self.ints.truncate(top.ints as usize);
        self.doubles.truncate(top.doubles as usize);
    }
}

impl Machine<'_> {
    pub fn resolve(&mut self, place: &Place, id: ExprId) -> Result<Cell> {
        let state = |offset: Extent| Cell { store: Store::State, offset };
        let constants = |offset: Extent| Cell { store: Store::Constants, offset };
        let network = self.network;
        let mut cell = match &place.base {
            Base::Global => state(Extent::default()),
            Base::Constant => constants(Extent::default()),
            Base::Local => state(network.processes[self.process].state),
            Base::LocalConstant => constants(network.processes[self.process].constants),
            Base::Parameter(n) => self.parameter(self.process, *n, id)?,
            Base::Frame => Cell { store: Store::Frames, offset: self.frames.base },
            Base::FrameReference(n) => match self.frames.references.get(self.frames.first_reference + *n as usize) {
                Some(cell) => *cell,
                None => return self.failed(id, "a reference to nothing"),
            },
            Base::Member(process, base) => {
                let process = self.process_index(process, id)?;
                match base {
                    MemberBase::Local => state(network.processes[process].state),
                    MemberBase::LocalConstant => constants(network.processes[process].constants),
                    MemberBase::Parameter(n) => self.parameter(process, *n, id)?,
                }
            }
            Base::Value(value) => self.aggregate(*value)?.0,
        };
        cell.offset = cell.offset + place.offset;
        for index in &place.indices {
            let value = self.int(index.value)?;
            let at = i64::from(value) - i64::from(index.lo);
            if at < 0 || at >= i64::from(index.len) {
                let last = i64::from(index.lo) + i64::from(index.len) - 1;
                let reason = format!("the index {value} is outside the range [{},{last}]", index.lo);
                return self.failed(index.value, reason);
            }
            let at = at as u32;
            let stride = index.stride;
            // Within an array, whose extent is limited.
            cell.offset = cell.offset
                + Extent {
                    ints: stride.ints.wrapping_mul(at),
                    doubles: stride.doubles.wrapping_mul(at),
                    clocks: stride.clocks.wrapping_mul(at),
                    channels: stride.channels.wrapping_mul(at),
                };
        }
        Ok(cell)
    }

    fn parameter(&self, process: usize, n: u32, id: ExprId) -> Result<Cell> {
        match self.network.processes[process].references.get(n as usize) {
            Some(Reference { store: ReferenceStore::State, offset }) => {
                Ok(Cell { store: Store::State, offset: *offset })
            }
            Some(Reference { store: ReferenceStore::Constants, offset }) => {
                Ok(Cell { store: Store::Constants, offset: *offset })
            }
            None => self.failed(id, "a reference to nothing"),
        }
    }

    pub(super) fn load_int(&self, cell: Cell, n: u32, id: ExprId) -> Result<i32> {
        let at = (cell.offset.ints + n) as usize;
        let cells = match cell.store {
            Store::State => &self.state.ints,
            Store::Constants => &self.network.constants.ints,
            Store::Frames => &self.frames.ints,
        };
        cells.get(at).copied().map_or_else(|| self.failed(id, "no value"), Ok)
    }

    pub(super) fn load_double(&self, cell: Cell, n: u32, id: ExprId) -> Result<f64> {
        let at = (cell.offset.doubles + n) as usize;
        let cells = match cell.store {
            Store::State => &self.state.doubles,
            Store::Constants => &self.network.constants.doubles,
            Store::Frames => &self.frames.doubles,
        };
        cells.get(at).copied().map_or_else(|| self.failed(id, "no value"), Ok)
    }

    pub(super) fn clock_value(&mut self, place: &Place, id: ExprId) -> Result<Precise> {
        let at = self.clock_index(place, id)?;
        Ok(self.state.clocks[at])
    }

    /// The number of the clock that a place names.
    pub fn clock_index(&mut self, place: &Place, id: ExprId) -> Result<usize> {
        let cell = self.resolve(place, id)?;
        let at = cell.offset.clocks as usize;
        if cell.store == Store::State && at < self.state.clocks.len() {
            Ok(at)
        } else {
            self.failed(id, "no such clock")
        }
    }

    /// The number of the channel that a place names.
    pub fn channel_index(&mut self, place: &Place, id: ExprId) -> Result<usize> {
        Ok(self.resolve(place, id)?.offset.channels as usize)
    }

    /// The value as the variable holds it.
    pub(super) fn store_int(&mut self, cell: Cell, ty: &Type, value: i32, id: ExprId) -> Result<i32> {
        let value = match ty {
            Type::Bool => i32::from(value != 0),
            Type::Int(range) if !range.contains(value) => {
                return self.failed(id, format!("the value {value} is outside the range {range}"));
            }
            _ => value,
        };
        self.put_int(cell, 0, value, id)?;
        Ok(value)
    }

    pub(super) fn put_int(&mut self, cell: Cell, n: u32, value: i32, id: ExprId) -> Result<()> {
        let at = cell.offset.ints + n;
        let target = match cell.store {
            Store::State => self.state.ints.get_mut(at as usize),
            Store::Frames => self.frames.ints.get_mut(at as usize),
            Store::Constants => None,
        };
        let Some(target) = target else { return self.failed(id, "this cannot be changed") };
        if cell.store == Store::State && *target != value {
            self.log.push(Change::Int(at, *target));
        }
        *target = value;
        Ok(())
    }

    pub(super) fn store_double(&mut self, cell: Cell, value: f64, id: ExprId) -> Result<()> {
        self.put_double(cell, 0, value, id)
    }

    pub(super) fn put_double(&mut self, cell: Cell, n: u32, value: f64, id: ExprId) -> Result<()> {
        let at = cell.offset.doubles + n;
        let target = match cell.store {
            Store::State => self.state.doubles.get_mut(at as usize),
            Store::Frames => self.frames.doubles.get_mut(at as usize),
            Store::Constants => None,
        };
        let Some(target) = target else { return self.failed(id, "this cannot be changed") };
        if cell.store == Store::State && *target != value {
            self.log.push(Change::Double(at, *target));
        }
        *target = value;
        Ok(())
    }

    pub(super) fn store_clock(&mut self, cell: Cell, value: Precise, id: ExprId) -> Result<()> {
        let at = cell.offset.clocks;
        match self.state.clocks.get_mut(at as usize) {
            Some(target) if cell.store == Store::State => {
                self.log.push(Change::Clock(at, *target));
                *target = value;
                Ok(())
            }
            _ => self.failed(id, "this cannot be changed"),
        }
    }

    /// Copies a whole struct or array; the two may be the same one.
    pub(super) fn copy(&mut self, source: Cell, target: Cell, ty: &Type, id: ExprId) -> Result<()> {
        let extent = ty.extent();
        if extent.ints > 0 {
            let mut ranges = Vec::with_capacity(extent.ints as usize);
            ty.for_each_int(&mut |range| ranges.push(range));
            let mut values = Vec::with_capacity(ranges.len());
            for (n, range) in ranges.into_iter().enumerate() {
                let value = self.load_int(source, n as u32, id)?;
                if !range.contains(value) {
                    return self.failed(id, format!("the value {value} is outside the range {range}"));
                }
                values.push(value);
            }
            for (n, value) in values.into_iter().enumerate() {
                self.put_int(target, n as u32, value, id)?;
            }
        }
        if extent.doubles > 0 {
            let values = (0..extent.doubles).map(|n| self.load_double(source, n, id)).collect::<Result<Vec<f64>>>()?;
            for (n, value) in values.into_iter().enumerate() {
                self.put_double(target, n as u32, value, id)?;
            }
        }
        Ok(())
    }

    /// Takes back what the log says was changed, from the end to `from`.
    pub fn undo(&mut self, from: usize) {
        while self.log.len() > from {
            match self.log.pop() {
                Some(Change::Int(at, old)) => self.state.ints[at as usize] = old,
                Some(Change::Double(at, old)) => self.state.doubles[at as usize] = old,
                Some(Change::Clock(at, old)) => self.state.clocks[at as usize] = old,
                Some(Change::Location(at, old)) => self.state.locations[at as usize] = old,
                None => {}
            }
        }
    }
}
