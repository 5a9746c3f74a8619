//! Text of messages: file names, quoted text and positions in a case file.

use std::path::{Path, PathBuf};

/// The system's name for standard input, which is `-` on the command line.
pub const STANDARD_INPUT: &str = "/dev/stdin";

/// Returns a file name as messages show it. Standard input is shown as "standard input".
pub fn shown(file: &Path) -> std::path::Display<'_> {
    let is_stream = file.as_os_str() == STANDARD_INPUT;
    if is_stream { Path::new("standard input").display() } else { file.display() }
}

/// Converts text that may quote a file to text that can be printed on one line. Control characters
/// become spaces, and long text is truncated.
pub fn plain(text: String) -> String {
    const MOST: usize = 600;
    if text.len() <= MOST && !text.contains(char::is_control) {
        return text;
    }
    let long = text.chars().count() > MOST;
    let shown = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c });
    shown.chain(long.then_some("...").into_iter().flat_map(str::chars)).collect()
}

/// Returns a prefix such as "case.toml:8: ", or an empty string if there is no file.
pub fn in_place(file: &Option<PathBuf>, line: &Option<usize>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{}:{line}: ", file.display()),
        (Some(file), None) => format!("{}: ", file.display()),
        (None, _) => String::new(),
    }
}

/// Returns the remedy as a suffix, such as "; add a vertex", or an empty string if there is no
/// remedy.
pub(super) fn and_then(remedy: &str) -> String {
    if remedy.is_empty() { String::new() } else { format!("; {remedy}") }
}
