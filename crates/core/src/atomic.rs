//! Atomic file writes: a file is written under a temporary name and then renamed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// The temporary files that are being written, so that a program that exits early can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Returns the file that writing to `path` replaces or creates. Symbolic links are followed.
///
/// # Errors
/// Returns [`Error::Output`] if `path` is a folder, a pipe or a device instead of a regular file,
/// or if the file is write-protected.
fn destination(path: &Path) -> Result<PathBuf> {
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
        Err(_) => Ok(path.to_path_buf()),
    }
}

/// Returns the folder that contains `path`.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns true if both paths name the same file. The file does not have to exist.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let there = std::fs::canonicalize(path);
        there.or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
    };
    whole(a) == whole(b)
}

/// Checks that no output replaces an input file or another output.
///
/// # Errors
/// Returns [`Error::Case`] with the name of the first output that would replace another file.
pub fn check_apart(inputs: &[impl AsRef<Path>], outputs: &[&Path]) -> Result<()> {
    for (k, output) in outputs.iter().enumerate() {
        let what = if inputs.iter().any(|input| is_same_file(input.as_ref(), output)) {
            "is an input file, and the result would overwrite it"
        } else if outputs[..k].iter().any(|other| is_same_file(other, output)) {
            "is the path of two results, and one would overwrite the other"
        } else {
            continue;
        };
        let what = format!("{}: {what}", output.display());
        return Err(Error::usage(what, "give each result its own file"));
    }
    Ok(())
}

/// Checks that `path` can be written: its folder accepts new files, and an existing file may be
/// replaced.
///
/// # Errors
/// Returns [`Error::Output`] if the folder does not exist or is not writable, or if `path` exists
/// and is not a regular file or is write-protected.
pub fn check_folder(path: &Path) -> Result<()> {
    tempfile::tempfile_in(folder_of(&destination(path)?)).map(drop).map_err(|e| {
        let remedy = match e.kind() {
            std::io::ErrorKind::NotFound => "create the folder first",
            _ => "check that the folder exists and is writable, and that the disk is not full",
        };
        Error::output(path, format!("cannot write there: {e}"), remedy).because(e)
    })
}

/// Writes the file `path` by calling `body`. If anything fails, an existing file is left unchanged.
///
/// # Errors
/// Returns [`Error::Output`] with the name of the file if its folder does not exist or is not
/// writable, if the disk is full, or if `path` exists and is not a regular file or is
/// write-protected.
pub fn write(path: &Path, body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let fail = |e: std::io::Error| {
        let text = e.to_string();
        // The `tempfile` crate appends the name of the temporary file to its messages. This name
        // does not help the user.
        let cause = text.split(" at path \"").next().unwrap_or(&text);
        Error::output(
            path,
            cause,
            "check that the folder exists and is writable, and that the disk is not full",
        )
        .because(e)
    };
    let target = destination(path)?;
    // The file is created and registered under one lock, so that `abandon` knows every temporary
    // file.
    let mut unfinished = unfinished();
    let file = temporary(&target).map_err(fail)?;
    let made = Unfinished(file.path().to_path_buf());
    unfinished.push(made.0.clone());
    drop(unfinished);
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    body(&mut writer).map_err(fail)?;
    let file = writer.into_inner().map_err(|e| fail(e.into_error()))?;
    file.as_file().sync_data().map_err(fail)?;
    file.persist(&target).map_err(|e| fail(e.error))?;
    drop(made);
    Ok(())
}

