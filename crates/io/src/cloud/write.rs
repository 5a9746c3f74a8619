//! Writer of point clouds: `.ply`, `.pcd`, `.xyz`, `.txt`, `.csv`, `.vtp`.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use crate::vtk::{self, Compression, Geometry, VtkOutput};
use crate::{atomic, write};
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::Result;

/// The number of points per task.
const TASK: usize = 1 << 14;
/// The number of tasks whose output is held in memory at a time.
const TASKS: usize = 64;

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
    let remedy = "end the name in .ply, .pcd, .xyz, .txt, .csv or .vtp";
    write::ending(path, &["ply", "pcd", "xyz", "txt", "csv", "vtp"], "clouds", remedy)
}

/// Writes a cloud in the format that the extension of `path` selects. The file is written
/// atomically.
///
/// Coordinates keep all their digits. Normals have 32 bits and colors 8 bits per component. `.ply`
/// and `.pcd` are binary. `.xyz` and `.txt` have the columns x y z, nx ny nz, r g b without names,
/// and `.csv` has the same columns with names. `compression` applies to `.vtp`.
///
/// # Errors
/// Returns the errors of [`check_cloud_target`], [`Error::Case`](zeroset_core::Error::Case) if the
/// arrays differ in length, and [`Error::Output`](zeroset_core::Error::Output) if the file cannot
/// be written.
pub fn write_cloud(path: &Path, cloud: &PointCloud, compression: Compression) -> Result<()> {
    let ending = ending(path)?;
    cloud.check()?;
    if ending == "vtp" {
        return write_vtp(path, cloud, compression);
    }
    write_in_order(path, ending, CloudLayout::of(cloud), |out, encoding| encoding.write(out, cloud))
}

/// Writes a cloud like [`write_cloud`] from pieces. Only one piece is in memory at a time, except
/// for `.vtp`, which needs all of them.
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
) -> Result<()> {
    let ending = ending(path)?;
    if ending == "vtp" {
        let mut all = PointCloud {
            points: Vec::new(),
            normals: layout.normals.then(Vec::new),
            colors: layout.colors.then(Vec::new),
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
    write_in_order(path, ending, layout, |out, encoding| {
        let mut n = 0;
        pieces.try_for_each(|piece| {
            let found = CloudLayout::of(&piece);
            assert_eq!((found.normals, found.colors), (layout.normals, layout.colors));
            n += found.n;
            encoding.write(out, &piece)
        })?;
        assert_eq!(n, layout.n, "the pieces differ from the layout");
        Ok(())
    })
}

/// Writes the header of the file, and then the points by calling `body`.
fn write_in_order(
    path: &Path,
    ending: &str,
    layout: CloudLayout,
    body: impl FnOnce(&mut dyn Write, Encoding) -> std::io::Result<()>,
) -> Result<()> {
    let (head, encoding) = match ending {
        "ply" => (ply_head(layout), Encoding::Binary),
        "pcd" => (pcd_head(layout), Encoding::Packed),
        "csv" => (csv_head(layout), Encoding::Text(b',')),
        _ => (String::new(), Encoding::Text(b' ')),
    };
    atomic::write(path, |out| {
        out.write_all(head.as_bytes())?;
        body(out, encoding)
    })
}

/// The encoding of a point.
#[derive(Clone, Copy)]
enum Encoding {
    /// Coordinates with 64 bits, normals with 32 bits and colors with 8 bits.
    Binary,
    /// Like `Binary`, but with a color packed into one 32-bit number.
    Packed,
    /// Numbers as text with this separator.
    Text(u8),
}

impl Encoding {
    fn write(self, out: &mut dyn Write, cloud: &PointCloud) -> std::io::Result<()> {
        for begin in (0..cloud.len()).step_by(TASK * TASKS) {
            let end = (begin + TASK * TASKS).min(cloud.len());
            let tasks = (begin..end).into_par_iter().step_by(TASK);
            let texts: Vec<Vec<u8>> =
                tasks.map(|task| self.encode(cloud, task..(task + TASK).min(end))).collect();
            texts.iter().try_for_each(|text| out.write_all(text))?;
        }
        Ok(())
    }

    fn encode(self, cloud: &PointCloud, range: std::ops::Range<usize>) -> Vec<u8> {
        let mut out = Vec::with_capacity(range.len() * 48);
        for i in range {
            let (x, normal) = (cloud.points[i], cloud.normals.as_ref().map(|n| n[i]));
            let color = cloud.colors.as_ref().map(|c| c[i]);
            if let Encoding::Text(separator) = self {
                let mut words = x.map(|x| x.to_string()).to_vec();
                words.extend(normal.into_iter().flatten().map(|x| x.to_string()));
                words.extend(color.into_iter().flatten().map(|c| c.to_string()));
                for (k, word) in words.iter().enumerate() {
                    if k > 0 {
                        out.push(separator);
                    }
                    out.extend(word.as_bytes());
                }
                out.push(b'\n');
                continue;
            }
            x.iter().for_each(|x| out.extend(x.to_le_bytes()));
            normal.into_iter().flatten().for_each(|x| out.extend(x.to_le_bytes()));
            match (self, color) {
                (Encoding::Packed, Some([r, g, b])) => out.extend([b, g, r, 0]),
                (_, color) => out.extend(color.into_iter().flatten()),
            }
        }
        out
    }
}

fn ply_head(layout: CloudLayout) -> String {
    let mut head = format!(
        "ply\nformat binary_little_endian 1.0\ncomment written by zeroset\nelement vertex {}\n",
        layout.n
    );
    let mut add = |kind: &str, names: [&str; 3]| {
        names.iter().for_each(|name| head += &format!("property {kind} {name}\n"));
    };
    add("double", ["x", "y", "z"]);
    if layout.normals {
        add("float", ["nx", "ny", "nz"]);
    }
    if layout.colors {
        add("uchar", ["red", "green", "blue"]);
    }
    head + "end_header\n"
}

fn pcd_head(layout: CloudLayout) -> String {
    let n = layout.n;
    let with = |normals, colors| {
        let normals = if layout.normals { normals } else { "" };
        format!("{normals}{}", if layout.colors { colors } else { "" })
    };
    format!(
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z{}\nSIZE 8 8 8{}\n\
         TYPE F F F{}\nCOUNT 1 1 1{}\nWIDTH {n}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\n\
         DATA binary\n",
        with(" normal_x normal_y normal_z", " rgb"),
        with(" 4 4 4", " 4"),
        with(" F F F", " U"),
        with(" 1 1 1", " 1"),
    )
}

fn csv_head(layout: CloudLayout) -> String {
    let normals = if layout.normals { ",nx,ny,nz" } else { "" };
    format!("x,y,z{normals}{}\n", if layout.colors { ",red,green,blue" } else { "" })
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
    vtk::write(path, &output)
}
