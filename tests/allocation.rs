//! Tests that time steps, including their reinitializations, allocate no memory after the start.
//! The evaluation of expressions on blocks of a grid must not allocate any either.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use zeroset::Cpu;
use zeroset::expression::{Expression, Field, Lattice};
use zeroset::levelset::evolution::{Coefficient, CurvatureStep, Evolution, Options, Rule, Terms};
use zeroset::mesh::generate::{Cube, Generate, Square, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{Partition, Patches};

/// An allocator that counts requests and records the largest one while it is switched on.
struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

fn note(size: usize) {
    if ON.load(Ordering::Relaxed) {
        REQUESTS.fetch_add(1, Ordering::Relaxed);
        LARGEST.fetch_max(size, Ordering::Relaxed);
    }
}

// SAFETY: every request is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller upholds the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the caller upholds the contract of `GlobalAlloc::realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of allocation requests during the first 120 steps, the size of the largest
/// one, and the number of reinitializations among the steps.
fn measure(mesh: &Mesh, threads: usize, terms: &Terms, options: &Options) -> (usize, usize, u64) {
    let cpu = Arc::new(Cpu::new(threads).unwrap());
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, 64).unwrap());
    let phi: Vec<f64> =
        mesh.vertices.iter().map(|x| (x[0] - 0.5).hypot(x[1] - 0.5).hypot(x[2]) - 0.25).collect();
    cpu.clone().run(|| {
        let mut run =
            Evolution::<f64>::new(cpu, mesh, patches, &phi, terms, options.clone()).unwrap();
        let mut steps = |n: usize| {
            for _ in 0..n {
                run.step(2e-3).unwrap();
            }
            run.totals().reinitializations
        };
        let before = steps(0);
        REQUESTS.store(0, Ordering::Relaxed);
        LARGEST.store(0, Ordering::Relaxed);
        ON.store(true, Ordering::Relaxed);
        let after = steps(120);
        ON.store(false, Ordering::Relaxed);
        let (requests, largest) =
            (REQUESTS.load(Ordering::Relaxed), LARGEST.load(Ordering::Relaxed));
        (requests, largest, after - before)
    })
}

fn field(text: &str) -> Field {
    let expression = Expression::parse(text).unwrap_or_else(|_| panic!("{text}"));
    Field::bind(&expression, |name| panic!("no array {name}")).unwrap()
}

/// Returns the number of allocation requests while 100 blocks are evaluated, after a first block.
fn requests_of_blocks() -> usize {
    let texts = ["sin(pi*x)^2*sin(2*pi*y)*t", "if(x > z, y, exp(-z))"];
    let lattice = Lattice::bind(&texts.map(|text| text.parse().unwrap())).unwrap();
    let axis: Vec<f64> = (0..8).map(f64::from).collect();
    let mut values = vec![0.0f32; 2 * 512];
    let mut block = |t: f64| lattice.evaluate_into([&axis; 3].map(|a| &a[..]), t, &mut values);
    block(0.0);
    REQUESTS.store(0, Ordering::Relaxed);
    ON.store(true, Ordering::Relaxed);
    (0..100).for_each(|k| block(f64::from(k)));
    ON.store(false, Ordering::Relaxed);
    REQUESTS.load(Ordering::Relaxed)
}

// This file has only one test, because allocation requests of other tests would also be counted.
#[test]
fn steps_and_blocks_take_no_memory() {
    assert_eq!(requests_of_blocks(), 0);
    let mut square = Square::default();
    square.cells = [96, 96];
    let square = clean(generate(&Generate::Square(square)).unwrap()).unwrap().0;
    let mut cube = Cube::default();
    cube.cells = [14; 3];
    let cube = clean(generate(&Generate::Cube(cube)).unwrap()).unwrap().0;
    let turn = [field("0.5-y+0*t"), field("x-0.5"), field("0")];
    let all = Terms::default()
        .with_inflow(field("1 + 0*t"))
        .with_velocity(Coefficient::Varying(turn))
        .with_normal_speed(Coefficient::Varying([field("0.5*cos(30*t)")]))
        .with_curvature(Coefficient::Uniform([0.02]));
    for (name, mesh) in [("triangles", &square), ("tetrahedra", &cube)] {
        for step in [CurvatureStep::Explicit, CurvatureStep::Implicit, CurvatureStep::Extrapolated]
        {
            let options = Options::new(Some(0.06));
            let options = options.with_curvature_step(step).with_rule(Rule::Every(20));
            let (requests, largest, reinitializations) = measure(mesh, 1, &all, &options);
            assert!(reinitializations > 0, "{name}, {step:?}: no reinitialization among the steps");
            assert_eq!(
                requests, 0,
                "{name}, {step:?}: {requests} requests, {largest} bytes at most"
            );
            let (_, largest, _) = measure(mesh, 2, &all, &options);
            assert!(largest <= 4096, "{name}, {step:?}: {largest} bytes with two threads");
        }
    }
}
