//! The cells whose volumes are corrected, in the order of the vertices of phi.

use std::collections::BTreeMap;

use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;
use crate::primitives::{GatherMatrix, UnionFind};
use crate::surface::{share, share_gradient};

/// The number of cells per partial sum. Sums are added in this fixed pattern for any number of
/// threads.
const BLOCK: usize = 4096;

/// The label of a vertex that belongs to no component.
pub(super) const NONE: u32 = u32::MAX;

/// A mesh of triangles or tetrahedra. Lengths are in mesh units.
pub(crate) struct Complex {
    arity: usize,
    /// The vertices of the cells, `[n_cells * arity]`.
    cells: Vec<u32>,
    x: Vec<Vec3>,
    /// The area or volume of each cell, `[n_cells]`.
    measures: Vec<f64>,
    /// The slots in `cells` of each vertex.
    around: GatherMatrix,
}

/// The components of the inside.
pub(crate) struct Components {
    /// The component of each vertex of a cell that the inside touches, or [`NONE`], `[n_vertices]`.
    pub labels: Vec<u32>,
    /// The area or volume of each component. Components are ordered by their smallest vertex.
    pub volumes: Vec<f64>,
}

/// Cells ordered by component.
#[derive(Default)]
pub(crate) struct ByComponent {
    /// The cells of all components.
    cells: Vec<u32>,
    /// The position in `cells` of the first cell of each component, `[n_components + 1]`.
    starts: Vec<usize>,
}

impl ByComponent {
    pub fn of(&self, component: usize) -> &[u32] {
        &self.cells[self.starts[component]..self.starts[component + 1]]
    }

    /// Returns the number of components.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the cells of all components.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }
}

impl Complex {
    pub fn new(x: Vec<Vec3>, cells: Vec<u32>, arity: usize) -> Self {
        let around = GatherMatrix::new(x.len(), &cells);
        let mut complex = Complex { arity, cells, x, measures: Vec::new(), around };
        complex.measures = match arity {
            3 => complex.measure::<3>(),
            _ => complex.measure::<4>(),
        };
        complex
    }

    fn measure<const N: usize>(&self) -> Vec<f64> {
        (0..self.cells.len() / N).into_par_iter().map(|t| self.simplex::<N>(t).meas).collect()
    }

    pub fn n_vertices(&self) -> usize {
        self.x.len()
    }

    /// Returns the number of vertices per cell.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Returns the mean length of the edges of all cells.
    pub fn mean_edge(&self) -> f64 {
        let mut sum = 0.0;
        let mut count = 0_u64;
        for cell in self.cells.chunks_exact(self.arity) {
            for (i, &a) in cell.iter().enumerate() {
                for &b in &cell[..i] {
                    sum += (self.x[a as usize] - self.x[b as usize]).norm();
                    count += 1;
                }
            }
        }
        if count > 0 { sum / count as f64 } else { 0.0 }
    }

    pub fn corners(&self, cell: usize) -> &[u32] {
        &self.cells[cell * self.arity..(cell + 1) * self.arity]
    }

    pub fn n_cells(&self) -> usize {
        self.measures.len()
    }

    /// Returns the area or volume of a cell.
    pub fn measure_of(&self, cell: usize) -> f64 {
        self.measures[cell]
    }

    /// Returns the cells around a vertex, in ascending order.
    pub fn around(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        self.around.row(vertex).iter().map(|&slot| slot as usize / self.arity)
    }

    fn simplex<const N: usize>(&self, cell: usize) -> Simplex<f64, N> {
        let corners = self.corners(cell);
        Simplex::new(&std::array::from_fn(|i| self.x[corners[i] as usize]))
    }

    pub fn values<R: Real, const N: usize>(&self, cell: usize, phi: &[R]) -> [f64; N] {
        let corners = self.corners(cell);
        std::array::from_fn(|i| phi[corners[i] as usize].to_f64())
    }

    /// Finds the components of the inside and their volumes.
    ///
    /// Two parts of the inside belong to the same component if the cells that they touch have a
    /// vertex in common.
    pub fn components<R: Real>(&self, phi: &[R]) -> Components {
        let mut sets = UnionFind::new(self.n_vertices());
        let mut touched = vec![false; self.n_vertices()];
        let is_inside = |v: u32| phi[v as usize] < R::zero();
        for cell in self.cells.chunks_exact(self.arity) {
            if cell.iter().any(|&v| is_inside(v)) {
                touched[cell[0] as usize] = true;
                for &v in &cell[1..] {
                    touched[v as usize] = true;
                    sets.join(cell[0], v);
                }
            }
        }
        let roots = sets.into_roots();
        let mut labels = vec![NONE; self.n_vertices()];
        let mut n = 0;
        for v in 0..labels.len() {
            if touched[v] {
                let root = roots[v] as usize;
                // A root is the smallest vertex of its set, so its label is already known.
                labels[v] = if root == v { n } else { labels[root] };
                n += u32::from(root == v);
            }
        }
        let volumes = match self.arity {
            3 => self.volumes::<R, 3>(phi, &labels, n as usize),
            _ => self.volumes::<R, 4>(phi, &labels, n as usize),
        };
        Components { labels, volumes }
    }

    fn volumes<R: Real, const N: usize>(&self, phi: &[R], labels: &[u32], n: usize) -> Vec<f64> {
        let blocks: Vec<BTreeMap<u32, f64>> = self
            .measures
            .par_chunks(BLOCK)
            .enumerate()
            .map(|(block, measures)| {
                let mut sums = BTreeMap::new();
                for (k, measure) in measures.iter().enumerate() {
                    let cell = block * BLOCK + k;
                    let values = self.values::<R, N>(cell, phi);
                    if values.iter().any(|&v| v < 0.0) {
                        let label = labels[self.corners(cell)[0] as usize];
                        *sums.entry(label).or_insert(0.0) += measure * share(&values);
                    }
                }
                sums
            })
            .collect();
        let mut volumes = vec![0.0; n];
        for (label, sum) in blocks.into_iter().flatten() {
            volumes[label as usize] += sum;
        }
        volumes
    }

