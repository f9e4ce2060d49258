//! The least of many moments, one per process, that change one at a time: a tournament. A change costs the logarithm of
//! their number, the least is at the top.

#[derive(Clone, Debug)]
pub struct Deadlines {
    /// The winner of every match; the moments themselves are the second half.
    tree: Vec<i64>,
}

impl Deadlines {
    pub fn new(count: usize, moment: i64) -> Deadlines {
        Deadlines { tree: vec![moment; 2 * count.next_power_of_two().max(1)] }
    }

    #[inline]
    pub fn least(&self) -> i64 {
        self.tree[1]
    }

    #[inline]
    pub fn get(&self, n: usize) -> i64 {
        self.tree[self.tree.len() / 2 + n]
    }

    #[inline]
    pub fn set(&mut self, n: usize, moment: i64) {
        let mut at = self.tree.len() / 2 + n;
        if self.tree[at] == moment {
            return;
        }
        self.tree[at] = moment;
        while at > 1 {
            let least = self.tree[at].min(self.tree[at ^ 1]);
            at /= 2;
            if self.tree[at] == least {
                return;
            }
            self.tree[at] = least;
        }
    }

    pub fn copy_from(&mut self, other: &Deadlines) {
        self.tree.copy_from_slice(&other.tree);
    }
}

#[cfg(test)]
mod tests {
    use super::Deadlines;

    #[test]
    fn the_least_of_all_is_at_the_top() {
        for count in [1, 2, 3, 7, 8, 100] {
            let mut deadlines = Deadlines::new(count, 1000);
            let mut plain = vec![1000; count];
            let mut random = search::random::Random::new(count as u64);
            for _ in 0..1000 {
                let (n, moment) = (random.index(count), random.below(500) as i64);
                deadlines.set(n, moment);
                plain[n] = moment;
                assert_eq!(Some(deadlines.least()), plain.iter().min().copied());
                assert_eq!(deadlines.get(n), moment);
            }
        }
    }
}
