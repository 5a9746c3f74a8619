//! Removes degenerate triangles, which arise where a value equals the level exactly at a voxel.

use std::collections::{HashMap, HashSet};

use crate::mesh::{Mesh, Values, part};
use crate::parallel::*;

/// Marks the absence of a half-edge.
const NONE: u32 = u32::MAX;

/// Merges vertices that are connected by an edge of length zero, and removes the triangles that
/// lose a corner. Returns the number of removed triangles. If each edge had two triangles before,
/// it has two afterwards.
///
/// If the value of a voxel equals the level, marching cubes places all crossings around the voxel
/// at its position, with degenerate triangles between them. Merging these vertices alone would
/// leave edges with four triangles where sheets of a surface touch. The function therefore follows
/// the neighborhood of triangles across the removed triangles, and creates one vertex at a position
/// for each fan of triangles around it (A. Guéziec, G. Taubin, F. Lazarus, W. Horn, *Cutting and
/// stitching: converting sets of polygons to manifold surfaces*, IEEE TVCG 7, 2001). It also
/// removes pairs of triangles that lie back to back. If sheets still share both ends of an edge,
/// all sheets but the first get their own vertex within this edge.
///
/// A merged vertex keeps the array values of one of the vertices that it replaces. The function
/// does not change a mesh if its cells are not triangles, if it has cell arrays or groups, or if no
/// edge connects two vertices at the same position.
pub fn drop_flat(mesh: &mut Mesh) -> usize {
    if mesh.kind.arity() != 3 || !mesh.cell_data.is_empty() || !mesh.groups.is_empty() {
        return 0;
    }
    let flat = select(mesh, |t| {
        let x = corners(t).map(|v| mesh.vertices[v as usize]);
        x[0] == x[1] || x[1] == x[2] || x[2] == x[0]
    });
    if flat.is_empty() {
        return 0;
    }
    let sheets = Sheets::new(mesh, &flat);
    let opposite = sheets.opposite();
    let dropped = sheets.rewrite(mesh, &opposite);
    let keep = vec![true; mesh.n_cells()];
    let whole = std::mem::replace(mesh, Mesh::new(mesh.kind, Vec::new(), Vec::new()));
    *mesh = part(whole, &keep).0;
    dropped
}

fn corners(triangle: &[u32]) -> [u32; 3] {
    [triangle[0], triangle[1], triangle[2]]
}

/// Returns the triangles for which a condition holds, ascending.
fn select(mesh: &Mesh, holds: impl Fn(&[u32]) -> bool + Sync) -> Vec<u32> {
    let triangles = mesh.cells.par_chunks_exact(3).with_min_len(1 << 12).enumerate();
    triangles.filter(|(_, t)| holds(t)).map(|(k, _)| k as u32).collect()
}

/// Returns the vertices that have the same position as an earlier one, each with the first vertex
/// at this position.
fn at_one_place(vertices: &[[f64; 3]]) -> Vec<(u32, u32)> {
    // Adding zero turns minus zero into zero.
    let place = |x: &[f64; 3]| x.map(|c| (c + 0.0).to_bits());
    let short = |x: &[f64; 3]| {
        let mix = |all: u64, c: u64| (all ^ c).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        place(x).into_iter().fold(0, mix)
    };
    // Few vertices share a position. For all others, comparing eight bytes is enough.
    let mut shorts: Vec<u64> = vertices.par_iter().map(short).collect();
    shorts.par_sort_unstable();
    let pairs = shorts.windows(2).filter(|pair| pair[0] == pair[1]);
    let shared: HashSet<u64> = pairs.map(|pair| pair[0]).collect();
    let is_shared = |(_, x): &(usize, &[f64; 3])| shared.contains(&short(x));
    let found: Vec<_> = vertices.par_iter().enumerate().filter(is_shared).collect();
    let mut first = HashMap::new();
    let with_first = |(v, x): (usize, &[f64; 3])| {
        let earlier = *first.entry(place(x)).or_insert(v as u32);
        (earlier != v as u32).then_some((v as u32, earlier))
    };
    found.into_iter().filter_map(with_first).collect()
}

/// Disjoint sets. Each set is represented by its smallest member.
struct Sets(Vec<u32>);

impl Sets {
    fn new(n: usize) -> Self {
        Sets((0..n as u32).collect())
    }

