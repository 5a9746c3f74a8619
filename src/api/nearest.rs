//! Nearest points.

use std::slice;
use std::sync::Arc;

use super::device::{alone, either, shared};
use super::threads::pool;
use crate::config::Device;
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::point_distance::cuda::{DeviceIndex, nearest_on};
use crate::point_distance::{self, Index, Method, NO_SITE, Norm, Options, Sites};

/// The smallest estimated CPU time, in seconds, for which a GPU is used.
///
/// Starting the GPU takes a quarter of a second, and the copies take additional time.
const WORTH_A_GPU: f64 = 0.5;
/// Measured times of one thread, in seconds (docs/point-distances.md): to compare a query with a
/// site, to do so in a general Lp norm, to add a site to an index, and to query the index.
const PAIR: f64 = 0.25e-9;
const PAIR_OF_POWERS: f64 = 180e-9;
const SITE: f64 = 90e-9;
const QUERY: f64 = 1.5e-6;

/// The nearest site of each query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NearestSites {
    /// The distance of each query, `[queries]`, in the unit of the coordinates. It is infinite if
    /// there is no site.
    pub distances: Vec<f64>,
    /// The index of the nearest site of each query, `[queries]`. `None` if there is no site.
    pub sites: Vec<Option<usize>>,
    /// "cpu" or "cuda".
    pub backend: &'static str,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Returns the distance from each query to the nearest of the sites, and the index of this site.
///
/// The result is exact. If several sites are equally near, the smallest index is returned. `device`
/// selects the threads and the GPU.
///
/// ```
/// let sites = [[0.0, 0.0, 0.0], [5.0, 1.0, 2.0]];
/// let queries = [[4.0, 1.0, 0.0], [0.0, 0.0, -3.0]];
/// let found = zeroset::nearest(&sites, &queries, &Default::default(), &Default::default())?;
/// assert_eq!(found.sites, [Some(1), Some(0)]);
/// assert_eq!(found.distances, [5.0_f64.sqrt(), 3.0]);
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] if coordinates are not finite, if the square of a distance underflows,
/// or if options are invalid. Returns [`Error::Device`] if a GPU is requested but not available, or
/// if memory runs out.
pub fn nearest(
    sites: &[[f64; 3]],
    queries: &[[f64; 3]],
    options: &Options,
    device: &Device,
) -> Result<NearestSites> {
    let (cpu, mut warnings) = (pool(device.threads)?, Vec::new());
    let is_worth_it = serves(options)
        && is_worth_a_gpu(options, false, [sites.len(), queries.len()], cpu.threads());
    let sites = Sites::new(sites)?;
    let on_gpu = |gpu: Arc<Cuda>| {
        let gpus = slice::from_ref(&*gpu);
        Ok((nearest_on(gpus, &cpu, &sites, queries, options)?, "cuda"))
    };
    let on_cpu = || Ok((point_distance::nearest(&cpu, &sites, queries, options)?, "cpu"));
    let warn = &mut |text| warnings.push(text);
    let (found, backend) = either(device, is_worth_it, warn, on_gpu, on_cpu)?;
    let number = |site: u32| (site != NO_SITE).then_some(site as usize);
    let sites = found.found.iter().map(|found| number(found.site)).collect();
    Ok(NearestSites { distances: found.distances(), sites, backend, warnings })
}

/// Queries on a GPU, and the arrays for their results.
#[derive(Clone, Copy, Debug)]
pub struct DeviceQueries {
    /// The address of the coordinates, `[f64; 3]`.
    pub points: u64,
    /// The number of queries, at most 2^32 - 1.
    pub n: usize,
    /// The lowest and the highest coordinates of the queries.
    pub corners: [[f64; 3]; 2],
    /// The address of the squared distances, or of the distances in other norms than L2, `f64`.
    pub keys: u64,
    /// The address of the indices of the nearest sites, `u32`.
    pub sites: u64,
}

/// Finds the sites of [`nearest`] for queries that are on the GPU with the given index. The CPU
/// builds an index of the sites. Queries and results are not copied to the host.
///
/// ```no_run
/// use zeroset::api::DeviceQueries;
/// use zeroset::point_distance::Norm;
/// # let (points, keys, numbers) = (0_u64, 0_u64, 0_u64);
/// let corners = [[0.0; 3], [1.0; 3]];
/// let queries = DeviceQueries { points, n: 1_000_000, corners, keys, sites: numbers };
/// // The addresses are those of arrays on GPU 0, from another library.
/// // SAFETY: The arrays have a million entries, and all work on them has ended.
/// unsafe { zeroset::nearest_between(&[[0.5; 3]], queries, Norm::L2, 0)? };
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] if there is no site, if coordinates are not finite, if there are too
/// many queries, and for norms other than L1, L2 and Linf. Returns [`Error::Device`] if the GPU is
/// not available or fails. Squares of distances that underflow are not detected.
///
/// # Safety
/// The arrays must lie in the memory of the primary context of this GPU and have `n` entries. No
/// work that is still running may use them.
pub unsafe fn nearest_between(
    sites: &[[f64; 3]],
    queries: DeviceQueries,
    norm: Norm,
    ordinal: u32,
) -> Result<()> {
    if sites.is_empty() {
        return Err(Error::usage("no sites", "give at least one point to measure to"));
    }
    if u32::try_from(queries.n).is_err() {
        let what = format!("{} queries on a GPU", queries.n);
        return Err(Error::usage(what, "give fewer than 2^32 at a time"));
    }
    let sites = Sites::new(sites)?;
    let index = pool(0)?.run(|| Index::new(&sites));
    let gpu = shared(ordinal)?;
    let _alone = alone();
    let DeviceQueries { points, n, corners, keys, sites } = queries;
    let there = DeviceIndex::new(&gpu, &index)?;
    // SAFETY: The caller promises that the arrays are valid.
    unsafe { there.nearest_between(&gpu, (points, n, corners), norm, (keys, sites)) }
}

/// Returns whether the CPU takes so long that a GPU is worth its startup time. `sizes` are the
/// numbers of sites and queries, and `single` means 32-bit coordinates.
pub(crate) fn is_worth_a_gpu(
    options: &Options,
    single: bool,
    sizes: [usize; 2],
    threads: usize,
) -> bool {
    let n_sites = sizes[0] / options.every.max(1);
    let (sites, queries, threads) = (n_sites as f64, sizes[1] as f64, threads as f64);
    let pair = if matches!(options.norm, Norm::Lp(_)) { PAIR_OF_POWERS } else { PAIR };
    // Building the index gains little from more than one thread.
    let brute = sites * queries * pair / threads;
    let index = sites * SITE + queries * QUERY / threads;
    let bytes = if single { Index::<f32>::bytes } else { Index::<f64>::bytes };
    let seconds = match options.method {
        Method::Brute => brute,
        Method::Index => index,
        Method::Auto if bytes(n_sites) <= options.memory => brute.min(index),
        Method::Auto => brute,
    };
    seconds >= WORTH_A_GPU
}

/// Returns whether a GPU supports the method with these options.
pub(crate) fn serves(options: &Options) -> bool {
    options.method != Method::Index
        || (options.every == 1 && options.cone.is_none() && !matches!(options.norm, Norm::Lp(_)))
}
