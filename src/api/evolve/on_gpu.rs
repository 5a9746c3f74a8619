//! Motions whose phi and terms are arrays on the GPU.

use std::ops::Deref;

use super::case::{Case, GIVEN_PHI};
use super::{Evolution, EvolveOptions, Terms, Velocity};
use crate::api::{Mesh, Subject, Values};
use crate::error::{Error, Result};
use crate::gpu::primitives::Examined;
use crate::levelset::evolution::cuda::Rows;
use crate::output::Report;
use crate::run::evolve::stepping::Stepping;

/// Terms that are arrays on the GPU of a motion: addresses of `f64` arrays with a row for each
/// vertex of the file. They have the units of [`Terms`].
///
/// ```
/// use zeroset::api::DeviceTerms;
/// let mut arrays = DeviceTerms::default();
/// arrays.normal_speed = Some(0x7f00_0000_0000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceTerms {
    /// The velocity, three numbers per vertex.
    pub velocity: Option<u64>,
    /// The normal speed.
    pub normal_speed: Option<u64>,
    /// The curvature coefficient, at least 0.
    pub curvature: Option<u64>,
    /// The weight of the weighted curvature flow, at least 0.
    pub weighted_curvature: Option<u64>,
}

impl DeviceTerms {
    /// Returns the arrays with their names and their rows.
    fn named(&self) -> [(&'static str, Rows, Option<u64>); 4] {
        [
            ("velocity", Rows::Velocity, self.velocity),
            ("normal_speed", Rows::NormalSpeed, self.normal_speed),
            ("curvature", Rows::Curvature, self.curvature),
            ("weighted_curvature", Rows::Curvature, self.weighted_curvature),
        ]
    }

    /// Returns the terms with placeholders for the arrays: the solver then has rows for them.
    fn within(&self, terms: &Terms, n: usize) -> Terms {
        let mut terms = terms.clone();
        let ones = || Some(Values::PerVertex(vec![1.0; n]));
        if self.velocity.is_some() {
            terms.velocity = Some(Velocity::PerVertex(vec![[1.0, 0.0, 0.0]; n]));
        }
        if self.normal_speed.is_some() {
            terms.normal_speed = ones();
        }
        if self.curvature.is_some() {
            terms.curvature = ones();
        }
        if self.weighted_curvature.is_some() {
            terms.weighted_curvature = ones();
        }
        terms
    }
}

/// The terms that a solver was set up for. Another call with the same pattern only replaces arrays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// The terms without the arrays on the GPU.
    terms: Terms,
    /// Which terms are arrays on the GPU.
    on_gpu: [bool; 4],
    cfl: Option<f64>,
    max_step: Option<f64>,
    /// The time at which expressions that do not depend on time are evaluated.
    start_time: Option<f64>,
}

/// Begins a motion as [`begin`](super::begin) does. `phi` is the address of an `f64` array on the
/// GPU of the mesh, with a number for each vertex of the file. Only its zero set matters. The work
/// that is now in `stream` is waited for.
///
/// ```no_run
/// use zeroset::api::{DeviceTerms, EvolveOptions, begin_between};
/// use zeroset::Terms;
/// # let (phi, speed, result, stream) = (0_u64, 0_u64, 0_u64, 0_u64);
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?.on_gpu(0);
/// // SAFETY: phi, speed and result are addresses of arrays of other libraries on GPU 0, with a
/// // number for each vertex. Work on them is in the stream.
/// unsafe {
///     let mut motion = begin_between(&mesh, phi, stream, EvolveOptions::default())?;
///     let mut arrays = DeviceTerms::default();
///     arrays.normal_speed = Some(speed);
///     let options = EvolveOptions::default().max_steps(1);
///     motion.continue_between(&Terms::default(), arrays, stream, options)?;
///     motion.advance()?;
///     motion.phi_to(result, stream)?;
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`begin`](super::begin), and [`Error::Case`] if the CPU computes the
/// motion, or if phi differs at vertices that were joined.
///
/// # Safety
/// `stream` must be the handle of a stream of the primary context of the GPU, 0 for the legacy
/// default stream. The array must lie in the memory of this context and have the stated size. No
/// work outside the stream may change it before the call returns.
pub unsafe fn begin_between<M: Deref<Target = Mesh>>(
    mesh: M,
    phi: u64,
    stream: u64,
    options: EvolveOptions,
) -> Result<Evolution<M>> {
    let EvolveOptions { cfl, start_time, mask, control, .. } = options;
    let time = start_time.unwrap_or(0.0);
    let paused = EvolveOptions::paused(time);
    let options = EvolveOptions { cfl, start_time, mask, control, ..paused };
    let case = Case::without_phi(options.clone());
    let setup = case.setup(&mesh, &Terms::default().normal_speed(0.0))?;
    let mut report = Report::new(&setup.config, mesh.cpu()?.threads());
    let of_mesh = setup.cleaned.warnings.len();
    let stepping = Stepping::without_phi(setup, time, &mut report)?;
    let warnings = report.warnings;
    let subjects = Subject::of_task(&mesh, of_mesh, warnings.len());
    let mut motion =
        Evolution { mesh, stepping, case, has_failed: false, pattern: None, warnings, subjects };
    // SAFETY: the caller guarantees the array and the stream.
    unsafe { motion.begin_again(phi, stream, options) }?;
    Ok(motion)
}

