//! Writing the states of a run on a mesh: VTK series of phi and of the interface, and cortex files.

use std::borrow::Cow;
use std::path::Path;

use super::CleanedMesh;
use super::motion::State;
use super::picture::Pictures;
use super::writer::{Files, Times};
use crate::atomic::check_folder;
use crate::config::{Config, Distance, InterfaceFile, PointField, SeriesFormat};
use crate::error::{Error, Result};
use crate::io::vtk::{self, Compression, Geometry, HdfSeries, VtkOutput};
use crate::io::{self, Entry, WriteOptions, freesurfer, gifti, write_mesh};
use crate::levelset::eikonal::Gradient;
use crate::levelset::eikonal::cuda::Gpu;
use crate::mesh::{Group, Kind, Members, Mesh, normal_arrays};
use crate::output::{RunFolder, Series, numbered, remove};
use crate::picture::Marks;
use crate::surface::{self, Interface};

/// A state whose values are in the order of the cleaned mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct MeshState {
    pub step: u64,
    pub time: f64,
    pub phi: Vec<f64>,
    pub band: Vec<bool>,
    pub extras: Extras,
}

/// Additional arrays of a distance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// Index of the nearest seed per vertex, or -1 at vertices that no front has reached.
    pub labels: Option<Vec<i32>>,
    /// Gradients per cell and per vertex.
    pub gradient: Option<Gradient>,
    /// Velocities of the front per cell.
    pub velocity: Option<Vec<[f64; 3]>>,
    /// Sources and paths, for pictures.
    pub marks: Marks,
}

impl Extras {
    /// Returns the arrays in the order of the stored mesh.
    fn stored(&self, cleaned: &CleanedMesh) -> StoredExtras {
        let none = [f64::NAN; 3];
        StoredExtras {
            labels: self.labels.as_ref().map(|labels| cleaned.as_stored(labels, -1)),
            gradient: self.gradient.as_ref().map(|gradient| {
                let cells = cleaned.as_stored_cells(gradient.cells.clone(), none);
                [cleaned.as_stored(&gradient.vertices, none), cells]
            }),
            velocity: self
                .velocity
                .as_ref()
                .map(|velocity| cleaned.as_stored_cells(velocity.clone(), none)),
        }
    }
}

struct StoredExtras {
    labels: Option<Vec<i32>>,
    /// Gradients per vertex and per cell.
    gradient: Option<[Vec<[f64; 3]>; 2]>,
    /// Velocities per cell.
    velocity: Option<Vec<[f64; 3]>>,
}

impl StoredExtras {
    fn add_to<'a>(&'a self, mut output: VtkOutput<'a>) -> VtkOutput<'a> {
        if let Some(labels) = &self.labels {
            output = output.point_data("label", 1, &labels[..]);
        }
        if let Some([vertices, cells]) = &self.gradient {
            output = output.point_data("gradient", 3, vertices.as_flattened()).cell_data(
                "gradient",
                3,
                cells.as_flattened(),
            );
        }
        if let Some(velocity) = &self.velocity {
            output = output.cell_data("velocity", 3, velocity.as_flattened());
        }
        output
    }
}

/// The mesh in the order of the stored vertices, for output. It contains the cells that repair and
/// cleaning kept, including those outside a mask.
pub(super) struct StoredMesh<'a> {
    cleaned: &'a CleanedMesh,
    cells: Cow<'a, [u32]>,
    compression: Compression,
}

impl<'a> StoredMesh<'a> {
    pub(super) fn new(cleaned: &'a CleanedMesh, compression: Compression) -> Self {
        StoredMesh { cleaned, cells: cleaned.stored_cells(), compression }
    }

    fn geometry(&self, compression: Compression) -> Geometry<'_> {
        let points = &self.cleaned.stored_vertices;
        match self.cleaned.mesh.kind {
            Kind::Planar | Kind::Surface => Geometry::triangles(points, &self.cells, compression),
            Kind::Volume => Geometry::tetrahedra(points, &self.cells, compression),
        }
    }
}

