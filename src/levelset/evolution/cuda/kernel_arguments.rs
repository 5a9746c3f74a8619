//! Arguments of the evolution kernels. They use no crate other than `zeroset_gpu`, so that the
//! kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "evolution", include "common/real.cuh";

    /// Why steps stop until the host continues them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Halt {
        Running = 0,
        /// The target is reached, or all requested steps are done.
        Arrived = 1,
        /// No interface is left.
        Gone = 2,
        /// phi changes no faster than the requested rate.
        Steady = 3,
        /// phi is not finite.
        Broken = 4,
        /// Nothing moves, so the length of the step is unlimited.
        AtRest = 5,
        /// The step is too short to advance time.
        Lost = 6,
        /// A coefficient is not finite, or the curvature coefficient is negative.
        BadCoefficient = 7,
        /// The semi-implicit step does not converge.
        NoConvergence = 8,
        /// A given inflow value is not finite.
        BadInflow = 9,
    }

    /// When phi is reinitialized.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum When {
        Displacement = 0,
        Published = 1,
        Every = 2,
        Never = 3,
    }

    /// The values of phi that have to be reinitialized.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Due {
        Nothing = 0,
        Everything = 1,
        /// Only values of at least half of the half width.
        Outside = 2,
    }

    /// How the velocity acts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) define enum AdvectionTerm as ADVECTION {
        None = 0,
        PositiveCoefficients = 1,
        Cone = 2,
        TaylorGalerkin = 3,
    }

    /// How the normal speed acts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) define enum NormalTerm as NORMAL {
        None = 0,
        PositiveCoefficients = 1,
        HopfLax = 2,
    }

    /// How curvature acts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) define enum CurvatureTerm as CURVATURE {
        None = 0,
        Beta = 1,
        Weighted = 2,
    }

    /// Upper bounds on the time step for C = 1, and the data that the reinitialization rules need.
    /// Kernels combine them as the bits of floating-point numbers.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Limits<R> {
        pub first_order: R as "real_bits",
        pub curvature: R as "real_bits",
        pub speed: R as "real_bits",
        pub inradius: R as "real_bits",
        /// Largest curvature coefficient.
        pub beta: R as "real_bits",
    }

    /// The values that every step changes. Between the steps of a cycle, they are stored outside
    /// `Control`.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Progress {
        /// Time of the schedule; steps end exactly at its targets.
        pub clock: f64,
        /// Time of the state.
        pub time: f64,
        /// Length of the next step.
        pub dt: f64,
        /// Length of the last step.
        pub dt_done: f64,
        pub displacement: f64,
        pub rate: f64,
        pub steps_left: u64,
        pub step: u64,
        pub steps_since: u64,
        pub cell_updates: u64,
        /// Index of the buffer that contains phi.
        pub parity: u32,
        /// Values of phi that have to be reinitialized; a `Due`.
        pub due: u32,
        pub halt: u32,
        /// Whether an interface enters outside the band.
        pub enters: u32,
        /// Vertex of the failure.
        pub place: u32,
        /// Whether the slope of phi has drifted too far during the last step.
        pub drifts: u32,
    }

    /// The control block of an evolution. The host sets the target and the steady rate before a
    /// series of steps.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Control<R> {
        pub progress: Progress,
        /// Time that must not be passed.
        pub target: f64,
        /// Rate of change at or below which the steps stop.
        pub steady: f64,
        /// CFL factor of the first-order limit.
        pub cfl_first_order: f64,
        /// CFL factor of the curvature limit.
        pub cfl_curvature: f64,
        /// Half width of the band, without its margin; infinite for the whole domain.
        pub half_width: f64,
        /// Steps between reinitializations with rule EVERY.
        pub every: u64,
        pub rule: u32,
        /// Whether the displacement is measured, because curvature has no speed known in advance.
        pub measures_displacement: u32,
        pub reinitializations: u64,
        pub iterations: u64,
        /// Nanoseconds spent in steps, by the GPU's clock.
        pub evolve_time: u64,
        /// Nanoseconds spent in reinitializations.
        pub reinitialize_time: u64,
        /// Time at which the last measurement ended.
        pub last_time: u64,
        /// Reduction of the residual where a semi-implicit step did not converge.
        pub reduction: f64,
        /// Time at which a coefficient is invalid.
        pub bad_time: f64,
        pub n_patches: u32,
        /// Index of the buffer that lists the active patches.
        pub list: u32,
        pub n_active: u32,
        pub n_moving: u32,
        pub n_cells: u32,
        pub blocks_done: u32,
        /// Limits on the step.
        pub limits: Limits<R>,
        /// Limits from the band being built.
        pub next_limits: Limits<R>,
        /// Limits of the step if there is no band but an interface may enter.
        pub inflow_limits: Limits<R>,
        /// Step that the limits allow.
        pub longest: f64,
        /// Steps between reinitializations with rule PUBLISHED.
        pub due_after: f64,
        /// Displacement per time for which a step counts at least: the largest speed or, with
        /// curvature, `Problem::spread`.
        pub displacement_rate: f64,
        /// Active patches of the band being built.
        pub next_active: u32,
        /// Moving vertices of the band being built.
        pub next_moving: u32,
        /// Cells of the band being built.
        pub next_cells: u32,
        /// Number of patches through which an interface may enter.
        pub n_extra: u32,
        /// Whether an interface may enter later even if there is none now.
        pub may_enter: u32,
        /// Whether there is a band with distances of second order.
        pub fits: u32,
        /// Whether phi near the interface is kept when the interface has moved far.
        pub keeps: u32,
        pub unused: u32,
    }

    /// The findings of the blocks of a step; all 0 before the step.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Trace<R> {
        /// Largest change next to the interface.
        pub change_near: R as "real_bits",
        /// Bitwise complement of the smallest index of a vertex whose value is not finite.
        pub broken: u32,
        /// Whether a cell is cut.
        pub cut: u32,
    }

    /// An evolution on the GPU.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct EvolutionArgument<R> as Evolution {
        pub control: u64 as "Control *",
        /// `[2]` progress before the steps of a cycle, used in turn.
        pub chain: u64 as "Progress *",
        /// `[3]` findings of the steps of a cycle, used in turn.
        pub traces: u64 as "Trace *",
        /// Two buffers of `[n_vertices]`.
        pub phi: u64 as "real *",
        /// `[n_vertices]` whether |phi| was below the half width when the band was last updated.
        pub inside: u64 as "u8 *",
        /// `[n_vertices]`
        pub moving: u64 as "u8 *",
        /// Two buffers of `[n_patches]`.
        pub active: u64 as "u32 *",
        /// `[n_patches]`
        pub is_active: u64 as "u32 *",
        /// Patches through which an interface may enter; `n_extra` is their number.
        pub extra: u64 as "u32 *",
        pub largest_local: u32,
        pub largest_owned: u32,
        pub largest_columns: u32,
        /// Number of cells whose contributions fit in shared memory at once.
        pub chunk: u32,
        /// Half of the half width without its margin.
        pub near: R,
        /// Half width with its margin; infinite for the whole domain.
        pub width: R,
        /// Smallest inradius that the curvature limit of the step uses.
        pub least_inradius: R,
        /// Smallest slope of a cell that the curvature term uses; 0 for no bound.
        pub least_slope: R,
        /// Uniform value.
        pub velocity: [R; 3],
        /// Uniform value.
        pub normal_speed: R,
        /// Uniform value.
        pub curvature: R,
        /// `[n_vertices * 3]`
        pub velocity_rows: u64 as "const real *",
        /// `[n_vertices]`
        pub speed_rows: u64 as "const real *",
        /// `[n_vertices]`
        pub curvature_rows: u64 as "const real *",
        /// `[n_vertices]` growth rate of second-order advection, or null where it is 0 everywhere.
        pub growth: u64 as "real *",
        /// `[n_vertices]` lumped mass.
        pub mass: u64 as "const real *",
        /// Measures of the cells of all patches.
        pub measures: u64 as "real *",
        /// `[n_vertices]` right-hand side, or infinity where the increment is final.
        pub residual: u64 as "real *",
        /// Two buffers of `[n_vertices]`.
        pub increment: u64 as "real *",
        /// `[n_vertices]` where the velocity points inward, or null.
        pub flows_in: u64 as "const u8 *",
        /// `[n_vertices]` diagonal of the matrix; 0 where the value is kept.
        pub diagonal: u64 as "real *",
    }

    /// Lists and barriers of the kernels for second-order distances; all 0 before the first call.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct QuadraticCounts {
        /// Number of patches near cut cells.
        pub n_near_cuts: u32,
        /// Number of lists of such patches so far.
        pub n_lists: u32,
        /// Number of patches with waiting vertices, by round.
        pub n_waiting: [u32; 3],
        /// Whether a round computed a vertex.
        pub computed: [u32; 3],
        /// Counter of the grid barrier.
        pub arrived: u32,
    }

    /// Arguments of the kernels for second-order distances.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct QuadraticArgument as Quadratic {
        /// `[n_vertices]` 1 where phi is smooth, 0 at a kink.
        pub smooth: u64 as "double *",
        /// `[n_vertices * 3]` unit vectors away from the interface.
        pub directions: u64 as "real *",
        /// `[n_vertices]` gather column of the cell through which the straight front comes.
        pub columns: u64 as "u32 *",
        /// `[n_vertices]` round in which the value became final; see kernels/quadratic.cu.
        pub done: u64 as "u32 *",
        /// `[n_patches]` list of the patches near cut cells.
        pub near_cuts: u64 as "u32 *",
        /// `[n_patches]` number of the list a patch was last put on.
        pub listed: u64 as "u32 *",
        /// Two lists of `[n_patches]`, the patches with waiting vertices in a round.
        pub waiting: u64 as "u32 *",
        pub counts: u64 as "QuadraticCounts *",
        /// `[2 * SUM_WORDS]` measure and slope near the interface, 0 between launches.
        pub sums: u64 as "u64 *",
    }

    /// Arguments of the search for a step.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct VaryingArgument as Varying {
        /// `[4]` see kernels/varying.cu.
        pub counts: u64 as "u32 *",
        /// `[n_patches]` list of the patches whose coefficients are read.
        pub reading: u64 as "u32 *",
        /// `[n_patches]` number of the list a patch was last put on.
        pub seen: u64 as "u32 *",
        /// `[2]` limits of this evaluation and of the next one.
        pub limits: u64 as "Limits *",
        /// `[n_patches + 1]`
        pub neighbor_offsets: u64 as "const u32 *",
        /// Neighbors of the patches: for each one, the patches that share a cell with it.
        pub neighbors: u64 as "const u32 *",
        /// Patches of a boundary with given inflow.
        pub boundary: u64 as "const u32 *",
        /// `[n_vertices * 3]` coordinates in patch order.
        pub places: u64 as "const double *",
        /// `[n_vertices]` length of the shortest edge at each vertex.
        pub edges: u64 as "const double *",
        /// Data arrays in patch order.
        pub arrays: u64 as "const double* const *",
        /// One term after the other, `[n_vertices][fields of the term]`.
        pub values: u64 as "real *",
        /// `[2 * N_FIELDS]` see kernels/coefficients.cu.
        pub broken: u64 as "u32 *",
        /// The longest allowed step.
        pub max_step: f64,
        pub n_boundary: u32,
        /// Bit k is set if field k must not be negative.
        pub nonnegative: u32,
    }

    /// Arguments of the inflow kernels.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct InflowArgument<R> as Inflow {
        /// `[n]` boundary vertices in patch order.
        pub vertices: u64 as "const u32 *",
        /// `[n]` their patches.
        pub patches: u64 as "const u32 *",
        /// `[n * 3]` vectors whose scalar product with the velocity is the flux out of gaps of the
        /// mesh.
        pub gaps: u64 as "const real *",
        /// `[n_vertices]` where the velocity points inward.
        pub flows_in: u64 as "u8 *",
        /// `[n_patches + 1]`
        pub neighbor_offsets: u64 as "const u32 *",
        /// Neighbors of the patches: for each one, the patches that share a cell with it.
        pub neighbors: u64 as "const u32 *",
        /// `[n_patches]` number of the list a patch was last put on.
        pub seen: u64 as "u32 *",
        /// `[2]` number of patches on the list (0 between launches), and number of lists so far.
        pub counts: u64 as "u32 *",
        /// `[n_vertices * 3]` coordinates in patch order.
        pub places: u64 as "const double *",
        /// Data arrays in patch order.
        pub arrays: u64 as "const double* const *",
        pub n: u32,
        /// Threshold for inflow: the net inward flux around an inflow vertex exceeds this fraction
        /// of the sum of the magnitudes of the fluxes.
        pub part: R,
    }

    /// Arguments of the semi-implicit solve.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ImplicitArgument as Implicit {
        /// `[n_patch_cells * ENTRIES]`
        pub entries: u64 as "real *",
        /// `[n_vertices]` m / beta.
        pub mass: u64 as "real *",
        /// `[n_vertices]`
        pub residual: u64 as "real *",
        /// `[n_vertices]` product of the matrix with the direction.
        pub product: u64 as "real *",
        /// Two buffers of `[n_vertices]`.
        pub direction: u64 as "real *",
        /// `[n_vertices]` values before the solves of an extrapolated step; null for other steps.
        pub start: u64 as "real *",
        /// `[n_vertices]` solution over the whole length of an extrapolated step; null for others.
        pub whole: u64 as "real *",
        /// `[3 * SUM_WORDS]`, 0 between launches.
        pub sums: u64 as "u64 *",
        /// `[2]` number of blocks that arrived at barriers and that left; 0 between launches.
        pub counts: u64 as "u32 *",
        /// Required reduction of the residual, in the norm of the preconditioner.
        pub tolerance: f64,
        pub most_iterations: u32,
        pub unused: u32,
    }
}

impl<R> std::ops::Deref for Control<R> {
    type Target = Progress;

    fn deref(&self) -> &Progress {
        &self.progress
    }
}

impl<R> std::ops::DerefMut for Control<R> {
    fn deref_mut(&mut self) -> &mut Progress {
        &mut self.progress
    }
}
