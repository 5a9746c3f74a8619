//! `zeroset run CASE.toml`: runs a case and writes its results.

use std::path::{Path, PathBuf};

use super::compressed::Compressed;
use super::interrupt::Interrupt;
use super::picture_options::PictureOptions;
use super::progress::observer;
use super::{NOT_MET, Ui, json, memory, threads, word};
use crate::config::{Config, DeviceKind, Domain, Drawn, ReadCase};
use crate::error::{Error, Result};
use crate::grid;
use crate::output::Status;
use crate::run;

/// Arguments of `zeroset run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset run configs/shrinking_circle.toml
  zeroset run configs/shrinking_circle.toml --set evolve.cfl=0.5 --set output.every=10
  zeroset run configs/shrinking_circle.toml -o results/other --overwrite --threads 4
  zeroset run configs/shrinking_circle.toml -o results/other --resume
  zeroset run configs/shrinking_circle.toml -o results/gpu --device cuda
  zeroset run configs/shrinking_circle.toml --picture circle.png
  zeroset run configs/shrinking_circle.toml --set output.format=vtkhdf -o results/one_file
  zeroset run configs/shrinking_circle.toml --json > end.json

The run writes NAME.pvd (open it in ParaView) with one file per state, or NAME.vtkhdf with all
states, and interface.pvd, measures.csv, report.json and report.html (open it in a browser). Ctrl-C
stops the run cleanly: it writes the current state and a checkpoint. The same command with --resume
continues from there, and its results are bitwise identical to those of a run that was never
interrupted. Checkpoints are also written every 10 minutes (output.checkpoint).")]
pub struct Args {
    /// The case file
    pub case: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Folder for the results; default the folder in the case, or results/NAME
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace an earlier run in the folder
    #[arg(long)]
    pub overwrite: bool,
    /// Continue an interrupted run in the folder from its last checkpoint
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Also draw the last state into this .png file, with the settings of [output.picture]
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    #[command(flatten)]
    pub compressed: Compressed,
    #[command(flatten)]
    pub style: PictureOptions,
    /// Print JSON for programs: progress and warnings as lines on standard error, the final report
    /// on standard output
    #[arg(long)]
    pub json: bool,
}

/// Options that override values of a case file.
#[derive(Debug, clap::Args)]
pub struct Overrides {
    /// Override a value of the case, such as evolve.cfl=0.25; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Device: auto, cpu or cuda; see `zeroset devices`
    #[arg(long, value_name = "DEVICE", value_parser = word::<DeviceKind>)]
    pub device: Option<DeviceKind>,
    /// Number of CPU threads; 0 uses all cores
    #[arg(long, value_name = "N", value_parser = threads::number())]
    pub threads: Option<usize>,
}

impl Overrides {
    /// Loads and checks the case with all overrides. If its domain is tiled, registers the remedy
    /// to print if memory runs out.
    ///
    /// # Errors
    /// Returns the errors of [`Config::load`].
    pub(super) fn load(&self, case: &Path) -> Result<Config> {
        let config = Config::load(case, &self.options())?;
        prepare_for(&config);
        Ok(config)
    }

    /// Loads as much of the case as possible, like [`Overrides::load`], and collects all its
    /// problems.
    pub(super) fn load_with_problems(&self, case: &Path) -> ReadCase {
        let read = Config::load_with_problems(case, &self.options());
        read.config.iter().for_each(prepare_for);
        read
    }

    /// Returns all overrides as `key=value`.
    pub(super) fn options(&self) -> Vec<String> {
        let device = self.device.map(|kind| format!("device.use={}", device_word(kind)));
        let threads = self.threads.map(|n| format!("device.threads={n}"));
        self.set.iter().cloned().chain(device).chain(threads).collect()
    }
}

/// Registers the remedy to print if a case on tiles runs out of memory.
fn prepare_for(config: &Config) {
    if matches!(config.domain, Domain::Tiled(_)) {
        memory::remedy(grid::REMEDY);
    }
}

