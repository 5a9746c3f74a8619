//! Reading and writing of mesh, volume, point cloud and data files.
//!
//! Each format has its own file or folder. [`read_mesh`] and [`read_volume`] determine the format
//! from the content first and from the extension second. They never rely on a count that they have
//! not checked against the number of bytes present. [`read`] accepts meshes, volumes and data.
//! [`write_mesh`] and [`write_volume`] determine the format from the file name.
//!
//! The reader of a format gets the bytes of a file, and its path only for the names of arrays and
//! for files next to it. It returns a [`Flaw`] with the position, the problem, the remedy, and the
//! underlying error of another crate or of the operating system. The functions that open a file add
//! its name, so that each error is an [`Error::Input`](zeroset_core::Error::Input) with the file
//! and the flaw.
//!
//! Among the other zeroset crates, this crate depends only on `zeroset-core`, so that files can be
//! read without a GPU. The compiler enforces this:
//!
//! ```compile_fail,E0432
//! use zeroset_gpu::Cuda; // another layer
//! ```

mod about;
mod budget;
pub mod bytes;
mod carp;
mod cloud;
mod columns;
mod companions;
mod curves;
mod cut;
mod elements;
mod faces;
mod frame;
pub mod freesurfer;
pub mod gifti;
mod groups;
mod guard;
mod load;
mod matrix;
mod medit;
mod mni;
mod moment;
mod msh;
mod named_groups;
mod obj;
mod octree_leaves;
mod off;
mod overlay;
mod ply;
mod points;
mod scalar;
mod series;
mod sniff;
mod stl;
#[cfg(test)]
mod tests;
mod tetgen;
mod text;
mod unique_names;
mod units;
mod unpack;
mod vertex_data;
mod vertex_values;
mod volume;
pub mod vtk;
mod write;

use std::collections::BTreeMap;
pub use std::path::Path;

pub use about::{About, Entry};
use budget::Budget;
pub use cloud::{
    Attributes, CloudLayout, CloudOptions, CloudReport, NormalsFrom, check_cloud_target,
    cloud_of_mesh, is_cloud, is_cloud_target, is_scan, read_cloud, read_cloud_with, write_cloud,
    write_cloud_pieces, write_cloud_with,
};
pub use columns::points_of_array;
pub use companions::{companions_read, companions_written};
pub use curves::{Curve, Curves, read_curves, read_curves_at};
pub use cut::Uncut;
pub use frame::{Affine, FileFrame, Frame, FrameOffset};
use load::Loaded;
pub use matrix::{check_matrix_target, write_matrix};
pub use moment::{Moment, StateTime, listed};
pub use octree_leaves::{check_leaves_target, write_leaves};
pub use overlay::{Added, add_data};
pub use points::{check_points_target, points_text, write_points};
use series::Opened;
pub use series::{Series, may_be_series};
pub use sniff::Format;
pub use sniff::instead_of_a_case;
pub use units::{Units, with_unit};
use vertex_data::data_as;
pub use vertex_data::{PartialArray, VertexData, read_data, read_data_at};
pub use vertex_values::{write_values_csv, write_values_dat, write_values_npy};
pub use volume::{
    RawLayout, VolumeFile, VolumeOptions, check_volume_target, is_same_length, is_volume_target,
    read_volume, write_npy_table, write_volume,
};
pub use write::meant;
pub use write::{WriteOptions, check_target, write_mesh, write_mesh_about};
pub use zeroset_core::atomic;
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, FlawKind, Result, plain};
use zeroset_core::mesh::{Group, Members, Mesh};

/// A mesh as stored in its file. Cells are cut into simplices and STL corners are merged, but
/// faults of the mesh are not repaired.
#[derive(Clone, Debug)]
pub struct MeshFile {
    /// The mesh. It has no cells if the file holds only points.
    pub mesh: Mesh,
    /// Short name of the format: "msh", "vtk", "vtu", "vtp", "vtkhdf", "ply", "obj", "mni", "off",
    /// "stl", "gifti", "freesurfer", "medit", "tetgen", "carp", "text", "npy", "pcd", "las", "laz",
    /// "e57", "ptx".
    pub format: &'static str,
    /// Version and encoding as stated in the file, such as "4.1 binary".
    pub version: String,
    /// Unit of length, if the file or its format states one ("mm" for cortex formats).
    pub units: Option<String>,
    /// Coordinate system, if the file names one, such as "NIFTI_XFORM_TALAIRACH".
    pub space: Option<String>,
    /// Number of cells of each type, as stored, by type name: "triangle", "quad", "polygon",
    /// "tetra", "tetra10", ...
    pub cells_by_type: BTreeMap<String, usize>,
    /// One sentence for each thing that was dropped or changed during reading.
    pub warnings: Vec<String>,
    /// The cells that cannot be cut. [`read_mesh`] returns an error if there are any.
    pub uncut: Uncut,
    /// The frame of the coordinates, metadata, and the time of the data.
    pub about: Box<About>,
}

