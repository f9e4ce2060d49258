//! Queries about timed I/O systems: refinement, consistency, determinism and what belongs to them.
//!
//! Preconditions of a refinement come first, in this order: every component is deterministic and consistent, the actions of the two
//! sides fit, both initial states meet their invariants. A precondition that fails makes the answer "violated", and the
//! field `failure` says which one it was.

use crate::check::Asked;
use crate::limits::Watch;
use crate::place::Place;
use crate::report::{Answer, Evidence, Verdict};
use certify::Rational;
use certify::refinement::{Action, CounterExample, Rule, replay_refinement};
use model::check::{QueryKind, SystemExpr};
use model::network::ChannelId;
use model::source::Span;
use model::syntax::query::SystemCheck;
use refine::alphabet::{Mismatch, comparable, named};
use refine::consistency::{Consistency, consistency};
use refine::determinism::{self, Flaw, flaws};
use refine::error::Unfit;
use refine::explore::{Explored, Start, explore_from, starts};
use refine::frame::Frame;
use refine::refinement::{Broken, Counts, Order, Outcome, Refinement, Violation};
use refine::run::Times;
use refine::state_predicate::{Resolved, parse};
use refine::walks::{Choice, Settings, Totals, Walked, hunt};
use refine::world::{NodeId, World};
use search::statistics::Statistics;
use semantics::structure::Structure;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use walk::depth::Depth;
use zones::Zone;

/// So many pairs are explored before walks are made beside the proof: small systems have an answer by then.
const ALONE: u64 = 2_000;

/// What the answers of all these queries need.
struct Question<'q, 'a, 'p> {
    asked: &'q Asked<'a>,
    /// The two systems of a refinement; of another query twice the one.
    sides: (&'q SystemExpr, &'q SystemExpr),
    watch: &'q mut Watch<'p>,
    started: Instant,
    out_of_memory: bool,
}

pub(crate) fn answer(answer: &mut Answer, asked: &Asked, kind: &QueryKind, watch: &mut Watch) {
    let structure = Structure::new(asked.network);
    let sides = match kind {
        QueryKind::Refinement { left, right } => (left, right),
        QueryKind::SystemCheck { system, .. } | QueryKind::SystemReachability { system, .. } => (system, system),
        _ => return,
    };
    let mut question = Question { asked, sides, watch, started: Instant::now(), out_of_memory: false };
    match kind {
        QueryKind::Refinement { left, right } => question.refinement(answer, &structure, left, right),
        QueryKind::SystemCheck { check, system, .. } => question.check(answer, &structure, *check, system),
        QueryKind::SystemReachability { system, start, goal } => {
            question.reachability(answer, &structure, system, start.as_ref(), goal);
        }
        _ => {}
    }
}

fn refuse(answer: &mut Answer, unfit: &Unfit) {
    match unfit {
        Unfit::Unsupported { .. } => answer.unsupported = true,
        Unfit::Combination(_) => answer.verdict = Verdict::Error,
    }
    answer.reason = Some(unfit.to_string());
}

/// Writes a rule or precondition that fails into the answer.
fn fail(answer: &mut Answer, failure: &'static str, reason: String) {
    answer.verdict = Verdict::Violated;
    answer.evidence = Evidence::Exhaustive;
    answer.failure = Some(failure);
    answer.reason = Some(reason);
}

