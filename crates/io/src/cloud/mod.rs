//! Reading and writing of point clouds.
//!
//! [`read_cloud`] accepts any format that holds points. PLY, text, PCD, LAS and LAZ files are read
//! piece by piece, E57 files point by point, and PTX files as a whole. In other formats, the
//! vertices of the mesh are the points.

mod e57;
mod from_mesh;
mod gather;
mod las;
mod lzf;
mod pcd;
mod ply;
mod ptx;
mod records;
mod stream;
mod table;
mod text;
mod wanted;
mod write;

use std::path::Path;

use super::budget::Budget;
use super::load::Loaded;
use super::sniff::{self, Format};
use super::{MeshFile, VolumeOptions, columns, obj, off, read_as, text as lines, volume};
pub(super) use ptx::is_header as is_ptx;
use stream::Stream;
use wanted::Wanted;
pub use write::{
    CloudLayout, check_cloud_target, is_cloud_target, write_cloud, write_cloud_pieces,
    write_cloud_with,
};
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Error, Flaw, Result, plain, shown};
use zeroset_core::expression::Expression;
use zeroset_core::mesh::{DataArray, Kind, Mesh, Values};
use zeroset_core::words::counted;

/// The number of leading bytes from which the format is determined.
const HEAD: usize = 64 << 10;

/// A report about a cloud: the format of its file, what was read, and what was ignored.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CloudReport {
    /// Short name of the format: "ply", "text", "pcd", "las", "laz", "e57", "ptx", or that of a
    /// mesh format ([`MeshFile::format`]).
    pub format: &'static str,
    /// The version and the encoding as stated in the file.
    pub version: String,
    /// Number of points in the file, including those left out.
    pub stored: u64,
    /// Number of points left out because a coordinate is infinite or NaN.
    pub not_finite: u64,
    /// Number of points left out because their normal is zero or not finite, although at least half
    /// of the points have a normal.
    pub without_normal: u64,
    /// Number of points left out because the file marks them as withheld (LAS).
    pub withheld: u64,
    /// The classes of the points that are not withheld, each with its number of points: those of
    /// LAS files, or those in an attribute called classification.
    pub classes: Vec<(u8, u64)>,
    /// The names of the attributes in the file. Only requested ones are read.
    pub attributes: Vec<String>,
    /// The number of points that [`CloudOptions::selection`] selects. `None` if there is no
    /// selection.
    pub selected: Option<u64>,
    /// Number of triangles or tetrahedra in the file, which are not part of the cloud.
    pub faces: usize,
    /// Smallest coordinate along each axis, in `units`.
    pub min: [f64; 3],
    /// Largest coordinate along each axis, in `units`.
    pub max: [f64; 3],
    /// Unit of length, if the file or its format states one.
    pub units: Option<String>,
    /// Unit of the heights, if the file states one separately (LAS).
    pub vertical_units: Option<String>,
    /// How the columns of a text file were interpreted.
    pub columns: Option<String>,
    /// Source of the normals; `None` if there are none.
    pub normals: Option<NormalsFrom>,
    /// How colors are stored: "8 bits", "16 bits", "0 to 1", ...; `None` if there are none.
    pub colors: Option<&'static str>,
    /// One sentence for each thing that was dropped or changed during reading.
    pub warnings: Vec<String>,
}

/// The source of the normals of a cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NormalsFrom {
    /// The file. The normals are scaled to length 1.
    File,
    /// The faces around each vertex, weighted by their area. Normals point to the side from which
    /// the corners of the faces, as stored, run counterclockwise. If a closed surface is stored
    /// inside out, its normals are reversed with a warning.
    Faces,
}

