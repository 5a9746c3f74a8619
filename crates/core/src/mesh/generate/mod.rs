//! Mesh generators: meshes of simple shapes for tests and examples.
//!
//! A [`Generate`] selects a shape and its options. It is both a table of the case file
//! (`[domain.mesh] generate.square = { cells = [64, 64] }`) and a subcommand of `zeroset generate`.
//! All triangles and tetrahedra have positive measure. Triangles in the plane are counterclockwise,
//! and closed surfaces are oriented outward. Lengths are in mesh units, from 1e-30 to 1e30.
//!
//! The same options give bitwise identical meshes in every version and on every system. Random
//! numbers come from a fixed generator (ChaCha8), cosines come from `libm`, and everything else is
//! plain IEEE arithmetic in a fixed order.
//!
//! # The meshes of section 4 of the paper on unstructured domains
//!
//! | mesh | case file | command |
//! |---|---|---|
//! | RegSquare | `generate.square = { cells = [512, 512], max = [512, 512] }` | `generate square --cells 512,512 --max 512,512` |
//! | IrregSquare | `generate.square = { cells = [512, 512], max = [512, 512], pattern = "irregular", vertices = 295937 }`, `refine = 1` | `generate square --cells 512,512 --max 512,512 --pattern irregular --vertices 295937 --refine 1` |
//! | Sphere | `generate.sphere = { radius = 256, irregular = true, vertices = 255817 }`, `refine = 1` | `generate sphere --radius 256 --irregular --vertices 255817 --refine 1` |
//! | Brain | `path = ".../fsaverage_pial_left.gii.gz"`, `refine = 1` | `generate from .../fsaverage_pial_left.gii.gz --refine 1` |
//! | RegCube | `generate.cube = { cells = [63, 63, 63], max = [63, 63, 63] }` | `generate cube --cells 63,63,63 --max 63,63,63` |
//! | IrregCube | `path = ".../irregcube_base.msh"`, `refine = 1` | `generate from .../irregcube_base.msh --refine 1` |
//!
//! Each command starts with `zeroset` and ends with `-o FILE`. The numbers of vertices and cells
//! are, in the order of the table, 263,169 / 524,288; 1,181,697 / 2,359,296; 1,023,262 / 2,046,520;
//! 655,362 / 1,310,720; 262,144 / 1,500,282; 200,217 / 1,127,088.

#[cfg(feature = "cli")]
pub mod cli;
mod cube;
mod delaunay;
pub(super) mod limits;
pub mod random;
mod revolution;
mod rows;
mod scatter;
mod sphere;
mod square;

pub use cube::Cube;
pub use revolution::{Cone, Cylinder, Torus};
pub use sphere::Sphere;
pub use square::{Pattern, Square};

use crate::error;
use crate::mesh::Mesh;
use crate::primitives::memory::available;
use limits::Size;

/// The shape of a generated mesh and its options.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Subcommand))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Generate {
    /// Triangles on a rectangle in the plane z = 0
    Square(Square),
    /// Tetrahedra in a box, six per lattice cube
    Cube(Cube),
    /// Triangles on a sphere
    Sphere(Sphere),
    /// Triangles on an open cylinder around the z axis
    Cylinder(Cylinder),
    /// Triangles on a cone around the z axis, with the apex at the origin
    Cone(Cone),
    /// Triangles on a torus around the z axis
    Torus(Torus),
}

impl Generate {
    /// Checks all options without generating anything.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if an option is out of range, if options
    /// conflict, or if the mesh is too large for 32-bit indices.
    pub fn check(&self) -> error::Result<()> {
        match self {
            Generate::Square(square) => square.check(),
            Generate::Cube(cube) => cube.check(),
            Generate::Sphere(sphere) => sphere.check(),
            Generate::Cylinder(cylinder) => cylinder.check(),
            Generate::Cone(cone) => cone.check(),
            Generate::Torus(torus) => torus.check(),
        }?;
        self.size().numbered(self.name())
    }

    /// Checks the options, and that the mesh after `times` refinements can be numbered and fits
    /// into the free memory.
    ///
    /// # Errors
    /// Returns the errors of [`Generate::check`], and [`Error::Device`](crate::Error::Device) with
    /// the needed and the free memory if there is not enough.
    pub fn check_refined(&self, times: u32) -> error::Result<()> {
        self.check()?;
        let size = self.size().refined(times);
        size.numbered(self.name())?;
        size.fits(self.name(), times > 0, available())
    }

    /// Returns the numbers of vertices and cells before refinement, or slightly too large
    /// estimates.
    fn size(&self) -> Size {
        match self {
            Generate::Square(square) => square.size(),
            Generate::Cube(cube) => cube.size(),
            Generate::Sphere(sphere) => sphere.size(),
            Generate::Cylinder(cylinder) => cylinder.sheet().size(),
            Generate::Cone(cone) => cone.sheet().size(),
            Generate::Torus(torus) => torus.sheet().size(),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Generate::Square(_) => "square",
            Generate::Cube(_) => "cube",
            Generate::Sphere(_) => "sphere",
            Generate::Cylinder(_) => "cylinder",
            Generate::Cone(_) => "cone",
            Generate::Torus(_) => "torus",
        }
    }
}

/// Generates the mesh.
///
/// ```
/// use zeroset_core::mesh::generate::{Generate, Square, generate};
/// let mut square = Square::default();
/// (square.cells, square.min, square.max) = ([4, 4], [-1.0, -1.0], [1.0, 1.0]);
/// let mesh = generate(&Generate::Square(square))?;
/// assert_eq!((mesh.n_vertices(), mesh.n_cells()), (25, 32));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`Generate::check_refined`] before any memory is allocated, and
/// [`Error::Device`](crate::Error::Device) if the system refuses the memory.
pub fn generate(spec: &Generate) -> error::Result<Mesh> {
    spec.check_refined(0)?;
    match spec {
        Generate::Square(square) => square.mesh(),
        Generate::Cube(cube) => cube.mesh(),
        Generate::Sphere(sphere) => sphere.mesh(),
        Generate::Cylinder(cylinder) => cylinder.mesh(),
        Generate::Cone(cone) => cone.mesh(),
        Generate::Torus(torus) => torus.mesh(),
    }
}

/// Returns the value at fraction `i / n` between `min` and `max`, exact at both ends.
fn between(min: f64, max: f64, i: f64, n: u32) -> f64 {
    let t = i / f64::from(n);
    min * (1.0 - t) + max * t
}
