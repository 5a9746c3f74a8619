//! Options and steps that the subcommands for volumes share.

use std::path::{Path, PathBuf};

use super::Ui;
use crate::error::{Error, FlawKind, Result, shown};
use crate::expression::Expression;
use crate::io::{RawLayout, VolumeFile, VolumeOptions, WriteOptions, read_volume, write_volume};
use crate::points::Criterion;
use crate::primitives::{All, Grid};
use crate::volume::Volume;

/// Options that supplement the header of a volume file.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Source {
    /// Layout of a raw file (numbers only, x fastest): SHAPE:TYPE[:SPACING[:SKIP]], such as
    /// 256x256x109:uint16le:1x1x1.5; TYPE is (u)int8 to (u)int64, float32 or float64, with le or
    /// be; SKIP is the number of bytes before the numbers
    #[arg(long, value_name = "LAYOUT", allow_hyphen_values = true)]
    pub raw: Option<RawLayout>,
    /// Read this array of a VTK image instead of its active scalars
    #[arg(long, value_name = "NAME")]
    pub array: Option<String>,
    /// Spacing of the voxels along each axis, instead of the one in the file, if any
    #[arg(long, value_name = "X,Y,Z", value_parser = spacing)]
    pub spacing: Option<[f64; 3]>,
    /// Layer of a segmentation (.seg.nrrd) to read, from 0
    #[arg(long, value_name = "N")]
    pub layer: Option<usize>,
    /// Segment of a segmentation (.seg.nrrd) to read: its voxels become 1, all others 0
    #[arg(long, value_name = "NAME")]
    pub segment: Option<String>,
    /// Volume of a 4-D file (time series) to read, from 0
    #[arg(long = "volume", alias = "volume-index", value_name = "N")]
    pub volume_index: Option<usize>,
    /// Channel to read, from 0: a color, a channel of a microscope, or a component of a vector
    #[arg(long, value_name = "N")]
    pub channel: Option<usize>,
}

impl Source {
    /// Returns the options of the readers.
    pub fn options(&self) -> VolumeOptions {
        VolumeOptions::default()
            .raw(self.raw.clone())
            .array(self.array.clone())
            .spacing(self.spacing)
            .layer(self.layer)
            .segment(self.segment.clone())
            .volume_index(self.volume_index)
            .channel(self.channel)
    }

    /// Returns the name of the first of these options that is given.
    pub fn first_given(&self) -> Option<&'static str> {
        let options = [
            ("--raw", self.raw.is_some()),
            ("--array", self.array.is_some()),
            ("--spacing", self.spacing.is_some()),
            ("--layer", self.layer.is_some()),
            ("--segment", self.segment.is_some()),
            ("--volume", self.volume_index.is_some()),
            ("--channel", self.channel.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

/// Parses a spacing: three positive numbers, separated by commas, or by x as in `--raw`.
fn spacing(text: &str) -> std::result::Result<[f64; 3], String> {
    let numbers = super::three(&text.replace('x', ","))?;
    match numbers.iter().all(|x| x.is_finite() && *x > 0.0) {
        true => Ok(numbers),
        false => Err("expected three positive numbers".into()),
    }
}

/// Reads a volume that is to be written to `output`.
///
/// # Errors
/// Returns [`Error::Input`] if the file has no volume.
pub fn read_for(input: &Path, output: &Path, options: &VolumeOptions) -> Result<VolumeFile> {
    read_volume(input, options).map_err(|error| mesh_instead(error, output))
}

/// Writes a volume that was read from `input`, and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Output`] if the output cannot be written.
pub fn write_for(
    input: &Path,
    output: &Path,
    file: VolumeFile,
    options: &WriteOptions,
    ui: &Ui,
) -> Result<()> {
    ui.warn_of(input, &file.warnings);
    let options = options.clone().time(file.state.time).units(file.state.units);
    ui.warn_of(output, write_volume(output, &file.volume, &options)?);
    let [x, y, z] = file.volume.shape();
    let kind = file.volume.samples().type_name();
    ui.print(&format!("{}: {x} x {y} x {z} voxels of {kind}\n", output.display()))
}

/// Rewrites the error about an input without a volume: the remedy depends on the output name.
fn mesh_instead(error: Error, output: &Path) -> Error {
    match error {
        Error::Input { file, flaw } if flaw.kind() == FlawKind::Unfit => {
            let remedy = format!(
                "{} is a volume format: end the output name in .vtu, .vtp, .msh, .ply or another mesh format",
                output.display()
            );
            Error::Input { file, flaw: flaw.with_remedy(remedy) }
        }
        other => other,
    }
}

/// Options that select voxels.
#[derive(Debug, clap::Args)]
pub struct Which {
    /// Select the voxels where this expression is true
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub condition: Option<Expression>,
    /// Select edge voxels: gradient magnitude of at least SIZE, in value units per length, from
    /// central differences
    #[arg(long, value_name = "SIZE", value_parser = at_least_zero, allow_hyphen_values = true)]
    pub edge: Option<f64>,
    /// Select voxels whose surroundings match this picture or volume, centered on the voxel
    #[arg(long = "match", value_name = "TEMPLATE")]
    pub template: Option<PathBuf>,
    /// Largest sum of absolute differences over the template that still counts as a match
    #[arg(long, value_name = "SUM", default_value_t = 0.0, requires = "template",
        value_parser = at_least_zero, allow_hyphen_values = true)]
    pub tolerance: f64,
}

/// The selected voxels.
pub struct Selection<'a> {
    /// The conditions. A selected voxel satisfies all of them.
    pub criteria: Vec<Criterion<'a>>,
    /// All conditions together, in the form that the CPU evaluates.
    pub all: All<'a>,
}

