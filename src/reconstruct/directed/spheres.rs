//! Signed distances from spheres that are fitted to the samples around each vertex.
//!
//! The fit is that of G. Guennebaud, M. Gross, *Algebraic point set surfaces*, SIGGRAPH 2007, in
//! the closed form of G. Guennebaud, M. Germann, M. Gross, *Dynamic sampling and rendering of
//! algebraic point set surfaces*, Eurographics 2008, with the weight `(1 - (d / r)^2)^4` of a
//! sample at distance d. The radius r of a sample is a multiple of the distance between the samples
//! around it, so sparse regions have no holes, and dense regions keep their detail.
//!
//! A sample contributes only if its normal points to the same side as the normal of the nearest
//! sample. Therefore, the two sides of a thin plate or of a narrow gap stay apart.
//!
//! Every vertex adds its samples in the same order on the CPU and on a GPU: by tile, by cube and in
//! the order of the cloud.

use super::density::{SINGULAR, look};
use super::edges::beyond_edges;
use super::field::{Closest, Field, VERTICES, offset, step, tiles_reached};
use super::handles::{CutHandles, cut_handles};
use super::is_direction;
use super::lattice::{Lattice, TILE};
use super::seeds::{Sample, Seeds};
use crate::cloud::{PointCloud, noise};
use crate::error::Result;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::point_distance::{Index, Sites};
use crate::surface::{HoleSize, fill_holes};

/// The number of nearest samples whose mean distance is the spacing at a sample.
const NEIGHBORS: usize = 8;
/// The radius of a sample, in spacings, if samples are spread evenly in all directions.
const RADIUS: f64 = 2.5;
/// The radius of a sample, in distances to the farthest corner of its Voronoi cell. It exceeds
/// [`RADIUS`] where samples are dense along lines that lie far apart.
const GAP: f64 = 1.6;
/// The radius of a sample, in units of the noise of the cloud. It exceeds [`RADIUS`] where the
/// noise is comparable with the spacing.
const NOISE: f64 = 6.0;
/// The smallest radius of a sample, in cubes. It exceeds the diagonal of a cube, so it reaches all
/// corners of the cube that contains the sample.
const SHORTEST: f64 = 1.75;
/// The largest radius of a sample, in cubes. A sample reaches no farther than the tiles next to
/// its own.
pub(super) const LONGEST: f64 = 7.0;
/// The largest median radius of the samples, in cubes. Samples in sparser regions have larger
/// radii.
const MEDIAN: f64 = 5.0;
/// The edge of a cube, in median spacings.
const CUBE: f64 = 0.75;
/// The largest area, in squared cubes, of a gap that is closed. Its radius is about that of a
/// median sample, so samples cannot resolve it.
const GAP_AREA: f64 = 16.0;

zeroset_gpu::cuda_header! {
    "spheres";

    /// The smallest product of two unit normals on the same side of a surface.
    pub(super) const SAME_SIDE: f64 = 0.2;
    /// The largest distance of a vertex from the tangent plane of its nearest sample, in cubes, at
    /// which a sphere is fitted. Beyond it, the surface is far away, and only the sign matters.
    const FITTED: f64 = 3.0;
    /// The smallest weighted mean square distance of samples from their center, in squared cubes,
    /// at which they determine a sphere.
    const SPREAD: f64 = 1e-6;
    /// The smallest length of the gradient of a fitted sphere.
    const SHORTEST_GRADIENT: f64 = 1e-9;
}

/// The spacing of samples and the cubes that suit it.
pub(super) struct Spacings {
    /// Mean distance of each sample from its nearest other samples, `[n]`, in units of the cloud.
    around: Vec<f64>,
    /// Radius of a sample, in spacings.
    radius: f64,
    /// Edge of a cube, in units of the cloud. 0 if all samples coincide.
    pub cube: f64,
    /// Edge of the smallest cubes that leave no holes, or 0 if no sample has neighbors on all
    /// sides. A radius is limited to a number of cubes, so with smaller cubes, the radii in sparse
    /// regions would be too short. The spacing at one sample in a thousand may be larger than this
    /// edge allows.
    pub safe_cube: f64,
}