impl MeshFile {
    /// Returns the units of length and time that the file or its format states.
    pub fn stated_units(&self) -> Units {
        let mut units = self.about.state.units.clone();
        units.length = self.units.clone();
        units
    }

    /// Sets the time and the units that the file states.
    fn set_state(&mut self, state: StateTime) {
        self.units = state.units.length.clone();
        self.about.state = state;
    }

    /// Transforms the vertices to a frame, and drops warnings that a matrix is not applied.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file does not state how its coordinates are related to the frame.
    pub fn choose(&mut self, frame: Frame) -> Result<(), Flaw> {
        self.about.choose(frame, &mut self.mesh.vertices)?;
        self.warnings.retain(|warning| !warning.contains(gifti::NOT_APPLIED));
        Ok(())
    }
}

/// Options of [`read_mesh_with`].
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct MeshOptions {
    /// Whether cells that cannot be cut into simplices are left out. Otherwise, they are an error.
    pub skip_unsupported: bool,
    /// The frame of the coordinates. `None` means the coordinates as stored.
    pub frame: Option<Frame>,
    /// The state of a series. `None` means the last state, with a warning if the series has
    /// several.
    pub time: Option<Moment>,
}

impl MeshOptions {
    /// Sets whether cells that cannot be cut into simplices are left out.
    pub fn skip_unsupported(mut self, skip: bool) -> Self {
        self.skip_unsupported = skip;
        self
    }

    /// Chooses the frame of the coordinates. `None` keeps them as stored.
    pub fn frame(mut self, frame: Option<Frame>) -> Self {
        self.frame = frame;
        self
    }

    /// Chooses the state of a series. `None` means the last state.
    pub fn time(mut self, time: Option<Moment>) -> Self {
        self.time = time;
        self
    }
}

/// Reads a mesh from a file of any supported format, which may be compressed with gzip.
///
/// The format is determined from the content first and from the extension second. A file that holds
/// only points yields a mesh without cells.
///
/// ```
/// use zeroset_io::{WriteOptions, read_mesh, write_mesh};
/// # use zeroset_core::mesh::{Kind, Mesh};
/// # let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// # let mesh = Mesh::new(Kind::Planar, corners, vec![0, 1, 2]);
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("mesh.vtu");
/// write_mesh(&path, &mesh, &WriteOptions::default())?;
/// let file = read_mesh(&path)?;
/// assert_eq!((file.format, file.mesh.n_cells()), ("vtu", mesh.n_cells()));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Input`](zeroset_core::Error::Input), which names the file, the position, what
/// was found and the remedy, if the format is unknown, if the file is damaged or truncated, if a
/// coordinate is not finite, if an index is out of range, or if a cell cannot be cut into
/// simplices.
pub fn read_mesh(path: &Path) -> Result<MeshFile> {
    read_mesh_with(path, &MeshOptions::default())
}

/// Reads a mesh like [`read_mesh`], with options.
///
/// # Errors
/// Returns the errors of [`read_mesh`].
pub fn read_mesh_with(path: &Path, options: &MeshOptions) -> Result<MeshFile> {
    mesh(path, options).map_err(|flaw| flaw.in_file(path))
}

fn mesh(path: &Path, options: &MeshOptions) -> Result<MeshFile, Flaw> {
    let mut file = match series::open(path, load::load(path)?)? {
        Opened::Series(series) => {
            let (state, warning) = series.pick(options.time)?;
            let mut file = series.mesh(state, options)?;
            file.warnings.extend(warning);
            file
        }
        Opened::Single(loaded) => mesh_of_loaded(path, &loaded, options)?,
    };
    if file.about.state.series.is_empty() {
        Moment::check_single(options.time, &file.about.state)?;
    }
    // Warnings quote text of the file, which may contain control characters.
    file.warnings = file.warnings.into_iter().map(plain).collect();
    Ok(file)
}

