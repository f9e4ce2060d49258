//! Whether one system refines another: preconditions, then the proof, walks, or both side by side.
//!
//! Preconditions come in this order: every component is deterministic and consistent, the actions
//! of the two sides fit, both initial states meet their invariants, both sides are consistent
//! (operators keep determinism, but conjunctions and quotients of consistent systems may have no
//! implementation). A precondition that fails makes the answer "violated", and the field `failure`
//! says which one it was. A component that is not deterministic is bad input all the same: nothing
//! here is about such.
//!
//! The consistency of large expressions can be harder to find out than the answer, so it is left
//! open if it is not decided after a while. A violation of a rule is one whether the sides are
//! consistent or not. Where all rules hold, the left side is decided, and that decides the right
//! one as well: what implements the left side implements it.

use super::searching::{Ended, by_equality};
use super::{Question, fail};
use crate::check::stats;
use crate::report::{Answer, Evidence, Stats, Verdict};
use crate::searches::strategies::{OfPairs, Own};
use crate::searches::walks::RCF;
use crate::searches::{OrderOf, Refinements, Symbolic};
use certify::Rational;
use certify::refinement::{Action, CounterExample, Rule, mismatch_while, replay_refinement};
use model::check::SystemExpr;
use model::network::ChannelId;
use refine::alphabet::{Mismatch, comparable, named};
use refine::explore::starts;
use refine::pairs::{Comparison, Pairs};
use refine::refinement::{BreaksRule, Broken};
use refine::run::Times;
use refine::walks::{Choice, Settings, Totals, Walked, hunt};
use refine::world::{NodeId, Starts, World};
use search::budget::Limits;
use search::equality::{Equality, EqualityGoal};
use search::statistics::Statistics;
use semantics::structure::Structure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use walk::depth::Depth;

/// So many pairs are explored before walks are made beside the proof: small systems have an answer
/// by then.
const ALONE: u64 = 2_000;

/// So much is done for each side before it is left open whether it is consistent: zones that are
/// explored, and joined or taken away in the game.
const FIRST: u64 = 10_000;

/// What is wrong with two systems together, and with none by itself.
const COMPARED: [&str; 5] = ["alphabets-not-disjoint", "alphabets-not-included", "output", "input", "delay"];

