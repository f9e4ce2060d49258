//! Variables: where they are, loading them, storing to them.

use super::{Compile, Compiler, Operand};
use crate::code::op::{CONSTANTS, Member, Op, Reg, STATE};
use model::network::{Base, Extent, MemberBase, Place, ProcessId, Reference, ReferenceStore};
use model::source::Span;

/// Where the integers of a place are.
pub(super) struct Address {
    pub space: Space,
    pub at: u32,
    /// A register whose value is to be added.
    pub index: Option<Reg>,
    /// The index still has to be checked against this length.
    pub unchecked: Option<(u32, Span)>,
}

#[derive(Clone, Copy)]
pub(super) enum Space {
    State,
    Local,
    Constant,
    LocalConstant,
    Parameter(u32),
    Frame,
    Pointer(Reg),
}

/// The indices of a place: the constant ones summed up, the others in registers.
pub(super) struct Indices {
    pub fixed: Extent,
    pub dynamic: Vec<(Reg, Extent)>,
    unchecked: Option<(u32, Span)>,
}

impl Compiler<'_, '_> {
    /// Evaluates the indices of a place. With `defer` the check of a lone index from 0 is left to the instruction that
    /// uses it.
    pub(super) fn indices(&mut self, place: &Place, defer: bool) -> Compile<Indices> {
        let mut found = Indices { fixed: Extent::default(), dynamic: Vec::new(), unchecked: None };
        for (n, index) in place.indices.iter().enumerate() {
            let span = self.span(index.value);
            if let Some(value) = self.traits.known(index.value) {
                let at = i64::from(value) - i64::from(index.lo);
                if (0..i64::from(index.len)).contains(&at) {
                    found.fixed = found.fixed + index.stride.times(at as u64).unwrap_or_default();
                    continue;
                }
            }
            let t = self.temporary(span)?;
            let value = self.int(index.value, t)?;
            let mut i = self.in_register(value, t);
            let (lo, len) = (index.lo, index.len);
            let range = self.value_range(index.value);
            let in_range = range.lo >= lo && i64::from(range.hi) - i64::from(lo) < i64::from(len);
            if i != t && place.indices[n + 1..].iter().any(|later| self.traits.of(later.value).writes) {
                self.emit(Op::Move { d: t, a: i });
                i = t;
            }
            match (in_range, lo) {
                (true, 0) => {}
                (true, _) => {
                    self.emit(Op::AddImm { d: t, a: i, value: lo.wrapping_neg() });
                    i = t;
                }
                (false, 0) if defer && index.stride.ints == 1 && place.indices.len() == 1 => {
                    found.unchecked = Some((len, span));
                }
                (false, _) => {
                    self.emit_at(span, Op::Index { d: t, i, lo, len });
                    i = t;
                }
            }
            found.dynamic.push((i, index.stride));
        }
        Ok(found)
    }

    /// The sum of the indices for one kind of cell, in a register.
    pub(super) fn sum_of(
        &mut self,
        indices: &Indices,
        stride: impl Fn(&Extent) -> u32,
        span: Span,
    ) -> Compile<Option<Reg>> {
        let mut sum: Option<Reg> = None;
        for (reg, strides) in &indices.dynamic {
            let factor = stride(strides) as i32;
            sum = match (sum, factor) {
                (sum, 0) => sum,
                (None, 1) => Some(*reg),
                (None, value) => {
                    let d = self.temporary(span)?;
                    self.emit(Op::MulImm { d, a: *reg, value });
                    Some(d)
                }
                (Some(a), factor) => {
                    let d = self.temporary(span)?;
                    self.emit(Op::MulAdd { d, a, b: *reg, factor });
                    Some(d)
                }
            };
        }
        Ok(sum)
    }

    pub(super) fn address(&mut self, place: &Place, span: Span, defer: bool) -> Compile<Address> {
        let (space, base) = self.int_base(place, span)?;
        let indices = self.indices(place, defer)?;
        let index = self.sum_of(&indices, |extent| extent.ints, span)?;
        let at = base + place.offset.ints + indices.fixed.ints;
        Ok(Address { space, at, index, unchecked: indices.unchecked })
    }

    /// What the integers of a place are relative to.
    pub(super) fn int_base(&mut self, place: &Place, span: Span) -> Compile<(Space, u32)> {
        Ok(match &place.base {
            Base::Global => (Space::State, 0),
            Base::Constant => (Space::Constant, 0),
            Base::Local => (Space::Local, 0),
            Base::LocalConstant => (Space::LocalConstant, 0),
            Base::Parameter(n) => (Space::Parameter(*n), 0),
            Base::Frame => (Space::Frame, self.cells),
            Base::FrameReference(n) => (Space::Pointer(self.reference(*n)), 0),
            Base::Member(process, member) => {
                let d = self.temporary(span)?;
                let number = self.process(process, d, span)?;
                self.member_space(number, *member, d)
            }
            Base::Value(value) => (Space::Pointer(self.cells(*value)?), 0),
        })
    }

    /// What the integers of a member are relative to; `d` is a register for a pointer.
    pub(super) fn member_space(&mut self, process: Operand, member: MemberBase, d: Reg) -> (Space, u32) {
        match process {
            Operand::Imm(process) => self.member_of(ProcessId::new(process as usize), member),
            Operand::Reg(p) => {
                let (member, n) = member_code(member);
                self.emit(Op::AddressMember { d, p, member, n, at: 0 });
                (Space::Pointer(d), 0)
            }
        }
    }

