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

    #[allow(dead_code, reason = "not every test that includes this file needs it")]
    pub fn put(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Returns the command `zeroset -q LINE` in this folder.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.0.path()).arg("-q").args(line.split(' '));
        command
    }
    /// Runs a command. Returns the exit code and the text of both streams.
    #[allow(dead_code, reason = "not every test that includes this file needs it")]
    pub fn outcome(&self, line: &str) -> (i32, String) {
        let output = self.command(line).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), text.concat())
    }

    /// Runs a command that must succeed.
    #[allow(dead_code, reason = "not every test that includes this file needs it")]
    #[track_caller]
    pub fn good(&self, line: &str) {
        let (code, text) = self.outcome(line);
        assert_eq!(code, 0, "{line}: {text}");
    }
}
