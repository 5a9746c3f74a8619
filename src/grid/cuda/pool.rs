//! Values of tiles on a GPU.

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda, Element};
use crate::grid::{Band, Pool, Stored};

zeroset_gpu::cuda_header! {
    "tile_storage";

    /// How a value of phi is kept.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub define enum Storage as STORAGE {
        /// As it is.
        Real = 0,
        /// In 16 bits.
        Fixed16 = 16,
    }
}

/// E^3 values for each tile id below a capacity, x fastest: the twin of [`Pool`].
///
/// Before the first tile stand two that are nobody's, with the values of missing tiles: inside, then outside.
/// They have the ids -2 and -1, by which kernels know missing neighbors, so that a halo is read without a look
/// at which neighbors there are.
pub struct DevicePool<S: Element, const E: usize> {
    values: Array<S>,
}

impl<S: Element, const E: usize> DevicePool<S, E> {
    /// Values before the first tile.
    const FRONT: usize = 2 * E * E * E;

    /// Zeros for the ids below `tiles`, in a band of half width `gamma`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new<R: Real>(cuda: &Cuda, tiles: usize, gamma: R) -> Result<Self>
    where
        S: Stored<R>,
    {
        let mut pool = DevicePool { values: cuda.zeros(Self::FRONT + tiles * E * E * E)? };
        pool.set_far(cuda, gamma)?;
        Ok(pool)
    }

    /// Writes what missing tiles hold in a band of half width `gamma`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the GPU does not answer.
    pub fn set_far<R: Real>(&mut self, cuda: &Cuda, gamma: R) -> Result<()>
    where
        S: Stored<R>,
    {
        let band = Band { gamma, reach: 1 };
        let far = |inside| vec![S::store(band.far(inside), gamma); E * E * E];
        cuda.write(&mut self.values, &[far(true), far(false)].concat())
    }

    /// The same with the values of the first tiles of a pool of the host.
    ///
    /// # Errors
    /// As [`DevicePool::new`].
    ///
    /// # Panics
    /// If there are more than `tiles`.
    pub fn upload<R: Real>(
        cuda: &Cuda,
        pool: &Pool<S, E>,
        first: usize,
        tiles: usize,
        gamma: R,
    ) -> Result<Self>
    where
        S: Stored<R>,
    {
        let mut on_gpu = Self::new(cuda, tiles, gamma)?;
        cuda.write_part(&mut on_gpu.values, Self::FRONT, &pool.values()[..first * E * E * E])?;
        Ok(on_gpu)
    }

    /// Bytes on the GPU for so many tiles.
    pub fn bytes(tiles: usize) -> usize {
        (Self::FRONT + tiles * E * E * E) * size_of::<S>()
    }

    /// Address of the first tile, for kernels.
    pub fn address(&self) -> u64 {
        self.values.address() + (Self::FRONT * size_of::<S>()) as u64
    }

    /// Number of ids there is room for.
    pub fn n_tiles(&self) -> usize {
        (self.values.len() - Self::FRONT) / (E * E * E)
    }

    /// A pool with room for more ids, and zeros for those.
    ///
    /// # Errors
    /// As [`DevicePool::new`].
    pub fn lengthened(&self, cuda: &Cuda, tiles: usize) -> Result<Self> {
        let values = cuda.lengthened(&self.values, Self::FRONT + tiles * E * E * E)?;
        Ok(DevicePool { values })
    }

    /// The values of the ids below `tiles`, after everything launched before.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a kernel before failed.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn download(&self, cuda: &Cuda, tiles: usize) -> Result<Vec<S>> {
        cuda.download_part(&self.values, Self::FRONT..Self::FRONT + tiles * E * E * E)
    }
}
