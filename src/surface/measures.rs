//! Measures of an interface: its length or area, the enclosed area or volume, components and Euler
//! number.

pub(super) mod cuda;
mod share;

use crate::geometry::{Vec3, simplex::Simplex};
use crate::mesh::Mesh;
use crate::mesh::statistics::facets::{CellsAround, Uses};
use crate::parallel::*;
use crate::primitives::UnionFind;
pub(crate) use share::{share, share_gradient};

/// Cells per partial sum. Sums are added in this fixed pattern for any number of threads.
const BLOCK: usize = 4096;

/// Measures of an interface and of its inside.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Measures {
    /// Length of the zero set in mesh units (triangles), or its area in squared mesh units
    /// (tetrahedra).
    pub interface: f64,
    /// Area of the inside in squared mesh units (triangles), or its volume in cubed mesh units
    /// (tetrahedra). Exact for a phi that is linear on each cell.
    pub enclosed: f64,
    /// Number of connected components of the inside.
    pub components: u64,
    /// Euler number of the inside: 1 for a disk or ball, minus one for each hole through a disk,
    /// plus one for each cavity of a ball.
    pub euler_number: i64,
    /// Smallest value of phi, in its unit.
    pub phi_min: f64,
    /// Largest value of phi, in its unit.
    pub phi_max: f64,
}

/// Measures any number of functions on the same mesh. Data that depends only on the mesh is stored
/// once.
pub struct Measurer {
    /// Facets that do not belong to exactly two cells, with the number of their cells. An edge of a
    /// triangle uses only the first two vertices.
    odd_facets: Vec<([u32; 3], u32)>,
    /// All edges of a tetrahedral mesh. Empty for triangles, whose edges are facets.
    edges: Vec<[u32; 2]>,
}

impl Measurer {
    /// Prepares to measure interfaces on a cleaned mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let arity = mesh.kind.arity();
        let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, arity);
        let odd = |list: &mut Vec<_>, facet: Uses| {
            let cells = facet.even + facet.odd;
            if cells != 2 {
                list.push((facet.vertices, cells as u32));
            }
        };
        let odd_facets = around.facets(|_| true, odd).concat();
        let edges = if arity == 4 { around.edges() } else { Vec::new() };
        Measurer { odd_facets, edges }
    }

    /// Measures the inside `phi < 0`. `phi` has one value for each vertex in mesh order,
    /// `[n_vertices]`.
    pub fn measure(&self, mesh: &Mesh, phi: &[f64]) -> Measures {
        let arity = mesh.kind.arity();
        let blocks: Vec<Sums> = mesh
            .cells
            .par_chunks(BLOCK * arity)
            .map(|cells| {
                let mut sums = Sums::default();
                for cell in cells.chunks_exact(arity) {
                    match arity {
                        3 => sums.add::<3>(mesh, cell, phi),
                        _ => sums.add::<4>(mesh, cell, phi),
                    }
                }
                sums
            })
            .collect();
        let mut all = Sums::default();
        for block in &blocks {
            all.interface += block.interface;
            all.enclosed += block.enclosed;
            all.full_cells += block.full_cells;
            all.full_facets += block.full_facets;
        }
        let inside = |v: &u32| phi[*v as usize] < 0.0;
        // Every facet was counted once per cell. The loop corrects the facets that do not have
        // exactly two cells, so that all facets count twice. The sum is halved below.
        let mut twice_facets = all.full_facets;
        for (facet, cells) in &self.odd_facets {
            if facet[..arity - 1].iter().all(inside) {
                twice_facets += 2 - i64::from(*cells);
            }
        }
        let facets = twice_facets / 2;
        let vertices = phi.par_iter().filter(|&&v| v < 0.0).count() as i64;
        // The inside of a linear phi contracts to the simplices that lie completely in it.
        let euler_number = if arity == 3 {
            vertices - facets + all.full_cells
        } else {
            let edges = self.edges.par_iter().filter(|e| e.iter().all(inside)).count() as i64;
            vertices - edges + facets - all.full_cells
        };
        let fold = |f: fn(f64, f64) -> f64, start: f64| phi.iter().copied().fold(start, f);
        Measures {
            interface: all.interface,
            enclosed: all.enclosed,
            components: components(mesh, phi),
            euler_number,
            phi_min: fold(f64::min, f64::INFINITY),
            phi_max: fold(f64::max, f64::NEG_INFINITY),
        }
    }
}

#[derive(Default)]
struct Sums {
    interface: f64,
    enclosed: f64,
    /// Number of cells with all vertices inside.
    full_cells: i64,
    /// Number of facets with all vertices inside, counted once per cell.
    full_facets: i64,
}

impl Sums {
    fn add<const N: usize>(&mut self, mesh: &Mesh, cell: &[u32], phi: &[f64]) {
        let values: [f64; N] = std::array::from_fn(|i| phi[cell[i] as usize]);
        let n_inside = values.iter().filter(|&&v| v < 0.0).count();
        if n_inside == 0 {
            return;
        }
        self.full_facets += match N - n_inside {
            0 => N as i64,
            1 => 1,
            _ => 0,
        };
        let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
        let meas = Simplex::new(&x).meas;
        if n_inside == N {
            self.full_cells += 1;
            self.enclosed += meas;
            return;
        }
        self.interface += if N == 3 { in_triangle(&x, &values) } else { in_tet(&x, &values) };
        self.enclosed += share(&values) * meas;
    }
}

