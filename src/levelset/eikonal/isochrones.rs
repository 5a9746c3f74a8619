//! Isochrones: the places that a front reaches at the same time.

use crate::mesh::Mesh;
use crate::surface::{self, Interface};

/// Isochrones of arrival times.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Isochrones {
    /// Points of the isochrones, in mesh units.
    pub vertices: Vec<[f64; 3]>,
    /// The points of each piece, `[pieces * arity]`.
    pub cells: Vec<u32>,
    /// The time of each piece, `[pieces]`.
    pub times: Vec<f64>,
    /// The number of points per piece: 2 for segments on triangles, 3 for triangles in tetrahedra.
    pub arity: usize,
}

/// The largest number of isochrones.
pub const MOST_ISOCHRONES: usize = 10_000;

/// Computes the isochrones at the multiples of `step` between the first and the last of the arrival
/// times `u`, `[n_vertices]` (mesh order, NaN or infinite where no front arrives), on which they
/// lie linearly in each cell. Cells that the front does not reach completely have none.
///
/// # Errors
/// Returns the number of isochrones if there are more than [`MOST_ISOCHRONES`].
pub fn isochrones(mesh: &Mesh, u: &[f64], step: f64) -> Result<Isochrones, f64> {
    let mut found = Isochrones { arity: mesh.kind.arity() - 1, ..Isochrones::default() };
    let reached = || u.iter().copied().filter(|u| u.is_finite());
    let (Some(first), Some(last)) = (reached().reduce(f64::min), reached().reduce(f64::max)) else {
        return Ok(found);
    };
    let numbers = [(first / step).floor() + 1.0, (last / step).ceil() - 1.0];
    let n = numbers[1] - numbers[0] + 1.0;
    if n > MOST_ISOCHRONES as f64 {
        return Err(n);
    }
    for k in 0..n.max(0.0) as usize {
        let time = (numbers[0] + k as f64) * step;
        let phi: Vec<f64> = u.iter().map(|u| u - time).collect();
        let Interface { vertices, cells, .. } = surface::extract(mesh, &phi);
        let offset = found.vertices.len() as u32;
        found.times.extend(std::iter::repeat_n(time, cells.len() / found.arity));
        found.cells.extend(cells.into_iter().map(|v| v + offset));
        found.vertices.extend(vertices);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn isochrones_lie_at_multiples_of_the_step() {
        let vertices = vec![[0., 0., 0.], [4., 0., 0.], [4., 4., 0.], [0., 4., 0.], [9., 0., 0.]];
        let mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3, 1, 4, 2]);
        let u = [-1.0, 3.0, 3.0, -1.0, f64::NAN];
        let found = isochrones(&mesh, &u, 1.0).unwrap();
        assert_eq!((found.arity, found.times.len()), (2, 6));
        for (piece, time) in found.cells.chunks(2).zip(&found.times) {
            assert!(piece.iter().all(|&v| found.vertices[v as usize][0] == time + 1.0));
        }
        assert_eq!(found.times, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
        assert_eq!(isochrones(&mesh, &u, 10.0).unwrap().times, [0.0, 0.0]);
        assert_eq!(isochrones(&mesh, &u, 1e-9).unwrap_err(), 4e9 - 1.0);
        assert!(isochrones(&mesh, &[f64::INFINITY; 5], 1.0).unwrap().cells.is_empty());
        assert!(isochrones(&mesh, &[1.0; 5], 1.0).unwrap().cells.is_empty());
    }
}
