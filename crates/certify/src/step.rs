//! One action transition, given by the edges that are taken, checked rule by rule.

use crate::error::{Reason, Refusal};
use crate::formula::Formula;
use crate::line::Line;
use crate::run::Move;
use crate::semantics::Semantics;
use crate::special_edges::SpecialEdge;
use crate::state::{ClockMap, Discrete, State};
use crate::transition::Offer;
use model::network::*;
use model::syntax::ast::Direction;

type Result<T> = std::result::Result<T, Refusal>;

/// Whether the updates give no clock a negative value.
pub(crate) fn defined(now: &Line, clocks: &ClockMap) -> Result<()> {
    for (atom, error) in clocks.demands() {
        if !now.holds(&Formula::atom(*atom))? {
            return Err(error.clone().into());
        }
    }
    Ok(())
}

impl Semantics<'_> {
    /// The state after taking these edges together, or the rule that forbids it.
    pub fn step(&self, state: &State, moves: &[Move]) -> Result<State> {
        let (discrete, now) = (&state.discrete, Line::moment(&state.clocks));
        let (channel, moves) = self.taken_together(discrete, &now, moves)?;
        let waiting = self.processes().filter(|process| self.location(discrete, *process).kind != LocationKind::Normal);
        self.committed_first(discrete, waiting, &moves)?;
        let (target, clocks) = self.fire(discrete, &moves)?;
        defined(&now, &clocks)?;
        if self.has_priorities {
            self.no_higher_priority(discrete, &now, &self.all_offers(discrete), channel, &moves)?;
        }
        let next = state.after_updates(&target, &clocks)?;
        for process in self.processes() {
            let invariant = self.invariant_of(&target, process);
            self.may_enter(&target, process, &invariant, &Line::moment(&next.clocks))?;
        }
        Ok(next)
    }

    /// Whether these edges are there, enabled, and one synchronisation with nobody missing. Gives its channel, and the moves
    /// in the order in which they take effect.
    pub(crate) fn taken_together(
        &self,
        discrete: &Discrete,
        now: &Line,
        moves: &[Move],
    ) -> Result<(Option<ChannelId>, Vec<Move>)> {
        let mut moves = moves.to_vec();
        for (n, one) in moves.iter().enumerate() {
            self.exists(discrete, one)?;
            if moves[..n].iter().any(|other| other.process == one.process) {
                let text = format!("{} moves twice in one step", self.network.process(one.process).name);
                return Err(Refusal::new(Reason::MovesTwice, text));
            }
        }
        moves.sort_by_key(|one| one.process);
        let offers: Vec<Offer> =
            moves.iter().map(|one| self.offer(discrete, one.process, one.edge, &one.select)).collect();
        for offer in &offers {
            if !now.holds(&offer.guard)? {
                let text = format!("the guard of {} does not hold", self.edge_name(offer.process, offer.edge));
                return Err(Refusal::new(Reason::GuardFalse, text));
            }
        }
        let channel = self.synchronises(discrete, now, &offers)?;
        // The sender's update comes first, those of the others in process order.
        moves.sort_by_key(|one| {
            let sync = self.network.template_of(one.process).edge(one.edge).sync.as_ref();
            (sync.is_none_or(|sync| sync.direction == Direction::Receive), one.process)
        });
        Ok((channel, moves))
    }

    /// Whether the invariant of a process holds after the step.
    pub(crate) fn may_enter(
        &self,
        target: &Discrete,
        process: ProcessId,
        invariant: &Formula,
        after: &Line,
    ) -> Result<()> {
        if after.holds(invariant)? {
            return Ok(());
        }
        let text = format!("the invariant of {} does not hold after the step", self.place(target, process));
        Err(Refusal::new(Reason::TargetInvariant, text))
    }

    /// `Train(3): Appr -> Cross`
    pub(crate) fn edge_name(&self, process: ProcessId, edge: EdgeId) -> String {
        let template = self.network.template_of(process);
        let edge = template.edge(edge);
        let name = |location: LocationId| &template.location(location).name;
        let target = edge.branches.first().map_or("?", |branch| name(branch.target));
        format!("{}: {} -> {target}", self.network.process(process).name, name(edge.source))
    }

    /// The move names things that are there, and the process is where the edge begins.
    fn exists(&self, discrete: &Discrete, one: &Move) -> Result<()> {
        let refuse = |reason, text: String| Err(Refusal::new(reason, text));
        let Some(process) = self.network.processes.get(one.process.index()) else {
            return refuse(Reason::UnknownProcess, format!("there is no process {}", one.process.index()));
        };
        let template = self.network.template(process.template);
        let Some(edge) = template.edges.get(one.edge.index()) else {
            return refuse(Reason::UnknownEdge, format!("{} has no edge {}", process.name, one.edge.index()));
        };
        if one.branch >= edge.branches.len() {
            let text = format!("{} has no branch {}", self.edge_name(one.process, one.edge), one.branch);
            return refuse(Reason::UnknownBranch, text);
        }
        let fits = one.select.len() == edge.select.len()
            && one.select.iter().zip(&edge.select).all(|(value, select)| select.range.contains(*value));
        if !fits {
            let text = format!("wrong select values for {}", self.edge_name(one.process, one.edge));
            return refuse(Reason::SelectValues, text);
        }
        if discrete.locations[one.process.index()] != edge.source {
            let edge = self.edge_name(one.process, one.edge);
            let text = format!("{} is not where {edge} begins", self.place(discrete, one.process));
            return refuse(Reason::WrongSource, text);
        }
        Ok(())
    }

    /// Whether the edges, all enabled and of different processes, are one synchronisation; gives the channel.
    fn synchronises(&self, discrete: &Discrete, now: &Line, offers: &[Offer]) -> Result<Option<ChannelId>> {
        let refuse = |reason, text: String| Err(Refusal::new(reason, text));
        let Some(first) = offers.first() else {
            return refuse(Reason::NoMove, "a step without an edge".to_owned());
        };
        let Some((channel, style)) = first.channel else {
            return match offers {
                [_] => Ok(None),
                _ => refuse(Reason::NotInternal, "an edge without synchronisation is taken alone".to_owned()),
            };
        };
        let name = || self.network.channel_name(channel);
        for offer in offers {
            match offer.channel {
                None => {
                    return refuse(Reason::NotInternal, "an edge without synchronisation is taken alone".to_owned());
                }
                Some((other, _)) if other != channel => {
                    let text =
                        format!("`{}` and `{}` are different channels", name(), self.network.channel_name(other));
                    return refuse(Reason::DifferentChannels, text);
                }
                Some(_) => {}
            }
        }
        if style == Direction::Csp {
            self.all_take_part(offers, channel)?;
            return Ok(Some(channel));
        }
        let count = |direction| offers.iter().filter(|o| o.channel == Some((channel, direction))).count();
        let (senders, receivers) = (count(Direction::Send), count(Direction::Receive));
        if self.network.channels[channel.index()].kind.broadcast {
            if senders != 1 {
                return refuse(Reason::NotOneSender, format!("a broadcast on `{}` has {senders} senders", name()));
            }
            self.all_receive(discrete, now, offers, channel)?;
        } else if (senders, receivers) != (1, 1) {
            let text = format!("`{}` takes one sender and one receiver, not {senders} and {receivers}", name());
            return refuse(Reason::NotAPair, text);
        }
        Ok(Some(channel))
    }

    /// Every process outside of the broadcast has no enabled receiving edge.
    fn all_receive(&self, discrete: &Discrete, now: &Line, offers: &[Offer], channel: ChannelId) -> Result<()> {
        let takes_part = |process| offers.binary_search_by_key(&process, |offer| offer.process).is_ok();
        let may_hear = |edge: &SpecialEdge| {
            edge.channel.is_none_or(|named| named == channel && edge.direction == Direction::Receive)
        };
        for process in self.processes().filter(|process| !takes_part(*process)) {
            for offer in self.special_offers(discrete, process, may_hear) {
                let edge = self.network.template_of(process).edge(offer.edge);
                if offer.channel.is_none() && edge.sync.is_some() {
                    // Its channel cannot be evaluated: an error, should the guard hold.
                    now.holds(&offer.guard)?;
                }
                if offer.channel == Some((channel, Direction::Receive)) && now.holds(&offer.guard)? {
                    let (process, name) = (self.network.process(process), self.network.channel_name(channel));
                    let text = format!("{} could receive `{name}` and is left out", process.name);
                    return Err(Refusal::new(Reason::MissingParticipant, text));
                }
            }
        }
        Ok(())
    }

    fn all_take_part(&self, offers: &[Offer], channel: ChannelId) -> Result<()> {
        let name = || self.network.channel_name(channel);
        let expected = &self.together[channel.index()];
        for process in expected {
            if offers.iter().all(|offer| offer.process != *process) {
                let text =
                    format!("{} takes part in `{}` and is left out", self.network.process(*process).name, name());
                return Err(Refusal::new(Reason::MissingParticipant, text));
            }
        }
        for offer in offers {
            if !expected.contains(&offer.process) {
                let text = format!("{} does not take part in `{}`", self.network.process(offer.process).name, name());
                return Err(Refusal::new(Reason::ExtraParticipant, text));
            }
        }
        Ok(())
    }

    /// A process in a committed location moves, if there is one; `waiting` has all that are in no normal location.
    pub(crate) fn committed_first(
        &self,
        discrete: &Discrete,
        mut waiting: impl Iterator<Item = ProcessId>,
        moves: &[Move],
    ) -> Result<()> {
        let committed = |process: ProcessId| self.location(discrete, process).kind == LocationKind::Committed;
        let Some(waiting) = waiting.find(|process| committed(*process)) else { return Ok(()) };
        if moves.iter().any(|one| committed(one.process)) {
            return Ok(());
        }
        let text = format!("{} is committed and does not move", self.place(discrete, waiting));
        Err(Refusal::new(Reason::CommittedFirst, text))
    }

    /// Nothing of a higher priority exists, given the edges that all processes may take.
    pub(crate) fn no_higher_priority(
        &self,
        discrete: &Discrete,
        now: &Line,
        all: &[Vec<Offer>],
        channel: Option<ChannelId>,
        moves: &[Move],
    ) -> Result<()> {
        let own = self.priority(channel, moves.iter().map(|one| one.process));
        // No transition has a higher priority than all of its edges.
        let higher = |offer: &Offer| {
            let (level, process) =
                self.priority(offer.channel.map(|(channel, _)| channel), [offer.process].into_iter());
            level > own.0 || (level == own.0 && process > own.1)
        };
        if !all.iter().flatten().any(higher) {
            return Ok(());
        }
        // What is not enabled now need not be fired to see that it does not exist.
        let others = self.transitions_where(discrete, all, &|sync, priority| {
            priority > own && now.holds(&sync.enabled).unwrap_or(true)
        });
        for other in others {
            if now.holds(&other.exists)? {
                let edges: Vec<String> = other.moves.iter().map(|one| self.edge_name(one.process, one.edge)).collect();
                let text = format!("{} has a higher priority", edges.join(", "));
                return Err(Refusal::new(Reason::HigherPriority, text));
            }
        }
        Ok(())
    }
}
