//! Tests the precision of each kernel by examining its PTX instructions.

use rayon::prelude::*;
use zeroset::gpu::sources::{Unit, all_units};

use crate::{VIRTUAL, instructions, kernels, nvrtc};

/// A kernel, words that the title of its compilation unit (file and definitions) must contain, the
/// largest allowed number of instructions that the table counts, and the reason for them. The first
/// matching row applies.
type Row = (&'static str, &'static [&'static str], usize, &'static str);

/// The kernels that may have double-precision instructions although REAL is float or the source has
/// no REAL.
static DOUBLE: &[Row] = &[
    (
        "band_mark",
        &[],
        36,
        "the displacement since the last reinitialization adds up over many steps",
    ),
    ("bits_of_cells", &["DISCRIMINATOR=1"], 26, JUDGED),
    ("bits_of_cells", &["DISCRIMINATOR=2"], 62, JUDGED),
    ("bits_of_cells", &["DISCRIMINATOR=3"], 38, JUDGED),
    ("bits_of_cells", &["DISCRIMINATOR=4"], 255, EXPRESSIONS),
    ("coefficients_evaluate", &[], 140, EXPRESSIONS),
    ("coefficients_evaluate_vertices", &[], 275, EXPRESSIONS),
    ("cubes_count", &["STORAGE=16"], 25, SIXTEEN_BITS),
    ("cubes_generate", &["STORAGE=16"], 260, "vertices are f64, 16-bit values become f64"),
    ("cubes_generate", &[], 150, "vertices are f64 in every precision, as on the CPU"),
    ("density_about", &[], 275, "sums over neighbors are f64, as on the CPU"),
    ("edt_near_volume", &[], 35, "a distance is rounded once, as on the CPU"),
    ("edt_volume", &[], 44, "a distance is rounded once, as on the CPU"),
    ("evolution_begin", &[], 20, TIME),
    ("evolution_settle", &[], 60, TIME),
    ("evolution_step", &["ADVECTION=3"], 4, TIME),
    ("evolution_step", &[], 108, "each block ends the previous step: time and dt are f64"),
    ("field_values", &[], 165, "distances to planes are f64, as on the CPU"),
    ("galerkin_residual", &[], 70, "one block ends the previous step: time and dt are f64"),
    ("hilbert_keys", &[], 24, PLACES),
    ("histopyramid_base", &["DISCRIMINATOR=1"], 26, JUDGED),
    ("histopyramid_base", &["DISCRIMINATOR=2"], 62, JUDGED),
    ("histopyramid_base", &["DISCRIMINATOR=3"], 38, JUDGED),
    ("histopyramid_base", &["DISCRIMINATOR=4"], 255, EXPRESSIONS),
    ("implicit_solve", &["EXTRAPOLATED=1"], 260, "the scalar products of two kinds of steps"),
    ("implicit_solve", &[], 130, "scalar products are summed in f64, as on the CPU"),
    ("inflow_apply", &[], 285, EXPRESSIONS),
    ("march_rays", &["LEVEL=0", "RULE=2"], 1060, RAYS),
    ("march_rays", &["LEVEL=0"], 550, RAYS),
    ("march_rays", &["LEVEL=1", "RULE=2"], 1380, RAYS),
    ("march_rays", &["LEVEL=1"], 880, RAYS),
    ("measures_patches", &[], 85, "lengths and areas of all cells add up in f64"),
    ("measures_sum", &[], 90, "the sums of the blocks add up in f64"),
    ("octree_centers", &[], 16, "centroids are rounded once, from exact integer sums"),
    ("octree_keys", &[], 32, PLACES),
    ("octree_samples", &[], 30, PLACES),
    ("octree_sums", &[], 32, "positions become integers in f64, for exact sums"),
    (
        "octree_totals",
        &[],
        16,
        "positions become integers in f64, so that sums do not depend on the order",
    ),
    ("point_distance_selective", &["NORM=4", "CONE=1"], 295, "powers and cones are f64"),
    ("point_distance_selective", &["NORM=4"], 250, "powers are computed in f64, as on the CPU"),
    ("point_distance_selective", &[], 138, "cones are tested in f64, as on the CPU"),
    ("potential_velocity", &[], 38, SIXTEEN_BITS),
    ("quadratic_fit", &[], 1380, "polynomials are fitted in f64, as on the CPU"),
    ("quadratic_slope", &[], 105, "slopes are added exactly, as on the CPU"),
    ("quadratic_smooth", &[], 230, "gradients of cells are f64, as on the CPU"),
    ("raster_corners", &[], 105, PICTURES),
    ("raster_extent", &[], 50, PICTURES),
    ("raster_paint", &[], 232, PICTURES),
    ("raster_triangles", &[], 44, PICTURES),
    ("raster_wide", &[], 42, PICTURES),
    ("reduce_largest", &["VALUE=double"], 130, NUMBERS),
    ("reduce_least", &["VALUE=double"], 130, NUMBERS),
    ("reduce_sum", &["VALUE=double"], 84, NUMBERS),
    ("renumber_compare", &[], 8, CALLER),
    ("renumber_examine", &[], 14, CALLER),
    ("renumber_read", &[], 3, CALLER),
    ("renumber_write", &[], 4, CALLER),
    ("seeds_keys", &[], 27, PLACES),
    ("seeds_places", &[], 27, PLACES),
    ("shade_hits", &["LEVEL=0"], 428, RAYS),
    ("shade_hits", &["LEVEL=1"], 725, RAYS),
    ("spacing_about", &[], 146, PLACES),
    ("spacing_far", &[], 4, PLACES),
    ("spacing_places", &[], 8, PLACES),
    ("sparse_entries", &["VALUE=double"], 6, NUMBERS),
    ("sparse_mark", &["VALUE=double"], 3, NUMBERS),
    ("surface_masks", &["STORED=double"], 94, NUMBERS),
    ("surface_vertices", &["NORMALS=0"], 70, "vertices are f64, as on the CPU"),
    ("surface_vertices", &["NORMALS=1"], 252, "vertices and normals are f64, as on the CPU"),
    ("spheres_reached", &[], 30, PLACES),
    ("spheres_values", &[], 520, "spheres are fitted in f64, as on the CPU"),
    ("surface_vertices", &["directed/surface.cu"], 104, "vertices and colors are computed in f64"),
    ("tiles_begin", &["NORMAL=2"], 8, TIME),
    ("tiles_begin", &["NORMAL=3"], 8, TIME),
    ("tiles_begin", &["VELOCITY=3"], 8, TIME),
    ("tiles_begin", &[], 26, TIME),
    ("tiles_length", &["NORMAL=2"], 720, EXPRESSIONS),
    ("tiles_length", &["SAMPLED=3"], 840, VOLUMES),
    ("tiles_length", &["NORMAL=3"], 38, KEPT),
    ("tiles_length", &["VELOCITY=3"], 34, KEPT),
    ("tiles_look", &["STORAGE=16"], 13, SIXTEEN_BITS),
    ("tiles_manage", &["STORAGE=16"], 12, SIXTEEN_BITS),
    ("tiles_range", &["STORAGE=16"], 11, SIXTEEN_BITS),
    ("tiles_range", &[], 3, "half widths are handed over in f64"),
    ("tiles_reinitialize", &["STORAGE=16"], 178, SIXTEEN_BITS),
    ("tiles_reinitialize", &[], 20, TIME),
    ("tiles_rest", &["STORAGE=16"], 77, REST),
    ("tiles_rest", &["TILE_EDGE=4"], 46, REST),
    ("tiles_rest", &["TILE_EDGE=8"], 24, REST),
    ("tiles_stage", &["STORAGE=16", "SAMPLED=3"], 1090, VOLUMES),
    ("tiles_stage", &["SCHEME=1", "SAMPLED=3"], 890, VOLUMES),
    ("tiles_stage", &["SAMPLED=3"], 346, VOLUMES),
    ("tiles_stage", &["STORAGE=16", "NORMAL=2"], 480, "see the next two rows"),
    ("tiles_stage", &["NORMAL=2"], 182, EXPRESSIONS),
    ("tiles_stage", &["STORAGE=16", "SCHEME=5"], 345, SIXTEEN_BITS),
    ("tiles_stage", &["STORAGE=16"], 239, SIXTEEN_BITS),
    ("tiles_stage", &["RELAX=1"], 20, TIME),
    ("tiles_stage", &[], 45, TIME),
    ("tiles_volumes", &[], 148, "volumes are sampled in f64, as on the CPU"),
    ("tree_level", &["FAN=4", "VALUE=double"], 10, NUMBERS),
    ("tree_level", &["FAN=8", "VALUE=double"], 18, NUMBERS),
    ("unique_items", &["VALUE=double"], 3, NUMBERS),
    ("unique_mark", &["VALUE=double"], 26, NUMBERS),
    ("upsample_fill", &["STORAGE=16"], 20, SIXTEEN_BITS),
    ("upsample_fill", &[], 5, "half widths are handed over in f64"),
    ("upsample_look", &["STORAGE=16"], 20, SIXTEEN_BITS),
    ("upsample_look", &[], 5, "half widths are handed over in f64"),
    ("varying_search", &[], 2150, EXPRESSIONS),
];

/// The kernels that may have single-precision arithmetic although REAL is double or the source has
/// no REAL. Such arithmetic would lose half of the digits. Instructions that read, write, compare
/// or round single-precision data do not count.
static SINGLE: &[Row] = &[
    (
        "raster_paint",
        &[],
        40,
        "colors are f32, as on the CPU: sums of light, and the mean of the samples of a pixel",
    ),
    (
        "raster_triangles",
        &[],
        2,
        "the heights of a triangle are derived from those of its row, as on the CPU",
    ),
    (
        "raster_wide",
        &[],
        2,
        "the heights of a triangle are derived from those of its row, as on the CPU",
    ),
    ("reduce_sum", &["VALUE=float"], 80, "the numbers it adds up are f32"),
    ("surface_masks", &["STORED=float"], 17, "a value that is not finite is found by arithmetic"),
];

const CALLER: &str = "arrays of the caller are f64 in every precision";
const EXPRESSIONS: &str = "expressions are evaluated in f64, as on the CPU";
const JUDGED: &str = "conditions are evaluated in f64, as on the CPU";
const KEPT: &str = "speeds of several coefficients are summed in f64, as on the CPU";
const NUMBERS: &str = "its input is f64";
const PICTURES: &str = "positions in a picture are f64, as on the CPU";
const PLACES: &str = "positions are distinguished in f64, as on the CPU";
const RAYS: &str = "rays and hits are f64, as on the CPU";
const REST: &str = "the steady state is detected in f64, as on the CPU";
const SIXTEEN_BITS: &str = "16-bit values are encoded in f64, as on the CPU";
const TIME: &str = "time and time step are f64 in every precision";
const VOLUMES: &str = "expressions and volumes are evaluated in f64, as on the CPU";

/// The PTX instructions that round, without the type that follows the name.
const ARITHMETIC: [&str; 14] = [
    "add.", "sub.", "mul.", "mad.", "fma.", "div.", "rcp.", "sqrt.", "rsqrt.", "ex2.", "lg2.",
    "sin.", "cos.", "tanh.",
];

/// The number of instructions of one precision in a kernel, and the table that limits it.
struct Found {
    kernel: String,
    title: String,
    rows: &'static [Row],
    n: usize,
    some: String,
}

fn look(unit: &Unit, ptx: &str) -> Vec<Found> {
    let real = unit.defines.iter().find(|(name, _)| *name == "REAL");
    let real = real.map(|(_, real)| real.as_str());
    let mut found = Vec::new();
    let kernels = kernels(ptx);
    assert!(!kernels.is_empty(), "{}", unit.title());
    for (kernel, text) in kernels {
        assert!(!instructions(text, |line| line.starts_with("ret")).is_empty(), "{kernel}");
        let mut note = |rows, wanted: &dyn Fn(&str) -> bool| {
            let lines = instructions(text, wanted);
            let some = lines[..lines.len().min(3)].join(" ");
            let (kernel, title) = (kernel.to_string(), unit.title());
            found.push(Found { kernel, title, rows, n: lines.len(), some });
        };
        if real != Some("double") {
            note(DOUBLE, &|line| line.contains(".f64"));
        }
        if real != Some("float") {
            note(SINGLE, &|line| {
                // Skips the predicate of the instruction.
                let name = match line.starts_with('@') {
                    true => line.split_once(' ').map_or(line, |(_, rest)| rest),
                    false => line,
                };
                line.contains(".f32") && ARITHMETIC.iter().any(|start| name.starts_with(start))
            });
        }
    }
    found
}

/// Returns a message for each kernel that violates a table.
fn failures(found: &[Found], rows: &'static [Row]) -> Vec<String> {
    let mut failures = Vec::new();
    // For each row, the smallest number of instructions among the kernels to which it applies.
    let mut least = vec![None; rows.len()];
    for Found { kernel, title, n, some, .. } in found.iter().filter(|f| std::ptr::eq(f.rows, rows))
    {
        let is_for =
            |(name, words, ..): &Row| name == kernel && words.iter().all(|w| title.contains(w));
        let row = rows.iter().position(is_for);
        let most = row.map_or(0, |row| rows[row].2);
        if *n > most {
            failures.push(format!(
                "{kernel} of {title}: {n} instructions, at most {most} are allowed; the first: {some}"
            ));
        }
        if let Some(row) = row {
            least[row] = Some(least[row].map_or(*n, |least: usize| least.min(*n)));
        }
    }
    for ((kernel, words, most, _), least) in rows.iter().zip(least) {
        match least {
            None => failures.push(format!("{kernel} {words:?}: no kernel matches this row")),
            // A limit this loose would hide many additional instructions.
            Some(least) if 2 * least < *most => {
                failures.push(format!(
                    "{kernel} {words:?}: {most} instructions are allowed, but {least} are enough"
                ));
            }
            Some(_) => {}
        }
    }
    failures
}

#[test]
fn a_precision_computes_in_no_other() {
    let Some(nvrtc) = nvrtc() else { return };
    let look = |unit: &Unit| look(unit, &nvrtc.compile_to_ptx(unit, VIRTUAL).unwrap());
    let found: Vec<Found> = all_units().par_iter().flat_map_iter(look).collect();
    let failures = [failures(&found, DOUBLE), failures(&found, SINGLE)].concat();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
