//! Reader of the sections `POINT_DATA` and `CELL_DATA` of a legacy file.

use super::cursor::Cursor;
use crate::scalar::Scalar;
use crate::vtk::grid::Grid;
use crate::vtk::source::shown;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Values};

/// The owner of the attributes that follow, with its number of rows.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    DataSet,
    Points(usize),
    Cells(usize),
}

/// A receiver of the arrays of a file.
pub(super) trait Sink {
    /// Reads an array that begins at the cursor. `size` is `[rows, components]`.
    fn numbers(
        &mut self,
        cursor: &mut Cursor,
        owner: Owner,
        name: String,
        scalar: Scalar,
        size: [usize; 2],
    ) -> Result<(), Flaw>;

    /// Receives colors as bytes.
    fn colors(&mut self, owner: Owner, array: DataArray);

    /// Receives a warning about content that is left out.
    fn warn(&mut self, warning: String);
}

impl Sink for Grid {
    fn numbers(
        &mut self,
        cursor: &mut Cursor,
        owner: Owner,
        name: String,
        scalar: Scalar,
        [rows, components]: [usize; 2],
    ) -> Result<(), Flaw> {
        let values = cursor.values(scalar, rows, components, &format!("array '{name}'"))?;
        push(self, owner, DataArray { name, components, values });
        Ok(())
    }

    fn colors(&mut self, owner: Owner, array: DataArray) {
        push(self, owner, array);
    }

    fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }
}

/// Skips a `METADATA` block, which ends with an empty line.
pub(super) fn skip_metadata(cursor: &mut Cursor) {
    cursor.line();
    while !cursor.line().is_empty() {}
}

/// Reads one attribute section, whose keyword has already been consumed, and passes its array to
/// `sink`.
pub(super) fn read(
    cursor: &mut Cursor,
    keyword: &str,
    owner: Owner,
    sink: &mut dyn Sink,
) -> Result<(), Flaw> {
    let rows = match owner {
        Owner::DataSet => 0,
        Owner::Points(n) | Owner::Cells(n) => n,
    };
    let known = matches!(
        keyword,
        "SCALARS"
            | "VECTORS"
            | "NORMALS"
            | "TENSORS"
            | "TENSORS6"
            | "TEXTURE_COORDINATES"
            | "COLOR_SCALARS"
            | "GLOBAL_IDS"
            | "PEDIGREE_IDS"
            | "EDGE_FLAGS"
    );
    match (keyword, owner) {
        ("FIELD", _) => return field(cursor, owner, sink),
        ("LOOKUP_TABLE", _) => return skip_lookup_table(cursor),
        (_, Owner::Points(_) | Owner::Cells(_)) if known => {}
        _ => {
            return Err(cursor.fail(
                format!("keyword {} is unknown here", shown(keyword.as_bytes())),
                "the counts before it are wrong or the file is damaged; write it again",
            ));
        }
    }
    let name = cursor.name("the name of an array")?;
    if keyword == "COLOR_SCALARS" {
        let components = cursor.count("the number of color components")?;
        cursor.line();
        let values = colors(cursor, rows, components, &name)?;
        sink.colors(owner, DataArray { name, components, values });
        return Ok(());
    }
    let fixed = match keyword {
        "VECTORS" | "NORMALS" => 3,
        "TENSORS" => 9,
        "TENSORS6" => 6,
        "TEXTURE_COORDINATES" => cursor.count("the number of texture coordinates")?,
        _ => 1,
    };
    let word = cursor.name("a number type")?;
    let after = cursor.line();
    let components = match (keyword, std::str::from_utf8(after).unwrap_or_default().trim()) {
        ("SCALARS", "") => 1,
        ("SCALARS", n) => n.parse().map_err(|_| {
            let what = format!("found {} as the number of components of '{name}'", shown(after));
            cursor.fail(what, "expected a count; the file is damaged: write it again")
        })?,
        _ => fixed,
    };
    if keyword == "SCALARS" && cursor.passes("LOOKUP_TABLE") {
        cursor.line();
    }
    array(cursor, owner, sink, name, &word, [rows, components])
}

