//! The action transitions that a discrete state allows, by integers alone: each with its participants and the clock
//! constraints under which it exists.
//!
//! The list depends on the discrete state only, and its order is fixed (internal edges, then synchronisations, by process,
//! edge and branch), so that the position in it names a transition for good.
//!
//! Broadcast takes every process that has an enabled receiving edge. Where receiving edges have clock guards, the same
//! sender gives several entries: for each such process one per edge with its guard, and one without it for each way in
//! which all its guards can fail.

use crate::code::{ClockBound, Discrete, Facts, Machine, RunError};
use crate::structure::{Structure, marks};
use model::network::{ChannelId, LocationKind, ProcessId, Relation};
use std::ops::Range;

/// One process's part in a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    pub process: u32,
    /// Index into the expanded edges of the process's template.
    pub expanded: u32,
    pub branch: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    moves: Range<u32>,
    bounds: Range<u32>,
    /// Channel priority, then process priority.
    pub priority: (u32, u32),
    /// The channel, if any.
    pub channel: Option<ChannelId>,
}

/// A reusable list of transitions.
#[derive(Default, Debug)]
pub struct Transitions {
    list: Vec<Transition>,
    moves: Vec<Move>,
    bounds: Vec<ClockBound>,
    /// Guards that cannot be evaluated, and the clock constraints before the place where they fail.
    failures: Vec<(RunError, Range<u32>)>,
}

impl Transitions {
    pub fn new() -> Transitions {
        Transitions::default()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, index: usize) -> &Transition {
        &self.list[index]
    }

    /// The sender first, then the receivers in process order.
    pub fn moves(&self, index: usize) -> &[Move] {
        let range = &self.list[index].moves;
        &self.moves[range.start as usize..range.end as usize]
    }

    pub fn bounds(&self, index: usize) -> &[ClockBound] {
        let range = &self.list[index].bounds;
        &self.bounds[range.start as usize..range.end as usize]
    }

    /// What fails where these constraints hold: conjunctions are evaluated from left to right, as far as needed.
    pub fn failures(&self) -> impl Iterator<Item = (&RunError, &[ClockBound])> {
        self.failures.iter().map(|(error, range)| (error, &self.bounds[range.start as usize..range.end as usize]))
    }

    fn fail(&mut self, error: RunError, bounds: &[ClockBound]) {
        let first = self.bounds.len() as u32;
        self.bounds.extend_from_slice(bounds);
        self.failures.push((error, first..self.bounds.len() as u32));
    }

    fn clear(&mut self) {
        self.list.clear();
        self.moves.clear();
        self.bounds.clear();
        self.failures.clear();
    }

    fn push(&mut self, moves: &[Move], bounds: &[&[ClockBound]], priority: (u32, u32), channel: Option<ChannelId>) {
        let (first_move, first_bound) = (self.moves.len() as u32, self.bounds.len() as u32);
        self.moves.extend_from_slice(moves);
        bounds.iter().for_each(|part| self.bounds.extend_from_slice(part));
        self.list.push(Transition {
            moves: first_move..self.moves.len() as u32,
            bounds: first_bound..self.bounds.len() as u32,
            priority,
            channel,
        });
    }
}

/// An edge whose integer guard holds, with its clock guard.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    process: u32,
    expanded: u32,
    channel: u32,
    bounds: (u32, u32),
    committed: bool,
}

/// What a receiving process does: an edge, or staying out, with the stretch of constraints under which it does.
type Choice = (Option<Candidate>, (u32, u32));

const NONE: u32 = u32::MAX;

/// What the guard of the last edge said. The next edge is often the same with other select values.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// Process and edge.
    edge: (u32, u32),
    holds: bool,
    bounds: (u32, u32),
}

impl Default for Judged {
    fn default() -> Judged {
        Judged { edge: (NONE, NONE), holds: false, bounds: (0, 0) }
    }
}

