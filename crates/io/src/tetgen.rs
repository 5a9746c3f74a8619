//! Reader of the text files of TetGen and Triangle.
//!
//! `.node` holds the vertices. The `.ele`, `.face` and `.edge` files next to it refer to these
//! vertices. Any of these files may be given, and the others are found by their names.
//!
//! Vertices are numbered starting at 0 or 1, as stated by the number of the first vertex. Regions
//! of triangles or tetrahedra, and markers of faces and edges, become groups named by their
//! numbers. The regions are the first attribute in the `.ele` file if all its values are whole
//! numbers. The other attributes there and the attributes of vertices become the arrays
//! `attribute`, `attribute_2`, ..., and markers of vertices become the array `marker`.

use std::path::Path;

use super::elements::{Builder, ElementType, Shape};
use super::faces::index_limit;
use super::sniff::extension;
use super::text::{Lines, Row, without_mark, words};
use super::{MeshFile, load};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::mesh::{DataArray, Values};

/// The extensions of TetGen and Triangle files.
pub(super) const EXTENSIONS: [&str; 4] = ["node", "ele", "face", "edge"];

/// Reads the files of a mesh. `path` is one of them, `bytes` is its content and `extension` its
/// extension.
///
/// # Errors
/// Returns a [`Flaw`] that names the file and the line if there are fewer rows than declared, if a
/// coordinate is not finite, if an index is out of range, or if vertices are not numbered
/// consecutively. Also returns one if the mesh has no `.node` file.
pub(crate) fn read(path: &Path, bytes: &[u8], extension: &str) -> Result<MeshFile, Flaw> {
    let file = |other: &str| load::member(path, bytes, extension, other);
    let Some((node, bytes)) = file("node")? else {
        let name = load::partner_name(path, "node");
        let what = format!("its vertices are missing: no {name} beside it");
        return Err(Flaw::whole(what, format!("put {name} there")));
    };
    let nodes = Nodes::read(without_mark(&bytes)).map_err(|flaw| flaw.of_file(&node))?;
    let mut builder = Builder::default();
    let cells = file("ele")?;
    let mut is_linear = true;
    if let Some((ele, bytes)) = &cells {
        let cells = nodes.cells(without_mark(bytes), &mut builder);
        is_linear = cells.map_err(|flaw| flaw.of_file(ele))?;
    }
    for (extension, corners) in [("face", 3), ("edge", 2)] {
        let additional = match (is_linear, corners) {
            (true, _) => 0,
            (false, 3) => 3,
            (false, _) => 1,
        };
        if let Some((other, bytes)) = file(extension)? {
            nodes
                .boundary(without_mark(&bytes), [corners, additional], &mut builder)
                .map_err(|flaw| flaw.of_file(&other))?;
        }
    }
    let mut file = builder.finish(nodes.vertices, "tetgen", "ascii".to_string())?;
    file.mesh.vertex_data = nodes.data;
    if cells.is_none() {
        file.warnings.push(format!("its cells are missing: {}", no_cells(path)));
    }
    Ok(file)
}

/// Returns a message that names the file in which the cells of a mesh are expected.
fn no_cells(path: &Path) -> String {
    format!("no file {} beside it", load::partner_name(path, "ele"))
}

/// Returns the flaw to report for a mesh without cells if the reason is a missing `.ele` file, or
/// `None` if the file has no TetGen extension or its `.ele` file exists.
pub(super) fn missing_cells(path: &Path) -> Option<Flaw> {
    if !EXTENSIONS.contains(&extension(path).as_str()) || load::partner(path, "ele").is_some() {
        return None;
    }
    let remedy = format!("put {} beside it", load::partner_name(path, "ele"));
    let what = format!("its triangles or tetrahedra are missing: {}", no_cells(path));
    Some(Flaw::whole(what, remedy).kind_of(FlawKind::Unfit))
}

/// The content of a `.node` file: the vertices and their arrays.
struct Nodes {
    vertices: Vec<[f64; 3]>,
    data: Vec<DataArray>,
    /// The number of the first vertex: 0 or 1.
    first: i64,
}

