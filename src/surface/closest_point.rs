//! Finds the point of a mesh that is closest to a given point.

use super::bvh::{Tree, box_of};
use crate::geometry::{Vec3, simplex};
use crate::mesh::Mesh;

/// The point of a mesh that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Located {
    /// The cell that contains the point. If several cells contain it, the first of them.
    pub cell: u32,
    /// The point, in mesh units.
    pub point: Vec3,
    /// Distance from the query point, in mesh units.
    pub gap: f64,
}

/// Finds closest points with a tree of boxes over the cells.
pub struct Locator<'a> {
    mesh: &'a Mesh,
    tree: Tree,
}

impl<'a> Locator<'a> {
    /// Builds the tree of a mesh.
    pub fn new(mesh: &'a Mesh) -> Self {
        let boxes: Vec<(Vec3, Vec3)> = mesh
            .iter_cells()
            .map(|cell| {
                let mut x = [Vec3::zeros(); 4];
                for (x, &v) in x.iter_mut().zip(cell) {
                    *x = mesh.vertices[v as usize].into();
                }
                box_of(&x[..cell.len()])
            })
            .collect();
        Locator { mesh, tree: Tree::new(&boxes) }
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &'a Mesh {
        self.mesh
    }

    /// Returns the vertices of a cell.
    pub fn corners(&self, c: u32) -> &'a [u32] {
        let arity = self.mesh.kind.arity();
        &self.mesh.cells[c as usize * arity..][..arity]
    }

    /// Returns the point of a cell closest to `p`, in mesh units.
    pub fn closest_in(&self, c: u32, p: Vec3) -> Vec3 {
        let cell = self.corners(c);
        let mut x = [Vec3::zeros(); 4];
        for (x, &v) in x.iter_mut().zip(cell) {
            *x = self.mesh.vertices[v as usize].into();
        }
        simplex::closest_point(p, &x[..cell.len()])
    }

    /// Returns the point of the mesh closest to `p`, in mesh units, or `None` for a mesh without
    /// cells.
    pub fn closest(&self, p: Vec3) -> Option<Located> {
        let (d2, cell) = self.tree.closest(p, |c| (self.closest_in(c, p) - p).norm_squared())?;
        Some(Located { cell, point: self.closest_in(cell, p), gap: d2.sqrt() })
    }

    /// Returns the indices of the cells within `tolerance` of a point, in mesh units, ascending.
    pub fn touching(&self, p: Vec3, tolerance: f64) -> Vec<u32> {
        let mut found = Vec::new();
        let limit = tolerance * tolerance;
        self.tree.descend(|_, node| {
            let is_near = node.distance2(p) <= limit;
            if is_near && node.is_leaf() {
                let near = |c: &u32| (self.closest_in(*c, p) - p).norm_squared() <= limit;
                found.extend(node.pieces().map(|k| self.tree.order[k]).filter(near));
            }
            is_near
        });
        found.sort_unstable();
        found
    }

    /// Returns the barycentric coordinates of a point with respect to a cell, one for each vertex,
    /// which add up to 1. If the point is not in the plane of a triangle, its projection is used.
    /// For a triangle, the last coordinate is zero.
    pub fn barycentric(&self, c: u32, p: Vec3) -> [f64; 4] {
        let cell = self.corners(c);
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

    /// Returns the length of the longest edge of a cell, in mesh units.
    pub fn longest_edge(&self, c: u32) -> f64 {
        let cell = self.corners(c);
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
