//! A moving interface.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroset::Terms;
use zeroset::api::{
    Control, DeviceTerms, Evolution, EvolveOptions, Phi, Velocity, begin, begin_between,
};
use zeroset::output::Measures;

use crate::arrays::{Table, list, points, rows, table};
use crate::mesh::{Mesh, PyValues};
use crate::options::{OfEvolution, parse};
use crate::warnings::{Told, told};
use crate::work;

/// The initial level set: an expression or an array.
#[derive(FromPyObject)]
enum PyPhi<'py> {
    Text(String),
    Array(PyReadonlyArray1<'py, f64>),
}

impl PyPhi<'_> {
    fn phi(&self) -> PyResult<Phi> {
        Ok(match self {
            PyPhi::Text(text) => Phi::Expression(text.clone()),
            PyPhi::Array(array) => Phi::PerVertex(array.as_slice()?.to_vec()),
        })
    }
}

/// A velocity: three numbers, three expressions, or an array of shape (n, 3).
#[derive(FromPyObject)]
enum PyVelocity<'py> {
    Constant((f64, f64, f64)),
    Expressions((String, String, String)),
    Array(PyReadonlyArray2<'py, f64>),
}

/// The terms of a motion.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PyTerms<'py> {
    velocity: Option<PyVelocity<'py>>,
    normal_speed: Option<PyValues<'py>>,
    curvature: Option<PyValues<'py>>,
    weighted_curvature: Option<PyValues<'py>>,
}

impl PyTerms<'_> {
    fn terms(&self, mesh: &zeroset::Mesh) -> PyResult<Terms> {
        let mut terms = Terms::default();
        terms.velocity = match &self.velocity {
            None => None,
            Some(PyVelocity::Constant((x, y, z))) => Some(Velocity::Constant([*x, *y, *z])),
            Some(PyVelocity::Expressions((x, y, z))) => {
                Some(Velocity::Expressions([x.clone(), y.clone(), z.clone()]))
            }
            Some(PyVelocity::Array(array)) => Some(Velocity::PerVertex(points(array)?)),
        };
        let of = |values: &Option<PyValues<'_>>| {
            values.as_ref().map(|values| values.values(mesh)).transpose()
        };
        terms.normal_speed = of(&self.normal_speed)?;
        terms.curvature = of(&self.curvature)?;
        terms.weighted_curvature = of(&self.weighted_curvature)?;
        Ok(terms)
    }
}

/// Terms that are arrays on the GPU of a motion, by their addresses.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PyAddresses {
    velocity: Option<u64>,
    normal_speed: Option<u64>,
    curvature: Option<u64>,
    weighted_curvature: Option<u64>,
}

impl PyAddresses {
    fn arrays(&self) -> DeviceTerms {
        let mut arrays = DeviceTerms::default();
        (arrays.velocity, arrays.normal_speed) = (self.velocity, self.normal_speed);
        arrays.curvature = self.curvature;
        arrays.weighted_curvature = self.weighted_curvature;
        arrays
    }
}

/// A moving interface. It belongs to the process that began it.
#[pyclass(frozen, module = "zeroset._native")]
pub struct LevelSet {
    process: u32,
    evolution: Mutex<Evolution<Arc<zeroset::Mesh>>>,
}

/// Returns the parts of a state that Python needs. phi is `None` if it stays on the GPU.
fn state<'py>(py: Python<'py>, m: Measures, phi: Option<Vec<f64>>) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("time", m.time)?;
    found.set_item("step", m.step)?;
    found.set_item("dt", m.dt)?;
    found.set_item("phi", phi.map(|phi| list(py, phi)))?;
    found.set_item("interface", m.interface)?;
    found.set_item("enclosed", m.enclosed)?;
    found.set_item("components", m.components)?;
    found.set_item("euler_number", m.euler_number)?;
    Ok(found)
}

/// Returns the options of a motion with the progress and the flag of a call.
fn with(mut options: EvolveOptions, control: &Control) -> EvolveOptions {
    options.control = control.clone();
    options
}

