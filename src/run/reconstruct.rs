//! The task [reconstruct]: computes a surface from a point cloud and writes it as the only state.

mod part;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::device::{self, Device, Size};
use super::error_norms::interface_errors;
use super::picture::title;
use super::task::{Part, Run, Task};
use super::units;
use crate::Cpu;
use crate::cloud::{LocalProjection, PointCloud};
use crate::config::{CloudSource, Config, DeviceKind, Drawn, Units};
use crate::error::{Error, Result};
use crate::io::vtk::{self, Field, Geometry, VtkOutput};
use crate::io::{CloudOptions, CloudReport, read_cloud_with};
use crate::mesh::Mesh;
use crate::output::{Report, RunFolder, Series, Status, Verdict, numbered};
use crate::reconstruct::{self, Projection, Scan, surface};

/// A case that reconstructs a surface.
pub(super) struct ReconstructTask<'a> {
    pub config: &'a Config,
    pub source: &'a CloudSource,
    pub cpu: Arc<Cpu>,
}

/// The cloud of a case.
struct Read {
    path: PathBuf,
    cloud: PointCloud,
    file: CloudReport,
    /// The origin of the projection, if the case requests one.
    origin: Option<LocalProjection>,
}

impl Task for ReconstructTask<'_> {
    fn report(&self) -> Report {
        Report::new(self.config, self.cpu.threads())
    }

    fn check(&self) -> Result<String, Vec<Error>> {
        self.describe().map_err(|error| vec![error])
    }

    fn run(&self, run: Run<'_>, report: &mut Report) -> Result<()> {
        self.reconstruct(run, report, |_, _| Ok(())).map(drop)
    }

    fn sample(&self, run: Run<'_>, report: &mut Report, seconds: f64) -> Result<Option<Part>> {
        let (mut whole, mut limiting) = (0, 0.0);
        let done = self.reconstruct(run, report, |cloud, device| {
            let timer = Instant::now();
            whole = cloud.len();
            let limited = part::limit(cloud, &self.options(), device, seconds);
            limiting = timer.elapsed().as_secs_f64();
            limited
        })?;
        // The setup time does not include the time that it took to choose the part.
        report.seconds.setup -= limiting;
        let (items, seconds, setup) = ("samples", report.seconds.setup, 0.0);
        let is_output_whole = done == whole;
        Ok(Some(Part { done, whole, items, seconds, setup, is_output_whole }))
    }
}

