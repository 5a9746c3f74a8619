//! The numbers of one scan of an E57 file (ASTM E2807-11, section 8.4), and their meaning.

use e57::{PointCloud, Record, RecordDataType, RecordName, RecordValue, Result, Transform};
use zeroset_core::cloud::NumberType;

/// The indices of the values of a scan within its records, and the pose of the scan.
pub(super) struct Scan {
    records: Vec<Record>,
    cartesian: Option<[usize; 3]>,
    spherical: Option<[usize; 3]>,
    /// The states of the coordinates: 0 is valid, 1 is a direction only, and 2 is invalid.
    cartesian_state: Option<usize>,
    spherical_state: Option<usize>,
    /// The components of the normals (extension E57_NOR).
    pub(super) normal: Option<[usize; 3]>,
    /// The components of the colors.
    pub(super) color: Option<[usize; 3]>,
    /// The smallest and the largest value of each color component.
    color_ranges: [[f64; 2]; 3],
    color_state: Option<usize>,
    intensity: Option<usize>,
    intensity_range: [f64; 2],
    intensity_state: Option<usize>,
    /// The rows of the rotation of the pose.
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

/// The numbers of a point, one for each record of its scan.
pub(super) type Point = Vec<f64>;

impl Scan {
    /// Finds the values of a scan by the names of its records.
    pub(super) fn new(stored: &PointCloud) -> Self {
        use RecordName as Name;
        let place = |name: &Name| stored.prototype.iter().position(|r| r.name == *name);
        let three = |names: [Name; 3]| {
            let [a, b, c] = names.map(|name| place(&name));
            Some([a?, b?, c?])
        };
        let normal = |axis: &str| {
            let name = format!("normal{axis}");
            let is = |r: &Record| matches!(&r.name, Name::Unknown { name: n, .. } if *n == name);
            stored.prototype.iter().position(is)
        };
        let color = three([Name::ColorRed, Name::ColorGreen, Name::ColorBlue]);
        let range = |k: usize, low: Option<&RecordValue>, high: Option<&RecordValue>| {
            let limit = |value: Option<&RecordValue>| match value {
                Some(RecordValue::Single(x)) => Some(f64::from(*x)),
                Some(RecordValue::Double(x)) => Some(*x),
                Some(RecordValue::Integer(x)) => Some(*x as f64),
                _ => None,
            };
            match (limit(low), limit(high)) {
                (Some(low), Some(high)) => [low, high],
                _ => range_of_type(&stored.prototype[k].data_type),
            }
        };
        let colors = stored.color_limits.as_ref();
        let color_ranges = color.map_or([[0.0, 1.0]; 3], |[r, g, b]| {
            [
                range(
                    r,
                    colors.and_then(|c| c.red_min.as_ref()),
                    colors.and_then(|c| c.red_max.as_ref()),
                ),
                range(
                    g,
                    colors.and_then(|c| c.green_min.as_ref()),
                    colors.and_then(|c| c.green_max.as_ref()),
                ),
                range(
                    b,
                    colors.and_then(|c| c.blue_min.as_ref()),
                    colors.and_then(|c| c.blue_max.as_ref()),
                ),
            ]
        });
        let intensity = place(&Name::Intensity);
        let limits = stored.intensity_limits.as_ref();
        let intensity_range = intensity.map_or([0.0, 1.0], |k| {
            range(
                k,
                limits.and_then(|l| l.intensity_min.as_ref()),
                limits.and_then(|l| l.intensity_max.as_ref()),
            )
        });
        let (rotation, translation) = pose(&stored.transform.clone().unwrap_or_default());
        Scan {
            cartesian: three([Name::CartesianX, Name::CartesianY, Name::CartesianZ]),
            spherical: three([
                Name::SphericalRange,
                Name::SphericalAzimuth,
                Name::SphericalElevation,
            ]),
            cartesian_state: place(&Name::CartesianInvalidState),
            spherical_state: place(&Name::SphericalInvalidState),
            normal: (|| Some([normal("X")?, normal("Y")?, normal("Z")?]))(),
            color,
            color_ranges,
            color_state: place(&Name::IsColorInvalid),
            intensity,
            intensity_range,
            intensity_state: place(&Name::IsIntensityInvalid),
            rotation,
            translation,
            records: stored.prototype.clone(),
        }
    }

    /// Returns the numbers of a point.
    ///
    /// # Errors
    /// Returns an error of the crate for a value of the wrong type.
    pub(super) fn numbers(&self, values: &[RecordValue]) -> Result<Point> {
        values.iter().zip(&self.records).map(|(value, r)| value.to_f64(&r.data_type)).collect()
    }

