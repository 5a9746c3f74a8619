//! Writes results to standard output, and all other text to standard error around the bar.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;

use indicatif::MultiProgress;

use super::json;
use zeroset::error::{Error, Result, shown};

/// How much is said, and the one place where it is said.
#[derive(Clone, Debug)]
pub struct Ui {
    verbose: u8,
    quiet: bool,
    json: bool,
    bars: MultiProgress,
}

impl Ui {
    /// Says more for a greater `verbose`, only results and errors if `quiet`.
    pub fn new(verbose: u8, quiet: bool) -> Self {
        Ui { verbose, quiet, json: false, bars: MultiProgress::new() }
    }

    /// Says everything as JSON lines.
    pub fn with_json(mut self, json: bool) -> Self {
        self.json = json;
        self
    }

    /// True if everything is said as JSON lines.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// 0 normally, 1 for stages, 2 for details.
    pub fn verbosity(&self) -> u8 {
        self.verbose
    }

    /// True if only results and errors are wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Bars on standard error.
    pub(super) fn bars(&self) -> &MultiProgress {
        &self.bars
    }

    /// Writes results to standard output. A reader who has seen enough is no error.
    ///
    /// # Errors
    /// [`Error::Output`] if standard output cannot be written.
    pub fn print(&self, text: &str) -> Result<()> {
        let written = self.bars.suspend(|| {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        });
        match written {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                Err(Error::output(Path::new("standard output"), &e, "check where it leads")
                    .because(e))
            }
            _ => Ok(()),
        }
    }

    /// Writes a line to standard error, whatever the verbosity.
    pub fn complain(&self, line: &str) {
        // Names from a file must not move the cursor; nobody is left to be told if this fails.
        let line = line.replace(|c: char| c.is_control() && !"\n\t".contains(c), " ");
        self.bars.suspend(|| drop(writeln!(std::io::stderr(), "{line}")));
    }

    /// Writes a warning to standard error unless quiet.
    pub fn warn(&self, warning: impl Display) {
        match self.json {
            true => self.say(&json::warning(&warning)),
            false => self.say(&format!("warning: {warning}")),
        }
    }

    /// The same for each of the warnings of a file.
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
