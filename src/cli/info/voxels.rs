//! Facts about a volume for `zeroset info`.

use serde::Serialize;

use super::screen::{counted, printable, thousands};
use crate::volume::{Scaling, Volume};
use crate::words::short;

/// Facts about a dense volume, or about a picture as a volume with one slice.
#[derive(Serialize)]
pub(super) struct VolumeFacts {
    /// Number of voxels along x, y and z.
    pub shape: [usize; 3],
    /// The type as stored, such as "uint8", "int16" or "float32".
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Distance between voxels along each axis.
    pub spacing: [f64; 3],
    /// World coordinates of the center of the first voxel.
    pub origin: [f64; 3],
    /// Unit vector along each axis.
    pub direction: [[f64; 3]; 3],
    /// The frame of the world axes, such as "RAS" or "LPS"; `null` if the file does not say.
    pub frame: Option<String>,
    /// The directions of the voxel axes in that frame, such as "LAS".
    pub orientation: Option<String>,
    /// Values are `slope * stored + intercept`.
    pub slope: f64,
    pub intercept: f64,
    /// The name of the values in the file; may be empty.
    pub name: String,
    /// Smallest, largest and mean finite value; `null` if there is none.
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub mean: Option<f64>,
    /// The distinct values in ascending order if they are integers and there are only a few, as in
    /// a segmentation; else `null`.
    pub labels: Option<Vec<LabelFacts>>,
    /// The numbers of NaN values and of infinite values.
    pub nan: usize,
    pub infinite: usize,
    /// Size of the voxels in memory, in bytes.
    pub bytes: usize,
}

/// Facts about the voxels that have the same value.
#[derive(Serialize)]
pub(super) struct LabelFacts {
    pub value: f64,
    pub voxels: usize,
    /// The total volume of these voxels, in cubed length units; `null` for a single slice.
    pub volume: Option<f64>,
}

/// The largest number of different values that are listed. If there are more, none is listed.
const MOST_LABELS: usize = 48;

impl VolumeFacts {
    pub fn of(volume: &Volume) -> Self {
        let statistics = volume.statistics();
        let Scaling { slope, intercept } = volume.scaling();
        let place = volume.placement();
        let is_flat = volume.shape().contains(&1);
        let voxel = (!is_flat).then(|| place.voxel_volume());
        let label = |(value, voxels): (f64, usize)| {
            let volume = voxel.map(|voxel| voxels as f64 * voxel);
            LabelFacts { value, voxels, volume }
        };
        let labels = volume.labels(MOST_LABELS);
        // Adding 0.0 turns -0.0 into 0.0.
        let plain = |x: [f64; 3]| x.map(|x| x + 0.0);
        VolumeFacts {
            shape: volume.shape(),
            kind: volume.samples().type_name(),
            spacing: place.spacing(),
            origin: plain(place.origin()),
            direction: place.directions().map(plain),
            frame: volume.frame.clone(),
            orientation: volume.orientation(),
            slope,
            intercept,
            name: volume.name.clone(),
            min: statistics.min,
            max: statistics.max,
            mean: statistics.mean,
            labels: labels.map(|all| all.into_iter().map(label).collect()),
            nan: statistics.nan,
            infinite: statistics.infinite,
            bytes: volume.n_voxels() * volume.samples().width(),
        }
    }

    /// Returns labels and text for the screen. Lengths are in `units`.
    pub fn lines(&self, units: Option<&str>) -> Vec<(&'static str, String)> {
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
        let heads = std::iter::once("labels").chain(std::iter::repeat(""));
        for (head, label) in heads.zip(self.labels.iter().flatten()) {
            let units = units.map_or(String::new(), |units| format!(" {units}^3"));
            let volume = label.volume.map(|volume| format!(", volume {}{units}", short(volume)));
            let voxels = counted(label.voxels, ["voxel", "voxels"]);
            lines.push((head, format!("{}: {voxels}{}", label.value, volume.unwrap_or_default())));
        }
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
            facts.lines(None).into_iter().map(|(label, text)| format!("{label}: {text}")).collect();
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

    #[test]
    fn labels_are_listed_with_what_they_fill() {
        let samples = || Samples::from(vec![0_u8, 0, 7, 0, 2, 0, 2, 0]);
        let steps = [[-2.0, 0.0, 0.0], [-0.0, 0.5, 0.0], [0.0, 0.0, 3.0]];
        let volume = Volume::new([2; 3], samples(), Placement::identity()).unwrap();
        let volume = volume.placed([-0.0; 3], steps).unwrap();
        let lines = VolumeFacts::of(&volume).lines(Some("mm"));
        let labels: Vec<_> =
            lines.iter().skip_while(|(head, _)| *head != "labels").map(|(_, text)| text).collect();
        let expected = [
            "0: 5 voxels, volume 15 mm^3",
            "2: 2 voxels, volume 6 mm^3",
            "7: 1 voxel, volume 3 mm^3",
        ];
        assert_eq!(labels, expected);
        assert!(!lines.iter().any(|(_, text)| text.contains("-0 ")), "{lines:?}");
        let picture = Volume::new([4, 2, 1], samples(), Placement::identity()).unwrap();
        let lines = VolumeFacts::of(&picture).lines(None);
        assert!(lines.contains(&("labels", "0: 5 voxels".into())), "{lines:?}");
        let many: Vec<u8> = (0..49).collect();
        let many = Volume::new([7, 7, 1], many.into(), Placement::identity()).unwrap();
        assert!(VolumeFacts::of(&many).labels.is_none());
    }
}
