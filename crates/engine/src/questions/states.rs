//! `E<> p` and `A[] p`: is there a state in which a predicate holds?

use super::{QuestionRow, Subject};
use crate::check::{Asked, conclude};
use crate::limits::Watch;
use crate::place::Place;
use crate::problem::{Problem, Walking};
use crate::report::{Answer, Verdict};
use crate::searches::{States, directed};
use crate::{auto, claim, reachability, walks};
use certify::{Claim, Literal};
use model::check::{Query, QueryKind};
use model::network::{Engine, ExprId};
use walk::hunt::Totals;

pub static EXISTS_EVENTUALLY: QuestionRow = QuestionRow {
    name: "E<>",
    form: "E<> p",
    decides: Some(Verdict::Satisfied),
    claim: |kind| predicate(kind).map(|predicate| Claim::Reaches(Literal::is(predicate))),
    answer: |answer, asked, query, watch| {
        let goal = predicate(&query.kind);
        goal.into_iter().for_each(|goal| look(answer, asked, query, goal, watch));
    },
    ..STATES
};

pub static ALWAYS_GLOBALLY: QuestionRow = QuestionRow {
    name: "A[]",
    form: "A[] p",
    decides: Some(Verdict::Violated),
    claim: |kind| predicate(kind).map(|predicate| Claim::Reaches(Literal::is_not(predicate))),
    answer: |answer, asked, query, watch| {
        if let QueryKind::Path { negation, .. } = query.kind {
            look(answer, asked, query, negation, watch);
        }
    },
    ..STATES
};

/// What both have.
const STATES: QuestionRow = QuestionRow {
    subject: Subject::States,
    engine: Some(Engine::Symbolic),
    predicates: |kind| predicate(kind).into_iter().collect(),
    ..super::UNANSWERED
};

fn predicate(kind: &QueryKind) -> Option<ExprId> {
    match kind {
        QueryKind::Path { predicate, .. } => Some(*predicate),
        _ => None,
    }
}

/// Looks for a state in which the goal holds, by whichever search was chosen.
pub(super) fn look(answer: &mut Answer, asked: &Asked, query: &Query, goal: ExprId, watch: &mut Watch) {
    let Asked { network, options, sources } = *asked;
    let (Some(claim), Some(found)) = (claim::of_run(query), claim::decided(query)) else { return };
    if let Some(wanted) = directed::wanted(options)
        && let Some(reason) = directed::misfit(&wanted, network, goal, options)
    {
        answer.verdict = Verdict::Error;
        answer.reason = Some(reason);
        answer.place = Some(Place::of(sources, query.span));
        answer.spans = vec![query.span];
        return;
    }
    let way = options.search.ways.states.as_ref().map(|way| &way.make);
    let walking = match way {
        Some(States::Walks(_)) => Walking::Yes,
        Some(States::Portfolio(_)) => auto::walking(network, goal, options),
        _ => Walking::No,
    };
    let problem = Problem::new(network, goal, claim, walking, options);
    let (reached, totals): (_, Option<Totals>) = match way {
        Some(States::Walks(strategy)) => {
            let (reached, totals) = walks::reach(&problem, (options.search.name, *strategy), options, watch);
            (reached, Some(totals))
        }
        Some(States::Portfolio(_)) => {
            let (reached, totals) = auto::reach(&problem, options, watch);
            (reached, Some(totals))
        }
        _ => (reachability::reach(&problem, options, watch), None),
    };
    conclude(answer, asked, reached, Some(goal), found, found.opposite());
    if let Some(totals) = totals {
        (answer.stats.walks, answer.stats.steps) = (totals.walks, totals.steps);
    }
}
