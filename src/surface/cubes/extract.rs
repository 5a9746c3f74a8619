//! Extracts the surface as an indexed mesh with one vertex per crossed edge.

use super::block_cubes::{Block, Scratch, corner, crossing, per_chunk, slots};
use super::blocks::{Blocks, Directory, NONE};
use super::tables::{CASES, axis, ends};
use super::{CHUNK, Placement};
use crate::error::{Error, Result};
use crate::geometry::{Real, Vec3};
use crate::mesh::{DataArray, Kind, Mesh, Values, vertex_normals};
use crate::parallel::*;

/// A block that contains a part of the surface.
#[derive(Clone)]
struct Cut {
    block: u32,
    /// Index of its first vertex in the mesh.
    first_vertex: u32,
    n_vertices: u32,
    n_triangles: u32,
    /// Bit k is set if the block owns a crossing on the edge of slot k.
    owned: Vec<u64>,
}

impl Cut {
    /// Returns the vertex on the edge of a slot, if the block owns a crossing there.
    fn vertex(&self, slot: usize) -> Option<u32> {
        let (word, bit) = (slot / 64, slot % 64);
        let before: u32 = self.owned[..word].iter().map(|w| w.count_ones()).sum();
        let within = (self.owned[word] & !(u64::MAX << bit)).count_ones();
        (self.owned[word] >> bit & 1 == 1).then_some(self.first_vertex + before + within)
    }

    /// Iterates over the slots of the crossings that the block owns, ascending.
    fn slots(&self) -> impl Iterator<Item = usize> {
        self.owned.iter().enumerate().flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * word + bit)
        })
    }
}

/// Extracts the zero set of phi as triangles in world units, with outward normals.
///
/// Vertices and triangles are ordered block by block. If `normals` is true, the mesh has the vertex
/// arrays `nx`, `ny` and `nz`, `[n_vertices]` each, which OBJ and PLY files store as normals. They
/// are the gradient of phi by central differences, interpolated along the edge and scaled to unit
/// length. Where values are missing or the gradient vanishes, they are computed from the triangles.
/// In a band with a half width below 2 voxels, the differences use clamped values, and normals lean
/// toward the axes by a few degrees.
///
/// # Errors
/// Returns [`Error::Numerical`] if phi changes sign outside of all blocks, and for more than 2^32 -
/// 1 vertices.
pub fn extract<R: Real>(
    blocks: &impl Blocks<R>,
    placement: &Placement,
    normals: bool,
) -> Result<Mesh> {
    let directory = Directory::new(blocks);
    let mut cuts = count(blocks, &directory)?;
    let mut n_vertices = 0_u64;
    let mut n_triangles = 0_usize;
    let mut cut_of = vec![NONE; blocks.len()];
    for (k, cut) in cuts.iter_mut().enumerate() {
        cut_of[cut.block as usize] = k as u32;
        cut.first_vertex = n_vertices as u32;
        n_vertices += u64::from(cut.n_vertices);
        n_triangles += cut.n_triangles as usize;
        check_vertices(n_vertices)?;
    }
    let n_vertices = n_vertices as usize;
    let mut vertices = vec![[0.0; 3]; n_vertices];
    let mut gradients = vec![[0.0; 3]; if normals { n_vertices } else { 0 }];
    let mut cells = vec![0_u32; 3 * n_triangles];
    let parts = Parts::of(&cuts, &mut vertices, &mut gradients, &mut cells);
    let reach = if normals { 2 } else { 1 };
    parts.into_par_iter().try_for_each_init(Scratch::default, |scratch, mut part| {
        for cut in part.cuts {
            let number = cut.block as usize;
            let Some(block) = Block::read(blocks, &directory, number, reach, scratch) else {
                continue;
            };
            part.write_vertices(&block, cut, placement);
            part.write_triangles(&block, &cuts, &cut_of)?;
        }
        Ok::<(), Error>(())
    })?;
    let mut mesh = Mesh::new(Kind::Surface, vertices, cells);
    if normals {
        mesh.vertex_data = arrays(&mesh, gradients);
    }
    Ok(mesh)
}

/// Returns an error if `n` vertices are too many for 32-bit indices.
pub(in crate::surface) fn check_vertices(n: u64) -> Result<()> {
    if n <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(Error::Numerical {
        what: format!("the surface has at least {n} vertices; a mesh supports 2^32 - 1"),
        remedy: "use a coarser grid".into(),
    })
}

/// Finds the blocks that the surface passes through, and the crossings of each.
fn count<R: Real>(blocks: &impl Blocks<R>, directory: &Directory) -> Result<Vec<Cut>> {
    let words = slots(blocks.edge()).div_ceil(64);
    let chunks = per_chunk(blocks, directory, Vec::new(), |cuts, block| {
        let mut cut = Cut {
            block: block.number as u32,
            first_vertex: 0,
            n_vertices: 0,
            n_triangles: 0,
            owned: vec![0; words],
        };
        block.crossings(|slot| {
            cut.owned[slot / 64] |= 1 << (slot % 64);
            cut.n_vertices += 1;
        });
        block.cubes(|cube| {
            cut.n_triangles += CASES[cube.case as usize].triangles().len() as u32;
        })?;
        if cut.n_vertices + cut.n_triangles > 0 {
            cuts.push(cut);
        }
        Ok(())
    })?;
    Ok(chunks.into_iter().flatten().collect())
}

