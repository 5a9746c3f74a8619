//! Curves on logarithmic axes, as SVG.

use std::fmt::Write;

/// Points that belong together.
pub struct Curve {
    pub name: String,
    /// Both positive.
    pub points: Vec<(f64, f64)>,
}

/// A plot with the names of its axes.
pub struct Plot<'a> {
    pub x: &'a str,
    pub y: &'a str,
    pub curves: &'a [Curve],
}

const COLORS: [&str; 4] = ["#1f5fa8", "#c8501e", "#2e8540", "#7a3e9d"];
/// Of the picture, and of the frame within it: left, right, top, bottom.
const SIZE: (f64, f64) = (720.0, 460.0);
const FRAME: [f64; 4] = [70.0, 700.0, 20.0, 400.0];

impl Plot<'_> {
    /// The picture: decades have lines.
    pub fn svg(&self) -> String {
        let all = || self.curves.iter().flat_map(|curve| &curve.points);
        let (x, y) = (decades(all().map(|p| p.0)), decades(all().map(|p| p.1)));
        let [left, right, top, bottom] = FRAME;
        let at = |p: &(f64, f64)| {
            let part = |v: f64, [low, high]: [f64; 2]| (v.log10() - low) / (high - low);
            (left + part(p.0, x) * (right - left), bottom - part(p.1, y) * (bottom - top))
        };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" \
             font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            SIZE.0, SIZE.1
        );
        let line = |out: &mut String, a: (f64, f64), b: (f64, f64)| {
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#ccc\"/>",
                a.0, a.1, b.0, b.1
            );
        };
        let text = |out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str| {
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"
            );
        };
        for k in x[0] as i32..=x[1] as i32 {
            let (here, _) = at(&(10f64.powi(k), 1.0));
            line(&mut out, (here, top), (here, bottom));
            text(&mut out, (here, bottom + 18.0), "middle", &power(k));
        }
        for k in y[0] as i32..=y[1] as i32 {
            let (_, here) = at(&(1.0, 10f64.powi(k)));
            line(&mut out, (left, here), (right, here));
            text(&mut out, (left - 6.0, here + 4.0), "end", &power(k));
        }
        text(&mut out, ((left + right) / 2.0, bottom + 42.0), "middle", self.x);
        let _ = writeln!(
            out,
            "<text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (top + bottom) / 2.0,
            self.y
        );
        for (n, curve) in self.curves.iter().enumerate() {
            let color = COLORS[n % COLORS.len()];
            let points: Vec<_> = curve.points.iter().map(at).collect();
            let path: Vec<String> =
                points.iter().map(|p| format!("{:.1},{:.1}", p.0, p.1)).collect();
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
                path.join(" ")
            );
            for (x, y) in &points {
                let _ =
                    writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
            }
            let y = top + 20.0 + 18.0 * n as f64;
            let _ = writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{color}\"/>",
                left + 16.0,
                y - 4.0
            );
            text(&mut out, (left + 26.0, y), "start", &curve.name);
        }
        out + "</svg>\n"
    }
}

/// Powers of ten round all values.
fn decades(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let logs: Vec<f64> = values.map(f64::log10).collect();
    let low = logs.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
    [low, high.max(low + 1.0)]
}

fn power(k: i32) -> String {
    match k {
        0..=3 => 10u32.pow(k as u32).to_string(),
        _ => format!("10<tspan dy=\"-5\" font-size=\"10\">{k}</tspan>"),
    }
}
