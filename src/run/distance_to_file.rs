//! The command `zeroset distance`, which writes a distance to a single file without a run folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::distance::{DistanceTask, write_paths};
use super::mesh_setup::MeshSetup;
use super::misfit::Observed;
use super::picture::{self, Pictures};
use super::states::{self, Extras, MeshState};
use super::task::{Stages, Task};
use super::{Observer, cpu};
use crate::Cpu;
use crate::atomic;
use crate::config::{Config, Distance};
use crate::error::{Error, Result};
use crate::output::{Claims, Report, Status};

/// Computes the distance of a case and writes it to one file, without a run folder or a report
/// file.
///
/// `output` ends in `.vtu`, `.vtp`, `.npy`, `.csv`, `.shape.gii`, `.label.gii`, `.morph` or
/// `.label`. Paths that the case requests are written to `paths`, by default to `<stem of
/// output>_paths.vtp`, where they never replace a file with other contents. Isochrones are written
/// to `<stem of output>_isochrones.vtp` in the same way. All files appear together.
///
/// With `observed`, the misfit to these observations is added to the report, and its gradient is
/// written to the second file of the pair, by default to `<stem of output>_misfit.json`.
///
/// # Errors
/// Returns any kind of [`Error`]. Returns [`Error::Case`] if the case has a different task.
pub fn distance(
    config: &Config,
    output: &Path,
    paths: Option<&Path>,
    observed: Option<(&Path, Option<&Path>)>,
    observer: &dyn Observer,
) -> Result<Report> {
    let cpu = Arc::new(cpu(config)?);
    cpu.clone().run(|| distance_on(cpu, config, output, (paths, observed), observer))
}

fn distance_on(
    cpu: Arc<Cpu>,
    config: &Config,
    output: &Path,
    (paths, observed): (Option<&Path>, Option<(&Path, Option<&Path>)>),
    observer: &dyn Observer,
) -> Result<Report> {
    let start = Instant::now();
    let config = &*config.with_stimuli()?;
    let distance = config.distance.as_ref().ok_or_else(|| {
        Error::usage("the case does not compute a distance", "add a [distance] table")
    })?;
    let (beside_output, is_named) = (beside(output, "_paths.vtp"), paths.is_some());
    let paths = paths.unwrap_or(&beside_output);
    let observed = observed.map(|(file, gradient)| Observed::new(file, gradient, output));
    check_outputs(config, distance, output, paths, observed.as_ref())?;
    // The user has not named these files. If `output` exists, `companions` below checks whether
    // they may be replaced.
    let is_there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
    let unnamed_paths = (!distance.paths_from.is_empty() && !is_named).then_some(paths);
    let isochrones = beside(output, "_isochrones.vtp");
    let unnamed_isochrones = distance.isochrones.map(|_| &*isochrones);
    let unnamed_gradient = observed.as_ref().and_then(Observed::unnamed);
    let unnamed = unnamed_paths.into_iter().chain(unnamed_gradient).chain(unnamed_isochrones);
    for path in unnamed {
        if is_there(path) && !is_there(output) {
            return Err(atomic::in_the_way(path));
        }
    }
    let observed = observed.map(Observed::read).transpose()?;
    // There is no run that must end cleanly, so Ctrl-C simply ends the program.
    let never = AtomicBool::new(false);
    let mut stage = Stages::new(observer, &never);
    let mut report = DistanceTask { config, distance, cpu: cpu.clone() }.report();
    let setup = MeshSetup::new(config, cpu, &mut stage)?;
    states::check_single(output, Some(setup.cleaned.mesh.kind))?;
    setup.note(&mut report);
    if observed.is_some() {
        setup.check_misfit()?;
    }
    let found = setup.distance(distance, &mut report, &mut stage)?;
    let misfit = observed.map(|observed| observed.misfit(&setup, distance, &found.values));
    let misfit = misfit.transpose()?;
    if let (Some(misfit), Some(distances)) = (&misfit, &mut report.distances) {
        distances.misfit = Some(misfit.found);
    }
    let (values, extras) = (&found.values, &found.extras);
    let (compression, units) = (config.compression(), &setup.cleaned.units);
    let unit = config.unit_of_result(units);
    atomic::together(|| {
        states::write_single(
            output,
            &setup.cleaned,
            ("distance", unit),
            values,
            extras,
            distance.width,
            compression,
        )?;
        let write = || write_paths(paths, &found.paths, units, compression);
        match is_named {
            true => write()?,
            false => atomic::companions(write)?,
        }
        let written = found.isochrones.as_ref();
        atomic::companions(|| setup.write_isochrones(&isochrones, written))?;
        if let Some(misfit) = &misfit {
            misfit.write()?;
        }
        match Pictures::new(config, &setup.cleaned, setup.gpu())? {
            Some(mut pictures) => {
                let (labels, marks) = (extras.labels.clone(), extras.marks.clone());
                let extras = Extras { labels, marks, ..Extras::default() };
                pictures.finish(
                    &MeshState { phi: values.clone(), extras, ..MeshState::default() },
                    None,
                )
            }
            None => Ok(()),
        }
    })?;
    report.seconds.output = stage.next("done")?;
    report.status = Status::Finished;
    report.close(start.elapsed().as_secs_f64());
    Ok(report)
}

/// Returns the path of a file next to `output` whose name ends in `ending`.
pub(super) fn beside(output: &Path, ending: &str) -> PathBuf {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.trim_end_matches(".shape").trim_end_matches(".label");
    output.with_file_name(format!("{stem}{ending}"))
}

/// Refuses output files that cannot be written, and output files that the case reads.
fn check_outputs(
    config: &Config,
    distance: &Distance,
    output: &Path,
    paths: &Path,
    observed: Option<&Observed>,
) -> Result<()> {
    states::check_single(output, None)?;
    states::check_extras(output, distance)?;
    if !distance.paths_from.is_empty() {
        states::check_lines(paths)?;
    }
    picture::check(config)?;
    let picture = config.output.picture.as_ref().and_then(|picture| picture.file.as_deref());
    let mut outputs = vec![output];
    let isochrones = beside(output, "_isochrones.vtp");
    outputs.extend(distance.isochrones.map(|_| &*isochrones));
    outputs.extend((!distance.paths_from.is_empty()).then_some(paths));
    outputs.extend(picture);
    outputs.extend(observed.map(|observed| &*observed.gradient));
    let claims = picture::claims(config)?;
    let claims = observed.iter().fold(claims, |claims, observed| claims.reading(&observed.file));
    outputs.into_iter().fold(claims, Claims::writing).check()
}
