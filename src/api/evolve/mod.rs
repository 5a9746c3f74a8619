//! Moving interfaces on a mesh.

mod case;
mod on_gpu;
mod options;
mod terms;

use std::ops::Deref;
use std::path::Path;

use case::Case;
use on_gpu::Pattern;
pub use on_gpu::{DeviceTerms, begin_between};
pub use options::EvolveOptions;
pub use terms::{Phi, Terms, Velocity};

use super::{Control, Mesh, Subject};
use crate::error::Result;
use crate::levelset::eikonal;
use crate::output::{Measures, Report};
use crate::run::evolve::stepping::Stepping;
use crate::run::task::Stages;
use crate::surface::{self, Interface};

/// A state of a moving interface.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// The time, in the unit of the terms.
    pub time: f64,
    /// The number of steps so far.
    pub step: u64,
    /// The level set at each vertex of the file, `[vertices]`, in mesh units. NaN at vertices
    /// without a cell.
    pub phi: Vec<f64>,
    /// The length or area of the interface, the area or volume of the inside, and other measures.
    pub measures: Measures,
}

/// A moving interface: an iterator over its states, from the first to the last.
///
/// The iterator ends after an error.
///
/// `M` is `&Mesh`, or `Arc<Mesh>` for a motion that outlives the caller.
///
/// ```
/// use zeroset::{Terms, api::EvolveOptions};
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let until = |time| EvolveOptions::default().until(time);
/// let growing = Terms::default().normal_speed(1.0);
/// let mut motion = zeroset::evolve_with(&mesh, "z - 20", &growing, until(1.0))?;
/// while let Some(state) = motion.next() {
///     println!("t = {}", state?.time);
/// }
/// motion.continue_with(&Terms::default().curvature(1.0), until(2.0))?;
/// assert_eq!(motion.last().transpose()?.map(|state| state.time), Some(2.0));
/// # Ok::<(), zeroset::Error>(())
/// ```
pub struct Evolution<M> {
    mesh: M,
    stepping: Stepping,
    case: Case,
    has_failed: bool,
    /// The terms that the solver has, if some of them are arrays on its GPU.
    pattern: Option<Pattern>,
    /// Warnings about the mesh and the case, one sentence each.
    pub warnings: Vec<String>,
    /// The subject of each warning, `[warnings]`.
    pub subjects: Vec<Subject>,
}

/// The number of steps of a motion without an end. A checkpoint stores it as a 64-bit integer.
const ENDLESS: u64 = i64::MAX as u64;

/// Moves an interface, and returns its state at the start and after every step.
///
/// The iterator ends if the interface vanishes, and otherwise goes on until the caller stops.
/// [`evolve_with`] ends at a given time.
///
/// ```
/// use zeroset::Terms;
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let phi: Vec<f64> = mesh.stored().vertices.iter().map(|x| x[2] - 20.0).collect();
/// let terms = Terms::default().curvature(1.0);
/// for state in zeroset::evolve(&mesh, &phi, &terms)?.take(3) {
///     let state = state?;
///     println!("t = {}: {} mm long", state.time, state.measures.interface);
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) for terms that cannot be used or that move nothing,
/// [`Error::Mesh`](crate::Error::Mesh) for a mesh that the solver cannot use, and
/// [`Error::Device`](crate::Error::Device) if memory runs out.
pub fn evolve<M: Deref<Target = Mesh>>(
    mesh: M,
    phi: impl Into<Phi>,
    terms: &Terms,
) -> Result<Evolution<M>> {
    let options = EvolveOptions::default().every_steps(1).max_steps(ENDLESS);
    evolve_with(mesh, phi, terms, options)
}

/// Moves an interface like [`evolve`], with options. They must state an end: `until`, `max_steps`
/// or `steady`. Returns the first and the last state, and those between them that `every` or
/// `every_steps` asks for.
///
/// ```
/// use zeroset::Terms;
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let options = zeroset::api::EvolveOptions::default().until(1.0).every(0.5);
/// let terms = Terms::default().curvature(1.0);
/// let states = zeroset::evolve_with(&mesh, "z - 20", &terms, options)?;
/// for state in states {
///     let state = state?;
///     println!("t = {}: {} mm long", state.time, state.measures.interface);
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`evolve`], and [`Error::Case`](crate::Error::Case) for options that
/// cannot be used.
pub fn evolve_with<M: Deref<Target = Mesh>>(
    mesh: M,
    phi: impl Into<Phi>,
    terms: &Terms,
    options: EvolveOptions,
) -> Result<Evolution<M>> {
    let case = Case::new(&mesh, phi.into(), options)?;
    let setup = case.setup(&mesh, terms)?;
    let mut report = Report::new(&setup.config, mesh.cpu()?.threads());
    let of_mesh = setup.cleaned.warnings.len();
    let stepping = Stepping::new(setup, &mut report)?;
    let warnings = report.warnings;
    let subjects = Subject::of_task(&mesh, of_mesh, warnings.len());
    Ok(Evolution { mesh, stepping, case, has_failed: false, pattern: None, warnings, subjects })
}

