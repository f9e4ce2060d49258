//! The syntax tree: what was written, with its places, before any name is looked up.
//!
//! XML and text models, in the new and in the old syntax, all become one [`Document`]. The tree says nothing about
//! types: `P(i)` may be a call or a process, `a[T]` may be an array over a type; the checker decides.

use crate::source::Span;
use std::sync::Arc;

pub type Name = Arc<str>;

#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// Two identifiers are the same word wherever they stand.
impl PartialEq for Ident {
    fn eq(&self, other: &Ident) -> bool {
        self.name == other.name
    }
}

/// Which family of the language a text is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// UPPAAL 4.x and 5.x.
    New,
    /// UPPAAL 3.x: `const N 5`, guards separated by commas, parameter groups separated by semicolons.
    Old,
}

/// A whole model.
#[derive(Clone, Debug)]
pub struct Document {
    pub syntax: Syntax,
    /// Global declarations, templates and instantiations of a text model in the order written. In XML: the text of
    /// `<declaration>`, then the templates, then `<instantiation>`, then the declarations of `<system>`.
    pub items: Vec<Item>,
    /// The system line; `None` when there is none.
    pub system: Option<System>,
    pub progress: Vec<ProgressMeasure>,
    pub gantt: Vec<GanttChart>,
    /// Queries that stand in the model, not yet parsed.
    pub queries: Vec<QuerySource>,
}

/// One thing on the top level of a model.
#[derive(Clone, Debug)]
pub enum Item {
    Declaration(Declaration),
    Template(Template),
    Instantiation(Instantiation),
    ChannelPriority(ChannelPriority),
    /// `before_update { ... }` and `after_update { ... }`
    BeforeUpdate(Vec<Expr>),
    AfterUpdate(Vec<Expr>),
    /// `dynamic T(int i);`
    Dynamic {
        name: Ident,
        parameters: Vec<Parameter>,
        span: Span,
    },
    /// `import "lib.so" { ... };`
    Import(Import),
    /// `IO P { a?, b! }`, `IO P(2) { a[2]? }`: inputs and outputs of a process, for timed I/O automata.
    Io(IoDeclaration),
    /// The name of an `<lsc>` of an XML model; nothing else of it is read.
    LiveSequenceChart(Ident),
}

#[derive(Clone, Debug)]
pub enum Declaration {
    Variables(Variables),
    Typedef { ty: Type, names: Vec<Declarator>, span: Span },
    Function(Function),
}

/// `const int[0,3] a[2] = {1,2}, b = 3;`
#[derive(Clone, PartialEq, Debug)]
pub struct Variables {
    pub ty: Type,
    pub declarators: Vec<Declarator>,
    pub span: Span,
}

/// `a[2] = {1,2}`
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    pub name: Ident,
    pub dimensions: Vec<Dimension>,
    pub initialiser: Option<Initialiser>,
}

