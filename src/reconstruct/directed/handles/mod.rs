//! Cuts handles that no sample supports from a surface.
//!
//! Where two sheets of a surface are closer to each other than the samples within a sheet, as in
//! narrow folds, the surface may have bridges between the sheets or tunnels through them. Their
//! walls run across the sheets, so their normals contradict the normals of the nearest samples.
//! Handles of the sampled object have samples on their walls, so they stay.
//!
//! A handle is cut along a short loop that does not separate its component, and both ends are
//! closed, as in Z. Wood, H. Hoppe, M. Desbrun, P. Schröder, *Removing excess topology from
//! isosurfaces*, ACM Transactions on Graphics 23 (2004). The shortest loop through a vertex is
//! found as in J. Erickson, K. Whittlesey, *Greedy optimal homotopy and homology generators*, SODA
//! 2005.

mod cut;
mod half_edges;
mod keys;

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use self::cut::{Cut, crossing};
use self::half_edges::HalfEdges;
use self::keys::Keys;
use super::vertex_attributes::supported;
use crate::mesh::Mesh;
use crate::parallel::*;

/// The largest number of edges of a loop.
const LONGEST: u32 = 16;
/// A surface on which the samples support fewer than one vertex in this many has no sheets, and its
/// handles are not cut.
const SHEETS: usize = 2;
/// The largest number of loops with equal keys, which go through the same handle, that are tried.
const TRIED: usize = 4;
/// The largest number of rounds. The loops that are cut in a round do not touch each other.
const ROUNDS: usize = 8;
/// The largest number of loops that are cut in a round. It is much smaller than the number of bits
/// of a key, so keys of independent loops are independent.
const MOST_LOOPS: usize = 64;
/// The largest number of loops for which caps are computed in a round.
const MOST_CAPS: usize = 4 * MOST_LOOPS;
/// The work of a search, in visited half-edges, for each half-edge of the surface. It bounds the
/// duration where samples contradict much of the surface, as with strong noise.
const WORK: u64 = 4;
/// The work that a search may always do, because it takes only about a tenth of a second.
const LEAST_WORK: u64 = 1 << 21;
/// The largest number of half-edges that the search from a vertex visits.
const MOST_VISITED: u64 = 4096;
/// The number of vertices between two checks of the work. It does not depend on the number of
/// threads, so neither does the result.
const BATCH: usize = 1024;
/// Marks a vertex without a parent.
const NONE: u32 = u32::MAX;

/// The result of cutting handles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CutHandles {
    /// Number of handles that were cut.
    pub count: usize,
    /// Whether the search ended early, because its work is limited.
    pub is_partial: bool,
}

/// Cuts the handles that no sample supports.
///
/// The mesh must have the normals of the nearest samples as arrays `nx`, `ny` and `nz`. New
/// vertices take the values of a vertex of the cut, and the vertices of the two ends have the
/// normals of the surface.
pub(super) fn cut_handles(mesh: &mut Mesh) -> CutHandles {
    let mut done = CutHandles::default();
    let work = LEAST_WORK.max(WORK * mesh.cells.len() as u64);
    let mut search = Search { work, roots: None };
    for _ in 0..ROUNDS {
        let cuts = search.cuts(mesh);
        if cuts.is_empty() {
            break;
        }
        done.count += cuts.len();
        cuts.into_iter().for_each(|cut| cut.apply(mesh));
    }
    done.is_partial = search.work == 0;
    done
}

/// The state of a search for handles, over all rounds.
struct Search {
    /// The number of half-edges that may still be visited.
    work: u64,
    /// The vertices with a loop in the previous round. A cut creates no handles, so there are no
    /// loops through other vertices. `None` in the first round.
    roots: Option<Vec<u32>>,
}

