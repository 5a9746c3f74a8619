//! Search in a k-d tree on a GPU.
//!
//! The kernel is in `kernels/point_distance/index.cu`.

use super::DeviceCoordinate;
use super::keys::{KeyKind, NormKind};
use crate::point_distance::nearest::{Checked, kernel_for};
use crate::point_distance::{Found, Index, Kernel, Method, Nearest, Norm, Options};
use zeroset_core::error::{Error, Result};
use zeroset_gpu::definitions::Define;
use zeroset_gpu::{Arguments, Array, Cuda, Launch, Unit};

/// A k-d tree on a GPU, copied from the CPU.
pub struct DeviceIndex<C: DeviceCoordinate> {
    nodes: Array<u32>,
    entries: Array<u32>,
    n_sites: usize,
    bounds: Option<([C; 3], [C; 3])>,
}

impl<C: DeviceCoordinate> DeviceIndex<C> {
    /// Copies an index to the GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory, or if the GPU does not respond.
    pub fn new(cuda: &Cuda, index: &Index<C>) -> Result<Self> {
        let (nodes, entries) = index.words(C::words);
        let (nodes, entries) = (cuda.upload(&nodes)?, cuda.upload(&entries)?);
        Ok(DeviceIndex { nodes, entries, n_sites: index.len(), bounds: index.bounds() })
    }

    /// Returns the nearest site of each query, bitwise identical to [`Index::nearest`].
    ///
    /// # Errors
    /// Returns the errors of [`Index::nearest`], [`Error::Case`] for cones and for norms other than
    /// L1, L2 and Linf, and [`Error::Device`] if the GPU fails.
    pub fn nearest(
        &self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        options: &Options,
    ) -> Result<Nearest<C>> {
        let checked = Checked::new(queries, options)?;
        check(options)?;
        checked.without_perforation()?;
        let search = self.search(cuda, queries, options.norm, lanes_for(cuda, queries.len()))?;
        search.launch(cuda)?;
        let (found, bytes) = (search.found(cuda)?, Index::<C>::bytes(self.n_sites));
        Ok(checked.result(found, Method::Index, search.kernel(), bytes))
    }

    /// Prepares a search for these queries on the GPU without launching it. Each query is shared by
    /// `lanes` threads: 1, 8 or 32.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceIndex::nearest`].
    ///
    /// # Panics
    /// Panics if `lanes` is not 1, 8 or 32.
    pub fn search<'a>(
        &'a self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        norm: Norm,
        lanes: u32,
    ) -> Result<DeviceSearch<'a, C>> {
        let (kernel, launched) = self.kernel(cuda, queries, norm, lanes)?;
        let n = queries.len();
        // Without sites, nothing is launched, and keys and site indices are not read.
        Ok(DeviceSearch {
            index: self,
            kernel,
            launched,
            lanes,
            queries: cuda.upload(queries.as_flattened())?,
            keys: cuda.zeros(n)?,
            sites: cuda.zeros(n)?,
        })
    }

    /// Searches for the nearest sites of `n` queries that are on the GPU, and waits for the
    /// results, which stay there: the keys and the indices of the sites, `u32`. Keys are those of
    /// [`Found`]. There must be sites. `corners` are those of a box that contains the queries.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceIndex::nearest`].
    ///
    /// # Safety
    /// `queries` (`[C; 3]`), `keys` (`C::Key`) and `sites` (`u32`) must be addresses on this GPU of
    /// arrays with `n` entries. No other work may use the arrays.
    pub unsafe fn nearest_between(
        &self,
        cuda: &Cuda,
        (queries, n, corners): (u64, usize, [[C; 3]; 2]),
        norm: Norm,
        (keys, sites): (u64, u64),
    ) -> Result<()> {
        let options = Options { norm, ..Options::default() };
        check(&options)?;
        Checked::new(&corners, &options)?;
        let lanes = lanes_for(cuda, n);
        let (_, launched) = self.kernel(cuda, &corners, norm, lanes)?;
        let arguments = Arguments::default()
            .with_array(&self.nodes)
            .with_array(&self.entries)
            .with(queries)
            .with(keys)
            .with(sites)
            .with(n as u32);
        // SAFETY: the arguments match the kernel. The caller promises that the arrays are valid.
        unsafe { cuda.launch(&launched, launch_of(n, lanes), &arguments) }?;
        cuda.synchronize()
    }

    /// Returns the kernel for queries in the box of the given points, and its arithmetic.
    fn kernel(
        &self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        norm: Norm,
        lanes: u32,
    ) -> Result<(Kernel, zeroset_gpu::Kernel)> {
        assert!([1, 8, 32].contains(&lanes), "there must be 1, 8 or 32 lanes");
        let (kernel, ..) = kernel_for(norm, self.bounds, queries)?;
        let kernel = if kernel == Kernel::F32OnLattice { Kernel::U32 } else { kernel };
        let defines = vec![
            ("REAL", C::REAL.into()),
            KeyKind::from(kernel).define(),
            NormKind::from(norm).define(),
            ("LANES", lanes.to_string()),
        ];
        let unit = Unit::with("point_distance/index", defines)?;
        Ok((kernel, cuda.kernel(&unit, "point_distance_index")?))
    }
}

