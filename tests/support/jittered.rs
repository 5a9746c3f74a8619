//! Meshes around the origin whose vertices are moved at random, for the CPU.

use zeroset::Mesh;
use zeroset::api::ReadOptions;
use zeroset::config::DeviceKind;
use zeroset::mesh::generate::{Cube, Generate, Pattern, Square, generate};

/// Makes a mesh for the CPU.
pub fn made(generator: Generate) -> Mesh {
    let mut options = ReadOptions::default();
    options.device.kind = DeviceKind::Cpu;
    Mesh::with_options(generate(&generator).unwrap(), &options).unwrap()
}

/// The square [-1, 1]^2 with n cells along each side.
pub fn square(n: u32) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.pattern, square.jitter) = ([n, n], Pattern::Diagonal, 0.2);
    (square.min, square.max) = ([-1.0; 2], [1.0; 2]);
    made(Generate::Square(square))
}

/// The cube [-1, 1]^3 with n cells along each side.
pub fn cube(n: u32) -> Mesh {
    let mut cube = Cube::default();
    (cube.cells, cube.jitter) = ([n; 3], 0.15);
    (cube.min, cube.max) = ([-1.0; 3], [1.0; 3]);
    made(Generate::Cube(cube))
}
