//! The interpreter loop.
//!
//! Registers are a window of the stack, as large as the largest frame needs: a window for all that a register can name would need no
//! bounds check, but there are many machines, and touching fresh memory costs more than what most models run. Calls
//! move the window. Only loops and calls count steps: nothing else can take long.

use super::host::Host;
use super::pointer::{self, READ_ONLY};
use super::rare;
use super::{Frame, Machine};
use crate::code::arithmetic::int_binary;
use crate::code::error::{RunError, RunErrorKind};
use crate::code::facts::{ClockBound, ClockUpdate};
use crate::code::op::Op;
use crate::code::programs::{Context, Programs};
use model::network::{ClockId, LocationId, ProcessId, Range, Relation};

/// What a call costs in steps.
const CALL: u64 = 8;

const NO_CODE: RunErrorKind = RunErrorKind::Unsupported("a jump out of the code");

#[cold]
#[inline(never)]
fn grow(stack: &mut Vec<i32>, len: usize) {
    stack.resize(len, 0);
}

#[cold]
#[inline(never)]
fn failed(programs: &Programs<'_>, pc: usize, process: usize, kind: RunErrorKind) -> RunError {
    programs.error(pc as u32 - 1, ProcessId::new(process), kind)
}

/// How many elements at the start are equal to the value, or how many are not.
#[inline(never)]
fn run_of(elements: &[i32], value: i32, equal: bool) -> usize {
    let end = elements.iter().position(|element| (*element == value) != equal);
    end.unwrap_or(elements.len())
}

#[inline]
fn one_clock(relation: Relation, negative: bool, clock: usize, bound: i32) -> ClockBound {
    let clock = Some(ClockId::new(clock));
    let (plus, minus) = if negative { (None, clock) } else { (clock, None) };
    ClockBound { plus, minus, relation, bound }
}

