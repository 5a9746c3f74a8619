//! What the subcommands that read volumes share.

use std::path::Path;

use super::Ui;
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::io::{
    RawLayout, VolumeOptions, WriteOptions, check_volume_target, read_volume, write_volume,
};
use crate::volume::Volume;

/// What a file of a volume does not say by itself.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Source {
    /// The file holds numbers alone, x fastest: SHAPE:TYPE[:SPACING[:SKIP]], such as
    /// 256x256x109:uint16le:1x1x1.5; TYPE is (u)int8 to (u)int64, float32 or float64 with le or be,
    /// SKIP counts bytes before the numbers
    #[arg(long, value_name = "LAYOUT")]
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
    for warning in &file.warnings {
        ui.say(&format!("warning: {}: {warning}", input.display()));
    }
    for warning in write_volume(output, &file.volume, options)? {
        ui.say(&format!("warning: {}: {warning}", output.display()));
    }
    let [x, y, z] = file.volume.shape();
    let kind = file.volume.samples().type_name();
    ui.print(&format!("{}: {x} x {y} x {z} voxels of {kind}\n", output.display()))?;
    Ok(0)
}

/// A file without a volume, under the name of one to write: what to do depends on the output.
fn mesh_instead(error: Error, output: &Path) -> Error {
    match error {
        Error::Input { file, position, what, .. } if what == "holds no volume" => {
            let remedy = format!(
                "{} would be one: end the name of the output in .vtu, .vtp, .msh, .ply or the like",
                output.display()
            );
            Error::Input { file, position, what, remedy }
        }
        other => other,
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
    let what = format!("--where {expression}: no voxel of {} fulfills it{range}", path.display());
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
