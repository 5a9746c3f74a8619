//! Writer of MEDIT: meshes with references, and values at vertices.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::companions::companions_written;
use zeroset_core::atomic;
use zeroset_core::error::Result;
use zeroset_core::mesh::{DataArray, Kind, Members, Mesh, Values};

/// Writes vertices, cells and lower-dimensional simplices with one reference each. Point data go
/// into the `.sol` file next to the mesh. Both files appear together. Adds notes to `lost` about
/// content that the format cannot hold.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if a file cannot be written, or if there is another
/// `.sol` or `.sol.gz` file next to the mesh, whose values a reader would mistake for those of this
/// mesh.
pub(crate) fn write(path: &Path, mesh: &Mesh, lost: &mut Vec<String>) -> Result<()> {
    let beside = path.with_extension("sol");
    let has_numbers = fitting(mesh).next().is_some();
    let adopted = |file: &&PathBuf| *file != &beside || !has_numbers;
    let companions = companions_written(path);
    let mut adopted = companions.iter().filter(adopted);
    if let Some(other) = adopted.find(|file| std::fs::symlink_metadata(file).is_ok()) {
        return Err(atomic::in_the_way(other));
    }
    atomic::together(|| {
        write_alone(path, mesh, lost)?;
        match has_numbers {
            true => write_numbers(&beside, mesh, true, lost),
            false => Ok(()),
        }
    })
}

/// Writes the mesh without its point data.
fn write_alone(path: &Path, mesh: &Mesh, lost: &mut Vec<String>) -> Result<()> {
    let references = References::new(mesh, lost);
    let marks = mesh.vertex_array(MARKS).and_then(|array| match &array.values {
        Values::Int(marks) if array.components == 1 => Some(marks),
        _ => None,
    });
    if !mesh.cell_data.is_empty() {
        let names: Vec<&str> = mesh.cell_data.iter().map(|array| array.name.as_str()).collect();
        lost.push(format!("cell data not written: {}; .mesh cannot hold them", names.join(", ")));
    }
    atomic::write(path, |out| {
        let dimension = dimension(mesh);
        writeln!(out, "MeshVersionFormatted 2\nDimension {dimension}")?;
        writeln!(out, "Vertices\n{}", mesh.n_vertices())?;
        for (i, x) in mesh.vertices.iter().enumerate() {
            x.iter().take(dimension).try_for_each(|x| write!(out, "{x} "))?;
            writeln!(out, "{}", marks.map_or(0, |marks| marks[i]))?;
        }
        let name = if mesh.kind == Kind::Volume { "Tetrahedra" } else { "Triangles" };
        section(out, name, mesh.kind.arity(), &mesh.cells, &references.cells)?;
        for (dimension, name) in [(2, "Triangles"), (1, "Edges")] {
            let (vertices, numbers) = &references.lower[dimension];
            if !numbers.is_empty() {
                section(out, name, dimension + 1, vertices, numbers)?;
            }
        }
        out.write_all(b"End\n")
    })
}

/// The name of the array that the reader creates for the references of vertices.
const MARKS: &str = "reference";

/// Returns 2 for a mesh in the plane z = 0, else 3.
fn dimension(mesh: &Mesh) -> usize {
    if mesh.kind == Kind::Planar && mesh.vertices.iter().all(|x| x[2] == 0.0) { 2 } else { 3 }
}

fn section(
    out: &mut dyn Write,
    name: &str,
    arity: usize,
    vertices: &[u32],
    references: &[i64],
) -> std::io::Result<()> {
    writeln!(out, "{name}\n{}", references.len())?;
    for (simplex, reference) in vertices.chunks_exact(arity).zip(references) {
        simplex.iter().try_for_each(|&v| write!(out, "{} ", u64::from(v) + 1))?;
        writeln!(out, "{reference}")?;
    }
    Ok(())
}

/// The reference numbers that represent the groups of the cells and simplices.
struct References {
    /// The reference of each cell; 0 if it belongs to no group.
    cells: Vec<i64>,
    /// Vertices and references of the lower-dimensional simplices, by dimension.
    lower: [(Vec<u32>, Vec<i64>); 3],
}

