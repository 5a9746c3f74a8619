//! Disjoint sets of numbers (union-find), each identified by its smallest member.

/// A partition of the numbers `0..n` into disjoint sets.
///
/// The root of a set is its smallest member, so the result does not depend on the order in which
/// sets are joined.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// Creates `n` sets of one number each.
    pub fn new(n: usize) -> Self {
        UnionFind { parent: (0..n as u32).collect() }
    }

    /// Returns the smallest member of the set of `v`, and halves the path to it.
    pub fn root(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            let above = self.parent[self.parent[v as usize] as usize];
            self.parent[v as usize] = above;
            v = above;
        }
        v
    }

    /// Joins the sets of `a` and `b`. Returns true if they were different sets.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// Returns the root of each number.
    pub fn into_roots(mut self) -> Vec<u32> {
        // Each parent is smaller than its child and already has its final root.
        for v in 0..self.parent.len() {
            self.parent[v] = self.parent[self.parent[v] as usize];
        }
        self.parent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_smallest_members() {
        let mut sets = UnionFind::new(6);
        assert!(sets.join(5, 3) && sets.join(4, 5) && sets.join(1, 2));
        assert!(!sets.join(3, 4));
        assert_eq!(sets.root(5), 3);
        assert_eq!(sets.into_roots(), [0, 1, 1, 3, 3, 3]);
    }
}
