//! Least-squares plane of a point and its neighbors.

use nalgebra::{Matrix3, Vector3};

/// The least-squares plane through the centroid of a set of points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// The direction of the smallest variance, as a unit vector.
    pub normal: [f64; 3],
    /// The root-mean-square distance of the points from the plane, corrected for the three fitted
    /// parameters. It is 0 for three points or fewer.
    pub off: f64,
    /// The extent of the points across their longest direction, within the plane, as a fraction of
    /// their extent along it. It is 0 for points on a line.
    pub width: f64,
    /// The largest difference of a coordinate between the point and one of its neighbors.
    pub extent: f64,
    /// A point on the plane: the centroid.
    center: [f64; 3],
}

impl Plane {
    /// Fits the plane of a point and its neighbors. Returns `None` if they are all at the same
    /// position, or if the fit is not finite.
    pub fn through(point: [f64; 3], near: impl Iterator<Item = [f64; 3]> + Clone) -> Option<Self> {
        let from =
            move |x: [f64; 3]| Vector3::new(x[0] - point[0], x[1] - point[1], x[2] - point[2]);
        let near = near.map(from);
        let n = near.clone().count() + 1;
        let mean = near.clone().sum::<Vector3<f64>>() / n as f64;
        // Scale the differences to about 1, so that no square overflows or underflows.
        let size = near.clone().map(|d| d.amax()).fold(0.0, f64::max);
        if size == 0.0 {
            return None;
        }
        let mut variance = Matrix3::zeros();
        for d in near.chain([Vector3::zeros()]) {
            let d = (d - mean) / size;
            variance += d * d.transpose();
        }
        let found = variance.symmetric_eigen();
        let axis = found.eigenvalues.imin();
        let normal = found.eigenvectors.column(axis);
        let length = normal.norm();
        if !(length > 0.5 && length.is_finite()) {
            return None;
        }
        let square = found.eigenvalues[axis].max(0.0) / n.saturating_sub(3).max(1) as f64;
        let off = if n > 3 { size * square.sqrt() } else { 0.0 };
        let center = [0, 1, 2].map(|k| point[k] + mean[k]);
        let mut variances = [0, 1, 2].map(|k| found.eigenvalues[k].max(0.0));
        variances.sort_unstable_by(f64::total_cmp);
        let width = (variances[1] / variances[2]).sqrt();
        let normal = [0, 1, 2].map(|k| normal[k] / length);
        Some(Plane { normal, off, width, extent: size, center })
    }

    /// Returns the distance of a point from the plane.
    pub fn distance(&self, x: [f64; 3]) -> f64 {
        (0..3).map(|k| (x[k] - self.center[k]) * self.normal[k]).sum::<f64>().abs()
    }
}
