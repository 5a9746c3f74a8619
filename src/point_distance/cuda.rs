//! The point-wise distance transform on a GPU: [`super::nearest`] and [`super::Index`] with sites that
//! stay on the card.
//!
//! The kernels are in `kernels/point_distance/brute.cu` and `kernels/point_distance/index.cu`.

use super::coordinate::sealed::Sealed;
use super::nearest::{Checked, kernel_for};
use super::perforation;
use super::{Coordinate, Found, Index, Kernel, Method, Nearest, Norm, Options, Sites};
use crate::backend::Cpu;
use crate::backend::cuda::{Argument, Arguments, Array, Cuda, Element, Launch, Unit};
use crate::error::{Error, Result};

/// Threads of a block that compares; the kernel states the same.
const THREADS: u32 = 128;
/// Sites of a tile; the kernel states the same.
const TILE: u32 = 256;
/// Blocks of a multiprocessor: enough that they end together.
const BLOCKS: u32 = 16;
/// Largest square of a lattice's diagonal for which the expanded form is exact in single precision:
/// none of its parts is above four times that.
const EXACT_SQUARE: f64 = (1 << 22) as f64;

/// Queries from which on building an index on the processor and asking it on the card is faster than comparing all
/// there: a site takes 80 ns to go into the index, and a pair 0.25 ps (docs/point-distances.md). Both costs grow with the
/// number of sites alike.
const CROSSOVER: usize = 1 << 18;

/// As [`super::nearest`] on a card, with the copies of all that is needed there. Sites and keys on a lattice are those of
/// the processor, and so are those that an index finds; comparisons of real coordinates differ from them by rounding.
///
/// # Errors
/// As [`DeviceSites::nearest`] and [`DeviceIndex::nearest`].
pub fn nearest_on<C: DeviceCoordinate>(
    cuda: &Cuda,
    cpu: &Cpu,
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    let index = Index::<C>::bytes(sites.len());
    let pays = queries.len() >= CROSSOVER && options.every == 1 && index <= options.memory;
    match options.method {
        Method::Index if index > options.memory => {
            let what = format!("an index over {} sites takes {index} bytes", sites.len());
            let remedy = "raise the limit (--memory), or compare all (--method brute)";
            Err(Error::usage(what, remedy))
        }
        Method::Auto if !pays => DeviceSites::new(cuda, sites)?.nearest(cuda, queries, options),
        Method::Brute => DeviceSites::new(cuda, sites)?.nearest(cuda, queries, options),
        Method::Auto | Method::Index => {
            let index = cpu.run(|| Index::new(sites));
            DeviceIndex::new(cuda, &index)?.nearest(cuda, queries, options)
        }
    }
}

/// Coordinates that a card computes with.
pub trait DeviceCoordinate: Coordinate + Element + Sealed {
    #[doc(hidden)]
    fn key_of(bits: u32, kernel: Kernel) -> Self::Key;
    #[doc(hidden)]
    fn bits(self) -> u32;
}

impl DeviceCoordinate for f32 {
    fn key_of(bits: u32, _: Kernel) -> f32 {
        f32::from_bits(bits)
    }

    fn bits(self) -> u32 {
        self.to_bits()
    }
}

impl DeviceCoordinate for i32 {
    fn key_of(bits: u32, kernel: Kernel) -> u32 {
        if kernel == Kernel::F32OnLattice { f32::from_bits(bits) as u32 } else { bits }
    }

    fn bits(self) -> u32 {
        self as u32
    }
}

/// `struct Brute` of `kernels/point_distance/brute.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct BruteArgument<C> {
    axes: [u64; 3],
    queries: u64,
    found: u64,
    n_sites: u32,
    n_queries: u32,
    slice: u32,
    groups: u32,
    every: u32,
    corner: [C; 3],
    shift: f32,
}

// SAFETY: laid out as in C, and compared with the size the kernels know.
unsafe impl<C: DeviceCoordinate> Argument for BruteArgument<C> {}

/// Sites on a card.
pub struct DeviceSites<C: DeviceCoordinate> {
    axes: [Array<C>; 3],
    bounds: Option<([C; 3], [C; 3])>,
}

impl<C: DeviceCoordinate> DeviceSites<C> {
    /// Copies sites to the card.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory or the card does not answer.
    pub fn new(cuda: &Cuda, sites: &Sites<C>) -> Result<Self> {
        let axis = |k: usize| cuda.upload(sites.axis(k));
        Ok(DeviceSites { axes: [axis(0)?, axis(1)?, axis(2)?], bounds: sites.bounds() })
    }

