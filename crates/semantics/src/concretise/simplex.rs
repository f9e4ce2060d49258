//! The least point of a polyhedron, exactly: the dual simplex method on rationals (Lemke 1954).
//!
//! Variables are not negative, constraints say that a sum is at least a bound, and what is minimised is first one cost and
//! then another, neither of them negative. So the origin is optimal for the costs alone, and constraints can come one after
//! another: each is a row of the tableau, and those that the point violates are repaired by pivots that keep the
//! costs optimal. A row that no variable can repair proves that there is no point. Bounds may have a multiple of ε, which
//! is how strict ones are meant (as in SMT solvers, Dutertre and de Moura 2006).
//!
//! Of several candidates the one with the smallest index is taken (Bland 1977), so that it ends. Rows are sparse and sorted.
//! Arithmetic is exact and checked; what does not fit or takes too long is given up, never rounded.

use super::rational::{GaveUp, Moment, Rational, Result, add, divide, multiply, negate};
use num_traits::{One, Signed, Zero};

/// How many coefficients may be written before the method gives up.
const WORK: u64 = 100_000_000;

const NONE: u32 = u32::MAX;

/// `basic = constant + terms`, over variables that are zero at the present point.
#[derive(Debug)]
struct Row {
    basic: u32,
    constant: Moment,
    terms: Terms,
}

/// Variables in ascending order with coefficients that are not zero.
type Terms = Vec<(u32, Rational)>;

/// What a unit of a variable costs: the first part counts, the second one between equals.
type Cost = [Rational; 2];

#[derive(Debug)]
pub(super) struct Simplex {
    rows: Vec<Row>,
    /// The row whose basic variable it is.
    row_of: Vec<u32>,
    costs: Vec<Cost>,
    work: u64,
}

impl Simplex {
    /// Costs must not be negative.
    pub(super) fn new(costs: impl Iterator<Item = Cost>) -> Simplex {
        let costs: Vec<Cost> = costs.collect();
        Simplex { rows: Vec::new(), row_of: vec![NONE; costs.len()], costs, work: 0 }
    }

    pub(super) fn value(&self, variable: u32) -> Moment {
        match self.row_of[variable as usize] {
            NONE => Moment::zero(),
            row => self.rows[row as usize].constant,
        }
    }

    /// Adds the constraint that a sum of variables is at least a bound.
    pub(super) fn at_least(&mut self, sum: &[(u32, Rational)], bound: &Moment) -> Result<()> {
        let mut row = Row {
            basic: self.row_of.len() as u32,
            constant: bound.times(&-Rational::one())?,
            terms: sum.iter().filter(|(variable, _)| self.row_of[*variable as usize] == NONE).copied().collect(),
        };
        row.terms.sort_unstable_by_key(|(variable, _)| *variable);
        for (variable, factor) in sum {
            let known = self.row_of[*variable as usize];
            if known != NONE {
                self.work += add_multiple(&mut row, &self.rows[known as usize], factor)?;
            }
        }
        self.row_of.push(self.rows.len() as u32);
        self.costs.push([Rational::zero(), Rational::zero()]);
        self.rows.push(row);
        Ok(())
    }

    /// Goes to the cheapest point that meets all constraints; `false` if there is none.
    pub(super) fn solve(&mut self) -> Result<bool> {
        loop {
            let broken = self.rows.iter().enumerate().filter(|(_, row)| row.constant < Moment::zero());
            let Some((row, _)) = broken.min_by_key(|(_, row)| row.basic) else { return Ok(true) };
            let Some(variable) = self.entering(row)? else { return Ok(false) };
            self.pivot(row, variable)?;
            if self.work > WORK {
                return Err(GaveUp);
            }
        }
    }

    /// The variable that repairs a row at the least cost.
    fn entering(&self, row: usize) -> Result<Option<u32>> {
        let mut best: Option<(Cost, u32)> = None;
        for (variable, factor) in self.rows[row].terms.iter().filter(|(_, factor)| factor.is_positive()) {
            let [first, second] = &self.costs[*variable as usize];
            let ratio = [divide(first, factor)?, divide(second, factor)?];
            if best.as_ref().is_none_or(|(least, _)| ratio < *least) {
                best = Some((ratio, *variable));
            }
        }
        Ok(best.map(|(_, variable)| variable))
    }

    /// A variable of a row becomes its basic one.
    fn pivot(&mut self, at: usize, variable: u32) -> Result<()> {
        let Row { basic, constant, terms } = &mut self.rows[at];
        let place = terms.binary_search_by_key(&variable, |(v, _)| *v).map_err(|_| GaveUp)?;
        let (_, factor) = terms.remove(place);
        let scale = divide(&-Rational::one(), &factor)?;
        *constant = constant.times(&scale)?;
        for (_, coefficient) in terms.iter_mut() {
            *coefficient = multiply(coefficient, &scale)?;
        }
        let old = std::mem::replace(basic, variable);
        let place = terms.partition_point(|(v, _)| *v < old);
        terms.insert(place, (old, negate(&scale)?));
        self.row_of[old as usize] = NONE;
        self.row_of[variable as usize] = at as u32;
        let row =
            std::mem::replace(&mut self.rows[at], Row { basic: NONE, constant: Moment::zero(), terms: Vec::new() });
        for other in &mut self.rows {
            if let Ok(place) = other.terms.binary_search_by_key(&variable, |(v, _)| *v) {
                let (_, factor) = other.terms.remove(place);
                self.work += add_multiple(other, &row, &factor)?;
            }
        }
        let cost = std::mem::replace(&mut self.costs[variable as usize], [Rational::zero(), Rational::zero()]);
        for (n, part) in cost.iter().enumerate().filter(|(_, part)| !part.is_zero()) {
            for (v, coefficient) in &row.terms {
                let known = &mut self.costs[*v as usize][n];
                *known = add(known, &multiply(coefficient, part)?)?;
            }
        }
        self.work += row.terms.len() as u64 + self.rows.len() as u64;
        self.rows[at] = row;
        Ok(())
    }
}

/// Adds a multiple of a row to another one, whose basic variable stays; gives the number of coefficients written.
fn add_multiple(row: &mut Row, other: &Row, factor: &Rational) -> Result<u64> {
    row.constant = row.constant.add(&other.constant.times(factor)?)?;
    let mut sum = Vec::with_capacity(row.terms.len() + other.terms.len());
    let (mut mine, mut theirs) = (row.terms.iter().peekable(), other.terms.iter().peekable());
    loop {
        match (mine.peek(), theirs.peek()) {
            (Some((a, x)), Some((b, y))) if a == b => {
                let coefficient = add(x, &multiply(y, factor)?)?;
                if !coefficient.is_zero() {
                    sum.push((*a, coefficient));
                }
                mine.next();
                theirs.next();
            }
            (Some((a, x)), other) if other.is_none_or(|(b, _)| a < b) => {
                sum.push((*a, *x));
                mine.next();
            }
            (_, Some((b, y))) => {
                sum.push((*b, multiply(y, factor)?));
                theirs.next();
            }
            _ => break,
        }
    }
    row.terms = sum;
    Ok(row.terms.len() as u64)
}
