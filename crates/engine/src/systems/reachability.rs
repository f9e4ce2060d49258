//! Whether a system can reach a state that a query writes. If it does there is a run, which `certify` replays before anybody hears of it.

use super::Question;
use crate::place::Place;
use crate::report::{Answer, Evidence, Verdict};
use crate::searches::orders::BFS;
use certify::Rational;
use certify::refinement::{Action, StartState, SystemGoal, SystemRun};
use certify::trace::TraceEdge;
use model::check::SystemExpr;
use model::network::ChannelId;
use model::source::Span;
use model::syntax::system_state::parse;
use refine::component::Origin;
use refine::explore::{Explored, Start, explore_from, starts};
use refine::frame::Frame;
use refine::run::{Arrival, arrival};
use refine::state_predicate::Resolved;
use refine::world::{NodeId, Starts, Step, World};
use semantics::structure::Structure;
use zones::{Constraint, Zone};

/// One way in which a predicate holds.
type Case = Vec<Constraint>;

impl Question<'_, '_, '_> {
    pub(super) fn reachability(
        &mut self,
        answer: &mut Answer,
        structure: &Structure<'_>,
        system: &SystemExpr,
        start: Option<&(String, Span)>,
        goal: &(String, Span),
    ) {
        let mut bad = |reason: String, span: Span| {
            answer.verdict = Verdict::Error;
            answer.reason = Some(reason);
            answer.place = Some(Place::of(self.asked.sources, span));
            answer.spans = vec![span];
        };
        let start = start.filter(|(text, _)| text.trim() != "init");
        let from = match start.map(|(text, _)| parse(text)).transpose() {
            Ok(from) => from,
            Err(reason) => return bad(reason, start.map_or(goal.1, |(_, span)| *span)),
        };
        let to = match parse(&goal.0) {
            Ok(to) => to,
            Err(reason) => return bad(reason, goal.1),
        };
        let mut constants = Vec::new();
        from.iter().chain([&to]).for_each(|predicate| predicate.constants(&mut constants));
        if let Some(constant) =
            constants.iter().find(|constant| !zones::Bound::is_admissible(4 * i64::from(**constant)))
        {
            return bad(format!("the constant {constant} is too large for zones"), goal.1);
        }
        let anywhere = if from.is_some() { Starts::Anywhere } else { Starts::Initial };
        let (world, root) = match self.world(structure, &[system], &constants, anywhere) {
            Ok((world, roots)) => (world, roots[0]),
            Err(unfit) => return self.refuse(answer, &unfit),
        };
        let (wanted, first) = (to.clone(), from.clone());
        let to = match Resolved::new(&world, root, to) {
            Ok(to) => to,
            Err(reason) => return bad(reason, goal.1),
        };
        let from = match from.map(|from| Resolved::new(&world, root, from)).transpose() {
            Ok(from) => from,
            Err(reason) => return bad(reason, start.map_or(goal.1, |(_, span)| *span)),
        };
        let mut watched = to.watched();
        watched.extend(from.iter().flat_map(|from| from.watched()));
        let mut is_stopped = false;
        let starts = match &from {
            None if !starts(&world, root) => return self.no_start(answer, &world, root),
            None => vec![(world.initial(), None)],
            Some(from) => match from.starts(&mut |bytes| {
                is_stopped = !self.goes_on_with(bytes);
                !is_stopped
            }) {
                Some(starts) => starts.into_iter().map(|(slots, clocks)| (slots, Some(clocks))).collect(),
                None if is_stopped => {
                    answer.reason = Some(self.stopped());
                    return;
                }
                None => return bad("the state to start from has too many cases".to_owned(), goal.1),
            },
        };
        answer.search = Some(BFS.name.to_owned());
        answer.verdict = Verdict::Violated;
        answer.evidence = Evidence::Exhaustive;
        for (slots, clocks) in starts {
            let start = Start { slots, clocks: clocks.as_deref(), watched: &watched };
            // The cases of the goal of which one holds; `None` if there are too many.
            let mut reached = |slots: &[u32], frame: &Frame, zone: &Zone| {
                let Some(mut cases) = to.cases(slots) else { return Some(None) };
                cases.retain(|case| zone.clone().constrain_all(&frame.constraints(case)));
                (!cases.is_empty()).then_some(Some(cases))
            };
            let mut path = Vec::new();
            let mut go_on = |bytes| self.goes_on_with(bytes);
            let explored = explore_from(&world, root, &start, &mut go_on, &mut reached, Some(&mut path));
            let (verdict, reason) = match explored {
                Explored::All(_) => continue,
                Explored::Found(Some(cases)) => {
                    let asked = SystemGoal { system, start: first.as_ref(), goal: &wanted };
                    return self.arrived(answer, &world, root, asked, (&start, &path, &cases));
                }
                Explored::Found(None) => (Verdict::Unknown, Some("the state to reach has too many cases".to_owned())),
                Explored::NoStart => return self.no_start(answer, &world, root),
                Explored::Failed(leaf, error) => return self.model_error(answer, &world, leaf, error),
                Explored::Overflow => (Verdict::Unknown, Some("a bound is too large for zones".to_owned())),
                Explored::Stopped => (Verdict::Unknown, Some(self.stopped())),
            };
            answer.verdict = verdict;
            answer.reason = reason;
            if verdict == Verdict::Unknown {
                answer.evidence = Evidence::None;
            }
            return;
        }
        if !world.complete {
            answer.verdict = Verdict::Unknown;
            answer.evidence = Evidence::None;
            let reason =
                "not reached from the states that the components reach; there are too many others to start from";
            answer.reason = Some(reason.to_owned());
        }
    }

    /// Works out a run along a path to one of the cases of the goal, has it replayed, and writes it into the answer.
    fn arrived(
        &self,
        answer: &mut Answer,
        world: &World<'_>,
        root: NodeId,
        asked: SystemGoal<'_>,
        (start, path, goals): (&Start<'_>, &[(u32, Step)], &[Case]),
    ) {
        let starts: Vec<Option<&[Constraint]>> = match start.clocks {
            None => vec![None],
            Some(cases) => cases.iter().map(|case| Some(case.as_slice())).collect(),
        };
        let mut runs = starts.iter().flat_map(|from| goals.iter().map(move |goal| (*from, goal)));
        let found = runs.find_map(|(from, goal)| arrival(world, root, (&start.slots, from), path, goal));
        let run = found.ok_or_else(|| "the state found has no run".to_owned()).and_then(|found| {
            let run = written(world, start, path, &found);
            run.replay(self.asked.network, asked)
                .map_err(|refusal| format!("a run is refused by the checker: {refusal}"))
        });
        match run {
            Ok(run) => {
                (answer.verdict, answer.evidence) = (Verdict::Satisfied, Evidence::Witness);
                answer.stats.trace_length = Some(run.steps.len());
                answer.system_run = Some(run);
            }
            Err(why) => {
                (answer.verdict, answer.evidence) = (Verdict::Unknown, Evidence::None);
                answer.internal = true;
                answer.reason = Some(format!("internal error: {why}"));
            }
        }
    }
}

