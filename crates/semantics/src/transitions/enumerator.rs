//! Finding the transitions: guards and channels are evaluated process by process, then senders and receivers are put
//! together. Which of them are evaluated, so that one that fails is an error, is said in `certify::transition`. What fails is
//! listed beside the transitions; those that do not need it are listed all the same.

use super::{Combinations, Move, Sink, Transitions, Valuations};
use crate::code::{ClockBound, Discrete, Facts, Machine, RunError};
use crate::structure::{Structure, marks};
use model::network::{ChannelId, LocationKind, ProcessId};
use std::ops::ControlFlow;

/// An edge whose integer guard holds, with its clock guard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) process: u32,
    pub(super) expanded: u32,
    pub(super) channel: u32,
    pub(super) bounds: (u32, u32),
    pub(super) committed: bool,
}

pub(super) const NONE: u32 = u32::MAX;

/// No constraints.
const NOTHING: (u32, u32) = (0, 0);

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
    pub(super) bounds: Vec<ClockBound>,
    pub(super) senders: Vec<Candidate>,
    pub(super) receivers: Vec<Candidate>,
    csp: Vec<Candidate>,
    /// For each channel the first and last of its receivers, and for each receiver the next one.
    pub(super) first: Vec<u32>,
    last: Vec<u32>,
    pub(super) next: Vec<u32>,
    touched: Vec<u32>,
    /// Guards that cannot be evaluated, and the constraints before the place where they fail.
    failures: Vec<(RunError, (u32, u32))>,
    /// Senders of broadcasts that cannot be put together, because somebody cannot say whether he hears them.
    unheard: Vec<u32>,
    /// Participants of the synchronisation being put together.
    pub(super) parts: Vec<Candidate>,
    moves: Vec<Move>,
}

impl Enumerator {
    pub fn new() -> Enumerator {
        Enumerator::default()
    }

    /// All transitions of a discrete state; of the broadcasts whose receivers have clock guards those that the clocks admit. Those
    /// that cannot be evaluated are the failures of the list.
    pub fn all(&mut self, structure: &Structure, state: &Discrete, clocks: &mut dyn Valuations, out: &mut Transitions) {
        self.stream(structure, state, clocks, &mut Sink::whole(out));
    }

    /// The same, handed on in batches: receivers of broadcasts are combined while those before are looked at.
    pub(crate) fn stream(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        clocks: &mut dyn Valuations,
        sink: &mut Sink,
    ) {
        sink.out.clear();
        let committed = has_committed(structure, state);
        // The failures are known with the first batch.
        sink.waits = true;
        self.collect(structure, state, committed, sink, false);
        sink.waits = false;
        for (error, (first, last)) in self.failures.drain(..) {
            sink.out.fail(error, &self.bounds[first as usize..last as usize]);
        }
        self.synchronise(structure, committed, clocks, sink);
        sink.end();
    }