/// A temporary file that is removed if the program exits early while this value exists.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Registers a file for removal in case the program exits early.
    pub fn note(path: PathBuf) -> Self {
        unfinished().push(path.clone());
        Unfinished(path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files. Call this function only before an early exit, because every later
/// attempt to write a file blocks until the program exits.
///
/// The function does not allocate memory. It gives up after 50 attempts to take the lock, because
/// the caller may hold it.
pub fn abandon() {
    for _ in 0..50 {
        let files = match UNFINISHED.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(files)) => files.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        for file in files.iter() {
            // There is nothing else to do if a file cannot be removed.
            let _ = std::fs::remove_file(file);
        }
        std::mem::forget(files);
        return;
    }
}

/// The prefix and suffix of temporary file names. Between them are the name of the final file, "-"
/// and [`RANDOM`] random letters. A killed program leaves such files behind.
const IN_THE_MAKING: [&str; 2] = [".zeroset-", ".part"];
const RANDOM: usize = 6;

/// The maximum number of bytes of the final name that a temporary name contains. Most systems limit
/// file names to 255 bytes.
const LONGEST: usize = 200;

/// Returns the final name that belongs to a temporary file name, or `None` for other names.
pub fn in_the_making(name: &str) -> Option<&str> {
    let [begin, end] = IN_THE_MAKING;
    let inner = name.strip_prefix(begin)?.strip_suffix(end)?;
    let (target, random) = inner.rsplit_once('-')?;
    (random.len() == RANDOM).then_some(target)
}

/// Creates a temporary file beside `target`. Its permissions follow the umask of the user. With the
/// default permissions of `tempfile`, only the owner could read the renamed file.
fn temporary(target: &Path) -> std::io::Result<NamedTempFile> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let [begin, end] = IN_THE_MAKING;
    let end_of_name = (0..=LONGEST.min(name.len())).rfind(|&k| name.is_char_boundary(k));
    let prefix = format!("{begin}{}-", &name[..end_of_name.unwrap_or(0)]);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(end).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(target))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};

    use super::*;

    fn refused(path: &Path, message: &str) {
        for result in [check_folder(path), write(path, |out| out.write_all(b"new"))] {
            let error = result.unwrap_err();
            assert_eq!(error.exit_code(), 6);
            assert!(error.to_string().contains(message), "{error}");
        }
    }

    #[test]
    fn links_are_followed_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("far")).unwrap();
        std::fs::write(path("far/file"), "old").unwrap();
        std::os::unix::fs::symlink("far/file", path("link")).unwrap();
        assert!(is_same_file(&path("link"), &path("far/../far/file")));
        check_folder(&path("link")).unwrap();
        write(&path("link"), |out| out.write_all(b"new")).unwrap();
        assert!(std::fs::symlink_metadata(path("link")).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(path("far/file")).unwrap(), "new");
    }

    #[test]
    fn what_is_no_file_or_protected_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        refused(&path("socket"), "is a pipe or a device, not a file");
        assert!(std::fs::metadata(path("socket")).unwrap().file_type().is_socket());
        drop(socket);
        refused(folder.path(), "give the path of a file in this folder");
        std::fs::write(path("kept"), "old").unwrap();
        std::fs::set_permissions(path("kept"), std::fs::Permissions::from_mode(0o444)).unwrap();
        refused(&path("kept"), "is write-protected");
        assert_eq!(std::fs::read_to_string(path("kept")).unwrap(), "old");
    }

    #[test]
    fn files_in_the_making_have_the_name_of_what_they_become() {
        let folder = tempfile::tempdir().unwrap();
        let long = format!("{}.ply", "\u{e4}".repeat(125));
        for name in ["a-b.vtp", ".part", &long] {
            write(&folder.path().join(name), |_| {
                let entries = std::fs::read_dir(folder.path())?.map(|entry| entry.unwrap());
                let names = entries.map(|entry| entry.file_name().into_string().unwrap());
                let found: Vec<_> =
                    names.filter_map(|name| in_the_making(&name).map(String::from)).collect();
                assert!(found.len() == 1 && name.starts_with(&found[0]), "{found:?}");
                assert!(found[0] == *name || found[0].len() == LONGEST, "{found:?}");
                Ok(())
            })
            .unwrap();
            assert!(folder.path().join(name).exists());
        }
        assert_eq!(in_the_making(".zeroset-abcdef.part"), None);
    }

    #[test]
    fn outputs_stand_apart_from_inputs_and_from_each_other() {
        let [a, b] = [Path::new("a.ply"), Path::new("b.ply")];
        check_apart(&[a], &[b]).unwrap();
        let error = check_apart(&[a], &[Path::new("./a.ply")]).unwrap_err().to_string();
        assert!(error.contains("is an input file, and the result would overwrite it"), "{error}");
        let error = check_apart(&[a], &[b, b]).unwrap_err().to_string();
        assert!(error.contains("of two results"), "{error}");
    }
}
