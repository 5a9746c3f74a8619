//! A tree of points, which finds the points near an edge or face.

/// The largest number of points in a leaf.
const LEAF: usize = 8;

/// A binary tree over a subset of a list of points, such as the vertices of a mesh.
pub(crate) struct PointTree<'a> {
    vertices: &'a [[f64; 3]],
    points: Vec<u32>,
    nodes: Vec<Node>,
}

struct Node {
    low: [f64; 3],
    high: [f64; 3],
    begin: usize,
    end: usize,
    /// The index of the second child, or 0 for a leaf. The first child directly follows its parent.
    second: usize,
}

impl<'a> PointTree<'a> {
    /// Creates a tree of `points`, which are vertex indices.
    pub(crate) fn new(vertices: &'a [[f64; 3]], points: Vec<u32>) -> Self {
        let n = points.len();
        let mut tree = PointTree { vertices, points, nodes: Vec::new() };
        if n > 0 {
            tree.build(0, n);
        }
        tree
    }

    fn build(&mut self, begin: usize, end: usize) -> usize {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &v in &self.points[begin..end] {
            for (k, x) in self.vertices[v as usize].into_iter().enumerate() {
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        let number = self.nodes.len();
        self.nodes.push(Node { low, high, begin, end, second: 0 });
        if end - begin > LEAF {
            let extent = |k: &usize| high[*k] - low[*k];
            let axis = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b))).unwrap_or(0);
            let middle = (end - begin) / 2;
            let at = |v: u32| self.vertices[v as usize][axis];
            self.points[begin..end]
                .select_nth_unstable_by(middle, |&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
            self.build(begin, begin + middle);
            let second = self.build(begin + middle, end);
            self.nodes[number].second = second;
        }
        number
    }

    /// Calls `visit` for each point in the leaves whose bounding boxes `meets` accepts. `meets`
    /// receives the lowest and the highest coordinates of a box.
    pub(crate) fn visit(
        &self,
        meets: impl Fn(&[f64; 3], &[f64; 3]) -> bool,
        mut visit: impl FnMut(u32),
    ) {
        let mut pending = vec![0];
        while let Some(number) = pending.pop() {
            let Some(node) = self.nodes.get(number).filter(|node| meets(&node.low, &node.high))
            else {
                continue;
            };
            match node.second {
                0 => self.points[node.begin..node.end].iter().for_each(|&v| visit(v)),
                second => pending.extend([second, number + 1]),
            }
        }
    }
}
