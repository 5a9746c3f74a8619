//! Clouds made of a surface: points on it, as likely on each piece as it is large.
//!
//! Points come in blocks, each with a stream of random numbers of its own (ChaCha8), so that a cloud has the same
//! bits for every number of threads, and only a few blocks are in memory.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;

use super::PointCloud;
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::Mesh;
use zeroset_core::mesh::generate::random::Random;

/// Points of a block, which belong to one stream.
const BLOCK: u64 = 1 << 12;
/// Blocks that are made at a time.
const BLOCKS: u64 = 64;
/// The streams of outliers begin here.
const OUTLIERS: u64 = 1 << 63;
/// How far outliers are spread beyond the box of the surface: this part of its diagonal.
const BEYOND: f64 = 0.1;

/// Standard deviation of each coordinate of a sample from the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// In units of the mesh.
    Length(f64),
    /// As a part of the diagonal of the box of the mesh.
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
        let expected = "expected a length of 0 and above, or a percentage of the diagonal, as 0.1%";
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

/// What cloud is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Points on the surface.
    pub n: u64,
    /// Whether they have the normals of their triangles, as these are oriented.
    pub normals: bool,
    /// Gaussian noise added to each coordinate; normals stay.
    pub noise: Noise,
    /// Points more, anywhere in the box of the surface and a tenth of its diagonal around; they come last.
    pub outliers: u64,
    /// Another seed gives another cloud.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        let noise = Noise::Length(0.0);
        Sampling { n: 100_000, normals: false, noise, outliers: 0, seed: 1 }
    }
}

/// Draws points of a surface.
#[derive(Debug)]
pub struct Sampler<'a> {
    mesh: &'a Mesh,
    options: Sampling,
    /// Areas of the triangles up to and with each.
    areas: Vec<f64>,
    noise: f64,
    low: [f64; 3],
    high: [f64; 3],
}

impl<'a> Sampler<'a> {
    /// Of the triangles of a mesh.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a mesh without triangles of some area, or with coordinates of no number;
    /// [`Error::Case`] for 2^32 - 1 points and more.
    pub fn new(mesh: &'a Mesh, options: Sampling) -> Result<Self> {
        if mesh.n_cells() == 0 || mesh.kind.arity() != 3 {
            let what = match mesh.n_cells() {
                0 => "no triangles, only points",
                _ => "tetrahedra, samples are drawn of triangles",
            };
            let remedy = "name a surface; `zeroset convert --boundary` writes that of tetrahedra";
            return Err(Error::mesh("", what, remedy));
        }
        let total = options.n.saturating_add(options.outliers);
        if total >= u64::from(u32::MAX) {
            let what = format!("{total} points, fewer than 2^32 - 1 can be numbered");
            return Err(Error::usage(what, "draw fewer, or several clouds with other seeds"));
        }
        let mut sum = 0.0;
        let mut areas = Vec::with_capacity(mesh.n_cells());
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (k, cell) in mesh.iter_cells().enumerate() {
            let corners = corners(mesh, cell);
            let area = 0.5 * norm(product(corners));
            if !area.is_finite() {
                let what = format!("area {area}, finite coordinates of less than 1e150 are needed");
                return Err(Error::mesh(format!("cell {k}"), what, "mend the mesh"));
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
            return Err(Error::mesh("", what, "name a surface with triangles that are not flat"));
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

    /// Area of the surface, in units of the mesh squared.
    pub fn area(&self) -> f64 {
        self.areas.last().copied().unwrap_or(0.0)
    }

    /// Standard deviation of the noise, in units of the mesh.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// The cloud in pieces, each made in parallel when it is asked for.
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
                colors: None,
            })
        })
    }

    /// The whole cloud.
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

    /// The `n` points of a stream.
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
        PointCloud { points, normals, colors: None }
    }

    fn sample(&self, random: &mut Random) -> ([f64; 3], [f32; 3]) {
        let at = random.unit() * self.area();
        let cell = self.areas.partition_point(|area| *area <= at).min(self.areas.len() - 1);
        let corners = corners(self.mesh, &self.mesh.cells[3 * cell..3 * cell + 3]);
        // Uniform in the triangle: a root turns the square into one.
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

/// Four independent numbers of mean 0 and variance 1 (G. Box and M. Muller, 1958).
fn gaussian(random: &mut Random) -> [f64; 4] {
    let mut pair = || {
        // From (0, 1], so that the logarithm is finite.
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

/// Twice the area of a triangle along its normal.
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