/// Returns the crossing on the edge from i to j.
fn crossing(x: &[Vec3], phi: &[f64], i: usize, j: usize) -> Vec3 {
    let t = phi[i] / (phi[i] - phi[j]);
    x[i] + (x[j] - x[i]) * t
}

/// Returns the length of the zero set in a cut triangle.
fn in_triangle(x: &[Vec3], phi: &[f64]) -> f64 {
    let lone_inside = phi.iter().filter(|&&v| v < 0.0).count() == 1;
    let Some(i) = (0..3).find(|&i| (phi[i] < 0.0) == lone_inside) else { return 0.0 };
    let [a, b] = [1, 2].map(|k| crossing(x, phi, i, (i + k) % 3));
    (b - a).norm()
}

/// Returns the area of the zero set in a cut tetrahedron.
fn in_tet(x: &[Vec3], phi: &[f64]) -> f64 {
    let n_inside = phi.iter().filter(|&&v| v < 0.0).count();
    let triangle = |a: Vec3, b: Vec3, c: Vec3| 0.5 * (b - a).cross(&(c - a)).norm();
    if n_inside != 2 {
        let lone_inside = n_inside == 1;
        let Some(i) = (0..4).find(|&i| (phi[i] < 0.0) == lone_inside) else { return 0.0 };
        let [a, b, c] = [1, 2, 3].map(|k| crossing(x, phi, i, (i + k) % 4));
        return triangle(a, b, c);
    }
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|&i| phi[i] >= 0.0);
    let [a, b, c, d] = order;
    let [ac, ad] = [c, d].map(|k| crossing(x, phi, a, k));
    let [bc, bd] = [c, d].map(|k| crossing(x, phi, b, k));
    triangle(ac, ad, bd) + triangle(ac, bd, bc)
}

/// Counts the connected components of the vertices with phi < 0, which are joined by cell edges.
fn components(mesh: &Mesh, phi: &[f64]) -> u64 {
    let mut sets = UnionFind::new(phi.len());
    let inside = |v: u32| phi[v as usize] < 0.0;
    let mut count = phi.iter().filter(|&&v| v < 0.0).count() as u64;
    for cell in mesh.iter_cells() {
        let mut members = cell.iter().copied().filter(|&v| inside(v));
        let Some(first) = members.next() else { continue };
        count -= members.filter(|&v| sets.join(first, v)).count() as u64;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;
    use proptest::prelude::*;

    proptest! {
        /// The fractions match integrals of the indicator function, sampled at many points.
        #[test]
        fn shares_of_cut_cells(phi in proptest::array::uniform4(-1.0f64..1.0)) {
            let n = 60;
            for d in [2, 3] {
                let cut = phi[..=d].iter().filter(|&&v| v < 0.0).count();
                prop_assume!(cut > 0 && cut <= d);
                let share = if d == 2 { share(&[phi[0], phi[1], phi[2]]) } else { share(&phi) };
                let (mut hits, mut all) = (0, 0);
                for i in 0..n {
                    for j in 0..n - i {
                        for k in 0..if d == 3 { n - i - j } else { 1 } {
                            let at = |i: usize| (i as f64 + 0.3) / (n as f64);
                            let w = [at(i), at(j), if d == 3 { at(k) } else { 0.0 }];
                            let rest = 1.0 - w.iter().sum::<f64>();
                            let value = rest * phi[0] + w[0] * phi[1] + w[1] * phi[2]
                                + if d == 3 { w[2] * phi[3] } else { 0.0 };
                            all += 1;
                            hits += usize::from(value < 0.0);
                        }
                    }
                }
                let sampled = hits as f64 / all as f64;
                prop_assert!((share - sampled).abs() < 0.08, "d {d}: {share} against {sampled}");
            }
        }

        /// The fractions for phi and for -phi add up to the whole cell.
        #[test]
        fn shares_of_both_sides_add_up(phi in proptest::array::uniform4(-1.0f64..1.0)) {
            let cut = phi.iter().filter(|&&v| v < 0.0).count();
            prop_assume!(cut > 0 && cut < 4);
            let negative = phi.map(|v| -v);
            prop_assert!((share(&phi) + share(&negative) - 1.0).abs() < 1e-12);
            let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
            prop_assert!((in_tet(&x, &phi) - in_tet(&x, &negative)).abs() < 1e-12);
        }
    }

    /// Creates a strip of squares with two triangles each. The vertices are (i, 0) and (i, 1).
    fn strip(n: u32) -> Mesh {
        let vertices = (0..=n).flat_map(|i| [[f64::from(i), 0., 0.], [f64::from(i), 1., 0.]]);
        let cells = (0..n).flat_map(|i| {
            let v = 2 * i;
            [v, v + 2, v + 3, v, v + 3, v + 1]
        });
        Mesh::new(Kind::Planar, vertices.collect(), cells.collect())
    }

    #[test]
    fn two_parts_of_a_strip() {
        let mesh = strip(10);
        // The inside has two parts: x < 2.5 and x > 7.5.
        let phi: Vec<f64> = mesh.vertices.iter().map(|x| 2.5 - (x[0] - 5.0).abs()).collect();
        let m = Measurer::new(&mesh).measure(&mesh, &phi);
        assert_eq!((m.components, m.euler_number), (2, 2));
        assert!((m.enclosed - 5.0).abs() < 1e-12 && (m.interface - 2.0).abs() < 1e-12, "{m:?}");
        assert_eq!((m.phi_min, m.phi_max), (-2.5, 2.5));
    }
}
