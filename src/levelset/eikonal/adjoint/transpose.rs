//! The solution of the transposed system (I - W)^T lambda = weights.

use super::update::{Origin, Update, others};
use crate::error::{Error, Result};
use crate::mesh::Mesh;

/// The largest number of sweeps over a component.
const MOST_SWEEPS: usize = 100_000;
/// A component is finished when no value changes by more than this fraction of its largest value.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The vertices that arrival times depend on, with their weights.
pub(super) struct Weights<'a> {
    pub mesh: &'a Mesh,
    pub updates: &'a [Update],
}

impl Weights<'_> {
    /// Returns the vertices on whose times that of a vertex depends, and their weights.
    pub fn row(&self, v: u32) -> impl Iterator<Item = (u32, f64)> {
        let (slot, weights) = match self.updates[v as usize].origin {
            Origin::Front { slot, weights, .. } => (slot as usize, weights),
            Origin::Source | Origin::Unreached => (0, [0.0; 3]),
        };
        let (mesh, n) = (self.mesh, self.mesh.kind.arity());
        let corner = move |k: usize| match n {
            3 => others::<3>(slot % 3)[k],
            _ => others::<4>(slot % 4)[k],
        };
        (0..3)
            .filter(move |&k| weights[k] > 0.0)
            .map(move |k| (mesh.cells[slot / n * n + corner(k)], weights[k]))
    }
}

/// How the system was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// The number of vertices in cycles.
    pub in_cycles: usize,
    /// The number of vertices of the largest component.
    pub largest: usize,
    /// The number of updates of vertices in cycles.
    pub updates: usize,
}

/// Replaces `values`, the derivatives of a function by the arrival times `u`, by the derivatives by
/// the time that each vertex adds, `[n_vertices]` in mesh order: the solution of the transposed
/// system.
///
/// Vertices are processed after all that depend on them. With a tensor, vertices may depend on each
/// other in cycles. Such a strongly connected component is solved by Gauss-Seidel sweeps in the
/// order of decreasing arrival times, until only rounding changes the values.
///
/// # Errors
/// Returns [`Error::Numerical`] if a component does not converge.
pub(super) fn solve(weights: &Weights<'_>, u: &[f64], values: &mut [f64]) -> Result<Work> {
    let components = Components::new(weights, values);
    let mut work = Work::default();
    // Components are listed after those that they depend on.
    let mut local = vec![u32::MAX; if components.has_cycles() { values.len() } else { 0 }];
    for component in components.iter().rev() {
        if component.len() > 1 {
            work.in_cycles += component.len();
            work.largest = work.largest.max(component.len());
            work.updates += solve_cycle(weights, u, component, &mut local, values)?;
        }
        // What a component passes on to itself is part of its values already.
        let inside = component.len() > 1;
        for &v in component {
            let value = values[v as usize];
            for (w, weight) in weights.row(v) {
                if !(inside && local[w as usize] != u32::MAX) {
                    values[w as usize] += weight * value;
                }
            }
        }
        if inside {
            component.iter().for_each(|&v| local[v as usize] = u32::MAX);
        }
    }
    Ok(work)
}

