//! Marching cubes on the GPU, and vertex attributes that come from samples.

use super::field::Field;
use super::kernel_arguments::{LatticeArgument, SurfaceArgument};
use super::seeds::{Points, Seeds};
use super::{Memory, launch, number, share};
use crate::cloud::PointCloud;
use crate::error::Result;
use crate::gpu::primitives::exclusive_scan;
use crate::gpu::{Arguments, Array, Cuda};
use crate::mesh::{DataArray, Kind, Mesh, Values, part, vertex_normals};
use crate::reconstruct::directed::Lattice;
use crate::surface::connected_parts::cuda::join;
use crate::surface::cubes::CASES;

const FILE: &str = "surface";
/// Bytes per row of the case table.
const CASE: usize = 16;
/// Bytes per vertex: position, normal, sample, component and two flags.
const VERTEX: u64 = 58;
/// Bytes per triangle.
const TRIANGLE: u64 = 12;

/// A surface on the GPU.
pub(super) struct Surface {
    places: Array<f64>,
    /// The normals of the vertices: all x, then all y, then all z. Zero if the sample has no
    /// normal.
    normals: Array<f64>,
    /// For each vertex, the index of its sample in the cloud.
    numbers: Array<u32>,
    /// Corners of the triangles, three vertex indices per triangle.
    corners: Array<u32>,
    /// The component of each vertex, identified by the smallest vertex index in the component.
    names: Array<u32>,
    /// Whether each component has a sample nearby, indexed by the smallest vertex index in it.
    kept: Array<u8>,
    /// Two numbers: 1 if any vertex has a zero normal, and the count of components without a sample
    /// nearby.
    counts: Array<u32>,
}

/// Extracts the surface of a field. `firsts` is scratch memory of one word per vertex of the field.
pub(super) fn extract(
    cuda: &Cuda,
    points: &Points,
    seeds: &Seeds,
    lattice: &Lattice,
    field: &Field,
    firsts: Array<u32>,
    memory: &mut Memory,
) -> Result<Surface> {
    let (distances, n_tiles) = (field.distances(), field.n_tiles());
    let cases = cuda.upload(&table())?;
    let (n_vertices, n_triangles) = (cuda.zeros::<u32>(n_tiles)?, cuda.zeros::<u32>(n_tiles)?);
    let arguments = Arguments::default()
        .with(distances)
        .with_array(&cases)
        .with_array(&firsts)
        .with_array(&n_vertices)
        .with_array(&n_triangles);
    // SAFETY: these are the arguments of `surface_count`, which runs one block per tile.
    unsafe { launch(cuda, FILE, "surface_count", n_tiles as u32, &arguments) }?;
    let starts = exclusive_scan(cuda, &n_vertices)?;
    let triangle_starts = exclusive_scan(cuda, &n_triangles)?;
    let n_vertices = number(cuda, &starts, n_tiles)?;
    let n_triangles = number(cuda, &triangle_starts, n_tiles)?;
    memory.take(cuda, "vertices of the surface", n_vertices, n_vertices as u64 * VERTEX)?;
    memory.take(cuda, "triangles", n_triangles, n_triangles as u64 * TRIANGLE)?;

    let surface = Surface {
        places: cuda.zeros(3 * n_vertices)?,
        normals: cuda.zeros(3 * n_vertices)?,
        numbers: cuda.zeros(n_vertices)?,
        corners: cuda.zeros(3 * n_triangles)?,
        names: cuda.zeros(n_vertices)?,
        kept: cuda.zeros(n_vertices)?,
        counts: cuda.zeros(2)?,
    };
    let near = cuda.zeros::<u8>(n_vertices)?;
    let argument = SurfaceArgument {
        places: surface.places.address(),
        normals: surface.normals.address(),
        numbers: surface.numbers.address(),
        near: near.address(),
        names: surface.names.address(),
        without: surface.counts.address(),
        n: n_vertices as u64,
    };
    let arguments = Arguments::default()
        .with(LatticeArgument::from(lattice))
        .with(seeds.samples(points))
        .with(distances)
        .with_array(&field.keys)
        .with_array(&field.nearest)
        .with_array(&firsts)
        .with_array(&starts)
        .with(argument);
    // SAFETY: these are the arguments of `surface_vertices`. The arrays have room for all counted
    // vertices.
    unsafe { launch(cuda, FILE, "surface_vertices", n_tiles as u32, &arguments) }?;
    let arguments = Arguments::default()
        .with(distances)
        .with_array(&cases)
        .with_array(&firsts)
        .with_array(&starts)
        .with_array(&triangle_starts)
        .with_array(&surface.corners)
        .with_array(&surface.names);
    // SAFETY: these are the arguments of `surface_triangles`. The arrays have room for all counted
    // triangles.
    unsafe { launch(cuda, FILE, "surface_triangles", n_tiles as u32, &arguments) }?;

    join(cuda, surface.corners.address(), n_triangles, &surface.names)?;
    let arguments = Arguments::default()
        .with_array(&near)
        .with(n_vertices as u32)
        .with_array(&surface.names)
        .with_array(&surface.kept);
    // SAFETY: these are the arguments of `surface_near`. Arrays have one element per vertex.
    unsafe { share(cuda, FILE, "surface_near", n_vertices, &arguments) }?;
    let arguments = Arguments::default()
        .with_array(&surface.names)
        .with_array(&surface.kept)
        .with(n_vertices as u32)
        .with(surface.counts.address() + size_of::<u32>() as u64);
    // SAFETY: these are the arguments of `surface_drop`. The second count is zero.
    unsafe { share(cuda, FILE, "surface_drop", n_vertices, &arguments) }?;
    Ok(surface)
}

