//! A bounding-volume tree over the pieces of a surface or curve (cells, triangles or segments), for
//! nearest-piece queries.
//!
//! The pieces are split in half along the longest side of the bounding box of their centers until
//! at most four are left. Nodes are in preorder: the first child follows its parent. The tree
//! depends only on the pieces, not on the number of threads.

use super::signed_distance::NodeArgument;
use crate::geometry::Vec3;
use crate::parallel;

/// The largest number of pieces in a leaf.
const LEAF: usize = 4;
/// Number of pieces above which both halves are built as parallel tasks.
const PARALLEL: usize = 4096;
/// Size of the traversal stack. The stack needs one entry per level, and 2^32 pieces make 31
/// levels.
const STACK: usize = 64;

/// A node of the tree: a box and the range of pieces in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    low: Vec3,
    high: Vec3,
    /// The range `begin..end` of its pieces, in tree order.
    pub begin: u32,
    pub end: u32,
    /// Index of the second child, or 0 for a leaf.
    pub second: u32,
}

impl Node {
    const EMPTY: Node = Node {
        low: Vec3::new(0., 0., 0.),
        high: Vec3::new(0., 0., 0.),
        begin: 0,
        end: 0,
        second: 0,
    };

    pub fn is_leaf(&self) -> bool {
        self.second == 0
    }

    /// Returns the positions of the pieces of this node in tree order.
    pub fn pieces(&self) -> std::ops::Range<usize> {
        self.begin as usize..self.end as usize
    }

    /// Returns the squared distance from `p` to the box.
    pub fn distance2(&self, p: Vec3) -> f64 {
        (self.low - p).sup(&(p - self.high)).sup(&Vec3::zeros()).norm_squared()
    }

    /// Returns the distance from `p` to the farthest point of the box.
    pub fn farthest(&self, p: Vec3) -> f64 {
        (p - self.low).abs().sup(&(self.high - p).abs()).norm()
    }

    /// Returns whether the box contains another box.
    pub fn contains(&self, low: Vec3, high: Vec3) -> bool {
        self.low.inf(&low) == self.low && self.high.sup(&high) == self.high
    }

    /// Returns whether the box meets another box.
    pub fn meets(&self, low: Vec3, high: Vec3) -> bool {
        (0..3).all(|k| self.low[k] <= high[k] && low[k] <= self.high[k])
    }

    /// Returns whether a ray from `p` meets the box. `inverse` has the inverse components of its
    /// direction, none of which is zero.
    pub fn is_hit(&self, p: Vec3, inverse: Vec3) -> bool {
        let [a, b] = [self.low, self.high].map(|x| (x - p).component_mul(&inverse));
        a.inf(&b).max().max(0.0) <= a.sup(&b).min()
    }

    /// Returns the node for kernels.
    pub fn argument(&self) -> NodeArgument {
        let Node { low, high, begin, end, second } = *self;
        NodeArgument { low: low.into(), high: high.into(), begin, end, second, padding: 0 }
    }

    /// Returns the length of the diagonal of the box.
    pub fn diagonal(&self) -> f64 {
        (self.high - self.low).norm()
    }

    /// Returns the smallest and largest coordinate along axis `k`.
    pub fn span(&self, k: usize) -> (f64, f64) {
        (self.low[k], self.high[k])
    }
}

/// The tree. A piece is identified by its position in tree order.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    /// The original index of the piece at each position.
    pub order: Vec<u32>,
}

impl Tree {
    /// Builds a tree over pieces, given by the corners of their boxes. There may be at most 2^32 -
    /// 1 pieces.
    pub fn new(boxes: &[(Vec3, Vec3)]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = vec![Node::EMPTY; count(boxes.len())];
        build(&mut nodes, &mut order, 0, 0, boxes);
        Tree { nodes, order }
    }