    /// The position of the transition with this label in `out`, which need not hold others.
    pub fn labelled(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        label: u32,
        out: &mut Transitions,
    ) -> Option<usize> {
        struct Nowhere;
        impl Valuations for Nowhere {
            fn admit(&mut self, _: &[ClockBound]) -> bool {
                false
            }
        }
        // No combination is listed. The others are, until the one with the label has been seen.
        let mut kept = Transitions::new();
        let mut until = |batch: &mut Transitions| match batch.position(label) {
            Some(_) => {
                std::mem::swap(batch, &mut kept);
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        };
        let mut sink = Sink::new(out, &mut until);
        sink.wanted = Some(label);
        self.stream(structure, state, &mut Nowhere, &mut sink);
        if !kept.is_empty() {
            *out = kept;
        } else if Combinations::is_label(label) {
            let committed = has_committed(structure, state);
            self.combination(structure, committed, label, &mut Sink::whole(out));
        }
        out.position(label)
    }

    /// Whether a synchronisation on an urgent channel is enabled by integers; the answer says under which clock guards:
    /// `Some(true)` for one without any, `Some(false)` when all have clock guards. No time passes either where one cannot be
    /// evaluated: whoever asks for the transitions of the state is told.
    pub fn urgent(&mut self, structure: &Structure, state: &Discrete, out: &mut Transitions) -> Option<bool> {
        if !structure.has_urgent_channels {
            return None;
        }
        out.clear();
        let sink = &mut Sink::whole(out);
        self.collect(structure, state, false, sink, true);
        if self.failures.iter().any(|(_, (first, last))| first == last) {
            return Some(true);
        }
        // A broadcast needs nobody else: only the guard of its sender counts.
        let mut guarded = false;
        for n in 0..self.senders.len() {
            let sender = self.senders[n];
            if !structure.network.channels[sender.channel as usize].kind.broadcast {
                self.synchronise_pairs(structure, sender, false, sink);
            } else if sender.bounds.0 == sender.bounds.1 {
                return Some(true);
            } else {
                guarded = true;
            }
        }
        self.synchronise_csp(structure, false, sink);
        let free = out.list.iter().any(|transition| transition.bounds.is_empty());
        (guarded || !out.is_empty()).then_some(free)
    }

    /// Evaluates guards and channels. Internal transitions are complete then; senders and receivers wait.
    fn collect(
        &mut self,
        structure: &Structure,
        state: &Discrete,
        committed: bool,
        sink: &mut Sink,
        only_urgent: bool,
    ) {
        self.bounds.clear();
        self.judged = Judged::default();
        self.failures.clear();
        self.unheard.clear();
        self.senders.clear();
        self.receivers.clear();
        self.csp.clear();
        self.next.clear();
        for process in 0..structure.network.processes.len() {
            if allowance::is_over() {
                self.senders.clear();
                return;
            }
            let location = structure.location(process, state.locations[process]);
            if only_urgent && location.marks & marks::URGENT_EDGE == 0 {
                continue;
            }
            let is_committed = location.kind == LocationKind::Committed;
            if !only_urgent && (!committed || is_committed) {
                for index in &location.internal {
                    match self.candidate(structure, state, process, *index, is_committed) {
                        Ok(Some(candidate)) => self.push_internal(structure, candidate, sink),
                        Ok(None) => {}
                        Err(error) => self.fails(error, NOTHING, self.judged.bounds),
                    }
                }
            }
            for index in &location.sending {
                if let Some(candidate) =
                    self.sync_candidate(structure, state, process, *index, is_committed, only_urgent)
                {
                    self.senders.push(candidate);
                }
            }
            for index in &location.csp {
                if let Some(candidate) =
                    self.sync_candidate(structure, state, process, *index, is_committed, only_urgent)
                {
                    self.csp.push(candidate);
                }
            }
        }
        if !self.senders.is_empty() {
            self.mark_channels(structure);
            self.collect_receivers(structure, state, only_urgent);
        }
    }

    /// Evaluates the receivers of channels that have a sender.
    fn collect_receivers(&mut self, structure: &Structure, state: &Discrete, only_urgent: bool) {
        for process in 0..structure.network.processes.len() {
            let location = structure.location(process, state.locations[process]);
            if location.receiving.is_empty() || only_urgent && location.marks & marks::URGENT_EDGE == 0 {
                continue;
            }
            let is_committed = location.kind == LocationKind::Committed;
            for index in &location.receiving {
                let channel = self.channel(structure, state, process, *index);
                if let Ok(channel) = channel
                    && self.first[channel as usize] == NONE
                    && self.last[channel as usize] == NONE
                {
                    continue;
                }
                match (self.candidate(structure, state, process, *index, is_committed), channel) {
                    (Ok(Some(candidate)), Ok(channel)) => self.add_receiver(Candidate { channel, ..candidate }),
                    (Ok(None), _) => {}
                    // A channel that cannot be evaluated is an error only where the guard holds.
                    (Ok(Some(candidate)), Err(error)) => {
                        self.cannot_hear(structure, error, process, None, candidate.bounds);
                    }
                    (Err(error), channel) => {
                        self.cannot_hear(structure, error, process, channel.ok(), self.judged.bounds);
                    }
                }
            }
        }
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

    /// Something cannot be evaluated where these constraints hold, or wherever the clocks are.
    #[cold]
    fn fails(&mut self, error: RunError, before: (u32, u32), own: (u32, u32)) {
        let first = self.bounds.len() as u32;
        for (start, end) in [before, own] {
            self.bounds.extend_from_within(start as usize..end as usize);
        }
        self.failures.push((error, (first, self.bounds.len() as u32)));
    }

    /// An edge that receives cannot be evaluated: an error where another process sends, if the channel is known on that.
    #[cold]
    fn cannot_hear(
        &mut self,
        structure: &Structure,
        error: RunError,
        process: usize,
        channel: Option<u32>,
        own: (u32, u32),
    ) {
        // The next edge may be the same on another channel.
        self.judged = Judged::default();
        for n in 0..self.senders.len() {
            let sender = self.senders[n];
            if sender.process as usize != process && channel.is_none_or(|channel| channel == sender.channel) {
                self.fails(error, sender.bounds, own);
                if structure.network.channels[sender.channel as usize].kind.broadcast {
                    self.unheard.push(n as u32);
                }
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
    ) -> Option<Candidate> {
        // A channel that cannot be evaluated is an error only where the guard holds: asked for again below.
        if only_urgent
            && let Ok(channel) = self.channel(structure, state, process, index)
            && !structure.network.channels[channel as usize].kind.urgent
        {
            return None;
        }
        let candidate = match self.candidate(structure, state, process, index, committed) {
            Ok(candidate) => candidate?,
            Err(error) => {
                self.fails(error, NOTHING, self.judged.bounds);
                return None;
            }
        };
        match self.channel(structure, state, process, index) {
            Ok(channel) => Some(Candidate { channel, ..candidate }),
            Err(error) => {
                self.fails(error, NOTHING, candidate.bounds);
                None
            }
        }
    }

    /// An edge whose integer guard holds. After an error `judged` has the clock constraints before the place where the guard fails.
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
                let holds = self.machine.condition(&structure.programs, guard, id, select, state, &mut self.facts);
                if !matches!(holds, Ok(false)) {
                    self.bounds.extend_from_slice(&self.facts.bounds);
                }
                let bounds = (first, self.bounds.len() as u32);
                self.judged = Judged { edge: this, holds: matches!(holds, Ok(true)), bounds };
                holds?;
            }
            if !self.judged.holds {
                return Ok(None);
            }
            bounds = self.judged.bounds;
        }
        Ok(Some(Candidate { process: process as u32, expanded: index, channel: NONE, bounds, committed }))
    }

    fn push_internal(&mut self, structure: &Structure, candidate: Candidate, sink: &mut Sink) {
        self.parts.clear();
        self.parts.push(candidate);
        self.push_branches(structure, None, None, sink);
    }

    /// Puts senders and receivers together.
    fn synchronise(&mut self, structure: &Structure, committed: bool, clocks: &mut dyn Valuations, sink: &mut Sink) {
        for s in 0..self.senders.len() {
            if sink.is_done {
                return;
            }
            let sender = self.senders[s];
            if self.unheard.contains(&(s as u32)) {
                continue;
            }
            if structure.network.channels[sender.channel as usize].kind.broadcast {
                self.broadcast(structure, s as u32, committed, clocks, sink);
            } else {
                self.synchronise_pairs(structure, sender, committed, sink);
            }
        }
        self.synchronise_csp(structure, committed, sink);
    }

    fn synchronise_pairs(&mut self, structure: &Structure, sender: Candidate, committed: bool, sink: &mut Sink) {
        let channel = ChannelId::new(sender.channel as usize);
        let mut at = self.first[sender.channel as usize];
        while at != NONE && !sink.is_done {
            let receiver = self.receivers[at as usize];
            at = self.next[at as usize];
            let allowed = !committed || sender.committed || receiver.committed;
            if receiver.process != sender.process && allowed {
                self.parts.clear();
                self.parts.extend([sender, receiver]);
                self.push_branches(structure, Some(channel), None, sink);
            }
        }
    }

    /// One transition per combination of the branches of all participants in `parts`; `combination` names the participants
    /// where clocks choose them.
    pub(super) fn push_branches(
        &mut self,
        structure: &Structure,
        channel: Option<ChannelId>,
        mut combination: Option<&mut Vec<u32>>,
        sink: &mut Sink,
    ) {
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
            let label = combination.as_deref_mut().map(|key| structure.combinations.label(key));
            let slice = |part: &Candidate| &self.bounds[part.bounds.0 as usize..part.bounds.1 as usize];
            // Most transitions have one or two participants.
            match self.parts.as_slice() {
                [one] => sink.push(&self.moves, &[slice(one)], (level, process), channel, label),
                [one, two] => sink.push(&self.moves, &[slice(one), slice(two)], (level, process), channel, label),
                parts => {
                    let bounds: Vec<&[ClockBound]> = parts.iter().map(slice).collect();
                    sink.push(&self.moves, &bounds, (level, process), channel, label);
                }
            }
            if sink.is_done {
                return;
            }
            // The last number of the name counts the branches.
            if let Some(branches) = combination.as_deref_mut().and_then(|key| key.last_mut()) {
                *branches += 1;
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

    /// Every process of a channel's alphabet moves along one of its edges on that channel.
    fn synchronise_csp(&mut self, structure: &Structure, committed: bool, sink: &mut Sink) {
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
                    self.push_branches(structure, Some(id), None, sink);
                }
                if sink.is_done {
                    return;
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
