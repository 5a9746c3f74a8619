//! Signed distances to a surface at the voxels of a lattice, within a band around it, block by block.
//!
//! The values are those of [`TriangleIndex::signed_distances`] at every voxel, to rounding; what
//! neighbors share is found once. All lengths are in voxels.
//!
//! - **Distances.** With r from the middle c of a block to its farthest voxel, a triangle nearest to
//!   any voxel is within d(c) + 2 r of c. Voxels go through those triangles only, near ones first.
//! - **Signs.** Balls around two voxels with their distances as radii hold no point of the surface.
//!   If they cover the line between the voxels, the winding number w has no jump on it, and differs
//!   by at most the length of the way times a bound of |grad w| that is 0 for a closed surface
//!   (`rims`). So one winding number decides for all voxels reached that way, as long as w keeps away
//!   from the numbers that decide.

use rayon::prelude::*;

use super::rims::Rims;
use super::{TriangleIndex, UNDECIDED};
use crate::error::{Error, Result};
use crate::geometry::simplex::{Facet, closest_point};
use crate::geometry::{Real, Vec3};

/// Tiles along an axis on each side of the origin: keys of tiles have 21 bits per axis.
const MOST_BLOCKS: f64 = (1 << 20) as f64;
/// Candidates from which on the parts of a box are tasks of their own.
const PARALLEL: usize = 512;
/// How far an approximated winding number may be off.
const APPROXIMATION: f64 = 0.02;
/// Voxels nearer than this to the surface decide for themselves.
const TOUCHING: f64 = 1e-6;
/// Added to bounds of distances, for rounding.
const SLACK: f64 = 1e-6;

/// A surface made ready for distances at voxels.
///
/// ```
/// use zeroset::mesh::generate::{Generate, Sphere, generate};
/// use zeroset::surface::LatticeDistance;
///
/// let sphere = generate(&Generate::Sphere(Sphere::default()))?;
/// // 20 voxels per radius, a band of 3 voxels on each side.
/// let surface = LatticeDistance::new(&sphere.vertices, &sphere.cells, [0.0; 3], 0.05, 3.0);
/// let mut phi = [0.0_f64; 64];
/// for corner in surface.blocks(4)? {
///     let found = surface.fill(corner, 4, &mut phi);
///     assert_eq!(found.undecided, 0);
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LatticeDistance {
    /// Of the triangles in voxels.
    index: TriangleIndex,
    rims: Rims,
    half_width: f64,
}

/// What [`LatticeDistance::fill`] says about a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filled {
    /// Some voxel is nearer to the surface than the half width, or the film over a hole may pass
    /// the block or its border: the block belongs to the band.
    pub active: bool,
    /// Voxels off the surface whose winding number has a size in [`UNDECIDED`].
    pub undecided: usize,
    /// Voxels inside by a negative winding number: normals point inwards there.
    pub inverted: usize,
}

impl LatticeDistance {
    /// Of triangles given by their vertices, `[n * 3]`, which must be finite and exist, for voxels
    /// at `origin + spacing * v` and a band of `half_width` voxels on each side.
    pub fn new(
        vertices: &[[f64; 3]],
        triangles: &[u32],
        origin: [f64; 3],
        spacing: f64,
        half_width: f64,
    ) -> Self {
        let voxel = |x: &[f64; 3]| std::array::from_fn(|k| (x[k] - origin[k]) / spacing);
        let vertices: Vec<[f64; 3]> = vertices.iter().map(voxel).collect();
        LatticeDistance {
            index: TriangleIndex::new(&vertices, triangles),
            rims: Rims::new(&vertices, triangles),
            half_width,
        }
    }

    /// Whether a voxel is inside, however far it is from the surface.
    pub fn is_inside(&self, voxel: [i32; 3]) -> bool {
        self.index.winding_number(voxel.map(f64::from)).abs() > 0.5
    }

