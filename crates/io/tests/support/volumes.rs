//! Small volumes in every format, written byte by byte.
#![allow(dead_code)]

use std::io::Write;

use zeroset_core::volume::Volume;

pub const SHAPE: [usize; 3] = [3, 4, 2];

/// Returns the values of the small volume, with x varying fastest: -50 + i + 10 j + 100 k.
pub fn numbers() -> Vec<i16> {
    let [nx, ny, nz] = SHAPE.map(|n| n as i16);
    let rows = (0..nz).flat_map(|k| (0..ny).map(move |j| (j, k)));
    rows.flat_map(|(j, k)| (0..nx).map(move |i| -50 + i + 10 * j + 100 * k)).collect()
}

/// Returns the values as bytes, in big-endian order if `big` is true.
pub fn bytes(big: bool) -> Vec<u8> {
    let order = |x: i16| if big { x.to_be_bytes() } else { x.to_le_bytes() };
    numbers().into_iter().flat_map(order).collect()
}

/// Returns the values as text.
pub fn text() -> String {
    numbers().iter().map(|x| format!("{x} ")).collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Checks that the volume has the expected shape, type and values.
pub fn assert_numbers(volume: &Volume, what: &str) {
    assert_eq!(volume.shape(), SHAPE, "{what}");
    assert_eq!(volume.samples(), &numbers().into(), "{what}");
}

/// A file being assembled from numbers in its byte order.
#[derive(Clone)]
pub struct Bytes {
    pub raw: Vec<u8>,
    pub big: bool,
}

macro_rules! put {
    ($name:ident, $type:ty) => {
        pub fn $name(mut self, at: usize, numbers: &[$type]) -> Self {
            for (k, x) in numbers.iter().enumerate() {
                let raw = if self.big { x.to_be_bytes() } else { x.to_le_bytes() };
                self.raw[at + k * raw.len()..][..raw.len()].copy_from_slice(&raw);
            }
            self
        }
    };
}

impl Bytes {
    put!(u8, u8);
    put!(i16, i16);
    put!(i32, i32);
    put!(i64, i64);
    put!(f32, f32);
    put!(f64, f64);
}

/// The placement of the voxels in the NIfTI files below. The first three columns are the steps
/// along the axes, and the last column is the origin.
pub const ROWS: [[f32; 4]; 3] =
    [[-2.0, 0.0, 0.0, 10.0], [0.0, 0.5, 0.25, 20.0], [0.0, 0.0, 3.0, 30.0]];

/// Returns a NIfTI-1 header with an sform.
pub fn nifti1_head(big: bool) -> Bytes {
    Bytes { raw: vec![0; 352], big }
        .i32(0, &[348])
        .i16(40, &[3, 3, 4, 2, 1, 1, 1, 1])
        .i16(70, &[4, 16])
        .f32(76, &[1.0, 2.0, 0.5, 3.0, 0.0, 0.0, 0.0, 0.0])
        .f32(108, &[352.0])
        .u8(123, &[2])
        .u8(148, b"small")
        .i16(252, &[0, 1])
        .f32(280, ROWS.as_flattened())
        .u8(344, b"n+1\0")
}

/// Returns a NIfTI-2 header with the content of [`nifti1_head`].
pub fn nifti2_head(big: bool) -> Bytes {
    let rows: Vec<f64> = ROWS.as_flattened().iter().map(|&x| x.into()).collect();
    Bytes { raw: vec![0; 544], big }
        .i32(0, &[540])
        .u8(4, b"n+2\0\r\n\x1a\n")
        .i16(12, &[4, 16])
        .i64(16, &[3, 3, 4, 2, 1, 1, 1, 1])
        .f64(104, &[1.0, 2.0, 0.5, 3.0, 0.0, 0.0, 0.0, 0.0])
        .i64(168, &[544])
        .u8(240, b"small")
        .i32(344, &[0, 1])
        .f64(400, &rows)
        .i32(500, &[2])
}

/// Returns an MGH header. Its last column is the center of the volume.
pub fn mgh_head() -> Bytes {
    Bytes { raw: vec![0; 284], big: true }
        .i32(0, &[1, 3, 4, 2, 1, 4, 0])
        .i16(28, &[1])
        .f32(30, &[2.0, 0.5, 3.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.25, 1.0])
        .f32(78, &[7.0, 21.75, 33.0])
}

/// Returns the header followed by the values.
pub fn with_numbers(head: Bytes) -> Vec<u8> {
    let numbers = bytes(head.big);
    [head.raw, numbers].concat()
}

/// Returns an NRRD file with additional fields.
pub fn nrrd(fields: &str, data: &[u8]) -> Vec<u8> {
    let head = format!(
        "NRRD0004\n# small\ntype: short\ndimension: 3\nsizes: 3 4 2\n{fields}\nkey:=value\n\n"
    );
    [head.as_bytes(), data].concat()
}

/// Returns a MetaImage file with additional keys.
pub fn mha(keys: &str, data: &[u8]) -> Vec<u8> {
    let head = format!(
        "ObjectType = Image\nNDims = 3\n{keys}DimSize = 3 4 2\nElementType = MET_SHORT\n\
         ElementDataFile = LOCAL\n"
    );
    [head.as_bytes(), data].concat()
}

/// Returns a NumPy file with the given header entries and data.
pub fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let head = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    match version {
        1 => file.extend((head.len() as u16).to_le_bytes()),
        _ => file.extend((head.len() as u32).to_le_bytes()),
    }
    [&file, head.as_bytes(), data].concat()
}

