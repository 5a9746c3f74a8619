//! The update that gave each vertex its arrival time, found again from the final values.

use crate::geometry::Vec3;
use crate::levelset::eikonal::{Slowness, formulas};
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::primitives::GatherMatrix;

/// Another cell or source causes a kink if its time exceeds that of the best cell by at most this
/// fraction of the time that the front needs to cross the best cell.
pub(super) const KINK: f64 = 1e-4;
/// Two feet are different if the weights of their vertices differ by more than this in total.
/// Feet in neighboring cells that lie closer together have almost the same derivatives: the front
/// comes through a point near their common facet.
const APART: f64 = 0.1;
/// An initial value wins unless a front is earlier by more than this fraction of it. Rounding may
/// make a front along the same path a little earlier.
const EARLIER: f64 = 1e-12;

/// The origin of the arrival time of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Origin {
    /// No front arrives.
    Unreached,
    /// The initial value of the source.
    Source,
    /// A front through the facet opposite to the vertex in a cell. `slot` is the index of the
    /// vertex in the corner list of the mesh, `weights` the barycentric weights of the point that
    /// the front comes from at the other corners, and `time` the time that the front needs from
    /// there.
    Front { slot: u32, weights: [f64; 3], time: f64 },
}

/// The origin of a value, and whether another cell gives almost the same time over another point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    pub origin: Origin,
    pub is_kink: bool,
}

/// Returns the corners of the facet opposite to corner `i`, in the order of [`Origin::Front`]'s
/// weights, for cells with `N` corners.
pub(super) fn others<const N: usize>(i: usize) -> [usize; 3] {
    std::array::from_fn(|k| (i + 1 + k) % N)
}

/// Returns the update of each vertex for arrival times `u`, `[n_vertices]` in mesh order. `initial`
/// has the initial values, infinite where there is none.
///
/// The update of a vertex is a function of the final values alone. If several cells give the same
/// time, the first one counts, so the result is the same in every run.
pub(super) fn updates(
    mesh: &Mesh,
    at_vertex: &GatherMatrix,
    slowness: &Slowness<f64>,
    u: &[f64],
    initial: &[f64],
) -> Vec<Update> {
    let update = |v: usize| match mesh.kind.arity() {
        3 => update::<3>(mesh, at_vertex.row(v), slowness, u, (v, initial[v])),
        _ => update::<4>(mesh, at_vertex.row(v), slowness, u, (v, initial[v])),
    };
    (0..mesh.n_vertices()).into_par_iter().map(update).collect()
}

fn update<const N: usize>(
    mesh: &Mesh,
    slots: &[u32],
    slowness: &Slowness<f64>,
    u: &[f64],
    (v, initial): (usize, f64),
) -> Update {
    if u[v] == f64::INFINITY {
        return Update { origin: Origin::Unreached, is_kink: false };
    }
    let offer = |slot: u32| offer::<N>(mesh, slowness, u, slot);
    let mut best = (f64::INFINITY, 0, [0.0; 3]);
    for &slot in slots {
        let (value, weights) = offer(slot);
        if value < best.0 {
            best = (value, slot, weights);
        }
    }
    let (value, slot, weights) = best;
    if value >= initial - EARLIER * initial.abs() {
        return Update { origin: Origin::Source, is_kink: false };
    }
    let from = foot::<N>(mesh, slot, weights);
    let time = value
        - from.iter().map(|&(w, s)| if s > 0.0 { s * u[w as usize] } else { 0.0 }).sum::<f64>();
    let is_kink = slots.iter().any(|&other| {
        let (late, weights) = offer(other);
        late - value <= KINK * time && are_apart(&from, &foot::<N>(mesh, other, weights))
    });
    Update { origin: Origin::Front { slot, weights, time }, is_kink }
}

/// Returns the time that a cell offers to one of its corners, and the weights of its foot.
fn offer<const N: usize>(
    mesh: &Mesh,
    slowness: &Slowness<f64>,
    u: &[f64],
    slot: u32,
) -> (f64, [f64; 3]) {
    let (cell, i) = (slot as usize / N, slot as usize % N);
    let corners = &mesh.cells[cell * N..][..N];
    let x: [Vec3; N] = std::array::from_fn(|k| mesh.vertices[corners[k] as usize].into());
    let (x, f) = slowness.in_cell(cell as u32, x);
    let [j, k, l] = others::<N>(i);
    let of = |k: usize| u[corners[k] as usize];
    if N == 3 {
        let (value, s) = formulas::triangle_foot(of(j), of(k), &x[j], &x[k], &x[i], f);
        (value, [1.0 - s, s, 0.0])
    } else {
        formulas::tetrahedron_foot([of(j), of(k), of(l)], [&x[j], &x[k], &x[l]], &x[i], f)
    }
}

/// Returns the vertices of a facet with their weights.
fn foot<const N: usize>(mesh: &Mesh, slot: u32, weights: [f64; 3]) -> [(u32, f64); 3] {
    let (cell, i) = (slot as usize / N, slot as usize % N);
    let others = others::<N>(i);
    std::array::from_fn(|k| (mesh.cells[cell * N + others[k]], weights[k]))
}

fn are_apart(one: &[(u32, f64); 3], other: &[(u32, f64); 3]) -> bool {
    let of = |foot: &[(u32, f64); 3], v: u32| {
        foot.iter().filter(|(w, _)| *w == v).map(|(_, s)| s).sum::<f64>()
    };
    let vertices = one.iter().chain(other).map(|&(v, _)| v);
    vertices.map(|v| (of(one, v) - of(other, v)).abs()).sum::<f64>() > APART
}
