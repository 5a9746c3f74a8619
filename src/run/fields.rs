//! Evaluation of the expressions of a case on the mesh of a run.

use super::CleanedMesh;
use super::rows::Rows;
use crate::config::Config;
use crate::error::Result;
use crate::expression::{Expression, Field, Flaw, is_true};
use crate::mesh::Places;

const GUARD: &str = "keep divisions and logarithms away from 0, as in a/max(b, 1e-9), or choose \
                     with if(condition, a, b)";

/// Returns the expression of the key `key` as a field over the vertices of the cleaned mesh.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::numbers`] for the names in the expression. Each error gives
/// the location of the key and points into the expression. Returns
/// [`Error::Case`](crate::Error::Case) naming the stored vertex if a value at the
/// start time is not finite.
pub fn vertex_field(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    expression: &Expression,
) -> Result<Field> {
    checked(config, cleaned, key, expression, cleaned.start_time).map(|(field, _)| field)
}

/// Returns the values of the expression of the key `key` at time `t`, one per vertex of the cleaned
/// mesh.
///
/// # Errors
/// Returns the same errors as [`vertex_field`], but checks the values at time `t`.
pub fn vertex_values(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    expression: &Expression,
    t: f64,
) -> Result<Vec<f64>> {
    checked(config, cleaned, key, expression, t).map(|(_, values)| values)
}

fn checked(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    expression: &Expression,
    t: f64,
) -> Result<(Field, Vec<f64>)> {
    let rows = Rows::new(cleaned, expression, Places::Vertices).map_err(config.locate(key))?;
    let values = rows.values(t);
    match values.iter().position(|value| !value.is_finite()) {
        Some(k) => {
            let flaw = rows.not_finite(key, k, t, GUARD);
            Err(config.error_at(key, flaw.to_string(), ""))
        }
        None => Ok((rows.into_field(), values)),
    }
}

/// Returns an error about the value of an expression at a vertex of the cleaned mesh. The error
/// points into the expression. If an array has no finite number there, the error names it.
pub(super) fn at_vertex(
    cleaned: &CleanedMesh,
    expression: &Expression,
    vertex: usize,
    t: f64,
    what: &str,
    remedy: &str,
) -> Flaw {
    match Rows::new(cleaned, expression, Places::Vertices) {
        Ok(rows) => rows.flaw(vertex, t, what, remedy),
        // A case whose expressions cannot be bound is refused earlier.
        Err(_) => {
            let point = cleaned.mesh.vertices[vertex];
            expression.flaw_at(point, t, &mut |_| f64::NAN, what, remedy)
        }
    }
}

/// Returns the value of an expression at a vertex of the cleaned mesh.
pub(super) fn value_at(
    cleaned: &CleanedMesh,
    expression: &Expression,
    vertex: usize,
    t: f64,
) -> f64 {
    let rows = Rows::new(cleaned, expression, Places::Vertices);
    rows.map_or(f64::NAN, |rows| rows.value(vertex, t))
}

/// Evaluates the expression of the key `key` in the cells of the cleaned mesh. Returns one value
/// for each cell.
///
/// Coordinates are those of the centroid. The name of an array or group stands for its number in
/// the cell; see [`Mesh::numbers`](crate::mesh::Mesh::numbers).
///
/// # Errors
/// Returns the errors of [`CleanedMesh::numbers`]. Each error gives the location of the key and
/// points into the expression. Returns [`Error::Case`](crate::Error::Case) if the expression needs
/// an array in a cell, or at a corner of a cell, where the array has no value.
pub fn cell_values(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    expression: &Expression,
) -> Result<Vec<f64>> {
    let rows = Rows::new(cleaned, expression, Places::Cells).map_err(config.locate(key))?;
    let values = rows.values(0.0);
    let lacks = |k: &usize| !values[*k].is_finite() && rows.lacking(*k, 0.0).is_some();
    match (0..values.len()).find(lacks) {
        Some(k) => {
            let flaw = rows.not_finite(key, k, 0.0, GUARD);
            Err(config.error_at(key, flaw.to_string(), ""))
        }
        None => Ok(values),
    }
}

/// The places where a condition is true.
pub(super) enum Truths {
    /// For each cell, whether the condition is true there.
    Cells(Vec<bool>),
    /// For each vertex, whether the condition is true there.
    Vertices(Vec<bool>),
}

/// Returns where a condition is evaluated: in the cells if it uses a cell array or a group of
/// cells, otherwise at the vertices.
pub(super) fn places_of(cleaned: &CleanedMesh, condition: &Expression) -> Places {
    match condition.names().iter().any(|name| cleaned.mesh.is_of_cells(name)) {
        true => Places::Cells,
        false => Places::Vertices,
    }
}

/// Evaluates the condition of the key `key`: in the cells if it uses a cell array or a group of
/// cells, otherwise at the vertices. Where an array that the condition needs has no value, the
/// condition is false.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::numbers`]. Returns [`Error::Case`](crate::Error::Case) for
/// a value that is not finite although all arrays have values there.
pub(super) fn truths(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    condition: &Expression,
) -> Result<Truths> {
    let places = places_of(cleaned, condition);
    let rows = Rows::new(cleaned, condition, places).map_err(config.locate(key))?;
    let values = rows.values(0.0);
    let wrong = |k: &usize| !values[*k].is_finite() && rows.lacking(*k, 0.0).is_none();
    if let Some(k) = (0..values.len()).find(wrong) {
        let flaw = rows.not_finite(key, k, 0.0, GUARD);
        return Err(config.error_at(key, flaw.to_string(), ""));
    }
    let truths = values.into_iter().map(is_true).collect();
    Ok(match places {
        Places::Cells => Truths::Cells(truths),
        Places::Vertices => Truths::Vertices(truths),
    })
}

/// Returns for each cell whether it lies inside the mask of the key `key`.
///
/// A mask that uses a cell array or a group of cells is evaluated in the cells. Any other mask is
/// evaluated at the vertices, and a cell is inside if all its corners are. A place is outside if
/// the mask has no value there because an array has none.
///
/// # Errors
/// Returns the errors of [`truths`]. Returns [`Error::Case`](crate::Error::Case) for a mask that
/// leaves no cell.
pub(super) fn inside(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    mask: &Expression,
) -> Result<Vec<bool>> {
    let mesh = &cleaned.mesh;
    let truths = truths(config, cleaned, key, mask)?;
    let keep: Vec<bool> = match &truths {
        Truths::Cells(truths) => truths.clone(),
        Truths::Vertices(truths) => {
            let inside = |&v: &u32| truths[v as usize];
            mesh.iter_cells().map(|cell| cell.iter().all(inside)).collect()
        }
    };
    if keep.contains(&true) {
        return Ok(keep);
    }
    let (what, remedy) = match truths {
        Truths::Cells(truths) => (
            format!("it is zero or has no value in all {} cells", truths.len()),
            "use a mask that is nonzero in some cell",
        ),
        Truths::Vertices(truths) => {
            let (n, all) = (truths.iter().filter(|&&truth| truth).count(), truths.len());
            let what = "and no cell has only such vertices";
            (
                format!("it is nonzero at {n} of {all} vertices, {what}"),
                "use a mask that is nonzero at all vertices of some cell",
            )
        }
    };
    Err(config.error_at(key, format!("{key} leaves no cell: {what}"), remedy))
}
