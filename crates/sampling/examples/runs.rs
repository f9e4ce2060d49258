//! How many runs a second are made of a model, by one thread, and how long they are:
//! `cargo run --release -p sampling --example runs -- MODEL QUERY RUNS`. The query is an `E[..]`.

use model::check::QueryKind;
use model::load::{load_bytes, query_text};
use sampling::run::Settings;
use sampling::sampler::{Question, Sampler};
use sampling::system::System;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, query, runs] = &arguments[..] else { panic!("MODEL QUERY RUNS are wanted") };
    let (bytes, runs) = (std::fs::read(file).expect("a file"), runs.parse().expect("a number of runs"));
    let loaded = load_bytes(file, &bytes, &[]);
    let mut sources = loaded.sources;
    let Some(model) = loaded.model else { panic!("{:?}", loaded.diagnostics) };
    let query = model.query(&query_text(&mut sources, "query", query));
    let Some(asked) = &query.query else { panic!("{:?}", query.diagnostics) };
    let QueryKind::Expected { bound, kind, number, expression } = &asked.kind else { panic!("an E[..] is wanted") };
    let system = System::new(&asked.network);
    let mut sampler = Sampler::new(&system, Settings { step: 0.01 }, 1, 1);
    let question = Question::Extremum { bound, kind: *kind, number: *number, expression: *expression };
    let started = Instant::now();
    let samples: Vec<_> =
        sampler.round(question, 0..runs, &|| false).into_iter().collect::<Result<_, _>>().expect("runs");
    let seconds = started.elapsed().as_secs_f64();
    let steps: u64 = samples.iter().map(|sample| sample.steps).sum();
    let mean = samples.iter().map(|sample| sample.value).sum::<f64>() / runs as f64;
    println!("{runs} runs, {steps} steps, mean {mean}: {:.1} runs a second", runs as f64 / seconds);
}
