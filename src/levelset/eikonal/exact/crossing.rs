//! The work of one round in one cell: windows that enter it, arrivals at its corners, and the
//! windows on the sides through which they leave.

use super::arrivals::Arrival;
use super::envelope;
use super::surface::{Layout, Surface, next};
use super::window::Window;
use crate::geometry::Vec3;

/// A window whose line to a vertex misses it by at most this fraction of the side still reaches the
/// vertex, on a path that bends at the end of the window. The gaps that rounding leaves between
/// windows are far narrower than this.
const GAP: f64 = 1e-6;

/// A task of a round. Tasks are grouped by cell.
#[derive(Clone, Copy)]
pub(super) enum Task {
    /// The windows of the list with this index, which leave another cell through the side `from`,
    /// enter through the side `into`.
    Enter { from: u32, into: u32, list: u32 },
    /// The new window with this index leaves the cell of its root through a side.
    Leave { side: u32, window: u32 },
}

impl Task {
    /// Returns the side of the cell to which the task belongs.
    pub fn side(&self) -> u32 {
        match *self {
            Task::Enter { into, .. } => into,
            Task::Leave { side, .. } => side,
        }
    }
}

/// The results of tasks that concern more than their cell.
#[derive(Default)]
pub(super) struct Outcome {
    /// Arrivals at vertices, without their labels. Probes follow the vertices.
    pub arrivals: Vec<(u32, Arrival)>,
    /// The sides whose lists got windows, each with the smallest value of these windows.
    pub due: Vec<(u32, f64)>,
    /// The number of windows that entered cells.
    pub windows: u64,
}

/// A point inside a cell at which the value is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub cell: u32,
    pub x: Vec3,
}

/// The input of a round.
pub(super) struct Round<'a> {
    pub surface: &'a Surface<'a>,
    /// The arrivals at the vertices at the start of the round.
    pub arrivals: &'a [Arrival],
    /// The windows that enter cells in this round.
    pub entering: &'a [Vec<Window>],
    /// The windows that leave the cells of their roots in this round.
    pub new: &'a [Window],
    /// Windows later than this value are dropped.
    pub limit: f64,
    /// The points whose values are wanted, in ascending order of their cells.
    pub probes: &'a [Probe],
}

/// Memory that cells reuse.
#[derive(Default)]
pub(super) struct Scratch {
    envelope: envelope::Scratch,
    entered: Vec<(Window, f64)>,
}

/// A cell with the lists of its three sides, during a round.
pub(super) struct Crossing<'a> {
    pub round: &'a Round<'a>,
    pub lists: &'a mut [Vec<Window>],
    pub scratch: &'a mut Scratch,
    pub outcome: &'a mut Outcome,
    /// The smallest value of the windows that this round has added to each list.
    pub least: [f64; 3],
}

