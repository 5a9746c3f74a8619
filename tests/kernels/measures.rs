//! Compares the measures of the inside computed by kernels/measures.cu with those computed on the
//! CPU.

use std::f64::consts::PI;
use std::ptr::from_mut;
use std::rc::Rc;

use zeroset::geometry::Real;
use zeroset::mesh::generate::{Cube, Generate, Sphere, Square, Torus, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::surface::{Measurer, Measures, counted};

use crate::layouts::measures::MeasuringArgument;
use crate::layouts::patches::PatchesArgument;
use crate::library::{Arg, Launch, Library, arg};
use crate::patches::HostPatches;
use crate::random::Random;

/// The counterpart of `Sums` in measures.cu.
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

const BLOCK: u32 = 64;

/// The kernels, and a mesh divided into patches.
struct Bench<R: Real> {
    library: Rc<Library>,
    patches: HostPatches<R>,
    counted: Vec<u16>,
}

fn library<R: Real>(arity: usize) -> Rc<Library> {
    let real = if R::SHIFTED { "float" } else { "double" };
    let defines = [format!("REAL={real}"), format!("CELL_SIZE={arity}"), format!("BLOCK={BLOCK}")];
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let kernels = ["measures_patches", "measures_join", "measures_sum"];
    Rc::new(Library::compile("kernels/measures.cu", &defines, &kernels))
}

impl<R: Real> Bench<R> {
    fn new(library: &Rc<Library>, mesh: &Mesh, patch_size: usize) -> Self {
        let patches = HostPatches::cut(mesh.clone(), patch_size);
        let counted = counted(&patches.patches);
        Bench { library: library.clone(), patches, counted }
    }

    /// Measures phi (in mesh order) with five blocks, of which `resident` run at a time.
    fn measure(&self, phi: &[R], resident: u32, seed: u64) -> Sums {
        let nan = f64::NAN;
        let none = Sums {
            interface: nan,
            enclosed: nan,
            phi_min: nan,
            phi_max: nan,
            components: -1000,
            euler_number: -1000,
        };
        let phi = self.patches.patches.to_patch_order(phi, |v| v);
        let (mut names, mut sums, mut result) = (vec![77u32; phi.len()], [none; 5], none);
        let (local, owned) = self.patches.largest();
        let measuring = MeasuringArgument {
            phi: phi.as_ptr() as u64,
            counted: self.counted.as_ptr() as u64,
            names: names.as_mut_ptr() as u64,
            sums: sums.as_mut_ptr() as u64,
            result: from_mut(&mut result) as u64,
            n_sums: sums.len() as u32,
            largest_local: local as u32,
            largest_owned: owned as u32,
        };
        let part = |n: usize, size: usize| (n * size).div_ceil(16) as u32 * 16;
        let shared_bytes = part(local, size_of::<R>()) + part(owned, 4);
        let how = Launch { resident, seed, ..Launch::new(sums.len() as u32, BLOCK) };
        let patches: PatchesArgument = self.patches.argument();
        // SAFETY: all arrays have the lengths that the kernels require.
        unsafe {
            let run = |kernel, how, args: &[Arg]| self.library.launch(kernel, how, args).unwrap();
            let with_shared = Launch { shared_bytes, ..how };
            run("measures_patches", &with_shared, &[arg(patches), arg(measuring)]);
            run("measures_join", &how, &[arg(patches), arg(measuring)]);
            run("measures_sum", &Launch { grid: 1, resident: 1, ..how }, &[arg(measuring)]);
        }
        result
    }
}

fn cleaned(spec: &Generate) -> Mesh {
    clean(generate(spec).unwrap()).unwrap().0
}

/// Returns one mesh for each kind of topology.
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

/// Returns functions whose insides have holes, cavities, handles or several components, fill the
/// mesh, or are empty.
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
        ("specks", mesh.vertices.iter().map(|_| f64::from(random.below(20)) - 0.5).collect()),
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

/// Compares all functions on all meshes with `arity` vertices per cell, for small, typical and
/// large patches.
fn compare<R: Real>(arity: usize, tolerance: f64) {
    let library = library::<R>(arity);
    let mut components = 0;
    for (mesh_name, mesh) in meshes().iter().filter(|(_, mesh)| mesh.kind.arity() == arity) {
        let measurer = Measurer::new(mesh);
        for patch_size in [3, 40, 1000] {
            let bench = Bench::<R>::new(&library, mesh, patch_size);
            for (name, phi) in functions(mesh) {
                let phi: Vec<R> = phi.iter().map(|&v| R::of(v)).collect();
                let wide: Vec<f64> = phi.iter().map(|v| v.to_f64()).collect();
                let expected = measurer.measure(mesh, &wide);
                let what = format!("{name} on {mesh_name}, patches of {patch_size}");
                let found = bench.measure(&phi, 5, 0);
                check(&found, &expected, tolerance, &what);
                // A different order of threads gives a bitwise identical result.
                assert_eq!(bench.measure(&phi, 2, 1), found, "{what}");
                components = components.max(found.components);
            }
        }
    }
    assert!(components > 10, "random signs must have many components, but have {components}");
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

#[test]
fn f32_measures_keep_their_accuracy_far_from_the_origin() {
    let (_, mut mesh) = meshes().remove(0);
    let phi: Vec<f64> = functions(&mesh).remove(1).1;
    let expected = Measurer::new(&mesh).measure(&mesh, &phi);
    mesh.vertices.iter_mut().for_each(|x| x[0] += 4_194_304.0);
    let bench = Bench::<f32>::new(&library::<f32>(3), &mesh, 64);
    let phi: Vec<f32> = phi.iter().map(|&v| v as f32).collect();
    let found = bench.measure(&phi, 1, 0);
    assert!((found.interface / expected.interface - 1.0).abs() < 2e-6);
    assert!((found.enclosed / expected.enclosed - 1.0).abs() < 2e-6);
}
