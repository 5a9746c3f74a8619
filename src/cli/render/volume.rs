//! Draws the picture of a volume for `zeroset render`.

use std::sync::Arc;
use std::time::Instant;

use super::option_values::{self, Steps};
use super::{Args, WORTH_A_GPU};
use crate::Cpu;
use crate::cli::volume::selected;
use crate::cli::{Ui, device};
use crate::error::{Error, Result, shown};
use crate::gpu::Cuda;
use crate::picture::{self, Image, Options, Shows, Traced};
use crate::render::cuda::DeviceMarch;
use crate::render::{Counts, Rule, Solid, SpaceSkipping};
use crate::volume::Volume;

/// The work of one ray through a volume, in voxels.
const RAY: usize = 64;

/// A picture of a volume, the statistics of its rays, and the preparation time in seconds.
pub(super) struct Drawn {
    pub image: Image,
    pub counts: Counts,
    pub prepared: f64,
}

/// Draws a volume.
///
/// # Errors
/// Returns [`Error::Case`] if options conflict with each other or with the volume;
/// [`Error::Device`] if a GPU fails.
pub(super) fn draw(args: &Args, volume: &Volume, cpu: &Cpu, ui: &Ui) -> Result<Drawn> {
    let start = Instant::now();
    if !args.data.is_empty() {
        let what = format!("{}: --data is for meshes, but this is a volume", shown(&args.file));
        return Err(Error::usage(what, "leave it out"));
    }
    let options = args.options(volume.frame.as_deref())?;
    let (rule, shows) = (rule(args)?, Shows::from(args.image.unwrap_or_default()));
    if let (Some(colors), true) = (&args.colors, shows != Shows::Shaded) {
        let what = format!("--colors {colors} conflicts with --image, which has its own colors");
        return Err(Error::usage(what, "leave out one of them"));
    }
    let solid = cpu.run(|| solid(args, volume))?;
    let samples = samples(args, shows).min(*picture::SAMPLES.end());
    let rays = (options.width * samples) as usize * (options.height * samples) as usize;
    let is_worth_it = volume.n_voxels() + RAY * rays >= WORTH_A_GPU;
    let scene = Scene { args, cpu, options: &options, shows, start };
    let on_gpu = |gpu: Arc<Cuda>| {
        let march = DeviceMarch::new(&gpu, rule, &solid)?;
        scene.draw(Traced::on_gpu(&march))
    };
    let on_cpu = || scene.draw(Traced::new(&solid, &SpaceSkipping::new(rule, &solid, cpu)?));
    device::either(args.device, is_worth_it, ui, on_gpu, on_cpu)
}

/// Returns the step rule of the rays.
fn rule(args: &Args) -> Result<Rule> {
    let rule = args.rule.unwrap_or_default();
    match (rule, args.cone) {
        (Steps::Directional, cone) => {
            let cone = cone.unwrap_or(0.0);
            if !(0.0..90.0).contains(&cone) {
                let what = format!("--cone must be at least 0 and below 90 degrees, is {cone}");
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

/// Returns the visible part of the volume.
fn solid<'a>(args: &Args, volume: &'a Volume) -> Result<Solid<'a>> {
    match (&args.selection, args.level) {
        (Some(condition), _) => {
            let given = format!("--where {condition}");
            Solid::voxels(volume, selected(&args.file, volume, condition, &given)?)
        }
        (None, Some(level)) => Solid::level(volume, level),
        (None, None) if volume.name == "phi" => Solid::level(volume, 0.0),
        (None, None) => {
            let range = volume.statistics();
            let values =
                range.min.zip(range.max).map_or("no finite values".into(), |(low, high)| {
                    format!("values from {low} to {high}")
                });
            let what = format!("{}: a volume with {values}", shown(&args.file));
            let remedy = "choose the part to show: --level NUMBER for an isosurface, or \
                          --where \"v > NUMBER\" for voxels";
            Err(Error::usage(what, remedy))
        }
    }
}

/// Returns the number of rays per pixel along each side.
fn samples(args: &Args, shows: Shows) -> u32 {
    args.samples.unwrap_or(if shows == Shows::Shaded { 2 } else { 1 })
}

/// The settings for drawing a volume.
struct Scene<'a> {
    args: &'a Args,
    cpu: &'a Cpu,
    options: &'a Options,
    shows: Shows,
    /// When preparation began.
    start: Instant,
}

impl Scene<'_> {
    fn draw(&self, traced: Traced<'_>) -> Result<Drawn> {
        let prepared = self.start.elapsed().as_secs_f64();
        let args = self.args;
        let mut traced = traced
            .showing(self.shows)
            .with_samples(samples(args, self.shows))
            .with_title(args.title(), "");
        if let Some(colors) = &args.colors {
            traced = traced.colored_by(colors);
        }
        let camera = option_values::zoomed(traced.camera(self.options), args.zoom);
        let options = self.options.clone().with_camera(camera);
        let (image, counts) = self.cpu.run(|| picture::trace(&traced, &options))?;
        Ok(Drawn { image, counts, prepared })
    }
}
