//! Checks the motion and the reinitialization: ranges, and conflicts between terms and schemes.

use super::flaws::Flaws;
use crate::config::tables::{Evolve, Rule};
use crate::config::values::{Coefficient, HalfWidth, Velocity};
use crate::config::{Advection, Config, CurvatureStep, DeviceKind, NormalMotion, VolumeCorrection};

pub(super) fn check(flaws: &mut Flaws, config: &Config, evolve: &Evolve) {
    if let Some(start) = evolve.start_time {
        flaws.finite("evolve.start_time", &[start]);
        flaws.require(
            evolve.end_time.is_none_or(|end| end > start),
            "evolve.end_time",
            format!("must be later than start_time = {start}"),
            "times are absolute: use a later end",
        );
    }
    flaws.positive("evolve.end_time", evolve.end_time);
    flaws.positive("evolve.max_step", evolve.max_step);
    flaws.positive("evolve.steady", evolve.steady);
    flaws.require(
        evolve.end_time.is_some() || evolve.max_steps.is_some() || evolve.steady.is_some(),
        "evolve",
        "has no end",
        "add `end_time`, `max_steps` or `steady`",
    );
    let zero = |term: &Option<Coefficient>| match term {
        None => true,
        Some(term) => term.number() == Some(0.0),
    };
    let at_rest = match &evolve.velocity {
        None => true,
        Some(Velocity::Constant(a)) => a.iter().all(|&x| x == 0.0),
        Some(Velocity::Components(a)) => a.iter().all(|x| x.number() == Some(0.0)),
        Some(_) => false,
    };
    let still = at_rest
        && zero(&evolve.normal_speed)
        && zero(&evolve.curvature)
        && zero(&evolve.weighted_curvature);
    flaws.require(
        !still || evolve.end_time.is_some() || evolve.max_steps == Some(0),
        "evolve",
        "moves nothing and has no end_time",
        "add `velocity`, `normal_speed` or `curvature`",
    );
    if let Some(mask) = &evolve.mask {
        flaws.timeless("evolve.mask", mask);
    }
    let others = [&evolve.normal_speed, &evolve.curvature, &evolve.weighted_curvature];
    flaws.require(
        evolve.volume_correction != VolumeCorrection::Global || others.into_iter().all(zero),
        "evolve.volume_correction",
        "is \"global\", but the change in volume by terms other than `velocity` is not known in \
         advance",
        "use \"local\", or remove the other terms",
    );
    flaws.require(
        evolve.volume_correction != VolumeCorrection::Local || config.rule() != Rule::Never,
        "evolve.volume_correction",
        "is \"local\", but reinitialize.rule is \"never\"",
        "use \"global\", or choose another rule",
    );
    if config.has_map() {
        map(flaws, config, evolve);
    }
    if config.mesh().is_some() {
        schemes(flaws, config.cfl(), evolve, at_rest);
        if let Some((key, _)) = evolve.volumes().first() {
            let remedy = "convert it to a vertex array, and name it with `data`";
            return flaws.add(key, "is a volume, but volumes are for tiles only", remedy);
        }
    }
    if let Some(Velocity::Constant(a)) = &evolve.velocity {
        flaws.held(config, "evolve.velocity", a);
    }
    if let Some(Velocity::Components(a)) = &evolve.velocity {
        for (k, number) in a.iter().enumerate().filter_map(|(k, x)| Some((k, x.number()?))) {
            flaws.held(config, &format!("evolve.velocity.{k}"), &[number]);
        }
    }
    if let Some(Velocity::Rotation(turn)) = &evolve.velocity {
        flaws.finite("evolve.velocity.rotation.axis", &turn.axis);
        flaws.finite("evolve.velocity.rotation.center", &turn.center);
        let key = "evolve.velocity.rotation.axis";
        flaws.require(turn.axis.iter().any(|&x| x != 0.0), key, "must not be zero", "");
        let (key, period) = ("evolve.velocity.rotation.period", turn.period);
        flaws.require(period != 0.0 && period.is_finite(), key, "must be finite and not 0", "");
    }
    if let Some(eps) = evolve.normal_speed.as_ref().and_then(Coefficient::number) {
        flaws.held(config, "evolve.normal_speed", &[eps]);
    }
    for (key, coefficient) in [
        ("evolve.curvature", &evolve.curvature),
        ("evolve.weighted_curvature", &evolve.weighted_curvature),
    ] {
        if let Some(beta) = coefficient.as_ref().and_then(Coefficient::number) {
            flaws.held(config, key, &[beta]);
            flaws.require(
                beta >= 0.0,
                key,
                format!("must be >= 0, but is {beta}"),
                "a negative coefficient means a backward heat flow, which has no solution",
            );
        }
    }
}