/// The shape and values of a template.
pub type Numbers = ([usize; 3], Vec<f64>);

impl Which {
    /// Names of the options. A command may require at least one of them.
    pub const OPTIONS: [&str; 3] = ["condition", "edge", "template"];

    /// Returns true if at least one of these options is given.
    pub fn is_given(&self) -> bool {
        self.condition.is_some() || self.edge.is_some() || self.template.is_some()
    }

    /// Returns the volume and the other files that are read.
    pub fn inputs<'a>(&'a self, volume: &'a Path) -> Vec<&'a Path> {
        [Some(volume), self.template.as_deref()].into_iter().flatten().collect()
    }

    /// Reads the template, if there is one, and prints the warnings of its reader.
    ///
    /// # Errors
    /// Returns the errors of [`read_volume`].
    pub fn template(&self, ui: &Ui) -> Result<Option<Numbers>> {
        let Some(path) = &self.template else { return Ok(None) };
        let file = read_volume(path, &VolumeOptions::default())?;
        ui.warn_of(path, &file.warnings);
        Ok(Some((file.volume.shape(), file.volume.to_f64())))
    }

    /// Returns the selected voxels of a volume.
    ///
    /// Warns if the axes are not at right angles and the result depends on these angles.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if an expression names something unknown, or if the template is
    /// larger than the volume.
    pub fn selection<'a>(
        &'a self,
        path: &Path,
        volume: &'a Volume,
        template: Option<&'a Numbers>,
        ui: &Ui,
    ) -> Result<Selection<'a>> {
        let mut criteria: Vec<Criterion> = Vec::new();
        criteria.extend(self.condition.as_ref().map(Criterion::Holds));
        if let Some(low) = self.edge {
            ui.warn_of(path, oblique(volume));
            criteria.push(Criterion::Edge(low));
        }
        if let Some((shape, values)) = template {
            let sizes = volume.shape();
            if let Some(k) = (0..3).find(|&k| shape[k] > sizes[k]) {
                let what = format!(
                    "--match: the template has {} voxels along {}, but {} has {}",
                    shape[k],
                    ["i", "j", "k"][k],
                    shown(path),
                    sizes[k]
                );
                return Err(Error::usage(what, "use a template that is no larger than the volume"));
            }
            criteria.push(Criterion::Fits(Grid::new(*shape, values), self.tolerance));
        }
        Ok(Selection { all: Criterion::all(&criteria, volume)?, criteria })
    }
}

/// Formats the options as on the command line, joined by "and", for messages.
impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let parts = [
            self.condition.as_ref().map(|expression| format!("--where \"{expression}\"")),
            self.edge.map(|size| format!("--edge {size}")),
            self.template.as_ref().map(|path| format!("--match {}", shown(path))),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" and "))
    }
}

fn at_least_zero(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("expected a number >= 0".into()),
    }
}

/// Returns, for each voxel, whether it satisfies an expression. At least one voxel must satisfy it.
/// Messages name the option `given`.
///
/// # Errors
/// Returns [`Error::Case`] if the expression cannot be evaluated, or if no voxel satisfies it.
pub fn selected(
    path: &Path,
    volume: &Volume,
    expression: &Expression,
    given: &str,
) -> Result<Vec<bool>> {
    let selected = volume.select(expression)?;
    if selected.contains(&true) {
        return Ok(selected);
    }
    let found = volume.statistics();
    let range = match (found.min, found.max) {
        (Some(min), Some(max)) => format!(", values range from {min} to {max}"),
        _ => ", no value is finite".into(),
    };
    let what = format!("{given}: no voxel of {} satisfies it{range}", shown(path));
    let remedy = "change the expression; `zeroset info` shows the values in the file";
    Err(Error::usage(what, remedy))
}

/// Returns a warning if the axes are not at right angles, for methods that use only the spacing.
pub fn oblique(volume: &Volume) -> Option<String> {
    let axes = volume.placement().directions();
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let cosine = |(a, b): (usize, usize)| -> f64 { (0..3).map(|k| axes[a][k] * axes[b][k]).sum() };
    let (a, b) = pairs.into_iter().max_by(|&p, &q| cosine(p).abs().total_cmp(&cosine(q).abs()))?;
    let angle = cosine((a, b)).acos().to_degrees();
    let name = |k: usize| ["x", "y", "z"][k];
    (cosine((a, b)).abs() > 1e-3).then(|| {
        format!(
            "axes {} and {} meet at {angle:.2} degrees; distances are computed as for right angles",
            name(a),
            name(b)
        )
    })
}
