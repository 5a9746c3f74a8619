//! Sampling of shapes on blocks of a regular grid: distances in voxels, clamped to a narrow band.

use super::Real;
use super::shape::Shape;

/// The position of a block of points relative to the narrow band around the boundary of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Every point is at or beyond the inner edge of the band.
    Inside,
    /// Every point is at or beyond the outer edge of the band.
    Outside,
    /// Any other position.
    Band,
}

/// A narrow band on a regular grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The voxel spacing in mesh units, > 0.
    pub dx: f64,
    /// The half width in voxels, > 0. Distances are clamped to `-gamma` and `gamma`.
    pub gamma: f64,
}

impl Band {
    /// Converts a signed distance from mesh units to voxels, clamps it and rounds it once.
    #[inline]
    fn value<R: Real>(self, distance: f64) -> R {
        R::of((distance / self.dx).clamp(-self.gamma, self.gamma))
    }
}

impl Shape {
    /// Classifies a box relative to the band from a single distance.
    ///
    /// The results [`Cover::Inside`] and [`Cover::Outside`] are certain. The result [`Cover::Band`]
    /// means that the points of the box must be examined. The distance at the center of the box is
    /// sufficient, because the values of [`signed_distance`](Shape::signed_distance) at two points
    /// never differ by more than the distance between the points. `lower` and `upper` are the
    /// corners of the box in mesh units.
    pub fn cover(&self, lower: [f64; 3], upper: [f64; 3], band: Band) -> Cover {
        /// An allowance for the rounding of distances far from the origin, in voxels.
        const SLACK: f64 = 0.5;
        let center = [0, 1, 2].map(|k| 0.5 * (lower[k] + upper[k]));
        let half_diagonal = 0.5
            * [0, 1, 2]
                .map(|k| upper[k] - lower[k])
                .iter()
                .map(|edge| edge * edge)
                .sum::<f64>()
                .sqrt();
        let reach = (band.gamma + SLACK) * band.dx + half_diagonal;
        match self.signed_distance(center) {
            distance if distance > reach => Cover::Outside,
            distance if distance < -reach => Cover::Inside,
            _ => Cover::Band,
        }
    }

