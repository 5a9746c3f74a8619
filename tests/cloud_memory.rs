//! Reading a large cloud takes the memory of the cloud and a few pieces of the file.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use zeroset::cloud::PointCloud;
use zeroset::io;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Pieces of a file and what is decoded of them.
const PIECES: usize = 100 << 20;

#[test]
fn a_cloud_is_read_in_little_more_memory_than_it_takes() {
    const N: u32 = 6_000_000;
    let folder = tempfile::tempdir().unwrap();
    let point = |k: u32| [0.1 * f64::from(k % 1_000), f64::from(k / 1_000), 7.25];
    let pieces = || {
        (0..60).map(|piece| {
            let points: Vec<[f64; 3]> = (0..N / 60).map(|k| point(piece * (N / 60) + k)).collect();
            PointCloud { normals: Some(vec![[0.0, 0.6, 0.8]; points.len()]), points, colors: None }
        })
    };
    let layout = io::CloudLayout { n: N.into(), normals: true, colors: false };
    for name in ["a.ply", "a.pcd", "a.xyz"] {
        let path = folder.path().join(name);
        let held = HELD.load(Ordering::Relaxed);
        PEAK.store(held, Ordering::Relaxed);
        io::write_cloud_pieces(&path, layout, pieces()).unwrap();
        let written = PEAK.load(Ordering::Relaxed) - held;
        assert!(written < PIECES, "{name}: {written} bytes to write");
        PEAK.store(held, Ordering::Relaxed);
        let (cloud, _) = io::read_cloud(&path).unwrap();
        let taken = PEAK.load(Ordering::Relaxed) - held;
        assert!(cloud.len() == N as usize && cloud.points[5_999_999] == point(5_999_999));
        let least = N as usize * 36;
        println!("{name}: {} MiB for a cloud of {} MiB", taken >> 20, least >> 20);
        assert!(taken < least + least / 8 + PIECES, "{name}: {taken} of {least}");
        std::fs::remove_file(path).unwrap();
    }
}
