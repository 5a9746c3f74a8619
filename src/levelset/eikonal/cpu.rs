//! Rounds of nbFIM on the CPU: rayon updates the active patches in parallel, and within a patch
//! only cells with a changed vertex are computed.

use super::problem::{endless, least_step};
use super::{EikonalState, Front, Problem, Stats, formulas, quadratic};
use crate::Cpu;
use crate::error::Result;
use crate::geometry::{Real, Vec3};
use crate::parallel::*;
use crate::patches::Patches;
use crate::primitives::{DisjointRows, PerThread};

/// Arrays that live as long as the state, so that a solve allocates almost nothing.
pub(super) struct Scratch<R: Real> {
    /// The values written in the current pass, in patch order.
    pub(super) fresh: Vec<R>,
    /// The pass that last changed each vertex; 0 if none has, as for given values.
    changed: Vec<u32>,
    /// The pass that last updated each patch; 0 if none has.
    updated: Vec<u32>,
    /// The number of updates of each patch in the current solve.
    n_updates: Vec<u32>,
    /// The last pass that listed each patch as active; 0 if none has, or if the patch has converged
    /// since.
    listed: Vec<u32>,
    /// For each active patch, the smallest value that it has not processed yet (its pending value).
    news: Vec<R>,
    heard: Vec<R>,
    outcomes: Vec<Outcome>,
    /// All patches that were activated in the current solve, possibly repeated.
    touched: Vec<u32>,
    /// The patches with pending values. `now` holds the near patches among them, and `told` the
    /// patches just activated.
    active: Vec<u32>,
    now: Vec<u32>,
    told: Vec<u32>,
    /// For each patch that a reinitialization examines, whether it owns a vertex of a cut cell.
    pub(super) found: Vec<bool>,
    threads: PerThread<LocalScratch<R>>,
}

impl<R: Real> Scratch<R> {
    pub(super) fn new(patches: &Patches) -> Self {
        let n = patches.n_vertices();
        Scratch {
            fresh: vec![R::zero(); n],
            changed: vec![0; n],
            updated: vec![0; patches.len()],
            n_updates: vec![0; patches.len()],
            listed: vec![0; patches.len()],
            news: vec![R::zero(); patches.len()],
            heard: Vec::with_capacity(patches.len()),
            outcomes: Vec::with_capacity(patches.len()),
            touched: Vec::with_capacity(patches.len()),
            active: Vec::with_capacity(patches.len()),
            now: Vec::with_capacity(patches.len()),
            told: Vec::with_capacity(patches.len()),
            found: Vec::with_capacity(patches.len()),
            threads: PerThread::default(),
        }
    }

    /// Clears the pass numbers of the patches in `visited` and of their vertices.
    pub(super) fn forget(&mut self, patches: &Patches, visited: &[u32]) {
        for &p in visited {
            self.changed[patches.patch(p as usize).owned()].fill(0);
            self.updated[p as usize] = 0;
            self.n_updates[p as usize] = 0;
        }
    }
}

/// The values of one patch in local order during its update.
#[derive(Default)]
pub(super) struct LocalScratch<R> {
    pub(super) values: Vec<R>,
    next: Vec<R>,
    pub(super) dirty: Vec<bool>,
    /// Whether each owned vertex has to be computed; only for sweeps.
    pub(super) due: Vec<bool>,
}

impl<R> LocalScratch<R> {
    fn clear(&mut self) {
        self.values.clear();
        self.next.clear();
        self.dirty.clear();
    }
}

/// The result of updating one patch, from which the next list of patches is made.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    /// Whether no owned vertex changed in the last repetition.
    pub(super) converged: bool,
    /// Whether the smallest owned value is below the width of the band plus the reach of the patch,
    /// so that the neighbors must be activated.
    pub(super) in_band: bool,
}

