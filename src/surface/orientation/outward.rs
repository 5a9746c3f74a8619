//! Orients the triangles of a surface so that they face outward.

use std::cell::RefCell;

use super::sheets::{Sheets, Sides, corners};
use super::{clear_majority, turn};
use crate::geometry::Vec3;
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;
use crate::surface::bvh::{Tree, box_of};
use crate::surface::{TriangleIndex, UNDECIDED};
use crate::words::counted;

/// The largest number of triangles per component from which rays start. It is also the largest
/// number of points per component, besides the extreme ones, that are tested for whether they lie
/// inside another component.
const SAMPLES: usize = 16;
/// The directions of the rays, in both senses. No axis or plane of symmetry of a typical mesh is
/// close to them.
const RAYS: [[f64; 3]; 5] = [
    [0.913, 0.267, 0.307],
    [-0.331, 0.887, 0.323],
    [0.283, -0.353, 0.891],
    [0.577, 0.523, -0.627],
    [-0.617, 0.551, 0.563],
];
/// A ray does not tell the sides of a triangle apart if the absolute value of the cosine of its
/// angle to the normal is at most this.
const GRAZING: f64 = 0.1;
/// The limit that the absolute value of [`Facing::vote`] must exceed to orient an open component.
const OPEN: f64 = 0.5;
/// The limit for an open component that is already consistently oriented.
const CONSISTENT: f64 = 0.75;

/// The result of [`orient_outward`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Outward {
    /// The number of triangles whose orientation was reversed.
    pub turned: usize,
    /// The number of components in which triangles were reversed.
    pub components: usize,
    /// Number of cavities: closed components inside others, with triangles that face the space that
    /// they enclose.
    pub cavities: usize,
    /// Number of components that have only one side, such as a Moebius strip. They do not change.
    pub one_sided: usize,
    /// An edge of the first one-sided component at which neighboring triangles cannot agree.
    pub one_sided_edge: Option<[u32; 2]>,
    /// Number of open components whose outside was not determined, because rays from them meet too
    /// many triangles. They keep the orientation of most of their area.
    pub undecided: usize,
}

impl Outward {
    /// Returns one line about the triangles that were reversed, or `None` if there are none.
    pub fn summary(&self) -> Option<String> {
        let cavities = match self.cavities {
            0 => String::new(),
            n => format!(", {} inside", counted(n, ["cavity", "cavities"])),
        };
        (self.turned > 0).then(|| {
            let components = counted(self.components, ["component", "components"]);
            let turned = counted(self.turned, ["triangle", "triangles"]);
            format!("{turned} reversed in {components}{cavities}")
        })
    }

    /// Returns warnings about components that could not be oriented.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let one_sided = self.one_sided_edge.map(|[a, b]| {
            let components = counted(self.one_sided, ["component has", "components have"]);
            format!(
                "{components} only one side, like a Moebius strip, and cannot be oriented; the \
                 triangles at the edge between vertices {a} and {b} face opposite ways"
            )
        });
        let undecided = (self.undecided > 0).then(|| {
            let components = counted(self.undecided, ["open component", "open components"]);
            format!(
                "{components} may face inward: rays from there meet too many triangles to tell the \
                 outside"
            )
        });
        one_sided.into_iter().chain(undecided)
    }
}

/// Reverses triangles so that triangles that share an edge agree, and face outward.
///
/// Components are connected by edges with two triangles.
///
/// - A closed component faces outward. If it lies inside another one, it keeps its orientation
///   relative to that one: a cavity stays a cavity. If the triangles of the other component face
///   different ways, it keeps its own orientation. If its own triangles face different ways, it is
///   oriented opposite to the other component. Inside a component that faces outward, it becomes a
///   cavity, which faces the space that it encloses.
/// - An open component keeps the orientation of most of its area. If it nearly encloses a space,
///   alone or together with others as in a triangle soup, it faces outward, unless it is the only
///   open component and has a clear orientation. The outside is where rays cross an even number of
///   triangles.
/// - A component with one side does not change.
///
/// Tetrahedra do not change. [`clean`](crate::mesh::clean()) orients them.
pub fn orient_outward(mesh: &mut Mesh) -> Outward {
    if mesh.kind == Kind::Volume {
        return Outward::default();
    }
    let sheets = Sheets::new(&Sides::new(&mesh.cells), &mesh.cells);
    let mut facing = Facing::new(mesh, &sheets);
    facing.close();
    if mesh.kind == Kind::Surface {
        facing.open();
    }
    let Facing { cavities, undecided, .. } = facing;
    let mut result = Outward { cavities, undecided, ..Outward::default() };
    let mut to_turn = Vec::new();
    for (c, part) in sheets.triangles.iter().enumerate() {
        if let Some(edge) = sheets.conflict[c] {
            result.one_sided += 1;
            result.one_sided_edge = result.one_sided_edge.or(Some(edge));
            continue;
        }
        let before = to_turn.len();
        to_turn.extend(part.iter().filter(|&&t| sheets.turned[t as usize] != facing.against[c]));
        result.components += usize::from(to_turn.len() > before);
    }
    result.turned = to_turn.len();
    turn(&mut mesh.cells, &to_turn);
    result
}

