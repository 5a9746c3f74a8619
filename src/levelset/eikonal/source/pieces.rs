//! Smooth pieces of a source, and colors that separate pieces at a corner.

use std::collections::{BTreeSet, HashMap};

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::primitives::UnionFind;

/// The cosine of the largest angle by which adjacent simplices of one piece may bend: 30 degrees.
const SMOOTH: f64 = 0.866;
/// The largest number of pieces. A source with more pieces is rough rather than composed of walls,
/// and is not divided.
const MOST_PIECES: usize = 256;
/// The largest number of colors. Each one costs at least one solve.
const MOST_COLORS: usize = 8;

/// Divides simplices into smooth pieces at their corners, and gives each piece the first color that
/// no earlier piece next to it has, or the last of [`MOST_COLORS`] if none is free. With more than
/// [`MOST_PIECES`] pieces, there is only one color. Returns the color of each simplex.
pub(super) fn colors(mesh: &Mesh, simplices: &[&[u32]]) -> Vec<usize> {
    let piece_of = pieces(mesh, simplices);
    let n_pieces = piece_of.iter().max().map_or(0, |last| last + 1);
    if n_pieces > MOST_PIECES {
        return vec![0; simplices.len()];
    }
    let mut pieces_at: HashMap<u32, BTreeSet<usize>> = HashMap::new();
    for (simplex, &piece) in simplices.iter().zip(&piece_of) {
        for &v in *simplex {
            pieces_at.entry(v).or_default().insert(piece);
        }
    }
    let mut touching: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n_pieces];
    for pieces in pieces_at.values().filter(|pieces| pieces.len() > 1) {
        for &piece in pieces {
            touching[piece].extend(pieces.iter().filter(|other| **other < piece));
        }
    }
    let mut color_of: Vec<usize> = Vec::with_capacity(n_pieces);
    for earlier in &touching {
        let is_free = |color: &usize| earlier.iter().all(|&piece| color_of[piece] != *color);
        color_of.push((0..MOST_COLORS).find(is_free).unwrap_or(MOST_COLORS - 1));
    }
    piece_of.iter().map(|&piece| color_of[piece]).collect()
}

/// Returns the piece of each simplex. Pieces are numbered in the order of their first simplices.
fn pieces(mesh: &Mesh, simplices: &[&[u32]]) -> Vec<usize> {
    let mut around: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
    for (k, simplex) in simplices.iter().enumerate() {
        for skip in 0..simplex.len() {
            let mut facet: Vec<u32> = simplex.to_vec();
            facet.remove(skip);
            facet.sort_unstable();
            around.entry(facet).or_default().push(k);
        }
    }
    let mut sets = UnionFind::new(simplices.len());
    for (facet, pair) in &around {
        let &[a, b] = pair.as_slice() else { continue };
        if is_smooth(mesh, facet, simplices[a], simplices[b]) {
            sets.join(a as u32, b as u32);
        }
    }
    let mut number_of: HashMap<u32, usize> = HashMap::new();
    let numbered = sets.into_roots().into_iter().map(|root| {
        let next = number_of.len();
        *number_of.entry(root).or_insert(next)
    });
    numbered.collect()
}

/// Returns whether two simplices continue each other smoothly across the facet they share.
/// Simplices that are cells always do.
fn is_smooth(mesh: &Mesh, facet: &[u32], a: &[u32], b: &[u32]) -> bool {
    if a.len() == mesh.kind.arity() {
        return true;
    }
    let at = |v: u32| Vec3::from(mesh.vertices[v as usize]);
    let along = match *facet {
        [v, w] => (at(w) - at(v)).try_normalize(0.0).unwrap_or_default(),
        _ => Vec3::zeros(),
    };
    let away = |simplex: &[u32]| {
        let apex = simplex.iter().find(|v| !facet.contains(v))?;
        let side = at(*apex) - at(facet[0]);
        (side - along * side.dot(&along)).try_normalize(0.0)
    };
    match (away(a), away(b)) {
        (Some(a), Some(b)) => a.dot(&b) < -SMOOTH,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn the_sides_of_a_square_alternate() {
        let points: Vec<[f64; 3]> =
            [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2], [0, 1]]
                .map(|[x, y]| [f64::from(x), f64::from(y), 0.0])
                .to_vec();
        let mesh = Mesh::new(Kind::Planar, points, vec![]);
        let edges: Vec<[u32; 2]> = (0..8).map(|k| [k, (k + 1) % 8]).collect();
        let simplices: Vec<&[u32]> = edges.iter().map(|edge| edge.as_slice()).collect();
        assert_eq!(pieces(&mesh, &simplices), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(colors(&mesh, &simplices), [0, 0, 1, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn faces_around_a_corner_of_a_box_have_three_colors() {
        let vertices =
            vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
        let mesh = Mesh::new(Kind::Volume, vertices, vec![]);
        let simplices: [&[u32]; 4] = [&[0, 1, 2], &[0, 2, 3], &[0, 1, 3], &[1, 4, 2]];
        assert_eq!(colors(&mesh, &simplices), [0, 1, 2, 0]);
    }
}
