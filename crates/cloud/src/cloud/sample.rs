//! Random point clouds on a surface, distributed uniformly over its area.
//!
//! Points are drawn in blocks, each with its own stream of random numbers (ChaCha8). A cloud is
//! therefore bitwise identical for every number of threads, and only a few blocks are in memory at
//! a time.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use super::PointCloud;
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::Mesh;
use zeroset_core::mesh::generate::random::Random;
use zeroset_core::parallel::*;

/// The number of points per block. Each block has its own stream.
const BLOCK: u64 = 1 << 12;
/// The number of blocks drawn at a time.
const BLOCKS: u64 = 64;
/// The index of the first stream that outliers use.
const OUTLIERS: u64 = 1 << 63;
/// The distance by which the box of the outliers extends beyond the bounding box of the surface on
/// each side, as a fraction of the diagonal of the bounding box.
const BEYOND: f64 = 0.1;

/// The standard deviation of the noise of each coordinate, at least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// A length in units of the mesh.
    Length(f64),
    /// A fraction of the diagonal of the mesh's bounding box.
    Relative(f64),
}

impl FromStr for Noise {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (number, relative) = match text.strip_suffix('%') {
            Some(number) => (number, true),
            None => (text, false),
        };
        let found = number.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
        let expected =
            "expected a length of at least 0, or a percentage of the diagonal such as 0.1%";
        let x = found.ok_or(expected)?;
        Ok(if relative { Noise::Relative(x / 100.0) } else { Noise::Length(x) })
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Noise::Length(x) => write!(f, "{x}"),
            Noise::Relative(x) => write!(f, "{}%", 100.0 * x),
        }
    }
}

/// Options for drawing a cloud.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// The number of points on the surface.
    pub n: u64,
    /// Whether points get the normals of their triangles, with the orientation of the triangles.
    /// Outliers get random directions instead.
    pub normals: bool,
    /// The Gaussian noise added to each coordinate of the points on the surface. It does not change
    /// the normals.
    pub noise: Noise,
    /// The number of outliers. They follow the other points. They are distributed uniformly in a
    /// box that extends beyond the bounding box of the surface by a tenth of its diagonal on each
    /// side.
    pub outliers: u64,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        let noise = Noise::Length(0.0);
        Sampling { n: 100_000, normals: false, noise, outliers: 0, seed: 1 }
    }
}

/// Draws points on a surface.
#[derive(Debug)]
pub struct Sampler<'a> {
    mesh: &'a Mesh,
    options: Sampling,
    /// The cumulative areas of the triangles, in squared units of the mesh.
    areas: Vec<f64>,
    noise: f64,
    low: [f64; 3],
    high: [f64; 3],
}

impl<'a> Sampler<'a> {
    /// Creates a sampler for the triangles of a mesh.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] if there are no triangles, if their total area is not positive, or
    /// if coordinates are not finite or so large that an area overflows. Returns [`Error::Case`] if
    /// 2^32 - 1 points or more are requested, including outliers.
    pub fn new(mesh: &'a Mesh, options: Sampling) -> Result<Self> {
        if mesh.n_cells() == 0 || mesh.kind.arity() != 3 {
            let what = match mesh.n_cells() {
                0 => "no triangles, only points",
                _ => "tetrahedra, but samples are drawn from triangles",
            };
            let remedy =
                "give a surface; `zeroset convert --boundary` writes the boundary of tetrahedra";
            return Err(Error::mesh("", what, remedy));
        }
        let total = options.n.saturating_add(options.outliers);
        if total >= u64::from(u32::MAX) {
            let what = format!("{total} points, but the number must be below 2^32 - 1");
            return Err(Error::usage(
                what,
                "draw fewer points, or several clouds with different seeds",
            ));
        }
        let mut sum = 0.0;
        let mut areas = Vec::with_capacity(mesh.n_cells());
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (k, cell) in mesh.iter_cells().enumerate() {
            let corners = corners(mesh, cell);
            let area = 0.5 * norm(product(corners));
            if !area.is_finite() {
                let what = format!("area {area}, but coordinates must be finite and below 1e150");
                return Err(Error::mesh(format!("cell {k}"), what, "repair the mesh"));
            }
            sum += area;
            areas.push(sum);
            for k in 0..3 {
                low[k] = corners.iter().fold(low[k], |a, x| a.min(x[k]));
                high[k] = corners.iter().fold(high[k], |a, x| a.max(x[k]));
            }
        }
        if !(sum > 0.0 && sum.is_finite()) {
            let what = format!("the area of all triangles is {sum}");
            return Err(Error::mesh(
                "",
                what,
                "give a surface with triangles that are not degenerate",
            ));
        }
        let diagonal = norm([0, 1, 2].map(|k| high[k] - low[k]));
        let noise = match options.noise {
            Noise::Length(length) => length,
            Noise::Relative(part) => part * diagonal,
        };
        for k in 0..3 {
            low[k] -= BEYOND * diagonal;
            high[k] += BEYOND * diagonal;
        }
        Ok(Sampler { mesh, options, areas, noise, low, high })
    }