impl References {
    /// Assigns a number to each group. A group whose name is a positive integer gets that number,
    /// and the others get the smallest unused numbers.
    fn new(mesh: &Mesh, lost: &mut Vec<String>) -> Self {
        let numbers = mesh.groups.iter().filter_map(|group| group.name.parse::<i64>().ok());
        let mut taken: BTreeSet<i64> = numbers.filter(|&number| number > 0).collect();
        let mut next = 1;
        let mut number_of: HashMap<&str, i64> = HashMap::new();
        let mut renamed = Vec::new();
        for group in &mesh.groups {
            let number = group.name.parse::<i64>().ok().filter(|&number| number > 0);
            let number = number.unwrap_or_else(|| {
                while !taken.insert(next) {
                    next += 1;
                }
                renamed.push(format!("{} is {next}", group.name));
                next
            });
            number_of.insert(group.name.as_str(), number);
        }
        if !renamed.is_empty() {
            lost.push(format!("groups are numbered in .mesh: {}", renamed.join(", ")));
        }
        let mut cells = vec![0; mesh.n_cells()];
        let mut lower: [(Vec<u32>, Vec<i64>); 3] = Default::default();
        let mut twice = 0;
        for group in &mesh.groups {
            let number = number_of[group.name.as_str()];
            match &group.members {
                Members::Cells(members) => {
                    for &cell in members {
                        match cells.get_mut(cell as usize) {
                            Some(reference @ 0) => *reference = number,
                            Some(reference) if *reference == number => {}
                            _ => twice += 1,
                        }
                    }
                }
                Members::Simplices { dimension: 0, .. } => {
                    lost.push(format!(
                        "group {} is not written: .mesh has no groups of points",
                        group.name
                    ));
                }
                Members::Simplices { dimension, vertices } => {
                    if let Some((all, references)) = lower.get_mut(*dimension) {
                        all.extend(vertices);
                        let n = vertices.len() / (dimension + 1);
                        references.extend(std::iter::repeat_n(number, n));
                    }
                }
            }
        }
        if twice > 0 {
            lost.push(format!(
                "{twice} cells in several groups are kept only in the first of them"
            ));
        }
        References { cells, lower }
    }
}

/// Returns the type number of an array in a solution file: 1 for a scalar, 2 for a vector, or 3 for
/// a symmetric tensor. Returns `None` for other numbers of components.
fn type_of(array: &DataArray, dimension: usize) -> Option<u8> {
    match array.components {
        1 => Some(1),
        n if n == dimension => Some(2),
        n if n == dimension * (dimension + 1) / 2 => Some(3),
        _ => None,
    }
}

/// Returns the arrays that a solution file can hold, without the references of vertices, which are
/// in the mesh.
fn fitting(mesh: &Mesh) -> impl Iterator<Item = &DataArray> {
    let dimension = dimension(mesh);
    let fits = move |array: &&DataArray| array.name != MARKS && type_of(array, dimension).is_some();
    mesh.vertex_data.iter().filter(fits)
}

/// Writes the point data of a mesh. Adds notes to `lost` about names, which the format cannot hold,
/// and about arrays without a matching type.
///
/// # Errors
/// Returns [`zeroset_core::Error::Case`] if the mesh has no such data, and
/// [`zeroset_core::Error::Output`] if the file cannot be written.
pub(crate) fn write_solution(path: &Path, mesh: &Mesh, lost: &mut Vec<String>) -> Result<()> {
    write_numbers(path, mesh, false, lost)
}

/// Writes the point data of a mesh. If `is_companion` is true, an existing file with other contents
/// is never replaced.
fn write_numbers(
    path: &Path,
    mesh: &Mesh,
    is_companion: bool,
    lost: &mut Vec<String>,
) -> Result<()> {
    let arrays: Vec<&DataArray> = fitting(mesh).collect();
    if arrays.is_empty() {
        let what = format!("{}: the mesh has no point data that .sol can hold", path.display());
        return Err(zeroset_core::Error::usage(what, "end the name in .mesh to write the mesh"));
    }
    let dimension = dimension(mesh);
    for array in mesh.vertex_data.iter().filter(|array| type_of(array, dimension).is_none()) {
        let (name, n) = (&array.name, array.components);
        lost.push(format!("{name} is not written: .sol has no type with {n} components"));
    }
    let names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
    let place = path.file_name().unwrap_or_default().to_string_lossy();
    lost.push(format!("{place} holds {}, but not the names", names.join(", ")));
    let types: Vec<String> =
        arrays.iter().filter_map(|a| type_of(a, dimension)).map(|t| t.to_string()).collect();
    let body = |out: &mut dyn Write| {
        writeln!(out, "MeshVersionFormatted 2\nDimension {dimension}")?;
        writeln!(out, "SolAtVertices\n{}", mesh.n_vertices())?;
        writeln!(out, "{} {}", types.len(), types.join(" "))?;
        for i in 0..mesh.n_vertices() {
            let mut first = true;
            for array in &arrays {
                for k in i * array.components..(i + 1) * array.components {
                    let blank = if std::mem::take(&mut first) { "" } else { " " };
                    match &array.values {
                        Values::Float(v) => write!(out, "{blank}{}", v[k])?,
                        Values::Int(v) => write!(out, "{blank}{}", v[k])?,
                    }
                }
            }
            out.write_all(b"\n")?;
        }
        out.write_all(b"End\n")
    };
    match is_companion {
        true => atomic::write_companion(path, body),
        false => atomic::write(path, body),
    }
}
