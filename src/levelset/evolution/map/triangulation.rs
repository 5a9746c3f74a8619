//! The triangles of a planar mesh, and the search for the triangle that contains a point.

use crate::geometry::Real;
use crate::mesh::Mesh;
use crate::parallel::*;

/// The neighbor of a triangle across an edge of the boundary.
const NONE: u32 = u32::MAX;

/// Barycentric coordinates above this negative value count as inside.
const TOLERANCE: f64 = 1e-12;

/// The number of triangles after which the search for a point gives up.
const LONGEST_WALK: u32 = 1 << 20;

/// The number of triangles after which a walk chooses among several edges at random. A walk that
/// always crosses the farthest edge may go around in a circle.
const STRAIGHT: u32 = 256;

/// The corners of a triangle.
#[derive(Clone, Copy)]
pub(super) struct Corners {
    pub at: [[f64; 2]; 3],
}

impl Corners {
    fn edges(&self) -> ([f64; 2], [f64; 2], f64) {
        let [o, p, q] = self.at;
        let (a, b) = ([p[0] - o[0], p[1] - o[1]], [q[0] - o[0], q[1] - o[1]]);
        (a, b, a[0] * b[1] - a[1] * b[0])
    }

    /// Returns the barycentric coordinates of a point.
    pub fn coordinates(&self, x: [f64; 2]) -> [f64; 3] {
        let (a, b, det) = self.edges();
        let r = [x[0] - self.at[0][0], x[1] - self.at[0][1]];
        let l1 = (r[0] * b[1] - r[1] * b[0]) / det;
        let l2 = (a[0] * r[1] - a[1] * r[0]) / det;
        [1.0 - l1 - l2, l1, l2]
    }

    /// Returns the point with the given barycentric coordinates.
    pub fn point(&self, l: [f64; 3]) -> [f64; 2] {
        [0, 1].map(|k| l[0] * self.at[0][k] + l[1] * self.at[1][k] + l[2] * self.at[2][k])
    }

    /// Returns the gradient of the linear function with the given values at the corners.
    pub fn gradient(&self, values: [f64; 3]) -> [f64; 2] {
        let (a, b, det) = self.edges();
        let (s, t) = (values[1] - values[0], values[2] - values[0]);
        [(s * b[1] - t * a[1]) / det, (t * a[0] - s * b[0]) / det]
    }
}

/// The nearest place in the mesh to a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The triangle.
    pub cell: u32,
    /// The barycentric coordinates of the nearest point in it.
    pub l: [f64; 3],
    /// The way from there to the point, if the point lies outside of the mesh.
    pub outside: Option<Outside>,
}

/// The way from the nearest point of the boundary to a point outside of the mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    /// The length of the way.
    pub distance: f64,
    /// The direction of the way, a unit vector.
    pub direction: [f64; 2],
    /// Whether the nearest point is a vertex.
    pub at_vertex: bool,
    /// The mean length of an edge of a triangle.
    pub edge: f64,
}

/// The triangles of a planar mesh. Vertices are in patch order, triangles in mesh order.
pub(in crate::levelset::evolution) struct Triangulation {
    pub points: Vec<[f64; 2]>,
    pub cells: Vec<[u32; 3]>,
    /// The triangle across the edge opposite each corner.
    across: Vec<[u32; 3]>,
    /// A triangle of each vertex.
    pub cell_of: Vec<u32>,
    /// The mean length of an edge of a triangle.
    pub edge: f64,
}

impl Triangulation {
    /// Creates the triangulation of a planar mesh. `order` contains the vertices of the mesh in
    /// patch order.
    pub fn new(mesh: &Mesh, order: &[u32]) -> Self {
        let points: Vec<[f64; 2]> = order
            .iter()
            .map(|&v| {
                let [x, y, _] = mesh.vertices[v as usize];
                [x, y]
            })
            .collect();
        let mut positions = vec![0; order.len()];
        for (k, &v) in (0..).zip(order) {
            positions[v as usize] = k;
        }
        let corner = |cell: &[u32], i: usize| positions[cell[i] as usize];
        let cells: Vec<[u32; 3]> =
            mesh.iter_cells().map(|cell| [0, 1, 2].map(|i| corner(cell, i))).collect();
        let mut cell_of = vec![NONE; points.len()];
        let mut length = 0.0;
        for (t, cell) in (0..).zip(&cells) {
            for (i, &v) in cell.iter().enumerate() {
                let (a, b) = (points[v as usize], points[cell[(i + 1) % 3] as usize]);
                length += (b[0] - a[0]).hypot(b[1] - a[1]);
                if cell_of[v as usize] == NONE {
                    cell_of[v as usize] = t;
                }
            }
        }
        let edge = length / (3 * cells.len().max(1)) as f64;
        let across = across(&cells);
        Triangulation { points, cells, across, cell_of, edge }
    }

    /// Returns whether any triangle has vertices on both sides of the interface. `phi` is in patch
    /// order.
    pub fn is_cut<R: Real>(&self, phi: &[R]) -> bool {
        self.cells.par_iter().any(|&cell| self.cuts(phi, cell))
    }

    /// Returns whether a triangle has vertices on both sides of the interface.
    pub(super) fn cuts<R: Real>(&self, phi: &[R], cell: [u32; 3]) -> bool {
        let [a, b, c] = cell.map(|v| phi[v as usize] < R::zero());
        a != b || b != c
    }

