//! `measures.csv`: one line per measured step, on the disk as soon as it is due.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::mesh::Kind;

/// Measures of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Measures {
    /// Steps done.
    pub step: u64,
    /// Time.
    pub time: f64,
    /// Length of the last step; 0 before the first.
    pub dt: f64,
    /// Length (triangles) or area (tetrahedra) of the interface.
    pub interface: f64,
    /// Area or volume of the inside.
    pub enclosed: f64,
    /// Connected parts of the inside.
    pub components: u64,
    /// Euler number of the inside.
    pub euler_number: i64,
    /// Vertices in the narrow band.
    pub band_vertices: u64,
    /// Patches that are updated.
    pub active_patches: u64,
    /// Smallest phi.
    pub phi_min: f64,
    /// Largest phi.
    pub phi_max: f64,
}

/// The open file.
#[derive(Debug)]
pub struct MeasuresFile {
    path: PathBuf,
    file: File,
}

impl MeasuresFile {
    /// Names of the interface and enclosed measures on meshes of a kind.
    pub fn names(kind: Kind) -> [&'static str; 2] {
        match kind {
            Kind::Planar | Kind::Surface => ["interface_length", "enclosed_area"],
            Kind::Volume => ["interface_area", "enclosed_volume"],
        }
    }

    /// Creates the file with its head line.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub fn create(path: &Path, kind: Kind) -> Result<Self> {
        let file = File::create(path).map_err(|e| fail(path, &e))?;
        let mut measures = MeasuresFile { path: path.to_path_buf(), file };
        let [interface, enclosed] = Self::names(kind);
        measures.line(&format!(
            "step,time,dt,{interface},{enclosed},components,euler_number,band_vertices,\
             active_patches,phi_min,phi_max\n"
        ))?;
        Ok(measures)
    }

    /// Adds a line; it is in the file when this returns.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub fn append(&mut self, m: &Measures) -> Result<()> {
        // `{:?}` writes the shortest digits that read back as the same number.
        self.line(&format!(
            "{},{:?},{:?},{:?},{:?},{},{},{},{},{:?},{:?}\n",
            m.step,
            m.time,
            m.dt,
            m.interface,
            m.enclosed,
            m.components,
            m.euler_number,
            m.band_vertices,
            m.active_patches,
            m.phi_min,
            m.phi_max
        ))
    }

    fn line(&mut self, line: &str) -> Result<()> {
        self.file.write_all(line.as_bytes()).map_err(|e| fail(&self.path, &e))
    }

    /// Waits until all lines are on the disk.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub fn finish(self) -> Result<()> {
        self.file.sync_data().map_err(|e| fail(&self.path, &e))
    }
}

fn fail(path: &Path, e: &std::io::Error) -> Error {
    Error::output(path, e, "check the folder, its rights and space")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_there_at_once_and_numbers_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.csv");
        let mut file = MeasuresFile::create(&path, Kind::Volume).unwrap();
        let row =
            Measures { step: 7, time: 0.1, dt: 1e-17, euler_number: -2, ..Measures::default() };
        file.append(&row).unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "step,time,dt,interface_area,enclosed_volume,components,euler_number,band_vertices,\
             active_patches,phi_min,phi_max\n7,0.1,1e-17,0.0,0.0,0,-2,0,0,0.0,0.0\n"
        );
        file.finish().unwrap();
    }
}
