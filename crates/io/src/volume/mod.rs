//! Volumes: NIfTI, NRRD, MetaImage, MGH, VTK images, NumPy arrays, pictures, raw numbers.
//!
//! All readers return a [`zeroset_core::volume::Volume`] with the numbers in the number type of the
//! file. World coordinates are those of the file. The frame of the file is reported and never
//! changed.

mod choice;
mod data_files;
mod metaimage;
pub(super) mod mgh;
pub(super) mod nifti;
pub(super) mod npy;
mod nrrd;
mod options;
mod picture;
mod raw;
mod spacing;
pub(super) mod stored;
mod tiff;
mod write;

use std::path::Path;

use super::load::{self, Loaded};
use super::moment::{Moment, StateTime};
use super::series::{self, Opened};
use super::sniff::{self, Format};
use super::units::Units;
use super::{text, vtk};
pub(super) use choice::{COLORS, Chosen, Counts};
pub use options::VolumeOptions;
pub use raw::RawLayout;
pub use tiff::is_same_length;
pub(super) use write::npy_head;
pub use write::{check_volume_target, is_volume_target, write_npy_table, write_volume};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::volume::{Placement, Samples, Scaling, Volume};

/// A volume as stored in its file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VolumeFile {
    /// The numbers and their placement.
    pub volume: Volume,
    /// Short name of the format: "nifti", "nrrd", "metaimage", "mgh", "vtk", "vti", "vtkhdf",
    /// "npy", "png", "tiff", "pgm", "raw".
    pub format: &'static str,
    /// Version and encoding as stated in the file, such as "1 big-endian sform".
    pub version: String,
    /// Coordinate system, if the file names one, such as "NIFTI_XFORM_TALAIRACH".
    pub space: Option<String>,
    /// The time of the values, if the file states one, and the times of its series.
    pub state: StateTime,
    /// Whether the file states the spacing along each axis. Otherwise, it is 1.
    pub stated_spacing: [bool; 3],
    /// One sentence for each thing that was dropped during reading.
    pub warnings: Vec<String>,
}

impl VolumeFile {
    /// Returns the units of length and time that the file states.
    pub fn stated_units(&self) -> Units {
        let mut units = self.state.units.clone();
        units.length = self.volume.units.clone();
        units
    }

    /// Sets the time and the units that the file states.
    pub(super) fn set_state(&mut self, state: StateTime) {
        self.volume.units = state.units.length.clone();
        self.state = state;
    }
}

/// Reads a dense volume, or a picture as a volume of one slice. The file may be compressed with
/// gzip.
///
/// The format is determined from the content first and from the extension second. A volume has one
/// number per voxel. The options choose one volume of a time series, and one channel of a color or
/// vector.
///
/// ```
/// use zeroset_io::{VolumeOptions, read_volume};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("picture.pgm");
/// # std::fs::write(&path, "P2 2 1 255 7 9\n").unwrap();
/// let file = read_volume(&path, &VolumeOptions::default())?;
/// assert_eq!((file.format, file.volume.shape()), ("pgm", [2, 1, 1]));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Input`](zeroset_core::Error::Input), which names the file, the position, what
/// was found and the remedy, if the file holds no volume, if it is damaged or truncated, if it has
/// several volumes or channels and the options choose none, if a spacing is not positive, or if a
/// matrix is singular. Returns [`Error::Case`](zeroset_core::Error::Case) if the options do not fit
/// the file.
pub fn read_volume(path: &Path, options: &VolumeOptions) -> Result<VolumeFile> {
    volume(path, options).map_err(|flaw| flaw.in_file(path))
}

fn volume(path: &Path, options: &VolumeOptions) -> Result<VolumeFile, Flaw> {
    if let Some(layout) = &options.raw {
        options.reject_array()?;
        options.reject_segment()?;
        options.choose_only()?;
        return raw::read(&load::load(path)?.bytes, layout)?.spaced(options);
    }
    match series::open(path, load::load(path)?)? {
        Opened::Series(series) => {
            let (state, warning) = series.pick(options.time)?;
            let mut file = series.volume(state, options)?;
            file.warnings.extend(warning);
            Ok(file)
        }
        Opened::Single(loaded) => {
            let file = of_loaded(path, &loaded, options)?;
            Moment::check_single(options.time, &file.state)?;
            Ok(file)
        }
    }
}

/// Reads a volume from a file that is not a series.
pub(super) fn of_loaded(
    path: &Path,
    loaded: &Loaded,
    options: &VolumeOptions,
) -> Result<VolumeFile, Flaw> {
    let (format, warning) = sniff::format(path, &loaded.bytes)?;
    let mut file = read_as(format, path, loaded, options)?.ok_or_else(none)?;
    file.warnings.extend(warning);
    Ok(file)
}

