//! Reads point files for the subcommands that work on points.

use std::path::Path;
use std::sync::Arc;

use super::Ui;
use crate::cloud::{NumberType, PointCloud, key};
use crate::error::{Error, Result, shown};
use crate::expression::{Expression, Field, is_true};
use crate::io::vtk::NO_CELLS;
use crate::io::{self, Attributes, CloudOptions, Content, MeshFile, VolumeOptions};
use crate::mesh::{DataArray, Values, component};
use crate::words::suggest;

/// Points with data arrays.
pub struct Cloud {
    /// Coordinates, `[n_points, 3]`.
    pub points: Vec<[f64; 3]>,
    /// Arrays with a row per point.
    arrays: Vec<DataArray>,
    /// The names of all attributes of a scan, for messages. Only requested ones are read.
    unread: Vec<String>,
    /// Unit of length, if it is known.
    pub units: Option<String>,
}

/// Reads points from a file, with the arrays that the expression needs.
///
/// Only scans (LAS, LAZ, E57, PTX, PCD) have arrays that are read on request. See [`read`].
///
/// # Errors
/// Returns the errors of [`read`].
pub fn read_for(path: &Path, expression: &Expression, ui: &Ui) -> Result<Cloud> {
    if !io::is_scan(path)? {
        return read(path, ui);
    }
    let names = expression.names().into_iter().map(str::to_string).collect();
    let options = CloudOptions::default().attributes(Attributes::Named(names));
    let (cloud, report) = io::read_cloud_with(path, &options)?;
    ui.warn_of(path, &report.warnings);
    let arrays = arrays(&cloud);
    let unread = report.attributes;
    Ok(Cloud { points: cloud.points, arrays, unread, units: report.units })
}

/// Returns the normals, colors and attributes of a cloud as arrays.
fn arrays(cloud: &PointCloud) -> Vec<DataArray> {
    let mut arrays = Vec::new();
    let mut add = |name: &str, values| {
        arrays.push(DataArray { name: name.into(), components: 1, values });
    };
    for (k, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
        if let Some(normals) = &cloud.normals {
            add(name, Values::Float(normals.iter().map(|n| n[k].into()).collect()));
        }
    }
    for (k, name) in ["red", "green", "blue"].into_iter().enumerate() {
        if let Some(colors) = &cloud.colors {
            add(name, Values::Int(colors.iter().map(|c| c[k].into()).collect()));
        }
    }
    for attribute in &cloud.attributes {
        let numbers = &attribute.numbers;
        let values = (0..numbers.len()).map(|i| numbers.get(i));
        let values = match numbers.kind() {
            NumberType::F32 | NumberType::F64 => Values::Float(values.collect()),
            _ => Values::Int(values.map(|x| x as i64).collect()),
        };
        add(&attribute.name, values);
    }
    arrays
}

/// Reads points from a file.
///
/// The points are the vertices of a mesh, columns of text, or the first three columns of a `.npy`
/// array. In a text file, they are the columns named x, y and z, or else the first three columns.
///
/// # Errors
/// Returns [`Error::Input`] if the file cannot be read, holds a volume, has fewer than three
/// columns, or has a coordinate that is not finite.
pub fn read(path: &Path, ui: &Ui) -> Result<Cloud> {
    match io::read(path, &VolumeOptions::default())? {
        Content::Mesh(file) => Ok(of_mesh(path, file, ui)),
        Content::Data(data) => of_columns(path, data.arrays),
        Content::Volume(file) => match io::points_of_array(path, &file)? {
            Some(file) => Ok(of_mesh(path, file, ui)),
            None => {
                let remedy = "give columns of text with x, y and z, a mesh or point cloud, or an \
                              array [n, 3] of .npy";
                Err(Error::input(path, "", "is a volume, expected points", remedy))
            }
        },
    }
}

fn of_mesh(path: &Path, file: MeshFile, ui: &Ui) -> Cloud {
    // These commands need no cells, so the warning that the file has none is dropped.
    ui.warn_of(path, file.warnings.iter().filter(|warning| !warning.ends_with(NO_CELLS)));
    Cloud {
        points: file.mesh.vertices,
        arrays: file.mesh.vertex_data,
        unread: Vec::new(),
        units: file.units,
    }
}

