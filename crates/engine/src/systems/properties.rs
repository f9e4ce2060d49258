//! What one system is: deterministic, consistent, an implementation.

use super::{Question, fail};
use crate::place::Place;
use crate::report::{Answer, Evidence, Verdict};
use crate::searches::orders::BFS;
use model::check::SystemExpr;
use model::source::Span;
use model::syntax::query::SystemCheck;
use refine::component::Origin;
use refine::consistency::{Consistency, consistency, consistency_by_parts};
use refine::determinism::{self, Flaw, flaws};
use refine::error::Open;
use refine::world::{NodeId, Starts, World};
use semantics::structure::Structure;

const NONDETERMINISTIC: &str = "nondeterministic";

impl Question<'_, '_, '_> {
    pub(super) fn check(
        &mut self,
        answer: &mut Answer,
        structure: &Structure<'_>,
        check: SystemCheck,
        system: &SystemExpr,
    ) {
        let (world, root) = match self.world(structure, &[system], &[], Starts::Initial) {
            Ok((world, roots)) => (world, roots[0]),
            Err(unfit) => return self.refuse(answer, &unfit),
        };
        answer.search = Some(BFS.name.to_owned());
        let good = match check {
            SystemCheck::Consistency => {
                self.is_deterministic(answer, &world, root) && self.is_consistent(answer, &world, root)
            }
            SystemCheck::Determinism | SystemCheck::Specification => {
                self.has_no_flaw(answer, &world, root, determinism::Asked::Determinism)
            }
            SystemCheck::Implementation => self.has_no_flaw(answer, &world, root, determinism::Asked::Implementation),
            // These make a component.
            SystemCheck::Prune | SystemCheck::GetComponent => false,
        };
        if good {
            answer.verdict = Verdict::Satisfied;
            answer.evidence = Evidence::Exhaustive;
        }
    }

    /// Writes into the answer what is wrong, if anything is.
    pub(super) fn is_consistent(&mut self, answer: &mut Answer, world: &World<'_>, system: NodeId) -> bool {
        let consistency = consistency(world, system, &mut |done| self.goes_on(done));
        self.judge(answer, world, system, consistency)
    }

    /// The same for a system whose components are consistent; at most so many states of its parts
    /// are looked at. `None` if that does not decide it.
    pub(super) fn parts_are_consistent(
        &mut self,
        answer: &mut Answer,
        world: &World<'_>,
        system: NodeId,
        mut budget: u64,
    ) -> Option<bool> {
        let consistency = consistency_by_parts(world, system, &mut |done| {
            budget = budget.saturating_sub(1);
            budget > 0 && self.goes_on(done)
        });
        if matches!(consistency, Err(Open::Stopped)) && budget == 0 {
            return None;
        }
        Some(self.judge(answer, world, system, consistency))
    }

    fn judge(
        &self,
        answer: &mut Answer,
        world: &World<'_>,
        system: NodeId,
        consistency: Result<Consistency, Open>,
    ) -> bool {
        match consistency {
            Ok(Consistency::Consistent) => return true,
            Ok(Consistency::Inconsistent { state, clocks }) => {
                let place = world.describe(&world.leaves_of(system), &state, &clocks);
                let reason = format!(
                    "{} is inconsistent: it cannot keep its environment from states such as {place}, where neither time \
                     nor an output goes on",
                    world.title(system)
                );
                fail(answer, "inconsistent", reason);
            }
            Err(open) => self.open(answer, world, system, open),
        }
        false
    }

    /// What a query supposes that does not ask for it.
    pub(super) fn is_deterministic(&mut self, answer: &mut Answer, world: &World<'_>, system: NodeId) -> bool {
        let is_so = self.has_no_flaw(answer, world, system, determinism::Asked::Determinism);
        if answer.failure == Some(NONDETERMINISTIC) {
            answer.unfit = true;
            if let Some(reason) = &mut answer.reason {
                reason.push_str("; change the guards so that only one way is possible");
            }
        }
        is_so
    }

    fn has_no_flaw(
        &mut self,
        answer: &mut Answer,
        world: &World<'_>,
        system: NodeId,
        asked: determinism::Asked,
    ) -> bool {
        let flaw = match flaws(world, system, asked, &mut |done| self.goes_on(done)) {
            Ok(None) => return true,
            Ok(Some(flaw)) => flaw,
            Err(open) => {
                self.open(answer, world, system, open);
                return false;
            }
        };
        let title = world.title(system);
        let (failure, place, what) = match &flaw {
            Flaw::Nondeterministic(place) => (NONDETERMINISTIC, place, "is not deterministic: it can go two ways"),
            Flaw::NotUrgent(place) => ("not-output-urgent", place, "may wait although it has an output"),
            Flaw::NoProgress(place) => ("no-progress", place, "is stuck: time ends, and it has no output"),
        };
        let action = place.action.map_or(String::new(), |action| format!(" on `{}`", world.action_name(action)));
        let state = world.describe(&world.leaves_of(system), &place.slots, &place.clocks);
        let mut edges: Vec<(String, Span)> = place.edges.iter().map(|edge| shown_edge(world, edge)).collect();
        edges.dedup();
        let sources = self.asked.sources;
        let names: Vec<String> =
            edges.iter().map(|(name, span)| format!("{name} ({})", Place::of(sources, *span))).collect();
        let by = match names.len() {
            0 => String::new(),
            1 => format!(", by the edge {}", names[0]),
            _ => format!(", by the edges {}", names.join(" and ")),
        };
        fail(answer, failure, format!("{title} {what}{action} in {state}{by}"));
        answer.spans = edges.into_iter().map(|(_, span)| span).collect();
        answer.place = answer.spans.first().map(|span| Place::of(sources, *span));
        false
    }
}

/// The ends of an edge, and its place.
fn shown_edge(world: &World<'_>, (leaf, origin): &(u32, Origin)) -> (String, Span) {
    let template = world.network.template_of(world.component_of(*leaf).process);
    let edge = template.edge(template.expanded[origin.expanded as usize].edge);
    let name = |location| &template.location(location).name;
    let target = edge.branches.get(origin.branch as usize).map_or(edge.source, |branch| branch.target);
    (format!("{} -> {}", name(edge.source), name(target)), edge.span)
}
