//! Which known name somebody may have meant who wrote another.
//!
//! The distance of two words is the least number of letters to insert, to take out, to exchange, or to swap with their
//! neighbours (Damerau 1964, Levenshtein 1966). A name is near if at most a third of its letters differ, and at least one may,
//! or if it begins with what was written.

/// The known name that is nearest, if one is near.
pub fn nearest(written: &str, known: &[&'static str]) -> Option<&'static str> {
    let near = known.iter().map(|name| (distance(written, name), *name));
    let is_near = |(distance, name): &(usize, &str)| {
        let begins = written.len() > 1 && name.starts_with(written);
        begins || *distance <= (name.chars().count() / 3).max(1)
    };
    near.filter(is_near).min().map(|(_, name)| name)
}

fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (fold(one), fold(other));
    // Rows of the table of distances between beginnings: the one before the last, the last, this one.
    let (mut before, mut last) = (Vec::new(), (0..=other.len()).collect::<Vec<usize>>());
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            let is_swapped = i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b;
            if is_swapped {
                let swapped: usize = before[j - 1];
                least = least.min(swapped + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

/// Letters whose case does not count. What is longer than any name is near to none.
fn fold(word: &str) -> Vec<char> {
    word.chars().take(64).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_the_keyboard_are_seen_through() {
        let known = ["auto", "bfs", "dfs", "rdfs", "highway", "highway-approx", "gbfs", "astar"];
        let near = [
            ("bsf", "bfs"),
            ("hihgway", "highway"),
            ("higway", "highway"),
            ("AStar", "astar"),
            ("autos", "auto"),
            ("highway-aprox", "highway-approx"),
            ("high", "highway"),
        ];
        for (written, meant) in near {
            assert_eq!(nearest(written, &known), Some(meant), "{written}");
        }
        for far in ["", "nonsense", "uppaal", &"x".repeat(10_000)] {
            assert_eq!(nearest(far, &known), None, "{far}");
        }
    }
}
