//! Hanging nodes between two sides that have separate vertices. A cell that is split at such a node
//! connects the sides, so they are subject to the same rules as coincident vertices.

use std::collections::{HashMap, HashSet};

use super::find::Found;
use crate::mesh::repair::Weld;
use crate::mesh::repair::apart::Apart;
use crate::mesh::statistics::facets::CellsAround;
use crate::mesh::{Kind, Mesh};

/// Removes from `found` the nodes at which a split would connect two sides that `weld`, a group or
/// a material keeps apart. Returns the number of edges and faces that lost a node.
pub(super) fn keep_apart(
    mesh: &Mesh,
    boundary: &[[u32; 3]],
    weld: Weld,
    found: &mut Found,
) -> usize {
    if matches!(weld, Weld::Within(_)) || found.is_empty() {
        return 0;
    }
    let sides = Sides::new(mesh, boundary, weld);
    let mut n_apart = 0;
    let mut nodes_on: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
    found.edges.retain(|(edge, nodes)| {
        let keeps = sides.is_linked(*edge, nodes) || sides.may_join(edge, nodes);
        n_apart += usize::from(!keeps);
        if keeps && mesh.kind == Kind::Volume {
            nodes_on.insert(*edge, nodes.clone());
        }
        keeps
    });
    found.faces.retain_mut(|(face, nodes)| {
        let [a, b, c] = *face;
        let edges = [[a, b], [b, c], [a, c]].map(|[a, b]| [a.min(b), a.max(b)]);
        let around = edges.iter().filter_map(|edge| nodes_on.get(edge)).flatten().copied();
        let linked = sides.linked(around.chain(*face).collect(), nodes);
        let n = nodes.len();
        nodes.retain(|node| linked.contains(node) || sides.may_join(face, &[*node]));
        n_apart += usize::from(nodes.len() < n);
        !nodes.is_empty()
    });
    n_apart
}

struct Sides<'a> {
    mesh: &'a Mesh,
    boundary: &'a [[u32; 3]],
    weld: Weld,
    around: CellsAround<'a>,
    apart: Apart,
    /// The edges of boundary facets, in both directions, sorted.
    edges: Vec<[u32; 2]>,
    /// The vertices of boundary facets, each with the index of its facet, sorted.
    facets_at: Vec<(u32, u32)>,
}

impl<'a> Sides<'a> {
    fn new(mesh: &'a Mesh, boundary: &'a [[u32; 3]], weld: Weld) -> Self {
        let n = mesh.kind.arity() - 1;
        let corners = |facet: &[u32; 3]| facet.iter().copied().take(n).collect::<Vec<_>>();
        let mut edges: Vec<[u32; 2]> = boundary
            .iter()
            .map(corners)
            .flat_map(|v| {
                let pairs = (0..v.len()).flat_map(|i| (0..v.len()).map(move |j| (i, j)));
                pairs.filter(|(i, j)| i != j).map(|(i, j)| [v[i], v[j]]).collect::<Vec<_>>()
            })
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut facets_at: Vec<(u32, u32)> = (0..)
            .zip(boundary)
            .flat_map(|(k, facet)| corners(facet).into_iter().map(move |v| (v, k)))
            .collect();
        facets_at.sort_unstable();
        let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, mesh.kind.arity());
        Sides { mesh, boundary, weld, around, apart: Apart::new(mesh), edges, facets_at }
    }

    /// Returns true if the cells at the nodes share an end of the edge: if a boundary facet
    /// contains the first node and the first end, or the last node and the last end.
    fn is_linked(&self, [a, b]: [u32; 2], nodes: &[u32]) -> bool {
        let has = |a: u32, b: u32| self.edges.binary_search(&[a, b]).is_ok();
        nodes.first().is_some_and(|&node| has(a, node))
            || nodes.last().is_some_and(|&node| has(node, b))
    }

    /// Returns `from` and the `nodes` that edges of boundary facets connect to it, possibly through
    /// other nodes.
    fn linked(&self, from: HashSet<u32>, nodes: &[u32]) -> HashSet<u32> {
        let nodes: HashSet<u32> = nodes.iter().copied().collect();
        let mut pending: Vec<u32> = from.iter().copied().collect();
        let mut linked = from;
        while let Some(v) = pending.pop() {
            let first = self.edges.partition_point(|edge| edge[0] < v);
            let ends = self.edges[first..].iter().take_while(|edge| edge[0] == v);
            for &[_, end] in ends.filter(|edge| nodes.contains(&edge[1])) {
                if linked.insert(end) {
                    pending.push(end);
                }
            }
        }
        linked
    }

    /// Returns true if a boundary facet that contains all vertices of `base` may be joined to a
    /// boundary facet at one of the nodes: `weld` allows it, neither facet belongs to a group, and
    /// their cells have the same groups and materials.
    fn may_join(&self, base: &[u32], nodes: &[u32]) -> bool {
        if self.weld == Weld::Never {
            return false;
        }
        let of_base = self.materials(base);
        nodes.iter().any(|&node| self.materials(&[node]).iter().any(|m| of_base.contains(m)))
    }

    /// Returns the materials of the cells at the boundary facets that contain all of the given
    /// vertices and belong to no group.
    fn materials(&self, vertices: &[u32]) -> Vec<u64> {
        let n = self.mesh.kind.arity() - 1;
        let first = self.facets_at.partition_point(|&(v, _)| v < vertices[0]);
        let all = self.facets_at[first..].iter().take_while(|&&(v, _)| v == vertices[0]);
        let facets = all.map(|&(_, k)| &self.boundary[k as usize][..n]);
        facets
            .filter(|facet| vertices.iter().all(|v| facet.contains(v)) && !self.apart.names(facet))
            .map(|facet| self.apart.material(self.around.cell_with(facet)))
            .collect()
    }
}
