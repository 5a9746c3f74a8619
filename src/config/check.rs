//! Checks the ranges of all numbers in a case, and conflicts between keys.

mod evolve;
mod flaws;
mod mesh_kind;
mod reconstruct;
mod tiled;

use super::conduction::{Quantity, conduction_quantities};
use super::initial::{Initial, InitialMesh, InitialVolume};
use super::initial_image::InitialImage;
use super::mesh_source::MeshSource;
use super::output::{Checkpoints, SeriesFormat};
use super::region::Region;
use super::tables::{DeviceKind, Domain, FrontShape, Precision};
use super::values::Speed;
use super::{Bounds, Config, MOST_THREADS, Seed, Units};
use crate::error::Error;
use crate::io::RawLayout;
use crate::picture::View;
pub(super) use flaws::Flaw;
use flaws::Flaws;

/// Returns an error about the first option of `[reconstruct]` that does not suit the cloud.
/// `has_normals` says whether the cloud has normals.
pub(super) fn flaw_for_cloud(config: &Config, has_normals: bool) -> Option<Flaw> {
    let mut flaws = Flaws::default();
    reconstruct::fit(&mut flaws, config.reconstruct.as_ref()?, Some(has_normals));
    flaws.into_vec().into_iter().next()
}

/// Returns errors about numbers that are out of range and about conflicting keys, at most one for
/// each key.
pub(super) fn flaws(config: &Config) -> Vec<Flaw> {
    let flaws = &mut Flaws::default();
    match &config.domain {
        Domain::Mesh(mesh) => check_mesh(flaws, config, mesh),
        Domain::Tiled(tiles) => tiled::check(flaws, config, tiles),
        Domain::Cloud(cloud) => reconstruct::check(flaws, config, cloud),
    }
    let n = config.device.threads;
    let range = format!("must be 0 (all cores) to {MOST_THREADS}, is {n}");
    flaws.require(n <= MOST_THREADS, "device.threads", range, "");
    check_units(flaws, config);
    let what = "the case is named \"interface\", like the files of the interface";
    flaws.require(config.name() != "interface", "", what, "rename the case file");
    if !matches!(config.domain, Domain::Cloud(_)) {
        check_task(flaws, config);
    }
    check_initial(flaws, config);
    if let Some(table) = &config.evolve {
        evolve::check(flaws, config, table);
        evolve::reinitialize(flaws, config);
    }
    check_distance(flaws, config);
    check_output(flaws, config);
    check_expect(flaws, config);
    std::mem::take(flaws).into_vec()
}

/// Checks that the names of units are short and printable.
fn check_units(flaws: &mut Flaws, config: &Config) {
    let Units { length, time, .. } = &config.units;
    for (key, unit) in [("units.length", length), ("units.time", time)] {
        if let Some(what) = unit.as_deref().and_then(Units::flaw) {
            flaws.add(key, what, "name a unit such as \"mm\", with 1 to 16 characters");
        }
    }
}

/// Adds a flaw if a key that applies only to tiles is given.
fn of_tiles(flaws: &mut Flaws, given: bool, key: &str) {
    flaws.require(!given, key, "is for [domain.tiled] only, not for meshes", "remove it")
}

