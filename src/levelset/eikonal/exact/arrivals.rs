//! Arrivals: the value of a vertex, and the direction from which its shortest path comes.

use super::window::Window;

/// The side or root of an arrival that has none.
pub(super) const NONE: u32 = u32::MAX;

/// Where straight lines start: at a vertex where paths bend, or at a part of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Vertex(u32),
    Part(u32),
}

/// The number of a root is that of its vertex, or that of its part with this bit set.
const PART: u32 = 1 << 31;

impl Root {
    pub fn number(self) -> u32 {
        match self {
            Root::Vertex(v) => v,
            Root::Part(part) => part | PART,
        }
    }

    pub fn of(number: u32) -> Option<Root> {
        match number {
            NONE => None,
            part if part & PART != 0 => Some(Root::Part(part ^ PART)),
            v => Some(Root::Vertex(v)),
        }
    }
}

/// How the shortest path found so far arrives at a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub value: f64,
    /// The position of the root, or the direction toward it (see `Window`), in the coordinates of
    /// the side `into`.
    pub source: [f64; 2],
    pub is_point: bool,
    /// The number of the [`Root`], or [`NONE`] if the vertex has not been reached.
    pub root: u32,
    /// The side through which the path leaves the cell before the last, or [`NONE`] if the root
    /// lies in the last cell.
    pub from: u32,
    /// The side of the last cell that is opposite to the vertex.
    pub into: u32,
    /// The number of the source, or [`NONE`].
    pub label: u32,
}

impl Arrival {
    pub const NEVER: Arrival = Arrival {
        value: f64::INFINITY,
        source: [0.0; 2],
        is_point: true,
        root: NONE,
        from: NONE,
        into: NONE,
        label: NONE,
    };

    /// Returns the arrival of a window, which enters a cell from the side `from` through the side
    /// `into`.
    pub fn through(window: &Window, value: f64, from: u32, into: u32) -> Arrival {
        let Window { source, is_point, root, .. } = *window;
        Arrival { value, source, is_point, root, from, into, label: NONE }
    }

    /// Replaces this arrival by an earlier one. If both are equally early up to rounding, the one
    /// from the source with the smaller number remains. Returns whether the value decreased.
    pub fn improve(&mut self, new: &Arrival) -> bool {
        let is_lower = new.value < self.value;
        let rounding = 64.0 * f64::EPSILON * new.value.min(self.value).abs();
        let is_tie = (new.value - self.value).abs() <= rounding;
        if if is_tie { new.label < self.label } else { is_lower } {
            *self = Arrival { value: self.value.min(new.value), ..*new };
        } else if is_lower {
            self.value = new.value;
        }
        is_lower
    }
}
