//! What the tests of the code share: loading models from text, a naive interpreter, random numbers and random models.

#![allow(dead_code, reason = "each test uses a part")]

pub mod generate;
pub mod naive;
pub mod random;

use model::load::{Model, load_bytes};

/// A model that must be free of errors.
pub fn load(text: &str) -> Model {
    let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    match loaded.model {
        Some(model) => model,
        None => panic!("{:#?}\n{text}", loaded.diagnostics),
    }
}
