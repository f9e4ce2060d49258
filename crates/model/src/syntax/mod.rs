//! From text to syntax trees: lexer, parsers for the new and the old syntax, for queries and query files, and the
//! printer that is their inverse.

pub mod ast;
pub mod query;
pub mod walk;
