//! `zeroset points VOLUME --where ... -o FILE`: lists the selected voxels or some of them.

use std::path::Path;
use std::time::Instant;

use super::Args;
use super::finder::Finder;
use super::ranges::Entries;
use crate::error::{Result, shown};
use crate::io::vtk::Compression;
use crate::io::{points_text, write_points};
use crate::points::{Points, copies};
use crate::words::counted;

/// Writes the points to a file, or prints them if there is no output file.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if entries do not exist or a number of copies is
/// not valid; the errors of [`Finder::list`]; [`Error::Output`](crate::Error::Output) if the
/// output cannot be written.
pub fn run(
    args: &Args,
    output: Option<&Path>,
    compression: Compression,
    finder: &Finder,
) -> Result<()> {
    let (ui, start) = (finder.ui, Instant::now());
    let points = found(args, finder)?;
    let seconds = start.elapsed().as_secs_f64();
    if points.is_empty() {
        warn_of_none(args, finder);
    }
    let Some(path) = output else {
        return points_text(&points).try_for_each(|piece| ui.print(&piece));
    };
    write_points(path, &points, compression)?;
    ui.print(&format!(
        "{}: {} of {}, found in {seconds:.3} s\n",
        path.display(),
        counted(points.len(), ["point", "points"]),
        counted(finder.volume.n_voxels(), ["voxel", "voxels"]),
    ))
}

/// Warns that no voxel is selected, and states the range of the values.
fn warn_of_none(args: &Args, finder: &Finder) {
    let facts = finder.volume.statistics();
    let range = match (facts.min, facts.max) {
        (Some(min), max) => {
            format!("; its values range from {min} to {}", max.unwrap_or_default())
        }
        _ => String::new(),
    };
    let input = shown(&args.input);
    finder.ui.warn(format_args!("{input}: no voxel satisfies {}{range}", args.which));
}

/// Returns the points that the options select.
fn found(args: &Args, finder: &Finder) -> Result<Points> {
    let Some(expression) = &args.copies else {
        let Some(entries) = &args.entries else { return finder.list(args.order) };
        let (points, total) = finder.part(args.order, entries.range())?;
        entries.check(total)?;
        return Ok(points);
    };
    let range = args.entries.as_ref().map_or(0..usize::MAX, Entries::range);
    let cloned = match (expression.constant(), &args.entries) {
        // All points have the same number of copies, so only the points of the requested entries
        // are listed.
        (Some(m), Some(_)) if (1.0..4_294_967_296.0).contains(&m) => {
            let m = m as usize;
            let first = range.start / m;
            let keys = first..range.end.div_ceil(m);
            let (points, total) = finder.part(args.order, keys)?;
            let counts = copies(&points, expression)?;
            let here = range.start - first * m..range.end.saturating_sub(first * m);
            points.cloned(&counts, here).map(|(points, _)| (points, total.saturating_mul(m)))
        }
        _ => {
            let points = finder.list(args.order)?;
            points.cloned(&copies(&points, expression)?, range)
        }
    };
    let (points, total) = cloned?;
    args.entries.as_ref().map_or(Ok(()), |entries| entries.check(total))?;
    Ok(points)
}
