//! Meshes that are made, not read.
//!
//! A [`Generate`] names a shape and its options; it is a table of the case file
//! (`[domain.mesh] generate.square = { cells = [64, 64] }`) and a subcommand of
//! `zeroset generate` alike. All triangles and tetrahedra have positive measure: triangles in the
//! plane are counterclockwise, closed surfaces look outwards.
//!
//! The same options give the same bits in every version and on every system: random numbers come
//! from one named generator (ChaCha8), cosines from `libm`, and everything else is plain IEEE
//! arithmetic in a fixed order.
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
//! (each command with `zeroset` before and `-o FILE` behind it). Vertices and cells are 263,169 /
//! 524,288; 1,181,697 / 2,359,296; 1,023,262 / 2,046,520; 655,362 / 1,310,720; 262,144 /
//! 1,500,282; 200,217 / 1,127,088.

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

/// Which mesh to make.
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
    /// Triangles on a cone around the z axis, apex at the origin
    Cone(Cone),
    /// Triangles on a torus around the z axis
    Torus(Torus),
}

impl Generate {
    /// Checks all options without making anything.
    ///
    /// # Errors
    /// [`Error::Case`](crate::Error::Case) for an option out of range, options that do not go
    /// together, or a mesh too large for 32-bit indices.
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

    /// Checks also that the mesh, refined so many times, can be numbered and fits into the memory
    /// that is free.
    ///
    /// # Errors
    /// Those of [`Generate::check`]; [`Error::Device`](crate::Error::Device) with what is needed and
    /// what is free.
    pub fn check_refined(&self, times: u32) -> error::Result<()> {
        self.check()?;
        let size = self.size().refined(times);
        size.numbered(self.name())?;
        size.fits(self.name(), times > 0, available())
    }

    /// Vertices and cells before any refinement, or a little more.
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

/// Makes the mesh.
///
/// # Errors
/// Those of [`Generate::check_refined`], before anything is allocated;
/// [`Error::Device`](crate::Error::Device) where the system refuses the memory.
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

/// Point at fraction `i / n` of the way, exact at both ends.
fn between(min: f64, max: f64, i: f64, n: u32) -> f64 {
    let t = i / f64::from(n);
    min * (1.0 - t) + max * t
}
