//! Reader and writer of GIFTI, the XML format for surfaces and their vertex data in neuroimaging.
//! Lengths are in mm.
//!
//! The reader supports all encodings (ASCII, Base64Binary, GZipBase64Binary, data in a separate
//! file), both byte orders, both index orders and all number types. Labels become groups of
//! vertices with the names of the label table. Coordinates are as stored. As in other programs,
//! `CoordinateSystemTransformMatrix` is not applied unless a frame is chosen. A warning reports a
//! matrix that would change the coordinates.

mod decode;
#[cfg(test)]
mod tests;
mod write;
mod xml;

pub use write::{write_label, write_shape, write_surface};

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::about::{About, Entry, SCANNER, VolumeGeometry};
use super::budget::Budget;
use super::faces::{Faces, check_index, index_limit};
use super::frame::Frame;
use super::freesurfer::without_hemisphere;
use super::text;
use super::unique_names::UnusedNames;
use super::{MeshFile, VertexData};
use xml::{Array, Document, Space};
use zeroset_core::error::{Element, Flaw, FlawKind, Position, Result};
use zeroset_core::mesh::{DataArray, Group, Members, Values};

/// The end of the warning that a matrix is not applied. If a frame is chosen, the warning is
/// dropped.
pub(super) const NOT_APPLIED: &str = " is not applied";

/// Reads a surface and its arrays.
///
/// # Errors
/// Returns a [`Flaw`] that names the byte, array, vertex or face if XML, base64 or zlib data are
/// damaged, if sizes do not match the data, if a coordinate is not finite, if an index is out of
/// range, or if the file has no coordinates.
pub(crate) fn read(path: &Path, bytes: &[u8], budget: Budget) -> Result<MeshFile, Flaw> {
    let Document { version, encoding, arrays, labels, metadata } = xml::read(path, bytes, budget)?;
    let (mut points, mut triangles, mut others) = (None, None, Vec::new());
    let mut warnings = Vec::new();
    for array in arrays {
        let slot = match array.intent.as_str() {
            "NIFTI_INTENT_POINTSET" => &mut points,
            "NIFTI_INTENT_TRIANGLE" => &mut triangles,
            _ => {
                others.push(array);
                continue;
            }
        };
        if slot.is_some() {
            warnings.push(format!("a second array {} is ignored", array.intent));
        } else {
            *slot = Some(array);
        }
    }
    let Some(points) = points else {
        let what = match others.len() {
            0 => "holds no coordinates (NIFTI_INTENT_POINTSET)".to_string(),
            _ => "holds numbers per vertex, not a surface".to_string(),
        };
        return Err(Flaw::whole(what, "use it as data of a surface").kind_of(FlawKind::Unfit));
    };
    let space = space(&points, &mut warnings);
    let about = about(&points, metadata);
    let vertices = vertices(points)?;
    let mut faces = Faces::default();
    if let Some(triangles) = triangles {
        add_triangles(triangles, vertices.len(), &mut faces)?;
    }
    let n_vertices = vertices.len();
    let mut file = faces.into_file(vertices, "gifti", format!("{version} {encoding}"))?;
    file.units = Some("mm".to_string());
    file.space = space;
    file.warnings = warnings;
    file.about = Box::new(about);
    let labeled = others.iter().filter(|array| array.rows == n_vertices);
    file.mesh.groups = groups(labeled, &labels);
    let (fitting, other): (Vec<_>, Vec<_>) =
        named(path, others).into_iter().partition(|array| array.rows() == n_vertices);
    file.mesh.vertex_data = fitting;
    for array in other {
        let (name, rows) = (array.name.as_str(), array.rows());
        let what = format!("array {name} is ignored: it has {rows} rows for {n_vertices} vertices");
        file.warnings.push(what);
    }
    Ok(file)
}

/// Reads the values per vertex of a shape, functional or label file, or those of a surface file if
/// it has any.
///
/// # Errors
/// Returns a [`Flaw`] if the document or its data are damaged, if the file has no such arrays, or
/// if it holds values for only some vertices.
pub(crate) fn read_data(path: &Path, bytes: &[u8], budget: Budget) -> Result<VertexData, Flaw> {
    let Document { arrays, labels, .. } = xml::read(path, bytes, budget)?;
    if arrays.iter().any(|array| array.intent == "NIFTI_INTENT_NODE_INDEX") {
        let what = "holds numbers for only some vertices (NIFTI_INTENT_NODE_INDEX)";
        return Err(Flaw::whole(what, "export them for all vertices"));
    }
    let is_data = |array: &Array| {
        array.intent != "NIFTI_INTENT_POINTSET" && array.intent != "NIFTI_INTENT_TRIANGLE"
    };
    let arrays: Vec<Array> = arrays.into_iter().filter(is_data).collect();
    if arrays.is_empty() {
        let what = "holds no numbers per vertex";
        return Err(Flaw::whole(what, "choose a shape or functional file").kind_of(FlawKind::Unfit));
    }
    let groups = groups(arrays.iter(), &labels);
    Ok(VertexData { arrays: named(path, arrays), groups, ..VertexData::default() })
}