/// Propagates fronts from the given values until nothing changes.
///
/// With a `width`, an arrival time, values of `width` or more are not meaningful, because fronts
/// stop where they can no longer affect smaller values. Call [`EikonalState::clear`] before the
/// next source.
///
/// # Errors
/// Returns [`Error::Numerical`](crate::Error::Numerical) if values still change after 10,000 rounds
/// plus four per vertex.
pub fn solve<R: Real>(cpu: &Cpu, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats> {
    solve_in_order(cpu, state, width, |_| ())
}

/// Solves as [`solve`] does; `order` may reorder the patches of a pass.
pub(super) fn solve_in_order<R: Real>(
    cpu: &Cpu,
    state: &mut EikonalState<R>,
    width: Option<R>,
    order: impl Fn(&mut Vec<u32>) + Send + Sync,
) -> Result<Stats> {
    let width = width.unwrap_or(R::INFINITY);
    let (vertices, _) = state.problem.patches.largest();
    state.scratch.threads.prepare(cpu.threads(), |local| {
        local.clear();
        local.values.reserve(vertices);
        local.next.reserve(vertices);
        local.dirty.reserve(vertices);
    });
    cpu.run(|| match state.problem.patches.arity() {
        3 => rounds::<R, 3>(state, width, order),
        _ => rounds::<R, 4>(state, width, order),
    })
}

fn rounds<R: Real, const N: usize>(
    state: &mut EikonalState<R>,
    width: R,
    order: impl Fn(&mut Vec<u32>),
) -> Result<Stats> {
    let most_rounds = state.problem.most_rounds();
    let mut stats = Stats::default();
    let mut pass = 0u32;
    let sweeps = state.quadratic.is_some();
    let scratch = &mut state.scratch;
    let mut active = std::mem::take(&mut scratch.active);
    let (mut now, mut told) = (std::mem::take(&mut scratch.now), std::mem::take(&mut scratch.told));
    active.clear();
    active.extend_from_slice(&state.seeded);
    active.sort_unstable();
    active.dedup();
    // Many small solves may run on a large mesh, so no work here is proportional to the number of
    // patches.
    let mut touched = std::mem::take(&mut state.scratch.touched);
    touched.clear();
    touched.extend_from_slice(&active);
    active.iter().for_each(|&p| state.scratch.news[p as usize] = R::zero());
    while !active.is_empty() && pass < most_rounds {
        pass += 1;
        stats.rounds += 1;
        // Only near patches are updated now. The others would probably have to be updated again
        // later.
        let news = &state.scratch.news;
        let first = active.iter().fold(R::INFINITY, |m, &p: &u32| m.min(news[p as usize]));
        let cut = first + state.problem.near;
        now.clear();
        now.extend(active.iter().copied().filter(|&p| news[p as usize] <= cut));
        order(&mut now);
        let last = first + R::of(quadratic::WINDOW) * state.problem.near;
        update_all::<R, N>(state, &now, pass, width, last);
        stats.patch_updates += now.len();
        // Patches that still change stay on the list. The neighbors of converged patches in the
        // band are added if they read a value that has changed.
        let Scratch { listed, outcomes, .. } = &mut state.scratch;
        for &p in &active {
            listed[p as usize] = pass;
        }
        told.clear();
        for (&p, outcome) in now.iter().zip(&*outcomes) {
            if outcome.converged {
                listed[p as usize] = 0;
            }
        }
        active.retain(|&p| listed[p as usize] == pass);
        for (&p, outcome) in now.iter().zip(&*outcomes) {
            if (outcome.converged || sweeps) && outcome.in_band {
                for &q in state.problem.patches.neighbors(p as usize) {
                    if listed[q as usize] != pass {
                        listed[q as usize] = pass;
                        told.push(q);
                    }
                }
            }
        }
        touched.extend_from_slice(&told);
        active.append(&mut told);
        hear(state, &active, width);
        let news = &state.scratch.news;
        active.retain(|&p| news[p as usize] < R::INFINITY);
        active.sort_unstable();
    }
    let unfinished = active.first().copied();
    (state.scratch.active, state.scratch.now, state.scratch.told) = (active, now, told);
    touched.sort_unstable();
    touched.dedup();
    touched.iter().for_each(|&p| state.scratch.listed[p as usize] = 0);
    let updated = &state.scratch.updated;
    state.visited.clear();
    state.visited.extend(touched.iter().filter(|&&p| updated[p as usize] != 0));
    state.scratch.touched = touched;
    stats.visited_patches = state.visited.len();
    match unfinished {
        None => Ok(stats),
        Some(p) => Err(endless(most_rounds, Some(state.problem.vertex_of(p)))),
    }
}

/// For each listed patch, finds the smallest value that it or its halo received since its last
/// update.
fn hear<R: Real>(state: &mut EikonalState<R>, list: &[u32], width: R) {
    let Scratch { changed, updated, news, heard, .. } = &mut state.scratch;
    let (patches, u) = (&*state.problem.patches, &state.u);
    let (changed, updated) = (&*changed, &*updated);
    let reached = state.quadratic.as_ref().map(|quadratic| quadratic.reached());
    list.par_iter()
        .with_min_len(16)
        .map(|&p| {
            let patch = patches.patch(p as usize);
            let since = updated[p as usize];
            let local = patch.owned().chain(patch.halo.iter().map(|&v| v as usize));
            if let Some(reached) = reached.filter(|_| since > 0) {
                // Sweeps have processed all own values before `reached`.
                let is_new = |&v: &usize| {
                    u[v] >= reached[p as usize]
                        || changed[v] >= since && !patch.owned().contains(&v)
                };
                let limit = width + state.problem.reach[p as usize];
                let first = local.filter(is_new).fold(R::INFINITY, |m, v| m.min(u[v]));
                return if first < limit { first } else { R::INFINITY };
            }
            let new = local.filter(|&v| changed[v] >= since);
            new.fold(R::INFINITY, |m, v| m.min(u[v]))
        })
        .collect_into_vec(heard);
    for (&p, &value) in list.iter().zip(&*heard) {
        news[p as usize] = value;
    }
}

/// Performs one pass: updates the patches of `list`, each only from values of earlier passes.
fn update_all<R: Real, const N: usize>(
    state: &mut EikonalState<R>,
    list: &[u32],
    pass: u32,
    width: R,
    last: R,
) {
    let repetitions = state.inner_repetitions;
    let Scratch { fresh, changed, updated, n_updates, outcomes, threads, .. } = &mut state.scratch;
    let patches = &*state.problem.patches;
    {
        let fresh = DisjointRows::new(fresh);
        let update = PatchUpdate::<R, N> {
            problem: &state.problem,
            fixed: &state.fixed,
            caps: &state.caps,
            u: &state.u,
            changed,
            updated,
            n_updates,
            width,
            last,
        };
        let sweep = state.quadratic.as_mut().map(|quadratic| quadratic.sweep());
        list.par_iter()
            .map(|&p| {
                let p = p as usize;
                // SAFETY: a list contains each patch once, and patches own disjoint ranges.
                let out = unsafe { fresh.range(patches.patch(p).owned()) };
                match &sweep {
                    None => update.run(p, repetitions, &mut threads.get(), out),
                    // SAFETY: a list contains each patch once.
                    Some(sweep) => unsafe {
                        update.run_in_order(p, sweep, &mut threads.get(), out)
                    },
                }
            })
            .collect_into_vec(outcomes);
    }
    // The values are published only now, so that no patch has read values of this pass.
    let u = DisjointRows::new(&mut state.u);
    let changed = DisjointRows::new(changed);
    list.par_iter().for_each(|&p| {
        let owned = patches.patch(p as usize).owned();
        // SAFETY: a list contains each patch once, and patches own disjoint ranges.
        let (u, changed) = unsafe { (u.range(owned.clone()), changed.range(owned.clone())) };
        for ((u, changed), &fresh) in u.iter_mut().zip(changed).zip(&fresh[owned]) {
            if *u != fresh {
                *u = fresh;
                *changed = pass;
            }
        }
    });
    for &p in list {
        updated[p as usize] = pass;
        n_updates[p as usize] += 1;
    }
}

/// The inputs of all updates of a pass.
pub(super) struct PatchUpdate<'a, R: Real, const N: usize> {
    pub(super) problem: &'a Problem<R>,
    pub(super) fixed: &'a [bool],
    caps: &'a [R],
    pub(super) u: &'a [R],
    pub(super) changed: &'a [u32],
    pub(super) updated: &'a [u32],
    pub(super) n_updates: &'a [u32],
    pub(super) width: R,
    /// Sweeps propagate only values before this one.
    pub(super) last: R,
}

