//! The relaxed exploration of one state, layer by layer. All tables are kept between evaluations; a stamp tells what belongs
//! to the current one, so that beginning costs nothing but one look at each process.

use super::goal::GoalKind;
use super::task::{Departure, NO_NODE, Task};
use crate::interrupt::Interrupt;
use semantics::code::{Discrete, Effects};

pub const NONE: u32 = u32::MAX;
/// Stands for any value of a cell that has too many.
pub const WIDE: u32 = u32::MAX;

/// What is known of a location fact.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) stamp: u32,
    pub firing: u32,
}

/// A value of a cell: which firing added it, and from which values.
#[derive(Clone, Copy)]
pub(super) struct ValueFact {
    pub firing: u32,
    pub support: (u32, u32),
    /// The plan that needs it.
    pub mark: u32,
}

/// What is known of a cell.
#[derive(Default, Clone)]
pub(super) struct Cell {
    pub(super) stamp: u32,
    pub(super) values: Vec<i32>,
    /// For each value a bit, which others may share unless the range is small.
    pub(super) mask: u64,
    pub(super) is_small: bool,
    pub facts: Vec<ValueFact>,
    /// Values that were there when the layer began.
    pub(super) visible: u32,
    /// It may hold anything in its range.
    pub wide: Option<u32>,
    pub(super) wide_visible: bool,
    pub(super) is_growing: bool,
}

#[derive(Clone, Copy, Default)]
pub(super) struct TestState {
    pub(super) stamp: u32,
    pub satisfied: bool,
    /// The values that satisfied it.
    pub support: (u32, u32),
}

#[derive(Clone, Copy, Default)]
pub(super) struct ActionState {
    pub(super) stamp: u32,
    /// Tests that do not hold yet.
    pub(super) missing: u32,
    pub(super) fired: bool,
}

#[derive(Clone, Copy, Default)]
pub(super) struct UnitState {
    /// It runs since its action fired in this evaluation.
    pub(super) stamp: u32,
    pub(super) firing: u32,
    pub(super) done: bool,
    pub(super) queued: bool,
}

#[derive(Default, Clone)]
pub(super) struct Meeting {
    pub(super) stamp: u32,
    pub(super) senders: Vec<u32>,
    pub(super) receivers: Vec<u32>,
    pub(super) idle_senders: Vec<u32>,
    pub(super) idle_receivers: Vec<u32>,
}

/// An action that was taken, and with whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Firing {
    pub action: u32,
    pub partner: u32,
}

#[derive(Clone, Copy, Default)]
pub(super) struct NodeState {
    pub(super) stamp: u32,
    pub satisfied: u32,
    /// For alternatives the child that held first.
    pub chosen: u32,
}

/// Explores the relaxed network.
pub struct Relaxation<'n> {
    pub task: Task<'n>,
    pub interrupt: Interrupt,
    pub(super) stamp: u32,
    pub(super) banned: (u32, u32),
    pub(super) state: Discrete,
    pub(super) places: Vec<Place>,
    pub(super) cells: Vec<Cell>,
    pub(super) tests: Vec<TestState>,
    pub(super) actions: Vec<ActionState>,
    pub(super) units: Vec<UnitState>,
    pub(super) counters: Vec<u32>,
    pub(super) meetings: Vec<Meeting>,
    pub(super) firings: Vec<Firing>,
    pub(super) supports: Vec<(u32, u32)>,
    pub(super) nodes: Vec<NodeState>,
    pub(super) new_places: Vec<u32>,
    pub(super) growing: Vec<u32>,
    pub(super) ready: Vec<u32>,
    pub(super) flowing: Vec<u32>,
    pub(super) waiting_units: Vec<u32>,
    pub(super) effects: Effects,
    pub(super) chosen: Vec<u32>,
    pub(super) limits: Vec<u32>,
    pub(super) own: Vec<i32>,
    pub(super) written: Vec<(u32, i32)>,
    pub(super) plan: super::plan::Marks,
    pub(super) transition_fired: bool,
}

