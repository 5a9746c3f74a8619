//! Writer of volumes in the format that the file name selects.

mod gzip;
mod nifti;
mod npy;
mod text;

pub(crate) use npy::head as npy_head;
pub use npy::write_table as write_npy_table;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use super::super::sniff;
use super::super::units::Units;
use super::super::write::{WriteOptions, meant};
use super::super::{atomic, vtk};
use zeroset_core::error::{Error, Result};
use zeroset_core::volume::{Placement, Samples, Volume};

/// The formats that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Vti,
    Nifti,
    Npy,
    MetaImage,
    Nrrd,
}

const TARGETS: [(&str, Target); 5] = [
    ("vti", Target::Vti),
    ("nii", Target::Nifti),
    ("npy", Target::Npy),
    ("mha", Target::MetaImage),
    ("nrrd", Target::Nrrd),
];

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

fn target(path: &Path) -> Option<Target> {
    let extension = sniff::extension(path);
    TARGETS.iter().find(|(name, _)| *name == extension).map(|&(_, target)| target)
}

/// Returns true if an output file has the extension of a volume format that can be written.
pub fn is_volume_target(path: &Path) -> bool {
    target(path).is_some()
}

/// Checks that [`write_volume`] supports the extension of `path`.
///
/// # Errors
/// Returns [`Error::Case`] if the extension is not supported, if it requests gzip compression of a
/// format other than NIfTI, or if text is requested.
pub fn check_volume_target(path: &Path, options: &WriteOptions) -> Result<()> {
    const REMEDY: &str = "end the name in .nii.gz, .nii, .nrrd, .mha, .vti or .npy";
    let fail = |what: &str, near: String| {
        Err(Error::usage(format!("{}: {what}", path.display()), near + REMEDY))
    };
    match target(path) {
        None => {
            let near = meant(&sniff::extension(path), TARGETS.iter().map(|(name, _)| *name));
            fail("no volume format has this extension", near)
        }
        Some(target) if is_packed(path) && target != Target::Nifti => {
            fail("only .nii can be compressed with gzip as a whole", String::new())
        }
        Some(_) if options.ascii => {
            let what = format!("{}: volumes cannot be written as text", path.display());
            Err(Error::usage(what, "leave out --ascii"))
        }
        Some(_) => Ok(()),
    }
}

/// Writes a volume as `.vti`, `.nii`, `.nii.gz`, `.npy`, `.mha` or `.nrrd`.
///
/// The file is written atomically. Numbers keep their type if they have no scaling or if the format
/// can store it. Otherwise, the scaled values are written.
///
/// NIfTI states coordinates in RAS and MetaImage in LPS. If a volume uses another of the frames
/// RAS, LPS and LAS, the signs of its coordinates are changed for these formats. Voxels keep their
/// order.
///
/// Returns one sentence for each thing that the format could not hold or that was changed.
///
/// ```
/// use zeroset_core::volume::{Placement, Volume};
/// use zeroset_io::{VolumeOptions, WriteOptions, read_volume, write_volume};
/// let volume = Volume::new([2, 1, 1], vec![0.5_f32, 1.5].into(), Placement::identity())?;
/// let path = std::env::temp_dir().join(format!("zeroset-{}.nrrd", std::process::id()));
/// write_volume(&path, &volume, &WriteOptions::default())?;
/// assert_eq!(read_volume(&path, &VolumeOptions::default())?.volume.value(1, 0, 0), 1.5);
/// # std::fs::remove_file(&path).map_err(|e| zeroset_core::Error::usage(e.to_string(), ""))?;
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`check_volume_target`], and [`Error::Output`] if the file cannot be
/// written.
pub fn write_volume(path: &Path, volume: &Volume, options: &WriteOptions) -> Result<Vec<String>> {
    check_volume_target(path, options)?;
    let mut lost = Vec::new();
    match target(path) {
        Some(Target::Vti) => {
            let mut own = Units::default();
            own.length = volume.units.clone().filter(|unit| Units::flaw(unit).is_none());
            let units = options.units.or(&own);
            let keeps = units.length == volume.units;
            lost.extend(lose("vti", volume, [true, true, !keeps, true]));
            vtk::write_vti(path, volume, options.compression, (options.time, &units))?;
        }
        Some(Target::Npy) => {
            lost.extend(lose("npy", volume, [true, true, true, false]));
            npy::write(path, volume)?;
        }
        Some(Target::Nifti) => nifti::write(path, volume, is_packed(path), &mut lost)?,
        Some(Target::MetaImage) => text::write_mha(path, volume, &mut lost)?,
        Some(Target::Nrrd) => text::write_nrrd(path, volume, &mut lost)?,
        None => {}
    }
    Ok(lost)
}