impl Search {
    /// Returns the cuts of a round.
    fn cuts(&mut self, mesh: &Mesh) -> Vec<Cut> {
        let is_supported = supported(mesh);
        let n_supported = is_supported.iter().filter(|is| **is).count();
        if n_supported == is_supported.len() || n_supported < is_supported.len() / SHEETS {
            return Vec::new();
        }
        let edges = HalfEdges::new(mesh);
        let Some(keys) = Keys::new(&edges) else { return Vec::new() };
        let mut tried: HashMap<u128, usize> = HashMap::new();
        let mut loops = self.loops(&edges, &keys, &is_supported);
        loops.retain(|found| {
            let n = tried.entry(found.key).or_default();
            *n += 1;
            *n <= TRIED
        });
        let possible = loops.iter().filter_map(|found| {
            let cut = Cut::new(&edges, &found.vertices)?;
            Some((found, cut))
        });
        let (loops, possible): (Vec<&Loop>, Vec<Cut>) = possible.take(MOST_CAPS).unzip();
        let is_crossing = crossing(&edges, &possible);
        let (mut is_taken, mut basis, mut cuts) = (HashSet::new(), Vec::new(), Vec::new());
        for ((found, cut), is_crossing) in loops.into_iter().zip(possible).zip(is_crossing) {
            // What remains of the key without those of the cuts. It is 0 for a loop that would
            // separate the rest of the component.
            let key = basis.iter().fold(found.key, |key: u128, base| key.min(key ^ base));
            let around = |v: &u32| edges.leaving(*v).iter().flat_map(|&edge| edges.corners(edge));
            let mut touched = found.vertices.iter().flat_map(around);
            if is_crossing || key == 0 || touched.any(|v| is_taken.contains(&v)) {
                continue;
            }
            basis.push(key);
            // Each key of the basis clears the highest bit of later keys, so the order matters.
            basis.sort_unstable_by(|a, b| b.cmp(a));
            is_taken.extend(found.vertices.iter().flat_map(around));
            cuts.push(cut);
            if cuts.len() == MOST_LOOPS {
                break;
            }
        }
        cuts
    }

    /// Returns the loops with enough vertices that no sample supports, the shortest ones first.
    fn loops(&mut self, edges: &HalfEdges, keys: &Keys, is_supported: &[bool]) -> Vec<Loop> {
        let is_unsupported = |v: &u32| !is_supported[*v as usize];
        let roots = self.roots.take().unwrap_or_else(|| {
            let is_near = keys.near(edges, LONGEST / 2);
            (0..is_near.len() as u32).filter(|&v| is_near[v as usize]).collect()
        });
        let roots: Vec<u32> = roots.into_iter().filter(is_unsupported).collect();
        let (mut loops, mut with_loops) = (Vec::new(), Vec::new());
        for batch in roots.chunks(BATCH) {
            if self.work == 0 {
                break;
            }
            let searched: Vec<(Option<Loop>, u64)> =
                batch.par_iter().map(|&v| Loop::through(v, edges, keys)).collect();
            for (&root, (found, visited)) in batch.iter().zip(searched) {
                self.work = self.work.saturating_sub(visited);
                let Some(found) = found else { continue };
                with_loops.push(root);
                let n = found.vertices.iter().filter(|v| is_unsupported(v)).count();
                if 2 * n >= found.vertices.len() {
                    loops.push(found);
                }
            }
        }
        self.roots = Some(with_loops);
        loops.sort_by_key(|found| found.vertices.len());
        loops
    }
}

/// A closed chain of vertices that does not separate its component.
struct Loop {
    vertices: Vec<u32>,
    key: u128,
}

/// The vertices that a search reached, by their indices. The default hash would be the largest part
/// of a search.
type ReachedVertices = HashMap<u32, Reached, FixedState>;

/// A vertex that a search reached.
struct Reached {
    parent: u32,
    depth: u32,
    /// Key of the path from the root.
    key: u128,
}

impl Loop {
    /// Returns the shortest loop that consists of two shortest paths from a vertex and an edge,
    /// without the common part of the paths. Also returns the number of half-edges that it visited.
    fn through(root: u32, edges: &HalfEdges, keys: &Keys) -> (Option<Loop>, u64) {
        let start = Reached { parent: NONE, depth: 0, key: 0 };
        let mut reached = ReachedVertices::default();
        reached.insert(root, start);
        let mut order = vec![root];
        let mut best: Option<(u32, [u32; 2], u128)> = None;
        let (mut at, mut visited) = (0, 0);
        while let Some(&v) = order.get(at) {
            at += 1;
            let Reached { depth, key, .. } = reached[&v];
            let longest = best.map_or(LONGEST, |best| best.0 - 1);
            if 2 * depth + 1 > longest || visited > MOST_VISITED {
                break;
            }
            edges.for_each_neighbor(v, |w, edge| {
                visited += 1;
                let key = key ^ keys.of(edge);
                match reached.get(&w) {
                    None => {
                        reached.insert(w, Reached { parent: v, depth: depth + 1, key });
                        order.push(w);
                    }
                    Some(other) if other.key != key => {
                        let length = depth + other.depth + 1;
                        let is_shorter = best.is_none_or(|best| length < best.0);
                        if length <= LONGEST && is_shorter {
                            best = Some((length, [v, w], key ^ other.key));
                        }
                    }
                    Some(_) => {}
                }
            });
        }
        let Some((_, ends, key)) = best else { return (None, visited) };
        let [mut there, mut back] = ends.map(|end| path(&reached, end));
        // Only one copy of the last common vertex remains.
        while let ([.., a, _], [.., b, _]) = (&there[..], &back[..])
            && a == b
        {
            there.pop();
            back.pop();
        }
        back.pop();
        there.reverse();
        there.extend(back);
        (Some(Loop { vertices: there, key }), visited)
    }
}

