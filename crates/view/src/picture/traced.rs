//! Pictures by rays through a volume.

use rayon::prelude::*;

use super::bar::{self, Layout, Legend};
use super::color::{Light, Map, NO_VALUE, SOLID, Srgb, Sum};
use super::raster::write;
use super::{Image, Options, span};
use crate::render::cuda::DeviceMarch;
use crate::render::{
    Axes, CORNER, Camera, Counts, Frame, Hit, Shade, Solid, SpaceSkipping, march, place,
};
use zeroset_core::error::{Error, Result};
use zeroset_core::expression::Expression;
use zeroset_core::primitives::memory;

/// Rays per pixel along each side.
pub const SAMPLES: std::ops::RangeInclusive<u32> = 1..=8;
/// Rows per band.
const ROWS: usize = 16;

/// What a picture by rays shows of what they meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shows {
    /// It in the light (default).
    #[default]
    Shaded,
    /// How far it is from the eye, or in parallel views from the plane that touches it in front.
    Depth,
    /// How many places each ray looked at: white the fewest, black the most.
    Iterations,
}

/// Who follows the rays of a picture.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Tracer<'a> {
    /// The CPU, by this guide.
    SpaceSkipping(&'a SpaceSkipping),
    /// A GPU. It finds the same, to the bit.
    Gpu(&'a DeviceMarch<'a>),
}

/// A volume seen by rays.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Traced<'a> {
    /// What is looked for.
    pub solid: &'a Solid<'a>,
    /// Who follows them.
    pub tracer: Tracer<'a>,
    /// What is shown of it.
    pub shows: Shows,
    /// Colors by this expression of what [`Solid::at_hits`] knows, if it is shaded.
    pub colors: Option<&'a Expression>,
    /// Rays per pixel along each side, in [`SAMPLES`]; default 2.
    pub samples: u32,
    /// Title, such as the name of a file.
    pub title: &'a str,
    /// What stands after the title.
    pub note: &'a str,
}

impl<'a> Traced<'a> {
    /// What is met, in the light.
    pub fn new(solid: &'a Solid<'a>, guide: &'a SpaceSkipping) -> Self {
        Self::by(solid, Tracer::SpaceSkipping(guide))
    }

    /// The same by a GPU.
    pub fn on_gpu(march: &'a DeviceMarch<'a>) -> Self {
        Self::by(march.solid(), Tracer::Gpu(march))
    }

    fn by(solid: &'a Solid<'a>, tracer: Tracer<'a>) -> Self {
        let shows = Shows::Shaded;
        Traced { solid, tracer, shows, colors: None, samples: 2, title: "", note: "" }
    }

    /// Chooses what is shown.
    pub fn showing(mut self, shows: Shows) -> Self {
        self.shows = shows;
        self
    }

    /// Colors by an expression.
    pub fn colored_by(mut self, colors: &'a Expression) -> Self {
        self.colors = Some(colors);
        self
    }

    /// Sets the rays per pixel along each side.
    pub fn with_samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }

    /// Writes a title and a note above.
    pub fn with_title(mut self, title: &'a str, note: &'a str) -> Self {
        (self.title, self.note) = (title, note);
        self
    }

    /// What the colors mean; `None` if there is one only.
    fn name(&self) -> Option<&'a str> {
        match self.shows {
            Shows::Shaded => self.colors.map(Expression::text),
            Shows::Depth => Some("depth"),
            Shows::Iterations => Some("steps"),
        }
    }

    /// The camera of its picture: that of the options, of their view, or one that looks from a corner; at
    /// one slice of voxels it looks straight.
    pub fn camera(&self, options: &Options) -> Camera {
        let flat = || {
            let shape = self.solid.volume().shape();
            let axis = (0..3).rev().find(|&k| shape[k] == 1)?;
            Some(self.solid.volume().placement().directions()[axis])
        };
        let from = || options.view.direction().or_else(flat).unwrap_or(CORNER);
        options.camera.unwrap_or_else(|| Camera::new(from()))
    }

    /// What the rays meet, and the light on it where a GPU has found that, too.
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

    /// The number that is shown as color of each hit; no number where there is none.
    fn values(&self, hits: &[Hit], frame: &Frame, wide: usize) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        let what = "the numbers that are shown";
        memory::reserve(&mut values, hits.len(), what, "ask for a smaller picture")?;
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

/// Draws what rays meet, and counts them.
///
/// # Errors
/// [`Error::Case`] for options that cannot be or a name in the expression of the colors that a volume
/// does not have; [`Error::Device`] where the memory is too small.
pub fn trace(scene: &Traced<'_>, options: &Options) -> Result<(Image, Counts)> {
    options.check()?;
    if !SAMPLES.contains(&scene.samples) {
        let what = format!("{} rays per pixel along each side", scene.samples);
        return Err(Error::usage(what, "give 1 to 8"));
    }
    let size @ [width, height] = [options.width, options.height];
    let layout = Layout::new(width, height, scene.name().is_some());
    let camera = scene.camera(options);
    let axes = Axes::new(&camera).lit(options.light);
    let corners = scene.solid.corners();
    let (area, zoom) = (layout.area, camera.zoom);
    let frame = Frame::fit(axes, options.perspective, &corners, area, zoom, layout.unit);
    let (hits, shades) = scene.found(&frame, size)?;
    let wide = width as usize * scene.samples as usize;
    let values = scene.values(&hits, &frame, wide)?;
    let range = options.range.unwrap_or_else(|| span(&values));
    let map = match scene.shows {
        Shows::Iterations => Map::fading(range),
        _ => Map::new(range),
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
            title: scene.title,
            note: scene.note,
            range,
            levels: &[],
            has_gaps: scene.name().is_some() && hits.iter().zip(&values).any(is_gap),
        };
        bar::draw(&mut image, scene.name().map(|_| &map), &legend);
    }
    Ok((image, Counts::of(&hits)))
}

/// All that is needed to paint pixels.
struct Painter<'a> {
    scene: &'a Traced<'a>,
    frame: &'a Frame,
    map: &'a Map,
    hits: &'a [Hit],
    /// Light on them, if it is known.
    shades: Option<&'a [Shade]>,
    values: &'a [f64],
    /// Rays per row.
    wide: usize,
}

impl Painter<'_> {
    /// Colors of the pixels of some rows, 0 to 255, and how opaque they are, 0 to 1.
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

    /// What a ray brings; `None` if it met nothing.
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
