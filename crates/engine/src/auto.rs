//! The default way to look for a state: several engines side by side, the first conclusive answer wins.
//!
//! It is the development method of the papers on randomised search (Kiviriga, Larsen & Nyman 2020, 2021) as one button: cheap
//! falsification while nothing is known, proof when nothing is found. The exhaustive engine begins alone, since most models
//! are small: within [`ALONE`] its answer and its run do not depend on anything but the model. From then on random walks take
//! turns with it (see [`turns`](crate::turns)) on as many cores as are allowed. With `T` of them there are `T` walkers; so on two cores each
//! engine has at least half of what it would have alone, and on more cores more.
//!
//! What it preserves: an answer is that of one engine, with its evidence, and that engine is named in it: to make the same
//! run again, name the engine and the seed. Which of the engines is first depends on the machine; the verdict does not.
//! An error of the model that a walk meets ends nothing as long as the exhaustive engine may still decide: it is told when
//! that one has no answer.
//!
//! Cost: the work of the engines that lose; the memory is that of the exhaustive engine and the constant one of the walks.

use crate::limits::{Statistics, Watch};
use crate::options::{Options, Preference};
use crate::reachability::{self, Outcome, Reached};
use crate::turns::{Role, Turns};
use crate::walks;
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
pub const ALONE: (u64, u64) = (1_000, 5_000);
/// How often progress is shown and interruption looked for.
const BETWEEN: Duration = Duration::from_millis(50);
/// When there will be no proof, the others go on for as long again as it took to know that, and at least for this.
const AFTERWARDS: Duration = Duration::from_secs(1);
/// Of the threads; only what is touched costs memory.
const STACK: usize = 1 << 26;

/// What an engine says.
enum Message {
    /// The exhaustive engine has done more than it should alone.
    NotSmall,
    Done(Role, Box<(Reached, Totals)>),
}

/// Looks for a state in which the predicate holds; `claim` is what a run to it shows.
pub fn reach(
    network: &Network,
    predicate: ExprId,
    claim: Claim,
    options: &Options,
    watch: &mut Watch,
) -> (Reached, Totals) {
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

/// What has come in.
#[derive(Default)]
struct Results {
    proof: Option<(Reached, Totals)>,
    walks: Option<(Reached, Totals)>,
}

impl Race<'_> {
    fn run(&self, watch: &mut Watch) -> (Reached, Totals) {
        let (tell, told) = channel();
        scope(|scope| {
            self.start(scope, Role::Proof, &tell);
            let results = self.follow(scope, &tell, &told, watch);
            self.turns.end();
            self.conclude(results)
        })
    }

    /// Starts an engine on a thread of its own. Where there can be none, it does not take part.
    fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, role: Role, tell: &Sender<Message>) -> bool {
        let tell = tell.clone();
        let work = move || {
            let result = match role {
                Role::Proof => self.prove(&tell),
                Role::Walk => self.walk(),
            };
            // Nobody listens any more when another was first.
            let _ = tell.send(Message::Done(role, Box::new(result)));
        };
        Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_ok()
    }

    fn prove(&self, tell: &Sender<Message>) -> (Reached, Totals) {
        let turn = self.turns.of(Role::Proof);
        turn.look();
        let (mut not_small, mut seen) = (|| drop(tell.send(Message::NotSmall)), |now: &Statistics| self.see(0, now));
        let mut watch = Watch::new(Some(self.over.clone()), Some(&mut seen)).taking(turn).alone(ALONE, &mut not_small);
        let reached = reachability::reach(self.network, self.predicate, self.claim, self.options, &mut watch);
        (reached, Totals::default())
    }

    fn walk(&self) -> (Reached, Totals) {
        let mut seen = |now: &Statistics| self.see(1, now);
        let mut watch = Watch::new(Some(self.over.clone()), Some(&mut seen)).taking(self.turns.of(Role::Walk));
        let time_limit = self.options.time_limit.map(|limit| limit.saturating_sub(self.started.elapsed()));
        let options = Options { time_limit, ..self.options.clone() };
        walks::reach(self.network, self.predicate, self.claim, ("ret", Strategy::Ret), &options, &mut watch)
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
    ) -> Results {
        let mut results = Results::default();
        let (mut running, mut end) = (1, None);
        while running > 0 {
            match told.recv_timeout(BETWEEN) {
                Ok(Message::NotSmall) => running += usize::from(self.start(scope, Role::Walk, tell)),
                Ok(Message::Done(role, result)) => {
                    running -= 1;
                    let decided = is_conclusive(role, &result.0.outcome);
                    match role {
                        Role::Proof => {
                            results.proof = Some(*result);
                            end = Some(self.started.elapsed() * 2)
                                .map(|end| end.max(self.started.elapsed() + AFTERWARDS));
                        }
                        Role::Walk => results.walks = Some(*result),
                    }
                    if decided {
                        return results;
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

    /// The conclusive answer, or what is closest to one.
    fn conclude(&self, results: Results) -> (Reached, Totals) {
        match (results.proof, results.walks) {
            (Some(proof), None) => proof,
            (None, Some(walks)) => walks,
            (Some(proof), Some(walks)) => match (&proof.0.outcome, &walks.0.outcome) {
                (Outcome::Unknown(_), Outcome::Unknown(_)) => (proof.0, walks.1),
                (Outcome::Unknown(_), _) => walks,
                _ => proof,
            },
            (None, None) => {
                let unknown = Outcome::Unknown("no thread could be made".to_owned());
                (Reached::without_search(unknown), Totals::default())
            }
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
