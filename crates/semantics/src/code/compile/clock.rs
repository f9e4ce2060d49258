//! Clocks and channels: which one a place means, constraints on clocks, assignments to them.

use super::place::{Indices, member_code};
use super::{Compile, Compiler, Operand, Unsupported};
use crate::code::op::{NONE, Op, Reg};
use model::network::{Base, ClockConstraint, ExprId, MemberBase, Place, ProcessId, Relation, Type};
use model::source::Span;

/// The number of a clock.
#[derive(Clone, Copy)]
pub(super) enum ClockNumber {
    Fixed(u32),
    /// Relative to the clocks of the process.
    Local(u32),
    Register(Reg),
}

impl Compiler<'_, '_> {
    pub(super) fn clock(&mut self, place: &Place, span: Span) -> Compile<ClockNumber> {
        let indices = self.indices(place, false)?;
        self.clock_with(place, &indices, span)
    }

    pub(super) fn clock_with(&mut self, place: &Place, indices: &Indices, span: Span) -> Compile<ClockNumber> {
        let at = place.offset.clocks + indices.fixed.clocks;
        let index = self.sum_of(indices, |extent| extent.clocks, span)?;
        let first = match &place.base {
            Base::Global => ClockNumber::Fixed(at),
            Base::Local => ClockNumber::Local(at),
            Base::Parameter(n) => {
                let d = self.temporary(span)?;
                self.emit(Op::ClockParameter { d, n: *n, at });
                ClockNumber::Register(d)
            }
            Base::FrameReference(n) => {
                let d = self.temporary(span)?;
                self.emit(Op::AddImm { d, a: self.reference(*n) + 1, value: at as i32 });
                ClockNumber::Register(d)
            }
            Base::Member(process, member) => {
                let d = self.temporary(span)?;
                match self.process(process, d, span)? {
                    Operand::Imm(process) => {
                        let process = self.network.process(ProcessId::new(process as usize));
                        let base = match member {
                            MemberBase::Parameter(n) => {
                                process.references.get(*n as usize).map_or(0, |reference| reference.offset.clocks)
                            }
                            _ => process.state.clocks,
                        };
                        ClockNumber::Fixed(base + at)
                    }
                    Operand::Reg(p) => {
                        let (member, n) = member_code(*member);
                        self.emit(Op::ClockMember { d, p, member, n, at });
                        ClockNumber::Register(d)
                    }
                }
            }
            Base::Constant | Base::LocalConstant | Base::Frame | Base::Value(_) => {
                return Err(Unsupported { reason: "a clock that is local to a function", span });
            }
        };
        let Some(b) = index else { return Ok(first) };
        let d = self.temporary(span)?;
        match first {
            ClockNumber::Fixed(at) => self.emit(Op::AddImm { d, a: b, value: at as i32 }),
            first => {
                let a = self.clock_register(first, d);
                self.emit(Op::Add { d, a, b });
            }
        }
        Ok(ClockNumber::Register(d))
    }

    pub(super) fn clock_register(&mut self, clock: ClockNumber, d: Reg) -> Reg {
        match clock {
            ClockNumber::Register(reg) => reg,
            ClockNumber::Fixed(at) => {
                self.emit(Op::Imm { d, value: at as i32 });
                d
            }
            ClockNumber::Local(at) => {
                self.emit(Op::ClockLocal { d, at });
                d
            }
        }
    }

    /// `plus - minus ~ bound`, or its negation.
    pub(super) fn constraint(&mut self, constraint: &ClockConstraint, negate: bool, span: Span) -> Compile<()> {
        let relation = if negate { opposite(constraint.relation) } else { constraint.relation };
        let hybrid = |place: &Option<Place>| matches!(place, Some(Place { ty: Type::Clock { hybrid: true }, .. }));
        if hybrid(&constraint.plus) || hybrid(&constraint.minus) {
            return Err(Unsupported { reason: "a constraint on a hybrid clock", span });
        }
        let plus = constraint.plus.as_ref().map(|place| self.clock(place, span)).transpose()?;
        let minus = constraint.minus.as_ref().map(|place| self.clock(place, span)).transpose()?;
        let t = self.temporary(span)?;
        let bound = self.int(constraint.bound, t)?;
        let alone = match (plus, minus) {
            (Some(clock), None) => Some((clock, false)),
            (None, Some(clock)) => Some((clock, true)),
            _ => None,
        };
        let op = match (alone, bound) {
            (Some((ClockNumber::Fixed(clock), negative)), Operand::Imm(bound)) => {
                Op::BoundState { relation, negative, clock, bound }
            }
            (Some((ClockNumber::Local(clock), negative)), Operand::Imm(bound)) => {
                Op::BoundLocal { relation, negative, clock, bound }
            }
            (Some((ClockNumber::Fixed(clock), negative)), Operand::Reg(bound)) => {
                Op::BoundStateBy { relation, negative, clock, bound }
            }
            (Some((ClockNumber::Local(clock), negative)), Operand::Reg(bound)) => {
                Op::BoundLocalBy { relation, negative, clock, bound }
            }
            _ => {
                let bound = self.in_register(bound, t);
                let register = |compiler: &mut Self, clock: Option<ClockNumber>| match clock {
                    None => Ok(NONE),
                    Some(clock) => {
                        let d = compiler.temporary(span)?;
                        Ok(compiler.clock_register(clock, d))
                    }
                };
                let plus = register(self, plus)?;
                let minus = register(self, minus)?;
                Op::Bound { relation, plus, minus, bound }
            }
        };
        self.emit(op);
        Ok(())
    }

