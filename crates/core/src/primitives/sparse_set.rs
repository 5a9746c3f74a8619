//! A set of small integers that allocates its memory only once.

/// A set of integers below a bound, with a list of its members.
#[derive(Clone, Debug, Default)]
pub struct SparseSet {
    listed: Vec<bool>,
    list: Vec<u32>,
}

impl SparseSet {
    /// Creates an empty set of integers below `bound`.
    #[inline]
    pub fn new(bound: usize) -> Self {
        SparseSet { listed: vec![false; bound], list: Vec::with_capacity(bound) }
    }

    /// Removes all numbers.
    #[inline]
    pub fn clear(&mut self) {
        for &k in &self.list {
            self.listed[k as usize] = false;
        }
        self.list.clear();
    }

    /// Adds the numbers that are not yet in the set.
    ///
    /// # Panics
    /// Panics if a number is not below the bound.
    pub fn extend(&mut self, numbers: impl IntoIterator<Item = u32>) {
        for k in numbers {
            if !std::mem::replace(&mut self.listed[k as usize], true) {
                self.list.push(k);
            }
        }
    }

    /// Sorts the numbers in ascending order.
    #[inline]
    pub fn sort(&mut self) {
        self.list.sort_unstable();
    }

    /// Returns the numbers in the order in which they were added, or in ascending order after
    /// sorting.
    #[inline]
    pub fn list(&self) -> &[u32] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_once_and_can_come_again() {
        let mut set = SparseSet::new(5);
        set.extend([3, 1, 3, 0, 1]);
        set.sort();
        assert_eq!(set.list(), [0, 1, 3]);
        set.clear();
        set.extend([3, 4]);
        assert_eq!(set.list(), [3, 4]);
    }
}
