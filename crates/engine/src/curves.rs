//! Curves as a table (CSV) and as a picture (SVG).
//!
//! The picture is drawn by hand: axes with ticks at round numbers, one colour for each name, a legend. Curves with many
//! more points than the picture has columns keep, for each column, where they enter and leave it and how far they reach.

use std::fmt::Write;

#[derive(Clone, PartialEq, Debug)]
pub struct Curves {
    pub series: Vec<Series>,
    /// What the axes show.
    pub x: String,
    pub y: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    pub name: String,
    pub run: u64,
    /// In order; two points with the same first coordinate are a jump.
    pub points: Vec<(f64, f64)>,
}

/// Colours that are told apart on white paper, also by those who do not see all of them (Okabe and Ito 2008).
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"];

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 500.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 16.0;
const ROW: f64 = 18.0;

impl Curves {
    /// One row for each point.
    pub fn csv(&self) -> String {
        let mut out = format!("run,expression,{},value\n", quoted(&self.x));
        for series in &self.series {
            let name = quoted(&series.name);
            for (x, y) in &series.points {
                let _ = writeln!(out, "{},{name},{x},{y}", series.run);
            }
        }
        out
    }

    pub fn svg(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for series in &self.series {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(40);
        let legend = if names.is_empty() { 0.0 } else { 40.0 + 7.0 * longest as f64 };
        let width = WIDTH + legend;
        let (x_axis, y_axis) = (Axis::of(self.points().map(|(x, _)| x)), Axis::of(self.points().map(|(_, y)| y)));
        let area = Area { x: x_axis, y: y_axis };
        let height = HEIGHT.max(TOP + ROW * (names.len() + 2) as f64);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        area.draw(&mut out, &self.x, &self.y);
        for series in &self.series {
            let colour = names.iter().position(|name| *name == series.name).unwrap_or(0);
            let points = thinned(&series.points, &area);
            if points.is_empty() {
                continue;
            }
            let _ = write!(
                out,
                "<polyline fill=\"none\" {} stroke-width=\"1.3\" stroke-opacity=\"0.8\" points=\"",
                stroke(colour)
            );
            for (x, y) in points {
                let _ = write!(out, "{x:.1},{y:.1} ");
            }
            out.push_str("\"/>\n");
        }
        for (n, name) in names.iter().enumerate() {
            let y = TOP + ROW * (n as f64 + 0.5);
            let _ = writeln!(
                out,
                "<line x1=\"{}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" {} stroke-width=\"2.5\"/>\
                 <text x=\"{}\" y=\"{}\">{}</text>",
                WIDTH - 4.0,
                WIDTH + 16.0,
                stroke(n),
                WIDTH + 22.0,
                y + 4.0,
                escaped(&shortened(name, 40))
            );
        }
        out.push_str("</svg>\n");
        out
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.series.iter().flat_map(|series| series.points.iter().copied())
    }
}

/// A colour for each name; when they are used up they come again with dashes, and with longer ones.
fn stroke(n: usize) -> String {
    let colour = COLOURS[n % COLOURS.len()];
    match n / COLOURS.len() {
        0 => format!("stroke=\"{colour}\""),
        dash => format!("stroke=\"{colour}\" stroke-dasharray=\"{} 2\"", 3 * dash),
    }
}

/// The range of an axis and the distance between its ticks.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Axis {
    lo: f64,
    hi: f64,
    tick: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Axis {
        let finite = values.filter(|value| value.is_finite());
        let nothing = (f64::INFINITY, f64::NEG_INFINITY, true);
        let (lo, hi, whole) = finite
            .fold(nothing, |(lo, hi, whole), value| (lo.min(value), hi.max(value), whole && value.fract() == 0.0));
        // What is near zero beside its range is shown with zero.
        let lo = if 0.0 < lo && lo <= hi / 2.0 { 0.0 } else { lo };
        let (lo, hi) = match (lo <= hi, lo == hi) {
            (false, _) => (0.0, 1.0),
            (_, true) => (lo - 0.5 * lo.abs().max(1.0), hi + 0.5 * hi.abs().max(1.0)),
            _ => (lo, hi),
        };
        let rough = (hi - lo) / 6.0;
        let power = 10f64.powf(rough.log10().floor());
        let tick = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|tick| *tick >= rough);
        let tick = tick.filter(|tick| tick.is_finite() && *tick > 0.0).unwrap_or(1.0);
        let tick = if whole { tick.max(1.0) } else { tick };
        Axis { lo: (lo / tick).floor() * tick, hi: (hi / tick).ceil() * tick, tick }
    }

    fn ticks(self) -> Vec<f64> {
        let count = ((self.hi - self.lo) / self.tick).round().clamp(0.0, 50.0) as i32;
        (0..=count).map(|n| self.lo + f64::from(n) * self.tick).collect()
    }

    fn label(self, value: f64) -> String {
        let value = if value.abs() < self.tick * 1e-6 { 0.0 } else { value };
        if value.abs() >= 1e7 || (value != 0.0 && self.tick < 1e-5) {
            return format!("{value:.2e}");
        }
        let decimals = (-self.tick.log10().floor()).clamp(0.0, 6.0) as usize;
        grouped(&format!("{value:.decimals$}"))
    }
}

