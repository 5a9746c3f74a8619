//! What a run writes of an evolution on the GPU, on its way to the host while steps go on.

use std::sync::Arc;

use super::DeviceEvolution;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Cuda, Outgoing};
use crate::levelset::evolution::Snapshot;
use crate::patches::Patches;

/// phi and the band between two steps.
pub struct Standing<R: Real> {
    patches: Arc<Patches>,
    /// A [`Snapshot`] without its arrays.
    numbers: Snapshot,
    room: Room<R>,
}

/// Copies under way, in the order of the patches.
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

impl<R: Real> Standing<R> {
    /// Bytes on the GPU for `n` vertices.
    pub(super) fn bytes(n: usize) -> usize {
        n * (size_of::<R>() + 2)
    }

    /// phi in mesh order, once it is here.
    ///
    /// # Errors
    /// [`crate::Error::Device`] if the GPU fails.
    pub fn phi(&self) -> Result<Vec<f64>> {
        Ok(self.patches.to_mesh_order(self.room.phi.get()?, Real::to_f64))
    }

    /// Whether each vertex moves (lies in the band), in mesh order, once it is here.
    ///
    /// # Errors
    /// [`crate::Error::Device`] if the GPU fails.
    pub fn band(&self) -> Result<Vec<bool>> {
        Ok(self.patches.to_mesh_order(self.room.moving.get()?, |moving| moving != 0))
    }

    /// The state to go on from, once it is here.
    ///
    /// # Errors
    /// [`crate::Error::Device`] if the GPU fails.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let in_band = self.patches.to_mesh_order(self.room.inside.get()?, |inside| inside != 0);
        Ok(Snapshot { phi: self.phi()?, in_band, ..self.numbers.clone() })
    }
}

impl<R: Real> DeviceEvolution<R> {
    /// phi and the band as they stand now. Does not wait for them, and steps may go on; the memory
    /// of the one before is used again if nobody holds it any more.
    ///
    /// # Errors
    /// [`crate::Error::Device`] if there is not enough memory or the GPU fails.
    pub fn standing(&mut self) -> Result<Arc<Standing<R>>> {
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
        let standing = Arc::new(Standing { patches, numbers, room });
        self.standing = Some(standing.clone());
        Ok(standing)
    }
}
