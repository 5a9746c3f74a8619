//! Pictures of volumes, drawn by ray casting.

use super::canvas::{self, Layout};
use super::color::{Light, Map, NO_VALUE, SOLID, Srgb, Sum};
use super::color_bar::{self, Legend};
use super::raster::write;
use super::{Image, Options, span};
use crate::render::cuda::DeviceMarch;
use crate::render::{
    Axes, CORNER, Camera, Counts, Extent, Eye, Frame, Hit, Shade, Solid, SpaceSkipping, march,
    place,
};
use zeroset_core::error::{Error, Result};
use zeroset_core::expression::Expression;
use zeroset_core::parallel::*;
use zeroset_core::primitives::memory;

/// The allowed range of the number of rays per pixel along each side.
pub const SAMPLES: std::ops::RangeInclusive<u32> = 1..=8;
/// The number of rows per band.
const ROWS: usize = 16;

/// The quantity that a ray-cast picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shows {
    /// The surface that is hit, with lighting (default).
    #[default]
    Shaded,
    /// The distance from the eye, in world units. In parallel views, the distance is measured from
    /// the plane that touches the front of the content.
    Depth,
    /// The number of positions that each ray examined. White is the smallest number, black the
    /// largest.
    Iterations,
}

/// The device that follows the rays of a picture.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Tracer<'a> {
    /// The CPU, with the given space skipping data.
    SpaceSkipping(&'a SpaceSkipping),
    /// A GPU, with bitwise identical results.
    #[doc(hidden)]
    Gpu(&'a DeviceMarch<'a>),
}

/// A volume seen by rays.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Traced<'a> {
    /// The solid that rays hit.
    pub solid: &'a Solid<'a>,
    /// The device that follows the rays.
    pub tracer: Tracer<'a>,
    /// The quantity to show.
    pub shows: Shows,
    /// The expression for the colors of a shaded picture, with the names of [`Solid::at_hits`].
    pub colors: Option<&'a Expression>,
    /// The number of rays per pixel along each side, within [`SAMPLES`]. The default is 2.
    pub samples: u32,
    /// The title, such as the name of a file.
    pub title: &'a str,
    /// The text after the title, drawn in a paler color.
    pub note: &'a str,
}

impl<'a> Traced<'a> {
    /// Creates a shaded picture on the CPU.
    pub fn new(solid: &'a Solid<'a>, guide: &'a SpaceSkipping) -> Self {
        Self::by(solid, Tracer::SpaceSkipping(guide))
    }

    /// Creates a shaded picture on a GPU.
    #[doc(hidden)]
    pub fn on_gpu(march: &'a DeviceMarch<'a>) -> Self {
        Self::by(march.solid(), Tracer::Gpu(march))
    }

    fn by(solid: &'a Solid<'a>, tracer: Tracer<'a>) -> Self {
        let shows = Shows::Shaded;
        Traced { solid, tracer, shows, colors: None, samples: 2, title: "", note: "" }
    }

    /// Sets the quantity to show.
    pub fn showing(mut self, shows: Shows) -> Self {
        self.shows = shows;
        self
    }

    /// Sets the expression for the colors.
    pub fn colored_by(mut self, colors: &'a Expression) -> Self {
        self.colors = Some(colors);
        self
    }

