//! `zeroset schema` and `zeroset defaults`: the case format, for programs and for people.

use super::Ui;
use zeroset::config;
use zeroset::error::Result;

/// Arguments of `zeroset schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset schema > zeroset.schema.json
  zeroset schema --markdown > keys.md

The schema (JSON Schema, draft 2020-12) has the names, types, defaults and words of all keys.
Editors that read it complete and check a case whose first line is
  #:schema zeroset.schema.json")]
pub struct SchemaArgs {
    /// Print the same as tables in Markdown, for reading
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `zeroset defaults`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset defaults > case.toml
  zeroset defaults | grep -A 3 cfl

What is printed is a case that runs. A line that begins with # and no blank is a key or a table
that could stand there instead or beside; remove the # to use it.")]
pub struct DefaultsArgs {}

/// Prints the schema.
///
/// # Errors
/// [`zeroset::Error::Output`] if standard output cannot be written.
pub fn schema(args: SchemaArgs, ui: &Ui) -> Result<u8> {
    let text = match args.markdown {
        true => config::reference(),
        false => format!("{:#}\n", config::schema()),
    };
    ui.print(&text)?;
    Ok(0)
}

/// Prints the case.
///
/// # Errors
/// [`zeroset::Error::Output`] if standard output cannot be written.
pub fn defaults(_: DefaultsArgs, ui: &Ui) -> Result<u8> {
    ui.print(&config::defaults())?;
    Ok(0)
}