/// Returns the launch of a search for `n` queries, each shared by `lanes` threads.
fn launch_of(n: usize, lanes: u32) -> Launch {
    let grid = (n * lanes as usize).div_ceil(32).max(1) as u32;
    Launch { grid, block: 32, shared: 0, cooperative: false }
}

/// Returns the number of threads that share a query. A whole warp shares a query if the GPU has
/// room for all warps, because a few queries then take no longer than one. For more queries, 8
/// threads share a query, and for many queries, each has one thread. The limits are measured
/// (docs/point-distances.md).
fn lanes_for(cuda: &Cuda, n_queries: usize) -> u32 {
    let threads = cuda.info().multiprocessors as usize * 2048;
    match n_queries {
        n if 32 * n <= threads => 32,
        n if 8 * n <= 4 * threads => 8,
        _ => 1,
    }
}

/// A search in an index for a set of queries, which can be launched repeatedly.
pub struct DeviceSearch<'a, C: DeviceCoordinate> {
    index: &'a DeviceIndex<C>,
    kernel: Kernel,
    launched: zeroset_gpu::Kernel,
    lanes: u32,
    queries: Array<C>,
    keys: Array<C::Bits>,
    sites: Array<u32>,
}

impl<C: DeviceCoordinate> DeviceSearch<'_, C> {
    /// Returns the arithmetic of the keys.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Launches the search.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects the launch.
    pub fn launch(&self, cuda: &Cuda) -> Result<()> {
        let n = self.keys.len();
        if n == 0 || self.index.n_sites == 0 {
            return Ok(());
        }
        let arguments = Arguments::default()
            .with_array(&self.index.nodes)
            .with_array(&self.index.entries)
            .with_array(&self.queries)
            .with_array(&self.keys)
            .with_array(&self.sites)
            .with(n as u32);
        let launch = launch_of(n, self.lanes);
        // SAFETY: the arguments match the kernel, with one key and one site per query.
        unsafe { cuda.launch(&self.launched, launch, &arguments) }
    }

    /// Waits for the results of the last launch and returns them.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU does not respond.
    pub fn found(&self, cuda: &Cuda) -> Result<Vec<Found<C::Key>>> {
        if self.index.n_sites == 0 {
            return Ok(vec![Found::none::<C>(); self.keys.len()]);
        }
        let (keys, sites) = (cuda.download(&self.keys)?, cuda.download(&self.sites)?);
        let of =
            |(bits, site): (C::Bits, u32)| Found { key: C::key_of(bits.into(), self.kernel), site };
        Ok(keys.into_iter().zip(sites).map(of).collect())
    }
}

/// Rejects options that are supported on a GPU only by brute force.
fn check(options: &Options) -> Result<()> {
    let what = match (&options.cone, options.norm) {
        (Some(_), _) => "distances in a cone".to_string(),
        (None, Norm::Lp(_)) => format!("the norm {}", options.norm),
        _ => return Ok(()),
    };
    let remedy = "use brute force (--method brute), or compute on the CPU (--device cpu)";
    Err(Error::usage(format!("{what} by an index on a GPU"), remedy))
}
