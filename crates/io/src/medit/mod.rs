//! Reader and writer of MEDIT, the text format of INRIA's mesh tools (`.mesh`), and of its values
//! at vertices (`.sol`).
//!
//! References of cells become groups named by their numbers. References of vertices become the
//! array `reference`. A `.sol` file of the same name next to the mesh provides the arrays `sol`,
//! `sol_2`, ...

mod write;

use std::collections::BTreeSet;
use std::path::Path;

use crate::elements::{Builder, ElementType, Shape};
use crate::faces::index_limit;
use crate::text::{Words, show, without_mark};
use crate::{MeshFile, load};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::mesh::{DataArray, Values};

pub(super) use write::{write, write_solution};

/// The first word of all MEDIT files.
pub(super) const MAGIC: &[u8] = b"MeshVersionFormatted";

/// The largest number of section names that a warning lists.
const LISTED: usize = 12;

/// Returns the element type of a section name, or `None` if the section lists no elements. In
/// second-order types, the corners come first.
fn section(word: &[u8]) -> Option<ElementType> {
    let linear = ElementType::linear;
    Some(match word {
        b"Edges" => linear(Shape::Line),
        b"Triangles" => linear(Shape::Triangle),
        b"Quadrilaterals" => linear(Shape::Quad),
        b"Tetrahedra" => linear(Shape::Tetra),
        b"Hexahedra" => linear(Shape::Hexahedron),
        b"Prisms" | b"Pentahedra" => linear(Shape::Prism),
        b"Pyramids" => linear(Shape::Pyramid),
        b"EdgesP2" => ElementType { shape: Shape::Line, nodes: 3 },
        b"TrianglesP2" => ElementType { shape: Shape::Triangle, nodes: 6 },
        b"QuadrilateralsQ2" => ElementType { shape: Shape::Quad, nodes: 9 },
        b"TetrahedraP2" => ElementType { shape: Shape::Tetra, nodes: 10 },
        b"HexahedraQ2" => ElementType { shape: Shape::Hexahedron, nodes: 27 },
        b"PrismsP2" => ElementType { shape: Shape::Prism, nodes: 18 },
        b"PyramidsP2" => ElementType { shape: Shape::Pyramid, nodes: 14 },
        _ => return None,
    })
}

/// Reads a mesh, and the `.sol` file next to it if there is one.
///
/// # Errors
/// Returns a [`Flaw`] that names the line if there are fewer numbers than declared, if a coordinate
/// is not finite, if an index is out of range, or if a section is misplaced.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let mut words = Words::new(bytes);
    let version = format!("{} ascii", version(&mut words)?);
    let mut builder = Builder::default();
    let (mut dimension, mut vertices, mut ended) = (None, None, false);
    let mut ignored = BTreeSet::new();
    while let Some(word) = words.next_word() {
        match (word, dimension, &vertices) {
            (b"Dimension", ..) => dimension = Some(read_dimension(&mut words)?),
            (b"Vertices", Some(dimension), None) => {
                vertices = Some(read_vertices(&mut words, dimension)?);
            }
            (b"Vertices", Some(_), Some(_)) => {
                return Err(words.fail("a second section Vertices", "export the mesh again"));
            }
            (b"Vertices", None, _) => {
                return Err(words.fail("Vertices before Dimension", "export the mesh again"));
            }
            (b"End", ..) => {
                ended = true;
                break;
            }
            (name, _, vertices) => match (section(name), vertices) {
                (Some(kind), Some((vertices, _))) => {
                    elements(&mut words, name, kind, vertices.len(), &mut builder)?;
                }
                (Some(_), None) => {
                    let what = format!("{} before Vertices", show(name));
                    return Err(words.fail(what, "export the mesh again"));
                }
                (None, _) if name[0].is_ascii_alphabetic() => {
                    ignored.insert(String::from_utf8_lossy(name).into_owned());
                    while words.peek().is_some_and(|next| !next[0].is_ascii_alphabetic()) {
                        words.next_word();
                    }
                }
                (None, _) => {
                    return Err(words.expected(
                        "the name of a section",
                        show(name),
                        "a count is wrong: export the mesh again",
                    ));
                }
            },
        }
    }
    let Some((vertices, references)) = vertices else {
        let what = "the file has no section Vertices";
        return Err(Flaw::whole(what, "export the mesh again"));
    };
    let mut file = builder.finish(vertices, "medit", version)?;
    if references.iter().any(|&reference| reference != 0) {
        file.mesh.vertex_data.push(array("reference", 1, Values::Int(references)));
    }
    if !ignored.is_empty() {
        let names: Vec<String> = ignored.into_iter().take(LISTED).collect();
        file.warnings.push(format!("sections ignored: {}", names.join(", ")));
    }
    if !ended {
        file.warnings.push("the file ends without the word End: it may be truncated".to_string());
    }
    if let Some(beside) = load::partner(path, "sol") {
        add_solution(&mut file, &beside);
    }
    Ok(file)
}

