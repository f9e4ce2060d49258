//! Whether a system can reach a state that a query writes.

use super::Question;
use crate::place::Place;
use crate::report::{Answer, Evidence, Verdict};
use model::check::SystemExpr;
use model::source::Span;
use refine::explore::{Explored, Start, explore_from, starts};
use refine::frame::Frame;
use refine::refinement::Counts;
use refine::state_predicate::{Resolved, parse};
use refine::world::{Starts, World};
use semantics::structure::Structure;
use zones::Zone;

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
        let (world, root) = match World::with_constants(structure, &[system], &constants, anywhere) {
            Ok((world, roots)) => (world, roots[0]),
            Err(unfit) => return self.refuse(answer, &unfit),
        };
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
        let starts = match &from {
            None if !starts(&world, root) => return self.no_start(answer, &world, root),
            None => vec![(world.initial(), None)],
            Some(from) => match from.starts() {
                Some(starts) => starts.into_iter().map(|(slots, clocks)| (slots, Some(clocks))).collect(),
                None => return bad("the state to start from has too many cases".to_owned(), goal.1),
            },
        };
        answer.search = Some("bfs".to_owned());
        answer.verdict = Verdict::Violated;
        answer.evidence = Evidence::Exhaustive;
        for (slots, clocks) in starts {
            let start = Start { slots, clocks: clocks.as_deref(), watched: &watched };
            let mut too_many = false;
            let mut reached = |slots: &[u32], frame: &Frame, zone: &Zone| {
                let Some(cases) = to.cases(slots) else {
                    too_many = true;
                    return Some(());
                };
                let holds = |case: &Vec<_>| zone.clone().constrain_all(&frame.constraints(case));
                cases.iter().any(holds).then_some(())
            };
            let explored = explore_from(&world, root, &start, &mut || self.goes_on(&Counts::default()), &mut reached);
            let (verdict, reason) = match explored {
                Explored::All(_) => continue,
                Explored::Found(()) if !too_many => (Verdict::Satisfied, None),
                Explored::Found(()) => (Verdict::Unknown, Some("the state to reach has too many cases".to_owned())),
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
}
