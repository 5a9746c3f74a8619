//! Checks the ranges of all numbers in a case, and conflicts between keys.

mod evolve;
mod reconstruct;
mod tiled;

use super::initial::{Initial, InitialMesh, InitialVolume};
use super::initial_image::InitialImage;
use super::mesh_source::MeshSource;
use super::region::Region;
use super::tables::{Checkpoints, Domain, SeriesFormat};
use super::values::Speed;
use super::{Bounds, Config, MOST_THREADS, Precision, Seed};
use crate::error::Error;
use crate::expression::Expression;
use crate::io::RawLayout;
use crate::picture::View;

/// An error found in a case.
pub(super) struct Flaw {
    /// Dotted path of the key.
    pub key: String,
    pub what: String,
    pub remedy: String,
}

impl Flaw {
    /// Returns a message such as "evolve.cfl must be ...".
    pub(super) fn message(&self) -> String {
        if self.key.is_empty() {
            return self.what.clone();
        }
        format!("{} {}", self.key, self.what)
    }
}

type Checked = Result<(), Flaw>;

fn flaw(key: &str, what: impl Into<String>, remedy: impl Into<String>) -> Flaw {
    Flaw { key: key.to_string(), what: what.into(), remedy: remedy.into() }
}

fn require(holds: bool, key: &str, what: impl Into<String>, remedy: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(flaw(key, what, remedy)) }
}

fn positive(key: &str, x: Option<f64>) -> Checked {
    match x {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(flaw(key, format!("must be > 0 and finite, but is {x}"), ""))
        }
        _ => Ok(()),
    }
}

fn at_least_one(key: &str, n: Option<u64>) -> Checked {
    require(n != Some(0), key, "must be at least 1, is 0", "")
}

fn finite(key: &str, values: &[f64]) -> Checked {
    let all = values.iter().all(|x| x.is_finite());
    let found = match values {
        [value] => value.to_string(),
        values => format!("{values:?}"),
    };
    require(all, key, format!("must be finite, is {found}"), "use a finite number")
}

/// Returns an error if a number is not finite, or too large for the precision of the case.
fn held(config: &Config, key: &str, values: &[f64]) -> Checked {
    finite(key, values)?;
    let most = match config.precision() {
        Precision::F64 => return Ok(()),
        Precision::F32 => f64::from(f32::MAX),
    };
    let beyond = values.iter().find(|x| x.abs() > most);
    let what = format!("is {:e}, but the largest f32 number is 3.4e38", beyond.unwrap_or(&most));
    require(beyond.is_none(), key, what, "rescale the units, or use precision = \"f64\"")
}

fn timeless(key: &str, expression: &Expression) -> Checked {
    let remedy = "for an array named t, write {t}";
    require(!expression.uses_time(), key, "must not depend on the time t", remedy)
}

/// Returns an error about the first option of `[reconstruct]` that does not suit the cloud.
/// `has_normals` says whether the cloud has normals.
pub(super) fn flaw_for_cloud(config: &Config, has_normals: bool) -> Option<Flaw> {
    let table = config.reconstruct.as_ref()?;
    reconstruct::fit(table, Some(has_normals)).err()
}

/// Returns errors about numbers that are out of range and about conflicting keys. Each check
/// returns only its first error, because that error may cause others.
pub(super) fn flaws(config: &Config) -> Vec<Flaw> {
    let n = config.device.threads;
    let range = format!("must be 0 (all cores) to {MOST_THREADS}, is {n}");
    let what = "the case is named \"interface\", like the files of the interface";
    let mut checked = vec![
        match &config.domain {
            Domain::Mesh(mesh) => check_mesh(config, mesh),
            Domain::Tiled(tiles) => tiled::check(config, tiles),
            Domain::Cloud(cloud) => reconstruct::check(config, cloud),
        },
        require(n <= MOST_THREADS, "device.threads", range, ""),
        require(config.name() != "interface", "", what, "rename the case file"),
    ];
    if !matches!(config.domain, Domain::Cloud(_)) {
        checked.push(check_task(config));
    }
    checked.push(check_initial(config));
    if let Some(table) = &config.evolve {
        checked.extend([evolve::check(config, table), evolve::reinitialize(config)]);
    }
    checked.extend([check_distance(config), check_output(config), check_expect(config)]);
    let mut flaws: Vec<Flaw> = checked.into_iter().filter_map(Result::err).collect();
    // Checks of the domain also look at keys of other tables, so the same key may have been
    // reported twice.
    let mut seen = std::collections::BTreeSet::new();
    flaws.retain(|flaw| flaw.key.is_empty() || seen.insert(flaw.key.clone()));
    flaws
}

