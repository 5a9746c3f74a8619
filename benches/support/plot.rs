//! Lines over numbers as SVG, for the pages that show what was measured.

use std::fmt::Write;

/// An axis: what it has, and whether equal ratios are equally long on it.
pub struct Axis {
    pub name: &'static str,
    pub is_log: bool,
}

/// A line with its name.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
/// Left, right, upper and lower margin.
const MARGINS: [f64; 4] = [64.0, 16.0, 30.0, 48.0];
const COLORS: [&str; 5] = ["#0b5fa5", "#c8501e", "#2e7d32", "#6a3d9a", "#555555"];

/// Range of one coordinate of all points, and how it is spread over a length.
struct Scale {
    low: f64,
    high: f64,
    is_log: bool,
}

impl Scale {
    fn new(is_log: bool, numbers: impl Iterator<Item = f64>) -> Self {
        let seen = numbers.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let (low, high) =
            seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        match is_log {
            true => Scale {
                low: 10_f64.powf(low.log10().floor()),
                high: 10_f64.powf(high.log10().ceil()),
                is_log,
            },
            false => Scale { low: low.min(0.0), high: 1.05 * high, is_log },
        }
    }

    /// From 0 to 1.
    fn place(&self, x: f64) -> f64 {
        match self.is_log {
            true => (x / self.low).log10() / (self.high / self.low).log10().max(1e-9),
            false => (x - self.low) / (self.high - self.low).max(1e-300),
        }
    }

    /// Numbers with a mark.
    fn marks(&self) -> Vec<f64> {
        if self.is_log {
            let n = (self.high / self.low).log10().round() as i32;
            return (0..=n).map(|k| self.low * 10_f64.powi(k)).collect();
        }
        let step = 10_f64.powf((self.high / 5.0).log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|k| k * step).into_iter().find(|s| self.high / s <= 6.0);
        let step = step.unwrap_or(self.high);
        (0..).map(|k| f64::from(k) * step).take_while(|x| *x <= self.high).collect()
    }
}

/// The picture.
pub fn svg(title: &str, x: &Axis, y: &Axis, lines: &[Line]) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let (across, up) =
        (Scale::new(x.is_log, all().map(|p| p.0)), Scale::new(y.is_log, all().map(|p| p.1)));
    let [left, right, upper, lower] = MARGINS;
    let px = |v: f64| left + across.place(v) * (WIDTH - left - right);
    let py = |v: f64| HEIGHT - lower - up.place(v) * (HEIGHT - upper - lower);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"18\" font-size=\"13\">{title}</text>\n"
    );
    let number = |v: f64| {
        if v != 0.0 && !(0.001..1e5).contains(&v) {
            format!("{v:e}")
        } else {
            format!("{}", (v * 1e6).round() / 1e6)
        }
    };
    for mark in across.marks() {
        let (at, low, high) = (px(mark), HEIGHT - lower, upper);
        let _ = writeln!(
            text,
            "<path d=\"M{at:.1} {low}V{high}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            low + 16.0,
            number(mark)
        );
    }
    for mark in up.marks() {
        let (at, low, high) = (py(mark), left, WIDTH - right);
        let _ = writeln!(
            text,
            "<path d=\"M{low} {at:.1}H{high}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            low - 5.0,
            at + 4.0,
            number(mark)
        );
    }
    let middle = (left + WIDTH - right) / 2.0;
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        HEIGHT - 10.0,
        x.name
    );
    let _ = writeln!(
        text,
        "<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (HEIGHT - lower + upper) / 2.0,
        y.name
    );
    for (k, line) in lines.iter().enumerate() {
        let color = COLORS[k % COLORS.len()];
        let points: Vec<String> =
            line.points.iter().map(|p| format!("{:.1},{:.1}", px(p.0), py(p.1))).collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let at = upper + 16.0 * (k as f64 + 1.0);
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{at}\" fill=\"{color}\">{}</text>",
            left + 8.0,
            line.name
        );
    }
    text + "</svg>\n"
}