    /// Extends labels from cell to cell to all vertices where `|phi| < width`. Each vertex gets the
    /// label of the component that is the fewest edges away.
    pub fn extend<R: Real>(&self, labels: &mut [u32], phi: &[R], width: f64) {
        // All vertices next to an inside vertex have a label already.
        let is_outside = |v: u32| labels[v as usize] != NONE && phi[v as usize] >= R::zero();
        let mut front: Vec<u32> = (0..labels.len() as u32).filter(|&v| is_outside(v)).collect();
        let may_have = |v: usize| phi[v].to_f64().abs() < width;
        let mut next = Vec::new();
        while !front.is_empty() {
            for &v in &front {
                let label = labels[v as usize];
                for cell in self.around(v as usize) {
                    for &w in self.corners(cell) {
                        if labels[w as usize] == NONE && may_have(w as usize) {
                            labels[w as usize] = label;
                            next.push(w);
                        }
                    }
                }
            }
            next.sort_unstable();
            std::mem::swap(&mut front, &mut next);
            next.clear();
        }
    }

    /// Collects the cells that are `near` some interface, by the component of their first vertex
    /// that has a label.
    pub fn near(
        &self,
        labels: &[u32],
        n_components: usize,
        is_near: impl Fn(usize) -> bool + Sync,
    ) -> ByComponent {
        let label = |cell: usize| {
            let mut corners = self.corners(cell).iter().map(|&v| labels[v as usize]);
            corners.find(|&label| label != NONE)
        };
        let blocks: Vec<Vec<(u32, u32)>> = self
            .measures
            .par_chunks(BLOCK)
            .enumerate()
            .map(|(block, measures)| {
                let cells = block * BLOCK..block * BLOCK + measures.len();
                let near = cells.filter(|&cell| is_near(cell));
                near.filter_map(|cell| Some((label(cell)?, cell as u32))).collect()
            })
            .collect();
        let mut found = blocks.concat();
        found.sort_unstable();
        let mut starts = vec![0; n_components + 1];
        for &(label, _) in &found {
            starts[label as usize + 1] += 1;
        }
        for k in 0..n_components {
            starts[k + 1] += starts[k];
        }
        ByComponent { cells: found.into_iter().map(|(_, cell)| cell).collect(), starts }
    }

    /// Returns the volume of the inside of some cells if phi is shifted by `shift`, and its
    /// derivative with respect to the shift.
    pub fn shifted_volume<R: Real>(&self, cells: &[u32], phi: &[R], shift: f64) -> [f64; 2] {
        match self.arity {
            3 => self.shifted_volume_of::<R, 3>(cells, phi, shift),
            _ => self.shifted_volume_of::<R, 4>(cells, phi, shift),
        }
    }

    fn shifted_volume_of<R: Real, const N: usize>(
        &self,
        cells: &[u32],
        phi: &[R],
        shift: f64,
    ) -> [f64; 2] {
        self.sum(cells, |cell| {
            let values = self.values::<R, N>(cell, phi).map(|v| v + shift);
            let measure = self.measures[cell];
            let slope: f64 = share_gradient(&values).iter().sum();
            [measure * share(&values), measure * slope]
        })
    }

    /// Returns the rate at which a velocity moves the interface in some cells outward: the integral
    /// of `a . grad phi / |grad phi|` over the interface. `velocity` returns the velocity at a
    /// vertex.
    pub fn outward_flux<R: Real>(
        &self,
        cells: &[u32],
        phi: &[R],
        velocity: &(dyn Fn(usize) -> [f64; 3] + Sync),
    ) -> f64 {
        match self.arity {
            3 => self.outward_flux_of::<R, 3>(cells, phi, velocity),
            _ => self.outward_flux_of::<R, 4>(cells, phi, velocity),
        }
    }

    fn outward_flux_of<R: Real, const N: usize>(
        &self,
        cells: &[u32],
        phi: &[R],
        velocity: &(dyn Fn(usize) -> [f64; 3] + Sync),
    ) -> f64 {
        let [flux, _] = self.sum(cells, |cell| {
            let values = self.values::<R, N>(cell, phi);
            let n_inside = values.iter().filter(|&&v| v < 0.0).count();
            if n_inside == 0 || n_inside == N {
                return [0.0; 2];
            }
            let simplex = self.simplex::<N>(cell);
            let gradient = simplex.gradient(&values);
            // The interface moves by -phi_t / |grad phi|, and phi_t is -a . grad phi. Derivatives
            // of the share are integrals over the interface.
            let moved = self.corners(cell).iter().zip(share_gradient(&values));
            let flux: f64 = moved
                .map(|(&v, slope)| -slope * Vec3::from(velocity(v as usize)).dot(&gradient))
                .sum();
            [simplex.meas * flux, 0.0]
        });
        flux
    }

    /// Sums two numbers over some cells, in a fixed order.
    fn sum(&self, cells: &[u32], of_cell: impl Fn(usize) -> [f64; 2] + Sync) -> [f64; 2] {
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        let of_block = |block: &[u32]| {
            block.iter().fold([0.0; 2], |sum, &cell| add(sum, of_cell(cell as usize)))
        };
        let blocks: Vec<[f64; 2]> = cells.par_chunks(BLOCK).map(of_block).collect();
        blocks.into_iter().fold([0.0; 2], add)
    }
}
