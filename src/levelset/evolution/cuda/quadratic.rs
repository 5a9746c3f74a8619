//! Distances of second order on the GPU, and the slope of phi after a step
//! (`kernels/quadratic.cu`).

use super::kernel_arguments::{EvolutionArgument, QuadraticArgument, QuadraticCounts};
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::levelset::eikonal::cuda::{EikonalArgument, Organization};
use crate::levelset::evolution::Rule;
use crate::levelset::evolution::problem::Problem;
use crate::patches::cuda::{PatchesArgument, Shape};

/// The number of threads per block.
const BLOCK: u32 = 128;

/// The number of words of an exact sum (`kernels/common/exact_sum.cuh`).
const SUM_WORDS: usize = 67;

/// The arrays of `kernels/quadratic.cu` and the parameters of its launches.
pub(super) struct DeviceQuadratic<R: Real> {
    list: Kernel,
    smooth: Kernel,
    fit: (Kernel, u32),
    faces: Kernel,
    bend: (Kernel, Launch),
    /// The kernel that examines the slope, if a rule needs it.
    slope: Option<Kernel>,
    argument: QuadraticArgument,
    n_patches: u32,
    /// Arrays that only the kernels use.
    _smooth: Array<f64>,
    _directions: Array<R>,
    _words: [Array<u32>; 5],
    _counts: Array<QuadraticCounts>,
    _sums: Array<u64>,
}

/// The arguments of a reinitialization, besides those of this module.
#[derive(Clone, Copy)]
pub(super) struct Call<R> {
    pub patches: PatchesArgument,
    pub solve: EikonalArgument<R>,
    pub state: EvolutionArgument<R>,
    /// The approximate number of patches that a call examines.
    pub blocks: u32,
}

impl<R: Real> DeviceQuadratic<R> {
    /// Returns the number of bytes that the arrays take on the GPU.
    pub fn bytes(shape: &Shape) -> usize {
        let (n, p) = (shape.n_vertices as usize, shape.n_patches as usize);
        (8 + 3 * size_of::<R>() + 8) * n + 16 * p + 16 * SUM_WORDS
    }

    /// Allocates the arrays on the GPU and compiles the kernels.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU has too little memory or compilation fails.
    pub fn new(
        cuda: &Cuda,
        problem: &Problem<R>,
        shape: &Shape,
        organization: Organization,
    ) -> Result<Self> {
        let (n, p) = (shape.n_vertices as usize, shape.n_patches as usize);
        let mut defines = shape.defines::<R>();
        defines.push(("BLOCK", BLOCK.to_string()));
        defines.push(("MIN_BLOCKS", "1".into()));
        let is_queued = organization == Organization::Queue;
        defines.push(("QUEUED_SOLVE", u32::from(is_queued).to_string()));
        let unit = Unit::with("quadratic", defines)?;
        let fit = cuda.kernel(&unit, "quadratic_fit")?;
        let shared = (shape.largest_owned * size_of::<R>() as u32).div_ceil(16) * 16;
        fit.allow_shared(shared)?;
        let bend = cuda.kernel(&unit, "quadratic_bend")?;
        let grid = bend.resident_blocks(BLOCK, 0)?.min(shape.n_patches.max(1));
        let rule = problem.options.rule;
        let watches = problem.options.half_width.is_some()
            && matches!(rule, Rule::Displacement | Rule::Every(_));
        let slope = watches.then(|| cuda.kernel(&unit, "quadratic_slope")).transpose()?;
        let (smooth, directions) = (cuda.zeros(n)?, cuda.zeros(3 * n)?);
        let words = [
            cuda.zeros::<u32>(n)?,
            cuda.zeros::<u32>(n)?,
            cuda.zeros::<u32>(p)?,
            cuda.zeros::<u32>(p)?,
            cuda.zeros::<u32>(2 * p)?,
        ];
        let [columns, done, near_cuts, listed, waiting] = words.each_ref().map(Array::address);
        let counts = cuda.upload(&[QuadraticCounts::default()])?;
        let sums = cuda.zeros::<u64>(2 * SUM_WORDS)?;
        let argument = QuadraticArgument {
            smooth: smooth.address(),
            directions: directions.address(),
            columns,
            done,
            near_cuts,
            listed,
            waiting,
            counts: counts.address(),
            sums: sums.address(),
        };
        Ok(DeviceQuadratic {
            list: cuda.kernel(&unit, "quadratic_list")?,
            smooth: cuda.kernel(&unit, "quadratic_smooth")?,
            fit: (fit, shared),
            faces: cuda.kernel(&unit, "quadratic_faces")?,
            bend: (bend, Launch { grid, block: BLOCK, shared: 0, cooperative: true }),
            slope,
            argument,
            n_patches: shape.n_patches,
            _smooth: smooth,
            _directions: directions,
            _words: words,
            _counts: counts,
            _sums: sums,
        })
    }

    /// Launches the kernels between `band_init` and the solve: they fit the polynomials and tell
    /// the solve about the values.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if a launch fails.
    pub fn fit(&self, cuda: &Cuda, call: Call<R>) -> Result<()> {
        let launch = self.plain(call.blocks);
        let (fit, shared) = &self.fit;
        self.launch(cuda, &self.list, launch, call)?;
        self.launch(cuda, &self.smooth, self.plain(call.blocks.saturating_mul(2)), call)?;
        self.launch(cuda, fit, Launch { shared: *shared, ..launch }, call)
    }

    /// Launches the kernels between the solve and `band_final`: they replace straight fronts by
    /// curved ones.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if a launch fails.
    pub fn bend(&self, cuda: &Cuda, call: Call<R>) -> Result<()> {
        let (bend, launch) = &self.bend;
        self.launch(cuda, &self.faces, self.plain(call.blocks.saturating_mul(2)), call)?;
        self.launch(cuda, bend, *launch, call)
    }

    fn launch(&self, cuda: &Cuda, kernel: &Kernel, launch: Launch, call: Call<R>) -> Result<()> {
        let Call { patches, solve, state, .. } = call;
        let arguments = Arguments::default().with(patches).with(solve).with(state);
        // SAFETY: the kernels take these four arguments, and their arrays live as long as `self`,
        // the solver and the state.
        unsafe { cuda.launch(kernel, launch, &arguments.with(self.argument)) }
    }

    /// Launches the examination of the slope after a step, if a rule needs it.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the launch fails.
    pub fn watch(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
        blocks: u32,
    ) -> Result<()> {
        let Some(slope) = &self.slope else { return Ok(()) };
        let arguments = Arguments::default().with(patches).with(state).with(self.argument);
        // SAFETY: the kernel takes these three arguments, and their arrays live as long as `self`
        // and the state.
        unsafe { cuda.launch(slope, self.plain(blocks), &arguments) }
    }

    fn plain(&self, blocks: u32) -> Launch {
        let grid = blocks.min(self.n_patches).max(1);
        Launch { grid, block: BLOCK, shared: 0, cooperative: false }
    }
}
