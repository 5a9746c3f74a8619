//! `zeroset view FILE -o view.html`: writes a 3-D view as one HTML file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::distance::data_file;
use super::picture_options::PictureOptions;
use super::render::Side;
use super::render::source::{self, Opening, Shown};
use super::threads::Threads;
use super::times::At;
use super::volume::Source;
use super::{Ui, convert, word};
use crate::Cpu;
use crate::atomic;
use crate::config::{DataFile, Units};
use crate::error::{Error, Result, shown};
use crate::expression::Expression;
use crate::html::{self, Scene};
use crate::io::{Frame, Series, may_be_series};
use crate::mesh::{DataArray, Mesh, Places, Values};
use crate::output::{VIEW_TRIANGLES, ViewOptions, view_of_mesh, view_of_series};
use crate::picture::{self, Labels, Options};
use crate::surface::{IsosurfaceOptions, drop_flat, isosurface};
use crate::volume::Volume;

/// Arguments of `zeroset view`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset view results/vortex -o vortex.html
  zeroset view distance.vtp --unit mm -o distance.html
  zeroset view lh.inflated --data lh.aparc.annot -o regions.html
  zeroset view head.nii.gz --level 300 -o head.html
  zeroset view part.vtu --colors temperature --range 0,100 -o part.html

The file needs no network. Open it in a browser: drag to turn the view, scroll to zoom, and click
to see the values at a vertex.

For a mesh, the view has all arrays of numbers and labels. It shows phi or the distance first.
--colors shows another array or group first, or an expression in arrays and x, y, z.

For a run folder, a .pvd list or a .vtkhdf series, the view has a slider with up to 60
states. --time, --colors and --data show one state, by default the last.

For a volume, the view shows the isosurface at --level. A volume named phi shows its level 0 by
default.")]
pub struct Args {
    /// Volume, mesh, series (.pvd, .vtkhdf) or run folder
    pub file: PathBuf,
    /// Output file: .html
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Show the isosurface of a volume at this value
    #[arg(long, value_name = "NUMBER")]
    pub level: Option<f64>,
    /// Show this array or group of a mesh first, or an expression in arrays and x, y, z
    #[arg(long, value_name = "EXPRESSION")]
    pub colors: Option<Expression>,
    /// File with more arrays or groups of vertices of a mesh (.gii, .csv, .npy, ...); repeatable
    #[arg(long, value_name = "FILE[=NAME]", value_parser = data_file)]
    pub data: Vec<DataFile>,
    /// Largest number of triangles in a surface; larger surfaces are decimated
    #[arg(long, value_name = "N", default_value_t = VIEW_TRIANGLES as u64,
          value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    pub triangles: u64,
    #[command(flatten)]
    pub style: PictureOptions,
    /// First view: auto, front, back, left, right, top, bottom, +x to -z, or AZIMUTH,ELEVATION
    #[arg(long, value_name = "VIEW", default_value = "auto", allow_hyphen_values = true)]
    pub view: Side,
    /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
    #[arg(long, value_name = "tkr|scanner|file", value_parser = word::<Frame>)]
    pub frame: Option<Frame>,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub at: At,
}

/// Writes the view and prints a summary.
///
/// # Errors
/// Returns [`Error::Case`] if options do not fit the file; [`Error::Input`] if the file cannot be
/// read; [`Error::Output`] if the view cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let start = Instant::now();
    if !args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("html")) {
        let what = format!("{}: views are HTML files", args.output.display());
        return Err(Error::usage(what, "end the name in .html"));
    }
    atomic::check_folder(&args.output)?;
    let page = Cpu::current().run(|| html::page(&args.scene(ui)?))?;
    atomic::write(&args.output, |out| out.write_all(page.as_bytes()))?;
    let (file, kb) = (args.output.display(), page.len().div_ceil(1000));
    let seconds = start.elapsed().as_secs_f64();
    ui.print(&format!("view      {file}, {kb} kB\nseconds   {seconds:.2}\n"))?;
    Ok(0)
}

