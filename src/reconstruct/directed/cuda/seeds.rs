//! The samples of a cloud on the GPU, sorted by cube, and runs of equal keys.

use super::kernel_arguments::{LatticeArgument, RunsArgument, SamplesArgument};
use super::share;
use crate::cloud::PointCloud;
use crate::error::Result;
use crate::gpu::primitives::{Compactor, Set, Sorted, sort};
use crate::gpu::{Arguments, Array, Cuda};
use crate::reconstruct::directed::Lattice;

const FILE: &str = "seeds";

/// The points of a cloud and their normals.
pub(super) struct Points {
    /// Three coordinates per point.
    places: Array<f64>,
    normals: Array<f32>,
    n: usize,
}

impl Points {
    /// Copies a cloud to the GPU.
    pub fn new(cuda: &Cuda, cloud: &PointCloud, normals: &[[f32; 3]]) -> Result<Self> {
        let places = cuda.upload(cloud.points.as_flattened())?;
        Ok(Points { places, normals: cuda.upload(normals.as_flattened())?, n: cloud.len() })
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.n
    }
}

/// Returns the cube keys of points in ascending order, with the indices of the points. `places` has
/// three coordinates per point.
pub(super) fn ordered(cuda: &Cuda, places: &Array<f64>, lattice: &Lattice) -> Result<Sorted<u64>> {
    let n = places.len() / 3;
    let keys = cuda.zeros::<u64>(n)?;
    let arguments = Arguments::default()
        .with(LatticeArgument::from(lattice))
        .with_array(places)
        .with(n as u32)
        .with_array(&keys);
    // SAFETY: these are the arguments of `seeds_keys`, which writes one key per point.
    unsafe { share(cuda, FILE, "seeds_keys", n, &arguments) }?;
    sort(cuda, &keys, None, lattice.key_bits())
}

/// Distinct keys in ascending order, and the first index of each in the full list.
pub(super) struct Runs {
    pub keys: Array<u64>,
    /// One element more than `keys`. The last element is the length of the list.
    starts: Array<u32>,
}

impl Runs {
    /// Finds the runs of an ascending list. Ignores the lowest `shift` bits of the keys.
    pub fn new(cuda: &Cuda, list: &Array<u64>, shift: u32) -> Result<Self> {
        let n = list.len();
        let heads = cuda.zeros::<u8>(n)?;
        let arguments =
            Arguments::default().with_array(list).with(n as u32).with(shift).with_array(&heads);
        // SAFETY: these are the arguments of `seeds_heads`, which writes one byte per key.
        unsafe { share(cuda, FILE, "seeds_heads", n, &arguments) }?;
        let set = Set::Bytes(&heads, 1);
        let compactor = Compactor::new(cuda, set)?;
        compactor.list(cuda, set, &mut cuda.zeros(0)?)?;
        let n_runs = compactor.total(cuda)?;
        let mut starts = cuda.zeros(n_runs + 1)?;
        compactor.list(cuda, set, &mut starts)?;
        let keys = cuda.zeros(n_runs)?;
        let arguments = Arguments::default()
            .with_array(list)
            .with(n as u32)
            .with(shift)
            .with_array(&starts)
            .with(n_runs as u32)
            .with_array(&keys);
        // SAFETY: these are the arguments of `seeds_runs`. `starts` has one more element for the
        // end.
        unsafe { share(cuda, FILE, "seeds_runs", n_runs + 1, &arguments) }?;
        Ok(Runs { keys, starts })
    }

    /// Returns the kernel argument of the runs.
    pub fn argument(&self) -> RunsArgument {
        let n = self.keys.len() as u64;
        RunsArgument { keys: self.keys.address(), starts: self.starts.address(), n }
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.keys.len()
    }
}

/// Samples sorted by cube, and cubes sorted by tile.
pub(super) struct Seeds {
    /// Positions in lattice units, in ascending order of the cube keys.
    places: Array<f64>,
    numbers: Array<u32>,
    pub cubes: Runs,
    pub tiles: Runs,
}

impl Seeds {
    /// Sorts the samples of a cloud by cube.
    pub fn new(cuda: &Cuda, points: &Points, lattice: &Lattice) -> Result<Self> {
        let n = points.len();
        let Sorted { keys, values: numbers } = ordered(cuda, &points.places, lattice)?;
        let places = cuda.zeros::<f64>(3 * n)?;
        let arguments = Arguments::default()
            .with(LatticeArgument::from(lattice))
            .with_array(&points.places)
            .with_array(&numbers)
            .with(n as u32)
            .with_array(&places);
        // SAFETY: these are the arguments of `seeds_places`. `numbers` are indices of points.
        unsafe { share(cuda, FILE, "seeds_places", n, &arguments) }?;
        let cubes = Runs::new(cuda, &keys, 0)?;
        let tiles = Runs::new(cuda, &cubes.keys, 9)?;
        Ok(Seeds { places, numbers, cubes, tiles })
    }

    /// Returns the number of seed cubes.
    pub fn n_cubes(&self) -> usize {
        self.cubes.len()
    }

    /// Returns the kernel argument of the samples, with the normals of the cloud.
    pub fn samples(&self, points: &Points) -> SamplesArgument {
        SamplesArgument {
            places: self.places.address(),
            numbers: self.numbers.address(),
            normals: points.normals.address(),
        }
    }
}
