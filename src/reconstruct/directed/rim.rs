//! Signs at the border of what samples reach, so that surfaces end only where samples do.
//!
//! A cube is left open if it is cut and has a vertex without a distance. All its other vertices are
//! *border* vertices: they have a neighbor (of 26) without. About a closed surface the border is a
//! shell on its outer side and one on its inner side, each of one sign; where the nearest sample is
//! seen at a grazing angle, behind a sharp edge or a point, single vertices of a shell get the other
//! sign, and the surface a spike with an open end. About the rim of an open surface, patches of both
//! signs meet that are as large as the surface is.
//!
//! So the border is cut into patches of one sign, and a patch that is much smaller than one of the
//! other sign beside it takes that sign.

use std::ops::Range;

use rayon::prelude::*;

use super::field::{Field, VERTICES, step};
use crate::surface::cubes::Blocks;

/// A patch is turned if another one beside it is so many times larger.
const RATIO: usize = 20;
/// Tiles whose pairs are held at a time.
const PART: usize = 1 << 10;
/// Patches within patches within patches: rounds at most.
pub(super) const ROUNDS: usize = 8;

/// Turns the small patches of the border, and gives back how many vertices that were.
pub(super) fn settle(field: &mut Field) -> usize {
    let border = Border::new(field);
    let mut turned = 0;
    for _ in 0..ROUNDS {
        let across = border.pairs(field, false, 0..field.n_tiles());
        if across.is_empty() {
            break;
        }
        let small = border.small_patches(field, &across);
        for &[t, v] in &small {
            field.turn(t as usize, v as usize);
        }
        turned += small.len();
        if small.is_empty() {
            break;
        }
    }
    turned
}

/// The border vertices of a tile.
#[derive(Clone)]
struct Shell {
    /// How many there are in the tiles before.
    first: u32,
    /// Bit k of word z: vertex k of layer z is one.
    layers: [u64; 8],
    around: [Option<usize>; 27],
}

impl Shell {
    fn new(field: &Field, t: usize) -> Self {
        let mut values = [0.0; 1000];
        field.fill(t, 1, &mut values);
        // Bit x of row y + 10 z: whether that vertex has a distance; and whether all beside it along
        // x have one too.
        let mut known = [0_u16; 100];
        for (row, values) in known.iter_mut().zip(values.chunks_exact(10)) {
            for (x, value) in values.iter().enumerate() {
                *row |= u16::from(!value.is_nan()) << x;
            }
        }
        let whole = known.map(|row| row & row >> 1 & row >> 2);
        let mut layers = [0; 8];
        for (z, layer) in layers.iter_mut().enumerate() {
            for y in 0..8 {
                let all = (0..9).fold(u16::MAX, |all, k| all & whole[y + k % 3 + 10 * (z + k / 3)]);
                let own = known[y + 1 + 10 * (z + 1)] >> 1;
                *layer |= u64::from((own & !all) as u8) << (8 * y);
            }
        }
        Shell { first: 0, layers, around: field.around(t) }
    }

    fn len(&self) -> u32 {
        self.layers.iter().map(|layer| layer.count_ones()).sum()
    }

    /// Number of a vertex among all of the border, if it is one of them.
    fn number(&self, [x, y, z]: [usize; 3]) -> Option<u32> {
        let bit = x + 8 * y;
        let before: u32 = self.layers[..z].iter().map(|layer| layer.count_ones()).sum();
        let within = (self.layers[z] & !(u64::MAX << bit)).count_ones();
        (self.layers[z] >> bit & 1 == 1).then_some(self.first + before + within)
    }

    /// Its vertices, ascending.
    fn vertices(&self) -> impl Iterator<Item = usize> + '_ {
        (0..VERTICES).filter(|v| self.layers[v / 64] >> (v % 64) & 1 == 1)
    }
}

/// All border vertices.
struct Border(Vec<Shell>);

impl Border {
    fn new(field: &Field) -> Self {
        let mut shells: Vec<Shell> =
            (0..field.n_tiles()).into_par_iter().map(|t| Shell::new(field, t)).collect();
        let mut first = 0;
        for shell in &mut shells {
            shell.first = first;
            first += shell.len();
        }
        Border(shells)
    }

    fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (last.first + last.len()) as usize)
    }

    /// Pairs of border vertices beside each other, by number, that lie on one side of the surface, or
    /// on both; each pair is one of its first vertex's tile, and tiles are a range.
    fn pairs(&self, field: &Field, alike: bool, tiles: Range<usize>) -> Vec<[u32; 2]> {
        let of_tile = |t: usize| {
            let shell = &self.0[t];
            let mut found = Vec::new();
            for (number, v) in (shell.first..).zip(shell.vertices()) {
                let inside = field.of_tile(t)[v] < 0.0;
                // Each pair is seen from one of its ends.
                for s in (14..27).map(step) {
                    let [x, y, z] = [v % 8, v / 8 % 8, v / 64].map(|c| c as i32);
                    let place = [x + s[0], y + s[1], z + s[2]];
                    let d = place.map(|c| c.div_euclid(8) + 1);
                    let Some(other) = shell.around[(d[0] + 3 * d[1] + 9 * d[2]) as usize] else {
                        continue;
                    };
                    let within = place.map(|c| c.rem_euclid(8) as usize);
                    let [x, y, z] = within;
                    let same = (field.of_tile(other)[x + 8 * (y + 8 * z)] < 0.0) == inside;
                    if same == alike
                        && let Some(w) = self.0[other].number(within)
                    {
                        found.push([number, w]);
                    }
                }
            }
            found
        };
        let found: Vec<Vec<[u32; 2]>> = tiles.into_par_iter().map(of_tile).collect();
        found.concat()
    }

    /// The vertices, by tile and place in it, of patches that are small beside another one, given
    /// the pairs across which patches meet.
    fn small_patches(&self, field: &Field, across: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let mut parent: Vec<u32> = (0..self.len() as u32).collect();
        // Part by part, as all pairs together take much memory.
        let n = field.n_tiles();
        for begin in (0..n).step_by(PART) {
            for [a, b] in self.pairs(field, true, begin..n.min(begin + PART)) {
                let (a, b) = (root(&mut parent, a), root(&mut parent, b));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut size = vec![0_usize; parent.len()];
        for k in 0..parent.len() as u32 {
            size[root(&mut parent, k) as usize] += 1;
        }
        let mut small = vec![false; parent.len()];
        for pair in across {
            let [a, b] = pair.map(|k| root(&mut parent, k) as usize);
            small[a] |= RATIO * size[a] < size[b];
            small[b] |= RATIO * size[b] < size[a];
        }
        let mut found = Vec::new();
        for (t, shell) in self.0.iter().enumerate() {
            for (number, v) in (shell.first..).zip(shell.vertices()) {
                if small[root(&mut parent, number) as usize] {
                    found.push([t as u32, v as u32]);
                }
            }
        }
        found
    }
}

/// Root of a vertex, halving the path on the way.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        let above = parent[parent[v as usize] as usize];
        parent[v as usize] = above;
        v = above;
    }
    v
}
