//! The vertices whose values are given: those of cut cells, with the distance to a quadratic
//! polynomial, and those that keep phi.

use super::fit::{Fit, Frame};
use super::{EikonalState, Problem, Quadratic};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;
use crate::patches::Patch;
use crate::primitives::DisjointRows;

/// The cosines of the angle between the gradient in a cell and the mean gradient at a vertex below
/// which there is a kink, and above which there is none. On a circle with a radius of 5 edges, this
/// angle is about 15 degrees.
const KINK: f64 = 0.85;
const SMOOTH: f64 = 0.93;

/// Replaces the values of equation (5) at the vertices of cut cells by distances to quadratic
/// polynomials, where phi (patch order) has no kink. Where `|phi| < kept` in the patches `near`,
/// phi is kept instead.
pub(in super::super) fn fit_cut_cells<R: Real, const N: usize>(
    state: &mut EikonalState<R>,
    phi: &[R],
    near: &[u32],
    kept: R,
) {
    let EikonalState { problem, u, fixed, seeded, quadratic, .. } = state;
    let Some(quadratic) = quadratic else { return };
    let patches = &*problem.patches;
    quadratic.begin(patches, phi, near);
    let Quadratic { smooth, directions, active, threads, .. } = &mut **quadratic;
    active.clear();
    for &p in &*seeded {
        active.push(p);
        active.extend_from_slice(patches.neighbors(p as usize));
    }
    active.sort_unstable();
    active.dedup();
    {
        let smooth = DisjointRows::new(smooth);
        active.par_iter().for_each(|&p| {
            let patch = patches.patch(p as usize);
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let smooth = unsafe { smooth.range(patch.owned()) };
            let mut local = threads.get();
            let mut rings = Rings::<R, N>::new(problem, &patch, p, phi, &mut local.cells);
            for (k, smooth) in smooth.iter_mut().enumerate() {
                // Only the vertices around those of cut cells are needed.
                let is_near = |&c: &u32| fixed[patch.vertex(c as usize)];
                if rings.corners(k).flatten().any(is_near) {
                    *smooth = rings.smoothness(k);
                }
            }
        });
    }
    let smooth = &*smooth;
    let (u, directions) = (DisjointRows::new(u), DisjointRows::new(directions));
    seeded.par_iter().for_each(|&p| {
        let patch = patches.patch(p as usize);
        // SAFETY: the list contains each patch once, and patches own disjoint ranges.
        let (u, directions) = unsafe { (u.range(patch.owned()), directions.range(patch.owned())) };
        let mut local = threads.get();
        let mut rings = Rings::<R, N>::new(problem, &patch, p, phi, &mut local.cells);
        for k in 0..patch.n_owned {
            if fixed[patch.first + k] && phi[patch.first + k].abs() >= kept {
                (u[k], directions[k]) = rings.distance(k, u[k], smooth);
            }
        }
    });
    if kept > R::zero() {
        keep::<R, N>(state, phi, near, kept);
    }
}

/// Fixes the values of all vertices with `|phi| < width` in the patches `near`, so that the
/// interface does not move.
fn keep<R: Real, const N: usize>(state: &mut EikonalState<R>, phi: &[R], near: &[u32], width: R) {
    let EikonalState { problem, u, fixed, seeded, quadratic, scratch, .. } = state;
    let Some(quadratic) = quadratic else { return };
    let patches = &*problem.patches;
    let Quadratic { directions, threads, .. } = &mut **quadratic;
    let (u, fixed) = (DisjointRows::new(u), DisjointRows::new(fixed));
    let directions = DisjointRows::new(directions);
    near.par_iter()
        .map(|&p| {
            let patch = patches.patch(p as usize);
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let (u, fixed, directions) = unsafe {
                (
                    u.range(patch.owned()),
                    fixed.range(patch.owned()),
                    directions.range(patch.owned()),
                )
            };
            let is_kept = |c: &u32| phi[patch.vertex(*c as usize)].abs() < width;
            let mut local = threads.get();
            let mut rings = Rings::<R, N>::new(problem, &patch, p, phi, &mut local.cells);
            let mut found = false;
            for k in 0..patch.n_owned {
                if !is_kept(&(k as u32)) {
                    continue;
                }
                (u[k], fixed[k], found) = (phi[patch.first + k].abs(), true, true);
                // Fronts start only from vertices next to others.
                if !rings.corners(k).flatten().all(is_kept) {
                    directions[k] = rings.direction(k);
                }
            }
            found
        })
        .collect_into_vec(&mut scratch.found);
    let found = near.iter().zip(&scratch.found);
    seeded.extend(found.filter(|(_, found)| **found).map(|(&p, _)| p));
}

/// The measure, the gradient of phi and the unit normal of a cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    measure: f64,
    gradient: Vec3,
    normal: Vec3,
}

/// The cells of one patch that have been computed.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    is_known: Vec<bool>,
    neighbors: Vec<u32>,
}

/// The cells around the owned vertices of a patch.
struct Rings<'a, R: Real, const N: usize> {
    patch: &'a Patch<'a>,
    x: &'a [Vec3<R>],
    phi: &'a [R],
    cells: &'a mut Cells,
}