/// Returns a group of vertices for each label, in the order of the table. Labels without vertices
/// or without a name yield no group. If several labels have the same name, only the first yields a
/// group.
fn groups<'a>(arrays: impl Iterator<Item = &'a Array>, table: &[(i64, String)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut taken = HashSet::new();
    for array in arrays.filter(|array| array.intent == "NIFTI_INTENT_LABEL") {
        let (Values::Int(keys), 1) = (&array.values, array.components) else { continue };
        let mut members: HashMap<i64, Vec<u32>> =
            table.iter().map(|(key, _)| (*key, Vec::new())).collect();
        for (vertex, key) in keys.iter().enumerate() {
            if let (Some(vertices), Ok(vertex)) = (members.get_mut(key), u32::try_from(vertex)) {
                vertices.push(vertex);
            }
        }
        for (key, name) in table {
            let vertices = members.remove(key).unwrap_or_default();
            if !vertices.is_empty() && !name.is_empty() && taken.insert(name.as_str()) {
                let members = Members::Simplices { dimension: 0, vertices };
                groups.push(Group { name: name.clone(), members });
            }
        }
    }
    groups
}

/// Returns the name of the coordinate space, if the file states it. Adds a warning for each matrix
/// that would change the coordinates.
fn space(points: &Array, warnings: &mut Vec<String>) -> Option<String> {
    let known = |name: &String| !name.is_empty() && name != "NIFTI_XFORM_UNKNOWN";
    for space in points.spaces.iter().filter(|space| !space.is_same()) {
        warnings.push(format!(
            "coordinates are as stored, in {}; the matrix that transforms them to {}{NOT_APPLIED}",
            text::one_line(&space.data),
            text::one_line(&space.transformed)
        ));
    }
    let same = points.spaces.iter().filter(|space| space.is_same()).map(|s| &s.transformed);
    let found = same.chain(points.spaces.iter().map(|s| &s.data)).find(|name| known(name));
    found.map(text::one_line)
}

/// Returns the metadata and the frame of the coordinates. The frame comes from the coordinate
/// systems and from FreeSurfer's volume geometry.
fn about(points: &Array, of_file: Vec<Entry>) -> About {
    let mut about = About { of_file, of_points: points.metadata.clone(), ..About::default() };
    if let Some(geometry) = VolumeGeometry::of_entries(&points.metadata) {
        about.frame = geometry.frame();
    }
    let to_scanner = points.spaces.iter().find(|space| space.transformed == SCANNER);
    if points.spaces.iter().any(|space| space.data == SCANNER) {
        about.frame.coordinates = Some(Frame::Scanner);
    } else if let Some(affine) = to_scanner.and_then(Space::affine) {
        about.frame.to_scanner = Some(affine);
    }
    // Files written from this surface contain the whole matrix, on one line.
    let in_one_line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    about.space = points
        .spaces
        .first()
        .map(|space| [&space.data, &space.transformed, &space.matrix].map(in_one_line));
    about
}

fn vertices(array: Array) -> Result<Vec<[f64; 3]>, Flaw> {
    if array.components != 3 {
        let what = format!("coordinates have {} components, but 3 are needed", array.components);
        return Err(Flaw::at("NIFTI_INTENT_POINTSET", what, "export the surface again"));
    }
    index_limit(array.rows as u64, "vertices")?;
    let vertices = match array.values {
        Values::Float(values) => values.chunks_exact(3).map(|x| [x[0], x[1], x[2]]).collect(),
        Values::Int(values) => {
            values.chunks_exact(3).map(|x| [x[0] as f64, x[1] as f64, x[2] as f64]).collect()
        }
    };
    let vertices: Vec<[f64; 3]> = vertices;
    for (i, &x) in vertices.iter().enumerate() {
        super::bytes::finite(i, x)?;
    }
    Ok(vertices)
}

fn add_triangles(array: Array, n_vertices: usize, faces: &mut Faces) -> Result<(), Flaw> {
    let fail = |what: String| Flaw::at("NIFTI_INTENT_TRIANGLE", what, "export the surface again");
    if array.components != 3 {
        return Err(fail(format!("triangles have {} corners", array.components)));
    }
    let Values::Int(indices) = array.values else {
        return Err(fail("triangles are not whole numbers".to_string()));
    };
    faces.triangles.reserve_exact(indices.len());
    for (i, triangle) in indices.chunks_exact(3).enumerate() {
        let mut face = [0; 3];
        for (corner, &index) in face.iter_mut().zip(triangle) {
            *corner = check_index(index, n_vertices).map_err(|what| {
                let remedy = "renumber or fix the triangles";
                Flaw::at(Position::element(Element::Face, i), what, remedy)
            })?;
        }
        faces.push(&face);
    }
    Ok(())
}

/// Gives each array a unique name. The name comes from the metadata (only its last part if it is a
/// path), or else from the file name. A hemisphere prefix is removed. Repeated names get a number.
fn named(path: &Path, arrays: Vec<Array>) -> Vec<DataArray> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.strip_suffix(".gz").unwrap_or(&file);
    let stem = stem.strip_suffix(".gii").unwrap_or(stem);
    let mut names = UnusedNames::default();
    let array = |array: Array| {
        let last = array.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let base = without_hemisphere(if last.is_empty() { stem } else { last });
        let name = names.of("array", base);
        DataArray { name, components: array.components, values: array.values }
    };
    arrays.into_iter().map(array).collect()
}
