//! Which engines can run a network, and where the reasons stand why not.

use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// Zones: exhaustive search.
    Symbolic,
    /// Random walks over exact concrete states.
    Concrete,
    /// Sampling by the stochastic semantics.
    Statistical,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The engine cannot run the network.
    Excludes,
    /// The engine runs it, and some verdicts become "unknown".
    Approximates,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    pub engine: Engine,
    pub effect: Effect,
    pub reason: String,
    pub span: Option<Span>,
}

#[derive(Clone, Default, Debug)]
pub struct Fitness {
    pub obstacles: Vec<Obstacle>,
}

impl Engine {
    pub const ALL: [Engine; 3] = [Engine::Symbolic, Engine::Concrete, Engine::Statistical];

    pub fn name(self) -> &'static str {
        match self {
            Engine::Symbolic => "symbolic",
            Engine::Concrete => "concrete",
            Engine::Statistical => "statistical",
        }
    }
}

impl Fitness {
    pub fn add(&mut self, engines: &[Engine], effect: Effect, reason: &str, span: Option<Span>) {
        for engine in engines {
            let obstacle = Obstacle { engine: *engine, effect, reason: reason.to_owned(), span };
            if !self.obstacles.contains(&obstacle) {
                self.obstacles.push(obstacle);
            }
        }
    }

    pub fn of(&self, engine: Engine) -> impl Iterator<Item = &Obstacle> {
        self.obstacles.iter().filter(move |obstacle| obstacle.engine == engine)
    }

    /// Whether the engine can run the network, perhaps with some verdicts "unknown".
    pub fn allows(&self, engine: Engine) -> bool {
        self.of(engine).all(|obstacle| obstacle.effect != Effect::Excludes)
    }
}