/// Finds transitions; keeps its memory between calls.
#[derive(Default)]
pub struct Enumerator {
    machine: Machine,
    facts: Facts,
    judged: Judged,
    bounds: Vec<ClockBound>,
    senders: Vec<Candidate>,
    receivers: Vec<Candidate>,
    csp: Vec<Candidate>,
    /// For each channel the first and last of its receivers, and for each receiver the next one.
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
    touched: Vec<u32>,
    /// Guards that cannot be evaluated, and the constraints before the place where they fail.
    failures: Vec<(RunError, (u32, u32))>,
    /// Participants of the synchronisation being put together.
    parts: Vec<Candidate>,
    moves: Vec<Move>,
}

impl Enumerator {
    pub fn new() -> Enumerator {
        Enumerator::default()
    }

    /// All transitions of a discrete state.
    pub fn all(&mut self, structure: &Structure, state: &Discrete, out: &mut Transitions) -> Result<(), RunError> {
        out.clear();
        let committed = has_committed(structure, state);
        self.collect(structure, state, committed, out, false)?;
        for (error, (first, last)) in self.failures.drain(..) {
            out.fail(error, &self.bounds[first as usize..last as usize]);
        }
        self.synchronise(structure, committed, out);
        Ok(())
    }

    /// Whether a synchronisation on an urgent channel is enabled by integers; the answer says under which clock guards:
    /// `Some(true)` for one without any, `Some(false)` when all have clock guards.
    pub fn urgent(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        out: &mut Transitions,
    ) -> Result<Option<bool>, RunError> {
        if !structure.has_urgent_channels {
            return Ok(None);
        }
        out.clear();
        self.collect(structure, state, false, out, true)?;
        // A broadcast needs nobody else: only the guard of its sender counts.
        let broadcasts = |sender: &&Candidate| structure.network.channels[sender.channel as usize].kind.broadcast;
        if self.senders.iter().filter(broadcasts).any(|sender| sender.bounds.0 == sender.bounds.1) {
            return Ok(Some(true));
        }
        self.synchronise(structure, false, out);
        Ok(match (out.is_empty(), out.list.iter().any(|transition| transition.bounds.is_empty())) {
            (true, _) => None,
            (false, free) => Some(free),
        })
    }

    /// Evaluates guards and channels. Internal transitions are complete then; senders and receivers wait.
    fn collect(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        committed: bool,
        out: &mut Transitions,
        only_urgent: bool,
    ) -> Result<(), RunError> {
        self.bounds.clear();
        self.judged = Judged::default();
        self.failures.clear();
        self.senders.clear();
        self.receivers.clear();
        self.csp.clear();
        self.next.clear();
        for process in 0..structure.network.processes.len() {
            let location = structure.location(process, state.locations[process]);
            if only_urgent && location.marks & marks::URGENT_EDGE == 0 {
                continue;
            }
            let is_committed = location.kind == LocationKind::Committed;
            if !only_urgent && (!committed || is_committed) {
                for index in &location.internal {
                    let Some(candidate) = self.candidate(structure, state, process, *index, is_committed)? else {
                        continue;
                    };
                    self.push_internal(structure, candidate, out);
                }
            }
            for index in &location.sending {
                if let Some(candidate) =
                    self.sync_candidate(structure, state, process, *index, is_committed, only_urgent)?
                {
                    self.senders.push(candidate);
                }
            }
            for index in &location.csp {
                if let Some(candidate) =
                    self.sync_candidate(structure, state, process, *index, is_committed, only_urgent)?
                {
                    self.csp.push(candidate);
                }
            }
        }
        if self.senders.is_empty() {
            return Ok(());
        }
        self.mark_channels(structure);
        for process in 0..structure.network.processes.len() {
            let location = structure.location(process, state.locations[process]);
            if location.receiving.is_empty() || only_urgent && location.marks & marks::URGENT_EDGE == 0 {
                continue;
            }
            let is_committed = location.kind == LocationKind::Committed;
            for index in &location.receiving {
                let channel = match self.channel(structure, state, process, *index) {
                    Ok(channel) => channel,
                    // A channel that cannot be evaluated is an error only where the guard holds.
                    Err(error) if self.candidate(structure, state, process, *index, is_committed)?.is_some() => {
                        return Err(error);
                    }
                    Err(_) => continue,
                };
                if self.first[channel as usize] == NONE && self.last[channel as usize] == NONE {
                    continue;
                }
                if let Some(mut candidate) = self.candidate(structure, state, process, *index, is_committed)? {
                    candidate.channel = channel;
                    self.add_receiver(candidate);
                }
            }
        }
        Ok(())
    }

