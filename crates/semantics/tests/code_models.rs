//! Every model of the collection: all labels of all processes compile and run in the initial state, and agree with the
//! naive tree walk; constants agree with the front end's evaluation.

mod support;

use model::load::load;
use model::network::{Evaluator, LocalConstants, Network, ProcessId, Value};
use semantics::code::{Discrete, Facts, Machine, Programs, RunError, RunErrorKind};
use std::path::Path;
use support::naive::Naive;

fn models() -> Vec<(String, model::load::Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "xml"));
    assert!(paths.len() >= 10);
    paths.iter().map(|path| (path.display().to_string(), load(path, &[]).model.unwrap())).collect()
}

fn check_labels(name: &str, network: &Network) -> usize {
    let mut programs = Programs::new(network);
    let mut machine = Machine::new();
    let state = Discrete::initial(network);
    let mut labels = 0;
    for template in &network.templates {
        let processes: Vec<ProcessId> = (0..network.processes.len())
            .map(ProcessId::new)
            .filter(|id| std::ptr::eq(network.template_of(*id), template))
            .collect();
        for location in &template.locations {
            let Some(invariant) = location.invariant else { continue };
            let id = programs.condition(invariant);
            for process in &processes {
                let mut facts = Facts::default();
                let found = machine.condition(&programs, id, *process, &[], &state, &mut facts);
                let expected = Naive::new(network, *process, &[], &state).truth(invariant);
                // All clocks are 0: what the tree walk finds true must be true here too.
                assert!(expected != Ok(true) || found == Ok(true), "{name}: {found:?} {expected:?}");
                labels += 1;
            }
        }
        for edge in template.expanded.iter() {
            let select = template.select_values(*edge);
            let edge = template.edge(edge.edge);
            let guard = edge.guard.map(|guard| (guard, programs.condition(guard)));
            let channel = edge.sync.as_ref().map(|sync| (&sync.channel, programs.channel(&sync.channel)));
            let update = programs.update(&edge.update);
            for process in &processes {
                if let Some((expr, id)) = guard {
                    let mut facts = Facts::default();
                    let found = machine.condition(&programs, id, *process, select, &state, &mut facts);
                    let expected = Naive::new(network, *process, select, &state).truth(expr);
                    assert!(expected != Ok(true) || found == Ok(true), "{name}: {found:?} {expected:?}");
                }
                if let Some((place, code)) = channel {
                    let found = machine.channel(&programs, code, *process, select, &state);
                    let expected = Naive::new(network, *process, select, &state).channel(place);
                    assert_eq!(found.map(|id| id.index()).map_err(|error| error.kind), expected, "{name}");
                }
                let (mut after, mut resets) = (state.clone(), Vec::new());
                let found = machine.update(&programs, update, *process, select, &mut after, &mut resets);
                let mut naive = Naive::new(network, *process, select, &state);
                let expected = naive.update(&edge.update);
                assert_eq!(found.map_err(|error| error.kind), expected, "{name}");
                if expected.is_ok() {
                    assert_eq!((after, resets), (naive.state, naive.resets), "{name}");
                }
                labels += 1;
            }
        }
    }
    labels
}

#[test]
fn labels_run_in_the_initial_state() {
    let mut labels = 0;
    for (name, model) in models() {
        labels += check_labels(&name, model.network());
    }
    assert!(labels > 500, "{labels}");
}

#[test]
fn constants_agree_with_the_front_end() {
    let mut compared = 0;
    for (name, model) in models() {
        let network = model.network();
        let mut programs = Programs::new(network);
        let state = Discrete::initial(network);
        let local = LocalConstants::default();
        for n in 0..network.code.len() {
            let id = model::network::ExprId::new(n);
            let mut evaluator = Evaluator::new(&network.code, &network.constants, &local, network.frame);
            let Ok(Value::Int(expected)) = evaluator.value(id) else { continue };
            let code = programs.int(id);
            let found = Machine::new().int(&programs, code, ProcessId::new(0), &[], &state);
            // `false && x < 3` is false for the front end; here it is a condition, not an integer.
            if matches!(found, Err(RunError { kind: RunErrorKind::Unsupported(_), .. })) {
                continue;
            }
            assert_eq!(found, Ok(expected), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}
