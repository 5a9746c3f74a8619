//! A warning for velocities that leave the plane of a planar mesh.

use crate::levelset::evolution::{Coefficient, Terms};
use crate::mesh::{Kind, Mesh};

/// A third component of at most this fraction of the largest of the other components counts as a
/// rounding error.
const ROUNDING: f64 = 1e-9;

/// Returns a warning if the velocity leaves the plane of a planar mesh. A time-dependent velocity
/// is checked at time 0.
pub(super) fn leaves_the_plane(mesh: &Mesh, terms: &Terms) -> Option<String> {
    if mesh.kind != Kind::Planar {
        return None;
    }
    let largest = |k: usize| match &terms.velocity {
        Coefficient::Uniform(a) => a[k].abs(),
        Coefficient::PerVertex(rows) => rows.iter().fold(0.0, |most, a| a[k].abs().max(most)),
        Coefficient::Varying(fields) => {
            let values = fields[k].values(&mesh.vertices, 0.0);
            values.iter().fold(0.0, |most, a| a.abs().max(most))
        }
    };
    let out = largest(2);
    (out > ROUNDING * largest(0).max(largest(1))).then(|| {
        format!(
            "evolve.velocity has a third component, up to {out:.3e}, which has no effect on a planar mesh"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Field;

    #[test]
    fn third_components_on_planar_meshes_are_warned_of() {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = |kind| Mesh::new(kind, vertices.clone(), vec![0, 1, 2]);
        let said = |kind, velocity| {
            leaves_the_plane(&mesh(kind), &Terms::default().with_velocity(velocity))
        };
        let out = Coefficient::Uniform([1.0, 0.0, -0.5]);
        assert!(said(Kind::Planar, out.clone()).unwrap().contains("up to 5.000e-1"));
        assert_eq!(said(Kind::Surface, out), None);
        let row = |z| Coefficient::PerVertex(vec![[1.0, 2.0, 0.0], [0.0; 3], [0.0, 0.0, z]]);
        assert!(said(Kind::Planar, row(0.25)).is_some());
        assert_eq!(said(Kind::Planar, row(1e-12)), None);
        let varying = |z| Coefficient::Varying([1.0, 0.0, z].map(Field::constant));
        assert!(said(Kind::Planar, varying(3.0)).is_some());
        assert_eq!(said(Kind::Planar, varying(0.0)), None);
    }
}
