//! The subjects of warnings.

use super::Mesh;

/// The subject of a warning, for callers that treat some warnings differently.
///
/// ```
/// use zeroset::api::Subject;
/// // The first two triangles have their own copies of two corners.
/// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0],
///     [1.0, 1.0, 1.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [3, 5, 4]])?;
/// let found = zeroset::distance(&mesh, &[zeroset::Source::Vertex(0)])?;
/// assert!(found.warnings[0].contains("repaired"));
/// assert_eq!(found.subjects[0], Subject::Mesh);
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The content of a file, or what a format cannot hold.
    File,
    /// Repairs and defects of a mesh.
    Mesh,
    /// A result that may be inaccurate.
    Accuracy,
    /// A GPU that cannot be used.
    Device,
}

impl Subject {
    /// Returns the subjects of the first `n` warnings of a task on a mesh. The first `of_mesh` of
    /// them are those of the reader and of the repair.
    pub(super) fn of_task(mesh: &Mesh, of_mesh: usize, n: usize) -> Vec<Self> {
        let of_file = mesh.warnings().len();
        let subject = |k: usize| match k {
            _ if k < of_file => Subject::File,
            _ if k < of_mesh => Subject::Mesh,
            _ => Subject::Accuracy,
        };
        (0..n).map(subject).collect()
    }
}