    /// Returns the position in the frame of the file, or NaN if it is not valid. Cartesian
    /// coordinates have priority over spherical ones.
    pub(super) fn position(&self, point: &Point) -> [f64; 3] {
        let valid = |state: Option<usize>| state.is_none_or(|k| point[k] == 0.0);
        let cartesian = self.cartesian.filter(|_| valid(self.cartesian_state));
        let spherical = self.spherical.filter(|_| valid(self.spherical_state));
        let x = match (cartesian, spherical) {
            (Some(places), _) => places.map(|k| point[k]),
            (None, Some(places)) => {
                let [range, azimuth, elevation] = places.map(|k| point[k]);
                let across = range * libm::cos(elevation);
                [
                    across * libm::cos(azimuth),
                    across * libm::sin(azimuth),
                    range * libm::sin(elevation),
                ]
            }
            (None, None) => return [f64::NAN; 3],
        };
        let turned = self.turned(x);
        [0, 1, 2].map(|k| turned[k] + self.translation[k])
    }

    /// Returns the normal in the frame of the file, or zeros if the scan has none.
    pub(super) fn normal(&self, point: &Point) -> [f64; 3] {
        self.normal.map_or([0.0; 3], |places| self.turned(places.map(|k| point[k])))
    }

    /// Returns the color from 0 to 1. A point without a valid color gets the gray level of its
    /// intensity.
    pub(super) fn color(&self, point: &Point) -> [f64; 3] {
        let valid = |state: Option<usize>| state.is_none_or(|k| point[k] == 0.0);
        match (self.color.filter(|_| valid(self.color_state)), self.intensity) {
            (Some(places), _) => [0, 1, 2].map(|k| within(point[places[k]], self.color_ranges[k])),
            (None, Some(k)) if valid(self.intensity_state) => {
                [within(point[k], self.intensity_range); 3]
            }
            _ => [0.0; 3],
        }
    }

    /// Returns an attribute by the index of its record. Return numbers are counted from 1, and an
    /// invalid intensity is NaN.
    pub(super) fn attribute(&self, point: &Point, k: usize) -> f64 {
        let is_invalid = self.intensity_state.is_some_and(|state| point[state] != 0.0);
        match self.records[k].name {
            RecordName::ReturnIndex => point[k] + 1.0,
            RecordName::Intensity if is_invalid => f64::NAN,
            _ => point[k],
        }
    }

    /// Returns the indices of the records of the attributes with these names.
    ///
    /// # Panics
    /// Panics if the scan does not have one of the attributes.
    pub(super) fn places(&self, names: &[String]) -> Vec<usize> {
        let place = |name: &String| {
            let is = |r: &Record| attribute_name(&r.name).as_ref() == Some(name);
            self.records.iter().position(is).expect("every scan has the common attributes")
        };
        names.iter().map(place).collect()
    }

    fn attributes(&self) -> impl Iterator<Item = (String, NumberType)> {
        let normal = self.normal.iter().flatten().copied().collect::<Vec<usize>>();
        let has_state = self.intensity_state.is_some();
        let others = self.records.iter().enumerate().filter(move |(k, _)| !normal.contains(k));
        others.filter_map(move |(_, r)| {
            let kind = match (&r.data_type, &r.name) {
                // An invalid intensity becomes NaN, which integers cannot hold.
                (RecordDataType::Single { .. }, _) => NumberType::F32,
                (_, RecordName::Intensity) if has_state => NumberType::F64,
                (RecordDataType::Integer { min, max }, _) => match (*min, *max) {
                    (0.., ..=254) => NumberType::U8,
                    (0.., ..=65_534) => NumberType::U16,
                    (-2_147_483_648.., ..=2_147_483_646) => NumberType::I32,
                    _ => NumberType::F64,
                },
                _ => NumberType::F64,
            };
            Some((attribute_name(&r.name)?, kind))
        })
    }

