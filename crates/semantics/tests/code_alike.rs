//! A condition that is false for one process is false for those that are said to be alike.

mod support;

use model::network::ProcessId;
use semantics::code::{Discrete, Facts, Machine, Programs};
use support::load;
use support::random::Random;

const PROCESSES: usize = 12;

/// Declarations of the template, a guard, and whether some answers are for others too.
const GUARDS: &[(&str, &str, bool)] = &[
    ("bool free() { int i = 0; while (i < id) { if (!used[i]) return false; i++; } return true; }", "free()", true),
    ("bool free() { for (i : int[0,11]) { if (i < id && !used[i]) return false; } return true; }", "free()", true),
    ("bool last() { int i = 11; while (i > id) { if (used[i]) return false; i--; } return true; }", "last()", true),
    ("", "forall (i : int[0,11]) i >= id || used[i]", true),
    ("bool mine() { return n == id; }", "mine()", true),
    ("bool other() { return n != id && used[n]; }", "other()", true),
    ("", "used[0] && used[1]", true),
    ("bool two(int a, int b) { return a < b && used[a]; }", "two(n, id) && two(id - 1, n)", true),
    ("bool same(int a, int b) { return a == b; }", "same(id, id) && n > id", true),
    ("const int w = 2 * id;", "n > w && n > id", true),
    // Every value matters, or something else of the process does.
    ("int[0,3] v;", "v > 1", false),
    ("int[0,3] v; bool both() { return v > 1 && n < id; }", "both()", false),
    ("const int w[2] = { id, 3 }; bool of(int i) { return w[i] > n; }", "of(n % 2)", false),
    ("", "exists (i : int[0,11]) i <= id && used[i] && i + 2 > id", false),
    ("bool at(int i) { return used[i]; }", "at(id)", false),
    ("bool keep(int a) { int b[2]; b[0] = a; b[1] = n; return b[n % 2] > 4 && b[0] < 9; }", "keep(id)", false),
];

#[test]
fn answers_for_others_are_theirs() {
    for (declarations, guard, shared) in GUARDS {
        let made: Vec<String> = (0..PROCESSES).map(|n| format!("P{n} = P({n});")).collect();
        let names: Vec<String> = (0..PROCESSES).map(|n| format!("P{n}")).collect();
        let text = format!(
            "bool used[12]; int[0,11] n;
             process P(const int[0,11] id) {{ {declarations} state A; init A; trans A -> A {{ guard {guard}; }}; }}
             {} system {};",
            made.join(" "),
            names.join(", ")
        );
        let model = load(&text);
        let network = model.network();
        let mut programs = Programs::new(network);
        let condition = programs.condition(network.templates[0].edges[0].guard.expect("a guard"));
        let (mut machine, mut random, mut facts) = (Machine::new(), Random::new(3), Facts::default());
        let mut answers = 0;
        for _ in 0..400 {
            let mut state = Discrete::initial(network);
            let mostly = random.below(4);
            for (cell, value) in network.ints.iter().zip(&mut state.ints) {
                *value = random.between(cell.range.lo, cell.range.hi);
                if cell.range.hi == 1 && mostly > 0 && !random.one_in(6) {
                    *value = 1;
                }
            }
            let truths: Vec<bool> = (0..PROCESSES)
                .map(|n| {
                    machine.condition(&programs, condition, ProcessId::new(n), &[], &state, &mut facts) == Ok(true)
                })
                .collect();
            for n in 0..PROCESSES {
                let process = ProcessId::new(n);
                let (holds, alike) =
                    machine.condition_alike(&programs, condition, process, &[], &state, &mut facts).expect("no error");
                assert_eq!(holds, truths[n], "{guard} of process {n} in {state:?}");
                let Some(alike) = alike else { continue };
                assert!(programs.is_alike(process, alike), "{guard}: a process is like itself");
                for (other, truth) in truths.iter().enumerate() {
                    if programs.is_alike(ProcessId::new(other), alike) {
                        assert!(!truth, "{guard} of {n} answers for {other} in {state:?}: {alike:?}");
                        answers += usize::from(other != n);
                    }
                }
            }
        }
        assert_eq!(answers > 0, *shared, "{guard}: {answers} answers for others");
    }
}
