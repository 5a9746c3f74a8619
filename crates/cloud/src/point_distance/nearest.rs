//! The point-wise distance transform: options, results, and the choice of the method.

use std::fmt;
use std::str::FromStr;

use super::brute::Sweep;
use super::cone::{Cone, Toward};
use super::coordinate::Coordinate;
use super::coordinate::sealed::Work;
use super::norm::{Metric, Norm};
use super::perforation_error::{self, Perforation};
use super::sites::{Sites, check_finite};
use super::tree::Index;
use super::working_set::Plan;
use zeroset_core::Cpu;
use zeroset_core::error::{Error, Result};
use zeroset_core::parallel::*;

/// The method for finding the nearest sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Brute force or an index, whichever is faster for the given number of queries
    /// (docs/point-distances.md).
    #[default]
    Auto,
    /// Brute force: each query is compared with each site.
    Brute,
    /// An index, which is a k-d tree.
    Index,
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "auto" => Ok(Method::Auto),
            "brute" => Ok(Method::Brute),
            "index" => Ok(Method::Index),
            _ => Err("expected auto, brute or index".into()),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Auto => "auto",
            Method::Brute => "brute",
            Method::Index => "index",
        })
    }
}

/// The options of a point-wise distance transform.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The norm of distances.
    pub norm: Norm,
    /// The method for finding the nearest sites.
    pub method: Method,
    /// Perforation: only the sites 0, k, 2k, ... are used. 1 uses all sites.
    pub every: usize,
    /// A cone to which the sites are restricted.
    pub cone: Option<Cone>,
    /// The largest number of bytes for partial and final results, or for an index. If sites are
    /// streamed through GPUs, the sites on the GPUs count as well.
    pub memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        let (norm, method) = (Norm::default(), Method::default());
        Options { norm, method, every: 1, cone: None, memory: 256 << 20 }
    }
}

/// The arithmetic in which keys are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// 32-bit integers.
    U32,
    /// Single precision on a lattice that is small enough for all values to be exact.
    F32OnLattice,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kernel::U32 => "u32",
            Kernel::F32OnLattice => "f32, exact on this lattice",
            Kernel::F32 => "f32",
            Kernel::F64 => "f64",
        })
    }
}

/// A site and its key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<K> {
    /// The square of the Euclidean distance, or the distance in other norms, in the squared or
    /// plain unit of the points. It is the largest value if there is no site.
    pub key: K,
    /// The index of the site, or [`NO_SITE`] if there is none.
    pub site: u32,
}

/// The placeholder for a missing site.
pub const NO_SITE: u32 = u32::MAX;

impl<K: Copy + PartialOrd> Found<K> {
    pub(super) fn none<C: Coordinate<Key = K>>() -> Self {
        Found { key: C::FAR, site: NO_SITE }
    }

    pub(super) fn is_nearer(&self, other: &Self) -> bool {
        self.key < other.key || (self.key == other.key && self.site < other.site)
    }

    pub(super) fn nearer(self, other: Self) -> Self {
        if other.is_nearer(&self) { other } else { self }
    }
}

/// The nearest site of each query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Nearest<C: Coordinate> {
    /// The site and key of each query, `[n_queries]`.
    pub found: Vec<Found<C::Key>>,
    /// The norm of the keys.
    pub norm: Norm,
    /// The method used, never [`Method::Auto`].
    pub method: Method,
    /// The arithmetic of the keys.
    pub kernel: Kernel,
    /// The number of bytes of partial and final results, or of the index. If sites are streamed
    /// through GPUs, it includes the sites on the GPUs.
    pub working_set: u64,
    /// The partitioning of a brute-force search on the CPU or in streams, or `None` for other
    /// searches.
    pub plan: Option<Plan>,
    /// The error caused by omitting sites, estimated on a sample of the queries. It is `None` if no
    /// sites were omitted.
    pub perforation: Option<Perforation>,
}

impl<C: Coordinate> Nearest<C> {
    /// Returns the distances, `[n_queries]`, in the unit of the points. They are infinite if there
    /// is no site.
    pub fn distances(&self) -> Vec<f64> {
        self.found.iter().map(|found| distance::<C>(self.norm, found.key)).collect()
    }
}

/// Returns the distance that a key represents.
pub(super) fn distance<C: Coordinate>(norm: Norm, key: C::Key) -> f64 {
    let key = C::key_to_f64(key);
    if norm == Norm::L2 { key.sqrt() } else { key }
}

/// Returns the smallest number of queries for which building an index is faster than brute force.
/// The returned numbers were measured for each arithmetic (`cargo bench --bench point_distance`,
/// docs/point-distances.md). They hardly depend on the number of sites, because both costs grow
/// with it.
fn crossover(kernel: Kernel, norm: Norm, looks_one_way: bool) -> usize {
    match (kernel, norm) {
        // Comparing one query with all sites takes longer than building the index, because each
        // pair needs four powers.
        (_, Norm::Lp(_)) => 1,
        _ if looks_one_way => 64,
        (Kernel::U32, Norm::L2) => 128,
        (Kernel::F64, _) => 192,
        _ => 256,
    }
}

