//! The exact solver against a textbook elimination of variables, and against the definition of what it returns.

use super::rational::{Moment, Rational, integer};
use super::times::{Demand, NoTimes, Times, Weight, solve};
use num_traits::{One, Signed, Zero};

/// `terms >= bound`, or `>` when strict.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Inequality {
    terms: Vec<Rational>,
    bound: Rational,
    strict: bool,
}

fn inequality(count: usize, demand: &Demand) -> Inequality {
    let (list, weight) = match demand {
        Demand::Difference { later, earlier, weight } => (vec![(*later, 1), (*earlier, -1)], weight),
        Demand::Sum { terms, weight } => (terms.clone(), weight),
    };
    let mut terms = vec![Rational::zero(); count];
    list.iter().for_each(|(n, factor)| terms[*n as usize] += integer(*factor));
    Inequality { terms, bound: integer(weight.0), strict: weight.1 > 0 }
}

/// All demands, and that the first moment is at 0 and no other one before it.
fn system(count: usize, demands: &[Demand]) -> Vec<Inequality> {
    let mut system: Vec<Inequality> = demands.iter().map(|demand| inequality(count, demand)).collect();
    let unit = |n: usize, factor: i64| {
        let mut terms = vec![Rational::zero(); count];
        terms[n] = integer(factor);
        Inequality { terms, bound: Rational::zero(), strict: false }
    };
    system.push(unit(0, -1));
    system.extend((0..count).map(|n| unit(n, 1)));
    system
}

/// Fourier and Motzkin: what remains when a variable is eliminated.
fn without(system: Vec<Inequality>, variable: usize) -> Vec<Inequality> {
    let sign = |one: &Inequality| one.terms[variable].numer().signum();
    let mut rest: Vec<Inequality> = system.iter().filter(|one| sign(one) == 0).cloned().collect();
    for above in system.iter().filter(|one| sign(one) > 0) {
        for below in system.iter().filter(|one| sign(one) < 0) {
            let (p, q) = (-below.terms[variable], above.terms[variable]);
            let terms: Vec<Rational> = above.terms.iter().zip(&below.terms).map(|(a, b)| a * p + b * q).collect();
            let mut sum =
                Inequality { terms, bound: above.bound * p + below.bound * q, strict: above.strict || below.strict };
            let scale = sum.terms.iter().find(|term| !term.is_zero()).map_or(Rational::one(), |term| term.abs());
            sum.terms.iter_mut().for_each(|term| *term /= scale);
            sum.bound /= scale;
            rest.push(sum);
        }
    }
    rest.sort();
    rest.dedup();
    rest
}

/// The least value of the last variable and whether it is attained; `None` if there is no solution.
fn least_end(count: usize, demands: &[Demand]) -> Option<(Rational, bool)> {
    let mut system = system(count, demands);
    for variable in 0..count - 1 {
        system = without(system, variable);
    }
    let last = count - 1;
    let (mut low, mut high): ((Rational, bool), Option<(Rational, bool)>) = ((Rational::zero(), false), None);
    for Inequality { terms, bound, strict } in &system {
        let factor = terms[last];
        if factor.is_zero() {
            if *bound > Rational::zero() || *strict && bound.is_zero() {
                return None;
            }
        } else if factor.is_positive() {
            low = low.max((bound / factor, *strict));
        } else {
            let new = (bound / factor, !*strict);
            high = Some(high.map_or(new, |high| high.min(new)));
        }
    }
    // The second part of `high` says that the bound itself is allowed.
    let possible = high.is_none_or(|high| low.0 < high.0 || low.0 == high.0 && !low.1 && high.1);
    possible.then_some((low.0, !low.1))
}

