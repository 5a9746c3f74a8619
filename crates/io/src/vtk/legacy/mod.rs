//! Reader of legacy files (`# vtk DataFile Version ...`), ASCII and binary, up to version 5.1.
//!
//! The crate `vtkio` reads versions before 5. This reader handles whatever the crate rejects or
//! leaves unread, and files with `OFFSETS` and `CONNECTIVITY`. It supports every version, so that
//! each error names a line or byte.

mod attributes;
mod cursor;
mod image;

use super::grid::{Grid, to_points};
use super::image::NO_MESH;
use super::polyhedra::expand_streams;
use super::source::{Source, shown};
use crate::scalar::Scalar;
use attributes::Owner;
use cursor::Cursor;
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::mesh::{DataArray, Values};

pub(super) use attributes::to_bytes;
pub(super) use cursor::decoded;
pub(super) use image::read_volume;

/// The content of the first three lines of a legacy file.
pub(super) struct Header {
    /// Version as written, such as "4.2".
    pub version: String,
    /// Whether arrays are binary.
    pub binary: bool,
    /// Byte offset of the end of the header.
    end: usize,
}

impl Header {
    /// Returns version and encoding, such as "4.2 binary".
    pub fn version_and_encoding(&self) -> String {
        format!("{} {}", self.version, if self.binary { "binary" } else { "ascii" })
    }

    /// Returns the major version, or 0 if it is not a number.
    pub fn major(&self) -> u32 {
        self.version.split('.').next().and_then(|v| v.parse().ok()).unwrap_or(0)
    }
}

/// Reads the magic line, the title line and the word that states the encoding.
pub(super) fn header(source: &Source) -> Result<Header, Flaw> {
    let mut cursor = Cursor::new(*source, 0, false);
    let magic = cursor.line();
    let version = magic.split(u8::is_ascii_whitespace).rfind(|word| !word.is_empty());
    let version = String::from_utf8_lossy(version.unwrap_or_default()).into_owned();
    cursor.line();
    let word = cursor.expect_word("ASCII or BINARY")?;
    let binary = match word.to_ascii_uppercase().as_slice() {
        b"BINARY" => true,
        b"ASCII" => false,
        _ => {
            return Err(cursor.fail(
                format!("found {}, expected ASCII or BINARY", shown(word)),
                "a legacy VTK file states its encoding after the title line; write it again",
            ));
        }
    };
    Ok(Header { version, binary, end: cursor.position() })
}

/// The connectivity of one kind of cells.
#[derive(Default)]
struct Cells {
    ends: Vec<usize>,
    connectivity: Vec<i64>,
}

/// The sections of a file.
#[derive(Default)]
struct Sections {
    dataset: String,
    points: Option<Values>,
    /// The cells: `CELLS`, or the vertices, lines, polygons and strips of polygonal data.
    cells: [Option<Cells>; 4],
    types: Option<Vec<u8>>,
    /// The numbers of rows that `POINT_DATA` and `CELL_DATA` declare.
    point_rows: Option<usize>,
    cell_rows: Option<usize>,
    grid: Grid,
}

const POLYDATA: [&str; 4] = ["VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS"];

/// Reads a legacy file without the crate `vtkio`. If its binary numbers are valid only in the byte
/// order that the format does not allow, they are read in that order, with a warning.
///
/// # Errors
/// Returns a [`Flaw`] that names the line or byte.
pub(super) fn read(source: &Source, header: &Header) -> Result<Grid, Flaw> {
    let cursor = || Cursor::new(*source, header.end, header.binary);
    read_from(cursor()).or_else(|error| match read_from(cursor().little_endian()) {
        Ok(mut grid) if header.binary => {
            grid.warnings.push(
                "the binary numbers are little-endian and read as such, but the format requires \
                 big-endian numbers"
                    .to_string(),
            );
            Ok(grid)
        }
        _ => Err(error),
    })
}

fn read_from(cursor: Cursor<'_>) -> Result<Grid, Flaw> {
    let (sections, cursor) = sections(cursor)?;
    let grid = sections.finish(&cursor)?;
    grid.check(cursor.source())?;
    Ok(grid)
}