impl<'a, R: Real, const N: usize> Rings<'a, R, N> {
    fn new(
        problem: &'a Problem<R>,
        patch: &'a Patch<'a>,
        p: u32,
        phi: &'a [R],
        cells: &'a mut Cells,
    ) -> Self {
        let n = patch.corners.len() / N;
        cells.is_known.clear();
        cells.is_known.resize(n, false);
        cells.cells.resize(n, Cell::default());
        let x = problem.coordinates.of(&problem.patches, p as usize);
        Rings { patch, x, phi, cells }
    }

    fn corners(&self, k: usize) -> impl Iterator<Item = &'a [u32]> + use<'a, R, N> {
        let corners = self.patch.corners;
        self.patch.row(k).iter().map(move |&slot| {
            let first = slot as usize / N * N;
            &corners[first..first + N]
        })
    }

    fn cell(&mut self, t: usize) -> Cell {
        if !self.cells.is_known[t] {
            let corners = &self.patch.corners[t * N..t * N + N];
            let x: [Vec3; N] =
                std::array::from_fn(|i| self.x[corners[i] as usize].map(Real::to_f64));
            let values: [f64; N] = std::array::from_fn(|i| self.at(corners[i] as usize));
            let simplex = Simplex::new(&x);
            self.cells.is_known[t] = true;
            self.cells.cells[t] = Cell {
                measure: simplex.meas,
                gradient: simplex.gradient(&values),
                normal: (x[1] - x[0]).cross(&(x[2] - x[0])).normalize(),
            };
        }
        self.cells.cells[t]
    }

    /// Returns phi at a local vertex.
    fn at(&self, local: usize) -> f64 {
        self.phi[self.patch.vertex(local)].to_f64()
    }

    /// Returns the mean gradient of phi, and on a surface the unit normal.
    fn mean(&mut self, k: usize) -> (Vec3, Option<Vec3>) {
        let (mut gradient, mut normal) = (Vec3::zeros(), Vec3::zeros());
        for &slot in self.patch.row(k) {
            let cell = self.cell(slot as usize / N);
            gradient += cell.gradient * cell.measure;
            // Cells need not be oriented alike.
            let turned = cell.normal.dot(&normal) < 0.0;
            normal += cell.normal * if turned { -cell.measure } else { cell.measure };
        }
        (gradient, (N == 3).then(|| normal.normalize()))
    }

    /// Returns 1 if phi and the surface are smooth, 0 if one of them has a kink, and values in
    /// between.
    fn smoothness(&mut self, k: usize) -> f64 {
        let (gradient, normal) = self.mean(k);
        let mean = gradient.normalize();
        let mut least = 1.0f64;
        for &slot in self.patch.row(k) {
            let cell = self.cell(slot as usize / N);
            let flat = normal.map_or(1.0, |mean| mean.dot(&cell.normal).abs());
            let cosine = mean.dot(&cell.gradient) / cell.gradient.norm();
            // A cell without a gradient counts as a kink.
            least = if cosine.is_finite() { least.min(cosine).min(flat) } else { -1.0 };
        }
        let x = ((least - KINK) / (SMOOTH - KINK)).clamp(0.0, 1.0);
        x * x * (3.0 - 2.0 * x)
    }

    /// Returns the unit vector away from the interface, or zero if phi has no gradient.
    fn direction(&mut self, k: usize) -> Vec3<R> {
        let (gradient, normal) = self.mean(k);
        let sign = if self.at(k) < 0.0 { -1.0 } else { 1.0 };
        let first = Frame::new(gradient, normal).map(|frame| frame.vector([sign, 0.0, 0.0]));
        first.unwrap_or_default().map(R::of)
    }

    /// Returns the distance of the vertex from the interface, and the unit vector away from it.
    /// `planes` is the distance by equation (5), which remains at kinks.
    fn distance(&mut self, k: usize, planes: R, smooth: &[f64]) -> (R, Vec3<R>) {
        let (gradient, normal) = self.mean(k);
        let Some(frame) = Frame::new(gradient, normal) else { return (planes, Vec3::zeros()) };
        let mut neighbors = std::mem::take(&mut self.cells.neighbors);
        neighbors.clear();
        for &c in self.corners(k).flatten() {
            if c as usize != k && !neighbors.contains(&c) {
                neighbors.push(c);
            }
        }
        let own = self.at(k);
        let (mut weight, mut sum) = (smooth[self.patch.vertex(k)].min(1.0), 0.0);
        for &c in &neighbors {
            weight = smooth[self.patch.vertex(c as usize)].min(weight);
            sum += self.edge(k, c).norm_squared();
        }
        let sign = if own < 0.0 { -1.0 } else { 1.0 };
        let mut found = (planes, [1.0, 0.0, 0.0]);
        if weight > 0.0 {
            let scale = (sum / neighbors.len() as f64).sqrt();
            let points = neighbors
                .iter()
                .map(|&c| (frame.coordinates(&self.edge(k, c)), self.at(c as usize) - own));
            let closest = match N {
                3 => Fit::<5>::new(scale, points).closest(own),
                _ => Fit::<9>::new(scale, points).closest(own),
            };
            if let Some(closest) = closest {
                let planes = planes.to_f64();
                let distance = planes + weight * (closest.distance - planes);
                found = (R::of(distance), closest.gradient);
            }
        }
        self.cells.neighbors = neighbors;
        (found.0, (frame.vector(found.1) * sign).map(R::of))
    }

    /// Returns the vector from the vertex to another local vertex.
    fn edge(&self, k: usize, local: u32) -> Vec3 {
        (self.x[local as usize] - self.x[k]).map(Real::to_f64)
    }
}