/// Returns an error if a key that applies only to tiles is given.
fn of_tiles(given: bool, key: &str) -> Checked {
    require(!given, key, "is for [domain.tiled] only, not for meshes", "remove it")
}

fn check_mesh(config: &Config, mesh: &MeshSource) -> Checked {
    if let Some(evolve) = &config.evolve {
        of_tiles(evolve.scheme.is_some(), "evolve.scheme")?;
        of_tiles(evolve.time_scheme.is_some(), "evolve.time_scheme")?;
    }
    let table = &config.reinitialize;
    of_tiles(table.method.is_some(), "reinitialize.method")?;
    of_tiles(table.iterations.is_some(), "reinitialize.iterations")?;
    of_tiles(table.rescaling.is_some(), "reinitialize.rescaling")?;
    of_tiles(config.output.volume.is_some(), "output.volume")?;
    match (&mesh.path, &mesh.generate) {
        (Some(path), None) => check_path(config, "domain.mesh.path", path)?,
        (None, Some(generate)) => {
            // Other failures depend on this machine and appear when the mesh is generated.
            if let Err(Error::Case { what, remedy, .. }) = generate.check() {
                return Err(flaw("domain.mesh.generate", format!("is not usable: {what}"), remedy));
            }
        }
        (None, None) => {
            return Err(flaw("domain.mesh", "has no mesh", "add `path` or `generate`"));
        }
        (Some(_), Some(_)) => {
            let what = "conflicts with `path`";
            return Err(flaw("domain.mesh.generate", what, "remove one of the two"));
        }
    }
    for (k, file) in mesh.data.iter().enumerate() {
        check_path(config, &format!("domain.mesh.data.{k}.path"), &file.path)?;
    }
    for (given, key) in [(mesh.weld.is_some(), "weld"), (mesh.repair.is_some(), "repair")] {
        let what = "is for mesh files only, and generated meshes need no repair";
        require(!given || mesh.path.is_some(), &format!("domain.mesh.{key}"), what, "remove it")?;
    }
    let (n, size) = (mesh.refine, mesh.patch_size);
    require(n <= 8, "domain.mesh.refine", format!("must be between 0 and 8, but is {n}"), "")?;
    let key = "domain.mesh.patch_size";
    require(
        (8..=4096).contains(&size),
        key,
        format!("must be between 8 and 4096, but is {size}"),
        "",
    )
}

fn check_path(config: &Config, key: &str, path: &str) -> Checked {
    match config.resolved(path) {
        Ok(_) => Ok(()),
        Err((what, remedy)) => Err(flaw(key, format!("is not usable: {what}"), remedy)),
    }
}

fn check_task(config: &Config) -> Checked {
    let remedy = "add [domain.cloud], or remove [reconstruct]";
    require(config.reconstruct.is_none(), "reconstruct", "needs a point cloud", remedy)?;
    match (&config.evolve, &config.distance) {
        (None, None) => Err(flaw("", "the case has no task", "add a table [evolve] or [distance]")),
        (Some(_), Some(_)) => Err(flaw(
            "distance",
            "conflicts with [evolve]",
            "a case has one task; remove one table",
        )),
        (Some(_), None) => require(
            config.initial.is_some(),
            "evolve",
            "has nothing to move",
            "add [initial] with a shape such as ball = { center = [0, 0, 0], radius = 1 }",
        ),
        (None, Some(distance)) => require(
            config.initial.is_some() == distance.from.is_empty(),
            "distance",
            "needs exactly one source: `from`, or the zero set of [initial]",
            "",
        ),
    }
}

fn check_initial(config: &Config) -> Checked {
    match &config.initial {
        Some(Initial::Shape(shape)) => check_shape("initial", shape),
        Some(Initial::Mesh { mesh }) => check_surface(config, "initial.mesh", mesh),
        Some(Initial::Region(region)) => check_region(config, "initial", region),
        Some(Initial::Curve { curve }) => check_path(config, "initial.curve.path", &curve.path),
        Some(Initial::Volume { volume }) => check_volume(config, "initial.volume", volume),
        Some(Initial::Image { image }) => check_image(config, image),
        Some(Initial::Expression { expression }) => timeless("initial.expression", expression),
        Some(Initial::Data { .. } | Initial::Group { .. }) | None => Ok(()),
    }
}

fn check_surface(config: &Config, key: &str, mesh: &InitialMesh) -> Checked {
    check_path(config, &format!("{key}.path"), &mesh.path)?;
    positive(&format!("{key}.scale"), Some(mesh.scale))?;
    positive(&format!("{key}.thickness"), mesh.thickness)?;
    finite(&format!("{key}.translate"), &mesh.translate)
}

