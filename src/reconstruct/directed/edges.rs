//! Signed distances beyond the sharp edges of a sampled surface.
//!
//! A sphere is fitted to samples on one side of a surface only. Beyond a sharp edge, it would
//! continue the side of the nearest sample into the void, and the surface would get a spike. There,
//! the distance combines the sides that meet at the edge: the solid is the intersection of their
//! insides at a convex edge, and the union at a concave one. Three sides may meet at a corner.

use super::field::{Closest, VERTICES};
use super::seeds::{Sample, Seeds};
use super::spheres::{Near, SAME_SIDE, Sums, dot};

zeroset_gpu::cuda_header! {
    "edges";

    /// The distance of a vertex from the center of the samples on one side, along that side and in
    /// radii, beyond which the vertex lies beyond an edge of the side. For evenly spread samples
    /// that end at the vertex, the distance is 0.235 radii. With random samples, it deviates by
    /// about 0.09 radii.
    const BEYOND: f64 = 0.2;
    /// The smallest product of two unit normals on both sides of an edge. The sides of a thin plate
    /// have a product of -1.
    const OPPOSITE: f64 = -0.8;
    /// The largest number of sides that meet at a corner.
    const SIDES: u32 = 3;
}

/// The smallest product of a unit normal and the mean direction, if all normals around a tile
/// belong to one side. Half the angle with the cosine [`SAME_SIDE`] has the cosine 0.775.
const WITHIN: f64 = 0.78;

/// One side of an edge, seen from a vertex.
#[derive(Clone, Copy)]
struct Side {
    /// The nearest sample of the side.
    closest: Closest,
    sample: Sample,
    /// The weighted center of the samples, relative to the vertex.
    center: [f64; 3],
    /// The signed distance of the vertex from the side.
    distance: f64,
}

/// A vertex beyond an edge.
struct Beyond {
    vertex: usize,
    /// The side of the nearest sample, and the other sides found so far.
    sides: Vec<Side>,
    /// The nearest sample on none of these sides.
    closest: Closest,
    /// Sums over the samples on the side of that sample.
    sums: Sums,
}

/// Corrects the distances of the vertices of a tile that lie beyond an edge. `closest` holds the
/// nearest sample of each vertex, `sums` the sums over the samples on its side, and `distances` the
/// distances from that side. If another side determines the distance, its sample replaces the
/// nearest one.
pub(super) fn beyond_edges(
    near: &Near,
    seeds: &Seeds,
    closest: &mut [Closest; VERTICES],
    sums: &[Sums],
    distances: &mut [f64],
) {
    if has_one_side(near) {
        return;
    }
    let mut found: Vec<Beyond> = (0..VERTICES)
        .filter_map(|vertex| {
            let sample = *closest[vertex].of(seeds)?;
            let center = sums[vertex].center()?;
            is_beyond(center, &sample, near.radius(&sample)).then(|| Beyond {
                vertex,
                sides: vec![Side {
                    closest: closest[vertex],
                    sample,
                    center,
                    distance: distances[vertex],
                }],
                closest: Closest::FAR,
                sums: Sums::default(),
            })
        })
        .collect();
    for _ in 1..SIDES {
        next_side(near, seeds, &mut found);
    }
    for beyond in found {
        let at = near.position(beyond.vertex);
        let side = match beyond.sides[..] {
            [own, first] => corner_of_two(own, first, at),
            [own, first, second] => corner_of_three(own, first, second, at),
            _ => continue,
        };
        distances[beyond.vertex] = side.distance;
        closest[beyond.vertex] = side.closest;
    }
}

/// Returns whether the normals of all samples around a tile are so close to their mean that any two
/// of them belong to one side. Where this holds, there is no edge, and most tiles are skipped.
fn has_one_side(near: &Near) -> bool {
    let mut mean = [0.0; 3];
    for normal in near.normals() {
        for k in 0..3 {
            mean[k] += normal[k];
        }
    }
    let least = WITHIN * dot(mean, mean).sqrt();
    near.normals().all(|normal| dot(normal, mean) >= least)
}

