//! Writing the states of a run on tiles: a series of interfaces, other files of the states, and
//! pictures.

use crate::config::{Config, Drawn, Picture, Units};
use crate::error::Result;
use crate::io;
use crate::io::vtk::{self, Compression, Geometry, VtkOutput};
use crate::levelset::eikonal::cuda::Gpu;
use crate::mesh::{Mesh, Values};
use crate::output::{RunFolder, Series, numbered, remove};
use crate::picture::{Lines, Options, Subject};
use crate::run::motion::State;
use crate::run::picture::{Painter, note, title};
use crate::run::states::write_surface;
use crate::run::writer::{Files, Times};
use crate::volume::Volume;

/// The data of a state, for its files.
pub(in crate::run) struct TiledState {
    pub step: u64,
    pub time: f64,
    /// The interface. Its vertex arrays are the components of its normals.
    pub surface: Mesh,
    /// phi as a dense volume, if requested.
    pub volume: Option<Volume>,
}

/// Writer of the states of one run.
pub(super) struct States<'a> {
    config: &'a Config,
    units: &'a Units,
    folder: &'a RunFolder,
    surfaces: Series,
    volumes: Option<Series>,
    /// Step and time of each state.
    written: Times,
    pictures: Option<Pictures<'a>>,
}

impl<'a> States<'a> {
    /// Creates the writer. `gpu` is the GPU of the run, if it has one.
    pub(super) fn new(
        config: &'a Config,
        units: &'a Units,
        folder: &'a RunFolder,
        gpu: Option<&Gpu>,
    ) -> Self {
        States {
            config,
            units,
            folder,
            surfaces: Series::new(folder.path(), &config.name(), "vtp"),
            volumes: config
                .output
                .volume
                .as_ref()
                .map(|_| Series::new(folder.path(), &format!("{}_volume", config.name()), "vti")),
            written: Vec::new(),
            pictures: Pictures::new(config, units, gpu),
        }
    }
}

impl Files for States<'_> {
    fn write(&mut self, state: &State) -> Result<()> {
        let TiledState { step, time, ref surface, ref volume } = *state.of_tiles()?;
        let compression = self.config.compression();
        self.surfaces
            .add(step, time, |path| write_vtp(path, surface, (time, self.units), compression))?;
        if let (Some(series), Some(volume)) = (&mut self.volumes, volume) {
            let options = io::WriteOptions::default()
                .compression(compression)
                .time(Some(time))
                .units(self.units.clone());
            series.add(step, time, |path| io::write_volume(path, volume, &options).map(drop))?;
        }
        for file in &self.config.output.interface_files {
            let name = numbered("interface", step, file.ending());
            write_surface(&self.folder.file(&name), surface)?;
        }
        if let Some(pictures) = &mut self.pictures
            && pictures.picture.every == Drawn::State
        {
            let file = self.folder.file(&numbered(&self.config.name(), step, "png"));
            pictures.draw(surface, step, time, &file)?;
        }
        self.written.push((step, time));
        Ok(())
    }

    fn written(&self) -> &[(u64, f64)] {
        &self.written
    }

    fn resume(&mut self, written: Times, step: u64, due: bool) -> Result<()> {
        self.surfaces.resume(&written)?;
        if let Some(volumes) = &mut self.volumes {
            volumes.resume(&written)?;
        }
        let kept = written.last().is_some_and(|&(last, _)| last == step);
        self.written = written;
        if due || kept {
            return Ok(());
        }
        self.surfaces.forget(step)?;
        if let Some(volumes) = &self.volumes {
            volumes.forget(step)?;
        }
        for file in &self.config.output.interface_files {
            self.folder.remove_own(&numbered("interface", step, file.ending()))?;
        }
        self.folder.remove_own(&numbered(&self.config.name(), step, "png"))
    }

    fn has_pictures(&self) -> bool {
        self.pictures.is_some()
    }

    fn finish(&mut self, last: &State) -> Result<()> {
        let last = last.of_tiles()?;
        let Some(pictures) = &mut self.pictures else { return Ok(()) };
        let file = match &pictures.picture.file {
            Some(file) => file.clone(),
            None if pictures.picture.every == Drawn::Last => {
                self.folder.file(&format!("{}.png", self.config.name()))
            }
            None => return Ok(()),
        };
        pictures.draw(&last.surface, last.step, last.time, &file)
    }
}

/// Writes a surface as a VTK file. Its vertex arrays are the components of its normals.
fn write_vtp(
    path: &std::path::Path,
    surface: &Mesh,
    (time, units): (f64, &Units),
    compression: Compression,
) -> Result<()> {
    let component = |k: usize| match surface.vertex_data.get(k).map(|array| &array.values) {
        Some(Values::Float(values)) => values.as_slice(),
        _ => &[],
    };
    let [x, y, z] = [component(0), component(1), component(2)];
    let normals: Vec<f32> =
        (0..x.len()).flat_map(|v| [x[v], y[v], z[v]]).map(|n| n as f32).collect();
    let geometry = Geometry::triangles(&surface.vertices, &surface.cells, compression);
    let output =
        VtkOutput::new(&geometry).time(time).units(units).point_data("Normals", 3, &normals[..]);
    vtk::write(path, &output)
}

/// Draws the interfaces of one run, colored by their z coordinate.
struct Pictures<'a> {
    picture: &'a Picture,
    units: &'a Units,
    title: String,
    /// Options with the camera and the range of the first picture. All pictures of a series use
    /// them.
    options: Option<Options>,
    painter: Painter,
}

impl<'a> Pictures<'a> {
    fn new(config: &'a Config, units: &'a Units, gpu: Option<&Gpu>) -> Option<Self> {
        let picture = config.output.picture.as_ref()?;
        let painter = Painter::new(gpu);
        Some(Pictures { picture, units, title: title(config), options: None, painter })
    }

    fn draw(&mut self, surface: &Mesh, step: u64, t: f64, file: &std::path::Path) -> Result<()> {
        if surface.cells.is_empty() {
            return remove(file);
        }
        let note = note(t, step, self.units);
        let height: Vec<f64> = surface.vertices.iter().map(|x| x[2]).collect();
        let subject = Subject::new(surface, &height)
            .with_lines(Lines::None)
            .with_name("z")
            .with_title(&self.title, &note);
        let options = match &self.options {
            Some(options) => options,
            None => {
                let options = self.picture.options(self.units.of_length());
                self.options.insert(options.settled(&subject)?)
            }
        };
        self.painter.draw(&subject, options)?.write_png(file)
    }
}
