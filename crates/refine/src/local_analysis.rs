//! What can happen from a local state on: the constants that clocks are still compared with, and
//! whether everything is allowed.

use crate::component::{LocalEdge, LocalState, Target};
use zones::Constraint;

/// The largest set of states without invariants in which every output is always possible and every
/// action leads into the set.
pub(crate) fn find_permissive(states: &mut [LocalState], outputs: &[u32]) {
    for state in states.iter_mut() {
        let always =
            |action: &u32| LocalState::edges(&state.outputs, *action).iter().any(|edge| edge.allowed.is_empty());
        state.permissive = state.invariant.is_empty() && state.error.is_none() && outputs.iter().all(always);
    }
    let mut coming: Vec<Vec<u32>> = vec![Vec::new(); states.len()];
    for (at, state) in (0..).zip(states.iter_mut()) {
        for edge in state.outputs.iter().chain(&state.inputs) {
            match edge.target {
                Target::State(target) => coming[target as usize].push(at),
                Target::Error(_) => state.permissive = false,
            }
        }
    }
    let mut lost: Vec<u32> = (0..states.len() as u32).filter(|at| !states[*at as usize].permissive).collect();
    while let Some(target) = lost.pop() {
        for at in &coming[target as usize] {
            if std::mem::replace(&mut states[*at as usize].permissive, false) {
                lost.push(*at);
            }
        }
    }
}

/// Whether zones over the active clocks know enough: every clock that is compared is active there,
/// and every one that is active after an edge is so before it or gets a value.
pub(crate) fn knows_its_clocks(states: &[LocalState], is_active: &dyn Fn(usize, u32) -> bool) -> bool {
    states.iter().enumerate().all(|(at, state)| {
        let known = |one: &Constraint| [one.left, one.right].iter().all(|clock| *clock == 0 || is_active(at, *clock));
        let kept = |edge: &LocalEdge| match edge.target {
            Target::State(target) => (1..=state.maximal.len() as u32).all(|clock| {
                !is_active(target as usize, clock)
                    || is_active(at, clock)
                    || edge.resets.iter().any(|(reset, _)| *reset == clock)
            }),
            Target::Error(_) => true,
        };
        let mut edges = state.outputs.iter().chain(&state.inputs);
        state.invariant.iter().all(known) && edges.all(|edge| edge.allowed.iter().all(known) && kept(edge))
    })
}

/// The largest constants, backwards along the edges that do not reset.
pub(crate) fn find_maximal(states: &mut [LocalState]) {
    let mut coming: Vec<Vec<(u32, u32, bool)>> = vec![Vec::new(); states.len()];
    for (at, state) in states.iter_mut().enumerate() {
        let mut maximal = std::mem::take(&mut state.maximal);
        let guards = state.outputs.iter().chain(&state.inputs).flat_map(|edge| &edge.allowed);
        for constraint in state.invariant.iter().chain(guards) {
            let clock = constraint.left.max(constraint.right);
            if clock > 0 {
                let own = &mut maximal[clock as usize - 1];
                *own = (*own).max(constraint.bound.constant().abs());
            }
        }
        state.maximal = maximal;
        for (list, output) in [(&state.outputs, true), (&state.inputs, false)] {
            for (n, edge) in list.iter().enumerate() {
                if let Target::State(target) = edge.target
                    && target as usize != at
                {
                    coming[target as usize].push((at as u32, n as u32, output));
                }
            }
        }
    }
    let mut work: Vec<u32> = (0..states.len() as u32).collect();
    while let Some(target) = work.pop() {
        let below = states[target as usize].maximal.clone();
        for &(at, n, output) in &coming[target as usize] {
            let state = &mut states[at as usize];
            let edge = if output { &state.outputs[n as usize] } else { &state.inputs[n as usize] };
            let mut changed = false;
            for (clock, constant) in (1..).zip(&below) {
                let own = &mut state.maximal[clock as usize - 1];
                if *constant > *own && !edge.resets.iter().any(|(reset, _)| *reset == clock) {
                    *own = *constant;
                    changed = true;
                }
            }
            if changed {
                work.push(at);
            }
        }
    }
}
