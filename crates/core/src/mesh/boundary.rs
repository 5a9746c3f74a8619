//! The boundary of a tetrahedral mesh as a surface.

use std::collections::HashMap;

use super::overlaps::{Cover, covers};
use super::repair::Weld;
use super::rounding::Rounding;
use super::{Group, Kind, Members, Mesh};
use crate::error::{Error, Result};
use crate::parallel::*;
use crate::words::{counted, noun};

/// The four faces of a positive tetrahedron, counterclockwise as seen from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// Marks a vertex that is not on the boundary.
const INSIDE: u32 = u32::MAX;
/// The rounding of coordinates is tolerated if it is at most this fraction of the longest edge.
const FINE: f64 = 5e-2;

/// The boundary of a tetrahedral mesh.
pub struct Boundary {
    /// The triangles, oriented outward.
    pub surface: Mesh,
    /// The number of faces that belong to one tetrahedron but are not on the boundary, because the
    /// faces of tetrahedra on the other side cover them.
    pub left_out: usize,
    /// The number of surface faces that faces of tetrahedra on the other side cover only in part.
    pub partial: usize,
}

impl Boundary {
    /// Returns sentences about the faces that others cover.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let faces = |n: usize| counted(n, ["face", "faces"]);
        let (n, m) = (self.left_out, self.partial);
        let left_out = (n > 0).then(|| {
            format!(
                "{} inside the mesh {} left out of the boundary, because the faces on the other \
                 side are divided differently",
                faces(n),
                noun(n, ["is", "are"])
            )
        });
        let partial = (m > 0).then(|| {
            format!(
                "{} of the boundary {} partly inside the mesh, because faces that are divided \
                 differently cover a part; the surface is not exact there; use a mesh whose cells \
                 share whole faces",
                faces(m),
                noun(m, ["is", "are"])
            )
        });
        left_out.into_iter().chain(partial)
    }
}

/// Returns the boundary of a tetrahedral mesh as triangles that are oriented outward.
///
/// A boundary face belongs to exactly one tetrahedron. Faces that are covered by other faces from
/// the opposite side are left out, even if the faces do not match, unless a group contains them, or
/// `weld`, a group or a material keeps the two sides apart. Without `weld`, no face is left out, so
/// that the surface is closed. The vertices of the faces are kept, with their data and in the same
/// order. A triangle inherits the cell data and the groups of its tetrahedron. Groups of triangles
/// become groups of cells. Groups of edges and points keep the members whose vertices all lie on
/// the boundary.
///
/// # Errors
/// Returns [`Error::Mesh`] if the mesh consists of triangles.
pub fn boundary(mesh: &Mesh, weld: Option<Weld>) -> Result<Boundary> {
    if mesh.kind != Kind::Volume {
        let what = "the boundary of a triangle mesh is not a surface";
        return Err(Error::mesh("", what, "remove --boundary"));
    }
    let (faces, cells) = outer_faces(mesh);
    let faces: Vec<([u32; 3], usize)> = faces.into_iter().zip(cells).collect();
    let found = match weld {
        Some(weld) => {
            let rounding = Rounding::new(mesh, faces.iter().flat_map(|face| face.0));
            let tolerance = |[_, longest]: [f64; 2]| rounding.loose(longest, FINE);
            covers(mesh, &faces, weld != Weld::Never, tolerance)
        }
        None => vec![Cover::default(); faces.len()],
    };
    let left_out = found.iter().filter(|cover| cover.is_whole).count();
    let partial = found.iter().filter(|cover| cover.is_partial).count();
    let outer = faces.into_iter().zip(&found).filter(|(_, cover)| !cover.is_whole);
    let (stored, cell_of): (Vec<[u32; 3]>, Vec<usize>) = outer.map(|(face, _)| face).unzip();
    let mut new_of = vec![INSIDE; mesh.n_vertices()];
    for &v in stored.as_flattened() {
        new_of[v as usize] = 0;
    }
    let kept: Vec<u32> =
        (0..).zip(&new_of).filter(|(_, new)| **new != INSIDE).map(|(v, _)| v).collect();
    for (new, &v) in (0..).zip(&kept) {
        new_of[v as usize] = new;
    }
    let cells = stored.as_flattened().iter().map(|&v| new_of[v as usize]).collect();
    let vertices = kept.iter().map(|&v| mesh.vertices[v as usize]).collect();
    let mut surface = Mesh::new(Kind::Surface, vertices, cells);
    surface.vertex_data = mesh.vertex_data.iter().map(|array| array.select(&kept)).collect();
    let cells: Vec<u32> = cell_of.iter().map(|&cell| cell as u32).collect();
    surface.cell_data = mesh.cell_data.iter().map(|array| array.select(&cells)).collect();
    let by_key: HashMap<[u32; 3], u32> = stored.iter().map(|&t| sorted(t)).zip(0..).collect();
    surface.groups = mesh
        .groups
        .iter()
        .map(|group| {
            let members = group_on(&group.members, mesh.n_cells(), &cell_of, &by_key, &new_of);
            Group { name: group.name.clone(), members }
        })
        .collect();
    Ok(Boundary { surface, left_out, partial })
}

