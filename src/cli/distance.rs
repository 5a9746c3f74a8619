//! `zeroset distance MESH --from ...`: distances without a case file.

use std::path::{Path, PathBuf};

use super::progress::observer;
use super::{Ui, json};
use crate::config::{Config, Distance, MeshSource, Precision, Seed, Speed};
use crate::error::{Error, Result};
use crate::output::Report;
use crate::patches::{PATCH_SIZE, Partition};
use crate::run;

/// Arguments of `zeroset distance`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Sources (vertices are numbered from 0 in the order of the file):
  --from vertex:17            a vertex
  --from vertex:0,17@0.5      two vertices, both with start value 0.5
  --from point:1.5,-2,30      a point of the mesh; moved to it by up to one edge length
  --from group:inlet          a named group of the mesh, see `zeroset info`

Examples:
  zeroset distance meshes/pial.gii.gz --from vertex:17 -o distance.vtp
  zeroset distance part.msh --from group:inlet --from group:outlet --width 5 -o near.vtu
  zeroset distance part.msh --from vertex:0 --speed conductivity -o arrival.vtu

The array `distance` of the output holds the results in the order of the input; vertices that no
front reaches are NaN, those beyond --width hold the width.")]
pub struct Args {
    /// The mesh file
    pub mesh: PathBuf,
    /// Where the distance is zero: vertex:N[,N...], point:X,Y,Z or group:NAME, each with @START;
    /// repeatable
    #[arg(long, value_name = "SOURCE", required = true, allow_hyphen_values = true)]
    pub from: Vec<Seed>,
    /// Output file, .vtu or .vtp; .shape.gii and .morph for cortex users
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Take the nearest point of the mesh, however far a point is off
    #[arg(long)]
    pub snap: bool,
    /// Largest distance of interest, mesh units; default everywhere
    #[arg(long, value_name = "LENGTH", value_parser = positive)]
    pub width: Option<f64>,
    /// Speed of the front: a number, or the name of a cell array
    #[arg(long, value_name = "NUMBER|ARRAY", value_parser = speed)]
    pub speed: Option<Speed>,
    /// f64 or f32
    #[arg(long, value_name = "TYPE", default_value = "f64", value_parser = word::<Precision>)]
    pub precision: Precision,
    /// Vertices per patch at most
    #[arg(long, value_name = "N", default_value_t = PATCH_SIZE, value_parser = patch_size)]
    pub patch_size: usize,
    /// hilbert-metis, metis, hilbert or blocks
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "hilbert-metis",
        value_parser = word::<Partition>
    )]
    pub partition: Partition,
    /// CPU threads; 0 takes all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Say everything as JSON, for programs: stages and warnings as lines on standard error, the end
    /// with the report on standard output
    #[arg(long)]
    pub json: bool,
}

/// Computes the distance, writes it and prints a summary.
///
/// # Errors
/// All kinds.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let path = args
        .mesh
        .to_str()
        .ok_or_else(|| Error::usage(format!("{:?} is no text", args.mesh), "rename the file"))?;
    let mesh = MeshSource {
        path: Some(path.to_string()),
        generate: None,
        refine: 0,
        patch_size: args.patch_size,
        partition: Some(args.partition),
        data: Vec::new(),
    };
    let distance = Distance {
        from: args.from,
        signed: None,
        width: args.width,
        speed: args.speed,
        snap: args.snap,
    };
    let mut config = Config::of_distance(mesh, distance);
    config.precision = args.precision;
    config.device.threads = args.threads;
    config.check()?;
    let report = {
        let observer = observer(ui);
        run::distance(&config, &args.output, &*observer)?
    };
    match ui.is_json() {
        true => ui.print(&json::end(&report, &args.output, 0))?,
        false => ui.print(&summary(&report, &args.output))?,
    }
    Ok(0)
}

/// What was computed, for the screen.
fn summary(report: &Report, output: &Path) -> String {
    let mut text =
        format!("mesh      {} vertices, {} cells\n", report.mesh.vertices, report.mesh.cells);
    if let Some(d) = &report.distances {
        text += &format!("reached   {} vertices, not reached {}\n", d.reached, d.not_reached);
        text += &format!("distance  {}\n", d.range());
    }
    let seconds = &report.seconds;
    text + &format!(
        "seconds   {:.2}, of these solving {:.2}\nresults   {}\n",
        seconds.total,
        seconds.reinitialize,
        output.display()
    )
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        Ok(x) => Err(format!("must be > 0 and finite, is {x}")),
        Err(_) => Err("expected a number > 0".into()),
    }
}

fn speed(text: &str) -> std::result::Result<Speed, String> {
    match text.trim().parse::<f64>() {
        Ok(_) => positive(text).map(Speed::Number),
        Err(_) => Ok(Speed::Data { cell_data: text.to_string() }),
    }
}

fn patch_size(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(n) if (8..=4096).contains(&n) => Ok(n),
        _ => Err("expected a whole number, 8 to 4096".into()),
    }
}

/// A word of the case file, such as a partition.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> std::result::Result<T, String> {
    let text = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(text);
    T::deserialize(text).map_err(|e| e.to_string())
}