/// Reads points, with normals and colors if the file has them. The file may be compressed with
/// gzip.
///
/// Points whose coordinates are not finite, points marked as withheld, and, if at least half of the
/// points have a normal, points without one are counted and left out. If a file has faces, its
/// vertices are the points, and the faces provide the normals if the file has none. Duplicates and
/// outliers are kept: `zeroset info` counts them, and `zeroset reconstruct` removes them.
///
/// Memory holds the cloud and a piece of the file. Files with faces, PTX files, LZF-compressed PCD
/// files and mesh formats are read whole.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("scan.xyz");
/// # std::fs::write(&path, "0 0 0\n1 0 0\nnan 0 0\n").unwrap();
/// let (cloud, report) = zeroset_io::read_cloud(&path)?;
/// assert_eq!((cloud.len(), report.stored, report.not_finite), (2, 3, 1));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Input`](zeroset_core::Error::Input), which names the file, the position, what
/// was found and the remedy, if the format is unknown, if the file is damaged or truncated, if
/// there are fewer points than declared, or if there is no point at all.
pub fn read_cloud(path: &Path) -> Result<(PointCloud, CloudReport)> {
    read_cloud_with(path, &CloudOptions::default())
}

/// Options of [`read_cloud_with`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CloudOptions {
    /// An expression in the coordinates and attributes that is true for the points to keep.
    pub selection: Option<Expression>,
    /// The attributes of the cloud.
    pub attributes: Attributes,
}

/// The attributes that a reader keeps.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Attributes {
    /// No attributes.
    #[default]
    None,
    /// The attributes with these names, if the file has them.
    Named(Vec<String>),
    /// All attributes of the file.
    All,
}

impl CloudOptions {
    /// Sets [`CloudOptions::selection`].
    pub fn selection(mut self, selection: Option<Expression>) -> Self {
        self.selection = selection;
        self
    }

    /// Sets [`CloudOptions::attributes`].
    pub fn attributes(mut self, attributes: Attributes) -> Self {
        self.attributes = attributes;
        self
    }

    /// Returns the attributes to read: those to keep, and those in the selection.
    fn wanted(&self) -> Wanted {
        let names = self.selection.iter().flat_map(Expression::names).map(str::to_string);
        let mut wanted = self.kept();
        wanted.names.extend(names);
        wanted
    }

    /// Returns the attributes to keep.
    fn kept(&self) -> Wanted {
        match &self.attributes {
            Attributes::None => Wanted::default(),
            Attributes::Named(names) => Wanted { all: false, names: names.clone() },
            Attributes::All => Wanted { all: true, names: Vec::new() },
        }
    }
}

/// Reads points like [`read_cloud`], and selects some of them.
///
/// # Errors
/// Returns the errors of [`read_cloud`], and [`Error::Case`] if the selection depends on time,
/// names an attribute that does not exist, or selects no point.
pub fn read_cloud_with(path: &Path, options: &CloudOptions) -> Result<(PointCloud, CloudReport)> {
    let read = Stream::open(path).and_then(|stream| read(stream, &options.wanted()));
    finished(path, read, options)
}

/// Returns the vertices of a mesh without cells that has been read as a point cloud. The rules are
/// those of [`read_cloud_with`]. `path` is the file of the mesh, for messages.
///
/// # Errors
/// Returns the errors of [`read_cloud_with`].
pub fn cloud_of_mesh(
    path: &Path,
    file: MeshFile,
    options: &CloudOptions,
) -> Result<(PointCloud, CloudReport)> {
    finished(path, from_mesh::read(file, &options.wanted()), options)
}

fn finished(
    path: &Path,
    read: Result<(PointCloud, CloudReport), Flaw>,
    options: &CloudOptions,
) -> Result<(PointCloud, CloudReport)> {
    let (mut cloud, mut report) = read.map(printable).map_err(|flaw| flaw.in_file(path))?;
    if let Some(selection) = &options.selection {
        select(path, &mut cloud, &mut report, selection)?;
    }
    let kept = options.kept();
    cloud.attributes.retain(|attribute| kept.has(&attribute.name));
    Ok((cloud, report))
}

