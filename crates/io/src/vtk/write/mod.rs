//! Writer of `.vtu`, `.vtp`, `.vti` and `.pvd`. The documentation of the parent module shows its
//! use.

mod compression;
mod encode;
mod file;
mod image;

use std::path::Path;

use encode::{Encoded, Numbers};
use file::VtkFile;

use crate::about::Entry;
use crate::units::Units;
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::{DataArray, Kind, Mesh, Values};

pub use compression::Compression;
pub use file::write_pvd;
pub(crate) use image::write_vti;

/// Borrowed numbers of a field. They keep their type in the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FieldValues<'a> {
    /// Double precision.
    F64(&'a [f64]),
    /// Single precision.
    F32(&'a [f32]),
    /// Labels, counts and samples of volumes.
    I64(&'a [i64]),
    /// Labels, counts and samples of volumes.
    I32(&'a [i32]),
    /// Labels, counts and samples of volumes.
    U32(&'a [u32]),
    /// Masks, colors and samples of volumes.
    U8(&'a [u8]),
    /// Samples of volumes.
    I8(&'a [i8]),
    /// Samples of volumes.
    U16(&'a [u16]),
    /// Samples of volumes.
    I16(&'a [i16]),
    /// Samples of volumes.
    U64(&'a [u64]),
}

impl FieldValues<'_> {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            FieldValues::F64(v) => v.len(),
            FieldValues::F32(v) => v.len(),
            FieldValues::I64(v) => v.len(),
            FieldValues::I32(v) => v.len(),
            FieldValues::U32(v) => v.len(),
            FieldValues::U8(v) => v.len(),
            FieldValues::I8(v) => v.len(),
            FieldValues::U16(v) => v.len(),
            FieldValues::I16(v) => v.len(),
            FieldValues::U64(v) => v.len(),
        }
    }

    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! from_slice {
    ($($variant:ident $t:ty),*) => {$(
        impl<'a> From<&'a [$t]> for FieldValues<'a> {
            fn from(values: &'a [$t]) -> Self {
                FieldValues::$variant(values)
            }
        }
        impl<'a> From<&'a Vec<$t>> for FieldValues<'a> {
            fn from(values: &'a Vec<$t>) -> Self {
                FieldValues::$variant(values)
            }
        }
    )*};
}
from_slice!(F64 f64, F32 f32, I64 i64, I32 i32, U32 u32, U8 u8, I8 i8, U16 u16, I16 i16, U64 u64);

impl<'a> From<&'a Values> for FieldValues<'a> {
    fn from(values: &'a Values) -> Self {
        match values {
            Values::Float(v) => FieldValues::F64(v),
            Values::Int(v) => FieldValues::I64(v),
        }
    }
}

/// A named array with one row per point or cell.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Name in the file, which may be any text.
    pub name: &'a str,
    /// Numbers per row: 1 for a scalar, 3 for a vector.
    pub components: usize,
    /// Values of shape `[rows * components]`.
    pub values: FieldValues<'a>,
}

impl<'a> From<&'a DataArray> for Field<'a> {
    fn from(array: &'a DataArray) -> Self {
        let values = FieldValues::from(&array.values);
        Field { name: &array.name, components: array.components, values }
    }
}

/// The kind of cells of a [`Geometry`], with its VTK number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Vertices = 1,
    Lines = 3,
    Triangles = 5,
    Quads = 9,
    Tetrahedra = 10,
    Hexahedra = 12,
}

impl Shape {
    /// Returns the number of points per cell.
    pub(super) fn arity(self) -> usize {
        match self {
            Shape::Vertices => 1,
            Shape::Lines => 2,
            Shape::Triangles => 3,
            Shape::Quads | Shape::Tetrahedra => 4,
            Shape::Hexahedra => 8,
        }
    }

    /// Returns true if the cells are three-dimensional.
    pub(super) fn is_solid(self) -> bool {
        matches!(self, Shape::Tetrahedra | Shape::Hexahedra)
    }
}

/// Points and cells, encoded once for a series of files.
pub struct Geometry<'a> {
    pub(super) shape: Shape,
    pub(super) n_points: usize,
    pub(super) n_cells: usize,
    compression: Compression,
    pub(super) points: Encoded<'a>,
    pub(super) connectivity: Encoded<'a>,
    ends: Encoded<'a>,
    types: Encoded<'a>,
}

impl<'a> Geometry<'a> {
    /// Encodes the points and cells of a mesh.
    pub fn mesh(mesh: &'a Mesh, compression: Compression) -> Self {
        let shape = match mesh.kind {
            Kind::Planar | Kind::Surface => Shape::Triangles,
            Kind::Volume => Shape::Tetrahedra,
        };
        Self::new(shape, &mesh.vertices, &mesh.cells, compression)
    }

