//! Signed distances to a plane shape that is extruded along z.

use super::PlaneCurves;
use crate::io::Curve;

/// A plane shape with closed curves as its boundary, between two heights.
#[derive(Clone, Debug)]
pub struct Extrusion {
    plane: PlaneCurves,
    /// The lower and the upper end along z. `None` for an infinite prism.
    ends: Option<[f64; 2]>,
}

impl Extrusion {
    /// Creates the shape that closed `curves` enclose.
    pub fn new(curves: &[Curve], ends: Option<[f64; 2]>) -> Self {
        Extrusion { plane: PlaneCurves::new(curves), ends }
    }

    /// Returns the signed distance of each point in the unit of the curves, negative inside.
    pub fn signed_distances(&self, points: &[[f64; 3]]) -> Vec<f64> {
        let mut distances = self.plane.signed_distances(points);
        if let Some([low, high]) = self.ends {
            for (distance, x) in distances.iter_mut().zip(points) {
                let (side, end) = (*distance, (low - x[2]).max(x[2] - high));
                *distance = match side > 0.0 && end > 0.0 {
                    true => side.hypot(end),
                    false => side.max(end),
                };
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_a_box() {
        let points = vec![[0.0; 3], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let square = [Curve { points, closed: true }];
        let shape = Extrusion::new(&square, Some([-1.0, 3.0]));
        for (x, distance) in [
            ([1.0, 0.5, 0.0], -0.5),
            ([1.0, 0.5, 2.9], -0.1),
            ([1.0, 0.5, 5.0], 2.0),
            ([5.0, 0.5, 7.0], 5.0),
            ([5.0, 5.0, 3.0], 5.0),
            ([5.0, 5.0, 15.0], 13.0),
        ] {
            let found = shape.signed_distances(&[x])[0];
            assert!((found - distance).abs() < 1e-12, "{x:?}: {found}");
        }
        let prism = Extrusion::new(&square, None);
        assert_eq!(prism.signed_distances(&[[1.0, 0.5, 1e9]]), [-0.5]);
    }
}
