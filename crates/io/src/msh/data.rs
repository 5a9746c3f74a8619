//! Reader of the sections $NodeData and $ElementData, which are the same in versions 2 and 4.

use super::nodes::NodeIndex;
use super::source::Source;
use crate::MeshFile;
use crate::elements::ElementType;
use crate::unique_names::UnusedNames;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Values};

/// The supported numbers of values per row, up to the nine values of a tensor.
const COMPONENTS: std::ops::RangeInclusive<i64> = 1..=9;

/// The tags of elements by dimension, repeated for each simplex into which an element is split.
#[derive(Default)]
pub(super) struct Tags([Vec<u64>; 4]);

impl Tags {
    /// Records the tag of an element that is passed to the builder.
    pub(super) fn push(&mut self, kind: ElementType, tag: u64) {
        self.0[kind.shape.dimension()].extend(std::iter::repeat_n(tag, kind.shape.simplices()));
    }
}

/// An array as stored in the file.
pub(super) struct Data {
    of_cells: bool,
    name: String,
    components: usize,
    tags: Vec<u64>,
    values: Vec<f64>,
}

impl Data {
    /// Reads the section `name`, "NodeData" or "ElementData", after its first line.
    pub(super) fn read(source: &mut Source, name: &str) -> Result<Self, Flaw> {
        let mut title = String::new();
        let n = source.text("number of string tags")?;
        for k in 0..source.promised_lines(n, "string tags")? {
            if k == 0 {
                source.line();
            }
            let line = String::from_utf8_lossy(source.line()).into_owned();
            if k == 0 {
                title = line.trim_matches('"').to_string();
            }
        }
        for _ in 0..source.text::<u32>("number of real tags")? {
            source.text::<f64>("real tag")?;
        }
        let mut whole = [0; 3];
        for k in 0..source.text::<usize>("number of integer tags")? {
            let tag = source.text("integer tag")?;
            if let Some(slot) = whole.get_mut(k) {
                *slot = tag;
            }
        }
        source.line();
        let [_, components, rows] = whole;
        let wrong = "the section is damaged: export the file again";
        if !COMPONENTS.contains(&components) || rows < 0 {
            let what =
                format!("${name}: {rows} rows of {components} numbers, expected 1 to 9 numbers");
            return Err(source.fail(what, wrong));
        }
        let components = components as usize;
        let n = source.promised(rows as u64, 1 + components, 4 + 8 * components, "rows of data")?;
        let mut tags = Vec::with_capacity(n);
        let mut values = Vec::with_capacity(n * components);
        for _ in 0..n {
            let tag = source.int("tag of a row")?;
            tags.push(u64::try_from(tag).unwrap_or(u64::MAX));
            for _ in 0..components {
                values.push(source.real("a value")?);
            }
        }
        source.end_section(name)?;
        let of_cells = name == "ElementData";
        Ok(Data { of_cells, name: title, components, tags, values })
    }

    /// Returns each tag once, with the index of its last row. If all n rows of a tag were kept,
    /// writing them to the m cells with this tag would take time proportional to m n.
    fn last_of_each_tag(&self) -> Vec<(u64, usize)> {
        let mut rows: Vec<(u64, usize)> = self.tags.iter().copied().zip(0..).collect();
        rows.sort_unstable_by_key(|&(tag, row)| (tag, std::cmp::Reverse(row)));
        rows.dedup_by_key(|&mut (tag, _)| tag);
        rows
    }
}

/// Adds arrays to a mesh. Vertices and cells for which an array has no row get NaN.
///
/// # Errors
/// Returns a [`Flaw`] if sections with few rows would fill the memory with NaN.
pub(super) fn place(
    source: &Source,
    file: &mut MeshFile,
    nodes: &NodeIndex,
    tags: &Tags,
    all: Vec<Data>,
) -> Result<(), Flaw> {
    let mesh = &mut file.mesh;
    let mut names = UnusedNames::default();
    let mut numbers = 0_usize;
    let mut rows: Vec<(u64, u32)> = Vec::new();
    if all.iter().any(|data| data.of_cells) {
        rows.extend(tags.0[mesh.kind.dimension()].iter().copied().zip(0..));
        rows.sort_unstable();
    }
    for data in all {
        let n = if data.of_cells { mesh.n_cells() } else { mesh.n_vertices() };
        let k = data.components;
        // Every stored number takes more than one byte. If more numbers are expected than the file
        // has bytes, rows are missing.
        numbers = numbers.saturating_add(n.saturating_mul(k));
        if numbers > source.bytes.len() {
            let what =
                format!("data for {numbers} numbers in a file of {} bytes", source.bytes.len());
            return Err(source.fail(what, "write fewer data sections, each with all rows"));
        }
        let mut values = vec![f64::NAN; n * k];
        let mut put = |row: u32, from: &[f64]| {
            let at = row as usize * k;
            if let Some(to) = values.get_mut(at..at + k) {
                to.copy_from_slice(from);
            }
        };
        let mut found = 0;
        for (tag, row) in data.last_of_each_tag() {
            let from = &data.values[row * k..][..k];
            if data.of_cells {
                let begin = rows.partition_point(|&(other, _)| other < tag);
                let same = rows.iter().skip(begin).take_while(|&&(other, _)| other == tag);
                same.for_each(|&(_, row)| {
                    put(row, from);
                    found += 1;
                });
            } else if let Some(row) = nodes.get(tag) {
                put(row, from);
                found += 1;
            }
        }
        if found == 0 {
            let (name, what) = (&data.name, if data.of_cells { "cell" } else { "node" });
            file.warnings
                .push(format!("data {name} is ignored: it belongs to no {what} of the mesh"));
            continue;
        }
        let arrays = if data.of_cells { &mut mesh.cell_data } else { &mut mesh.vertex_data };
        let name = names.of(if data.of_cells { "cell" } else { "node" }, &data.name);
        arrays.push(DataArray { name, components: k, values: Values::Float(values) });
    }
    Ok(())
}
