//! The plane of a point in a thin plate: of the neighbors in its own layer only.
//!
//! The nearest neighbors of a point on a plate that is one or two spacings thick lie in two layers,
//! one on each side. The least-squares plane of all of them is tilted, or runs across the plate.
//! This module finds the plane that goes through the point and is nearest to half of the neighbors
//! (least trimmed squares: P. Rousseeuw, A. Leroy, *Robust regression and outlier detection*,
//! 1987). It counts only if the distances from this plane show a clear gap between the neighbors on
//! it and the others, as for two layers. Noise and curvature have no such gap.

use nalgebra::Vector3;

use super::normals::NEIGHBORS;
use super::plane::Plane;

/// The smallest number of neighbors on the plane of a layer.
const FEWEST: usize = NEIGHBORS / 2;
/// The smallest number of neighbors in other layers.
const OTHERS: usize = 4;
/// The nearest neighbor in another layer is more than this many times as far from the plane as the
/// farthest neighbor on it.
const GAP: f64 = 4.0;
/// Other layers are at least this far from the plane, in mean distances of the neighbors.
const APART: f64 = 0.3;
/// Two neighbors do not determine a plane if the sine of their angle, seen from the point, is
/// smaller than this.
const SINE: f64 = 0.3;

/// Returns the unit normal of the layer of a point, or `None` if its neighbors do not lie in
/// several layers, of which at least half of them are in its own.
pub(super) fn normal(point: [f64; 3], near: &[[f64; 3]]) -> Option<[f64; 3]> {
    if near.len() < FEWEST + OTHERS {
        return None;
    }
    let from = |x: &[f64; 3]| Vector3::new(x[0] - point[0], x[1] - point[1], x[2] - point[2]);
    let away: Vec<Vector3<f64>> = near.iter().map(from).collect();
    let mean = away.iter().map(|d| d.norm()).sum::<f64>() / away.len() as f64;
    // The sum of the smallest squared distances from the best plane so far, and its normal.
    let mut best: Option<(f64, Vector3<f64>)> = None;
    let mut off = vec![0.0; away.len()];
    for (i, a) in away.iter().enumerate() {
        for b in &away[i + 1..] {
            let across = a.cross(b);
            if across.norm() < SINE * a.norm() * b.norm() {
                continue;
            }
            let normal = across.normalize();
            off.iter_mut().zip(&away).for_each(|(off, d)| *off = d.dot(&normal).powi(2));
            off.select_nth_unstable_by(FEWEST - 1, f64::total_cmp);
            let sum = off[..FEWEST].iter().sum();
            if best.is_none_or(|(least, _)| sum < least) {
                best = Some((sum, normal));
            }
        }
    }
    let (_, through) = best?;
    let sorted = |distance: &dyn Fn(usize) -> f64| {
        let mut order: Vec<(f64, usize)> = (0..near.len()).map(|k| (distance(k), k)).collect();
        order.sort_by(|(a, i), (b, j)| a.total_cmp(b).then(i.cmp(j)));
        order
    };
    let order = sorted(&|k| away[k].dot(&through).abs());
    let fitted = |own: &[(f64, usize)]| Plane::through(point, own.iter().map(|(_, k)| near[*k]));
    let plane = fitted(&order[..FEWEST])?;
    let order = sorted(&|k| plane.distance(near[k]));
    let is_gap = |n: &usize| {
        let [on, other] = [order[n - 1].0, order[*n].0];
        other > GAP * on && other > APART * mean
    };
    let n = (FEWEST..=near.len() - OTHERS).find(is_gap)?;
    fitted(&order[..n]).map(|plane| plane.normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the nearest points to the origin, without the point there.
    fn nearest(points: impl Iterator<Item = [f64; 3]>) -> Vec<[f64; 3]> {
        let square = |x: &[f64; 3]| x.iter().map(|c| c * c).sum::<f64>();
        let mut points: Vec<[f64; 3]> = points.filter(|x| square(x) > 0.0).collect();
        points.sort_by(|a, b| square(a).total_cmp(&square(b)));
        points.truncate(NEIGHBORS);
        points
    }

    fn grid() -> impl Iterator<Item = [f64; 2]> {
        (0..121).map(|k| [f64::from(k % 11) - 5.0, f64::from(k / 11) - 5.0])
    }

    /// Returns a number from -1 to 1 that looks random.
    fn chance(k: usize) -> f64 {
        let mut x = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for shift in [30, 27, 31] {
            x = (x ^ x >> shift).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    #[test]
    fn the_sides_of_a_thin_plate_are_told_apart() {
        for (apart, shift) in [(0.5, 0.5), (1.0, 0.0), (1.0, 0.5), (1.7, 0.3)] {
            let layers = grid().flat_map(|[x, y]| [[x, y, 0.0], [x + shift, y + shift, -apart]]);
            let noise = |(k, x): (usize, [f64; 3])| [x[0], x[1], x[2] + 0.02 * chance(k)];
            let found = normal([0.0; 3], &nearest(layers.enumerate().map(noise))).unwrap();
            assert!(found[2].abs() > 0.99, "{apart}, {shift}: {found:?}");
        }
    }

    #[test]
    fn noise_and_curvature_are_no_layers() {
        let noisy = grid().enumerate().map(|(k, [x, y])| [x, y, 0.5 * chance(k)]);
        assert_eq!(normal([0.0; 3], &nearest(noisy)), None);
        let curved = grid().map(|[x, y]| [x, y, -0.2 * (x * x + y * y)]);
        assert_eq!(normal([0.0; 3], &nearest(curved)), None);
    }
}
