//! Generates vertices and triangles, row by row.

use super::masks::{Masks, WORD};
use super::rows::{Counts, Rows};
use super::{Field, Number};
use crate::parallel::*;
use crate::primitives::DisjointRows;
use crate::surface::cubes::CASES;
use crate::volume::Placement;

/// Returns the vertices in world coordinates and the triangles, `[3 * n_triangles]`.
pub(super) fn generate<T: Number>(
    field: &Field<T>,
    masks: &Masks,
    counts: &Counts,
    place: &Placement,
    flipped: bool,
) -> (Vec<[f64; 3]>, Vec<u32>) {
    let mut vertices = vec![[0.0; 3]; counts.vertices()];
    let mut cells = vec![0_u32; 3 * counts.triangles()];
    let all_vertices = DisjointRows::new(&mut vertices);
    let all_cells = DisjointRows::new(&mut cells);
    let [_, ny, nz] = masks.size;
    (0..nz).into_par_iter().for_each(|z| {
        let [from, to] = [z, z + 1].map(|z| counts.first_vertex[ny * z] as usize);
        let [begin, end] = [z, z + 1].map(|z| 3 * counts.first_triangle[z] as usize);
        // SAFETY: each slice writes its own vertices and triangles. The counts give every slice a
        // range of its own.
        let (vertices, cells) =
            unsafe { (all_vertices.range(from..to), all_cells.range(begin..end)) };
        write_slice(field, masks, counts, place, z, vertices, cells);
        if flipped {
            cells.chunks_exact_mut(3).for_each(|triangle| triangle.swap(1, 2));
        }
    });
    (vertices, cells)
}

fn write_slice<T: Number>(
    field: &Field<T>,
    masks: &Masks,
    counts: &Counts,
    place: &Placement,
    z: usize,
    vertices: &mut [[f64; 3]],
    cells: &mut [u32],
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("bmi1") {
        #[target_feature(enable = "popcnt,bmi1")]
        fn counting(masks: &Masks, counts: &Counts, z: usize, cells: &mut [u32]) {
            triangles(masks, counts, z, cells);
        }
        // SAFETY: this CPU has these instructions.
        unsafe { counting(masks, counts, z, cells) };
        return write_vertices(field, masks, place, z, vertices);
    }
    triangles(masks, counts, z, cells);
    write_vertices(field, masks, place, z, vertices);
}

/// Returns the crossing on an edge with phi `a` and `b` at its ends, as a fraction of the edge. On
/// an edge to the layer around the volume, where phi is `None`, it is the midpoint.
#[inline(always)]
pub(super) fn fraction(a: Option<f64>, b: Option<f64>) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) => a / (a - b),
        _ => 0.5,
    }
}

/// Visits the crossings of a slice in order. The arguments of `visit` are the voxel at the lower
/// end of the edge, the axis, and the fraction along the edge.
#[inline(always)]
pub(super) fn crossings<T: Number>(
    field: &Field<T>,
    masks: &Masks,
    z: usize,
    mut visit: impl FnMut([usize; 3], usize, f64),
) {
    for y in 0..masks.size[1] {
        let rows = Rows::new(masks, y, z);
        for axis in 0..3 {
            for w in 0..masks.words {
                let word = rows.word(w);
                let mut bits = [word.along_x[0], word.along_y[0], word.along_z[0]][axis];
                while bits != 0 {
                    let low = [w * WORD + bits.trailing_zeros() as usize, y, z];
                    bits &= bits - 1;
                    let mut high = low;
                    high[axis] += 1;
                    visit(low, axis, fraction(field.at(low), field.at(high)));
                }
            }
        }
    }
}

fn write_vertices<T: Number>(
    field: &Field<T>,
    masks: &Masks,
    place: &Placement,
    z: usize,
    vertices: &mut [[f64; 3]],
) {
    let (origin, steps) = (place.origin(), place.steps());
    let mut vertices = vertices.iter_mut();
    crossings(field, masks, z, |low, axis, t| {
        let mut at = low.map(|c| c as f64);
        at[axis] += t;
        if let Some(vertex) = vertices.next() {
            *vertex = std::array::from_fn(|k| {
                origin[k] + at[0] * steps[0][k] + at[1] * steps[1][k] + at[2] * steps[2][k]
            });
        }
    });
}

/// Writes the triangles of the cubes above a slice.
#[inline(always)]
fn triangles(masks: &Masks, counts: &Counts, z: usize, cells: &mut [u32]) {
    let [_, ny, nz] = masks.size;
    if z + 1 >= nz {
        return;
    }
    let cases = &*CASES;
    let mut written = 0;
    for y in 0..ny - 1 {
        let rows = Rows::new(masks, y, z);
        let row = y + ny * z;
        // First vertices of the four rows, advanced by the crossings before the current word.
        let [f00, f10, f01, f11] = [row, row + 1, row + ny, row + ny + 1].map(|r| counts.first(r));
        let mut xs = [f00[0], f10[0], f01[0], f11[0]];
        let mut ys = [f00[1], f01[1]];
        let mut zs = [f00[2], f10[2]];
        for w in 0..masks.words {
            let word = rows.word(w);
            let mut cut = word.cut;
            while cut != 0 {
                let x = cut.trailing_zeros();
                cut &= cut - 1;
                let before = (1_u64 << x) - 1;
                let upto = before << 1 | 1;
                let rank = |bits: u64, below: u64| (bits & below).count_ones();
                // The order is that of the edges of a cube: along x at (y, z), along y at (z, x),
                // along z at (x, y).
                let on_edge: [u32; 12] = [
                    xs[0] + rank(word.along_x[0], before),
                    xs[1] + rank(word.along_x[1], before),
                    xs[2] + rank(word.along_x[2], before),
                    xs[3] + rank(word.along_x[3], before),
                    ys[0] + rank(word.along_y[0], before),
                    ys[1] + rank(word.along_y[1], before),
                    ys[0] + rank(word.along_y[0], upto),
                    ys[1] + rank(word.along_y[1], upto),
                    zs[0] + rank(word.along_z[0], before),
                    zs[0] + rank(word.along_z[0], upto),
                    zs[1] + rank(word.along_z[1], before),
                    zs[1] + rank(word.along_z[1], upto),
                ];
                let triangles = cases[word.case(x)].triangles().as_flattened();
                let cells = &mut cells[written..written + triangles.len()];
                for (cell, &e) in cells.iter_mut().zip(triangles) {
                    *cell = on_edge[usize::from(e) % 12];
                }
                written += triangles.len();
            }
            (0..4).for_each(|k| xs[k] += word.along_x[k].count_ones());
            (0..2).for_each(|k| ys[k] += word.along_y[k].count_ones());
            (0..2).for_each(|k| zs[k] += word.along_z[k].count_ones());
        }
    }
}
