//! The axes of a panel: the map from values to pixels, the name, the ticks and the border.

use super::PANEL;
use crate::markup::escaped;

/// The position of a tick along its axis, and its label.
pub(super) type Tick = (f64, String);

/// The place of a panel in pixels, and the ranges of its axes.
pub(super) struct Axes {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    /// The range of the horizontal axis.
    pub x: [f64; 2],
    /// The range of the vertical axis.
    pub y: [f64; 2],
}

impl Axes {
    /// Creates the axes of a panel whose upper left corner is at `corner`, in pixels.
    pub fn new([left, top]: [f64; 2], [x, y]: [[f64; 2]; 2]) -> Self {
        Axes {
            left: left + 72.0,
            right: left + PANEL[0] as f64 - 24.0,
            top: top + 32.0,
            bottom: top + PANEL[1] as f64 - 44.0,
            x,
            y,
        }
    }

    /// Returns the horizontal place of a value.
    pub fn across(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * ((value - self.x[0]) / (self.x[1] - self.x[0]))
    }

    /// Returns the vertical place of a value.
    pub fn up(&self, value: f64) -> f64 {
        self.bottom + (self.top - self.bottom) * ((value - self.y[0]) / (self.y[1] - self.y[0]))
    }

    /// Returns the SVG elements of the axes: `name` above the panel, `below` underneath it, and
    /// ticks with lines across the panel.
    pub fn svg(&self, name: &str, below: &str, across: &[Tick], up: &[Tick]) -> String {
        let Axes { left: x0, right: x1, top: y0, bottom: y1, .. } = self;
        let middle = 0.5 * (x0 + x1);
        let mut text = format!(
            "<text x=\"{middle:.1}\" y=\"{:.1}\" font-size=\"15\" text-anchor=\"middle\">{}</text>\n",
            y0 - 12.0,
            escaped(name)
        );
        for (value, label) in across {
            let x = self.across(*value);
            text += &format!(
                "<path d=\"M{x:.1} {y0:.1}V{y1:.1}\" stroke=\"#DDDDDD\"/>\n\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
                y1 + 16.0
            );
        }
        for (value, label) in up {
            let y = self.up(*value);
            text += &format!(
                "<path d=\"M{x0:.1} {y:.1}H{x1:.1}\" stroke=\"#DDDDDD\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
                x0 - 6.0,
                y + 4.0
            );
        }
        text + &format!(
            "<text x=\"{middle:.1}\" y=\"{:.1}\" font-size=\"13\" text-anchor=\"middle\">{}</text>\n\
             <path d=\"M{x0:.1} {y0:.1}V{y1:.1}H{x1:.1}\" fill=\"none\" stroke=\"#3C3E46\"/>\n",
            y1 + 34.0,
            escaped(below)
        )
    }
}
