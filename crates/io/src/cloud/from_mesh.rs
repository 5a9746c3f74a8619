//! Conversion of mesh vertices to points. Normals and colors come from vertex arrays. If a triangle
//! mesh has no normals, they are computed from its faces.

use super::gather::{Depth, Gather};
use super::wanted::{Chosen, Wanted};
use super::{CloudReport, NormalsFrom};
use crate::MeshFile;
use crate::vtk::NO_CELLS;
use zeroset_core::cloud::{NumberType, PointCloud};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Mesh, Values, vertex_normals};
use zeroset_core::parallel::*;

/// Returns the vertices of a mesh as a point cloud, and a report.
///
/// # Errors
/// Returns a [`Flaw`] if the mesh has no point with finite coordinates.
pub(super) fn read(file: MeshFile, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    let mesh = &file.mesh;
    let stored = vector(mesh, &NORMALS, &JOINED_NORMALS);
    let colors = vector(mesh, &COLORS, &JOINED_COLORS);
    let from_faces = stored.is_none() && mesh.n_cells() > 0 && mesh.kind.arity() == 3;
    let (inside_out, of_faces) =
        join(|| from_faces && looks_inwards(mesh), || from_faces.then(|| vertex_normals(mesh)));
    let mut normals = of_faces.or(stored);
    if inside_out {
        normals.iter_mut().flatten().for_each(|normal| *normal = normal.map(|x| -x));
    }
    let mut all =
        Gather::new(normals.is_some(), colors.as_ref().map(|_| Depth::Real), mesh.n_vertices());
    let chosen = choose(mesh, wanted);
    chosen.add_to(&mut all);
    for (i, x) in mesh.vertices.iter().enumerate() {
        let normal = || normals.as_ref().map_or([0.0; 3], |normals| normals[i]);
        let color = || colors.as_ref().map_or([0.0; 3], |colors| colors[i]);
        let attribute = |k: usize| {
            let (array, component) = chosen.places[k];
            at(array, i * array.components + component)
        };
        all.push(*x, normal, color, attribute);
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

/// The names of normal and color arrays: arrays with one component each, and arrays with all
/// components.
const NORMALS: [[&str; 3]; 2] = [["nx", "ny", "nz"], ["normal_x", "normal_y", "normal_z"]];
const JOINED_NORMALS: [&str; 2] = ["Normals", "normals"];
const COLORS: [[&str; 3]; 2] = [["red", "green", "blue"], ["r", "g", "b"]];
const JOINED_COLORS: [&str; 7] = ["RGB", "RGBA", "Colors", "colors", "Color", "color", "rgb"];

/// Selects the attributes to read from the arrays that hold neither normals nor colors. A place is
/// an array and the index of a component. Components of vectors are named as in expressions.
fn choose<'a>(mesh: &'a Mesh, wanted: &Wanted) -> Chosen<(&'a DataArray, usize)> {
    let mut used = names_of_vector(mesh, &NORMALS, &JOINED_NORMALS);
    used.extend(names_of_vector(mesh, &COLORS, &JOINED_COLORS));
    let is_other = |array: &&DataArray| {
        array.rows() == mesh.n_vertices() && !used.contains(&array.name.as_str())
    };
    let others = mesh.vertex_data.iter().filter(is_other);
    let components = others.flat_map(|array| (0..array.components).map(move |k| (array, k)));
    wanted.choose(components.map(|(array, k)| {
        let kind = match &array.values {
            Values::Int(v) if v.iter().all(|x| u8::try_from(*x).is_ok()) => NumberType::U8,
            Values::Int(v) if v.iter().all(|x| i32::try_from(*x).is_ok()) => NumberType::I32,
            _ => NumberType::F64,
        };
        let name = match (array.components, ["x", "y", "z"].get(k)) {
            (1, _) => array.name.clone(),
            (_, Some(axis)) => format!("{}.{axis}", array.name),
            (_, None) => format!("{}.{k}", array.name),
        };
        (name, kind, (array, k))
    }))
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

/// Returns the names of the arrays that [`vector`] uses.
fn names_of_vector<'a>(mesh: &Mesh, single: &[[&'a str; 3]], joined: &[&'a str]) -> Vec<&'a str> {
    let n = mesh.n_vertices();
    let has = |name: &str, fits: fn(usize) -> bool| {
        mesh.vertex_data.iter().any(|a| a.name == name && a.rows() == n && fits(a.components))
    };
    let three = single.iter().find(|names| names.iter().all(|name| has(name, |c| c == 1)));
    let one = || joined.iter().find(|name| has(name, |c| c >= 3));
    match three {
        Some(names) => names.to_vec(),
        None => one().copied().into_iter().collect(),
    }
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
