//! Timed I/O systems: what is known from elsewhere, and cases that engines have got wrong.
//!
//! `ZONEWALK_CORPUS` names a directory with `ecdar/expect.tsv` and the models in it, which are no part of this repository; without it
//! that test says that it was skipped. All rows agree; one that should not would be listed here with the reason.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Verdict};
use model::load::{Loaded, load, load_bytes, query_text};
use std::path::PathBuf;

fn ask(loaded: Loaded, queries: &[&str]) -> Vec<Answer> {
    let (mut sources, diagnostics) = (loaded.sources, loaded.diagnostics);
    let messages: Vec<&str> = diagnostics.iter().filter(|one| one.is_error()).map(|one| one.message.as_str()).collect();
    let model = loaded.model.unwrap_or_else(|| panic!("the model does not load: {messages:?}"));
    let queries: Vec<_> = queries.iter().map(|text| model.query(&query_text(&mut sources, "query", text))).collect();
    let options = Options::default();
    check("model", &sources, &queries, &options, &mut Watch::none(), &mut |_| {}).results
}

/// What the recorded kinds of failure are called here.
fn kind(recorded: &str) -> Option<&'static str> {
    Some(match recorded.rsplit('/').next()? {
        "DeterminismFailure" | "NotDeterministic" => "nondeterministic",
        "InconsistentFrom" => "inconsistent",
        "CannotMatch" => "output",
        "CutsDelaySolutions" => "delay",
        "EmptyInitialState" => "empty-initial-state",
        "NotDisjoint" => "alphabets-not-disjoint",
        "NotSubset" => "alphabets-not-included",
        _ => return None,
    })
}

#[test]
fn verdicts_of_projects_are_the_recorded_ones() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(|root| PathBuf::from(root).join("ecdar")) else {
        eprintln!("SKIPPED: ZONEWALK_CORPUS is not set, so there is nothing to compare with");
        return;
    };
    let text = std::fs::read_to_string(root.join("expect.tsv")).expect("the corpus has a list of expectations");
    let mut complaints = Vec::new();
    let mut rows = 0;
    for row in text.lines().skip(1) {
        let [model, query, expected] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let answer = ask(load(&root.join(model), &[]), &[query]).remove(0);
        let (outcome, recorded) = expected.split_once(':').unwrap_or((expected, ""));
        let verdict = if outcome == "true" { Verdict::Satisfied } else { Verdict::Violated };
        if answer.verdict != verdict || kind(recorded).is_some_and(|kind| answer.failure != Some(kind)) {
            complaints.push(format!("{row}: {:?} {:?} {:?}", answer.verdict, answer.failure, answer.reason));
        }
        rows += 1;
    }
    assert!(complaints.is_empty(), "{} of {rows} rows:\n{}", complaints.len(), complaints.join("\n"));
    assert!(rows > 100, "{rows} rows");
}

/// Components over two inputs and two outputs.
fn model(components: &str, names: &str) -> Loaded {
    let io: String = names.split(", ").map(|name| format!("IO {name} {{ i?, j?, o!, p! }}\n")).collect();
    let text = format!("broadcast chan i, j, o, p;\n{components}\nsystem {names};\n{io}");
    load_bytes("model.xta", text.as_bytes(), &[])
}

fn expect(components: &str, names: &str, rows: &[(&str, &str)]) {
    expect_of(model(components, names), rows);
}

fn expect_of(model: Loaded, rows: &[(&str, &str)]) {
    let queries: Vec<&str> = rows.iter().map(|(query, _)| *query).collect();
    for (answer, (query, expected)) in ask(model, &queries).iter().zip(rows) {
        let found = match answer.verdict {
            Verdict::Satisfied => "holds",
            Verdict::Violated => answer.failure.unwrap_or("violated"),
            Verdict::Unknown => "unknown",
            Verdict::Error => "error",
        };
        assert_eq!(found, *expected, "{query}: {:?}", answer.reason);
    }
}