/// The orientation of each component.
struct Facing<'a> {
    mesh: &'a Mesh,
    sheets: &'a Sheets,
    /// Whether the component is to be oriented against its first triangle. At first, this is the
    /// orientation of most of its area.
    against: Vec<bool>,
    /// Whether the component is consistently oriented, except for a few triangles.
    is_clear: Vec<bool>,
    cavities: usize,
    /// Number of open components from which rays meet too many triangles.
    undecided: usize,
}

impl<'a> Facing<'a> {
    fn new(mesh: &'a Mesh, sheets: &'a Sheets) -> Self {
        let n = sheets.triangles.len();
        let (mut against, mut is_clear) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for c in 0..n {
            let (all, turned) = sheets.areas(c, &mesh.vertices, &mesh.cells);
            let clear = clear_majority(all, turned);
            against.push(clear.unwrap_or(2.0 * turned > all));
            is_clear.push(clear.is_some());
        }
        Facing { mesh, sheets, against, is_clear, cavities: 0, undecided: 0 }
    }

    /// Orients the closed components, outer ones first.
    fn close(&mut self) {
        let closed = Closed::new(self.mesh, self.sheets);
        // For each closed component, whether it faces outward before and after this call.
        let n = self.against.len();
        let (mut before, mut after) = (vec![true; n], vec![true; n]);
        for (k, &c) in closed.numbers.iter().enumerate() {
            let volume = closed.volumes[k];
            before[c] = self.against[c] == (volume < 0.0);
            after[c] = match closed.parent(k) {
                None => true,
                Some(p) if self.is_clear[c] && self.is_clear[p] => {
                    (before[c] == before[p]) == after[p]
                }
                Some(_) if self.is_clear[c] => before[c],
                Some(p) => !after[p],
            };
            self.cavities += usize::from(!after[c]);
            if volume != 0.0 {
                self.against[c] = (volume < 0.0) == after[c];
            }
        }
    }

    /// Orients open components that nearly enclose a space.
    fn open(&mut self) {
        let open: Vec<usize> =
            (0..self.against.len()).filter(|&c| self.sheets.is_open[c]).collect();
        if open.is_empty() || (open.len() == 1 && self.is_clear[open[0]]) {
            return;
        }
        let index = TriangleIndex::new(&self.mesh.vertices, &self.mesh.cells);
        let votes: Vec<Option<f64>> =
            open.par_iter().with_min_len(64).map(|&c| self.vote(&index, c)).collect();
        for (&c, vote) in open.iter().zip(votes) {
            self.undecided += usize::from(vote.is_none());
            let vote = vote.unwrap_or(0.0);
            if vote.abs() > self.enough(c) {
                self.against[c] = vote < 0.0;
            }
        }
    }

    /// Returns the limit that the absolute value of the vote on an open component must exceed.
    fn enough(&self, component: usize) -> f64 {
        if self.is_clear[component] { CONSISTENT } else { OPEN }
    }

    /// Returns the fraction of the rays according to which the first triangle of a component faces
    /// outward, minus the fraction according to which it faces inward. Returns 0 early if the
    /// remaining rays cannot be enough to orient the component. Returns `None` if a ray meets too
    /// many triangles.
    fn vote(&self, index: &TriangleIndex, component: usize) -> Option<f64> {
        let all = &self.sheets.triangles[component];
        let step = all.len().div_ceil(SAMPLES);
        let (mut sum, mut count): (f64, f64) = (0.0, 0.0);
        let mut left = (all.len().div_ceil(step) * RAYS.len()) as f64;
        for &t in all.iter().step_by(step) {
            let [a, b, c] = corners(&self.mesh.vertices, &self.mesh.cells, t);
            let (center, normal) = ((a + b + c) / 3.0, (b - a).cross(&(c - a)));
            let front = if self.sheets.turned[t as usize] { -normal } else { normal };
            for ray in RAYS.map(Vec3::from) {
                if sum.abs() + left <= self.enough(component) * (count + left) {
                    return Some(0.0);
                }
                left -= 1.0;
                let along = ray.dot(&front);
                if along.abs() <= GRAZING * front.norm() {
                    continue;
                }
                let ahead = if along > 0.0 { ray } else { -ray };
                let is_outside = |ray| Some(index.crossings(center, ray, t)?.is_multiple_of(2));
                sum += match (is_outside(ahead)?, is_outside(-ahead)?) {
                    (true, false) => 1.0,
                    (false, true) => -1.0,
                    _ => 0.0,
                };
                count += 1.0;
            }
        }
        Some(if count > 0.0 { sum / count } else { 0.0 })
    }
}