impl LevelSet {
    /// Runs `work` on the motion.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<&Py<PyAny>>,
        work: impl FnOnce(&mut Evolution<Arc<zeroset::Mesh>>, &Control) -> zeroset::Result<T> + Send,
    ) -> PyResult<T> {
        if std::process::id() != self.process {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "this level set began in another process, before a fork; begin it in this process, \
                 or use the start method \"spawn\" of multiprocessing",
            ));
        }
        work::run_to_a_stop(py, progress, |control| {
            let mut evolution = self.evolution.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut evolution, control)
        })
    }

    fn mesh(&self, py: Python<'_>) -> PyResult<Arc<zeroset::Mesh>> {
        self.with(py, None, |evolution, _| Ok(evolution.mesh().clone()))
    }
}

#[pymethods]
impl LevelSet {
    /// Begins a motion that has not moved yet.
    #[new]
    fn new(py: Python<'_>, mesh: &Mesh, phi: PyPhi<'_>, options: &str) -> PyResult<Self> {
        let (mesh, phi) = (mesh.shared(), phi.phi()?);
        let options = parse::<OfEvolution>(options)?.options();
        let evolution = work::run(py, None, |control| begin(mesh, phi, with(options, control)))?;
        Ok(LevelSet { process: std::process::id(), evolution: Mutex::new(evolution) })
    }

    /// Begins a motion whose phi is an array on the GPU of the mesh, after the work in a stream.
    #[staticmethod]
    fn between(
        py: Python<'_>,
        mesh: &Mesh,
        phi: u64,
        stream: u64,
        options: &str,
    ) -> PyResult<Self> {
        let mesh = mesh.shared();
        let options = parse::<OfEvolution>(options)?.options();
        let evolution = work::run(py, None, |control| {
            // SAFETY: The package passes an array of this size, which PyTorch or CuPy keep in the
            // primary context, and their current stream.
            unsafe { begin_between(mesh, phi, stream, with(options, control)) }
        })?;
        Ok(LevelSet { process: std::process::id(), evolution: Mutex::new(evolution) })
    }

    /// Returns the number of the GPU whose arrays can be used, or `None`.
    fn gpu(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        self.with(py, None, |evolution, _| Ok(evolution.gpu()))
    }

    /// Sets the terms as [`LevelSet::continue_with`] does. Some of them are arrays on the GPU.
    fn continue_between(
        &self,
        py: Python<'_>,
        terms: PyTerms<'_>,
        arrays: PyAddresses,
        stream: u64,
        options: &str,
    ) -> PyResult<()> {
        let (terms, arrays) = (terms.terms(&*self.mesh(py)?)?, arrays.arrays());
        let options = parse::<OfEvolution>(options)?.options();
        self.with(py, None, |evolution, control| {
            // SAFETY: The package passes arrays of these sizes, which PyTorch or CuPy keep in the
            // primary context, and their current stream.
            unsafe { evolution.continue_between(&terms, arrays, stream, with(options, control)) }
        })
    }

    /// Replaces the terms as [`LevelSet::set_terms`] does. Some of them are arrays on the GPU.
    fn set_terms_between(
        &self,
        py: Python<'_>,
        terms: PyTerms<'_>,
        arrays: PyAddresses,
        stream: u64,
    ) -> PyResult<()> {
        let (terms, arrays) = (terms.terms(&*self.mesh(py)?)?, arrays.arrays());
        self.with(py, None, |evolution, _| {
            // SAFETY: See `continue_between`.
            unsafe { evolution.set_terms_between(&terms, arrays, stream) }
        })
    }

    /// Replaces the level set at the current time by an array on the GPU.
    fn set_phi_between(&self, py: Python<'_>, phi: u64, stream: u64) -> PyResult<()> {
        self.with(py, None, |evolution, _| {
            // SAFETY: See `continue_between`.
            unsafe { evolution.set_phi_between(phi, stream) }
        })
    }

    /// Copies phi to an array on the GPU.
    fn phi_to(&self, py: Python<'_>, phi: u64, stream: u64) -> PyResult<()> {
        self.with(py, None, |evolution, _| {
            // SAFETY: The package passes a new array of this size.
            unsafe { evolution.phi_to(phi, stream) }
        })
    }

