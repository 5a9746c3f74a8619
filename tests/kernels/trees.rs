//! Trees over equal values and sparse matrices by kernels, against those of the processor.

use zeroset::primitives::{Csr, Leaf, Tree};

use super::layouts::histopyramid::{MOST_LEVELS, TreeArgument};
use super::library::{Launch, Library, arg};

const BLOCK: u32 = 256;
/// The leaves of the kernels, launched as `DeviceTree` does.
fn leaves<T: 'static>(library: &Library, shape: [u32; 3], values: &[T]) -> Vec<Leaf> {
    let fan = if shape[2] > 1 { 8 } else { 4 };
    let above = |s: [u32; 3]| {
        [s[0].div_ceil(2), s[1].div_ceil(2), if fan == 8 { s[2].div_ceil(2) } else { s[2] }]
    };
    let launch = |kernel: &str, grid: u32, args: &[super::library::Arg]| {
        let how = Launch { seed: 1, ..Launch::new(grid, BLOCK) };
        // SAFETY: a slot for each cell, and room for all leaves.
        unsafe { library.launch(kernel, &how, args) }.unwrap();
    };
    let mut levels: Vec<([u32; 3], Vec<u32>)> = Vec::new();
    let mut cells = above(shape);
    loop {
        let records = above(cells);
        let mut counts = vec![77_u32; (records.iter().product::<u32>() * fan) as usize];
        let below = levels.last().map_or(std::ptr::null(), |(_, counts)| counts.as_ptr());
        let args = [
            arg(values.as_ptr()),
            arg(shape),
            arg(below),
            arg(cells),
            arg(levels.len() as u32 + 1),
            arg(records),
            arg(counts.as_mut_ptr()),
        ];
        launch("tree_level", (counts.len() as u32).div_ceil(BLOCK), &args);
        levels.push((records, counts));
        if cells == [1; 3] {
            break;
        }
        cells = records;
    }
    let n = levels[levels.len() - 1].1[0];
    let mut tree = TreeArgument {
        counts: [0; MOST_LEVELS],
        records: [[0; 3]; MOST_LEVELS],
        base: shape,
        n_levels: levels.len() as u32,
    };
    for (k, (records, counts)) in levels.iter().enumerate() {
        (tree.counts[k], tree.records[k]) = (counts.as_ptr() as u64, *records);
    }
    let mut found = vec![0_u32; 4 * n as usize];
    launch("tree_leaves", n.div_ceil(BLOCK), &[arg(tree), arg(n), arg(found.as_mut_ptr())]);
    let leaf = |&[x, y, z, level]: &[u32; 4]| Leaf { cell: [x, y, z], level };
    found.as_chunks().0.iter().map(leaf).collect()
}

#[test]
fn trees_have_the_leaves_of_the_processor() {
    let compile = |value: &'static str| {
        let kernels = ["tree_level", "tree_leaves"];
        ["FAN=4", "FAN=8"]
            .map(|fan| Library::compile("kernels/primitives/tree.cu", &[fan, value], &kernels))
    };
    let whole = compile("VALUE=u8");
    let real = compile("VALUE=float");
    for shape in [[1, 1, 1], [4, 4, 1], [9, 14, 1], [33, 2, 1], [5, 3, 9], [16, 16, 16], [1, 7, 2]]
    {
        let n: u32 = shape.iter().product();
        for kind in 0..3 {
            let value = |k: u32| match kind {
                0 => 7,
                1 => k as u8,
                _ => u8::from(k % shape[0] > 3) + u8::from(k / shape[0] % shape[1] > 4) * 2,
            };
            let values: Vec<u8> = (0..n).map(value).collect();
            let expected = Tree::new(shape.map(|n| n as usize), &values).unwrap().leaves().unwrap();
            let of_volumes = usize::from(shape[2] > 1);
            assert_eq!(leaves(&whole[of_volumes], shape, &values), expected, "{shape:?} {kind}");
            // Zeros of both signs are equal, what is no number is equal to nothing.
            let number = |(k, &value): (usize, &u8)| match value {
                7 if k % 5 == 0 => f32::NAN,
                0 if k % 2 == 1 => -0.0,
                value => f32::from(value),
            };
            let values: Vec<f32> = values.iter().enumerate().map(number).collect();
            let expected = Tree::new(shape.map(|n| n as usize), &values).unwrap().leaves().unwrap();
            assert_eq!(leaves(&real[of_volumes], shape, &values), expected, "{shape:?} {kind}");
        }
    }
}

#[test]
fn matrices_have_the_entries_of_the_processor() {
    let kernels = ["sparse_mark", "sparse_entries", "sparse_offsets"];
    let library = Library::compile("kernels/primitives/sparse.cu", &["VALUE=float"], &kernels);
    for shape in [[1_usize, 1], [3, 0], [1, 200], [200, 1], [17, 65]] {
        let n = shape[0] * shape[1];
        let dense: Vec<f32> = (0..n).map(|k| if k % 3 == 1 { k as f32 } else { -0.0 }).collect();
        let expected = Csr::from_dense(shape, &dense, |x| x != 0.0).unwrap();
        let launch = |kernel: &str, args: &[super::library::Arg]| {
            let how = Launch { seed: 2, ..Launch::new(2, BLOCK) };
            // SAFETY: a place for each number, entry and row.
            unsafe { library.launch(kernel, &how, args) }.unwrap();
        };
        let mut marks = vec![2_u8; n];
        let args = [arg(dense.as_ptr()), arg(n as u64), arg(marks.as_mut_ptr())];
        launch("sparse_mark", &args);
        let numbers: Vec<u32> =
            (0..).zip(&marks).filter(|(_, m)| **m == 1).map(|(k, _)| k).collect();
        let m = numbers.len();
        let (mut rows, mut columns) = (vec![0_u32; m], vec![0_u32; m]);
        let (mut values, mut offsets) = (vec![0_f32; m], vec![0_u32; shape[0] + 1]);
        let args = [
            arg(dense.as_ptr()),
            arg(numbers.as_ptr()),
            arg(m as u32),
            arg(shape[1] as u32),
            arg(rows.as_mut_ptr()),
            arg(columns.as_mut_ptr()),
            arg(values.as_mut_ptr()),
        ];
        launch("sparse_entries", &args);
        let args = [
            arg(numbers.as_ptr()),
            arg(m as u32),
            arg(shape[0] as u32),
            arg(shape[1] as u32),
            arg(offsets.as_mut_ptr()),
        ];
        launch("sparse_offsets", &args);
        assert_eq!(Csr { offsets: offsets.clone(), columns, values }, expected, "{shape:?}");
        for (row, ends) in offsets.windows(2).enumerate() {
            assert!(rows[ends[0] as usize..ends[1] as usize].iter().all(|&r| r as usize == row));
        }
    }
}
