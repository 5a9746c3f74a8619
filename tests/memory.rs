//! How much memory a triangle mesh takes at run time, counted by the allocator (docs/patches.md).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zeroset::backend::Cpu;
use zeroset::levelset::eikonal::{EikonalState, Slowness, solve};
use zeroset::levelset::evolution::{Coefficient, CurvatureStep, Evolution, Options, Terms};
use zeroset::mesh::clean;
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::patches::{Coordinates, PATCH_SIZE, Partition, Patches};

/// Bytes per vertex of a triangle mesh in f64 that no stage may exceed, the mesh itself included.
const MOST: usize = 350;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn add(n: usize) {
    let held = HELD.fetch_add(n, Ordering::Relaxed) + n;
    PEAK.fetch_max(held, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of `work`; bytes above `start` held at the worst moment of it, per vertex.
fn peak<T>(start: usize, n: usize, work: impl FnOnce() -> T) -> (T, usize) {
    PEAK.store(HELD.load(Ordering::Relaxed), Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed).saturating_sub(start) / n)
}

/// The only test of this file: another one at the same time would be counted, too.
#[test]
fn a_triangle_mesh_takes_at_most_350_bytes_per_vertex() {
    let cpu = Arc::new(Cpu::new(2).unwrap());
    cpu.run(|| rayon::join(|| (), || ()));
    let start = HELD.load(Ordering::Relaxed);
    let mut spec = Sphere::default();
    (spec.irregular, spec.vertices, spec.radius) = (true, Some(60_000), 100.0);
    let stored = generate(&Generate::Sphere(spec)).unwrap();
    let n = stored.n_vertices();

    let (mesh, cleaning) = peak(start, n, || cpu.run(|| clean(stored).unwrap().0));
    let partition = || Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap();
    let (patches, cutting) = peak(start, n, || Arc::new(cpu.run(partition)));
    let (_, distance) = peak(start, n, || {
        let coordinates = Arc::new(Coordinates::<f64>::new(&mesh, &patches));
        let mut state = EikonalState::new(patches.clone(), coordinates, Slowness::Uniform(1.0));
        state.seed(&[(0, 0.0)]);
        solve(&cpu, &mut state, None);
        state.u_in_mesh_order()
    });
    let phi: Vec<f64> = mesh.vertices.iter().map(|x| x[2] - 10.0).collect();
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]))
        .with_normal_speed(Coefficient::Uniform([1e-3]))
        .with_curvature(Coefficient::Uniform([1e-3]));
    let evolve = |options: Options| {
        let (cpu, patches) = (cpu.clone(), patches.clone());
        let mut evolution =
            Evolution::<f64>::new(cpu, &mesh, patches, &phi, &terms, options).unwrap();
        (0..3).for_each(|_| {
            evolution.step(1e-9).unwrap();
        });
        evolution.reinitialize();
    };
    let (_, whole) = peak(start, n, || evolve(Options::new(None)));
    let (_, band) = peak(start, n, || evolve(Options::new(Some(5.0))));
    let implicit = Options::new(None).with_curvature_step(CurvatureStep::Implicit);
    let (_, implicit) = peak(start, n, || evolve(implicit));

    let all = [cleaning, cutting, distance, whole, band, implicit];
    println!("cleaning, cutting, distance, whole, band, implicit: {all:?} bytes per vertex");
    assert!(all.iter().all(|&bytes| bytes <= MOST), "bytes per vertex: {all:?}");
    // A counter that counts nothing would pass, too: the mesh alone takes 48.
    assert!(all.iter().all(|&bytes| bytes > 48), "bytes per vertex: {all:?}");
}