impl Spacings {
    /// Measures the spacing of a cloud with normals and its bounding box.
    ///
    /// # Errors
    /// Returns the errors of [`Sites::new`], [`look`] and [`noise`].
    pub fn new(
        cloud: &PointCloud,
        normals: &[[f32; 3]],
        bounds: ([f64; 3], [f64; 3]),
    ) -> Result<Self> {
        let index = Index::new(&Sites::new(&cloud.points)?);
        let around = index.map_neighbors(NEIGHBORS, |_, found| {
            let sum: f64 = found.iter().map(|found| found.key.sqrt()).sum();
            sum / found.len().max(1) as f64
        });
        let (looked, unit) = look(cloud, normals, bounds)?;
        let gaps = looked.iter().map(|looked| unit * looked.rho / around[looked.number as usize]);
        let gap = sorted(gaps.filter(|gap| gap.is_finite()).collect(), 0.5).unwrap_or(0.0);
        let median = sorted(around.clone(), 0.5).unwrap_or(0.0);
        let noise = noise(&cloud.points)?.filter(|_| median > 0.0).unwrap_or(0.0);
        let radius = RADIUS.max(GAP * gap).max(NOISE * noise / median.max(f64::MIN_POSITIVE));
        let sparse = sorted(around.clone(), 1.0 - 1.0 / SINGULAR as f64).unwrap_or(0.0);
        let cube = median * CUBE.max(radius / MEDIAN);
        let is_known = !looked.is_empty();
        let safe_cube = if is_known { radius * sparse / LONGEST } else { 0.0 };
        Ok(Spacings { around, radius, cube, safe_cube })
    }

    /// Returns the radius of each sample, `[n]`, in cubes of the given edge. It is 0 for samples
    /// without a normal, which do not contribute.
    pub fn radii(&self, normals: &[[f32; 3]], cube: f64) -> Vec<f64> {
        let radius = |(around, normal): (&f64, &[f32; 3])| match is_direction(normal) {
            true => (self.radius * around / cube).clamp(SHORTEST, LONGEST),
            false => 0.0,
        };
        self.around.par_iter().zip(normals).map(radius).collect()
    }
}

/// Returns the number at a relative position from 0 to 1 among the sorted numbers, or `None` if
/// there are none.
fn sorted(mut numbers: Vec<f64>, position: f64) -> Option<f64> {
    let last = numbers.len().checked_sub(1)?;
    let at = (position * last as f64).ceil() as usize;
    Some(*numbers.select_nth_unstable_by(at.min(last), f64::total_cmp).1)
}

/// Changes of a surface where it is finer than samples resolve.
#[derive(Default)]
pub(super) struct Repairs {
    /// Number of closed gaps.
    pub closed_gaps: usize,
    /// The handles that were cut.
    pub handles: CutHandles,
}

/// Closes gaps of a surface that are smaller than the radius of a sample, and cuts handles that no
/// sample supports. Gaps appear behind sharp edges and tips, and handles appear in narrow folds.
pub(super) fn repair(mesh: &mut Mesh, cube: f64) -> Repairs {
    let area = GAP_AREA * cube * cube;
    let closed_gaps = fill_holes(mesh, HoleSize::UpTo(area)).holes;
    Repairs { closed_gaps, handles: cut_handles(mesh) }
}

