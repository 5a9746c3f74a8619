//! Writing `.vtu`, `.vtp` and `.pvd`; the module above shows how.

mod encode;
mod file;
mod image;

use std::path::Path;

use encode::{Encoded, Numbers};
use file::VtkFile;
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::{DataArray, Kind, Mesh, Values};

pub use file::write_pvd;
pub(crate) use image::write_vti;

/// How arrays are compressed.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    None,
    /// LZ4: as fast as writing without compression.
    #[default]
    Lz4,
    /// zlib, level 1: smaller files, slower.
    Zlib,
}

impl Compression {
    /// The attribute of a file that says so.
    fn attribute(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Lz4 => " compressor=\"vtkLZ4DataCompressor\"",
            Compression::Zlib => " compressor=\"vtkZLibDataCompressor\"",
        }
    }
}

/// Numbers of a field, borrowed; 4-byte and 8-byte numbers keep their precision in the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FieldValues<'a> {
    /// Double precision.
    F64(&'a [f64]),
    /// Single precision.
    F32(&'a [f32]),
    /// Labels and counts.
    I64(&'a [i64]),
    /// Labels and counts.
    I32(&'a [i32]),
    /// Labels and counts.
    U32(&'a [u32]),
    /// Masks.
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
    /// How many numbers.
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

    /// True without numbers.
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
    /// Name in the file; any text.
    pub name: &'a str,
    /// Numbers per row: 1 for a scalar, 3 for a vector.
    pub components: usize,
    /// `[rows * components]`.
    pub values: FieldValues<'a>,
}

impl<'a> From<&'a DataArray> for Field<'a> {
    fn from(array: &'a DataArray) -> Self {
        let values = FieldValues::from(&array.values);
        Field { name: &array.name, components: array.components, values }
    }
}

/// What cells a [`Geometry`] has, with their VTK numbers.
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
    /// Points of a cell.
    pub(super) fn arity(self) -> usize {
        match self {
            Shape::Vertices => 1,
            Shape::Lines => 2,
            Shape::Triangles => 3,
            Shape::Quads | Shape::Tetrahedra => 4,
            Shape::Hexahedra => 8,
        }
    }

    /// Whether cells have a volume.
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
    /// Points and cells of a mesh.
    pub fn mesh(mesh: &'a Mesh, compression: Compression) -> Self {
        let shape = match mesh.kind {
            Kind::Planar | Kind::Surface => Shape::Triangles,
            Kind::Volume => Shape::Tetrahedra,
        };
        Self::new(shape, &mesh.vertices, &mesh.cells, compression)
    }

    /// Triangles, three point indices each; also the interface inside a tetrahedral mesh.
    pub fn triangles(
        points: &'a [[f64; 3]],
        triangles: &'a [u32],
        compression: Compression,
    ) -> Self {
        Self::new(Shape::Triangles, points, triangles, compression)
    }

    /// Tetrahedra, four point indices each.
    pub fn tetrahedra(
        points: &'a [[f64; 3]],
        tetrahedra: &'a [u32],
        compression: Compression,
    ) -> Self {
        Self::new(Shape::Tetrahedra, points, tetrahedra, compression)
    }

    /// Quadrangles, four point indices each, round them.
    pub fn quads(points: &'a [[f64; 3]], quads: &'a [u32], compression: Compression) -> Self {
        Self::new(Shape::Quads, points, quads, compression)
    }

    /// Hexahedra, eight point indices each: round the lower side, then those above them.
    pub fn hexahedra(
        points: &'a [[f64; 3]],
        hexahedra: &'a [u32],
        compression: Compression,
    ) -> Self {
        Self::new(Shape::Hexahedra, points, hexahedra, compression)
    }

    /// Points alone, each a cell; `numbers` counts them from 0.
    pub fn vertices(points: &'a [[f64; 3]], numbers: &'a [u32], compression: Compression) -> Self {
        Self::new(Shape::Vertices, points, numbers, compression)
    }

    /// Segments, two point indices each: the interface on a triangle mesh.
    pub fn lines(points: &'a [[f64; 3]], segments: &'a [u32], compression: Compression) -> Self {
        Self::new(Shape::Lines, points, segments, compression)
    }

    /// Chains of segments: `ends[k]` is where the points of chain k end in `points`, which holds
    /// those of all chains in turn and which `numbers`, 0 to its length, counts.
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

    /// The format that suits these cells: "vtu" for tetrahedra and hexahedra, "vtp" for all others.
    pub fn extension(&self) -> &'static str {
        if self.shape.is_solid() { "vtu" } else { "vtp" }
    }
}

/// One file: a geometry with data and the time they belong to.
#[derive(Clone)]
#[non_exhaustive]
pub struct VtkOutput<'a> {
    /// Points and cells.
    pub geometry: &'a Geometry<'a>,
    /// Fields with one row per point.
    pub point_data: Vec<Field<'a>>,
    /// Fields with one row per cell.
    pub cell_data: Vec<Field<'a>>,
    /// Written as `TimeValue`, which ParaView shows.
    pub time: Option<f64>,
}

impl<'a> VtkOutput<'a> {
    /// Points and cells without data.
    pub fn new(geometry: &'a Geometry<'a>) -> Self {
        VtkOutput { geometry, point_data: Vec::new(), cell_data: Vec::new(), time: None }
    }

    /// Sets the time.
    pub fn time(mut self, time: f64) -> Self {
        self.time = Some(time);
        self
    }

    /// Adds a field with one row of `components` numbers per point. ParaView colors by the first
    /// scalar field added.
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

/// Writes a `.vtu` or `.vtp` file, as the extension of `path` says.
///
/// # Errors
/// [`Error::Output`]: another extension, or as [`write_vtu`] and [`write_vtp`].
pub fn write(path: &Path, output: &VtkOutput) -> Result<()> {
    match path.extension().map(|e| e.to_ascii_lowercase()) {
        Some(extension) if extension == "vtu" => write_vtu(path, output),
        Some(extension) if extension == "vtp" => write_vtp(path, output),
        _ => {
            let fitting = output.geometry.extension();
            let what = "the name ends neither in .vtu nor in .vtp";
            Err(Error::output(path, what, format!("name it *.{fitting}")))
        }
    }
}

/// Writes triangles, quadrangles, tetrahedra or hexahedra as an unstructured grid.
///
/// # Errors
/// [`Error::Output`]: lines and points (they belong into `.vtp`), a field whose length does not fit, a file
/// that cannot be written.
pub fn write_vtu(path: &Path, output: &VtkOutput) -> Result<()> {
    let geometry = output.geometry;
    if matches!(geometry.shape, Shape::Lines | Shape::Vertices) {
        let what = "lines and points are not written as .vtu";
        return Err(Error::output(path, what, "name it *.vtp"));
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

/// Writes triangles, quadrangles, lines or points as polygonal data.
///
/// # Errors
/// [`Error::Output`]: tetrahedra and hexahedra (they need `.vtu`), a field whose length does not fit, a file
/// that cannot be written.
pub fn write_vtp(path: &Path, output: &VtkOutput) -> Result<()> {
    let geometry = output.geometry;
    let (section, count) = match geometry.shape {
        Shape::Vertices => ("Verts", "NumberOfVerts"),
        Shape::Lines => ("Lines", "NumberOfLines"),
        Shape::Triangles | Shape::Quads => ("Polys", "NumberOfPolys"),
        Shape::Tetrahedra => {
            return Err(Error::output(path, "tetrahedra cannot be .vtp", "name it *.vtu"));
        }
        Shape::Hexahedra => {
            return Err(Error::output(path, "hexahedra cannot be .vtp", "name it *.vtu"));
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
