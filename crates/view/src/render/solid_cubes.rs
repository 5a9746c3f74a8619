//! The set of cubes in a volume that rays can hit.

use std::sync::Arc;

use super::grid_traversal::GridTraversal;
use super::level_crossing::Along;
use super::march::Hit;
use super::projection::Ray;
use super::vector::{V, add, dot, length, scaled, sub};
use zeroset_core::error::{Error, Result};
use zeroset_core::expression::{Expression, Field};
use zeroset_core::parallel::*;
use zeroset_core::volume::Volume;

/// The largest number of cubes, because 32 bits must identify each cube.
const MOST: u64 = u32::MAX as u64;
/// The largest number of voxels along an axis, limited by the levels of the pyramid and by the
/// precision of cube boundaries.
const LONGEST: usize = 1 << 16;
/// The largest distance, in voxels, from a hit to the voxels that contribute to the normal there.
const REACH: f64 = 3.0;

/// A set of unit cubes in the voxel coordinates of a volume, and the surface in them that rays hit.
#[derive(Clone, Debug)]
pub struct Solid<'a> {
    volume: &'a Volume,
    pub(super) kind: Kind,
    shape: [usize; 3],
    inside: Vec<bool>,
    pub(super) bounds: Option<[[usize; 3]; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A cube around each voxel, which is hit as a whole.
    Voxels,
    /// A cube between eight voxels, in which the surface at this value is hit.
    Level(f64),
}

impl<'a> Solid<'a> {
    /// Creates a solid whose cubes are the voxels marked in `inside`, `[n_voxels]`, x fastest.
    /// [`Volume::select`] finds the voxels that satisfy an expression.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the number of marks is not the number of voxels, or if the volume
    /// has more than 2^32 - 1 voxels or more than 65,536 along an axis.
    pub fn voxels(volume: &'a Volume, inside: Vec<bool>) -> Result<Self> {
        let n = volume.n_voxels();
        if inside.len() != n {
            let what = format!("{} marks for a volume of {n} voxels", inside.len());
            return Err(Error::usage(what, "give one mark per voxel"));
        }
        Self::new(volume, Kind::Voxels, volume.shape(), inside)
    }

    /// Creates a solid from the surface where the values, interpolated linearly along each axis,
    /// cross `level`, in their unit. There is no surface next to voxels whose value is not finite.
    ///
    /// # Errors
    /// Returns the errors of [`Solid::voxels`]. Returns [`Error::Case`] if the volume has only one
    /// voxel along an axis, or if the level is not finite.
    pub fn level(volume: &'a Volume, level: f64) -> Result<Self> {
        let shape = volume.shape();
        if !level.is_finite() {
            return Err(Error::usage(
                format!("a surface at level {level}"),
                "give a finite number",
            ));
        }
        if shape.contains(&1) {
            let what = format!("no surface between the voxels of a volume of {shape:?}");
            let remedy = "at least two voxels along each axis are required; show voxels instead (--where \"v > 1\")";
            return Err(Error::usage(what, remedy));
        }
        let cubes @ [cx, cy, _] = shape.map(|n| n - 1);
        check(shape)?;
        let mut inside = vec![false; cubes.iter().product()];
        inside.par_chunks_mut(cx * cy).enumerate().for_each(|(k, inside)| {
            for (n, inside) in inside.iter_mut().enumerate() {
                let corners = corners(volume, [n % cx, n / cx, k]);
                let below = corners.iter().filter(|&&value| value < level).count();
                *inside = (1..8).contains(&below) && corners.iter().all(|x| x.is_finite());
            }
        });
        Self::new(volume, Kind::Level(level), cubes, inside)
    }

    fn new(volume: &'a Volume, kind: Kind, shape: [usize; 3], inside: Vec<bool>) -> Result<Self> {
        check(shape)?;
        let bounds = bounds(&inside, shape);
        Ok(Solid { volume, kind, shape, inside, bounds })
    }

    /// Returns the number of cubes along each axis.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Returns whether each cube is occupied, one entry per cube, x fastest.
    pub fn inside(&self) -> &[bool] {
        &self.inside
    }

