//! Reader of XML files: `.vtu` (unstructured grids), `.vtp` (polygonal data) and `.vti` (images).
//!
//! The crate `vtkio` reads files whose arrays are all inline base64 without compression. ASCII,
//! appended and compressed arrays are read here, and so is anything that the crate rejects or
//! drops.

mod codec;
mod document;

use std::cell::Cell;

use super::grid::{Grid, to_points};
use super::image::{Lattice, Listed, NO_MESH, UNIT, choose};
use super::legacy::append_polydata;
use super::polyhedra::{POLYHEDRON, Polyhedra};
use super::source::Source;
use crate::budget::{Budget, TooLarge};
use crate::scalar::Scalar;
use crate::units::Units;
use crate::volume::stored;
use crate::{StateTime, VolumeFile, VolumeOptions};
use codec::{Codec, Lengths};
use document::{ArrayTag, Document, Format, Piece};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::mesh::{DataArray, Values};
use zeroset_core::volume::Samples;

/// An XML file whose tags have been read.
pub(super) struct XmlFile<'a> {
    source: Source<'a>,
    document: Document,
    /// The offsets that the tags of all arrays state (0 if none), in ascending order.
    offsets: Vec<usize>,
    /// The number of bytes of the appended data read so far.
    taken: Cell<usize>,
    /// The number of bytes that may still be unpacked from compressed arrays.
    budget: Cell<Budget>,
}

/// The sections of polygonal data in the order of their cell data, with the names of the attributes
/// that state how many cells they hold.
const POLYDATA: [(&str, &str); 4] = [
    ("Verts", "NumberOfVerts"),
    ("Lines", "NumberOfLines"),
    ("Polys", "NumberOfPolys"),
    ("Strips", "NumberOfStrips"),
];

/// The name of the field with the time.
pub(super) const TIME: &str = "TimeValue";

const DAMAGED: &str = "the file is damaged or truncated; copy or write it again";

impl<'a> XmlFile<'a> {
    /// Reads the tags of a file.
    pub fn open(source: Source<'a>, budget: Budget) -> Result<Self, Flaw> {
        let document = document::outline(&source)?;
        let arrays = document.pieces.iter().flat_map(|piece| &piece.arrays);
        let arrays = arrays.chain(&document.fields);
        let mut offsets: Vec<usize> = arrays.map(|array| array.offset).collect();
        offsets.sort_unstable();
        let (taken, budget) = (Cell::new(0), Cell::new(budget));
        Ok(XmlFile { source, document, offsets, taken, budget })
    }

