//! Plots with logarithmic axes: errors against cell size, with lines of slope 1 and 2.

use super::axes::Axes;
use super::{Curve, sheet};
use crate::markup::escaped;
use zeroset_core::error::{Error, Result};
use zeroset_core::words::short;

/// A panel of a logarithmic plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The name, written above the panel.
    pub name: String,
    /// The curves. Points that are not positive and finite are left out.
    pub curves: Vec<Curve>,
}

/// The colors of the curves of a panel.
const COLORS: [&str; 3] = ["#0B5FA5", "#C4501B", "#3C8D40"];
/// The slopes of the reference lines.
const SLOPES: [f64; 2] = [1.0, 2.0];
/// The largest number of decades for which each decade has a tick. With more decades, some ticks
/// are left out.
const TICKS: f64 = 6.0;

/// Returns a plot with logarithmic axes as SVG text: one panel for each entry that has a point to
/// draw. Dashed lines through the rightmost point of the first curve have the slopes 1 and 2.
///
/// # Errors
/// Returns [`Error::Case`] if no curve has a positive, finite point.
pub fn log_log(title: &str, across: &str, panels: &[Panel]) -> Result<String> {
    let drawn = |panel: &Panel| {
        let logarithms = |curve: &Curve| Curve {
            name: curve.name.clone(),
            points: curve.points.iter().map(|p| p.map(f64::log10)).filter(is_finite).collect(),
        };
        let mut curves: Vec<Curve> = panel.curves.iter().map(logarithms).collect();
        curves.retain(|curve| !curve.points.is_empty());
        Panel { name: panel.name.clone(), curves }
    };
    let mut panels: Vec<Panel> = panels.iter().map(drawn).collect();
    panels.retain(|panel| !panel.curves.is_empty());
    if panels.is_empty() {
        let remedy = "run at least two levels whose results differ";
        return Err(Error::usage("there is nothing to plot", remedy));
    }
    Ok(sheet(title, panels.len(), |k, corner| panel_text(&panels[k], across, corner)))
}

fn is_finite(point: &[f64; 2]) -> bool {
    point.iter().all(|x| x.is_finite())
}

/// Returns the SVG elements of a panel whose points are logarithms.
fn panel_text(panel: &Panel, across: &str, corner: [f64; 2]) -> String {
    let points = || panel.curves.iter().flat_map(|curve| &curve.points);
    let [x, y] = [0, 1].map(|k| range(points().map(|p| p[k])));
    let axes = Axes::new(corner, [x, y]);
    // Each level has its own tick.
    let mut levels: Vec<f64> = points().map(|p| p[0]).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let levels: Vec<_> = levels.iter().map(|&value| (value, short(10_f64.powf(value)))).collect();
    let mut text = axes.svg(&panel.name, across, &levels, &ticks(y));
    let last = panel.curves[0].points.iter().copied().max_by(|p, q| p[0].total_cmp(&q[0]));
    for (slope, [a, b]) in SLOPES.iter().zip(last.into_iter().cycle()) {
        // The line ends where it leaves the panel.
        let low = (a - (b - y[0]) / slope).max(x[0]);
        let at = b - slope * (a - low);
        text += &format!(
            "<path d=\"M{:.2} {:.2}L{:.2} {:.2}\" stroke=\"#9A9CA3\" stroke-dasharray=\"5 4\"/>\n\
             <text x=\"{:.2}\" y=\"{:.2}\" fill=\"#707279\">slope {slope}</text>\n",
            axes.across(a),
            axes.up(b),
            axes.across(low),
            axes.up(at),
            axes.across(low) + 4.0,
            (axes.up(at) - 4.0).clamp(axes.top + 10.0, axes.bottom - 4.0)
        );
    }
    for (k, (curve, color)) in panel.curves.iter().zip(COLORS.iter().cycle()).enumerate() {
        let pixels = curve.points.iter().map(|p| [axes.across(p[0]), axes.up(p[1])]);
        let line: Vec<String> = pixels.clone().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
        text += &format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\n",
            line.join(" ")
        );
        for [x, y] in pixels {
            text += &format!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" fill=\"{color}\"/>\n");
        }
        text += &format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{color}\">{}</text>\n",
            axes.right - 4.0,
            axes.bottom - 8.0 - 16.0 * k as f64,
            escaped(&curve.name)
        );
    }
    text
}

/// Returns the logarithms and the labels of the ticks in a range: powers of ten and, in a short
/// range, also two and five times these powers.
fn ticks([low, high]: [f64; 2]) -> Vec<(f64, String)> {
    let step = ((high - low) / TICKS).ceil().max(1.0);
    let digits: &[u32] = if high - low < 2.0 { &[1, 2, 5] } else { &[1] };
    let mut found = Vec::new();
    let mut decade = (low / step).floor() * step;
    while decade <= high {
        for &digit in digits {
            let value = decade + f64::from(digit).log10();
            if (low..=high).contains(&value) {
                found.push((value, format!("{digit}e{decade:.0}")));
            }
        }
        decade += step;
    }
    found
}

/// Returns a range of logarithms that contains all numbers with a margin.
fn range(numbers: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
    let low = numbers.clone().fold(f64::INFINITY, f64::min);
    let high = numbers.fold(f64::NEG_INFINITY, f64::max);
    let margin = (0.1 * (high - low)).max(0.15);
    [low - margin, high + margin]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_has_ticks() {
        let labels = |low: f64, high: f64| -> Vec<String> {
            ticks([low, high]).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(-1.4, -1.0), ["5e-2", "1e-1"]);
        assert_eq!(labels(-2.5, -0.2), ["1e-2", "1e-1"]);
        assert_eq!(labels(-12.0, 0.1).len(), 5);
    }

    #[test]
    fn errors_are_drawn_with_both_slopes() {
        let points: Vec<[f64; 2]> = [1.0, 0.5, 0.25].map(|h: f64| [h, 3.0 * h * h]).to_vec();
        let curve =
            |name: &str, points: &[[f64; 2]]| Curve { name: name.into(), points: points.to_vec() };
        let panels = [
            Panel { name: "a < b".into(), curves: vec![curve("error", &points)] },
            Panel { name: "none".into(), curves: vec![curve("zero", &[[1.0, 0.0]])] },
            Panel { name: "one".into(), curves: vec![curve("x", &[[1.0, 1e-300], [0.5, 0.0]])] },
        ];
        let text = log_log("title", "h", &panels).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        for word in ["a &lt; b", "slope 1", "slope 2", ">0.25<", ">1e0<", "stroke-dasharray"] {
            assert!(text.contains(word), "{word}");
        }
        assert!(!text.contains(">none<") && !text.contains("NaN") && !text.contains("inf"));
        assert_eq!((text.matches("<polyline").count(), text.matches("<circle").count()), (2, 4));
        assert!(log_log("title", "h", &panels[1..2]).is_err());
    }
}
