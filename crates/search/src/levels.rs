//! Topological levels of a graph: how far into the control flow a node lies (Herbreteau & Tran
//! 2015; docs/algorithms.md §2.2). A depth-first search from the initial node finds the back edges;
//! without them the graph has no cycles, and the level of a node is the length of the longest path
//! to it.

/// The level of every node, given the targets of its edges; 0 for those that are not reached.
pub fn levels(targets: &[Vec<usize>], initial: usize) -> Vec<u32> {
    let count = targets.len();
    // Nodes in the order in which the search leaves them, and which it is in.
    let (mut left, mut position) = (Vec::with_capacity(count), vec![usize::MAX; count]);
    let mut seen = vec![false; count];
    let mut stack = vec![(initial, 0)];
    seen[initial] = true;
    while let Some((node, next)) = stack.last_mut() {
        if let Some(&target) = targets[*node].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[target], true) {
                stack.push((target, 0));
            }
        } else {
            position[*node] = left.len();
            left.push(*node);
            stack.pop();
        }
    }
    let mut levels = vec![0; count];
    for &node in left.iter().rev() {
        // An edge to a node that is left later is a back edge.
        for &target in targets[node].iter().filter(|target| position[**target] < position[node]) {
            levels[target] = levels[target].max(levels[node] + 1);
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_the_length_of_the_longest_path_to_it() {
        // 0 -> 1 -> 2 -> 3, 0 -> 3, and 2 -> 0 leads back; 4 is not reached.
        let targets = [vec![1, 3], vec![2], vec![0, 3], vec![], vec![0]];
        assert_eq!(levels(&targets, 0), [0, 1, 2, 3, 0]);
    }
}
