//! The arrays of a VTKHDF file and their order.

use hdf5_pure::{
    AttrValue, CharacterSet, DatasetBuilder, Datatype, GroupBuilder, MaxExtent, StringPadding,
};

use crate::vtk::write::{FieldValues, Shape, VtkOutput};

/// The kinds of cells of poly data, in the order of their offsets.
const TOPOLOGIES: [&str; 4] = ["Vertices", "Lines", "Polygons", "Strips"];
/// The names of the arrays with the offsets of the cells. For poly data, they are two-dimensional,
/// with a row for each step and a column for each topology. All offsets are 0 because the mesh does
/// not change. The crate can add rows only to one-dimensional arrays, so two-dimensional ones have
/// spare rows.
pub(super) const OFFSETS: [&str; 2] = ["CellOffsets", "ConnectivityIdOffsets"];
/// The arrays of all groups in the order in which they are written.
const ORDER: [&str; 13] = [
    "Values",
    "PartOffsets",
    "NumberOfParts",
    "PointOffsets",
    OFFSETS[0],
    OFFSETS[1],
    "NumberOfPoints",
    "Points",
    "NumberOfCells",
    "NumberOfConnectivityIds",
    "Offsets",
    "Connectivity",
    "Types",
];
/// The initial number of rows of the two-dimensional [`OFFSETS`]. It is doubled when necessary.
pub(super) const SPARE: u64 = 64;
/// Returns an array of `Steps` with `rows` rows of zeros, one number per topology.
pub(super) fn spare(name: &str, rows: u64) -> Column<'static> {
    let numbers = Numbers::Whole(vec![0; 4 * rows as usize]);
    Column { path: format!("Steps/{name}"), width: 4, chunk: None, numbers }
}

/// The rows to write to one array.
pub(super) struct Column<'a> {
    /// The path below the group `VTKHDF`.
    pub path: String,
    /// Numbers per row; 0 for a one-dimensional array.
    pub width: usize,
    /// Rows per chunk if the array grows.
    pub chunk: Option<u64>,
    pub numbers: Numbers<'a>,
}

/// Returns the type of a UTF-8 text of `size` bytes, including a final 0.
fn text_type(size: usize) -> Datatype {
    let (padding, charset) = (StringPadding::NullTerminate, CharacterSet::Utf8);
    Datatype::String { size: size as u32, padding, charset }
}

pub(super) enum Numbers<'a> {
    Field(FieldValues<'a>),
    Whole(Vec<i64>),
    Real(f64),
    Bytes(Vec<u8>),
    /// A string of fixed length.
    Text(String),
    /// Numbers as read from a file.
    Raw(Datatype, Vec<u8>),
    /// A part of the numbers of a `Raw`.
    Part(&'a Datatype, &'a [u8]),
}

impl Column<'_> {
    fn n_numbers(&self) -> usize {
        match &self.numbers {
            Numbers::Field(values) => values.len(),
            Numbers::Whole(values) => values.len(),
            Numbers::Real(_) => 1,
            Numbers::Bytes(values) => values.len(),
            Numbers::Text(_) => 1,
            Numbers::Raw(kind, bytes) => bytes.len() / (kind.type_size() as usize).max(1),
            Numbers::Part(kind, bytes) => bytes.len() / (kind.type_size() as usize).max(1),
        }
    }

    /// Returns the sort key: the group, the position among the arrays of the group, and the name.
    /// Arrays whose names the format does not prescribe come last, sorted by name. The order fixes
    /// the bytes of a file.
    pub(super) fn rank(&self) -> (&str, usize, &str) {
        let (group, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let is_data = group.ends_with("PointData") || group.ends_with("PointDataOffsets");
        let place = ORDER.iter().position(|other| *other == name && !is_data);
        (group, place.unwrap_or(ORDER.len()), name)
    }

    /// Gives the new array its numbers, its shape and its chunks.
    pub(super) fn put(&self, array: &mut DatasetBuilder, zlib: bool) {
        let n = self.n_numbers();
        match &self.numbers {
            Numbers::Whole(v) => array.with_data(v.as_slice()),
            Numbers::Real(x) => array.with_data(&[*x]),
            Numbers::Bytes(v) => array.with_data(v.as_slice()),
            Numbers::Text(text) => {
                let bytes = [text.as_bytes(), &[0]].concat();
                array.with_raw_data(text_type(bytes.len()), bytes, 1)
            }
            Numbers::Raw(kind, v) => array.with_raw_data(kind.clone(), v.clone(), n as u64),
            Numbers::Part(kind, v) => array.with_raw_data((*kind).clone(), v.to_vec(), n as u64),
            Numbers::Field(values) => match values {
                FieldValues::F64(v) => array.with_data(v),
                FieldValues::F32(v) => array.with_data(v),
                FieldValues::I64(v) => array.with_data(v),
                FieldValues::I32(v) => array.with_data(v),
                FieldValues::U32(v) => array.with_data(v),
                FieldValues::U8(v) => array.with_data(v),
                FieldValues::I8(v) => array.with_data(v),
                FieldValues::U16(v) => array.with_data(v),
                FieldValues::I16(v) => array.with_data(v),
                FieldValues::U64(v) => array.with_data(v),
            },
        };
        let with_width = |rows: u64| match self.width {
            0 => vec![rows],
            width => vec![rows, width as u64],
        };
        let rows = (n / self.width.max(1)) as u64;
        array.with_shape(&with_width(rows));
        let zlib = zlib && rows > 0 && !self.path.starts_with("Steps/");
        if let Some(chunk) = self.chunk {
            array.with_maxshape(&[MaxExtent::Unlimited]).with_chunks(&[chunk]);
        } else if zlib {
            array.with_chunks(&with_width(rows.min(1 << 16)));
        }
        if zlib {
            array.with_shuffle().with_deflate(1);
        }
    }
}

