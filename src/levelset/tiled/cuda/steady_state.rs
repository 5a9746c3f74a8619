//! Detection of the steady state on a GPU, the counterpart of `src/levelset/tiled/steady_state.rs`.

use crate::gpu::blocks::DEFAULT_BLOCK;
use std::sync::Arc;

use super::DeviceTiledEvolution;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::definitions::Define;
use crate::gpu::{Arguments, Array, Cuda, Element, Kernel, Launch, Unit};
use crate::grid::cuda::Storage;
use crate::grid::{Pool, Stored};

/// A copy of the tiles from the previous check.
pub struct DeviceInterface<S: Element, const E: usize> {
    cuda: Arc<Cuda>,
    rest: Kernel,
    keep: Kernel,
    grid: u32,
    /// The keys in ascending order. `values` has the same order.
    keys: Array<u64>,
    values: Array<S>,
    n: usize,
}

/// The result of a check of the tiles that the interface crosses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossed {
    /// The number of tiles that the interface crosses.
    pub tiles: usize,
    /// The number of these tiles that are old: the interface in them has hardly moved since the
    /// previous check.
    pub old: usize,
}

zeroset_gpu::cuda_header! {
    "tile_steady_state", include "tiles/storage.cuh";

    /// The tiles of the previous check.
    #[derive(Clone, Copy)]
    struct Before {
        /// `[n]` keys in ascending order.
        keys: u64 as "u64 *",
        /// The values in the order of the keys.
        values: u64 as "stored *",
        n: u32,
        padding: u32,
    }
}

impl<S: Element, const E: usize> DeviceInterface<S, E> {
    /// Returns the size of a copy of `tiles` tiles in bytes.
    pub fn bytes(tiles: usize) -> usize {
        tiles * (size_of::<u64>() + E * E * E * size_of::<S>())
    }

    /// Creates an empty copy. No tile is old at the first check.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if a kernel cannot be compiled.
    pub fn new<R: Real>(cuda: &Arc<Cuda>) -> Result<Self>
    where
        S: Stored<R>,
    {
        let mut defines = vec![
            ("REAL", if size_of::<R>() == 8 { "double" } else { "float" }.to_string()),
            ("TILE_EDGE", E.to_string()),
        ];
        if size_of::<S>() == 2 {
            defines.push(Storage::Fixed16.define());
        }
        let unit = Unit::with("tiles/steady_state", defines)?;
        let rest = cuda.kernel(&unit, "tiles_rest")?;
        Ok(DeviceInterface {
            grid: rest.resident_blocks(DEFAULT_BLOCK, 0)?,
            keep: cuda.kernel(&unit, "tiles_keep")?,
            rest,
            keys: cuda.zeros(0)?,
            values: cuda.zeros(0)?,
            n: 0,
            cuda: cuda.clone(),
        })
    }

    /// Counts the tiles that the interface crosses and the old tiles among them, and copies the
    /// tiles for the next check. The module `steady_state` defines old tiles.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn look<R: Real>(&mut self, motion: &DeviceTiledEvolution<R, E, S>) -> Result<Crossed>
    where
        S: Stored<R>,
    {
        let (tiles, phi) = (motion.tiles(), motion.phi().address());
        let launch =
            Launch { grid: self.grid, block: DEFAULT_BLOCK, shared: 0, cooperative: false };
        let counts = self.cuda.zeros::<u32>(2)?;
        let to = Arguments::default().with(tiles).with(phi).with(motion.half_width().to_f64());
        let arguments = to.with(self.before()).with_array(&counts);
        // SAFETY: the arguments match `tiles_rest`, and the copy has `n` tiles.
        unsafe { self.cuda.launch(&self.rest, launch, &arguments)? };
        self.n = motion.control().n_tiles as usize;
        if self.keys.len() < self.n {
            // The previous copy is no longer needed, so its memory is released first.
            let room = self.n + self.n / 4;
            self.values = self.cuda.zeros(0)?;
            self.keys = self.cuda.zeros(room)?;
            self.values = self.cuda.zeros(room * Pool::<S, E>::TILE)?;
        }
        let arguments = Arguments::default().with(tiles).with(phi).with(self.before());
        // SAFETY: the arguments match `tiles_keep`, and the copy has room for all tiles.
        unsafe { self.cuda.launch(&self.keep, launch, &arguments)? };
        let counts = self.cuda.download(&counts)?;
        Ok(Crossed { tiles: counts[0] as usize, old: counts[1] as usize })
    }

    fn before(&self) -> Before {
        let (keys, values) = (self.keys.address(), self.values.address());
        Before { keys, values, n: self.n as u32, padding: 0 }
    }
}
