//! Options of queries about timed I/O systems.

use super::row::{Group, OptionRow, Rows, Value};

pub static COMPONENT: OptionRow = OptionRow {
    name: "component",
    value: Value::File(|_| ()),
    word: "FILE",
    default: None,
    group: Group::Systems,
    is_common: false,
    help: "Write the component that get-component: or prune: makes, as ECDAR's JSON if the name ends so, else as a model \
           in XML",
};

pub const MADE: Rows = &[&COMPONENT];
