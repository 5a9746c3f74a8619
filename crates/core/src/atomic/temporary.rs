//! Names of temporary files.

use std::path::Path;

use tempfile::NamedTempFile;

use super::folder_of;
use super::journal::Journal;

/// The prefix and suffix of temporary file names. Between them are the name of the final file, "-"
/// and [`RANDOM`] random letters or digits. A killed program leaves such files behind.
const IN_THE_MAKING: [&str; 2] = [".zeroset-", ".part"];
const RANDOM: usize = 6;

/// The maximum number of bytes of the final name that a temporary name contains. Most systems limit
/// file names to 255 bytes.
pub(super) const LONGEST: usize = 200;

/// Returns the final name that a temporary file name contains, or `None` for other names. A long
/// final name is truncated.
pub fn in_the_making(name: &str) -> Option<&str> {
    let [begin, end] = IN_THE_MAKING;
    let inner = name.strip_prefix(begin)?.strip_suffix(end)?;
    let (target, random) = inner.rsplit_once('-')?;
    (random.len() == RANDOM).then_some(target)
}

/// Creates a temporary file next to `target`. Its permissions follow the user's umask. With the
/// default of `tempfile`, only the owner could read the renamed file.
pub(super) fn temporary(
    target: &Path,
    journal: Option<&dyn Journal>,
) -> std::io::Result<NamedTempFile> {
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
