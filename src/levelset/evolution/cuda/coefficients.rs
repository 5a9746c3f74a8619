//! Coefficients given by expressions, evaluated on a GPU in every step.
//!
//! The code of the fields is generated in a header that `kernels/coefficients.cu` includes. That
//! file is compiled for each case. The data arrays of the fields are copied to the GPU once, in
//! patch order.

use std::sync::Arc;

use crate::error::Result;
use crate::expression::{Accuracy, Field, Generated};
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Launch, Unit};

zeroset_gpu::cuda_header! {
    "sampling";

    /// A coefficient counts as constant during a step if its change moves the interface by at most
    /// this fraction of the local edge length.
    const SLACK: f64 = Accuracy::SLACK;
    /// The permitted error of a mean, as a fraction of `SLACK`.
    const PRECISION: f64 = Accuracy::PRECISION;
    /// The maximum number of halvings of a span.
    const MOST_HALVINGS: u32 = Accuracy::MOST_HALVINGS;
    /// The number of evaluations after which pieces are not halved beyond `ENOUGH_HALVINGS`.
    const MANY_EVALUATIONS: u32 = Accuracy::MANY_EVALUATIONS;
    /// The number of halvings after which a coefficient that oscillates fast is only sampled.
    const ENOUGH_HALVINGS: u32 = Accuracy::ENOUGH_HALVINGS;
    /// The maximum number of pieces of a span in which a coefficient has no bounds.
    const MOST_PIECES: f64 = Accuracy::MOST_PIECES;
    /// The relative precision of double.
    const EPSILON: f64 = f64::EPSILON;
}

/// The number of threads per block: the owned vertices of a patch of the default size.
const BLOCK: u32 = 64;

/// The value of an entry of [`Coefficients::broken`] if no value was invalid.
pub const NONE: u32 = u32::MAX;

/// A term whose components are expressions.
#[derive(Clone, Copy, Debug)]
pub struct VaryingTerm<'a> {
    /// One field per component, with rows in mesh order.
    pub fields: &'a [Field],
    /// Whether its values must not be negative.
    pub nonnegative: bool,
}

/// Terms on a GPU, and their values at the vertices.
pub struct Coefficients<R: Real> {
    cuda: Arc<Cuda>,
    unit: Unit,
    n_vertices: u32,
    nonnegative: u32,
    /// The number of components of each term.
    sizes: Vec<usize>,
    places: Array<[f64; 3]>,
    /// The data arrays that `addresses` refers to.
    _arrays: Vec<Array<f64>>,
    addresses: Array<u64>,
    values: Array<R>,
    broken: Array<u32>,
}

/// The patches or vertices and the time for an evaluation, given by GPU addresses so that other
/// kernels can write them.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The address of the list of patches or vertices (patch order) as `u32`, each at most once.
    pub list: u64,
    /// The address of the number of entries, one `u32`.
    pub count: u64,
    /// The maximum number of entries.
    pub most: u32,
    /// The address of the time, one `f64`.
    pub time: u64,
}

