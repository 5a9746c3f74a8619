//! Scan, sort, gathering and Hilbert keys against their twins, with blocks in every order.

use zeroset::gpu::primitives::hilbert::LatticeArgument;
use zeroset::primitives::{GatherMatrix, hilbert};

use super::library::{Arg, Launch, Library, arg};

const BLOCK: u32 = 256;

/// Numbers without order.
fn scattered(n: usize) -> impl Iterator<Item = u32> {
    (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k)
}

/// Launches with several blocks at a time, in an order of their own.
fn launch(library: &Library, kernel: &str, grid: u32, seed: u64, args: &[Arg]) {
    let block = if kernel.starts_with("sort_") { 2 * BLOCK } else { BLOCK };
    let launch = Launch { resident: grid.min(4), seed, ..Launch::new(grid, block) };
    // SAFETY: the tests below hand over arrays of the sizes that the kernels ask for.
    unsafe { library.launch(kernel, &launch, args) }.unwrap();
}

#[test]
fn scans_give_the_sums_of_what_stands_before() {
    const TILE: usize = 8192;
    let library = Library::compile("kernels/primitives/scan.cu", &[], &["scan_exclusive"]);
    for (seed, n) in
        [0, 1, 31, TILE - 1, TILE, TILE + 1, 5 * TILE, 40 * TILE + 77].into_iter().enumerate()
    {
        let values: Vec<u32> = scattered(n).collect();
        let mut sums = vec![u32::MAX; n + 2];
        let tiles = n.div_ceil(TILE).max(1);
        let (mut told, mut taken) = (vec![0u64; tiles], 0u32);
        let args = [
            arg(values.as_ptr()),
            arg(sums.as_mut_ptr()),
            arg(n as u32),
            arg(told.as_mut_ptr()),
            arg(&raw mut taken),
        ];
        launch(&library, "scan_exclusive", tiles as u32, seed as u64, &args);
        let mut expected = vec![0u32];
        for value in values {
            expected.push(expected[expected.len() - 1].wrapping_add(value));
        }
        expected.push(u32::MAX);
        assert!(sums == expected, "{n} values");
    }
}

/// Sorts by the kernels as the launch functions do, tiles telling each other counts in words of so many 32 bits: keys, values.
fn sorted<K: Copy + Default + 'static>(
    (library, words): &(Library, usize),
    keys: &[K],
    passes: u32,
) -> (Vec<K>, Vec<u32>) {
    let tile = if size_of::<K>() == 4 { 7168 } else { 4096 };
    let (n, tiles) = (keys.len() as u32, keys.len().div_ceil(tile));
    let mut counts = vec![0u32; passes as usize * 256];
    let args = [arg(keys.as_ptr()), arg(n), arg(passes), arg(counts.as_mut_ptr())];
    launch(library, "sort_count", 3, 1, &args);
    launch(library, "sort_places", passes, 2, &[arg(counts.as_mut_ptr())]);
    let (mut from, mut values) = (keys.to_vec(), Vec::new());
    for pass in 0..passes {
        let (mut into, mut moved) = (vec![K::default(); keys.len()], vec![0u32; keys.len()]);
        let (mut told, mut taken) = (vec![0u64; words * tiles * 128], 0u32);
        let old_values = if pass == 0 { std::ptr::null() } else { values.as_ptr() };
        let args = [
            arg(from.as_ptr()),
            arg(old_values),
            arg(into.as_mut_ptr()),
            arg(moved.as_mut_ptr()),
            arg(n),
            arg(pass),
            arg(counts[pass as usize * 256..].as_ptr()),
            arg(told.as_mut_ptr()),
            arg(&raw mut taken),
        ];
        launch(library, "sort_pass", tiles as u32, 3 + u64::from(pass), &args);
        (from, values) = (into, moved);
    }
    (from, values)
}

/// The kernels for keys of a type, and the size of the words that tiles tell each other.
fn sort_of(key: &str, words: usize) -> (Library, usize) {
    let told = format!("TOLD=u{}", 32 * words);
    let names = ["sort_count", "sort_places", "sort_pass"];
    (Library::compile("kernels/primitives/sort.cu", &[&format!("KEY={key}"), &told], &names), words)
}

