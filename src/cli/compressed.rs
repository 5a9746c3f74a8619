//! The option `--compression` of the commands that write VTK files.

use std::path::Path;

use super::word;
use crate::error::{Error, Result};
use crate::io::vtk::Compression;

/// The endings of the files to which the option applies.
const ENDINGS: [&str; 3] = ["vtu", "vtp", "vti"];

/// The compression of VTK files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Compressed {
    /// Compression of .vtu, .vtp and .vti files: zlib (default; any program can read it), lz4 or
    /// none
    #[arg(long, global = true, value_name = "none|zlib|lz4", value_parser = word::<Compression>)]
    pub compression: Option<Compression>,
}

impl Compressed {
    /// Returns the option as it is written on the command line, if it is given.
    pub fn word(self) -> Option<&'static str> {
        self.compression.map(Compression::word)
    }

    /// Returns the compression of the outputs.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the option is given, but no output has a format to which it
    /// applies.
    pub fn of(self, outputs: &[&Path]) -> Result<Compression> {
        let applies = |path: &&Path| {
            let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
            ENDINGS.iter().any(|known| ending == *known)
        };
        match self.compression {
            Some(_) if !outputs.iter().any(applies) => {
                let name =
                    outputs.first().map_or(String::new(), |path| format!("{}: ", path.display()));
                let what = format!("{name}--compression is for .vtu, .vtp and .vti files");
                Err(Error::usage(what, "leave it out, or choose another ending"))
            }
            given => Ok(given.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_needs_a_file_to_which_it_applies() {
        let given = Compressed { compression: Some(Compression::Lz4) };
        for name in ["a.vtu", "a.VTP", "a.b.vti"] {
            let outputs = [Path::new("a.gii"), Path::new(name)];
            assert_eq!(given.of(&outputs).unwrap(), Compression::Lz4);
        }
        let error = given.of(&[Path::new("a.ply")]).unwrap_err().to_string();
        assert!(error.contains("a.ply: --compression is for .vtu, .vtp and .vti files"), "{error}");
        assert!(given.of(&[]).is_err());
        let none = Compressed::default();
        assert_eq!(none.of(&[Path::new("a.ply")]).unwrap(), Compression::Zlib);
    }
}
