//! Several sources: at each vertex, the smallest of their arrival times and the source that it
//! comes from.

use std::collections::HashMap;

use super::{EikonalSolver, EikonalState, Front, Stats, source::Source};
use crate::error::Result;
use crate::geometry::Real;

/// The entry of [`Nearest::source`] for a vertex that no front has reached.
pub const NO_SOURCE: u32 = u32::MAX;

/// How far a front is followed into the regions of other sources. A vertex takes part in the solve
/// for a source only if its value exceeds the smallest value of all sources there by at most this
/// many times the longest time along an edge nearby.
///
/// A margin is needed because the value of a vertex near the boundary between two regions may be
/// computed from vertices beyond it. Obtuse cells take their values from farther away than others,
/// but even at angles of 113 degrees each additional edge reduces the influence by a factor of ten.
/// With 12 edges, the error from the cutoff is below 1e-12.
const MARGIN: f64 = 12.0;

/// The margin where no angle is obtuse. There, values come from at most one row of cells beyond the
/// boundary, where the values of the two sources differ by at most two edges. The third edge is
/// needed because the preliminary solve may be half an edge too early where fronts meet.
const MARGIN_OF_ACUTE: f64 = 3.0;

/// Arrival times from several sources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Nearest {
    /// The smallest arrival time of each vertex, in mesh order, `[n_vertices]`; infinite where no
    /// front has arrived.
    pub u: Vec<f64>,
    /// The group number of the source that each arrival time belongs to, `[n_vertices]`. If several
    /// sources tie up to rounding, it is the smallest of their group numbers. If no front has
    /// arrived, it is [`NO_SOURCE`].
    pub source: Vec<u32>,
    /// The statistics of all solves together.
    pub stats: Stats,
}

/// Solves for each source separately and takes the smallest value at every vertex. `sources` are
/// pairs of a group number and a source, and `width` is the latest arrival time to compute.
///
/// Where the fronts of two sources meet, a solve for all of them at once interpolates across the
/// kink between them. Separate solves do not, and for circular fronts they are the only correct
/// way. A preliminary solve for all sources at once, with plane fronts, limits how far each front
/// has to be followed. The total work is therefore about twice that of one source, regardless of
/// the number of sources. Sources with the same `group` number are solved separately but count as
/// one. Sources with equal values are solved only once.
///
/// Removes the values and seeds of the state before the first solve and after the last one.
///
/// # Errors
/// Returns the errors of the solver.
pub fn nearest<R: Real>(
    solver: &impl EikonalSolver,
    state: &mut EikonalState<R>,
    sources: &[(u32, Source)],
    width: Option<R>,
) -> Result<Nearest> {
    let n = state.problem.patches.n_vertices();
    let mut best = vec![R::INFINITY; n];
    let mut owner = vec![NO_SOURCE; n];
    let stats = each(solver, state, sources, width, |state, group, _| {
        for &p in state.visited.iter().chain(&state.seeded) {
            for v in state.problem.patches.patch(p as usize).owned() {
                let u = state.u[v];
                if u == R::INFINITY {
                    continue;
                }
                let rounding = R::ZERO_TEST * R::of(64.0) * u.abs();
                let closer = best[v] == R::INFINITY || u < best[v] - rounding;
                if closer || u <= best[v] + rounding && group < owner[v] {
                    owner[v] = group;
                }
                best[v] = best[v].min(u);
            }
        }
        Ok(())
    })?;
    let u = state.problem.patches.to_mesh_order(&best, Real::to_f64);
    Ok(Nearest { u, source: state.problem.patches.to_mesh_order(&owner, |s| s), stats })
}

