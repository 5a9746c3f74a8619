//! Writer of point clouds: `.ply`, `.pcd`, `.xyz`, `.txt`, `.csv`, `.vtp` and `.las`.

mod encode;
mod head;
mod las;

use std::io::Write;
use std::path::Path;

use encode::{Encoding, Format};
use head::names;

use crate::vtk::{self, Compression, FieldValues, Geometry, VtkOutput};
use crate::{WriteOptions, atomic, write};
use zeroset_core::cloud::{Attribute, Numbers, PointCloud};
use zeroset_core::error::{Error, Result};

/// The layout of a cloud that is written piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloudLayout {
    /// The number of points of all pieces together.
    pub n: u64,
    /// Whether each piece has normals.
    pub normals: bool,
    /// Whether each piece has colors.
    pub colors: bool,
}

impl CloudLayout {
    /// Returns the layout of a whole cloud.
    pub fn of(cloud: &PointCloud) -> Self {
        let (normals, colors) = (cloud.normals.is_some(), cloud.colors.is_some());
        CloudLayout { n: cloud.len() as u64, normals, colors }
    }
}

/// Checks that [`write_cloud`] supports the extension of `path`.
///
/// # Errors
/// Returns [`Error::Case`](zeroset_core::Error::Case) if the extension is not supported.
pub fn check_cloud_target(path: &Path) -> Result<()> {
    ending(path).map(drop)
}

fn ending(path: &Path) -> Result<&'static str> {
    let remedy = "end the name in .ply, .pcd, .las, .xyz, .txt, .csv or .vtp";
    write::ending(path, &ENDINGS, "clouds", remedy)
}

/// The extensions of the files that [`write_cloud`] writes.
const ENDINGS: [&str; 7] = ["ply", "pcd", "las", "xyz", "txt", "csv", "vtp"];

/// Returns true if [`write_cloud`] supports the extension of `path`.
pub fn is_cloud_target(path: &Path) -> bool {
    ending(path).is_ok()
}

/// Writes a cloud in the format that the extension of `path` selects. The file is written
/// atomically.
///
/// Coordinates keep all their digits, except in `.las`. Normals have 32 bits and colors 8 bits per
/// component. `.ply` and `.pcd` are binary. `.xyz` and `.txt` have the columns x y z, nx ny nz, r g
/// b, and those of the attributes. A comment with the names comes first if there are attributes.
/// `.csv` has the same columns with names. `compression` applies to `.vtp`. Returns a warning for
/// everything that the format cannot hold.
///
/// # Errors
/// Returns the errors of [`check_cloud_target`], [`Error::Case`](zeroset_core::Error::Case) if the
/// arrays differ in length, and [`Error::Output`](zeroset_core::Error::Output) if the file cannot
/// be written.
pub fn write_cloud(
    path: &Path,
    cloud: &PointCloud,
    compression: Compression,
) -> Result<Vec<String>> {
    write_cloud_with(path, cloud, &WriteOptions::default().compression(compression))
}

/// Writes a cloud like [`write_cloud`], optionally as text.
///
/// # Errors
/// Returns the errors of [`write_cloud`], and [`Error::Case`](zeroset_core::Error::Case) if the
/// options request text and the format is binary, or if the coordinates do not fit into `.las`.
pub fn write_cloud_with(
    path: &Path,
    cloud: &PointCloud,
    options: &WriteOptions,
) -> Result<Vec<String>> {
    let ending = ending(path)?;
    if options.ascii && ending != "ply" {
        let what = format!("{}: --ascii is for .ply", path.display());
        return Err(Error::usage(what, "leave it out"));
    }
    cloud.check()?;
    match ending {
        "vtp" => write_vtp(path, cloud, options.compression)?,
        "las" => return las::write(path, cloud),
        _ => {
            let (layout, attributes) = (CloudLayout::of(cloud), &cloud.attributes);
            let format = Format::of(ending, options.ascii);
            write_in_order(path, format, layout, attributes, |out, encoding| {
                encoding.write(out, cloud)
            })?;
        }
    }
    Ok(Vec::new())
}