    /// Returns the corners of a triangle.
    #[inline]
    pub(super) fn corners(&self, cell: u32) -> Corners {
        Corners { at: self.cells[cell as usize].map(|v| self.points[v as usize]) }
    }

    /// Returns the place of a point. The search walks from triangle to triangle, beginning at
    /// `cell`. If the point is outside, the nearest point of the boundary is searched near the
    /// place where the walk leaves the mesh.
    pub(super) fn locate(&self, cell: u32, x: [f64; 2]) -> Place {
        let (mut cell, mut random) = (cell, 1_u32);
        for n in 0..LONGEST_WALK {
            let l = self.corners(cell).coordinates(x);
            let mut next = None;
            let mut exit = None;
            if n >= STRAIGHT {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            }
            let first = if n < STRAIGHT { 0 } else { (random >> 16) as usize % 3 };
            for i in [0, 1, 2].map(|i| (first + i) % 3) {
                // NaN counts as inside, so that the walk ends.
                if l[i] >= -TOLERANCE || l[i].is_nan() {
                    continue;
                }
                let (found, to) = match self.across[cell as usize][i] {
                    NONE => (&mut exit, i as u32),
                    across => (&mut next, across),
                };
                if found.is_none_or(|(least, _)| n < STRAIGHT && l[i] < least) {
                    *found = Some((l[i], to));
                }
            }
            match (next, exit) {
                (Some((_, across)), _) => cell = across,
                (None, Some((_, edge))) => return self.nearest(cell, edge as usize, x),
                (None, None) => return Place { cell, l, outside: None },
            }
        }
        Place { cell, l: [1.0 / 3.0; 3], outside: None }
    }

    /// Returns the nearest point of the boundary to a point outside of the mesh. The search goes
    /// along the boundary from an edge as long as the distance decreases. The edge of the triangle
    /// `cell` is opposite its corner `k`.
    fn nearest(&self, cell: u32, k: usize, x: [f64; 2]) -> Place {
        let mut best = self.on_edge(cell, k, x);
        let (mut cell, mut k) = (cell, k);
        while let (Some(Outside { at_vertex: true, distance, .. }), l) = (best.outside, best.l) {
            let pivot = if l[(k + 1) % 3] > 0.5 { (k + 1) % 3 } else { (k + 2) % 3 };
            let Some((next, edge)) = self.along_boundary(cell, k, pivot) else { break };
            let found = self.on_edge(next, edge, x);
            // A point on the edge has no way to it, and nothing is nearer.
            if found.outside.is_some_and(|outside| outside.distance >= distance) {
                break;
            }
            (best, cell, k) = (found, next, edge);
        }
        best
    }

    /// Returns the nearest point of the edge opposite corner `k` of a triangle.
    fn on_edge(&self, cell: u32, k: usize, x: [f64; 2]) -> Place {
        let corners = self.corners(cell);
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (a, b) = (corners.at[i], corners.at[j]);
        let e = [b[0] - a[0], b[1] - a[1]];
        let square = e[0] * e[0] + e[1] * e[1];
        let s = ((x[0] - a[0]) * e[0] + (x[1] - a[1]) * e[1]) / square;
        let s = s.clamp(0.0, 1.0);
        let mut l = [0.0; 3];
        (l[i], l[j]) = (1.0 - s, s);
        let nearest = corners.point(l);
        let way = [x[0] - nearest[0], x[1] - nearest[1]];
        let distance = way[0].hypot(way[1]);
        let outside = (distance > 0.0).then(|| Outside {
            distance,
            direction: way.map(|w| w / distance),
            at_vertex: s == 0.0 || s == 1.0,
            edge: self.edge,
        });
        Place { cell, l, outside }
    }

    /// Returns the other edge of the boundary at the corner `pivot` of a triangle, whose edge
    /// opposite corner `k` is on the boundary.
    fn along_boundary(&self, cell: u32, k: usize, pivot: usize) -> Option<(u32, usize)> {
        let vertex = self.cells[cell as usize][pivot];
        let (mut cell, mut k, mut pivot) = (cell, k, pivot);
        loop {
            let q = 3 - k - pivot;
            let next = self.across[cell as usize][q];
            if next == NONE {
                return Some((cell, q));
            }
            k = self.across[next as usize].iter().position(|&back| back == cell)?;
            pivot = self.cells[next as usize].iter().position(|&v| v == vertex)?;
            if k == pivot {
                return None;
            }
            cell = next;
        }
    }
}

/// Returns the triangle across each edge. An edge of other than two triangles belongs to the
/// boundary.
fn across(cells: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut sides: Vec<(u64, u64)> = cells
        .par_iter()
        .enumerate()
        .flat_map_iter(|(t, cell)| {
            (0..3).map(move |k| {
                let (a, b) = (cell[(k + 1) % 3], cell[(k + 2) % 3]);
                (u64::from(a.min(b)) << 32 | u64::from(a.max(b)), (3 * t + k) as u64)
            })
        })
        .collect();
    sides.sort_unstable();
    let mut across = vec![[NONE; 3]; cells.len()];
    for shared in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a), (_, b)] = *shared {
            let (a, b) = (a as usize, b as usize);
            across[a / 3][a % 3] = (b / 3) as u32;
            across[b / 3][b % 3] = (a / 3) as u32;
        }
    }
    across
}
