//! Distinct colors for labels.

use super::color::{Light, Srgb};

/// The first colors, which go together well. Further colors are computed.
const FIRST: [[u8; 3]; 10] = [
    [78, 121, 197],
    [242, 142, 43],
    [89, 169, 79],
    [225, 87, 89],
    [118, 198, 193],
    [237, 206, 72],
    [176, 112, 176],
    [255, 157, 177],
    [150, 108, 82],
    [160, 222, 110],
];

/// The step in each channel between neighboring candidates for further colors.
const STEP: usize = 17;

/// Returns `n` colors in sRGB that differ from each other and from gray. Each further color is the
/// candidate that is farthest in Oklab from all earlier colors. If there are more labels than
/// candidates, colors repeat.
pub(super) fn palette(n: usize) -> Vec<[u8; 3]> {
    let mut colors = FIRST[..n.min(FIRST.len())].to_vec();
    if n <= FIRST.len() {
        return colors;
    }
    let mut candidates: Vec<([u8; 3], [f64; 3], f64)> = candidates();
    for &color in &colors {
        approach(&mut candidates, lab(color));
    }
    while colors.len() < n {
        // At equal distances, the first candidate wins.
        let farthest = candidates.iter().fold(None, |best: Option<&([u8; 3], _, f64)>, new| {
            if best.is_none_or(|best| new.2 > best.2) { Some(new) } else { best }
        });
        let Some(&(color, at, distance)) = farthest else { break };
        if distance <= 0.0 {
            break;
        }
        colors.push(color);
        approach(&mut candidates, at);
    }
    let known = colors.len();
    (known..n).for_each(|k| colors.push(colors[k % known]));
    colors
}

/// Lowers the squared distance of each candidate to its squared distance from a new color, if that
/// is smaller. `at` is the position of the new color in Oklab.
fn approach(candidates: &mut [([u8; 3], [f64; 3], f64)], at: [f64; 3]) {
    for (_, place, distance) in candidates {
        let squares = (0..3).map(|c| (place[c] - at[c]) * (place[c] - at[c]));
        *distance = distance.min(squares.sum());
    }
}

/// Returns colors that are neither gray nor too dark or too light, each with its position in Oklab
/// and an infinite squared distance.
fn candidates() -> Vec<([u8; 3], [f64; 3], f64)> {
    let steps = || (0..=255u8).step_by(STEP);
    let mut all = Vec::new();
    for r in steps() {
        for g in steps() {
            for b in steps() {
                let place @ [lightness, a, b_] = lab([r, g, b]);
                let chroma = a * a + b_ * b_;
                if (0.45..0.93).contains(&lightness) && chroma > 0.06 * 0.06 {
                    all.push(([r, g, b], place, f64::INFINITY));
                }
            }
        }
    }
    all
}

/// Converts a screen color to Oklab.
fn lab(color: [u8; 3]) -> [f64; 3] {
    let [r, g, b]: [f64; 3] = {
        let light: Light = Srgb::decode(color);
        light.map(f64::from)
    };
    let l = libm::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    let m = libm::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    let s = libm::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    [
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_differ_from_each_other_and_from_gray() {
        for n in [0, 1, 10, 36, 400] {
            let colors = palette(n);
            assert_eq!(colors.len(), n);
            let mut sorted = colors.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), n, "{n} colors are all different");
            let is_gray = |c: &[u8; 3]| c.iter().max().unwrap() - c.iter().min().unwrap() < 20;
            assert!(!colors.iter().any(is_gray), "{n}");
        }
        let places: Vec<_> = palette(36).into_iter().map(lab).collect();
        for (k, a) in places.iter().enumerate() {
            for b in &places[..k] {
                let distance: f64 = (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt();
                assert!(distance > 0.06, "{a:?} {b:?}");
            }
        }
        assert_eq!(palette(36)[..10], FIRST);
        assert_eq!(palette(5000).len(), 5000);
    }
}