/// Writes a cloud like [`write_cloud`] from pieces without attributes. Only one piece is in memory
/// at a time, except for `.vtp` and `.las`, which need all pieces at once.
///
/// # Errors
/// Returns the errors of [`write_cloud`].
///
/// # Panics
/// Panics if the pieces differ from `layout`.
pub fn write_cloud_pieces(
    path: &Path,
    layout: CloudLayout,
    mut pieces: impl Iterator<Item = PointCloud>,
    compression: Compression,
) -> Result<Vec<String>> {
    let ending = ending(path)?;
    if matches!(ending, "vtp" | "las") {
        let mut all = PointCloud {
            normals: layout.normals.then(Vec::new),
            colors: layout.colors.then(Vec::new),
            ..PointCloud::default()
        };
        for mut piece in pieces {
            all.points.append(&mut piece.points);
            if let (Some(all), Some(piece)) = (&mut all.normals, &mut piece.normals) {
                all.append(piece);
            }
            if let (Some(all), Some(piece)) = (&mut all.colors, &mut piece.colors) {
                all.append(piece);
            }
        }
        assert_eq!(CloudLayout::of(&all), layout, "the pieces differ from the layout");
        return write_cloud(path, &all, compression);
    }
    write_in_order(path, Format::of(ending, false), layout, &[], |out, encoding| {
        let mut n = 0;
        pieces.try_for_each(|piece| {
            let found = CloudLayout::of(&piece);
            assert_eq!((found.normals, found.colors), (layout.normals, layout.colors));
            n += found.n;
            encoding.write(out, &piece)
        })?;
        assert_eq!(n, layout.n, "the pieces differ from the layout");
        Ok(())
    })?;
    Ok(Vec::new())
}

/// Writes the header of the file, and then the points by calling `body`.
fn write_in_order(
    path: &Path,
    format: Format,
    layout: CloudLayout,
    attributes: &[Attribute],
    body: impl FnOnce(&mut dyn Write, Encoding) -> std::io::Result<()>,
) -> Result<()> {
    let (head, encoding) = format.head(layout, attributes);
    atomic::write(path, |out| {
        out.write_all(head.as_bytes())?;
        body(out, encoding)
    })
}

fn write_vtp(path: &Path, cloud: &PointCloud, compression: Compression) -> Result<()> {
    let numbers: Vec<u32> = (0..cloud.len() as u32).collect();
    let geometry = Geometry::vertices(&cloud.points, &numbers, compression);
    let normals = cloud.normals.as_ref().map(|n| n.as_flattened().to_vec());
    let colors = cloud.colors.as_ref().map(|c| c.as_flattened().to_vec());
    let mut output = VtkOutput::new(&geometry);
    if let Some(normals) = &normals {
        output = output.point_data("Normals", 3, normals);
    }
    if let Some(colors) = &colors {
        output = output.point_data("RGB", 3, colors);
    }
    let names = names(&cloud.attributes);
    let wider: Vec<Option<Vec<i32>>> = cloud.attributes.iter().map(|a| wider(&a.numbers)).collect();
    for ((name, attribute), wider) in names.iter().zip(&cloud.attributes).zip(&wider) {
        let values = match (&attribute.numbers, wider) {
            (_, Some(wider)) => FieldValues::I32(wider),
            (Numbers::U8(v), _) => FieldValues::U8(v),
            (Numbers::I32(v), _) => FieldValues::I32(v),
            (Numbers::U32(v), _) => FieldValues::U32(v),
            (Numbers::F32(v), _) => FieldValues::F32(v),
            (Numbers::F64(v), _) => FieldValues::F64(v),
            (Numbers::I16(_) | Numbers::U16(_), None) => continue,
        };
        output = output.point_data(name, 1, values);
    }
    vtk::write(path, &output)
}

/// Returns 16-bit integers as 32-bit integers, and `None` for other numbers.
fn wider(numbers: &Numbers) -> Option<Vec<i32>> {
    match numbers {
        Numbers::I16(v) => Some(v.iter().map(|&x| x.into()).collect()),
        Numbers::U16(v) => Some(v.iter().map(|&x| x.into()).collect()),
        _ => None,
    }
}
