//! Whether one system refines another: preconditions, then the proof, walks, or both side by side.
//!
//! Preconditions come in this order: every component is deterministic and consistent, the actions of the two
//! sides fit, both initial states meet their invariants. A precondition that fails makes the answer "violated", and the
//! field `failure` says which one it was.

use super::{Question, fail};
use crate::report::{Answer, Evidence, Verdict};
use certify::Rational;
use certify::refinement::{Action, CounterExample, Rule, replay_refinement};
use model::check::SystemExpr;
use model::network::ChannelId;
use refine::alphabet::{Mismatch, comparable, named};
use refine::determinism;
use refine::explore::starts;
use refine::refinement::{Broken, Comparison, Counts, Order, Outcome, Refinement, Violation};
use refine::run::Times;
use refine::walks::{Choice, Settings, Totals, Walked, hunt};
use refine::world::{NodeId, World};
use semantics::structure::Structure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use walk::depth::Depth;

/// So many pairs are explored before walks are made beside the proof: small systems have an answer by then.
const ALONE: u64 = 2_000;

impl Question<'_, '_, '_> {
    pub(super) fn refinement(
        &mut self,
        answer: &mut Answer,
        structure: &Structure<'_>,
        left: &SystemExpr,
        right: &SystemExpr,
    ) {
        let (world, left, right) = match World::new(structure, &[left, right]) {
            Ok((world, roots)) => (world, roots[0], roots[1]),
            Err(unfit) => return self.refuse(answer, &unfit),
        };
        let search = self.asked.options.search.as_str();
        let shown = match search {
            "auto" | "rank" => "bfs",
            "rdfs" | "drs" => "dfs",
            other => other,
        };
        answer.search = Some(shown.to_owned());
        if !self.preconditions(answer, &world, left, right) {
            return;
        }
        match search {
            "auto" => self.both(answer, &world, left, right),
            // Orders that only networks have are breadth first or depth first here.
            "bfs" | "rank" => self.search(answer, &world, left, right, Order::BreadthFirst),
            "dfs" | "rdfs" | "drs" => self.search(answer, &world, left, right, Order::DepthFirst),
            "ret" => self.walk(answer, &world, left, right, Choice::Transition),
            "rcf" => self.walk(answer, &world, left, right, Choice::Channel),
            "sem" if [left, right].iter().any(|side| world.has_quotient(*side)) => {
                answer.unsupported = true;
                answer.reason = Some("`--search sem` is not for quotients: they have no components to race".to_owned());
            }
            "sem" => self.walk(answer, &world, left, right, Choice::Race),
            _ => {
                answer.unsupported = true;
                answer.reason =
                    Some(format!("`--search {search}` is not for refinement: auto, bfs, dfs, ret, rcf or sem is"));
            }
        }
    }

    fn preconditions(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId) -> bool {
        for component in 0..world.components.len() as u32 {
            let (alone, node) = world.alone(component);
            if !starts(&alone, node) {
                continue;
            }
            if !self.has_no_flaw(answer, &alone, node, determinism::Asked::Determinism) {
                return false;
            }
            if !self.is_consistent(answer, &alone, node) {
                return false;
            }
        }
        let name = |action| world.action_name(action);
        match comparable(world.alphabet(left), world.alphabet(right)) {
            Ok(()) => {}
            Err(Mismatch::NotDisjoint(actions)) => {
                let reason = format!("inputs of one side are outputs of the other: {}", named(&actions, &name));
                fail(answer, "alphabets-not-disjoint", reason);
                return false;
            }
            Err(Mismatch::Inputs(actions)) => {
                let reason =
                    format!("the left side has inputs that the right side does not have: {}", named(&actions, &name));
                fail(answer, "alphabets-not-included", reason);
                return false;
            }
            Err(Mismatch::Outputs(actions)) => {
                let reason =
                    format!("the right side has outputs that the left side does not have: {}", named(&actions, &name));
                fail(answer, "alphabets-not-included", reason);
                return false;
            }
        }
        for side in [left, right] {
            if !starts(world, side) {
                self.no_start(answer, world, side);
                return false;
            }
        }
        true
    }

    fn search(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId, order: Order) {
        let mut search = self.prover(world, left, right, order);
        let outcome = search.run(&mut |counts| self.goes_on(counts));
        self.searched(answer, world, left, right, &search, outcome);
    }

    /// Certificates need a search whose zones are a relation.
    fn prover<'w, 'n>(&self, world: &'w World<'n>, left: NodeId, right: NodeId, order: Order) -> Refinement<'w, 'n> {
        let comparison = if self.asked.options.certify { Comparison::Inclusion } else { Comparison::Simulation };
        Refinement::new(world, left, right, order, comparison)
    }

    fn searched(
        &mut self,
        answer: &mut Answer,
        world: &World<'_>,
        left: NodeId,
        right: NodeId,
        search: &Refinement<'_, '_>,
        outcome: Outcome,
    ) {
        let counts = &search.counts;
        answer.stats.states_explored = counts.explored;
        answer.stats.states_stored = counts.stored;
        answer.stats.peak_memory_mb = counts.bytes.div_ceil(1 << 20);
        match outcome {
            Outcome::Refines => {
                answer.verdict = Verdict::Satisfied;
                answer.evidence = Evidence::Exhaustive;
                if self.asked.options.certify {
                    self.certify(answer, world, search);
                }
            }
            Outcome::Violated(violation) => match refine::run::times(world, left, right, &violation) {
                Some(times) => self.violated(answer, world, &violation, &times),
                None => {
                    answer.internal = true;
                    answer.reason = Some("internal error: the violation found has no run".to_owned());
                }
            },
            Outcome::Failed(leaf, error) => self.model_error(answer, world, leaf, error),
            Outcome::Overflow => answer.reason = Some("a bound is too large for zones".to_owned()),
            Outcome::Stopped => answer.reason = Some(self.stopped()),
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
                if !self.goes_on(&Counts::default()) {
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
            Walked::Violated(found) => self.violated(answer, world, &found.0, &found.1),
            Walked::Failed(leaf, error) => self.model_error(answer, world, leaf, error),
            Walked::Nothing if self.asked.options.walks.is_some_and(|walks| totals.walks >= walks) => {
                answer.reason = Some(format!("no violation on {} walks, which proves nothing", totals.walks));
            }
            Walked::Nothing => answer.reason = Some(self.stopped()),
        }
    }

    /// The proof, and walks beside it once it turns out to take a while. The first answer wins.
    fn both(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId) {
        let mut search = self.prover(world, left, right, Order::BreadthFirst);
        let mut outcome = search.run(&mut |counts| counts.explored < ALONE && self.goes_on(counts));
        let mut totals = Totals::default();
        if matches!(outcome, Outcome::Stopped) && self.goes_on(&search.counts) {
            let settings = self.settings(Choice::Channel, self.threads().saturating_sub(1).max(1));
            let (stop, found) = (AtomicBool::new(false), AtomicBool::new(false));
            let (symbolic, walked) = std::thread::scope(|scope| {
                let walks = scope.spawn(|| {
                    let walked = hunt(world, left, right, &settings, &stop, &mut totals);
                    found.store(!matches!(walked, Walked::Nothing), Ordering::Relaxed);
                    walked
                });
                let symbolic = search.run(&mut |counts| !found.load(Ordering::Relaxed) && self.goes_on(counts));
                stop.store(true, Ordering::Relaxed);
                (symbolic, walks.join().unwrap_or(Walked::Nothing))
            });
            outcome = symbolic;
            if matches!((&outcome, &walked), (Outcome::Stopped, Walked::Violated(_) | Walked::Failed(..))) {
                answer.search = Some("rcf".to_owned());
                return self.walked(answer, world, walked, totals);
            }
        }
        self.searched(answer, world, left, right, &search, outcome);
    }

    /// Replays a violation and writes it into the answer.
    fn violated(&mut self, answer: &mut Answer, world: &World<'_>, violation: &Violation, times: &Times) {
        let action = |action: u32| match action.checked_sub(world.fresh) {
            Some(number) => Action::New(number as usize),
            None => Action::Channel(ChannelId::new(action as usize)),
        };
        let ratio = |ticks: i64| Rational::new(i128::from(ticks) * i128::from(times.unit), times.ticks.into());
        let mut before = 0;
        let mut steps = Vec::with_capacity(violation.path.len());
        for (step, moment) in violation.path.iter().zip(&times.steps) {
            steps.push((ratio(moment - before), action(step.action)));
            before = *moment;
        }
        let at = ratio(times.end);
        let name = |action: u32| world.action_name(action);
        let (failure, broken, reason) = match &violation.broken {
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
        let example = CounterExample { steps, final_delay: ratio(times.end - before), broken };
        let (left, right) = self.sides;
        match replay_refinement(self.asked.network, left, right, &example) {
            Ok(moves) => {
                fail(answer, failure, reason);
                answer.evidence = Evidence::Witness;
                let trace = example.to_trace(self.asked.network, moves);
                answer.refinement = Some(trace);
            }
            Err(refusal) => {
                answer.internal = true;
                answer.reason = Some(format!("internal error: a violation does not pass the replay: {refusal}"));
            }
        }
    }
}
