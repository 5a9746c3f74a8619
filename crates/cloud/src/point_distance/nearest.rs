//! The point-wise distance transform: what is asked, and what comes out.

use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;

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

/// How the nearest sites are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By comparing all while that is faster than building an index, which the number of queries
    /// decides (docs/point-distances.md).
    #[default]
    Auto,
    /// By comparing each query with each site.
    Brute,
    /// By an index, a k-d tree.
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

/// What is asked of a point-wise distance transform.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is taken for the distance.
    pub norm: Norm,
    /// How the nearest sites are found.
    pub method: Method,
    /// Perforation: only sites 0, k, 2k, ... count; 1 takes all.
    pub every: usize,
    /// Only sites in a cone count.
    pub cone: Option<Cone>,
    /// Bytes of partial and final results at most, or of an index.
    pub memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        let (norm, method) = (Norm::default(), Method::default());
        Options { norm, method, every: 1, cone: None, memory: 256 << 20 }
    }
}

/// The arithmetic of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Whole numbers of 32 bits.
    U32,
    /// Single precision, on a lattice so small that all values are exact.
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
    /// Square of the Euclidean distance, the distance in other norms; the largest value if there is
    /// no site.
    pub key: K,
    /// Number of the site, [`NO_SITE`] if there is none.
    pub site: u32,
}

/// In the place of a site's number.
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
    /// Site and key of each query, `[n_queries]`.
    pub found: Vec<Found<C::Key>>,
    /// The norm of the keys.
    pub norm: Norm,
    /// How they were found: never [`Method::Auto`].
    pub method: Method,
    /// The arithmetic.
    pub kernel: Kernel,
    /// Bytes of partial and final results or of the index, and what they are made of for a comparison
    /// of all with all.
    pub working_set: u64,
    /// How the comparison of all with all was cut up.
    pub plan: Option<Plan>,
    /// The error of leaving out sites, estimated on a sample of the queries, if some were left out.
    pub perforation: Option<Perforation>,
}

impl<C: Coordinate> Nearest<C> {
    /// Distances, `[n_queries]`; infinite without a site.
    pub fn distances(&self) -> Vec<f64> {
        self.found.iter().map(|found| distance::<C>(self.norm, found.key)).collect()
    }
}

/// The distance that a key stands for.
pub(super) fn distance<C: Coordinate>(norm: Norm, key: C::Key) -> f64 {
    let key = C::key_to_f64(key);
    if norm == Norm::L2 { key.sqrt() } else { key }
}

/// Queries from which on building an index over the sites pays, in each arithmetic, by measurement
/// (`cargo bench --bench point_distance`, docs/point-distances.md): both costs grow with the number
/// of sites alike.
fn crossover(kernel: Kernel, norm: Norm, looks_one_way: bool) -> usize {
    match (kernel, norm) {
        // To compare one query with all takes longer than the build: each pair takes four powers.
        (_, Norm::Lp(_)) => 1,
        _ if looks_one_way => 64,
        (Kernel::U32, Norm::L2) => 128,
        (Kernel::F64, _) => 192,
        _ => 256,
    }
}

/// The nearest site of each query, its number and distance: T(q) of Khan and Zahran, exact unless
/// [`Options::every`] leaves sites out. Of several sites at the same distance the one with the
/// smallest number is named. Without sites distances are infinite.
///
/// Points are `[n, 3]` in one unit. Squares are of differences, never expanded: that would cancel. The
/// bits do not depend on the number of threads, the method or the memory.
///
/// # Errors
/// [`Error::Case`] for coordinates that are not finite or out of range (`i32`: keys of 32 bits), squares of distances below the
/// range, options that make no sense, and a limit of memory without room for one query, or that an index asked for exceeds.
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
            let remedy = "raise the limit (--memory), or compare all (--method brute)";
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
    /// As [`nearest`], with sites that the index was built over. [`Options::method`] and
    /// [`Options::memory`] are of no account.
    ///
    /// # Errors
    /// As [`nearest`]; [`Error::Case`] for sites to be left out, which an index no longer can.
    pub fn nearest(&self, cpu: &Cpu, queries: &[[C; 3]], options: &Options) -> Result<Nearest<C>> {
        let checked = Checked::new(queries, options)?;
        checked.without_perforation()?;
        let (kernel, ..) = kernel_for(options.norm, self.bounds(), queries)?;
        let nearest = cpu.run(|| checked.search(self, kernel));
        // The largest difference is never lost, and finds the first site at the query's place.
        let is_apart = |n: usize, site: usize| {
            let search = Search { index: self, queries: &queries[n..=n], toward: None };
            let there = C::with_metric(Norm::LInf, search);
            there.iter().any(|f| C::key_to_f64(f.key) > 0.0 || f.site as usize != site)
        };
        cpu.run(|| check_small::<C>(options.norm, &nearest.found, is_apart))?;
        Ok(nearest)
    }
}

/// Refuses squares that are too small for their type: they have lost digits, or are nothing. `is_apart` says whether a query and
/// a site are at different places.
///
/// # Errors
/// [`Error::Case`] for two such points whose distance is that small.
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
                "query {n} is so near to site {} that the square of their distance is below the range of numbers",
                found[n].site
            );
            Err(Error::usage(what, "scale the points up, or take another norm (--norm linf)"))
        }
    }
}

/// The arithmetic that serves for all sites and queries, and the corners of their box.
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

/// Queries and options that make sense.
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
                "give 1 for all sites, 2 for every other one",
            ));
        }
        if let Norm::Lp(p) = options.norm
            && !(p >= 1.0 && p.is_finite())
        {
            return Err(Error::usage(
                format!("the norm {}", options.norm),
                "give an order of 1 and above",
            ));
        }
        let toward = options.cone.as_ref().map(|cone| cone.toward(queries.len())).transpose()?;
        Ok(Checked { queries, toward, options })
    }

    /// Where queries look, if not everywhere.
    pub fn toward(&self) -> Option<&Toward> {
        self.toward.as_ref()
    }

    /// Refuses to leave out sites of an index, which it no longer can.
    pub fn without_perforation(&self) -> Result<()> {
        if self.options.every > 1 {
            let what = format!("every {} sites of an index", self.options.every);
            return Err(Error::usage(what, "build the index over those sites alone"));
        }
        Ok(())
    }

    /// The error of `found`, of which every `step`-th has an exact distance.
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

    /// What was found, with how.
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
        // It computes in the type of the coordinates.
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
