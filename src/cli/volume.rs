//! Options and steps that the subcommands that read volumes share.

use std::path::{Path, PathBuf};

use super::Ui;
use zeroset::error::{Error, FlawKind, Result, shown};
use zeroset::expression::Expression;
use zeroset::io::{
    RawLayout, VolumeOptions, WriteOptions, check_volume_target, read_volume, write_volume,
};
use zeroset::points::Criterion;
use zeroset::primitives::{All, Grid};
use zeroset::volume::Volume;

/// What a file of a volume does not say by itself.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Source {
    /// The file holds numbers alone, x fastest: SHAPE:TYPE[:SPACING[:SKIP]], such as
    /// 256x256x109:uint16le:1x1x1.5; TYPE is (u)int8 to (u)int64, float32 or float64 with le or be,
    /// SKIP counts bytes before the numbers
    #[arg(long, value_name = "LAYOUT", allow_hyphen_values = true)]
    pub raw: Option<RawLayout>,
    /// Take this array of a VTK image, not its active scalars
    #[arg(long, value_name = "NAME")]
    pub array: Option<String>,
}

impl Source {
    /// As the readers take it.
    pub fn options(&self) -> VolumeOptions {
        VolumeOptions::default().raw(self.raw.clone()).array(self.array.clone())
    }

    /// True if an option speaks of a volume.
    pub fn is_given(&self) -> bool {
        self.raw.is_some() || self.array.is_some()
    }
}

/// Writes a volume in another format, and says in one line what was written.
///
/// # Errors
/// [`Error::Case`] for an output that cannot be, before anything is read; [`Error::Input`] for a
/// file without a volume; [`Error::Output`].
pub fn convert(
    input: &Path,
    output: &Path,
    source: &Source,
    options: &WriteOptions,
    ui: &Ui,
) -> Result<u8> {
    check_volume_target(output, options)?;
    let file =
        read_volume(input, &source.options()).map_err(|error| mesh_instead(error, output))?;
    ui.warn_of(input, &file.warnings);
    ui.warn_of(output, write_volume(output, &file.volume, options)?);
    let [x, y, z] = file.volume.shape();
    let kind = file.volume.samples().type_name();
    ui.print(&format!("{}: {x} x {y} x {z} voxels of {kind}\n", output.display()))?;
    Ok(0)
}

/// A file without a volume, under the name of one to write: what to do depends on the output.
fn mesh_instead(error: Error, output: &Path) -> Error {
    match error {
        Error::Input { file, flaw } if flaw.kind() == FlawKind::Unfit => {
            let remedy = format!(
                "{} would be one: end the name of the output in .vtu, .vtp, .msh, .ply or the like",
                output.display()
            );
            Error::Input { file, flaw: flaw.with_remedy(remedy) }
        }
        other => other,
    }
}

/// Which voxels are taken.
#[derive(Debug, clap::Args)]
pub struct Which {
    /// What holds at the voxels to take
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub condition: Option<Expression>,
    /// Take voxels on edges: where the gradient has this size or more, in units of the values per
    /// length, by central differences
    #[arg(long, value_name = "SIZE", value_parser = at_least_zero, allow_hyphen_values = true)]
    pub edge: Option<f64>,
    /// Take voxels where this picture or volume is found, its middle lying on the voxel
    #[arg(long = "match", value_name = "TEMPLATE")]
    pub template: Option<PathBuf>,
    /// Largest sum of the absolute differences over all voxels of the template
    #[arg(long, value_name = "SUM", default_value_t = 0.0, requires = "template",
        value_parser = at_least_zero, allow_hyphen_values = true)]
    pub tolerance: f64,
}

/// The voxels that are taken.
pub struct Selection<'a> {
    /// What is asked of them.
    pub criteria: Vec<Criterion<'a>>,
    /// All of that, as the CPU asks.
    pub all: All<'a>,
}

/// What [`Which::template`] reads.
pub type Numbers = ([usize; 3], Vec<f64>);

impl Which {
    /// Names of the options, of which one at least may be required.
    pub const OPTIONS: [&str; 3] = ["condition", "edge", "template"];

    /// True if one of them is given.
    pub fn is_given(&self) -> bool {
        self.condition.is_some() || self.edge.is_some() || self.template.is_some()
    }

    /// A volume and what is read beside it.
    pub fn inputs<'a>(&'a self, volume: &'a Path) -> Vec<&'a Path> {
        [Some(volume), self.template.as_deref()].into_iter().flatten().collect()
    }

    /// The values of the template, if there is one; says what its file is warned of.
    ///
    /// # Errors
    /// Those of [`read_volume`].
    pub fn template(&self, ui: &Ui) -> Result<Option<Numbers>> {
        let Some(path) = &self.template else { return Ok(None) };
        let file = read_volume(path, &VolumeOptions::default())?;
        ui.warn_of(path, &file.warnings);
        Ok(Some((file.volume.shape(), file.volume.to_f64())))
    }

    /// The voxels of a volume; warns of axes that are not at right angles where that counts.
    ///
    /// # Errors
    /// [`Error::Case`] for an expression of other names, and a template that is larger than the volume.
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
                    "--match: the template has {} voxels along {}, {} has {}",
                    shape[k],
                    ["i", "j", "k"][k],
                    shown(path),
                    sizes[k]
                );
                return Err(Error::usage(what, "cut it out of such a volume, or make it smaller"));
            }
            criteria.push(Criterion::Fits(Grid::new(*shape, values), self.tolerance));
        }
        Ok(Selection { all: Criterion::all(&criteria, volume)?, criteria })
    }
}

/// As on the command line.
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
        _ => Err("a number of 0 or more is expected".into()),
    }
}

/// The voxels that fulfill an expression, at least one.
///
/// # Errors
/// [`Error::Case`] for an expression that cannot be evaluated, and if no voxel fulfills it.
pub fn selected(path: &Path, volume: &Volume, expression: &Expression) -> Result<Vec<bool>> {
    let selected = volume.select(expression)?;
    if selected.contains(&true) {
        return Ok(selected);
    }
    let found = volume.statistics();
    let range = match (found.min, found.max) {
        (Some(min), Some(max)) => format!(", values are {min} to {max}"),
        _ => ", no value is finite".into(),
    };
    let what = format!("--where {expression}: no voxel of {} fulfills it{range}", shown(path));
    let remedy = "write one that holds somewhere; `zeroset info` tells what is in the file";
    Err(Error::usage(what, remedy))
}

/// What to say of axes that are not at right angles, where only their spacing counts.
pub fn oblique(volume: &Volume) -> Option<String> {
    let axes = volume.placement().directions();
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let cosine = |(a, b): (usize, usize)| -> f64 { (0..3).map(|k| axes[a][k] * axes[b][k]).sum() };
    let (a, b) = pairs.into_iter().max_by(|&p, &q| cosine(p).abs().total_cmp(&cosine(q).abs()))?;
    let angle = cosine((a, b)).acos().to_degrees();
    let name = |k: usize| ["x", "y", "z"][k];
    (cosine((a, b)).abs() > 1e-3).then(|| {
        format!(
            "axes {} and {} meet at {angle:.2} degrees; distances are taken as if at right angles",
            name(a),
            name(b)
        )
    })
}
