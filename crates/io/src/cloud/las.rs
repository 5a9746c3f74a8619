//! Reader of the lidar formats LAS and LAZ: versions 1.0 to 1.4, record formats 0 to 10. The tables
//! of a LAZ file are checked before the crate `laz` decompresses it.

mod attributes;
mod chunks;
mod header;

use std::io::{Seek, SeekFrom};

use super::CloudReport;
use super::gather::{Depth, Gather};
use super::records::{Paint, Place, Records};
use super::stream::Stream;
use super::wanted::Wanted;
use crate::guard::quietly;
use crate::load;
use crate::scalar::Scalar;
use crate::text::one_line;
use header::Header;
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::words::counted;

/// The number of bytes of records that are decompressed at a time.
const PIECE: usize = 1 << 18;

/// Reads a LAS or LAZ file.
///
/// # Errors
/// Returns a [`Flaw`] if the header is damaged, if there are fewer points than declared, or if
/// compressed data cannot be decompressed.
pub(super) fn read(mut stream: Stream, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    let header = header::read(&mut stream)?;
    let chosen = wanted.choose(attributes::of(&header));
    let depth = header.colors.map(|_| Depth::Word);
    let place = |at: usize, scalar| Place { at, step: header.length, scalar };
    let records = Records {
        big_endian: false,
        stride: header.length,
        position: [0, 4, 8].map(|at| place(at, Scalar::I32)),
        scale: header.scale,
        offset: header.offset,
        normal: None,
        color: header
            .colors
            .map(|at| Paint::Three([at, at + 2, at + 4].map(|at| place(at, Scalar::U16)))),
        attributes: chosen.places.clone(),
        class: Some(header.class),
    };
    let mut all;
    if header.compressed.is_some() {
        all = Gather::new(false, depth, 0);
        chosen.add_to(&mut all);
        unpack(stream, &header, &records, &mut all)?;
    } else {
        stream.pass_to(header.begin, "points")?;
        all = Gather::new(false, depth, stream.promised(header.n, header.length as u64, "points")?);
        chosen.add_to(&mut all);
        records.read(&mut stream, header.n, &mut all)?;
    }
    let format = if header.compressed.is_some() { "laz" } else { "las" };
    let (cloud, mut report) = all.finish(format, header.version)?;
    report.units = header.units;
    report.vertical_units = header.vertical_units;
    if report.withheld > 0 {
        let points = counted(report.withheld, ["point is", "points are"]);
        report.warnings.push(format!("{points} marked as withheld and left out"));
    }
    Ok((cloud, report))
}

/// Decompresses the records of a LAZ file and adds their points to `all`.
fn unpack(
    stream: Stream,
    header: &Header,
    records: &Records,
    all: &mut Gather,
) -> Result<(), Flaw> {
    if header.n == 0 {
        // The crate would allocate the table of chunks even though no point is requested.
        return Ok(());
    }
    let path = stream.path();
    let fail = |what: String| {
        let what = format!("compressed points: {what}");
        Flaw::whole(what, "the file is damaged or truncated: copy it again")
    };
    let (mut source, size, mut budget) = stream.seekable()?;
    let raw = &chunks::with_a_size(header.compressed.as_deref().unwrap_or_default());
    let vlr = quietly(|| laz::LazVlr::from_buffer(raw)).map_err(&fail)?;
    let vlr = vlr.map_err(|e| fail(one_line(&e)))?;
    // The sum that the crate provides has only 16 bits and may overflow.
    let length: u64 = vlr.items().iter().map(|item| u64::from(item.size())).sum();
    if length != header.length as u64 {
        return Err(fail(format!(
            "records of {length} bytes, but the header states {}",
            header.length
        )));
    }
    if budget.take(header.n.saturating_mul(length)).is_err() {
        let what = format!(
            "{} points declared in a file of {size} bytes, more than it may unpack to",
            header.n
        );
        return Err(Flaw::at(
            "points",
            what,
            "if the file is genuine, decompress it to .las first",
        ));
    }
    chunks::check(&mut source, raw, &vlr, header, size).map_err(&fail)?;
    source.seek(SeekFrom::Start(header.begin)).map_err(|e| load::unreadable(path, e))?;
    let made = quietly(|| laz::LasZipDecompressor::new(source, vlr)).map_err(&fail)?;
    let mut made = made.map_err(|e| fail(one_line(&e)))?;
    let mut left = header.n;
    let mut bytes = Vec::new();
    while left > 0 {
        let n = left.min((PIECE / header.length).max(1) as u64) as usize;
        bytes.resize(n * header.length, 0);
        let outcome = quietly(|| made.decompress_many(&mut bytes)).map_err(&fail)?;
        outcome.map_err(|e| {
            let found = header.n - left;
            fail(format!("{} declared, error after {found} or more: {}", header.n, one_line(&e)))
        })?;
        records.decode(&bytes, n, all);
        left -= n as u64;
    }
    Ok(())
}