impl Args {
    /// Returns the files that the command reads.
    pub fn inputs(&self) -> Vec<&Path> {
        let data = self.data.iter().map(|data| Path::new(&data.path));
        std::iter::once(&*self.file).chain(data).collect()
    }

    fn scene(&self, ui: &Ui) -> Result<Scene> {
        let is_one = self.at.time.is_some() || self.colors.is_some() || !self.data.is_empty();
        let file = source::file_of(&self.file)?;
        let of_volume = self.level.is_some() || self.source.first_given().is_some();
        let may_be = !is_one && !of_volume && self.frame.is_none() && may_be_series(&file);
        if may_be && let Some(series) = Series::open(&file)? {
            return view_of_series(&series, &self.options(None)?);
        }
        let Args { data, frame, source, at, .. } = self;
        let opening = Opening { file: &file, data, frame: *frame, source, at: *at };
        match source::open(&opening, ui)? {
            Shown::Mesh(mesh, overlay, units) => self.of_mesh(mesh, overlay, units),
            Shown::Volume(volume) => self.of_volume(&volume),
        }
    }

    fn of_mesh(&self, mut mesh: Mesh, overlay: Option<String>, units: Units) -> Result<Scene> {
        let given = self.level.map(|_| "--level").or(self.source.first_given());
        if let Some(option) = given {
            let what =
                format!("{}: {option} is for volumes, but this is a mesh", shown(&self.file));
            return Err(Error::usage(what, "use --colors to show arrays"));
        }
        let first = match &self.colors {
            None => overlay,
            Some(colors) => {
                let name = colors.text().trim().trim_start_matches('{').trim_end_matches('}');
                let is_known = mesh.vertex_array(name).is_some_and(|array| array.components == 1);
                if !is_known && Labels::of_array(&mesh, name).is_none() {
                    let values = convert::values(&mesh, colors, Places::Vertices)?;
                    let (name, values) = (name.to_string(), Values::Float(values));
                    mesh.vertex_data.push(DataArray { name, components: 1, values });
                }
                Some(name.to_string())
            }
        };
        view_of_mesh(mesh, &self.options(None)?.with_shown(first).with_units(units))
    }

    fn of_volume(&self, volume: &Volume) -> Result<Scene> {
        if !self.data.is_empty() || self.colors.is_some() {
            let option = if self.data.is_empty() { "--colors" } else { "--data" };
            let what =
                format!("{}: {option} is for meshes, but this is a volume", shown(&self.file));
            return Err(Error::usage(what, "leave it out"));
        }
        let range = volume.statistics();
        let values = match (range.min, range.max) {
            (Some(low), Some(high)) => format!("values from {low} to {high}"),
            _ => "no finite values".into(),
        };
        let level = match self.level {
            None if volume.name == "phi" => 0.0,
            None => {
                let what = format!("{}: a volume with {values}", shown(&self.file));
                return Err(Error::usage(what, "choose the isosurface: --level NUMBER"));
            }
            Some(level) => level,
        };
        let mut surface = isosurface(volume, level, &IsosurfaceOptions::default())?;
        drop_flat(&mut surface);
        if surface.n_cells() == 0 {
            let file = shown(&self.file);
            let what = format!("{file} has no isosurface at {level}; it has {values}");
            return Err(Error::usage(what, "use a level in between"));
        }
        view_of_mesh(surface, &self.options(volume.frame.as_deref())?)
    }

    /// Returns the settings of the view; `frame` names the axes of a volume.
    fn options(&self, frame: Option<&str>) -> Result<ViewOptions> {
        let name = || self.file.to_str().map_or("", picture::name_of).to_string();
        let mut style = Options::default();
        self.style.apply(&mut style);
        style.camera = self.view.camera(frame);
        if let Some((key, what)) = style.flaw() {
            return Err(Error::usage(format!("--{key} {what}"), ""));
        }
        Ok(ViewOptions::new(self.style.title.clone().unwrap_or_else(name))
            .with_style(style)
            .with_triangles(self.triangles as usize))
    }
}
