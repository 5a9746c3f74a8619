//! Writing the states of a run: VTK series of phi and of the interface, cortex files.

use std::path::Path;

use super::Ready;
use crate::config::{Config, PointField, SeriesFormat};
use crate::error::{Error, Result};
use crate::io::vtk::{self, Compression, Geometry, HdfSeries, VtkOutput};
use crate::io::{freesurfer, gifti};
use crate::mesh::Kind;
use crate::output::{RunFolder, Series, numbered};
use crate::surface;

/// A state in the order of the cleaned mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub step: u64,
    pub time: f64,
    pub phi: Vec<f64>,
    pub band: Vec<bool>,
}

/// The mesh as stored, for output: its vertices in their order, the cells that are used.
pub(super) struct StoredMesh<'a> {
    ready: &'a Ready,
    cells: Vec<u32>,
    compression: Compression,
}

impl<'a> StoredMesh<'a> {
    pub(super) fn new(ready: &'a Ready, compression: Compression) -> Self {
        StoredMesh { ready, cells: ready.stored_cells(), compression }
    }

    fn geometry(&self, compression: Compression) -> Geometry<'_> {
        let points = &self.ready.stored_vertices;
        match self.ready.mesh.kind {
            Kind::Planar | Kind::Surface => Geometry::triangles(points, &self.cells, compression),
            Kind::Volume => Geometry::tetrahedra(points, &self.cells, compression),
        }
    }
}

/// Where states go.
enum Target {
    /// A file each, and the list of them.
    Files(Series),
    /// All into one file.
    One(HdfSeries),
}

/// Writer of the states of one run.
pub(super) struct States<'a> {
    config: &'a Config,
    ready: &'a Ready,
    patch_of: &'a [u32],
    /// Name of the array: "phi" or "distance".
    array: &'static str,
    geometry: Geometry<'a>,
    compression: Compression,
    folder: &'a RunFolder,
    states: Target,
    interfaces: Option<Series>,
}

impl<'a> States<'a> {
    pub(super) fn new(
        config: &'a Config,
        mesh: &'a StoredMesh<'a>,
        patch_of: &'a [u32],
        array: &'static str,
        folder: &'a RunFolder,
    ) -> Self {
        let (name, compression) = (config.name(), mesh.compression);
        let (states, geometry) = match config.output.format {
            SeriesFormat::Pvd => {
                let geometry = mesh.geometry(compression);
                let series = Series::new(folder.path(), &name, geometry.extension());
                (Target::Files(series), geometry)
            }
            SeriesFormat::Vtkhdf => {
                let file = folder.file(&format!("{name}.vtkhdf"));
                let series = HdfSeries::new(&file, compression);
                // HDF5 packs its arrays itself.
                (Target::One(series), mesh.geometry(Compression::None))
            }
        };
        let interface = config.output.interface && array == "phi";
        States {
            config,
            ready: mesh.ready,
            patch_of,
            array,
            states,
            geometry,
            compression,
            folder,
            interfaces: interface.then(|| Series::new(folder.path(), "interface", "vtp")),
        }
    }

    /// Number of states written.
    pub(super) fn len(&self) -> usize {
        match &self.states {
            Target::Files(series) => series.len(),
            Target::One(series) => series.len(),
        }
    }

    /// Writes all files of a state.
    pub(super) fn write(&mut self, state: &State) -> Result<()> {
        let asked = |field| self.config.output.fields.contains(&field);
        let phi = self.ready.as_stored(&state.phi, f64::NAN);
        let (band, patch);
        let mut output =
            VtkOutput::new(&self.geometry).time(state.time).point_data(self.array, 1, &phi[..]);
        if asked(PointField::Band) && !state.band.is_empty() {
            let mask: Vec<u8> = state.band.iter().map(|&b| u8::from(b)).collect();
            band = self.ready.as_stored(&mask, 0);
            output = output.point_data("band", 1, &band[..]);
        }
        if asked(PointField::Patch) {
            let number: Vec<i32> = self.patch_of.iter().map(|&p| p as i32).collect();
            patch = self.ready.as_stored(&number, -1);
            output = output.point_data("patch", 1, &patch[..]);
        }
        match &mut self.states {
            Target::Files(series) => {
                series.add(state.step, state.time, |path| vtk::write(path, &output))?;
            }
            Target::One(series) => series.add(&output)?,
        }
        if let Some(interfaces) = &mut self.interfaces {
            let found = surface::extract(&self.ready.mesh, &state.phi);
            let geometry = match found.arity {
                2 => Geometry::lines(&found.vertices, &found.cells, self.compression),
                _ => Geometry::triangles(&found.vertices, &found.cells, self.compression),
            };
            let output = VtkOutput::new(&geometry).time(state.time);
            interfaces.add(state.step, state.time, |path| vtk::write(path, &output))?;
        }
        let file = |ending| self.folder.file(&numbered(&self.config.name(), state.step, ending));
        if self.config.output.gifti {
            write_vertex_values(&file("shape.gii"), self.ready, self.array, &phi)?;
        }
        if self.config.output.freesurfer {
            write_vertex_values(&file("morph"), self.ready, self.array, &phi)?;
        }
        Ok(())
    }
}

/// The kinds of file one array of the vertices can be written to.
fn ending(path: &Path) -> Option<&str> {
    let ending = path.extension().and_then(|e| e.to_str())?;
    ["vtu", "vtp", "gii", "morph"].into_iter().find(|known| ending.eq_ignore_ascii_case(known))
}

/// Says whether [`write_single`] can write to `path`, as far as can be told beforehand.
///
/// # Errors
/// [`Error::Case`] naming the endings that are known or fit the kind of mesh; [`Error::Output`]
/// for a folder that is not there or cannot be written.
pub(super) fn check_single(path: &Path, kind: Option<Kind>) -> Result<()> {
    let wrong = match (ending(path), kind) {
        (None, _) => "what to write is not known by its ending",
        (Some("vtp"), Some(Kind::Volume)) => "tetrahedra cannot be .vtp",
        _ => {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            return tempfile::tempfile_in(folder.unwrap_or(Path::new("."))).map(drop).map_err(
                |e| {
                    Error::output(path, format!("cannot write there: {e}"), "make the folder first")
                },
            );
        }
    };
    let remedy = "end the name in .vtu, .vtp (triangles), .shape.gii or .morph";
    Err(Error::usage(format!("{}: {wrong}", path.display()), remedy))
}

/// Writes one array, in the order of the cleaned mesh, to one file of the kind its name says.
///
/// # Errors
/// [`Error::Output`].
pub(super) fn write_single(path: &Path, ready: &Ready, name: &str, values: &[f64]) -> Result<()> {
    let values = ready.as_stored(values, f64::NAN);
    match ending(path) {
        Some("vtu" | "vtp") => {
            let compression = Compression::default();
            let mesh = StoredMesh::new(ready, compression);
            let geometry = mesh.geometry(compression);
            vtk::write(path, &VtkOutput::new(&geometry).point_data(name, 1, &values[..]))
        }
        _ => write_vertex_values(path, ready, name, &values),
    }
}

/// Writes a GIFTI shape or FreeSurfer morph file; both hold 32-bit numbers.
fn write_vertex_values(path: &Path, ready: &Ready, name: &str, values: &[f64]) -> Result<()> {
    let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
    match ending(path) {
        Some("morph") => freesurfer::write_morph(path, &values, ready.cleaning.n_stored_cells),
        _ => gifti::write_shape(path, name, &values),
    }
}