    fn of(&mut self, mut item: u32) -> u32 {
        while self.0[item as usize] != item {
            let above = self.0[self.0[item as usize] as usize];
            self.0[item as usize] = above;
            item = above;
        }
        item
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// The triangles that have a merged vertex. Half-edge `3 k + j` goes from corner j of the k-th of
/// these triangles to the next corner.
struct Sheets {
    /// The indices of these triangles in the mesh, ascending.
    numbers: Vec<u32>,
    /// Corners in the mesh, and the vertices into which they are merged.
    corners: Vec<[u32; 3]>,
    drawn: Vec<[u32; 3]>,
    /// Whether a corner is merged with others.
    is_joint: Vec<[bool; 3]>,
}

impl Sheets {
    fn new(mesh: &Mesh, flat: &[u32]) -> Self {
        let mut sets = Sets::new(mesh.n_vertices());
        let mut is_joint = vec![false; mesh.n_vertices()];
        for &k in flat {
            let t = corners(&mesh.cells[3 * k as usize..]);
            for j in 0..3 {
                let (a, b) = (t[j], t[(j + 1) % 3]);
                if mesh.vertices[a as usize] == mesh.vertices[b as usize] {
                    sets.join(a, b);
                    is_joint[a as usize] = true;
                    is_joint[b as usize] = true;
                }
            }
        }
        // Sheets that only touch may also share both ends of an edge.
        for (v, other) in at_one_place(&mesh.vertices) {
            sets.join(v, other);
            is_joint[v as usize] = true;
            is_joint[other as usize] = true;
        }
        let numbers = select(mesh, |t| t.iter().any(|&v| is_joint[v as usize]));
        let of = |&k: &u32| corners(&mesh.cells[3 * k as usize..]);
        let corners: Vec<[u32; 3]> = numbers.iter().map(of).collect();
        let drawn = corners.iter().map(|t| t.map(|v| sets.of(v))).collect();
        let is_joint = corners.iter().map(|t| t.map(|v| is_joint[v as usize])).collect();
        Sheets { numbers, corners, drawn, is_joint }
    }

    /// Returns whether a triangle still has three different corners after the merge.
    fn stays(&self, k: usize) -> bool {
        let [a, b, c] = self.drawn[k];
        a != b && b != c && c != a
    }

    /// Returns both ends of a half-edge in the mesh.
    fn ends(&self, half: u32) -> [u32; 2] {
        let (t, j) = (self.corners[half as usize / 3], half as usize % 3);
        [t[j], t[(j + 1) % 3]]
    }

    /// Returns, for each half-edge of a kept triangle, the half-edge of the next kept triangle,
    /// found across removed triangles. The entry is `NONE` at a boundary, and if neither end is
    /// merged.
    fn opposite(&self) -> Vec<u32> {
        let halves = 0..3 * self.corners.len() as u32;
        let is_joint = |half: u32| {
            let (joint, j) = (self.is_joint[half as usize / 3], half as usize % 3);
            joint[j] || joint[(j + 1) % 3]
        };
        let from: HashMap<[u32; 2], u32> = halves
            .clone()
            .filter(|&half| is_joint(half))
            .map(|half| (self.ends(half), half))
            .collect();
        let across = |half: u32| {
            let [a, b] = self.ends(half);
            from.get(&[b, a]).copied()
        };
        let next = |half: u32| {
            let mut found = across(half)?;
            // Removed triangles can form a ring only if an edge had more than two triangles.
            for _ in 0..self.corners.len() {
                let (k, j) = (found as usize / 3, found as usize % 3);
                if self.stays(k) {
                    return Some(found);
                }
                // One of the other two sides has length zero. The search continues across the
                // remaining one.
                let drawn = self.drawn[k];
                let is_next = drawn[(j + 2) % 3] != drawn[(j + 1) % 3];
                let side = if is_next { (j + 1) % 3 } else { (j + 2) % 3 };
                found = across((3 * k + side) as u32)?;
            }
            None
        };
        let of = |half: u32| match self.stays(half as usize / 3) && is_joint(half) {
            true => next(half).unwrap_or(NONE),
            false => NONE,
        };
        halves.into_par_iter().map(of).collect()
    }

    /// Gives the triangles of the mesh their new corners. Returns the number of removed triangles.
    fn rewrite(&self, mesh: &mut Mesh, opposite: &[u32]) -> usize {
        // Two triangles back to back are a separate sheet without an inside.
        let is_alone = |k: usize| {
            let [a, b, c] = [0, 1, 2].map(|j| opposite[3 * k + j]);
            a != NONE && [b, c].iter().all(|&o| o != NONE && o / 3 == a / 3)
        };
        let stays: Vec<bool> =
            (0..self.corners.len()).map(|k| self.stays(k) && !is_alone(k)).collect();
        let new = self.vertices(mesh, &stays, opposite);
        let middles = self.middles(mesh, &stays, &new, opposite);
        let before = std::mem::take(&mut mesh.cells);
        let mut touched = self.numbers.iter().enumerate().peekable();
        let mut dropped = 0;
        for (number, old) in (0_u32..).zip(before.chunks_exact(3)) {
            let Some((k, _)) = touched.next_if(|(_, at)| **at == number) else {
                mesh.cells.extend_from_slice(old);
                continue;
            };
            if !stays[k] {
                dropped += 1;
                continue;
            }
            let middle = [0, 1, 2].map(|j| middles.get(&((3 * k + j) as u32)).copied());
            cut(new[k], middle, &mut mesh.cells);
        }
        dropped
    }

    /// Returns the new corners of the kept triangles: one vertex for each fan around a position.
    fn vertices(&self, mesh: &mut Mesh, stays: &[bool], opposite: &[u32]) -> Vec<[u32; 3]> {
        let mut fans = Sets::new(3 * self.corners.len());
        for (half, &other) in (0_u32..).zip(opposite).filter(|(_, other)| **other != NONE) {
            let following = |half: u32| half / 3 * 3 + (half % 3 + 1) % 3;
            fans.join(half, following(other));
            fans.join(following(half), other);
        }
        let (mut of_fan, mut taken) = (HashMap::new(), HashSet::new());
        let mut copies = Vec::new();
        let n = mesh.n_vertices() as u32;
        let mut new = self.corners.clone();
        for (k, corners) in new.iter_mut().enumerate().filter(|(k, _)| stays[*k]) {
            for j in (0..3).filter(|&j| self.is_joint[k][j]) {
                let own = corners[j];
                corners[j] = *of_fan.entry(fans.of((3 * k + j) as u32)).or_insert_with(|| {
                    if taken.insert(own) {
                        return own;
                    }
                    copies.push((own, mesh.vertices[own as usize]));
                    n + copies.len() as u32 - 1
                });
            }
        }
        append(mesh, &copies);
        new
    }

    /// Adds vertices within edges that belong to several sheets. Returns them keyed by the
    /// half-edges that they split. An edge is identified by the positions of its ends, because
    /// triangle files have no vertex indices.
    fn middles(
        &self,
        mesh: &mut Mesh,
        stays: &[bool],
        new: &[[u32; 3]],
        opposite: &[u32],
    ) -> HashMap<u32, u32> {
        let (mut sheets, mut of_edge, mut middles) =
            (HashMap::new(), HashMap::new(), HashMap::new());
        let mut copies = Vec::new();
        let n = mesh.n_vertices() as u32;
        for half in 0..opposite.len() as u32 {
            let (k, j) = (half as usize / 3, half as usize % 3);
            if !stays[k] || !(self.is_joint[k][j] || self.is_joint[k][(j + 1) % 3]) {
                continue;
            }
            // An edge is identified by the first of its half-edges.
            let edge = half.min(opposite[half as usize]);
            let [p, q] = [self.drawn[k][j], self.drawn[k][(j + 1) % 3]];
            let [a, b] = [new[k][j], new[k][(j + 1) % 3]];
            let middle = *of_edge.entry(edge).or_insert_with(|| {
                let before = sheets.entry([p.min(q), p.max(q)]).or_insert(0);
                *before += 1;
                // The first sheet gets no vertex, the second one gets the midpoint, and others get
                // other points.
                if *before == 1 {
                    return None;
                }
                let share = 1.0 / f64::from(*before);
                let [x, y] = [a, b].map(|v| mesh.vertices[v as usize]);
                copies.push((a, [0, 1, 2].map(|k| x[k] + share * (y[k] - x[k]))));
                Some(n + copies.len() as u32 - 1)
            });
            middles.extend(middle.map(|middle| (half, middle)));
        }
        append(mesh, &copies);
        middles
    }
}

/// Appends vertices with the array values of existing vertices.
fn append(mesh: &mut Mesh, copies: &[(u32, [f64; 3])]) {
    mesh.vertices.extend(copies.iter().map(|(_, x)| *x));
    for array in &mut mesh.vertex_data {
        let n = array.components;
        let rows = copies.iter().flat_map(|&(v, _)| v as usize * n..(v as usize + 1) * n);
        match &mut array.values {
            Values::Float(values) => rows.for_each(|at| values.push(values[at])),
            Values::Int(values) => rows.for_each(|at| values.push(values[at])),
        }
    }
}

/// Splits a triangle that has vertices within some of its sides. Side j starts at corner j.
fn cut(corners: [u32; 3], middles: [Option<u32>; 3], cells: &mut Vec<u32>) {
    let Some(first) = (0..3).find(|&j| middles[j].is_some()) else {
        cells.extend(corners);
        return;
    };
    // Fan around the first of these vertices. Only its own side is collinear with it.
    let rim = (first..first + 3).flat_map(|j| [middles[j % 3], Some(corners[(j + 1) % 3])]);
    let rim: Vec<u32> = rim.flatten().collect();
    for pair in rim[1..].windows(2) {
        cells.extend([rim[0], pair[0], pair[1]]);
    }
}

#[cfg(test)]
mod tests;
