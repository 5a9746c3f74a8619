//! Plots of curves as SVG: one panel per curve, each with its own axes, or logarithmic panels with
//! several curves ([`log_log`](log_log())).

mod axes;
mod log_log;

use crate::markup::escaped;
use crate::picture::Ticks;
use axes::Axes;
use zeroset_core::error::{Error, Result};

pub use log_log::{Panel, log_log};

/// A curve of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The name, written above the panel.
    pub name: String,
    /// The points x, y from left to right. Points that are not finite are left out.
    pub points: Vec<[f64; 2]>,
}

/// The largest number of panels side by side.
const COLUMNS: usize = 2;
/// The width and height of a panel in pixels.
const PANEL: [usize; 2] = [480, 240];
/// The height of the title in pixels.
const TITLE: usize = 44;

/// Returns a plot as SVG text. `across` is the name of the horizontal axes. Curves without a finite
/// point are left out.
///
/// # Errors
/// Returns [`Error::Case`] if no curve has a finite point.
pub fn svg(title: &str, across: &str, curves: &[Curve]) -> Result<String> {
    let finite = |curve: &Curve| Curve {
        name: curve.name.clone(),
        points: curve.points.iter().filter(|p| p.iter().all(|x| x.is_finite())).copied().collect(),
    };
    let mut curves: Vec<Curve> = curves.iter().map(finite).collect();
    curves.retain(|curve| !curve.points.is_empty());
    if curves.is_empty() {
        return Err(Error::usage("the table has nothing to plot", "measure at least one step"));
    }
    Ok(drawn(title, across, &curves))
}

fn drawn(title: &str, across: &str, curves: &[Curve]) -> String {
    sheet(title, curves.len(), |k, corner| panel(&curves[k], across, corner))
}

/// Returns a plot of `n` panels. `panel` takes the number of a panel and its upper left corner in
/// pixels, and returns its SVG elements.
fn sheet(title: &str, n: usize, panel: impl Fn(usize, [f64; 2]) -> String) -> String {
    let columns = COLUMNS.min(n);
    let rows = n.div_ceil(columns);
    let [width, height] = [PANEL[0] * columns, PANEL[1] * rows + TITLE];
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"#3C3E46\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\n\
         <text x=\"16\" y=\"30\" font-size=\"20\">{}</text>\n",
        escaped(title)
    );
    for k in 0..n {
        let at = [PANEL[0] * (k % columns), PANEL[1] * (k / columns) + TITLE];
        text += &panel(k, at.map(|x| x as f64));
    }
    text + "</svg>\n"
}

/// Returns the SVG elements of a panel. Its upper left corner is at `corner`, in pixels.
fn panel(curve: &Curve, across: &str, corner: [f64; 2]) -> String {
    let [x, y] = [0, 1].map(|k| range(curve.points.iter().map(|p| p[k])));
    let axes = Axes::new(corner, [x, y]);
    let ticks = |range, n| {
        let ticks = Ticks::new(range, n);
        ticks.values.into_iter().zip(ticks.labels).collect::<Vec<_>>()
    };
    let text = axes.svg(&curve.name, across, &ticks(x, 7), &ticks(y, 6));
    let place = |p: &[f64; 2]| format!("{:.2},{:.2}", axes.across(p[0]), axes.up(p[1]));
    let points: Vec<String> = curve.points.iter().map(place).collect();
    // A polyline with one point draws nothing. Repeating the point makes its round caps visible as
    // a dot.
    let points = if points.len() == 1 { [&*points[0]; 2].join(" ") } else { points.join(" ") };
    text + &format!(
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"#0B5FA5\" stroke-width=\"2\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
    )
}

/// Returns a range that contains all numbers with a margin on each side, even if they are all
/// equal. Numbers below -1e300 or above 1e300 count as these limits.
fn range(numbers: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
    let low = numbers.clone().fold(f64::INFINITY, f64::min).max(-1e300);
    let high = numbers.fold(f64::NEG_INFINITY, f64::max).min(1e300);
    let size = low.abs().max(high.abs());
    let margin = match high - low > 1e-9 * size {
        true => 0.05 * (high - low),
        false if size > 0.0 => 0.1 * size,
        false => 1.0,
    };
    [low - margin, high + margin]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[[f64; 2]]) -> Curve {
        Curve { name: name.into(), points: points.to_vec() }
    }

    #[test]
    fn every_curve_has_a_panel() {
        let curves = [
            curve("area < 1 & more", &[[0.0, 1.0], [1.0, 0.5], [2.0, f64::NAN]]),
            curve("one", &[[0.0, 3.0]]),
            curve("none", &[]),
            curve("same", &[[0.0, -7e8], [5.0, -7e8]]),
            curve("huge", &[[0.0, -1e308], [5.0, 1e308]]),
            curve("tiny", &[[0.0, 0.0], [1e-300, 1e-310]]),
            curve("fine", &[[7.0, 5.0], [7.0 + 1e-12, 5.0 + 1e-12]]),
        ];
        let text = svg("title", "time", &curves).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        for word in ["title", "area &lt; 1 &amp; more", "same", "huge", "time"] {
            assert!(text.contains(word), "{word}");
        }
        assert_eq!(text.matches("<polyline").count(), 6);
        assert!(!text.contains(">none<") && !text.contains("NaN") && !text.contains("inf"));
        assert_eq!(text, svg("title", "time", &curves).unwrap());
        assert!(svg("title", "time", &curves[2..3]).is_err());
    }
}