/// Returns [`CASES`] as bytes: the number of triangles of each case, then the edges of their
/// corners.
fn table() -> Vec<u8> {
    let row = |case: &crate::surface::cubes::Case| {
        let mut row = [0; CASE];
        row[0] = case.triangles().len() as u8;
        for (into, edge) in row[1..].iter_mut().zip(case.triangles().as_flattened()) {
            *into = *edge;
        }
        row
    };
    CASES.iter().flat_map(row).collect()
}

impl Surface {
    /// Copies the mesh and its arrays to the host. Removes the components far from all samples, and
    /// returns their number.
    pub fn download(self, cuda: &Cuda, cloud: &PointCloud) -> Result<(Mesh, usize)> {
        let n = self.names.len();
        let places = cuda.download(&self.places)?;
        let vertices = places.as_chunks::<3>().0.to_vec();
        let mut mesh = Mesh::new(Kind::Surface, vertices, cuda.download(&self.corners)?);
        let counts = cuda.download(&self.counts)?;
        let mut normals: Vec<Vec<f64>> = (0..3)
            .map(|k| cuda.download_part(&self.normals, k * n..(k + 1) * n))
            .collect::<Result<_>>()?;
        if counts[0] > 0 {
            let of_triangles = vertex_normals(&mesh);
            for (v, other) in of_triangles.into_iter().enumerate() {
                if normals.iter().all(|normal| normal[v] == 0.0) {
                    (0..3).for_each(|k| normals[k][v] = other[k]);
                }
            }
        }
        let array = |name: &str, values| DataArray { name: name.into(), components: 1, values };
        for (name, values) in ["nx", "ny", "nz"].into_iter().zip(normals) {
            mesh.vertex_data.push(array(name, Values::Float(values)));
        }
        if let Some(colors) = &cloud.colors {
            let numbers = cuda.download(&self.numbers)?;
            for (k, name) in ["red", "green", "blue"].into_iter().enumerate() {
                let of = |&number: &u32| i64::from(colors[number as usize][k]);
                let values = Values::Int(numbers.iter().map(of).collect());
                mesh.vertex_data.push(array(name, values));
            }
        }
        let dropped = counts[1] as usize;
        if dropped > 0 {
            let (names, kept) = (cuda.download(&self.names)?, cuda.download(&self.kept)?);
            let is_kept = |cell: &[u32]| kept[names[cell[0] as usize] as usize] != 0;
            let cells: Vec<bool> = mesh.iter_cells().map(is_kept).collect();
            mesh = part(mesh, &cells).0;
        }
        Ok((mesh, dropped))
    }
}