impl Machine {
    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    pub(super) fn run<H: Host>(
        &mut self,
        programs: &Programs<'_>,
        start: u32,
        process: ProcessId,
        locations: &[LocationId],
        host: &mut H,
    ) -> Result<i32, RunError> {
        let ops: &[Op] = &programs.tables.ops;
        let constants: &[i32] = &programs.network.constants.ints;
        let mut process = process.index();
        let mut context: &Context = programs.context(process);
        let mut pc = start as usize;
        let mut base = 0usize;
        let mut steps = self.steps;
        self.calls.clear();
        let (stack, calls) = (&mut self.stack, &mut self.calls);
        let window = programs.tables.window as usize;
        if stack.len() < window {
            grow(stack, window);
        }
        let mut r: &mut [i32] = &mut stack[..window];

        macro_rules! fail {
            ($kind:expr) => {
                return Err(failed(programs, pc, process, $kind))
            };
        }
        // What a host with a trail is told about an instruction.
        macro_rules! follow {
            ($trail:ident => $told:expr) => {
                if H::FOLLOWS
                    && let Some($trail) = host.trail()
                {
                    $told;
                }
            };
        }
        macro_rules! get {
            ($reg:expr) => {{
                follow!(trail => trail.uses(base + $reg as usize));
                r[$reg as usize]
            }};
        }
        macro_rules! put {
            ($reg:expr, $value:expr) => {{
                let value = $value;
                follow!(trail => trail.unmark(base + $reg as usize));
                r[$reg as usize] = value;
            }};
        }
        macro_rules! own {
            ($part:ident) => {{
                follow!(trail => trail.lose());
                context.$part
            }};
        }
        macro_rules! local {
            ($at:expr) => {
                own!(ints) as usize + $at as usize
            };
        }
        macro_rules! constant {
            ($at:expr) => {
                own!(constants) as usize + $at as usize
            };
        }
        macro_rules! element {
            ($i:expr, $at:expr, $len:expr) => {{
                let index = get!($i);
                if index as u32 >= $len {
                    fail!(RunErrorKind::Index { value: index, lo: 0, len: $len });
                }
                index as usize + $at as usize
            }};
        }
        macro_rules! write {
            ($at:expr, $value:expr) => {
                if !host.write($at, $value) {
                    fail!(READ_ONLY);
                }
            };
        }
        macro_rules! checked {
            ($value:expr, $lo:expr, $hi:expr) => {{
                let value = $value;
                if value < $lo || value > $hi {
                    fail!(RunErrorKind::OutOfRange { value, range: Range { lo: $lo, hi: $hi } });
                }
                value
            }};
        }
        macro_rules! spend {
            ($steps:expr) => {
                match steps.checked_sub($steps as u64) {
                    Some(left) => steps = left,
                    None => fail!(RunErrorKind::EndlessLoop),
                }
            };
        }
        // Goes on with the loop that ends at `$end` while the element compares as wanted, then to `$leave`.
        macro_rules! scan {
            ($i:expr, $at:expr, $value:expr, $equal:expr, $end:expr, $leave:expr) => {{
                let Op::Loop { hi, .. } = ops[$end] else { fail!(NO_CODE) };
                let first = get!($i);
                let elements = &host.ints()[$at as usize..][first as usize..=hi as usize];
                let n = run_of(elements, $value, $equal);
                if n < elements.len() {
                    put!($i, first + n as i32);
                    pc = $leave;
                } else {
                    put!($i, hi);
                    pc = $end + 1;
                }
                spend!(elements.len());
            }};
        }
        macro_rules! enter {
            ($function:expr, $at:expr) => {
                spend!(CALL);
                calls.push(Frame { pc: pc as u32, base: base as u32, process: process as u32 });
                base += usize::from($at);
                pc = programs.function($function) as usize;
                if stack.len() < base + window {
                    grow(stack, base + window);
                }
                r = &mut stack[base..base + window];
            };
        }
        macro_rules! leave {
            () => {
                let Some(frame) = calls.pop() else { return Ok(r[0]) };
                pc = frame.pc as usize;
                base = frame.base as usize;
                if process != frame.process as usize {
                    process = frame.process as usize;
                    context = programs.context(process);
                }
                r = &mut stack[base..base + window];
            };
        }
        macro_rules! less {
            ($a:expr, $b:expr) => {{
                let (a, b) = (r[$a as usize], r[$b as usize]);
                follow!(trail => trail.less((Some(base + $a as usize), a), (Some(base + $b as usize), b)));
                a < b
            }};
        }
        macro_rules! less_imm {
            ($a:expr, $value:expr) => {{
                let a = r[$a as usize];
                follow!(trail => trail.less((Some(base + $a as usize), a), (None, $value)));
                a < $value
            }};
        }
        macro_rules! equal {
            ($a:expr, $b:expr) => {{
                let (a, b) = (r[$a as usize], r[$b as usize]);
                follow!(trail => trail.equal((Some(base + $a as usize), a), (Some(base + $b as usize), b)));
                a == b
            }};
        }
        macro_rules! equal_imm {
            ($a:expr, $value:expr) => {{
                let a = r[$a as usize];
                follow!(trail => trail.equal((Some(base + $a as usize), a), (None, $value)));
                a == $value
            }};
        }
        macro_rules! equal_constant {
            ($at:expr, $constant:expr) => {{
                let (value, other) =
                    (constants[context.constants as usize + $constant as usize], host.ints()[$at as usize]);
                follow!(trail => trail.equal_constant($constant, value, other));
                value == other
            }};
        }
        macro_rules! jump_if {
            ($condition:expr, $to:expr) => {
                // The test of the target keeps this a branch, which is predicted; a conditional move would make the
                // next instruction wait for the comparison.
                if $condition {
                    pc = $to as usize;
                    if pc >= ops.len() {
                        fail!(NO_CODE);
                    }
                }
            };
        }

        loop {
            pc += 1;
            match ops[pc - 1] {
                Op::Imm { d, value } => put!(d, value),
                Op::Move { d, a } => {
                    let value = r[a as usize];
                    r[d as usize] = value;
                    follow!(trail => trail.copy(base + d as usize, base + a as usize));
                }

                Op::LoadState { d, at } => put!(d, host.ints()[at as usize]),
                Op::LoadLocal { d, at } => put!(d, host.ints()[local!(at)]),
                Op::LoadLocalConstant { d, at } => {
                    let value = constants[context.constants as usize + at as usize];
                    r[d as usize] = value;
                    follow!(trail => trail.load(base + d as usize, at, value));
                }
                Op::LoadParameter { d, n, at } => {
                    follow!(trail => trail.lose());
                    let pointer = programs.binding(context, n).ints + at as i32;
                    put!(d, pointer::load(programs, host, &[], pointer));
                }
                Op::StateAt { d, i, at, len } => put!(d, host.ints()[element!(i, at, len)]),
                Op::LocalAt { d, i, at, len } => put!(d, host.ints()[local!(element!(i, at, len))]),
                Op::ConstantAt { d, i, at, len } => put!(d, constants[element!(i, at, len)]),
                Op::LocalConstantAt { d, i, at, len } => put!(d, constants[constant!(element!(i, at, len))]),
                Op::FrameAt { d, i, at, len } => {
                    let from = element!(i, at, len);
                    put!(d, get!(from));
                }

                Op::StoreState { s, at } => write!(at as usize, get!(s)),
                Op::StoreLocal { s, at } => write!(local!(at), get!(s)),
                Op::StoreStateIn { s, at, lo, hi } => write!(at as usize, checked!(get!(s), lo, hi)),
                Op::StoreLocalIn { s, at, lo, hi } => write!(local!(at), checked!(get!(s), lo, hi)),
                Op::SetState { at, value } => write!(at as usize, value),
                Op::SetLocal { at, value } => write!(local!(at), value),
                Op::StoreStateAt { s, i, at, len } => write!(element!(i, at, len), get!(s)),
                Op::StoreLocalAt { s, i, at, len } => write!(local!(element!(i, at, len)), get!(s)),
                Op::StoreFrameAt { s, i, at, len } => {
                    let to = element!(i, at, len);
                    put!(to, get!(s));
                }
                Op::StepState { d, delta, at, lo, hi } => {
                    let new = checked!(host.ints()[at as usize].wrapping_add(i32::from(delta)), lo, hi);
                    write!(at as usize, new);
                    put!(d, new);
                }
                Op::StepLocal { d, delta, at, lo, hi } => {
                    let new = checked!(host.ints()[local!(at)].wrapping_add(i32::from(delta)), lo, hi);
                    write!(local!(at), new);
                    put!(d, new);
                }
                Op::StepFrame { d, delta, lo, hi } => {
                    put!(d, checked!(get!(d).wrapping_add(i32::from(delta)), lo, hi));
                }

                Op::AddressLocal { d, at } => put!(d, (own!(ints) + at) as i32),

                Op::Add { d, a, b } => put!(d, get!(a).wrapping_add(get!(b))),
                Op::Sub { d, a, b } => put!(d, get!(a).wrapping_sub(get!(b))),
                Op::Mul { d, a, b } => put!(d, get!(a).wrapping_mul(get!(b))),
                Op::AddImm { d, a, value } => put!(d, get!(a).wrapping_add(value)),
                Op::MulImm { d, a, value } => put!(d, get!(a).wrapping_mul(value)),
                Op::MulAdd { d, a, b, factor } => put!(d, get!(a).wrapping_add(get!(b).wrapping_mul(factor))),
                Op::Binary { op, d, a, b } => {
                    let (left, right) = (r[a as usize], r[b as usize]);
                    follow!(trail => trail.binary(op, (base + a as usize, left), (base + b as usize, right)));
                    match int_binary(op, left, right) {
                        Ok(value) => put!(d, value),
                        Err(kind) => fail!(kind),
                    }
                }
                Op::Negate { d, a } => put!(d, get!(a).wrapping_neg()),
                Op::Not { d, a } => put!(d, i32::from(get!(a) == 0)),
                Op::Bool { d, a } => put!(d, i32::from(get!(a) != 0)),
                Op::Abs { d, a } => put!(d, get!(a).wrapping_abs()),

                Op::Index { d, i, lo, len } => {
                    let index = get!(i).wrapping_sub(lo);
                    if index as u32 >= len || get!(i) < lo {
                        fail!(RunErrorKind::Index { value: get!(i), lo, len });
                    }
                    put!(d, index);
                }
                Op::Range { a, lo, hi } => {
                    checked!(get!(a), lo, hi);
                }

                Op::Jump { to } => pc = to as usize,
                Op::Back { to } => {
                    spend!(pc - to as usize);
                    pc = to as usize;
                }
                Op::Loop { d, hi, to } => {
                    let value = get!(d);
                    if value < hi {
                        spend!(pc - to as usize);
                        put!(d, value + 1);
                        pc = to as usize;
                    }
                }
                Op::JumpEq { a, b, to } => jump_if!(equal!(a, b), to),
                Op::JumpNe { a, b, to } => jump_if!(!equal!(a, b), to),
                Op::JumpLt { a, b, to } => jump_if!(less!(a, b), to),
                Op::JumpGe { a, b, to } => jump_if!(!less!(a, b), to),
                Op::JumpEqImm { a, value, to } => jump_if!(equal_imm!(a, value), to),
                Op::JumpNeImm { a, value, to } => jump_if!(!equal_imm!(a, value), to),
                Op::JumpLtImm { a, value, to } => jump_if!(less_imm!(a, value), to),
                Op::JumpGeImm { a, value, to } => jump_if!(!less_imm!(a, value), to),
                Op::JumpStateEq { at, value, to } => jump_if!(host.ints()[at as usize] == value, to),
                Op::JumpStateNe { at, value, to } => jump_if!(host.ints()[at as usize] != value, to),
                Op::JumpStateLt { at, value, to } => jump_if!(host.ints()[at as usize] < value, to),
                Op::JumpStateGe { at, value, to } => jump_if!(host.ints()[at as usize] >= value, to),
                Op::JumpLocalEq { at, value, to } => jump_if!(host.ints()[local!(at)] == value, to),
                Op::JumpLocalNe { at, value, to } => jump_if!(host.ints()[local!(at)] != value, to),
                Op::JumpLocalLt { at, value, to } => jump_if!(host.ints()[local!(at)] < value, to),
                Op::JumpLocalGe { at, value, to } => jump_if!(host.ints()[local!(at)] >= value, to),
                Op::JumpStateAtEq { i, at, value, to } => {
                    jump_if!(host.ints()[at as usize + get!(i) as usize] == value, to)
                }
                Op::JumpStateAtNe { i, at, value, to } => {
                    jump_if!(host.ints()[at as usize + get!(i) as usize] != value, to)
                }
                Op::JumpStateAtLt { i, at, value, to } => {
                    jump_if!(host.ints()[at as usize + get!(i) as usize] < value, to)
                }
                Op::JumpStateAtGe { i, at, value, to } => {
                    jump_if!(host.ints()[at as usize + get!(i) as usize] >= value, to)
                }
                Op::JumpLocalAtEq { i, at, value, to } => {
                    jump_if!(host.ints()[local!(at) + get!(i) as usize] == value, to)
                }
                Op::JumpLocalAtNe { i, at, value, to } => {
                    jump_if!(host.ints()[local!(at) + get!(i) as usize] != value, to)
                }
                Op::JumpLocalAtLt { i, at, value, to } => {
                    jump_if!(host.ints()[local!(at) + get!(i) as usize] < value, to)
                }
                Op::JumpLocalAtGe { i, at, value, to } => {
                    jump_if!(host.ints()[local!(at) + get!(i) as usize] >= value, to)
                }
                Op::SkipEq { i, at, value, to } => scan!(i, at, value, true, to as usize, pc),
                Op::SkipNe { i, at, value, to } => scan!(i, at, value, false, to as usize, pc),
                Op::ScanEq { i, at, value, to } => scan!(i, at, value, true, pc, to as usize),
                Op::ScanNe { i, at, value, to } => scan!(i, at, value, false, pc, to as usize),
                Op::JumpStateEqLocalConstant { at, constant, to } => {
                    jump_if!(equal_constant!(at, constant), to);
                }
                Op::JumpStateNeLocalConstant { at, constant, to } => {
                    jump_if!(!equal_constant!(at, constant), to);
                }
                Op::JumpAt { process, location, to } => {
                    jump_if!(locations[process as usize].index() == location as usize, to);
                }
                Op::JumpNotAt { process, location, to } => {
                    jump_if!(locations[process as usize].index() != location as usize, to);
                }

                Op::Call { function, at } => {
                    enter!(function, at);
                }
                Op::CallIn { function, at, process: other } => {
                    follow!(trail => trail.lose());
                    let other = get!(other) as usize;
                    enter!(function, at);
                    process = other;
                    context = programs.context(process);
                }
                Op::Return => {
                    leave!();
                }
                Op::ReturnValue { a } => {
                    put!(0, get!(a));
                    leave!();
                }

                Op::ClockLocal { d, at } => put!(d, (own!(clocks) + at) as i32),
                Op::BoundState { relation, negative, clock, bound } => {
                    host.bound(one_clock(relation, negative, clock as usize, bound));
                }
                Op::BoundLocal { relation, negative, clock, bound } => {
                    host.bound(one_clock(relation, negative, (own!(clocks) + clock) as usize, bound));
                }
                Op::BoundStateBy { relation, negative, bound, clock } => {
                    host.bound(one_clock(relation, negative, clock as usize, get!(bound)));
                }
                Op::BoundLocalBy { relation, negative, bound, clock } => {
                    host.bound(one_clock(relation, negative, (own!(clocks) + clock) as usize, get!(bound)));
                }
                Op::ResetState { clock, value } => {
                    host.set_clock(ClockUpdate { target: ClockId::new(clock as usize), source: None, offset: value });
                }
                Op::ResetLocal { clock, value } => {
                    let target = ClockId::new((own!(clocks) + clock) as usize);
                    host.set_clock(ClockUpdate { target, source: None, offset: value });
                }

                Op::JumpCasesFalse { to } => jump_if!(host.cases().is_some_and(|cases| cases.top_is_false()), to),
                Op::JumpCasesTrue { to } => jump_if!(host.cases().is_some_and(|cases| cases.top_is_true()), to),

                Op::Fail { failure } => fail!(programs.tables.failures[failure as usize]),
                Op::Halt { value } => return Ok(value),
                Op::HaltValue { a } => return Ok(get!(a)),

                _ => {
                    follow!(trail => trail.lose());
                    let done = rare::run(&ops[pc - 1], programs, context, locations, stack, base, host);
                    r = &mut stack[base..base + window];
                    if let Err(kind) = done {
                        fail!(kind);
                    }
                }
            }
        }
    }
}