impl Question<'_, '_, '_> {
    pub(super) fn refinement(
        &mut self,
        answer: &mut Answer,
        structure: &Structure<'_>,
        left: &SystemExpr,
        right: &SystemExpr,
    ) {
        let (world, left, right) = match self.world(structure, &[left, right], &[], Starts::Initial) {
            Ok((world, roots)) => (world, roots[0], roots[1]),
            Err(unfit) => return self.refuse(answer, &unfit),
        };
        let search = self.asked.options.search.row();
        let Some(way) = &search.ways.pairs else { return };
        let name = match way.make {
            Refinements::Both(order) => self.order(order).name,
            Refinements::Symbolic(_) | Refinements::Walks(_) => search.name,
        };
        answer.search = Some(name.to_owned());
        let is_decided = self.preconditions(answer, &world, left, right);
        if is_decided.is_some() {
            self.rules(answer, &world, left, right, &way.make);
        }
        // Whatever the operators are, every system refines itself.
        let breaks = answer.failure.is_some_and(|failure| COMPARED.contains(&failure));
        if breaks && self.sides.0 == self.sides.1 {
            answer.internal = true;
            answer.reason = Some("internal error: a system does not refine itself".to_owned());
        }
        let Some(is_decided) = is_decided else { return };
        if answer.verdict == Verdict::Satisfied
            && !is_decided
            && self.parts_are_consistent(answer, &world, left, u64::MAX) != Some(true)
        {
            answer.certificate = None;
            if answer.verdict == Verdict::Satisfied {
                (answer.verdict, answer.evidence) = (Verdict::Unknown, Evidence::None);
                let why = answer.reason.take().unwrap_or_default();
                answer.reason =
                    Some(format!("no rule is broken, but it is not known if both sides are consistent: {why}"));
            }
        }
    }

    fn rules(
        &mut self,
        answer: &mut Answer,
        world: &World<'_>,
        left: NodeId,
        right: NodeId,
        how: &'static Refinements,
    ) {
        match how {
            Refinements::Both(order) => self.both(answer, world, left, right, *order),
            Refinements::Symbolic(way) => self.search(answer, world, left, right, way),
            Refinements::Walks(Choice::Race) if ![left, right].iter().all(|side| world.is_flat(*side)) => {
                let search = self.asked.options.search;
                answer.unsupported = true;
                answer.reason =
                    Some(format!("`--search {search}` is not for quotients: they have no components to race"));
            }
            Refinements::Walks(choice) => self.walk(answer, world, left, right, *choice),
        }
    }

    /// Whether the left side is known to be consistent; `None` if a precondition fails.
    fn preconditions(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId) -> Option<bool> {
        for component in 0..world.components.len() as u32 {
            let (alone, node) = world.alone(component);
            if !starts(&alone, node) {
                continue;
            }
            if !self.is_deterministic(answer, &alone, node) {
                return None;
            }
            if !self.is_consistent(answer, &alone, node) {
                return None;
            }
        }
        let name = |action| world.action_name(action);
        let comparable = comparable(world.alphabet(left), world.alphabet(right));
        let checked = mismatch_while(self.asked.network, self.sides.0, self.sides.1, &mut self.deadline());
        let Some(checked) = checked else {
            answer.reason = Some(self.stopped());
            return None;
        };
        if comparable.as_ref().err().map(|mismatch| checked_mismatch(world, mismatch)) != checked {
            answer.internal = true;
            answer.reason = Some("internal error: the checker finds other actions of the two sides".to_owned());
            return None;
        }
        match comparable {
            Ok(()) => {}
            Err(Mismatch::NotDisjoint(actions)) => {
                let reason = format!("inputs of one side are outputs of the other: {}", named(&actions, &name));
                fail(answer, "alphabets-not-disjoint", reason);
                return None;
            }
            Err(Mismatch::Inputs(actions)) => {
                let reason =
                    format!("the left side has inputs that the right side does not have: {}", named(&actions, &name));
                fail(answer, "alphabets-not-included", reason);
                return None;
            }
            Err(Mismatch::Outputs(actions)) => {
                let reason =
                    format!("the right side has outputs that the left side does not have: {}", named(&actions, &name));
                fail(answer, "alphabets-not-included", reason);
                return None;
            }
        }
        for side in [left, right] {
            if !starts(world, side) {
                self.no_start(answer, world, side);
                return None;
            }
        }
        let is_decided = self.parts_are_consistent(answer, world, left, FIRST);
        if is_decided == Some(false) || self.parts_are_consistent(answer, world, right, FIRST) == Some(false) {
            return None;
        }
        Some(is_decided.is_some())
    }

    fn search(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId, way: &'static Symbolic) {
        let (options, own) = (self.asked.options, way.own());
        let pairs = self.pairs(world, left, right, own);
        let equal = Equality(&pairs);
        let mut search = match way {
            Symbolic::Loop(order) => self.by_order(&pairs, BreaksRule, *order, self.search_limits()),
            Symbolic::Own(own) if by_equality(Some(own), options) => {
                (own.of_unequal_pairs)(&equal, EqualityGoal(BreaksRule), self.setting())
            }
            Symbolic::Own(own) => (own.of_pairs)(&pairs, BreaksRule, self.setting()),
        };
        let ended = self.run(&mut *search, own, &mut |_| false);
        self.searched(answer, &pairs, &mut search, ended);
    }

    /// Certificates need zones that are a relation.
    fn pairs<'w, 'n>(
        &self,
        world: &'w World<'n>,
        left: NodeId,
        right: NodeId,
        own: Option<&'static Own>,
    ) -> Pairs<'w, 'n> {
        let options = self.asked.options;
        let is_relation = options.certify || by_equality(own, options);
        Pairs::new(world, left, right, if is_relation { Comparison::Inclusion } else { Comparison::Simulation })
    }

    fn searched(&mut self, answer: &mut Answer, pairs: &Pairs<'_, '_>, search: &mut OfPairs<'_>, ended: Option<Ended>) {
        let (walks, steps) = (answer.stats.walks, answer.stats.steps);
        answer.stats = Stats { walks, steps, ..stats(&search.statistics()) };
        let world = pairs.world();
        match ended {
            Some(Ended::Nowhere) => {
                answer.verdict = Verdict::Satisfied;
                answer.evidence = Evidence::Exhaustive;
                if self.asked.options.certify {
                    self.certify(answer, world, search);
                }
            }
            Some(Ended::Found(id)) => {
                let violation = pairs.violation(&search.trace(id));
                match violation.and_then(|found| Some((pairs.times(&found)?, found))) {
                    Some((times, violation)) => {
                        let actions: Vec<u32> = violation.path.iter().map(|step| step.action).collect();
                        self.violated(answer, world, &actions, &violation.broken, &[&times]);
                    }
                    None => {
                        answer.internal = true;
                        answer.reason = Some("internal error: the violation found has no run".to_owned());
                    }
                }
            }
            Some(Ended::Open(open)) => self.open(answer, world, pairs.left(), open),
            Some(Ended::Unknown(reason)) => answer.reason = Some(reason),
            None => answer.reason = Some(self.stopped()),
        }
    }

    fn settings(&self, choice: Choice, threads: usize) -> Settings {
        let options = self.asked.options;
        Settings {
            choice,
            delays: options.delays,
            depth: options.max_depth.map_or(options.depth, Depth::Fixed),
            seed: options.seed,
            threads,
            walks: options.walks,
        }
    }

    fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.asked.options.threads.unwrap_or_else(all)
    }

    fn walk(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId, choice: Choice) {
        let settings = self.settings(choice, self.threads());
        let stop = AtomicBool::new(false);
        let mut totals = Totals::default();
        let walked = std::thread::scope(|scope| {
            let walks = scope.spawn(|| hunt(world, left, right, &settings, &stop, &mut totals));
            // Looked at often at first: most violations are found within milliseconds.
            let mut pause = Duration::from_micros(200);
            while !walks.is_finished() {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
                if !self.goes_on(&Statistics::default()) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            walks.join().unwrap_or(Walked::Nothing)
        });
        self.walked(answer, world, walked, totals);
    }

    fn walked(&mut self, answer: &mut Answer, world: &World<'_>, walked: Walked, totals: Totals) {
        (answer.stats.walks, answer.stats.steps) = (totals.walks, totals.steps);
        match walked {
            Walked::Violated(found) => {
                let times: Vec<&Times> = found.earliest.iter().chain([&found.walked]).collect();
                self.violated(answer, world, &found.actions, &found.broken, &times);
            }
            Walked::Failed(leaf, error) => self.model_error(answer, world, leaf, error),
            Walked::Nothing if self.asked.options.walks.is_some_and(|walks| totals.walks >= walks) => {
                answer.reason = Some(format!("no violation on {} walks, which proves nothing", totals.walks));
            }
            Walked::Nothing => answer.reason = Some(self.stopped()),
        }
    }

    /// The proof, and walks beside it once it turns out to take a while. The first answer wins.
    fn both(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId, order: OrderOf) {
        let pairs = self.pairs(world, left, right, None);
        // Beside walks the depth is theirs.
        let limits = Limits { depth: None, ..self.search_limits() };
        let mut search = self.by_order(&pairs, BreaksRule, order, limits);
        let mut ended = self.run(&mut *search, None, &mut |done| done.explored >= ALONE);
        let mut totals = Totals::default();
        if ended.is_none() {
            let settings = self.settings(Choice::Channel, self.threads().saturating_sub(1).max(1));
            let (stop, found) = (AtomicBool::new(false), AtomicBool::new(false));
            let (symbolic, walked) = std::thread::scope(|scope| {
                let walks = scope.spawn(|| {
                    let walked = hunt(world, left, right, &settings, &stop, &mut totals);
                    found.store(!matches!(walked, Walked::Nothing), Ordering::Relaxed);
                    walked
                });
                let symbolic = self.run(&mut *search, None, &mut |_| found.load(Ordering::Relaxed));
                stop.store(true, Ordering::Relaxed);
                (symbolic, walks.join().unwrap_or(Walked::Nothing))
            });
            ended = symbolic;
            if matches!((&ended, &walked), (None, Walked::Violated(_) | Walked::Failed(..))) {
                answer.search = Some(RCF.name.to_owned());
                return self.walked(answer, world, walked, totals);
            }
        }
        self.searched(answer, &pairs, &mut search, ended);
    }

    /// Replays a violation with the first of some times that passes, and writes it into the answer.
    fn violated(&self, answer: &mut Answer, world: &World<'_>, actions: &[u32], broken: &Broken, times: &[&Times]) {
        let (left, right) = self.sides;
        let mut refused = None;
        for times in times {
            let (example, failure, reason) = counter_example(world, actions, broken, times);
            match replay_refinement(self.asked.network, left, right, &example) {
                Ok(moves) => {
                    fail(answer, failure, reason);
                    answer.evidence = Evidence::Witness;
                    answer.refinement = Some(example.to_trace(self.asked.network, moves));
                    return;
                }
                Err(refusal) => refused = Some(refusal),
            }
        }
        answer.internal = true;
        let why = refused.map_or(String::new(), |refusal| refusal.to_string());
        answer.reason = Some(format!("internal error: a violation does not pass the replay: {why}"));
    }
}