/// Returns the field of fitted spheres at the vertices within the radius of a sample. `radii` holds
/// the radius of each sample of the cloud, in cubes.
///
/// # Errors
/// Returns the errors of [`Field::empty`].
pub(super) fn field(
    seeds: &Seeds,
    radii: &[f64],
    lattice: &Lattice,
    available: Option<u64>,
) -> Result<Field> {
    let keys = tiles_around(seeds, radii, lattice);
    Field::fill_tiles(*lattice, keys, available, |tile, values, nearest| {
        let near = Near::new(seeds, radii, lattice, tile);
        let mut closest = [Closest::FAR; VERTICES];
        near.for_each(|k, sample, v, d| {
            let distance2 = d[2] * d[2] + d[1] * d[1] + d[0] * d[0];
            closest[v].offer(distance2, sample.number, k as u32);
        });
        let mut fits = vec![Sums::default(); VERTICES];
        let planes: Vec<f64> = (0..VERTICES)
            .map(|v| match closest[v].of(seeds) {
                Some(sample) => super::field::directed(offset(tile, v), sample),
                None => f64::NAN,
            })
            .collect();
        near.for_each(|_, sample, v, d| {
            let Some(own) = closest[v].of(seeds) else { return };
            if planes[v].abs() > FITTED || dot(own.normal, sample.normal) < SAME_SIDE {
                return;
            }
            fits[v].add_sample(near.radius(sample), d, sample.normal);
        });
        let mut distances: Vec<f64> =
            (0..VERTICES).map(|v| fits[v].distance().unwrap_or(planes[v])).collect();
        beyond_edges(&near, seeds, &mut closest, &fits, &mut distances);
        for v in 0..VERTICES {
            nearest[v] = closest[v].sample;
            values[v] = distances[v] as f32;
        }
    })
}

/// Returns the keys of the tiles that contain vertices within the radius of a sample, in ascending
/// order.
fn tiles_around(seeds: &Seeds, radii: &[f64], lattice: &Lattice) -> Vec<u64> {
    tiles_reached(seeds, lattice, |key| {
        let tile = lattice.tile(key);
        seeds.samples[seeds.samples_of_tile(key)].iter().map(move |sample| {
            let (low, high) = reach(sample, radii[sample.number as usize]);
            [0, 1, 2].map(|k| {
                let from = (low[k].div_euclid(TILE as i32) - tile[k] as i32 + 1).max(0);
                let to = (high[k].div_euclid(TILE as i32) - tile[k] as i32 + 1).min(2);
                (from..=to).fold(0_u32, |bits, bit| bits | 1 << bit)
            })
        })
    })
}

/// Returns the lowest and the highest vertex of the box within the radius of a sample.
fn reach(sample: &Sample, radius: f64) -> ([i32; 3], [i32; 3]) {
    let low = sample.point.map(|x| (x - radius).ceil() as i32);
    let high = sample.point.map(|x| (x + radius).floor() as i32);
    (low, high)
}

/// The samples in and around a tile that may lie within their radius of its vertices.
pub(super) struct Near<'a> {
    tile: [u32; 3],
    /// Indices into [`Seeds::samples`], the samples, and their radii in cubes.
    samples: Vec<(usize, &'a Sample, f64)>,
    /// The radii of all samples, in the order of the cloud.
    radii: &'a [f64],
}

impl<'a> Near<'a> {
    fn new(seeds: &'a Seeds, radii: &'a [f64], lattice: &Lattice, tile: [u32; 3]) -> Self {
        let low = tile.map(|c| (c * TILE) as i32);
        let mut samples = Vec::new();
        for step in (0..27).map(step) {
            let Some(place) = super::field::beside(tile, step) else { continue };
            for k in seeds.samples_of_tile(lattice.tile_key(place)) {
                let sample = &seeds.samples[k];
                let radius = radii[sample.number as usize];
                let (from, to) = reach(sample, radius);
                let meets = |a: usize| from[a] < low[a] + TILE as i32 && to[a] >= low[a];
                if (0..3).all(meets) {
                    samples.push((k, sample, radius));
                }
            }
        }
        Near { tile, samples, radii }
    }

    /// Returns the radius of a sample, in cubes.
    pub fn radius(&self, sample: &Sample) -> f64 {
        self.radii[sample.number as usize]
    }

    /// Returns the normals of the samples.
    pub fn normals(&self) -> impl Iterator<Item = [f64; 3]> {
        self.samples.iter().map(|(_, sample, _)| sample.normal)
    }

    /// Returns the position of a vertex of the tile, in lattice units.
    pub fn position(&self, v: usize) -> [f64; 3] {
        offset(self.tile, v)
    }

