//! Where the mesh appears in the picture.

use super::camera::Axes;
use super::vector::{V, dot};

/// Where the mesh appears in the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub axes: Axes,
    /// Pixels per mesh unit.
    pub scale: f64,
    /// Pixel of the origin of the mesh.
    pub origin: [f64; 2],
    /// Unit of line widths, in pixels: 1 in a picture of 1200 x 900.
    pub unit: f64,
}

impl Frame {
    /// Makes a mesh fill `area` (left, top, right, bottom, pixels), times `zoom`.
    pub(super) fn fit(axes: Axes, points: &[V], area: [f64; 4], zoom: f64, unit: f64) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for x in points {
            for (k, axis) in [axes.right, axes.up].into_iter().enumerate() {
                let x = dot(*x, axis);
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        let [left, top, right, bottom] = area;
        let (width, height) = (high[0] - low[0], high[1] - low[1]);
        let scale = ((right - left) / width).min((bottom - top) / height);
        let scale = if scale.is_finite() { scale * zoom } else { zoom };
        let middle = [0, 1].map(|k| low[k] + 0.5 * (high[k] - low[k]));
        let origin =
            [0.5 * (left + right) - middle[0] * scale, 0.5 * (top + bottom) + middle[1] * scale];
        Frame { axes, scale, origin, unit }
    }

    /// Pixel of a point, y downwards, and its height towards the eye in pixels.
    pub(super) fn project(&self, x: V) -> V {
        [
            self.origin[0] + dot(x, self.axes.right) * self.scale,
            self.origin[1] - dot(x, self.axes.up) * self.scale,
            dot(x, self.axes.toward) * self.scale,
        ]
    }
}