    /// Encodes triangles, `[n * 3]`, given by three point indices each. They may also be the
    /// interface inside a tetrahedral mesh.
    pub fn triangles(
        points: &'a [[f64; 3]],
        triangles: &'a [u32],
        compression: Compression,
    ) -> Self {
        Self::new(Shape::Triangles, points, triangles, compression)
    }

    /// Encodes tetrahedra, `[n * 4]`, given by four point indices each.
    pub fn tetrahedra(
        points: &'a [[f64; 3]],
        tetrahedra: &'a [u32],
        compression: Compression,
    ) -> Self {
        Self::new(Shape::Tetrahedra, points, tetrahedra, compression)
    }

    /// Encodes quads, `[n * 4]`, given by four point indices each, in order around the quad.
    pub fn quads(points: &'a [[f64; 3]], quads: &'a [u32], compression: Compression) -> Self {
        Self::new(Shape::Quads, points, quads, compression)
    }

    /// Encodes hexahedra, `[n * 8]`, given by eight point indices each: around the lower side, then
    /// the points above them.
    pub fn hexahedra(
        points: &'a [[f64; 3]],
        hexahedra: &'a [u32],
        compression: Compression,
    ) -> Self {
        Self::new(Shape::Hexahedra, points, hexahedra, compression)
    }

    /// Encodes points alone, each as a cell. `numbers` are the point indices 0, 1, 2, ...
    pub fn vertices(points: &'a [[f64; 3]], numbers: &'a [u32], compression: Compression) -> Self {
        Self::new(Shape::Vertices, points, numbers, compression)
    }

    /// Encodes segments, `[n * 2]`, given by two point indices each, such as the interface on a
    /// triangle mesh.
    pub fn lines(points: &'a [[f64; 3]], segments: &'a [u32], compression: Compression) -> Self {
        Self::new(Shape::Lines, points, segments, compression)
    }

    /// Encodes chains of segments. `points` holds the points of all chains in turn, `numbers` are
    /// the point indices 0, 1, 2, ..., and `ends[k]` is the end of chain k in `points`.
    pub fn chains(
        points: &'a [[f64; 3]],
        numbers: &'a [u32],
        ends: &'a [u32],
        compression: Compression,
    ) -> Self {
        let wide = points.len() > i32::MAX as usize;
        let encode = |numbers| Encoded::new(numbers, compression);
        Geometry {
            shape: Shape::Lines,
            n_points: points.len(),
            n_cells: ends.len(),
            compression,
            points: encode(Numbers::Field(FieldValues::F64(points.as_flattened()))),
            connectivity: encode(Numbers::Indices { indices: numbers, wide }),
            ends: encode(Numbers::Indices { indices: ends, wide }),
            types: encode(Numbers::Types { number: Shape::Lines as u8, n: ends.len() }),
        }
    }

    fn new(
        shape: Shape,
        points: &'a [[f64; 3]],
        cells: &'a [u32],
        compression: Compression,
    ) -> Self {
        let step = shape.arity();
        debug_assert!(cells.len().is_multiple_of(step));
        debug_assert!(cells.iter().all(|&p| (p as usize) < points.len()));
        let n = cells.len() / step;
        let wide = points.len().max(cells.len()) > i32::MAX as usize;
        let encode = |numbers| Encoded::new(numbers, compression);
        Geometry {
            shape,
            n_points: points.len(),
            n_cells: n,
            compression,
            points: encode(Numbers::Field(FieldValues::F64(points.as_flattened()))),
            connectivity: encode(Numbers::Indices { indices: cells, wide }),
            ends: encode(Numbers::Ends { step, n, wide }),
            types: encode(Numbers::Types { number: shape as u8, n }),
        }
    }

    /// Returns the extension that suits these cells: "vtu" for tetrahedra and hexahedra, "vtp" for
    /// all others.
    pub fn extension(&self) -> &'static str {
        if self.shape.is_solid() { "vtu" } else { "vtp" }
    }
}

/// The content of one file: a geometry, its data, and the time to which the data belong.
#[derive(Clone)]
#[non_exhaustive]
pub struct VtkOutput<'a> {
    /// The points and cells.
    pub geometry: &'a Geometry<'a>,
    /// Fields with one row per point.
    pub point_data: Vec<Field<'a>>,
    /// Fields with one row per cell.
    pub cell_data: Vec<Field<'a>>,
    /// The time, which is written as `TimeValue` and shown by ParaView.
    pub time: Option<f64>,
    /// Names and strings that describe the mesh, which are written as field data.
    pub metadata: Vec<Entry>,
    /// Names and units of arrays, which `.vtu` and `.vtp` state as `UNITS_LABEL`.
    pub array_units: Vec<Entry>,
}

