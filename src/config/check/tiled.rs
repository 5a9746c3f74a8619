//! Checks a case on tiles.

use super::flaws::Flaws;
use super::{check_path, check_spacing};
use crate::config::initial::Initial;
use crate::config::output::SeriesFormat;
use crate::config::tables::{Evolve, Precision, Rule};
use crate::config::tiled::{Storage, TiledSource};
use crate::config::values::{Coefficient, Component, HalfWidth, Velocity};
use crate::config::{Config, CurvatureStep, Method, NormalMotion, Scheme, VolumeCorrection};
use crate::io::RawLayout;
use crate::levelset::tiled::MOST_GAMMA;

/// Allowed half widths on tiles, in voxels. The first-order scheme needs at least 1.5.
const HALF_WIDTH: std::ops::RangeInclusive<f64> = 1.5..=MOST_GAMMA;

/// Maximum number of grids. With this number, the coarsest grid has a spacing of 128 dx.
const MOST_LEVELS: u32 = 8;

/// Largest stable CFL factor.
const LARGEST_CFL: f64 = 0.9;

pub(super) fn check(flaws: &mut Flaws, config: &Config, tiles: &TiledSource) {
    flaws.positive("domain.tiled.dx", Some(tiles.dx));
    flaws.finite("domain.tiled.origin", &tiles.origin);
    let edge = tiles.tile_edge;
    let key = "domain.tiled.tile_edge";
    flaws.require([4, 8].contains(&edge), key, format!("must be 4 or 8, is {edge}"), "");
    let fits = tiles.storage == Storage::Full || config.precision() == Precision::F32;
    let what = "is \"16-bit\", but precision is \"f64\"";
    flaws.require(
        fits,
        "domain.tiled.storage",
        what,
        "use storage = \"full\", or precision = \"f32\"",
    );
    let what = format!("must be between 1 and {MOST_LEVELS}, but is {}", tiles.levels);
    flaws.require((1..=MOST_LEVELS).contains(&tiles.levels), "domain.tiled.levels", what, "");
    if tiles.levels > 1 {
        check_rest(flaws, config);
    }
    if let Some(bounds) = &tiles.bounds {
        let (min, max) = (bounds.min, bounds.max);
        flaws.finite("domain.tiled.bounds.min", &min);
        flaws.finite("domain.tiled.bounds.max", &max);
        let ordered = (0..3).all(|k| min[k] < max[k]);
        let what = format!("must exceed min on every axis, is {max:?} with min {min:?}");
        flaws.require(ordered, "domain.tiled.bounds.max", what, "");
    }
    if config.distance.is_some() {
        let remedy = "use [domain.mesh], with generate.cube for a box";
        return flaws.add("distance", "works on meshes only, not on tiles", remedy);
    }
    if let Some(evolve) = &config.evolve {
        check_evolve(flaws, config, evolve);
        check_band(flaws, config);
    }
    check_initial(flaws, config, tiles);
    check_output(flaws, config)
}

/// Checks that coefficients do not depend on time, because coarser grids ignore time.
fn check_rest(flaws: &mut Flaws, config: &Config) {
    let Some(evolve) = &config.evolve else { return };
    for (key, coefficient) in
        [("evolve.normal_speed", &evolve.normal_speed), ("evolve.curvature", &evolve.curvature)]
    {
        if let Some(Coefficient::Expression(expression)) = coefficient {
            flaws.timeless(key, expression);
        }
    }
    if let Some(Velocity::Components(components)) = &evolve.velocity {
        for component in components {
            if let Component::Expression(expression) = component {
                flaws.timeless("evolve.velocity", expression);
            }
        }
    }
}

/// Returns an error if a key that applies only to meshes is given.
fn of_meshes(flaws: &mut Flaws, given: bool, key: &str, remedy: &str) {
    flaws.require(!given, key, "is for meshes only, not for tiles", remedy)
}

fn check_evolve(flaws: &mut Flaws, config: &Config, evolve: &Evolve) {
    let cfl = config.cfl();
    let what = format!("must be in (0, {LARGEST_CFL}] on tiles, but is {cfl}");
    flaws.require(
        cfl > 0.0 && cfl <= LARGEST_CFL,
        "evolve.cfl",
        what,
        "use 0.5, the recommended value",
    );
    of_meshes(
        flaws,
        evolve.weighted_curvature.is_some(),
        "evolve.weighted_curvature",
        "use `curvature`",
    );
    of_meshes(flaws, evolve.inflow.is_some(), "evolve.inflow", "remove it; tiles have no boundary");
    let scheme = "remove it, see `scheme`";
    of_meshes(flaws, evolve.advection.is_some(), "evolve.advection", scheme);
    let other = evolve.normal_motion != NormalMotion::default();
    of_meshes(flaws, other, "evolve.normal_motion", scheme);
    of_meshes(flaws, evolve.one_pass, "evolve.one_pass", scheme);
    of_meshes(flaws, evolve.mask.is_some(), "evolve.mask", "use a speed that is 0 there");
    of_meshes(flaws, evolve.clip, "evolve.clip", "remove it");
    let other = evolve.curvature_step != CurvatureStep::default();
    of_meshes(flaws, other, "evolve.curvature_step", "remove it");
    of_meshes(flaws, evolve.least_quality.is_some(), "evolve.least_quality", "remove it");
    let other = evolve.volume_correction != VolumeCorrection::None;
    of_meshes(flaws, other, "evolve.volume_correction", "remove it");
    let data = matches!(evolve.velocity, Some(Velocity::Data(_)));
    of_meshes(flaws, data, "evolve.velocity.data", "use expressions or volumes");
    for (key, coefficient) in
        [("evolve.normal_speed", &evolve.normal_speed), ("evolve.curvature", &evolve.curvature)]
    {
        let data = matches!(coefficient, Some(Coefficient::Data { .. }));
        of_meshes(
            flaws,
            data,
            &format!("{key}.data"),
            "use an expression or { volume = \"FILE\" }",
        );
    }
    for (key, array) in evolve.volumes() {
        check_path(flaws, config, &format!("{key}.volume"), &array.volume);
        check_spacing(flaws, &key, array.spacing);
        if let Some(Err(what)) = array.raw.as_deref().map(str::parse::<RawLayout>) {
            return flaws.add(&format!("{key}.raw"), what, "");
        }
    }
}

