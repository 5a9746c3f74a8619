//! Volumes: NIfTI, NRRD, MetaImage, VTK images, numpy arrays, pictures, raw numbers.
//!
//! All readers end in [`zeroset_core::volume::Volume`] with the numbers in the type of the file. World
//! coordinates are those of the file, in its own frame, which is named and never changed.

mod metaimage;
pub(super) mod nifti;
mod npy;
mod nrrd;
mod picture;
mod pieces;
mod raw;
pub(super) mod stored;
mod write;

use std::path::Path;

use super::sniff::{self, Format};
use super::{load, text, vtk};
pub use raw::RawLayout;
pub(super) use write::npy_head;
pub use write::{check_volume_target, is_volume_target, write_volume};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::volume::{Placement, Samples, Scaling, Volume};

/// A volume as its file stores it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VolumeFile {
    /// The numbers and their place.
    pub volume: Volume,
    /// Short name of the format: "nifti", "nrrd", "metaimage", "vtk", "vti", "npy", "png", "tiff",
    /// "pgm", "raw".
    pub format: &'static str,
    /// Version and encoding as the file states them, such as "1 big-endian sform".
    pub version: String,
    /// Coordinate system, if the file names one: "NIFTI_XFORM_TALAIRACH" and the like.
    pub space: Option<String>,
    /// What was given up in reading, one sentence each.
    pub warnings: Vec<String>,
}

/// What a file does not say by itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VolumeOptions {
    /// The file holds nothing but numbers, laid out like this.
    pub raw: Option<RawLayout>,
    /// Name of the array to take from a VTK file; otherwise the active scalars, or the first array
    /// of single numbers.
    pub array: Option<String>,
    /// The table of a case where these stand, for messages; otherwise they are options of a command.
    pub table: Option<String>,
}

impl VolumeOptions {
    /// States the layout of a file of numbers alone.
    pub fn raw(mut self, layout: Option<RawLayout>) -> Self {
        self.raw = layout;
        self
    }

    /// Names the array of a VTK file.
    pub fn array(mut self, name: Option<String>) -> Self {
        self.array = name;
        self
    }

    /// Names the table of a case in which both stand.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }

    /// How an option is written.
    fn written(&self, option: &str) -> String {
        match &self.table {
            Some(table) => format!("{table}.{option} ="),
            None => format!("--{option}"),
        }
    }
}

/// Reads a dense volume, or a picture as a volume of one slice, compressed with gzip or not.
///
/// The format is found by content first, by extension second. One number per voxel is read: series
/// in time, colors and vectors are refused.
///
/// # Errors
/// [`Error::Input`](zeroset_core::Error::Input) naming file, position, what was found and what to do: no volume, a damaged or
/// cut file, several frames, colors, spacings that are not positive, a singular matrix;
/// [`Error::Case`](zeroset_core::Error::Case) for options that do not fit the file.
pub fn read_volume(path: &Path, options: &VolumeOptions) -> Result<VolumeFile> {
    volume(path, options).map_err(|flaw| flaw.in_file(path))
}

fn volume(path: &Path, options: &VolumeOptions) -> Result<VolumeFile, Flaw> {
    if let Some(layout) = &options.raw {
        no_array(options)?;
        return raw::read(&load::load(path)?, layout);
    }
    let bytes = load::load(path)?;
    let (format, warning) = sniff::format(path, &bytes)?;
    let found = read_as(format, path, &bytes, options)?;
    let mut file = found.ok_or_else(|| {
        let remedy = "give a volume (.nii.gz, .nrrd, .mha, .vti, .npy), or work with it as a mesh";
        Flaw::whole("holds no volume", remedy).kind_of(FlawKind::Unfit)
    })?;
    file.warnings.extend(warning);
    Ok(file)
}

