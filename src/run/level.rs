//! The initial level set from a volume: what lies above or below a level.

use std::path::PathBuf;

use crate::config::{Above, Config, InitialVolume};
use crate::error::{Error, Result};
use crate::io::{self, VolumeOptions};
use crate::volume::Volume;
use crate::words::counted;

/// A volume cut at a level. Beyond its border is outside, and so is what is no number.
pub(super) struct VolumeLevel {
    path: PathBuf,
    volume: Volume,
    level: f64,
    sign: f64,
    /// What stands for a value that is no number.
    outside: f64,
}

impl VolumeLevel {
    /// Reads the volume of `initial.volume`; what was doubtful goes to `warnings`.
    ///
    /// # Errors
    /// Those of [`io::read_volume`]; [`Error::Case`] if no value is inside, or all are.
    pub(super) fn read(
        config: &Config,
        from: &InitialVolume,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let path = config.resolve(&from.path)?;
        let layout = match from.raw.as_deref().map(str::parse).transpose() {
            Ok(layout) => layout,
            Err(what) => return Err(config.error_at("initial.volume.raw", what, "")),
        };
        let options = VolumeOptions::default().raw(layout).array(from.array.clone());
        let file = io::read_volume(&path, &options)?;
        let volume = file.volume;
        let found = volume.statistics();
        let level = from.level;
        let sign = match from.inside {
            Above::Above => -1.0,
            Above::Below => 1.0,
        };
        let mut warn = |what: String| {
            let warning = format!("{}: {what}", path.display());
            tracing::warn!("{warning}");
            warnings.push(warning);
        };
        file.warnings.into_iter().for_each(&mut warn);
        let none = found.nan + found.infinite;
        if none > 0 {
            let values = counted(none, ["value is", "values are"]);
            warn(format!("{values} not finite: taken as outside"));
        }
        let Some((min, max)) = found.min.zip(found.max) else {
            let what = format!("initial.volume: no value of {} is finite", path.display());
            return Err(config.error_at("initial.volume.path", what, "name another volume"));
        };
        if !(min < level && level < max) {
            let what = format!(
                "initial.volume.level is {level}, but the values of {} lie between {min} and {max}",
                path.display()
            );
            let remedy = "take a level between them";
            return Err(config.error_at("initial.volume.level", what, remedy));
        }
        let outside = 0.5 * (max - min);
        Ok(VolumeLevel { path, volume, level, sign, outside })
    }

    /// Negative inside, in the unit of the volume; beyond its border as on the border.
    pub(super) fn value(&self, x: [f64; 3]) -> f64 {
        let shape = self.volume.shape();
        let index = self.volume.placement().index(x);
        let nearest = std::array::from_fn(|k| index[k].clamp(0.0, (shape[k] - 1) as f64));
        match self.volume.sample(nearest) {
            Some(value) if value.is_finite() => self.sign * (value - self.level),
            _ => self.outside,
        }
    }

    /// The same where all beyond the border is outside.
    pub(super) fn bounded_value(&self, x: [f64; 3]) -> f64 {
        match self.volume.sample(self.volume.placement().index(x)) {
            Some(value) if value.is_finite() => self.sign * (value - self.level),
            _ => self.outside,
        }
    }

    /// How far a place lies beyond the border, world units; negative within.
    pub(super) fn beyond(&self, x: [f64; 3]) -> f64 {
        let (shape, placement) = (self.volume.shape(), self.volume.placement());
        let (index, spacing) = (placement.index(x), placement.spacing());
        (0..3).fold(f64::NEG_INFINITY, |most, k| {
            let last = (shape[k] - 1) as f64;
            most.max((-index[k]).max(index[k] - last) * spacing[k])
        })
    }

    /// Smallest and largest world coordinates.
    ///
    /// # Errors
    /// [`Error::Input`] for a picture or a slice: it has no inside in space.
    pub(super) fn bounds(&self) -> Result<([f64; 3], [f64; 3])> {
        if self.volume.shape().iter().any(|&n| n < 2) {
            let [x, y, z] = self.volume.shape();
            let what = format!("is flat: {x} x {y} x {z} voxels");
            let remedy = "tiles need a volume; take a planar mesh for a picture";
            return Err(Error::input(&self.path, "", what, remedy));
        }
        Ok(self.volume.bounds())
    }
}