fn check_mesh(flaws: &mut Flaws, config: &Config, mesh: &MeshSource) {
    if let Some(evolve) = &config.evolve {
        of_tiles(flaws, evolve.scheme.is_some(), "evolve.scheme");
        of_tiles(flaws, evolve.time_scheme.is_some(), "evolve.time_scheme");
    }
    let table = &config.reinitialize;
    of_tiles(flaws, table.method.is_some(), "reinitialize.method");
    of_tiles(flaws, table.iterations.is_some(), "reinitialize.iterations");
    of_tiles(flaws, table.rescaling.is_some(), "reinitialize.rescaling");
    of_tiles(flaws, config.output.volume.is_some(), "output.volume");
    match (&mesh.path, &mesh.generate) {
        (Some(path), None) => check_path(flaws, config, "domain.mesh.path", path),
        (None, Some(generate)) => {
            // Other failures depend on this machine and appear when the mesh is generated.
            if let Err(Error::Case { what, remedy, .. }) = generate.check() {
                return flaws.add("domain.mesh.generate", format!("is not usable: {what}"), remedy);
            }
        }
        (None, None) => {
            return flaws.add("domain.mesh", "has no mesh", "add `path` or `generate`");
        }
        (Some(_), Some(_)) => {
            let what = "conflicts with `path`";
            return flaws.add("domain.mesh.generate", what, "remove one of the two");
        }
    }
    for (k, file) in mesh.data.iter().enumerate() {
        check_path(flaws, config, &format!("domain.mesh.data.{k}.path"), &file.path);
    }
    for (given, key) in [(mesh.weld.is_some(), "weld"), (mesh.repair.is_some(), "repair")] {
        let what = "is for mesh files only, and generated meshes need no repair";
        flaws.require(
            !given || mesh.path.is_some(),
            &format!("domain.mesh.{key}"),
            what,
            "remove it",
        );
    }
    let (n, size) = (mesh.refine, mesh.patch_size);
    flaws.require(n <= 8, "domain.mesh.refine", format!("must be between 0 and 8, but is {n}"), "");
    let key = "domain.mesh.patch_size";
    flaws.require(
        (8..=4096).contains(&size),
        key,
        format!("must be between 8 and 4096, but is {size}"),
        "",
    )
}

fn check_path(flaws: &mut Flaws, config: &Config, key: &str, path: &str) {
    if let Err((what, remedy)) = config.resolved(path) {
        flaws.add(key, format!("is not usable: {what}"), remedy);
    }
}

fn check_task(flaws: &mut Flaws, config: &Config) {
    if config.reconstruct.is_some() {
        let remedy = "add [domain.cloud], or remove [reconstruct]";
        return flaws.add("reconstruct", "needs a point cloud", remedy);
    }
    match (&config.evolve, &config.distance) {
        (None, None) => {
            flaws.add("", "the case has no task", "add a table [evolve] or [distance]");
        }
        (Some(_), Some(_)) => {
            let remedy = "a case has one task; remove one table";
            flaws.add("distance", "conflicts with [evolve]", remedy);
        }
        (Some(_), None) => flaws.require(
            config.initial.is_some(),
            "evolve",
            "has nothing to move",
            "add [initial] with a shape such as ball = { center = [0, 0, 0], radius = 1 }",
        ),
        (None, Some(distance)) => flaws.require(
            config.initial.is_some() != distance.has_seeds(),
            "distance",
            "needs exactly one source: seeds in `from` or `stimuli`, or the zero set of [initial]",
            "",
        ),
    }
}

fn check_initial(flaws: &mut Flaws, config: &Config) {
    match &config.initial {
        Some(Initial::Shape(shape)) => check_shape(flaws, "initial", shape),
        Some(Initial::Mesh { mesh }) => check_surface(flaws, config, "initial.mesh", mesh),
        Some(Initial::Region(region)) => check_region(flaws, config, "initial", region),
        Some(Initial::Curve { curve }) => {
            check_path(flaws, config, "initial.curve.path", &curve.path)
        }
        Some(Initial::Volume { volume }) => check_volume(flaws, config, "initial.volume", volume),
        Some(Initial::Image { image }) => check_image(flaws, config, image),
        Some(Initial::Expression { expression }) => {
            flaws.timeless("initial.expression", expression)
        }
        Some(Initial::Data { .. } | Initial::Group { .. }) | None => {}
    }
}

fn check_surface(flaws: &mut Flaws, config: &Config, key: &str, mesh: &InitialMesh) {
    check_path(flaws, config, &format!("{key}.path"), &mesh.path);
    flaws.positive(&format!("{key}.scale"), Some(mesh.scale));
    flaws.positive(&format!("{key}.thickness"), mesh.thickness);
    flaws.finite(&format!("{key}.translate"), &mesh.translate);
}

