//! The distance transform's kernels against a search through all voxels.

use super::layouts::edt::EdtArgument;
use super::library::{Arg, Launch, Library, arg};

/// The distances of the kernels, launched as `DeviceEdt` does.
fn transformed(
    library: &Library,
    inside: &[u8],
    shape: [u32; 3],
    spacing: [f64; 3],
    signed: bool,
) -> Vec<f32> {
    let [nx, ny, nz] = shape;
    let [sx, sy, sz] = spacing;
    let n = inside.len();
    // Rows of whole words are read 16 bytes at a time.
    let mut aligned = vec![0_u128; n.div_ceil(16)];
    // SAFETY: as many bytes as the memory holds at least.
    unsafe { inside.as_ptr().copy_to_nonoverlapping(aligned.as_mut_ptr().cast(), n) };
    let (mut steps, mut list) = (vec![0_u32; n.div_ceil(2)], vec![0_u32; n]);
    let (mut squares, mut distances) = (vec![0_f32; n], vec![0_f32; n]);
    let mut near = vec![0_u8; (nx * ny.max(nz)).div_ceil(256) as usize * 8];
    let words = nx.div_ceil(32);
    for side in 0..=u32::from(signed) {
        let [across, along] = [sx / sy, sy / sz].map(|x| x.powi(2) as f32);
        let edt = EdtArgument { shape, words, across, along, spacing: sz, side };
        let launch = |kernel: &str, grid: u32, shared_bytes: u32, pointers: &[*mut u8]| {
            let how = Launch { shared_bytes, seed: u64::from(nx), ..Launch::new(grid, 256) };
            let args: Vec<Arg> =
                std::iter::once(arg(edt)).chain(pointers.iter().map(|&p| arg(p))).collect();
            // SAFETY: a place for each voxel in all arrays, and a flag for 32 lines.
            unsafe { library.launch(kernel, &how, &args) }.unwrap();
        };
        let inside = aligned.as_mut_ptr().cast();
        let (steps, list) = (steps.as_mut_ptr().cast(), list.as_mut_ptr().cast());
        let (squares, near) = (squares.as_mut_ptr().cast(), near.as_mut_ptr());
        let distances = distances.as_mut_ptr().cast();
        launch("edt_rows", (ny * nz).div_ceil(8).min(5), 12 * words * 8, &[inside, steps]);
        let lines = (nx * nz).div_ceil(256);
        launch("edt_choose_slabs", lines, 0, &[steps, near]);
        launch("edt_slabs", lines, 0, &[steps, near, list, squares]);
        launch("edt_near_slabs", lines * ny.div_ceil(64), 0, &[steps, near, squares]);
        let lines = (nx * ny).div_ceil(256);
        launch("edt_choose_volume", lines, 0, &[squares, near]);
        launch("edt_volume", lines, 0, &[squares, near, inside, list, distances]);
        let grid = lines * nz.div_ceil(64);
        launch("edt_near_volume", grid, 0, &[squares, near, inside, distances]);
    }
    distances
}

/// The least distance, to voxels inside or, of those of a signed transform, to those outside.
fn least(inside: &[u8], shape: [u32; 3], spacing: [f64; 3], signed: bool, voxel: usize) -> f32 {
    let [nx, ny, _] = shape.map(|n| n as usize);
    let place = |n: usize| [n % nx, n / nx % ny, n / nx / ny];
    let outside = signed && inside[voxel] != 0;
    let square = |n: usize| -> f64 {
        let axis = |k: usize| (place(n)[k].abs_diff(place(voxel)[k]) as f64 * spacing[k]).powi(2);
        (0..3).map(axis).sum()
    };
    let wanted = (0..inside.len()).filter(|&n| (inside[n] == 0) == outside);
    let least = wanted.map(square).fold(f64::INFINITY, f64::min).sqrt() as f32;
    if outside { -least } else { least }
}

#[test]
fn transforms_are_those_of_a_search_through_all() {
    let kernels = [
        "edt_rows",
        "edt_choose_slabs",
        "edt_slabs",
        "edt_near_slabs",
        "edt_choose_volume",
        "edt_volume",
        "edt_near_volume",
    ];
    let library = Library::compile("kernels/point_distance/edt.cu", &["REAL=float"], &kernels);
    for shape in [
        [1, 1, 1],
        [7, 5, 3],
        [33, 4, 9],
        [64, 6, 5],
        [1, 40, 2],
        [9, 13, 31],
        [1100, 2, 1],
        [40, 70, 3],
        [3, 2, 150],
    ] {
        let n: u32 = shape.iter().product();
        for every in [1, 2, 40, 700, u32::MAX] {
            // Numbers without order.
            let number = |k: u32| (k + 1).wrapping_mul(2_654_435_761).rotate_left(9) ^ k;
            let inside: Vec<u8> = (0..n).map(|k| u8::from(number(k) % every == 0)).collect();
            for spacing in [[1.0; 3], [2.5; 3], [0.7, 0.8, 2.5], [3.0, 0.01, 1.0]] {
                for signed in [false, true] {
                    let found = transformed(&library, &inside, shape, spacing, signed);
                    for voxel in (0..found.len()).step_by(1 + found.len() / 500) {
                        let (a, b) = (found[voxel], least(&inside, shape, spacing, signed, voxel));
                        let cubes = spacing[0] == spacing[2];
                        let same = a == b || !cubes && (a - b).abs() <= 4e-7 * b.abs();
                        assert!(same, "{shape:?} {every} {spacing:?} {signed} {voxel}: {a} {b}");
                    }
                }
            }
        }
    }
}