/// Describes what a volume loses in a format, or returns `None` if it loses nothing. The flags
/// state whether the format lacks a scaling, a frame and a unit, and whether it has a placement.
fn lose(format: &str, volume: &Volume, [scaling, frame, unit, place]: [bool; 4]) -> Option<String> {
    let applied = volume.unscaled();
    let changed = matches!(applied, Cow::Owned(_)) && scaling;
    let frame = volume.frame.as_ref().filter(|_| frame).map(|name| format!("frame ({name})"));
    let unit = volume.units.as_ref().filter(|_| unit).map(|name| format!("unit ({name})"));
    let named: Vec<String> = frame.into_iter().chain(unit).collect();
    let mut left = Vec::new();
    if changed {
        left.push(format!("scaled values become {}", applied.type_name()));
    }
    if !named.is_empty() {
        left.push(format!(".{format} does not state the {}", named.join(" and the ")));
    }
    if !place && *volume.placement() != Placement::identity() {
        left.push(format!(".{format} does not store origin, spacing and directions"));
    }
    (!left.is_empty()).then(|| left.join("; "))
}

/// Returns the placement of a volume in the frame `wanted`, RAS or LPS. Adds a note to `lost` if
/// signs change or if the frame is unknown.
fn placed_in(wanted: &str, format: &str, volume: &Volume, lost: &mut Vec<String>) -> Placement {
    let placement = *volume.placement();
    let signs = |frame: &str| match frame {
        "RAS" => Some([1.0, 1.0, 1.0]),
        "LPS" => Some([-1.0, -1.0, 1.0]),
        "LAS" => Some([-1.0, 1.0, 1.0]),
        _ => None,
    };
    match (volume.frame.as_deref(), volume.frame.as_deref().and_then(signs), signs(wanted)) {
        (Some(frame), Some(from), Some(to)) if from != to => {
            lost.push(format!(
                "coordinates change from {frame} to {wanted}, the frame of {format}; voxels keep \
                 their order"
            ));
            placement.mirrored(std::array::from_fn(|k| from[k] * to[k]))
        }
        (Some(_), Some(_), _) => placement,
        (frame, ..) => {
            let frame = frame.unwrap_or("unknown");
            lost.push(format!(
                "the frame is {frame}: {format} readers will interpret it as {wanted}"
            ));
            placement
        }
    }
}

/// The number of values per piece of a file being written.
const PIECE: usize = 1 << 18;

/// Writes all numbers in little-endian order.
fn write_samples(out: &mut dyn Write, samples: &Samples) -> std::io::Result<()> {
    let n = samples.len();
    (0..n.div_ceil(PIECE))
        .try_for_each(|k| out.write_all(&samples.le_bytes(k * PIECE..((k + 1) * PIECE).min(n))))
}

/// Writes a header followed by all numbers to a file, optionally compressed with gzip.
fn write_file(path: &Path, head: &[u8], samples: &Samples, packed: bool) -> Result<()> {
    atomic::write(path, |out| match packed {
        true => gzip::write(out, head, samples),
        false => {
            out.write_all(head)?;
            write_samples(out, samples)
        }
    })
}
