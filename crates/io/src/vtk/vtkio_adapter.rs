//! Reading through the crate `vtkio`: legacy files before version 5, and inline base64.
//!
//! The crate panics on some input and silently drops arrays of other input. It therefore runs
//! inside [`quietly`], and its result is used only if it covers the whole file. `None` means that
//! our own reader must read the file and report any error.

use vtkio::IOBuffer;
use vtkio::model::{Attribute, DataSet, ElementType, Piece, VertexNumbers, Vtk};

use super::grid::{Grid, to_points};
use super::legacy::{append_polydata, decoded, to_bytes};
use crate::guard::quietly;
use crate::scalar::unsigned;
use zeroset_core::mesh::{DataArray, Values};

/// Reads a legacy file of a version before 5. Returns `None` for a file that `vtkio` does not read
/// correctly.
pub(super) fn legacy(bytes: &[u8]) -> Option<Grid> {
    let is_cell_data = |w: &&[u8]| w[0] | 32 == b'c' && w.eq_ignore_ascii_case(b"CELL_DATA");
    // If there were two sections of cell data, the crate would drop the second.
    let sections = bytes.windows(9).filter(is_cell_data).count();
    if sections > 1 {
        return None;
    }
    let (rest, vtk) = quietly(|| vtkio::parser::parse_be(bytes).ok()).ok()??;
    if !rest.is_empty() {
        return None;
    }
    quietly(|| grid(vtk.data, true)).ok()?
}

/// Reads an XML file with inline base64 arrays. Returns `None` if `vtkio` cannot read it.
pub(super) fn xml(bytes: &[u8]) -> Option<Grid> {
    quietly(|| grid(Vtk::parse_xml(bytes).ok()?.data, false)).ok()?
}

fn grid(data: DataSet, is_legacy: bool) -> Option<Grid> {
    let mut grid = Grid::default();
    let attributes = match data {
        DataSet::UnstructuredGrid { pieces, .. } => {
            let piece = only(pieces)?;
            grid.points = to_points(values(piece.points)?);
            grid.types = piece.cells.types.iter().map(|&t| t as u8).collect();
            (grid.ends, grid.connectivity) = cells(piece.cells.cell_verts)?;
            (grid.ends.len() == grid.types.len()).then_some(piece.data)?
        }
        DataSet::PolyData { pieces, .. } => {
            let piece = only(pieces)?;
            grid.points = to_points(values(piece.points)?);
            let sections = [piece.verts, piece.lines, piece.polys, piece.strips];
            for (slot, section) in sections.into_iter().enumerate() {
                let Some(section) = section else { continue };
                let (ends, connectivity) = cells(section)?;
                append_polydata(&mut grid, slot, &ends, &connectivity);
            }
            piece.data
        }
        _ => return None,
    };
    let mut warnings = Vec::new();
    let mut arrays = |attributes: Vec<Attribute>, n: usize| -> Option<Vec<DataArray>> {
        let each = attributes.into_iter().map(|a| data_arrays(a, n, is_legacy, &mut warnings));
        Some(each.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
    };
    grid.point_data = arrays(attributes.point, grid.points.len())?;
    grid.cell_data = arrays(attributes.cell, grid.types.len())?;
    grid.warnings = warnings;
    Some(grid)
}

fn only<P>(pieces: Vec<Piece<P>>) -> Option<P> {
    let [piece] = <[_; 1]>::try_from(pieces).ok()?;
    match piece {
        Piece::Inline(piece) => Some(*piece),
        _ => None,
    }
}

/// Returns ends and connectivity, or `None` if the counts do not match.
fn cells(numbers: VertexNumbers) -> Option<(Vec<usize>, Vec<i64>)> {
    match numbers {
        VertexNumbers::Legacy { num_cells, vertices } => {
            let (mut ends, mut connectivity) = (Vec::new(), Vec::new());
            let mut rest = vertices.as_slice();
            while let Some((&n, tail)) = rest.split_first() {
                let (points, tail) = tail.split_at_checked(n as usize)?;
                connectivity.extend(points.iter().map(|&p| i64::from(p)));
                ends.push(connectivity.len());
                rest = tail;
            }
            (ends.len() == num_cells as usize).then_some((ends, connectivity))
        }
        VertexNumbers::XML { connectivity, offsets } => {
            let ends: Vec<usize> =
                offsets.iter().map(|&end| usize::try_from(end).ok()).collect::<Option<_>>()?;
            let complete =
                ends.is_sorted() && ends.last().copied().unwrap_or(0) == connectivity.len();
            let points: Option<Vec<i64>> =
                connectivity.iter().map(|&p| i64::try_from(p).ok()).collect();
            Some((ends, points?)).filter(|_| complete)
        }
    }
}

fn data_arrays(
    attribute: Attribute,
    n: usize,
    is_legacy: bool,
    warnings: &mut Vec<String>,
) -> Option<Vec<DataArray>> {
    let name_of = |name: String| if is_legacy { decoded(name.as_bytes()) } else { name };
    match attribute {
        Attribute::DataArray(array) => {
            let components = array.num_comp();
            let color = matches!(array.elem, ElementType::ColorScalars(_));
            if matches!(array.elem, ElementType::LookupTable) {
                return Some(Vec::new());
            }
            let values = values(array.data)?;
            let values = if color { to_bytes(values) } else { values };
            let array = DataArray { name: name_of(array.name), components, values };
            (array.values.len() == n * components && components > 0).then(|| vec![array])
        }
        Attribute::Field { data_array, .. } => {
            let mut arrays = Vec::new();
            for field in data_array {
                let components = field.elem as usize;
                let (name, values) = (name_of(field.name), values(field.data)?);
                if components == 0 {
                    return None;
                }
                let rows = values.len() / components;
                if rows == n {
                    arrays.push(DataArray { name, components, values });
                } else {
                    warnings.push(format!(
                        "array '{name}' is ignored: {rows} rows do not match the points or cells"
                    ));
                }
            }
            Some(arrays)
        }
    }
}

fn values(buffer: IOBuffer) -> Option<Values> {
    fn int<T: Into<i64>>(v: Vec<T>) -> Option<Values> {
        Some(Values::Int(v.into_iter().map(Into::into).collect()))
    }
    match buffer {
        // The crate leaves bits packed in binary files and unpacked in text files. Our own reader
        // handles both.
        IOBuffer::Bit(_) => None,
        IOBuffer::U8(v) => int(v),
        IOBuffer::I8(v) => int(v),
        IOBuffer::U16(v) => int(v),
        IOBuffer::I16(v) => int(v),
        IOBuffer::U32(v) => int(v),
        IOBuffer::I32(v) => int(v),
        IOBuffer::I64(v) => int(v),
        IOBuffer::U64(v) => Some(unsigned(v.into_iter())),
        IOBuffer::F32(v) => Some(Values::Float(v.into_iter().map(f64::from).collect())),
        IOBuffer::F64(v) => Some(Values::Float(v)),
    }
}
