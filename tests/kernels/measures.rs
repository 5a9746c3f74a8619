//! Measures of the inside: kernels/measures.cu against the measurer of the CPU.

use std::f64::consts::PI;
use std::ptr::from_mut;

use zeroset::geometry::Real;
use zeroset::mesh::generate::{Cube, Generate, Sphere, Square, Torus, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{Partition, Patches};
use zeroset::surface::{Measurer, Measures, counted};

use crate::library::{Launch, Library, arg};
use crate::patches::Layout;
use crate::random::Random;

/// The twin of a struct in measures.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sums {
    interface: f64,
    enclosed: f64,
    phi_min: f64,
    phi_max: f64,
    components: i64,
    euler_number: i64,
}

/// The twin of a struct in measures.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct Measuring<R> {
    phi: *const R,
    counted: *const u16,
    names: *mut u32,
    sums: *mut Sums,
    result: *mut Sums,
    n_sums: u32,
    largest_local: u32,
    largest_owned: u32,
}

const BLOCK: u32 = 64;

struct Kernels {
    library: Library,
}

impl Kernels {
    fn new<R: Real>(arity: usize) -> Self {
        let real = if R::SHIFTED { "float" } else { "double" };
        let defines = [
            format!("REAL={real}"),
            format!("CELL_SIZE={arity}"),
            format!("BLOCK={BLOCK}"),
            format!("MEASURING_BYTES={}", size_of::<Measuring<R>>()),
        ];
        let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
        let kernels = ["measure_patches", "measure_join", "measure_sum"];
        Kernels { library: Library::compile("kernels/measures.cu", &defines, &kernels) }
    }

    /// Measures phi (patch order) with this many blocks, `resident` of them at a time.
    fn measure<R: Real>(
        &self,
        layout: &Layout<R>,
        counted: &[u16],
        phi: &[R],
        n_sums: u32,
        resident: u32,
        seed: u64,
    ) -> Sums {
        let none = Sums {
            interface: f64::NAN,
            enclosed: f64::NAN,
            phi_min: f64::NAN,
            phi_max: f64::NAN,
            components: -1000,
            euler_number: -1000,
        };
        let (mut names, mut sums, mut result) =
            (vec![77u32; phi.len()], vec![none; n_sums as usize], none);
        let measuring = Measuring {
            phi: phi.as_ptr(),
            counted: counted.as_ptr(),
            names: names.as_mut_ptr(),
            sums: sums.as_mut_ptr(),
            result: from_mut(&mut result),
            n_sums,
            largest_local: layout.largest_local,
            largest_owned: layout.largest_owned,
        };
        let part = |n: u32, size: usize| (n * size as u32).div_ceil(16) * 16;
        let shared_bytes =
            part(layout.largest_local, size_of::<R>()) + part(layout.largest_owned, 4);
        let how = Launch { resident, seed, ..Launch::new(n_sums, BLOCK) };
        let of_patches = || [arg(layout.argument()), arg(measuring)];
        // SAFETY: the kernels get all arrays with the lengths they take.
        unsafe {
            let with_shared = Launch { shared_bytes, ..how };
            self.library.launch("measure_patches", &with_shared, &of_patches()).unwrap();
            self.library.launch("measure_join", &how, &of_patches()).unwrap();
            let one = Launch { grid: 1, resident: 1, ..how };
            self.library.launch("measure_sum", &one, &[arg(measuring)]).unwrap();
        }
        result
    }
}

fn cleaned(spec: &Generate) -> Mesh {
    clean(generate(spec).unwrap()).unwrap().0
}

/// Two meshes of triangles and one of tetrahedra that differ in kind.
fn meshes() -> Vec<(&'static str, Mesh)> {
    let mut square = Square::default();
    (square.min, square.max) = ([-1.0; 2], [1.0; 2]);
    (square.cells, square.jitter) = ([17, 14], 0.2);
    let mut sphere = Sphere::default();
    sphere.subdivisions = Some(3);
    let mut torus = Torus::default();
    (torus.cells, torus.jitter) = ([24, 12], 0.1);
    let mut cube = Cube::default();
    (cube.min, cube.max) = ([-1.0; 3], [1.0; 3]);
    (cube.cells, cube.jitter) = ([7, 6, 8], 0.1);
    vec![
        ("square", cleaned(&Generate::Square(square))),
        ("sphere", cleaned(&Generate::Sphere(sphere))),
        ("torus", cleaned(&Generate::Torus(torus))),
        ("cube", cleaned(&Generate::Cube(cube))),
    ]
}

