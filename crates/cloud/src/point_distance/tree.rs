//! A k-d tree of boxes over sites.
//!
//! Sites are halved along the longest side of their box until at most [`LEAF`] sites are left, and
//! they are stored in the order of the leaves. Nodes are stored in preorder: the first child
//! follows its parent. The tree depends only on the sites, not on the number of threads.
//! `zeroset::surface` has a tree over pieces of surfaces. The tree here holds only points, in their
//! own precision and for every norm, and needs an eighth of the memory.

use super::cone::{Toward, View};
use super::coordinate::Coordinate;
use super::nearest::Found;
use super::norm::{Euclidean, Metric};
use super::sites::Sites;
use zeroset_core::parallel::*;

/// The largest number of sites in a leaf.
const LEAF: usize = 16;
/// The smallest number of sites for which both halves become separate tasks.
const PARALLEL: usize = 4096;
/// The size of the stack of pending nodes. There is at most one per level, and a tree over 2^32
/// sites has 29 levels.
pub(super) const STACK: usize = 64;
/// The number of queries per task.
const TASK: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node<C> {
    low: [C; 3],
    high: [C; 3],
    pub(super) begin: u32,
    pub(super) end: u32,
    /// The index of the second child, or 0 for a leaf.
    pub(super) second: u32,
    /// The smallest site index in the box.
    least: u32,
}

/// A site in the order of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<C> {
    pub(super) point: [C; 3],
    pub(super) site: u32,
}

/// A k-d tree over sites. The time per query grows roughly with the logarithm of the number of
/// sites.
#[derive(Clone, Debug)]
pub struct Index<C> {
    pub(super) nodes: Vec<Node<C>>,
    pub(super) entries: Vec<Entry<C>>,
}

impl<C: Coordinate> Index<C> {
    /// Builds the index in parallel.
    pub fn new(sites: &Sites<C>) -> Self {
        let n = sites.len();
        let entry = |i: usize| Entry { point: sites.point(i), site: i as u32 };
        let mut entries: Vec<Entry<C>> = (0..n).into_par_iter().map(entry).collect();
        let zero = [C::default(); 3];
        let mut nodes =
            vec![Node { low: zero, high: zero, begin: 0, end: 0, second: 0, least: 0 }; count(n)];
        build(&mut nodes, &mut entries, 0, 0);
        Index { nodes, entries }
    }

    /// Returns the size in bytes of an index over `n` sites.
    pub fn bytes(n: usize) -> u64 {
        (count(n) * size_of::<Node<C>>() + n * size_of::<Entry<C>>()) as u64
    }

    /// Returns the number of sites.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no sites.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns nodes and entries as the words of `struct Node` and `struct Entry` of
    /// `kernels/point_distance/index.cu`. `words` converts a coordinate to words.
    pub(super) fn words<W>(&self, words: impl Fn(C) -> W + Sync) -> (Vec<u32>, Vec<u32>)
    where
        W: Iterator<Item = u32>,
    {
        let words = &words;
        // The size of a struct with 64-bit numbers is a multiple of 64 bits.
        let padding = || std::iter::repeat_n(0, size_of::<C>() / size_of::<u32>() - 1);
        let node = |n: &Node<C>| {
            let corners = [n.low, n.high].into_iter().flatten().flat_map(words);
            corners.chain([n.begin, n.end, n.second, n.least])
        };
        let entry = |e: &Entry<C>| {
            e.point.into_iter().flat_map(words).chain(std::iter::once(e.site)).chain(padding())
        };
        let nodes = self.nodes.par_iter().flat_map_iter(node).collect();
        (nodes, self.entries.par_iter().flat_map_iter(entry).collect())
    }

    /// Returns the corners of the bounding box of all sites, or `None` if there are no sites.
    pub(super) fn bounds(&self) -> Option<([C; 3], [C; 3])> {
        (!self.is_empty()).then(|| (self.nodes[0].low, self.nodes[0].high))
    }

    /// Returns the index of the nearest site of each query, `[n_queries]`, in the Euclidean norm,
    /// or [`NO_SITE`](super::NO_SITE) if there are no sites. Among equally near sites, the smallest
    /// index is returned.
    pub fn numbers_of_nearest(&self, queries: &[[C; 3]]) -> Vec<u32>
    where
        Euclidean: Metric<C>,
    {
        queries.par_iter().map(|q| self.nearest_to(*q, None, Euclidean).site).collect()
    }

    /// Returns the nearest site of each query. Among equally near sites, the one with the smallest
    /// index is returned.
    pub(super) fn search<M: Metric<C>>(
        &self,
        queries: &[[C; 3]],
        toward: Option<&Toward>,
        metric: M,
    ) -> Vec<Found<C::Key>> {
        let tasks = queries.par_chunks(TASK).enumerate();
        tasks
            .flat_map_iter(|(task, queries)| {
                queries.iter().enumerate().map(move |(i, q)| match toward {
                    None => self.nearest_to(*q, None, metric),
                    Some(toward) => self.nearest_to(*q, Some(toward.of(task * TASK + i)), metric),
                })
            })
            .collect()
    }

