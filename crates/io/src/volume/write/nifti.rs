//! Writer of NIfTI-1, or of NIfTI-2 if the number of voxels along an axis exceeds 32767, the limit
//! of NIfTI-1.

use std::borrow::Cow;
use std::path::Path;

use super::super::nifti::{TYPES, UNITS};
use super::super::stored::type_name;
use super::{placed_in, write_file};
use crate::write::rounded;
use zeroset_core::error::Result;
use zeroset_core::volume::{Placement, Samples, Scaling, Volume};

/// The bytes of a header, filled at fixed offsets.
struct Header(Vec<u8>);

macro_rules! put {
    ($name:ident, $type:ty) => {
        fn $name(&mut self, at: usize, numbers: &[$type]) {
            let bytes = numbers.iter().flat_map(|x| x.to_le_bytes());
            self.0.iter_mut().skip(at).zip(bytes).for_each(|(out, byte)| *out = byte);
        }
    };
}

impl Header {
    put!(u8, u8);
    put!(i16, i16);
    put!(i32, i32);
    put!(i64, i64);
    put!(f32, f32);
    put!(f64, f64);
}

/// Writes a volume with an sform. Numbers keep their type if the header can hold the scaling
/// exactly. Otherwise, the scaled values are written.
pub(super) fn write(
    path: &Path,
    volume: &Volume,
    packed: bool,
    lost: &mut Vec<String>,
) -> Result<()> {
    let large = volume.shape().iter().any(|&n| n > i16::MAX as usize);
    let Scaling { slope, intercept } = volume.scaling();
    let exact = large || [slope, intercept].iter().all(|&x| f64::from(x as f32) == x);
    let (samples, scaling) = match exact {
        true => (Cow::Borrowed(volume.samples()), [slope, intercept]),
        false => (volume.unscaled(), [1.0, 0.0]),
    };
    if !exact {
        lost.push(format!("scaled values become {}", samples.type_name()));
    }
    let place = placed_in("RAS", "NIfTI", volume, lost);
    let unit = volume.units.as_ref().and_then(|unit| UNITS.iter().find(|known| known.0 == unit));
    if let (None, Some(unit)) = (unit, &volume.units) {
        lost.push(format!("NIfTI does not have the unit {unit}"));
    }
    let stated = [place.steps().as_flattened(), &place.origin()].concat();
    if let Some((_, most)) = rounded(&stated).filter(|_| !large) {
        lost.push(format!("origin and steps are rounded to 32 bits, by at most {most:.1e}"));
    }
    let facts = Facts { volume, samples: &samples, scaling, place, unit: unit.map_or(0, |u| u.1) };
    let header = if large { facts.second() } else { facts.first() };
    write_file(path, &header.0, &samples, packed)
}

struct Facts<'a> {
    volume: &'a Volume,
    samples: &'a Samples,
    scaling: [f64; 2],
    place: Placement,
    unit: u8,
}

impl Facts<'_> {
    /// Returns the code and the number of bits of the number type.
    fn kind(&self) -> [i16; 2] {
        let name = self.samples.type_name();
        let known = TYPES.iter().find(|(_, scalar)| type_name(*scalar) == name);
        [known.map_or(64, |&(code, _)| code as i16), 8 * self.samples.width() as i16]
    }

    /// Returns the rows of the sform, concatenated.
    fn rows(&self) -> [f64; 12] {
        let (steps, origin) = (self.place.steps(), self.place.origin());
        std::array::from_fn(|n| match (n / 4, n % 4) {
            (row, 3) => origin[row],
            (row, axis) => steps[axis][row],
        })
    }

    fn pixdim(&self) -> [f64; 8] {
        let [x, y, z] = self.place.spacing();
        [1.0, x, y, z, 1.0, 1.0, 1.0, 1.0]
    }

    fn dim(&self) -> [i64; 8] {
        let [x, y, z] = self.volume.shape().map(|n| n as i64);
        [3, x, y, z, 1, 1, 1, 1]
    }

    /// Returns the sform code for scanner coordinates, or for aligned coordinates if the frame is
    /// unknown.
    fn code(&self) -> i16 {
        if self.volume.frame.is_some() { 1 } else { 2 }
    }

    fn description(&self) -> Vec<u8> {
        let name = self.volume.name.chars().filter(char::is_ascii);
        name.take(79).map(|c| c as u8).collect()
    }

    fn first(&self) -> Header {
        // Four bytes after the header state that there is no extension.
        let mut header = Header(vec![0; 352]);
        header.i32(0, &[348]);
        header.u8(38, b"r");
        header.i16(40, &self.dim().map(|n| n as i16));
        header.i16(70, &self.kind());
        header.f32(76, &self.pixdim().map(|x| x as f32));
        header.f32(108, &[352.0]);
        header.f32(112, &self.scaling.map(|x| x as f32));
        header.u8(123, &[self.unit]);
        header.u8(148, &self.description());
        header.i16(252, &[0, self.code()]);
        header.f32(280, &self.rows().map(|x| x as f32));
        header.u8(344, b"n+1\0");
        header
    }

    fn second(&self) -> Header {
        let mut header = Header(vec![0; 544]);
        header.i32(0, &[540]);
        header.u8(4, b"n+2\0\r\n\x1a\n");
        header.i16(12, &self.kind());
        header.i64(16, &self.dim());
        header.f64(104, &self.pixdim());
        header.i64(168, &[544]);
        header.f64(176, &self.scaling);
        header.u8(240, &self.description());
        header.i32(344, &[0, i32::from(self.code())]);
        header.f64(400, &self.rows());
        header.i32(500, &[i32::from(self.unit)]);
        header
    }
}
