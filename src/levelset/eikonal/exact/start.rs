//! The first windows: those of the parts of the source, on the sides of their cells.

use super::super::source::Part;
use super::arrivals::{Arrival, NONE, Root};
use super::surface::{Layout, Surface};
use super::window::Window;
use crate::geometry::Vec3;

/// A point this close to a side, relative to its length, lies on the side. It sends no window
/// through the side, because the cells across have a part there, too.
const ON_SIDE: f64 = 1e-14;

/// The coordinates of a side and of the points in its cell, with the cell above the x axis.
pub(super) struct Frame {
    pub layout: Layout,
    origin: Vec3,
    along: Vec3,
    up: Vec3,
}

impl Frame {
    pub fn new(surface: &Surface<'_>, side: u32) -> Frame {
        let layout = surface.layout(side);
        let origin = surface.x(layout.a);
        let unit = |x: Vec3| x.try_normalize(0.0).unwrap_or_default();
        let along = unit(surface.x(layout.b) - origin);
        // In a thin cell, subtracting the part of the tip along the side would leave little but
        // rounding errors. The cross product with the normal is accurate.
        let normal = along.cross(&(surface.x(layout.tip) - origin));
        Frame { layout, origin, along, up: unit(normal.cross(&along)) }
    }

    /// Returns the coordinates of a point.
    pub fn local(&self, x: Vec3) -> [f64; 2] {
        let from_origin = x - self.origin;
        [from_origin.dot(&self.along), from_origin.dot(&self.up)]
    }

    /// Returns the point with these coordinates.
    pub fn global(&self, [x, y]: [f64; 2]) -> Vec3 {
        self.origin + self.along * x + self.up * y
    }
}

/// Returns the arrivals at the corners of the cell of a part, and the windows on its sides.
/// `number` is the index of the part.
pub(super) fn start(
    surface: &Surface<'_>,
    part: &Part,
    number: u32,
) -> (Vec<(u32, Arrival)>, Vec<(u32, Window)>) {
    let root = Root::Part(number).number();
    let (mut arrivals, mut windows) = (Vec::new(), Vec::new());
    for side in 3 * part.cell..3 * part.cell + 3 {
        let frame = Frame::new(surface, side);
        let tip = surface.x(frame.layout.tip);
        let near = part.closest(tip);
        let [x, y] = frame.local(near);
        let value = part.start + (near - tip).norm();
        let label = part.source;
        let arrival = Arrival { value, source: [x, -y], root, into: side, label, ..Arrival::NEVER };
        arrivals.push((frame.layout.tip, Arrival { from: NONE, ..arrival }));
        let length = frame.layout.length;
        let points: Vec<[f64; 2]> = part.points().iter().map(|&x| frame.local(x)).collect();
        let whole = Window {
            from: 0.0,
            to: length,
            source: [0.0; 2],
            before: part.start,
            root,
            crossed: 0,
            is_point: true,
        };
        let mut add = |window: Window| windows.push((side, window));
        match points[..] {
            [p] if p[1] > ON_SIDE * length => add(Window { source: p, ..whole }),
            [p, q] => segment(whole, p, q, add),
            // A triangle is its whole cell. The cells around it have parts on its sides.
            _ => {}
        }
    }
    (arrivals, windows)
}

/// Adds the windows of a segment on the side of `whole`: a straight front between the
/// perpendiculars at its ends, and circles around the ends beyond these perpendiculars.
fn segment(whole: Window, p: [f64; 2], q: [f64; 2], mut add: impl FnMut(Window)) {
    let length = whole.to;
    let [dx, dy] = [q[0] - p[0], q[1] - p[1]];
    let size = dx.hypot(dy);
    if size == 0.0 {
        if p[1] > ON_SIDE * length {
            add(Window { source: p, ..whole });
        }
        return;
    }
    let [dx, dy] = [dx / size, dy / size];
    // The direction back to the segment, perpendicular to it and away from the side.
    let back = if dx > 0.0 { [-dy, dx] } else { [dy, -dx] };
    if back[1] > 0.0 {
        let foot = |p: [f64; 2]| p[0] - p[1] * back[0] / back[1];
        let (a, b) = (foot(p), foot(q));
        add(Window {
            from: a.min(b).max(0.0),
            to: a.max(b).min(length),
            source: back,
            before: whole.before + p[0] * back[0] + p[1] * back[1],
            is_point: false,
            ..whole
        });
    }
    for (end, [dx, dy]) in [(p, [-dx, -dy]), (q, [dx, dy])] {
        if end[1] <= ON_SIDE * length {
            continue;
        }
        // The points (t, 0) beyond the end satisfy ((t, 0) - end) . d >= 0.
        let bound = end[0] + end[1] * dy / dx;
        let [from, to] = match dx {
            dx if dx > 0.0 => [bound.max(0.0), length],
            dx if dx < 0.0 => [0.0, bound.min(length)],
            _ if dy <= 0.0 => [0.0, length],
            _ => continue,
        };
        add(Window { from, to, source: end, ..whole });
    }
}
