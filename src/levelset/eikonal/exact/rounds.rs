//! Rounds of window propagation.
//!
//! A side is due at the smallest value of the windows in its list. A round takes the lists of all
//! sides that are due in the earliest time interval and performs the tasks of different cells in
//! parallel. A cell reads the arrivals of earlier rounds and writes only the lists of its own
//! sides. Results are therefore the same for any number of threads.

use std::collections::BTreeMap;

use super::super::source::Part;
use super::arrivals::{Arrival, Root};
use super::bends::{self, Bend, bend};
use super::crossing::{Crossing, Outcome, Probe, Round, Scratch, Task};
use super::start::{First, start};
use super::surface::{Surface, next};
use super::window::Window;
use crate::error::{Error, Result};
use crate::parallel::*;
use crate::primitives::DisjointRows;

/// The time interval of a round, in mean lengths of a side.
const INTERVAL: f64 = 0.3;
/// The number of cells in a parallel task. Fewer than twice as many cells, and fewer vertices than
/// this, are processed by one thread.
const SHARED: usize = 64;
/// The largest number of windows that may enter a cell, on average. On good meshes, this number
/// grows with the square root of the number of cells.
const MOST_WINDOWS: u64 = 1 << 20;

/// The interval of a side or vertex that is not due.
const NOT_DUE: u64 = u64::MAX;

/// The sides and vertices that are due in an interval.
#[derive(Default)]
struct Due {
    sides: Vec<u32>,
    vertices: Vec<u32>,
}

/// The work of a round.
#[derive(Default)]
struct Work {
    tasks: Vec<Task>,
    /// The lists of windows that enter cells.
    entering: Vec<Vec<Window>>,
    /// The windows that leave the cells of their roots.
    new: Vec<Window>,
}

impl Work {
    fn leave(&mut self, side: u32, window: Window) {
        self.tasks.push(Task::Leave { side, window: self.new.len() as u32 });
        self.new.push(window);
    }
}

/// The state of a propagation.
pub(super) struct Rounds<'a> {
    surface: &'a Surface<'a>,
    parts: &'a [Part],
    probes: &'a [Probe],
    limit: f64,
    /// The arrivals at the vertices, followed by those at the probes.
    pub arrivals: Vec<Arrival>,
    bends: Vec<Bend>,
    /// The windows that leave through each side, as an envelope.
    lists: Vec<Vec<Window>>,
    interval: f64,
    due: BTreeMap<u64, Due>,
    side_due: Vec<u64>,
    vertex_due: Vec<u64>,
    /// The number of windows that have entered cells.
    pub windows: u64,
}

impl<'a> Rounds<'a> {
    pub fn new(
        surface: &'a Surface<'a>,
        parts: &'a [Part],
        probes: &'a [Probe],
        limit: f64,
    ) -> Self {
        let (n, n_sides) = (surface.mesh.n_vertices(), surface.ring.len());
        let length = |side: u32| surface.layout(side).length;
        let sum: f64 = (0..n_sides as u32).map(length).sum();
        Rounds {
            surface,
            parts,
            probes,
            limit,
            arrivals: vec![Arrival::NEVER; n + probes.len()],
            bends: (0..n as u32).into_par_iter().map(|v| bend(surface, v)).collect(),
            lists: vec![Vec::new(); n_sides],
            interval: INTERVAL * sum / n_sides.max(1) as f64,
            due: BTreeMap::new(),
            side_due: vec![NOT_DUE; n_sides],
            vertex_due: vec![NOT_DUE; n],
            windows: 0,
        }
    }

    /// Propagates the fronts of all parts.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if far more windows enter cells than on any usable mesh.
    pub fn run(&mut self) -> Result<()> {
        let parts = self.parts.par_iter().enumerate();
        let started: Vec<_> = parts.map(|(k, part)| start(self.surface, part, k as u32)).collect();
        let mut first = Work::default();
        for First { arrivals, windows } in started {
            arrivals.iter().for_each(|(v, arrival)| self.reach(*v, arrival));
            windows.into_iter().for_each(|(side, window)| first.leave(side, window));
        }
        self.round(first);
        let most = MOST_WINDOWS.saturating_mul(self.surface.mesh.n_cells() as u64);
        while let Some((interval, due)) = self.due.pop_first() {
            let mut work = self.spread(interval, &due.vertices);
            for side in due.sides {
                if !take_due(&mut self.side_due[side as usize], interval) {
                    continue;
                }
                let list = work.entering.len() as u32;
                work.entering.push(std::mem::take(&mut self.lists[side as usize]));
                let across = self.surface.across(side);
                work.tasks.extend(across.map(|into| Task::Enter { from: side, into, list }));
            }
            self.round(work);
            if self.windows > most {
                return Err(Error::Numerical {
                    what: format!("exact fronts have needed {most} windows without an end"),
                    remedy: "remesh, without triangles that are nearly flat, or use \
                             front = \"plane\""
                        .into(),
                });
            }
        }
        Ok(())
    }