    /// Prepares the receiver lists of all channels that have a sender. `last` is 0 and `first` is `NONE` for an empty list.
    fn mark_channels(&mut self, structure: &Structure) {
        let channels = structure.network.channels.len();
        if self.first.len() != channels {
            self.first = vec![NONE; channels];
            self.last = vec![NONE; channels];
        }
        for channel in self.touched.drain(..) {
            self.first[channel as usize] = NONE;
            self.last[channel as usize] = NONE;
        }
        for sender in &self.senders {
            if self.last[sender.channel as usize] == NONE {
                self.last[sender.channel as usize] = 0;
                self.touched.push(sender.channel);
            }
        }
    }

    fn add_receiver(&mut self, candidate: Candidate) {
        let (channel, id) = (candidate.channel as usize, self.receivers.len() as u32);
        self.receivers.push(candidate);
        self.next.push(NONE);
        if self.first[channel] == NONE {
            self.first[channel] = id;
        } else {
            self.next[self.last[channel] as usize] = id;
        }
        self.last[channel] = id;
    }

    fn channel(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        process: usize,
        index: u32,
    ) -> Result<u32, RunError> {
        if let Some(channel) = structure.known_channel(process, index) {
            return Ok(channel);
        }
        let (edge, select) = structure.expanded(process, index);
        match &edge.channel {
            Some(code) => {
                let id = self.machine.channel(&structure.programs, *code, ProcessId::new(process), select, state)?;
                Ok(id.index() as u32)
            }
            None => Ok(NONE),
        }
    }

    fn sync_candidate(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        process: usize,
        index: u32,
        committed: bool,
        only_urgent: bool,
    ) -> Result<Option<Candidate>, RunError> {
        // A channel that cannot be evaluated is an error only where the guard holds: asked for again below.
        if only_urgent
            && let Ok(channel) = self.channel(structure, state, process, index)
            && !structure.network.channels[channel as usize].kind.urgent
        {
            return Ok(None);
        }
        let Some(mut candidate) = self.candidate(structure, state, process, index, committed)? else {
            return Ok(None);
        };
        candidate.channel = self.channel(structure, state, process, index)?;
        Ok(Some(candidate))
    }

    /// An edge whose integer guard holds.
    fn candidate(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        process: usize,
        index: u32,
        committed: bool,
    ) -> Result<Option<Candidate>, RunError> {
        let (edge, select) = structure.expanded(process, index);
        let first = self.bounds.len() as u32;
        let mut bounds = (first, first);
        if let Some(guard) = edge.guard {
            let this = (process as u32, structure.edge_id(process, index));
            if edge.guard_selects || self.judged.edge != this {
                self.facts.clear();
                let id = ProcessId::new(process);
                let holds = match self.machine.condition(&structure.programs, guard, id, select, state, &mut self.facts)
                {
                    Err(error) if !self.facts.bounds.is_empty() => {
                        self.bounds.extend_from_slice(&self.facts.bounds);
                        self.failures.push((error, (first, self.bounds.len() as u32)));
                        false
                    }
                    result => result?,
                };
                if holds {
                    self.bounds.extend_from_slice(&self.facts.bounds);
                }
                self.judged = Judged { edge: this, holds, bounds: (first, self.bounds.len() as u32) };
            }
            if !self.judged.holds {
                return Ok(None);
            }
            bounds = self.judged.bounds;
        }
        Ok(Some(Candidate { process: process as u32, expanded: index, channel: NONE, bounds, committed }))
    }

    fn push_internal(&mut self, structure: &Structure, candidate: Candidate, out: &mut Transitions) {
        self.parts.clear();
        self.parts.push(candidate);
        self.push_branches(structure, None, out);
    }

