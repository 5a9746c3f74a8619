//! Warnings about walls and stop layers that are thinner than the grid resolves.

use super::TiledCase;
use super::source::Source;
use crate::config::Coefficient;
use crate::error::Result;
use crate::expression::Lattice;
use crate::grid::{Pool, Stored, Tile, TiledGrid};
use crate::levelset::tiled::Wide;
use crate::run::thin_layers::{Layer, Rows};
use crate::run::thin_walls::{self, MOST_POINTS, RESOLVED};
use crate::volume::Volume;

/// The smallest thickness of a layer at which a front stops, in voxels.
const STOPS: f64 = 2.0;
/// Number of samples of an expression per voxel.
const FINE: f64 = 8.0;
/// The largest number of samples along a row.
const MOST_SAMPLES: f64 = 65_536.0;
/// Number of rows of samples along each side of the box that is examined.
const ROWS: usize = 16;
/// Number of points along each axis at which the largest speed is estimated.
const COARSE: usize = 24;

/// A box, given by its lower and its upper corner.
type Corners = ([f64; 3], [f64; 3]);

impl TiledCase<'_> {
    /// Warns if a wall of the initial shape is thinner than the coarsest grid resolves. `self` must
    /// be the case on this grid.
    pub(super) fn doubt_walls<R: Wide, S: Stored<R>, const E: usize>(
        &self,
        source: &Source,
        grid: &TiledGrid<E>,
        phi: &Pool<S, E>,
        warnings: &mut Vec<String>,
    ) {
        let gamma = self.band::<R>().gamma;
        let (origin, dx) = (self.source.origin, self.source.dx);
        // Tiles are skipped evenly, so that the work does not grow with the grid.
        let every = (grid.n_tiles() * E * E).div_ceil(16 * MOST_POINTS).max(1);
        let of_tile = |tile: &Tile| {
            if !(tile.id as usize).is_multiple_of(every) {
                return Vec::new();
            }
            let first = tile.key.first_voxel(E);
            let near = |value: &S| {
                let value = value.load(gamma).to_f64();
                (0.0..1.0).contains(&value)
            };
            let values = phi.tile(tile.id).iter().enumerate().filter(|(_, v)| near(v));
            let voxel = |(n, _): (usize, &S)| {
                let at = [n % E, n / E % E, n / (E * E)];
                std::array::from_fn(|k| origin[k] + dx * f64::from(first[k] + at[k] as i32))
            };
            values.map(voxel).collect::<Vec<[f64; 3]>>()
        };
        let join = |mut a: Vec<[f64; 3]>, b: Vec<[f64; 3]>| {
            a.extend(b);
            a
        };
        let points = grid.fold(of_tile, join).unwrap_or_default();
        let level = source.level();
        let Some(wall) = thin_walls::thinnest(&points, dx, &*level) else { return };
        let [x, y, z] = wall.place.map(rounded);
        self.doubt(
            format!(
                "a wall of the initial shape near ({x}, {y}, {z}) is {} thick, {:.2} voxels of \
                 {dx}; walls thinner than {RESOLVED} voxels may vanish or move wrongly; use \
                 domain.tiled.dx = {} or smaller",
                rounded(wall.thickness),
                wall.thickness / dx,
                below(wall.thickness / RESOLVED / self.coarseness()),
            ),
            warnings,
        );
    }

    /// Warns if `evolve.normal_speed` vanishes or changes sign in a layer that is thinner than the
    /// coarsest grid resolves, so that the interface may pass through it. `self` must be the case
    /// as given.
    ///
    /// # Errors
    /// Returns the errors of [`TiledCase::bounds`], and
    /// [`Error::Case`](crate::Error::Case) for an expression with a data array.
    pub(super) fn doubt_layers(&self, source: &Source, warnings: &mut Vec<String>) -> Result<()> {
        let evolve = self.config.evolve.as_ref();
        let (layer, axis) = match evolve.and_then(|evolve| evolve.normal_speed.as_ref()) {
            Some(Coefficient::Expression(expression)) if expression.constant().is_none() => {
                let lattice = Lattice::bind(std::slice::from_ref(expression))
                    .map_err(self.config.locate("evolve.normal_speed"))?;
                let bounds = self.bounds(source)?;
                match thinnest_of(&lattice, self.reached(&lattice, bounds), self) {
                    Some(found) => found,
                    None => return Ok(()),
                }
            }
            Some(Coefficient::Volume(_)) => {
                let Some(array) = self.arrays.get("evolve.normal_speed") else { return Ok(()) };
                match thinnest_in(&array.volume, self.first_spacing()) {
                    Some(found) => found,
                    None => return Ok(()),
                }
            }
            _ => return Ok(()),
        };
        let Layer { thickness, .. } = layer.0;
        let ([x, y, z], dx) = (layer.1.map(rounded), self.first_spacing());
        self.doubt(
            format!(
                "evolve.normal_speed vanishes or changes sign in a layer near ({x}, {y}, {z}) that \
                 is {} thick along {axis}, {:.2} voxels of {dx}; the interface may pass layers \
                 thinner than {STOPS} voxels; use domain.tiled.dx = {} or smaller",
                rounded(thickness),
                thickness / dx,
                below(thickness / STOPS / self.coarseness()),
            ),
            warnings,
        );
        Ok(())
    }

    /// Returns how many times larger the voxels of the coarsest grid are than those of the case.
    fn coarseness(&self) -> f64 {
        f64::from(1_u32 << (self.source.levels - 1))
    }

    /// Returns the voxel spacing of the coarsest grid of the case.
    fn first_spacing(&self) -> f64 {
        self.source.dx * self.coarseness()
    }

    fn doubt(&self, warning: String, warnings: &mut Vec<String>) {
        tracing::warn!("{warning}");
        warnings.push(warning);
    }

    /// Returns a box that the interface is not expected to leave. The largest speed determines its
    /// size.
    fn reached(&self, lattice: &Lattice, (low, high): Corners) -> Corners {
        let size: [f64; 3] = std::array::from_fn(|k| high[k] - low[k]);
        let longest = size.iter().fold(0.0_f64, |most, s| most.max(*s));
        let most = largest(lattice, grown((low, high), longest), self.start_time());
        let time = self.config.evolve.as_ref().and_then(|evolve| evolve.end_time);
        let way = time.map_or(longest, |end| (end - self.start_time()) * most);
        grown((low, high), way.clamp(0.0, 2.0 * longest) + 2.0 * self.source.dx)
    }
}

