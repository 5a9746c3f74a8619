//! Recovers the speeds along and across the fibers of three regions from 200 noisy arrival times.
//!
//!     cargo run --release --example 15_fit_speeds
//!
//! The times are computed on a mesh four times finer, with other speeds than the fit begins with,
//! and noise of 0.5 ms is added. A quasi-Newton method (crate `argmin`) minimizes the misfit with
//! the gradient of `sensitivity`. The intervals come from the derivatives of each time. They cover
//! the noise, but not the error of the coarse mesh.

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use nalgebra::Matrix6;
use zeroset::api::{Conduction, Directions, DistanceOptions, Fibers, sensitivity};
use zeroset::{Mesh, Source, Values, distance_with};

/// The size of the tissue in mm, and the number of squares along each side of the coarse mesh.
const SIZE: [f64; 2] = [24.0, 16.0];
const CELLS: [u32; 2] = [48, 32];
/// The standard deviation of the noise, in ms.
const SIGMA: f64 = 0.5;
/// The speeds along and across the fibers of each region, in mm/ms.
const TRUE: [f64; 6] = [0.6, 0.5, 0.7, 0.24, 0.2, 0.3];
/// The places of the stimuli, in squares of the coarse mesh.
const STIMULI: [[u32; 2]; 2] = [[4, 4], [40, 26]];

/// A mesh of the tissue with three regions and with fibers.
struct Tissue {
    mesh: Mesh,
    /// How many squares lie along a side of a square of the coarse mesh.
    factor: u32,
    regions: Vec<usize>,
    fibers: Vec<[f64; 3]>,
}

impl Tissue {
    fn new(factor: u32) -> zeroset::Result<Self> {
        let [nx, ny] = CELLS.map(|n| n * factor);
        let index = |i: u32, j: u32| j * (nx + 1) + i;
        let at = |i: u32, j: u32| {
            [SIZE[0] * f64::from(i) / f64::from(nx), SIZE[1] * f64::from(j) / f64::from(ny), 0.0]
        };
        let vertices = (0..=ny).flat_map(|j| (0..=nx).map(move |i| at(i, j))).collect();
        let (mut triangles, mut regions, mut fibers) = (Vec::new(), Vec::new(), Vec::new());
        for [i, j] in (0..ny).flat_map(|j| (0..nx).map(move |i| [i, j])) {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            let (two, x) = if (i + j) % 2 == 0 {
                ([[a, b, c], [a, c, d]], at(i, j))
            } else {
                ([[a, b, d], [b, c, d]], at(i, j))
            };
            triangles.extend(two);
            // The fibers turn slowly. The regions are thirds of the tissue.
            let angle = 0.4 + 0.08 * x[0] - 0.05 * x[1];
            for _ in 0..2 {
                regions.push((i * 3 / nx) as usize);
                fibers.push([angle.cos(), angle.sin(), 0.0]);
            }
        }
        Ok(Tissue { mesh: Mesh::triangles(vertices, &triangles)?, factor, regions, fibers })
    }

    /// Returns the vertex at a place of the coarse mesh.
    fn vertex(&self, [i, j]: [u32; 2]) -> u32 {
        self.factor * j * (CELLS[0] * self.factor + 1) + self.factor * i
    }

    fn options(&self, speeds: &[f64; 6]) -> DistanceOptions {
        let of = |k: usize| {
            let speed = |region: &usize| speeds[3 * k + region];
            Values::PerCell(self.regions.iter().map(speed).collect())
        };
        let fibers = Fibers::new(of(0), of(1), Directions::PerCell(self.fibers.clone()));
        DistanceOptions::default().conduction(Conduction::Fibers(Box::new(fibers)))
    }

    /// Returns the arrival times from a stimulus.
    fn times(&self, stimulus: usize, speeds: &[f64; 6]) -> zeroset::Result<Vec<f64>> {
        let source = [Source::Vertex(self.vertex(STIMULI[stimulus]))];
        Ok(distance_with(&self.mesh, &source, &self.options(speeds))?.values)
    }

    /// Returns the derivatives by the speeds of a number with the derivatives `weights` by the
    /// arrival times `times` from a stimulus.
    fn derivatives(
        &self,
        stimulus: usize,
        speeds: &[f64; 6],
        times: &[f64],
        weights: &[f64],
    ) -> zeroset::Result<[f64; 6]> {
        let source = [Source::Vertex(self.vertex(STIMULI[stimulus]))];
        let found = sensitivity(&self.mesh, &source, &self.options(speeds), times, weights)?;
        let mut sums = [0.0; 6];
        for (k, by_cell) in [found.along, found.across].into_iter().flatten().enumerate() {
            for (region, value) in self.regions.iter().zip(by_cell) {
                sums[3 * k + region] += value;
            }
        }
        Ok(sums)
    }
}

/// An observation: the stimulus, the vertex of the coarse mesh, and the time in ms.
type Observation = (usize, u32, f64);

