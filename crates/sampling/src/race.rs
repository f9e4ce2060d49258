//! The moments that components have drawn, and which of them comes first.
//!
//! A tournament: each inner node has the lesser one of its two children. Drawing anew costs one
//! path to the root, whatever the number of components.

use semantics::precise::Precise;

#[derive(Debug)]
pub struct Race {
    /// Leaves from `width` on; node `n` has the children `2 * n` and `2 * n + 1`.
    nodes: Vec<Precise>,
    width: usize,
    len: usize,
}

impl Race {
    pub fn new(len: usize) -> Race {
        let width = len.next_power_of_two();
        Race { nodes: vec![Precise::INFINITY; 2 * width], width, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn set(&mut self, component: usize, at: Precise) {
        let mut node = self.width + component;
        self.nodes[node] = at;
        while node > 1 {
            node /= 2;
            let least = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
            if least == self.nodes[node] {
                return;
            }
            self.nodes[node] = least;
        }
    }

    pub fn first(&self) -> Precise {
        self.nodes[1]
    }

    /// All components whose moment is not after `limit`, in order.
    pub fn due(&self, limit: Precise, found: &mut Vec<u32>) {
        found.clear();
        self.due_below(1, limit, found);
    }

    fn due_below(&self, node: usize, limit: Precise, found: &mut Vec<u32>) {
        if self.nodes[node] > limit {
            return;
        }
        if node < self.width {
            self.due_below(2 * node, limit, found);
            self.due_below(2 * node + 1, limit, found);
        } else if self.nodes[node] <= limit {
            found.push((node - self.width) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::random::Random;

    #[test]
    fn the_first_and_those_that_are_due_are_those_of_a_list() {
        let mut random = Random::new(3);
        for len in [1, 2, 3, 7, 8, 100] {
            let mut race = Race::new(len);
            let mut list = vec![f64::INFINITY; len];
            let mut due = Vec::new();
            for _ in 0..500 {
                let (n, at) = (random.index(len), random.below(50) as f64);
                list[n] = at;
                race.set(n, Precise::from(at));
                let first = list.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(race.first().value(), first);
                race.due(Precise::from(20.0), &mut due);
                let expected: Vec<u32> = (0..len as u32).filter(|n| list[*n as usize] <= 20.0).collect();
                assert_eq!(due, expected);
            }
        }
    }
}