fn check_volume(flaws: &mut Flaws, config: &Config, key: &str, volume: &InitialVolume) {
    check_path(flaws, config, &format!("{key}.path"), &volume.path);
    flaws.finite(&format!("{key}.level"), &[volume.level]);
    check_spacing(flaws, key, volume.spacing);
    if let Some(Err(what)) = volume.raw.as_deref().map(str::parse::<RawLayout>) {
        flaws.add(&format!("{key}.raw"), what, "");
    }
}

fn check_region(flaws: &mut Flaws, config: &Config, key: &str, region: &Region) {
    match region {
        Region::Shape(shape) => check_shape(flaws, key, shape),
        Region::Mesh { mesh } => check_surface(flaws, config, &format!("{key}.mesh"), mesh),
        Region::Volume { volume } => check_volume(flaws, config, &format!("{key}.volume"), volume),
        Region::Expression { expression } => {
            flaws.timeless(&format!("{key}.expression"), expression)
        }
        Region::Union { .. } | Region::Intersection { .. } | Region::Difference { .. } => {
            let parts = region.parts();
            flaws.require(!parts.is_empty(), key, "combines no regions", "name at least one");
            for (below, part) in parts {
                check_region(flaws, config, &format!("{key}.{below}"), part);
            }
        }
    }
}

/// Checks that a spacing consists of positive numbers.
fn check_spacing(flaws: &mut Flaws, table: &str, spacing: Option<[f64; 3]>) {
    let key = format!("{table}.spacing");
    spacing.into_iter().flatten().for_each(|length| flaws.positive(&key, Some(length)));
}

fn check_image(flaws: &mut Flaws, config: &Config, image: &InitialImage) {
    check_path(flaws, config, "initial.image.path", &image.path);
    flaws.finite("initial.image.min", &image.min);
    flaws.finite("initial.image.level", image.level.as_slice());
    flaws.positive("initial.image.pixel", image.pixel);
    flaws.require(
        image.pixel.is_some() != image.max.is_some(),
        "initial.image",
        "needs the size of the picture",
        "give it either `pixel`, the edge length of a pixel, or `max`, the upper right corner",
    );
    if let Some(max) = &image.max {
        flaws.finite("initial.image.max", max);
        let is_above = max.iter().zip(&image.min).all(|(max, min)| max > min);
        flaws.require(is_above, "initial.image.max", "must exceed min on both axes", "");
    }
    if let Some(ends) = &image.extrude {
        flaws.finite("initial.image.extrude", ends);
        let what = format!("must be [lower, upper] with lower < upper, but is {ends:?}");
        flaws.require(ends[0] < ends[1], "initial.image.extrude", what, "");
    }
    if let Some(union) = &image.union {
        check_shape(flaws, "initial.image.union", union);
    }
}

fn check_shape(flaws: &mut Flaws, key: &str, shape: &crate::geometry::shape::Shape) {
    if let Some((path, what)) = shape.flaw() {
        flaws.add(&format!("{key}.{}", path.join(".")), what, "");
    }
}

/// Checks a speed that depends on the direction.
fn check_conduction(flaws: &mut Flaws, distance: &super::Distance) {
    let quantities = conduction_quantities(distance);
    for (key, quantity) in &quantities {
        match quantity {
            Quantity::Expression(expression) => flaws.timeless(key, expression),
            Quantity::Number(x) => flaws.require(x.is_finite(), key, format!("is {x}"), ""),
        }
        let is_speed = !key.contains("tensor") && key.starts_with("distance.speed.");
        if let (true, Quantity::Number(x)) = (is_speed, quantity) {
            let (low, high) = (Speed::RANGE.start(), Speed::RANGE.end());
            let what = format!("must be between {low:e} and {high:e}, but is {x}");
            flaws.require(Speed::RANGE.contains(x), key, what, "");
        }
    }
    let (has_fibers, has_sheets) = match &distance.speed {
        Some(Speed::Fibers(fibers)) => (true, fibers.sheet.is_some()),
        _ => (false, false),
    };
    let remedy = "set speed = { along = 0.6, across = 0.24 }, or remove this key";
    let is_used = has_fibers || distance.fiber.is_none();
    flaws.require(
        is_used,
        "distance.fiber",
        "has no effect without speeds along and across",
        remedy,
    );
    let remedy = "set a speed `sheet` next to `along` and `across`, or remove this key";
    let is_used = has_sheets || distance.sheet.is_none();
    flaws.require(is_used, "distance.sheet", "has no effect without a speed in the sheets", remedy);
}