impl ReconstructTask<'_> {
    /// Reconstructs the surface of the samples that `limit` leaves in the cloud, and writes it.
    /// Returns their number.
    fn reconstruct(
        &self,
        mut run: Run<'_>,
        report: &mut Report,
        limit: impl FnOnce(&mut PointCloud, reconstruct::Device<'_>) -> Result<()> + Send,
    ) -> Result<usize> {
        run.stage.next("reading the cloud")?;
        let Read { path, mut cloud, file, origin } = self.read()?;
        report.warnings.extend(self.other_unit(&path, &file));
        report.seconds.read = run.stage.next("reconstructing the surface")?;
        let device = self.device(&cloud)?;
        let on = match &device.gpu {
            None => reconstruct::Device::Cpu,
            Some(gpu) if self.config.device.kind == DeviceKind::Cuda => {
                reconstruct::Device::Gpu(device::cuda(gpu))
            }
            Some(gpu) => reconstruct::Device::Auto(device::cuda(gpu)),
        };
        self.cpu.run(|| limit(&mut cloud, on)).map_err(|error| error.blaming(&path))?;
        let n = cloud.len();
        let done = self.cpu.run(|| surface(cloud, &self.options(), on));
        let (mesh, found) = done.map_err(|error| error.blaming(&path))?;
        let mut found = Scan::new(file, found);
        found.origin = origin;
        report.backend = if found.report.device.is_some() { "cuda" } else { "cpu" };
        report.backend_reason = device.reason;
        report.seconds.setup = run.stage.next("writing")?;
        for warning in &found.report.warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        report.warnings.extend(found.report.warnings.iter().cloned());
        self.judge(report, &mesh, &found.report);
        report.reconstruction = Some(found);
        let timer = Instant::now();
        run.stage.writes()?;
        run.folder.clear()?;
        self.write(run.folder, &mesh)?;
        report.states = 1;
        report.seconds.output = timer.elapsed().as_secs_f64();
        report.status = Status::Finished;
        report.ended_by = "surface reconstructed".into();
        Ok(n)
    }

    /// Checks the cloud, and returns a description of the task.
    fn describe(&self) -> Result<String> {
        let Read { path, cloud, file, .. } = self.read()?;
        self.other_unit(&path, &file);
        self.options().check(&cloud).map_err(|error| error.blaming(&path))?;
        let device = self.device(&cloud)?;
        let normals = if cloud.normals.is_some() { "with normals" } else { "without normals" };
        let n = cloud.len();
        let left_out = match file.not_finite + file.without_normal {
            0 => String::new(),
            more => format!("; {more} more are not finite or have no normal, and are left out"),
        };
        let mut said = format!("task    reconstruct\ncloud   {n} points {normals}{left_out}\n");
        let name = if device.gpu.is_some() { "cuda" } else { "cpu" };
        said += &format!("device  {name} ({})\n", device.reason);
        Ok(said)
    }

    /// Chooses the device for a point cloud.
    fn device(&self, cloud: &PointCloud) -> Result<Device> {
        Device::choose(self.config, Size::Samples(cloud.len()))
    }

    fn options(&self) -> reconstruct::Options {
        self.config.reconstruct.clone().unwrap_or_default().options()
    }

    /// Reads the point cloud and checks that the options of the case apply to it.
    fn read(&self) -> Result<Read> {
        let path = self.config.resolve(&self.source.path)?;
        let options = CloudOptions::default().selection(self.source.selection.clone());
        let (mut cloud, mut file) = read_cloud_with(&path, &options)?;
        let project = |projection: Projection| projection.apply(&path, &mut cloud, &mut file);
        let origin = self.source.project.map(project).transpose()?;
        reconstruct::check_units(&path, &mut file)?;
        self.config.check_for_cloud(cloud.normals.is_some())?;
        Ok(Read { path, cloud, file, origin })
    }

    /// Warns if the file states another unit of length than the case. Returns the warning.
    fn other_unit(&self, path: &Path, file: &CloudReport) -> Option<String> {
        let mut stated = Units::default();
        stated.length = file.units.clone();
        units::differ(self.config, path, &stated)
    }

    /// Writes the surface as the only state, and its picture if the case requests one.
    fn write(&self, folder: &RunFolder, mesh: &Mesh) -> Result<()> {
        let name = self.config.name();
        let mut series = Series::new(folder.path(), &name, "vtp");
        series.add(0, 0.0, |path| {
            let geometry = Geometry::mesh(mesh, self.config.compression());
            let mut output = VtkOutput::new(&geometry).units(&self.config.units);
            output.point_data = mesh.vertex_data.iter().map(Field::from).collect();
            vtk::write(path, &output)
        })?;
        let Some(picture) = &self.config.output.picture else { return Ok(()) };
        let file = match (&picture.file, picture.every) {
            (Some(file), _) => file.clone(),
            (None, Drawn::Last) => folder.file(&format!("{name}.png")),
            (None, Drawn::State) => folder.file(&numbered(&name, 0, "png")),
        };
        let length = self.config.units.of_length();
        crate::picture::surface(mesh, &title(self.config), &picture.options(length))?
            .write_png(&file)
    }

    fn judge(&self, report: &mut Report, mesh: &Mesh, found: &reconstruct::Report) {
        let expect = &self.config.expect;
        let exact = expect.exact.as_ref();
        let errors = exact.and_then(|exact| interface_errors(&mesh.vertices, exact));
        report.expect = Verdict::of(&expect.bounds(), |name| match name {
            "components" => Some(found.surface.components as f64),
            "euler_number" => Some(found.surface.euler_number as f64),
            "holes" => Some(found.surface.holes.len() as f64),
            "sample_distance_mean" => Some(found.error.mean_percent),
            "sample_distance_max" => Some(found.error.max_percent),
            "interface_error_mean" => errors.map(|(mean, _)| mean),
            "interface_error_max" => errors.map(|(_, max)| max),
            _ => None,
        });
    }
}
