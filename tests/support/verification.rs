//! Meshes, runs and norms of the verification table.

use std::sync::Arc;

use zeroset::backend::Cpu;
use zeroset::geometry::Vec3;
use zeroset::levelset::evolution::{Evolution, Options, Terms};
use zeroset::mesh::generate::{Cube, Generate, Pattern, Sphere, Square, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};
use zeroset::surface::{Measurer, Measures, extract};

/// Largest number of steps a verification run may take.
const MAX_STEPS: usize = 200_000;

/// The standard meshes of the square [-1, 1]^2 with n cells per side.
pub fn square(name: &str, n: u32) -> Mesh {
    let mut spec = Square::default();
    (spec.cells, spec.min, spec.max) = ([n, n], [-1.0; 2], [1.0; 2]);
    match name {
        "diag" => {}
        "cross" => spec.pattern = Pattern::Cross,
        "jit" => spec.jitter = 0.25,
        "del" => (spec.jitter, spec.delaunay) = (0.35, true),
        "equi" => spec.pattern = Pattern::Equilateral,
        "obt" => spec.pattern = Pattern::Obtuse,
        _ => panic!("no mesh {name}"),
    }
    made(Generate::Square(spec))
}

/// The cube [-1, 1]^3, six tetrahedra per lattice cell; "kuhn" or "jit".
pub fn cube(name: &str, n: u32) -> Mesh {
    let mut spec = Cube::default();
    (spec.cells, spec.min, spec.max) = ([n; 3], [-1.0; 3], [1.0; 3]);
    if name == "jit" {
        spec.jitter = 0.15;
    }
    made(Generate::Cube(spec))
}

/// The icosahedron subdivided k times, on the unit sphere.
pub fn sphere(k: u32) -> Mesh {
    let mut spec = Sphere::default();
    spec.subdivisions = Some(k);
    made(Generate::Sphere(spec))
}

/// A generated mesh as a solver sees it.
pub fn made(spec: Generate) -> Mesh {
    clean(generate(&spec).unwrap()).unwrap().0
}

/// A function at all vertices.
pub fn at_vertices(mesh: &Mesh, f: impl Fn(Vec3) -> f64) -> Vec<f64> {
    mesh.vertices.iter().map(|&x| f(x.into())).collect()
}

/// Patches of the default kind and size.
pub fn patches(mesh: &Mesh) -> Arc<Patches> {
    Arc::new(Patches::new(mesh, Partition::HilbertMetis, PATCH_SIZE).unwrap())
}

/// Runs to `end` and returns phi in mesh order.
pub fn evolve(mesh: &Mesh, phi: &[f64], terms: &Terms, options: Options, end: f64) -> Vec<f64> {
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mut run: Evolution<f64> =
        Evolution::new(cpu, mesh, patches(mesh), phi, terms, options).unwrap();
    for _ in 0..MAX_STEPS {
        if run.time() >= end {
            return run.phi();
        }
        run.step(end - run.time()).unwrap();
    }
    panic!("no end after {MAX_STEPS} steps");
}

/// Mean and largest `|exact|` over all crossings of mesh edges with the zero set.
pub fn interface_error(mesh: &Mesh, phi: &[f64], exact: impl Fn(Vec3) -> f64) -> [f64; 2] {
    let line = extract(mesh, phi);
    assert!(!line.vertices.is_empty(), "the interface is gone");
    let errors = line.vertices.iter().map(|&x| exact(x.into()).abs());
    let (sum, max) = errors.fold((0.0, 0.0f64), |(sum, max), e| (sum + e, max.max(e)));
    [sum / line.vertices.len() as f64, max]
}

/// Measures of the inside.
pub fn measure(mesh: &Mesh, phi: &[f64]) -> Measures {
    Measurer::new(mesh).measure(mesh, phi)
}

/// Order of convergence between two errors at resolutions n and m.
pub fn order(coarse: f64, fine: f64, n: u32, m: u32) -> f64 {
    (coarse / fine).ln() / (f64::from(m) / f64::from(n)).ln()
}
