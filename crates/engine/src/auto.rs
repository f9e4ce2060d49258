//! The default way to look for a state: several engines side by side, the first conclusive answer wins.
//!
//! It is the development method of the papers on randomised search (Kiviriga, Larsen & Nyman 2020, 2021) as one button: cheap
//! falsification while nothing is known, proof when nothing is found. The exhaustive engine begins, on the thread that asks, and most models are
//! small: as long as its search is one ([`search::dives`]) the answer is its own, and does not depend on anything but the model. What takes longer than
//! half a millisecond may not be small, so others begin: random walks, with cores of their own, and in turns with the exhaustive search
//! (see [`turns`](crate::turns)) best-first search with graph distances, an under-approximation, and, where
//! something is expected to be found, deep random search, walks that choose a channel first and walks that split ([`walk::guide::split`]). What they find is held back until the exhaustive search is a large one, or takes longer than [`HELD`].
//! At that moment the thread that asks looks itself whether a greedy search is there soon ([`Probe`]): many are within a
//! millisecond, which is less than it takes to wake another thread. In a large network the thread of the greedy search begins with that.
//! If it is not, short depth-first searches come before the exhaustive one goes on ([`search::soundings`]).
//! Those that follow a heuristic give their share back when they come no
//! nearer to the goal (see [`prospects`](crate::prospects)). The exhaustive search dives when it is large, which is
//! deep random search at the cost of a few percent more explorations. Where clocks can stop, every second walk has habits
//! ([`walk::delay`]) instead of the default delays.
//!
//! What it preserves: an answer is that of one engine, with its evidence, and that engine is named in it: to make the same
//! run again, name the engine and the seed. Which of the engines is first depends on the machine; the verdict does not.
//! An error of the model that another engine than the exhaustive one meets ends nothing as long as that one may still decide: it
//! is told when that one has no answer.
//!
//! Cost: the work of the engines that lose. A limit of memory is shared, an eighth for each of the searches beside the exhaustive one and the
//! rest for that; walks need little.

use crate::beginnings::Others;
use crate::limits::{Statistics, Watch};
use crate::options::{Options, Preference};
use crate::problem::{Problem, Walking};
use crate::prospects::{Account, Probe, Reach};
use crate::reachability::{self, INTERRUPTED, Outcome, Proof, Reached};
use crate::searches::{self, Search, SearchRow, directed};
use crate::turns::{Role, Turn, Turns, VERY_LARGE};
use crate::walks;
use allowance::Allowance;
use heuristics::network::Kind;
use model::deep_stack::spawn_deep;
use model::network::{Effect, Engine, ExprId, Network, ProcessId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Scope, scope};
use std::time::{Duration, Instant};
use walk::delay::DelayChoice;
use walk::guide::Guide;
use walk::hunt::Totals;

/// A network with so many edges takes more than a moment to be set up: the others begin at once, and what they find is not held back.
const LARGE: usize = 400;
/// What others find is not held back for longer.
const HELD: Duration = Duration::from_millis(500);
/// How often progress is shown and interruption looked for.
const BETWEEN: Duration = Duration::from_millis(50);
/// When there will be no proof, the others go on for as long again as it took to know that, and at least for this.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// The greedy searches that are tried on the thread that asks, and those in a large network on the thread of the greedy search. With more edges than
/// [`VERY_LARGE`] they take too long to be set up.
const PROBES: Probes =
    [(&directed::GBFS, Reach { most: 1_000, vain: 16 }), (&directed::UT, Reach { most: 64, vain: 16 })];
const LARGE_PROBES: Probes =
    [(&directed::GBFS, Reach { most: 1_000, vain: 16 }), (&directed::UT, Reach { most: 1_000, vain: 128 })];

