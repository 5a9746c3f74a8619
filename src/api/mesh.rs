//! A mesh that is prepared once for many calls.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::source::expression;
use super::threads::pool;
use super::{Control, ReadOptions};
use crate::Cpu;
use crate::config::{Config, DeviceKind, Distance, Domain, MeshSource};
use crate::error::{Error, Result};
use crate::gpu;
use crate::mesh::repair::Repairs;
use crate::mesh::{self, DataArray, Kind};
use crate::run::ReadMesh;
use crate::run::mesh_setup::MeshSetup;
use crate::run::task::Stages;

/// A mesh with everything that calls on it share: the arrays, and the repaired, cleaned and
/// partitioned mesh on its device.
///
/// The first call prepares the mesh, and later calls reuse it. Arrays and indices always refer to
/// the vertices of the file and to the cells that were read from it (larger cells are cut into
/// triangles or tetrahedra when they are read). All GPU work of a process uses one context.
///
/// ```
/// use zeroset::Source;
/// let mut mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let heights: Vec<f64> = mesh.stored().vertices.iter().map(|x| x[2]).collect();
/// mesh.set_vertex_array("height", 1, heights)?;
/// let found = zeroset::distance(&mesh, &[Source::Zero("height - 20".into())])?;
/// assert_eq!(found.values.len(), mesh.n_vertices());
/// # Ok::<(), zeroset::Error>(())
/// ```
pub struct Mesh {
    read: ReadMesh,
    source: MeshSource,
    options: ReadOptions,
    prepared: Mutex<Vec<Prepared>>,
}

/// A mesh that is prepared for a mask and for the repairs of a task.
#[derive(Clone)]
struct Prepared {
    /// The process that prepared it. A child process inherits neither its threads nor its GPU.
    process: u32,
    mask: Option<String>,
    repairs: Repairs,
    setup: MeshSetup,
}

/// A copy shares nothing with the original, so that each can have its own arrays.
impl Clone for Mesh {
    fn clone(&self) -> Self {
        let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Mesh {
            read: self.read.clone(),
            source: self.source.clone(),
            options: self.options.clone(),
            prepared: Mutex::new(prepared),
        }
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, cells) = (self.n_vertices(), self.n_cells());
        f.debug_struct("Mesh")
            .field("vertices", &vertices)
            .field("cells", &cells)
            .finish_non_exhaustive()
    }
}

/// Reads a mesh in any format that the command line reads.
///
/// ```
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// assert_eq!((mesh.n_vertices(), mesh.n_cells()), (10242, 20480));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Input`] for a file that cannot be used.
pub fn read(path: impl AsRef<Path>) -> Result<Mesh> {
    read_with(path, &ReadOptions::default())
}

