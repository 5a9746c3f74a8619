//! `zeroset render FILE -o picture.png`: a volume, a mesh or the result of a run as a picture.

mod mesh;
mod source;
mod volume;
mod words;

use std::path::PathBuf;
use std::time::Instant;

use self::source::Shown;
use self::words::{Looks, Side, Size, Steps};
use super::Ui;
use super::threads::Threads;
use super::volume::Source;
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::{Error, Result};
use zeroset::expression::Expression;
use zeroset::picture::{self, Image, Options};
use zeroset::render::Counts;

/// Arguments of `zeroset render`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset render head.nii.gz --level 300 -o head.png
  zeroset render head.nii.gz --where \"v > 300 && z < 40\" --view left -o half.png
  zeroset render labels.nrrd --where v --colors v --view 30,20 -o labels.png
  zeroset render head.nii.gz --level 300 --rule directional --image iterations -o steps.png
  zeroset render part.vtu --colors temperature --range 0,100 --perspective 30 -o part.png
  zeroset render results/vortex -o last.png
  zeroset render results/vortex/vortex_000050.vtp --transparent --size 800 -o state.png

Of a volume or a gray picture one sees voxels (--where, an expression of the value v, the world
coordinates x y z and the index i j k; what is not 0 is seen) or a surface between voxels (--level).
A volume called phi shows its level 0 by itself. Rays go through it by steps: --rule says how far,
which changes --image iterations and the time, but never what is found. See docs/pictures.md.

Of a mesh one sees the arrays phi (with its zero set) or distance (with lines at round values), else
the colors of its vertices (arrays red, green and blue), else its height; --colors takes another
array or an expression of arrays and x y z.
Of a run's folder or a .pvd list one sees the last state.

Views: front is seen from the side of small y, left from small x, top from large z. In volumes that
say where a patient's right, front and top are (RAS, LPS, ...), they are the patient's.
AZIMUTH,ELEVATION are degrees from +x towards +y, and above the xy-plane.")]
pub struct Args {
    /// Volume, gray picture, mesh, .pvd list, or folder of a run
    pub file: PathBuf,
    /// The picture, .png
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Show the voxels where an expression of v, x y z and i j k is not 0
    #[arg(long = "where", value_name = "EXPRESSION", conflicts_with = "level")]
    pub selection: Option<Expression>,
    /// Show the surface where the values pass this number
    #[arg(long, value_name = "NUMBER")]
    pub level: Option<f64>,
    /// How far rays step: isotropic (by the distance transform), directional (by what lies ahead) or
    /// walk (from voxel to voxel); default isotropic
    #[arg(long, value_name = "RULE", value_parser = super::word::<Steps>)]
    pub rule: Option<Steps>,
    /// Half opening of the cone of --rule directional in degrees, 0 to below 90; default 0
    #[arg(long, value_name = "DEGREES")]
    pub cone: Option<f64>,
    /// What is shown of a volume: shaded, depth or iterations (steps of each ray); default shaded
    #[arg(long, value_name = "WHAT", value_parser = super::word::<Looks>)]
    pub image: Option<Looks>,
    /// Color by an expression: of v, x y z and i j k in volumes, of arrays and x y z on meshes
    #[arg(long, value_name = "EXPRESSION")]
    pub colors: Option<Expression>,
    /// Values at both ends of the color bar; default those that are there
    #[arg(long, value_name = "LOW,HIGH", value_parser = words::pair, allow_hyphen_values = true)]
    pub range: Option<[f64; 2]>,
    /// Pixels, 16 to 8192 each way: 1200x900, or one number for a square
    #[arg(long, value_name = "SIZE", default_value = "1200x900", allow_hyphen_values = true)]
    pub size: Size,
    /// auto, front, back, left, right, top, bottom, +x to -z, or AZIMUTH,ELEVATION
    #[arg(long, value_name = "VIEW", default_value = "auto", allow_hyphen_values = true)]
    pub view: Side,
    /// Magnification, 0.1 to 50
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub zoom: f64,
    /// Angle of perspective, 1 to 120; default none, a parallel projection
    #[arg(long, value_name = "DEGREES")]
    pub perspective: Option<f64>,
    /// Leave out the white behind what is shown
    #[arg(long)]
    pub transparent: bool,
    /// Direction to the lamp in the picture: to the right, up, towards the eye; default above left,
    /// -0.36,0.48,0.8
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = super::three)]
    pub light: Option<[f64; 3]>,
    /// Rays per pixel along each side, 1 to 8; default 2, for depth and iterations 1
    #[arg(long, value_name = "N")]
    pub samples: Option<u32>,
    /// What draws: auto, cpu or cuda; auto takes a GPU for large pictures, volumes and meshes
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = super::word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: Source,
}

/// Voxels from which on a GPU is worth its start, a quarter of a second; for meshes see
/// [`picture::work`].
const WORTH_A_GPU: usize = 1 << 25;

/// Draws, writes the picture, and says what it took.
///
/// # Errors
/// [`Error::Case`] for options that do not fit the file, [`Error::Input`] for a file that cannot be
/// read, [`Error::Device`] where memory is too small, [`Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let start = Instant::now();
    picture::check_path(&args.output)?;
    let cpu = Cpu::current();
    let (image, rays) = match source::open(&args.file, &args.source.options(), ui)? {
        Shown::Mesh(mesh) => (cpu.run(|| mesh::draw(&args, &mesh, ui))?, None),
        Shown::Volume(volume) => {
            let drawn = volume::draw(&args, &volume, &cpu, ui)?;
            (drawn.image, Some((drawn.counts, drawn.prepared)))
        }
    };
    image.write_png(&args.output)?;
    if rays.as_ref().is_some_and(|(counts, _)| counts.hits == 0) {
        let what = "no ray meets anything: the picture is empty; look at --where or --level";
        ui.warn_of(&args.file, [what]);
    }
    ui.print(&text(&args, &image, rays, start.elapsed().as_secs_f64()))?;
    Ok(0)
}

/// What was drawn, what its rays took, if it is one of a volume, and the seconds in all.
fn text(args: &Args, image: &Image, rays: Option<(Counts, f64)>, total: f64) -> String {
    let (file, Image { width, height, .. }) = (args.output.display(), image);
    let mut text = format!("picture   {file}, {width} x {height} pixels\n");
    match rays {
        Some((counts, prepared)) => {
            text += &format!("rays      {}, {} of them hit\n", counts.rays, counts.hits);
            let mean = counts.mean();
            text += &format!("steps     {mean:.1} per ray, {} at most\n", counts.most);
            text += &format!("seconds   {total:.2}, of these preparing {prepared:.2}\n");
        }
        None => text += &format!("seconds   {total:.2}\n"),
    }
    text
}

impl Args {
    /// What stands over the picture.
    fn title(&self) -> &str {
        self.file.to_str().map_or("", picture::name_of)
    }

    /// How the picture is made; `frame` names the axes of a volume.
    fn options(&self, frame: Option<&str>) -> Result<Options> {
        let Size([width, height]) = self.size;
        let mut options = Options::default()
            .with_size(width, height)
            .with_perspective(self.perspective)
            .with_light(self.light)
            .with_transparency(self.transparent);
        options.range = self.range;
        if !(0.1..=50.0).contains(&self.zoom) {
            return Err(Error::usage(format!("--zoom must be 0.1 to 50, is {}", self.zoom), ""));
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
