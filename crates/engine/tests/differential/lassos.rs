//! Runs without end in the explicit graph. Each is a run of the network, so no engine may prove that there is none; that
//! there is one shows the replay of the witness.

use crate::explicit::Explicit;

/// From which nodes a run leads on for ever, or as far as it can, through nodes that are `inside`.
pub fn staying(truth: &Explicit, inside: &[bool]) -> Vec<bool> {
    let nodes = &truth.nodes;
    let ends = |n: usize| nodes[n].idle || nodes[n].stuck;
    // Nodes from which nothing leads on are taken away until all others lead on.
    let mut stays = inside.to_vec();
    let mut changed = true;
    while changed {
        changed = false;
        for n in 0..nodes.len() {
            if stays[n] && !ends(n) && !nodes[n].next.iter().any(|(next, _)| stays[*next]) {
                (stays[n], changed) = (false, true);
            }
        }
    }
    stays
}

/// Whether a cycle on which time passes goes through one of the nodes.
pub fn recurring(truth: &Explicit, wanted: &[bool]) -> bool {
    let all = 0..truth.nodes.len();
    let reached: Vec<Vec<bool>> = all.clone().map(|n| after(truth, n)).collect();
    let timed = |(from, to): (usize, usize)| {
        all.clone().any(|n| wanted[n] && leads(&reached, n, from) && leads(&reached, to, n))
    };
    all.clone().any(|from| truth.nodes[from].next.iter().any(|(to, time)| *time && timed((from, *to))))
}

fn leads(reached: &[Vec<bool>], from: usize, to: usize) -> bool {
    from == to || reached[from][to]
}

/// The nodes that one or more steps lead to.
fn after(truth: &Explicit, from: usize) -> Vec<bool> {
    let mut seen = vec![false; truth.nodes.len()];
    let mut waiting = vec![from];
    while let Some(n) = waiting.pop() {
        for (next, _) in &truth.nodes[n].next {
            if !std::mem::replace(&mut seen[*next], true) {
                waiting.push(*next);
            }
        }
    }
    seen
}