    /// As [`super::nearest`] by comparing all, partial minima being joined by atomic ones: the working
    /// set is the results alone. On a lattice keys and sites are those of the processor; real keys
    /// differ from them by rounding, as products and sums are fused.
    ///
    /// # Errors
    /// As [`super::nearest`], and [`Error::Case`] for what is for the processor alone: norms of other
    /// orders, cones, an index; [`Error::Device`].
    pub fn nearest(
        &self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        options: &Options,
    ) -> Result<Nearest<C>> {
        let checked = Checked::new(queries, options)?;
        check(options)?;
        if options.method == Method::Index {
            let what = "an index over sites on the card";
            return Err(Error::usage(what, "build it of the sites, and hand that to the card"));
        }
        let results = (queries.len() * size_of::<u64>()) as u64;
        if results > options.memory {
            let what =
                format!("a working set of {} bytes for {results} of results", options.memory);
            return Err(Error::usage(what, "raise the limit (--memory), or ask in parts"));
        }
        let of = |queries: &[[C; 3]], every: usize| {
            let mut comparison = self.compare(cuda, queries, options.norm, every, true)?;
            comparison.launch(cuda)?;
            Ok::<_, Error>((comparison.found(cuda)?, comparison.kernel()))
        };
        let (found, kernel) = of(queries, options.every)?;
        let mut nearest = checked.result(found, Method::Brute, kernel, results);
        if options.every > 1 {
            let step = perforation::sample(queries.len());
            let asked: Vec<[C; 3]> = queries.iter().step_by(step).copied().collect();
            let (exact, _) = of(&asked, 1)?;
            nearest.perforation = Some(checked.error(&exact, &nearest.found, step));
        }
        Ok(nearest)
    }

    /// A comparison of all sites with these queries, on the card but for its launch; of keys alone unless
    /// sites are to be `numbered`. On a lattice whose
    /// values stay exact it takes single precision, and says so ([`Kernel`]).
    ///
    /// # Errors
    /// As [`DeviceSites::nearest`].
    pub fn compare<'a>(
        &'a self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        norm: Norm,
        every: usize,
        numbered: bool,
    ) -> Result<DeviceComparison<'a, C>> {
        let (kernel, low, high) = kernel_for(norm, self.bounds, queries)?;
        let square: f64 = (0..3).map(|k| (high[k].to_f64() - low[k].to_f64()).powi(2)).sum();
        let exact = kernel == Kernel::F32OnLattice && norm == Norm::L2 && square < EXACT_SQUARE;
        let kind = match kernel {
            Kernel::F32OnLattice if exact => kernel,
            Kernel::F32OnLattice => Kernel::U32,
            kernel => kernel,
        };
        let key = match kind {
            Kernel::F32OnLattice => "1",
            Kernel::U32 => "2",
            _ => "0",
        };
        let (n_sites, n_queries) =
            (self.axes[0].len().div_ceil(every) as u32, queries.len() as u32);
        // One query in a thread where there are few: threads without any would only wait.
        let each = if n_queries > 2 * THREADS { 4 } else { 1 };
        let bytes = size_of::<BruteArgument<C>>();
        let defines = vec![
            ("REAL", "float".into()),
            ("KEY", key.into()),
            ("NORM", order(norm).into()),
            ("NUMBERED", u32::from(numbered).to_string()),
            ("QUERIES", each.to_string()),
            ("BRUTE_BYTES", bytes.to_string()),
        ];
        let launched =
            cuda.kernel(&Unit::with("point_distance/brute", defines)?, "point_distance_brute")?;
        let groups = n_queries.div_ceil(THREADS * each).max(1);
        let slices = (BLOCKS * cuda.card().multiprocessors / groups).max(1);
        let slice = (n_sites.div_ceil(TILE).div_ceil(slices) * TILE).max(TILE);
        let on_card = cuda.upload(queries.as_flattened())?;
        let found = cuda.zeros(queries.len())?;
        let argument = BruteArgument {
            axes: self.axes.each_ref().map(Array::address),
            queries: on_card.address(),
            found: found.address(),
            n_sites,
            n_queries,
            slice,
            groups,
            every: every as u32,
            corner: low,
            // Keys of floats are compared as whole numbers, which works from 0 on.
            shift: if exact { square as f32 } else { 0.0 },
        };
        let grid = if n_queries == 0 { 0 } else { groups * n_sites.div_ceil(slice) };
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        let sites = self;
        Ok(DeviceComparison {
            sites,
            kernel: kind,
            launched,
            launch,
            argument,
            found,
            _queries: on_card,
        })
    }
}

/// A comparison of all sites with some queries, as often as it is launched.
pub struct DeviceComparison<'a, C: DeviceCoordinate> {
    /// Keeps the sites.
    #[expect(dead_code, reason = "the kernel reads their arrays")]
    sites: &'a DeviceSites<C>,
    kernel: Kernel,
    launched: crate::backend::cuda::Kernel,
    launch: Launch,
    argument: BruteArgument<C>,
    found: Array<u64>,
    _queries: Array<C>,
}

impl<C: DeviceCoordinate> DeviceComparison<'_, C> {
    /// The arithmetic.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Launches the comparison.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses it.
    pub fn launch(&mut self, cuda: &Cuda) -> Result<()> {
        cuda.clear(&mut self.found)?;
        let arguments = Arguments::default().with(self.argument);
        // SAFETY: the argument of the kernel; `found` has a place per query, the axes every site.
        unsafe { cuda.launch(&self.launched, self.launch, &arguments) }
    }

    /// What it found.
    ///
    /// # Errors
    /// [`Error::Device`] if the card does not answer.
    pub fn found(&self, cuda: &Cuda) -> Result<Vec<Found<C::Key>>> {
        let of = |turned: u64| match !turned {
            u64::MAX => Found::none::<C>(),
            bits => Found { key: C::key_of((bits >> 32) as u32, self.kernel), site: bits as u32 },
        };
        Ok(cuda.download(&self.found)?.into_iter().map(of).collect())
    }
}