/// Adds the values from the file next to the mesh. Flaws of that file only cause warnings, because
/// the mesh is usable without it.
fn add_solution(file: &mut MeshFile, beside: &Path) {
    let found = load::load(beside).and_then(|loaded| read_solution(without_mark(&loaded.bytes)));
    let n = file.mesh.n_vertices();
    match found {
        Err(flaw) => file.warnings.push(format!("no solution: {}", flaw.in_file(beside))),
        Ok(arrays) => {
            for array in arrays {
                let rows = array.rows();
                if rows == n {
                    file.mesh.vertex_data.push(array);
                } else {
                    let (name, place) = (&array.name, beside.display());
                    file.warnings.push(format!(
                        "{name} of {place} is ignored: it has {rows} rows for {n} vertices; put the \
                         solution of this mesh there, or rename the file"
                    ));
                }
            }
        }
    }
}

fn array(name: &str, components: usize, values: Values) -> DataArray {
    DataArray { name: name.to_string(), components, values }
}

fn version(words: &mut Words) -> Result<u32, Flaw> {
    let first = words.next_word().unwrap_or_default();
    if first != MAGIC {
        return Err(words.expected(
            "\"MeshVersionFormatted\"",
            show(first),
            "this is not a MEDIT file",
        ));
    }
    words.number("a version")
}

fn read_dimension(words: &mut Words) -> Result<usize, Flaw> {
    match words.number::<usize>("the dimension")? {
        dimension @ (2 | 3) => Ok(dimension),
        other => Err(words.fail(format!("dimension {other}, expected 2 or 3"), "export it again")),
    }
}

/// Reads the coordinates and references of the vertices.
fn read_vertices(words: &mut Words, dimension: usize) -> Result<(Vec<[f64; 3]>, Vec<i64>), Flaw> {
    let n = words.number("the number of vertices")?;
    index_limit(n, "vertices")?;
    let n = words.promised(n, dimension + 1, "vertices")?;
    let (mut vertices, mut references) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for i in 0..n {
        let mut x = [0.0; 3];
        for (value, axis) in x.iter_mut().zip(["x", "y", "z"]).take(dimension) {
            *value = words.coordinate(format_args!("{axis} of vertex {} of {n}", i + 1))?;
        }
        vertices.push(x);
        references.push(words.number(format_args!("the reference of vertex {}", i + 1))?);
    }
    Ok((vertices, references))
}

fn elements(
    words: &mut Words,
    name: &[u8],
    kind: ElementType,
    n_vertices: usize,
    builder: &mut Builder,
) -> Result<(), Flaw> {
    let name = String::from_utf8_lossy(name);
    let n = words.number(format_args!("the number of {name}"))?;
    index_limit(n, &name)?;
    let n = words.promised(n, kind.nodes + 1, &name)?;
    let mut corners = [0; 8];
    for i in 0..n {
        for k in 0..kind.nodes {
            let number: i64 = words.number(format_args!("a vertex of {name} {} of {n}", i + 1))?;
            let Some(vertex) = number.checked_sub(1).filter(|v| (0..n_vertices as i64).contains(v))
            else {
                let what = format!("{name} {} refers to vertex {number} of {n_vertices}", i + 1);
                return Err(words.fail(what, "MEDIT numbers vertices from 1: fix the element"));
            };
            if let Some(corner) = corners.get_mut(k) {
                *corner = vertex as u32;
            }
        }
        let reference = words.number(format_args!("the reference of {name} {}", i + 1))?;
        builder.push(kind, &[reference], &corners[..kind.shape.corners()]);
    }
    Ok(())
}