    /// Performs the work of a round and applies its outcomes.
    fn round(&mut self, work: Work) {
        let Work { mut tasks, entering, new } = work;
        tasks.sort_by_key(Task::side);
        let round = Round {
            surface: self.surface,
            arrivals: &self.arrivals,
            entering: &entering,
            new: &new,
            limit: self.limit,
            probes: self.probes,
        };
        let cells: Vec<&[Task]> = tasks.chunk_by(|p, q| p.side() / 3 == q.side() / 3).collect();
        let lists = DisjointRows::new(&mut self.lists);
        let perform = |cells: &[&[Task]]| {
            let (mut outcome, mut scratch) = (Outcome::default(), Scratch::default());
            for tasks in cells {
                let first = tasks[0].side() as usize / 3 * 3;
                // SAFETY: each cell occurs once in `cells`, and no other cell has these sides.
                let lists = unsafe { lists.range(first..first + 3) };
                let (round, scratch, outcome) = (&round, &mut scratch, &mut outcome);
                let least = [f64::INFINITY; 3];
                Crossing { round, lists, scratch, outcome, least }.perform(tasks);
            }
            outcome
        };
        let outcomes: Vec<Outcome> = match cells.len() < 2 * SHARED {
            true => vec![perform(&cells)],
            false => cells.par_chunks(SHARED).map(perform).collect(),
        };
        for outcome in outcomes {
            self.windows += outcome.windows;
            outcome.arrivals.iter().for_each(|(v, arrival)| self.reach(*v, arrival));
            for (side, value) in outcome.due {
                let interval = self.interval_of(value);
                if interval < self.side_due[side as usize] {
                    self.side_due[side as usize] = interval;
                    self.due.entry(interval).or_default().sides.push(side);
                }
            }
        }
    }

    fn interval_of(&self, value: f64) -> u64 {
        // Conversion clamps negative start values to the first interval, and NaN to 0.
        (value / self.interval) as u64
    }

    /// Applies an arrival.
    fn reach(&mut self, v: u32, arrival: &Arrival) {
        let label = match Root::of(arrival.root) {
            Some(Root::Vertex(root)) => self.arrivals[root as usize].label,
            Some(Root::Part(part)) => self.parts[part as usize].source,
            None => arrival.label,
        };
        let is_lower = self.arrivals[v as usize].improve(&Arrival { label, ..*arrival });
        if is_lower && self.bends.get(v as usize).is_some_and(|bend| *bend != Bend::Never) {
            let interval = self.interval_of(arrival.value);
            if interval < self.vertex_due[v as usize] {
                self.vertex_due[v as usize] = interval;
                self.due.entry(interval).or_default().vertices.push(v);
            }
        }
    }

    /// Returns the work of vertices at which paths bend, and updates their neighbors.
    fn spread(&mut self, interval: u64, vertices: &[u32]) -> Work {
        let due = &mut self.vertex_due;
        let vertices = vertices.iter().copied();
        let vertices: Vec<u32> =
            vertices.filter(|&v| take_due(&mut due[v as usize], interval)).collect();
        let spread = |&v: &u32| {
            let arrival = &self.arrivals[v as usize];
            if arrival.value > self.limit {
                return Vec::new();
            }
            let openings = bends::openings(self.surface, v, self.bends[v as usize], arrival);
            let window = |opening: bends::Opening| {
                let g = self.surface.layout(opening.side);
                let window = Window {
                    from: opening.from,
                    to: opening.to,
                    source: [g.x, g.y],
                    before: arrival.value,
                    root: Root::Vertex(v).number(),
                    crossed: 0,
                    is_point: true,
                };
                (opening.side, window)
            };
            openings.into_iter().map(window).collect()
        };
        let windows: Vec<Vec<(u32, Window)>> = match vertices.len() < SHARED {
            true => vertices.iter().map(spread).collect(),
            false => vertices.par_iter().map(spread).collect(),
        };
        for v in vertices {
            self.reach_neighbors(v);
        }
        let mut work = Work::default();
        windows.into_iter().flatten().for_each(|(side, window)| work.leave(side, window));
        work
    }

    /// Updates the neighbors of a vertex at which paths bend.
    fn reach_neighbors(&mut self, v: u32) {
        let before = self.arrivals[v as usize].value;
        for k in 0..self.surface.corners_at(v).len() {
            let corner = self.surface.corners_at(v)[k];
            // The two other corners, and the sides opposite to them.
            for far in [next(corner), next(next(corner))] {
                let into = next(far);
                let g = self.surface.layout(into);
                let far = self.surface.mesh.cells[far as usize];
                let source = if g.a == v { [0.0, 0.0] } else { [g.length, 0.0] };
                let value = before + (self.surface.x(far) - self.surface.x(v)).norm();
                let root = Root::Vertex(v).number();
                self.reach(far, &Arrival { value, source, root, into, ..Arrival::NEVER });
            }
        }
    }
}

/// Returns whether a side or vertex is still due in `interval`, and if so, marks it as not due. It
/// is no longer due if it was processed in an earlier interval.
fn take_due(due: &mut u64, interval: u64) -> bool {
    let is_due = *due == interval;
    if is_due {
        *due = NOT_DUE;
    }
    is_due
}