/// Reads a volume in a known format; `None` if the format is one of meshes or data.
pub(super) fn read_as(
    format: Format,
    path: &Path,
    bytes: &[u8],
    options: &VolumeOptions,
) -> Result<Option<VolumeFile>, Flaw> {
    if format == Format::Vtk {
        let text = text::without_mark(bytes);
        if let Some(file) = vtk::read_volume(text, options.array.as_deref())? {
            return Ok(Some(file));
        }
    }
    no_array(options)?;
    if !format.is_volume() {
        return Ok(None);
    }
    match format {
        Format::Nifti => nifti::read(path, bytes),
        Format::Nrrd => nrrd::read(path, bytes),
        Format::MetaImage => metaimage::read(path, bytes),
        Format::Npy => npy::read(bytes),
        Format::Png => picture::read_png(bytes),
        Format::Tiff => picture::read_tiff(bytes),
        Format::Pnm => picture::read_pgm(bytes),
        _ => {
            let what = "raw numbers do not say how they are laid out";
            let quote = if options.table.is_some() { "\"" } else { "" };
            let remedy = format!(
                "state it: {0} {quote}SHAPE:TYPE[:SPACING[:SKIP]]{quote}, such as {0} \
                 {quote}256x256x109:uint16le:1x1x1.5{quote}",
                options.written("raw")
            );
            Err(Flaw::whole(what, remedy).kind_of(FlawKind::Unsupported))
        }
    }
    .map(Some)
}

/// Refuses the name of an array where a file is no image of VTK.
fn no_array(options: &VolumeOptions) -> Result<(), Flaw> {
    match &options.array {
        None => Ok(()),
        Some(name) => {
            let what = format!("is no VTK image with an array `{name}`");
            let remedy = format!("leave out {}", options.written("array").trim_end_matches(" ="));
            Err(Flaw::whole(what, remedy).kind_of(FlawKind::Asked))
        }
    }
}

/// The format of a volume or picture by its first bytes.
pub(super) fn by_content(bytes: &[u8]) -> Option<Format> {
    let begins = |word: &[u8]| bytes.starts_with(word);
    Some(if nifti::is_header(bytes) {
        Format::Nifti
    } else if nrrd::is_header(bytes) {
        Format::Nrrd
    } else if metaimage::is_header(text::without_mark(bytes)) {
        Format::MetaImage
    } else if begins(npy::MAGIC) {
        Format::Npy
    } else if begins(b"\x89PNG") {
        Format::Png
    } else if [&b"II*\0"[..], b"MM\0*", b"II+\0", b"MM\0+"].into_iter().any(begins) {
        Format::Tiff
    } else if picture::is_pnm(bytes) {
        Format::Pnm
    } else {
        return None;
    })
}

/// What a reader has found out about a volume.
pub(super) struct Found {
    pub shape: [usize; 3],
    pub samples: Samples,
    pub placement: Result<Placement, Flaw>,
    pub scaling: Scaling,
    pub frame: Option<String>,
    pub units: Option<String>,
    pub name: String,
}

impl Found {
    /// Numbers at whole coordinates, without more.
    pub fn new(shape: [usize; 3], samples: Samples) -> Self {
        Found {
            shape,
            samples,
            placement: Ok(Placement::identity()),
            scaling: Scaling::NONE,
            frame: None,
            units: None,
            name: String::new(),
        }
    }

    /// The volume.
    ///
    /// # Errors
    /// A [`Flaw`] for a place that is none; a slope of zero and numbers that do not fit the
    /// shape, which readers have checked.
    pub fn volume(self) -> Result<Volume, Flaw> {
        let placement = self.placement.map_err(|flaw| flaw.moved_to("header"))?;
        let volume = Volume::new(self.shape, self.samples, placement);
        let mut volume = volume
            .and_then(|v| v.with_scaling(self.scaling))
            .map_err(|error| Flaw::at("header", error.to_string(), "export the file again"))?;
        (volume.frame, volume.units, volume.name) = (self.frame, self.units, self.name);
        Ok(volume)
    }
}

/// An error in a header.
pub(super) fn refuse<T>(what: impl Into<String>, remedy: &str) -> Result<T, Flaw> {
    Err(Flaw::at("header", what, remedy))
}

/// An error of a variant of the format that is not read.
pub(super) fn unsupported<T>(what: impl Into<String>, remedy: &str) -> Result<T, Flaw> {
    Err(Flaw::at("header", what, remedy).kind_of(FlawKind::Unsupported))
}

/// What to do with several frames.
pub(super) const ONE_FRAME: &str = "write one frame as a file of its own";

/// What to do with colors and vectors.
pub(super) const ONE_NUMBER: &str = "make one number of each voxel first, such as its gray value";

/// What to do with a header that makes no sense.
pub(super) const DAMAGED: &str = "the header is damaged: copy or export the file again";
