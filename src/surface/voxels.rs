//! Voxels inside of a closed surface, row by row (Ziegler et al. 2006, section 8: the Dicer).
//!
//! Along each row of voxels, in the direction of x, the winding number of a closed surface changes by
//! one at each crossing: up where the row enters, down where it leaves. So one pass over the triangles
//! gives the winding number of all voxels, exactly. Whether a row meets a triangle is decided in the
//! plane of y and z by signs of exact predicates (J. R. Shewchuk, "Adaptive precision floating-point
//! arithmetic and fast robust geometric predicates", 1997); a row through an edge or a vertex counts
//! as moved by (e, e^2) with e > 0 without end small, so triangles that share it agree and no crossing
//! is lost or counted twice.
//!
//! The numbers of surfaces with holes are fractions; these are asked for voxel by voxel.

use rayon::prelude::*;
use robust::{Coord, orient2d};

use super::{Orientation, TriangleIndex, orient};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::mesh::{Kind, Mesh, boundary};
use crate::primitives::GatherMatrix;
use crate::primitives::memory::reserve;

/// Voxels of a box, x fastest; voxel (i, j, k) has its center at `origin + spacing * (i, j, k)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Voxels {
    /// Voxels along x, y and z.
    pub shape: [usize; 3],
    /// Center of the first.
    pub origin: [f64; 3],
    /// Edge of each, in units of the mesh.
    pub spacing: f64,
    /// 1 inside, 0 outside.
    pub inside: Vec<u8>,
    /// What was found in the triangles.
    pub orientation: Orientation,
}

impl Voxels {
    /// The voxels of edge `spacing` round a mesh whose centers are inside: those with a winding number
    /// of a size above 1/2. Of tetrahedra the boundary counts. The box is that of the mesh, in the
    /// middle of its voxels, with `margin` more on each side.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a planar mesh, and one without extent; [`Error::Device`] if there is not
    /// enough memory; [`Error::Case`] for a spacing that is no positive number.
    pub fn inside(mesh: &Mesh, spacing: f64, margin: usize) -> Result<Self> {
        if !(spacing > 0.0 && spacing.is_finite()) {
            let what = format!("voxels of edge {spacing}");
            return Err(Error::usage(what, "give a number above 0"));
        }
        let skin;
        let (vertices, mut triangles) = match mesh.kind {
            Kind::Planar => {
                let what = "a planar mesh has no inside";
                return Err(Error::mesh("", what, "give a closed surface, or tetrahedra"));
            }
            Kind::Surface => (&mesh.vertices, mesh.cells.clone()),
            Kind::Volume => {
                skin = boundary(mesh)?;
                (&skin.vertices, skin.cells.clone())
            }
        };
        let orientation = orient(vertices, &mut triangles);
        let (low, high) = used_box(vertices, &triangles)?;
        let count = |k: usize| ((high[k] - low[k]) / spacing).ceil().max(1.0) + 2.0 * margin as f64;
        let shape = [count(0), count(1), count(2)].map(|n| n as usize);
        let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        let origin = std::array::from_fn(|k| {
            0.5 * (low[k] + high[k]) - 0.5 * spacing * (shape[k] as f64 - 1.0)
        });
        let mut inside = Vec::new();
        reserve(&mut inside, n.unwrap_or(usize::MAX), "voxels", "take larger voxels")?;
        inside.resize(n.unwrap_or(0), 0);
        let mut voxels = Voxels { shape, origin, spacing, inside, orientation };
        // One part that cannot be turned, or edges of several triangles, leave winding numbers whole
        // as long as no edge is open.
        match orientation.open_edges {
            0 => voxels.by_rows(vertices, &triangles),
            _ => voxels.one_by_one(&TriangleIndex::new(vertices, &triangles)),
        }
        Ok(voxels)
    }

    /// Number of voxels inside.
    pub fn count(&self) -> usize {
        self.inside.par_iter().map(|&v| usize::from(v)).sum()
    }

    fn center(&self, axis: usize, n: usize) -> f64 {
        self.origin[axis] + self.spacing * n as f64
    }

    /// Indices along an axis whose centers may lie from `low` to `high`, one more on each side.
    fn span(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let index = |x: f64| (x - self.origin[axis]) / self.spacing;
        let begin = (index(low).floor() - 1.0).max(0.0) as usize;
        let end = (index(high).ceil() + 2.0).max(0.0) as usize;
        begin.min(self.shape[axis])..end.min(self.shape[axis])
    }