fn check_band(flaws: &mut Flaws, config: &Config) {
    let key = "reinitialize.half_width";
    match config.half_width() {
        HalfWidth::Edges(n) => {
            let (low, high) = (HALF_WIDTH.start(), HALF_WIDTH.end());
            let what = format!("must be between {low} and {high} voxels, but is {n}");
            flaws.require(HALF_WIDTH.contains(&n), key, what, "use 3, the recommended value");
        }
        HalfWidth::Length { .. } => {}
        HalfWidth::Whole => {
            let remedy = "use a number of voxels, such as 3";
            return flaws.add(key, "is \"whole\", but tiles cannot cover all of space", remedy);
        }
    }
    let (rule, table) = (config.rule(), &config.reinitialize);
    let of_meshes = matches!(rule, Rule::Published | Rule::Displacement);
    let what = "is a rule for meshes";
    flaws.require(!of_meshes, "reinitialize.rule", what, "use { every = 5 } or \"never\"");
    let what = "is for meshes only";
    flaws.require(table.fit.is_none(), "reinitialize.fit", what, "remove it");
    flaws.positive("reinitialize.rescaling", table.rescaling);
    let alone = rule == Rule::Never && table.method.is_none() && table.iterations.is_none();
    let what = "conflicts with the other reinitialization keys";
    flaws.require(table.rescaling.is_none() || alone, "reinitialize.rescaling", what, "remove one");
    let what = "is for method = \"equation\" only";
    let fits = table.iterations.is_none() || config.method() == Method::Equation;
    flaws.require(fits, "reinitialize.iterations", what, "remove it");
    flaws.at_least_one("reinitialize.iterations", table.iterations);
    let reach = config.scheme() == Scheme::Weno5;
    let narrow = matches!(config.half_width(), HalfWidth::Edges(n) if n < 2.0);
    let what = "is too narrow for scheme = \"weno5\"";
    flaws.require(!(reach && narrow), key, what, "use 3, or scheme = \"first-order\"")
}

fn check_initial(flaws: &mut Flaws, config: &Config, tiles: &TiledSource) {
    let Some(initial) = &config.initial else { return };
    let needs_bounds = match initial {
        Initial::Data { .. } => {
            return of_meshes(flaws, true, "initial.data", "use a shape or a file");
        }
        Initial::Group { .. } => {
            return of_meshes(flaws, true, "initial.group", "use a shape or a file");
        }
        Initial::Curve { .. } => {
            return of_meshes(flaws, true, "initial.curve", "use a shape or a file");
        }
        Initial::Mesh { .. } | Initial::Volume { .. } => false,
        Initial::Region(region) => !region.is_bounded(),
        Initial::Image { image } => {
            let remedy = "add extrude = [lower, upper], the ends of the mask along z";
            let what = "has no ends along z, which tiles need";
            flaws.require(image.extrude.is_some(), "initial.image", what, remedy);
            image.union.as_ref().is_some_and(|shape| shape.bounds().is_none())
        }
        Initial::Expression { .. } => true,
        Initial::Shape(shape) => shape.bounds().is_none(),
    };
    flaws.require(
        !needs_bounds || tiles.bounds.is_some(),
        "initial",
        "is unbounded",
        "add domain.tiled.bounds = { min = [...], max = [...] }, the box to search for its interface",
    )
}

fn check_output(flaws: &mut Flaws, config: &Config) {
    let output = &config.output;
    if let Some(volume) = &output.volume {
        for (key, corner) in [("min", &volume.min), ("max", &volume.max)] {
            flaws.finite(&format!("output.volume.{key}"), corner.as_ref().map_or(&[], |c| &c[..]));
        }
        if let (Some(min), Some(max)) = (&volume.min, &volume.max) {
            let ordered = (0..3).all(|k| min[k] <= max[k]);
            let what = format!("must not be below min on any axis, is {max:?} with min {min:?}");
            flaws.require(ordered, "output.volume.max", what, "");
        }
    }
    let of_files = output.format != SeriesFormat::default();
    of_meshes(flaws, of_files, "output.format", "remove it; states on tiles are .vtp files");
    of_meshes(flaws, !output.fields.is_empty(), "output.fields", "remove it");
    of_meshes(flaws, output.gifti, "output.gifti", "remove it");
    of_meshes(flaws, output.freesurfer, "output.freesurfer", "remove it")
}
