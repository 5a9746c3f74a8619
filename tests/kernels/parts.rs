//! Connected parts of a surface by kernels: those of the processor, and the surface without some.

use std::sync::LazyLock;

use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::mesh::{Kind, Mesh};
use zeroset::surface::{Extent, Parts};

use super::layouts::parts::Part;
use super::library::{Arg, Launch, Library, arg};
use super::random::Random;

const BLOCK: u32 = 64;

static PARTS: LazyLock<Library> = LazyLock::new(|| {
    let kernels = [
        "parts_alone",
        "parts_use",
        "parts_join",
        "parts_settle",
        "parts_extents",
        "parts_volumes",
        "parts_kept",
        "parts_kept_triangles",
        "parts_take_vertices",
        "parts_take_triangles",
    ];
    Library::compile("kernels/surface/parts.cu", &["REAL=double"], &kernels)
});

/// Balls of these radii far from the origin, with a vertex of nothing between them, triangles without order.
fn balls(radii: &[f64]) -> Mesh {
    let ball = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (k, radius) in radii.iter().enumerate() {
        let first = vertices.len() as u32;
        let at =
            |x: &[f64; 3]| [radius * x[0] - 4e3, radius * x[1] + 10.0 * k as f64, radius * x[2]];
        vertices.extend(ball.vertices.iter().map(at));
        vertices.push([1e9, -1e9, 0.0]);
        triangles.extend(ball.iter_cells().map(|cell| [0, 1, 2].map(|k| cell[k] + first)));
    }
    let mut random = Random::new(5);
    for last in (1..triangles.len()).rev() {
        triangles.swap(last, random.below(last as u32 + 1) as usize);
    }
    Mesh::new(Kind::Surface, vertices, triangles.into_flattened())
}

/// Launches with a few blocks at a time, in an order of their own.
fn launch(kernel: &str, seed: u64, args: &[Arg]) {
    let how = Launch { resident: 3, seed, ..Launch::new(7, BLOCK) };
    // SAFETY: arrays of the sizes that the kernels ask for.
    unsafe { PARTS.launch(kernel, &how, args) }.unwrap();
}

fn scan(flags: &[u32]) -> Vec<u32> {
    let mut sums = vec![0];
    sums.extend(flags.iter().scan(0, |sum, flag| {
        *sum += flag;
        Some(*sum)
    }));
    sums
}

/// Names of vertices, and numbers of parts at their first ones.
fn named(mesh: &Mesh, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let (n, n_triangles) = (mesh.n_vertices(), mesh.n_cells() as u32);
    let (mut names, mut is_first) = (vec![7_u32; n], vec![7_u32; n]);
    let corners = mesh.cells.as_ptr();
    launch("parts_alone", seed, &[arg(n as u32), arg(names.as_mut_ptr())]);
    for kernel in ["parts_use", "parts_join"] {
        launch(kernel, seed, &[arg(corners), arg(n_triangles), arg(names.as_mut_ptr())]);
    }
    let args = [arg(n as u32), arg(names.as_mut_ptr()), arg(is_first.as_mut_ptr())];
    launch("parts_settle", seed, &args);
    (names, scan(&is_first))
}

fn measured(mesh: &Mesh, names: &[u32], numbers: &[u32], seed: u64, unit: f64) -> Vec<Part> {
    let mut parts = vec![Part::default(); numbers[names.len()] as usize];
    let of = |list: &[u32]| arg(list.as_ptr());
    let mut args = vec![arg(mesh.vertices.as_ptr().cast::<f64>()), arg(mesh.n_vertices() as u32)];
    args.extend([of(names), of(numbers), arg(parts.as_mut_ptr())]);
    launch("parts_extents", seed, &args);
    let (volumes, areas) = (16_384.0 / unit.powi(3), 16_777_216.0 / unit.powi(2));
    let mut args = vec![arg(mesh.vertices.as_ptr().cast::<f64>()), of(&mesh.cells)];
    args.extend([arg(mesh.n_cells() as u32), of(names), of(numbers)]);
    args.extend([arg(volumes), arg(areas), arg(parts.as_mut_ptr())]);
    launch("parts_volumes", seed, &args);
    parts
}

