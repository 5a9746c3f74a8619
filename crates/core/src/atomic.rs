//! Files that appear whole or not at all: written under a temporary name, then renamed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Files in the making, so that a program that ends at once can take them away.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The file that writing to `path` replaces or makes: links are followed.
///
/// # Errors
/// [`Error::Output`] for what is no file, such as a folder, a pipe or a device, which a file must not
/// take the place of, and for a file that is write-protected.
fn destination(path: &Path) -> Result<PathBuf> {
    let refused = |what: &str, remedy: &str| Err(Error::output(path, what, remedy));
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            refused("is a folder, a file is to be written", "name a file in it")
        }
        Ok(found) if !found.is_file() => {
            refused("is a pipe or a device, which no file may replace", "name a file")
        }
        Ok(found) if found.permissions().readonly() => {
            refused("is write-protected", "allow writing to it, or name another file")
        }
        Ok(_) => Ok(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())),
        Err(_) => Ok(path.to_path_buf()),
    }
}

/// The folder that `path` is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// True if both names lead to the same file, which need not be there yet.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let there = std::fs::canonicalize(path);
        there.or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
    };
    whole(a) == whole(b)
}

/// Refuses outputs that would replace a file that is read, or each other.
///
/// # Errors
/// [`Error::Case`] naming the output.
pub fn check_apart(inputs: &[impl AsRef<Path>], outputs: &[&Path]) -> Result<()> {
    for (k, output) in outputs.iter().enumerate() {
        let what = if inputs.iter().any(|input| is_same_file(input.as_ref(), output)) {
            "is read, and the result would replace it"
        } else if outputs[..k].iter().any(|other| is_same_file(other, output)) {
            "is named for two results, of which one would replace the other"
        } else {
            continue;
        };
        let what = format!("{}: {what}", output.display());
        return Err(Error::usage(what, "give each result a file of its own"));
    }
    Ok(())
}

/// Says whether `path` can be written: a file can be made in its folder, and it may be replaced.
///
/// # Errors
/// [`Error::Output`]: no such folder, or it cannot be written to; what is there is no file, or
/// write-protected.
pub fn check_folder(path: &Path) -> Result<()> {
    tempfile::tempfile_in(folder_of(&destination(path)?)).map(drop).map_err(|e| {
        let remedy = match e.kind() {
            std::io::ErrorKind::NotFound => "make the folder first",
            _ => "check the folder, its rights and space",
        };
        Error::output(path, format!("cannot write there: {e}"), remedy).because(e)
    })
}

/// Writes `path` through `body`; on any failure the old file, if there was one, stays.
///
/// # Errors
/// [`Error::Output`] naming the file: folder missing or not writable, disk full; what is there is no
/// file, or write-protected.
pub fn write(path: &Path, body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let fail = |e: std::io::Error| {
        let text = e.to_string();
        // The name of the file in the making, which the crate adds, tells nobody anything.
        let cause = text.split(" at path \"").next().unwrap_or(&text);
        Error::output(path, cause, "check the folder, its rights and space").because(e)
    };
    let target = destination(path)?;
    // Made and noted under one lock: none is made that `abandon` does not know.
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

/// A file in the making, noted until it is dropped.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Notes a file that is to go if the program ends at once.
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

/// Removes all files in the making, for a program that ends at once; from now on every attempt to
/// write a file waits for that end.
///
/// It takes no memory, and gives up where the lock stays taken: the caller may hold it.
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
            // What cannot be removed can only be left.
            let _ = std::fs::remove_file(file);
        }
        std::mem::forget(files);
        return;
    }
}

/// Names of files in the making, which a killed program leaves behind: between these, that of the file
/// to be, "-" and [`RANDOM`] letters.
const IN_THE_MAKING: [&str; 2] = [".zeroset-", ".part"];
const RANDOM: usize = 6;

/// Most bytes of the name of the file to be, of which systems allow 255 in all.
const LONGEST: usize = 200;

/// Name of the file that a file in the making is to become; `None` for other files.
pub fn in_the_making(name: &str) -> Option<&str> {
    let [begin, end] = IN_THE_MAKING;
    let inner = name.strip_prefix(begin)?.strip_suffix(end)?;
    let (target, random) = inner.rsplit_once('-')?;
    (random.len() == RANDOM).then_some(target)
}

/// A temporary file beside `target` that, once renamed, may be read by whom the user's file mask allows; by
/// default nobody else could read it.
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
        refused(&path("socket"), "no file may replace");
        assert!(std::fs::metadata(path("socket")).unwrap().file_type().is_socket());
        drop(socket);
        refused(folder.path(), "name a file in it");
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
        assert!(error.contains("is read, and the result would replace it"), "{error}");
        let error = check_apart(&[a], &[b, b]).unwrap_err().to_string();
        assert!(error.contains("for two results"), "{error}");
    }
}
