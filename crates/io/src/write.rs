//! Writer of meshes in the format that the file name selects.

use std::path::Path;

use super::about::About;
use super::units::Units;
use super::vtk::{self, Compression, Field, Geometry, VtkOutput};
use super::{gifti, groups, medit, msh, obj, off, ply, sniff, stl};
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::{Group, Kind, Members, Mesh};
use zeroset_core::parallel::*;
use zeroset_core::words::nearest;

/// Options of [`write_mesh`] and `write_volume`.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Whether to write text instead of binary if the format supports both (msh, ply, stl).
    pub ascii: bool,
    /// The compression of arrays in `.vtu`, `.vtp` and `.vti`.
    pub compression: Compression,
    /// The time of a volume, in the unit of time of `units`, which `.vti` can hold.
    pub time: Option<f64>,
    /// The units of length and time of a volume, which `.vti` can hold.
    pub units: Units,
}

impl WriteOptions {
    /// Sets the time of a volume, which `.vti` can hold.
    pub fn time(mut self, time: Option<f64>) -> Self {
        self.time = time;
        self
    }

    /// Sets the units of length and time of a volume, which `.vti` can hold.
    pub fn units(mut self, units: Units) -> Self {
        self.units = units;
        self
    }

    /// Sets whether to write text instead of binary.
    pub fn ascii(mut self, ascii: bool) -> Self {
        self.ascii = ascii;
        self
    }

    /// Sets the compression of arrays in `.vtu`, `.vtp` and `.vti`.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }
}

/// The formats that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Vtu,
    Vtp,
    Msh,
    Ply,
    Off,
    Stl,
    Gifti,
    Obj,
    Medit,
    Solution,
}

const TARGETS: [(&str, Target); 10] = [
    ("vtu", Target::Vtu),
    ("vtp", Target::Vtp),
    ("msh", Target::Msh),
    ("ply", Target::Ply),
    ("off", Target::Off),
    ("stl", Target::Stl),
    ("gii", Target::Gifti),
    ("obj", Target::Obj),
    ("mesh", Target::Medit),
    ("sol", Target::Solution),
];

/// Returns a hint such as "did you mean .stl? " if an extension resembles a known one, else an
/// empty string.
pub fn meant<'a>(ending: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = if ending.is_empty() { None } else { nearest(ending, known) };
    near.map_or(String::new(), |near| format!("did you mean .{near}? "))
}

/// Returns the extension of a file name in lower case if it is one of `known`.
///
/// # Errors
/// Returns [`Error::Case`] if the extension is not one of `known`. The message states that `what`
/// cannot be written with it.
pub(super) fn ending(
    path: &Path,
    known: &[&'static str],
    what: &str,
    remedy: &str,
) -> Result<&'static str> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    known.iter().find(|name| extension == **name).copied().ok_or_else(|| {
        let near = meant(&sniff::extension(path), known.iter().copied());
        let what = format!("{}: {what} cannot be written with this extension", path.display());
        Error::usage(what, near + remedy)
    })
}

impl Target {
    fn of(path: &Path) -> Result<Target> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if [".shape.gii", ".func.gii", ".label.gii"].iter().any(|ending| name.ends_with(ending)) {
            let what = "this extension is for numbers per vertex, not for a surface";
            let remedy = "name the surface .surf.gii; `zeroset distance -o` writes numbers";
            return Err(Error::usage(format!("{}: {what}", path.display()), remedy));
        }
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let found = TARGETS.iter().find(|(name, _)| extension == *name);
        found.map(|&(_, target)| target).ok_or_else(|| {
            let what = if extension == "gz" {
                "gzip can be read, but not written"
            } else {
                "unknown extension of the output file"
            };
            let volumes = ["vti", "nii", "npy", "mha", "nrrd"];
            let known = TARGETS.iter().map(|(name, _)| *name).chain(volumes);
            let near = meant(&extension.to_string_lossy(), known);
            let remedy = "end the name in .vtu, .vtp, .msh, .mesh, .sol, .ply, .obj, .off, .stl or \
                          .gii, for a volume in .vti, .nii, .nii.gz, .npy, .mha or .nrrd";
            Error::usage(format!("{}: {what}", path.display()), near + remedy)
        })
    }

    fn holds_tetrahedra(self) -> bool {
        matches!(self, Target::Vtu | Target::Msh | Target::Medit | Target::Solution)
    }
}

/// Checks that [`write_mesh`] supports the extension of `path`, before the mesh is available.
/// `kind` is the kind of the mesh if it is already known.
///
/// # Errors
/// Returns [`Error::Case`] if the extension is not supported, if text is requested in a format
/// without a text encoding, or if tetrahedra are to be written in a surface format.
pub fn check_target(path: &Path, options: &WriteOptions, kind: Option<Kind>) -> Result<()> {
    let target = Target::of(path)?;
    let name = path.display();
    if options.ascii && matches!(target, Target::Vtu | Target::Vtp | Target::Gifti) {
        let what = format!("{name}: this format has no text encoding");
        return Err(Error::usage(what, "leave out --ascii, or name the file .msh, .ply or .stl"));
    }
    if kind == Some(Kind::Volume) && !target.holds_tetrahedra() {
        let what = format!("{name}: this format holds triangles, but the mesh has tetrahedra");
        let remedy = "name it .vtu, .msh or .mesh, or write the boundary of the tetrahedra: \
                      zeroset convert --boundary";
        return Err(Error::usage(what, remedy));
    }
    Ok(())
}

