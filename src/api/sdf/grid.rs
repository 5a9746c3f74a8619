//! Signed distances on a grid.

use super::{Extras, Found, SignedSurface};
use crate::error::{Error, Result};
use crate::parallel::*;
use crate::primitives::memory;
use crate::surface::doubts;

/// Largest number of voxels along the longest side, without margins.
pub(crate) const MOST: u32 = 1 << 14;
/// The number of voxels along the longest side if neither a size nor a spacing is given.
const DEFAULT_SIZE: u32 = 128;
/// The number of voxels along the edge of a block. Neighboring points in a block share work.
const BLOCK: usize = 8;

/// Options of [`Grid::around`] and [`SignedSurface::on_grid`]. The defaults are those of
/// `zeroset sdf`.
///
/// ```
/// use zeroset::api::{Grid, GridOptions, SignedSurface};
/// use zeroset::mesh::generate::{Generate, Sphere, generate};
/// let surface = SignedSurface::new(&generate(&Generate::Sphere(Sphere::default()))?)?;
/// let options = GridOptions::default().size(16).margin(2);
/// let grid = Grid::around(&surface, &options)?;
/// let found = surface.on_grid(&grid, &options, |_| Ok(()))?;
/// assert_eq!((grid.shape, found.values.len()), ([21; 3], 21 * 21 * 21));
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GridOptions {
    /// Number of voxels along the longest side of the surface, or of `bounds`. Without `size` and
    /// `spacing`, it is 128.
    pub size: Option<u32>,
    /// Edge length of a voxel in mesh units, > 0, instead of a size.
    pub spacing: Option<f64>,
    /// Number of voxels to add on each side of the surface. No margin is added to `bounds`.
    pub margin: u32,
    /// Lowest and highest corner of the box of voxel centers to cover, in mesh units. By default,
    /// it is the bounding box of the surface.
    pub bounds: Option<([f64; 3], [f64; 3])>,
    /// The distance from the surface, in voxels, > 0, up to which distances are computed. Farther
    /// away, the value is this limit with the sign of the distance.
    pub band: Option<f64>,
    /// The additional results to compute.
    pub extras: Extras,
}

impl Default for GridOptions {
    fn default() -> Self {
        GridOptions {
            size: None,
            spacing: None,
            margin: 4,
            bounds: None,
            band: None,
            extras: Extras::default(),
        }
    }
}

impl GridOptions {
    /// Sets the number of voxels along the longest side.
    pub fn size(mut self, voxels: u32) -> Self {
        self.size = Some(voxels);
        self
    }

    /// Sets the edge length of a voxel, in mesh units.
    pub fn spacing(mut self, length: f64) -> Self {
        self.spacing = Some(length);
        self
    }

    /// Sets the number of voxels to add on each side of the surface.
    pub fn margin(mut self, voxels: u32) -> Self {
        self.margin = voxels;
        self
    }

    /// Sets the lowest and highest corner of the box of voxel centers to cover, in mesh units.
    pub fn bounds(mut self, lowest: [f64; 3], highest: [f64; 3]) -> Self {
        self.bounds = Some((lowest, highest));
        self
    }

    /// Sets the distance from the surface, in voxels, up to which distances are computed.
    pub fn band(mut self, voxels: f64) -> Self {
        self.band = Some(voxels);
        self
    }

    /// Sets the extra results.
    pub fn extras(mut self, extras: Extras) -> Self {
        self.extras = extras;
        self
    }
}

/// A grid of cubic voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Number of voxels along x, y and z.
    pub shape: [usize; 3],
    /// The center of the first voxel, in mesh units.
    pub origin: [f64; 3],
    /// Edge length of a voxel, in mesh units.
    pub spacing: f64,
}

/// Signed distances on a grid, x fastest.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GridDistances {
    /// The grid.
    pub grid: Grid,
    /// The distance at the center of each voxel, `[nx * ny * nz]`, negative inside, in mesh units.
    pub values: Vec<f64>,
    /// The components of the unit vector along which the distance grows fastest, one array of the
    /// shape of `values` for each of x, y and z, if requested.
    pub normals: Option<[Vec<f32>; 3]>,
    /// The index of the nearest triangle in the mesh for each voxel, `[nx * ny * nz]`, if
    /// requested.
    pub triangles: Option<Vec<u32>>,
    /// Warnings about the signs, one sentence each. [`SignedSurface::warnings`] returns those about
    /// the surface.
    pub warnings: Vec<String>,
}

impl Grid {
    /// Returns the grid that covers a surface, or the bounds of the options.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for a spacing or band that is not positive, and for too many voxels
    /// along a side.
    pub fn around(surface: &SignedSurface, options: &GridOptions) -> Result<Self> {
        positive("spacing", options.spacing)?;
        positive("band", options.band)?;
        let (low, high) = options.bounds.unwrap_or_else(|| surface.bounds());
        let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let size = options.size.unwrap_or(DEFAULT_SIZE);
        let spacing = options.spacing.unwrap_or(longest / f64::from(size));
        let margin = if options.bounds.is_some() { 0.0 } else { f64::from(options.margin) };
        let along = |k: usize| ((high[k] - low[k]) / spacing - 1e-9).ceil() + 2.0 * margin + 1.0;
        let counts: [f64; 3] = std::array::from_fn(along);
        if spacing == 0.0 {
            let what = "the box to cover is a single point, so no spacing follows from the size";
            return Err(Error::usage(what, "give a spacing, or a larger box"));
        }
        let most = f64::from(MOST) + 2.0 * margin + 1.0;
        // The comparison is written so that NaN is refused.
        if !(spacing > 0.0 && counts.iter().all(|n| *n <= most)) {
            let what = format!("{:.0} voxels of {spacing} along a side", longest / spacing);
            let remedy = format!("use larger voxels, at most {MOST} along a side");
            return Err(Error::usage(what, remedy));
        }
        let origin = low.map(|x| x - margin * spacing);
        Ok(Grid { shape: counts.map(|n| n as usize), origin, spacing })
    }

