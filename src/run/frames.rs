//! Warnings about cases that combine coordinates in different frames (docs/formats.md, "Frames of
//! cortical surfaces").

use std::path::Path;

use crate::config::{Coefficient, Component, Config, Initial, Seed, Velocity};
use crate::io::FileFrame;

/// Returns a warning if a case combines a mesh file that does not lie in the frame of the scanner
/// with points or volumes, which probably do.
pub(super) fn mixed(config: &Config, path: &Path, frame: &FileFrame) -> Option<String> {
    let offset = frame.offset().filter(|&offset| offset > 0.0 && !frame.is_chosen)?;
    let is_point = |seed: &&Seed| matches!(seed, Seed::Point { .. });
    let seeds = config.distance.iter().flat_map(|d| d.from.iter().chain(&d.paths_from));
    let other = match (&config.initial, seeds.clone().find(is_point)) {
        (_, Some(point)) => point.to_string(),
        (Some(Initial::Volume { volume }), None) => volume.path.clone(),
        _ => return None,
    };
    Some(warning(path, frame, offset, &format!("the scanner, in which {other} may lie")))
}

/// Returns a warning if two surfaces lie in different frames. `other` is the frame of the surface
/// at `path`, and `mesh` is the frame of the mesh of the case.
pub(super) fn different(path: &Path, other: &FileFrame, mesh: &FileFrame) -> Option<String> {
    let is_chosen = other.is_chosen || mesh.is_chosen;
    let offset = other.offset_from(mesh).filter(|&offset| offset > 0.0 && !is_chosen)?;
    Some(warning(path, other, offset, "the mesh of the case"))
}

/// Returns a warning if a surface on tiles is combined with volumes in the frame of the scanner.
pub(super) fn beside_volumes(config: &Config, path: &Path, surface: &FileFrame) -> Option<String> {
    let evolve = config.evolve.as_ref()?;
    let scalars = [&evolve.normal_speed, &evolve.curvature, &evolve.weighted_curvature];
    let is_volume = |x: &&Option<Coefficient>| matches!(x, Some(Coefficient::Volume(_)));
    let of_velocity = match &evolve.velocity {
        Some(Velocity::Components(all)) => {
            all.iter().any(|component| matches!(component, Component::Volume(_)))
        }
        _ => false,
    };
    if !of_velocity && !scalars.iter().any(is_volume) {
        return None;
    }
    let offset = surface.offset().filter(|&offset| offset > 0.0 && !surface.is_chosen)?;
    Some(warning(path, surface, offset, "the scanner, in which the volumes of the case may lie"))
}

fn warning(path: &Path, frame: &FileFrame, offset: f64, other: &str) -> String {
    let c_ras = frame.c_ras.map_or(String::new(), |[r, a, s]| format!(" (c_ras {r} {a} {s})"));
    format!(
        "{}: the coordinates are up to {offset:.3} mm off those of {other}{c_ras}; choose the \
         frame \"scanner\" or \"tkr\", or \"file\" if they match",
        path.display()
    )
}
