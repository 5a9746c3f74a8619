//! Storage of the values of tiles on a GPU.

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda, Element};
use crate::grid::{Band, Pool, Stored};

zeroset_gpu::cuda_header! {
    "tile_storage";

    /// The storage format of a value of phi.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub define enum Storage as STORAGE {
        /// Floating point.
        Real = 0,
        /// 16-bit fixed point.
        Fixed16 = 16,
    }
}

/// E^3 values for each tile id below a capacity, x fastest. The GPU counterpart of [`Pool`].
///
/// Two dummy tiles precede the first tile. They hold the values of missing tiles: inside, then
/// outside. Their ids are -2 and -1, which kernels use for missing neighbors. A halo is thus read
/// without a test for missing neighbors.
pub struct DevicePool<S: Element, const E: usize> {
    values: Array<S>,
}

impl<S: Element, const E: usize> DevicePool<S, E> {
    /// The number of values before the first tile.
    const FRONT: usize = 2 * E * E * E;

    /// Creates a pool of zeros for the ids below `tiles`, for a band of half width `gamma`.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new<R: Real>(cuda: &Cuda, tiles: usize, gamma: R) -> Result<Self>
    where
        S: Stored<R>,
    {
        let mut pool = DevicePool { values: cuda.zeros(Self::FRONT + tiles * E * E * E)? };
        pool.set_far(cuda, gamma)?;
        Ok(pool)
    }

    /// Writes the values of missing tiles for a band of half width `gamma`.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub fn set_far<R: Real>(&mut self, cuda: &Cuda, gamma: R) -> Result<()>
    where
        S: Stored<R>,
    {
        let band = Band { gamma, reach: 1 };
        let far = |inside| vec![S::store(band.far(inside), gamma); E * E * E];
        cuda.write(&mut self.values, &[far(true), far(false)].concat())
    }

    /// Creates a pool with room for the ids below `tiles` and uploads the values of the first
    /// `first` tiles of a host pool.
    ///
    /// # Errors
    /// See [`DevicePool::new`].
    ///
    /// # Panics
    /// Panics if `first` exceeds `tiles`.
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

    /// Returns the number of bytes that a pool of `tiles` tiles takes on the GPU.
    pub fn bytes(tiles: usize) -> usize {
        (Self::FRONT + tiles * E * E * E) * size_of::<S>()
    }

    /// Returns the address of the first tile, for kernels.
    pub fn address(&self) -> u64 {
        self.values.address() + (Self::FRONT * size_of::<S>()) as u64
    }

    /// Returns the number of ids that fit.
    pub fn n_tiles(&self) -> usize {
        (self.values.len() - Self::FRONT) / (E * E * E)
    }

    /// Returns a copy of the pool with room for the ids below `tiles`. The values of additional ids
    /// are zero.
    ///
    /// # Errors
    /// See [`DevicePool::new`].
    pub fn lengthened(&self, cuda: &Cuda, tiles: usize) -> Result<Self> {
        let values = cuda.lengthened(&self.values, Self::FRONT + tiles * E * E * E)?;
        Ok(DevicePool { values })
    }

    /// Waits for everything launched before and returns the values of the ids below `tiles`.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if an earlier kernel failed.
    ///
    /// # Panics
    /// Panics if the pool holds fewer tiles.
    pub fn download(&self, cuda: &Cuda, tiles: usize) -> Result<Vec<S>> {
        cuda.download_part(&self.values, Self::FRONT..Self::FRONT + tiles * E * E * E)
    }
}
