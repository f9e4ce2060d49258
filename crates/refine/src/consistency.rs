//! Consistency: whether a specification has an implementation at all.
//!
//! An implementation decides when to output what; it must take every input at every time. So a
//! state is good if time can pass for ever while all inputs lead to good states, or if after some
//! delay an output leads to a good state, and until then, that moment included, all inputs lead to
//! good states. The others are lost, and they are the least set with this property:
//!
//! ```text
//! Lost(q) = W(q) \ ( Predt(out, bad) ∪ { v | Inv(q) has no upper bound, no v + d is in bad } )
//! out = ⋃ over outputs of the valuations that do not lead into Lost,   bad = ⋃ over inputs of those that do
//! ```
//! This is the least fixpoint of Goorden and others (2023): a timed game in which inputs win ties.
//! All operations keep sets that the constants of the model can describe, of which there are
//! finitely many. Reveaal marks a state as visited before its verdict is known, and takes one that
//! failed for consistent when another output leads there.
//!
//! Most systems are decided without the game: if everywhere that can be reached time or an output
//! goes on, nothing is lost. Otherwise it is played backwards from the states where nothing goes
//! on, which are few, with federations over the clocks that matter in each discrete state. `W(q)`
//! need only include what is reached of `q`: from there only what is reached matters, so what is
//! computed for other valuations is of no consequence, and the smallest zone around all that is
//! reached will do. Pruning, which writes the good sets down, takes all of the invariant.
//!
//! What is reached comes from `search` like everything else. The game has a loop of its own,
//! because it is no search for states: what it keeps per discrete state is a federation that grows,
//! a state is looked at again whenever that of a successor has grown, and what it computes of a
//! state depends on all its successors at once (`Predt`). No order, store or covering of `search`
//! has a meaning there.

use crate::determinism::no_progress;
use crate::error::{GoOn, Open, holding};
use crate::explore::{Reached, bytes_of, reached};
use crate::world::{Node, NodeId, Slots, Step, World};
use std::collections::{HashMap, VecDeque};
use zones::{Bound, Constraint, Federation, Source, Zone};

#[derive(Debug)]
pub enum Consistency {
    Consistent,
    /// The initial state is not good; a state in which neither time nor an output goes on is the
    /// reason.
    Inconsistent {
        state: Box<[u32]>,
        clocks: Vec<Constraint>,
    },
}

/// Which valuations of a discrete state the game is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Within {
    /// A zone around those that are reached.
    Reached,
    Invariant,
}

struct Move {
    output: bool,
    step: Step,
    to: usize,
}

/// The good states of a system.
pub(crate) struct Game<'w, 'n> {
    world: &'w World<'n>,
    system: NodeId,
    pub states: Vec<Reached>,
    /// What the game is about, over the clocks of the frame of each state.
    within: Vec<Vec<Zone>>,
    /// `W`, the smallest zone around that.
    whole: Vec<Federation>,
    moves: Vec<Vec<Move>>,
    lost: Vec<Federation>,
    /// What was lost of which state, in this order: the reasons come first.
    losses: Vec<(usize, Federation)>,
    /// About what all this takes.
    bytes: u64,
}

/// Whether a system is consistent.
pub fn consistency(world: &World<'_>, system: NodeId, go_on: &mut GoOn<'_>) -> Result<Consistency, Open> {
    let mut suspect = false;
    let states = reached(world, system, go_on, |state| {
        suspect = suspect || no_progress(world, system, state).is_some();
    })?;
    if !suspect {
        return Ok(Consistency::Consistent);
    }
    let mut game = Game::new(world, system, states, Within::Reached, go_on).ok_or(Open::Stopped)?;
    if game.play(true, go_on) { Ok(game.verdict()) } else { Err(Open::Stopped) }
}

