//! The legend of labels: a colored box and a name for each label.

use super::Image;
use super::canvas::unit;
use super::color::NO_VALUE;
use super::color_bar::{BLACK, GREY};
use super::labels::Labels;
use super::strokes::Style;

/// The distances from the top of the picture to the name above the legend and to its first entry,
/// and the height below the last entry, in units.
const NAME: f64 = 112.0;
const FIRST: f64 = 132.0;
const BELOW: f64 = 36.0;
/// The gap between the content and the legend, the width of a box, the distance from the left side
/// of a box to its name, and the gap between columns, in units.
const GAP: f64 = 36.0;
const BOX: f64 = 22.0;
const INDENT: f64 = 32.0;
const BETWEEN: f64 = 18.0;
/// The largest number of columns.
const COLUMNS: usize = 2;
/// The largest share of the width of a picture that the legend may take.
const SHARE: f64 = 0.4;

/// The legend of a picture. Lengths are in units.
#[derive(Clone, Debug)]
pub(super) struct LabelLegend {
    name: String,
    /// The entries: a name with a color. An entry that only states how many more labels there are
    /// has no color.
    entries: Vec<(String, Option<[u8; 3]>)>,
    /// The largest number of entries per column.
    rows: usize,
    /// The distance between rows, and the height of capitals.
    pitch: f64,
    text: f64,
    /// The room for a name. Longer names are shortened.
    wide: f64,
}

impl LabelLegend {
    /// Creates the legend of a picture of this size.
    pub(super) fn new(labels: &Labels, name: &str, [width, height]: [u32; 2]) -> Self {
        let unit = unit(width, height);
        let [width, height] = [width, height].map(|side| f64::from(side) / unit);
        let mut entries: Vec<(String, Option<[u8; 3]>)> =
            labels.labels.iter().map(|label| (label.name.clone(), Some(label.color))).collect();
        if labels.has_gaps() {
            entries.push(("no label".into(), Some(NO_VALUE)));
        }
        let rows_of = |pitch: f64| (((height - FIRST - BELOW) / pitch) as usize).max(2);
        // Long lists are set in smaller type, and still longer ones also in columns.
        let sizes = [(28.0, 14.0), (22.0, 12.5), (18.0, 11.0)];
        let fits = |(pitch, _): &&(f64, f64)| rows_of(*pitch) >= entries.len();
        let &(pitch, text) = sizes.iter().find(fits).unwrap_or(&sizes[2]);
        let rows = rows_of(pitch);
        let room = COLUMNS * rows;
        if entries.len() > room {
            let more = entries.len() - (room - 1);
            entries.truncate(room - 1);
            entries.push((format!("and {more} more"), None));
        }
        let columns = entries.len().div_ceil(rows).max(1) as f64;
        let style = Style { height: text, weight: 1.0, color: BLACK };
        let longest = entries.iter().map(|(name, _)| style.width(name)).fold(0.0, f64::max);
        let most = (SHARE * width - GAP - BELOW) / columns - INDENT - BETWEEN;
        let wide = longest.max(60.0).min(most.max(30.0));
        LabelLegend { name: name.to_string(), entries, rows, pitch, text, wide }
    }

    /// Returns the width that the legend takes to the right of the content.
    pub(super) fn width(&self) -> f64 {
        let columns = self.entries.len().div_ceil(self.rows).max(1) as f64;
        GAP + columns * (INDENT + self.wide) + (columns - 1.0) * BETWEEN + BELOW
    }

    /// Draws the legend.
    pub(super) fn draw(&self, image: &mut Image) {
        let unit = unit(image.width, image.height);
        let style = |height: f64| Style {
            height: height * unit,
            weight: (0.117 * height * unit).max(0.8),
            color: BLACK,
        };
        let left = f64::from(image.width) - (self.width() - GAP) * unit;
        let name = style(15.0).fit(&self.name, f64::from(image.width) - left - 12.0 * unit);
        image.text(&name, [left, NAME * unit], style(15.0));
        for (k, (name, color)) in self.entries.iter().enumerate() {
            let (column, row) = ((k / self.rows) as f64, (k % self.rows) as f64);
            let x = left + column * (INDENT + self.wide + BETWEEN) * unit;
            let y = (FIRST + row * self.pitch) * unit;
            let whole = |x: f64| (x + 0.5) as u32;
            if let Some(color) = color {
                let low = y + self.text * 1.15 * unit;
                image.fill([whole(x), whole(y), whole(x + BOX * unit), whole(low)], *color);
            }
            let style =
                Style { color: if color.is_some() { BLACK } else { GREY }, ..style(self.text) };
            let indent = if color.is_some() { INDENT } else { 0.0 };
            let base = y + self.text * 1.075 * unit;
            let name = style.fit(name, self.wide * unit + 0.5);
            image.text(&name, [x + indent * unit, base], style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Labels;
    use zeroset_core::mesh::Places;

    fn legend(n: i64, size: [u32; 2]) -> LabelLegend {
        let numbers: Vec<Option<i64>> = (0..n).map(Some).chain([None]).collect();
        let labels = Labels::new(Places::Cells, &numbers, |k| Some(format!("region {k}")));
        LabelLegend::new(&labels, "parts", size)
    }

    #[test]
    fn every_label_is_listed_while_there_is_room() {
        for n in [1, 5, 30, 36, 70] {
            let legend = legend(n, [1200, 900]);
            assert_eq!(legend.entries.len() as i64, n + 1, "with the entry for no label");
            assert!(legend.entries.iter().all(|entry| entry.1.is_some()));
            assert!(legend.width() < 0.41 * 1200.0);
        }
        let long = legend(500, [1200, 900]);
        let last = long.entries.last().unwrap();
        assert_eq!(last, &(format!("and {} more", 502 - long.entries.len()), None));
    }
}
