//! Removal of degenerate cells without disconnecting the mesh.
//!
//! A *cap* is a cell with one vertex inside an edge or face between its other vertices. A *needle*
//! is a cell with two vertices at the same place. See [`repair`](super::repair()).

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::Thinness;
use super::cell_list::{CellList, oriented_measure, replaced};
use super::flips::{self, Flip};
use super::simplices::{Degeneracy, degeneracy, shape};
use super::splits::{Splits, key};
use crate::geometry::Vec3;
use crate::mesh::statistics::facets::repeats_vertex;
use crate::mesh::{DataArray, Members, Mesh, Values};
use crate::parallel::*;
use crate::words::counted;

/// The largest height that counts as zero, as a fraction of the longest edge of the cell.
pub const DEGENERATE: f64 = 1e-12;
/// The largest height of a cap or sliver that distorts distances, as a fraction of its longest
/// edge.
pub const SKEWED: f64 = 1e-6;
/// The largest height of a cell that may be repaired because it alone would determine the time
/// step, as a fraction of its longest edge.
pub const THIN: f64 = 1e-3;
/// Positions in a cell without height count as equal if they differ by at most this fraction of the
/// size of the cell.
const SAME: f64 = 1e-7;
/// Thin needles are collapsed only if there are at most this many of them, or at most one per
/// [`FEW_OF`] cells.
const FEW: usize = 16;
const FEW_OF: usize = 100;
/// Needles thinner than this are collapsed even if more needles than [`FEW`] are thin, unless they
/// make up more than one in [`SOME_OF`] cells. No boundary layer is so thin.
const LAYER: f64 = 5e-5;
/// If more than one of this many cells is a very thin needle, the needles are the mesh itself, such
/// as the sectors of a disk. Collapsing them would dissolve it.
const SOME_OF: usize = 10;
/// The number of cells that may be replaced for each degenerate cell before the repair gives up.
const REPLACEMENTS: usize = 64;

/// The numbers of degenerate cells that were removed or left.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct DegenerateCells {
    /// The number of caps that were removed, with their neighbors split at the apex.
    pub caps: usize,
    /// The number of needles that were collapsed by joining two vertices.
    pub needles: usize,
    /// The number of flat tetrahedra that were left out. The cells around them share their
    /// vertices.
    pub left_out: usize,
    /// The number of thin tetrahedra that were removed by replacing the tetrahedra around one of
    /// their edges.
    pub flips: usize,
    /// The largest height of a removed cell, as a fraction of its longest edge.
    pub thickest: f64,
    /// The number of very thin needles that were kept, because they make up a large part of the
    /// mesh.
    pub kept: usize,
    /// The number of degenerate cells that were left, because their removal would have made other
    /// cells worse or because the repair gave up.
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
            (self.left_out, "flat tetrahedron left out", "flat tetrahedra left out"),
            (self.flips, "thin tetrahedron flipped", "thin tetrahedra flipped"),
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

    pub(super) fn doubts(&self) -> impl Iterator<Item = String> {
        let kept = (self.kept > 0).then(|| {
            format!(
                "{}, because collapsing so many would dissolve the mesh, and may shorten the time \
                 step; use a mesh with fewer thin triangles",
                counted(self.kept, ["needle is kept", "needles are kept"])
            )
        });
        let left = (self.left > 0).then(|| {
            format!(
                "{} could not be repaired and may shorten the time step; improve the mesh",
                counted(self.left, ["thin cell", "thin cells"])
            )
        });
        kept.into_iter().chain(left)
    }
}

/// Removes degenerate cells from a mesh and updates `representative`, which is empty if no vertex
/// was replaced before. Returns the counts and, if a cell was replaced, the original cell of each
/// cell.
pub(super) fn remove(
    mesh: &mut Mesh,
    thinness: Thinness,
    representative: &mut Vec<u32>,
) -> (DegenerateCells, Vec<u32>) {
    let bound = if thinness == Thinness::Degenerate { SKEWED } else { THIN };
    let found = degenerate_cells(mesh, bound);
    if found.is_empty() {
        return (DegenerateCells::default(), Vec::new());
    }
    let needles = |below: f64| {
        let is_counted =
            |f: &&Candidate| f.is_needle && f.thinness > DEGENERATE && f.thinness <= below;
        found.iter().filter(is_counted).count()
    };
    let thickest_collapsed = match thinness {
        Thinness::Degenerate => DEGENERATE,
        Thinness::Thin if needles(THIN) <= FEW.max(mesh.n_cells() / FEW_OF) => THIN,
        Thinness::Thin if needles(LAYER) <= FEW.max(mesh.n_cells() / SOME_OF) => LAYER,
        Thinness::Thin => DEGENERATE,
    };
    let mut work = Work::new(mesh, bound, thickest_collapsed);
    work.run(&found);
    let Work { cells, splits, collapsed, counts, .. } = work;
    let is_changed = cells.n_replaced() > 0;
    let parents = if is_changed { cells.write_to(mesh, &splits) } else { Vec::new() };
    follow(&collapsed, mesh, representative);
    (counts, parents)
}