impl<M: Deref<Target = Mesh>> Evolution<M> {
    /// Returns the index of the GPU that computes the motion, or `None` if the CPU does.
    pub fn gpu(&mut self) -> Option<u32> {
        self.stepping.gpu()
    }

    /// Replaces phi as [`Evolution::set_phi`] does, by an array on the GPU.
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::set_phi`] and [`begin_between`].
    ///
    /// # Safety
    /// See [`begin_between`].
    pub unsafe fn set_phi_between(&mut self, phi: u64, stream: u64) -> Result<()> {
        let time = self.stepping.time();
        let old = &self.case.options;
        let (cfl, mask, control) = (old.cfl, old.mask.clone(), old.control.clone());
        let paused = EvolveOptions::paused(time);
        let options = EvolveOptions { start_time: Some(time), cfl, mask, control, ..paused };
        // SAFETY: the caller guarantees the array and the stream.
        unsafe { self.begin_again(phi, stream, options) }
    }

    /// Begins at the current time with the phi of an array.
    unsafe fn begin_again(&mut self, phi: u64, stream: u64, options: EvolveOptions) -> Result<()> {
        // SAFETY: the caller guarantees the array and the stream.
        let found = unsafe {
            self.stepping.wait_for(stream)?;
            self.stepping.examine(phi, 1)
        }?;
        refuse("phi", &found)?;
        if found.negative.is_none() || found.not_negative.is_none() {
            let side = if found.negative.is_none() { "outside" } else { "inside" };
            let (low, high) = self.stepping.setup().cleaned.mesh.bounds();
            return Err(Error::usage(
                format!("the whole mesh is {side} phi, so there is no interface"),
                format!("the mesh reaches from {low:?} to {high:?}; place the shape across it"),
            ));
        }
        let case = Case::without_phi(options);
        let config = case.rescheduled(&self.stepping.setup().config)?;
        // SAFETY: the caller guarantees the array.
        unsafe { self.stepping.read_phi(phi, config) }?;
        self.case = case;
        self.has_failed = false;
        Ok(())
    }

    /// Continues as [`Evolution::continue_with`] does. `arrays` are terms in addition to `terms`.
    /// If the terms and the arrays are of the same kind as in the last call, the solver keeps its
    /// memory and its kernels.
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::continue_with`] and [`begin_between`].
    ///
    /// # Safety
    /// See [`begin_between`].
    pub unsafe fn continue_between(
        &mut self,
        terms: &Terms,
        arrays: DeviceTerms,
        stream: u64,
        options: EvolveOptions,
    ) -> Result<()> {
        let old = &self.case.options;
        let (start_time, mask) = (old.start_time, old.mask.clone());
        let options = EvolveOptions { start_time, mask, ..options };
        let (initial, phi) = (self.case.initial.clone(), self.case.phi.clone());
        let case = Case { initial, phi, options };
        // SAFETY: the caller guarantees the arrays and the stream.
        unsafe { self.replace(terms, arrays, stream, &case) }?;
        self.stepping.set_schedule();
        self.case = case;
        self.has_failed = false;
        Ok(())
    }

    /// Replaces the terms as [`Evolution::set_terms`] does, see [`Evolution::continue_between`].
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::set_terms`] and [`begin_between`].
    ///
    /// # Safety
    /// See [`begin_between`].
    pub unsafe fn set_terms_between(
        &mut self,
        terms: &Terms,
        arrays: DeviceTerms,
        stream: u64,
    ) -> Result<()> {
        let Case { initial, phi, options } = &self.case;
        let (initial, phi, options) = (initial.clone(), phi.clone(), options.clone());
        // SAFETY: the caller guarantees the arrays and the stream.
        unsafe { self.replace(terms, arrays, stream, &Case { initial, phi, options }) }
    }

    /// Copies phi to an array on the GPU, after the work that is now in `stream`, and waits. `phi`
    /// is the address of a number, `f64`, for each vertex of the file. NaN at vertices without a
    /// cell.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the CPU computes the motion, and [`Error::Device`] if the GPU
    /// fails.
    ///
    /// # Safety
    /// The array must lie in the memory of the primary context of the GPU. No work outside the
    /// stream may use it.
    pub unsafe fn phi_to(&mut self, phi: u64, stream: u64) -> Result<()> {
        // SAFETY: the caller guarantees the array and the stream.
        unsafe {
            self.stepping.wait_for(stream)?;
            self.stepping.write_phi(phi)
        }
    }

    /// Copies the gradient to an array on the GPU, after the work that is now in `stream`, and
    /// waits. `gradient` is the address of three numbers, `f64`, for each vertex of the file. NaN
    /// at vertices without a cell.
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::phi_to`].
    ///
    /// # Safety
    /// See [`Evolution::phi_to`].
    pub unsafe fn gradient_to(&mut self, gradient: u64, stream: u64) -> Result<()> {
        // SAFETY: the caller guarantees the array and the stream.
        unsafe {
            self.stepping.wait_for(stream)?;
            self.stepping.write_gradient(gradient)
        }
    }

    /// Returns the array that phi began with, if it was on the GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn given_phi(&mut self) -> Result<Option<Vec<f64>>> {
        self.stepping.given_phi()
    }

    /// Sets the array of phi of the case, which checkpoints refer to, if it is only on the GPU.
    pub(super) fn hold_phi(&mut self) -> Result<()> {
        if self.case.phi.is_none()
            && let Some(given) = self.stepping.given_phi()?
        {
            let array = self.mesh.vertex_array(GIVEN_PHI, given)?;
            self.stepping.set_vertex_array(array.clone());
            self.case.phi = Some(array);
        }
        Ok(())
    }

    /// Sets terms of which some are arrays on the GPU.
    unsafe fn replace(
        &mut self,
        terms: &Terms,
        arrays: DeviceTerms,
        stream: u64,
        case: &Case,
    ) -> Result<()> {
        // SAFETY: the caller guarantees the stream.
        unsafe { self.stepping.wait_for(stream) }?;
        let mut present = Vec::new();
        let mut named = arrays.named();
        for (name, rows, address) in &mut named {
            let Some(from) = *address else { continue };
            // SAFETY: the caller guarantees the arrays.
            let found = unsafe { self.stepping.examine(from, rows.width()) }?;
            refuse(name, &found)?;
            if let (Rows::Curvature, Some(v)) = (*rows, found.negative) {
                let what = format!(
                    "vertex {v}: {name} is negative, expected 0 or more: negative curvature flow is \
                     ill-posed"
                );
                return Err(Error::usage(what, "change its sign"));
            }
            match found.not_zero {
                Some(_) => present.push((*rows, from)),
                None => *address = None,
            }
        }
        let [velocity, normal_speed, curvature, weighted_curvature] = named.map(|(.., from)| from);
        let arrays = DeviceTerms { velocity, normal_speed, curvature, weighted_curvature };
        let pattern = Pattern {
            terms: terms.clone(),
            on_gpu: named.map(|(.., address)| address.is_some()),
            cfl: case.options.cfl,
            max_step: case.options.max_step,
            start_time: case.options.start_time.filter(|_| has_expressions(terms)),
        };
        if self.pattern.as_ref() == Some(&pattern) {
            let config = case.rescheduled(&self.stepping.setup().config)?;
            self.stepping.set_config(config);
        } else {
            let terms = arrays.within(terms, self.mesh.n_vertices());
            let setup = case.setup(&self.mesh, &terms)?;
            self.pattern = None;
            self.stepping.set_terms(setup)?;
        }
        // SAFETY: the caller guarantees the arrays.
        unsafe { self.stepping.read_rows(&present) }?;
        self.pattern = Some(pattern);
        Ok(())
    }
}

/// Returns an error if numbers are not finite, or if they differ at vertices that were joined.
fn refuse(name: &str, found: &Examined) -> Result<()> {
    if let Some(v) = found.not_finite {
        let what = format!("vertex {v}: {name} is not finite");
        return Err(Error::usage(what, "use finite numbers only"));
    }
    if let Some(v) = found.conflict {
        let what = format!("vertex {v}: {name} differs from that of the vertex it is joined with");
        let remedy = "make the values equal, or keep the vertices apart with weld = \"never\"";
        return Err(Error::usage(what, remedy));
    }
    Ok(())
}

/// Returns whether a term is an expression.
fn has_expressions(terms: &Terms) -> bool {
    let values = [&terms.normal_speed, &terms.curvature, &terms.weighted_curvature];
    matches!(terms.velocity, Some(Velocity::Expressions(_)))
        || values.iter().any(|values| matches!(values, Some(Values::Expression(_))))
}