    fn member_of(&self, process: ProcessId, member: MemberBase) -> (Space, u32) {
        let process = self.network.process(process);
        match member {
            MemberBase::Local => (Space::State, process.state.ints),
            MemberBase::LocalConstant => (Space::Constant, process.constants.ints),
            MemberBase::Parameter(n) => match process.references.get(n as usize) {
                Some(Reference { store: ReferenceStore::Constants, offset }) => (Space::Constant, offset.ints),
                Some(Reference { store: ReferenceStore::State, offset }) => (Space::State, offset.ints),
                None => (Space::State, 0),
            },
        }
    }

    /// The value of a variable: a constant, in its own register, or loaded into `d`.
    pub(super) fn load(&mut self, place: &Place, d: Reg, span: Span) -> Compile<Operand> {
        let address = self.address(place, span, true)?;
        self.load_from(&address, d, span)
    }

    pub(super) fn load_from(&mut self, address: &Address, d: Reg, span: Span) -> Compile<Operand> {
        let at = address.at;
        let Some(i) = address.index else {
            let op = match address.space {
                Space::State => Op::LoadState { d, at },
                Space::Local => Op::LoadLocal { d, at },
                Space::Constant => {
                    let value = self.network.constants.ints.get(at as usize).copied().unwrap_or(0);
                    return Ok(Operand::Imm(value));
                }
                Space::LocalConstant => Op::LoadLocalConstant { d, at },
                Space::Parameter(n) => Op::LoadParameter { d, n, at },
                Space::Frame => return Ok(Operand::Reg(at as Reg)),
                Space::Pointer(p) => Op::LoadPointer { d, p, at },
            };
            self.emit(op);
            return Ok(Operand::Reg(d));
        };
        let (len, site) = address.unchecked.unwrap_or((u32::MAX, span));
        let op = match address.space {
            Space::State => Op::StateAt { d, i, at, len },
            Space::Local => Op::LocalAt { d, i, at, len },
            Space::Constant => Op::ConstantAt { d, i, at, len },
            Space::LocalConstant => Op::LocalConstantAt { d, i, at, len },
            Space::Frame => Op::FrameAt { d, i, at, len },
            Space::Pointer(p) => Op::PointerAt { d, p, i, at, len },
            Space::Parameter(n) => {
                let p = self.temporary(span)?;
                self.emit(Op::AddressParameter { d: p, n, at: 0 });
                Op::PointerAt { d, p, i, at, len }
            }
        };
        self.emit_at(site, op);
        Ok(Operand::Reg(d))
    }

    /// Stores a register; the value has been checked against the type of the place.
    pub(super) fn store_to(&mut self, address: &Address, s: Reg, span: Span) -> Compile<()> {
        let at = address.at;
        let (len, site) = address.unchecked.unwrap_or((u32::MAX, span));
        let op = match (address.space, address.index) {
            (Space::State, None) => Op::StoreState { s, at },
            (Space::Local, None) => Op::StoreLocal { s, at },
            (Space::State, Some(i)) => Op::StoreStateAt { s, i, at, len },
            (Space::Local, Some(i)) => Op::StoreLocalAt { s, i, at, len },
            (Space::Frame, None) => {
                self.move_into(Operand::Reg(s), at as Reg);
                return Ok(());
            }
            (Space::Frame, Some(i)) => Op::StoreFrameAt { s, i, at, len },
            (Space::Pointer(p), None) => Op::StorePointer { s, p, at },
            (Space::Pointer(p), Some(i)) => Op::StorePointerAt { s, p, i, at, len },
            (Space::Parameter(n), index) => {
                let p = self.temporary(span)?;
                self.emit(Op::AddressParameter { d: p, n, at: 0 });
                match index {
                    None => Op::StorePointer { s, p, at },
                    Some(i) => Op::StorePointerAt { s, p, i, at, len },
                }
            }
            (Space::Constant | Space::LocalConstant, _) => {
                return Err(super::Unsupported { reason: "a constant is written", span });
            }
        };
        self.emit_at(if address.unchecked.is_some() { site } else { span }, op);
        Ok(())
    }

    /// A pointer to the first integer of a place.
    pub(super) fn pointer_to(&mut self, address: &Address, d: Reg) {
        self.pointer_from(address.space, address.at, address.index, d);
    }

    pub(super) fn pointer_from(&mut self, space: Space, at: u32, index: Option<Reg>, d: Reg) {
        self.emit(match space {
            Space::State => Op::Imm { d, value: (STATE | at) as i32 },
            Space::Constant => Op::Imm { d, value: (CONSTANTS | at) as i32 },
            Space::Local => Op::AddressLocal { d, at },
            Space::LocalConstant => Op::AddressLocalConstant { d, at },
            Space::Parameter(n) => Op::AddressParameter { d, n, at },
            Space::Frame => Op::AddressFrame { d, at },
            Space::Pointer(p) => Op::AddImm { d, a: p, value: at as i32 },
        });
        if let Some(b) = index {
            self.emit(Op::Add { d, a: d, b });
        }
    }
}

pub(super) fn member_code(member: MemberBase) -> (Member, u32) {
    match member {
        MemberBase::Local => (Member::Local, 0),
        MemberBase::LocalConstant => (Member::LocalConstant, 0),
        MemberBase::Parameter(n) => (Member::Parameter, n),
    }
}
