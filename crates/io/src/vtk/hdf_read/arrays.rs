//! Access to the arrays and attributes of the group `VTKHDF`, with limits on their sizes.

use std::cell::Cell;

use hdf5_pure::{AttrValue, Dataset, Datatype, DatatypeByteOrder, File, Group};

use super::super::source::{one_line, shown};
use super::DAMAGED;
use crate::budget::{Budget, TooLarge};
use crate::guard::quietly;
use crate::scalar::Scalar;
use crate::units::Units;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::Values;

type Hdf<T> = std::result::Result<T, hdf5_pure::Error>;

/// The group that holds everything.
const ROOT: &str = "VTKHDF";

/// The arrays of a file.
pub(super) struct Arrays {
    file: File,
    /// The number of bytes that may still be read from the arrays.
    budget: Cell<Budget>,
}

/// An array, with the shape and the number type that the file states.
pub(super) struct Array {
    path: String,
    dataset: Dataset,
    shape: Vec<u64>,
    /// The number type and whether the bytes are in big-endian order. `None` if the array does not
    /// hold numbers of a supported type.
    numbers: Option<(Scalar, bool)>,
    /// The number of bytes of a chunk. It is 0 if the array is not divided into chunks.
    chunk: u64,
}

impl Arrays {
    /// Opens a file, which must have the group `VTKHDF`.
    pub fn open(bytes: Vec<u8>, budget: Budget) -> Result<Self, Flaw> {
        let file = guarded("HDF5", || File::from_bytes(bytes))?;
        let arrays = Arrays { file, budget: Cell::new(budget) };
        guarded(ROOT, || arrays.file.group(ROOT))?;
        Ok(arrays)
    }

    /// Returns the numbers of an attribute of the group `VTKHDF`. The attribute must exist, and its
    /// numbers must be finite.
    pub fn attribute_numbers(&self, name: &str) -> Result<Vec<f64>, Flaw> {
        let found = self.attribute(name)?;
        let numbers = match &found {
            Some(AttrValue::F64(x)) => Some(vec![*x]),
            Some(AttrValue::F64Array(v)) => Some(v.clone()),
            Some(AttrValue::F32(x)) => Some(vec![f64::from(*x)]),
            Some(AttrValue::F32Array(v)) => Some(v.iter().map(|&x| x.into()).collect()),
            Some(AttrValue::I64(x)) => Some(vec![*x as f64]),
            Some(AttrValue::I64Array(v)) => Some(v.iter().map(|&x| x as f64).collect()),
            Some(AttrValue::I32(x)) => Some(vec![f64::from(*x)]),
            Some(AttrValue::I32Array(v)) => Some(v.iter().map(|&x| x.into()).collect()),
            Some(AttrValue::U64(x)) => Some(vec![*x as f64]),
            Some(AttrValue::U64Array(v)) => Some(v.iter().map(|&x| x as f64).collect()),
            Some(AttrValue::U32(x)) => Some(vec![f64::from(*x)]),
            Some(AttrValue::U32Array(v)) => Some(v.iter().map(|&x| x.into()).collect()),
            _ => None,
        };
        let is_finite = |numbers: &Vec<f64>| numbers.iter().all(|x| x.is_finite());
        numbers.filter(is_finite).ok_or_else(|| fail(name, "is missing or not numbers"))
    }

    /// Returns the text of an attribute of the group `VTKHDF`. The attribute must exist and be a
    /// string.
    pub fn attribute_word(&self, name: &str) -> Result<String, Flaw> {
        match self.attribute(name)?.as_ref().and_then(word) {
            Some(word) => Ok(word),
            None => Err(fail(name, "is missing or not a word")),
        }
    }

    fn attribute(&self, name: &str) -> Result<Option<AttrValue>, Flaw> {
        let mut attributes = guarded(ROOT, || self.file.group(ROOT)?.attrs())?;
        Ok(attributes.remove(name))
    }

    /// Returns the times of the states, or `None` if there is no group `Steps`.
    pub fn times(&self) -> Result<Option<Vec<f64>>, Flaw> {
        if !self.groups("")?.iter().any(|name| name == "Steps") {
            return Ok(None);
        }
        let stated = guarded("Steps", || self.file.group(&format!("{ROOT}/Steps"))?.attrs())?;
        let stated = match stated.get("NSteps") {
            Some(AttrValue::I64(n)) => u64::try_from(*n).ok(),
            Some(AttrValue::I32(n)) => u64::try_from(*n).ok(),
            Some(AttrValue::I64Array(n)) if n.len() == 1 => u64::try_from(n[0]).ok(),
            Some(AttrValue::I32Array(n)) if n.len() == 1 => u64::try_from(n[0]).ok(),
            _ => None,
        };
        let array = self.array("Steps/Values")?;
        let n = stated.unwrap_or(array.rows()).min(array.rows());
        let times = self.rows(&array, 0, n)?.to_f64();
        if let Some(k) = times.iter().position(|time| !time.is_finite()) {
            return Err(fail("Steps/Values", &format!("time {k} is {}", times[k])));
        }
        match times.is_empty() {
            true => Err(fail("Steps", "lists no states")),
            false => Ok(Some(times)),
        }
    }

