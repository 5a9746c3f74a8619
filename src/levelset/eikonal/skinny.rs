//! Counts vertices whose arrival time comes from behind skinny triangles, where it may be wrong by
//! several percent (docs/distances.md, section 5.10).

use super::{Front, Slowness, formulas};
use crate::geometry::Vec3;
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;
use crate::primitives::GatherMatrix;

/// A triangle with an angle above this one (in degrees) is skinny.
pub const LARGEST_ANGLE: f64 = 135.0;
/// A triangle with an angle below this one (in degrees) is skinny.
pub const SMALLEST_ANGLE: f64 = 10.0;
/// A vertex counts if more than this fraction of its path runs through or along skinny triangles.
pub const SHARE: f64 = 0.1;

/// If at most one triangle in this many is skinny, no warning is given before a distance is
/// computed.
const FEW_OF: usize = 20;

/// The length of the path to a vertex, and of its part through or along skinny triangles.
#[derive(Clone, Copy, Default)]
struct Trail {
    length: f64,
    skinny: f64,
}

/// Returns the number of vertices whose paths run through or along skinny triangles for more than
/// the fraction [`SHARE`] of their length.
///
/// `u` is in mesh order, `[n_vertices]`, NaN or infinite where no front has arrived. It was
/// computed with fronts of the shape `front`. The result is 0 for tetrahedra, and for circular
/// fronts in the plane, because those are exact on all triangles.
pub fn behind_skinny(mesh: &Mesh, u: &[f64], slowness: &Slowness<f64>, front: Front) -> usize {
    if mesh.kind == Kind::Volume || mesh.kind == Kind::Planar && front == Front::Circular {
        return 0;
    }
    let triangles = mesh.cells.as_chunks::<3>().0;
    // With a tensor, the shape in the metric matters.
    let shape = |(c, t): (usize, &[u32; 3])| {
        skinny(slowness.in_cell(c as u32, t.map(|v| mesh.vertices[v as usize].into())).0)
    };
    let is_skinny: Vec<bool> = triangles.par_iter().enumerate().map(shape).collect();
    if !is_skinny.contains(&true) {
        return 0;
    }
    let mut order: Vec<u32> = (0..u.len() as u32).filter(|&v| u[v as usize].is_finite()).collect();
    order.par_sort_unstable_by(|&a, &b| {
        u[a as usize].total_cmp(&u[b as usize]).then_with(|| a.cmp(&b))
    });
    let at_vertex = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
    let field = Field { mesh, u, slowness, front, is_skinny, at_vertex };
    let mut trails = vec![Trail::default(); u.len()];
    let mut n = 0;
    for v in order {
        let Some(trail) = field.trail(v, &trails) else { continue };
        n += usize::from(trail.skinny > SHARE * trail.length);
        trails[v as usize] = trail;
    }
    n
}

/// Returns a warning about the skinny triangles of a mesh, or `None` if at most one triangle in
/// 20 is skinny or fronts of the shape `front` are exact on all of them.
///
/// Before a distance is computed, it is unknown which vertices lie behind these triangles.
pub fn doubt(mesh: &Mesh, front: Front) -> Option<String> {
    if mesh.kind == Kind::Volume || mesh.kind == Kind::Planar && front == Front::Circular {
        return None;
    }
    let triangles = mesh.cells.par_chunks_exact(3);
    let is_skinny = |t: &&[u32]| skinny([0, 1, 2].map(|k| mesh.vertices[t[k] as usize].into()));
    let n = triangles.filter(is_skinny).count();
    (n * FEW_OF > mesh.n_cells()).then(|| {
        format!(
            "{n} of {} triangles have an angle above {LARGEST_ANGLE} or below {SMALLEST_ANGLE} \
             degrees: distances behind them may be off by several percent",
            mesh.n_cells()
        )
    })
}

/// Returns whether a triangle has an angle above [`LARGEST_ANGLE`] or below [`SMALLEST_ANGLE`].
fn skinny(x: [Vec3; 3]) -> bool {
    (0..3).any(|k| {
        let (a, b) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
        let angle = a.cross(&b).norm().atan2(a.dot(&b)).to_degrees();
        !(SMALLEST_ANGLE..=LARGEST_ANGLE).contains(&angle)
    })
}

/// The arrival times and the mesh.
struct Field<'a> {
    mesh: &'a Mesh,
    u: &'a [f64],
    slowness: &'a Slowness<f64>,
    front: Front,
    is_skinny: Vec<bool>,
    /// The cells at each vertex.
    at_vertex: GatherMatrix,
}

