//! Models and runs as short texts.
//!
//! A run is a list of steps separated by `;`. A step is a delay, a colon and the moves: `2: P.0 + Q.1` takes edge 0 of P
//! and edge 1 of Q together after 2 time units; `P.0[3]` gives select values, `P.0/1` a branch. A last item without a colon
//! is the final delay. `@lasso 0`, `@idle` or `@stuck` says how the run goes on.
#![allow(dead_code)]

use certify::{Claim, Ending, Literal, Move, Reason, Refusal, Run, Step, check_claim, rational, replay};
use model::check::QueryKind;
use model::load::{Model, load_bytes, query_text};
use model::network::{EdgeId, ExprId, Network, ProcessId};

pub fn model(text: &str) -> Model {
    let loaded = load_bytes("test.xta", text.as_bytes(), &[]);
    let messages: Vec<String> = loaded.diagnostics.iter().map(|d| d.message.clone()).collect();
    loaded.model.unwrap_or_else(|| panic!("{text}\n{messages:#?}"))
}

/// The predicates of a query such as `E<> p`, and the network with its code.
pub fn predicates(model: &Model, query: &str) -> (Vec<ExprId>, Network) {
    let mut sources = model::source::Sources::new();
    let source = query_text(&mut sources, "query", query);
    let loaded = model.query(&source);
    let messages: Vec<String> = loaded.diagnostics.iter().map(|d| d.message.clone()).collect();
    let query = loaded.query.unwrap_or_else(|| panic!("{query}: {messages:?}"));
    let predicates = match query.kind {
        QueryKind::Path { predicate, .. } | QueryKind::Buchi { predicate } => vec![predicate],
        QueryKind::LeadsTo { from, to, .. } => vec![from, to],
        other => panic!("{other:?}"),
    };
    (predicates, query.network)
}

pub fn run(network: &Network, text: &str) -> Run {
    let (text, ending) = text.split_once('@').unwrap_or((text, ""));
    let ending = match ending.trim().split_once(' ').unwrap_or((ending.trim(), "")) {
        ("lasso", to) => Ending::Lasso(to.trim().parse().unwrap()),
        ("idle", _) => Ending::IdleForever,
        ("stuck", _) => Ending::Stuck,
        _ => Ending::Open,
    };
    let mut run = Run { steps: Vec::new(), final_delay: rational::integer(0), ending };
    for item in text.split(';').map(str::trim).filter(|item| !item.is_empty()) {
        match item.split_once(':') {
            Some((delay, moves)) => {
                let delay = rational::parse(delay.trim()).unwrap();
                let moves = moves.split('+').filter(|m| !m.trim().is_empty()).map(|m| one_move(network, m.trim()));
                run.steps.push(Step { delay, moves: moves.collect() });
            }
            None => run.final_delay = rational::parse(item).unwrap(),
        }
    }
    run
}

fn one_move(network: &Network, text: &str) -> Move {
    let (text, branch) = text.split_once('/').unwrap_or((text, "0"));
    let (text, select) = text.split_once('[').unwrap_or((text, "]"));
    let (process, edge) = text.rsplit_once('.').unwrap();
    let process = network.processes.iter().position(|p| p.name == process).unwrap_or(network.processes.len());
    let select = select.trim_end_matches(']').split(',').filter(|v| !v.is_empty()).map(|v| v.parse().unwrap());
    Move {
        process: ProcessId::new(process),
        edge: EdgeId::new(edge.parse().unwrap()),
        select: select.collect(),
        branch: branch.parse().unwrap(),
    }
}

/// `ok`, or the reason: `GuardFalse`, `ModelError(Index)`.
pub fn word<T>(result: Result<T, Refusal>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(refusal) => match refusal.reason {
            Reason::ModelError(error) => format!("ModelError({:?})", error.kind),
            reason => format!("{reason:?}"),
        },
    }
}

/// A statement about the semantics: a model, a run of it, and what replay says.
pub struct Row(pub &'static str, pub &'static str, pub &'static str, pub &'static str);

pub fn check(rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|Row(statement, text, steps, expected)| {
            let model = model(text);
            let result = replay(model.network(), &run(model.network(), steps));
            let found = word(result.clone());
            let detail = result.err().map(|refusal| refusal.to_string()).unwrap_or_default();
            (found != *expected).then(|| format!("{statement}: {found}, not {expected} ({detail})"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a run shows of a query. `A[]` and `A<>` are about counterexamples.
pub fn claim(model: &Model, query: &str, steps: &str) -> String {
    let (found, network) = predicates(model, query);
    let claim = match (&query[..3], &found[..]) {
        ("E<>", [p]) => Claim::Reaches(Literal::is(*p)),
        ("A[]", [p]) => Claim::Reaches(Literal::is_not(*p)),
        ("E[]", [p]) => Claim::Always(Literal::is(*p)),
        ("A<>", [p]) => Claim::Always(Literal::is_not(*p)),
        ("buc", [p]) => Claim::InfinitelyOften(Literal::is(*p)),
        (_, [p, q]) => Claim::NeverAnswered { from: Literal::is(*p), to: Literal::is(*q) },
        _ => panic!("{query}"),
    };
    word(check_claim(&network, &run(&network, steps), claim))
}
