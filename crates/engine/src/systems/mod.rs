//! Queries about timed I/O systems: refinement, consistency, determinism and what belongs to them.

mod component_file;
mod properties;
mod reachability;
mod refinement;
mod relation;
mod searching;

pub use component_file::ComponentFile;

use crate::check::Asked;
use crate::limits::{Watch, cause_text};
use crate::place::Place;
use crate::reachability::INTERRUPTED;
use crate::report::{Answer, Evidence, Verdict};
use model::check::{QueryKind, SystemExpr};
use model::syntax::query::SystemCheck;
use refine::error::{Open, Unfit};
use refine::world::{NodeId, Starts, World};
use search::statistics::Statistics;
use semantics::structure::Structure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What the answers of all these queries need.
struct Question<'q, 'a, 'p> {
    asked: &'q Asked<'a>,
    /// The two systems of a refinement; of another query twice the one.
    sides: (&'q SystemExpr, &'q SystemExpr),
    watch: &'q mut Watch<'p>,
    started: Instant,
    /// What the components take.
    held: u64,
    out_of_memory: bool,
    /// See [`World::crowded`].
    crowded: Arc<AtomicBool>,
}

pub(crate) fn answer(answer: &mut Answer, asked: &Asked, kind: &QueryKind, watch: &mut Watch) {
    let structure = Structure::new(asked.network);
    let sides = match kind {
        QueryKind::Refinement { left, right } => (left, right),
        QueryKind::SystemCheck { system, .. } | QueryKind::SystemReachability { system, .. } => (system, system),
        _ => return,
    };
    let (held, out_of_memory, crowded) = (0, false, Arc::default());
    let mut question = Question { asked, sides, watch, started: Instant::now(), held, out_of_memory, crowded };
    match kind {
        QueryKind::Refinement { left, right } => question.refinement(answer, &structure, left, right),
        QueryKind::SystemCheck { check: check @ (SystemCheck::Prune | SystemCheck::GetComponent), system, save_as } => {
            question.component(answer, &structure, *check, system, save_as.as_deref());
        }
        QueryKind::SystemCheck { check, system, .. } => question.check(answer, &structure, *check, system),
        QueryKind::SystemReachability { system, start, goal } => {
            question.reachability(answer, &structure, system, start.as_ref(), goal);
        }
        _ => {}
    }
    // A run stands, whatever was left out.
    if question.is_crowded() && matches!(answer.evidence, Evidence::Exhaustive | Evidence::Certificate) {
        (answer.verdict, answer.evidence) = (Verdict::Unknown, Evidence::None);
        (answer.failure, answer.component, answer.certificate) = (None, None, None);
        (answer.place, answer.spans) = (None, Vec::new());
        answer.reason = Some(CROWDED.to_owned());
    }
}

/// What is not known if there are too many combinations of edges.
const CROWDED: &str = "one action has too many combinations of edges; ask about fewer components at once";

/// Writes a rule or precondition that fails into the answer.
fn fail(answer: &mut Answer, failure: &'static str, reason: String) {
    answer.verdict = Verdict::Violated;
    answer.evidence = Evidence::Exhaustive;
    answer.failure = Some(failure);
    answer.reason = Some(reason);
}

impl Question<'_, '_, '_> {
    /// The world of some systems, with what it takes noted. Its making has the same limits as all
    /// else.
    fn world<'n>(
        &mut self,
        structure: &Structure<'n>,
        expressions: &[&SystemExpr],
        constants: &[i32],
        starts: Starts,
    ) -> Result<(World<'n>, Vec<NodeId>), Unfit> {
        let (world, roots) =
            World::with_constants(structure, expressions, constants, starts, &mut |done| self.goes_on(done))?;
        self.held = world.bytes;
        self.crowded = world.crowded.clone();
        Ok((world, roots))
    }

    /// Whether there is time, for what is not done here.
    fn deadline(&self) -> impl FnMut() -> bool + Send + use<> {
        let (started, limit, cancel) = (self.started, self.asked.options.time_limit, self.watch.cancel());
        move || {
            limit.is_none_or(|limit| started.elapsed() < limit)
                && cancel.as_ref().is_none_or(|cancel| !cancel.load(Ordering::Relaxed))
        }
    }

    fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    /// Whether the limits allow going on.
    fn goes_on(&mut self, done: &Statistics) -> bool {
        let bytes = self.held + done.bytes;
        self.watch.tick(&|| Statistics { peak_bytes: self.held + done.peak_bytes, ..*done });
        let options = self.asked.options;
        let in_time = options.time_limit.is_none_or(|limit| self.started.elapsed() < limit);
        self.out_of_memory = options.memory_limit.is_some_and(|limit| bytes > limit);
        in_time && !self.out_of_memory && !self.is_crowded() && !self.watch.is_cancelled()
    }

    fn stopped(&self) -> String {
        if self.is_crowded() {
            CROWDED.to_owned()
        } else if self.watch.is_cancelled() {
            INTERRUPTED.to_owned()
        } else if let Some(cause) = allowance::cause() {
            cause_text(cause).to_owned()
        } else if self.out_of_memory {
            "the memory limit is reached".to_owned()
        } else {
            "the time limit is reached".to_owned()
        }
    }

    /// Writes into the answer why there is no such system.
    fn refuse(&self, answer: &mut Answer, unfit: &Unfit) {
        match unfit {
            Unfit::Unsupported { place, .. } => {
                answer.unsupported = true;
                answer.place = place.map(|span| Place::of(self.asked.sources, span));
            }
            Unfit::Combination(_) => answer.verdict = Verdict::Error,
            Unfit::Stopped => {
                answer.reason = Some(self.stopped());
                return;
            }
        }
        answer.reason = Some(unfit.to_string());
    }

    fn model_error(&self, answer: &mut Answer, world: &World<'_>, leaf: u32, error: u32) {
        let error = world.component_of(leaf).errors[error as usize];
        answer.verdict = Verdict::Error;
        answer.reason = Some(format!("the model has an error: {error}"));
        answer.place = Some(Place::of(self.asked.sources, error.span));
        answer.spans = vec![error.span];
    }

    /// Writes into the answer why it is not known what a system does.
    fn open(&self, answer: &mut Answer, world: &World<'_>, system: NodeId, open: Open) {
        match open {
            Open::NoStart => self.no_start(answer, world, system),
            Open::Failed(leaf, error) => self.model_error(answer, world, leaf, error),
            Open::Overflow | Open::Stopped => answer.reason = Some(self.why_open(open)),
        }
    }

    /// The same in words, where the model is not to blame.
    fn why_open(&self, open: Open) -> String {
        match open {
            Open::Overflow => "a bound is too large for zones".to_owned(),
            _ => self.stopped(),
        }
    }

    fn no_start(&self, answer: &mut Answer, world: &World<'_>, system: NodeId) {
        let reason = format!("the initial state of {} violates its invariant", world.title(system));
        fail(answer, "empty-initial-state", reason);
    }
}