/// Reads values at vertices as the arrays `sol`, `sol_2` and so on. Symmetric tensors have 3
/// components in the plane and 6 in space.
///
/// # Errors
/// Returns a [`Flaw`] that names the line if there are fewer numbers than declared, if a type is
/// unknown, or if the file has no values at vertices.
pub(crate) fn read_solution(bytes: &[u8]) -> Result<Vec<DataArray>, Flaw> {
    let mut words = Words::new(bytes);
    version(&mut words)?;
    let mut dimension = None;
    while let Some(word) = words.next_word() {
        match (word, dimension) {
            (b"Dimension", _) => dimension = Some(read_dimension(&mut words)?),
            (b"SolAtVertices", Some(dimension)) => return solution(&mut words, dimension),
            (b"SolAtVertices", None) => {
                return Err(words.fail("SolAtVertices before Dimension", "export it again"));
            }
            (b"End", _) => break,
            _ => {}
        }
    }
    let flaw =
        Flaw::whole("the file has no section SolAtVertices", "choose a file with vertex data");
    Err(flaw.kind_of(FlawKind::Unfit))
}

fn solution(words: &mut Words, dimension: usize) -> Result<Vec<DataArray>, Flaw> {
    let n: u64 = words.number("the number of vertices")?;
    let n_arrays: u64 = words.number("the number of arrays")?;
    if n_arrays == 0 {
        return Err(words.fail("the solution has 0 arrays", "export the solution again"));
    }
    let n_arrays = words.promised(n_arrays, 1, "types of arrays")?;
    let mut sizes = Vec::with_capacity(n_arrays);
    for _ in 0..n_arrays {
        sizes.push(match words.number("the type of an array")? {
            1 => 1,
            2 => dimension,
            3 => dimension * (dimension + 1) / 2,
            other => {
                let what = format!("type {other}, expected 1 (scalar), 2 (vector) or 3 (tensor)");
                return Err(words.fail(what, "export the solution again"));
            }
        });
    }
    let n = words.promised(n, sizes.iter().sum(), "vertices")?;
    let mut columns: Vec<Vec<f64>> =
        sizes.iter().map(|&size| Vec::with_capacity(size * n)).collect();
    for i in 0..n {
        for (column, &size) in columns.iter_mut().zip(&sizes) {
            for _ in 0..size {
                column.push(words.number(format_args!("a number of vertex {} of {n}", i + 1))?);
            }
        }
    }
    let name = |k: usize| if k == 0 { "sol".to_string() } else { format!("sol_{}", k + 1) };
    let named = columns.into_iter().zip(sizes).enumerate();
    Ok(named.map(|(k, (column, size))| array(&name(k), size, Values::Float(column))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::{Kind, Members};

    fn read_text(text: &str) -> Result<MeshFile, Flaw> {
        read(Path::new("x.mesh"), text.as_bytes())
    }

    const POINTS: &str = "MeshVersionFormatted 2\nDimension\n3\nVertices 5\n0 0 0 0\n1 0 0 4\n\
                          1 1 0 0\n0 1 0 0\n0 0 1 0\n";

    #[test]
    fn elements_references_and_sections_that_are_left_out() {
        let text = format!(
            "{POINTS}# a remark\nCorners 2 1 2\nTetrahedra 1 1 2 3 5 7\nPyramids\n1\n1 2 3 4 5 -7\n\
             Triangles 2\n1 2 3 9\n1 3 4 0\nEdges 1 1 2 0\nNormals 1 0 0 1e-3\nEnd"
        );
        for text in [text.clone(), text.replace('\n', "\r\n"), text.replace('\n', "\r")] {
            let file = read_text(&text).unwrap();
            assert_eq!((file.mesh.kind, file.mesh.n_cells()), (Kind::Volume, 3));
            assert_eq!(file.mesh.cells[..4], [0, 1, 2, 4]);
            let groups: Vec<_> = file.mesh.groups.iter().map(|g| g.name.as_str()).collect();
            assert_eq!(groups, ["7", "9", "triangles", "lines"]);
            assert_eq!(file.mesh.groups[0].members, Members::Cells(vec![0, 1, 2]));
            let references = file.mesh.vertex_array("reference").unwrap();
            assert_eq!(references.values, Values::Int(vec![0, 4, 0, 0, 0]));
            let expected =
                ["1 pyramid cell is split into tetrahedra", "sections ignored: Corners, Normals"];
            assert_eq!(file.warnings, expected);
        }
    }

    #[test]
    fn the_plane_and_the_solution_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mesh");
        let text = "MeshVersionFormatted 1 Dimension 2 Vertices 3 0 0 0 1 0 0 0 1 0 \
                    Triangles 1 1 2 3 0 End";
        std::fs::write(&path, text).unwrap();
        let sol = "MeshVersionFormatted 1\nDimension 2\nSolAtVertices 3\n2 1 3\n\
                   1 1 2 3\n-1 4 5 6\n0.5 7 8 9\nEnd\n";
        std::fs::write(folder.path().join("a.sol"), sol).unwrap();
        let file = crate::read_mesh(&path).unwrap();
        assert_eq!((file.mesh.kind, file.mesh.n_cells()), (Kind::Planar, 1));
        assert_eq!(file.mesh.vertex_array("sol").unwrap().values.to_f64(), [1.0, -1.0, 0.5]);
        assert_eq!(file.mesh.vertex_array("sol_2").unwrap().components, 3);
        for (sol, found) in [
            (
                sol.replace("SolAtVertices 3", "SolAtVertices 2"),
                "it has 2 rows for 3 vertices; put the",
            ),
            (sol[..60].to_string(), "no solution: "),
        ] {
            std::fs::write(folder.path().join("a.sol"), sol).unwrap();
            let file = crate::read_mesh(&path).unwrap();
            assert!(file.warnings[0].contains(found), "{:?}", file.warnings);
            assert!(file.mesh.vertex_data.is_empty());
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let huge = "4000000000";
        for (text, found) in [
            ("MeshVersion 2".to_string(), "line 1: \"MeshVersionFormatted\" expected"),
            ("MeshVersionFormatted x".into(), "a version expected, found \"x\""),
            ("MeshVersionFormatted 2\nDimension 4".into(), "line 2: dimension 4, expected 2 or 3"),
            ("MeshVersionFormatted 2\nVertices 1".into(), "Vertices before Dimension"),
            ("MeshVersionFormatted 2\nDimension 3\nTriangles 0".into(), "before Vertices"),
            ("MeshVersionFormatted 2\nDimension 3\nEnd".into(), "the file has no section Vertices"),
            (
                POINTS.replace("Vertices 5", &format!("Vertices {huge}")),
                "4000000000 vertices declared",
            ),
            (
                POINTS.replace("Vertices 5", "Vertices -5"),
                "number of vertices expected, found \"-5\"",
            ),
            (POINTS.replace("Vertices 5", "Vertices 4"), "name of a section expected, found \"0\""),
            (POINTS.replace("Vertices 5", "Vertices 6"), "line 4: 6 vertices declared, but only"),
            (POINTS.replace("1 1 0 0", "1 nan 0 0"), "line 7: y of vertex 3 of 5 is NaN"),
            (format!("{POINTS}Tetrahedra {huge}"), "line 10: 4000000000 Tetrahedra declared"),
            (format!("{POINTS}Tetrahedra 1 1 2 3 6 0"), "Tetrahedra 1 refers to vertex 6 of 5"),
            (format!("{POINTS}Tetrahedra 1 1 2 3 0 0"), "Tetrahedra 1 refers to vertex 0 of 5"),
            (format!("{POINTS}Tetrahedra 1 1 2 3 End"), "expected, found \"End\""),
        ] {
            let error = read_text(&text).unwrap_err().to_string();
            assert!(error.contains(found), "{text:?}: {error}");
        }
        let sol = |text: &str| {
            let text = format!("MeshVersionFormatted 1\nDimension 3\n{text}");
            read_solution(text.as_bytes()).unwrap_err().to_string()
        };
        for (text, found) in [
            ("SolAtVertices 1 1 4 0", "type 4, expected 1 (scalar)"),
            ("SolAtVertices 99 1 1 0", "99 vertices declared"),
            ("SolAtVertices 2 1 1 0.00", "a number of vertex 2 of 2 expected"),
            ("SolAtTriangles 0", "the file has no section SolAtVertices"),
        ] {
            let error = sol(text);
            assert!(error.contains(found), "{text}: {error}");
        }
    }
}
