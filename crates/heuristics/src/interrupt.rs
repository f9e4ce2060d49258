//! Long computations that somebody may end: preparing a heuristic for thousands of processes, evaluating a relaxed plan.

/// Asks now and then whether to go on. Once the answer was no, it stays no.
pub struct Interrupt {
    ask: Option<Box<dyn Fn() -> bool>>,
    ticks: u32,
    is_over: bool,
}

/// Ticks between questions.
const BETWEEN: u32 = 64;

impl Interrupt {
    /// `ask` says `true` when the computation is to end.
    pub fn new(ask: impl Fn() -> bool + 'static) -> Interrupt {
        Interrupt { ask: Some(Box::new(ask)), ticks: 0, is_over: false }
    }

    /// Nobody ends it.
    pub fn never() -> Interrupt {
        Interrupt { ask: None, ticks: 0, is_over: false }
    }

    /// Whether to end, for a loop whose rounds are short.
    #[inline]
    pub fn tick(&mut self) -> bool {
        self.ticks += 1;
        if self.ticks >= BETWEEN {
            self.ticks = 0;
            self.is_over = self.is_over || self.ask.as_ref().is_some_and(|ask| ask());
        }
        self.is_over
    }

    /// Whether it was ended: what was computed is worth nothing.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}
