//! `zeroset render FILE -o picture.png`: draws a volume, a mesh, the result of a run, or the plot
//! of its measures.

mod mesh;
mod option_values;
mod plot;
pub(super) mod source;
mod volume;

use std::path::{Path, PathBuf};
use std::time::Instant;

use self::option_values::{Looks, Size, Steps};
pub(super) use self::option_values::{Side, pair};
use self::source::Shown;
use super::Ui;
use super::distance::data_file;
use super::picture_options::PictureOptions;
use super::threads::Threads;
use super::times::At;
use super::volume::Source;
use crate::Cpu;
use crate::config::{DataFile, DeviceKind, Units};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::io::Frame;
use crate::mesh::{Mesh, clean};
use crate::picture::{self, Image, Options};
use crate::render::Counts;
use crate::volume::Volume;

/// Arguments of `zeroset render`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset render head.nii.gz --level 300 -o head.png
  zeroset render head.nii.gz --where \"v > 300 && z < 40\" --view left -o half.png
  zeroset render labels.nrrd --where v --colors v --view 30,20 -o labels.png
  zeroset render head.nii.gz --level 300 --rule directional --image iterations -o steps.png
  zeroset render part.vtu --colors temperature --range 0,100 --perspective 30 -o part.png
  zeroset render lh.inflated --data lh.aparc.annot -o regions.png
  zeroset render part.vtu --colors material --title \"Two parts\" -o part.png
  zeroset render results/vortex -o last.png
  zeroset render results/vortex/measures.csv -o measures.svg
  zeroset render results/vortex/vortex_000050.vtp --transparent --size 800 -o state.png

For a volume or a gray picture, the picture shows voxels (--where selects those where an expression
of the value v, the world coordinates x, y, z and the indices i, j, k is not 0) or an isosurface
(--level). A volume named phi shows its level 0 by default. Rays pass through the volume in steps.
--rule sets their length, which affects --image iterations and the time, but never the result. See
docs/pictures.md.

For a mesh, the picture shows the array phi (with its zero set) or distance (with isolines at round
values), else the vertex colors (arrays red, green and blue), else the height. --colors shows
another array or group, or an expression in arrays and x, y, z. --data adds arrays and groups of
another file, and the picture shows the first of them, from the last file if there are several.
Labels (whole numbers that name regions, and groups) have
distinct colors and a legend, and gray marks places without a value or label.

For a run folder, a .pvd list or a .vtkhdf series, the picture shows the last state unless
--time selects another one. If the output is .svg, it shows the measures of the run over time.

