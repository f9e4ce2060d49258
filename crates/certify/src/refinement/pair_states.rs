//! Discrete pairs: what the two sides may do there, as conditions on clocks.
//!
//! The rules are those of [`counter_example`](super::counter_example), for all clock values at once. That a component ignores an
//! input where no edge is possible, and half of the rules of quotients, are negations of conditions.

use super::local::{Behaviour, ClockChanges, Leaf, at_zero, clock_count, may_be_urgent};
use super::relation::{Local, Mode, PairClock};
use super::systems::{Action, Kind, System, Systems};
use crate::error::EvalError;
use crate::formula::Formula;
use crate::semantics::Semantics;
use model::network::{ClockId, Network};
use std::collections::HashMap;
use std::rc::Rc;

type Result<T> = std::result::Result<T, EvalError>;

/// A local state for each occurrence of a component, a mode for each quotient.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct PairState {
    pub locals: Vec<Local>,
    pub modes: Vec<Mode>,
}

/// What a system can do: where `when` holds, the changes happen.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub when: Formula,
    pub locals: Vec<(usize, Local)>,
    pub modes: Vec<(usize, Mode)>,
    pub clocks: ClockChanges,
    /// An evaluation fails.
    pub error: Option<EvalError>,
}

impl Step {
    /// Nothing changes.
    fn stay(when: Formula) -> Step {
        Step { when, locals: Vec::new(), modes: Vec::new(), clocks: Vec::new(), error: None }
    }

    fn only(mut self, when: &Formula) -> Step {
        self.when = Formula::all([when.clone(), self.when]);
        self
    }

    pub fn with(&self, other: &Step) -> Step {
        let mut both = self.clone();
        both.when = Formula::all([both.when, other.when.clone()]);
        both.locals.extend_from_slice(&other.locals);
        both.modes.extend_from_slice(&other.modes);
        both.clocks.extend_from_slice(&other.clocks);
        both.error = both.error.or_else(|| other.error.clone());
        both
    }

    pub fn target(&self, state: &PairState) -> PairState {
        let mut target = state.clone();
        self.locals.iter().for_each(|(leaf, local)| target.locals[*leaf] = local.clone());
        self.modes.iter().for_each(|(number, mode)| target.modes[*number] = *mode);
        target
    }
}

/// Where one of the steps is possible.
pub(super) fn some(steps: &[Step]) -> Formula {
    Formula::any(steps.iter().map(|step| step.when.clone()))
}

pub(super) struct PairStates<'n> {
    pub semantics: Semantics<'n>,
    pub leaves: Vec<Leaf>,
    pub quotients: usize,
    new_input: Action,
    /// The clocks of all components, those of urgency among them, then one for each quotient.
    pub clocks: Vec<PairClock>,
    known: HashMap<(usize, Local), Rc<Behaviour>>,
}

