//! `zeroset completions` and `zeroset manual`: files for shells and for `man`.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Ui};
use crate::atomic;
use crate::error::{Error, Result};
use crate::output::Claims;

/// Arguments of `zeroset completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset completions bash > ~/.local/share/bash-completion/completions/zeroset
  zeroset completions zsh > ~/.zfunc/_zeroset
  zeroset completions fish > ~/.config/fish/completions/zeroset.fish

The shell reads the file when it starts. It then completes commands, options and their values.")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Arguments of `zeroset manual`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset manual -o ~/.local/share/man/man1
  man zeroset-distance

The folder must exist. Existing pages in it are not replaced without --overwrite.")]
pub struct ManualArgs {
    /// Folder for the pages
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace existing pages
    #[arg(long)]
    pub overwrite: bool,
}

/// Prints the completions of a shell.
///
/// # Errors
/// Returns [`crate::Error::Output`] if standard output cannot be written.
pub fn completions(args: CompletionsArgs, ui: &Ui) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "zeroset", &mut text);
    ui.print(&String::from_utf8_lossy(&text))?;
    Ok(0)
}

/// Writes one page for the program and one for each command.
///
/// # Errors
/// Returns [`Error::Output`] if a page exists already or cannot be written.
pub fn manual(args: ManualArgs, ui: &Ui) -> Result<u8> {
    let pages = pages().map_err(|e| Error::output(&args.output, e.to_string(), ""))?;
    let pages: Vec<_> =
        pages.into_iter().map(|(name, text)| (args.output.join(name), text)).collect();
    pages.iter().fold(Claims::new(), |claims, (path, _)| claims.writing(path)).check()?;
    if let Some((path, _)) = pages.iter().find(|(path, _)| !args.overwrite && path.exists()) {
        let remedy = "use --overwrite to replace it, or choose another folder";
        return Err(Error::output(path, "already exists", remedy));
    }
    atomic::together(|| {
        pages.iter().try_for_each(|(path, text)| atomic::write(path, |out| out.write_all(text)))
    })?;
    ui.print(&format!("{} pages in {}\n", pages.len(), args.output.display()))?;
    Ok(0)
}

/// Returns the file names and texts of all pages.
fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = Cli::command();
    // Gives the commands their full names, such as zeroset-distance.
    program.build();
    let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
    let page = |command: &clap::Command| {
        let man = clap_mangen::Man::new(command.clone());
        let mut text = Vec::new();
        man.render(&mut text)?;
        Ok((man.get_filename(), text))
    };
    std::iter::once(&program).chain(commands).map(page).collect()
}
