//! Signed distances to a surface at the voxels of a lattice, within a band around it, block by
//! block.
//!
//! The values equal those of [`TriangleIndex::signed_distances`] at every voxel, up to rounding,
//! except near a film (see below). Work that neighboring voxels share is done once. All lengths are
//! in voxels.
//!
//! - **Distances.** Let r be the distance from the center c of a block to its farthest voxel, and
//!   d(c) the distance from c to the surface. A triangle that is nearest to any voxel of the block
//!   is within d(c) + 2 r of c. Voxels visit only these triangles, near ones first.
//! - **Signs.** A ball around a voxel with its distance as radius contains no point of the surface.
//!   If the balls of two voxels cover the line between them, the winding number w has no jump on
//!   this line. It then changes by at most the length of the path times an upper bound on |grad w|,
//!   which is 0 for a closed surface (see `boundary_edges`). One winding number therefore decides
//!   for all voxels that are reached in this way, as long as w stays away from the thresholds.
//! - **Films.** Across a hole the sign changes where |w| = 1/2, far from all triangles. The points
//!   where it changes form a film over the hole. To avoid a jump in phi there, its absolute value
//!   is limited to (|w| - 1/2) / g, where g is the bound on |grad w| at the voxel. This is at most
//!   the distance to the film if g changes little.

#[cfg(test)]
mod tests;

use super::boundary_edges::Rims;
use super::{Envelope, TriangleIndex, UNDECIDED};
use crate::error::{Error, Result};
use crate::geometry::simplex::{Facet, closest_point};
use crate::geometry::{Real, Vec3};
use crate::parallel::*;

/// Number of tiles that fit along an axis on each side of the origin, because keys of tiles have 21
/// bits per axis.
const MOST_BLOCKS: f64 = (1 << 20) as f64;
/// Number of candidates above which the parts of a box become parallel tasks.
const PARALLEL: usize = 512;
/// Bound on the error of an approximated winding number, which held in all experiments.
const APPROXIMATION: f64 = 0.02;
/// Voxels nearer to the surface than this compute their own winding number.
const TOUCHING: f64 = 1e-6;
/// Added to bounds on distances to allow for rounding.
const SLACK: f64 = 1e-6;

/// A surface prepared for distances at voxels.
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
    /// The triangles, in voxels.
    index: TriangleIndex,
    rims: Rims,
    half_width: f64,
    /// Half the thickness of the shell around the surface, if the inside is a shell.
    shell: Option<f64>,
}

/// Findings of [`LatticeDistance::fill`] about a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filled {
    /// Whether the absolute value of any distance is smaller than the half width.
    pub active: bool,
    /// Number of voxels off the surface whose winding number has an absolute value in the range
    /// [`UNDECIDED`].
    pub undecided: usize,
    /// Number of voxels that count as inside because of a negative winding number. Normals point
    /// inward there.
    pub inverted: usize,
}

