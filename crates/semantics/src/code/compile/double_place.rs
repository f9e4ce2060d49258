//! Where doubles are: pointers to them, and structs and arrays of them.

use super::double::DOUBLE;
use super::place::{Indices, member_code};
use super::{Compile, Compiler, Operand};
use crate::code::op::{CONSTANTS, Op, Reg, STATE};
use model::network::{Base, MemberBase, Place, ProcessId, ReferenceStore};
use model::source::Span;

/// What the doubles of a place are relative to.
#[derive(Clone, Copy)]
pub(super) enum DoubleSpace {
    State(u32),
    Constant(u32),
    Local,
    LocalConstant,
    Parameter(u32),
    Frame,
    Pointer(Reg),
}

impl Compiler<'_, '_> {
    /// The first cell of a double of the frame.
    pub(super) fn double_cell(&self, double: u32) -> Reg {
        (self.doubles + DOUBLE * double) as Reg
    }

    /// A pointer to the first double of a place, among temporaries.
    pub(super) fn double_pointer(&mut self, place: &Place, span: Span) -> Compile<Reg> {
        let space = self.double_space(place, span)?;
        let indices = self.indices(place, false)?;
        let d = self.temporary(span)?;
        self.point_to_doubles(space, place, &indices, d, span)?;
        Ok(d)
    }

    fn double_space(&mut self, place: &Place, span: Span) -> Compile<DoubleSpace> {
        Ok(match &place.base {
            Base::Member(process, member) => {
                let d = self.temporary(span)?;
                let number = self.process(process, d, span)?;
                self.double_member(number, *member, span)?
            }
            Base::Value(value) => DoubleSpace::Pointer(self.cells(*value)? + 1),
            other => self.plain_double_space(other),
        })
    }

    /// Of a base that is found without computing anything.
    pub(super) fn plain_double_space(&self, base: &Base) -> DoubleSpace {
        match base {
            Base::Constant => DoubleSpace::Constant(0),
            Base::Local => DoubleSpace::Local,
            Base::LocalConstant => DoubleSpace::LocalConstant,
            Base::Parameter(n) => DoubleSpace::Parameter(*n),
            Base::Frame => DoubleSpace::Frame,
            Base::FrameReference(n) => DoubleSpace::Pointer(self.reference(*n) + 2),
            Base::Global | Base::Member(..) | Base::Value(_) => DoubleSpace::State(0),
        }
    }

    pub(super) fn double_member(&mut self, process: Operand, member: MemberBase, span: Span) -> Compile<DoubleSpace> {
        Ok(match process {
            Operand::Imm(process) => {
                let process = self.network.process(ProcessId::new(process as usize));
                match member {
                    MemberBase::Local => DoubleSpace::State(process.state.doubles),
                    MemberBase::LocalConstant => DoubleSpace::Constant(process.constants.doubles),
                    MemberBase::Parameter(n) => match process.references.get(n as usize) {
                        Some(reference) if reference.store == ReferenceStore::Constants => {
                            DoubleSpace::Constant(reference.offset.doubles)
                        }
                        Some(reference) => DoubleSpace::State(reference.offset.doubles),
                        None => DoubleSpace::State(0),
                    },
                }
            }
            Operand::Reg(p) => {
                let (member, n) = member_code(member);
                let d = self.temporary(span)?;
                self.emit(Op::DoubleMember { d, p, member, n, at: 0 });
                DoubleSpace::Pointer(d)
            }
        })
    }

    /// A pointer to the doubles of a place whose indices are known.
    pub(super) fn point_to_doubles(
        &mut self,
        space: DoubleSpace,
        place: &Place,
        indices: &Indices,
        d: Reg,
        span: Span,
    ) -> Compile<()> {
        let index = self.sum_of(indices, |extent| DOUBLE * extent.doubles, span)?;
        let at = DOUBLE * (place.offset.doubles + indices.fixed.doubles);
        self.emit(match space {
            DoubleSpace::State(first) => Op::Imm { d, value: (STATE | (DOUBLE * first + at)) as i32 },
            DoubleSpace::Constant(first) => Op::Imm { d, value: (CONSTANTS | (DOUBLE * first + at)) as i32 },
            DoubleSpace::Local => Op::DoubleLocal { d, at },
            DoubleSpace::LocalConstant => Op::DoubleLocalConstant { d, at },
            DoubleSpace::Parameter(n) => Op::DoubleParameter { d, n, at },
            DoubleSpace::Frame => Op::AddressFrame { d, at: self.doubles + at },
            DoubleSpace::Pointer(p) => Op::AddImm { d, a: p, value: at as i32 },
        });
        if let Some(b) = index {
            self.emit(Op::Add { d, a: d, b });
        }
        Ok(())
    }

    /// Copies the doubles of a struct or an array.
    pub(super) fn copy_doubles(&mut self, d: Reg, s: Reg, len: u32, span: Span) {
        if self.has_values() && len > 0 {
            self.emit_at(span, Op::CopyDoubles { d: d + 1, s: s + 1, len });
        }
    }
}
