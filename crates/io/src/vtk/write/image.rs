//! Writer of `.vti`: a volume as image data.

use std::path::Path;

use super::encode::{Encoded, Numbers};
use super::file::{escaped, field_data, text_array};
use super::{Compression, FieldValues};
use crate::units::Units;
use zeroset_core::atomic;
use zeroset_core::error::Result;
use zeroset_core::volume::{Samples, Volume};

impl<'a> From<&'a Samples> for FieldValues<'a> {
    fn from(samples: &'a Samples) -> Self {
        match samples {
            Samples::U8(v) => FieldValues::U8(v),
            Samples::I8(v) => FieldValues::I8(v),
            Samples::U16(v) => FieldValues::U16(v),
            Samples::I16(v) => FieldValues::I16(v),
            Samples::U32(v) => FieldValues::U32(v),
            Samples::I32(v) => FieldValues::I32(v),
            Samples::U64(v) => FieldValues::U64(v),
            Samples::I64(v) => FieldValues::I64(v),
            Samples::F32(v) => FieldValues::F32(v),
            Samples::F64(v) => FieldValues::F64(v),
        }
    }
}

/// Writes the values of a volume at the points of an image, their time and their units.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub(crate) fn write_vti(
    path: &Path,
    volume: &Volume,
    compression: Compression,
    (time, units): (Option<f64>, &Units),
) -> Result<()> {
    let samples = volume.unscaled();
    let values = Encoded::new(Numbers::Field((&*samples).into()), compression);
    let [x, y, z] = volume.shape().map(|n| n - 1);
    let extent = format!("0 {x} 0 {y} 0 {z}");
    let place = volume.placement();
    let list = |numbers: &[f64]| {
        let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
        words.join(" ")
    };
    // The matrix is stored by rows, and its columns are the directions.
    let columns = place.directions();
    let rows: Vec<f64> = (0..9).map(|n| columns[n % 3][n / 3]).collect();
    let name = if volume.name.is_empty() { "values" } else { volume.name.as_str() };
    let (name, kind, packed) = (escaped(name), values.type_name(), compression.attribute());
    let (origin, spacing, rows) = (list(&place.origin()), list(&place.spacing()), list(&rows));
    let texts = units.entries().into_iter().map(|(name, unit)| text_array(&name, &unit));
    let fields = field_data(time, &texts.collect::<Vec<_>>());
    let tags = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\"{packed}>\n  \
         <ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\" \
         Direction=\"{rows}\">\n{fields}    <Piece Extent=\"{extent}\">\n      \
         <PointData Scalars=\"{name}\">\n        \
         <DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"1\" \
         format=\"appended\" offset=\"0\"/>\n      </PointData>\n    </Piece>\n  \
         </ImageData>\n  <AppendedData encoding=\"raw\">\n   _"
    );
    atomic::write(path, |out| {
        out.write_all(tags.as_bytes())?;
        values.write(out)?;
        out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
    })
}
