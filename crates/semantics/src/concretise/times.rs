//! When the moments of a run are: linear constraints on them, and the earliest solution.
//!
//! Where no clock was stopped a constraint bounds the difference of two moments. The earliest solution of such a system
//! exists for all moments at once and is the longest path from the start in its constraint graph (Bellman, Ford). Strict
//! bounds count in a second component, multiples of an ε that is chosen at the end.
//!
//! A stopped clock adds up the stretches during which it ran, so its constraints are sums of several differences, and there
//! need be no solution that is earliest for all moments. Then the last moment is as early as possible, and the sum of
//! all moments among the solutions with that end; where there is an earliest solution, it is this one. The times of
//! the differences alone are bounds from below for all others. From there the simplex method goes on, and gets of all constraints
//! only those that its solution so far violates: most never matter.

use super::rational::{GaveUp, Moment, Rational, Result as Exact, divide, integer, multiply};
use super::simplex::Simplex;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::VecDeque;

/// An integer and a number of ε.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Weight(pub i64, pub i64);

/// What is at least its weight.
#[derive(Clone, Debug)]
pub(super) enum Demand {
    /// A moment minus another one.
    Difference { later: u32, earlier: u32, weight: Weight },
    /// Multiples of moments, each of them once.
    Sum { terms: Vec<(u32, i64)>, weight: Weight },
}

/// Why there are no times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoTimes {
    Contradiction,
    GaveUp,
}

impl From<GaveUp> for NoTimes {
    fn from(_: GaveUp) -> NoTimes {
        NoTimes::GaveUp
    }
}

/// Times in parts of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Times {
    pub at: Vec<i64>,
    pub denominator: i64,
    /// The earliest end of all solutions, and whether one attains it.
    pub least_end: (i64, i64),
    pub attained: bool,
}

/// Rows that the simplex method gets at a time.
const ROWS: usize = 32;

/// The earliest times of moments `0..count` that meet all demands; moment 0 is at 0, and all others are not before it.
pub(super) fn solve(count: usize, demands: &[Demand]) -> Result<Times, NoTimes> {
    let earliest = differences(count, demands)?;
    let met = |demand: &Demand| match demand {
        Demand::Difference { .. } => true,
        Demand::Sum { terms, weight } => {
            let sum = |part: fn(&Weight) -> i64| terms.iter().map(|(n, k)| k * part(&earliest[*n as usize])).sum();
            Weight(sum(|time| time.0), sum(|time| time.1)) >= *weight
        }
    };
    if !demands.iter().all(met) {
        return sums(&earliest, demands);
    }
    let denominator = earliest.iter().map(|time| time.1).max().unwrap_or(0) + 1;
    let Weight(end, epsilons) = earliest[count - 1];
    let at = earliest.iter().map(|time| time.0 * denominator + time.1).collect();
    // Sums may need a smaller ε than the differences do.
    let times = Times { at, denominator, least_end: (end, 1), attained: epsilons == 0 };
    let holds = |demand: &Demand| match demand {
        Demand::Difference { .. } => true,
        Demand::Sum { terms, weight } => {
            let sum: i64 = terms.iter().map(|(n, k)| k * times.at[*n as usize]).sum();
            let bound = weight.0 * denominator;
            if weight.1 > 0 { sum > bound } else { sum >= bound }
        }
    };
    if demands.iter().all(holds) { Ok(times) } else { sums(&earliest, demands) }
}

/// The least times that meet all differences.
fn differences(count: usize, demands: &[Demand]) -> Result<Vec<Weight>, NoTimes> {
    let mut leaving: Vec<Vec<(u32, Weight)>> = vec![Vec::new(); count];
    for demand in demands {
        if let Demand::Difference { later, earlier, weight } = demand {
            leaving[*earlier as usize].push((*later, *weight));
        }
    }
    let mut times = vec![Weight(0, 0); count];
    let mut visits = vec![0usize; count];
    let mut waiting: VecDeque<u32> = (0..count as u32).collect();
    let mut is_waiting = vec![true; count];
    while let Some(event) = waiting.pop_front() {
        is_waiting[event as usize] = false;
        // An event that comes up more often than there are events runs in a circle. How often its time is raised says nothing: one
        // visit to another event may raise it for every demand between the two.
        visits[event as usize] += 1;
        if visits[event as usize] > count {
            return Err(NoTimes::Contradiction);
        }
        let time = times[event as usize];
        for (later, weight) in &leaving[event as usize] {
            let at_least = Weight(time.0 + weight.0, time.1 + weight.1);
            let known = &mut times[*later as usize];
            if at_least <= *known {
                continue;
            }
            // The start is at 0.
            if *later == 0 {
                return Err(NoTimes::Contradiction);
            }
            *known = at_least;
            if !std::mem::replace(&mut is_waiting[*later as usize], true) {
                waiting.push_back(*later);
            }
        }
    }
    Ok(times)
}

