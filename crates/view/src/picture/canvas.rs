//! The size of a picture, the scale of its text, and the area for its content.

// The room in units above, below and to the left of the content.
const TOP: f64 = 96.0;
const BOTTOM: f64 = 36.0;
const LEFT: f64 = 36.0;

/// The default width and height of a picture, in pixels, for content that is neither wide nor tall.
/// Other content gets about the same number of pixels.
const SIZE: [f64; 2] = [1200.0, 900.0];

/// The largest default width or height of a picture, in pixels.
const LONGEST: f64 = 2000.0;

/// The room in units to the right of content, without and with a color bar.
pub(super) const NO_BAR: f64 = 36.0;
pub(super) const BAR: f64 = 168.0;

/// Returns the unit of text in pixels, which is 1 in a picture of 1200 x 900 pixels.
///
/// It depends on the number of pixels, so that text stays legible in a wide or tall picture, and is
/// limited so that a title and a color bar fit.
pub(super) fn unit(width: u32, height: u32) -> f64 {
    let (width, height) = (f64::from(width), f64::from(height));
    let mean = (width / SIZE[0] * (height / SIZE[1])).sqrt();
    mean.min(width / 420.0).min(height / 300.0)
}

/// The layout of a picture in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The unit of line widths in pixels. It is 1 in a picture of 1200 x 900 pixels, and never less
    /// than 0.5.
    pub unit: f64,
    /// The left, top, right and bottom of the area for the content.
    pub area: [f64; 4],
    /// Whether there is enough room for text.
    pub has_text: bool,
}

impl Layout {
    /// Creates the layout of a picture with room for `right` units next to the content.
    pub(super) fn new(width: u32, height: u32, right: f64) -> Self {
        let unit = unit(width, height);
        let (width, height) = (f64::from(width), f64::from(height));
        let has_text = unit >= 0.25;
        // Thinner lines would be too faint.
        let lines = unit.max(0.5);
        let area = if has_text {
            [LEFT * unit, TOP * unit, width - right * unit, height - BOTTOM * unit]
        } else {
            let margin = 0.03 * width.min(height);
            [margin, margin, width - margin, height - margin]
        };
        Layout { unit: lines, area, has_text }
    }
}

/// Returns the width and height for content that is `aspect` times as wide as it is high, with room
/// for `right` units next to it.
///
/// Content that would fill less than half of one side of a picture of 1200 x 900 pixels gets a
/// canvas of a different shape, which it fills and which has about as many pixels.
pub(super) fn size_for(aspect: f64, right: f64) -> [u32; 2] {
    let [beside, above] = [LEFT + right, TOP + BOTTOM];
    let usual = (SIZE[0] - beside) / (SIZE[1] - above);
    let fills = aspect > 0.5 * usual && aspect < 2.0 * usual;
    if fills || !(aspect > 0.0 && aspect.is_finite()) {
        return SIZE.map(|side| side as u32);
    }
    // width - beside = aspect * (height - above), and width * height = 1200 * 900.
    let rest = 0.5 * (beside - aspect * above);
    let height = ((rest * rest + aspect * SIZE[0] * SIZE[1]).sqrt() - rest) / aspect;
    let width = SIZE[0] * SIZE[1] / height;
    let (width, height) = if width > LONGEST {
        (LONGEST, above + (LONGEST - beside) / aspect)
    } else if height > LONGEST {
        (beside + aspect * (LONGEST - above), LONGEST)
    } else {
        (width, height)
    };
    [width.clamp(420.0, LONGEST), height.clamp(300.0, LONGEST)].map(|side| side as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the shares of the width and the height of the area that the content fills.
    fn filled(aspect: f64, size: [u32; 2]) -> [f64; 2] {
        let [left, top, right, bottom] = Layout::new(size[0], size[1], BAR).area;
        let area = (right - left) / (bottom - top);
        [(aspect / area).min(1.0), (area / aspect).min(1.0)]
    }

    #[test]
    fn wide_and_tall_content_fills_its_canvas() {
        for aspect in [1e-3, 0.05, 0.1, 0.3, 1.0, 2.0, 3.0, 10.0, 30.0, 1e4] {
            let size @ [width, height] = size_for(aspect, BAR);
            let unit = unit(width, height);
            assert!((0.6..1.2).contains(&unit), "{aspect}: {size:?} {unit}");
            assert!(width.max(height) <= 2000 && width.min(height) >= 300, "{aspect}: {size:?}");
            let [x, y] = filled(aspect, size);
            if (0.06..16.0).contains(&aspect) {
                assert!(x > 0.7 && y > 0.48, "{aspect}: {size:?} {x} {y}");
            }
        }
        for aspect in [0.7, 1.0, 1.3, 2.4, 0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(size_for(aspect, BAR), [1200, 900]);
        }
        let [x, y] = filled(10.0, size_for(10.0, BAR));
        assert!(x > 0.99 && y > 0.85, "{x} {y}");
    }

    #[test]
    fn text_has_the_same_size_in_pictures_of_the_same_shape() {
        assert_eq!(unit(1200, 900), 1.0);
        assert_eq!(unit(320, 240), 320.0 / 1200.0);
        assert_eq!(unit(2400, 1800), 2.0);
    }
}