/// Checks the keys that cannot be combined with a characteristic map.
fn map(flaws: &mut Flaws, config: &Config, evolve: &Evolve) {
    const MAP: &str = "advection = \"characteristic-map\"";
    let other = "remove it, or use another advection scheme, such as \"taylor-galerkin\"";
    let terms = [
        ("evolve.normal_speed", &evolve.normal_speed),
        ("evolve.curvature", &evolve.curvature),
        ("evolve.weighted_curvature", &evolve.weighted_curvature),
    ];
    for (key, term) in terms {
        let what = format!("is given, but {MAP} is for motion by `velocity` alone");
        flaws.require(term.is_none(), key, what, other);
    }
    let excluded = [
        ("evolve.inflow", evolve.inflow.is_some()),
        ("evolve.clip", evolve.clip),
        ("evolve.least_quality", evolve.least_quality.is_some_and(|q| q > 0.0)),
        ("evolve.volume_correction", evolve.volume_correction != VolumeCorrection::None),
    ];
    for (key, is_given) in excluded {
        flaws.require(!is_given, key, format!("cannot be combined with {MAP}"), other);
    }
    let whole = [
        ("reinitialize.half_width", config.half_width() != HalfWidth::Whole),
        ("reinitialize.rule", config.rule() != Rule::Never),
    ];
    for (key, is_given) in whole {
        let what = format!("is given, but {MAP} moves the whole mesh and never reinitializes");
        flaws.require(!is_given, key, what, other);
    }
    flaws.require(
        config.device.kind != DeviceKind::Cuda,
        "evolve.advection",
        "is \"characteristic-map\", which is computed on the CPU, but device.use is \"cuda\"",
        "use the device \"auto\" or \"cpu\", or another scheme",
    );
}

/// Checks the keys of terms and schemes on meshes: ranges and conflicts.
fn schemes(flaws: &mut Flaws, cfl: f64, evolve: &Evolve, at_rest: bool) {
    let implicit = evolve.curvature_step.is_implicit();
    let most = if implicit { 100.0 } else { 2.0 };
    let remedy = if implicit {
        ""
    } else {
        "larger values are stable only with curvature_step = \"implicit\" or \"extrapolated\""
    };
    let what = format!("must be in (0, {most}], but is {cfl}");
    flaws.require(cfl > 0.0 && cfl <= most, "evolve.cfl", what, remedy);
    flaws.require(
        evolve.curvature.is_none() || evolve.weighted_curvature.is_none(),
        "evolve.weighted_curvature",
        "conflicts with `curvature`",
        "add the constant to the weight, as in weighted_curvature = \"w + 0.1\"",
    );
    let has_curvature = evolve.curvature.is_some() || evolve.weighted_curvature.is_some();
    flaws.require(
        has_curvature || evolve.curvature_step == CurvatureStep::Auto,
        "evolve.curvature_step",
        "is given without a curvature",
        "remove it, or add `curvature`",
    );
    let key = "evolve.advection";
    flaws.require(
        evolve.advection.is_none() || !at_rest,
        key,
        "is given without a velocity",
        "remove it, or add `velocity`",
    );
    let hopf_lax = evolve.normal_motion == NormalMotion::HopfLax;
    flaws.require(
        !hopf_lax || evolve.normal_speed.is_some(),
        "evolve.normal_motion",
        "is given without a normal_speed",
        "remove it, or add `normal_speed`",
    );
    let positive = evolve.advection() == Advection::PositiveCoefficient && !hopf_lax;
    flaws.require(
        !evolve.one_pass || positive,
        "evolve.one_pass",
        "combines two terms of the positive-coefficient scheme, but another scheme is selected",
        "remove it, or the other scheme",
    );
    flaws.require(
        !evolve.one_pass || !at_rest && evolve.normal_speed.is_some(),
        "evolve.one_pass",
        "combines velocity and normal_speed, but one of them is missing",
        "remove it",
    );
    flaws.require(
        evolve.inflow.is_none() || !at_rest,
        "evolve.inflow",
        "is given without a velocity",
        "remove it, or add `velocity`",
    );
    if let Some(value) = evolve.inflow.as_ref().and_then(Coefficient::number) {
        flaws.finite("evolve.inflow", &[value]);
    }
    if let Some(q) = evolve.least_quality {
        flaws.require(
            (0.0..=1.0).contains(&q),
            "evolve.least_quality",
            format!("must be between 0 and 1, but is {q}"),
            "remove it, or use 0.2, the default of version 0.1",
        );
    }
}

pub(super) fn reinitialize(flaws: &mut Flaws, config: &Config) {
    let (rule, half_width) = (config.rule(), config.half_width());
    if let Rule::Every(n) = rule {
        flaws.at_least_one("reinitialize.rule.every", Some(n));
    }
    if let HalfWidth::Length { length } = half_width {
        flaws.positive("reinitialize.half_width.length", Some(length));
    }
    // With a characteristic map, any other value than the default has been refused.
    if config.mesh().is_none() || config.has_map() {
        return;
    }
    if let HalfWidth::Edges(n) = half_width {
        flaws.require(
            (2.0..=1e6).contains(&n),
            "reinitialize.half_width",
            format!("must be between 2 and 1e6 mean edge lengths, but is {n}"),
            "use at least 5",
        );
    }
    flaws.require(
        rule != Rule::Never || half_width == HalfWidth::Whole,
        "reinitialize.rule",
        "is \"never\", but a narrow band must follow the interface",
        "add half_width = \"whole\", or choose another rule",
    );
    flaws.require(
        rule != Rule::Published || half_width != HalfWidth::Whole,
        "reinitialize.rule",
        "\"published\" depends on the half width, but half_width is \"whole\"",
        "set a half width, or use rule = { every = 10 }",
    )
}