fn of_columns(path: &Path, arrays: Vec<DataArray>) -> Result<Cloud> {
    let named = ["x", "y", "z"]
        .map(|name| arrays.iter().position(|array| array.name.eq_ignore_ascii_case(name)));
    let axes = match named {
        [Some(x), Some(y), Some(z)] => [x, y, z],
        _ if arrays.len() >= 3 => [0, 1, 2],
        _ => {
            let what = format!("has {} columns, expected x, y and z", arrays.len());
            return Err(Error::input(path, "", what, "give three numbers in each row"));
        }
    };
    let columns = axes.map(|k| arrays[k].values.to_f64());
    let [x, y, z] = &columns;
    let points: Vec<[f64; 3]> = x.iter().zip(y).zip(z).map(|((&x, &y), &z)| [x, y, z]).collect();
    if let Some(n) = points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        let what = format!("coordinates {:?}, expected finite numbers", points[n]);
        return Err(Error::input(path, format!("point {n}"), what, "correct or remove the row"));
    }
    let others = arrays.into_iter().enumerate().filter(|(k, _)| !axes.contains(k));
    let arrays = others.map(|(_, array)| array).collect();
    Ok(Cloud { points, arrays, unread: Vec::new(), units: None })
}

impl Cloud {
    /// Returns the indices of the points for which an expression in coordinates and arrays is true.
    ///
    /// The result is never empty.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the expression depends on time, names a missing array, or is true
    /// for no point.
    pub fn select(&self, expression: &Expression, path: &Path) -> Result<Vec<usize>> {
        if expression.uses_time() {
            let what = "--where must not depend on the time t";
            return Err(Error::usage(what, "for an array called t write {t}"));
        }
        let rows = |name: &str| -> Result<Arc<[f64]>> {
            let single = self.arrays.iter().filter(|array| array.components == 1);
            let spelled = || single.clone().find(|array| key(&array.name) == key(name));
            let found = component(&self.arrays, name).or_else(|| Some((spelled()?, 0)));
            match found.filter(|(array, _)| array.components == 1 || array.name != name) {
                Some((array, component)) => {
                    let values = array.values.to_f64().into_iter().skip(component);
                    Ok(values.step_by(array.components).collect())
                }
                None => {
                    let names = single.map(|array| array.name.as_str());
                    let unread = self.unread.iter().map(String::as_str);
                    let names: Vec<&str> = names.chain(unread).collect();
                    let what = format!("there is no array \"{name}\" of single numbers");
                    let remedy = match names.as_slice() {
                        [] => "the points have no arrays, use x, y and z".into(),
                        names => suggest(name, names).replace("allowed:", "there are:"),
                    };
                    Err(Error::usage(what, remedy))
                }
            }
        };
        let values = Field::bind(expression, rows)?.values(&self.points, 0.0);
        let fulfills = |n: &usize| is_true(values[*n]);
        let selected: Vec<usize> = (0..values.len()).filter(fulfills).collect();
        if selected.is_empty() {
            let n = self.points.len();
            let what = format!(
                "--where {expression}: none of the {n} points of {} satisfies it",
                shown(path)
            );
            let remedy = "see `zeroset info` for the ranges of coordinates and arrays";
            return Err(Error::usage(what, remedy));
        }
        Ok(selected)
    }

    /// Returns the normals from the arrays nx, ny and nz.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if one of the arrays is missing.
    pub fn normals(&self, path: &Path) -> Result<Vec<[f64; 3]>> {
        let column = |name: &str| {
            let array = self.arrays.iter().find(|a| a.name == name && a.components == 1);
            array.map(|array| array.values.to_f64()).ok_or_else(|| {
                let what =
                    format!("there is no array {name}, `--direction normals` needs nx, ny and nz");
                Error::input(path, "", what, "add the columns, or give one direction X,Y,Z")
            })
        };
        let (x, y, z) = (column("nx")?, column("ny")?, column("nz")?);
        Ok(x.into_iter().zip(y).zip(z).map(|((x, y), z)| [x, y, z]).collect())
    }
}

/// Converts points to integer coordinates.
///
/// # Errors
/// Returns [`Error::Input`] if a coordinate is not a 32-bit integer.
pub fn whole(points: &[[f64; 3]], path: &Path) -> Result<Vec<[i32; 3]>> {
    let fits = |x: f64| x.fract() == 0.0 && x.abs() <= f64::from(i32::MAX);
    match points.iter().position(|p| !p.iter().all(|&x| fits(x))) {
        Some(n) => {
            let what = format!("coordinates {:?}, expected 32-bit integers", points[n]);
            Err(Error::input(path, format!("point {n}"), what, "leave out --lattice"))
        }
        None => Ok(points.iter().map(|p| p.map(|x| x as i32)).collect()),
    }
}
