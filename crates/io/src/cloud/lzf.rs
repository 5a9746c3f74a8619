//! Decompression of LZF, used in PCD files: literal runs, and copies of earlier output.

/// The largest factor by which data can grow: three bytes produce at most 264 bytes.
pub(super) const LARGEST_RATIO: u64 = 88;

/// Decompresses to exactly `n` bytes, or returns a description of the error.
///
/// The format is that of liblzf. A control byte c below 32 is followed by c + 1 literal bytes. Any
/// other control byte begins a copy. Its length is the upper three bits plus two, or, if they are
/// 7, nine plus the next byte. Its distance is 256 times the lower five bits, plus the next byte,
/// plus one.
pub(super) fn unpack(packed: &[u8], n: usize) -> Result<Vec<u8>, String> {
    if n as u64 / LARGEST_RATIO > packed.len() as u64 {
        return Err(format!("{} bytes cannot unpack to {n}", packed.len()));
    }
    let mut out = Vec::with_capacity(n);
    let cut = || "it ends within a run".to_string();
    let mut bytes = packed.iter();
    while let Some(&control) = bytes.next() {
        if control < 32 {
            let length = usize::from(control) + 1;
            let rest = bytes.as_slice();
            out.extend_from_slice(rest.get(..length).ok_or_else(cut)?);
            bytes = rest[length..].iter();
        } else {
            let mut length = usize::from(control >> 5) + 2;
            if length == 9 {
                length += usize::from(*bytes.next().ok_or_else(cut)?);
            }
            let low = usize::from(*bytes.next().ok_or_else(cut)?);
            let distance = (usize::from(control & 31) << 8) + low + 1;
            let begin = out
                .len()
                .checked_sub(distance)
                .ok_or("a copy begins before the start of the data")?;
            // A copy may overlap its own output.
            for k in begin..begin + length {
                out.push(out[k]);
            }
        }
        if out.len() > n {
            return Err(format!("it unpacks to more than {n} bytes"));
        }
    }
    if out.len() < n { Err(format!("it unpacks to {} of {n} bytes", out.len())) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_copies() {
        assert_eq!(unpack(&[2, 1, 2, 3], 3).unwrap(), [1, 2, 3]);
        // A copy of length 3 and distance 1, then one of length 9 + 1 and distance 3.
        assert_eq!(unpack(&[0, 7, 0x20, 0, 0xe0, 1, 2], 14).unwrap(), [7; 14]);
        assert!(unpack(&[], 0).unwrap().is_empty());
        for (packed, n, found) in [
            (&[2, 1][..], 3, "ends within a run"),
            (&[0x20, 0], 3, "begins before the start of the data"),
            (&[0, 7, 0xe0], 3, "ends within a run"),
            (&[0, 7], 2, "1 of 2 bytes"),
            (&[1, 7, 7], 1, "more than 1"),
            (&[0, 7], 1 << 40, "cannot unpack"),
        ] {
            let error = unpack(packed, n).unwrap_err();
            assert!(error.contains(found), "{error}");
        }
    }
}
