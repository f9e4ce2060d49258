//! Queries about explicit graphs, as Aldebaran files hold them: deadlocks and labels.
//!
//! | query | it asks whether |
//! | --- | --- |
//! | `E<> deadlock` | a state without successors is reachable |
//! | `E<> "label"` | a step with this label can happen |
//! | `A[] not deadlock` | no state without successors is reachable |
//! | `A[] not "label"` | no step with this label can happen |
//!
//! `!` stands for `not` as well. Inside of the quotes stands the label as the file has it, without its own quotes.

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GraphTarget {
    Deadlock,
    Label(String),
}

/// A query about a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GraphQuery {
    /// `E<>`: the target is reachable.
    Reachable(GraphTarget),
    /// `A[] not`: it is not.
    Unreachable(GraphTarget),
}

/// What was expected, and at which byte of the query.
pub type Unreadable = (usize, &'static str);

const FORMS: &str = "expected `E<> deadlock`, `E<> \"label\"`, `A[] not deadlock` or `A[] not \"label\"`";

/// Reads a query about a graph.
pub fn graph_query(text: &str) -> Result<GraphQuery, Unreadable> {
    let trimmed = text.trim_start();
    let at = |rest: &str| text.len() - rest.len();
    if let Some(rest) = trimmed.strip_prefix("E<>") {
        let target = target(rest.trim()).ok_or((at(rest.trim_start()), "expected `deadlock` or a label in quotes"))?;
        return Ok(GraphQuery::Reachable(target));
    }
    let Some(rest) = trimmed.strip_prefix("A[]") else { return Err((at(trimmed), FORMS)) };
    let rest = rest.trim_start();
    let negated = rest.strip_prefix('!').or_else(|| rest.strip_prefix("not"));
    let inner = negated.ok_or((at(rest), "expected `not deadlock` or `not` and a label in quotes"))?.trim_start();
    let target = target(inner.trim_end()).ok_or((at(inner), "expected `deadlock` or a label in quotes"))?;
    Ok(GraphQuery::Unreachable(target))
}

fn target(text: &str) -> Option<GraphTarget> {
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inside {
        Some(inside) => target(inside.trim()),
        None if text == "deadlock" => Some(GraphTarget::Deadlock),
        None => {
            let label = text.strip_prefix('"')?.strip_suffix('"')?;
            Some(GraphTarget::Label(label.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_reachable_or_not() {
        let label = |label: &str| GraphTarget::Label(label.to_owned());
        for (text, query) in [
            ("E<> deadlock", GraphQuery::Reachable(GraphTarget::Deadlock)),
            (" E<>(deadlock) ", GraphQuery::Reachable(GraphTarget::Deadlock)),
            ("A[] not deadlock", GraphQuery::Unreachable(GraphTarget::Deadlock)),
            ("E<> \"say \"x\", loud\"", GraphQuery::Reachable(label("say \"x\", loud"))),
            ("A[] !\"coffee\"", GraphQuery::Unreachable(label("coffee"))),
            ("A[] not (\"tea\")", GraphQuery::Unreachable(label("tea"))),
        ] {
            assert_eq!(graph_query(text), Ok(query), "{text}");
        }
    }

    #[test]
    fn unreadable_queries_say_what_is_expected_and_where() {
        for (query, at) in [("E<> coffee", 4), ("A[] deadlock", 4), ("sup: x", 0), ("A[] not tea", 8), ("", 0)] {
            assert_eq!(graph_query(query).err().map(|(at, _)| at), Some(at), "{query}");
        }
    }
}