type Probes = [(&'static SearchRow, Reach); 2];

/// What the greedy search goes by: cheap, and good at what needs many processes in certain places.
const HEURISTIC: Kind = Kind::SumOfDistances;

/// What the thread of an engine says at its end.
enum Message {
    Done(Role, Box<Reply>),
    /// It panicked.
    Broken,
}

/// Whether walks take part.
pub fn walking(network: &Network, predicate: ExprId, options: &Options) -> Walking {
    let walks_can = network.fitness.of(Engine::Concrete).all(|obstacle| obstacle.effect != Effect::Excludes);
    match options.preference == Preference::Any && walks_can && !reachability::is_constant(network, predicate) {
        true => Walking::Yes,
        false => Walking::No,
    }
}

/// Looks for a state in which the predicate holds.
pub fn reach(problem: &Problem, options: &Options, watch: &mut Watch) -> Reply {
    let network = problem.network;
    if problem.preparation.is_none() {
        return (reachability::reach(problem, options, watch), Totals::default());
    }
    let over = Arc::new(AtomicBool::new(false));
    let edges = edges(network);
    let is_long = Arc::new(AtomicBool::new(edges >= LARGE));
    let places = options.threads.unwrap_or_else(walks::available_threads);
    let race = Race {
        problem,
        edges,
        options,
        started: Instant::now(),
        turns: Turns::new(
            places,
            (reachability::explores_all(&problem.claim), edges),
            is_long.clone(),
            over.clone(),
            watch.cancel(),
        ),
        is_long,
        over,
        decided: AtomicBool::new(false),
        walked: Mutex::default(),
    };
    race.run(watch)
}

/// Whether channels pair senders with receivers. There every pair is a transition, and where all are drawn alike those of a channel with many
/// of them leave little to the others.
fn pairs(network: &Network) -> bool {
    network.channels.iter().filter(|channel| !channel.kind.broadcast).count() > 1
}

/// How many edges there are, with the values of their select variables.
fn edges(network: &Network) -> usize {
    (0..network.processes.len()).map(|n| network.template_of(ProcessId::new(n)).expanded.len()).sum()
}

struct Race<'a> {
    problem: &'a Problem<'a>,
    /// How many edges the network has, with the values of their select variables.
    edges: usize,
    options: &'a Options,
    /// Not set as long as the exhaustive engine may be done soon: then the answer is its.
    is_long: Arc<AtomicBool>,
    started: Instant,
    over: Arc<AtomicBool>,
    /// Somebody has an answer.
    decided: AtomicBool,
    turns: Arc<Turns>,
    /// What the walks have done so far.
    walked: Mutex<Statistics>,
}

type Reply = (Reached, Totals);

/// What came of probes.
enum Probed {
    Found(Box<Reply>),
    Vain(Account),
}

impl Race<'_> {
    fn run(&self, watch: &mut Watch) -> Reply {
        let (tell, told) = channel();
        let mut results = scope(|scope| {
            let mut others = Others::new(self.started, self.edges >= LARGE);
            let mut start = |role| self.start(scope, role, &tell);
            others.start_due(&mut start);
            let _broken = Broken { turns: &self.turns, tell: &tell };
            let first = self.prove(&mut others, watch, &mut start);
            let results = match is_conclusive(first.0, &first.1.0.outcome) {
                true => vec![first],
                false => self.follow(first.1, others, &told, watch, &mut start),
            };
            self.turns.end();
            results
        });
        drop(tell);
        let decided = results.len();
        // Those that were not waited for have ended by now.
        results.extend(told.into_iter().filter_map(|message| match message {
            Message::Done(role, reply) => Some((role, *reply)),
            Message::Broken => None,
        }));
        conclude(results, decided)
    }

    /// Starts an engine on a thread of its own, if it is to take part and there can be one.
    fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, role: Role, tell: &Sender<Message>) -> bool {
        // Where everything has to be seen anyway, these are no help.
        if matches!(role, Role::Channels | Role::Deep | Role::Split) && reachability::explores_all(&self.problem.claim)
        {
            return false;
        }
        if role == Role::Channels && !pairs(self.problem.network) {
            return false;
        }
        // All walks are guided if that is asked for.
        if role == Role::Split && (self.options.guide != Guide::None || self.options.level.is_some()) {
            return false;
        }
        if self.options.time_limit.is_some_and(|limit| self.started.elapsed() >= limit) {
            return false;
        }
        let teller = tell.clone();
        let turn = self.turns.of(role);
        let allowance = self.part_of_allowance(&turn);
        let work = move || {
            let _entered = allowance.as_ref().map(Allowance::enter);
            let _broken = Broken { turns: &self.turns, tell: &teller };
            turn.look();
            let result = match role {
                // It has its first turn when all is over, or runs on the thread that asks.
                _ if self.over.load(Ordering::Relaxed) => Race::too_late(),
                Role::Proof => Race::too_late(),
                Role::Greedy => self.be_greedy(turn),
                Role::Narrow => self.follow_heuristic(&directed::UA, &mut self.watch(turn)),
                Role::Deep => self.go_deep(turn),
                Role::Channels => self.walk(&searches::walks::RCF, self.options.guide, turn),
                Role::Split => self.walk(&searches::walks::RET, Guide::Split, turn),
                Role::Walk => self.walk(&searches::walks::RET, self.options.guide, turn),
            };
            if is_conclusive(role, &result.0.outcome) && !self.turns.is_proved() {
                self.turns.of(role).wait_until_shared();
                self.decide();
            }
            // Nobody listens any more when another was first.
            let _ = teller.send(Message::Done(role, Box::new(result)));
        };
        // What it finds is replayed on the same stack.
        spawn_deep(scope, work).is_ok()
    }

    /// What an engine may use, until all is over. In the middle of a long step it lets others have their turns.
    fn part_of_allowance(&self, turn: &Turn) -> Option<Allowance> {
        let turn = turn.clone();
        allowance::current().map(|whole| whole.part(self.over.clone(), move || turn.look()))
    }

    /// There is an answer: the others need not wait until it is heard. Whether there was one before.
    fn decide(&self) -> bool {
        let is_second = self.decided.swap(true, Ordering::Relaxed);
        self.turns.end();
        is_second
    }

    /// The exhaustive engine, on this thread, which looks after the others as well. The answer may be that of the probe on the way.
    fn prove(&self, others: &mut Others, watch: &mut Watch, start: &mut dyn FnMut(Role) -> bool) -> (Role, Reply) {
        let turn = self.turns.of(Role::Proof);
        turn.look();
        let allowance = self.part_of_allowance(&turn);
        let _entered = allowance.as_ref().map(Allowance::enter);
        let (mut is_small, mut shown, mut probed) = (true, Duration::ZERO, None);
        let mut duties = |statistics: &dyn Fn() -> Statistics| {
            if is_small && self.is_long.load(Ordering::Relaxed) {
                is_small = false;
                self.turns.of(Role::Proof).share();
                match self.probe_first(watch) {
                    Some(Probed::Found(reply)) => {
                        probed = Some(*reply);
                        self.decide();
                    }
                    Some(Probed::Vain(account)) if !account.came_nearer() => others.postpone_directed(),
                    Some(Probed::Vain(_)) | None => {}
                }
            }
            others.start_due(start);
            if self.started.elapsed() >= shown + BETWEEN {
                shown = self.started.elapsed();
                self.look_after(&statistics(), watch);
            }
        };
        let memory_limit = self.options.memory_limit.map(|limit| limit - limit / 8 * 3);
        let options = Options { memory_limit, ..self.options.clone() };
        let own = Watch::new(Some(self.over.clone()), None).taking(turn.clone());
        let mut own = own.telling(self.is_long.clone()).beside(&mut duties);
        let mut reached = reachability::reach(self.problem, &options, &mut own);
        if let Outcome::Nowhere(_) = reached.outcome {
            self.turns.prove();
        }
        if is_open(&reached.outcome) {
            self.is_long.store(true, Ordering::Relaxed);
        } else if is_conclusive(Role::Proof, &reached.outcome)
            && self.decide()
            && matches!(reached.outcome, Outcome::Nowhere(Proof::Uncertified(_)))
        {
            // Its certificate was not checked to the end because another was first.
            reached.outcome = Outcome::Unknown(INTERRUPTED.to_owned());
        }
        turn.leave();
        match probed {
            Some(reply) => (Role::Greedy, reply),
            None => (Role::Proof, (reached, Totals::default())),
        }
    }

    /// Interruption, progress, and what is held back.
    fn look_after(&self, proof: &Statistics, watch: &mut Watch) {
        if self.started.elapsed() >= HELD {
            self.is_long.store(true, Ordering::Relaxed);
        }
        if watch.is_cancelled() {
            self.is_long.store(true, Ordering::Relaxed);
            self.turns.end();
        }
        let Statistics { walks, steps, walk_depth, .. } = *self.walked.lock().unwrap_or_else(PoisonError::into_inner);
        watch.show(&Statistics { walks, steps, walk_depth, elapsed: self.started.elapsed(), ..*proof });
    }

    /// Of an engine that takes turns, until all is over.
    fn watch<'w>(&self, turn: Turn) -> Watch<'w> {
        Watch::new(Some(self.over.clone()), None).taking(turn)
    }

    /// What is left for an engine that begins later.
    fn later(&self, search: &'static SearchRow) -> Options {
        let time_limit = self.options.time_limit.map(|limit| limit.saturating_sub(self.started.elapsed()));
        let memory_limit = self.options.memory_limit.map(|limit| limit / 8);
        Options { search: Search::from(search), time_limit, memory_limit, ..self.options.clone() }
    }

    fn follow_heuristic(&self, search: &'static SearchRow, watch: &mut Watch) -> Reply {
        let options = Options { heuristic: Some(HEURISTIC), ..self.later(search) };
        let blind = directed::wanted(&options).is_none_or(|wanted| {
            directed::misfit(&wanted, self.problem.network, self.problem.predicate, &options).is_some()
        });
        let reached = match blind {
            true => Reached::without_search(Outcome::Unknown("no heuristic for this goal".to_owned())),
            false => reachability::reach(self.problem, &options, watch),
        };
        (reached, Totals::default())
    }

    /// The greedy search, on a thread of its own.
    fn be_greedy(&self, turn: Turn) -> Reply {
        if (LARGE..VERY_LARGE).contains(&self.edges) {
            let look = || {
                turn.look();
                true
            };
            match self.probe(LARGE_PROBES, &look) {
                Probed::Found(reply) => return *reply,
                Probed::Vain(account) => {
                    // What it takes to set a search up does not count.
                    turn.start_anew();
                    turn.take_over(account);
                }
            }
        }
        self.follow_heuristic(&directed::GBFS, &mut self.watch(turn))
    }

    /// Greedy searches on the thread that asks, unless one has begun on its own. If they are in vain, that one knows what is to be hoped for.
    fn probe_first(&self, watch: &Watch) -> Option<Probed> {
        let greedy = self.turns.of(Role::Greedy);
        if self.edges >= LARGE || greedy.has_begun() {
            return None;
        }
        let probed = self.probe(PROBES, &|| !watch.is_cancelled());
        if let Probed::Vain(account) = probed {
            greedy.take_over(account);
        }
        Some(probed)
    }

    /// Short searches as long as they come nearer: a greedy one, and if that is not blind, another that puts useless transitions off. If they are in vain,
    /// what counts is the first, which a greedy search that begins anew is like.
    fn probe(&self, probes: Probes, may_go_on: &dyn Fn() -> bool) -> Probed {
        let mut first = None;
        for (search, reach) in probes {
            let is_blind = first.is_some_and(|account: Account| account.is_blind());
            if is_blind || self.over.load(Ordering::Relaxed) {
                break;
            }
            let stop = Arc::new(AtomicBool::new(false));
            let mut probe = Probe::of(reach);
            let mut duties = |statistics: &dyn Fn() -> Statistics| {
                if self.over.load(Ordering::Relaxed) || !may_go_on() || !probe.goes_on(&statistics()) {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            let mut own = Watch::new(Some(stop.clone()), None).beside(&mut duties);
            let reply = self.follow_heuristic(search, &mut own);
            if is_conclusive(Role::Greedy, &reply.0.outcome) {
                return Probed::Found(Box::new(reply));
            }
            first.get_or_insert(probe.account);
        }
        Probed::Vain(first.unwrap_or_default())
    }

    fn go_deep(&self, turn: Turn) -> Reply {
        let (options, watch) = (self.later(&searches::deep_random::DRS), &mut self.watch(turn));
        let reached = reachability::reach(self.problem, &options, watch);
        (reached, Totals::default())
    }

    fn walk(&self, search: &'static SearchRow, guide: Guide, turn: Turn) -> Reply {
        let mut seen = |now: &Statistics| *self.walked.lock().unwrap_or_else(PoisonError::into_inner) = *now;
        // There are many of those that wander about, and one thread for those of another kind.
        let (mut watch, threads) = match turn.role() {
            Role::Walk => (Watch::new(Some(self.over.clone()), Some(&mut seen)).taking(turn), self.turns.places()),
            _ => (self.watch(turn), 1),
        };
        let mut options = Options { threads: Some(threads), guide, ..self.later(search) };
        // Where clocks stop there is a schedule, and its errors may take habits.
        if options.delays == DelayChoice::default() && self.problem.network.has_stopwatches() {
            options.delays = DelayChoice::Mixed;
        }
        let Some(strategy) = search.walking() else { return Race::too_late() };
        walks::reach(self.problem, (search.name, strategy), &options, &mut watch)
    }

    /// What an engine says that has done nothing.
    fn too_late() -> Reply {
        (Reached::without_search(Outcome::Unknown(INTERRUPTED.to_owned())), Totals::default())
    }

    /// Waits for the first conclusive answer, or for the last of all; the exhaustive engine has none.
    fn follow(
        &self,
        proof: Reply,
        mut others: Others,
        told: &Receiver<Message>,
        watch: &mut Watch,
        start: &mut dyn FnMut(Role) -> bool,
    ) -> Vec<(Role, Reply)> {
        let statistics = proof.0.statistics;
        let elapsed = self.started.elapsed();
        let end = match proof.0.outcome {
            Outcome::Unsupported(_) => Duration::MAX,
            _ => (elapsed * 2).max(elapsed + AFTERWARDS),
        };
        let mut results = vec![(Role::Proof, proof)];
        loop {
            others.start_due(start);
            if others.have_ended() {
                return results;
            }
            match told.recv_timeout(others.pause(BETWEEN)) {
                Ok(Message::Done(role, result)) => {
                    others.ended();
                    let decided = is_conclusive(role, &result.0.outcome);
                    results.push((role, *result));
                    if decided {
                        return results;
                    }
                }
                Ok(Message::Broken) => others.ended(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return results,
            }
            if self.started.elapsed() > end {
                self.turns.end();
            }
            self.look_after(&statistics, watch);
        }
    }
}

/// An engine that panics ends the race; the scope passes the panic on when all have ended.
struct Broken<'a> {
    turns: &'a Turns,
    tell: &'a Sender<Message>,
}

impl Drop for Broken<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.turns.end();
            let _ = self.tell.send(Message::Broken);
        }
    }
}

