//! Doubles and clocks that have values, for statistics.
//!
//! A double is compiled as an integer is: with two cells to put its value in, which only the last instruction writes, or it
//! is in the cells of a variable of the frame. Comparisons in which time plays a part, and sums of clocks, are computed with
//! twice the digits ([`crate::precise`]), so that a clock that was to reach a bound is at the bound.

use super::clock::ClockNumber;
use super::place::{Indices, member_code};
use super::{Compile, Compiler, Label, Operand};
use crate::code::op::{CONSTANTS, NONE, Op, Reg, STATE};
use crate::code::traits::Kind;
use model::network::{
    Base, Builtin, BuiltinResult, ClockConstraint, Expr, ExprId, MemberBase, Number, Place, ProcessId, Range,
    ReferenceStore, Relation, Type,
};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};

/// Cells of a double, and of a moment or a clock.
const DOUBLE: u32 = 2;
const PRECISE: u32 = 4;

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
    /// Whether clocks and doubles have values.
    pub(super) fn has_values(&self) -> bool {
        self.traits.timed.is_some()
    }

    fn is_timed(&self, id: ExprId) -> bool {
        self.traits.timed.as_ref().is_some_and(|timed| timed.timed(id))
    }

    /// Whether the expression sets rates and is no condition besides.
    pub(super) fn sets_rates_only(&self, id: ExprId) -> bool {
        self.traits.timed.as_ref().is_some_and(|timed| timed.only_rates(id))
    }

    /// Whether the value is a double where doubles have values.
    pub(super) fn is_double(&self, id: ExprId) -> bool {
        let is_clock = |place: &Place| matches!(place.ty, Type::Clock { .. });
        self.has_values()
            && (self.traits.of(id).kind == Kind::Double
                || matches!(self.expr(id), Expr::Read(place) | Expr::Assign { target: place, .. } if is_clock(place)))
    }

    pub(super) fn whole_double(&mut self, id: ExprId) -> Compile<()> {
        let a = self.double_register(id)?;
        self.emit(Op::DoubleMove { d: 0, a });
        self.emit(Op::Halt { value: 1 });
        Ok(())
    }

    /// The cells of a number as a double: `d`, or those of a variable.
    pub(super) fn double(&mut self, id: ExprId, d: Reg) -> Compile<Reg> {
        if !self.has_values() {
            return self.unsupported("a floating-point value", id);
        }
        self.scoped(|compiler| compiler.compute_double(id, d))
    }

    pub(super) fn double_into(&mut self, id: ExprId, d: Reg) -> Compile<()> {
        let a = self.double(id, d)?;
        if a != d {
            self.emit(Op::DoubleMove { d, a });
        }
        Ok(())
    }

    pub(super) fn double_register(&mut self, id: ExprId) -> Compile<Reg> {
        let d = self.block(DOUBLE, self.span(id))?;
        self.double(id, d)
    }

    fn compute_double(&mut self, id: ExprId, d: Reg) -> Compile<Reg> {
        let span = self.span(id);
        match self.expr(id) {
            Expr::Double(value) => self.double_constant(*value, d),
            Expr::ToDouble(operand) => {
                let int = self.register(*operand)?;
                self.emit(Op::DoubleOf { d, int });
            }
            Expr::ClockValue(place) | Expr::Read(place @ Place { ty: Type::Clock { .. }, .. }) => {
                let clock = self.clock_number(place, span)?;
                self.emit(Op::ClockDouble { d, clock });
            }
            Expr::Read(place) if place.ty == Type::Double => {
                if place.base == Base::Frame && place.indices.is_empty() {
                    return Ok(self.double_cell(place.offset.doubles));
                }
                if place.base == Base::Global && place.indices.is_empty() {
                    self.emit(Op::LoadStateDouble { d, at: place.offset.doubles });
                    return Ok(d);
                }
                let p = self.double_pointer(place, span)?;
                self.emit(Op::LoadDouble { d, p });
            }
            Expr::Negate(Number::Double, operand) => {
                let a = self.double_register(*operand)?;
                self.emit(Op::DoubleNegate { d, a });
            }
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, number: Number::Double, .. } if self.is_timed(id) => {
                let a = self.precise_register(id)?;
                self.emit(Op::DoubleOfPrecise { d, a });
            }
            Expr::Binary { op, number: Number::Double, left, right } if relation(*op).is_none() => {
                let (a, b) = self.double_operands(*left, *right)?;
                self.emit_at(span, Op::DoubleBinary { op: *op, d, a, b });
            }
            Expr::Conditional { condition, then, otherwise } => {
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                self.double_into(*then, d)?;
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                self.double_into(*otherwise, d)?;
                self.place(end);
            }
            Expr::Assign { target, op: None, value } if self.is_double(id) => {
                return self.assign_double(target, *value, d, span);
            }
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                return self.double(*second, d);
            }
            Expr::Call { function, process, arguments } if self.is_double(id) => {
                let a = self.call(*function, process.as_ref(), arguments, span)?;
                self.emit(Op::DoubleMove { d, a });
            }
            Expr::Builtin { function, arguments } if function.result() == BuiltinResult::Double => {
                let a = self.builtin_arguments(arguments, span)?;
                self.emit_at(span, Op::DoubleBuiltin { function: *function, d, a });
            }
            Expr::Quantified {
                quantifier: Quantifier::Sum | Quantifier::Foreach,
                number: Number::Double,
                slot,
                range,
                body,
            } => self.double_sum(*slot, *range, *body, d, span)?,
            _ => {
                let t = self.temporary(span)?;
                let operand = self.int(id, t)?;
                let int = self.in_register(operand, t);
                self.emit(Op::DoubleOf { d, int });
            }
        }
        Ok(d)
    }

    fn double_constant(&mut self, value: f64, d: Reg) {
        let n = self.tables.doubles.len() as u32;
        self.tables.doubles.push(value);
        self.emit(Op::DoubleImm { d, n });
    }

    /// Both operands. The left one is saved when computing the right one could change it.
    fn double_operands(&mut self, left: ExprId, right: ExprId) -> Compile<(Reg, Reg)> {
        let t = self.block(DOUBLE, self.span(left))?;
        let mut a = self.double(left, t)?;
        if a != t && self.traits.of(right).writes {
            self.emit(Op::DoubleMove { d: t, a });
            a = t;
        }
        Ok((a, self.double_register(right)?))
    }

    fn double_sum(&mut self, slot: u32, range: Range, body: ExprId, d: Reg, span: Span) -> Compile<()> {
        let a = self.block(DOUBLE, span)?;
        self.double_constant(0.0, a);
        self.counted(slot, range, span, |compiler| {
            let b = compiler.double_register(body)?;
            compiler.emit_at(span, Op::DoubleBinary { op: BinaryOp::Add, d: a, a, b });
            Ok(())
        })?;
        self.emit(Op::DoubleMove { d, a });
        Ok(())
    }

    /// Three doubles in a row; those that the function does not have are 0.
    fn builtin_arguments(&mut self, arguments: &[ExprId], span: Span) -> Compile<Reg> {
        let first = self.block(3 * DOUBLE, span)?;
        for n in 0..3 {
            let d = first + n * DOUBLE as Reg;
            match arguments.get(usize::from(n)) {
                Some(argument) => self.double_into(*argument, d)?,
                None => self.double_constant(0.0, d),
            }
        }
        Ok(first)
    }

    /// A built-in function whose result is an integer.
    pub(super) fn int_builtin(&mut self, function: Builtin, arguments: &[ExprId], d: Reg, span: Span) -> Compile<()> {
        let a = self.builtin_arguments(arguments, span)?;
        self.emit_at(span, Op::IntBuiltin { function, d, a });
        Ok(())
    }

    /// The value first, then the variable, which is a double or a clock.
    pub(super) fn assign_double(&mut self, target: &Place, value: ExprId, d: Reg, span: Span) -> Compile<Reg> {
        let t = self.block(DOUBLE, span)?;
        let mut a = self.double(value, t)?;
        if a != t && self.traits.place_writes(target) {
            self.emit(Op::DoubleMove { d: t, a });
            a = t;
        }
        if matches!(target.ty, Type::Clock { .. }) {
            let clock = self.clock_number(target, span)?;
            let precise = self.block(PRECISE, span)?;
            self.emit(Op::PreciseOf { d: precise, a });
            self.emit_at(span, Op::PutClock { clock, a: precise });
        } else if target.base == Base::Frame && target.indices.is_empty() {
            let cell = self.double_cell(target.offset.doubles);
            self.emit(Op::DoubleMove { d: cell, a });
            return Ok(cell);
        } else if target.base == Base::Global && target.indices.is_empty() {
            self.emit_at(span, Op::StoreStateDouble { s: a, at: target.offset.doubles });
        } else {
            let p = self.double_pointer(target, span)?;
            self.emit_at(span, Op::StoreDouble { s: a, p });
        }
        self.emit(Op::DoubleMove { d, a });
        Ok(d)
    }

    /// `target = source + offset` at once: the offset and the source come before the target is looked for.
    pub(super) fn put_clock(
        &mut self,
        target: &Place,
        source: Option<&Place>,
        offset: ExprId,
        span: Span,
    ) -> Compile<()> {
        if let (None, Some(value), true) = (source, self.traits.known(offset), target.indices.is_empty()) {
            match target.base {
                Base::Global => {
                    self.emit(Op::ResetState { clock: target.offset.clocks, value });
                    return Ok(());
                }
                Base::Local => {
                    self.emit(Op::ResetLocal { clock: target.offset.clocks, value });
                    return Ok(());
                }
                _ => {}
            }
        }
        let by = self.block(DOUBLE, span)?;
        let int = self.register(offset)?;
        self.emit(Op::DoubleOf { d: by, int });
        let a = self.block(PRECISE, span)?;
        self.emit(Op::PreciseOf { d: a, a: by });
        if let Some(source) = source {
            let clock = self.clock_number(source, span)?;
            let start = self.block(PRECISE, span)?;
            self.emit(Op::ClockPrecise { d: start, clock });
            self.emit(Op::PreciseAddDouble { d: a, a: start, b: by });
        }
        let clock = self.clock_number(target, span)?;
        self.emit_at(span, Op::PutClock { clock, a });
        Ok(())
    }

    fn clock_number(&mut self, place: &Place, span: Span) -> Compile<Reg> {
        let clock = self.clock(place, span)?;
        let d = self.temporary(span)?;
        Ok(match clock {
            ClockNumber::Register(reg) => reg,
            other => self.clock_register(other, d),
        })
    }

    fn precise_register(&mut self, id: ExprId) -> Compile<Reg> {
        let d = self.block(PRECISE, self.span(id))?;
        self.scoped(|compiler| compiler.precise(id, d))?;
        Ok(d)
    }

    /// A number with twice the digits, into four cells.
    fn precise(&mut self, id: ExprId, d: Reg) -> Compile<()> {
        let span = self.span(id);
        let timed = self.is_timed(id);
        match self.expr(id) {
            Expr::ClockValue(place) if timed => {
                let clock = self.clock_number(place, span)?;
                self.emit(Op::ClockPrecise { d, clock });
            }
            Expr::Negate(Number::Double, operand) if timed => {
                let a = self.precise_register(*operand)?;
                self.emit(Op::PreciseNegate { d, a });
            }
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), number: Number::Double, left, right } if timed => {
                let (a, b) = (self.precise_register(*left)?, self.precise_register(*right)?);
                self.emit(if *op == BinaryOp::Add { Op::PreciseAdd { d, a, b } } else { Op::PreciseSub { d, a, b } });
            }
            Expr::Binary { op: BinaryOp::Mul, number: Number::Double, left, right }
                if timed && self.is_timed(*right) =>
            {
                let b = self.block(DOUBLE, span)?;
                self.double_into(*left, b)?;
                let a = self.precise_register(*right)?;
                self.emit(Op::PreciseMul { d, a, b });
            }
            Expr::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Div), number: Number::Double, left, right } if timed => {
                let a = self.precise_register(*left)?;
                let b = self.double_register(*right)?;
                self.emit(if *op == BinaryOp::Mul { Op::PreciseMul { d, a, b } } else { Op::PreciseDiv { d, a, b } });
            }
            Expr::Conditional { condition, then, otherwise } if timed => {
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                self.scoped(|compiler| compiler.precise(*then, d))?;
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                self.scoped(|compiler| compiler.precise(*otherwise, d))?;
                self.place(end);
            }
            _ => {
                let a = self.double_register(id)?;
                self.emit(Op::PreciseOf { d, a });
            }
        }
        Ok(())
    }

    /// Jumps when a comparison of doubles has the truth `when`; time may play a part in it.
    pub(super) fn compare_doubles(&mut self, id: ExprId, to: Label, when: bool) -> Compile<()> {
        let span = self.span(id);
        let Expr::Binary { op, left, right, .. } = self.expr(id) else { return self.unsupported("no comparison", id) };
        let Some(relation) = relation(*op) else { return self.unsupported("an operator that doubles do not have", id) };
        let d = self.temporary(span)?;
        if self.is_timed(id) {
            let (a, b) = (self.precise_register(*left)?, self.precise_register(*right)?);
            self.emit(Op::PreciseTest { relation, d, a, b });
        } else {
            let (a, b) = self.double_operands(*left, *right)?;
            self.emit(Op::DoubleTest { relation, d, a, b });
        }
        self.jump_on(d, to, when);
        Ok(())
    }

    /// Jumps when a constraint has the truth `when` for the values of the clocks.
    pub(super) fn test_clocks(
        &mut self,
        constraint: &ClockConstraint,
        to: Label,
        when: bool,
        span: Span,
    ) -> Compile<()> {
        let number = |compiler: &mut Self, place: &Option<Place>| match place {
            Some(place) => compiler.clock_number(place, span),
            None => Ok(NONE),
        };
        let plus = number(self, &constraint.plus)?;
        let minus = number(self, &constraint.minus)?;
        let bound = self.register(constraint.bound)?;
        let d = self.temporary(span)?;
        self.emit(Op::ClockTest { relation: constraint.relation, d, plus, minus, bound });
        self.jump_on(d, to, when);
        Ok(())
    }

    fn jump_on(&mut self, a: Reg, to: Label, when: bool) {
        let to = to.0;
        self.emit(if when { Op::JumpNeImm { a, value: 0, to } } else { Op::JumpEqImm { a, value: 0, to } });
    }

    /// The first cell of a double of the frame.
    pub(super) fn double_cell(&self, double: u32) -> Reg {
        (self.doubles + DOUBLE * double) as Reg
    }

    /// A pointer to the first double of a place, among temporaries.
    fn double_pointer(&mut self, place: &Place, span: Span) -> Compile<Reg> {
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

fn relation(op: BinaryOp) -> Option<Relation> {
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