    /// Copies the gradient to an array on the GPU.
    fn gradient_to(&self, py: Python<'_>, gradient: u64, stream: u64) -> PyResult<()> {
        self.with(py, None, |evolution, _| {
            // SAFETY: The package passes a new array of this size.
            unsafe { evolution.gradient_to(gradient, stream) }
        })
    }

    /// Returns the array on the GPU that phi began with, or `None` if it was not on the GPU.
    fn given_phi<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let found = self.with(py, None, |evolution, _| evolution.given_phi())?;
        Ok(found.map(|phi| list(py, phi)))
    }

    /// Sets the terms and the options of the next states.
    fn continue_with(&self, py: Python<'_>, terms: PyTerms<'_>, options: &str) -> PyResult<()> {
        let terms = terms.terms(&*self.mesh(py)?)?;
        let options = parse::<OfEvolution>(options)?.options();
        self.with(py, None, |evolution, control| {
            evolution.continue_with(&terms, with(options, control))
        })
    }

    /// Moves to the next state, and returns it, with or without phi. Returns `None` after the last
    /// one.
    fn advance<'py>(
        &self,
        py: Python<'py>,
        progress: Option<Py<PyAny>>,
        with_phi: bool,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let found = self.with(py, progress.as_ref(), |evolution, control| {
            evolution.set_control(control);
            match with_phi {
                true => Ok(evolution.next().transpose()?.map(|s| (s.measures, Some(s.phi)))),
                false => Ok(evolution.advance()?.map(|measures| (measures, None))),
            }
        })?;
        found.map(|(measures, phi)| state(py, measures, phi)).transpose()
    }

    /// Replaces the level set at the current time.
    fn set_phi(&self, py: Python<'_>, phi: PyPhi<'_>) -> PyResult<()> {
        let phi = phi.phi()?;
        self.with(py, None, |evolution, _| evolution.set_phi(phi))
    }

    /// Sets the terms of the next steps, until the end that was set before.
    fn set_terms(&self, py: Python<'_>, terms: PyTerms<'_>) -> PyResult<()> {
        let terms = terms.terms(&*self.mesh(py)?)?;
        self.with(py, None, |evolution, _| evolution.set_terms(&terms))
    }

    /// Writes a checkpoint.
    fn write_checkpoint(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.with(py, None, |evolution, _| evolution.write_checkpoint(&path))
    }

    /// Continues from a checkpoint.
    fn resume(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.with(py, None, |evolution, _| evolution.resume(&path))
    }

    /// Returns the current state, with or without phi.
    fn state<'py>(&self, py: Python<'py>, with_phi: bool) -> PyResult<Bound<'py, PyDict>> {
        let (measures, phi) = self.with(py, None, |evolution, _| match with_phi {
            true => evolution.state().map(|state| (state.measures, Some(state.phi))),
            false => evolution.measures().map(|measures| (measures, None)),
        })?;
        state(py, measures, phi)
    }

    /// Returns the current time and the number of steps so far.
    fn clock(&self, py: Python<'_>) -> PyResult<(f64, u64)> {
        self.with(py, None, |evolution, _| Ok((evolution.time(), evolution.steps())))
    }

    /// Returns the gradient of the current level set, of shape (n, 3).
    fn gradient<'py>(&self, py: Python<'py>) -> PyResult<Table<'py, f64>> {
        rows(py, self.with(py, None, |evolution, _| evolution.gradient())?)
    }

    /// Returns the interface: points of shape (n, 3), and segments or triangles.
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<(Table<'py, f64>, Table<'py, u32>)> {
        let found = self.with(py, None, |evolution, _| evolution.interface())?;
        Ok((rows(py, found.vertices)?, table(py, found.cells, found.arity)?))
    }

    /// Returns the reason why the motion ended, or `None`.
    fn ended_by(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.with(py, None, |evolution, _| Ok(evolution.ended_by()))
    }

    /// Returns the warnings so far.
    fn warnings(&self, py: Python<'_>) -> PyResult<Told> {
        self.with(py, None, |evolution, _| {
            Ok(told(&evolution.subjects, evolution.warnings.clone()))
        })
    }
}
