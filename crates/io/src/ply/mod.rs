//! PLY, the Stanford polygon format: text, binary little endian, binary big endian.
//!
//! Coordinates are the properties x, y, z of the element "vertex". Its other scalar properties
//! become vertex arrays, and the scalar properties of "face" become cell arrays. Faces are the list
//! "vertex_indices" (or "vertex_index"). The older "tristrips" are split into triangles.

mod body;
mod header;
#[cfg(test)]
mod tests;
mod write;

use super::faces::{Faces, check_index, index_limit};
use super::scalar::Scalar;
use super::text::Lines;
use super::{MeshFile, groups};
use body::{Body, Record};
pub(super) use header::{Element, Encoding, Header, read as read_header};
pub(super) use write::write;
use zeroset_core::error::{Element as Stored, Flaw, Result};
use zeroset_core::mesh::{DataArray, Values};

/// The beginning of the warning about bytes after the last element.
const LEFT_OVER: &str = "ignored: ";

const INDEX_LISTS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Reads a PLY file.
///
/// # Errors
/// Returns a [`Flaw`] that names the line or byte if the header is damaged, if there are fewer
/// records than declared, if a coordinate is not finite, or if an index is out of range. Also
/// returns one if the header states the wrong byte order and the other one gives a valid file.
pub(crate) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let mut lines = Lines::of_header(bytes);
    let mut header = read_header(&mut lines)?;
    let at = lines.clone();
    let found = read_body(bytes, lines, &header, false);
    let is_strange = |file: &MeshFile| has_strange_numbers(&file.mesh.vertices);
    let strange = found.as_ref().map_or(true, is_strange);
    let Some(other) = header.encoding.swapped().filter(|_| strange) else { return found };
    let stated = std::mem::replace(&mut header.encoding, other);
    match read_body(bytes, at, &header, false) {
        Ok(swapped)
            if !is_strange(&swapped)
                && swapped.warnings.iter().all(|w| !w.starts_with(LEFT_OVER)) =>
        {
            Err(other_order(stated, other))
        }
        _ => found,
    }
}

/// Reads a PLY file like [`read`], but keeps vertices whose coordinates are not finite.
///
/// # Errors
/// Returns the errors of [`read`], except that coordinates may be infinite or NaN.
pub(super) fn read_points(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let mut lines = Lines::of_header(bytes);
    let header = read_header(&mut lines)?;
    read_body(bytes, lines, &header, true)
}

/// Creates the error for numbers with the byte order `other` under a header that states `stated`.
pub(super) fn other_order(stated: Encoding, other: Encoding) -> Flaw {
    let (stated, other) = (stated.name(), other.name());
    let what = format!("the header states {stated}, but the numbers are {other}");
    Flaw::whole(what, "correct that line of the header, or export the file again")
}

/// Returns true if any coordinate looks like a number read in the wrong byte order: not zero, but
/// tiny, huge or NaN.
pub(super) fn has_strange_numbers(vertices: &[[f64; 3]]) -> bool {
    let strange = |x: &f64| *x != 0.0 && !(1e-30..1e30).contains(&x.abs());
    vertices.as_flattened().iter().any(strange)
}

/// Reads the elements. If `any` is true, vertices whose coordinates are not finite are kept.
fn read_body(bytes: &[u8], lines: Lines<'_>, header: &Header, any: bool) -> Result<MeshFile, Flaw> {
    let mut body = Body::new(bytes, lines, header);
    let mut reader = Reader::new(&header.elements)?;
    reader.any = any;
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => reader.vertices(element, &mut body)?,
            "face" => reader.faces(element, &mut body)?,
            "tristrips" => reader.strips(element, &mut body)?,
            _ => reader.skip(element, &mut body)?,
        }
    }
    let left_over = body.left_over();
    reader.finish(&header.version, left_over)
}

struct Reader {
    /// Whether coordinates may be infinite or NaN.
    any: bool,
    /// The number of vertices that the header declares. It is needed because faces may come first.
    n_vertices: usize,
    vertices: Vec<[f64; 3]>,
    vertex_columns: Vec<DataArray>,
    faces: Faces,
    face_columns: Vec<DataArray>,
    warnings: Vec<String>,
}

