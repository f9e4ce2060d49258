//! Whether a system can reach a state that a query writes. If it does there is a run, which
//! `certify` replays before anybody hears of it.

use super::Question;
use super::searching::{Ended, by_equality};
use crate::place::Place;
use crate::report::{Answer, Evidence, Verdict};
use crate::searches::Symbolic;
use crate::searches::strategies::SystemGoal;
use certify::Rational;
use certify::refinement::{self, Action, StartState, SystemRun};
use certify::trace::TraceEdge;
use model::check::SystemExpr;
use model::network::ChannelId;
use model::source::Span;
use model::syntax::system_state::parse;
use refine::component::Origin;
use refine::error::Open;
use refine::explore::{Exploration, Start, starts};
use refine::run::{Arrival, arrival};
use refine::state_predicate::Resolved;
use refine::world::{NodeId, Starts, Step, World};
use refine::zone_state::ZoneState;
use search::equality::{Equality, EqualityGoal};
use search::goal::state_goal;
use semantics::structure::Structure;
use std::cell::RefCell;
use zones::Constraint;

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
            Some(from) => match from.starts(&mut |done| {
                is_stopped = !self.goes_on(done);
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
        let search = self.asked.options.search.row();
        let Some(way) = &search.ways.systems else { return };
        let name = match way.make {
            Symbolic::Loop(order) => self.order(order).name,
            Symbolic::Own(_) => search.name,
        };
        answer.search = Some(name.to_owned());
        answer.verdict = Verdict::Violated;
        answer.evidence = Evidence::Exhaustive;
        let asked = refinement::SystemGoal { system, start: first.as_ref(), goal: &wanted };
        for (slots, clocks) in starts {
            let start = Start { slots, clocks: clocks.as_deref(), watched: &watched };
            if self.reach(answer, (&world, root), &start, &to, (asked, &way.make)) {
                return;
            }
        }
        if !world.complete {
            answer.verdict = Verdict::Unknown;
            answer.evidence = Evidence::None;
            let reason =
                "not reached from the states that the components reach; there are too many others to start from";
            answer.reason = Some(reason.to_owned());
        }
    }

    /// Searches from one discrete state; `true` if the answer is written.
    fn reach(
        &mut self,
        answer: &mut Answer,
        (world, root): (&World<'_>, NodeId),
        start: &Start<'_>,
        to: &Resolved<'_, '_>,
        (asked, way): (refinement::SystemGoal<'_>, &'static Symbolic),
    ) -> bool {
        let exploration = Exploration::new(world, root, start.clone());
        // The cases of the goal of which one holds; `None` if there are too many.
        let reached: RefCell<Option<Option<Vec<Case>>>> = RefCell::new(None);
        let goal: SystemGoal<'_> = state_goal(Box::new(|state| {
            *reached.borrow_mut() = cases(to, state);
            reached.borrow().is_some()
        }));
        let equal = Equality(&exploration);
        let mut search = match way {
            Symbolic::Loop(order) => self.by_order(&exploration, goal, *order, self.search_limits()),
            Symbolic::Own(own) if by_equality(Some(own), self.asked.options) => {
                (own.of_unequal_system)(&equal, EqualityGoal(goal), self.setting())
            }
            Symbolic::Own(own) => (own.of_system)(&exploration, goal, self.setting()),
        };
        let ended = self.run(&mut *search, way.own(), &mut |_| false);
        let statistics = search.statistics();
        answer.stats.states_explored += statistics.explored;
        answer.stats.states_generated += statistics.generated;
        answer.stats.states_stored += statistics.stored;
        answer.stats.peak_memory_mb = answer.stats.peak_memory_mb.max(statistics.peak_bytes.div_ceil(1 << 20));
        let unknown = match ended {
            None | Some(Ended::Nowhere) => return false,
            Some(Ended::Found(id)) => match reached.take().flatten() {
                Some(cases) => {
                    let path = exploration.path(&search.trace(id));
                    self.arrived(answer, world, root, asked, (start, &path, &cases));
                    return true;
                }
                None => "the state to reach has too many cases".to_owned(),
            },
            Some(Ended::Open(Open::Failed(leaf, error))) => {
                self.model_error(answer, world, leaf, error);
                return true;
            }
            Some(Ended::Open(open)) => self.why_open(open),
            Some(Ended::Unknown(reason)) => reason,
        };
        (answer.verdict, answer.evidence) = (Verdict::Unknown, Evidence::None);
        answer.reason = Some(unknown);
        true
    }

    /// Works out a run along a path to one of the cases of the goal, has it replayed, and writes it
    /// into the answer.
    fn arrived(
        &self,
        answer: &mut Answer,
        world: &World<'_>,
        root: NodeId,
        asked: refinement::SystemGoal<'_>,
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

/// Which cases of the goal hold somewhere in a state. `None`: none does; `Some(None)`: there are
/// too many.
fn cases(to: &Resolved<'_, '_>, state: &ZoneState) -> Option<Option<Vec<Case>>> {
    let Some(mut cases) = to.cases(&state.slots) else { return Some(None) };
    cases.retain(|case| state.zone.clone().constrain_all(&state.frame.constraints(case)));
    (!cases.is_empty()).then_some(Some(cases))
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