    /// Returns the number of voxels.
    pub fn n_voxels(&self) -> usize {
        self.shape.iter().fold(1, |n, &along| n.saturating_mul(along))
    }

    fn point(&self, voxel: [usize; 3]) -> [f64; 3] {
        std::array::from_fn(|k| self.origin[k] + voxel[k] as f64 * self.spacing)
    }

    /// Returns the voxels of the block whose lowest voxel is `first`.
    fn block(&self, first: [usize; 3]) -> Vec<[usize; 3]> {
        let span = |k: usize| first[k]..(first[k] + BLOCK).min(self.shape[k]);
        let row = |y: usize, z: usize| span(0).map(move |x| [x, y, z]);
        span(2).flat_map(|z| span(1).flat_map(move |y| row(y, z))).collect()
    }
}

/// Returns an error for a length that is not positive.
fn positive(option: &str, x: Option<f64>) -> Result<()> {
    match x {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(Error::usage(format!("{option} {x}: must be > 0"), "give a positive number"))
        }
        _ => Ok(()),
    }
}

/// Returns a list of `n` equal values, one per voxel, or an error if there is not enough memory.
fn reserved<T: Clone>(n: usize, value: T) -> Result<Vec<T>> {
    let mut list = Vec::new();
    memory::reserve(&mut list, n, "voxels", "use larger voxels, or a smaller box")?;
    list.resize(n, value);
    Ok(list)
}

impl SignedSurface {
    /// Computes the signed distances of the voxel centers of a grid, in the caller's thread pool.
    /// `done` receives the number of finished voxels after each layer of blocks, and its errors end
    /// the computation.
    ///
    /// # Errors
    /// Returns the errors of `done`, and [`Error::Device`] if memory runs out.
    pub fn on_grid(
        &self,
        grid: &Grid,
        options: &GridOptions,
        mut done: impl FnMut(u64) -> Result<()>,
    ) -> Result<GridDistances> {
        let ([nx, ny, nz], n, extras) = (grid.shape, grid.n_voxels(), options.extras);
        let mut values = reserved(n, 0.0_f64)?;
        let axes = if extras.normals { n } else { 0 };
        let list = || reserved(axes, 0.0_f32);
        let mut normals = [list()?, list()?, list()?];
        let mut triangles = reserved(if extras.triangles { n } else { 0 }, 0_u32)?;
        let (mut undecided, mut inverted) = (0, 0);
        let rows = (0..ny).step_by(BLOCK);
        let blocks: Vec<[usize; 2]> =
            rows.flat_map(|y| (0..nx).step_by(BLOCK).map(move |x| [x, y])).collect();
        for first in (0..nz).step_by(BLOCK) {
            let found: Vec<(Vec<[usize; 3]>, Found)> = blocks
                .par_iter()
                .map(|&[x, y]| {
                    let voxels = grid.block([x, y, first]);
                    let found = self.in_block(grid, options, &voxels);
                    (voxels, found)
                })
                .collect();
            for (voxels, found) in found {
                undecided += found.undecided;
                inverted += found.inverted;
                for (k, &[x, y, z]) in voxels.iter().enumerate() {
                    let at = x + nx * (y + ny * z);
                    values[at] = found.values[k];
                    let Some(closest) = found.closest.get(k) else { continue };
                    if extras.normals {
                        let normal = self.normal(grid.point([x, y, z]), values[at], closest);
                        for (list, c) in normals.iter_mut().zip(normal) {
                            list[at] = c as f32;
                        }
                    }
                    if extras.triangles {
                        triangles[at] = self.stored(closest);
                    }
                }
            }
            done((BLOCK.min(nz - first) * nx * ny) as u64)?;
        }
        Ok(GridDistances {
            grid: *grid,
            values,
            normals: extras.normals.then_some(normals),
            triangles: extras.triangles.then_some(triangles),
            warnings: doubts("voxels", undecided, inverted),
        })
    }

    /// Returns the distances of the voxels of a block. Distances beyond the band are clamped to it.
    fn in_block(&self, grid: &Grid, options: &GridOptions, voxels: &[[usize; 3]]) -> Found {
        let needs_closest = options.extras.needs_closest();
        let points: Vec<[f64; 3]> = voxels.iter().map(|&voxel| grid.point(voxel)).collect();
        let Some(width) = options.band.map(|band| band * grid.spacing) else {
            return self.find(&points, needs_closest);
        };
        let (Some(low), Some(high)) = (points.first(), points.last()) else {
            return self.find(&points, needs_closest);
        };
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
        let radius = 0.5 * (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
        // On a closed surface, all voxels farther away than this lie on the same side.
        let is_far = |d: f64| d.abs() > width + radius * (1.0 + 1e-9);
        if !needs_closest && self.solid.open_edges == 0 {
            let mut far = self.find(&[middle], false);
            if is_far(far.values[0]) {
                far.values = vec![width.copysign(far.values[0]); points.len()];
                far.undecided *= points.len();
                far.inverted *= points.len();
                return far;
            }
        }
        let mut found = self.find(&points, needs_closest);
        found.values.iter_mut().for_each(|d| *d = d.clamp(-width, width));
        found
    }
}
