//! `zeroset distance VOLUME --from surface:REGION`: the distance of every voxel from the surface of
//! a region of voxels.

use super::super::edt::Task;
use super::super::{Ui, threads::Threads};
use super::{Args, Compression};
use crate::Cpu;
use crate::config::{FrontShape, Seed};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::io::{WriteOptions, read_if_volume};
use crate::output::Claims;
use crate::point_distance::Edt;

/// Computes the distances and returns true if the file is a volume and the only seed is the surface
/// of a region. Otherwise, returns false.
///
/// # Errors
/// Returns [`Error::Case`] for options that apply only to meshes, and the errors of reading, of the
/// transform and of writing.
pub fn run(args: &Args, compression: Compression, ui: &Ui) -> Result<bool> {
    let [Seed::Surface { region, start }] = args.from.as_slice() else {
        return no_volume_options(args).map(|()| false);
    };
    let Threads { threads } = args.threads;
    Cpu::new(threads)?.run(|| {
        let Some(file) = read_if_volume(&args.mesh, &args.source.options())? else {
            return no_volume_options(args).map(|()| false);
        };
        if let Some(option) = for_meshes(args, *start) {
            let what = format!("{}: {option} is for meshes, not for volumes", args.mesh.display());
            return Err(Error::usage(what, "leave it out"));
        }
        let task = Task {
            input: &args.mesh,
            output: &args.output,
            selection: selection(region)?,
            given: format!("--from {}", args.from[0]),
            edt: Edt::default().faces(true).signed(args.signed),
            options: WriteOptions::default().compression(compression),
            device: args.device,
        };
        task.check()?;
        Claims::new().reading(&args.mesh).writing(&args.output).check()?;
        task.run(file, ui)?;
        Ok(true)
    })
}

/// Returns an error if an option that applies only to volumes is given.
fn no_volume_options(args: &Args) -> Result<()> {
    match args.source.first_given() {
        None => Ok(()),
        Some(option) => {
            let what = format!("{option} is for volumes, with --from surface:REGION");
            Err(Error::usage(what, "leave it out"))
        }
    }
}

/// Returns the expression that is true in a region. A plain number stands for the voxels with this
/// value.
fn selection(region: &Expression) -> Result<Expression> {
    match region.constant() {
        None => Ok(region.clone()),
        Some(_) => Expression::parse(&format!("v == {}", region.text().trim()))
            .map_err(|flaw| Error::usage(flaw.to_string(), "")),
    }
}

/// Returns the first of the given options that applies only to meshes, if there is one.
fn for_meshes(args: &Args, start: f64) -> Option<&'static str> {
    let options = [
        ("a start value (@START)", start != 0.0),
        ("--stimuli", args.stimuli.is_some()),
        ("--picture", args.picture.is_some()),
        ("--snap", args.snap),
        ("--skip-unsupported", args.skip_unsupported),
        ("--frame", args.frame.is_some()),
        ("--width", args.width.is_some()),
        ("--speed", args.speed.is_some()),
        ("--front", args.front != FrontShape::Auto),
        ("--mask", args.mask.is_some()),
        ("--data", !args.data.is_empty()),
        ("--weld", args.weld.is_some()),
        ("--repair", args.repair.is_some()),
        ("--labels", args.labels),
        ("--gradient", args.gradient),
        ("--velocity", args.velocity),
        ("--isochrones", args.isochrones.is_some()),
        ("--regions", args.regions.is_some()),
        ("--path-from", !args.path_from.is_empty()),
        ("--misfit", args.misfit.is_some()),
        ("--json", args.json),
    ];
    options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
}
