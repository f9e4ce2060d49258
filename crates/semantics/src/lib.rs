//! What a network of timed automata does.

pub mod code;