impl<R: Real, const N: usize> PatchUpdate<'_, R, N> {
    /// Updates a patch as in Algorithm 2 (docs/distances.md, section 6) by Jacobi repetitions over
    /// the cells with a changed vertex.
    ///
    /// Other cells would offer the same values as before.
    fn run(
        &self,
        p: usize,
        repetitions: usize,
        scratch: &mut LocalScratch<R>,
        out: &mut [R],
    ) -> Outcome {
        let Problem { patches, coordinates, slowness, front, reach, .. } = self.problem;
        let circular = *front == Front::Circular;
        let patch = patches.patch(p);
        let x = coordinates.of(patches, p);
        let fixed = &self.fixed[patch.owned()];
        let caps = if self.caps.is_empty() { self.caps } else { &self.caps[patch.owned()] };
        let LocalScratch { values, next, dirty, .. } = scratch;
        patch.load(self.u, values);
        let since = self.updated[p];
        dirty.clear();
        dirty.extend(self.changed[patch.owned()].iter().map(|&c| c >= since));
        dirty.extend(patch.halo.iter().map(|&v| self.changed[v as usize] >= since));
        next.clear();
        next.extend_from_slice(&values[..patch.n_owned]);
        let limit = self.width + reach[p];
        let least_step =
            least_step(reach[p], self.n_updates[p], self.problem.patience(patch.n_owned));

        let mut converged = false;
        for _ in 0..repetitions {
            for (t, corners) in patch.corners.chunks_exact(N).enumerate() {
                let is_dirty: [bool; N] = std::array::from_fn(|i| dirty[corners[i] as usize]);
                let n_dirty = is_dirty.iter().filter(|&&d| d).count();
                if n_dirty == 0 {
                    continue;
                }
                let u: [R; N] = std::array::from_fn(|i| values[corners[i] as usize]);
                let smallest = u.iter().fold(R::INFINITY, |m, &v| m.min(v));
                if smallest >= limit {
                    continue;
                }
                let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
                let (x, f) = slowness.in_cell(patch.cells[t], x);
                for i in 0..N {
                    let local = corners[i] as usize;
                    if local >= patch.n_owned || fixed[local] {
                        continue;
                    }
                    // A face without a changed value offers the same value as before. A straight
                    // front never arrives before it has reached some point of the face, so such a
                    // front cannot lower the smallest value of a cell.
                    if n_dirty == usize::from(is_dirty[i])
                        || u[i] <= smallest && !(circular && formulas::is_obtuse(&x, i))
                    {
                        continue;
                    }
                    let candidate = if circular {
                        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                        formulas::circle(u[j], u[k], &x[j], &x[k], &x[i], f)
                    } else {
                        formulas::arrival(&u, &x, i, f)
                    };
                    let decrease = least_step.max(R::DECREASE * candidate);
                    if next[local] - candidate > decrease
                        && caps.get(local).is_none_or(|&cap| candidate < cap)
                    {
                        next[local] = candidate;
                    }
                }
            }
            converged = true;
            for (k, &fresh) in next.iter().enumerate() {
                dirty[k] = values[k] != fresh;
                converged &= !dirty[k];
                values[k] = fresh;
            }
            dirty[patch.n_owned..].fill(false);
            if converged {
                break;
            }
        }
        out.copy_from_slice(&values[..patch.n_owned]);
        let smallest = out.iter().fold(R::INFINITY, |m, &v| m.min(v));
        Outcome { converged, in_band: smallest < limit }
    }
}