/// Returns the index and the distance of the nearest site of each query, T(q) in Khan and Zahran.
/// The result is exact unless [`Options::every`] omits sites.
///
/// Among sites at the same distance, the one with the smallest index is returned. Without sites,
/// distances are infinite. All points, `[n, 3]`, are in the same unit. Squares are computed from
/// differences and never in expanded form, which would suffer from cancellation. The result is
/// bitwise identical for every number of threads, every method and every memory limit.
///
/// # Errors
/// Returns [`Error::Case`] if coordinates are not finite or out of range (for `i32`: if keys exceed
/// 32 bits), if the square of a distance underflows, if options are invalid, or if the memory limit
/// is too small for one query or for the requested index.
pub fn nearest<C: Coordinate>(
    cpu: &Cpu,
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    let checked = Checked::new(queries, options)?;
    let (kernel, ..) = kernel_for(options.norm, sites.bounds(), queries)?;
    let kept = (options.every > 1).then(|| sites.every(options.every));
    let used = kept.as_ref().unwrap_or(sites);
    let index = Index::<C>::bytes(used.len());
    let many = queries.len() >= crossover(kernel, options.norm, options.cone.is_some());
    let method = match options.method {
        Method::Auto if many && index <= options.memory => Method::Index,
        Method::Auto => Method::Brute,
        Method::Index if index > options.memory => {
            let what = format!("an index over {} sites takes {index} bytes", used.len());
            let remedy = "raise the limit (--memory), or use brute force (--method brute)";
            return Err(Error::usage(what, remedy));
        }
        method => method,
    };
    let mut nearest = match method {
        Method::Index => cpu.run(|| checked.search(&Index::new(used), kernel)),
        _ => checked.compare(cpu, used, kernel)?,
    };
    if options.every > 1 {
        nearest.found.iter_mut().filter(|found| found.site != NO_SITE).for_each(|found| {
            found.site *= options.every as u32;
        });
        let sample = perforation_error::sample(queries.len());
        let asked: Vec<[C; 3]> = queries.iter().step_by(sample).copied().collect();
        let toward = checked.toward.as_ref().map(|toward| toward.every(sample));
        let exact = Checked { queries: &asked, toward, options }.compare(cpu, sites, kernel)?;
        nearest.perforation = Some(checked.error(&exact.found, &nearest.found, sample));
    }
    check_small::<C>(options.norm, &nearest.found, |n, site| sites.point(site) != queries[n])?;
    Ok(nearest)
}

impl<C: Coordinate> Index<C> {
    /// Returns the nearest site of each query, `[n_queries]`, as [`nearest`] does, among the sites
    /// of the index. [`Options::method`] and [`Options::memory`] are ignored.
    ///
    /// # Errors
    /// Returns the errors of [`nearest`], and [`Error::Case`] if the options omit sites, because
    /// sites cannot be omitted after the index has been built.
    pub fn nearest(&self, cpu: &Cpu, queries: &[[C; 3]], options: &Options) -> Result<Nearest<C>> {
        let checked = Checked::new(queries, options)?;
        checked.without_perforation()?;
        let (kernel, ..) = kernel_for(options.norm, self.bounds(), queries)?;
        let nearest = cpu.run(|| checked.search(self, kernel));
        // The maximum norm cannot underflow, and its search finds the first site at the position of
        // the query.
        let is_apart = |n: usize, site: usize| {
            let search = Search { index: self, queries: &queries[n..=n], toward: None };
            let there = C::with_metric(Norm::LInf, search);
            there.iter().any(|f| C::key_to_f64(f.key) > 0.0 || f.site as usize != site)
        };
        cpu.run(|| check_small::<C>(options.norm, &nearest.found, is_apart))?;
        Ok(nearest)
    }
}

/// Rejects squares that are so small that they have lost digits or are zero. `is_apart` states
/// whether a query and a site are at different positions.
///
/// # Errors
/// Returns [`Error::Case`] if two different points have such a small distance.
pub(super) fn check_small<C: Coordinate>(
    norm: Norm,
    found: &[Found<C::Key>],
    is_apart: impl Fn(usize, usize) -> bool + Sync,
) -> Result<()> {
    let Some(least) = C::LEAST.filter(|_| norm == Norm::L2) else { return Ok(()) };
    let is_lost = |(n, found): (usize, &Found<C::Key>)| {
        found.key < least && found.site != NO_SITE && is_apart(n, found.site as usize)
    };
    match found.par_iter().enumerate().position_first(is_lost) {
        None => Ok(()),
        Some(n) => {
            let what = format!(
                "query {n} is so near to site {} that the square of their distance underflows",
                found[n].site
            );
            Err(Error::usage(what, "scale the points up, or use another norm (--norm linf)"))
        }
    }
}

