//! The initial level set from a picture that is extruded along z.

use std::path::Path;

use super::units;
use crate::config::{Above, Config, InitialImage};
use crate::error::{Error, Result};
use crate::geometry::shape::Shape;
use crate::io::{self, VolumeOptions};
use crate::surface::{Extrusion, Pixels};
use crate::volume::{Samples, Volume};

/// The picture formats.
const PICTURES: [&str; 3] = ["png", "tiff", "pgm"];

/// The extruded part of a picture, together with another shape.
pub(super) struct ImageLevel {
    extrusion: Extrusion,
    union: Option<Shape>,
    /// The box that contains the extruded part, if it has ends along z.
    bounds: Option<([f64; 3], [f64; 3])>,
}

impl ImageLevel {
    /// Reads the picture of `initial.image`. Warnings about it are added to `warnings`.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the file is not a picture of one slice, or if a pixel is not
    /// finite. Returns [`Error::Case`] if no pixel is inside.
    pub(super) fn read(
        config: &Config,
        from: &InitialImage,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let path = config.resolve(&from.path)?;
        let options = VolumeOptions::default().channel(from.channel).table("initial.image");
        let file = io::read_volume(&path, &options)?;
        for what in &file.warnings {
            let warning = format!("{}: {what}", path.display());
            tracing::warn!("{warning}");
            warnings.push(warning);
        }
        warnings.extend(units::differ(config, &path, &file.stated_units()));
        let [width, height, slices] = file.volume.shape();
        if !PICTURES.contains(&file.format) || slices != 1 {
            let what = format!("is not a picture but a volume of {slices} slices");
            return Err(Error::input(&path, "", what, "use initial.volume"));
        }
        let values = inside_values(config, from, &path, &file.volume)?;
        let size = [width, height];
        let max = from.max.unwrap_or_else(|| {
            let pixel = from.pixel.unwrap_or(1.0);
            [0, 1].map(|k| from.min[k] + pixel * size[k] as f64)
        });
        let pixels = Pixels { shape: size, values: &values, min: from.min, max };
        let extrusion = Extrusion::new(&pixels.contours(), from.extrude);
        let bounds = from
            .extrude
            .map(|[low, high]| ([from.min[0], from.min[1], low], [max[0], max[1], high]));
        Ok(ImageLevel { extrusion, union: from.union.clone(), bounds })
    }

    /// Returns the signed distances of points, negative inside. Near a place where the picture and
    /// the other shape meet, their absolute values are at most the true distances.
    pub(super) fn signed_distances(&self, points: &[[f64; 3]]) -> Vec<f64> {
        let mut distances = self.extrusion.signed_distances(points);
        if let Some(union) = &self.union {
            for (distance, &x) in distances.iter_mut().zip(points) {
                *distance = distance.min(union.signed_distance(x));
            }
        }
        distances
    }

    /// Returns the smallest and the largest coordinates, or `None` if the shape is unbounded.
    pub(super) fn bounds(&self) -> Option<([f64; 3], [f64; 3])> {
        let (low, high) = self.bounds?;
        let Some(union) = &self.union else { return Some((low, high)) };
        let (other_low, other_high) = union.bounds()?;
        let least = std::array::from_fn(|k| low[k].min(other_low[k]));
        Some((least, std::array::from_fn(|k| high[k].max(other_high[k]))))
    }
}

/// Returns the values of the pixels, row by row from bottom to top, negative inside.
fn inside_values(
    config: &Config,
    from: &InitialImage,
    path: &Path,
    volume: &Volume,
) -> Result<Vec<f64>> {
    let [width, height, _] = volume.shape();
    let found = volume.to_f64();
    if let Some(k) = found.iter().position(|value| !value.is_finite()) {
        let what = format!("pixel {k} is {}", found[k]);
        return Err(Error::input(path, "", what, "replace it with a finite number"));
    }
    let (least, most) =
        found.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    let level = from.level.unwrap_or(match volume.samples() {
        Samples::U8(_) => 0.5 * f64::from(u8::MAX),
        Samples::U16(_) => 0.5 * f64::from(u16::MAX),
        _ => 0.5 * (least + most),
    });
    let sign = match from.inside {
        Above::Above => -1.0,
        Above::Below => 1.0,
    };
    let rows = (0..height).rev().flat_map(|j| &found[j * width..(j + 1) * width]);
    let values: Vec<f64> = rows.map(|value| sign * (value - level)).collect();
    let inside = values.iter().filter(|value| **value < 0.0).count();
    if inside == 0 {
        let what = format!(
            "initial.image: no pixel of {} is inside: the values lie between {least} and {most}, and \
             the level is {level}",
            path.display()
        );
        let remedy = if from.level.is_none() && !(least..=most).contains(&level) {
            format!(
                "the default level is half of the largest value of the pixel type, which suits no \
                 picture of this range; choose a level, such as level = {}",
                0.5 * (least + most)
            )
        } else {
            "choose another level, or the other value of inside".into()
        };
        return Err(config.error_at("initial.image", what, remedy));
    }
    Ok(values)
}