impl Nodes {
    /// Reads a `.node` file.
    ///
    /// Header: number of points, dimension, number of attributes, markers (0 or 1). Rows: number,
    /// coordinates, attributes, marker.
    fn read(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut lines = Lines::new(bytes).with_comments(b'#');
        let mut head = lines.row(format_args!("the number of vertices"))?;
        let n: u64 = head.number("the number of vertices")?;
        let dimension: usize = head.number("the dimension")?;
        let attributes: usize = optional(&mut head, "the number of attributes")?.unwrap_or(0);
        let markers: usize = optional(&mut head, "the number of markers")?.unwrap_or(0);
        if !(2..=3).contains(&dimension) || markers > 1 {
            let what = format!(
                "expected dimension 2 or 3 and 0 or 1 markers, found {dimension} and {markers}"
            );
            return Err(head.fail(what, "this is not a .node file of TetGen or Triangle"));
        }
        index_limit(n, "vertices")?;
        let width = attributes.saturating_add(1 + dimension + markers);
        let n = lines.promised(n, width, "vertices")?;
        let mut vertices = Vec::with_capacity(n);
        let mut columns = vec![Vec::with_capacity(n); if n == 0 { 0 } else { attributes }];
        let mut marks = Vec::with_capacity(if markers == 1 { n } else { 0 });
        let mut first = 0;
        for i in 0..n {
            let mut row = lines.row(format_args!("vertex {i} of {n}"))?;
            let number: i64 = row.number("number of a vertex")?;
            if i == 0 {
                first = number;
            }
            if !(0..=1).contains(&first) || number != first + i as i64 {
                let expected =
                    if i == 0 { "0 or 1".to_string() } else { (first + i as i64).to_string() };
                let what = format!("expected vertex {expected}, found {number}");
                return Err(row.fail(what, "number the vertices consecutively from 0 or 1"));
            }
            let mut x = [0.0; 3];
            for (value, axis) in x.iter_mut().zip(["x", "y", "z"]).take(dimension) {
                *value = row.coordinate(axis)?;
            }
            vertices.push(x);
            for column in &mut columns {
                column.push(row.number("an attribute")?);
            }
            if markers == 1 {
                marks.push(row.number("a marker")?);
            }
        }
        let mut data: Vec<DataArray> = columns
            .into_iter()
            .enumerate()
            .map(|(k, column)| array(numbered("attribute", k), Values::Float(column)))
            .collect();
        if marks.iter().any(|&mark| mark != 0) {
            data.push(array("marker".to_string(), Values::Int(marks)));
        }
        Ok(Nodes { vertices, data, first })
    }

    /// Reads an `.ele` file. Returns true if its elements have no nodes other than their corners.
    ///
    /// Header: number of elements, nodes per element, number of attributes. Rows: number, nodes,
    /// attributes.
    fn cells(&self, bytes: &[u8], builder: &mut Builder) -> Result<bool, Flaw> {
        let mut lines = Lines::new(bytes).with_comments(b'#');
        let mut head = lines.row(format_args!("the number of elements"))?;
        let n: u64 = head.number("the number of elements")?;
        let nodes: usize = head.number("the number of nodes of an element")?;
        let attributes: usize = optional(&mut head, "the number of attributes")?.unwrap_or(0);
        let shape = match nodes {
            3 | 6 => Shape::Triangle,
            4 | 10 => Shape::Tetra,
            _ => {
                let what = format!(
                    "expected elements with 4 or 10 nodes (3 or 6 in a plane), found {nodes}"
                );
                return Err(head.fail(what, "this is not an .ele file of TetGen or Triangle"));
            }
        };
        let kind = ElementType { shape, nodes };
        index_limit(n, "elements")?;
        let n = lines.promised(n, attributes.saturating_add(1 + nodes), "elements")?;
        let mut columns = vec![Vec::with_capacity(n); if n == 0 { 0 } else { attributes }];
        // Elements are kept until it is known whether the first attribute holds region numbers.
        let mut corners = Vec::with_capacity(n * shape.corners());
        for i in 0..n {
            let mut row = lines.row(format_args!("element {i} of {n}"))?;
            let number: i64 = row.number("number of an element")?;
            for k in 0..nodes {
                let vertex = self.vertex(&mut row, "element", number)?;
                if k < shape.corners() {
                    corners.push(vertex);
                }
            }
            for column in &mut columns {
                column.push(row.number::<f64>("an attribute")?);
            }
        }
        let is_region = |x: &f64| x.fract() == 0.0 && x.abs() < 1e15;
        let regions = match columns.first() {
            Some(first) if first.iter().all(is_region) => columns.remove(0),
            _ => Vec::new(),
        };
        for (i, corners) in corners.chunks_exact(shape.corners()).enumerate() {
            builder.push(kind, &[regions.get(i).map_or(0, |&x| x as i64)], corners);
        }
        builder.data = columns
            .into_iter()
            .enumerate()
            .map(|(k, column)| array(numbered("attribute", k), Values::Float(column)))
            .collect();
        Ok(nodes == shape.corners())
    }