/// A cell that [`degenerate_cells`] found because its thinness is at most the bound.
struct Candidate {
    cell: u32,
    thinness: f64,
    longest: f64,
    is_needle: bool,
}

fn degenerate_cells(mesh: &Mesh, bound: f64) -> Vec<Candidate> {
    let arity = mesh.kind.arity();
    let judge = |(cell, corners): (usize, &[u32])| {
        // Cleaning drops cells that repeat a vertex, so they need no repair.
        if repeats_vertex(corners) {
            return None;
        }
        let mut x = [Vec3::zeros(); 4];
        corners.iter().zip(&mut x).for_each(|(&v, x)| *x = mesh.vertices[v as usize].into());
        let x = &x[..arity];
        let shape = shape(x);
        // A vertex that is not finite is left to cleaning, which rejects the mesh.
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

/// Returns the tolerance within which positions in a cell count as equal, as a fraction of the size
/// of the cell.
fn tolerance(thinness: f64) -> f64 {
    SAME.max(2.0 * thinness)
}

/// The parts of a mesh that a flip must not change.
struct Fixed {
    /// Edges and faces that belong to a group.
    simplices: HashSet<[u32; 3]>,
    /// For each group of cells, whether each cell is a member.
    groups: Vec<Vec<bool>>,
}

impl Fixed {
    fn new(mesh: &Mesh) -> Self {
        let (mut simplices, mut groups) = (HashSet::new(), Vec::new());
        for group in &mesh.groups {
            match &group.members {
                Members::Cells(cells) => {
                    let mut is_member = vec![false; mesh.n_cells()];
                    cells.iter().for_each(|&cell| is_member[cell as usize] = true);
                    groups.push(is_member);
                }
                Members::Simplices { dimension: 0, .. } => {}
                Members::Simplices { dimension, vertices } => {
                    simplices.extend(vertices.chunks_exact(dimension + 1).map(key));
                }
            }
        }
        Fixed { simplices, groups }
    }

    /// Returns true if two given cells belong to the same groups and have the same values in all
    /// cell arrays.
    fn are_alike(&self, mesh: &Mesh, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        let same_rows = |array: &DataArray| {
            let row = |k: usize| k * array.components..(k + 1) * array.components;
            match &array.values {
                Values::Float(all) => all[row(a)] == all[row(b)],
                Values::Int(all) => all[row(a)] == all[row(b)],
            }
        };
        self.groups.iter().all(|group| group[a] == group[b]) && mesh.cell_data.iter().all(same_rows)
    }
}

/// The state of the removal.
struct Work<'a> {
    mesh: &'a Mesh,
    vertices: &'a [[f64; 3]],
    /// The parts that flips must not change. They are collected before the first flip.
    fixed: OnceCell<Fixed>,
    bound: f64,
    /// The largest thinness of needles that are collapsed.
    thickest_collapsed: f64,
    cells: CellList,
    splits: Splits,
    /// The corners of removed cells, in ascending order.
    removed: HashSet<[u32; 4]>,
    /// The replaced vertices, each with its replacement, in the order of replacement.
    collapsed: Vec<(u32, u32)>,
    heap: BinaryHeap<(u64, Reverse<u32>)>,
    counts: DegenerateCells,
}

impl<'a> Work<'a> {
    fn new(mesh: &'a Mesh, bound: f64, thickest_collapsed: f64) -> Self {
        Work {
            mesh,
            vertices: &mesh.vertices,
            fixed: OnceCell::new(),
            bound,
            thickest_collapsed,
            cells: CellList::new(mesh),
            splits: Splits::default(),
            removed: HashSet::new(),
            collapsed: Vec::new(),
            heap: BinaryHeap::new(),
            counts: DegenerateCells::default(),
        }
    }

    /// Removes the degenerate cells, the longest first. If such a cell is split, its parts are
    /// degenerate again but shorter, so the loop ends. The limit on the number of cells is a
    /// safeguard against rounding.
    fn run(&mut self, found: &[Candidate]) {
        for candidate in found {
            self.push(candidate.cell, candidate.longest);
        }
        let limit = self.cells.len() + REPLACEMENTS * (found.len() + FEW);
        while let Some((_, Reverse(cell))) = self.heap.pop() {
            if self.cells.is_alive(cell) {
                let is_removed = self.cells.len() <= limit && self.remove_cell(cell);
                self.counts.left += usize::from(!is_removed);
            }
        }
    }

    /// Marks cells as removed, and returns how many of them are given cells rather than parts.
    fn remove(&mut self, gone: &[u32]) -> usize {
        for &cell in gone {
            self.removed.insert(sorted(self.cells.corners(cell)));
            self.cells.remove(cell);
        }
        gone.iter().filter(|&&cell| (cell as usize) < self.mesh.n_cells()).count()
    }

    /// Adds a degenerate cell to the heap, which yields the longest first.
    fn push(&mut self, cell: u32, longest: f64) {
        // The bit patterns of positive numbers have the same order as the numbers.
        self.heap.push((longest.to_bits(), Reverse(cell)));
    }

    fn points(&self, corners: &[u32]) -> Vec<Vec3> {
        corners.iter().map(|&v| self.vertices[v as usize].into()).collect()
    }

    /// Adds a changed cell to the heap if it is degenerate.
    fn judge(&mut self, cell: u32) {
        let shape = shape(&self.points(self.cells.corners(cell)));
        if shape.thinness <= self.bound {
            self.push(cell, shape.longest);
        }
    }

    /// Removes a degenerate cell, unless it is no longer degenerate or is a thin needle to keep.
    /// Returns false if the cell was left because its removal would make other cells worse.
    fn remove_cell(&mut self, cell: u32) -> bool {
        let corners = self.cells.corners(cell).to_vec();
        let x = self.points(&corners);
        let shape = shape(&x);
        // A vertex of the cell may have been replaced since the cell was found.
        if shape.thinness > self.bound {
            return true;
        }
        let is_degenerate = shape.thinness <= DEGENERATE;
        let is_flat_tetrahedron = x.len() == 4 && shape.thinness <= SKEWED;
        let done = match degeneracy(&x, tolerance(shape.thinness)) {
            // The later split at hanging nodes splits the neighbors at the apex.
            Degeneracy::Cap { .. } if is_flat_tetrahedron && self.leave_out(cell) => true,
            Degeneracy::Cap { apex, base, n_base } => {
                let base: Vec<u32> = base[..n_base].iter().map(|&k| corners[k]).collect();
                let is_certain = is_degenerate && !is_flat_tetrahedron;
                self.split_at(&base, corners[apex], is_certain)
            }
            // A needle in a boundary layer is not a fault of the mesh. A thinner one is reported in
            // a warning.
            Degeneracy::Needle { .. } if shape.thinness > self.thickest_collapsed => {
                self.counts.kept += usize::from(self.bound == THIN && shape.thinness <= LAYER);
                return true;
            }
            Degeneracy::Needle { vertices: [a, b] } => {
                let (a, b) = (corners[a].min(corners[b]), corners[a].max(corners[b]));
                self.collapse(b, a, is_degenerate)
            }
            // A flip leaves no gap. Without a flip, the gap is as thin as the removed tetrahedron.
            Degeneracy::Crossing => !is_degenerate && self.flip(cell) || self.leave_out(cell),
        };
        if done {
            self.counts.thickest = self.counts.thickest.max(shape.thinness);
        }
        done
    }

    /// Leaves out a flat tetrahedron. The cells on its two sides still share its vertices. Returns
    /// false and changes nothing if a vertex would belong only to flat cells.
    fn leave_out(&mut self, cell: u32) -> bool {
        let is_solid = |c: u32| shape(&self.points(self.cells.corners(c))).thinness > self.bound;
        let stays = |v: u32| self.cells.cells_with(&[v]).into_iter().any(is_solid);
        if !self.cells.corners(cell).iter().all(|&v| stays(v)) {
            return false;
        }
        self.counts.left_out += self.remove(&[cell]);
        true
    }

    /// Splits all cells that contain the simplex `base` at the vertex `apex` inside it. Cells that
    /// also contain the apex are degenerate and are removed. Returns false and changes nothing if
    /// this would make other cells worse (not checked if `is_degenerate` is true) or restore a
    /// removed cell. The latter happens if the vertices of two neighbors are nearly on a line: each
    /// of them would be split at the apex of the other, again and again.
    fn split_at(&mut self, base: &[u32], apex: u32, is_degenerate: bool) -> bool {
        let (gone, others): (Vec<u32>, Vec<u32>) = self
            .cells
            .cells_with(base)
            .into_iter()
            .partition(|&c| self.cells.corners(c).contains(&apex));
        let part = |c: u32, old: u32| replaced(self.cells.corners(c), old, apex);
        let restores =
            |&c: &u32| base.iter().any(|&old| self.removed.contains(&sorted(&part(c, old))));
        let spoils = |&c: &u32| {
            base.iter().any(|&old| !self.is_upright(self.cells.corners(c), &part(c, old)))
        };
        if others.iter().any(restores) || !is_degenerate && others.iter().any(spoils) {
            return false;
        }
        self.counts.caps += self.remove(&gone);
        for cell in others {
            let parts = self.cells.split(cell, base, apex);
            parts.into_iter().for_each(|part| self.judge(part));
        }
        self.splits.note(base, apex);
        true
    }

    /// Replaces the vertex `from` by `to` in all cells. Cells that contain both are removed.
    /// Returns false and changes nothing if this would make other cells worse. This is not checked
    /// if `is_degenerate` is true.
    fn collapse(&mut self, from: u32, to: u32, is_degenerate: bool) -> bool {
        let (gone, others): (Vec<u32>, Vec<u32>) = self
            .cells
            .cells_with(&[from])
            .into_iter()
            .partition(|&c| self.cells.corners(c).contains(&to));
        let spoils = |&c: &u32| {
            let corners = self.cells.corners(c);
            !self.is_upright(corners, &replaced(corners, from, to))
        };
        if !is_degenerate && others.iter().any(spoils) {
            return false;
        }
        self.counts.needles += self.remove(&gone);
        for cell in others {
            self.cells.move_corner(cell, from, to);
            self.judge(cell);
        }
        self.collapsed.push((from, to));
        true
    }

    /// Replaces the cells around an edge of a thin tetrahedron by others that are not thin.
    /// Returns false if this is not possible.
    fn flip(&mut self, cell: u32) -> bool {
        let mesh = self.mesh;
        let fixed = self.fixed.get_or_init(|| Fixed::new(mesh));
        let cells = &self.cells;
        let alike = |a: u32, b: u32| fixed.are_alike(mesh, cells.parent(a), cells.parent(b));
        let is_fixed = |simplex: &[u32]| fixed.simplices.contains(&key(simplex));
        let found = flips::best(cells, &mesh.vertices, cell, self.bound, is_fixed, alike);
        let Some(Flip { gone, corners, .. }) = found else { return false };
        // The thin cell is the worst one to inherit values from.
        let parent = gone.iter().copied().find(|&other| other != cell).unwrap_or(cell);
        gone.iter().for_each(|&other| self.cells.remove(other));
        corners.iter().for_each(|corners| {
            self.cells.add(corners, parent);
        });
        self.counts.flips += 1;
        true
    }

    /// Returns true if the changed cell has a nonzero height and keeps its orientation, or if it
    /// was degenerate before the change.
    fn is_upright(&self, before: &[u32], after: &[u32]) -> bool {
        if shape(&self.points(before)).thinness <= self.bound {
            return true;
        }
        let [old, new] = [before, after].map(|corners| oriented_measure(self.vertices, corners));
        old.dot(&new) > 0.0 && shape(&self.points(after)).thinness > DEGENERATE
    }
}

/// Returns the corners of a cell in ascending order. The fourth entry for a triangle is 0.
fn sorted(corners: &[u32]) -> [u32; 4] {
    let mut sorted = [0; 4];
    sorted[..corners.len()].copy_from_slice(corners);
    sorted[..corners.len()].sort_unstable();
    sorted
}

/// Updates the groups of a mesh and the representatives of its vertices after the vertex
/// replacements `collapsed`, which were made in this order. `representative` is empty if no vertex
/// was replaced before.
fn follow(collapsed: &[(u32, u32)], mesh: &mut Mesh, representative: &mut Vec<u32>) {
    if collapsed.is_empty() {
        return;
    }
    if representative.is_empty() {
        *representative = (0..mesh.n_vertices() as u32).collect();
    }
    let mut target: HashMap<u32, u32> = HashMap::new();
    for &(from, to) in collapsed.iter().rev() {
        let to = target.get(&to).copied().unwrap_or(to);
        target.insert(from, to);
    }
    let replace = |v: &mut u32| *v = target.get(v).copied().unwrap_or(*v);
    representative.iter_mut().for_each(replace);
    for group in &mut mesh.groups {
        if let Members::Simplices { vertices, .. } = &mut group.members {
            vertices.iter_mut().for_each(replace);
        }
    }
}
