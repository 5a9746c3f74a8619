//! Writer of LAS 1.4 (R15): record format 6, or 7 if the points have colors.

use std::path::Path;

use crate::atomic;
use zeroset_core::cloud::{Attribute, PointCloud, key};
use zeroset_core::error::{Error, Result};
use zeroset_core::parallel::*;

/// The number of bytes of the header.
const HEAD: u16 = 375;
/// The largest integer coordinate. It leaves room for rounding.
const MOST: f64 = 2.0e9;
/// The number of points per task.
const TASK: usize = 1 << 14;
/// Degrees per unit of the scan angle.
const DEGREES: f64 = 0.006;

/// A record field that an attribute fills: the key of its name, its byte, its lowest bit, and the
/// smallest and the largest integer.
struct Field {
    key: &'static str,
    byte: usize,
    bit: u32,
    range: [f64; 2],
}

const fn field(key: &'static str, byte: usize, bit: u32, range: [f64; 2]) -> Field {
    Field { key, byte, bit, range }
}

const WORD: [f64; 2] = [0.0, 65_535.0];
const BYTE: [f64; 2] = [0.0, 255.0];
const FLAG: [f64; 2] = [0.0, 1.0];

/// The integer fields. Fields with a 16-bit range take two bytes.
const FIELDS: [Field; 12] = [
    field("intensity", 12, 0, WORD),
    field("returnnumber", 14, 0, [0.0, 15.0]),
    field("numberofreturns", 14, 4, [0.0, 15.0]),
    field("synthetic", 15, 0, FLAG),
    field("keypoint", 15, 1, FLAG),
    field("overlap", 15, 3, FLAG),
    field("scannerchannel", 15, 4, [0.0, 3.0]),
    field("scandirection", 15, 6, FLAG),
    field("edgeofflightline", 15, 7, FLAG),
    field("classification", 16, 0, BYTE),
    field("userdata", 17, 0, BYTE),
    field("pointsourceid", 20, 0, WORD),
];

/// The attributes that the records hold.
struct Held<'a> {
    integers: Vec<(&'static Field, &'a Attribute)>,
    angle: Option<&'a Attribute>,
    time: Option<&'a Attribute>,
}

/// Writes a cloud. Returns a warning for everything that the format cannot hold.
///
/// # Errors
/// Returns [`Error::Output`] if the file cannot be written.
pub(super) fn write(path: &Path, cloud: &PointCloud) -> Result<Vec<String>> {
    let (held, mut warnings) = held(&cloud.attributes);
    if cloud.normals.is_some() {
        warnings.push("normals are dropped: .las cannot hold them".to_string());
    }
    let (low, high) = cloud.bounds();
    let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    // The smallest power of ten that gives every coordinate a 32-bit integer.
    let exponent = (extent / MOST).log10().ceil().max(-12.0);
    let scale = 10_f64.powi(exponent as i32);
    let offset = low.map(f64::floor);
    if !scale.is_finite() || offset.iter().any(|x| x.abs() > 1e15) {
        let what = format!("coordinates from {low:?} to {high:?} do not fit into .las");
        return Err(Error::output(path, what, "write .ply instead"));
    }
    let integer = |x: f64, k: usize| ((x - offset[k]) / scale).round();
    let errors = cloud.points.par_iter().map(|x| {
        (0..3).map(|k| (integer(x[k], k) * scale + offset[k] - x[k]).abs()).fold(0.0, f64::max)
    });
    let error = errors.reduce(|| 0.0, f64::max);
    if error > 1e-3 * scale {
        warnings.push(format!("coordinates are rounded to multiples of {scale}"));
    }
    let head = head(cloud, &held, scale, offset);
    let length = record_length(cloud);
    atomic::write(path, |out| {
        out.write_all(&head)?;
        for begin in (0..cloud.len()).step_by(64 * TASK) {
            let end = (begin + 64 * TASK).min(cloud.len());
            let tasks = (begin..end).into_par_iter().step_by(TASK);
            let encoded: Vec<Vec<u8>> = tasks
                .map(|task| {
                    let mut bytes = Vec::with_capacity(TASK * usize::from(length));
                    for i in task..(task + TASK).min(end) {
                        let x = [0, 1, 2].map(|k| integer(cloud.points[i][k], k) as i32);
                        bytes.extend(held.record(cloud, i, x, length));
                    }
                    bytes
                })
                .collect();
            encoded.iter().try_for_each(|bytes| out.write_all(bytes))?;
        }
        Ok(())
    })?;
    Ok(warnings)
}