/// A demand on how much later than a start the moments are.
struct Shifted {
    terms: Vec<(u32, Rational)>,
    bound: Moment,
    is_row: bool,
}

/// The least times that meet all demands, none of them before its bound.
fn sums(from: &[Weight], demands: &[Demand]) -> Result<Times, NoTimes> {
    let shifted: Exact<Vec<Shifted>> = demands.iter().map(|demand| shift(demand, from)).collect();
    let mut shifted = shifted?;
    let end = from.len() - 1;
    let cost = |n: usize| [if n == end { Rational::one() } else { Rational::zero() }, Rational::one()];
    let mut simplex = Simplex::new((0..from.len()).map(cost));
    let later: Vec<Moment> = loop {
        if !simplex.solve()? {
            return Err(NoTimes::Contradiction);
        }
        let later: Vec<Moment> = (0..from.len() as u32).map(|n| simplex.value(n)).collect();
        let mut broken = Vec::new();
        for (n, demand) in shifted.iter().enumerate().filter(|(_, demand)| !demand.is_row) {
            let excess = demand.excess(&later)?;
            if excess < Moment::zero() {
                broken.push((excess, n));
            }
        }
        if broken.is_empty() {
            break later;
        }
        broken.sort_unstable();
        for (_, n) in broken.into_iter().take(ROWS) {
            let demand = &mut shifted[n];
            demand.is_row = true;
            simplex.at_least(&demand.terms, &demand.bound)?;
        }
    };
    round(from, &shifted, &later)
}

fn shift(demand: &Demand, from: &[Weight]) -> Exact<Shifted> {
    let (terms, weight) = match demand {
        Demand::Difference { later, earlier, weight } => (vec![(*later, 1), (*earlier, -1)], weight),
        Demand::Sum { terms, weight } => (terms.clone(), weight),
    };
    let mut bound = Moment::new(weight.0, weight.1);
    for (n, factor) in &terms {
        let Weight(real, epsilons) = from[*n as usize];
        bound = bound.add(&Moment::new(real, epsilons).times(&integer(-factor))?)?;
    }
    // Moment 0 stays where it is.
    let terms = terms.into_iter().filter(|(n, _)| *n != 0).map(|(n, factor)| (n, integer(factor))).collect();
    Ok(Shifted { terms, bound, is_row: false })
}

impl Shifted {
    /// By how much the demand is exceeded.
    fn excess(&self, later: &[Moment]) -> Exact<Moment> {
        let mut sum = self.bound.times(&-Rational::one())?;
        for (n, factor) in &self.terms {
            sum = sum.add(&later[*n as usize].times(factor)?)?;
        }
        Ok(sum)
    }
}

/// Chooses ε as large as one part of a whole can be, and one denominator for all times.
fn round(from: &[Weight], demands: &[Shifted], later: &[Moment]) -> Result<Times, NoTimes> {
    let mut parts = 1i128;
    let mut needs = |excess: &Moment| -> Exact<()> {
        if excess.epsilons.is_negative() {
            // real - |epsilons| / parts >= 0
            let needed = divide(&excess.epsilons, &excess.real)?;
            parts = parts.max(-needed.floor().to_integer());
        }
        Ok(())
    };
    for demand in demands {
        needs(&demand.excess(later)?)?;
    }
    let moments: Exact<Vec<Moment>> =
        from.iter().zip(later).map(|(bound, more)| Moment::new(bound.0, bound.1).add(more)).collect();
    let moments = moments?;
    moments.iter().try_for_each(&mut needs)?;
    let epsilon = Rational::new(1, parts);
    let times: Exact<Vec<Rational>> = moments.iter().map(|moment| moment.at(&epsilon)).collect();
    let times = times?;
    let mut denominator = Rational::one();
    for time in &times {
        let rest = multiply(time, &denominator)?;
        denominator = multiply(&denominator, &Rational::from_integer(*rest.denom()))?;
    }
    let at: Option<Vec<i64>> = times
        .iter()
        .map(|time| multiply(time, &denominator).ok().and_then(|part| part.to_integer().to_i64()))
        .collect();
    let least = moments[moments.len() - 1];
    let least_end = least.real.numer().to_i64().zip(least.real.denom().to_i64());
    match (at, denominator.to_integer().to_i64(), least_end) {
        (Some(at), Some(denominator), Some(least_end)) => {
            Ok(Times { at, denominator, least_end, attained: least.epsilons.is_zero() })
        }
        _ => Err(NoTimes::GaveUp),
    }
}
