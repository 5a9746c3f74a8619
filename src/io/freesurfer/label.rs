//! Writing FreeSurfer's labels: some vertices of a surface, each with its place and a number.

use std::path::Path;

use crate::error::Result;
use crate::io::atomic;

/// Writes the vertices whose value is a number, with that value, as FreeSurfer and nibabel read it
/// (`mri_cor2label`, `nibabel.freesurfer.read_label`). Numbers have the digits that read back as
/// the same number.
///
/// # Errors
/// [`crate::Error::Output`] if the file cannot be written.
pub fn write_label(path: &Path, vertices: &[[f64; 3]], values: &[f64]) -> Result<()> {
    let rows = || {
        let rows = vertices.iter().zip(values).enumerate();
        rows.filter(|(_, (_, value))| value.is_finite())
    };
    atomic::write(path, |out| {
        writeln!(out, "#!ascii label, written by zeroset\n{}", rows().count())?;
        for (vertex, ([x, y, z], value)) in rows() {
            writeln!(out, "{vertex} {x} {y} {z} {value}")?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_without_a_number_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lh.a.label");
        let vertices = [[0.0; 3], [1.5, 0.0, -2.0], [0.1, 0.2, 0.3]];
        write_label(&path, &vertices, &[f64::NAN, 3.0, 0.25]).unwrap();
        let expected = "#!ascii label, written by zeroset\n2\n1 1.5 0 -2 3\n2 0.1 0.2 0.3 0.25\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }
}
