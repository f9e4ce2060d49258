//! The instructions: 16 bytes each, registers by 16 bits, addresses and constants by 32.
//!
//! Registers are cells of the frame at hand: first the function's references (two cells each: a
//! pointer to its integers and its first clock), then its parameters and local variables, then
//! temporaries. Functions with more than [`MOST_CELLS`] cells are not run: half of what registers
//! can name is left for temporaries.
//!
//! Where doubles have values, a double takes two cells, and a third cell of a reference is a
//! pointer to its doubles. The doubles of a frame stand behind its integers. Pointers to doubles
//! count cells: the n-th double of the state is at `2 * n`. A moment or a clock
//! ([`crate::precise`]) takes four cells.
//!
//! A pointer is an integer cell somewhere: of the state, of the constants or of the stack, told
//! apart by the top bits.

use model::network::{Builtin, Relation};
use model::syntax::ast::BinaryOp;

pub(crate) type Reg = u16;

/// No register: the constraint or assignment has no such clock.
pub(crate) const NONE: Reg = Reg::MAX;
/// Cells that registers can name.
pub(crate) const REGISTERS: u32 = 1 << 16;
/// Cells of the references, parameters and variables of one function.
pub(crate) const MOST_CELLS: u32 = 1 << 15;

pub(crate) const STATE: u32 = 0;
pub(crate) const CONSTANTS: u32 = 1 << 30;
pub(crate) const STACK: u32 = 2 << 30;
pub(crate) const STORE_MASK: u32 = 3 << 30;

/// What a member of a process, found at run time, is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Member {
    Local,
    LocalConstant,
    Parameter,
}

