//! The files that a command reads and those that it may write, checked for conflicts before the
//! first write.

use std::path::{Path, PathBuf};

use crate::atomic::{in_the_way, is_same_file};
use crate::error::{Error, Result};
use crate::io::{companions_read, companions_written};

/// The input and output files of a command that are known before the command begins.
///
/// ```
/// use zeroset::output::Claims;
///
/// let claims = Claims::new().reading("a.mesh").writing("b.vtu");
/// claims.check().unwrap();
/// assert!(claims.writing("a.mesh").check().is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Claims {
    read: Vec<PathBuf>,
    written: Vec<PathBuf>,
}

impl Claims {
    /// Creates empty claims, with no file read or written.
    pub fn new() -> Self {
        Claims::default()
    }

    /// Adds a file that is read, and all files that are read along with it, such as the data file
    /// of a header.
    pub fn reading(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.read.extend(companions_read(&path));
        self.read.push(path);
        self
    }

    /// Adds a result that the user has named. An existing file is replaced.
    pub fn writing(mut self, path: impl Into<PathBuf>) -> Self {
        self.written.push(path.into());
        self
    }

    /// Returns all files that are read.
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Checks that no result replaces a file that is read, another result, or a file that the user
    /// has not named.
    ///
    /// A result may have companions, such as the `.sol` file of a `.mesh`. A companion that exists
    /// without its main file belongs to another program, and a reader would take it for a part of
    /// the result. If both exist, the writer itself refuses to change the companion.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a result is an input file or another result, and
    /// [`Error::Output`] if it has a companion that belongs to another program.
    pub fn check(&self) -> Result<()> {
        let mut taken: Vec<&Path> = Vec::new();
        let companions = self.companions();
        let all = self.written.iter().chain(companions.iter().map(|(_, companion)| companion));
        for path in all {
            let is_same = |other: &Path| is_same_file(other, path);
            // Many file systems ignore case.
            let is_alike = |other: &Path| lower(other) == lower(path);
            let what = if self.read.iter().any(|read| is_same(read)) {
                "is an input file, and the result would overwrite it"
            } else if taken.iter().any(|other| is_same(other) || is_alike(other)) {
                "is the path of two results, and one would overwrite the other"
            } else {
                taken.push(path);
                continue;
            };
            let what = format!("{}: {what}", path.display());
            return Err(Error::usage(what, "give each result its own file"));
        }
        let is_there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
        let mut adopted = companions.iter().filter(|(main, _)| !is_there(main));
        match adopted.find(|(_, companion)| is_there(companion)) {
            Some((_, companion)) => Err(in_the_way(companion)),
            None => Ok(()),
        }
    }

    /// Returns the companions of the results, with their main files.
    fn companions(&self) -> Vec<(&Path, PathBuf)> {
        let mut found = Vec::new();
        for main in &self.written {
            let companions = companions_written(main).into_iter();
            found.extend(companions.map(|companion| (main.as_path(), companion)));
        }
        found
    }
}

/// Returns a path in lower case.
fn lower(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(claims: Claims, code: u8, message: &str) {
        let error = claims.check().unwrap_err();
        assert_eq!(error.exit_code(), code, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }

    #[test]
    fn results_stand_apart_from_what_is_read_and_from_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.mesh"), "MeshVersionFormatted 2\n").unwrap();
        std::fs::write(path("a.sol"), "").unwrap();
        let reading = || Claims::new().reading(path("a.mesh"));
        reading().writing(path("b.vtu")).check().unwrap();
        let input = "is an input file, and the result would overwrite it";
        refused(reading().writing(path("./a.mesh")), 2, input);
        refused(reading().writing(path("a.sol")), 2, input);
        refused(reading().writing(path("b")).writing(path("b")), 2, "of two results");
        refused(Claims::new().reading(path("c.sol")).writing(path("c.mesh")), 2, input);
    }

    #[test]
    fn a_companion_without_its_main_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let claims = Claims::new().writing(path("b.mesh"));
        claims.check().unwrap();
        std::fs::write(path("b.sol"), "mine").unwrap();
        refused(claims.clone(), 6, "b.sol: exists, and this command did not create it");
        std::fs::write(path("b.mesh"), "").unwrap();
        claims.check().unwrap();
    }
}
