//! Gradients of arrival times.

use super::source::Part;
use crate::geometry::{Vec3, simplex::Simplex};
use crate::mesh::Mesh;
use crate::parallel::*;

/// Gradients of a function on the vertices of a mesh, in mesh order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// The constant gradient of each cell, `[n_cells]`, in units of `u` per mesh unit; NaN if one
    /// of its vertices has no value.
    pub cells: Vec<[f64; 3]>,
    /// The gradient at each vertex, `[n_vertices]`: the mean over its cells with a gradient,
    /// weighted by their measure; NaN if there is no such cell.
    pub vertices: Vec<[f64; 3]>,
}

/// Computes the gradients of `u`, `[n_vertices]` (mesh order, NaN or infinite where it has no
/// value).
///
/// The gradient on a cell is the gradient of the linear interpolant. It is tangential to the cell
/// and exact for linear functions. The gradient at a vertex is the mean over its cells. The
/// gradient of a distance has length 1 away from kinks and sources, up to the error of the
/// distance.
pub fn gradient(mesh: &Mesh, u: &[f64]) -> Gradient {
    let arity = mesh.kind.arity();
    let of_cell = |cell: &[u32]| match arity {
        3 => of::<3>(mesh, cell, u),
        _ => of::<4>(mesh, cell, u),
    };
    let found: Vec<(Vec3, f64)> = mesh.cells.par_chunks_exact(arity).map(of_cell).collect();
    let mut sums = vec![(Vec3::zeros(), 0.0); mesh.n_vertices()];
    for (cell, (g, meas)) in mesh.iter_cells().zip(&found) {
        if g.x.is_finite() && g.y.is_finite() && g.z.is_finite() {
            for &v in cell {
                let (sum, weight) = &mut sums[v as usize];
                *sum += g * *meas;
                *weight += meas;
            }
        }
    }
    Gradient {
        cells: found.into_iter().map(|(g, _)| g.into()).collect(),
        // At a vertex without such a cell, 0 / 0 gives NaN.
        vertices: sums.into_iter().map(|(sum, weight)| (sum / weight).into()).collect(),
    }
}

/// Computes the velocity of the front in each cell, `[n_cells]`, in mesh units per unit of `u`,
/// from the arrival times `u`, `[n_vertices]` (mesh order, NaN or infinite where no front arrives).
///
/// It is normal to the front: g / |g|^2 with the gradient g of the linear interpolant. It is NaN if
/// a vertex of the cell has no time, if all have the same time, and in cells that contain a part of
/// the source. From there, fronts move to all sides, so the times have a kink in the cell.
pub fn velocity(mesh: &Mesh, u: &[f64], source: &[Part]) -> Vec<[f64; 3]> {
    let arity = mesh.kind.arity();
    let of_cell = |cell: &[u32]| {
        let (g, _) = match arity {
            3 => of::<3>(mesh, cell, u),
            _ => of::<4>(mesh, cell, u),
        };
        let found = g / g.norm_squared();
        let is_finite = found.iter().all(|x| x.is_finite());
        if is_finite { found.into() } else { [f64::NAN; 3] }
    };
    let mut found: Vec<_> = mesh.cells.par_chunks_exact(arity).map(of_cell).collect();
    let is_inside = |part: &&Part| match arity {
        3 => lies_inside::<3>(mesh, part),
        _ => lies_inside::<4>(mesh, part),
    };
    source.iter().filter(is_inside).for_each(|part| found[part.cell as usize] = [f64::NAN; 3]);
    found
}

/// Returns whether a part of a source lies inside its cell, and not only at its boundary.
fn lies_inside<const N: usize>(mesh: &Mesh, part: &Part) -> bool {
    let cell = &mesh.cells[part.cell as usize * N..][..N];
    let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
    let mean = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f64;
    let (simplex, away) = (Simplex::new(&x), mean(part.points()) - mean(&x));
    (0..N).all(|i| {
        let of_corner = std::array::from_fn(|j| f64::from(u8::from(i == j)));
        1.0 / N as f64 + simplex.gradient(&of_corner).dot(&away) > 1e-9
    })
}

fn of<const N: usize>(mesh: &Mesh, cell: &[u32], u: &[f64]) -> (Vec3, f64) {
    let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
    let simplex = Simplex::new(&x);
    let values: [f64; N] = std::array::from_fn(|i| u[cell[i] as usize]);
    match values.iter().all(|u| u.is_finite()) {
        true => (simplex.gradient(&values), simplex.meas),
        false => (Vec3::repeat(f64::NAN), simplex.meas),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn linear_functions_are_exact_and_holes_have_none() {
        let vertices = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [3., 0., 0.]];
        let mesh = Mesh::new(Kind::Planar, vertices.to_vec(), vec![0, 1, 2, 0, 2, 3, 1, 4, 2]);
        let mut u: Vec<f64> = vertices.iter().map(|x| 2.0 * x[0] - x[1] + 5.0).collect();
        let found = gradient(&mesh, &u);
        for g in found.cells.iter().chain(&found.vertices) {
            assert!((Vec3::from(*g) - Vec3::new(2.0, -1.0, 0.0)).norm() < 1e-14, "{g:?}");
        }
        let speed = 1.0 / 5.0_f64.sqrt();
        for v in velocity(&mesh, &u, &[]) {
            let v = Vec3::from(v);
            assert!((v.norm() - speed).abs() < 1e-14 && v.x == -2.0 * v.y, "{v:?}");
        }
        assert!(velocity(&mesh, &[1.0; 5], &[]).iter().flatten().all(|x| x.is_nan()));
        u[4] = f64::INFINITY;
        assert!(velocity(&mesh, &u, &[])[2][0].is_nan());
        let found = gradient(&mesh, &u);
        assert!(found.cells[2][0].is_nan() && found.vertices[4][0].is_nan());
        assert!((found.vertices[1][0] - 2.0).abs() < 1e-14, "from the other cell");
    }
}
