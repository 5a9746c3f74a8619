//! Warnings about cases that combine coordinates in different frames (docs/formats.md, "Frames of
//! cortical surfaces").

use std::path::Path;

use crate::config::{Coefficient, Component, Config, Initial, Seed, Speed, Velocity};
use crate::io::{FileFrame, FrameOffset};

/// Returns a warning if a case combines a mesh file that does not lie in the scanner frame with
/// points or volumes, which probably do.
pub(super) fn mixed(config: &Config, path: &Path, frame: &FileFrame) -> Option<String> {
    let offset = frame.doubt()?;
    let is_point =
        |seed: &&Seed| matches!(seed, Seed::Point { .. } | Seed::Sphere { .. } | Seed::Box { .. });
    let seeds = config.distance.iter().flat_map(|d| d.from.iter().chain(&d.paths_from));
    let other = match (&config.initial, seeds.clone().find(is_point)) {
        (_, Some(point)) => point.to_string(),
        (Some(Initial::Volume { volume }), None) => volume.path.clone(),
        _ => match config.distance.as_ref().and_then(|distance| distance.speed.as_ref()) {
            Some(Speed::Volume(array)) => array.volume.clone(),
            _ => return None,
        },
    };
    Some(warning(path, frame, offset, &format!("the scanner, in which {other} may lie")))
}

/// Returns a warning if two surfaces lie, or may lie, in different frames. `other` is the frame of
/// the surface at `path`, and `mesh` is the frame of the mesh of the case.
pub(super) fn different(path: &Path, other: &FileFrame, mesh: &FileFrame) -> Option<String> {
    Some(warning(path, other, other.doubt_beside(mesh)?, "the mesh of the case"))
}

/// Returns a warning if a surface on tiles is combined with volumes in the scanner frame.
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
    let other = "the scanner, in which the volumes of the case may lie";
    Some(warning(path, surface, surface.doubt()?, other))
}

fn warning(path: &Path, frame: &FileFrame, offset: FrameOffset, other: &str) -> String {
    let path = path.display();
    let FrameOffset::Known(offset) = offset else {
        return format!(
            "{path}: it is unknown how far the coordinates are off those of {other}: a file states \
             no c_ras; export the surface with its volume geometry, or choose the frame \"file\" if \
             they match"
        );
    };
    let c_ras = frame.c_ras.map_or(String::new(), |[r, a, s]| format!(" (c_ras {r} {a} {s})"));
    format!(
        "{path}: the coordinates are up to {offset:.3} mm off those of {other}{c_ras}; choose the \
         frame \"scanner\" or \"tkr\", or \"file\" if they match"
    )
}