impl Reader {
    fn new(elements: &[Element]) -> Result<Self, Flaw> {
        let Some(vertex) = elements.iter().find(|e| e.name == "vertex") else {
            let what = "the header has no element \"vertex\"";
            return Err(Flaw::whole(what, "export the mesh again"));
        };
        index_limit(vertex.count, "vertices")?;
        for name in ["vertex", "face", "tristrips"] {
            if elements.iter().filter(|e| e.name == name).count() > 1 {
                let what = format!("the header has two elements \"{name}\"");
                return Err(Flaw::whole(what, "export the mesh again"));
            }
        }
        Ok(Reader {
            any: false,
            n_vertices: vertex.count as usize,
            vertices: Vec::new(),
            vertex_columns: Vec::new(),
            faces: Faces::default(),
            face_columns: Vec::new(),
            warnings: Vec::new(),
        })
    }

    fn vertices(&mut self, element: &Element, body: &mut Body) -> Result<(), Flaw> {
        let axes = ["x", "y", "z"].map(|name| element.find(&[name], false));
        let [Some(_), Some(_), z] = axes else {
            let what = "element \"vertex\" does not have the properties x and y";
            return Err(Flaw::whole(what, "export the mesh again"));
        };
        if z.is_none() {
            self.warnings.push("vertices have no z, which is taken as 0".to_string());
        }
        let n = body.promised(element)?;
        let parts = body.in_parts(n, |range, body| {
            let mut vertices = Vec::with_capacity(range.len());
            let mut columns = Columns::new(element, &axes, range.len());
            let mut record = Record::default();
            for i in range {
                body.next(element, i, &mut record)?;
                let x = axes.map(|k| k.map_or(0.0, |k| record.values[k]));
                if let Some(k) = x.iter().position(|v| !v.is_finite() && !self.any) {
                    let position = body.element(Stored::Vertex, i);
                    let axis = ["x", "y", "z"][k];
                    let what = format!("coordinate {axis} is {}, expected a finite number", x[k]);
                    let remedy = "remove or fix this vertex";
                    return Err(Flaw::at(position, what, remedy));
                }
                vertices.push(x);
                columns.push(&record, 1);
            }
            Ok((vertices, columns))
        })?;
        let (vertices, columns): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        self.vertices = match <[_; 1]>::try_from(vertices) {
            Ok([all]) => all,
            Err(parts) => parts.concat(),
        };
        self.vertex_columns = Columns::joined(columns);
        self.warn_of_lists(element, None);
        Ok(())
    }

    fn faces(&mut self, element: &Element, body: &mut Body) -> Result<(), Flaw> {
        if element.count == 0 {
            return Ok(());
        }
        let n = body.promised(element)?;
        let Some(list) = element.find(&INDEX_LISTS, true) else {
            let what = "element \"face\" does not have the list vertex_indices";
            return Err(Flaw::whole(what, "export the mesh again"));
        };
        let parts = body.in_parts(n, |range, body| {
            let (mut faces, mut columns) =
                (Faces::default(), Columns::new(element, &[], range.len()));
            let (mut record, mut face) = (Record::default(), Vec::new());
            for i in range {
                body.next(element, i, &mut record)?;
                face.clear();
                for &index in &record.lists[list] {
                    face.push(self.index(index, Stored::Face, i, body)?);
                }
                let made = faces.push(&face);
                columns.push(&record, made);
            }
            Ok((faces, columns))
        })?;
        let (faces, columns): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        self.faces.append_all(faces);
        self.face_columns = Columns::joined(columns);
        self.warn_of_lists(element, Some(list));
        Ok(())
    }

