//! Writer of `.npy` 1.0 in Fortran order: arrays are indexed `[x][y][z]`, with x running fastest.

use std::path::Path;

use super::super::super::atomic;
use super::write_file;
use zeroset_core::error::Result;
use zeroset_core::volume::{Samples, Volume};

/// Writes the values of a volume, with its scaling applied.
pub(super) fn write(path: &Path, volume: &Volume) -> Result<()> {
    let samples = volume.unscaled();
    let kind = match &*samples {
        Samples::U8(_) => "|u1",
        Samples::I8(_) => "|i1",
        Samples::U16(_) => "<u2",
        Samples::I16(_) => "<i2",
        Samples::U32(_) => "<u4",
        Samples::I32(_) => "<i4",
        Samples::U64(_) => "<u8",
        Samples::I64(_) => "<i8",
        Samples::F32(_) => "<f4",
        Samples::F64(_) => "<f8",
    };
    let [x, y, z] = volume.shape();
    let head =
        head(&format!("{{'descr': '{kind}', 'fortran_order': True, 'shape': ({x}, {y}, {z}), }}"));
    write_file(path, &head, &samples, false)
}

/// Writes columns, `[columns][rows]`, as a table of 64-bit floats with the shape `(rows, columns)`.
/// The file appears when it is complete.
///
/// # Errors
/// Returns [`Error::Output`](zeroset_core::Error::Output) if the file cannot be written.
pub fn write_table(path: &Path, columns: &[Vec<f64>]) -> Result<()> {
    let (rows, n) = (columns.first().map_or(0, Vec::len), columns.len());
    let head =
        head(&format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({rows}, {n}), }}"));
    atomic::write(path, |out| {
        out.write_all(&head)?;
        for value in columns.iter().flatten() {
            out.write_all(&value.to_le_bytes())?;
        }
        Ok(())
    })
}

/// Returns the header: the magic bytes of the format and the text that describes the array.
pub(crate) fn head(facts: &str) -> Vec<u8> {
    let mut text = facts.to_string();
    // The header ends with a line feed at a multiple of 64 bytes.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text += &" ".repeat(length - 1 - text.len());
    text.push('\n');
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend((length as u16).to_le_bytes());
    head.extend(text.as_bytes());
    head
}