fn check_volume(config: &Config, key: &str, volume: &InitialVolume) -> Checked {
    check_path(config, &format!("{key}.path"), &volume.path)?;
    finite(&format!("{key}.level"), &[volume.level])?;
    check_spacing(key, volume.spacing)?;
    match volume.raw.as_deref().map(str::parse::<RawLayout>) {
        Some(Err(what)) => Err(flaw(&format!("{key}.raw"), what, "")),
        _ => Ok(()),
    }
}

fn check_region(config: &Config, key: &str, region: &Region) -> Checked {
    match region {
        Region::Shape(shape) => check_shape(key, shape),
        Region::Mesh { mesh } => check_surface(config, &format!("{key}.mesh"), mesh),
        Region::Volume { volume } => check_volume(config, &format!("{key}.volume"), volume),
        Region::Expression { expression } => timeless(&format!("{key}.expression"), expression),
        Region::Union { .. } | Region::Intersection { .. } | Region::Difference { .. } => {
            let parts = region.parts();
            require(!parts.is_empty(), key, "combines no regions", "name at least one")?;
            let mut parts = parts.into_iter();
            parts
                .try_for_each(|(below, part)| check_region(config, &format!("{key}.{below}"), part))
        }
    }
}

/// Checks that a spacing consists of positive numbers.
fn check_spacing(table: &str, spacing: Option<[f64; 3]>) -> Checked {
    let key = format!("{table}.spacing");
    spacing.into_iter().flatten().try_for_each(|length| positive(&key, Some(length)))
}

fn check_image(config: &Config, image: &InitialImage) -> Checked {
    check_path(config, "initial.image.path", &image.path)?;
    finite("initial.image.min", &image.min)?;
    finite("initial.image.level", image.level.as_slice())?;
    positive("initial.image.pixel", image.pixel)?;
    require(
        image.pixel.is_some() != image.max.is_some(),
        "initial.image",
        "needs the size of the picture",
        "give it either `pixel`, the edge length of a pixel, or `max`, the upper right corner",
    )?;
    if let Some(max) = &image.max {
        finite("initial.image.max", max)?;
        let is_above = max.iter().zip(&image.min).all(|(max, min)| max > min);
        require(is_above, "initial.image.max", "must exceed min on both axes", "")?;
    }
    if let Some(ends) = &image.extrude {
        finite("initial.image.extrude", ends)?;
        let what = format!("must be [lower, upper] with lower < upper, but is {ends:?}");
        require(ends[0] < ends[1], "initial.image.extrude", what, "")?;
    }
    image.union.as_ref().map_or(Ok(()), |shape| check_shape("initial.image.union", shape))
}

fn check_shape(key: &str, shape: &crate::geometry::shape::Shape) -> Checked {
    match shape.flaw() {
        None => Ok(()),
        Some((path, what)) => Err(flaw(&format!("{key}.{}", path.join(".")), what, "")),
    }
}

fn check_distance(config: &Config) -> Checked {
    let Some(distance) = &config.distance else { return Ok(()) };
    positive("distance.width", distance.width)?;
    if let Some(Speed::Expression(expression)) = &distance.speed {
        timeless("distance.speed", expression)?;
    }
    if let Some(f) = distance.speed.as_ref().and_then(Speed::number) {
        let (low, high) = (Speed::RANGE.start(), Speed::RANGE.end());
        let what = format!("must be between {low:e} and {high:e}, but is {f}");
        let remedy = "use a mask to exclude cells that no front may enter";
        require(Speed::RANGE.contains(&f), "distance.speed", what, remedy)?;
    }
    for (k, seed) in distance.from.iter().enumerate() {
        let key = format!("distance.from.{k}");
        match seed {
            Seed::Curve { path, .. } => check_path(config, &key, path)?,
            Seed::LevelSet { expression, .. } => timeless(&key, expression)?,
            Seed::Surface { region, .. } => timeless(&key, region)?,
            _ => {}
        }
    }
    if let Some(mask) = &distance.mask {
        timeless("distance.mask", mask)?;
    }
    require(
        !distance.labels || !distance.from.is_empty(),
        "distance.labels",
        "needs seeds in `from`",
        "",
    )?;
    for (k, seed) in distance.paths_from.iter().enumerate() {
        let place = matches!(seed, Seed::Vertices { .. } | Seed::Point { .. });
        let what = format!("must be vertex:N or point:x,y,z, is {seed}");
        require(place && seed.start() == 0.0, &format!("distance.paths_from.{k}"), what, "")?;
    }
    let has_inside = match distance.from.as_slice() {
        [] => true,
        [Seed::Surface { start, .. }] => *start == 0.0,
        _ => false,
    };
    require(
        distance.signed != Some(true) || has_inside,
        "distance.signed",
        "is true, but these seeds have no inside",
        "remove it, or use a single seed surface:REGION, or start from [initial]",
    )
}

