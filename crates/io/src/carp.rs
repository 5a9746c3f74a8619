//! Reader of CARP and openCARP meshes in text form.
//!
//! `.pts` holds the vertices, `.elem` holds the elements, and `.lon` holds the fiber directions.
//! The files are in one folder, and any of them may be given. Lengths are in micrometers.
//!
//! A list of vertices, `.vtx`, is read as data of such a mesh.
//!
//! Tags become groups named by their numbers. Fibers and sheets become the cell arrays `fiber` and
//! `sheet`.

mod vtx;

use std::path::Path;

use super::elements::{Builder, ElementType, Shape};
use super::faces::{check_index, index_limit};
use super::sniff::extension;
use super::text::{Lines, show, without_mark};
use super::{MeshFile, load};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::mesh::{DataArray, Values};

pub(crate) use vtx::read as read_vertex_list;

/// The extensions of CARP files.
pub(super) const EXTENSIONS: [&str; 3] = ["pts", "elem", "lon"];

/// Returns true if a file with this extension belongs to a CARP mesh. A `.pts` file without an
/// `.elem` file next to it does not: it is read as a list of points from another program.
pub(super) fn is_mesh(path: &Path, extension: &str) -> bool {
    extension != "pts" || load::partner(path, "elem").is_some()
}

/// Returns the flaw to report for a mesh without cells if the reason is a missing `.elem` file.
pub(super) fn missing_cells(path: &Path) -> Option<Flaw> {
    let extension = extension(path);
    if !EXTENSIONS.contains(&extension.as_str()) || load::partner(path, "elem").is_some() {
        return None;
    }
    let name = load::partner_name(path, "elem");
    let what = format!("has no triangles or tetrahedra: no file {name} beside it");
    let remedy = format!("if it belongs to a CARP mesh, put {name} beside it");
    Some(Flaw::whole(what, remedy).kind_of(FlawKind::Unfit))
}

/// Reads the files of a mesh. `path` is one of them, `bytes` is its content and `extension` its
/// extension.
///
/// Returns a [`Flaw`] that names the file, and the line where there is one, if the vertices are
/// missing, if there are fewer rows than declared, if a coordinate is not finite, if an index is
/// out of range, or if an element has an unknown type.
pub(crate) fn read(path: &Path, bytes: &[u8], extension: &str) -> Result<MeshFile, Flaw> {
    let file = |other: &str| load::member(path, bytes, extension, other);
    let Some((pts, bytes)) = file("pts")? else {
        let name = load::partner_name(path, "pts");
        let what = format!("its vertices are missing: no {name} beside it");
        return Err(Flaw::whole(what, format!("put {name} there")));
    };
    let vertices = points(without_mark(&bytes)).map_err(|flaw| flaw.of_file(&pts))?;
    let mut builder = Builder::default();
    let mut n_elements = 0;
    if let Some((elem, bytes)) = file("elem")? {
        let elements = Elements::read(without_mark(&bytes), vertices.len());
        let elements = elements.map_err(|flaw| flaw.of_file(&elem))?;
        n_elements = elements.kinds.len();
        elements.add_to(&mut builder, &vertices);
    }
    if let Some((lon, bytes)) = file("lon")?.filter(|_| n_elements > 0) {
        builder.data =
            fibers(without_mark(&bytes), n_elements).map_err(|flaw| flaw.of_file(&lon))?;
    }
    let mut file = builder.finish(vertices, "carp", "ascii".to_string())?;
    file.units = Some("um".to_string());
    Ok(file)
}

/// Reads the number of points, then one row per point.
fn points(bytes: &[u8]) -> Result<Vec<[f64; 3]>, Flaw> {
    let mut lines = Lines::new(bytes).with_comments(b'#');
    let mut head = lines.row(format_args!("the number of points"))?;
    let n = head.number("the number of points")?;
    if !head.rest().trim_ascii().is_empty() {
        let what =
            format!("expected nothing after the number of points, found {}", show(head.rest()));
        let remedy = "a CARP .pts file begins with the number of points; if this is a plain list of \
                      points, rename the file to .xyz";
        return Err(head.fail(what, remedy));
    }
    index_limit(n, "points")?;
    let n = lines.promised(n, 3, "points")?;
    let mut vertices = Vec::with_capacity(n);
    for i in 0..n {
        let mut row = lines.row(format_args!("point {i} of {n}"))?;
        vertices.push([row.coordinate("x")?, row.coordinate("y")?, row.coordinate("z")?]);
    }
    Ok(vertices)
}

/// The elements as stored in the file.
struct Elements {
    kinds: Vec<Shape>,
    /// Vertices of all elements, concatenated.
    corners: Vec<u32>,
    tags: Vec<i64>,
}