    /// The corners of all blocks of `edge` voxels that the band may reach: multiples of `edge`, in
    /// ascending order of z, then y, then x. A few of them are not active. Where the film over a
    /// hole leaves the box around the triangles, it is not followed.
    ///
    /// # Errors
    /// [`Error::Case`] for a surface beyond 2^20 blocks from the origin.
    pub fn blocks(&self, edge: usize) -> Result<Vec<[i32; 3]>> {
        if self.index.is_empty() {
            return Ok(Vec::new());
        }
        let spans: [(f64, f64); 3] = std::array::from_fn(|k| {
            let (low, high) = self.index.tree.nodes[0].span(k);
            let block = |x: f64| (x / edge as f64).floor();
            (block(low - self.half_width), block(high + self.half_width))
        });
        let farthest = spans.iter().map(|s| s.0.abs().max(s.1.abs())).fold(0.0, f64::max);
        if farthest >= MOST_BLOCKS {
            return Err(Error::usage(
                format!(
                    "the surface reaches {:.3e} voxels from the origin; a grid has {:.0} on each \
                     side",
                    farthest * edge as f64,
                    MOST_BLOCKS * edge as f64
                ),
                "take larger voxels, or move the origin nearer",
            ));
        }
        let width = spans.iter().map(|s| (s.1 - s.0) as u64 + 1).fold(1, u64::max);
        let all: Vec<u32> = (0..self.index.len() as u32).collect();
        let low = spans.map(|s| s.0 as i32);
        let size = width.next_power_of_two() as i32;
        let mut blocks = self.descend(edge as i32, low, size, &all);
        blocks.par_sort_unstable_by_key(|&[x, y, z]| (z, y, x));
        Ok(blocks)
    }

    /// Corners of the blocks in a cube of `size` blocks that the triangles `above` may reach.
    fn descend(&self, edge: i32, low: [i32; 3], size: i32, above: &[u32]) -> Vec<[i32; 3]> {
        let corner = Vec3::from(low.map(|x| f64::from(x) * f64::from(edge)));
        let span = f64::from(size) * f64::from(edge) - 1.0;
        let far = corner + Vec3::repeat(span);
        let (center, radius) = around(corner, span);
        let reach = self.half_width + radius + SLACK;
        let within = |&k: &u32| {
            let triangle = &self.index.triangles[k as usize];
            let [a, b, c] = triangle;
            let (t_low, t_high) = (a.inf(b).inf(c), a.sup(b).sup(c));
            let gap = (t_low - far).sup(&(corner - t_high)).max();
            let small = size > 1 && (t_high - t_low).max() < span;
            gap <= self.half_width
                && (small
                    || (closest_point(center, triangle) - center).norm_squared() <= reach * reach)
        };
        let near: Vec<u32> = if size > 1 {
            above.iter().copied().filter(within).collect()
        } else {
            above.iter().copied().find(within).into_iter().collect()
        };
        // Parts may keep what their whole would just leave out, as both numbers are approximated.
        if near.is_empty() && !self.film(corner, span, 3.0 * APPROXIMATION) {
            return Vec::new();
        }
        if size == 1 {
            return vec![low.map(|x| x * edge)];
        }
        let half = size / 2;
        let part = |k: i32| {
            let low =
                [low[0] + half * (k & 1), low[1] + half * (k >> 1 & 1), low[2] + half * (k >> 2)];
            self.descend(edge, low, half, &near)
        };
        if near.len() >= PARALLEL {
            (0..8).into_par_iter().map(part).collect::<Vec<_>>().concat()
        } else {
            (0..8).flat_map(part).collect()
        }
    }

    /// Whether the film over a hole, where the size of the winding number is 1/2, may pass within
    /// one voxel of a box without triangles; `margin` is for approximated winding numbers.
    fn film(&self, corner: Vec3, span: f64, margin: f64) -> bool {
        let in_band = |k: usize| {
            let (low, high) = self.index.tree.nodes[0].span(k);
            corner[k] <= high + self.half_width && corner[k] + span >= low - self.half_width
        };
        if self.rims.is_empty() || !(0..3).all(in_band) {
            return false;
        }
        let (center, radius) = around(corner, span);
        let radius = radius + 3f64.sqrt();
        let change = self.rims.steepest(center, radius) * radius + margin;
        change >= 0.5 || {
            let winding = self.index.winding_number(center.into());
            (winding.abs() - 0.5).abs() <= change
        }
    }

