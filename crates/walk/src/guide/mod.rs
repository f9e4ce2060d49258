//! Ways to walk that remember something, beyond the published strategies. Each is a file of its own and can be compared
//! with the others by name.
//!
//! What they keep are [`Lineage`]s, not states: how a state was reached, as a list of stretches of numbered walks. A
//! stretch repeats exactly, so whatever was found can be walked again.

pub mod archive;
pub mod bias;
pub mod mutate;
pub mod split;

use crate::distance::Distance;
use crate::goal::Goal;
use crate::hunt::{Recorded, Settings, Totals};
use crate::strategy::Chooser;
use crate::walker::{TIME_LIMIT, Walker};
use semantics::code::RunError;
use semantics::random::Random;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Guide {
    #[default]
    None,
    Bias,
    Archive,
    Split,
    Mutate,
}

/// Steps of the walk with this number, from wherever it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    pub walk: u64,
    pub steps: u64,
}

pub type Lineage = Vec<Stretch>;

/// A lineage whose last state has the goal at a moment, or an error of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub lineage: Lineage,
    pub steps: u64,
    pub found: Result<i64, RunError>,
}

/// What a guided hunt works with.
pub struct Party<'w, 't, 's, 'n> {
    pub walker: &'w mut Walker<'t, 's, 'n>,
    pub goal: &'w mut Goal,
    pub chooser: Chooser,
    pub distance: &'w Distance,
    pub settings: Settings,
    pub totals: Totals,
    /// How many walks there may be.
    pub most: u64,
    /// The number of the next walk.
    next: u64,
    stop: &'w dyn Fn() -> bool,
    progress: &'w mut dyn FnMut(&Totals),
}

/// How a stretch ended.
pub enum Ended {
    Found(Result<i64, RunError>),
    /// After so many steps: long enough, nothing is possible, or the visitor had enough.
    After,
    /// Nobody is interested any more.
    Stopped,
}

/// How often a stretch looks whether it is still wanted.
const LOOK: u64 = 1024;

impl<'w, 't, 's, 'n> Party<'w, 't, 's, 'n> {
    pub fn new(
        walker: &'w mut Walker<'t, 's, 'n>,
        goal: &'w mut Goal,
        distance: &'w Distance,
        settings: Settings,
        stop: &'w dyn Fn() -> bool,
        progress: &'w mut dyn FnMut(&Totals),
    ) -> Party<'w, 't, 's, 'n> {
        let chooser = Chooser::new(settings.strategy, walker).biased(settings.bias.clone());
        Party {
            walker,
            goal,
            chooser,
            distance,
            settings,
            totals: Totals::default(),
            most: u64::MAX,
            next: 0,
            stop,
            progress,
        }
    }

    /// Goes on from the present state with a walk of its own for at most so many steps. `visit` sees every state after
    /// the number of steps that led there, and ends the stretch with `false`.
    pub fn stretch(&mut self, steps: u64, visit: &mut dyn FnMut(&mut Walker, Stretch) -> bool) -> (Stretch, Ended) {
        let walk = self.next;
        self.next += 1;
        self.totals.walks += 1;
        self.totals.depth = steps;
        self.totals.latest = walk;
        let mut made = Stretch { walk, steps: 0 };
        let mut random = Random::of_run(self.settings.seed, walk);
        let distribution = self.settings.delays.of_walk(walk);
        self.chooser.begin();
        let ended = loop {
            match self.goal.reached(self.walker) {
                Ok(Some(moment)) => break Ended::Found(Ok(moment)),
                Ok(None) => {}
                Err(error) => break Ended::Found(Err(error)),
            }
            if made.steps >= steps || self.walker.now() >= TIME_LIMIT {
                break Ended::After;
            }
            if made.steps.is_multiple_of(LOOK) {
                (self.progress)(&self.totals);
                if (self.stop)() || self.totals.walks > self.most {
                    break Ended::Stopped;
                }
            }
            let moment = match self.chooser.choose(self.walker, distribution, &mut random) {
                Ok(Some(moment)) => moment,
                Ok(None) => break Ended::After,
                Err(error) => break Ended::Found(Err(error)),
            };
            if let Err(error) = self.walker.take(moment) {
                break Ended::Found(Err(error));
            }
            made.steps += 1;
            self.totals.steps += 1;
            if !visit(self.walker, made) {
                break Ended::After;
            }
        };
        (made, ended)
    }

    /// Walks a lineage again from the start; its steps are written down if wanted.
    pub fn repeat(&mut self, lineage: &[Stretch], mut record: Option<&mut Vec<Recorded>>) -> Result<(), RunError> {
        self.walker.restart();
        for stretch in lineage {
            let mut random = Random::of_run(self.settings.seed, stretch.walk);
            let distribution = self.settings.delays.of_walk(stretch.walk);
            self.chooser.begin();
            for _ in 0..stretch.steps {
                let Some(moment) = self.chooser.choose(self.walker, distribution, &mut random)? else { break };
                if let Some(record) = record.as_deref_mut() {
                    record.push(Recorded { moment, moves: self.walker.moves().to_vec() });
                }
                self.walker.take(moment)?;
            }
        }
        Ok(())
    }
}

/// A lineage and one more stretch.
fn extended(lineage: &[Stretch], stretch: Stretch) -> Lineage {
    let mut longer = lineage.to_vec();
    if stretch.steps > 0 {
        longer.push(stretch);
    }
    longer
}

fn found(lineage: &[Stretch], stretch: Stretch, found: Result<i64, RunError>) -> Found {
    let lineage = extended(lineage, stretch);
    Found { steps: lineage.iter().map(|stretch| stretch.steps).sum(), lineage, found }
}
