//! Consistency of given normals: finds those that point to the opposite side from their neighbors.
//!
//! Normals of neighbors are compared by their `agreement`. Where a clear majority of the neighbors
//! contradicts a normal, it is reversed. The points are then divided into patches within which
//! neighbors agree. Patches that contradict each other along their common border, such as two
//! halves of a sphere with opposite normals, are reversed relative to each other. The side that
//! most of the given normals of a component had is kept, so a surface with inward normals stays
//! inward. If there is no such majority, the outermost point of the component decides: it points
//! outward.

use std::collections::BTreeMap;

use super::agreement::agreement;
use super::forest::Forest;
use super::plane::Plane;
use crate::point_distance::{Index, Sites};
use zeroset_core::error::Result;
use zeroset_core::parallel::*;
use zeroset_core::primitives::UnionFind;

/// The number of nearest points with which a normal is compared.
const NEIGHBORS: usize = 12;
/// The placeholder for a missing neighbor.
const NONE: u32 = u32::MAX;
/// The smallest agreement, or disagreement, that counts. Normals across sharp edges say nothing.
const CLEAR: f64 = 0.5;
/// The largest number of passes that reverse single normals to match their neighbors.
const PASSES: usize = 8;
/// A patch is reversed if the evidence for doing so is more than this many times the evidence
/// against it.
const MAJORITY: f64 = 2.0;
/// The smallest majority of the given normals, as a share, that determines the side of a component.
const DECISIVE: f64 = 0.6;

/// The normals that [`settle_sides`] changed, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Sides {
    /// Number of normals that were zero or not finite, and were estimated from the neighbors.
    pub estimated: usize,
    /// The number of normals that were reversed.
    pub turned: usize,
    /// Number of normals that contradict most of their neighbors even after the correction.
    pub left: usize,
}

impl Sides {
    /// Returns whether the normals are consistent: at most one in fifty contradicts its neighbors.
    pub fn is_common(&self, n: usize) -> bool {
        50 * self.left <= n
    }
}

/// Reverses the normals that contradict their neighbors, and estimates those that are zero or not
/// finite. There is one normal for each point, `[n]`. No two points may be at the same position.
///
/// # Errors
/// Returns [`zeroset_core::Error::Case`] if a point is not finite, or if there are 2^32 - 1 points
/// or more.
pub fn settle_sides(points: &[[f64; 3]], normals: &mut [[f32; 3]]) -> Result<Sides> {
    let mut found = Sides::default();
    if points.len() < 2 {
        return Ok(found);
    }
    let index = Index::new(&Sites::new(points)?);
    let rows: Vec<[u32; NEIGHBORS]> = index.map_neighbors(NEIGHBORS, |_, found| {
        let mut row = [NONE; NEIGHBORS];
        found.iter().zip(&mut row).for_each(|(f, to)| *to = f.site);
        row
    });
    drop(index);
    let mut graph = Graph { points, normals, rows: &rows };
    found.estimated = graph.estimate_missing();
    if graph.n_contradicted() == 0 {
        return Ok(found);
    }
    let given = graph.normals.to_vec();
    graph.follow_neighbors();
    graph.turn_patches(&given);
    found.turned = given.iter().zip(graph.normals.iter()).filter(|(a, b)| a != b).count();
    found.left = graph.n_contradicted();
    Ok(found)
}

/// The points, their normals and their neighbors.
struct Graph<'a> {
    points: &'a [[f64; 3]],
    normals: &'a mut [[f32; 3]],
    rows: &'a [[u32; NEIGHBORS]],
}

