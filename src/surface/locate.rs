//! The point of a mesh closest to a given one.

use rayon::prelude::*;

use crate::geometry::{Vec3, simplex};
use crate::mesh::Mesh;
use crate::primitives::hilbert;

/// Cells per leaf of the tree.
const LEAF: usize = 4;

/// A point of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Located {
    /// A cell it lies in; of several the first one.
    pub cell: u32,
    /// The point, mesh units.
    pub point: Vec3,
    /// Distance from the point asked for, mesh units.
    pub gap: f64,
}

/// Finds closest points: a tree of boxes over the cells in the order of a Hilbert curve.
pub struct Locator<'a> {
    mesh: &'a Mesh,
    /// Cells in the order of the curve.
    cells: Vec<u32>,
    /// Boxes of the levels, leaves first, the root last.
    levels: Vec<Vec<Aabb>>,
}

/// A box along the axes.
#[derive(Clone, Copy)]
struct Aabb {
    low: [f64; 3],
    high: [f64; 3],
}

impl Aabb {
    const EMPTY: Aabb = Aabb { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    fn join(self, other: Aabb) -> Aabb {
        Aabb {
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Square of the distance of a point.
    fn distance2(&self, p: &Vec3) -> f64 {
        (0..3).map(|k| (self.low[k] - p[k]).max(p[k] - self.high[k]).max(0.0).powi(2)).sum()
    }
}

impl<'a> Locator<'a> {
    /// Builds the tree of a mesh.
    pub fn new(mesh: &'a Mesh) -> Self {
        let (low, high) = mesh.bounds();
        let middle = |c: u32| {
            let cell = Self::cell_of(mesh, c);
            let sum = cell.iter().map(|&v| Vec3::from(mesh.vertices[v as usize])).sum::<Vec3>();
            sum / cell.len() as f64
        };
        let mut keyed: Vec<(u64, u32)> = (0..mesh.n_cells() as u32)
            .into_par_iter()
            .map(|c| (hilbert::key(middle(c).into(), low, high), c))
            .collect();
        keyed.par_sort_unstable();
        let cells: Vec<u32> = keyed.into_iter().map(|(_, c)| c).collect();
        let around = |cells: &[u32]| {
            let vertices = cells.iter().flat_map(|&c| Self::cell_of(mesh, c));
            vertices.fold(Aabb::EMPTY, |all, &v| {
                let x = mesh.vertices[v as usize];
                all.join(Aabb { low: x, high: x })
            })
        };
        let mut levels: Vec<Vec<Aabb>> = vec![cells.par_chunks(LEAF).map(around).collect()];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let pairs = last.chunks(2).map(|pair| pair.iter().fold(Aabb::EMPTY, |a, &b| a.join(b)));
            let next = pairs.collect();
            levels.push(next);
        }
        Locator { mesh, cells, levels }
    }

    fn cell_of(mesh: &Mesh, c: u32) -> &[u32] {
        let arity = mesh.kind.arity();
        &mesh.cells[c as usize * arity..][..arity]
    }

    fn closest_in(&self, c: u32, p: Vec3) -> Vec3 {
        let cell = Self::cell_of(self.mesh, c);
        let mut x = [Vec3::zeros(); 4];
        for (x, &v) in x.iter_mut().zip(cell) {
            *x = self.mesh.vertices[v as usize].into();
        }
        simplex::closest_point(p, &x[..cell.len()])
    }

    /// The point of the mesh closest to `p`; `None` for a mesh without cells.
    pub fn closest(&self, p: Vec3) -> Option<Located> {
        let mut best: Option<(f64, u32, Vec3)> = None;
        let mut stack = vec![(self.levels.len().checked_sub(1)?, 0)];
        while let Some((level, k)) = stack.pop() {
            let Some(bounds) = self.levels[level].get(k) else { continue };
            if best.is_some_and(|(d2, ..)| bounds.distance2(&p) > d2) {
                continue;
            }
            if level > 0 {
                // The nearer child is looked at first: it is pushed last.
                let [a, b] = [2 * k, 2 * k + 1];
                let far = |k: usize| {
                    self.levels[level - 1].get(k).map_or(f64::INFINITY, |b| b.distance2(&p))
                };
                let (first, second) = if far(b) < far(a) { (b, a) } else { (a, b) };
                stack.extend([(level - 1, second), (level - 1, first)]);
                continue;
            }
            for &c in self.cells.iter().skip(k * LEAF).take(LEAF) {
                let point = self.closest_in(c, p);
                let d2 = (point - p).norm_squared();
                if best.is_none_or(|(least, first, _)| d2 < least || d2 == least && c < first) {
                    best = Some((d2, c, point));
                }
            }
        }
        best.map(|(d2, cell, point)| Located { cell, point, gap: d2.sqrt() })
    }

    /// Cells within `tolerance` of a point, ascending.
    pub fn touching(&self, p: Vec3, tolerance: f64) -> Vec<u32> {
        let mut found = Vec::new();
        let Some(top) = self.levels.len().checked_sub(1) else { return found };
        let mut stack = vec![(top, 0)];
        let limit = tolerance * tolerance;
        while let Some((level, k)) = stack.pop() {
            let Some(bounds) = self.levels[level].get(k) else { continue };
            if bounds.distance2(&p) > limit {
                continue;
            }
            if level > 0 {
                stack.extend([(level - 1, 2 * k), (level - 1, 2 * k + 1)]);
                continue;
            }
            let near = |c: &u32| (self.closest_in(*c, p) - p).norm_squared() <= limit;
            found.extend(self.cells.iter().skip(k * LEAF).take(LEAF).copied().filter(near));
        }
        found.sort_unstable();
        found
    }

    /// Barycentric coordinates in a cell of a point, or of its projection to the cell's plane; zero
    /// beyond those a triangle has.
    pub fn barycentric(&self, c: u32, p: Vec3) -> [f64; 4] {
        let cell = Self::cell_of(self.mesh, c);
        let mut x = [Vec3::zeros(); 4];
        for (x, &v) in x.iter_mut().zip(cell) {
            *x = self.mesh.vertices[v as usize].into();
        }
        let mut weights = [0.0; 4];
        let of = |grads: &[Vec3], weights: &mut [f64; 4]| {
            weights.iter_mut().zip(grads).for_each(|(w, g)| *w = g.dot(&(p - x[0])));
            weights[0] += 1.0;
        };
        match cell.len() {
            3 => of(&simplex::Simplex::new(&[x[0], x[1], x[2]]).grads, &mut weights),
            _ => of(&simplex::Simplex::new(&x).grads, &mut weights),
        }
        weights
    }

    /// Length of the longest edge of a cell, mesh units.
    pub fn longest_edge(&self, c: u32) -> f64 {
        let cell = Self::cell_of(self.mesh, c);
        let at = |&v: &u32| Vec3::from(self.mesh.vertices[v as usize]);
        simplex::longest_edge(&cell.iter().map(at).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Cube, Generate, Sphere, generate};
    use proptest::prelude::*;

    #[test]
    fn as_close_as_looking_at_every_cell() {
        for spec in [Generate::Sphere(Sphere::default()), Generate::Cube(Cube::default())] {
            let mesh = generate(&spec).unwrap();
            let locator = Locator::new(&mesh);
            proptest!(ProptestConfig::with_cases(20), |(p in proptest::array::uniform3(-2.0f64..2.0))| {
                let p = Vec3::from(p);
                let found = locator.closest(p).unwrap();
                let gap = |c| (locator.closest_in(c, p) - p).norm();
                let all = (0..mesh.n_cells() as u32).map(gap).fold(f64::INFINITY, f64::min);
                prop_assert_eq!(found.gap, all);
                prop_assert!((gap(found.cell) - all).abs() < 1e-15);
                let touching = locator.touching(found.point, 1e-9);
                prop_assert!(touching.contains(&found.cell));
            });
            let v = mesh.vertices[17];
            let around = mesh.iter_cells().filter(|cell| cell.contains(&17)).count();
            assert_eq!(locator.touching(v.into(), 0.0).len(), around);
        }
    }
}
