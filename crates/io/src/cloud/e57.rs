//! Reader of E57, a format for terrestrial scanners, based on the crate `e57`. All scans of a file
//! are merged in their common frame.

mod scan;

use e57::{E57Reader, RecordDataType};

use super::CloudReport;
use super::gather::{Depth, Gather};
use super::stream::{Seekable, Stream};
use super::wanted::Wanted;
use crate::guard::quietly;
use crate::text::one_line;
use scan::{Scan, common_attributes};
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::words::counted;

/// Reads an E57 file.
///
/// # Errors
/// Returns a [`Flaw`] if the crate cannot read the file, or if the file declares more points than
/// its bytes can hold.
pub(super) fn read(mut stream: Stream, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    // The crate allocates as much memory for XML as the header declares, so the declared length is
    // checked first.
    let head = stream.fill(48)?.first_chunk::<48>().copied();
    let (source, size, _) = stream.seekable()?;
    let xml = head.map(|head| head[32..].first_chunk().copied().map_or(0, u64::from_le_bytes));
    if xml.is_none_or(|xml| xml > size) {
        let xml = xml.map_or("no header".into(), |xml| format!("{xml} bytes of XML declared"));
        return Err(damaged(&format!("{xml}, but the file has {size} bytes")));
    }
    let found = quietly(|| scans(source, size, wanted));
    let (all, version, warnings) = found.unwrap_or_else(Err).map_err(|what| damaged(&what))?;
    let (cloud, mut report) = all.finish("e57", version)?;
    // The standard gives all lengths in meters.
    report.units = Some("m".to_string());
    report.warnings.splice(0..0, warnings);
    Ok((cloud, report))
}

fn damaged(what: &str) -> Flaw {
    Flaw::whole(one_line(&what), "the file is damaged: copy or export it again")
}

/// Reads the points of all scans. The cloud has colors, normals or an attribute only if every scan
/// has them.
fn scans(
    source: Box<dyn Seekable>,
    size: u64,
    wanted: &Wanted,
) -> Result<(Gather, String, Vec<String>), String> {
    let words = |e: e57::Error| format!("{e}");
    let mut file = E57Reader::new(source).map_err(words)?;
    let files = file.pointclouds();
    let scans: Vec<Scan> = files.iter().map(Scan::new).collect();
    let colors = !scans.is_empty() && scans.iter().all(|scan| scan.color.is_some());
    let normals = !scans.is_empty() && scans.iter().all(|scan| scan.normal.is_some());
    let chosen = wanted.choose(common_attributes(&scans));
    let mut all = Gather::new(normals, colors.then_some(Depth::Real), 0);
    chosen.add_to(&mut all);
    let mut warnings = Vec::new();
    if !colors && scans.iter().any(|scan| scan.color.is_some()) {
        warnings.push("colors are ignored: some scans have none".to_string());
    }
    if !normals && scans.iter().any(|scan| scan.normal.is_some()) {
        warnings.push("normals are ignored: some scans have none".to_string());
    }
    for (k, (stored, scan)) in files.iter().zip(&scans).enumerate() {
        // With zero-bit numbers, a file could declare any number of points.
        let bits: u64 = stored.prototype.iter().map(|record| bits(&record.data_type)).sum();
        if u128::from(stored.records) * u128::from(bits) > 8 * u128::from(size)
            || (bits == 0 && stored.records > 1)
        {
            let n = stored.records;
            return Err(format!("scan {k}: {n} points of {bits} bits in {size} bytes"));
        }
        let attributes = scan.places(&chosen.places);
        for point in file.pointcloud_raw(stored).map_err(words)? {
            let numbers = scan.numbers(&point.map_err(words)?).map_err(words)?;
            all.push(
                scan.position(&numbers),
                || scan.normal(&numbers),
                || scan.color(&numbers),
                |k| scan.attribute(&numbers, attributes[k]),
            );
        }
    }
    let n = scans.len();
    Ok((all, format!("1.0, {}", counted(n, ["scan", "scans"])), warnings))
}

/// Returns the smallest number of bits in which the file can store a number of this type.
fn bits(kind: &RecordDataType) -> u64 {
    match kind {
        RecordDataType::Single { .. } => 32,
        RecordDataType::Double { .. } => 64,
        RecordDataType::ScaledInteger { min, max, .. } | RecordDataType::Integer { min, max } => {
            u64::from(128 - (i128::from(*max) - i128::from(*min)).max(0).leading_zeros())
        }
    }
}
