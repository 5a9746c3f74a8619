//! Coordinate frames of cortical surfaces (docs/formats.md, "Frames of cortical surfaces").
//!
//! FreeSurfer stores surfaces in the frame "tkr" (tkregister), whose origin is the center of the
//! volume from which they were made. Volumes and other programs use the scanner frame. A surface
//! file may state how the two are related.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use zeroset_core::error::{Flaw, FlawKind, Result};

/// The frame in which the coordinates of a surface are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Frame {
    /// FreeSurfer's tkregister frame, whose origin is the center of the volume from which the
    /// surface was made.
    Tkr,
    /// The scanner frame, in which volumes are placed.
    Scanner,
    /// The coordinates as stored, whatever their frame is.
    File,
}

/// An affine map of coordinates: the rows of a 3 by 4 matrix, whose last column is the shift, in
/// the unit of the coordinates.
pub type Affine = [[f64; 4]; 3];

/// Offsets up to this length, in mm, are attributed to rounding and count as 0.
const SAME: f64 = 1e-3;

/// The frame of the coordinates of a surface, as far as the file states it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileFrame {
    /// The frame of the coordinates: "tkr", "scanner", or none if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<Frame>,
    /// Center of the volume from which the surface was made, in mm, in the scanner frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_ras: Option<[f64; 3]>,
    /// Map to the scanner frame, from the frame "tkr" or, if the frame of the coordinates is
    /// unknown, from the coordinates as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_scanner: Option<Affine>,
    /// Whether the user chose the frame, so that no warning about it is given.
    #[serde(skip)]
    pub is_chosen: bool,
}

/// How the coordinates of a file may differ from other coordinates with which they are combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameOffset {
    /// The distance, in mm, between points with the same coordinates, as computed by
    /// [`FileFrame::offset_from`].
    Known(f64),
    /// One of the files does not state how its frame is related to the scanner frame.
    Unknown,
}

impl FileFrame {
    /// Returns how the coordinates differ from those of volumes and points in the scanner frame.
    /// Returns `None` if they do not differ, the user chose the frame, or nothing indicates that
    /// the file belongs to a scan.
    pub fn doubt(&self) -> Option<FrameOffset> {
        self.doubt_beside(&FileFrame { coordinates: Some(Frame::Scanner), ..FileFrame::default() })
    }

    /// Returns how the coordinates differ from those of a file with the frame `other`, as
    /// [`FileFrame::doubt`] does.
    pub fn doubt_beside(&self, other: &FileFrame) -> Option<FrameOffset> {
        if self.is_chosen || other.is_chosen {
            return None;
        }
        match (self.offset_from(other), self.coordinates, other.coordinates) {
            (Some(0.0), ..) => None,
            (Some(offset), ..) => Some(FrameOffset::Known(offset)),
            (None, Some(mine), Some(others)) if mine != others => Some(FrameOffset::Unknown),
            (None, ..) => None,
        }
    }

    /// Returns the frame of a surface with tkr coordinates that was made from a volume with these
    /// axes (unit vectors) and this center.
    pub(crate) fn of_volume(axes: [[f64; 3]; 3], c_ras: [f64; 3]) -> Self {
        // In the tkr frame, the axes of the volume point along -x, -z and y.
        let [x, y, z] = axes;
        let row = |k: usize| [-x[k], z[k], -y[k], c_ras[k]];
        FileFrame {
            coordinates: Some(Frame::Tkr),
            c_ras: Some(c_ras),
            to_scanner: Some([row(0), row(1), row(2)]),
            is_chosen: false,
        }
    }

    /// Returns the largest distance, in mm, between points with the same coordinates in this frame
    /// and in the scanner frame. The coordinates tested are the origin and the points 100 mm from
    /// it along each axis. Distances of at most 0.001 mm count as 0. Returns `None` if the distance
    /// is unknown.
    pub fn offset(&self) -> Option<f64> {
        match (self.coordinates, &self.to_scanner) {
            (Some(Frame::Scanner), _) => Some(0.0),
            (_, Some(affine)) => Some(moved(affine)),
            (_, None) => None,
        }
        .map(|offset| if offset <= SAME { 0.0 } else { offset })
    }

    /// Returns a distance like [`FileFrame::offset`], in mm, but between this frame and `other`
    /// instead of the scanner frame. Returns `None` if the distance is unknown.
    pub fn offset_from(&self, other: &FileFrame) -> Option<f64> {
        let of = |frame: &FileFrame| match frame.coordinates {
            Some(Frame::Scanner) => Some(IDENTITY),
            _ => frame.to_scanner,
        };
        let (mine, others) = (of(self)?, of(other)?);
        let apart = std::array::from_fn(|k| {
            std::array::from_fn(|i| mine[k][i] - others[k][i] + IDENTITY[k][i])
        });
        let offset = moved(&apart);
        Some(if offset <= SAME { 0.0 } else { offset })
    }

