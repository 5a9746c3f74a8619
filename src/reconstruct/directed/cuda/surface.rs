//! Marching cubes on the GPU, and what vertices take over from samples.

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
/// Bytes of a row of the table of cases.
const CASE: usize = 16;
/// Bytes of a vertex: its place and normal, its sample, its piece and two marks.
const VERTEX: u64 = 58;
/// Bytes of a triangle.
const TRIANGLE: u64 = 12;

/// A surface on the GPU.
pub(super) struct Surface {
    places: Array<f64>,
    /// All x, all y, all z; zero where the sample has none.
    normals: Array<f64>,
    /// Of the samples in the cloud.
    numbers: Array<u32>,
    /// Corners of the triangles.
    corners: Array<u32>,
    /// The piece of each vertex, by its smallest one.
    names: Array<u32>,
    /// Whether the piece of a name has a sample near.
    kept: Array<u8>,
    /// Whether a normal is zero, and how many pieces have no sample near.
    counts: Array<u32>,
}

/// The surface of a field; `firsts` is memory of a word for each vertex of it.
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
    // SAFETY: the arguments of `surface_count`, a block for each tile.
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
    // SAFETY: the arguments of `surface_vertices`, with room for as many vertices as were counted.
    unsafe { launch(cuda, FILE, "surface_vertices", n_tiles as u32, &arguments) }?;
    let arguments = Arguments::default()
        .with(distances)
        .with_array(&cases)
        .with_array(&firsts)
        .with_array(&starts)
        .with_array(&triangle_starts)
        .with_array(&surface.corners)
        .with_array(&surface.names);
    // SAFETY: the arguments of `surface_triangles`, with room for as many triangles as were counted.
    unsafe { launch(cuda, FILE, "surface_triangles", n_tiles as u32, &arguments) }?;

    join(cuda, surface.corners.address(), n_triangles, &surface.names)?;
    let arguments = Arguments::default()
        .with_array(&near)
        .with(n_vertices as u32)
        .with_array(&surface.names)
        .with_array(&surface.kept);
    // SAFETY: the arguments of `surface_near`, an element for each vertex.
    unsafe { share(cuda, FILE, "surface_near", n_vertices, &arguments) }?;
    let arguments = Arguments::default()
        .with_array(&surface.names)
        .with_array(&surface.kept)
        .with(n_vertices as u32)
        .with(surface.counts.address() + size_of::<u32>() as u64);
    // SAFETY: the arguments of `surface_drop`; the second count is zero.
    unsafe { share(cuda, FILE, "surface_drop", n_vertices, &arguments) }?;
    Ok(surface)
}

/// [`CASES`] by bytes: how many triangles, then the edges of their corners.
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
    /// The mesh with its arrays, and how many pieces away from all samples were left out.
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
