//! Writes a series again without its last states, with the same bytes as if they had never been
//! written.

use std::io::Read;
use std::path::Path;

use hdf5_pure::AttrValue;

use super::columns::{Column, Numbers, OFFSETS, SPARE, spare};
use super::{HdfSeries, builder};
use zeroset_core::atomic;
use zeroset_core::error::Result;

impl HdfSeries {
    /// Rewrites the file, state by state as it was first written, from the contents to keep.
    pub(super) fn rewrite(&self, kind: AttrValue, columns: Vec<Column<'static>>) -> Result<()> {
        let mut first: Vec<Column> = columns.iter().map(|column| self.rows_of(column, 0)).collect();
        first.sort_by(|a, b| a.rank().cmp(&b.rank()));
        atomic::write_by_name(&self.path, |file| {
            let whole = builder(kind, 1, &first, self.zlib);
            let written = std::fs::File::create(file)
                .map_err(|e| self.fail(e))
                .and_then(|out| whole.finish_to(out).map_err(|e| self.fail(e)));
            written?;
            for step in 1..self.steps {
                let grows = columns.iter().filter(|column| column.chunk.is_some());
                let mut rows: Vec<Column> = grows.map(|c| self.rows_of(c, step)).collect();
                rows.sort_by(|a, b| a.rank().cmp(&b.rank()));
                let at = HdfSeries { path: file.into(), steps: step, arrays: Vec::new(), ..*self };
                self.guarded(|| at.append(rows))?;
            }
            Ok(())
        })
    }

    /// Returns the rows of an array that a step adds. Arrays that do not grow belong to the first
    /// step.
    fn rows_of<'a>(&self, column: &'a Column<'static>, step: u64) -> Column<'a> {
        let Column { path, width, chunk, numbers } = column;
        if OFFSETS.iter().any(|name| *width > 0 && path.strip_prefix("Steps/") == Some(name)) {
            return spare(&path["Steps/".len()..], SPARE);
        }
        let numbers = match numbers {
            Numbers::Raw(kind, bytes) => {
                let of_step = bytes.len() / self.steps.max(1) as usize;
                let all = 0..bytes.len();
                let range = match chunk {
                    Some(_) => of_step * step as usize..of_step * (step as usize + 1),
                    None => all,
                };
                Numbers::Part(kind, &bytes[range])
            }
            _ => Numbers::Whole(Vec::new()),
        };
        Column { path: path.clone(), width: *width, chunk: *chunk, numbers }
    }
}

/// Returns true if the superblock has version 2 or 3, states the actual length of the file, and
/// states that the file was closed. A program that is killed while it adds a state leaves a file
/// for which this is false.
pub(super) fn is_whole(path: &Path) -> bool {
    const VERSION: usize = 8;
    const FLAGS: usize = 11;
    const END: usize = 28;
    let head = || -> std::io::Result<([u8; END + 8], u64)> {
        let mut file = std::fs::File::open(path)?;
        let mut head = [0; END + 8];
        file.read_exact(&mut head)?;
        Ok((head, file.metadata()?.len()))
    };
    head().is_ok_and(|(head, length)| {
        let end = head[END..].try_into().map(u64::from_le_bytes).ok();
        matches!(head[VERSION], 2 | 3) && head[FLAGS] == 0 && end == Some(length)
    })
}
