//! Atomic file writes: a file is written under a temporary name and then renamed.

mod destination;
mod journal;

use std::cell::RefCell;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use destination::destination;
pub use destination::{check_folder, is_same_file};
pub use journal::{Journal, Keeping, keep};

/// The temporary files that are being written, so that a program that exits early can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

thread_local! {
    /// The complete files that wait for the end of [`together`] on this thread.
    static WAITING: RefCell<Option<Vec<Complete>>> = const { RefCell::new(None) };
}

/// Returns the folder that contains `path`.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the file `path` with `body`. If anything fails, an existing file is left unchanged.
///
/// # Errors
/// Returns [`Error::Output`] with the name of the file if its folder does not exist or is not
/// writable, if the disk is full, if `path` exists and is not a regular file or is write-protected,
/// or if `path` is a link that leads in a circle.
pub fn write(path: &Path, body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    appear_or_wait(vec![Complete::write(path, body)?])
}

/// Writes a file with `body` whose name the user has not given, such as the data file of a header.
/// Unlike [`write()`], it never replaces a file whose contents differ.
///
/// # Errors
/// Returns the errors of [`write()`], and [`Error::Output`] if the file exists with other contents.
pub fn write_companion(
    path: &Path,
    body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let complete = Complete::write(path, body)?;
    if std::fs::symlink_metadata(path).is_ok() {
        return match complete.equals_existing() {
            true => Ok(()),
            false => Err(in_the_way(path)),
        };
    }
    appear_or_wait(vec![complete])
}

/// Returns the error for an existing file that a command must not replace, because the user has not
/// given the name of this file: the name is derived from another one.
pub fn in_the_way(path: &Path) -> Error {
    let what = "exists, and this command did not create it";
    Error::output(path, what, "move or remove it, or choose another name for the result")
}

/// Runs `work`. All files that it writes on this thread appear when it ends, or none of them if it
/// fails. Inside another call of `together`, they appear when the outer call ends. If the program
/// is killed, none of them appear either, unless it is killed between two renames.
///
/// # Errors
/// Returns the errors of `work`, and [`Error::Output`] if a file cannot be renamed.
pub fn together<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let outer = WAITING.replace(Some(Vec::new()));
    let done = work();
    let files = WAITING.replace(outer).unwrap_or_default();
    let done = done?;
    appear_or_wait(files)?;
    Ok(done)
}

/// Makes files appear now, or at the end of [`together`] on this thread.
fn appear_or_wait(files: Vec<Complete>) -> Result<()> {
    let files = WAITING.with_borrow_mut(|waiting| match waiting {
        Some(waiting) => {
            waiting.extend(files);
            Vec::new()
        }
        None => files,
    });
    appear(files)
}

/// A complete file that still has a temporary name.
struct Complete {
    path: PathBuf,
    target: PathBuf,
    file: NamedTempFile,
    made: Unfinished,
    /// The journal of the folder, if there is one, and the hash of the contents for the journal.
    journal: Option<(Arc<dyn Journal>, blake3::Hasher)>,
}

impl Complete {
    /// Writes a temporary file with `body` in the folder of the file that `path` leads to.
    fn write(
        path: &Path,
        body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Self> {
        let fail = |e| fail(path, e);
        let target = destination(path)?;
        let journal = journal::of(folder_of(&target));
        // The file is created and registered under one lock, so that `abandon` knows every
        // temporary file.
        let mut unfinished = unfinished();
        let file = temporary(&target, journal.as_deref()).map_err(fail)?;
        let made = Unfinished(file.path().to_path_buf());
        unfinished.push(made.0.clone());
        drop(unfinished);
        let hasher = journal.is_some().then(blake3::Hasher::new);
        let mut writer = BufWriter::with_capacity(1 << 20, Hashed { file, hasher });
        body(&mut writer).map_err(fail)?;
        let Hashed { file, hasher } = writer.into_inner().map_err(|e| fail(e.into_error()))?;
        file.as_file().sync_data().map_err(fail)?;
        let journal = journal.zip(hasher);
        Ok(Complete { path: path.to_path_buf(), target, file, made, journal })
    }

    /// Returns true if the file that would be replaced has the same contents.
    fn equals_existing(&self) -> bool {
        let same = || -> std::io::Result<bool> {
            let (mut a, mut b) =
                (std::fs::File::open(self.file.path())?, std::fs::File::open(&self.target)?);
            if a.metadata()?.len() != b.metadata()?.len() {
                return Ok(false);
            }
            let (mut one, mut other) = (vec![0; 1 << 16], vec![0; 1 << 16]);
            loop {
                let n = a.read(&mut one)?;
                if n == 0 {
                    return Ok(true);
                }
                b.read_exact(&mut other[..n])?;
                if one[..n] != other[..n] {
                    return Ok(false);
                }
            }
        };
        same().unwrap_or(false)
    }

    /// Records the file in the journal of its folder.
    fn note(&self) -> std::io::Result<()> {
        let Some((journal, hasher)) = &self.journal else { return Ok(()) };
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        journal.appears(&name, self.file.as_file().metadata()?.len(), hasher.finalize())
    }
}

/// A writer that also computes the hash of the bytes that it writes, if it has a hasher.
struct Hashed {
    file: NamedTempFile,
    hasher: Option<blake3::Hasher>,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&bytes[..n]);
        }
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Renames complete files to their final names in reverse order, because a file is written before
/// its companions. If a rename fails, files that did not exist before are removed.
fn appear(files: Vec<Complete>) -> Result<()> {
    for complete in &files {
        complete.note().map_err(|e| fail(&complete.path, e))?;
    }
    // An interrupted program waits a short time for this lock in `abandon`, so it normally does not
    // end between two renames.
    let several = (files.len() > 1).then(unfinished);
    let mut made = Vec::new();
    let mut done = Vec::new();
    for Complete { path, target, file, made: registered, .. } in files.into_iter().rev() {
        let is_new = std::fs::symlink_metadata(&target).is_err();
        done.push(registered);
        if let Err(e) = file.persist(&target) {
            // There is nothing else to do if a file cannot be removed.
            made.iter().for_each(|other| drop(std::fs::remove_file(other)));
            drop(several);
            return Err(fail(&path, e.error));
        }
        made.extend(is_new.then_some(target));
    }
    drop(several);
    Ok(())
}