fn sections(mut cursor: Cursor<'_>) -> Result<(Sections, Cursor<'_>), Flaw> {
    let mut sections = Sections::default();
    let mut owner = Owner::DataSet;
    while let Some(word) = cursor.word() {
        let keyword = String::from_utf8_lossy(word).to_ascii_uppercase();
        match keyword.as_str() {
            "DATASET" => sections.dataset = dataset(&mut cursor)?,
            "POINTS" => {
                let n = cursor.count("the number of points")?;
                let scalar = cursor.scalar("POINTS")?;
                cursor.line();
                sections.points = Some(cursor.values(scalar, n, 3, "POINTS")?);
            }
            "CELLS" => sections.cells[0] = Some(cells(&mut cursor, "CELLS")?),
            "VERTICES" | "LINES" | "POLYGONS" | "TRIANGLE_STRIPS" => {
                let slot = POLYDATA.iter().position(|&name| name == keyword).unwrap_or(0);
                sections.cells[slot] = Some(cells(&mut cursor, POLYDATA[slot])?);
            }
            "CELL_TYPES" => sections.types = Some(types(&mut cursor)?),
            "POINT_DATA" => {
                let n = cursor.count("the number of points")?;
                (owner, sections.point_rows) = (Owner::Points(n), Some(n));
            }
            "CELL_DATA" => {
                let n = cursor.count("the number of cells")?;
                (owner, sections.cell_rows) = (Owner::Cells(n), Some(n));
            }
            "METADATA" => attributes::skip_metadata(&mut cursor),
            other => {
                attributes::read(&mut cursor, other, owner, &mut sections.grid)?;
            }
        }
    }
    Ok((sections, cursor))
}

/// The name of the data set type for images.
const IMAGE: &str = "STRUCTURED_POINTS";

fn dataset(cursor: &mut Cursor) -> Result<String, Flaw> {
    let name = cursor.name("the kind of data set")?.to_ascii_uppercase();
    match name.as_str() {
        "UNSTRUCTURED_GRID" | "POLYDATA" => Ok(name),
        IMAGE => {
            let flaw = cursor.fail(format!("{IMAGE}: an image, not a mesh"), NO_MESH);
            Err(flaw.kind_of(FlawKind::Unfit))
        }
        _ => Err(cursor.fail(
            format!("DATASET {} is not a mesh", shown(name.as_bytes())),
            "use UNSTRUCTURED_GRID or POLYDATA; convert structured grids to a triangle or \
             tetrahedral mesh first",
        )),
    }
}

/// Reads `n size`, then a list `k i1 ... ik` per cell or, since version 5.1, two arrays.
fn cells(cursor: &mut Cursor, what: &str) -> Result<Cells, Flaw> {
    let n = cursor.count(&format!("the number of {what}"))?;
    let size = cursor.count(&format!("the size of {what}"))?;
    cursor.line();
    if cursor.passes("OFFSETS") {
        return offsets_and_connectivity(cursor, what, n, size);
    }
    let list = integers(cursor.values(Scalar::I32, size, 1, what)?);
    let mut cells = Cells::default();
    let mut rest = list.as_slice();
    for cell in 0..n {
        let taken = rest.split_first().and_then(|(&k, tail)| {
            let k = usize::try_from(k).ok()?;
            tail.split_at_checked(k)
        });
        let Some((points, tail)) = taken else {
            return Err(cursor.fail(
                match rest.first() {
                    Some(k) => format!(
                        "{what}: cell {cell} of {n} has {k} points, but only {} of {size} numbers are left",
                        rest.len() - 1
                    ),
                    None => format!("{what}: the {size} numbers end before cell {cell} of {n}"),
                },
                "the counts do not match the list; write the file again",
            ));
        };
        cells.connectivity.extend_from_slice(points);
        cells.ends.push(cells.connectivity.len());
        rest = tail;
    }
    match rest.len() {
        0 => Ok(cells),
        left => Err(cursor.fail(
            format!("{what}: {left} numbers of {size} are left after the last of {n} cells"),
            "the counts do not match the list; write the file again",
        )),
    }
}

