//! What is known of a network before anything runs, for walks: which edges may begin a transition and how many ways they
//! have, who their partners are, which gates they wait behind, and what to look at again when a cell changes.
//!
//! Edges are counted per process and per combination of select values; an edge that may begin a transition (internal,
//! sending, or the first of those that share a channel) has tickets, one for every way in which it may be taken.

mod actors;
mod edges;
mod fixed;
mod places;
mod watches;

pub(crate) use edges::{EdgeTable, Membership};
pub(crate) use fixed::{Fixed, FixedBounds};

use self::actors::{Actors, Buckets};
use self::edges::edge_tables;
use self::places::Places;
use self::watches::{greatest_constant, watches};
use crate::alarms::Alarms;
use crate::gates::{self, Gated};
use crate::partners::Partners;
use crate::pieces::{self, Pieces};
use crate::pool::{Bucket, NONE};
use crate::watch::Watch;
use model::network::LocationId;
use model::syntax::ast::Direction;
use semantics::code::ConditionId;
use semantics::concrete::UNIT;
use semantics::structure::Structure;
use std::collections::HashMap;

/// An edge of one process with its select values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    pub process: u32,
    pub bucket: u32,
    /// It has no more ways than this.
    pub tickets: u32,
    /// The gate that it waits behind, or `NONE`, and what the gate's cell must be.
    pub gate: u32,
    pub value: i32,
}

/// What many edges wait for: a cell that must have a value, or a channel on which somebody must listen.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub on: On,
    /// The buckets that a value of the cell opens; those of a channel wait for 1.
    open: HashMap<i32, (u32, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum On {
    Cell(u32),
    Channel(u32),
}

impl Gate {
    #[inline]
    pub fn open(&self, value: i32) -> (u32, u32) {
        self.open.get(&value).copied().unwrap_or((0, 0))
    }
}

/// Why walks cannot run a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

pub struct Tables<'s, 'n> {
    pub(crate) structure: &'s Structure<'n>,
    /// The first edge of each process.
    pub(crate) first: Vec<u32>,
    pub(crate) actors: Vec<Actor>,
    pub(crate) edges: Vec<EdgeTable>,
    pub(crate) buckets: Vec<Bucket>,
    /// The buckets without a gate.
    pub(crate) free: (u32, u32),
    /// The free buckets whose edges may use an urgent channel.
    pub(crate) urgent: (u32, u32),
    /// Some edge that may use an urgent channel has a clock in its guard.
    pub(crate) urgent_by_clocks: bool,
    pub(crate) gates: Vec<Gate>,
    /// The gate of a cell, or `NONE`.
    pub(crate) gate_of: Vec<u32>,
    /// Where the locations of each process start in the next two.
    pub(crate) first_location: Vec<u32>,
    /// The gates whose channels a process listens on in a location; a stretch of the list each.
    listens: Vec<(u32, u32)>,
    listened: Vec<u32>,
    /// The pieces of the invariant of each process in each location, one stretch after the other.
    starts: Vec<u32>,
    pub(crate) pieces: Vec<Piece>,
    /// By edge of a process.
    pub(crate) guards: Vec<Fixed>,
    pub(crate) fixed: FixedBounds,
    pub(crate) receivers: Partners,
    pub(crate) senders: Partners,
    pub(crate) shared: Partners,
    pub(crate) watch: Watch,
    /// By clock, the invariants that mention it.
    pub(crate) clock_watch: Watch,
    pub(crate) alarms: Alarms,
    /// Tickets do not suffice: some edge may have too many ways, or priorities decide.
    pub(crate) lists_only: bool,
    /// No transition comes later than this after the one before, in ticks, where nothing else ends the waiting: every
    /// clock is beyond all constants then.
    pub horizon: i64,
}

/// What tables need that is compiled before the structure is shared.
pub struct Preparation {
    gates: HashMap<u32, Gated>,
    pieces: Pieces,
}

/// A part of the invariant of a process in a location.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub process: u32,
    pub location: LocationId,
    pub condition: ConditionId,
    pub frame: Vec<i32>,
    pub fixed: Fixed,
    /// It compares clocks. Such pieces come first.
    pub bounds: bool,
}