/// The misfit of the coarse mesh as a function of the logarithms of the speeds.
struct Misfit<'a> {
    tissue: &'a Tissue,
    observed: &'a [Observation],
    /// A factor that the optimizer sees. The first step of a quasi-Newton method is the gradient.
    scale: f64,
}

fn speeds(logarithms: &[f64]) -> [f64; 6] {
    std::array::from_fn(|k| logarithms[k].exp())
}

impl Misfit<'_> {
    /// Returns the misfit and its derivatives by the times, for each stimulus with its times.
    #[expect(clippy::type_complexity, reason = "it is used twice")]
    fn of(&self, speeds: &[f64; 6]) -> zeroset::Result<(f64, Vec<(Vec<f64>, Vec<f64>)>)> {
        let mut sum = 0.0;
        let mut all = Vec::new();
        for stimulus in 0..STIMULI.len() {
            let times = self.tissue.times(stimulus, speeds)?;
            let mut weights = vec![0.0; times.len()];
            for &(_, v, time) in self.observed.iter().filter(|seen| seen.0 == stimulus) {
                let off = (times[v as usize] - time) / SIGMA;
                sum += 0.5 * off * off;
                weights[v as usize] += off / SIGMA;
            }
            all.push((times, weights));
        }
        Ok((sum, all))
    }
}

impl CostFunction for Misfit<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, logarithms: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.scale * self.of(&speeds(logarithms))?.0)
    }
}

impl Gradient for Misfit<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, logarithms: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let speeds = speeds(logarithms);
        let mut sums = vec![0.0; 6];
        for (stimulus, (times, weights)) in self.of(&speeds)?.1.iter().enumerate() {
            let found = self.tissue.derivatives(stimulus, &speeds, times, weights)?;
            for ((sum, by), speed) in sums.iter_mut().zip(found).zip(speeds) {
                *sum += self.scale * by * speed;
            }
        }
        Ok(sums)
    }
}

/// Returns numbers with a normal distribution.
fn noise() -> impl FnMut() -> f64 {
    let mut state = 1_u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    move || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}

fn main() -> Result<(), Error> {
    let (fine, tissue) = (Tissue::new(4)?, Tissue::new(1)?);
    let mut normal = noise();
    let mut observed: Vec<Observation> = Vec::new();
    for stimulus in 0..STIMULI.len() {
        let times = fine.times(stimulus, &TRUE)?;
        for k in 0..100 {
            // Places spread over the tissue.
            let at = [(k * 29 + 3) % (CELLS[0] + 1), (k * 13 + 5) % (CELLS[1] + 1)];
            let time = times[fine.vertex(at) as usize] + SIGMA * normal();
            observed.push((stimulus, tissue.vertex(at), time));
        }
    }

    let begin = vec![0.4_f64.ln(); 6];
    let mut misfit = Misfit { tissue: &tissue, observed: &observed, scale: 1.0 };
    // Logarithms of speeds change by at most 0.2 in the first step.
    let steepest = misfit.gradient(&begin)?.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
    misfit.scale = 0.2 / steepest;
    let scale = misfit.scale;
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 6).with_tolerance_cost(1e-9)?;
    let done =
        Executor::new(misfit, solver).configure(|state| state.param(begin).max_iters(60)).run()?;
    let state = done.state();
    let found = speeds(state.get_best_param().ok_or_else(|| Error::msg("no minimum"))?);
    let cost = state.get_best_cost() / scale;
    println!("misfit {cost:.2} after {} iterations", state.get_iter());

    // The covariance of the speeds: the inverse of the sum of the squared derivatives of each time.
    let mut normal_matrix = Matrix6::zeros();
    for stimulus in 0..STIMULI.len() {
        let times = tissue.times(stimulus, &found)?;
        for &(_, v, _) in observed.iter().filter(|seen| seen.0 == stimulus) {
            let mut weights = vec![0.0; times.len()];
            weights[v as usize] = 1.0 / SIGMA;
            let row = tissue.derivatives(stimulus, &found, &times, &weights)?;
            let row = nalgebra::Vector6::from(row);
            normal_matrix += row * row.transpose();
        }
    }
    let covariance =
        normal_matrix.try_inverse().ok_or_else(|| Error::msg("a speed has no effect"))?;
    println!("speed                true    found   95 % interval");
    for k in 0..6 {
        let name = format!("region {} {}", k % 3, ["along", "across"][k / 3]);
        let half = 1.96 * covariance[(k, k)].sqrt();
        let (low, high) = (found[k] - half, found[k] + half);
        println!("{name:16} {:8.4} {:8.4}   {low:.4} to {high:.4}", TRUE[k], found[k]);
        let off = (found[k] - TRUE[k]).abs();
        assert!(off < 0.06 * TRUE[k] + half, "{name} is off by {off}");
    }
    Ok(())
}
