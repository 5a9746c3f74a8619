//! Writing the states of a run while its next steps are computed.

use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::motion::State;
use crate::error::{Error, Result};

/// Step and time of each state.
pub(super) type Times = Vec<(u64, f64)>;

/// What is there when it is asked for, and may take its time.
pub(super) type Late<T> = Box<dyn FnOnce() -> Result<T> + Send>;

/// The files of the states of a run.
pub(super) trait Files: Send {
    /// Writes all files of a state.
    fn write(&mut self, state: &State) -> Result<()>;

    /// Step and time of each state written.
    fn written(&self) -> &[(u64, f64)];

    /// Goes on behind the states of a run that stopped early at `step`. Files of later steps stay
    /// until they are written again; those of `step` itself are removed if no state was `due` there.
    fn resume(&mut self, written: Times, step: u64, due: bool) -> Result<()>;

    /// Takes back what was written after these states, the last of them half at `step`.
    fn take_back(&mut self, written: Times, step: u64) -> Result<()> {
        self.resume(written, step, false)
    }

    /// Gives pictures the camera and the colors of a first state that is not drawn now.
    fn settle(&mut self, _first: &State) -> Result<()> {
        Ok(())
    }

    /// Whether [`Files::finish`] draws something.
    fn has_pictures(&self) -> bool;

    /// Draws the last state; nothing is written after it.
    fn finish(&mut self, last: &State) -> Result<()>;
}

/// Writes states on other threads, one state at a time and in their order.
pub(super) struct Writer<'a, 'scope, 'f> {
    scope: &'a rayon::Scope<'scope>,
    files: &'scope Mutex<&'f mut dyn Files>,
    /// Of the states that are wholly there.
    written: Times,
    under_way: Option<UnderWay>,
}

/// A state that is being written.
struct UnderWay {
    answer: Receiver<Result<Times>>,
    /// What came of it, if it was asked for.
    done: Option<Result<Times>>,
}

impl<'a, 'scope, 'f: 'scope> Writer<'a, 'scope, 'f> {
    /// A writer whose work is done by the threads of a scope.
    pub(super) fn new(
        scope: &'a rayon::Scope<'scope>,
        files: &'scope Mutex<&'f mut dyn Files>,
    ) -> Self {
        let written = lock(files).written().to_vec();
        Writer { scope, files, written, under_way: None }
    }

    /// Begins to write a state, as soon as the one before is there.
    ///
    /// # Errors
    /// Those of the state before, as [`Writer::wait`] has them.
    pub(super) fn write(&mut self, state: Late<State>) -> Result<()> {
        self.wait()?;
        let (sender, answer) = channel();
        let files = self.files;
        self.scope.spawn(move |_| {
            let done = state().and_then(|state| {
                let mut files = lock(files);
                files.write(&state).map(|()| files.written().to_vec())
            });
            // Nobody listens where the run has ended by a panic.
            let _ = sender.send(done);
        });
        self.under_way = Some(UnderWay { answer, done: None });
        Ok(())
    }

    /// False while a state is being written.
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

    /// Waits until the state that was handed over last is there.
    ///
    /// # Errors
    /// Those of writing it, once.
    pub(super) fn wait(&mut self) -> Result<()> {
        let Some(UnderWay { answer, done }) = self.under_way.take() else { return Ok(()) };
        let done = done.unwrap_or_else(|| answer.recv().unwrap_or_else(|_| Err(broken())));
        self.written = done?;
        Ok(())
    }

    /// Step and time of each state that is wholly there.
    pub(super) fn written(&self) -> &[(u64, f64)] {
        &self.written
    }

    /// Takes back what was written after these states, the last of them half at `step`; nothing is
    /// being written.
    ///
    /// # Errors
    /// Those of the files.
    pub(super) fn take_back(&mut self, written: Times, step: u64) -> Result<()> {
        lock(self.files).take_back(written.clone(), step)?;
        self.written = written;
        Ok(())
    }
}

/// The files; a panic of the thread that had them ends the run by itself.
fn lock<'m, 'f>(files: &'m Mutex<&'f mut dyn Files>) -> MutexGuard<'m, &'f mut dyn Files> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Of a thread that has panicked: seen by nobody, for the scope panics too.
fn broken() -> Error {
    Error::output(Path::new("states"), "the thread that writes them broke off", "begin again")
}
