//! Statistical sampling of the complement of the right side: the baseline that walks are compared
//! with.
//!
//! Kiviriga, Larsen and Nyman turn refinement into reachability for statistical model checking
//! (section 4.3 of their paper): the right side is replaced by its complement, which follows every
//! action and enters an error state when the left side outputs what it does not allow, or time goes
//! beyond its invariant. The complement is made on the fly here: it is the right side of the pair.
//!
//! The left side has the stochastic semantics of UPPAAL SMC (David and others 2011): each component
//! draws a delay, uniform between the first moment at which it has an output and the end of its
//! invariant, or exponential with rate 1 from there on if it has no end. The smallest delay wins,
//! ties alike; the winner draws one of its outputs that are possible then, and nothing happens if
//! there is none. Inputs that nobody outputs come from an environment with rate 1. Moments are
//! rounded to the ticks of walks, so that what is found is exact.
//!
//! Only the moment that was drawn is compared with the invariant of the right side, as sampling a
//! complement does; walks ask how long both sides could wait. Not for quotients, which have no
//! components to race.

use crate::pair_walk::{Next, Record, Walk};
use crate::walks::{NEVER, TICKS};
use search::random::Random;

/// Who wins the race.
#[derive(Clone, Copy)]
enum Winner {
    Leaf(u32),
    Environment,
}

impl Walk<'_, '_, '_> {
    /// A step of the stochastic semantics.
    pub(crate) fn race(&mut self, random: &mut Random, record: &mut Record<'_, '_>) -> Next {
        if let Some(end) = self.over() {
            return end;
        }
        let deadline = self.left_deadline();
        let mut best: Option<(i64, Winner)> = None;
        let mut ties = 1;
        for n in 0..=self.lively.len() {
            let drawn = match self.lively.get(n) {
                Some(&leaf) => self.delay(leaf, random).map(|moment| (moment, Winner::Leaf(leaf))),
                None if self.plan.inputs.is_empty() => None,
                None => Some((self.now + self.exponential(random), Winner::Environment)),
            };
            let Some(drawn) = drawn else { continue };
            match &best {
                Some((moment, _)) if *moment < drawn.0 => {}
                Some((moment, _)) if *moment == drawn.0 => {
                    ties += 1;
                    if random.index(ties) == 0 {
                        best = Some(drawn);
                    }
                }
                _ => (best, ties) = (Some(drawn), 1),
            }
        }
        // A component that must act and cannot stops time.
        let Some((moment, winner)) = best.filter(|(moment, _)| *moment <= deadline) else { return Next::Dead };
        if moment > self.right_deadline() {
            return self.cut();
        }
        self.now = moment;
        let action = match winner {
            Winner::Environment => self.plan.inputs[random.index(self.plan.inputs.len())],
            Winner::Leaf(leaf) => {
                let is_now = |edge: &&crate::component::LocalEdge| {
                    let window = self.window(leaf, &edge.allowed);
                    window.from == self.now && self.now <= window.to
                };
                let count = self.local(leaf).outputs.iter().filter(is_now).count();
                if count == 0 {
                    return Next::Stepped;
                }
                let drawn = random.index(count);
                match self.local(leaf).outputs.iter().filter(is_now).nth(drawn) {
                    Some(edge) => edge.action,
                    None => return Next::Stepped,
                }
            }
        };
        let plan = self.plan;
        self.picks.clear();
        let parts = match plan.left_parts.of(action) {
            [] => plan.right_parts.of(action),
            parts => parts,
        };
        match self.pick_now(parts, action) {
            true => self.pick(action, record),
            // A conjunction whose other side does not allow the output.
            false => Next::Stepped,
        }
    }

    /// When a component of the left side wants to act.
    fn delay(&self, leaf: u32, random: &mut Random) -> Option<i64> {
        let deadline = self.deadlines[leaf as usize];
        let windows = self.local(leaf).outputs.iter().map(|edge| self.window(leaf, &edge.allowed));
        let first = windows.filter(|window| window.from <= window.to.min(deadline)).map(|window| window.from).min()?;
        if deadline < NEVER {
            return Some(first + random.below((deadline - first + 1) as u64) as i64);
        }
        Some(first + self.exponential(random))
    }

    /// A delay with rate 1 per unit of the model's time.
    fn exponential(&self, random: &mut Random) -> i64 {
        // In (0, 1].
        let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (-uniform.ln() * TICKS as f64 / f64::from(self.plan.world.unit.max(1))) as i64
    }
}
