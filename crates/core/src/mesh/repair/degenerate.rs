//! Removal of degenerate cells without disconnecting the mesh.
//!
//! A *cap* is a cell with one vertex inside another of its simplices. A *needle* is a cell with two
//! vertices at the same place. See [`repair`](super::repair()).

use std::collections::{BinaryHeap, HashMap};

use rayon::prelude::*;

use super::Thinness;
use super::simplices::{Degeneracy, degeneracy, shape};
use crate::geometry::Vec3;
use crate::mesh::statistics::facets::repeats_vertex;
use crate::mesh::{DataArray, Members, Mesh, Values};
use crate::primitives::GatherMatrix;
use crate::words::counted;

/// The largest height of a cell without height, as a fraction of its longest edge.
pub const DEGENERATE: f64 = 1e-12;
/// The largest height of a cap that falsifies distances, as a fraction of its longest edge.
pub const SKEWED: f64 = 1e-6;
/// The largest height of a cell that may be repaired because it alone would determine the time
/// step, as a fraction of its longest edge.
pub const THIN: f64 = 1e-3;
/// Positions within a cell without height that differ by this fraction of its size count as equal.
const SAME: f64 = 1e-7;
/// The number of thin needles that are always few, and the fraction of all cells that is.
const FEW: usize = 16;
const FEW_OF: usize = 100;
/// The number of cells that may be replaced for each degenerate cell before the repair gives up.
const REPLACEMENTS: usize = 64;

/// Counts of degenerate cells.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct DegenerateCells {
    /// The number of caps that were removed, with their neighbors split at the apex.
    pub caps: usize,
    /// The number of needles of which two vertices became one.
    pub needles: usize,
    /// The number of degenerate tetrahedra with crossing edges that were left out.
    pub crossings: usize,
    /// The largest height of a removed cell, as a fraction of its longest edge.
    pub thickest: f64,
    /// The number of thin cells that were left as they are.
    pub left: usize,
}

impl DegenerateCells {
    pub(super) fn summary(&self) -> Option<String> {
        let parts: Vec<String> = [
            (
                self.caps,
                "degenerate cell removed by splitting its neighbors",
                "degenerate cells removed by splitting their neighbors",
            ),
            (self.needles, "needle collapsed", "needles collapsed"),
            (self.crossings, "degenerate tetrahedron left out", "degenerate tetrahedra left out"),
        ]
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| counted(n, [one, many]))
        .collect();
        let bound = match self.thickest > DEGENERATE {
            true => format!(" (heights up to {:.1e} of the longest edge)", self.thickest),
            false => String::new(),
        };
        (!parts.is_empty()).then(|| parts.join(", ") + &bound)
    }

    pub(super) fn doubts(&self) -> Option<String> {
        (self.left > 0).then(|| {
            format!(
                "{} could not be repaired and may shorten the time step; improve the mesh",
                counted(self.left, ["thin cell", "thin cells"])
            )
        })
    }
}

/// The result of [`remove`].
pub(super) struct Removed {
    pub counts: DegenerateCells,
    /// The stored cell of each cell, or empty if no cell was replaced.
    pub parents: Vec<u32>,
}

/// Removes degenerate cells from a mesh. Updates the own corners of the cells and the
/// representatives of the vertices, which are empty if no vertex was replaced before.
pub(super) fn remove(
    mesh: &mut Mesh,
    thinness: Thinness,
    own_corners: &mut Vec<u32>,
    representative: &mut Vec<u32>,
) -> Removed {
    let bound = if thinness == Thinness::Thin { THIN } else { SKEWED };
    let found = degenerate_cells(mesh, bound);
    if found.is_empty() {
        return Removed { counts: DegenerateCells::default(), parents: Vec::new() };
    }
    let needles = found.iter().filter(|f| f.thinness > DEGENERATE && f.is_needle).count();
    let few = needles <= FEW.max(mesh.n_cells() / FEW_OF);
    let mut work = Work::new(mesh, own_corners, bound, thinness == Thinness::Thin && few);
    work.run(&found);
    mesh.vertices = std::mem::take(&mut work.vertices);
    work.finish(mesh, own_corners, representative)
}

