//! What a row of the table of options says, and how a value that somebody wrote is read.
//!
//! A row knows where its value belongs in [`Options`]: whoever has a name and a text calls [`OptionRow::set`] and needs to
//! know nothing about the option.

use super::Options;
use crate::nearest::nearest;
use std::fmt;
use std::time::Duration;

/// One row of the table.
#[derive(Debug)]
pub struct OptionRow {
    /// Without the leading `--`.
    pub name: &'static str,
    pub value: Value,
    /// What stands for the value in the help; empty for a switch.
    pub word: &'static str,
    /// As one would write it.
    pub default: Option<&'static str>,
    pub group: Group,
    /// Whether the short help has it.
    pub is_common: bool,
    pub help: &'static str,
}

impl PartialEq for OptionRow {
    fn eq(&self, other: &OptionRow) -> bool {
        self.name == other.name
    }
}

/// A list of rows, and several of them.
pub type Rows = &'static [&'static OptionRow];
pub type Lists = &'static [Rows];

/// Which values there are, and where one belongs.
pub enum Value {
    Switch(fn(&mut Options)),
    /// From the first number to the second.
    Integer {
        least: u64,
        most: u64,
        set: fn(&mut Options, u64),
    },
    Real {
        range: Reals,
        set: fn(&mut Options, f64),
    },
    Choice(&'static (dyn Choose + Sync)),
    Time(fn(&mut Options, Duration)),
    Size(fn(&mut Options, u64)),
    /// Whoever asks writes the file; what the engine has to keep for it is said here.
    File(fn(&mut Options)),
    /// An expression over the model, which is not read yet: [`Options::level`].
    Expression,
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.range())
    }
}

/// Real numbers that are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reals {
    /// Strictly between 0 and 1.
    Probability,
    /// From 0 on, and below 1.
    Chance,
    /// Greater than 0.
    Positive,
}

/// Options that stand together in the help.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    Search,
    Limits,
    Evidence,
    Walks,
    Directed,
    Strategies,
    Statistics,
    Systems,
}

impl Group {
    pub fn heading(self) -> &'static str {
        match self {
            Group::Search => "Search",
            Group::Limits => "Limits",
            Group::Evidence => "Runs and evidence",
            Group::Walks => "Random walks",
            Group::Directed => "Directed searches",
            Group::Strategies => "Deep random search, highway search, random simulation",
            Group::Statistics => "Statistics",
            Group::Systems => "Timed I/O systems",
        }
    }
}

/// Names beside the values they mean, and where the value that is chosen belongs.
pub struct Choices<T: 'static> {
    pub named: &'static [(&'static str, T)],
    pub set: fn(&mut Options, T),
}

impl<T: Copy + PartialEq> Choices<T> {
    /// What a name means.
    pub fn meant(&self, name: &str) -> Option<T> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// What a value is called.
    pub fn name(&self, value: T) -> Option<&'static str> {
        self.named.iter().find(|(_, known)| *known == value).map(|(name, _)| *name)
    }
}

/// A choice of names, whatever they mean.
pub trait Choose {
    fn names(&self) -> Vec<&'static str>;

    /// Puts what the name means into the options; `false` when there is no such name.
    fn choose(&self, options: &mut Options, name: &str) -> bool;
}

impl<T: Copy + PartialEq> Choose for Choices<T> {
    fn names(&self) -> Vec<&'static str> {
        self.named.iter().map(|(name, _)| *name).collect()
    }

    fn choose(&self, options: &mut Options, name: &str) -> bool {
        let value = self.meant(name);
        value.into_iter().for_each(|value| (self.set)(options, value));
        value.is_some()
    }
}

impl Value {
    /// The names to choose from; none where the value is no name.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Value::Choice(choice) => choice.names(),
            _ => Vec::new(),
        }
    }

    /// Which values there are, in words.
    pub fn range(&self) -> String {
        match self {
            Value::Switch(_) => "a switch without a value".to_owned(),
            Value::Integer { least: 0, most: u64::MAX, .. } => "a number from 0 on".to_owned(),
            Value::Integer { least, most: u64::MAX, .. } => format!("a number from {least} on"),
            Value::Integer { least, most, .. } => format!("a number from {least} to {most}"),
            Value::Real { range: Reals::Probability, .. } => "a number between 0 and 1".to_owned(),
            Value::Real { range: Reals::Chance, .. } => "a number from 0 up to, but not including, 1".to_owned(),
            Value::Real { range: Reals::Positive, .. } => "a number greater than 0".to_owned(),
            Value::Choice(choice) => format!("one of {}", choice.names().join(", ")),
            Value::Time(_) => "a time such as 500ms, 60s, 5m or 1h".to_owned(),
            Value::Size(_) => "a size such as 500M or 4G".to_owned(),
            Value::File(_) => "a file".to_owned(),
            Value::Expression => "an integer expression".to_owned(),
        }
    }
}

