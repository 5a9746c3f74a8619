//! Writer of a series of states in one VTKHDF file
//! (<https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/>, version 2.0, transient
//! data), based on the crate `hdf5-pure`.
//!
//! The mesh is written once, each step appends its rows to the arrays, and the group `Steps` states
//! where each step begins. Each step is one commit: new bytes are appended to the file, and the
//! superblock is updated last, so that a program killed at any moment leaves a file with all
//! finished steps. Data that an earlier superblock refers to are never overwritten, so that another
//! program can read the file while it is being written.

mod columns;
mod rewrite;

use std::path::{Path, PathBuf};

use hdf5_pure::{AttrValue, File, FileAccessProperties, FileBuilder, FileLocking};

use super::write::{Compression, FieldValues, VtkOutput};
use crate::about::Entry;
use crate::guard::quietly;
use columns::{Column, Numbers, OFFSETS, SPARE, fill, mesh_columns, spare};
use rewrite::is_whole;
use zeroset_core::atomic;
use zeroset_core::error::{Error, Result};

/// The version of the written format.
const VERSION: [i64; 2] = [2, 0];
/// Rows per chunk of the arrays that grow by one row per step.
const STEP_ROWS: u64 = 64;
/// The largest number of rows per chunk. HDF5 limits a chunk to 4 GiB.
const MOST_ROWS: u64 = 1 << 28;

type Hdf<T> = std::result::Result<T, hdf5_pure::Error>;

/// A series of states on one mesh in one file. Triangles and lines are stored as poly data, and
/// tetrahedra as an unstructured grid, as in `.vtp` and `.vtu`.
#[derive(Debug)]
pub struct HdfSeries {
    path: PathBuf,
    zlib: bool,
    steps: u64,
    /// The number of points in the mesh, or 0 before the first state.
    n_points: u64,
    /// The names of the point data of the first state, sorted.
    arrays: Vec<String>,
}

impl HdfSeries {
    /// Creates a series without states. The file is created with the first state, whose points and
    /// cells apply to all states.
    ///
    /// VTK reads HDF5 arrays uncompressed or compressed with zlib. Every setting other than
    /// [`Compression::Zlib`] therefore gives uncompressed arrays.
    pub fn new(path: &Path, compression: Compression) -> Self {
        let zlib = compression == Compression::Zlib;
        HdfSeries { path: path.to_path_buf(), zlib, steps: 0, n_points: 0, arrays: Vec::new() }
    }

    /// Opens the series in an existing file and truncates it to its first `steps` states, so that
    /// more can follow. The file then has the same bytes as if no other state had been written. If
    /// `steps` is 0, the file is removed.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file is not such a series, has fewer states, or cannot be
    /// written.
    pub fn open_existing(path: &Path, compression: Compression, steps: usize) -> Result<Self> {
        let mut series = HdfSeries::new(path, compression);
        if steps == 0 {
            return match std::fs::remove_file(path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(series.fail(e)),
                _ => Ok(series),
            };
        }
        series.steps = steps as u64;
        let (found, n_points, arrays, kept) = series.guarded(|| series.read(path))?;
        if found < series.steps {
            let what = format!("holds {found} states, but {steps} are needed");
            return Err(Error::output(path, what, "start the run again with --overwrite"));
        }
        series.n_points = n_points;
        series.arrays = arrays;
        if let Some((kind, columns)) = kept {
            series.rewrite(kind, columns)?;
        }
        Ok(series)
    }

    /// Returns the number of states in the file.
    pub fn len(&self) -> usize {
        self.steps as usize
    }