/// Functions whose insides have holes, cavities, handles, several parts, or are all or nothing.
fn functions(mesh: &Mesh) -> Vec<(&'static str, Vec<f64>)> {
    let of = |f: &dyn Fn(&[f64; 3]) -> f64| mesh.vertices.iter().map(f).collect::<Vec<f64>>();
    let radius = |x: &[f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
    let mut random = Random::new(3);
    vec![
        ("ball", of(&|x| radius(x) - 0.7)),
        ("shell", of(&|x| (radius(x) - 0.6).abs() - 0.25)),
        ("ring", of(&|x| (x[0].hypot(x[1]) - 0.6).hypot(x[2]) - 0.3)),
        ("two parts", of(&|x| 0.4 - x[0].abs())),
        ("half", of(&|x| x[1])),
        ("checkers", of(&|x| (PI * x[0] * 2.0).sin() * (PI * x[1] * 2.0).cos() + 0.1 * x[2])),
        ("noise", mesh.vertices.iter().map(|_| random.signed()).collect()),
        // Zeros count as outside.
        ("signs", mesh.vertices.iter().map(|_| f64::from(random.below(3)) - 1.0).collect()),
        ("all", of(&|_| -1.0)),
        ("nothing", of(&|_| 2.0)),
    ]
}

fn check(found: &Sums, expected: &Measures, tolerance: f64, what: &str) {
    let near = |name: &str, found: f64, expected: f64| {
        let apart = (found - expected).abs();
        assert!(apart <= tolerance * expected.abs(), "{what}: {name} {found} for {expected}");
    };
    near("interface", found.interface, expected.interface);
    near("enclosed", found.enclosed, expected.enclosed);
    let exact = [
        (found.components, expected.components as i64),
        (found.euler_number, expected.euler_number),
    ];
    assert!(exact.iter().all(|(a, b)| a == b), "{what}: {found:?} for {expected:?}");
    assert_eq!((found.phi_min, found.phi_max), (expected.phi_min, expected.phi_max), "{what}");
}

/// All functions on the meshes of this arity, cut into small, usual and few patches.
fn compare<R: Real>(arity: usize, tolerance: f64) {
    let kernels = Kernels::new::<R>(arity);
    let mut found_components = 0;
    for (mesh_name, mesh) in meshes().iter().filter(|(_, mesh)| mesh.kind.arity() == arity) {
        let measurer = Measurer::new(mesh);
        for patch_size in [3, 20, 64, 1000] {
            let patches = Patches::new(mesh, Partition::Bisection, patch_size).unwrap();
            let layout = Layout::<R>::new(mesh, &patches);
            let counted = counted(&patches);
            for (name, phi) in functions(mesh) {
                let phi = phi.iter().map(|&v| R::narrow(v)).collect::<Vec<R>>();
                let wide: Vec<f64> = phi.iter().map(|v| v.widen()).collect();
                let expected = measurer.measure(mesh, &wide);
                let ordered = patches.to_patch_order(&phi, |v| v);
                let what = format!("{name} on {mesh_name}, patches of {patch_size}");
                let run = |resident, seed| {
                    kernels.measure(&layout, &counted, &ordered, 5, resident, seed)
                };
                let found = run(5, 0);
                check(&found, &expected, tolerance, &what);
                // The same bits in another order of threads.
                assert_eq!(run(2, 1), found, "{what}");
                found_components = found_components.max(found.components);
            }
        }
    }
    assert!(found_components > 20, "noise falls apart");
}

#[test]
fn triangles_in_f64() {
    compare::<f64>(3, 1e-12);
}

#[test]
fn tetrahedra_in_f64() {
    compare::<f64>(4, 1e-12);
}

#[test]
fn triangles_in_f32() {
    compare::<f32>(3, 2e-6);
}

#[test]
fn tetrahedra_in_f32() {
    compare::<f32>(4, 2e-6);
}

/// Sums depend on neither the patches nor the blocks by more than rounding, and coordinates far
/// from the origin cost nothing in f32.
#[test]
fn f32_measures_keep_their_accuracy_far_from_the_origin() {
    let (_, mut mesh) = meshes().remove(0);
    let phi: Vec<f64> = functions(&mesh).remove(1).1;
    let expected = Measurer::new(&mesh).measure(&mesh, &phi);
    // A power of two, so that the moved mesh has the same differences in f64.
    mesh.vertices.iter_mut().for_each(|x| x[0] += 4_194_304.0);
    let kernels = Kernels::new::<f32>(3);
    let patches = Patches::new(&mesh, Partition::Bisection, 64).unwrap();
    let layout = Layout::<f32>::new(&mesh, &patches);
    let ordered = patches.to_patch_order(&phi, |v| v as f32);
    let found = kernels.measure(&layout, &counted(&patches), &ordered, 3, 1, 0);
    assert!((found.interface / expected.interface - 1.0).abs() < 2e-6);
    assert!((found.enclosed / expected.enclosed - 1.0).abs() < 2e-6);
}
