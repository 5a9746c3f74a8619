//! Progress and cancellation of a facade call.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::parallel::interruptible;
use crate::run::{Observer, Progress};

/// Progress and cancellation of a call. By default, nothing is reported, and nothing cancels the
/// call.
///
/// Copies share the flag and the observer.
///
/// ```
/// use std::sync::{Arc, atomic::AtomicBool};
/// use zeroset::{Error, Source, api::Control, api::DistanceOptions};
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let stop = Arc::new(AtomicBool::new(true)); // usually set by another thread
/// let options = DistanceOptions::default().control(Control::default().interrupt(stop));
/// let canceled = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options);
/// assert!(matches!(canceled, Err(Error::Interrupted)));
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Control {
    /// A flag that cancels the call when it becomes true. The call then returns
    /// [`Error::Interrupted`](crate::Error::Interrupted) at its next stage.
    pub interrupt: Arc<AtomicBool>,
    /// The receiver of the progress.
    pub observer: Option<Arc<dyn Observer + Send + Sync>>,
}

impl Control {
    /// Sets the flag that cancels the call.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = flag;
        self
    }

    /// Returns an error if the call is canceled.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] if the flag is set.
    pub fn check(&self) -> Result<()> {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }

    /// Runs `work` until the flag is set: its parallel loops on the CPU then end, usually within
    /// some milliseconds. With this function, calls without a `Control` can be canceled, too.
    ///
    /// The calling thread and those of the loops unwind, so the program must not be compiled with
    /// `panic = "abort"`. `work` should make new values only: values that it changes may be left
    /// incomplete.
    ///
    /// # Errors
    /// Returns the error of `work`, or [`Error::Interrupted`] if the flag ended a loop.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// use zeroset::{api::Control, config::Device, point_distance::Edt};
    /// let stop = Arc::new(AtomicBool::new(true)); // usually set by another thread
    /// let control = Control::default().interrupt(stop);
    /// let (kind, device) = (Edt::default(), Device::default());
    /// let canceled = control.interruptible(|| zeroset::edt(&[true; 8], [2; 3], &kind, &device));
    /// assert!(matches!(canceled, Err(zeroset::Error::Interrupted)));
    /// ```
    pub fn interruptible<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        interruptible(&self.interrupt, work)?
    }

    /// Sets the receiver of the progress.
    pub fn observer(mut self, observer: Arc<dyn Observer + Send + Sync>) -> Self {
        self.observer = Some(observer);
        self
    }
}

impl Observer for Control {
    fn stage(&self, name: &str) {
        if let Some(observer) = &self.observer {
            observer.stage(name);
        }
    }

    fn step(&self, progress: &Progress) {
        if let Some(observer) = &self.observer {
            observer.step(progress);
        }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observer = self.observer.as_ref().map(|_| "..");
        f.debug_struct("Control")
            .field("interrupt", &self.interrupt)
            .field("observer", &observer)
            .finish()
    }
}
