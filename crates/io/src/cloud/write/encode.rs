//! Encoding of points as binary records or as rows of text.

use std::io::Write;

use super::head;
use super::{Attribute, CloudLayout};
use zeroset_core::cloud::{Numbers, PointCloud};
use zeroset_core::parallel::*;

/// The number of points per task.
const TASK: usize = 1 << 14;
/// The number of tasks whose output is held in memory at a time.
const TASKS: usize = 64;

/// A format in which points follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// PLY, as text or binary.
    Ply(Encoding),
    Pcd,
    Csv,
    /// Rows of numbers, separated by blanks.
    Text,
}

impl Format {
    /// Returns the format with this extension. `ascii` selects text in PLY.
    pub(super) fn of(ending: &str, ascii: bool) -> Self {
        match ending {
            "ply" if ascii => Format::Ply(Encoding::Text(b' ')),
            "ply" => Format::Ply(Encoding::Binary),
            "pcd" => Format::Pcd,
            "csv" => Format::Csv,
            _ => Format::Text,
        }
    }

    /// Returns the text before the points, and the encoding of the points.
    pub(super) fn head(self, layout: CloudLayout, attributes: &[Attribute]) -> (String, Encoding) {
        match self {
            Format::Ply(encoding) => {
                (head::ply(layout, attributes, encoding == Encoding::Binary), encoding)
            }
            Format::Pcd => (head::pcd(layout, attributes), Encoding::Packed),
            Format::Csv => (head::columns(layout, attributes, ",") + "\n", Encoding::Text(b',')),
            // Readers that know only x y z, normals and colors need no names.
            Format::Text if attributes.is_empty() => (String::new(), Encoding::Text(b' ')),
            Format::Text => {
                let names = head::columns(layout, attributes, " ");
                (format!("# {names}\n"), Encoding::Text(b' '))
            }
        }
    }
}

/// The encoding of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// 64-bit coordinates, 32-bit normals and 8-bit colors.
    Binary,
    /// Like `Binary`, but with a color packed into one 32-bit number.
    Packed,
    /// Numbers as text with this separator.
    Text(u8),
}

impl Encoding {
    pub(super) fn write(self, out: &mut dyn Write, cloud: &PointCloud) -> std::io::Result<()> {
        for begin in (0..cloud.len()).step_by(TASK * TASKS) {
            let end = (begin + TASK * TASKS).min(cloud.len());
            let tasks = (begin..end).into_par_iter().step_by(TASK);
            let texts: Vec<Vec<u8>> =
                tasks.map(|task| self.encode(cloud, task..(task + TASK).min(end))).collect();
            texts.iter().try_for_each(|text| out.write_all(text))?;
        }
        Ok(())
    }

    fn encode(self, cloud: &PointCloud, range: std::ops::Range<usize>) -> Vec<u8> {
        let mut out = Vec::with_capacity(range.len() * 48);
        for i in range {
            let (x, normal) = (cloud.points[i], cloud.normals.as_ref().map(|n| n[i]));
            let color = cloud.colors.as_ref().map(|c| c[i]);
            if let Encoding::Text(separator) = self {
                let mut words = x.map(|x| x.to_string()).to_vec();
                words.extend(normal.into_iter().flatten().map(|x| x.to_string()));
                words.extend(color.into_iter().flatten().map(|c| c.to_string()));
                words.extend(cloud.attributes.iter().map(|a| word(&a.numbers, i)));
                for (k, word) in words.iter().enumerate() {
                    if k > 0 {
                        out.push(separator);
                    }
                    out.extend(word.as_bytes());
                }
                out.push(b'\n');
                continue;
            }
            x.iter().for_each(|x| out.extend(x.to_le_bytes()));
            normal.into_iter().flatten().for_each(|x| out.extend(x.to_le_bytes()));
            match (self, color) {
                (Encoding::Packed, Some([r, g, b])) => out.extend([b, g, r, 0]),
                (_, color) => out.extend(color.into_iter().flatten()),
            }
            cloud.attributes.iter().for_each(|a| push_bytes(&a.numbers, i, &mut out));
        }
        out
    }
}

/// Returns entry `i` as text with the digits of its type.
fn word(numbers: &Numbers, i: usize) -> String {
    match numbers {
        Numbers::F32(v) => v[i].to_string(),
        other => other.get(i).to_string(),
    }
}

/// Appends the bytes of entry `i`, the lowest first.
fn push_bytes(numbers: &Numbers, i: usize, out: &mut Vec<u8>) {
    match numbers {
        Numbers::U8(v) => out.push(v[i]),
        Numbers::I16(v) => out.extend(v[i].to_le_bytes()),
        Numbers::U16(v) => out.extend(v[i].to_le_bytes()),
        Numbers::I32(v) => out.extend(v[i].to_le_bytes()),
        Numbers::U32(v) => out.extend(v[i].to_le_bytes()),
        Numbers::F32(v) => out.extend(v[i].to_le_bytes()),
        Numbers::F64(v) => out.extend(v[i].to_le_bytes()),
    }
}
