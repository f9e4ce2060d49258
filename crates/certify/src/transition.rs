//! Action transitions: every way in which edges can be taken together in a discrete state, and on which clock values.
//!
//! Guards, channel expressions and selects are evaluated in the source state. The condition of a transition collects the
//! guards of its edges, the absence of further receivers of a broadcast, what the updates need to be well defined, the
//! invariants of the target, and that no transition of higher priority exists.
//!
//! A guard or a channel that cannot be evaluated is an error of the model where it is evaluated, conjunctions from left to right as far
//! as needed. What is evaluated does not depend on who else is there, but for receivers:
//!
//! - of an edge without a channel: its guard, unless a committed location keeps it from being taken;
//! - of an edge that sends, or shares a channel: its guard, and where that holds the channel, also if nobody hears it;
//! - of an edge that receives: its guard and channel, where the guard of an edge holds by which another process sends on that channel. A process does
//!   not hear itself. A channel that cannot be evaluated might be any.

use crate::error::EvalError;
use crate::formula::Formula;
use crate::interpreter::Interpreter;
use crate::run::Move;
use crate::semantics::Semantics;
use crate::special_edges::SpecialEdge;
use crate::state::{ClockMap, Discrete};
use model::network::*;
use model::syntax::ast::Direction;

/// An edge that its guard may allow.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub process: ProcessId,
    pub edge: EdgeId,
    pub select: Vec<i32>,
    pub guard: Formula,
    pub channel: Option<(ChannelId, Direction)>,
}

/// Edges that synchronise, the sender first and then in process order, before branches are chosen.
#[derive(Clone, Debug)]
pub(crate) struct Synchronisation {
    pub offers: Vec<Offer>,
    /// The guards of all of them, and that no other process must take part.
    pub enabled: Formula,
}

/// An action transition of a discrete state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The sender first, then in process order.
    pub moves: Vec<Move>,
    pub channel: Option<ChannelId>,
    /// On which clock values it exists.
    pub exists: Formula,
    /// Where it leads and what it does to the clocks.
    pub effect: std::result::Result<(Discrete, ClockMap), EvalError>,
    pub(crate) priority: (u32, u32),
}

