//! From one lattice to the next finer one, on a GPU: the twin of `src/grid/upsample.rs`.
//!
//! The kernels are in `kernels/tiles/upsample.cu`. The tiles of the fine lattice are among the eight parts of each
//! coarse tile, or beside them where the band of the fine lattice reaches further: what all parts would ask for is found
//! first, and values are written of those alone that stay.

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

/// Threads of a block of all kernels here.
const BLOCK: u32 = 256;
/// Bits of a key.
const KEY_BITS: u32 = 63;

zeroset_gpu::cuda_header! {
    "tile_upsample", include "tiles/storage.cuh";

    /// Flaw: a value is not a number.
    pub const NOT_A_NUMBER: u32 = 1;
    /// Flaw: tiles are out of range.
    pub const BEYOND: u32 = 2;
    /// Flaw of a set that may still grow: phi jumps.
    pub const JUMPS: u32 = 4;

    /// What the program looks at.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct UpsampleStatus as Status {
        /// Tiles that are asked for and not there, each as often as it is.
        pub asked: u32,
        /// Bits: `NOT_A_NUMBER`, `BEYOND`, `JUMPS`.
        pub flaws: u32,
    }

    /// Tiles that may stand in the finer lattice, and what is known of them.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct UpsampleArgument as Upsample {
        /// phi of the coarse tiles, by id.
        pub phi: u64 as "const stored *",
        /// phi of the fine ones, by their place in the list.
        pub fine: u64 as "stored *",
        /// `[n]` of the tiles that are looked at, ascending.
        pub keys: u64 as "u64 *",
        /// `[n]` what they ask for.
        pub activity: u64 as "u32 *",
        /// `[n]` signs that missing neighbors would have.
        pub borders: u64 as "u32 *",
        /// `[n]` neighbors that the next generation holds.
        pub wanted: u64 as "u32 *",
        /// `[room]` keys of missing tiles that are asked for.
        pub asked: u64 as "u64 *",
        /// `[n]` 1 where a tile stays.
        pub keeps: u64 as "u32 *",
        /// One, zero at the start.
        pub status: u64 as "Status *",
        /// Half width of the band of the coarse and of the fine lattice.
        pub gamma: [f64; 2],
        /// Layers within which active voxels ask for neighbors.
        pub reach: u32,
        /// Tiles that are looked at.
        pub n: u32,
        /// Keys there is room for among those asked for.
        pub room: u32,
        /// Zero.
        pub padding: u32,
    }
}

/// Tiles that are looked at.
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
    /// Bytes for so many tiles.
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

    /// What kernels take, with what concerns no list of tiles from `of`.
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

    /// The same as a tile set, of which only neighbors are looked up.
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

/// The kernels of one kind of tiles.
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

    /// Launches a kernel on all of the GPU.
    ///
    /// # Safety
    /// The arguments must be those of the kernel.
    unsafe fn launch(&self, name: &str, arguments: &Arguments) -> Result<()> {
        let unit = if name == "tiles_look_up" { &self.manage } else { &self.upsample };
        let kernel: Kernel = self.cuda.kernel(unit, name)?;
        let grid = kernel.resident_blocks(BLOCK, 0)?;
        let launch = Launch { grid, block: BLOCK, shared: 0, cooperative: false };
        // SAFETY: the caller's.
        unsafe { self.cuda.launch(&kernel, launch, arguments) }
    }
}

impl DeviceTiledGrid {
    /// [`TiledGrid::upsample`] of tiles of `E^3` voxels with values `phi` by id: the same tiles, ids and bits, with
    /// the room of [`roomy`](Self::roomy) and the blocks of [`DeviceTiledGrid::new`].
    ///
    /// Meanwhile the eight parts of each coarse tile take 61 bytes each, beside the fine tiles.
    ///
    /// # Errors
    /// Those of [`TiledGrid::upsample`]; [`Error::Device`] if there is not enough memory on the GPU.
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
        // SAFETY: the arguments of `upsample_children`, a place for each part.
        unsafe {
            let arguments = Arguments::default().with(self.argument()).with(argument);
            kernels.launch("upsample_children", &arguments)
        }?;
        let mut tiles = Candidates::new(cuda, sort(cuda, &keys, None, KEY_BITS)?.keys)?;
        drop(keys);
        loop {
            let argument = tiles.argument(&common);
            // SAFETY: the arguments of the kernels, with a place for each tile in all arrays.
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
            // Few, and seldom: the band of the fine lattice reaches beyond the coarse tiles.
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

    /// The tiles that stay, with their values.
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
        // What moves them holds the values of two stages at least.
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
        // SAFETY: the arguments of the kernels, with room for n tiles.
        unsafe {
            kernels.launch("upsample_take", &take)?;
            kernels.launch("upsample_fill", &fill)?;
        }
        // No active tile lies before the first: the half space before it has one sign.
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

    /// What the CPU says of a grid that has no finer one: it knows the place.
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
                what: "phi of the finer tiles is not a number, or jumps across the band".into(),
                remedy: "take a wider band".into(),
            },
        })
    }
}

/// Refuses what the GPU has no memory for.
fn has_memory(cuda: &Cuda, need: usize, tiles: usize) -> Result<()> {
    let what = format_args!("{tiles} tiles of a finer grid");
    cuda.check_room(need as u64, what, "stay at the coarser grid, or use = \"cpu\"")
}