/// A cell whose height is at most the bound.
struct Candidate {
    cell: u32,
    thinness: f64,
    longest: f64,
    is_needle: bool,
}

fn degenerate_cells(mesh: &Mesh, bound: f64) -> Vec<Candidate> {
    let arity = mesh.kind.arity();
    let judge = |(cell, corners): (usize, &[u32])| {
        // Cleaning drops cells that repeat a vertex. They have no two vertices to join.
        if repeats_vertex(corners) {
            return None;
        }
        let mut x = [Vec3::zeros(); 4];
        corners.iter().zip(&mut x).for_each(|(&v, x)| *x = mesh.vertices[v as usize].into());
        let x = &x[..arity];
        let shape = shape(x);
        // Cleaning refuses a cell with a vertex that is not finite.
        if shape.thinness.is_nan() || shape.thinness > bound || !shape.longest.is_finite() {
            return None;
        }
        let is_needle =
            matches!(degeneracy(x, tolerance(shape.thinness)), Degeneracy::Needle { .. });
        let (thinness, longest) = (shape.thinness, shape.longest);
        Some(Candidate { cell: cell as u32, thinness, longest, is_needle })
    };
    mesh.cells.par_chunks_exact(arity).enumerate().filter_map(judge).collect()
}

/// Returns the tolerance for equal positions within a cell.
fn tolerance(thinness: f64) -> f64 {
    SAME.max(2.0 * thinness)
}

/// The cells during the repair, with new ones at the end.
struct Work {
    /// The vertices of the mesh, which gets them back after the repair.
    vertices: Vec<[f64; 3]>,
    arity: usize,
    bound: f64,
    /// Whether needles with a height are collapsed.
    collapses_thin: bool,
    n_stored: usize,
    cells: Vec<u32>,
    own: Option<Vec<u32>>,
    alive: Vec<bool>,
    parents: Vec<u32>,
    around: GatherMatrix,
    /// New cells at each vertex, and cells that moved to it from a replaced vertex.
    added: HashMap<u32, Vec<u32>>,
    /// Replaced vertices and their replacements, in order.
    collapsed: Vec<(u32, u32)>,
    /// Simplices that were split, by ascending vertices: the number of the split, and the vertex
    /// inside of the simplex.
    split: HashMap<Vec<u32>, (usize, u32)>,
    heap: BinaryHeap<(u64, std::cmp::Reverse<u32>)>,
    counts: DegenerateCells,
}

impl Work {
    fn new(mesh: &mut Mesh, own: &[u32], bound: f64, collapses_thin: bool) -> Self {
        let n = mesh.n_cells();
        Work {
            arity: mesh.kind.arity(),
            bound,
            collapses_thin,
            n_stored: n,
            cells: mesh.cells.clone(),
            own: (!own.is_empty()).then(|| own.to_vec()),
            alive: vec![true; n],
            parents: (0..n as u32).collect(),
            around: GatherMatrix::new(mesh.n_vertices(), &mesh.cells),
            vertices: std::mem::take(&mut mesh.vertices),
            added: HashMap::new(),
            collapsed: Vec::new(),
            split: HashMap::new(),
            heap: BinaryHeap::new(),
            counts: DegenerateCells::default(),
        }
    }

    /// Removes the degenerate cells, the longest first. If such a cell is split, its parts are
    /// degenerate again but shorter, so the work ends. The limit is a safeguard against rounding.
    fn run(&mut self, found: &[Candidate]) {
        for candidate in found {
            self.push(candidate.cell, candidate.longest);
        }
        let limit = self.n_stored + REPLACEMENTS * (found.len() + FEW);
        while let Some((_, std::cmp::Reverse(cell))) = self.heap.pop() {
            let is_left =
                self.alive.len() > limit || self.alive[cell as usize] && !self.remove_cell(cell);
            self.counts.left += usize::from(is_left);
        }
    }

