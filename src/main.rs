//! The program `zeroset`: the command line of the library of the same name.

use std::process::ExitCode;

use zeroset::cli::{self, Allocator};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    ExitCode::from(cli::main_from(std::env::args_os()))
}
