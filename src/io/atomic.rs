//! Files that appear whole or not at all: written under a temporary name, then renamed.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Writes `path` through `body`; on any failure the old file, if there was one, stays.
///
/// # Errors
/// [`Error::Output`] naming the file: folder missing or not writable, disk full.
pub fn write(path: &Path, body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let fail = |e: std::io::Error| Error::output(path, e, "check the folder, its rights and space");
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let file = temporary().tempfile_in(folder).map_err(fail)?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    body(&mut writer).map_err(fail)?;
    let file = writer.into_inner().map_err(|e| fail(e.into_error()))?;
    file.as_file().sync_data().map_err(fail)?;
    file.persist(path).map_err(|e| fail(e.error))?;
    Ok(())
}

/// How the names of files in the making begin and end; a killed program leaves them behind.
const IN_THE_MAKING: [&str; 2] = [".zeroset-", ".part"];

/// True for the name of a file in the making.
pub(crate) fn is_in_the_making(name: &str) -> bool {
    let [begin, end] = IN_THE_MAKING;
    name.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end))
}

/// Temporary files that, once renamed, may be read by whom the user's file mask allows; by
/// default nobody else could read them.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    let [begin, end] = IN_THE_MAKING;
    builder.prefix(begin).suffix(end);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}