/// Splits guards where that makes walks faster. Before anything else uses the structure.
pub fn prepare(structure: &mut Structure) -> Preparation {
    Preparation { gates: gates::find(structure), pieces: pieces::find(structure) }
}

impl<'s, 'n> Tables<'s, 'n> {
    /// `constant` is the largest number that a query compares a clock with.
    pub fn new(
        structure: &'s Structure<'n>,
        preparation: &Preparation,
        constant: i64,
    ) -> Result<Tables<'s, 'n>, TooLarge> {
        let network = structure.network;
        let partners = |direction| Partners::new(structure, direction).ok_or(TooLarge);
        let (receivers, senders) = (partners(Direction::Receive)?, partners(Direction::Send)?);
        let shared = partners(Direction::Csp)?;
        let edges = edge_tables(structure, &preparation.gates);
        let mut found = Actors::new(structure, preparation, &edges, [&senders, &receivers, &shared])?;
        let Buckets { list: buckets, free, urgent } = found.buckets();
        let Actors { first, actors, gates, guards, mut fixed, lists_only, urgent_by_clocks, .. } = found;
        let mut gate_of = vec![NONE; network.ints.len()];
        for (n, gate) in gates.iter().enumerate() {
            if let On::Cell(cell) = gate.on {
                gate_of[cell as usize] = n as u32;
            }
        }
        let Places { first_location, listens, listened, starts, pieces } =
            Places::new(structure, preparation, &receivers, &gates, &mut fixed)?;
        let (watch, clock_watch) = watches(structure, &edges, preparation, &pieces);
        let alarms = Alarms::new(structure, &edges, &guards, &fixed);
        let horizon = (greatest_constant(network).max(constant) + 1) * UNIT;
        Ok(Tables {
            structure,
            first,
            actors,
            edges,
            buckets,
            free,
            urgent,
            urgent_by_clocks,
            gates,
            gate_of,
            first_location,
            listens,
            listened,
            starts,
            pieces,
            guards,
            fixed,
            receivers,
            senders,
            shared,
            watch,
            clock_watch,
            alarms,
            lists_only,
            horizon,
        })
    }

    pub fn structure(&self) -> &'s Structure<'n> {
        self.structure
    }

    /// The number of an edge among those of all processes.
    #[inline]
    pub(crate) fn actor(&self, process: u32, expanded: u32) -> u32 {
        self.first[process as usize] + expanded
    }

    #[inline]
    pub(crate) fn expanded(&self, actor: u32) -> (u32, u32) {
        let process = self.actors[actor as usize].process;
        (process, actor - self.first[process as usize])
    }

    /// The gates whose channels a process listens on in a location.
    #[inline]
    pub(crate) fn listens(&self, process: u32, location: LocationId) -> &[u32] {
        let (start, end) = self.listens[self.first_location[process as usize] as usize + location.index()];
        &self.listened[start as usize..end as usize]
    }

    /// The pieces of the invariant of a process in a location.
    #[inline]
    pub(crate) fn pieces_at(&self, process: u32, location: LocationId) -> std::ops::Range<u32> {
        let at = self.first_location[process as usize] as usize + location.index();
        self.starts[at]..self.starts[at + 1]
    }

    /// About how much memory they take.
    pub fn bytes(&self) -> usize {
        let partners = self.receivers.bytes() + self.senders.bytes() + self.shared.bytes();
        let edges = self.actors.len() * (size_of::<Actor>() + size_of::<Fixed>()) + size_of_val(self.edges.as_slice());
        let watches = self.watch.bytes() + self.clock_watch.bytes();
        let locations = size_of_val(self.listens.as_slice()) + size_of_val(self.starts.as_slice());
        partners + edges + watches + locations + size_of_val(self.pieces.as_slice())
    }

    /// How many edges of processes there are, select values apart.
    pub fn edge_count(&self) -> usize {
        self.actors.len()
    }
}