    /// Sets the number of rays per pixel along each side, within [`SAMPLES`].
    pub fn with_samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }

    /// Sets the title and the note after it.
    pub fn with_title(mut self, title: &'a str, note: &'a str) -> Self {
        (self.title, self.note) = (title, note);
        self
    }

    /// Returns the name of the quantity that the colors show, or `None` if there is only one color.
    fn name(&self) -> Option<&'a str> {
        match self.shows {
            Shows::Shaded => self.colors.map(Expression::text),
            Shows::Depth => Some("depth"),
            Shows::Iterations => Some("steps"),
        }
    }

    /// Returns the camera of the picture, as given by the options or by their view. By default, it
    /// looks at the volume from a corner, or straight at a single slice.
    pub fn camera(&self, options: &Options) -> Camera {
        let flat = || {
            let shape = self.solid.volume().shape();
            let axis = (0..3).rev().find(|&k| shape[k] == 1)?;
            Some(self.solid.volume().placement().directions()[axis])
        };
        let from = || options.view.direction().or_else(flat).unwrap_or(CORNER);
        options.camera.unwrap_or_else(|| Camera::new(from()))
    }

    /// Returns the hits of the rays. If a GPU follows the rays, also returns the lighting that it
    /// computes for shaded pictures.
    fn found(&self, frame: &Frame, size: [u32; 2]) -> Result<(Vec<Hit>, Option<Vec<Shade>>)> {
        match self.tracer {
            Tracer::SpaceSkipping(guide) => {
                Ok((march(self.solid, guide, frame, size, self.samples)?, None))
            }
            Tracer::Gpu(gpu) => {
                let rays = gpu.rays(size, self.samples)?;
                rays.march(frame)?;
                let lit = self.shows == Shows::Shaded;
                let shades = lit.then(|| rays.shade(frame).and_then(|()| rays.shades()));
                Ok((rays.hits()?, shades.transpose()?))
            }
        }
    }

    /// Returns, for each ray, the value that determines its color: the value of the expression, the
    /// distance or the number of steps. For a ray without such a value, a distance is infinite, and
    /// any other value is NaN.
    fn values(&self, hits: &[Hit], frame: &Frame, wide: usize) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        let what = "the values of the rays";
        memory::reserve(&mut values, hits.len(), what, "choose a smaller picture")?;
        values.resize(hits.len(), f64::NAN);
        let of_row = |(row, (values, hits)): (usize, (&mut [f64], &[Hit]))| -> Result<()> {
            match (self.shows, self.colors) {
                (Shows::Shaded, None) => {}
                (Shows::Shaded, Some(colors)) => {
                    let met = |k: &usize| hits[*k].is_some();
                    let met: Vec<usize> = (0..hits.len()).filter(met).collect();
                    let rays =
                        met.iter().map(|&k| (frame.ray(place(k, row, self.samples)), hits[k]));
                    let found = self.solid.at_hits(colors, &rays.collect::<Vec<_>>())?;
                    met.into_iter().zip(found).for_each(|(k, x)| values[k] = x);
                }
                (Shows::Depth, _) => values.iter_mut().zip(hits).for_each(|(x, hit)| *x = hit.t),
                (Shows::Iterations, _) => values.iter_mut().zip(hits).for_each(|(x, hit)| {
                    *x = if hit.steps > 0 { f64::from(hit.steps) } else { f64::NAN };
                }),
            }
            Ok(())
        };
        let rows = values.par_chunks_mut(wide).zip(hits.par_chunks(wide)).enumerate();
        rows.try_for_each(of_row)?;
        Ok(values)
    }
}