/// Returns the arithmetic that is sufficient for all sites and queries, and the corners of their
/// bounding box.
pub(super) fn kernel_for<C: Coordinate>(
    norm: Norm,
    sites: Option<([C; 3], [C; 3])>,
    queries: &[[C; 3]],
) -> Result<(Kernel, [C; 3], [C; 3])> {
    let corners = sites.into_iter().flat_map(|(low, high)| [low, high]);
    let mut all = corners.chain(queries.iter().copied());
    let first = all.next().unwrap_or([C::default(); 3]);
    let (low, high) = all.fold((first, first), |(mut low, mut high), x| {
        for k in 0..3 {
            low[k] = if x[k] < low[k] { x[k] } else { low[k] };
            high[k] = if x[k] > high[k] { x[k] } else { high[k] };
        }
        (low, high)
    });
    Ok((C::kernel(norm, low, high)?, low, high))
}

/// Validated queries and options.
pub(super) struct Checked<'a, C> {
    queries: &'a [[C; 3]],
    toward: Option<Toward>,
    options: &'a Options,
}

impl<'a, C: Coordinate> Checked<'a, C> {
    pub fn new(queries: &'a [[C; 3]], options: &'a Options) -> Result<Self> {
        check_finite(queries, "query")?;
        if options.every == 0 {
            return Err(Error::usage(
                "every 0 sites",
                "give 1 for all sites, or 2 for every other site",
            ));
        }
        if let Norm::Lp(p) = options.norm
            && !(p >= 1.0 && p.is_finite())
        {
            return Err(Error::usage(
                format!("the norm {}", options.norm),
                "give an order of at least 1",
            ));
        }
        let toward = options.cone.as_ref().map(|cone| cone.toward(queries.len())).transpose()?;
        Ok(Checked { queries, toward, options })
    }

    /// Returns the cones of the queries, if the search is restricted to cones.
    pub fn toward(&self) -> Option<&Toward> {
        self.toward.as_ref()
    }

    /// Rejects options that omit sites, because sites cannot be omitted after an index has been
    /// built.
    pub fn without_perforation(&self) -> Result<()> {
        if self.options.every > 1 {
            let what = format!("every {} sites of an index", self.options.every);
            return Err(Error::usage(what, "build the index over only those sites"));
        }
        Ok(())
    }

    /// Estimates the error of `found` from the exact results of every `step`-th query.
    pub fn error(
        &self,
        exact: &[Found<C::Key>],
        found: &[Found<C::Key>],
        step: usize,
    ) -> Perforation {
        let of = |list: &[Found<C::Key>], step: usize| -> Vec<f64> {
            let list = list.iter().step_by(step);
            list.map(|found| distance::<C>(self.options.norm, found.key)).collect()
        };
        perforation_error::estimate(&of(exact, 1), &of(found, step))
    }

    /// Returns the results together with the method, the arithmetic and the working set. The plan
    /// and the perforation error are left out.
    pub fn result(
        &self,
        found: Vec<Found<C::Key>>,
        method: Method,
        kernel: Kernel,
        working_set: u64,
    ) -> Nearest<C> {
        let norm = self.options.norm;
        Nearest { found, norm, method, kernel, working_set, plan: None, perforation: None }
    }

    fn compare(&self, cpu: &Cpu, sites: &Sites<C>, kernel: Kernel) -> Result<Nearest<C>> {
        let Options { norm, memory, .. } = *self.options;
        let plan = Plan::new::<C::Key>(sites.len(), self.queries.len(), cpu.threads(), memory)?;
        let sweep = Sweep { sites, queries: self.queries, toward: self.toward.as_ref(), plan };
        let found = cpu.run(|| C::sweep(norm, kernel, sweep));
        let mut nearest = self.result(found, Method::Brute, kernel, plan.working_set);
        nearest.plan = Some(plan);
        Ok(nearest)
    }

    fn search(&self, index: &Index<C>, kernel: Kernel) -> Nearest<C> {
        let norm = self.options.norm;
        let work = Search { index, queries: self.queries, toward: self.toward.as_ref() };
        let found = C::with_metric(norm, work);
        // The search in the index uses the type of the coordinates.
        let kernel = if kernel == Kernel::F32OnLattice { Kernel::U32 } else { kernel };
        self.result(found, Method::Index, kernel, Index::<C>::bytes(index.len()))
    }
}

struct Search<'a, C> {
    index: &'a Index<C>,
    queries: &'a [[C; 3]],
    toward: Option<&'a Toward>,
}

impl<C: Coordinate> Work<C> for Search<'_, C> {
    type Output = Vec<Found<C::Key>>;
    fn with(self, metric: impl Metric<C>) -> Self::Output {
        self.index.search(self.queries, self.toward, metric)
    }
}
