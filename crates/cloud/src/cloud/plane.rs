//! The plane nearest to a point and its neighbors.

use nalgebra::{Matrix3, Vector3};

/// The plane through the middle of some points that they are nearest to in the mean square.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// The direction of least variance, of length 1.
    pub normal: [f64; 3],
    /// Root of the mean square distance of the points from it, for the three numbers that it is fitted by; 0 for three
    /// points and fewer.
    pub off: f64,
}

impl Plane {
    /// The plane of a point and its neighbors; `None` if they are all in one place.
    pub fn through(point: [f64; 3], near: impl Iterator<Item = [f64; 3]> + Clone) -> Option<Self> {
        let from =
            move |x: [f64; 3]| Vector3::new(x[0] - point[0], x[1] - point[1], x[2] - point[2]);
        let near = near.map(from);
        let n = near.clone().count() + 1;
        let mean = near.clone().sum::<Vector3<f64>>() / n as f64;
        // Of numbers about 1, so that no square is out of range.
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
        Some(Plane { normal: [0, 1, 2].map(|k| normal[k] / length), off })
    }
}
