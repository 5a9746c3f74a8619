//! Projection of longitudes and latitudes to local meters.

use super::{PointCloud, bounds};
use crate::error::{Error, Result};

/// The semi-major axis of the ellipsoid WGS 84 in meters, and the square of its eccentricity.
const RADIUS: f64 = 6_378_137.0;
const ECCENTRICITY: f64 = 6.694_379_990_141_317e-3;

/// An equirectangular projection around an origin. x points east, y points north, and both are in
/// meters. Heights do not change.
///
/// Distances are exact at the latitude of the origin, up to terms of second order.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct LocalProjection {
    /// Longitude of the origin in degrees.
    pub longitude: f64,
    /// Latitude of the origin in degrees.
    pub latitude: f64,
}

impl LocalProjection {
    /// Creates a projection around the center of a cloud whose x is the longitude and whose y is
    /// the latitude, in degrees. Longitudes may be from -180 to 180 or from 0 to 360. A cloud that
    /// crosses the 180th meridian is not split there.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the coordinates are not longitudes and latitudes.
    pub fn around(cloud: &PointCloud) -> Result<Self> {
        let (low, high) = cloud.bounds();
        let is_angle = low[0] >= -360.0 && high[0] <= 360.0 && low[1] > -89.9 && high[1] < 89.9;
        if !is_angle {
            let what = format!(
                "x from {} to {} and y from {} to {} are no longitudes and latitudes in degrees",
                low[0], high[0], low[1], high[1]
            );
            return Err(Error::usage(what, "leave out --project"));
        }
        let latitude = 0.5 * low[1] + 0.5 * high[1];
        let mut longitude = 0.5 * low[0] + 0.5 * high[0];
        if high[0] - low[0] > 180.0 {
            let shifted: Vec<[f64; 3]> =
                cloud.points.iter().map(|x| [x[0].rem_euclid(360.0), 0.0, 0.0]).collect();
            let (low, high) = bounds(&shifted);
            longitude = 0.5 * low[0] + 0.5 * high[0];
        }
        Ok(LocalProjection { longitude: turned(longitude), latitude })
    }

    /// Replaces longitudes and latitudes by meters, and multiplies heights by `height`, the length
    /// of their unit in meters.
    pub fn apply(&self, cloud: &mut PointCloud, height: f64) {
        let (sine, cosine) = libm::sincos(self.latitude.to_radians());
        let w = 1.0 - ECCENTRICITY * sine * sine;
        let east = RADIUS / w.sqrt() * cosine;
        let north = RADIUS * (1.0 - ECCENTRICITY) / (w * w.sqrt());
        for x in &mut cloud.points {
            *x = [
                east * turned(x[0] - self.longitude).to_radians(),
                north * (x[1] - self.latitude).to_radians(),
                height * x[2],
            ];
        }
    }

    /// Returns the largest relative error of east-west distances in a projected cloud, as a
    /// fraction. The error grows with the distance from the latitude of the origin.
    pub fn distortion(&self, cloud: &PointCloud) -> f64 {
        let (low, high) = cloud.bounds();
        let origin = libm::cos(self.latitude.to_radians());
        let ratio = |y: f64| libm::cos(self.latitude.to_radians() + y / RADIUS) / origin;
        (ratio(low[1]) - 1.0).abs().max((ratio(high[1]) - 1.0).abs())
    }
}

/// Returns an angle in degrees from -180 (inclusive) to 180.
fn turned(angle: f64) -> f64 {
    if (-180.0..180.0).contains(&angle) { angle } else { (angle + 180.0).rem_euclid(360.0) - 180.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meters_are_those_of_the_ellipsoid() {
        // At 45 degrees north, one degree of latitude is 111,132 m long, and one degree of
        // longitude 78,847 m.
        let mut cloud = PointCloud::new(vec![[9.5, 44.5, 10.0], [10.5, 45.5, 20.0]]);
        let projection = LocalProjection::around(&cloud).unwrap();
        assert_eq!(projection, LocalProjection { longitude: 10.0, latitude: 45.0 });
        projection.apply(&mut cloud, 0.3048);
        let [a, b] = [cloud.points[0], cloud.points[1]];
        assert!((b[0] - a[0] - 78_847.0).abs() < 1.0, "{a:?} {b:?}");
        assert!((b[1] - a[1] - 111_132.0).abs() < 1.0, "{a:?} {b:?}");
        assert!((a[2] - 3.048).abs() < 1e-12 && (a[0] + b[0]).abs() < 1e-6);
        assert!((projection.distortion(&cloud) - 0.0087).abs() < 1e-3);
    }

    #[test]
    fn clouds_across_the_180th_meridian_stay_together() {
        let mut cloud = PointCloud::new(vec![[179.999, 0.0, 0.0], [-179.999, 0.0, 0.0]]);
        LocalProjection::around(&cloud).unwrap().apply(&mut cloud, 1.0);
        assert!((cloud.points[1][0] - cloud.points[0][0] - 222.64).abs() < 0.01, "{cloud:?}");
        let utm = PointCloud::new(vec![[500_000.0, 5e6, 0.0], [500_001.0, 5e6, 0.0]]);
        assert!(
            LocalProjection::around(&utm).unwrap_err().to_string().contains("are no longitudes")
        );
    }
}
