//! Refinement of a tiled grid to the next finer grid on a GPU, the counterpart of
//! `src/grid/upsample.rs`.
//!
//! The kernels are in `kernels/tiles/upsample.cu`. The candidates for tiles of the fine grid are
//! the eight children of each coarse tile. Neighbors of these children are added if the band of the
//! fine grid reaches beyond the children. The requests of all candidates are found first. Values
//! are then written only for the tiles that stay.

use std::sync::Arc;

use super::control::{TileControl, TileGridArgument};
use super::grid::{DeviceTiledGrid, FIRST_UPDATE, LOOK_UP};
use super::pool::{DevicePool, Storage};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::gpu::definitions::Define;
use crate::gpu::primitives::{exclusive_scan, sort};
use crate::gpu::{Arguments, Array, Cuda, Element, Kernel, Launch, Unit};
use crate::grid::{Band, CENTER, Pool, Stored, TiledGrid};

/// The number of threads per block, for all kernels of this file.
const BLOCK: u32 = 256;
/// The number of bits of a key.
const KEY_BITS: u32 = 63;

zeroset_gpu::cuda_header! {
    "tile_upsample", include "tiles/storage.cuh";

    /// Flaw: a value is NaN.
    pub const NOT_A_NUMBER: u32 = 1;
    /// Flaw: a tile is out of range.
    pub const BEYOND: u32 = 2;
    /// Flaw: phi jumps. Ignored until the tile set is complete.
    pub const JUMPS: u32 = 4;

    /// The result that the host reads.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct UpsampleStatus as Status {
        /// The number of missing tiles that are requested. A tile counts once per request.
        pub asked: u32,
        /// Bits: `NOT_A_NUMBER`, `BEYOND`, `JUMPS`.
        pub flaws: u32,
    }

    /// The candidate tiles of the finer grid and their properties.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct UpsampleArgument as Upsample {
        /// phi of the coarse tiles, by id.
        pub phi: u64 as "const stored *",
        /// phi of the fine tiles, by list position.
        pub fine: u64 as "stored *",
        /// `[n]` keys of the candidates in ascending order.
        pub keys: u64 as "u64 *",
        /// `[n]` request masks.
        pub activity: u64 as "u32 *",
        /// `[n]` signs of the neighbors as if they were missing.
        pub borders: u64 as "u32 *",
        /// `[n]` neighbors to add to the next generation.
        pub wanted: u64 as "u32 *",
        /// `[room]` keys of requested tiles that are missing.
        pub asked: u64 as "u64 *",
        /// `[n]` 1 if the tile stays.
        pub keeps: u64 as "u32 *",
        /// The status, zero at the start.
        pub status: u64 as "Status *",
        /// The half widths of the bands of the coarse and the fine grid.
        pub gamma: [f64; 2],
        /// The number of layers within which active voxels request neighbors.
        pub reach: u32,
        /// The number of candidates.
        pub n: u32,
        /// The number of keys that `asked` can hold.
        pub room: u32,
        /// Padding, zero.
        pub padding: u32,
    }
}

/// The candidate tiles of the finer grid on the GPU.
struct Candidates {
    keys: Array<u64>,
    activity: Array<u32>,
    borders: Array<u32>,
    wanted: Array<u32>,
    keeps: Array<u32>,
    look_up: Array<u32>,
    asked: Array<u64>,
    control: Array<TileControl>,
}

impl Candidates {
    /// Returns the number of bytes that `n` candidates take on the GPU.
    fn bytes(n: usize) -> usize {
        n * (8 + 4 * (4 + LOOK_UP)) + 8 * Self::room(n)
    }

    fn room(n: usize) -> usize {
        n / 8 + 4096
    }

    fn new(cuda: &Cuda, keys: Array<u64>) -> Result<Self> {
        let n = keys.len();
        let words = || cuda.zeros::<u32>(n);
        Ok(Candidates {
            activity: words()?,
            borders: words()?,
            wanted: words()?,
            keeps: words()?,
            look_up: cuda.zeros(LOOK_UP * n)?,
            asked: cuda.zeros(Self::room(n))?,
            control: cuda.upload(&[TileControl { n_tiles: n as u32, ..TileControl::default() }])?,
            keys,
        })
    }

    /// Returns the kernel argument. Fields that do not depend on the candidates are copied from
    /// `of`.
    fn argument(&self, of: &UpsampleArgument) -> UpsampleArgument {
        UpsampleArgument {
            keys: self.keys.address(),
            activity: self.activity.address(),
            borders: self.borders.address(),
            wanted: self.wanted.address(),
            asked: self.asked.address(),
            keeps: self.keeps.address(),
            n: self.keys.len() as u32,
            room: self.asked.len() as u32,
            ..*of
        }
    }

