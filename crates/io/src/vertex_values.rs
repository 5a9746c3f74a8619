//! Writers of numbers at the vertices of a mesh for other programs: `.npy`, `.csv` and `.dat`.

use std::path::Path;

use super::{atomic, volume};
use zeroset_core::error::{Error, Result};

/// Writes an array of 64-bit floating-point numbers, one per vertex, `[n_vertices]`, as `.npy`.
///
/// # Errors
/// Returns [`Error::Output`](zeroset_core::Error::Output) if the file cannot be written.
pub fn write_values_npy(path: &Path, values: &[f64]) -> Result<()> {
    let n = values.len();
    let facts = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n},), }}");
    let head = volume::npy_head(&facts);
    atomic::write(path, |out| {
        out.write_all(&head)?;
        values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
    })
}

/// Writes a line for each vertex as `.csv`: its index, its coordinates, its value under the title
/// `name`, and its label if there are labels, each `[n_vertices]`. Numbers have enough digits to be
/// read back exactly.
///
/// # Errors
/// Returns [`Error::Output`](zeroset_core::Error::Output) if the file cannot be written.
pub fn write_values_csv(
    path: &Path,
    vertices: &[[f64; 3]],
    name: &str,
    values: &[f64],
    labels: Option<&[i32]>,
) -> Result<()> {
    atomic::write(path, |out| {
        let title = if labels.is_some() { ",label" } else { "" };
        writeln!(out, "vertex,x,y,z,{name}{title}")?;
        for (vertex, ([x, y, z], value)) in vertices.iter().zip(values).enumerate() {
            write!(out, "{vertex},{x},{y},{z},{value}")?;
            match labels.and_then(|labels| labels.get(vertex)) {
                Some(label) => writeln!(out, ",{label}")?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    })
}

/// Writes a CARP file of values at vertices, `.dat`: a line for each of them, `[n_vertices]`. A
/// vertex without a value (NaN) gets -1, as one without an activation does in CARP. Numbers have
/// enough digits to be read back exactly.
///
/// # Errors
/// Returns [`Error::Output`](zeroset_core::Error::Output) if the file cannot be written, or if some
/// vertices have no value and others negative ones.
pub fn write_values_dat(path: &Path, values: &[f64]) -> Result<()> {
    let negative = values.iter().position(|&value| value < 0.0);
    if let (Some(vertex), true) = (negative, values.iter().any(|value| value.is_nan())) {
        let what = format!(
            "vertex {vertex} has the negative value {}, but -1 marks vertices that no front reaches",
            values[vertex]
        );
        return Err(Error::output(path, what, "write another format, or begin at times >= 0"));
    }
    atomic::write(path, |out| {
        for value in values {
            match value.is_nan() {
                true => writeln!(out, "-1")?,
                false => writeln!(out, "{value}")?,
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carp_files_mark_vertices_without_a_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dat");
        write_values_dat(&path, &[0.1, f64::NAN, 1e-300]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let rows: Vec<f64> = text.lines().map(|row| row.parse().unwrap()).collect();
        assert_eq!(rows, [0.1, -1.0, 1e-300]);
        write_values_dat(&path, &[-0.1, 2.0]).unwrap();
        let message = write_values_dat(&path, &[2.0, -0.1, f64::NAN]).unwrap_err().to_string();
        assert!(message.contains("vertex 1 has the negative value -0.1"), "{message}");
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let values = [0.1, f64::NAN, 1e-300];
        write_values_npy(&path("a.npy"), &values).unwrap();
        let read = crate::read_volume(&path("a.npy"), &crate::VolumeOptions::default()).unwrap();
        assert_eq!(read.volume.shape(), [3, 1, 1]);
        let found = read.volume.to_f64();
        assert!(found[0] == 0.1 && found[1].is_nan() && found[2] == 1e-300);
        let vertices = [[0.0; 3], [1.0 / 3.0, 0.0, -2.5], [3.0; 3]];
        write_values_csv(&path("a.csv"), &vertices, "distance", &values, Some(&[0, -1, 2]))
            .unwrap();
        let text = std::fs::read_to_string(path("a.csv")).unwrap();
        let expected = "vertex,x,y,z,distance,label\n0,0,0,0,0.1,0\n\
                        1,0.3333333333333333,0,-2.5,NaN,-1\n2,3,3,3,1e-300,2\n";
        assert_eq!(text.lines().next(), expected.lines().next());
        assert_eq!(text.lines().nth(2), expected.lines().nth(2));
        let data = crate::read_data(&path("a.csv")).unwrap();
        let column = |name: &str| {
            data.arrays.iter().find(|array| array.name == name).unwrap().values.to_f64()
        };
        assert!(column("distance")[1].is_nan() && column("distance")[2] == 1e-300);
        assert_eq!(column("label"), [0.0, -1.0, 2.0]);
    }
}