    fn strips(&mut self, element: &Element, body: &mut Body) -> Result<(), Flaw> {
        if element.count == 0 {
            return Ok(());
        }
        let n = body.promised(element)?;
        let Some(list) = element.find(&INDEX_LISTS, true) else {
            let what = "element \"tristrips\" does not have the list vertex_indices";
            return Err(Flaw::whole(what, "export the mesh again"));
        };
        let end = match element.properties[list].item {
            Scalar::U8 => f64::from(u8::MAX),
            Scalar::U16 => f64::from(u16::MAX),
            Scalar::U32 => f64::from(u32::MAX),
            _ => -1.0,
        };
        // A number that is a valid vertex index does not end a strip.
        let end = if (end as usize) < self.n_vertices { -1.0 } else { end };
        let (mut record, mut strip) = (Record::default(), Vec::new());
        for i in 0..n {
            body.next(element, i, &mut record)?;
            // Within one list, -1 ends a strip and begins the next. Unsigned lists use their
            // largest number instead.
            for part in record.lists[list].split(|&index| index == -1.0 || index == end) {
                strip.clear();
                for &index in part {
                    strip.push(self.index(index, Stored::Strip, i, body)?);
                }
                if !strip.is_empty() {
                    self.faces.push_strip(&strip);
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, element: &Element, body: &mut Body) -> Result<(), Flaw> {
        let n = body.promised(element)?;
        let mut record = Record::default();
        for i in 0..n {
            body.next(element, i, &mut record)?;
        }
        Ok(())
    }

    fn index(&self, index: f64, of: Stored, i: usize, body: &Body) -> Result<u32, Flaw> {
        let checked = match index as i64 {
            whole if whole as f64 == index => check_index(whole, self.n_vertices),
            _ => Err(format!("refers to vertex {index}, expected a whole number")),
        };
        checked.map_err(|found| {
            let remedy = "PLY numbers vertices from 0: renumber or fix the faces";
            Flaw::at(body.element(of, i), found, remedy)
        })
    }

    fn warn_of_lists(&mut self, element: &Element, used: Option<usize>) {
        for (k, property) in element.properties.iter().enumerate() {
            if property.length.is_some() && Some(k) != used {
                let (element, name) = (&element.name, &property.name);
                self.warnings.push(format!("list property {name} of {element} is ignored"));
            }
        }
    }

    fn finish(self, version: &str, left_over: Option<String>) -> Result<MeshFile, Flaw> {
        let n_face_rows = self.face_columns.first().map_or(0, DataArray::rows);
        let whole = n_face_rows == self.faces.len();
        let mut file = self.faces.into_file(self.vertices, "ply", version.to_string())?;
        file.mesh.vertex_data = self.vertex_columns;
        file.warnings.extend(self.warnings);
        if whole {
            file.mesh.cell_data = self.face_columns;
        } else if !self.face_columns.is_empty() {
            file.warnings.push("face arrays are ignored: strips have none".to_string());
        }
        groups::from_masks(&mut file.mesh);
        if let Some(what) = left_over {
            file.warnings.push(format!("{LEFT_OVER}{what}"));
        }
        Ok(file)
    }
}

/// The scalar (non-list) properties of an element except its coordinates, column by column.
struct Columns {
    arrays: Vec<(usize, DataArray)>,
}

impl Columns {
    fn new(element: &Element, axes: &[Option<usize>], n: usize) -> Self {
        let single = element.properties.iter().enumerate();
        let single = single.filter(|(k, p)| p.length.is_none() && !axes.contains(&Some(*k)));
        let arrays = single.map(|(k, property)| {
            let values = match property.item.is_float() {
                true => Values::Float(Vec::with_capacity(n)),
                false => Values::Int(Vec::with_capacity(n)),
            };
            (k, DataArray { name: property.name.clone(), components: 1, values })
        });
        Columns { arrays: arrays.collect() }
    }

    /// Adds the values of `record` `times` times, once for each cell made from it.
    fn push(&mut self, record: &Record, times: usize) {
        for (k, array) in &mut self.arrays {
            let value = record.values[*k];
            match &mut array.values {
                Values::Float(v) => v.extend(std::iter::repeat_n(value, times)),
                Values::Int(v) => v.extend(std::iter::repeat_n(value as i64, times)),
            }
        }
    }

    /// Concatenates the arrays of consecutive parts.
    fn joined(parts: Vec<Columns>) -> Vec<DataArray> {
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return Vec::new() };
        for part in parts {
            for ((_, array), (_, more)) in all.arrays.iter_mut().zip(part.arrays) {
                match (&mut array.values, more.values) {
                    (Values::Float(all), Values::Float(more)) => all.extend(more),
                    (Values::Int(all), Values::Int(more)) => all.extend(more),
                    _ => {}
                }
            }
        }
        all.arrays.into_iter().map(|(_, array)| array).collect()
    }
}
