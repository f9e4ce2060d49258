//! Random guards, invariants and updates over what is in scope.

use crate::draft::Traits;
use crate::random::Random;

/// What the labels of one network may contain, and what they turned out to contain.
#[derive(Clone, Debug, Default)]
pub struct Style {
    pub strict: bool,
    pub diagonal: bool,
    pub copies: bool,
    pub decreases: bool,
    pub errors: bool,
    /// Channels without `!` and `?`.
    pub together: bool,
    /// Clocks that stand still in some locations.
    pub stopwatches: bool,
    pub urgent: bool,
    pub broadcast: bool,
    pub priorities: bool,
    pub guarded_urgent: bool,
    pub guarded_receivers: bool,
}

impl Style {
    pub fn new(random: &mut Random) -> Style {
        let copies = random.one_in(4);
        Style {
            strict: random.one_in(3),
            diagonal: random.one_in(8),
            copies,
            decreases: copies && random.one_in(8),
            errors: random.one_in(12),
            together: random.one_in(10),
            stopwatches: random.one_in(8),
            ..Style::default()
        }
    }

    pub fn traits(&self) -> Traits {
        let negated = self.guarded_receivers || self.priorities || self.guarded_urgent;
        Traits {
            closed: !(self.strict || self.diagonal || self.decreases || self.stopwatches || negated),
            diagonal: self.diagonal,
            approximated: self.guarded_urgent || self.decreases || self.stopwatches,
            ordered: self.broadcast || self.together || self.priorities,
            errors: self.errors || self.decreases,
            lowers: self.decreases,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub clocks: Vec<String>,
    /// Integers from 0 to the number given.
    pub ints: Vec<(String, usize)>,
    pub bools: Vec<String>,
    /// Further bounds to compare clocks with, further conditions, further values from 0 to 1.
    pub bounds: Vec<String>,
    pub discrete: Vec<String>,
    pub values: Vec<String>,
    pub calls: Vec<String>,
    pub array: bool,
    pub meta: bool,
    pub scalar: bool,
}

impl Scope {
    fn clock<'a>(&'a self, random: &mut Random) -> &'a str {
        random.pick::<String>(&self.clocks)
    }

    /// A number of time units.
    pub fn bound(&self, random: &mut Random) -> String {
        match random.below(8) {
            0 if !self.bounds.is_empty() => random.pick(&self.bounds).clone(),
            1 if !self.ints.is_empty() => format!("{}*K", random.pick(&self.ints).0),
            2 if !self.ints.is_empty() => format!("({} + 1)*K", random.pick(&self.ints).0),
            _ => format!("{}*K", random.below(6)),
        }
    }

    /// A comparison with one of the operators; of two clocks where the style allows it.
    fn comparison(&self, random: &mut Random, style: &Style, operators: &[&str]) -> String {
        let (clock, operator) = (self.clock(random), random.pick(operators));
        if style.diagonal && random.one_in(2) {
            let other = self.clock(random);
            return match random.below(4) {
                0 if *operator != "==" => format!("{clock} {operator} {other}"),
                1 => format!("{clock} - {other} {operator} -{}*K", random.below(4)),
                _ => format!("{clock} - {other} {operator} {}*K", random.below(4)),
            };
        }
        let bound = self.bound(random);
        match random.below(12) {
            0 if *operator == "<=" => format!("{bound} >= {clock}"),
            1 if *operator == ">=" => format!("{bound} <= {clock}"),
            2 => format!("{clock} + 1*K {operator} {bound}"),
            _ => format!("{clock} {operator} {bound}"),
        }
    }

    pub fn clock_guard(&self, random: &mut Random, style: &mut Style) -> String {
        let operators: &[&str] = if style.strict { &["<=", ">=", "==", "<", ">"] } else { &["<=", ">=", ">=", "=="] };
        let guard = self.comparison(random, style, operators);
        match random.below(10) {
            0 => match self.condition(random) {
                Some(condition) => format!("({condition} || {guard})"),
                None => guard,
            },
            1 => match self.condition(random) {
                Some(condition) => format!("({condition} imply {guard})"),
                None => guard,
            },
            2 if self.clocks.iter().any(|clock| clock == "xs[0]") => "(forall (q : int[0,1]) xs[q] >= 1*K)".to_owned(),
            _ => guard,
        }
    }

