//! Initial values around a curve, which is followed from cell to cell.

use super::{Part, Slowness, Source, smallest_per_vertex};
use crate::error::Result;
use crate::geometry::Vec3;
use crate::parallel::*;
use crate::primitives::memory;
use crate::surface::{Located, Locator};

/// The distance within which a point of a curve counts as touching a cell, relative to the longest
/// edge of the closest cell. It allows for the rounding of 32-bit coordinates.
const TOUCH: f64 = 1e-6;
/// The maximum number of times that a piece of a curve off the mesh is halved to find the cells it
/// passes through.
const HALVINGS: u32 = 12;
/// The number of segments of a curve that are followed at once.
const SEGMENTS: usize = 256;

/// A curve projected onto a mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CurveSeeds {
    /// The values around the curve with initial value 0, and its parts.
    pub source: Source,
    /// The largest distance of a vertex of the curve from the mesh, in mesh units.
    pub gap: f64,
    /// The vertex of the curve that is farthest from the mesh, in mesh units.
    pub farthest: [f64; 3],
    /// The length of the longest edge of the cell closest to `farthest`, in mesh units.
    pub edge: f64,
}

/// Returns a source with initial values around a curve, which is given by segments, `[n]`, of two
/// indices into `vertices`, in mesh units. If `with_parts` is false, the source has no parts.
///
/// Each segment is followed from cell to cell, from the point where it leaves one to the point
/// where it leaves the next. The vertices of a cell get their straight-line distance to the piece
/// of the segment inside this cell, multiplied by the slowness of the cell. Returns `None` for a
/// curve without segments or a mesh without cells.
///
/// # Errors
/// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory for the parts.
pub fn around_curve(
    locator: &Locator<'_>,
    vertices: &[[f64; 3]],
    segments: &[[u32; 2]],
    slowness: &Slowness<f64>,
    with_parts: bool,
) -> Result<Option<CurveSeeds>> {
    let mesh = locator.mesh();
    let on_mesh = |x: &[f64; 3]| OnMesh::of(locator, (*x).into());
    let found: Option<Vec<OnMesh>> = vertices.par_iter().map(on_mesh).collect();
    let Some(at) = found else { return Ok(None) };
    let (mut values, mut parts) = (Vec::new(), Vec::new());
    let mut compact = 0;
    // A segment may cross many cells. Unless the parts are returned, only those of a few segments
    // are held at once.
    for segments in segments.chunks(SEGMENTS) {
        let new = segments.par_iter().map(|&[a, b]| {
            let mut parts = Vec::new();
            follow(locator, at[a as usize].clone(), &at[b as usize], HALVINGS, &mut parts);
            parts
        });
        let new: Vec<Vec<Part>> = new.collect();
        for part in new.iter().flatten() {
            for &v in locator.corners(part.cell) {
                let x = Vec3::from(mesh.vertices[v as usize]);
                values.push((v, part.nearest(x, slowness).0));
            }
        }
        if values.len() > 2 * compact + 4096 {
            values = smallest_per_vertex(values);
            compact = values.len();
        }
        if with_parts {
            let remedy = "shorten the curve, or compute no paths";
            let more = new.iter().map(Vec::len).sum();
            memory::reserve(&mut parts, more, "pieces of a curve in cells", remedy)?;
            parts.extend(new.into_iter().flatten());
        }
    }
    parts.sort_by_key(|part| part.cell);
    let used = segments.iter().flatten().map(|&v| &at[v as usize]);
    let Some(far) = used.max_by(|a, b| a.found.gap.total_cmp(&b.found.gap)) else {
        return Ok(None);
    };
    Ok(Some(CurveSeeds {
        source: Source::new(smallest_per_vertex(values)).with_parts(parts),
        gap: far.found.gap,
        farthest: far.asked.into(),
        edge: locator.longest_edge(far.found.cell),
    }))
}

/// A point of a curve, and its position on the mesh.
#[derive(Clone)]
pub(super) struct OnMesh {
    pub asked: Vec3,
    pub found: Located,
    pub cells: Vec<u32>,
}

impl OnMesh {
    /// Returns the place of a point, or `None` for a mesh without cells.
    pub fn of(locator: &Locator<'_>, asked: Vec3) -> Option<Self> {
        let found = locator.closest(asked)?;
        let tolerance = TOUCH * locator.longest_edge(found.cell);
        Some(OnMesh { asked, found, cells: locator.touching(found.point, tolerance) })
    }

    /// Returns the fraction of the segment to `to` that stays in a cell of this point, 0 to 1; if
    /// there are several cells, the largest fraction.
    pub fn exit(&self, locator: &Locator<'_>, to: &OnMesh) -> f64 {
        let leave = |&c: &u32| {
            let [from, to] = [self.asked, to.asked].map(|x| locator.barycentric(c, x));
            let falling = (0..4).filter(|&k| to[k] < 0.0 && to[k] < from[k]);
            let ends = falling.map(|k| from[k].max(0.0) / (from[k].max(0.0) - to[k]));
            ends.fold(1.0, f64::min)
        };
        self.cells.iter().map(leave).fold(0.0, f64::max)
    }

    /// Adds the piece from this point to `to` in the cells that contain both points, and single
    /// points in the other cells.
    fn add_parts(&self, to: &OnMesh, parts: &mut Vec<Part>) {
        let shared = self.cells.iter().filter(|c| to.cells.contains(c));
        parts.extend(shared.map(|&c| Part::new(c, &[self.found.point, to.found.point])));
        for (one, other) in [(self, to), (to, self)] {
            let alone = one.cells.iter().filter(|c| !other.cells.contains(c));
            parts.extend(alone.map(|&c| Part::new(c, &[one.found.point])));
        }
    }
}

/// Follows a segment from cell to cell and adds its parts. May halve a piece that lies off the
/// mesh, at most `halvings` times.
fn follow(locator: &Locator<'_>, a: OnMesh, b: &OnMesh, halvings: u32, parts: &mut Vec<Part>) {
    let mut at = a;
    // Rounding could make the pieces so short that the walk does not end in reasonable time.
    for _ in 0..4 * locator.mesh().n_cells() + 100 {
        let exit = match at.cells.iter().any(|c| b.cells.contains(c)) {
            true => None,
            false => Some(at.exit(locator, b)),
        };
        // A curve off the mesh may appear to leave its cell immediately. In that case, half of the
        // segment is tried.
        let next = match exit {
            None => None,
            Some(t) if t > 1e-9 && t < 1.0 => {
                OnMesh::of(locator, at.asked + (b.asked - at.asked) * t)
            }
            Some(_) if halvings > 0 => OnMesh::of(locator, (at.asked + b.asked) * 0.5),
            Some(_) => None,
        };
        let Some(next) = next else { break };
        if exit.is_some_and(|t| t > 1e-9 && t < 1.0) {
            at.add_parts(&next, parts);
        } else {
            follow(locator, at, &next, halvings - 1, parts);
        }
        at = next;
    }
    at.add_parts(b, parts);
}