/// The conclusive answer, which is the last one of those that `decided`, or what is closest to one: an error of the model, or else what
/// the exhaustive engine says. A proof beside a run that was found is neither: one of them is wrong.
fn conclude(mut results: Vec<(Role, Reply)>, decided: usize) -> Reply {
    if let Some(reply) = contradiction(&results) {
        return reply;
    }
    let mut met = results.iter_mut().find_map(|(_, (reached, _))| reached.met.take());
    results.truncate(decided);
    let mut reply = decide(results);
    if reply.0.met.is_none() {
        reply.0.met = met.take();
    }
    reply
}

/// What is said where one engine has found what another has proved to be nowhere.
fn contradiction(results: &[(Role, Reply)]) -> Option<Reply> {
    let by = |is_it: fn(&Outcome) -> bool| results.iter().find(|(_, (reached, _))| is_it(&reached.outcome));
    let (_, (found, _)) = by(|outcome| matches!(outcome, Outcome::Found(_) | Outcome::FoundWithoutTimes))?;
    let (_, (proof, _)) = by(|outcome| matches!(outcome, Outcome::Nowhere(_)))?;
    let text = format!("{} has found what {} has proved to be nowhere", found.search, proof.search);
    Some((Reached::without_search(Outcome::Internal(text)), Totals::default()))
}

