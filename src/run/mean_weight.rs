//! The mean weight along the interface of a weighted curvature flow.

use crate::levelset::evolution::Coefficient;
use crate::mesh::Mesh;
use crate::surface;

/// Returns the mean of a weight over the zero set of `phi` at time `t`, or `None` if there is no
/// zero set. `phi` is in the order of the mesh.
pub(super) fn mean_weight(
    mesh: &Mesh,
    phi: &[f64],
    weight: &Coefficient<1>,
    t: f64,
) -> Option<f64> {
    let rows: Vec<f64> = match weight {
        Coefficient::Uniform([w]) => vec![*w; mesh.n_vertices()],
        Coefficient::PerVertex(rows) => rows.iter().map(|row| row[0]).collect(),
        Coefficient::Varying([field]) => field.values(&mesh.vertices, t),
    };
    let interface = surface::extract(mesh, phi);
    let values = interface.interpolate(&rows);
    let (mut size, mut sum) = (0.0, 0.0);
    for (piece, measure) in interface.cells.chunks_exact(interface.arity).zip(interface.measures())
    {
        let mean = piece.iter().map(|&v| values[v as usize]).sum::<f64>() / piece.len() as f64;
        size += measure;
        sum += measure * mean;
    }
    (size > 0.0).then(|| sum / size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn the_mean_is_taken_over_the_length() {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3]);
        // The interface is x = 0.25. The weight grows along it from 0 to 1.
        let phi: Vec<f64> = mesh.vertices.iter().map(|x| x[0] - 0.25).collect();
        let rows = mesh.vertices.iter().map(|x| [x[1]]).collect();
        let mean = mean_weight(&mesh, &phi, &Coefficient::PerVertex(rows), 0.0).unwrap();
        assert!((mean - 0.5).abs() < 1e-15);
        let nowhere = mean_weight(&mesh, &[1.0; 4], &Coefficient::Uniform([1.0]), 0.0);
        assert_eq!(nowhere, None);
    }
}