    fn by_rows(&mut self, vertices: &[[f64; 3]], triangles: &[u32]) {
        let corners = |t: usize| -> [[f64; 3]; 3] {
            std::array::from_fn(|k| vertices[triangles[3 * t + k] as usize])
        };
        let slices = |t: usize| {
            let z = corners(t).map(|x| x[2]);
            self.span(2, z[0].min(z[1]).min(z[2]), z[0].max(z[1]).max(z[2]))
        };
        // Which triangles each slice may meet.
        let n = triangles.len() / 3;
        let met = (0..n).flat_map(|t| slices(t).map(move |k| (k as u32, t as u32)));
        let (rows, of_slot): (Vec<u32>, Vec<u32>) = met.unzip();
        let of_slice = GatherMatrix::new(self.shape[2], &rows);
        let [nx, ny, _] = self.shape;
        let mut inside = std::mem::take(&mut self.inside);
        inside.par_chunks_mut(nx * ny).enumerate().for_each(|(k, slice)| {
            // Change of the winding number before each voxel.
            let mut changes = vec![0_i32; nx * ny];
            let z = self.center(2, k);
            for &slot in of_slice.row(k) {
                let x = corners(of_slot[slot as usize] as usize);
                let y = x.map(|x| x[1]);
                for j in self.span(1, y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2])) {
                    let Some((sign, at)) = crossing(&x, self.center(1, j), z) else { continue };
                    let voxel = ((at - self.origin[0]) / self.spacing).floor() + 1.0;
                    // A normal towards x is where the row leaves.
                    if voxel < nx as f64 {
                        changes[j * nx + voxel.max(0.0) as usize] -= sign;
                    }
                }
            }
            for (row, changes) in slice.chunks_mut(nx).zip(changes.chunks(nx)) {
                let mut winding = 0;
                for (voxel, change) in row.iter_mut().zip(changes) {
                    winding += change;
                    *voxel = u8::from(winding != 0);
                }
            }
        });
        self.inside = inside;
    }

    fn one_by_one(&mut self, index: &TriangleIndex) {
        let [nx, ny, _] = self.shape;
        let mut inside = std::mem::take(&mut self.inside);
        inside.par_chunks_mut(nx).enumerate().for_each(|(row, voxels)| {
            let (y, z) = (self.center(1, row % ny), self.center(2, row / ny));
            for (i, voxel) in voxels.iter_mut().enumerate() {
                *voxel = u8::from(index.winding_number([self.center(0, i), y, z]).abs() > 0.5);
            }
        });
        self.inside = inside;
    }
}

/// The box of the vertices that triangles have.
fn used_box(vertices: &[[f64; 3]], triangles: &[u32]) -> Result<([f64; 3], [f64; 3])> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &v in triangles {
        for k in 0..3 {
            low[k] = low[k].min(vertices[v as usize][k]);
            high[k] = high[k].max(vertices[v as usize][k]);
        }
    }
    if (0..3).all(|k| low[k] < high[k]) {
        return Ok((low, high));
    }
    let what = match triangles.is_empty() {
        true => "no triangles: there is no inside",
        false => "a flat surface has no inside",
    };
    Err(Error::mesh("", what, "give a closed surface, or tetrahedra"))
}

