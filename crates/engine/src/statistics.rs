//! Answers statistical queries: makes runs until they say enough, and puts what they say into words and numbers.

mod words;

use crate::check::Asked;
use crate::curves::{Curves, Series};
use crate::limits::Watch;
use crate::place::Place;
use crate::report::{Answer, Evidence, Histogram, Share, Statistics, Verdict};
use model::check::{QueryKind, ResolvedBound, ResolvedPath, ResolvedProbability};
use model::network::{ExprId, Number};
use model::syntax::query::Extremum;
use sampling::estimate::{Mean, clopper_pearson, enough_runs, is_precise};
use sampling::failure::Failure;
use sampling::histogram;
use sampling::run::{Ending, NO_CLOSER, Settings};
use sampling::sampler::{Question, Sample, Sampler};
use sampling::sequential_test::{Decision, SequentialTest};
use sampling::system::System;
use std::sync::atomic::Ordering;
use std::time::Instant;
use words::{axis, axis_of_curves, remark, short, stopped_short};

/// The streams of the right one of two compared probabilities.
const OTHER_STREAMS: u64 = 0x5851_f42d_4c95_7f2d;

/// How `simulate` is answered.
const SIMULATION: &str = "simulation";

/// Runs of the first round, and of the largest.
const FIRST_ROUND: u64 = 64;
const LARGEST_ROUND: u64 = 1 << 16;

pub(crate) fn answer(answer: &mut Answer, asked: &Asked, kind: &QueryKind, watch: &mut Watch) {
    let system = System::new(asked.network);
    let mut study = Study {
        asked,
        system: &system,
        watch,
        started: Instant::now(),
        numbers: Statistics { confidence: 1.0 - asked.options.statistics.alpha, ..Statistics::default() },
        steps: 0,
        samples: 0,
        endless: false,
    };
    let outcome = match kind {
        QueryKind::Probability(probability) => study.estimate(answer, probability),
        QueryKind::ProbabilityTest { probability, at_least, bound } => {
            study.test(answer, probability, *at_least, *bound)
        }
        QueryKind::ProbabilityComparison { left, right } => study.compare(answer, left, right),
        QueryKind::Expected { bound, kind, number, expression } => {
            study.expect(answer, bound, *kind, *number, *expression)
        }
        QueryKind::Simulate { bound, expressions, filter } => study.simulate(answer, bound, expressions, *filter),
        _ => Ok(()),
    };
    let (mut numbers, steps, samples) = (study.numbers, study.steps, study.samples);
    (answer.stats.walks, answer.stats.steps) = (numbers.runs, steps);
    if let Err(failure) = outcome {
        answer.verdict = Verdict::Error;
        answer.reason = Some(format!("the model has an error: {failure}"));
        answer.place = Some(Place::of(asked.sources, failure.span));
        answer.spans = vec![failure.span];
        answer.statistics = Some(numbers);
        return;
    }
    if let Some(reason) = stopped_short(&numbers, samples) {
        withdraw(answer, &mut numbers);
        answer.reason = Some(reason);
    }
    if let Some(remark) = remark(&numbers) {
        answer.reason = Some(match answer.reason.take() {
            Some(reason) => format!("{reason}; {remark}"),
            None => remark,
        });
    }
    answer.evidence = Evidence::Statistical;
    answer.statistics = Some(numbers);
}

/// Takes back what was concluded. How many runs there were and how they ended stays, and so do curves of single runs.
fn withdraw(answer: &mut Answer, numbers: &mut Statistics) {
    answer.verdict = Verdict::Unknown;
    answer.value = None;
    if numbers.method != SIMULATION {
        answer.curves = None;
    }
    (numbers.interval, numbers.mean, numbers.deviation, numbers.histogram) = (None, None, None, None);
    numbers.cumulative.clear();
}

type Result<T> = std::result::Result<T, Box<Failure>>;

/// What is done to answer one query.
struct Study<'a, 'w, 'p> {
    asked: &'a Asked<'a>,
    system: &'a System<'a>,
    watch: &'w mut Watch<'p>,
    started: Instant,
    numbers: Statistics,
    steps: u64,
    /// Runs looked at; a comparison looks at two at a time.
    samples: u64,
    /// A run was met that does not come to its bound.
    endless: bool,
}

/// Whether to go on after a sample.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    More,
    Enough,
}

