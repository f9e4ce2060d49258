//! The default way to look for a state: several engines side by side, the first conclusive answer wins.
//!
//! It is the development method of the papers on randomised search (Kiviriga, Larsen & Nyman 2020, 2021) as one button: cheap
//! falsification while nothing is known, proof when nothing is found. The exhaustive engine begins, and most models are small: as long as
//! its search is one ([`search::dives`]) the answer is its own, and does not depend on anything but the model. What takes longer than a millisecond may
//! not be small, so others begin on the cores that it leaves: best-first search with graph distances, an under-approximation, and
//! random walks. What they find is held back until the exhaustive search is a large one, or takes longer than [`HELD`]. From then on all take turns (see
//! [`turns`](crate::turns)) on as many cores as are allowed; those that follow a heuristic give their share back when they come no
//! nearer to the goal (see [`prospects`](crate::prospects)). The exhaustive search dives from then on, which is
//! deep random search at the cost of a few percent more explorations. Where clocks can stop, every second walk has habits
//! ([`walk::delay`]) instead of the default delays.
//!
//! What it preserves: an answer is that of one engine, with its evidence, and that engine is named in it: to make the same
//! run again, name the engine and the seed. Which of the engines is first depends on the machine; the verdict does not.
//! An error of the model that another engine than the exhaustive one meets ends nothing as long as that one may still decide: it
//! is told when that one has no answer.
//!
//! Cost: the work of the engines that lose. A limit of memory is shared, an eighth for each greedy search and the rest for the
//! exhaustive one; walks need little.

use crate::limits::{Statistics, Watch};
use crate::options::{Options, Preference};
use crate::reachability::{self, Outcome, Proof, Reached};
use crate::turns::{Role, Turns};
use crate::{directed, walks};
use certify::Claim;
use model::deep_stack::spawn_deep;
use model::network::{Effect, Engine, Expr, ExprId, Network};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Scope, scope};
use std::time::{Duration, Instant};
use walk::delay::DelayChoice;
use walk::hunt::Totals;
use walk::strategy::Strategy;

/// When threads are made beside that of the exhaustive engine. A query that is answered by then does not need them. The others wait for the
/// greedy search to begin ([`Turns`]), but are there before: where all cores are busy, a new thread has to wait for some milliseconds.
const BEGINNINGS: [(Role, Duration); 3] = [
    (Role::Walk, Duration::from_micros(500)),
    (Role::Narrow, Duration::from_micros(500)),
    (Role::Greedy, Duration::from_millis(1)),
];
/// What others find is not held back for longer.
const HELD: Duration = Duration::from_millis(500);
/// How often progress is shown and interruption looked for.
const BETWEEN: Duration = Duration::from_millis(50);
/// When there will be no proof, the others go on for as long again as it took to know that, and at least for this.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// What the greedy search goes by: cheap, and good at what needs many processes in certain places.
const HEURISTIC: &str = "dU";

/// What an engine says.
enum Message {
    /// One more engine takes part.
    Begins,
    /// There can be no thread for it.
    Stays,
    Done(Role, Box<Reply>),
}

/// Looks for a state in which the predicate holds; `claim` is what a run to it shows.
pub fn reach(network: &Network, predicate: ExprId, claim: Claim, options: &Options, watch: &mut Watch) -> Reply {
    let walks_can = network.fitness.of(Engine::Concrete).all(|obstacle| obstacle.effect != Effect::Excludes);
    if options.preference != Preference::Any || !walks_can || is_constant(network, predicate) {
        return (reachability::reach(network, predicate, claim, options, watch), Totals::default());
    }
    let over = Arc::new(AtomicBool::new(false));
    let is_long = Arc::new(AtomicBool::new(false));
    let places = options.threads.unwrap_or_else(walks::available_threads);
    let race = Race {
        network,
        predicate,
        claim,
        options,
        started: Instant::now(),
        turns: Turns::new(places, reachability::explores_all(&claim), is_long.clone(), over.clone()),
        is_long,
        over,
        decided: AtomicBool::new(false),
        seen: Mutex::default(),
    };
    race.run(watch)
}

