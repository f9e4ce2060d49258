//! Random walks over concrete timed states: a run is made step by step, a transition and a moment are drawn for each.
//!
//! A walk keeps one state and nothing else, so its memory is constant. [`tables::Tables`] is what is known of a network
//! before anything runs, shared by all threads; [`walker::Walker`] is one walk that goes on and starts again.

mod alarms;
pub mod audit;
pub mod combine;
pub mod deadlines;
pub mod delay;
pub mod depth;
pub mod distance;
mod gates;
pub mod goal;
pub mod guide;
pub mod hunt;
mod partners;
mod pieces;
mod pool;
pub mod shorten;
mod sleepers;
pub mod strategy;
pub mod tables;
pub mod walker;
mod watch;
