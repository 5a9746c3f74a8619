//! The motion of an interface on a mesh, on the CPU or a GPU.

use std::sync::Arc;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::geometry::Real;
use crate::levelset::evolution::cuda::{DeviceEvolution, OnGpu};
use crate::levelset::evolution::{
    self, Advance, Breakdown, Choices, Evolution, StepTarget, Totals, What,
};
use crate::levelset::gradient_norm_error::gradient_norm_error;
use crate::levelset::volume::VolumeTotals;
use crate::output::{Drift, Measures, checkpoint};
use crate::run::CleanedMesh;
use crate::run::expressions::expressions;
use crate::run::fields::{at_vertex, value_at};
use crate::run::mean_weight;
use crate::run::mesh_setup::MeshSetup;
use crate::run::motion::{LateState, Motion, Quality, State};
use crate::run::states::MeshState;
use crate::surface::{self, Measurer};

/// The evolution on the device of the run.
pub(in crate::run) enum MeshSolver<R: Real> {
    /// The CPU solver and a separate measurer for phi.
    Cpu(Box<Evolution<R>>, Box<Measurer>),
    /// The GPU solver, which measures phi itself.
    Gpu(Box<DeviceEvolution<R>>),
}

/// A motion on a mesh. All arrays are in the order of the cleaned mesh.
pub(in crate::run) struct MeshMotion<R: Real> {
    solver: MeshSolver<R>,
    setup: MeshSetup,
    /// Coefficient of a weighted curvature flow. `first_weight` is its mean along the interface of
    /// `[initial]`.
    weight: evolution::Coefficient<1>,
    first_weight: Option<f64>,
}

impl<R: Real> MeshMotion<R> {
    /// Creates a motion. `phi` is the level set of `[initial]`.
    pub(in crate::run) fn new(
        solver: MeshSolver<R>,
        setup: &MeshSetup,
        weight: &evolution::Coefficient<1>,
        phi: &[f64],
    ) -> Self {
        let (setup, weight) = (setup.clone(), weight.clone());
        let mut motion = MeshMotion { solver, setup, weight, first_weight: None };
        motion.first_weight = motion.mean_weight(phi, motion.setup.cleaned.start_time);
        motion
    }

    /// Returns the mean weight along the interface, or `None` if there is no weighted curvature
    /// flow or no interface.
    fn mean_weight(&self, phi: &[f64], t: f64) -> Option<f64> {
        if self.weight.is_zero() {
            return None;
        }
        let (mesh, weight) = (&self.setup.cleaned.mesh, &self.weight);
        self.setup.cpu.run(|| mean_weight::mean_weight(mesh, phi, weight, t))
    }

    /// Returns the current phi, and whether each vertex is in the narrow band.
    fn phi_and_band(&mut self) -> Result<(Vec<f64>, Vec<bool>)> {
        match &mut self.solver {
            MeshSolver::Cpu(evolution, _) => Ok((evolution.phi(), evolution.band())),
            MeshSolver::Gpu(evolution) => {
                let standing = evolution.standing()?;
                Ok((standing.phi()?, standing.band()?))
            }
        }
    }

    fn phi(&mut self) -> Result<Vec<f64>> {
        match &mut self.solver {
            MeshSolver::Cpu(evolution, _) => Ok(evolution.phi()),
            MeshSolver::Gpu(evolution) => evolution.standing()?.phi(),
        }
    }

    /// Restates an error of a step with the vertex and cell indices of the user's mesh.
    fn named(&self, error: Error) -> Error {
        let breakdown = match &self.solver {
            MeshSolver::Cpu(evolution, _) => evolution.breakdown(),
            MeshSolver::Gpu(evolution) => evolution.breakdown(),
        };
        match (error, breakdown) {
            (Error::Numerical { .. }, Some(found)) => {
                named(&self.setup.config, &self.setup.cleaned, found)
            }
            (error, _) => error,
        }
    }
}

impl<R: Real> Motion for MeshMotion<R> {
    fn advance(&mut self, until: &StepTarget) -> Result<Advance> {
        let done = match &mut self.solver {
            MeshSolver::Cpu(evolution, _) => evolution.advance(until),
            MeshSolver::Gpu(evolution) => evolution.advance(until),
        };
        done.map_err(|error| self.named(error))
    }

    fn is_extinct(&self) -> bool {
        match &self.solver {
            MeshSolver::Cpu(evolution, _) => evolution.is_extinct(),
            MeshSolver::Gpu(evolution) => evolution.is_extinct(),
        }
    }