/// Reveaal does not ask the delay rule of the initial pair.
#[test]
fn the_delay_rule_is_broken_in_the_initial_pair() {
    let components = "
        process Lazy() { state A; init A; }
        process Busy() { clock x; state A { x <= 5 }, B; init A; trans A -> B { sync o!; }; }
        process Strict() { clock x; state A { x < 5 }, B; init A; trans A -> B { sync o!; }; }";
    let rows = [
        ("refinement: Lazy <= Busy", "delay"),
        ("refinement: Busy <= Lazy", "output"),
        ("refinement: Busy <= Strict", "delay"),
        ("refinement: Strict <= Busy", "holds"),
        ("refinement: Busy <= Busy", "holds"),
    ];
    expect(components, "Lazy, Busy, Strict", &rows);
}

/// Reveaal's zones do not go back in time, which lower bounds in an invariant need there.
#[test]
fn lower_bounds_in_the_invariant_of_the_right_side() {
    let components = "
        process Plain() { clock x; state A, B; init A; trans A -> B { guard x >= 2; sync o!; }; }
        process Bounded() { clock x; state A, B { x >= 2 }; init A; trans A -> B { guard x >= 2; sync o!; }; }
        process Late() { clock x; state A, B { x >= 3 }; init A; trans A -> B { guard x >= 2; sync o!; }; }
        process Never() { clock x; state A { x >= 1 }; init A; }";
    let rows = [
        ("refinement: Plain <= Bounded", "holds"),
        ("refinement: Bounded <= Plain", "holds"),
        ("refinement: Late <= Plain", "holds"),
        ("refinement: Plain <= Late", "output"),
        ("refinement: Never <= Plain", "empty-initial-state"),
        ("consistency: Never", "empty-initial-state"),
    ];
    expect(components, "Plain, Bounded, Late, Never", &rows);
}

/// Reveaal takes a state that failed for consistent when a second output leads to it.
#[test]
fn a_state_is_inconsistent_through_a_second_output_as_well() {
    let components = "
        process Twice() { clock x; state A { x <= 3 }, B { x <= 5 }; init A; trans A -> B { sync o!; }, A -> B { sync p!; }; }
        process Once() { clock x; state A { x <= 3 }, B { x <= 5 }, C; init A;
            trans A -> B { sync o!; }, A -> C { guard x >= 3; sync p!; }; }
        process Forced() { clock x; state A { x <= 3 }, B { x <= 5 }, C; init A;
            trans A -> B { guard x >= 3; sync i?; }, A -> C { guard x >= 3; sync p!; }; }
        process Escaped() { clock x; state A { x <= 3 }, B { x <= 5 }, C; init A;
            trans A -> B { guard x >= 3; sync i?; }, A -> C { guard x < 3; sync p!; }; }";
    let rows = [
        ("consistency: Twice", "inconsistent"),
        ("consistency: Once", "holds"),
        // At 3 the input wins the tie.
        ("consistency: Forced", "inconsistent"),
        ("consistency: Escaped", "holds"),
        ("refinement: Twice <= Twice", "inconsistent"),
    ];
    expect(components, "Twice, Once, Forced, Escaped", &rows);
}

