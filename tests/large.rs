//! A planar mesh of 100 million triangles, within the bytes per vertex that docs/patches.md states.
//!
//! It takes about 15 GB and some minutes, so it is run by name:
//! `cargo test --release --test large -- --ignored --nocapture`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use zeroset::backend::Cpu;
use zeroset::levelset::evolution::{Coefficient, Evolution, Options, Terms};
use zeroset::mesh::clean;
use zeroset::mesh::generate::{Generate, Square, generate};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};

/// As in tests/memory.rs.
const MOST: usize = 350;

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

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Says how long the work took, and bytes per vertex at its worst moment.
fn measured<T>(what: &str, n: usize, work: impl FnOnce() -> T) -> T {
    PEAK.store(HELD.load(Ordering::Relaxed), Ordering::Relaxed);
    let start = Instant::now();
    let result = work();
    let bytes = PEAK.load(Ordering::Relaxed) / n;
    println!("{what:<12} {:>7.1} s  {bytes} bytes per vertex", start.elapsed().as_secs_f64());
    assert!(bytes <= MOST, "{what}: {bytes} bytes per vertex");
    result
}

#[test]
#[ignore = "takes 15 GB and some minutes"]
fn a_hundred_million_triangles_run_within_the_memory_stated() {
    let cpu = Arc::new(Cpu::new(0).unwrap());
    let mut square = Square::default();
    square.cells = [7072, 7072];
    let n = 7073 * 7073;
    let mesh = measured("making", n, || cpu.run(|| generate(&Generate::Square(square)).unwrap()));
    assert_eq!((mesh.n_vertices(), mesh.n_cells()), (n, 2 * 7072 * 7072));
    assert!(mesh.n_cells() > 100_000_000);
    let mesh = measured("cleaning", n, || cpu.run(|| clean(mesh).unwrap().0));
    let patches = measured("cutting", n, || {
        Arc::new(cpu.run(|| Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap()))
    });
    let phi: Vec<f64> =
        mesh.vertices.iter().map(|x| (x[0] - 0.5).hypot(x[1] - 0.5) - 0.25).collect();
    let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
    let options = Options::new(Some(5.0 / 7072.0));
    let mut evolution = measured("setting up", n, || {
        Evolution::<f64>::new(cpu, &mesh, patches, &phi, &terms, options).unwrap()
    });
    drop(phi);
    let time = measured("10 steps", n, || {
        for _ in 0..10 {
            evolution.step(f64::INFINITY).unwrap();
        }
        evolution.time()
    });
    assert!(time > 0.0);
    // R^2 = R0^2 - 2 t: a radius that has shrunk by less than a cell.
    let row = 7073 * 3536;
    let phi = measured("reading phi", n, || evolution.phi());
    let zero = phi[row..row + 7073].windows(2).filter(|w| (w[0] < 0.0) != (w[1] < 0.0)).count();
    assert_eq!(zero, 2, "the line through the middle meets the circle twice");
}