fn check(part: &Part, expected: &Extent, unit: f64) {
    let number = |word: u64| f64::from_bits(if word >> 63 == 1 { word ^ 1 << 63 } else { !word });
    assert_eq!(part.high.map(number), expected.high);
    assert_eq!(part.low.map(|word| number(!word)), expected.low);
    assert_eq!(part.triangles, expected.triangles);
    let half = 0.501 * expected.triangles as f64;
    let volume = part.volume as f64 * unit.powi(3) / 16_384.0;
    assert!((volume - expected.volume).abs() <= half * unit.powi(3) / 16_384.0, "{volume}");
    let area = part.area as f64 * unit.powi(2) / 16_777_216.0;
    assert!((area - expected.area).abs() <= half * unit.powi(2) / 16_777_216.0, "{area}");
}

#[test]
fn parts_are_those_of_the_processor_in_any_order_of_threads() {
    let mesh = balls(&[2.0, 0.3, 4.5, 0.01]);
    let expected = Parts::new(&mesh);
    assert_eq!(expected.count(), 4);
    let extents = expected.extents(&mesh);
    let mut first: Option<Vec<Part>> = None;
    for seed in 0..4 {
        let (names, numbers) = named(&mesh, seed);
        for v in 0..mesh.n_vertices() {
            let part = (names[v] != u32::MAX).then(|| numbers[names[v] as usize] as usize);
            assert_eq!(part, expected.of_vertex(v), "vertex {v}");
        }
        let parts = measured(&mesh, &names, &numbers, seed, 0.5);
        parts.iter().zip(&extents).for_each(|(part, extent)| check(part, extent, 0.5));
        assert!(first.get_or_insert_with(|| parts.clone()) == &parts);
    }
    let turned: Vec<u32> = mesh.iter_cells().flat_map(|c| [c[0], c[2], c[1]]).collect();
    let turned = Mesh::new(Kind::Surface, mesh.vertices.clone(), turned);
    let (names, numbers) = named(&turned, 1);
    let parts = measured(&turned, &names, &numbers, 1, 0.5);
    for (part, before) in parts.iter().zip(first.unwrap()) {
        assert_eq!(part.volume, -before.volume);
    }
}

#[test]
fn what_is_left_is_the_surface_of_the_processor() {
    let mesh = balls(&[1.0, 2.0, 0.5, 3.0]);
    let (names, numbers) = named(&mesh, 3);
    let (n, n_triangles) = (mesh.n_vertices(), mesh.n_cells());
    let kept = [1_u32, 0, 0, 1];
    let (mut is_kept, mut stays) = (vec![7_u32; n], vec![7_u32; n_triangles]);
    let of = |list: &[u32]| arg(list.as_ptr());
    let args = [arg(n as u32), of(&names), of(&numbers), of(&kept), arg(is_kept.as_mut_ptr())];
    launch("parts_kept", 1, &args);
    let triangles = arg(n_triangles as u32);
    let args = [of(&mesh.cells), triangles, of(&is_kept), arg(stays.as_mut_ptr())];
    launch("parts_kept_triangles", 2, &args);
    let (places, triangle_places) = (scan(&is_kept), scan(&stays));
    let expected = Parts::new(&mesh).keep(mesh.clone(), |part| kept[part] == 1);
    assert_eq!(places[n] as usize, expected.n_vertices());
    assert_eq!(triangle_places[n_triangles] as usize, expected.n_cells());
    let mut vertices = vec![[f64::NAN; 3]; expected.n_vertices()];
    let mut cells = vec![77_u32; expected.cells.len()];
    let from = arg(mesh.vertices.as_ptr().cast::<f64>());
    let into = arg(vertices.as_mut_ptr().cast::<f64>());
    launch("parts_take_vertices", 3, &[from, arg(n as u32), of(&places), into]);
    let mut args = vec![of(&mesh.cells), arg(n_triangles as u32), of(&triangle_places)];
    args.extend([of(&places), arg(cells.as_mut_ptr())]);
    launch("parts_take_triangles", 4, &args);
    assert!(vertices == expected.vertices && cells == expected.cells);
}
