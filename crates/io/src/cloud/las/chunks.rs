//! Checks of the chunk table of a LAZ file before memory is allocated for it.

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use laz::LazVlr;
use laz::laszip::LazItemType;

use super::header::Header;

/// The compressor number at the beginning of the LASzip record. `ALL_IN_ONE` marks a file without
/// chunks, and `IN_LAYERS` a file with layered chunks.
const ALL_IN_ONE: [u8; 2] = [1, 0];
const IN_LAYERS: [u8; 2] = [3, 0];

/// Returns the LASzip record. The record of a file without chunks ("pointwise") may state the chunk
/// size 0, which the crate interprets as chunks of different sizes. Therefore, 0 is replaced with
/// 50,000 in such a record.
pub(super) fn with_a_size(record: &[u8]) -> Cow<'_, [u8]> {
    // The chunk size follows the compressor, the coder, the version and the options.
    const SIZE: Range<usize> = 12..16;
    if !record.starts_with(&ALL_IN_ONE) || record.get(SIZE) != Some(&[0; 4]) {
        return Cow::Borrowed(record);
    }
    let mut record = record.to_vec();
    record[SIZE].copy_from_slice(&50_000_u32.to_le_bytes());
    Cow::Owned(record)
}

/// Checks the chunk table and the layer sizes against the number of points and the `size` of the
/// file. `raw` is the LASzip record and `vlr` its decoded form.
///
/// # Errors
/// Returns a description of the first contradiction.
pub(super) fn check(
    source: &mut (impl Read + Seek),
    raw: &[u8],
    vlr: &LazVlr,
    header: &Header,
    size: u64,
) -> Result<(), String> {
    if header.begin >= size {
        return Err(format!("expected from byte {} on, but the file ends at {size}", header.begin));
    }
    // The crate takes the layout from the versions of the items and ignores the compressor number.
    let in_layers = vlr.items().first().is_some_and(|item| item.version() >= 3);
    if in_layers != raw.starts_with(&IN_LAYERS) {
        return Err("the compressor does not match the record items".to_string());
    }
    if raw.starts_with(&ALL_IN_ONE) {
        return Ok(());
    }
    let mut at = Reader { source, size };
    let mut table = at.number::<8>(header.begin).map(i64::from_le_bytes)?;
    if table <= header.begin as i64 {
        // A writer that could not seek back stores the position of the table at the end of the
        // file.
        table = at.number::<8>(size.saturating_sub(8)).map(i64::from_le_bytes)?;
    }
    if let Ok(table) = u64::try_from(table)
        && table > header.begin
        && table.saturating_add(8) <= size
    {
        let n = u64::from(at.number::<4>(table + 4).map(u32::from_le_bytes)?);
        if n > header.n || n > size {
            return Err(format!("{n} chunks for {} points in {size} bytes", header.n));
        }
    }
    if in_layers {
        layers(&mut at, vlr, header)?;
    }
    Ok(())
}

/// A reader of numbers at given byte offsets of the file.
struct Reader<'a, R> {
    source: &'a mut R,
    size: u64,
}

impl<R: Read + Seek> Reader<'_, R> {
    fn number<const N: usize>(&mut self, at: u64) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        let found = self.source.seek(SeekFrom::Start(at));
        found
            .and_then(|_| self.source.read_exact(&mut bytes))
            .map_err(|_| format!("the data end at byte {at} of {}", self.size))?;
        Ok(bytes)
    }
}

/// Checks the layers of each chunk. A chunk begins with an uncompressed point. The number of points
/// in the chunk and the sizes of its layers follow.
fn layers<R: Read + Seek>(at: &mut Reader<R>, vlr: &LazVlr, header: &Header) -> Result<(), String> {
    let of = |kind: LazItemType| match kind {
        LazItemType::Point14 => 9,
        LazItemType::RGB14 | LazItemType::WavePacket14 => 1,
        LazItemType::RGBNIR14 => 2,
        LazItemType::Byte14(n) => u64::from(n),
        _ => 0,
    };
    let n_layers: u64 = vlr.items().iter().map(|item| of(item.item_type())).sum();
    let (mut begin, mut left) = (header.begin + 8, header.n);
    while left > 0 {
        let sizes = begin + header.length as u64;
        let n = u64::from(at.number::<4>(sizes).map(u32::from_le_bytes)?);
        let mut end = sizes + 4 + 4 * n_layers;
        for k in 0..n_layers {
            end += u64::from(at.number::<4>(sizes + 4 + 4 * k).map(u32::from_le_bytes)?);
        }
        if end > at.size || n == 0 {
            let left = at.size - begin.min(at.size);
            return Err(format!(
                "a chunk declares {n} points and {} bytes, but only {left} bytes are left",
                end - begin
            ));
        }
        (begin, left) = (end, left.saturating_sub(n));
    }
    Ok(())
}