/// An index on a card: that of the processor, copied.
pub struct DeviceIndex<C: DeviceCoordinate> {
    nodes: Array<u32>,
    entries: Array<u32>,
    n_sites: usize,
    bounds: Option<([C; 3], [C; 3])>,
}

impl<C: DeviceCoordinate> DeviceIndex<C> {
    /// Copies an index to the card.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory or the card does not answer.
    pub fn new(cuda: &Cuda, index: &Index<C>) -> Result<Self> {
        let (nodes, entries) = index.words(C::bits);
        let (nodes, entries) = (cuda.upload(&nodes)?, cuda.upload(&entries)?);
        Ok(DeviceIndex { nodes, entries, n_sites: index.len(), bounds: index.bounds() })
    }

    /// As [`Index::nearest`], to the same bits.
    ///
    /// # Errors
    /// As [`Index::nearest`]; [`Error::Case`] for norms of other orders and cones; [`Error::Device`].
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

    /// A search for these queries, on the card but for its launch; `lanes` threads, 1, 8 or 32, share a
    /// query.
    ///
    /// # Errors
    /// As [`DeviceIndex::nearest`].
    ///
    /// # Panics
    /// If there is no kernel for so many lanes.
    pub fn search<'a>(
        &'a self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        norm: Norm,
        lanes: u32,
    ) -> Result<DeviceSearch<'a, C>> {
        assert!([1, 8, 32].contains(&lanes), "1, 8 or 32 lanes");
        let (kernel, ..) = kernel_for(norm, self.bounds, queries)?;
        let kernel = if kernel == Kernel::F32OnLattice { Kernel::U32 } else { kernel };
        let defines = vec![
            ("REAL", "float".into()),
            ("KEY", if kernel == Kernel::U32 { "2" } else { "0" }.into()),
            ("NORM", order(norm).into()),
            ("LANES", lanes.to_string()),
        ];
        let unit = Unit::with("point_distance/index", defines)?;
        let n = queries.len();
        // Nothing is launched without sites, and keys and numbers are not read then.
        Ok(DeviceSearch {
            index: self,
            kernel,
            launched: cuda.kernel(&unit, "point_distance_index")?,
            lanes,
            queries: cuda.upload(queries.as_flattened())?,
            keys: cuda.zeros(n)?,
            sites: cuda.zeros(n)?,
        })
    }
}

/// Threads that share a query: all of a warp while there are few queries, so that one does not wait for another.
fn lanes_for(cuda: &Cuda, n_queries: usize) -> u32 {
    let threads = cuda.card().multiprocessors as usize * 2048;
    [32, 8].into_iter().find(|lanes| n_queries * lanes <= 4 * threads).unwrap_or(1) as u32
}

/// A search through an index for some queries, as often as it is launched.
pub struct DeviceSearch<'a, C: DeviceCoordinate> {
    index: &'a DeviceIndex<C>,
    kernel: Kernel,
    launched: crate::backend::cuda::Kernel,
    lanes: u32,
    queries: Array<C>,
    keys: Array<u32>,
    sites: Array<u32>,
}

impl<C: DeviceCoordinate> DeviceSearch<'_, C> {
    /// The arithmetic.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Launches the search.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses it.
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
        let grid = (n * self.lanes as usize).div_ceil(32) as u32;
        let launch = Launch { grid, block: 32, shared: 0, cooperative: false };
        // SAFETY: the arguments of the kernel; a key and a site for each query.
        unsafe { cuda.launch(&self.launched, launch, &arguments) }
    }

    /// What it found.
    ///
    /// # Errors
    /// [`Error::Device`] if the card does not answer.
    pub fn found(&self, cuda: &Cuda) -> Result<Vec<Found<C::Key>>> {
        if self.index.n_sites == 0 {
            return Ok(vec![Found::none::<C>(); self.keys.len()]);
        }
        let (keys, sites) = (cuda.download(&self.keys)?, cuda.download(&self.sites)?);
        let of = |(bits, site): (u32, u32)| Found { key: C::key_of(bits, self.kernel), site };
        Ok(keys.into_iter().zip(sites).map(of).collect())
    }
}

/// Refuses what is for the processor alone.
fn check(options: &Options) -> Result<()> {
    let what = match (&options.cone, options.norm) {
        (Some(_), _) => "distances in a cone".to_string(),
        (None, Norm::Lp(_)) => format!("the norm {}", options.norm),
        _ => return Ok(()),
    };
    Err(Error::usage(format!("{what} on a GPU"), "compute it on the processor (--device cpu)"))
}

/// The norm, as the kernels call it.
fn order(norm: Norm) -> &'static str {
    match norm {
        Norm::L1 => "1",
        Norm::L2 | Norm::Lp(_) => "2",
        Norm::LInf => "3",
    }
}
