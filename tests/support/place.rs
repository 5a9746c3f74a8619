//! A temporary folder in which a test runs the program.

use std::path::PathBuf;
use std::process::Command;

/// A temporary folder with the inputs and results of a test.
pub struct Place(pub tempfile::TempDir);

impl Place {
    pub fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Returns the command `zeroset -q LINE` in this folder.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.0.path()).arg("-q").args(line.split(' '));
        command
    }
}