impl OptionRow {
    pub fn is_switch(&self) -> bool {
        matches!(self.value, Value::Switch(_))
    }

    /// Reads a value and puts it where it belongs. The error says what would fit, and not which option it is.
    pub fn set(&self, options: &mut Options, text: &str) -> Result<(), String> {
        let written = text.trim();
        let is_set = match &self.value {
            Value::Switch(set) => {
                set(options);
                true
            }
            Value::Integer { least, most, set } => {
                let number = written.parse().ok().filter(|number| (least..=most).contains(&number));
                number.map(|number| set(options, number)).is_some()
            }
            Value::Real { range, set } => real(written, *range).map(|number| set(options, number)).is_some(),
            Value::Choice(choice) => choice.choose(options, text),
            Value::Time(set) => time(written).map(|time| set(options, time)).is_some(),
            Value::Size(set) => size(written).map(|size| set(options, size)).is_some(),
            Value::File(set) => {
                set(options);
                true
            }
            Value::Expression => true,
        };
        if is_set {
            return Ok(());
        }
        let near = nearest(text, &self.value.names()).map_or(String::new(), |near| format!("; is `{near}` meant?"));
        Err(format!("`{text}` is not {}{near}", self.value.range()))
    }
}

fn real(text: &str, range: Reals) -> Option<f64> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let fits = match range {
        Reals::Probability => number > 0.0 && number < 1.0,
        Reals::Chance => (0.0..1.0).contains(&number),
        Reals::Positive => number > 0.0,
    };
    fits.then_some(number)
}

/// `60s`, `5m`, `1h`, `500ms`; a bare number counts seconds.
fn time(text: &str) -> Option<Duration> {
    let units = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("", 1_000)];
    scaled(text, &units).map(Duration::from_millis)
}

/// `500M`, `4G`, `64K`; a bare number counts bytes.
fn size(text: &str) -> Option<u64> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40), ("", 1)];
    scaled(text.trim_end_matches("iB").trim_end_matches('B'), &units)
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    units.iter().find_map(|(unit, scale)| {
        let number = text.strip_suffix(unit)?.trim();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.parse::<u64>().ok()?.checked_mul(*scale)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::{Reals, real, size, time};

    #[test]
    fn real_numbers_have_ranges() {
        assert_eq!(real("0.05", Reals::Probability), Some(0.05));
        assert_eq!(real("0", Reals::Chance), Some(0.0));
        assert_eq!(real("1.1", Reals::Positive), Some(1.1));
        let wrong: [(Reals, &[&str]); 3] = [
            (Reals::Probability, &["", "0", "1", "-0.5", "nan", "5 %"]),
            (Reals::Chance, &["", "1", "-0.1", "nan"]),
            (Reals::Positive, &["", "0", "-1", "inf", "nan"]),
        ];
        for (range, text) in wrong.iter().flat_map(|(range, texts)| texts.iter().map(move |text| (*range, text))) {
            assert_eq!(real(text, range), None, "{range:?} {text}");
        }
    }

    #[test]
    fn times_and_sizes_have_units() {
        let times = [("500ms", 500), ("60s", 60_000), ("5m", 300_000), ("1h", 3_600_000), ("7", 7_000)];
        for (text, millis) in times {
            assert_eq!(time(text).map(|time| time.as_millis()), Some(millis), "{text}");
        }
        for (text, bytes) in [("4G", 4 << 30), ("500M", 500 << 20), ("64KiB", 64 << 10), ("12", 12)] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for wrong in ["", "s", "-1s", "1.5x", "99999999999999999999G"] {
            assert!(time(wrong).is_none() && size(wrong).is_none(), "{wrong}");
        }
    }
}
