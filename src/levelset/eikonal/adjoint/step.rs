//! Derivatives of the time that a front needs from a facet to the opposite vertex.
//!
//! With the metric G of the cell, the time of a straight step d is T = sqrt(d . G d). The foot of a
//! front minimizes the arrival time, so the derivative at a fixed foot is the whole one: dT / dG =
//! d d^T / 2T. Where the height of a vertex is raised ([`formulas`](super::super::formulas)), T^2
//! is the sum of the squared distance of two points of the facet and of the squared raised height,
//! which depends on G, too.

use nalgebra::Matrix3;

use crate::geometry::Vec3;
use crate::levelset::eikonal::formulas::LEAST_HEIGHT;

/// A vertex counts as raised if this makes its squared time larger by more than this fraction.
const RAISED: f64 = 1e-8;

/// Returns the derivative of the square of a travel time by the entries of a symmetric metric. The
/// product of the result with a change of the metric, entry by entry, is the change of the square.
///
/// `facet` has the corners of the facet that the front comes through, one to three, `weights` the
/// barycentric weights of the foot, and `to` is the vertex. All are positions in mesh units.
/// `time` is the time that the formulas found, and `map` maps a step to its coordinates in the
/// metric.
pub(super) fn derivative_of_square(
    facet: &[Vec3],
    weights: &[f64],
    to: Vec3,
    time: f64,
    map: impl Fn(&Vec3) -> Vec3,
) -> Matrix3<f64> {
    let step = facet.iter().zip(weights).map(|(x, w)| (to - x) * *w).sum::<Vec3>();
    let straight = map(&step).norm_squared();
    if time * time - straight <= RAISED * straight || facet.len() < 2 {
        return step * step.transpose();
    }
    let edges: Vec<Vec3> = facet[1..].iter().map(|x| x - facet[0]).collect();
    let Some(along) = foot_of_perpendicular(&edges, to - facet[0], &map) else {
        return step * step.transpose();
    };
    // The step consists of a part in the facet and of one perpendicular to it, in the metric.
    let combine = |weights: &[f64]| edges.iter().zip(weights).map(|(e, w)| e * *w).sum::<Vec3>();
    let across = (to - facet[0]) - combine(&along);
    let inside = step - across;
    let symmetric = |a: Vec3, b: Vec3| a * b.transpose() + b * a.transpose();
    // The raised height is a fraction of the longest edge, or the distance of the foot of the
    // perpendicular from the nearest corner.
    let square = |v: &Vec3| map(v).norm_squared();
    let longest = (0..facet.len())
        .flat_map(|j| (0..j).map(move |k| (j, k)))
        .map(|(j, k)| facet[j] - facet[k])
        .max_by(|a, b| square(a).total_cmp(&square(b)))
        .unwrap_or_default();
    let gap = facet
        .iter()
        .map(|x| combine(&along) - (x - facet[0]))
        .min_by(|a, b| square(a).total_cmp(&square(b)))
        .unwrap_or_default();
    let of_height = if LEAST_HEIGHT * LEAST_HEIGHT * square(&longest) <= square(&gap) {
        longest * longest.transpose() * (LEAST_HEIGHT * LEAST_HEIGHT)
    } else {
        gap * gap.transpose() + symmetric(gap, across)
    };
    inside * inside.transpose() + symmetric(inside, across) + of_height
}

