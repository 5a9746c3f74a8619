//! What the kernels of an evolution take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "evolution", include "common/real.cuh";

    /// Why steps stop until the program says more.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Halt {
        Running = 0,
        /// At the target, or all steps asked for are done.
        Arrived = 1,
        /// No interface is left.
        Gone = 2,
        /// Nothing changes faster than asked.
        Steady = 3,
        /// phi is not a finite number.
        Broken = 4,
        /// Nothing moves, so the step has no limit.
        AtRest = 5,
        /// The step is lost beside the time.
        Lost = 6,
        /// Not a finite number, or a negative curvature.
        BadCoefficient = 7,
        /// Of the semi-implicit step.
        NoConvergence = 8,
        /// A given value is not a finite number.
        BadInflow = 9,
    }

    /// When phi becomes a distance again.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum When {
        Displacement = 0,
        Published = 1,
        Every = 2,
        Never = 3,
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

    /// Bounds of the step for C = 1, as bits.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Limits<R> {
        pub first_order: R as "real_bits",
        pub curvature: R as "real_bits",
        pub speed: R as "real_bits",
        pub inradius: R as "real_bits",
    }

    /// What every step changes. While the steps of a cycle follow each other it lies outside of `Control`.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Progress {
        /// Time of the schedule, which steps land on exactly.
        pub clock: f64,
        /// Of the state.
        pub time: f64,
        /// Length of the next step.
        pub dt: f64,
        /// Length of the last one.
        pub dt_done: f64,
        pub displacement: f64,
        pub rate: f64,
        pub steps_left: u64,
        pub step: u64,
        pub steps_since: u64,
        pub cell_updates: u64,
        /// Which buffer holds phi.
        pub parity: u32,
        /// phi is to become a distance.
        pub due: u32,
        pub halt: u32,
        /// An interface comes in where the band is not.
        pub enters: u32,
        /// Vertex of what went wrong.
        pub place: u32,
        pub unused: u32,
    }

    /// What steers an evolution. The program sets the target and the steady rate before a stretch of steps.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Control<R> {
        pub progress: Progress,
        /// Time not to be passed.
        pub target: f64,
        /// Rate at which to stop.
        pub steady: f64,
        /// Factor of the first part of the step.
        pub cfl_first_order: f64,
        /// Factor of the other part.
        pub cfl_curvature: f64,
        /// Infinite for the whole domain.
        pub half_width: f64,
        /// Steps between reinitializations of rule EVERY.
        pub every: u64,
        pub rule: u32,
        /// Curvature has no speed known beforehand.
        pub measures_displacement: u32,
        pub reinitializations: u64,
        pub iterations: u64,
        /// Nanoseconds of the GPU's clock in steps.
        pub evolve_time: u64,
        /// Nanoseconds in reinitializations.
        pub reinitialize_time: u64,
        /// When the last one ended.
        pub last_time: u64,
        /// Of the residual where a semi-implicit step did not converge.
        pub reduction: f64,
        /// Of coefficients that may not be so.
        pub bad_time: f64,
        pub n_patches: u32,
        /// Which buffer lists the active patches.
        pub list: u32,
        pub n_active: u32,
        pub n_moving: u32,
        pub n_cells: u32,
        pub blocks_done: u32,
        /// Of the step.
        pub limits: Limits<R>,
        /// Of the band being made.
        pub next_limits: Limits<R>,
        /// Step that the limits allow.
        pub longest: f64,
        /// Steps of the band by rule PUBLISHED.
        pub due_after: f64,
        /// Of the band being made.
        pub next_active: u32,
        /// Likewise.
        pub next_moving: u32,
        /// Likewise.
        pub next_cells: u32,
        /// Patches an interface may come in through.
        pub n_extra: u32,
    }

    /// What the blocks of a step found; all 0 before.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Trace<R> {
        /// Largest change next to the interface.
        pub change_near: R as "real_bits",
        /// Complement of the least vertex that is not a finite number.
        pub broken: u32,
        /// A cell was cut.
        pub cut: u32,
    }

    /// An evolution on the GPU.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct EvolutionArgument<R> as Evolution {
        pub control: u64 as "Control *",
        /// `[2]` before the steps of a cycle, in turn.
        pub chain: u64 as "Progress *",
        /// `[3]` of these steps.
        pub traces: u64 as "Trace *",
        /// Two buffers of `[n_vertices]`.
        pub phi: u64 as "real *",
        /// `[n_vertices]` closer than the half width when the band was made.
        pub inside: u64 as "u8 *",
        /// `[n_vertices]`
        pub moving: u64 as "u8 *",
        /// Two buffers of `[n_patches]`.
        pub active: u64 as "u32 *",
        /// `[n_patches]`
        pub is_active: u64 as "u32 *",
        /// Patches an interface may come in through, as many as Control says.
        pub extra: u64 as "u32 *",
        pub largest_local: u32,
        pub largest_owned: u32,
        pub largest_columns: u32,
        /// Cells whose contributions fit the shared memory at once.
        pub chunk: u32,
        /// Half of the half width.
        pub near: R,
        /// That cells have at least for the curvature part of the step.
        pub least_inradius: R,
        /// Uniform.
        pub velocity: [R; 3],
        /// Uniform.
        pub normal_speed: R,
        /// Uniform.
        pub curvature: R,
        /// `[n_vertices * 3]`
        pub velocity_rows: u64 as "const real *",
        /// `[n_vertices]`
        pub speed_rows: u64 as "const real *",
        /// `[n_vertices]`
        pub curvature_rows: u64 as "const real *",
        /// `[n_vertices]` vertices of poor cells.
        pub upwind: u64 as "const u8 *",
        /// `[n_vertices]` lumped.
        pub mass: u64 as "const real *",
        /// Of the cells of all patches.
        pub measures: u64 as "real *",
        /// `[n_vertices]`
        pub residual: u64 as "real *",
        /// Two buffers of `[n_vertices]`.
        pub increment: u64 as "real *",
        /// `[n_vertices]` where the velocity points in, or null.
        pub flows_in: u64 as "const u8 *",
        /// `[n_vertices]` of the matrix; 0 where the value is kept.
        pub diagonal: u64 as "real *",
    }

    /// What only the search for a step knows.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct VaryingArgument as Varying {
        /// `[4]` see below.
        pub counts: u64 as "u32 *",
        /// `[n_patches]` list of those whose coefficients are read.
        pub reading: u64 as "u32 *",
        /// `[n_patches]` number of the list a patch was last put on.
        pub seen: u64 as "u32 *",
        /// `[2]` of this look and of the next one.
        pub limits: u64 as "Limits *",
        /// `[n_patches + 1]`
        pub neighbor_offsets: u64 as "const u32 *",
        /// Patches that share a cell.
        pub neighbors: u64 as "const u32 *",
        /// Patches of a boundary with given inflow.
        pub boundary: u64 as "const u32 *",
        /// `[n_vertices * 3]` coordinates in patch order.
        pub places: u64 as "const double *",
        /// Data arrays in patch order.
        pub arrays: u64 as "const double* const *",
        /// One term after the other, `[n_vertices][fields of the term]`.
        pub values: u64 as "real *",
        /// `[2 * N_FIELDS]` see coefficients.cu.
        pub broken: u64 as "u32 *",
        pub n_boundary: u32,
        /// Bit k is set if field k must not be negative.
        pub nonnegative: u32,
    }

    /// What only the kernels of inflow know.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct InflowArgument<R> as Inflow {
        /// `[n]` of the boundary, patch order.
        pub vertices: u64 as "const u32 *",
        /// `[n]` theirs.
        pub patches: u64 as "const u32 *",
        /// `[n_vertices]` where the velocity points in.
        pub flows_in: u64 as "u8 *",
        /// `[n_patches + 1]`
        pub neighbor_offsets: u64 as "const u32 *",
        /// Patches that share a cell.
        pub neighbors: u64 as "const u32 *",
        /// `[n_patches]` number of the list a patch was last put on.
        pub seen: u64 as "u32 *",
        /// `[2]` patches on the list (0 between launches), and lists so far.
        pub counts: u64 as "u32 *",
        /// `[n_vertices * 3]` coordinates in patch order.
        pub places: u64 as "const double *",
        /// Data arrays in patch order.
        pub arrays: u64 as "const double* const *",
        pub n: u32,
        /// Of the flux around a vertex that must come in.
        pub part: R,
    }

    /// What only the semi-implicit solve knows.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ImplicitArgument as Implicit {
        /// `[n_patch_cells * ENTRIES]`
        pub entries: u64 as "real *",
        /// `[n_vertices]` m / beta.
        pub mass: u64 as "real *",
        /// `[n_vertices]`
        pub residual: u64 as "real *",
        /// `[n_vertices]` of the matrix with the direction.
        pub product: u64 as "real *",
        /// Two buffers of `[n_vertices]`.
        pub direction: u64 as "real *",
        /// `[3 * SUM_WORDS]`, 0 between launches.
        pub sums: u64 as "u64 *",
        /// `[2]` blocks arrived at barriers, and blocks that left; 0 between launches.
        pub counts: u64 as "u32 *",
        /// Reduction of the residual, in the norm of the preconditioner.
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
