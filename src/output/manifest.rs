//! The files that a run has written, with their sizes and hashes. Only these files may be removed
//! when another run replaces this one.
//!
//! While a run writes, the list is kept in a journal, which names each file before the file
//! appears. At the end, `report.json` contains the list, and the journal is removed.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::run_names::REPORT;
use crate::atomic::{self, Journal};
use crate::error::{Error, Result};

/// Name of the journal.
pub(super) const JOURNAL: &str = ".zeroset-files";
/// The first line of a journal.
const HEAD: &str = "zeroset files of a run, version 1\n";
/// The first character of a journal line that holds the random letters in the name of a temporary
/// file.
const TEMPORARY: char = '~';

/// Size and hash of a file that a run wrote, as listed in its report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileRecord {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// The first 16 bytes of the BLAKE3 hash in hexadecimal digits.
    pub blake3: String,
}

/// An entry of a journal. Its line is `= BYTES HASH NAME`, or `+ BYTES HASH NAME` for a file that
/// grows. Lines are short, because a journal may be needed on a disk that is almost full.
#[derive(Clone, Debug)]
struct Entry {
    file: String,
    bytes: u64,
    /// The hash of the first `bytes` bytes, if it is known.
    blake3: Option<String>,
    /// Whether more bytes may follow the first `bytes`.
    grows: bool,
}

impl Entry {
    fn parse(line: &str) -> Option<Self> {
        let (kind, rest) = line.split_once(' ')?;
        let (bytes, rest) = rest.split_once(' ')?;
        let (hash, file) = rest.split_once(' ')?;
        let grows = match kind {
            "=" => false,
            "+" => true,
            _ => return None,
        };
        let blake3 = (hash != "-").then(|| hash.to_string());
        Some(Entry { file: file.to_string(), bytes: bytes.parse().ok()?, blake3, grows })
    }

    fn line(&self) -> String {
        let kind = if self.grows { '+' } else { '=' };
        let hash = self.blake3.as_deref().unwrap_or("-");
        format!("{kind} {} {hash} {}\n", self.bytes, self.file)
    }
}

/// How thoroughly a file is compared with its entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    Size,
    Hash,
}

/// The files of the run in a folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Manifest {
    /// The entries of each file, in the order in which they were noted.
    entries: BTreeMap<String, Vec<Entry>>,
    /// The random letters in the names of temporary files.
    temporary: Vec<String>,
    has_report: bool,
}

impl Manifest {
    /// Reads the list of a folder from its journal and its report. Returns `None` if the folder has
    /// neither.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        #[derive(Deserialize)]
        struct Program {
            name: String,
        }
        #[derive(Deserialize)]
        struct Ended {
            program: Program,
            files: BTreeMap<String, FileRecord>,
        }
        let text = |name| regular(&folder.join(name)).and_then(|path| std::fs::read(path).ok());
        let journal = text(JOURNAL).map(|text| String::from_utf8_lossy(&text).into_owned());
        let journal = journal.as_ref().and_then(|text| text.strip_prefix(HEAD));
        let report = text(REPORT).and_then(|text| serde_json::from_slice::<Ended>(&text).ok());
        let report = report.filter(|ended| ended.program.name == env!("CARGO_PKG_NAME"));
        if journal.is_none() && report.is_none() {
            return None;
        }
        let has_report = report.is_some();
        let files = report.into_iter().flat_map(|ended| ended.files);
        let listed = files.map(|(file, FileRecord { bytes, blake3 })| Entry {
            file,
            bytes,
            blake3: Some(blake3),
            grows: false,
        });
        // The last line of a killed run may be incomplete.
        let lines = || journal.iter().flat_map(|text| text.lines());
        let entries = listed.chain(lines().filter_map(Entry::parse));
        let mut by_file: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for entry in entries.filter(|entry| is_plain(&entry.file)) {
            by_file.entry(entry.file.clone()).or_default().push(entry);
        }
        Some(Manifest {
            entries: by_file,
            temporary: lines()
                .filter_map(|line| Some(line.strip_prefix(TEMPORARY)?.into()))
                .collect(),
            has_report,
        })
    }

    /// Returns whether the run has written a file with this name.
    pub(super) fn lists(&self, name: &str) -> bool {
        name == JOURNAL
            || name == REPORT && self.has_report
            || self.is_temporary(name)
            || self.entries.contains_key(name)
    }

    /// Returns whether the run has created a temporary file with this name.
    fn is_temporary(&self, name: &str) -> bool {
        letters_of(name).is_some_and(|letters| self.temporary.iter().any(|other| other == letters))
    }

    /// Returns whether the file with this name is still as the run wrote it, as far as `compare`
    /// checks.
    pub(super) fn matches(&self, folder: &Path, name: &str, compare: Compare) -> bool {
        let path = folder.join(name);
        let Some(path) = regular(&path) else { return false };
        // The report contains the list, so it cannot contain its own hash.
        if name == JOURNAL || name == REPORT && self.has_report || self.is_temporary(name) {
            return true;
        }
        let Ok(found) = std::fs::metadata(path).map(|found| found.len()) else { return false };
        self.entries.get(name).into_iter().flatten().any(|entry| match &entry.blake3 {
            _ if entry.bytes != found && !(entry.grows && found > entry.bytes) => false,
            Some(hash) if compare == Compare::Hash => {
                hash_of(path, entry.bytes).is_ok_and(|(_, found)| *hash == found)
            }
            _ => true,
        })
    }
}