impl<'n> Relaxation<'n> {
    pub fn new(task: Task<'n>, interrupt: Interrupt) -> Relaxation<'n> {
        Relaxation {
            interrupt,
            stamp: 0,
            banned: (NONE, NONE),
            state: Discrete::initial(task.network),
            places: vec![Place::default(); task.process_of.len()],
            cells: task
                .network
                .ints
                .iter()
                .map(|int| Cell { is_small: i64::from(int.range.hi) - i64::from(int.range.lo) < 64, ..Cell::default() })
                .collect(),
            tests: vec![TestState::default(); task.tests.len()],
            actions: vec![ActionState::default(); task.actions.len()],
            units: vec![UnitState::default(); task.units.len()],
            counters: vec![0; task.counters as usize],
            meetings: vec![Meeting::default(); task.network.channels.len()],
            firings: Vec::new(),
            supports: Vec::new(),
            nodes: vec![NodeState::default(); task.goal.len()],
            new_places: Vec::new(),
            growing: Vec::new(),
            ready: Vec::new(),
            flowing: Vec::new(),
            waiting_units: Vec::new(),
            effects: Effects::default(),
            chosen: Vec::new(),
            limits: Vec::new(),
            own: Vec::new(),
            written: Vec::new(),
            plan: super::plan::Marks::new(&task),
            transition_fired: false,
            task,
        }
    }

    /// The layer in which the goal holds first, without the operator of these actions; `None` if there is none, or if it was
    /// interrupted.
    pub fn evaluate(&mut self, state: &Discrete, banned: Option<(u32, u32)>) -> Option<u32> {
        self.begin(state, banned);
        for layer in 0.. {
            if self.arrive() {
                return Some(layer);
            }
            self.act();
            if self.interrupt.is_over() {
                return None;
            }
            if self.new_places.is_empty() && self.growing.is_empty() {
                return None;
            }
        }
        None
    }

    fn begin(&mut self, state: &Discrete, banned: Option<(u32, u32)>) {
        self.stamp = self.stamp.wrapping_add(1);
        self.banned = banned.unwrap_or((NONE, NONE));
        self.state.locations.clone_from(&state.locations);
        self.state.ints.clone_from(&state.ints);
        self.transition_fired = false;
        for list in [&mut self.new_places, &mut self.ready, &mut self.flowing, &mut self.waiting_units] {
            list.clear();
        }
        for cell in self.growing.drain(..) {
            self.cells[cell as usize].is_growing = false;
        }
        self.firings.clear();
        self.supports.clear();
        for (process, location) in state.locations.iter().enumerate() {
            let fact = self.task.fact(process, *location);
            self.places[fact as usize] = Place { stamp: self.stamp, firing: NONE };
            self.new_places.push(fact);
        }
    }

    /// Takes in what the last layer added. `true`: the goal holds.
    fn arrive(&mut self) -> bool {
        let first = self.firings.is_empty() && self.supports.is_empty() && !self.transition_fired;
        let mut held = false;
        if first {
            held |= self.begin_goal();
        }
        let places = std::mem::take(&mut self.new_places);
        for fact in &places {
            for n in 0..self.task.goals_of_fact.get(*fact as usize).map_or(0, Vec::len) {
                held |= self.satisfy(self.task.goals_of_fact[*fact as usize][n]);
            }
        }
        let growing = std::mem::take(&mut self.growing);
        for cell in &growing {
            let cell = &mut self.cells[*cell as usize];
            cell.is_growing = false;
            cell.visible = cell.values.len() as u32;
            cell.wide_visible = cell.wide.is_some();
        }
        for cell in &growing {
            for n in 0..self.task.tests_of_cell[*cell as usize].len() {
                let test = self.task.tests_of_cell[*cell as usize][n];
                let known = self.tests[test as usize];
                if known.stamp == self.stamp && !known.satisfied && self.try_test(test) {
                    held |= self.passed(test);
                }
            }
            for n in 0..self.task.units_of_cell[*cell as usize].len() {
                let unit = self.task.units_of_cell[*cell as usize][n];
                self.queue_unit(unit, false);
            }
        }
        if held {
            // What is left over of the lists is cleared when the next evaluation begins.
            return true;
        }
        for fact in &places {
            let first = &self.task.first_departure[*fact as usize..];
            for n in first[0]..first[1] {
                self.locate(self.task.departures[n as usize]);
            }
        }
        (self.new_places, self.growing) = (places, growing);
        self.new_places.clear();
        self.growing.clear();
        false
    }

    /// Evaluates the tests of the goal, and what needs nothing.
    fn begin_goal(&mut self) -> bool {
        let mut held = false;
        for n in 0..self.task.goal.len() {
            if self.task.goal[n].needed == 0 {
                held |= self.complete_node(n as u32);
            }
        }
        for n in 0..self.task.goal_tests.len() {
            let test = self.task.goal_tests[n];
            if self.tests[test as usize].stamp != self.stamp && self.start_test(test) {
                held |= self.passed(test);
            }
        }
        held
    }

    /// A test holds: actions and goals that waited for it go on. `true`: the whole goal holds.
    fn passed(&mut self, test: u32) -> bool {
        for n in 0..self.task.tests[test as usize].actions.len() {
            let action = self.task.tests[test as usize].actions[n];
            let known = &mut self.actions[action as usize];
            if known.stamp == self.stamp && known.missing > 0 {
                known.missing -= 1;
                if known.missing == 0 {
                    self.ready.push(action);
                }
            }
        }
        let mut held = false;
        for n in 0..self.task.goals_of_test.get(test as usize).map_or(0, Vec::len) {
            held |= self.satisfy(self.task.goals_of_test[test as usize][n]);
        }
        held
    }

    /// One more need of a goal node is met.
    fn satisfy(&mut self, node: u32) -> bool {
        let stamp = self.stamp;
        let state = &mut self.nodes[node as usize];
        if state.stamp != stamp {
            *state = NodeState { stamp, satisfied: 0, chosen: NO_NODE };
        }
        state.satisfied += 1;
        state.satisfied == self.task.goal[node as usize].needed && self.complete_node(node)
    }

    fn complete_node(&mut self, node: u32) -> bool {
        let parent = self.task.goal[node as usize].parent;
        let Some(above) = self.task.goal.get(parent as usize) else { return true };
        let is_choice = above.kind == GoalKind::Or;
        let held = self.satisfy(parent);
        if is_choice {
            let state = &mut self.nodes[parent as usize];
            if state.chosen == NO_NODE {
                state.chosen = node;
            }
        }
        held
    }

    /// The source of an action is reached.
    fn locate(&mut self, Departure { action, first_test, last_test }: Departure) {
        let mut missing = 0;
        for n in first_test..last_test {
            let test = self.task.action_tests[n as usize];
            // Nobody else waits for a test that begins: goals began all of theirs, and actions begin all when they are located.
            let known = self.tests[test as usize];
            let holds = if known.stamp == self.stamp { known.satisfied } else { self.start_test(test) };
            missing += u32::from(!holds);
        }
        self.actions[action as usize] = ActionState { stamp: self.stamp, missing, fired: false };
        if missing == 0 {
            self.ready.push(action);
        }
    }
}
