//! Reads the sites of `zeroset dt`: selected voxels of a volume, or selected points of a file.

use std::path::Path;

use super::Args;
use crate::Cpu;
use crate::cli::{Ui, cloud, volume};
use crate::error::{Error, Result};
use crate::io::read_volume;

/// Sites with the index of each in its file.
pub(super) struct Numbered {
    pub points: Vec<[f64; 3]>,
    pub numbers: Vec<u64>,
    /// The unit of the distances, if the file names one.
    pub units: Option<String>,
}

/// Reads the sites.
///
/// # Errors
/// Returns [`Error::Case`] if nothing satisfies the expression; [`Error::Input`] if the file cannot
/// be read.
pub(super) fn read(args: &Args, cpu: &Cpu, ui: &Ui) -> Result<Numbered> {
    match (&args.points, &args.volume) {
        (Some(path), _) => of_points(path, args, ui),
        (None, Some(path)) => cpu.run(|| of_volume(path, args, ui)),
        (None, None) => Err(Error::usage("no sites", "name a volume, or --points")),
    }
}

/// Returns the voxels that satisfy the expression: their centers, or their indices with
/// `--lattice`.
fn of_volume(path: &Path, args: &Args, ui: &Ui) -> Result<Numbered> {
    let file = read_volume(path, &args.source.options().time(args.at.time))?;
    ui.warn_of(path, &file.warnings);
    let source = file.volume;
    let Some(expression) = &args.selection else {
        return Err(Error::usage("a volume without --where", "select the sites with --where"));
    };
    let selected = volume::selected(path, &source, expression, &format!("--where {expression}"))?;
    let numbers = (0..selected.len()).filter(|&n| selected[n]);
    let point = |n: usize| {
        let index = source.index_of(n).map(|i| i as f64);
        if args.lattice { index } else { source.placement().world(index) }
    };
    let points = numbers.clone().map(point).collect();
    let units = source.units.filter(|_| !args.lattice);
    Ok(Numbered { points, numbers: numbers.map(|n| n as u64).collect(), units })
}

/// Returns the points of a file that satisfy the expression, or all points if there is no
/// expression.
fn of_points(path: &Path, args: &Args, ui: &Ui) -> Result<Numbered> {
    if let Some(option) = args.source.first_given() {
        let what = format!("{option} is for volumes, not for --points");
        return Err(Error::usage(what, "leave it out"));
    }
    let (cloud, selected) = match &args.selection {
        Some(expression) => {
            let cloud = cloud::read_for(path, expression, ui)?;
            let selected = cloud.select(expression, path)?;
            (cloud, selected)
        }
        None => {
            let cloud = cloud::read(path, ui)?;
            let all = (0..cloud.points.len()).collect();
            (cloud, all)
        }
    };
    Ok(Numbered {
        points: selected.iter().map(|&n| cloud.points[n]).collect(),
        numbers: selected.into_iter().map(|n| n as u64).collect(),
        units: cloud.units,
    })
}