impl LatticeDistance {
    /// Prepares a surface for voxels at `origin + spacing * v`, in the unit of the vertices, and a
    /// band of `half_width` voxels on each side. `triangles` lists vertex indices, `[n * 3]`. The
    /// vertices must exist and be finite.
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
            shell: None,
        }
    }

    /// Makes the inside a shell: all points within `half_thickness` voxels of the surface, which
    /// may be open.
    pub fn shell(self, half_thickness: f64) -> Self {
        LatticeDistance {
            // Across the boundary of a sheet, the distance has no jump.
            rims: Rims::new(&[], &[]),
            half_width: self.half_width + half_thickness,
            shell: Some(half_thickness),
            ..self
        }
    }

    /// Measures distances only to the envelope of the surface. `origin` and `spacing` must be those
    /// given to [`LatticeDistance::new`].
    pub fn with_envelope(self, envelope: &Envelope, origin: [f64; 3], spacing: f64) -> Self {
        let voxel = |x: &[f64; 3]| std::array::from_fn(|k| (x[k] - origin[k]) / spacing);
        LatticeDistance { index: self.index.with_envelope(&envelope.moved(voxel)), ..self }
    }

    /// Returns whether a voxel, given by its integer coordinates, is inside, at any distance from
    /// the surface.
    pub fn is_inside(&self, voxel: [i32; 3]) -> bool {
        if let Some(half) = self.shell {
            let closest = self.index.closest(voxel.map(f64::from));
            return closest.is_some_and(|closest| closest.distance < half);
        }
        self.index.winding_number(voxel.map(f64::from)).abs() > 0.5
    }

    /// Returns the corners, in voxels, of all blocks of `edge` voxels that the band may reach. They
    /// are multiples of `edge`, in ascending order of z, then y, then x. For a few of them,
    /// [`Filled::active`] is false. The film over a hole is followed only within the box around the
    /// triangles, widened by the half width.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the band reaches 2^20 blocks or more from the origin.
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
                "use larger voxels, or move the origin closer to the surface",
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

    /// Returns the corners of the blocks in a cube of `size`^3 blocks that the band around the
    /// triangles `above` or around a film may reach.
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
        if near.is_empty() && !self.film(corner, span) {
            return Vec::new();
        }
        if size == 1 {
            return vec![low.map(|x| x * edge)];
        }
        let half = size / 2;
        let part = |k: u32| {
            let low = [0, 1, 2].map(|axis| low[axis] + half * (k >> axis & 1) as i32);
            self.descend(edge, low, half, &near)
        };
        if near.len() >= PARALLEL {
            (0..8_u32).into_par_iter().map(part).collect::<Vec<_>>().concat()
        } else {
            (0..8).flat_map(part).collect()
        }
    }

    /// Returns whether the film over a hole may pass within the half width of a box.
    fn film(&self, corner: Vec3, span: f64) -> bool {
        let in_band = |k: usize| {
            let (low, high) = self.index.tree.nodes[0].span(k);
            corner[k] <= high + self.half_width && corner[k] + span >= low - self.half_width
        };
        if self.rims.is_empty() || !(0..3).all(in_band) {
            return false;
        }
        let (center, radius) = around(corner, span);
        let radius = radius + self.half_width;
        // The winding numbers at the center and at a voxel are both approximations.
        let change = self.rims.steepest(center, radius) * radius + 2.0 * APPROXIMATION;
        change >= 0.5 || {
            // Each triangle on the way changes the winding number by an integer.
            let part = self.index.winding_number(center.into()).rem_euclid(1.0);
            (part - 0.5).abs() <= change
        }
    }

    /// Writes the signed distances of the block of `edge`^3 voxels whose lowest voxel is `corner`,
    /// x fastest, in voxels, clamped to the half width.
    pub fn fill<R: Real>(&self, corner: [i32; 3], edge: usize, values: &mut [R]) -> Filled {
        let low = Vec3::from(corner.map(f64::from));
        let (center, radius) = around(low, edge as f64 - 1.0);
        let mut sizes = vec![self.half_width; edge.pow(3)];
        let near = self.candidates(center, radius);
        for (k, best) in sizes.iter_mut().enumerate() {
            let x = voxel(low, place(k, edge));
            nearest(x, &near, center, best);
            if *best <= self.index.rounding(x) {
                *best = 0.0;
            }
        }
        if let Some(half) = self.shell {
            let active = sizes.iter().any(|size| *size < self.half_width);
            values.iter_mut().zip(&sizes).for_each(|(value, size)| *value = R::of(size - half));
            return Filled { active, ..Filled::default() };
        }
        let (inside, mut filled) = if self.film(low, edge as f64 - 1.0) {
            self.sides_one_by_one(low, edge, &mut sizes)
        } else {
            self.sides(low, edge, &sizes)
        };
        for ((value, size), inside) in values.iter_mut().zip(&sizes).zip(inside) {
            filled.active |= *size < self.half_width;
            *value = R::of(if inside { -*size } else { *size });
        }
        filled
    }

    /// Returns the triangles that may be nearest to a point of the block and within the band, with
    /// their distances from its center, near ones first.
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

    /// Determines which voxels are inside, and counts undecided and inverted voxels.
    fn sides(&self, low: Vec3, edge: usize, distances: &[f64]) -> (Vec<bool>, Filled) {
        let (center, radius) = around(low, edge as f64 - 1.0);
        let steepest = self.rims.steepest(center, radius);
        let mut inside: Vec<Option<bool>> = vec![None; distances.len()];
        let mut filled = Filled::default();
        let mut reached: Vec<(usize, f64)> = Vec::new();
        // Start with voxels away from the surface, because they reach many others.
        for floor in [0.5, 0.0] {
            for seed in 0..distances.len() {
                if inside[seed].is_some() || distances[seed] < floor {
                    continue;
                }
                let x = voxel(low, place(seed, edge));
                let winding = self.index.winding_number(x.into());
                let size = winding.abs();
                let decides = [UNDECIDED.start, 0.5, UNDECIDED.end];
                // Triangles that are not on the envelope change the winding number by integers.
                let size = if self.index.has_envelope() { size.fract() } else { size };
                let room = decides.iter().map(|d| (size - d).abs()).fold(f64::INFINITY, f64::min);
                let room = room - 2.0 * APPROXIMATION;
                inside[seed] = Some(winding.abs() > 0.5);
                reached.clear();
                reached.push((seed, 0.0));
                let mut next = 0;
                while let Some(&(at, way)) = reached.get(next) {
                    next += 1;
                    self.count(&mut filled, winding, distances[at]);
                    if distances[at] < TOUCHING {
                        continue;
                    }
                    for (to, step) in neighbors(place(at, edge), edge) {
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

    /// Determines the sides near a film. Every voxel computes its own winding number. Reduces
    /// `sizes` to the distance to the film.
    fn sides_one_by_one(&self, low: Vec3, edge: usize, sizes: &mut [f64]) -> (Vec<bool>, Filled) {
        let mut filled = Filled::default();
        let side = |(k, size): (usize, &mut f64)| {
            let x = voxel(low, place(k, edge));
            let winding = self.index.winding_number(x.into());
            self.count(&mut filled, winding, *size);
            let to_film = (winding.abs() - 0.5) / self.rims.steepest(x, 0.0);
            *size = size.min(to_film.abs());
            winding.abs() > 0.5
        };
        (sizes.iter_mut().enumerate().map(side).collect(), filled)
    }

    fn count(&self, filled: &mut Filled, winding: f64, distance: f64) {
        // Points on the surface are on neither side.
        if distance > 1e-9 * self.index.tree.nodes[0].diagonal() {
            filled.undecided += usize::from(UNDECIDED.contains(&winding.abs()));
            filled.inverted += usize::from(winding < -0.5);
        }
    }
}

/// Returns the position of voxel `k` within a block.
fn place(k: usize, edge: usize) -> [usize; 3] {
    [k % edge, k / edge % edge, k / (edge * edge)]
}

fn voxel(low: Vec3, place: [usize; 3]) -> Vec3 {
    low + Vec3::from(place.map(|c| c as f64))
}

/// Returns the center and radius of the ball around a box.
fn around(corner: Vec3, span: f64) -> (Vec3, f64) {
    (corner + Vec3::repeat(0.5 * span), 0.5 * span * 3f64.sqrt())
}

/// Lowers `best` to the distance from `p` to the nearest of `near`. `near` must be in ascending
/// order of distance from `center`.
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

/// Returns the up to 26 neighbors of a voxel within a block, with their distances.
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
