//! Reads the text of a case file.

use std::io::ErrorKind;
use std::path::Path;

use toml::de::DeTable;

use crate::error::{Error, Result};
use crate::io::instead_of_a_case;

/// Reads a case file.
///
/// If the file has a different known format, such as that of a mesh, the error says so.
///
/// # Errors
/// Returns [`Error::Case`] if the file cannot be read or is not a case file.
pub(crate) fn read(path: &Path) -> Result<String> {
    let unread = match std::fs::read_to_string(path) {
        Ok(text) => {
            let is_toml = DeTable::parse(&text).is_ok();
            let other = if is_toml { None } else { instead_of_a_case(path, true) };
            return other
                .map_or(Ok(text), |(what, remedy)| Err(Error::case(path, None, what, remedy)));
        }
        Err(error) => error,
    };
    let (other, remedy) = match unread.kind() {
        ErrorKind::InvalidData => (instead_of_a_case(path, false), "save it as UTF-8 text"),
        _ => (None, "name a case file, such as configs/shrinking_circle.toml"),
    };
    let cannot = || (format!("cannot read the case file: {unread}"), remedy.to_string());
    let (what, remedy) = other.unwrap_or_else(cannot);
    Err(Error::case(path, None, what, remedy).because(unread))
}
