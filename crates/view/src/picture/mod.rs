//! Pictures of a mesh with its values, or of a volume, made without any other program.
//!
//! [`draw`] shows a planar mesh from above, or a surface from the direction that shows the most.
//! Colors show phi or a distance. The picture also has the interface or lines of equal distance, a
//! color bar and a title. For tetrahedra, it shows the interface in front of the far walls of the
//! domain. For a distance in tetrahedra, it shows the outer boundary instead. For a volume, it
//! shows what rays through the volume hit ([`Traced`], drawn with [`crate::render`]). Equal values
//! give bitwise identical pictures on every machine.
//!
//! ```
//! use zeroset_core::mesh::generate::{Generate, Sphere, generate};
//! use zeroset_view::picture::{Options, Subject, draw};
//!
//! let mesh = generate(&Generate::Sphere(Sphere::default()))?;
//! let phi: Vec<f64> = mesh.vertices.iter().map(|x| x[2] - 0.3).collect();
//! let image = draw(&Subject::new(&mesh, &phi), &Options::default().with_size(320, 240))?;
//! assert_eq!(image.pixels.len(), 320 * 240 * 3);
//! # Ok::<(), zeroset_core::Error>(())
//! ```

mod color;
mod color_bar;
pub mod cuda;
mod depth_buffer;
mod drawing;
mod font;
mod image;
mod lines;
mod prepared_mesh;
mod raster;
mod row_bands;
mod strokes;
mod triangle_fans;
mod vertex_colors;
pub mod view;
mod volume_picture;

pub use image::{Image, check_path};
pub use vertex_colors::surface;
pub use vertex_colors::vertex_colors;
pub use volume_picture::{SAMPLES, Shows, Traced, Tracer, trace};

pub use crate::render::{Camera, View};

use drawing::Drawing;
use prepared_mesh::Stage;
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::Mesh;

/// The allowed range of the width and height of a picture in pixels.
pub const SIDE: std::ops::RangeInclusive<u32> = 16..=8192;

/// The allowed range of the angle of a perspective view in degrees.
pub const PERSPECTIVE: std::ops::RangeInclusive<f64> = 1.0..=120.0;

/// The lines drawn on a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lines {
    /// The zero set of the values (default). For tetrahedra, it is a surface.
    #[default]
    Interface,
    /// Lines on which the value is a round number.
    Round,
    /// No lines.
    None,
}

/// The content of a picture of a mesh.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The cleaned mesh.
    pub mesh: &'a Mesh,
    /// The values of phi or a distance, `[n_vertices]`. Values that are not finite are drawn gray.
    pub values: &'a [f64],
    /// The lines to draw.
    pub lines: Lines,
    /// Another array that determines the colors, `[n_vertices]`.
    pub colors: Option<&'a [f64]>,
    /// The colors of the vertices in sRGB, `[n_vertices]`, which replace the color map. The picture
    /// then has no color bar.
    pub paint: Option<&'a [[u8; 3]]>,
    /// The name of the array that determines the colors.
    pub name: &'a str,
    /// The title, such as the name of a case.
    pub title: &'a str,
    /// The text after the title, such as the time.
    pub note: &'a str,
}

impl<'a> Subject<'a> {
    /// Creates a subject from a level-set function on a mesh. Its name is "phi", and the picture
    /// shows its zero set.
    pub fn new(mesh: &'a Mesh, values: &'a [f64]) -> Self {
        let lines = Lines::Interface;
        Subject { mesh, values, lines, colors: None, paint: None, name: "phi", title: "", note: "" }
    }

    /// Sets the lines.
    pub fn with_lines(mut self, lines: Lines) -> Self {
        self.lines = lines;
        self
    }

    /// Sets the name of the values.
    pub fn with_name(mut self, name: &'a str) -> Self {
        self.name = name;
        self
    }

    /// Sets another array for the colors, `[n_vertices]`. The lines still show the values.
    pub fn colored_by(mut self, name: &'a str, colors: &'a [f64]) -> Self {
        (self.name, self.colors) = (name, Some(colors));
        self
    }

    /// Sets the color of each vertex in sRGB, `[n_vertices]`, such as the result of
    /// [`vertex_colors`].
    pub fn painted(mut self, colors: &'a [[u8; 3]]) -> Self {
        self.paint = Some(colors);
        self
    }

    /// Sets the title and the note that follows it.
    pub fn with_title(mut self, title: &'a str, note: &'a str) -> Self {
        (self.title, self.note) = (title, note);
        self
    }

    fn shown(&self) -> &'a [f64] {
        self.colors.unwrap_or(self.values)
    }

    fn range(&self) -> [f64; 2] {
        span(self.shown())
    }

    fn check(&self) -> Result<()> {
        let n = self.mesh.n_vertices();
        for values in [Some(self.values), self.colors].into_iter().flatten() {
            if values.len() != n {
                let what = format!("{} values for a mesh of {n} vertices", values.len());
                return Err(Error::usage(what, "give one value per vertex"));
            }
        }
        if let Some(paint) = self.paint.filter(|paint| paint.len() != n) {
            let what = format!("{} colors for a mesh of {n} vertices", paint.len());
            return Err(Error::usage(what, "give one color per vertex"));
        }
        Ok(())
    }
}