fn fail(path: &Path, e: std::io::Error) -> Error {
    let text = e.to_string();
    // The `tempfile` crate adds the name of the temporary file, which does not help the user.
    let cause = text.split(" at path \"").next().unwrap_or(&text);
    Error::output(
        path,
        cause,
        "check that the folder exists and is writable, and that the disk is not full",
    )
    .because(e)
}

/// A temporary file that is registered for removal until this value is dropped.
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
/// and [`RANDOM`] random characters. A killed program leaves such files behind.
const IN_THE_MAKING: [&str; 2] = [".zeroset-", ".part"];
const RANDOM: usize = 6;

/// The maximum number of bytes of the final name that are copied into a temporary name. Most
/// systems limit file names to 255 bytes.
const LONGEST: usize = 200;

/// Returns the final name that belongs to a temporary file name, cut off after 200 bytes, or `None`
/// for other names.
pub fn in_the_making(name: &str) -> Option<&str> {
    let [begin, end] = IN_THE_MAKING;
    let inner = name.strip_prefix(begin)?.strip_suffix(end)?;
    let (target, random) = inner.rsplit_once('-')?;
    (random.len() == RANDOM).then_some(target)
}

/// Creates a temporary file beside `target`. Its permissions follow the umask of the user, because
/// by default only the owner could read the renamed file.
fn temporary(target: &Path, journal: Option<&dyn Journal>) -> std::io::Result<NamedTempFile> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let [begin, end] = IN_THE_MAKING;
    let end_of_name = (0..=LONGEST.min(name.len())).rfind(|&k| name.is_char_boundary(k));
    let prefix = format!("{begin}{}-", &name[..end_of_name.unwrap_or(0)]);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(end).rand_bytes(RANDOM);
    builder.make_in(folder_of(target), |path| {
        if let (Some(journal), Some(name)) = (journal, path.file_name()) {
            journal.begins(&name.to_string_lossy())?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o666);
        options.open(path)
    })
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
        std::os::unix::fs::symlink("far/none", path("dangling")).unwrap();
        for link in ["link", "dangling"] {
            check_folder(&path(link)).unwrap();
            write(&path(link), |out| out.write_all(b"new")).unwrap();
            assert!(std::fs::symlink_metadata(path(link)).unwrap().is_symlink());
        }
        assert_eq!(std::fs::read_to_string(path("far/none")).unwrap(), "new");
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
    fn files_of_one_command_appear_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let add = |name: &str| write(&path(name), |out| out.write_all(name.as_bytes()));
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        together(|| {
            add("a")?;
            assert!(!path("a").exists());
            together(|| add("b"))?;
            assert!(!path("b").exists());
            Ok(())
        })
        .unwrap();
        assert!(path("a").exists() && path("b").exists() && names() == 2);
        let error = Error::usage("no", "");
        together(|| add("c").and(Err::<(), _>(error))).unwrap_err();
        assert_eq!(names(), 2);
        // The second rename fails, so the first one is undone.
        together(|| {
            add("d")?;
            add("e")?;
            std::fs::create_dir(path("d")).unwrap();
            Ok(())
        })
        .unwrap_err();
        assert!(!path("e").exists() && names() == 3);
    }

    #[test]
    fn a_companion_never_replaces_other_contents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sol");
        let add = |text: &str| write_companion(&path, |out| out.write_all(text.as_bytes()));
        add("new").unwrap();
        add("new").unwrap();
        for text in ["old", "newer"] {
            let error = add(text).unwrap_err();
            assert!(error.exit_code() == 6 && error.to_string().contains("did not create it"));
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_journal_knows_a_file_before_it_appears() {
        struct Notes(PathBuf, Mutex<Vec<(String, u64, blake3::Hash)>>);
        impl Journal for Notes {
            fn begins(&self, name: &str) -> std::io::Result<()> {
                assert!(in_the_making(name).is_some() && !self.0.join(name).exists());
                Ok(())
            }
            fn appears(&self, name: &str, size: u64, hash: blake3::Hash) -> std::io::Result<()> {
                assert!(!self.0.join(name).exists());
                self.1.lock().unwrap().push((name.to_string(), size, hash));
                Ok(())
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let notes = Arc::new(Notes(folder.path().to_path_buf(), Mutex::default()));
        let keeping = keep(folder.path(), notes.clone());
        write(&folder.path().join("a"), |out| out.write_all(b"text")).unwrap();
        drop(keeping);
        write(&folder.path().join("b"), |out| out.write_all(b"text")).unwrap();
        assert_eq!(*notes.1.lock().unwrap(), [("a".to_string(), 4, blake3::hash(b"text"))]);
    }
}