    /// Returns the time in the field data of a file that is not a series, if it has one.
    pub fn single_time(&self) -> Result<Option<f64>, Flaw> {
        if !self.datasets("FieldData")?.iter().any(|name| name == "TimeValue") {
            return Ok(None);
        }
        let array = self.array("FieldData/TimeValue")?;
        let values = self.rows(&array, 0, array.rows().min(1))?.to_f64();
        Ok(values.first().copied().filter(|time| time.is_finite()))
    }

    /// Returns the units that the field data states, as far as they can be read.
    pub fn units(&self) -> Result<Units, Flaw> {
        let names = self.datasets("FieldData")?;
        let text = |name: &str| {
            let path = format!("{ROOT}/FieldData/{name}");
            // Other programs' field data must not make a file unreadable.
            let read = || {
                let dataset = self.file.dataset(&path)?;
                match dataset.shape()?[..] {
                    [] | [1] => dataset.read_string(),
                    _ => Ok(Vec::new()),
                }
            };
            guarded(name, read).ok()?.pop()
        };
        Ok(Units::of_entries(|name| {
            names.iter().find(|known| *known == name).and_then(|n| text(n))
        }))
    }

    /// Returns the names of the groups in a group, sorted.
    fn groups(&self, path: &str) -> Result<Vec<String>, Flaw> {
        let mut names = guarded(path, || self.group(path)?.groups())?;
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the names of the arrays in a group, sorted. A missing group has none.
    pub fn datasets(&self, path: &str) -> Result<Vec<String>, Flaw> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        if !self.groups(above)?.iter().any(|other| other == name) {
            return Ok(Vec::new());
        }
        let mut names = guarded(path, || self.group(path)?.datasets())?;
        names.sort_unstable();
        Ok(names)
    }

    fn group(&self, path: &str) -> Hdf<Group> {
        match path {
            "" => self.file.group(ROOT),
            _ => self.file.group(&format!("{ROOT}/{path}")),
        }
    }

    /// Returns the array at a path below the group `VTKHDF`.
    pub fn array(&self, path: &str) -> Result<Array, Flaw> {
        let open = || {
            let dataset = self.file.dataset(&format!("{ROOT}/{path}"))?;
            let (shape, datatype) = (dataset.shape()?, dataset.datatype()?);
            let chunk = dataset.chunk_shape()?.map_or(0, |chunk| {
                let size = u64::from(datatype.type_size());
                chunk.iter().fold(size, |n, &k| n.saturating_mul(k))
            });
            Ok((dataset, shape, numbers(&datatype), chunk))
        };
        let (dataset, shape, numbers, chunk) = guarded(path, open)?;
        Ok(Array { path: path.into(), dataset, shape, numbers, chunk })
    }

    /// Reads `n` rows of an array, starting at row `first`, as bytes. Also returns the number type
    /// and whether the byte order is big-endian. The size is checked before anything is allocated.
    pub fn bytes(
        &self,
        array: &Array,
        first: u64,
        n: u64,
    ) -> Result<(Vec<u8>, Scalar, bool), Flaw> {
        let Some((scalar, big_endian)) = array.numbers else {
            return Err(array.fail("does not hold numbers of 1 to 8 bytes"));
        };
        if first.checked_add(n).is_none_or(|end| end > array.rows()) {
            let what = format!("has {} rows, but rows {first} to {first} + {n}", array.rows());
            return Err(array.fail(&format!("{what} are needed")));
        }
        let size = array.width().saturating_mul(n).saturating_mul(scalar.size() as u64);
        let mut budget = self.budget.get();
        let taken = budget.take(if n > 0 { size.max(array.chunk) } else { 0 });
        taken.map_err(|large| Flaw::at(&*array.path, large.0, TooLarge::REMEDY))?;
        self.budget.set(budget);
        if size == 0 {
            return Ok((Vec::new(), scalar, big_endian));
        }
        let bytes = guarded(&array.path, || array.dataset.read_raw_rows(first, n))?;
        match bytes.len() as u64 == size {
            true => Ok((bytes, scalar, big_endian)),
            false => Err(array.fail(&format!("has {} bytes instead of {size}", bytes.len()))),
        }
    }