    /// Puts senders and receivers together.
    fn synchronise(&mut self, structure: &Structure, committed: bool, out: &mut Transitions) {
        for s in 0..self.senders.len() {
            let sender = self.senders[s];
            let channel = ChannelId::new(sender.channel as usize);
            if structure.network.channels[sender.channel as usize].kind.broadcast {
                self.broadcast(structure, sender, committed, out);
                continue;
            }
            let mut at = self.first[sender.channel as usize];
            while at != NONE {
                let receiver = self.receivers[at as usize];
                at = self.next[at as usize];
                let allowed = !committed || sender.committed || receiver.committed;
                if receiver.process != sender.process && allowed {
                    self.parts.clear();
                    self.parts.extend([sender, receiver]);
                    self.push_branches(structure, Some(channel), out);
                }
            }
        }
        self.synchronise_csp(structure, committed, out);
    }

    /// One transition per combination of the branches of all participants in `parts`.
    fn push_branches(&mut self, structure: &Structure, channel: Option<ChannelId>, out: &mut Transitions) {
        let network = structure.network;
        let level = channel.map_or(network.default_priority, |channel| network.channels[channel.index()].priority);
        let process =
            self.parts.iter().map(|part| network.processes[part.process as usize].priority).max().unwrap_or(0);
        let count = |part: &Candidate| structure.expanded(part.process as usize, part.expanded).0.branches.len();
        self.moves.clear();
        for part in &self.parts {
            if count(part) == 0 {
                return;
            }
            self.moves.push(Move { process: part.process, expanded: part.expanded, branch: 0 });
        }
        loop {
            let slice = |part: &Candidate| &self.bounds[part.bounds.0 as usize..part.bounds.1 as usize];
            // Most transitions have one or two participants.
            match self.parts.as_slice() {
                [one] => out.push(&self.moves, &[slice(one)], (level, process), channel),
                [one, two] => out.push(&self.moves, &[slice(one), slice(two)], (level, process), channel),
                parts => {
                    let bounds: Vec<&[ClockBound]> = parts.iter().map(slice).collect();
                    out.push(&self.moves, &bounds, (level, process), channel);
                }
            }
            // Count up, the last participant fastest.
            let mut n = self.moves.len();
            loop {
                if n == 0 {
                    return;
                }
                n -= 1;
                self.moves[n].branch += 1;
                if (self.moves[n].branch as usize) < count(&self.parts[n]) {
                    break;
                }
                self.moves[n].branch = 0;
            }
        }
    }

    fn broadcast(&mut self, structure: &Structure, sender: Candidate, committed: bool, out: &mut Transitions) {
        // The choices of each receiving process; `None` is staying out, with the constraints that keep it out.
        let mut groups: Vec<Vec<Choice>> = Vec::new();
        let mut last_process = NONE;
        let mut at = self.first[sender.channel as usize];
        while at != NONE {
            let receiver = self.receivers[at as usize];
            at = self.next[at as usize];
            if receiver.process == sender.process {
                continue;
            }
            if receiver.process != last_process {
                groups.push(Vec::new());
                last_process = receiver.process;
            }
            if let Some(group) = groups.last_mut() {
                group.push((Some(receiver), receiver.bounds));
            }
        }
        for group in &mut groups {
            self.add_absent(group);
        }
        let mut choice = vec![0usize; groups.len()];
        loop {
            self.parts.clear();
            self.parts.push(sender);
            let mut any_committed = sender.committed;
            // Constraints of those who stay out belong to the sender's part of the guard.
            let extra_first = self.bounds.len() as u32;
            let sender_bounds: Vec<ClockBound> =
                self.bounds[sender.bounds.0 as usize..sender.bounds.1 as usize].to_vec();
            let mut extra = sender_bounds;
            for (group, chosen) in groups.iter().zip(&choice) {
                let (candidate, bounds) = group[*chosen];
                match candidate {
                    Some(candidate) => {
                        any_committed |= candidate.committed;
                        self.parts.push(candidate);
                    }
                    None => extra.extend_from_slice(&self.bounds[bounds.0 as usize..bounds.1 as usize]),
                }
            }
            if !committed || any_committed {
                self.bounds.extend_from_slice(&extra);
                self.parts[0].bounds = (extra_first, self.bounds.len() as u32);
                self.push_branches(structure, Some(ChannelId::new(sender.channel as usize)), out);
            }
            let mut n = choice.len();
            loop {
                if n == 0 {
                    return;
                }
                n -= 1;
                choice[n] += 1;
                if choice[n] < groups[n].len() {
                    break;
                }
                choice[n] = 0;
            }
        }
    }

