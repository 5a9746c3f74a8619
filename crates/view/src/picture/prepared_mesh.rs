//! A mesh prepared for drawing from any direction.

use super::canvas::{self, Layout};
use super::color::Map;
use super::color_bar::{self, Legend, Ticks};
use super::drawing::Drawing;
use super::label_legend::LabelLegend;
use super::{Camera, Image, Lines, Options, Subject, raster, view};
use crate::render::{Axes, Frame};
use crate::render::{Extent, Eye};
use zeroset_core::error::Result;

/// The data that all pictures of a subject share.
pub(super) struct Stage<'a> {
    subject: Subject<'a>,
    /// The given options, with the size, the camera and the range filled in.
    pub options: Options,
    pub drawing: Drawing<'a>,
    camera: Camera,
    pub map: Map,
    pub range: [f64; 2],
    /// The values at which lines are drawn.
    levels: Vec<f64>,
    layout: Layout,
    legend: Option<LabelLegend>,
}

impl<'a> Stage<'a> {
    /// Prepares a subject for pictures with the given options.
    ///
    /// # Errors
    /// Returns the errors of [`super::draw`].
    pub(super) fn new(subject: &Subject<'a>, options: &Options) -> Result<Self> {
        options.check()?;
        subject.check()?;
        let range = options.range.unwrap_or_else(|| subject.range());
        let levels = match (subject.lines, subject.colors) {
            (Lines::Interface, None) => vec![0.0],
            (Lines::Round, None) => round_levels(range),
            (Lines::Round, Some(_)) => round_levels(Subject { colors: None, ..*subject }.range()),
            _ => Vec::new(),
        };
        let drawing = Drawing::new(subject, &levels);
        let camera =
            options.camera.unwrap_or_else(|| view::camera(options.view, subject, &drawing));
        let legend = |size| subject.labels.map(|l| LabelLegend::new(l, subject.name, size));
        let right = |legend: &Option<LabelLegend>| match legend {
            Some(legend) => legend.width(),
            None if subject.paint.is_some() => canvas::NO_BAR,
            None => canvas::BAR,
        };
        let aspect = || {
            let eye = options.perspective.map(|angle| Eye::around(&drawing.points, angle));
            Extent::of(&drawing.points, &Axes::new(&camera), eye.as_ref()).aspect()
        };
        let usual = [options.width, options.height];
        let size @ [width, height] = options.size(aspect, right(&legend(usual)));
        let legend = legend(size);
        let layout = Layout::new(width, height, right(&legend));
        let options = Options {
            width,
            height,
            adaptive: false,
            camera: Some(camera),
            range: Some(range),
            ..options.clone()
        };
        let (subject, map) = (*subject, Map::new(range, options.colormap));
        Ok(Stage { subject, options, drawing, map, range, levels, layout, legend, camera })
    }

    /// Returns the camera given in the options or, if there is none, the camera for their view.
    pub(super) fn camera(&self) -> Camera {
        self.camera
    }

    /// Returns the axes of the picture and the direction to the lamp.
    fn axes(&self, camera: &Camera) -> Axes {
        Axes::new(camera).lit(self.options.light)
    }

    /// Returns the frame of a camera.
    fn frame(&self, camera: &Camera) -> Frame {
        let (axes, perspective) = (self.axes(camera), self.options.perspective);
        let Layout { area, unit, .. } = self.layout;
        Frame::fit(axes, perspective, &self.drawing.points, area, camera.zoom, unit)
    }

    /// Returns the frame of a camera for a known eye and extent.
    pub(super) fn framed(&self, camera: &Camera, eye: Option<Eye>, extent: &Extent) -> Frame {
        let Layout { area, unit, .. } = self.layout;
        Frame::filling(self.axes(camera), eye, extent, area, camera.zoom, unit)
    }

    /// Draws the picture on the CPU.
    pub(super) fn draw(&self) -> Image {
        let size = [self.options.width, self.options.height];
        let frame = self.frame(&self.camera());
        let transparent = self.options.transparent;
        let mut image = raster::draw(&self.drawing, &frame, &self.map, size, transparent);
        self.label(&mut image);
        image
    }

    /// Draws the title and the color bar or the legend.
    pub(super) fn label(&self, image: &mut Image) {
        if !self.layout.has_text {
            return;
        }
        let subject = &self.subject;
        let legend = Legend {
            name: subject.name,
            unit: &self.options.unit,
            title: subject.title,
            note: subject.note,
            range: self.range,
            levels: if subject.colors.is_none() { &self.levels } else { &[] },
            has_gaps: subject.shown().iter().any(|x| !x.is_finite()),
        };
        let has_bar = subject.paint.is_none() && subject.labels.is_none();
        color_bar::draw(image, has_bar.then_some(&self.map), &legend);
        self.legend.iter().for_each(|legend| legend.draw(image));
    }
}

/// Returns the values at which lines are drawn in a range: the ticks of its color bar, and the
/// values halfway between them.
fn round_levels([low, high]: [f64; 2]) -> Vec<f64> {
    let ticks = Ticks::new([low, high], color_bar::TICKS).values;
    let mut levels = ticks.clone();
    if let [first, second, ..] = ticks[..] {
        let half = 0.5 * (second - first);
        levels.push(first - half);
        levels.extend(ticks.iter().map(|tick| tick + half));
    }
    levels.retain(|&x| x > low && x < high);
    levels.sort_by(f64::total_cmp);
    levels
}
