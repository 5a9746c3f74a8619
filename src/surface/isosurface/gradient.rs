//! Normals of the surface from the gradient of the values.

use super::generate::crossings;
use super::masks::Masks;
use super::rows::Counts;
use super::{Field, Number};
use crate::parallel::*;
use crate::primitives::DisjointRows;
use crate::volume::Placement;

/// Returns the normalized gradient of phi in world coordinates at each vertex. It interpolates
/// central differences at both ends of the edge, or one-sided differences at the boundary. It is
/// NaN if the gradient vanishes or values are missing.
pub(super) fn normals<T: Number>(
    field: &Field<T>,
    masks: &Masks,
    counts: &Counts,
    place: &Placement,
) -> [Vec<f64>; 3] {
    let mut normals = [0, 1, 2].map(|_| vec![0.0; counts.vertices()]);
    let all = normals.each_mut().map(|normals| DisjointRows::new(normals));
    let [_, ny, nz] = masks.size;
    (0..nz).into_par_iter().for_each(|z| {
        let [from, to] = [z, z + 1].map(|z| counts.first_vertex[ny * z] as usize);
        // SAFETY: each slice writes the rows of its own vertices.
        let [xs, ys, zs] = all.each_ref().map(|all| unsafe { all.range(from..to) });
        let mut v = 0;
        crossings(field, masks, z, |low, axis, t| {
            let mut high = low;
            high[axis] += 1;
            let [g, h] = [low, high].map(|voxel| gradient(field, voxel));
            let gradient = match (g, h) {
                (Some(g), Some(h)) => [0, 1, 2].map(|k| g[k] * (1.0 - t) + h[k] * t),
                (g, h) => g.or(h).unwrap_or_default(),
            };
            let world = place.world_gradient(gradient);
            let length = world.iter().map(|x| x * x).sum::<f64>().sqrt();
            [xs[v], ys[v], zs[v]] = world.map(|x| x / length);
            v += 1;
        });
    });
    normals
}

/// Returns the gradient of phi at a voxel, in units of phi per voxel, or `None` in the layer around
/// the volume.
fn gradient<T: Number>(field: &Field<T>, voxel: [usize; 3]) -> Option<[f64; 3]> {
    let own = field.at(voxel)?;
    Some(std::array::from_fn(|k| {
        let mut beside = voxel;
        beside[k] += 1;
        let above = field.at(beside);
        let below = voxel[k].checked_sub(1).and_then(|c| {
            beside[k] = c;
            field.at(beside)
        });
        let spans = f64::from(u8::from(above.is_some()) + u8::from(below.is_some())).max(1.0);
        (above.unwrap_or(own) - below.unwrap_or(own)) / spans
    }))
}