    /// Writes the signed distances of the `edge`^3 voxels from `corner` on, x fastest, cut off at the
    /// half width.
    pub fn fill<R: Real>(&self, corner: [i32; 3], edge: usize, values: &mut [R]) -> Filled {
        let span = edge as f64 - 1.0;
        let low = Vec3::from(corner.map(f64::from));
        let (center, radius) = around(low, span);
        let mut distances = vec![self.half_width; edge.pow(3)];
        let near = self.candidates(center, radius);
        for (k, best) in distances.iter_mut().enumerate() {
            let place = [k % edge, k / edge % edge, k / (edge * edge)].map(|c| c as f64);
            nearest(low + Vec3::from(place), &near, center, best);
        }
        let (inside, mut filled) = self.sides(low, edge, &distances);
        for ((value, distance), inside) in values.iter_mut().zip(&distances).zip(inside) {
            filled.active |= *distance < self.half_width;
            *value = R::narrow(if inside { -distance } else { *distance });
        }
        filled.active = filled.active || self.film(low, span, APPROXIMATION);
        filled
    }

    /// Triangles that may be nearest to a point of the block and within the band, with their
    /// distances from its middle, near ones first.
    fn candidates(&self, center: Vec3, radius: f64) -> Vec<(f64, Facet)> {
        let reach = self.half_width + radius + SLACK;
        let gap2 = |k: usize| {
            let x = closest_point(center, &self.index.triangles[k]);
            (x - center).norm_squared()
        };
        let mut middle2 = reach * reach;
        self.index.tree.nearest(center, middle2, |k, bound| {
            middle2 = gap2(k).min(bound);
            middle2
        });
        let limit = reach.min(middle2.sqrt() + 2.0 * radius + SLACK);
        let mut near = Vec::new();
        if middle2 < reach * reach {
            self.index.tree.descend(|_, node| {
                let within = node.distance2(center) <= limit * limit;
                if within && node.is_leaf() {
                    near.extend(
                        node.pieces().map(|k| (gap2(k).sqrt(), k)).filter(|n| n.0 <= limit),
                    );
                }
                within
            });
        }
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.into_iter().map(|(gap, k)| (gap, Facet::new(self.index.triangles[k]))).collect()
    }

    /// Which voxels are inside, and what is to be said about them.
    fn sides(&self, low: Vec3, edge: usize, distances: &[f64]) -> (Vec<bool>, Filled) {
        let (center, radius) = around(low, edge as f64 - 1.0);
        let steepest = self.rims.steepest(center, radius);
        let on = 1e-9 * self.index.tree.nodes[0].diagonal();
        let place = |k: usize| [k % edge, k / edge % edge, k / (edge * edge)];
        let mut inside: Vec<Option<bool>> = vec![None; distances.len()];
        let mut filled = Filled::default();
        let mut reached: Vec<(usize, f64)> = Vec::new();
        // Voxels away from the surface first, which reach many others.
        for floor in [0.5, 0.0] {
            for seed in 0..distances.len() {
                if inside[seed].is_some() || distances[seed] < floor {
                    continue;
                }
                let x = low + Vec3::from(place(seed).map(|c| c as f64));
                let winding = self.index.winding_number(x.into());
                let size = winding.abs();
                let decides = [UNDECIDED.start, 0.5, UNDECIDED.end];
                let room = decides.iter().map(|d| (size - d).abs()).fold(f64::INFINITY, f64::min);
                let room = room - 2.0 * APPROXIMATION;
                inside[seed] = Some(size > 0.5);
                reached.clear();
                reached.push((seed, 0.0));
                let mut next = 0;
                while let Some(&(at, way)) = reached.get(next) {
                    next += 1;
                    if distances[at] > on {
                        filled.undecided += usize::from(UNDECIDED.contains(&size));
                        filled.inverted += usize::from(winding < -0.5);
                    }
                    if distances[at] < TOUCHING {
                        continue;
                    }
                    for (to, step) in neighbors(place(at), edge) {
                        let clear = inside[to].is_none()
                            && distances[to] >= TOUCHING
                            && distances[at] + distances[to] > step + SLACK
                            && steepest * (way + step) < room;
                        if clear {
                            inside[to] = inside[seed];
                            reached.push((to, way + step));
                        }
                    }
                }
            }
        }
        (inside.into_iter().map(|side| side == Some(true)).collect(), filled)
    }
}