/// Reads a mesh like [`read`], with options.
///
/// ```
/// use zeroset::api::ReadOptions;
/// use zeroset::config::Device;
/// let options = ReadOptions::default().device(Device::cpu().threads(2));
/// let mesh = zeroset::read_with("meshes/fsaverage5_pial_left.gii.gz", &options)?;
/// assert_eq!(zeroset::distance(&mesh, &[zeroset::Source::Vertex(0)])?.backend, "cpu");
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Input`] for a file that cannot be used, [`Error::Case`] for options out of
/// range, and [`Error::Device`] if a GPU is requested but not available.
pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Mesh> {
    let path = path.as_ref();
    let text = path
        .to_str()
        .ok_or_else(|| Error::usage(format!("{path:?} is not valid Unicode"), "rename the file"))?;
    let source = source(Some(text.to_string()), options);
    let config = Config::of_distance(source.clone(), Distance::default(), Vec::new());
    let read = available(options)?.run(|| ReadMesh::new(&config))?;
    Ok(Mesh::of(read, source, options))
}

/// Returns the mesh table of a case.
fn source(path: Option<String>, options: &ReadOptions) -> MeshSource {
    MeshSource {
        path,
        time: options.time,
        generate: None,
        refine: 0,
        patch_size: options.patch_size,
        partition: Some(options.partition),
        data: options.data.clone(),
        weld: options.weld,
        repair: options.repair,
        skip_unsupported: options.skip_unsupported,
        frame: options.frame,
    }
}

/// Returns the threads, and checks that a requested GPU is available.
fn available(options: &ReadOptions) -> Result<Arc<Cpu>> {
    if options.device.kind == crate::config::DeviceKind::Cuda {
        gpu::available(options.device.ordinal)?;
    }
    pool(options.device.threads)
}

impl Mesh {
    /// Creates a mesh of triangles from coordinates, `[vertices]` in any unit of length, and corner
    /// indices, `[triangles]`.
    ///
    /// ```
    /// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2]])?;
    /// let found = zeroset::distance(&mesh, &[zeroset::Source::Vertex(1)])?;
    /// assert_eq!(found.values[0], 1.0);
    /// # Ok::<(), zeroset::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the threads cannot be started. An invalid mesh is refused by
    /// the first call that uses it.
    pub fn triangles(vertices: Vec<[f64; 3]>, triangles: &[[u32; 3]]) -> Result<Self> {
        let is_planar = vertices.windows(2).all(|pair| pair[0][2] == pair[1][2]);
        let kind = if is_planar { Kind::Planar } else { Kind::Surface };
        let mesh = mesh::Mesh::new(kind, vertices, triangles.as_flattened().to_vec());
        Mesh::with_options(mesh, &ReadOptions::default())
    }

    /// Creates a mesh from a mesh of the lower-level interface, with its arrays and groups.
    ///
    /// ```
    /// use zeroset::mesh::generate::{Generate, Sphere, generate};
    /// let sphere = generate(&Generate::Sphere(Sphere::default()))?;
    /// let mesh = zeroset::Mesh::with_options(sphere, &Default::default())?;
    /// let found = zeroset::distance(&mesh, &[zeroset::Source::Vertex(0)])?;
    /// assert!(found.values.iter().all(|d| *d < std::f64::consts::PI));
    /// # Ok::<(), zeroset::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Device`] if a GPU is requested but not available, or if the threads cannot
    /// be started. An invalid mesh is refused by the first call that uses it.
    pub fn with_options(mesh: mesh::Mesh, options: &ReadOptions) -> Result<Self> {
        available(options)?;
        Ok(Mesh::of(ReadMesh::of(mesh), source(None, options), options))
    }

    fn of(read: ReadMesh, source: MeshSource, options: &ReadOptions) -> Self {
        Mesh { read, source, options: options.clone(), prepared: Mutex::default() }
    }

    /// Returns a copy of the mesh for calls on the GPU with the given index.
    pub fn on_gpu(&self, ordinal: u32) -> Self {
        let mut options = self.options.clone();
        (options.device.kind, options.device.ordinal) = (DeviceKind::Cuda, ordinal);
        Mesh {
            read: self.read.clone(),
            source: self.source.clone(),
            options,
            prepared: Mutex::default(),
        }
    }

    /// Returns the number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.read.mesh.n_vertices()
    }

    /// Returns the number of triangles or tetrahedra.
    pub fn n_cells(&self) -> usize {
        self.read.mesh.n_cells()
    }

    /// Returns the vertices, cells, arrays and groups as they were read.
    pub fn stored(&self) -> &mesh::Mesh {
        &self.read.mesh
    }

    /// Returns the unit of length that the file states, such as "mm".
    pub fn length_unit(&self) -> Option<&str> {
        self.read.length_unit()
    }

    /// Returns the warnings of the reader, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.read.warnings
    }

    /// Adds an array with `components` numbers per vertex, `[vertices * components]`, or replaces
    /// the array of this name. Expressions can then use the name. The numbers may have any unit.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the number of values is wrong.
    pub fn set_vertex_array(
        &mut self,
        name: &str,
        components: usize,
        values: Vec<f64>,
    ) -> Result<()> {
        let array = array(name, components, values, self.n_vertices(), "vertices")?;
        self.update(|setup| setup.set_vertex_array(array.clone()));
        replace(&mut self.read.mesh.vertex_data, array);
        Ok(())
    }

    /// Adds an array with `components` numbers per cell, `[cells * components]`, or replaces the
    /// array of this name. Expressions can then use the name. The numbers may have any unit.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the number of values is wrong.
    pub fn set_cell_array(
        &mut self,
        name: &str,
        components: usize,
        values: Vec<f64>,
    ) -> Result<()> {
        let array = array(name, components, values, self.n_cells(), "cells")?;
        self.update(|setup| setup.set_cell_array(array.clone()));
        replace(&mut self.read.mesh.cell_data, array);
        Ok(())
    }

    /// Updates the prepared meshes. A mask may depend on the arrays, so masked meshes are dropped.
    fn update(&mut self, set: impl Fn(&mut MeshSetup)) {
        let prepared = self.prepared.get_mut().unwrap_or_else(PoisonError::into_inner);
        prepared.retain(|prepared| prepared.mask.is_none());
        prepared.iter_mut().for_each(|prepared| set(&mut prepared.setup));
    }

    /// Returns the setup of a task on the mesh, with the given arrays per vertex and per cell.
    pub(super) fn setup(
        &self,
        mut config: Config,
        arrays: (Vec<DataArray>, Vec<DataArray>),
        control: &Control,
    ) -> Result<MeshSetup> {
        config.precision = Some(self.options.precision);
        config.device = self.options.device.clone();
        if let Domain::Mesh(mesh) = &mut config.domain {
            // The case check requires a path, which a mesh built from arrays does not have.
            mesh.path.get_or_insert_with(|| "arrays".into());
        }
        config.check()?;
        let mut setup = self.prepared(&config, control)?.with_config(config);
        setup.cleaned.forget_doubts();
        arrays.0.into_iter().for_each(|array| setup.set_vertex_array(array));
        arrays.1.into_iter().for_each(|array| setup.set_cell_array(array));
        Ok(setup)
    }

    /// Returns the mesh prepared for a case. The first call prepares it.
    fn prepared(&self, config: &Config, control: &Control) -> Result<MeshSetup> {
        let of_distance = config.distance.as_ref().and_then(|distance| distance.mask.as_ref());
        let of_evolve = config.evolve.as_ref().and_then(|evolve| evolve.mask.as_ref());
        let mask = of_distance.or(of_evolve).map(ToString::to_string);
        let repairs = config.repairs();
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        let is_same = |known: &&Prepared| {
            (known.process, &known.mask, known.repairs) == (process, &mask, repairs)
        };
        if let Some(known) = prepared.iter().find(is_same) {
            return Ok(known.setup.clone());
        }
        let mut stage = Stages::new(control, &control.interrupt);
        let setup = MeshSetup::of(config, self.cpu()?, self.read.clone(), &mut stage)?;
        prepared.push(Prepared { process, mask, repairs, setup: setup.clone() });
        Ok(setup)
    }

    /// Returns the mesh table of a case on this mesh.
    pub(super) fn source(&self) -> MeshSource {
        self.source.clone()
    }

    /// Returns the threads that calls on this mesh use. Other meshes may share them.
    ///
    /// # Errors
    /// Returns the errors of [`Cpu::new`].
    pub fn cpu(&self) -> Result<Arc<Cpu>> {
        pool(self.options.device.threads)
    }

    /// Returns an array with one number for each vertex.
    pub(super) fn vertex_array(&self, name: &str, values: Vec<f64>) -> Result<DataArray> {
        array(name, 1, values, self.n_vertices(), "vertices")
    }

    /// Returns an array with one vector for each vertex.
    pub(super) fn vertex_vectors(&self, name: &str, rows: &[[f64; 3]]) -> Result<DataArray> {
        array(name, 3, rows.as_flattened().to_vec(), self.n_vertices(), "vertices")
    }

    /// Returns an array with one number for each cell.
    pub(super) fn cell_array(&self, name: &str, values: Vec<f64>) -> Result<DataArray> {
        self.cell_table(name, 1, values)
    }

    /// Returns an array with several numbers for each cell.
    pub(super) fn cell_table(
        &self,
        name: &str,
        components: usize,
        values: Vec<f64>,
    ) -> Result<DataArray> {
        array(name, components, values, self.n_cells(), "cells")
    }
}

/// Parses an optional expression.
pub(super) fn mask(text: Option<&str>) -> Result<Option<crate::expression::Expression>> {
    text.map(expression).transpose()
}

fn array(
    name: &str,
    components: usize,
    values: Vec<f64>,
    rows: usize,
    places: &str,
) -> Result<DataArray> {
    if components == 0 || values.len() != rows * components {
        let what = format!("the array \"{name}\" has {} numbers", values.len());
        let remedy = format!("give {components} numbers for each of the {rows} {places}");
        return Err(Error::usage(what, remedy));
    }
    Ok(DataArray { name: name.to_string(), components, values: mesh::Values::Float(values) })
}

fn replace(arrays: &mut Vec<DataArray>, array: DataArray) {
    arrays.retain(|old| old.name != array.name);
    arrays.push(array);
}