    /// Reads a `.face` or `.edge` file.
    ///
    /// Header: number of faces or edges, markers (0 or 1). Rows: number, corners, additional nodes
    /// (second order only), marker, neighbors.
    fn boundary(
        &self,
        bytes: &[u8],
        [corners, additional]: [usize; 2],
        builder: &mut Builder,
    ) -> Result<(), Flaw> {
        let (kind, what) = match corners {
            3 => (ElementType::linear(Shape::Triangle), "face"),
            _ => (ElementType::linear(Shape::Line), "edge"),
        };
        let mut lines = Lines::new(bytes).with_comments(b'#');
        let mut head = lines.row(format_args!("the number of {what}s"))?;
        let n: u64 = head.number(&format!("the number of {what}s"))?;
        let markers: usize = optional(&mut head, "the number of markers")?.unwrap_or(0);
        index_limit(n, &format!("{what}s"))?;
        let n = lines.promised(n, 1 + corners, &format!("{what}s"))?;
        for i in 0..n {
            let mut row = lines.row(format_args!("{what} {i} of {n}"))?;
            let number: i64 = row.number(&format!("number of a {what}"))?;
            let mut face = [0; 3];
            for corner in face.iter_mut().take(corners) {
                *corner = self.vertex(&mut row, what, number)?;
            }
            // Some programs omit the additional nodes.
            if additional > 0 && words(row.rest()).count() >= additional + markers {
                for _ in 0..additional {
                    self.vertex(&mut row, what, number)?;
                }
            }
            let group = if markers == 0 { 0 } else { row.number("a marker")? };
            builder.push(kind, &[group], &face[..corners]);
        }
        Ok(())
    }

    /// Reads the next word of a row as a vertex number, and returns the index of the vertex.
    fn vertex(&self, row: &mut Row, what: &str, number: i64) -> Result<u32, Flaw> {
        let word: i64 = row.number("a vertex")?;
        let index = word.checked_sub(self.first).and_then(|index| u32::try_from(index).ok());
        index.filter(|&index| (index as usize) < self.vertices.len()).ok_or_else(|| {
            let (n, first) = (self.vertices.len(), self.first);
            let what = format!(
                "{what} {number} refers to vertex {word} of {n}, which are numbered from {first}"
            );
            row.fail(what, "renumber or fix it, or use the .node file that belongs to it")
        })
    }
}

/// Reads the next number of a header, which may be absent.
fn optional(row: &mut Row, what: &str) -> Result<Option<usize>, Flaw> {
    if row.rest().trim_ascii().is_empty() { Ok(None) } else { row.number(what).map(Some) }
}

fn array(name: String, values: Values) -> DataArray {
    DataArray { name, components: 1, values }
}

