//! From expressions to instructions, one label or function at a time.
//!
//! The rules that keep it simple: an integer expression is compiled with a register to put its
//! value in, which only the last instruction writes, so that it may be a variable the expression
//! reads; temporaries are taken upwards and given back by resetting `next`; jumps name labels until
//! the unit is complete. Every operand is evaluated once, from left to right. Recursion follows the
//! expression, whose height the front end bounds. A unit that cannot be compiled (floating-point
//! numbers that decide something, foreign functions) becomes one instruction that fails when it is
//! run.

mod aggregate;
mod assign;
mod branch;
mod call;
mod clock;
mod condition;
mod double;
mod double_place;
mod effect;
mod int;
mod place;
mod precise;
mod predicate;
mod statement;

use super::error::RunErrorKind;
use super::op::{MOST_CELLS, Op, REGISTERS, Reg};
use super::traits::Traits;
use model::network::{Expr, ExprId, Extent, Function, FunctionId, Network, Place, Range};
use model::source::Span;

/// All code of a network, and what its instructions refer to.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    pub ops: Vec<Op>,
    /// For instructions that can fail, in the order of the instructions.
    pub sites: Vec<(u32, Span)>,
    /// Where the functions start that are compiled.
    pub functions: Vec<Option<u32>>,
    pub layouts: Vec<Vec<Range>>,
    /// Constants.
    pub doubles: Vec<f64>,
    pub failures: Vec<RunErrorKind>,
    /// Cells of the largest frame, with its temporaries.
    pub window: u32,
    /// Functions that are called and not compiled yet.
    waiting: Vec<FunctionId>,
}

pub(crate) struct Unsupported {
    pub reason: &'static str,
    pub span: Span,
}

pub(super) type Compile<T> = Result<T, Unsupported>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Imm(i32),
    /// The register asked for, or the register of a variable.
    Reg(Reg),
}

#[derive(Clone, Copy)]
pub(super) struct Label(u32);

pub(super) struct Compiler<'p, 'n> {
    network: &'n Network,
    traits: &'p Traits,
    tables: &'p mut Tables,
    /// First cell of the variables; references stand before it.
    cells: u32,
    /// First cell of the doubles, which stand behind the integers.
    doubles: u32,
    labels: Vec<u32>,
    start: usize,
    /// First temporary that is free.
    next: u32,
    home: Option<Span>,
    /// The function at hand.
    function: Option<&'n Function>,
}

