//! Components of a surface that are connected by edges with two triangles, and the relative
//! orientation of their triangles.

use crate::geometry::Vec3;
use crate::parallel::*;

/// The components of a surface, connected by edges with exactly two triangles. Other edges are
/// ignored.
pub(super) struct Sheets {
    /// For each triangle, whether it is oriented against the first triangle of its component.
    pub turned: Vec<bool>,
    /// The triangles of each component. The first one has the smallest index.
    pub triangles: Vec<Vec<u32>>,
    /// For each component that cannot be oriented, an edge at which its triangles disagree.
    pub conflict: Vec<Option<[u32; 2]>>,
    /// Whether each component has a boundary: an edge that it traverses an odd number of times.
    pub is_open: Vec<bool>,
}

/// The sides of the triangles, sorted by edge.
pub(super) struct Sides {
    /// The vertices of a side in ascending order, its triangle, and whether the triangle runs from
    /// the smaller vertex to the larger.
    sides: Vec<(u32, u32, u32, bool)>,
}

impl Sides {
    /// Lists the sides of `triangles` (`[n * 3]`).
    pub(super) fn new(triangles: &[u32]) -> Self {
        let mut sides: Vec<(u32, u32, u32, bool)> = triangles
            .par_chunks_exact(3)
            .enumerate()
            .flat_map_iter(|(t, v)| {
                let side = move |i: usize, j: usize| {
                    (v[i].min(v[j]), v[i].max(v[j]), t as u32, v[i] < v[j])
                };
                [side(0, 1), side(1, 2), side(2, 0)]
            })
            .collect();
        sides.par_sort_unstable();
        Sides { sides }
    }

    fn edges(&self) -> impl Iterator<Item = &[(u32, u32, u32, bool)]> {
        self.sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
    }

    /// Returns the number of edges with one triangle.
    pub(super) fn open_edges(&self) -> usize {
        self.edges().filter(|edge| edge.len() == 1).count()
    }

    /// Returns the number of edges with three or more triangles.
    pub(super) fn nonmanifold_edges(&self) -> usize {
        self.edges().filter(|edge| edge.len() > 2).count()
    }

    /// Returns whether two triangles traverse the edge between them in the same direction.
    pub(super) fn disagree(&self) -> bool {
        self.edges().any(|edge| matches!(edge, [a, b] if a.3 == b.3))
    }

    /// Returns all pairs of a triangle and its neighbor across an edge that has exactly two
    /// triangles, in ascending order. Each pair has a flag that states whether both triangles
    /// traverse this edge in the same direction.
    fn neighbors(&self) -> Vec<(u32, u32, bool)> {
        let mut pairs = Vec::with_capacity(self.sides.len());
        for edge in self.edges() {
            if let [a, b] = *edge {
                pairs.extend([(a.2, b.2, a.3 == b.3), (b.2, a.2, a.3 == b.3)]);
            }
        }
        pairs.par_sort_unstable();
        pairs
    }
}

impl Sheets {
    /// Finds the components of `triangles`, whose sides are `sides`.
    pub(super) fn new(sides: &Sides, triangles: &[u32]) -> Self {
        let n = triangles.len() / 3;
        let neighbors = sides.neighbors();
        let mut sheets = Sheets {
            turned: vec![false; n],
            triangles: Vec::new(),
            conflict: Vec::new(),
            is_open: Vec::new(),
        };
        let mut component = vec![u32::MAX; n];
        for seed in 0..n {
            if component[seed] == u32::MAX {
                sheets.flood(seed as u32, triangles, &neighbors, &mut component);
            }
        }
        sheets.is_open = open_components(sides, &component, sheets.triangles.len());
        sheets
    }

    /// Adds the component of the triangle `seed`.
    fn flood(
        &mut self,
        seed: u32,
        triangles: &[u32],
        neighbors: &[(u32, u32, bool)],
        component: &mut [u32],
    ) {
        let number = self.triangles.len() as u32;
        component[seed as usize] = number;
        let (mut part, mut conflict, mut next) = (vec![seed], None, 0);
        while let Some(&t) = part.get(next) {
            next += 1;
            let first = neighbors.partition_point(|pair| pair.0 < t);
            for &(_, other, against) in neighbors[first..].iter().take_while(|p| p.0 == t) {
                let wanted = self.turned[t as usize] != against;
                if component[other as usize] == u32::MAX {
                    component[other as usize] = number;
                    self.turned[other as usize] = wanted;
                    part.push(other);
                } else if self.turned[other as usize] != wanted {
                    conflict = conflict.or_else(|| shared_edge(triangles, t, other));
                }
            }
        }
        self.triangles.push(part);
        self.conflict.push(conflict);
    }

    /// Returns twice the area of a component, and twice the area of the triangles in it that are
    /// oriented against its first triangle.
    pub(super) fn areas(
        &self,
        component: usize,
        vertices: &[[f64; 3]],
        cells: &[u32],
    ) -> (f64, f64) {
        let area = |&t: &u32| {
            let [a, b, c] = corners(vertices, cells, t);
            (b - a).cross(&(c - a)).norm()
        };
        let all = &self.triangles[component];
        let turned = all.iter().filter(|&&t| self.turned[t as usize]);
        (all.iter().map(area).sum(), turned.map(area).sum())
    }

    /// Returns six times the volume that a component encloses if all its triangles are oriented
    /// like its first triangle. For an open component, this is six times the volume of the cone
    /// from its triangles to one of its vertices.
    pub(super) fn volume(&self, component: usize, vertices: &[[f64; 3]], cells: &[u32]) -> f64 {
        let all = &self.triangles[component];
        let origin = corners(vertices, cells, all[0])[0];
        let volume = |&t: &u32| {
            let [a, b, c] = corners(vertices, cells, t).map(|x| x - origin);
            a.dot(&b.cross(&c)) * if self.turned[t as usize] { -1.0 } else { 1.0 }
        };
        all.iter().map(volume).sum()
    }
}

/// Returns the corners of a triangle.
pub(super) fn corners(vertices: &[[f64; 3]], cells: &[u32], triangle: u32) -> [Vec3; 3] {
    std::array::from_fn(|k| vertices[cells[3 * triangle as usize + k] as usize].into())
}

/// Returns, for each component, whether it has an edge that it traverses an odd number of times.
fn open_components(sides: &Sides, component: &[u32], n: usize) -> Vec<bool> {
    let mut is_open = vec![false; n];
    let mut touching: Vec<u32> = Vec::new();
    for edge in sides.edges().filter(|edge| edge.len() != 2) {
        touching.clear();
        touching.extend(edge.iter().map(|side| component[side.2 as usize]));
        touching.sort_unstable();
        for run in touching.chunk_by(|a, b| a == b).filter(|run| run.len() % 2 == 1) {
            is_open[run[0] as usize] = true;
        }
    }
    is_open
}

/// Returns the edge that two triangles share, if there is one.
fn shared_edge(cells: &[u32], a: u32, b: u32) -> Option<[u32; 2]> {
    let [a, b] = [a, b].map(|t| &cells[3 * t as usize..][..3]);
    let mut shared = a.iter().filter(|v| b.contains(v));
    Some([*shared.next()?, *shared.next()?])
}
