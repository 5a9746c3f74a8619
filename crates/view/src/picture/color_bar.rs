//! The color bar with round numbers, and the title.

use super::Image;
use super::canvas::unit;
use super::color::{Map, NO_VALUE, Srgb};
use super::strokes::Style;

pub(super) const BLACK: [u8; 3] = [28, 30, 36];
pub(super) const GREY: [u8; 3] = [112, 116, 124];

/// The largest number of ticks on a color bar.
pub(super) const TICKS: usize = 7;

/// The content of the title and the color bar.
pub(super) struct Legend<'a> {
    /// The name of the values, written above the color bar.
    pub name: &'a str,
    /// The unit of the values, which may be empty.
    pub unit: &'a str,
    pub title: &'a str,
    /// The text after the title, drawn in a paler color.
    pub note: &'a str,
    pub range: [f64; 2],
    /// The values at which lines are drawn in the picture.
    pub levels: &'a [f64],
    /// Whether some values are not finite.
    pub has_gaps: bool,
}

/// Draws the title. If there is a color map, also draws its color bar.
pub(super) fn draw(image: &mut Image, map: Option<&Map>, legend: &Legend<'_>) {
    let (width, height) = (f64::from(image.width), f64::from(image.height));
    let unit = unit(image.width, image.height);
    let style = |height: f64, weight: f64, color| Style {
        height: height * unit,
        weight: (weight * unit).max(0.8),
        color,
    };
    let strong = style(19.0, 2.7, BLACK);
    let plain = style(15.0, 1.75, BLACK);
    let pale = style(15.0, 1.75, GREY);
    let left = 40.0 * unit;
    let title = strong.fit(legend.title, width - 2.0 * left);
    image.text(&title, [left, 52.0 * unit], strong);
    let start = if title.is_empty() { left } else { left + strong.width(&title) + 30.0 * unit };
    image.text(&pale.fit(legend.note, width - left - start), [start, 52.0 * unit], pale);

    let Some(map) = map else { return };
    // Whole pixels keep the edges of the bar sharp.
    let whole = |x: f64| (x + 0.5) as u32;
    let x = [width - 132.0 * unit, width - 108.0 * unit].map(whole);
    let tall = 0.6 * height;
    let y = [0.52 * height - 0.5 * tall, 0.52 * height + 0.5 * tall];
    // In a wide, low picture, leave this much room for the title above the bar and the box below
    // it.
    let y = [y[0].max(88.0 * unit), y[1].min(height - 48.0 * unit)].map(whole);
    let srgb = Srgb::new();
    let [low, high] = legend.range;
    let rows = f64::from(y[1] - y[0]);
    for row in y[0]..y[1] {
        let share = (f64::from(row - y[0]) + 0.5) / rows;
        let light = map.color(high + (low - high) * share).unwrap_or([1.0; 3]);
        let color = light.map(|x| (srgb.encode(x) + 0.5) as u8);
        image.fill([x[0], row, x[1], row + 1], color);
    }
    let [x0, x1] = x.map(f64::from);
    let [y0, y1] = y.map(f64::from);
    let at = |value: f64| y1 + (y0 - y1) * ((value - low) / (high - low));
    let line = (1.3 * unit).max(0.8);
    for &level in legend.levels.iter().filter(|&&l| l > low && l < high) {
        let ends = [[x0, at(level)], [x1, at(level)]];
        let weight = if level == 0.0 { 3.0 * unit } else { line };
        image.stroke(&[ends], weight, BLACK);
    }
    let frame = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
    let sides: Vec<_> = (0..4).map(|k| [frame[k], frame[(k + 1) % 4]]).collect();
    image.stroke(&sides, line, GREY);
    let ticks = Ticks::new(legend.range, TICKS);
    for (&value, label) in ticks.values.iter().zip(&ticks.labels) {
        let y = at(value);
        image.stroke(&[[[x1, y], [x1 + 6.0 * unit, y]]], line, GREY);
        let room = width - x1 - 18.0 * unit;
        image.text(&plain.fit(label, room), [x1 + 13.0 * unit, y + 0.5 * plain.height], plain);
    }
    let name = match legend.unit {
        "" => legend.name.to_string(),
        of_values => format!("{} ({of_values})", legend.name),
    };
    let name = plain.fit(&name, 156.0 * unit);
    let wide = plain.width(&name);
    let start = (0.5 * (x0 + x1) - 0.5 * wide).min(width - wide - 12.0 * unit);
    image.text(&name, [start, y0 - 20.0 * unit], plain);
    if legend.has_gaps {
        let top = whole(y1 + 24.0 * unit);
        let box_ = [x[0], top, x[1], top + whole(15.0 * unit)];
        image.fill(box_, NO_VALUE);
        let base = f64::from(top) + 15.0 * unit;
        image.text("no value", [x1 + 13.0 * unit, base], style(12.0, 1.5, BLACK));
    }
}

