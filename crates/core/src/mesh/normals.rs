//! Vertex normals of triangle meshes.

use super::{DataArray, Mesh, Values};

/// Returns the unit normal at each vertex, `[n_vertices]`.
///
/// The normal is the normalized, area-weighted mean of the normals of the triangles around the
/// vertex. It is zero if the vertex belongs to no triangle or if the normals cancel. The
/// orientation of the triangles is used unchanged. Triangles with a coordinate that is not finite
/// are ignored.
pub fn vertex_normals(mesh: &Mesh) -> Vec<[f64; 3]> {
    let mut normals = vec![[0.0; 3]; mesh.n_vertices()];
    if mesh.kind.arity() != 3 {
        return normals;
    }
    for cell in mesh.iter_cells() {
        let [a, b, c] = [0, 1, 2].map(|k| mesh.vertices[cell[k] as usize]);
        let [u, v] = [b, c].map(|x| [0, 1, 2].map(|k| x[k] - a[k]));
        let area = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            u[i] * v[j] - u[j] * v[i]
        });
        if !area.iter().all(|x| x.is_finite()) {
            continue;
        }
        for &vertex in cell {
            (0..3).for_each(|k| normals[vertex as usize][k] += area[k]);
        }
    }
    for normal in &mut normals {
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        *normal = if length > 0.0 { normal.map(|x| x / length) } else { [0.0; 3] };
    }
    normals
}

/// Returns the normals of [`vertex_normals`] as the vertex arrays `nx`, `ny` and `nz`,
/// `[n_vertices]` each, which OBJ and PLY files store as normals.
pub fn normal_arrays(mesh: &Mesh) -> Vec<DataArray> {
    let normals = vertex_normals(mesh);
    let axis = |(k, name): (usize, &str)| {
        let values = Values::Float(normals.iter().map(|normal| normal[k]).collect());
        DataArray { name: name.to_string(), components: 1, values }
    };
    ["nx", "ny", "nz"].into_iter().enumerate().map(axis).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn areas_are_the_weights() {
        let vertices = vec![[0., 0., 0.], [2., 0., 0.], [0., 2., 0.], [0., 0., 1.], [9., 9., 9.]];
        let mesh = Mesh::new(Kind::Surface, vertices, vec![0, 1, 2, 0, 2, 3]);
        let normals = vertex_normals(&mesh);
        assert_eq!(normals[1], [0.0, 0.0, 1.0]);
        assert_eq!(normals[3], [1.0, 0.0, 0.0]);
        assert_eq!(normals[4], [0.0; 3]);
        // The triangle with its normal along z has twice the area of the triangle with its normal
        // along x.
        let both = [1.0 / 5.0_f64.sqrt(), 0.0, 2.0 / 5.0_f64.sqrt()];
        for k in 0..3 {
            assert!((normals[0][k] - both[k]).abs() < 1e-15, "{:?}", normals[0]);
        }
    }
}