/// Finds the next side of each vertex, if there is one.
fn next_side(near: &Near, seeds: &Seeds, found: &mut [Beyond]) {
    if found.is_empty() {
        return;
    }
    let mut of_vertex = [None; VERTICES];
    for (k, beyond) in found.iter_mut().enumerate() {
        of_vertex[beyond.vertex] = Some(k);
        (beyond.closest, beyond.sums) = (Closest::FAR, Sums::default());
    }
    near.for_each(|k, sample, v, d| {
        let Some(beyond) = of_vertex[v].map(|b| &mut found[b]) else { return };
        let along = |side: &Side| dot(side.sample.normal, sample.normal);
        if along(&beyond.sides[0]) > OPPOSITE
            && beyond.sides.iter().all(|side| along(side) < SAME_SIDE)
        {
            let distance2 = d[2] * d[2] + d[1] * d[1] + d[0] * d[0];
            beyond.closest.offer(distance2, sample.number, k as u32);
        }
    });
    if found.iter().all(|beyond| beyond.closest.of(seeds).is_none()) {
        return;
    }
    near.for_each(|_, sample, v, d| {
        let Some(beyond) = of_vertex[v].map(|b| &mut found[b]) else { return };
        let Some(other) = beyond.closest.of(seeds) else { return };
        if dot(other.normal, sample.normal) >= SAME_SIDE {
            beyond.sums.add_sample(near.radius(sample), d, sample.normal);
        }
    });
    for beyond in found {
        let Beyond { closest, sums, .. } = *beyond;
        let Some(&sample) = closest.of(seeds) else { continue };
        if let (Some(center), Some(distance)) = (sums.center(), sums.distance()) {
            beyond.sides.push(Side { closest, sample, center, distance });
        }
    }
}

/// Returns whether a vertex lies beyond the samples on the side of its nearest sample, whose radius
/// is given. `center` is the center of these samples, relative to the vertex.
fn is_beyond(center: [f64; 3], own: &Sample, radius: f64) -> bool {
    let up = dot(center, own.normal);
    let across2 = dot(center, center) - up * up;
    across2 > BEYOND * BEYOND * (radius * radius)
}

/// The edge between two sides.
#[derive(Clone, Copy, PartialEq)]
enum Edge {
    /// Each side lies below the other one.
    Convex,
    /// Each side lies above the other one.
    Concave,
    /// The sides do not meet in an edge.
    None,
}

impl Edge {
    /// Returns the edge between two sides, seen from a vertex at `at`.
    fn between(a: &Side, b: &Side, at: [f64; 3]) -> Edge {
        match (height(a.center, at, &b.sample) < 0.0, height(b.center, at, &a.sample) < 0.0) {
            (true, true) => Edge::Convex,
            (false, false) => Edge::Concave,
            _ => Edge::None,
        }
    }

    /// Returns the side that determines the distance: the farther one at a convex edge, the nearer
    /// one at a concave edge, and the first one without an edge.
    fn choose(self, a: Side, b: Side) -> Side {
        let is_other = match self {
            Edge::Convex => b.distance > a.distance,
            Edge::Concave => b.distance < a.distance,
            Edge::None => false,
        };
        if is_other { b } else { a }
    }
}

/// Returns the side that determines the distance where two sides meet.
fn corner_of_two(own: Side, other: Side, at: [f64; 3]) -> Side {
    Edge::between(&own, &other, at).choose(own, other)
}

/// Returns the side that determines the distance where three sides meet. If one edge differs from
/// the two others, its two sides are combined first.
fn corner_of_three(own: Side, first: Side, second: Side, at: [f64; 3]) -> Side {
    let to_first = Edge::between(&own, &first, at);
    let to_second = Edge::between(&own, &second, at);
    let across = Edge::between(&first, &second, at);
    if to_first == Edge::None || to_second == Edge::None || across == Edge::None {
        return to_second.choose(to_first.choose(own, first), second);
    }
    if to_first == to_second {
        to_first.choose(own, across.choose(first, second))
    } else if across == to_first {
        across.choose(to_second.choose(own, second), first)
    } else {
        across.choose(to_first.choose(own, first), second)
    }
}