impl<R: Real> Coefficients<R> {
    /// Generates the code of the terms and copies their arrays to the GPU.
    ///
    /// `order` lists the mesh vertex of each vertex in patch order, and `vertices` are the vertices
    /// of the mesh.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU has too little memory.
    pub fn new(
        cuda: Arc<Cuda>,
        terms: &[VaryingTerm<'_>],
        vertices: &[[f64; 3]],
        order: &[u32],
    ) -> Result<Self> {
        let fields: Vec<&[Field]> = terms.iter().map(|term| term.fields).collect();
        let generated = Generated::new(&fields);
        let real = if size_of::<R>() == 8 { "double" } else { "float" };
        let mut unit = Unit::new("coefficients", &[("REAL", real)])?;
        unit.extra.push((Generated::NAME.into(), generated.text().into()));
        let mut nonnegative = 0;
        let mut n_fields = 0;
        for term in terms {
            for _ in term.fields {
                nonnegative |= u32::from(term.nonnegative) << n_fields;
                n_fields += 1;
            }
        }
        let mut arrays = Vec::with_capacity(generated.arrays().len());
        for array in generated.arrays() {
            let rows: Vec<f64> = order.iter().map(|&v| array[v as usize]).collect();
            arrays.push(cuda.upload(&rows)?);
        }
        let addresses: Vec<u64> = arrays.iter().map(Array::address).collect();
        let places: Vec<[f64; 3]> = order.iter().map(|&v| vertices[v as usize]).collect();
        Ok(Coefficients {
            unit,
            n_vertices: order.len() as u32,
            nonnegative,
            sizes: fields.iter().map(|fields| fields.len()).collect(),
            places: cuda.upload(&places)?,
            _arrays: arrays,
            addresses: cuda.upload(&addresses)?,
            values: cuda.zeros(n_fields * order.len())?,
            broken: cuda.upload(&vec![NONE; 2 * n_fields])?,
            cuda,
        })
    }

    /// Returns the name and the text of the header that kernels include.
    pub(super) fn header(&self) -> (String, String) {
        self.unit.extra[0].clone()
    }

    /// Returns the addresses of the coordinates and of the list of data arrays, which kernels read.
    pub(super) fn read(&self) -> (u64, u64) {
        (self.places.address(), self.addresses.address())
    }

    /// Returns the fields that must not be negative: bit k is set for field k.
    pub(super) fn nonnegative(&self) -> u32 {
        self.nonnegative
    }

    /// Returns the address of the values of a term, `[n_vertices][components]` in patch order.
    pub fn values_of(&self, term: usize) -> u64 {
        let before: usize = self.sizes[..term].iter().sum();
        self.values.address() + (before * self.n_vertices as usize * size_of::<R>()) as u64
    }

    /// Returns the values of all terms, one after another.
    pub fn values(&self) -> &Array<R> {
        &self.values
    }

    /// Returns, for each component, the lowest vertex (patch order) at which its value was not
    /// finite, or [`NONE`]. Evaluations only lower the entries. `kernels/varying.cu` resets them
    /// before each search.
    ///
    /// The components of all terms are numbered consecutively. The second half of the array
    /// contains the lowest vertex at which a component that must not be negative was negative, or
    /// [`NONE`].
    pub fn broken(&self) -> &Array<u32> {
        &self.broken
    }

    /// Launches the evaluation at the owned vertices of the listed patches.
    ///
    /// `vertex_offsets` is the address of the array of that name in
    /// [`Patches`](crate::patches::Patches).
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the code cannot be compiled or the driver
    /// rejects the launch.
    ///
    /// # Safety
    /// The addresses must refer to arrays of the described kind, and no patch may be listed twice.
    pub unsafe fn evaluate_patches(&self, listed: Listed, vertex_offsets: u64) -> Result<()> {
        let arguments =
            Arguments::default().with(listed.list).with(listed.count).with(vertex_offsets);
        // SAFETY: these are the arguments of `coefficients_evaluate`, and the caller upholds the
        // contract above.
        unsafe { self.launch("coefficients_evaluate", listed.most, arguments, listed.time) }
    }

    /// Launches the evaluation at the listed vertices.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the code cannot be compiled or the driver
    /// rejects the launch.
    ///
    /// # Safety
    /// The addresses must refer to arrays of the described kind, and no vertex may be listed twice.
    pub unsafe fn evaluate_vertices(&self, listed: Listed) -> Result<()> {
        let arguments = Arguments::default().with(listed.list).with(listed.count);
        let blocks = listed.most.div_ceil(BLOCK);
        // SAFETY: these are the arguments of `coefficients_evaluate_vertices`, and the caller
        // upholds the contract above.
        unsafe { self.launch("coefficients_evaluate_vertices", blocks, arguments, listed.time) }
    }

    /// Launches a kernel with the arguments that follow the list in both kernels.
    unsafe fn launch(
        &self,
        kernel: &str,
        blocks: u32,
        arguments: Arguments,
        time: u64,
    ) -> Result<()> {
        let kernel = self.cuda.kernel(&self.unit, kernel)?;
        let arguments = arguments
            .with(self.n_vertices)
            .with_array(&self.places)
            .with(time)
            .with_array(&self.addresses)
            .with(self.nonnegative)
            .with_array(&self.values)
            .with_array(&self.broken);
        // The blocks share the list. More blocks than the GPU can hold would only add startup time.
        let grid = blocks.min(16 * self.cuda.info().multiprocessors);
        let launch = Launch { grid, block: BLOCK, shared: 0, cooperative: false };
        // SAFETY: the caller passes valid arguments of this kernel.
        unsafe { self.cuda.launch(&kernel, launch, &arguments) }
    }
}