/// Returns the path from a reached vertex to the root.
fn path(reached: &ReachedVertices, end: u32) -> Vec<u32> {
    let parent = |v: &u32| Some(reached[v].parent).filter(|parent| *parent != NONE);
    std::iter::successors(Some(end), parent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Torus, generate};
    use crate::mesh::{Values, normal_arrays};
    use crate::surface::{IsosurfaceOptions, Topology, isosurface};
    use crate::volume::{Placement, Volume};

    /// Returns the surface of the voxels for which `is_inside` is true. The normals at its vertices
    /// are those of horizontal sheets, as samples on the sheets have them.
    fn sheets(is_inside: impl Fn([usize; 3]) -> bool) -> Mesh {
        let n = 24;
        let at = |k: usize| [k % n, k / n % n, k / (n * n)];
        let values: Vec<f64> = (0..n * n * n).map(|k| f64::from(is_inside(at(k)))).collect();
        let volume = Volume::new([n; 3], values.into(), Placement::identity()).unwrap();
        let mut mesh = isosurface(&volume, 0.45, &IsosurfaceOptions::default()).unwrap();
        mesh.vertex_data = normal_arrays(&mesh);
        for array in &mut mesh.vertex_data {
            if let Values::Float(values) = &mut array.values {
                let is_vertical = array.name == "nz";
                let vertical = |z: &mut f64| *z = f64::from(is_vertical) * 1.0_f64.copysign(*z);
                values.iter_mut().for_each(vertical);
            }
        }
        mesh
    }

    fn is_between(x: usize, low: usize, high: usize) -> bool {
        (low..high).contains(&x)
    }

    /// Returns whether a voxel belongs to one of two plates, one above the other, or to the wall
    /// that joins them on one side.
    fn is_in_fold([x, y, z]: [usize; 3]) -> bool {
        let is_wall = is_between(x, 3, 7) && is_between(z, 6, 17);
        let is_plate = is_between(z, 6, 9) || is_between(z, 14, 17);
        is_between(x, 3, 21) && is_between(y, 3, 21) && (is_wall || is_plate)
    }

    fn cut(mut mesh: Mesh, handles: usize) {
        let before = Topology::of(&mesh);
        assert_eq!((before.genus, before.closed), (Some(handles as i64), true));
        let expected = CutHandles { count: handles, is_partial: false };
        assert_eq!(cut_handles(&mut mesh), expected);
        let after = Topology::of(&mesh);
        assert_eq!((after.components, after.genus, after.closed), (1, Some(0), true));
        assert_eq!(mesh.n_vertices(), mesh.vertex_data[0].values.len());
    }

    #[test]
    fn bridges_between_sheets_and_tunnels_through_them_are_cut() {
        let is_bridge = |[x, y, z]: [usize; 3], at: usize| {
            is_between(x, at, at + 2) && is_between(y, 12, 14) && is_between(z, 9, 14)
        };
        cut(sheets(|at| is_in_fold(at) || is_bridge(at, 16)), 1);
        cut(sheets(|at| is_in_fold(at) || is_bridge(at, 16) || is_bridge(at, 11)), 2);
        let is_tunnel =
            |[x, y, z]: [usize; 3]| is_between(x, 14, 16) && is_between(y, 9, 11) && z < 10;
        cut(sheets(|at| is_in_fold(at) && !is_tunnel(at)), 1);
    }

    #[test]
    fn a_handle_with_samples_stays() {
        let mut mesh = generate(&Generate::Torus(Torus::default())).unwrap();
        mesh.vertex_data = normal_arrays(&mesh);
        assert_eq!(cut_handles(&mut mesh), CutHandles::default());
        // The samples contradict the surface at a few vertices, but not around a handle.
        for array in &mut mesh.vertex_data {
            if let Values::Float(values) = &mut array.values {
                values.iter_mut().take(4).for_each(|x| *x = -*x);
            }
        }
        assert_eq!(cut_handles(&mut mesh), CutHandles::default());
        assert_eq!(Topology::of(&mesh).genus, Some(1));
    }

    #[test]
    fn loops_around_a_boundary_are_no_handles() {
        // An open tube has a boundary at each end, but no handle.
        let mut mesh = sheets(|[x, y, _]| is_between(x, 9, 13) && is_between(y, 9, 13));
        assert!(!Topology::of(&mesh).closed);
        assert_eq!(cut_handles(&mut mesh), CutHandles::default());
    }
}