impl Graph<'_> {
    fn neighbors(&self, i: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        self.rows[i].iter().take_while(|&&j| j != NONE).map(|&j| j as usize)
    }

    fn agreement(&self, i: usize, j: usize) -> f64 {
        agreement(self.points[i], self.normals[i], self.points[j], self.normals[j])
    }

    /// Replaces normals that are zero or not finite by the normals of the planes of their
    /// neighbors, oriented like the neighbors. Returns the number of replaced normals.
    fn estimate_missing(&mut self) -> usize {
        let is_usable = |n: &[f32; 3]| n.iter().all(|x| x.is_finite()) && *n != [0.0; 3];
        let missing: Vec<usize> =
            (0..self.points.len()).filter(|&i| !is_usable(&self.normals[i])).collect();
        for &i in &missing {
            let near = self.neighbors(i).map(|j| self.points[j]);
            let plane = Plane::through(self.points[i], near).map(|plane| plane.normal);
            let normal = plane.unwrap_or([0.0, 0.0, 1.0]).map(|x| x as f32);
            self.normals[i] = normal;
            let known = self.neighbors(i).filter(|j| missing.binary_search(j).is_err());
            let sum: f64 = known.map(|j| self.agreement(i, j)).sum();
            if sum < 0.0 {
                self.normals[i] = normal.map(|x| -x);
            }
        }
        missing.len()
    }

    /// Returns the summed clear agreement and the summed clear disagreement of a point with its
    /// neighbors.
    fn votes(&self, i: usize) -> [f64; 2] {
        let mut votes = [0.0; 2];
        for j in self.neighbors(i) {
            let agreement = self.agreement(i, j);
            if agreement.abs() > CLEAR {
                votes[usize::from(agreement < 0.0)] += agreement.abs();
            }
        }
        votes
    }

    /// Returns the number of points that clearly disagree with more neighbors than they agree with.
    fn n_contradicted(&self) -> usize {
        let is_contradicted = |i: &usize| {
            let [with, against] = self.votes(*i);
            against > with
        };
        (0..self.points.len()).into_par_iter().filter(is_contradicted).count()
    }

    /// Reverses single normals that a clear majority of their neighbors contradicts, in the order
    /// of the points.
    fn follow_neighbors(&mut self) {
        for _ in 0..PASSES {
            let mut turned = 0;
            for i in 0..self.points.len() {
                let [with, against] = self.votes(i);
                if against > MAJORITY * with {
                    self.normals[i] = self.normals[i].map(|x| -x);
                    turned += 1;
                }
            }
            if turned == 0 {
                return;
            }
        }
    }

    /// Reverses whole patches relative to each other. Then orients each component to the side on
    /// which most of its given normals were.
    fn turn_patches(&mut self, given: &[[f32; 3]]) {
        let n = self.points.len();
        let mut patches = UnionFind::new(n);
        for i in 0..n {
            for j in self.neighbors(i).filter(|&j| self.agreement(i, j) > CLEAR) {
                patches.join(i as u32, j as u32);
            }
        }
        let patch = patches.into_roots();
        // The summed agreement and the summed disagreement along the common border of two patches.
        let mut borders: BTreeMap<(u32, u32), [f64; 2]> = BTreeMap::new();
        for i in 0..n {
            for j in self.neighbors(i).filter(|&j| patch[i] != patch[j]) {
                let agreement = self.agreement(i, j);
                let pair = (patch[i].min(patch[j]), patch[i].max(patch[j]));
                borders.entry(pair).or_default()[usize::from(agreement < 0.0)] += agreement.abs();
            }
        }
        let mut borders: Vec<((u32, u32), [f64; 2])> = borders.into_iter().collect();
        borders.sort_by(|(a, v), (b, w)| {
            (w[0] - w[1]).abs().total_cmp(&(v[0] - v[1]).abs()).then(a.cmp(b))
        });
        let mut forest = Forest::new(n);
        for ((a, b), [with, against]) in borders {
            if with.max(against) > MAJORITY * with.min(against) {
                forest.join(a, b, against > with);
            }
        }
        let side: Vec<(u32, bool)> = patch.iter().map(|&patch| forest.root(patch)).collect();
        for (normal, (_, against)) in self.normals.iter_mut().zip(&side) {
            if *against {
                *normal = normal.map(|x| -x);
            }
        }
        self.choose_sides(&side, given);
    }

    /// Orients each component, which its root identifies, to the side of most of its given normals,
    /// or outward if they have no clear majority.
    fn choose_sides(&mut self, side: &[(u32, bool)], given: &[[f32; 3]]) {
        let mut components: BTreeMap<u32, Component> = BTreeMap::new();
        for (i, &(root, _)) in side.iter().enumerate() {
            let component = components.entry(root).or_insert(Component::new(i));
            component.add(self.points, i, self.normals[i] == given[i]);
        }
        let is_turned: BTreeMap<u32, bool> =
            components.iter().map(|(&root, found)| (root, found.is_turned(self.normals))).collect();
        for (normal, (root, _)) in self.normals.iter_mut().zip(side) {
            if is_turned[root] {
                *normal = normal.map(|x| -x);
            }
        }
    }
}

/// A component of points whose normals agree.
struct Component {
    /// Number of points.
    n: usize,
    /// Number of points with their given normals.
    kept: usize,
    /// The lowest and the highest point along each axis.
    ends: [usize; 6],
}