impl Crossing<'_> {
    /// Performs all tasks of the cell.
    pub fn perform(mut self, tasks: &[Task]) {
        for task in tasks {
            match *task {
                Task::Enter { from, into, list } => {
                    let windows = &self.round.entering[list as usize];
                    self.enter(from, into, windows);
                }
                Task::Leave { side, window } => {
                    let (surface, window) = (self.round.surface, self.round.new[window as usize]);
                    let at_ends = surface.ends(side).map(|v| self.value(v));
                    self.leave(side, window, surface.layout(side).length, at_ends);
                }
            }
        }
        let first = tasks.first().map_or(0, |task| task.side() / 3 * 3);
        for (side, least) in (first..).zip(self.least) {
            if least < f64::INFINITY {
                self.outcome.due.push((side, least));
            }
        }
    }

    fn value(&self, v: u32) -> f64 {
        self.round.arrivals[v as usize].value
    }

    /// Lets windows enter through the side `into`.
    fn enter(&mut self, from: u32, into: u32, windows: &[Window]) {
        let g = self.round.surface.layout(into);
        let at_ends = [g.a, g.b].map(|v| self.value(v));
        let mut entered = std::mem::take(&mut self.scratch.entered);
        entered.clear();
        let mut best = (f64::INFINITY, 0);
        for window in windows {
            let mut window = *window;
            if !window.trim(at_ends, g.length) {
                continue;
            }
            let crossing = window.crossing(g.x, g.y);
            let value = to_point(&window, g.x, g.y, crossing, g.length);
            if value < best.0 {
                best = (value, entered.len());
            }
            entered.push((window, crossing));
        }
        self.outcome.windows += entered.len() as u64;
        if let Some((window, _)) = entered.get(best.1).filter(|_| best.0 < f64::INFINITY) {
            let arrival = Arrival::through(window, best.0, from, into);
            self.outcome.arrivals.push((g.tip, arrival));
        }
        self.probe(from, into, &entered);
        self.leave_through_both(into, &g, &entered, best);
        self.scratch.entered = entered;
    }

    /// Sends windows on to the other two sides of the cell. `best` is the value of the tip and the
    /// index of the window that it comes from.
    ///
    /// Let the line of the best window to the tip cross the side at C. A window that would reach
    /// the tip later, even if it were wider, is also later wherever its lines cross this line.
    /// Its lines from the left of C can therefore only go left, and those from the right, right.
    fn leave_through_both(
        &mut self,
        into: u32,
        g: &Layout,
        entered: &[(Window, f64)],
        (best, index): (f64, usize),
    ) {
        let right = g.length - g.x;
        let (to_a, to_b) = (g.x.hypot(g.y), right.hypot(g.y));
        let unit =
            |x: f64, size: f64| if size > 0.0 { [x / size, -g.y / size] } else { [1.0, 0.0] };
        let (toward_a, toward_b) = (unit(g.x, to_a), unit(right, to_b));
        let mut sides = [next(into), next(next(into))];
        if !self.round.surface.ends(sides[0]).contains(&g.a) {
            sides.reverse();
        }
        let tip = best.min(self.value(g.tip));
        let ends = [g.a, g.b].map(|end| match end < g.tip {
            true => [self.value(end), tip],
            false => [tip, self.value(end)],
        });
        let split = entered.get(index).map_or(0.0, |best| best.1);
        for &(window, crossing) in entered {
            let is_later = best < f64::INFINITY && window.at(g.x, -g.y) >= best;
            let (low, high) = match is_later {
                true => (crossing.min(split), crossing.max(split)),
                false => (crossing, crossing),
            };
            if window.from < low {
                let is_whole = low == crossing && window.to >= crossing;
                let child = window.child(window.from, window.to.min(low), is_whole, toward_a, to_a);
                let child = if g.a < g.tip { child } else { child.mirrored(to_a) };
                self.leave(sides[0], child, to_a, ends[0]);
            }
            if window.to > high {
                let window = window.mirrored(g.length);
                let (crossing, high) = (g.length - crossing, g.length - high);
                let is_whole = high == crossing && window.to >= crossing;
                let to = window.to.min(high);
                let child = window.child(window.from, to, is_whole, toward_b, to_b);
                let child = if g.b < g.tip { child } else { child.mirrored(to_b) };
                self.leave(sides[1], child, to_b, ends[1]);
            }
        }
    }

    /// Adds a window to the list of a side through which it leaves the cell, unless paths over the
    /// ends of the side, which have the values `at_ends`, are shorter.
    fn leave(&mut self, side: u32, mut window: Window, length: f64, at_ends: [f64; 2]) {
        let surface = self.round.surface;
        if surface.ring[side as usize] == side || window.crossed as usize > surface.mesh.n_cells() {
            return;
        }
        if !window.trim(at_ends, length) {
            return;
        }
        let least = window.least();
        let k = side as usize % 3;
        if least <= self.round.limit
            && envelope::insert(&mut self.lists[k], window, length, &mut self.scratch.envelope)
        {
            self.least[k] = self.least[k].min(least);
        }
    }

    /// Reports the arrivals of windows at the probes of the cell.
    fn probe(&mut self, from: u32, into: u32, entered: &[(Window, f64)]) {
        let Round { surface, arrivals, probes, .. } = *self.round;
        let first = probes.partition_point(|probe| probe.cell < into / 3);
        let here = probes[first..].iter().take_while(|probe| probe.cell == into / 3);
        let n_vertices = arrivals.len() - probes.len();
        for (number, probe) in (n_vertices + first..).zip(here) {
            let frame = super::start::Frame::new(surface, into);
            let [x, y] = frame.local(probe.x);
            for (window, _) in entered {
                let crossing = window.crossing(x, y);
                let value = to_point(window, x, y, crossing, frame.layout.length);
                let arrival = Arrival::through(window, value, from, into);
                self.outcome.arrivals.push((number as u32, arrival));
            }
        }
    }
}

/// Returns the value at which a window reaches the point (x, -y), whose line to the source crosses
/// the side at `crossing`; infinite if the window does not reach it.
#[inline]
fn to_point(window: &Window, x: f64, y: f64, crossing: f64, length: f64) -> f64 {
    if crossing >= window.from && crossing <= window.to {
        return window.at(x, -y);
    }
    let end = crossing.max(window.from).min(window.to);
    match (end - crossing).abs() <= GAP * length {
        true => window.value(end) + (x - end).hypot(y),
        false => f64::INFINITY,
    }
}
