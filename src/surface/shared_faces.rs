//! Triangles between parts that touch.

use std::collections::HashMap;

/// Returns the triangles between parts that touch, in ascending order. Each is stored twice, once
/// for each part, facing opposite ways. They do not bound the inside.
///
/// `triangles` lists vertex indices, `[n * 3]`. The surface must remain closed without both copies:
/// wherever a connected set of such triangles ends, an even number of other triangles must meet.
/// Triangles that are merely stored in both orientations are not listed.
pub(super) fn shared_faces(triangles: &[u32]) -> Vec<u32> {
    let list = triangles.as_chunks::<3>().0;
    let mut copies: HashMap<[u32; 3], Vec<(u32, bool)>> = HashMap::new();
    for (t, corners) in (0_u32..).zip(list) {
        let (key, is_even) = sorted(*corners);
        copies.entry(key).or_default().push((t, is_even));
    }
    let mut pairs: Vec<[u32; 2]> = copies
        .into_values()
        .filter_map(|c| match c[..] {
            [(a, even), (b, other)] if even != other => Some([a, b]),
            _ => None,
        })
        .collect();
    if pairs.is_empty() {
        return Vec::new();
    }
    pairs.sort_unstable();
    let mut pair_of = vec![None; list.len()];
    for (n, pair) in pairs.iter().enumerate() {
        pair.iter().for_each(|&t| pair_of[t as usize] = Some(n));
    }
    let mut around: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
    let edges = |[a, b, c]: [u32; 3]| [(a, b), (b, c), (c, a)].map(|(i, j)| [i.min(j), i.max(j)]);
    for pair in &pairs {
        for edge in edges(list[pair[0] as usize]) {
            around.entry(edge).or_default();
        }
    }
    for (t, corners) in (0_u32..).zip(list) {
        for edge in edges(*corners) {
            if let Some(all) = around.get_mut(&edge) {
                all.push(t);
            }
        }
    }
    let mut found = Vec::new();
    let mut is_seen = vec![false; pairs.len()];
    for seed in 0..pairs.len() {
        if std::mem::replace(&mut is_seen[seed], true) {
            continue;
        }
        let (mut patch, mut next) = (vec![seed], 0);
        let (mut ends, mut is_closed) = (0, true);
        while let Some(&n) = patch.get(next) {
            next += 1;
            for edge in edges(list[pairs[n][0] as usize]) {
                let all = &around[&edge];
                let others = all.iter().filter(|&&t| pair_of[t as usize].is_none()).count();
                ends += others;
                is_closed &= others % 2 == 0;
                // A patch that ends without other triangles is a sheet.
                is_closed &= others > 0 || all.len() > 2;
                for m in all.iter().filter_map(|&t| pair_of[t as usize]) {
                    if !std::mem::replace(&mut is_seen[m], true) {
                        patch.push(m);
                    }
                }
            }
        }
        if is_closed && ends > 0 {
            found.extend(patch.iter().flat_map(|&n| pairs[n]));
        }
    }
    found.sort_unstable();
    found
}

/// Returns the corners in ascending order, and whether sorting them is an even permutation.
fn sorted([a, b, c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut key = [a, b, c];
    key.sort_unstable();
    let lowest = key[0];
    let next = if a == lowest {
        b
    } else if b == lowest {
        c
    } else {
        a
    };
    (key, next == key[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cube from `low` to `low + 1` along x, in a row of cubes that share vertices.
    fn cube(low: u32) -> Vec<u32> {
        // Vertex 4 k + 2 y + z lies at x = k.
        let v = |x: u32, y: u32, z: u32| 4 * (low + x) + 2 * y + z;
        let quads = [
            [v(0, 0, 0), v(0, 0, 1), v(0, 1, 1), v(0, 1, 0)],
            [v(1, 0, 0), v(1, 1, 0), v(1, 1, 1), v(1, 0, 1)],
            [v(0, 0, 0), v(1, 0, 0), v(1, 0, 1), v(0, 0, 1)],
            [v(0, 1, 0), v(0, 1, 1), v(1, 1, 1), v(1, 1, 0)],
            [v(0, 0, 0), v(0, 1, 0), v(1, 1, 0), v(1, 0, 0)],
            [v(0, 0, 1), v(1, 0, 1), v(1, 1, 1), v(0, 1, 1)],
        ];
        quads.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect()
    }

    #[test]
    fn faces_between_touching_cubes_are_found() {
        let mut two = [cube(0), cube(1)].concat();
        // The two cubes must split their common face along the same diagonal.
        let [a, b, c, d] = [4, 5, 7, 6];
        let face = [[a, b, c], [a, c, d]];
        for t in two.as_chunks_mut::<3>().0 {
            if t.iter().all(|v| (4..8).contains(v)) {
                *t = [0, 0, 0];
            }
        }
        let mut list: Vec<u32> =
            two.as_chunks::<3>().0.iter().filter(|t| **t != [0, 0, 0]).flatten().copied().collect();
        let outer = list.len() as u32 / 3;
        for [a, b, c] in face {
            list.extend([a, b, c, a, c, b]);
        }
        assert_eq!(shared_faces(&list), (outer..outer + 4).collect::<Vec<_>>());
    }

    #[test]
    fn surfaces_stored_in_both_orientations_are_kept() {
        let one = cube(0);
        let turned = one.as_chunks::<3>().0.iter().flat_map(|[a, b, c]| [*a, *c, *b]);
        let both: Vec<u32> = one.iter().copied().chain(turned.clone()).collect();
        assert!(shared_faces(&both).is_empty());
        // Only one triangle is stored in both orientations.
        let partly: Vec<u32> = one.iter().copied().chain(turned.take(3)).collect();
        assert!(shared_faces(&partly).is_empty());
        assert!(shared_faces(&[0, 1, 2, 0, 2, 1]).is_empty());
    }
}