/// Reads a mesh from a file that is not a series.
fn mesh_of_loaded(path: &Path, loaded: &Loaded, options: &MeshOptions) -> Result<MeshFile, Flaw> {
    let (format, warning) = sniff::format(path, &loaded.bytes)?;
    let mut file = read_as(format, path, &loaded.bytes, loaded.budget)?;
    file.warnings.extend(warning);
    finished(file, options)
}

/// Applies the options to a mesh that has been read.
fn finished(mut file: MeshFile, options: &MeshOptions) -> Result<MeshFile, Flaw> {
    file.warnings.extend(file.uncut.settle(&mut file.mesh, options.skip_unsupported)?);
    if let Some(frame) = options.frame {
        file.choose(frame)?;
    }
    Ok(file)
}

/// Reads a mesh in a known format. For a format that consists of several files, `path` locates the
/// other files.
fn read_as(format: Format, path: &Path, bytes: &[u8], budget: Budget) -> Result<MeshFile, Flaw> {
    let text = text::without_mark(bytes);
    match format {
        Format::Msh => msh::read(&text::with_line_feeds(text)),
        // Arrays in XML may be binary, and XML does not depend on the kind of line endings.
        Format::Vtk if text.starts_with(b"#") => {
            vtk::read_within(&text::with_line_feeds(text), budget)
        }
        Format::Vtk => vtk::read_within(text, budget),
        Format::Ply => ply::read(text),
        Format::Obj => obj::read(&text::with_line_feeds(text)),
        Format::Mni => mni::read(text),
        Format::Off => off::read(text),
        Format::Stl => stl::read(text),
        Format::Gifti => gifti::read(path, text, budget),
        Format::FreeSurfer => freesurfer::read(text),
        Format::Medit => medit::read(path, text),
        Format::TetGen => tetgen::read(path, bytes, &sniff::extension(path)),
        Format::Carp => carp::read(path, bytes, &sniff::extension(path)),
        Format::Xyz => columns::read_points(text),
        Format::Pcd | Format::Las | Format::E57 | Format::Ptx => {
            cloud::read_as_mesh(format, path, bytes, budget)
        }
        Format::Columns => {
            columns::read_data(path, text)?;
            let remedy = "use it as data of a mesh, or rename it to .xyz if these are points";
            unfit("holds numbers per vertex, not a mesh", remedy)
        }
        Format::Morph | Format::Solution => {
            unfit("holds numbers per vertex, not a mesh", "use it as data of a mesh")
        }
        Format::VertexList => {
            let remedy = "use it as data of the mesh, and its group as a source: group:NAME";
            unfit("holds a list of vertices, not a mesh", remedy)
        }
        Format::Label => {
            let what = "holds a label, a set of vertices of a surface, not a mesh";
            unfit(what, "use it as data of the surface")
        }
        Format::Npy => {
            let remedy = "use it as data of a mesh or as a volume; `zeroset info` describes it";
            unfit("is a NumPy array, not a mesh", remedy)
        }
        other => {
            let what = format!("is {}, not a mesh", other.volume().unwrap_or("a volume"));
            let remedy = "a mesh is needed here; `zeroset info` describes the file, and `zeroset convert` \
                          writes it in another volume format";
            unfit(what, remedy)
        }
    }
}

/// Returns the flaw to report for a mesh without cells if the reason is that the file with the
/// cells is missing.
pub fn missing_cells(path: &Path) -> Option<Flaw> {
    tetgen::missing_cells(path).or_else(|| carp::missing_cells(path))
}

/// Returns the flaw of a valid file that holds something other than what is needed.
fn unfit<T>(what: impl Into<String>, remedy: &str) -> Result<T, Flaw> {
    Err(Flaw::whole(what, remedy).kind_of(FlawKind::Unfit))
}

/// The content of a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// A mesh, or points without cells.
    Mesh(MeshFile),
    /// A volume or a picture.
    Volume(VolumeFile),
    /// Values at the vertices of a mesh in another file.
    Data(VertexData),
}

/// Reads a file of any supported content.
///
/// # Errors
/// Returns the errors of [`read_mesh`], [`read_volume`] or [`read_data`].
pub fn read(path: &Path, options: &VolumeOptions) -> Result<Content> {
    if options.raw.is_some() {
        return read_volume(path, options).map(Content::Volume);
    }
    let opened = load::load(path).and_then(|loaded| series::open(path, loaded));
    let content = opened.and_then(|opened| match opened {
        Opened::Series(series) => content_of_series(&series, options),
        Opened::Single(loaded) => content(path, &loaded, options),
    });
    content.map_err(|flaw| flaw.in_file(path))
}

