//! Brute-force comparison on a GPU: holds the queries, and chooses the kernel and its arguments.

use super::DeviceCoordinate;
pub(super) use super::kernel_arguments::TILE;
use super::kernel_arguments::{BruteArgument, SelectiveArgument, SitesArgument, THREADS};
use super::keys::{KeyKind, NormKind};
use crate::point_distance::cone::Toward;
use crate::point_distance::nearest::kernel_for;
use crate::point_distance::{Found, Kernel, Norm};
use zeroset_core::error::Result;
use zeroset_gpu::definitions::Define;
use zeroset_gpu::{Arguments, Array, Cuda, Launch, Unit};

/// The number of blocks per multiprocessor. It is large enough for all multiprocessors to finish at
/// about the same time.
const BLOCKS: u32 = 16;
/// The limit for the squared diagonal of a lattice. Below it, the expanded form is exact in single
/// precision. No term of that form exceeds four times this number.
const EXACT_SQUARE: f64 = (1 << 22) as f64;

/// The input of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a, C> {
    pub queries: &'a [[C; 3]],
    pub norm: Norm,
    /// The cones of the queries, if the search is restricted to cones.
    pub toward: Option<&'a Toward>,
    /// The corners of the bounding box of all sites.
    pub bounds: Option<([C; 3], [C; 3])>,
    /// Whether the indices of the nearest sites are requested in addition to the keys.
    pub numbered: bool,
    /// The number of bytes available for the partial results of all slices of sites, before these
    /// results are combined. One result per query is allocated in any case.
    pub room: u64,
}

/// The arguments of a kernel, except the sites and queries.
enum Job<C> {
    /// A comparison of all pairs with few operations per pair. For the exact form on a lattice,
    /// coordinates are relative to `corner`, and `shift` makes keys positive.
    All { corner: [C; 3], shift: f32 },
    /// A comparison in cones, or in a norm of any order.
    Selective { directions: Array<f64>, order: f64, cosine: f64, radius: Option<f64> },
}

/// The results per slice, and the kernel that combines them, for keys that are too wide for an
/// atomic minimum.
struct Slices {
    join: zeroset_gpu::Kernel,
    results: Array<u64>,
    most: u32,
}

/// Queries on a GPU, with the smallest keys found so far.
pub(super) struct Comparison<C: DeviceCoordinate> {
    arithmetic: Kernel,
    kernel: zeroset_gpu::Kernel,
    job: Job<C>,
    /// The number of queries per thread.
    each: u32,
    queries: Array<C>,
    /// One word per query, or two for wide keys.
    found: Array<u64>,
    slices: Option<Slices>,
}

impl<C: DeviceCoordinate> Comparison<C> {
    /// Copies the queries to the GPU. Initially, no query has a nearest site.
    pub fn new(cuda: &Cuda, asked: &Asked<'_, C>) -> Result<Self> {
        let (queries, norm) = (asked.queries, asked.norm);
        let (arithmetic, low, high) = kernel_for(norm, asked.bounds, queries)?;
        let is_wide = arithmetic == Kernel::F64;
        let selective = is_wide || asked.toward.is_some() || matches!(norm, Norm::Lp(_));
        let square: f64 = (0..3).map(|k| (high[k].to_f64() - low[k].to_f64()).powi(2)).sum();
        let exact = arithmetic == Kernel::F32OnLattice
            && norm == Norm::L2
            && square < EXACT_SQUARE
            && !selective;
        let arithmetic = match arithmetic {
            Kernel::F32OnLattice if !exact => Kernel::U32,
            other => other,
        };
        // With few queries, each thread has one query, because otherwise many threads would be
        // idle.
        let each = if queries.len() > 2 * THREADS as usize && !selective { 4 } else { 1 };
        let mut defines = vec![
            ("REAL", C::REAL.into()),
            KeyKind::from(arithmetic).define(),
            NormKind::from(norm).define(),
        ];
        let (file, function, job) = if selective {
            defines.push(("CONE", u32::from(asked.toward.is_some()).to_string()));
            let job = selective_job(cuda, norm, asked.toward)?;
            ("point_distance/selective", "point_distance_selective", job)
        } else {
            defines.push(("NUMBERED", u32::from(asked.numbered).to_string()));
            defines.push(("QUERIES", each.to_string()));
            // Float keys are compared as integers, which is correct only for values that are not
            // negative.
            let shift = if exact { square as f32 } else { 0.0 };
            let job = Job::All { corner: low, shift };
            ("point_distance/brute", "point_distance_brute", job)
        };
        let unit = Unit::with(file, defines)?;
        let words = if is_wide { 2 } else { 1 };
        let slices = || -> Result<Slices> {
            let row = (words * queries.len()).max(1);
            let room = asked.room / (row * size_of::<u64>()) as u64;
            let groups = queries.len().div_ceil(THREADS as usize) as u32;
            let most = slices(cuda, groups.max(1)).min(room.min(1 << 20) as u32).max(1);
            Ok(Slices {
                join: cuda.kernel(&unit, "point_distance_join")?,
                results: cuda.zeros(row * most as usize)?,
                most,
            })
        };
        Ok(Comparison {
            arithmetic,
            kernel: cuda.kernel(&unit, function)?,
            job,
            each,
            queries: cuda.upload(queries.as_flattened())?,
            found: cuda.zeros(words * queries.len())?,
            slices: is_wide.then(slices).transpose()?,
        })
    }