    /// Returns the candidates as a tile set that is only used to look up neighbors.
    fn tiles(&self) -> TileGridArgument {
        let n = self.keys.len();
        TileGridArgument {
            control: self.control.address(),
            keys: [self.keys.address(); 2],
            borders: [self.borders.address(); 2],
            activity: [self.activity.address(); 2],
            rows: self.look_up.address(),
            present: self.look_up.address() + ((LOOK_UP - 1) * n * size_of::<u32>()) as u64,
            capacity: n as u32,
            ..TileGridArgument::default()
        }
    }
}

/// The kernels for one precision, tile edge and storage format.
struct Kernels<'a> {
    cuda: &'a Cuda,
    upsample: Unit,
    manage: Unit,
}

impl<'a> Kernels<'a> {
    fn new<R: Real, S>(cuda: &'a Cuda, edge: usize) -> Result<Self> {
        let real = if size_of::<R>() == 8 { "double" } else { "float" };
        let mut defines = vec![("REAL", real.to_string()), ("TILE_EDGE", edge.to_string())];
        if size_of::<S>() == 2 {
            defines.push(Storage::Fixed16.define());
        }
        let manage = Unit::with("tiles/manage", defines.clone())?;
        Ok(Kernels { cuda, upsample: Unit::with("tiles/upsample", defines)?, manage })
    }

    /// Launches a kernel with as many thread blocks as can be resident on the GPU at once.
    ///
    /// # Safety
    /// The arguments must match those of the kernel.
    unsafe fn launch(&self, name: &str, arguments: &Arguments) -> Result<()> {
        let unit = if name == "tiles_look_up" { &self.manage } else { &self.upsample };
        let kernel: Kernel = self.cuda.kernel(unit, name)?;
        let grid = kernel.resident_blocks(BLOCK, 0)?;
        let launch = Launch { grid, block: BLOCK, shared: 0, cooperative: false };
        // SAFETY: the caller upholds the contract of this function.
        unsafe { self.cuda.launch(&kernel, launch, arguments) }
    }
}

impl DeviceTiledGrid {
    /// Computes [`TiledGrid::upsample`] for tiles of `E^3` voxels with values `phi` by id. Tiles,
    /// ids and values are bitwise identical to those of the CPU. The capacity comes from
    /// [`roomy`](Self::roomy), and `blocks` is passed to [`DeviceTiledGrid::new`].
    ///
    /// During the computation, the eight children of a coarse tile take 61 bytes each, in addition
    /// to the memory of the fine tiles.
    ///
    /// # Errors
    /// Returns the errors of [`TiledGrid::upsample`], and [`Error::Device`] if there is not enough
    /// memory on the GPU.
    pub fn upsample<R: Real, S: Stored<R> + Element, const E: usize>(
        &self,
        cuda: &Arc<Cuda>,
        phi: &DevicePool<S, E>,
        gamma: R,
        band: Band<R>,
        blocks: u32,
    ) -> Result<(Self, DevicePool<S, E>)> {
        let n_coarse = self.look()?.n_tiles as usize;
        has_memory(cuda, Candidates::bytes(8 * n_coarse), 8 * n_coarse)?;
        let kernels = Kernels::new::<R, S>(cuda, E)?;
        let mut status = cuda.zeros::<UpsampleStatus>(1)?;
        let common = UpsampleArgument {
            phi: phi.address(),
            status: status.address(),
            gamma: [gamma.to_f64(), band.gamma.to_f64()],
            reach: band.reach as u32,
            ..UpsampleArgument::default()
        };
        let keys = cuda.zeros::<u64>(8 * n_coarse)?;
        let argument = UpsampleArgument { keys: keys.address(), ..common };
        // SAFETY: the arguments match `upsample_children`, and the arrays have room for every
        // child.
        unsafe {
            let arguments = Arguments::default().with(self.argument()).with(argument);
            kernels.launch("upsample_children", &arguments)
        }?;
        let mut tiles = Candidates::new(cuda, sort(cuda, &keys, None, KEY_BITS)?.keys)?;
        drop(keys);
        loop {
            let argument = tiles.argument(&common);
            // SAFETY: the arguments match the kernels, and all arrays have room for every tile.
            unsafe {
                let look = Arguments::default().with(self.argument()).with(argument);
                kernels.launch("upsample_look", &look)?;
                let set = tiles.tiles();
                kernels.launch("tiles_look_up", &Arguments::default().with(set))?;
                kernels
                    .launch("upsample_decide", &Arguments::default().with(set).with(argument))?;
            }
            let found = cuda.download(&status)?[0];
            let is_complete = found.asked == 0;
            if found.flaws & !JUMPS != 0 || is_complete && found.flaws != 0 {
                return Err(self.flaw::<R, S, E>(cuda, phi, gamma, band)?);
            }
            if is_complete {
                break;
            }
            // The band of the fine grid reaches beyond the coarse tiles. This is rare and affects
            // few tiles.
            let n = (found.asked as usize).min(tiles.asked.len());
            let mut keys = cuda.download(&tiles.keys)?;
            keys.extend(cuda.download_part(&tiles.asked, 0..n)?);
            keys.sort_unstable();
            keys.dedup();
            has_memory(cuda, Candidates::bytes(keys.len()), keys.len())?;
            tiles = Candidates::new(cuda, cuda.upload(&keys)?)?;
            cuda.clear(&mut status)?;
        }
        self.take::<R, S, E>(cuda, &kernels, &tiles, &common, blocks)
    }

