//! What is said about an input: errors and warnings with a code, a place and one sentence a modeller understands.

use crate::limits;
use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Warning,
    Error,
}

/// The kind of a diagnostic, as printed (`E0301`). One row per kind in the table below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(pub &'static str);

impl Code {
    pub fn severity(self) -> Severity {
        if self.0.starts_with('W') { Severity::Warning } else { Severity::Error }
    }
}

macro_rules! codes {
    ($($name:ident $code:literal $meaning:literal;)*) => {
        impl Code {
            $(#[doc = $meaning] pub const $name: Code = Code($code);)*
            /// Every code there is, with its meaning: the source of the list in the documentation.
            pub const ALL: &[(Code, &'static str)] = &[$((Code::$name, $meaning)),*];
        }
    };
}

codes! {
    // reading files
    FILE "E0001" "the file cannot be read";
    ENCODING "E0002" "the bytes are no text in any known encoding";
    TOO_LARGE "E0003" "the input is larger than the limits allow";
    XML "E0010" "the XML is not well-formed";
    XML_STRUCTURE "E0011" "an XML element is missing or out of place";
    MISSING_INIT "E0012" "a template has no initial location";
    DANGLING_REFERENCE "E0013" "a reference names no location of the template";
    JSON "E0014" "the JSON is not well-formed";
    JSON_STRUCTURE "E0015" "a part of a JSON component is missing or out of place";
    // syntax
    UNKNOWN_CHARACTER "E0101" "a character that the language does not use";
    COMMENT_OPEN "E0102" "a comment is not closed";
    NUMBER "E0103" "a number is too large or malformed";
    SYNTAX "E0104" "something else was expected here";
    NESTING "E0105" "nested deeper than the limit";
    KEYWORD "E0106" "a keyword is used as a name";
    STRING_OPEN "E0107" "a string is not closed";
    // names
    UNKNOWN_NAME "E0201" "a name that nothing declares";
    DUPLICATE "E0202" "a name is declared twice in one scope";
    NOT_A_TYPE "E0203" "a type was expected";
    NOT_A_VALUE "E0204" "a value was expected";
    NOT_A_TEMPLATE "E0205" "a template was expected";
    NO_MEMBER "E0206" "no such field, location or variable";
    RECURSION "E0207" "a function or type uses itself";
    // types
    TYPE "E0301" "the types do not fit together";
    NOT_ASSIGNABLE "E0302" "the left side cannot be assigned to";
    ARGUMENTS "E0303" "the arguments do not fit the parameters";
    INITIALISER "E0304" "the initialiser does not fit, or is missing";
    NOT_CONSTANT "E0305" "must be computable before the system runs";
    SIDE_EFFECT "E0306" "an expression that must not change anything does";
    CLOCK_USE "E0307" "a clock is used in a way no timed automaton allows";
    GUARD "E0308" "cannot be used as a guard";
    INVARIANT "E0309" "cannot be used as an invariant";
    CHANNEL "E0310" "a channel was expected, or this one does not fit";
    RANGE "E0311" "an empty or impossible range";
    OUT_OF_RANGE "E0312" "a constant value is outside its declared range";
    EVALUATION "E0313" "the value cannot be computed";
    RETURN "E0314" "a function does not return as declared";
    SIZE "E0315" "larger than the limits allow";
    TYPE_NOT_ALLOWED "E0316" "this type is not allowed here";
    // templates and the system
    NO_SYSTEM "E0401" "there is no system line";
    FREE_PARAMETER "E0402" "a free parameter cannot be expanded";
    LOCATION "E0403" "a location is declared in a contradictory way";
    EDGE "E0404" "an edge is not possible like this";
    PRIORITY "E0405" "a priority declaration does not fit";
    OVERRIDE "E0406" "a -D override does not fit a constant of the model";
    INITIAL_STATE "E0407" "the initial state violates an invariant";
    // queries
    QUERY "E0501" "no query of a known form";
    QUERY_UNSUPPORTED "E0502" "a query that no engine here answers";
    DEADLOCK "E0503" "`deadlock` cannot be used here";
    NESTED_PATH "E0504" "path quantifiers do not nest";
    // warnings
    SHADOWS "W0001" "a name hides another";
    UNUSED "W0002" "declared but never used";
    NO_EFFECT "W0003" "the expression changes nothing";
    ALWAYS_TRUE "W0004" "the condition always holds";
    ALWAYS_FALSE "W0005" "the condition never holds";
    IGNORED "W0007" "read but without meaning";
    OLD_SYNTAX "W0008" "read in the old 3.x syntax";
    CLOCK_GUARD_URGENT "W0009" "a clock guard on an urgent synchronisation";
    INITIALISER_LENGTH "W0010" "an array initialiser has too many or too few values";
    MISSING_COMPONENT "W0011" "a timed I/O model lists a component that it does not have";
    META "W0012" "a condition reads a meta variable";
}

/// A remark beside the main one: "first declared here".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub span: Option<Span>,
    pub text: String,
}

/// One error or warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub code: Code,
    /// Where. `None` only for what concerns a whole file or the command line.
    pub span: Option<Span>,
    /// One sentence, without a final full stop.
    pub message: String,
    /// A few words under the caret; may be empty.
    pub label: String,
    pub notes: Vec<Note>,
}

impl Diagnostic {
    pub fn new(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, span: span.into(), message: message.into(), label: String::new(), notes: Vec::new() }
    }

    /// The words under the caret.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// A remark without a place of its own, mostly advice on what to write instead.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(Note { span: None, text: text.into() });
        self
    }

    /// A remark that points somewhere else.
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.notes.push(Note { span: Some(span), text: text.into() });
        self
    }

    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}

/// Everything said about one input, in the order found, each thing once. At most [`limits::DIAGNOSTICS`] errors and as
/// many warnings are kept.
#[derive(Clone, Default, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.is_error();
        let alike = if is_error { self.errors } else { self.list.len() - self.errors };
        if alike < limits::DIAGNOSTICS && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
            self.errors += usize::from(is_error);
        }
    }

    pub fn extend(&mut self, other: Diagnostics) {
        other.list.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// Forgets all but the first few.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
        self.errors = self.list.iter().filter(|diagnostic| diagnostic.is_error()).count();
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many of them are errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