    /// Returns the number of bytes of all results, including partial results.
    pub fn bytes(&self) -> u64 {
        let slices = self.slices.as_ref().map_or(0, |slices| slices.results.len());
        ((self.found.len() + slices) * size_of::<u64>()) as u64
    }

    /// Returns the arithmetic of the keys.
    pub fn arithmetic(&self) -> Kernel {
        self.arithmetic
    }

    /// Clears the results.
    pub fn clear(&mut self, cuda: &Cuda) -> Result<()> {
        cuda.clear(&mut self.found)
    }

    /// Launches the comparison with the sites 0, `every`, 2 `every`, ... of the first `n` sites in
    /// `axes`. The first site has the index `first`.
    pub fn launch(
        &self,
        cuda: &Cuda,
        axes: &[Array<C>; 3],
        n: usize,
        every: usize,
        first: usize,
    ) -> Result<()> {
        assert!(axes.iter().all(|axis| n <= axis.len()), "the GPU must hold all sites");
        let (n_sites, n_queries) = (n.div_ceil(every) as u32, (self.queries.len() / 3) as u32);
        if n_queries == 0 || n_sites == 0 {
            return Ok(());
        }
        let groups = n_queries.div_ceil(THREADS * self.each);
        let most = self.slices.as_ref().map_or(u32::MAX, |slices| slices.most);
        let slice = n_sites.div_ceil(TILE).div_ceil(slices(cuda, groups).min(most)) * TILE;
        let n_slices = n_sites.div_ceil(slice);
        let grid = groups * n_slices;
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        let axes = axes.each_ref().map(Array::address);
        let found = self.slices.as_ref().map_or(&self.found, |slices| &slices.results);
        let (queries, found) = (self.queries.address(), found.address());
        let (every, first) = (every as u32, first as u32);
        let sites =
            SitesArgument { axes, queries, found, n_sites, n_queries, slice, groups, every, first };
        let arguments = match &self.job {
            &Job::All { corner, shift } => {
                Arguments::default().with(BruteArgument { sites, corner, shift })
            }
            Job::Selective { directions, order, cosine, radius } => {
                Arguments::default().with(SelectiveArgument {
                    sites,
                    directions: directions.address(),
                    n_directions: (directions.len() / 3) as u32,
                    has_cylinder: radius.is_some().into(),
                    order: *order,
                    cosine: *cosine,
                    radius: radius.unwrap_or(0.0),
                })
            }
        };
        // SAFETY: the arguments match the kernel. `found` has one entry per query, or one per query
        // and slice. Each axis has an entry per site, and there is one direction per query or one
        // for all.
        unsafe { cuda.launch(&self.kernel, launch, &arguments) }?;
        let Some(slices) = &self.slices else { return Ok(()) };
        let arguments = Arguments::default()
            .with_array(&slices.results)
            .with_array(&self.found)
            .with(n_slices)
            .with(n_queries);
        let grid = n_queries.div_ceil(THREADS);
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        // SAFETY: the arguments match the kernel, with results for all slices and one entry per
        // query.
        unsafe { cuda.launch(&slices.join, launch, &arguments) }
    }

    /// Waits for the results and returns them.
    pub fn found(&self, cuda: &Cuda) -> Result<Vec<Found<C::Key>>> {
        let of = |key: u64, site: u32| Found { key: C::key_of(key, self.arithmetic), site };
        let found = cuda.download(&self.found)?;
        if self.slices.is_some() {
            let (pairs, _) = found.as_chunks::<2>();
            let of = |[key, site]: &[u64; 2]| match (key, site) {
                (0, 0) => Found::none::<C>(),
                _ => of(!key, !site as u32),
            };
            return Ok(pairs.iter().map(of).collect());
        }
        let of = |turned: u64| match !turned {
            u64::MAX => Found::none::<C>(),
            bits => of(bits >> 32, bits as u32),
        };
        Ok(found.into_iter().map(of).collect())
    }
}

/// Returns the number of slices of sites that fills a GPU if each pair of a slice and a group of
/// queries has one block.
fn slices(cuda: &Cuda, groups: u32) -> u32 {
    (BLOCKS * cuda.info().multiprocessors / groups).max(1)
}

/// Returns the job for cones or for a norm of any order.
fn selective_job<C: DeviceCoordinate>(
    cuda: &Cuda,
    norm: Norm,
    toward: Option<&Toward>,
) -> Result<Job<C>> {
    let order = if let Norm::Lp(p) = norm { p } else { 0.0 };
    let Some(toward) = toward else {
        return Ok(Job::Selective {
            directions: cuda.zeros(0)?,
            order,
            cosine: -1.0,
            radius: None,
        });
    };
    let directions = cuda.upload(toward.directions().as_flattened())?;
    Ok(Job::Selective { directions, order, cosine: toward.cosine(), radius: toward.cylinder() })
}