/// What stands between the brackets of an array declaration. A bare name is an [`Dimension::Size`]; the checker finds
/// out whether it names a type.
#[derive(Clone, PartialEq, Debug)]
pub enum Dimension {
    Size(Expr),
    Index(Type),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Initialiser {
    Expr(Expr),
    List { fields: Vec<(Option<Ident>, Initialiser)>, span: Span },
}

#[derive(Clone, Debug)]
pub struct Type {
    pub prefix: Prefix,
    pub base: BaseType,
    pub span: Span,
}

/// Two types are the same when they are written alike, wherever they stand.
impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        self.prefix == other.prefix && self.base == other.base
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Prefix {
    pub is_const: bool,
    pub is_meta: bool,
    pub is_urgent: bool,
    pub is_broadcast: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum BaseType {
    Named(Ident),
    Bool,
    /// `int`, or `int[lo,hi]`. Old syntax constants are `int` without a range.
    Int(Option<Box<(Expr, Expr)>>),
    Double,
    String,
    Channel,
    Clock {
        hybrid: bool,
    },
    Void,
    Scalar(Box<Expr>),
    Struct(Vec<FieldGroup>),
}

/// `int a, b[2];` inside a struct.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldGroup {
    pub ty: Type,
    pub names: Vec<Declarator>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub ty: Type,
    pub by_reference: bool,
    pub name: Ident,
    pub dimensions: Vec<Dimension>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub return_type: Type,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub declarations: Vec<LocalDeclaration>,
    pub statements: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum LocalDeclaration {
    Variables(Variables),
    Typedef { ty: Type, names: Vec<Declarator>, span: Span },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// Where the grammar has an expression list (`for (i = 0, j = 1; ...)`) there is a vector; its value is the last one's.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    Empty,
    Block(Block),
    Expr(Vec<Expr>),
    For {
        init: Vec<Expr>,
        condition: Vec<Expr>,
        step: Vec<Expr>,
        body: Box<Statement>,
    },
    ForEach {
        variable: Ident,
        ty: Type,
        body: Box<Statement>,
    },
    While {
        condition: Vec<Expr>,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Vec<Expr>,
    },
    /// `if (c) s else if (d) t else u` is one statement with two arms, so that long chains do not nest.
    If {
        arms: Vec<(Vec<Expr>, Statement)>,
        otherwise: Option<Box<Statement>>,
    },
    Return(Option<Expr>),
    Assert(Expr),
}

#[derive(Clone, Debug)]
pub struct Template {
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub declarations: Vec<Declaration>,
    pub locations: Vec<Location>,
    pub branchpoints: Vec<Ident>,
    /// The initial location. `None` when the file names none; that is reported already, except for `process P() {}`,
    /// which has no locations at all.
    pub init: Option<Ident>,
    pub edges: Vec<Edge>,
    pub span: Span,
}

impl Template {
    /// A template of which only the name is known.
    pub fn empty(name: Ident, span: Span) -> Template {
        Template {
            name,
            parameters: Vec::new(),
            declarations: Vec::new(),
            locations: Vec::new(),
            branchpoints: Vec::new(),
            init: None,
            edges: Vec::new(),
            span,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Location {
    /// Anonymous XML locations are named `_` and their id.
    pub name: Ident,
    pub anonymous: bool,
    pub invariant: Option<Expr>,
    /// `r` or `r : q`
    pub rate: Option<(Expr, Option<Expr>)>,
    pub urgent: bool,
    pub committed: bool,
    /// Nothing may lead here, in questions about timed I/O systems.
    pub inconsistent: bool,
    pub span: Span,
}

/// An edge as written: from a location or branchpoint to a location or branchpoint.
#[derive(Clone, Debug)]
pub struct Edge {
    pub source: Ident,
    pub target: Ident,
    pub select: Vec<(Ident, Type)>,
    pub guard: Option<Expr>,
    pub sync: Option<Sync>,
    /// The comma separated list of the assignment label.
    pub update: Vec<Expr>,
    pub weight: Option<Expr>,
    pub controllable: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Sync {
    pub channel: Expr,
    pub direction: Direction,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    Send,
    Receive,
    /// No mark: CSP style, every process that knows the channel takes part.
    Csp,
}

/// `Q(int &x, const int i) = P(x, i);`
#[derive(Clone, Debug)]
pub struct Instantiation {
    pub name: Ident,
    /// `None` for `P1 = Q();`
    pub parameters: Option<Vec<Parameter>>,
    pub template: Ident,
    pub arguments: Vec<Expr>,
    pub span: Span,
}

/// `system A < B, C;`: processes in the order written with their priority, 0 lowest.
#[derive(Clone, Debug)]
pub struct System {
    pub processes: Vec<(Ident, u32)>,
    pub span: Span,
}

/// `chan priority a, d[0] < default < b;`
#[derive(Clone, Debug)]
pub struct ChannelPriority {
    /// Channels with their level, 0 lowest; `None` is `default`.
    pub levels: Vec<(Option<Expr>, u32)>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Import {
    pub library: String,
    pub functions: Vec<ForeignFunction>,
    pub span: Span,
}

/// `local = int external(int a)`
#[derive(Clone, Debug)]
pub struct ForeignFunction {
    pub name: Ident,
    pub return_type: Type,
    pub parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
pub struct IoDeclaration {
    pub process: Ident,
    pub arguments: Vec<Expr>,
    pub actions: Vec<Sync>,
    pub span: Span,
}

/// `guard : measure;`
#[derive(Clone, Debug)]
pub struct ProgressMeasure {
    pub guard: Option<Expr>,
    pub measure: Expr,
}

#[derive(Clone, Debug)]
pub struct GanttChart {
    pub name: Ident,
    pub parameters: Vec<(Ident, Type)>,
    pub bars: Vec<GanttBar>,
}

#[derive(Clone, Debug)]
pub struct GanttBar {
    pub select: Vec<(Ident, Type)>,
    pub condition: Expr,
    pub colour: Expr,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// Two expressions are the same when they are written alike, wherever they stand.
impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `-2147483648` is one literal, every other `-n` is a [`UnaryOp::Minus`].
    Int(i32),
    Double(f64),
    Bool(bool),
    String(String),
    Name(Ident),
    /// `f(a)`, `T(3)` in queries.
    Call {
        callee: Box<Expr>,
        arguments: Vec<Expr>,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    /// `s.f`, `P.x`; `P.location` of 5.x queries comes as a member named `location`.
    Member {
        base: Box<Expr>,
        member: Ident,
    },
    /// `x'`
    Rate(Box<Expr>),
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `++i`, `i--`
    Step {
        op: StepOp,
        fix: Fix,
        operand: Box<Expr>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `=` and `:=` when `op` is `None`, `+=` and the like otherwise.
    Assign {
        op: Option<BinaryOp>,
        target: Box<Expr>,
        value: Box<Expr>,
    },
    Quantified {
        quantifier: Quantifier,
        variable: Ident,
        ty: Type,
        body: Box<Expr>,
    },
    /// Only in queries.
    Deadlock,
    /// `spawn T(1)`: dynamic templates.
    Spawn {
        template: Ident,
        arguments: Vec<Expr>,
    },
    /// `exit()`
    Exit,
    /// `numOf(T)`
    NumberOf(Ident),
    /// `location` keyword forms and everything a recovered error left behind.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Not,
    Minus,
    Plus,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepOp {
    Increment,
    Decrement,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fix {
    Prefix,
    Postfix,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Or,
    Xor,
    Imply,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Ge,
    Gt,
    Min,
    Max,
    ShiftLeft,
    ShiftRight,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Power,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
    /// `foreach (p : T) e`: simulations over dynamic templates.
    Foreach,
}

/// A query as found in a file, before it is parsed.
#[derive(Clone, Debug)]
pub struct QuerySource {
    pub text: crate::source::Text,
    pub span: Span,
    pub comment: String,
    pub expect: Option<Expect>,
    /// Options stored with the query, as `--extrapolation` and `4`.
    pub options: Vec<(String, String)>,
}

/// What the file says the answer is: `<expect outcome="success" type="symbolic"/>`, or `EXPECT:` in a comment.
#[derive(Clone, PartialEq, Debug)]
pub struct Expect {
    pub outcome: Option<Outcome>,
    pub value: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Success,
    Failure,
    MaybeTrue,
    MaybeFalse,
    Error,
}
