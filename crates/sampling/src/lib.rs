//! Statistical model checking: runs are drawn by the stochastic semantics, and what they show is
//! counted.
//!
//! This is the one place where time is floating-point: delays are drawn from continuous
//! distributions, clocks may run at any rate, and variables may be doubles. Nothing here decides a
//! query about a timed automaton exactly. Moments and clocks have twice the digits of a double (see
//! [`semantics::precise`]), so that long runs end as short ones do.
//!
//! [`system::System`] is what is known of a network before anything runs; [`run::Runner`] makes
//! runs, [`observe`] looks at them, [`sampler`] makes many on several threads; [`estimate`],
//! [`sequential_test`] and [`histogram`] say what they show.

pub mod builtins;
mod condition;
pub mod estimate;
pub mod failure;
mod fire;
pub mod histogram;
pub mod interval;
pub mod machine;
pub mod observe;
mod question;
mod race;
mod rates;
pub mod run;
pub mod sampler;
pub mod sequential_test;
pub mod special;
pub mod system;
mod window;
