//! The misfit of distances to observations, and its gradient.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::distance::Sensitivity;
use super::distance_to_file::beside;
use super::mesh_setup::MeshSetup;
use crate::atomic;
use crate::config::Distance;
use crate::error::{Error, Result};
use crate::io;
use crate::output::MisfitFound;

/// The file with observed distances, and the file for the gradient of the misfit.
pub(super) struct Observed {
    pub file: PathBuf,
    pub gradient: PathBuf,
    is_named: bool,
}

impl Observed {
    /// Takes the names of the files. By default, the gradient is written next to `output`.
    pub fn new(file: &Path, gradient: Option<&Path>, output: &Path) -> Self {
        Observed {
            file: file.to_path_buf(),
            gradient: gradient.map_or_else(|| beside(output, "_misfit.json"), Path::to_path_buf),
            is_named: gradient.is_some(),
        }
    }

    /// Returns the file for the gradient if the user has not named it.
    pub fn unnamed(&self) -> Option<&Path> {
        (!self.is_named).then_some(&self.gradient)
    }

    /// Reads the observations: the columns `vertex` and `time`, and perhaps the standard deviation
    /// `sigma`, which is 1 by default.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the file cannot be read, a column is missing, or a number is not
    /// valid.
    pub fn read(self) -> Result<Observations> {
        let data = io::read_data(&self.file)?;
        let wrong = |what: String, remedy: &str| Error::input(&self.file, "", what, remedy);
        let column = |name: &str| {
            let found = data.arrays.iter().find(|array| array.name == name);
            found.map(|array| array.values.to_f64())
        };
        let needs = "give the columns vertex and time, and perhaps sigma, with their names in the \
                     first row";
        let needed = |name: &str| {
            column(name).ok_or_else(|| wrong(format!("there is no column \"{name}\""), needs))
        };
        let (vertices, times) = (needed("vertex")?, needed("time")?);
        let sigmas = column("sigma").unwrap_or_else(|| vec![1.0; times.len()]);
        let mut rows = Vec::with_capacity(times.len());
        for (k, ((vertex, time), sigma)) in vertices.into_iter().zip(times).zip(sigmas).enumerate()
        {
            let is_index = vertex >= 0.0 && vertex.fract() == 0.0 && vertex <= f64::from(u32::MAX);
            if !(is_index && time.is_finite() && sigma > 0.0 && sigma.is_finite()) {
                let what = format!("row {k} has vertex {vertex}, time {time} and sigma {sigma}");
                return Err(wrong(what, "give a vertex number, a time, and a positive sigma"));
            }
            rows.push((vertex as usize, time, sigma));
        }
        Ok(Observations { observed: self, rows })
    }
}

/// Observed distances: vertices of the file, values and standard deviations.
pub(super) struct Observations {
    observed: Observed,
    rows: Vec<(usize, f64, f64)>,
}

impl Observations {
    /// Returns the misfit J = sum of ((u - time) / sigma)^2 / 2 and its gradient for distances `u`,
    /// `[n_vertices]` in the order of the cleaned mesh.
    ///
    /// # Errors
    /// Returns [`Error::Input`] for a vertex that does not exist, that no front reaches or that is
    /// beyond the width, and for a misfit that is not finite. Returns the errors of
    /// [`MeshSetup::sensitivity`].
    pub fn misfit(self, setup: &MeshSetup, distance: &Distance, u: &[f64]) -> Result<Misfit> {
        let Observations { observed, rows } = self;
        let values = setup.cleaned.as_stored(u, f64::NAN);
        let mut weights = vec![0.0; values.len()];
        let mut value = 0.0;
        let is_signed = distance.signed == Some(true);
        for (k, &(vertex, time, sigma)) in rows.iter().enumerate() {
            let wrong = |what: String, remedy: String| {
                Error::input(&observed.file, "", format!("row {k}: {what}"), remedy)
            };
            let Some(&u) = values.get(vertex) else {
                let remedy = format!("vertices are numbered 0 to {}", values.len() - 1);
                return Err(wrong(format!("there is no vertex {vertex}"), remedy));
            };
            if u.is_nan() {
                let remedy = "remove the row, add a source in its component, or widen the mask";
                return Err(wrong(format!("no front reaches vertex {vertex}"), remedy.into()));
            }
            // Vertices beyond the width have this value, or its negative inside of a surface.
            if distance.width.is_some_and(|width| u >= width || is_signed && u <= -width) {
                let what = format!("vertex {vertex} is not closer than the width");
                return Err(wrong(what, "remove the row, or increase the width".into()));
            }
            let off = (u - time) / sigma;
            value += 0.5 * off * off;
            weights[vertex] += off / sigma;
            if !(value.is_finite() && weights[vertex].is_finite()) {
                let what = format!("({u} - {time}) / {sigma} is too large to be squared");
                return Err(wrong(what, "give sigma in the unit of the times".into()));
            }
        }
        let gradient = setup.sensitivity(distance, &values, &weights)?;
        let found = MisfitFound { value, observations: rows.len(), kinks: gradient.kinks.len() };
        Ok(Misfit { found, gradient, observed })
    }
}

/// A misfit and its gradient.
pub(super) struct Misfit {
    pub found: MisfitFound,
    gradient: Sensitivity,
    observed: Observed,
}

/// The contents of the file.
#[derive(Serialize)]
struct Contents<'a> {
    misfit: f64,
    observations: usize,
    gradient: &'a Sensitivity,
}

impl Misfit {
    /// Writes the gradient.
    ///
    /// # Errors
    /// Returns the errors of [`atomic::write`], and [`Error::Output`] if the file exists with other
    /// contents and the user has not named it.
    pub fn write(&self) -> Result<()> {
        let (misfit, observations) = (self.found.value, self.found.observations);
        let contents = Contents { misfit, observations, gradient: &self.gradient };
        let write = || {
            atomic::write(&self.observed.gradient, |out| {
                serde_json::to_writer(&mut *out, &contents)?;
                out.write_all(b"\n")
            })
        };
        match self.observed.is_named {
            true => write(),
            false => atomic::companions(write),
        }
    }
}
