//! Error norms: the mean and the maximum of the errors of a result.

use crate::geometry::shape::Shape;

/// Returns the mean and the largest distance from the points of an interface to the boundary of
/// `exact`, or `None` if there are no points.
pub(super) fn interface_errors(points: &[[f64; 3]], exact: &Shape) -> Option<(f64, f64)> {
    mean_and_max(points.iter().map(|&x| exact.signed_distance(x).abs()))
}

/// Returns the mean and the largest of `values`, or `None` if there are no values.
pub(super) fn mean_and_max(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (n, sum, max) = values.fold((0_u64, 0.0, f64::NEG_INFINITY), |(n, sum, max), x| {
        (n + 1, sum + x, f64::max(max, x))
    });
    (n > 0).then(|| (sum / n as f64, max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_distances_to_the_shape() {
        let exact = Shape::Ball { center: [0.0; 3], radius: 1.0 };
        let points = [[1.1, 0.0, 0.0], [0.0, 0.7, 0.0]];
        let (mean, max) = interface_errors(&points, &exact).unwrap();
        assert!((mean - 0.2).abs() < 1e-12 && (max - 0.3).abs() < 1e-12);
        assert_eq!(interface_errors(&[], &exact), None);
    }
}
