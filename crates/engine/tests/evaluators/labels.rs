//! The labels of edges of the random models that the register code is tested with: select variables, parameters by value and
//! by reference, clocks, quantifiers, sets of processes. Guards and channels are taken away, so that every edge can be taken.

use super::*;
use certify::Rational;

/// `A -> B { select ..; guard ..; sync ..; assign ..; }` without guard and channel.
fn unguarded(text: &str) -> String {
    let edge = |line: &str| {
        let (before, rest) = line.split_once(" guard ")?;
        let (_, after) = rest.rsplit_once(" assign ")?;
        before.starts_with("A -> ").then(|| format!("{before} assign {after}"))
    };
    text.lines().map(|line| edge(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

/// What no exact engine does, and the replay does not accept. Statistics do: numbers that are modelled by clocks may be
/// negative there.
const NEGATIVE: &str = "a clock is set to a negative value";

/// Everything that an edge leaves behind.
type After = Result<(Vec<i32>, Vec<f64>), String>;

fn compiled(network: &Network, one: &Move, updates: &[ExprId]) -> After {
    let mut programs = Programs::new(network);
    let code = programs.update(updates);
    let (mut state, mut resets) = (Discrete::initial(network), Vec::new());
    Machine::new()
        .update(&programs, code, one.process, &one.select, &mut state, &mut resets)
        .map_err(|error| error.kind.to_string())?;
    let mut clocks = vec![0.0; network.clocks.len()];
    for reset in resets {
        let value = reset.source.map_or(0.0, |clock| clocks[clock.index()]) + f64::from(reset.offset);
        if value < 0.0 {
            return Err(NEGATIVE.to_owned());
        }
        clocks[reset.target.index()] = value;
    }
    Ok((state.ints, clocks))
}

fn sampled(network: &Network, one: &Move, updates: &[ExprId]) -> After {
    let mut programs = Programs::with_doubles(network);
    let code = programs.update(updates);
    let mut machine = statistics::Machine::new(network);
    machine.enter(one.process.index(), &one.select);
    machine.update(&programs, code).map_err(|failure| failure.reason)?;
    for (cell, value) in network.ints.iter().zip(&mut machine.state.ints) {
        *value = if cell.meta { cell.initial } else { *value };
    }
    let clocks: Vec<f64> = machine.state.clocks.iter().map(|clock| clock.value()).collect();
    Ok((machine.state.ints, clocks))
}

fn replayed(network: &Network, one: &Move) -> After {
    let semantics = Semantics::new(network);
    let state = semantics.initial().and_then(|start| semantics.step(&start, std::slice::from_ref(one)));
    let state = state.map_err(|refusal| refusal.text)?;
    let value = |clock: &Rational| *clock.numer() as f64 / *clock.denom() as f64;
    Ok((state.discrete.ints, state.clocks.iter().map(value).collect()))
}

#[test]
fn updates_of_random_models_are_the_same_for_everybody() {
    let (mut good, mut failed) = (0, 0);
    let (count, first) = (number("ZONEWALK_EVALUATORS", 300), number("ZONEWALK_EVALUATORS_SEED", 1));
    for seed in first..first + count {
        let text = unguarded(&code_models::generate::model(seed));
        let model = load(&text).unwrap_or_else(|messages| panic!("seed {seed}: {messages:?}\n{text}"));
        let network = model.network();
        for process in [ProcessId::new(0), ProcessId::new(1)] {
            for (n, edge) in network.template_of(process).edges.iter().enumerate() {
                let updates: Vec<ExprId> = edge.update.iter().chain(&edge.branches[0].update).copied().collect();
                for select in 0..3 {
                    let one = Move { process, edge: EdgeId::new(n), select: vec![select], branch: 0 };
                    let (mut ints, clocks) = match compiled(network, &one, &updates) {
                        Ok(after) => after,
                        Err(error) => {
                            failed += 1;
                            let (sampled, replayed) = (sampled(network, &one, &updates), replayed(network, &one));
                            assert!(replayed.is_err(), "the replay, seed {seed} {one:?}: {error}\n{text}");
                            assert!(
                                sampled.is_err() || error.starts_with(NEGATIVE),
                                "statistics, seed {seed} {one:?}: {error}\n{text}"
                            );
                            continue;
                        }
                    };
                    for (cell, value) in network.ints.iter().zip(&mut ints) {
                        *value = if cell.meta { cell.initial } else { *value };
                    }
                    let expected = Ok((ints, clocks));
                    assert_eq!(sampled(network, &one, &updates), expected, "statistics, seed {seed} {one:?}\n{text}");
                    assert_eq!(replayed(network, &one), expected, "the replay, seed {seed} {one:?}\n{text}");
                    good += 1;
                }
            }
        }
    }
    assert!(2 * good > failed && failed > 10, "{good} edges could be taken, {failed} could not");
}
