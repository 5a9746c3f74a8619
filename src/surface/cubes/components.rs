//! Counts the connected components of a closed surface.

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::primitives::UnionFind;

/// Numbers of connected components of a closed surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// Number of outer boundaries, one per connected part of the inside.
    pub outer: usize,
    /// Number of components that bound a cavity of the inside.
    pub cavities: usize,
}

/// Counts the components of a closed surface with outward normals. Components that enclose a
/// negative volume are cavities.
pub fn components(surface: &Mesh) -> Components {
    let mut sets = UnionFind::new(surface.n_vertices());
    for triangle in surface.iter_cells() {
        for &v in &triangle[1..] {
            sets.join(triangle[0], v);
        }
    }
    // Measure from a point of the surface, so that large coordinates lose no digits.
    let at = |v: u32| Vec3::from(surface.vertices[v as usize]);
    let origin = surface.vertices.first().map_or(Vec3::zeros(), |x| Vec3::from(*x));
    let part_of = sets.into_roots();
    let mut volumes = vec![0.0; part_of.len()];
    let mut is_part = vec![false; part_of.len()];
    for triangle in surface.iter_cells() {
        let [a, b, c] = [0, 1, 2].map(|k| at(triangle[k]) - origin);
        let part = part_of[triangle[0] as usize] as usize;
        volumes[part] += a.dot(&b.cross(&c));
        is_part[part] = true;
    }
    let mut found = Components::default();
    for (volume, _) in volumes.into_iter().zip(is_part).filter(|(_, is_part)| *is_part) {
        match volume < 0.0 {
            true => found.cavities += 1,
            false => found.outer += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::cubes::{Dense, Placement, extract};

    #[test]
    fn balls_shells_and_nothing() {
        let n = 24;
        let at = |k: usize| [k % n, k / n % n, k / (n * n)].map(|c| c as f64);
        let ball = |x: [f64; 3], center: [f64; 3], radius: f64| {
            (0..3).map(|k| (x[k] - center[k]).powi(2)).sum::<f64>().sqrt() - radius
        };
        let count = |phi: &dyn Fn([f64; 3]) -> f64| {
            let values: Vec<f64> = (0..n * n * n).map(|k| phi(at(k))).collect();
            let blocks = Dense { values: &values, size: [n; 3], edge: 8, beyond: 1.0 };
            components(&extract(&blocks, &Placement::default(), false).unwrap())
        };
        let middle = [11.5; 3];
        let shell = |x| ball(x, middle, 9.0).max(-ball(x, middle, 6.0));
        assert_eq!(count(&|_| 1.0), Components::default());
        assert_eq!(count(&shell), Components { outer: 1, cavities: 1 });
        let all = |x| f64::min(shell(x), ball(x, middle, 3.0));
        assert_eq!(count(&all), Components { outer: 2, cavities: 1 });
    }
}
