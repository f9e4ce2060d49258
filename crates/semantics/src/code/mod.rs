//! Guards, invariants, updates, channel expressions, functions and query predicates as register
//! code.
//!
//! [`Programs`] compiles the labels of a network once; the code is kept per template, and what
//! differs between the processes of a template (where its variables stand, its parameters) is
//! looked up through the process that runs it. [`Machine`] runs the code on a [`Discrete`] state
//! without allocating.
//!
//! In the exact engines clocks and doubles have no value. A condition says what must hold of the
//! integers and hands the clock constraints over as [`Facts`]; an update hands over clock
//! assignments; a query predicate becomes a disjunction of conjunctions, [`Dnf`]. Statistics
//! compile with [`Programs::with_doubles`]: there clocks and doubles are [`Values`] like integers.
//!
//! ```
//! # use semantics::code::{Discrete, Facts, Machine, Programs};
//! # use model::network::ProcessId;
//! let text = "clock x; int id; process P() { state A, B; init A; trans A -> B { guard x <= 5 && id == 0; }; } system P;";
//! let loaded = model::load::load_bytes("m.xta", text.as_bytes(), &[]);
//! let model = loaded.model.unwrap();
//! let network = model.network();
//! let mut programs = Programs::new(network);
//! let guard = programs.condition(network.templates[0].edges[0].guard.unwrap());
//! let mut facts = Facts::default();
//! let state = Discrete::initial(network);
//! let holds = Machine::new().condition(&programs, guard, ProcessId::new(0), &[], &state, &mut facts);
//! assert_eq!(holds, Ok(true));
//! assert_eq!(facts.bounds[0].bound, 5);
//! ```

mod arithmetic;
mod channel;
mod compile;
mod discrete;
mod dnf;
mod error;
mod facts;
mod interval;
mod machine;
mod op;
mod programs;
mod timed;
mod traits;

pub use channel::ChannelCode;
pub use discrete::Discrete;
pub use dnf::{Conjunction, Dnf};
pub use error::{RunError, RunErrorKind};
pub use facts::{ClockBound, ClockUpdate, Effects, Facts};
pub use interval::{range_of, range_within};
pub use machine::{Alike, Machine, Values};
pub use programs::{ClockCode, ConditionId, DoubleId, IntId, PredicateId, Programs, UpdateId};
pub use timed::Timed;
