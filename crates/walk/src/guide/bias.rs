//! Walks that lean towards the goal: a transition is taken with a probability in proportion to exp(-β Δ), where Δ is -1, 0
//! or 1 as it leads nearer to the goal, neither, or further away (by [`crate::distance`]).
//!
//! A drawn transition is kept with probability exp(-β (Δ + 1)) and drawn again otherwise, so nothing has to be listed: a
//! step costs a few draws. Memory stays constant, walks stay independent. Helps where the right process has to move first;
//! harms where the way to the goal leads away from it for long.

use crate::distance::Distance;
use crate::walker::Walker;
use search::random::Random;
use semantics::code::RunError;
use semantics::concrete::Window;
use std::sync::Arc;

#[derive(Clone)]
pub struct Bias {
    pub distance: Arc<Distance>,
}

/// exp(-1) and exp(-2) in parts of 2^32: β is 1.
const KEPT: [u64; 3] = [1 << 32, 1_580_030_169, 581_260_615];

/// Draws before the next one is kept whatever it is.
const DRAWS: u32 = 256;

impl Bias {
    /// Draws a transition and leaves it tried.
    pub fn draw(&self, walker: &mut Walker, random: &mut Random) -> Result<Option<Window>, RunError> {
        for _ in 0..DRAWS {
            let Some(window) = walker.draw(random)? else { return Ok(None) };
            let further = self.distance.change(walker).clamp(-1, 1) + 1;
            if random.below(1 << 32) < KEPT[further as usize] {
                return Ok(Some(window));
            }
            walker.retract();
        }
        walker.draw(random)
    }
}