/// Returns the faces that belong to exactly one tetrahedron, and the tetrahedron of each face, in
/// the order of the cells. The vertices of a face are counterclockwise as seen from outside.
pub fn outer_faces(mesh: &Mesh) -> (Vec<[u32; 3]>, Vec<usize>) {
    // Each entry has the sorted vertices of a face, and 4 times the index of its cell plus the
    // index of the face in the cell.
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(mesh.cells.len());
    for (cell, corners) in mesh.iter_cells().enumerate() {
        for (k, face) in FACES.iter().enumerate() {
            faces.push((sorted(face.map(|i| corners[i])), (4 * cell + k) as u32));
        }
    }
    faces.par_sort_unstable();
    let alone = faces.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() == 1);
    let mut outer: Vec<u32> = alone.map(|run| run[0].1).collect();
    outer.sort_unstable();
    let corners = |&face: &u32| {
        let tetrahedron: [u32; 4] = std::array::from_fn(|k| mesh.cells[face as usize / 4 * 4 + k]);
        let [a, b, c] = FACES[face as usize % 4].map(|k| tetrahedron[k]);
        if is_inverted(mesh, tetrahedron) { [a, c, b] } else { [a, b, c] }
    };
    let triangles = outer.iter().map(corners).collect();
    (triangles, outer.iter().map(|&face| face as usize / 4).collect())
}

fn group_on(
    members: &Members,
    n_cells: usize,
    cell_of: &[usize],
    by_key: &HashMap<[u32; 3], u32>,
    new_of: &[u32],
) -> Members {
    let new = |v: &u32| new_of.get(*v as usize).copied().unwrap_or(INSIDE);
    match members {
        Members::Cells(cells) => {
            let mut inside = vec![false; n_cells];
            for &cell in cells {
                if let Some(slot) = inside.get_mut(cell as usize) {
                    *slot = true;
                }
            }
            let found = (0..).zip(cell_of).filter(|&(_, &cell)| inside[cell]);
            Members::Cells(found.map(|(face, _)| face).collect())
        }
        Members::Simplices { dimension: 2, vertices } => {
            let faces = vertices.chunks_exact(3).map(|t| sorted([t[0], t[1], t[2]]));
            Members::Cells(faces.filter_map(|key| by_key.get(&key).copied()).collect())
        }
        Members::Simplices { dimension, vertices } => {
            let simplices = vertices.chunks_exact(dimension + 1);
            let kept = simplices.filter(|s| s.iter().all(|v| new(v) != INSIDE));
            let vertices = kept.flatten().map(new).collect();
            Members::Simplices { dimension: *dimension, vertices }
        }
    }
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

fn is_inverted(mesh: &Mesh, corners: [u32; 4]) -> bool {
    let [a, b, c, d] = corners.map(|v| mesh.vertices[v as usize]);
    let [u, v, w] = [b, c, d].map(|x| [0, 1, 2].map(|k| x[k] - a[k]));
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    cross[0] * w[0] + cross[1] * w[1] + cross[2] * w[2] < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, generate};
    use crate::mesh::statistics::inspect;
    use crate::mesh::{DataArray, Values};

    #[test]
    fn a_cube_is_closed_and_looks_outwards() {
        let cube: Generate = toml::from_str("cube = { cells = [2, 3, 4] }").unwrap();
        let mut cube = generate(&cube).unwrap();
        // The surface of an inverted tetrahedron is also oriented outward.
        cube.cells.swap(0, 1);
        cube.vertex_data.push(DataArray {
            name: "z".into(),
            components: 1,
            values: Values::Float(cube.vertices.iter().map(|x| x[2]).collect()),
        });
        let all = (0..cube.n_cells() as u32).collect();
        let bottom = boundary(&cube, Some(Weld::Auto)).unwrap().surface;
        let flat =
            bottom.iter_cells().find(|t| t.iter().all(|&v| bottom.vertices[v as usize][2] == 0.0));
        let corner = |v: &u32| {
            let x = bottom.vertices[*v as usize];
            cube.vertices.iter().position(|y| *y == x).unwrap() as u32
        };
        let vertices = flat.unwrap().iter().map(corner).collect();
        cube.groups = vec![
            Group { name: "all".into(), members: Members::Cells(all) },
            Group { name: "bottom".into(), members: Members::Simplices { dimension: 2, vertices } },
        ];
        let surface = boundary(&cube, Some(Weld::Auto)).unwrap().surface;
        assert_eq!(surface.n_cells(), 4 * (2 * 3 + 3 * 4 + 4 * 2));
        assert_eq!(surface.n_vertices(), 60 - 6, "six vertices lie inside");
        let found = inspect(&surface);
        assert_eq!((found.nonmanifold, found.inconsistent), (0, 0));
        let volume: f64 = surface
            .iter_cells()
            .map(|t| {
                let [a, b, c] = [0, 1, 2].map(|k| surface.vertices[t[k] as usize]);
                a[0] * (b[1] * c[2] - b[2] * c[1])
                    + a[1] * (b[2] * c[0] - b[0] * c[2])
                    + a[2] * (b[0] * c[1] - b[1] * c[0])
            })
            .sum();
        assert!((volume / 6.0 - 1.0).abs() < 1e-12, "{volume}");
        let heights: Vec<f64> = surface.vertices.iter().map(|x| x[2]).collect();
        assert_eq!(surface.vertex_data[0].values, Values::Float(heights));
        assert_eq!(surface.group("all").unwrap().members, Members::Cells((0..104).collect()));
        let Members::Cells(bottom) = &surface.group("bottom").unwrap().members else { panic!() };
        assert_eq!(bottom.len(), 1);
        assert!(boundary(&surface, None).is_err());
    }
}