impl Field<'_> {
    fn x(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    /// Returns the arrival time at a vertex; infinite where no front has arrived.
    fn value(&self, v: u32) -> f64 {
        let u = self.u[v as usize];
        if u.is_nan() { f64::INFINITY } else { u }
    }

    /// Returns the cells at a vertex and the position of the vertex in them.
    fn around(&self, v: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.at_vertex.row(v as usize).iter().map(|slot| (slot / 3, (slot % 3) as usize))
    }

    /// Returns the trail of a vertex, computed from the trails at the ends of the edge over which
    /// its front arrives, or `None` at a source.
    fn trail(&self, v: u32, trails: &[Trail]) -> Option<Trail> {
        let (x, own) = (self.x(v), self.value(v));
        let mut best: Option<(f64, u32, [u32; 2], f64)> = None;
        for (c, k) in self.around(v) {
            let corners = &self.mesh.cells[3 * c as usize..][..3];
            let [a, b] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
            let (ua, ub) = (self.value(a), self.value(b));
            if ua.min(ub) >= own {
                continue;
            }
            let ([xa, xb, at], f) = self.slowness.in_cell(c, [self.x(a), self.x(b), x]);
            let (value, s) = match self.front {
                Front::Circular => formulas::circle_foot(ua, ub, &xa, &xb, &at, f),
                Front::Plane => formulas::triangle_foot(ua, ub, &xa, &xb, &at, f),
            };
            if best.is_none_or(|(least, ..)| value < least) {
                best = Some((value, c, [a, b], s));
            }
        }
        let (_, c, [a, b], s) = best?;
        let step = (x - (self.x(a) * (1.0 - s) + self.x(b) * s)).norm();
        let along = match s {
            0.0 => Some(a),
            1.0 => Some(b),
            _ => None,
        };
        let is_skinny = self.is_skinny[c as usize] || along.is_some_and(|w| self.at_skinny(v, w));
        // The trail of an end that the front reaches later than `v` is not known yet.
        let weight = match [a, b].map(|w| self.value(w) < own) {
            [true, true] => s,
            [is_first, _] => f64::from(u8::from(!is_first)),
        };
        let [ta, tb] = [a, b].map(|w| trails[w as usize]);
        Some(Trail {
            length: (1.0 - weight) * ta.length + weight * tb.length + step,
            skinny: (1.0 - weight) * ta.skinny
                + weight * tb.skinny
                + if is_skinny { step } else { 0.0 },
        })
    }

    /// Returns whether an edge belongs to a skinny triangle.
    fn at_skinny(&self, v: u32, w: u32) -> bool {
        let mut cells = self.around(v).map(|(c, _)| c);
        cells.any(|c| {
            self.is_skinny[c as usize] && self.mesh.cells[3 * c as usize..][..3].contains(&w)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a corrugated sheet whose cells are `aspect` times as long as they are wide, and the
    /// distances along it from the plane x = 0.
    fn sheet(aspect: f64) -> (Mesh, Vec<f64>) {
        let n = 20_u32;
        let at = |k: u32| [f64::from(k % (n + 1)), f64::from(k / (n + 1))];
        let place = |[x, y]: [f64; 2]| {
            [x, y * aspect, if (x as u32).is_multiple_of(2) { 0.0 } else { 0.1 }]
        };
        let vertices = (0..(n + 1) * (n + 1)).map(|k| place(at(k))).collect();
        let corner = |k: u32| k % n + (n + 1) * (k / n);
        let cells = (0..n * n).map(corner).flat_map(|a| {
            let (b, c) = (a + 1, a + n + 1);
            [a, b, c + 1, a, c + 1, c]
        });
        let step = 1.01_f64.sqrt();
        let u = (0..(n + 1) * (n + 1)).map(|k| at(k)[0] * step).collect();
        (Mesh::new(Kind::Surface, vertices, cells.collect()), u)
    }

    #[test]
    fn vertices_behind_long_triangles_count() {
        let count = |aspect: f64, front| {
            let (mesh, u) = sheet(aspect);
            behind_skinny(&mesh, &u, &Slowness::Uniform(1.0), front)
        };
        assert_eq!(count(1.0, Front::Plane), 0);
        assert_eq!(count(3.0, Front::Plane), 0);
        // All vertices count, except those of the source.
        assert_eq!(count(12.0, Front::Plane), 20 * 21);
        let (mut mesh, u) = sheet(12.0);
        mesh.kind = Kind::Planar;
        assert_eq!(behind_skinny(&mesh, &u, &Slowness::Uniform(1.0), Front::Circular), 0);
        let none = vec![f64::NAN; u.len()];
        assert_eq!(behind_skinny(&mesh, &none, &Slowness::Uniform(1.0), Front::Plane), 0);
    }
}