/// What a conjunction or a quotient of consistent systems need not have is an implementation. In a composition others may keep it from the
/// states that are to blame.
#[test]
fn operands_are_consistent() {
    let text = r"
        broadcast chan i, o;
        process Early() { clock x; state A, B { x <= 2 }, C; init A;
            trans A -> B { sync i?; assign x = 0; }, B -> C { sync o!; }; }
        process Late() { clock x; state A, B, C; init A;
            trans A -> B { sync i?; assign x = 0; }, B -> C { guard x >= 3; sync o!; }; }
        process Silent() { state A; init A; }
        process Free() { state A, B; init A; trans A -> B { sync i!; }; }
        process Driven() { clock y; state A { y <= 1 }, B; init A; trans A -> B { sync i!; }; }
        process Nothing() { state A; init A; }
        system Early, Late, Silent, Free, Driven, Nothing;
        IO Early { i?, o! } IO Late { i?, o! } IO Silent { i! } IO Free { i! } IO Driven { i! } IO Nothing { i?, o? }";
    let rows = [
        ("consistency: Early && Late", "inconsistent"),
        ("refinement: Early && Late <= Early", "inconsistent"),
        ("refinement: Early <= Early && Late", "inconsistent"),
        ("refinement: Late && Late <= Late", "holds"),
        ("consistency: (Early && Late) || Silent", "holds"),
        ("refinement: (Early && Late) || Silent <= Early || Silent", "holds"),
        ("refinement: (Early && Late) || Free <= Early || Free", "holds"),
        ("refinement: (Early && Late) || Driven <= Early || Driven", "inconsistent"),
        (r"consistency: Early \\ Late", "inconsistent"),
        (r"refinement: Nothing <= Early \\ Late", "inconsistent"),
        ("refinement: Nothing || Late <= Early", "delay"),
        (r"refinement: Nothing <= Early \\ Early", "holds"),
    ];
    let loaded = || load_bytes("model.xta", text.as_bytes(), &[]);
    expect_of(loaded(), &rows);
    let why = ask(loaded(), &["refinement: (Early && Late) || Driven <= Early || Driven"])[0].reason.clone();
    let expected = "((Early && Late) || Driven) is inconsistent: it cannot keep its environment from states such as \
                    Early.B, Late.B, Driven.B, where neither time nor an output goes on";
    assert_eq!(why.as_deref(), Some(expected));
}

#[test]
fn bounds_of_a_thousand_million_and_more() {
    let components = "
        process Short() { clock x; state A { x <= 1000000000 }, B; init A; trans A -> B { sync o!; }; }
        process Long() { clock x; state A { x <= 2000000000 }, B; init A; trans A -> B { sync o!; }; }
        process Odd() { clock x; state A { x <= 1000000001 }, B; init A; trans A -> B { sync o!; }; }";
    let rows = [
        ("refinement: Short <= Long", "holds"),
        ("refinement: Long <= Short", "delay"),
        ("refinement: Long <= Long", "holds"),
        // Beyond what zones can count, and never a wrong verdict.
        ("refinement: Odd <= Short", "unknown"),
    ];
    expect(components, "Short, Long, Odd", &rows);
}

/// Inputs are ignored outside of their guards and nowhere else, also where several clocks have to have one value.
#[test]
fn inputs_are_ignored_outside_of_their_guards() {
    let guards = [
        "x == 1 && y == 2",
        "y == 2 && x > 1 && z >= 1",
        "x > 3 && x < 4 && y == 3 && z >= 1",
        "x == 1 && y == 1 && z == 1",
        "x <= 2 && y != 2 && z != 1",
    ];
    for guard in guards {
        let component = |name: &str, clocks: &str| {
            format!(
                "process {name}() {{ clock {clocks}; state A {{ z <= 5 }}, B; init A; trans A -> B {{ guard {guard}; sync i?; }},
                 A -> A {{ sync j?; assign x = 0; }}, A -> A {{ sync o!; assign z = 0; }}, B -> B {{ sync p!; }}; }}\n"
            )
        };
        let components = [component("S", "x, y, z"), component("T", "z, y, x"), component("U", "y, z, x")];
        let rows = [
            ("determinism: S", "holds"),
            ("determinism: T", "holds"),
            ("determinism: U", "holds"),
            ("refinement: S <= T", "holds"),
            ("refinement: T <= U", "holds"),
            ("refinement: U <= S", "holds"),
        ];
        expect(&components.concat(), "S, T, U", &rows);
    }
}