    /// Writes the signed distances at the points of a block to `out`, in voxels, clamped to the
    /// band.
    ///
    /// The points are `[x[i], y[j], z[k]]`, with x fastest. `axes` are the coordinates along x, y
    /// and z in mesh units. Each axis is ascending and not empty. Returns [`Cover::Inside`] or
    /// [`Cover::Outside`] if all values are clamped to the corresponding edge of the band, and
    /// [`Cover::Band`] otherwise. Only one distance is computed if [`Shape::cover`] returns
    /// `Inside` or `Outside` for the block.
    ///
    /// # Panics
    /// Panics if an axis is empty or if `out` does not have one value per point.
    pub fn sample_into<R: Real>(&self, axes: [&[f64]; 3], band: Band, out: &mut [R]) -> Cover {
        let [x, y, z] = axes;
        assert_eq!(out.len(), x.len() * y.len() * z.len(), "one value for each point");
        let (lower, upper) = (axes.map(|axis| axis[0]), axes.map(|axis| axis[axis.len() - 1]));
        let (inside, outside) = (band.value(f64::NEG_INFINITY), band.value(f64::INFINITY));
        match self.cover(lower, upper, band) {
            Cover::Inside => out.fill(inside),
            Cover::Outside => out.fill(outside),
            Cover::Band => {
                let rows = z.iter().flat_map(|&z| y.iter().map(move |&y| (y, z)));
                for (row, (y, z)) in out.chunks_exact_mut(x.len()).zip(rows) {
                    for (value, &x) in row.iter_mut().zip(x) {
                        *value = band.value(self.signed_distance([x, y, z]));
                    }
                }
            }
        }
        match out[0] {
            first if out.iter().any(|&value| value != first) => Cover::Band,
            first if first == inside => Cover::Inside,
            first if first == outside => Cover::Outside,
            _ => Cover::Band,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> Vec<Shape> {
        let ball = Shape::Ball { center: [0.35, 0.35, 0.35], radius: 0.15 };
        let slab =
            Shape::Box { min: [f64::NEG_INFINITY, 0.2, 0.3], max: [f64::INFINITY, 0.6, 0.5] };
        let plane = Shape::Plane { point: [0.5, 0.5, 0.5], normal: [1.0, 2.0, -3.0] };
        let disk = Shape::SlottedDisk {
            center: [0.5, 0.75, 0.5],
            radius: 0.15,
            slot_width: 0.05,
            slot_top: 0.85,
        };
        let pair = |a: &Shape, b: &Shape| Box::new((a.clone(), b.clone()));
        vec![
            Shape::Union(vec![ball.clone(), disk.clone()]),
            Shape::Intersection(vec![slab.clone(), plane.clone(), ball.clone()]),
            Shape::Difference(pair(&slab, &ball)),
            Shape::Difference(pair(&Shape::Union(vec![disk.clone(), slab.clone()]), &plane)),
            Shape::Union(vec![]),
            Shape::Intersection(vec![]),
            ball,
            slab,
            plane,
            disk,
        ]
    }

    #[test]
    fn blocks_have_the_values_of_their_points() {
        const EDGE: usize = 8;
        let band = Band { dx: 1.0 / 64.0, gamma: 3.0 };
        let mut covers = [0; 3];
        for shape in shapes() {
            for block in 0..8 * 8 * 8 {
                let tile = [block % 8, block / 8 % 8, block / 64];
                let axes = tile.map(|first| -> Vec<f64> {
                    (0..EDGE).map(|k| (first * EDGE + k) as f64 * band.dx).collect()
                });
                let axes = axes.each_ref().map(Vec::as_slice);
                let mut values = [0.0f32; EDGE * EDGE * EDGE];
                let cover = shape.sample_into(axes, band, &mut values);
                let expected: Vec<f32> = (0..values.len())
                    .map(|k| [axes[0][k % 8], axes[1][k / 8 % 8], axes[2][k / 64]])
                    .map(|x| (shape.signed_distance(x) / band.dx).clamp(-3.0, 3.0) as f32)
                    .collect();
                assert_eq!(values[..], expected[..], "{shape:?} in tile {tile:?}");
                let all = |value: f32| expected.iter().all(|&v| v == value);
                let known = match (all(-3.0), all(3.0)) {
                    (true, _) => Cover::Inside,
                    (_, true) => Cover::Outside,
                    _ => Cover::Band,
                };
                assert_eq!(cover, known, "{shape:?} in tile {tile:?}");
                covers[cover as usize] += 1;
            }
        }
        assert!(covers.iter().all(|&count| count > 100), "{covers:?}");
    }

    #[test]
    fn boxes_far_from_the_boundary_cost_one_distance() {
        let band = Band { dx: 0.01, gamma: 3.0 };
        let ball = Shape::Ball { center: [0.0; 3], radius: 1.0 };
        let at = |x: f64, edge: f64| ball.cover([x, 0.0, 0.0], [x + edge, edge, edge], band);
        assert_eq!(at(0.0, 0.08), Cover::Inside);
        assert_eq!(at(1.08, 0.08), Cover::Outside);
        assert_eq!(at(0.95, 0.08), Cover::Band);
        // The corner (0, 0, 0) is deep inside, but the box as a whole is not.
        assert_eq!(at(0.0, 2.0), Cover::Band);
        // A box is outside if the distance from its center to the ball exceeds half its diagonal by
        // more than 0.035: the half width of the band plus half a voxel.
        let reach = 1.035 + 0.5 * 0.08 * 3.0f64.sqrt();
        let on_axis = |x: f64| ball.cover([x - 0.04, -0.04, -0.04], [x + 0.04, 0.04, 0.04], band);
        assert_eq!(on_axis(reach + 1e-9), Cover::Outside);
        assert_eq!(on_axis(reach - 1e-9), Cover::Band);
    }

    #[test]
    fn a_block_of_one_value_within_the_band_is_no_constant() {
        let plane = Shape::Plane { point: [0.0; 3], normal: [1.0, 0.0, 0.0] };
        let band = Band { dx: 0.5, gamma: 2.0 };
        let mut values = [0.0f64; 4];
        let cover = plane.sample_into([&[0.25], &[0.0, 1.0], &[0.0, 1.0]], band, &mut values);
        assert_eq!((cover, values), (Cover::Band, [0.5; 4]));
    }
}