/// The work of one task: a chunk of the cut blocks, and the slices of the output arrays that they
/// write.
struct Parts<'a> {
    cuts: &'a [Cut],
    vertices: &'a mut [[f64; 3]],
    gradients: &'a mut [[f64; 3]],
    cells: &'a mut [u32],
}

/// Removes the first `n` elements from `rest` and returns them. What remains may be empty.
fn take<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (taken, left) = std::mem::take(rest).split_at_mut(n);
    *rest = left;
    taken
}

impl<'a> Parts<'a> {
    fn of(
        cuts: &'a [Cut],
        mut vertices: &'a mut [[f64; 3]],
        mut gradients: &'a mut [[f64; 3]],
        mut cells: &'a mut [u32],
    ) -> Vec<Self> {
        let with_gradients = !gradients.is_empty();
        let part = |cuts: &'a [Cut]| {
            let n_vertices = cuts.iter().map(|cut| cut.n_vertices as usize).sum();
            let n_triangles: usize = cuts.iter().map(|cut| cut.n_triangles as usize).sum();
            Parts {
                cuts,
                vertices: take(&mut vertices, n_vertices),
                gradients: take(&mut gradients, if with_gradients { n_vertices } else { 0 }),
                cells: take(&mut cells, 3 * n_triangles),
            }
        };
        cuts.chunks(CHUNK).map(part).collect()
    }

    fn write_vertices<R: Real>(&mut self, block: &Block<R>, cut: &Cut, placement: &Placement) {
        let vertices = take(&mut self.vertices, cut.n_vertices as usize);
        let n_gradients = if self.gradients.is_empty() { 0 } else { cut.n_vertices as usize };
        let gradients = take(&mut self.gradients, n_gradients);
        for (k, slot) in cut.slots().enumerate() {
            let (low, a) = block.edge_of(slot);
            let mut high = low;
            high[a] += 1;
            let t = crossing(block.at(low), block.at(high));
            let mut point = std::array::from_fn(|k| f64::from(block.corner[k] + low[k]));
            point[a] += t;
            vertices[k] = placement.world(point);
            if let Some(gradient) = gradients.get_mut(k) {
                let [g, h] = [low, high].map(|place| central(block, place));
                *gradient = std::array::from_fn(|k| g[k] * (1.0 - t) + h[k] * t);
            }
        }
    }

    fn write_triangles<R: Real>(
        &mut self,
        block: &Block<R>,
        cuts: &[Cut],
        cut_of: &[u32],
    ) -> Result<()> {
        let mut differs = None;
        block.cubes(|cube| {
            let case = &CASES[cube.case as usize];
            let mut on_edge = [0; 12];
            for e in case.edges() {
                let low = corner(cube.low, ends(e)[0]);
                let (owner, slot) = block.owner(low, axis(e));
                let vertex = cuts.get(cut_of[owner as usize] as usize).and_then(|c| c.vertex(slot));
                on_edge[e] = vertex.unwrap_or_else(|| {
                    differs = Some(low);
                    0
                });
            }
            for triangle in case.triangles() {
                let corners = triangle.map(|e| on_edge[e as usize]);
                take(&mut self.cells, 3).copy_from_slice(&corners);
            }
        })?;
        let Some(low) = differs else { return Ok(()) };
        let [x, y, z]: [i32; 3] = std::array::from_fn(|k| block.corner[k] + low[k]);
        Err(Error::Numerical {
            what: format!(
                "tiles that share voxel ({x}, {y}, {z}) disagree about the sign of phi there"
            ),
            remedy: "this is a bug in zeroset: please report it".into(),
        })
    }
}

/// Returns the gradient of phi at a position by central differences, in units of phi per voxel.
fn central<R: Real>(block: &Block<R>, place: [i32; 3]) -> [f64; 3] {
    std::array::from_fn(|k| {
        let beside = |step: i32| {
            let mut place = place;
            place[k] += step;
            block.at(place).to_f64()
        };
        0.5 * (beside(1) - beside(-1))
    })
}

/// Returns the normalized gradients as the arrays `nx`, `ny` and `nz`. Gradients that are zero or
/// NaN are replaced by vertex normals computed from the triangles.
fn arrays(mesh: &Mesh, mut gradients: Vec<[f64; 3]>) -> Vec<DataArray> {
    gradients.par_iter_mut().for_each(|gradient| {
        let length = Vec3::from(*gradient).norm();
        *gradient = gradient.map(|g| g / length);
    });
    if gradients.iter().any(|g| g[0].is_nan()) {
        let of_triangles = vertex_normals(mesh);
        for (normal, other) in gradients.iter_mut().zip(of_triangles) {
            if normal[0].is_nan() {
                *normal = other;
            }
        }
    }
    let array = |(k, name): (usize, &str)| {
        let values = Values::Float(gradients.par_iter().map(|normal| normal[k]).collect());
        DataArray { name: name.to_string(), components: 1, values }
    };
    ["nx", "ny", "nz"].into_iter().enumerate().map(array).collect()
}