    /// Returns the tiles that stay, with their values.
    fn take<R: Real, S: Stored<R> + Element, const E: usize>(
        &self,
        cuda: &Arc<Cuda>,
        kernels: &Kernels,
        tiles: &Candidates,
        common: &UpsampleArgument,
        blocks: u32,
    ) -> Result<(Self, DevicePool<S, E>)> {
        let places = exclusive_scan(cuda, &tiles.keeps)?;
        let n_tiles = tiles.keys.len();
        let n = cuda.download_part(&places, n_tiles..n_tiles + 1)?[0] as usize;
        // The evolution stores at least two arrays of values per tile.
        let capacity = Self::roomy::<S, E>(n, 2 * E * E * E * size_of::<S>());
        let lists = capacity * Self::tile_bytes::<S, E>();
        has_memory(cuda, lists + DevicePool::<S, E>::bytes(capacity), n)?;
        let none = TiledGrid::<E>::default();
        let mut fine = Self::new::<S, E>(cuda, &none, capacity, blocks)?;
        let gamma = R::of(common.gamma[1]);
        let values = DevicePool::<S, E>::new(cuda, fine.capacity(), gamma)?;
        let argument = UpsampleArgument { fine: values.address(), ..tiles.argument(common) };
        let take = Arguments::default()
            .with(tiles.tiles())
            .with(argument)
            .with(fine.argument())
            .with_array(&places)
            .with(FIRST_UPDATE);
        let fill = Arguments::default()
            .with(self.argument())
            .with(argument)
            .with(fine.argument())
            .with(n as u32);
        // SAFETY: the arguments match the kernels, and the arrays have room for n tiles.
        unsafe {
            kernels.launch("upsample_take", &take)?;
            kernels.launch("upsample_fill", &fill)?;
        }
        // No active tile lies before the first tile, so the half space before it has one sign.
        let first = match n {
            0 => cuda.download_part(&tiles.borders, 0..n_tiles.min(1))?,
            _ => cuda.download_part(&fine.borders[0], 0..1)?,
        };
        let before = first.first().map_or(0, |border| border >> (CENTER - 9) & 1);
        let mut control = fine.look()?;
        (control.n_tiles, control.next_id, control.background) = (n as u32, n as u32, before);
        fine.steer(control)?;
        Ok((fine, values))
    }

    /// Returns the error for a grid that cannot be refined. The refinement is repeated on the CPU,
    /// because only the CPU error names the location.
    fn flaw<R: Real, S: Stored<R> + Element, const E: usize>(
        &self,
        cuda: &Cuda,
        phi: &DevicePool<S, E>,
        gamma: R,
        band: Band<R>,
    ) -> Result<Error> {
        let coarse = self.download::<E>()?;
        let mut pool = Pool::<S, E>::new();
        pool.grow(coarse.capacity())?;
        let n = coarse.capacity() * Pool::<S, E>::TILE;
        pool.values_mut()[..n].copy_from_slice(&phi.download(cuda, coarse.capacity())?);
        Ok(match coarse.upsample(&pool, gamma, band) {
            Err(error) => error,
            Ok(_) => Error::Numerical {
                what: "phi of the finer tiles is NaN or jumps across the band".into(),
                remedy: "use a wider band".into(),
            },
        })
    }
}

/// Returns an error if the GPU does not have `need` bytes of free memory.
fn has_memory(cuda: &Cuda, need: usize, tiles: usize) -> Result<()> {
    let what = format_args!("{tiles} tiles of a finer grid");
    cuda.check_room(need as u64, what, "stay on the coarser grid, or set use = \"cpu\"")
}