/// A layer, its position and the name of the axis along which it was found.
type Found = ((Layer, [f64; 3]), &'static str);

/// Returns the thinnest layer of an expression in a box, if any is not resolved.
fn thinnest_of(lattice: &Lattice, (low, high): Corners, case: &TiledCase) -> Option<Found> {
    let (dx, time) = (case.first_spacing(), case.start_time());
    let most = largest(lattice, (low, high), time);
    let positions: Vec<[f64; 2]> =
        (0..ROWS * ROWS).map(|n| [(n % ROWS) as f64, (n / ROWS) as f64]).collect();
    thinnest_along(|axis| {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        let length = high[axis] - low[axis];
        let step = (dx / FINE).max(length / MOST_SAMPLES);
        let n = (length / step).ceil() as usize + 1;
        // Samples avoid round coordinates, at which expressions often change.
        let along: Vec<f64> = (0..n).map(|k| low[axis] + (k as f64 + 0.137) * step).collect();
        // Rows avoid planes of symmetry.
        let spacing = others.map(|k| (high[k] - low[k]) / ROWS as f64);
        let place = |at: [f64; 2]| {
            let across = |k: usize| low[others[k]] + (at[k] + 0.4142) * spacing[k];
            [across(0), across(1)]
        };
        let row = |at: [f64; 2]| {
            let [u, v] = place(at);
            let mut axes: [&[f64]; 3] = [&along, &along, &along];
            let (u, v) = ([u], [v]);
            (axes[others[0]], axes[others[1]]) = (&u, &v);
            let mut values = vec![0.0; along.len()];
            lattice.evaluate_into(axes, time, &mut values);
            values
        };
        let apart = 3.0 * dx;
        let shift = spacing.map(|s| if s > 0.0 { apart / s } else { 0.0 });
        let rows = Rows { step, resolved: STOPS * dx, most, shift, apart, row: &row };
        let layer = rows.thinnest(&positions)?;
        let [u, v] = place(layer.row);
        let mut at = [0.0; 3];
        at[axis] = along[0] + layer.sample * step;
        (at[others[0]], at[others[1]]) = (u, v);
        Some((layer, at))
    })
}

/// Returns the thinnest layer of voxels of a volume, if any is not resolved by a grid of spacing
/// `dx`.
fn thinnest_in(volume: &Volume, dx: f64) -> Option<Found> {
    let (shape, spacing) = (volume.shape(), volume.placement().spacing());
    let found = volume.statistics();
    let most = found.max.unwrap_or(0.0).abs().max(found.min.unwrap_or(0.0).abs());
    thinnest_along(|axis| {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        // Neighboring rows are at least one voxel of the volume apart.
        let shift = others.map(|k| (3.0 * dx / spacing[k]).round().max(1.0));
        let row = |at: [f64; 2]| {
            let is_in = |k: usize| at[k] >= 0.0 && at[k] < shape[others[k]] as f64;
            if !is_in(0) || !is_in(1) {
                return Vec::new();
            }
            let mut voxel = [0; 3];
            (voxel[others[0]], voxel[others[1]]) = (at[0] as usize, at[1] as usize);
            let value = |k: usize| {
                let mut voxel = voxel;
                voxel[axis] = k;
                volume.value(voxel[0], voxel[1], voxel[2])
            };
            (0..shape[axis]).map(value).collect()
        };
        let apart = shift[0] * spacing[others[0]];
        let (step, resolved) = (spacing[axis], STOPS * dx);
        let rows = Rows { step, resolved, most, shift, apart, row: &row };
        let [nu, nv] = others.map(|k| shape[k]);
        let positions: Vec<[f64; 2]> =
            (0..nu * nv).map(|n| [(n % nu) as f64, (n / nu) as f64]).collect();
        let layer = rows.thinnest(&positions)?;
        let mut index = [0.0; 3];
        index[axis] = layer.sample;
        (index[others[0]], index[others[1]]) = (layer.row[0], layer.row[1]);
        Some((layer, volume.placement().world(index)))
    })
}

/// Returns the thinnest of the layers that are found along the three axes.
fn thinnest_along(find: impl Fn(usize) -> Option<(Layer, [f64; 3])>) -> Option<Found> {
    let found = (0..3).filter_map(|axis| Some((find(axis)?, ["x", "y", "z"][axis])));
    found.reduce(|a, b| if b.0.0.thickness < a.0.0.thickness { b } else { a })
}

/// Returns the largest absolute value of an expression at some points of a box.
fn largest(lattice: &Lattice, (low, high): Corners, time: f64) -> f64 {
    let axes: [Vec<f64>; 3] = std::array::from_fn(|k| {
        let at = |n: usize| low[k] + (high[k] - low[k]) * (n as f64 + 0.4142) / COARSE as f64;
        (0..COARSE).map(at).collect()
    });
    let mut values = vec![0.0_f64; COARSE.pow(3)];
    lattice.evaluate_into(axes.each_ref().map(Vec::as_slice), time, &mut values);
    values.iter().filter(|v| v.is_finite()).fold(0.0, |most, v| most.max(v.abs()))
}

fn grown((low, high): Corners, by: f64) -> Corners {
    (low.map(|x| x - by), high.map(|x| x + by))
}

/// Rounds to three significant digits, for messages.
fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// Returns a number with two significant digits that is not above `x`.
fn below(x: f64) -> f64 {
    let digit = 10_f64.powf(x.log10().floor() - 1.0);
    rounded((x / digit).floor() * digit)
}
