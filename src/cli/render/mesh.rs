//! Draws the picture of a mesh for `zeroset render`.

use std::sync::Arc;

use super::{Args, WORTH_A_GPU, option_values};
use crate::cli::{Ui, convert, device};
use crate::error::{Error, Result, shown};
use crate::gpu::Cuda;
use crate::mesh::{Mesh, Places};
use crate::picture::cuda::draw_on;
use crate::picture::{self, Image, Labels, Lines, Subject};

/// Draws a mesh. `unit` is the unit of length, which may be empty.
///
/// # Errors
/// Returns [`Error::Case`] if options apply only to volumes or do not fit the mesh;
/// [`Error::Device`] if a GPU fails.
pub(super) fn draw(
    args: &Args,
    mesh: &Mesh,
    (overlay, unit): (Option<&str>, String),
    ui: &Ui,
) -> Result<Image> {
    check(args)?;
    let known = [("phi", Lines::Interface), ("distance", Lines::Round)];
    let array = known.into_iter().find_map(|(name, lines)| {
        let array = mesh.vertex_array(name).filter(|array| array.components == 1)?;
        Some((name, lines, array.values.to_f64()))
    });
    let height = || mesh.vertices.iter().map(|x| x[2]).collect();
    let (name, lines, values) = array.unwrap_or_else(|| ("z", Lines::None, height()));
    let colors = Colors::new(args, mesh, overlay)?;
    let mut subject =
        Subject::new(mesh, &values).with_lines(lines).with_name(name).with_title(args.title(), "");
    let paint = if name == "z" { picture::vertex_colors(mesh) } else { None };
    match (&colors, &paint) {
        (Some(Colors::Labels(name, labels)), _) => subject = subject.labeled(name, labels),
        (Some(Colors::Values(name, values)), _) => subject = subject.colored_by(name, values),
        (None, Some(paint)) => subject = subject.painted(paint),
        (None, None) => {}
    }
    let mut options = args.options(None)?;
    // A distance may be an arrival time, and the unit of any other array is unknown.
    if colors.is_none() && paint.is_none() && name != "distance" && args.style.unit.is_none() {
        options.unit = unit;
    }
    options = options.settled(&subject)?;
    options.camera = options.camera.map(|camera| option_values::zoomed(camera, args.zoom));
    let work = picture::work(&subject, &options);
    let on_gpu = |gpu: Arc<Cuda>| draw_on(&gpu, &subject, &options);
    let on_cpu = || picture::draw(&subject, &options);
    device::either(args.device, work >= WORTH_A_GPU, ui, on_gpu, on_cpu)
}

/// The labels or values that `--colors` or `--data` shows.
enum Colors {
    Labels(String, Labels),
    Values(String, Vec<f64>),
}

impl Colors {
    fn new(args: &Args, mesh: &Mesh, overlay: Option<&str>) -> Result<Option<Self>> {
        let (text, name) = match (&args.colors, overlay) {
            (Some(colors), _) => {
                let text = colors.text();
                (text, text.trim().trim_start_matches('{').trim_end_matches('}'))
            }
            (None, Some(name)) => (name, name),
            (None, None) => return Ok(None),
        };
        if let Some(labels) = Labels::of_array(mesh, name) {
            return Ok(Some(Colors::Labels(name.into(), labels)));
        }
        let values = match &args.colors {
            Some(colors) => convert::values(mesh, colors, Places::Vertices)?,
            None => mesh.numbers(name, Places::Vertices)?.values,
        };
        Ok(Some(Colors::Values(text.into(), values)))
    }
}

/// Returns an error if an option that applies only to volumes is given.
fn check(args: &Args) -> Result<()> {
    let for_volumes = [
        ("--where", args.selection.is_some()),
        ("--level", args.level.is_some()),
        ("--rule", args.rule.is_some()),
        ("--cone", args.cone.is_some()),
        ("--image", args.image.is_some()),
        ("--samples", args.samples.is_some()),
    ];
    let drawing = for_volumes.into_iter().find(|(_, given)| *given).map(|(option, _)| option);
    if let Some(option) = drawing.or(args.source.first_given()) {
        let what = format!("{}: {option} is for volumes, but this is a mesh", shown(&args.file));
        let remedy = "use --colors to show arrays, and `zeroset convert --where` to select cells";
        return Err(Error::usage(what, remedy));
    }
    Ok(())
}
