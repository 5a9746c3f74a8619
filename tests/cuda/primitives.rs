//! Tests that scans, sorts, lists, pyramids, gather matrices and Hilbert orders match those
//! computed on the CPU.

use zeroset::gpu::Cuda;
use zeroset::gpu::primitives::{
    Compactor, DeviceCoo, DeviceCsr, DeviceGatherMatrix, DeviceGrid, DeviceHistoPyramid,
    DeviceTree, Key, Set, Value, compact, exclusive_scan, sort,
};
use zeroset::mesh::Mesh;
use zeroset::patches::{Partition, Patches};
use zeroset::primitives::{
    Coo, Csr, Flags, GatherMatrix, HistoPyramid, Order, Stored, Threshold, Tree,
};

use crate::support;

/// Sizes around multiples of the items per block, and one with many blocks.
const SIZES: [usize; 11] = [0, 1, 255, 4095, 4096, 4097, 8191, 8192, 8193, 100_000, 3_000_001];

/// Returns scattered numbers.
fn scattered(n: usize) -> Vec<u32> {
    (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k).collect()
}

#[test]
fn scans_give_the_sums_of_what_stands_before() {
    let Some(cuda) = support::cuda() else { return };
    scans(&cuda, &SIZES);
}

fn scans(cuda: &Cuda, sizes: &[usize]) {
    for &n in sizes {
        let values = scattered(n);
        let sums = exclusive_scan(cuda, &cuda.upload(&values).unwrap()).unwrap();
        let mut expected = vec![0u32];
        for value in values {
            expected.push(expected[expected.len() - 1].wrapping_add(value));
        }
        assert!(cuda.download(&sums).unwrap() == expected, "{n} values");
    }
}

fn sorts<K: Key + Ord + std::fmt::Debug>(
    cuda: &Cuda,
    bits: u32,
    sizes: &[usize],
    key: impl Fn(u32) -> K,
) {
    for &n in sizes {
        let keys: Vec<K> = scattered(n).into_iter().map(&key).collect();
        let on_gpu = cuda.upload(&keys).unwrap();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&k| keys[k as usize]);
        let sorted = sort(cuda, &on_gpu, None, bits).unwrap();
        assert!(cuda.download(&sorted.values).unwrap() == order, "{n} keys of {bits} bits");
        let expected: Vec<K> = order.iter().map(|&k| keys[k as usize]).collect();
        assert!(cuda.download(&sorted.keys).unwrap() == expected, "{n} keys of {bits} bits");

        let values: Vec<u32> = scattered(n).into_iter().rev().collect();
        let sorted = sort(cuda, &on_gpu, Some(&cuda.upload(&values).unwrap()), bits).unwrap();
        let expected: Vec<u32> = order.iter().map(|&k| values[k as usize]).collect();
        assert!(cuda.download(&sorted.values).unwrap() == expected, "{n} keys of {bits} bits");
    }
}

#[test]
fn sorting_is_stable() {
    let Some(cuda) = support::cuda() else { return };
    for bits in [1, 8, 20, 32] {
        sorts(&cuda, bits, &SIZES, |k| k >> (32 - bits));
    }
    for bits in [12, 33, 64] {
        let wide = |k: u32| u64::from(k) << 32 | u64::from(k.wrapping_mul(40_503));
        sorts(&cuda, bits, &SIZES, |k| wide(k) >> (64 - bits));
    }
}

#[test]
fn gathering_matrices_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    gathers(&cuda, &SIZES, &[1, 300, 70_000]);
}

fn gathers(cuda: &Cuda, sizes: &[usize], n_rows: &[u32]) {
    for &n in sizes {
        for &n_rows in n_rows {
            // Every fourth slot belongs to no row.
            let rows: Vec<u32> = scattered(n)
                .into_iter()
                .map(|k| if k % 4 == 0 { u32::MAX - k % 3 } else { k % n_rows })
                .collect();
            let on_gpu = cuda.upload(&rows).unwrap();
            let matrix = DeviceGatherMatrix::new(cuda, n_rows, &on_gpu).unwrap();
            let expected = GatherMatrix::new(n_rows as usize, &rows);
            assert!(matrix.download(cuda).unwrap() == expected, "{n} slots of {n_rows} rows");
        }
    }
}

