//! Compares `kernels/eikonal.cu` with the CPU solver. Threads and blocks run in random order.

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::levelset::eikonal::{EikonalState, Front, Slowness, solve};

use crate::layouts::eikonal::EikonalArgument;
use crate::library::{Launch, Library, arg};
use crate::patches::HostPatches;

const BLOCK: u32 = 64;
const BLOCKS: u32 = 4;
const RING: usize = 64;
const SEEDS: u64 = 6;

#[derive(Clone, Copy, PartialEq)]
enum Organization {
    Rounds,
    Queue,
}

impl Organization {
    fn kernel(self) -> &'static str {
        match self {
            Organization::Rounds => "eikonal_rounds",
            Organization::Queue => "eikonal_queue",
        }
    }
}

/// The input of a solve: fixed values, the width up to which values matter, the range of arrival
/// times that is processed first (`near`), and the shape of the front.
struct Task<R> {
    given: Vec<(u32, f64)>,
    width: Option<f64>,
    near: R,
    front: Front,
}

fn compile<R: Real>(arity: usize, organization: Organization, front: Front) -> Library {
    let real = if R::NAME == "f64" { "double" } else { "float" };
    let defines = [
        format!("REAL={real}"),
        format!("CELL_SIZE={arity}"),
        format!("BLOCK={BLOCK}"),
        format!("CIRCULAR={}", u32::from(front == Front::Circular)),
        format!("QUEUED_SOLVE={}", u32::from(organization == Organization::Queue)),
    ];
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let mut kernels = vec!["eikonal_reset", "eikonal_seed", organization.kernel()];
    if front == Front::Plane {
        kernels.push("eikonal_shapes");
    }
    Library::compile("kernels/eikonal.cu", &defines, &kernels)
}

fn state<R: Real>(on: &HostPatches<R>, task: &Task<R>) -> EikonalState<R> {
    let uniform = Slowness::Uniform(R::one());
    let state = EikonalState::new(on.patches.clone(), on.coordinates.clone(), uniform);
    let mut state = state.with_front(task.front).unwrap();
    state.fix(&task.given);
    state
}

/// Returns the values computed by the kernels, in patch order.
fn by_kernels<R: Real>(
    library: &Library,
    on: &HostPatches<R>,
    task: &Task<R>,
    organization: Organization,
    seed: u64,
) -> Vec<R> {
    let (n, p) = (on.patches.n_vertices(), on.patches.len());
    let (largest_local, largest_owned) = on.largest();
    // The sign bit marks a fixed value. All initial values here are fixed.
    let start = state(on, task);
    let stored = start.u().iter().map(|&u| if u < R::INFINITY { -u } else { u });
    let stored: Vec<R> = stored.collect();
    let mut u = [stored.clone(), stored].concat();
    let reach = on.reach();
    let (wake_offsets, wake_vertices, wake_readers) = on.readers();
    let (mut news, mut first_news) = (vec![R::zero(); 2 * p], [R::zero(); 3]);
    // The arrays hold values from an earlier solve, so that a missing reset is noticed.
    let words = |n: usize| vec![7u32; n];
    let (mut listed, mut lists, mut states) = (words(p), words(2 * p), words(p));
    let (mut visited, mut n_updates, mut ring) = (words(p), words(p), words(RING));
    let (mut counts, mut arrived, mut queue) = ([7u32; 3], 7u32, [7u64; 4]);
    let (mut stats, mut error) = ([7u32; 4], 7u32);
    // Nine numbers per triangle or four f32 values per tetrahedron.
    let mut shapes = vec![7u64; 9 * on.patches.n_patch_cells() + 2];
    let aligned = shapes.as_ptr().align_offset(16);
    let mut seen = vec![R::zero(); on.patches.n_local()];
    let argument = EikonalArgument {
        n_patches: p as u32,
        n_vertices: n as u32,
        largest_local: largest_local as u32,
        largest_owned: largest_owned as u32,
        repetitions: if on.patches.arity() == 3 { 3 } else { 1 },
        ring_mask: RING as u32 - 1,
        patience: i64::MAX,
        most_rounds: u32::MAX,
        width: task.width.map_or(R::INFINITY, R::of),
        near: task.near,
        slowness: R::one(),
        slowness_of_cells: 0,
        metrics: 0,
        caps: 0,
        reach: reach.as_ptr() as u64,
        shapes: shapes[aligned..].as_mut_ptr() as u64,
        seen: seen.as_mut_ptr() as u64,
        wake_offsets: wake_offsets.as_ptr() as u64,
        wake_vertices: wake_vertices.as_ptr() as u64,
        wake_readers: wake_readers.as_ptr() as u64,
        u: u.as_mut_ptr() as u64,
        news: news.as_mut_ptr() as u64,
        listed: listed.as_mut_ptr() as u64,
        lists: lists.as_mut_ptr() as u64,
        counts: counts.as_mut_ptr() as u64,
        first_news: first_news.as_mut_ptr() as u64,
        arrived: &raw mut arrived as u64,
        states: states.as_mut_ptr() as u64,
        ring: ring.as_mut_ptr() as u64,
        queue: queue.as_mut_ptr() as u64,
        visited: visited.as_mut_ptr() as u64,
        n_updates: n_updates.as_mut_ptr() as u64,
        stats: stats.as_mut_ptr() as u64,
        due: 0,
        error: &raw mut error as u64,
    };
    let part = |n: usize, size: usize| (n * size).next_multiple_of(16);
    let real = size_of::<R>();
    let shared = part(largest_local, real)
        + part(3 * largest_local, real)
        + part(largest_owned, real)
        + part(largest_owned, 1);
    // Tetrahedra also need flags of new values, a list of candidates and its lengths.
    let list = part(largest_local, 1) + part(8 * BLOCK as usize, 2) + part(2, 4);
    let shared = if on.patches.arity() == 4 { shared + list } else { shared };
    let how = Launch {
        shared_bytes: shared as u32,
        resident: BLOCKS,
        seed,
        ..Launch::new(BLOCKS, BLOCK)
    };
    let solver = organization.kernel();
    let shapes = (task.front == Front::Plane).then_some("eikonal_shapes");
    for kernel in shapes.into_iter().chain(["eikonal_reset", "eikonal_seed", solver]) {
        let args = [arg(on.argument()), arg(argument)];
        // SAFETY: the arrays have the lengths that the structs of the kernels document.
        let done = unsafe { library.launch(kernel, &how, &args) };
        done.unwrap_or_else(|e| panic!("{kernel}, seed {seed}: {e}"));
    }
    assert_eq!(error, 0, "the queue reports an error");
    let all = stats[2] as usize == p && stats[1] as usize >= p;
    assert!(all || task.width.is_some(), "some patches were not updated");
    assert_eq!(stats[2] as usize, n_updates.iter().filter(|&&n| n > 0).count());
    if organization == Organization::Queue {
        assert!(states.iter().all(|&s| s == 0), "a patch is still queued or marked as changed");
    }
    u.truncate(n);
    u.iter().map(|u| u.abs()).collect()
}

