//! `zeroset schema` and `zeroset defaults`: print the case format for programs and people.

use super::Ui;
use crate::config;
use crate::error::Result;

/// Arguments of `zeroset schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset schema > zeroset.schema.json
  zeroset schema --markdown > keys.md

The JSON Schema (draft 2020-12) contains the names, types, defaults and allowed words of all keys.
Editors that support it complete and check a case file whose first line is
  #:schema zeroset.schema.json")]
pub struct SchemaArgs {
    /// Print the reference of all keys as Markdown tables instead
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `zeroset defaults`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset defaults > case.toml
  zeroset defaults | grep -A 3 cfl

The output is a complete case that runs. A line that begins with # without a space is an alternative
or additional key or table; remove the # to use it.")]
pub struct DefaultsArgs {}

/// Prints the schema.
///
/// # Errors
/// Returns [`crate::Error::Output`] if standard output cannot be written.
pub fn schema(args: SchemaArgs, ui: &Ui) -> Result<u8> {
    let text = match args.markdown {
        true => config::reference(),
        false => format!("{:#}\n", config::schema()),
    };
    ui.print(&text)?;
    Ok(0)
}

/// Prints a case with all defaults.
///
/// # Errors
/// Returns [`crate::Error::Output`] if standard output cannot be written.
pub fn defaults(_: DefaultsArgs, ui: &Ui) -> Result<u8> {
    ui.print(&config::defaults())?;
    Ok(0)
}