#[test]
fn patches_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let mut far = support::square(40, 0.0);
    // This vertex is so far away that many others share a position on the Hilbert curve.
    far.vertices[0] = [-1e6, 0.0, 0.0];
    let meshes: [Mesh; 4] =
        [support::square(90, 0.25), support::sphere(5), support::cube(14, 0.15), far];
    for mesh in &meshes {
        for patch_size in [7, 64] {
            patches(&cuda, mesh, patch_size);
        }
    }
    let refused = Patches::new_on(&cuda, &meshes[0], Partition::Hilbert, 0).unwrap_err();
    assert!(refused.to_string().contains("patch_size is 0"));
}

fn patches(cuda: &Cuda, mesh: &Mesh, patch_size: usize) {
    for method in [Partition::Hilbert, Partition::Bisection] {
        let expected = Patches::new(mesh, method, patch_size).unwrap();
        let found = Patches::new_on(cuda, mesh, method, patch_size).unwrap();
        assert!(found.patch_of_vertex() == expected.patch_of_vertex());
        assert!(found.mesh_vertices() == expected.mesh_vertices());
    }
}

/// Returns bytes of which about one in `every` is 100 or more.
fn bytes(n: usize, every: u32) -> Vec<u8> {
    scattered(n)
        .into_iter()
        .map(|k| if k % every == 0 { 100 + (k >> 26) as u8 } else { 99 })
        .collect()
}

#[test]
fn compaction_lists_what_a_loop_finds() {
    let Some(cuda) = support::cuda() else { return };
    let sizes = [0, 1, 15, 16, 1023, 1024, 32_767, 32_768, 32_769, 65_537, 3_000_001];
    compaction(&cuda, &sizes, &[1, 2, 20, 70, 500, u32::MAX]);
    // Each block runs several rounds, and there are more blocks than fit on the GPU at once.
    compaction(&cuda, &[(1 << 27) + 77], &[2, 40, 900]);
}

fn compaction(cuda: &Cuda, sizes: &[usize], densities: &[u32]) {
    for &n in sizes {
        for &every in densities {
            let bytes = bytes(n, every);
            let is_set = |k: &u32| bytes[*k as usize] >= 100;
            let expected: Vec<u32> = (0..n as u32).filter(is_set).collect();
            let mut words = vec![0_u32; n.div_ceil(32)];
            expected.iter().for_each(|&k| words[k as usize / 32] |= 1 << (k % 32));
            let (bytes, words) = (cuda.upload(&bytes).unwrap(), cuda.upload(&words).unwrap());
            for set in [Set::Bytes(&bytes, 100), Set::Bits(&words, n)] {
                let numbers = cuda.download(&compact(cuda, set).unwrap()).unwrap();
                assert!(numbers == expected, "{n} flags, one in {every}");
                let compactor = Compactor::new(cuda, set).unwrap();
                let room = expected.len() / 2;
                let mut some = cuda.upload(&vec![u32::MAX; room]).unwrap();
                for _ in 0..2 {
                    compactor.list(cuda, set, &mut some).unwrap();
                    assert_eq!(compactor.total(cuda).unwrap(), expected.len());
                    assert!(cuda.download(&some).unwrap() == expected[..room]);
                }
            }
        }
    }
}

#[test]
fn pyramids_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let pictures = [[1, 1, 1], [9, 7, 1], [65, 63, 1], [1, 1000, 1], [0, 3, 1]];
    pyramids(&cuda, &pictures);
    pyramids(&cuda, &[[9, 16, 17], [1, 1, 70], [3, 0, 2], [301, 207, 13]]);
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run_of_each() {
    let Some(cuda) = support::cuda() else { return };
    compaction(&cuda, &[0, 1025, 40_001], &[2, 500]);
    pyramids(&cuda, &[[9, 7, 1], [9, 16, 17]]);
    sorts(&cuda, 12, &[1, 15_000], |k| k >> 20);
    sorts(&cuda, 33, &[9_000], |k| u64::from(k) << 1);
    scans(&cuda, &[0, 1, 20_003]);
    gathers(&cuda, &[0, 4097], &[300]);
    patches(&cuda, &support::sphere(2), 64);
    trees(&cuda, &[[9, 7, 1], [5, 3, 4]]);
    matrices::<i32>(&cuda, [3, 2], &[0, 5, 0, 0, 7, 8], |x| x != 0);
}

