//! Coefficients that are expressions, evaluated on a GPU in every step.
//!
//! The fields become a header of `kernels/coefficients.cu`, which is compiled for each case; their
//! data arrays are copied to the GPU once, in patch order.

use std::sync::Arc;

use crate::error::Result;
use crate::expression::{Field, Generated};
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Launch, Unit};

/// Threads of a block: the owned vertices of a patch of the default size.
const BLOCK: u32 = 64;

/// Stands in [`Coefficients::broken`] where nothing is wrong.
pub const NONE: u32 = u32::MAX;

/// A term whose components are expressions.
#[derive(Clone, Copy, Debug)]
pub struct VaryingTerm<'a> {
    /// One per component, rows in mesh order.
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
    /// Components of each term.
    sizes: Vec<usize>,
    places: Array<[f64; 3]>,
    /// Data arrays, and their addresses.
    _arrays: Vec<Array<f64>>,
    addresses: Array<u64>,
    values: Array<R>,
    broken: Array<u32>,
}

/// Where kernels find what to evaluate: addresses on the GPU, for other kernels may write there.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// `u32` numbers of patches, or of vertices in patch order, each once.
    pub list: u64,
    /// Their count, one `u32`.
    pub count: u64,
    /// Most that there can be.
    pub most: u32,
    /// The time, one `f64`.
    pub time: u64,
}

impl<R: Real> Coefficients<R> {
    /// Prints the code of the terms and copies their arrays; `order` is the mesh vertex of each
    /// vertex in patch order, `vertices` are those of the mesh.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
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

    /// The header that kernels include, name and text.
    pub(super) fn header(&self) -> (String, String) {
        self.unit.extra[0].clone()
    }

    /// Addresses of what kernels read: coordinates, and the list of data arrays.
    pub(super) fn read(&self) -> (u64, u64) {
        (self.places.address(), self.addresses.address())
    }

    /// Bit k is set if field k must not be negative.
    pub(super) fn nonnegative(&self) -> u32 {
        self.nonnegative
    }

    /// Address of the values of a term, `[n_vertices][components]` in patch order.
    pub fn values_of(&self, term: usize) -> u64 {
        let before: usize = self.sizes[..term].iter().sum();
        self.values.address() + (before * self.n_vertices as usize * size_of::<R>()) as u64
    }

    /// Values of all terms, one after the other.
    pub fn values(&self) -> &Array<R> {
        &self.values
    }

    /// For each component, numbered through, the first vertex (patch order) where it has not been a
    /// finite number since the start, or [`NONE`]; then the first where it was negative and must
    /// not be.
    pub fn broken(&self) -> &Array<u32> {
        &self.broken
    }

    /// Launches the evaluation at the owned vertices of listed patches; `vertex_offsets` is the
    /// address of [`Patches`](crate::patches::Patches)' array of that name.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if it cannot be compiled, or the driver refuses it.
    ///
    /// # Safety
    /// The addresses must be those of such arrays, and patches be listed once.
    pub unsafe fn evaluate_patches(&self, listed: Listed, vertex_offsets: u64) -> Result<()> {
        let arguments =
            Arguments::default().with(listed.list).with(listed.count).with(vertex_offsets);
        // SAFETY: the arguments of `coefficients_evaluate`, by the caller's promise.
        unsafe { self.launch("coefficients_evaluate", listed.most, arguments, listed.time) }
    }

    /// Launches the evaluation at listed vertices.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the driver refuses it.
    ///
    /// # Safety
    /// The addresses must be those of such arrays, and vertices be listed once.
    pub unsafe fn evaluate_vertices(&self, listed: Listed) -> Result<()> {
        let arguments = Arguments::default().with(listed.list).with(listed.count);
        let blocks = listed.most.div_ceil(BLOCK);
        // SAFETY: the arguments of `coefficients_evaluate_vertices`, by the caller's promise.
        unsafe { self.launch("coefficients_evaluate_vertices", blocks, arguments, listed.time) }
    }

    /// Launches a kernel with the arguments that both have behind their list.
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
        // Blocks share the list: more than the GPU can hold would only cost their start.
        let grid = blocks.min(16 * self.cuda.info().multiprocessors);
        let launch = Launch { grid, block: BLOCK, shared: 0, cooperative: false };
        // SAFETY: the caller's.
        unsafe { self.cuda.launch(&kernel, launch, &arguments) }
    }
}
