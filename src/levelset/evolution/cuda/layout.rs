//! What the kernels of an evolution take, laid out as in `kernels/control.cuh` and `kernels/evolution_state.cuh`; the tests
//! of kernels on the host take this file too.

/// Bounds of the step for C = 1.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Limits<R> {
    pub first_order: R,
    pub curvature: R,
    pub speed: R,
    pub inradius: R,
}

/// `struct Progress` of the kernels: what every step changes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Progress {
    pub clock: f64,
    pub time: f64,
    pub dt: f64,
    pub dt_done: f64,
    pub displacement: f64,
    pub rate: f64,
    pub steps_left: u64,
    pub step: u64,
    pub steps_since: u64,
    pub cell_updates: u64,
    pub parity: u32,
    pub due: u32,
    pub halt: u32,
    pub enters: u32,
    pub place: u32,
    pub unused: u32,
}

/// `struct Control` of the kernels.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Control<R> {
    pub progress: Progress,
    pub target: f64,
    pub steady: f64,
    pub cfl_first_order: f64,
    pub cfl_curvature: f64,
    pub half_width: f64,
    pub every: u64,
    pub rule: u32,
    pub measures_displacement: u32,
    pub reinitializations: u64,
    pub iterations: u64,
    /// Nanoseconds of the card's clock in steps and in redistancings, and when the last one ended.
    pub evolve_time: u64,
    pub reinitialize_time: u64,
    pub last_time: u64,
    pub reduction: f64,
    pub bad_time: f64,
    pub n_patches: u32,
    pub list: u32,
    pub n_active: u32,
    pub n_moving: u32,
    pub n_cells: u32,
    pub blocks_done: u32,
    pub limits: Limits<R>,
    pub next_limits: Limits<R>,
    pub longest: f64,
    pub due_after: f64,
    pub next_active: u32,
    pub next_moving: u32,
    pub next_cells: u32,
    pub n_extra: u32,
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

/// `struct Trace` of the kernels: what the blocks of a step found.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Trace<R> {
    pub change_near: R,
    pub broken: u32,
    pub cut: u32,
}

/// `struct Evolution` of `kernels/evolution_state.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct EvolutionArgument<R> {
    pub control: u64,
    pub chain: u64,
    pub traces: u64,
    pub phi: u64,
    pub inside: u64,
    pub moving: u64,
    pub active: u64,
    pub is_active: u64,
    pub extra: u64,
    pub largest_local: u32,
    pub largest_owned: u32,
    pub largest_columns: u32,
    pub chunk: u32,
    pub near: R,
    pub least_inradius: R,
    pub velocity: [R; 3],
    pub normal_speed: R,
    pub curvature: R,
    pub velocity_rows: u64,
    pub speed_rows: u64,
    pub curvature_rows: u64,
    pub upwind: u64,
    pub mass: u64,
    pub measures: u64,
    pub residual: u64,
    pub increment: u64,
    pub flows_in: u64,
    pub diagonal: u64,
}

/// `struct Varying` of `kernels/varying.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct VaryingArgument {
    pub counts: u64,
    pub reading: u64,
    pub seen: u64,
    pub limits: u64,
    pub neighbor_offsets: u64,
    pub neighbors: u64,
    pub boundary: u64,
    pub places: u64,
    pub arrays: u64,
    pub values: u64,
    pub broken: u64,
    pub n_boundary: u32,
    pub nonnegative: u32,
}

/// `struct Inflow` of `kernels/inflow.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct InflowArgument<R> {
    pub vertices: u64,
    pub patches: u64,
    pub flows_in: u64,
    pub neighbor_offsets: u64,
    pub neighbors: u64,
    pub seen: u64,
    pub counts: u64,
    pub places: u64,
    pub arrays: u64,
    pub n: u32,
    pub part: R,
}

/// `struct Implicit` of `kernels/implicit.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct ImplicitArgument {
    pub entries: u64,
    pub mass: u64,
    pub residual: u64,
    pub product: u64,
    pub direction: u64,
    pub sums: u64,
    pub counts: u64,
    pub tolerance: f64,
    pub most_iterations: u32,
    pub unused: u32,
}
