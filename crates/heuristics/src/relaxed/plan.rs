//! The relaxed plan: from the goal back to the state, each fact by the firing that added it first, with what that one needed.
//! A firing counts once, however many facts it added; so does an operator that two of its actions name.

use super::explore::{NONE, Relaxation, WIDE};
use super::goal::GoalKind;
use super::task::{NO_NODE, Role, Task};
use crate::network::operators::{ALONE, Operators};

/// What has been looked at.
#[derive(Default)]
pub(super) struct Marks {
    stamp: u32,
    places: Vec<u32>,
    actions: Vec<u32>,
    tests: Vec<u32>,
    firings: Vec<u32>,
    waiting: Vec<Need>,
}

#[derive(Clone, Copy)]
enum Need {
    Place(u32),
    Value(u32, u32),
    Firing(u32),
    Action(u32),
    Test(u32),
    Node(u32),
}

impl Marks {
    pub fn new(task: &Task<'_>) -> Marks {
        Marks {
            stamp: 0,
            places: vec![0; task.process_of.len()],
            actions: vec![0; task.actions.len()],
            tests: vec![0; task.tests.len()],
            firings: Vec::new(),
            waiting: Vec::new(),
        }
    }
}

impl Relaxation<'_> {
    /// Appends the operators of a relaxed plan, as pairs of actions, each once. To be asked after an evaluation that found the goal.
    pub fn plan(&mut self, plan: &mut Vec<(u32, u32)>) {
        let start = plan.len();
        let mut marks = std::mem::take(&mut self.plan);
        marks.stamp = marks.stamp.wrapping_add(1);
        marks.firings.clear();
        marks.firings.resize(self.firings.len(), 0);
        marks.waiting.clear();
        if !self.task.goal.is_empty() {
            marks.waiting.push(Need::Node(0));
        }
        while let Some(need) = marks.waiting.pop() {
            self.meet_need(need, &mut marks, plan);
        }
        self.plan = marks;
        plan[start..].sort_unstable();
        let mut kept = start;
        for n in start..plan.len() {
            if n == start || plan[n] != plan[kept - 1] {
                plan[kept] = plan[n];
                kept += 1;
            }
        }
        plan.truncate(kept);
    }

    fn meet_need(&mut self, need: Need, marks: &mut Marks, plan: &mut Vec<(u32, u32)>) {
        match need {
            Need::Place(fact) => {
                if std::mem::replace(&mut marks.places[fact as usize], marks.stamp) != marks.stamp {
                    marks.waiting.push(Need::Firing(self.places[fact as usize].firing));
                }
            }
            Need::Value(cell, WIDE) => {
                marks.waiting.push(Need::Firing(self.cells[cell as usize].wide.unwrap_or(NONE)));
            }
            Need::Value(cell, n) => {
                let fact = &mut self.cells[cell as usize].facts[n as usize];
                if std::mem::replace(&mut fact.mark, marks.stamp) != marks.stamp {
                    let (firing, support) = (fact.firing, fact.support);
                    marks.waiting.push(Need::Firing(firing));
                    self.support(support, marks);
                }
            }
            Need::Firing(NONE) => {}
            Need::Firing(firing) => {
                if std::mem::replace(&mut marks.firings[firing as usize], 1) == 0 {
                    let taken = self.firings[firing as usize];
                    plan.push(self.operator(taken.action, taken.partner));
                    marks.waiting.push(Need::Action(taken.action));
                    if taken.partner != ALONE {
                        marks.waiting.push(Need::Action(taken.partner));
                    }
                }
            }
            Need::Action(action)
                if std::mem::replace(&mut marks.actions[action as usize], marks.stamp) == marks.stamp => {}
            Need::Action(action) => {
                let action = &self.task.actions[action as usize];
                marks.waiting.push(Need::Place(action.source));
                marks.waiting.extend(action.tests.clone().map(|n| Need::Test(self.task.action_tests[n as usize])));
            }
            Need::Test(test) if std::mem::replace(&mut marks.tests[test as usize], marks.stamp) == marks.stamp => {}
            Need::Test(test) => self.support(self.tests[test as usize].support, marks),
            Need::Node(node) => {
                let goal = &self.task.goal[node as usize];
                match goal.kind {
                    GoalKind::And => marks.waiting.extend(goal.children.iter().map(|child| Need::Node(*child))),
                    GoalKind::Or => {
                        let chosen = self.nodes[node as usize].chosen;
                        if chosen != NO_NODE {
                            marks.waiting.push(Need::Node(chosen));
                        }
                    }
                    GoalKind::Fact(fact) => marks.waiting.push(Need::Place(fact)),
                    GoalKind::NotFact(fact) => {
                        let process = self.task.process_of[fact as usize] as usize;
                        let others = self.task.first_fact[process]..self.task.first_fact[process + 1];
                        let reached = others.filter(|other| *other != fact && self.is_reached(*other));
                        // The one that was reached first.
                        let order = |fact: &u32| self.places[*fact as usize].firing.wrapping_add(1);
                        marks.waiting.extend(reached.min_by_key(order).map(Need::Place));
                    }
                    GoalKind::Test(test) => marks.waiting.push(Need::Test(test)),
                }
            }
        }
    }

    fn support(&self, (first, last): (u32, u32), marks: &mut Marks) {
        let values = &self.supports[first as usize..last as usize];
        marks.waiting.extend(values.iter().filter(|(_, n)| *n > 0).map(|(cell, n)| Need::Value(*cell, *n)));
    }

    /// The operator of an action and its partner, the sender first.
    fn operator(&self, action: u32, partner: u32) -> (u32, u32) {
        let known = &self.task.actions[action as usize];
        match known.role {
            Role::Alone | Role::Broadcasts => (action, ALONE),
            Role::Sends => (action, partner),
            Role::Receives => (partner, action),
            Role::Hears => (partner, ALONE),
            Role::Together => {
                let channel = known.channels.clone().next().map_or(0, |n| self.task.channels[n as usize]);
                Operators::together(channel as usize)
            }
        }
    }
}