impl<'n> PairStates<'n> {
    pub fn new(network: &'n Network, systems: &Systems<'n>) -> PairStates<'n> {
        let mut clocks = Vec::new();
        let mut leaves = Vec::new();
        for (n, process) in systems.leaves.iter().enumerate() {
            let first_clock = clocks.len();
            let own = clock_count(network, *process);
            clocks.extend((0..own).map(|clock| PairClock::Component { leaf: n, clock }));
            let urgency = may_be_urgent(network, *process).then_some(first_clock + own);
            clocks.extend(urgency.map(|_| PairClock::Urgency(n)));
            leaves.push(Leaf { process: *process, first_clock, urgency });
        }
        clocks.extend((0..systems.quotients).map(PairClock::Quotient));
        let semantics = Semantics::new(network);
        let Systems { quotients, new_input, .. } = *systems;
        PairStates { semantics, leaves, quotients, new_input, clocks, known: HashMap::new() }
    }

    pub fn start(&self) -> Result<PairState> {
        let locals = self.leaves.iter().map(|leaf| leaf.start(&self.semantics)).collect::<Result<_>>()?;
        Ok(PairState { locals, modes: vec![Mode::Pair; self.quotients] })
    }

    fn behaviour(&mut self, leaf: usize, state: &PairState) -> Result<Rc<Behaviour>> {
        let key = (leaf, state.locals[leaf].clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let behaviour = Rc::new(self.leaves[leaf].behaviour(&self.semantics, &key.1)?);
        self.known.insert(key, behaviour.clone());
        Ok(behaviour)
    }

    fn quotient_clock(&self, number: usize) -> usize {
        self.clocks.len() - self.quotients + number
    }

    pub fn invariant(&mut self, system: &System, state: &PairState) -> Result<Formula> {
        Ok(match &system.kind {
            Kind::Leaf(leaf) => self.behaviour(*leaf, state)?.invariant.clone(),
            Kind::Together(parts, _) => {
                let parts: Result<Vec<Formula>> = parts.iter().map(|part| self.invariant(part, state)).collect();
                Formula::all(parts?)
            }
            Kind::Quotient { number, .. } if state.modes[*number] == Mode::Inconsistent => {
                at_zero(self.quotient_clock(*number))
            }
            Kind::Quotient { .. } => Formula::True,
        })
    }

    /// The steps of an action that the system knows.
    pub fn steps(&mut self, system: &System, state: &PairState, action: Action) -> Result<Vec<Step>> {
        match &system.kind {
            Kind::Leaf(leaf) => self.component(*leaf, system, state, action),
            Kind::Together(parts, who) => {
                let Some(who) = who.get(&action) else { return Ok(Vec::new()) };
                let mut joint = vec![Step::stay(Formula::True)];
                for part in who {
                    let steps = self.steps(&parts[*part], state, action)?;
                    joint = joint.iter().flat_map(|one| steps.iter().map(move |other| one.with(other))).collect();
                }
                Ok(joint)
            }
            Kind::Quotient { whole, part, number } => self.quotient(system, whole, part, *number, state, action),
        }
    }

    fn component(&mut self, leaf: usize, system: &System, state: &PairState, action: Action) -> Result<Vec<Step>> {
        let Action::Channel(channel) = action else { return Ok(Vec::new()) };
        let output = system.outputs.contains(&action);
        let behaviour = self.behaviour(leaf, state)?;
        let mut steps = Vec::new();
        for edge in behaviour.edges.iter().filter(|edge| edge.channel == channel && edge.output == output) {
            let mut step = Step::stay(edge.when.clone());
            match &edge.effect {
                Ok((target, clocks)) => {
                    step.locals.push((leaf, target.clone()));
                    step.clocks.clone_from(clocks);
                }
                Err(error) => step.error = Some(error.clone()),
            }
            steps.push(step);
        }
        if !output {
            let ignored = Formula::all([behaviour.invariant.clone(), some(&steps).negate()]);
            steps.push(Step::stay(ignored));
        }
        Ok(steps)
    }

    fn quotient(
        &mut self,
        system: &System,
        whole: &System,
        part: &System,
        number: usize,
        state: &PairState,
        action: Action,
    ) -> Result<Vec<Step>> {
        match state.modes[number] {
            Mode::Pair => {}
            Mode::Universal => return Ok(vec![Step::stay(Formula::True)]),
            Mode::Inconsistent if system.inputs.contains(&action) => {
                return Ok(vec![Step::stay(at_zero(self.quotient_clock(number)))]);
            }
            Mode::Inconsistent => return Ok(Vec::new()),
        }
        let clock = ClockId::new(self.quotient_clock(number));
        let falls = |when: Formula| Step {
            modes: vec![(number, Mode::Inconsistent)],
            clocks: vec![(clock, (None, 0))],
            ..Step::stay(when)
        };
        let frees = |when: Formula| Step { modes: vec![(number, Mode::Universal)], ..Step::stay(when) };
        let inside_part = self.invariant(part, state)?;
        if action == self.new_input {
            let inside_whole = self.invariant(whole, state)?;
            let broken = Formula::all([inside_part.clone(), inside_whole.clone().negate()]);
            let mut steps = vec![Step::stay(Formula::all([inside_part.clone(), inside_whole]))];
            for operand in [whole, part].into_iter().filter(|operand| operand.knows(action)) {
                let own = self.steps(operand, state, action)?;
                steps = steps.iter().flat_map(|one| own.iter().map(move |other| one.with(other))).collect();
            }
            steps.extend([falls(broken), Step::stay(inside_part.negate())]);
            return Ok(steps);
        }
        let of_part = if part.knows(action) { Some(self.steps(part, state, action)?) } else { None };
        let of_whole = if whole.knows(action) { Some(self.steps(whole, state, action)?) } else { None };
        let mut steps = Vec::new();
        if let (Some(of_whole), true) = (&of_whole, whole.inputs.contains(&action)) {
            // An input that comes when the dividend has left its invariant.
            steps.push(falls(some(of_whole).negate()));
        }
        match (&of_part, &of_whole) {
            (Some(of_part), Some(of_whole)) => {
                steps.extend(of_part.iter().flat_map(|one| of_whole.iter().map(move |other| one.with(other))));
                if part.outputs.contains(&action) && whole.outputs.contains(&action) {
                    steps.push(falls(Formula::all([some(of_part), some(of_whole).negate()])));
                }
            }
            (Some(alone), None) | (None, Some(alone)) => steps.extend(alone.iter().cloned()),
            (None, None) => {}
        }
        if let (Some(of_part), true) = (&of_part, part.outputs.contains(&action)) {
            steps.push(frees(some(of_part).negate()));
        }
        let mut steps: Vec<Step> = steps.into_iter().map(|step| step.only(&inside_part)).collect();
        steps.push(frees(inside_part.negate()));
        Ok(steps)
    }
}
