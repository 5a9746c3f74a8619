//! Corrects signs at the boundary of the field, so that surfaces end only where samples end.
//!
//! A cube that the surface cuts is left open if one of its vertices has no distance. All its other
//! vertices are *boundary vertices*: at least one of their 26 neighbors has no distance. Around a
//! closed surface, the boundary vertices form one shell on the outer side and one on the inner
//! side. All vertices of a shell should have the same sign. Where the nearest sample is seen at a
//! grazing angle, behind a sharp edge or a tip, single vertices of a shell get the other sign, and
//! the surface gets a spike with an open end. At the boundary of an open surface, in contrast, two
//! patches of opposite signs meet, and both are as large as the surface.
//!
//! The boundary vertices are therefore divided into patches of one sign. A patch that is much
//! smaller than an adjacent patch of the other sign takes that sign.

use std::ops::Range;

use super::field::{Field, VERTICES, step};
use crate::parallel::*;
use crate::primitives::UnionFind;
use crate::surface::cubes::Blocks;

/// A patch changes sides if an adjacent patch of the other sign is more than this many times as
/// large.
const RATIO: usize = 20;
/// The number of tiles whose pairs are in memory at the same time.
const PART: usize = 1 << 10;
/// The largest number of rounds. Patches can be nested within patches.
pub(super) const ROUNDS: usize = 8;

/// Moves the small patches of boundary vertices to the side of their larger neighbors. Returns the
/// number of vertices that changed sides.
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

/// The boundary vertices of a tile.
#[derive(Clone)]
struct Shell {
    /// Number of boundary vertices in the preceding tiles.
    first: u32,
    /// Bit k of word z is set if vertex k of layer z is a boundary vertex.
    layers: [u64; 8],
    around: [Option<usize>; 27],
}

impl Shell {
    fn new(field: &Field, t: usize) -> Self {
        let mut values = [0.0; 1000];
        field.fill(t, 1, &mut values);
        // Bit x of row y + 10 z is set if vertex (x, y, z) has a distance. In `whole`, bit x is set
        // if the vertices x, x + 1 and x + 2 of that row have distances.
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

    /// Returns the index of a vertex among all boundary vertices, if it is one.
    fn number(&self, [x, y, z]: [usize; 3]) -> Option<u32> {
        let bit = x + 8 * y;
        let before: u32 = self.layers[..z].iter().map(|layer| layer.count_ones()).sum();
        let within = (self.layers[z] & !(u64::MAX << bit)).count_ones();
        (self.layers[z] >> bit & 1 == 1).then_some(self.first + before + within)
    }

    /// Iterates over the boundary vertices of the tile, ascending.
    fn vertices(&self) -> impl Iterator<Item = usize> + '_ {
        (0..VERTICES).filter(|v| self.layers[v / 64] >> (v % 64) & 1 == 1)
    }
}

/// All boundary vertices.
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

    /// Returns the pairs of adjacent boundary vertices, by index. If `alike` is true, both lie on
    /// the same side of the surface, otherwise on opposite sides. Each pair belongs to the tile of
    /// its first vertex, and `tiles` selects a range of tiles.
    fn pairs(&self, field: &Field, alike: bool, tiles: Range<usize>) -> Vec<[u32; 2]> {
        let of_tile = |t: usize| {
            let shell = &self.0[t];
            let mut found = Vec::new();
            for (number, v) in (shell.first..).zip(shell.vertices()) {
                let inside = field.of_tile(t)[v] < 0.0;
                // Each pair is found from only one of its ends.
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

    /// Returns the vertices, by tile and index in the tile, of patches that are small compared with
    /// an adjacent patch. `across` lists the pairs of vertices where patches of opposite signs
    /// meet.
    fn small_patches(&self, field: &Field, across: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let mut patches = UnionFind::new(self.len());
        // Join the pairs in parts, because all pairs together would take a lot of memory.
        let n = field.n_tiles();
        for begin in (0..n).step_by(PART) {
            for [a, b] in self.pairs(field, true, begin..n.min(begin + PART)) {
                patches.join(a, b);
            }
        }
        let patch = patches.into_roots();
        let mut size = vec![0_usize; patch.len()];
        patch.iter().for_each(|&root| size[root as usize] += 1);
        let mut small = vec![false; patch.len()];
        for pair in across {
            let [a, b] = pair.map(|k| patch[k as usize] as usize);
            small[a] |= RATIO * size[a] < size[b];
            small[b] |= RATIO * size[b] < size[a];
        }
        let mut found = Vec::new();
        for (t, shell) in self.0.iter().enumerate() {
            for (number, v) in (shell.first..).zip(shell.vertices()) {
                if small[patch[number as usize] as usize] {
                    found.push([t as u32, v as u32]);
                }
            }
        }
        found
    }
}