#[test]
fn sorting_is_stable() {
    for words in [1, 2] {
        let library = sort_of("u32", words);
        for n in [1usize, 4096, 6 * 4096 + 5] {
            for bits in [3, 20] {
                let keys: Vec<u32> = scattered(n).map(|k| k >> (32 - bits)).collect();
                let mut expected: Vec<u32> = (0..n as u32).collect();
                expected.sort_by_key(|&k| keys[k as usize]);
                let (found, values) = sorted(&library, &keys, u32::div_ceil(bits, 8));
                assert!(values == expected, "{n} keys of {bits} bits");
                assert!(found.iter().zip(values).all(|(&key, k)| key == keys[k as usize]));
            }
        }
        // The largest key is also what stands for missing ones.
        let (found, values) = sorted(&library, &[u32::MAX, 7, u32::MAX], 4);
        assert_eq!((found, values), (vec![7, u32::MAX, u32::MAX], vec![1, 0, 2]));
    }
}

#[test]
fn hilbert_keys_have_the_same_bits_and_sort() {
    let n = 5003;
    let mut random = scattered(3 * n);
    let mut points: Vec<[f64; 3]> = (0..n)
        .map(|_| [0, 1, 2].map(|_| f64::from(random.next().unwrap()) / 65_536.0 - 3e4))
        .collect();
    let (low, high) = ([-3e4, -3e4, -2.9e4], [3.6e4, 3e4, 3.5e4]);
    // Corners, and what is outside of the box.
    points[0] = low;
    points[1] = high;
    points[2] = [-1e9, 1e9, 0.0];
    let library = Library::compile("kernels/primitives/hilbert.cu", &[], &["hilbert_keys"]);
    let mut keys = vec![0u64; n];
    let lattice = hilbert::Lattice::new(low, high);
    let args = [
        arg(points.as_ptr()),
        arg(n as u32),
        arg(LatticeArgument::from(lattice)),
        arg(keys.as_mut_ptr()),
    ];
    launch(&library, "hilbert_keys", 4, 5, &args);
    for (at, points) in points.chunks(hilbert::LANES).enumerate() {
        let lanes = std::array::from_fn(|k| points[k.min(points.len() - 1)]);
        let expected = lattice.keys(&lanes);
        let found = &keys[at * hilbert::LANES..][..points.len()];
        assert_eq!(found, &expected[..points.len()]);
    }

    let library = sort_of("u64", 2);
    let mut expected: Vec<u32> = (0..n as u32).collect();
    expected.sort_by_key(|&k| keys[k as usize]);
    let (found, values) = sorted(&library, &keys, 8);
    assert!(values == expected && found.is_sorted());
}

#[test]
fn sorted_rows_give_the_gathering_matrix() {
    let kernels = ["gather_keys", "gather_offsets"];
    let gather = Library::compile("kernels/primitives/gather.cu", &[], &kernels);
    let sort = sort_of("u32", 1);
    // Rows without slots, at the ends too; rows that are left out; no slots at all.
    let cases: [(u32, Vec<u32>); 4] = [
        (900, scattered(7000).map(|k| 5 + (k >> 22)).collect()),
        (3, vec![2, 7, 2, 0]),
        (4, vec![9, 9]),
        (70_000, scattered(5000).map(|k| k >> 15).collect()),
    ];
    for (n_rows, rows) in cases {
        let n = rows.len() as u32;
        let mut keys = vec![0u32; rows.len()];
        let args = [arg(rows.as_ptr()), arg(n), arg(n_rows), arg(keys.as_mut_ptr())];
        launch(&gather, "gather_keys", 2, 1, &args);
        let (keys, mut columns) = sorted(&sort, &keys, (32 - n_rows.leading_zeros()).div_ceil(8));
        let mut offsets = vec![u32::MAX; n_rows as usize + 1];
        let args = [arg(keys.as_ptr()), arg(n), arg(n_rows), arg(offsets.as_mut_ptr())];
        launch(&gather, "gather_offsets", 3, 2, &args);
        columns.truncate(offsets[n_rows as usize] as usize);
        assert_eq!(GatherMatrix { offsets, columns }, GatherMatrix::new(n_rows as usize, &rows));
    }
}