/// Begins a motion that pauses at its start until [`Evolution::continue_with`] sets its terms and
/// its end. Of the options, only `cfl`, `start_time`, `mask` and `control` are used.
///
/// ```
/// use zeroset::{Terms, api::EvolveOptions};
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let mut motion = zeroset::begin(&mesh, "z - 20", EvolveOptions::default())?;
/// for k in 1..=3 {
///     let speed = 1.0 / motion.state()?.measures.interface; // depends on the state
///     let options = EvolveOptions::default().until(0.1 * f64::from(k));
///     motion.continue_with(&Terms::default().normal_speed(speed), options)?;
///     motion.by_ref().try_for_each(|state| state.map(drop))?;
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`evolve`].
pub fn begin<M: Deref<Target = Mesh>>(
    mesh: M,
    phi: impl Into<Phi>,
    options: EvolveOptions,
) -> Result<Evolution<M>> {
    let EvolveOptions { cfl, start_time, mask, control, .. } = options;
    let paused = EvolveOptions::paused(start_time.unwrap_or(0.0));
    let options = EvolveOptions { cfl, start_time, mask, control, ..paused };
    evolve_with(mesh, phi, &Terms::default().normal_speed(0.0), options)
}

impl<M: Deref<Target = Mesh>> Evolution<M> {
    /// Continues with other terms from the current state, to the end that was set before.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for terms that cannot be used.
    pub fn set_terms(&mut self, terms: &Terms) -> Result<()> {
        let setup = self.case.setup(&self.mesh, terms)?;
        self.pattern = None;
        self.stepping.set_terms(setup)
    }

    /// Continues with other terms and options from the current state, even after an error such as
    /// an interruption. Times and steps are still counted from the beginning of the motion, and
    /// `start_time` and `mask` stay as they were.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for terms and options that cannot be used.
    pub fn continue_with(&mut self, terms: &Terms, options: EvolveOptions) -> Result<()> {
        let old = &self.case.options;
        let (start_time, mask) = (old.start_time, old.mask.clone());
        let options = EvolveOptions { start_time, mask, ..options };
        let (initial, phi) = (self.case.initial.clone(), self.case.phi.clone());
        let case = Case { initial, phi, options };
        let setup = case.setup(&self.mesh, terms)?;
        self.pattern = None;
        self.stepping.set_terms(setup)?;
        self.stepping.set_schedule();
        self.case = case;
        self.has_failed = false;
        Ok(())
    }

    /// Replaces the level set at the current time. The motion then pauses until
    /// [`Evolution::continue_with`] sets its terms and its end.
    ///
    /// # Errors
    /// Returns the errors of [`evolve`].
    pub fn set_phi(&mut self, phi: impl Into<Phi>) -> Result<()> {
        let (time, steps) = (self.stepping.time(), self.stepping.steps());
        let old = &self.case.options;
        let (cfl, mask, control) = (old.cfl, old.mask.clone(), old.control.clone());
        let options = EvolveOptions {
            start_time: Some(time),
            cfl,
            mask,
            control,
            ..EvolveOptions::paused(time)
        };
        let case = Case::new(&self.mesh, phi.into(), options)?;
        let setup = case.setup(&self.mesh, &Terms::default().normal_speed(0.0))?;
        let mut report = Report::new(&setup.config, self.mesh.cpu()?.threads());
        let of_mesh = setup.cleaned.warnings.len();
        self.stepping = Stepping::new(setup, &mut report)?.after(steps);
        self.pattern = None;
        self.case = case;
        self.has_failed = false;
        self.subjects.extend(Subject::of_task(&self.mesh, of_mesh, report.warnings.len()));
        self.warnings.append(&mut report.warnings);
        Ok(())
    }