/// The closed components, the one with the largest volume first.
struct Closed<'a> {
    mesh: &'a Mesh,
    sheets: &'a Sheets,
    /// The indices of the components.
    numbers: Vec<usize>,
    /// Six times the volume of each component, if its triangles are oriented like its first
    /// triangle.
    volumes: Vec<f64>,
    boxes: Vec<(Vec3, Vec3)>,
    tree: Tree,
    /// The triangles of components that contain the boxes of others, indexed when they are first
    /// needed.
    indices: RefCell<Vec<Option<TriangleIndex>>>,
}

impl<'a> Closed<'a> {
    fn new(mesh: &'a Mesh, sheets: &'a Sheets) -> Self {
        let is_closed = |&c: &usize| !sheets.is_open[c] && sheets.conflict[c].is_none();
        let volume = |c: usize| sheets.volume(c, &mesh.vertices, &mesh.cells);
        let mut all: Vec<(usize, f64)> =
            (0..sheets.triangles.len()).filter(is_closed).map(|c| (c, volume(c))).collect();
        all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let boxes: Vec<(Vec3, Vec3)> = all
            .iter()
            .map(|&(c, _)| {
                let triangles = sheets.triangles[c].iter();
                let all = triangles.flat_map(|&t| corners(&mesh.vertices, &mesh.cells, t));
                box_of(&all.collect::<Vec<_>>())
            })
            .collect();
        Closed {
            mesh,
            sheets,
            numbers: all.iter().map(|&(c, _)| c).collect(),
            volumes: all.iter().map(|&(_, volume)| volume).collect(),
            tree: Tree::new(&boxes),
            indices: RefCell::new(vec![None; boxes.len()]),
            boxes,
        }
    }

    /// Returns the smallest closed component that contains the `k`-th one, or `None` if there is
    /// none.
    fn parent(&self, k: usize) -> Option<usize> {
        let (low, high) = self.boxes[k];
        let mut around = Vec::new();
        self.tree.descend(|_, node| {
            let may = node.contains(low, high);
            if may && node.is_leaf() {
                let pieces = node.pieces().map(|at| self.tree.order[at] as usize);
                around.extend(pieces.filter(|&p| {
                    let (a, b) = self.boxes[p];
                    p < k && a.inf(&low) == a && b.sup(&high) == b
                }));
            }
            may
        });
        if around.is_empty() {
            return None;
        }
        let samples = self.samples(k);
        around.sort_unstable();
        let found = around.into_iter().rev().find(|&p| self.contains(p, &samples));
        found.map(|p| self.numbers[p])
    }

    /// Returns points of a component: the extreme ones along each axis, and others.
    fn samples(&self, k: usize) -> Vec<[f64; 3]> {
        let triangles = &self.sheets.triangles[self.numbers[k]];
        let corner = |&t: &u32| self.mesh.vertices[self.mesh.cells[3 * t as usize] as usize];
        let step = triangles.len().div_ceil(SAMPLES);
        let mut samples: Vec<[f64; 3]> = triangles.iter().step_by(step).map(corner).collect();
        let all = || {
            let corners = triangles.iter().flat_map(|&t| &self.mesh.cells[3 * t as usize..][..3]);
            corners.map(|&v| self.mesh.vertices[v as usize])
        };
        for axis in 0..3 {
            let by = |a: &[f64; 3], b: &[f64; 3]| a[axis].total_cmp(&b[axis]);
            samples.extend(all().min_by(by));
            samples.extend(all().max_by(by));
        }
        samples
    }

    /// Returns whether points lie inside a component. None of them may lie outside, and fewer than
    /// half of them may be undecided, as points on its surface are.
    fn contains(&self, p: usize, points: &[[f64; 3]]) -> bool {
        let mut indices = self.indices.borrow_mut();
        let index = indices[p].get_or_insert_with(|| self.index(p));
        let winding: Vec<f64> = points.iter().map(|&x| index.winding_number(x).abs()).collect();
        winding.iter().all(|&w| w >= UNDECIDED.start)
            && winding.iter().any(|&w| w >= UNDECIDED.end)
            && winding.iter().filter(|&&w| w < UNDECIDED.end).count() * 2 < winding.len()
    }

    /// Returns the triangles of a component, consistently oriented.
    fn index(&self, p: usize) -> TriangleIndex {
        let mut triangles = Vec::new();
        for &t in &self.sheets.triangles[self.numbers[p]] {
            let v = &self.mesh.cells[3 * t as usize..][..3];
            let turned = self.sheets.turned[t as usize];
            triangles.extend(if turned { [v[0], v[2], v[1]] } else { [v[0], v[1], v[2]] });
        }
        TriangleIndex::new(&self.mesh.vertices, &triangles)
    }
}

#[cfg(test)]
mod tests;
