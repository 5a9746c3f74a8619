//! The `zeroset` program; everything it does is in [`zeroset::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    zeroset::cli::main()
}
