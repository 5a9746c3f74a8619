//! Parses the option values of `zeroset render`: sizes, views and step rules.

use std::str::FromStr;

use serde::Deserialize;

use crate::picture::{Camera, Shows, View};
use crate::words::suggest;

/// The step rule of rays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Steps {
    /// Steps by the distance transform.
    #[default]
    Isotropic,
    /// Steps by the distance to the voxels ahead.
    Directional,
    /// Steps from voxel to voxel.
    Walk,
}

/// The kind of image of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Looks {
    /// Shaded by a lamp.
    #[default]
    Shaded,
    /// Distance from the eye.
    Depth,
    /// Number of steps of each ray.
    Iterations,
}

impl From<Looks> for Shows {
    fn from(looks: Looks) -> Shows {
        match looks {
            Looks::Shaded => Shows::Shaded,
            Looks::Depth => Shows::Depth,
            Looks::Iterations => Shows::Iterations,
        }
    }
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub [u32; 2]);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let size = match text.split_once('x') {
            Some((width, height)) => number(width).zip(number(height)),
            None => number(text).map(|side| (side, side)),
        };
        let (width, height) = size.ok_or("expected pixels such as 1200x900, or one number")?;
        Ok(Size([width, height]))
    }
}

/// Parses two numbers separated by a comma. If they are a range, `Options::flaw` checks that the
/// first is smaller.
pub(in crate::cli) fn pair(text: &str) -> Result<[f64; 2], String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let pair = text.split_once(',').and_then(|(low, high)| number(low).zip(number(high)));
    pair.map(|(low, high)| [low, high]).ok_or("expected two numbers as LOW,HIGH".into())
}

/// The side from which the content is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// An axis of the world, or the view that shows the most.
    Axis(View),
    /// A side by its common name, stored as the letter of an anatomical direction, such as 'A' for
    /// front.
    Named(char),
    /// Degrees from +x toward +y, and above the xy-plane.
    Angles([f64; 2]),
}

const NAMES: [(&str, char); 6] =
    [("front", 'A'), ("back", 'P'), ("left", 'L'), ("right", 'R'), ("top", 'S'), ("bottom", 'I')];

impl FromStr for Side {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(',') {
            let [azimuth, elevation] = pair(text).map_err(|_| "expected AZIMUTH,ELEVATION")?;
            if !(azimuth.is_finite() && elevation.abs() <= 90.0) {
                return Err("the elevation must be between -90 and 90 degrees".into());
            }
            return Ok(Side::Angles([azimuth, elevation]));
        }
        if let Some((_, letter)) = NAMES.iter().find(|(name, _)| *name == text) {
            return Ok(Side::Named(*letter));
        }
        crate::cli::word(text).map(Side::Axis).map_err(|_| {
            let mut known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            known.extend(["auto", "+x", "-x", "+y", "-y", "+z", "-z"]);
            format!("{}, or AZIMUTH,ELEVATION", suggest(text, &known))
        })
    }
}

impl Side {
    /// Returns the camera, or `None` if it depends on what is shown.
    ///
    /// `frame` names the directions of the world axes, such as "RAS".
    pub(in crate::cli) fn camera(self, frame: Option<&str>) -> Option<Camera> {
        Some(Camera::new(match self {
            Side::Axis(view) => view.direction()?,
            Side::Named(letter) => direction(letter, frame),
            Side::Angles(angles) => {
                let [azimuth, elevation] = angles.map(f64::to_radians);
                let flat = libm::cos(elevation);
                [flat * libm::cos(azimuth), flat * libm::sin(azimuth), libm::sin(elevation)]
            }
        }))
    }
}

/// Returns the camera with another magnification.
pub(super) fn zoomed(mut camera: Camera, zoom: f64) -> Camera {
    camera.zoom = zoom;
    camera
}

/// Returns the direction to the side with this letter.
///
/// The frame defines the axes. Without a valid frame, left is toward negative x and front is toward
/// negative y.
fn direction(side: char, frame: Option<&str>) -> [f64; 3] {
    const OPPOSITE: [(char, char); 3] = [('R', 'L'), ('A', 'P'), ('S', 'I')];
    let known = |frame: &&str| {
        let named = |&(a, b): &(char, char)| frame.contains(a) != frame.contains(b);
        frame.len() == 3 && OPPOSITE.iter().all(named)
    };
    let frame = frame.filter(known).unwrap_or("RPS");
    let mut direction = [0.0; 3];
    for (axis, letter) in frame.chars().enumerate() {
        let facing = |&(a, b): &(char, char)| (letter, side) == (a, b) || (letter, side) == (b, a);
        if letter == side {
            direction[axis] = 1.0;
        } else if OPPOSITE.iter().any(facing) {
            direction[axis] = -1.0;
        }
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(text: &str, frame: Option<&str>) -> [f64; 3] {
        text.parse::<Side>().unwrap().camera(frame).unwrap().from
    }

    #[test]
    fn the_mesh_or_volume_decides_on_auto() {
        assert_eq!("auto".parse::<Side>().unwrap().camera(Some("RAS")), None);
    }

    #[test]
    fn sides_have_their_directions() {
        assert_eq!(from("front", None), [0.0, -1.0, 0.0]);
        assert_eq!(from("left", None), [-1.0, 0.0, 0.0]);
        assert_eq!(from("top", None), [0.0, 0.0, 1.0]);
        assert_eq!(from("front", Some("RAS")), [0.0, 1.0, 0.0]);
        assert_eq!(from("left", Some("LPS")), [1.0, 0.0, 0.0]);
        assert_eq!(from("bottom", Some("SAR")), [-1.0, 0.0, 0.0]);
        assert_eq!(from("back", Some("scanner")), [0.0, 1.0, 0.0]);
        assert_eq!(from("-z", Some("RAS")), [0.0, 0.0, -1.0]);
        let [x, y, z] = from("90,-45", None);
        assert!(x.abs() < 1e-15 && (y - 0.5_f64.sqrt()).abs() < 1e-15 && (z + y).abs() < 1e-15);
        for side in ["above", "1,2,3", "0,91", "nan,0", "front,0"] {
            assert!(side.parse::<Side>().is_err(), "{side}");
        }
        assert!("fronte".parse::<Side>().unwrap_err().contains("`front`"));
    }

    #[test]
    fn sizes_and_ranges() {
        assert_eq!("640x480".parse(), Ok(Size([640, 480])));
        assert_eq!("512".parse(), Ok(Size([512, 512])));
        for size in ["", "x", "3x", "-1x5", "1x2x3", "9999999999"] {
            assert!(size.parse::<Size>().is_err(), "{size}");
        }
        assert_eq!(pair("-1, 2.5"), Ok([-1.0, 2.5]));
        assert!(pair("1").is_err() && pair("a,b").is_err());
    }
}
