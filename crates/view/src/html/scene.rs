//! The content of a view.

use serde_json::{Value, json};

use super::Surface;
use super::arrays::{Arrays, packed};
use super::surface::hex;
use crate::picture::ColorMap;
use crate::render::{Axes, CORNER, Camera};
use zeroset_core::error::{Error, Result};

/// The interface at one time.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The time as text, such as "t = 0.5".
    pub name: String,
    /// The points, `[n_points]`, in mesh units.
    pub points: Vec<[f64; 3]>,
    /// The points of each segment or triangle.
    pub cells: Vec<u32>,
    /// Whether the interface consists of triangles instead of segments.
    pub is_surface: bool,
}

/// The content of a view: a surface, the interface at several times, and text.
#[derive(Clone, Debug)]
pub struct Scene {
    title: String,
    note: String,
    notes: Vec<String>,
    surface: Option<Surface>,
    frames: Vec<Frame>,
    camera: Camera,
}

impl Scene {
    /// Creates an empty scene with a title.
    pub fn new(title: impl Into<String>) -> Self {
        Scene {
            title: title.into(),
            note: String::new(),
            notes: Vec::new(),
            surface: None,
            frames: Vec::new(),
            camera: Camera::new(CORNER),
        }
    }

    /// Sets the text below the title.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Adds a remark, such as the share of the triangles that the view shows.
    pub fn with_remark(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets the surface.
    pub fn with_surface(mut self, surface: Surface) -> Self {
        self.surface = Some(surface);
        self
    }

    /// Sets the frames: the interface at each time, in chronological order.
    pub fn with_frames(mut self, frames: Vec<Frame>) -> Self {
        self.frames = frames;
        self
    }

    /// Sets the default view. Only its directions are used, because the content always fills the
    /// view.
    pub fn with_camera(mut self, camera: Camera) -> Self {
        self.camera = camera;
        self
    }

    /// Returns the title.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the elements of a page that hold the data of the view.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is nothing to show.
    pub(super) fn elements(&self) -> Result<String> {
        let is_empty = |frame: &Frame| frame.cells.is_empty();
        if self.surface.is_none() && self.frames.iter().all(is_empty) {
            return Err(Error::usage("the view is empty", "choose content with triangles"));
        }
        let mut arrays = Arrays::default();
        let mut maps = json!({ "sequential": hex([0.0, 1.0], ColorMap::Sequential) });
        let surface = self.surface.as_ref().map(|surface| surface.pack(&mut arrays, &mut maps));
        let frame = |frame: &Frame| {
            json!({
                "name": frame.name,
                "points": arrays.points(&frame.points),
                "cells": arrays.numbers(&frame.cells),
                "isSurface": frame.is_surface,
            })
        };
        let frames: Vec<Value> = self.frames.iter().map(frame).collect();
        let axes = Axes::new(&self.camera);
        let scene = json!({
            "title": self.title,
            "note": self.note,
            "notes": self.notes,
            "surface": surface,
            "frames": frames,
            "maps": maps,
            "view": { "toward": axes.toward, "up": axes.up },
        });
        // Text that contains "</script>" or "<!--" would end or change the script element.
        let scene = scene.to_string().replace('<', "\\u003c");
        let three = packed(include_bytes!("../../assets/three.min.js"));
        // The license of three.js requires that copies contain its text.
        let license = include_str!("../../assets/LICENSE.three");
        Ok(format!(
            "<!-- The view uses three.js.\n\n{license}-->\n\
             <script type=\"application/json\" id=\"zv-scene\">{scene}</script>\n\
             <script type=\"text/plain\" id=\"zv-data\">{}</script>\n\
             <script type=\"text/plain\" id=\"zv-three\">{three}</script>\n",
            arrays.text()
        ))
    }
}
