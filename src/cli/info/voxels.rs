//! The facts about a volume, for `--json` and for the screen.

use serde::Serialize;

use super::screen::{printable, short, thousands};
use crate::volume::{Scaling, Volume};

/// A dense volume, or a picture as one slice.
#[derive(Serialize)]
pub(super) struct VolumeFacts {
    /// Voxels along x, y and z.
    pub shape: [usize; 3],
    /// "uint8", "int16", "float32" and the like, as stored.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Distance of voxels along each axis.
    pub spacing: [f64; 3],
    /// World coordinates of the first voxel's center.
    pub origin: [f64; 3],
    /// Unit vector along each axis.
    pub direction: [[f64; 3]; 3],
    /// What the axes of the world are: "RAS", "LPS", ...; `null` if the file does not say.
    pub frame: Option<String>,
    /// Where the axes of the voxels point to in that frame: "LAS", ...
    pub orientation: Option<String>,
    /// Values are `slope * stored + intercept`.
    pub slope: f64,
    pub intercept: f64,
    /// What the file calls the numbers; may be empty.
    pub name: String,
    /// Smallest, largest and mean of the finite values; `null` without any.
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub mean: Option<f64>,
    /// Values that are not a number, and infinite ones.
    pub nan: usize,
    pub infinite: usize,
    /// Bytes of the voxels in memory.
    pub bytes: usize,
}

impl VolumeFacts {
    pub fn of(volume: &Volume) -> Self {
        let statistics = volume.statistics();
        let Scaling { slope, intercept } = volume.scaling();
        VolumeFacts {
            shape: volume.shape(),
            kind: volume.samples().type_name(),
            spacing: volume.placement().spacing(),
            origin: volume.placement().origin(),
            direction: volume.placement().directions(),
            frame: volume.frame.clone(),
            orientation: volume.orientation(),
            slope,
            intercept,
            name: volume.name.clone(),
            min: statistics.min,
            max: statistics.max,
            mean: statistics.mean,
            nan: statistics.nan,
            infinite: statistics.infinite,
            bytes: volume.n_voxels() * volume.samples().width(),
        }
    }

    /// Lines for the screen: label and content.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let sizes = self.shape.map(thousands).join(" x ");
        let bytes = thousands(self.bytes);
        let mut lines = vec![("volume", format!("{sizes} voxels of {}, {bytes} bytes", self.kind))];
        if !self.name.is_empty() {
            lines.push(("name", printable(&self.name)));
        }
        let vector = |x: [f64; 3]| x.map(short).join(" ");
        let (spacing, origin) = (self.spacing.map(short).join(" x "), vector(self.origin));
        lines.push(("spacing", format!("{spacing}, first voxel at {origin}")));
        lines.push(("axes", self.direction.map(vector).join(" | ")));
        let pointing = self.orientation.iter().map(|o| format!(", voxel axes point to {o}"));
        let frame = match &self.frame {
            Some(frame) => printable(frame) + &pointing.collect::<String>(),
            None => "not stated".to_string(),
        };
        lines.push(("frame", frame));
        let range = match (self.min, self.max, self.mean) {
            (Some(min), Some(max), Some(mean)) => {
                format!("{} .. {}, mean {}", short(min), short(max), short(mean))
            }
            _ => "no finite numbers".to_string(),
        };
        let odd = |n: usize, what: &str| match n {
            0 => String::new(),
            n => format!(", {} {what}", thousands(n)),
        };
        let rest = odd(self.nan, "NaN") + &odd(self.infinite, "infinite");
        let scaling = match (self.slope, self.intercept) {
            (1.0, 0.0) => String::new(),
            (a, b) => format!(" ({} x stored + {})", short(a), short(b)),
        };
        lines.push(("values", range + &rest + &scaling));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::{Placement, Samples};

    #[test]
    fn the_screen_says_it_all() {
        let samples = Samples::from(vec![1.0_f32, f32::NAN, -2.0, f32::INFINITY, 4.0, 0.5]);
        let volume = Volume::new([3, 2, 1], samples, Placement::identity()).unwrap();
        let steps = [[-2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 3.0]];
        let volume = volume.placed([10.0, 0.0, -7.5], steps).unwrap();
        let mut volume = volume.with_scaling(Scaling { slope: 2.0, intercept: 1.0 }).unwrap();
        volume.frame = Some("RAS".into());
        volume.name = "a\tb".into();
        let facts = VolumeFacts::of(&volume);
        let lines: Vec<String> =
            facts.lines().into_iter().map(|(label, text)| format!("{label}: {text}")).collect();
        let expected = [
            "volume: 3 x 2 x 1 voxels of float32, 24 bytes",
            "name: a?b",
            "spacing: 2 x 0.5 x 3, first voxel at 10 0 -7.5",
            "axes: -1 0 0 | 0 1 0 | 0 0 1",
            "frame: RAS, voxel axes point to LAS",
            "values: -3 .. 9, mean 2.75, 1 NaN, 1 infinite (2 x stored + 1)",
        ];
        assert_eq!(lines, expected);
    }
}
