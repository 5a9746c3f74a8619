//! Parses the command line, with the rules that all commands share.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, FromArgMatches};

use super::Cli;
use super::points::OLD_COMMANDS;
use crate::error::STANDARD_INPUT;

/// Names of the arguments that hold output files, in all commands.
const OUTPUTS: [&str; 5] = ["output", "picture", "paths", "report", "rest"];

/// Parses a command line that starts with the program name.
pub(super) fn parse<W>(words: impl IntoIterator<Item = W>) -> Result<Cli, clap::Error>
where
    W: Into<OsString> + Clone,
{
    let words = with_mode(words.into_iter().map(Into::into).collect());
    let mut command = prepared(Cli::command());
    let mut found = command.try_get_matches_from_mut(words).map_err(with_remedy)?;
    Cli::from_arg_matches_mut(&mut found).map_err(|error| error.format(&mut command))
}

/// Adds the mode option if the command is an alias of `points` that was once a separate command.
fn with_mode(mut words: Vec<OsString>) -> Vec<OsString> {
    let name = words.iter().skip(1).position(|word| !word.to_string_lossy().starts_with('-'));
    let Some(at) = name.map(|n| n + 1) else { return words };
    if let Some(mode) = OLD_COMMANDS.into_iter().find(|mode| words[at] == *mode) {
        words.insert(at + 1, format!("--{mode}").into());
    }
    words
}

/// Adds a remedy to the error about conflicting options.
fn with_remedy(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::ArgumentConflict {
        let remedy = ContextValue::StyledStrs(vec!["leave out one of them".into()]);
        error.insert(ContextKind::Suggested, remedy);
    }
    error
}

/// Prepares a command: options accept negative numbers, so that the range check can reject them
/// with its own message, and `-` as a file name means standard input or is rejected.
fn prepared(command: Command) -> Command {
    let prepare = |mut arg: Arg| {
        if !arg.is_positional() && arg.get_action().takes_values() {
            arg = arg.allow_negative_numbers(true);
        }
        if arg.get_value_parser().type_id() != TypeId::of::<PathBuf>() {
            return arg;
        }
        let file = PathBufValueParser::new();
        match arg.get_id().as_str() {
            "case" => arg.value_parser(file.try_map(case)),
            id if OUTPUTS.contains(&id) => arg.value_parser(file.try_map(output)),
            _ => arg.value_parser(file.try_map(input)),
        }
    };
    command.mut_args(prepare).mut_subcommands(prepared)
}

fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Maps `-` to standard input, if the system has a name for it.
fn input(path: PathBuf) -> Result<PathBuf, &'static str> {
    match is_stream(&path) {
        true if cfg!(unix) => Ok(STANDARD_INPUT.into()),
        true => Err("this system has no name for standard input; name a file"),
        false => Ok(path),
    }
}

fn output(path: PathBuf) -> Result<PathBuf, &'static str> {
    match is_stream(&path) {
        true => Err("output goes to a complete file, never to standard output; name a file"),
        false => Ok(path),
    }
}

