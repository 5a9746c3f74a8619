//! A warning about closed surfaces that are not much thicker than the spacing of their samples.

use crate::mesh::Mesh;
use crate::surface::Parts;

/// The mean thickness, in spacings, below which a surface is thin.
const THIN: f64 = 2.0;
/// Like [`THIN`], with given normals, which separate the two sides.
const THIN_WITH_NORMALS: f64 = 1.0;
/// The uncertainty of the thickness of a thin surface, in spacings.
const UNCERTAIN: f64 = 0.15;
/// Like [`UNCERTAIN`], for a surface that is thinner than a spacing.
const UNCERTAIN_FILM: f64 = 0.3;
/// Like [`UNCERTAIN`], with given normals, for any thickness.
const UNCERTAIN_WITH_NORMALS: f64 = 0.05;
/// A component does not count if its longest side is shorter than this, in spacings.
const SMALL: f64 = 4.0;

/// Returns a warning if a component of a closed surface from `n` samples is thin. `has_normals`
/// states whether the surface follows given normals.
///
/// The mean thickness is twice the volume divided by the area. The spacing is the square root of
/// the area per sample: the distances between neighbors would be too short, because both sides of a
/// thin plate count as neighbors.
pub(super) fn warning(mesh: &Mesh, n: usize, has_normals: bool) -> Option<String> {
    let extents = Parts::new(mesh).extents(mesh);
    // `area` is twice the area, and `volume` is six times the volume.
    let area: f64 = extents.iter().map(|part| part.area / 2.0).sum();
    let spacing = (area / n.max(1) as f64).sqrt();
    let large = extents.iter().filter(|part| part.longest() >= SMALL * spacing);
    let thickness =
        large.map(|part| 2.0 / 3.0 * part.volume.abs() / part.area).min_by(f64::total_cmp)?;
    let spacings = thickness / spacing;
    let (thin, uncertain) = match has_normals {
        true => (THIN_WITH_NORMALS, UNCERTAIN_WITH_NORMALS),
        false if spacings < 1.0 => (THIN, UNCERTAIN_FILM),
        false => (THIN, UNCERTAIN),
    };
    (spacings < thin).then(|| {
        format!(
            "the surface is {thickness:.2e} thick on average (twice its volume divided by its \
             area), which is {:.1} times the distance between samples ({spacing:.2e}): its volume \
             is uncertain by up to about {:.0} %; use denser samples if the volume matters",
            spacings,
            100.0 * uncertain / spacings
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};

    #[test]
    fn thin_surfaces_are_named_with_their_thickness() {
        let ball = generate(&Generate::Sphere(Sphere::default())).unwrap();
        // The mean thickness of the ball is 0.67, and its area 12.6.
        assert_eq!(warning(&ball, 1000, false), None);
        assert_eq!(warning(&ball, 100, true), None);
        let said = warning(&ball, 100, false).unwrap();
        assert!(said.contains("1.9 times the distance between samples (3.5"), "{said}");
        assert!(said.contains("by up to about 8 %"), "{said}");
        // A ball that is pressed flat, with many samples.
        let mut plate = ball;
        plate.vertices.iter_mut().for_each(|x| x[2] *= 0.02);
        let said = warning(&plate, 10_000, false).unwrap();
        assert!(said.contains("1.1 times"), "{said}");
        assert_eq!(warning(&plate, 100_000, false), None);
        let said = warning(&plate, 4000, true).unwrap();
        assert!(said.contains("0.7 times") && said.contains("about 7 %"), "{said}");
    }
}
