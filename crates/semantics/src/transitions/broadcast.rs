//! Broadcast takes every process that has an enabled receiving edge.
//!
//! Where receiving edges have clock guards, the same sender gives several transitions: for each such process one per edge
//! with its guard, and one without it for each way in which all its guards can fail. Of n such processes there are at least
//! 2^n combinations, of which the clocks of a state admit few: a choice that they do not admit after those before it is left
//! out with all that follows from it.

use super::enumerator::{Candidate, Enumerator, NONE};
use super::{Sink, Valuations};
use crate::code::ClockBound;
use crate::structure::Structure;
use model::network::{ChannelId, Relation};

/// What a receiving process does: an edge, or staying out, with the stretch of constraints under which it does.
type Choice = (Option<Candidate>, (u32, u32));

impl Enumerator {
    pub(super) fn broadcast(
        &mut self,
        structure: &Structure,
        sender: u32,
        committed: bool,
        clocks: &mut dyn Valuations,
        sink: &mut Sink,
    ) {
        let groups = self.receivers_of(sender);
        if groups.iter().flatten().any(|(_, bounds)| bounds.0 != bounds.1) {
            sink.out.by_clocks = true;
            self.admitted(structure, sender, &groups, committed, clocks, sink);
            return;
        }
        let mut choice = vec![0usize; groups.len()];
        if let Some(wanted) = sink.wanted
            && self.is_plain(structure, sender, &groups, committed)
        {
            // Each combination is one label: the one that is wanted can be told by its number.
            let all = groups.iter().try_fold(1u32, |product, group| product.checked_mul(group.len() as u32));
            let mut left = wanted.saturating_sub(sink.out.numbered);
            if wanted < sink.out.numbered || all.is_some_and(|all| left >= all) {
                sink.out.numbered = sink.out.numbered.saturating_add(all.unwrap_or(u32::MAX));
                return;
            }
            sink.out.numbered += left;
            for (n, group) in choice.iter_mut().zip(&groups).rev() {
                *n = left as usize % group.len();
                left /= group.len() as u32;
            }
        }
        loop {
            let chosen: Vec<Choice> = groups.iter().zip(&choice).map(|(group, n)| group[*n]).collect();
            self.push_broadcast(structure, sender, &chosen, committed, None, sink);
            if sink.is_done {
                return;
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

    /// Whether each combination is one transition: all edges have one branch, and none is kept back by committed locations.
    fn is_plain(&self, structure: &Structure, sender: u32, groups: &[Vec<Choice>], committed: bool) -> bool {
        let sender = &self.senders[sender as usize];
        let parts = || groups.iter().flatten().filter_map(|(candidate, _)| candidate.as_ref()).chain([sender]);
        (!committed || sender.committed)
            && parts().all(|part| structure.expanded(part.process as usize, part.expanded).0.branches.len() == 1)
    }

    /// The one combination that a label stands for.
    pub(super) fn combination(&mut self, structure: &Structure, committed: bool, label: u32, sink: &mut Sink) {
        let Some(mut key) = structure.combinations.key(label) else { return };
        let [sender, choices @ .., branches] = key.as_mut_slice() else { return };
        *branches = 0;
        let sender = *sender;
        if sender as usize >= self.senders.len() {
            return;
        }
        let groups = self.receivers_of(sender);
        let choose = |(group, n): (&Vec<Choice>, &mut u32)| group.get(*n as usize).copied();
        if groups.len() == choices.len()
            && let Some(chosen) = groups.iter().zip(choices).map(choose).collect::<Option<Vec<Choice>>>()
        {
            self.push_broadcast(structure, sender, &chosen, committed, Some(&mut key), sink);
        }
    }

    /// What each process can do that could receive; staying out where all its edges have clock guards.
    fn receivers_of(&mut self, sender: u32) -> Vec<Vec<Choice>> {
        let sender = self.senders[sender as usize];
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
        groups
    }

    /// The combinations that the clocks admit, depth first.
    fn admitted(
        &mut self,
        structure: &Structure,
        sender: u32,
        groups: &[Vec<Choice>],
        committed: bool,
        clocks: &mut dyn Valuations,
        sink: &mut Sink,
    ) {
        let stretch = |bounds: (u32, u32)| bounds.0 as usize..bounds.1 as usize;
        let own = self.senders[sender as usize].bounds;
        let mut bounds: Vec<ClockBound> = self.bounds[stretch(own)].to_vec();
        // Each choice by itself, which leaves one for most processes.
        let mut open: Vec<Vec<(u32, Choice)>> = Vec::with_capacity(groups.len());
        for group in groups {
            let mut left = Vec::with_capacity(group.len());
            for (n, choice) in group.iter().enumerate() {
                let own = bounds.len();
                bounds.extend_from_slice(&self.bounds[stretch(choice.1)]);
                if clocks.admit(&bounds) {
                    left.push((n as u32, *choice));
                }
                bounds.truncate(own);
            }
            open.push(left);
        }
        // The choices so far, each with the number of constraints before it, and the next one to try.
        let mut path: Vec<(usize, usize)> = Vec::with_capacity(open.len());
        let mut next = 0;
        loop {
            if sink.is_done || allowance::is_over() {
                return;
            }
            let group = open.get(path.len());
            let Some((_, choice)) = group.and_then(|group| group.get(next)) else {
                if path.len() == open.len() {
                    let pairs = || open.iter().zip(&path).map(|(group, (n, _))| group[*n]);
                    let chosen: Vec<Choice> = pairs().map(|(_, choice)| choice).collect();
                    let numbers = pairs().map(|(number, _)| number);
                    let mut key: Vec<u32> = std::iter::once(sender).chain(numbers).chain([0]).collect();
                    self.push_broadcast(structure, sender, &chosen, committed, Some(&mut key), sink);
                }
                let Some((last, before)) = path.pop() else { return };
                bounds.truncate(before);
                next = last + 1;
                continue;
            };
            let before = bounds.len();
            bounds.extend_from_slice(&self.bounds[stretch(choice.1)]);
            if group.is_some_and(|group| group.len() == 1) || clocks.admit(&bounds) {
                path.push((next, before));
                next = 0;
            } else {
                bounds.truncate(before);
                next += 1;
            }
        }
    }

    /// The transitions of a sender and what each process does that could receive.
    fn push_broadcast(
        &mut self,
        structure: &Structure,
        sender: u32,
        chosen: &[Choice],
        committed: bool,
        combination: Option<&mut Vec<u32>>,
        sink: &mut Sink,
    ) {
        let sender = self.senders[sender as usize];
        let mut any_committed = sender.committed;
        self.parts.clear();
        self.parts.push(sender);
        // Constraints of those who stay out belong to the sender's part of the guard.
        let first = self.bounds.len();
        self.bounds.extend_from_within(sender.bounds.0 as usize..sender.bounds.1 as usize);
        for (candidate, bounds) in chosen {
            match candidate {
                Some(candidate) => {
                    any_committed |= candidate.committed;
                    self.parts.push(*candidate);
                }
                None => self.bounds.extend_from_within(bounds.0 as usize..bounds.1 as usize),
            }
        }
        self.parts[0].bounds = (first as u32, self.bounds.len() as u32);
        if !committed || any_committed {
            let channel = ChannelId::new(sender.channel as usize);
            self.push_branches(structure, Some(channel), combination, sink);
        }
        self.bounds.truncate(first);
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
            if allowance::is_over() {
                return;
            }
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