/// Returns true if a file holds points and nothing else: LAS, LAZ, E57, PTX, PCD and text, and PLY
/// without faces. Other formats are meshes, even if they have no cells. A pipe can be read only
/// once, so it is assumed to hold a mesh.
///
/// # Errors
/// Returns the errors of [`read_cloud`] if the file cannot be read.
pub fn is_cloud(path: &Path) -> Result<bool> {
    let found = format_of_head(path)?;
    Ok(found.is_some_and(|(format, head)| match format {
        Format::Ply => !ply::begins_with_mesh(&head),
        _ => is_streamed(format, path, &head),
    }))
}

/// Returns true if a file is a scan: LAS, LAZ, E57, PTX or PCD.
///
/// # Errors
/// Returns the errors of [`read_cloud`] if the file cannot be read.
pub fn is_scan(path: &Path) -> Result<bool> {
    let is = |format| matches!(format, Format::Las | Format::E57 | Format::Ptx | Format::Pcd);
    Ok(format_of_head(path)?.is_some_and(|(format, _)| is(format)))
}

/// Returns the format of a file and its first bytes. Returns `None` for a pipe, and if the first
/// bytes do not identify the format.
fn format_of_head(path: &Path) -> Result<Option<(Format, Vec<u8>)>> {
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let head = head(path).map_err(|flaw| flaw.in_file(path))?;
    Ok(sniff::format(path, &head).ok().map(|(format, _)| (format, head)))
}

/// Keeps the points for which the expression is true.
fn select(
    path: &Path,
    cloud: &mut PointCloud,
    report: &mut CloudReport,
    selection: &Expression,
) -> Result<()> {
    let kept = cloud.select(selection, &report.attributes)?;
    let n = kept.iter().filter(|kept| **kept).count();
    if n == 0 {
        let n = kept.len();
        let file = shown(path);
        let what = format!("--where {selection}: none of the {n} points of {file} satisfies it");
        let remedy = "see `zeroset info` for the ranges of the coordinates, the attributes and the \
                      classes";
        return Err(Error::usage(what, remedy));
    }
    cloud.retain(&kept);
    report.selected = Some(n as u64);
    (report.min, report.max) = cloud.bounds();
    Ok(())
}

/// Removes control characters from the strings of a report that may quote the file.
fn printable((cloud, mut report): (PointCloud, CloudReport)) -> (PointCloud, CloudReport) {
    report.version = plain(report.version);
    report.attributes = report.attributes.into_iter().map(plain).collect();
    report.columns = report.columns.map(plain);
    report.warnings = report.warnings.into_iter().map(plain).collect();
    (cloud, report)
}

/// Returns at most the first [`HEAD`] bytes of a file, decompressed.
///
/// # Errors
/// Returns the errors of [`read_cloud`] if the file cannot be read.
pub(super) fn head(path: &Path) -> Result<Vec<u8>, Flaw> {
    let mut stream = Stream::open(path)?;
    let found = stream.fill(HEAD)?;
    Ok(found[..found.len().min(HEAD)].to_vec())
}

/// Reads a cloud like [`read_cloud`] from bytes that are already loaded and decompressed.
///
/// # Errors
/// Returns the errors of [`read_cloud`].
pub(super) fn read_cloud_of(
    path: &Path,
    loaded: &Loaded,
) -> Result<(PointCloud, CloudReport), Flaw> {
    let stream = Stream::of(path, &loaded.bytes, loaded.budget);
    let (mut cloud, report) = read(stream, &Wanted::default()).map(printable)?;
    cloud.attributes.clear();
    Ok((cloud, report))
}