The view front looks from small y, left from small x, top from large z. In volumes that define the
axes of a patient (RAS, LPS, ...), these are the sides of the patient. AZIMUTH,ELEVATION are the
angles in degrees from +x toward +y, and above the xy-plane.")]
pub struct Args {
    /// Volume, grayscale picture, mesh, series (.pvd, .vtkhdf), run folder, or measures.csv
    pub file: PathBuf,
    /// Output file: .png, or .svg for the plot of measures
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Show the voxels where an expression of v, x, y, z, i, j, k is true
    #[arg(long = "where", value_name = "EXPRESSION", conflicts_with = "level")]
    pub selection: Option<Expression>,
    /// Show the isosurface at this value
    #[arg(long, value_name = "NUMBER")]
    pub level: Option<f64>,
    /// Step rule of the rays: isotropic (distance transform), directional (distance to the voxels
    /// ahead) or walk (voxel by voxel); default isotropic
    #[arg(long, value_name = "RULE", value_parser = super::word::<Steps>)]
    pub rule: Option<Steps>,
    /// Half angle of the cone for --rule directional, from 0 to less than 90 degrees; default 0
    #[arg(long, value_name = "DEGREES")]
    pub cone: Option<f64>,
    /// Image of a volume: shaded, depth or iterations (steps of each ray); default shaded
    #[arg(long, value_name = "WHAT", value_parser = super::word::<Looks>)]
    pub image: Option<Looks>,
    /// Color by an expression of v, x, y, z, i, j, k in a volume, or of arrays and x, y, z on a
    /// mesh
    #[arg(long, value_name = "EXPRESSION")]
    pub colors: Option<Expression>,
    /// File with more arrays or groups of vertices of a mesh (.gii, .csv, .npy, ...), to draw on
    /// it; repeatable
    #[arg(long, value_name = "FILE[=NAME]", value_parser = data_file)]
    pub data: Vec<DataFile>,
    #[command(flatten)]
    pub style: PictureOptions,
    /// Size in pixels, 16 to 8192 per side: 1200x900, or one number for a square; default 1200x900,
    /// or fitted to wide or tall content
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// View: auto, front, back, left, right, top, bottom, +x to -z, or AZIMUTH,ELEVATION
    #[arg(long, value_name = "VIEW", default_value = "auto", allow_hyphen_values = true)]
    pub view: Side,
    /// Magnification, 0.1 to 50
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub zoom: f64,
    /// Angle of the perspective view, 1 to 120 degrees; default a parallel projection
    #[arg(long, value_name = "DEGREES")]
    pub perspective: Option<f64>,
    /// Make the background transparent instead of white
    #[arg(long)]
    pub transparent: bool,
    /// Direction to the lamp in picture coordinates (right, up, toward the eye); default
    /// -0.36,0.48,0.8, above left
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = super::three)]
    pub light: Option<[f64; 3]>,
    /// Rays per pixel along each side, 1 to 8; default 2, or 1 for depth and iterations
    #[arg(long, value_name = "N")]
    pub samples: Option<u32>,
    /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
    #[arg(long, value_name = "tkr|scanner|file", value_parser = super::word::<Frame>)]
    pub frame: Option<Frame>,
    /// Device: auto, cpu or cuda; auto uses a GPU for large pictures, volumes and meshes
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = super::word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub at: At,
}

/// The smallest amount of work, in voxels, for which a GPU is worth its startup time of a quarter
/// of a second.
///
/// See [`picture::work`] for meshes.
const WORTH_A_GPU: usize = 1 << 25;

/// Draws and writes the picture, and prints a summary.
///
/// # Errors
/// Returns [`Error::Case`] if options do not fit the file; [`Error::Input`] if the file cannot be
/// read; [`Error::Device`] if memory runs out or a GPU fails; [`Error::Output`] if the picture
/// cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let start = Instant::now();
    if plot::is_asked(&args) {
        ui.print(&plot::draw(&args)?)?;
        return Ok(0);
    }
    plot::check_output(&args)?;
    picture::check_path(&args.output)?;
    let (image, rays) = draw(&args, source::open(&(&args).into(), ui)?, ui)?;
    image.write_png(&args.output)?;
    ui.print(&text(&args, &image, rays, start.elapsed().as_secs_f64()))?;
    Ok(0)
}

/// Statistics of the rays through a volume, and the seconds of the preparation.
type Rays = (Counts, f64);

/// Draws a mesh or a volume.
fn draw(args: &Args, shown: Shown, ui: &Ui) -> Result<(Image, Option<Rays>)> {
    let cpu = Cpu::current();
    let (image, rays) = match shown {
        Shown::Mesh(mesh, overlay, units) => {
            let unit = units.of_length();
            (cpu.run(|| mesh::draw(args, &mesh, (overlay.as_deref(), unit), ui))?, None)
        }
        Shown::Volume(volume) => {
            let drawn = volume::draw(args, &volume, &cpu, ui)?;
            (drawn.image, Some((drawn.counts, drawn.prepared)))
        }
    };
    if rays.as_ref().is_some_and(|(counts, _)| counts.hits == 0) {
        let what = "the picture is empty, because no ray hits anything; check --where or --level";
        ui.warn_of(&args.file, [what]);
    }
    Ok((image, rays))
}