fn pyramids(cuda: &Cuda, shapes: &[[usize; 3]]) {
    for &shape in shapes {
        for every in [1, 3, 97, u32::MAX] {
            let bytes = bytes(shape.iter().product(), every);
            let flags: Vec<u8> = bytes.iter().map(|&b| u8::from(b >= 100)).collect();
            let cells = cuda.upload(&bytes).unwrap();
            for order in [Order::Blocks, Order::Lines] {
                for stored in [Stored::Sums, Stored::PartialSums] {
                    let flags = Flags::new(shape, &flags);
                    let expected = HistoPyramid::new(&flags, order, stored).unwrap();
                    let values = DeviceGrid::new(shape.map(|n| n as u32), &cells);
                    let above = Threshold { values, low: 100.0 };
                    let found = DeviceHistoPyramid::new(cuda, &above, order, stored);
                    ask(cuda, &found.unwrap(), &expected);
                }
            }
        }
    }
}

/// Compares the results of all queries of two pyramids.
pub fn ask(cuda: &Cuda, found: &DeviceHistoPyramid, expected: &HistoPyramid) {
    const NONE: u32 = DeviceHistoPyramid::NONE;
    let shape = expected.shape();
    let list = expected.list().unwrap();
    let total = list.len();
    assert_eq!(found.len(cuda).unwrap(), total, "{shape:?}");
    assert!(found.list(cuda).unwrap() == list, "{shape:?}");
    let (first, end) = (total / 3, total - total / 4);
    for range in [first..end, first..total + 10, total..total + 1] {
        let cells = cuda.download(&found.cells(cuda, range.clone()).unwrap()).unwrap();
        assert!(cells.iter().copied().eq(expected.cells(range)), "{shape:?}");
    }
    let keys: Vec<u32> = (0..total as u32 + 2).rev().step_by(3).chain([NONE]).collect();
    let cells = found.cell(cuda, &cuda.upload(&keys).unwrap()).unwrap();
    let cell = |&key: &u32| expected.cell(key as usize).unwrap_or([NONE; 3]);
    assert!(cuda.download(&cells).unwrap().into_iter().eq(keys.iter().map(cell)), "{shape:?}");

    let entry = |entry: usize| match expected.entry(entry, 3) {
        Some(([x, y, z], copy)) => [x, y, z, copy as u32],
        None => [NONE; 4],
    };
    let range = 3 * first + 1..3 * total + 9;
    let cloned = cuda.download(&found.entries(cuda, range.clone(), 3).unwrap()).unwrap();
    assert!(cloned.into_iter().eq((range.start..3 * total).map(entry)), "{shape:?}");
    let entries: Vec<u64> = (0..3 * total as u64 + 3).step_by(7).chain([1 << 40]).collect();
    let some = found.entry(cuda, &cuda.upload(&entries).unwrap(), 3).unwrap();
    let wanted = entries.iter().map(|&e| entry(e as usize));
    assert!(cuda.download(&some).unwrap().into_iter().eq(wanted), "{shape:?}");

    let [x, y, z] = shape.map(|n| n as u32);
    let mut cells = vec![[x, 0, 0], [0, y, 0], [0, 0, z], [NONE; 3]];
    let all = x * y * z;
    cells
        .extend((0..all).step_by(1 + all as usize / 5000).map(|n| [n % x, n / x % y, n / (x * y)]));
    let keys = found.key(cuda, &cuda.upload(&cells).unwrap()).unwrap();
    let key = |&cell: &[u32; 3]| expected.key(cell).map_or(NONE, |key| key as u32);
    assert!(cuda.download(&keys).unwrap().into_iter().eq(cells.iter().map(key)), "{shape:?}");

    let mut boxes = vec![[[0; 3], [NONE; 3]], [[5, 0, 0], [5, y, z]], [[NONE; 3]; 2]];
    for k in 0..300 {
        let at = |n: u32, by: u32| k * by % (n + 2);
        let low = [at(x, 7), at(y, 5), at(z, 3)];
        boxes.push([low, [low[0] + at(x, 11), low[1] + at(y, 13), low[2] + at(z, 17)]]);
    }
    // First many boxes, then a few boxes, then none. With few boxes, many warps count the cells of
    // each box.
    for boxes in [boxes.as_slice(), &boxes[290..], &[]] {
        let counts = found.count(cuda, &cuda.upload(boxes).unwrap()).unwrap();
        let wanted = boxes.iter().map(|&[low, high]| expected.count(low, high) as u32);
        assert!(cuda.download(&counts).unwrap().into_iter().eq(wanted), "{shape:?}");
    }
}

