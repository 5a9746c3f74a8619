//! References of components that move, merge, split, vanish or appear.

use super::Corrector;
use super::complex::{Components, NONE};
use crate::geometry::Real;
use crate::primitives::UnionFind;

impl Corrector {
    /// Returns the volume that each component of `phi` should have.
    ///
    /// A component continues all components of the last correction with which it has a vertex in
    /// common that was inside then. One without such a vertex continues those whose interface was
    /// closest. Components that are connected in this way share the sum of their references, in
    /// proportion to their volumes. A component that continues none keeps its volume.
    pub(super) fn track<R: Real>(&mut self, components: &Components, phi: &[R]) -> Vec<f64> {
        let state = &mut self.state;
        let (n_old, n_new) = (state.references.len(), components.volumes.len());
        let mut groups = UnionFind::new(n_old + n_new);
        let (mut has_new, mut has_old) = (vec![false; n_old], vec![false; n_new]);
        let pairs = |v: usize| {
            let (old, new) = (state.labels[v], components.labels[v]);
            (phi[v] < R::zero() && old != NONE).then_some((old as usize, new as usize))
        };
        for v in (0..phi.len()).filter(|&v| state.was_inside[v]) {
            if let Some((old, new)) = pairs(v) {
                groups.join(old as u32, (n_old + new) as u32);
                (has_new[old], has_old[new]) = (true, true);
            }
        }
        let mut later = Vec::new();
        for v in (0..phi.len()).filter(|&v| !state.was_inside[v]) {
            if let Some((old, new)) = pairs(v)
                && (!has_new[old] || !has_old[new])
            {
                later.push((old, new));
            }
        }
        for (old, new) in later {
            groups.join(old as u32, (n_old + new) as u32);
            (has_new[old], has_old[new]) = (true, true);
        }
        let roots = groups.into_roots();
        let mut references = vec![0.0; n_old + n_new];
        let mut volumes = vec![0.0; n_old + n_new];
        for (old, reference) in state.references.iter().enumerate() {
            references[roots[old] as usize] += reference;
            if !has_new[old] {
                state.totals.lost += reference;
            }
        }
        for (new, volume) in components.volumes.iter().enumerate() {
            volumes[roots[n_old + new] as usize] += volume;
        }
        let target = |new: usize| {
            let (volume, root) = (components.volumes[new], roots[n_old + new] as usize);
            match has_old[new] && volumes[root] > 0.0 {
                true => references[root] * (volume / volumes[root]),
                false => volume,
            }
        };
        state.totals.entered +=
            (0..n_new).filter(|&new| !has_old[new]).map(|new| components.volumes[new]).sum::<f64>();
        (0..n_new).map(target).collect()
    }
}