impl Elements {
    /// Reads the number of elements, then for each element its type, its vertices and an optional
    /// tag.
    fn read(bytes: &[u8], n_vertices: usize) -> Result<Self, Flaw> {
        let mut lines = Lines::new(bytes).with_comments(b'#');
        let mut head = lines.row(format_args!("the number of elements"))?;
        let n = head.number("the number of elements")?;
        index_limit(n, "elements")?;
        let n = lines.promised(n, 3, "elements")?;
        let mut elements = Elements {
            kinds: Vec::with_capacity(n),
            corners: Vec::with_capacity(4 * n),
            tags: Vec::with_capacity(n),
        };
        for i in 0..n {
            let mut row = lines.row(format_args!("element {i} of {n}"))?;
            let shape = match row.next_word().unwrap_or_default() {
                b"Tt" => Shape::Tetra,
                b"Hx" => Shape::Hexahedron,
                b"Pr" => Shape::Prism,
                b"Py" => Shape::Pyramid,
                b"Tr" => Shape::Triangle,
                b"Qd" => Shape::Quad,
                b"Ln" | b"Cx" => Shape::Line,
                other => {
                    let what = format!("element {i} has the unknown type {}", show(other));
                    let remedy = "supported types are Tt, Hx, Pr, Py, Tr, Qd, Ln and Cx; split other elements";
                    return Err(row.fail(what, remedy));
                }
            };
            for _ in 0..shape.corners() {
                let index = row.number("a vertex")?;
                let index = check_index(index, n_vertices).map_err(|what| {
                    row.fail(format!("element {i} {what}"), "renumber or fix the element")
                })?;
                elements.corners.push(index);
            }
            let tagged = !row.rest().trim_ascii().is_empty();
            elements.tags.push(if tagged { row.number("a tag")? } else { 0 });
            elements.kinds.push(shape);
        }
        Ok(elements)
    }

    fn add_to(self, builder: &mut Builder, vertices: &[[f64; 3]]) {
        let turned = [Shape::Hexahedron, Shape::Prism].map(|shape| self.runs_back(shape, vertices));
        let mut rest = self.corners.as_slice();
        for (&shape, &tag) in self.kinds.iter().zip(&self.tags) {
            let (corners, tail) = rest.split_at(shape.corners());
            rest = tail;
            let mut usual = [0; 8];
            let usual = &mut usual[..corners.len()];
            usual.copy_from_slice(corners);
            match shape {
                Shape::Hexahedron if turned[0] => usual.swap(5, 7),
                Shape::Prism if turned[1] => usual.swap(4, 5),
                _ => {}
            }
            builder.push(ElementType::linear(shape), &[tag], usual);
        }
    }

