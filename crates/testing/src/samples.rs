//! Point clouds for tests and benchmarks: samples of a mesh, uniformly distributed over its area
//! and reproducible from a seed.

use zeroset_core::cloud::PointCloud;
use zeroset_core::mesh::Mesh;

/// The random number generator from Marsaglia, "Xorshift RNGs" (2003).
pub struct Random(u64);

impl Random {
    /// Creates a generator. Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a uniform number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = ((-2.0 * (1.0 - self.unit()).ln()).sqrt(), self.unit());
        radius * (std::f64::consts::TAU * angle).cos()
    }
}

/// Returns `n` random points on the triangles of a mesh.
pub fn of_mesh(mesh: &Mesh, n: usize, seed: u64) -> Vec<[f64; 3]> {
    let corner = |v: u32| nalgebra::Vector3::from(mesh.vertices[v as usize]);
    let mut areas = vec![0.0];
    for cell in mesh.iter_cells() {
        let [a, b, c] = [0, 1, 2].map(|k| corner(cell[k]));
        areas.push(areas[areas.len() - 1] + 0.5 * (b - a).cross(&(c - a)).norm());
    }
    let mut random = Random::new(seed);
    let mut sample = |_| {
        let at = random.unit() * areas[areas.len() - 1];
        let cell = areas.partition_point(|area| *area <= at).clamp(1, mesh.n_cells()) - 1;
        let [a, b, c] = [0, 1, 2].map(|k| corner(mesh.cells[3 * cell + k]));
        let (mut p, mut q) = (random.unit(), random.unit());
        if p + q > 1.0 {
            (p, q) = (1.0 - p, 1.0 - q);
        }
        (a + (b - a) * p + (c - a) * q).into()
    };
    (0..n).map(&mut sample).collect()
}

/// Adds noise with the given standard deviation along each axis, and outliers that are random
/// points in the bounding box.
pub fn spoil(points: &mut Vec<[f64; 3]>, deviation: f64, outliers: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (mut low, mut high) = (points[0], points[0]);
    for x in points.iter_mut() {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
            x[k] += deviation * random.normal();
        }
    }
    let mut anywhere = |k: usize| low[k] + (high[k] - low[k]) * random.unit();
    points.extend((0..outliers).map(|_| [anywhere(0), anywhere(1), anywhere(2)]));
}

/// Returns `n` evenly distributed points on a sphere.
pub fn of_ball(n: usize, center: [f64; 3], radius: f64) -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let on_ball = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / n as f64;
        let (r, angle) = ((1.0 - z * z).sqrt(), golden * k as f64);
        let unit = [r * angle.cos(), r * angle.sin(), z];
        std::array::from_fn(|k| center[k] + radius * unit[k])
    };
    (0..n).map(on_ball).collect()
}

/// Returns the length of the diagonal of a box.
pub fn diagonal((low, high): ([f64; 3], [f64; 3])) -> f64 {
    (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt()
}

/// Returns points on all sides of a plate with an area of 1, about `spacing` apart, and their
/// outward normals. The points are evenly spaced, or random within the cells of the same grid.
pub fn plate(thickness: f64, spacing: f64, is_even: bool) -> PointCloud {
    let mut random = Random::new(1);
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    let size = [1.0, 1.0, thickness];
    for face in 0..6_usize {
        let (axis, sign) = (face / 2, (face % 2) as f64);
        let [u, v] = [1, 2].map(|k| (axis + k) % 3);
        let n = [u, v].map(|k| ((size[k] / spacing).round() as usize).max(1));
        for k in 0..n[0] * n[1] {
            let mut within = || if is_even { 0.5 } else { random.unit() };
            let mut point = [0.0; 3];
            point[axis] = sign * size[axis];
            point[u] = ((k % n[0]) as f64 + within()) / n[0] as f64 * size[u];
            point[v] = ((k / n[0]) as f64 + within()) / n[1] as f64 * size[v];
            points.push(point);
            let mut normal = [0.0; 3];
            normal[axis] = 2.0 * sign as f32 - 1.0;
            normals.push(normal);
        }
    }
    PointCloud { points, normals: Some(normals), ..PointCloud::default() }
}