fn check_distance(flaws: &mut Flaws, config: &Config) {
    let Some(distance) = &config.distance else { return };
    flaws.positive("distance.width", distance.width);
    flaws.positive("distance.isochrones", distance.isochrones);
    if let Some(Speed::Expression(expression)) = &distance.speed {
        flaws.timeless("distance.speed", expression);
    }
    if let Some(f) = distance.speed.as_ref().and_then(Speed::number) {
        let (low, high) = (Speed::RANGE.start(), Speed::RANGE.end());
        let what = format!("must be between {low:e} and {high:e}, but is {f}");
        let remedy = "use a mask to exclude cells that no front may enter";
        flaws.require(Speed::RANGE.contains(&f), "distance.speed", what, remedy);
    }
    check_conduction(flaws, distance);
    if let Some(path) = &distance.stimuli {
        check_path(flaws, config, "distance.stimuli", path);
    }
    for (k, seed) in distance.from.iter().enumerate() {
        let key = format!("distance.from.{k}");
        match seed {
            Seed::Curve { path, .. } | Seed::VertexList { path, .. } => {
                check_path(flaws, config, &key, path)
            }
            Seed::LevelSet { expression, .. } => flaws.timeless(&key, expression),
            Seed::Surface { region, .. } => flaws.timeless(&key, region),
            _ => {}
        }
    }
    if let Some(mask) = &distance.mask {
        flaws.timeless("distance.mask", mask);
    }
    flaws.require(
        !distance.labels || distance.has_seeds(),
        "distance.labels",
        "needs seeds in `from` or `stimuli`",
        "",
    );
    if distance.front == FrontShape::Exact {
        flaws.require(
            config.device.kind != DeviceKind::Cuda,
            "distance.front",
            "is \"exact\", which is computed on the CPU, but device.use is \"cuda\"",
            "use the device \"auto\" or \"cpu\", or another front",
        );
        flaws.require(
            config.precision() == Precision::F64,
            "distance.front",
            "is \"exact\", which is computed in f64, but the precision is \"f32\"",
            "use precision = \"f64\", or another front",
        );
    }
    for (k, seed) in distance.paths_from.iter().enumerate() {
        let place = matches!(seed, Seed::Vertices { .. } | Seed::Point { .. });
        let what = format!("must be vertex:N or point:x,y,z, is {seed}");
        flaws.require(place && seed.start() == 0.0, &format!("distance.paths_from.{k}"), what, "");
    }
    let has_inside = match distance.from.as_slice() {
        [] => true,
        [Seed::Surface { start, .. }] => *start == 0.0,
        _ => false,
    };
    flaws.require(
        distance.signed != Some(true) || has_inside,
        "distance.signed",
        "is true, but these seeds have no inside",
        "remove it, or use a single seed surface:REGION, or start from [initial]",
    )
}