/// The files to which states are written.
enum Target {
    /// One file per state, and a list of the files.
    Files(Series),
    /// One file that contains all states.
    One(HdfSeries),
}

/// Writer of the states of one run.
pub(super) struct States<'a> {
    config: &'a Config,
    cleaned: &'a CleanedMesh,
    patch_of: &'a [u32],
    /// Name of the array of values: "phi" or "distance".
    array: &'static str,
    geometry: Geometry<'a>,
    compression: Compression,
    folder: &'a RunFolder,
    states: Target,
    interfaces: Option<Series>,
    /// Step and time of each state.
    written: Times,
    pictures: Option<Pictures<'a>>,
}

impl<'a> States<'a> {
    pub(super) fn new(
        config: &'a Config,
        mesh: &'a StoredMesh<'a>,
        patch_of: &'a [u32],
        array: &'static str,
        folder: &'a RunFolder,
        gpu: Option<&Gpu>,
    ) -> Result<Self> {
        let (name, compression) = (config.name(), mesh.compression);
        let (states, geometry) = match config.output.format {
            SeriesFormat::Pvd => {
                let geometry = mesh.geometry(compression);
                let series = Series::new(folder.path(), &name, geometry.extension());
                (Target::Files(series), geometry)
            }
            SeriesFormat::Vtkhdf => {
                let file = folder.file(&format!("{name}.vtkhdf"));
                let series = HdfSeries::new(&file, of_hdf(config));
                // HDF5 compresses its arrays itself.
                (Target::One(series), mesh.geometry(Compression::None))
            }
        };
        let interface = config.output.interface && array == "phi";
        Ok(States {
            config,
            cleaned: mesh.cleaned,
            patch_of,
            array,
            states,
            geometry,
            compression,
            folder,
            interfaces: interface.then(|| Series::new(folder.path(), "interface", "vtp")),
            written: Vec::new(),
            pictures: Pictures::new(config, mesh.cleaned, gpu)?,
        })
    }

    /// Writes all files of a state.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be written. Returns the errors of pictures.
    pub(super) fn write_mesh(&mut self, state: &MeshState) -> Result<()> {
        let phi = self.cleaned.as_stored(&state.phi, f64::NAN);
        self.write_values(state, &phi)?;
        self.write_interfaces(state)?;
        let file = |ending| self.folder.file(&numbered(&self.config.name(), state.step, ending));
        if self.config.output.gifti {
            write_vertex_values(&file("shape.gii"), self.cleaned, self.array, &phi)?;
        }
        if self.config.output.freesurfer {
            write_vertex_values(&file("morph"), self.cleaned, self.array, &phi)?;
        }
        self.written.push((state.step, state.time));
        self.pictures.as_mut().map_or(Ok(()), |pictures| pictures.add(state, self.folder))
    }

    /// Writes the values of a state at the vertices. `phi` is in the order of the stored mesh.
    fn write_values(&mut self, state: &MeshState, phi: &[f64]) -> Result<()> {
        let asked = |field| self.config.output.fields.contains(&field);
        let (band, patch);
        let mut output =
            VtkOutput::new(&self.geometry).time(state.time).point_data(self.array, 1, phi);
        let units = &self.cleaned.units;
        output = output.units(units).array_unit(self.array, self.config.unit_of_result(units));
        if asked(PointField::Band) && !state.band.is_empty() {
            let mask: Vec<u8> = state.band.iter().map(|&b| u8::from(b)).collect();
            band = self.cleaned.as_stored(&mask, 0);
            output = output.point_data("band", 1, &band[..]);
        }
        if asked(PointField::Patch) {
            let number: Vec<i32> = self.patch_of.iter().map(|&p| p as i32).collect();
            patch = self.cleaned.as_stored(&number, -1);
            output = output.point_data("patch", 1, &patch[..]);
        }
        let extras = state.extras.stored(self.cleaned);
        output = extras.add_to(output);
        match &mut self.states {
            Target::Files(series) => {
                series.add(state.step, state.time, |path| vtk::write(path, &output))?;
            }
            Target::One(series) => {
                self.folder.note_growth(series.path())?;
                series.add(&output)?;
            }
        }
        Ok(())
    }

