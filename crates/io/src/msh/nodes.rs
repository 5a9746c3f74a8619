//! Mapping from node numbers of a Gmsh file to vertex indices.

use std::collections::HashMap;

/// An index that finds the vertex of a node by the node number. The numbers may have gaps and may
/// be in any order.
pub(super) struct NodeIndex {
    n_nodes: usize,
    positions: Positions,
}

enum Positions {
    /// The vertex index by node number; `u32::MAX` if there is no such node.
    Table(Vec<u32>),
    /// A map, used if the largest number is much larger than the count of numbers.
    Map(HashMap<u64, u32>),
}

impl NodeIndex {
    /// Creates an index of `numbers`, the numbers of all nodes in file order. There must be fewer
    /// than 2^32 nodes.
    ///
    /// # Errors
    /// Returns a number that two nodes share.
    pub(super) fn new(numbers: &[u64]) -> Result<Self, u64> {
        let n_nodes = numbers.len();
        let largest = numbers.iter().copied().max().unwrap_or(0);
        if largest < 8 * numbers.len() as u64 + 1024 {
            let mut table = vec![u32::MAX; largest as usize + 1];
            for (i, &number) in numbers.iter().enumerate() {
                let slot = &mut table[number as usize];
                if *slot != u32::MAX {
                    return Err(number);
                }
                *slot = i as u32;
            }
            return Ok(NodeIndex { n_nodes, positions: Positions::Table(table) });
        }
        let mut map = HashMap::with_capacity(numbers.len());
        for (i, &number) in numbers.iter().enumerate() {
            if map.insert(number, i as u32).is_some() {
                return Err(number);
            }
        }
        Ok(NodeIndex { n_nodes, positions: Positions::Map(map) })
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.n_nodes
    }

    /// Returns the vertex index of the node with this number, or `None` if there is no such node.
    pub(super) fn get(&self, number: u64) -> Option<u32> {
        match &self.positions {
            Positions::Table(table) => {
                let index = usize::try_from(number).ok().and_then(|n| table.get(n));
                index.copied().filter(|&i| i != u32::MAX)
            }
            Positions::Map(map) => map.get(&number).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_any_order_and_far_apart() {
        for numbers in [vec![3, 1, 7], vec![3, 1 << 60, u64::MAX]] {
            let index = NodeIndex::new(&numbers).unwrap();
            let found: Vec<_> = numbers.iter().map(|&n| index.get(n)).collect();
            assert_eq!(found, [Some(0), Some(1), Some(2)]);
            assert_eq!((index.get(2), index.get(u64::MAX - 1)), (None, None));
        }
        assert_eq!(NodeIndex::new(&[4, 2, 4]).err(), Some(4));
        assert_eq!(NodeIndex::new(&[u64::MAX, 2, 2]).err(), Some(2));
    }
}
