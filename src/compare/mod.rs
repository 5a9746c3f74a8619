//! Comparison of two results: files with arrays, series of states, or folders of runs.
//!
//! [`compare`] pairs what belongs together (the states of a series by their times, arrays and
//! columns by their names) and states where the two differ. Vertices correspond if they have the
//! same numbers and positions, or the same positions but different numbers. If they do not
//! correspond, the distances between the two curves, surfaces or meshes are computed instead.

mod contents;
mod findings;
mod folders;
mod matching;
mod meshes;
mod pairs;
mod shapes;
mod subject;
mod values;

use std::path::Path;

use serde::Serialize;

use crate::error::Result;
pub use findings::{Finding, Source};
pub use shapes::ShapeDifference;
use subject::Subject;
pub use values::{ArrayDifference, Place, Tolerance};

/// The version of the format of [`Comparison`] as JSON.
pub const SCHEMA_VERSION: u32 = 1;

/// The result of comparing A with B.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The value of [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Whether A and B are equal within the tolerance.
    pub equal: bool,
    /// The differences that count as equal.
    pub tolerance: Tolerance,
    /// The parts that were compared: one entry for two files, one per pair of files for two runs.
    pub sources: Vec<Source>,
    /// Warnings of the readers, one sentence each.
    pub warnings: Vec<String>,
}

/// Compares A with B: two files, or two folders of runs.
///
/// ```
/// use zeroset::compare::{Tolerance, compare};
/// let path = std::path::Path::new("meshes/fsaverage5_pial_left.gii.gz");
/// assert!(compare(path, path, Tolerance::default())?.equal);
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Input`](crate::Error::Input) if a file cannot be read. Returns
/// [`Error::Case`](crate::Error::Case) if the two hold different things, such as a volume and a
/// mesh, so that there is nothing to compare.
pub fn compare(a: &Path, b: &Path, tolerance: Tolerance) -> Result<Comparison> {
    let mut warnings = Vec::new();
    let sources = match (a.is_dir(), b.is_dir()) {
        (true, true) => folders::compare(a, b, tolerance, &mut warnings)?,
        _ => {
            let (first, second) = (Subject::open(a)?, Subject::open(b)?);
            vec![first.compare(&second, "", tolerance, &mut warnings)?]
        }
    };
    warnings.dedup();
    let equal = sources.iter().all(|source| source.is_equal(tolerance));
    Ok(Comparison { schema_version: SCHEMA_VERSION, equal, tolerance, sources, warnings })
}