    /// Marks the frame as chosen by the user, and transforms the vertices to `frame`, unless it is
    /// [`Frame::File`] or they are already in it.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file does not state how its coordinates are related to the frame.
    pub(crate) fn choose(&mut self, frame: Frame, vertices: &mut [[f64; 3]]) -> Result<(), Flaw> {
        self.is_chosen = true;
        if frame == Frame::File || self.coordinates == Some(frame) {
            return Ok(());
        }
        let affine = match (frame, &self.to_scanner) {
            (Frame::Scanner, Some(affine)) => *affine,
            (_, Some(affine)) if self.coordinates == Some(Frame::Scanner) => inverse(affine),
            _ => {
                let name = if frame == Frame::Tkr { "tkr" } else { "scanner" };
                let what = format!(
                    "the frame \"{name}\" is unknown: the file states no c_ras (VolGeomC_R, _A and \
                     _S in GIFTI) and no matrix to the scanner"
                );
                let remedy = "use the frame \"file\", or export the surface with its volume \
                              geometry";
                return Err(Flaw::whole(what, remedy).kind_of(FlawKind::Unfit));
            }
        };
        vertices.iter_mut().for_each(|x| *x = apply(&affine, *x));
        self.coordinates = Some(frame);
        Ok(())
    }
}

/// The identity map.
pub(crate) const IDENTITY: Affine =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

fn apply(affine: &Affine, x: [f64; 3]) -> [f64; 3] {
    affine.map(|[a, b, c, shift]| a * x[0] + b * x[1] + c * x[2] + shift)
}

/// Returns the determinant of the 3 x 3 matrix of a map.
pub(crate) fn determinant(affine: &Affine) -> f64 {
    (0..3).map(|k| affine[0][k] * cofactor(affine, 0, k)).sum()
}

/// Returns the cofactor of one entry of the 3 x 3 matrix of a map.
fn cofactor(affine: &Affine, row: usize, column: usize) -> f64 {
    let [r, s] = [1, 2].map(|k| (row + k) % 3);
    let [c, d] = [1, 2].map(|k| (column + k) % 3);
    affine[r][c] * affine[s][d] - affine[r][d] * affine[s][c]
}

/// Returns the inverse of a map whose determinant is not 0.
fn inverse(affine: &Affine) -> Affine {
    let size = determinant(affine);
    std::array::from_fn(|k| {
        let [a, b, c] = [0, 1, 2].map(|i| cofactor(affine, i, k) / size);
        [a, b, c, -(a * affine[0][3] + b * affine[1][3] + c * affine[2][3])]
    })
}

/// Returns the largest distance by which a map moves the origin or a point 100 mm from it along an
/// axis.
fn moved(affine: &Affine) -> f64 {
    const REACH: f64 = 100.0;
    let points = [[0.0; 3], [REACH, 0.0, 0.0], [0.0, REACH, 0.0], [0.0, 0.0, REACH]];
    let distance = |x: [f64; 3]| {
        let y = apply(affine, x);
        (0..3).map(|k| (y[k] - x[k]).powi(2)).sum::<f64>().sqrt()
    };
    points.map(distance).into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFORMED: [[f64; 3]; 3] = [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];

    #[test]
    fn conformed_volumes_are_shifted() {
        let mut frame = FileFrame::of_volume(CONFORMED, [5.0, 18.0, -2.0]);
        let mut x = [[1.0, 2.0, 3.0]];
        frame.choose(Frame::Scanner, &mut x).unwrap();
        assert_eq!(x, [[6.0, 20.0, 1.0]]);
        assert_eq!(frame.offset(), Some(0.0));
        frame.choose(Frame::Tkr, &mut x).unwrap();
        assert_eq!(x, [[1.0, 2.0, 3.0]]);
        assert!((frame.offset().unwrap() - 353.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn oblique_volumes_are_turned_and_back() {
        let (s, c) = 0.3_f64.sin_cos();
        let axes = CONFORMED.map(|[x, y, z]| [c * x - s * y, s * x + c * y, z]);
        let mut frame = FileFrame::of_volume(axes, [1.0, 2.0, 3.0]);
        let mut x = [[10.0, 20.0, 30.0]];
        frame.choose(Frame::Scanner, &mut x).unwrap();
        let right = [c * 10.0 - s * 20.0 + 1.0, s * 10.0 + c * 20.0 + 2.0, 33.0];
        assert!((0..3).all(|k| (x[0][k] - right[k]).abs() < 1e-12), "{x:?}");
        frame.choose(Frame::Tkr, &mut x).unwrap();
        assert!((0..3).all(|k| (x[0][k] - [10.0, 20.0, 30.0][k]).abs() < 1e-12), "{x:?}");
    }

    #[test]
    fn frames_of_two_files_are_compared() {
        let tkr = |c_ras| FileFrame::of_volume(CONFORMED, c_ras);
        let scanner = FileFrame { coordinates: Some(Frame::Scanner), ..FileFrame::default() };
        assert_eq!(tkr([3.0, 0.0, 4.0]).offset_from(&scanner), Some(5.0));
        assert_eq!(tkr([3.0, 0.0, 4.0]).offset_from(&tkr([3.0, 0.0, 4.0])), Some(0.0));
        assert_eq!(FileFrame::default().offset_from(&scanner), None);
        let unstated = FileFrame { coordinates: Some(Frame::Tkr), ..FileFrame::default() };
        assert_eq!(unstated.doubt(), Some(FrameOffset::Unknown));
        assert_eq!(unstated.doubt_beside(&tkr([3.0, 0.0, 4.0])), None);
        assert_eq!(tkr([3.0, 0.0, 4.0]).doubt(), Some(FrameOffset::Known(5.0)));
        assert_eq!(FileFrame::default().doubt(), None);
        let mut unknown = FileFrame::default();
        assert!(unknown.choose(Frame::Scanner, &mut []).is_err());
        assert!(unknown.choose(Frame::File, &mut []).is_ok());
    }
}