/// A number with commas between thousands.
fn grouped(number: &str) -> String {
    let whole = number.find('.').unwrap_or(number.len());
    let mut out = String::new();
    for (n, digit) in number.chars().enumerate() {
        let left = whole.saturating_sub(n);
        if n < whole && left.is_multiple_of(3) && out.ends_with(|before: char| before.is_ascii_digit()) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

struct Area {
    x: Axis,
    y: Axis,
}

impl Area {
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let along = (x - self.x.lo) / (self.x.hi - self.x.lo);
        let up = (y - self.y.lo) / (self.y.hi - self.y.lo);
        (LEFT + along * (WIDTH - LEFT - 20.0), HEIGHT - BOTTOM - up * (HEIGHT - BOTTOM - TOP))
    }

    fn draw(&self, out: &mut String, x_name: &str, y_name: &str) {
        let (left, bottom) = self.place((self.x.lo, self.y.lo));
        let (right, top) = self.place((self.x.hi, self.y.hi));
        for value in self.x.ticks() {
            let (x, _) = self.place((value, self.y.lo));
            let _ = writeln!(
                out,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 4.0,
                bottom + 18.0,
                self.x.label(value)
            );
        }
        for value in self.y.ticks() {
            let (_, y) = self.place((self.x.lo, value));
            let _ = writeln!(
                out,
                "<line x1=\"{:.1}\" x2=\"{right:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 4.0,
                left - 8.0,
                y + 4.0,
                self.y.label(value)
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left:.1} {top:.1}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"black\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            (left + right) / 2.0,
            bottom + 38.0,
            escaped(x_name)
        );
        if !y_name.is_empty() {
            let middle = (top + bottom) / 2.0;
            let _ = writeln!(
                out,
                "<text x=\"14\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {middle:.1})\">{}</text>",
                escaped(y_name)
            );
        }
    }
}

/// Points in the picture; of many in one column the first, the extremes and the last.
fn thinned(points: &[(f64, f64)], area: &Area) -> Vec<(f64, f64)> {
    let finite = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
    let placed: Vec<(f64, f64)> = finite.map(|point| area.place(*point)).collect();
    if placed.len() <= 4_000 {
        return placed;
    }
    let mut kept = Vec::new();
    for column in placed.chunk_by(|left, right| left.0.floor() == right.0.floor()) {
        let extreme = |low: bool| {
            let choose = |best: usize, n: usize| if (column[n].1 < column[best].1) == low { n } else { best };
            (1..column.len()).fold(0, choose)
        };
        let mut chosen = [0, extreme(true), extreme(false), column.len() - 1];
        chosen.sort_unstable();
        kept.extend(chosen.map(|n| column[n]));
    }
    kept.dedup();
    kept
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, points: &[(f64, f64)]) -> Series {
        Series { name: name.to_owned(), run: 0, points: points.to_vec() }
    }

    #[test]
    fn a_table_has_a_row_for_each_point() {
        let series = vec![series("a[0] < 1, b", &[(0.0, 1.0), (2.5, -3.0)])];
        let curves = Curves { series, x: "time".to_owned(), y: String::new() };
        let expected = "run,expression,time,value\n0,\"a[0] < 1, b\",0,1\n0,\"a[0] < 1, b\",2.5,-3\n";
        assert_eq!(curves.csv(), expected);
    }

    #[test]
    fn ticks_are_round() {
        let axis = Axis::of([0.0, 9.7].into_iter());
        assert_eq!((axis.lo, axis.hi, axis.tick), (0.0, 10.0, 2.0));
        assert_eq!(axis.ticks().len(), 6);
        assert_eq!(Axis::of([0.0, 0.3].into_iter()).label(0.15000001), "0.15");
        // Numbers of states and steps have whole ticks, and begin at zero.
        let axis = Axis::of([1.0, 4.0].into_iter());
        assert_eq!((axis.lo, axis.hi, axis.tick), (0.0, 4.0, 1.0));
        let axis = Axis::of([1.0, 290_283.0].into_iter());
        assert_eq!(axis.ticks().into_iter().map(|tick| axis.label(tick)).next_back().as_deref(), Some("300,000"));
        assert_eq!(["-1000", "1234567.5", "999", "0.1234"].map(grouped), ["-1,000", "1,234,567.5", "999", "0.1234"]);
        for strange in [vec![], vec![f64::NAN], vec![5.0], vec![0.0], vec![-1e300, 1e300]] {
            let axis = Axis::of(strange.into_iter());
            assert!(axis.lo < axis.hi && !axis.ticks().is_empty(), "{axis:?}");
        }
    }

    #[test]
    fn a_picture_is_well_formed_and_small() {
        let noise = (0..100_000).map(|n| (f64::from(n), f64::from(n * 7919 % 1000))).collect::<Vec<_>>();
        let series = vec![series("a < b", &noise), series("step", &[(0.0, 0.0), (5.0, 0.0), (5.0, 1.0)])];
        let text = Curves { series, x: "time".to_owned(), y: "y & z".to_owned() }.svg();
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"));
        assert!(text.contains("a &lt; b") && text.contains("y &amp; z") && !text.contains("NaN"));
        assert!(text.len() < 100_000, "{}", text.len());
        assert_ne!(stroke(1), stroke(9));
        let empty = Curves { series: Vec::new(), x: "time".to_owned(), y: String::new() };
        assert!(empty.svg().ends_with("</svg>\n"));
    }
}