/// What to make of an expression.
#[derive(Clone, Copy)]
pub(crate) enum Unit<'a> {
    Condition(ExprId),
    Update(&'a [ExprId]),
    Int(ExprId),
    Double(ExprId),
    Truth(ExprId),
    Cases(ExprId),
    Channel(&'a Place, Span),
    Clock(&'a Place, Span),
}

impl Unit<'_> {
    fn span(self, network: &Network) -> Option<Span> {
        match self {
            Unit::Condition(expr) | Unit::Int(expr) | Unit::Double(expr) | Unit::Truth(expr) | Unit::Cases(expr) => {
                Some(network.code.span(expr))
            }
            Unit::Update(exprs) => exprs.first().map(|expr| network.code.span(*expr)),
            Unit::Channel(_, span) | Unit::Clock(_, span) => Some(span),
        }
    }
}

/// Instructions of one label or function. A predicate with `xor` over clocks doubles with each of
/// them.
const MOST_OPS: usize = 1 << 22;

/// Compiles a unit and all functions it calls; gives back where it starts.
pub(crate) fn compile(network: &Network, traits: &Traits, tables: &mut Tables, unit: Unit<'_>) -> u32 {
    tables.functions.resize(network.code.functions.len(), None);
    let start = compile_one(network, traits, tables, (0, network.frame), unit.span(network), |compiler| match unit {
        Unit::Condition(expr) => compiler.whole_condition(expr),
        Unit::Update(exprs) => compiler.whole_update(exprs),
        Unit::Int(expr) => compiler.whole_int(expr),
        Unit::Double(expr) => compiler.whole_double(expr),
        Unit::Truth(expr) => compiler.whole_truth(expr),
        Unit::Cases(expr) => compiler.whole_cases(expr),
        Unit::Channel(place, span) => compiler.whole_channel(place, span),
        Unit::Clock(place, span) => compiler.whole_clock(place, span),
    });
    while let Some(id) = tables.waiting.pop() {
        let function = network.code.function(id);
        if tables.functions[id.index()].is_some() {
            continue;
        }
        let frame = (function.references, function.frame);
        let start = compile_one(network, traits, tables, frame, Some(function.span), |compiler| {
            if compiler.cells_of(function) > MOST_CELLS {
                return Err(Unsupported { reason: "a function with too many local variables", span: function.span });
            }
            compiler.function_body(function)
        });
        tables.functions[id.index()] = Some(start);
    }
    start
}

fn compile_one<'n>(
    network: &'n Network,
    traits: &Traits,
    tables: &mut Tables,
    (references, frame): (u32, Extent),
    home: Option<Span>,
    work: impl FnOnce(&mut Compiler<'_, 'n>) -> Compile<()>,
) -> u32 {
    let start = tables.ops.len();
    let sites = tables.sites.len();
    let variables = references.saturating_mul(reference_cells(traits));
    let doubles = variables.saturating_add(frame.ints);
    let next = if traits.timed.is_some() { doubles.saturating_add(frame.doubles.saturating_mul(2)) } else { doubles };
    // The result is in the first cell.
    tables.window = tables.window.max(next.clamp(1, REGISTERS));
    let mut compiler = Compiler {
        network,
        traits,
        tables,
        cells: variables,
        doubles,
        labels: Vec::new(),
        start,
        next,
        home,
        function: None,
    };
    match work(&mut compiler) {
        Ok(()) => compiler.place_labels(start),
        Err(Unsupported { reason, span }) => {
            tables.ops.truncate(start);
            tables.sites.truncate(sites);
            let failure = tables.failures.len() as u32;
            tables.failures.push(RunErrorKind::Unsupported(reason));
            tables.sites.push((start as u32, span));
            tables.ops.push(Op::Fail { failure });
        }
    }
    start as u32
}

/// Cells of a reference: a pointer to integers, a first clock, and a pointer to doubles where those
/// have values.
fn reference_cells(traits: &Traits) -> u32 {
    if traits.timed.is_some() { 3 } else { 2 }
}