/// Adds the arrays and groups below a path to a group.
pub(super) fn fill(
    group: &mut GroupBuilder,
    above: &str,
    columns: &[&Column],
    steps: u64,
    zlib: bool,
) {
    let name = |column: &Column| {
        column.path[above.len()..].split_once('/').map(|(first, _)| first.to_string())
    };
    let mut below: Vec<String> = columns.iter().filter_map(|column| name(column)).collect();
    below.sort_unstable();
    below.dedup();
    for name in below {
        let mut inner = group.create_group(&name);
        let path = format!("{above}{name}/");
        if path == "Steps/" {
            inner.set_attr("NSteps", AttrValue::I64(steps as i64));
        }
        let inside = columns.iter().copied().filter(|column| column.path.starts_with(&path));
        fill(&mut inner, &path, &inside.collect::<Vec<_>>(), steps, zlib);
        group.add_group(inner.finish());
    }
    for column in columns.iter().filter(|column| name(column).is_none()) {
        column.put(group.create_dataset(&column.path[above.len()..]), zlib);
    }
}

/// Returns the arrays of the points and cells.
pub(super) fn mesh_columns<'a>(state: &VtkOutput<'a>) -> Vec<Column<'a>> {
    let geometry = state.geometry;
    let points = geometry.points.field().unwrap_or(FieldValues::F64(&[]));
    let cells = geometry.connectivity.indices();
    let arity = geometry.shape.arity();
    let column = |path: String, width, numbers| Column { path, width, chunk: None, numbers };
    let mut columns = vec![
        column("NumberOfPoints".into(), 0, Numbers::Whole(vec![geometry.n_points as i64])),
        column("Points".into(), 3, Numbers::Field(points)),
    ];
    let mut cells_below = |above: &str, cells: &[u32]| {
        let n = cells.len() / arity;
        let ends = (0..=n).map(|k| (k * arity) as i64).collect();
        let indices = cells.iter().map(|&v| i64::from(v)).collect();
        for (name, numbers) in [
            ("NumberOfCells", vec![n as i64]),
            ("NumberOfConnectivityIds", vec![cells.len() as i64]),
            ("Offsets", ends),
            ("Connectivity", indices),
        ] {
            columns.push(column(format!("{above}{name}"), 0, Numbers::Whole(numbers)));
        }
    };
    let own = match geometry.shape {
        Shape::Tetrahedra | Shape::Hexahedra => {
            cells_below("", cells);
            let types = vec![geometry.shape as u8; geometry.n_cells];
            columns.push(column("Types".into(), 0, Numbers::Bytes(types)));
            return columns;
        }
        Shape::Vertices => 0,
        Shape::Lines => 1,
        Shape::Triangles | Shape::Quads => 2,
    };
    for (k, name) in TOPOLOGIES.iter().enumerate() {
        cells_below(&format!("{name}/"), if k == own { cells } else { &[] });
    }
    columns
}