/// Returns the path if it is that of a regular file and not of a link.
fn regular(path: &Path) -> Option<&Path> {
    std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file).map(|_| path)
}

/// Returns whether a name is that of a file directly in the folder, not in a subfolder.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
}

/// Returns the random letters in the name of a temporary file, or `None` for any other name.
fn letters_of(name: &str) -> Option<&str> {
    let target = atomic::in_the_making(name)?;
    let (_, rest) = name.split_once(target)?;
    rest.strip_prefix('-')?.split('.').next()
}

/// Returns the first 16 bytes of a hash in hexadecimal digits, as in [`FileRecord`].
fn text_of(hash: blake3::Hash) -> String {
    hash.to_hex()[..32].to_string()
}

/// Returns the number of bytes read from the beginning of a file, at most `most`, and their hash.
fn hash_of(path: &Path, most: u64) -> std::io::Result<(u64, String)> {
    let mut file = File::open(path)?.take(most);
    let (mut hasher, mut block) = (blake3::Hasher::new(), vec![0; 1 << 18]);
    let mut bytes = 0;
    loop {
        match file.read(&mut block)? {
            0 => return Ok((bytes, text_of(hasher.finalize()))),
            n => {
                hasher.update(&block[..n]);
                bytes += n as u64;
            }
        }
    }
}

/// The journal of a run, open for writing.
#[derive(Debug)]
pub(super) struct JournalFile(Mutex<(File, Manifest)>);

impl JournalFile {
    /// Opens the journal of a folder with the entries of an earlier run, if there is one.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be written.
    pub(super) fn open(folder: &Path, earlier: Option<&Manifest>) -> Result<Self> {
        let path = folder.join(JOURNAL);
        let manifest = earlier.cloned().unwrap_or_default();
        let open = || -> std::io::Result<File> {
            let is_new = regular(&path).is_none();
            let mut options = OpenOptions::new();
            let mut file = options.append(true).create_new(is_new).open(&path)?;
            // Appended text begins on a new line, because the last line of a killed run may be
            // incomplete.
            let mut text = if is_new { HEAD } else { "\n" }.to_string();
            // An existing journal already contains the entries of the report.
            let missing = manifest.entries.values().flatten().filter(|_| is_new);
            missing.for_each(|entry| text += &entry.line());
            file.write_all(text.as_bytes())?;
            Ok(file)
        };
        let file = open().map_err(|e| fail(&path, e))?;
        Ok(JournalFile(Mutex::new((file, manifest))))
    }

    /// Drops all entries of the journal.
    pub(super) fn restart(&self, folder: &Path) -> Result<()> {
        self.with(|file, manifest| {
            *manifest = Manifest::default();
            file.set_len(0)?;
            file.write_all(HEAD.as_bytes())
        })
        .map_err(|e| fail(&folder.join(JOURNAL), e))
    }

    /// Notes that a file begins with `begin`, which is about to be written, and that more bytes
    /// follow in place.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the entry cannot be written.
    pub(super) fn note_text(&self, path: &Path, begin: &str) -> Result<()> {
        let entry = |text: &str, grows| Entry {
            file: name_of(path),
            bytes: text.len() as u64,
            blake3: Some(text_of(blake3::hash(text.as_bytes()))),
            grows,
        };
        let noted = self.add(entry("", false)).and_then(|()| self.add(entry(begin, true)));
        noted.map_err(|e| fail(path, e))
    }

    /// Notes that an existing file will grow in place.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the entry cannot be written.
    pub(super) fn note_growth(&self, path: &Path) -> Result<()> {
        let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
        let entry = Entry { file: name_of(path), bytes: found.len(), blake3: None, grows: true };
        self.add(entry).map_err(|e| fail(path, e))
    }

    /// Returns the names of all files that have been noted, in alphabetical order.
    pub(super) fn names(&self) -> Vec<String> {
        self.with(|_, manifest| manifest.entries.keys().cloned().collect())
    }

    /// Returns whether a file with this name has been noted.
    pub(super) fn has(&self, name: &str) -> bool {
        self.with(|_, manifest| manifest.entries.contains_key(name))
    }