fn check_output(flaws: &mut Flaws, config: &Config) {
    let output = &config.output;
    if let Some(folder) = &output.folder {
        check_path(flaws, config, "output.folder", folder);
    }
    flaws.at_least_one("output.every", output.every);
    flaws.at_least_one("output.measures_every", output.measures_every);
    flaws.positive("output.interval", output.interval);
    match output.checkpoint {
        Checkpoints::Every(n) => flaws.at_least_one("output.checkpoint.every", Some(n)),
        Checkpoints::Minutes(x) => flaws.positive("output.checkpoint.minutes", Some(x)),
        Checkpoints::Never => {}
    }
    flaws.require(
        output.every.is_none() || output.interval.is_none(),
        "output.interval",
        "conflicts with `every`",
        "remove one of the two",
    );
    flaws.require(
        output.interface || output.interface_files.is_empty(),
        "output.interface_files",
        "conflicts with interface = false",
        "remove one of the two",
    );
    let has_cell_data =
        config.distance.as_ref().is_some_and(|distance| distance.gradient || distance.velocity);
    flaws.require(
        !has_cell_data || output.format != SeriesFormat::Vtkhdf,
        "output.format",
        "is \"vtkhdf\", which cannot hold the cell data of a gradient or a velocity",
        "use format = \"pvd\", or leave out the gradient and the velocity",
    );
    check_picture(flaws, config)
}

fn check_picture(flaws: &mut Flaws, config: &Config) {
    let Some(picture) = &config.output.picture else { return };
    if let Some((key, what)) = picture.options(String::new()).flaw() {
        return flaws.add(&format!("output.picture.{key}"), what, "");
    }
    flaws.require(
        picture.camera.is_none() || picture.view == View::Auto,
        "output.picture.camera",
        "conflicts with `view`",
        "remove one of the two",
    )
}

fn check_expect(flaws: &mut Flaws, config: &Config) {
    let expect = &config.expect;
    if let Some(exact) = &expect.exact {
        check_shape(flaws, "expect.exact", exact);
    }
    for (name, bounds) in expect.bounds() {
        check_bounds(flaws, &format!("expect.{name}"), &bounds);
        flaws.require(
            !name.contains("_error_") || expect.exact.is_some(),
            &format!("expect.{name}"),
            "needs an exact shape",
            "add exact.ball = { center, radius } or another shape to [expect]",
        );
        let weighted = config.evolve.as_ref().is_some_and(|e| e.weighted_curvature.is_some());
        flaws.require(
            name != "mean_weight_drift" || weighted,
            "expect.mean_weight_drift",
            "needs a weight",
            "add evolve.weighted_curvature, or remove it",
        );
        let of_distance = name.starts_with("distance_") || name == "path_length";
        let of_surface = name.starts_with("sample_") || name == "holes";
        let of_all = matches!(
            name,
            "components" | "euler_number" | "interface_error_mean" | "interface_error_max"
        );
        if config.reconstruct.is_some() || of_surface {
            let task = if of_surface { "reconstruct" } else { "evolve or distance" };
            flaws.require(
                config.reconstruct.is_some() && (of_surface || of_all),
                &format!("expect.{name}"),
                format!("is for the task {task} only"),
                "",
            );
            continue;
        }
        let of_either = matches!(name, "phi_min" | "phi_max");
        flaws.require(
            of_either || of_distance == config.distance.is_some(),
            &format!("expect.{name}"),
            format!("is for the task {} only", if of_distance { "distance" } else { "evolve" }),
            "",
        );
    }
}

fn check_bounds(flaws: &mut Flaws, key: &str, bounds: &Bounds) {
    let numbers = [bounds.value, bounds.tolerance, bounds.at_most, bounds.at_least];
    flaws.finite(key, &numbers.into_iter().flatten().collect::<Vec<_>>());
    flaws.require(
        bounds.value.is_some() || bounds.at_most.is_some() || bounds.at_least.is_some(),
        key,
        "has no bound",
        "add `value`, `at_most` or `at_least`",
    );
    let alone = bounds.tolerance.is_none() || bounds.value.is_some();
    flaws.require(alone, &format!("{key}.tolerance"), "needs `value`", "");
    let negative = bounds.tolerance.is_some_and(|t| t < 0.0);
    flaws.require(!negative, &format!("{key}.tolerance"), "must be >= 0", "");
    let (low, high) = bounds.range();
    flaws.require(low <= high, key, format!("allows no number: {low} to {high}"), "")
}
