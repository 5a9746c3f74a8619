//! What rays look for in a volume.

use std::sync::Arc;

use rayon::prelude::*;

use super::frame::Ray;
use super::grid_traversal::GridTraversal;
use super::level::Along;
use super::march::Hit;
use super::vector::{V, add, dot, length, scaled, sub};
use zeroset_core::error::{Error, Result};
use zeroset_core::expression::{Expression, Field};
use zeroset_core::volume::Volume;

/// Cubes of one place must be told apart by 32 bits.
const MOST: u64 = u32::MAX as u64;
/// Voxels along an axis at most, for the pyramid's levels and for the precision of borders.
const LONGEST: usize = 1 << 16;
/// Voxels within this distance of a hit, in voxels, have a part in its normal.
const REACH: f64 = 3.0;

/// A set of unit cubes in the coordinates of a volume's voxels, and what a ray meets in them.
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
    /// A cube around each voxel; all of it is met.
    Voxels,
    /// A cube between eight voxels; the surface at this value is met.
    Level(f64),
}

impl<'a> Solid<'a> {
    /// The voxels that are `inside`, `[n_voxels]`, x fastest, as cubes; [`Volume::select`] finds those for
    /// which an expression holds.
    ///
    /// # Errors
    /// [`Error::Case`] for another number of marks, or for a volume of more than 2^32 - 1 voxels or
    /// 65,536 along an axis.
    pub fn voxels(volume: &'a Volume, inside: Vec<bool>) -> Result<Self> {
        let n = volume.n_voxels();
        if inside.len() != n {
            let what = format!("{} marks for a volume of {n} voxels", inside.len());
            return Err(Error::usage(what, "give one mark for each voxel"));
        }
        Self::new(volume, Kind::Voxels, volume.shape(), inside)
    }

    /// The surface where the values, linear between voxels along each axis, pass `level`. Voxels
    /// whose value is no finite number have none beside them.
    ///
    /// # Errors
    /// As [`Solid::voxels`]; [`Error::Case`] for a volume of one voxel along an axis, or a level
    /// that is no finite number.
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
            let remedy = "it needs two along each axis; show voxels instead (--where \"v > 1\")";
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

    /// Cubes along each axis.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Which cubes hold something, x fastest.
    pub fn inside(&self) -> &[bool] {
        &self.inside
    }

    /// The volume.
    pub fn volume(&self) -> &'a Volume {
        self.volume
    }

    /// Cubes that hold something.
    pub fn n_inside(&self) -> usize {
        self.inside.par_iter().filter(|&&inside| inside).count()
    }

    /// Places of the cubes that hold something.
    pub(super) fn sites(&self) -> Vec<[u32; 3]> {
        let inside = (0..self.inside.len()).filter(|&n| self.inside[n]);
        inside.map(|n| self.cube(n as u32).map(|i| i as u32)).collect()
    }

    /// World coordinates of the corners of the box of all cubes that hold something; of the whole
    /// volume if none does.
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

    /// Index of the voxel volume of what has cube coordinate 0.
    pub(super) fn offset(&self) -> f64 {
        if self.kind == Kind::Voxels { 0.0 } else { 0.5 }
    }

    /// The way of a ray through the box of all cubes that hold something.
    pub(super) fn course(&self, ray: &Ray) -> Option<GridTraversal> {
        let placement = self.volume.placement();
        let from = placement.index(ray.from).map(|x| x - self.offset());
        GridTraversal::new(from, placement.index_change(ray.along), self.bounds?)
    }

    /// Number of a cube of the box.
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

    /// Where the ray meets something in a cube between `enter` and `leave`.
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

    /// Index of the place in the volume where a ray hit.
    fn index(&self, ray: &Ray, hit: &Hit) -> V {
        let index = self.volume.placement().index(ray.at(hit.t));
        // Rounding must not leave the cube that was hit.
        let cube = self.cube(hit.cube);
        [0, 1, 2].map(|k| {
            let middle = cube[k] as f64 + self.offset();
            index[k].clamp(middle - 0.5, middle + 0.5)
        })
    }

    /// The value at a hit: that of the voxel, or between voxels.
    fn value(&self, ray: &Ray, hit: &Hit) -> f64 {
        match self.kind {
            Kind::Voxels => {
                let [i, j, k] = self.cube(hit.cube);
                self.volume.value(i, j, k)
            }
            Kind::Level(_) => self.volume.sample(self.index(ray, hit)).unwrap_or(f64::NAN),
        }
    }

    /// An expression at hits, one number for each: of the value `v`, the world coordinates `x`, `y` and `z`, and
    /// the indices `i`, `j` and `k`, which have fractions between voxels.
    ///
    /// # Errors
    /// [`Error::Case`] for another name in the expression.
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
                let what = format!("there is no `{name}` here");
                let remedy = "v is the value, x y z are world coordinates, i j k is the index";
                Err(Error::usage(what, remedy))
            }
        })?;
        Ok(field.values(&points, 0.0))
    }

    /// Unit normal at a hit, in the world: of a surface the gradient of the values, by central
    /// differences over two voxels; of voxels that of how many lie around the place, nearer ones
    /// counting more.
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

    /// Towards fewer voxels.
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
        let remedy = "at most 65,536 along an axis and 4,294,967,295 in all; thin it out before";
        return Err(Error::usage(what, remedy));
    }
    Ok(())
}

/// Values at the corners of a cube between voxels, x fastest.
fn corners(volume: &Volume, [x, y, z]: [usize; 3]) -> [f64; 8] {
    std::array::from_fn(|k| volume.value(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)))
}

/// First and last cube that holds something, along each axis.
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