fn read(mut stream: Stream, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    let path = stream.path();
    let head = stream.fill(HEAD)?;
    // The first bytes identify the streamed formats. Other formats may need the size of the file.
    if let Ok((format, warning)) = sniff::format(path, head)
        && is_streamed(format, path, head)
    {
        let (cloud, mut report) = streamed(format, stream, wanted)?;
        report.warnings.extend(warning);
        return Ok((cloud, report));
    }
    let loaded = stream.rest()?;
    let bytes = loaded.bytes.as_slice();
    let (format, warning) = sniff::format(path, bytes)?;
    let text = lines::without_mark(bytes);
    let file = match format {
        Format::Obj => obj::read_points(&lines::with_line_feeds(text))?,
        Format::Off => off::read_points(text)?,
        Format::Npy => of_array(path, &loaded)?,
        _ => read_as(format, path, bytes, loaded.budget)?,
    };
    drop(loaded);
    let (cloud, mut report) = from_mesh::read(file, wanted)?;
    report.warnings.extend(warning);
    Ok((cloud, report))
}

/// Returns the points of a NumPy array as a mesh without cells, or an error if the array does not
/// hold points.
fn of_array(path: &Path, loaded: &Loaded) -> Result<MeshFile, Flaw> {
    let file = volume::read_as(Format::Npy, path, loaded, &VolumeOptions::default())?;
    let points = file.map(|file| columns::array_points(&file)).transpose()?.flatten();
    points.map_or_else(|| read_as(Format::Npy, path, &loaded.bytes, loaded.budget), Ok)
}

fn is_streamed(format: Format, path: &Path, head: &[u8]) -> bool {
    match format {
        Format::Ply | Format::Xyz | Format::Columns | Format::Pcd => true,
        Format::Las | Format::E57 | Format::Ptx => true,
        // Other programs use the extension `.asc` for points.
        Format::FreeSurfer => sniff::extension(path) == "asc" && !head.starts_with(b"#!"),
        _ => false,
    }
}

fn streamed(
    format: Format,
    stream: Stream,
    wanted: &Wanted,
) -> Result<(PointCloud, CloudReport), Flaw> {
    match format {
        Format::Ply => ply::read(stream, wanted),
        Format::Pcd => pcd::read(stream, wanted),
        Format::Las => las::read(stream, wanted),
        Format::E57 => e57::read(stream, wanted),
        Format::Ptx => ptx::read(stream, wanted),
        _ => text::read(stream, wanted),
    }
}

/// Reads a cloud as a mesh without cells. Normals and colors become the arrays `nx`, ..., `red`,
/// ...
///
/// # Errors
/// Returns the errors of [`read_cloud`].
pub(super) fn read_as_mesh(
    format: Format,
    path: &Path,
    bytes: &[u8],
    budget: Budget,
) -> Result<MeshFile, Flaw> {
    let stream = Stream::of(path, bytes, budget);
    let (cloud, report) = streamed(format, stream, &Wanted::default())?;
    let mut mesh = Mesh::new(Kind::Surface, cloud.points, Vec::new());
    let array = |name: &str, values| DataArray { name: name.into(), components: 1, values };
    for (k, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
        if let Some(normals) = &cloud.normals {
            let values = normals.iter().map(|n| n[k].into()).collect();
            mesh.vertex_data.push(array(name, Values::Float(values)));
        }
    }
    for (k, name) in ["red", "green", "blue"].into_iter().enumerate() {
        if let Some(colors) = &cloud.colors {
            let values = colors.iter().map(|c| c[k].into()).collect();
            mesh.vertex_data.push(array(name, Values::Int(values)));
        }
    }
    let mut warnings = report.warnings;
    let left_out = report.not_finite + report.without_normal;
    if left_out > 0 {
        let points = counted(left_out, ["point", "points"]);
        warnings.push(format!("{points} without finite coordinates or normal left out"));
    }
    Ok(MeshFile {
        mesh,
        format: report.format,
        version: report.version,
        units: report.units,
        space: None,
        cells_by_type: Default::default(),
        warnings,
        uncut: Default::default(),
        about: Default::default(),
    })
}