    /// Returns the volume.
    pub fn volume(&self) -> &'a Volume {
        self.volume
    }

    /// Returns the number of occupied cubes.
    pub fn n_inside(&self) -> usize {
        self.inside.par_iter().filter(|&&inside| inside).count()
    }

    /// Returns the positions of the occupied cubes.
    pub(super) fn sites(&self) -> Vec<[u32; 3]> {
        let inside = (0..self.inside.len()).filter(|&n| self.inside[n]);
        inside.map(|n| self.cube(n as u32).map(|i| i as u32)).collect()
    }

    /// Returns the world coordinates of the corners of the box of all occupied cubes, or of the
    /// whole volume if there are none.
    pub fn corners(&self) -> [[f64; 3]; 8] {
        let [low, high] = self.bounds.unwrap_or([[0; 3], self.shape.map(|n| n - 1)]);
        std::array::from_fn(|corner| {
            let end = |k: usize| match corner >> k & 1 {
                0 => low[k] as f64 - 0.5,
                _ => high[k] as f64 + 0.5,
            };
            self.volume.placement().world([0, 1, 2].map(|k| end(k) + self.offset()))
        })
    }

    /// Returns the voxel index at cube coordinate 0.
    pub(super) fn offset(&self) -> f64 {
        if self.kind == Kind::Voxels { 0.0 } else { 0.5 }
    }

    /// Returns the traversal of a ray through the box of all occupied cubes, or `None` if the ray
    /// misses the box.
    pub(super) fn course(&self, ray: &Ray) -> Option<GridTraversal> {
        let placement = self.volume.placement();
        let from = placement.index(ray.from).map(|x| x - self.offset());
        GridTraversal::new(from, placement.index_change(ray.along), self.bounds?)
    }

    /// Returns the index of a cube, x fastest.
    pub(super) fn number(&self, cube: [i64; 3]) -> usize {
        let [nx, ny, _] = self.shape;
        let [x, y, z] = cube.map(|i| i as usize);
        x + nx * (y + ny * z)
    }

    fn cube(&self, number: u32) -> [usize; 3] {
        let [nx, ny, _] = self.shape;
        let n = number as usize;
        [n % nx, n / nx % ny, n / nx / ny]
    }

    /// Returns the `t` at which the ray hits something in a cube, if any. The ray is inside the
    /// cube from `enter` to `leave`.
    pub(super) fn meets(
        &self,
        cube: [i64; 3],
        course: &GridTraversal,
        enter: f64,
        leave: f64,
    ) -> Option<f64> {
        if !self.inside[self.number(cube)] {
            return None;
        }
        match self.kind {
            Kind::Voxels => Some(enter),
            Kind::Level(level) => {
                let at = cube.map(|i| i as usize);
                let start = sub(course.at(enter), at.map(|i| i as f64 - 0.5));
                let values = corners(self.volume, at);
                let found = Along::new(&values, start, course.along).first(level, leave - enter);
                found.map(|t| enter + t)
            }
        }
    }

    /// Returns the position of a hit in voxel coordinates.
    fn index(&self, ray: &Ray, hit: &Hit) -> V {
        let index = self.volume.placement().index(ray.at(hit.t));
        // Rounding must not move the position out of the cube.
        let cube = self.cube(hit.cube);
        [0, 1, 2].map(|k| {
            let middle = cube[k] as f64 + self.offset();
            index[k].clamp(middle - 0.5, middle + 0.5)
        })
    }

    /// Returns the value at a hit: the value of the voxel for solids of voxels, or the interpolated
    /// value for surfaces.
    fn value(&self, ray: &Ray, hit: &Hit) -> f64 {
        match self.kind {
            Kind::Voxels => {
                let [i, j, k] = self.cube(hit.cube);
                self.volume.value(i, j, k)
            }
            Kind::Level(_) => self.volume.sample(self.index(ray, hit)).unwrap_or(f64::NAN),
        }
    }

    /// Evaluates an expression at hits and returns one number per hit, `[hits]`. Its variables are
    /// the value `v`, the world coordinates `x`, `y` and `z`, and the indices `i`, `j` and `k`,
    /// which are fractional between voxels.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the expression uses any other name.
    pub fn at_hits(&self, expression: &Expression, hits: &[(Ray, Hit)]) -> Result<Vec<f64>> {
        let points: Vec<V> = hits.iter().map(|(ray, hit)| ray.at(hit.t)).collect();
        let index = |k: usize| -> Arc<[f64]> {
            hits.iter().map(|(ray, hit)| self.index(ray, hit)[k]).collect()
        };
        let field = Field::bind(expression, |name| match name {
            "v" => Ok(hits.iter().map(|(ray, hit)| self.value(ray, hit)).collect()),
            "i" => Ok(index(0)),
            "j" => Ok(index(1)),
            "k" => Ok(index(2)),
            _ => {
                let what = format!("unknown name `{name}`");
                let remedy = "v is the value, x y z are world coordinates, i j k are the indices";
                Err(Error::usage(what, remedy))
            }
        })?;
        Ok(field.values(&points, 0.0))
    }

    /// Returns the unit normal at a hit in world coordinates. For a surface, it is the direction of
    /// the gradient of the values, computed by central differences over two voxels. For voxels, it
    /// is the direction in which the density of occupied voxels around the hit decreases. Nearer
    /// voxels have a larger weight in the density. If this direction is undefined, the normal
    /// points back along the ray.
    pub fn normal(&self, ray: &Ray, hit: &Hit) -> [f64; 3] {
        let at = self.index(ray, hit);
        let gradient = match self.kind {
            Kind::Voxels => self.crowding(at),
            Kind::Level(_) => self.slope(at),
        };
        let normal = self.volume.placement().world_gradient(gradient);
        let size = length(normal);
        if size > 0.0 && size.is_finite() {
            scaled(normal, 1.0 / size)
        } else {
            scaled(ray.along, -1.0)
        }
    }

    fn slope(&self, at: V) -> V {
        let last = self.volume.shape().map(|n| (n - 1) as f64);
        [0, 1, 2].map(|k| {
            let value = |step: f64| {
                let mut at = at;
                at[k] = (at[k] + step).clamp(0.0, last[k]);
                (at[k], self.volume.sample(at).filter(|x| x.is_finite()))
            };
            let here = value(0.0);
            let [below, above] = [-1.0, 1.0].map(|step| match value(step) {
                (x, Some(value)) => (x, value),
                _ => (here.0, here.1.unwrap_or(0.0)),
            });
            if above.0 > below.0 { (above.1 - below.1) / (above.0 - below.0) } else { 0.0 }
        })
    }

    /// Returns a vector that points toward fewer occupied voxels.
    fn crowding(&self, at: V) -> V {
        let low = at.map(|x| (x - REACH).ceil().max(0.0) as usize);
        let high = [0, 1, 2].map(|k| ((at[k] + REACH).floor() as usize).min(self.shape[k] - 1));
        let mut sum = [0.0; 3];
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let row = self.shape[0] * (y + self.shape[1] * z);
                for x in (low[0]..=high[0]).filter(|x| self.inside[row + x]) {
                    let away = sub(at, [x, y, z].map(|i| i as f64));
                    let rest = (1.0 - dot(away, away) / (REACH * REACH)).max(0.0);
                    sum = add(sum, scaled(away, rest * rest));
                }
            }
        }
        sum
    }
}

