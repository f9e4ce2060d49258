//! Guards, updates and functions with every name resolved, kept once per template.
//!
//! Expressions live in one arena and name each other by [`ExprId`]. A variable is a [`Place`]: a base, a constant offset
//! and indices to be evaluated. Places of a template are relative to the process that runs the code, so a thousand
//! processes share one guard.

use super::ids::{ExprId, FunctionId, LocationId, ProcessId};
use super::types::{Extent, Range, Type};
use crate::shared::Shared;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Name, Quantifier};

/// The arena of all code of a network. What was there when it was last [`sealed`](Code::seal) is
/// shared by all clones; what is added later is each clone's own.
#[derive(Clone, Default, Debug)]
pub struct Code {
    base: Shared<Arena>,
    more: Arena,
    pub functions: Shared<Vec<Function>>,
    /// String constants; an integer cell of type `string` holds an index into it.
    pub strings: Shared<Vec<String>>,
}

#[derive(Clone, Default, Debug)]
struct Arena {
    exprs: Vec<Expr>,
    spans: Vec<Span>,
}

impl Code {
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        self.more.exprs.push(expr);
        self.more.spans.push(span);
        ExprId::new(self.len() - 1)
    }

    /// What is there now is shared by all clones from now on.
    pub fn seal(&mut self) {
        if self.more.exprs.is_empty() {
            return;
        }
        let more = std::mem::take(&mut self.more);
        let base = &mut *self.base;
        base.exprs.extend(more.exprs);
        base.spans.extend(more.spans);
    }

    #[inline]
    pub fn expr(&self, id: ExprId) -> &Expr {
        let (at, base) = (id.index(), &self.base.exprs);
        base.get(at).unwrap_or_else(|| &self.more.exprs[at - base.len()])
    }

    pub fn span(&self, id: ExprId) -> Span {
        let (at, base) = (id.index(), &self.base.spans);
        base.get(at).copied().unwrap_or_else(|| self.more.spans[at - base.len()])
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn len(&self) -> usize {
        self.base.exprs.len() + self.more.exprs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Arithmetic is on 32-bit integers or on doubles, never mixed: conversions are explicit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    Int,
    Double,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Int(i32),
    Double(f64),
    /// The value of a variable: an integer, a double, or a whole struct or array.
    Read(Place),
    /// The value of a clock as a number; only statistics can compute it.
    ClockValue(Place),
    /// An integer as a double.
    ToDouble(ExprId),
    Negate(Number, ExprId),
    /// `!e` on an integer or on a clock constraint.
    Not(ExprId),
    /// Short-circuit, left to right, on integers and clock constraints.
    And(ExprId, ExprId),
    Or(ExprId, ExprId),
    /// Everything but `And`, `Or` and `imply`, which is `!a || b`. Comparisons give 0 or 1.
    Binary {
        op: BinaryOp,
        number: Number,
        left: ExprId,
        right: ExprId,
    },
    /// Equality of whole structs or arrays of the same type.
    SameValue {
        left: ExprId,
        right: ExprId,
    },
    Conditional {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `plus - minus ~ bound`, where an absent clock is 0 and the bound is an integer expression.
    ClockConstraint(ClockConstraint),
    /// `x' == e` in an invariant.
    Rate {
        clock: Place,
        number: Number,
        rate: ExprId,
    },
    /// `target op= value`; the result is the new value. Integers are checked against the target's type.
    Assign {
        target: Place,
        op: Option<BinaryOp>,
        value: ExprId,
    },
    /// `target = source + offset` with integer offset; without a source the clock is set to the offset.
    SetClock {
        target: Place,
        source: Option<Place>,
        offset: ExprId,
    },
    /// `++i`, `i--`
    Step {
        target: Place,
        delta: i32,
        postfix: bool,
    },
    /// First one, then the other; the value is the second's.
    Sequence(ExprId, ExprId),
    Call {
        function: FunctionId,
        /// Whose local variables a template's function works on; `None`: those of the process that runs the code.
        process: Option<ProcessRef>,
        arguments: Vec<Argument>,
    },
    Builtin {
        function: Builtin,
        arguments: Vec<ExprId>,
    },
    /// The variable is the integer cell `slot` of the frame.
    Quantified {
        quantifier: Quantifier,
        number: Number,
        slot: u32,
        range: Range,
        body: ExprId,
    },
    /// `P.loc`
    LocationIs {
        process: ProcessRef,
        location: LocationId,
    },
    /// `P.location`: the index of the current location.
    LocationOf {
        process: ProcessRef,
    },
    Deadlock,
    /// Understood, and run by no engine: dynamic processes, foreign functions. The network's fitness names the place.
    Unsupported(&'static str),
}

#[derive(Clone, PartialEq, Debug)]
pub struct ClockConstraint {
    pub plus: Option<Place>,
    pub minus: Option<Place>,
    pub relation: Relation,
    pub bound: ExprId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
}

impl Relation {
    /// That of an operator that compares.
    pub fn of(op: BinaryOp) -> Option<Relation> {
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
}

#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    Value(ExprId),
    Reference(Place),
}

/// A variable, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub base: Base,
    pub offset: Extent,
    pub indices: Vec<Index>,
    pub ty: Type,
}

/// `(value - lo) * stride` is added to the offset; outside `lo .. lo + len` is a run-time error.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    pub value: ExprId,
    pub lo: i32,
    pub len: u32,
    pub stride: Extent,
}

/// What the offset of a place counts from.
#[derive(Clone, PartialEq, Debug)]
pub enum Base {
    /// The state of the network.
    Global,
    /// The constants of the network.
    Constant,
    /// The state of the process that runs the code.
    Local,
    /// Value parameters and constants of the process that runs the code.
    LocalConstant,
    /// What the n-th reference parameter of the process is bound to.
    Parameter(u32),
    /// Local variables, value parameters, select and quantifier variables of the function or label.
    Frame,
    /// What the n-th reference parameter of the function is bound to.
    FrameReference(u32),
    /// The state, the constants or a reference parameter of another process; only in queries.
    Member(ProcessRef, MemberBase),
    /// A part of a struct that a function returned.
    Value(ExprId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemberBase {
    Local,
    LocalConstant,
    Parameter(u32),
}

/// A process, or one of a set that is expanded from one template: `first + sum((value - lo) * stride)`.
#[derive(Clone, PartialEq, Debug)]
pub struct ProcessRef {
    pub first: ProcessId,
    pub indices: Vec<ProcessIndex>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ProcessIndex {
    pub value: ExprId,
    pub range: Range,
    pub stride: u32,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<FunctionParameter>,
    pub result: Type,
    /// Cells of the frame: parameters first, then all local variables.
    pub frame: Extent,
    pub references: u32,
    pub body: Vec<Statement>,
    /// Whether a call may change something outside of the frame.
    pub writes: bool,
    /// Whether it works with the local variables of a template.
    pub is_local: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct FunctionParameter {
    pub name: Name,
    pub ty: Type,
    pub passing: Passing,
    /// The function cannot change it.
    pub constant: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// Copied into the frame, at this offset.
    Value(Extent),
    /// The n-th reference.
    Reference(u32),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Expr(ExprId),
    /// A local variable comes to life: default values, then the initialisers in order.
    Local {
        place: Place,
        values: Vec<(Place, ExprId)>,
    },
    Block(Vec<Statement>),
    While {
        condition: ExprId,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: ExprId,
    },
    For {
        init: Vec<ExprId>,
        condition: ExprId,
        step: Vec<ExprId>,
        body: Box<Statement>,
    },
    ForEach {
        slot: u32,
        range: Range,
        body: Box<Statement>,
    },
    If {
        arms: Vec<(ExprId, Statement)>,
        otherwise: Option<Box<Statement>>,
    },
    Return(Option<ExprId>),
    Assert(ExprId),
}

macro_rules! builtins {
    ($($variant:ident $name:literal $arguments:literal $result:ident;)*) => {
        /// Functions of the language itself.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Builtin { $($variant),* }

        impl Builtin {
            pub const ALL: &[Builtin] = &[$(Builtin::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name),* }
            }

            /// How many arguments it takes.
            pub fn arity(self) -> usize {
                match self { $(Builtin::$variant => $arguments),* }
            }

            pub fn result(self) -> BuiltinResult {
                match self { $(Builtin::$variant => BuiltinResult::$result),* }
            }
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltinResult {
    Int,
    Double,
    Bool,
}

builtins! {
    Abs "abs" 1 Int; Fint "fint" 1 Int; Ilogb "ilogb" 1 Int; Fpclassify "fpclassify" 1 Int;
    Fabs "fabs" 1 Double; Exp "exp" 1 Double; Exp2 "exp2" 1 Double; Expm1 "expm1" 1 Double;
    Ln "ln" 1 Double; Log "log" 1 Double; Log10 "log10" 1 Double; Log2 "log2" 1 Double; Log1p "log1p" 1 Double;
    Sqrt "sqrt" 1 Double; Cbrt "cbrt" 1 Double;
    Sin "sin" 1 Double; Cos "cos" 1 Double; Tan "tan" 1 Double;
    Asin "asin" 1 Double; Acos "acos" 1 Double; Atan "atan" 1 Double;
    Sinh "sinh" 1 Double; Cosh "cosh" 1 Double; Tanh "tanh" 1 Double;
    Asinh "asinh" 1 Double; Acosh "acosh" 1 Double; Atanh "atanh" 1 Double;
    Erf "erf" 1 Double; Erfc "erfc" 1 Double; Tgamma "tgamma" 1 Double; Lgamma "lgamma" 1 Double;
    Ceil "ceil" 1 Double; Floor "floor" 1 Double; Trunc "trunc" 1 Double; Round "round" 1 Double; Logb "logb" 1 Double;
    Random "random" 1 Double; RandomPoisson "random_poisson" 1 Double;
    Fmod "fmod" 2 Double; Fmax "fmax" 2 Double; Fmin "fmin" 2 Double; Fdim "fdim" 2 Double;
    Pow "pow" 2 Double; Hypot "hypot" 2 Double; Atan2 "atan2" 2 Double; Nextafter "nextafter" 2 Double;
    Copysign "copysign" 2 Double; Ldexp "ldexp" 2 Double;
    RandomArcsine "random_arcsine" 2 Double; RandomBeta "random_beta" 2 Double; RandomGamma "random_gamma" 2 Double;
    RandomNormal "random_normal" 2 Double; RandomWeibull "random_weibull" 2 Double;
    Fma "fma" 3 Double; RandomTri "random_tri" 3 Double;
    Isfinite "isfinite" 1 Bool; Isinf "isinf" 1 Bool; Isnan "isnan" 1 Bool; Isnormal "isnormal" 1 Bool;
    Signbit "signbit" 1 Bool; Isunordered "isunordered" 1 Bool;
}

impl Builtin {
    pub fn is_random(self) -> bool {
        self.name().starts_with("random")
    }
}
