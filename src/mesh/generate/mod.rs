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

mod cube;
mod delaunay;
pub(super) mod limits;
pub(crate) mod random;
mod revolution;
mod rows;
mod scatter;
mod sphere;
mod square;

pub use cube::Cube;
pub use revolution::{Cone, Cylinder, Torus};
pub use sphere::Sphere;
pub use square::{Pattern, Square};

use std::str::FromStr;

use crate::error;
use crate::mesh::Mesh;
use crate::primitives::memory::available;
use limits::Size;

/// Which mesh to make.
#[derive(
    Clone,
    Debug,
    PartialEq,
    clap::Subcommand,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
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

/// `N` numbers with commas between, as on the command line.
fn numbers<T: FromStr, const N: usize>(text: &str) -> Result<[T; N], String> {
    let parts = text.split(',').map(|part| part.trim().parse().map_err(|_| part));
    let found = parts.collect::<Result<Vec<T>, &str>>().map_err(|part| {
        format!("expected {N} numbers with commas between, \"{part}\" is none of the right kind")
    })?;
    let n = found.len();
    found.try_into().map_err(|_| format!("expected {N} numbers with commas between, found {n}"))
}

/// The number that begins a random sequence, as on the command line.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a whole number, 0 to {}, is expected", u64::MAX))
}

/// Numbers of cells along `N` axes, or one for all of them.
fn along_axes<const N: usize>(text: &str) -> Result<[u32; N], String> {
    match numbers::<u32, 1>(text) {
        Ok([n]) => Ok([n; N]),
        Err(_) => numbers(text),
    }
}

/// Point at fraction `i / n` of the way, exact at both ends.
fn between(min: f64, max: f64, i: f64, n: u32) -> f64 {
    let t = i / f64::from(n);
    min * (1.0 - t) + max * t
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(clap::Parser)]
    struct Line {
        #[command(subcommand)]
        shape: Generate,
    }

    #[test]
    fn flags_and_case_file_have_the_same_defaults() {
        for (name, expected) in [
            ("square", Generate::Square(Square::default())),
            ("cube", Generate::Cube(Cube::default())),
            ("sphere", Generate::Sphere(Sphere::default())),
            ("cylinder", Generate::Cylinder(Cylinder::default())),
            ("cone", Generate::Cone(Cone::default())),
            ("torus", Generate::Torus(Torus::default())),
        ] {
            assert_eq!(Line::parse_from(["zeroset", name]).shape, expected);
            let table: Generate = toml::from_str(&format!("{name} = {{}}")).unwrap();
            assert_eq!(table, expected);
        }
    }

    #[test]
    fn numbers_are_counted_and_parsed() {
        assert_eq!(numbers::<f64, 2>("-1, 2.5"), Ok([-1.0, 2.5]));
        assert!(numbers::<u32, 2>("1,-2").unwrap_err().contains("\"-2\""));
        assert!(numbers::<u32, 3>("1,2").unwrap_err().contains("expected 3"));
        assert_eq!(along_axes::<3>("4"), Ok([4, 4, 4]));
        assert_eq!(along_axes::<2>("4,5"), Ok([4, 5]));
        assert!(along_axes::<3>("4,5").unwrap_err().contains("expected 3"));
    }
}
