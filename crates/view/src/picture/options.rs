//! The options of a picture.

use super::canvas;
use super::prepared_mesh::Stage;
use super::{Camera, ColorMap, Subject, View};
use zeroset_core::error::{Error, Result};

/// The allowed range of the width and height of a picture in pixels.
pub const SIDE: std::ops::RangeInclusive<u32> = 16..=8192;

/// The allowed range of the angle of a perspective view in degrees.
pub const PERSPECTIVE: std::ops::RangeInclusive<f64> = 1.0..=120.0;

/// The options of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The number of pixels per row, which must be within [`SIDE`]. The default is 1200.
    pub width: u32,
    /// The number of rows, which must be within [`SIDE`]. The default is 900.
    pub height: u32,
    /// Whether wide or tall content gets a canvas of a different shape, which it fills and which
    /// has about as many pixels as 1200 x 900. The default is true. [`Options::with_size`] sets it
    /// to false.
    pub adaptive: bool,
    /// The side from which the content is seen.
    pub view: View,
    /// A camera that replaces the view.
    pub camera: Option<Camera>,
    /// The values at both ends of the color bar, in their unit, smaller value first. The default is
    /// the range of the finite values, made symmetric about 0 if they have both signs.
    pub range: Option<[f64; 2]>,
    /// The angle, in degrees, that a ball around the content spans as seen from the eye. It must be
    /// within [`PERSPECTIVE`]. The larger the angle, the nearer the eye. The default is a parallel
    /// projection.
    pub perspective: Option<f64>,
    /// Whether the background is transparent instead of white.
    pub transparent: bool,
    /// The direction to the lamp, of any nonzero length, in the axes of the picture: right, up, and
    /// toward the eye. The default is [-0.36, 0.48, 0.8], which points to the upper left.
    pub light: Option<[f64; 3]>,
    /// The color map of values.
    pub colormap: ColorMap,
    /// The unit of the values, such as "mm", shown above the color bar. The default is none.
    pub unit: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 1200,
            height: 900,
            adaptive: true,
            view: View::Auto,
            camera: None,
            range: None,
            perspective: None,
            transparent: false,
            light: None,
            colormap: ColorMap::Auto,
            unit: String::new(),
        }
    }
}

impl Options {
    /// Sets width and height in pixels, each within [`SIDE`].
    pub fn with_size(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height, self.adaptive) = (width, height, false);
        self
    }

    /// Sets the color map of values.
    pub fn with_colormap(mut self, colormap: ColorMap) -> Self {
        self.colormap = colormap;
        self
    }

    /// Sets the view. This removes a camera that was set before.
    pub fn with_view(mut self, view: View) -> Self {
        (self.view, self.camera) = (view, None);
        self
    }

    /// Sets the camera.
    pub fn with_camera(mut self, camera: Camera) -> Self {
        self.camera = Some(camera);
        self
    }

    /// Sets the unit of the values.
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Sets the values at both ends of the color bar, in their unit, smaller value first.
    pub fn with_range(mut self, range: [f64; 2]) -> Self {
        self.range = Some(range);
        self
    }

    /// Sets the direction to the lamp in the axes of the picture. With `None`, the lamp is at the
    /// upper left.
    pub fn with_light(mut self, from: Option<[f64; 3]>) -> Self {
        self.light = from;
        self
    }

    /// Sets the perspective angle in degrees, within [`PERSPECTIVE`]. With `None`, the projection
    /// is parallel.
    pub fn with_perspective(mut self, degrees: Option<f64>) -> Self {
        self.perspective = degrees;
        self
    }

    /// Sets whether the background is transparent.
    pub fn with_transparency(mut self, transparent: bool) -> Self {
        self.transparent = transparent;
        self
    }

    /// Returns the first invalid option, as its key and a description, or `None` if all are valid.
    pub fn flaw(&self) -> Option<(String, String)> {
        for (key, n) in [("width", self.width), ("height", self.height)] {
            if !SIDE.contains(&n) {
                let (low, high) = (SIDE.start(), SIDE.end());
                return Some((
                    key.into(),
                    format!("must be between {low} and {high} pixels, but is {n}"),
                ));
            }
        }
        if let Some([low, high]) = self.range {
            let apart = high - low > 1e-9 * low.abs().max(high.abs()).max(1e-290);
            if !(apart && low.abs() <= 1e300 && high.abs() <= 1e300) {
                let what =
                    format!("must be two numbers, the smaller first, but is [{low}, {high}]");
                return Some(("range".into(), what));
            }
        }
        if let Some(angle) = self.perspective.filter(|angle| !PERSPECTIVE.contains(angle)) {
            let (low, high) = (PERSPECTIVE.start(), PERSPECTIVE.end());
            return Some((
                "perspective".into(),
                format!("must be between {low} and {high} degrees, but is {angle}"),
            ));
        }
        if let Some(light) = self.light {
            let size = light.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(size > 0.0 && size.is_finite()) {
                let what = format!("must be a direction that is not zero, but is {light:?}");
                return Some(("light".into(), what));
            }
        }
        let (key, what) = self.camera.as_ref().and_then(Camera::flaw)?;
        Some((format!("camera.{key}"), what))
    }

    /// Returns these options with the size, the camera and the range filled in as a picture of this
    /// subject would use them. Pictures of other states are comparable with that picture if they
    /// are drawn with the returned options.
    ///
    /// # Errors
    /// Returns the errors of [`super::draw`].
    pub fn settled(&self, subject: &Subject<'_>) -> Result<Options> {
        Ok(Stage::new(subject, self)?.options)
    }

    /// Returns the width and height of a picture for content with the given ratio of width to
    /// height and `right` units of room next to it.
    pub(super) fn size(&self, aspect: impl FnOnce() -> f64, right: f64) -> [u32; 2] {
        match self.adaptive {
            true => canvas::size_for(aspect(), right),
            false => [self.width, self.height],
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        match self.flaw() {
            None => Ok(()),
            Some((key, what)) => Err(Error::usage(format!("{key} {what}"), "")),
        }
    }
}