    /// Calls `visit` with the index of each sample, the sample, each vertex of the tile within its
    /// radius, and the position of the sample relative to the vertex.
    pub fn for_each(&self, mut visit: impl FnMut(usize, &Sample, usize, [f64; 3])) {
        let low = self.tile.map(|c| (c * TILE) as i32);
        for &(k, sample, radius) in &self.samples {
            let (from, to) = reach(sample, radius);
            let within = |a: usize| (from[a] - low[a]).max(0)..=(to[a] - low[a]).min(7);
            let at = [0, 1, 2].map(|a| sample.point[a] - f64::from(low[a]));
            for z in within(2) {
                let dz = at[2] - f64::from(z);
                for y in within(1) {
                    let dy = at[1] - f64::from(y);
                    for x in within(0) {
                        let dx = at[0] - f64::from(x);
                        if dz * dz + dy * dy + dx * dx < radius * radius {
                            visit(k, sample, (x + 8 * (y + 8 * z)) as usize, [dx, dy, dz]);
                        }
                    }
                }
            }
        }
    }
}

/// Weighted sums over the samples around a vertex. Positions are relative to the vertex.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    weight: f64,
    place: [f64; 3],
    normal: [f64; 3],
    /// The products of position and normal.
    along: f64,
    /// The squared lengths of the positions.
    square: f64,
}

impl Sums {
    /// Adds a sample with a radius.
    pub fn add_sample(&mut self, radius: f64, place: [f64; 3], normal: [f64; 3]) {
        let d2 = place[2] * place[2] + place[1] * place[1] + place[0] * place[0];
        let share = 1.0 - d2 / (radius * radius);
        self.add(share * share * (share * share), place, normal);
    }

    fn add(&mut self, weight: f64, place: [f64; 3], normal: [f64; 3]) {
        self.weight += weight;
        for k in 0..3 {
            self.place[k] += weight * place[k];
            self.normal[k] += weight * normal[k];
        }
        self.along += weight * dot(place, normal);
        self.square += weight * dot(place, place);
    }

    /// Returns the weighted center of the samples, relative to the vertex, or `None` without
    /// samples.
    pub fn center(&self) -> Option<[f64; 3]> {
        (self.weight > 0.0).then(|| self.place.map(|x| x / self.weight))
    }

    /// Returns the signed distance of the vertex from the fitted sphere
    /// `c + n . x + q x . x = 0`, or `None` if no sphere is determined.
    pub fn distance(&self) -> Option<f64> {
        if self.weight <= 0.0 {
            return None;
        }
        let spread = self.square - dot(self.place, self.place) / self.weight;
        let turn = self.along - dot(self.place, self.normal) / self.weight;
        // One sample, or samples at one place, determine a plane.
        let q = if spread > SPREAD * self.weight { 0.5 * turn / spread } else { 0.0 };
        let n = [0, 1, 2].map(|k| (self.normal[k] - 2.0 * q * self.place[k]) / self.weight);
        let c = -(dot(n, self.place) + q * self.square) / self.weight;
        let square = dot(n, n);
        let length = square.sqrt() + (square - 4.0 * c * q).max(0.0).sqrt();
        (length > SHORTEST_GRADIENT).then(|| 2.0 * c / length)
    }
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use crate::cloud::PointCloud;
    use crate::mesh::Mesh;
    use crate::mesh::statistics::inspect;
    use crate::reconstruct::directed::tests::{assert_closed, distance_of_torus, torus};
    use crate::reconstruct::directed::{Cubes, Directed, Fit, reconstruct};

    fn spheres(cloud: &PointCloud) -> (Mesh, Directed) {
        reconstruct(cloud, Cubes::Safe, Fit::Spheres).unwrap()
    }

    /// Returns a lattice of samples on a rectangle, with a normal.
    fn sheet(
        origin: [f64; 3],
        u: [f64; 3],
        v: [f64; 3],
        n: [u32; 2],
        normal: [f32; 3],
    ) -> PointCloud {
        let at = |i: u32, j: u32| {
            let [s, t] = [f64::from(i) / f64::from(n[0]), f64::from(j) / f64::from(n[1])];
            [0, 1, 2].map(|k| origin[k] + s * u[k] + t * v[k])
        };
        let points = (0..=n[0]).flat_map(|i| (0..=n[1]).map(move |j| at(i, j))).collect::<Vec<_>>();
        let normals = Some(vec![normal; points.len()]);
        PointCloud { points, normals, ..PointCloud::default() }
    }