/// Reads the volume of a file, or returns `None` if the file holds something else.
///
/// # Errors
/// Returns the errors of [`read_volume`] for a file in the format of a volume.
pub fn read_if_volume(path: &Path, options: &VolumeOptions) -> Result<Option<VolumeFile>> {
    if options.raw.is_some() {
        return read_volume(path, options).map(Some);
    }
    let read = |loaded: Loaded| {
        let (format, warning) = sniff::format(path, &loaded.bytes)?;
        let mut file = volume::read_as(format, path, &loaded, options)?;
        file.iter_mut().for_each(|file| file.warnings.extend(warning.clone()));
        Ok(file)
    };
    load::load(path).and_then(read).map_err(|flaw| flaw.in_file(path))
}

fn content_of_series(series: &Series, options: &VolumeOptions) -> Result<Content, Flaw> {
    let (state, warning) = series.pick(options.time)?;
    let mut content = series.content(state, options)?;
    match &mut content {
        Content::Mesh(file) => file.warnings.extend(warning),
        Content::Volume(file) => file.warnings.extend(warning),
        Content::Data(_) => {}
    }
    Ok(content)
}

/// Reads a file like [`read`], and also returns its point cloud.
///
/// The cloud is returned if the file holds points without cells, columns called x, y and z, or
/// content that [`read`] rejects (except for lack of memory or a requested state that does not
/// exist), and if [`read_cloud`] accepts the file. There is no cloud for a series or for a file
/// that is read as a raw volume. The file is read only once, so that a pipe can serve for both.
///
/// # Errors
/// The first value is the result of [`read`]. Even if it is an error, there may be a cloud, because
/// a cloud may hold points that are not valid in a mesh.
pub fn read_with_cloud(
    path: &Path,
    options: &VolumeOptions,
) -> (Result<Content>, Option<(PointCloud, CloudReport)>) {
    if options.raw.is_some() {
        return (read(path, options), None);
    }
    let loaded = match load::load(path).and_then(|loaded| series::open(path, loaded)) {
        Ok(Opened::Single(loaded)) => loaded,
        Ok(Opened::Series(series)) => {
            let content = content_of_series(&series, options);
            return (content.map_err(|flaw| flaw.in_file(path)), None);
        }
        Err(flaw) => return (Err(flaw.in_file(path)), None),
    };
    let content = content(path, &loaded, options);
    let may_be_cloud = match &content {
        Ok(Content::Mesh(file)) => {
            let is_of_points =
                |group: &Group| matches!(group.members, Members::Simplices { dimension: 0, .. });
            file.mesh.n_cells() == 0 && file.mesh.groups.iter().all(is_of_points)
        }
        // Columns called x, y and z are points.
        Ok(Content::Data(data)) => ["x", "y", "z"]
            .iter()
            .all(|axis| data.arrays.iter().any(|array| array.name.eq_ignore_ascii_case(axis))),
        Ok(Content::Volume(_)) => false,
        Err(flaw) => !matches!(flaw.kind(), FlawKind::NoMemory | FlawKind::Asked),
    };
    let cloud = may_be_cloud.then(|| cloud::read_cloud_of(path, &loaded).ok()).flatten();
    (content.map_err(|flaw| flaw.in_file(path)), cloud)
}

fn content(path: &Path, loaded: &Loaded, options: &VolumeOptions) -> Result<Content, Flaw> {
    let (bytes, budget) = (loaded.bytes.as_slice(), loaded.budget);
    let (format, warning) = sniff::format(path, bytes)?;
    if let Some(mut file) = volume::read_as(format, path, loaded, options)? {
        file.warnings.extend(warning);
        Moment::check_single(options.time, &file.state)?;
        return Ok(Content::Volume(file));
    }
    let no_mesh = match read_as(format, path, bytes, budget) {
        Ok(mut file) => {
            file.warnings.extend(warning);
            file.uncut.settle(&mut file.mesh, false)?;
            Moment::check_single(options.time, &file.about.state)?;
            return Ok(Content::Mesh(file));
        }
        Err(flaw) => flaw,
    };
    let names_a_place = |flaw: &Flaw| !flaw.position().is_whole();
    match data_as(format, path, bytes, budget) {
        Ok(data) => Ok(Content::Data(data)),
        // In a file of numbers, the error about the numbers is the more useful one.
        Err(no_data) if names_a_place(&no_data) && !names_a_place(&no_mesh) => Err(no_data),
        Err(_) => Err(no_mesh),
    }
}
