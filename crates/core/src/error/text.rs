//! Words of messages: file names, quoted text, places of a case.

use std::path::{Path, PathBuf};

/// What the system calls standard input, for which `-` stands on the command line.
pub const STANDARD_INPUT: &str = "/dev/stdin";

/// A file as messages name it.
pub fn shown(file: &Path) -> std::path::Display<'_> {
    let is_stream = file.as_os_str() == STANDARD_INPUT;
    if is_stream { Path::new("standard input").display() } else { file.display() }
}

/// Text that may quote a file, as one line for a screen: no control characters, cut where it is
/// too long to be read.
pub fn plain(text: String) -> String {
    const MOST: usize = 600;
    if text.len() <= MOST && !text.contains(char::is_control) {
        return text;
    }
    let long = text.chars().count() > MOST;
    let shown = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c });
    shown.chain(long.then_some("...").into_iter().flat_map(str::chars)).collect()
}

/// "case.toml:8: "
pub fn in_place(file: &Option<PathBuf>, line: &Option<usize>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{}:{line}: ", file.display()),
        (Some(file), None) => format!("{}: ", file.display()),
        (None, _) => String::new(),
    }
}

/// "; what to do"
pub(super) fn and_then(remedy: &str) -> String {
    if remedy.is_empty() { String::new() } else { format!("; {remedy}") }
}
