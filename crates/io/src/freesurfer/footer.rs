//! The footer of a surface: the geometry of the volume from which the surface was made.
//!
//! The layout follows FreeSurfer's `mrisWriteTriangularSurface` and nibabel: the tag 2 with a flag
//! (whether coordinates are in the scanner frame), then the tag 20 with lines of text.

use crate::about::{About, VolumeGeometry};
use crate::bytes::Cursor;
use crate::frame::{FileFrame, Frame};

/// The tag of the flag that tells whether coordinates are in the scanner frame.
const USE_REAL_RAS: i32 = 2;
/// The tag of the volume geometry.
const SURFACE_GEOMETRY: i32 = 20;
/// The largest number of bytes of the text that are examined. More tags may follow the text.
const LONGEST: usize = 4096;

/// Returns the frame and the volume geometry stated in the bytes after the faces. Coordinates are
/// tkr unless the flag is set. Without a valid geometry, the relation of tkr to scanner coordinates
/// is unknown.
pub(super) fn about(cursor: &mut Cursor) -> About {
    let mut tag = cursor.i32("a tag").unwrap_or(0);
    let mut is_scanner = false;
    if tag == USE_REAL_RAS {
        is_scanner = cursor.i32("a flag").is_ok_and(|flag| flag == 1);
        tag = cursor.i32("a tag").unwrap_or(0);
    }
    let mut about = About::default();
    about.frame.coordinates = Some(if is_scanner { Frame::Scanner } else { Frame::Tkr });
    if tag != SURFACE_GEOMETRY {
        return about;
    }
    let rest = cursor.take(cursor.remaining().min(LONGEST), "the volume geometry");
    add_geometry(&mut about, rest.unwrap_or_default());
    about
}

/// Returns the frame, which is always tkr, and the volume geometry stated in the text after the
/// faces of a text surface.
pub(super) fn about_text(text: &[u8]) -> About {
    let mut about = About::default();
    about.frame.coordinates = Some(Frame::Tkr);
    add_geometry(&mut about, text.get(..LONGEST).unwrap_or(text));
    about
}

/// Returns true if `bytes` begin with a tag, so that they can be the footer of a binary surface.
pub(super) fn is_footer(bytes: &[u8]) -> bool {
    let tag = bytes.first_chunk().map(|tag| i32::from_be_bytes(*tag));
    tag.is_some_and(|tag| [USE_REAL_RAS, SURFACE_GEOMETRY].contains(&tag))
}

/// Adds the volume geometry that a text states, if it is valid.
fn add_geometry(about: &mut About, text: &[u8]) {
    if let Some(geometry) = geometry(&String::from_utf8_lossy(text)) {
        let coordinates = about.frame.coordinates;
        about.frame = FileFrame { coordinates, ..geometry.frame() };
        about.of_points = geometry.entries();
    }
}

/// Returns the volume geometry that a text states, or `None` if it is incomplete, invalid, or not
/// marked as valid.
fn geometry(text: &str) -> Option<VolumeGeometry> {
    let value = |name: &str| {
        let lines = text.lines().filter_map(|line| line.split_once('='));
        lines.map(|(key, value)| (key.trim(), value)).find(|(key, _)| *key == name).map(|x| x.1)
    };
    let numbers = |name: &str| {
        let words = value(name)?.split_whitespace().take(3);
        let found: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        <[f64; 3]>::try_from(found).ok()
    };
    if !value("valid")?.trim_start().starts_with('1') {
        return None;
    }
    VolumeGeometry {
        size: numbers("volume")?,
        spacing: numbers("voxelsize")?,
        axes: [numbers("xras")?, numbers("yras")?, numbers("zras")?],
        center: numbers("cras")?,
    }
    .checked()
}
