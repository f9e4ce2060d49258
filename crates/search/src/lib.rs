//! Search over transition systems: what a system must offer, where its states are kept, in which order they
//! are taken up, and the one loop that joins these parts. The crate knows no clocks and no models.
//!
//! | question | answer |
//! | --- | --- |
//! | what can be searched? | [`system`]: `TransitionSystem` and the small traits beside it; [`graph`]: explicit graphs |
//! | where do states live? | [`store`] under subsumption, [`intern`] under equality; ids and side tables: [`per_state`] |
//! | in which order? | [`frontier`], [`best_first`], [`rank`], [`dives`] |
//! | who drives? | [`search`]: `Search::step`; its limits: [`budget`] |
//! | other strategies? | [`random_simulation`], [`highway`], [`deep_random`], [`soundings`] before a search; driven as [`strategy`] says |
//! | without subsumption? | [`equality`] around a system |
//! | infinite runs? | [`liveness`] or [`deep_lassos`] for the [`runs`] asked for; answers are [`lasso`]s |
//!
//! A worked example: is state 3 reachable in a small graph, and how?
//!
//! ```
//! use search::frontier::Fifo;
//! use search::goal::state_goal;
//! use search::graph::Graph;
//! use search::search::{Search, Stop};
//!
//! let graph = Graph::from_edges(0, 4, &[(0, "a", 1), (1, "b", 2), (0, "c", 2), (2, "d", 3)]).unwrap();
//! let mut search = Search::new(&graph, state_goal(|state: &u32| *state == 3), Fifo::default());
//! let Stop::Found(goal) = search.run() else { panic!("reachable") };
//! let names: Vec<&str> = search.trace(goal).into_iter().map(|edge| graph.label_name(edge)).collect();
//! assert_eq!(names, ["c", "d"]);
//! ```
//!
//! A second one: nothing found, and the answer is a proof because nothing was cut off.
//!
//! ```
//! use search::frontier::Lifo;
//! use search::goal::state_goal;
//! use search::graph::Graph;
//! use search::search::{Search, Stop};
//!
//! let graph = Graph::from_edges(0, 3, &[(0, "a", 1), (1, "b", 0)]).unwrap();
//! let mut search = Search::new(&graph, state_goal(|state: &u32| *state == 2), Lifo::default());
//! assert!(matches!(search.run(), Stop::Exhausted { proof: true }));
//! assert_eq!(search.statistics().explored, 2);
//! ```

pub mod arena;
pub mod aut;
pub mod best_first;
mod blocks;
pub mod budget;
pub mod collection;
pub mod components;
pub mod deep_lassos;
pub mod deep_random;
pub mod dives;
pub mod equality;
mod fringe;
pub mod frontier;
mod generation;
pub mod goal;
pub mod graph;
pub mod hash;
pub mod heuristic;
pub mod highway;
pub mod intern;
pub mod keys;
pub mod lanes;
pub mod lasso;
pub mod levels;
pub mod liveness;
pub mod per_state;
pub mod random;
pub mod random_simulation;
pub mod rank;
mod recorded;
mod records;
pub mod runs;
pub mod search;
pub mod soundings;
pub mod statistics;
pub mod store;
pub mod strategy;
pub mod system;
pub mod trace;
mod walk_path;
