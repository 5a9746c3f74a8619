//! The edges and vertices that decimation keeps: boundaries, borders of groups and materials, and
//! places where the triangles do not form a surface.

use std::collections::HashMap;

use crate::mesh::repair::materials;
use crate::mesh::{Members, Mesh};
use crate::parallel::*;
use crate::primitives::{GatherMatrix, UnionFind};

/// The edges on boundaries and borders, and the vertices that must not move.
pub(super) struct Features {
    /// For each edge on a boundary or border, a hash of the reasons why it is kept: the boundary,
    /// the materials on both sides, and groups of edges. Edges with the same hash may be merged.
    pub edges: HashMap<[u32; 2], u64>,
    pub locked: Vec<bool>,
    /// Whether each vertex is an end of one of `edges`.
    pub is_on: Vec<bool>,
    /// The edges that need a quadric, listed once for each of their triangles.
    pub sides: Vec<([u32; 2], u32)>,
}

pub(super) fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Mixes two numbers into one by the mixing function of the splitmix64 generator.
fn mixed(a: u64, b: u64) -> u64 {
    let x = (a ^ b).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 31)
}

impl Features {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let n = mesh.n_vertices();
        let mut features = Features {
            edges: HashMap::new(),
            locked: vec![false; n],
            is_on: vec![false; n],
            sides: Vec::new(),
        };
        features.add_groups(mesh);
        features.add_edges(mesh);
        features.lock_ends();
        features.lock_pinched(mesh);
        features
    }

    /// Adds the edges at which the surface ends or its groups or materials change, and the sides of
    /// all `edges`. Locks the ends of edges with three or more triangles.
    fn add_edges(&mut self, mesh: &Mesh) {
        let material = materials(mesh);
        let of = |t: u32| material.get(t as usize).copied().unwrap_or(0);
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(mesh.cells.len());
        for (t, corners) in (0_u32..).zip(mesh.iter_cells()) {
            sides.extend([0, 1, 2].map(|k| (key(corners[k], corners[(k + 1) % 3]), t)));
        }
        sides.par_sort_unstable();
        for edge in sides.chunk_by(|a, b| a.0 == b.0) {
            let ends = edge[0].0;
            let what = match *edge {
                [one] => Some(mixed(1, of(one.1))),
                [a, b] => {
                    let (a, b) = (of(a.1), of(b.1));
                    (a != b).then(|| mixed(mixed(2, a.min(b)), a.max(b)))
                }
                _ => {
                    ends.iter().for_each(|&v| self.locked[v as usize] = true);
                    None
                }
            };
            if let Some(what) = what {
                let of_groups = self.edges.get(&ends).copied().unwrap_or(0);
                self.edges.insert(ends, mixed(what, of_groups));
            }
            if self.edges.contains_key(&ends) {
                self.sides.extend(edge);
            }
        }
    }

    /// Adds the edges of groups of edges, and locks the vertices of all other groups of simplices,
    /// such as points.
    fn add_groups(&mut self, mesh: &Mesh) {
        for (number, group) in (1_u64..).zip(&mesh.groups) {
            let Members::Simplices { dimension, vertices } = &group.members else { continue };
            if *dimension != 1 {
                vertices.iter().for_each(|&v| self.locked[v as usize] = true);
                continue;
            }
            for ends in vertices.as_chunks::<2>().0 {
                let what = self.edges.entry(key(ends[0], ends[1])).or_insert(3);
                *what = mixed(*what, number);
            }
        }
    }

    /// Locks the vertices where borders end, branch, or change.
    fn lock_ends(&mut self) {
        let mut found: HashMap<u32, (u32, u64)> = HashMap::new();
        for (ends, &what) in &self.edges {
            for &v in ends {
                self.is_on[v as usize] = true;
                let (count, first) = found.entry(v).or_insert((0, what));
                *count += if *first == what { 1 } else { 3 };
            }
        }
        let is_end = |(v, (count, _))| (count != 2).then_some(v);
        found.into_iter().filter_map(is_end).for_each(|v: u32| self.locked[v as usize] = true);
    }

    /// Locks the vertices whose triangles do not form one fan.
    fn lock_pinched(&mut self, mesh: &Mesh) {
        let around = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
        self.locked.par_iter_mut().enumerate().for_each(|(v, locked)| {
            let link = around.row(v).iter().map(|&slot| {
                let (t, k) = (slot as usize / 3, slot as usize % 3);
                let corners = &mesh.cells[3 * t..][..3];
                [corners[(k + 1) % 3], corners[(k + 2) % 3]]
            });
            *locked |= !is_connected(&link.collect::<Vec<_>>());
        });
    }
}

/// Returns whether edges form one connected graph.
fn is_connected(edges: &[[u32; 2]]) -> bool {
    let mut vertices = edges.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    let mut sets = UnionFind::new(vertices.len());
    let place = |v: u32| vertices.partition_point(|&w| w < v) as u32;
    let joins = edges.iter().filter(|edge| sets.join(place(edge[0]), place(edge[1]))).count();
    joins + 1 >= vertices.len()
}
