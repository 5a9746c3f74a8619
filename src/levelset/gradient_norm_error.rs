//! Measures how far a level-set function is from a signed distance function.

use crate::geometry::{Vec3, simplex::Simplex};
use crate::mesh::Mesh;
use crate::parallel::*;

/// The number of cells per partial sum. Fixed blocks keep the sum independent of the number of
/// threads.
const BLOCK: usize = 4096;

/// Returns the mean of `| |grad phi| - 1 |` over the cells whose vertices all lie in the band. Each
/// cell is weighted by its area or volume.
///
/// `phi` and `band` have one entry for each vertex in mesh order. phi is in mesh units, so the
/// result has no unit. It is 0 if there is no such cell.
pub fn gradient_norm_error(mesh: &Mesh, phi: &[f64], band: &[bool]) -> f64 {
    let arity = mesh.kind.arity();
    let sums: Vec<[f64; 2]> = mesh
        .cells
        .par_chunks(BLOCK * arity)
        .map(|cells| {
            let mut sum = [0.0; 2];
            for cell in cells.chunks_exact(arity) {
                if cell.iter().all(|&v| band[v as usize]) {
                    let (error, meas) = match arity {
                        3 => error_of::<3>(mesh, cell, phi),
                        _ => error_of::<4>(mesh, cell, phi),
                    };
                    sum[0] += meas * error;
                    sum[1] += meas;
                }
            }
            sum
        })
        .collect();
    let [error, meas] = sums.iter().fold([0.0; 2], |s, b| [s[0] + b[0], s[1] + b[1]]);
    if meas > 0.0 { error / meas } else { 0.0 }
}

fn error_of<const N: usize>(mesh: &Mesh, cell: &[u32], phi: &[f64]) -> (f64, f64) {
    let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
    let s = Simplex::new(&x);
    let g = s.gradient(&std::array::from_fn(|i| phi[cell[i] as usize]));
    ((g.norm() - 1.0).abs(), s.meas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn slope_of_a_plane() {
        let vertices = vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.]];
        let mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 1, 3, 2]);
        let phi: Vec<f64> = mesh.vertices.iter().map(|x| 3.0 * x[1] - 1.0).collect();
        assert!((gradient_norm_error(&mesh, &phi, &[true; 4]) - 2.0).abs() < 1e-14);
        assert_eq!(gradient_norm_error(&mesh, &phi, &[false; 4]), 0.0);
    }
}