/// Whether a system whose components are consistent is. What is composed of consistent systems is
/// consistent, since so are their implementations. So conjunctions and quotients are asked, and
/// what they are composed with only if one of them is inconsistent: the others may keep it from the
/// states that are to blame.
pub fn consistency_by_parts(world: &World<'_>, system: NodeId, go_on: &mut GoOn<'_>) -> Result<Consistency, Open> {
    let operands = match world.node(system) {
        Node::Leaf(_) => return Ok(Consistency::Consistent),
        Node::Operator(operator) if operator.keeps_consistency() => operator.operands(),
        Node::Operator(_) => return consistency(world, system, go_on),
    };
    for operand in operands {
        if let Consistency::Inconsistent { .. } = consistency_by_parts(world, *operand, go_on)? {
            return consistency(world, system, go_on);
        }
    }
    Ok(Consistency::Consistent)
}

impl<'w, 'n> Game<'w, 'n> {
    /// The game over all valuations of all reachable discrete states, played to its end.
    pub fn solve(world: &'w World<'n>, system: NodeId, go_on: &mut GoOn<'_>) -> Result<Game<'w, 'n>, Open> {
        let states = reached(world, system, go_on, |_| {})?;
        let mut game = Game::new(world, system, states, Within::Invariant, go_on).ok_or(Open::Stopped)?;
        if game.play(false, go_on) { Ok(game) } else { Err(Open::Stopped) }
    }

    fn new(
        world: &'w World<'n>,
        system: NodeId,
        states: Vec<Reached>,
        within: Within,
        go_on: &mut GoOn<'_>,
    ) -> Option<Game<'w, 'n>> {
        let within: Vec<Vec<Zone>> = states
            .iter()
            .map(|state| match within {
                Within::Reached => state.zones.clone(),
                Within::Invariant => {
                    let mut invariant = Vec::new();
                    world.invariant(system, &state.slots, &mut invariant);
                    state.frame.where_all(&invariant).into_iter().collect()
                }
            })
            .collect();
        let around = |(state, zones): (&Reached, &Vec<Zone>)| {
            let hull = zones.iter().cloned().reduce(|one, other| one.hull(&other));
            hull.map_or(Federation::empty(state.frame.dim()), Federation::from)
        };
        let whole = states.iter().zip(&within).map(around).collect();
        let lost = states.iter().map(|state| Federation::empty(state.frame.dim())).collect();
        let index: HashMap<&[u32], usize> = states.iter().enumerate().map(|(n, state)| (&*state.slots, n)).collect();
        let zones = states.iter().flat_map(|state| &state.zones).chain(within.iter().flatten());
        let mut bytes = zones.map(bytes_of).sum::<u64>() + states.len() as u64 * 400;
        let mut all = Vec::with_capacity(states.len());
        for state in &states {
            let moves = moves(world, system, &state.slots, &index);
            bytes += moves.iter().map(|one| 200 + 12 * one.step.guard.len() as u64).sum::<u64>();
            all.push(moves);
            if !go_on(&holding(bytes)) {
                return None;
            }
        }
        Some(Game { world, system, moves: all, states, within, whole, lost, losses: Vec::new(), bytes })
    }

