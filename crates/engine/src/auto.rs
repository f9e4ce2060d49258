//! The default way to look for a state: several engines side by side, the first conclusive answer wins.
//!
//! It is the development method of the papers on randomised search (Kiviriga, Larsen & Nyman 2020, 2021) as one button: cheap
//! falsification while nothing is known, proof when nothing is found. The exhaustive engine begins alone, since most models
//! are small: within [`ALONE`] its answer and its run do not depend on anything but the model. From then on random walks and
//! a greedy search take turns with it (see [`turns`](crate::turns)) on as many cores as are allowed. With `T` of them there are `T` walkers;
//! so on two cores each engine has at first half of what it would have alone, and on more cores more.
//!
//! What it preserves: an answer is that of one engine, with its evidence, and that engine is named in it: to make the same
//! run again, name the engine and the seed. Which of the engines is first depends on the machine; the verdict does not.
//! An error of the model that another engine than the exhaustive one meets ends nothing as long as that one may still decide: it
//! is told when that one has no answer.
//!
//! Cost: the work of the engines that lose. A limit of memory is shared, a quarter for the greedy search and the rest for the
//! exhaustive one; walks need little.

use crate::limits::{Statistics, Watch};
use crate::options::{Options, Preference};
use crate::reachability::{self, Outcome, Reached};
use crate::turns::{Role, Turns};
use crate::{directed, walks};
use certify::Claim;
use model::network::{Effect, Engine, Expr, ExprId, Network};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, scope};
use std::time::{Duration, Instant};
use walk::hunt::Totals;
use walk::strategy::Strategy;

/// What the exhaustive engine does before others begin, in states explored and generated.
pub const ALONE: (u64, u64) = (500, 1_500);
/// How often progress is shown and interruption looked for.
const BETWEEN: Duration = Duration::from_millis(50);
/// When there will be no proof, the others go on for as long again as it took to know that, and at least for this.
const AFTERWARDS: Duration = Duration::from_secs(1);
/// Of the threads; only what is touched costs memory.
const STACK: usize = 1 << 26;

/// What the greedy search goes by: cheap, and good at what needs many processes in certain places.
const HEURISTIC: &str = "dU";

/// What an engine says.
enum Message {
    /// The exhaustive engine has done more than it should alone.
    NotSmall,
    Done(Role, Box<Reply>),
}

