//! Inflow boundaries on the GPU.

use super::kernel_arguments::{EvolutionArgument, InflowArgument};
use super::neighbors::Neighbors;
use crate::error::Result;
use crate::expression::Generated;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::levelset::evolution::inflow::INFLOW;
use crate::levelset::evolution::problem::Problem;
use crate::patches::cuda::{PatchesArgument, Shape};

/// The number of threads per block.
pub(super) const BLOCK: u32 = 128;

/// The arrays of `kernels/inflow.cu` and the parameters of its launches.
pub(super) struct DeviceInflow<R: Real> {
    /// The kernel that finds the inflow, if the velocity depends on time.
    follow: Option<Kernel>,
    /// The kernel that sets phi, if inflow values are given.
    apply: Option<Kernel>,
    unit: Unit,
    launch: Launch,
    argument: InflowArgument<R>,
    flows_in: Array<u8>,
    /// Arrays that only the kernels use.
    _lists: [Array<u32>; 4],
    _gaps: Array<[R; 3]>,
    _places: Array<[f64; 3]>,
    _arrays: Vec<Array<f64>>,
    _addresses: Array<u64>,
}

impl<R: Real> DeviceInflow<R> {
    /// Returns the number of bytes that the arrays take on the GPU.
    pub fn bytes(problem: &Problem<R>, shape: &Shape) -> usize {
        let arrays = problem.inflow.values().map_or(0, |field| 24 + 8 * field.arrays().len());
        shape.n_vertices as usize * (1 + arrays)
            + (8 + size_of::<[R; 3]>()) * problem.inflow.boundary().len()
            + 4 * shape.n_patches as usize
    }

    /// Copies the inflow boundary that the host found to the GPU. `unit` is compiled for blocks of
    /// [`BLOCK`] threads.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU has too little memory or compilation fails.
    pub fn new(
        cuda: &Cuda,
        problem: &Problem<R>,
        shape: &Shape,
        neighbors: &Neighbors,
        mut unit: Unit,
    ) -> Result<Self> {
        let mut flows_in = vec![0u8; shape.n_vertices as usize];
        for &v in problem.inflow.vertices() {
            flows_in[v as usize] = 1;
        }
        let (vertices, patches): (Vec<u32>, Vec<u32>) =
            problem.inflow.boundary().iter().copied().unzip();
        let lists = [
            cuda.upload(&vertices)?,
            cuda.upload(&patches)?,
            cuda.zeros(shape.n_patches as usize)?,
            cuda.zeros(2)?,
        ];
        let gaps: Vec<[R; 3]> =
            (0..vertices.len()).map(|k| problem.inflow.gap(k).map(R::of)).collect();
        let gaps = cuda.upload(&gaps)?;
        let mut arrays = Vec::new();
        let mut places: &[[f64; 3]] = &[];
        if let Some(field) = problem.inflow.values() {
            let generated = Generated::new(&[std::slice::from_ref(field)]);
            unit.extra.push((Generated::NAME.into(), generated.text().into()));
            for array in generated.arrays() {
                arrays.push(cuda.upload(array)?);
            }
            places = problem.sites.as_ref().map_or(places, |sites| &sites.points);
        }
        let addresses: Vec<u64> = arrays.iter().map(Array::address).collect();
        let addresses = cuda.upload(&addresses)?;
        let places = cuda.upload(places)?;
        let flows_in = cuda.upload(&flows_in)?;
        let varies = problem.motion.velocity.as_ref().is_some_and(|velocity| velocity.varies());
        let (neighbor_offsets, neighbors) = neighbors.addresses();
        let grid = (vertices.len() as u32).div_ceil(BLOCK);
        let kernel = |name: &str, is: bool| is.then(|| cuda.kernel(&unit, name)).transpose();
        Ok(DeviceInflow {
            follow: kernel("inflow_follow", varies)?,
            apply: kernel("inflow_apply", problem.inflow.has_values())?,
            unit: unit.clone(),
            launch: Launch { grid, block: BLOCK, shared: 0, cooperative: false },
            argument: InflowArgument {
                vertices: lists[0].address(),
                patches: lists[1].address(),
                gaps: gaps.address(),
                flows_in: flows_in.address(),
                neighbor_offsets,
                neighbors,
                seen: lists[2].address(),
                counts: lists[3].address(),
                places: places.address(),
                arrays: addresses.address(),
                n: vertices.len() as u32,
                part: R::of(INFLOW),
            },
            flows_in,
            _lists: lists,
            _gaps: gaps,
            _places: places,
            _arrays: arrays,
            _addresses: addresses,
        })
    }

    /// Sets the address of `flows_in` in the argument of all evolution kernels.
    pub fn fill(&self, state: &mut EvolutionArgument<R>) {
        state.flows_in = self.flows_in.address();
    }

    /// Before a step, finds the boundary vertices where the current velocity points inward. Does
    /// nothing if the velocity does not depend on time.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the launch fails.
    pub fn follow(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        self.launch(cuda, self.follow.as_ref(), patches, state)
    }

    /// Finds the boundary vertices where the velocity points inward, after its rows have been
    /// replaced. The control block must neither be halted nor await a reinitialization.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the kernel cannot be compiled or the launch fails.
    pub fn find(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        let kernel = cuda.kernel(&self.unit, "inflow_follow")?;
        self.launch(cuda, Some(&kernel), patches, state)
    }

    /// After a step, sets phi at inflow vertices. Does nothing if no inflow values are given.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the launch fails.
    pub fn apply(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        self.launch(cuda, self.apply.as_ref(), patches, state)
    }

    fn launch(
        &self,
        cuda: &Cuda,
        kernel: Option<&Kernel>,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        let Some(kernel) = kernel else { return Ok(()) };
        let arguments = Arguments::default().with(patches).with(state).with(self.argument);
        // SAFETY: the kernels take these three arguments, and their arrays live as long as `self`
        // and the state.
        unsafe { cuda.launch(kernel, self.launch, &arguments) }
    }
}
