//! Exact distances on triangles, by the propagation of windows.
//!
//! On a surface of triangles, a shortest path is a straight line in the plane of the triangles that
//! it crosses, unrolled. It bends only at vertices whose angles sum to more than a full turn, and
//! at the boundary. A `window::Window` is the part of an edge that straight lines from one source
//! reach. Windows are passed on from triangle to triangle, and only those that may contain shortest
//! paths are kept (docs/distances.md, section 5.11):
//!
//! - `envelope`: of the windows that leave a triangle through the same side, only the earliest
//!   remains at every point (J. Mitchell, D. Mount, C. Papadimitriou, "The discrete geodesic
//!   problem", SIAM J. Comput. 16 (1987));
//! - `window::Window::trim`: a window keeps only the part in which no path along the edge from
//!   one of its ends is shorter (S.-Q. Xin, G.-J. Wang, "Improving Chen and Han's algorithm on the
//!   discrete geodesic problem", ACM Trans. Graph. 28 (2009));
//! - `crossing`: of the windows that enter a triangle through the same side, only the one that
//!   reaches the opposite corner first continues on both sides of this corner (J. Chen, Y. Han,
//!   "Shortest paths on a polyhedron", 1990);
//! - `rounds`: windows wait at the sides of triangles and are passed on together, nearly in the
//!   order of their values (Y. Qin et al., "Fast and exact discrete geodesic computation based on
//!   triangle-oriented wavefront propagation", ACM Trans. Graph. 35 (2016)).
//!
//! Every window is a set of paths on the surface, so no value is ever too small. `start` finds
//! the first windows, `bends` those behind vertices, and `trace` the paths back to the source.

mod arrivals;
mod bends;
mod crossing;
mod envelope;
mod rounds;
mod start;
mod surface;
mod trace;
mod window;

use super::NO_SOURCE;
use super::path::{Path, Start};
use super::source::Part;
use crate::error::{Error, Result};
use crate::geometry::{Vec3, simplex};
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;
use crate::surface::Locator;
use arrivals::{Arrival, NONE, Root};
use crossing::Probe;
use rounds::Rounds;
use surface::{Surface, next};
use trace::Trace;

/// A point of a source that lies outside its cell by more than this fraction of the cell's size is
/// moved into the cell.
const OUTSIDE: f64 = 1e-12;

/// Exact arrival times, in the unit of the slowness times a mesh unit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exact {
    /// The arrival times in mesh order, `[n_vertices]`; infinite where no front has arrived. Values
    /// above the limit are upper bounds.
    pub u: Vec<f64>,
    /// The number of the source that the arrival time belongs to, in mesh order, `[n_vertices]`. If
    /// several sources tie up to rounding, it is the smallest of their numbers. If no front has
    /// arrived, it is [`NO_SOURCE`].
    pub source: Vec<u32>,
    /// The paths, one for each of the given starts.
    pub paths: Vec<Path>,
    /// The number of windows that have entered cells.
    pub windows: u64,
}

/// Computes exact arrival times at a uniform slowness, in time per mesh unit.
///
/// The fronts start at `parts`, with the initial values of these parts. `starts` are the starts of
/// the paths to compute. Values above `limit`, an arrival time, need not be computed.
///
/// # Errors
/// Returns [`Error::Case`] for a mesh of tetrahedra, and [`Error::Numerical`] if the propagation
/// does not end in reasonable time.
pub fn exact(
    mesh: &Mesh,
    slowness: f64,
    parts: &[Part],
    starts: &[Start],
    limit: f64,
) -> Result<Exact> {
    if mesh.kind == Kind::Volume {
        let what = "exact fronts are for triangles, but the mesh has tetrahedra";
        return Err(Error::usage(what, "use front = \"plane\""));
    }
    let surface = Surface::new(mesh);
    let parts: Vec<Part> = parts.par_iter().map(|part| placed(&surface, part, slowness)).collect();
    let (probes, of_starts) = probes(mesh, starts);
    let mut rounds = Rounds::new(&surface, &parts, &probes, limit / slowness);
    rounds.run()?;
    let (mut arrivals, windows) = (std::mem::take(&mut rounds.arrivals), rounds.windows);
    reach_probes(&surface, &parts, &probes, &mut arrivals);
    let trace = Trace { surface: &surface, parts: &parts, arrivals: &arrivals, probes: &probes };
    let none = || Path { points: Vec::new(), length: 0.0, source: None };
    let paths = of_starts.par_iter().map(|start| start.map_or_else(none, |v| trace.from(v)));
    let paths = paths.collect();
    arrivals.truncate(mesh.n_vertices());
    let label = |arrival: &Arrival| if arrival.label == NONE { NO_SOURCE } else { arrival.label };
    Ok(Exact {
        u: arrivals.iter().map(|arrival| arrival.value * slowness).collect(),
        source: arrivals.iter().map(label).collect(),
        paths,
        windows,
    })
}