/// Returns the largest difference from the CPU among the values that matter.
fn difference<R: Real>(found: &[R], on: &HostPatches<R>, task: &Task<R>) -> f64 {
    let mut expected = state(on, task);
    let width = task.width.map(R::of);
    solve(&Cpu::new(1).unwrap(), &mut expected, width).unwrap();
    let width = width.unwrap_or(R::INFINITY);
    let pairs = found.iter().zip(expected.u()).filter(|(a, b)| **a < width || **b < width);
    pairs.map(|(&a, &b)| (a - b).abs().to_f64()).fold(0.0, f64::max)
}

/// Returns three tasks with two sources that have different initial values: the whole mesh without
/// and with an ordering, and a band.
fn tasks<R: Real>() -> [Task<R>; 3] {
    let task =
        |width, near| Task { given: vec![(0, 0.0), (17, 0.3)], width, near, front: Front::Plane };
    [task(None, R::INFINITY), task(None, R::of(0.3)), task(Some(0.6), R::INFINITY)]
}

fn check<R: Real>(arity: usize, organization: Organization, most: f64) {
    let on = HostPatches::<R>::small(arity);
    let library = compile::<R>(arity, organization, Front::Plane);
    for (k, task) in tasks().iter().enumerate() {
        let first = by_kernels(&library, &on, task, organization, 0);
        for seed in 1..SEEDS {
            let found = by_kernels(&library, &on, task, organization, seed);
            let difference = difference(&found, &on, task);
            assert!(difference <= most, "task {k}, seed {seed}: {difference}");
            if organization == Organization::Rounds {
                assert!(
                    found == first,
                    "task {k}, seed {seed}: the result is not bitwise identical to that of seed 0"
                );
            }
        }
    }
}

#[test]
fn rounds_have_the_same_bits_in_every_order_on_triangles() {
    check::<f64>(3, Organization::Rounds, 1e-14);
    check::<f32>(3, Organization::Rounds, 1e-5);
}

#[test]
fn rounds_have_the_same_bits_in_every_order_on_tetrahedra() {
    check::<f64>(4, Organization::Rounds, 1e-14);
}

#[test]
fn the_queue_comes_to_the_same_values_in_every_order_on_triangles() {
    check::<f64>(3, Organization::Queue, 1e-14);
}

#[test]
fn the_queue_comes_to_the_same_values_in_every_order_on_tetrahedra() {
    check::<f64>(4, Organization::Queue, 1e-14);
    check::<f32>(4, Organization::Queue, 1e-5);
}

#[test]
fn circular_fronts_have_the_same_bits_in_every_order() {
    let on = HostPatches::<f64>::small(3);
    let library = compile::<f64>(3, Organization::Rounds, Front::Circular);
    let task = Task { given: vec![(5, 0.0)], width: None, near: 0.3, front: Front::Circular };
    let first = by_kernels(&library, &on, &task, Organization::Rounds, 0);
    for seed in 1..SEEDS {
        assert!(by_kernels(&library, &on, &task, Organization::Rounds, seed) == first);
    }
    // The exact value is pi, which is half a great circle. The facets of the sphere and the meeting
    // of the fronts make the computed value a little smaller.
    let farthest = first.iter().fold(0.0, |m: f64, &u| m.max(u));
    assert!((farthest - std::f64::consts::PI).abs() < 0.15, "{farthest}");
}
