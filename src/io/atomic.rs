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

/// Temporary files that, once renamed, may be read by whom the user's file mask allows; by
/// default nobody else could read them.
fn temporary() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}