#[test]
fn trees_have_the_leaves_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let shapes = [[1, 1, 1], [64, 64, 1], [33, 70, 1], [17, 5, 9], [64, 64, 64], [1, 200, 3]];
    trees(&cuda, &shapes);
}

fn trees(cuda: &Cuda, shapes: &[[usize; 3]]) {
    for &shape in shapes {
        let n: usize = shape.iter().product();
        // The values are all equal, all different, or equal within regions.
        for kind in 0..3 {
            let value = |k: usize| match kind {
                0 => 7,
                1 => k as u16,
                _ => {
                    let [x, y, z] =
                        [k % shape[0], k / shape[0] % shape[1], k / shape[0] / shape[1]];
                    u16::from(x * x + y * y + 3 * z * z < 900) + u16::from(k.is_multiple_of(97))
                }
            };
            let values: Vec<u16> = (0..n).map(value).collect();
            let tree = Tree::new(shape, &values).unwrap();
            let on_gpu = cuda.upload(&values).unwrap();
            let found = DeviceTree::new(cuda, shape.map(|n| n as u32), &on_gpu).unwrap();
            assert_eq!(found.count(cuda).unwrap(), tree.len(), "{shape:?} {kind}");
            assert!(found.leaves(cuda).unwrap() == tree.leaves().unwrap(), "{shape:?} {kind}");
        }
    }
}

#[test]
fn matrices_have_the_entries_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for shape in [[1, 1], [3, 0], [0, 3], [1, 200], [200, 1], [17, 65], [1000, 700]] {
        for every in [1, 3, 1000] {
            let n = shape[0] * shape[1];
            let entry = |k: usize| if k.is_multiple_of(every) { k as f64 + 1.0 } else { 0.0 };
            matrices::<f64>(&cuda, shape, &(0..n).map(entry).collect::<Vec<_>>(), |x| x != 0.0);
            let whole: Vec<i32> = (0..n).map(|k| entry(k) as i32).collect();
            matrices::<i32>(&cuda, shape, &whole, |x| x != 0);
        }
    }
    let dense = cuda.upload(&[1.0_f32; 3]).unwrap();
    let error = DeviceCsr::from_dense(&cuda, [2, 2], &dense).err().unwrap().to_string();
    assert!(error.contains("a matrix of 2 x 2 from 3 numbers"), "{error}");
}

fn matrices<T: Value + PartialEq + std::fmt::Debug>(
    cuda: &Cuda,
    shape: [usize; 2],
    dense: &[T],
    keep: fn(T) -> bool,
) {
    let on_gpu = cuda.upload(dense).unwrap();
    let size = shape.map(|n| n as u32);
    let coo = DeviceCoo::from_dense(cuda, size, &on_gpu).unwrap();
    let found = Coo {
        rows: cuda.download(&coo.rows).unwrap(),
        columns: cuda.download(&coo.columns).unwrap(),
        values: cuda.download(&coo.values).unwrap(),
    };
    assert!(found == Coo::from_dense(shape, dense, keep).unwrap(), "{shape:?}");
    let csr = DeviceCsr::from_dense(cuda, size, &on_gpu).unwrap();
    let found = Csr {
        offsets: cuda.download(&csr.offsets).unwrap(),
        columns: cuda.download(&csr.columns).unwrap(),
        values: cuda.download(&csr.values).unwrap(),
    };
    assert!(found == Csr::from_dense(shape, dense, keep).unwrap(), "{shape:?}");
}
