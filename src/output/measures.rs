//! The file `measures.csv`: one line per measured step, written as soon as it is due.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::atomic;
use crate::error::{Error, Result};
use crate::mesh::Kind;

/// The measures of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Measures {
    /// Number of steps so far.
    pub step: u64,
    /// Simulated time of the state, in the unit of the case.
    pub time: f64,
    /// Length of the last time step, in the same unit. 0 before the first step.
    pub dt: f64,
    /// Length (triangles) or area (tetrahedra, tiles) of the interface, in mesh units or their
    /// square.
    pub interface: f64,
    /// Area or volume of the inside, in squared or cubed mesh units.
    pub enclosed: f64,
    /// Number of connected components of the inside.
    pub components: u64,
    /// Euler number of the inside.
    pub euler_number: i64,
    /// Number of vertices (meshes) or voxels (tiles) in the narrow band.
    pub band_vertices: u64,
    /// Number of active patches (meshes) or of tiles.
    pub active_patches: u64,
    /// Smallest value of phi, in mesh units.
    pub phi_min: f64,
    /// Largest value of phi, in mesh units.
    pub phi_max: f64,
}

/// The beginning of the file: its size in bytes and its BLAKE3 hash.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Prefix {
    pub bytes: u64,
    pub hash: [u8; 32],
}

/// The file `measures.csv`, open for appending.
#[derive(Debug)]
pub struct MeasuresFile {
    path: PathBuf,
    file: File,
    /// Size of the file in bytes.
    bytes: u64,
    hasher: blake3::Hasher,
}

impl MeasuresFile {
    /// Returns the column names of the measures `interface` and `enclosed` for a kind of mesh.
    pub fn names(kind: Kind) -> [&'static str; 2] {
        match kind {
            Kind::Planar | Kind::Surface => ["interface_length", "enclosed_area"],
            Kind::Volume => ["interface_area", "enclosed_volume"],
        }
    }

    /// Creates the file for a run on a mesh and writes its header line.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file exists or cannot be written.
    pub fn create(path: &Path, kind: Kind) -> Result<Self> {
        Self::with_head(path, &Self::head(Some(kind)))
    }

    /// Creates the file for a run on tiles and writes its header line.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file exists or cannot be written.
    pub fn of_tiles(path: &Path) -> Result<Self> {
        Self::with_head(path, &Self::head(None))
    }

    fn with_head(path: &Path, head: &str) -> Result<Self> {
        let file = File::create_new(path).map_err(|e| fail(path, e))?;
        let hasher = blake3::Hasher::new();
        let mut file = MeasuresFile { path: path.to_path_buf(), file, bytes: 0, hasher };
        file.line(head)?;
        Ok(file)
    }

    /// Returns the header line for a run on a mesh, or on tiles if `kind` is `None`.
    pub(crate) fn head(kind: Option<Kind>) -> String {
        let [interface, enclosed] = Self::names(kind.unwrap_or(Kind::Volume));
        let [band, active] = match kind {
            Some(_) => ["band_vertices", "active_patches"],
            None => ["band_voxels", "tiles"],
        };
        format!(
            "step,time,dt,{interface},{enclosed},components,euler_number,{band},{active},phi_min,\
             phi_max\n"
        )
    }

    /// Appends a line. The file contains the line when this function returns.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be written.
    pub fn append(&mut self, m: &Measures) -> Result<()> {
        // `{:?}` writes the shortest decimal number that is read back as the same value.
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
        self.file.write_all(line.as_bytes()).map_err(|e| fail(&self.path, e))?;
        self.hasher.update(line.as_bytes());
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Returns the size and hash of the file so far.
    pub(crate) fn prefix(&self) -> Prefix {
        Prefix { bytes: self.bytes, hash: *self.hasher.finalize().as_bytes() }
    }

    /// Opens the file of an interrupted run and removes everything after `prefix`.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the file does not begin with `prefix`. Returns [`Error::Output`]
    /// if it cannot be written.
    pub(crate) fn resume(path: &Path, prefix: &Prefix) -> Result<Self> {
        let mut kept = Vec::new();
        let read = File::open(path).and_then(|file| file.take(prefix.bytes).read_to_end(&mut kept));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&kept);
        let what = match read {
            Err(e) => format!("cannot read the measures of the interrupted run: {e}"),
            Ok(n) if (n as u64) < prefix.bytes => {
                format!("has {n} bytes, but the interrupted run wrote {}", prefix.bytes)
            }
            Ok(_) if hasher.finalize().as_bytes() != &prefix.hash => {
                "is not what the interrupted run wrote".to_string()
            }
            Ok(_) => {
                atomic::write(path, |out| out.write_all(&kept))?;
                let file = OpenOptions::new().append(true).open(path).map_err(|e| fail(path, e))?;
                let (path, bytes) = (path.to_path_buf(), prefix.bytes);
                return Ok(MeasuresFile { path, file, bytes, hasher });
            }
        };
        Err(Error::input(path, "", what, "restore the file, or begin again with --overwrite"))
    }

    /// Truncates the file to its first `bytes` bytes. No line may be appended afterwards.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be truncated.
    pub(crate) fn end_at(&self, bytes: u64) -> Result<()> {
        self.file.set_len(bytes).map_err(|e| fail(&self.path, e))
    }

    /// Waits until all lines written so far are on disk.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be written.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|e| fail(&self.path, e))
    }

    /// Waits until all lines are on disk and closes the file.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.sync()
    }
}

fn fail(path: &Path, e: std::io::Error) -> Error {
    Error::output(
        path,
        &e,
        "check that the folder exists and is writable, and that the disk is not full",
    )
    .because(e)
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

    #[test]
    fn a_resumed_file_goes_on_behind_the_lines_of_the_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.csv");
        let row = |step| Measures { step, ..Measures::default() };
        let mut file = MeasuresFile::create(&path, Kind::Planar).unwrap();
        file.append(&row(1)).unwrap();
        let prefix = file.prefix();
        file.append(&row(2)).unwrap();
        let both = std::fs::read(&path).unwrap();
        drop(file);
        // Resumes from the unchanged file, then with half a line and with a whole line appended to
        // it.
        for rest in ["", "3,0.", "3,0.0\n"] {
            std::fs::write(&path, [&both, rest.as_bytes()].concat()).unwrap();
            let mut file = MeasuresFile::resume(&path, &prefix).unwrap();
            assert_eq!(std::fs::read(&path).unwrap().len() as u64, prefix.bytes);
            file.append(&row(2)).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), both);
            assert_eq!(file.prefix().bytes, both.len() as u64);
            assert_eq!(&file.prefix().hash, blake3::hash(&both).as_bytes());
        }
        let refused = |expected: &str| {
            let error = MeasuresFile::resume(&path, &prefix).unwrap_err();
            assert_eq!(error.exit_code(), 3);
            assert!(error.to_string().contains(expected), "{error}");
        };
        std::fs::write(&path, &both[..20]).unwrap();
        refused("has 20 bytes, but the interrupted run wrote");
        let mut other = both.clone();
        other[3] ^= 1;
        std::fs::write(&path, other).unwrap();
        refused("is not what the interrupted run wrote");
        std::fs::remove_file(&path).unwrap();
        refused("cannot read");
    }
}
