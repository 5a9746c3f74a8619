//! Area, volume and Euler number of a surface, computed from its mesh or directly from blocks.

use super::Placement;
use super::block_cubes::{Cube, per_chunk};
use super::blocks::{Blocks, Directory};
use super::tables::CASES;
use crate::error::Result;
use crate::geometry::{Real, Vec3};
use crate::mesh::Mesh;
use crate::parallel::*;

/// Triangles per task. The number is fixed, so that sums do not depend on the number of threads.
const TRIANGLES: usize = 1 << 14;

/// Measures of a marching cubes surface. They equal those of its mesh up to rounding.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Measures {
    /// Area of the triangles, in squared world units.
    pub area: f64,
    /// Enclosed volume, in cubed world units. `None` if the surface is open.
    pub volume: Option<f64>,
    /// Vertices - edges + triangles: 2 for each sphere, minus 2 for each handle. `None` if the
    /// surface is open.
    pub euler_number: Option<i64>,
    /// Number of vertices in the surface, which is the number of crossed edges.
    pub vertices: u64,
    /// Number of triangles in the surface.
    pub triangles: u64,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    area: f64,
    /// Six times the volume.
    volume: f64,
    vertices: u64,
    triangles: u64,
    left_out: u64,
}

impl Sums {
    fn with(self, other: Sums) -> Sums {
        Sums {
            area: self.area + other.area,
            volume: self.volume + other.volume,
            vertices: self.vertices + other.vertices,
            triangles: self.triangles + other.triangles,
            left_out: self.left_out + other.left_out,
        }
    }

    /// Adds the triangles of a cube. `corner` is the corner of its block relative to the origin of
    /// the volumes, in voxels.
    fn add<R: Real>(&mut self, cube: &Cube<R>, corner: Vec3) {
        let case = &CASES[cube.case as usize];
        let mut points = [Vec3::zeros(); 12];
        for e in case.edges() {
            let (low, t) = cube.crossing(e);
            points[e] = Vec3::from(low.map(f64::from));
            points[e][super::axis(e)] += t;
        }
        for triangle in case.triangles() {
            let [a, b, c] = triangle.map(|e| points[e as usize]);
            let normal = (b - a).cross(&(c - a));
            self.area += 0.5 * normal.norm();
            // Six times the signed volume of the tetrahedron that joins the triangle to the origin.
            // For a closed surface, the sum over all triangles is six times the enclosed volume.
            self.volume += normal.dot(&(a + corner));
            self.triangles += 1;
        }
    }
}

impl Measures {
    /// Measures a closed surface with outward normals.
    pub fn of(surface: &Mesh) -> Self {
        // Measure from a point of the surface, so that large coordinates lose no digits.
        let origin = surface.vertices.first().map_or(Vec3::zeros(), |x| Vec3::from(*x));
        let at = |v: u32| Vec3::from(surface.vertices[v as usize]) - origin;
        let sums: Vec<[f64; 2]> = surface
            .cells
            .par_chunks(3 * TRIANGLES)
            .map(|cells| {
                cells.chunks_exact(3).fold([0.0; 2], |[area, volume], cell| {
                    let [a, b, c] = [0, 1, 2].map(|k| at(cell[k]));
                    let normal = (b - a).cross(&(c - a));
                    [area + 0.5 * normal.norm(), volume + normal.dot(&a)]
                })
            })
            .collect();
        let [area, volume] = sums.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        let (vertices, triangles) = (surface.n_vertices() as u64, surface.n_cells() as u64);
        Measures {
            area,
            volume: Some(volume / 6.0),
            // Each triangle has three edges, and each edge has two triangles.
            euler_number: Some(vertices as i64 - triangles as i64 / 2),
            vertices,
            triangles,
        }
    }
}

/// Measures the zero set of phi, in the world units of `placement`.
///
/// # Errors
/// Returns [`Error::Numerical`](crate::Error::Numerical) if phi changes sign outside of all blocks.
pub fn measure<R: Real>(blocks: &impl Blocks<R>, placement: &Placement) -> Result<Measures> {
    let directory = Directory::new(blocks);
    // Measure from the first block, so that large coordinates lose no digits.
    let origin = if blocks.is_empty() { [0; 3] } else { blocks.corner(0) };
    let chunks = per_chunk(blocks, &directory, Sums::default(), |sums, block| {
        let corner = std::array::from_fn(|k| f64::from(block.corner[k] - origin[k]));
        let mut of_block = Sums::default();
        block.crossings(|_| of_block.vertices += 1);
        of_block.left_out = block.cubes(|cube| of_block.add(&cube, corner.into()))?;
        *sums = sums.with(of_block);
        Ok(())
    })?;
    let all = chunks.into_iter().fold(Sums::default(), Sums::with);
    let h = placement.spacing;
    let closed = all.left_out == 0;
    Ok(Measures {
        area: all.area * h * h,
        volume: closed.then_some(all.volume / 6.0 * h * h * h),
        // Each triangle has three edges, and each edge has two triangles.
        euler_number: closed.then_some(all.vertices as i64 - all.triangles as i64 / 2),
        vertices: all.vertices,
        triangles: all.triangles,
    })
}