fn meets(times: &Times, demand: &Demand) -> bool {
    let Inequality { terms, bound, strict } = inequality(times.at.len(), demand);
    let sum: Rational = terms.iter().zip(&times.at).map(|(a, b)| a * integer(*b)).sum();
    let bound = bound * integer(times.denominator);
    if strict { sum > bound } else { sum >= bound }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Moments in order, and bounds on clocks that ran during some of the stretches between them.
fn random_demands(random: &mut Random, count: u32) -> Vec<Demand> {
    let order = (1..count).map(|n| Demand::Difference { later: n, earlier: n - 1, weight: Weight(0, 0) });
    let mut demands: Vec<Demand> = order.collect();
    for _ in 0..2 + random.below(5) {
        let factor = if random.below(2) == 0 { 1 } else { -1 };
        let mut clock = Vec::new();
        for n in 1..count {
            if random.below(2) == 0 {
                clock.extend([(n, factor), (n - 1, -factor)]);
            }
        }
        let weight = Weight(factor * random.below(8) as i64, i64::from(random.below(3) == 0));
        if let Ok(Some(demand)) = super::demand(clock, weight) {
            demands.push(demand);
        }
    }
    demands
}

#[test]
fn random_systems_have_the_solutions_that_elimination_finds() {
    let mut random = Random(1);
    let (mut solvable, mut open, mut sums, mut broken) = (0, 0, 0, 0);
    for round in 0..4000 {
        let count = 2 + round % 4;
        let demands = random_demands(&mut random, count);
        let expected = least_end(count as usize, &demands);
        sums += u32::from(demands.iter().any(|demand| matches!(demand, Demand::Sum { .. })));
        match solve(count as usize, &demands) {
            Ok(times) => {
                let (numerator, denominator) = times.least_end;
                let least = Rational::new(i128::from(numerator), i128::from(denominator));
                assert_eq!(expected, Some((least, times.attained)), "round {round}: {demands:?} gives {times:?}");
                assert!(demands.iter().all(|demand| meets(&times, demand)), "round {round}: {demands:?} {times:?}");
                assert_eq!(times.at[0], 0);
                let end = Rational::new(i128::from(times.at[count as usize - 1]), i128::from(times.denominator));
                assert!(
                    if times.attained { end == least } else { end > least },
                    "round {round}: {demands:?} {times:?}"
                );
                solvable += 1;
                open += u32::from(!times.attained);
            }
            Err(why) => {
                assert_eq!(why, NoTimes::Contradiction);
                assert_eq!(expected, None, "round {round}: {demands:?}");
                broken += 1;
            }
        }
    }
    assert!(solvable > 500 && broken > 500 && open > 100 && sums > 500, "{solvable} {broken} {open} {sums}");
}

/// Two clocks that run in turns: neither their common end nor any moment of a turn is an integer.
#[test]
fn a_solution_need_not_be_integral() {
    let at_least = |terms: &[(u32, i64)], bound| Demand::Sum { terms: terms.to_vec(), weight: Weight(bound, 0) };
    // a + b >= 1, b + c >= 1, a + c >= 1 for the stretches a, b, c.
    let mut demands = vec![
        at_least(&[(2, 1), (0, -1)], 1),
        at_least(&[(3, 1), (1, -1)], 1),
        at_least(&[(3, 1), (2, -1), (1, 1), (0, -1)], 1),
    ];
    demands.extend((1..4).map(|n| Demand::Difference { later: n, earlier: n - 1, weight: Weight(0, 0) }));
    let times = solve(4, &demands).unwrap();
    assert_eq!((times.at, times.denominator, times.least_end), (vec![0, 1, 2, 3], 2, (3, 2)));
}

#[test]
fn numbers_that_do_not_fit_are_given_up() {
    let huge = Moment { real: Rational::from_integer(i128::MAX), epsilons: Rational::zero() };
    assert!(huge.add(&huge).is_err());
    assert!(huge.times(&integer(2)).is_err());
    let times = solve(2, &[Demand::Sum { terms: vec![(1, 1), (0, -3)], weight: Weight(i64::MAX, 0) }]);
    assert_eq!(times.map(|times| times.at), Ok(vec![0, i64::MAX]));
}

/// Many demands between the same two moments, each greater than the one before: no circle.
#[test]
fn many_demands_on_one_pair_of_moments() {
    let difference = |later, earlier, weight| Demand::Difference { later, earlier, weight };
    let mut demands: Vec<Demand> = (0..50).map(|least| difference(1, 0, Weight(least, 1))).collect();
    demands.push(difference(2, 1, Weight(0, 0)));
    let times = solve(3, &demands).expect("they can be met");
    assert!(demands.iter().all(|demand| meets(&times, demand)));
    assert_eq!((times.least_end, times.attained), ((49, 1), false));
    demands.push(difference(0, 1, Weight(-49, 0)));
    assert_eq!(solve(3, &demands), Err(NoTimes::Contradiction));
}
