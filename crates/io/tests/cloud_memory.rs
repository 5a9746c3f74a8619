//! Checks that writing a large cloud takes only the memory of a few pieces of the file, and that
//! reading it takes little more memory than the cloud itself.

use zeroset_core::cloud::PointCloud;
use zeroset_io as io;
use zeroset_io::vtk::Compression;
use zeroset_testing::heap::Meter;

#[global_allocator]
static METER: Meter = Meter::new();

/// The memory in bytes for a few pieces of the file and their decoded points.
const PIECES: u64 = 100 << 20;

#[test]
fn a_cloud_is_read_in_little_more_memory_than_it_takes() {
    const N: u32 = 6_000_000;
    let folder = tempfile::tempdir().unwrap();
    let point = |k: u32| [0.1 * f64::from(k % 1_000), f64::from(k / 1_000), 7.25];
    let pieces = || {
        (0..60).map(|piece| {
            let points: Vec<[f64; 3]> = (0..N / 60).map(|k| point(piece * (N / 60) + k)).collect();
            PointCloud {
                normals: Some(vec![[0.0, 0.6, 0.8]; points.len()]),
                points,
                ..PointCloud::default()
            }
        })
    };
    let layout = io::CloudLayout { n: N.into(), normals: true, colors: false };
    for name in ["a.ply", "a.pcd", "a.xyz"] {
        let path = folder.path().join(name);
        let held = METER.held();
        let (done, most) = METER
            .peak_during(|| io::write_cloud_pieces(&path, layout, pieces(), Compression::None));
        done.unwrap();
        let written = most - held;
        assert!(written < PIECES, "{name}: {written} bytes to write");
        let (read, most) = METER.peak_during(|| io::read_cloud(&path));
        let ((cloud, _), taken) = (read.unwrap(), most - held);
        assert!(cloud.len() == N as usize && cloud.points[5_999_999] == point(5_999_999));
        let least = u64::from(N) * 36;
        println!("{name}: {} MiB for a cloud of {} MiB", taken >> 20, least >> 20);
        assert!(taken < least + least / 8 + PIECES, "{name}: {taken} of {least}");
        std::fs::remove_file(path).unwrap();
    }
}