/// Writes a mesh as `.vtu`, `.vtp`, `.msh` (4.1), `.mesh`, `.ply`, `.obj`, `.off`, `.stl` or
/// `.gii`, or its point data as `.sol`.
///
/// The file is written atomically. Vertices keep their order, except in `.stl`, which stores the
/// corners of each triangle. Coordinates are bitwise identical if the format can hold them. Point
/// data of a `.mesh` go into a `.sol` file of the same name.
///
/// Returns one sentence for each thing that the format could not hold: arrays, groups, names, or
/// digits of coordinates (binary stl, gii).
///
/// ```
/// use zeroset_io::{WriteOptions, read_mesh, write_mesh};
/// # use zeroset_core::mesh::generate::{Generate, Sphere, generate};
/// # let mesh = generate(&Generate::Sphere(Sphere::default()))?;
/// let path = std::env::temp_dir().join(format!("zeroset-{}.ply", std::process::id()));
/// let lost = write_mesh(&path, &mesh, &WriteOptions::default())?;
/// assert!(lost.is_empty());
/// assert_eq!(read_mesh(&path)?.mesh.vertices, mesh.vertices);
/// # std::fs::remove_file(&path).map_err(|e| zeroset_core::Error::usage(e.to_string(), ""))?;
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`check_target`], [`Error::Mesh`] if the mesh has no cells (for `.obj`:
/// neither cells nor lines), and [`Error::Output`] if the file cannot be written or if a format
/// with 32-bit coordinates cannot hold a coordinate.
pub fn write_mesh(path: &Path, mesh: &Mesh, options: &WriteOptions) -> Result<Vec<String>> {
    write_mesh_about(path, mesh, options, &About::default())
}

/// Writes a mesh like [`write_mesh`], with facts about the file from which it comes. A `.gii` file
/// gets the metadata. A `.vtu` or `.vtp` file gets the anatomical structure and the time.
///
/// # Errors
/// Returns the errors of [`write_mesh`].
pub fn write_mesh_about(
    path: &Path,
    mesh: &Mesh,
    options: &WriteOptions,
    about: &About,
) -> Result<Vec<String>> {
    let target = Target::of(path)?;
    // OBJ can also hold lines without triangles, such as an interface on a surface.
    let is_line = |group: &Group| matches!(group.members, Members::Simplices { dimension: 1, .. });
    let lines = target == Target::Obj && mesh.groups.iter().any(is_line);
    if mesh.n_cells() == 0 && !lines {
        let what = "the file holds no triangles or tetrahedra: there is nothing to write";
        let remedy = "choose a file with cells; `zeroset info` describes its content";
        return Err(Error::mesh("", what, remedy).in_file(path));
    }
    check_target(path, options, Some(mesh.kind))?;
    let mut lost = Vec::new();
    match target {
        Target::Vtu | Target::Vtp => write_vtk(path, mesh, options, about, &mut lost)?,
        Target::Msh => msh::write(path, mesh, options.ascii, &mut lost)?,
        Target::Ply => ply::write(path, mesh, options.ascii, &mut lost)?,
        Target::Off => {
            lost.extend(bare(mesh, "off"));
            off::write(path, mesh)?;
        }
        Target::Stl => {
            lost.extend(bare(mesh, "stl"));
            if !options.ascii {
                lost.extend(narrowed(path, mesh)?);
            }
            stl::write(path, mesh, options.ascii)?;
        }
        Target::Gifti => {
            lost.extend(bare(mesh, "gii"));
            lost.extend(narrowed(path, mesh)?);
            gifti::write_surface(path, mesh, about)?;
        }
        Target::Obj => obj::write(path, mesh, &mut lost)?,
        Target::Medit => medit::write(path, mesh, &mut lost)?,
        Target::Solution => medit::write_solution(path, mesh, &mut lost)?,
    }
    Ok(lost)
}

/// Writes a VTK file with all arrays. Groups become masks named `group:NAME`, which the reader
/// converts back to groups.
fn write_vtk(
    path: &Path,
    mesh: &Mesh,
    options: &WriteOptions,
    about: &About,
    lost: &mut Vec<String>,
) -> Result<()> {
    let masks = groups::to_masks(mesh, lost);
    let of = |cells: bool| {
        let chosen = masks.iter().filter(move |mask| mask.of_cells == cells);
        chosen.map(|m| Field { name: &m.name, components: 1, values: (&m.values).into() })
    };
    let geometry = Geometry::mesh(mesh, options.compression);
    let mut output = VtkOutput::new(&geometry);
    output.metadata = about.anatomy();
    output.time = about.state.time;
    output.point_data = mesh.vertex_data.iter().map(Field::from).chain(of(false)).collect();
    output.cell_data = mesh.cell_data.iter().map(Field::from).chain(of(true)).collect();
    vtk::write(path, &output)
}

/// Describes the arrays and groups that are lost in a format that holds only vertices and
/// triangles. Returns `None` if nothing is lost.
fn bare(mesh: &Mesh, format: &str) -> Option<String> {
    let list = |what: &str, names: Vec<&str>| {
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let points = mesh.vertex_data.iter().map(|array| array.name.as_str()).collect();
    let cells = mesh.cell_data.iter().map(|array| array.name.as_str()).collect();
    let groups = mesh.groups.iter().map(|group| group.name.as_str()).collect();
    let lost = [list("point data", points), list("cell data", cells), list("groups", groups)];
    let lost: Vec<String> = lost.into_iter().flatten().collect();
    (!lost.is_empty()).then(|| {
        format!(
            "not written, because .{format} holds only vertices and triangles: {}",
            lost.join("; ")
        )
    })
}

/// Returns true if a 32-bit number reproduces all decimal digits of `x`. This holds for 0.1 as well
/// as for 0.5, although only 0.5 has the same value in both precisions.
fn keeps_digits(x: f64) -> bool {
    let narrow = x as f32;
    f64::from(narrow) == x || narrow.to_string().parse() == Ok(x)
}

/// Describes how many coordinates lose digits when rounded to 32 bits, and how far they move.
///
/// # Errors
/// Returns [`Error::Output`] if a coordinate exceeds the range of 32-bit numbers.
fn narrowed(path: &Path, mesh: &Mesh) -> Result<Option<String>> {
    let all = mesh.vertices.as_flattened();
    if let Some(k) = all.iter().position(|&x| !(x as f32).is_finite()) {
        let what = format!(
            "vertex {}: coordinate {:e} exceeds the range of 32-bit numbers",
            k / 3,
            all[k]
        );
        return Err(Error::output(path, what, "scale the mesh, or write .vtp, .ply or .off"));
    }
    Ok(rounded(all).map(|(n, most)| {
        let all = all.len();
        format!("{n} of {all} coordinates are rounded to 32 bits, by at most {most:.1e}")
    }))
}

/// Returns how many numbers lose digits when rounded to 32 bits, and the largest rounding error.
/// Returns `None` if no number loses digits.
pub(super) fn rounded(all: &[f64]) -> Option<(usize, f64)> {
    let moved = all.par_iter().filter(|&&x| !keeps_digits(x));
    let moved = moved.map(|&x| (1, (f64::from(x as f32) - x).abs()));
    let more = |(n, most): (usize, f64), (k, d)| (n + k, most.max(d));
    Some(moved.reduce(|| (0, 0.0), more)).filter(|&(n, _)| n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_and_wrong_ones_are_refused() {
        let check = |name: &str, ascii, kind| {
            check_target(Path::new(name), &WriteOptions::default().ascii(ascii), kind)
                .map_err(|e| e.to_string())
        };
        for (name, _) in TARGETS {
            assert_eq!(check(&format!("a.b.{}", name.to_uppercase()), false, None), Ok(()));
        }
        for (name, ascii, kind, found) in [
            ("a.xyz", false, None, "a.xyz: unknown extension of the output file"),
            ("a.ply.gz", false, None, "gzip can be read, but not written"),
            ("a.gii", true, None, "has no text encoding"),
            ("a.stl", false, Some(Kind::Volume), "zeroset convert --boundary"),
        ] {
            let error = check(name, ascii, kind).unwrap_err();
            assert!(error.contains(found), "{error}");
        }
        assert_eq!(check("a.msh", true, Some(Kind::Volume)), Ok(()));
        let none = Mesh::new(Kind::Volume, vec![[0.0; 3]], vec![]);
        let error = write_mesh(Path::new("a.stl"), &none, &WriteOptions::default()).unwrap_err();
        assert!(error.to_string().contains("no triangles or tetrahedra"), "{error}");
    }

    #[test]
    fn rounding_is_said_and_overflow_refused() {
        let mesh = |x: f64| {
            let vertices = vec![[0.0; 3], [x, 0.0, 0.0], [0.0, 1.0, 0.0]];
            Mesh::new(Kind::Planar, vertices, vec![0, 1, 2])
        };
        let path = Path::new("a.stl");
        for kept in [0.5, 0.1, -123.4567, 1e-3, 16777216.0] {
            assert_eq!(narrowed(path, &mesh(kept)).unwrap(), None, "{kept}");
        }
        for (lost, most) in [(1.0 / 3.0, "9.9e-9"), (0.123456789, "2.0e-9"), (16777217.0, "1.0e0")]
        {
            let said = narrowed(path, &mesh(lost)).unwrap().unwrap();
            let expected = format!("1 of 9 coordinates are rounded to 32 bits, by at most {most}");
            assert_eq!(said, expected);
        }
        let error = narrowed(path, &mesh(1e39)).unwrap_err().to_string();
        assert!(error.contains("vertex 1: coordinate 1e39"), "{error}");
    }
}
