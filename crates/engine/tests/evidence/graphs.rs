//! Changed reports about explicit graphs.

use super::changes::{Changed, changes};
use super::{agrees, options};
use engine::explicit::{self, Written};
use engine::limits::Watch;
use engine::replay::{self, AcceptedRun, Checked, Document};

#[test]
fn changed_reports_about_graphs_are_refused_or_still_true() {
    let text = "des (0, 6, 5)\n(0, \"coin(1)\", 1)\n(1, tea, 0)\n(0, break, 2)\n(1, i, 3)\n(3, tea, 3)\n(3, cake, 4)\n";
    let graph = explicit::read(text.as_bytes()).expect("a graph");
    let ask = |queries: &[&str]| {
        let written = |query: &&str| Written { name: "query".to_owned(), text: (*query).to_owned() };
        let written: Vec<Written> = queries.iter().map(written).collect();
        explicit::check("g.aut", &graph, &written, &options(|_| {}), &mut Watch::none(), &mut |_| {})
    };
    let replay = |text: &str| match replay::read(text) {
        Ok(Document::Report(records)) => {
            let checked = |(at, record)| replay::graph::result(&graph, at, record);
            records.iter().enumerate().map(checked).collect::<Vec<Checked>>()
        }
        _ => Vec::new(),
    };
    let queries = ["E<> deadlock", "A[] not \"cake\"", "E<> \"coffee\"", "A[] not \"coffee\"", "E<> coffee"];
    let document = serde_json::to_value(ask(&queries)).expect("JSON");
    let kinds = replay(&document.to_string());
    let accepted = |checked: &Checked| matches!(checked, Checked::Accepted(_));
    assert_eq!(kinds.iter().map(accepted).collect::<Vec<_>>(), [true, true, false, false, true]);
    assert!(kinds.iter().all(|checked| !matches!(checked, Checked::Refused { .. } | Checked::BadInput { .. })));
    let (mut accepted, mut refused) = (0, 0);
    for Changed { place, how, document } in changes(&document) {
        for (at, checked) in replay(&document.to_string()).iter().enumerate() {
            let Checked::Accepted(found) = checked else {
                refused += usize::from(!matches!(checked, Checked::Unchecked(_)));
                continue;
            };
            let said = &document["results"][at];
            let truth = ask(&[said["query"].as_str().expect("a query")]).results[0].verdict;
            assert_eq!(serde_json::to_value(truth).expect("JSON"), said["verdict"], "{place}, {how}");
            assert!(said["value"].is_null() && said["failure"].is_null(), "{place}, {how}");
            if let Some(AcceptedRun::Trace(trace, _)) = &found.run {
                assert_eq!(said["evidence"], "witness", "{place}, {how}");
                let length = &said["stats"]["trace_length"];
                assert!(length.is_null() || length.as_u64() == Some(trace.steps.len() as u64), "{place}, {how}");
                agrees(&said["trace"], &serde_json::to_value(trace).expect("JSON"))
                    .unwrap_or_else(|why| panic!("{place}, {how}: {why}"));
            }
            accepted += 1;
        }
    }
    assert!(accepted > 500 && refused > 500, "{accepted} accepted, {refused} refused");
}
