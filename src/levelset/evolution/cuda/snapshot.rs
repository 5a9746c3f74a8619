//! Copies the state of an evolution from the GPU to the host while the steps continue.

use std::sync::Arc;

use super::DeviceEvolution;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Cuda, Outgoing};
use crate::levelset::evolution::Snapshot;
use crate::patches::Patches;

/// Copies of phi and the band, taken between two steps and possibly still in progress.
pub struct PendingSnapshot<R: Real> {
    patches: Arc<Patches>,
    /// The snapshot without its arrays, which are empty here.
    numbers: Snapshot,
    room: Room<R>,
}

/// The copies in progress, in patch order.
struct Room<R: Real> {
    phi: Outgoing<R>,
    moving: Outgoing<u8>,
    inside: Outgoing<u8>,
}

impl<R: Real> Room<R> {
    fn new(cuda: &Cuda, n: usize) -> Result<Self> {
        let (phi, moving, inside) = (cuda.outgoing(n)?, cuda.outgoing(n)?, cuda.outgoing(n)?);
        Ok(Room { phi, moving, inside })
    }
}

impl<R: Real> PendingSnapshot<R> {
    /// Returns the number of bytes that a snapshot of `n` vertices takes on the GPU.
    pub(super) fn bytes(n: usize) -> usize {
        n * (size_of::<R>() + 2)
    }

    /// Waits for phi and returns it in mesh order.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU fails.
    pub fn phi(&self) -> Result<Vec<f64>> {
        Ok(self.patches.to_mesh_order(self.room.phi.get()?, Real::to_f64))
    }

    /// Waits for the band and returns, for each vertex, whether it moves (lies in the band), in
    /// mesh order.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU fails.
    pub fn band(&self) -> Result<Vec<bool>> {
        Ok(self.patches.to_mesh_order(self.room.moving.get()?, |moving| moving != 0))
    }

    /// Waits for the state and returns a snapshot to resume from.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU fails.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let in_band = self.patches.to_mesh_order(self.room.inside.get()?, |inside| inside != 0);
        Ok(Snapshot { phi: self.phi()?, in_band, ..self.numbers.clone() })
    }
}

impl<R: Real> DeviceEvolution<R> {
    /// Starts copying the current phi and band to the host.
    ///
    /// Does not wait for the copies, so steps can continue. The memory of the previous copy is
    /// reused if nothing refers to it any more.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU has too little memory or fails.
    pub fn standing(&mut self) -> Result<Arc<PendingSnapshot<R>>> {
        let patches = self.problem.patches.clone();
        let n = patches.n_vertices();
        let mut room = match self.standing.take().and_then(Arc::into_inner) {
            Some(before) => before.room,
            None => Room::new(&self.cuda, n)?,
        };
        self.cuda.send(&self.state.phi, self.now_at(), &mut room.phi)?;
        self.cuda.send(&self.state.moving, 0..n, &mut room.moving)?;
        self.cuda.send(&self.state.inside, 0..n, &mut room.inside)?;
        let numbers = self.numbers();
        let standing = Arc::new(PendingSnapshot { patches, numbers, room });
        self.standing = Some(standing.clone());
        Ok(standing)
    }
}
