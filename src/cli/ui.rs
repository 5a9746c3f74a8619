//! Writes results to standard output and everything else to standard error, without disturbing the
//! progress bar.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::MultiProgress;

use super::json;
use super::shortened::shortened;
use crate::error::{Error, Result, shown};

/// The verbosity and the streams of the program.
#[derive(Clone, Debug)]
pub struct Ui {
    verbose: u8,
    quiet: bool,
    json: bool,
    bars: MultiProgress,
    /// The warnings that have been written.
    warned: Arc<Mutex<Vec<String>>>,
}

impl Ui {
    /// Creates a user interface that prints more for a larger `verbose`, and less if `quiet`.
    ///
    /// A quiet user interface prints only results and errors.
    pub fn new(verbose: u8, quiet: bool) -> Self {
        Ui { verbose, quiet, json: false, bars: MultiProgress::new(), warned: Arc::default() }
    }

    /// Sets whether all output is JSON lines.
    pub fn with_json(mut self, json: bool) -> Self {
        self.json = json;
        self
    }

    /// Returns true if all output is JSON lines.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns 0 normally, 1 for stages, 2 for details.
    pub fn verbosity(&self) -> u8 {
        self.verbose
    }

    /// Returns true if only results and errors are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns the progress bars on standard error.
    pub(super) fn bars(&self) -> &MultiProgress {
        &self.bars
    }

    /// Writes results to standard output. A closed pipe is not an error.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if standard output cannot be written.
    pub fn print(&self, text: &str) -> Result<()> {
        let written = self.bars.suspend(|| {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        });
        match written {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                Err(Error::output(Path::new("standard output"), &e, "check where it is redirected")
                    .because(e))
            }
            _ => Ok(()),
        }
    }

    /// Writes a line to standard error, regardless of the verbosity.
    pub fn complain(&self, line: &str) {
        // Names from a file must not move the cursor. A failure here cannot be reported anywhere.
        let line = line.replace(|c: char| c.is_control() && !"\n\t".contains(c), " ");
        // JSON messages are already short.
        let line = if self.json { line.into() } else { shortened(&line) };
        self.bars.suspend(|| drop(writeln!(std::io::stderr(), "{line}")));
    }

    /// Writes a warning to standard error unless quiet or already written.
    ///
    /// A command may examine the same mesh several times, for example when it draws its results.
    pub fn warn(&self, warning: impl Display) {
        let warning = warning.to_string();
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.contains(&warning) {
            return;
        }
        warned.push(warning.clone());
        drop(warned);
        match self.json {
            true => self.say(&json::warning(&warning)),
            false => self.say(&format!("warning: {warning}")),
        }
    }

    /// Returns the warnings so far, even those that a quiet user interface has not written.
    pub fn warnings(&self) -> Vec<String> {
        self.warned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes each warning about a file to standard error unless quiet.
    pub fn warn_of(&self, file: &Path, warnings: impl IntoIterator<Item = impl Display>) {
        for warning in warnings {
            self.warn(format_args!("{}: {warning}", shown(file)));
        }
    }

    /// Writes a line to standard error unless quiet.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            self.complain(line);
        }
    }
}
