//! Numbers by which the end of a run is judged.

use crate::geometry::{Vec3, shape::Shape, simplex::Simplex};
use crate::mesh::Mesh;

/// Mean of `| |grad phi| - 1 |` over the cells whose vertices are all closer to the interface than
/// `half_width` (all cells without one), weighted by measure; `None` without such cells.
pub(super) fn grad_norm_error(mesh: &Mesh, phi: &[f64], half_width: Option<f64>) -> Option<f64> {
    let (sum, meas) = match mesh.kind.arity() {
        3 => grad_norm_sums::<3>(mesh, phi, half_width.unwrap_or(f64::INFINITY)),
        _ => grad_norm_sums::<4>(mesh, phi, half_width.unwrap_or(f64::INFINITY)),
    };
    (meas > 0.0).then(|| sum / meas)
}

fn grad_norm_sums<const N: usize>(mesh: &Mesh, phi: &[f64], limit: f64) -> (f64, f64) {
    let (mut sum, mut meas) = (0.0, 0.0);
    for cell in mesh.cells.chunks_exact(N) {
        let phi: [f64; N] = std::array::from_fn(|i| phi[cell[i] as usize]);
        if phi.iter().all(|value| value.abs() < limit) {
            let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
            let simplex = Simplex::new(&x);
            sum += simplex.meas * (simplex.gradient(&phi).norm() - 1.0).abs();
            meas += simplex.meas;
        }
    }
    (sum, meas)
}

/// Mean and largest distance of the points of an interface to the boundary of `exact`; `None`
/// without points.
pub(super) fn interface_errors(points: &[[f64; 3]], exact: &Shape) -> Option<(f64, f64)> {
    mean_and_max(points.iter().map(|&x| exact.signed_distance(x).abs()))
}

/// Mean and largest of some numbers; `None` without any.
pub(super) fn mean_and_max(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (n, sum, max) = values.fold((0_u64, 0.0, f64::NEG_INFINITY), |(n, sum, max), x| {
        (n + 1, sum + x, f64::max(max, x))
    });
    (n > 0).then(|| (sum / n as f64, max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn a_steep_function_is_found_out_in_the_band_only() {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.0, 0.0]];
        let mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 1, 3, 2]);
        let phi = [0.0, 1.5, 0.0, 9.0];
        // |grad phi| is 1.5 in the first triangle, 3.75 and more in the second.
        assert!((grad_norm_error(&mesh, &phi, Some(2.0)).unwrap() - 0.5).abs() < 1e-15);
        assert!(grad_norm_error(&mesh, &phi, None).unwrap() > 1.0);
        assert_eq!(grad_norm_error(&mesh, &phi, Some(1.0)), None);
    }

    #[test]
    fn errors_are_distances_to_the_shape() {
        let exact = Shape::Ball { center: [0.0; 3], radius: 1.0 };
        let points = [[1.1, 0.0, 0.0], [0.0, 0.7, 0.0]];
        let (mean, max) = interface_errors(&points, &exact).unwrap();
        assert!((mean - 0.2).abs() < 1e-12 && (max - 0.3).abs() < 1e-12);
        assert_eq!(interface_errors(&[], &exact), None);
    }
}
