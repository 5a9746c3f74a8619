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
const SPHERES: &str = "spheres";
/// Warps per block.
const WARPS: usize = 16;
/// The largest number of tiles. The corners and triangles of all tiles must have 32-bit indices.
const MOST_TILES: usize = u32::MAX as usize / (5 * VERTICES);
/// Bytes per tile: value, sample, patch and patch size of each vertex, the key of the tile, and the
/// indices of the tile and its 26 neighbors.
const TILE: u64 = (VERTICES * 16 + 8 + 27 * 4) as u64;

/// Directed distances, tile by tile, in ascending order of the tile keys.
pub(super) struct Field {
    pub keys: Array<u64>,
    /// Indices of the 27 tiles around each tile, itself included.
    pub around: Array<u32>,
    /// Directed distance at each vertex, in cube edges, negative inside. NaN far from all samples.
    pub values: Array<f32>,
    /// The sample of each distance, as an index into the sorted samples, or `u32::MAX` if there is
    /// none.
    pub nearest: Array<u32>,
}

impl Field {
    /// Computes the field around seed cubes. With `radii`, in cubes and in the order of the cloud,
    /// distances are those from fitted spheres. Otherwise, they are those from tangent planes.
    pub fn new(
        cuda: &Cuda,
        points: &Points,
        seeds: &Seeds,
        lattice: &Lattice,
        radii: Option<&Array<f64>>,
        memory: &mut Memory,
    ) -> Result<Self> {
        let with = || Arguments::default().with(LatticeArgument::from(lattice));
        let with_radii = || radii.map(|radii| with().with(seeds.samples(points)).with_array(radii));
        // Every tile with seeds is also a tile of the field. The temporary keys of its neighbors
        // therefore take less memory than the field takes later on.
        check(seeds.tiles.len())?;
        let reached = cuda.zeros::<u64>(27 * seeds.tiles.len())?;
        let (file, kernel) = match radii {
            None => (FILE, "field_reached"),
            Some(_) => (SPHERES, "spheres_reached"),
        };
        let arguments = with_radii()
            .unwrap_or_else(with)
            .with(seeds.cubes.argument())
            .with(seeds.tiles.argument())
            .with_array(&reached);
        let grid = seeds.tiles.len().div_ceil(WARPS) as u32;
        // SAFETY: these are the arguments of the kernel, which writes 27 keys per tile. `radii` has
        // a number for each point of the cloud.
        unsafe { launch(cuda, file, kernel, grid, &arguments) }?;
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
        // SAFETY: these are the arguments of `field_around`, which writes 27 indices per tile.
        unsafe { share(cuda, FILE, "field_around", 27 * n, &arguments) }?;
        let values = cuda.zeros::<f32>(VERTICES * n)?;
        let nearest = cuda.zeros::<u32>(VERTICES * n)?;
        let kernel = if radii.is_none() { "field_values" } else { "spheres_values" };
        let arguments = with_radii()
            .unwrap_or_else(|| with().with(seeds.samples(points)))
            .with(seeds.cubes.argument())
            .with(seeds.tiles.argument())
            .with_array(&keys)
            .with_array(&values)
            .with_array(&nearest);
        // SAFETY: these are the arguments of the kernel, which runs one block per tile.
        unsafe { launch(cuda, file, kernel, n as u32, &arguments) }?;
        Ok(Field { keys, around, values, nearest })
    }

    /// Returns the number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.keys.len()
    }

    /// Returns the kernel argument of the distances.
    pub fn distances(&self) -> DistancesArgument {
        DistancesArgument { values: self.values.address(), around: self.around.address() }
    }
}

fn check(n_tiles: usize) -> Result<()> {
    if n_tiles <= MOST_TILES {
        return Ok(());
    }
    let what = format!("at least {n_tiles} tiles of 8^3 cubes; a GPU supports {MOST_TILES}");
    Err(Error::device_fault(DeviceFault::Limit, what, "use larger cubes, or compute on the CPU"))
}
