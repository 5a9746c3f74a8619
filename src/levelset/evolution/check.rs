//! Checks of phi, terms and options before the first step of an evolution.

use super::{Advection, Coefficient, NormalMotion, Options, Rule, Terms};
use crate::error::{Error, Result};
use crate::levelset::volume::VolumeCorrection;
use crate::mesh::{Kind, Mesh};

/// Checks that an array has one row per vertex.
pub(super) fn length(mesh: &Mesh, what: &str, rows: usize) -> Result<()> {
    let n = mesh.n_vertices();
    match rows == n {
        true => Ok(()),
        false => Err(Error::usage(
            format!("{what} has {rows} rows, the mesh has {n} vertices"),
            "give one row per vertex",
        )),
    }
}

/// Checks that the terms and options are valid and do not contradict each other.
pub(super) fn motion(mesh: &Mesh, terms: &Terms, options: &Options) -> Result<()> {
    let length = |what: &str, rows: usize| length(mesh, what, rows);
    if let Coefficient::PerVertex(rows) = &terms.velocity {
        length("velocity", rows.len())?;
    }
    let scalars = [
        ("normal_speed", &terms.normal_speed),
        ("curvature", &terms.curvature),
        ("weighted_curvature", &terms.weight),
    ];
    for (name, term) in scalars {
        if let Coefficient::PerVertex(rows) = term {
            length(name, rows.len())?;
        }
        not_finite(name, term.known().as_flattened())?;
    }
    not_finite("velocity", terms.velocity.known().as_flattened())?;
    for (name, term) in &scalars[1..] {
        if let Some([beta]) = term.known().iter().find(|[beta]| *beta < 0.0) {
            return Err(Error::usage(
                format!(
                    "{name} is {beta}, expected 0 or more: negative curvature flow is ill-posed"
                ),
                "change its sign",
            ));
        }
    }
    if !terms.curvature.is_zero() && !terms.weight.is_zero() {
        return Err(Error::usage(
            "curvature and weighted_curvature cannot be combined",
            "add the constant to the weight, as in weighted_curvature = \"w + 0.1\"",
        ));
    }
    check_schemes(terms, options)?;
    if options.advection == Advection::CharacteristicMap {
        check_map(mesh, terms, options)?;
    }
    if options.rule == Rule::Never && options.half_width.is_some() {
        return Err(Error::usage(
            "rule \"never\" with a narrow band would let the interface leave the band",
            "use rule \"displacement\" or half_width = \"whole\"",
        ));
    }
    if let Some(w) = options.half_width.filter(|w| !(*w > 0.0 && w.is_finite())) {
        return Err(Error::usage(
            format!("half_width is {w}, expected a positive number"),
            "use 5 edges",
        ));
    }
    let moves_otherwise =
        !terms.normal_speed.is_zero() || !terms.curvature.is_zero() || !terms.weight.is_zero();
    if options.volume_correction == VolumeCorrection::Global && moves_otherwise {
        return Err(Error::usage(
            "volume_correction \"global\" is for motion by velocity alone: the change in volume by \
             other terms is not known in advance",
            "use \"local\", or remove the other terms",
        ));
    }
    if options.volume_correction == VolumeCorrection::Local && options.rule == Rule::Never {
        return Err(Error::usage(
            "volume_correction \"local\" corrects reinitializations, but rule is \"never\"",
            "use \"global\", or choose another rule",
        ));
    }
    if !(options.cfl > 0.0 && options.cfl.is_finite()) {
        return Err(Error::usage(
            format!("cfl is {}, expected a positive number", options.cfl),
            "use 1",
        ));
    }
    Ok(())
}

/// Checks that phi has one finite value per vertex.
pub(super) fn phi(mesh: &Mesh, phi: &[f64]) -> Result<()> {
    length(mesh, "initial phi", phi.len())?;
    not_finite("phi", phi)
}

/// Returns the error for an initial phi whose `n` vertices all lie on one side. `why` states why no
/// interface can enter.
pub(super) fn no_interface(n: usize, is_inside: bool, why: &str) -> Error {
    let side = if is_inside { "inside (phi < 0)" } else { "outside (phi >= 0)" };
    Error::usage(
        format!("the initial phi has no interface: all {n} vertices lie {side}{why}"),
        "move or resize the initial shape so that its boundary crosses the mesh",
    )
}

/// Checks that the chosen schemes can be combined, that inflow values come with a velocity, and
/// that the minimum quality is in range.
fn check_schemes(terms: &Terms, options: &Options) -> Result<()> {
    let positive = options.advection == Advection::PositiveCoefficient
        && options.normal_motion == NormalMotion::PositiveCoefficient;
    if options.one_pass && !positive {
        return Err(Error::usage(
            "one_pass requires the positive-coefficient scheme for advection and normal_motion",
            "remove one_pass, or use \"positive-coefficient\" for both",
        ));
    }
    if terms.inflow.is_some() && terms.velocity.is_zero() {
        return Err(Error::usage(
            "inflow needs a velocity, but none is given",
            "remove inflow, or add a velocity",
        ));
    }
    if !(0.0..=1.0).contains(&options.least_quality) {
        return Err(Error::usage(
            format!("least_quality is {}, expected 0 to 1", options.least_quality),
            "use 0.2",
        ));
    }
    Ok(())
}

/// Checks that a characteristic map can carry the interface.
fn check_map(mesh: &Mesh, terms: &Terms, options: &Options) -> Result<()> {
    let scheme = "advection \"characteristic-map\"";
    let refuse = |is_refused: bool, what: &str, remedy: &str| match is_refused {
        true => Err(Error::usage(format!("{scheme} {what}"), remedy)),
        false => Ok(()),
    };
    let other = "use another scheme, such as \"taylor-galerkin\"";
    let moves_otherwise =
        !terms.normal_speed.is_zero() || !terms.curvature.is_zero() || !terms.weight.is_zero();
    refuse(mesh.kind != Kind::Planar, "is for planar meshes of triangles", other)?;
    refuse(moves_otherwise, "is for motion by velocity alone", other)?;
    refuse(terms.inflow.is_some(), "cannot be combined with inflow", other)?;
    refuse(
        options.half_width.is_some() || options.rule != Rule::Never,
        "moves the whole mesh and never reinitializes",
        "use half_width = \"whole\" and rule = \"never\"",
    )?;
    refuse(
        options.volume_correction != VolumeCorrection::None,
        "cannot be combined with volume_correction",
        "use volume_correction = \"none\"",
    )?;
    refuse(options.clip, "cannot be combined with clip", "remove clip")?;
    refuse(options.least_quality > 0.0, "uses no least_quality", "remove least_quality")
}

/// Checks that each index of a triangle, of which `n` were found, is in the mesh.
pub(super) fn cells(what: &str, n: usize, n_cells: usize) -> Result<()> {
    match n <= n_cells {
        true => Ok(()),
        false => Err(Error::usage(
            format!("{what} names cell {}, but the mesh has {n_cells} cells", n - 1),
            "begin the run again",
        )),
    }
}

/// Checks that all values are finite.
pub(super) fn not_finite(what: &str, values: &[f64]) -> Result<()> {
    match values.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(Error::usage(format!("{what} contains {x}"), "use finite numbers only")),
    }
}