/// `d` is the register written, `a`, `b`, `i`, `p`, `s` registers read; `at` an address; `to` the
/// next instruction.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Imm { d: Reg, value: i32 },
    Move { d: Reg, a: Reg },

    LoadState { d: Reg, at: u32 },
    LoadLocal { d: Reg, at: u32 },
    LoadLocalConstant { d: Reg, at: u32 },
    LoadParameter { d: Reg, n: u32, at: u32 },
    LoadPointer { d: Reg, p: Reg, at: u32 },
    /// With an index below `len`; `at` is the first element.
    StateAt { d: Reg, i: Reg, at: u32, len: u32 },
    LocalAt { d: Reg, i: Reg, at: u32, len: u32 },
    ConstantAt { d: Reg, i: Reg, at: u32, len: u32 },
    LocalConstantAt { d: Reg, i: Reg, at: u32, len: u32 },
    FrameAt { d: Reg, i: Reg, at: u32, len: u32 },
    PointerAt { d: Reg, p: Reg, i: Reg, at: u32, len: u32 },

    StoreState { s: Reg, at: u32 },
    StoreLocal { s: Reg, at: u32 },
    /// Pointers into the state may lead to a variable with a smaller range than the parameter's.
    StorePointer { s: Reg, p: Reg, at: u32 },
    StoreStateIn { s: Reg, at: u32, lo: i32, hi: i32 },
    StoreLocalIn { s: Reg, at: u32, lo: i32, hi: i32 },
    SetState { at: u32, value: i32 },
    SetLocal { at: u32, value: i32 },
    StoreStateAt { s: Reg, i: Reg, at: u32, len: u32 },
    StoreLocalAt { s: Reg, i: Reg, at: u32, len: u32 },
    StoreFrameAt { s: Reg, i: Reg, at: u32, len: u32 },
    StorePointerAt { s: Reg, p: Reg, i: Reg, at: u32, len: u32 },
    /// Adds, checks, stores; the new value is in `d` too.
    StepState { d: Reg, delta: i8, at: u32, lo: i32, hi: i32 },
    StepLocal { d: Reg, delta: i8, at: u32, lo: i32, hi: i32 },
    StepFrame { d: Reg, delta: i8, lo: i32, hi: i32 },

    AddressLocal { d: Reg, at: u32 },
    AddressLocalConstant { d: Reg, at: u32 },
    AddressParameter { d: Reg, n: u32, at: u32 },
    AddressFrame { d: Reg, at: u32 },
    /// The integers of process number `p`.
    AddressMember { d: Reg, p: Reg, member: Member, n: u32, at: u32 },

    Add { d: Reg, a: Reg, b: Reg },
    Sub { d: Reg, a: Reg, b: Reg },
    Mul { d: Reg, a: Reg, b: Reg },
    AddImm { d: Reg, a: Reg, value: i32 },
    /// `d = a + b * factor`
    MulAdd { d: Reg, a: Reg, b: Reg, factor: i32 },
    MulImm { d: Reg, a: Reg, value: i32 },
    Binary { op: BinaryOp, d: Reg, a: Reg, b: Reg },
    Negate { d: Reg, a: Reg },
    Not { d: Reg, a: Reg },
    Bool { d: Reg, a: Reg },
    Abs { d: Reg, a: Reg },

    /// `d = i - lo`, which must be below `len`.
    Index { d: Reg, i: Reg, lo: i32, len: u32 },
    Range { a: Reg, lo: i32, hi: i32 },

    /// Forward, except for `Back` and `Loop`.
    Jump { to: u32 },
    Back { to: u32 },
    /// The next value of a loop over a range.
    Loop { d: Reg, hi: i32, to: u32 },
    JumpEq { a: Reg, b: Reg, to: u32 },
    JumpNe { a: Reg, b: Reg, to: u32 },
    JumpLt { a: Reg, b: Reg, to: u32 },
    JumpGe { a: Reg, b: Reg, to: u32 },
    JumpEqImm { a: Reg, value: i32, to: u32 },
    JumpNeImm { a: Reg, value: i32, to: u32 },
    JumpLtImm { a: Reg, value: i32, to: u32 },
    JumpGeImm { a: Reg, value: i32, to: u32 },
    JumpStateEq { at: u32, value: i32, to: u32 },
    JumpStateNe { at: u32, value: i32, to: u32 },
    JumpStateLt { at: u32, value: i32, to: u32 },
    JumpStateGe { at: u32, value: i32, to: u32 },
    JumpLocalEq { at: u32, value: i32, to: u32 },
    JumpLocalNe { at: u32, value: i32, to: u32 },
    JumpLocalLt { at: u32, value: i32, to: u32 },
    JumpLocalGe { at: u32, value: i32, to: u32 },
    /// An element whose index is in range, against a constant.
    JumpStateAtEq { i: Reg, at: u32, value: i32, to: u32 },
    JumpStateAtNe { i: Reg, at: u32, value: i32, to: u32 },
    JumpStateAtLt { i: Reg, at: u32, value: i32, to: u32 },
    JumpStateAtGe { i: Reg, at: u32, value: i32, to: u32 },
    JumpLocalAtEq { i: Reg, at: u32, value: i32, to: u32 },
    JumpLocalAtNe { i: Reg, at: u32, value: i32, to: u32 },
    JumpLocalAtLt { i: Reg, at: u32, value: i32, to: u32 },
    JumpLocalAtGe { i: Reg, at: u32, value: i32, to: u32 },
    /// Such a comparison at the start of a loop over the index, which runs on while the element is
    /// (not) the value. `Skip` jumps to the end of the loop at `to`, `Scan` leaves to `to` from a
    /// loop whose end follows.
    SkipEq { i: Reg, at: u32, value: i32, to: u32 },
    SkipNe { i: Reg, at: u32, value: i32, to: u32 },
    ScanEq { i: Reg, at: u32, value: i32, to: u32 },
    ScanNe { i: Reg, at: u32, value: i32, to: u32 },
    /// A variable of the network against a parameter or constant of the process: `id == pid`.
    JumpStateEqLocalConstant { at: u32, constant: u32, to: u32 },
    JumpStateNeLocalConstant { at: u32, constant: u32, to: u32 },
    JumpAt { process: u32, location: u32, to: u32 },
    JumpNotAt { process: u32, location: u32, to: u32 },
    LocationOf { d: Reg, p: Reg },

    /// `len` cells from pointer to pointer.
    Copy { d: Reg, s: Reg, len: u32 },
    /// The cells at a pointer against the ranges of a layout.
    CheckCells { p: Reg, layout: u32 },
    Same { d: Reg, a: Reg, b: Reg, len: u32 },
    Fill { at: u32, len: u32, value: i32 },

    /// The callee's frame starts at register `at`; its result is there afterwards.
    Call { function: u32, at: Reg },
    CallIn { function: u32, at: Reg, process: Reg },
    Return,
    ReturnValue { a: Reg },

    ClockLocal { d: Reg, at: u32 },
    ClockParameter { d: Reg, n: u32, at: u32 },
    ClockMember { d: Reg, p: Reg, member: Member, n: u32, at: u32 },
    ChannelLocal { d: Reg, at: u32 },
    ChannelParameter { d: Reg, n: u32, at: u32 },
    Bound { relation: Relation, plus: Reg, minus: Reg, bound: Reg },
    /// `clock ~ bound`, or `-clock ~ bound`.
    BoundState { relation: Relation, negative: bool, clock: u32, bound: i32 },
    BoundLocal { relation: Relation, negative: bool, clock: u32, bound: i32 },
    BoundStateBy { relation: Relation, negative: bool, bound: Reg, clock: u32 },
    BoundLocalBy { relation: Relation, negative: bool, bound: Reg, clock: u32 },
    Rate { clock: Reg, rate: Reg },
    /// How many bounds and rates there are, into two registers; back to that many.
    MarkFacts { d: Reg },
    DropFacts { a: Reg },
    SetClock { target: Reg, source: Reg, offset: Reg },
    ResetState { clock: u32, value: i32 },
    ResetLocal { clock: u32, value: i32 },

    CasesTruth { truth: bool },
    CasesDeadlock { positive: bool },
    CasesAnd,
    CasesOr,
    JumpCasesFalse { to: u32 },
    JumpCasesTrue { to: u32 },

    /// Doubles and clocks with values. `d`, `a`, `b` are the first cells of doubles here, `p` of
    /// pointers to doubles.
    DoubleImm { d: Reg, n: u32 },
    DoubleMove { d: Reg, a: Reg },
    DoubleOf { d: Reg, int: Reg },
    IntOf { d: Reg, a: Reg },
    LoadDouble { d: Reg, p: Reg },
    LoadStateDouble { d: Reg, at: u32 },
    StoreDouble { s: Reg, p: Reg },
    StoreStateDouble { s: Reg, at: u32 },
    DoubleLocal { d: Reg, at: u32 },
    DoubleLocalConstant { d: Reg, at: u32 },
    DoubleParameter { d: Reg, n: u32, at: u32 },
    DoubleMember { d: Reg, p: Reg, member: Member, n: u32, at: u32 },
    DoubleNegate { d: Reg, a: Reg },
    DoubleBinary { op: BinaryOp, d: Reg, a: Reg, b: Reg },
    /// 1 or 0 into the integer `d`.
    DoubleTest { relation: Relation, d: Reg, a: Reg, b: Reg },
    /// Of three doubles from `a` on.
    DoubleBuiltin { function: Builtin, d: Reg, a: Reg },
    IntBuiltin { function: Builtin, d: Reg, a: Reg },
    CopyDoubles { d: Reg, s: Reg, len: u32 },
    /// Adds to what `d` says: 0 when some double differs.
    SameDoubles { d: Reg, a: Reg, b: Reg, len: u32 },
    /// The clock whose number is in a register.
    ClockDouble { d: Reg, clock: Reg },
    ClockPrecise { d: Reg, clock: Reg },
    PreciseOf { d: Reg, a: Reg },
    DoubleOfPrecise { d: Reg, a: Reg },
    PreciseNegate { d: Reg, a: Reg },
    PreciseAdd { d: Reg, a: Reg, b: Reg },
    PreciseSub { d: Reg, a: Reg, b: Reg },
    PreciseAddDouble { d: Reg, a: Reg, b: Reg },
    /// By a double.
    PreciseMul { d: Reg, a: Reg, b: Reg },
    PreciseDiv { d: Reg, a: Reg, b: Reg },
    PreciseTest { relation: Relation, d: Reg, a: Reg, b: Reg },
    /// `plus - minus ~ bound` of clocks by number and an integer.
    ClockTest { relation: Relation, d: Reg, plus: Reg, minus: Reg, bound: Reg },
    PutClock { clock: Reg, a: Reg },

    Fail { failure: u32 },
    Halt { value: i32 },
    HaltValue { a: Reg },
}

