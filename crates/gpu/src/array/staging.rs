//! Large copies to the host through two buffers of pinned memory: the GPU fills one while host
//! threads empty the other. Without these buffers, the driver copies with a single thread, which
//! also has to handle the page faults of the first access.

use cudarc::driver::result::memcpy_dtoh_async;

use super::Pinned;
use super::item::values_mut;
use crate::{Cuda, device_error};
use zeroset_core::error::Result;
use zeroset_core::parallel::*;

/// The size of a buffer in bytes.
const PIECE: usize = 16 << 20;
/// The number of bytes that a thread copies at a time.
const SHARE: usize = 1 << 20;
/// The smallest number of bytes for which staging is worthwhile.
pub(super) const LARGE: usize = 2 * PIECE;

/// Two buffers of pinned memory, of `PIECE` bytes each.
pub struct Staging([Pinned<u8>; 2]);

impl Cuda {
    /// Copies bytes from an address on the GPU after all earlier launches. Returns false without
    /// copying if another thread is using the buffers.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if an earlier kernel failed, or if no pinned memory
    /// is available.
    ///
    /// # Safety
    /// The memory at the address must have at least as many bytes as `into`.
    pub(super) unsafe fn copy_large(&self, from: u64, into: &mut [u8]) -> Result<bool> {
        let fail = |e| device_error("copying from the GPU", e);
        // Do not wait for the lock: a thread that works on the tasks below may itself call this
        // function.
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
                // SAFETY: the caller guarantees the source. The buffer is not accessed before `get`
                // has waited for the copy.
                unsafe { memcpy_dtoh_async(host, at, self.stream().cu_stream()) }.map_err(fail)?;
                piece.copied = Some(self.stream().record_event(None).map_err(fail)?);
            }
            // Empty the previous buffer, which the next iteration fills again.
            if let Some(part) = (k > 0).then(|| rest.next()).flatten() {
                let arrived = &pieces[(k - 1) % 2].get()?[..part.len()];
                let shares = part.par_chunks_mut(SHARE).zip(arrived.par_chunks(SHARE));
                shares.for_each(|(part, arrived)| part.copy_from_slice(arrived));
            }
        }
        Ok(true)
    }
}