    /// Adds the ways in which a process has no enabled receiving edge, when all of its edges have clock guards.
    fn add_absent(&mut self, group: &mut Vec<Choice>) {
        let guards: Vec<Vec<ClockBound>> =
            group.iter().map(|(_, bounds)| self.bounds[bounds.0 as usize..bounds.1 as usize].to_vec()).collect();
        if guards.iter().any(Vec::is_empty) {
            return;
        }
        let mut ways: Vec<Vec<ClockBound>> = vec![Vec::new()];
        for guard in &guards {
            let negated: Vec<ClockBound> = guard.iter().flat_map(negations).collect();
            ways = ways
                .iter()
                .flat_map(|way| negated.iter().map(move |bound| way.iter().copied().chain([*bound]).collect()))
                .collect();
        }
        for way in ways {
            let first = self.bounds.len() as u32;
            self.bounds.extend(way);
            group.push((None, (first, self.bounds.len() as u32)));
        }
    }

    /// Every process of a channel's alphabet moves along one of its edges on that channel.
    fn synchronise_csp(&mut self, structure: &Structure, committed: bool, out: &mut Transitions) {
        if self.csp.is_empty() {
            return;
        }
        let mut channels: Vec<u32> = self.csp.iter().map(|candidate| candidate.channel).collect();
        channels.sort_unstable();
        channels.dedup();
        for channel in channels {
            let id = ChannelId::new(channel as usize);
            let groups: Vec<Vec<Candidate>> = structure
                .alphabet(id)
                .iter()
                .map(|process| {
                    let of = |candidate: &&Candidate| candidate.process == *process && candidate.channel == channel;
                    self.csp.iter().filter(of).copied().collect()
                })
                .collect();
            if groups.is_empty() || groups.iter().any(Vec::is_empty) {
                continue;
            }
            let mut choice = vec![0usize; groups.len()];
            'combinations: loop {
                self.parts.clear();
                self.parts.extend(groups.iter().zip(&choice).map(|(group, chosen)| group[*chosen]));
                if !committed || self.parts.iter().any(|part| part.committed) {
                    self.push_branches(structure, Some(id), out);
                }
                let mut n = choice.len();
                loop {
                    if n == 0 {
                        break 'combinations;
                    }
                    n -= 1;
                    choice[n] += 1;
                    if choice[n] < groups[n].len() {
                        break;
                    }
                    choice[n] = 0;
                }
            }
        }
    }
}

pub fn has_committed(structure: &Structure, state: &Discrete) -> bool {
    state
        .locations
        .iter()
        .enumerate()
        .any(|(process, location)| structure.location(process, *location).kind == LocationKind::Committed)
}

/// The constraints one of which holds exactly where the given one does not.
fn negations(bound: &ClockBound) -> impl Iterator<Item = ClockBound> + use<> {
    let with = |relation| ClockBound { relation, ..*bound };
    let list = match bound.relation {
        Relation::Lt => [Some(with(Relation::Ge)), None],
        Relation::Le => [Some(with(Relation::Gt)), None],
        Relation::Ge => [Some(with(Relation::Lt)), None],
        Relation::Gt => [Some(with(Relation::Le)), None],
        Relation::Eq => [Some(with(Relation::Lt)), Some(with(Relation::Gt))],
        Relation::Ne => [Some(with(Relation::Eq)), None],
    };
    list.into_iter().flatten()
}
