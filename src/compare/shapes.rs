//! Distances between curves, surfaces, solids or points whose vertices do not correspond.

use serde::Serialize;

use super::Tolerance;
use super::findings::Source;
use super::matching::diagonal;
use crate::error::{Error, Result};
use crate::mesh::{Members, Mesh};
use crate::surface::{Pieces, Separation};

/// How far apart two shapes are. Lengths are in mesh units.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShapeDifference {
    /// "points", "curves", "surfaces" or "solids".
    pub kind: &'static str,
    /// Distances from the vertices of A to B.
    pub a_to_b: Separation,
    /// Distances from the vertices of B to A.
    pub b_to_a: Separation,
    /// Length, area or volume of A and of B.
    pub measure: [f64; 2],
    /// Number of connected components of A and of B.
    pub components: [usize; 2],
    /// Number of vertices in A and in B.
    pub vertices: [usize; 2],
    /// Diagonal of the larger of the two bounding boxes, in mesh units.
    pub diagonal: f64,
    /// Time of the states, for a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

const KINDS: [&str; 4] = ["points", "curves", "surfaces", "solids"];

impl ShapeDifference {
    /// Returns the larger of the largest distances in the two directions.
    pub fn largest(&self) -> f64 {
        self.a_to_b.largest.max(self.b_to_a.largest)
    }

    /// Returns whether all distances are within the tolerance. A relative tolerance refers to the
    /// diagonal of the bounding box. Shapes with different vertices are never bitwise equal.
    pub fn is_within(&self, tolerance: Tolerance) -> bool {
        !tolerance.is_exact() && self.largest() <= tolerance.allowed(self.diagonal)
    }

    /// Returns the word for the measure: "length", "area" or "volume", or an empty string for
    /// points.
    pub fn measure_name(&self) -> &'static str {
        match self.kind {
            "curves" => "length",
            "surfaces" => "area",
            "solids" => "volume",
            _ => "",
        }
    }
}

/// Returns the pieces of a mesh and their number of corners: its cells, or else the edges or faces
/// in its groups, or else its vertices.
fn pieces(mesh: &Mesh) -> (Vec<u32>, usize) {
    if mesh.n_cells() > 0 {
        return (mesh.cells.clone(), mesh.kind.arity());
    }
    let simplices = mesh.groups.iter().filter_map(|group| match &group.members {
        Members::Simplices { dimension, vertices } if *dimension > 0 => Some((dimension, vertices)),
        _ => None,
    });
    let most = simplices.clone().map(|(dimension, _)| *dimension).max().unwrap_or(0);
    if most == 0 {
        return ((0..mesh.n_vertices() as u32).collect(), 1);
    }
    let chosen = simplices.filter(|(dimension, _)| **dimension == most);
    (chosen.flat_map(|(_, vertices)| vertices).copied().collect(), most + 1)
}

/// Adds the distances between two meshes whose vertices do not correspond.
///
/// # Errors
/// Returns [`Error::Case`] if the two consist of different shapes, such as curves and surfaces.
pub(super) fn compare(a: &Mesh, b: &Mesh, source: &mut Source) -> Result<()> {
    let ((of_a, arity_a), (of_b, arity_b)) = (pieces(a), pieces(b));
    let (first, second) =
        (Pieces::new(&a.vertices, &of_a, arity_a), Pieces::new(&b.vertices, &of_b, arity_b));
    let size = |mesh: &Mesh| format!("{} vertices", mesh.n_vertices());
    match (first.is_empty(), second.is_empty()) {
        (true, true) => return Ok(()),
        (false, false) => {}
        (is_a, _) => {
            let (empty, other, full) = if is_a { ("A", "B", b) } else { ("B", "A", a) };
            let what = format!("{empty} is empty, but {other} has {}", size(full));
            source.differs("empty", what);
            return Ok(());
        }
    }
    if arity_a != arity_b {
        let (a, b) = (KINDS[arity_a - 1], KINDS[arity_b - 1]);
        let what = format!("A consists of {a} and B of {b}, which cannot be compared");
        return Err(Error::usage(what, "name two results of the same kind"));
    }
    let (Some(a_to_b), Some(b_to_a)) =
        (first.separation_from(&second), second.separation_from(&first))
    else {
        return Ok(());
    };
    let shape = ShapeDifference {
        kind: KINDS[arity_a - 1],
        a_to_b,
        b_to_a,
        measure: [first.measure(), second.measure()],
        components: [first.components(), second.components()],
        vertices: [a.n_vertices(), b.n_vertices()],
        diagonal: diagonal(a).max(diagonal(b)),
        time: None,
    };
    let [parts_a, parts_b] = shape.components;
    if parts_a != parts_b && arity_a > 1 {
        let what = format!("A has {parts_a} connected components, but B has {parts_b}");
        source.differs("components", what);
    }
    if a.vertex_data.iter().any(|array| b.vertex_array(&array.name).is_some()) {
        let what = format!(
            "the vertices do not correspond ({} in A, {} in B), so arrays are not compared",
            a.n_vertices(),
            b.n_vertices()
        );
        source.note("not compared", what, false);
    }
    source.shape = Some(shape);
    Ok(())
}
