//! Marks on a mesh: the sources of a distance, and paths.

use super::drawing::{Kinds, Line};

/// Sources and paths that are drawn on top of a mesh.
///
/// Parts that the mesh hides are drawn pale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The points of each path, in mesh units. A path ends at a source.
    pub paths: Vec<Vec<[f64; 3]>>,
    /// The sources that are points, in mesh units.
    pub points: Vec<[f64; 3]>,
    /// The segments of sources that are lines: their two ends, in mesh units.
    pub segments: Vec<[[f64; 3]; 2]>,
}

/// The largest number of point sources that are drawn as large dots.
const FEW: usize = 40;

impl Marks {
    /// Returns true if there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.points.is_empty() && self.segments.is_empty()
    }

    /// Returns the marks as lines. A dot is a line of length 0.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line> {
        let segments = self.segments.iter().map(|&ends| Line { ends, kind: Kinds::Source });
        let pieces = self.paths.iter().flat_map(|path| path.windows(2));
        let paths = pieces.map(|ends| Line { ends: [ends[0], ends[1]], kind: Kinds::Path });
        let kind = if self.points.len() <= FEW { Kinds::Dot } else { Kinds::SmallDot };
        let dots = self.points.iter().map(move |&at| Line { ends: [at, at], kind });
        let starts = self.paths.iter().filter_map(|path| path.first());
        let starts = starts.map(|&at| Line { ends: [at, at], kind: Kinds::Start });
        segments.chain(paths).chain(dots).chain(starts)
    }
}