/// Round numbers in a range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ticks {
    pub values: Vec<f64>,
    pub labels: Vec<String>,
}

impl Ticks {
    /// Returns the multiples of a step that lie in the range, including its ends. The step is 1, 2
    /// or 5 times a power of ten, chosen so that there are at most `most` multiples. `most` must be
    /// at least 3.
    pub(crate) fn new([low, high]: [f64; 2], most: usize) -> Self {
        let wanted = (high - low) / (most - 1) as f64;
        // The exponent is read from the decimal form, because logarithms differ between machines.
        let text = format!("{wanted:e}");
        let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let power = |e: i32| format!("1e{e}").parse::<f64>().unwrap_or(1.0);
        let steps = [(1, 0), (2, 0), (5, 0), (1, 1), (2, 1)];
        // The tolerance keeps the ends in the range even if a quotient is rounded.
        let first = |step: f64| (low / step - 1e-9).ceil();
        let last = |step: f64| (high / step + 1e-9).floor();
        let count = |step: f64| (last(step) - first(step) + 1.0) as usize;
        let value = |&(m, e): &(i32, i32)| f64::from(m) * power(exponent + e);
        let fits = |s: &&(i32, i32)| count(value(s)) <= most;
        let &(digit, more) = steps.iter().find(fits).unwrap_or(&(2, 1));
        let exponent = exponent + more;
        let step = f64::from(digit) * power(exponent);
        let first = first(step);
        let largest = low.abs().max(high.abs());
        let plain = largest < 1e6 && exponent >= -6;
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for k in 0..count(step).min(most) {
            // Parsing the decimal form of each multiple gives the nearest number, for example for
            // 0.3.
            let multiple = (first + k as f64) * f64::from(digit);
            let text = format!("{multiple}e{exponent}");
            let value = text.parse::<f64>().unwrap_or(multiple * power(exponent));
            let value = if value == 0.0 { 0.0 } else { value };
            values.push(value);
            let label = if plain {
                format!("{value:.*}", (-exponent).max(0) as usize)
            } else if value == 0.0 {
                "0".to_string()
            } else {
                format!("{value:e}")
            };
            labels.push(label.replace('-', "\u{2212}"));
        }
        Ticks { values, labels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for (range, expected) in [
            ([0.0, 1.0], vec!["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (
                [-0.3, 0.3],
                vec!["\u{2212}0.3", "\u{2212}0.2", "\u{2212}0.1", "0.0", "0.1", "0.2", "0.3"],
            ),
            ([0.0, 203.9], vec!["0", "50", "100", "150", "200"]),
            ([-16.2, 16.2], vec!["\u{2212}15", "\u{2212}10", "\u{2212}5", "0", "5", "10", "15"]),
            ([0.0, 3e8], vec!["0", "5e7", "1e8", "1.5e8", "2e8", "2.5e8", "3e8"]),
            ([1.0, 1.0005], vec!["1.0000", "1.0001", "1.0002", "1.0003", "1.0004", "1.0005"]),
        ] {
            let ticks = Ticks::new(range, 7);
            assert_eq!(ticks.labels, expected, "{range:?}");
            assert!(ticks.values.iter().all(|v| (range[0]..=range[1]).contains(v)));
        }
        assert_eq!(Ticks::new([0.0, 1.0], 7).values[3], 0.6);
        for range in [[0.0, 1e-300], [-1e300, 1e300], [5.0, 5.0 + 1e-12]] {
            assert!((2..=7).contains(&Ticks::new(range, 7).values.len()), "{range:?}");
        }
    }
}