/// Reads an array whose header line has already been consumed. Strings are skipped with a warning.
fn array(
    cursor: &mut Cursor,
    owner: Owner,
    sink: &mut dyn Sink,
    name: String,
    word: &str,
    [rows, components]: [usize; 2],
) -> Result<(), Flaw> {
    if matches!(word, "string" | "utf8_string" | "variant") {
        cursor.skip_strings(rows.saturating_mul(components))?;
        sink.warn(format!("array '{name}' holds strings and is ignored"));
        return Ok(());
    }
    let Some(scalar) = Scalar::from_legacy(word) else {
        return Err(cursor.fail(
            format!(
                "array '{name}' has the number type {}, which is unknown",
                shown(word.as_bytes())
            ),
            "use float, double, int, long, short, char, bit, an unsigned variant, or \
             vtkIdType",
        ));
    };
    sink.numbers(cursor, owner, name, scalar, [rows, components])
}

fn push(grid: &mut Grid, owner: Owner, array: DataArray) {
    if array.components == 0 {
        grid.warnings.push(format!("array '{}' has no components and is ignored", array.name));
        return;
    }
    match owner {
        Owner::DataSet => {}
        Owner::Points(_) => grid.point_data.push(array),
        Owner::Cells(_) => grid.cell_data.push(array),
    }
}

/// Reads colors as bytes. Binary files store components as bytes, and text files as fractions of 1.
fn colors(cursor: &mut Cursor, rows: usize, components: usize, name: &str) -> Result<Values, Flaw> {
    let what = format!("COLOR_SCALARS '{name}'");
    let scalar = if cursor.is_binary() { Scalar::U8 } else { Scalar::F32 };
    Ok(to_bytes(cursor.values(scalar, rows, components, &what)?))
}

/// Converts fractions of 1 to bytes. Integers are bytes already and stay unchanged.
pub(in crate::vtk) fn to_bytes(values: Values) -> Values {
    match values {
        Values::Float(v) => {
            Values::Int(v.iter().map(|x| (x * 255.0 + 0.5).clamp(0.0, 255.0) as i64).collect())
        }
        bytes => bytes,
    }
}

fn skip_lookup_table(cursor: &mut Cursor) -> Result<(), Flaw> {
    let name = cursor.name("the name of a lookup table")?;
    let rows = cursor.count("the size of a lookup table")?;
    cursor.line();
    colors(cursor, rows, 4, &name).map(|_| ())
}

/// Reads `FIELD name n` and n arrays `name components rows type`.
fn field(cursor: &mut Cursor, owner: Owner, sink: &mut dyn Sink) -> Result<(), Flaw> {
    cursor.name("the name of a field")?;
    let arrays = cursor.count("the number of arrays of a field")?;
    for _ in 0..arrays {
        let mut name = cursor.name("the name of an array")?;
        while name == "METADATA" {
            skip_metadata(cursor);
            name = cursor.name("the name of an array")?;
        }
        if name == "NULL_ARRAY" {
            continue;
        }
        let components = cursor.count("the number of components")?;
        let rows = cursor.count("the number of rows")?;
        let word = cursor.name("a number type")?;
        cursor.line();
        let expected = match owner {
            Owner::DataSet => None,
            Owner::Points(n) | Owner::Cells(n) => Some(n),
        };
        if expected.is_some_and(|n| n != rows) {
            // Such an array is valid, but its rows belong neither to points nor to cells, so it is
            // skipped.
            sink.warn(format!(
                "array '{name}' is ignored: {rows} rows do not match the points or cells"
            ));
            array(cursor, Owner::DataSet, sink, name, &word, [rows, components])?;
        } else {
            array(cursor, owner, sink, name, &word, [rows, components])?;
        }
    }
    Ok(())
}
