//! Detects samples in two layers, as those of two scans that are not aligned.
//!
//! If the normals of both layers point to the same side, the surface runs between the layers, at
//! nearly the same distance from all samples, or follows only one of them. The distances of noise
//! differ from sample to sample.

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::surface::{Gaps, Locator};

/// Layers are at least this far from a surface between them, in cubes. Closer ones are not
/// noticeable.
const APART: f64 = 0.25;
/// The smallest ratio of the mean to the root mean square of the distances from a surface between
/// two layers. It is 1 for equal distances, 0.87 for uniformly distributed distances, and 0.80 for
/// normally distributed ones.
const EQUAL: f64 = 0.93;
/// The smallest share of the samples on each side of the surface, and in each of two layers if the
/// surface follows one of them.
const SIDE: f64 = 0.25;
/// Samples of a layer that the surface follows are nearer to it than this fraction of the distance
/// of the other layer, on average.
const NEAR: f64 = 0.25;
/// The largest number of samples that are examined.
const EXAMINED: usize = 20_000;

/// Returns the distance between the two layers of the samples, or `None` if they do not lie in two
/// layers or if the surface follows both. `gaps` are the distances of the samples from the surface.
/// `cube` is the edge of a cube or voxel.
pub(super) fn distance_between(
    mesh: &Mesh,
    points: &[[f64; 3]],
    gaps: &Gaps,
    cube: f64,
) -> Option<f64> {
    if gaps.mean < APART * cube {
        return None;
    }
    let locator = Locator::new(mesh);
    let every = points.len().div_ceil(EXAMINED);
    let signed = |point: &[f64; 3]| {
        let x = Vec3::from(*point);
        let found = locator.closest(x)?;
        let [a, b, c] =
            [0, 1, 2].map(|k| Vec3::from(mesh.vertices[locator.corners(found.cell)[k] as usize]));
        let is_outside = (x - found.point).dot(&(b - a).cross(&(c - a))) > 0.0;
        Some((found.gap, is_outside))
    };
    let found: Vec<(f64, bool)> =
        points.par_iter().step_by(every.max(1)).filter_map(signed).collect();
    let all = Distances::of(&found);
    if all.are_equal() && all.outside.min(1.0 - all.outside) >= SIDE {
        return Some(2.0 * all.mean);
    }
    let (far, near): (Vec<_>, Vec<_>) = found.iter().partition(|(gap, _)| *gap > all.mean);
    let [far, near] = [far, near].map(|part| (part.len() as f64, Distances::of(&part)));
    let is_layer = far.0.min(near.0) >= SIDE * found.len() as f64
        && far.1.are_equal()
        && far.1.outside.max(1.0 - far.1.outside) >= 1.0 - SIDE
        && near.1.mean < NEAR * far.1.mean;
    is_layer.then_some(far.1.mean)
}

/// Distances of samples from the surface.
struct Distances {
    mean: f64,
    square: f64,
    /// The share of the samples outside.
    outside: f64,
}

impl Distances {
    fn of(found: &[(f64, bool)]) -> Self {
        let n = found.len().max(1) as f64;
        Distances {
            mean: found.iter().map(|(gap, _)| gap).sum::<f64>() / n,
            square: found.iter().map(|(gap, _)| gap * gap).sum::<f64>() / n,
            outside: found.iter().filter(|(_, is_outside)| *is_outside).count() as f64 / n,
        }
    }

    fn are_equal(&self) -> bool {
        self.mean >= EQUAL * self.square.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};

    /// Returns the distance between the layers of the vertices of a sphere, each moved outward by
    /// the number that `offset` returns for its index.
    fn layers(offset: impl Fn(usize) -> f64) -> Option<f64> {
        let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let moved = |(k, x): (usize, &[f64; 3])| x.map(|c| c * (1.0 + offset(k)));
        let points: Vec<[f64; 3]> = mesh.vertices.iter().enumerate().map(moved).collect();
        let gaps = Gaps::new(&mesh, &points).unwrap();
        distance_between(&mesh, &points, &gaps, 0.1)
    }

    #[test]
    fn two_layers_differ_from_noise_and_from_one_side() {
        let side = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let found = layers(|k| 0.05 * side(k)).unwrap();
        assert!((found - 0.1).abs() < 0.01, "{found}");
        // Layers that are close to each other, a surface on one side of all samples, and samples
        // at all distances.
        assert_eq!(layers(|k| 0.01 * side(k)), None);
        assert_eq!(layers(|_| 0.05), None);
        // The surface follows one of two layers.
        let found = layers(|k| if k.is_multiple_of(2) { 0.0 } else { -0.07 }).unwrap();
        assert!((found - 0.07).abs() < 0.01, "{found}");
        assert_eq!(layers(|k| 0.1 * side(k) * (k % 17) as f64 / 17.0), None);
    }
}
