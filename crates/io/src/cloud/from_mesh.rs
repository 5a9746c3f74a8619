//! Conversion of mesh vertices to points. Normals and colors come from vertex arrays. If a triangle
//! mesh has no normals, they are computed from its faces.

use rayon::prelude::*;

use super::gather::{Depth, Gather};
use super::{CloudReport, NormalsFrom};
use crate::MeshFile;
use crate::vtk::NO_CELLS;
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Mesh, Values, vertex_normals};

/// Returns the vertices of a mesh as a point cloud, and a report.
///
/// # Errors
/// Returns a [`Flaw`] if the mesh has no point with finite coordinates.
pub(super) fn read(file: MeshFile) -> Result<(PointCloud, CloudReport), Flaw> {
    let mesh = &file.mesh;
    let stored = vector(
        mesh,
        &[["nx", "ny", "nz"], ["normal_x", "normal_y", "normal_z"]],
        &["Normals", "normals"],
    );
    let colors = vector(
        mesh,
        &[["red", "green", "blue"], ["r", "g", "b"]],
        &["RGB", "RGBA", "Colors", "colors", "Color", "color", "rgb"],
    );
    let from_faces = stored.is_none() && mesh.n_cells() > 0 && mesh.kind.arity() == 3;
    let (inside_out, of_faces) = rayon::join(
        || from_faces && looks_inwards(mesh),
        || from_faces.then(|| vertex_normals(mesh)),
    );
    let mut normals = of_faces.or(stored);
    if inside_out {
        normals.iter_mut().flatten().for_each(|normal| *normal = normal.map(|x| -x));
    }
    let mut all =
        Gather::new(normals.is_some(), colors.as_ref().map(|_| Depth::Real), mesh.n_vertices());
    for (i, x) in mesh.vertices.iter().enumerate() {
        let normal = || normals.as_ref().map_or([0.0; 3], |normals| normals[i]);
        all.push(*x, normal, || colors.as_ref().map_or([0.0; 3], |colors| colors[i]));
    }
    let (cloud, mut report) = all.finish(file.format, file.version)?;
    if from_faces && cloud.normals.is_some() {
        report.normals = Some(NormalsFrom::Faces);
    }
    report.faces = mesh.n_cells();
    report.units = file.units;
    let warnings = file.warnings.into_iter().filter(|warning| !warning.ends_with(NO_CELLS));
    report.warnings.splice(0..0, warnings);
    if inside_out {
        let what = "the faces of this closed surface point inward: their normals are reversed";
        report.warnings.push(what.to_string());
    }
    Ok((cloud, report))
}

/// Sums over triangles: twice the area, twice the area vector, and six times the signed volume.
#[derive(Default)]
struct Enclosed {
    areas: f64,
    vector: [f64; 3],
    volume: f64,
}

impl Enclosed {
    fn with(&self, more: &Enclosed) -> Enclosed {
        Enclosed {
            areas: self.areas + more.areas,
            vector: [0, 1, 2].map(|k| self.vector[k] + more.vector[k]),
            volume: self.volume + more.volume,
        }
    }
}

/// Returns true for a closed or nearly closed surface whose triangles enclose a negative volume.
fn looks_inwards(mesh: &Mesh) -> bool {
    /// The relative tolerance for the sum of the area vectors. The area vectors of a closed
    /// surface cancel, and small holes leave a small sum.
    const NEARLY: f64 = 1e-3;
    /// The number of triangle corners per partial sum.
    const PIECE: usize = 3 << 14;
    let Some(&origin) = mesh.vertices.iter().find(|x| x.iter().all(|x| x.is_finite())) else {
        return false;
    };
    let of = |cells: &[u32]| {
        let mut sum = Enclosed::default();
        for cell in cells.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|k| {
                let x = mesh.vertices[cell[k] as usize];
                [0, 1, 2].map(|k| x[k] - origin[k])
            });
            let [u, v] = [b, c].map(|x| [0, 1, 2].map(|k| x[k] - a[k]));
            let area = [0, 1, 2].map(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                u[i] * v[j] - u[j] * v[i]
            });
            let six_fold = (0..3).map(|k| a[k] * area[k]).sum::<f64>();
            if six_fold.is_finite() {
                let size = area.iter().map(|x| x * x).sum::<f64>().sqrt();
                sum = sum.with(&Enclosed { areas: size, vector: area, volume: six_fold });
            }
        }
        sum
    };
    // The size of the pieces, and therefore the rounding, does not depend on the number of threads.
    let parts: Vec<Enclosed> = mesh.cells.par_chunks(PIECE).map(of).collect();
    let Enclosed { areas, vector, volume } =
        parts.iter().fold(Enclosed::default(), |sum, part| sum.with(part));
    let left = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    volume < 0.0 && left <= NEARLY * areas
}

/// Returns three numbers per vertex. They come from the three scalar arrays of the first entry of
/// `single` whose arrays all exist, or else from the first array that is named in `joined` and has
/// at least three components. Returns `None` if there are no such arrays.
fn vector(mesh: &Mesh, single: &[[&str; 3]], joined: &[&str]) -> Option<Vec<[f64; 3]>> {
    let n = mesh.n_vertices();
    let array = |name: &str| mesh.vertex_data.iter().find(|a| a.name == name && a.rows() == n);
    for names in single {
        let [Some(a), Some(b), Some(c)] =
            names.map(|name| array(name).filter(|a| a.components == 1))
        else {
            continue;
        };
        return Some((0..n).map(|i| [at(a, i), at(b, i), at(c, i)]).collect());
    }
    let found = joined.iter().find_map(|name| array(name).filter(|a| a.components >= 3))?;
    Some((0..n).map(|i| [0, 1, 2].map(|k| at(found, i * found.components + k))).collect())
}

fn at(array: &DataArray, i: usize) -> f64 {
    match &array.values {
        Values::Int(v) => v[i] as f64,
        Values::Float(v) => v[i],
    }
}