    /// Returns true if the upper vertices of the elements of this shape run in the opposite
    /// direction to the vertices of the base. Programs disagree on this. The direction that gives
    /// the smaller total length of the edges between base and top is used.
    fn runs_back(&self, shape: Shape, vertices: &[[f64; 3]]) -> bool {
        let (a, b) = if shape == Shape::Hexahedron { ([1, 3], [5, 7]) } else { ([1, 2], [4, 5]) };
        let (mut straight, mut back) = (0.0, 0.0);
        let mut rest = self.corners.as_slice();
        for kind in &self.kinds {
            let (corners, tail) = rest.split_at(kind.corners());
            rest = tail;
            if *kind == shape {
                let length = |i: usize, j: usize| {
                    let (x, y) = (vertices[corners[i] as usize], vertices[corners[j] as usize]);
                    (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt()
                };
                straight += length(a[0], b[0]) + length(a[1], b[1]);
                back += length(a[0], b[1]) + length(a[1], b[0]);
            }
        }
        back < straight
    }
}

/// Reads the number of directions, 1 or 2, then for each element the direction of the fiber and, if
/// there are 2, the direction of the sheet.
fn fibers(bytes: &[u8], n: usize) -> Result<Vec<DataArray>, Flaw> {
    let mut lines = Lines::new(bytes).with_comments(b'#');
    let mut head = lines.row(format_args!("the number of directions"))?;
    let axes: usize = head.number("the number of directions")?;
    if !(1..=2).contains(&axes) || !head.rest().trim_ascii().is_empty() {
        let what = "expected the number of directions, 1 or 2, in the first line";
        return Err(head.fail(what, "this is not a CARP .lon file"));
    }
    lines.promised(n as u64, 3 * axes, "rows of directions")?;
    let mut columns = vec![Vec::with_capacity(3 * n); axes];
    for i in 0..n {
        let mut row = lines.row(format_args!("the directions of element {i} of {n}"))?;
        for column in &mut columns {
            for axis in ["x", "y", "z"] {
                column.push(row.number::<f64>(axis)?);
            }
        }
    }
    if lines.next_row().is_some() {
        let what = format!("the file holds directions for more than the {n} elements of the mesh");
        return Err(lines.fail(what, "use the .lon file that belongs to the mesh"));
    }
    let named = columns.into_iter().zip(["fiber", "sheet"]);
    let array = |(values, name): (Vec<f64>, &str)| DataArray {
        name: name.to_string(),
        components: 3,
        values: Values::Float(values),
    };
    Ok(named.map(array).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::{Kind, statistics::inspect};

    const PTS: &str = "8\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n0 0 1\n2 0 1\n2 2 1\n0 2 1\n";

    fn read_files(files: &[(&str, &str)]) -> Result<MeshFile> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        crate::read_mesh(&folder.path().join(files[0].0))
    }

    #[test]
    fn tags_and_fibers() {
        let mut files = [
            ("heart.elem", "3\nTt 0 1 2 4 7\nTr 0 1 2 3\nTt 1 2 3 6\n"),
            ("heart.lon", "2\n1 0 0 0 1 0\n9 9 9 9 9 9\n0 0 1 1 0 0\n"),
            ("heart.pts", PTS),
        ];
        for _ in 0..3 {
            let file = read_files(&files).unwrap();
            assert_eq!((file.mesh.kind, file.units.as_deref()), (Kind::Volume, Some("um")));
            assert_eq!(file.mesh.cells, [0, 1, 2, 4, 1, 2, 3, 6]);
            let fiber = file.mesh.cell_array("fiber").unwrap();
            assert_eq!(
                fiber.values.to_f64(),
                [1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                "the triangle has none"
            );
            assert_eq!(file.mesh.cell_array("sheet").unwrap().components, 3);
            let groups: Vec<_> = file.mesh.groups.iter().map(|g| g.name.as_str()).collect();
            assert_eq!(groups, ["7", "3"]);
            files.rotate_left(1);
        }
    }

    #[test]
    fn solids_are_cut_whichever_way_their_upper_vertices_run() {
        for elements in ["Hx 0 1 2 3 4 5 6 7 1", "Hx 0 1 2 3 4 7 6 5 1"] {
            let elem = format!("1\n{elements}\n");
            let lon = "1\n0.5 0 0\n";
            let file = read_files(&[("a.elem", &elem), ("a.pts", PTS), ("a.lon", lon)]).unwrap();
            assert_eq!(file.mesh.n_cells(), 6, "{elements}");
            assert_eq!(file.mesh.cell_array("fiber").unwrap().rows(), 6);
            assert_eq!(inspect(&file.mesh).inverted, 0, "{elements}");
        }
        for elements in ["Pr 0 1 2 4 5 6", "Pr 0 1 2 4 6 5"] {
            let elem = format!("1\n{elements}\n");
            let file = read_files(&[("a.elem", &elem), ("a.pts", PTS)]).unwrap();
            assert_eq!((file.mesh.n_cells(), inspect(&file.mesh).inverted), (3, 0), "{elements}");
        }
    }

    #[test]
    fn faults_are_named_with_file_and_line() {
        let elem = |text: &'static str| vec![("a.elem", text), ("a.pts", PTS)];
        let pts = |text: &'static str| vec![("a.pts", text), ("a.elem", "1\nTt 0 1 2 4 7\n")];
        let lon = |text: &'static str| {
            vec![("a.pts", PTS), ("a.elem", "1\nTt 0 1 2 4 7\n"), ("a.lon", text)]
        };
        for (files, found) in [
            (
                vec![("a.elem", "1\nTt 0 1 2 3 1")],
                "a.elem: its vertices are missing: no a.pts beside it",
            ),
            (elem("1\nTt 0 1 2 8 1"), "a.elem: line 2: element 0 refers to vertex 8 of 8"),
            (elem("1\nOc 0 1 2 3 4 5 1"), "element 0 has the unknown type \"Oc\""),
            (elem("2\nTt 0 1 2 3 1"), "file ends where element 1 of 2 was expected"),
            (elem("4000000000\nTt 0 1 2 3 1"), "4000000000 elements declared"),
            (elem("1\nTt 0 1 2"), "line 2: a vertex expected, found the end of the line"),
            (pts("4000000000\n0 0 0"), "4000000000 points declared"),
            (pts("0 0 0\n1 1 1"), "a.pts: line 1: expected nothing after the number of points"),
            (pts("2\n0 0 0\n1 nan 1"), "line 3: y is NaN"),
            (lon("3\n1 0 0"), "a.lon: line 1: expected the number of directions, 1 or 2"),
            (lon("1\n1 0"), "rows of directions declared"),
            (lon("1\n1 0       \n"), "a.lon: line 2: z expected, found the end of the line"),
            (lon("1\n1 0 0\n1 0 0\n"), "directions for more than the 1 elements"),
        ] {
            let error = read_files(&files).unwrap_err().to_string();
            assert!(error.contains(found), "{files:?}: {error}");
        }
    }
}