    /// Returns the area of the surface, in squared units of the mesh.
    pub fn area(&self) -> f64 {
        self.areas.last().copied().unwrap_or(0.0)
    }

    /// Returns the standard deviation of the noise, in units of the mesh.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Returns the cloud in pieces. Each piece is drawn in parallel when it is requested.
    pub fn pieces(&self) -> impl Iterator<Item = PointCloud> {
        let blocks = |points: u64| points.div_ceil(BLOCK);
        let on = (0..blocks(self.options.n)).map(|block| (block, self.options.n - block * BLOCK));
        let (n, first) = (self.options.outliers, OUTLIERS);
        let off = (0..blocks(n)).map(move |block| (first + block, n - block * BLOCK));
        let mut left = on.chain(off);
        std::iter::from_fn(move || {
            let some: Vec<(u64, u64)> = left.by_ref().take(BLOCKS as usize).collect();
            if some.is_empty() {
                return None;
            }
            let made: Vec<PointCloud> =
                some.into_par_iter().map(|(stream, n)| self.block(stream, n.min(BLOCK))).collect();
            let normals = self.options.normals;
            Some(PointCloud {
                points: made.iter().flat_map(|piece| &piece.points).copied().collect(),
                normals: normals.then(|| {
                    made.iter().filter_map(|p| p.normals.as_ref()).flatten().copied().collect()
                }),
                ..PointCloud::default()
            })
        })
    }

    /// Returns the whole cloud.
    pub fn cloud(&self) -> PointCloud {
        let mut all = PointCloud::new(Vec::new());
        all.normals = self.options.normals.then(Vec::new);
        for mut piece in self.pieces() {
            all.points.append(&mut piece.points);
            if let (Some(all), Some(piece)) = (&mut all.normals, &mut piece.normals) {
                all.append(piece);
            }
        }
        all
    }

    /// Draws `n` points with the random numbers of a stream.
    fn block(&self, stream: u64, n: u64) -> PointCloud {
        let mut random = Random::stream(self.options.seed, stream);
        let mut points = Vec::with_capacity(n as usize);
        let mut normals = self.options.normals.then(|| Vec::with_capacity(n as usize));
        for _ in 0..n {
            let (point, normal) = match stream >= OUTLIERS {
                true => self.outlier(&mut random),
                false => self.sample(&mut random),
            };
            points.push(point);
            if let Some(normals) = &mut normals {
                normals.push(normal);
            }
        }
        PointCloud { points, normals, ..PointCloud::default() }
    }

    fn sample(&self, random: &mut Random) -> ([f64; 3], [f32; 3]) {
        let at = random.unit() * self.area();
        let cell = self.areas.partition_point(|area| *area <= at).min(self.areas.len() - 1);
        let corners = corners(self.mesh, &self.mesh.cells[3 * cell..3 * cell + 3]);
        // The square root makes the distribution uniform in the triangle.
        let (root, v) = (random.unit().sqrt(), random.unit());
        let weights = [1.0 - root, root * (1.0 - v), root * v];
        let mut point = [0, 1, 2]
            .map(|k| (0..3).map(|corner| weights[corner] * corners[corner][k]).sum::<f64>());
        if self.noise > 0.0 {
            let [a, b, c, _] = gaussian(random);
            (0..3).for_each(|k| point[k] += self.noise * [a, b, c][k]);
        }
        let normal = product(corners);
        let length = norm(normal);
        (point, if length > 0.0 { normal.map(|x| (x / length) as f32) } else { [0.0, 0.0, 1.0] })
    }

    fn outlier(&self, random: &mut Random) -> ([f64; 3], [f32; 3]) {
        let point = [0, 1, 2].map(|k| self.low[k] + (self.high[k] - self.low[k]) * random.unit());
        let z = 2.0 * random.unit() - 1.0;
        let (around, r) = (TAU * random.unit(), (1.0 - z * z).max(0.0).sqrt());
        (point, [r * libm::cos(around), r * libm::sin(around), z].map(|x| x as f32))
    }
}

/// Returns four independent, normally distributed numbers with mean 0 and variance 1 (G. Box and M.
/// Muller, 1958).
fn gaussian(random: &mut Random) -> [f64; 4] {
    let mut pair = || {
        // The argument is in (0, 1], so that the logarithm is finite.
        let r = (-2.0 * libm::log(1.0 - random.unit())).sqrt();
        let around = TAU * random.unit();
        [r * libm::cos(around), r * libm::sin(around)]
    };
    let ([a, b], [c, d]) = (pair(), pair());
    [a, b, c, d]
}

fn corners(mesh: &Mesh, cell: &[u32]) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|k| mesh.vertices[cell[k] as usize])
}

/// Returns a normal of a triangle. The length of the normal is twice the area of the triangle.
fn product([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let [u, v] = [b, c].map(|x| [0, 1, 2].map(|k| x[k] - a[k]));
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        u[i] * v[j] - u[j] * v[i]
    })
}

fn norm(x: [f64; 3]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
