//! The initial level set from a volume: the inside is where its values are above or below a
//! level.

use std::path::PathBuf;

use super::clock::Dated;
use super::read_volumes::Named;
use crate::config::{Above, Config, InitialVolume, Units};
use crate::error::{Error, Result};
use crate::io;
use crate::parallel::*;
use crate::primitives::Values;
use crate::volume::Volume;
use crate::words::counted;

/// A volume with a level. Voxels whose values are not finite are outside.
pub(super) struct VolumeLevel {
    path: PathBuf,
    /// The time of the volume, if its file states one.
    pub(super) dated: Option<Dated>,
    /// The units that the file states, if it is a state of a run.
    pub(super) units: Units,
    volume: Volume,
    level: f64,
    sign: f64,
    /// The value of phi where the values of the volume are not finite.
    /// [`VolumeLevel::bounded_value`] also uses it beyond the boundary of the volume.
    outside: f64,
    sides: Sides,
}

/// The number of voxels along each edge of a block in a volume.
const BLOCK: usize = 8;
/// Flag of a block that contains an inside voxel. `OUTSIDE` is the flag of a block that contains an
/// outside voxel.
const INSIDE: u8 = 1;
const OUTSIDE: u8 = 2;

/// For each block of a volume, the sides of the level on which its voxels lie.
struct Sides {
    /// Number of blocks along each axis.
    shape: [usize; 3],
    of_blocks: Vec<u8>,
}

impl Sides {
    fn new(volume: &Volume, is_inside: impl Fn(f64) -> bool + Sync) -> Self {
        let [nx, ny, nz] = volume.shape();
        let shape = volume.shape().map(|n| n.div_ceil(BLOCK));
        let mut of_blocks = vec![0; shape.iter().product()];
        let layers = of_blocks.par_chunks_mut(shape[0] * shape[1]).enumerate();
        layers.for_each_init(
            || vec![0.0; nx],
            |row, (k, layer)| {
                for z in k * BLOCK..((k + 1) * BLOCK).min(nz) {
                    for y in 0..ny {
                        volume.read([0, y, z], row);
                        let blocks = &mut layer[shape[0] * (y / BLOCK)..];
                        for (block, values) in blocks.iter_mut().zip(row.chunks(BLOCK)) {
                            *block |= values.iter().fold(0, |sides, &value| {
                                sides | if is_inside(value) { INSIDE } else { OUTSIDE }
                            });
                        }
                    }
                }
            },
        );
        Sides { shape, of_blocks }
    }

    /// Returns the sides that occur in the blocks that contain voxels from `low` to `high`.
    fn within(&self, low: [usize; 3], high: [usize; 3]) -> u8 {
        let [first, last] = [low, high].map(|voxel| voxel.map(|c| c / BLOCK));
        let mut found = 0;
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                let row = self.shape[0] * (y + self.shape[1] * z);
                let blocks = &self.of_blocks[row + first[0]..=row + last[0]];
                found |= blocks.iter().fold(0, |sides, block| sides | block);
                if found == INSIDE | OUTSIDE {
                    return found;
                }
            }
        }
        found
    }
}

impl VolumeLevel {
    /// Reads a volume. `table` is its key in the case, such as "initial.volume". Warnings about the
    /// volume are added to `warnings`.
    ///
    /// # Errors
    /// Returns the errors of [`Named::read`]. Returns [`Error::Case`] if no value is finite, or if
    /// the level does not lie between the smallest and the largest value.
    pub(super) fn read(
        config: &Config,
        table: &str,
        from: &InitialVolume,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let (raw, options) = (from.raw.as_deref(), from.reading());
        let named = Named { table, path: &from.path, raw, options };
        let (path, io::VolumeFile { volume, state, .. }) = named.read(config, warnings)?;
        let dated = Dated::of(state.time, path.clone());
        let found = volume.statistics();
        let level = from.level;
        let sign = match from.inside {
            Above::Above => -1.0,
            Above::Below => 1.0,
        };
        let none = found.nan + found.infinite;
        if none > 0 {
            let values = counted(none, ["value is", "values are"]);
            let warning = format!("{}: {values} not finite: taken as outside", path.display());
            tracing::warn!("{warning}");
            warnings.push(warning);
        }
        let Some((min, max)) = found.min.zip(found.max) else {
            let what = format!("{table}: no value of {} is finite", path.display());
            return Err(config.error_at(&format!("{table}.path"), what, "name another volume"));
        };
        if !(min < level && level < max) {
            let what = format!(
                "{table}.level is {level}, but the values of {} lie between {min} and {max}",
                path.display()
            );
            let remedy = "use a level between them";
            return Err(config.error_at(&format!("{table}.level"), what, remedy));
        }
        let outside = 0.5 * (max - min);
        let sides = Sides::new(&volume, |v| v.is_finite() && sign * (v - level) < 0.0);
        Ok(VolumeLevel { path, dated, units: state.units, volume, level, sign, outside, sides })
    }

