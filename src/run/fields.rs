//! Evaluation of the expressions of a case on the mesh of a run.

use std::sync::Arc;

use super::CleanedMesh;
use super::cleaned_mesh::missing;
use crate::config::Config;
use crate::error::Result;
use crate::expression::{Expression, Field, Flaw};

const GUARD: &str = "keep divisions and logarithms away from 0, as in a/max(b, 1e-9), or choose \
                     with if(condition, a, b)";

/// Returns the expression of the key `key` as a field over the vertices of the cleaned mesh.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::vertex_array`] for the arrays of the expression. Each error
/// gives the location of the key and points into the expression. Returns
/// [`Error::Case`](crate::Error::Case) naming the stored vertex if a value at time 0 is not finite.
pub fn vertex_field(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    expression: &Expression,
) -> Result<Field> {
    bound(config, cleaned, key, expression, 0.0).map(|(field, _)| field)
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
    bound(config, cleaned, key, expression, t).map(|(_, values)| values)
}

fn bound(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    expression: &Expression,
    t: f64,
) -> Result<(Field, Vec<f64>)> {
    let rows = |name: &str| cleaned.vertex_array(name, 1).map(Arc::from);
    let field = Field::bind(expression, rows).map_err(config.locate(key))?;
    let values = field.values(&cleaned.mesh.vertices, t);
    if let Some(k) = values.iter().position(|value| !value.is_finite()) {
        let [x, y, z] = cleaned.mesh.vertices[k];
        let time = if expression.uses_time() { format!(" at t = {t}") } else { String::new() };
        let what = format!(
            "{key} is {} at vertex {} ({x:.6}, {y:.6}, {z:.6}){time}",
            values[k],
            cleaned.stored_vertex(k)
        );
        let flaw = at_vertex(cleaned, expression, k, t, &what, GUARD);
        return Err(config.error_at(key, flaw.to_string(), ""));
    }
    Ok((field, values))
}

/// Returns an error about the value of an expression at a vertex of the cleaned mesh. The error
/// points into the expression.
pub(super) fn at_vertex(
    cleaned: &CleanedMesh,
    expression: &Expression,
    vertex: usize,
    t: f64,
    what: &str,
    remedy: &str,
) -> Flaw {
    let mut array = |name: &str| number_at(cleaned, name, vertex);
    expression.flaw_at(cleaned.mesh.vertices[vertex], t, &mut array, what, remedy)
}

/// Returns the value of an expression at a vertex of the cleaned mesh.
pub(super) fn value_at(
    cleaned: &CleanedMesh,
    expression: &Expression,
    vertex: usize,
    t: f64,
) -> f64 {
    let mut array = |name: &str| number_at(cleaned, name, vertex);
    expression.tree().value(cleaned.mesh.vertices[vertex], t, &mut array)
}

/// Returns the value of a vertex array at a vertex, or NaN if the array or the value does not
/// exist.
fn number_at(cleaned: &CleanedMesh, array: &str, vertex: usize) -> f64 {
    let values = cleaned.mesh.vertex_array(array).map(|array| array.values.to_f64());
    values.and_then(|values| values.get(vertex).copied()).unwrap_or(f64::NAN)
}

/// Returns the values of the expression of the key `key` in the cells of the cleaned mesh.
///
/// Coordinates are taken at the centroid, and vertex arrays are averaged over the corners. A cell
/// array takes precedence over a vertex array of the same name.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::cell_array`] and [`CleanedMesh::vertex_array`]. Each error
/// gives the location of the key and points into the expression.
pub fn cell_values(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    expression: &Expression,
) -> Result<Vec<f64>> {
    let mesh = &cleaned.mesh;
    let cells = || mesh.cells.chunks_exact(mesh.kind.arity());
    let corners = mesh.kind.arity() as f64;
    let rows = |name: &str| -> Result<Arc<[f64]>> {
        if mesh.cell_array(name).is_none() && mesh.vertex_array(name).is_some() {
            let rows = cleaned.vertex_array(name, 1)?;
            let mean = |cell: &[u32]| cell.iter().map(|&v| rows[v as usize]).sum::<f64>() / corners;
            return Ok(cells().map(mean).collect());
        }
        if mesh.cell_array(name).is_none() {
            let all = mesh.cell_data.iter().chain(&mesh.vertex_data);
            let names: Vec<&str> = all.map(|array| array.name.as_str()).collect();
            return Err(missing("array", name, &names));
        }
        cleaned.cell_array(name).map(Arc::from)
    };
    let field = Field::bind(expression, rows).map_err(config.locate(key))?;
    let centroid = |cell: &[u32]| {
        [0, 1, 2].map(|k| cell.iter().map(|&v| mesh.vertices[v as usize][k]).sum::<f64>() / corners)
    };
    Ok(field.values(&cells().map(centroid).collect::<Vec<_>>(), 0.0))
}
