//! The number of triangles that a ray crosses.

use super::TriangleIndex;
use crate::geometry::Vec3;

/// The largest number of boxes that are tested for a ray. Rays through a mesh usually need a few
/// hundred.
const MOST_BOXES: usize = 1 << 12;

impl TriangleIndex {
    /// Returns how many triangles the ray from `p` crosses, except the triangle `own`. No component
    /// of `direction` may be zero.
    ///
    /// If the ray passes through a vertex or an edge, the count may be too high or too low by one.
    /// Returns `None` if the ray needs more than [`MOST_BOXES`] tests, as in a fan of thousands of
    /// triangles at one edge. Without this limit, the rays from all triangles would take quadratic
    /// time.
    pub(super) fn crossings(&self, p: Vec3, direction: Vec3, own: u32) -> Option<usize> {
        let inverse = direction.map(|x| 1.0 / x);
        let (mut count, mut n_boxes) = (0, 0);
        self.tree.descend(|_, node| {
            n_boxes += 1;
            if n_boxes > MOST_BOXES {
                return false;
            }
            let is_hit = node.is_hit(p, inverse);
            if is_hit && node.is_leaf() {
                let others = node.pieces().filter(|&k| self.tree.order[k] != own);
                count += others.filter(|&k| crosses(p, direction, &self.triangles[k])).count();
            }
            is_hit
        });
        (n_boxes <= MOST_BOXES).then_some(count)
    }
}

/// Returns whether a ray crosses a triangle. Its line crosses the triangle if it passes all three
/// sides in the same sense of rotation.
fn crosses(p: Vec3, direction: Vec3, triangle: &[Vec3; 3]) -> bool {
    let [a, b, c] = triangle.map(|x| x - p);
    let sides = [(a, b), (b, c), (c, a)].map(|(u, v)| direction.dot(&u.cross(&v)));
    let is_inside = sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0);
    // The triangle lies ahead if its plane is crossed at a positive distance.
    let normal = (b - a).cross(&(c - a));
    is_inside && normal.dot(&a) * normal.dot(&direction) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_crosses_what_lies_ahead() {
        let at = |z: f64| [[-1.0, -1.0, z], [2.0, -1.0, z], [-1.0, 2.0, z]];
        let vertices: Vec<[f64; 3]> = [1.0, 2.0, -1.0].into_iter().flat_map(at).collect();
        let index = TriangleIndex::new(&vertices, &(0..9).collect::<Vec<u32>>());
        let up = Vec3::new(0.01, 0.02, 1.0);
        assert_eq!(index.crossings(Vec3::zeros(), up, 9), Some(2));
        assert_eq!(index.crossings(Vec3::zeros(), up, 1), Some(1));
        assert_eq!(index.crossings(Vec3::zeros(), -up, 9), Some(1));
        assert_eq!(index.crossings(Vec3::new(9.0, 0.0, 0.0), up, 9), Some(0));
    }
}