    /// Returns true if there is no state yet.
    pub fn is_empty(&self) -> bool {
        self.steps == 0
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a state with its time (0 if it has none) and its point data. Every state must have the
    /// same mesh and arrays as the first one. When this function returns, the file holds the whole
    /// state. After an error, it holds no part of the state.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the number of points or the arrays differ from those of the
    /// first state, if the length of an array is wrong, if its name is not valid in HDF5, if an
    /// array of a later state has several components, or if the file cannot be written.
    pub fn add(&mut self, state: &VtkOutput) -> Result<()> {
        let n_points = state.geometry.n_points;
        if self.steps > 0 && n_points as u64 != self.n_points {
            let what = format!("a state has {n_points} points, but the mesh has {}", self.n_points);
            return Err(Error::output(&self.path, what, "write .pvd if the mesh changes"));
        }
        for field in &state.point_data {
            let (name, found) = (field.name, field.values.len());
            if Some(found) != field.components.checked_mul(n_points) || field.components == 0 {
                let what = format!("array {name} has {found} numbers for {n_points} points");
                return Err(Error::output(&self.path, what, "give every row all components"));
            }
            if name.is_empty() || name == "." || name.contains('/') {
                let what = format!("\"{name}\" cannot be the name of an array in HDF5");
                return Err(Error::output(&self.path, what, "choose another name"));
            }
            if field.components > 1 && self.steps > 0 {
                let what = format!("array {name} has {} components", field.components);
                let remedy = "only arrays with one component can grow: write .pvd";
                return Err(Error::output(&self.path, what, remedy));
            }
        }
        let mut arrays: Vec<String> = state.point_data.iter().map(|f| f.name.into()).collect();
        arrays.sort_unstable();
        if self.steps > 0 && arrays != self.arrays {
            let [found, first] = [&arrays, &self.arrays].map(|names| names.join(", "));
            let what = format!("a state has the arrays {found}, but the first state has {first}");
            return Err(Error::output(&self.path, what, "write .pvd if the arrays change"));
        }
        let mut columns = self.step_columns(state);
        if self.steps == 0 {
            columns.extend(mesh_columns(state));
            columns.extend(texts(state));
        }
        columns.sort_by(|a, b| a.rank().cmp(&b.rank()));
        if self.steps == 0 {
            let grid = state.geometry.shape.is_solid();
            let kind = if grid { "UnstructuredGrid" } else { "PolyData" };
            let whole = builder(AttrValue::AsciiString(kind.into()), 1, &columns, self.zlib);
            atomic::write(&self.path, |out| whole.finish_to(out).map_err(std::io::Error::other))?;
        } else {
            self.guarded(|| self.append(columns))?;
        }
        self.steps += 1;
        self.n_points = n_points as u64;
        self.arrays = arrays;
        Ok(())
    }

    /// Calls the crate `hdf5-pure` on a file that may be damaged. A panic of the crate becomes an
    /// error.
    fn guarded<T>(&self, work: impl FnOnce() -> Hdf<T>) -> Result<T> {
        match quietly(work) {
            Ok(found) => found.map_err(|e| self.fail(e)),
            Err(panic) => Err(self.fail(format!("is damaged: {panic}"))),
        }
    }

    fn fail(&self, what: impl std::fmt::Display) -> Error {
        Error::output(
            &self.path,
            what,
            "check the file, the permissions of its folder and the disk space",
        )
    }

    /// Returns a row for each array of `Steps`, and the point data.
    fn step_columns<'a>(&self, state: &VtkOutput<'a>) -> Vec<Column<'a>> {
        let row = |name: &str, numbers| Column {
            path: format!("Steps/{name}"),
            width: 0,
            chunk: Some(STEP_ROWS),
            numbers,
        };
        let mut columns = vec![
            row("Values", Numbers::Real(state.time.unwrap_or(0.0))),
            row("PartOffsets", Numbers::Whole(vec![0])),
            row("NumberOfParts", Numbers::Whole(vec![1])),
            row("PointOffsets", Numbers::Whole(vec![0])),
        ];
        if state.geometry.shape.is_solid() {
            columns.extend(OFFSETS.map(|name| row(name, Numbers::Whole(vec![0]))));
        } else if self.steps == 0 {
            columns.extend(OFFSETS.map(|name| spare(name, SPARE)));
        }
        let rows = state.geometry.n_points as u64;
        for field in &state.point_data {
            let name = field.name;
            let before = Numbers::Whole(vec![(self.steps * rows) as i64]);
            columns.push(row(&format!("PointDataOffsets/{name}"), before));
            let scalar = field.components == 1;
            columns.push(Column {
                path: format!("PointData/{name}"),
                width: if scalar { 0 } else { field.components },
                chunk: scalar.then_some(rows.clamp(1, MOST_ROWS)),
                numbers: Numbers::Field(field.values),
            });
        }
        columns
    }

    /// Appends rows to all arrays in one commit.
    fn append(&self, columns: Vec<Column>) -> Hdf<()> {
        // Locking is disabled because readers lock files too. The lock of the run folder keeps
        // other writers away.
        let access = FileAccessProperties::new().with_locking(FileLocking::Disabled);
        let file = File::open_rw_with_options(&self.path, access)?;
        for column in columns {
            let mut array = file.dataset(&format!("VTKHDF/{}", column.path))?;
            array.append_staged(|rows| match &column.numbers {
                Numbers::Whole(v) => drop(rows.append(v.as_slice())),
                Numbers::Real(x) => drop(rows.append(&[*x])),
                Numbers::Bytes(v) => drop(rows.append(v.as_slice())),
                // Texts belong to the first state.
                Numbers::Text(_) => {}
                Numbers::Raw(_, v) => drop(rows.append_raw(v)),
                Numbers::Part(_, v) => drop(rows.append_raw(v)),
                Numbers::Field(values) => match values {
                    FieldValues::F64(v) => drop(rows.append(v)),
                    FieldValues::F32(v) => drop(rows.append(v)),
                    FieldValues::I64(v) => drop(rows.append(v)),
                    FieldValues::I32(v) => drop(rows.append(v)),
                    FieldValues::U32(v) => drop(rows.append(v)),
                    FieldValues::U8(v) => drop(rows.append(v)),
                    FieldValues::I8(v) => drop(rows.append(v)),
                    FieldValues::U16(v) => drop(rows.append(v)),
                    FieldValues::I16(v) => drop(rows.append(v)),
                    FieldValues::U64(v) => drop(rows.append(v)),
                },
            })?;
        }
        let steps = file.group("VTKHDF/Steps")?;
        for name in OFFSETS {
            let shape = steps.dataset(name)?.shape()?;
            if let [rows, _] = shape[..]
                && rows <= self.steps
            {
                steps.delete(name)?;
                steps.create_dataset(name, |array| spare(name, 2 * rows).put(array, false))?;
            }
        }
        steps.set_attr("NSteps", AttrValue::I64(self.steps as i64 + 1))?;
        drop(steps);
        file.commit()?;
        file.close()
    }

    /// Returns the number of states and the number of points in a file, and the sorted names of its
    /// point data. If there are more than `steps` states, or an interrupted write has left bytes
    /// behind, also returns the type and the content to keep.
    fn read(&self, path: &Path) -> Hdf<(u64, u64, Vec<String>, Option<Contents>)> {
        let file = File::open_streaming(path)?;
        let root = file.group("VTKHDF")?;
        let rows = |name: &str| -> Hdf<u64> {
            Ok(root.dataset(name)?.shape()?.first().copied().unwrap_or(0))
        };
        let found = rows("Steps/Values")?;
        let n_points = rows("Points")?;
        let mut arrays = match root.groups()?.iter().any(|name| name == "PointData") {
            true => root.group("PointData")?.datasets()?,
            false => Vec::new(),
        };
        arrays.sort_unstable();
        let kind = root.attrs()?.get("Type").cloned();
        let is_kept = found > self.steps || found == self.steps && !is_whole(path);
        let Some(kind) = kind.filter(|_| is_kept) else {
            return Ok((found, n_points, arrays, None));
        };
        let mut columns = Vec::new();
        self.read_below(&root, "", n_points, &mut columns)?;
        Ok((found, n_points, arrays, Some((kind, columns))))
    }

    /// Reads the rows of the first `steps` states of all arrays below a group.
    fn read_below(
        &self,
        group: &hdf5_pure::Group,
        above: &str,
        n_points: u64,
        columns: &mut Vec<Column<'static>>,
    ) -> Hdf<()> {
        for name in group.groups()? {
            let inner = group.group(&name)?;
            self.read_below(&inner, &format!("{above}{name}/"), n_points, columns)?;
        }
        for name in group.datasets()? {
            let array = group.dataset(&name)?;
            let path = format!("{above}{name}");
            let shape = array.shape()?;
            let (rows, width) = (shape.first().copied().unwrap_or(0), shape.get(1).copied());
            let kept = match width {
                Some(_) => rows,
                None if above.starts_with("Steps/") => self.steps,
                None if above == "PointData/" => self.steps * n_points,
                None => rows,
            };
            let mut bytes = array.read_raw()?;
            bytes.truncate((bytes.len() as u64 / rows.max(1) * kept.min(rows)) as usize);
            let chunk = array.maxshape()?.and(array.chunk_shape()?);
            columns.push(Column {
                path,
                width: width.unwrap_or(0) as usize,
                chunk: chunk.and_then(|chunk| chunk.first().copied()),
                numbers: Numbers::Raw(array.datatype()?, bytes),
            });
        }
        Ok(())
    }
}

/// Returns the metadata of a state as field data.
fn texts<'a>(state: &VtkOutput<'a>) -> impl Iterator<Item = Column<'a>> {
    let column = |(name, text): &Entry| Column {
        path: format!("FieldData/{name}"),
        width: 0,
        chunk: None,
        numbers: Numbers::Text(text.clone()),
    };
    state.metadata.iter().map(column)
}

/// Returns a builder of a whole file.
fn builder(kind: AttrValue, steps: u64, columns: &[Column], zlib: bool) -> FileBuilder {
    let mut builder = FileBuilder::new();
    let mut root = builder.create_group("VTKHDF");
    root.set_attr("Version", AttrValue::I64Array(VERSION.to_vec()));
    root.set_attr("Type", kind);
    let columns: Vec<&Column> = columns.iter().collect();
    fill(&mut root, "", &columns, steps, zlib);
    builder.add_group(root.finish());
    builder
}

/// The type and the arrays of a file that is rewritten.
type Contents = (AttrValue, Vec<Column<'static>>);