/// Draws a volume by following rays. Also returns the statistics of the rays.
///
/// # Errors
/// Returns [`Error::Case`] if options are invalid, or if the expression for the colors uses an
/// unknown name. Returns [`Error::Device`] if there is not enough memory or if the GPU fails.
pub fn trace(scene: &Traced<'_>, options: &Options) -> Result<(Image, Counts)> {
    options.check()?;
    if !SAMPLES.contains(&scene.samples) {
        let what = format!("{} rays per pixel along each side", scene.samples);
        return Err(Error::usage(what, "give 1 to 8"));
    }
    let camera = scene.camera(options);
    let axes = Axes::new(&camera).lit(options.light);
    let corners = scene.solid.corners();
    let right = if scene.name().is_some() { canvas::BAR } else { canvas::NO_BAR };
    let eye = options.perspective.map(|angle| Eye::around(&corners, angle));
    let aspect = Extent::of(&corners, &axes, eye.as_ref()).aspect();
    let size @ [width, height] = options.size(|| aspect, right);
    let layout = Layout::new(width, height, right);
    let (area, zoom) = (layout.area, camera.zoom);
    let frame = Frame::fit(axes, options.perspective, &corners, area, zoom, layout.unit);
    let (hits, shades) = scene.found(&frame, size)?;
    let wide = width as usize * scene.samples as usize;
    let values = scene.values(&hits, &frame, wide)?;
    let range = options.range.unwrap_or_else(|| span(&values));
    let map = match scene.shows {
        Shows::Iterations => Map::fading(range),
        _ => Map::new(range, options.colormap),
    };
    let (map_of, shades) = (&map, shades.as_deref());
    let painter =
        Painter { scene, frame: &frame, map: map_of, hits: &hits, shades, values: &values, wide };
    let mut image = Image::blank(width, height, options.transparent);
    image.par_bands(ROWS, |band, pixels, alpha| {
        let rows = pixels.len() / (3 * width as usize);
        write(&painter.paint(band * ROWS, rows, options.transparent), pixels, alpha);
    });
    if layout.has_text {
        let is_gap = |(hit, value): (&Hit, &f64)| hit.is_some() && !value.is_finite();
        let legend = Legend {
            name: scene.name().unwrap_or(""),
            unit: &options.unit,
            title: scene.title,
            note: scene.note,
            range,
            levels: &[],
            has_gaps: scene.name().is_some() && hits.iter().zip(&values).any(is_gap),
        };
        color_bar::draw(&mut image, scene.name().map(|_| &map), &legend);
    }
    Ok((image, Counts::of(&hits)))
}

/// The data needed to paint pixels.
struct Painter<'a> {
    scene: &'a Traced<'a>,
    frame: &'a Frame,
    map: &'a Map,
    hits: &'a [Hit],
    /// The lighting of the hits if a GPU has computed it.
    shades: Option<&'a [Shade]>,
    values: &'a [f64],
    /// The number of rays per row.
    wide: usize,
}

impl Painter<'_> {
    /// Returns the colors of the pixels of `rows` rows, from 0 to 255, and their opacity, from 0 to
    /// 1.
    fn paint(&self, first: usize, rows: usize, transparent: bool) -> Vec<[f32; 4]> {
        let srgb = Srgb::new();
        let samples = self.scene.samples as usize;
        let width = self.wide / samples;
        let background = [255.0, 255.0, 255.0, if transparent { 0.0 } else { 1.0 }];
        let mut colors = vec![background; width * rows];
        for (k, color) in colors.iter_mut().enumerate() {
            let (column, row) = (k % width * samples, (first + k / width) * samples);
            let mut sum = Sum::default();
            for row in row..row + samples {
                for column in column..column + samples {
                    match self.light(column, row) {
                        Some(light) => sum.add(light, true),
                        None if transparent => {}
                        None => sum.add([1.0; 3], false),
                    }
                }
            }
            *color = sum.pixel(&srgb, samples * samples).unwrap_or(background);
        }
        colors
    }

    /// Returns the light of a ray, or `None` if it shows the background.
    fn light(&self, column: usize, row: usize) -> Option<Light> {
        let at = row * self.wide + column;
        let (hit, value) = (&self.hits[at], self.values[at]);
        let color = || self.map.color(value).unwrap_or_else(|| Srgb::decode(NO_VALUE));
        match self.scene.shows {
            Shows::Iterations => return self.map.color(value),
            _ if !hit.is_some() => return None,
            Shows::Depth => return Some(color()),
            Shows::Shaded => {}
        }
        let color = if self.scene.colors.is_some() { color() } else { Srgb::decode(SOLID) };
        let shade = || {
            let pixel = place(column, row, self.scene.samples);
            let normal = self.scene.solid.normal(&self.frame.ray(pixel), hit);
            Shade::new(normal, self.frame.axes(), self.frame.toward_eye(pixel))
        };
        Some(self.shades.map_or_else(shade, |shades| shades[at]).on(color))
    }
}
