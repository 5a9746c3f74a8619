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
mod write;

use std::path::Path;

use super::budget::Budget;
use super::load::Loaded;
use super::sniff::{self, Format};
use super::{MeshFile, VolumeOptions, columns, obj, off, read_as, text as lines, volume};
pub(super) use ptx::is_header as is_ptx;
use stream::Stream;
pub use write::{CloudLayout, check_cloud_target, write_cloud, write_cloud_pieces};
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, Result, plain};
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
    /// Version and encoding as stated in the file.
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
    /// The classes of the points that are not withheld, each with its number of points (LAS).
    pub classes: Vec<(u8, u64)>,
    /// Number of triangles or tetrahedra in the file, which are not part of the cloud.
    pub faces: usize,
    /// Smallest coordinate along each axis.
    pub min: [f64; 3],
    /// Largest coordinate along each axis.
    pub max: [f64; 3],
    /// Unit of length, if the file or its format states one.
    pub units: Option<String>,
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
/// outliers are kept: the command `zeroset cloud` counts and removes them.
///
/// Memory holds the cloud and a piece of the file. Files with faces, PTX files, LZF-compressed PCD
/// files and mesh formats are read whole.
///
/// # Errors
/// Returns [`Error::Input`](zeroset_core::Error::Input), which names the file, the position, what
/// was found and the remedy, if the format is unknown, if the file is damaged or truncated, if
/// there are fewer points than declared, or if there is no point at all.
pub fn read_cloud(path: &Path) -> Result<(PointCloud, CloudReport)> {
    let read = Stream::open(path).and_then(read).map(printable);
    read.map_err(|flaw| flaw.in_file(path))
}

/// Removes control characters from report texts that may quote the file.
fn printable((cloud, mut report): (PointCloud, CloudReport)) -> (PointCloud, CloudReport) {
    report.version = plain(report.version);
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
    read(Stream::of(path, &loaded.bytes, loaded.budget)).map(printable)
}

fn read(mut stream: Stream) -> Result<(PointCloud, CloudReport), Flaw> {
    let path = stream.path();
    let head = stream.fill(HEAD)?;
    // The first bytes identify the streamed formats. Other formats may need the size of the file.
    if let Ok((format, warning)) = sniff::format(path, head)
        && is_streamed(format, path, head)
    {
        let (cloud, mut report) = streamed(format, stream)?;
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
    let (cloud, mut report) = from_mesh::read(file)?;
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

fn streamed(format: Format, stream: Stream) -> Result<(PointCloud, CloudReport), Flaw> {
    match format {
        Format::Ply => ply::read(stream),
        Format::Pcd => pcd::read(stream),
        Format::Las => las::read(stream),
        Format::E57 => e57::read(stream),
        Format::Ptx => ptx::read(stream),
        _ => text::read(stream),
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
    let (cloud, report) = streamed(format, Stream::of(path, bytes, budget))?;
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
