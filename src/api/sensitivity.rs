//! Derivatives of a function of distances or arrival times.

use super::distance::complete;
use super::{DistanceOptions, Mesh, Source};
use crate::error::{Error, Result};
use crate::run::distance::Sensitivity;

/// Computes the derivatives of a number J by the speeds, the start values and the positions of the
/// sources of a distance.
///
/// `distances` are the values that [`distance_with`](super::distance_with) returns for the same
/// arguments, `[vertices]`, and `weights` are the derivatives of J by them, `[vertices]`. They have
/// no effect at vertices that no front reaches, and at those beyond [`DistanceOptions::within`].
/// The derivatives are those of the discrete solution, exact up to rounding away from kinks.
///
/// The cost is a pass over the mesh, for any number of cells. With several sources, a limit or
/// 32-bit values, fronts are computed again, which takes about two more distances. All of this runs
/// on the CPU in f64, on whatever device the distances were computed.
///
/// ```
/// use zeroset::api::{DistanceOptions, sensitivity};
/// use zeroset::{Source, config::FrontShape};
/// let corners = vec![[0.0; 3], [4.0, 0.0, 0.0], [4.0, 3.0, 0.0], [0.0, 3.0, 0.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [0, 2, 3]])?;
/// let options = DistanceOptions::default().speed(2.0).front(FrontShape::Plane);
/// // J is the time at vertex 1, which is 4 / speed.
/// let times = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options)?.values;
/// let weights = [0.0, 1.0, 0.0, 0.0];
/// let found = sensitivity(&mesh, &[Source::Vertex(0)], &options, &times, &weights)?;
/// assert_eq!((found.speed, found.starts), (Some(vec![-1.0, 0.0]), vec![1.0]));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`distance_with`](super::distance_with). Returns [`Error::Case`] for
/// circular and exact fronts, for zero sets as sources, and for weights that are not finite.
pub fn sensitivity(
    mesh: &Mesh,
    sources: &[Source],
    options: &DistanceOptions,
    distances: &[f64],
    weights: &[f64],
) -> Result<Sensitivity> {
    if weights.len() != mesh.n_vertices() {
        let what = format!("there are {} derivatives by distances", weights.len());
        let remedy = format!("give one for each of {} vertices", mesh.n_vertices());
        return Err(Error::usage(what, remedy));
    }
    if let Some(v) = weights.iter().position(|weight| !weight.is_finite()) {
        let what = format!("the derivative by the distance of vertex {v} is {}", weights[v]);
        return Err(Error::usage(what, "use 0 where the distance does not matter"));
    }
    if distances.len() != mesh.n_vertices() {
        let what = format!("there are {} distances", distances.len());
        let remedy = format!("give one for each of {} vertices", mesh.n_vertices());
        return Err(Error::usage(what, remedy));
    }
    let (setup, distance) = complete(mesh, sources, options)?;
    setup.sensitivity(&distance, distances, weights)
}
