//! Writing the states of a run while the next steps are computed.

use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::motion::State;
use crate::error::{Error, Result};
use crate::parallel::uninterrupted;

/// Step and time of each state.
pub(super) type Times = Vec<(u64, f64)>;

/// A function that returns a value. The call may have to wait for the value.
pub(super) type Late<T> = Box<dyn FnOnce() -> Result<T> + Send>;

/// The files of the states of a run.
pub(super) trait Files: Send {
    /// Writes all files of a state.
    fn write(&mut self, state: &State) -> Result<()>;

    /// Returns the step and time of each written state.
    fn written(&self) -> &[(u64, f64)];

    /// Continues after the states `written` of a run that was interrupted at `step`.
    ///
    /// Files of later steps stay until they are overwritten. Files of `step` itself are removed if
    /// no state was `due` there.
    fn resume(&mut self, written: Times, step: u64, due: bool) -> Result<()>;

    /// Removes everything that was written after the states `written`. The state of `step` may be
    /// incomplete.
    fn take_back(&mut self, written: Times, step: u64) -> Result<()> {
        self.resume(written, step, false)
    }

    /// Sets the camera and the colors of pictures from the first state, which is not drawn now.
    fn settle(&mut self, _first: &State) -> Result<()> {
        Ok(())
    }

    /// Returns whether [`Files::finish`] may draw a picture.
    fn has_pictures(&self) -> bool;

    /// Draws the last state, if the case requests a picture of it. No state is written afterwards.
    fn finish(&mut self, last: &State) -> Result<()>;
}

/// A writer of states that works on other threads. It writes one state at a time, in order.
pub(super) struct Writer<'a, 'scope, 'f> {
    scope: &'a rayon::Scope<'scope>,
    files: &'scope Mutex<&'f mut dyn Files>,
    /// The states that have been written completely.
    written: Times,
    under_way: Option<UnderWay>,
}

/// A state that is being written.
struct UnderWay {
    answer: Receiver<Result<Times>>,
    /// The result of writing, if it has already been received.
    done: Option<Result<Times>>,
}

impl<'a, 'scope, 'f: 'scope> Writer<'a, 'scope, 'f> {
    /// Creates a writer that works on the threads of a scope.
    pub(super) fn new(
        scope: &'a rayon::Scope<'scope>,
        files: &'scope Mutex<&'f mut dyn Files>,
    ) -> Self {
        let written = lock(files).written().to_vec();
        Writer { scope, files, written, under_way: None }
    }

    /// Starts to write a state after the previous one is complete.
    ///
    /// # Errors
    /// Returns the errors of writing the previous state, like [`Writer::wait`].
    pub(super) fn write(&mut self, state: Late<State>) -> Result<()> {
        self.wait()?;
        let (sender, answer) = channel();
        let files = self.files;
        let write = move || {
            let state = state()?;
            let mut files = lock(files);
            files.write(&state).map(|()| files.written().to_vec())
        };
        self.scope.spawn(move |_| {
            // Nobody receives the result if the run has panicked.
            let _ = sender.send(uninterrupted(write));
        });
        self.under_way = Some(UnderWay { answer, done: None });
        Ok(())
    }

    /// Returns whether no state is being written.
    pub(super) fn is_idle(&mut self) -> bool {
        let Some(UnderWay { answer, done }) = &mut self.under_way else { return true };
        if done.is_none() {
            *done = match answer.try_recv() {
                Ok(found) => Some(found),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Err(broken())),
            };
        }
        done.is_some()
    }

    /// Waits until the last state is written completely.
    ///
    /// # Errors
    /// Returns the errors of writing that state. Each error is returned only once.
    pub(super) fn wait(&mut self) -> Result<()> {
        let Some(UnderWay { answer, done }) = self.under_way.take() else { return Ok(()) };
        let done = done.unwrap_or_else(|| answer.recv().unwrap_or_else(|_| Err(broken())));
        self.written = done?;
        Ok(())
    }

    /// Returns the step and time of each state that has been written completely.
    pub(super) fn written(&self) -> &[(u64, f64)] {
        &self.written
    }

    /// Removes everything that was written after the states `written`. The state of `step` may be
    /// incomplete. No state may be in progress.
    ///
    /// # Errors
    /// Returns the errors of the files.
    pub(super) fn take_back(&mut self, written: Times, step: u64) -> Result<()> {
        lock(self.files).take_back(written.clone(), step)?;
        self.written = written;
        Ok(())
    }
}

/// Locks the files. A poisoned lock is accepted, because the panic that poisoned it ends the run
/// anyway.
fn lock<'m, 'f>(files: &'m Mutex<&'f mut dyn Files>) -> MutexGuard<'m, &'f mut dyn Files> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the error after a panic of the writing thread. Nobody sees this error, because the scope
/// panics, too.
fn broken() -> Error {
    Error::output(Path::new("states"), "the thread that writes them panicked", "begin again")
}