/// Returns the height of a center above the tangent plane of a sample. `at` is the position of the
/// vertex to which the center is relative.
fn height(center: [f64; 3], at: [f64; 3], of: &Sample) -> f64 {
    let from = [0, 1, 2].map(|k| center[k] - (of.point[k] - at[k]));
    dot(from, of.normal)
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use crate::cloud::PointCloud;
    use crate::mesh::statistics::inspect;
    use crate::reconstruct::directed::tests::assert_closed;
    use crate::reconstruct::directed::{Cubes, Fit, reconstruct};

    /// A box: its lowest and its highest corner.
    type Block = ([f64; 3], [f64; 3]);

    /// Returns the signed distance from a block, negative inside.
    fn distance((low, high): &Block, x: [f64; 3]) -> f64 {
        let beyond = [0, 1, 2].map(|k| (low[k] - x[k]).max(x[k] - high[k]));
        let outside = beyond.map(|d| d.max(0.0).powi(2)).iter().sum::<f64>().sqrt();
        outside + beyond.into_iter().fold(f64::NEG_INFINITY, f64::max).min(0.0)
    }

    /// Returns random samples on the union of blocks that touch each other, `spacing` apart, with
    /// normals.
    fn sampled(blocks: &[Block], spacing: f64, seed: u64) -> PointCloud {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut unit = || f64::from(random.next_u32()) / 4_294_967_296.0;
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        for (b, (low, high)) in blocks.iter().enumerate() {
            for face in 0..6_usize {
                let axis = face / 2;
                let size = [0, 1, 2].map(|k| high[k] - low[k]);
                let area = size[(axis + 1) % 3] * size[(axis + 2) % 3];
                for _ in 0..(area / (spacing * spacing)) as usize {
                    let mut x = [0, 1, 2].map(|k| low[k] + size[k] * unit());
                    x[axis] = if face % 2 == 0 { low[axis] } else { high[axis] };
                    let hides = |(k, block)| k != b && distance(block, x) <= 0.0;
                    if !blocks.iter().enumerate().any(hides) {
                        points.push(x);
                        let side = if face % 2 == 0 { -1.0 } else { 1.0 };
                        normals.push([0, 1, 2].map(|k| if k == axis { side } else { 0.0 }));
                    }
                }
            }
        }
        PointCloud { points, normals: Some(normals), ..PointCloud::default() }
    }

    /// Asserts that the surface of sampled blocks is closed and has no spikes and no pits.
    fn check(blocks: &[Block], spacing: f64) {
        for seed in 1..=3 {
            let cloud = sampled(blocks, spacing, seed);
            let (mesh, _) = reconstruct(&cloud, Cubes::Safe, Fit::Spheres).unwrap();
            let found = inspect(&mesh);
            assert_closed(&found);
            let of_union = |x: &[f64; 3]| {
                let distances = blocks.iter().map(|block| distance(block, *x));
                distances.fold(f64::INFINITY, f64::min)
            };
            let off = mesh.vertices.iter().map(|x| of_union(x).abs()).fold(0.0, f64::max);
            assert!(off < 1.3 * spacing, "seed {seed}: {:.2} spacings", off / spacing);
        }
    }

    #[test]
    fn a_plate_has_no_spikes_at_its_rim() {
        check(&[([0.0; 3], [1.0, 1.0, 0.05])], 0.019);
        check(&[([0.0; 3], [1.0, 1.0, 0.1])], 0.02);
    }

    #[test]
    fn corners_of_three_sides_have_no_spikes() {
        check(&[([0.0; 3], [1.0, 1.0, 1.0])], 0.04);
    }

    #[test]
    fn concave_edges_and_mixed_corners_have_no_pits() {
        check(&[([0.0; 3], [1.0, 1.0, 0.3]), ([0.0, 0.0, 0.3], [0.3, 1.0, 1.0])], 0.04);
        check(&[([0.0, 0.0, 0.5], [1.0, 1.0, 0.6]), ([0.4, 0.0, 0.0], [0.55, 1.0, 0.5])], 0.03);
    }
}
