//! Writing numbers per vertex as a GIFTI shape file.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::error::Result;
use crate::io::atomic;

/// Bytes encoded at a time: a multiple of 3, so that base64 pads only at the end.
const PIECE: usize = 3 << 14;

/// Writes one number per vertex under `name` (intent `NIFTI_INTENT_SHAPE`, 32-bit floats,
/// GZipBase64Binary), as Connectome Workbench, FreeSurfer and nibabel read it.
///
/// # Errors
/// [`crate::Error::Output`] if the file cannot be written.
pub fn write_shape(path: &Path, name: &str, values: &[f32]) -> Result<()> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let fed = values.iter().try_for_each(|value| packed.write_all(&value.to_le_bytes()));
    let packed = fed.and_then(|()| packed.finish());
    atomic::write(path, |out| {
        let (n, name) = (values.len(), quick_xml::escape::escape(name));
        write!(
            out,
            r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE GIFTI SYSTEM "http://www.nitrc.org/frs/download.php/115/gifti.dtd">
<GIFTI Version="1.0" NumberOfDataArrays="1">
  <MetaData/>
  <LabelTable/>
  <DataArray Intent="NIFTI_INTENT_SHAPE" DataType="NIFTI_TYPE_FLOAT32"
             ArrayIndexingOrder="RowMajorOrder" Dimensionality="1" Dim0="{n}"
             Encoding="GZipBase64Binary" Endian="LittleEndian"
             ExternalFileName="" ExternalFileOffset="">
    <MetaData>
      <MD><Name>Name</Name><Value>{name}</Value></MD>
    </MetaData>
    <Data>"#
        )?;
        for piece in packed?.chunks(PIECE) {
            out.write_all(STANDARD.encode(piece).as_bytes())?;
        }
        out.write_all(b"</Data>\n  </DataArray>\n</GIFTI>\n")
    })
}