impl Component {
    fn new(i: usize) -> Self {
        Component { n: 0, kept: 0, ends: [i; 6] }
    }

    fn add(&mut self, points: &[[f64; 3]], i: usize, is_kept: bool) {
        self.n += 1;
        self.kept += usize::from(is_kept);
        for (k, ends) in self.ends.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let at = |i: usize| points[i][k];
            if at(i) < at(ends[0]) {
                ends[0] = i;
            }
            if at(i) > at(ends[1]) {
                ends[1] = i;
            }
        }
    }

    fn is_turned(&self, normals: &[[f32; 3]]) -> bool {
        let share = self.kept as f64 / self.n as f64;
        if share.max(1.0 - share) >= DECISIVE {
            return share < 0.5;
        }
        outward(&self.ends, normals) < 0.0
    }
}

/// Returns the component along its axis, positive outward, of the normal that is most nearly
/// parallel to its axis. `ends` lists the lowest and the highest point along each axis.
fn outward(ends: &[usize; 6], normals: &[[f32; 3]]) -> f32 {
    let along = |side: usize| {
        let along = normals[ends[side]][side / 2];
        if side.is_multiple_of(2) { -along } else { along }
    };
    (1..6).fold(
        along(0),
        |best, side| if along(side).abs() > best.abs() { along(side) } else { best },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns evenly spaced points on a sphere with their outward normals.
    fn sphere(n: usize) -> (Vec<[f64; 3]>, Vec<[f32; 3]>) {
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let at = |k: usize| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / n as f64;
            let (r, a) = ((1.0 - z * z).sqrt(), golden * k as f64);
            [r * a.cos(), r * a.sin(), z]
        };
        let points: Vec<[f64; 3]> = (0..n).map(at).collect();
        let normals = points.iter().map(|x| x.map(|c| c as f32)).collect();
        (points, normals)
    }

    #[test]
    fn flipped_normals_are_turned_back() {
        let (points, right) = sphere(2_000);
        let chance = |k: usize| k.wrapping_mul(2_654_435_761) % 1_000;
        let half = |k: usize| points[k][2] + 0.3 * points[k][0] > 0.02;
        let cases: [(&str, &dyn Fn(usize) -> bool); 5] = [
            ("none", &|_| false),
            ("2 %", &|k| chance(k) < 20),
            ("a third", &|k| chance(k) < 333),
            ("half a sphere", &half),
            ("half a sphere and 2 %", &|k| half(k) ^ (chance(k) < 20)),
        ];
        for (name, is_flipped) in cases {
            for sign in [1.0, -1.0] {
                let turned = |k: usize| if is_flipped(k) { -sign } else { sign };
                let mut normals: Vec<[f32; 3]> =
                    right.iter().enumerate().map(|(k, n)| n.map(|x| turned(k) * x)).collect();
                let found = settle_sides(&points, &mut normals).unwrap();
                assert_eq!(found.left, 0, "{name}: {found:?}");
                let sides: Vec<bool> = normals
                    .iter()
                    .zip(&right)
                    .map(|(a, b)| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > 0.0)
                    .collect();
                assert!(sides.iter().all(|side| *side == sides[0]), "{name}: {found:?}");
                // Without a majority, the normals point outward. Otherwise, the majority counts.
                let expected = name.starts_with("half") || sign > 0.0;
                assert_eq!(sides[0], expected, "{name}, {sign}");
            }
        }
    }

    #[test]
    fn the_two_sides_of_a_plate_are_no_contradiction() {
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        for k in 0..1_800 {
            let (x, y) = (f64::from(k / 2 % 30), f64::from(k / 60));
            points.push([x, y + 0.4 * f64::from(k % 2), 0.8 * f64::from(k % 2)]);
            normals.push([0.0, 0.0, if k % 2 == 0 { -1.0 } else { 1.0 }]);
        }
        let before = normals.clone();
        let found = settle_sides(&points, &mut normals).unwrap();
        assert_eq!((found, normals), (Sides::default(), before));
    }

    #[test]
    fn missing_normals_are_estimated() {
        let (points, mut normals) = sphere(1_000);
        (normals[3], normals[500]) = ([0.0; 3], [f32::NAN; 3]);
        let found = settle_sides(&points, &mut normals).unwrap();
        assert_eq!((found.estimated, found.turned, found.left), (2, 0, 0));
        for k in [3, 500] {
            let along: f64 = (0..3).map(|a| points[k][a] * f64::from(normals[k][a])).sum();
            assert!(along > 0.95, "{along}");
        }
    }
}