impl Op {
    /// Where it may jump to; a label until the code is complete.
    pub(crate) fn target(&mut self) -> Option<&mut u32> {
        match self {
            Op::Jump { to }
            | Op::Back { to }
            | Op::Loop { to, .. }
            | Op::JumpEq { to, .. }
            | Op::JumpNe { to, .. }
            | Op::JumpLt { to, .. }
            | Op::JumpGe { to, .. }
            | Op::JumpEqImm { to, .. }
            | Op::JumpNeImm { to, .. }
            | Op::JumpLtImm { to, .. }
            | Op::JumpGeImm { to, .. }
            | Op::JumpStateEq { to, .. }
            | Op::JumpStateNe { to, .. }
            | Op::JumpStateLt { to, .. }
            | Op::JumpStateGe { to, .. }
            | Op::JumpLocalEq { to, .. }
            | Op::JumpLocalNe { to, .. }
            | Op::JumpLocalLt { to, .. }
            | Op::JumpLocalGe { to, .. }
            | Op::JumpStateAtEq { to, .. }
            | Op::JumpStateAtNe { to, .. }
            | Op::JumpStateAtLt { to, .. }
            | Op::JumpStateAtGe { to, .. }
            | Op::JumpLocalAtEq { to, .. }
            | Op::JumpLocalAtNe { to, .. }
            | Op::JumpLocalAtLt { to, .. }
            | Op::JumpLocalAtGe { to, .. }
            | Op::JumpStateEqLocalConstant { to, .. }
            | Op::JumpStateNeLocalConstant { to, .. }
            | Op::JumpAt { to, .. }
            | Op::JumpNotAt { to, .. }
            | Op::JumpCasesFalse { to }
            | Op::JumpCasesTrue { to } => Some(to),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn instructions_are_small() {
        assert_eq!(std::mem::size_of::<super::Op>(), 16);
    }
}
