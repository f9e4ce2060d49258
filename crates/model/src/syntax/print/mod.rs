//! The inverse of the parser: trees as text, with no more parentheses than needed.
//!
//! What is printed parses back to the same tree. The text may differ from what was written: `and` comes out as `&&`,
//! `:=` as `=`.

mod expression;
mod query;
mod types;

use std::fmt::{Display, Formatter, Result};

/// Writes things separated by commas.
fn list<T: Display>(f: &mut Formatter<'_>, things: &[T]) -> Result {
    for (index, thing) in things.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        thing.fmt(f)?;
    }
    Ok(())
}