    /// Returns "vtu" or "vtp".
    pub fn format(&self) -> &'static str {
        if self.is_polydata() { "vtp" } else { "vtu" }
    }

    fn is_polydata(&self) -> bool {
        self.document.dataset == "PolyData"
    }

    fn arrays(&self) -> impl Iterator<Item = &ArrayTag> {
        self.document.pieces.iter().flat_map(|piece| &piece.arrays)
    }

    /// Returns the version and the encoding, such as "1.0 appended raw zlib".
    pub fn version(&self) -> String {
        let mut words = vec![self.document.version.as_str()];
        let has = |format| self.arrays().any(|array| array.format == format);
        if has(Format::Ascii) {
            words.push("ascii");
        }
        if has(Format::Binary) {
            words.push("base64");
        }
        if let (true, Some(appended)) = (has(Format::Appended), &self.document.appended) {
            words.push(if appended.base64 { "appended base64" } else { "appended raw" });
        }
        if has(Format::Binary) || has(Format::Appended) {
            words.push(match self.document.compressor.as_str() {
                "vtkZLibDataCompressor" => "zlib",
                "vtkLZ4DataCompressor" => "lz4",
                "vtkLZMADataCompressor" => "lzma",
                other => other,
            });
        }
        words.retain(|word| !word.is_empty());
        words.join(" ")
    }

    /// Returns true if all arrays are inline base64 without compression in a single piece, which is
    /// what the crate can read.
    pub fn is_inline_base64(&self) -> bool {
        self.document.compressor.is_empty()
            && self.document.pieces.len() == 1
            && self.arrays().all(|a| {
                a.format == Format::Binary
                    && a.scalar.is_some_and(|s| s != Scalar::Bit)
                    && a.components > 0
            })
    }

    /// Returns true if a grid read by the crate has all points, cells and arrays of this file.
    pub fn is_complete(&self, grid: &Grid) -> bool {
        let [piece] = self.document.pieces.as_slice() else { return false };
        let count = |name| piece.count(&self.source, name, false).unwrap_or(usize::MAX);
        let cells = match self.is_polydata() {
            true => POLYDATA.iter().fold(0, |sum: usize, (_, n)| sum.saturating_add(count(n))),
            false => count("NumberOfCells"),
        };
        let same = |arrays: &[DataArray], section: &str| {
            arrays.len() == piece.section(section).count()
                && arrays.iter().zip(piece.section(section)).all(|(array, tag)| {
                    array.name == tag.name && array.components == tag.components
                })
        };
        grid.points.len() == count("NumberOfPoints")
            && grid.types.len() == cells
            && same(&grid.point_data, "PointData")
            && same(&grid.cell_data, "CellData")
    }

    fn is_image(&self) -> bool {
        self.document.dataset == "ImageData"
    }

    /// Rejects a file that holds an image.
    pub fn check_mesh(&self) -> Result<(), Flaw> {
        if !self.is_image() {
            return Ok(());
        }
        let flaw = self.source.fail("", "ImageData: an image, not a mesh", NO_MESH);
        Err(flaw.kind_of(FlawKind::Unfit))
    }

    /// Reads an array of an image that consists of one piece. Returns `None` if the data set is not
    /// an image.
    pub fn read_volume(&self, options: &VolumeOptions) -> Result<Option<VolumeFile>, Flaw> {
        if !self.is_image() {
            return Ok(None);
        }
        let [piece] = self.document.pieces.as_slice() else {
            let what = format!("the image has {} pieces", self.document.pieces.len());
            return Err(self.source.fail("", what, "write it in one piece"));
        };
        let source = &self.source;
        let place = piece.extent(source)?;
        let origin = self.document.place(source, "Origin", [0.0; 3])?;
        let spacing = self.document.place(source, "Spacing", [1.0; 3])?;
        let rows = self.document.place(source, "Direction", UNIT)?;
        let lattice = Lattice::new(place, origin, spacing, rows);
        let tags: Vec<&ArrayTag> = ["PointData", "CellData"]
            .iter()
            .flat_map(|section| piece.section(section))
            .filter(|tag| tag.scalar.is_some() && tag.components > 0)
            .collect();
        let listed: Vec<Listed> = tags
            .iter()
            .map(|tag| Listed {
                name: tag.name.clone(),
                of_cells: tag.section == "CellData",
                components: tag.components,
                active: piece.is_active(tag),
            })
            .collect();
        let chosen = choose(source, &listed, options)?;
        let array = &listed[chosen.0];
        let n = lattice.count(source, array.of_cells)?;
        let samples = self.samples(tags[chosen.0], n.saturating_mul(array.components))?;
        let version = ("vti", self.version());
        let mut file = lattice.volume(source, &listed, chosen, samples, version)?;
        let state = self.state(&mut file.warnings);
        file.set_state(state);
        Ok(Some(file))
    }

    /// Returns the time and the units that the file states, if any.
    pub fn state(&self, warnings: &mut Vec<String>) -> StateTime {
        let units = Units::of_entries(|name| self.text(name));
        StateTime { time: self.time(warnings), units, ..StateTime::default() }
    }

    /// Returns the text of the field data of this name. Returns `None` if there is no such text or
    /// if it cannot be read.
    fn text(&self, name: &str) -> Option<String> {
        let array = self.document.fields.iter().find(|array| array.name == name)?;
        let is_text = array.type_name == "String";
        let codes = match self.bytes(array, Scalar::U8, None).ok().filter(|_| is_text)? {
            Some(bytes) => bytes.to_vec(),
            None => match self.written(array, Scalar::U8).ok()? {
                Values::Int(codes) => {
                    codes.into_iter().map_while(|code| u8::try_from(code).ok()).collect()
                }
                Values::Float(_) => return None,
            },
        };
        // Each text ends with the code 0.
        let first = codes.split(|&code| code == 0).next()?;
        Some(std::str::from_utf8(first).ok()?.to_string())
    }

    /// Returns the time that the file states, if any. A time that cannot be read causes a warning.
    fn time(&self, warnings: &mut Vec<String>) -> Option<f64> {
        let array = self.document.fields.iter().find(|array| array.name == TIME)?;
        let values = self.values(array, Some(1)).map(|values| values.to_f64());
        match values.as_deref() {
            Ok([time]) if time.is_finite() => Some(*time),
            _ => {
                warnings.push(format!("the time ({TIME}) is not a finite number and is ignored"));
                None
            }
        }
    }

    /// Reads all pieces without the crate `vtkio`.
    pub fn read(&self) -> Result<Grid, Flaw> {
        let mut grid: Option<Grid> = None;
        for piece in &self.document.pieces {
            let next = self.piece(piece)?;
            next.check(&self.source)?;
            match &mut grid {
                Some(grid) => grid.append(next),
                None => grid = Some(next),
            }
        }
        grid.ok_or_else(|| self.source.fail("", "the file has no <Piece>", DAMAGED))
    }

    fn piece(&self, piece: &Piece) -> Result<Grid, Flaw> {
        let n_points = piece.count(&self.source, "NumberOfPoints", true)?;
        let mut grid = Grid::default();
        match piece.section("Points").next() {
            Some(array) => grid.points = to_points(self.rows(array, n_points, 3)?),
            None if n_points == 0 => {}
            None => return Err(self.missing(piece, "Points")),
        }
        if self.is_polydata() {
            for (slot, (section, count)) in POLYDATA.into_iter().enumerate() {
                let n = piece.count(&self.source, count, false)?;
                let (ends, connectivity) = self.cells(piece, section, n)?;
                append_polydata(&mut grid, slot, &ends, &connectivity);
            }
        } else {
            let n = piece.count(&self.source, "NumberOfCells", true)?;
            (grid.ends, grid.connectivity) = self.cells(piece, "Cells", n)?;
            if n > 0 {
                let array = self.named(piece, "Cells", "types")?;
                let types = self.integers(array, Some(n))?;
                grid.types = types.iter().map_while(|&t| u8::try_from(t).ok()).collect();
                if let Some(&odd) = types.get(grid.types.len()) {
                    let what = format!("cell {} has type {odd}", grid.types.len());
                    return Err(self.fail(array, what, "cell types range from 0 to 255"));
                }
                if grid.types.contains(&POLYHEDRON) {
                    grid.polyhedra = self.polyhedra(piece, n)?;
                }
            }
        }
        self.arrays_of(piece, n_points, grid.types.len(), &mut grid)?;
        Ok(grid)
    }

    /// Reads the faces of the polyhedra among `n` cells. There are none if the file does not state
    /// them.
    fn polyhedra(&self, piece: &Piece, n: usize) -> Result<Polyhedra, Flaw> {
        let find = |name: &str| piece.section("Cells").find(|array| array.name == name);
        if let Some(array) = find("face_connectivity") {
            let read = |name| self.integers(self.named(piece, "Cells", name)?, None);
            let (ends, faces) = (read("face_offsets")?, read("polyhedron_to_faces")?);
            let cell_ends =
                self.integers(self.named(piece, "Cells", "polyhedron_offsets")?, Some(n))?;
            return Polyhedra::of_arrays(self.integers(array, None)?, &ends, &faces, &cell_ends)
                .map_err(|what| self.fail(array, what, DAMAGED));
        }
        let (Some(array), Some(offsets)) = (find("faces"), find("faceoffsets")) else {
            return Ok(Polyhedra::default());
        };
        let (streams, ends) = (self.integers(array, None)?, self.integers(offsets, Some(n))?);
        let (mut polyhedra, mut start) = (Polyhedra::default(), 0);
        for (cell, &end) in ends.iter().enumerate().filter(|(_, end)| **end >= 0) {
            let stream = usize::try_from(end).ok().and_then(|end| streams.get(start..end));
            let found = stream.ok_or_else(|| "its end is not in the list".to_string());
            found
                .and_then(|stream| polyhedra.push_stream(cell, stream))
                .map_err(|what| self.fail(array, format!("cell {cell}: {what}"), DAMAGED))?;
            start = end as usize;
        }
        Ok(polyhedra)
    }

    /// Adds the point and cell arrays of a piece, given its numbers of points and cells.
    fn arrays_of(
        &self,
        piece: &Piece,
        n_points: usize,
        n_cells: usize,
        grid: &mut Grid,
    ) -> Result<(), Flaw> {
        for (section, n) in [("PointData", n_points), ("CellData", n_cells)] {
            for tag in piece.section(section) {
                let Some(array) = self.data(tag, n, &mut grid.warnings)? else { continue };
                match section {
                    "PointData" => grid.point_data.push(array),
                    _ => grid.cell_data.push(array),
                }
            }
        }
        Ok(())
    }

    /// Reads an array of point or cell data. Returns `None` with a warning if it holds no numbers
    /// or has no components.
    fn data(
        &self,
        tag: &ArrayTag,
        n: usize,
        warnings: &mut Vec<String>,
    ) -> Result<Option<DataArray>, Flaw> {
        if tag.scalar.is_none() || tag.components == 0 {
            warnings.push(format!(
                "array '{}' of type {} with {} components is ignored",
                tag.name, tag.type_name, tag.components
            ));
            return Ok(None);
        }
        let values = self.rows(tag, n, tag.components)?;
        Ok(Some(DataArray { name: tag.name.clone(), components: tag.components, values }))
    }

    /// Reads the ends and connectivity of `n` cells.
    fn cells(
        &self,
        piece: &Piece,
        section: &str,
        n: usize,
    ) -> Result<(Vec<usize>, Vec<i64>), Flaw> {
        if n == 0 {
            return Ok(Default::default());
        }
        let array = self.named(piece, section, "offsets")?;
        let offsets = self.integers(array, Some(n))?;
        let connectivity = self.integers(self.named(piece, section, "connectivity")?, None)?;
        let rises = offsets.first().is_some_and(|&first| first >= 0) && offsets.is_sorted();
        let last = offsets.last().and_then(|&last| usize::try_from(last).ok());
        if !rises || last.is_none_or(|last| last > connectivity.len()) {
            let what = format!("offsets do not increase from 0 to {}", connectivity.len());
            return Err(self.fail(array, what, DAMAGED));
        }
        let mut connectivity = connectivity;
        connectivity.truncate(last.unwrap_or(0));
        Ok((offsets.iter().map(|&end| end as usize).collect(), connectivity))
    }

    fn named<'p>(&self, piece: &'p Piece, section: &str, name: &str) -> Result<&'p ArrayTag, Flaw> {
        let found = piece.section(section).find(|array| array.name == name);
        found.ok_or_else(|| self.missing(piece, &format!("{section}/{name}")))
    }

    fn missing(&self, piece: &Piece, what: &str) -> Flaw {
        let position = format!("Piece, {}", self.source.line(piece.at));
        self.source.fail(position, format!("it has no {what}"), DAMAGED)
    }

    fn fail(&self, array: &ArrayTag, what: impl Into<String>, remedy: &str) -> Flaw {
        self.source.fail(array.position(&self.source), what, remedy)
    }

    fn integers(&self, array: &ArrayTag, expected: Option<usize>) -> Result<Vec<i64>, Flaw> {
        match self.values(array, expected)? {
            Values::Int(values) => Ok(values),
            Values::Float(_) => {
                let what = format!("numbers of type {}, expected integers", array.type_name);
                Err(self.fail(array, what, DAMAGED))
            }
        }
    }

    /// Reads the numbers of an array with `n` rows.
    fn rows(&self, array: &ArrayTag, n: usize, components: usize) -> Result<Values, Flaw> {
        match n.checked_mul(components) {
            Some(count) => self.values(array, Some(count)),
            None => {
                let what = format!("{n} rows of {components} numbers declared");
                Err(self.fail(array, what, DAMAGED))
            }
        }
    }

    /// Reads the numbers of an array. `expected` is the required count, if there is one.
    fn values(&self, array: &ArrayTag, expected: Option<usize>) -> Result<Values, Flaw> {
        let Some(scalar) = array.scalar else {
            let what = format!("type '{}' is not a number type", array.type_name);
            return Err(self.fail(array, what, "use Float64, Int32 or another number type"));
        };
        let mut values = match self.bytes(array, scalar, expected)? {
            Some(bytes) => scalar.unpack(&bytes, self.document.big_endian),
            None => self.written(array, scalar)?,
        };
        if let (Scalar::Bit, Values::Int(bits), Some(n)) = (scalar, &mut values, expected) {
            bits.truncate(n);
        }
        match expected.filter(|&n| n != values.len()) {
            None => Ok(values),
            Some(n) => {
                let what = format!("{} numbers found, expected {n}", values.len());
                Err(self.fail(array, what, DAMAGED))
            }
        }
    }

    /// Reads the `n` numbers of an array in the number type of the file.
    fn samples(&self, array: &ArrayTag, n: usize) -> Result<Samples, Flaw> {
        let scalar = array.scalar.unwrap_or(Scalar::U8);
        let samples = match self.bytes(array, scalar, Some(n))? {
            Some(bytes) => stored::samples(scalar, &bytes, self.document.big_endian),
            None => stored::narrowed(scalar, self.written(array, scalar)?).map_err(|k| {
                let what = format!("number {} exceeds the range of its type", k + 1);
                self.fail(array, what, DAMAGED)
            })?,
        };
        match samples.len() {
            found if found == n => Ok(samples),
            found => Err(self.fail(array, format!("{found} numbers found, expected {n}"), DAMAGED)),
        }
    }

    /// Returns the bytes of an array, or `None` if it is written as text.
    fn bytes(
        &self,
        array: &ArrayTag,
        scalar: Scalar,
        expected: Option<usize>,
    ) -> Result<Option<Vec<u8>>, Flaw> {
        let size = expected.and_then(|count| scalar.bytes(count));
        match array.format {
            Format::Ascii => Ok(None),
            Format::Binary => {
                let text: Vec<u8> = (array.text.iter())
                    .flat_map(|range| self.source.bytes[range.clone()].iter().copied())
                    .collect();
                let stream = codec::from_base64(&text).map_err(|e| self.fail(array, e, DAMAGED))?;
                Ok(Some(self.unpack(array, &stream, size)?.0))
            }
            Format::Appended => self.appended(array, size).map(Some),
        }
    }

    /// Reads the numbers of an array that is written as text.
    fn written(&self, array: &ArrayTag, scalar: Scalar) -> Result<Values, Flaw> {
        let text = array.text.iter().map(|range| &self.source.bytes[range.clone()]);
        let words = text
            .flat_map(|text| text.split(u8::is_ascii_whitespace))
            .filter(|word| !word.is_empty());
        scalar.parse(words.clone()).map_err(|read| {
            let word = words.clone().nth(read).unwrap_or_default();
            let found = super::source::shown(word);
            let what = format!("expected number {}, found {found}", read + 1);
            self.fail(array, what, DAMAGED)
        })
    }

    /// Returns the bytes of an array from a stream that begins with lengths, and the number of
    /// stream bytes they take.
    fn unpack(
        &self,
        array: &ArrayTag,
        stream: &[u8],
        expected: Option<usize>,
    ) -> Result<(Vec<u8>, usize), Flaw> {
        if stream.is_empty() && expected.is_none_or(|n| n == 0) {
            return Ok(Default::default());
        }
        let Document { big_endian, header_width: width, .. } = self.document;
        let lengths = Lengths { big_endian, width };
        let codec = match self.document.compressor.as_str() {
            "" => None,
            "vtkZLibDataCompressor" => Some(Codec::Zlib),
            "vtkLZ4DataCompressor" => Some(Codec::Lz4),
            "vtkLZMADataCompressor" => Some(Codec::Lzma),
            other => {
                let what = format!("compressor is {}", super::source::shown(other.as_bytes()));
                return Err(self.fail(array, what, "use zlib, LZ4, LZMA or none"));
            }
        };
        let Some(codec) = codec else {
            return codec::plain(stream, lengths).map_err(|e| self.fail(array, e, DAMAGED));
        };
        let blocks = codec::blocks(stream, lengths, codec, expected);
        let blocks = blocks.map_err(|e| self.fail(array, e, DAMAGED))?;
        let mut budget = self.budget.get();
        let taken = budget.take(blocks.total as u64);
        taken.map_err(|large| self.fail(array, large.0, TooLarge::REMEDY))?;
        self.budget.set(budget);
        blocks.unpacked().map_err(|e| self.fail(array, e, DAMAGED))
    }

    fn appended(&self, array: &ArrayTag, expected: Option<usize>) -> Result<Vec<u8>, Flaw> {
        let Some(appended) = &self.document.appended else {
            return Err(self.fail(array, "the file has no AppendedData", DAMAGED));
        };
        let data = &self.source.bytes[appended.range.clone()];
        let Some(rest) = data.get(array.offset..) else {
            let what = format!(
                "offset {} lies beyond the {} bytes of the appended data",
                array.offset,
                data.len()
            );
            return Err(self.fail(array, what, DAMAGED));
        };
        let (bytes, taken) = if appended.base64 {
            // An array in base64 ends where the next one begins.
            let next = self.offsets.partition_point(|&offset| offset <= array.offset);
            let next = self.offsets.get(next).map_or(rest.len(), |next| next - array.offset);
            let end = next.min(rest.len());
            let stream =
                codec::from_base64(&rest[..end]).map_err(|e| self.fail(array, e, DAMAGED))?;
            (self.unpack(array, &stream, expected)?.0, end)
        } else {
            self.unpack(array, rest, expected)?
        };
        // Arrays may share bytes, but this must not allow a small file to exhaust memory.
        self.taken.set(self.taken.get().saturating_add(taken));
        if self.taken.get() / 4 > data.len() {
            let what =
                "the arrays overlap: together they read the appended data more than four times";
            return Err(self.fail(array, what, DAMAGED));
        }
        Ok(bytes)
    }
}