/// A guard with a choice is what the edges for its cases are, however its cases overlap.
#[test]
fn guards_offer_choices() {
    let process = |name: &str, edges: &[(&str, &str)]| {
        let edge = |(guard, to): &(&str, &str)| format!("A -> {to} {{ {guard} }}");
        let edges: Vec<String> = edges.iter().map(edge).collect();
        format!(
            "process {name}() {{ const int c = 3; int n = 1; clock x, y; state A {{ x <= 9 }}, B; init A; trans {}; }}\n",
            edges.join(", ")
        )
    };
    let components = [
        process("Either", &[("guard x <= 2 || x >= 8; sync o!;", "B")]),
        process("Cases", &[("guard x <= 2; sync o!;", "B"), ("guard x >= 8; sync o!;", "B")]),
        process("Overlap", &[("guard x <= 5 || x >= c || x < n; sync o!;", "B")]),
        process("Any", &[("sync o!;", "B")]),
        process("Hole", &[("guard x != 5; sync o!;", "B")]),
        process("Sides", &[("guard x < 5; sync o!;", "B"), ("guard x > 5; sync o!;", "B")]),
        process("Nested", &[("guard (x < 2 || y > 4) && !(x > 7 && n == 1); sync o!;", "B")]),
        process("Flat", &[("guard x < 2; sync o!;", "B"), ("guard x > 4 && x <= 7; sync o!;", "B")]),
        process("Heeds", &[("guard x < 2 || x > 3; sync i?;", "B"), ("sync o!;", "A")]),
        process("Hears", &[("guard x < 2; sync i?;", "B"), ("guard x > 3; sync i?;", "B"), ("sync o!;", "A")]),
        process("Never", &[("guard x < 0 || x < -1; sync o!;", "B")]),
        process("Torn", &[("guard x < 2 || x > 5; sync i?;", "B"), ("guard x == 0 || x == 6; sync i?;", "A")]),
    ];
    let names = "Either, Cases, Overlap, Any, Hole, Sides, Nested, Flat, Heeds, Hears, Never, Torn";
    let mut rows = Vec::new();
    for (one, two) in
        [("Either", "Cases"), ("Overlap", "Any"), ("Hole", "Sides"), ("Nested", "Flat"), ("Heeds", "Hears")]
    {
        rows.extend([
            (format!("refinement: {one} <= {two}"), "holds"),
            (format!("refinement: {two} <= {one}"), "holds"),
            (format!("determinism: {one}"), "holds"),
        ]);
    }
    let more = [
        ("refinement: Any <= Either", "output"),
        ("refinement: Any <= Hole", "output"),
        ("refinement: Either <= Any", "holds"),
        ("refinement: Cases && Any <= Either", "holds"),
        ("specification: Hole", "holds"),
        ("implementation: Either", "not-output-urgent"),
        ("consistency: Never", "inconsistent"),
        ("determinism: Torn", "nondeterministic"),
    ];
    rows.extend(more.map(|(query, expected)| (query.to_owned(), expected)));
    let rows: Vec<(&str, &str)> = rows.iter().map(|(query, expected)| (query.as_str(), *expected)).collect();
    expect(&components.concat(), names, &rows);
}