/// Selects the attributes that the records can hold, and returns a warning for each of the others.
fn held(attributes: &[Attribute]) -> (Held<'_>, Vec<String>) {
    let mut held = Held { integers: Vec::new(), angle: None, time: None };
    let mut warnings = Vec::new();
    for attribute in attributes {
        let (name, key) = (&attribute.name, key(&attribute.name));
        let numbers = &attribute.numbers;
        let misfit = |fits: &dyn Fn(f64) -> bool| {
            (0..numbers.len()).map(|i| numbers.get(i)).find(|x| !fits(*x))
        };
        if let Some(field) = FIELDS.iter().find(|field| field.key == key) {
            let [low, high] = field.range;
            let fits = |x: f64| x.fract() == 0.0 && (low..=high).contains(&x);
            match misfit(&fits) {
                None => held.integers.push((field, attribute)),
                Some(x) => warnings.push(format!(
                    "attribute {name} is dropped: .las holds integers from {low} to {high}, not {x}"
                )),
            }
        } else if key == "gpstime" {
            held.time = Some(attribute);
        } else if key == "scanangle" && misfit(&|x| x.abs() <= 180.0).is_none() {
            held.angle = Some(attribute);
        } else {
            warnings.push(format!("attribute {name} is dropped: .las cannot hold it"));
        }
    }
    (held, warnings)
}

fn record_length(cloud: &PointCloud) -> u16 {
    if cloud.colors.is_some() { 36 } else { 30 }
}

impl Held<'_> {
    fn record(&self, cloud: &PointCloud, i: usize, x: [i32; 3], length: u16) -> Vec<u8> {
        let mut record = vec![0; usize::from(length)];
        let mut put = |at: usize, bytes: &[u8]| {
            record[at..at + bytes.len()].iter_mut().zip(bytes).for_each(|(to, b)| *to |= b);
        };
        x.iter().enumerate().for_each(|(k, x)| put(4 * k, &x.to_le_bytes()));
        for (field, attribute) in &self.integers {
            let bits = (attribute.numbers.get(i) as u16) << field.bit;
            let n = if field.range[1] > 255.0 { 2 } else { 1 };
            put(field.byte, &bits.to_le_bytes()[..n]);
        }
        // A pulse has at least one return.
        let returns = [("returnnumber", 1), ("numberofreturns", 1 << 4)];
        for (key, one) in returns {
            if !self.integers.iter().any(|(field, _)| field.key == key) {
                put(14, &[one]);
            }
        }
        if let Some(angle) = self.angle {
            put(18, &((angle.numbers.get(i) / DEGREES).round() as i16).to_le_bytes());
        }
        if let Some(time) = self.time {
            put(22, &time.numbers.get(i).to_le_bytes());
        }
        if let Some(colors) = &cloud.colors {
            for (k, color) in colors[i].iter().enumerate() {
                put(30 + 2 * k, &(u16::from(*color) * 257).to_le_bytes());
            }
        }
        record
    }
}

/// Returns the header (LAS 1.4 R15, section 2.4).
fn head(cloud: &PointCloud, held: &Held, scale: f64, offset: [f64; 3]) -> Vec<u8> {
    let n = cloud.len() as u64;
    let (low, high) = cloud.bounds();
    let mut by_return = [0_u64; 15];
    match held.integers.iter().find(|(field, _)| field.key == "returnnumber") {
        None => by_return[0] = n,
        Some((_, attribute)) => {
            for i in 0..cloud.len() {
                let number = attribute.numbers.get(i) as usize;
                by_return[number.clamp(1, 15) - 1] += 1;
            }
        }
    }
    let mut bytes = vec![0; usize::from(HEAD)];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, b"LASF");
    // Record formats 6 and above require this flag: a coordinate system, if any, is well-known
    // text.
    put(6, &0x10_u16.to_le_bytes());
    put(24, &[1, 4]);
    put(58, b"zeroset");
    put(94, &HEAD.to_le_bytes());
    put(96, &u32::from(HEAD).to_le_bytes());
    put(104, &[if cloud.colors.is_some() { 7 } else { 6 }]);
    put(105, &record_length(cloud).to_le_bytes());
    for k in 0..3 {
        put(131 + 8 * k, &scale.to_le_bytes());
        put(155 + 8 * k, &offset[k].to_le_bytes());
        put(179 + 16 * k, &high[k].to_le_bytes());
        put(187 + 16 * k, &low[k].to_le_bytes());
    }
    put(247, &n.to_le_bytes());
    by_return.iter().enumerate().for_each(|(k, n)| put(255 + 8 * k, &n.to_le_bytes()));
    bytes
}