/// Returns the weights of the edges of a facet at the point closest to the end of a step, in the
/// metric.
fn foot_of_perpendicular(
    edges: &[Vec3],
    step: Vec3,
    map: &impl Fn(&Vec3) -> Vec3,
) -> Option<Vec<f64>> {
    let to = map(&step);
    match *edges {
        [e] => {
            let e = map(&e);
            Some(vec![e.dot(&to) / e.norm_squared()])
        }
        [a, b] => {
            let (a, b) = (map(&a), map(&b));
            let (aa, ab, bb) = (a.norm_squared(), a.dot(&b), b.norm_squared());
            let det = a.cross(&b).norm_squared();
            let (ra, rb) = (a.dot(&to), b.dot(&to));
            (det > 0.0).then(|| vec![(bb * ra - ab * rb) / det, (aa * rb - ab * ra) / det])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levelset::eikonal::{Metric, formulas};
    use proptest::prelude::*;

    /// Returns the arrival time over a facet in a metric, and the weights of its foot.
    fn solve(facet: &[Vec3], u: &[f64], to: Vec3, tensor: &Matrix3<f64>) -> (f64, Vec<f64>) {
        let d = tensor.try_inverse().unwrap();
        let metric =
            Metric::new([d[(0, 0)], d[(1, 1)], d[(2, 2)], d[(0, 1)], d[(1, 2)], d[(0, 2)]]);
        let map = |x: &Vec3| metric.unwrap().map(x);
        let x: Vec<Vec3> = facet.iter().map(map).collect();
        match *facet {
            [_, _] => {
                let found = formulas::triangle_foot(u[0], u[1], &x[0], &x[1], &map(&to), 1.0);
                (found.0, vec![1.0 - found.1, found.1])
            }
            _ => {
                let [a, b, c] = [&x[0], &x[1], &x[2]];
                let u = [u[0], u[1], u[2]];
                let found = formulas::tetrahedron_foot(u, [a, b, c], &map(&to), 1.0);
                (found.0, found.1.to_vec())
            }
        }
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_formulas(
            x in proptest::collection::vec(-1.0f64..1.0, 12),
            u in proptest::array::uniform3(0.0f64..0.3),
            turn in proptest::array::uniform3(-3.0f64..3.0),
            speeds in proptest::array::uniform3(0.5f64..2.0),
            change in proptest::array::uniform6(-1.0f64..1.0),
            flatness in prop_oneof![Just(1.0), Just(0.01)],
            corners in 2..4usize,
        ) {
            let at = |k: usize| Vec3::new(x[3 * k], x[3 * k + 1], x[3 * k + 2]);
            let facet: Vec<Vec3> = (0..corners).map(at).collect();
            let edge = facet[1] - facet[0];
            prop_assume!(edge.norm() > 0.3 && (corners == 2 || edge.cross(&(facet[2] - facet[0])).norm() > 0.2));
            // Many vertices lie almost on the facet.
            let middle = facet.iter().sum::<Vec3>() / corners as f64;
            let to = middle + (at(3) - middle) * flatness;
            let turn = nalgebra::Rotation3::from_euler_angles(turn[0], turn[1], turn[2]);
            let tensor = turn.matrix()
                * Matrix3::from_diagonal(&Vec3::from(speeds))
                * turn.matrix().transpose();
            let [a, b, c, d, e, f] = change;
            let change = Matrix3::new(a, d, f, d, b, e, f, e, c);
            let (value, weights) = solve(&facet, &u, to, &tensor);
            let time = value - weights.iter().zip(&u).map(|(w, u)| w * u).sum::<f64>();
            prop_assume!(time > 1e-3);
            let h = 1e-6;
            let at = |h: f64| solve(&facet, &u, to, &(tensor + change * h)).0;
            let (high, low) = (at(h), at(-h));
            let difference = (high - low) / (2.0 * h);
            // At a kink of the raised height, the two sides differ.
            prop_assume!((high + low - 2.0 * value).abs() < 1e-9);
            let root = tensor.cholesky().unwrap().l().transpose();
            let used: Vec<usize> = (0..corners).filter(|&k| weights[k] > 0.0).collect();
            let facet: Vec<Vec3> = used.iter().map(|&k| facet[k]).collect();
            let weights: Vec<f64> = used.iter().map(|&k| weights[k]).collect();
            let found = derivative_of_square(&facet, &weights, to, time, |x| root * x);
            let found = found.component_mul(&change).sum() / (2.0 * time);
            prop_assert!((found - difference).abs() < 1e-5 * (1.0 + difference.abs()), "{found} {difference}");
        }
    }
}
