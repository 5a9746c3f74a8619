//! The initial tiles of a run: phi of `[initial]` near its interface.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::TiledCase;
use super::coefficients::Lines;
use super::region_block::Block;
use super::source::Source;
use crate::config::{Config, Initial};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::geometry::shape::Shape;
use crate::geometry::shape_sampling;
use crate::grid::{Band, Pool, Stored, TileKey, TiledGrid};
use crate::run::initial_from_surface::{ClosedSurface, SurfaceLevel};

/// Largest number of tiles in a box that is searched for the interface. Such a search takes a few
/// minutes.
const MOST_TILES: f64 = 4e9;

/// Largest number of voxels along the edge of a block, including one layer around the block.
pub(super) const MOST: usize = 10;

/// Returns whether phi of `[initial]` is the signed distance to its interface.
pub(super) fn is_distance(config: &Config) -> bool {
    matches!(config.initial, Some(Initial::Shape(_) | Initial::Mesh { .. } | Initial::Image { .. }))
}

/// The initial tiles, their values, and two counts for a closed surface: the number of voxels whose
/// side was undecided, and the number of voxels that count as inside because of a negative winding
/// number.
type Filled<S, const E: usize> = (TiledGrid<E>, Pool<S, E>, [usize; 2]);

impl TiledCase<'_> {
    /// Returns the box that is searched for the interface.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is no such box. Returns [`Error::Input`] for a volume with
    /// a single voxel along an axis.
    pub(super) fn bounds(&self, source: &Source) -> Result<([f64; 3], [f64; 3])> {
        let bounds = self.source.bounds.as_ref().map(|b| (b.min, b.max));
        match source {
            Source::Shape(shape) => shape.bounds().ok_or_else(|| self.unbounded()),
            Source::Expression(_) => bounds.ok_or_else(|| self.unbounded()),
            Source::Mesh(surface) => Ok(surface.bounds()),
            Source::Region(region) => match region.bounds()? {
                Some(all) => Ok(common(all, bounds)),
                None => bounds.ok_or_else(|| self.unbounded()),
            },
            Source::Volume(level) => Ok(common(level.bounds()?, bounds)),
            Source::Image(image) => match image.bounds() {
                Some(all) => Ok(common(all, bounds)),
                None => bounds.ok_or_else(|| self.unbounded()),
            },
        }
    }

    /// Returns the tiles near the initial interface and their values. Warnings about a surface are
    /// added to `warnings`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is no interface in the box. Returns the errors of
    /// [`TiledGrid::from_box`].
    pub(super) fn start<R: Real, S: Stored<R>, const E: usize>(
        &self,
        source: &Source,
        warnings: &mut Vec<String>,
    ) -> Result<(TiledGrid<E>, Pool<S, E>)> {
        if let Source::Region(region) = source {
            region.surfaces().for_each(SurfaceLevel::forget_doubts);
        }
        let (grid, phi, [undecided, inverted]) = self.fill::<R, S, E>(source)?;
        if let Source::Region(region) = source {
            region.surfaces().for_each(|surface| surface.doubts("voxels", warnings));
        }
        if let Source::Mesh(surface) = source {
            surface.doubts("voxels", undecided, inverted, warnings);
        }
        if grid.n_tiles() == 0 {
            let what = "initial has no interface in the box that is searched".to_string();
            let remedy = "check its position, domain.tiled.bounds and dx: parts thinner than dx \
                          may be missed";
            return Err(self.config.error_at("initial", what, remedy));
        }
        Ok((grid, phi))
    }

    /// Returns the same tiles as [`TiledCase::start`], but accepts an empty interface and adds no
    /// warnings.
    pub(super) fn fill<R: Real, S: Stored<R>, const E: usize>(
        &self,
        source: &Source,
    ) -> Result<Filled<S, E>> {
        let band = self.band::<R>();
        let lines = Lines { origin: self.source.origin, dx: self.source.dx };
        if let Source::Mesh(surface) = source {
            return fill_near(surface, band, lines);
        }
        let (low, high) = self.bounds(source)?;
        let (first, last) = self.tiles::<E>((low, high))?;
        let frame = Shape::Box { min: low, max: high };
        let band_of = shape_sampling::Band { dx: lines.dx, gamma: band.gamma.to_f64() };
        // Beyond this distance from the interface, phi is not needed.
        let far = (band_of.gamma + 2.0) * lines.dx;
        let (grid, phi) = TiledGrid::from_box(first, last, band, |first, out: &mut [R]| {
            let axes = lines.of_block(first, 1);
            let mut values = [0.0; MOST * MOST * MOST];
            let values = &mut values[..(E + 2).pow(3)];
            match source {
                Source::Shape(shape) => {
                    let axes = lines.of_block(first, 0);
                    shape.sample_into(axes.each_ref().map(|axis| &axis[..E]), band_of, out);
                }
                Source::Expression(lattice) => {
                    lattice.evaluate_into(axes.each_ref().map(|axis| &axis[..E + 2]), 0.0, values);
                    near_distances::<R, E>(values, out);
                    within(&axes, lines.dx, far, out, |x| frame.signed_distance(x));
                }
                Source::Volume(level) => {
                    let half = 0.5 * (E + 1) as f64 * lines.dx + far;
                    let middle = axes.map(|axis| 0.5 * (axis[0] + axis[E + 1]));
                    match level.side(middle, [half; 3]) {
                        Some(false) => {
                            out.fill(R::INFINITY);
                            return Ok(());
                        }
                        Some(true) => out.fill(-R::INFINITY),
                        None => {
                            for (value, x) in values.iter_mut().zip(places(&axes, 0, E + 2)) {
                                *value = level.value(x);
                            }
                            near_distances::<R, E>(values, out);
                        }
                    }
                    let wall = |x| level.beyond(x).max(frame.signed_distance(x));
                    within(&axes, lines.dx, far, out, wall);
                }
                Source::Image(image) => {
                    let middle = axes.map(|axis| 0.5 * (axis[1] + axis[E]));
                    let radius = 0.5 * 3.0_f64.sqrt() * (E - 1) as f64 * lines.dx;
                    // Between two points, the signed distance changes by at most their distance.
                    let distance = image.signed_distances(&[middle])[0];
                    if distance.abs() > radius + far {
                        out.fill(R::of(distance.signum()) * R::INFINITY);
                    } else {
                        let points: Vec<[f64; 3]> = places(&axes, 1, E).collect();
                        let distances = image.signed_distances(&points);
                        for (value, distance) in out.iter_mut().zip(distances) {
                            *value = R::of(distance / lines.dx);
                        }
                    }
                    if self.source.bounds.is_some() {
                        within(&axes, lines.dx, far, out, |x| frame.signed_distance(x));
                    }
                }
                Source::Region(region) => {
                    let mut distances = [0.0; 512];
                    let distances = &mut distances[..E.pow(3)];
                    let block = Block { axes, dx: lines.dx, far };
                    region.combine(distances, &|leaf, out| block.fill::<E>(leaf, out));
                    for (value, distance) in out.iter_mut().zip(distances) {
                        *value = R::of(*distance / lines.dx);
                    }
                    if self.source.bounds.is_some() {
                        within(&axes, lines.dx, far, out, |x| frame.signed_distance(x));
                    }
                }
                Source::Mesh(_) => {}
            }
            Ok(())
        })?;
        Ok((grid, phi, [0, 0]))
    }

    pub(super) fn band<R: Real>(&self) -> Band<R> {
        Band { gamma: R::of(self.gamma()), reach: self.options().reach() }
    }

    pub(super) fn unbounded(&self) -> Error {
        let remedy = "add domain.tiled.bounds = { min = [...], max = [...] }";
        self.config.error_at("initial", "initial has no bounds of its own", remedy)
    }

    /// Returns the first and the last tile of a box that is extended by the narrow band and a
    /// margin, and the number of tiles from the first to the last.
    pub(super) fn tiles_of_box<const E: usize>(
        &self,
        (low, high): ([f64; 3], [f64; 3]),
    ) -> ([f64; 3], [f64; 3], f64) {
        let edge = self.source.dx * E as f64;
        let margin = (self.gamma() + 4.0) * self.source.dx;
        let origin = self.source.origin;
        let first: [f64; 3] =
            std::array::from_fn(|k| ((low[k] - margin - origin[k]) / edge).floor() - 1.0);
        let last: [f64; 3] =
            std::array::from_fn(|k| ((high[k] + margin - origin[k]) / edge).floor() + 1.0);
        (first, last, (0..3).map(|k| last[k] - first[k] + 1.0).product())
    }

    /// Refuses a box that extends beyond the range of tile coordinates.
    ///
    /// # Errors
    /// Returns [`Error::Case`] naming the position that is out of range.
    pub(super) fn in_range<const E: usize>(&self, bounds: ([f64; 3], [f64; 3])) -> Result<()> {
        let (first, last, _) = self.tiles_of_box::<E>(bounds);
        let limit = f64::from(TileKey::LIMIT);
        let beyond = |k: &usize| first[*k] < -limit || last[*k] > limit;
        let Some(k) = (0..3).find(beyond) else { return Ok(()) };
        let (origin, dx) = (self.source.origin[k], self.source.dx);
        let at = if last[k] > limit { bounds.1[k] } else { bounds.0[k] };
        let reach = limit * E as f64 * dx;
        let what = format!(
            "initial reaches to {} = {at:e}, but tiles of dx {dx} cover only {:e} to {:e}",
            ["x", "y", "z"][k],
            origin - reach,
            origin + reach
        );
        let remedy = "move domain.tiled.origin closer to it, or use a larger domain.tiled.dx";
        Err(self.config.error_at("initial", what, remedy))
    }

    /// Returns the integer coordinates of the first and the last tile from
    /// [`TiledCase::tiles_of_box`].
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the box has too many tiles to search.
    pub(super) fn tiles<const E: usize>(
        &self,
        bounds: ([f64; 3], [f64; 3]),
    ) -> Result<([i32; 3], [i32; 3])> {
        let (first, last, n) = self.tiles_of_box::<E>(bounds);
        // The comparison is written so that NaN is refused.
        let is_possible = n <= MOST_TILES;
        if !is_possible {
            let what = format!(
                "initial lies in a box of {n:.1e} tiles, but at most {MOST_TILES:.0e} are allowed"
            );
            let remedy = "use a larger domain.tiled.dx, or bounds closer to the interface";
            return Err(self.config.error_at("domain.tiled.dx", what, remedy));
        }
        Ok((first.map(|x| x as i32), last.map(|x| x as i32)))
    }
}

