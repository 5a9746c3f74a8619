//! Views and cameras: the direction from which the content is seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vector::{V, cross, length, unit};

/// The side from which the content is seen, such as `view = "auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum View {
    /// Planar meshes from above, other flat meshes along their normal, a part with values or labels
    /// along its mean normal, surfaces from the side that shows the most of the interface or of the
    /// value range, tetrahedra from a corner (default).
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// From the positive x side.
    #[serde(rename = "+x")]
    PlusX,
    /// From the negative x side.
    #[serde(rename = "-x")]
    MinusX,
    /// From the positive y side.
    #[serde(rename = "+y")]
    PlusY,
    /// From the negative y side.
    #[serde(rename = "-y")]
    MinusY,
    /// From above, the positive z side.
    #[serde(rename = "+z")]
    PlusZ,
    /// From below, the negative z side.
    #[serde(rename = "-z")]
    MinusZ,
}

impl View {
    /// Returns the unit vector to the eye, or `None` if it depends on the content.
    pub fn direction(self) -> Option<V> {
        Some(match self {
            View::PlusX => [1.0, 0.0, 0.0],
            View::MinusX => [-1.0, 0.0, 0.0],
            View::PlusY => [0.0, 1.0, 0.0],
            View::MinusY => [0.0, -1.0, 0.0],
            View::PlusZ => [0.0, 0.0, 1.0],
            View::MinusZ => [0.0, 0.0, -1.0],
            View::Auto => return None,
        })
    }
}

/// The default direction for solids, from a corner.
pub(crate) const CORNER: V = [0.55, -0.9, 0.5];

/// A camera given explicitly: `camera = { from = [1, -2, 1] }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Camera {
    /// The direction from the center of the mesh to the eye, of any nonzero length.
    pub from: [f64; 3],
    /// The direction that points up in the picture, which must not be parallel to `from`. The
    /// default is z, or y if the view is along z.
    pub up: Option<[f64; 3]>,
    /// The magnification, 0.1 to 50. At 1 (default), the mesh fills the picture.
    #[serde(default = "one")]
    #[schemars(range(min = 0.1, max = 50.0))]
    pub zoom: f64,
}

fn one() -> f64 {
    1.0
}

impl Camera {
    /// Creates a camera that looks from the direction `from`, with the default `up` and a zoom of
    /// 1.
    pub fn new(from: [f64; 3]) -> Self {
        Camera { from, up: None, zoom: 1.0 }
    }

    /// Returns the first invalid field, as its key and a description, or `None` if all are valid.
    pub fn flaw(&self) -> Option<(&'static str, String)> {
        let finite = |v: &[f64; 3]| v.iter().all(|x| x.is_finite() && x.abs() < 1e100);
        if !finite(&self.from) || length(unit(self.from)) == 0.0 {
            return Some(("from", format!("must be finite and not zero, but is {:?}", self.from)));
        }
        if let Some(up) = self.up {
            let along = length(cross(unit(up), unit(self.from)));
            if !finite(&up) || length(unit(up)) == 0.0 || along < 1e-6 {
                let what =
                    format!("must be finite, not zero and not parallel to `from`, but is {up:?}");
                return Some(("up", what));
            }
        }
        if !(0.1..=50.0).contains(&self.zoom) {
            return Some(("zoom", format!("must be between 0.1 and 50, but is {}", self.zoom)));
        }
        None
    }
}

/// The direction to the lamp in the axes of a picture. It points left, up, and toward the eye.
const LAMP: V = [-0.36, 0.48, 0.8];

/// The axes of a picture in mesh coordinates (right, up, and toward the eye), and the direction to
/// the lamp relative to these axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    pub right: V,
    pub up: V,
    pub toward: V,
    pub lamp: V,
}

impl Axes {
    pub(crate) fn new(camera: &Camera) -> Self {
        let toward = unit(camera.from);
        let default = if toward[2].abs() < 0.99 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
        let up = camera.up.unwrap_or(default);
        let right = unit(cross(up, toward));
        Axes { right, up: cross(toward, right), toward, lamp: LAMP }
    }

    /// Sets the direction to the lamp, of any nonzero length. With `None`, the direction stays as
    /// it is.
    pub(crate) fn lit(mut self, from: Option<V>) -> Self {
        self.lamp = from.map_or(self.lamp, unit);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::vector::dot;

    #[test]
    fn axes_are_at_right_angles_with_z_upwards() {
        for from in [[1.0, 0.0, 0.0], [0.3, -0.5, 0.2], [0.0, 0.0, -2.0], [0.0, 0.1, 9.0]] {
            let axes = Axes::new(&Camera::new(from));
            for (a, b) in [(axes.right, axes.up), (axes.up, axes.toward), (axes.right, axes.toward)]
            {
                assert!(dot(a, b).abs() < 1e-12 && (length(a) - 1.0).abs() < 1e-12);
            }
            assert!(dot(cross(axes.right, axes.up), axes.toward) > 0.99);
            assert!(axes.up[2] > -0.02);
        }
        let from_x = Axes::new(&Camera::new([1.0, 0.0, 0.0]));
        assert_eq!((from_x.right, from_x.up), ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]));
    }

    #[test]
    fn flaws_name_the_key() {
        let flaw = |camera: Camera| camera.flaw().map(|(key, _)| key);
        assert_eq!(flaw(Camera::new([1.0, 0.0, 0.0])), None);
        assert_eq!(flaw(Camera::new([0.0; 3])), Some("from"));
        assert_eq!(flaw(Camera::new([f64::NAN, 0.0, 0.0])), Some("from"));
        let along = Camera { up: Some([2.0, 0.0, 0.0]), ..Camera::new([1.0, 0.0, 0.0]) };
        assert_eq!(flaw(along), Some("up"));
        assert_eq!(flaw(Camera { zoom: 0.0, ..Camera::new([1.0, 0.0, 0.0]) }), Some("zoom"));
    }
}