/// Whether a predicate is the same in all states. Nothing can find what is nowhere, and exploring everything is what such
/// queries are made for.
fn is_constant(network: &Network, predicate: ExprId) -> bool {
    let mut constant = true;
    network.code.walk(predicate, &mut |_, expr| {
        constant &= matches!(expr, Expr::Int(_) | Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Binary { .. });
    });
    constant
}

struct Race<'a> {
    network: &'a Network,
    predicate: ExprId,
    claim: Claim,
    options: &'a Options,
    /// Not set as long as the exhaustive engine may be done soon: then the answer is its.
    is_long: Arc<AtomicBool>,
    started: Instant,
    over: Arc<AtomicBool>,
    /// Somebody has an answer.
    decided: AtomicBool,
    turns: Arc<Turns>,
    /// What the engines have done so far: the exhaustive one, the walks.
    seen: Mutex<[Statistics; 2]>,
}

type Reply = (Reached, Totals);

impl Race<'_> {
    fn run(&self, watch: &mut Watch) -> Reply {
        let (tell, told) = channel();
        scope(|scope| {
            self.start(scope, Role::Proof, &tell);
            let results = self.follow(&told, watch, &mut |role| self.start(scope, role, &tell));
            self.turns.end();
            conclude(results)
        })
    }

    /// Starts an engine on a thread of its own. Where there can be none, it does not take part.
    fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, role: Role, tell: &Sender<Message>) {
        let teller = tell.clone();
        let work = move || {
            let _broken = Broken { turns: &self.turns, tell: &teller };
            let mut result = match role {
                Role::Proof => self.prove(),
                Role::Greedy => self.follow_heuristic("gbfs", role),
                Role::Narrow => self.follow_heuristic("ua", role),
                Role::Walk => self.walk(),
            };
            if is_conclusive(role, &result.0.outcome) {
                if role != Role::Proof {
                    self.turns.of(role).wait_until_shared();
                }
                // The others need not wait until this is heard.
                let is_second = self.decided.swap(true, Ordering::Relaxed);
                if is_second && matches!(result.0.outcome, Outcome::Nowhere(Proof::Uncertified(_))) {
                    // Its certificate was not checked to the end because another was first.
                    result.0.outcome = Outcome::Unknown("interrupted".to_owned());
                }
                self.turns.end();
            }
            // Nobody listens any more when another was first.
            let _ = teller.send(Message::Done(role, Box::new(result)));
        };
        let _ = tell.send(Message::Begins);
        // What it finds is replayed on the same stack.
        if spawn_deep(scope, work).is_err() {
            self.turns.open();
            let _ = tell.send(Message::Stays);
        }
    }

    fn prove(&self) -> Reply {
        let turn = self.turns.of(Role::Proof);
        turn.look();
        let mut seen = |now: &Statistics| self.see(0, now);
        let mut tell = || self.turns.of(Role::Proof).start_anew();
        let memory_limit = self.options.memory_limit.map(|limit| limit - limit / 4);
        let options = Options { memory_limit, ..self.options.clone() };
        let watch = Watch::new(Some(self.over.clone()), Some(&mut seen)).taking(turn);
        let mut watch = watch.telling(self.is_long.clone(), &mut tell);
        let reached = reachability::reach(self.network, self.predicate, self.claim, &options, &mut watch);
        if is_open(&reached.outcome) {
            self.is_long.store(true, Ordering::Relaxed);
        }
        (reached, Totals::default())
    }

    /// What is left for an engine that begins later.
    fn later(&self, search: &str) -> Options {
        let time_limit = self.options.time_limit.map(|limit| limit.saturating_sub(self.started.elapsed()));
        let memory_limit = self.options.memory_limit.map(|limit| limit / 8);
        Options { search: search.to_owned(), time_limit, memory_limit, ..self.options.clone() }
    }

    fn follow_heuristic(&self, search: &str, role: Role) -> Reply {
        let turn = self.turns.of(role);
        turn.look();
        if self.over.load(Ordering::Relaxed) {
            return Race::too_late();
        }
        let mut watch = Watch::new(Some(self.over.clone()), None).taking(turn);
        let options = Options { heuristic: Some(HEURISTIC.to_owned()), ..self.later(search) };
        let blind = directed::wanted(&options)
            .is_none_or(|wanted| directed::misfit(&wanted, self.network, self.predicate, &options).is_some());
        let reached = match blind {
            true => Reached::without_search(Outcome::Unknown("no heuristic for this goal".to_owned())),
            false => reachability::reach(self.network, self.predicate, self.claim, &options, &mut watch),
        };
        (reached, Totals::default())
    }

    fn walk(&self) -> Reply {
        let turn = self.turns.of(Role::Walk);
        turn.look();
        if self.over.load(Ordering::Relaxed) {
            return Race::too_late();
        }
        let mut seen = |now: &Statistics| self.see(1, now);
        let mut watch = Watch::new(Some(self.over.clone()), Some(&mut seen)).taking(turn);
        let mut options = self.later("ret");
        options.threads = Some(self.turns.places());
        // Where clocks stop there is a schedule, and its errors may take habits.
        if options.delays == DelayChoice::default() && self.network.has_stopwatches() {
            options.delays = DelayChoice::Mixed;
        }
        walks::reach(self.network, self.predicate, self.claim, ("ret", Strategy::Ret), &options, &mut watch)
    }

    /// What an engine says that has its first turn when all is over.
    fn too_late() -> Reply {
        (Reached::without_search(Outcome::Unknown("interrupted".to_owned())), Totals::default())
    }

    fn see(&self, place: usize, now: &Statistics) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)[place] = *now;
    }

    /// Waits for the first conclusive answer, or for the last of all.
    fn follow(&self, told: &Receiver<Message>, watch: &mut Watch, start: &mut dyn FnMut(Role)) -> Vec<(Role, Reply)> {
        let mut results = Vec::new();
        let (mut running, mut end): (u32, _) = (0, None);
        let mut later = BEGINNINGS.into_iter().peekable();
        loop {
            let pause = later.peek().map_or(BETWEEN, |(_, at)| at.saturating_sub(self.started.elapsed()));
            match told.recv_timeout(pause) {
                Ok(Message::Begins) => running += 1,
                Ok(Message::Stays) => running -= 1,
                Ok(Message::Done(role, result)) => {
                    running -= 1;
                    let decided = is_conclusive(role, &result.0.outcome);
                    let is_unfit = matches!(result.0.outcome, Outcome::Unsupported(_));
                    results.push((role, *result));
                    if decided {
                        return results;
                    }
                    if role == Role::Proof && !is_unfit {
                        let elapsed = self.started.elapsed();
                        end = Some((elapsed * 2).max(elapsed + AFTERWARDS));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return results,
            }
            let elapsed = self.started.elapsed();
            if let Some((role, _)) = later.next_if(|(_, at)| running == 0 || elapsed >= *at) {
                match self.options.time_limit {
                    Some(limit) if elapsed >= limit => self.turns.open(),
                    _ => start(role),
                }
                continue;
            }
            if running == 0 {
                return results;
            }
            if self.started.elapsed() >= HELD {
                self.is_long.store(true, Ordering::Relaxed);
            }
            if watch.is_cancelled() || end.is_some_and(|end| self.started.elapsed() > end) {
                self.is_long.store(true, Ordering::Relaxed);
                self.turns.end();
            }
            let [proof, walks] = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let (walks, steps, walk_depth) = (walks.walks, walks.steps, walks.walk_depth);
            let elapsed = self.started.elapsed();
            watch.show(&Statistics { walks, steps, walk_depth, elapsed, ..proof });
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
            let _ = self.tell.send(Message::Stays);
        }
    }
}

/// The conclusive answer, which is the last one, or what is closest to one: an error of the model, or else what the
/// exhaustive engine says.
fn conclude(mut results: Vec<(Role, Reply)>) -> Reply {
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
