//! Vertices at which shortest paths may bend, and the directions in which they go on.

use std::f64::consts::{PI, TAU};

use super::arrivals::Arrival;
use super::surface::{Layout, Surface, next};

/// A path can bend at a vertex only if the sum of the angles there exceeds that of a flat surface
/// by more than this angle.
const FLAT: f64 = 1e-10;
/// The shadow of a vertex is widened by this angle on both sides, to allow for rounding.
const WIDER: f64 = 1e-7;
/// If a cell at a vertex has a height below this fraction of its longest side, angles do not decide
/// whether paths may bend at the vertex.
const THIN: f64 = 1e-6;

/// Where shortest paths over a vertex go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bend {
    /// Nowhere: no shortest path bends there.
    Never,
    /// In the shadow: in the directions with an angle of at least pi to the incoming path, on both
    /// sides. At a boundary, there may be only one side.
    Shadow,
    /// In all directions, because the cells do not form one fan or are too thin.
    Free,
}

/// A part of the side opposite to a vertex, in the coordinates of the side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub side: u32,
    pub from: f64,
    pub to: f64,
}

/// Returns where paths over a vertex go on.
pub(super) fn bend(surface: &Surface<'_>, v: u32) -> Bend {
    let corners = surface.corners_at(v);
    if corners.is_empty() {
        return Bend::Never;
    }
    let is_thin = |&corner: &u32| {
        let longest = [corner, next(corner), next(next(corner))]
            .into_iter()
            .max_by(|&p, &q| surface.layout(p).length.total_cmp(&surface.layout(q).length));
        let Layout { length, y, .. } = surface.layout(longest.unwrap_or(corner));
        // Also true for NaN.
        !(y > THIN * length)
    };
    if corners.iter().any(is_thin) {
        return Bend::Free;
    }
    let Some(fan) = surface.fan(v) else { return Bend::Free };
    let total: f64 = corners.iter().map(|&corner| surface.angle(corner)).sum();
    let flat = if fan.is_closed { TAU } else { PI };
    if total > flat + FLAT { Bend::Shadow } else { Bend::Never }
}

/// Returns the parts of the sides opposite to `v` through which a path that arrives at `v` may go
/// on.
pub(super) fn openings(
    surface: &Surface<'_>,
    v: u32,
    bend: Bend,
    arrival: &Arrival,
) -> Vec<Opening> {
    let shadow = if bend == Bend::Shadow { shadow(surface, v, arrival) } else { None };
    shadow.unwrap_or_else(|| {
        let whole = |&corner: &u32| {
            let side = next(corner);
            Opening { side, from: 0.0, to: surface.layout(side).length }
        };
        surface.corners_at(v).iter().map(whole).collect()
    })
}

/// Returns the parts of the opposite sides in the shadow of a vertex, or `None` if the path starts
/// at the vertex.
fn shadow(surface: &Surface<'_>, v: u32, arrival: &Arrival) -> Option<Vec<Opening>> {
    let fan = surface.fan(v)?;
    let g = surface.layout(arrival.into);
    let [sx, sy] = arrival.source;
    let back = if arrival.is_point { [sx - g.x, sy + g.y] } else { [sx, sy] };
    if back[0].hypot(back[1]) <= 1e-12 * g.length.max(g.y) {
        return None;
    }
    // The angle between the side to `g.a` and the path, in the last cell of the path.
    let from_a = (g.x * back[1] + g.y * back[0]).abs().atan2(g.y * back[1] - g.x * back[0]);
    let mut begins = Vec::with_capacity(fan.cells.len());
    let (mut total, mut incoming) = (0.0, None);
    for &(entered, corner) in &fan.cells {
        let angle = surface.angle(corner);
        if next(corner) == arrival.into {
            let is_first = surface.far_end(entered, v) == g.a;
            incoming = Some(total + if is_first { from_a } else { angle - from_a });
        }
        begins.push((total, angle));
        total += angle;
    }
    let incoming = incoming?;
    let [first, last] = [incoming + PI - WIDER, incoming - PI + WIDER];
    let shadows = match fan.is_closed {
        true => [[first, last + total], [first - total, last]],
        false => [[first, f64::INFINITY], [f64::NEG_INFINITY, last]],
    };
    let mut openings = Vec::new();
    for (&(entered, corner), (begin, angle)) in fan.cells.iter().zip(begins) {
        for [from, to] in shadows {
            let (from, to) = ((from - begin).max(0.0), (to - begin).min(angle));
            if from < to {
                let far = surface.far_end(entered, v);
                openings.push(opening(surface, next(corner), far, [from, to], angle));
            }
        }
    }
    Some(openings)
}

/// Returns the part of a side that the opposite vertex sees between two angles, measured from the
/// direction to the end `far` of the side. `angle` is the angle of the cell at that vertex.
fn opening(
    surface: &Surface<'_>,
    side: u32,
    far: u32,
    [from, to]: [f64; 2],
    angle: f64,
) -> Opening {
    let g = surface.layout(side);
    let x = if far == g.a { g.x } else { g.length - g.x };
    let seen = |at: f64| {
        let (sin, cos) = at.sin_cos();
        let (along, down) = (g.y * sin - x * cos, x * sin + g.y * cos);
        if down > 0.0 { (x + g.y * along / down).max(0.0).min(g.length) } else { g.length }
    };
    let from = if from <= 0.0 { 0.0 } else { seen(from) };
    let to = if to >= angle { g.length } else { seen(to) };
    if far == g.a {
        Opening { side, from, to }
    } else {
        Opening { side, from: g.length - to, to: g.length - from }
    }
}