/// Reads the cells of version 5.1: `n` offsets, the first of which is 0, and `size` point indices.
fn offsets_and_connectivity(
    cursor: &mut Cursor,
    what: &str,
    n: usize,
    size: usize,
) -> Result<Cells, Flaw> {
    let scalar = cursor.scalar("OFFSETS")?;
    cursor.line();
    let offsets = cursor.values(scalar, n, 1, "OFFSETS")?;
    let word = cursor.expect_word("CONNECTIVITY")?;
    if !word.eq_ignore_ascii_case(b"CONNECTIVITY") {
        let what = format!("found {}, expected CONNECTIVITY", shown(word));
        return Err(cursor.fail(what, "the number of OFFSETS is wrong; write the file again"));
    }
    let scalar = cursor.scalar("CONNECTIVITY")?;
    cursor.line();
    let connectivity = cursor.values(scalar, size, 1, "CONNECTIVITY")?;
    let (Values::Int(offsets), Values::Int(connectivity)) = (offsets, connectivity) else {
        return Err(cursor.fail(
            format!("{what}: offsets and connectivity are not whole numbers"),
            "use vtktypeint64; write the file again",
        ));
    };
    let ends: Option<Vec<usize>> =
        offsets.iter().skip(1).map(|&end| usize::try_from(end).ok()).collect();
    let good = offsets.first().is_none_or(|&first| first == 0)
        && offsets.is_sorted()
        && offsets.last().is_none_or(|&last| last as u64 == size as u64);
    match ends.filter(|_| good) {
        Some(ends) => Ok(Cells { ends, connectivity }),
        None => Err(cursor.fail(
            format!("{what}: offsets do not increase from 0 to {size}"),
            "the file is damaged; write it again",
        )),
    }
}

/// Returns the numbers as integers. Fractional parts are cut off.
fn integers(values: Values) -> Vec<i64> {
    match values {
        Values::Int(values) => values,
        Values::Float(values) => values.iter().map(|&x| x as i64).collect(),
    }
}

fn types(cursor: &mut Cursor) -> Result<Vec<u8>, Flaw> {
    let n = cursor.count("the number of cell types")?;
    cursor.line();
    let types = integers(cursor.values(Scalar::I32, n, 1, "CELL_TYPES")?);
    let types: Vec<Option<u8>> = types.iter().map(|&t| u8::try_from(t).ok()).collect();
    match types.iter().position(Option::is_none) {
        None => Ok(types.into_iter().flatten().collect()),
        Some(cell) => Err(cursor.fail(
            format!("the type of cell {cell} is not a number from 0 to 255"),
            "the file is damaged; write it again",
        )),
    }
}

impl Sections {
    /// Combines the sections and checks their counts against each other.
    fn finish(self, cursor: &Cursor) -> Result<Grid, Flaw> {
        let damaged = "the file is truncated or damaged; write it again";
        let Some(points) = self.points else {
            return Err(cursor.fail("the file ends without POINTS", damaged));
        };
        let mut grid = self.grid;
        grid.points = to_points(points);
        if self.dataset == "POLYDATA" {
            for (slot, cells) in self.cells.into_iter().enumerate() {
                let cells = cells.unwrap_or_default();
                append_polydata(&mut grid, slot, &cells.ends, &cells.connectivity);
            }
        } else {
            let [cells, ..] = self.cells;
            let Cells { ends, connectivity } = cells.unwrap_or_default();
            let types = self.types.unwrap_or_default();
            if types.len() != ends.len() {
                let what = format!("{} cells, but {} CELL_TYPES", ends.len(), types.len());
                return Err(cursor.fail(what, damaged));
            }
            (grid.types, grid.ends, grid.connectivity) = (types, ends, connectivity);
            expand_streams(&mut grid).map_err(|(cell, what)| {
                let what = format!("cell {cell}, a polyhedron: {what}");
                cursor.fail(what, "the file is damaged; write it again")
            })?;
        }
        for (rows, arrays, n, of) in [
            (self.point_rows, &grid.point_data, grid.points.len(), "POINT_DATA"),
            (self.cell_rows, &grid.cell_data, grid.types.len(), "CELL_DATA"),
        ] {
            let rows = rows.into_iter().chain(arrays.iter().map(DataArray::rows));
            if let Some(rows) = rows.into_iter().find(|&rows| rows != n) {
                return Err(cursor.fail(format!("{of} has {rows} rows, expected {n}"), damaged));
            }
        }
        Ok(grid)
    }
}

/// Appends vertices (slot 0), lines, polygons or strips (slot 3) of polygonal data, with the cell
/// types that VTK would assign to them.
pub(super) fn append_polydata(grid: &mut Grid, slot: usize, ends: &[usize], connectivity: &[i64]) {
    let (first, mut start) = (grid.connectivity.len(), 0);
    for &end in ends {
        let n = end.saturating_sub(start);
        start = end;
        grid.types.push(match (slot, n) {
            (0, 1) => 1,
            (0, _) => 2,
            (1, 2) => 3,
            (1, _) => 4,
            (2, 3) => 5,
            (2, 4) => 9,
            (2, _) => 7,
            _ => 6,
        });
        grid.ends.push(first + end);
    }
    grid.connectivity.extend_from_slice(connectivity);
}
