//! What can be wrong with an evolution before its first step.

use super::{Advection, Coefficient, NormalMotion, Options, Rule, Terms};
use crate::error::{Error, Result};
use crate::mesh::Mesh;

/// Refuses an array that has not one row per vertex.
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

/// Finds the first contradiction of terms and options.
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
            "curvature stands beside weighted_curvature",
            "add the constant to the weight: weighted_curvature = \"w + 0.1\"",
        ));
    }
    check_schemes(terms, options)?;
    if options.rule == Rule::Never && options.half_width.is_some() {
        return Err(Error::usage(
            "rule \"never\" with a narrow band would let the interface leave the band",
            "take rule \"displacement\", or half_width = \"whole\"",
        ));
    }
    if let Some(w) = options.half_width.filter(|w| !(*w > 0.0 && w.is_finite())) {
        return Err(Error::usage(
            format!("half_width is {w}, expected more than 0"),
            "take 5 edges",
        ));
    }
    if !(options.cfl > 0.0 && options.cfl.is_finite()) {
        return Err(Error::usage(
            format!("cfl is {}, expected more than 0", options.cfl),
            "take 1",
        ));
    }
    Ok(())
}

/// Refuses a phi without an interface.
pub(super) fn phi(mesh: &Mesh, phi: &[f64]) -> Result<()> {
    length(mesh, "initial phi", phi.len())?;
    not_finite("phi", phi)?;
    let n = mesh.n_vertices();
    let inside = phi.iter().filter(|&&v| v < 0.0).count();
    if inside == 0 || inside == n {
        let side = if inside == 0 { "outside (phi >= 0)" } else { "inside (phi < 0)" };
        return Err(Error::usage(
            format!("the initial phi has no interface: all {n} vertices lie {side}"),
            "move or resize the initial shape so that its boundary crosses the mesh",
        ));
    }
    Ok(())
}

/// Schemes that do not go together.
fn check_schemes(terms: &Terms, options: &Options) -> Result<()> {
    let positive = options.advection == Advection::PositiveCoefficient
        && options.normal_motion == NormalMotion::PositiveCoefficient;
    if options.one_pass && !positive {
        return Err(Error::usage(
            "one_pass joins two terms of the positive-coefficient scheme, but another one is asked \
             for",
            "remove one_pass, or take \"positive-coefficient\" for both",
        ));
    }
    if terms.inflow.is_some() && terms.velocity.is_zero() {
        return Err(Error::usage(
            "inflow is given, but no velocity",
            "remove one, or add the other",
        ));
    }
    if !(0.0..=1.0).contains(&options.least_quality) {
        return Err(Error::usage(
            format!("least_quality is {}, expected 0 to 1", options.least_quality),
            "take 0.2",
        ));
    }
    Ok(())
}

/// Refuses numbers that are not finite.
pub(super) fn not_finite(what: &str, values: &[f64]) -> Result<()> {
    match values.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(Error::usage(format!("{what} holds {x}"), "give finite numbers")),
    }
}