    fn measure(&mut self) -> Result<Measures> {
        let (found, band_vertices, active_patches) = match &mut self.solver {
            MeshSolver::Cpu(evolution, measurer) => {
                let (mesh, phi) = (&self.setup.cleaned.mesh, evolution.phi());
                let found = self.setup.cpu.run(|| measurer.measure(mesh, &phi));
                (found, evolution.n_band_vertices(), evolution.n_active_patches())
            }
            MeshSolver::Gpu(evolution) => {
                let found = evolution.measures()?;
                (found, evolution.n_band_vertices(), evolution.n_active_patches())
            }
        };
        Ok(Measures {
            interface: found.interface,
            enclosed: found.enclosed,
            components: found.components,
            euler_number: found.euler_number,
            band_vertices: band_vertices as u64,
            active_patches: active_patches as u64,
            phi_min: found.phi_min,
            phi_max: found.phi_max,
            ..Measures::default()
        })
    }

    fn state(&mut self, step: u64, time: f64) -> Result<LateState> {
        let state = move |phi, band| {
            State::Mesh(MeshState { step, time, phi, band, ..MeshState::default() })
        };
        Ok(match &mut self.solver {
            MeshSolver::Cpu(evolution, _) => {
                let (snapshot, band) = (Arc::new(evolution.snapshot()), evolution.band());
                let kept = snapshot.clone();
                let snapshot = move || Ok(checkpoint::State::Mesh(Arc::unwrap_or_clone(snapshot)));
                LateState {
                    state: Box::new(move || Ok(state(kept.phi.clone(), band))),
                    snapshot: Some(Box::new(snapshot)),
                }
            }
            // The copy to the host completes while the next steps are computed.
            MeshSolver::Gpu(evolution) => {
                let standing = evolution.standing()?;
                let kept = standing.clone();
                let snapshot = move || standing.snapshot().map(checkpoint::State::Mesh);
                LateState {
                    state: Box::new(move || Ok(state(kept.phi()?, kept.band()?))),
                    snapshot: Some(Box::new(snapshot)),
                }
            }
        })
    }

    fn view(&mut self, step: u64, time: f64) -> Result<State> {
        let (phi, band) = self.phi_and_band()?;
        Ok(State::Mesh(MeshState { step, time, phi, band, ..MeshState::default() }))
    }

    fn snapshot(&mut self) -> Result<checkpoint::State> {
        let snapshot = match &mut self.solver {
            MeshSolver::Cpu(evolution, _) => evolution.snapshot(),
            MeshSolver::Gpu(evolution) => evolution.standing()?.snapshot()?,
        };
        Ok(checkpoint::State::Mesh(snapshot))
    }

    fn interface(&mut self) -> Result<Vec<[f64; 3]>> {
        let phi = self.phi()?;
        Ok(surface::extract(&self.setup.cleaned.mesh, &phi).vertices)
    }

    fn totals(&self) -> Totals {
        match &self.solver {
            MeshSolver::Cpu(evolution, _) => evolution.totals(),
            MeshSolver::Gpu(evolution) => evolution.totals(),
        }
    }

    fn volume(&self) -> Option<VolumeTotals> {
        match &self.solver {
            MeshSolver::Cpu(evolution, _) => evolution.volume(),
            MeshSolver::Gpu(evolution) => evolution.volume(),
        }
    }

    fn choices(&self) -> Choices {
        match &self.solver {
            MeshSolver::Cpu(evolution, _) => evolution.choices(),
            MeshSolver::Gpu(evolution) => evolution.choices(),
        }
    }

    fn on_gpu(&mut self) -> Option<&mut dyn OnGpu> {
        match &mut self.solver {
            MeshSolver::Cpu(..) => None,
            MeshSolver::Gpu(evolution) => Some(&mut **evolution),
        }
    }

    fn quality(&mut self, time: f64) -> Result<Quality> {
        let (phi, band) = self.phi_and_band()?;
        let last_weight = self.mean_weight(&phi, time);
        let MeshSetup { cpu, cleaned, .. } = &self.setup;
        let error = cpu.run(|| gradient_norm_error(&cleaned.mesh, &phi, &band));
        let weights = self.first_weight.zip(last_weight);
        Ok(Quality {
            grad_norm_error: Some(error),
            mean_weight: weights.and_then(|(first, last)| Drift::between(first, last)),
        })
    }
}

/// Explains why a step broke down, with the vertex and cell indices of the file. If the value of an
/// expression caused the breakdown, the message shows the expression.
fn named(config: &Config, cleaned: &CleanedMesh, found: &Breakdown) -> Error {
    let (vertex, cell) = (found.vertex as usize, found.cell as usize);
    let error = found.error(cleaned.stored_vertex(vertex), cleaned.stored_cell(cell));
    let (What::Coefficient(name, _), Error::Numerical { what, remedy }) = (found.what, &error)
    else {
        return error;
    };
    let written = expressions(config.evolve.as_ref(), name);
    let is_broken = |e: &&&Expression| !value_at(cleaned, e, vertex, found.time).is_finite();
    match written.iter().find(is_broken).or(written.first()) {
        None => error,
        Some(expression) => {
            let flaw = at_vertex(cleaned, expression, vertex, found.time, what, remedy);
            Error::Numerical { what: flaw.to_string(), remedy: String::new() }
        }
    }
}
