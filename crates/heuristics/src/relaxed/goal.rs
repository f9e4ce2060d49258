//! The goal as a tree over facts and tests.

use super::task::Task;
use model::network::ProcessId;
use semantics::formula::Formula;

/// A node of the goal. Leaves are satisfied by facts and tests, inner nodes by their children.
#[derive(Clone, Debug)]
pub struct GoalNode {
    pub parent: u32,
    pub kind: GoalKind,
    /// Children that must be satisfied.
    pub needed: u32,
    pub children: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GoalKind {
    And,
    Or,
    Fact(u32),
    /// Any other location of the process.
    NotFact(u32),
    Test(u32),
}

impl Task<'_> {
    /// Adds a part of the goal below a node.
    pub(super) fn add_goal(&mut self, formula: &Formula, parent: u32) {
        let number = self.goal.len() as u32;
        let (kind, parts): (GoalKind, &[Formula]) = match formula {
            Formula::And(parts) => (GoalKind::And, parts),
            Formula::Or(parts) => match self.test(ProcessId::new(0), formula) {
                Some(test) => (GoalKind::Test(test), &[]),
                None => (GoalKind::Or, parts),
            },
            Formula::At { process, location, holds } => {
                let fact = self.fact(*process as usize, *location);
                (if *holds { GoalKind::Fact(fact) } else { GoalKind::NotFact(fact) }, &[])
            }
            Formula::Cell { .. } | Formula::Condition { .. } => match self.test(ProcessId::new(0), formula) {
                Some(test) => (GoalKind::Test(test), &[]),
                None => (GoalKind::And, &[]),
            },
            Formula::Unknown => (GoalKind::And, &[]),
        };
        let needed = match kind {
            GoalKind::And => parts.len() as u32,
            _ => 1,
        };
        self.goal.push(GoalNode { parent, kind, needed, children: Vec::new() });
        if let Some(parent) = self.goal.get_mut(parent as usize) {
            parent.children.push(number);
        }
        match kind {
            GoalKind::Fact(fact) => note(&mut self.goals_of_fact, fact, number),
            GoalKind::NotFact(fact) => {
                let process = self.process_of[fact as usize] as usize;
                for other in self.first_fact[process]..self.first_fact[process + 1] {
                    if other != fact {
                        note(&mut self.goals_of_fact, other, number);
                    }
                }
            }
            GoalKind::Test(test) => {
                note(&mut self.goals_of_test, test, number);
                self.goal_tests.push(test);
            }
            GoalKind::And | GoalKind::Or => {}
        }
        for part in parts {
            self.add_goal(part, number);
        }
    }
}

fn note(lists: &mut Vec<Vec<u32>>, at: u32, number: u32) {
    if lists.len() <= at as usize {
        lists.resize(at as usize + 1, Vec::new());
    }
    lists[at as usize].push(number);
}