    /// Writes the interface of a state if the case requests it.
    fn write_interfaces(&mut self, state: &MeshState) -> Result<()> {
        let Some(interfaces) = &mut self.interfaces else { return Ok(()) };
        let found = surface::extract(&self.cleaned.mesh, &state.phi);
        let geometry = match found.arity {
            2 => Geometry::lines(&found.vertices, &found.cells, self.compression),
            _ => Geometry::triangles(&found.vertices, &found.cells, self.compression),
        };
        let output = VtkOutput::new(&geometry).time(state.time).units(&self.cleaned.units);
        interfaces.add(state.step, state.time, |path| vtk::write(path, &output))?;
        for file in &self.config.output.interface_files {
            let name = numbered("interface", state.step, file.ending());
            write_interface(&self.folder.file(&name), &found, *file)?;
        }
        Ok(())
    }

    /// Draws the last state, if the case requests a picture of it. No state is written afterwards.
    ///
    /// # Errors
    /// Returns the errors of pictures.
    pub(super) fn finish_mesh(&mut self, last: &MeshState) -> Result<()> {
        self.pictures.as_mut().map_or(Ok(()), |pictures| pictures.finish(last, Some(self.folder)))
    }
}

impl Files for States<'_> {
    fn write(&mut self, state: &State) -> Result<()> {
        self.write_mesh(state.of_mesh()?)
    }

    fn written(&self) -> &[(u64, f64)] {
        &self.written
    }

    fn resume(&mut self, written: Times, step: u64, due: bool) -> Result<()> {
        match &mut self.states {
            Target::Files(series) => series.resume(&written)?,
            Target::One(series) => {
                let path = series.path().to_path_buf();
                *series = HdfSeries::open_existing(&path, of_hdf(self.config), written.len())?;
            }
        }
        if let Some(interfaces) = &mut self.interfaces {
            interfaces.resume(&written)?;
        }
        self.written = written;
        if !due && self.written.last().is_some_and(|&(last, _)| last != step) {
            // A file that contains all states has already been truncated above.
            if let Target::Files(series) = &self.states {
                series.forget(step)?;
            }
            self.interfaces.iter().try_for_each(|interfaces| interfaces.forget(step))?;
            for file in &self.config.output.interface_files {
                self.folder.remove_own(&numbered("interface", step, file.ending()))?;
            }
            for ending in ["shape.gii", "morph", "png"] {
                self.folder.remove_own(&numbered(&self.config.name(), step, ending))?;
            }
        }
        Ok(())
    }

    fn settle(&mut self, first: &State) -> Result<()> {
        let first = first.of_mesh()?;
        self.pictures.as_mut().map_or(Ok(()), |pictures| pictures.settle(first))
    }

    fn has_pictures(&self) -> bool {
        self.pictures.is_some()
    }

    fn finish(&mut self, last: &State) -> Result<()> {
        self.finish_mesh(last.of_mesh()?)
    }
}

/// Returns the compression of a `.vtkhdf` file. The default is none, because one thread would have
/// to compress each state.
fn of_hdf(config: &Config) -> Compression {
    config.output.compression.unwrap_or(Compression::None)
}

