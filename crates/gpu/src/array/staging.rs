//! Large copies to the host through two pieces of pinned memory: the GPU fills one while threads of the host empty the
//! other. The driver by itself has one thread do so, which also meets the memory's first touch.

use cudarc::driver::result::memcpy_dtoh_async;
use rayon::prelude::*;

use super::Pinned;
use super::item::values_mut;
use crate::{Cuda, device_error};
use zeroset_core::error::Result;

/// Bytes of a piece.
const PIECE: usize = 16 << 20;
/// Bytes that a thread copies at a time.
const SHARE: usize = 1 << 20;
/// Bytes from which on this is worth it.
pub(super) const LARGE: usize = 2 * PIECE;

/// Two pieces of pinned memory.
pub struct Staging([Pinned<u8>; 2]);

impl Cuda {
    /// Copies bytes from an address on the GPU, after everything launched before; false if another thread
    /// has the pieces.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if a kernel before failed or there is no pinned memory.
    ///
    /// # Safety
    /// As many bytes must be there.
    pub(super) unsafe fn copy_large(&self, from: u64, into: &mut [u8]) -> Result<bool> {
        let fail = |e| device_error("copying from the GPU", e);
        // Not waited for: a thread that works on what is below may be asked for this too.
        let Ok(mut staging) = self.staging.try_lock() else { return Ok(false) };
        if staging.is_none() {
            *staging = Some(Staging([self.pinned(PIECE)?, self.pinned(PIECE)?]));
        }
        let Some(Staging(pieces)) = staging.as_mut() else { return Ok(false) };
        self.context().bind_to_thread().map_err(fail)?;
        let (len, n) = (into.len(), into.len().div_ceil(PIECE));
        let mut rest = into.chunks_mut(PIECE);
        for k in 0..=n {
            if k < n {
                let piece = &mut pieces[k % 2];
                let bytes = (len - k * PIECE).min(PIECE);
                let host = &mut values_mut(piece.slice.as_mut_slice().map_err(fail)?)[..bytes];
                let at = from + (k * PIECE) as u64;
                // SAFETY: the caller's; nobody touches the piece before `get` has waited for the copy.
                unsafe { memcpy_dtoh_async(host, at, self.stream().cu_stream()) }.map_err(fail)?;
                piece.copied = Some(self.stream().record_event(None).map_err(fail)?);
            }
            // The piece before, which the next turn fills again.
            if let Some(part) = (k > 0).then(|| rest.next()).flatten() {
                let arrived = &pieces[(k - 1) % 2].get()?[..part.len()];
                let shares = part.par_chunks_mut(SHARE).zip(arrived.par_chunks(SHARE));
                shares.for_each(|(part, arrived)| part.copy_from_slice(arrived));
            }
        }
        Ok(true)
    }
}
