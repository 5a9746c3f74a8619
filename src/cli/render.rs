//! `zeroset render FILE -o picture.png`: a volume, a mesh or the result of a run as a picture.

mod source;
mod words;

use std::path::PathBuf;
use std::time::Instant;

use self::source::Shown;
use self::words::{Looks, Side, Size, Steps};
use super::device::{self, Card};
use super::threads::Threads;
use super::{Ui, convert, volume};
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::{Error, Result, shown};
use zeroset::expression::Expression;
use zeroset::mesh::Mesh;
use zeroset::picture::{self, Image, Lines, Options, Shows, Subject, Traced};
use zeroset::render::{Counts, Guide, Rule, Solid};
use zeroset::volume::Volume;

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
    pub source: volume::Source,
}

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
        Shown::Mesh(mesh) => (cpu.run(|| args.draw_mesh(&mesh, ui))?, None),
        Shown::Volume(volume) => {
            let drawn = args.draw_volume(&volume, &cpu, ui)?;
            (drawn.image, Some((drawn.counts, drawn.prepared)))
        }
    };
    image.write_png(&args.output)?;
    if rays.as_ref().is_some_and(|(counts, _)| counts.hits == 0) {
        let what = "no ray meets anything: the picture is empty; look at --where or --level";
        ui.warn_of(&args.file, [what]);
    }
    let (file, Image { width, height, .. }) = (args.output.display(), image);
    let mut text = format!("picture   {file}, {width} x {height} pixels\n");
    let total = start.elapsed().as_secs_f64();
    match rays {
        Some((counts, prepared)) => {
            text += &format!("rays      {}, {} of them hit\n", counts.rays, counts.hits);
            let mean = counts.mean();
            text += &format!("steps     {mean:.1} per ray, {} at most\n", counts.most);
            text += &format!("seconds   {total:.2}, of these preparing {prepared:.2}\n");
        }
        None => text += &format!("seconds   {total:.2}\n"),
    }
    ui.print(&text)?;
    Ok(0)
}

impl Args {
    fn title(&self) -> &str {
        self.file.to_str().map_or("", picture::name_of)
    }

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

    fn draw_mesh(&self, mesh: &Mesh, ui: &Ui) -> Result<Image> {
        let for_volumes = [
            ("--where", self.selection.is_some()),
            ("--level", self.level.is_some()),
            ("--rule", self.rule.is_some()),
            ("--cone", self.cone.is_some()),
            ("--image", self.image.is_some()),
            ("--samples", self.samples.is_some()),
            ("--raw", self.source.raw.is_some()),
            ("--array", self.source.array.is_some()),
        ];
        if let Some((option, _)) = for_volumes.iter().find(|(_, given)| *given) {
            let what = format!("{}: {option} is for volumes, this is a mesh", shown(&self.file));
            let remedy = "meshes show arrays (--colors); `zeroset convert --where` cuts them";
            return Err(Error::usage(what, remedy));
        }
        let known = [("phi", Lines::Interface), ("distance", Lines::Round)];
        let array = known.into_iter().find_map(|(name, lines)| {
            let array = mesh.vertex_array(name).filter(|array| array.components == 1)?;
            Some((name, lines, array.values.to_f64()))
        });
        let height = || mesh.vertices.iter().map(|x| x[2]).collect();
        let (name, lines, values) = array.unwrap_or_else(|| ("z", Lines::None, height()));
        let colors = self.colors.as_ref();
        let shown = colors.map(|colors| convert::over_vertices(mesh, colors)).transpose()?;
        let mut subject = Subject::new(mesh, &values)
            .with_lines(lines)
            .with_name(name)
            .with_title(self.title(), "");
        let paint = if name == "z" { picture::vertex_colors(mesh) } else { None };
        match (colors, &shown, &paint) {
            (Some(colors), Some(shown), _) => subject = subject.colored_by(colors.text(), shown),
            (.., Some(paint)) => subject = subject.painted(paint),
            _ => {}
        }
        let mut options = self.options(None)?;
        let camera = options.settled(&subject)?.camera;
        options.camera = camera.map(|camera| words::zoomed(camera, self.zoom));
        let work = picture::work(&subject, &options);
        let on_card = |card: Card| mesh_on_card(&card, &subject, &options);
        let on_cpu = || picture::draw(&subject, &options);
        device::either(self.device, work >= WORTH_A_CARD, ui, on_card, on_cpu)
    }