/// Solves a component, and leaves the positions of its vertices in `local`. Returns the number of
/// updates of vertices.
fn solve_cycle(
    weights: &Weights<'_>,
    u: &[f64],
    component: &[u32],
    local: &mut [u32],
    values: &mut [f64],
) -> Result<usize> {
    let mut order = component.to_vec();
    order.sort_unstable_by(|a, b| u[*b as usize].total_cmp(&u[*a as usize]).then(a.cmp(b)));
    for (k, &v) in (0_u32..).zip(&order) {
        local[v as usize] = k;
    }
    // The entries of the transposed matrix, by row.
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for (k, &v) in (0_u32..).zip(&order) {
        let inside = weights.row(v).filter(|(w, _)| local[*w as usize] != u32::MAX);
        entries.extend(inside.map(|(w, weight)| (local[w as usize], k, weight)));
    }
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    let mut ends = vec![0; order.len()];
    entries.iter().for_each(|&(row, ..)| ends[row as usize] += 1);
    let mut end = 0;
    for n in &mut ends {
        end += *n;
        *n = end;
    }
    let given: Vec<f64> = order.iter().map(|&v| values[v as usize]).collect();
    let mut x = given.clone();
    for sweep in 1..=MOST_SWEEPS {
        let (mut change, mut largest, mut begin) = (0.0_f64, 0.0_f64, 0);
        for k in 0..x.len() {
            let row = &entries[begin..ends[k]];
            begin = ends[k];
            let new = row.iter().fold(given[k], |sum, &(_, j, w)| sum + w * x[j as usize]);
            change = change.max((new - x[k]).abs());
            largest = largest.max(new.abs());
            x[k] = new;
        }
        if change <= ROUNDING * largest {
            order.iter().zip(&x).for_each(|(&v, x)| values[v as usize] = *x);
            return Ok(sweep * order.len());
        }
    }
    Err(Error::Numerical {
        what: format!(
            "the derivatives of {} arrival times that depend on each other still change after \
             {MOST_SWEEPS} sweeps",
            order.len()
        ),
        remedy: "remesh, without triangles or tetrahedra that are nearly flat".into(),
    })
}

/// The strongly connected components of the vertices on which given vertices depend.
struct Components {
    /// The vertices, component by component. A component comes after those that it depends on.
    vertices: Vec<u32>,
    /// The end of each component in `vertices`.
    ends: Vec<u32>,
}

impl Components {
    /// Finds the components from all vertices with a value other than 0 (R. Tarjan, "Depth-first
    /// search and linear graph algorithms", SIAM J. Comput. 1 (1972), 146-160).
    fn new(weights: &Weights<'_>, values: &[f64]) -> Self {
        const NEW: u32 = u32::MAX;
        let n = values.len();
        // The number of each vertex in the order of the search, and the smallest number that it
        // reaches among the vertices whose component is not complete.
        let (mut number, mut low) = (vec![NEW; n], vec![0_u32; n]);
        let mut is_open = vec![false; n];
        let mut open: Vec<u32> = Vec::new();
        let mut search: Vec<(u32, u8)> = Vec::new();
        let mut found = Components { vertices: Vec::new(), ends: Vec::new() };
        let mut next = 0;
        for start in (0..n as u32).filter(|&v| values[v as usize] != 0.0) {
            if number[start as usize] != NEW {
                continue;
            }
            search.push((start, 0));
            while let Some((v, done)) = search.pop() {
                let at = v as usize;
                if done == 0 {
                    (number[at], low[at], is_open[at]) = (next, next, true);
                    next += 1;
                    open.push(v);
                }
                let mut waits = false;
                for (k, (w, _)) in (0_u8..).zip(weights.row(v)).skip(usize::from(done.max(1)) - 1) {
                    let w = w as usize;
                    if number[w] == NEW {
                        // The edge is looked at once more when `w` is complete.
                        search.push((v, k + 1));
                        search.push((w as u32, 0));
                        waits = true;
                        break;
                    }
                    if is_open[w] {
                        low[at] = low[at].min(low[w]);
                    }
                }
                if !waits && low[at] == number[at] {
                    while let Some(w) = open.pop() {
                        is_open[w as usize] = false;
                        found.vertices.push(w);
                        if w == v {
                            break;
                        }
                    }
                    found.ends.push(found.vertices.len() as u32);
                }
            }
        }
        found
    }

    fn has_cycles(&self) -> bool {
        self.ends.len() < self.vertices.len()
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        let begin = |k: usize| if k == 0 { 0 } else { self.ends[k - 1] as usize };
        (0..self.ends.len()).map(move |k| &self.vertices[begin(k)..self.ends[k] as usize])
    }
}