    /// Writes a checkpoint of the current state, from which [`Evolution::resume`] continues with
    /// bitwise identical results. Replaces the file if it exists.
    ///
    /// # Errors
    /// Returns [`Error::Output`](crate::Error::Output) if the file cannot be written, and
    /// [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn write_checkpoint(&mut self, path: impl AsRef<Path>) -> Result<()> {
        self.hold_phi()?;
        self.stepping.checkpoint()?.write(path.as_ref())
    }

    /// Continues from a checkpoint that [`Evolution::write_checkpoint`] has written, possibly in
    /// another process. The next state is the one after the checkpoint.
    ///
    /// This motion must have the mesh, phi, terms and options that the other motion had when it
    /// wrote the checkpoint. A motion of [`begin`] needs only the same mesh, phi, `start_time` and
    /// `mask`: [`Evolution::continue_with`] then sets its terms and its end.
    ///
    /// ```
    /// use zeroset::Terms;
    /// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
    /// let file = std::env::temp_dir().join(format!("zeroset-doc-{}", std::process::id()));
    /// let terms = Terms::default().curvature(1.0);
    /// let mut whole = zeroset::evolve(&mesh, "z - 20", &terms)?;
    /// whole.nth(2).transpose()?;
    /// whole.write_checkpoint(&file)?;
    /// let mut resumed = zeroset::evolve(&mesh, "z - 20", &terms)?;
    /// resumed.resume(&file)?;
    /// assert_eq!(resumed.next().transpose()?, whole.next().transpose()?);
    /// # std::fs::remove_file(file).map_err(|e| zeroset::Error::usage(e.to_string(), ""))?;
    /// # Ok::<(), zeroset::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Input`](crate::Error::Input) for a file that is not a complete checkpoint,
    /// [`Error::Case`](crate::Error::Case) or [`Error::Mesh`](crate::Error::Mesh) if the case or
    /// the mesh is another one, and [`Error::Device`](crate::Error::Device) if the GPU fails or
    /// memory runs out.
    pub fn resume(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let is_paused = self.case.options.is_paused();
        self.hold_phi()?;
        self.pattern = None;
        let warning = self.stepping.resume(path.as_ref(), is_paused)?;
        self.subjects.extend(warning.iter().map(|_| Subject::File));
        self.warnings.extend(warning);
        self.has_failed = false;
        Ok(())
    }

    /// Returns the current state.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn state(&mut self) -> Result<State> {
        let measures = self.stepping.measures()?;
        self.stored(measures)
    }

    /// Returns the gradient of the current level set at each vertex of the file, `[vertices]`. It
    /// has no unit. NaN at vertices without a cell.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn gradient(&mut self) -> Result<Vec<[f64; 3]>> {
        let phi = self.stepping.phi()?;
        let cleaned = &self.stepping.setup().cleaned;
        let gradient = self.mesh.cpu()?.run(|| eikonal::gradient(&cleaned.mesh, &phi));
        Ok(cleaned.as_stored(&gradient.vertices, [f64::NAN; 3]))
    }

    /// Returns the current interface. Its edges and parents refer to the cleaned mesh.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn interface(&mut self) -> Result<Interface> {
        let phi = self.stepping.phi()?;
        Ok(surface::extract(&self.stepping.setup().cleaned.mesh, &phi))
    }

    /// Sets how the computation of the next states reports its progress and is canceled.
    pub fn set_control(&mut self, control: &Control) {
        self.case.options.control = control.clone();
    }

    /// Returns the current time, in the unit of the terms.
    pub fn time(&self) -> f64 {
        self.stepping.time()
    }

    /// Returns the number of steps so far.
    pub fn steps(&self) -> u64 {
        self.stepping.steps()
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &M {
        &self.mesh
    }

    /// Returns a state that refers to the vertices of the file.
    fn stored(&mut self, measures: Measures) -> Result<State> {
        let phi = self.stepping.phi()?;
        let phi = self.stepping.setup().cleaned.as_stored(&phi, f64::NAN);
        Ok(State { time: measures.time, step: measures.step, phi, measures })
    }

    /// Moves to the next state and returns its measures. [`Evolution::next`] also copies phi to the
    /// host. Returns `None` after the last state.
    ///
    /// # Errors
    /// Returns the errors of a step. The next call then returns `None`.
    pub fn advance(&mut self) -> Result<Option<Measures>> {
        if self.has_failed {
            return Ok(None);
        }
        let control = &self.case.options.control;
        let found = self.stepping.next(&Stages::new(control, &control.interrupt));
        self.has_failed = found.is_err();
        found
    }

    /// Returns the measures of the current state.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn measures(&mut self) -> Result<Measures> {
        self.stepping.measures()
    }

    /// Returns the reason why the motion ended, or `None` if it has not ended: "`end_time`
    /// reached", "`max_steps` done", "steady state" or "interface gone".
    pub fn ended_by(&self) -> Option<&'static str> {
        self.stepping.ended_by()
    }
}

impl<M: Deref<Target = Mesh>> Iterator for Evolution<M> {
    type Item = Result<State>;

    fn next(&mut self) -> Option<Result<State>> {
        match self.advance() {
            Ok(found) => found.map(|measures| self.stored(measures)),
            Err(error) => Some(Err(error)),
        }
    }
}