/// Where the row at (y, z) meets a triangle, and with which sign: 1 if the normal points towards x.
fn crossing(x: &[[f64; 3]; 3], y: f64, z: f64) -> Option<(i32, f64)> {
    let point = Coord { x: y, y: z };
    let flat = x.map(|x| Coord { x: x[1], y: x[2] });
    let mut areas = [0.0; 3];
    let mut signs = 0;
    for k in 0..3 {
        let (a, b) = (flat[(k + 1) % 3], flat[(k + 2) % 3]);
        areas[k] = orient2d(a, b, point);
        // For a point on the line: the sign of its change when the point moves by (e, e^2).
        let side = match areas[k] {
            area if area != 0.0 => area,
            _ if a.y != b.y => a.y - b.y,
            _ => b.x - a.x,
        };
        signs += (side > 0.0) as i32 - (side < 0.0) as i32;
    }
    if signs.abs() != 3 {
        return None;
    }
    let at =
        Vec3::new(x[0][0], x[1][0], x[2][0]).dot(&Vec3::from(areas)) / areas.iter().sum::<f64>();
    Some((signs / 3, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Cube, Generate, Sphere, Torus, generate};

    fn surface(generated: Generate) -> Mesh {
        generate(&generated).unwrap()
    }

    #[test]
    fn a_torus_has_the_voxels_of_its_formula() {
        let mesh = surface(Generate::Torus(Torus::default()));
        let voxels = Voxels::inside(&mesh, 0.04, 2).unwrap();
        assert_eq!(voxels.orientation.open_edges, 0);
        let [nx, ny, _] = voxels.shape;
        for (n, &inside) in voxels.inside.iter().enumerate() {
            let index = [n % nx, n / nx % ny, n / (nx * ny)];
            let [x, y, z] = [0, 1, 2].map(|k| voxels.center(k, index[k]));
            let distance = (x.hypot(y) - 1.0).hypot(z) - 0.4;
            // The polyhedron lies a little inside.
            if distance.abs() > 0.02 {
                assert_eq!(inside == 1, distance < 0.0, "{index:?}");
            }
        }
    }

    #[test]
    fn rows_and_winding_numbers_agree() {
        for generated in [Generate::Sphere(Sphere::default()), Generate::Torus(Torus::default())] {
            let mesh = surface(generated);
            let by_rows = Voxels::inside(&mesh, 0.11, 1).unwrap();
            let mut others = by_rows.clone();
            others.one_by_one(&TriangleIndex::new(&mesh.vertices, &mesh.cells));
            assert_eq!(others.inside, by_rows.inside);
        }
    }

    /// A box with corners on whole numbers, its sides cut along diagonals.
    fn brick(low: [f64; 3], high: [f64; 3]) -> (Vec<[f64; 3]>, Vec<u32>) {
        let corner =
            |c: usize| std::array::from_fn(|k| if c >> k & 1 == 1 { high[k] } else { low[k] });
        let sides =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let cut = |[a, b, c, d]: [u32; 4]| [a, b, c, a, c, d];
        ((0..8).map(corner).collect(), sides.into_iter().flat_map(cut).collect())
    }

    #[test]
    fn rows_through_edges_and_vertices_count_once() {
        // Rows run along sides, diagonals and through corners of this box.
        let (vertices, cells) = brick([-1.5; 3], [1.5, 2.5, 3.5]);
        let mesh = Mesh::new(Kind::Surface, vertices, cells);
        for (spacing, margin) in [(1.0, 2), (0.5, 1), (0.25, 0), (0.3, 2)] {
            let voxels = Voxels::inside(&mesh, spacing, margin).unwrap();
            let volume = voxels.count() as f64 * spacing.powi(3);
            let [nx, ny, nz] = voxels.shape;
            let row = |j: usize, k: usize| &voxels.inside[nx * (j + ny * k)..][..nx];
            for (j, k) in (0..nz).flat_map(|k| (0..ny).map(move |j| (j, k))) {
                let changes = row(j, k).windows(2).filter(|w| w[0] != w[1]).count();
                assert!(changes <= 2 && (margin == 0 || row(j, k)[0] == 0), "{spacing} {j} {k}");
            }
            assert!((volume - 60.0).abs() <= 60.0 * 2.0 * spacing, "{spacing}: {volume}");
        }
        assert_eq!(Voxels::inside(&mesh, 1.0, 0).unwrap().count(), 60);
        assert_eq!(Voxels::inside(&mesh, 0.5, 3).unwrap().count(), 480);
    }

    #[test]
    fn nested_and_turned_parts_are_solid() {
        let (mut vertices, mut cells) = brick([0.0; 3], [8.0; 3]);
        let (inner, mut of_inner) = brick([2.0; 3], [6.0; 3]);
        let solid = |cells: &[u32], vertices: &[[f64; 3]]| {
            let mesh = Mesh::new(Kind::Surface, vertices.to_vec(), cells.to_vec());
            Voxels::inside(&mesh, 1.0, 1).unwrap().count()
        };
        assert_eq!(solid(&cells, &vertices), 512);
        of_inner.iter_mut().for_each(|v| *v += 8);
        vertices.extend(inner);
        cells.extend(&of_inner);
        assert_eq!(solid(&cells, &vertices), 512);
        // A part turned inwards is a hollow.
        for t in cells[36..].chunks_exact_mut(3) {
            t.swap(0, 1);
        }
        assert_eq!(solid(&cells, &vertices), 512 - 64);
    }

    #[test]
    fn tetrahedra_are_filled_and_planar_meshes_refused() {
        let mesh = surface(Generate::Cube(Cube::default()));
        let (low, high) = mesh.bounds();
        let edge = high[0] - low[0];
        let voxels = Voxels::inside(&mesh, edge / 10.0, 1).unwrap();
        assert_eq!((voxels.shape, voxels.count()), ([12; 3], 1000));
        let square = surface(Generate::Square(Default::default()));
        assert!(Voxels::inside(&square, 0.1, 0).unwrap_err().to_string().contains("no inside"));
        let sphere = surface(Generate::Sphere(Sphere::default()));
        assert!(Voxels::inside(&sphere, 0.0, 0).is_err());
        assert!(Voxels::inside(&sphere, 1e-9, 0).unwrap_err().to_string().contains("no memory"));
    }

    #[test]
    fn holes_are_closed_by_the_winding_number() {
        let mut mesh = surface(Generate::Sphere(Sphere::default()));
        let whole = Voxels::inside(&mesh, 0.1, 1).unwrap();
        mesh.cells.truncate(mesh.cells.len() - 3);
        let open = Voxels::inside(&mesh, 0.1, 1).unwrap();
        assert_eq!(open.orientation.open_edges, 3);
        let differ = whole.inside.iter().zip(&open.inside).filter(|(a, b)| a != b).count();
        assert!(differ < 10, "{differ}");
    }
}
