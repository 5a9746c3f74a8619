//! The vertices at which time-dependent coefficients are evaluated.

use crate::expression::Accuracy;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::patches::Patches;

/// The positions of all vertices, and the accuracy that coefficients need there.
#[derive(Default)]
pub(super) struct Sites {
    /// The positions of the vertices in patch order.
    pub points: Vec<[f64; 3]>,
    /// The length of the shortest edge of the cells around each vertex, in patch order. Empty if no
    /// coefficient depends on time.
    pub edges: Vec<f64>,
    /// The longest step allowed if any coefficient depends on time.
    pub max_step: f64,
}

impl Sites {
    /// Collects the vertices of a mesh. The edges are measured if coefficients depend on time
    /// (`varies`).
    pub fn new(mesh: &Mesh, patches: &Patches, varies: bool, max_step: f64) -> Self {
        let edges = if varies { shortest_edges(mesh) } else { Vec::new() };
        Sites {
            points: patches.to_patch_order(&mesh.vertices, |x| x),
            edges: if varies { patches.to_patch_order(&edges, |x| x) } else { edges },
            max_step,
        }
    }

    /// Returns the accuracy at a vertex (patch order) for a coefficient whose unit is a length to
    /// the power of `power`, per time.
    pub fn accuracy(&self, vertex: usize, power: i32) -> Accuracy {
        let edge = self.edges.get(vertex).copied().unwrap_or(0.0);
        Accuracy { slack: Accuracy::SLACK * edge.powi(power), max_step: self.max_step }
    }
}

/// Returns the length of the shortest edge of the cells around each vertex of a mesh.
fn shortest_edges(mesh: &Mesh) -> Vec<f64> {
    let arity = mesh.kind.arity();
    let shortest_of_cell = |cell: &[u32]| {
        let x = |k: usize| mesh.vertices[cell[k] as usize];
        let length = |[a, b]: [usize; 2]| {
            let square = |k: usize| (x(a)[k] - x(b)[k]).powi(2);
            (square(0) + square(1) + square(2)).sqrt()
        };
        (0..arity)
            .flat_map(|b| (0..b).map(move |a| [a, b]))
            .map(length)
            .fold(f64::INFINITY, f64::min)
    };
    let of_cells: Vec<f64> = mesh.cells.par_chunks_exact(arity).map(shortest_of_cell).collect();
    let mut edges = vec![f64::INFINITY; mesh.vertices.len()];
    for (cell, length) in mesh.cells.chunks_exact(arity).zip(of_cells) {
        for &v in cell {
            edges[v as usize] = edges[v as usize].min(length);
        }
    }
    edges
}
