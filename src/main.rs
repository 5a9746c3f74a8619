//! The program `zeroset`: a command line for the library of the same name.

mod cli;

use std::process::ExitCode;

use cli::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    cli::main()
}
