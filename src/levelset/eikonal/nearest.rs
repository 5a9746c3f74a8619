//! Several sources: the smallest of their arrival times, and whose it is.

use super::{EikonalState, Front, Stats, solve, source::Source};
use crate::backend::Cpu;
use crate::geometry::Real;

/// Marks a vertex that no front has reached in [`Nearest::source`].
pub const NO_SOURCE: u32 = u32::MAX;

/// How far beyond the smallest value of all sources each one is followed, in longest edges: the
/// a vertex two or three edges beyond its border still helps others before it, more on obtuse cells.
const MARGIN: f64 = 8.0;

/// Arrival times from several sources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Nearest {
    /// Smallest arrival time, in mesh order; infinite where no front has been.
    pub u: Vec<f64>,
    /// Number of the source it belongs to, the smallest of equals; [`NO_SOURCE`] where none.
    pub source: Vec<u32>,
    /// What was done, all solves together.
    pub stats: Stats,
}

/// Solves for each source by itself and takes the smallest value at every vertex.
///
/// Where fronts of two sources meet, a solve for all of them at once interpolates across the kink
/// between them; this does not, and it is the only right way for circular fronts. A solve for all
/// at once, with straight fronts, bounds how far each of them has to be followed, so the work is
/// about twice that of one source, however many there are. Sources that the same `group` number
/// is given to are solved one by one, but count as one.
///
/// Values and seeds the state holds are forgotten before and after.
pub fn nearest<R: Real>(
    cpu: &Cpu,
    state: &mut EikonalState<R>,
    sources: &[(u32, Source)],
    width: Option<R>,
) -> Nearest {
    let n = state.patches.n_vertices();
    let mut position = vec![0u32; n];
    for (at, &v) in state.patches.mesh_vertices().iter().enumerate() {
        position[v as usize] = at as u32;
    }
    let mut best = vec![R::INFINITY; n];
    let mut owner = vec![NO_SOURCE; n];
    let mut stats = Stats::default();
    state.clear();
    state.caps.clear();
    if sources.len() > 1 {
        let front = std::mem::replace(&mut state.front, Front::Plane);
        for (_, source) in sources {
            state.give(source, &position);
        }
        add(&mut stats, solve(cpu, state, width));
        state.front = front;
        let mut caps = vec![R::INFINITY; n];
        for p in 0..state.patches.len() {
            let margin = R::narrow(MARGIN) * state.reach[p];
            for v in state.patches.patch(p).owned() {
                caps[v] = state.u[v] + margin;
            }
        }
        state.clear();
        state.caps = caps;
    }
    for (group, source) in sources {
        state.give(source, &position);
        add(&mut stats, solve(cpu, state, width));
        for &p in state.visited.iter().chain(&state.seeded) {
            for v in state.patches.patch(p as usize).owned() {
                let u = state.u[v];
                if u < best[v] || u == best[v] && u < R::INFINITY && *group < owner[v] {
                    (best[v], owner[v]) = (u, *group);
                }
            }
        }
        state.clear();
    }
    state.caps.clear();
    let u = state.patches.to_mesh_order(&best, Real::widen);
    Nearest { u, source: state.patches.to_mesh_order(&owner, |s| s), stats }
}

fn add(total: &mut Stats, stats: Stats) {
    total.rounds += stats.rounds;
    total.patch_updates += stats.patch_updates;
    total.visited_patches += stats.visited_patches;
}

impl<R: Real> EikonalState<R> {
    /// Sets the values of a source; `position` leads from mesh order to patch order.
    fn give(&mut self, source: &Source, position: &[u32]) {
        for &(v, value) in &source.values {
            let at = position[v as usize] as usize;
            self.u[at] = self.u[at].min(R::narrow(value));
            self.fixed[at] |= source.is_fixed;
            self.seeded.push(self.patches.owner(at) as u32);
        }
    }
}
