//! Formats the report of `zeroset reconstruct` as text for the screen.

use super::Whole;
use crate::cloud::LocalProjection;
use crate::reconstruct::directed::Directed;
use crate::reconstruct::potential::Levels;
use crate::reconstruct::{Distance, Report};
use crate::surface::{Topology, Trimmed};
use crate::words::{counted, short};

/// Returns the report as text.
pub(super) fn words(whole: &Whole) -> String {
    let scan = whole.scan;
    let (report, units) = (&scan.report, scan.unit());
    let surface = &report.surface;
    let mut text = format!(
        "surface   {}, {} vertices, {} triangles\n\
         samples   {}\n\
         {}box       {}\n{}{}{}",
        whole.output,
        surface.vertices,
        surface.triangles,
        scan.samples(),
        scan.origin.map_or(String::new(), |origin| of_origin(&origin)),
        scan.extent(),
        match (&report.directed, &report.levelset) {
            (Some(directed), _) => of_directed(directed, &units),
            (None, Some(levels)) => of_levels(levels, &units),
            (None, None) => String::new(),
        },
        report.trimmed.map_or(String::new(), |trimmed| of_trimmed(&trimmed, &units)),
        of_topology(surface, &units)
    );
    if let Some(name) = &report.device {
        text += &of_device(name, report);
    }
    text += &of_error(&report.error, &units);
    text += &of_seconds(whole);
    if let Some(bytes) = whole.peak_memory_bytes {
        text += &format!("memory    {} MiB at peak\n", bytes >> 20);
    }
    text
}

/// Returns lines that state whether a surface is closed and, if it is not, describe its three
/// longest holes.
pub fn of_topology(surface: &Topology, units: &str) -> String {
    let mut text = format!("topology  {surface}\n");
    if surface.nonmanifold_edges > 0 {
        let edges = counted(surface.nonmanifold_edges, ["edge has", "edges have"]);
        text += &format!("          {edges} three triangles\n");
    }
    if surface.stuck_edges > 0 {
        let edges =
            counted(surface.stuck_edges, ["boundary edge belongs", "boundary edges belong"]);
        text += &format!("          {edges} to no loop\n");
    }
    for hole in surface.holes.iter().take(3) {
        let [x, y, z] = hole.center;
        text += &format!(
            "          loop of {} edges, length {:.4e}{units}, about ({x:.6}, {y:.6}, {z:.6})\n",
            hole.edges, hole.length
        );
    }
    text
}

/// Returns a line about the origin of a local projection.
pub fn of_origin(origin: &LocalProjection) -> String {
    let LocalProjection { longitude, latitude } = origin;
    format!("origin    longitude {longitude:.9}, latitude {latitude:.9} degrees\n")
}

fn of_trimmed(trimmed: &Trimmed, units: &str) -> String {
    let squared = if units.is_empty() { String::new() } else { format!("{units}^2") };
    format!(
        "trimmed   {}, area {}{squared} ({:.3} %), farther than {:.4e}{units} from every sample\n",
        counted(trimmed.triangles, ["triangle", "triangles"]),
        short(trimmed.area),
        100.0 * trimmed.fraction,
        trimmed.distance
    )
}

fn of_directed(directed: &Directed, units: &str) -> String {
    let [x, y, z] = directed.size;
    format!(
        "cubes     {:.4e}{units}, {x} x {y} x {z}, {} with samples; {}\n",
        directed.cube,
        directed.seed_cubes,
        match directed.safe_cube > 0.0 {
            true => format!("{:.4e} leaves no holes", directed.safe_cube),
            false => "the size that leaves no holes is unknown".into(),
        }
    )
}

fn of_device(name: &str, report: &Report) -> String {
    let Some(directed) = &report.directed else { return format!("device    {name}\n") };
    let seconds = &directed.seconds;
    format!(
        "device    {name}, {} MiB; density {:.4} s, sort {:.4}, distances {:.4}, signs {:.4}, surface \
         {:.4}, copies {:.4}\n",
        directed.device_bytes.unwrap_or(0) >> 20,
        seconds.density,
        seconds.sort,
        seconds.field,
        seconds.signs,
        seconds.surface,
        seconds.copies
    )
}

fn of_levels(levels: &Levels, units: &str) -> String {
    let last = levels.levels.last();
    let mut text = format!(
        "voxels    {:.4e}{units}, depth {}, {} tiles; {} samples merged in the finest cells\n",
        levels.voxel,
        last.map_or(0, |level| level.level),
        last.map_or(0, |level| level.tiles),
        levels.merged
    );
    for level in &levels.levels {
        text += &format!(
            "          level {:2}: {}, {}, {:.4} % off, {:.2} s\n",
            level.level,
            counted(level.iterations, ["step", "steps"]),
            counted(level.tiles, ["tile", "tiles"]),
            level.error,
            level.seconds
        );
    }
    text
}

fn of_error(error: &Distance, units: &str) -> String {
    format!(
        "error     mean {:.4e}{units} ({:.5} % of the diagonal), at most {:.4e} ({:.4} %)\n",
        error.mean, error.mean_percent, error.max, error.max_percent
    )
}

fn of_seconds(whole: &Whole) -> String {
    let report = &whole.scan.report;
    let seconds = &report.seconds;
    let opening = match &report.device {
        Some(_) => format!(", waiting for the GPU {:.2}", whole.seconds_opening),
        None => String::new(),
    };
    format!(
        "seconds   {:.2}: reading {:.2}{opening}, cleaning {:.2}, normals {:.2}, surface {:.2}, checks \
         {:.2}, writing {:.2}\n",
        whole.seconds_total,
        whole.seconds_reading,
        seconds.clean,
        seconds.normals,
        seconds.method + seconds.finish,
        seconds.check,
        whole.seconds_writing
    )
}