impl<'a> VtkOutput<'a> {
    /// Creates an output of points and cells without data.
    pub fn new(geometry: &'a Geometry<'a>) -> Self {
        let (point_data, cell_data, time, metadata, array_units) = Default::default();
        VtkOutput { geometry, point_data, cell_data, time, metadata, array_units }
    }

    /// Sets the time to which the data belong.
    pub fn time(mut self, time: f64) -> Self {
        self.time = Some(time);
        self
    }

    /// Adds the units of length and time to the field data.
    pub fn units(mut self, units: &Units) -> Self {
        self.metadata.extend(units.entries());
        self
    }

    /// Sets the unit of an array. An empty unit adds nothing.
    pub fn array_unit(mut self, array: &str, unit: String) -> Self {
        if !unit.is_empty() {
            self.array_units.push((array.to_string(), unit));
        }
        self
    }

    /// Adds a field with one row of `components` numbers per point. ParaView colors by the first
    /// scalar field.
    pub fn point_data(
        mut self,
        name: &'a str,
        components: usize,
        values: impl Into<FieldValues<'a>>,
    ) -> Self {
        self.point_data.push(Field { name, components, values: values.into() });
        self
    }

    /// Adds a field with one row of `components` numbers per cell.
    pub fn cell_data(
        mut self,
        name: &'a str,
        components: usize,
        values: impl Into<FieldValues<'a>>,
    ) -> Self {
        self.cell_data.push(Field { name, components, values: values.into() });
        self
    }
}

/// Writes a `.vtu` or `.vtp` file, depending on the extension of `path`.
///
/// # Errors
/// Returns [`Error::Output`] for another extension, and the errors of [`write_vtu`] and
/// [`write_vtp`].
pub fn write(path: &Path, output: &VtkOutput) -> Result<()> {
    match path.extension().map(|e| e.to_ascii_lowercase()) {
        Some(extension) if extension == "vtu" => write_vtu(path, output),
        Some(extension) if extension == "vtp" => write_vtp(path, output),
        _ => {
            let fitting = output.geometry.extension();
            let what = "the extension is neither .vtu nor .vtp";
            Err(Error::output(path, what, format!("end the name in .{fitting}")))
        }
    }
}

/// Writes triangles, quads, tetrahedra or hexahedra as an unstructured grid.
///
/// # Errors
/// Returns [`Error::Output`] for lines and points (which need `.vtp`), if the length of a field is
/// wrong, or if the file cannot be written.
pub fn write_vtu(path: &Path, output: &VtkOutput) -> Result<()> {
    let geometry = output.geometry;
    if matches!(geometry.shape, Shape::Lines | Shape::Vertices) {
        let what = "lines and points cannot be written as .vtu";
        return Err(Error::output(path, what, "end the name in .vtp"));
    }
    let mut file = VtkFile::new(path, "UnstructuredGrid", output);
    file.text(format!(
        "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        geometry.n_points, geometry.n_cells
    ));
    file.data_and_points()?;
    file.section("Cells", "", |file| {
        file.array("connectivity", 1, &geometry.connectivity);
        file.array("offsets", 1, &geometry.ends);
        file.array("types", 1, &geometry.types);
    });
    file.finish()
}

/// Writes triangles, quads, lines or points as polygonal data.
///
/// # Errors
/// Returns [`Error::Output`] for tetrahedra and hexahedra (which need `.vtu`), if the length of a
/// field is wrong, or if the file cannot be written.
pub fn write_vtp(path: &Path, output: &VtkOutput) -> Result<()> {
    let geometry = output.geometry;
    let (section, count) = match geometry.shape {
        Shape::Vertices => ("Verts", "NumberOfVerts"),
        Shape::Lines => ("Lines", "NumberOfLines"),
        Shape::Triangles | Shape::Quads => ("Polys", "NumberOfPolys"),
        Shape::Tetrahedra => {
            return Err(Error::output(path, ".vtp cannot hold tetrahedra", "end the name in .vtu"));
        }
        Shape::Hexahedra => {
            return Err(Error::output(path, ".vtp cannot hold hexahedra", "end the name in .vtu"));
        }
    };
    let mut file = VtkFile::new(path, "PolyData", output);
    file.text(format!(
        "    <Piece NumberOfPoints=\"{}\" {count}=\"{}\">\n",
        geometry.n_points, geometry.n_cells
    ));
    file.data_and_points()?;
    file.section(section, "", |file| {
        file.array("connectivity", 1, &geometry.connectivity);
        file.array("offsets", 1, &geometry.ends);
    });
    file.finish()
}
