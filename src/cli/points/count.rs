//! `zeroset points VOLUME --where ... --count` and `--blocks N`: counts voxels.

use std::path::Path;
use std::time::Instant;

use super::finder::Finder;
use super::ranges::Region;
use crate::error::Result;
use crate::io::vtk::Compression;
use crate::io::{WriteOptions, write_volume};
use crate::points::Blocks;

/// Prints the number of selected voxels in total, or in each box.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if a box reaches beyond the volume; the errors of
/// [`Finder::count`]; [`Error::Output`](crate::Error::Output) if printing fails.
pub fn of_boxes(boxes: &[Region], finder: &Finder) -> Result<()> {
    if boxes.is_empty() {
        return finder.ui.print(&format!("{}\n", finder.count()?));
    }
    let shape = finder.volume.shape();
    let boxes: Vec<_> = boxes.iter().map(|region| region.corners(shape)).collect::<Result<_>>()?;
    let counts = finder.counts(&boxes)?;
    finder.ui.print(&counts.iter().map(|n| format!("{n}\n")).collect::<String>())
}

/// Writes the number of selected voxels in each block as a volume, and prints one line about it.
///
/// # Errors
/// Returns the errors of [`Finder::counts`], and [`Error::Output`](crate::Error::Output) if the
/// volume cannot be written.
pub fn of_blocks(edge: u32, path: &Path, compression: Compression, finder: &Finder) -> Result<()> {
    let (ui, start) = (finder.ui, Instant::now());
    let blocks = Blocks::new(finder.volume, edge as usize)?;
    let counts = finder.counts(&blocks.boxes()?)?;
    let most = counts.iter().max().copied().unwrap_or(0);
    let all: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    let density = blocks.volume(counts)?;
    ui.warn_of(
        path,
        write_volume(path, &density, &WriteOptions::default().compression(compression))?,
    );
    let ([x, y, z], seconds) = (density.shape(), start.elapsed().as_secs_f64());
    let path = path.display();
    ui.print(&format!(
        "{path}: {x} x {y} x {z} blocks with {all} voxels, at most {most} per block, in {seconds:.3} s\n"
    ))
}
