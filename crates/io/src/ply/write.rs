//! Writer of PLY: 64-bit coordinates, and arrays as additional properties of vertices and faces.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use crate::{atomic, groups};
use zeroset_core::error::Result;
use zeroset_core::mesh::{DataArray, Mesh, Values};

/// The property names that already have a meaning in vertices and in faces.
const TAKEN: [[&str; 3]; 2] = [["x", "y", "z"], ["vertex_indices", "vertex_index", ""]];

/// Writes a mesh as text or little-endian binary. An array with several components becomes one
/// property per component (`NAME_0`, ...). Groups become properties `group:NAME` with the values 0
/// and 1. Adds notes to `lost` about content that the format cannot hold.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub(crate) fn write(path: &Path, mesh: &Mesh, ascii: bool, lost: &mut Vec<String>) -> Result<()> {
    let masks: Vec<(bool, DataArray)> = groups::to_masks(mesh, lost)
        .into_iter()
        .map(|mask| {
            let values = Values::Int(mask.values.into_iter().map(i64::from).collect());
            (mask.of_cells, DataArray { name: mask.name, components: 1, values })
        })
        .collect();
    let of = |cells| masks.iter().filter(move |(of_cells, _)| *of_cells == cells).map(|(_, a)| a);
    let vertex = columns(mesh.vertex_data.iter().chain(of(false)), TAKEN[0], lost);
    let face = columns(mesh.cell_data.iter().chain(of(true)), TAKEN[1], lost);
    atomic::write(path, |out| {
        let format = if ascii { "ascii" } else { "binary_little_endian" };
        writeln!(out, "ply\nformat {format} 1.0\ncomment written by zeroset")?;
        writeln!(out, "element vertex {}", mesh.n_vertices())?;
        out.write_all(b"property double x\nproperty double y\nproperty double z\n")?;
        properties(out, &vertex)?;
        writeln!(out, "element face {}", mesh.n_cells())?;
        out.write_all(b"property list uchar uint vertex_indices\n")?;
        properties(out, &face)?;
        out.write_all(b"end_header\n")?;
        for (i, x) in mesh.vertices.iter().enumerate() {
            if ascii {
                write!(out, "{} {} {}", x[0], x[1], x[2])?;
            } else {
                x.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
            }
            row(out, &vertex, i, ascii)?;
        }
        for (i, cell) in mesh.iter_cells().enumerate() {
            if ascii {
                write!(out, "3 {} {} {}", cell[0], cell[1], cell[2])?;
            } else {
                out.write_all(&[3])?;
                cell.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
            }
            row(out, &face, i, ascii)?;
        }
        Ok(())
    })
}

/// A property to write: one component of an array.
struct Column<'a> {
    name: String,
    array: &'a DataArray,
    component: usize,
    kind: Kind,
}

/// The number types that are written.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    U8,
    I32,
    F64,
}

/// The largest magnitude up to which a double holds all whole numbers exactly.
const EXACT: i64 = 1 << 53;

fn columns<'a>(
    arrays: impl Iterator<Item = &'a DataArray>,
    taken: [&str; 3],
    lost: &mut Vec<String>,
) -> Vec<Column<'a>> {
    let mut names: BTreeSet<String> = taken.map(String::from).into();
    let mut columns = Vec::new();
    for array in arrays {
        let kind = match &array.values {
            Values::Float(_) => Kind::F64,
            Values::Int(v) => match (v.iter().min(), v.iter().max()) {
                (Some(0..), Some(..=255)) => Kind::U8,
                (Some(-0x8000_0000..), Some(..=0x7fff_ffff)) => Kind::I32,
                _ => {
                    if v.iter().any(|x| x.unsigned_abs() > EXACT.unsigned_abs()) {
                        let name = &array.name;
                        lost.push(format!(
                            "{name}: whole numbers beyond 2^53 are rounded, because .ply has no \
                             64-bit integers"
                        ));
                    }
                    Kind::F64
                }
            },
        };
        for component in 0..array.components {
            let wanted = match array.components {
                1 => array.name.clone(),
                _ => format!("{}_{component}", array.name),
            };
            // Names in PLY cannot contain blanks.
            let word = wanted.split_whitespace().collect::<Vec<_>>().join("_");
            let mut name = word.clone();
            let mut k = 2;
            while !names.insert(name.clone()) {
                name = format!("{word}_{k}");
                k += 1;
            }
            if name != wanted {
                lost.push(format!("\"{wanted}\" is renamed to {name}"));
            }
            columns.push(Column { name, array, component, kind });
        }
    }
    columns
}

fn properties(out: &mut dyn Write, columns: &[Column]) -> std::io::Result<()> {
    columns.iter().try_for_each(|column| {
        let kind = match column.kind {
            Kind::U8 => "uchar",
            Kind::I32 => "int",
            Kind::F64 => "double",
        };
        writeln!(out, "property {kind} {}", column.name)
    })
}

/// Appends the columns to row `i`, whose fixed values are already written.
fn row(out: &mut dyn Write, columns: &[Column], i: usize, ascii: bool) -> std::io::Result<()> {
    for column in columns {
        let k = i * column.array.components + column.component;
        match (&column.array.values, ascii) {
            (Values::Float(v), true) => write!(out, " {}", v[k])?,
            (Values::Int(v), true) => write!(out, " {}", v[k])?,
            (Values::Float(v), false) => out.write_all(&v[k].to_le_bytes())?,
            (Values::Int(v), false) => match column.kind {
                Kind::U8 => out.write_all(&[v[k] as u8])?,
                Kind::I32 => out.write_all(&(v[k] as i32).to_le_bytes())?,
                Kind::F64 => out.write_all(&(v[k] as f64).to_le_bytes())?,
            },
        }
    }
    if ascii { out.write_all(b"\n") } else { Ok(()) }
}
