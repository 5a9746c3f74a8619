//! The isochrones of a distance, and the file that contains them.

use std::path::Path;

use super::MeshSetup;
use crate::config::Distance;
use crate::error::{Error, Result};
use crate::io::vtk::{self, Geometry, VtkOutput};
use crate::levelset::eikonal::{self, Isochrones, MOST_ISOCHRONES};
use crate::output::Report;

impl MeshSetup {
    /// Returns the isochrones of arrival times, `[n_vertices]` in the order of the cleaned mesh, if
    /// the case requests them. The report gets a warning if there are none.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there are more than 10,000 isochrones.
    pub(super) fn isochrones(
        &self,
        distance: &Distance,
        times: &[f64],
        report: &mut Report,
    ) -> Result<Option<Isochrones>> {
        let Some(step) = distance.isochrones else { return Ok(None) };
        let mesh = &self.cleaned.mesh;
        let found = self.cpu.run(|| eikonal::isochrones(mesh, times, step));
        let found = found.map_err(|n| {
            let what =
                format!("the step {step} gives {n:.0} isochrones, more than {MOST_ISOCHRONES}");
            let located = self.config.locate("distance.isochrones");
            located(Error::usage(what, "choose a larger step"))
        })?;
        if found.times.is_empty() {
            let warning = format!(
                "there are no isochrones, because no multiple of the step {step} lies between the \
                 first and the last arrival"
            );
            tracing::warn!("{warning}");
            report.warnings.push(warning);
        }
        Ok(Some(found))
    }

    /// Writes isochrones with the time of each piece. Writes no file if none were requested.
    pub(in crate::run) fn write_isochrones(
        &self,
        file: &Path,
        isochrones: Option<&Isochrones>,
    ) -> Result<()> {
        let Some(Isochrones { vertices, cells, times, arity, .. }) = isochrones else {
            return Ok(());
        };
        let (units, compression) = (&self.cleaned.units, self.config.compression());
        let geometry = match arity {
            2 => Geometry::lines(vertices, cells, compression),
            _ => Geometry::triangles(vertices, cells, compression),
        };
        let output = VtkOutput::new(&geometry)
            .units(units)
            .cell_data("time", 1, &times[..])
            .array_unit("time", self.config.unit_of_result(units));
        vtk::write(file, &output)
    }
}