/// Solves for each source separately as for [`nearest`]. Calls `visit` after each solve with the
/// state, the group number and the source. Sources with equal values are visited only once.
///
/// Removes the values and seeds of the state before the first solve and after the last one. Returns
/// the statistics of all solves together.
///
/// # Errors
/// Returns the errors of the solver and of `visit`.
pub(super) fn each<R: Real>(
    solver: &impl EikonalSolver,
    state: &mut EikonalState<R>,
    sources: &[(u32, Source)],
    width: Option<R>,
    mut visit: impl FnMut(&EikonalState<R>, u32, &Source) -> Result<()>,
) -> Result<Stats> {
    let sources = distinct(sources);
    let n = state.problem.patches.n_vertices();
    let mut position = vec![0u32; n];
    for (at, &v) in state.problem.patches.mesh_vertices().iter().enumerate() {
        position[v as usize] = at as u32;
    }
    let mut stats = Stats::default();
    state.clear();
    state.caps.clear();
    if sources.len() > 1 {
        let front = std::mem::replace(&mut state.problem.front, Front::Plane);
        for (_, source) in &sources {
            state.give(source, &position);
        }
        add(&mut stats, solver.solve(state, width)?);
        state.problem.front = front;
        let mut caps = vec![R::INFINITY; n];
        let obtuse = state.problem.near_obtuse();
        for (p, obtuse) in obtuse.into_iter().enumerate() {
            let margin = if obtuse { MARGIN } else { MARGIN_OF_ACUTE };
            let margin = R::of(margin) * state.problem.reach[p];
            for v in state.problem.patches.patch(p).owned() {
                caps[v] = state.u[v] + margin;
            }
        }
        state.clear();
        state.caps = caps;
    }
    for (group, source) in sources {
        state.give(source, &position);
        add(&mut stats, solver.solve(state, width)?);
        visit(state, group, source)?;
        state.clear();
    }
    state.caps.clear();
    Ok(stats)
}

/// Returns the sources without those that have the values of an earlier one. Each has the smallest
/// group number of the sources with its values.
fn distinct(sources: &[(u32, Source)]) -> Vec<(u32, &Source)> {
    let mut known: HashMap<(Vec<(u32, u64)>, bool), usize> = HashMap::new();
    let mut distinct: Vec<(u32, &Source)> = Vec::new();
    for (group, source) in sources {
        let values = source.values.iter().map(|&(v, value)| (v, value.to_bits())).collect();
        let at = *known.entry((values, source.is_fixed)).or_insert(distinct.len());
        match distinct.get_mut(at) {
            Some((smallest, _)) => *smallest = (*smallest).min(*group),
            None => distinct.push((*group, source)),
        }
    }
    distinct
}

fn add(total: &mut Stats, stats: Stats) {
    total.rounds += stats.rounds;
    total.patch_updates += stats.patch_updates;
    total.visited_patches += stats.visited_patches;
}