/// An action as the checker calls it.
fn checked_action(world: &World<'_>, action: u32) -> Action {
    match world.is_channel(action) {
        true => Action::Channel(ChannelId::new(action as usize)),
        false => Action::New,
    }
}

fn checked_mismatch(world: &World<'_>, mismatch: &Mismatch) -> certify::refinement::Mismatch {
    use certify::refinement::Mismatch as Checked;
    let all = |actions: &[u32]| actions.iter().map(|action| checked_action(world, *action)).collect();
    match mismatch {
        Mismatch::NotDisjoint(actions) => Checked::Crossing(all(actions)),
        Mismatch::Inputs(actions) => Checked::Inputs(all(actions)),
        Mismatch::Outputs(actions) => Checked::Outputs(all(actions)),
    }
}

/// A violation as the checker reads it, what kind it is, and the same in words.
fn counter_example(
    world: &World<'_>,
    actions: &[u32],
    broken: &Broken,
    times: &Times,
) -> (CounterExample, &'static str, String) {
    let action = |action: u32| checked_action(world, action);
    let ratio = |ticks: i64| Rational::new(i128::from(ticks) * i128::from(times.unit), times.ticks.into());
    let mut before = 0;
    let mut steps = Vec::with_capacity(actions.len());
    for (made, moment) in actions.iter().zip(&times.steps) {
        steps.push((ratio(moment - before), action(*made)));
        before = *moment;
    }
    let at = ratio(times.end);
    let name = |action: u32| world.action_name(action);
    let (failure, broken, reason) = match broken {
        Broken::Output { action: made, .. } => {
            let reason = format!("at time {at} the left side outputs `{}`, and the right side cannot", name(*made));
            ("output", Rule::Output(action(*made)), reason)
        }
        Broken::Input { action: made, .. } => {
            let reason = format!("at time {at} the left side refuses the input `{}`", name(*made));
            ("input", Rule::Input(action(*made)), reason)
        }
        Broken::Delay { .. } => {
            let reason = format!("the left side may wait until time {at}, and the right side may not");
            ("delay", Rule::Delay, reason)
        }
    };
    (CounterExample { steps, final_delay: ratio(times.end - before), broken }, failure, reason)
}
