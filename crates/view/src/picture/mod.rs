//! Pictures of a mesh with its values, or of a volume, drawn without external programs.
//!
//! [`draw`] shows a planar mesh from above, or a surface from the direction that shows the most.
//! Colors show phi or a distance. The picture also has the interface or lines of equal distance, a
//! color bar and a title. For tetrahedra, it shows the interface in front of the far walls of the
//! domain. For a distance in tetrahedra, it shows the outer boundary instead. For a volume, the
//! picture shows what rays through the volume hit ([`Traced`], drawn with [`crate::render`]). Equal
//! values give bitwise identical pictures on every machine.
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

mod canvas;
pub(crate) mod color;
mod color_bar;
mod color_map;
#[doc(hidden)]
pub mod cuda;
mod depth_buffer;
mod drawing;
mod font;
mod image;
mod label_legend;
mod labels;
mod lines;
mod marks;
mod options;
mod palette;
mod pixel_label;
mod prepared_mesh;
mod raster;
mod row_bands;
mod strokes;
mod triangle_fans;
mod vertex_colors;
pub mod view;
mod volume_picture;

pub(crate) use color_bar::Ticks;
pub use color_map::ColorMap;
pub use image::{Image, check_path};
pub use labels::{Label, Labels, NO_LABEL};
pub use marks::Marks;
pub use options::{Options, PERSPECTIVE, SIDE};
pub use vertex_colors::surface;
pub use vertex_colors::vertex_colors;
pub use volume_picture::{SAMPLES, Shows, Traced, Tracer, trace};

pub use crate::render::{Camera, View};

use prepared_mesh::Stage;
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::{Mesh, Places};

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
    /// The labels that determine the colors instead of values, with a legend instead of a color
    /// bar.
    pub labels: Option<&'a Labels>,
    /// The sources and paths to draw on the mesh.
    pub marks: Option<&'a Marks>,
    /// The name of the array that determines the colors.
    pub name: &'a str,
    /// The title, such as the name of a case.
    pub title: &'a str,
    /// The text after the title, such as the time.
    pub note: &'a str,
}

impl<'a> Subject<'a> {
    /// Creates a subject from a level-set function on a mesh, `[n_vertices]`. Its name is "phi",
    /// and the picture shows its zero set.
    pub fn new(mesh: &'a Mesh, values: &'a [f64]) -> Self {
        Subject {
            mesh,
            values,
            lines: Lines::Interface,
            colors: None,
            paint: None,
            labels: None,
            marks: None,
            name: "phi",
            title: "",
            note: "",
        }
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

    /// Sets labels that determine the colors. The lines still show the values.
    pub fn labeled(mut self, name: &'a str, labels: &'a Labels) -> Self {
        (self.name, self.labels) = (name, Some(labels));
        self
    }

    /// Sets sources and paths to draw on the mesh.
    pub fn with_marks(mut self, marks: &'a Marks) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Sets the title and the note that follows it.
    pub fn with_title(mut self, title: &'a str, note: &'a str) -> Self {
        (self.title, self.note) = (title, note);
        self
    }

    /// Returns true if only the CPU can draw the colors.
    fn is_for_cpu(&self) -> bool {
        self.paint.is_some() || self.labels.is_some()
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
        if let Some(labels) = self.labels {
            let n = match labels.places {
                Places::Vertices => n,
                Places::Cells => self.mesh.n_cells(),
            };
            if labels.of.len() != n {
                let (word, found) = (labels.places.word(), labels.of.len());
                let what = format!("{found} labels, but {n} are expected");
                return Err(Error::usage(what, format!("give one label per {word}")));
            }
        }
        Ok(())
    }
}

/// Returns the range of the finite values, extended to be symmetric about 0 if they have both
/// signs. If all values are nearly equal, the range has this value in the middle and 0 at one end.
/// If the value is 0, the range is from -1 to 1. If no value is finite, the range is from 0 to 1.
pub(crate) fn span(values: &[f64]) -> [f64; 2] {
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
    /// A volume, drawn by ray casting.
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

/// Estimates the cost of a picture of a mesh. The unit is the cost of preparing one voxel for ray
/// casting. A cell costs 8 units, and a pixel costs 20.
pub fn work(subject: &Subject<'_>, options: &Options) -> usize {
    8 * subject.mesh.n_cells() + 20 * options.width as usize * options.height as usize
}

/// Returns the default title for a picture of a file: the file name up to its first dot, without
/// leading dots.
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