fn decide(mut results: Vec<(Role, Reply)>) -> Reply {
    let walked = results.iter().find(|(role, _)| *role == Role::Walk).map(|(_, (_, totals))| *totals);
    let is_conclusive = |(role, (reached, _)): &(Role, Reply)| is_conclusive(*role, &reached.outcome);
    let is_known = |(_, (reached, _)): &(Role, Reply)| !is_open(&reached.outcome);
    let is_proof = |(role, _): &(Role, Reply)| *role == Role::Proof;
    let best = results
        .iter()
        .position(is_conclusive)
        .or_else(|| results.iter().position(is_known))
        .or_else(|| results.iter().position(is_proof));
    match best.map(|best| results.swap_remove(best)) {
        // What walks did is told when nobody was first.
        Some((role, (reached, totals))) if is_open(&reached.outcome) && role == Role::Proof => {
            (reached, walked.unwrap_or(totals))
        }
        Some((_, result)) => result,
        None => {
            let unknown = Outcome::Unknown("no thread could be made".to_owned());
            (Reached::without_search(unknown), Totals::default())
        }
    }
}

fn is_open(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unknown(_) | Outcome::Unsupported(_))
}

/// Whether an answer ends the race. What only an engine that is not exhaustive takes for an error may not concern the query.
fn is_conclusive(role: Role, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Unknown(_) | Outcome::Unsupported(_) => false,
        Outcome::ModelError(..) => role == Role::Proof,
        Outcome::Found(_) | Outcome::FoundWithoutTimes | Outcome::Nowhere(_) | Outcome::Internal(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(outcome: Outcome) -> Reply {
        (Reached::without_search(outcome), Totals::default())
    }

    #[test]
    fn a_proof_beside_a_run_is_an_internal_error_whoever_was_first() {
        let found = || (Role::Walk, reply(Outcome::FoundWithoutTimes));
        let proof = || (Role::Proof, reply(Outcome::Nowhere(Proof::Exhaustive)));
        for decided in 1..=2 {
            for results in [vec![found(), proof()], vec![proof(), found()]] {
                assert!(matches!(conclude(results, decided).0.outcome, Outcome::Internal(_)));
            }
        }
        assert!(matches!(conclude(vec![proof()], 1).0.outcome, Outcome::Nowhere(_)));
        assert!(matches!(conclude(vec![found()], 1).0.outcome, Outcome::FoundWithoutTimes));
    }
}