/// Middle and radius of the ball around a box.
fn around(corner: Vec3, span: f64) -> (Vec3, f64) {
    (corner + Vec3::repeat(0.5 * span), 0.5 * span * 3f64.sqrt())
}

/// Lowers `best` to the distance from `p` to the nearest of `near`, whose distances from `center`
/// ascend.
fn nearest(p: Vec3, near: &[(f64, Facet)], center: Vec3, best: &mut f64) {
    let from_center = (p - center).norm();
    let mut best2 = *best * *best;
    for (gap, facet) in near {
        if gap - from_center > *best + SLACK {
            return;
        }
        let distance2 = (facet.closest(p) - p).norm_squared();
        if distance2 < best2 {
            best2 = distance2;
            *best = distance2.sqrt();
        }
    }
}

/// The up to 26 voxels around one in a block, with their distances.
fn neighbors(place: [usize; 3], edge: usize) -> impl Iterator<Item = (usize, f64)> {
    let [x, y, z] = place;
    let span = move |c: usize| c.saturating_sub(1)..(c + 2).min(edge);
    span(z).flat_map(move |k| {
        span(y).flat_map(move |j| {
            span(x).filter_map(move |i| {
                let moved = i.abs_diff(x) + j.abs_diff(y) + k.abs_diff(z);
                (moved > 0).then(|| (i + edge * (j + edge * k), (moved as f64).sqrt()))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::mesh::generate::{Generate, Sphere, Torus, generate};
    use crate::surface::SignedDistances;
    use std::collections::BTreeSet;

    fn sphere() -> Mesh {
        generate(&Generate::Sphere(Sphere { subdivisions: Some(3), ..Sphere::default() })).unwrap()
    }

    fn torus() -> Mesh {
        generate(&Generate::Torus(Torus::default())).unwrap()
    }

    /// Both meshes as one.
    fn together(a: &Mesh, b: &Mesh, moved: [f64; 3]) -> Mesh {
        let mut all = a.clone();
        let shifted = b.vertices.iter().map(|x| std::array::from_fn(|k| x[k] + moved[k]));
        all.vertices.extend(shifted);
        all.cells.extend(b.cells.iter().map(|v| v + a.n_vertices() as u32));
        all
    }

    fn keep(mesh: &Mesh, chosen: impl Fn(usize) -> bool) -> Mesh {
        let cells = mesh.iter_cells().enumerate().filter(|(k, _)| chosen(*k));
        Mesh { cells: cells.flat_map(|(_, t)| t.to_vec()).collect(), ..mesh.clone() }
    }

    /// Compares all voxels of a box around the mesh with distances found one by one.
    fn compare(mesh: &Mesh, voxels: i32, edge: i32, half_width: f64) -> (usize, usize) {
        let (low, high) = mesh.bounds();
        let spacing = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max) / f64::from(voxels);
        let origin = [0.123, -0.077, 0.031];
        let surface =
            LatticeDistance::new(&mesh.vertices, &mesh.cells, origin, spacing, half_width);
        let listed = surface.blocks(edge as usize).unwrap();
        assert!(listed.is_sorted_by_key(|c| (c[2], c[1], c[0])));
        let places: Vec<BTreeSet<i32>> = (0..3)
            .map(|k| {
                let block = |x: f64| ((x - origin[k]) / spacing / f64::from(edge)).floor() as i32;
                (block(low[k]) - 2..=block(high[k]) + 2).collect()
            })
            .collect();
        let listed: BTreeSet<[i32; 3]> = listed.into_iter().collect();
        let (mut active, mut seen, mut doubts) = (0, 0, 0);
        for &z in &places[2] {
            for &y in &places[1] {
                for &x in &places[0] {
                    let corner = [x, y, z].map(|c| c * edge);
                    let mut values = vec![0.0_f64; edge.pow(3) as usize];
                    let filled = surface.fill(corner, edge as usize, &mut values);
                    let points: Vec<[f64; 3]> = (0..edge.pow(3))
                        .map(|k| [k % edge, k / edge % edge, k / (edge * edge)])
                        .map(|p| std::array::from_fn(|k| f64::from(corner[k] + p[k])))
                        .collect();
                    let expected: SignedDistances = surface.index.signed_distances(&points);
                    for ((found, exact), p) in values.iter().zip(&expected.values).zip(&points) {
                        let clamped = exact.clamp(-half_width, half_width);
                        let close = (found - clamped).abs() < 1e-13;
                        assert!(close, "{found} for {clamped} at {p:?} of block {corner:?}");
                        assert_eq!(*found < 0.0, *exact < 0.0, "at {p:?} of block {corner:?}");
                    }
                    assert_eq!(
                        (filled.undecided, filled.inverted),
                        (expected.undecided, expected.inverted)
                    );
                    // What is near, and every change of sign, is in a block of the list.
                    let near = values.iter().any(|v| v.abs() < half_width);
                    let mixed = values.iter().any(|v| (*v < 0.0) != (values[0] < 0.0));
                    assert!(filled.active >= (near || mixed));
                    assert!(listed.contains(&corner) || !filled.active, "block {corner:?}");
                    assert_eq!(surface.is_inside(corner), values[0] < 0.0);
                    active += usize::from(filled.active);
                    seen += 1;
                    doubts += filled.undecided;
                }
            }
        }
        assert!(active > 0 && active < seen);
        assert!(listed.len() <= 3 * active, "{} blocks for {active}", listed.len());
        (active, doubts)
    }

    #[test]
    fn closed_surfaces_have_the_distances_of_a_search_voxel_by_voxel() {
        for (mesh, edge) in [(sphere(), 4), (torus(), 8), (torus(), 4)] {
            let (_, doubts) = compare(&mesh, 20, edge, 3.0);
            assert_eq!(doubts, 0);
        }
        compare(&sphere(), 6, 4, 1.5);
        // Triangles far larger than voxels.
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let cells = vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
        compare(&Mesh::new(crate::mesh::Kind::Surface, corner.to_vec(), cells), 30, 4, 2.0);
    }

    #[test]
    fn dirty_surfaces_have_the_signs_of_their_winding_numbers() {
        let ball = sphere();
        // Two balls that overlap, one inside the other turned inwards.
        compare(&together(&ball, &ball, [0.7, 0.2, 0.1]), 20, 4, 3.0);
        let mut shell = ball.clone();
        shell.vertices.iter_mut().for_each(|x| *x = x.map(|c| 0.5 * c));
        shell.cells.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
        compare(&together(&ball, &shell, [0.0; 3]), 20, 4, 2.0);
        // Holes, few and large, and triangles turned the wrong way.
        let holes = keep(&ball, |k| k % 97 > 2);
        let cap = keep(&ball, |k| ball.vertices[ball.cells[3 * k] as usize][2] < 0.6);
        let mut turned = ball.clone();
        turned.cells.as_chunks_mut::<3>().0.iter_mut().step_by(50).for_each(|t| t.swap(0, 1));
        for mesh in [holes, cap, turned] {
            let (_, doubts) = compare(&mesh, 20, 4, 2.0);
            assert!(doubts > 0);
        }
    }

    #[test]
    fn the_film_over_a_wide_hole_is_in_the_list() {
        // Half a ball: its film lies many voxels from all triangles.
        let ball = sphere();
        let half = keep(&ball, |k| ball.vertices[ball.cells[3 * k] as usize][2] < 0.0);
        compare(&half, 32, 4, 2.0);
    }

    #[test]
    fn far_surfaces_and_none_are_told() {
        let ball = sphere();
        let tiny = LatticeDistance::new(&ball.vertices, &ball.cells, [0.0; 3], 1e-8, 2.0);
        let error = tiny.blocks(4).unwrap_err().to_string();
        assert!(error.contains("voxels from the origin"), "{error}");
        let none = LatticeDistance::new(&[], &[], [0.0; 3], 1.0, 2.0);
        assert_eq!(none.blocks(4).unwrap(), Vec::<[i32; 3]>::new());
        let mut values = [0.0_f32; 64];
        assert_eq!(none.fill([0; 3], 4, &mut values), Filled::default());
        assert_eq!(values, [2.0; 64]);
    }

    #[test]
    fn lists_do_not_depend_on_threads() {
        let mesh = torus();
        let surface = LatticeDistance::new(&mesh.vertices, &mesh.cells, [0.0; 3], 0.02, 3.0);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| surface.blocks(4).unwrap())
        };
        assert_eq!(run(1), run(3));
    }
}