    /// Finds what is lost; if `only_start`, not more than it takes to lose the start. False if
    /// `go_on` says no.
    fn play(&mut self, only_start: bool, go_on: &mut GoOn<'_>) -> bool {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (from, list) in self.moves.iter().enumerate() {
            list.iter().for_each(|one| before[one.to].push(from));
        }
        before.iter_mut().for_each(|list| list.dedup());
        let mut waiting: VecDeque<usize> = (0..self.states.len()).collect();
        let mut is_waiting = vec![true; self.states.len()];
        while let Some(at) = waiting.pop_front() {
            is_waiting[at] = false;
            let Some(new) = self.losing(at, go_on) else { return false };
            if new.is_empty() {
                continue;
            }
            let mut lost = self.lost[at].clone();
            lost.unite(&new);
            let Some(lost) = self.simplified(at, &lost, go_on) else { return false };
            self.bytes += new.zones().iter().chain(lost.zones()).map(bytes_of).sum::<u64>();
            self.lost[at] = lost;
            self.losses.push((at, new));
            if only_start && self.start_is_lost() {
                return true;
            }
            for &from in &before[at] {
                if !std::mem::replace(&mut is_waiting[from], true) {
                    waiting.push_back(from);
                }
            }
        }
        true
    }

    /// Fewer and larger zones that are the same set within what the game is about; `None` if
    /// `go_on` says no.
    fn simplified(&self, at: usize, set: &Federation, go_on: &mut GoOn<'_>) -> Option<Federation> {
        let inside = |zone: &Zone| self.within[at].iter().filter_map(|one| both(one, zone)).collect::<Vec<Zone>>();
        let mut simple = Federation::empty(set.dim());
        for zone in set.zones() {
            if let Some(hull) = inside(zone).into_iter().reduce(|one, other| one.hull(&other)) {
                simple.add(hull);
            }
        }
        let mut n = 1;
        while n < simple.zones().len() {
            let mut joined = None;
            for other in &simple.zones()[..n] {
                if !go_on(&holding(self.bytes + 2 * held(set))) {
                    return None;
                }
                let hull = simple.zones()[n].hull(other);
                if inside(&hull).iter().all(|part| simple.includes(part)) {
                    joined = Some(hull);
                    break;
                }
            }
            match joined {
                Some(hull) => {
                    simple.add(hull);
                    n = 1;
                }
                None => n += 1,
            }
        }
        Some(simple)
    }

    /// Where outputs lead to what is not lost, and where inputs lead to what is.
    fn ways(&self, at: usize) -> (Federation, Federation) {
        let frame = &self.states[at].frame;
        let (mut out, mut bad) = (Federation::empty(frame.dim()), Federation::empty(frame.dim()));
        for one in &self.moves[at] {
            if one.output {
                let mut possible = self.whole[at].clone();
                frame.constraints(&one.step.guard).into_iter().for_each(|guard| possible.constrain(guard));
                if !self.lost[one.to].is_empty() {
                    possible.subtract(&self.before(at, one, &self.lost[one.to]));
                }
                out.unite(&possible);
            } else if !self.lost[one.to].is_empty() {
                bad.unite(&self.before(at, one, &self.lost[one.to]));
            }
        }
        bad.intersect(&self.whole[at]);
        (out, bad)
    }

    fn is_bounded(&self, at: usize) -> bool {
        let mut invariant = Vec::new();
        self.world.invariant(self.system, &self.states[at].slots, &mut invariant);
        invariant.iter().any(|one| one.right == 0)
    }

    /// What is lost and was not known to be; `None` if `go_on` says no.
    fn losing(&self, at: usize, go_on: &mut GoOn<'_>) -> Option<Federation> {
        let (out, bad) = self.ways(at);
        let bad = self.simplified(at, &bad, go_on)?;
        let mut losing = self.whole[at].clone();
        if !self.is_bounded(at) {
            let mut towards = bad.clone();
            towards.down();
            losing.intersect(&towards);
        }
        losing.subtract(&self.lost[at]);
        for zone in out.zones() {
            if losing.is_empty() {
                break;
            }
            if !go_on(&holding(self.bytes + held(&losing) + held(&bad))) {
                return None;
            }
            losing.subtract(&Federation::from(zone.clone()).predt(&bad));
        }
        self.simplified(at, &losing, go_on)
    }

    /// About what it takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The good valuations of a state, over all clocks given.
    pub fn good(&self, at: usize, clocks: &[u32]) -> Federation {
        let (out, mut bad) = self.ways(at);
        let mut good = out.predt(&bad);
        if !self.is_bounded(at) {
            bad.down();
            let mut free = Federation::universal(bad.dim());
            free.subtract(&bad);
            good.unite(&free);
        }
        good.intersect(&self.whole[at]);
        good.reduce();
        let frame = &self.states[at].frame;
        let sources: Vec<Source> = clocks.iter().map(|clock| frame.source(*clock)).collect();
        let mut all = Federation::empty(clocks.len() + 1);
        for zone in good.zones() {
            let mut zone = zone.clone();
            zone.remap(&sources);
            all.add(zone);
        }
        all
    }

    /// The valuations from which a move leads into a set.
    fn before(&self, at: usize, one: &Move, set: &Federation) -> Federation {
        let (from, to) = (&self.states[at].frame, &self.states[one.to].frame);
        let guard = from.constraints(&one.step.guard);
        let value =
            |clock: &u32| one.step.resets.iter().rev().find(|(reset, _)| reset == clock).map(|(_, value)| *value);
        let source = |clock: &u32| if value(clock).is_some() { Source::Free } else { to.source(*clock) };
        let sources: Vec<Source> = from.clocks().iter().map(source).collect();
        let mut after = Vec::new();
        for (row, clock) in (1..).zip(to.clocks()) {
            if let Some(value) = value(clock) {
                after.extend([Constraint::upper(row, Bound::le(value)), Constraint::at_least(row, value)]);
            }
        }
        let mut before = Federation::empty(from.dim());
        for zone in set.zones() {
            let mut zone = zone.clone();
            if zone.constrain_all(&after) {
                zone.remap(&sources);
                if zone.constrain_all(&guard) {
                    before.add(zone);
                }
            }
        }
        before
    }

    /// The initial discrete state is the first.
    fn start_is_lost(&self) -> bool {
        let start = self.states[0].frame.start(self.world);
        self.lost[0].includes(&start)
    }

    fn verdict(&self) -> Consistency {
        if !self.start_is_lost() {
            return Consistency::Consistent;
        }
        let start = self.states[0].frame.start(self.world);
        let holds = |(state, lost): &(usize, Federation)| *state == 0 && lost.includes(&start);
        let (mut state, mut zone) = (0, start.clone());
        let mut next = self.losses.iter().position(holds).map(|first| (first, start.clone()));
        while let Some((loss, at)) = next {
            (state, zone) = (self.losses[loss].0, at);
            next = self.reason(loss, &zone);
        }
        let Reached { slots, frame, .. } = &self.states[state];
        Consistency::Inconsistent { state: slots.clone(), clocks: frame.bounds_of(&zone) }
    }

    /// An earlier loss to which a lost zone leads.
    fn reason(&self, loss: usize, zone: &Zone) -> Option<(usize, Zone)> {
        let at = self.losses[loss].0;
        let frame = &self.states[at].frame;
        let mut later = zone.clone();
        later.up();
        let mut later = Federation::from(later);
        later.intersect(&self.whole[at]);
        for (n, (to, lost)) in self.losses[..loss].iter().enumerate() {
            for one in self.moves[at].iter().filter(|one| one.to == *to) {
                let mut before = self.before(at, one, lost);
                before.intersect(&later);
                if let Some(first) = before.zones().first() {
                    let mut after = first.clone();
                    self.states[*to].frame.receive(&mut after, frame, &one.step.resets, &mut Vec::new());
                    return Some((n, after));
                }
            }
        }
        None
    }
}

/// About what a set takes.
fn held(set: &Federation) -> u64 {
    set.zones().first().map_or(0, bytes_of) * set.zones().len() as u64
}

fn both(one: &Zone, other: &Zone) -> Option<Zone> {
    let mut both = one.clone();
    both.intersect_zone(other).then_some(both)
}

/// All steps of a state with their targets. One into a state that is never reached is never taken.
fn moves(world: &World<'_>, system: NodeId, slots: &Slots, index: &HashMap<&[u32], usize>) -> Vec<Move> {
    let outputs = world.outputs(system, slots);
    let inputs = world.alphabet(system).inputs.iter().map(|action| (false, *action));
    let mut list = Vec::new();
    for (output, action) in outputs.into_iter().map(|action| (true, action)).chain(inputs) {
        for step in world.steps(system, slots, action) {
            let mut target = slots.to_vec();
            step.changes.iter().for_each(|(slot, value)| target[*slot as usize] = *value);
            if let (Some(to), None) = (index.get(&*target), step.error) {
                list.push(Move { output, step, to: *to });
            }
        }
    }
    list
}