    /// Visits the pieces that may be nearer to `p` than the square root of `bound`, nearer boxes
    /// first. `visit` receives a position and the current bound and returns the new bound.
    pub fn nearest(&self, p: Vec3, mut bound: f64, mut visit: impl FnMut(usize, f64) -> f64) {
        if self.order.is_empty() {
            return;
        }
        let mut stack = [(0u32, 0.0); STACK];
        stack[0] = (0, self.nodes[0].distance2(p));
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (k, distance2) = stack[waiting];
            if distance2 >= bound {
                continue;
            }
            let node = &self.nodes[k as usize];
            if node.is_leaf() {
                for piece in node.pieces() {
                    bound = visit(piece, bound);
                }
                continue;
            }
            let [first, second] = [k + 1, node.second];
            let [a, b] = [first, second].map(|c| (c, self.nodes[c as usize].distance2(p)));
            let (near, far) = if b.1 < a.1 { (b, a) } else { (a, b) };
            for child in [far, near] {
                if child.1 < bound {
                    stack[waiting] = child;
                    waiting += 1;
                }
            }
        }
    }

    /// Returns the piece with the smallest squared distance to `p`, and this distance. `distance2`
    /// receives the original index of a piece. Of several pieces at the same distance, the first is
    /// returned, and `None` if there are no pieces.
    pub fn closest(&self, p: Vec3, distance2: impl Fn(u32) -> f64) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        self.nearest(p, f64::INFINITY, |position, bound| {
            let piece = self.order[position];
            let d2 = distance2(piece);
            if best.is_none_or(|(least, first)| d2 < least || d2 == least && piece < first) {
                best = Some((d2, piece));
            }
            // Also visit boxes at the same distance, because the first of several pieces is
            // returned.
            best.map_or(bound, |(least, _)| least.next_up())
        });
        best
    }

    /// Walks down from the root. `visit` receives the index of a node and the node, and returns
    /// whether to visit its children.
    pub fn descend(&self, mut visit: impl FnMut(usize, &Node) -> bool) {
        if self.order.is_empty() {
            return;
        }
        let mut stack = [0u32; STACK];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let k = stack[waiting];
            let node = &self.nodes[k as usize];
            if visit(k as usize, node) && !node.is_leaf() {
                stack[waiting] = node.second;
                stack[waiting + 1] = k + 1;
                waiting += 2;
            }
        }
    }
}

/// Returns the number of nodes in a tree over `n` pieces.
fn count(n: usize) -> usize {
    if n <= LEAF { 1 } else { 1 + count(n / 2) + count(n - n / 2) }
}

/// Fills `nodes` for the pieces in `order`, which it puts into tree order. `first` is the index of
/// the first node, and `begin` is the position of the first piece.
fn build(nodes: &mut [Node], order: &mut [u32], first: u32, begin: u32, boxes: &[(Vec3, Vec3)]) {
    let n = order.len();
    let (node, children) = nodes.split_at_mut(1);
    let end = begin + n as u32;
    if n <= LEAF {
        let all = order.iter().map(|&k| boxes[k as usize]);
        let (low, high) = all.reduce(join).unwrap_or_default();
        node[0] = Node { low, high, begin, end, second: 0 };
        return;
    }
    let center = |k: u32| boxes[k as usize].0 + boxes[k as usize].1;
    let span = order.iter().map(|&k| (center(k), center(k))).reduce(join).unwrap_or_default();
    let axis = (span.1 - span.0).imax();
    let half = n / 2;
    // Ties are broken by index, so that the halves are unique.
    order.select_nth_unstable_by(half, |&a, &b| {
        center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b))
    });
    let in_first = count(half);
    let second = first + 1 + in_first as u32;
    let (nodes_a, nodes_b) = children.split_at_mut(in_first);
    let (order_a, order_b) = order.split_at_mut(half);
    let mut build_a = || build(nodes_a, order_a, first + 1, begin, boxes);
    let mut build_b = || build(nodes_b, order_b, second, begin + half as u32, boxes);
    if n >= PARALLEL {
        parallel::join(build_a, build_b);
    } else {
        build_a();
        build_b();
    }
    let (a, b) = (&children[0], &children[in_first]);
    let (low, high) = join((a.low, a.high), (b.low, b.high));
    node[0] = Node { low, high, begin, end, second };
}

fn join(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> (Vec3, Vec3) {
    (a.0.inf(&b.0), a.1.sup(&b.1))
}

/// Returns the bounding box of points.
pub(crate) fn box_of(points: &[Vec3]) -> (Vec3, Vec3) {
    points.iter().map(|&x| (x, x)).reduce(join).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nearest_points_are_those_of_a_search_through_all(
            x in proptest::collection::vec(proptest::array::uniform3(-1.0f64..1.0), 1..200),
            p in proptest::array::uniform3(-2.0f64..2.0),
        ) {
            let (x, p): (Vec<Vec3>, Vec3) = (x.into_iter().map(Vec3::from).collect(), p.into());
            let tree = Tree::new(&x.iter().map(|&x| (x, x)).collect::<Vec<_>>());
            prop_assert_eq!(tree.nodes.len(), count(x.len()));
            let mut best = f64::INFINITY;
            tree.nearest(p, f64::INFINITY, |k, bound| {
                best = bound.min((x[tree.order[k] as usize] - p).norm_squared());
                best
            });
            let expected = x.iter().map(|x| (x - p).norm_squared()).fold(f64::INFINITY, f64::min);
            prop_assert_eq!(best, expected);
        }
    }

    #[test]
    fn equal_and_no_pieces_make_trees() {
        let x = Vec3::new(1.0, 2.0, 3.0);
        let tree = Tree::new(&vec![(x, x); 10_000]);
        let mut seen = 0;
        tree.descend(|_, node| {
            seen += if node.is_leaf() { node.pieces().len() } else { 0 };
            true
        });
        assert_eq!(seen, 10_000);
        Tree::new(&[]).nearest(x, f64::INFINITY, |_, _| panic!("no pieces"));
    }
}