/// Bytes of which about one in `every` is 100 or more.
fn bytes(n: usize, every: u32) -> Vec<u8> {
    scattered(n).map(|k| if k % every == 0 { 100 + (k >> 26) as u8 } else { 99 }).collect()
}

/// Memory aligned as the kernels ask for.
fn aligned<T: Copy>(given: &[T]) -> Vec<u128> {
    let mut memory = vec![0_u128; size_of_val(given).div_ceil(16) + 1];
    let from = given.as_ptr().cast::<u8>();
    // SAFETY: the memory holds at least as many bytes, and plain numbers may be copied as bytes.
    unsafe { from.copy_to_nonoverlapping(memory.as_mut_ptr().cast(), size_of_val(given)) };
    memory
}

#[test]
fn compaction_lists_what_a_loop_finds() {
    // Rounds of a block, of bytes; flags of a bit are one more case.
    for (packed, rounds) in [(false, 4_u32), (false, 16), (true, 0)] {
        let tile = if packed { 8192 * 32 } else { rounds as usize * 8192 };
        let kernel = if packed { "compact_bits_list" } else { "compact_flags" };
        let file = if packed { "compact_bits.cu" } else { "compact.cu" };
        let library = Library::compile(&format!("kernels/primitives/{file}"), &[], &[kernel]);
        for n in [0, 1, 33, 1024, tile - 1, tile, tile + 1, 5 * tile + 70] {
            for every in [1, 2, 40, 500, u32::MAX] {
                let bytes = bytes(n, every);
                let expected: Vec<u32> =
                    (0..n as u32).filter(|&k| bytes[k as usize] >= 100).collect();
                // Bits behind the last flag mean nothing.
                let mut words = vec![0_u32; n.div_ceil(32)];
                words
                    .last_mut()
                    .into_iter()
                    .for_each(|word| *word = !((1_u64 << (n % 32)) - 1) as u32);
                if n % 32 == 0 {
                    words.last_mut().into_iter().for_each(|word| *word = 0);
                }
                expected.iter().for_each(|&k| words[k as usize / 32] |= 1 << (k % 32));
                let flags = if packed { aligned(&words) } else { aligned(&bytes) };
                let room = expected.len().saturating_sub(3);
                let mut list = vec![u32::MAX; room + 1];
                let (mut total, mut taken) = (u32::MAX, 0_u64);
                let tiles = n.div_ceil(tile).max(1);
                let mut told = vec![0_u64; tiles];
                let of_bytes = (!packed).then(|| [arg(100_u32), arg(rounds)]);
                let given = [arg(flags.as_ptr()), arg(n as u64)];
                let args: Vec<Arg> = given
                    .into_iter()
                    .chain(of_bytes.into_iter().flatten())
                    .chain([
                        arg(list.as_mut_ptr()),
                        arg(room as u32),
                        arg(&raw mut total),
                        arg(told.as_mut_ptr()),
                        arg(&raw mut taken),
                    ])
                    .collect();
                let shared_bytes = 1056 * rounds;
                let grid = tiles as u32;
                let how = Launch {
                    resident: grid.min(4),
                    seed: n as u64,
                    shared_bytes,
                    ..Launch::new(grid, BLOCK)
                };
                // One launch after the other.
                for _ in 0..2 {
                    list.fill(u32::MAX);
                    // SAFETY: arrays of the sizes that the kernel asks for.
                    unsafe { library.launch(kernel, &how, &args) }.unwrap();
                    assert_eq!(total as usize, expected.len(), "{n} flags, one in {every}");
                    assert!(list[..room] == expected[..room] && list[room] == u32::MAX);
                    assert!(packed || told.iter().all(|&word| word == 0) && taken == 0);
                }
            }
        }
    }
}