impl Semantics<'_> {
    /// The edges that leave the current location of a process and whose guard is not false already.
    pub(crate) fn offers(&self, discrete: &Discrete, process: ProcessId) -> Vec<Offer> {
        let template = self.network.template_of(process);
        let mut offers = Vec::new();
        for expanded in template.leaving(discrete.locations[process.index()]) {
            let select = template.select_values(*expanded);
            let offer = self.offer(discrete, process, expanded.edge, select);
            if offer.guard != Formula::False {
                offers.push(offer);
            }
        }
        offers
    }

    pub(crate) fn offer(&self, discrete: &Discrete, process: ProcessId, edge: EdgeId, select: &[i32]) -> Offer {
        let mut interpreter = Interpreter::reading(self.network, discrete, Some(process));
        self.offer_by(&mut interpreter, process, edge, select)
    }

    pub(crate) fn offer_by(
        &self,
        interpreter: &mut Interpreter,
        process: ProcessId,
        edge: EdgeId,
        select: &[i32],
    ) -> Offer {
        let code = self.network.template_of(process).edge(edge);
        interpreter.label(Some(process), select);
        let mut guard = code.guard.map_or(Formula::True, |guard| interpreter.condition(guard));
        let mut channel = None;
        if let (Some(sync), true) = (&code.sync, guard != Formula::False) {
            match interpreter.channel(&sync.channel, sync.span) {
                Ok(id) => channel = Some((id, sync.direction)),
                Err(error) => guard = Formula::all([guard, Formula::Error(error)]),
            }
        }
        Offer { process, edge, select: select.to_vec(), guard, channel }
    }

    /// Those of the special edges of a process that are asked for and whose guard is not false already.
    pub(crate) fn special_offers(
        &self,
        discrete: &Discrete,
        process: ProcessId,
        wanted: impl Fn(&SpecialEdge) -> bool,
    ) -> impl Iterator<Item = Offer> {
        let special = self.special.leaving(process, discrete.locations[process.index()]);
        special.iter().filter(move |edge| wanted(edge)).filter_map(move |edge| {
            let select = self.network.template_of(process).select_values(edge.expanded);
            let offer = self.offer(discrete, process, edge.expanded.edge, select);
            (offer.guard != Formula::False).then_some(offer)
        })
    }

    pub(crate) fn all_offers(&self, discrete: &Discrete) -> Vec<Vec<Offer>> {
        self.processes().map(|process| self.offers(discrete, process)).collect()
    }

    /// What is evaluated whether or not it gives a transition: the guards of edges that send or share a channel, and those of edges that
    /// receive behind the guard of somebody who sends.
    pub fn evaluated(&self, discrete: &Discrete) -> Vec<Formula> {
        let offers: Vec<Offer> = self.all_offers(discrete).into_iter().flatten().collect();
        let mut evaluated = Vec::new();
        for offer in offers.iter().filter(|offer| offer.channel.is_some() && !self.receives(offer)) {
            evaluated.push(offer.guard.clone());
            let hears = |other: &&Offer| {
                let same = other.channel.is_none_or(|(channel, _)| offer.channel == Some((channel, Direction::Send)));
                self.receives(other) && other.process != offer.process && same
            };
            let heard = offers.iter().filter(hears);
            evaluated.extend(heard.map(|other| Formula::all([offer.guard.clone(), other.guard.clone()])));
        }
        evaluated
    }

    /// Whether an edge receives, also on a channel that cannot be evaluated.
    fn receives(&self, offer: &Offer) -> bool {
        let edge = self.network.template_of(offer.process).edge(offer.edge);
        edge.sync.as_ref().is_some_and(|sync| sync.direction == Direction::Receive)
    }

    /// When a synchronisation on an urgent channel is possible, whatever its target's invariants say.
    pub(crate) fn urgent(&self, discrete: &Discrete) -> Formula {
        if self.network.channels.iter().all(|channel| !channel.kind.urgent) {
            return Formula::False;
        }
        let begins = |edge: &SpecialEdge| edge.direction != Direction::Receive;
        let mut possible = Vec::new();
        for offer in self.processes().flat_map(|process| self.special_offers(discrete, process, begins)) {
            let Some((channel, direction)) = offer.channel else { continue };
            let kind = self.network.channels[channel.index()].kind;
            if !kind.urgent {
                continue;
            }
            match direction {
                Direction::Send if kind.broadcast => possible.push(offer.guard),
                Direction::Send => {
                    for process in self.processes().filter(|process| *process != offer.process) {
                        let receivers = self.hearing(discrete, process, channel);
                        possible.extend(receivers.map(|other| Formula::all([offer.guard.clone(), other.guard])));
                    }
                }
                Direction::Receive => {}
                Direction::Csp => {
                    let together = self.together_on(&self.all_offers(discrete), channel);
                    possible.extend(together.into_iter().map(|sync| sync.enabled));
                }
            }
        }
        Formula::any(possible)
    }

    /// The edges by which a process may receive on an urgent or broadcast channel.
    fn hearing(&self, discrete: &Discrete, process: ProcessId, channel: ChannelId) -> impl Iterator<Item = Offer> {
        let may_hear = move |edge: &SpecialEdge| {
            edge.direction == Direction::Receive && edge.channel.is_none_or(|named| named == channel)
        };
        self.special_offers(discrete, process, may_hear)
            .filter(move |offer| offer.channel == Some((channel, Direction::Receive)))
    }

    /// Every way in which edges can be taken together, before committed locations, targets and priorities are looked at.
    pub(crate) fn synchronisations(&self, all: &[Vec<Offer>]) -> Vec<Synchronisation> {
        let mut found = Vec::new();
        let mut met: Vec<ChannelId> = Vec::new();
        for offer in all.iter().flatten() {
            match offer.channel {
                None if self.receives(offer) => {}
                None => found.push(Synchronisation { enabled: offer.guard.clone(), offers: vec![offer.clone()] }),
                Some((_, Direction::Receive)) => {}
                Some((channel, Direction::Send)) if self.network.channels[channel.index()].kind.broadcast => {
                    self.broadcasts(all, offer, channel, &mut found);
                }
                Some((channel, Direction::Send)) => {
                    for receiver in receivers(all, channel, offer.process) {
                        let enabled = Formula::all([offer.guard.clone(), receiver.guard.clone()]);
                        found.push(Synchronisation { enabled, offers: vec![offer.clone(), receiver.clone()] });
                    }
                }
                Some((channel, Direction::Csp)) => {
                    if !met.contains(&channel) {
                        met.push(channel);
                        found.extend(self.together_on(all, channel));
                    }
                }
            }
        }
        found.retain(|sync| sync.enabled != Formula::False);
        found
    }

    /// One enabled receiving edge of every other process that has one; a process stays out only where it has none.
    fn broadcasts(&self, all: &[Vec<Offer>], sender: &Offer, channel: ChannelId, found: &mut Vec<Synchronisation>) {
        let mut partial = vec![Synchronisation { enabled: sender.guard.clone(), offers: vec![sender.clone()] }];
        for offers in all.iter().filter(|offers| offers.first().is_some_and(|o| o.process != sender.process)) {
            let receiving: Vec<&Offer> =
                offers.iter().filter(|o| o.channel == Some((channel, Direction::Receive))).collect();
            if receiving.is_empty() {
                continue;
            }
            let silent = Formula::all(receiving.iter().map(|offer| offer.guard.clone().negate()));
            let mut next = Vec::new();
            for sync in &partial {
                for receiver in &receiving {
                    let mut longer = sync.clone();
                    longer.enabled = Formula::all([longer.enabled, receiver.guard.clone()]);
                    longer.offers.push((*receiver).clone());
                    next.push(longer);
                }
                if silent != Formula::False {
                    let enabled = Formula::all([sync.enabled.clone(), silent.clone()]);
                    next.push(Synchronisation { enabled, offers: sync.offers.clone() });
                }
            }
            partial = next;
        }
        found.extend(partial);
    }

    /// Synchronisation without `!` and `?`: every participant of the channel takes one of its edges.
    fn together_on(&self, all: &[Vec<Offer>], channel: ChannelId) -> Vec<Synchronisation> {
        let mut partial = vec![Synchronisation { enabled: Formula::True, offers: Vec::new() }];
        for process in &self.together[channel.index()] {
            let mut next = Vec::new();
            for offer in all[process.index()].iter().filter(|o| o.channel == Some((channel, Direction::Csp))) {
                for sync in &partial {
                    let mut longer = sync.clone();
                    longer.enabled = Formula::all([longer.enabled, offer.guard.clone()]);
                    longer.offers.push(offer.clone());
                    next.push(longer);
                }
            }
            partial = next;
        }
        partial.retain(|sync| !sync.offers.is_empty());
        partial
    }

    /// All action transitions of a discrete state.
    pub fn transitions(&self, discrete: &Discrete) -> Vec<Transition> {
        let mut transitions = self.transitions_of_any_priority(discrete);
        if self.has_priorities {
            let exist: Vec<_> = transitions.iter().map(|t| (t.priority, t.exists.clone())).collect();
            for transition in &mut transitions {
                let higher = exist.iter().filter(|(priority, _)| *priority > transition.priority);
                let undisturbed = Formula::any(higher.map(|(_, exists)| exists.clone())).negate();
                transition.exists = Formula::all([transition.exists.clone(), undisturbed]);
            }
        }
        transitions
    }

    pub(crate) fn transitions_of_any_priority(&self, discrete: &Discrete) -> Vec<Transition> {
        self.transitions_where(discrete, &self.all_offers(discrete), &|_, _| true)
    }

    /// The same for those synchronisations and priorities that somebody wants to know about, given the edges of all processes.
    pub(crate) fn transitions_where(
        &self,
        discrete: &Discrete,
        all: &[Vec<Offer>],
        wanted: &dyn Fn(&Synchronisation, (u32, u32)) -> bool,
    ) -> Vec<Transition> {
        let committed = |process: ProcessId| self.location(discrete, process).kind == LocationKind::Committed;
        let some_committed = self.processes().any(committed);
        let mut transitions = Vec::new();
        for sync in self.synchronisations(all) {
            if some_committed && !sync.offers.iter().any(|offer| committed(offer.process)) {
                continue;
            }
            let channel = sync.offers.first().and_then(|offer| offer.channel).map(|(channel, _)| channel);
            if !wanted(&sync, self.priority(channel, sync.offers.iter().map(|offer| offer.process))) {
                continue;
            }
            for moves in self.with_branches(&sync.offers) {
                transitions.push(self.transition(discrete, &sync, moves));
            }
        }
        transitions
    }

    /// One list of moves for each combination of branches.
    fn with_branches(&self, offers: &[Offer]) -> Vec<Vec<Move>> {
        let mut partial: Vec<Vec<Move>> = vec![Vec::new()];
        for offer in offers {
            let branches = self.network.template_of(offer.process).edge(offer.edge).branches.len();
            partial = partial
                .into_iter()
                .flat_map(|moves| {
                    (0..branches).map(move |branch| {
                        let mut moves = moves.clone();
                        let (process, edge, select) = (offer.process, offer.edge, offer.select.clone());
                        moves.push(Move { process, edge, select, branch });
                        moves
                    })
                })
                .collect();
        }
        partial
    }

    fn transition(&self, discrete: &Discrete, sync: &Synchronisation, moves: Vec<Move>) -> Transition {
        let channel = sync.offers.first().and_then(|offer| offer.channel).map(|(channel, _)| channel);
        let effect = self.fire(discrete, &moves);
        let after = match &effect {
            Ok((target, clocks)) => self.allows(target, clocks),
            Err(error) => Formula::Error(error.clone()),
        };
        let exists = Formula::all([sync.enabled.clone(), after]);
        let priority = self.priority(channel, moves.iter().map(|m| m.process));
        Transition { moves, channel, exists, effect, priority }
    }

    /// The channel's level, then the highest of the processes that take part.
    pub(crate) fn priority(
        &self,
        channel: Option<ChannelId>,
        processes: impl Iterator<Item = ProcessId>,
    ) -> (u32, u32) {
        let level = channel.map_or(self.network.default_priority, |id| self.network.channels[id.index()].priority);
        (level, processes.map(|process| self.network.process(process).priority).max().unwrap_or(0))
    }
}

pub(crate) fn receivers(all: &[Vec<Offer>], channel: ChannelId, sender: ProcessId) -> impl Iterator<Item = &Offer> {
    all.iter()
        .flatten()
        .filter(move |offer| offer.process != sender && offer.channel == Some((channel, Direction::Receive)))
}
