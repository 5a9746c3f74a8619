//! The mesh of a case as it was read or generated, before it is refined, repaired and cleaned.

use std::path::PathBuf;

use super::clock::Dated;
use super::{CleanedMesh, frames, units};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::repair::Repairs;
use crate::mesh::{self, Mesh};

/// A mesh as it was read or generated, with its data arrays.
#[derive(Clone, Debug)]
pub(crate) struct ReadMesh {
    pub mesh: Mesh,
    /// The file of the mesh, unless it was generated or given as arrays.
    file: Option<PathBuf>,
    /// Whether the mesh comes from a generator, whose meshes need no repair.
    is_generated: bool,
    about: io::About,
    /// Names of the vertex arrays whose file states a time, and that time.
    dated: Vec<(String, Dated)>,
    pub warnings: Vec<String>,
}

impl ReadMesh {
    /// Returns the unit of length that the file states, such as "mm".
    pub fn length_unit(&self) -> Option<&str> {
        self.about.state.units.length.as_deref()
    }

    /// Reads or generates the mesh of a case with its data arrays.
    ///
    /// # Errors
    /// Returns [`Error::Input`] for a file that cannot be used. Returns [`Error::Case`] if the case
    /// has no mesh, and for invalid options of a generator.
    pub fn new(config: &Config) -> Result<Self> {
        let source = config.mesh_or_refuse()?;
        let (mut warnings, mut differ) = (config.origin.warnings.clone(), None);
        let (mut mesh, file, about) = match (&source.path, &source.generate) {
            (Some(path), _) => {
                let path = config.resolve(path)?;
                let options = io::MeshOptions::default()
                    .skip_unsupported(source.skip_unsupported)
                    .frame(source.frame)
                    .time(source.time);
                let read = io::read_mesh_with(&path, &options)?;
                if read.mesh.n_cells() == 0
                    && let Some(flaw) = io::missing_cells(&path)
                {
                    return Err(flaw.in_file(&path));
                }
                warnings.extend(read.warnings.iter().map(|w| format!("{}: {w}", path.display())));
                warnings.extend(frames::mixed(config, &path, &read.about.frame));
                differ = units::differ(config, &path, &read.stated_units());
                (read.mesh, Some(path), *read.about)
            }
            (None, Some(generate)) => {
                generate.check_refined(source.refine)?;
                (mesh::generate::generate(generate)?, None, io::About::default())
            }
            (None, None) => {
                return Err(Error::usage(
                    "domain.mesh has no mesh",
                    "give it `path` or `generate`",
                ));
            }
        };
        warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
        warnings.extend(differ);
        let of_mesh = file.clone().and_then(|path| Dated::of(about.state.time, path));
        let mut dated: Vec<(String, Dated)> = Vec::new();
        for array in &mesh.vertex_data {
            dated.extend(of_mesh.clone().map(|of_mesh| (array.name.clone(), of_mesh)));
        }
        for data in &source.data {
            let path = config.resolve(&data.path)?;
            let added = io::add_data(&path, data.name.as_deref(), data.time, &mut mesh)?;
            for warning in added.warnings.iter().map(|what| format!("{}: {what}", path.display())) {
                tracing::warn!("{warning}");
                warnings.push(warning);
            }
            let of_file = Dated::of(added.time, path);
            for name in added.arrays {
                dated.retain(|(dated, _)| *dated != name);
                dated.extend(of_file.clone().map(|of_file| (name, of_file)));
            }
        }
        let is_generated = file.is_none();
        Ok(ReadMesh { mesh, file, is_generated, about, dated, warnings })
    }

    /// Wraps a mesh that was given as arrays.
    pub fn of(mesh: Mesh) -> Self {
        ReadMesh {
            mesh,
            file: None,
            is_generated: false,
            about: io::About::default(),
            dated: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Refines, repairs and cleans the mesh for a case.
    ///
    /// # Errors
    /// Returns [`Error::Input`] or [`Error::Mesh`] if the mesh is not valid for the solvers.
    pub fn cleaned(self, config: &Config) -> Result<CleanedMesh> {
        let ReadMesh { mut mesh, file, is_generated, about, dated, warnings } = self;
        let refine = config.mesh_or_refuse()?.refine;
        let in_file = |error: Error| match &file {
            Some(path) => error.in_file(path),
            None => error,
        };
        if refine > 0 {
            // The mesh is checked first, so that an invalid mesh is refused before refinement
            // enlarges it.
            mesh::assess(&mesh).map_err(in_file)?;
        }
        mesh = mesh::refine::refine_times(mesh, refine).map_err(in_file)?;
        let repairs = if is_generated { Repairs::NONE } else { config.repairs() };
        let mut cleaned = CleanedMesh::of(mesh, file.as_deref(), repairs, warnings)?;
        cleaned.units = config.units.or(&about.state.units);
        cleaned.about = about;
        cleaned.dated = dated;
        Ok(cleaned)
    }

    /// Refines, repairs and cleans the mesh for a case, and removes the cells outside its mask.
    ///
    /// # Errors
    /// Returns the errors of [`ReadMesh::cleaned`] and [`CleanedMesh::mask`].
    pub fn inside_mask(self, config: &Config) -> Result<CleanedMesh> {
        let cleaned = self.cleaned(config)?;
        match cleaned.mask(config)? {
            Some(keep) => Ok(cleaned.masked(&keep)),
            None => Ok(cleaned),
        }
    }
}
