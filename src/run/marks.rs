//! The sources of a distance as points and lines of a picture.

use std::collections::HashSet;

use crate::geometry::Vec3;
use crate::levelset::eikonal::source::Part;
use crate::picture::Marks;

/// Returns the points and lines of sources, for pictures. Parts with an area are left out, because
/// their color shows them.
pub(super) fn of_sources(parts: &[Part]) -> Marks {
    let bits = |x: &Vec3| [x.x, x.y, x.z].map(f64::to_bits);
    let larger = parts.iter().filter(|part| part.points().len() > 1);
    let within: HashSet<[u64; 3]> =
        larger.flat_map(|part| part.points().iter().map(bits)).collect();
    let mut marks = Marks::default();
    let mut known = HashSet::new();
    for part in parts {
        match part.points() {
            // A cell next to a line may touch it only at a point.
            [at] if !within.contains(&bits(at)) && known.insert([bits(at); 2]) => {
                marks.points.push((*at).into());
            }
            // Two cells may share a line.
            [a, b] if known.insert([bits(a).min(bits(b)), bits(a).max(bits(b))]) => {
                marks.segments.push([(*a).into(), (*b).into()]);
            }
            _ => {}
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_and_line_is_drawn_once_and_areas_are_left_out() {
        let [a, b, c, d] = [0.0, 1.0, 2.0, 3.0].map(|x| Vec3::new(x, 0.5, -x));
        let parts = [
            Part::new(0, &[a, b]),
            Part::new(1, &[b, a]),
            Part::new(2, &[b]),
            Part::new(3, &[d]),
            Part::new(4, &[d]),
            Part::new(5, &[a, b, c]),
        ];
        let marks = of_sources(&parts);
        assert_eq!(marks.points, [[3.0, 0.5, -3.0]]);
        assert_eq!(marks.segments, [[[0.0, 0.5, 0.0], [1.0, 0.5, -1.0]]]);
    }
}