    fn nearest_to<M: Metric<C>>(&self, q: [C; 3], view: Option<View>, metric: M) -> Found<C::Key> {
        let mut best = Found::none::<C>();
        if self.is_empty() {
            return best;
        }
        let reached = |k: u32| {
            let node = &self.nodes[k as usize];
            let seen = view.is_none_or(|view| view.may_admit(node.low, node.high, q));
            seen.then(|| (k, metric.bound(metric.key(to_box(node, q)))))
        };
        let mut stack = [(0_u32, C::FAR); STACK];
        let mut waiting = 0;
        let mut next = reached(0);
        loop {
            // A box at the distance of the best site may hold a site at the same distance with a
            // smaller index. If many sites are at one position, the search visits few of them.
            let may_hold = |(k, bound): &(u32, C::Key)| {
                *bound < best.key || *bound == best.key && self.nodes[*k as usize].least < best.site
            };
            let Some((k, _)) = next.filter(may_hold) else {
                if waiting == 0 {
                    return best;
                }
                waiting -= 1;
                next = Some(stack[waiting]);
                continue;
            };
            let node = &self.nodes[k as usize];
            if node.second == 0 {
                for entry in &self.entries[node.begin as usize..node.end as usize] {
                    let d = [0, 1, 2].map(|k| entry.point[k].minus(q[k]));
                    let found = Found { key: metric.key(d), site: entry.site };
                    let seen = |d: [C; 3]| view.is_none_or(|view| view.admits(d.map(C::to_f64)));
                    if found.is_nearer(&best) && seen(d) {
                        best = found;
                    }
                }
                next = None;
                continue;
            }
            next = match (reached(k + 1), reached(node.second)) {
                (Some(a), Some(b)) => {
                    let (near, far) = if b.1 < a.1 { (b, a) } else { (a, b) };
                    stack[waiting] = far;
                    waiting += 1;
                    Some(near)
                }
                (a, b) => a.or(b),
            };
        }
    }
}

/// Returns the vector from a query to the nearest point of a box.
pub(super) fn to_box<C: Coordinate>(node: &Node<C>, q: [C; 3]) -> [C; 3] {
    [0, 1, 2].map(|k| {
        if q[k] < node.low[k] {
            node.low[k].minus(q[k])
        } else if q[k] > node.high[k] {
            node.high[k].minus(q[k])
        } else {
            C::default()
        }
    })
}

/// Returns the number of nodes in a tree over `n` sites. All nodes of a level have `size` sites or
/// one more, so the loop runs over levels instead of nodes. This function must be fast, because
/// every search calls it.
fn count(n: usize) -> usize {
    let (mut size, mut parts, mut larger) = (n, 1, 0);
    let mut nodes = 1;
    while size > LEAF {
        (parts, larger) = match size % 2 {
            0 => (2 * parts + larger, larger),
            _ => (parts, parts + 2 * larger),
        };
        size /= 2;
        nodes += parts + larger;
    }
    // At the last level, nodes with `size + 1` sites may be too large for a leaf.
    if size == LEAF { nodes + 2 * larger } else { nodes }
}

/// Builds the subtree of `entries` in `nodes`. `first` is the index of its first node, and `begin`
/// is the position of its first entry.
fn build<C: Coordinate>(nodes: &mut [Node<C>], entries: &mut [Entry<C>], first: u32, begin: u32) {
    let n = entries.len();
    let (node, children) = nodes.split_at_mut(1);
    let (low, high) = box_of(entries);
    let least = entries.iter().map(|entry| entry.site).min().unwrap_or(0);
    node[0] = Node { low, high, begin, end: begin + n as u32, second: 0, least };
    if n <= LEAF {
        return;
    }
    let extent = |k: usize| high[k].to_f64() - low[k].to_f64();
    let axis = (1..3).fold(0, |a, k| if extent(k) > extent(a) { k } else { a });
    let half = n / 2;
    // Ties between equal coordinates are broken by site index, so that the halves are unique.
    entries.select_nth_unstable_by(half, |a, b| {
        let by_place = a.point[axis].partial_cmp(&b.point[axis]);
        by_place.unwrap_or(std::cmp::Ordering::Equal).then(a.site.cmp(&b.site))
    });
    let in_first = count(half);
    let second = first + 1 + in_first as u32;
    node[0].second = second;
    let (nodes_a, nodes_b) = children.split_at_mut(in_first);
    let (entries_a, entries_b) = entries.split_at_mut(half);
    let mut build_a = || build(nodes_a, entries_a, first + 1, begin);
    let mut build_b = || build(nodes_b, entries_b, second, begin + half as u32);
    if n >= PARALLEL {
        join(build_a, build_b);
    } else {
        build_a();
        build_b();
    }
}

fn box_of<C: Coordinate>(entries: &[Entry<C>]) -> ([C; 3], [C; 3]) {
    let start = entries.first().map_or([C::default(); 3], |entry| entry.point);
    entries.iter().fold((start, start), |(mut low, mut high), entry| {
        for k in 0..3 {
            let x = entry.point[k];
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
        (low, high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_counted_by_levels() {
        fn one_by_one(n: usize) -> usize {
            if n <= LEAF { 1 } else { 1 + one_by_one(n / 2) + one_by_one(n - n / 2) }
        }
        for n in (0..3000).chain([65_535, 65_536, 65_537, 99_999, 1 << 20]) {
            assert_eq!(count(n), one_by_one(n), "{n}");
        }
    }

    #[test]
    fn many_sites_in_one_place_cost_no_more_than_others() {
        // Comparing all pairs would take minutes.
        let points: Vec<[f64; 3]> = (0..200_000).map(|k| [f64::from(k % 3), 0.0, 0.0]).collect();
        let index = Index::new(&Sites::new(&points).unwrap());
        let start = std::time::Instant::now();
        let found = index.numbers_of_nearest(&points);
        assert!(found.iter().enumerate().all(|(k, site)| *site == k as u32 % 3));
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