/// Returns a device as it is written on the command line.
fn device_word(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Auto => "auto",
        DeviceKind::Cpu => "cpu",
        DeviceKind::Cuda => "cuda",
    }
}

/// Runs the case and prints a summary.
///
/// # Errors
/// Returns any error of the library.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    // The handler comes first, so that the preparation can be interrupted too.
    let interrupt = Interrupt::of_run(ui);
    let mut config = args.overrides.load(&args.case)?;
    if let Some(file) = &args.picture {
        config.output.picture.get_or_insert_default().file = Some(file.clone());
    }
    if let Some(compression) = args.compressed.compression {
        config.output.compression = Some(compression);
    }
    args.style.configure(config.output.picture.as_mut())?;
    config.check()?;
    let outcome = {
        let observer = observer(ui);
        let observer = interrupt.watching(&*observer);
        let options = run::Options::new(interrupt.flag(), &observer)
            .into_folder(args.output.clone(), args.overwrite)
            .resuming(args.resume);
        run::run(&config, &options)?
    };
    let code = match outcome.report.status {
        Status::Interrupted => Error::Interrupted.exit_code(),
        _ if !outcome.report.is_met() => NOT_MET,
        _ => 0,
    };
    let pictures = pictures(&config, &outcome.folder).unwrap_or_default();
    match ui.is_json() {
        true => ui.print(&json::end(&outcome.report, &outcome.folder, code))?,
        false => ui.print(&(outcome.report.summary(&outcome.folder) + &pictures))?,
    }
    if code == Error::Interrupted.exit_code() {
        let resume = outcome.resumable.then(|| resuming(&args));
        match (ui.is_json(), resume) {
            (true, resume) => ui.complain(&json::interrupted(resume.as_deref())),
            (false, Some(resume)) => ui.say(&format!("to continue: {resume}")),
            (false, None) => {}
        }
    }
    Ok(code)
}

/// Returns the command that resumes the run of `args`.
fn resuming(args: &Args) -> String {
    let mut words = vec!["zeroset".into(), "run".into(), args.case.display().to_string()];
    let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
    args.overrides.set.iter().for_each(|set| option("--set", set.clone()));
    args.overrides.device.iter().for_each(|&kind| option("--device", device_word(kind).into()));
    args.overrides.threads.iter().for_each(|n| option("--threads", n.to_string()));
    args.output.iter().for_each(|folder| option("-o", folder.display().to_string()));
    args.picture.iter().for_each(|file| option("--picture", file.display().to_string()));
    args.compressed.word().iter().for_each(|word| option("--compression", word.to_string()));
    words.extend(args.style.given());
    words.push("--resume".into());
    let plain = |c: char| c.is_alphanumeric() || "/\\.:=_-+,~".contains(c);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Returns a line with the path of the pictures, or `None` if the case draws no pictures.
fn pictures(config: &Config, folder: &Path) -> Option<String> {
    let picture = config.output.picture.as_ref()?;
    let name = match picture.every {
        Drawn::State => format!("{}_*.png", config.name()),
        Drawn::Last => format!("{}.png", config.name()),
    };
    let file = picture.file.clone().unwrap_or_else(|| folder.join(name));
    Some(format!("picture      {}\n", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::vtk::Compression;

    #[test]
    fn the_command_that_goes_on_can_be_pasted() {
        let args = Args {
            case: "my cases/a.toml".into(),
            overrides: Overrides {
                set: vec!["evolve.cfl=0.5".into(), "output.checkpoint={ every = 3 }".into()],
                device: Some(DeviceKind::Cuda),
                threads: Some(2),
            },
            output: Some("it's".into()),
            overwrite: true,
            resume: false,
            picture: None,
            compressed: Compressed { compression: Some(Compression::Lz4) },
            style: PictureOptions { title: Some("two words".into()), ..Default::default() },
            json: false,
        };
        assert_eq!(
            resuming(&args),
            "zeroset run 'my cases/a.toml' --set evolve.cfl=0.5 \
             --set 'output.checkpoint={ every = 3 }' --device cuda --threads 2 -o 'it'\\''s' \
             --compression lz4 --title 'two words' --resume"
        );
    }
}
