//! Curves read back from the table that [`Curves::csv`] writes: `run,expression,<what the first axis shows>,value`.

use crate::curves::{Curves, Series};
use crate::replay::Mistake;

/// More points are refused.
const POINTS: usize = 50_000_000;

/// Reads a table. A series goes on as long as run and expression stay the same.
pub fn read(text: &str) -> Result<Curves, Mistake> {
    let mut lines = (1..).zip(text.lines());
    let wrong = |line: usize, column: usize, message: &str| Mistake { line, column, message: message.to_owned() };
    let expected = "expected a table with the columns run, expression, a number and value";
    let Some((_, header)) = lines.next() else { return Err(wrong(1, 1, expected)) };
    let x = match fields(header).as_deref() {
        Some([(_, run), (_, expression), (_, x), (_, value)])
            if run == "run" && expression == "expression" && value == "value" =>
        {
            x.clone()
        }
        _ => return Err(wrong(1, 1, expected)),
    };
    let mut series: Vec<Series> = Vec::new();
    let mut points = 0;
    for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
        let Some(row) = fields(text) else { return Err(wrong(line, 1, "a quotation mark has no end")) };
        let [(at_run, run), (_, name), (at_x, x), (at_y, y)] = row.as_slice() else {
            return Err(wrong(line, 1, "expected four fields"));
        };
        let run: u64 = run.trim().parse().map_err(|_| wrong(line, *at_run, "expected the number of a run"))?;
        let number = |column: usize, text: &str| {
            text.trim().parse::<f64>().map_err(|_| wrong(line, column, "expected a number"))
        };
        let point = (number(*at_x, x)?, number(*at_y, y)?);
        points += 1;
        if points > POINTS {
            return Err(wrong(line, 1, "the table has too many rows to be drawn"));
        }
        match series.last_mut() {
            Some(last) if last.run == run && last.name == *name => last.points.push(point),
            _ => series.push(Series { name: name.clone(), run, points: vec![point] }),
        }
    }
    let is_log = x == crate::searches::directed::EXPLORED;
    let y = if is_log { crate::searches::directed::HEURISTIC_VALUE.to_owned() } else { String::new() };
    Ok(Curves { series, x, y })
}

/// The fields of a row and the columns where they begin; `None` when a quoted one has no end.
fn fields(line: &str) -> Option<Vec<(usize, String)>> {
    let (mut fields, mut field, mut start, mut quoted) = (Vec::new(), String::new(), 1, false);
    let mut characters = (1..).zip(line.chars()).peekable();
    while let Some((column, character)) = characters.next() {
        match character {
            '"' if quoted && characters.peek().is_some_and(|(_, next)| *next == '"') => {
                field.push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => {
                fields.push((start, std::mem::take(&mut field)));
                start = column + 1;
            }
            other => field.push(other),
        }
    }
    fields.push((start, field));
    (!quoted).then_some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let series =
            |name: &str, run, points: &[(f64, f64)]| Series { name: name.to_owned(), run, points: points.to_vec() };
        let series = vec![series("a \"b\", c", 0, &[(0.0, 1.5), (2.0, -3.0)]), series("d", 1, &[(1.0, 1.0)])];
        let curves = Curves { series, x: "time".to_owned(), y: String::new() };
        assert_eq!(read(&curves.csv()).ok(), Some(curves));
    }

    #[test]
    fn mistakes_have_places() {
        let header = "run,expression,time,value\n";
        let table = [
            (String::new(), (1, 1)),
            ("a,b\n".to_owned(), (1, 1)),
            (format!("{header}0,x,1\n"), (2, 1)),
            (format!("{header}0,x,1,2\n-1,x,1,2\n"), (3, 1)),
            (format!("{header}0,x,one,2\n"), (2, 5)),
            (format!("{header}0,x,1,two\n"), (2, 7)),
            (format!("{header}0,\"x,1,2\n"), (2, 1)),
        ];
        for (text, place) in table {
            assert_eq!(read(&text).err().map(|mistake| (mistake.line, mistake.column)), Some(place), "{text}");
        }
    }
}
