//! Moving interfaces on a mesh.

use zeroset::api::{EvolveOptions, Velocity};
use zeroset::{Error, Terms, Values, evolve_with};

use crate::arrays::{object, optional, slice, write};
use crate::mesh::ZerosetMesh;
use crate::status::{ZerosetStatus, call};

/// The terms of `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|`, one row for each
/// vertex. NULL means zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ZerosetTerms {
    /// x, y and z of the velocity a, in mesh units per time, `[n_vertices * 3]`.
    pub velocity: *const f64,
    /// The normal speed eps, in mesh units per time, `[n_vertices]`. The inside grows where it is
    /// positive.
    pub normal_speed: *const f64,
    /// The curvature coefficient beta >= 0, in mesh units^2 per time, `[n_vertices]`.
    pub curvature: *const f64,
}

/// Moves the zero set of a level set for a time `duration`, in the unit of time of the terms. `phi`
/// has one number for each vertex, negative inside, of which only the zero set matters. It receives
/// the level set at the end, in mesh units.
///
/// # Safety
/// `mesh` must point to a mesh, `phi` to as many numbers as it has vertices, and `terms` to terms
/// whose arrays have the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_evolve(
    mesh: *const ZerosetMesh,
    phi: *mut f64,
    terms: *const ZerosetTerms,
    duration: f64,
) -> ZerosetStatus {
    call(|| {
        // SAFETY: The caller promises that the pointers are valid.
        unsafe {
            let mesh = &object("mesh", mesh)?.mesh;
            let (n, given) = (mesh.n_vertices(), object("terms", terms)?);
            let begun = slice("phi", phi.cast_const(), n)?.to_vec();
            let mut terms = Terms::default();
            if let Some(rows) = optional(given.velocity.cast::<[f64; 3]>(), n) {
                terms = terms.velocity(Velocity::PerVertex(rows.to_vec()));
            }
            if let Some(values) = optional(given.normal_speed, n) {
                terms = terms.normal_speed(Values::PerVertex(values.to_vec()));
            }
            if let Some(values) = optional(given.curvature, n) {
                terms = terms.curvature(Values::PerVertex(values.to_vec()));
            }
            let options = EvolveOptions::default().until(duration);
            let last = evolve_with(mesh, begun, &terms, options)?.last().unwrap_or_else(|| {
                Err(Error::usage("the motion has no state", "give a duration above 0"))
            })?;
            write("phi", &last.phi, phi)
        }
    })
}
