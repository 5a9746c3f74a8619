//! The triangles around each vertex: smooth normals and creases.

use super::drawing::{Kinds, Line};
use crate::render::vector::{V, add, cross, dot, length, scaled, sub, unit};
use zeroset_core::parallel::*;
use zeroset_core::primitives::GatherMatrix;

/// The cosine of the crease angle, about 78 degrees. Shading is not smoothed across edges where the
/// normals differ by more than this angle.
const CREASE: f64 = 0.2;
/// The cosine of about 40 degrees. An edge of a solid is drawn if the normals of its walls differ
/// by more than this angle.
const SHARP: f64 = 0.77;

/// If a vertex has more triangles than this, their normals are summed by direction.
const MANY: u32 = 256;
/// The number of intervals into which each component of a normal is divided to group normals by
/// direction.
const DIRECTIONS: usize = 8;

/// The unit normal of a triangle and twice its area.
pub(super) struct Facet {
    normal: [f32; 3],
    area: f64,
}

pub(super) fn facets(points: &[V], triangles: &[u32]) -> Vec<Facet> {
    let facet = |t: &[u32]| {
        let [a, b, c] = [0, 1, 2].map(|k| points[t[k] as usize]);
        let product = cross(sub(b, a), sub(c, a));
        Facet { normal: unit(product).map(|x| x as f32), area: length(product) }
    };
    triangles.par_chunks_exact(3).map(facet).collect()
}

/// The triangles around each vertex, stored as corner slots. Each triangle has three slots.
pub(super) struct Around(GatherMatrix);

impl Around {
    pub(super) fn new(n: usize, triangles: &[u32]) -> Self {
        Around(GatherMatrix::new(n, triangles))
    }

    fn of(&self, v: u32) -> impl Iterator<Item = u32> {
        self.0.row(v as usize).iter().map(|slot| slot / 3)
    }

    fn count(&self, v: u32) -> usize {
        self.0.row(v as usize).len()
    }

    /// Returns the normal at each corner of each triangle. It is the area-weighted mean over the
    /// triangles around the corner that join this triangle smoothly.
    pub(super) fn normals(&self, triangles: &[u32], facets: &[Facet]) -> Vec<[[f32; 3]; 3]> {
        let hubs = self.hubs(facets);
        triangles
            .par_chunks_exact(3)
            .zip(facets)
            .map(|(t, own)| {
                let own = widen(own.normal);
                [0, 1, 2].map(|k| {
                    let near = |sum: V, normal: V, part: V| match dot(own, normal) > CREASE {
                        true => add(sum, part),
                        false => sum,
                    };
                    let sum = match hubs.binary_search_by_key(&t[k], |hub| hub.0) {
                        Ok(hub) => hubs[hub]
                            .1
                            .iter()
                            .fold([0.0; 3], |sum, part| near(sum, unit(*part), *part)),
                        Err(_) => self.of(t[k]).fold([0.0; 3], |sum, other| {
                            let Facet { normal, area } = &facets[other as usize];
                            let normal = widen(*normal);
                            near(sum, normal, scaled(normal, *area))
                        }),
                    };
                    unit(sum).map(|x| x as f32)
                })
            })
            .collect()
    }

    /// Returns the vertices that have more than [`MANY`] triangles, in ascending order. Each comes
    /// with sums of area-weighted normals, one sum per group of triangles with similar directions.
    /// Comparing the triangles of such a vertex with each other would take too long.
    fn hubs(&self, facets: &[Facet]) -> Vec<(u32, Vec<V>)> {
        let rows = self.0.offsets.par_windows(2).enumerate();
        let hubs = rows.filter(|(_, ends)| ends[1] - ends[0] > MANY);
        hubs.map(|(v, _)| {
            let mut sums = vec![[0.0; 3]; DIRECTIONS * DIRECTIONS * DIRECTIONS];
            for other in self.of(v as u32) {
                let Facet { normal, area } = &facets[other as usize];
                let normal = widen(*normal);
                let step =
                    |x: f64| (((x + 1.0) * 0.5 * DIRECTIONS as f64) as usize).min(DIRECTIONS - 1);
                let [x, y, z] = normal.map(step);
                let sum = &mut sums[(x * DIRECTIONS + y) * DIRECTIONS + z];
                *sum = add(*sum, scaled(normal, *area));
            }
            sums.retain(|sum| *sum != [0.0; 3]);
            (v as u32, sums)
        })
        .collect()
    }

    /// Returns the edges that belong to only one triangle. If `facets` are given, also returns the
    /// creases: edges between two triangles whose normals differ by more than the angle of
    /// [`SHARP`].
    pub(super) fn creases(
        &self,
        points: &[V],
        triangles: &[u32],
        facets: Option<&[Facet]>,
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        for (t, corners) in triangles.chunks_exact(3).enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                // Many triangles may meet at one of the two vertices, so search for the other
                // triangle of the edge at the vertex that has fewer triangles.
                let [few, end] = if self.count(a) <= self.count(b) { [a, b] } else { [b, a] };
                let beyond = self.of(few).find(|&other| {
                    other as usize != t && triangles[3 * other as usize..][..3].contains(&end)
                });
                let drawn = match (beyond, facets) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(other), Some(facets)) => {
                        let [m, n] = [t, other as usize].map(|t| facets[t].normal.map(f64::from));
                        t < other as usize && dot(m, n) < SHARP
                    }
                };
                if drawn {
                    let ends = [points[a as usize], points[b as usize]];
                    lines.push(Line { ends, kind: Kinds::Edge });
                }
            }
        }
        lines
    }
}

fn widen(normal: [f32; 3]) -> V {
    normal.map(f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the points and triangles of a cone with the given number of sides.
    fn cone(n: u32) -> (Vec<V>, Vec<u32>) {
        let rim = (0..n).map(|k| {
            let (y, x) = (f64::from(k) / f64::from(n) * std::f64::consts::TAU).sin_cos();
            [x, y, 0.0]
        });
        let points = std::iter::once([0.0, 0.0, 0.3]).chain(rim).collect();
        let triangles = (0..n).flat_map(|k| [0, k + 1, (k + 1) % n + 1]).collect();
        (points, triangles)
    }

    #[test]
    fn the_tip_of_a_cone_is_smooth_for_any_number_of_sides() {
        for n in [200, 300, 100_000] {
            let (points, triangles) = cone(n);
            let around = Around::new(points.len(), &triangles);
            let facets = facets(&points, &triangles);
            for normals in around.normals(&triangles, &facets) {
                assert!(widen(normals[0])[2] > 0.999, "{n}: {:?}", normals[0]);
            }
            // Only the rim is drawn.
            assert_eq!(around.creases(&points, &triangles, Some(&facets)).len(), n as usize);
        }
    }
}