/// Writes an interface with normals, or without them if it consists of lines. STL files store one
/// normal per triangle, and other formats store one per vertex. If the interface has vanished,
/// removes the file instead.
fn write_interface(path: &Path, found: &Interface, file: InterfaceFile) -> Result<()> {
    let triangles = if found.arity == 3 { found.cells.clone() } else { Vec::new() };
    let mut mesh = Mesh::new(Kind::Surface, found.vertices.clone(), triangles);
    if found.arity == 2 && !found.cells.is_empty() {
        let members = Members::Simplices { dimension: 1, vertices: found.cells.clone() };
        mesh.groups.push(Group { name: "lines".to_string(), members });
    } else if file != InterfaceFile::Stl {
        mesh.vertex_data = normal_arrays(&mesh);
    }
    write_surface(path, &mesh)
}

/// Writes an interface to a file whose ending selects the format. If the interface has vanished,
/// removes the file instead.
pub(super) fn write_surface(path: &Path, mesh: &Mesh) -> Result<()> {
    if mesh.cells.is_empty() && mesh.groups.is_empty() {
        return remove(path);
    }
    // The report of losses is ignored. Only digits can be lost, because STL stores 32-bit numbers.
    write_mesh(path, mesh, &WriteOptions::default()).map(drop)
}

/// Endings of the files to which vertex values can be written. `label.gii` must precede `gii`.
const ENDINGS: [&str; 9] =
    ["label.gii", "vtu", "vtp", "gii", "morph", "label", "npy", "csv", "dat"];

fn ending(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let has = |ending: &&str| name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.'));
    ENDINGS.into_iter().find(has)
}

/// Refuses labels, gradients and velocities for files that hold only one array, gradients and
/// velocities for `.csv` and `.label.gii` files, and a `.label.gii` file without labels.
///
/// # Errors
/// Returns [`Error::Case`] in these cases. Its remedy is the option `--labels`, or the endings of
/// files that hold more arrays.
pub(super) fn check_extras(path: &Path, distance: &Distance) -> Result<()> {
    let (labels, vectors) = (distance.labels, distance.gradient || distance.velocity);
    let remedy = "write labels, gradients and velocities to .vtu or .vtp, labels alone to \
                  .label.gii or .csv";
    let wrong = match ending(path) {
        Some("label.gii") if !labels => ("holds labels, but none were requested", "add --labels"),
        Some("label.gii") if vectors => ("such a file holds labels only", remedy),
        Some("csv") if vectors => ("such a file holds no gradients or velocities", remedy),
        Some("gii" | "morph" | "label" | "npy" | "dat") if labels || vectors => {
            ("such a file holds one array only", remedy)
        }
        _ => return Ok(()),
    };
    Err(Error::usage(format!("{}: {}", path.display(), wrong.0), wrong.1))
}

/// Checks in advance, as far as possible, whether [`write_single`] can write to `path`.
///
/// # Errors
/// Returns [`Error::Case`] with the known endings if the ending of `path` is unknown or does not
/// apply to the kind of mesh. Returns [`Error::Output`] if the folder does not exist or is not
/// writable.
pub(super) fn check_single(path: &Path, kind: Option<Kind>) -> Result<()> {
    let wrong = match (ending(path), kind) {
        (None, _) => "unknown extension of the output file",
        (Some("vtp"), Some(Kind::Volume)) => "tetrahedra cannot be .vtp",
        _ => return check_folder(path),
    };
    let near = match ending(path) {
        None => nearly(path),
        Some(_) => String::new(),
    };
    let remedy = near
        + "end the name in .vtu, .vtp (triangles), .npy, .csv, .dat, .shape.gii, .label.gii, .morph or .label";
    Err(Error::usage(format!("{}: {wrong}", path.display()), remedy))
}

