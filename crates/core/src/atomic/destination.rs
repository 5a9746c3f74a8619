//! Resolves paths: follows links, and tests whether two paths lead to the same file.

use std::path::{Path, PathBuf};

use super::folder_of;
use crate::error::{Error, Result};

/// The largest number of links that are followed, as in Linux.
const MOST_LINKS: usize = 40;

/// Returns the file that writing to `path` replaces or creates. Symbolic links are followed, even
/// if the file that they name does not exist yet.
///
/// # Errors
/// Returns [`Error::Output`] if `path` is not a regular file, but a folder, a pipe or a device, if
/// the file is write-protected, or if links lead in a circle.
pub(super) fn destination(path: &Path) -> Result<PathBuf> {
    let refused = |what: &str, remedy: &str| Err(Error::output(path, what, remedy));
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            refused("is a folder, not a file", "give the path of a file in this folder")
        }
        Ok(found) if !found.is_file() => {
            refused("is a pipe or a device, not a file", "give the path of a regular file")
        }
        Ok(found) if found.permissions().readonly() => {
            refused("is write-protected", "make it writable, or choose another file")
        }
        Ok(_) => Ok(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())),
        Err(_) => behind_links(path).map_or_else(
            || refused("is a link that leads in a circle", "remove it, or choose another file"),
            Ok,
        ),
    }
}

/// Follows symbolic links, whose targets need not exist. Returns `None` if they lead in a circle.
fn behind_links(path: &Path) -> Option<PathBuf> {
    let mut place = path.to_path_buf();
    for _ in 0..=MOST_LINKS {
        match std::fs::read_link(&place) {
            Ok(target) => place = folder_of(&place).join(target),
            Err(_) => return Some(place),
        }
    }
    None
}

/// Returns true if both paths lead to the same file, through links of any kind. The file does not
/// have to exist.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    // Opening a pipe would wait for its other end.
    let is_file = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    if is_file(a)
        && is_file(b)
        && let Ok(same) = same_file::is_same_file(a, b)
    {
        return same;
    }
    whole(a) == whole(b)
}

/// Returns the absolute path of a file, with links resolved.
fn whole(path: &Path) -> PathBuf {
    if let Ok(whole) = std::fs::canonicalize(path) {
        return whole;
    }
    let place = behind_links(path).unwrap_or_else(|| path.to_path_buf());
    match (std::fs::canonicalize(folder_of(&place)), place.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => std::path::absolute(&place).unwrap_or(place),
    }
}

/// Checks that `path` can be written: its folder accepts new files, and an existing file may be
/// replaced.
///
/// # Errors
/// Returns [`Error::Output`] if the folder does not exist or is not writable, if `path` exists and
/// is not a regular file or is write-protected, or if links lead in a circle.
pub fn check_folder(path: &Path) -> Result<()> {
    tempfile::tempfile_in(folder_of(&destination(path)?)).map(drop).map_err(|e| {
        let remedy = match e.kind() {
            std::io::ErrorKind::NotFound => "create the folder first",
            _ => "check that the folder exists and is writable, and that the disk is not full",
        };
        Error::output(path, format!("cannot write there: {e}"), remedy).because(e)
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_of_any_kind_lead_to_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("far")).unwrap();
        std::fs::write(path("far/file"), "old").unwrap();
        symlink("far/file", path("soft")).unwrap();
        std::fs::hard_link(path("far/file"), path("hard")).unwrap();
        symlink("far/none", path("dangling")).unwrap();
        symlink("circle", path("circle")).unwrap();
        for name in ["soft", "hard", "far/../far/file"] {
            assert!(is_same_file(&path(name), &path("far/file")), "{name}");
        }
        assert!(is_same_file(&path("dangling"), &path("far/./none")));
        assert!(!is_same_file(&path("dangling"), &path("far/file")));
        std::fs::write(path("copy"), "old").unwrap();
        assert!(!is_same_file(&path("copy"), &path("far/file")));
        assert_eq!(destination(&path("dangling")).unwrap(), path("far/none"));
        let error = destination(&path("circle")).unwrap_err().to_string();
        assert!(error.contains("leads in a circle"), "{error}");
    }
}