    pub fn invariant(&self, random: &mut Random, style: &mut Style) -> String {
        let operators: &[&str] = match (style.strict, random.one_in(7)) {
            (true, true) => &[">", ">="],
            (false, true) => &[">="],
            (true, false) => &["<", "<="],
            (false, false) => &["<="],
        };
        let invariant = self.comparison(random, style, operators);
        match self.condition(random).filter(|_| random.one_in(6)) {
            Some(condition) => format!("({condition} || {invariant})"),
            None => invariant,
        }
    }

    /// A clock that stands still, always or sometimes.
    pub fn rate(&self, random: &mut Random) -> String {
        let clock = self.clock(random);
        match self.condition(random).filter(|_| random.one_in(3)) {
            Some(condition) => format!("{clock}' == ({condition} ? 1 : 0)"),
            None => format!("{clock}' == 0"),
        }
    }

    fn condition(&self, random: &mut Random) -> Option<String> {
        if !self.bools.is_empty() && random.one_in(3) {
            let name = random.pick(&self.bools);
            return Some(if random.one_in(2) { name.clone() } else { format!("!{name}") });
        }
        if !self.discrete.is_empty() && random.one_in(3) {
            return Some(random.pick(&self.discrete).clone());
        }
        if self.ints.is_empty() {
            return None;
        }
        let (name, hi) = random.pick(&self.ints);
        let operator = random.pick(&["==", "!=", "<=", ">="]);
        Some(format!("{name} {operator} {}", random.below(hi + 1)))
    }

    pub fn discrete_guard(&self, random: &mut Random, style: &Style) -> Option<String> {
        if style.errors && random.one_in(4) && !self.ints.is_empty() {
            let (name, hi) = random.pick(&self.ints);
            return Some(match self.array {
                true => format!("a[{name}] >= 1"),
                false => format!("{hi} % {name} == 0"),
            });
        }
        if self.array && random.one_in(6) {
            let quantifier = random.pick(&["forall", "exists"]);
            return Some(format!("({quantifier} (q : int[0,1]) a[q] >= {})", random.below(3)));
        }
        self.condition(random)
    }

    pub fn update(&self, random: &mut Random, style: &Style) -> String {
        let clock = self.clock(random);
        match random.below(12) {
            0..=3 => format!("{clock} = 0"),
            4 => format!("{clock} = {}*K", random.below(4)),
            5 if style.copies => {
                let other = self.clock(random);
                match random.below(if style.decreases { 4 } else { 3 }) {
                    0 => format!("{clock} = {other} + 1*K"),
                    3 => format!("{clock} = {other} - 1*K"),
                    _ => format!("{clock} = {other}"),
                }
            }
            6 if !self.bools.is_empty() => {
                let name = random.pick(&self.bools);
                format!("{name} = !{name}")
            }
            7 if !self.calls.is_empty() => random.pick(&self.calls).clone(),
            8 if self.meta => "m = 2".to_owned(),
            9 if self.meta && self.ints.iter().any(|(_, hi)| *hi == 3) => {
                let (name, _) = self.ints.iter().find(|(_, hi)| *hi == 3).unwrap_or(&self.ints[0]);
                format!("{name} = m")
            }
            _ if self.ints.is_empty() => format!("{clock} = 0"),
            _ => {
                let (name, hi) = random.pick(&self.ints);
                match random.below(5) {
                    0 if style.errors => match random.below(4) {
                        0 => format!("{name} = {hi} / {}", random.pick(&self.ints).0),
                        1 if self.array => format!("a[{name}] = 1"),
                        2 => format!("{name} -= 1"),
                        _ => format!("{name}++"),
                    },
                    0 | 1 => format!("{name} = ({name} + 1) % {}", hi + 1),
                    2 if !self.values.is_empty() => format!("{name} = {}", random.pick(&self.values)),
                    3 => format!("{name} = ({name} > 0 ? {name} - 1 : 0)"),
                    _ => format!("{name} = {}", random.below(hi + 1)),
                }
            }
        }
    }
}
