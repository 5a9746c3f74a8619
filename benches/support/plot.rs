//! Draws line plots as SVG with the crate plotters, for the benchmark pages.

use std::error::Error;

use plotters::prelude::*;

/// An axis, linear or logarithmic.
pub struct Axis {
    pub name: &'static str,
    pub is_log: bool,
}

/// A line with its name.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// A plot: its title, axes and lines, and the position of the legend.
pub struct Plot {
    pub title: &'static str,
    pub x: Axis,
    pub y: Axis,
    pub names: SeriesLabelPosition,
    pub lines: Vec<Line>,
}

const SIZE: (u32, u32) = (640, 400);
const COLORS: [RGBColor; 5] = [
    RGBColor(11, 95, 165),
    RGBColor(200, 80, 30),
    RGBColor(46, 125, 50),
    RGBColor(106, 61, 154),
    RGBColor(85, 85, 85),
];
const GRID: RGBColor = RGBColor(221, 221, 221);

impl Axis {
    /// Returns the position of a number on the axis: its logarithm to base 10 on a logarithmic
    /// axis, and the number itself on a linear axis.
    fn place(&self, x: f64) -> f64 {
        if self.is_log { x.log10() } else { x }
    }

    /// Returns the range of positions. It extends to whole powers of ten on a logarithmic axis, and
    /// includes 0 on a linear axis.
    fn range(&self, numbers: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
        let places = numbers.map(|x| self.place(x));
        let (low, high) = places
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if self.is_log { low.floor()..high.ceil() } else { low.min(0.0)..1.05 * high }
    }

    /// Returns the label of a position.
    fn label(&self, place: f64) -> String {
        let power = place.round() as i32;
        let digit = |c: char| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            _ => char::from_u32('⁰' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
        };
        match self.is_log {
            false => format!("{}", (place * 1e6).round() / 1e6),
            true if (-3..=3).contains(&power) => format!("{}", 10_f64.powi(power)),
            true => format!("10{}", power.to_string().chars().map(digit).collect::<String>()),
        }
    }

    /// Returns the maximum number of tick marks: one for each power of ten, or 6 on a linear axis.
    fn marks(&self, range: &std::ops::Range<f64>) -> usize {
        if self.is_log { (range.end - range.start).round() as usize + 1 } else { 6 }
    }
}

impl Plot {
    /// Returns the plot as SVG text.
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let (across, up) = (self.x.range(all().map(|p| p.0)), self.y.range(all().map(|p| p.1)));
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(across.clone(), up.clone())?;
        chart
            .configure_mesh()
            .x_labels(self.x.marks(&across))
            .y_labels(self.y.marks(&up))
            .x_label_formatter(&|x| self.x.label(*x))
            .y_label_formatter(&|y| self.y.label(*y))
            .x_desc(self.x.name)
            .y_desc(self.y.name)
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (line, color) in self.lines.iter().zip(COLORS.iter().cycle()) {
            let style = color.stroke_width(2);
            let places = || line.points.iter().map(|p| (self.x.place(p.0), self.y.place(p.1)));
            let drawn = chart.draw_series(LineSeries::new(places(), style))?;
            drawn
                .label(&line.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
            chart.draw_series(places().map(|at| Circle::new(at, 3, color.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(self.names.clone())
            .label_font(("sans-serif", 13))
            .background_style(WHITE.mix(0.85))
            .draw()?;
        drop(chart);
        drop(area);
        Ok(text)
    }
}