    /// Returns the existing temporary files of this run and of the run that it resumes.
    pub(super) fn temporary(&self, folder: &Path) -> Vec<PathBuf> {
        let manifest = self.with(|_, manifest| manifest.clone());
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| manifest.is_temporary(name)).map(|name| folder.join(name)).collect()
    }

    /// Returns the size and hash of each noted file that is still a regular file, except the
    /// report.
    pub(super) fn records(&self, folder: &Path) -> BTreeMap<String, FileRecord> {
        let entries = self.with(|_, manifest| manifest.entries.clone());
        let exists = |name: &str| name != REPORT && regular(&folder.join(name)).is_some();
        let mut found = BTreeMap::new();
        for (name, entries) in entries.iter().filter(|(name, _)| exists(name)) {
            let grows = entries.iter().any(|entry| entry.grows);
            let Some(entry) = entries.last() else { continue };
            let record = match &entry.blake3 {
                Some(blake3) if !grows => Some((entry.bytes, blake3.clone())),
                _ => hash_of(&folder.join(name), u64::MAX).ok(),
            };
            let record = record.map(|(bytes, blake3)| FileRecord { bytes, blake3 });
            found.extend(record.map(|record| (name.to_string(), record)));
        }
        found
    }

    fn add(&self, entry: Entry) -> std::io::Result<()> {
        self.with(|file, manifest| {
            file.write_all(entry.line().as_bytes())?;
            manifest.entries.entry(entry.file.clone()).or_default().push(entry);
            Ok(())
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut File, &mut Manifest) -> T) -> T {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, manifest) = &mut *inner;
        work(file, manifest)
    }
}

impl Journal for JournalFile {
    fn begins(&self, name: &str) -> std::io::Result<()> {
        let Some(letters) = letters_of(name) else { return Ok(()) };
        self.with(|file, manifest| {
            file.write_all(format!("{TEMPORARY}{letters}\n").as_bytes())?;
            manifest.temporary.push(letters.to_string());
            Ok(())
        })
    }

    fn appears(&self, name: &str, size: u64, hash: blake3::Hash) -> std::io::Result<()> {
        let blake3 = Some(text_of(hash));
        self.add(Entry { file: name.to_string(), bytes: size, blake3, grows: false })
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn fail(path: &Path, e: std::io::Error) -> Error {
    let remedy = "check that the folder is writable, and that the disk is not full";
    Error::output(path, format!("cannot be noted in {JOURNAL}: {e}"), remedy).because(e)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes files as a run would, and returns the list that another process would read.
    fn noted(folder: &Path, work: impl FnOnce(&JournalFile)) -> Manifest {
        let journal = JournalFile::open(folder, Manifest::read(folder).as_ref()).unwrap();
        work(&journal);
        Manifest::read(folder).unwrap()
    }

    #[test]
    fn a_file_is_known_by_its_contents() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert!(Manifest::read(folder).is_none());
        let manifest = noted(folder, |journal| {
            journal.appears("a.vtp", 3, blake3::hash(b"new")).unwrap();
            journal.begins(".zeroset-b.vtp-a1B2c3.part").unwrap();
            journal.note_text(&folder.join("m.csv"), "step\n").unwrap();
        });
        let as_written = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).unwrap();
            let by = |compare| manifest.matches(folder, name, compare);
            (by(Compare::Size), by(Compare::Hash))
        };
        assert_eq!(as_written("a.vtp", "new"), (true, true));
        assert_eq!(as_written("a.vtp", "old"), (true, false));
        assert_eq!(as_written("a.vtp", "newer"), (false, false));
        assert_eq!(as_written("m.csv", ""), (true, true));
        assert_eq!(as_written("m.csv", "step\n1\n"), (true, true));
        assert_eq!(as_written("m.csv", "other\n1\n"), (true, false));
        assert_eq!(as_written(".zeroset-b.vtp-a1B2c3.part", "x"), (true, true));
        assert_eq!(as_written("c.vtp", "new"), (false, false));
        assert!(manifest.lists("a.vtp") && !manifest.lists("c.vtp"));
    }

    #[test]
    fn an_incomplete_line_and_names_outside_the_folder_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        noted(folder, |journal| {
            for name in ["../a", "/etc/passwd", "..", "", "b/c", "."] {
                journal.appears(name, 0, blake3::hash(b"")).unwrap();
            }
        });
        let mut file = OpenOptions::new().append(true).open(folder.join(JOURNAL)).unwrap();
        file.write_all(b"= 3 0123").unwrap();
        let manifest = noted(folder, |journal| {
            journal.appears("whole", 0, blake3::hash(b"")).unwrap();
        });
        let names: Vec<&String> = manifest.entries.keys().collect();
        assert_eq!(names, ["whole"]);
    }

    #[test]
    fn files_of_other_programs_are_no_list() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for (name, text) in [
            (JOURNAL, "= 0 - a\n"),
            (REPORT, "{\"files\":{\"a\":{\"bytes\":0,\"blake3\":\"\"}}}"),
            (REPORT, "{\"program\":{\"name\":\"other\"},\"files\":{}}"),
        ] {
            std::fs::write(folder.join(name), text).unwrap();
            assert!(Manifest::read(folder).is_none(), "{name}: {text}");
        }
        std::fs::write(folder.join(REPORT), "{\"program\":{\"name\":\"zeroset\"},\"files\":{}}")
            .unwrap();
        assert!(Manifest::read(folder).unwrap().lists(REPORT));
    }
}