/// Looks for a state in which the predicate holds; `claim` is what a run to it shows.
pub fn reach(network: &Network, predicate: ExprId, claim: Claim, options: &Options, watch: &mut Watch) -> Reply {
    let walks_can = network.fitness.of(Engine::Concrete).all(|obstacle| obstacle.effect != Effect::Excludes);
    if options.preference != Preference::Any || !walks_can || is_constant(network, predicate) {
        return (reachability::reach(network, predicate, claim, options, watch), Totals::default());
    }
    let over = Arc::new(AtomicBool::new(false));
    let places = options.threads.unwrap_or_else(walks::available_threads);
    let race = Race {
        network,
        predicate,
        claim,
        options,
        started: Instant::now(),
        turns: Turns::new(places, over.clone()),
        over,
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
    started: Instant,
    over: Arc<AtomicBool>,
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
            let results = self.follow(scope, &tell, &told, watch);
            self.turns.end();
            conclude(results)
        })
    }

    /// Starts an engine on a thread of its own. Where there can be none, it does not take part.
    fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, role: Role, tell: &Sender<Message>) -> bool {
        let tell = tell.clone();
        let work = move || {
            let result = match role {
                Role::Proof => self.prove(&tell),
                Role::Greedy => self.follow_heuristic(),
                Role::Walk => self.walk(),
            };
            // Nobody listens any more when another was first.
            let _ = tell.send(Message::Done(role, Box::new(result)));
        };
        Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_ok()
    }

    fn prove(&self, tell: &Sender<Message>) -> Reply {
        let turn = self.turns.of(Role::Proof);
        turn.look();
        let (mut not_small, mut seen) = (|| drop(tell.send(Message::NotSmall)), |now: &Statistics| self.see(0, now));
        let mut watch = Watch::new(Some(self.over.clone()), Some(&mut seen)).taking(turn).alone(ALONE, &mut not_small);
        let memory_limit = self.options.memory_limit.map(|limit| limit - limit / 4);
        let options = Options { memory_limit, ..self.options.clone() };
        (reachability::reach(self.network, self.predicate, self.claim, &options, &mut watch), Totals::default())
    }

    /// What is left for an engine that begins later.
    fn later(&self, search: &str) -> Options {
        let time_limit = self.options.time_limit.map(|limit| limit.saturating_sub(self.started.elapsed()));
        let memory_limit = self.options.memory_limit.map(|limit| limit / 4);
        Options { search: search.to_owned(), time_limit, memory_limit, ..self.options.clone() }
    }

    fn follow_heuristic(&self) -> Reply {
        let turn = self.turns.of(Role::Greedy);
        turn.look();
        let mut watch = Watch::new(Some(self.over.clone()), None).taking(turn);
        let options = Options { heuristic: Some(HEURISTIC.to_owned()), ..self.later("gbfs") };
        let blind = directed::wanted(&options)
            .is_none_or(|wanted| directed::misfit(&wanted, self.network, self.predicate, &options).is_some());
        let reached = match blind {
            true => Reached::without_search(Outcome::Unknown("no heuristic for this goal".to_owned())),
            false => reachability::reach(self.network, self.predicate, self.claim, &options, &mut watch),
        };
        (reached, Totals::default())
    }

    fn walk(&self) -> Reply {
        let mut seen = |now: &Statistics| self.see(1, now);
        let mut watch = Watch::new(Some(self.over.clone()), Some(&mut seen)).taking(self.turns.of(Role::Walk));
        walks::reach(self.network, self.predicate, self.claim, ("ret", Strategy::Ret), &self.later("ret"), &mut watch)
    }

    fn see(&self, place: usize, now: &Statistics) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)[place] = *now;
    }

    /// Waits for the first conclusive answer, or for the last of all.
    fn follow<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        tell: &Sender<Message>,
        told: &Receiver<Message>,
        watch: &mut Watch,
    ) -> Vec<(Role, Reply)> {
        let mut results = Vec::new();
        let (mut running, mut end) = (1, None);
        while running > 0 {
            match told.recv_timeout(BETWEEN) {
                Ok(Message::NotSmall) => {
                    let others = [Role::Walk, Role::Greedy];
                    running += others.into_iter().filter(|role| self.start(scope, *role, tell)).count();
                }
                Ok(Message::Done(role, result)) => {
                    running -= 1;
                    let decided = is_conclusive(role, &result.0.outcome);
                    results.push((role, *result));
                    if decided {
                        return results;
                    }
                    if role == Role::Proof {
                        let elapsed = self.started.elapsed();
                        end = Some((elapsed * 2).max(elapsed + AFTERWARDS));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return results,
            }
            if watch.is_cancelled() || end.is_some_and(|end| self.started.elapsed() > end) {
                self.turns.end();
            }
            let [proof, walks] = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let (walks, steps, walk_depth) = (walks.walks, walks.steps, walks.walk_depth);
            let elapsed = self.started.elapsed();
            watch.show(&Statistics { walks, steps, walk_depth, elapsed, ..proof });
        }
        results
    }
}

/// The conclusive answer, which is the last one, or what is closest to one: an error of the model, or else what the
/// exhaustive engine says.
fn conclude(mut results: Vec<(Role, Reply)>) -> Reply {
    let walked = results.iter().find(|(role, _)| *role == Role::Walk).map(|(_, (_, totals))| *totals);
    let is_conclusive = |(role, (reached, _)): &(Role, Reply)| is_conclusive(*role, &reached.outcome);
    let is_known = |(_, (reached, _)): &(Role, Reply)| !matches!(reached.outcome, Outcome::Unknown(_));
    let is_proof = |(role, _): &(Role, Reply)| *role == Role::Proof;
    let best = results
        .iter()
        .position(is_conclusive)
        .or_else(|| results.iter().position(is_known))
        .or_else(|| results.iter().position(is_proof));
    match best.map(|best| results.swap_remove(best)) {
        // What walks did is told when nobody was first.
        Some((role, (reached, totals))) if matches!(reached.outcome, Outcome::Unknown(_)) && role == Role::Proof => {
            (reached, walked.unwrap_or(totals))
        }
        Some((_, result)) => result,
        None => {
            let unknown = Outcome::Unknown("no thread could be made".to_owned());
            (Reached::without_search(unknown), Totals::default())
        }
    }
}

/// Whether an answer ends the race. What only an engine that is not exhaustive takes for an error may not concern the query.
fn is_conclusive(role: Role, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Unknown(_) => false,
        Outcome::ModelError(..) => role == Role::Proof,
        Outcome::Found(_) | Outcome::FoundWithoutTimes | Outcome::Nowhere(_) | Outcome::Internal(_) => true,
    }
}