/// Returns a suggestion such as "did you mean .shape.gii? " for the last or the last two endings of
/// a file name.
fn nearly(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut parts = name.rsplit('.');
    let (last, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let two = io::meant(&format!("{before}.{last}"), ["shape.gii", "label.gii"]);
    match two.is_empty() {
        true => io::meant(last, ["vtu", "vtp", "gii", "morph", "label", "npy", "csv", "dat"]),
        false => two,
    }
}

/// Checks in advance whether lines can be written to `path`, which must end in `.vtp`.
///
/// # Errors
/// Returns the same errors as [`check_single`].
pub(super) fn check_lines(path: &Path) -> Result<()> {
    if ending(path) != Some("vtp") {
        let what = format!("{}: paths are lines, which are written as .vtp", path.display());
        return Err(Error::usage(what, "end the name in .vtp"));
    }
    check_folder(path)
}

/// Writes one array, given by its name, its unit and its values in the order of the cleaned mesh,
/// to a file whose ending selects the format.
///
/// `.vtu` and `.vtp` files also store `extras`. `.label.gii` files store only the labels. A
/// FreeSurfer label stores the vertices whose values are below `width`. `.npy` and `.csv` files
/// hold the values of all vertices of the mesh file, and `.csv` files also the labels. CARP's
/// `.dat` files hold the values, and -1 at vertices without a value. `compression` applies to
/// `.vtu` and `.vtp`.
///
/// # Errors
/// Returns [`Error::Output`] if the file cannot be written, or if -1 could be a value of a `.dat`
/// file.
pub(super) fn write_single(
    path: &Path,
    cleaned: &CleanedMesh,
    (name, unit): (&str, String),
    values: &[f64],
    extras: &Extras,
    width: Option<f64>,
    compression: Compression,
) -> Result<()> {
    let values = cleaned.as_stored(values, f64::NAN);
    match (ending(path), &extras.labels) {
        (Some("vtu" | "vtp"), _) => {
            let mesh = StoredMesh::new(cleaned, compression);
            let geometry = mesh.geometry(compression);
            let extras = extras.stored(cleaned);
            let mut output = VtkOutput::new(&geometry).point_data(name, 1, &values[..]);
            output.metadata = cleaned.about.anatomy();
            output = output.units(&cleaned.units).array_unit(name, unit);
            vtk::write(path, &extras.add_to(output))
        }
        (Some("label.gii"), Some(labels)) => {
            write_labels(path, &cleaned.as_stored(labels, -1), &cleaned.about.anatomy())
        }
        (Some("label"), _) => {
            let reached = |x: f64| if width.is_none_or(|width| x < width) { x } else { f64::NAN };
            let values: Vec<f64> = values.into_iter().map(reached).collect();
            freesurfer::write_label(path, &cleaned.stored_vertices, &values)
        }
        (Some("npy"), _) => io::write_values_npy(path, &values),
        (Some("dat"), _) => io::write_values_dat(path, &values),
        (Some("csv"), labels) => {
            let labels = labels.as_ref().map(|labels| cleaned.as_stored(labels, -1));
            let vertices = &cleaned.stored_vertices;
            io::write_values_csv(path, vertices, name, &values, labels.as_deref())
        }
        _ => write_vertex_values(path, cleaned, name, &values),
    }
}

/// Writes the nearest source of each vertex. Label 0 means no source, as in other neuroimaging
/// software, and label k means the k-th source.
fn write_labels(path: &Path, labels: &[i32], metadata: &[Entry]) -> Result<()> {
    let keys: Vec<i32> = labels.iter().map(|label| label + 1).collect();
    let n = keys.iter().max().map_or(0, |&last| last.max(0) as usize);
    let sources = (1..=n).map(|source| format!("source {source}"));
    let table: Vec<String> = std::iter::once("???".to_string()).chain(sources).collect();
    gifti::write_label(path, "label", &keys, &table, metadata)
}

/// Writes a GIFTI shape file or a FreeSurfer morph file. Both store 32-bit numbers.
fn write_vertex_values(
    path: &Path,
    cleaned: &CleanedMesh,
    name: &str,
    values: &[f64],
) -> Result<()> {
    let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
    match ending(path) {
        Some("morph") => freesurfer::write_morph(path, &values, cleaned.cleaning.n_stored_cells),
        _ => gifti::write_shape(path, name, &values, &cleaned.about.anatomy()),
    }
}