fn edge(world: &World<'_>, leaf: u32, origin: Origin) -> TraceEdge {
    let process = world.component_of(leaf).process;
    let template = world.network.template_of(process);
    let expanded = template.expanded[origin.expanded as usize];
    let edge = template.edge(expanded.edge);
    let name = |location| template.location(location).name.clone();
    let target = edge.branches.get(origin.branch as usize).map_or(edge.source, |branch| branch.target);
    TraceEdge {
        process: world.network.process(process).name.as_str().into(),
        from: name(edge.source),
        to: name(target),
        edge: expanded.edge.index(),
        select: template.select_values(expanded).to_vec(),
        branch: origin.branch as usize,
    }
}

/// A run as the checker reads it.
fn written(world: &World<'_>, start: &Start<'_>, path: &[(u32, Step)], found: &Arrival) -> SystemRun {
    let Arrival { clocks, times } = found;
    let ratio = |ticks: i64| Rational::new(i128::from(ticks) * i128::from(times.unit), times.ticks.into());
    let mut before = 0;
    let mut steps = Vec::with_capacity(path.len());
    for ((action, step), moment) in path.iter().zip(&times.steps) {
        let action = match world.is_channel(*action) {
            true => Action::Channel(ChannelId::new(*action as usize)),
            false => Action::New,
        };
        let edges = step.taken.iter().filter_map(|(leaf, origin)| Some(edge(world, *leaf, (*origin)?)));
        steps.push((ratio(moment - before), action, edges.collect()));
        before = *moment;
    }
    let state = |leaf: u32| {
        let (component, local) = (world.component_of(leaf), world.local(leaf, &start.slots));
        let template = world.network.template_of(component.process);
        let first = world.leaves[leaf as usize].clocks as usize;
        let own = &clocks[first..][..template.state.clocks as usize];
        StartState {
            component: component.name.clone(),
            location: template.location(local.location).name.to_string(),
            ints: local.ints.to_vec(),
            clocks: own.iter().map(|value| ratio(*value).to_string()).collect(),
        }
    };
    let begun = start.clocks.map(|_| (0..world.leaves.len() as u32).map(state).collect());
    SystemRun::new(world.network, begun, steps, &ratio(times.end - before))
}
