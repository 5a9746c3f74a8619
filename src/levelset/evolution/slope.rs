//! The mean slope of phi near the interface.

use super::cell_passes::Pass;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;

impl<R: Real> Pass<'_, R> {
    /// Returns the mean of |grad phi| over the cells with a vertex where `|phi| < width`, weighted
    /// by their measure, or `None` if there is no such cell.
    pub fn mean_slope(&self, width: R) -> Option<f64> {
        self.problem.cpu.run(|| match self.problem.patches.arity() {
            3 => self.mean_slope_of::<3>(width),
            _ => self.mean_slope_of::<4>(width),
        })
    }

    fn mean_slope_of<const N: usize>(&self, width: R) -> Option<f64> {
        let patches = &*self.problem.patches;
        let of_patch = |&p: &u32| {
            let p = p as usize;
            let patch = patches.patch(p);
            let x = self.problem.coordinates.of(patches, p);
            let mut sum = [0.0; 2];
            for &t in self.band.cells_of(patches, p) {
                let corners = &patch.corners[t as usize * N..t as usize * N + N];
                // Each cell counts in one of its patches.
                if corners[0] as usize >= patch.n_owned {
                    continue;
                }
                let phi: [R; N] =
                    std::array::from_fn(|i| self.phi[patch.vertex(corners[i] as usize)]);
                if phi.iter().any(|phi| phi.abs() < width) {
                    let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
                    let simplex = Simplex::new(&x);
                    let measure = simplex.meas.to_f64();
                    sum[0] += measure;
                    sum[1] += measure * simplex.gradient(&phi).norm().to_f64();
                }
            }
            sum
        };
        let sums: Vec<[f64; 2]> = self.band.active().par_iter().map(of_patch).collect();
        let [measure, slope] = sums.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        (measure > 0.0).then(|| slope / measure)
    }
}
