//! The search for the length of the next step on the GPU, with time-dependent coefficients.

use std::sync::Arc;

use super::coefficients::{Coefficients, NONE, VaryingTerm};
use super::kernel_arguments::{EvolutionArgument, Limits, VaryingArgument};
use super::neighbors::Neighbors;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::levelset::evolution::problem::Problem;
use crate::levelset::evolution::sites::Sites;
use crate::patches::cuda::{PatchesArgument, Shape};

/// The number of threads per block.
pub(super) const BLOCK: u32 = 128;

/// A term whose coefficient depends on time.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    Velocity,
    NormalSpeed,
    Curvature,
}

/// The arrays of `kernels/varying.cu` and the parameters of its launch.
pub(super) struct DeviceVarying<R: Real> {
    search: Kernel,
    launch: Launch,
    argument: VaryingArgument,
    /// The terms with their case keys and numbers of fields.
    terms: Vec<(Which, &'static str, usize)>,
    coefficients: Coefficients<R>,
    /// Arrays that only the kernel uses.
    _lists: [Array<u32>; 4],
    _edges: Array<f64>,
    _limits: Array<R>,
}

/// Returns the terms that depend on time, in the order in which the CPU checks them.
fn varying<R: Real>(
    problem: &Problem<R>,
) -> Vec<(Which, &'static str, &[crate::expression::Field])> {
    let motion = &problem.motion;
    let velocity = motion.velocity.as_ref().and_then(|v| v.fields());
    let speed = motion.normal_speed.as_ref().and_then(|s| s.fields());
    let curvature = motion.curvature.as_ref();
    let fields = curvature.and_then(|c| c.coefficient.fields());
    let name = curvature.map_or("", |c| c.name());
    [
        (Which::Velocity, "velocity", velocity),
        (Which::NormalSpeed, "normal_speed", speed),
        (Which::Curvature, name, fields),
    ]
    .into_iter()
    .filter_map(|(which, name, fields)| Some((which, name, fields?)))
    .collect()
}

impl<R: Real> DeviceVarying<R> {
    /// Returns the number of bytes that the arrays take on the GPU.
    pub fn bytes(problem: &Problem<R>, shape: &Shape) -> usize {
        let fields = varying(problem).into_iter().flat_map(|(.., fields)| fields);
        let of_field = |f: &crate::expression::Field| size_of::<R>() + 8 * f.arrays().len();
        let rows: usize = fields.map(of_field).sum();
        shape.n_vertices as usize * (32 + rows) + 12 * shape.n_patches as usize
    }

    /// Allocates the time-dependent coefficients on the GPU, and compiles `unit` with their code
    /// for blocks of [`BLOCK`] threads.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU has too little memory or compilation fails.
    pub fn new(
        cuda: &Arc<Cuda>,
        problem: &Problem<R>,
        shape: &Shape,
        neighbors: &Neighbors,
        mut unit: Unit,
    ) -> Result<Self> {
        let found = varying(problem);
        let terms: Vec<VaryingTerm<'_>> = found
            .iter()
            .map(|&(which, _, fields)| VaryingTerm {
                fields,
                nonnegative: which == Which::Curvature,
            })
            .collect();
        // All host arrays are already in patch order.
        let order: Vec<u32> = (0..shape.n_vertices).collect();
        let none = Sites::default();
        let sites = problem.sites.as_ref().unwrap_or(&none);
        let places = &sites.points;
        let edges = cuda.upload(&sites.edges)?;
        let coefficients = Coefficients::new(cuda.clone(), &terms, places, &order)?;
        unit.extra.push(coefficients.header());
        let search = cuda.kernel(&unit, "varying_search")?;
        let grid = search.resident_blocks(BLOCK, 0)?.min(shape.n_patches.max(1));
        let n_patches = shape.n_patches as usize;
        let boundary = problem.inflow.boundary_patches();
        let lists = [
            cuda.zeros(4)?,
            cuda.zeros(n_patches)?,
            cuda.zeros(n_patches)?,
            cuda.upload(boundary)?,
        ];
        let limits = cuda.zeros(2 * size_of::<Limits<R>>() / size_of::<R>())?;
        let (neighbor_offsets, neighbors) = neighbors.addresses();
        let (places, arrays) = coefficients.read();
        let argument = VaryingArgument {
            counts: lists[0].address(),
            reading: lists[1].address(),
            seen: lists[2].address(),
            limits: limits.address(),
            neighbor_offsets,
            neighbors,
            boundary: lists[3].address(),
            places,
            edges: edges.address(),
            arrays,
            values: coefficients.values().address(),
            broken: coefficients.broken().address(),
            max_step: sites.max_step,
            n_boundary: boundary.len() as u32,
            nonnegative: coefficients.nonnegative(),
        };
        Ok(DeviceVarying {
            search,
            launch: Launch { grid, block: BLOCK, shared: 0, cooperative: true },
            argument,
            terms: found.iter().map(|&(which, name, fields)| (which, name, fields.len())).collect(),
            coefficients,
            _lists: lists,
            _edges: edges,
            _limits: limits,
        })
    }

    /// Sets the addresses of the values in the argument of the kernels.
    pub fn fill(&self, state: &mut EvolutionArgument<R>) {
        for (k, (which, ..)) in self.terms.iter().enumerate() {
            let rows = match which {
                Which::Velocity => &mut state.velocity_rows,
                Which::NormalSpeed => &mut state.speed_rows,
                Which::Curvature => &mut state.curvature_rows,
            };
            *rows = self.coefficients.values_of(k);
        }
    }

    /// Chooses the length of the next step, and evaluates the coefficients for it: at its midpoint,
    /// or as means over the step where they change noticeably.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the launch fails.
    pub fn launch(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        let arguments = Arguments::default().with(patches).with(state).with(self.argument);
        // SAFETY: the kernel takes these three arguments, and their arrays live as long as `self`
        // and the state.
        unsafe { cuda.launch(&self.search, self.launch, &arguments) }
    }

    /// Returns the name of the coefficient that stopped the steps, and the vertex (patch order).
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU fails.
    pub fn flaw(&self, cuda: &Cuda) -> Result<(&'static str, usize)> {
        let broken = cuda.download(self.coefficients.broken())?;
        let (not_numbers, negative) = broken.split_at(broken.len() / 2);
        let mut first = 0;
        let mut last = "curvature";
        for &(_, name, size) in &self.terms {
            let vertex = not_numbers[first..first + size].iter().copied().min().unwrap_or(NONE);
            if vertex != NONE {
                return Ok((name, vertex as usize));
            }
            first += size;
            last = name;
        }
        // Only the values of curvature, the last term, are checked for their sign.
        let vertex = negative.iter().copied().filter(|&v| v != NONE).min().unwrap_or(0);
        Ok((last, vertex as usize))
    }
}
