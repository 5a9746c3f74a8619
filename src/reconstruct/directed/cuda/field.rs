//! The directed distance at the vertices around seed cubes, on the GPU.

use super::kernel_arguments::{DistancesArgument, LatticeArgument};
use super::seeds::{Points, Runs, Seeds};
use super::{Memory, launch, share};
use crate::error::{DeviceFault, Error, Result};
use crate::gpu::primitives::sort;
use crate::gpu::{Arguments, Array, Cuda};
use crate::reconstruct::directed::Lattice;
use crate::reconstruct::directed::field::VERTICES;

const FILE: &str = "field";
/// Warps of a block.
const WARPS: usize = 16;
/// Most tiles: the corners and triangles of all have 32 bits.
const MOST_TILES: usize = u32::MAX as usize / (5 * VERTICES);
/// Bytes of a tile: value, sample, patch and size of the patch of each vertex, its key and the 27 tiles
/// around it.
const TILE: u64 = (VERTICES * 16 + 8 + 27 * 4) as u64;

/// Directed distances, tile by tile, in ascending order of the tiles' keys.
pub(super) struct Field {
    pub keys: Array<u64>,
    /// The tiles around each, 27 of them.
    pub around: Array<u32>,
    /// Directed distance at each vertex in cubes, negative inside; NaN away from all samples.
    pub values: Array<f32>,
    /// The sample it is taken from, by its place in the order of samples.
    pub nearest: Array<u32>,
}

impl Field {
    /// Computes the field of some seed cubes.
    pub fn new(
        cuda: &Cuda,
        points: &Points,
        seeds: &Seeds,
        lattice: &Lattice,
        memory: &mut Memory,
    ) -> Result<Self> {
        let with = || Arguments::default().with(LatticeArgument::from(lattice));
        // Each tile with seeds is one of the field, so what its neighbors take for a while is there.
        check(seeds.tiles.len())?;
        let reached = cuda.zeros::<u64>(27 * seeds.tiles.len())?;
        let arguments =
            with().with(seeds.cubes.argument()).with(seeds.tiles.argument()).with_array(&reached);
        let grid = seeds.tiles.len().div_ceil(WARPS) as u32;
        // SAFETY: the arguments of `field_reached`, 27 keys for each tile.
        unsafe { launch(cuda, FILE, "field_reached", grid, &arguments) }?;
        let keys = {
            let sorted = sort(cuda, &reached, None, lattice.key_bits() - 9)?;
            drop(reached);
            Runs::new(cuda, &sorted.keys, 0)?.keys
        };
        let n = keys.len();
        check(n)?;
        memory.take(cuda, "tiles of cubes", n, n as u64 * TILE)?;
        let around = cuda.zeros::<u32>(27 * n)?;
        let arguments = with().with_array(&keys).with(n as u32).with_array(&around);
        // SAFETY: the arguments of `field_around`, 27 numbers for each tile.
        unsafe { share(cuda, FILE, "field_around", 27 * n, &arguments) }?;
        let values = cuda.zeros::<f32>(VERTICES * n)?;
        let nearest = cuda.zeros::<u32>(VERTICES * n)?;
        let arguments = with()
            .with(seeds.samples(points))
            .with(seeds.cubes.argument())
            .with(seeds.tiles.argument())
            .with_array(&keys)
            .with_array(&values)
            .with_array(&nearest);
        // SAFETY: the arguments of `field_values`, a block for each tile.
        unsafe { launch(cuda, FILE, "field_values", n as u32, &arguments) }?;
        Ok(Field { keys, around, values, nearest })
    }

    /// Number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.keys.len()
    }

    /// Values for kernels.
    pub fn distances(&self) -> DistancesArgument {
        DistancesArgument { values: self.values.address(), around: self.around.address() }
    }
}

fn check(n_tiles: usize) -> Result<()> {
    if n_tiles <= MOST_TILES {
        return Ok(());
    }
    let what = format!("{n_tiles} tiles of 8^3 cubes or more, a GPU takes {MOST_TILES}");
    Err(Error::device_fault(
        DeviceFault::Limit,
        what,
        "take larger cubes, or compute it on the CPU",
    ))
}