/// Returns the flaw of a file without a volume.
pub(super) fn none() -> Flaw {
    let remedy = "choose a volume (.nii.gz, .nrrd, .mha, .vti, .npy), or use this file as a mesh";
    Flaw::whole("holds no volume", remedy).kind_of(FlawKind::Unfit)
}

/// Reads a volume in a known format. Returns `None` if the format holds meshes or data.
pub(super) fn read_as(
    format: Format,
    path: &Path,
    loaded: &Loaded,
    options: &VolumeOptions,
) -> Result<Option<VolumeFile>, Flaw> {
    let (bytes, budget) = (loaded.bytes.as_slice(), loaded.budget);
    if format == Format::Vtk {
        let text = text::without_mark(bytes);
        if let Some(file) = vtk::read_volume(text, options, budget)? {
            options.reject_segment()?;
            return file.spaced(options).map(Some);
        }
    }
    options.reject_array()?;
    if !format.is_volume() {
        return options.reject_choices().map(|()| None);
    }
    if format != Format::Nrrd {
        options.reject_segment()?;
    }
    let file = match format {
        Format::Nifti => nifti::read(path, bytes, options),
        Format::Nrrd => nrrd::read(path, bytes, budget, options),
        Format::MetaImage => metaimage::read(path, bytes, budget, options),
        Format::Mgh => mgh::read(bytes, options),
        Format::Npy => npy::read(bytes, options),
        Format::Png => picture::read_png(bytes, budget, options),
        Format::Tiff => tiff::read(path, bytes, budget, options),
        Format::Pnm => options.choose_only().and_then(|()| picture::read_pgm(bytes)),
        _ => {
            let what = "the layout of raw numbers is unknown";
            let quote = if options.table.is_some() { "\"" } else { "" };
            let remedy = format!(
                "state it: {0} {quote}SHAPE:TYPE[:SPACING[:SKIP]]{quote}, such as {0} \
                 {quote}256x256x109:uint16le:1x1x1.5{quote}",
                options.written("raw")
            );
            Err(Flaw::whole(what, remedy).kind_of(FlawKind::Unsupported))
        }
    };
    file?.spaced(options).map(Some)
}

/// Returns the names of the data files of a header at the beginning of `bytes`. The result is empty
/// for other files and for a damaged header.
pub(super) fn data_file_names(bytes: &[u8]) -> Vec<String> {
    let names = match by_content(bytes) {
        Some(Format::Nrrd) => nrrd::data_file_names(bytes),
        Some(Format::MetaImage) => metaimage::data_file_names(bytes),
        _ => return Vec::new(),
    };
    names.unwrap_or_default()
}

/// Returns the format of a volume or picture, identified by its first bytes, or `None` if they
/// belong to no known format.
pub(super) fn by_content(bytes: &[u8]) -> Option<Format> {
    let begins = |word: &[u8]| bytes.starts_with(word);
    Some(if nifti::is_header(bytes) {
        Format::Nifti
    } else if nrrd::is_header(bytes) {
        Format::Nrrd
    } else if metaimage::is_header(text::without_mark(bytes)) {
        Format::MetaImage
    } else if mgh::is_header(bytes) {
        Format::Mgh
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

/// The content of a volume as found by a reader.
pub(super) struct Found {
    pub shape: [usize; 3],
    pub samples: Samples,
    pub placement: Result<Placement, Flaw>,
    pub scaling: Scaling,
    pub frame: Option<String>,
    pub units: Option<String>,
    pub name: String,
    /// Whether the file states the spacing along each axis.
    pub stated: [bool; 3],
}

impl Found {
    /// Creates a description without metadata. Its voxels have whole-number coordinates.
    pub fn new(shape: [usize; 3], samples: Samples) -> Self {
        Found {
            shape,
            samples,
            placement: Ok(Placement::identity()),
            scaling: Scaling::NONE,
            frame: None,
            units: None,
            name: String::new(),
            stated: [false; 3],
        }
    }

    /// Returns the volume.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the placement is not valid. Also returns one for a slope of zero and
    /// for numbers that do not match the shape, both of which readers have already checked.
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

/// Returns an error at the position "header".
pub(super) fn refuse<T>(what: impl Into<String>, remedy: &str) -> Result<T, Flaw> {
    Err(Flaw::at("header", what, remedy))
}

/// Returns an error about an unsupported variant of the format.
pub(super) fn unsupported<T>(what: impl Into<String>, remedy: &str) -> Result<T, Flaw> {
    Err(Flaw::at("header", what, remedy).kind_of(FlawKind::Unsupported))
}

/// The remedy for more dimensions than the options can choose from.
pub(super) const ONE_VOLUME: &str = "write one volume to a separate file";

/// The remedy for several numbers per voxel if no option can choose among them.
pub(super) const ONE_NUMBER: &str =
    "convert each voxel to one number first, such as its gray value";

/// The remedy for a header that is not valid.
pub(super) const DAMAGED: &str = "the header is damaged: copy or export the file again";