    /// `x' == e`; rates of hybrid clocks do not matter here.
    pub(super) fn rate(&mut self, clock: &Place, rate: ExprId, span: Span) -> Compile<()> {
        if matches!(clock.ty, Type::Clock { hybrid: true }) {
            return Ok(());
        }
        let clock = self.clock(clock, span)?;
        let t = self.temporary(span)?;
        let clock = self.clock_register(clock, t);
        let rate = self.register(rate)?;
        self.emit(Op::Rate { clock, rate });
        Ok(())
    }

    /// `target = source + offset`
    pub(super) fn set_clock(
        &mut self,
        target: &Place,
        source: Option<&Place>,
        offset: ExprId,
        span: Span,
    ) -> Compile<()> {
        if self.has_values() {
            return self.put_clock(target, source, offset, span);
        }
        if matches!(target.ty, Type::Clock { hybrid: true }) {
            self.effect_if_writes(offset)?;
            source.map_or(Ok(()), |place| self.place_effects(place))?;
            return self.place_effects(target);
        }
        let t = self.temporary(span)?;
        let mut by = self.int(offset, t)?;
        if matches!(by, Operand::Reg(reg) if reg != t) {
            // The places evaluated next may change the variable.
            self.move_into(by, t);
            by = Operand::Reg(t);
        }
        let source = match source {
            Some(Place { ty: Type::Clock { hybrid: true }, .. }) => {
                return Err(Unsupported { reason: "a clock is set to the value of a hybrid clock", span });
            }
            Some(place) => Some(self.clock(place, span)?),
            None => None,
        };
        let target = self.clock(target, span)?;
        match (target, source, by) {
            (ClockNumber::Fixed(clock), None, Operand::Imm(value)) if value >= 0 => {
                self.emit(Op::ResetState { clock, value });
            }
            (ClockNumber::Local(clock), None, Operand::Imm(value)) if value >= 0 => {
                self.emit(Op::ResetLocal { clock, value });
            }
            (target, source, by) => {
                let offset = self.in_register(by, t);
                let d = self.temporary(span)?;
                let target = self.clock_register(target, d);
                let source = match source {
                    Some(source) => {
                        let d = self.temporary(span)?;
                        self.clock_register(source, d)
                    }
                    None => NONE,
                };
                self.emit_at(span, Op::SetClock { target, source, offset });
            }
        }
        Ok(())
    }

    pub(super) fn whole_clock(&mut self, place: &Place, span: Span) -> Compile<()> {
        let clock = self.clock(place, span)?;
        let d = self.temporary(span)?;
        let a = self.clock_register(clock, d);
        self.emit(Op::HaltValue { a });
        Ok(())
    }

    pub(super) fn whole_channel(&mut self, place: &Place, span: Span) -> Compile<()> {
        let indices = self.indices(place, false)?;
        let at = place.offset.channels + indices.fixed.channels;
        let index = self.sum_of(&indices, |extent| extent.channels, span)?;
        let d = self.temporary(span)?;
        match &place.base {
            Base::Global => self.emit(Op::Imm { d, value: at as i32 }),
            Base::Local => self.emit(Op::ChannelLocal { d, at }),
            Base::Parameter(n) => self.emit(Op::ChannelParameter { d, n: *n, at }),
            _ => return Err(Unsupported { reason: "a channel that is no variable", span }),
        }
        if let Some(b) = index {
            self.emit(Op::Add { d, a: d, b });
        }
        self.emit(Op::HaltValue { a: d });
        Ok(())
    }
}

fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Lt => Relation::Ge,
        Relation::Le => Relation::Gt,
        Relation::Eq => Relation::Ne,
        Relation::Ne => Relation::Eq,
        Relation::Ge => Relation::Lt,
        Relation::Gt => Relation::Le,
    }
}
