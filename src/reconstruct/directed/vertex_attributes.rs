//! Vertex attributes that come from samples: normals and colors.

use super::field::Field;
use super::lattice::Lattice;
use super::seeds::Seeds;
use crate::cloud::PointCloud;
use crate::mesh::{DataArray, Mesh, Values, vertex_normals};
use crate::parallel::*;
use crate::surface::Parts;

/// The smallest product of the unit normals of the surface and of the nearest sample at a vertex
/// that the sample supports.
const SUPPORTED: f64 = 0.5;

/// The attributes of the sample nearest to a vertex.
#[derive(Clone, Copy)]
struct Carried {
    normal: [f64; 3],
    /// Index of the sample in the cloud.
    number: u32,
    /// Whether the sample lies within half a cube edge of the vertex.
    is_near: bool,
}

/// Adds normals and colors to a surface in lattice units and transforms it to world units.
///
/// Removes the components that have no vertex within half a cube edge of a sample, and returns
/// their number.
pub(super) fn finish(
    mut mesh: Mesh,
    field: &Field,
    seeds: &Seeds,
    lattice: &Lattice,
    cloud: &PointCloud,
) -> (Mesh, usize) {
    let carried: Vec<Carried> =
        mesh.vertices.par_iter().map(|x| nearest(*x, field, seeds)).collect();
    let parts = Parts::new(&mesh);
    let mut is_kept = vec![false; parts.count()];
    for (v, carried) in carried.iter().enumerate() {
        if let Some(part) = parts.of_vertex(v) {
            is_kept[part] |= carried.is_near;
        }
    }
    mesh.vertices.par_iter_mut().for_each(|x| *x = lattice.world(*x));
    mesh.vertex_data = arrays(&mesh, &carried, cloud);
    let dropped = is_kept.iter().filter(|kept| !**kept).count();
    if dropped > 0 {
        mesh = parts.keep(mesh, |part| is_kept[part]);
    }
    (mesh, dropped)
}

/// Returns the attributes for a vertex of the surface, which lies on an edge of a cube. The
/// distance at each end of the edge comes from a sample, and the nearer of the two samples counts.
fn nearest(x: [f64; 3], field: &Field, seeds: &Seeds) -> Carried {
    let ends = [f64::floor, f64::ceil].map(|round| field.nearest(x.map(|c| round(c) as u32)));
    let mut best = Carried { normal: [0.0; 3], number: u32::MAX, is_near: false };
    let mut least = f64::INFINITY;
    for sample in ends.into_iter().flatten().map(|k| &seeds.samples[k as usize]) {
        let d2: f64 = (0..3).map(|k| (sample.point[k] - x[k]).powi(2)).sum();
        if d2 < least || (d2 == least && sample.number < best.number) {
            let (normal, number) = (sample.normal, sample.number);
            (best, least) = (Carried { normal, number, is_near: d2 <= 0.25 }, d2);
        }
    }
    best
}

/// Returns the arrays `nx`, `ny` and `nz`, and `red`, `green` and `blue` if the cloud has colors.
/// If the sample of a vertex has no normal, the normal of the vertex is computed from the
/// triangles.
fn arrays(mesh: &Mesh, carried: &[Carried], cloud: &PointCloud) -> Vec<DataArray> {
    let array = |name: &str, values| DataArray { name: name.to_string(), components: 1, values };
    let is_none = |carried: &Carried| carried.normal == [0.0; 3];
    let of_triangles = match carried.iter().any(is_none) {
        true => vertex_normals(mesh),
        false => Vec::new(),
    };
    let normal = |v: usize, k: usize| match is_none(&carried[v]) {
        true => of_triangles[v][k],
        false => carried[v].normal[k],
    };
    let mut arrays = Vec::new();
    for (k, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
        let values = (0..carried.len()).into_par_iter().map(|v| normal(v, k)).collect();
        arrays.push(array(name, Values::Float(values)));
    }
    if let Some(colors) = &cloud.colors {
        for (k, name) in ["red", "green", "blue"].into_iter().enumerate() {
            let of = |carried: &Carried| i64::from(colors[carried.number as usize][k]);
            arrays.push(array(name, Values::Int(carried.par_iter().map(of).collect())));
        }
    }
    arrays
}

/// Returns whether the nearest sample supports the surface, for each vertex. The mesh must have the
/// normals of the nearest samples as arrays `nx`, `ny` and `nz`.
pub(in crate::reconstruct) fn supported(mesh: &Mesh) -> Vec<bool> {
    let arrays = ["nx", "ny", "nz"].map(|name| match mesh.vertex_array(name).map(|a| &a.values) {
        Some(Values::Float(values)) => &values[..],
        _ => &[],
    });
    let agrees = |(v, normal): (usize, &[f64; 3])| {
        let product = (0..3).map(|k| normal[k] * arrays[k].get(v).copied().unwrap_or(normal[k]));
        product.sum::<f64>() >= SUPPORTED
    };
    vertex_normals(mesh).iter().enumerate().map(agrees).collect()
}