/// Integers, functions, selects, arrays of channels and parameters are unfolded.
#[test]
fn components_have_integers_functions_and_parameters() {
    let text = "
        const int N = 3;
        typedef int[0,N-1] id_t;
        broadcast chan send[N], ack[N];
        process Sender(const id_t me, const int limit) {
            int[0,9] count;
            int next(int n) { return n < limit ? n + 1 : 0; }
            clock x;
            state A { x <= 4 };
            init A;
            trans A -> A { guard count < limit && x >= 1; sync send[me]!; assign count = next(count), x = 0; },
                A -> A { guard count == limit; sync ack[me]!; assign count = 0, x = 0; };
        }
        process Spec() {
            clock z;
            state A { z <= 4 };
            init A;
            trans A -> A { select e : id_t; sync send[e]!; assign z = 0; },
                A -> A { select e : id_t; sync ack[e]!; assign z = 0; };
        }
        process Wrong() { int n; state A; init A; trans A -> A { guard n < 5; sync send[n]!; assign n = n + 1; }; }
        Two(const id_t me) = Sender(me, 2);
        Slow = Sender(0, 2);
        system Two, Spec, Slow, Wrong;
        IO Two(0) { send[0]!, ack[0]! }
        IO Two(1) { send[1]!, ack[1]! }
        IO Two(2) { send[2]!, ack[2]! }
        IO Spec { send!, ack! }";
    let rows = [
        ("refinement: Two <= Spec", Verdict::Satisfied),
        ("refinement: Two(0) || Two(1) || Two(2) <= Spec", Verdict::Satisfied),
        ("refinement: Two(0) <= Two(0)", Verdict::Satisfied),
        ("refinement: Two(0) <= Slow", Verdict::Satisfied),
        // The right side has outputs that the left one does not have.
        ("refinement: Two(0) <= Spec", Verdict::Violated),
        ("determinism: Wrong", Verdict::Error),
        ("refinement: Two || Slow <= Spec", Verdict::Error),
    ];
    let queries: Vec<&str> = rows.iter().map(|(query, _)| *query).collect();
    let answers = ask(load_bytes("model.xta", text.as_bytes(), &[]), &queries);
    for (answer, (query, verdict)) in answers.iter().zip(rows) {
        assert_eq!(answer.verdict, verdict, "{query}: {:?}", answer.reason);
    }
    assert_eq!(
        answers[6].reason.as_deref(),
        Some("systems composed with `||` have outputs in common: `send[0]`, `ack[0]`")
    );
}

#[test]
fn urgency_is_honoured() {
    let components = "
        process Now() { clock x; state A, B; urgent A; init A; trans A -> B { sync o!; }; }
        process Soon() { clock x; state A { x <= 0 }, B; init A; trans A -> B { sync o!; }; }
        process Later() { clock x; state A { x <= 1 }, B; init A; trans A -> B { sync o!; }; }
        process Again() { state A, B; urgent B; init A; trans A -> B { sync i?; }, B -> A { sync o!; }; }
        process Answer() { clock x; state A, B { x <= 0 }; init A; trans A -> B { sync i?; assign x = 0; }, B -> A { sync o!; }; }";
    let rows = [
        ("refinement: Now <= Soon", "holds"),
        ("refinement: Soon <= Now", "holds"),
        ("refinement: Now <= Later", "holds"),
        ("refinement: Later <= Now", "delay"),
        ("refinement: Again <= Answer", "holds"),
        ("refinement: Answer <= Again", "holds"),
        ("implementation: Now", "holds"),
        ("implementation: Later", "not-output-urgent"),
    ];
    expect(components, "Now, Soon, Later, Again, Answer", &rows);
}