impl<'n> Compiler<'_, 'n> {
    /// The first cell of the n-th reference.
    fn reference(&self, n: u32) -> Reg {
        (n * reference_cells(self.traits)) as Reg
    }

    /// Cells of the references, parameters and variables of a function.
    fn cells_of(&self, function: &Function) -> u32 {
        let doubles = if self.has_values() { function.frame.doubles.saturating_mul(2) } else { 0 };
        let references = function.references.saturating_mul(reference_cells(self.traits));
        references.saturating_add(function.frame.ints).saturating_add(doubles)
    }

    /// Cells of a value of this extent.
    fn cells_for(&self, extent: Extent) -> u32 {
        if self.has_values() { extent.ints.saturating_add(extent.doubles.saturating_mul(2)) } else { extent.ints }
    }

    fn expr(&self, id: ExprId) -> &'n Expr {
        self.network.code.expr(id)
    }

    fn span(&self, id: ExprId) -> Span {
        self.network.code.span(id)
    }

    fn emit(&mut self, op: Op) {
        self.tables.ops.push(op);
    }

    /// An instruction that can fail.
    fn emit_at(&mut self, span: Span, op: Op) {
        self.tables.sites.push((self.tables.ops.len() as u32, span));
        self.emit(op);
    }

    fn fail(&mut self, kind: RunErrorKind, span: Span) {
        let failure = self.tables.failures.len() as u32;
        self.tables.failures.push(kind);
        self.emit_at(span, Op::Fail { failure });
    }

    fn unsupported<T>(&self, reason: &'static str, id: ExprId) -> Compile<T> {
        Err(Unsupported { reason, span: self.span(id) })
    }

    /// A register for one cell.
    fn temporary(&mut self, span: Span) -> Compile<Reg> {
        self.block(1, span)
    }

    /// Registers for some cells in a row.
    fn block(&mut self, cells: u32, span: Span) -> Compile<Reg> {
        let at = self.next;
        match at.checked_add(cells) {
            // The topmost register stands for "none".
            Some(end) if end < REGISTERS => {
                self.next = end;
                self.tables.window = self.tables.window.max(end);
                Ok(at as Reg)
            }
            _ => Err(Unsupported { reason: "too many values at once", span }),
        }
    }

    /// Runs a part of the work and gives its temporaries back.
    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> Compile<T>) -> Compile<T> {
        let next = self.next;
        if self.tables.ops.len() - self.start > MOST_OPS
            && let Some(span) = self.home
        {
            return Err(Unsupported { reason: "an expression that is too large", span });
        }
        let result = work(self);
        self.next = next;
        result
    }

    /// The register of a variable's cell.
    fn cell(&self, cell: u32) -> Reg {
        (self.cells + cell) as Reg
    }

    fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.tables.ops.len() as u32;
    }

    fn place_labels(&mut self, start: usize) {
        for op in &mut self.tables.ops[start..] {
            if let Some(to) = op.target() {
                *to = self.labels[*to as usize];
            }
        }
        (start..self.tables.ops.len()).for_each(|at| self.fuse_loop(at));
    }

    /// A quantifier whose body begins with a test of one element goes through the array in one
    /// instruction.
    fn fuse_loop(&mut self, here: usize) {
        let ops = &mut self.tables.ops;
        let is_end = |at: usize, index: Reg| match ops.get(at) {
            Some(Op::Loop { d, to, .. }) => *d == index && *to as usize == here,
            _ => false,
        };
        ops[here] = match ops[here] {
            Op::JumpStateAtEq { i, at, value, to } if is_end(to as usize, i) => Op::SkipEq { i, at, value, to },
            Op::JumpStateAtNe { i, at, value, to } if is_end(to as usize, i) => Op::SkipNe { i, at, value, to },
            Op::JumpStateAtEq { i, at, value, to } if is_end(here + 1, i) => Op::ScanNe { i, at, value, to },
            Op::JumpStateAtNe { i, at, value, to } if is_end(here + 1, i) => Op::ScanEq { i, at, value, to },
            op => op,
        };
    }

    /// Brings an operand into a register; `spare` is one to use for a constant.
    fn in_register(&mut self, operand: Operand, spare: Reg) -> Reg {
        match operand {
            Operand::Reg(reg) => reg,
            Operand::Imm(value) => {
                self.emit(Op::Imm { d: spare, value });
                spare
            }
        }
    }

    /// Brings an operand into a given register.
    fn move_into(&mut self, operand: Operand, d: Reg) {
        match operand {
            Operand::Imm(value) => self.emit(Op::Imm { d, value }),
            Operand::Reg(a) if a != d => self.emit(Op::Move { d, a }),
            Operand::Reg(_) => {}
        }
    }

    fn whole_int(&mut self, expr: ExprId) -> Compile<()> {
        let t = self.temporary(self.span(expr))?;
        match self.int(expr, t)? {
            Operand::Imm(value) => self.emit(Op::Halt { value }),
            Operand::Reg(a) => self.emit(Op::HaltValue { a }),
        }
        Ok(())
    }

    fn whole_truth(&mut self, expr: ExprId) -> Compile<()> {
        let no = self.label();
        self.branch(expr, no, false)?;
        self.emit(Op::Halt { value: 1 });
        self.place(no);
        self.emit(Op::Halt { value: 0 });
        Ok(())
    }

    fn whole_update(&mut self, exprs: &[ExprId]) -> Compile<()> {
        for expr in exprs {
            self.scoped(|compiler| compiler.effect(*expr))?;
        }
        self.emit(Op::Halt { value: 1 });
        Ok(())
    }
}