fn check(shape: [usize; 3]) -> Result<()> {
    let n = shape.iter().try_fold(1_u64, |n, &size| n.checked_mul(size as u64));
    if n.is_none_or(|n| n > MOST) || shape.iter().any(|&n| n > LONGEST) {
        let what = format!("rays through a volume of {shape:?} voxels");
        let remedy =
            "use a volume of at most 65,536 voxels along an axis and 4,294,967,295 in total";
        return Err(Error::usage(what, remedy));
    }
    Ok(())
}

/// Returns the values at the corners of a cube between voxels, x fastest.
fn corners(volume: &Volume, [x, y, z]: [usize; 3]) -> [f64; 8] {
    std::array::from_fn(|k| volume.value(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)))
}

/// Returns the first and the last index of occupied cubes along each axis, or `None` if there are
/// none.
fn bounds(inside: &[bool], [nx, ny, _]: [usize; 3]) -> Option<[[usize; 3]; 2]> {
    let rows = inside.par_chunks(nx).enumerate().filter_map(|(row, inside)| {
        let first = inside.iter().position(|&inside| inside)?;
        let last = inside.iter().rposition(|&inside| inside)?;
        Some([[first, row % ny, row / ny], [last, row % ny, row / ny]])
    });
    rows.reduce_with(|a, b| {
        let low = [0, 1, 2].map(|k| a[0][k].min(b[0][k]));
        [low, [0, 1, 2].map(|k| a[1][k].max(b[1][k]))]
    })
}