/// What cannot be answered says why, with the exit status that scripts see.
#[test]
fn bad_questions_are_refused() {
    let text = "
        broadcast chan a, b;
        int shared;
        clock common;
        process Fine() { clock x; state L { x <= 5 }; init L; trans L -> L { sync a!; assign x = 0; }; }
        process Silent() { state L, M; init L; trans L -> M { }; }
        process Writes() { state L; init L; trans L -> L { sync a!; assign shared = 1; }; }
        process Shares() { state L; init L; trans L -> L { guard common > 1; sync a!; }; }
        process Both() { state L; init L; trans L -> L { sync a!; }, L -> L { sync a?; }; }
        process Copies() { clock x, y; state L; init L; trans L -> L { sync a!; assign x = y; }; }
        process Commits() { state L; commit L; init L; trans L -> L { sync a!; }; }
        process Chooses() { state L, M; init L; trans L -> L { sync a!; }, L -> M { sync a!; }; }
        process Takes() { state L; init L; trans L -> L { sync a?; }; }
        process Stuck() { clock x; state L { x <= 5 }; init L; trans L -> L { guard x > 5; sync a!; }; }
        system Fine, Silent, Writes, Shares, Both, Copies, Commits, Chooses, Takes, Stuck;
        IO Fine { a! }";
    let rows = [
        ("refinement: Fine <= Nobody", 2, "there is no component `Nobody`"),
        ("refinement: Fine || Fine <= Fine", 2, "outputs in common: `a`"),
        ("refinement: Fine && Takes <= Fine", 2, "are outputs of another: `a`"),
        ("refinement: Fine <= Takes \\ Fine", 2, "there is no quotient"),
        ("refinement: Fine <= Takes", 1, "inputs of one side are outputs of the other: `a`"),
        ("reachability: Fine @ init -> Fine.M", 2, "no location, clock or variable `M`"),
        ("reachability: Fine @ init -> Fine.L &&", 2, "expected a component at the end"),
        ("reachability: Fine @ Other.L -> Fine.L", 2, "no component `Other`"),
        ("reachability: Fine @ init -> Fine.x < 99999999999", 2, "is no integer"),
        ("consistency: Silent", 3, "an edge without an action"),
        ("consistency: Writes", 3, "changes a global variable"),
        ("consistency: Shares", 3, "uses a global clock"),
        ("consistency: Both", 3, "both an input and an output"),
        ("consistency: Copies", 3, "a clock is set to another clock"),
        ("consistency: Commits", 3, "committed locations"),
        ("prune: Commits", 3, "committed locations"),
        ("prune: Chooses", 2, "is not deterministic"),
        ("consistency: Chooses", 2, "is not deterministic"),
        ("refinement: Fine <= Chooses", 2, "is not deterministic"),
        (
            "refinement: Chooses <= Fine",
            2,
            "by the edges L -> L (model.xta:12:55) and L -> M (model.xta:12:76); change the guards",
        ),
        ("refinement: Fine <= Fine && Chooses", 2, "is not deterministic"),
        ("determinism: Chooses", 1, "is not deterministic"),
        ("specification: Chooses", 1, "is not deterministic"),
        ("implementation: Chooses", 1, "is not deterministic"),
        ("consistency: Stuck", 1, "is inconsistent"),
        ("refinement: Fine <= Stuck", 1, "is inconsistent"),
        ("get-component: Fine || Fine", 2, "outputs in common: `a`"),
    ];
    let queries: Vec<&str> = rows.iter().map(|(query, ..)| *query).collect();
    let answers = ask(load_bytes("model.xta", text.as_bytes(), &[]), &queries);
    for (answer, (query, status, words)) in answers.iter().zip(rows) {
        let reason = answer.reason.clone().unwrap_or_default();
        assert!(reason.contains(words), "{query}: {reason}");
        assert!(answer.place.is_some() || status == 1, "{query} has a place: {reason}");
        assert_eq!(answer.status().code(), status, "{query}: {reason}");
    }
}

/// The new input of quotients is one action, whichever side they are on and however they are nested.
#[test]
fn a_quotient_refines_itself() {
    let text = "broadcast chan i, o, p;
        process T() { clock x; state A, B { x <= 4 }; init A;
            trans A -> B { sync i?; assign x = 0; }, A -> A { sync o!; }, A -> A { sync p!; },
                B -> B { sync o!; }, B -> A { sync p!; }; }
        process S() { clock y; state A, B { y <= 3 }; init A;
            trans A -> B { sync i?; assign y = 0; }, B -> A { guard y >= 1; sync o!; }; }
        process R() { clock z; state A, B { z <= 1 }; init A;
            trans A -> B { sync o?; assign z = 0; }, B -> A { sync p!; }; }
        system T, S, R; IO T { i?, o!, p! } IO S { i?, o! } IO R { o?, p! }";
    let holds = [
        "T // S <= T // S",
        "T // R <= T // R",
        "(T // S) // R <= (T // S) // R",
        "T // (S || R) <= (T // S) // R",
        "T // (T // R) <= T // (T // R)",
        "(T // S) && (T // S) <= T // S",
        "(T // S) || S <= (T // S) || S",
        "R <= T // S",
    ];
    let queries: Vec<String> = holds.iter().map(|query| format!("refinement: {query}")).collect();
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    for answer in ask(load_bytes("quotients.xta", text.as_bytes(), &[]), &queries) {
        assert_eq!(answer.verdict, Verdict::Satisfied, "{}: {:?} {:?}", answer.query, answer.failure, answer.reason);
    }
}