/// A box, given by its lower and its upper corner.
type Corners = ([f64; 3], [f64; 3]);

/// Returns the part of a box that lies within the bounds, if there are any.
fn common((low, high): Corners, bounds: Option<Corners>) -> Corners {
    match bounds {
        Some((min, max)) => (
            std::array::from_fn(|k| low[k].max(min[k])),
            std::array::from_fn(|k| high[k].min(max[k])),
        ),
        None => (low, high),
    }
}

/// Returns the tiles and values near a closed surface.
fn fill_near<R: Real, S: Stored<R>, const E: usize>(
    surface: &ClosedSurface,
    band: Band<R>,
    lines: Lines,
) -> Result<Filled<S, E>> {
    // The width is slightly larger than the band, so that values at the edge of the band are
    // correct.
    let width = band.gamma.to_f64() + 1.0;
    let mut distance = surface.solid.on_lattice(lines.origin, lines.dx, width);
    if let Some(thickness) = surface.thickness {
        distance = distance.shell(0.5 * thickness / lines.dx);
    }
    let seeds = distance.blocks(E)?;
    let seeds = seeds.into_iter().map(|corner| corner.map(|x| x.div_euclid(E as i32)));
    let (undecided, inverted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (grid, phi) = TiledGrid::from_seeds(seeds, band, |first, out: &mut [R]| {
        let found = distance.fill(first, E, out);
        undecided.fetch_add(found.undecided, Ordering::Relaxed);
        inverted.fetch_add(found.inverted, Ordering::Relaxed);
        Ok(())
    })?;
    Ok((grid, phi, [undecided.into_inner(), inverted.into_inner()]))
}

/// Iterates over the positions of `edge^3` voxels of a block, x fastest. The first voxel along each
/// axis is `from`.
pub(super) fn places(
    axes: &[[f64; MOST]; 3],
    from: usize,
    edge: usize,
) -> impl Iterator<Item = [f64; 3]> + '_ {
    let along = move |k: usize| axes[k][from..from + edge].iter().copied();
    along(2).flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])))
}

