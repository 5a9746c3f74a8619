//! Tests the shim itself: it computes the same results as a GPU, and it reports faulty kernels.

use std::ptr::from_mut;
use std::sync::LazyLock;

use crate::library::{Arg, Launch, Library, arg};

const BLOCK: u32 = 64;
const SEEDS: u64 = 20;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let kernels = [
        "sum_static",
        "sum_dynamic",
        "sum_without_barrier",
        "two_barriers",
        "half_a_warp",
        "words",
        "foreign_mask",
        "atomics",
        "total_of_blocks",
        "beyond",
        "endless",
    ];
    Library::compile("tests/kernels/shim.cu", &["REAL=double", "CELL_SIZE=3"], &kernels)
});

/// Runs a kernel. All pointers must be valid.
fn launch(kernel: &str, how: Launch, args: &[Arg]) -> Result<(), String> {
    // SAFETY: every test passes pointers to arrays that are large enough for everything that its
    // kernel reads and writes.
    unsafe { LIBRARY.launch(kernel, &how, args) }
}

/// Returns the number of seeds for which the sums of four blocks are correct.
fn right_sums(kernel: &str, shared_bytes: u32, resident: u32) -> usize {
    let x: Vec<f64> = (0..4 * BLOCK).map(|i| f64::from(i * i)).collect();
    let expected: Vec<f64> = x.chunks(BLOCK as usize).map(|x| x.iter().sum()).collect();
    (0..SEEDS)
        .filter(|&seed| {
            let mut out = [0.0; 4];
            let how = Launch { shared_bytes, resident, seed, ..Launch::new(4, BLOCK) };
            let args = [arg(x.as_ptr()), arg(out.as_mut_ptr())];
            launch(kernel, how, &args).unwrap();
            out[..] == expected
        })
        .count()
}

#[test]
fn sums_over_blocks_are_right_in_every_order() {
    for resident in [1, 3] {
        assert_eq!(right_sums("sum_static", 0, resident), SEEDS as usize);
        assert_eq!(right_sums("sum_dynamic", BLOCK * 8, resident), SEEDS as usize);
    }
}

#[test]
fn a_missing_barrier_is_found() {
    assert_eq!(right_sums("sum_without_barrier", BLOCK * 8, 1), 0);
}

/// Runs a kernel in a block of 64 threads, with one word of shared memory per thread, and returns
/// the reported fault.
fn fault(kernel: &str) -> String {
    let mut out = [0u32; BLOCK as usize + 1];
    let how = Launch { shared_bytes: BLOCK * 4, ..Launch::new(1, BLOCK) };
    launch(kernel, how, &[arg(out.as_mut_ptr())]).unwrap_err()
}

#[test]
fn threads_at_different_barriers_are_found() {
    let found = fault("two_barriers");
    assert!(found.contains("wait at") && found.contains("shim.cu:"), "{found}");
}

#[test]
fn threads_that_wait_for_ever_are_found() {
    let found = fault("half_a_warp");
    assert!(found.contains("stuck") && found.contains("16 of 32 threads"), "{found}");
    let found = fault("endless");
    assert!(found.contains("no end"), "{found}");
}

#[test]
fn lanes_outside_of_their_mask_are_found() {
    let found = fault("foreign_mask");
    assert!(found.contains("is not in the mask 0xff"), "{found}");
}

#[test]
fn writes_beyond_shared_memory_are_found() {
    let found = fault("beyond");
    assert!(found.contains("beyond its 256 bytes"), "{found}");
}

#[test]
fn arguments_are_counted_and_measured() {
    let short = launch("sum_static", Launch::new(1, BLOCK), &[arg(0u64)]).unwrap_err();
    assert_eq!(short, "1 arguments instead of 2");
    let args = [arg(0u64), arg(0u32)];
    let narrow = launch("sum_static", Launch::new(1, BLOCK), &args).unwrap_err();
    assert_eq!(narrow, "argument 1 has 4 bytes instead of 8");
}

#[test]
fn words_of_warps_and_blocks_mean_what_they_do_on_a_device() {
    let n = BLOCK as usize;
    let words: [fn(u32) -> u32; 12] = [
        |t| (0..32).filter(|i| (t / 32 * 32 + i) % 3 == 0).map(|i| 1 << i).sum(),
        |t| t / 32 * 32 + 5,
        |t| if t % 32 < 2 { t } else { t - 2 },
        |t| if t % 32 >= 29 { t } else { t + 3 },
        |t| t ^ 8,
        |t| u32::from(t >= 32),
        |t| u32::from(t < 32),
        |_| 40,
        |_| 1,
        |_| 0,
        |t| if t < 56 { t ^ 4 } else { 0 },
        |t| if t < 56 { 0xaa << (t % 32 / 8 * 8) } else { 0 },
    ];
    for seed in 0..SEEDS {
        let mut out = vec![0u32; words.len() * n];
        let how = Launch { seed, ..Launch::new(1, BLOCK) };
        launch("words", how, &[arg(out.as_mut_ptr())]).unwrap();
        for (w, (found, word)) in out.chunks(n).zip(words).enumerate() {
            let expected: Vec<u32> = (0..BLOCK).map(word).collect();
            assert_eq!(found, expected, "word {w}, seed {seed}");
        }
    }
}

#[test]
fn atomics_lose_nothing() {
    for resident in [1, 4] {
        let (mut sum, mut halves, mut least, mut most, mut swapped) =
            (0u32, 0f64, !0u64, 0u32, 0u32);
        let args = [
            arg(from_mut(&mut sum)),
            arg(from_mut(&mut halves)),
            arg(from_mut(&mut least)),
            arg(from_mut(&mut most)),
            arg(from_mut(&mut swapped)),
        ];
        let how = Launch { resident, ..Launch::new(4, BLOCK) };
        launch("atomics", how, &args).unwrap();
        assert_eq!((sum, halves, least, most, swapped), (255 * 128, 128.0, 7, 255, 512));
    }
}

#[test]
fn blocks_wait_for_each_other_only_where_all_are_there() {
    let run = |resident, seed| {
        let (mut arrived, mut total, mut out) = (0u32, 0u32, vec![0u32; 4 * BLOCK as usize]);
        let args = [arg(from_mut(&mut arrived)), arg(from_mut(&mut total)), arg(out.as_mut_ptr())];
        let how = Launch { resident, seed, ..Launch::new(4, BLOCK) };
        launch("total_of_blocks", how, &args).map(|()| out)
    };
    for seed in 0..SEEDS {
        let out = run(4, seed).unwrap();
        let expected = |(i, &found): (usize, &u32)| found == 1000 + i as u32 / BLOCK + 1;
        assert!(out.iter().enumerate().all(expected), "seed {seed}");
    }
    assert!(run(1, 0).unwrap_err().contains("no end"));
}