    /// Reads `n` rows of an array, starting at row `first`, as numbers.
    pub fn rows(&self, array: &Array, first: u64, n: u64) -> Result<Values, Flaw> {
        let (bytes, scalar, big_endian) = self.bytes(array, first, n)?;
        Ok(scalar.unpack(&bytes, big_endian))
    }

    /// Reads rows of an array of whole numbers.
    pub fn integers(&self, array: &Array, first: u64, n: u64) -> Result<Vec<i64>, Flaw> {
        match self.rows(array, first, n)? {
            Values::Int(values) => Ok(values),
            Values::Float(_) => Err(array.fail("does not hold whole numbers")),
        }
    }

    /// Reads rows of an array of counts or offsets, which must not be negative.
    pub fn counts(&self, path: &str, first: u64, n: u64) -> Result<Vec<u64>, Flaw> {
        let array = self.array(path)?;
        let counts = self.integers(&array, first, n)?;
        let counts: Option<Vec<u64>> = counts.iter().map(|&n| u64::try_from(n).ok()).collect();
        counts.ok_or_else(|| array.fail("has a negative number"))
    }
}

impl Array {
    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Returns how many numbers each row has.
    pub fn width(&self) -> u64 {
        self.shape.iter().skip(1).fold(1, |n, &k| n.saturating_mul(k))
    }

    /// Returns true if the array holds numbers that can be read.
    pub fn has_numbers(&self) -> bool {
        self.numbers.is_some()
    }

    /// Returns true if the file marks the array as the scalars of its points or cells.
    pub fn is_active(&self) -> bool {
        let marks = quietly(|| self.dataset.attrs());
        let marks = marks.ok().and_then(|attributes| attributes.ok());
        marks.is_some_and(|marks| {
            marks.get("Attribute").and_then(word).is_some_and(|word| word == "Scalars")
        })
    }

    /// Creates a flaw that names this array.
    pub fn fail(&self, what: &str) -> Flaw {
        fail(&self.path, what)
    }
}

/// Returns the number type and whether the byte order is big-endian, or `None` for an unsupported
/// type.
fn numbers(datatype: &Datatype) -> Option<(Scalar, bool)> {
    let (scalar, order) = match datatype {
        Datatype::FixedPoint { size, byte_order, layout } => {
            let is_whole = layout.bit_offset == 0 && u32::from(layout.bit_precision) == 8 * size;
            let scalar = match (size, layout.signed) {
                (1, true) => Scalar::I8,
                (1, false) => Scalar::U8,
                (2, true) => Scalar::I16,
                (2, false) => Scalar::U16,
                (4, true) => Scalar::I32,
                (4, false) => Scalar::U32,
                (8, true) => Scalar::I64,
                (8, false) => Scalar::U64,
                _ => return None,
            };
            (is_whole.then_some(scalar)?, byte_order)
        }
        Datatype::FloatingPoint { size: 4, byte_order, .. } => (Scalar::F32, byte_order),
        Datatype::FloatingPoint { size: 8, byte_order, .. } => (Scalar::F64, byte_order),
        Datatype::Enumeration { base_type, .. } => return numbers(base_type),
        _ => return None,
    };
    match order {
        DatatypeByteOrder::LittleEndian => Some((scalar, false)),
        DatatypeByteOrder::BigEndian => Some((scalar, true)),
        DatatypeByteOrder::Vax => None,
    }
}

/// Returns the text of an attribute without padding, or `None` if the attribute is not text.
fn word(value: &AttrValue) -> Option<String> {
    let text = value.as_str()?;
    Some(text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_string())
}

fn fail(path: &str, what: &str) -> Flaw {
    let position = format!("'{}'", shown_path(path));
    Flaw::at(position.as_str(), one_line(what), DAMAGED)
}

fn shown_path(path: &str) -> String {
    let shown = shown(path.as_bytes());
    shown.trim_matches('\'').to_string()
}

/// Calls the crate `hdf5-pure` on a file that may be damaged. A panic of the crate becomes a flaw.
fn guarded<T>(path: &str, work: impl FnOnce() -> Hdf<T>) -> Result<T, Flaw> {
    match quietly(work) {
        Ok(found) => found.map_err(|e| fail(path, &format!("cannot be read: {e}"))),
        Err(panic) => Err(fail(path, &format!("cannot be read: {panic}"))),
    }
}
