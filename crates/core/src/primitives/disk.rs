//! The free space of a disk.

use std::path::Path;

/// Returns the number of bytes that this user may still write to the file system of an existing
/// file or folder. Returns `None` if this is unknown, as on all systems except Unix.
#[cfg(unix)]
pub fn free(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

/// Returns the number of bytes that this user may still write to the file system of an existing
/// file or folder. Returns `None` if this is unknown, as on all systems except Unix.
#[cfg(not(unix))]
pub fn free(_path: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_free_space_and_a_missing_one_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free(folder.path()).is_some_and(|bytes| bytes > 1 << 20));
        assert_eq!(free(&folder.path().join("missing")), None);
    }
}
