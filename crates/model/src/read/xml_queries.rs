//! The queries that stand in an XML model, with their options and with the answers they are expected to have.
//!
//! `<result>` elements are what an earlier run of a tool answered. They are no expectations and are not read.

use super::blank::is_blank;
use super::xml_element::Element;
use crate::syntax::ast::{Expect, Outcome, QuerySource};

/// All queries of `<queries>`. Formulas that are empty or only a comment are no queries.
pub fn queries(element: Element) -> Vec<QuerySource> {
    let common = options(element);
    element.children_named("query").filter_map(|query| query_source(query, &common)).collect()
}

fn query_source(element: Element, common: &[(String, String)]) -> Option<QuerySource> {
    let text = element.child("formula")?.text();
    let formula = text.as_str();
    if is_blank(formula) {
        return None;
    }
    let start = formula.len() - formula.trim_start().len();
    let span = text.span(start..formula.trim_end().len());
    let comment = element.child("comment").map(|comment| comment.text().as_str().trim().to_owned());
    Some(QuerySource {
        span,
        comment: comment.unwrap_or_default(),
        expect: element.child("expect").map(expect),
        // What stands with a query goes before what stands with all.
        options: common.iter().cloned().chain(options(element)).collect(),
        text,
    })
}

fn options(element: Element) -> Vec<(String, String)> {
    let option = |option: Element| {
        let key = option.attribute("key")?.value.to_owned();
        Some((key, option.attribute("value").map_or_else(String::new, |value| value.value.to_owned())))
    };
    element.children_named("option").filter_map(option).collect()
}

fn expect(element: Element) -> Expect {
    let outcome = element.attribute("outcome").and_then(|outcome| match outcome.value {
        "success" => Some(Outcome::Success),
        "failure" => Some(Outcome::Failure),
        "maybe_true" => Some(Outcome::MaybeTrue),
        "maybe_false" => Some(Outcome::MaybeFalse),
        "error" => Some(Outcome::Error),
        _ => None,
    });
    Expect { outcome, value: element.attribute("value").map(|value| value.value.to_owned()) }
}