/// Returns the smallest range that contains all finite values. It is symmetric about 0 if the
/// values have both signs. If all values are nearly equal, their value is in the middle of the
/// range and 0 is at one end. If their value is 0, the range is from -1 to 1. If no value is
/// finite, the range is from 0 to 1.
fn span(values: &[f64]) -> [f64; 2] {
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return [0.0, 1.0];
    }
    if low < 0.0 && high > 0.0 {
        let most = high.max(-low).min(1e300);
        return [-most, most];
    }
    let most = low.abs().max(high.abs());
    // Differences that could be rounding errors do not count.
    if high - low > 1e-9 * most.max(1e-290) {
        return [low, high];
    }
    let reach = if most < 1e-290 { 1.0 } else { most.min(1e300) };
    [low - reach, high + reach]
}

/// The content of a picture.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Scene<'a> {
    /// A mesh, drawn as triangles with a depth buffer.
    Mesh(Subject<'a>),
    /// A volume, drawn by rays.
    Traced(Traced<'a>),
}

impl<'a> From<&Subject<'a>> for Scene<'a> {
    fn from(subject: &Subject<'a>) -> Self {
        Scene::Mesh(*subject)
    }
}

impl<'a> From<&Traced<'a>> for Scene<'a> {
    fn from(traced: &Traced<'a>) -> Self {
        Scene::Traced(*traced)
    }
}

/// The options of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The number of pixels per row, in [`SIDE`]. The default is 1200.
    pub width: u32,
    /// The number of rows, in [`SIDE`]. The default is 900.
    pub height: u32,
    /// The side from which the content is seen.
    pub view: View,
    /// A camera that replaces the view.
    pub camera: Option<Camera>,
    /// The values at both ends of the color bar. The default is the range of the array.
    pub range: Option<[f64; 2]>,
    /// The angle in degrees, in [`PERSPECTIVE`], that a ball around the content spans as seen from
    /// the eye. The larger the angle, the nearer the eye. The default is a parallel projection.
    pub perspective: Option<f64>,
    /// Whether the background is transparent instead of white.
    pub transparent: bool,
    /// The direction to the lamp, of any nonzero length, in the axes of the picture: right, up, and
    /// toward the eye. The default is [-0.36, 0.48, 0.8], which points to the upper left.
    pub light: Option<[f64; 3]>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 1200,
            height: 900,
            view: View::Auto,
            camera: None,
            range: None,
            perspective: None,
            transparent: false,
            light: None,
        }
    }
}

impl Options {
    /// Sets width and height.
    pub fn with_size(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
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

    /// Sets the values at both ends of the color bar.
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

    /// Sets the angle of perspective in degrees. With `None`, the projection is parallel.
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

    /// Returns these options with the camera and the range filled in as a picture of this subject
    /// would use them. Pictures of other states are comparable with that picture if they are drawn
    /// with the returned options.
    ///
    /// # Errors
    /// Returns the errors of [`draw`].
    pub fn settled(&self, subject: &Subject<'_>) -> Result<Options> {
        self.check()?;
        subject.check()?;
        let drawing = Drawing::new(subject, &[]);
        let camera = self.camera.unwrap_or_else(|| view::camera(self.view, subject, &drawing));
        let range = self.range.unwrap_or_else(|| subject.range());
        Ok(Options { camera: Some(camera), range: Some(range), ..self.clone() })
    }

    fn check(&self) -> Result<()> {
        match self.flaw() {
            None => Ok(()),
            Some((key, what)) => Err(Error::usage(format!("{key} {what}"), "")),
        }
    }
}

/// Estimates the cost of a picture of a mesh. The unit is the cost of preparing one voxel for ray
/// casting. A cell costs 8 units, and a pixel costs 20.
pub fn work(subject: &Subject<'_>, options: &Options) -> usize {
    8 * subject.mesh.n_cells() + 20 * options.width as usize * options.height as usize
}

/// Returns the default title for a picture of a file: the file name up to its first dot.
pub fn name_of(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.split('.').find(|part| !part.is_empty()).unwrap_or(name)
}

/// Draws a mesh or a volume on a background that is white by default.
///
/// # Errors
/// Returns [`Error::Case`] if the size is outside [`SIDE`], if the range, angle, light or camera is
/// invalid, or if arrays do not match the mesh. Returns the errors of [`trace`].
pub fn draw<'a>(scene: impl Into<Scene<'a>>, options: &Options) -> Result<Image> {
    match scene.into() {
        Scene::Mesh(subject) => Ok(Stage::new(&subject, options)?.draw()),
        Scene::Traced(traced) => Ok(trace(&traced, options)?.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_of_a_single_value_has_round_numbers_that_differ() {
        for (value, first, last) in [
            (1.0, "0.0", "2.0"),
            (0.0, "\u{2212}1.0", "1.0"),
            (12345.678, "0", "20000"),
            (-3.25e-7, "\u{2212}6e\u{2212}7", "0"),
            (1e-310, "\u{2212}1.0", "1.0"),
        ] {
            let [low, high] = span(&[value, f64::NAN, value * (1.0 + 1e-12)]);
            assert!(low < value && value < high && high.is_finite(), "{value}: {low} to {high}");
            let labels = color_bar::Ticks::new([low, high], color_bar::TICKS).labels;
            assert_eq!([labels[0].as_str(), &labels[labels.len() - 1]], [first, last], "{value}");
            assert!(labels.iter().all(|label| label.chars().count() < 7), "{labels:?}");
        }
        assert!(span(&[1e308])[1].is_finite() && span(&[1e308])[1] > 1e308);
        assert_eq!((span(&[1.0, 1.5]), span(&[-1.0, 3.0])), ([1.0, 1.5], [-3.0, 3.0]));
    }
}
