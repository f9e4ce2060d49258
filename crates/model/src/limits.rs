//! How large an input may be. Beyond a limit there is an error that says so, never an allocation that fails.

/// Bytes of one input file.
pub const FILE_BYTES: usize = 1 << 28;
/// Levels of nesting of an expression, a statement or a type.
pub const NESTING: u32 = 1_000;
/// Height of an expression tree. A chain `a + b + c ...` of n operators has height n without being nested.
pub const HEIGHT: u32 = 4_000;
/// Cells (integers, clocks, doubles, channels) of all variables of a network together.
pub const CELLS: u64 = 1 << 23;
/// Fields and elements that a type is written with, those of the types in it included.
pub const TYPE_PARTS: u64 = 1 << 14;
/// Processes of a network.
pub const PROCESSES: u64 = 1 << 20;
/// Elaborated forms of all templates: one per template, and one per combination of the values its types depend on.
pub const FORMS: usize = 1 << 14;
/// Expressions in the code of a network, that of all forms together.
pub const CODE: usize = 1 << 23;
/// Edges of all templates after their selects are expanded.
pub const EXPANDED_EDGES: u64 = 1 << 22;
/// Branches behind the edges of all templates after their selects are expanded.
pub const BRANCHES: u64 = 1 << 20;
/// Steps of one evaluation at compile time (an initialiser that calls a function with an endless loop).
pub const EVALUATION_STEPS: u64 = 10_000_000;
/// Steps of all evaluations of one model together.
pub const MODEL_STEPS: u64 = 30_000_000;
/// Stack for reading a model. Recursion is bounded by `HEIGHT`, and this is enough for it in every build.
pub const STACK_BYTES: usize = 1 << 30;
/// Diagnostics kept of one input; a file with more is not a model with typing errors.
pub const DIAGNOSTICS: usize = 1_000;
/// Tags, comments and other markup of an XML file.
pub const XML_NODES: usize = 1 << 22;
/// Levels of nesting of the elements of an XML file; a model needs six.
pub const XML_DEPTH: usize = 256;
/// Attributes of one element of an XML file; a model needs five.
pub const XML_ATTRIBUTES: usize = 256;
/// Entities that an XML file may declare.
pub const XML_ENTITIES: usize = 100;
/// Bytes that the entities of an XML file may expand to, all references together.
pub const XML_EXPANSION: u64 = 1 << 24;
