//! A transition of a run: who acts, who hears it, what changes.

use super::builtins::uniform;
use super::failure::Result;
use super::machine::Change;
use super::run::Runner;
use model::network::{ExpandedEdge, LocationKind};
use semantics::precise::NEAR;

/// What one process does in a transition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    process: u32,
    edge: ExpandedEdge,
    branch: u32,
}

impl Runner<'_> {
    /// One of those that are due acts, or somebody else when time cannot pass; `false` when nobody
    /// can.
    pub(super) fn act_first(&mut self) -> Result<bool> {
        let mut due = std::mem::take(&mut self.candidates);
        self.at.due(self.now + NEAR, &mut due);
        let chosen = self.machine.random.index(due.len());
        let winner = due.get(chosen).map_or(0, |winner| *winner);
        self.candidates = due;
        if self.act(winner as usize)? {
            return Ok(true);
        }
        self.mark(winner);
        if self.deadline.iter().all(|deadline| *deadline > self.now + NEAR) {
            return Ok(true);
        }
        self.act_one_of(|_, _| true)
    }

    pub(super) fn act_committed(&mut self) -> Result<bool> {
        let mut components = std::mem::take(&mut self.candidates);
        components.clone_from(&self.committed);
        self.candidates = components;
        if self.act_one_candidate()? {
            return Ok(true);
        }
        // A committed process may also take part as a receiver.
        self.act_one_of(|committed, component| !committed.contains(&component))
    }

    /// One of the components that are admitted acts; `admitted` is told who is committed.
    fn act_one_of(&mut self, admitted: impl Fn(&[u32], u32) -> bool) -> Result<bool> {
        let mut components = std::mem::take(&mut self.candidates);
        components.clear();
        components.extend((0..self.at.len() as u32).filter(|component| admitted(&self.committed, *component)));
        self.candidates = components;
        self.act_one_candidate()
    }

    /// One of the candidates acts, those that can equally likely; `false` when none can.
    fn act_one_candidate(&mut self) -> Result<bool> {
        let mut components = std::mem::take(&mut self.candidates);
        let mut acted = false;
        while !components.is_empty() && !acted {
            let chosen = components.swap_remove(self.machine.random.index(components.len()));
            acted = self.act(chosen as usize)?;
        }
        self.candidates = components;
        Ok(acted)
    }

    /// A component takes one of its enabled outputs, each equally likely; `false` when it has none.
    fn act(&mut self, process: usize) -> Result<bool> {
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        let system = self.system;
        let local = system.local(process, self.machine.state.locations[process]);
        for edge in &local.outputs {
            if self.holds(process, *edge)? {
                enabled.push(*edge);
            }
        }
        let mut acted = false;
        while !enabled.is_empty() && !acted {
            let edge = enabled.swap_remove(self.machine.random.index(enabled.len()));
            acted = self.fire(process, edge)?;
        }
        self.enabled = enabled;
        Ok(acted)
    }

    fn holds(&mut self, process: usize, edge: ExpandedEdge) -> Result<bool> {
        let system = self.system;
        match &system.action(process, edge).guard {
            None => Ok(true),
            Some(guard) => {
                self.machine.enter(process, system.select(process, edge));
                self.machine.holds(&system.programs, guard)
            }
        }
    }

    /// Takes a transition; `false`, and nothing has changed, when the state it leads to violates an
    /// invariant or when somebody else is committed.
    fn fire(&mut self, process: usize, edge: ExpandedEdge) -> Result<bool> {
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        let fired = self.fire_with(process, edge, &mut moves);
        self.moves = moves;
        fired
    }

    fn fire_with(&mut self, process: usize, edge: ExpandedEdge, moves: &mut Vec<Move>) -> Result<bool> {
        moves.push(Move { process: process as u32, edge, branch: 0 });
        self.listen(process, edge, moves)?;
        let leaves_committed = |one: &Move| self.committed.contains(&one.process);
        if !self.committed.is_empty() && !moves.iter().any(leaves_committed) {
            return Ok(false);
        }
        for one in moves.iter_mut() {
            one.branch = self.branch(one.process as usize, one.edge)?;
        }
        self.machine.log.clear();
        self.change(moves)?;
        if !self.settle(moves)? {
            self.machine.undo(0);
            return Ok(false);
        }
        self.steps += 1;
        self.committed.retain(|process| !moves.iter().any(|one| one.process == *process));
        for one in moves.iter() {
            self.mark(one.process);
            if self.kind(one.process as usize) == LocationKind::Committed {
                self.committed.push(one.process);
            }
        }
        let checked = self.waiting.len();
        self.set_rates(self.checked)?;
        self.checked = checked;
        Ok(true)
    }

    /// Adds what every other process that can receive does.
    fn listen(&mut self, process: usize, edge: ExpandedEdge, moves: &mut Vec<Move>) -> Result<()> {
        let system = self.system;
        let action = system.action(process, edge);
        let Some(code) = action.channel.filter(|_| action.sends) else { return Ok(()) };
        self.machine.enter(process, system.select(process, edge));
        let channel = self.machine.channel(&system.programs, code)?;
        let Some(listeners) = system.listeners.get(channel.index()) else { return Ok(()) };
        let mut heard = std::mem::take(&mut self.heard);
        for listener in listeners.iter().filter(|listener| **listener as usize != process) {
            let listener = *listener as usize;
            let local = system.local(listener, self.machine.state.locations[listener]);
            heard.clear();
            for input in &local.inputs {
                let Some(code) = system.action(listener, *input).channel else { continue };
                // A guard that does not hold protects the index of its channel.
                if !self.holds(listener, *input)? {
                    continue;
                }
                self.machine.enter(listener, system.select(listener, *input));
                if self.machine.channel(&system.programs, code)? == channel {
                    heard.push(*input);
                }
            }
            if !heard.is_empty() {
                let edge = heard[self.machine.random.index(heard.len())];
                moves.push(Move { process: listener as u32, edge, branch: 0 });
            }
        }
        self.heard = heard;
        Ok(())
    }

    /// Draws a branch by weight.
    fn branch(&mut self, process: usize, edge: ExpandedEdge) -> Result<u32> {
        let system = self.system;
        let action = system.action(process, edge);
        if action.branches.len() <= 1 {
            return Ok(0);
        }
        let mut weights = std::mem::take(&mut self.weights);
        weights.clear();
        let mut total = 0.0;
        let branches = &system.network.template(system.network.processes[process].template).edge(edge.edge).branches;
        for (choice, branch) in action.branches.iter().zip(branches) {
            let weight = match choice.weight {
                None => 1.0,
                Some((weight, span)) => {
                    self.machine.enter(process, &branch.select);
                    let value = self.machine.amount(&system.programs, weight)?;
                    if !(value >= 0.0 && value.is_finite()) {
                        return self.machine.failed(span, format!("{value} is no weight of a branch"));
                    }
                    value
                }
            };
            total += weight;
            weights.push(weight);
        }
        if total <= 0.0 {
            return self.machine.failed(action.span, "no branch has a positive weight");
        }
        let mut drawn = uniform(&mut self.machine.random) * total;
        let mut chosen = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
        for (n, weight) in weights.iter().enumerate() {
            if drawn < *weight {
                chosen = n;
                break;
            }
            drawn -= weight;
        }
        self.weights = weights;
        Ok(chosen as u32)
    }

    /// Runs the updates: the sender's, then those of the receivers in the order of the processes.
    fn change(&mut self, moves: &[Move]) -> Result<()> {
        let system = self.system;
        let (network, programs) = (system.network, &system.programs);
        if let Some(update) = system.before {
            self.machine.enter(0, &[]);
            self.machine.update(programs, update)?;
        }
        for one in moves {
            let process = one.process as usize;
            let action = system.action(process, one.edge);
            if let Some(update) = action.update {
                self.machine.enter(process, system.select(process, one.edge));
                self.machine.update(programs, update)?;
            }
            let edge = network.template(network.processes[process].template).edge(one.edge.edge);
            let branch = &edge.branches[one.branch as usize];
            if let Some(update) = action.branches[one.branch as usize].update {
                self.machine.enter(process, &branch.select);
                self.machine.update(programs, update)?;
            }
            let old = std::mem::replace(&mut self.machine.state.locations[process], branch.target);
            self.machine.log.push(Change::Location(one.process, old));
        }
        if let Some(update) = system.after {
            self.machine.enter(0, &[]);
            self.machine.update(programs, update)?;
        }
        for cell in &system.meta {
            let value = network.ints[*cell as usize].initial;
            let old = std::mem::replace(&mut self.machine.state.ints[*cell as usize], value);
            if old != value {
                self.machine.log.push(Change::Int(*cell, old));
            }
        }
        Ok(())
    }

    /// Marks what depends on the changes; whether the invariants hold. Those that wait to draw
    /// since an earlier transition have been checked then, unless this one has changed what they
    /// depend on.
    fn settle(&mut self, moves: &[Move]) -> Result<bool> {
        let system = self.system;
        self.touched.clear();
        let log = std::mem::take(&mut self.machine.log);
        for change in &log {
            match change {
                Change::Int(cell, _) => system.watch.of_int(*cell, &mut |process| self.touch(process)),
                Change::Clock(cell, _) => {
                    system.watch.of_clock(*cell).iter().for_each(|process| self.touch(*process));
                }
                Change::Double(..) => system.watch.doubles.iter().for_each(|process| self.touch(*process)),
                Change::Location(..) => {}
            }
        }
        system.watch.everything.iter().for_each(|process| self.touch(*process));
        moves.iter().for_each(|one| self.touch(one.process));
        self.machine.log = log;
        for n in self.checked..self.waiting.len() {
            if !self.is_allowed(self.waiting[n] as usize)? {
                return Ok(false);
            }
        }
        for n in 0..self.touched.len() {
            if !self.is_allowed(self.touched[n] as usize)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn touch(&mut self, process: u32) {
        if self.dirty[process as usize] {
            self.touched.push(process);
        } else {
            self.mark(process);
        }
    }

    /// Whether the invariant of a component holds.
    fn is_allowed(&mut self, process: usize) -> Result<bool> {
        let system = self.system;
        match &system.local(process, self.machine.state.locations[process]).invariant {
            None => Ok(true),
            Some(invariant) => {
                self.machine.enter(process, &[]);
                self.machine.holds(&system.programs, invariant)
            }
        }
    }
}