    /// Adds a degenerate cell to the heap, which yields the longest first.
    fn push(&mut self, cell: u32, longest: f64) {
        // The bits of positive numbers are ordered like the numbers.
        self.heap.push((longest.to_bits(), std::cmp::Reverse(cell)));
    }

    fn corners(&self, cell: u32) -> &[u32] {
        &self.cells[cell as usize * self.arity..][..self.arity]
    }

    fn points(&self, corners: &[u32]) -> Vec<Vec3> {
        corners.iter().map(|&v| self.vertices[v as usize].into()).collect()
    }

    /// Returns the living cells at a vertex, ascending.
    fn cells_at(&self, v: u32) -> Vec<u32> {
        let stored = self.around.row(v as usize).iter().map(|&slot| slot / self.arity as u32);
        let added = self.added.get(&v).into_iter().flatten().copied();
        let is_there = |&c: &u32| self.alive[c as usize] && self.corners(c).contains(&v);
        let mut cells: Vec<u32> = stored.chain(added).filter(is_there).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Removes a degenerate cell. Returns false if it was left because its removal would make other
    /// cells worse.
    fn remove_cell(&mut self, cell: u32) -> bool {
        let corners = self.corners(cell).to_vec();
        let x = self.points(&corners);
        let shape = shape(&x);
        // A vertex of the cell may have been replaced since it was found.
        if shape.thinness > self.bound {
            return true;
        }
        let is_degenerate = shape.thinness <= DEGENERATE;
        let done = match degeneracy(&x, tolerance(shape.thinness)) {
            Degeneracy::Cap { apex, base, n_base } => {
                let base: Vec<u32> = base[..n_base].iter().map(|&k| corners[k]).collect();
                self.split_at(&base, corners[apex], is_degenerate)
            }
            Degeneracy::Needle { .. } if !is_degenerate && !self.collapses_thin => return true,
            Degeneracy::Needle { vertices: [a, b] } => {
                let (a, b) = (corners[a].min(corners[b]), corners[a].max(corners[b]));
                self.collapse(b, a, is_degenerate)
            }
            // Thin ones have a volume, and their removal would leave a gap.
            Degeneracy::Crossing if !is_degenerate => return true,
            Degeneracy::Crossing => {
                self.alive[cell as usize] = false;
                self.counts.crossings += 1;
                true
            }
        };
        if done {
            self.counts.thickest = self.counts.thickest.max(shape.thinness);
        }
        done
    }

    /// Splits all cells that contain the simplex `base` at the vertex `apex` inside of it. Cells
    /// that also contain the apex are degenerate and disappear.
    fn split_at(&mut self, base: &[u32], apex: u32, is_degenerate: bool) -> bool {
        let rarest = base.iter().copied().min_by_key(|&v| self.around.row(v as usize).len());
        let Some(rarest) = rarest else { return false };
        let mut around = self.cells_at(rarest);
        around.retain(|&c| base.iter().all(|v| self.corners(c).contains(v)));
        let (gone, others): (Vec<u32>, Vec<u32>) =
            around.into_iter().partition(|&c| self.corners(c).contains(&apex));
        let replace = |corners: &[u32], old: u32| -> Vec<u32> {
            corners.iter().map(|&v| if v == old { apex } else { v }).collect()
        };
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for &c in &others {
            for &old in base {
                if !is_degenerate
                    && !self.is_upright(self.corners(c), &replace(self.corners(c), old))
                {
                    return false;
                }
                parts.push((c, old));
            }
        }
        for (c, old) in parts {
            let corners = replace(self.corners(c), old);
            let own = self.own.as_ref().map(|own| {
                let at = c as usize * self.arity;
                let copies = own[at..at + self.arity].iter().zip(self.corners(c));
                copies.map(|(&copy, &v)| if v == old { apex } else { copy }).collect::<Vec<u32>>()
            });
            self.add(&corners, own.as_deref(), self.parents[c as usize]);
        }
        self.counts.caps += gone.len();
        gone.iter().chain(&others).for_each(|&c| self.alive[c as usize] = false);
        let number = self.split.len();
        self.split.entry(sorted(base)).or_insert((number, apex));
        true
    }

    fn add(&mut self, corners: &[u32], own: Option<&[u32]>, parent: u32) {
        let cell = self.alive.len() as u32;
        self.cells.extend_from_slice(corners);
        if let (Some(all), Some(own)) = (&mut self.own, own) {
            all.extend_from_slice(own);
        }
        self.alive.push(true);
        self.parents.push(parent);
        corners.iter().for_each(|&v| self.added.entry(v).or_default().push(cell));
        let shape = shape(&self.points(corners));
        if shape.thinness <= self.bound {
            self.push(cell, shape.longest);
        }
    }

    /// Replaces the vertex `from` by `to` in all cells. Cells that contain both disappear.
    fn collapse(&mut self, from: u32, to: u32, is_degenerate: bool) -> bool {
        let around = self.cells_at(from);
        let (gone, others): (Vec<u32>, Vec<u32>) =
            around.into_iter().partition(|&c| self.corners(c).contains(&to));
        let moved = |corners: &[u32]| -> Vec<u32> {
            corners.iter().map(|&v| if v == from { to } else { v }).collect()
        };
        let spoils = |&c: &u32| !self.is_upright(self.corners(c), &moved(self.corners(c)));
        if !is_degenerate && others.iter().any(spoils) {
            return false;
        }
        gone.iter().for_each(|&c| self.alive[c as usize] = false);
        if self.own.is_none() {
            self.own = Some(self.cells.clone());
        }
        for &c in &others {
            let corners = moved(self.corners(c));
            self.cells[c as usize * self.arity..][..self.arity].copy_from_slice(&corners);
            let shape = shape(&self.points(&corners));
            if shape.thinness <= self.bound {
                self.push(c, shape.longest);
            }
        }
        self.added.entry(to).or_default().extend(others);
        self.counts.needles += gone.len();
        self.collapsed.push((from, to));
        true
    }

    /// Returns true if a changed cell still has its orientation and is not much thinner than
    /// before, unless it was thin.
    fn is_upright(&self, before: &[u32], after: &[u32]) -> bool {
        let (before, after) = (self.points(before), self.points(after));
        let (old, new) = (shape(&before).thinness, shape(&after).thinness);
        if old <= self.bound {
            return true;
        }
        let edges = |x: &[Vec3]| -> Vec<Vec3> { x[1..].iter().map(|p| p - x[0]).collect() };
        let same_side = match (&edges(&before)[..], &edges(&after)[..]) {
            ([a, b], [c, d]) => a.cross(b).dot(&c.cross(d)) > 0.0,
            ([a, b, c], [d, e, f]) => a.cross(b).dot(c) * d.cross(e).dot(f) > 0.0,
            _ => false,
        };
        same_side && new > DEGENERATE
    }

    /// Writes the living cells to the mesh. Arrays and groups follow their cells.
    fn finish(
        self,
        mesh: &mut Mesh,
        own_corners: &mut Vec<u32>,
        representative: &mut Vec<u32>,
    ) -> Removed {
        let kept: Vec<u32> =
            (0..).zip(&self.alive).filter(|(_, alive)| **alive).map(|(c, _)| c).collect();
        let changed = kept.len() != self.n_stored || self.alive.len() != self.n_stored;
        if !changed && self.collapsed.is_empty() {
            return Removed { counts: self.counts, parents: Vec::new() };
        }
        // Parts of a cell take its place in the order.
        let mut kept = kept;
        kept.sort_by_key(|&c| (self.parents[c as usize], c));
        let parents: Vec<u32> = kept.iter().map(|&c| self.parents[c as usize]).collect();
        let rows = |all: &[u32]| -> Vec<u32> {
            kept.iter()
                .flat_map(|&c| &all[c as usize * self.arity..][..self.arity])
                .copied()
                .collect()
        };
        let cells = rows(&self.cells);
        if let Some(own) = &self.own {
            *own_corners = rows(own);
        }
        for group in &mut mesh.groups {
            group.members = follow(&group.members, &parents, self.n_stored, &self.split);
        }
        if !self.collapsed.is_empty() {
            if representative.is_empty() {
                *representative = (0..mesh.n_vertices() as u32).collect();
            }
            let mut target: HashMap<u32, u32> = HashMap::new();
            for &(from, to) in self.collapsed.iter().rev() {
                let to = target.get(&to).copied().unwrap_or(to);
                target.insert(from, to);
            }
            let follow = |v: &mut u32| *v = target.get(v).copied().unwrap_or(*v);
            representative.iter_mut().for_each(follow);
            for group in &mut mesh.groups {
                if let Members::Simplices { vertices, .. } = &mut group.members {
                    vertices.iter_mut().for_each(follow);
                }
            }
        }
        mesh.cells = cells;
        mesh.cell_data.iter_mut().for_each(|array| *array = rows_of(array, &parents));
        Removed { counts: self.counts, parents }
    }
}

fn rows_of(array: &DataArray, rows: &[u32]) -> DataArray {
    fn pick<T: Copy>(values: &[T], n: usize, rows: &[u32]) -> Vec<T> {
        rows.iter().flat_map(|&row| &values[row as usize * n..][..n]).copied().collect()
    }
    let values = match &array.values {
        Values::Float(v) => Values::Float(pick(v, array.components, rows)),
        Values::Int(v) => Values::Int(pick(v, array.components, rows)),
    };
    DataArray { name: array.name.clone(), components: array.components, values }
}

/// Returns the members of a group after cells and lower simplices were split.
fn follow(
    members: &Members,
    parents: &[u32],
    n_stored: usize,
    split: &HashMap<Vec<u32>, (usize, u32)>,
) -> Members {
    match members {
        Members::Cells(cells) => {
            let mut is_member = vec![false; n_stored];
            cells.iter().for_each(|&c| is_member[c as usize] = true);
            let inside = (0..).zip(parents).filter(|&(_, &parent)| is_member[parent as usize]);
            Members::Cells(inside.map(|(cell, _)| cell).collect())
        }
        Members::Simplices { dimension, vertices } => {
            let mut parts = Vec::with_capacity(vertices.len());
            let simplices = vertices.chunks_exact(dimension + 1);
            simplices.for_each(|simplex| parts_of(simplex, split, &mut parts));
            Members::Simplices { dimension: *dimension, vertices: parts }
        }
    }
}

/// Adds the parts into which the cells around a lower simplex split it.
fn parts_of(simplex: &[u32], split: &HashMap<Vec<u32>, (usize, u32)>, parts: &mut Vec<u32>) {
    let n = simplex.len();
    // The edges of the simplex and the simplex itself.
    let edges = (0..n).flat_map(|b| (0..b).map(move |a| vec![simplex[a], simplex[b]]));
    let faces = (n == 3).then(|| simplex.to_vec());
    let found = edges.chain(faces).filter_map(|base| {
        let &(number, apex) = split.get(&sorted(&base))?;
        Some((number, apex, base))
    });
    let Some((_, apex, base)) = found.min() else { return parts.extend_from_slice(simplex) };
    for old in base.iter().filter(|_| !simplex.contains(&apex)) {
        let part: Vec<u32> = simplex.iter().map(|v| if v == old { apex } else { *v }).collect();
        parts_of(&part, split, parts);
    }
}

fn sorted(vertices: &[u32]) -> Vec<u32> {
    let mut sorted = vertices.to_vec();
    sorted.sort_unstable();
    sorted
}
