//! Tests the memory of the level-set reconstruction, as counted by the allocator, against the
//! estimate that is made before its first step (docs/potential.md).

use zeroset::io;
use zeroset::reconstruct::potential::{Options, reconstruct};
use zeroset::surface::Gaps;
use zeroset_testing::heap::Meter;
use zeroset_testing::samples;

#[global_allocator]
static METER: Meter = Meter::new();

/// This file has only one test, because the memory of other tests would also be counted.
#[test]
fn what_is_expected_is_what_is_taken_for_dense_and_for_sparse_clouds() {
    let Some(path) = zeroset_testing::data("scans/horse.ply") else { return };
    let horse = io::read_mesh(&path).unwrap().mesh;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // The dense cloud has 40 samples per tile that the horse passes through. The sparse cloud has
    // one sample per 9 tiles.
    let dense = samples::of_mesh(&horse, 60_000, 1);
    let sparse = samples::of_mesh(&horse, 700, 2);
    let few = samples::of_ball(40, [0.0; 3], 1.0);
    for (points, depth) in [(&dense, 7), (&sparse, 8), (&few, 6)] {
        let held = METER.held();
        let ((gaps, levels), most) = METER.peak_during(|| {
            pool.install(|| {
                let (mesh, levels) = reconstruct(points, &Options::of_depth(depth)).unwrap();
                (Gaps::new(&mesh, points), levels)
            })
        });
        assert!(gaps.is_some());
        let part = levels.expected_bytes as f64 / (most - held) as f64;
        println!("{} samples: {part:.2} of {} KiB", points.len(), (most - held) >> 10);
        assert!((1.0..2.4).contains(&part), "{part}: {levels:?}");
    }
}
