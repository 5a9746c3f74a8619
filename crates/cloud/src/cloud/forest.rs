//! Connected components of points, with the orientation of each normal relative to its component.

/// The connected components of the cloud, which grow by merging, and the orientation of each normal
/// relative to the root of its component.
pub(super) struct Forest {
    parent: Vec<u32>,
    /// Whether the normal of each point is opposite to that of its parent.
    against: Vec<bool>,
    size: Vec<u32>,
}

impl Forest {
    pub fn new(n: usize) -> Self {
        let parent = (0..n as u32).collect();
        Forest { parent, against: vec![false; n], size: vec![1; n] }
    }

    /// Returns the root of a point's component, and whether the point's normal is opposite to that
    /// of the root.
    pub fn root(&mut self, point: u32) -> (u32, bool) {
        let (mut root, mut against) = (point, false);
        while self.parent[root as usize] != root {
            against ^= self.against[root as usize];
            root = self.parent[root as usize];
        }
        // Path compression: all points on the path become children of the root.
        let (mut at, mut this) = (point, against);
        while self.parent[at as usize] != root && at != root {
            let next = self.parent[at as usize];
            let step = std::mem::replace(&mut self.against[at as usize], this);
            self.parent[at as usize] = root;
            this ^= step;
            at = next;
        }
        (root, against)
    }

    /// Merges the components of two points. `against` states whether their normals are opposite.
    pub fn join(&mut self, a: u32, b: u32, against: bool) {
        let ((a, from_a), (b, from_b)) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (to, child) =
            if self.size[a as usize] >= self.size[b as usize] { (a, b) } else { (b, a) };
        self.parent[child as usize] = to;
        self.against[child as usize] = against ^ from_a ^ from_b;
        self.size[to as usize] += self.size[child as usize];
    }

    /// Returns the number of points in the component of a root.
    pub fn size(&self, root: u32) -> u32 {
        self.size[root as usize]
    }
}