/// The options of the command, without those of the program.
#[derive(Debug, clap::Parser)]
#[command(no_binary_name = true)]
struct Words {
    #[command(flatten)]
    args: Args,
}

/// Draws a mesh that is in memory, with options as on the command line (`["--view", "front"]`).
/// Returns the picture and warnings.
///
/// # Errors
/// Returns the errors of `zeroset render`.
pub fn render_mesh(mesh: Mesh, options: &[String]) -> Result<(Image, Vec<String>)> {
    let (mesh, _) = clean(mesh)?;
    in_memory(Shown::Mesh(mesh, None, Units::default()), options)
}

/// Draws a volume that is in memory, as [`render_mesh`] draws a mesh.
///
/// # Errors
/// Returns the errors of `zeroset render`.
pub fn render_volume(volume: Volume, options: &[String]) -> Result<(Image, Vec<String>)> {
    in_memory(Shown::Volume(volume), options)
}

fn in_memory(shown: Shown, options: &[String]) -> Result<(Image, Vec<String>)> {
    let names = ["array", "--output", "picture.png"].map(String::from);
    let parsed = <Words as clap::Parser>::try_parse_from(names.iter().chain(options));
    let Words { args } = parsed.map_err(|error| {
        let text = error.render().to_string();
        let what = text.split("\n\n").next().unwrap_or_default();
        Error::usage(what.trim_start_matches("error: ").trim_end(), "")
    })?;
    let ui = Ui::new(0, true);
    let (image, _) = draw(&args, shown, &ui)?;
    Ok((image, ui.warnings()))
}

/// Returns the summary: the picture, the statistics of its rays if it shows a volume, and the time
/// in seconds.
fn text(args: &Args, image: &Image, rays: Option<(Counts, f64)>, total: f64) -> String {
    let (file, Image { width, height, .. }) = (args.output.display(), image);
    let mut text = format!("picture   {file}, {width} x {height} pixels\n");
    match rays {
        Some((counts, prepared)) => {
            text += &format!("rays      {}, {} of them hit\n", counts.rays, counts.hits);
            let mean = counts.mean();
            text += &format!("steps     {mean:.1} per ray, {} at most\n", counts.most);
            text += &format!("seconds   {total:.2}, including preparation {prepared:.2}\n");
        }
        None => text += &format!("seconds   {total:.2}\n"),
    }
    text
}

impl Args {
    /// Returns the files that the command reads.
    pub fn inputs(&self) -> Vec<&Path> {
        let data = self.data.iter().map(|data| Path::new(&data.path));
        std::iter::once(&*self.file).chain(data).collect()
    }

    /// Returns the title of the picture.
    fn title(&self) -> &str {
        let name = || self.file.to_str().map_or("", picture::name_of);
        self.style.title.as_deref().unwrap_or_else(name)
    }

    /// Returns the drawing options; `frame` names the axes of a volume.
    fn options(&self, frame: Option<&str>) -> Result<Options> {
        let mut options = Options::default()
            .with_perspective(self.perspective)
            .with_light(self.light)
            .with_transparency(self.transparent);
        if let Some(Size([width, height])) = self.size {
            options = options.with_size(width, height);
        }
        self.style.apply(&mut options);
        if !(0.1..=50.0).contains(&self.zoom) {
            return Err(Error::usage(
                format!("--zoom must be between 0.1 and 50, but is {}", self.zoom),
                "",
            ));
        }
        options.camera = self.view.camera(frame);
        let flaw = options.flaw();
        let refused = |(key, what): (String, String)| match key.as_str() {
            "width" | "height" => Error::usage(format!("--size: {key} {what}"), ""),
            _ => Error::usage(format!("--{key} {what}"), ""),
        };
        flaw.map_or(Ok(options), |flaw| Err(refused(flaw)))
    }
}
