//! Writer of the formats with a text header: `.mha` with raw numbers, and `.nrrd` with gzip
//! compression.

use std::path::Path;

use super::super::{metaimage, nrrd};
use super::{gzip, lose, placed_in, write_file};
use zeroset_core::atomic;
use zeroset_core::error::Result;
use zeroset_core::volume::{Placement, Volume};

/// Formats numbers with all digits, separated by blanks.
fn list<T: std::fmt::Display>(numbers: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|x| x.to_string()).collect();
    words.join(" ")
}

/// Replaces control characters, so that a name fits on one line of a header.
fn line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Writes a MetaImage file. Adds notes to `lost` about what changes or is lost.
pub(super) fn write_mha(path: &Path, volume: &Volume, lost: &mut Vec<String>) -> Result<()> {
    lost.extend(lose("mha", volume, [true, false, false, true]));
    let samples = volume.unscaled();
    let place = placed_in("LPS", "MetaImage", volume, lost);
    let mut head = "ObjectType = Image\nNDims = 3\nBinaryData = True\n\
                    BinaryDataByteOrderMSB = False\nCompressedData = False\n"
        .to_string();
    if !volume.name.is_empty() {
        head += &format!("Name = {}\n", line(&volume.name));
    }
    if let Some(unit) = &volume.units {
        head += &format!("DistanceUnits = {}\n", line(unit));
    }
    head += &format!(
        "TransformMatrix = {}\nOffset = {}\nCenterOfRotation = 0 0 0\n",
        list(place.directions().as_flattened()),
        list(place.origin()),
    );
    if volume.frame.is_some() {
        head += &format!("AnatomicalOrientation = {}\n", anatomical(&place));
    }
    head += &format!(
        "ElementSpacing = {}\nDimSize = {}\nElementType = {}\nElementDataFile = LOCAL\n",
        list(place.spacing()),
        list(volume.shape()),
        metaimage::type_of(samples.type_name()),
    );
    write_file(path, head.as_bytes(), &samples, false)
}

/// Returns the letters of the directions from which the axes come, not of those to which they
/// point. Axes in the directions of LPS give RAI.
fn anatomical(place: &Placement) -> String {
    let from = |c| match c {
        'R' => 'L',
        'L' => 'R',
        'A' => 'P',
        'P' => 'A',
        'S' => 'I',
        _ => 'S',
    };
    place.orientation("LPS").unwrap_or_default().chars().map(from).collect()
}

/// Writes an NRRD file. Adds notes to `lost` about what changes or is lost.
pub(super) fn write_nrrd(path: &Path, volume: &Volume, lost: &mut Vec<String>) -> Result<()> {
    lost.extend(lose("nrrd", volume, [true, false, false, true]));
    let samples = volume.unscaled();
    let place = volume.placement();
    let vector = |x: [f64; 3]| format!("({},{},{})", x[0], x[1], x[2]);
    let kind = match samples.type_name() {
        "float32" => "float",
        "float64" => "double",
        whole => whole,
    };
    let mut head = format!("NRRD0005\ntype: {kind}\ndimension: 3\n");
    match volume.frame.as_deref().and_then(nrrd::space_of) {
        Some(space) => head += &format!("space: {space}\n"),
        None => {
            let frame =
                volume.frame.iter().map(|frame| format!("the frame {frame} cannot be stated"));
            lost.extend(frame);
            head += "space dimension: 3\n";
        }
    }
    head += &format!(
        "sizes: {}\nspace directions: {}\nkinds: domain domain domain\nendian: little\n\
         encoding: gzip\nspace origin: {}\n",
        list(volume.shape()),
        list(place.steps().map(vector)),
        vector(place.origin()),
    );
    if let Some(unit) = &volume.units {
        let unit = line(unit).replace('"', "'");
        head += &format!("space units: \"{unit}\" \"{unit}\" \"{unit}\"\n");
    }
    if !volume.name.is_empty() {
        head += &format!("content: {}\n", line(&volume.name));
    }
    head.push('\n');
    atomic::write(path, |out| {
        out.write_all(head.as_bytes())?;
        gzip::write(out, &[], &samples)
    })
}
