//! Reader of MGH, the volume format of FreeSurfer: `.mgh`, and `.mgz`, which is compressed with
//! gzip. FreeSurfer also stores the values at the vertices of a surface in this format.
//!
//! Source: the FreeSurfer wiki, page "MghFormat". Numbers are big endian, and lengths are in mm.

use super::super::bytes::Cursor;
use super::super::scalar::Scalar;
use super::{Counts, DAMAGED, Found, VolumeFile, VolumeOptions, npy, refuse, stored, unsupported};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Values};
use zeroset_core::volume::Placement;

/// The number of bytes before the numbers.
const HEADER: usize = 284;
/// The number types by their codes.
const TYPES: [(i32, Scalar); 5] =
    [(0, Scalar::U8), (1, Scalar::I32), (3, Scalar::F32), (4, Scalar::I16), (10, Scalar::U16)];
/// Sizes of this number or more do not occur.
const LARGEST: i32 = 1 << 28;

/// The content of a header.
struct Header {
    shape: [usize; 3],
    /// Number of volumes, which FreeSurfer calls frames.
    volumes: usize,
    scalar: Scalar,
    /// Whether the file states where the voxels lie.
    is_placed: bool,
    placement: Result<Placement, Flaw>,
}

/// Returns true if `bytes` begin with a header: version 1, four sizes and a number type.
pub(crate) fn is_header(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes, 0, true);
    let mut next = || cursor.i32("a number").unwrap_or(0);
    let [version, sizes @ .., kind] = std::array::from_fn::<i32, 6, _>(|_| next());
    version == 1
        && sizes.iter().all(|size| (1..LARGEST).contains(size))
        && TYPES.iter().any(|(code, _)| *code == kind)
        && bytes.len() > HEADER
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut cursor = Cursor::new(bytes, 0, true);
        let version = cursor.i32("the version")?;
        if version != 1 {
            return refuse(format!("version {version}, expected 1"), DAMAGED);
        }
        let mut sizes = [0; 4];
        for size in &mut sizes {
            let found = cursor.i32("a size")?;
            if !(1..LARGEST).contains(&found) {
                return refuse(format!("a size of {found}, expected at least 1"), DAMAGED);
            }
            *size = found as usize;
        }
        let [x, y, z, volumes] = sizes;
        let code = cursor.i32("the number type")?;
        let Some(&(_, scalar)) = TYPES.iter().find(|(known, _)| *known == code) else {
            let remedy = "convert it to another type: `mri_convert -odt float IN OUT.mgz`";
            return unsupported(format!("number type {code}"), remedy);
        };
        cursor.i32("the degrees of freedom")?;
        let is_placed = cursor.i16("the flag of the placement")? > 0;
        let mut numbers = [0.0; 15];
        for number in &mut numbers {
            *number = f64::from(cursor.f32("the placement")?);
        }
        if !is_placed {
            numbers = CORONAL;
        }
        let shape = [x, y, z];
        Ok(Header { shape, volumes, scalar, is_placed, placement: placement(shape, numbers) })
    }

    /// Returns the numbers of all volumes as bytes.
    fn numbers<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], Flaw> {
        let [x, y, z] = self.shape;
        let data = bytes.get(HEADER..).unwrap_or_default();
        let all = [x, y, z.saturating_mul(self.volumes)];
        Ok(&data[..stored::promised("header", all, self.scalar, data.len())?])
    }
}

/// The spacings, directions and center of a file that states none: coronal slices of voxels of 1
/// mm.
const CORONAL: [f64; 15] =
    [1.0, 1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];

/// Returns the placement from the spacings, the directions of the axes and the coordinates of the
/// center, at half of each size.
fn placement(shape: [usize; 3], numbers: [f64; 15]) -> Result<Placement, Flaw> {
    let three = |k: usize| [numbers[k], numbers[k + 1], numbers[k + 2]];
    let (spacing, directions, center) = (three(0), [three(3), three(6), three(9)], three(12));
    let half =
        |k: usize, axis: usize| 0.5 * shape[axis] as f64 * spacing[axis] * directions[axis][k];
    let origin = [0, 1, 2].map(|k| center[k] - (half(k, 0) + half(k, 1) + half(k, 2)));
    Placement::from_spacing(shape, origin, spacing, directions)
}

/// Reads a volume.
pub(super) fn read(bytes: &[u8], options: &VolumeOptions) -> Result<VolumeFile, Flaw> {
    let header = Header::parse(bytes)?;
    let Header { shape, volumes, scalar, .. } = header;
    let chosen = options.choose(Counts { layers: 1, volumes, channels: 1 }, &[])?;
    let numbers = header.numbers(bytes)?;
    let size = numbers.len() / volumes;
    let samples = stored::samples(scalar, &numbers[size * chosen.volume..][..size], true);
    let found = Found {
        placement: header.placement,
        frame: header.is_placed.then(|| "RAS".to_string()),
        units: Some("mm".to_string()),
        stated: [header.is_placed; 3],
        ..Found::new(shape, samples)
    };
    Ok(VolumeFile {
        volume: found.volume()?,
        format: "mgh",
        version: "1".into(),
        space: None,
        stated_spacing: [header.is_placed; 3],
        warnings: Vec::new(),
        state: Default::default(),
    })
}

/// Reads the values at the vertices of a surface as an array with the given name. Each volume is a
/// component. FreeSurfer stores them as a volume with a size of 1 along the second axis.
///
/// # Errors
/// Returns a [`Flaw`] if the file holds a volume of another shape, or is damaged.
pub(crate) fn read_rows(bytes: &[u8], name: String) -> Result<DataArray, Flaw> {
    let header = Header::parse(bytes)?;
    let [x, y, z] = header.shape;
    if y > 1 {
        let what = format!("{x} x {y} x {z} voxels, expected one value per vertex");
        return refuse(what, "sample the volume at the vertices first: `mri_vol2surf`");
    }
    let values = header.scalar.unpack(header.numbers(bytes)?, true);
    let values = match values {
        Values::Float(columns) => Values::Float(npy::rows_of(&columns, x * z)),
        Values::Int(columns) => Values::Int(npy::rows_of(&columns, x * z)),
    };
    Ok(DataArray { name, components: header.volumes, values })
}
