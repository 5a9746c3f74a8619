//! A volume into a file of the format its name says.

mod gzip;
mod nifti;
mod npy;
mod text;

pub(crate) use npy::head as npy_head;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use super::super::sniff;
use super::super::write::{WriteOptions, meant};
use super::super::{atomic, vtk};
use zeroset_core::error::{Error, Result};
use zeroset_core::volume::{Placement, Samples, Volume};

/// Formats that can be written.
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

/// True if the name of a file to write is that of a volume.
pub fn is_volume_target(path: &Path) -> bool {
    target(path).is_some()
}

/// Says whether [`write_volume`] can write to `path`, as far as its name tells.
///
/// # Errors
/// [`Error::Case`] for an ending that is not known, and for text.
pub fn check_volume_target(path: &Path, options: &WriteOptions) -> Result<()> {
    const REMEDY: &str = "end the name in .nii.gz, .nii, .nrrd, .mha, .vti or .npy";
    let fail = |what: &str, near: String| {
        Err(Error::usage(format!("{}: {what}", path.display()), near + REMEDY))
    };
    match target(path) {
        None => {
            let near = meant(&sniff::extension(path), TARGETS.iter().map(|(name, _)| *name));
            fail("no format of volumes has this ending", near)
        }
        Some(target) if is_packed(path) && target != Target::Nifti => {
            fail("only .nii is packed with gzip as a whole", String::new())
        }
        Some(_) if options.ascii => {
            let what = format!("{}: volumes are not written as text", path.display());
            Err(Error::usage(what, "leave out --ascii"))
        }
        Some(_) => Ok(()),
    }
}

/// Writes a volume as `.vti`, `.nii`, `.nii.gz`, `.npy`, `.mha` or `.nrrd`; the file appears whole
/// or not at all. Numbers keep their type; where a format knows no scaling, values are written.
///
/// NIfTI states coordinates as RAS and MetaImage as LPS: for these, coordinates of a volume in
/// another of the frames RAS, LPS and LAS change their signs, and voxels keep their order.
///
/// Returns what the format could not hold or what was changed, one sentence each.
///
/// # Errors
/// Those of [`check_volume_target`]; [`Error::Output`].
pub fn write_volume(path: &Path, volume: &Volume, options: &WriteOptions) -> Result<Vec<String>> {
    check_volume_target(path, options)?;
    let mut lost = Vec::new();
    match target(path) {
        Some(Target::Vti) => {
            lost.extend(lose("vti", volume, [true, true, true]));
            vtk::write_vti(path, volume, options.compression)?;
        }
        Some(Target::Npy) => {
            lost.extend(lose("npy", volume, [true, true, false]));
            npy::write(path, volume)?;
        }
        Some(Target::Nifti) => nifti::write(path, volume, is_packed(path), &mut lost)?,
        Some(Target::MetaImage) => text::write_mha(path, volume, &mut lost)?,
        Some(Target::Nrrd) => text::write_nrrd(path, volume, &mut lost)?,
        None => {}
    }
    Ok(lost)
}

/// What a format leaves out of scaling, frame with units, and place.
fn lose(format: &str, volume: &Volume, [scaling, frame, place]: [bool; 3]) -> Option<String> {
    let applied = volume.unscaled();
    let changed = matches!(applied, Cow::Owned(_)) && scaling;
    let state = volume.frame.iter().chain(&volume.units);
    let named: Vec<&str> = state.map(String::as_str).filter(|_| frame).collect();
    let mut left = Vec::new();
    if changed {
        left.push(format!("scaled values become {}", applied.type_name()));
    }
    if !named.is_empty() {
        left.push(format!(".{format} does not state frame and unit ({})", named.join(", ")));
    }
    if !place && *volume.placement() != Placement::identity() {
        left.push(format!(".{format} does not hold origin, spacing and directions"));
    }
    (!left.is_empty()).then(|| left.join("; "))
}

/// The place of a volume in the frame `wanted`, RAS or LPS; says so if signs change or the frame is
/// not known.
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
                "coordinates change from {frame} to {wanted}, which {format} states; voxels keep \
                 their order"
            ));
            placement.mirrored(std::array::from_fn(|k| from[k] * to[k]))
        }
        (Some(_), Some(_), _) => placement,
        (frame, ..) => {
            let frame = frame.unwrap_or("unknown");
            lost.push(format!("the frame is {frame}: {format} readers will take it for {wanted}"));
            placement
        }
    }
}

/// Numbers of a piece of a file in the making.
const PIECE: usize = 1 << 18;

/// Writes all numbers, little endian.
fn write_samples(out: &mut dyn Write, samples: &Samples) -> std::io::Result<()> {
    let n = samples.len();
    (0..n.div_ceil(PIECE))
        .try_for_each(|k| out.write_all(&samples.le_bytes(k * PIECE..((k + 1) * PIECE).min(n))))
}

/// A head and all numbers behind it, as one file, packed with gzip or not.
fn write_file(path: &Path, head: &[u8], samples: &Samples, packed: bool) -> Result<()> {
    atomic::write(path, |out| match packed {
        true => gzip::write(out, head, samples),
        false => {
            out.write_all(head)?;
            write_samples(out, samples)
        }
    })
}
