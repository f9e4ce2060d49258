//! A transition of a run: who acts, who hears it, what changes.

use super::builtins::uniform;
use super::failure::Result;
use super::interval::NEAR;
use super::place::Change;
use super::precise::Precise;
use super::run::Runner;
use model::network::{ExpandedEdge, ExprId, LocationKind, Place};
use model::syntax::ast::Direction;

/// What one process does in a transition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    process: u32,
    edge: ExpandedEdge,
    branch: u32,
}

impl Runner<'_> {
    /// One of those that are due acts, or somebody else when time cannot pass; `false` when nobody can.
    pub(super) fn act_first(&mut self) -> Result<bool> {
        let due = |at: &Precise| *at <= self.now + NEAR;
        let count = self.at.iter().filter(|at| due(at)).count();
        let chosen = self.machine.random.index(count);
        let winner = self.at.iter().enumerate().filter(|(_, at)| due(at)).nth(chosen).map_or(0, |(n, _)| n);
        if self.act(winner)? {
            return Ok(true);
        }
        self.mark(winner as u32);
        if self.deadline.iter().all(|deadline| *deadline > self.now + NEAR) {
            return Ok(true);
        }
        let all: Vec<u32> = (0..self.at.len() as u32).collect();
        self.act_one_of(all)
    }

    pub(super) fn act_committed(&mut self) -> Result<bool> {
        if self.act_one_of(self.committed.clone())? {
            return Ok(true);
        }
        // A committed process may also take part as a receiver.
        let all: Vec<u32> = (0..self.at.len() as u32).filter(|n| !self.committed.contains(n)).collect();
        self.act_one_of(all)
    }

    /// One of these components acts, those that can equally likely; `false` when none can.
    fn act_one_of(&mut self, mut components: Vec<u32>) -> Result<bool> {
        while !components.is_empty() {
            let chosen = components.swap_remove(self.machine.random.index(components.len()));
            if self.act(chosen as usize)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A component takes one of its enabled outputs, each equally likely; `false` when it has none.
    fn act(&mut self, process: usize) -> Result<bool> {
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        let local = self.system.local(process, self.machine.state.locations[process]);
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
        let template = self.system.network.template(self.system.network.processes[process].template);
        match template.edge(edge.edge).guard {
            None => Ok(true),
            Some(guard) => {
                self.machine.enter(process, template.select_values(edge));
                self.machine.truth(guard)
            }
        }
    }

    /// Takes a transition; `false`, and nothing has changed, when the state it leads to violates an invariant or when
    /// somebody else is committed.
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
        self.set_rates()?;
        Ok(true)
    }

    /// Adds what every other process that can receive does.
    fn listen(&mut self, process: usize, edge: ExpandedEdge, moves: &mut Vec<Move>) -> Result<()> {
        let network = self.system.network;
        let template = network.template(network.processes[process].template);
        let Some(sync) = template.edge(edge.edge).sync.as_ref().filter(|sync| sync.direction == Direction::Send) else {
            return Ok(());
        };
        self.machine.enter(process, template.select_values(edge));
        let channel = self.channel(&sync.channel)?;
        let Some(listeners) = self.system.listeners.get(channel) else { return Ok(()) };
        let mut heard = std::mem::take(&mut self.heard);
        for listener in listeners.iter().filter(|listener| **listener as usize != process) {
            let listener = *listener as usize;
            let template = network.template(network.processes[listener].template);
            let local = self.system.local(listener, self.machine.state.locations[listener]);
            heard.clear();
            for input in &local.inputs {
                let Some(sync) = &template.edge(input.edge).sync else { continue };
                self.machine.enter(listener, template.select_values(*input));
                // A guard that does not hold protects the index of its channel.
                if self.holds(listener, *input)? && self.channel(&sync.channel)? == channel {
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

    fn channel(&mut self, place: &Place) -> Result<usize> {
        let id = place.indices.first().map_or(ExprId::new(0), |index| index.value);
        self.machine.channel_index(place, id)
    }

    /// Draws a branch by weight.
    fn branch(&mut self, process: usize, edge: ExpandedEdge) -> Result<u32> {
        let network = self.system.network;
        let template = network.template(network.processes[process].template);
        let branches = &template.edge(edge.edge).branches;
        if branches.len() <= 1 {
            return Ok(0);
        }
        let mut weights = Vec::with_capacity(branches.len());
        let mut total = 0.0;
        for branch in branches {
            let weight = match branch.weight {
                None => 1.0,
                Some(weight) => {
                    self.machine.enter(process, &branch.select);
                    let value = self.machine.double(weight)?;
                    if !(value >= 0.0 && value.is_finite()) {
                        return self.machine.failed(weight, format!("{value} is no weight of a branch"));
                    }
                    value
                }
            };
            total += weight;
            weights.push(weight);
        }
        if total <= 0.0 {
            return self.machine.failed_at(template.edge(edge.edge).span, "no branch has a positive weight");
        }
        let mut drawn = uniform(&mut self.machine.random) * total;
        let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
        for (n, weight) in weights.iter().enumerate() {
            if drawn < *weight {
                return Ok(n as u32);
            }
            drawn -= weight;
        }
        Ok(last as u32)
    }

    /// Runs the updates: the sender's, then those of the receivers in the order of the processes.
    fn change(&mut self, moves: &[Move]) -> Result<()> {
        let network = self.system.network;
        self.machine.enter(0, &[]);
        for update in &network.before_update {
            self.machine.run(*update)?;
        }
        for one in moves {
            let process = one.process as usize;
            let template = network.template(network.processes[process].template);
            let edge = template.edge(one.edge.edge);
            self.machine.enter(process, template.select_values(one.edge));
            for update in &edge.update {
                self.machine.run(*update)?;
            }
            let branch = &edge.branches[one.branch as usize];
            self.machine.enter(process, &branch.select);
            for update in &branch.update {
                self.machine.run(*update)?;
            }
            let old = std::mem::replace(&mut self.machine.state.locations[process], branch.target.index() as u32);
            self.machine.log.push(Change::Location(one.process, old));
        }
        self.machine.enter(0, &[]);
        for update in &network.after_update {
            self.machine.run(*update)?;
        }
        for cell in &self.system.meta {
            let value = network.ints[*cell as usize].initial;
            let old = std::mem::replace(&mut self.machine.state.ints[*cell as usize], value);
            if old != value {
                self.machine.log.push(Change::Int(*cell, old));
            }
        }
        Ok(())
    }

    /// Marks what depends on the changes; whether the invariants hold.
    fn settle(&mut self, moves: &[Move]) -> Result<bool> {
        let system = self.system;
        let log = std::mem::take(&mut self.machine.log);
        for change in &log {
            match change {
                Change::Int(cell, _) => system.watch.of_int(*cell, &mut |process| self.mark(process)),
                Change::Clock(cell, _) => {
                    system.watch.of_clock(*cell).iter().for_each(|process| self.mark(*process));
                }
                Change::Double(..) => system.watch.doubles.iter().for_each(|process| self.mark(*process)),
                Change::Location(..) => {}
            }
        }
        system.watch.everything.iter().for_each(|process| self.mark(*process));
        moves.iter().for_each(|one| self.mark(one.process));
        self.machine.log = log;
        for n in 0..self.waiting.len() {
            let process = self.waiting[n] as usize;
            let local = system.local(process, self.machine.state.locations[process]);
            if let Some(invariant) = local.invariant {
                self.machine.enter(process, &[]);
                if !self.machine.truth(invariant)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
