//! The standard meshes, and the settings with which a case runs: precision, rotation in R^3 and
//! backend.

use std::sync::Arc;

use zeroset::geometry::Vec3;
use zeroset::mesh::generate::generate;
use zeroset::mesh::generate::{Cone, Cube, Cylinder, Generate, Pattern, Sphere, Square, Torus};
use zeroset::mesh::{Kind, Mesh, clean};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};

use crate::backend::Backend;
use crate::case::Floor;

/// The way in which a case runs.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Setting {
    /// Whether to compute in `f32` instead of `f64`.
    pub single: bool,
    /// Whether planar meshes are rotated in R^3 and solved as surfaces.
    pub turned: bool,
    /// The backend that computes.
    pub backend: Backend,
}

impl Setting {
    /// Returns the smallest gate of a quantity in single precision, and zero in double precision.
    pub fn floor(&self, floor: Floor, fineness: f64) -> f64 {
        // The diagonal is that of the square, which has the smallest box. The boxes of spheres and
        // cubes would allow more.
        let diagonal = 8f64.sqrt();
        match floor {
            _ if !self.single => 0.0,
            Floor::Length => 2e-6 * diagonal,
            Floor::Rate => 1e-4,
            Floor::Curvature => (1e-3 * 2.0 / fineness).max(2e-6 * diagonal),
            Floor::FixedPoint => 4e-7 * diagonal,
            Floor::Agreement => 2e-6,
            Floor::Count => 0.0,
        }
    }

    /// Creates the mesh with the given name and prepares it for this setting.
    pub fn domain(&self, name: &str, n: u32) -> Domain {
        self.place(mesh(name, n, 1))
    }

    /// Prepares a mesh for this setting.
    pub fn place(&self, plain: Mesh) -> Domain {
        let mut solved = plain.clone();
        if self.turned && plain.kind == Kind::Planar {
            solved.kind = Kind::Surface;
            solved.lattice = None;
            for x in &mut solved.vertices {
                *x = turn((*x).into()).into();
            }
        }
        let patches = Patches::new(&solved, Partition::Bisection, PATCH_SIZE).unwrap();
        let Setting { single, turned, backend } = *self;
        Domain { single, turned, backend, plain, solved, patches: patches.into() }
    }
}

/// Rotates a point about an arbitrary axis.
pub fn turn(x: Vec3) -> Vec3 {
    nalgebra::Rotation3::from_euler_angles(0.3, -0.7, 1.1) * x
}

/// A mesh to solve on, and the coordinates in which the exact solution is known.
pub struct Domain {
    /// Whether to solve in `f32`.
    pub single: bool,
    /// Whether the mesh is rotated, so that vectors must be rotated as well.
    pub turned: bool,
    /// The backend that solves.
    pub backend: Backend,
    /// The mesh before rotation.
    pub plain: Mesh,
    /// The mesh to solve on.
    pub solved: Mesh,
    /// The patches, with the default partition and size.
    pub patches: Arc<Patches>,
}

impl Domain {
    /// Evaluates a function at all vertices.
    pub fn at_vertices(&self, f: impl Fn(Vec3) -> f64) -> Vec<f64> {
        self.plain.vertices.iter().map(|&x| f(x.into())).collect()
    }

    /// Returns a vector in the coordinates of the mesh to solve on.
    pub fn vector(&self, a: Vec3) -> [f64; 3] {
        if self.turned { turn(a).into() } else { a.into() }
    }
}

/// Creates a standard mesh.
///
/// The size n is the number of cells per side of [-1, 1]^2 or [-1, 1]^3, the number of subdivisions
/// of the icosahedron on the unit sphere, or the number of cells around a surface of revolution.
///
/// The names are `diag cross jit del equi obt | kuhn tets | ico | cylinder cone tip torus`. Text
/// after a colon belongs to the case and is ignored here.
pub fn mesh(name: &str, n: u32, seed: u64) -> Mesh {
    let name = name.split(':').next().unwrap_or(name);
    let spec = match name {
        "kuhn" | "tets" => {
            let mut cube = Cube::default();
            (cube.cells, cube.min, cube.max) = ([n; 3], [-1.0; 3], [1.0; 3]);
            (cube.jitter, cube.seed) = (if name == "tets" { 0.15 } else { 0.0 }, seed);
            Generate::Cube(cube)
        }
        "ico" => {
            let mut sphere = Sphere::default();
            sphere.subdivisions = Some(n);
            Generate::Sphere(sphere)
        }
        "cylinder" => {
            let mut cylinder = Cylinder::default();
            (cylinder.cells, cylinder.height) = ([n, n / 2], 3.0);
            (cylinder.jitter, cylinder.seed) = (0.1, seed);
            Generate::Cylinder(cylinder)
        }
        "cone" | "tip" => {
            let mut cone = Cone::default();
            let (from, along) = if name == "tip" { (0.0, n * 2 / 3) } else { (0.25, n * 7 / 12) };
            (cone.cells, cone.slant) = ([n, along], [from, 2.0]);
            (cone.jitter, cone.seed) = (0.1, seed);
            Generate::Cone(cone)
        }
        "torus" => {
            let mut torus = Torus::default();
            (torus.cells, torus.jitter, torus.seed) = ([n, n * 5 / 12], 0.1, seed);
            Generate::Torus(torus)
        }
        _ => Generate::Square(square(name, n, seed)),
    };
    made(spec)
}

/// Generates a mesh and cleans it in the same way as a mesh that is read from a file.
pub fn made(spec: Generate) -> Mesh {
    clean(generate(&spec).unwrap()).unwrap().0
}

fn square(name: &str, n: u32, seed: u64) -> Square {
    let mut square = Square::default();
    (square.cells, square.min, square.max) = ([n, n], [-1.0; 2], [1.0; 2]);
    square.seed = seed;
    match name {
        "diag" => {}
        "cross" => square.pattern = Pattern::Cross,
        "jit" => square.jitter = 0.25,
        "del" => (square.jitter, square.delaunay) = (0.35, true),
        "equi" => square.pattern = Pattern::Equilateral,
        "obt" => square.pattern = Pattern::Obtuse,
        _ => panic!("no standard mesh is named {name}"),
    }
    square
}

/// Returns the mean edge length of a mesh. Each edge is counted once for each of its cells.
pub fn mean_edge(mesh: &Mesh) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for cell in mesh.iter_cells() {
        for (i, &a) in cell.iter().enumerate() {
            for &b in &cell[..i] {
                let [a, b] = [a, b].map(|v| Vec3::from(mesh.vertices[v as usize]));
                sum += (a - b).norm();
                count += 1.0;
            }
        }
    }
    sum / count
}