/// Returns "name", "name_2", "name_3", ... for k = 0, 1, 2, ...
fn numbered(name: &str, k: usize) -> String {
    if k == 0 { name.to_string() } else { format!("{name}_{}", k + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::{Kind, Members};

    const NODE: &str = "# made by hand\n4 3 1 1\n1 0 0 0 0.5 0\n2 1 0 0 1.5 1\n3 0 1 0 2.5 1\n\
                        4 0 0 1 3.5 2 # the last\n";

    /// Writes all files and reads the first of them.
    fn read_files(files: &[(&str, &str)]) -> Result<MeshFile> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        crate::read_mesh(&folder.path().join(files[0].0))
    }

    #[test]
    fn all_files_of_a_mesh_by_any_of_their_names() {
        let mut files = [
            ("a.1.node", NODE),
            ("a.1.ele", "1 4 2\n1 1 2 3 4 -7 0.25\n"),
            ("a.1.face", "2 1\n1 1 2 3 5\n2 1 2 4 0\n"),
            ("a.1.edge", "1 0\r\n1 3 4\r\n"),
        ];
        for _ in 0..files.len() {
            let file = read_files(&files).unwrap();
            let mesh = &file.mesh;
            assert_eq!((mesh.kind, mesh.cells.as_slice()), (Kind::Volume, &[0, 1, 2, 3][..]));
            assert_eq!(mesh.cell_array("attribute").unwrap().values.to_f64(), [0.25]);
            assert_eq!(
                mesh.vertex_array("attribute").unwrap().values.to_f64(),
                [0.5, 1.5, 2.5, 3.5]
            );
            assert_eq!(mesh.vertex_array("marker").unwrap().values, Values::Int(vec![0, 1, 1, 2]));
            let groups: Vec<_> = mesh.groups.iter().map(|g| g.name.as_str()).collect();
            assert_eq!(groups, ["7", "5", "triangles", "lines"]);
            let edge = Members::Simplices { dimension: 1, vertices: vec![2, 3] };
            assert_eq!(mesh.groups[3].members, edge);
            assert_eq!(file.format, "tetgen");
            files.rotate_left(1);
        }
    }

    #[test]
    fn from_zero_in_a_plane_and_of_second_order() {
        let node = "3 2\n0 0 0\n1 1 0\n2 0 1\n";
        let file = read_files(&[("a.node", node), ("a.ele", "1 3 0\n0 0 1 2\n")]).unwrap();
        assert_eq!((file.mesh.kind, file.mesh.cells.as_slice()), (Kind::Planar, &[0, 1, 2][..]));
        let node: String = (0..10).map(|i| format!("{i} {} {i} 0\n", i * i)).collect();
        let (node, ele) = (format!("10 3 0 0\n{node}"), "1 10 0\n0 9 8 7 6 5 4 3 2 1 0\n");
        let file = read_files(&[("a.ele", ele), ("a.node", &node)]).unwrap();
        assert_eq!(file.mesh.cells, [9, 8, 7, 6]);
        // The markers of faces and edges follow their additional nodes, if there are any.
        for (face, edge) in [("0 9 8 7 3 4 5 21", "0 9 8 1 22"), ("0 9 8 7 21", "0 9 8 22")] {
            let (face, edge) = (format!("1 1\n{face}\n"), format!("1 1\n{edge}\n"));
            let files = [("a.ele", ele), ("a.node", &node), ("a.face", &face), ("a.edge", &edge)];
            let groups = read_files(&files).unwrap().mesh.groups;
            let names: Vec<_> = groups.iter().map(|group| group.name.as_str()).collect();
            assert_eq!(names, ["21", "22"]);
        }
        let file = read_files(&[("a.node", node.as_str())]).unwrap();
        assert_eq!((file.mesh.n_vertices(), file.mesh.n_cells()), (10, 0), "points alone");
        assert_eq!(file.warnings, ["its cells are missing: no file a.ele beside it"]);
    }

    #[test]
    fn faults_are_named_with_file_and_line() {
        let ele = |text: &'static str| vec![("a.node", NODE), ("a.ele", text)];
        let node = |text: &'static str| vec![("a.node", text)];
        for (files, found) in [
            (
                vec![("a.ele", "1 4 0\n1 1 2 3 4")],
                "a.ele: its vertices are missing: no a.node beside it",
            ),
            (
                ele("1 4 0\n1 1 2 3 5"),
                "a.ele: line 2: element 1 refers to vertex 5 of 4, which are numbered from 1",
            ),
            (ele("1 4 0\n1 0 2 3 4"), "element 1 refers to vertex 0 of 4"),
            (ele("1 4 0\n1 1 2 3      \n"), "line 2: a vertex expected, found the end of the line"),
            (ele("4000000000 4 0\n1 1 2 3 4"), "4000000000 elements declared"),
            (ele("1 4 18446744073709551615\n1 1 2 3 4"), "elements declared"),
            (ele("1 5 0\n1 1 2 3 4 1"), "line 1: expected elements with 4 or 10 nodes"),
            (ele("2 4 0\n1 1 2 3 4            \n"), "file ends where element 1 of 2 was expected"),
            (node("4000000000 3 0 0\n1 0 0 0"), "line 1: 4000000000 vertices declared"),
            (
                node("1 4 0 0\n1 0 0 0 0"),
                "expected dimension 2 or 3 and 0 or 1 markers, found 4 and 0",
            ),
            (node("-1 3 0 0\n1 0 0 0 0"), "number of vertices expected, found \"-1\""),
            (node("2 3 0 0\n1 0 0 0\n3 0 0 0"), "line 3: expected vertex 2, found 3"),
            (node("1 3 0 0\n2 0 0 0"), "expected vertex 0 or 1, found 2"),
            (node("1 3 0 0\n1 0 inf 0"), "line 2: y is inf"),
            (node("1 3 1 1\n1 0 0 0 3   "), "a marker expected, found the end"),
            (
                vec![("a.node", NODE), ("a.face", "1 1\n1 1 2 3")],
                "a.face: line 2: a marker expected",
            ),
            (
                vec![("a.node", NODE), ("a.edge", "1\n1 1 9")],
                "a.edge: line 2: edge 1 refers to vertex 9",
            ),
            (node("0 3 0 0\n"), "holds no vertices"),
        ] {
            let error = read_files(&files).unwrap_err().to_string();
            assert!(error.contains(found), "{files:?}: {error}");
        }
    }
}