fn case(path: PathBuf) -> Result<PathBuf, &'static str> {
    match is_stream(&path) {
        true => Err("paths in a case are relative to the case file; name that file"),
        false => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all arguments of a command and its subcommands, with their full names.
    fn all(command: &Command, above: &str) -> Vec<(String, Arg)> {
        let name = format!("{above} {}", command.get_name());
        let named = |arg: &Arg| (format!("{name} {}", arg.get_id()), arg.clone());
        let own = command.get_arguments().map(named);
        own.chain(command.get_subcommands().flat_map(|sub| all(sub, &name))).collect()
    }

    #[test]
    fn every_option_that_takes_a_value_takes_a_negative_number() {
        let (mut options, mut files) = (0, 0);
        for (name, arg) in all(&prepared(Cli::command()), "") {
            if arg.get_action().takes_values() && !arg.is_positional() {
                let takes = arg.is_allow_negative_numbers_set() || arg.is_allow_hyphen_values_set();
                assert!(takes, "{name}");
                options += 1;
            }
            if arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
                let id = arg.get_id().to_string();
                let alone = Arg::new("file").value_parser(arg.get_value_parser().clone());
                let found = Command::new("x").arg(alone).try_get_matches_from(["x", "-"]);
                let found = found.map(|mut found| found.remove_one::<PathBuf>("file").unwrap());
                match (cfg!(unix), OUTPUTS.contains(&id.as_str()) || id == "case") {
                    (true, false) => {
                        assert_eq!(found.unwrap(), PathBuf::from(STANDARD_INPUT), "{name}")
                    }
                    _ => assert!(found.unwrap_err().to_string().contains("; name "), "{name}"),
                }
                files += 1;
            }
        }
        assert!(options > 60 && files > 30, "{options} options, {files} files");
    }

    #[test]
    fn the_arguments_are_consistent() {
        prepared(Cli::command()).debug_assert();
        assert!(parse(["zeroset", "run", "case.toml", "--threads", "256"]).is_ok());
    }

    #[test]
    fn commands_that_became_modes_keep_their_names() {
        let mode = |line: &str| match parse(line.split(' ').map(OsString::from)).unwrap().command {
            super::super::Command::Points(args) => (args.tree, args.sparse),
            other => panic!("{other:?}"),
        };
        assert_eq!(mode("zeroset -v tree a.nii -o t.vtu"), (true, false));
        assert_eq!(mode("zeroset points a.nii --tree -o t.vtu"), (true, false));
        assert_eq!(mode("zeroset sparse tree -o m.mtx --where v"), (false, true));
        assert_eq!(mode("zeroset points tree --where v"), (false, false));
    }

    #[test]
    fn modes_that_exclude_each_other_are_refused_with_a_remedy() {
        for (line, other) in [
            ("points a.nii --tree --count", "--count"),
            ("points a.nii --tree --sparse -o t.mtx", "--sparse"),
            ("points a.nii --tree --entries 3 -o t.csv", "--entries"),
            ("tree a.nii --blocks 4 -o t.csv", "--blocks"),
            ("tree a.nii --copies 2 -o t.csv", "--copies"),
            ("tree a.nii --order lines -o t.csv", "--order"),
            ("sparse a.npy --count", "--count"),
            ("sparse a.npy --edge 3 -o m.mtx", "--edge"),
            ("sparse a.npy --match b.png -o m.mtx", "--match"),
        ] {
            let words = std::iter::once("zeroset").chain(line.split(' '));
            let said = parse(words).map(|_| ()).unwrap_err().to_string();
            assert!(said.contains("cannot be used with") && said.contains(other), "{said}");
            assert!(said.contains("leave out one of them"), "{said}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_told_the_range() {
        let refused = |line: &str| {
            let words = line.split(' ').map(OsString::from);
            parse(words).map(|_| ()).unwrap_err().to_string()
        };
        for (line, range) in [
            ("zeroset edt a.nii --where v -o b.nii --threads -1", "-1 is not in 0..=256"),
            ("zeroset run case.toml --threads 257", "'--threads <N>': 257 is not in 0..=256"),
            ("zeroset isosurface a.nii --level -1 -o b.ply --smooth -3", "-3 is not in 0..="),
            ("zeroset sample a.ply -o b.ply -n -5", "-5 is not in 1.."),
            ("zeroset sample a.ply -o b.ply -n 0", "0 is not in 1.."),
            ("zeroset sample a.ply -o b.ply -n 9 --seed -1", "0 to 18446744073709551615"),
            ("zeroset generate sphere -o b.ply --seed -1", "0 to 18446744073709551615"),
            ("zeroset generate square -o b.ply --cells -4,4", "\"-4\" is not a valid number"),
            ("zeroset render a.nii --level 1 -o b.png --size -3x5", "pixels such as 1200x900"),
            ("zeroset points a.nii --where v --blocks -2", "-2 is not in 1..="),
            ("zeroset distance a.ply --from vertex:0 -o b.vtp --patch-size -8", "8 to 4096"),
        ] {
            let said = refused(line);
            assert!(said.contains(range) && !said.contains("tip"), "{line}: {said}");
        }
    }
}