    fn turned(&self, x: [f64; 3]) -> [f64; 3] {
        self.rotation.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
    }
}

/// Returns the attributes that all scans have. If scans store an attribute in different types, it
/// has 64-bit real numbers.
pub(super) fn common_attributes(scans: &[Scan]) -> Vec<(String, NumberType, String)> {
    let Some((first, others)) = scans.split_first() else { return Vec::new() };
    let others: Vec<Vec<_>> = others.iter().map(|scan| scan.attributes().collect()).collect();
    let common = first.attributes().filter_map(|(name, kind)| {
        let kinds = others.iter().map(|scan| scan.iter().find(|(other, _)| *other == name));
        let kinds: Option<Vec<NumberType>> = kinds.map(|found| found.map(|f| f.1)).collect();
        let kind = if kinds?.iter().all(|k| *k == kind) { kind } else { NumberType::F64 };
        Some((name.clone(), kind, name))
    });
    common.collect()
}

/// Returns the name of the attribute that a record holds, or `None` if the record belongs to the
/// position, the color or the state of a point.
fn attribute_name(name: &RecordName) -> Option<String> {
    Some(match name {
        RecordName::Intensity => "intensity".into(),
        RecordName::RowIndex => "row".into(),
        RecordName::ColumnIndex => "column".into(),
        RecordName::ReturnIndex => "return_number".into(),
        RecordName::ReturnCount => "number_of_returns".into(),
        RecordName::TimeStamp => "time".into(),
        RecordName::Unknown { name, .. } => name.clone(),
        _ => return None,
    })
}

/// Returns the range of the values that a type can hold.
fn range_of_type(kind: &RecordDataType) -> [f64; 2] {
    match kind {
        RecordDataType::Single { min, max } => {
            [min.unwrap_or(0.0).into(), max.unwrap_or(1.0).into()]
        }
        RecordDataType::Double { min, max } => [min.unwrap_or(0.0), max.unwrap_or(1.0)],
        RecordDataType::ScaledInteger { min, max, scale, offset } => {
            [*min as f64 * scale + offset, *max as f64 * scale + offset]
        }
        RecordDataType::Integer { min, max } => [*min as f64, *max as f64],
    }
}

/// Returns the position of a value in its range, from 0 to 1.
fn within(value: f64, [low, high]: [f64; 2]) -> f64 {
    let place = (value - low) / (high - low);
    if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the rows of the rotation of a pose, and its translation. A quaternion whose length is
/// not 1 is scaled.
fn pose(transform: &Transform) -> ([[f64; 3]; 3], [f64; 3]) {
    let (q, t) = (&transform.rotation, &transform.translation);
    let square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    let s = if square > 0.0 && square.is_finite() { 2.0 / square } else { 0.0 };
    let (xx, yy, zz) = (s * q.x * q.x, s * q.y * q.y, s * q.z * q.z);
    let (xy, xz, yz) = (s * q.x * q.y, s * q.x * q.z, s * q.y * q.z);
    let (wx, wy, wz) = (s * q.w * q.x, s * q.w * q.y, s * q.w * q.z);
    let rotation = [
        [1.0 - yy - zz, xy - wz, xz + wy],
        [xy + wz, 1.0 - xx - zz, yz - wx],
        [xz - wy, yz + wx, 1.0 - xx - yy],
    ];
    (rotation, [t.x, t.y, t.z])
}

#[cfg(test)]
mod tests {
    use super::*;
    use e57::{Quaternion, Translation};

    fn scan(names: &[RecordName], transform: Option<Transform>) -> Scan {
        let data_type = RecordDataType::Double { min: None, max: None };
        let record =
            |name: &RecordName| Record { name: name.clone(), data_type: data_type.clone() };
        let mut stored = PointCloud::default();
        stored.prototype = names.iter().map(record).collect();
        stored.transform = transform;
        Scan::new(&stored)
    }

    #[track_caller]
    fn assert_close(found: [f64; 3], expected: [f64; 3]) {
        assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn poses_turn_positions_and_normals_and_move_positions() {
        use RecordName as Name;
        let half = 0.5_f64.sqrt();
        // A rotation by 90 degrees about z, from x to y. The quaternion has length 2.
        let rotation = Quaternion { w: 2.0 * half, x: 0.0, y: 0.0, z: 2.0 * half };
        let translation = Translation { x: 10.0, y: 20.0, z: 30.0 };
        let normal =
            |axis: &str| Name::Unknown { namespace: "nor".into(), name: format!("normal{axis}") };
        let names = [
            Name::CartesianX,
            Name::CartesianY,
            Name::CartesianZ,
            normal("X"),
            normal("Y"),
            normal("Z"),
            Name::CartesianInvalidState,
        ];
        let scan = scan(&names, Some(Transform { rotation, translation }));
        let point = vec![1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0];
        assert_close(scan.position(&point), [8.0, 21.0, 33.0]);
        assert_close(scan.normal(&point), [0.0, 1.0, 0.0]);
        for state in [1.0, 2.0] {
            let point = vec![1.0, 2.0, 3.0, 1.0, 0.0, 0.0, state];
            assert!(scan.position(&point)[0].is_nan());
        }
    }

    #[test]
    fn spherical_coordinates_serve_where_cartesian_ones_are_invalid() {
        use RecordName as Name;
        let names = [
            Name::SphericalRange,
            Name::SphericalAzimuth,
            Name::SphericalElevation,
            Name::SphericalInvalidState,
            Name::ReturnIndex,
        ];
        let scan = scan(&names, None);
        let quarter = std::f64::consts::FRAC_PI_2;
        assert_close(scan.position(&vec![2.0, quarter, 0.0, 0.0, 0.0]), [0.0, 2.0, 0.0]);
        assert_close(scan.position(&vec![2.0, 0.0, quarter, 0.0, 0.0]), [0.0, 0.0, 2.0]);
        assert!(scan.position(&vec![2.0, 0.0, 0.0, 1.0, 0.0])[0].is_nan());
        assert_eq!(scan.places(&["return_number".to_string()]), [4]);
        assert_eq!(scan.attribute(&vec![2.0, 0.0, 0.0, 0.0, 0.0], 4), 1.0);
    }
}