    #[test]
    fn a_torus_is_followed_to_a_fraction_of_the_spacing() {
        // Four times as many samples reduce the error by much more than a factor of four.
        let error = |n: usize| {
            let cloud = torus(n);
            let (mesh, report) = spheres(&cloud);
            let found = inspect(&mesh);
            assert_closed(&found);
            assert_eq!((found.components, report.density), (1, None), "{n}");
            let off = mesh.vertices.iter().map(|x| distance_of_torus(*x).abs()).fold(0.0, f64::max);
            (off, report.cube)
        };
        let [(coarse, cube), (fine, _)] = [error(2_000), error(8_000)];
        assert!(coarse < 0.1 * cube && fine < 0.35 * coarse, "{coarse} {fine} {cube}");
    }

    #[test]
    fn the_sheets_of_a_thin_plate_stay_apart() {
        // The plate is thinner than two spacings.
        let n = 60;
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.03]);
        let sides = [
            sheet([0.0, 0.0, 0.03], x, y, [n, n], [0.0, 0.0, 1.0]),
            sheet([0.0, 0.0, 0.0], x, y, [n, n], [0.0, 0.0, -1.0]),
            sheet([0.0, 0.0, 0.0], x, z, [n, 2], [0.0, -1.0, 0.0]),
            sheet([0.0, 1.0, 0.0], x, z, [n, 2], [0.0, 1.0, 0.0]),
            sheet([0.0, 0.0, 0.0], y, z, [n, 2], [-1.0, 0.0, 0.0]),
            sheet([1.0, 0.0, 0.0], y, z, [n, 2], [1.0, 0.0, 0.0]),
        ];
        let points = sides.iter().flat_map(|side| side.points.clone()).collect();
        let normals = sides.iter().flat_map(|side| side.normals.clone().unwrap()).collect();
        let cloud = PointCloud { points, normals: Some(normals), ..PointCloud::default() };
        let (cloud, _) = crate::cloud::clean(cloud, Default::default()).unwrap();
        let (mesh, _) = spheres(&cloud);
        let found = inspect(&mesh);
        assert_eq!((found.components, found.boundary), (1, 0), "{found:?}");
        let volume: f64 = mesh
            .iter_cells()
            .map(|cell| {
                let [a, b, c] = [0, 1, 2].map(|k| mesh.vertices[cell[k] as usize]);
                (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                    + a[2] * (b[0] * c[1] - b[1] * c[0]))
                    / 6.0
            })
            .sum();
        assert!((volume - 0.03).abs() < 0.002, "{volume}");
    }

    #[test]
    fn scan_lines_far_apart_are_joined() {
        // Rows of samples, ten times as dense along the rows as across them.
        let cloud = sheet([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [400, 40], [0.0, 0.0, 1.0]);
        let (mesh, _) = spheres(&cloud);
        let found = inspect(&mesh);
        assert_eq!((found.components, found.euler), (1, 1), "{found:?}");
        assert!(mesh.vertices.iter().all(|x| x[2].abs() < 1e-9));
    }

    #[test]
    fn samples_without_a_normal_do_not_count_and_threads_change_nothing() {
        let mut cloud = torus(3_000);
        let (whole, _) = spheres(&cloud);
        for k in (0..3_000).step_by(10) {
            cloud.normals.as_mut().unwrap()[k] = [0.0; 3];
        }
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| spheres(&cloud).0)
        };
        let (one, three) = (on(1), on(3));
        assert!(one.vertices == three.vertices && one.cells == three.cells);
        assert_closed(&inspect(&one));
        let off = one.vertices.iter().map(|x| distance_of_torus(*x).abs()).fold(0.0, f64::max);
        assert!(off < 0.02 && one.n_cells() > whole.n_cells() / 2, "{off}");
    }
}
