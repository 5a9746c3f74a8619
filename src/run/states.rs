//! Writing the states of a run: VTK series of phi and of the interface, cortex files.

use super::setup::Ready;
use crate::config::{self, Config, PointField};
use crate::error::Result;
use crate::io::vtk::{self, Compression, Field, FieldValues, VtkOutput};
use crate::io::{freesurfer, gifti};
use crate::mesh::Kind;
use crate::output::{RunFolder, Series};
use crate::surface;

/// A state in the order of the cleaned mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub step: u64,
    pub time: f64,
    pub phi: Vec<f64>,
    pub band: Vec<bool>,
}

/// Writer of the states of one run.
pub(super) struct States<'a> {
    config: &'a Config,
    ready: &'a Ready,
    patch_of: &'a [u32],
    /// Name of the array: "phi" or "distance".
    array: &'static str,
    /// Cells in terms of stored vertices.
    cells: Vec<u32>,
    folder: &'a RunFolder,
    states: Series,
    interfaces: Option<Series>,
}

impl<'a> States<'a> {
    pub(super) fn new(
        config: &'a Config,
        ready: &'a Ready,
        patch_of: &'a [u32],
        array: &'static str,
        folder: &'a RunFolder,
    ) -> Self {
        let ending = if ready.mesh.kind == Kind::Volume { "vtu" } else { "vtp" };
        let interface = config.output.interface && array == "phi";
        States {
            config,
            ready,
            patch_of,
            array,
            cells: ready.stored_cells(),
            folder,
            states: Series::new(folder.path(), &config.name(), ending),
            interfaces: interface.then(|| Series::new(folder.path(), "interface", "vtp")),
        }
    }

    /// Number of states written.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Writes all files of a state.
    pub(super) fn write(&mut self, state: &State) -> Result<()> {
        let phi = self.ready.as_stored(&state.phi, f64::NAN);
        let asked = |field| self.config.output.fields.contains(&field);
        let band: Vec<u8> = match asked(PointField::Band) && !state.band.is_empty() {
            true => {
                let band: Vec<u8> = state.band.iter().map(|&b| u8::from(b)).collect();
                self.ready.as_stored(&band, 0)
            }
            false => Vec::new(),
        };
        let patch: Vec<i32> = match asked(PointField::Patch) {
            true => {
                let patch: Vec<i32> = self.patch_of.iter().map(|&p| p as i32).collect();
                self.ready.as_stored(&patch, -1)
            }
            false => Vec::new(),
        };
        let mut point_data =
            vec![Field { name: self.array, components: 1, values: FieldValues::F64(&phi) }];
        if !band.is_empty() {
            point_data.push(Field { name: "band", components: 1, values: FieldValues::U8(&band) });
        }
        if !patch.is_empty() {
            let values = FieldValues::I32(&patch);
            point_data.push(Field { name: "patch", components: 1, values });
        }
        let compression = match self.config.output.compression {
            config::Compression::None => Compression::None,
            config::Compression::Lz4 => Compression::Lz4,
            config::Compression::Zlib => Compression::Zlib,
        };
        let output = VtkOutput {
            points: &self.ready.stored_vertices,
            cells: &self.cells,
            arity: self.ready.mesh.kind.arity(),
            point_data,
            time: Some(state.time),
            compression,
        };
        let volume = self.ready.mesh.kind == Kind::Volume;
        self.states.add(state.step, state.time, |path| match volume {
            true => vtk::write_vtu(path, &output),
            false => vtk::write_vtp(path, &output),
        })?;
        if let Some(interfaces) = &mut self.interfaces {
            let interface = surface::extract(&self.ready.mesh, &state.phi);
            let output = VtkOutput {
                points: &interface.vertices,
                cells: &interface.cells,
                arity: interface.arity,
                point_data: Vec::new(),
                time: Some(state.time),
                compression,
            };
            interfaces.add(state.step, state.time, |path| vtk::write_vtp(path, &output))?;
        }
        self.write_cortex_files(state, &phi)
    }

    fn write_cortex_files(&self, state: &State, phi: &[f64]) -> Result<()> {
        let output = &self.config.output;
        if !output.gifti && !output.freesurfer {
            return Ok(());
        }
        let phi: Vec<f32> = phi.iter().map(|&x| x as f32).collect();
        let file = |ending| {
            self.folder.file(&crate::output::numbered(&self.config.name(), state.step, ending))
        };
        if output.gifti {
            gifti::write_shape(&file("shape.gii"), self.array, &phi)?;
        }
        if output.freesurfer {
            freesurfer::write_morph(&file("morph"), &phi)?;
        }
        Ok(())
    }
}
