//! The k nearest other sites of each site.

use super::Index;
use super::nearest::Found;
use super::norm::{Euclidean, Metric};
use super::tree::{STACK, to_box};
use zeroset_core::parallel::*;
use zeroset_core::primitives::DisjointRows;

/// The number of sites per task. The sites of a task are adjacent in the tree.
const TASK: usize = 256;

impl Index<f64> {
    /// Calls `of` for each site with its `k` nearest other sites (or all others if there are
    /// fewer), and returns the results, `[n_sites]`.
    ///
    /// `of` receives the index of the site, and the other sites by increasing Euclidean distance
    /// from it. Among equally distant sites, smaller indices come first. If more than `k` other
    /// sites are at the same position as the site, any `k` of them are given.
    pub fn map_neighbors<T, F>(&self, k: usize, of: F) -> Vec<T>
    where
        T: Copy + Default + Send + Sync,
        F: Fn(u32, &[Found<f64>]) -> T + Sync,
    {
        let mut rows = vec![T::default(); self.len()];
        let places = DisjointRows::new(&mut rows);
        self.entries.par_chunks(TASK).for_each(|entries| {
            let mut found = Vec::with_capacity(k + 1);
            for entry in entries {
                self.neighbors(entry.point, entry.site, k, &mut found);
                let site = entry.site as usize;
                // SAFETY: each site is one entry of the tree, so no two tasks write its row.
                unsafe { places.range(site..site + 1)[0] = of(entry.site, &found) };
            }
        });
        rows
    }

    /// Writes the `k` sites nearest to a point to `found`, nearest first, but leaves out site
    /// `but`.
    pub(crate) fn neighbors(
        &self,
        place: [f64; 3],
        but: u32,
        k: usize,
        found: &mut Vec<Found<f64>>,
    ) {
        found.clear();
        if k == 0 {
            return;
        }
        let bound = |node: u32| (node, Euclidean.key(to_box(&self.nodes[node as usize], place)));
        let mut stack = [(0_u32, f64::INFINITY); STACK];
        let mut waiting = 0;
        let mut next = Some(bound(0));
        loop {
            let worst = found.get(k - 1).map_or(f64::INFINITY, |last| last.key);
            // If many sites are at one position, the search need not visit all of them.
            let may_hold = |bound: f64| bound < worst || (bound == worst && bound > 0.0);
            let Some((at, _)) = next.filter(|(_, bound)| may_hold(*bound)) else {
                if waiting == 0 {
                    return;
                }
                waiting -= 1;
                next = Some(stack[waiting]);
                continue;
            };
            let node = &self.nodes[at as usize];
            if node.second != 0 {
                let (a, b) = (bound(at + 1), bound(node.second));
                let (near, far) = if b.1 < a.1 { (b, a) } else { (a, b) };
                stack[waiting] = far;
                waiting += 1;
                next = Some(near);
                continue;
            }
            for entry in &self.entries[node.begin as usize..node.end as usize] {
                let d = [0, 1, 2].map(|axis| entry.point[axis] - place[axis]);
                let this = Found { key: Euclidean.key(d), site: entry.site };
                let full = found.len() == k;
                if this.site == but || (full && !this.is_nearer(&found[k - 1])) {
                    continue;
                }
                if full {
                    found.pop();
                }
                let behind = found.partition_point(|other| other.is_nearer(&this));
                found.insert(behind, this);
            }
            next = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point_distance::Sites;

    fn scattered(n: u32) -> Vec<[f64; 3]> {
        let number = |k: u32| f64::from(k.wrapping_mul(2_654_435_761).rotate_left(9) % 1_000);
        (0..n).map(|k| [number(3 * k), number(3 * k + 1), number(3 * k + 2)]).collect()
    }

    #[test]
    fn neighbors_are_those_of_comparing_all() {
        // Many of the farthest neighbors are equally distant.
        let lattice: Vec<[f64; 3]> =
            (0..1000).map(|k| [k % 10, k / 10 % 10, k / 100].map(f64::from)).collect();
        for points in [scattered(3_000), scattered(5), scattered(1), lattice] {
            let index = Index::new(&Sites::new(&points).unwrap());
            for k in [1, 8, 16] {
                let found = index.map_neighbors(k, |_, found| {
                    let mut sites = [u32::MAX; 16];
                    found.iter().zip(&mut sites).for_each(|(f, site)| *site = f.site);
                    sites
                });
                for (i, found) in found.iter().enumerate() {
                    let key = |j: &u32| {
                        let d = [0, 1, 2].map(|a| points[*j as usize][a] - points[i][a]);
                        Euclidean.key(d)
                    };
                    let mut all: Vec<u32> =
                        (0..points.len() as u32).filter(|j| *j as usize != i).collect();
                    all.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
                    all.truncate(k);
                    assert_eq!(found[..all.len()], all[..], "site {i}");
                    assert!(found[all.len()..].iter().all(|site| *site == u32::MAX));
                }
            }
        }
    }

    #[test]
    fn many_sites_in_one_place_cost_no_more_than_others() {
        let mut points = vec![[1.0; 3]; 50_000];
        points.extend(scattered(1000));
        let index = Index::new(&Sites::new(&points).unwrap());
        let farthest = index.map_neighbors(8, |_, found| found.last().map_or(-1.0, |f| f.key));
        assert!(farthest[..50_000].iter().all(|key| *key == 0.0));
        assert!(farthest[50_000..].iter().all(|key| *key >= 0.0));
    }
}
