//! A surface on a GPU.

use crate::error::Result;
use crate::gpu::{Array, Cuda};
use crate::mesh::{DataArray, Kind, Mesh, Values, vertex_normals};

/// Triangles on a GPU. The arrays may be longer than needed.
pub struct DeviceSurface {
    /// Vertices in world coordinates, at least `[n_vertices]`.
    pub vertices: Array<[f64; 3]>,
    /// Normals of length 1, at least `[n_vertices]`, if requested. NaN where the gradient vanishes
    /// or values are missing.
    pub normals: Option<Array<[f64; 3]>>,
    /// Vertices of each triangle, at least `[n_triangles]`.
    pub triangles: Array<[u32; 3]>,
    /// Number of vertices.
    pub n_vertices: usize,
    /// Number of triangles.
    pub n_triangles: usize,
}

impl DeviceSurface {
    /// Returns the number of bytes of GPU memory that a surface takes.
    pub fn bytes(n_vertices: usize, n_triangles: usize, normals: bool) -> usize {
        n_vertices * size_of::<[f64; 3]>() * (1 + usize::from(normals))
            + n_triangles * size_of::<[u32; 3]>()
    }

    /// Copies the surface to a mesh on the host. Normals become the arrays `nx`, `ny` and `nz`.
    /// Where there is no gradient, they are computed from the triangles.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if an earlier kernel failed.
    pub fn mesh(&self, cuda: &Cuda) -> Result<Mesh> {
        let vertices = cuda.download_part(&self.vertices, 0..self.n_vertices)?;
        let triangles = cuda.download_part(&self.triangles, 0..self.n_triangles)?;
        let mut mesh = Mesh::new(Kind::Surface, vertices, triangles.into_flattened());
        if let Some(normals) = &self.normals {
            let normals = cuda.download_part(normals, 0..self.n_vertices)?;
            mesh.vertex_data = with_those_of_triangles(&mesh, normals);
        }
        Ok(mesh)
    }
}

/// Converts normals to arrays. NaN is replaced by vertex normals computed from the triangles.
fn with_those_of_triangles(mesh: &Mesh, mut normals: Vec<[f64; 3]>) -> Vec<DataArray> {
    if normals.iter().any(|normal| normal[0].is_nan()) {
        for (normal, other) in normals.iter_mut().zip(vertex_normals(mesh)) {
            if normal[0].is_nan() {
                *normal = other;
            }
        }
    }
    let array = |(k, name): (usize, &str)| {
        let values = Values::Float(normals.iter().map(|normal| normal[k]).collect());
        DataArray { name: name.to_string(), components: 1, values }
    };
    ["nx", "ny", "nz"].into_iter().enumerate().map(array).collect()
}