impl Study<'_, '_, '_> {
    /// Makes runs and shows them one after the other to `see`, until it has seen enough or there are `most`; whether that
    /// came to its end, or a limit was reached before.
    fn each(
        &mut self,
        questions: &[(Question<'_>, u64)],
        most: Option<u64>,
        mut see: impl FnMut(&[&Sample]) -> Next,
    ) -> Result<bool> {
        let options = self.asked.options;
        let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
        let settings = Settings { step: options.statistics.discretization };
        let (limit, cancel, started) = (options.time_limit, self.watch.cancel(), self.started);
        let stop = || {
            limit.is_some_and(|limit| started.elapsed() >= limit)
                || cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
        };
        let seeds = questions.iter().map(|(_, seed)| *seed);
        let mut samplers: Vec<Sampler> = seeds.map(|seed| Sampler::new(self.system, settings, seed, threads)).collect();
        let mut first = 0;
        while most.is_none_or(|most| first < most) {
            // Curves are long, and one may be enough.
            let is_small = matches!(questions, [(Question::Curves { .. }, _)]);
            let least = if is_small { threads as u64 } else { FIRST_ROUND };
            let size = (first / 2).max(least).min(LARGEST_ROUND.max(least));
            let end = most.map_or(first + size, |most| most.min(first + size));
            let rounds: Vec<Vec<Result<Sample>>> = samplers
                .iter_mut()
                .zip(questions)
                .map(|(sampler, (question, _))| sampler.round(*question, first..end, &stop))
                .collect();
            let complete = rounds.iter().map(Vec::len).min().unwrap_or(0);
            for n in 0..complete {
                let mut samples = Vec::with_capacity(rounds.len());
                for round in &rounds {
                    match &round[n] {
                        Ok(sample) => samples.push(sample),
                        Err(failure) => return Err(failure.clone()),
                    }
                }
                if samples.iter().any(|sample| sample.ending == Ending::Endless) {
                    self.endless = true;
                    return Ok(false);
                }
                self.numbers.runs += 1;
                samples.iter().for_each(|sample| self.count(sample));
                if see(&samples) == Next::Enough {
                    return Ok(true);
                }
            }
            // A run that fails is the last of its round.
            if let Some(failure) = rounds.iter().find_map(|round| round.get(complete)?.as_ref().err()) {
                return Err(failure.clone());
            }
            if (complete as u64) < end - first {
                return Ok(false);
            }
            first = end;
        }
        Ok(true)
    }

    fn count(&mut self, sample: &Sample) {
        self.steps += sample.steps;
        self.samples += 1;
        self.numbers.without_steps += u64::from(sample.steps == 0);
        self.numbers.time_locks += u64::from(sample.ending == Ending::TimeLock);
        self.numbers.zeno += u64::from(sample.ending == Ending::Zeno);
        let (steps, runs, started) = (self.steps, self.numbers.runs, self.started);
        self.watch.tick(&|| crate::limits::Statistics {
            explored: steps,
            restarts: runs,
            elapsed: started.elapsed(),
            ..Default::default()
        });
    }

    fn seed(&self) -> u64 {
        self.asked.options.seed
    }

    fn estimate(&mut self, answer: &mut Answer, probability: &ResolvedProbability) -> Result<()> {
        let options = self.asked.options.statistics;
        let ResolvedProbability { bound, path } = probability;
        let most = bound.runs.map(|runs| runs.max(0) as u64);
        let (mut hits, mut runs, mut values) = (0, 0, Vec::new());
        // A formula that holds at some moment is decided there; one that always holds where it is broken.
        let decided = !matches!(path, ResolvedPath::Globally(_));
        let seed = self.seed();
        let whole = self.each(&[(Question::Path { bound, path }, seed)], most, |samples| {
            runs += 1;
            for sample in samples {
                hits += u64::from(sample.holds);
                if sample.holds == decided && sample.ending == Ending::Decided {
                    values.push(sample.value);
                }
            }
            let precise = most.is_none() && is_precise(hits, runs, options.alpha, options.epsilon);
            if precise { Next::Enough } else { Next::More }
        })?;
        let (lo, hi) = clopper_pearson(hits, runs, options.alpha);
        self.numbers.method = "Clopper-Pearson";
        self.numbers.satisfied = Some(hits);
        self.numbers.interval = Some([lo, hi]);
        self.distribution(&values, runs, options.alpha);
        if runs > 0 {
            answer.value = Some(format!("[{}, {}] {}, {hits} of {runs} runs", short(lo), short(hi), self.sure()));
        }
        let what = if decided { "share of runs on which it held" } else { "share of runs on which it was broken" };
        answer.curves = Some(self.cumulative_curve(what, axis(&bound.measure)));
        self.conclude(answer, whole);
        Ok(())
    }

    fn test(
        &mut self,
        answer: &mut Answer,
        probability: &ResolvedProbability,
        at_least: bool,
        theta: f64,
    ) -> Result<()> {
        let options = self.asked.options.statistics;
        let ResolvedProbability { bound, path } = probability;
        // `p <= theta` is `1 - p >= 1 - theta`.
        let asked = if at_least { theta } else { 1.0 - theta };
        let mut test =
            SequentialTest::around(asked, options.lower_delta, options.upper_delta, options.alpha, options.beta);
        let (mut hits, mut decision) = (0, None);
        let most = bound.runs.map(|runs| runs.max(0) as u64);
        let seed = self.seed();
        self.each(&[(Question::Path { bound, path }, seed)], most, |samples| {
            for sample in samples {
                hits += u64::from(sample.holds);
                decision = test.see(sample.holds == at_least);
            }
            if decision.is_some() { Next::Enough } else { Next::More }
        })?;
        self.numbers.method = "sequential probability ratio test";
        self.numbers.satisfied = Some(hits);
        self.decide(answer, decision, format!("{hits} of {} runs", self.numbers.runs));
        Ok(())
    }

    fn decide(&mut self, answer: &mut Answer, decision: Option<Decision>, runs: String) {
        let options = self.asked.options.statistics;
        let wrong = if decision == Some(Decision::Less) { options.alpha } else { options.beta };
        self.numbers.confidence = 1.0 - wrong;
        answer.verdict = match decision {
            Some(Decision::AtLeast) => Verdict::Satisfied,
            Some(Decision::Less) => Verdict::Violated,
            None => Verdict::Unknown,
        };
        match decision {
            Some(_) => answer.value = Some(format!("{}, {runs}", self.sure())),
            None if self.endless => answer.reason = Some(self.cut_off()),
            None => answer.reason = Some(format!("not decided after {runs}")),
        }
    }

    fn compare(&mut self, answer: &mut Answer, left: &ResolvedProbability, right: &ResolvedProbability) -> Result<()> {
        let options = self.asked.options.statistics;
        let mut test = SequentialTest::of_odds(options.u0, options.u1, options.alpha, options.beta);
        let (mut hits, mut pairs, mut differing, mut decision, mut alike) = ([0u64; 2], 0, 0, None, false);
        let question = |probability: &'_ ResolvedProbability| -> (ResolvedBound, ResolvedPath) {
            (probability.bound.clone(), probability.path.clone())
        };
        let (first, second) = (question(left), question(right));
        let seed = self.seed();
        let questions = [
            (Question::Path { bound: &first.0, path: &first.1 }, seed),
            (Question::Path { bound: &second.0, path: &second.1 }, seed ^ OTHER_STREAMS),
        ];
        self.each(&questions, None, |samples| {
            let [one, other] = samples else { return Next::Enough };
            pairs += 1;
            hits[0] += u64::from(one.holds);
            hits[1] += u64::from(other.holds);
            if one.holds != other.holds {
                differing += 1;
                decision = test.see(one.holds);
            }
            // Pairs that hardly ever differ: the two probabilities are as good as the same.
            alike = differing * 20 <= pairs && clopper_pearson(differing, pairs, options.alpha).1 <= options.epsilon;
            if decision.is_some() || alike { Next::Enough } else { Next::More }
        })?;
        self.numbers.method = "sequential probability ratio test on pairs";
        let [one, other] = hits;
        let runs = format!("{one} and {other} of {pairs} runs");
        if decision.is_none() && alike {
            answer.verdict = Verdict::Satisfied;
            let epsilon = options.epsilon;
            answer.value =
                Some(format!("the two are not told apart, they differ by at most {epsilon} {}, {runs}", self.sure()));
            return Ok(());
        }
        self.decide(answer, decision, runs);
        Ok(())
    }

    fn expect(
        &mut self,
        answer: &mut Answer,
        bound: &ResolvedBound,
        kind: Extremum,
        number: Number,
        expression: ExprId,
    ) -> Result<()> {
        let options = self.asked.options.statistics;
        let runs = bound.runs.map_or_else(|| enough_runs(options.alpha, options.epsilon), |runs| runs.max(0) as u64);
        let (mut mean, mut values) = (Mean::default(), Vec::new());
        let seed = self.seed();
        let question = Question::Extremum { bound, kind, number, expression };
        let whole = self.each(&[(question, seed)], Some(runs), |samples| {
            for sample in samples {
                mean.add(sample.value);
                values.push(sample.value);
            }
            Next::More
        })?;
        let half = mean.half_width(options.alpha);
        self.numbers.method = "Student";
        self.numbers.interval = (mean.count > 1).then_some([mean.mean - half, mean.mean + half]);
        self.distribution(&values, mean.count, options.alpha);
        if mean.count > 1 {
            answer.value = Some(format!("{} ± {} {}, {} runs", short(mean.mean), short(half), self.sure(), mean.count));
        } else if mean.count == 1 {
            answer.value = Some(format!("{}, one run", short(mean.mean)));
        }
        answer.curves = Some(self.cumulative_curve("share of runs", "value"));
        self.conclude(answer, whole);
        Ok(())
    }

    fn simulate(
        &mut self,
        answer: &mut Answer,
        bound: &ResolvedBound,
        expressions: &[(Number, ExprId)],
        filter: Option<(Option<i32>, ExprId)>,
    ) -> Result<()> {
        let options = self.asked.options.statistics;
        let most = bound.runs.map_or(1, |runs| runs.max(0) as u64);
        let wanted = filter.map_or(u64::MAX, |(count, _)| count.map_or(1, |count| count.max(0) as u64));
        let names: Vec<String> = expressions
            .iter()
            .map(|(_, id)| self.asked.sources.raw(self.asked.network.code.span(*id)))
            .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let (mut kept, mut runs, mut hits, mut cut) = (Vec::new(), 0, 0u64, false);
        let seed = self.seed();
        let question = Question::Curves { bound, expressions, filter: filter.map(|(_, predicate)| predicate) };
        let whole = self.each(&[(question, seed)], Some(most), |samples| {
            runs += 1;
            for sample in samples.iter().filter(|sample| sample.holds) {
                hits += 1;
                cut |= sample.cut;
                for (name, points) in names.iter().zip(&sample.curves) {
                    kept.push(Series { name: name.clone(), run: sample.run, points: points.clone() });
                }
            }
            if hits >= wanted { Next::Enough } else { Next::More }
        })?;
        self.numbers.method = SIMULATION;
        self.numbers.satisfied = Some(hits);
        let text = if hits == 1 { "1 run".to_owned() } else { format!("{hits} runs") };
        if filter.is_some() {
            let (lo, hi) = clopper_pearson(hits, runs, options.alpha);
            self.numbers.interval = Some([lo, hi]);
            let share = format!("probability in [{}, {}] {}", short(lo), short(hi), self.sure());
            answer.value = Some(format!("{hits} of {runs} runs, {share}"));
        } else {
            answer.value = Some(text);
        }
        answer.curves = Some(Curves { series: kept, x: axis_of_curves(&bound.measure).to_owned(), y: String::new() });
        self.conclude(answer, whole);
        if filter.is_some() && hits == 0 && whole {
            answer.verdict = Verdict::Unknown;
            answer.reason = Some("no run satisfied the condition".to_owned());
        }
        if cut {
            answer.reason = Some("some curves are cut: they have too many points".to_owned());
        }
        Ok(())
    }

    fn conclude(&self, answer: &mut Answer, whole: bool) {
        if whole {
            answer.verdict = Verdict::Satisfied;
        } else {
            answer.reason = Some(self.cut_off());
        }
    }

    /// Why there are fewer runs than were wanted.
    fn cut_off(&self) -> String {
        if self.endless {
            let run = self.numbers.runs;
            return format!("run {run} has no end: the clock of its bound came no closer to it in {NO_CLOSER} delays");
        }
        if self.watch.is_cancelled() { "interrupted" } else { "out of time" }.to_owned()
    }

    fn sure(&self) -> String {
        format!("with confidence {} %", short(100.0 * self.numbers.confidence))
    }

    /// Histogram and cumulative curve of the values of `runs` runs.
    fn distribution(&mut self, values: &[f64], runs: u64, alpha: f64) {
        let mut mean = Mean::default();
        values.iter().for_each(|value| mean.add(*value));
        if mean.count > 0 {
            self.numbers.mean = Some(mean.mean);
            self.numbers.deviation = Some(mean.deviation());
        }
        let Some(histogram) = histogram::Histogram::of(values) else { return };
        let share = |(at, count): (f64, u64)| {
            let (from, to) = clopper_pearson(count, runs, alpha);
            Share { at, share: count as f64 / runs as f64, from, to }
        };
        self.numbers.cumulative = histogram.cumulative().into_iter().map(share).collect();
        let histogram::Histogram { start, width, counts } = histogram;
        self.numbers.histogram = Some(Histogram { start, width, counts });
    }

    fn cumulative_curve(&self, y: &str, x: &str) -> Curves {
        let start = self.numbers.histogram.as_ref().map_or(0.0, |histogram| histogram.start);
        let series = |name: &str, of: fn(&Share) -> f64| Series {
            name: name.to_owned(),
            run: 0,
            points: std::iter::once((start, 0.0))
                .chain(self.numbers.cumulative.iter().map(|share| (share.at, of(share))))
                .collect(),
        };
        Curves {
            series: vec![
                series("share", |share| share.share),
                series("lower limit", |share| share.from),
                series("upper limit", |share| share.to),
            ],
            x: x.to_owned(),
            y: y.to_owned(),
        }
    }
}