/// Returns a VTK image in XML with the given attributes, extent and arrays.
pub fn vti(image: &str, extent: &str, arrays: &str) -> Vec<u8> {
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\">\n\
         <ImageData WholeExtent=\"{extent}\" {image}><Piece Extent=\"{extent}\">\n{arrays}\n\
         </Piece></ImageData></VTKFile>\n"
    )
    .into_bytes()
}

/// Returns the small volume in all of these formats, each with a file name and the bytes.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let point_data = format!(
        "<PointData Scalars=\"a\"><DataArray type=\"Int16\" Name=\"a\" format=\"ascii\">{}\
         </DataArray></PointData>",
        text()
    );
    let vtk = |kind: &str, data: &[u8]| {
        let head = format!(
            "# vtk DataFile Version 3.0\nx\n{kind}\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 4 2\n\
             ORIGIN 10 20 30\nSPACING 2 0.5 3\nPOINT_DATA 24\nSCALARS a short\n\
             LOOKUP_TABLE default\n"
        );
        [head.as_bytes(), data].concat()
    };
    let c_order = {
        let [nx, ny, nz] = SHAPE;
        let all = numbers();
        let at = |n: usize| all[n / (ny * nz) + nx * (n / nz % ny + ny * (n % nz))];
        (0..all.len()).flat_map(|n| at(n).to_le_bytes()).collect::<Vec<u8>>()
    };
    vec![
        ("1.nii", with_numbers(nifti1_head(false))),
        ("1big.nii", with_numbers(nifti1_head(true))),
        ("2.nii", with_numbers(nifti2_head(false))),
        ("2big.nii", with_numbers(nifti2_head(true))),
        ("1.nii.gz", gzip(&with_numbers(nifti1_head(true)))),
        ("raw.nrrd", nrrd("encoding: raw\nendian: little", &bytes(false))),
        ("big.nrrd", nrrd("encoding: raw\nendian: big", &bytes(true))),
        ("gzip.nrrd", nrrd("encoding: gzip\nendian: little", &gzip(&bytes(false)))),
        ("text.nrrd", nrrd("encoding: ascii", text().as_bytes())),
        ("raw.mha", mha("", &bytes(false))),
        ("big.mha", mha("BinaryDataByteOrderMSB = True\n", &bytes(true))),
        ("zlib.mha", mha("CompressedData = True\n", &zlib(&bytes(false)))),
        ("text.mha", mha("BinaryData = False\n", text().as_bytes())),
        ("1.mgh", with_numbers(mgh_head())),
        ("1.mgz", gzip(&with_numbers(mgh_head()))),
        ("fortran.npy", npy(1, "'<i2'", true, "(3, 4, 2)", &bytes(false))),
        ("big.npy", npy(2, "'>i2'", true, "(3, 4, 2)", &bytes(true))),
        ("c.npy", npy(3, "'<i2'", false, "(3, 4, 2)", &c_order)),
        ("text.vti", vti("Origin=\"10 20 30\"", "0 2 0 3 0 1", &point_data)),
        ("text.vtk", vtk("ASCII", text().as_bytes())),
        ("binary.vtk", vtk("BINARY", &bytes(true))),
    ]
}