    /// Returns whether a box lies inside, or `None` if it may extend to both sides of the level.
    ///
    /// The box is given by its center and half its edge lengths in world units. Values beyond the
    /// boundary of the volume equal the nearest value on the boundary.
    pub(super) fn side(&self, middle: [f64; 3], half: [f64; 3]) -> Option<bool> {
        /// Tolerance for rounding errors in world coordinates, in voxels.
        const SLACK: f64 = 1e-3;
        let (shape, placement) = (self.volume.shape(), self.volume.placement());
        let index = placement.index(middle);
        let mut reach = [SLACK; 3];
        for axis in 0..3 {
            let mut edge = [0.0; 3];
            edge[axis] = half[axis];
            let change = placement.index_change(edge);
            (0..3).for_each(|k| reach[k] += change[k].abs());
        }
        let voxel = |k: usize, at: f64| at.clamp(0.0, (shape[k] - 1) as f64) as usize;
        let low = std::array::from_fn(|k| voxel(k, (index[k] - reach[k]).floor()));
        let high = std::array::from_fn(|k| voxel(k, (index[k] + reach[k]).ceil()));
        match self.sides.within(low, high) {
            INSIDE => Some(true),
            OUTSIDE => Some(false),
            _ => None,
        }
    }

    /// Returns phi at a point, in the unit of the volume's values. It is negative inside. Values
    /// beyond the boundary of the volume equal the nearest value on the boundary.
    pub(super) fn value(&self, x: [f64; 3]) -> f64 {
        match self.volume.sample_extended(self.volume.placement().index(x)) {
            value if value.is_finite() => self.sign * (value - self.level),
            _ => self.outside,
        }
    }

    /// Returns phi at a point like [`VolumeLevel::value`], except that everything beyond the
    /// boundary of the volume is outside.
    pub(super) fn bounded_value(&self, x: [f64; 3]) -> f64 {
        match self.volume.sample(self.volume.placement().index(x)) {
            Some(value) if value.is_finite() => self.sign * (value - self.level),
            _ => self.outside,
        }
    }

    /// Returns how far a point lies beyond the boundary of the volume, in world units. The result
    /// is negative within the volume.
    pub(super) fn beyond(&self, x: [f64; 3]) -> f64 {
        let (shape, placement) = (self.volume.shape(), self.volume.placement());
        let (index, spacing) = (placement.index(x), placement.spacing());
        (0..3).fold(f64::NEG_INFINITY, |most, k| {
            let last = (shape[k] - 1) as f64;
            most.max((-index[k]).max(index[k] - last) * spacing[k])
        })
    }

    /// Returns the smallest and the largest world coordinates of the volume.
    ///
    /// # Errors
    /// Returns [`Error::Input`] for a volume with a single voxel along an axis, such as a picture,
    /// because it has no interior in space.
    pub(super) fn bounds(&self) -> Result<([f64; 3], [f64; 3])> {
        if self.volume.shape().iter().any(|&n| n < 2) {
            let [x, y, z] = self.volume.shape();
            let what = format!("is flat: {x} x {y} x {z} voxels");
            let remedy = "tiles need two slices or more: use initial.image for a picture, or a planar \
                          mesh";
            return Err(Error::input(&self.path, "", what, remedy));
        }
        Ok(self.volume.bounds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Placement;

    #[test]
    fn boxes_on_one_side_are_known_without_looking() {
        // A slanted half-space on an oblique grid, with a NaN voxel and an isolated outside voxel.
        let shape = [41, 37, 29];
        let value = |n: usize| {
            let [x, y, z] = [n % 41, n / 41 % 37, n / (41 * 37)].map(|c| c as f64);
            match [x, y, z] {
                [30.0, 30.0, 20.0] => f32::NAN,
                [4.0, 5.0, 6.0] => 200.0,
                _ => (x + 0.5 * y + 0.25 * z) as f32,
            }
        };
        let n = shape.iter().product();
        let values: Vec<f32> = (0..n).map(value).collect();
        let steps = [[0.5, 0.1, 0.0], [0.0, -0.4, 0.2], [0.1, 0.0, 0.8]];
        let volume = Volume::new(shape, values.into(), Placement::identity()).unwrap();
        let volume = volume.placed([3.0, -2.0, 1.0], steps).unwrap();
        let sides = Sides::new(&volume, |v| v.is_finite() && 30.0 - v < 0.0);
        let (path, outside) = (PathBuf::new(), 9.0);
        let dated = None;
        let units = Units::default();
        let level =
            VolumeLevel { path, dated, units, volume, level: 30.0, sign: -1.0, outside, sides };
        let mut known = [0; 2];
        let half = [1.0, 0.7, 1.3];
        for at in (0..n).step_by(53) {
            let index = [at % 41, at / 41 % 37, at / (41 * 37)].map(|c| c as f64 - 2.0);
            let middle = level.volume.placement().world(index);
            let Some(is_inside) = level.side(middle, half) else { continue };
            known[usize::from(is_inside)] += 1;
            for k in 0..343_i32 {
                let share = [k % 7, k / 7 % 7, k / 49].map(|c| f64::from(c - 3) / 3.0);
                let x = std::array::from_fn(|k| middle[k] + share[k] * half[k]);
                assert_eq!(level.value(x) < 0.0, is_inside, "{middle:?} {x:?}");
            }
        }
        assert!(known[0] > 50 && known[1] > 50, "{known:?}");
    }
}