impl Question<'_, '_, '_> {
    /// Whether the limits allow going on.
    fn goes_on(&mut self, counts: &Counts) -> bool {
        let statistics = || Statistics {
            explored: counts.explored,
            stored: counts.stored,
            peak_bytes: counts.bytes,
            ..Statistics::default()
        };
        self.watch.tick(&statistics);
        let options = self.asked.options;
        let in_time = options.time_limit.is_none_or(|limit| self.started.elapsed() < limit);
        self.out_of_memory = options.memory_limit.is_some_and(|limit| counts.bytes > limit);
        in_time && !self.out_of_memory && !self.watch.is_cancelled()
    }

    fn stopped(&self) -> String {
        if self.watch.is_cancelled() {
            "interrupted".to_owned()
        } else if self.out_of_memory {
            "the memory limit is reached".to_owned()
        } else {
            "the time limit is reached".to_owned()
        }
    }

    fn model_error(&self, answer: &mut Answer, world: &World<'_>, leaf: u32, error: u32) {
        let error = world.component_of(leaf).errors[error as usize];
        answer.verdict = Verdict::Error;
        answer.reason = Some(format!("the model has an error: {error}"));
        answer.place = Some(Place::of(self.asked.sources, error.span));
        answer.span = Some(error.span);
    }

    fn check(&mut self, answer: &mut Answer, structure: &Structure<'_>, check: SystemCheck, system: &SystemExpr) {
        let (world, root) = match World::new(structure, &[system]) {
            Ok((world, roots)) => (world, roots[0]),
            Err(unfit) => return refuse(answer, &unfit),
        };
        answer.search = Some("bfs".to_owned());
        let good = match check {
            SystemCheck::Consistency => {
                self.has_no_flaw(answer, &world, root, determinism::Asked::Determinism)
                    && self.is_consistent(answer, &world, root)
            }
            SystemCheck::Determinism | SystemCheck::Specification => {
                self.has_no_flaw(answer, &world, root, determinism::Asked::Determinism)
            }
            SystemCheck::Implementation => self.has_no_flaw(answer, &world, root, determinism::Asked::Implementation),
            SystemCheck::Prune | SystemCheck::GetComponent => {
                answer.unsupported = true;
                answer.reason = Some("no engine for this query yet".to_owned());
                false
            }
        };
        if good {
            answer.verdict = Verdict::Satisfied;
            answer.evidence = Evidence::Exhaustive;
        }
    }

    /// Writes into the answer what is wrong, if anything is.
    fn is_consistent(&mut self, answer: &mut Answer, world: &World<'_>, system: NodeId) -> bool {
        match consistency(world, system, &mut || self.goes_on(&Counts::default())) {
            Consistency::Consistent => return true,
            Consistency::Inconsistent { state, clocks } => {
                let place = world.describe(&world.leaves_of(system), &state, &clocks);
                let reason = format!(
                    "{} is inconsistent: it cannot keep its environment from states such as {place}, where neither time \
                     nor an output goes on",
                    world.title(system)
                );
                fail(answer, "inconsistent", reason);
            }
            Consistency::NoStart => self.no_start(answer, world, system),
            Consistency::Failed(leaf, error) => self.model_error(answer, world, leaf, error),
            Consistency::Overflow => answer.reason = Some("a bound is too large for zones".to_owned()),
            Consistency::Stopped => answer.reason = Some(self.stopped()),
        }
        false
    }

    fn no_start(&self, answer: &mut Answer, world: &World<'_>, system: NodeId) {
        let reason = format!("the initial state of {} violates its invariant", world.title(system));
        fail(answer, "empty-initial-state", reason);
    }

    fn has_no_flaw(
        &mut self,
        answer: &mut Answer,
        world: &World<'_>,
        system: NodeId,
        asked: determinism::Asked,
    ) -> bool {
        let flaw = match flaws(world, system, asked, &mut || self.goes_on(&Counts::default())) {
            Explored::All(_) => return true,
            Explored::Found(flaw) => flaw,
            Explored::NoStart => {
                self.no_start(answer, world, system);
                return false;
            }
            Explored::Failed(leaf, error) => {
                self.model_error(answer, world, leaf, error);
                return false;
            }
            Explored::Overflow => {
                answer.reason = Some("a bound is too large for zones".to_owned());
                return false;
            }
            Explored::Stopped => {
                answer.reason = Some(self.stopped());
                return false;
            }
        };
        let title = world.title(system);
        let (failure, place, what) = match &flaw {
            Flaw::Nondeterministic(place) => ("nondeterministic", place, "is not deterministic: it can go two ways"),
            Flaw::NotUrgent(place) => ("not-output-urgent", place, "may wait although it has an output"),
            Flaw::NoProgress(place) => ("no-progress", place, "is stuck: time ends, and it has no output"),
        };
        let action = place.action.map_or(String::new(), |action| format!(" on `{}`", world.action_name(action)));
        let state = world.describe(&world.leaves_of(system), &place.slots, &place.clocks);
        fail(answer, failure, format!("{title} {what}{action} in {state}"));
        false
    }

    fn refinement(&mut self, answer: &mut Answer, structure: &Structure<'_>, left: &SystemExpr, right: &SystemExpr) {
        let (world, left, right) = match World::new(structure, &[left, right]) {
            Ok((world, roots)) => (world, roots[0], roots[1]),
            Err(unfit) => return refuse(answer, &unfit),
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
            _ => {
                answer.unsupported = true;
                answer.reason =
                    Some(format!("`--search {search}` is not for refinement: auto, bfs, dfs, ret or rcf is"));
            }
        }
    }

    fn search(&mut self, answer: &mut Answer, world: &World<'_>, left: NodeId, right: NodeId, order: Order) {
        let mut search = Refinement::new(world, left, right, order);
        let outcome = search.run(&mut |counts| self.goes_on(counts));
        self.searched(answer, world, left, right, &search.counts, outcome);
    }

    fn searched(
        &mut self,
        answer: &mut Answer,
        world: &World<'_>,
        left: NodeId,
        right: NodeId,
        counts: &Counts,
        outcome: Outcome,
    ) {
        answer.stats.states_explored = counts.explored;
        answer.stats.states_stored = counts.stored;
        answer.stats.peak_memory_mb = counts.bytes.div_ceil(1 << 20);
        match outcome {
            Outcome::Refines => {
                answer.verdict = Verdict::Satisfied;
                answer.evidence = Evidence::Exhaustive;
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
        let mut search = Refinement::new(world, left, right, Order::BreadthFirst);
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
        self.searched(answer, world, left, right, &search.counts, outcome);
    }

    fn reachability(
        &mut self,
        answer: &mut Answer,
        structure: &Structure<'_>,
        system: &SystemExpr,
        start: Option<&(String, Span)>,
        goal: &(String, Span),
    ) {
        let mut bad = |reason: String, span: Span| {
            answer.verdict = Verdict::Error;
            answer.reason = Some(reason);
            answer.place = Some(Place::of(self.asked.sources, span));
            answer.span = Some(span);
        };
        let start = start.filter(|(text, _)| text.trim() != "init");
        let from = match start.map(|(text, _)| parse(text)).transpose() {
            Ok(from) => from,
            Err(reason) => return bad(reason, start.map_or(goal.1, |(_, span)| *span)),
        };
        let to = match parse(&goal.0) {
            Ok(to) => to,
            Err(reason) => return bad(reason, goal.1),
        };
        let mut constants = Vec::new();
        from.iter().chain([&to]).for_each(|predicate| predicate.constants(&mut constants));
        if let Some(constant) =
            constants.iter().find(|constant| !zones::Bound::is_admissible(4 * i64::from(**constant)))
        {
            return bad(format!("the constant {constant} is too large for zones"), goal.1);
        }
        let (world, root) = match World::with_constants(structure, &[system], &constants) {
            Ok((world, roots)) => (world, roots[0]),
            Err(unfit) => return refuse(answer, &unfit),
        };
        let to = match Resolved::new(&world, root, to) {
            Ok(to) => to,
            Err(reason) => return bad(reason, goal.1),
        };
        let from = match from.map(|from| Resolved::new(&world, root, from)).transpose() {
            Ok(from) => from,
            Err(reason) => return bad(reason, start.map_or(goal.1, |(_, span)| *span)),
        };
        let mut watched = to.watched();
        watched.extend(from.iter().flat_map(|from| from.watched()));
        let starts = match &from {
            None if !starts(&world, root) => return self.no_start(answer, &world, root),
            None => vec![(world.initial(), None)],
            Some(from) => match from.starts() {
                Some(starts) => starts.into_iter().map(|(slots, clocks)| (slots, Some(clocks))).collect(),
                None => return bad("the state to start from has too many cases".to_owned(), goal.1),
            },
        };
        answer.search = Some("bfs".to_owned());
        answer.verdict = Verdict::Violated;
        answer.evidence = Evidence::Exhaustive;
        for (slots, clocks) in starts {
            let start = Start { slots, clocks: clocks.as_deref(), watched: &watched };
            let mut too_many = false;
            let mut reached = |slots: &[u32], frame: &Frame, zone: &Zone| {
                let Some(cases) = to.cases(slots) else {
                    too_many = true;
                    return Some(());
                };
                let holds = |case: &Vec<_>| zone.clone().constrain_all(&frame.constraints(case));
                cases.iter().any(holds).then_some(())
            };
            let explored = explore_from(&world, root, &start, &mut || self.goes_on(&Counts::default()), &mut reached);
            let (verdict, reason) = match explored {
                Explored::All(_) => continue,
                Explored::Found(()) if !too_many => (Verdict::Satisfied, None),
                Explored::Found(()) => (Verdict::Unknown, Some("the state to reach has too many cases".to_owned())),
                Explored::NoStart => return self.no_start(answer, &world, root),
                Explored::Failed(leaf, error) => return self.model_error(answer, &world, leaf, error),
                Explored::Overflow => (Verdict::Unknown, Some("a bound is too large for zones".to_owned())),
                Explored::Stopped => (Verdict::Unknown, Some(self.stopped())),
            };
            answer.verdict = verdict;
            answer.reason = reason;
            if verdict == Verdict::Unknown {
                answer.evidence = Evidence::None;
            }
            return;
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
                let outputs: HashSet<Action> =
                    violation.path.iter().filter(|step| step.output).map(|step| action(step.action)).collect();
                fail(answer, failure, reason);
                answer.evidence = Evidence::Witness;
                let trace = example.to_trace(self.asked.network, moves, &|action| outputs.contains(&action));
                answer.refinement = Some(trace);
            }
            Err(refusal) => {
                answer.internal = true;
                answer.reason = Some(format!("internal error: a violation does not pass the replay: {refusal}"));
            }
        }
    }
}
