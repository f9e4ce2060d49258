//! Everything that computes expressions agrees on code that writes while it computes: the evaluator
//! of constants, the register code, and the interpreter that replays runs. The register code is
//! compiled twice: for the exact engines, and for statistics, where doubles and clocks have values.
//!
//! `ZONEWALK_EVALUATORS=100000 cargo test --release -p engine --test evaluators` looks at more
//! models, `ZONEWALK_EVALUATORS_SEED=7` begins somewhere else.

mod by_hand;
mod generate;
mod labels;

/// The random models that the register code is tested with.
#[allow(dead_code, reason = "queries are not needed here")]
#[path = "../../../semantics/tests/support"]
mod code_models {
    pub mod generate;
    pub mod random;
}

use certify::{Move, Semantics};
use generate::{CONSTANTS, Draft};
use model::deep_stack::on_deep_stack;
use model::load::{Model, load_bytes};
use model::network::{EdgeId, ExprId, Network, ProcessId, Value, Variable};
use sampling::machine as statistics;
use semantics::code::{Discrete, Machine, Programs};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The integers of the state after an edge, or what failed.
type Found = Result<Vec<i32>, String>;

/// What the one edge of a process does by every evaluator there is.
struct Everybody {
    compiled: Found,
    sampled: Found,
    replayed: Found,
    /// As statistics have them.
    doubles: Vec<f64>,
}

fn load(text: &str) -> Result<Model, Vec<String>> {
    let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let messages = || loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
    loaded.model.ok_or_else(messages)
}

/// The value of a constant, from the model that computes it.
fn constant(network: &Network, name: &str) -> Option<Value> {
    let found: &Variable = network.global_constants.iter().find(|variable| &*variable.name == name)?;
    let constants = &network.constants;
    Some(match found.ty.extent().doubles {
        0 => Value::Int(constants.ints[found.offset.ints as usize]),
        _ => Value::Double(constants.doubles[found.offset.doubles as usize]),
    })
}

fn global(network: &Network, name: &str) -> Variable {
    let found = network.globals.iter().find(|variable| &*variable.name == name);
    found.unwrap_or_else(|| panic!("no variable `{name}`")).clone()
}

impl Everybody {
    fn run(network: &Network, process: ProcessId) -> Everybody {
        let edge = &network.template_of(process).edges[0];
        let updates: Vec<ExprId> = edge.update.iter().chain(&edge.branches[0].update).copied().collect();

        let mut programs = Programs::new(network);
        let code = programs.update(&updates);
        let mut state = Discrete::initial(network);
        let result = Machine::new().update(&programs, code, process, &[], &mut state, &mut Vec::new());
        let compiled = result.map(|()| state.ints).map_err(|error| error.kind.to_string());

        let mut programs = Programs::with_doubles(network);
        let code = programs.update(&updates);
        let mut machine = statistics::Machine::new(network);
        machine.enter(process.index(), &[]);
        let result = machine.update(&programs, code);
        let sampled = result.map(|()| machine.state.ints.clone()).map_err(|failure| failure.reason);

        let semantics = Semantics::new(network);
        let one = Move { process, edge: EdgeId::new(0), select: Vec::new(), branch: 0 };
        let state = semantics.initial().and_then(|start| semantics.step(&start, &[one]));
        let replayed = state.map(|state| state.discrete.ints).map_err(|refusal| refusal.text);

        Everybody { compiled, sampled, replayed, doubles: machine.state.doubles }
    }
}

/// The integers of the state after the one edge of a process, `None` where everybody fails; an
/// error when not all agree.
fn run(network: &Network, process: ProcessId) -> Result<Option<Vec<i32>>, String> {
    let Everybody { compiled, sampled, replayed, .. } = Everybody::run(network, process);
    let name = &network.process(process).name;
    for (other, found) in [("statistics", &sampled), ("the replay", &replayed)] {
        let same = match (&compiled, found) {
            (Ok(left), Ok(right)) => left == right,
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if !same {
            return Err(format!("{name}: register code has {compiled:?}, {other} {found:?}"));
        }
    }
    Ok(compiled.ok())
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Double(left), Value::Double(right)) => left.to_bits() == right.to_bits(),
        _ => left == right,
    }
}

/// Whether everybody agrees on a model; whether the values exist.
fn examine(draft: &Draft) -> Result<bool, String> {
    let all: Vec<&str> = CONSTANTS.iter().map(|(_, text)| *text).collect();
    let plain = load(&draft.with(&[])).map_err(|messages| format!("the model does not load: {messages:?}"))?;
    let values: Vec<Option<Value>> = match load(&draft.with(&all)) {
        Ok(model) => CONSTANTS.iter().map(|(name, _)| constant(model.network(), name)).collect(),
        // Some have no value: perhaps not all.
        Err(_) => {
            let one = |(name, text): &(&str, &str)| {
                let model = load(&draft.with(&[text])).ok()?;
                constant(model.network(), name)
            };
            CONSTANTS.iter().map(one).collect()
        }
    };
    let network = plain.network();
    // What each process leaves in a variable, and which constant it is.
    let table = [
        ("Constant", "y0", 0),
        ("Given", "y1", 0),
        ("Own", "y2", 0),
        ("TheBound", "y3", 0),
        ("Label", "y4", 1),
        ("Real", "z0", 2),
    ];
    for (name, variable, which) in table {
        let process = network.processes.iter().position(|process| process.name == name);
        let process = ProcessId::new(process.unwrap_or_else(|| panic!("no process `{name}`")));
        let at = global(network, variable).offset;
        let found = if name == "Real" {
            // The exact engines leave it out.
            let everybody = Everybody::run(network, process);
            everybody.sampled.is_ok().then(|| Value::Double(everybody.doubles[at.doubles as usize]))
        } else {
            run(network, process)?.map(|ints| Value::Int(ints[at.ints as usize]))
        };
        let agree = match (&found, &values[which]) {
            (Some(found), Some(expected)) => same(found, expected),
            (None, None) => true,
            _ => false,
        };
        if !agree {
            let (constant, expected) = (CONSTANTS[which].0, &values[which]);
            return Err(format!("{name} computes {found:?}, as the constant {constant} it is {expected:?}"));
        }
    }
    Ok(values.iter().all(Option::is_some))
}

#[test]
fn all_evaluators_agree_on_code_with_side_effects() {
    let (count, first) = (number("ZONEWALK_EVALUATORS", 600), number("ZONEWALK_EVALUATORS_SEED", 1));
    let mut good = 0;
    for seed in first..first + count {
        let draft = generate::model(seed);
        match on_deep_stack(|| examine(&draft)) {
            Ok(whole) => good += u64::from(whole),
            Err(text) => panic!("seed {seed}: {text}\n{}", draft.with(&[])),
        }
    }
    // A test in which nearly everything failed would show little.
    assert!(4 * good > count && (count < 100 || good < count), "{good} of {count} models have all their values");
    println!("{good} of {count} models have all their values");
}