impl<R: Real> EikonalState<R> {
    /// Lowers the values of vertices to those of a source, and fixes them if the source is fixed.
    /// `position` maps mesh order to patch order.
    fn give(&mut self, source: &Source, position: &[u32]) {
        for &(v, value) in &source.values {
            let at = position[v as usize] as usize;
            self.u[at] = self.u[at].min(R::of(value));
            self.fixed[at] |= source.is_fixed;
            self.seeded.push(self.problem.patches.owner(at) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Slowness, source};
    use super::*;
    use crate::Cpu;
    use crate::mesh::generate::{Generate, Square, generate};
    use crate::mesh::{Mesh, clean};
    use crate::patches::{Coordinates, Partition, Patches};

    fn square(jitter: f64) -> Mesh {
        square_of(40, jitter)
    }

    fn square_of(n: u32, jitter: f64) -> Mesh {
        let mut square = Square::default();
        (square.cells, square.jitter) = ([n, n], jitter);
        clean(generate(&Generate::Square(square)).unwrap()).unwrap().0
    }

    fn solved(mesh: &Mesh, from: &[&[u32]], front: Front, threads: usize) -> Nearest {
        let plain = Slowness::Uniform(1.0);
        let patches = Arc::new(Patches::new(mesh, Partition::Metis, 16).unwrap());
        let coordinates = Arc::new(Coordinates::new(mesh, &patches));
        let state = EikonalState::new(patches, coordinates, plain.clone());
        let mut state = state.with_front(front).unwrap();
        let around = |ids: &&[u32]| source::around_simplices(mesh, ids, 1, 0.0, &plain);
        let sources: Vec<(u32, Source)> =
            (0..).zip(from).map(|(k, ids)| (k, Source::new(around(ids)))).collect();
        nearest(&Cpu::new(threads).unwrap(), &mut state, &sources, None).unwrap()
    }

    #[test]
    fn labels_part_at_the_bisector_and_equals_go_to_the_first() {
        // The vertices are (0.25, 0.5) and (0.75, 0.5), so every point with x = 1/2 is equally far
        // from both.
        let [a, b] = [20 * 41 + 10, 20 * 41 + 30];
        for (jitter, front) in
            [(0.0, Front::Plane), (0.0, Front::Circular), (0.25, Front::Circular)]
        {
            let mesh = square(jitter);
            for (from, first) in [([&[a][..], &[b][..]], a), ([&[b][..], &[a][..]], b)] {
                let found = solved(&mesh, &from, front, 1);
                let x = |v: u32| mesh.vertices[v as usize];
                for (v, label) in found.source.iter().enumerate() {
                    let at = x(v as u32);
                    let gap = |v: u32| (at[0] - x(v)[0]).hypot(at[1] - x(v)[1]);
                    let nearer = if gap(a) < gap(b) { a } else { b };
                    let tie = (gap(a) - gap(b)).abs() < 1e-12;
                    if !tie || jitter == 0.0 && front == Front::Circular {
                        let owner = if tie { first } else { nearer };
                        assert_eq!(from[*label as usize], [owner], "{at:?} {front:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn many_sources_are_the_smallest_of_single_ones() {
        let mesh = square(0.25);
        let from: Vec<u32> = (0..30).map(|k| k * 53 % 1681).collect();
        let alone: Vec<Vec<f64>> =
            from.iter().map(|&v| solved(&mesh, &[&[v]], Front::Plane, 1).u).collect();
        let sources: Vec<&[u32]> = from.chunks(1).collect();
        let found = solved(&mesh, &sources, Front::Plane, 2);
        for v in 0..mesh.n_vertices() {
            let least = alone.iter().map(|u| u[v]).fold(f64::INFINITY, f64::min);
            assert!((found.u[v] - least).abs() < 1e-13, "vertex {v}: {} {least}", found.u[v]);
        }
    }

    #[test]
    fn each_source_is_followed_a_little_beyond_its_own_part() {
        let mesh = square_of(120, 0.0);
        let from: Vec<u32> = (0..9).map(|k| (k / 3 * 40 + 20) * 121 + k % 3 * 40 + 20).collect();
        let sources: Vec<&[u32]> = from.chunks(1).collect();
        let all = solved(&mesh, &sources, Front::Plane, 2).stats.patch_updates;
        let one = solved(&mesh, &[&[60 * 121 + 60]], Front::Plane, 2).stats.patch_updates;
        assert!(all < 5 * one, "{all} {one}");
    }

    #[test]
    fn equal_sources_are_solved_once() {
        let mesh = square(0.2);
        let from: [&[u32]; 6] = [&[3], &[777], &[3], &[777], &[1600], &[3]];
        let once = solved(&mesh, &[&[3], &[777], &[1600]], Front::Circular, 1);
        let all = solved(&mesh, &from, Front::Circular, 1);
        assert_eq!((&once.u, once.stats), (&all.u, all.stats));
        let first = |source: &u32| [0, 1, 4][*source as usize];
        assert_eq!(once.source.iter().map(first).collect::<Vec<u32>>(), all.source);
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let mesh = square(0.2);
        let bits = |threads| {
            let found = solved(&mesh, &[&[3], &[777], &[1600]], Front::Circular, threads);
            (found.u.iter().map(|u| u.to_bits()).collect::<Vec<u64>>(), found.source)
        };
        let one = bits(1);
        for threads in [2, 5] {
            assert_eq!(one, bits(threads));
        }
    }
}
