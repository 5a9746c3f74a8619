//! The arrays of an evolution on the GPU, and the kernel argument with their addresses.

use std::mem::offset_of;
use std::sync::Arc;

use super::kernel_arguments::{Control, EvolutionArgument, Progress, Trace};
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda};
use crate::levelset::evolution::coefficients::Term;
use crate::levelset::evolution::problem::Problem;
use crate::patches::cuda::Shape;

/// A coefficient on the GPU: one value, or a row for every vertex. The rows of a time-dependent
/// coefficient are stored elsewhere.
pub(super) struct DeviceTerm<R: Real, const K: usize> {
    pub value: [R; K],
    pub rows: Option<Array<R>>,
}

impl<R: Real, const K: usize> DeviceTerm<R, K> {
    fn new(cuda: &Cuda, term: Option<&Term<R, K>>) -> Result<Self> {
        let Some(term) = term else {
            return Ok(DeviceTerm { value: [R::zero(); K], rows: None });
        };
        Ok(match term.uniform() {
            Some(value) => DeviceTerm { value, rows: None },
            None if term.varies() => DeviceTerm { value: [R::zero(); K], rows: None },
            None => {
                let rows = cuda.upload(term.rows().as_flattened())?;
                DeviceTerm { value: [R::zero(); K], rows: Some(rows) }
            }
        })
    }

    fn address(&self) -> u64 {
        self.rows.as_ref().map_or(0, Array::address)
    }
}

/// The changing state of the evolution, and the coefficients.
pub(super) struct State<R: Real> {
    pub control: Array<Control<R>>,
    chain: Array<Progress>,
    traces: Array<Trace<R>>,
    pub phi: Array<R>,
    pub inside: Array<u8>,
    pub moving: Array<u8>,
    pub active: Array<u32>,
    pub is_active: Array<u32>,
    pub extra: Array<u32>,
    pub velocity: DeviceTerm<R, 3>,
    pub normal_speed: DeviceTerm<R, 1>,
    pub curvature: DeviceTerm<R, 1>,
}

impl<R: Real> State<R> {
    /// Returns the number of bytes that the arrays take on the GPU.
    pub fn bytes(problem: &Problem<R>, shape: &Shape) -> usize {
        let (n, p) = (shape.n_vertices as usize, shape.n_patches as usize);
        let rows = |is: bool, k: usize| if is { k * n * size_of::<R>() } else { 0 };
        let motion = &problem.motion;
        2 * n * size_of::<R>()
            + 2 * n
            + 4 * 4 * p
            + rows(motion.velocity.as_ref().is_some_and(|v| v.uniform().is_none()), 3)
            + rows(motion.normal_speed.as_ref().is_some_and(|v| v.uniform().is_none()), 1)
            + rows(motion.curvature.as_ref().is_some_and(|c| c.coefficient.uniform().is_none()), 1)
    }

    /// Copies the coefficients to the GPU, and `start` (mesh order) to both buffers of phi.
    pub fn new(
        cuda: &Arc<Cuda>,
        problem: &Problem<R>,
        start: &[f64],
        shape: &Shape,
        control: Control<R>,
    ) -> Result<Self> {
        let (n, p) = (shape.n_vertices as usize, shape.n_patches as usize);
        let all: Vec<u32> = (0..2).flat_map(|_| 0..shape.n_patches).collect();
        let mut extra = problem.inflow.patches().to_vec();
        extra.resize(p, 0);
        let start = problem.patches.to_patch_order(start, R::of);
        let mut phi = cuda.zeros(2 * n)?;
        cuda.write_part(&mut phi, 0, &start)?;
        cuda.write_part(&mut phi, n, &start)?;
        let motion = &problem.motion;
        Ok(State {
            control: cuda.upload(&[control])?,
            chain: cuda.zeros(2)?,
            traces: cuda.zeros(3)?,
            phi,
            inside: cuda.zeros(n)?,
            moving: cuda.zeros(n)?,
            active: cuda.upload(&all)?,
            is_active: cuda.zeros(p)?,
            extra: cuda.upload(&extra)?,
            velocity: DeviceTerm::new(cuda, motion.velocity.as_ref())?,
            normal_speed: DeviceTerm::new(cuda, motion.normal_speed.as_ref())?,
            curvature: DeviceTerm::new(cuda, motion.curvature.as_ref().map(|c| &c.coefficient))?,
        })
    }

    /// Makes all patches active and empties the band, as in a new state.
    pub fn empty_band(&mut self, cuda: &Cuda) -> Result<()> {
        let n_patches = self.is_active.len() as u32;
        let all: Vec<u32> = (0..2).flat_map(|_| 0..n_patches).collect();
        cuda.write(&mut self.active, &all)?;
        cuda.clear(&mut self.is_active)?;
        cuda.clear(&mut self.inside)?;
        cuda.clear(&mut self.moving)?;
        cuda.clear(&mut self.chain)?;
        cuda.clear(&mut self.traces)
    }

    /// Returns the argument of the kernels.
    pub fn argument(
        &self,
        problem: &Problem<R>,
        shape: &Shape,
        chunk: u32,
    ) -> EvolutionArgument<R> {
        EvolutionArgument {
            control: self.control.address(),
            chain: self.chain.address(),
            traces: self.traces.address(),
            phi: self.phi.address(),
            inside: self.inside.address(),
            moving: self.moving.address(),
            active: self.active.address(),
            is_active: self.is_active.address(),
            extra: self.extra.address(),
            largest_local: shape.largest_local,
            largest_owned: shape.largest_owned,
            largest_columns: shape.largest_columns,
            chunk,
            near: problem.options.half_width.map_or(R::INFINITY, R::of) * R::of(0.5),
            width: problem.half_width(),
            least_inradius: problem.least_inradius,
            least_slope: problem.least_slope,
            velocity: self.velocity.value,
            normal_speed: self.normal_speed.value[0],
            curvature: self.curvature.value[0],
            velocity_rows: self.velocity.address(),
            speed_rows: self.normal_speed.address(),
            curvature_rows: self.curvature.address(),
            growth: 0,
            mass: 0,
            measures: 0,
            residual: 0,
            increment: 0,
            flows_in: 0,
            diagonal: 0,
        }
    }

    /// Returns the address of the flag that states whether phi has to be reinitialized.
    pub fn due(&self) -> u64 {
        self.control.address() + offset_of!(Control<R>, progress.due) as u64
    }
}
