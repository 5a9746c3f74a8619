//! One of the two files that are compared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::findings::Source;
use super::pairs::pair_times;
use super::{Tolerance, contents};
use crate::cloud::PointCloud;
use crate::error::{Error, Result, shown};
use crate::io::vtk::NO_CELLS;
use crate::io::{self, CloudReport, Content, MeshFile, Series, Uncut, VolumeOptions};
use crate::mesh::{DataArray, Kind, Mesh, Values};

/// A file, opened.
pub(super) struct Subject {
    path: PathBuf,
    held: Held,
}

enum Held {
    /// Several states, which are read one by one.
    Series(Series),
    Single(Box<Content>),
}

impl Subject {
    /// Opens a series, or reads any other file.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the file cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self> {
        if path.is_dir() {
            let what = format!("{} is a folder, and the other is a file", path.display());
            return Err(Error::usage(what, "name two files or two folders of runs"));
        }
        let path = path.to_path_buf();
        if io::may_be_series(&path)
            && let Some(series) = Series::open(&path)?
        {
            return Ok(Subject { path, held: Held::Series(series) });
        }
        let held = Held::Single(Box::new(read(&path)?));
        Ok(Subject { path, held })
    }

    /// Compares this file (A) with another one (B). States of two series are paired by their times.
    ///
    /// # Errors
    /// Returns the errors of the readers and of [`contents::compare`].
    pub(super) fn compare(
        &self,
        other: &Subject,
        name: &str,
        tolerance: Tolerance,
        warnings: &mut Vec<String>,
    ) -> Result<Source> {
        let mut all = Source::named(name);
        let (a, b) = match (&self.held, &other.held) {
            (Held::Series(a), Held::Series(b)) => (a, b),
            _ => {
                let a = self.only(warnings)?;
                let b = other.only(warnings)?;
                let found = contents::compare(&a, &b, tolerance)?;
                return Ok(Source { name: name.into(), ..found });
            }
        };
        let times = pair_times(a.times(), b.times());
        times.note(["state", "states"], &mut all);
        all.states = Some(0);
        for &[i, j] in &times.pairs {
            let own = a.read(i, &VolumeOptions::default())?;
            self.note(&own, warnings);
            let against = b.read(j, &VolumeOptions::default())?;
            other.note(&against, warnings);
            all.add(contents::compare(&own, &against, tolerance)?, a.times()[i]);
        }
        Ok(all)
    }

    /// Returns the content of a single file, or the last state of a series.
    fn only(&self, warnings: &mut Vec<String>) -> Result<Cow<'_, Content>> {
        let content = match &self.held {
            Held::Single(content) => Cow::Borrowed(&**content),
            Held::Series(_) => Cow::Owned(io::read(&self.path, &VolumeOptions::default())?),
        };
        self.note(&content, warnings);
        Ok(content)
    }

    /// Adds the warnings of the reader, each once.
    fn note(&self, content: &Content, warnings: &mut Vec<String>) {
        let found = match content {
            Content::Mesh(file) => &file.warnings,
            Content::Volume(file) => &file.warnings,
            Content::Data(data) => &data.warnings,
        };
        // A comparison needs no cells.
        for warning in found.iter().filter(|warning| !warning.ends_with(NO_CELLS)) {
            let warning = format!("{}: {warning}", shown(&self.path));
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
}

/// Reads a file. A point cloud may hold points that a mesh may not.
fn read(path: &Path) -> Result<Content> {
    match io::read_with_cloud(path, &VolumeOptions::default()) {
        (Err(Error::Input { .. }), Some((cloud, report))) if report.not_finite > 0 => {
            Ok(Content::Mesh(points(cloud, report)))
        }
        (content, _) => content,
    }
}

/// Returns a point cloud as a mesh without cells, with normals and colors as arrays.
fn points(cloud: PointCloud, report: CloudReport) -> MeshFile {
    let mut mesh = Mesh::new(Kind::Surface, cloud.points, Vec::new());
    let array = |name: &str, values| DataArray { name: name.into(), components: 3, values };
    let normals =
        cloud.normals.map(|normals| normals.as_flattened().iter().map(|&x| f64::from(x)).collect());
    let colors =
        cloud.colors.map(|colors| colors.as_flattened().iter().map(|&x| i64::from(x)).collect());
    mesh.vertex_data.extend(normals.map(|values| array("normals", Values::Float(values))));
    mesh.vertex_data.extend(colors.map(|values| array("colors", Values::Int(values))));
    let CloudReport { format, version, units, warnings, .. } = report;
    MeshFile {
        mesh,
        format,
        version,
        units,
        space: None,
        cells_by_type: BTreeMap::new(),
        warnings,
        uncut: Uncut::default(),
        about: Box::default(),
    }
}
