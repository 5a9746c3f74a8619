//! Benchmark of three ways to find the neighbors of tiles on the GPU: in the sorted list (as in the
//! program), in a hash table of the keys, and in a two-level map (`kernels/bench/lookup.cu`).
//!
//! Times are the smallest of five, in milliseconds between GPU events. All three ways must find the
//! same neighbors.

use std::sync::Arc;

use zeroset::gpu::{Arguments, Array, Cuda, Kernel, Launch, Plain, Unit};
use zeroset::grid::cuda::{DeviceTiledGrid, NEAR_WORDS, TileGridArgument};
use zeroset::levelset::tiled::Options;

use crate::tiles::{Tiles, ball};
use crate::{Failed, units};

/// Radii of the spheres, in voxels.
const RADII: [f64; 4] = [60.0, 190.0, 400.0, 1600.0];

/// Number of tiles per block of the upper level.
const OF_BLOCK: usize = 512;

/// The counterpart of `struct Table` in `kernels/bench/lookup.cu`.
#[derive(Clone, Copy)]
#[repr(C)]
struct TableArgument {
    keys: u64,
    values: u64,
    bits: u32,
}

// SAFETY: the struct has the C layout.
unsafe impl Plain for TableArgument {}

/// Prints the times and the memory of the three ways, with one row per radius.
pub fn table(cuda: &Arc<Cuda>) -> Result<(), Failed> {
    println!(
        "\nNeighbors of all tiles of a sphere, tiles of 4^3, milliseconds and bytes per tile\n"
    );
    println!("| tiles | sorted list | hash: make | ask | bytes | two levels: make | ask | bytes |");
    println!("|---|---|---|---|---|---|---|---|");
    let unit = units::lookup();
    RADII.iter().try_for_each(|&radius| row(cuda, &unit, radius))
}

/// A hash table with at least twice as many slots as keys.
struct Table {
    keys: Array<u64>,
    values: Array<u32>,
    bits: u32,
}

impl Table {
    fn new(cuda: &Cuda, n: usize) -> Result<Self, Failed> {
        let bits = (2 * n).next_power_of_two().trailing_zeros().max(1);
        Ok(Table { keys: cuda.zeros(1 << bits)?, values: cuda.zeros(1 << bits)?, bits })
    }

    fn argument(&self) -> TableArgument {
        TableArgument { keys: self.keys.address(), values: self.values.address(), bits: self.bits }
    }

    fn bytes(&self) -> usize {
        12 << self.bits
    }
}

/// The tiles on the GPU, and the means to launch the kernels on them.
struct Bed<'a> {
    cuda: &'a Cuda,
    unit: &'a Unit,
    tiles: TileGridArgument,
    n: u32,
}

impl Bed<'_> {
    fn kernel(&self, name: &str) -> Result<Kernel, Failed> {
        Ok(self.cuda.kernel(self.unit, name)?)
    }

    fn launch(
        &self,
        kernel: &Kernel,
        grid: u32,
        more: impl Fn(Arguments) -> Arguments,
    ) -> Result<(), Failed> {
        let launch = Launch { grid, block: units::LOOKUP_BLOCK, shared: 0, cooperative: false };
        let arguments = more(Arguments::default().with(self.tiles).with(self.n));
        // SAFETY: the kernels take these arguments.
        Ok(unsafe { self.cuda.launch(kernel, launch, &arguments) }?)
    }

    fn for_each_tile(
        &self,
        kernel: &Kernel,
        more: impl Fn(Arguments) -> Arguments,
    ) -> Result<(), Failed> {
        self.launch(kernel, self.n.div_ceil(units::LOOKUP_BLOCK), more)
    }

    /// Returns the smallest GPU time of five calls, in milliseconds.
    fn least(&self, mut work: impl FnMut() -> Result<(), Failed>) -> Result<f64, Failed> {
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let begin = self.cuda.mark()?;
            work()?;
            least = least.min(begin.milliseconds_to(&self.cuda.mark()?)?);
        }
        Ok(least)
    }
}

fn row(cuda: &Arc<Cuda>, unit: &Unit, radius: f64) -> Result<(), Failed> {
    let (grid, _): Tiles<f32, 4> =
        ball::<f32, 4, f32>([0.3, 0.1, -0.2], radius, &Options::new(1.5).first_order())?;
    let n = grid.n_tiles();
    let on_gpu = DeviceTiledGrid::new::<f32, 4>(cuda, &grid, n, 1)?;
    // The result has its own array so that it can be downloaded.
    let mut found = cuda.zeros::<u32>((NEAR_WORDS + 1) * on_gpu.capacity())?;
    let present = found.address() + (NEAR_WORDS * on_gpu.capacity() * size_of::<u32>()) as u64;
    let tiles = TileGridArgument { near: found.address(), present, ..on_gpu.argument() };
    let bed = Bed { cuda, unit, tiles, n: n as u32 };

    let sorted = bed.kernel("lookup_sorted")?;
    let walkers = sorted.resident_blocks(units::LOOKUP_BLOCK, 0)?;
    let by_list = bed.least(|| bed.launch(&sorted, walkers, |with| with))?;
    let expected = cuda.download(&found)?;
    let same = |found: &Array<u32>, way: &str| match cuda.download(found)? == expected {
        true => Ok(()),
        false => Err(Failed::from(format!("{way} finds different neighbors"))),
    };
    cuda.clear(&mut found)?;

    let mut hash = Table::new(cuda, n)?;
    let (make, ask) = (bed.kernel("lookup_hash_make")?, bed.kernel("lookup_hash_ask")?);
    let argument = hash.argument();
    let make_hash = bed.least(|| {
        cuda.clear(&mut hash.keys)?;
        bed.for_each_tile(&make, |with| with.with(argument))
    })?;
    let ask_hash = bed.least(|| bed.for_each_tile(&ask, |with| with.with(argument)))?;
    same(&found, "the hash")?;
    cuda.clear(&mut found)?;

    // There are at most as many blocks as tiles.
    let mut above = Table::new(cuda, n)?;
    let mut count = cuda.zeros::<u32>(1)?;
    let argument = above.argument();
    let number = bed.kernel("lookup_levels_number")?;
    bed.for_each_tile(&number, |with| with.with(argument).with(count.address()))?;
    let blocks = cuda.download(&count)?[0] as usize;
    let mut places = cuda.zeros::<u32>(blocks * OF_BLOCK)?;
    let (make, ask) = (bed.kernel("lookup_levels_make")?, bed.kernel("lookup_levels_ask")?);
    let make_levels = bed.least(|| {
        cuda.clear(&mut above.keys)?;
        cuda.clear(&mut count)?;
        bed.for_each_tile(&number, |with| with.with(argument).with(count.address()))?;
        cuda.clear(&mut places)?;
        bed.for_each_tile(&make, |with| with.with(argument).with(places.address()))
    })?;
    let ask_levels =
        bed.least(|| bed.for_each_tile(&ask, |with| with.with(argument).with(places.address())))?;
    same(&found, "the map of two levels")?;

    let per_tile = |bytes: usize| bytes as f64 / n as f64;
    println!(
        "| {n} | {by_list:.3} | {make_hash:.3} | {ask_hash:.3} | {:.0} | {make_levels:.3} | {ask_levels:.3} | {:.0} |",
        per_tile(hash.bytes()),
        per_tile(above.bytes() + blocks * OF_BLOCK * size_of::<u32>()),
    );
    Ok(())
}
