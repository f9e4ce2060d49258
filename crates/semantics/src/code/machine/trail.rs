//! For which other processes a condition would have been false in the same way.
//!
//! Many processes of one template often ask the same question with another number: `mayUse()` of message 7 looks whether
//! the messages before 7 are in use, and stops at the first one that is not. All messages behind that one get the same answer for
//! the same reason. While a condition is evaluated for one process, its trail notes how the answer depends on the one constant of the
//! process that it reads: registers that hold the constant are marked, a comparison of a marked register with a number narrows the
//! interval of values for which the comparison comes out alike, and any other use leaves only the value itself. If the evaluation read
//! nothing else of the process (no variable, no clock, no reference), then every process of the template whose constant is in the
//! interval has the same run of the code, and the same answer.
//!
//! It costs a few tests per instruction, in an interpreter loop of its own.

use model::syntax::ast::BinaryOp;
use std::cell::Cell;

/// The processes of a template whose constant at a place is within a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alike {
    pub(in crate::code) at: u32,
    pub(in crate::code) lo: i32,
    pub(in crate::code) hi: i32,
}

/// Registers that may hold the constant at the same time.
const MARKS: usize = 6;
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Trail {
    /// Which constant is followed.
    at: Cell<u32>,
    value: Cell<i32>,
    lo: Cell<i32>,
    hi: Cell<i32>,
    /// Something else of the process was used.
    lost: Cell<bool>,
    /// Cells of the stack that hold the constant.
    marks: [Cell<u32>; MARKS],
}

impl Trail {
    pub fn new() -> Trail {
        Trail {
            at: Cell::new(NONE),
            value: Cell::new(0),
            lo: Cell::new(i32::MIN),
            hi: Cell::new(i32::MAX),
            lost: Cell::new(false),
            marks: std::array::from_fn(|_| Cell::new(NONE)),
        }
    }

    pub fn alike(&self) -> Option<Alike> {
        let at = if self.at.get() == NONE { 0 } else { self.at.get() };
        (!self.lost.get()).then_some(Alike { at, lo: self.lo.get(), hi: self.hi.get() })
    }

    pub fn lose(&self) {
        self.lost.set(true);
    }

    fn is_marked(&self, cell: usize) -> bool {
        self.marks.iter().any(|mark| mark.get() == cell as u32)
    }

    /// The cell is written with something else.
    pub fn unmark(&self, cell: usize) {
        if let Some(mark) = self.marks.iter().find(|mark| mark.get() == cell as u32) {
            mark.set(NONE);
        }
    }

    fn mark(&self, cell: usize) {
        if self.is_marked(cell) {
            return;
        }
        match self.marks.iter().find(|mark| mark.get() == NONE) {
            Some(mark) => mark.set(cell as u32),
            None => self.pin(),
        }
    }

    /// Only this value of the constant leads here.
    fn pin(&self) {
        self.lo.set(self.value.get());
        self.hi.set(self.value.get());
    }

    /// Whether the constant at a place is the one that is followed.
    fn follows(&self, at: u32, value: i32) -> bool {
        if self.at.get() == NONE {
            self.at.set(at);
            self.value.set(value);
        }
        let same = self.at.get() == at;
        if !same {
            self.lose();
        }
        same
    }

    /// A cell gets the value of a constant.
    pub fn load(&self, cell: usize, at: u32, value: i32) {
        self.unmark(cell);
        if self.follows(at, value) {
            self.mark(cell);
        }
    }

    /// A cell is used in a way that is not followed.
    pub fn uses(&self, cell: usize) {
        if self.is_marked(cell) {
            self.pin();
        }
    }

    pub fn copy(&self, to: usize, from: usize) {
        match self.is_marked(from) {
            true => self.mark(to),
            false => self.unmark(to),
        }
    }

    /// `a < b` was asked.
    pub fn less(&self, (a, left): (Option<usize>, i32), (b, right): (Option<usize>, i32)) {
        let marked = |cell: Option<usize>| cell.is_some_and(|cell| self.is_marked(cell));
        match (marked(a), marked(b), left < right) {
            (true, false, true) => self.hi.set(self.hi.get().min(right - 1)),
            (true, false, false) => self.lo.set(self.lo.get().max(right)),
            (false, true, true) => self.lo.set(self.lo.get().max(left + 1)),
            (false, true, false) => self.hi.set(self.hi.get().min(left)),
            _ => {}
        }
    }

    /// `a == b` was asked.
    pub fn equal(&self, (a, left): (Option<usize>, i32), (b, right): (Option<usize>, i32)) {
        let marked = |cell: Option<usize>| cell.is_some_and(|cell| self.is_marked(cell));
        match (marked(a), marked(b)) {
            (true, false) => self.differs(right),
            (false, true) => self.differs(left),
            _ => {}
        }
    }

    /// An operator was applied: what a comparison says is alike for an interval.
    pub fn binary(&self, op: BinaryOp, (a, left): (usize, i32), (b, right): (usize, i32)) {
        let (first, second) = ((Some(a), left), (Some(b), right));
        match op {
            BinaryOp::Lt | BinaryOp::Ge => self.less(first, second),
            BinaryOp::Gt | BinaryOp::Le => self.less(second, first),
            BinaryOp::Eq | BinaryOp::Ne => self.equal(first, second),
            _ => [a, b].into_iter().for_each(|cell| self.uses(cell)),
        }
    }

    /// The same for a constant that is in no register.
    pub fn equal_constant(&self, at: u32, value: i32, other: i32) {
        if self.follows(at, value) {
            self.differs(other);
        }
    }

    fn differs(&self, other: i32) {
        match self.value.get().cmp(&other) {
            std::cmp::Ordering::Less => self.hi.set(self.hi.get().min(other - 1)),
            std::cmp::Ordering::Greater => self.lo.set(self.lo.get().max(other + 1)),
            std::cmp::Ordering::Equal => self.pin(),
        }
    }
}