fn check_output(config: &Config) -> Checked {
    let output = &config.output;
    if let Some(folder) = &output.folder {
        check_path(config, "output.folder", folder)?;
    }
    at_least_one("output.every", output.every)?;
    at_least_one("output.measures_every", output.measures_every)?;
    positive("output.interval", output.interval)?;
    match output.checkpoint {
        Checkpoints::Every(n) => at_least_one("output.checkpoint.every", Some(n))?,
        Checkpoints::Minutes(x) => positive("output.checkpoint.minutes", Some(x))?,
        Checkpoints::Never => {}
    }
    require(
        output.every.is_none() || output.interval.is_none(),
        "output.interval",
        "conflicts with `every`",
        "remove one of the two",
    )?;
    require(
        output.interface || output.interface_files.is_empty(),
        "output.interface_files",
        "conflicts with interface = false",
        "remove one of the two",
    )?;
    let gradient = config.distance.as_ref().is_some_and(|distance| distance.gradient);
    require(
        !gradient || output.format != SeriesFormat::Vtkhdf,
        "output.format",
        "is \"vtkhdf\", which cannot hold the cell data of a gradient",
        "use format = \"pvd\", or leave out the gradient",
    )?;
    check_picture(config)
}

fn check_picture(config: &Config) -> Checked {
    let Some(picture) = &config.output.picture else { return Ok(()) };
    if let Some((key, what)) = picture.options().flaw() {
        return Err(flaw(&format!("output.picture.{key}"), what, ""));
    }
    require(
        picture.camera.is_none() || picture.view == View::Auto,
        "output.picture.camera",
        "conflicts with `view`",
        "remove one of the two",
    )
}

fn check_expect(config: &Config) -> Checked {
    let expect = &config.expect;
    if let Some(exact) = &expect.exact {
        check_shape("expect.exact", exact)?;
    }
    for (name, bounds) in expect.bounds() {
        check_bounds(&format!("expect.{name}"), &bounds)?;
        require(
            !name.contains("_error_") || expect.exact.is_some(),
            &format!("expect.{name}"),
            "needs an exact shape",
            "add exact.ball = { center, radius } or another shape to [expect]",
        )?;
        let weighted = config.evolve.as_ref().is_some_and(|e| e.weighted_curvature.is_some());
        require(
            name != "mean_weight_drift" || weighted,
            "expect.mean_weight_drift",
            "needs a weight",
            "add evolve.weighted_curvature, or remove it",
        )?;
        let of_distance = name.starts_with("distance_") || name == "path_length";
        let of_surface = name.starts_with("sample_") || name == "holes";
        let of_all = matches!(
            name,
            "components" | "euler_number" | "interface_error_mean" | "interface_error_max"
        );
        if config.reconstruct.is_some() || of_surface {
            let task = if of_surface { "reconstruct" } else { "evolve or distance" };
            require(
                config.reconstruct.is_some() && (of_surface || of_all),
                &format!("expect.{name}"),
                format!("is for the task {task} only"),
                "",
            )?;
            continue;
        }
        let of_either = matches!(name, "phi_min" | "phi_max");
        require(
            of_either || of_distance == config.distance.is_some(),
            &format!("expect.{name}"),
            format!("is for the task {} only", if of_distance { "distance" } else { "evolve" }),
            "",
        )?;
    }
    Ok(())
}

fn check_bounds(key: &str, bounds: &Bounds) -> Checked {
    let numbers = [bounds.value, bounds.tolerance, bounds.at_most, bounds.at_least];
    finite(key, &numbers.into_iter().flatten().collect::<Vec<_>>())?;
    require(
        bounds.value.is_some() || bounds.at_most.is_some() || bounds.at_least.is_some(),
        key,
        "has no bound",
        "add `value`, `at_most` or `at_least`",
    )?;
    let alone = bounds.tolerance.is_none() || bounds.value.is_some();
    require(alone, &format!("{key}.tolerance"), "needs `value`", "")?;
    let negative = bounds.tolerance.is_some_and(|t| t < 0.0);
    require(!negative, &format!("{key}.tolerance"), "must be >= 0", "")?;
    let (low, high) = bounds.range();
    require(low <= high, key, format!("allows no number: {low} to {high}"), "")
}
