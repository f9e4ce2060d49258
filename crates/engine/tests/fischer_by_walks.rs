//! Deep random search on Fischer's protocol, as in its paper (Grosu et al. 2006): the faulty one is found out within few states, and
//! the correct one is proved with every variant, with the states of the exhaustive engine.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};
use engine::searches::deep_random::FRINGES;
use engine::searches::strategies::COMPARISONS;
use engine::searches::strategies::StrategyOptions;
use model::check::Override;
use model::load::load;
use std::num::NonZeroU32;
use std::path::Path;

/// The first query of a model: mutual exclusion.
fn mutual_exclusion(name: &str, processes: u32, options: &Options) -> Answer {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    let loaded = load(&path, &[Override::parse(&format!("N={processes}")).expect("an override")]);
    let model = loaded.model.expect("the model loads");
    let query = model.queries[0].clone();
    let queries = [model.query(&query)];
    let report = check(name, &loaded.sources, &queries, options, &mut Watch::none(), &mut |_| ());
    report.results.into_iter().next().expect("an answer")
}

fn drs(seed: u64, strategies: StrategyOptions) -> Options {
    Options { search: "drs".parse().expect("a search"), seed, strategies, ..Options::default() }
}

#[test]
fn the_faulty_one_is_found_out() {
    for processes in [2, 4, 8, 12, 16] {
        let mut states: Vec<u64> = (1..=9)
            .map(|seed| {
                let answer = mutual_exclusion("fischer-faulty.xml", processes, &drs(seed, StrategyOptions::default()));
                assert_eq!((answer.verdict, answer.evidence), (Verdict::Violated, Evidence::Witness), "{processes}");
                answer.stats.states_stored
            })
            .collect();
        states.sort_unstable();
        // The paper needs 20 to 386.
        assert!(states[4] <= 400, "{processes} processes: {states:?}");
    }
}

#[test]
fn the_correct_one_is_proved() {
    for processes in [2, 3, 4] {
        let exhaustive = mutual_exclusion("fischer.xml", processes, &Options::default());
        assert_eq!(exhaustive.verdict, Verdict::Satisfied);
        let pairs = FRINGES.named.iter().flat_map(|one| COMPARISONS.named.iter().map(move |two| (*one, *two)));
        for ((fringes, fringe), (comparisons, comparison)) in pairs {
            for increment in [None, NonZeroU32::new(1), NonZeroU32::new(5)] {
                let strategies = StrategyOptions { fringe, comparison, increment, ..StrategyOptions::default() };
                let answer = mutual_exclusion("fischer.xml", processes, &drs(1, strategies));
                let name = format!("{processes} processes, {fringes}, {comparisons}, {increment:?}");
                assert_eq!((answer.verdict, answer.evidence), (Verdict::Satisfied, Evidence::Exhaustive), "{name}");
                if comparisons == "inclusion" && increment.is_none() {
                    assert_eq!(answer.stats.states_stored, exhaustive.stats.states_stored, "{name}");
                }
            }
        }
    }
}