/// Restricts phi on a block to the inside of a wall, unless the whole block lies more than `far`
/// inside the wall.
///
/// `wall` is the signed distance to the wall in world units. It is negative inside the wall. The
/// inside is convex, so the signed distance is a convex function. In a block that lies more than
/// `far` (world units) inside, the wall could change only values of phi below `-far`, which are not
/// needed.
fn within<R: Real>(
    axes: &[[f64; MOST]; 3],
    dx: f64,
    far: f64,
    out: &mut [R],
    wall: impl Fn([f64; 3]) -> f64,
) {
    let edge = if out.len() == 64 { 4 } else { 8 };
    // Over a block, a convex function has its maximum at a corner.
    let corner = |n: usize| [0, 1, 2].map(|k| axes[k][if n >> k & 1 == 1 { edge } else { 1 }]);
    if (0..8).all(|n| wall(corner(n)) < -far) {
        return;
    }
    for (value, x) in out.iter_mut().zip(places(axes, 1, edge)) {
        let wall = R::of(wall(x) / dx);
        // The comparison is written so that NaN is kept.
        if wall > *value {
            *value = wall;
        }
    }
}

/// Converts a function on a block of `E^3` voxels with one layer around it to an approximate
/// distance in voxels by dividing the function by its slope.
pub(super) fn near_distances<R: Real, const E: usize>(values: &[f64], out: &mut [R]) {
    let n = E + 2;
    for (k, out) in out.iter_mut().enumerate() {
        let at = (k % E + 1) + n * ((k / E % E + 1) + n * (k / (E * E) + 1));
        let slope = |step: usize| 0.5 * (values[at + step] - values[at - step]);
        let [x, y, z] = [slope(1), slope(n), slope(n * n)];
        let steepness = (x * x + y * y + z * z).sqrt();
        let value = values[at];
        *out = R::of(match steepness > 0.0 {
            true => value / steepness,
            false if value == 0.0 => 0.0,
            // The function is flat and nonzero here. Either the interface is far away, or the value
            // is NaN.
            false => value * f64::INFINITY,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_counts_where_it_is_near() {
        let lines = Lines { origin: [0.0; 3], dx: 0.5 };
        let frame = Shape::Box { min: [0.0; 3], max: [40.0, 40.0, 7.0] };
        for (first, is_near) in [([16, 16, 0], true), ([16, 16, 4], false), ([36, 36, -4], true)] {
            let axes = lines.of_block(first, 1);
            let mut out = [-3.0_f32; 64];
            within(&axes, 0.5, 2.5, &mut out, |x| frame.signed_distance(x));
            let expected = places(&axes, 1, 4).map(|x| frame.signed_distance(x) as f32 / 0.5);
            let same = out.iter().zip(expected).all(|(found, wall)| *found == wall.max(-3.0));
            assert!(same && is_near == out.iter().any(|v| *v != -3.0), "{first:?}");
        }
        let tall = Shape::Box { min: [0.0; 3], max: [40.0; 3] };
        let axes = lines.of_block([36, 36, 36], 1);
        let mut out = [f32::NEG_INFINITY; 64];
        within(&axes, 0.5, 2.5, &mut out, |x| tall.signed_distance(x));
        assert!(out.iter().all(|v| *v == f32::NEG_INFINITY), "nothing near is touched");
    }

    #[test]
    fn steep_functions_become_distances() {
        // 100 (x - 1.5) on a block of 4^3 voxels with one layer around it.
        let values: Vec<f64> = (0..216).map(|k| 100.0 * ((k % 6) as f64 - 2.5)).collect();
        let mut out = [0.0f32; 64];
        near_distances::<f32, 4>(&values, &mut out);
        assert_eq!(out[..4], [-1.5, -0.5, 0.5, 1.5]);
        let flat = [3.0; 216];
        near_distances::<f32, 4>(&flat, &mut out);
        assert!(out.iter().all(|x| *x == f32::INFINITY));
    }
}