    fn rule(&self) -> Result<Rule> {
        let rule = self.rule.unwrap_or_default();
        match (rule, self.cone) {
            (Steps::Directional, cone) => {
                let cone = cone.unwrap_or(0.0);
                if !(0.0..90.0).contains(&cone) {
                    let what = format!("--cone must be 0 to below 90 degrees, is {cone}");
                    return Err(Error::usage(what, ""));
                }
                Ok(Rule::Directional { cone: cone.to_radians() })
            }
            (_, Some(_)) => {
                Err(Error::usage("--cone is for --rule directional", "leave out one of them"))
            }
            (Steps::Isotropic, None) => Ok(Rule::Isotropic),
            (Steps::Walk, None) => Ok(Rule::Walk),
        }
    }

    fn solid<'a>(&self, volume: &'a Volume) -> Result<Solid<'a>> {
        match (&self.selection, self.level) {
            (Some(condition), _) => {
                Solid::voxels(volume, super::volume::selected(&self.file, volume, condition)?)
            }
            (None, Some(level)) => Solid::level(volume, level),
            (None, None) if volume.name == "phi" => Solid::level(volume, 0.0),
            (None, None) => {
                let range = volume.statistics();
                let values = range.min.zip(range.max).map_or("no numbers".into(), |(low, high)| {
                    format!("values from {low} to {high}")
                });
                let what = format!("{}: a volume of {values}", shown(&self.file));
                let remedy = "say what of it is to be seen: --level NUMBER for a surface, or \
                              --where \"v > NUMBER\" for voxels";
                Err(Error::usage(what, remedy))
            }
        }
    }

    fn draw_volume(&self, volume: &Volume, cpu: &Cpu, ui: &Ui) -> Result<Drawn> {
        let start = Instant::now();
        let options = self.options(volume.frame.as_deref())?;
        let (rule, shows) = (self.rule()?, Shows::from(self.image.unwrap_or_default()));
        if let (Some(colors), true) = (&self.colors, shows != Shows::Shaded) {
            let what = format!("--colors {colors} beside --image: that has colors of its own");
            return Err(Error::usage(what, "leave out one of them"));
        }
        let solid = cpu.run(|| self.solid(volume))?;
        let samples = self.samples(shows).min(*picture::SAMPLES.end());
        let rays = (options.width * samples) as usize * (options.height * samples) as usize;
        let is_worth_it = volume.n_voxels() + RAY * rays >= WORTH_A_CARD;
        let scene = Scene { args: self, cpu, options: &options, shows, start };
        let on_card = |card: Card| on_card(&card, rule, &solid, &scene);
        let on_cpu = || scene.draw(Traced::new(&solid, &Guide::new(rule, &solid, cpu)?));
        device::either(self.device, is_worth_it, ui, on_card, on_cpu)
    }

    /// Rays per pixel along each side.
    fn samples(&self, shows: Shows) -> u32 {
        self.samples.unwrap_or(if shows == Shows::Shaded { 2 } else { 1 })
    }
}

/// Voxels from which on a GPU is worth its start, a quarter of a second, ...
const WORTH_A_CARD: usize = 1 << 25;
/// ... of which a ray through a volume is worth so many; for meshes see [`picture::work`].
const RAY: usize = 64;

/// A picture of a volume, what its rays took, and the seconds until they could start.
struct Drawn {
    image: Image,
    counts: Counts,
    prepared: f64,
}

/// How a volume is to be drawn.
struct Scene<'a> {
    args: &'a Args,
    cpu: &'a Cpu,
    options: &'a Options,
    shows: Shows,
    /// When preparing began.
    start: Instant,
}

impl Scene<'_> {
    fn draw(&self, traced: Traced<'_>) -> Result<Drawn> {
        let prepared = self.start.elapsed().as_secs_f64();
        let args = self.args;
        let mut traced = traced
            .showing(self.shows)
            .with_samples(args.samples(self.shows))
            .with_title(args.title(), "");
        if let Some(colors) = &args.colors {
            traced = traced.colored_by(colors);
        }
        let camera = words::zoomed(traced.camera(self.options), args.zoom);
        let options = self.options.clone().with_camera(camera);
        let (image, counts) = self.cpu.run(|| picture::trace(&traced, &options))?;
        Ok(Drawn { image, counts, prepared })
    }
}

fn on_card(card: &Card, rule: Rule, solid: &Solid<'_>, scene: &Scene<'_>) -> Result<Drawn> {
    let march = zeroset::render::cuda::DeviceMarch::new(card, rule, solid)?;
    scene.draw(Traced::on_card(&march))
}

fn mesh_on_card(card: &Card, subject: &Subject<'_>, options: &Options) -> Result<Image> {
    picture::cuda::draw_on(card, subject, options)
}