/// Returns a part with its points moved into its cell, and with its initial value converted from a
/// time to a distance.
fn placed(surface: &Surface<'_>, part: &Part, slowness: f64) -> Part {
    let corners = surface.cell(part.cell).map(|v| surface.x(v));
    let size = (corners[1] - corners[0]).norm().max((corners[2] - corners[0]).norm());
    let moved = |&x: &Vec3| {
        let inside = simplex::closest_point(x, &corners);
        if (inside - x).norm() > OUTSIDE * size { inside } else { x }
    };
    let points: Vec<Vec3> = part.points().iter().map(moved).collect();
    let mut placed = Part::new(part.cell, &points);
    placed.source = part.source;
    placed.start = part.start / slowness;
    placed
}

/// Returns a probe for each start that is not a vertex, in ascending order of their cells, and the
/// index of each start among the vertices and probes.
fn probes(mesh: &Mesh, starts: &[Start]) -> (Vec<Probe>, Vec<Option<u32>>) {
    let is_point = |start: &Start| matches!(start, Start::Point(_));
    let locator = starts.iter().any(is_point).then(|| Locator::new(mesh));
    let found = starts.iter().enumerate().filter_map(|(k, start)| match start {
        Start::Vertex(_) => None,
        Start::Point(x) => {
            let found = locator.as_ref()?.closest((*x).into())?;
            Some((k, Probe { cell: found.cell, x: found.point }))
        }
    });
    let mut found: Vec<(usize, Probe)> = found.collect();
    found.sort_by_key(|(_, probe)| probe.cell);
    let mut of_starts: Vec<Option<u32>> = starts
        .iter()
        .map(|start| match start {
            Start::Vertex(v) => Some(*v),
            Start::Point(_) => None,
        })
        .collect();
    for (number, &(k, _)) in (mesh.n_vertices() as u32..).zip(&found) {
        of_starts[k] = Some(number);
    }
    (found.into_iter().map(|(_, probe)| probe).collect(), of_starts)
}

/// Reaches probes from the corners of their cells and from the parts of the source in them.
fn reach_probes(surface: &Surface<'_>, parts: &[Part], probes: &[Probe], arrivals: &mut [Arrival]) {
    let n_vertices = arrivals.len() - probes.len();
    for (number, probe) in (n_vertices..).zip(probes) {
        let first = 3 * probe.cell;
        for corner in first..first + 3 {
            let v = surface.mesh.cells[corner as usize];
            let Arrival { value, label, .. } = arrivals[v as usize];
            let value = value + (surface.x(v) - probe.x).norm();
            let root = Root::Vertex(v).number();
            let arrival = Arrival { value, label, root, into: next(corner), ..Arrival::NEVER };
            arrivals[number].improve(&arrival);
        }
        for (part, k) in parts.iter().zip(0..).filter(|(part, _)| part.cell == probe.cell) {
            let value = part.start + (part.closest(probe.x) - probe.x).norm();
            let (root, label) = (Root::Part(k).number(), part.source);
            let arrival = Arrival { value, label, root, into: first, ..Arrival::NEVER };
            arrivals[number].improve(&arrival);
        }
    }
}
